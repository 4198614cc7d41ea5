"""Tiles and single sets: names, canonical order, and what each joker of a set can stand for.

A tile is plain text: colour letter R B K O and number ("R7", "O13"), or "J" for the joker. A set is a tuple of tiles.

Canonical order of a set, tried in this order and without regard to the least length and to `jokers_per_set`, so that
a set that breaks a limit keeps its shape:

1. A run as it is written, every joker at its place: kept. `J R5 R6` has R4, `R5 R6 J` has R7, `R12 R13 J` does not
   fit below 13 and is no run as written.
2. A group: by colour, jokers last.
3. Tiles that make a run in another order: real tiles sorted, jokers fill the gaps first, then the upper end up to the
   highest number, then the lower end; 1 is low where that fits, else high (`high_one`).
4. Anything else is no set: real tiles sorted, jokers last.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final, Literal, NamedTuple

from .. import plain
from ..errors import ParseError, quote
from .rules import MAX_COLORS, MAX_NUMBERS, Rules

Tile = str
TileSet = tuple[Tile, ...]
TileKey = tuple[int, int]

JOKER: Final[Tile] = "J"
COLORS: Final = "RBKO"
MIN_SET: Final = 3
MAX_TILES: Final = 5_000  # that one value or text may hold; the largest material has 1208
_JOKER_COLOR: Final = MAX_COLORS  # sorts jokers last

# Colour index and number of every tile that can be written; the joker sorts after every real tile.
TILE_KEYS: Final[Mapping[Tile, TileKey]] = {
    f"{letter}{number}": (color, number) for color, letter in enumerate(COLORS) for number in range(1, MAX_NUMBERS + 1)
} | {JOKER: (_JOKER_COLOR, 0)}
_NAMES: Final[Mapping[Tile, Tile]] = {tile: tile for tile in TILE_KEYS}

_TOKEN: Final = re.compile(r"([A-Za-z])([0-9]*)(?:-([A-Za-z]?)([0-9]+))?", re.ASCII)
# Both bound the memory of the caches: longer sets are legal only where numbers > 20, and are computed each time.
_CACHED_SETS: Final = 1 << 15
_CACHED_LENGTH: Final = 20


class SetRules(NamedTuple):
    """What of a rule set decides about a single set; known: False stands for rules that are not known."""

    colors: int
    numbers: int
    high_one: bool
    jokers_per_set: str
    known: bool = True


# For canonical order where the rules are not known: any number may be the highest, also before a high 1.
_UNKNOWN_RULES: Final = SetRules(MAX_COLORS, MAX_NUMBERS, True, "any", known=False)


class OrderedSet(NamedTuple):
    """A set in canonical order. key: sorts the sets of a table, by the first real tile, then tile by tile."""

    key: bytes
    tiles: TileSet
    legal: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """One legal way to read a set.

    kind: run or group. tiles: the set in canonical order. face: for each tile the tiles that it can stand for: itself,
    or for a joker the one tile of its place in a run, every colour that a group lacks.
    """

    kind: Literal["run", "group"]
    tiles: TileSet
    face: tuple[tuple[Tile, ...], ...]

    @property
    def meanings(self) -> tuple[tuple[Tile, ...], ...]:
        """For each joker, in the order of the set, the tiles that it can stand for."""
        return tuple(face for tile, face in zip(self.tiles, self.face, strict=True) if tile == JOKER)

    @property
    def value(self) -> int:
        """Sum of the numbers, a joker counted as what it stands for."""
        return sum(TILE_KEYS[face[0]][1] for face in self.face)


def tile_key(tile: Tile) -> TileKey:
    """Sort key of a tile: R < B < K < O, then number, joker last."""
    return TILE_KEYS[tile]


def all_tiles(rules: Rules) -> tuple[Tile, ...]:
    """The different real tiles of a rule set, in canonical order; each exists `rules.copies` times."""
    return tuple(f"{letter}{number}" for letter in COLORS[: rules.colors] for number in range(1, rules.numbers + 1))


def in_material(tile: Tile, rules: Rules) -> bool:
    """Whether the rule set has the tile (a joker: whether it has jokers)."""
    color, number = TILE_KEYS[tile]
    return rules.jokers > 0 if tile == JOKER else color < rules.colors and number <= rules.numbers


def most_jokers(size: int, rules: Rules) -> int:
    """How many jokers a set of so many tiles may hold."""
    if rules.jokers_per_set == "one":
        return 1
    return (size - 1) // 2 if rules.jokers_per_set == "minority" else size


def tile_value(tiles: Iterable[Tile]) -> int:
    """Sum of the numbers; jokers count 0."""
    return sum(TILE_KEYS[tile][1] for tile in tiles)


def sort_tiles(tiles: Iterable[Tile]) -> TileSet:
    """The tiles in canonical order."""
    return tuple(sorted(tiles, key=TILE_KEYS.__getitem__))


def read_tile(text: object, field: str) -> Tile:
    """The tile of one name (`r7`, `Y7` and `j` are read too); ParseError naming `field` if it is none."""
    if isinstance(text, str):
        return _NAMES.get(text) or _read_token(text, field, ranges=False)[0]
    raise ParseError(f"{field}: {quote(text)} is not a tile")


def read_tiles(text: str, field: str) -> list[Tile]:
    """The tiles of blank-separated names and ranges (`R6-11`), in their order, none for `-`."""
    tokens = text.split()
    if tokens == ["-"]:
        return []
    tiles: list[Tile] = []
    for token in tokens:
        if token in TILE_KEYS:
            tiles.append(token)
        else:
            tiles += _read_token(token, field, ranges=True)
        if len(tiles) > MAX_TILES:
            raise ParseError(f"{field}: more than {MAX_TILES} tiles")
    return tiles


def _read_token(token: str, field: str, *, ranges: bool) -> list[Tile]:
    if token in ("j", JOKER):
        return [JOKER]
    match = _TOKEN.fullmatch(token)
    if match is None:
        raise ParseError(f"{field}: {quote(token)} is not a tile")
    letter, first = _read_color(match[1], token, field), _read_number(match[2], token, field)
    if match[4] is None:
        return [f"{letter}{first}"]
    if not ranges:
        raise ParseError(f"{field}: {quote(token)} is not a single tile")
    if match[3] and _read_color(match[3], token, field) != letter:
        raise ParseError(f"{field}: the range {quote(token)} has two colours")
    last = _read_number(match[4], token, field)
    if last < first:
        raise ParseError(f"{field}: the range {quote(token)} runs downwards")
    return [f"{letter}{number}" for number in range(first, last + 1)]


def _read_color(letter: str, token: str, field: str) -> str:
    upper = letter.upper()
    upper = "O" if upper == "Y" else upper
    if upper not in COLORS:
        raise ParseError(f"{field}: {quote(token)} has no colour of R B K O")
    return upper


def _read_number(digits: str, token: str, field: str) -> int:
    if not digits or len(digits) > len(str(MAX_NUMBERS)) or digits[0] == "0" or int(digits) > MAX_NUMBERS:
        raise ParseError(f"{field}: {quote(token)} has no number from 1 to {MAX_NUMBERS}")
    return int(digits)


def as_tiles(tiles: object, field: str) -> TileSet:
    """Tiles given as values, checked; ParseError naming `field` if they are not a bounded iterable of tiles."""
    if type(tiles) is tuple:
        given = tiles
    elif isinstance(tiles, (str, bytes)) or not isinstance(tiles, Iterable):
        raise ParseError(f"{field}: must be a sequence of tiles, not {quote(tiles)}")
    else:
        given = tuple(islice(tiles, MAX_TILES + 1))
    if len(given) > MAX_TILES:
        raise ParseError(f"{field}: more than {MAX_TILES} tiles")
    try:
        return tuple(map(_NAMES.__getitem__, given))
    except (KeyError, TypeError):  # not canonical names, or unhashable: read or refuse them one by one
        return tuple(read_tile(tile, field) for tile in given)


def plain_tile(value: object) -> Tile:
    """A tile of plain data; see `plain`."""
    if not isinstance(value, str) or value not in _NAMES:
        raise ParseError(f"must be a tile, not {quote(value)}")
    return _NAMES[value]


def plain_tiles(value: object) -> TileSet:
    """A list of tiles of plain data, in its order; see `plain`."""
    return plain.each(plain_tile)(value)


def set_rules(rules: Rules | None) -> SetRules:
    """What of the rules decides about single sets; without rules, what leaves most sets in their written order."""
    if rules is None:
        return _UNKNOWN_RULES
    return SetRules(rules.colors, rules.numbers, rules.high_one, rules.jokers_per_set)


def canonical_set(tiles: Iterable[Tile], rules: Rules | None = None) -> TileSet:
    """The set in canonical order (see the head of the module). Raises ParseError for what is no tile."""
    return ordered_set(as_tiles(tiles, "set"), set_rules(rules)).tiles


def readings(tiles: Iterable[Tile], rules: Rules) -> tuple[Reading, ...]:
    """Every legal reading of a set under the rules, runs first; empty if the set is not legal.

    The set is read in its canonical order. A set of jokers only has a reading for every run and group of its length.
    How many copies and jokers the rules have is not looked at. Raises ParseError for what is no tile.
    """
    shape = set_rules(rules)
    ordered = ordered_set(as_tiles(tiles, "set"), shape)
    return (*_run_readings(ordered.tiles, shape), *_group_readings(ordered.tiles, shape)) if ordered.legal else ()


def why_illegal(tiles: Sequence[Tile], shape: SetRules) -> str | None:
    """Why the tiles are no legal set, as the end of a sentence; None if they are one."""
    jokers = sum(tile == JOKER for tile in tiles)
    if len(tiles) < MIN_SET:
        return f"has {len(tiles)} tile{'s' * (len(tiles) != 1)}, a set has at least {MIN_SET}"
    if shape.jokers_per_set == "one" and jokers > 1:
        return f"has {jokers} jokers, jokers_per_set=one allows one"
    if shape.jokers_per_set == "minority" and 2 * jokers >= len(tiles):
        return (
            f"has {jokers} jokers and {len(tiles) - jokers} real tiles, jokers_per_set=minority wants more real tiles"
        )
    tiles = _canonical(tuple(tiles), shape)
    known = all(TILE_KEYS[tile][0] < shape.colors for tile in tiles if tile != JOKER)
    if known and (_run_start(tiles, shape) is not None or _is_group(tiles, shape)):
        return None
    return "is neither a run nor a group"


def ordered_set(tiles: TileSet, shape: SetRules) -> OrderedSet:
    """The set in canonical order with its sort key, and whether it is legal; `tiles` are canonical names."""
    return _cached_set(tiles, shape) if len(tiles) <= _CACHED_LENGTH else _ordered_set(tiles, shape)


def _ordered_set(tiles: TileSet, shape: SetRules) -> OrderedSet:
    tiles = _canonical(tiles, shape)
    first = next((tile for tile in tiles if tile != JOKER), JOKER)
    key = bytes(part for tile in (first, *tiles) for part in TILE_KEYS[tile])
    return OrderedSet(key, tiles, why_illegal(tiles, shape) is None)


_cached_set = lru_cache(maxsize=_CACHED_SETS)(_ordered_set)


def _canonical(tiles: TileSet, shape: SetRules) -> TileSet:
    if _run_start(tiles, shape) is not None:
        return tiles
    ordered = sort_tiles(tiles)
    return ordered if _is_group(tiles, shape) else _rearranged_run(ordered, shape) or ordered


def _run_start(tiles: Sequence[Tile], shape: SetRules) -> int | None:
    """The number of the first place if the tiles are consecutive as written, None if they are not.

    A high 1 stands at the place after the highest number. A set of jokers only starts at 1.
    """
    start = color = None
    last = len(tiles) - 1
    for place, tile in enumerate(tiles):
        if tile == JOKER:
            continue
        tile_color, number = TILE_KEYS[tile]
        here = number - place
        if number == 1 and place == last > 0 and shape.high_one:
            # Without rules the highest number is not known: the 1 follows what stands before it.
            here = start if start is not None and not shape.known else shape.numbers + 1 - place
        if (start is not None and here != start) or (color is not None and tile_color != color):
            return None
        start, color = here, tile_color
    if start is None:
        return 1 if len(tiles) <= shape.numbers else None
    if start < 1:
        return None
    high_one = shape.high_one and start > 1  # no run holds a tile twice
    return start if start + last <= shape.numbers + high_one else None


def _is_group(tiles: Sequence[Tile], shape: SetRules) -> bool:
    """Whether the tiles have one number and different colours, and numbers and colours that exist."""
    real = [TILE_KEYS[tile] for tile in tiles if tile != JOKER]
    return (
        len(tiles) <= shape.colors
        and len({number for _, number in real}) <= 1
        and len({color for color, _ in real}) == len(real)
        and all(color < shape.colors and number <= shape.numbers for color, number in real)
    )


def _rearranged_run(ordered: TileSet, shape: SetRules) -> TileSet | None:
    """The tiles (sorted, jokers last) as a run if some order makes them one."""
    real = [tile for tile in ordered if tile != JOKER]
    jokers = len(ordered) - len(real)
    at = {TILE_KEYS[tile][1]: tile for tile in real}
    if not real or len({tile[0] for tile in real}) > 1 or len(at) < len(real) or len(ordered) > shape.numbers:
        return None
    placings = [(at, 1, shape.numbers)]
    if shape.high_one and 1 in at:
        high = {number if number > 1 else shape.numbers + 1: tile for number, tile in at.items()}
        placings.append((high, 2, shape.numbers + 1))
    for placed, lowest, highest in placings:
        first, last = min(placed), max(placed)
        spare = jokers - (last - first + 1 - len(placed))
        if last > highest or spare < 0:
            continue
        upwards = min(spare, highest - last)
        first, last = first - (spare - upwards), last + upwards
        if first >= lowest:
            return tuple(placed.get(number, JOKER) for number in range(first, last + 1))
    return None


def _run_readings(tiles: TileSet, shape: SetRules) -> list[Reading]:
    start = _run_start(tiles, shape)
    if start is None:
        return []
    real = [tile for tile in tiles if tile != JOKER]
    letters = real[0][0] if real else COLORS[: shape.colors]
    starts = [start] if real else list(range(1, shape.numbers + shape.high_one - len(tiles) + 2))
    return [
        Reading(
            "run",
            tiles,
            tuple((f"{letter}{(first + place - 1) % shape.numbers + 1}",) for place in range(len(tiles))),
        )
        for letter in letters
        for first in starts
    ]


def _group_readings(tiles: TileSet, shape: SetRules) -> list[Reading]:
    if not _is_group(tiles, shape):
        return []
    real = [tile for tile in tiles if tile != JOKER]
    present = {tile[0] for tile in real}
    numbers = [TILE_KEYS[real[0]][1]] if real else list(range(1, shape.numbers + 1))
    found = []
    for number in numbers:
        missing = tuple(f"{letter}{number}" for letter in COLORS[: shape.colors] if letter not in present)
        found.append(Reading("group", tiles, tuple(missing if tile == JOKER else (tile,) for tile in tiles)))
    return found
