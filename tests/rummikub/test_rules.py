"""Rules: presets, text form, checks, fields without effect."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import RulesError
from solver.rummikub import PRESETS, Rules

# The table of presets, field by field: standard, retail, free, family, tournament, american, xp160.
NAMES = ("standard", "retail", "free", "family", "tournament", "american", "xp160")
TABLE: dict[str, tuple[Any, ...]] = {
    "colors": (4,) * 7,
    "numbers": (13,) * 7,
    "copies": (2, 2, 2, 2, 2, 2, 3),
    "jokers": (2, 2, 2, 2, 2, 2, 4),
    "rack_size": (14,) * 7,
    "players": (*[(2, 4)] * 6, (5, 6)),
    "opening_threshold": (30, 30, 30, 0, 30, 50, 30),
    "opening_single_set": (False,) * 7,
    "opening_joker": ("forbidden", "face", "face", "forbidden", "face", "face", "face"),
    "opening_uses_table": (False, True, True, False, False, False, True),
    "joker_freeing": ("replace", "any", "any", "any", "any", "replace", "any"),
    "joker_source": (*["rack_or_table"] * 5, "rack", "rack_or_table"),
    "joker_group": ("either",) * 7,
    "joker_set_locked": (*[False] * 5, True, False),
    "joker_destination": ("new", "new", "any", "keep", "new", "two_from_rack", "new"),
    "jokers_per_set": ("any",) * 7,
    "high_one": (*[False] * 5, True, False),
    "take_back": (*["none"] * 3, "less_than_laid", *["none"] * 3),
    "must_play": (False,) * 7,
    "draw": (1,) * 7,
    "failure_draw": (3,) * 7,
    "turn_seconds": (60, 60, 60, None, 40, 120, 60),
    "joker_penalty": (30, 30, 30, 30, 100, 30, 30),
    "never_opened_penalty": (None, None, None, None, 100, None, None),
    "pool_empty": (
        "one_more_turn",
        "until_stuck",
        "until_stuck",
        "one_more_turn",
        "one_more_turn",
        "one_more_turn",
        "forced",
    ),
    "first_player": (*["highest_tile"] * 3, "highest_triple", *["highest_tile"] * 3),
}

amount = st.integers(0, 1_000_000)
optional = st.none() | st.integers(1, 1_000_000)
any_rules = st.builds(
    Rules,
    colors=st.integers(1, 4),
    numbers=st.integers(3, 100),
    copies=st.integers(1, 3),
    jokers=st.integers(0, 8),
    rack_size=st.integers(1, 1_000_000),
    players=st.tuples(st.integers(2, 6), st.integers(6, 12)),
    opening_threshold=amount,
    opening_single_set=st.booleans(),
    opening_joker=st.sampled_from(["forbidden", "face", "zero"]),
    opening_uses_table=st.booleans(),
    joker_freeing=st.sampled_from(["replace", "any"]),
    joker_source=st.sampled_from(["rack_or_table", "rack"]),
    joker_group=st.sampled_from(["either", "both"]),
    joker_set_locked=st.booleans(),
    joker_destination=st.sampled_from(["new", "any", "two_from_rack", "keep"]),
    jokers_per_set=st.sampled_from(["any", "one", "minority"]),
    high_one=st.booleans(),
    take_back=st.sampled_from(["none", "less_than_laid"]),
    must_play=st.booleans(),
    draw=st.integers(1, 1_000_000),
    failure_draw=amount,
    turn_seconds=optional,
    joker_penalty=amount,
    never_opened_penalty=optional,
    pool_empty=st.sampled_from(["one_more_turn", "until_stuck", "forced"]),
    first_player=st.sampled_from(["highest_tile", "highest_triple", "random"]),
)


def test_the_presets_are_those_of_the_table() -> None:
    assert tuple(PRESETS) == NAMES
    for column, name in enumerate(NAMES):
        fields = {**Rules.preset(name).to_dict(), "players": Rules.preset(name).players}
        assert fields == {field: row[column] for field, row in TABLE.items()}


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_is_written_as_its_name(name: str) -> None:
    assert str(Rules.preset(name)) == name
    assert Rules.parse(name) == Rules.preset(name)


@settings(max_examples=200, deadline=None)
@given(any_rules)
def test_text_and_dict_give_the_same_rules_back(rules: Rules) -> None:
    for same in (Rules.parse(str(rules)), Rules.from_dict(rules.to_dict()), pickle.loads(pickle.dumps(rules))):
        assert same == rules
        assert hash(same) == hash(rules)
        assert str(same) == str(rules)
    assert len(str(rules)) < 900


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("standard", "standard"),
        ("standard+opening_threshold=30", "standard"),
        ("retail+joker_destination=any", "free"),
        ("free+joker_destination=new", "retail"),
        ("retail+joker_source=rack", "retail"),
        ("retail+joker_group=both", "retail"),
        ("standard+joker_source=rack", "standard+joker_source=rack"),
        ("american+joker_freeing=any", "american+joker_freeing=any"),
        (
            "standard+opening_threshold=0+opening_joker=face+opening_single_set=yes+never_opened_penalty=5",
            "standard+opening_threshold=0",
        ),
        ("standard+opening_uses_table=yes+opening_threshold=0", "standard+opening_threshold=0"),
        (
            "retail+jokers=0+joker_destination=any+joker_set_locked=yes+jokers_per_set=one+joker_penalty=7",
            "retail+jokers=0",
        ),
        ("american+jokers=0", "american+jokers=0"),
        ("american+joker_group=both+colors=2", "american+colors=2"),
        ("standard+jokers=1+jokers_per_set=minority", "standard+jokers=1"),
        ("standard+jokers=2+jokers_per_set=minority", "standard+jokers_per_set=minority"),
        ("standard+numbers=3+high_one=yes", "standard+numbers=3"),
        ("standard+numbers=4+high_one=yes", "standard+numbers=4+high_one=yes"),
        ("standard+players=2-6+turn_seconds=none", "standard+players=2-6+turn_seconds=none"),
        (" tournament+turn_seconds=60+joker_penalty=030 ", "tournament+turn_seconds=60+joker_penalty=30"),
    ],
)
def test_the_canonical_text(text: str, canonical: str) -> None:
    rules = Rules.parse(text)
    assert str(rules) == canonical
    assert Rules.parse(canonical) == rules


def test_of_presets_equally_near_the_first_is_named() -> None:
    # One field away from `retail` (joker_destination) and one from `free`.
    assert str(Rules.parse("free+joker_destination=keep")) == "retail+joker_destination=keep"


def test_rules_that_play_the_same_are_equal() -> None:
    assert Rules(opening_threshold=0, opening_joker="zero") == Rules(opening_threshold=0)
    assert len({Rules(jokers=0, joker_penalty=5), Rules(jokers=0)}) == 1
    assert Rules(joker_penalty=5) != Rules()


def test_whole_numbers_of_other_types_are_taken_as_int() -> None:
    rules = Rules(colors=np.int64(3), players=[np.int8(2), 3])  # type: ignore[arg-type]
    assert rules == Rules(colors=3, players=(2, 3))
    assert type(rules.colors) is int
    assert type(rules.players[0]) is int


BAD_FIELDS: list[Any] = [
    ("colors", 0),
    ("colors", 5),
    ("colors", True),
    ("colors", 4.0),
    ("colors", "4"),
    ("colors", None),
    ("numbers", 2),
    ("numbers", 101),
    pytest.param("numbers", 10**5000, id="a number of 5001 digits"),
    ("copies", 0),
    ("copies", 4),
    ("jokers", -1),
    ("jokers", 9),
    ("rack_size", 0),
    ("players", 2),
    ("players", (2,)),
    ("players", (2, 3, 4)),
    ("players", (4, 2)),
    ("players", (1, 4)),
    ("players", (2, 13)),
    ("players", (True, 4)),
    ("players", "2-4"),
    ("opening_threshold", -1),
    ("opening_threshold", 1_000_001),
    ("opening_single_set", 1),
    ("opening_single_set", "yes"),
    ("opening_joker", "Face"),
    ("opening_joker", None),
    ("opening_uses_table", None),
    ("joker_freeing", "all"),
    ("joker_source", ""),
    ("joker_group", ["both"]),
    ("joker_set_locked", np.True_),
    pytest.param("joker_destination", "x" * 1_000_000, id="a megabyte"),
    ("jokers_per_set", 1),
    ("high_one", 0),
    ("take_back", None),
    ("must_play", "no"),
    ("draw", 0),
    ("failure_draw", -1),
    ("turn_seconds", 0),
    ("turn_seconds", 1.5),
    ("joker_penalty", -30),
    ("never_opened_penalty", -1),
    ("pool_empty", "never"),
    ("first_player", "youngest"),
]


@pytest.mark.parametrize(("field", "value"), BAD_FIELDS)
def test_a_bad_value_is_refused_by_field_and_value(field: str, value: Any) -> None:
    with pytest.raises(RulesError, match=rf"^{field}: must be .*, not .") as caught:
        Rules(**{field: value})
    assert len(str(caught.value)) < 300
    with pytest.raises(RulesError, match=rf"^{field}: "):
        Rules.from_dict({field: value})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no preset ''"),
        ("Standard", "no preset 'Standard'"),
        ("casino", "no preset 'casino'; there are standard, retail"),
        ("standard+", "'' is not of the form field=value"),
        ("standard+high_one", "'high_one' is not of the form"),
        ("standard+highone=yes", "no field 'highone'"),
        ("standard+__class__=yes", "no field '__class__'"),
        ("standard+high_one=True", "high_one: must be yes or no, not 'True'"),
        ("standard+colors=four", "colors: must be a whole number from 1 to 4, not 'four'"),
        ("standard+colors=", "colors: must be a whole number"),
        ("standard+colors=9", "colors: must be a whole number from 1 to 4, not 9"),
        ("standard+colors=none", "colors: must be a whole number"),
        ("standard+numbers=\u0661\u0662", "numbers: must be a whole number"),
        ("standard+numbers=-5", "numbers: must be a whole number"),
        ("standard+numbers=" + "9" * 1000, "numbers: must be a whole number"),
        ("standard+players=2", "players: must be"),
        ("standard+players=4-2", "players: must be"),
        ("standard+turn_seconds=never", "turn_seconds: must be a whole number from 1 to 1000000 or none, not 'never'"),
        ("standard+draw=1+draw=1", "draw: given twice"),
        ("standard+draw=1=2", "draw: must be a whole number"),
        ("standard draw=1", "no preset 'standard draw=1'"),
        pytest.param("standard" + "+" * 1_000_000, "1000008 characters are more than 2000", id="a megabyte"),
    ],
)
def test_text_that_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(RulesError) as caught:
        Rules.parse(text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("value", [None, 3, b"standard", ["standard"]])
def test_what_is_no_text_is_refused(value: Any) -> None:
    with pytest.raises(RulesError, match=r"^rules: "):
        Rules.parse(value)
    with pytest.raises(RulesError, match=r"^rules: no preset"):
        Rules.preset(value)
    with pytest.raises(RulesError, match=r"^rules: must be a mapping"):
        Rules.from_dict(value)


def test_an_unknown_field_of_a_dict_is_refused() -> None:
    with pytest.raises(RulesError, match="no field 'tiles'"):
        Rules.from_dict({"tiles": 106})
