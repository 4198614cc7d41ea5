"""All moves of a count problem in order: what the kernel finds, a part of it at a time where all of it is much.

The kernel makes a graph of all moves at once where that is little work. Else it makes one of the moves that lose little
beside the best, then of those that lose more, so that the first moves come at once; see docs/rummikub-search.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, count
from typing import Any, Final, NamedTuple, TypeVar

from ..errors import LimitReached
from .kernel import Playable, Plays
from .objectives import LANES, Objective
from .problem import Budget, names
from .rules import Rules
from .sets import JOKER, TileSet, sort_tiles

M = TypeVar("M")

MOST_WORK: Final = 1 << 15  # of a graph of all moves at once: some two milliseconds
_JOKERS: Final = -1  # where packed counts hold the jokers of the rack


class TooMany(LimitReached):
    """The moves do not fit in the memory."""


class Part(NamedTuple):
    """A count problem as the kernel reads it, and tiles that are decided to be laid beside its answers.

    exact: whether every answer is a move. best: what a best answer lays beyond the decided tiles.
    """

    packed: bytes
    laid: TileSet
    exact: bool
    best: TileSet


class _Worth:
    """Both criteria of an objective as one number: of a tile by its place in the counts, of the joker, and by name."""

    def __init__(self, goal: Objective, rules: Rules) -> None:
        called = names(rules.numbers)
        keys = {name: goal.key([name]) for name in called}
        second = rules.copies * sum(abs(then) for _, then in keys.values()) + rules.jokers * abs(keys[JOKER][1])
        scale = 2 * second + 1
        self.by_name = {name: first * scale + then for name, (first, then) in keys.items()}
        self.tiles = array("q", [self.by_name[name] for name in called[:-1]])
        self.joker = self.by_name[JOKER]


class Lists:
    """Lists of moves under one rule set. Safe to share between threads."""

    def __init__(self, rules: Rules, memory: int) -> None:
        self.rules = rules
        self._plays = Plays(rules.colors, rules.numbers, names(rules.numbers), memory)
        self._worths: dict[str, _Worth] = {}
        self._places = {name: at for at, name in enumerate(names(rules.numbers))}
        self._fit = not rules.high_one and rules.take_back == "none"

    @property
    def memory_used(self) -> int:
        """Bytes held between searches."""
        return self._plays.memory_used

    def fits(self, packed: bytes) -> bool:
        """Whether the answers of these counts can be listed here."""
        return self._fit and self._plays.fits(packed)

    def count(self, packed: bytes, budget: Budget | None = None) -> int:
        """How many moves there are. TooMany if they do not fit in the memory."""
        nodes, seconds = budget.left() if budget else (0, 0.0)
        playable = self._plays.of(packed, nodes=nodes, seconds=seconds)
        if playable is None:
            raise self._too_much()
        return playable.count()

    def made(
        self,
        packed: bytes,
        most: Callable[[], int],
        cls: type[M],
        shared: dict[str, Any],
        others: Callable[[int], Iterator[M]],
    ) -> Iterator[M]:
        """All moves as objects with the attributes `tiles`, `value` and all those of `shared`, in the order of lists.

        most: the greatest number of tiles that can be laid. others: another way to list all moves of at most so many
        tiles, for those that do not fit in the memory.
        """
        playable = self._plays.of(packed, work=MOST_WORK)
        if playable is not None:
            return playable.made(cls, shared)
        return chain.from_iterable(
            others(limit) if playable is None else playable.made(cls, shared, limit, least)
            for playable, limit, least in self._pieces(packed, most(), 1)
        )

    def listed(self, part: Part, budget: Budget | None = None) -> Iterator[TileSet]:
        """The tiles of all moves of a part, in the order of lists. TooMany if they do not fit in the memory."""
        last = 0 if part.laid else 1
        playable = self._plays.of(part.packed, work=MOST_WORK)
        pieces: Iterable[tuple[Playable | None, int, int]] = [(playable, -1, last)]
        if playable is None:
            pieces = self._pieces(part.packed, len(part.best), last, budget)
        for piece, most, least in pieces:
            if piece is None:
                raise self._too_much()
            for tiles in piece.listed(most, least):
                yield sort_tiles((*part.laid, *tiles)) if part.laid else tiles

    def _pieces(
        self, packed: bytes, most: int, last: int, budget: Budget | None = None
    ) -> Iterator[tuple[Playable | None, int, int]]:
        """Graphs that hold the moves of `most` tiles, then of one less, of the next two less, and so on.

        With each the most and the fewest tiles that it is for. None: from here on they do not fit in the memory.
        last: the fewest tiles of a move.
        """
        half = LANES * self.rules.numbers
        every = sum(packed[half : 2 * half]) + packed[_JOKERS]
        least = most
        for step in count(1) if most >= last else ():
            nodes, seconds = budget.left() if budget else (0, 0.0)
            lose = every - least if least > last else -1
            playable = self._plays.of(packed, lose=lose, nodes=nodes, seconds=seconds)
            if budget and playable is not None:
                budget.spend(playable.nodes)
            yield playable, most, least
            if least <= last or playable is None:
                return
            most = least - 1
            least = max(last, least - step)

    def _too_much(self) -> TooMany:
        return TooMany(f"memory: the moves do not fit in {self._plays.memory} bytes")

    def ranked(
        self, part: Part, goal: Objective, budget: Budget | None, others: Callable[[], Iterator[TileSet]] | None = None
    ) -> Iterator[TileSet]:
        """All moves of a part, most worth first, equal ones in the order of lists.

        others: another way to list all moves, for those that do not fit in the memory; else they raise TooMany.
        """
        known = self._worth(goal)
        packed, worth, joker = part.packed, known.tiles, known.joker
        half = LANES * self.rules.numbers
        held = [(number, each) for number, each in zip(packed[half : 2 * half], worth, strict=True) if number]
        every = sum(number * each for number, each in held)
        # Jokers are not counted as lost: what they can be worth stands beside.
        most = every + max(0, joker) * packed[_JOKERS]
        gap = max((each for _, each in held), default=0)
        lose = most - sum(map(known.by_name.__getitem__, part.best)) + gap
        done = 0
        while True:
            nodes, seconds = budget.left() if budget else (0, 0.0)
            whole = lose >= every
            playable = self._plays.of(
                packed,
                weights=worth,
                lose=-1 if whole else lose,
                nodes=nodes,
                seconds=seconds,
                watch=budget.watch if budget else None,
            )
            if playable is not None:
                listed = playable.ranked(worth, joker, None if whole else most - lose, empty=bool(part.laid))
                if budget:
                    budget.spend(playable.nodes)
            elif others is not None:
                listed = others()
            else:
                raise self._too_much()
            at = 0
            for tiles in listed:
                at += 1
                if budget:
                    budget.look()
                if at > done:
                    yield sort_tiles((*part.laid, *tiles)) if part.laid else tiles
            if whole or playable is None:
                return
            done = at
            lose += max(1, gap)
            gap *= 2

    def place(self, tiles: TileSet) -> list[int]:
        """Sorts moves of equally many tiles in the order of lists."""
        return sorted(map(self._places.__getitem__, tiles))

    def _worth(self, goal: Objective) -> _Worth:
        if goal.name == "weights":
            return _Worth(goal, self.rules)
        if goal.name not in self._worths:
            self._worths[goal.name] = _Worth(goal, self.rules)
        return self._worths[goal.name]
