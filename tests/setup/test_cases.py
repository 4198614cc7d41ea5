"""Given positions and worked cases: kernel, naive search and referee against published counts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.setup import Move, Position, count_moves, legal_moves, play_arrays, score, verify
from solver.setup.reference import legal_moves as reference_moves
from solver.setup.search import compiled

DATA = Path(__file__).parents[1] / "data" / "setup"
POSITIONS = json.loads((DATA / "positions.json").read_text(encoding="utf-8"))
CASES = json.loads((DATA / "cases.json").read_text(encoding="utf-8"))["cases"]
RULES = {
    "default": "",
    "with_corners": " rules=default+links=with_corners",
    "block": " rules=default+run_order=block",
}


@pytest.mark.parametrize("entry", POSITIONS, ids=range(len(POSITIONS)))
def test_kernel_has_the_published_counts(entry: dict[str, Any]) -> None:
    for name, options in RULES.items():
        if name not in entry:
            continue
        position = Position.parse(entry["position"] + options)
        plays = play_arrays(position)
        points = plays["points"]
        assert {
            "legal_plays": len(plays),
            "best_points": points.max(),
            "plays_with_best": (points == points.max()).sum(),
            "sum_points": points.sum(),
            "sum_bonus": plays["bonus"].sum(),
        } == entry[name]
        assert len(np.unique(plays)) == len(plays)
        assert count_moves(position) == len(plays) + 2 ** len(position.rack) - 1
        packed = position.packed()
        assert compiled(position.rules, position.seats).most(*packed[:3], packed.mover) == points.max()


@pytest.mark.parametrize("entry", POSITIONS[::5], ids=range(0, len(POSITIONS), 5))
def test_naive_search_has_the_published_counts(entry: dict[str, Any]) -> None:
    for name, options in RULES.items():
        if name not in entry:
            continue
        position = Position.parse(entry["position"] + options)
        plays = [move for move in reference_moves(position) if not move.swap]
        points = [move.points or 0 for move in plays]
        assert {
            "legal_plays": len(plays),
            "best_points": max(points),
            "plays_with_best": points.count(max(points)),
            "sum_points": sum(points),
            "sum_bonus": sum(sum((move.bonus or {}).values()) for move in plays),
        } == entry[name]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_worked_cases(case: dict[str, Any]) -> None:
    position, move = Position.parse(case["position"]), Move.parse(case["move"])
    problems = verify(position, move)
    assert (not problems) == case["legal"], problems
    for moves in (legal_moves, reference_moves):
        found = [other for other in moves(position) if other == move]
        assert bool(found) == case["legal"]
        if case["legal"]:
            assert (found[0].points, found[0].bonus) == (case["points"], case["bonus"])
    if case["legal"]:
        assert score(position, move) == (case["points"], case["bonus"])


def test_corner_links_make_t7_legal() -> None:
    case = next(case for case in CASES if case["id"] == "T7")
    position = Position.parse(case["position"] + RULES["with_corners"])
    assert score(position, Move.parse(case["move"])) == (2, {"N": 1})


BLOCK = "rules=default+run_order=block"
TAIL = "to=S seats=NS scores=0,0 finish=60"

# (position, move, points or None where it is not legal, bonus)
WORKED = [
    # 4-6-5 on a line is a block but no run.
    (f"b2:4H c2:6H | 5H | - | {TAIL}", "d2=5H", 2, {}),
    (f"b2:4H c2:6H | 5H | - | {TAIL} {BLOCK}", "d2=5H", 3, {}),
    # A block that hangs together only through a lower number on the board.
    (f"b2:4H c3:9D | 5H 6H | - | {TAIL} {BLOCK}", "c2=5H b3=6H", 3, {}),
    (f"b2:4H c3:9D | 5H 6H | - | {TAIL}", "c2=5H b3=6H", None, {}),
    # The 5H that joins is covered by the play itself.
    (f"b2:4H c2:5H | 6H 7H | - | {TAIL} {BLOCK}", "c2=6H c3=7H", 2, {}),
    # Covering one's own number keeps the group together.
    (f"b2:4H c2:4D | 4C | - | {TAIL}", "b2=4C", 2, {}),
    # Each scoring on a group of two and a run of two that share the new tile.
    (f"b2:4H c3:5C | 5H | - | {TAIL}", "b3=5H", 3, {}),
    (f"b2:4H c3:5C | 5H | - | {TAIL} rules=default+scoring=per_set", "b3=5H", 4, {}),
    (f"b2:4H c3:5C | 5H | - | {TAIL} rules=default+scoring=placed_plus_sets", "b3=5H", 4, {}),
    # Bonus for N's tile in the set; none when there is no bonus; and for a tile placed there.
    (f"b1:4H c3:9C | 4C | - | {TAIL}", "b2=4C", 2, {"N": 1}),
    (f"b1:4H c3:9C | 4C | - | {TAIL} rules=default+bonus=none", "b2=4C", 2, {}),
    (f"b1:4H c3:9C | 4C | - | {TAIL}", "c1=4C", None, {}),
    (f"b1:4H c3:9C | 4C | - | {TAIL} rules=default+on_opponents=allowed", "c1=4C", 2, {"N": 3}),
    (f"b1:4H c3:9C | 4C | - | {TAIL} rules=default+on_opponents=allowed+bonus=none", "c1=4C", 2, {"N": 1}),
    # Nobody sits at E and W: their squares are open and give no bonus.
    (f"d2:4H | 4C | - | {TAIL}", "d3=4C", 2, {}),
    # One tile alone is no set.
    (f"b2:4H | 9C | - | {TAIL}", "c3=9C", None, {}),
]


@pytest.mark.parametrize(("text", "played", "points", "bonus"), WORKED)
def test_options_change_what_a_play_is_worth(text: str, played: str, points: int | None, bonus: dict[str, int]) -> None:
    position, move = Position.parse(text), Move.parse(played)
    assert (not verify(position, move)) == (points is not None)
    for moves in (legal_moves, reference_moves):
        found = [(other.points, other.bonus) for other in moves(position) if other == move]
        assert found == ([(points, bonus)] if points is not None else [])


@pytest.mark.parametrize(
    ("played", "named"),
    [
        ("c2=9C", "9C: is neither in the rack"),
        ("z1=4C", "z1: does not exist"),
        ("b1=4C", "b1: belongs to N"),
        ("c2=4C c2=5H", "c2: two tiles"),
        ("c2=4C b2=4C", "4C: is placed twice"),
        ("c2=4C b3=5H", "do not all belong to one set"),
        ("swap 7*", "'7\\*' is not in the rack"),
        ("swap 4C 4C", "twice"),
        ("swap 4C 5H 1S 2S 9C", "5 tiles are more"),
    ],
)
def test_referee_says_what_is_wrong(played: str, named: str) -> None:
    position = Position.parse(f"b2:4H c3:4D | 4C 5H 1S 2S | 7* 8* | {TAIL}")
    problems = verify(position, Move.parse(played))
    assert any(re.search(named, problem) for problem in problems), problems


def test_referee_checks_stated_points() -> None:
    position = Position.parse(f"b2:4H c3:9C | 4C 5H 1S 2S | 7* 8* | {TAIL}")
    good = Move([("4C", "c2")], (), 2, {})
    assert verify(position, good) == []
    assert "points" in verify(position, Move([("4C", "c2")], (), 3, {}))[0]
    assert "bonus" in verify(position, Move([("4C", "c2")], (), 2, {"N": 1}))[0]
    assert "points" in verify(position, Move((), ["4C"], 1, {}))[0]
