"""Arrangements of bags and repair, through the public functions."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from solver.errors import IllegalPosition, ParseError, SolverError, UnsupportedRules
from solver.rummikub import Position, Repair, Rules, arrangements, count_arrangements, repair
from solver.rummikub.kernel import Arrangements
from solver.rummikub.ways import count_ways
from tests.rummikub.every_arrangement import RULES, all_sets, every_arrangement, random_tables, rank, tiles_of

SEARCHED = [rules for rules in RULES if not (rules.high_one and rules.numbers < 5)]


@pytest.mark.parametrize("rules", SEARCHED, ids=str)
def test_repair_takes_the_fewest_and_first_tiles(rules: Rules) -> None:
    rng = random.Random(12)
    every = sorted({tile for tiles in all_sets(rules) for tile in tiles} - {"J"}) * rules.copies + ["J"] * rules.jokers
    for _ in range(25):
        tiles = sorted(rng.sample(every, min(len(every), rng.randrange(8))), key=rank)
        removed = next(
            out
            for count in range(len(tiles) + 1)
            for out in sorted(set(itertools.combinations(tiles, count)), key=lambda out: list(map(rank, out)))
            if next(every_arrangement(list((Counter(tiles) - Counter(out)).elements()), rules), None) is not None
        )
        found = repair(tiles, rules)
        assert found.removed == removed
        assert found.complete == (not removed)
        assert Counter(tiles_of(found.table)) + Counter(removed) == Counter(tiles)
        assert not Position(found.table, (), True, rules).problems()


@pytest.mark.parametrize("rules", [rules for rules in RULES if not rules.high_one], ids=str)
def test_counts_by_sweeping_numbers(rules: Rules) -> None:
    kernel = Arrangements(rules)
    for table in random_tables(rules, 15, 60, 14):
        tiles = tiles_of(table)
        assert count_ways(Counter(tiles), rules) == kernel.count_arrangements(tiles)


def test_a_full_table_is_counted() -> None:
    """Two decks without jokers: nobody lists these one by one."""
    deck = [f"{color}{number}" for color in "RBKO" for number in range(1, 14)] * 2
    assert count_arrangements(deck) == 211_460_957_645_101


def test_known_repairs() -> None:
    assert repair("R5 R6 R7") == Repair((("R5", "R6", "R7"),), ())
    assert repair("R7 B7 K7 O7 J", Rules.preset("free")).removed == ("R7",)
    assert repair("R1 B5", Rules()) == Repair((), ("R1", "B5"))
    assert repair("") == Repair((), ())
    assert repair("R5 R6 R7").to_dict() == {"table": [["R5", "R6", "R7"]], "removed": []}


def test_a_dense_bag_with_jokers_is_repaired() -> None:
    """A whole deck, both jokers, less some tiles of one colour."""
    tiles = [f"{color}{number}" for color in "RBKO" for number in range(1, 14)] * 2 + ["J", "J"]
    for tile in ("O2", "O5", "O8", "O11"):
        tiles.remove(tile)
    found = repair(tiles)
    assert Counter(tiles_of(found.table)) + Counter(found.removed) == Counter(tiles)


def test_a_deck_larger_than_the_counters_is_repaired_and_counted_but_not_listed() -> None:
    rules = Rules(numbers=20)
    assert repair("R18 R19 R20 B20", rules).removed == ("B20",)
    assert count_arrangements("R16-20 B20 K20 O20", rules) == 2
    with pytest.raises(UnsupportedRules, match="numbers: 20"):
        arrangements("R18 R19 R20", rules)
    with pytest.raises(UnsupportedRules, match="numbers: 20"):
        count_arrangements("R18 R19 R20", Rules(numbers=20, high_one=True))


def test_forms_of_tiles() -> None:
    rules = Rules.preset("free")
    expected = list(arrangements("R5-8 R8 B8 K8 J", rules))
    assert len(expected) == count_arrangements("R5 R6 R7 R8, R8 B8 K8 J", rules) > 1
    for tiles in (
        ["R5", "R6", "R7", "R8", "R8", "B8", "K8", "J"],
        iter(["R5", "R6", "R7", "R8", "R8", "B8", "K8", "J"]),
        [("R5", "R6", "R7", "R8"), ("R8", "B8", "K8", "J")],
    ):
        assert list(arrangements(tiles, rules)) == expected


def test_bad_input_is_named() -> None:
    with pytest.raises(ParseError, match="tiles: 'X7'"):
        arrangements("X7")
    with pytest.raises(ParseError, match="tiles: must be text"):
        count_arrangements(7)  # type: ignore[arg-type]
    with pytest.raises(ParseError, match="tiles: more than"):
        repair(itertools.repeat("R7"))
    with pytest.raises(IllegalPosition, match="R7"):
        repair(["R7"] * 3)
    with pytest.raises(SolverError, match="rules: must be Rules"):
        repair("R7", "free")  # type: ignore[arg-type]
