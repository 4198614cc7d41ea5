"""The kernel of the least changed table, against an exhaustive search that shares no code with it."""

from __future__ import annotations

import random
import threading
from collections import Counter

import pytest

from solver.errors import IllegalPosition, ParseError, UnsupportedRules
from solver.rummikub import Rules
from solver.rummikub.change import kept_sets, moved_tiles
from solver.rummikub.kernel import Arrangements, LeastChange
from solver.rummikub.position import Move, Position
from solver.rummikub.search import CHANGE_NODES, Solver
from tests.rummikub import random_positions
from tests.rummikub.every_arrangement import (
    RULES,
    Table,
    all_sets,
    every_arrangement,
    expected_change,
    order,
    random_tables,
    tiles_of,
)

PATIENCES = (160, 0)  # 0: the search is divided at once, which it is on small tables never otherwise


@pytest.mark.parametrize("patience", PATIENCES)
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_least_change_is_the_least(rules: Rules, patience: int) -> None:
    """From a table to its own tiles, to those of another table (tiles are new or gone), and back from a mixture."""
    rng = random.Random(3)
    kernel = LeastChange(rules, patience=patience)
    largest = 9 if rules.jokers > 2 else 12
    for before, other in zip(random_tables(rules, 4, 60, largest), random_tables(rules, 5, 60, largest), strict=True):
        mixed = rng.choice(list(every_arrangement(tiles_of(before), rules)))
        for start, tiles in ((before, tiles_of(before)), (before, tiles_of(other)), (mixed, tiles_of(before))):
            expected = expected_change(start, tiles, rules)
            change = kernel.least_change(start, tiles)
            assert change is not None
            assert (change.kept, change.moved, order(change.table)) == expected


@pytest.mark.parametrize("patience", PATIENCES)
@pytest.mark.parametrize("rules", RULES[:3], ids=str)
def test_least_change_after_laying_tiles(rules: Rules, patience: int) -> None:
    """The table plus a few tiles, where an arrangement exists."""
    rng = random.Random(6)
    kernel = LeastChange(rules, patience=patience)
    every = sorted({tile for tiles in all_sets(rules) for tile in tiles} - {"J"}) * rules.copies + ["J"] * rules.jokers
    met = 0
    for before in random_tables(rules, 7, 300 if rules.jokers == 0 else 150, 12):
        left = list((Counter(every) - Counter(tiles_of(before))).elements())
        tiles = tiles_of(before) + rng.sample(left, min(len(left), rng.randrange(1, 4)))
        change = kernel.least_change(before, tiles)
        expected = expected_change(before, tiles, rules)
        assert (None if change is None else (change.kept, change.moved, order(change.table))) == expected
        met += change is not None
    assert met > 10


@pytest.mark.parametrize("patience", PATIENCES)
@pytest.mark.parametrize("rules", [RULES[0], RULES[5]], ids=str)
def test_conditions_of_the_caller(rules: Rules, patience: int) -> None:
    """`accept` sees canonical tables and may refuse any of them; refusing all of them is no answer."""
    rng = random.Random(8)
    kernel = LeastChange(rules, patience=patience)
    for before in random_tables(rules, 9, 60, 12):
        tiles = tiles_of(before)
        refused = {found for found in every_arrangement(tiles, rules) if rng.random() < 0.6}
        keys = {frozenset(Counter(found).items()) for found in refused}

        def accept(table: Table, keys: set[frozenset[tuple[tuple[str, ...], int]]] = keys) -> bool:
            return frozenset(Counter(table).items()) not in keys

        change = kernel.least_change(before, tiles, accept=accept)
        expected = expected_change(before, tiles, rules, accept)
        assert (None if change is None else (change.kept, change.moved, order(change.table))) == expected
        assert kernel.least_change(before, tiles, accept=lambda _: False) is None


def test_known_cases() -> None:
    kernel = LeastChange(Rules.preset("free"))
    change = kernel.least_change((("R4", "R5", "R6", "R7", "R8"),), ["R4", "R5", "R6", "R6", "R7", "R8"])
    assert change == ((("R4", "R5", "R6"), ("R6", "R7", "R8")), 0, 2)
    assert kernel.least_change((), ()) == ((), 0, 0)


@pytest.mark.parametrize(
    ("table", "laid", "kept", "moved"),
    [
        (
            "R2 B2 K2 O2, R2 B2 O2, R3 B3 O3, R4 B4 K4, R4 B4 O4 J, R5 R6 R7, R5 B5 K5 O5, R6 B6 K6 O6, R7 B7 K7, "
            "R8 B8 O8, R9 B9 K9, R9 B9 O9, R10 B10 O10, R11 B11 K11 O11, R12 B12 K12 O12, R13 B13 K13 O13, "
            "R13 B13 K13 O13, B1 K1 O1, B1 K1 O1, B6 K6 O6, B7 K7 O7, B10 B11 B12, K9 K10 K11, O3 O4 O5, O7-10",
            "R1 R1 R3 R8 R11 B3 B5 K3 K3 K4 K5 K8 K8 K10 K12 O11 O12",
            19,
            9,
        ),
        (
            "R1-3, R2-7, R5 B5 K5 O5, R6 B6 K6, R7 K7 O7, R8 B8 K8 O8, R9-11, R9 B9 K9 O9, R11 B11 K11, "
            "R13 B13 K13 O13, R13 B13 O13 J, B1 K1 O1, B2-4, B3-7, B10-12, K1-7, K9-12, O2-4, O2-6, O7-11, J O11 O12",
            "R1 R4 R8 R12 B2 B7 B8 B9 B12 K2 K4 K8 K10 O1 O6 O10",
            16,
            11,
        ),
    ],
)
def test_hard_cases_are_proven(table: str, laid: str, kept: int, moved: int) -> None:
    """About a hundred tiles with jokers, more than 3,000,000 nodes without dividing; judged by an integer programme."""
    before = Position.parse(f"{table} | {laid} | rules=free")
    tiles = tiles_of(before.table) + laid.split()
    for patience in PATIENCES:
        change = LeastChange(before.rules, nodes=CHANGE_NODES, patience=patience).least_change(before.table, tiles)
        assert change is not None
        assert (change.kept, change.moved) == (kept, moved)
        assert sorted(tiles_of(change.table)) == sorted(tiles)


def test_moves_take_over_what_the_kernel_counted() -> None:
    """Kept sets, moved tiles and the canonical order are those that would be found from the tables alone."""
    met = 0
    for position in random_positions.positions(
        400, 21, random_positions.ALL_PRESETS, random_positions.MOVE_OPTIONS, table_tiles=14, rack_tiles=5
    ):
        try:
            move = Solver(position.rules).best_move(position)
        except UnsupportedRules:
            continue
        if move is not None and move.least_changed:
            assert move.kept_sets == kept_sets(position.table, move.table)
            assert move.moved_tiles == moved_tiles(position.table, move.table)
            assert move.table == Move(move.tiles, move.table, rules=position.rules).table
            met += bool(position.table)
    assert met > 50


def test_a_whole_deck_stays_as_it_is() -> None:
    rules = Rules.preset("retail")
    tiles = [f"{color}{number}" for color in "RBKO" for number in range(1, 14)] * 2 + ["J", "J"]
    table = Arrangements(rules).arrange(tiles)
    assert table is not None
    assert LeastChange(rules).least_change(table, tiles) == (table, len(table), 0)


def test_bad_input_is_named() -> None:
    kernel = LeastChange(Rules.preset("free"))
    with pytest.raises(ParseError, match="table: 'R0' is not a tile"):
        kernel.least_change((("R0", "R1", "R2"),), ())
    with pytest.raises(IllegalPosition, match="table: R1 twice in one set"):
        kernel.least_change((("R1", "R1", "R2"),), ())
    with pytest.raises(IllegalPosition, match="tiles: more than 2 of R7"):
        kernel.least_change((), ["R7"] * 3)


def test_errors_of_the_condition_come_through() -> None:
    kernel = LeastChange(Rules.preset("free"))

    def accept(_: Table) -> bool:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        kernel.least_change((), ["R1", "R2", "R3"], accept=accept)


def test_threads_share_one_kernel() -> None:
    rules = RULES[0]
    kernel = LeastChange(rules)
    tables = list(random_tables(rules, 14, 60, 14))
    alone = [kernel.least_change((), tiles_of(table)) for table in tables]
    together: list[list[object]] = [[], [], []]

    def work(answers: list[object]) -> None:
        answers.extend(kernel.least_change((), tiles_of(table)) for table in tables)

    threads = [threading.Thread(target=work, args=(answers,)) for answers in together]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(answers == alone for answers in together)
