"""What the rules of all games refuse, by whatever door it comes: one RulesError that names the field."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from solver import rummikub, setup, trek12
from solver.errors import RulesError

NEEDED: dict[Any, dict[str, Any]] = {rummikub.Rules: {}, setup.Rules: {"finish": 60}, trek12.Rules: {}}
EVERY = pytest.mark.parametrize("kind", NEEDED, ids=lambda kind: kind.__module__.split(".")[1])
ODD_VALUES = (None, "", "nothing", -1, 2**70, 0.5, (), (1, 2, 3), {"a": 1}, b"x", object(), [[]], True)


def refused(make: Callable[[], object]) -> str:
    with pytest.raises(RulesError) as caught:
        make()
    assert caught.type is RulesError
    assert "\n" not in str(caught.value)
    return str(caught.value)


@EVERY
def test_a_field_that_does_not_exist(kind: Any) -> None:
    needed = NEEDED[kind]
    name = fields(kind)[-1].name
    for make in (
        lambda: kind(**needed, **{f"{name}s": 1}),
        lambda: kind.from_dict({**needed, f"{name}s": 1}),
        lambda: replace(kind(**needed), **{f"{name}s": 1}),
        lambda: kind.parse(f"{str(kind(**needed)).split('+')[0]}+{name}s=1", **needed),
    ):
        assert refused(make) == f"rules: no field '{name}s'; did you mean {name}?"
    assert refused(lambda: kind(**needed, zzz=1)) == "rules: no field 'zzz'"
    assert refused(lambda: kind.from_dict({**needed, 5: 1})) == "rules: no field 5"


def test_a_field_that_is_missing() -> None:
    missing = "finish: is required, no source of the rules gives the number of steps (finish=60, for example)"
    for make in (
        lambda: setup.Rules(),
        lambda: setup.Rules(numbers=8),
        lambda: setup.Rules.from_dict({"numbers": 8}),
        lambda: setup.Rules.preset("default"),
        lambda: setup.Rules.parse("default+numbers=8"),
    ):
        assert refused(make) == missing


@EVERY
def test_fields_without_a_name(kind: Any) -> None:
    assert "given by name" in refused(lambda: kind(*range(99)))
    if kind is not setup.Rules:
        first = fields(kind)[0].name
        value = getattr(kind(), first)
        assert kind(value) == kind()
        assert refused(lambda: kind(value, **{first: value})).startswith(f"{first}: given twice")


@EVERY
def test_values_of_other_types(kind: Any) -> None:
    needed = NEEDED[kind]
    for field in fields(kind):
        refusals = []
        for value in ODD_VALUES:
            for make in (lambda **given: kind(**given), lambda **given: kind.from_dict(given)):
                try:
                    made = make(**{**needed, field.name: value})
                except RulesError as error:
                    refusals.append(str(error))
                else:
                    assert kind.parse(str(made)) == made
        assert len(refusals) > len(ODD_VALUES)
        # a value that is impossible only beside another field is told under either name
        assert {text.split(":")[0] for text in refusals} <= {one.name for one in fields(kind)}


@EVERY
def test_what_is_no_rules(kind: Any) -> None:
    for odd in (None, 5, "free", [("copies", 2)]):
        assert refused(lambda odd=odd: kind.from_dict(odd)).startswith("rules: must be a mapping of fields, not ")
    for odd in (None, 5, b"free", ["free"]):
        assert refused(lambda odd=odd: kind.parse(odd)).startswith("rules: must be text, not ")
        assert refused(lambda odd=odd: kind.preset(odd, **NEEDED[kind])).startswith("rules: no preset ")
    assert "; there are " in refused(lambda: kind.parse(""))


def test_whole_numbers_of_numpy() -> None:
    assert rummikub.Rules(copies=np.int64(3)) == rummikub.Rules(copies=3)
    assert setup.Rules(finish=np.uint8(60)) == setup.Rules(finish=60)
    assert trek12.Rules(op_limits=np.int32(3)) == trek12.Rules(op_limits=3)
    watching = trek12.Rules(variant="amazonia", observations=[("boa", np.int8(1))])
    assert watching == trek12.Rules(variant="amazonia", observations=[("boa", 1)])
    assert type(watching.observations[0][1]) is int


@EVERY
def test_rules_are_values(kind: Any) -> None:
    rules = kind(**NEEDED[kind])
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert replace(rules) == rules
    assert kind.from_dict(rules.to_dict()) == rules
