"""The searching player and the analysis of what wins: plain cases, the same answers again, and bad input."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from solver import games
from solver.errors import IllegalPosition, SolverError, UnsupportedRules
from solver.limits import Limit, Status
from solver.results import How
from solver.rummikub import Move, Position, Rules, analyse, best_move, verify
from solver.rummikub.game import DRAW, PASS, Event, start
from solver.rummikub.players import play_many, player
from solver.rummikub.policies import playouts_for
from solver.rummikub.searcher import WAITING, WinLine, plan_for

from .test_game import state

MIDDLE = "R6 R7 R8, R3 B3 K3 | R1 B9 O3 J K5 K6 K7 B1 R9 R9"


def test_going_out_wins() -> None:
    found = analyse(Position.parse("R6 R7 R8 | R9 R10"), objective="win", seed=3)
    best = found.lines[0]
    assert isinstance(best, WinLine)
    assert best.move is not None
    assert best.move.tiles == ("R9", "R10")
    assert (best.win.mean, best.win.n, best.win.how) == (1.0, 64, How.ROLLOUT)
    assert best.value > found.lines[1].value


def test_lines_are_candidates_with_their_static_parts() -> None:
    position = Position.parse(MIDDLE)
    found = analyse(position, objective="win", lines=20, seed=1)
    assert found.status is Status.COMPLETE
    assert found.effort > 64
    assert [line.value for line in found.lines] == sorted((line.value for line in found.lines), reverse=True)
    moves = [line.move for line in found.lines]
    assert None in moves
    for line in found.lines:
        assert isinstance(line, WinLine)
        low, high = line.win.ci95
        assert low <= line.value <= high
        assert set(line.outs) <= {f"{color}{number}" for color in "RBKO" for number in range(1, 14)} | {"J"}
        if line.move is None:
            assert (line.playable, line.offers.mean, line.offers.how) == ((), 0.0, How.EXACT)
            continue
        assert verify(position, line.move) == []
        rest = list(position.rack)
        for tile in line.move.tiles:
            rest.remove(tile)
        for tile in line.playable:
            assert best_move(Position(line.move.table, [tile])) is not None
            assert best_move(Position(position.table, [tile])) is None
        for tile in line.outs:
            assert best_move(Position(line.move.table, [*rest, tile]), "go_out") is not None


def test_the_same_seed_gives_the_same_lines() -> None:
    position = Position.parse(MIDDLE)
    one, two, other = (analyse(position, objective="win", seed=seed).to_dict() for seed in (1, 1, 2))
    assert one == two
    assert one["lines"] != other["lines"]
    json.dumps(one)


def test_limits() -> None:
    position = Position.parse(MIDDLE)
    few = analyse(position, Limit(nodes=100), objective="win")
    assert few.status is Status.NODES
    assert few.effort <= 100
    assert analyse(position, Limit(seconds=0.05), objective="win").status is Status.TIME


def test_nothing_unseen_is_played_once() -> None:
    position = Position.parse("R1 R2 R3, B1 B2 B3 | K2 K4 | rules=standard+numbers=4+copies=1+jokers=0")
    found = analyse(position, objective="win", pool=0)
    assert {line.win.n for line in found.lines} == {1}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"players": 5}, "players: must be from 2 to 4, not 5"),
        ({"players": True}, "players"),
        ({"opponents": [14, 14]}, "opponents: must be 1 numbers of tiles"),
        ({"opponents": [0]}, "opponents"),
        ({"opponents": [90], "pool": 10}, "opponents: 90 and pool 10 are not the"),
        ({"pool": 1000}, "pool: must be from 0 to"),
        ({"opened": [1]}, "opened: must be 1 times"),
        ({"playing": "nobody"}, "playing: must be one of wait, greedy"),
        ({"seed": -1}, "seed"),
        ({"lines": 0}, "lines"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(SolverError, match=message):
        analyse(Position.parse(MIDDLE), objective="win", **arguments)


def test_bad_positions() -> None:
    with pytest.raises(UnsupportedRules, match="joker_set_locked"):
        analyse(Position.parse("- | R1 | rules=american"), objective="win")
    with pytest.raises(IllegalPosition):
        analyse(Position.parse("R1 R2 | R1"), objective="win")
    with pytest.raises(SolverError, match="rack: is empty"):
        analyse(Position.parse("R1 R2 R3 | -"), objective="win")
    with pytest.raises(SolverError, match="objective: 'tiles' does not ask for players"):
        analyse(Position.parse(MIDDLE), players=3)


def test_player_goes_out_and_waits() -> None:
    one = player("search")
    now = state("standard", ["R9 R10", "K1 K2 K3 K9"], "R6 R7 R8", "yy")
    move = one.choose(now.view(0), 1)
    assert isinstance(move, Move)
    assert move.tiles == ("R9", "R10")
    now = state("standard", ["R9 K1", "K1 K2 K3 K9"], "R6 R7 R8", "yy")
    assert one.choose(now.view(0), 1) is DRAW


def test_names_and_other_rules() -> None:
    assert player("search:samples=16,near=2").name == "search:samples=16"
    assert player("expert").name == "search"
    assert plan_for(Rules(), 8, 2, "points")[3] == 0
    assert plan_for(Rules(must_play=True), 8, 2, "win")[4][0] == "greedy"
    record = games.play(start("family"), [player("search:samples=1"), player("greedy")], 5, 0)
    assert sum(record.returns) == 0


@pytest.mark.parametrize("rules", ["standard", "free"])
def test_fast_games_are_the_slow_ones(rules: str) -> None:
    known = Rules.preset(rules)
    players = [player("search:samples=3"), player("wait:sets=yes,sample=2")]
    fast = play_many(known, players, 4, 0, 4)
    assert fast is not None
    for index, result in enumerate(fast):
        record = games.play(start(known), players, 4, index, check=index == 0)
        assert (record.returns, record.winners) == result


def test_three_search_together() -> None:
    known = Rules.preset("retail")
    players = [player("search:samples=2"), player("search:samples=2,aim=points"), player("greedy")]
    fast = play_many(known, players, 4, 0, 2)
    assert fast is not None
    assert [games.play(start(known, 3), players, 4, index).returns for index in range(2)] == [one[0] for one in fast]


@pytest.mark.parametrize("rules", ["standard", "free"])
def test_what_was_seen_of_the_others_is_the_same_in_both_loops(rules: str) -> None:
    """Who lays often is told from the history of a view, or counted while the game is played."""
    known = Rules.preset(rules)
    players = [player("search:samples=2"), player("keep"), player("wait")]
    fast = play_many(known, players, 8, 0, 3)
    assert fast is not None
    assert [games.play(start(known, 3), players, 8, index).returns for index in range(3)] == [one[0] for one in fast]


SMALL = "standard+colors=2+numbers=5+copies=1+jokers=0+rack_size=1+opening_threshold=0"


def test_what_lets_the_other_go_out_is_held_back() -> None:
    """R4 would let R5 be laid, and the other could go out; B5 cannot be laid before his B4."""
    now = state(SMALL, ["R4 B5", "R5 B4"], "R1 R2 R3, B1 B2 B3", left=2)
    assert now.pool_size == 0
    assert player("search").choose(now.view(0), 1) is PASS
    assert str(player("wait").choose(now.view(0), 1)).startswith("R4 |")


def test_who_must_lay_does_without_a_pool() -> None:
    now = state(f"{SMALL}+pool_empty=forced", ["R4 B5", "R5 B4"], "R1 R2 R3, B1 B2 B3", left=2)
    assert str(player("search").choose(now.view(0), 1)).startswith("R4 |")


def test_history_of_a_seat_that_does_not_exist() -> None:
    known = playouts_for(Rules())
    assert known is not None
    view = state("standard", ["R9 K1", "K1 K2 K3 K9"], "R6 R7 R8", "yy").view(0)
    with pytest.raises(SolverError, match="history: seat 7 is none of 2"):
        known.choose(WAITING, replace(view, history=(Event(7, "draw", drawn=1),)), 1)


def test_candidates_of_a_caller_are_checked() -> None:
    known = playouts_for(Rules())
    assert known is not None
    view = state("standard", ["R9 K1", "K1 K2 K3 K9"], "R6 R7 R8", "yy").view(0)
    plan = (2, 0, 0.5, 1.0, WAITING, WAITING, WAITING)
    with pytest.raises(SolverError, match="lays a tile that is not in the rack"):
        known.weigh(plan, view, 1, 0, [(("R5",), (("R5", "R6", "R7", "R8"),))])
    with pytest.raises(SolverError, match="other tiles"):
        known.weigh(plan, view, 1, 0, [(("R9",), (("R6", "R7", "R8"),))])
    with pytest.raises(SolverError, match="samples: must be 1"):
        known.weigh((0, *plan[1:]), view, 1)
