"""Malformed text and impossible positions: one ParseError on reading, or problems that name what is wrong."""

from collections.abc import Iterator
from itertools import repeat
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import ParseError, SolverError
from solver.rummikub import Move, Position, Rules

LONGEST_MESSAGE = 400  # characters, whatever the length of the input
MEGABYTE = 1_000_000

UNREADABLE = [
    pytest.param("", "position: '' has 0 bars, the form is TABLE | RACK [| [unopened] [rules=TEXT]]", id="nothing"),
    pytest.param("   \n", "has 0 bars", id="blanks"),
    pytest.param("R5 R6 R7", "'R5 R6 R7' has 0 bars", id="no bars"),
    pytest.param("R5-7 | R1 | unopened | rules=free", "has 3 bars", id="too many bars"),
    pytest.param("|" * 50_000, "has 50000 bars", id="only bars"),
    pytest.param("|", "table: empty, no sets are written as -", id="one bar alone"),
    pytest.param(" | R1", "table: empty", id="no table"),
    pytest.param("R5-7 |  ", "rack: empty, no tiles are written as -", id="no rack"),
    pytest.param("R5-7,, B5-7 | R1", "table: set 2 has no tiles", id="no tiles between commas"),
    pytest.param("R5-7, | R1", "table: set 2 has no tiles", id="comma at the end"),
    pytest.param(", R5-7 | R1", "table: set 1 has no tiles", id="comma at the start"),
    pytest.param("R5-7, - | R1", "table: set 2 has no tiles", id="dash as a set"),
    pytest.param("R5-7 | R1, R2", "rack: 'R1,' is not a tile", id="comma in the rack"),
    pytest.param("R5-7 | - R1", "rack: '-' is not a tile", id="dash beside a tile"),
    pytest.param("- | G5", "rack: 'G5' has no colour of R B K O", id="unknown colour"),
    pytest.param("X1-3 | R1", "table: 'X1-3' has no colour of R B K O", id="unknown colour of a range"),
    pytest.param("- | R0", "rack: 'R0' has no number from 1 to 100", id="number 0"),
    pytest.param("- | R101", "rack: 'R101' has no number from 1 to 100", id="number 101"),
    pytest.param("- | R007", "rack: 'R007' has no number from 1 to 100", id="leading zeros"),
    pytest.param("- | R" + "9" * 5000, "has no number from 1 to 100", id="5000 digits"),
    pytest.param("- | R", "rack: 'R' has no number from 1 to 100", id="no number"),
    pytest.param("- | 7", "rack: '7' is not a tile", id="no colour"),
    pytest.param("- | 7R", "rack: '7R' is not a tile", id="number first"),
    pytest.param("- | R-5", "rack: 'R-5' has no number from 1 to 100", id="negative number"),
    pytest.param("- | R1.5", "rack: 'R1.5' is not a tile", id="fraction"),
    pytest.param("- | R+5", "rack: 'R+5' is not a tile", id="sign"),
    pytest.param("- | R1e1", "rack: 'R1e1' is not a tile", id="exponent"),
    pytest.param("- | R1_0", "rack: 'R1_0' is not a tile", id="underscore"),
    pytest.param("- | RR5", "rack: 'RR5' is not a tile", id="two letters"),
    pytest.param("- | R5R6", "rack: 'R5R6' is not a tile", id="two tiles without a blank"),
    pytest.param("- | JJ", "rack: 'JJ' is not a tile", id="two jokers without a blank"),
    pytest.param("- | J5", "rack: 'J5' has no colour of R B K O", id="joker with a number"),
    pytest.param("- | joker", "rack: 'joker' is not a tile", id="a bare word"),
    pytest.param("- | R11-6", "rack: the range 'R11-6' runs downwards", id="range downwards"),
    pytest.param("- | R6-B8", "rack: the range 'R6-B8' has two colours", id="range of two colours"),
    pytest.param("- | R1-99999999", "rack: 'R1-99999999' has no number from 1 to 100", id="range without end"),
    pytest.param("- | R1-", "rack: 'R1-' is not a tile", id="range without an end"),
    pytest.param("- | R1-J", "rack: 'R1-J' is not a tile", id="range to a joker"),
    pytest.param("- | R1--3", "rack: 'R1--3' is not a tile", id="range with two dashes"),
    pytest.param("- | R1-3-5", "rack: 'R1-3-5' is not a tile", id="range of three"),
    pytest.param("- | " + "R1-100 " * 14_000, "rack: more than 5000 tiles", id="a rack of ranges"),
    pytest.param("R1-100, " * 12_000 + "R1 | -", "table: more than 5000 tiles", id="a table of ranges"),
    pytest.param("- | " + "J " * 5001, "rack: more than 5000 tiles", id="5001 jokers"),
    pytest.param("- | R5 | closed", "position: 'closed' is neither unopened nor rules=TEXT", id="unknown option"),
    pytest.param("- | R5 | Unopened", "'Unopened' is neither unopened nor rules=TEXT", id="option in upper case"),
    pytest.param("- | R5 | unopened unopened", "'unopened' is the second unopened", id="an option twice"),
    pytest.param("- | R5 | rules=free rules=free", "'rules=free' is the second rules", id="rules twice"),
    pytest.param("- | R5 | rules=", "rules: no preset ''", id="rules without a name"),
    pytest.param("- | R5 | rules= free", "'free' is neither unopened nor rules=TEXT", id="blank after rules="),
    pytest.param("- | R5 | rules=casino", "rules: no preset 'casino'", id="unknown rules"),
    pytest.param("- | R5 | rules=free+numbers=2", "numbers: must be a whole number from 3 to 100", id="bad rule"),
    pytest.param("- | R5 | rules=free+number=12", "rules: no field 'number'", id="unknown rule"),
    pytest.param("- | R5 | rules=" + "a" * 90_000, "90000 characters are more than 2000", id="endless rules"),
    pytest.param("R5-7\nB5-7 | R1", "position: character '\\n' cannot be read", id="two lines"),
    pytest.param("- | R5\0", "position: character '\\x00' cannot be read", id="NUL"),
    pytest.param("- | R5\x1fR6", "position: character '\\x1f' cannot be read", id="unit separator"),
    pytest.param("- | R5\x0bR6", "position: character '\\x0b' cannot be read", id="vertical tab"),
    pytest.param("- | \uff325", "position: character '\\uff32' cannot be read", id="full-width letter"),
    pytest.param("- | R\uff15", "position: character '\\uff15' cannot be read", id="full-width digit"),
    pytest.param("- | R\u0665", "position: character '\\u0665' cannot be read", id="Arabic digit"),
    pytest.param("- | R\u00b2", "position: character '\\xb2' cannot be read", id="superscript digit"),
    pytest.param("- | R5\u0301", "position: character '\\u0301' cannot be read", id="combining accent"),
    pytest.param("- | \u041a5", "position: character '\\u041a' cannot be read", id="Cyrillic letter"),
    pytest.param("- | \u212a5", "position: character '\\u212a' cannot be read", id="Kelvin sign"),
    pytest.param("- | R5\u00a0R6", "position: character '\\xa0' cannot be read", id="no-break space"),
    pytest.param("- | R5\u200b", "position: character '\\u200b' cannot be read", id="zero-width space"),
    pytest.param("\ufeff- | R5", "position: character '\\ufeff' cannot be read", id="byte order mark"),
    pytest.param("- | R5 \U0001f0cf", "position: character '\\U0001f0cf' cannot be read", id="emoji"),
    pytest.param("- | R5 \ud800", "position: character '\\ud800' cannot be read", id="lone surrogate"),
    pytest.param("- \uff5c R5", "position: character '\\uff5c' cannot be read", id="full-width bar"),
    pytest.param("- | R5\u2013" + "7", "position: character '\\u2013' cannot be read", id="long dash"),
    pytest.param("R" * MEGABYTE, "position: 1000000 characters are more than 100000", id="a megabyte"),
    pytest.param("- | R1" + " " * MEGABYTE, "1000006 characters are more than 100000", id="a megabyte of blanks"),
    pytest.param("- | " + "R" * 99_000, "is not a tile", id="one long word"),
    pytest.param('{"table": []}', "has 0 bars", id="JSON"),
    pytest.param("- | __import__('os')", "is not a tile", id="code"),
    pytest.param("- | %s%n{0}", "rack: '%s%n{0}' is not a tile", id="format characters"),
]

IMPOSSIBLE = [
    pytest.param("- | R5 R5 R5", ["copies: 3 of R5 on table and in rack, the rules have 2"], id="a third copy"),
    pytest.param("R5-7 | R5 R5", ["copies: 3 of R5 "], id="a third copy on table and in rack"),
    pytest.param("R5-7, R5-7, R5-7 | -", ["copies: 3 of R5 ", "copies: 3 of R6 ", "copies: 3 of R7 "], id="three runs"),
    pytest.param("- | R5 R5 R5 R5 | rules=xp160", ["copies: 4 of R5 "], id="a fourth copy of three"),
    pytest.param("- | R5 R5 | rules=free+copies=1", ["copies: 2 of R5 "], id="a second copy of one"),
    pytest.param("- | J J J J J", ["jokers: 5 on table and in rack, the rules have 2"], id="five jokers"),
    pytest.param("R5 J J | J", ["jokers: 3 on table and in rack"], id="jokers on table and in rack"),
    pytest.param("- | J | rules=free+jokers=0", ["jokers: 1 on table and in rack, the rules have 0"], id="no jokers"),
    pytest.param(
        "- | R14", ["numbers: R14 is on table or in rack, the highest number of the rules is 13"], id="number 14"
    ),
    pytest.param("- | R13 | rules=free+numbers=12", ["numbers: R13 "], id="number 13 of 12"),
    pytest.param("R12-14 | -", ["numbers: R14 "], id="a run over the highest number"),
    pytest.param("R12 R13 R14 B2 | -", ["numbers: R14 ", "set 1: 'R12 R13 R14 B2' is neither"], id="both wrong"),
    pytest.param(
        "- | O1 | rules=free+colors=3", ["colors: O1 is on table or in rack, the rules have only R B K"], id="colour"
    ),
    pytest.param("R1 B1 K1 O1 | - | rules=free+colors=3", ["colors: O1 "], id="a group with an unknown colour"),
    pytest.param(
        "- | O100 | rules=free+colors=3+numbers=99", ["colors: O100 "], id="a tile with unknown colour and number"
    ),
    pytest.param("R5 K9 B2 | -", ["set 1: 'R5 B2 K9' is neither a run nor a group"], id="an illegal set"),
    pytest.param("R5 R6 | -", ["set 1: 'R5 R6' has 2 tiles, a set has at least 3"], id="a set of two"),
    pytest.param("J | -", ["set 1: 'J' has 1 tile, "], id="a set of one"),
    pytest.param("R5 R5 B5 | -", ["set 1: 'R5 R5 B5' is neither"], id="a colour twice in a group"),
    pytest.param("R5 B5 K5 O5 J | -", ["set 1: 'R5 B5 K5 O5 J' is neither"], id="a group of five"),
    pytest.param("R5 R6 R6 | -", ["set 1: 'R5 R6 R6' is neither"], id="a number twice in a run"),
    pytest.param("R5 R6 R8 | -", ["set 1: 'R5 R6 R8' is neither"], id="a gap"),
    pytest.param("R5 R7 R9 J | -", ["set 1: 'R5 R7 R9 J' is neither"], id="two gaps and one joker"),
    pytest.param("R5 R6 B7 | -", ["set 1: 'R5 R6 B7' is neither"], id="a run of two colours"),
    pytest.param("R12 R13 R1 | -", ["set 1: 'R1 R12 R13' is neither"], id="1 after 13"),
    pytest.param("R13 R1 R2 | - | rules=american", ["set 1: 'R1 R2 R13' is neither"], id="13-1-2"),
    pytest.param("R1-13, O1 O2 | -", ["set 2: 'O1 O2' has 2 tiles"], id="the second set"),
    pytest.param("R5 J J | - | rules=free+jokers_per_set=one", ["jokers_per_set=one allows one"], id="one"),
    pytest.param("J J J | - | rules=xp160+jokers_per_set=minority", ["jokers_per_set=minority wants"], id="minority"),
    pytest.param("- | " + "R1-13 " * 16, [f"copies: 16 of R{number} " for number in range(1, 14)], id="200 tiles"),
    pytest.param(
        "- | " + "J " * 5000, ["jokers: 5000 on table and in rack, the rules have 2"], id="as many tiles as are read"
    ),
    pytest.param("R1 " * 4999 + "| -", ["copies: 4999 of R1 ", "(14996 characters) is neither"], id="an endless set"),
    pytest.param("R1, " * 4999 + "B1 | -", ["copies: 4999 of R1 ", *repeat("has 1 tile", 5000)], id="5000 sets"),
]


@pytest.mark.parametrize(("text", "message"), UNREADABLE)
def test_text_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        Position.parse(text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < LONGEST_MESSAGE
    assert str(caught.value).isascii()
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(("text", "messages"), IMPOSSIBLE)
def test_a_position_that_breaks_rules(text: str, messages: list[str]) -> None:
    position = Position.parse(text)
    problems = position.problems()
    assert len(problems) == len(messages)
    for problem, message in zip(problems, messages, strict=True):
        assert message in problem
        assert len(problem) < LONGEST_MESSAGE
    assert Position.parse(str(position)) == position


def without_end() -> Iterator[Any]:
    return repeat("R5")


@pytest.mark.parametrize(
    ("table", "rack", "message"),
    [
        ("R5 R6 R7", [], "table: must be a sequence of sets, not 'R5 R6 R7'"),
        (None, [], "table: must be a sequence of sets, not None"),
        (["R5 R6 R7"], [], "table: must be a sequence of tiles, not 'R5 R6 R7'"),
        ([["R5", "R6"], [7]], [], "table: 7 is not a tile"),
        ([["R5", ["R6"]]], [], "table: ['R6'] is not a tile"),
        ([["R5-7"]], [], "table: 'R5-7' is not a single tile"),
        ([[]], [], "table: set 1 has no tiles"),
        ([], "R5", "rack: must be a sequence of tiles, not 'R5'"),
        ([], b"R5", "rack: must be a sequence of tiles, not b'R5'"),
        ([], 5, "rack: must be a sequence of tiles, not 5"),
        ([], None, "rack: must be a sequence of tiles, not None"),
        ([], [None], "rack: None is not a tile"),
        ([], [""], "rack: '' is not a tile"),
        ([], [" R5"], "rack: ' R5' is not a tile"),
        ([], ["R\u0665"], "rack: 'R\\u0665' is not a tile"),
        pytest.param([], ["x" * MEGABYTE], "(1000000 characters) is not a tile", id="a megabyte"),
        pytest.param([], [10**5000], "rack: <int> is not a tile", id="a number of 5001 digits"),
        pytest.param([], [list(range(MEGABYTE))], "rack: [0, 1, 2, 3, 4, 5, ...] is not a tile", id="a long list"),
        ([], without_end(), "rack: more than 5000 tiles"),
        ([without_end()], [], "table: more than 5000 tiles"),
        (repeat(["R5"]), [], "table: more than 5000 tiles"),
    ],
)
def test_values_that_are_no_position(table: Any, rack: Any, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        Position(table, rack)
    assert message in str(caught.value)
    assert len(str(caught.value)) < LONGEST_MESSAGE


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"opened": 1}, "opened: must be True or False, not 1"),
        ({"opened": None}, "opened: must be True or False, not None"),
        ({"rules": "casino"}, "rules: no preset 'casino'"),
        ({"rules": 5}, "rules: must be a mapping of fields, not 5"),
        ({"rules": {"colors": 9}}, "colors: must be a whole number from 1 to 4, not 9"),
        ({"stock": []}, "position: no field 'stock'"),
        ({"table": None}, "table: must be a sequence of sets, not None"),
    ],
)
def test_dicts_that_are_no_position(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ParseError) as caught:
        Position.from_dict({"table": [], "rack": [], **values})
    assert message in str(caught.value)


def test_dicts_that_lack_something() -> None:
    with pytest.raises(ParseError, match="position: rack is missing"):
        Position.from_dict({"table": []})
    with pytest.raises(ParseError, match="move: table is missing"):
        Move.from_dict({"tiles": []})
    with pytest.raises(ParseError, match="position: must be a mapping, not"):
        Position.from_dict([])  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [None, 5, b"- | R5", ["- | R5"]])
def test_what_is_no_text(value: Any) -> None:
    with pytest.raises(ParseError, match="position: must be text, not"):
        Position.parse(value)
    with pytest.raises(ParseError, match="move: must be text, not"):
        Move.parse(value)


def test_rules_must_be_rules() -> None:
    with pytest.raises(ParseError, match="rules: must be Rules, not 'free'"):
        Position([], [], True, "free")  # type: ignore[arg-type]


near_text = st.lists(
    st.sampled_from(
        [*"RBKOJYrj0123456789-|, \t", "R5 R6 R7", " | ", ", ", "unopened", "rules=", "free", "taken=", "J J J"]
    ),
    max_size=30,
).map("".join)


@settings(max_examples=500, deadline=None)
@given(near_text | st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (Position.parse, Move.parse, Rules.parse):
        try:
            value: Any = read(text)
        except SolverError as error:
            refusal = str(error)
            assert refusal.isascii()
            assert len(refusal) < LONGEST_MESSAGE
        else:
            assert read(str(value)) == value
