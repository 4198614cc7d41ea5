"""The rules of Amazonia: the published sheet, kernels against the reference, text forms, what is refused."""

from __future__ import annotations

import json
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.errors import IllegalPosition, ParseError, RulesError, SolverError, UnsupportedRules
from solver.trek12 import (
    Move,
    Position,
    Rules,
    Sheet,
    Solver,
    analyse,
    best_move,
    best_sheet,
    count_moves,
    legal_moves,
    score,
    sheets,
    verify,
    verify_score,
)
from solver.trek12 import reference as naive
from solver.trek12.graphs import graph_of
from solver.trek12.kernel import Endgame, Player, moves
from solver.trek12.nets import heuristic, net_for
from solver.trek12.render import render_svg, render_text
from solver.trek12.rules import TRACKS
from tests.trek12.positions import random_game, random_position

DATA = Path(__file__).parents[1] / "data" / "trek12"
PUBLISHED = json.loads((DATA / "sheets.json").read_text())["sheets"][2]
RULES = Rules.parse("amazonia+observations=boa:1,jaguar:6,marmoset:4")
SMALL = "graph:6:0-1,0-2,1-2,1-3,2-4,3-5,4-5:::1,4,5"
SMALL_RULES = Rules.parse("amazonia+op_limits=1,1,1,1,0+observations=ara:1,butterfly:2")


def test_the_published_sheet() -> None:
    cells = tuple(PUBLISHED["values"])
    links = tuple(tuple(link) for link in PUBLISHED["links"])
    position = Position("amazonia_1", cells, (0,) * 5, links, None, RULES, tuple(PUBLISHED["piranha"]))
    assert position.problems() == []
    assert position.over
    found = score(position)
    expected = PUBLISHED["expected"]
    assert found.total == expected["total"] == naive.score(position) == 85
    assert verify_score(position, 85) == []
    assert sorted(part.points for part in found.chains) == sorted(expected["trails"])
    assert sorted(part.points for part in found.areas) == sorted(expected["zones"])
    tracks = {"boa": 0, "marmoset": 1, "jaguar": 2}
    for seen in found.observations:
        index = tracks[seen.track]
        assert TRACKS[seen.track] == tuple(PUBLISHED["observation"]["tracks"][index])
        assert (seen.number, seen.count, seen.points) == tuple(
            PUBLISHED["observation"][name][index] for name in ("numbers", "counts", "points")
        )
    assert list(found.orphans) == PUBLISHED["spiderAtEnd"]
    assert list(found.piranhas) == PUBLISHED["piranha"]
    assert (found.longest_bonus, found.largest_bonus, found.bad) == (0, 0, ())


@pytest.mark.parametrize("rules", [Rules.preset("amazonia"), RULES, Rules.parse("amazonia+bad_circle=forced_only")])
def test_moves_and_scores_are_those_of_the_reference(rules: Rules) -> None:
    rng = random.Random(str(rules))
    for position in random_game(rng, "amazonia_1", rules):
        assert position.problems() == []
        assert Position.parse(str(position)) == position
        assert Position.from_dict(json.loads(json.dumps(position.to_dict()))) == position
        assert pickle.loads(pickle.dumps(position)) == position
        total = naive.score(position)
        assert score(position).total == total
        assert verify_score(position, total) == []
        if position.roll is None:
            assert position.empties == 7
            continue
        pairs = list(naive.successors(position))
        found = list(legal_moves(position))
        assert sorted(found) == sorted(move for move, _ in pairs)
        assert count_moves(position) == len(found)
        for move, after in rng.sample(pairs, min(len(pairs), 8)):
            assert verify(position, move) == []
            assert position.play(move) == after


def test_the_kernels_play_as_the_reference_does() -> None:
    """The last number: a sample is the score after the move; games of the heuristic end with legal scores."""
    rng = random.Random(12)
    graph = graph_of(sheets()["amazonia_1"], RULES)
    player = Player(graph, 1, heuristic("amazonia"), 0, 0)
    for _ in range(5):
        position = next(p for p in random_game(rng, "amazonia_1", RULES) if p.turns == 1)
        yellow, red = position.roll or (0, 1)
        packed = moves(graph, *position.packed, yellow * 6 + red - 1, 0, 0)
        out = np.zeros((len(packed) // 5, 1), np.int32)
        player.rollouts(*position.packed, packed, 1, 0, out)
        values, ended = Endgame(graph, 0, 0, 0).moves(*position.packed, packed)
        after = [naive.score(position.play(move)) for move in Solver(RULES).legal_moves(position)]
        assert out[:, 0].tolist() == after == values
        assert ended == 0
    scores = np.zeros(300, np.int32)
    player.games(5, 0, bytes([4] * 5), scores)
    assert scores.mean() > 97


@pytest.mark.parametrize("rules", [SMALL_RULES, Rules.parse("amazonia+op_limits=2,1,1,1,1+observations=frog:0")])
def test_endgames_are_those_of_the_reference(rules: Rules) -> None:
    rng = random.Random(str(rules))
    solver = Solver(rules)
    for turns in (1, 1, 2):
        position = next(p for p in random_game(rng, SMALL, rules) if p.turns == turns).with_roll(None)
        found = solver.value(position)
        assert found.how == "exact"
        assert found.mean == pytest.approx(float(naive.value(position)), abs=1e-9)
        target = score(position).total + 2
        chance = solver.value(position, "reach", target=target)
        assert chance.mean == pytest.approx(float(naive.value(position, target)), abs=1e-9)


def test_warm_tables_do_not_mix_states_up() -> None:
    rng = random.Random(13)
    rules = Rules.parse("amazonia+op_limits=1,1,1,2,1+observations=ara:1,toucan:2,frog:0")
    graph = graph_of(Sheet.parse(SMALL), rules)
    warm = Endgame(graph, 0, 0, 1 << 24)
    for _ in range(40):
        packed = random_position(rng, SMALL, rules, rng.choice([2, 3])).packed
        assert warm.value(*packed) == pytest.approx(Endgame(graph, 0, 0, 1 << 24).value(*packed), abs=1e-9)


def test_the_adviser() -> None:
    rng = random.Random(14)
    solver = Solver(RULES)
    start = Position.start("amazonia_1", RULES)
    for position in (start.with_roll((3, 6)), list(random_game(rng, "amazonia_1", RULES))[9]):
        lines = solver.best_moves(position, 3)
        assert all(verify(position, line.move) == [] for line in lines)
        assert lines == Solver(RULES).best_moves(position, 3)
    late = next(p for p in random_game(rng, "amazonia_1", RULES) if p.turns == 3)
    assert solver.best_moves(late)[0].exact
    assert analyse(start, samples=50).value.how == "rollout"


def test_text_and_rules() -> None:
    assert str(RULES) == "amazonia+observations=boa:1,jaguar:6,marmoset:4"
    assert Rules.parse("amazonia+observations=marmoset:4,jaguar:6,boa:1") == RULES
    assert Rules.from_dict(json.loads(json.dumps(RULES.to_dict()))) == RULES
    assert (Rules().penalty, RULES.penalty) == (3, 5)
    sheet = Sheet.parse(SMALL)
    assert sheet.river == (1, 4, 5)
    assert str(sheet) == SMALL
    assert Sheet.from_dict(sheet.to_dict()) == sheet
    position = Position.parse("graph:3:0-1,1-2:::1 | 3 4! . | 4 3 3 4 4 | 0-1 | 2,5 | rules=amazonia")
    assert position.piranhas == (1,)
    assert str(position).split(" | ")[1] == "3 4! ."
    assert position.problems() == []
    after = position.play(Move("sum", 2))
    assert after.piranhas == (1,)
    for changed in ("3 4 .", "3! 4! ."):
        wrong = Position.parse(str(position).replace("3 4! .", changed).replace("| 4 3 3", "| 3 4 3"))
        assert wrong.problems()


def test_pictures() -> None:
    text = "graph:3:0-1,1-2:::1 | 3 4! . | 4 3 3 4 4 | 0-1 | 2,5 | rules=amazonia+observations=boa:1"
    position = Position.parse(text)
    assert "{4!}" in render_text(position)
    assert "boa 1" in render_text(position)
    assert "\x1b[36m" in render_text(position, color=True)
    assert "4!" in render_svg(position)


@pytest.mark.parametrize("rules", [Rules(), Rules(links="free")])
def test_the_sheet_is_not_played_under_other_rules(rules: Rules) -> None:
    position = Position.start("amazonia_1", rules, (2, 5))
    assert position.problems() == ["rules: the sheet has a river, it is for rules=amazonia"]
    for call in (best_move, score, analyse, count_moves):
        with pytest.raises(IllegalPosition, match="river"):
            call(position)


def test_what_is_refused() -> None:
    position = Position.start("amazonia_1", RULES, (2, 5))
    net = net_for(sheets()["dunai"])
    calls: list[Any] = [
        lambda: Rules(variant="jampa"),
        lambda: Rules(variant="amazonia", links="free"),
        lambda: Rules(observations=(("boa", 1),)),
        lambda: Rules(variant="amazonia", observations=(("boa", 7),)),
        lambda: Rules(variant="amazonia", observations=(("boa", 1), ("ara", 1))),
        lambda: Rules(variant="amazonia", observations=(("boa", 1), ("boa", 2))),
        lambda: Rules(variant="amazonia", observations=tuple(zip(TRACKS, range(4), strict=False))),
        lambda: Rules(variant="amazonia", observations="boa:1"),  # type: ignore[arg-type]
        lambda: Rules.parse("amazonia+observations=boa"),
        lambda: Rules.parse("amazonia+observations=cat:1"),
        lambda: Rules.parse("amazonia+variant=himalaya"),
    ]
    for call in calls:
        with pytest.raises(RulesError):
            call()
    for call in (
        lambda: best_sheet("amazonia_1"),
        lambda: best_sheet("dunai", rules=RULES),
        lambda: Solver(RULES, weights={"amazonia_1": net}).best_move(position),  # type: ignore[dict-item]
    ):
        with pytest.raises(UnsupportedRules):
            call()
    with pytest.raises(ParseError):
        Position(position.sheet, position.cells, position.left, (), None, RULES, (5,))
    with pytest.raises(ParseError):
        Position.parse("graph:2:0-1 | .! . | 4 4 4 4 4 | - | -")
    with pytest.raises(ValueError, match="base game"):
        Player(graph_of(sheets()["dunai"], RULES), 2, net, 0, 0)
    assert issubclass(UnsupportedRules, SolverError)
