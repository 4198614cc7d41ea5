"""The jokers of the table: is there a matching of the jokers before and after the move that the rules allow?

Exact and bounded. For every way to read the sets that lay on the table (several only where a set is ambiguous or
consists of jokers only), every final set gets the list of what it can hold: which table jokers, whether one of them is
freed, which locked sets. That list comes from a sweep over its jokers' places whose states are (table jokers used,
how many of them freed), so it has at most 2^8 * 9 entries for the 8 jokers that rules can have, and more only under
`joker_set_locked` (3^8). The final sets are then combined by a search that remembers where it failed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
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
class _Joker:
    """A joker of the starting table: index of its set, what it stands for, whether it may be freed."""

    home: int
    meaning: int
    free: bool


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
    homes = [tiles for tiles in move.start if JOKER in tiles]
    if not homes:
        return True
    finals = [_final_set(tiles, rules) for tiles in move.final if JOKER in tiles]
    options = [_home_options(home, tiles, finals, move) for home, tiles in enumerate(homes)]
    return any(
        _can_place(jokers, homes, finals, move)
        for choice in product(*options)
        for jokers in [[joker for option in choice for joker in option]]
    )


def _final_set(tiles: TileSet, rules: Rules) -> _FinalSet:
    at = [place for place, tile in enumerate(tiles) if tile == JOKER]
    places = {tuple(reading.meanings[place] for place in at): None for reading in read_set(tiles, rules)}
    return _FinalSet(tiles, Counter(tile for tile in tiles if tile != JOKER), tuple(places))


def _home_options(home: int, tiles: TileSet, finals: Sequence[_FinalSet], move: JokerMove) -> list[tuple[_Joker, ...]]:
    """The jokers of one starting set, once for every reading that makes a difference."""
    rules = move.rules
    supply = _mask(move.laid)
    if rules.joker_source == "rack_or_table":
        supply |= _mask(tile for other in move.start for tile in other if tile != JOKER)
    at = [place for place, tile in enumerate(tiles) if tile == JOKER]
    floating = any(not final.real for final in finals)
    slots = [meaning for final in finals for places in final.places for meaning in places] if not floating else []
    options: dict[object, tuple[_Joker, ...]] = {}
    for reading in read_set(tiles, rules):
        jokers = tuple(
            _Joker(home, reading.meanings[place], _may_be_freed(reading, place, supply, rules)) for place in at
        )
        if floating:
            options[jokers] = jokers
            continue
        relations = tuple(tuple(_relation(joker, slot, rules) for slot in slots) for joker in jokers)
        if all(joker.free or _STAYS in relation for joker, relation in zip(jokers, relations, strict=True)):
            options.setdefault((relations, tuple(joker.free for joker in jokers)), jokers)
    return list(options.values())


def _may_be_freed(reading: Reading, place: int, supply: int, rules: Rules) -> bool:
    """`joker_freeing`: a real tile of the meanings is there, for `both` and a group of three all of them are."""
    meaning = reading.meanings[place]
    if rules.joker_freeing == "any":
        return True
    if rules.joker_group == "both" and reading.group and len(reading.meanings) == MIN_SET:
        return not meaning & ~supply
    return bool(meaning & supply)


def _relation(joker: _Joker, meaning: int, rules: Rules) -> int:
    """Whether a table joker that ends with this meaning stays or is freed."""
    if not joker.meaning & meaning:
        return _FREED
    return _FORBIDDEN if rules.joker_set_locked and meaning & ~joker.meaning else _STAYS


def _can_place(
    jokers: Sequence[_Joker], homes: Sequence[TileSet], finals: Sequence[_FinalSet], move: JokerMove
) -> bool:
    """Whether the final sets can hold the table jokers, all but those that were kept."""
    contents = [
        sorted(_contents(final, jokers, homes, move), key=lambda content: -content.jokers.bit_count())
        for final in finals
    ]
    every = (1 << len(jokers)) - 1
    free = sum(1 << index for index, joker in enumerate(jokers) if joker.free)
    # the table jokers that the sets from an index on can still take
    room = [0] * (len(finals) + 1)
    for index in range(len(finals) - 1, -1, -1):
        room[index] = room[index + 1] + max((content.jokers.bit_count() for content in contents[index]), default=0)
    two = move.rules.joker_destination == "two_from_rack"
    failed: set[tuple[int, int, int, tuple[_Content, ...]]] = set()

    def fits(index: int, used: int, locked: int, chosen: tuple[_Content, ...]) -> bool:
        missing = (every & ~used).bit_count() - move.kept
        if missing < 0 or missing > room[index] or (two and not _two_each(finals, chosen, homes, move.laid)):
            return False
        if index == len(finals):
            return not every & ~used & ~free
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


def _contents(final: _FinalSet, jokers: Sequence[_Joker], homes: Sequence[TileSet], move: JokerMove) -> set[_Content]:
    rules = move.rules
    wholes = {tuple(sorted(tiles)) for tiles in move.start}
    real = sorted(final.real)
    legal_freed = [
        not freed or rules.joker_destination != "new" or (*((JOKER,) * (final.jokers - freed)), *real) not in wholes
        for freed in range(final.jokers + 1)
    ]
    found: set[_Content] = set()
    for relation in _relations(final, jokers, rules):
        states = {(0, 0, 0)}
        for row in relation:
            states |= {
                (
                    used | 1 << index,
                    freed + (kind == _FREED),
                    locked | (1 << jokers[index].home if kind == _STAYS and rules.joker_set_locked else 0),
                )
                for used, freed, locked in states
                for index, kind in enumerate(row)
                if not used >> index & 1 and kind != _FORBIDDEN and (kind == _STAYS or jokers[index].free)
            }
        found |= {
            _Content(used, freed > 0, locked)
            for used, freed, locked in states
            if legal_freed[freed] and (not locked or _holds(final, locked, homes))
        }
    # With the same jokers in it a set in which none is freed asks for less.
    return {content for content in found if not (content.freed and replace(content, freed=False) in found)}


def _relations(final: _FinalSet, jokers: Sequence[_Joker], rules: Rules) -> set[Relation]:
    """The different relations of a final set's joker places to the table jokers, over all its readings."""
    touched = 0
    for joker in jokers:
        touched |= joker.meaning
    apart = tuple((_FREED,) * len(jokers) for _ in range(final.jokers))
    found: set[Relation] = set()
    for places in final.places:
        if not any(meaning & touched for meaning in places):
            found.add(apart)
        else:
            found.add(tuple(tuple(_relation(joker, meaning, rules) for joker in jokers) for meaning in places))
    return found


def _holds(final: _FinalSet, locked: int, homes: Sequence[TileSet]) -> bool:
    """Whether the final set has the real tiles of all sets that are locked in it."""
    return _locked_tiles(locked, homes) <= final.real


def _locked_tiles(locked: int, homes: Sequence[TileSet]) -> Counter[int]:
    return Counter(tile for home, tiles in enumerate(homes) if locked >> home & 1 for tile in tiles if tile != JOKER)


def _two_each(
    finals: Sequence[_FinalSet], chosen: Sequence[_Content], homes: Sequence[TileSet], laid: Counter[int]
) -> bool:
    """Whether every chosen set with a freed joker can have two of the laid tiles; a laid tile counts in one set only.

    A flow by augmenting paths: two units for every such set, as many for a tile as were laid, one between a set and a
    tile. A tile that a locked set keeps in its place is the one of the table, so it is no laid tile.
    """
    usable = [
        [tile for tile in final.real - _locked_tiles(content.locked, homes) if laid[tile]]
        for final, content in zip(finals, chosen, strict=False)
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


def _mask(tiles: Iterable[int]) -> int:
    mask = 0
    for tile in tiles:
        mask |= 1 << tile
    return mask
