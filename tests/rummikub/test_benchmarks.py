"""The judges of the benchmarks: what is a wrong answer, and how times are summed up."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.rummikub.changes import against_exhaustive, kinds_of
from benchmarks.rummikub.games import main as measure_games
from benchmarks.rummikub.ilp import Answer, Bag, count_tiles, set_kinds, tile_weights
from benchmarks.rummikub.peers import Claim, is_set, judge, table_problems
from benchmarks.rummikub.players import main as compare_players
from benchmarks.rummikub.players import truly_stuck
from benchmarks.rummikub.timing import Summary, time_calls
from solver.rummikub.position import Position

from .test_game import state

POSITION = Position.parse("R5 R6 R7, B3 K3 O3 | R3 R4 R8 K9 J | rules=free")


@pytest.mark.parametrize("text", ["R1 R2 R3", "J J R5", "R13 J J", "R5 J R7 R8", "R5 B5 K5 J", "J B5 R5", "J J J"])
def test_sets(text: str) -> None:
    assert is_set(text.split())


@pytest.mark.parametrize("text", ["R1 R2", "R1 R2 B3", "R5 R5 B5", "R5 R6 R8", "R5 B5 K5 O5 J", "R1 R4 J", "R1 R1 J"])
def test_no_sets(text: str) -> None:
    assert not is_set(text.split())


def test_a_right_claim() -> None:
    claim = Claim(("R3", "R4", "R8", "J"), (("R4", "R5", "R6", "R7", "R8", "J"), ("B3", "K3", "O3", "R3")))
    assert claim.answer == Answer(4, 15)
    assert judge(POSITION, claim, Answer(4, 15), "tiles", True) == []


@pytest.mark.parametrize(
    ("laid", "sets", "problem"),
    [
        ("R4", "R5 R6 R7 R4", "loses B3 K3 O3"),
        ("R4", "R4 R5 R6 R7, B3 K3 O3 J", "makes J from nothing"),
        ("R4 R4", "R4 R5 R6 R7, B3 K3 O3 R4", "lays tiles that the rack does not hold"),
        ("K9", "R5 R6 R7 K9, B3 K3 O3", "R5 R6 R7 K9 is no set"),
    ],
)
def test_wrong_tables(laid: str, sets: str, problem: str) -> None:
    claim = Claim(tuple(laid.split()), tuple(tuple(tiles.split()) for tiles in sets.split(",")))
    assert problem in table_problems(POSITION, claim)


def test_wrong_optimum() -> None:
    assert judge(POSITION, Claim(()), Answer(4, 15), "tiles", False) == ["lays 0 tiles, not 4"]
    assert judge(POSITION, Answer(4, 14), Answer(4, 15), "tiles", False) == []
    assert judge(POSITION, Answer(4, 14), Answer(4, 15), "tiles", True) != []
    assert judge(POSITION, Answer(4, 14), Answer(4, 15), "value", False) == ["lays a value of 14, not 15"]


def test_set_kinds() -> None:
    # Runs of 3, 4, 5: 11 + 10 + 9 a colour; groups of 3 and 4: 4 + 1 a number.
    assert set_kinds(4, 13, 0).shape == (53, 4 * 30 + 13 * 5)
    with_jokers = set_kinds(4, 13, 2)
    assert with_jokers[-1].max() == 2
    assert with_jokers.sum(axis=0).min() == 3


def test_bag() -> None:
    bag = Bag.of(POSITION)
    assert (bag.table.sum(), bag.rack.sum(), bag.rack[-1]) == (6, 5, 1)
    assert tile_weights(bag, "tiles")[-1] > bag.rack @ (tile_weights(bag, "tiles") - tile_weights(bag, "tiles")[-1])
    with pytest.raises(ValueError, match="O9"):
        count_tiles(["O9"], colors=3, numbers=13)
    with pytest.raises(ValueError, match="objective"):
        tile_weights(bag, "joy")


def test_summary() -> None:
    summary = Summary.of(range(100, 0, -1))
    assert (summary.count, summary.median, summary.p90, summary.maximum) == (100, 50.5, 90, 100)
    with pytest.raises(ValueError, match="at least one"):
        Summary.of([])


def test_time_calls() -> None:
    times, results = time_calls(abs, [-1, 2])
    assert results == [1, 2]
    assert all(time >= 0 for time in times)


def test_truly_stuck() -> None:
    # To break up the runs takes groups of all three numbers, and nobody has tiles of three numbers; K1 K2 K3 are a run.
    rules = "standard+numbers=3+copies=1+jokers=0+rack_size=1+opening_threshold=0+pool_empty=until_stuck"
    assert truly_stuck(state(rules, ["K2 O1", "K1 O2", "K3 O3"], "R1 R2 R3, B1 B2 B3", left=2))
    fits = state(rules, ["K1 K2 K3", "O1 O2"], "R1 R2 R3, B1 B2 B3")
    assert not truly_stuck(fits)


def test_comparing_players(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare_players(["--games", "2", "--rules", "free", "--players", "hold", "--parts", "against", "stuck"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "| player | wins % | points a game |" in lines
    assert sum(line.startswith("| `hold` |") for line in lines) == 1
    assert sum(line.startswith("| free | ") for line in lines) == 3
    assert compare_players(["--games", "2", "--players", "hold", "keep", "--rows", "keep", "--parts", "pairs"]) == 0
    assert capsys.readouterr().out.count("\n| `keep` |") == 2  # for each of the rules
    assert compare_players(["--players", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err


def test_games_a_second(capsys: pytest.CaptureFixture[str]) -> None:
    assert measure_games(["--games", "2", "--rules", "free", "--players", "greedy", "random", "--slow"]) == 0
    out = capsys.readouterr().out
    assert "not played by the kernel" in out
    assert "DIFFERENT" not in out
    assert measure_games(["--players", "nobody"]) == 2


def test_least_changes_of_small_positions_are_the_least(capsys: pytest.CaptureFixture[str]) -> None:
    assert against_exhaustive(150, 7) == 0
    assert "150 moves, 0 not proven" in capsys.readouterr().out


def test_kinds_of_sets_of_a_bag() -> None:
    kinds = kinds_of(Counter(["R1", "R2", "R3", "R4", "J"]), 4, 13)
    assert (frozenset({"R1", "R2", "R3", "R4"}), 1) in kinds
    assert (frozenset({"R1", "R3"}), 1) in kinds
    assert len(kinds) == len(set(kinds)) == 3 + 4 + 5 + 1
