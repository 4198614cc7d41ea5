"""Players: what they promise, and the fast loop against the slow one."""

from __future__ import annotations

import os
import pickle
import random
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from solver import games
from solver.errors import LimitReached, SolverError
from solver.trek12 import Position, Rules, Solver, score, verify
from solver.trek12 import reference as naive
from solver.trek12.game import EXPEDITION, Roll, TrekState, TrekView, start
from solver.trek12.players import LEVELS, PLAYERS, play_many, player
from tests.trek12.positions import OWN, random_game, random_position, random_roll

CLIQUE = "graph:40:" + ",".join(f"{a}-{b}" for a in range(40) for b in range(a))


def view_of(position: Position) -> TrekView:
    """What the only player sees."""
    roll = position.roll
    assert roll is not None
    row = (position.with_roll(None),)
    return TrekState(position.rules, (position.sheet,), (row,), Roll(*roll)).view(0)


def both(names: list[str], rules: Rules, count: int, sheet: str, first: int = 0) -> None:
    """The fast loop gives the returns and winners of the slow one."""
    players = [player(name) for name in names]
    fast = play_many(rules, players, 11, first, count, sheet=sheet)
    assert fast is not None
    for index, (returns, winners) in zip(range(first, first + count), fast, strict=True):
        state = start(rules, len(players), sheet=sheet)
        for now, _ in games.steps(state, players, 11, index):
            state = now
        assert state.returns() == returns
        assert state.winners() == winners


@pytest.mark.parametrize("links", ["mandatory", "optional", "free"])
@pytest.mark.parametrize("sheet", ["dunai", "kagkot", "dhaulagiri", OWN])
def test_the_fast_loop_plays_the_same_games(links: str, sheet: str) -> None:
    both(["random", "greedy", "heuristic", "net"], Rules(links=links), 25, sheet, first=3)
    both(["random", "greedy", "heuristic"], Rules(links=links, bad_circle="forced_only"), 8, sheet)


def test_the_fast_loop_plays_the_same_expeditions() -> None:
    both(["random", "heuristic", "random", "net"], Rules(), 12, EXPEDITION)
    both(["greedy"], Rules(), 6, EXPEDITION)
    both(["heuristic", "random"], Rules(op_limits=(1, 2, 0, 1, 3)), 12, EXPEDITION)


def test_the_fast_loop_plays_the_same_games_of_amazonia() -> None:
    both(["random", "greedy", "net"], Rules.parse("amazonia+observations=frog:3,ara:4"), 15, "amazonia_1")


def test_the_fast_loop_plays_the_same_games_of_the_adviser() -> None:
    both(["adviser", "adviser:exact=2,width=3"], Rules(), 3, "dunai")
    both(["adviser"], Rules(links="free"), 2, "kagkot")


def test_equal_players_write_the_same_sheets_in_any_seat() -> None:
    fast = play_many(Rules(), [player("heuristic")] * 2, 1, 0, 50)
    assert fast is not None
    assert all(returns[0] == returns[1] and winners == (0, 1) for returns, winners in fast)
    parts = [play_many(Rules(), [player("random"), player("net")], 1, first, 25) for first in (0, 25)]
    assert parts[0] + parts[1] == play_many(Rules(), [player("random"), player("net")], 1, 0, 50)  # type: ignore[operator]
    assert play_many(Rules(), [player("net")], 1, 0, 0) == []


def test_players_without_a_kernel_and_layouts_too_large_have_no_fast_loop() -> None:
    assert play_many(Rules(), [player("net"), player("deep")], 1, 0, 5) is None
    assert play_many(Rules(), [player("reach")], 1, 0, 5) is None
    wide = Rules(links="free", op_limits=16)
    assert play_many(wide, [player("heuristic")], 1, 0, 1, sheet=CLIQUE) is None
    with pytest.raises(LimitReached, match="layout"):
        games.play(start(wide, 1, sheet=CLIQUE), [player("heuristic")], 1, 0)


@pytest.mark.parametrize("links", ["mandatory", "optional", "free"])
@pytest.mark.parametrize("name", ["random", "greedy", "heuristic", "net", "adviser", "reach"])
def test_moves_are_legal_and_repeatable(name: str, links: str) -> None:
    rng = random.Random(links)
    warm = player(name)
    for sheet in ("dunai", OWN):
        for position in list(random_game(rng, sheet, Rules(links=links)))[:-1:3]:
            key = rng.getrandbits(64)
            move = warm.choose(view_of(position), key)
            assert verify(position, move) == []
            assert player(name).choose(view_of(position), key) == move


def test_random_moves_have_equal_chances() -> None:
    position = random_position(random.Random(3), "dunai", Rules(), 3).with_roll((2, 5))
    moves = list(naive.legal_moves(position))
    drawn = random.Random(4)
    counted = dict.fromkeys(moves, 0)
    for _ in range(300 * len(moves)):
        counted[player("random").choose(view_of(position), drawn.getrandbits(64))] += 1
    assert all(220 < number < 380 for number in counted.values())  # 300 each, at most 17.3 standard deviation


@pytest.mark.parametrize("links", ["mandatory", "optional"])
def test_greedy_takes_the_most_points_then_the_highest_number(links: str) -> None:
    rng = random.Random(links)
    greedy = player("greedy")
    for sheet in ("dunai", "kagkot", OWN):
        for position in list(random_game(rng, sheet, Rules(links=links)))[:-1]:
            worth = {}
            for move, after in naive.successors(position):
                number = after.cells[move.circle]
                worth[move] = (score(after).total, number if isinstance(number, int) else 0)
            assert worth[greedy.choose(view_of(position), 0)] == max(worth.values())


def test_reach_takes_the_best_chance_of_the_summit() -> None:
    rng = random.Random(8)
    decided = 0
    for _ in range(12):
        # positions of the net's games, where the summit is in doubt
        state = start(players=1)
        net = player("heuristic")
        while state.boards[-1][0].empties > 4:
            state = state.apply(Roll(*random_roll(rng)))
            state = state.apply(net.choose(state.view(0), 0))
        state = state.apply(Roll(*random_roll(rng)))
        lines = {line.move: line.value for line in Solver().best_moves(state.position, 500, "reach")}
        best = max(lines.values())
        assert lines[player("reach").choose(state.view(0), 0)] == pytest.approx(best, abs=1e-9)
        decided += 0 < best < 1
    assert decided > 1


def test_deep_does_not_depend_on_the_moves_before() -> None:
    rng = random.Random(2)
    position = random_position(rng, "dunai", Rules(), 6).with_roll((2, 5))
    warm = player("deep:nodes=20000")
    for other in (4, 5, 6):
        warm.choose(view_of(random_position(rng, "dunai", Rules(), other).with_roll((1, 4))), 1)
    assert warm.choose(view_of(position), 5) == player("deep:nodes=20000").choose(view_of(position), 5)


def test_strength() -> None:
    """Mean scores are those of the table in docs, within five standard errors."""
    for name, count, mean, error in (
        ("random", 1000, 6.6, 0.5),
        ("greedy", 2000, 53.5, 0.3),
        ("net", 1000, 94.7, 0.32),
    ):
        found = play_many(Rules(), [player(name)], 77, 0, count)
        assert found is not None
        assert abs(sum(returns[0] for returns, _ in found) / count - mean) < 5 * error


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("random", "random"),
        (" net ", "net"),
        ("adviser:exact=3", "adviser"),
        ("adviser:width=24,exact=4", "adviser:exact=4,width=24"),
        ("deep:nodes=5", "deep:nodes=5"),
    ],
)
def test_names_are_canonical(text: str, name: str) -> None:
    made = player(text)
    assert made.name == name
    assert player(made.name).name == name
    assert pickle.loads(pickle.dumps(made)).name == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (7, "player: must be text"),
        ("", "player: no ''"),
        ("Net", "player: no 'Net'"),
        ("net:", "net has no option ''; there are none"),
        ("net:exact=3", "net has no option 'exact=3'"),
        ("adviser:exact", "no option 'exact'; there are exact, width"),
        ("adviser:exact=7", "exact: must be 0 to 6, not '7'"),
        ("adviser:exact=-1", "exact: must be 0 to 6"),
        ("adviser:exact=²", "exact: must be 0 to 6"),
        ("adviser:exact=2,exact=2", "exact: given twice"),
        ("adviser:width=0", "width: must be 1 to 64"),
        ("deep:nodes=" + "9" * 5000, "nodes: must be"),
    ],
)
def test_bad_names_are_refused(text: str, message: str) -> None:
    with pytest.raises(SolverError, match=message):
        player(text)


@pytest.mark.parametrize(("first", "count", "name"), [(-1, 1, "first"), (2**63, 1, "first"), (0, -1, "count")])
def test_bad_numbers_of_games_are_refused(first: int, count: int, name: str) -> None:
    with pytest.raises(SolverError, match=f"{name}: must be"):
        play_many(Rules(), [player("net")], 1, first, count)


def test_every_player_and_level_can_be_made() -> None:
    assert all(player(name).name == name for name in PLAYERS)
    assert all(player(text).name == text for text in LEVELS.values())


def test_large_sheets_are_played() -> None:
    """40 circles that all touch, free links: no layout of chains may take for ever."""
    for links in ("mandatory", "free"):
        state = start(Rules(links=links), 1, sheet=CLIQUE)
        for _ in range(6):
            state = state.apply(state.sample(1, 0))
            state = state.apply(player("adviser").choose(state.view(0), 0))
        assert state.turn == 6


def test_threads_may_share_a_player() -> None:
    rng = random.Random(6)
    views = [view_of(position) for position in list(random_game(rng, "dunai", Rules(links="free")))[:-1]] * 4
    net = player("net")
    alone = [net.choose(view, 0) for view in views]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda view: net.choose(view, 0), views)) == alone


def test_ctrl_c_ends_exact_endgames() -> None:
    """A signal that comes within an endgame is neither lost nor taken for values of 0."""
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        play_many(Rules(), [player("adviser:exact=6")], 1, 0, 1000)
    timer.join()
