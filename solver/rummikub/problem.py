"""Count problems: what a search hands to the kernel.

Of every tile some copies must end in sets and some may. A position is one; so is every part into which the rules of
jokers, openings and lists of moves divide it, because everything they decide beforehand is a count:
a joker that stays in its meaning is one more copy of that tile, a rack tile that must be laid is as good as on the
table, and the tiles of a set that is decided are gone.
"""

from __future__ import annotations

import operator
from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, NamedTuple

from ..errors import LimitReached
from ..limits import Limit, Watch
from .objectives import Objective
from .position import Position
from .sets import COLORS, JOKER, TILE_KEYS, Tile, TileSet, sort_tiles

LANES = len(COLORS)
LOOK_EVERY: Final = 1024  # steps of a loop, each some microseconds


class Budget:
    """What is left of a limit that many count problems share. Raises LimitReached when asked for more than there is.

    nodes: those that the kernel expands, at least one for each problem. spent: those so far. watch: tells when a caller
    wants the end; kernels call it where they look for Ctrl-C.
    """

    __slots__ = ("_deadline", "_looks", "_nodes", "spent", "watch")

    def __init__(self, limit: Limit, watch: Watch | None = None) -> None:
        self._nodes = limit.nodes
        self._looks = 0
        self.spent = 0
        self.watch = watch
        self._deadline = None if limit.seconds is None else monotonic() + limit.seconds

    def left(self) -> tuple[int, float]:
        """Nodes and seconds that are left, 0 where there is no limit."""
        seconds = self._seconds()
        if self._nodes is not None and self._nodes <= 0:
            raise LimitReached("nodes: no proof within the limit")
        return self._nodes or 0, seconds

    def look(self) -> None:
        """Now and then see if the time is up; for loops that ask the kernel nothing."""
        self._looks += 1
        if self._looks % LOOK_EVERY == 0:
            self._seconds()

    def _seconds(self) -> float:
        if self.watch is not None:
            self.watch()
        seconds = 0.0 if self._deadline is None else self._deadline - monotonic()
        if seconds < 0:
            raise LimitReached("seconds: no proof within the limit")
        return seconds

    def spend(self, nodes: int) -> None:
        """Count the nodes of a problem."""
        self.spent += max(1, nodes)
        if self._nodes is not None:
            self._nodes -= max(1, nodes)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a count problem: an objective of the kernel, and its worth of what is laid beyond the decided.

    empty: laying nothing is an answer as well. key: of the tiles laid and taken and the sets.
    """

    code: str
    key: Callable[[Counted], tuple[int, int]]
    weights: array[int] | None = None
    go_out: bool = False
    empty: bool = False
    budget: Budget | None = None


class Counted(NamedTuple):
    """An answer: what is laid and taken beyond what was decided, and the sets beyond the decided ones."""

    laid: TileSet
    taken: TileSet
    sets: Callable[[], list[TileSet]]


@dataclass(frozen=True, slots=True)
class Laid:
    """A move: how good it is, the tiles laid and taken, and the sets after it, those not decided when asked for."""

    key: tuple[int, int]
    tiles: TileSet
    sets: Callable[[], list[TileSet]]
    taken: TileSet = ()
    decided: tuple[TileSet, ...] = ()

    def table(self) -> list[TileSet]:
        """All sets after the move."""
        return [*self.decided, *self.sets()]


@dataclass(slots=True)
class Problem:
    """Counts that must and may be laid, and what is decided already.

    must, may: copies by (number - 1) * 4 + colour. jokers_must, jokers_may: likewise. laid: rack tiles that are decided
    to be laid. sets: sets that are decided. stays: tiles that are jokers which stay in that meaning (counted in must).
    back, keep: copies of `must` and jokers of `jokers_must` that may go to the rack instead (`take_back`, `keep`).
    taken: tiles that are decided to go there.
    """

    must: bytearray
    may: bytearray
    jokers_must: int
    jokers_may: int
    laid: list[Tile] = field(default_factory=list)
    sets: list[TileSet] = field(default_factory=list)
    stays: list[Tile] = field(default_factory=list)
    back: bytearray = field(default_factory=bytearray)
    keep: int = 0
    taken: list[Tile] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.back:
            self.back = bytearray(len(self.must))

    @classmethod
    def of(cls, position: Position) -> Problem:
        """The whole position, its table jokers free to stand for anything."""
        packed = position.packed
        half = LANES * position.rules.numbers
        problem = cls(bytearray(packed[:half]), bytearray(packed[half : 2 * half]), packed[-2], packed[-1])
        if position.opened or position.rules.opening_uses_table:
            if position.rules.take_back != "none":
                problem.back[:] = problem.must
            if position.rules.joker_destination == "keep":
                problem.keep = problem.jokers_must
        return problem

    def copy(self) -> Problem:
        """An independent copy."""
        return Problem(
            bytearray(self.must),
            bytearray(self.may),
            self.jokers_must,
            self.jokers_may,
            list(self.laid),
            list(self.sets),
            list(self.stays),
            bytearray(self.back),
            self.keep,
            list(self.taken),
        )

    def packed(self) -> bytes:
        """What the kernel reads: what stays on the table in any case, and what may be laid or left there."""
        must, may = self.must, self.may
        if any(self.back):
            must = bytearray(map(operator.sub, must, self.back))
            may = bytearray(map(operator.add, may, self.back))
        return bytes(must + may + bytes((self.jokers_must, self.jokers_may)))

    def rack(self) -> Counter[Tile]:
        """Rack tiles that are still free to be laid or not."""
        free = Counter({tile_at(at): count for at, count in enumerate(self.may) if count})
        if self.jokers_may:
            free[JOKER] = self.jokers_may
        return free

    def takeable(self) -> Counter[Tile]:
        """Tiles that are still free to go to the rack or not."""
        free = Counter({tile_at(at): count for at, count in enumerate(self.back) if count})
        if self.keep:
            free[JOKER] = self.keep
        return free

    def lay(self, tile: Tile) -> bool:
        """Decide that one more rack tile is laid, somewhere; False if the rack has none. What is laid is not taken."""
        if tile == JOKER:
            if not self.jokers_may:
                return False
            self.jokers_may -= 1
            self.jokers_must += 1
            self.keep = 0
        else:
            at = cell(tile)
            if not self.may[at]:
                return False
            self.may[at] -= 1
            self.must[at] += 1
            self.back[at] = 0
        self.laid.append(tile)
        return True

    def bring_home(self, tile: Tile) -> bool:
        """Decide that one more table tile goes to the rack; False if none may. What is taken is not laid."""
        if tile == JOKER:
            if not self.keep:
                return False
            self.keep -= 1
            self.jokers_must -= 1
            self.jokers_may = 0
        else:
            at = cell(tile)
            if not self.back[at]:
                return False
            self.back[at] -= 1
            self.must[at] -= 1
            self.may[at] = 0
        self.taken.append(tile)
        return True

    def drop(self, tile: Tile, keep: int) -> None:
        """Leave at most `keep` free copies of a rack tile."""
        if tile == JOKER:
            self.jokers_may = min(self.jokers_may, keep)
        else:
            self.may[cell(tile)] = min(self.may[cell(tile)], keep)

    def at_least(self, tile: Tile, net: int) -> bool:
        """Decide that at least so many more are laid (negative: at most so many taken); False if that cannot be."""
        if net > 0:
            return all(self.lay(tile) for _ in range(net))
        if tile == JOKER:
            self.keep = min(self.keep, -net)
        else:
            self.back[cell(tile)] = min(self.back[cell(tile)], -net)
        return True

    def at_most(self, tile: Tile, net: int) -> bool:
        """Decide that at most so many more are laid (negative: at least so many taken); False if that cannot be."""
        if net < 0:
            return all(self.bring_home(tile) for _ in range(-net))
        self.drop(tile, net)
        return True

    def real_left(self, tile: Tile) -> int:
        """Copies of a real tile that are not yet in a decided set."""
        at = cell(tile)
        return self.must[at] + self.may[at] - self.stays.count(tile)

    def take(self, tile: Tile) -> bool:
        """Use one copy of a real tile for a decided set: one that must be laid if there is, else one of the rack."""
        at = cell(tile)
        if self.must[at] > self.stays.count(tile):
            self._use(at, tile)
        elif self.may[at]:
            self.may[at] -= 1
            self.laid.append(tile)
        else:
            return False
        return True

    def take_stay(self, tile: Tile) -> None:
        """Use a joker that stays as the tile for a decided set."""
        self.stays.remove(tile)
        self._use(cell(tile), tile)

    def _use(self, at: int, tile: Tile) -> None:
        self.must[at] -= 1
        self.back[at] = min(self.back[at], self.must[at] - self.stays.count(tile))

    def take_joker(self) -> bool:
        """Use a joker for a decided set: one that must be laid if there is, else one of the rack."""
        if self.jokers_must:
            self.jokers_must -= 1
            self.keep = min(self.keep, self.jokers_must)
        elif self.jokers_may:
            self.jokers_may -= 1
            self.laid.append(JOKER)
        else:
            return False
        return True


def cell(tile: Tile) -> int:
    """Place of a real tile in the counts."""
    color, number = TILE_KEYS[tile]
    return (number - 1) * LANES + color


def names(numbers: int) -> tuple[Tile, ...]:
    """Tile names by place in the counts, the joker last."""
    return (*(tile_at(at) for at in range(numbers * LANES)), JOKER)


def tile_at(at: int) -> Tile:
    """The real tile of a place in the counts."""
    return f"{COLORS[at % LANES]}{at // LANES + 1}"


def laid_of(goal: Objective, problem: Problem, counted: Counted) -> Laid:
    """An answer as a move, with what was decided before."""
    tiles, taken = counted.laid, counted.taken
    if problem.laid:
        tiles = sort_tiles((*problem.laid, *tiles))
    if problem.taken:
        taken = sort_tiles((*problem.taken, *taken))
    key = goal.net(tiles, taken) if taken else goal.key(tiles)
    return Laid(key, tiles, counted.sets, taken, tuple(problem.sets))
