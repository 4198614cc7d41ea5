"""Faults that were found once, each with the smallest position that showed it."""

from __future__ import annotations

import gc
import pickle
import signal
from array import array
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from threading import Thread
from typing import Any

import pytest

from solver.errors import LimitReached, SolverError
from solver.limits import Limit, Watch
from solver.rummikub import (
    Move,
    Solver,
    arrangements,
    best_move,
    best_moves,
    jokers,
    legal_moves,
    reference,
    solve_batch,
)
from solver.rummikub.kernel import Plays, Sweep
from solver.rummikub.position import Position
from solver.rummikub.problem import Budget, Problem, names
from solver.rummikub.rules import Rules
from solver.rummikub.sets import all_tiles
from solver.rummikub.verify import verify

PLAIN = Position.parse("R6 R7 R8 R9 | R1 R10 B9 B10 O2 J")


@pytest.mark.parametrize(
    "text",
    [
        "R4 B4 K4 J, R9 K9 J | O4 | rules=retail",
        "R3 B3 K3 J, B4 O4 J | R11 O3 | rules=retail",
    ],
)
def test_a_joker_that_stays_is_not_freed_to_make_its_set_another_one(text: str) -> None:
    # R9 K9 J J: one of the two jokers stays in its meaning, so the freed one has joined a whole set of the start.
    assert best_move(Position.parse(text)) is None


@pytest.mark.parametrize(
    "text",
    [
        "K2 O2 J, K3 O3 J | B3 K9 O12 | rules=retail",
        "B1 O1 J, K11 O11 J | R9 R11 B13 K6 O1 | rules=xp160",
        "R5 K5 O5 J, B1 K1 J | R6 R7 B7 O7 | unopened rules=retail+numbers=7+copies=1+opening_threshold=12",
        "R2 R3 R4, B1 B2 B3 J, B2 B3 J | R1 R2 R3 R4 B4 | rules=standard+colors=2+numbers=4",
        "B2 B3 J B5, B3 J B5 | R2 R5 B1 B4 | rules=retail+colors=2+numbers=5",
        "B2 B3 B4 J, B5 K5 J | R1 R5 K3 | rules=standard+colors=3+numbers=5+copies=1+joker_source=rack",
    ],
)
def test_no_freed_joker_joins_a_whole_set_of_the_start(text: str) -> None:
    position = Position.parse(text)
    move = best_move(position)
    assert move is not None
    assert verify(position, move) == []


def test_a_list_for_go_out_holds_only_the_move_that_goes_out() -> None:
    lines = best_moves(Position.parse("- | R10 R11 R12 J | rules=retail"), 3, "go_out")
    assert [(line.move.tiles, line.tied) for line in lines] == [(("R10", "R11", "R12", "J"), False)]


@pytest.mark.parametrize("worth", [1, 500_000, 900_000, 1_000_000])
def test_large_weights_and_many_forced_jokers(worth: int) -> None:
    # The prices of eight jokers in one colour once passed for "no completion".
    table = ", ".join(["R1 J R3", "R5 J R7"] * 3 + ["R9 J R11"] * 2)
    position = Position.parse(f"{table}, B1 B2 B3 | B4 R13 R13 R13 R9 R11 K13 | rules=free+jokers=8+copies=3")
    move = best_move(position, weights=dict.fromkeys(position.rack, worth))
    assert move is not None
    assert move.tiles == ("B4",)


@pytest.mark.parametrize("worth", [1, 2_000_000, 5_500_000, 30_000_000])
def test_the_kernel_takes_the_weights_that_it_says(worth: int) -> None:
    position = Position.parse(
        "R1 J R3, R5 J R7, R9 J R11, R1 J R3, R5 J R7, R9 J R11, R13 J J | R8 | rules=free+jokers=8"
    )
    weights = array("i", [0] * 53)
    weights[7 * 4] = worth
    answer = Sweep(4, 13, names(13), 1 << 26).solve(position.packed, "weights", weights)
    assert answer is not None
    assert answer.tiles == ("R8",)


def test_the_largest_deck_as_one_rack() -> None:
    rules = "rules=free+numbers=100+copies=3+jokers=8"
    rack = " ".join(f"{color}1-100" for color in "RBKO")
    position = Position.parse(f"- | {rack} {rack} {rack} {'J ' * 8} | {rules}")
    for objective in ("tiles", "value"):
        move = best_move(position, objective)
        assert move is not None
        assert len(move.tiles) == 1208


@pytest.mark.parametrize(("copies", "jokers"), [(11, 8), (11, 1), (4, 8)])
def test_the_kernel_refuses_counts_that_its_tables_cannot_hold(copies: int, jokers: int) -> None:
    rack = bytearray(52)
    rack[0:48:4] = bytes([copies]) * 12
    packed = bytes(52) + bytes(rack) + bytes((0, jokers))
    with pytest.raises(SolverError, match="packed: more than 11 copies of a tile and jokers"):
        Sweep(4, 13, names(13), 1 << 26).solve(packed, explicit=True)


def test_the_kernel_refuses_none_among_many() -> None:
    with pytest.raises(SolverError, match="packed: must be bytes, not None"):
        Sweep(4, 13, names(13), 1 << 26).solve_many([None])  # type: ignore[list-item]


def test_a_list_longer_than_any() -> None:
    assert len(best_moves(PLAIN, 2**70)) == len(best_moves(PLAIN, 1000))


@pytest.mark.parametrize("seconds", [float("inf"), 1e10, 1e300])
def test_a_limit_of_very_many_seconds(seconds: float) -> None:
    hard = Position.parse("- | R1-13 B1-13 R1 R3 R5 B7 B9 K1 K4 K7 O2 O5 O8 O11 J J | rules=free")
    assert best_move(hard, "value", limit=Limit(seconds=seconds)) == best_move(hard, "value")


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("seconds", {"seconds": "1"}),
        ("seconds", {"seconds": True}),
        ("seconds", {"seconds": 10**400}),
        ("nodes", {"nodes": 1.5}),
        ("nodes", {"nodes": "1"}),
        ("nodes", {"nodes": 2**70}),
    ],
)
def test_limits_that_are_none(field: str, values: dict[str, Any]) -> None:
    with pytest.raises(SolverError, match=f"^{field}: "):
        Limit(**values)


@pytest.mark.parametrize(
    ("field", "call"),
    [
        ("position", lambda: Solver().best_move(None)),  # type: ignore[arg-type]
        (r"positions\[1\]: position", lambda: Solver().solve_batch([PLAIN, 5])),  # type: ignore[list-item]
        ("objective", lambda: best_move(PLAIN, ["tiles"])),  # type: ignore[arg-type]
        ("limit", lambda: best_move(PLAIN, limit=5)),  # type: ignore[arg-type]
        ("executor", lambda: solve_batch([PLAIN], executor="threads")),  # type: ignore[arg-type]
        ("rules", lambda: Solver("retail")),  # type: ignore[arg-type]
        ("memory", lambda: Solver(memory=2**80)),
        ("memory", lambda: Solver(memory="64")),  # type: ignore[arg-type]
    ],
)
def test_arguments_of_the_wrong_type_are_named(field: str, call: Any) -> None:
    with pytest.raises(SolverError, match=f"^{field}: "):
        call()


def test_dear_jokers_of_the_table_do_not_overflow() -> None:
    counts = bytearray(42)
    for number, color in ((1, 1), (1, 2), (2, 0), (3, 0), (3, 1), (3, 2)):
        counts[(number - 1) * 4 + color] = 1
    counts[20 + 4 * 4] = 1
    counts[40] = 8
    weights = array("i", [1] * 20 + [10_000_000])
    sweep = Sweep(4, 5, names(5), 1 << 26)
    for explicit in (False, True):
        answer = sweep.solve(bytes(counts), "weights", weights, explicit=explicit)
        assert answer is not None
        assert answer.tiles == ("R5",)


def test_a_stand_in_leaves_decided_sets_alone() -> None:
    rules = "standard+colors=3+numbers=5+copies=1+joker_source=rack"
    position = Position.parse(f"B2 B3 B4 J, B5 K5 J | R1 R5 K3 | rules={rules}")
    move = best_move(position)
    assert move is not None
    assert move.tiles == ("R5",)
    assert verify(position, move) == []


@pytest.mark.parametrize("rules", ["retail+copies=3+jokers=8", "xp160", "american+joker_set_locked=no+high_one=no"])
def test_a_whole_deck_opens(rules: str) -> None:
    """Whether the threshold is reached need not be maximised: a few melds show it."""
    chosen = Rules.parse(rules)
    rack = [tile for tile in all_tiles(chosen) for _ in range(chosen.copies)] + ["J"] * chosen.jokers
    move = best_move(Position((), rack, False, chosen))
    assert move is not None
    assert len(move.tiles) == len(rack)


@pytest.mark.parametrize(
    ("rack", "rules", "threshold"),
    [
        ("R10 B10 K10 R11 R12 J", "tournament", 66),  # not R10 R11 R12, B10 K10 J, which is worth 63
        ("K12 K13 J", "american", 36),  # not K12 K13 J with the joker as a 1
        ("B1 J J", "american", 26),  # not B1 J J
    ],
)
def test_an_opening_shows_the_sets_that_open(rack: str, rules: str, threshold: int) -> None:
    reached = Position.parse(f"- | {rack} | unopened rules={rules}+opening_threshold={threshold}")
    move = best_move(reached)
    assert move is not None
    assert verify(reached, move) == []
    assert best_move(Position.parse(f"- | {rack} | unopened rules={rules}+opening_threshold={threshold + 1}")) is None


def test_a_tile_of_a_locked_set_is_none_of_the_rack() -> None:
    """K12 of the rack replaces the group's joker; the run keeps its own K12, so that only K2 there is of the rack."""
    table = "R12 O12 J, K4 K5 K6 K7 K8 K9 K10 K11 K12 J K1"
    long_run = "K2 K12 | R12 K12 O12, K1 K2 J K4 K5 K6 K7 K8 K9 K10 K11 K12 J"
    locked = Position.parse(f"{table} | K2 K12 | rules=american")
    assert verify(locked, Move.parse(long_run, locked.rules)) != []
    assert [move.tiles for move in legal_moves(locked)] == [("K12",)]
    assert [move.tiles for move in reference.legal_moves(locked)] == [("K12",)]
    unlocked = Position.parse(f"{table} | K2 K12 | rules=american+joker_set_locked=no")
    assert verify(unlocked, Move.parse(long_run, unlocked.rules)) == []
    assert ("K2", "K12") in [move.tiles for move in legal_moves(unlocked)]


@pytest.mark.parametrize("rules", ["free", "free+colors=2+numbers=4+jokers=4", "free+numbers=100"])
def test_jokers_alone_of_great_worth(rules: str) -> None:
    # Costs so large that the smallest gap was rounded to nothing, which doubling never changed.
    position = Position.parse(f"- | J J | rules={rules}")
    assert best_move(position, weights={"J": 1_000_000}) is None


def test_jokers_of_great_worth_where_numbers_are_many() -> None:
    # Bounds that let every number gain by jokers left 32 bits, and the answer was that there is none.
    worth, numbers = 4_000_000, 100
    packed = Position.parse(f"- | R5 B5 K5 J J | rules=free+numbers={numbers}").packed
    weights = array("i", [*[1] * (4 * numbers), worth])
    answer = Sweep(4, numbers, names(numbers), 1 << 26).solve(packed, "exact", weights, explicit=True)
    assert answer is not None
    assert answer.tiles.count("J") == 2


@pytest.fixture
def called_when_collecting() -> Iterator[list[Callable[[], object]]]:
    """Functions that the next garbage collections call, one each."""
    todo: list[Callable[[], object]] = []

    def call(phase: str, info: object) -> None:
        if phase == "start" and todo:
            todo.pop()()

    before = gc.get_threshold()
    gc.callbacks.append(call)
    gc.set_threshold(7, 1000, 1000)
    yield todo
    gc.set_threshold(*before)
    gc.callbacks.remove(call)


def test_a_list_of_moves_that_is_read_on_while_it_makes_a_move(
    called_when_collecting: list[Callable[[], object]],
) -> None:
    # The garbage collector may run while the tuple of tiles is made, and anything may be called by it.
    position = Position.parse("R1-5, B1-5 | R1-13 B1-13 K1-13 O1-13 | rules=free")
    playable = Plays(4, 13, names(13), 1 << 26).of(position.packed)
    assert playable is not None
    for moves in (playable.listed(), playable.ranked(array("q", [1] * 52), 1)):
        kept = []
        for _ in range(300):
            called_when_collecting.append(lambda moves=moves: [next(moves) for _ in range(300)])  # type: ignore[misc]
            kept.append(next(moves))
        assert all(type(tile) is str for tiles in kept for tile in tiles)


def test_a_list_of_arrangements_that_no_search_made() -> None:
    with pytest.raises(SolverError, match=r"made by Arrangements\.arrangements alone"):
        next(type(arrangements("R1-3"))())


def test_a_list_of_arrangements_is_read_by_one_thread_at_a_time() -> None:
    every = arrangements("R1-13 B1-13 K1-13 O1-13 R1-13 J J")
    outcomes: list[object] = []

    def read() -> None:
        try:
            outcomes.extend(islice(every, 300))
        except SolverError as error:
            outcomes.append(str(error))

    threads = [Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    refused = "a list of arrangements is read by one thread at a time"
    assert all(isinstance(outcome, tuple) or outcome == refused for outcome in outcomes)
    assert len({outcome for outcome in outcomes if outcome != refused}) == len(outcomes) - outcomes.count(refused)


def test_equal_moves_that_lay_the_same_come_in_the_order_of_tiles() -> None:
    # Tables were compared as text: R1 J R3 before R1 R2 R3.
    position = Position.parse("R1 R2 J, R3 B3 K3 | R3 B1 B1 | rules=family+colors=3+numbers=3+jokers=1")
    lines = best_moves(position, 9, weights={"R1": 1, "R3": 5, "B1": 5, "J": 1})
    assert [(line.value, line.move.taken) for line in lines] == [(5, ("R2",)), (4, ("J",)), (4, ("R1",))]


def test_a_pickled_move_keeps_the_proof_of_its_table() -> None:
    move = best_move(Position.parse("R4 R5 R6 R7 R8, K4 B4 O4 | R6 R4 B9 | rules=free"))
    assert move is not None
    again = pickle.loads(pickle.dumps(move))
    assert (again, again.least_changed, again.kept_sets) == (move, True, move.kept_sets)


def test_a_signal_ends_a_list_that_c_reads() -> None:
    class Alarm(Exception):
        pass

    def stop(number: int, frame: object) -> None:
        raise Alarm

    def read_all(moves: Iterator[object]) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        deque(moves, maxlen=0)

    position = Position.parse("R1-5, B1-5 | R1-13 B1-13 K1-13 O1-13 | rules=free")
    playable = Plays(4, 13, names(13), 1 << 26).of(position.packed)
    assert playable is not None
    before = signal.signal(signal.SIGALRM, stop)
    try:
        for moves in (playable.listed(), playable.ranked(array("q", [1] * 52), 1)):
            with pytest.raises(Alarm):
                read_all(moves)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_cases_of_many_jokers_look_at_the_limit() -> None:
    """Six jokers in sets of their own have very many meanings, all told before anything is searched."""
    position = Position.parse("J J J, J J J | R1 | rules=standard+jokers=8")
    asked = 0

    def cancel() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    budget = Budget(Limit(), Watch(cancel))
    with pytest.raises(LimitReached):
        deque(jokers.parts(position, Problem.of(position), budget), maxlen=0)
    assert asked == 4
