"""Every value that has to_dict comes back from it, through JSON, and data that is none of it is refused by name."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from typing import Any

import pytest

import solver
from solver import rummikub, setup, trek12
from solver.errors import ParseError, SolverError
from solver.limits import Limit
from solver.match import MatchResult, Stop, match
from solver.results import Analysis, Estimate, How, Line

RUMMIKUB = (
    "R4 R5 R6 R7 R8, B4 K4 O4 | R4 R6 B9",
    "R4 R5 J R7, B4 K4 J | R4 R6 B9 | rules=free",
    "R4 R5 J R7, B4 K4 O4 | R6 O4 B1 J | rules=family",
    "B5 B6 B7 B8 | R5",
    "- | R10 B10 K10 O1 | unopened",
)
SETUP = (
    "b2:4H c2:7D/9S | 5H 1S 2S 3S | 7* 8* 9* 10* | to=S seats=NS scores=0,0 finish=60",
    "b2:4H c2:7D/9S | 5H 1S 2S 3S | 7* 8* 9* 10* | to=S seats=NESW scores=0,3,4,0 finish=60",
)
TREK = (
    "graph:4:0-1,1-2,2-3 | 4 5 . . | 3 3 4 4 4 | 0-1 | 2,5",
    "graph:4:0-1,1-2,2-3 | 4 5 . . | 3 3 4 4 4 | 0-1 | -",
    "graph:3:0-1,1-2 | 4 5 5 | 3 3 4 3 4 | 0-1 | -",
    "dunai | . . . . . . . . . . . . . . . . . . . | 4 4 4 4 4 | - | 2,5",
)


def of_rummikub() -> Iterator[tuple[Any, Callable[[Any], Any]]]:
    for text in RUMMIKUB:
        position = rummikub.Position.parse(text)
        move: dict[str, Any] = {"move": partial(rummikub.Move.from_dict, rules=position.rules)}
        analysis = rummikub.analyse(position)
        yield analysis, partial(Analysis.from_dict, **move)
        for line in analysis.lines:
            yield line, partial(Line.from_dict, **move)
            yield line.move.steps, rummikub.Steps.from_dict
            for step in line.move.steps:
                yield step, rummikub.Step.from_dict
            for change in line.move.changes:
                yield change, type(change).from_dict
        found = rummikub.draws(position)
        yield found, partial(rummikub.Draws.from_dict, **move)
        for draw in found.tiles:
            yield draw, partial(rummikub.Draw.from_dict, **move)
        if position.rules == rummikub.Rules.preset("family"):
            continue  # the analysis for win does not know them
        won = rummikub.analyse(position, Limit(nodes=300), objective="win")
        yield won, partial(Analysis.from_dict, kind=rummikub.WinLine, **move)
        for line in won.lines:
            yield line, partial(rummikub.WinLine.from_dict, **move)
    for tiles in ("R1 R2 R3 R4 B4 K4 O4 O13", "R1-3", "R5 J J"):
        yield rummikub.repair(tiles), rummikub.Repair.from_dict
    yield rummikub.count_winning_hands(rummikub.Rules(), max_tiles=4), rummikub.WinningHands.from_dict


def of_setup() -> Iterator[tuple[Any, Callable[[Any], Any]]]:
    for text in SETUP:
        position = setup.Position.parse(text)
        for objective in setup.OBJECTIVES:
            found = setup.analyse(position, objective=objective, samples=8)
            yield found, setup.PlayAnalysis.from_dict
            for line in found.lines:
                yield line, setup.PlayLine.from_dict


def of_trek12() -> Iterator[tuple[Any, Callable[[Any], Any]]]:
    for text in TREK:
        position = trek12.Position.parse(text)
        for objective in ("mean", "reach") if position.sheet.summit else ("mean",):
            found = trek12.analyse(position, objective=objective, samples=20)
            yield found, trek12.TrekAnalysis.from_dict
            yield found.value, Estimate.from_dict
            if found.distribution is not None:
                yield found.distribution, trek12.Distribution.from_dict
            for row in found.table:
                yield row, trek12.RollLine.from_dict
            for line in found.lines:
                yield line, lambda data: Line.from_dict(data, trek12.Move.from_dict)
                yield trek12.judge(position, line.move), trek12.Judgement.from_dict
        yield trek12.score(position), trek12.Score.from_dict
        for part in trek12.score(position).chains:
            yield part, type(part).from_dict
        if not position.roll:
            free = trek12.Position.parse(f"{text.replace('0-1 |', '- |')} | rules=free")
            yield trek12.best_layout(free), trek12.Layout.from_dict
    for rolls in (None, [(2, 5), (0, 1), (3, 3), (5, 6)]):
        yield trek12.best_sheet("graph:4:0-1,1-2,2-3", rolls, width=20), trek12.BestSheet.from_dict
    rules = trek12.Rules.parse("amazonia+observations=boa:1,jaguar:6,marmoset:4")
    yield trek12.score(trek12.Position.start("amazonia_1", rules)), trek12.Score.from_dict


def of_matches() -> Iterator[tuple[Any, Callable[[Any], Any]]]:
    stop = Stop(0.4, 0.6)
    yield stop, Stop.from_dict
    yield match("trek12", ["random", "greedy"], games=4, seed=1, options={"sheet": "dunai"}), MatchResult.from_dict
    yield match("rummikub", ["greedy", "greedy"], games=2, seed=1, stop=stop), MatchResult.from_dict
    for how in How:
        yield Estimate(0.1 + 0.2, 1, inf, how), Estimate.from_dict


VALUES: dict[str, Callable[[], Iterator[tuple[Any, Callable[[Any], Any]]]]] = {
    "rummikub": of_rummikub,
    "setup": of_setup,
    "trek12": of_trek12,
    "matches": of_matches,
}


OPEN = ("quantiles", "options", "distinct", "physical", "bonus")  # mappings of what there is


def broken(data: Any) -> Iterator[Any]:
    """The data with one thing wrong: a field of another kind, one too few, one too many; at every depth."""
    if isinstance(data, dict):
        for name in data:
            yield data | {name: object()}
            yield {other: data[other] for other in data if other != name}
            for inner in () if name in OPEN else broken(data[name]):
                yield data | {name: inner}
        yield data | {"nothing": 1}
    elif isinstance(data, list) and data:
        yield [object(), *data[1:]]
        for inner in broken(data[0]):
            yield [inner, *data[1:]]


@pytest.mark.parametrize("name", VALUES)
def test_round_trip_through_json(name: str) -> None:
    seen = set()
    for value, back in VALUES[name]():
        text = json.dumps(value.to_dict(), allow_nan=False)
        found = back(json.loads(text))
        assert found == value
        assert type(found) is type(value)
        assert json.dumps(found.to_dict(), allow_nan=False) == text
        for odd in (None, 5, "x", [], [1], {}, {"x": 1}):
            with pytest.raises(ParseError):
                back(odd)
        if type(value) not in seen:
            seen.add(type(value))
            for bad in broken(value.to_dict()):
                assert "\n" not in complaint(back, bad, value)


def complaint(back: Callable[[Any], Any], bad: Any, value: Any) -> str:
    """What is said of bad data; nothing if what is bad is not needed."""
    try:
        found = back(bad)
    except SolverError as error:
        return str(error)
    assert found == value
    return ""


def test_every_value_has_both() -> None:
    ways_of_their_own = {"Record", "Series"}  # records.from_dict; a series is a sheet of what its records hold
    seen = set()
    for module in pkgutil.walk_packages(solver.__path__, "solver."):
        if module.name.endswith("__main__"):
            continue
        for name, kind in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if hasattr(kind, "to_dict") and kind.__module__.startswith("solver.") and not is_protocol(kind):
                seen.add(name)
                assert hasattr(kind, "from_dict") or name in ways_of_their_own, name
    assert len(seen) > 30


def is_protocol(kind: type) -> bool:
    return bool(getattr(kind, "_is_protocol", False))


def test_messages_name_the_way_to_the_field() -> None:
    analysis = trek12.analyse(trek12.Position.parse(TREK[0]), samples=10).to_dict()
    line = analysis["lines"][1]
    for field, value, message in (
        ("value", "much", "lines[1]: value: must be a number, not 'much'"),
        ("value", float("nan"), "lines[1]: value: must be a number, not nan"),
        ("value", 10**400, "lines[1]: value: must be a number, not "),
        ("tied", 1, "lines[1]: tied: must be true or false, not 1"),
        ("move", {"op": "sum", "circle": -1}, "lines[1]: move: circle: must be a circle from 0 to 63, not -1"),
        ("move", None, "lines[1]: move: move: must have op and circle, not None"),
        ("moves", None, "lines[1]: line: no field 'moves'; did you mean move?"),
    ):
        bad = analysis | {"lines": [analysis["lines"][0], line | {field: value}]}
        with pytest.raises(ParseError) as caught:
            trek12.TrekAnalysis.from_dict(bad)
        assert str(caught.value).startswith(message)
    more: tuple[tuple[str, Any, str], ...] = (
        ("status", "done", "status: must be one of complete, time, nodes, cancelled, not 'done'"),
        ("effort", 1.5, "effort: must be a whole number, not 1.5"),
        ("lines", {}, "lines: must be a list, not {}"),
        ("table", [{"roll": [1]}], "table[0]: line: weight is missing"),
    )
    for field, value, message in more:
        with pytest.raises(ParseError) as caught:
            trek12.TrekAnalysis.from_dict(analysis | {field: value})
        assert str(caught.value) == message
    score = trek12.score(trek12.Position.parse(TREK[0])).to_dict()
    with pytest.raises(ParseError, match=r"^chains\[0\]: circles\[1\]: must be a whole number, not 'x'$"):
        trek12.Score.from_dict(score | {"chains": [{"circles": [0, "x"], "points": 4}]})
    found = setup.best_moves(setup.Position.parse(SETUP[0]), 1)[0].to_dict()
    with pytest.raises(ParseError, match=r"^covers\[0\]: must have 2 members, not 3$"):
        setup.PlayLine.from_dict(found | {"covers": [["b2", "4H", "x"]]})
    with pytest.raises(ParseError, match=r"^source: must be one of hand, rack, not 'table'$"):
        rummikub.Step.from_dict(
            {"kind": "place", "tiles": ["R1"], "source": "table", "target": [], "result": [["R1"]], "text": ""}
        )
    with pytest.raises(ParseError, match=r"^table\[0\]\[1\]: must be a tile, not 'R0'$"):
        rummikub.Repair.from_dict({"table": [["R1", "R0"]], "removed": []})
    with pytest.raises(ParseError, match=r"^distinct: 'many' cannot stand there$"):
        rummikub.WinningHands.from_dict({"distinct": {"many": 1}, "physical": {}})
    data = rummikub.draws(rummikub.Position.parse(RUMMIKUB[3])).to_dict()
    for exact in ("1/0", "-1", "0.5", "1/2/3", "", "/", "9" * 5000):
        with pytest.raises(ParseError, match=r"^plays: exact: must be a fraction, not "):
            rummikub.Draws.from_dict(data | {"plays": {"value": 0.5, "exact": exact}})
