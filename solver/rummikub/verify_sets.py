"""Single sets as `verify` reads them, written from the rules alone.

Inside the verification a real tile is an integer, colour * numbers + number - 1 with colours 0..3 for R B K O; the
joker is JOKER. A meaning (what a tile of a set can stand for) is a bit mask over these integers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from .rules import Rules

JOKER: Final = -1
MIN_SET: Final = 3
_LETTERS: Final = "RBKO"


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a set.

    group: whether it is read as group, else as run. meanings: one mask for each place of the set. value: sum of the
    numbers with every joker counted as what it stands for.
    """

    group: bool
    meanings: tuple[int, ...]
    value: int


@lru_cache(maxsize=64)
def tile_numbers(colors: int, numbers: int, jokers: int) -> Mapping[str, int]:
    """The integer of every tile name of a rule set's material; the joker is in it if there are jokers."""
    known = {
        f"{_LETTERS[color]}{number + 1}": color * numbers + number
        for color in range(colors)
        for number in range(numbers)
    }
    if jokers:
        known["J"] = JOKER
    return MappingProxyType(known)


def number_of(tile: int, rules: Rules) -> int:
    """The number on a tile, 0 for the joker."""
    return 0 if tile == JOKER else tile % rules.numbers + 1


def read_set(tiles: Sequence[int], rules: Rules) -> tuple[Reading, ...]:
    """Every legal reading of a set; empty if it is no legal set.

    In a run each joker stands at its place, in a group the order says nothing. Tiles that are neither a run as they
    are written nor a group are read as the runs that another order makes of them. A set of jokers only has a reading
    for every run and group of its size.
    """
    size = len(tiles)
    real = [tile for tile in tiles if tile != JOKER]
    jokers = size - len(real)
    if size < MIN_SET or not _jokers_allowed(len(real), jokers, rules):
        return ()
    if not real:
        return (
            *(_run(color, first, size, rules) for color in range(rules.colors) for first in _run_starts(size, rules)),
            *(_group(range(0), number, size, rules) for number in range(1, rules.numbers + 1) if size <= rules.colors),
        )
    colors = [tile // rules.numbers for tile in real]
    numbers = {tile % rules.numbers for tile in real}
    found: list[Reading] = []
    one_color = len(set(colors)) == 1
    if one_color:
        first = _first_as_written(tiles, rules)
        found = [] if first is None else [_run(colors[0], first, size, rules)]
    if len(numbers) == 1 and len(set(colors)) == len(real) and size <= rules.colors:
        found.append(_group(colors, numbers.pop() + 1, size, rules, tiles))
    elif one_color and not found and len(numbers) == len(real):
        found = [
            _run(colors[0], first, size, rules)
            for first in _run_starts(size, rules)
            if numbers <= {(first + place - 1) % rules.numbers for place in range(size)}
        ]
        found = [_in_order_of(tiles, reading) for reading in found]
    return tuple(found)


def _jokers_allowed(real: int, jokers: int, rules: Rules) -> bool:
    if rules.jokers_per_set == "one":
        return jokers <= 1
    if rules.jokers_per_set == "minority":
        return real > jokers
    return True


def _run_starts(size: int, rules: Rules) -> range:
    """The first numbers of runs of a size. With `high_one` a 1 may follow the highest number; no tile comes twice."""
    if size > rules.numbers:
        return range(0)
    return range(1, rules.numbers - size + (3 if rules.high_one and size < rules.numbers + 1 else 2))


def _first_as_written(tiles: Sequence[int], rules: Rules) -> int | None:
    """The first number if the tiles, one at least real and all of one colour, are a run in the order as written."""
    first: int | None = None
    for place, tile in enumerate(tiles):
        if tile == JOKER:
            continue
        number = tile % rules.numbers + 1
        if number == 1 and place and rules.high_one:
            number += rules.numbers
        if first is None:
            first = number - place
        elif first != number - place:
            return None
    return first if first in _run_starts(len(tiles), rules) else None


def _run(color: int, first: int, size: int, rules: Rules) -> Reading:
    places = [(first + place - 1) % rules.numbers for place in range(size)]
    return Reading(False, tuple(1 << (color * rules.numbers + place) for place in places), sum(places) + size)


def _group(colors: Sequence[int], number: int, size: int, rules: Rules, tiles: Sequence[int] = ()) -> Reading:
    lacking = sum(1 << (color * rules.numbers + number - 1) for color in range(rules.colors) if color not in colors)
    meanings = tuple(lacking if tile == JOKER else 1 << tile for tile in tiles or (JOKER,) * size)
    return Reading(True, meanings, number * size)


def _in_order_of(tiles: Sequence[int], run: Reading) -> Reading:
    """The run's meanings dealt to the tiles in their order: real tiles their own, jokers what is left, upwards."""
    own = {1 << tile for tile in tiles if tile != JOKER}
    left = iter([meaning for meaning in run.meanings if meaning not in own])
    return Reading(False, tuple(next(left) if tile == JOKER else 1 << tile for tile in tiles), run.value)
