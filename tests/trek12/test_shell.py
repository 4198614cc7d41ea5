"""The shell's commands for Trek 12."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from solver import cli
from solver.trek12 import Move, best_moves
from solver.trek12.position import Position

OPENING = "dunai | . . . . . . . . . . 4 . 5 . . . . . . | 3 3 4 4 4 | 10-12 | 2,3"
OWN = "graph:4:0-1,1-2,2-3 | 4 5 . . | 3 3 4 4 4 | 0-1 | 2,5"

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*arguments: str) -> tuple[int, str, str]:
        status = cli.main(["trek12", *arguments])
        written = capsys.readouterr()
        return status, written.out, written.err

    return run


def test_a_target_is_reached_or_beaten(call: Call) -> None:
    position = Position.parse(OWN)
    for objective, target in (("reach", 15), ("beat", 14)):
        status, out, _ = call("moves", OWN, "--objective", objective, "--target", str(target), "-n", "2", "--json")
        answer = json.loads(out)
        assert (status, answer["objective"], answer["target"]) == (0, objective, target)
        lines = best_moves(position, 2, objective, target=target)
        assert [line["value"] for line in answer["moves"]] == [line.value for line in lines]
    assert call("best", OWN, "--objective", "reach", "--target", "15") == call(
        "best", OWN, "--objective", "beat", "--target", "14"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--objective", "beat"), "target: must be a score for beat, not None"),
        (("--objective", "reach"), "target: must be a score for reach, not None"),
        (("--target", "60"), "target: is for reach and beat, not for mean: 60"),
        (("--objective", "beat", "--target", "99999"), "target: must be a score for beat, not 99999"),
    ],
)
@pytest.mark.parametrize("command", ["best", "moves", "analyse"])
def test_targets_that_make_no_sense(call: Call, command: str, arguments: tuple[str, ...], message: str) -> None:
    status, out, err = call(command, OWN, *arguments)
    assert (status, out) == (2, "")
    assert message in err


def moves_in(data: Any) -> list[Any]:
    """Everything that stands under a key `move`."""
    if isinstance(data, dict):
        return [value for key, value in data.items() if key == "move"] + [m for v in data.values() for m in moves_in(v)]
    return [move for value in data for move in moves_in(value)] if isinstance(data, list) else []


def test_a_move_has_one_form_in_json(call: Call) -> None:
    found = []
    for arguments in (("best", OWN), ("moves", OWN), ("analyse", OWN), ("analyse", OWN.replace("2,5", "-"))):
        found += moves_in(json.loads(call(*arguments, "--json")[1]))
    found += moves_in(json.loads(call("verify", OWN, "sum@2", "--json")[1]))
    found += moves_in(json.loads(call("render", OWN, "--move", "sum@2", "--json")[1]))
    assert len(found) > 30
    assert all(move == Move.parse(move["text"]).to_dict() for move in found)


def test_what_an_analysis_says(call: Call) -> None:
    rows = [line.split("\t") for line in call("analyse", OPENING, "-n", "2")[1].splitlines()]
    assert [row[1:2] for row in rows[2:]] == [["value"], ["final score"], ["chance of 65 or more"]]
    assert rows[2][2] == "estimated by the net, its error is not known"
    assert rows[3][2].startswith("1000 games, 5%:")
    assert rows[4][2].endswith(" of 1000 games")
    assert all(len(row[0].partition(".")[2]) <= 4 for row in rows)
    # without a summit there is no chance to tell
    rows = [line.split("\t") for line in call("analyse", OWN, "-n", "2")[1].splitlines()]
    assert [row[1] for row in rows[2:]] == ["value", "final score"]
    assert rows[2][2] == "exact"
    assert json.loads(call("analyse", OWN, "--json")[1])["distribution"]["reach"] is None
    rows = [line.split("\t") for line in call("analyse", OWN, "--objective", "beat", "--target", "15")[1].splitlines()]
    assert [row[1] for row in rows[-2:]] == ["final score", "chance of 16 or more"]


def test_the_estimate_of_a_net_has_no_interval(call: Call) -> None:
    value = json.loads(call("analyse", OPENING, "--json")[1])["value"]
    assert (value["how"], value["se"], value["ci95"]) == ("heuristic", None, None)


def test_the_only_move(call: Call) -> None:
    last = "graph:2:0-1 | 4 . | 0 0 0 1 0 | - | 2,3 | rules=mandatory+op_limits=0,0,1,1,0"
    assert call("analyse", last)[1].splitlines()[0] == "6\tsum@1\texact, the only move"


def test_one_circle_is_one_circle(call: Call) -> None:
    assert "0 boxes used for 1 circle filled" in call("best", "graph:2:0-1 | 1 . | 4 4 4 4 4 | - | 2,3")[2]


@pytest.mark.parametrize("sheet", ["nope", "expeditoin"])
def test_an_unknown_sheet_names_all_that_there_are(sheet: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["match", "trek12", "net", "net", "--games", "2", "--option", f"sheet={sheet}"]) == 2
    said = capsys.readouterr().err
    assert f"'{sheet}' is neither one of dunai, kagkot, dhaulagiri, amazonia_1, expedition nor graph:" in said
    assert ("; did you mean expedition?" in said) == (sheet == "expeditoin")
