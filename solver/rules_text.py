"""What the rules of all games share: the text `ID+field=value+...`, presets by name, and words to choose from."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import wraps
from typing import Any, TypeVar

from .errors import RulesError, meant, quote

R = TypeVar("R")


def fields_named(**why: str) -> Callable[[type[R]], type[R]]:
    """For a dataclass of rules: its constructor refuses with RulesError, which names the field, what Python itself
    refuses with TypeError: fields that do not exist, that are given twice or that are missing.

    why: for a field without default the reason that it has none.
    """

    def decorated(kind: type[R]) -> type[R]:
        known: Any = kind
        names = tuple(field.name for field in fields(known))
        ordered = tuple(field.name for field in fields(known) if not field.kw_only)
        required = tuple(field.name for field in fields(known) if field.default is MISSING)
        made = known.__init__

        @wraps(made)
        def construct(self: Any, *values: Any, **named: Any) -> None:
            if len(values) > len(ordered):
                extra = quote(values[len(ordered)])
                raise RulesError(f"rules: fields are given by name, {extra} has none")
            check_fields(named, names)
            given = ordered[: len(values)]
            for name in given:
                if name in named:
                    raise RulesError(f"{name}: given twice, {quote(named[name])} by name")
            for name in required:
                if name not in named and name not in given:
                    raise RulesError(needed(name, why.get(name, "")))
            made(self, *values, **named)

        known.__init__ = construct
        return kind

    return decorated


def needed(name: str, why: str = "") -> str:
    """The message for a field that is missing."""
    return f"{name}: is required{', ' * bool(why)}{why}"


def find_preset(name: object, presets: Mapping[str, R]) -> R:
    """The preset of that name; RulesError if there is none."""
    if not isinstance(name, str) or name not in presets:
        raise RulesError(f"rules: no preset {quote(name)}; there are {', '.join(presets)}")
    return presets[name]


def read_changes(
    text: object, names: Collection[str], longest: int, given: Collection[str] = ()
) -> tuple[str, dict[str, str]]:
    """The preset's name and the text of every field of `ID+field=value+...`.

    longest: characters that a text may have. given: fields that it may not name, having their value already.
    Raises RulesError that names the part that cannot be read.
    """
    if not isinstance(text, str):
        raise RulesError(f"rules: must be text, not {quote(text)}")
    if len(text) > longest:
        raise RulesError(f"rules: {len(text)} characters are more than {longest}: {quote(text)}")
    name, *changes = text.strip().split("+")
    values: dict[str, str] = {}
    for change in changes:
        field, equals, value = change.partition("=")
        if not equals:
            raise RulesError(f"rules: {quote(change)} is not of the form field=value")
        if field not in names:
            raise RulesError(f"rules: no field {quote(field)}{meant(field, names)}")
        if field in values or field in given:
            raise RulesError(f"{field}: given twice in {quote(text)}")
        values[field] = value
    return name, values


def check_fields(values: object, names: Collection[str]) -> None:
    """RulesError unless `values` is a mapping whose keys are fields."""
    if not isinstance(values, Mapping):
        raise RulesError(f"rules: must be a mapping of fields, not {quote(values)}")
    for name in values:
        if name not in names:
            raise RulesError(f"rules: no field {quote(name)}{meant(name, names)}")


def whole(value: object) -> int | None:
    """The value as a plain int; None for booleans and for what is no whole number. NumPy's integers are such."""
    if isinstance(value, bool):
        return None
    try:
        return int(operator.index(value))  # type: ignore[arg-type]
    except TypeError:
        return None


def check_word(name: str, value: Any, words: Sequence[str]) -> str:
    """The word among `words` that equals the value, a plain str; RulesError if there is none."""
    if not isinstance(value, str) or value not in words:
        raise RulesError(f"{name}: must be one of {', '.join(words)}, not {quote(value)}")
    return words[words.index(value)]
