"""Small moves, which no objective of a search asks for: the fewest tiles that open, the fewest that can be laid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

from .openings import Meld, melds_of
from .position import Move, Position
from .rules import Rules
from .search import Solver
from .sets import COLORS, JOKER, MIN_SET, TILE_KEYS, Tile, TileSet, sort_tiles, tile_value

SAFE_SET: Final = 4
_JOKER_COST: Final = 1_000_000  # more than any value of an opening: fewer jokers come first


def with_rack(position: Position, rack: Iterable[Tile]) -> Position:
    """The position with another rack."""
    return Position(position.table, rack, position.opened, position.rules)


def without_jokers(position: Position) -> Position:
    """The position with the rack's jokers put aside; the same if it has none."""
    if not position.packed[-1]:
        return position
    return with_rack(position, [tile for tile in position.rack if tile != JOKER])


def singles(position: Position, solver: Solver) -> list[Move]:
    """For every tile of the rack that can be laid alone, in the order of the rack: that move. Nothing if unopened."""
    if not position.opened:
        return []
    return _playable(position, solver, ((tile,) for tile in dict.fromkeys(position.rack)))


def _playable(position: Position, solver: Solver, racks: Iterable[TileSet]) -> list[Move]:
    found = solver.solve_batch([with_rack(position, rack) for rack in racks])
    return [move for move in found if move is not None]


def safest_set(position: Position, unseen: Counter[Tile]) -> Move | None:
    """A set of the rack without jokers, of at most SAFE_SET tiles, to which the fewest unseen tiles could be put.

    Of equal ones the dearest. It is laid beside the table; None if the rack has no such set.
    """
    rules = position.rules
    supply = Counter(tile for tile in position.rack if tile != JOKER)
    sets = [meld.tiles for meld in melds_of(supply, rules) if len(meld.tiles) <= SAFE_SET]
    if not sets:
        return None
    chosen = min(sets, key=lambda tiles: (_ways_on(tiles, unseen, rules), -tile_value(tiles), sort_tiles(tiles)))
    return Move(chosen, (*position.table, chosen), rules=rules, before=position)


def _ways_on(tiles: TileSet, unseen: Counter[Tile], rules: Rules) -> int:
    """How many unseen tiles could be put to a set alone."""
    numbers = [TILE_KEYS[tile][1] for tile in tiles]
    color = tiles[0][0]
    if numbers[0] != numbers[1]:
        return unseen[f"{color}{min(numbers) - 1}"] + unseen[f"{color}{max(numbers) + 1}"]
    others = {f"{color}{numbers[0]}" for color in COLORS[: rules.colors]}.difference(tiles)
    return sum(unseen[tile] for tile in others)


def smallest_move(position: Position, solver: Solver) -> Move | None:
    """A move that lays few tiles; None if there is no move at all.

    One tile or two if any can be laid so (the first in the order of the rack), else a part of the move that lays most
    of which no part can be laid. An opening has the fewest tiles that open (`smallest_opening`).
    """
    if not position.opened:
        return smallest_opening(position, solver)
    move = solver.best_move(position)
    if move is None or len(move.tiles) == 1:
        return move
    found = singles(position, solver)
    if not found and len(move.tiles) > 2:
        pairs = dict.fromkeys(combinations(position.rack, 2))
        found = [move for move in _playable(position, solver, pairs) if len(move.tiles) == 2]
    if found:
        return found[0]
    return _without_parts(position, solver, move)


def _without_parts(position: Position, solver: Solver, move: Move) -> Move:
    """A part of a move of which no smaller part can be laid."""
    for tile in dict.fromkeys(move.tiles):
        rest = list(move.tiles)
        rest.remove(tile)
        smaller = solver.best_move(with_rack(position, rest))
        if smaller is not None:
            return _without_parts(position, solver, smaller)
    return move


def smallest_opening(position: Position, solver: Solver) -> Move | None:
    """The opening of the fewest tiles, from the rack alone; None if the rack cannot open.

    Of equally small ones that with the fewest jokers, then the most valuable, then the first in the fixed order of
    melds. A rack can open only if sets of its own reach the threshold, so nothing is missed by leaving the table as it
    is (`opening_uses_table` lets more tiles be laid, and that is never smaller).
    """
    rules = position.rules
    supply = Counter(position.rack)
    if rules.opening_joker == "forbidden":
        del supply[JOKER]
    least = rules.opening_threshold if rules.opening_single_set else 0
    known = [meld for meld in melds_of(supply, rules) if meld.value >= least]
    if not known or solver.best_move(position) is None:
        return None
    known.sort(key=lambda meld: (-_worth(meld) / len(meld.tiles), meld.tiles))
    for size in range(MIN_SET, len(position.rack) + 1):
        chosen = _Openings(known, supply, rules.opening_threshold).best(size)
        if chosen:
            laid = sort_tiles(tile for meld in chosen for tile in meld.tiles)
            table = (*position.table, *(meld.tiles for meld in chosen))
            return Move(laid, table, rules=rules, before=position)
    return None


def _worth(meld: Meld) -> int:
    return meld.value - _JOKER_COST * meld.tiles.count(JOKER)


class _Openings:
    """The best choice among melds that together have so many tiles and reach the threshold."""

    def __init__(self, known: Sequence[Meld], supply: Counter[Tile], threshold: int) -> None:
        self.known = known
        self.worths = [_worth(meld) for meld in known]
        self.supply = supply
        self.threshold = threshold
        self.most = max(meld.value / len(meld.tiles) for meld in known)
        self.found: tuple[Meld, ...] = ()
        self.found_worth = 0

    def best(self, size: int) -> tuple[Meld, ...]:
        """Empty if there is none."""
        self._search(0, size, (), 0, 0)
        return self.found

    def _search(self, first: int, size: int, chosen: tuple[Meld, ...], value: int, worth: int) -> None:
        if size == 0:
            if value >= self.threshold and (not self.found or worth > self.found_worth):
                self.found, self.found_worth = chosen, worth
            return
        if value + self.most * size < self.threshold:
            return
        for at in range(first, len(self.known)):
            meld = self.known[at]
            length = len(meld.tiles)
            # Melds come by worth for each tile, so no later ones are worth more.
            if self.found and worth * length + self.worths[at] * size <= self.found_worth * length:
                return
            if length > size or 0 < size - length < MIN_SET:
                continue
            if any(self.supply[tile] < meld.tiles.count(tile) for tile in meld.tiles):
                continue
            self.supply.subtract(meld.tiles)
            self._search(at, size - length, (*chosen, meld), value + meld.value, worth + self.worths[at])
            self.supply.update(meld.tiles)
