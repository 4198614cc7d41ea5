"""Whole games: the protocol, turns and dice, what a seat sees, stars, and bad input."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver import games, records
from solver.errors import IllegalAction, ParseError, SolverError
from solver.games import CHANCE, OVER
from solver.trek12 import Move, Position, Rules, Sheet, score, sheets
from solver.trek12.game import EXPEDITION, MOST_PLAYERS, Roll, TrekState, stars_of, start
from solver.trek12.rules import OPS
from tests.conformance import check_games
from tests.trek12.positions import OWN

RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "trek12" / "games.jsonl").read_text().splitlines()
]
LINKS = ("mandatory", "optional", "free")


@pytest.mark.parametrize("links", LINKS)
@pytest.mark.parametrize(
    ("players", "sheet", "number"),
    [(1, "dunai", 8), (2, "kagkot", 8), (4, "dhaulagiri", 4), (2, OWN, 12), (1, EXPEDITION, 2), (3, EXPEDITION, 2)],
)
def test_random_games_keep_the_protocol(links: str, players: int, sheet: str, number: int) -> None:
    game = games.load("trek12")
    assert check_games(game, number, rules=links, players=players, options={"sheet": sheet}, deep=3) > 0


def test_amazonia_keeps_the_protocol() -> None:
    rules = "amazonia+observations=boa:1,jaguar:6"
    assert check_games(games.load("trek12"), 5, rules=rules, players=2, deep=3) > 0
    state = to_the_end(start(rules, 2))
    assert state.course == (sheets()["amazonia_1"],)
    assert state.turn == 2 * 20
    assert state.returns() == tuple(float(score(position).total) for position in state.boards[0])


def test_games_end_when_the_boxes_do() -> None:
    rules = "mandatory+bad_circle=forced_only+op_limits=1,2,0,1,1"
    assert check_games(games.load("trek12"), 20, rules=rules, players=2, options={"sheet": OWN}, deep=1) > 0
    state = start(Rules.parse(rules), 2, sheet=OWN)
    while state.to_move != OVER:
        state = advance(state)
    assert state.turn == 2 * 5
    assert all(position.left == (0, 0, 0, 0, 0) for position in state.boards[-1])


def advance(state: TrekState, seed: int = 5, game: int = 0) -> TrekState:
    """The state after the roll of the game, or after the first legal move."""
    if state.to_move == CHANCE:
        return state.apply(state.sample(seed, game))
    return state.apply(next(state.legal_actions()))


def to_the_end(state: TrekState) -> TrekState:
    while state.to_move != OVER:
        state = advance(state)
    return state


def test_a_turn_is_a_roll_and_a_decision_of_every_seat() -> None:
    state = start(players=3)
    assert state.to_move == CHANCE
    assert state.course == (sheets()["dunai"],)
    assert len(state.chance_outcomes()) == 36
    assert list(state.legal_actions()) == []
    state = state.apply(Roll(2, 5))
    for seat in range(3):
        assert (state.to_move, state.turn) == (seat, seat)
        assert state.chance_outcomes() == []
        assert state.position.roll == (2, 5)
        state = state.apply(state.read(f"sum@{seat}"))
    assert (state.to_move, state.turn, state.roll) == (CHANCE, 3, None)
    assert [position.cells[seat] for seat, position in enumerate(state.boards[0])] == [7, 7, 7]
    state = to_the_end(state)
    assert state.turn == 3 * 19
    assert state.returns() == tuple(float(score(position).total) for position in state.boards[0])
    assert state.winners() == tuple(seat for seat in range(3) if state.returns()[seat] == max(state.returns()))


def test_positions_of_a_game_are_legal_when_they_are_looked_through_anew() -> None:
    for rules in ("mandatory", "optional+bad_circle=forced_only", "free"):
        state = start(rules, 1)
        while state.to_move != OVER:
            state = advance(state)
            assert Position.parse(str(state.boards[-1][0])).problems() == []


@pytest.mark.parametrize("case", RECORDED[::30], ids=lambda case: f"{case['map']}-{case['linkRule']}-{case['seed']}")
def test_recorded_games_have_their_scores(case: dict[str, Any]) -> None:
    state = start(case["linkRule"], 1, sheet=case["map"])
    for yellow, red, op, circle, down, up, count in case["history"]:
        state = state.apply(Roll(yellow, red))
        moves = list(state.legal_actions())
        assert len(moves) == count
        links = {link for link in (down, up) if link >= 0}
        state = state.apply(
            max(
                (move for move in moves if (move.op, move.circle) == (OPS[op], circle) and links >= set(move.links)),
                key=lambda move: len(move.links),
            )
        )
    assert state.returns() == (case["score"],)


def test_rolls_depend_on_seed_game_sheet_and_turn_alone() -> None:
    one = start(players=1)
    two = start("free", 2)
    seen = []
    for _ in range(19):
        assert one.sample(3, 8) == two.sample(3, 8)
        seen.append(one.sample(3, 8))
        one = advance(one.apply(one.sample(3, 8)))
        two = two.apply(Roll(0, 1))
        two = two.apply(list(two.legal_actions())[-1])
        two = two.apply(list(two.legal_actions())[-1])
    other = start(players=1)
    assert [other.sample(3, game) for game in range(19)] != seen
    assert len(set(seen)) > 9
    counted = Counter(other.sample(1, game) for game in range(36_000))
    assert len(counted) == 36
    assert all(800 < number < 1200 for number in counted.values())  # 1000 each, 31 is the standard deviation


def test_a_seat_does_not_see_what_others_choose_this_turn() -> None:
    state = start(players=3).apply(Roll(2, 5))
    a = state.apply(Move("sum", 4))
    b = state.apply(Move("low", 9))
    assert a != b
    for seat in (1, 2):
        assert a.view(seat) == b.view(seat)
        assert a.view(seat).position.roll == (2, 5)
    assert a.view(0) != b.view(0)
    assert a.view(0).position.cells[4] == 7
    # when all have chosen, all is seen
    a, b = (one.apply(Move("sum", 1)).apply(Move("sum", 1)) for one in (a, b))
    assert a.view(1) != b.view(1)
    assert a.view(1).boards[0][0].cells[4] == 7
    shuffled = {str(state.apply(Move("sum", 4)).reshuffled(1, key).chosen[0]) for key in range(60)}
    assert len(shuffled) > 10
    assert state.apply(Move("sum", 4)).reshuffled(0, 7).chosen == (Move("sum", 4),)


def test_stars() -> None:
    course = tuple(sheets()[name] for name in ("dunai", "kagkot", "dhaulagiri"))
    # summits are 65, 70 and 75; the best score earns stars even below the summit, and ties earn them for all
    assert stars_of(course, [(65, 64), (69, 60), (75, 75)]) == (1 + 1 + 2 + 5 + 3, 5 + 3)
    assert stars_of(course, [(10, 10, 9)]) == (1, 1, 0)
    # alone there is nobody to beat
    assert stars_of(course, [(65,), (69,), (75,)]) == (6,)
    # a sheet of one's own without a summit has stars for the best score only
    plain = Sheet(3, ((0, 1), (1, 2)))
    assert stars_of((plain,) * 3, [(9, 1), (9, 1), (1, 9)]) == (3, 3)


def test_an_expedition_is_three_sheets_and_counts_stars() -> None:
    state = start(players=2, sheet=EXPEDITION)
    assert [sheet.id for sheet in state.course] == ["dunai", "kagkot", "dhaulagiri"]
    begun = set()
    while state.to_move != OVER:
        begun.add((len(state.boards), state.view(0).position.sheet.id))
        state = advance(state)
    assert begun == {(1, "dunai"), (2, "kagkot"), (3, "dhaulagiri")}
    assert state.turn == 2 * 57
    assert [len(row) for row in state.scores] == [2, 2, 2]
    assert state.totals == tuple(map(sum, zip(*state.scores, strict=True)))
    assert state.returns() == tuple(map(float, stars_of(state.course, state.scores)))
    assert state.stars == stars_of(state.course, state.scores)
    own = to_the_end(start(players=2, sheet=(OWN, "dunai", OWN)))
    assert len(own.scores) == 3
    assert start(sheet=[OWN]).course == (Sheet.parse(OWN),)


def test_records_replay() -> None:
    from solver.trek12.players import player

    for options in ({"sheet": EXPEDITION}, {"sheet": OWN}, {}):
        record = games.play(start(players=2, **options), [player("greedy"), player("random")], 1, 4, True, options)
        assert records.parse(str(record)) == record
        assert records.replay(record)[-1].returns() == record.returns


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: state.apply(Roll(2, 5)), r"seat 0 has to choose"),
        (lambda state: state.apply(Move("sum", 60)), r"circle"),
        (lambda state: state.apply(Move("sum", 0, (3,))), r"'sum@0\+3': links"),
        (lambda state: to_the_end(state).apply(Move("sum", 0)), "the game is over"),
        (lambda state: start().apply(Move("sum", 0)), "the roll comes first"),
        (lambda state: start().apply((6, 1)), "yellow 0 to 5"),
        (lambda state: start().apply(("0", 1)), "yellow 0 to 5"),
        (lambda state: start().apply(np.array([1, 1])), "yellow 0 to 5"),
    ],
)
def test_illegal_actions_are_named(change: Callable[[TrekState], Any], message: str) -> None:
    with pytest.raises(IllegalAction, match=message):
        change(start().apply(Roll(2, 5)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda state: start(players=0), "players: must be 1 to"),
        (lambda state: start(players=MOST_PLAYERS + 1), "players: must be 1 to"),
        (lambda state: start(players=True), "players"),
        (lambda state: start(players="2"), "players"),
        (lambda state: start(5), "rules: must be Rules"),
        (lambda state: start("harsh"), "rules: no preset"),
        (lambda state: start(sheet="everest"), "sheet: 'everest'"),
        (lambda state: start(sheet=("dunai", "kagkot")), "sheet: must be a sheet, 'expedition' or three"),
        (lambda state: start(sheet=7), "sheet"),
        (lambda state: start(sheet=[1]), "sheet"),
        (lambda state: start(sheet="amazonia_1"), "amazonia"),
        (lambda state: state.view(2), "seat: must be 0 to 1"),
        (lambda state: state.view(True), "seat"),
        (lambda state: state.reshuffled(-1, 0), "seat"),
        (lambda state: state.sample(1, -1), "game: must be an integer from 0"),
        (lambda state: state.sample(-1, 1), "seed"),
        (lambda state: state.sample("1", 1), "seed"),
        (lambda state: state.apply(Roll(1, 1)).sample(1, 1), "no dice are rolled"),
        (lambda state: state.position, "no seat is to move"),
        (lambda state: state.returns(), "not over"),
        (lambda state: state.winners(), "not over"),
        (lambda state: state.read("7,1"), "roll: '7,1'"),
        (lambda state: state.read(5), "roll"),
        (lambda state: state.apply(Roll(1, 1)).read("7,1"), "move: '7,1'"),
        (lambda state: to_the_end(state).read("7,1"), "the game is over"),
    ],
)
def test_bad_input_is_named(call: Callable[[TrekState], Any], message: str) -> None:
    with pytest.raises(SolverError, match=message):
        call(start())


def changed(**fields: Any) -> dict[str, Any]:
    state = advance(advance(start(players=2, sheet=OWN)))
    return {**state.to_dict(), **fields}


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {**changed(), "more": 1},
        changed(boards=[]),
        changed(boards=[[]]),
        changed(boards="x"),
        changed(boards=[["x", "y"]]),
        changed(boards=[[5, 5]]),
        changed(boards=changed()["boards"] * 2),
        changed(boards=[changed()["boards"][0] * 60]),
        changed(boards=[[str(Position.start("dunai"))] * 2]),
        changed(boards=[[str(Position.start(OWN, Rules(links="free")))] * 2]),
        changed(boards=[[str(Position.start(OWN, roll=(1, 1)))] * 2]),
        changed(boards=[[changed()["boards"][0][0], str(Position.start(OWN).with_roll((1, 1)).play(Move("low", 0)))]]),
        changed(course=[]),
        changed(course="everest"),
        changed(rules=None),
        changed(roll=None),
        changed(roll="9,9"),
        changed(roll=[1, 1]),
        changed(chosen=["sum@0", "sum@0"]),
        changed(chosen=["sum@60"]),
        changed(chosen="sum@0"),
        changed(chosen=[7]),
    ],
)
def test_states_that_no_game_has_are_refused(data: Any) -> None:
    with pytest.raises(SolverError):
        TrekState.from_dict(data)


def test_an_expedition_must_be_filled_in_order() -> None:
    state = start(players=1, sheet=(OWN, OWN, OWN))
    data = to_the_end(state).to_dict()
    assert TrekState.from_dict(data) == to_the_end(state)
    with pytest.raises(ParseError, match="not filled as in a game"):
        TrekState.from_dict({**data, "boards": data["boards"][:2]})
    with pytest.raises(ParseError, match="not filled as in a game"):
        TrekState.from_dict({**data, "boards": [data["boards"][0], state.to_dict()["boards"][0], data["boards"][0]]})


def test_states_are_values() -> None:
    state = advance(start())
    assert state == advance(start())
    assert hash(state) == hash(advance(start()))
    assert state != replace(state, roll=Roll(0, 1) if state.roll != (0, 1) else Roll(0, 2))
    assert str(Roll(2, 5)) == "2,5"
    assert str(start().apply((True, np.int64(5))).roll) == "1,5"  # type: ignore[arg-type]
