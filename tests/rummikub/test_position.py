"""Position and Move: text forms, canonical order, problems."""

import copy
import json
import pickle
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import ParseError
from solver.rummikub import Move, Position, Rules

DATA = Path(__file__).parents[1] / "data" / "rummikub"
FILES = ("positions.json", "instances.json", "no_move.json")

tiles = st.one_of(
    st.sampled_from([f"{letter}{number}" for letter in "RBKO" for number in range(1, 14)] + ["J"] * 6),
    st.sampled_from([f"{letter}{number}" for letter in "RBKO" for number in (14, 99, 100)]),
)
# Runs with jokers in them, groups, and plain garbage.
in_a_row = st.builds(
    lambda letter, start, jokers: ["J" if joker else f"{letter}{start + place}" for place, joker in enumerate(jokers)],
    st.sampled_from("RBKO"),
    st.integers(1, 94),
    st.lists(st.booleans(), min_size=1, max_size=6),
)
any_set = st.one_of(in_a_row, st.lists(tiles, min_size=1, max_size=25))
any_rules = st.builds(
    Rules,
    colors=st.integers(1, 4),
    numbers=st.sampled_from([3, 5, 13, 15, 100]),
    jokers=st.integers(0, 8),
    high_one=st.booleans(),
    jokers_per_set=st.sampled_from(["any", "one", "minority"]),
    opening_threshold=st.sampled_from([0, 30]),
)
any_position = st.builds(
    Position, st.lists(any_set, max_size=6), st.lists(tiles, max_size=20), st.booleans(), any_rules
)


def known_positions() -> Iterator[str]:
    for name in FILES:
        for entry in json.loads((DATA / name).read_text(encoding="utf-8"))["positions"]:
            yield entry["position"]


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (
            "R6 R7 R8 R9, R3 B3 K3 O3 | R1 B9 B10 O2 J | unopened rules=retail",
            "R3 B3 K3 O3, R6 R7 R8 R9 | R1 B9 B10 O2 J | unopened rules=retail",
        ),
        ("- | -", "- | -"),
        ("-|J r1", "- | R1 J"),
        ("  r6-11 ,\tY3 k3   b3| y5-6 j B2  \n", "R6 R7 R8 R9 R10 R11, B3 K3 O3 | B2 O5 O6 J"),
        ("R6-R8, r9-9 | - | rules=standard", "R6 R7 R8, R9 | -"),
        ("R5 J R7 | J | rules=standard+draw=1 unopened", "R5 J R7 | J | unopened"),
        (
            "K5 J R5, J R6 R7, R5-7 | J | rules=retail+joker_destination=any",
            "R5 R6 R7, R5 K5 J, J R6 R7 | J | rules=free",
        ),
        ("J J J, J O1 O2, O1 O2 J, B9 R9 O9 | -", "R9 B9 O9, O1 O2 J, O1 O2 J, J J J | -"),
        ("- | O1 | unopened rules=family", "- | O1 | rules=family"),
        ("- | O1 |", "- | O1"),
        ("R5 K9 B2 J | O100", "R5 B2 K9 J | O100"),
    ],
)
def test_the_canonical_text(text: str, canonical: str) -> None:
    position = Position.parse(text)
    assert str(position) == canonical
    assert Position.parse(canonical) == position


def test_the_fields() -> None:
    position = Position.parse("R6-8, B3 K3 O3 | J R1 | unopened rules=retail")
    assert position.table == (("R6", "R7", "R8"), ("B3", "K3", "O3"))
    assert position.rack == ("R1", "J")
    assert position.opened is False
    assert position.rules == Rules.preset("retail")
    assert position.problems() == []
    assert repr(position) == "Position.parse('R6 R7 R8, B3 K3 O3 | R1 J | unopened rules=retail')"


def test_the_known_positions_are_legal_and_come_back() -> None:
    texts = list(known_positions())
    assert len(texts) > 80
    for text in texts:
        position = Position.parse(text)
        assert position.problems() == []
        assert Position.parse(str(position)) == position
        assert sum(position.packed) == len(position.rack) + sum(map(len, position.table))


@settings(max_examples=400, deadline=None)
@given(any_position)
def test_every_position_comes_back(position: Position) -> None:
    text = str(position)
    for same in (
        Position.parse(text),
        Position.parse(text.lower()),
        Position(position.table, position.rack, position.opened, position.rules),
        Position.from_dict(json.loads(json.dumps(position.to_dict()))),
        pickle.loads(pickle.dumps(position)),
        copy.deepcopy(position),
    ):
        assert same == position
        assert hash(same) == hash(position)
        assert str(same) == text
        assert same.packed == position.packed
        assert same.problems() == position.problems()


@settings(max_examples=200, deadline=None)
@given(any_position, st.randoms(use_true_random=False))
def test_the_order_of_sets_and_rack_does_not_matter(position: Position, random: Any) -> None:
    table, rack = list(position.table), list(position.rack)
    random.shuffle(table)
    random.shuffle(rack)
    assert Position(table, rack, position.opened, position.rules) == position


def test_positions_differ_in_every_field() -> None:
    base = Position.parse("R6-8 | J")
    for other in ("R6-9 | J", "R6-8 | J J", "R6-8 | J | unopened", "R6-8 | J | rules=free"):
        assert Position.parse(other) != base
    assert base != "R6-8 | J"
    assert len({base, Position.parse("r8 r7 r6 | j")}) == 1


def test_a_position_is_immutable() -> None:
    position = Position.parse("R6-8 | J")
    with pytest.raises(AttributeError, match="Position is immutable, rack"):
        position.rack = ()
    with pytest.raises(AttributeError, match="Position is immutable, rack"):
        del position.rack
    position.problems().append("no")
    assert position.problems() == []


def test_packed_counts_by_number_and_colour() -> None:
    position = Position.parse("R1-3, R2 B2 J | O3 O3 J | rules=standard+numbers=3")
    # Numbers 1, 2, 3, each R B K O, of the table and of the rack; jokers of the table and of the rack.
    assert list(position.packed) == [1, 0, 0, 0, 2, 1, 0, 0, 1, 0, 0, 0] + [0] * 11 + [2] + [1, 1]
    # Also with fewer colours there are four lanes.
    assert len(Position.parse("- | R1 | rules=standard+colors=1+numbers=100").packed) == 802


@pytest.mark.parametrize(
    "text",
    [
        "- | R14",
        "- | O1 | rules=standard+colors=3",
        "R5-7 | R5 R5",
        "R5 J J | J",
        "- | J | rules=standard+jokers=0",
        "- | R1-100 | rules=standard",
    ],
)
def test_packed_is_empty_outside_of_the_material(text: str) -> None:
    position = Position.parse(text)
    assert position.packed == b""
    assert position.problems()


def test_packed_is_there_for_an_illegal_set() -> None:
    position = Position.parse("R5 K9 B2 | R1")
    assert sum(position.packed) == 4
    assert position.problems() == ["set 1: 'R5 B2 K9' is neither a run nor a group"]


def test_everything_wrong_is_listed_at_once() -> None:
    position = Position.parse("R5 K9 B2, R6-8, R6-8, B14-16, O1 O2 | R6 J J J O99 | rules=retail")
    assert position.problems() == [
        "copies: 3 of R6 on table and in rack, the rules have 2",
        "numbers: B14 is on table or in rack, the highest number of the rules is 13",
        "numbers: B15 is on table or in rack, the highest number of the rules is 13",
        "numbers: B16 is on table or in rack, the highest number of the rules is 13",
        "numbers: O99 is on table or in rack, the highest number of the rules is 13",
        "jokers: 3 on table and in rack, the rules have 2",
        "set 1: 'R5 B2 K9' is neither a run nor a group",
        "set 5: 'O1 O2' has 2 tiles, a set has at least 3",
    ]


def test_an_empty_rack_is_no_problem() -> None:
    assert Position.parse("R6-8 | -").problems() == []


def test_values_are_read_like_text() -> None:
    assert Position([["r6", "y6", "J"], ("B6",) * 3], iter(["j"])) == Position.parse("R6 O6 J, B6 B6 B6 | J")


@pytest.mark.parametrize(
    ("text", "canonical", "value"),
    [
        ("R7 J | R5 R6 R7, B3 B4 J", "R7 J | R5 R6 R7, B3 B4 J", 7),
        ("j r7| B3-5 , r5-7", "R7 J | R5 R6 R7, B3 B4 B5", 7),
        ("O13 R1-3 | - | taken=J b2", "R1 R2 R3 O13 | - | taken=B2 J", 19),
        ("- | -", "- | -", 0),
        ("R1 | - | taken=-", "R1 | -", 1),
        ("R1 | R13 R12 R1", "R1 | R1 R12 R13", 1),
    ],
)
def test_the_text_of_a_move(text: str, canonical: str, value: int) -> None:
    move = Move.parse(text)
    assert str(move) == canonical
    assert move.value == value
    assert repr(move) == f"Move.parse({canonical!r})"


def test_a_move_is_read_under_its_rules() -> None:
    move = Move.parse("R1 | R13 R12 R1", Rules.preset("american"))
    assert move.table == (("R12", "R13", "R1"),)
    assert Move.parse("R1 | R12 R13 J").table == (("J", "R12", "R13"),)


@settings(max_examples=200, deadline=None)
@given(any_position, st.lists(tiles, max_size=3))
def test_every_move_comes_back(position: Position, taken: list[str]) -> None:
    rules = position.rules
    move = Move(position.rack, position.table, None, taken, rules)
    assert move.table == position.table
    for same in (
        Move.parse(str(move), rules),
        Move.from_dict(json.loads(json.dumps(move.to_dict())), rules),
        Move(move.tiles, lambda: iter(position.table), move.value, move.taken, rules),
        pickle.loads(pickle.dumps(move)),
        copy.deepcopy(move),
    ):
        assert same == move
        assert hash(same) == hash(move)
        assert str(same) == str(move)


@settings(max_examples=300, deadline=None)
@given(any_position)
def test_a_move_without_rules_keeps_legal_sets_as_they_are(position: Position) -> None:
    if position.problems():
        legal = [each for each in position.table if not Position([each], (), True, position.rules).problems()]
        position = Position(legal, (), True, position.rules)
    assert Move([], position.table, 0).table == position.table


def test_moves_differ_in_every_field() -> None:
    base = Move.parse("R7 | R5-7")
    assert base != Move.parse("R8 | R5-7")
    assert base != Move.parse("R7 | R5-8")
    assert base != Move.parse("R7 | R5-7 | taken=R1")
    assert base != Move(["R7"], [["R5", "R6", "R7"]], 8)
    assert base == Move(["R7"], [["R5", "R6", "R7"]], 7)
    assert base != "R7 | R5-7"
    with pytest.raises(AttributeError, match="Move is immutable, value"):
        base.value = 9
    with pytest.raises(AttributeError, match="Move is immutable, value"):
        del base.value


def test_a_table_that_is_built_late_is_built_once() -> None:
    calls = []

    def build() -> list[list[str]]:
        calls.append(1)
        return [["R7", "R5", "R6"]]

    move = Move(["R7"], build, 7)
    assert hash(move) == hash(Move.parse("R7 | R5-7"))
    assert calls == []
    assert move.table == (("R5", "R6", "R7"),)
    assert move.table is move.table
    assert len(calls) == 1


def test_threads_see_the_same_late_table() -> None:
    move = Move(["R7"], lambda: [["R5", "R6", "R7"]], 7)
    seen: list[Any] = []
    threads = [threading.Thread(target=lambda: seen.append(move.table)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [(("R5", "R6", "R7"),)] * 8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("R7", "move: 'R7' has 0 bars, the form is TILES | TABLE [| taken=TILES]"),
        ("R7 | - | - | -", "has 3 bars"),
        ("R7 | - | R6", "taken: 'R6' is not of the form taken=TILES"),
        ("R7 | - | take=R6", "taken: 'take=R6' is not of the form"),
        ("R7 | - | taken=", "taken: empty"),
        ("R7 | - | taken=X1", "taken: 'X1' has no colour of R B K O"),
        (" | -", "tiles: empty"),
        ("R7 | R0", "table: 'R0' has no number from 1 to 100"),
        ("R7 | R5-7 | rules=free", "taken: 'rules=free' is not of the form"),
    ],
)
def test_a_move_that_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        Move.parse(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("value", ["7", 7.5, [7]])
def test_a_value_that_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(ParseError, match="value: must be a whole number"):
        Move(["R7"], [], value)
