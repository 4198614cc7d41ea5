"""The jokers of the table: is there a matching of the jokers before and after the move that the rules allow?

Exact and bounded. For every way to read the sets that lay on the table (several only where a set is ambiguous or
consists of jokers only), every final set gets the list of what it can hold: which table jokers, whether one of them is
freed, which locked sets. That list comes from a sweep over its jokers' places whose states are (table jokers used,
how many of them freed), so it has at most 2^8 * 9 entries for the 8 jokers that rules can have, and more only under
`joker_set_locked` (3^8). The final sets are then combined by a search that remembers where it failed.

Sets of jokers only have hundreds of readings; choices of readings are tried once for each different effect (`_case`).
Seconds go by only where two such sets lay on the table and another lies there after the move: under 2 s with 13
numbers, up to about a minute with 100 and a move that is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Final

from .rules import Rules
from .verify_sets import JOKER, MIN_SET, Reading, read_set

_FREED: Final = 0
_STAYS: Final = 1
_FORBIDDEN: Final = 2  # it stays, but `joker_set_locked` does not let it stay like this

_TWO: Final = 2  # real tiles of the rack beside a freed joker under `two_from_rack`

TileSet = tuple[int, ...]
Relation = tuple[tuple[int, ...], ...]  # for each joker place of a final set, for each table joker: _FREED ...


@dataclass(frozen=True, slots=True)
class JokerMove:
    """What the joker rules look at. Sets hold the integers of verify_sets; all of them are legal.

    start, final: the table before and after. laid: the real tiles laid. kept: jokers that went to the rack.
    """

    start: tuple[TileSet, ...]
    final: tuple[TileSet, ...]
    laid: Counter[int]
    kept: int
    rules: Rules


@dataclass(frozen=True, slots=True)
class _Option:
    """One way to read a set of the start.

    free: for each of its jokers whether it may be freed. fixed: the relations of its jokers to the places of all final
    sets with a real tile, for each of their readings. floating: the same for the readings of final sets of jokers only
    that at least one of its jokers could stay in; key: (final set, reading). local: `floating` without the readings.
    """

    free: tuple[bool, ...]
    fixed: tuple[Relation, ...]
    floating: Mapping[tuple[int, int], Relation]
    local: frozenset[tuple[int, Relation]]


@dataclass(frozen=True, slots=True)
class _Content:
    """What one final set can hold: mask of table jokers, whether one of them is freed, mask of sets locked in it."""

    jokers: int
    freed: bool
    locked: int


@dataclass(frozen=True, slots=True)
class _FinalSet:
    tiles: TileSet
    real: Counter[int]
    places: tuple[tuple[int, ...], ...]  # for each reading the meanings of its joker places

    @property
    def jokers(self) -> int:
        return len(self.places[0])


def why_forbidden(move: JokerMove) -> str | None:
    """Why no matching of the jokers makes the move legal, as one sentence; None if there is one."""
    if _matching_exists(move):
        return None
    rules = move.rules
    relaxed = (
        (
            "joker_freeing",
            "any",
            f"a joker of the table is freed without the tile that replaces it "
            f"(joker_freeing=replace joker_source={rules.joker_source} "
            f"joker_group={rules.joker_group})",
        ),
        (
            "joker_destination",
            "keep",
            f"a freed joker ends where it may not (joker_destination={rules.joker_destination})",
        ),
        (
            "joker_set_locked",
            False,
            "a joker stays on the table without the tiles of its set or with another meaning (joker_set_locked=yes)",
        ),
    )
    for field, value, sentence in relaxed:
        if getattr(rules, field) != value and _matching_exists(replace(move, rules=_with(rules, field, value))):
            return f"jokers: {sentence}"
    return "jokers: no matching of the table's jokers before and after the move is allowed by the joker rules"


def _with(rules: Rules, field: str, value: object) -> Rules:
    return replace(rules, **{field: value})  # type: ignore[arg-type]  # one of the three fields above


def _matching_exists(move: JokerMove) -> bool:
    rules = move.rules
    if sum(tiles.count(JOKER) for tiles in move.start) < move.kept:
        return False
    if rules.joker_freeing == "any" and rules.joker_destination in ("any", "keep") and not rules.joker_set_locked:
        return True
    homes = tuple(tiles for tiles in move.start if JOKER in tiles)
    if not homes:
        return True
    matching = _Matching(move, homes)
    met: set[object] = set()
    for choice in product(*matching.options()):
        case = _case(choice)
        if case not in met:
            met.add(case)
            if matching.exists(choice):
                return True
    return False


def _case(choice: Sequence[_Option]) -> object:
    """The same for choices of readings that lead to the same answer.

    Where a set of jokers only is read on the board makes no difference but for what else is read there: if no reading
    of a final set touches two of the chosen ones, what each of them is by itself says all.
    """
    alone = tuple((option.free, option.fixed, option.local) for option in choice)
    touched = [option.floating.keys() for option in choice]
    if all(one.isdisjoint(other) for one, other in combinations(touched, 2)):
        return alone
    return alone, frozenset(
        (at[0], tuple(option.floating.get(at) for option in choice)) for at in set().union(*touched)
    )


def _final_set(tiles: TileSet, rules: Rules) -> _FinalSet:
    at = [place for place, tile in enumerate(tiles) if tile == JOKER]
    places = {tuple(reading.meanings[place] for place in at): None for reading in read_set(tiles, rules)}
    return _FinalSet(tiles, Counter(tile for tile in tiles if tile != JOKER), tuple(places))


def _may_be_freed(reading: Reading, place: int, supply: int, rules: Rules) -> bool:
    """`joker_freeing`: a real tile of the meanings is there, for `both` and a group of three all of them are."""
    meaning = reading.meanings[place]
    if rules.joker_freeing == "any":
        return True
    if rules.joker_group == "both" and reading.group and len(reading.meanings) == MIN_SET:
        return not meaning & ~supply
    return bool(meaning & supply)


def _relation(meanings: Sequence[int], places: Sequence[int], rules: Rules) -> Relation:
    """For each place of a reading of a final set and each meaning of a table joker: stays it there or is it freed?"""
    return tuple(
        tuple(
            _FREED if not here & meaning else _FORBIDDEN if rules.joker_set_locked and here & ~meaning else _STAYS
            for meaning in meanings
        )
        for here in places
    )


class _Matching:
    """The question for one move, with what is the same for all ways to read the sets of the start."""

    def __init__(self, move: JokerMove, homes: tuple[TileSet, ...]) -> None:
        self.move = move
        self.rules = move.rules
        self.homes = homes
        self.home_of = [home for home, tiles in enumerate(homes) for _ in range(tiles.count(JOKER))]
        self.finals = [_final_set(tiles, move.rules) for tiles in move.final if JOKER in tiles]
        self.wholes = {tuple(sorted(tiles)) for tiles in move.start}
        self.known: dict[tuple[int, frozenset[Relation], tuple[bool, ...]], list[_Content]] = {}

    def options(self) -> list[list[_Option]]:
        """For every set of the start its readings, without those that are sure to make no difference."""
        rules = self.rules
        supply = _mask(self.move.laid)
        if rules.joker_source == "rack_or_table":
            supply |= _mask(tile for tiles in self.move.start for tile in tiles if tile != JOKER)
        at_tile: dict[int, set[tuple[int, int]]] = {}
        for index, final in enumerate(self.finals):
            if not final.real:
                for number, places in enumerate(final.places):
                    for tile in _bits(_union(places)):
                        at_tile.setdefault(tile, set()).add((index, number))
        found = []
        for tiles in self.homes:
            options = {}
            for reading in read_set(tiles, rules):
                option = self._option(tiles, reading, supply, at_tile)
                if option is not None:
                    # Without final sets of jokers only, where these are read says nothing more.
                    options[(option.free, option.fixed, tuple(option.floating))] = option
            found.append(list(options.values()))
        return found

    def _option(
        self, tiles: TileSet, reading: Reading, supply: int, at_tile: Mapping[int, set[tuple[int, int]]]
    ) -> _Option | None:
        """None if one of its jokers can neither be freed nor stay."""
        at = [place for place, tile in enumerate(tiles) if tile == JOKER]
        meanings = [reading.meanings[place] for place in at]
        free = tuple(_may_be_freed(reading, place, supply, self.rules) for place in at)
        fixed = tuple(
            _relation(meanings, places, self.rules) for final in self.finals if final.real for places in final.places
        )
        touched = sorted(set().union(*(at_tile.get(tile, ()) for tile in _bits(_union(meanings)))))
        floating = {
            (index, number): _relation(meanings, self.finals[index].places[number], self.rules)
            for index, number in touched
        }
        everywhere = (*fixed, *floating.values())
        for joker, may in enumerate(free):
            if not may and not any(row[joker] == _STAYS for relation in everywhere for row in relation):
                return None
        return _Option(free, fixed, floating, frozenset((at[0], relation) for at, relation in floating.items()))

    def exists(self, choice: Sequence[_Option]) -> bool:
        """Whether the final sets can hold the table jokers, all but those that were kept."""
        finals, kept = self.finals, self.move.kept
        free = tuple(may for option in choice for may in option.free)
        contents = [self._contents(index, relations, free) for index, relations in enumerate(self._relations(choice))]
        every = (1 << len(free)) - 1
        unfree = sum(1 << index for index, may in enumerate(free) if not may)
        # the table jokers that the sets from an index on can still take
        room = [0] * (len(finals) + 1)
        for index in range(len(finals) - 1, -1, -1):
            room[index] = room[index + 1] + max((content.jokers.bit_count() for content in contents[index]), default=0)
        two = self.rules.joker_destination == "two_from_rack"
        failed: set[tuple[int, int, int, tuple[_Content, ...]]] = set()

        def fits(index: int, used: int, locked: int, chosen: tuple[_Content, ...]) -> bool:
            missing = (every & ~used).bit_count() - kept
            if missing < 0 or missing > room[index] or (two and not self._two_each(chosen)):
                return False
            if index == len(finals):
                return not every & ~used & unfree
            key = (index, used, locked, chosen)
            if key in failed:
                return False
            for content in contents[index]:
                if content.jokers & used or content.locked & locked:
                    continue
                # Later sets see of this one only which tiles it needs, and that under `two_from_rack` alone.
                shown = (*chosen, replace(content, jokers=0)) if two else ()
                if fits(index + 1, used | content.jokers, locked | content.locked, shown):
                    return True
            failed.add(key)
            return False

        return fits(0, 0, 0, ())

    def _relations(self, choice: Sequence[_Option]) -> list[frozenset[Relation]]:
        """For every final set the different relations of its joker places to all table jokers, over its readings."""
        found = []
        fixed = zip(*(option.fixed for option in choice), strict=True)
        touched = set().union(*(option.floating for option in choice))
        for index, final in enumerate(self.finals):
            if final.real:
                parts = [next(fixed) for _ in final.places]
                found.append(frozenset(_side_by_side(relations) for relations in parts))
                continue
            apart = [((_FREED,) * len(option.free),) * final.jokers for option in choice]
            here = [at for at in touched if at[0] == index]
            relations = {
                _side_by_side([option.floating.get(at, none) for option, none in zip(choice, apart, strict=True)])
                for at in here
            }
            if len(here) < len(final.places):
                relations.add(_side_by_side(apart))
            found.append(frozenset(relations))
        return found

    def _contents(self, index: int, relations: frozenset[Relation], free: tuple[bool, ...]) -> list[_Content]:
        """Everything that a final set can hold, most table jokers first."""
        key = (index, relations, free)
        if key not in self.known:
            found = set().union(*(self._contents_of(self.finals[index], relation, free) for relation in relations))
            # With the same jokers in it a set in which none is freed asks for less.
            least = [content for content in found if not (content.freed and replace(content, freed=False) in found)]
            self.known[key] = sorted(
                least, key=lambda content: (-content.jokers.bit_count(), content.jokers, content.freed, content.locked)
            )
        return self.known[key]

    def _contents_of(self, final: _FinalSet, relation: Relation, free: tuple[bool, ...]) -> set[_Content]:
        lock = self.rules.joker_set_locked
        states = {(0, 0, 0)}
        for row in relation:
            states |= {
                (
                    used | 1 << joker,
                    freed + (kind == _FREED),
                    locked | (1 << self.home_of[joker] if kind == _STAYS and lock else 0),
                )
                for used, freed, locked in states
                for joker, kind in enumerate(row)
                if not used >> joker & 1 and kind != _FORBIDDEN and (kind == _STAYS or free[joker])
            }
        allowed = [self._may_hold_freed(final, freed) for freed in range(final.jokers + 1)]
        return {
            _Content(used, freed > 0, locked)
            for used, freed, locked in states
            if allowed[freed] and (not locked or self._locked_tiles(locked) <= final.real)
        }

    def _may_hold_freed(self, final: _FinalSet, freed: int) -> bool:
        """`joker_destination=new`: without all freed jokers it was not one of the whole sets."""
        if not freed or self.rules.joker_destination != "new":
            return True
        return (*((JOKER,) * (final.jokers - freed)), *sorted(final.real)) not in self.wholes

    def _locked_tiles(self, locked: int) -> Counter[int]:
        """The real tiles of the sets of the start that a mask names."""
        return Counter(
            tile for home, tiles in enumerate(self.homes) if locked >> home & 1 for tile in tiles if tile != JOKER
        )

    def _two_each(self, chosen: Sequence[_Content]) -> bool:
        """Whether every chosen set with a freed joker can have two laid tiles; a laid tile counts in one set only.

        A flow by augmenting paths: two units for every such set, as many for a tile as were laid, one between a set
        and a tile. A tile that a locked set keeps in its place is the one of the table, so it is no laid tile.
        """
        laid = self.move.laid
        usable = [
            [tile for tile in final.real - self._locked_tiles(content.locked) if laid[tile]]
            for final, content in zip(self.finals, chosen, strict=False)
            if content.freed
        ]
        held: list[set[int]] = [set() for _ in usable]

        def one_more(index: int, tried: set[int]) -> bool:
            for tile in usable[index]:
                if tile in tried or tile in held[index]:
                    continue
                tried.add(tile)
                holders = [other for other, tiles in enumerate(held) if tile in tiles]
                if len(holders) < laid[tile]:
                    held[index].add(tile)
                    return True
                for other in holders:
                    if one_more(other, tried):
                        held[other].remove(tile)
                        held[index].add(tile)
                        return True
            return False

        return all(one_more(index, set()) for index in range(len(usable)) for _ in range(_TWO))


def _side_by_side(relations: Sequence[Relation]) -> Relation:
    """The relations of several sets of the start to the same places, as one."""
    return tuple(tuple(kind for row in rows for kind in row) for rows in zip(*relations, strict=True))


def _mask(tiles: Iterable[int]) -> int:
    mask = 0
    for tile in tiles:
        mask |= 1 << tile
    return mask


def _union(masks: Iterable[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
