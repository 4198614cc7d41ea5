"""Positions and moves of Setup: text forms, and one clear error for each kind of bad input."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import IllegalPosition, ParseError, SolverError
from solver.setup import Move, Position, Rules, best_move, count_moves, legal_moves, verify

TAIL = "to=S seats=NESW scores=0,0,0,0 finish=60"
GOOD = f"b2:4H c2:7D/9S | 5H 1S 2S 3S | 7* 8* 9* 10* | {TAIL}"


def test_round_trip_is_canonical() -> None:
    position = Position.parse("c2:7D/9S   b2:4H |3S 1S 5H 2S | 10* 9* 8* 7*|finish=60 seats=WNES scores=4,1,2,3 to=S")
    assert str(position) == ("b2:4H c2:7D/9S | 1S 2S 3S 5H | 7* 8* 9* 10* | to=S seats=NESW scores=1,2,3,4 finish=60")
    for other in (Position.parse(str(position)), Position.from_dict(position.to_dict())):
        assert other == position
        assert hash(other) == hash(position)
    assert pickle.loads(pickle.dumps(position)) == position
    assert position.problems() == []
    assert position.tops == {"b2": "4H", "c2": "7D"}
    assert position.covered == ("9S",)
    assert len(position.unseen) == 50 - 3 - 8
    assert position.next_seat == "W"


def test_rules_stand_in_the_text_only_when_they_differ() -> None:
    text = GOOD + " rules=default+scoring=per_set"
    assert str(Position.parse(text)) == GOOD.replace("5H 1S 2S 3S", "1S 2S 3S 5H") + " rules=default+scoring=per_set"
    assert str(Position.parse(GOOD + " rules=default")).endswith("finish=60")
    assert Position.parse(GOOD + " rules=default+finish=60") == Position.parse(GOOD)


def test_empty_fields() -> None:
    position = Position.parse(f"- | - | - | {TAIL}")
    assert str(position) == f"- | - | - | {TAIL}"
    assert best_move(position) is None
    assert count_moves(position) == 0


def test_positions_and_moves_are_immutable() -> None:
    position, move = Position.parse(GOOD), Move.parse("b3=5H")
    for value in (position, move):
        with pytest.raises(AttributeError):
            value.rack = ()  # type: ignore[union-attr, misc]
        with pytest.raises(AttributeError):
            del value.rules  # type: ignore[union-attr]


def test_move_text() -> None:
    move = Move.parse("b2=5H c2=4C")
    assert str(move) == "c2=4C b2=5H"
    assert move == Move.from_dict(move.to_dict()) == Move([("5H", "b2"), ("4C", "c2")], (), 5, {"N": 1})
    assert str(Move.parse("swap 5* 4C")) == "swap 4C 5*"
    assert Move.parse("swap 4C").to_dict() == {"placements": [], "swap": ["4C"], "points": None, "bonus": None}
    assert Move([("5H", "b2")], (), 3, {"S": 0, "N": 2}).bonus == {"N": 2}


# Each line: the position, and what its one problem must name.
PROBLEMS = [
    (GOOD.replace("b2:4H", "b2:4H b3:4H"), "4H is there 2 times: on b2, on b3"),
    (GOOD.replace("c2:7D/9S", "c2:7D/7D"), "7D is there 2 times: on c2, under c2"),
    (GOOD.replace("9S", "3S"), "3S is there 2 times: under c2, in the rack"),
    (GOOD.replace("9S", "7*"), "7\\* is there 2 times: under c2, in the common hand"),
    (GOOD.replace("1S 2S", "2S 2S"), "2S is there 2 times: in the rack"),
    (GOOD.replace("1S 2S", "8* 2S"), "8\\* is there 2 times: in the rack, in the common hand"),
    (GOOD.replace("b2:4H", "a1:4H"), "square a1 does not exist"),
    (GOOD.replace("b2:4H", "c2:4H"), "square c2 is there twice"),
    (GOOD.replace("1S", "11S"), "11S' .in the rack. is no tile"),
    (GOOD.replace("1S", "1X"), "1X' .in the rack. is no tile"),
    (GOOD.replace("1S", "1S 6S"), "rack: 5 tiles"),
    (GOOD.replace("10*", "10* 1*"), "common hand: 5 tiles"),
    (GOOD.replace("to=S", "to=X"), "to: 'X' is no seat"),
    (GOOD.replace("to=S", "to=s"), "to: 's' is no seat"),
    (GOOD.replace("NESW scores=0,0,0,0", "NEW scores=0,0,0"), "nobody sits at S"),
    (GOOD.replace("NESW", "NESX"), "seats: 'X' is no seat"),
    (GOOD.replace("NESW", "NESS"), "seats: S is there twice"),
    (GOOD.replace("NESW scores=0,0,0,0", "S scores=0"), "at least 2 players"),
    (GOOD.replace("0,0,0,0", "0,0,0"), "scores: 3 for 4 seats"),
    (GOOD.replace("0,0,0,0", "0,-1,0,0"), "scores: -1 is below 0"),
    (GOOD.replace("0,0,0,0", "0,60,0,0"), "the game is over"),
    (GOOD.replace("0,0,0,0", "0,61,0,0") + " rules=default+finish_rule=pass", "the game is over"),
    (GOOD.replace("0,0,0,0", "0,0,60,0") + " rules=default+teams=yes", "pawn of S is home"),
    (GOOD.replace("0,0,0,0", "60,60,0,60") + " rules=default+teams=yes", "the game is over"),
    (GOOD.replace("NESW scores=0,0,0,0", "NES scores=0,0,0") + " rules=default+teams=yes", "teams"),
]


@pytest.mark.parametrize(("text", "named"), PROBLEMS)
def test_each_problem_is_one_clear_error(text: str, named: str) -> None:
    position = Position.parse(text)
    problems = position.problems()
    assert len(problems) == 1, problems
    assert Position.parse(str(position)) == position
    for call in (best_move, count_moves, legal_moves):
        with pytest.raises(IllegalPosition, match=named):
            call(position)  # type: ignore[operator]
    with pytest.raises(IllegalPosition, match=named):
        verify(position, Move.parse("swap 1S"))


def test_all_problems_are_listed_at_once() -> None:
    position = Position.parse("z9:4H b2:4H | 1S 2S 3S 5S 6S | 11* | to=X seats=NS scores=1 finish=60")
    assert len(position.problems()) == 6


UNREADABLE = [
    ("", "bars"),
    ("b2:4H | 5H | 7*", "bars"),
    (GOOD + " | more", "bars"),
    (GOOD.replace("b2:4H", "b2=4H"), "SQUARE:TILE"),
    (GOOD.replace("b2:4H", "b2:"), "square b2"),
    (GOOD.replace("b2:4H", "b2:4H/"), "square b2"),
    (GOOD.replace("b2:4H", "2b:4H"), "2b"),
    (GOOD.replace("b2:4H", "b2:H4"), "H4"),
    (GOOD.replace("5H 1S", "5H, 1S"), "5H,"),
    (GOOD.replace("5H 1S", "0H 1S"), "0H"),
    (GOOD.replace("5H 1S 2S 3S", ""), "rack: empty"),
    (GOOD.replace("to=S ", ""), "to: is missing"),
    (GOOD.replace("seats=NESW ", ""), "seats: is missing"),
    (GOOD.replace("scores=0,0,0,0 ", ""), "scores: is missing"),
    (GOOD.replace(" finish=60", ""), "finish"),
    (GOOD + " finish=60", "finish: given twice"),
    (GOOD.replace("0,0,0,0", "0,x,0,0"), "scores: 'x'"),
    (GOOD.replace("0,0,0,0", "0,1.5,0,0"), "scores: '1.5'"),
    (GOOD.replace("finish=60", "finish=many"), "finish: 'many'"),
    (GOOD.replace("finish=60", "finish=0"), "finish"),
    (GOOD.replace("finish=60", "finish=99999999999"), "finish"),
    (GOOD.replace("to=S", "to=SS"), "to:"),
    (GOOD.replace("NESW", "N-S"), "seats"),
    (GOOD + " rules=free", "free"),
    (GOOD + " rules=default+scoring=best", "scoring"),
    (GOOD + " rules=default+finish=61", "finish: 60, but 61"),
    (GOOD + " colour=red", "colour"),
    (GOOD.replace("b2:4H", "b2:4H\x00"), "characters"),
    ("x" * 1_000_000, "characters"),
    (GOOD.replace("b2:4H", "b2:" + "/".join(["4H"] * 2_000)), "tiles"),
]


@pytest.mark.parametrize(("text", "named"), UNREADABLE)
def test_unreadable_text_is_one_clear_error(text: str, named: str) -> None:
    with pytest.raises(ParseError, match=named):
        Position.parse(text)


@pytest.mark.parametrize(
    "text", ["", "swap", "c2", "c2=", "=4C", "c2=4C b2", "swap c2=4C", "4C", "swap 4", "a" * 99_999]
)
def test_unreadable_moves(text: str) -> None:
    with pytest.raises(ParseError):
        Move.parse(text)


@pytest.mark.parametrize("value", [None, 7, b"b2:4H", ["b2:4H"]])
def test_wrong_types(value: object) -> None:
    for read in (Position.parse, Move.parse, Position.from_dict, Move.from_dict, count_moves, best_move):
        with pytest.raises(SolverError):
            read(value)  # type: ignore[operator]
    rules = Rules(finish=60)
    for arguments in (
        (value, [], [], "S", "NS", [0, 0], rules),
        ({}, [value], [], "S", "NS", [0, 0], rules),
        ({}, [], [value], "S", "NS", [0, 0], rules),
        ({}, [], [], value, "NS", [0, 0], rules),
        ({}, [], [], "S", value, [0, 0], rules),
        ({}, [], [], "S", "NS", [value, 0], rules) if value != 7 else ({}, [], [], "S", "NS", 7, rules),
        ({}, [], [], "S", "NS", [0, 0], value),
    ):
        with pytest.raises(SolverError):
            Position(*arguments)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="abcd1234:/|=,+- HDCS*NESWtoseatsscoresfinishrules", max_size=120))
def test_any_text_gives_a_position_or_a_parse_error(text: str) -> None:
    try:
        position = Position.parse(text)
    except ParseError:
        return
    position.problems()
    assert Position.parse(str(position)) == position


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_broken_good_text_gives_a_position_or_a_parse_error(data: st.DataObject) -> None:
    text = list(GOOD)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at] = data.draw(st.sampled_from([*"ab24HS*:/|= ,-+", ""]))
    try:
        position = Position.parse("".join(text))
    except ParseError:
        return
    if not position.problems():
        assert count_moves(position) == sum(1 for _ in legal_moves(position))


@pytest.mark.parametrize(
    ("points", "bonus", "named"),
    [
        (1.5, None, "points"),
        (True, None, "points"),
        (10**10, None, "points"),
        (2, {"Q": 1}, "bonus: 'Q' is no seat"),
        (2, {"NE": 1}, "bonus: 'NE' is no seat"),
        (2, {"N": "1"}, "bonus: N"),
        (2, 5, "bonus"),
    ],
)
def test_points_and_bonus_of_a_move_are_checked(points: object, bonus: object, named: str) -> None:
    with pytest.raises(ParseError, match=named):
        Move([("5H", "b2")], (), points, bonus)  # type: ignore[arg-type]
    with pytest.raises(ParseError, match=named):
        Move.from_dict({"placements": [{"tile": "5H", "square": "b2"}], "points": points, "bonus": bonus})
