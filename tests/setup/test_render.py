"""Pictures of Setup positions, and the game in the shell."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

from solver import cli
from solver.setup import Move, Position
from solver.setup.render import render_svg, render_text

POSITION = Position.parse(
    "b1:6S c1:3H a2:2H/4S/1D b2:9D c2:6C d3:8C/1*/5*/5D/2D | 3S 10H | 10* 6* | to=S seats=NESW scores=1,2,3,4 finish=60"
)
RING = Position.parse(
    "x1a:4H | 4C | - | to=N seats=NS scores=0,0 finish=60 rules=default+board=x1a@N,x2b,x3c@S/x1a-x2b,x2b-x3c"
)
BROKEN = Position.parse("zz:4H zz:4H b2:99X | 4H | - | to=N seats=NS scores=0 finish=60")
SVG = "{http://www.w3.org/2000/svg}"


def test_text_shows_tops_stacks_owners_and_hands() -> None:
    text = render_text(POSITION)
    assert "S to move" in text
    for part in ("b1 N", "2H", "/4S/1D", "/4 tiles", "common 6* 10*", "rack   3S 10H", "N 1, E 2, S 3, W 4"):
        assert part in text
    assert not any(line.endswith(" ") for line in text.splitlines()[:1])


def test_text_after_a_move() -> None:
    text = render_text(POSITION, Move.parse("b2=10* c2=10H"))
    assert "10*+" in text
    assert "/9D" in text
    assert "rack   3S\n" in text
    assert "swap 3S" in render_text(POSITION, Move.parse("swap 3S"))
    assert "\x1b[" in render_text(POSITION, Move.parse("b2=10* c2=10H"), color=True)


@pytest.mark.parametrize("position", [POSITION, RING, BROKEN])
@pytest.mark.parametrize("move", [None, Move.parse("b2=10*"), Move.parse("swap 3S"), Move.parse("nowhere=1H")])
def test_any_position_and_move_can_be_drawn(position: Position, move: Move | None) -> None:
    root = ET.fromstring(render_svg(position, move))
    assert root.tag == f"{SVG}svg"
    assert len(root.findall(f"{SVG}line")) == len(position.rules.graph.links)
    assert render_text(position, move)


LINE = "b2:4H c2:7D/9S | 5H 1S 2S 3S | 7* 8* 9* 10* | to=S seats=NS scores=0,0 finish=60"


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Status, output and errors of one call of the shell."""
    status = cli.main(["setup", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_shell_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "best", LINE) == (0, "b2=7* a2=8* a3=9* b3=10*\n", "")
    status, out, _ = call(capsys, "moves", LINE, "-n", "2", "--objective", "margin")
    assert (status, len(out.splitlines())) == (0, 2)
    status, out, _ = call(capsys, "analyse", LINE, "--json", "--seed", "4")
    assert status == 0
    answer = json.loads(out)
    assert answer["objective"] == "lookahead"
    assert answer["seed"] == 4
    assert answer["lines"][0]["answer"]["how"] == "rollout"
    status, out, _ = call(capsys, "analyse", LINE, "-n", "1")
    assert "answer" in out
    assert "opens" in out
    assert call(capsys, "verify", LINE, "b3=5H") == (0, "legal\n", "")
    assert call(capsys, "verify", LINE, "b3=1S")[0] == 1
    assert "<svg" in call(capsys, "render", LINE, "--svg", "--move", "b3=5H")[1]
    assert call(capsys, "best", "- | - | - | to=S seats=NS scores=0,0 finish=60")[:2] == (1, "none\n")


def test_shell_takes_rules_with_and_without_finish(capsys: pytest.CaptureFixture[str]) -> None:
    for rules in ("default+scoring=per_set", "default+finish=60+scoring=per_set"):
        status, out, _ = call(capsys, "best", LINE, "--json", "--rules", rules)
        assert status == 0
        assert json.loads(out)["position"].endswith("finish=60 rules=default+scoring=per_set")
    assert call(capsys, "best", LINE, "--rules", "default+finish=61")[0] == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("best", "rubbish"),
        ("best", LINE.replace("1S", "5H")),
        ("best", LINE, "--rules", "free"),
        ("analyse", LINE, "--seed", "-1"),
        ("analyse", LINE, "--seconds", "-1"),
        ("verify", LINE, "b3"),
        ("moves", LINE, "-n", "100000"),
    ],
)
def test_shell_refuses_bad_input(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    status, out, err = call(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
