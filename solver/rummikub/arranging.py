"""Bags of tiles without a turn: all arrangements in sets, how many there are, and how to repair a mixed-up table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Self

from .. import plain
from ..errors import IllegalPosition, LimitReached, ParseError, SolverError, UnsupportedRules, quote
from ..limits import Limit
from .kernel import Arrangements
from .position import Position, Table
from .problem import Budget
from .rules import Rules
from .search import Solver
from .sets import MAX_TILES, Tile, TileSet, as_tiles, plain_tiles, read_tiles, sort_tiles
from .ways import count_ways

QUICK_NODES: Final = 20_000  # covers that are counted one by one before numbers are swept

Tiles = str | Iterable[Tile] | Iterable[Iterable[Tile]]


@dataclass(frozen=True, slots=True)
class Repair:
    """table: an arrangement of what can stay; removed: a smallest set of tiles that must be taken away for it, sorted.

    Both are proven: if nothing is removed, all tiles are arranged; if something is, fewer tiles would not
    do. Of equally small sets of tiles the first as a sorted list (R < B < K < O, then number, jokers last).
    """

    table: Table
    removed: TileSet

    @property
    def complete(self) -> bool:
        """Whether all tiles are in the table."""
        return not self.removed

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"table": [list(tiles) for tiles in self.table], "removed": list(self.removed)}

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`. Raises ParseError."""
        return cls(**plain.read(data, "repair", table=plain.each(plain_tiles), removed=plain_tiles))


def arrangements(tiles: Tiles, rules: Rules | None = None) -> Iterator[Table]:
    """Every way to lay all the tiles as legal sets, lazily, each once; no tiles have one way, the empty table.

    tiles: text such as "R6-8 R8 B8 K8 J" (sets may be divided by commas), an iterable of tiles, or of sets.
    Order: set by set, the sets of an arrangement sorted by their sorted tiles (R < B < K < O, then number, jokers
    last), equal ones as they are written. A joker in a run has its place, `J R5 R6` and `R5 R6 J` differ; jokers in a
    group are the same whatever missing colours they stand for; what reads as run and as group (`R5 J J`) is one set.
    Raises ParseError, IllegalPosition if the rules do not have these tiles, UnsupportedRules for more than 64 kinds of
    tiles or more than 3 copies, LimitReached.
    """
    bag = _bag(tiles, rules)
    return Arrangements(bag.rules).arrangements(bag.rack)


def count_arrangements(tiles: Tiles, rules: Rules | None = None, *, limit: Limit | None = None) -> int:
    """How many there are in `arrangements`, without listing them; arguments as there.

    limit: raises LimitReached when it comes first; nodes are bags that are covered one by one and states of what lies
    open after a number.

    Works for all rules, but with `high_one` only for what `arrangements` works for. A hundred tiles take less than a
    second, with a joker two, with two jokers up to half a minute. Raises ParseError, IllegalPosition, UnsupportedRules,
    LimitReached.
    """
    if limit is not None and not isinstance(limit, Limit):
        raise SolverError(f"limit: must be a Limit, not {quote(limit)}")
    bag = _bag(tiles, rules)
    budget = Budget(limit or Limit())
    if bag.rules.high_one:
        return _covers(bag, Arrangements(bag.rules).nodes, budget)
    try:
        return _covers(bag, QUICK_NODES, budget)
    except UnsupportedRules:
        pass
    except LimitReached:
        budget.spend(QUICK_NODES)
    return count_ways(Counter(bag.rack), bag.rules, budget)


def _covers(bag: Position, most: int, budget: Budget) -> int:
    """The number of arrangements, by covering one tile after the other."""
    nodes, seconds = budget.left()
    return Arrangements(bag.rules, nodes=min(most, nodes or most)).count_arrangements(bag.rack, seconds=seconds)


def repair(tiles: Tiles, rules: Rules | None = None) -> Repair:
    """An arrangement of all the tiles, or the proof that there is none: a smallest set of tiles to take away.

    Arguments as of `arrangements`. Works for all rules that `best_move` works for. Raises ParseError, IllegalPosition,
    UnsupportedRules, LimitReached.
    """
    bag = _bag(tiles, rules)
    solver = Solver(bag.rules)
    most = _most_laid(solver, bag.rack)
    left = Counter(bag.rack)
    removed: list[Tile] = []
    for tile in sort_tiles(left):
        # What can be missing from a largest arrangement is part of a smallest set to take away.
        while left[tile] and left.total() > most:
            left[tile] -= 1
            if _most_laid(solver, left.elements()) < most:
                left[tile] += 1
                break
            removed.append(tile)
    move = solver.best_move(Position((), left.elements(), True, bag.rules))
    return Repair(() if move is None else move.table, tuple(removed))


def _most_laid(solver: Solver, tiles: Iterable[Tile]) -> int:
    """How many of the tiles can lie in sets at once."""
    move = solver.best_move(Position((), tiles, True, solver.rules))
    return 0 if move is None else len(move.tiles)


def _bag(tiles: Tiles, rules: Rules | None) -> Position:
    """The tiles as the rack of a position without a table, checked."""
    given = Rules() if rules is None else rules
    if not isinstance(given, Rules):
        raise SolverError(f"rules: must be Rules, not {quote(rules)}")
    bag = Position((), _tiles(tiles), True, given)
    if problems := bag.problems():
        raise IllegalPosition(problems)
    return bag


def _tiles(tiles: object) -> TileSet:
    if isinstance(tiles, str):
        return tuple(read_tiles(tiles.replace(",", " "), "tiles"))
    if isinstance(tiles, bytes) or not isinstance(tiles, Iterable):
        raise ParseError(f"tiles: must be text, tiles or sets, not {quote(tiles)}")
    flat: list[object] = []
    for each in islice(tiles, MAX_TILES + 1):
        if isinstance(each, (tuple, list)):
            flat.extend(each)
        else:
            flat.append(each)
        if len(flat) > MAX_TILES:
            raise ParseError(f"tiles: more than {MAX_TILES} tiles")
    return as_tiles(flat, "tiles")
