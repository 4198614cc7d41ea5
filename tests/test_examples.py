"""The demo runs, proves and verifies every example position; the shell reads the same file."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from solver import cli
from solver.rummikub import Position, Rules, reference

ROOT = Path(__file__).resolve().parents[1]
POSITIONS = ROOT / "examples" / "rummikub.txt"
# Tiles laid at each position, in the order of the file: known answers of the sources that it names.
LAID = (6, 7, 2, 0, 2, 1, 3, 0, 14)


def positions() -> list[Position]:
    lines = POSITIONS.read_text(encoding="utf-8").splitlines()
    return [Position.parse(line) for line in lines if line and not line.startswith("#")]


def test_positions_are_legal() -> None:
    assert len(positions()) == len(LAID)
    assert [position.problems() for position in positions()] == [[]] * len(LAID)


def test_demo() -> None:
    done = subprocess.run(
        [sys.executable, "examples/demo.py"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Proven: ") == len(LAID)
    assert done.stdout.count("verify: legal") == sum(laid > 0 for laid in LAID)
    worth = iter(map(int, re.findall(r"^worth (\d+) of", done.stdout, re.MULTILINE)))
    assert [next(worth) if laid else 0 for laid in LAID] == list(LAID)
    assert "\x1b" not in done.stdout


def test_opening_chances() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "opening_chances.py"))
    rules, sizes, hands, seed = Rules.parse("standard+numbers=5+opening_threshold=12"), (4, 6, 8), 60, 3
    tiles = sorted(f"{color}{number}" for color in "RBKO" for number in range(1, 6)) * 2
    hits = example["opened"](rules, sizes, hands, seed)
    racks = [example["rack"](rules, hand, seed) for hand in range(hands)]
    assert {len(rack) for rack in racks} == {len(tiles) + rules.jokers}
    for size in sizes:
        unopened = [Position((), rack[:size], False, rules) for rack in racks]
        assert hits[size] == sum(reference.best_move(position) is not None for position in unopened)
    assert 0 < hits[4] < hits[8] < hands
    assert example["wilson"](8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert example["wilson"](0, 10)[0] == pytest.approx(0)
    assert example["wilson"](10, 10)[1] == pytest.approx(1)


def test_puzzles(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "puzzles.py"), run_name="__main__")
    shown = capsys.readouterr().out
    assert re.findall(r"^   (\d+): ", shown, re.MULTILINE) == ["18", "698", "393", "18", "52"]
    assert shown.count("no group and no run") == 1  # the second of the published hands
    assert re.findall(r"too many: (.*)", shown) == ["none", "R13 K9"]


def test_the_shell_reads_the_same_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["rummikub", "best", "--file", str(POSITIONS)]) == cli.NONE_OR_ILLEGAL
    answers = [line.split("\t")[1] for line in capsys.readouterr().out.splitlines()]
    assert [0 if answer == "none" else len(answer.split(" | ")[0].split()) for answer in answers] == list(LAID)
