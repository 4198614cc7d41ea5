"""Random legal Rummikub positions in strata, the same on every machine.

A position is text in the notation of `solver.rummikub.Position`, with an opened player and the rules `free`, as public
solvers understand the game. The table is filled with random sets (as many runs as groups are proposed, short runs
more often than long ones), jokers take the place of random table tiles or lie in the rack, and the rack is dealt
from the rest of the bag. The proportions follow the ladder of instances with known answers in `tests/data/rummikub`.

Only `random.Random(text).random()` is used, whose numbers Python promises to keep the same for a seed.

    python -m benchmarks.rummikub.generate --stratum large --count 10 --seed 1
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

T = TypeVar("T")
Tile = tuple[int, int]  # colour (index of COLORS), number

COLORS = "RBKO"
SHORTEST = 3  # tiles in the smallest set
# How often a proposed set has this length.
RUN_LENGTHS = {3: 5, 4: 3, 5: 2, 6: 2, 7: 1}
GROUP_SIZES = {3: 2, 4: 1}
PROPOSALS = 400  # sets proposed before a crowded table is thrown away and begun anew


@dataclass(frozen=True, slots=True)
class Deck:
    """What the bag holds. The defaults are the retail box."""

    colors: int = 4
    numbers: int = 13
    copies: int = 2
    jokers: int = 2

    @property
    def rules(self) -> str:
        """The rules text of a position with this bag."""
        fields = (
            f"+{name}={value}"
            for name, value, usual in (
                ("colors", self.colors, 4),
                ("numbers", self.numbers, 13),
                ("copies", self.copies, 2),
                ("jokers", self.jokers, 2),
            )
            if value != usual
        )
        return "free" + "".join(fields)


RETAIL = Deck()


@dataclass(frozen=True, slots=True)
class Stratum:
    """Least and most tiles on the table and in the rack, jokers included."""

    table: tuple[int, int]
    rack: tuple[int, int]


# The strata that are measured, and further ones that only correctness is tested on.
STRATA: Mapping[str, Stratum] = MappingProxyType(
    {
        "small": Stratum(table=(3, 21), rack=(14, 14)),
        "medium": Stratum(table=(37, 45), rack=(14, 14)),
        "large": Stratum(table=(76, 84), rack=(14, 20)),
        "stress": Stratum(table=(21, 41), rack=(30, 52)),
    }
)
EXTRA: Mapping[str, Stratum] = MappingProxyType(
    {
        "bare": Stratum(table=(0, 0), rack=(1, 104)),
        "few": Stratum(table=(9, 75), rack=(1, 6)),
        "tiny": Stratum(table=(3, 7), rack=(2, 7)),
    }
)


class Draws:
    """Random choices made of `random()` alone."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed).random

    def below(self, bound: int) -> int:
        """An integer of 0..bound-1."""
        return int(self._random() * bound)

    def between(self, low: int, high: int) -> int:
        """An integer of low..high, both possible."""
        return low + self.below(high - low + 1)

    def weighted(self, weights: Mapping[int, int]) -> int:
        """A key, each as often as its weight says."""
        rest = self.below(sum(weights.values()))
        for key, weight in weights.items():
            rest -= weight
            if rest < 0:
                return key
        raise AssertionError("unreachable: the weights add up to their sum")

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in random order (Fisher and Yates)."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result


def positions(stratum: str, count: int, seed: object, deck: Deck = RETAIL) -> Iterator[str]:
    """`count` positions of a stratum. Each depends on stratum, seed and its own index only.

    Jokers go 0, 1, 2, .. up to those of the deck and begin again, so that every number of them is met equally often.
    Raises KeyError for an unknown stratum.
    """
    limits = {**STRATA, **EXTRA}[stratum]
    for index in range(count):
        draws = Draws(f"rummikub/{deck.rules}/{stratum}/{seed}/{index}")
        yield _position(draws, limits, deck, jokers=index % (deck.jokers + 1))


def _position(draws: Draws, limits: Stratum, deck: Deck, jokers: int) -> str:
    """One position within the limits that uses exactly so many jokers, table and rack together."""
    table, bag = _table(draws, limits.table, deck)
    rack_size = min(draws.between(*limits.rack), sum(bag.values()) + jokers)
    on_table = sum(draws.below(2) for _ in range(jokers)) if table else 0
    # A rack too small for its jokers leaves some of them in the bag.
    in_rack = min(jokers - on_table, rack_size)
    sets = [list[Tile | None](tiles) for tiles in table]
    _place_jokers(draws, sets, on_table, bag)
    stock = draws.shuffled([tile for tile, left in bag.items() for _ in range(left)])
    rack = sorted(stock[: rack_size - in_rack])
    table_text = ", ".join(_set_text(tiles) for tiles in sets) or "-"
    rack_text = " ".join([_tile_text(tile) for tile in rack] + ["J"] * in_rack) or "-"
    return f"{table_text} | {rack_text} | rules={deck.rules}"


def _table(draws: Draws, size: tuple[int, int], deck: Deck) -> tuple[list[list[Tile]], dict[Tile, int]]:
    """Random sets of `size` tiles in all, without jokers, and what they leave in the bag."""
    low, high = size
    target = draws.between(low, high)
    while True:
        bag = {(color, number): deck.copies for color in range(deck.colors) for number in range(1, deck.numbers + 1)}
        table: list[list[Tile]] = []
        total = 0
        for _ in range(PROPOSALS):
            if total >= target or (total >= low and total + SHORTEST > high):
                return table, bag
            proposed = _run(draws, deck) if draws.below(2) else _group(draws, deck)
            if total + len(proposed) <= high and all(bag[tile] for tile in proposed):
                for tile in proposed:
                    bag[tile] -= 1
                table.append(proposed)
                total += len(proposed)


def _run(draws: Draws, deck: Deck) -> list[Tile]:
    length = min(draws.weighted(RUN_LENGTHS), deck.numbers)
    color = draws.below(deck.colors)
    first = draws.between(1, deck.numbers - length + 1)
    return [(color, number) for number in range(first, first + length)]


def _group(draws: Draws, deck: Deck) -> list[Tile]:
    if deck.colors < SHORTEST:
        return _run(draws, deck)
    size = min(draws.weighted(GROUP_SIZES), deck.colors)
    number = draws.between(1, deck.numbers)
    colors = sorted(draws.shuffled(range(deck.colors))[:size])
    return [(color, number) for color in colors]


def _place_jokers(draws: Draws, sets: list[list[Tile | None]], jokers: int, bag: dict[Tile, int]) -> None:
    """Put jokers (None) in the place of table tiles, which go back to the bag; every set keeps a real tile."""
    for _ in range(jokers):
        places = [
            (which, place)
            for which, tiles in enumerate(sets)
            for place, tile in enumerate(tiles)
            if tile is not None and sum(other is not None for other in tiles) > 1
        ]
        which, place = places[draws.below(len(places))]
        tile = sets[which][place]
        assert tile is not None
        bag[tile] += 1
        sets[which][place] = None


def _set_text(tiles: Sequence[Tile | None]) -> str:
    """A set as text: in a run a joker stands at its place, in a group last."""
    real = [tile for tile in tiles if tile is not None]
    if len({number for _, number in real}) == 1 and len(real) > 1:
        return " ".join([_tile_text(tile) for tile in real] + ["J"] * (len(tiles) - len(real)))
    return " ".join("J" if tile is None else _tile_text(tile) for tile in tiles)


def _tile_text(tile: Tile) -> str:
    color, number = tile
    return f"{COLORS[color]}{number}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print positions, one a line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rummikub.generate", description=__doc__)
    parser.add_argument("--stratum", choices=[*STRATA, *EXTRA], required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args(arguments)
    for text in positions(options.stratum, options.count, options.seed):
        print(text)


if __name__ == "__main__":
    main()
