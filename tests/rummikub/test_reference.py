"""reference: known answers, cases derived by hand for every rule option, and a second enumerator that shares no code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from solver.rummikub.position import Position
from solver.rummikub.reference import best_value
from solver.rummikub.rules import Rules

DATA = Path(__file__).parent.parent / "data" / "rummikub"
POSITIONS = json.loads((DATA / "positions.json").read_text())["positions"]
BY_RULES = [(case, rules) for case in POSITIONS for rules in case.get("rules", {})]


@pytest.mark.parametrize("case", POSITIONS, ids=lambda case: str(case["id"]))
def test_known_answers(case: dict[str, Any]) -> None:
    position = Position.parse(case["position"])
    assert (best_value(position) or (0, 0))[0] == case["max_tiles"]
    if "max_value" in case:
        assert (best_value(position, "value") or (0, 0))[0] == case["max_value"]


@pytest.mark.parametrize(
    ("case", "rules"), BY_RULES, ids=lambda value: value if isinstance(value, str) else value["id"]
)
def test_known_answers_that_differ_by_rule(case: dict[str, Any], rules: str) -> None:
    position = Position.parse(case["position"])
    other = Position(position.table, position.rack, True, Rules.parse(rules))
    assert (best_value(other) or (0, 0))[0] == case["rules"][rules]
