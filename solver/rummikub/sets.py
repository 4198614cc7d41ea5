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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from types import MappingProxyType
from typing import Final, Literal

from ..errors import ParseError, quote
from .rules import MAX_COLORS, MAX_NUMBERS, Rules

Tile = str
TileSet = tuple[Tile, ...]

JOKER: Final[Tile] = "J"
COLORS: Final = "RBKO"
MIN_SET: Final = 3
MAX_TILES: Final = 5_000  # that one text may hold; the largest material has 1208
_NO_COLOR: Final = MAX_COLORS  # sorts jokers last

# name -> (colour index, number); the joker sorts after every real tile.
TILE_KEYS: Final = MappingProxyType(
    {
        f"{letter}{number}": (color, number)
        for color, letter in enumerate(COLORS)
        for number in range(1, MAX_NUMBERS + 1)
    }
    | {JOKER: (_NO_COLOR, 0)}
)
TileKey = tuple[int, int]

_TOKEN: Final = re.compile(r"([A-Za-z])([0-9]*)(?:-([A-Za-z]?)([0-9]+))?", re.ASCII)
_CACHED_SETS: Final = 1 << 15


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


def tile_value(tiles: Iterable[Tile]) -> int:
    """Sum of the numbers; jokers count 0."""
    return sum(TILE_KEYS[tile][1] for tile in tiles)


def sort_tiles(tiles: Iterable[Tile]) -> TileSet:
    """The tiles in canonical order."""
    return tuple(sorted(tiles, key=TILE_KEYS.__getitem__))


def read_tile(text: object, field: str) -> Tile:
    """The tile of one name (`r7`, `Y7` and `j` are read too); ParseError naming `field` if it is none."""
    if isinstance(text, str):
        if text in TILE_KEYS:
            return str(text)
        tiles = _read_token(text, field, ranges=False)
        return tiles[0]
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
    """Tiles given as values, checked; ParseError naming `field` if they are not a bounded sequence of tiles."""
    if isinstance(tiles, (str, bytes)) or not isinstance(tiles, Iterable):
        raise ParseError(f"{field}: must be a sequence of tiles, not {quote(tiles)}")
    given = tuple(islice(tiles, MAX_TILES + 1))
    if len(given) > MAX_TILES:
        raise ParseError(f"{field}: more than {MAX_TILES} tiles")
    try:
        if all(tile in TILE_KEYS for tile in given):
            return given
    except TypeError:  # an unhashable value; named below
        pass
    return tuple(read_tile(tile, field) for tile in given)


def canonical_set(tiles: Sequence[Tile], rules: Rules | None = None) -> TileSet:
    """The set in canonical order (see the head of the module); without rules any number may be the highest."""
    return ordered_set(tuple(tiles), rules)[1]


def ordered_set(tiles: TileSet, rules: Rules | None) -> tuple[tuple[TileKey, ...], TileSet]:
    """(Sort key among the sets of a table, the set in canonical order).

    Sets are sorted by their first real tile, then tile by tile.
    """
    if rules is None:
        return _ordered_set(tiles, MAX_COLORS, MAX_NUMBERS, None)
    return _ordered_set(tiles, rules.colors, rules.numbers, rules.high_one)


@lru_cache(maxsize=_CACHED_SETS)
def _ordered_set(
    tiles: TileSet, colors: int, numbers: int, high_one: bool | None
) -> tuple[tuple[TileKey, ...], TileSet]:
    tiles = _canonical(tiles, colors, numbers, high_one)
    keys = tuple(TILE_KEYS[tile] for tile in tiles)
    return (min(keys, key=lambda key: key[0] == _NO_COLOR), *keys) if keys else (), tiles


def _canonical(tiles: TileSet, colors: int, numbers: int, high_one: bool | None) -> TileSet:
    if _run_start(tiles, numbers, high_one) is not None:
        return tiles
    ordered = sort_tiles(tiles)
    if _is_group(tiles, colors):
        return ordered
    return _rearranged_run(ordered, numbers, bool(high_one)) or ordered


def _run_start(tiles: Sequence[Tile], numbers: int, high_one: bool | None) -> int | None:
    """The number at the first place if the tiles are consecutive as written, None if they are not.

    high_one None: a 1 may follow any number. A set of jokers only starts at 1. The place after the highest number is
    that of the high 1.
    """
    start = color = None
    last = len(tiles) - 1
    for place, tile in enumerate(tiles):
        if tile == JOKER:
            continue
        tile_color, number = TILE_KEYS[tile]
        here = number - place
        if number == 1 and place == last > 0 and high_one is not False:
            here = start if high_one is None and start is not None else numbers + 1 - place
        if (start is not None and here != start) or (color is not None and tile_color != color):
            return None
        start, color = here, tile_color
    if start is None:
        return 1 if len(tiles) <= numbers else None
    end = start + last
    if start < 1 or not (end <= numbers or (high_one is not False and end == numbers + 1 and start > 1)):
        return None
    return start


def _is_group(tiles: Sequence[Tile], colors: int) -> bool:
    real = [TILE_KEYS[tile] for tile in tiles if tile != JOKER]
    return (
        len(tiles) <= colors
        and len({number for _, number in real}) <= 1
        and len({color for color, _ in real}) == len(real)
    )


def _rearranged_run(ordered: TileSet, numbers: int, high_one: bool) -> TileSet | None:
    """The tiles (sorted, jokers last) as a run if some order makes them one."""
    real = [tile for tile in ordered if tile != JOKER]
    jokers = len(ordered) - len(real)
    if not real or len({TILE_KEYS[tile][0] for tile in real}) > 1:
        return None
    at = {TILE_KEYS[tile][1]: tile for tile in real}
    if len(at) < len(real) or len(ordered) > numbers:
        return None
    placings = [(at, 1, numbers)]
    if high_one and 1 in at:
        placings.append(({number if number > 1 else numbers + 1: tile for number, tile in at.items()}, 2, numbers + 1))
    for placed, lowest, highest in placings:
        low, high = min(placed), max(placed)
        spare = jokers - (high - low + 1 - len(placed))
        if high > highest or spare < 0:
            continue
        upwards = min(spare, highest - high)
        low, high = low - (spare - upwards), high + upwards
        if low >= lowest:
            return tuple(placed.get(number, JOKER) for number in range(low, high + 1))
    return None


def readings(tiles: Sequence[Tile], rules: Rules) -> tuple[Reading, ...]:
    """Every legal reading of a set under the rules, runs first; empty if the set is not legal.

    The set is read in its canonical order. A set of jokers only has a reading for every run and group of its length.
    """
    return _readings(canonical_set(tiles, rules), rules)


def why_illegal(tiles: Sequence[Tile], rules: Rules) -> str | None:
    """Why the tiles are no legal set under the rules, as the end of a sentence; None if they are one."""
    if _readings(canonical_set(tiles, rules), rules):
        return None
    jokers = sum(tile == JOKER for tile in tiles)
    if len(tiles) < MIN_SET:
        return f"has {len(tiles)} tile{'s' * (len(tiles) != 1)}, a set has at least {MIN_SET}"
    if rules.jokers_per_set == "one" and jokers > 1:
        return f"has {jokers} jokers, jokers_per_set=one allows one"
    if rules.jokers_per_set == "minority" and 2 * jokers >= len(tiles):
        return (
            f"has {jokers} jokers and {len(tiles) - jokers} real tiles, jokers_per_set=minority wants more real tiles"
        )
    return "is neither a run nor a group"


@lru_cache(maxsize=_CACHED_SETS)
def _readings(tiles: TileSet, rules: Rules) -> tuple[Reading, ...]:
    jokers = sum(tile == JOKER for tile in tiles)
    if len(tiles) < MIN_SET or not all(in_material(tile, rules) for tile in tiles):
        return ()
    if rules.jokers_per_set == "one" and jokers > 1:
        return ()
    if rules.jokers_per_set == "minority" and 2 * jokers >= len(tiles):
        return ()
    return (*_run_readings(tiles, rules), *_group_readings(tiles, rules))


def _run_readings(tiles: TileSet, rules: Rules) -> list[Reading]:
    start = _run_start(tiles, rules.numbers, rules.high_one)
    if start is None:
        return []
    real = [tile for tile in tiles if tile != JOKER]
    letters, starts = COLORS[: rules.colors], [start]
    if real:
        letters = real[0][0]
    else:
        highest = rules.numbers + 1 if rules.high_one else rules.numbers
        starts = list(range(1, highest - len(tiles) + 2))
    return [
        Reading(
            "run",
            tiles,
            tuple((f"{letter}{(first + place - 1) % rules.numbers + 1}",) for place in range(len(tiles))),
        )
        for letter in letters
        for first in starts
    ]


def _group_readings(tiles: TileSet, rules: Rules) -> list[Reading]:
    if not _is_group(tiles, rules.colors):
        return []
    real = [tile for tile in tiles if tile != JOKER]
    present = {tile[0] for tile in real}
    numbers = [TILE_KEYS[real[0]][1]] if real else list(range(1, rules.numbers + 1))
    found = []
    for number in numbers:
        missing = tuple(f"{letter}{number}" for letter in COLORS[: rules.colors] if letter not in present)
        found.append(Reading("group", tiles, tuple(missing if tile == JOKER else (tile,) for tile in tiles)))
    return found
