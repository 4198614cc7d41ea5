"""The search against known answers, against the naive reference, and against itself in other ways of asking."""

from __future__ import annotations

import json
import pickle
import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from solver.errors import IllegalPosition, LimitReached, SolverError
from solver.limits import Limit, Status
from solver.rummikub import (
    PRESETS,
    Position,
    Rules,
    Solver,
    analyse,
    best_move,
    best_moves,
    count_moves,
    legal_moves,
    reference,
    solve_batch,
    verify,
)
from solver.rummikub.kernel import Sweep
from solver.rummikub.objectives import objective_for
from solver.rummikub.problem import names

from .random_positions import SEARCH_PRESETS, positions

DATA = Path(__file__).parents[1] / "data" / "rummikub"
MEMORY = 64 * 2**20
COMPARED = 250  # positions for each kind of rules; thousands more: make compare
FREE = Rules.preset("free")


def cases(*files: str) -> Iterator[dict[str, object]]:
    for file in files:
        yield from json.loads((DATA / f"{file}.json").read_text())["positions"]


KNOWN = list(cases("positions", "instances", "no_move"))


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case["id"])
def test_known_answers(case: dict[str, object]) -> None:
    position = Position.parse(case["position"])
    tiles, value = best_move(position), best_move(position, "value")
    assert len(tiles.tiles if tiles else ()) == case["max_tiles"]
    if "value_at_max_tiles" in case:
        assert tiles is not None
        assert tiles.value == case["value_at_max_tiles"]
    if "max_value" in case:
        assert (value.value if value else 0) == case["max_value"]
    if "tiles_at_max_value" in case:
        assert value is not None
        assert len(value.tiles) == case["tiles_at_max_value"]
    for move in (tiles, value):
        assert move is None or verify(position, move) == []


@pytest.mark.parametrize(
    ("case", "rules"),
    [(case, rules) for case in KNOWN for rules in case.get("rules", {})],
    ids=lambda value: value if isinstance(value, str) else value["id"],
)
def test_answers_that_differ_by_rules(case: dict[str, object], rules: str) -> None:
    position = Position.parse(case["position"])
    asked = Position(position.table, position.rack, True, Rules.parse(rules))
    move = best_move(asked)
    assert len(move.tiles if move else ()) == case["rules"][rules]
    assert move is None or verify(asked, move) == []


@pytest.mark.parametrize("preset", SEARCH_PRESETS)
@pytest.mark.parametrize("objective", ["tiles", "value", "penalty", "go_out"])
def test_equals_the_reference(preset: str, objective: str) -> None:
    for position in positions(COMPARED, f"search {objective}", presets=(preset,)):
        move = best_move(position, objective)
        expected = reference.best_value(position, objective)
        if move is None:
            assert expected is None, position
            continue
        assert expected is not None, position
        key = objective_for(objective, None, position.rules).key(move.tiles)
        assert key[0] == expected[0], position
        assert objective == "go_out" or key == expected, position
        assert verify(position, move) == [], position


def test_weights_equal_the_reference() -> None:
    rng = random.Random("weights")
    for position in positions(COMPARED, "weights", presets=("free", "standard")):
        weights = {tile: rng.randrange(4) for tile in {*position.rack, "R1"}} | {"J": rng.randrange(-3, 4)}
        move = best_move(position, weights=weights)
        expected = reference.best_value(position, "tiles", weights)
        assert (move is None) == (expected is None), position
        if move is not None and expected is not None:
            assert sum(weights[tile] for tile in move.tiles) == expected[0], (position, weights)
            assert verify(position, move) == []


@pytest.mark.parametrize("preset", SEARCH_PRESETS)
def test_lists_hold_every_move_once_and_best_first(preset: str) -> None:
    for position in positions(60, "lists", presets=(preset,), rack_tiles=5):
        expected = Counter(move.tiles for move in reference.legal_moves(position))
        assert Counter(move.tiles for move in legal_moves(position)) == expected, position
        assert count_moves(position) == len(expected)
        if not expected:
            assert best_moves(position) == []
            continue
        lines = best_moves(position, n=len(expected) + 1, objective="value")
        assert Counter(line.move.tiles for line in lines) == expected, position
        assert [line.value for line in lines] == sorted((line.value for line in lines), reverse=True)
        values = Counter(line.value for line in lines)
        assert [line.tied for line in lines] == [values[line.value] > 1 for line in lines]
        assert all(line.exact and verify(position, line.move) == [] for line in lines)


def random_problem(rng: random.Random) -> tuple[int, int, bytes]:
    """Colours, numbers, and packed counts: some sets on the table and a few tiles in the rack."""
    colors, numbers = rng.randint(1, 4), rng.randint(3, 8)
    copies, jokers = rng.randint(1, 3), rng.randint(0, 4)
    table, rack = [0] * (4 * numbers), [0] * (4 * numbers)
    on_table = in_rack = 0
    for _ in range(rng.randint(0, 4)):
        if colors >= 3 and rng.random() < 0.5:
            number = rng.randrange(numbers)
            places = [4 * number + color for color in rng.sample(range(colors), rng.randint(3, colors))]
        else:
            length, color = rng.randint(3, min(numbers, 5)), rng.randrange(colors)
            first = rng.randrange(numbers - length + 1)
            places = [4 * number + color for number in range(first, first + length)]
        with_set, more = list(table), on_table
        for place in places:
            if more < jokers and rng.random() < 0.2:
                more += 1
            else:
                with_set[place] += 1
        if max(with_set) <= copies:
            table, on_table = with_set, more
    for _ in range(rng.randint(1, 8)):
        place = rng.randrange(numbers) * 4 + rng.randrange(colors)
        if on_table + in_rack < jokers and rng.random() < 0.15:
            in_rack += 1
        elif table[place] + rack[place] < copies:
            rack[place] += 1
    return colors, numbers, bytes(table + rack + [on_table, in_rack])


def test_parked_and_explicit_jokers_agree() -> None:
    """The relaxation that parks jokers, and the search that places each of them, find the same."""
    rng = random.Random("parking")
    sweeps: dict[tuple[int, int], Sweep] = {}
    for _ in range(4000):
        colors, numbers, packed = random_problem(rng)
        sweep = sweeps.setdefault((colors, numbers), Sweep(colors, numbers, names(numbers), MEMORY))
        for objective in ("tiles", "value"):
            parked, explicit = (sweep.solve(packed, objective, explicit=flag) for flag in (False, True))
            if parked is None or explicit is None:
                assert parked is explicit, packed.hex()
                continue
            assert (len(parked.tiles), parked.value) == (len(explicit.tiles), explicit.value), packed.hex()
            for answer in (parked, explicit):
                used = Counter(tile for tiles in answer() for tile in tiles)
                placed = Counter(answer.tiles)
                placed.update({name: packed[at] for at, name in enumerate(names(numbers)[:-1]) if packed[at]})
                placed["J"] += packed[-2]
                assert used == +placed, packed.hex()


def test_answers_do_not_depend_on_what_was_asked_before() -> None:
    asked = [position for position in map(Position.parse, (c["position"] for c in KNOWN)) if position.rules == FREE]
    warm = Solver(FREE)
    for _ in range(2):
        for position in reversed(asked):
            warm.best_move(position)
    assert [warm.best_move(position) for position in asked] == [Solver(FREE).best_move(position) for position in asked]
    assert 0 < warm.memory_used < MEMORY


def test_batches_equal_single_calls_on_any_executor() -> None:
    asked = [Position.parse(case["position"]) for case in cases("instances", "no_move")] * 4
    solver = Solver(FREE)
    single = [solver.best_move(position) for position in asked]
    assert solver.solve_batch(asked) == single
    assert solver.solve_batch(asked, workers=2) == single
    with ThreadPoolExecutor(3) as threads:
        assert solver.solve_batch(asked, executor=threads) == single
    with ProcessPoolExecutor(1) as processes:
        assert solver.solve_batch(asked, executor=processes) == single
    some = asked[:9]
    assert solver.solve_batch(some, objective="penalty") == [solver.best_move(position, "penalty") for position in some]
    assert solver.solve_batch([]) == []


def test_solvers_and_moves_can_be_pickled() -> None:
    solver = pickle.loads(pickle.dumps(Solver(FREE, memory=2**22)))
    assert (solver.rules, solver.memory) == (FREE, 2**22)
    move = solver.best_move(Position.parse("R4 R5 R6 R7 R8 | R6 | rules=free"))
    assert pickle.loads(pickle.dumps(move)) == move


def test_openings() -> None:
    # 30 points from the rack alone, the table untouched.
    position = Position.parse("B1 B2 B3 | R9 R10 R11 B4 K1 | unopened")
    assert str(best_move(position)) == "R9 R10 R11 | R9 R10 R11, B1 B2 B3"
    # 29 points do not open, a joker does not help under the default rules, but it does under `retail`.
    assert best_move(Position.parse("- | R8 R9 R10 K1 | unopened")) is None
    assert best_move(Position.parse("- | R9 R10 J K1 | unopened")) is None
    retail = best_move(Position.parse("B1 B2 B3 | R9 R10 J B4 | unopened rules=retail"))
    assert retail is not None
    assert retail.tiles == ("R9", "R10", "B4", "J")
    # The best opening is not the best meld: laying all ten tiles needs R5 in the run.
    both = best_move(Position.parse("- | R3 R4 R5 R6 B5 K5 O5 B9 K9 O9 | unopened"))
    assert both is not None
    assert both.tiles == ("R3", "R4", "R5", "R6", "B5", "B9", "K5", "K9", "O5", "O9")


def test_limits() -> None:
    position = Position.parse(next(cases("instances"))["position"])
    solver = Solver(FREE)
    hardest = max(
        (Position.parse(case["position"]) for case in cases("instances")),
        key=lambda asked: solver._sweep.solve(asked.packed).expanded,
    )
    with pytest.raises(LimitReached, match="nodes"):
        solver.best_move(hardest, limit=Limit(nodes=1))
    assert solver.best_move(position, limit=Limit(seconds=10)) == solver.best_move(position)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s, p: s.best_move(p, "most"), "objective"),
        (lambda s, p: s.best_move(p, weights={"R1": -1}), "weights: R1"),
        (lambda s, p: s.best_move(p, weights={"R1": 0.5}), "weights: R1"),
        (lambda s, p: s.best_move(p, weights={"X9": 1}), "weights"),
        (lambda s, p: s.best_move(p, weights=[1]), "weights"),
        (lambda s, p: s.best_move("R1 | R2"), "position"),
        (lambda s, p: s.best_moves(p, n=0), "n"),
        (lambda s, p: s.solve_batch([p], workers=0), "workers"),
        (lambda s, p: s.best_move(Position.parse("- | R1")), "rules"),
    ],
)
def test_bad_arguments_are_named(call: object, message: str) -> None:
    with pytest.raises(SolverError, match=message):
        call(Solver(FREE), Position.parse("- | R1 R2 R3 | rules=free"))


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("opened", [True, False])
def test_an_illegal_position_is_refused_under_all_rules(preset: str, opened: bool) -> None:
    copies = PRESETS[preset].copies + 1
    for table, rack in (((), ["R1"] * copies), ([["R1"] * copies], ["R2"]), ([["R1", "B5", "J"]], ["R2"])):
        position = Position(table, rack, opened, PRESETS[preset])
        for ask in (best_move, best_moves, legal_moves, count_moves, analyse, lambda asked: solve_batch([asked])):
            with pytest.raises(IllegalPosition):
                ask(position)


def test_positions_that_break_the_rules_are_refused_with_everything_wrong() -> None:
    position = Position.parse("R5 K9 B2 | R1 R1 R1 J J J | rules=free")
    with pytest.raises(IllegalPosition) as caught:
        best_move(position)
    assert len(caught.value.problems) == 3
    with pytest.raises(IllegalPosition, match=r"positions\[1\]"):
        Solver(FREE).solve_batch([Position.parse("- | R1 | rules=free"), position])


def test_equal_moves_come_in_the_order_of_the_rules() -> None:
    """Most sets kept, fewest tiles moved, then a fixed order: as the reference finds by trying all arrangements."""
    found = 0
    for position in positions(60, "ties", presets=("free", "standard"), rack_tiles=5, table_tiles=9):
        expected = reference.best_move(position, "tiles", ties=True)
        move = best_move(position, ties=True)
        assert (move is None) == (expected is None), position
        if move is None or expected is None:
            continue
        found += 1
        change = reference.least_change(position, move.tiles)
        assert change is not None
        assert move.least_changed
        assert (move.kept_sets, move.moved_tiles) == (change.kept_sets, change.moved_tiles), position
        assert move.tiles == expected.tiles, position
    assert found > 20


def test_the_only_move_is_marked() -> None:
    (line,) = best_moves(Position.parse("B5 B6 B7 | B8 R8 | rules=free"))
    assert line.only
    assert not line.tied
    lines = best_moves(Position.parse("B5 B6 B7 | B8 B9 | rules=free"), n=1)
    assert not lines[0].only


def test_analysis() -> None:
    position = Position.parse("R4 R5 R6 R7 R8, B4 K4 O4 | R4 R6 B9 | rules=free")
    found = analyse(position, lines=9)
    assert found.lines == best_moves(position, 9)
    assert found.status is Status.COMPLETE
    assert found.effort > 0
    assert found.to_dict()["lines"][0]["move"]["tiles"] == ["R4", "R6"]
    cut = analyse(position, Limit(nodes=1), lines=9)
    assert cut.status is Status.NODES
    assert all(line in found.lines or line.exact for line in cut.lines)
