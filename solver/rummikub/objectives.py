"""What makes one move better than another: the objectives of the rules file, for search and kernels alike."""

from __future__ import annotations

import operator
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ..errors import SolverError, quote
from .rules import Rules
from .sets import COLORS, JOKER, TILE_KEYS, Tile, read_tile

OBJECTIVES: Final = ("tiles", "value", "penalty", "go_out")
MAX_WEIGHT: Final = 1_000_000
LANES: Final = len(COLORS)


@dataclass(frozen=True, slots=True)
class Objective:
    """One objective, compiled for a rule set.

    name: tiles, value, penalty, go_out or weights. code: what the kernel is asked to maximise. weights: for the
    kernel's code `weights`, by (number - 1) * 4 + colour, the joker last. joker: worth of a laid joker.
    """

    name: str
    code: str
    by_tile: Mapping[Tile, int]
    weights: array[int] | None = None

    @property
    def go_out(self) -> bool:
        """Whether only a move that empties the rack counts."""
        return self.name == "go_out"

    @property
    def joker(self) -> int:
        """Worth of a laid joker; only a caller's own weights can make it negative."""
        return self.by_tile[JOKER]

    def key(self, tiles: Iterable[Tile]) -> tuple[int, int]:
        """The objective's value of laying these tiles, then the second criterion; more is better."""
        laid = tuple(tiles)
        worth = sum(self.by_tile[tile] for tile in laid)
        if self.code == "tiles":
            return worth, sum(TILE_KEYS[tile][1] for tile in laid)
        return worth, len(laid)

    def tile(self, tile: Tile) -> tuple[int, int]:
        """`key` of one tile alone."""
        return self.by_tile[tile], TILE_KEYS[tile][1] if self.code == "tiles" else 1

    def net(self, laid: Iterable[Tile], taken: Iterable[Tile]) -> tuple[int, int]:
        """`key` of laying and taking these tiles: what is taken counts against what is laid."""
        plus, minus = self.key(laid), self.key(taken)
        return plus[0] - minus[0], plus[1] - minus[1]


def objective_for(name: str, weights: Mapping[Tile, int] | None, rules: Rules) -> Objective:
    """The objective of a name, or of a caller's weights (tile -> worth >= 0, "J" for the joker: any sign).

    Tiles without a weight are worth 0. Raises SolverError that names what is wrong.
    """
    if weights is not None:
        return _weighted(weights, rules)
    if not isinstance(name, str) or name not in OBJECTIVES:
        raise SolverError(f"objective: must be one of {', '.join(OBJECTIVES)}, not {quote(name)}")
    numbers = {tile: number for tile, (_, number) in TILE_KEYS.items()}
    if name in ("tiles", "go_out"):
        return Objective(name, "tiles", dict.fromkeys(numbers, 1))
    if name == "value":
        return Objective(name, "value", numbers)
    numbers[JOKER] = rules.joker_penalty
    return Objective(name, "weights", numbers, _packed_weights(numbers, rules))


def _weighted(weights: Mapping[Tile, int], rules: Rules) -> Objective:
    if not isinstance(weights, Mapping):
        raise SolverError(f"weights: must map tiles to whole numbers, not {quote(weights)}")
    by_tile = dict.fromkeys(TILE_KEYS, 0)
    for tile, worth in weights.items():
        known = read_tile(tile, "weights")
        try:
            number = operator.index(worth)
        except TypeError:
            raise SolverError(f"weights: {known} has {quote(worth)}, not a whole number") from None
        lowest = -MAX_WEIGHT if known == JOKER else 0
        if not lowest <= number <= MAX_WEIGHT:
            raise SolverError(f"weights: {known} has {number}, not {lowest} to {MAX_WEIGHT}")
        by_tile[known] = number
    return Objective("weights", "weights", by_tile, _packed_weights(by_tile, rules))


def _packed_weights(by_tile: Mapping[Tile, int], rules: Rules) -> array[int]:
    """Weights by number and lane, the joker's last (a negative one is not the kernel's business).

    With `high_one` the kernel has one more row; what is in it is decided before, so it weighs nothing.
    """
    real = (by_tile[f"{color}{number}"] for number in range(1, rules.numbers + 1) for color in COLORS)
    return array("i", (*real, *[0] * (LANES * rules.high_one), max(by_tile[JOKER], 0)))
