"""The kernel that lists and counts arrangements, against an exhaustive search that shares no code with it."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from solver.errors import IllegalPosition, LimitReached, ParseError, SolverError, UnsupportedRules
from solver.rummikub import Position, Rules
from solver.rummikub.kernel import Arrangements
from tests.rummikub.every_arrangement import (
    COLORS,
    RULES,
    all_sets,
    every_arrangement,
    order,
    random_tables,
    rank,
    tiles_of,
)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_arrangements_are_all_arrangements(rules: Rules) -> None:
    kernel = Arrangements(rules)
    for table in random_tables(rules, 1, 40, 12):
        tiles = tiles_of(table)
        listed = list(kernel.arrangements(tiles))
        expected = [Counter(found) for found in every_arrangement(tiles, rules)]
        assert len(listed) == len(expected) == kernel.count_arrangements(tiles)
        assert {frozenset(Counter(found).items()) for found in listed} == {
            frozenset(found.items()) for found in expected
        }
        keys = [sorted((sorted(map(rank, tiles)), list(map(rank, tiles))) for tiles in found) for found in listed]
        assert keys == sorted(keys)
        assert order(kernel.arrange(tiles) or ()) == min(map(order, listed))


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_arrangements_of_tiles_without_order(rules: Rules) -> None:
    rng = random.Random(2)
    kernel = Arrangements(rules)
    every = sorted({tile for tiles in all_sets(rules) for tile in tiles} - {"J"}) * rules.copies + ["J"] * rules.jokers
    for _ in range(100):
        tiles = rng.sample(every, min(len(every), rng.randrange(12)))
        count = sum(1 for _ in every_arrangement(tiles, rules))
        assert kernel.count_arrangements(tiles) == count
        assert (kernel.arrange(tiles) is None) == (count == 0)


def test_tables_are_canonical() -> None:
    rules = RULES[2]
    kernel = Arrangements(rules)
    for table in random_tables(rules, 13, 50, 14):
        for found in itertools.islice(kernel.arrangements(tiles_of(table)), 20):
            assert Position(found, (), rules=rules).table == found


def test_a_whole_deck_is_arranged_at_once() -> None:
    rules = Rules.preset("retail")
    kernel = Arrangements(rules)
    tiles = [f"{color}{number}" for color in COLORS for number in range(1, 14)] * 2 + ["J", "J"]
    first = kernel.arrange(tiles)
    assert first is not None
    assert Counter(tiles_of(first)) == Counter(tiles)


def test_what_does_not_fit_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedRules, match=r"numbers: 17 in 4 colors"):
        Arrangements(Rules(numbers=17))
    Arrangements(Rules(numbers=16))
    Arrangements(Rules(colors=1, numbers=64))
    with pytest.raises(UnsupportedRules, match=r"copies: 3"):
        Arrangements(Rules(numbers=16, copies=3, jokers=8))


def test_bad_input_is_named() -> None:
    kernel = Arrangements(Rules.preset("free"))
    with pytest.raises(ParseError, match="tiles: 'X7' is not a tile"):
        kernel.count_arrangements(["X7"])
    with pytest.raises(ParseError, match="tiles: 'R14' is not a tile"):
        kernel.arrangements(["R14"])
    with pytest.raises(IllegalPosition, match="tiles: more than 2 of R7"):
        kernel.arrange(["R7"] * 3)
    with pytest.raises(IllegalPosition, match="tiles: more than 2 of J"):
        kernel.arrange(["J"] * 3)
    with pytest.raises(SolverError, match="memory"):
        Arrangements(Rules(), memory=1)
    with pytest.raises(SolverError, match="nodes"):
        Arrangements(Rules(), nodes=0)
    with pytest.raises(LimitReached, match="nodes: more than 10"):
        Arrangements(Rules.preset("free"), nodes=10).count_arrangements(["R7", "B7", "K7"])


def test_known_counts() -> None:
    kernel = Arrangements(Rules.preset("free"))
    assert list(kernel.arrangements(())) == [()]
    assert kernel.count_arrangements(["R5", "J", "J"]) == 3
    groups = ("R7", "B7", "K7", "O7")
    assert kernel.count_arrangements([*groups, *groups, "J"]) > 0
    assert kernel.count_arrangements([*groups, "J"]) == 0
