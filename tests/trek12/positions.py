"""Random positions for the tests: games of random legal moves, played by the reference."""

from __future__ import annotations

import random
from collections.abc import Iterator

from solver.trek12 import Position, Rules
from solver.trek12 import reference as naive

SHEETS = ("dunai", "kagkot", "dhaulagiri")
OWN = "graph:8:0-1,0-2,0-3,0-4,1-2,2-3,3-4,4-5,5-6,5-7,6-7:2,6:20"


def random_roll(rng: random.Random) -> tuple[int, int]:
    return rng.randrange(6), rng.randint(1, 6)


def random_game(rng: random.Random, sheet: str, rules: Rules) -> Iterator[Position]:
    """Every position with a roll of a random game, and the last without one."""
    position = Position.start(sheet, rules)
    while not position.over:
        position = position.with_roll(random_roll(rng))
        yield position
        position = rng.choice(list(naive.successors(position)))[1]
    yield position


def random_position(rng: random.Random, sheet: str, rules: Rules, empties: int) -> Position:
    """A position without a roll and with so many empty circles."""
    for position in random_game(rng, sheet, rules):
        if position.empties == empties:
            return position.with_roll(None)
    raise AssertionError("the sheet has fewer circles")
