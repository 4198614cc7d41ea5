"""The shell's commands for whole games, on the toy game."""

from __future__ import annotations

import io
import json
from argparse import Namespace
from pathlib import Path

import pytest

from solver import cli, cli_match
from solver.cli import main
from tests import toy

MATCH = ["match", "rummikub", "random", "take:1", "--games", "20", "--seed", "3"]


@pytest.fixture(autouse=True)
def _toy_game(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("match", "records", "games"):
        monkeypatch.setattr(f"solver.{module}.load", lambda name: toy.GAME)


def test_match_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(MATCH) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "rummikub heap=7, seed 3, 20 games, complete"
    assert lines[1].split() == ["player", "win", "share", "95%", "points", "95%"]
    assert [line.split()[0] for line in lines[2:]] == ["random", "take:1"]


def test_a_reader_that_left_is_no_bad_input() -> None:
    def leave(options: object, output: object) -> int:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):  # main ends quietly on it
        cli_match.run(Namespace(run=leave), cli.Output(False, False, io.StringIO()))


def test_match_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*MATCH, "--json", "--rules", "heap=9", "--option", "double=true", "--stop", "0.1,0.9"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["rules"] == "heap=9"
    assert data["options"] == {"double": True}
    assert data["stop"]["high"] == 0.9
    assert [one["player"] for one in data["players"]] == ["random", "take:1"]


def test_the_usual_number_of_games_fits_the_seats(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "rummikub", "random", "take:1", "take:2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 102


def test_series(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*MATCH, "--series"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "rummikub heap=7, seed 3, series of 20 games"
    assert len(lines) == 22
    assert main([*MATCH, "--series", "--stop", "0.1,0.9"]) == 2
    assert capsys.readouterr().err == "error: stop: a series has none\n"


def test_records_are_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    assert main([*MATCH, "--records", str(path)]) == 0
    capsys.readouterr()
    assert main(["replay", str(path)]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{number}\tok" for number in range(1, 21)]
    path.write_text(path.read_text(encoding="utf-8").replace('"take 1"', '"take 4"', 1), encoding="utf-8")
    assert main(["replay", str(path)]) == 1
    out = capsys.readouterr().out
    assert "record: turn" in out
    assert out.count("\tok\n") == 19
    assert main(["replay", str(path), "--json", "--states"]) == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["ok"] for line in lines].count(False) == 1
    assert all(line["states"][0]["turn"] == 0 for line in lines if line["ok"])


def test_records_come_from_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("game toy\n"))
    assert main(["replay", "-"]) == 2
    assert capsys.readouterr().err == "error: record: line 1: rules is missing before 'the end'\n"


def test_a_file_without_records_is_no_good_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "none.jsonl"
    for text in ("", "# a comment\n\n"):
        path.write_text(text, encoding="utf-8")
        assert main(["replay", str(path)]) == 2
        assert capsys.readouterr().err == f"error: record: {path} holds none\n"


def test_standard_input_may_begin_with_a_mark(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfgame \xff\r\n"), encoding="ascii"))
    assert main(["replay", "-"]) == 2
    assert capsys.readouterr().err == "error: record: line 1: rules is missing before 'the end'\n"


def test_players_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["players", "rummikub"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "random\ttakes any number",
        "take\ttakes always as many",
        "level easy\trandom",
    ]
    assert main(["players", "rummikub", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["levels"] == {"easy": "random"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match", "rummikub", "chess", "random"], "player: no player 'chess'; there are random, take:STONES"),
        ([*MATCH, "--games", "3"], "games: must be a multiple of the 2 seats, not 3"),
        ([*MATCH, "--seed", "-1"], "seed: must be an integer from 0 to 9223372036854775807, not -1"),
        ([*MATCH, "--rules", "pile"], "rules: must be heap=NUMBER, not 'pile'"),
        ([*MATCH, "--option", "double"], "option: must be NAME=VALUE, each name once, not 'double'"),
        ([*MATCH, "--option", "triple=1"], "options: toy has no option 'triple'; there are: double"),
        ([*MATCH, "--stop", "1"], "stop: must be LOW,HIGH or LOW,HIGH,ALPHA,BETA, not '1'"),
    ],
)
def test_bad_input_is_one_clear_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.err == f"error: {message}\n"
    assert captured.out == ""
    assert main([*arguments, "--json"]) == 2
    assert json.loads(capsys.readouterr().out) == {"line": None, "error": message}


def test_a_file_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*MATCH, "--records", str(tmp_path)]) == 2
    assert "error: " in capsys.readouterr().err


def test_ctrl_c_shows_what_was_finished(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    calls = 0
    play_deals = toy.start

    def start(*given: object, **named: object) -> toy.ToyState:
        nonlocal calls
        calls += 1
        if calls > 5:
            raise KeyboardInterrupt
        return play_deals(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("solver.match.begin", lambda game, rules, players, options: start(players=players))
    monkeypatch.setattr("solver.match.MAX_BATCH", 1)
    assert main(MATCH) == 130
    assert "interrupted" in capsys.readouterr().out
