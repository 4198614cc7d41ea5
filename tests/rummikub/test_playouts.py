"""Turns and whole games in the kernel: against the search, the reference verify, and the loop in Python."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from solver import games
from solver.errors import SolverError, UnsupportedRules
from solver.rummikub import Move, Position, Rules, Solver, verify
from solver.rummikub.game import RummikubState, start
from solver.rummikub.kernel import Searching, Turns, why_not
from solver.rummikub.lays import smallest_opening
from solver.rummikub.objectives import objective_for
from solver.rummikub.players import play_many, player
from solver.rummikub.policies import playouts_for
from solver.rummikub.problem import names

from .random_positions import positions

MEMORY = 64 * 2**20
# What the kernel takes of the options that say what a legal move is.
TAKEN = {
    "opening_joker": ("forbidden", "face", "zero"),
    "opening_uses_table": ("no", "yes"),
    "joker_freeing": ("replace", "any"),
    "joker_source": ("rack_or_table", "rack"),
    "joker_group": ("either", "both"),
    "joker_destination": ("new", "any"),
}
PRESETS = ("standard", "retail", "free", "tournament")
COMPARED = 300
SEED = 6


def turns(rules: Rules) -> Turns:
    return Turns(rules, names(rules.numbers), MEMORY)


def compare(position: Position, objective: str, kernel: Turns, solver: Solver) -> bool:
    """Whether there is a move; the kernel's is legal and worth as much as the search's."""
    found = kernel.best(
        position.table,
        position.rack,
        position.opened,
        "tiles" if objective == "go_out" else objective,
        go_out=objective == "go_out",
    )
    move = solver.best_move(position, objective)
    assert (found is None) == (move is None), f"{position} {objective}"
    if found is None or move is None:
        return False
    tiles, table = found
    problems = verify(position, Move(tiles, table, rules=position.rules))
    assert not problems, f"{position} {objective}: {tiles} {table} {problems}"
    goal = objective_for(objective, None, position.rules)
    assert goal.key(tiles) == goal.key(move.tiles), f"{position} {objective}: {tiles} or {move.tiles}"
    return True


@pytest.mark.parametrize("objective", ["tiles", "value", "penalty", "go_out"])
def test_moves_are_best(objective: str) -> None:
    moves = 0
    for position in positions(COMPARED, SEED, PRESETS, TAKEN, table_tiles=18, rack_tiles=7, jokers=(0, 2)):
        moves += compare(position, objective, turns(position.rules), Solver(position.rules))
    assert moves > COMPARED // 20


@pytest.mark.parametrize("rules", ["standard", "retail", "free", "standard+joker_source=rack+joker_group=both"])
def test_moves_of_games_are_best(rules: str) -> None:
    known = Rules.parse(rules)
    kernel, solver = turns(known), Solver(known)
    moves = 0
    for game in range(2):
        for now, _ in games.steps(start(known), [player("greedy"), player("hold")], SEED, game):
            if now.to_move >= 0:
                assert isinstance(now, RummikubState)
                moves += compare(now.position, ("tiles", "value", "penalty")[now.turn % 3], kernel, solver)
    assert moves > 20


def test_smallest_openings() -> None:
    opened = 0
    for position in positions(COMPARED, SEED, PRESETS, TAKEN, table_tiles=6, rack_tiles=12, jokers=(0, 2)):
        if position.opened:
            continue
        found = turns(position.rules).smallest_opening(position.table, position.rack)
        move = smallest_opening(position, Solver(position.rules))
        assert (found is None) == (move is None), str(position)
        if found is None or move is None:
            continue
        opened += 1
        mine = Move(*found, rules=position.rules)
        assert verify(position, mine) == []
        assert len(mine.tiles) == len(move.tiles)
        assert mine.tiles.count("J") == move.tiles.count("J")
    assert opened > 10


@pytest.mark.parametrize(
    ("rules", "texts", "count"),
    [
        ("standard", "greedy hold", 60),
        ("standard", "wait wait:sample=3", 30),
        ("standard", "value least keep", 20),
        ("standard", "wait greedy wait:at=3,tempo=no hold", 20),
        ("free", "wait:opening=full greedy", 60),
        ("free", "hold wait keep", 20),
        ("standard+must_play=yes", "wait greedy", 30),
        ("free+must_play=yes", "least hold keep", 15),
        ("retail+joker_destination=any+pool_empty=forced", "wait keep value hold", 15),
        ("tournament+draw=2+first_player=highest_triple", "wait greedy hold", 20),
        ("standard+colors=3+numbers=6+jokers=1+rack_size=5+opening_threshold=12", "wait greedy", 60),
    ],
)
def test_fast_games_are_the_slow_ones(rules: str, texts: str, count: int) -> None:
    known = Rules.parse(rules)
    players = [player(text) for text in texts.split()]
    fast = play_many(known, players, SEED, 3, count)
    assert fast is not None
    for index, (returns, winners) in enumerate(fast, 3):
        record = games.play(start(known, len(players)), players, SEED, index, check=index < 5)
        assert (record.returns, record.winners) == (returns, winners)


def test_fast_games_in_parts_and_threads() -> None:
    known = Rules.preset("standard")
    players = [player("greedy"), player("wait")]
    whole = play_many(known, players, SEED, 0, 24)
    assert whole is not None
    with ThreadPoolExecutor(3) as pool:
        parts = list(pool.map(lambda first: play_many(known, players, SEED, first, 6), range(0, 24, 6)))
    assert [game for part in parts for game in part or ()] == whole


def test_policies_as_the_searches_have_them() -> None:
    """What a player lays by searches alone is worth as much as what the kernel lays for it."""
    known = Rules.preset("standard")
    for text in ("greedy", "value", "hold", "keep"):
        one = player(text)
        for now, event in games.steps(start(known), [one, player("greedy")], SEED, 1):
            if now.to_move != 0:
                continue
            other = one.by_search(now.view(0), 1)  # type: ignore[attr-defined]
            assert isinstance(event, Move) == isinstance(other, Move)
            if isinstance(event, Move):
                assert len(event.tiles) == len(other.tiles)
                assert event.value == other.value


def test_what_is_not_for_the_kernel() -> None:
    for rules, field in (("american", "joker_set_locked"), ("family", "take_back"), ("xp160", "jokers=4")):
        known = Rules.preset(rules)
        assert field in why_not(known)
        assert playouts_for(known) is None
        assert play_many(known, [player("greedy")] * known.players[0], 1, 0, 2) is None
        with pytest.raises(UnsupportedRules, match=field):
            turns(known)
    assert play_many(Rules(), [player("greedy"), player("random")], 1, 0, 2) is None


@pytest.mark.parametrize(
    ("table", "rack", "message"),
    [
        ([("R1", "R2")], [], "table"),
        ([("R1", "R2", "R4")], [], "table"),
        ([("R1", "R2", "X4")], [], "X4"),
        ([("J", "J", "J")], [], "table"),
        ([("R1", "R2", "R3")] * 3, [], "copies"),
        ([("R1", "R2", "J"), ("R1", "J", "J")], [], "jokers"),
        ([], ["R1", "R1", "R1"], "rack"),
        ([], ["R14"], "rack"),
        ([("R1", "R2", "R3")], ["R1", "R1"], "copies"),
        ([("R1", "R2", "J"), ("B1", "B2", "J")], ["J", "J"], "jokers"),
    ],
)
def test_bad_positions(table: list[tuple[str, ...]], rack: list[str], message: str) -> None:
    kernel = turns(Rules())
    with pytest.raises(SolverError, match=message):
        kernel.best(table, rack)


@pytest.mark.parametrize("text", ["wait:sample=8", "search", "greedy"])
def test_ctrl_c_ends_many_games(text: str) -> None:
    """Also where the first Python code after the signal is that which makes the key of a decision."""
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        play_many(Rules(), [player(text)] * 2, 1, 0, 1 << 14)
    timer.join()


@pytest.mark.parametrize(
    ("players", "seed", "first", "count", "message"),
    [
        (5, 1, 0, 1, "players: must be one for each seat, not 5"),
        (["greedy"] * 5, 1, 0, 1, "players: must be from 2 to 4"),
        (["greedy"] * 2, True, 0, 1, "seed: must be"),
        (["greedy"] * 2, 1, -1, 1, "first: must be"),
        (["greedy"] * 2, 1, 2**63 - 1, 1, "first .* count: must be"),
        (["greedy"] * 2, 1, "0", 1, "first: must be"),
        (["greedy"] * 2, 1, 0, 2**63, "count: must be"),
        (["greedy"] * 2, 1, 0, True, "count: must be"),
    ],
)
def test_bad_numbers_of_games(players: Any, seed: int, first: Any, count: int, message: str) -> None:
    given = players if players == 5 else [player(text) for text in players]
    with pytest.raises(SolverError, match=message):
        play_many(Rules(), given, seed, first, count)


def test_bad_questions() -> None:
    kernel = Searching(Rules(), names(13), MEMORY)
    with pytest.raises(SolverError, match="objective"):
        kernel.best([], ["R1"], objective="most")
    with pytest.raises(SolverError, match="players"):
        kernel.match([("greedy", 0, False, False, 0, False)], 1, 0, 1)
    with pytest.raises(SolverError, match="players"):
        kernel.match([("greedy", 0, False, False, 0, False)] * 9, 1, 0, 1)
    with pytest.raises(SolverError, match="players"):
        kernel.match([("greedy", 0, False, False, 0, False)] * 5000, 1, 0, 1)
    with pytest.raises(SolverError, match="policy"):
        kernel.match([("nobody", 0, False, False, 0, False)] * 2, 1, 0, 1)
    with pytest.raises(SolverError, match="seed"):
        kernel.match([("greedy", 0, False, False, 0, False)] * 2, -1, 0, 1)
