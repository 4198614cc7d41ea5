"""Matches: fair, the same for any number of workers, with honest statistics and a stop rule that keeps its promises."""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import random
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solver import match as matches
from solver import records
from solver.errors import IllegalAction, SolverError
from solver.match import MatchResult, Stop, Watch, config_path, match, series
from solver.results import Estimate, How
from tests import toy
from tests.test_games import Cheat

PLAYERS = ("take:3", "random")


def test_every_player_sits_everywhere_on_the_same_deal(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    match(toy.GAME, ("random", "take:1", "take:2"), games=12, seed=3, records=path)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["number"] for line in lines] == list(range(12))
    for deal in range(4):
        three = lines[3 * deal : 3 * deal + 3]
        assert {line["index"] for line in three} == {deal}
        assert sorted(line["seats"] for line in three) == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
        assert len({tuple(line["deal"]) for line in three}) == 1
        for line in three:
            assert line["players"] == [("random", "take:1", "take:2")[at] for at in line["seats"]]


def test_equal_players_are_exactly_even() -> None:
    result = match(toy.GAME, ("random", "random"), games=60)
    assert [wins.mean for wins in result.wins] == [0.5, 0.5]
    assert result.wins[0].se == 0


def test_statistics_come_from_rotations(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    result = match(toy.GAME, PLAYERS, games=40, seed=1, records=path)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    shares, points = [], []
    for pair in zip(lines[::2], lines[1::2], strict=True):
        seats = [line["seats"].index(0) for line in pair]
        shares.append(sum(seat in line["winners"] for seat, line in zip(seats, pair, strict=True)) / 2)
        points.append(sum(line["returns"][seat] for seat, line in zip(seats, pair, strict=True)) / 2)
    for found, values in ((result.wins[0], shares), (result.points[0], points)):
        mean = sum(values) / 20
        assert found.n == 20
        assert found.mean == pytest.approx(mean)
        assert found.se == pytest.approx(math.sqrt(sum((v - mean) ** 2 for v in values) / 19 / 20))
    assert sum(wins.mean for wins in result.wins) == pytest.approx(1)
    assert sum(result.seat_wins) == pytest.approx(1)


def test_records_replay_and_the_configuration_lies_beside(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    match(
        toy.GAME, PLAYERS, games=10, seed=9, rules="heap=9", options={"double": True}, records=path, stop=Stop(0.1, 0.9)
    )
    with path.open(encoding="utf-8") as file:
        found = [record for _, record in records.read_records(file)]
    assert found
    for record in found:
        assert records.replay(record, toy.GAME)[-1].returns() == record.returns
    config = json.loads((tmp_path / "games.config.json").read_text(encoding="utf-8"))
    assert config_path(path) == tmp_path / "games.config.json"
    assert config["players"] == list(PLAYERS)
    assert (config["game"], config["rules"], config["options"]) == ("toy", "heap=9", {"double": True})
    assert (config["seed"], config["games"], config["stop"]["low"]) == (9, 10, 0.1)


def with_workers(path: Path, **how: Any) -> tuple[bytes, bytes, dict[str, Any]]:
    result = match(toy.GAME, PLAYERS, games=120, seed=4, records=path, **how)
    return path.read_bytes(), config_path(path).read_bytes(), result.to_dict()


def test_any_number_of_workers_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = with_workers(tmp_path / "one.jsonl")
    with ThreadPoolExecutor(4) as threads:
        assert with_workers(tmp_path / "threads.jsonl", executor=threads) == one
    assert with_workers(tmp_path / "two.jsonl", workers=2) == one
    assert with_workers(tmp_path / "four.jsonl", workers=4) == one
    with ProcessPoolExecutor(1) as process:
        assert with_workers(tmp_path / "process.jsonl", executor=process, workers=3) == one
    monkeypatch.setattr(matches, "MAX_BATCH", 1)
    assert with_workers(tmp_path / "small.jsonl") == one


def test_a_longer_match_begins_with_the_shorter_one(tmp_path: Path) -> None:
    short, long = tmp_path / "short.jsonl", tmp_path / "long.jsonl"
    match(toy.GAME, PLAYERS, games=10, records=short)
    match(toy.GAME, PLAYERS, games=40, records=long)
    assert long.read_bytes().startswith(short.read_bytes())


def test_workers_do_not_change_where_a_match_stops() -> None:
    stop = Stop(0.3, 0.5)
    one = match(toy.GAME, PLAYERS, games=4000, stop=stop)
    assert one.ended in ("above", "below")
    assert one.games < 4000
    with ThreadPoolExecutor(3) as threads:
        assert match(toy.GAME, PLAYERS, games=4000, stop=stop, executor=threads) == one


def test_the_fast_loop_gives_what_the_slow_one_gives() -> None:
    calls: list[int] = []

    def play_many(rules: Any, players: Any, seed: int, first: int, count: int) -> Any:
        calls.append(count)
        found = [
            matches.play(toy.start(rules, len(players)), players, seed, deal) for deal in range(first, first + count)
        ]
        return [(record.returns, record.winners) for record in found]

    fast = replace(toy.GAME, play_many=play_many)
    assert match(fast, PLAYERS, games=100) == match(toy.GAME, PLAYERS, games=100)
    assert sum(calls) == 100
    calls.clear()
    match(fast, PLAYERS, games=10, options={"double": True})  # an option that the fast loop does not know
    assert not calls
    assert match(replace(toy.GAME, play_many=lambda *given: None), PLAYERS, games=100) == match(
        fast, PLAYERS, games=100
    )


def test_levels_and_objects_are_players() -> None:
    result = match(toy.GAME, ["easy", toy.Fixed(2)], games=20)
    assert result.players == ("random", "take:2")
    assert result.wins == match(toy.GAME, ["random", "take:2"], games=20).wins


def test_rules_are_text_or_value() -> None:
    assert match(toy.GAME, PLAYERS, games=10, rules=toy.ToyRules(9)) == match(
        toy.GAME, PLAYERS, games=10, rules="heap=9"
    )


def test_a_callers_player_must_keep_the_rules() -> None:
    with pytest.raises(IllegalAction, match="take 99"):
        match(toy.GAME, ["random", Cheat()], games=2)


class Interrupting(Executor):
    """Plays some batches, then somebody presses Ctrl-C."""

    def __init__(self, batches: int) -> None:
        self.left = batches

    def submit(self, work: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        done: Future[Any] = Future()
        done.set_result(work(*given, **named))
        return done


def test_ctrl_c_keeps_what_was_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "MAX_BATCH", 1)
    path = tmp_path / "games.jsonl"
    result = match(toy.GAME, PLAYERS, games=100, records=path, executor=Interrupting(5), workers=1)
    assert result.ended == "interrupted"
    assert 0 < result.games < 100
    assert len(path.read_text(encoding="utf-8").splitlines()) == result.games
    whole = match(toy.GAME, PLAYERS, games=result.games)
    assert whole.wins == result.wins
    with pytest.raises(KeyboardInterrupt):
        match(toy.GAME, PLAYERS, games=100, executor=Interrupting(0))


def test_ctrl_c_waits_for_no_worker() -> None:
    """A single game of these players takes hours."""
    timer = threading.Timer(4, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        match("rummikub", ["search:samples=10000,near=1000"] * 2, games=4, workers=2)
    timer.join()
    assert not multiprocessing.active_children()


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    match(toy.GAME, PLAYERS, games=6, progress=lambda done, games: told.append((done, games)))
    assert told == [(2, 6), (4, 6), (6, 6)]


def test_the_result_is_data_and_a_table() -> None:
    result = match(toy.GAME, PLAYERS, games=2, options={"double": True})
    data = json.loads(json.dumps(result.to_dict()))
    assert data["players"][0]["wins"]["ci95"] is None
    assert data["games"] == 2
    lines = result.table().splitlines()
    assert lines[0] == "toy heap=7, double=True, seed 0, 2 games, complete"
    assert lines[2].startswith("take:3")
    assert " - " in lines[2]


def test_a_series_adds_up() -> None:
    found = series(toy.GAME, PLAYERS, games=5, seed=2)
    assert [game.seats for game in found.games] == [(0, 1), (1, 0), (0, 1), (1, 0), (0, 1)]
    sums = [0.0, 0.0]
    for game, totals in zip(found.games, found.totals, strict=True):
        for seat, player in enumerate(game.seats):
            sums[player] += game.returns[seat]
        assert totals == tuple(sums)
    assert found.leaders == tuple(at for at in (0, 1) if sums[at] == max(sums))
    assert found.to_dict()["totals"][-1] == sums
    assert len(found.table().splitlines()) == 7
    assert series(toy.GAME, PLAYERS, games=1, options={"double": True}).title.startswith("toy heap=7, double=True, ")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"games": 0}, "games: must be a whole number from 1"),
        ({"games": 3}, "games: must be a multiple of the 2 seats, not 3"),
        ({"games": True}, "games: must be"),
        ({"seed": -1}, "seed: must be"),
        ({"players": ()}, "players: must be one for each seat"),
        ({"players": "random"}, "players: must be one for each seat"),
        ({"players": ("random", toy.Random("two\nlines"))}, "players: a name must be a text of one line"),
        ({"workers": 257}, "workers: must be a whole number from 1 to 256, not 257"),
        ({"players": ("random", "chess")}, "player: no player 'chess'"),
        ({"players": ("random",)}, "players: must be 2 or 3, not 1"),
        ({"rules": "pile=1"}, "rules: must be heap=NUMBER"),
        ({"options": {"triple": 1}}, "no option 'triple'"),
        ({"options": {"double": object()}}, "options: must be plain data"),
        ({"workers": 0}, "workers: must be"),
        ({"stop": "0.5"}, "stop: must be a Stop"),
        ({"game": "chess"}, "game: must be one of"),
        ({"game": b"setup"}, "game: must be a name or a Game"),
        ({"players": 5}, "players: must be one for each seat, not 5"),
        ({"players": {"random", "take:1"}}, "players: must be one for each seat"),
        ({"players": ("random", None)}, "players: must be texts, or objects with name and choose, not None"),
        ({"players": ("random", toy.Random(" blank"))}, "players: a name must be a text of one line"),
        ({"options": 5}, "options: must be a mapping, not 5"),
        ({"options": {"double": math.nan}}, "options: must be plain data"),
        ({"executor": "threads"}, "executor: must be .*, not 'threads'"),
        ({"progress": 5}, "progress: must be callable, not 5"),
        ({"records": True}, "records: must be a path, not True"),
        ({"records": "a\0b"}, "records: must be a path"),
    ],
)
def test_bad_input_names_what_is_wrong(changes: dict[str, Any], message: str) -> None:
    given = {"game": toy.GAME, "players": PLAYERS, "games": 2, **changes}
    with pytest.raises(SolverError, match=message):
        match(given.pop("game"), given.pop("players"), **given)


@pytest.mark.parametrize(
    "text", ["", "0.5", "a,b", "0.5,0.6,0.1", "0.6,0.5", "0,0.5", "0.5,1", "0.5,nan", "0.5,0.6,0,1"]
)
def test_bad_stop_rules_are_refused(text: str) -> None:
    with pytest.raises(SolverError, match="stop: "):
        Stop.parse(text)


def test_a_stop_rule_is_read() -> None:
    assert Stop.parse("0.5,0.55") == Stop(0.5, 0.55)
    assert Stop.parse("0.5,0.55,0.01,0.1") == Stop(0.5, 0.55, 0.01, 0.1)


def verdicts(share: float, stop: Stop, tries: int, units: int, pairs: bool) -> dict[str | None, int]:
    """How often the rule says what, over matches of win-or-lose units or of pairs of games."""
    rng = random.Random(1)
    found: dict[str | None, int] = {"above": 0, "below": 0, None: 0}
    for _ in range(tries):
        watch = Watch(stop)
        said = None
        for _ in range(units):
            games = [rng.random() < share for _ in range(2 if pairs else 1)]
            said = watch.add(sum(games) / len(games))
            if said is not None:
                break
        found[said] += 1
    return found


@pytest.mark.parametrize("pairs", [False, True])
def test_the_stop_rule_keeps_its_error_rates(pairs: bool) -> None:
    stop = Stop(0.5, 0.6, alpha=0.1, beta=0.1)
    worse = verdicts(0.5, stop, 300, 3000, pairs)
    assert worse["above"] <= 0.1 * 300
    assert worse["below"] > 250
    better = verdicts(0.6, stop, 300, 3000, pairs)
    assert better["below"] <= 0.1 * 300
    assert better["above"] > 250


def test_a_table_shows_no_share_that_cannot_be() -> None:
    few = Estimate(0.25, 2, 0.25, How.ROLLOUT)
    result = MatchResult("toy", "heap=7", {}, ("a",), 1, 1, "complete", (few,), (few,), (0.25,))
    assert result.title == "toy heap=7, seed 1, 1 game, complete"
    assert result.rows[1] == ("a", "0.2500", "0.0000 to 0.7400", "0.25", "-0.24 to 0.74")


def test_capital_never_falls_below_nothing() -> None:
    for share in (0.0, 1.0):
        watch = Watch(Stop(0.01, 0.99))
        assert any(watch.add(share) for _ in range(10_000))
        assert math.isfinite(watch.above)
        assert math.isfinite(watch.below)


@pytest.mark.parametrize(
    ("game", "players", "rules", "options"),
    [
        ("rummikub", ("greedy", "wait"), None, {}),
        ("rummikub", ("wait", "hold", "greedy"), "free", {}),
        ("setup", ("margin", "evaluation", "random"), "default+finish=40", {}),
        ("setup", ("margin", "greedy", "static", "greedy"), "default+finish=40+teams=yes", {}),
        ("trek12", ("net", "heuristic", "random"), None, {"sheet": "kagkot"}),
        ("trek12", ("heuristic", "greedy"), None, {"sheet": "expedition"}),
    ],
)
def test_records_and_workers_change_no_result(
    game: str, players: tuple[str, ...], rules: str | None, options: dict[str, Any], tmp_path: Path
) -> None:
    """Without records the games' own fast loops play; with them every event is an object."""
    given: dict[str, Any] = {"games": 4 * len(players), "seed": 5, "rules": rules, "options": options}
    path = tmp_path / "games.jsonl"
    fast = match(game, players, **given)
    assert match(game, players, records=path, **given) == fast
    with path.open(encoding="utf-8") as file:
        for _, record in records.read_records(file):
            records.replay(record)
    with ProcessPoolExecutor(2) as executor:
        again = tmp_path / "again.jsonl"
        assert match(game, players, records=again, executor=executor, workers=4, **given) == fast
    assert again.read_bytes() == path.read_bytes()
