"""Lists of moves: complete, each once, in their order, whatever was asked before and however little memory there is."""

from __future__ import annotations

import random
import signal
from array import array
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, pairwise

import pytest

from benchmarks.rummikub.instances import parsed
from solver.errors import LimitReached, SolverError
from solver.limits import Limit, Status
from solver.rummikub import Position, Solver, best_moves, count_moves, legal_moves, reference, verify
from solver.rummikub.kernel import Playable, Plays
from solver.rummikub.lists import Lists
from solver.rummikub.objectives import objective_for
from solver.rummikub.problem import names
from solver.rummikub.rules import Rules
from solver.rummikub.sets import TileSet
from tests.rummikub.random_positions import positions

FREE = Rules.preset("free")
MEMORY = 2**26
COMPARED = 800
# Rules under which counts of tiles tell every move, and material of all sizes.
COUNTED = {"joker_freeing": ("any",), "joker_destination": ("any",), "opening_threshold": ("0",)}


def order_of(rules: Rules) -> dict[TileSet, int]:
    """Where each tile stands when two moves of the same number of tiles are compared."""
    return {name: at for at, name in enumerate(names(rules.numbers))}


def in_order(rules: Rules, moves: list[TileSet]) -> list[TileSet]:
    """Most tiles first; then who lays more of the first tile of which two lay differently many."""
    tiles = names(rules.numbers)
    return sorted(moves, key=lambda laid: (-len(laid), [-laid.count(tile) for tile in tiles]))


def endless() -> Position:
    """A position whose moves take minutes to count."""
    rules = Rules.parse("free+copies=3+jokers=8+numbers=8")
    tiles = [f"{color}{number}" for number in range(1, 9) for color in "RBKO"]
    return Position([tiles[at::4] for at in range(4)] * 2, tiles, True, rules)


class Forgetful(Plays):
    """Has memory only for moves that lose little."""

    most: int

    def of(self, packed: bytes, **options: int) -> Playable | None:
        return None if not 0 <= options.get("lose", -1) <= self.most else super().of(packed, **options)


def kernel(rules: Rules = FREE, memory: int = MEMORY) -> Plays:
    return Plays(rules.colors, rules.numbers, names(rules.numbers), memory)


def test_lists_equal_the_reference() -> None:
    listed = 0
    for position in positions(COMPARED, "moves", options=COUNTED, jokers=(0, 4), rack_tiles=6):
        expected = sorted(move.tiles for move in reference.legal_moves(position))
        solver = Solver(position.rules)
        moves = list(solver.legal_moves(position))
        laid = [move.tiles for move in moves]
        assert sorted(laid) == expected, position
        assert solver.count_moves(position) == len(expected), position
        if solver._listed(position):
            listed += 1
            assert laid == in_order(position.rules, laid), position
            assert all(verify(position, move) == [] for move in moves), position
    assert listed > COMPARED // 2


@pytest.mark.parametrize("preset", ["standard", "tournament", "retail", "xp160"])
def test_lists_under_rules_of_jokers_and_openings_equal_the_reference(preset: str) -> None:
    sifted = 0
    for position in positions(120, "sifted", presets=(preset,), jokers=(0, 3), rack_tiles=6):
        expected = sorted(move.tiles for move in reference.legal_moves(position))
        solver = Solver(position.rules)
        goal = objective_for("value", None, position.rules)
        moves = list(solver.legal_moves(position))
        laid = [move.tiles for move in moves]
        assert sorted(laid) == expected, position
        if solver._sifted(position, goal, None) is None:
            continue
        sifted += not solver._listed(position)
        assert laid == in_order(position.rules, laid), position
        assert all(verify(position, move) == [] for move in moves), position
        ranked = [(key, move.tiles) for key, move in solver._ranked(position, goal, None)]
        best_first = [laid.key for laid in solver._divided(position, goal, None)]
        assert [key for key, _ in ranked] == best_first, position
        assert sorted(tiles for _, tiles in ranked) == expected
    assert sifted > 20


def test_best_moves_are_the_whole_list_sorted() -> None:
    rng = random.Random("best moves")
    for position in positions(60, "ranked", options=COUNTED, jokers=(0, 3), rack_tiles=8):
        solver = Solver(position.rules)
        if not solver._listed(position):
            continue
        moves = [move.tiles for move in solver.legal_moves(position)]
        weights = {tile: rng.randrange(5) for tile in position.rack} | {"J": rng.randrange(-2, 4)}
        for name, given in (("tiles", None), ("value", None), ("penalty", None), ("tiles", weights)):
            goal = objective_for(name, given, position.rules)
            ranked = list(solver._ranked(position, goal, None))
            assert [key for key, _ in ranked] == sorted(map(goal.key, moves), reverse=True), (position, name)
            assert sorted(move.tiles for _, move in ranked) == sorted(moves), position
            assert all(goal.key(move.tiles) == key for key, move in ranked)
            tiles = names(position.rules.numbers)
            for (key, move), (other, after) in pairwise(ranked):
                assert key > other or [move.tiles.count(tile) for tile in tiles] > [
                    after.tiles.count(tile) for tile in tiles
                ]


@pytest.mark.parametrize("stratum", ["small", "medium"])
def test_lists_equal_what_dividing_finds(stratum: str) -> None:
    solver = Solver(FREE)
    goal = objective_for("tiles", None, FREE)
    compared = 0
    for position in parsed(stratum, 20, "moves"):
        if compared == 5 or solver.count_moves(position) > 700:
            continue
        compared += 1
        divided = sorted(laid.tiles for laid in solver._divided(position, goal, None))
        assert sorted(move.tiles for move in solver.legal_moves(position)) == divided
    assert compared > 2


def test_parts_of_a_list_are_the_list() -> None:
    """Moves that lose little, then others: the same as all at once."""
    plays = kernel()
    for position in parsed("small", 30, "parts") + parsed("medium", 4, "parts"):
        whole = plays.of(position.packed)
        assert whole is not None
        moves = list(whole.listed())
        assert len(moves) == len(set(moves)) == whole.count()
        every = len(position.rack)
        for lose in range(every):
            part = plays.of(position.packed, lose=lose)
            assert part is not None
            assert list(part.listed(every, every - lose)) == [laid for laid in moves if len(laid) >= every - lose]


def test_a_list_too_large_for_its_graph_comes_in_parts_and_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    some = [position for position in parsed("small", 12, "too large") if count_moves(position) < 80]
    whole = [[move.tiles for move in legal_moves(position)] for position in some]
    ranked = [[line.move.tiles for line in best_moves(position, 20)] for position in some]
    monkeypatch.setattr("solver.rummikub.lists.MOST_WORK", 1)
    assert [[move.tiles for move in legal_moves(position)] for position in some] == whole

    for position, moves, best in zip(some, whole, ranked, strict=True):
        solver = Solver(FREE)
        solver._lists._plays = Forgetful(4, 13, names(13), MEMORY)
        solver._lists._plays.most = 8
        found = [move.tiles for move in solver.legal_moves(position)]
        assert sorted(found) == sorted(moves)
        assert [len(laid) for laid in found] == [len(laid) for laid in moves]
        assert sorted(line.move.tiles for line in solver.best_moves(position, 20)) == sorted(best) or len(moves) > 20
        with pytest.raises(LimitReached, match="memory"):
            solver.count_moves(position)


def test_sifted_lists_that_do_not_fit_are_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.rummikub.lists.MOST_WORK", 1)
    compared = 0
    for position in positions(60, "sifted parts", presets=("standard", "xp160"), rack_tiles=6):
        solver = Solver(position.rules)
        goal = objective_for("tiles", None, position.rules)
        if solver._listed(position) or solver._sifted(position, goal, None) is None:
            continue
        compared += 1
        listed = [move.tiles for move in solver.legal_moves(position)]
        ranked = [(key, move.tiles) for key, move in solver._ranked(position, goal, None)]
        for most in (-1, 2, 20, 60):
            solver._lists._plays = Forgetful(
                position.rules.colors, position.rules.numbers, names(position.rules.numbers), MEMORY
            )
            solver._lists._plays.most = most
            found = [move.tiles for move in solver.legal_moves(position)]
            assert sorted(found) == sorted(listed), position
            assert [len(laid) for laid in found] == [len(laid) for laid in listed]
            best_first = [(key, move.tiles) for key, move in solver._ranked(position, goal, None)]
            assert sorted(best_first) == sorted(ranked), position
            assert [key for key, _ in best_first] == [key for key, _ in ranked]
    assert compared > 20


def test_lists_do_not_depend_on_what_was_asked_before() -> None:
    asked = parsed("small", 20, "warm") + parsed("stress", 2, "warm")
    warm = Solver(FREE)
    for position in reversed(asked):
        warm.best_moves(position, 3)
    for position in asked:
        assert list(islice(warm.legal_moves(position), 200)) == list(islice(Solver(FREE).legal_moves(position), 200))
        assert warm.best_moves(position, 12) == Solver(FREE).best_moves(position, 12)
    assert warm.memory_used < MEMORY


def test_one_solver_serves_many_threads() -> None:
    asked = parsed("small", 40, "threads")
    solver = Solver(FREE)
    alone = [[move.tiles for move in solver.legal_moves(position)] for position in asked]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda asked: [move.tiles for move in solver.legal_moves(asked)], asked)) == alone


def test_large_racks_are_listed_lazily() -> None:
    solver = Solver(FREE)
    for position in parsed("stress", 6, "lazy"):
        moves = list(islice(solver.legal_moves(position), 300))
        assert len({move.tiles for move in moves}) == 300
        sizes = [len(move.tiles) for move in moves]
        best = solver.best_move(position)
        assert best is not None
        assert sizes[0] == len(best.tiles)
        assert sizes == sorted(sizes, reverse=True)
        for move in moves[::40]:
            assert verify(position, move) == []
        lines = solver.best_moves(position, 10)
        assert lines[0].value == sizes[0]
        assert [line.value for line in lines] == sizes[:10]


def test_very_many_equal_moves_do_not_take_longer() -> None:
    """Of billions of equal moves only those are looked at that are asked for."""
    position = parsed("stress", 1, "equal")[0]
    lines = best_moves(position, 70, weights={"R1": 0})
    assert len(lines) == 70
    assert all(line.tied and line.value == 0 for line in lines)
    assert len({line.move.tiles for line in lines}) == 70


def test_counts_beyond_64_bits() -> None:
    """No two numbers meet: of each the four tiles, any three or none can be laid."""
    rules = Rules.parse("free+copies=1+jokers=0+numbers=100")
    position = Position((), [f"{color}{number}" for number in range(1, 101, 2) for color in "RBKO"], True, rules)
    assert count_moves(position) == 6**50 - 1


def test_the_table_of_a_listed_move_is_built_when_asked_for() -> None:
    position = Position.parse("R4 R5 R6 R7 R8, B4 K4 O4 | R4 R6 B9 | rules=free")
    move = next(legal_moves(position))
    assert (move.tiles, move.value, move.taken) == (("R4", "R6"), 10, ())
    assert move == best_moves(position, 1)[0].move
    assert move.before is position
    assert move.least_changed
    with pytest.raises(AttributeError):
        move.value = 3


def test_limits() -> None:
    position = parsed("medium", 1, "limits")[0]
    solver = Solver(FREE)
    whole = solver.analyse(position, lines=5)
    assert whole.status is Status.COMPLETE
    assert solver.analyse(position, Limit(nodes=2), lines=5).status is Status.NODES
    assert solver.analyse(position, Limit(nodes=10**6), lines=5).lines == whole.lines
    plays = kernel()
    assert plays.of(position.packed, work=1) is None
    with pytest.raises(LimitReached, match="nodes"):
        plays.of(position.packed, nodes=1)
    hard = endless()
    with pytest.raises(LimitReached, match="seconds"):
        kernel(hard.rules).of(hard.packed, seconds=0.01)
    assert kernel(hard.rules, memory=2**18).of(hard.packed) is None


def test_a_long_list_can_be_interrupted() -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            count_moves(endless())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("numbers", range(5, 14))
def test_a_run_has_room_for_every_joker(numbers: int) -> None:
    """What the kernel takes for granted: the tiles of a run and up to eight jokers make runs, from 5 numbers on."""

    def lengths(tiles: int, jokers: int, sets: int) -> Iterator[list[int]]:
        """Ways to cut a run and to lengthen its parts."""
        if sets == 1:
            if 3 <= tiles + jokers <= numbers:
                yield [tiles + jokers]
            return
        for first in range(1, tiles):
            for more in range(jokers + 1):
                if 3 <= first + more <= numbers:
                    yield from ([first + more, *rest] for rest in lengths(tiles - first, jokers - more, sets - 1))

    for tiles in range(3, numbers + 1):
        for jokers in range(9):
            assert any(next(lengths(tiles, jokers, sets), None) for sets in range(1, 5)), (tiles, jokers)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda plays: plays.of(b""), "packed"),
        (lambda plays: plays.of(bytes([4]) + bytes(105)), "copies"),
        (lambda plays: plays.of(bytes(104) + bytes([9, 0])), "jokers"),
        (lambda plays: plays.of(bytes(106), weights=array("q", [1])), "weights"),
        (lambda plays: plays.of(bytes(106), weights=array("q", [-1] * 52)), "weights"),
        (lambda plays: plays.of(bytes(106), weights=array("q", [2**49] * 52)), "weights"),
        (lambda plays: plays.of(bytes(106)).ranked(array("q", [1]), 0), "weights"),
        (lambda plays: Playable().count(), "Playable"),
        (lambda plays: Playable().listed(), "Playable"),
        (lambda plays: plays.of(bytes(106)).made(str, {}), "slots"),
        (lambda plays: Plays(5, 13, names(13), MEMORY), "colors"),
        (lambda plays: Plays(4, 2, names(2), MEMORY), "numbers"),
        (lambda plays: Plays(4, 13, names(12), MEMORY), "names"),
    ],
)
def test_bad_input_is_named(call: object, message: str) -> None:
    with pytest.raises(SolverError, match=message):
        call(kernel())


def test_what_does_not_fit_is_told() -> None:
    assert Lists(FREE, MEMORY).fits(bytes(106))
    assert not Lists(Rules.parse("free+high_one=yes"), MEMORY).fits(bytes(106))
    few = Rules.parse("free+numbers=4")
    assert Lists(few, MEMORY).fits(bytes(34))
    assert not Lists(few, MEMORY).fits(bytes(32) + bytes([0, 1]))
