"""The adviser, known dice, pictures, text forms and bad input."""

from __future__ import annotations

import json
import pickle
import random
import signal
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.errors import IllegalPosition, ParseError, RulesError, SolverError, UnsupportedRules
from solver.limits import Limit, Status
from solver.streams import stream_key
from solver.trek12 import (
    Move,
    Position,
    Rules,
    Sheet,
    Solver,
    analyse,
    best_layout,
    best_move,
    best_moves,
    best_sheet,
    count_moves,
    judge,
    legal_moves,
    loss,
    luck,
    score,
    search,
    sheets,
    solve_batch,
    verify,
    verify_score,
)
from solver.trek12 import reference as naive
from solver.trek12.bounds import highest, upper_bound
from solver.trek12.graphs import graph_of
from solver.trek12.kernel import Player
from solver.trek12.nets import heuristic, net_for
from solver.trek12.render import render_svg, render_text
from solver.trek12.search import EXACT_SHARE, MEMORY, SAMPLES, STEP, _solve_slice
from solver.trek12.train import main as train_command
from solver.trek12.train import train
from tests.trek12.positions import OWN, SHEETS, random_game, random_position

OPENING = "dunai | . . . . . . . . . . 4 . 5 . . . . . . | 3 3 4 4 4 | 10-12 | 2,3"


@pytest.mark.parametrize("links", ["mandatory", "optional", "free"])
def test_moves_of_the_adviser_are_legal_and_repeatable(links: str) -> None:
    rules = Rules(links=links)
    rng = random.Random(links)
    warm = Solver(rules)
    for sheet in (*SHEETS, OWN):
        for position in list(random_game(rng, sheet, rules))[1:-1:4]:
            lines = warm.best_moves(position, 3)
            assert all(verify(position, line.move) == [] for line in lines)
            assert [line.value for line in lines] == sorted((line.value for line in lines), reverse=True)
            again = best_moves(position, 3)
            assert [line.move for line in lines] == [line.move for line in again]
            assert [line.value for line in lines] == pytest.approx([line.value for line in again], abs=1e-9)


def test_analysis_before_the_roll_is_the_mean_of_its_table() -> None:
    position = Position.parse(OPENING).with_roll(None)
    found = analyse(position, samples=100)
    assert len(found.table) == 26
    assert sum(line.weight for line in found.table) == 36
    assert found.value.mean == pytest.approx(sum(line.weight * line.value for line in found.table) / 36)
    assert found.distribution is not None
    assert found.distribution.mean.n == 100
    assert json.loads(json.dumps(found.to_dict()))["value"]["how"] == "heuristic"


def test_reach_and_beat() -> None:
    rng = random.Random(8)
    late = random_position(rng, "dunai", Rules(), 2).with_roll((2, 3))
    now = score(late).total
    reach = best_moves(late, 3, "reach", target=now + 3)
    assert reach == best_moves(late, 3, "beat", target=now + 2)
    assert all(line.exact and 0 <= line.value <= 1 for line in reach)
    early = Position.parse(OPENING)
    found = analyse(early, objective="reach", target=95, samples=100, lines=2)
    assert found.value.how == "rollout"
    assert 0 < found.value.mean < 1
    assert found.value.se > 0


def test_luck_and_loss() -> None:
    rng = random.Random(9)
    solver = Solver()
    position = random_position(rng, "kagkot", Rules(), 3)
    total = 0.0
    for yellow in range(6):
        for red in range(1, 7):
            total += solver.luck(position.with_roll((yellow, red)))
    assert total / 36 == pytest.approx(0, abs=1e-9)
    rolled = position.with_roll((1, 3))
    losses = [solver.loss(rolled, move) for move in solver.legal_moves(rolled)]
    assert min(losses) == 0
    assert solver.judge(rolled, best_move(rolled)).exact  # type: ignore[arg-type]


def test_limits_end_the_search() -> None:
    rng = random.Random(10)
    position = random_position(rng, "dunai", Rules(), 8).with_roll((2, 4))
    stopped = analyse(position, Limit(nodes=100), samples=0)
    assert stopped.status is Status.NODES
    assert not stopped.lines[0].exact
    cancelled = analyse(position, Limit(nodes=10**6), samples=0, cancel=lambda: True)
    assert cancelled.status in (Status.CANCELLED, Status.COMPLETE)
    own = Position.start(OWN, Rules(), (2, 4))
    assert analyse(own, Limit(seconds=1e-6), samples=0).lines


def test_ended_and_empty_sheets() -> None:
    *_, last = random_game(random.Random(1), OWN, Rules())
    assert best_move(last.with_roll((1, 2))) is None
    assert best_moves(last.with_roll((1, 2))) == []
    assert count_moves(last.with_roll((1, 2))) == 0
    assert analyse(last).value.mean == score(last).total
    assert score(Position.start("dunai")).total == 0


def test_batches_keep_their_order() -> None:
    rng = random.Random(3)
    positions = [position for position in random_game(rng, "dhaulagiri", Rules()) if position.roll][::3]
    assert solve_batch(positions) == [best_move(position) for position in positions]
    assert solve_batch([]) == []


def foreseen(position: Position, rolls: list[tuple[int, int]]) -> int:
    if not rolls or position.over:
        return naive.score(position)
    return max(foreseen(after, rolls[1:]) for _, after in naive.successors(position.with_roll(rolls[0])))


@pytest.mark.parametrize("links", ["mandatory", "optional"])
def test_known_dice_are_played_out_exactly_on_small_sheets(links: str) -> None:
    rng = random.Random(links)
    sheet = "graph:5:0-1,0-2,1-2,2-3,3-4:3"
    rules = Rules(links=links)
    for _ in range(2):
        rolls = [(rng.randrange(6), rng.randint(1, 6)) for _ in range(4)]
        found = best_sheet(sheet, rolls, rules=rules, width=100_000)
        assert found.exact
        assert found.total == foreseen(Position.start(sheet, rules), rolls) == found.bound
        assert upper_bound(Sheet.parse(sheet), rolls, rules) >= found.total
        assert found.position.problems() == []
        assert best_sheet(sheet, rolls, order="free", rules=rules, width=100_000).total >= found.total


def test_the_best_known_sheet_of_dunai() -> None:
    links = "2-0 3-4 7-6 9-8 10-12 11-13 14-16 15-17"
    position = Position.parse(f"dunai | 6 6 5 5 6 6 6 5 6 5 11 11 12 12 11 11 12 12 5 | 0 0 1 0 0 | {links} | -")
    assert position.problems() == []
    assert score(position).total == naive.score(position) == 160 <= upper_bound(position.sheet, None, Rules())


def test_no_layout_exceeds_the_bound() -> None:
    rng = random.Random(21)
    for _ in range(40):
        sheet = sheets()[rng.choice(SHEETS)]
        low = rng.randrange(9)
        cells = tuple(rng.randint(low, low + rng.choice([1, 2, 3, 4])) for _ in range(sheet.circles))
        counts = tuple(cells.count(number) for number in range(13))
        least = tuple(sum(counts[number:]) for number in range(13))
        assert highest(counts, least) >= naive.best_layout(sheet, cells)[0]
    # a row of 1 to 5, and two areas of three 4s apart from each other
    assert highest((0, 1, 1, 1, 1, 1, *[0] * 7), (5, 5, 4, 3, 2, 1, *[0] * 7)) == 1 + 8 + 6
    assert highest((*[0] * 4, 6, *[0] * 8), (*[6] * 5, *[0] * 8)) == 4 + 5 + 10
    assert upper_bound(sheets()["dunai"], [], Rules()) == 0


def test_best_sheets_with_free_dice() -> None:
    found = best_sheet("kagkot", width=300)
    assert found.position.problems() == []
    assert 173 == found.bound >= found.total == score(found.position).total >= 139
    assert best_sheet("kagkot", width=300) == found
    free = best_sheet("graph:5:0-1,0-2,1-2,2-3,3-4:3", rules=Rules(links="free"), width=300)
    assert not free.exact


def test_a_net_learns_and_its_training_repeats() -> None:
    sheet = Sheet.parse(OWN)
    net = train(sheet, seed=3, games=2000, trace=0.5)
    assert np.array_equal(net, train(sheet, seed=3, games=2000, trace=0.5))
    key = stream_key(1, "test")
    means = []
    for policy, weights in ((0, None), (2, net)):
        out = np.zeros(500, np.int32)
        Player(graph_of(sheet), policy, weights, 0, 0).games(key, 0, bytes([4] * 5), out)
        means.append(out.mean())
    assert means[1] > means[0] + 10
    own = Solver(weights={str(sheet): net})
    assert own.best_move(Position.start(sheet, roll=(2, 3))) is not None


@pytest.mark.parametrize(("sheet", "least"), [("dunai", 94), ("kagkot", 87), ("dhaulagiri", 88)])
def test_strength_of_the_shipped_nets(sheet: str, least: float) -> None:
    out = np.zeros(500, np.int32)
    key = stream_key(1, "test")
    net = net_for(sheets()[sheet])
    Player(graph_of(sheets()[sheet]), 2, net, 0, 0).games(key, 0, bytes([4] * 5), out)
    assert out.mean() > least
    Player(graph_of(sheets()[sheet]), 1, heuristic(), 0, 0).games(key, 0, bytes([4] * 5), out)
    assert out.mean() > 70


def test_text_forms_round_trip() -> None:
    rng = random.Random(6)
    for sheet in (*SHEETS, OWN):
        for rules in (Rules(), Rules(links="optional", bad_circle="forced_only"), Rules(op_limits=(4, 4, 4, 4, 5))):
            for position in random_game(rng, sheet, rules):
                assert Position.parse(str(position)) == position
                assert Position.from_dict(json.loads(json.dumps(position.to_dict()))) == position
                assert pickle.loads(pickle.dumps(position)) == position
    move = Move.parse("sum@4+9+2")
    assert str(move) == "sum@4+2+9"
    assert Move.from_dict(move.to_dict()) == move
    assert Rules.parse("free+op_limits=5") == Rules(links="free", op_limits=(5, 5, 5, 5, 5))
    assert Sheet.from_dict(sheets()["dunai"].to_dict()) == sheets()["dunai"]
    assert str(Sheet.parse(OWN)) == OWN
    # an id of a caller's own is no name that can be read, least of all one of a published sheet
    for name in ("mine", "dunai"):
        own = Position.start(Sheet(2, ((0, 1),), id=name))
        assert Position.parse(str(own)) == own
    dunai = sheets()["dunai"]
    assert str(Sheet(dunai.circles, dunai.edges, summit=dunai.summit)) == "dunai"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x | . | 4 4 4 4 4 | - | -",
        "dunai | . . | 4 4 4 4 4 | - | -",
        "graph:2:0-1 | . q | 4 4 4 4 4 | - | -",
        "graph:2:0-1 | . . | 4 4 4 4 | - | -",
        "graph:2:0-1 | . . | 4 4 4 4 -1 | - | -",
        "graph:2:0-1 | . . | 4 4 4 4 4 | 0:1 | -",
        "graph:2:0-1 | . . | 4 4 4 4 4 | - | 5",
        "graph:2:0-1 | . . | 4 4 4 4 4 | - | - | foo",
        "graph:65:0-1 | . | 4 4 4 4 4 | - | -",
        "graph:3:0-1 | . . . | 4 4 4 4 4 | - | -",
        "graph:2:0-9 | . . | 4 4 4 4 4 | - | -",
        "graph:2:0-1-0 | . . | 4 4 4 4 4 | - | -",
        "graph:2:0- | . . | 4 4 4 4 4 | - | -",
        "graph:2:0-1,- | . . | 4 4 4 4 4 | - | -",
        "graph:\u0662:0-1 | . . | 4 4 4 4 4 | - | -",
        "graph:2:0-1:0,, | . . | 4 4 4 4 4 | - | -",
        "graph:2:" + "9" * 100_000 + "-1 | . . | 4 4 4 4 4 | - | -",
    ],
)
def test_text_that_cannot_be_read(text: str) -> None:
    with pytest.raises(ParseError) as caught:
        Position.parse(text)
    assert len(str(caught.value)) < 400
    assert "invalid literal" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("graph:2:0-1 | 13 . | 3 4 4 4 4 | - | -", "above 12"),
        ("graph:2:0-1:0 | 7 . | 4 4 4 3 4 | - | -", "above 6"),
        ("graph:3:0-1,1-2 | 1 . 1 | 3 3 4 4 4 | - | -", "apart"),
        ("graph:2:0-1 | 1 . | 5 4 4 4 4 | - | -", "more than 4"),
        ("graph:2:0-1 | 1 . | 4 4 4 4 4 | - | -", "0 boxes used for 1 circle filled"),
        ("graph:2:0-1 | 11 . | 3 4 4 4 4 | - | -", "but 0 boxes of it used"),
        ("graph:2:0-1 | 7 . | 4 4 4 4 3 | - | -", "but 0 boxes of it used"),
        ("graph:2:0-1 | X . | 3 4 4 4 4 | - | -", "but 0 boxes of it used"),
        ("graph:2:0-1 | 1 3 | 3 3 4 4 4 | 0-1 | -", "no step of 1"),
        ("graph:2:0-1 | 1 2 | 3 3 4 4 4 | 0-5 | -", "no circle 5"),
        ("graph:2:0-1 | 1 2 | 3 3 4 4 4 | - | -", "should have been drawn"),
        ("graph:2:0-1 | 1 2 | 3 3 4 4 4 | 0-1 | - | rules=free", "free links"),
        ("graph:3:0-1,0-2 | 1 2 2 | 3 2 4 4 4 | 0-1 0-2 | -", "linked up twice"),
        ("graph:2:0-1 | . . | 4 4 4 4 4 | - | 6,1", "yellow"),
        ("graph:2:0-1 | . . | 4 4 4 4 4 | - | 1,0", "red"),
    ],
)
def test_positions_that_break_rules(text: str, problem: str) -> None:
    position = Position.parse(text)
    assert any(problem in found for found in position.problems()), position.problems()
    for call in (lambda: score(position), lambda: best_move(position), lambda: analyse(position)):
        with pytest.raises(IllegalPosition):
            call()
    assert render_text(position)
    assert render_svg(position)


def test_crowded_sheets_end_within_reason() -> None:
    """A sheet on which all circles touch: layouts are too many to be found, play goes on without them."""
    edges = ",".join(f"{a}-{b}" for a in range(40) for b in range(a))
    rules = Rules(links="free", op_limits=8)
    position = Position.start(f"graph:40:{edges}", rules)
    rng = random.Random(1)
    while position.empties > 3:
        position = position.with_roll((rng.randrange(6), rng.randint(1, 6)))
        position = position.play(rng.choice(list(naive.legal_moves(position))))
    found = analyse(position.with_roll((2, 3)), Limit(seconds=1), samples=0)
    assert verify(position.with_roll((2, 3)), found.lines[0].move) == []
    own = Position.start(OWN, Rules(), (2, 3))
    assert Solver().judge(own, Move("low", 7)).loss >= 0


@pytest.mark.parametrize("text", [OPENING, OPENING.replace("2,3", "-"), str(Position.start(OWN, Rules(), (2, 3)))])
def test_limits_and_cancels_end_the_distribution_too(text: str) -> None:
    position = Position.parse(text)
    found = analyse(position, Limit(seconds=1e-6))
    assert found.status is Status.TIME
    assert found.distribution is not None
    assert found.distribution.mean.n == STEP
    found = analyse(position, cancel=lambda: True)
    assert found.status is Status.CANCELLED
    assert found.distribution is not None
    assert found.distribution.mean.n == STEP


def test_all_moves_need_not_be_looked_at_when_time_is_up() -> None:
    """Then the roller's own choice is among the few, and the best of them is legal."""
    edges = ",".join(f"{a}-{b}" for a in range(64) for b in range(a))
    position = Position.start(f"graph:64:{edges}", Rules(links="free", op_limits=16), (2, 3))
    found = analyse(position, Limit(seconds=1e-6), lines=100)
    assert 1 < len(found.lines) < 100
    assert found.effort < 500
    assert verify(position, found.lines[0].move) == []


def test_luck_and_loss_without_a_solver() -> None:
    position = Position.start(OWN, Rules(), (2, 3))
    while position.empties > 3:
        move = best_move(position)
        assert move is not None
        position = position.play(move).with_roll((2, 3))
    move = next(legal_moves(position))
    found = judge(position, move)
    assert found.exact
    assert (luck(position), loss(position, move)) == (found.luck, found.loss)
    assert json.loads(json.dumps(found.to_dict()))["best"]["move"] == found.best.move.to_dict()


def test_rollouts_listen_to_signals() -> None:
    """A signal ends the games in the middle; no clock is read, the scores that are left out show it."""

    class Stop(Exception):
        pass

    def stop(number: int, frame: object) -> None:
        raise Stop

    position = Position.start(OWN)
    player = Player(graph_of(position.sheet), 1, heuristic(), 0, 0)
    untouched = -(10**6)
    out = np.full((1, 2_000_000), untouched, np.int32)
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(Stop):
            player.rollouts(*position.packed, b"", 1, 0, out)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert out[0, -1] == untouched


def test_a_cancelled_search_counts_its_samples() -> None:
    position = Position.start(OWN, roll=(2, 5))
    found = analyse(position, samples=0, cancel=lambda: True)
    assert found.status is Status.CANCELLED
    assert 0 < found.value.n < SAMPLES
    assert analyse(position, samples=0).value.n == SAMPLES
    # looking at the clock more often changes no dice
    assert analyse(position, samples=0).lines == analyse(position, samples=0, cancel=lambda: False).lines


@pytest.mark.parametrize(
    "text", [str(Position.start(OWN)), "dunai | . . . . . . . . . . 4 . . . . . . . . | 3 4 4 4 4 | - | -"]
)
def test_an_endgame_that_does_not_end_leaves_time_for_what_takes_its_place(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a longer limit would mean fewer games played on, and worse moves."""
    position = Position.parse(text)
    rng = random.Random(text)
    while position.empties > 8:
        position = position.with_roll((rng.randrange(6), rng.randint(1, 6)))
        position = position.play(rng.choice(list(legal_moves(position))))
    given: list[float] = []

    def no_time(limit: Limit | None) -> tuple[float, int]:
        assert limit is not None
        assert limit.seconds is not None
        given.append(limit.seconds)
        return 0.0, 1

    monkeypatch.setattr(search, "_limits", no_time)
    limit = Limit(seconds=1000)
    rolled = position.with_roll((2, 3))
    found = analyse(rolled, limit, samples=0, objective="reach", target=40)
    assert (found.status, found.value.how, found.value.n) == (Status.NODES, "rollout", SAMPLES)
    assert len(given) == 1
    assert given[0] <= EXACT_SHARE * 1000
    before = analyse(position, limit, samples=0, objective="reach", target=40)
    assert (before.status, before.value.how, before.value.n) == (Status.NODES, "rollout", SAMPLES)
    assert len(before.table) == 26
    assert len(given) == 2  # what did not end before the roll is not tried again for each roll
    assert given[1] <= EXACT_SHARE * 1000
    judge(rolled, next(legal_moves(rolled)), limit=limit)
    assert max(given) <= 1000


def test_a_batch_that_is_stopped_ends() -> None:
    positions = [Position.parse(OPENING)] * 3
    assert _solve_slice((MEMORY, {}, "mean", None, 0, None), positions, lambda: True) == [best_move(positions[0])]


def test_the_command_that_trains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "net"
    path = "graph:4:0-1,1-2,2-3"
    train_command([path, "--seed", "5", "--games", "16", "--trace", "0.5", "--out", str(out)])
    with np.load(out.with_suffix(".npz")) as data:
        assert str(data["made"]) == f"python -m solver.trek12.train {path} --seed 5 --games 16 --trace 0.5"
        again = train(Sheet.parse(path), seed=5, games=16, trace=0.5).astype(np.float16)
        assert data["weights"].tolist() == again.tolist()
    for bad, named in (
        (["dunai", "--games", "0"], "games"),
        (["dunai", "--seed", "-1"], "seed"),
        (["dunai", "--trace", "nan"], "trace"),
        (["nowhere"], "sheet"),
        (["amazonia_1"], "sheet"),
        (["dunai", "--out", str(tmp_path / "no" / "net")], "No such file"),
        (["dunai", "--out", ""], "empty name"),
    ):
        with pytest.raises(SystemExit):
            train_command(["--out", str(out), *bad])
        assert named in capsys.readouterr().err.splitlines()[-1]


def test_bad_arguments() -> None:
    position = Position.parse(OPENING)
    calls: list[Any] = [
        lambda: best_move(position, "fast"),
        lambda: best_move(position, "beat"),
        lambda: best_move(position, target=3),
        lambda: best_moves(position, 0),
        lambda: best_move(position, seed=-1),
        lambda: best_move(position.with_roll(None)),
        lambda: best_move("dunai"),  # type: ignore[arg-type]
        lambda: Solver(Rules(links="free")).best_move(position),
        lambda: Solver(memory=-1),
        lambda: best_layout(position),
        lambda: best_sheet("dunai", [(9, 9)]),
        lambda: best_sheet("dunai", order="x"),
        lambda: best_sheet("dunai", width=0),
        lambda: Rules(links="x"),
        lambda: Rules(op_limits=(0, 0, 0, 0, 0)),
        lambda: Rules.parse("mandatory+foo=1"),
        lambda: Rules.parse("mandatory+op_limits=4,x"),
        lambda: Sheet(3, ((0, 1),)),
        lambda: Sheet(2, ((0, 0),)),
        lambda: Move.parse("sum@x"),
        lambda: Move("sum", 99),
        lambda: position.play(Move("sum", 10)),
        lambda: analyse(position, samples=-1),
        lambda: analyse(position, 5),  # type: ignore[arg-type]
        lambda: analyse(position.with_roll(None), 5),  # type: ignore[arg-type]
        lambda: best_move(position, limit=3),  # type: ignore[arg-type]
        lambda: Solver().analyse(None),  # type: ignore[arg-type]
        lambda: Solver(memory=10**30),
        lambda: Solver(weights=5),  # type: ignore[arg-type]
        lambda: Solver(weights={"dunai": np.zeros(5, np.float32)}).best_move(position),
        lambda: Solver(weights={"dunai": "x"}).best_move(position),  # type: ignore[dict-item]
        lambda: solve_batch(5),  # type: ignore[arg-type]
        lambda: Position.start(None),  # type: ignore[arg-type]
        lambda: Position.start("dunai", "free"),  # type: ignore[arg-type]
        lambda: position.play(None),  # type: ignore[arg-type]
        lambda: verify("x", Move("low", 1)),  # type: ignore[arg-type]
        lambda: score("x"),  # type: ignore[arg-type]
        lambda: best_layout("x"),  # type: ignore[arg-type]
        lambda: verify_score(Position.start("dunai", Rules(links="free")), 0),
        lambda: best_sheet(5),  # type: ignore[arg-type]
        lambda: best_sheet("dunai", 5),  # type: ignore[arg-type]
        lambda: best_sheet("dunai", [(0, 1)], rules="free"),  # type: ignore[arg-type]
        lambda: best_sheet("dunai", [(0, 1)], limit=4),  # type: ignore[arg-type]
        lambda: Move.from_dict({"op": "low", "circle": 1, "links": 5}),
        lambda: Sheet.parse(5),  # type: ignore[arg-type]
        lambda: Sheet(2, ((0, 1),), places=5),  # type: ignore[arg-type]
        lambda: Sheet(2, ((0, 1),), places=((float("nan"), 1), (1, 2))),
        lambda: Sheet(2, ((0, 1),), id=5),  # type: ignore[arg-type]
        lambda: Sheet(2, ((0, 10**5000),)),
        lambda: best_move(position, np.array([1, 2])),  # type: ignore[arg-type]
        lambda: analyse(position, cancel=5),  # type: ignore[arg-type]
        lambda: solve_batch([position], 5),  # type: ignore[arg-type]
        lambda: verify_score(position, "x"),  # type: ignore[arg-type]
        lambda: verify_score(position, np.array([1, 2])),  # type: ignore[arg-type]
        lambda: best_sheet("dunai", order=np.array([1, 2])),  # type: ignore[arg-type]
        lambda: best_sheet("dunai", [(10**5000, 1)]),
        lambda: Solver(weights={"dunai": 10**5000}).best_move(position),  # type: ignore[dict-item]
        lambda: Position("dunai", (np.array([1, 2]),) * 19, (4,) * 5),  # type: ignore[arg-type]
        lambda: train(sheets()["dunai"], seed=1, games=0),
        lambda: train(sheets()["dunai"], seed=-1, games=8),
        lambda: train(sheets()["dunai"], seed=1, games=8, trace=float("nan")),
        lambda: train(sheets()["dunai"], seed=1, games=8, links=2),
        lambda: train(sheets()["amazonia_1"], seed=1, games=8),
        lambda: train("dunai", seed=1, games=8),  # type: ignore[arg-type]
    ]
    for call in calls:
        with pytest.raises(SolverError):
            call()
    assert issubclass(UnsupportedRules, SolverError)
    assert issubclass(RulesError, SolverError)


def test_pictures() -> None:
    position = Position.parse(OPENING)
    assert "(4)" in render_text(position)
    move = best_move(position)
    assert move is not None
    assert "*" in render_text(position, move)
    assert "\x1b[" in render_text(position, move, color=True)
    root = ET.fromstring(render_svg(position, move))
    assert len([node for node in root.iter() if node.tag.endswith("circle")]) == 19
    assert render_text(Position.start(OWN))


def test_a_batch_names_the_bad_position() -> None:
    good = Position.parse("dunai | . . . . . . . . . . . . . . . . . . . | 4 4 4 4 4 | - | 2,5")
    without_roll = Position.parse("dunai | . . . . . . . . . . . . . . . . . . . | 4 4 4 4 4 | - | -")
    with pytest.raises(SolverError, match=r"^positions\[1\]: "):
        solve_batch([good, without_roll])
