"""Numbers of winning hands: published figures, and the closure of laying one set after another on small rules."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections import Counter
from math import comb, prod
from pathlib import Path

import pytest

from solver.errors import LimitReached, SolverError, UnsupportedRules
from solver.rummikub import Rules
from solver.rummikub.hands import count_winning_hands

DATA = json.loads((Path(__file__).parents[1] / "data/rummikub/winning_hands.json").read_text(encoding="utf-8"))

FIELD = 4  # bits of a count in a packed hand: tiles colour by colour, then jokers; the highest bit guards the limit


def every_hand(rules: Rules, jokers: int, groups: bool, runs: bool) -> set[int]:
    """All hands with at most so many jokers that are a union of sets, found by adding sets to the empty hand."""
    plain: list[list[int]] = []
    tile = [[color * rules.numbers + number for number in range(rules.numbers)] for color in range(rules.colors)]
    if runs:
        for row in tile:
            plain += [row[low:high] for low, high in itertools.combinations(range(rules.numbers + 1), 2)]
    if groups:
        for number in range(rules.numbers):
            for size in range(3, rules.colors + 1):
                plain += [[row[number] for row in some] for some in itertools.combinations(tile, size)]
    types = rules.colors * rules.numbers
    sets: set[int] = set()
    for tiles in plain:
        for count in range(max(0, len(tiles) - jokers), len(tiles) + 1):
            if len(tiles) >= 3:
                for real in itertools.combinations(tiles, count):
                    sets.add(sum(1 << FIELD * t for t in real) + (len(tiles) - count << FIELD * types))
    top = 1 << FIELD - 1
    guard = sum(top << FIELD * t for t in range(types + 1))
    room = sum(top - 1 - rules.copies << FIELD * t for t in range(types)) + (top - 1 - jokers << FIELD * types)
    found, fresh = {0}, [0]
    while fresh:
        hand = fresh.pop()
        for one in sets:
            more = hand + one
            if more not in found and not (more + room) & guard:
                found.add(more)
                fresh.append(more)
    return found


SMALL = [
    (Rules(colors=3, numbers=4, copies=2, jokers=2), 2),
    (Rules(colors=4, numbers=3, copies=1, jokers=3), 3),
    (Rules(colors=4, numbers=4, copies=1, jokers=2), 2),
    (Rules(colors=2, numbers=6, copies=2, jokers=2), 2),
    (Rules(colors=1, numbers=7, copies=3, jokers=4), 4),
    (Rules(colors=3, numbers=3, copies=3, jokers=1), 1),
]


@pytest.mark.parametrize(("rules", "most_jokers"), SMALL, ids=str)
@pytest.mark.parametrize(
    ("groups", "runs"), [(True, True), (True, False), (False, True)], ids=["all", "groups", "runs"]
)
def test_equal_to_the_closure(rules: Rules, most_jokers: int, groups: bool, runs: bool) -> None:
    hands = every_hand(rules, most_jokers, groups, runs)
    for jokers in range(most_jokers + 1):
        distinct: Counter[int] = Counter()
        physical: Counter[int] = Counter()
        for hand in hands:
            *real, used = (hand >> FIELD * t & 15 for t in range(rules.colors * rules.numbers + 1))
            if used == jokers:
                distinct[sum(real)] += 1
                physical[sum(real)] += prod(comb(rules.copies, count) for count in real)
        counted = count_winning_hands(rules, jokers, groups, runs)
        assert list(counted.distinct) == list(range(rules.colors * rules.numbers * rules.copies + 1))
        assert {size: count for size, count in counted.distinct.items() if count} == distinct
        assert {size: count for size, count in counted.physical.items() if count} == physical


def test_published_figures() -> None:
    one = count_winning_hands(Rules(copies=1))
    two = count_winning_hands(Rules(), max_tiles=11)
    for figures, counted in (
        ("one_copy", one.distinct),
        ("two_copies", two.distinct),
        ("two_copies_physical", two.physical),
        ("with_1_joker", count_winning_hands(Rules(), 1, max_tiles=8).distinct),
        ("with_2_jokers", count_winning_hands(Rules(), 2, max_tiles=7).distinct),
    ):
        assert DATA[figures] == {size: counted[int(size)] for size in DATA[figures]}
    assert one.distinct == one.physical
    assert (two.distinct[0], two.distinct[1]) == (1, 0)


def test_a_smaller_limit_cuts_the_same_numbers() -> None:
    rules = Rules(colors=4, numbers=7, copies=2, jokers=2)
    for jokers in range(3):
        longer = count_winning_hands(rules, jokers, max_tiles=12)
        shorter = count_winning_hands(rules, jokers, max_tiles=7)
        assert shorter.distinct == {size: longer.distinct[size] for size in range(8)}
        assert shorter.physical == {size: longer.physical[size] for size in range(8)}


def test_a_full_deck_is_one_hand() -> None:
    """With all tiles there is one distinct and one physical hand; with all but one, one for each tile and copy."""
    counted = count_winning_hands(Rules(colors=3, numbers=9, copies=2))
    assert (counted.distinct[54], counted.physical[54]) == (1, 1)
    assert counted.physical[53] == 2 * counted.distinct[53] <= 54


def test_neither_groups_nor_runs() -> None:
    assert dict(count_winning_hands(Rules(numbers=3, copies=1), 0, False, False).distinct) == {
        size: int(size == 0) for size in range(13)
    }


def test_what_is_refused() -> None:
    with pytest.raises(UnsupportedRules, match="high_one: yes"):
        count_winning_hands(Rules.preset("american"))
    with pytest.raises(UnsupportedRules, match="jokers_per_set: one"):
        count_winning_hands(Rules(jokers_per_set="one"), 2)
    assert count_winning_hands(Rules(jokers_per_set="one"), 1, max_tiles=2).distinct[2] == 170
    with pytest.raises(SolverError, match="jokers: must be an integer from 0 to 2, not 3"):
        count_winning_hands(Rules(), 3)
    with pytest.raises(SolverError, match="max_tiles: must be an integer from 0, not -1"):
        count_winning_hands(Rules(), max_tiles=-1)
    with pytest.raises(SolverError, match="runs: must be True or False"):
        count_winning_hands(Rules(), runs=1)  # type: ignore[arg-type]
    with pytest.raises(LimitReached, match="memory: 1048576 bytes"):
        count_winning_hands(Rules(), memory=1 << 20)


def test_the_example_prints_the_table() -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "examples/winning_hands.py"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    assert rows[1 + 9] == ["9", "97624", "151728", "54670224"]
    assert rows[-1][0] == "sum"
