"""What the rules of all games share: the text `ID+field=value+...`, presets by name, and words to choose from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from .errors import RulesError, quote

R = TypeVar("R")


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
            raise RulesError(f"rules: no field {quote(field)}")
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
            raise RulesError(f"rules: no field {quote(name)}")


def check_word(name: str, value: Any, words: Sequence[str]) -> str:
    """The word among `words` that equals the value, a plain str; RulesError if there is none."""
    if not isinstance(value, str) or value not in words:
        raise RulesError(f"{name}: must be one of {', '.join(words)}, not {quote(value)}")
    return words[words.index(value)]
