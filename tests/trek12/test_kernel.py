"""Kernels against the readable reference, the published sheets, recorded games and exact endgame values."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.trek12 import (
    Move,
    Position,
    Rules,
    Sheet,
    Solver,
    best_layout,
    count_moves,
    legal_moves,
    score,
    sheets,
    verify,
    verify_score,
)
from solver.trek12 import reference as naive
from solver.trek12.graphs import graph_of
from solver.trek12.kernel import Endgame, Layouts, replay, total, total_many
from solver.trek12.rules import OPS
from solver.trek12.score import parts_of
from tests.trek12.positions import OWN, SHEETS, random_game, random_position, random_roll

DATA = Path(__file__).parents[1] / "data" / "trek12"
GAMES = [json.loads(line) for line in (DATA / "games.jsonl").read_text().splitlines()]
ENDGAMES = json.loads((DATA / "endgames.json").read_text())
PUBLISHED = json.loads((DATA / "sheets.json").read_text())
ALL_RULES = [
    Rules(links=links, bad_circle=bad)
    for links in ("mandatory", "optional", "free")
    for bad in ("chosen_or_forced", "forced_only")
]


def cell_of(value: Any) -> Any:
    return None if value in (-1, None) else value


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_moves_and_scores_are_those_of_the_reference(rules: Rules) -> None:
    rng = random.Random(str(rules))
    for sheet in (*SHEETS, OWN):
        for position in random_game(rng, sheet, rules):
            assert position.problems() == []
            if rules.links != "free" or position.empties % 5 == 0:
                assert score(position).total == naive.score(position)
            if position.roll is None:
                continue
            moves = list(legal_moves(position))
            pairs = list(naive.successors(position))
            assert sorted(moves) == sorted(move for move, _ in pairs)
            assert count_moves(position) == len(moves) == len(set(moves))
            for move, after in rng.sample(pairs, min(len(pairs), 8)):
                assert verify(position, move) == []
                assert position.play(move) == after


def test_illegal_moves_are_found_by_verify_and_play() -> None:
    rng = random.Random(7)
    for rules in ALL_RULES:
        for position in random_game(rng, "kagkot", rules):
            if position.roll is None or position.empties == 19:
                continue
            legal = set(naive.legal_moves(position))
            afters = {after for _, after in naive.successors(position)}
            for _ in range(10):
                links = tuple(rng.sample(range(19), rng.choice([0, 0, 1, 2])))
                move = Move(rng.choice(OPS), rng.randrange(20), links)
                problems = verify(position, move)
                if problems:
                    assert move not in legal
                    with pytest.raises(ValueError, match=r"."):
                        position.play(move)
                else:  # a link that is drawn anyway may be named too
                    assert position.play(move) in afters


@pytest.mark.parametrize("case", GAMES[::10], ids=lambda case: f"{case['map']}-{case['linkRule']}-{case['seed']}")
def test_recorded_games_replay(case: dict[str, Any]) -> None:
    position = Position.start(case["map"], Rules(links=case["linkRule"]))
    for yellow, red, op, circle, down, up, count in case["history"]:
        position = position.with_roll((yellow, red))
        assert count_moves(position) == count
        drawn = {link for link in (down, up) if link >= 0}
        move = next(
            move
            for move, after in naive.successors(position)
            if (move.op, move.circle) == (OPS[op], circle)
            and {a if b == circle else b for a, b in set(after.links) - set(position.links)} == drawn
        )
        assert verify(position, move) == []
        position = position.play(move)
    assert list(position.cells) == case["values"]
    found = score(position)
    assert found.total == case["score"] == naive.score(position)
    assert verify_score(position, found.total) == []
    assert sum(part.points for part in found.chains) == case["chainSum"]
    assert sum(part.points for part in found.areas) == case["zoneSum"]
    assert max((len(part.circles) for part in found.chains), default=1) == max(1, case["longest"])
    assert max((len(part.circles) for part in found.areas), default=1) == max(1, case["largest"])
    assert (len(found.orphans), len(found.bad)) == (case["orphans"], case["overLimit"])


@pytest.mark.parametrize("case", ENDGAMES, ids=lambda case: f"{case['map']}-{case['linkRule']}-{case['empty']}")
def test_known_endgame_values(case: dict[str, Any]) -> None:
    links = tuple((low, high) for low, high in enumerate(case["up"]) if high >= 0)
    left = tuple(4 - used for used in case["ticksUsed"])
    cells = tuple(cell_of(value) for value in case["values"])
    position = Position(sheets()[case["map"]], cells, left, links, None, Rules(links=case["linkRule"]))
    assert score(position).total == case["scoreNow"]
    value = Solver(position.rules).value(position)
    assert value.how == "exact"
    assert value.mean == pytest.approx(case["exactValueBeforeRoll"], abs=1e-9)


def test_published_sheets() -> None:
    for case in PUBLISHED["sheets"][:2]:
        sheet = sheets()[case["map"]] if case["map"] else Sheet(19, tuple(tuple(edge) for edge in case["edges"]))
        cells = tuple(cell_of(value) for value in case["values"])
        links = tuple((low, high) for high, low in case["links"])
        position = Position(sheet, cells, (4, 4, 4, 4, 4), links, None, Rules(op_limits=(8, 8, 8, 8, 7)))
        if case["map"]:
            links = tuple(sorted((b, a) if cells[a] > cells[b] else (a, b) for a, b in case["links"]))
            position = Position(sheet, cells, (1, 0, 0, 0, 0), links, None)
            assert set(position.links) == set(links)
        expected = case["expected"]
        found = parts_of(position, position.links)
        assert found.total == expected["total"]
        assert sorted(part.points for part in found.chains) == sorted(expected["chains"])
        assert sorted(part.points for part in found.areas) == sorted(expected["zones"])
        assert (found.longest_bonus, found.largest_bonus) == (expected["chainBonus"], expected["zoneBonus"])
        assert list(found.orphans) == expected["orphans"]
        assert len(found.bad) == expected["overLimit"]
    printed = PUBLISHED["sheets"][0]
    position = Position.start("kagkot")
    for step in printed["one_legal_history"]:
        position = position.with_roll((step["y"], step["r"]))
        position = position.play(Move(OPS[step["op"]], step["cell"]))
    assert score(position).total == 88


@pytest.mark.parametrize("rules", [Rules(links="mandatory"), Rules(links="optional"), Rules(links="free")], ids=str)
@pytest.mark.parametrize("bad", ["chosen_or_forced", "forced_only"])
def test_small_endgames_are_those_of_the_reference(rules: Rules, bad: str) -> None:
    rules = Rules(links=rules.links, bad_circle=bad)
    rng = random.Random(str(rules))
    solver = Solver(rules)
    for sheet, empties in (("dunai", 0), ("dunai", 1), ("kagkot", 1), ("dhaulagiri", 1), (OWN, 1), (OWN, 2)):
        if empties < 2 or rules == Rules():
            position = random_position(rng, sheet, rules, empties)
            assert solver.value(position).mean == pytest.approx(float(naive.value(position)), abs=1e-9)
            for target in (score(position).total + step for step in (0, 3)):
                chance = solver.value(position, "reach", target=target)
                assert chance.how == "exact"
                assert chance.mean == pytest.approx(float(naive.value(position, target)), abs=1e-9)
            if empties == 1:
                position = position.with_roll(random_roll(rng))
                best = solver.best_moves(position, 1)[0]
                assert best.exact
                assert best.value == pytest.approx(float(naive.value(position)), abs=1e-9)


def test_endgame_keys_do_not_mix_states_up() -> None:
    """Warm tables, whatever was asked before, give what cold ones give."""
    rng = random.Random(11)
    for sheet in SHEETS:
        graph = graph_of(sheets()[sheet])
        warm = Endgame(graph, 0, 0, 1 << 26)
        for empties in (3, 4, 3, 4, 3):
            for _ in range(4):
                packed = random_position(rng, sheet, Rules(), empties).packed
                cold = Endgame(graph, 0, 0, 1 << 26)
                assert warm.value(*packed) == pytest.approx(cold.value(*packed), abs=1e-9)


def test_more_boxes_than_circles() -> None:
    rules = Rules(op_limits=(1, 1, 0, 2, 1))
    rng = random.Random(3)
    for empties in (4,):
        position = random_position(rng, OWN, rules, empties)
        assert Solver(rules).value(position).mean == pytest.approx(float(naive.value(position)), abs=1e-9)
    for position in random_game(rng, OWN, rules):
        last = position
    assert last.empties == 3
    assert last.over
    assert score(last).total == naive.score(last)


def random_cells(rng: random.Random, sheet: Sheet) -> tuple[Any, ...]:
    low = rng.randrange(0, 6)
    high = low + rng.choice([2, 3, 4, 6, 9])
    numbers = [rng.randint(low, min(12, high)) for _ in range(sheet.circles)]
    return tuple(
        ("X" if number > sheet.limit(circle) else number) if rng.random() < 0.97 else None
        for circle, number in enumerate(numbers)
    )


def test_best_layouts_are_those_of_exhaustive_search() -> None:
    rng = random.Random(5)
    layouts = Layouts()
    for _ in range(200):
        sheet = sheets()[rng.choice(SHEETS)]
        cells = random_cells(rng, sheet)
        packed = bytes(14 if cell is None else 13 if cell == "X" else cell for cell in cells)
        best, count, above = layouts.best(graph_of(sheet), packed)
        assert (best, count) == naive.best_layout(sheet, cells)
        assert total(graph_of(sheet), packed, bytes(5), above) == best


def test_best_layout_names_its_links() -> None:
    text = "graph:4:0-1,0-2,1-3,2-3 | 1 2 2 3 | 3 3 4 3 3 | - | - | rules=free"
    layout = best_layout(Position.parse(text))
    assert layout.count == 2
    assert layout.total == 3 + 4
    assert len(layout.links) == 2


def test_one_step_equals_a_fresh_board() -> None:
    rng = random.Random(2)
    for sheet in SHEETS:
        graph = graph_of(sheets()[sheet])
        for position in random_game(rng, sheet, Rules(links="optional")):
            if position.roll is None:
                continue
            for move, after in naive.successors(position):
                cells, left, above = position.packed
                number = after.packed[0][move.circle]
                new = set(after.links) - set(position.links)
                down = next((low for low, high in new if high == move.circle), -1)
                up = next((high for low, high in new if low == move.circle), -1)
                assert replay(graph, cells, left, above, move.circle, number, down, up) == naive.score(after)


def test_many_scores_at_once() -> None:
    rng = random.Random(4)
    position = random_position(rng, "dunai", Rules(), 0)
    cells, _, above = position.packed
    out = np.zeros(3, np.int32)
    rows = np.tile(np.frombuffer(cells, np.uint8), (3, 1))
    total_many(graph_of(position.sheet), rows, np.tile(np.frombuffer(above, np.uint8), (3, 1)), out)
    assert out.tolist() == [score(position).total] * 3
