"""The shell's commands that only one game has: plain text, JSON, exit status, and what the functions say."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from solver import cli, rummikub, setup, trek12

RUN = "B5 B6 B7 B8 | R5"
TWO_WAYS = "R1-3, B1-3, K1-3"
MIXED = "R1 R2 R3 R4 B4 K4 O4 O13"
LAY = "R4-8, K4 B4 O4 | R6 R4 B9 | rules=free"
SETUP = "b2:4H c2:7D/9S | 5H 1S 2S 3S | 7* 8* 9* 10* | to=S seats=NS scores=0,0 finish=60"
GRAPH = "graph:4:0-1,1-2,2-3"
TREK = f"{GRAPH} | 4 5 . . | 3 3 4 4 4 | 0-1 | 2,5"
FREE = f"{GRAPH} | 4 5 . . | 3 3 4 4 4 | - | 2,5 | rules=free"
DUNAI = "dunai | . . . . . . . . . . 4 . 5 . . . . . . | 3 3 4 4 4 | 10-12 | 2,3"
BEST_DUNAI = (
    "dunai | 6 6 5 5 6 6 6 5 6 5 11 11 12 12 11 11 12 12 5 | 0 0 1 0 0 | 2-0 3-4 7-6 9-8 10-12 11-13 14-16 15-17 | -"
)
AMAZONIA = (
    "amazonia_1 | 4 4 1 2 . . 5! 6 6 6 3 6 . . 10 12 . 5 4! 6 . 1 11 12 . 6 6 | 0 0 0 0 0"
    " | 1-6 2-3 3-10 6-7 10-18 14-22 17-8 18-17 22-15 | -"
    " | rules=amazonia+observations=boa:1,jaguar:6,marmoset:4"
)

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            status = cli.main(arguments)
        except SystemExit as leaving:  # argparse
            status = int(leaving.code or 0)
        written = capsys.readouterr()
        return status, written.out, written.err

    return run


def told(call: Call, *arguments: str) -> dict[str, Any]:
    """The one object of --json, without the time."""
    _, out, err = call(*arguments, "--json")
    assert err == ""
    data: dict[str, Any] = json.loads(out)
    data.pop("ms", None)
    data.pop("line")
    return data


def rows(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.splitlines()]


@pytest.mark.parametrize(("game", "text"), [("rummikub", LAY), ("setup", SETUP), ("trek12", TREK)])
def test_moves_are_listed_and_counted(call: Call, game: str, text: str) -> None:
    api: Any = {"rummikub": rummikub, "setup": setup, "trek12": trek12}[game]
    position = api.Position.parse(text)
    every = [str(move) for move in api.legal_moves(position)]
    status, out, _ = call(game, "legal_moves", text)
    assert (status, out.splitlines()) == (0, every)
    assert call(game, "count_moves", text)[:2] == (0, f"{len(every)}\n")
    assert told(call, game, "count_moves", text) == {"position": str(position), "count": len(every)}
    lines = [json.loads(line) for line in call(game, "legal_moves", text, "--json")[1].splitlines()]
    assert [api.Move.from_dict(line["move"]) for line in lines] == list(api.legal_moves(position))


def test_no_moves(call: Call) -> None:
    assert call("rummikub", "legal_moves", "- | R1") == (1, "none\n", "")
    assert call("rummikub", "count_moves", "- | R1") == (1, "0\n", "")
    assert told(call, "rummikub", "legal_moves", "- | R1") == {"position": "- | R1", "move": None}


def test_draws(call: Call) -> None:
    status, out, _ = call("rummikub", "draws", RUN)
    found = rummikub.draws(rummikub.Position.parse(RUN))
    assert status == 0
    assert rows(out)[:2] == [["0.099", "plays", "10/101"], ["0.0594", "goes_out", "6/101"]]
    assert len(rows(out)) == 2 + len(found.tiles)
    assert told(call, "rummikub", "draws", RUN) == {
        "position": str(rummikub.Position.parse(RUN)),
        "objective": "tiles",
        **found.to_dict(),
    }
    assert rows(call("rummikub", "draws", "- | R10 R11 | unopened")[1])[1][1] == "opens"
    assert told(call, "rummikub", "draws", RUN, "--objective", "value")["value"] == 0


def test_steps(call: Call) -> None:
    move = call("rummikub", "best", LAY)[1].strip()
    status, out, _ = call("rummikub", "steps_for", LAY, move)
    best = rummikub.best_move(rummikub.Position.parse(LAY))
    assert best is not None
    assert (status, out.splitlines()) == (0, [str(step) for step in best.steps])
    assert told(call, "rummikub", "steps_for", LAY, move)["proven"] is True
    assert call("rummikub", "steps_for", LAY, move, "--tidy")[0] == 0
    status, out, err = call("rummikub", "steps_for", LAY, "R4 | R4 R5 R6 R7 R8")
    assert (status, out) == (2, "")
    assert err.startswith("error: table: ")


def test_arrangements(call: Call) -> None:
    assert call("rummikub", "arrangements", TWO_WAYS) == (
        0,
        "R1 R2 R3, B1 B2 B3, K1 K2 K3\nR1 B1 K1, R2 B2 K2, R3 B3 K3\n",
        "",
    )
    assert call("rummikub", "arrangements", TWO_WAYS, "-n", "1")[1].count("\n") == 1
    tables = [
        json.loads(line)["table"] for line in call("rummikub", "arrangements", TWO_WAYS, "--json")[1].splitlines()
    ]
    assert tables == [[list(tiles) for tiles in table] for table in rummikub.arrangements(TWO_WAYS)]
    assert call("rummikub", "arrangements", "R1 R2") == (1, "none\n", "")
    assert told(call, "rummikub", "arrangements", "R1 R2") == {"tiles": ["R1", "R2"], "table": None}
    assert call("rummikub", "count_arrangements", TWO_WAYS)[:2] == (0, "2\n")
    assert call("rummikub", "count_arrangements", "R1 R2")[:2] == (1, "0\n")
    assert call("rummikub", "count_arrangements", "R12 R13 R1", "--rules", "american")[:2] == (0, "1\n")
    assert call("rummikub", "count_arrangements", "R1 X")[::2] == (2, "error: tiles: 'X' has no colour of R B K O\n")


def test_repair(call: Call) -> None:
    assert call("rummikub", "repair", MIXED)[:2] == (1, "R1 R2 R3, R4 B4 K4 O4\tO13\n")
    assert call("rummikub", "repair", "R1 B1 K1")[:2] == (0, "R1 B1 K1\t-\n")
    assert told(call, "rummikub", "repair", "O13") == {
        "tiles": ["O13"],
        "table": [],
        "removed": ["O13"],
        "complete": False,
    }


def test_winning_hands(call: Call) -> None:
    found = rummikub.count_winning_hands(rummikub.Rules(), max_tiles=5)
    expected = [[str(size), str(count), str(found.physical[size])] for size, count in found.distinct.items()]
    assert rows(call("rummikub", "count_winning_hands", "--max-tiles", "5")[1]) == expected
    data = told(call, "rummikub", "count_winning_hands", "--max-tiles", "5", "--sets", "runs", "--jokers", "1")
    runs = rummikub.count_winning_hands(rummikub.Rules(), 1, groups=False, max_tiles=5)
    assert data == {"rules": "standard", "jokers": 1, "max_tiles": 5, "sets": "runs", **runs.to_dict()}
    assert call("rummikub", "count_winning_hands", "--jokers", "9")[0] == 2
    assert call("rummikub", "count_winning_hands", "R1")[0] == 2


def test_what_the_chances_depend_on(call: Call) -> None:
    asked = ("rummikub", "analyse", "R6 R7 R8 | R9 R10 O1", "--objective", "win", "-n", "1")
    few = told(call, *asked, "--players", "3", "--opponents", "1,2", "--opened", "yes,no", "--playing", "greedy")
    assert (few["players"], few["opponents"], few["opened"], few["playing"]) == (3, [1, 2], [True, False], "greedy")
    assert few["lines"][0]["win"] != told(call, *asked)["lines"][0]["win"]
    assert "must be yes or no" in call(*asked, "--opened", "maybe")[2]
    assert "must be a positive whole number, not 'x'" in call(*asked, "--opponents", "1,x")[2]
    assert call(*asked, "--pool", "1000")[0] == 2
    assert call(*asked[:3], "--players", "3")[2].startswith("error: objective: 'tiles' does not ask for players")


def test_setup_score(call: Call) -> None:
    assert call("setup", "score", SETUP, "b3=5H")[:2] == (0, "2\tpoints\tS\n")
    data = told(call, "setup", "score", SETUP, "b3=5H")
    points, bonus = setup.score(setup.Position.parse(SETUP), setup.Move.parse("b3=5H"))
    assert (data["points"], data["bonus"]) == (points, bonus)
    assert call("setup", "score", SETUP, "swap 5H")[1] == "0\tpoints\tS\n"
    assert call("setup", "score", SETUP, "a1=5H")[0] == 2


def test_samples_of_setup(call: Call) -> None:
    asked = ("setup", "moves", SETUP, "--objective", "lookahead", "-n", "1")
    few = told(call, *asked, "--samples", "32")
    assert few["samples"] == 32
    assert few["moves"][0]["value"] != told(call, *asked)["moves"][0]["value"]


@pytest.mark.parametrize("text", [TREK, FREE, BEST_DUNAI, AMAZONIA])
def test_trek12_score(call: Call, text: str) -> None:
    status, out, _ = call("trek12", "score", text)
    found = trek12.score(trek12.Position.parse(text))
    table = rows(out)
    assert status == 0
    assert table[0][:2] == [str(found.total), "total"]
    assert sum(int(row[0]) for row in table[1:]) == found.total
    assert all(len(row) == 3 and row[2] for row in table)
    data = told(call, "trek12", "score", text)
    assert data == {"position": str(trek12.Position.parse(text)), **found.to_dict()}


def test_best_layout(call: Call) -> None:
    assert rows(call("trek12", "best_layout", FREE)[1]) == [["6", "total", "1 layout"], ["6", "chain", "0 1"]]
    assert told(call, "trek12", "best_layout", FREE)["links"] == [[0, 1]]
    assert call("trek12", "best_layout", TREK)[0] == 2


def test_best_sheet(call: Call) -> None:
    rolls = "2,5 0,3 4,4 1,1"
    table = rows(call("trek12", "best_sheet", GRAPH, rolls)[1])
    found = trek12.best_sheet(GRAPH, [(2, 5), (0, 3), (4, 4), (1, 1)])
    assert table[0][:2] == [str(found.total), str(found.position)]
    assert [row[2] for row in table[1:]] == rolls.split()
    assert [row[1] for row in table[1:]] == [str(move) for _, move in found.moves]
    data = told(call, "trek12", "best_sheet", GRAPH, rolls)
    assert data == {"sheet": GRAPH, "rolls": [[2, 5], [0, 3], [4, 4], [1, 1]], **found.to_dict()}
    assert told(call, "trek12", "best_sheet", GRAPH, rolls, "--order", "free")["total"] >= found.total
    free = rows(call("trek12", "best_sheet", GRAPH, "--width", "50", "--seconds", "60", "--rules", "optional")[1])
    assert {row[2] for row in free[1:]} == {"-"}
    for wrong in ("2,5 x", "2", "12,5", "6,1"):
        assert "rolls: " in call("trek12", "best_sheet", GRAPH, wrong)[2]
    assert call("trek12", "best_sheet", "nowhere")[0] == 2


def test_many_sheets_in_a_file(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "sheets"
    path.write_text(f"{GRAPH}\t2,5 0,3 4,4 1,1\r\n# a comment\r\n{GRAPH}\r\n", encoding="utf-8")
    status, out, _ = call("trek12", "best_sheet", "--file", str(path), "--width", "10")
    assert status == 0
    assert [row[0] for row in rows(out)] == ["1"] * 5 + ["3"] * 5


@pytest.mark.parametrize(
    ("game", "text", "objective"),
    [("setup", SETUP, "lookahead"), ("trek12", DUNAI, "reach"), ("rummikub", LAY, "value")],
)
def test_seed_and_time_of_a_search(call: Call, game: str, text: str, objective: str) -> None:
    for command in ("best", "moves", "analyse"):
        asked = (game, command, text, "--objective", objective, "--seconds", "60")
        assert call(*asked)[0] == 0
        seeded = call(*asked, "--seed", "1")
        assert seeded[0] == (2 if game == "rummikub" and command != "analyse" else 0)
        assert call(*asked[:-1], "-1")[::2] == (2, "error: seconds: must be a positive number, not -1.0\n")
    if game != "rummikub":
        values = [told(call, game, "moves", text, "--objective", objective, "--seed", seed) for seed in "01"]
        assert [found["seed"] for found in values] == [0, 1]
        assert values[0]["moves"] != values[1]["moves"]


def test_judge(call: Call) -> None:
    found = trek12.judge(trek12.Position.parse(TREK), trek12.Move.parse("sum@2"))
    table = rows(call("trek12", "judge", TREK, "sum@2")[1])
    assert [row[1] for row in table] == ["luck", "loss", "before the roll", "played", "best"]
    assert table[1] == [f"{found.loss:g}", "loss", "exact"]
    assert told(call, "trek12", "judge", TREK, "sum@2") == {
        "position": TREK,
        "move": trek12.Move.parse("sum@2").to_dict(),
        **found.to_dict(),
    }
    assert call("trek12", "judge", TREK, "sum@0")[0] == 2


def test_sheets(call: Call) -> None:
    status, out, _ = call("trek12", "sheets")
    assert status == 0
    assert [row[0] for row in rows(out)] == list(trek12.sheets())
    assert rows(out)[0] == ["dunai", "19", "65", "Dunai"]
    lines = [json.loads(line) for line in call("trek12", "sheets", "--json")[1].splitlines()]
    assert [trek12.Sheet.from_dict({k: v for k, v in line.items() if k != "line"}) for line in lines] == list(
        trek12.sheets().values()
    )
    assert call("trek12", "sheets", "--rules", "free")[0] == 2


@pytest.mark.parametrize(
    ("game", "command", "what"),
    [("rummikub", "repair", "tiles"), ("trek12", "best_sheet", "sheet"), ("setup", "score", "position")],
)
def test_a_file_that_holds_nothing(call: Call, game: str, command: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "nothing"
    path.touch()
    assert call(game, command, "--file", str(path)) == (2, "", f"error: file: {path} holds no {what}\n")
    assert "usage:" in call(game, command)[2]


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("rummikub", "draws", RUN), "10/101"),
        (("rummikub", "steps_for", LAY, "R4 R6 | R4 R5 R6, R4 B4 K4 O4, R6 R7 R8"), "Split"),
        (("rummikub", "legal_moves", LAY), "R4 R6 |"),
        (("rummikub", "repair", MIXED), "O13"),
        (("setup", "score", SETUP, "b3=5H"), "points"),
        (("trek12", "score", BEST_DUNAI), "total"),
        (("trek12", "best_layout", FREE), "1 layout"),
        (("trek12", "best_sheet", GRAPH, "2,5 0,3 4,4 1,1"), "none scores more than"),
        (("trek12", "judge", TREK, "sum@2"), "before the roll"),
        (("trek12", "sheets"), "kagkot"),
    ],
)
def test_a_terminal_shows_the_same(arguments: tuple[str, ...], shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert cli.main(arguments) in (0, 1)
    assert shown in terminal.getvalue()
