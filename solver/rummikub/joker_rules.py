"""The rules of jokers on a finished table: what each joker stood for, and whether some matching allows the move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from .position import Position
from .rules import Rules
from .sets import JOKER, MIN_SET, Reading, Tile, TileSet, canonical_set, readings

REAL_FROM_RACK = 2  # tiles that `two_from_rack` wants


@dataclass(frozen=True, slots=True)
class TableJoker:
    """One reading of a joker on the table.

    home: the index of its set among the sets with jokers. meanings: what it stands for. prices: the tiles that free it
    (alternatives). reals: the real tiles of its set.
    """

    home: int
    meanings: frozenset[Tile]
    prices: tuple[frozenset[Tile], ...]
    reals: TileSet


@dataclass(frozen=True, slots=True)
class _Spot:
    holder: int
    place: int
    meanings: frozenset[Tile]


def asks(rules: Rules) -> bool:
    """Whether the rules ask anything of a joker on the table that is not kept."""
    return rules.joker_freeing != "any" or decides(rules)


def decides(rules: Rules) -> bool:
    """Whether the set matters in which a freed joker ends."""
    return rules.joker_set_locked or rules.joker_destination in ("new", "two_from_rack")


def joker_sets(position: Position) -> list[list[tuple[TableJoker, ...]]]:
    """For each set with jokers on the table: for each of its readings, its jokers."""
    rules = position.rules
    with_jokers = [tiles for tiles in position.table if JOKER in tiles]
    return [
        [_jokers_of(home, reading, rules) for reading in readings(tiles, rules)]
        for home, tiles in enumerate(with_jokers)
    ]


def _jokers_of(home: int, reading: Reading, rules: Rules) -> tuple[TableJoker, ...]:
    jokers = []
    reals = tuple(tile for tile in reading.tiles if tile != JOKER)
    for meanings in reading.meanings:
        if rules.joker_freeing == "any":
            prices: tuple[frozenset[Tile], ...] = (frozenset(),)
        elif rules.joker_group == "both" and reading.kind == "group" and len(reading.tiles) == MIN_SET:
            prices = (frozenset(meanings),)
        else:
            prices = tuple(frozenset((tile,)) for tile in meanings)
        jokers.append(TableJoker(home, frozenset(meanings), prices, reals))
    return tuple(jokers)


def real_tiles(table: Iterable[TileSet]) -> frozenset[Tile]:
    """The different real tiles of a table."""
    return frozenset(tile for tiles in table for tile in tiles) - {JOKER}


def same_tiles(tiles: Iterable[Tile]) -> TileSet:
    """What two sets have in common that are the same set for `joker_destination=new`: their tiles, jokers alike."""
    return tuple(sorted(tiles))


def legal(position: Position, table: Sequence[TileSet], laid: Sequence[Tile], taken: Sequence[Tile] = ()) -> bool:
    """Whether the sets with jokers are legal and SOME matching of the table's jokers before and after is."""
    rules = position.rules
    final = [canonical_set(tiles, rules) for tiles in table if JOKER in tiles]
    read = [readings(tiles, rules) for tiles in final]
    if not all(read):
        return False
    if not position.packed[-2] or not asks(rules):
        return True
    check = _Matching(position, final, laid, taken)
    for before in product(*joker_sets(position)):
        jokers = [joker for some in before for joker in some]
        for after in product(*read):
            spots = [
                _Spot(index, place, frozenset(face))
                for index, reading in enumerate(after)
                for place, (tile, face) in enumerate(zip(reading.tiles, reading.face, strict=True))
                if tile == JOKER
            ]
            if check.possible(jokers, spots):
                return True
    return False


class _Matching:
    def __init__(self, position: Position, final: list[TileSet], laid: Sequence[Tile], taken: Sequence[Tile]) -> None:
        self.rules = position.rules
        self.final = final
        self.laid = Counter(laid)
        self.kept = Counter(taken)[JOKER]
        self.prices = frozenset(laid)
        if self.rules.joker_source == "rack_or_table":
            self.prices |= real_tiles(position.table)
        self.originals = frozenset(map(same_tiles, position.table))

    def possible(self, jokers: list[TableJoker], spots: list[_Spot]) -> bool:
        free = [any(price <= self.prices for price in joker.prices) for joker in jokers]
        moved: list[_Spot] = []
        stayed: list[tuple[TableJoker, _Spot]] = []
        locked = self.rules.joker_set_locked

        def place(index: int, left: tuple[_Spot, ...], kept: int) -> bool:
            if index == len(jokers):
                held = self._held(stayed)
                return kept == 0 and held is not None and self._destinations_fine(moved, held)
            joker = jokers[index]
            for spot in left:
                rest = tuple(other for other in left if other is not spot)
                if joker.meanings & spot.meanings:
                    if locked and not spot.meanings <= joker.meanings:
                        continue
                    stayed.append((joker, spot))
                    if place(index + 1, rest, kept):
                        return True
                    stayed.pop()
                elif free[index]:
                    moved.append(spot)
                    if place(index + 1, rest, kept):
                        return True
                    moved.pop()
            return free[index] and kept > 0 and place(index + 1, left, kept - 1)

        return place(0, tuple(spots), self.kept)

    def _held(self, stayed: Iterable[tuple[TableJoker, _Spot]]) -> dict[int, Counter[Tile]] | None:
        """`joker_set_locked`: for each final set the real tiles of the locked sets in it; None where a set of a joker
        that stayed is not together in one set, real tiles and all."""
        held: dict[int, Counter[Tile]] = {}
        if not self.rules.joker_set_locked:
            return held
        ends: dict[int, tuple[int, TileSet]] = {}
        for joker, spot in stayed:
            if ends.setdefault(joker.home, (spot.holder, joker.reals))[0] != spot.holder:
                return None
        for holder, reals in ends.values():
            held.setdefault(holder, Counter()).update(reals)
        return held if all(tiles <= Counter(self.final[holder]) for holder, tiles in held.items()) else None

    def _destinations_fine(self, moved: list[_Spot], held: Mapping[int, Counter[Tile]]) -> bool:
        """held: see `_held`; a tile that a locked set keeps is one of the table, so it is none of the rack."""
        if self.rules.joker_destination not in ("new", "two_from_rack"):
            return True
        freed = Counter(spot.holder for spot in moved)
        if self.rules.joker_destination == "two_from_rack":
            others = (Counter(self.final[holder]) - held.get(holder, Counter()) for holder in freed)
            return hand_out([tuple(tiles) for tiles in others], self.laid)
        for holder, number in freed.items():
            rest = list(self.final[holder])
            for _ in range(number):
                rest.remove(JOKER)
            if same_tiles(rest) in self.originals:
                return False
        return True


def hand_out(sets: Sequence[TileSet], laid: Counter[Tile]) -> bool:
    """`two_from_rack`: whether two real tiles laid can be given to each set, no tile twice."""
    return not sets or any(hand_out(sets[1:], laid - Counter(pair)) for pair in pairs(sets[0], laid))


def pairs(tiles: Iterable[Tile], laid: Counter[Tile]) -> Iterator[tuple[Tile, ...]]:
    """Every two real tiles of a set that may come from the rack."""
    return combinations(sorted({tile for tile in tiles if tile != JOKER and laid[tile]}), REAL_FROM_RACK)
