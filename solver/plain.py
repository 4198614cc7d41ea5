"""Reading plain data, as `to_dict` writes it and JSON carries it, back into values: what every `from_dict` is made of.

A reader takes what stands in one field and gives the value, or raises a SolverError that says what it must be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any, TypeAlias, TypeVar

from .errors import ParseError, SolverError, check_keys, quote

T = TypeVar("T")
W = TypeVar("W", bound=str)
Reader: TypeAlias = Callable[[Any], T]


def read(data: object, what: str, derived: tuple[str, ...] = (), /, **readers: Reader[Any]) -> dict[str, Any]:
    """The values of the fields by name, each read by its reader.

    what: the kind of value, for messages. derived: fields that may be there and are not read, as they follow from the
    others. Raises ParseError for what is no mapping of these fields, and for the first field that cannot be read, with
    the way to it: `lines[2]: move: ...`.
    """
    check_keys(data, what, tuple(readers), derived)
    assert isinstance(data, Mapping)
    values: dict[str, Any] = {}
    for name, reader in readers.items():
        try:
            values[name] = reader(data[name])
        except SolverError as error:
            text = str(error)
            raise ParseError(f"{name}{text}" if text.startswith("[") else f"{name}: {text}") from None
    return values


def number(value: object) -> float:
    """A finite number; a whole one stays an int."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not _fits(value):
        raise ParseError(f"must be a number, not {quote(value)}")
    return value


def whole(value: object) -> int:
    """A whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ParseError(f"must be a whole number, not {quote(value)}")
    return value


def flag(value: object) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise ParseError(f"must be true or false, not {quote(value)}")
    return value


def text(value: object) -> str:
    """A text."""
    if not isinstance(value, str):
        raise ParseError(f"must be text, not {quote(value)}")
    return value


def one_of(words: Iterable[W]) -> Reader[W]:
    """A reader of some words, or of those of an enumeration."""
    known: dict[str, W] = {str(word): word for word in words}

    def word(value: object) -> W:
        if not isinstance(value, str) or value not in known:
            raise ParseError(f"must be one of {', '.join(known)}, not {quote(value)}")
        return known[value]

    return word


def maybe(reader: Reader[T]) -> Reader[T | None]:
    """A reader that lets None stand."""
    return lambda value: None if value is None else reader(value)


def each(reader: Reader[T], length: int | None = None) -> Reader[tuple[T, ...]]:
    """A reader of a list, of `length` members if that is given."""

    def members(value: object) -> tuple[T, ...]:
        if not isinstance(value, (list, tuple)):
            raise ParseError(f"must be a list, not {quote(value)}")
        if length is not None and len(value) != length:
            raise ParseError(f"must have {length} members, not {len(value)}")
        found = []
        for at, member in enumerate(value):
            try:
                found.append(reader(member))
            except SolverError as error:
                inner = str(error)
                raise ParseError(f"[{at}]{inner if inner.startswith('[') else f': {inner}'}") from None
        return tuple(found)

    return members


def table(key: Callable[[str], T], reader: Reader[Any]) -> Reader[dict[T, Any]]:
    """A reader of a mapping. key: makes the key of its text, or raises ValueError."""

    def entries(value: object) -> dict[T, Any]:
        if not isinstance(value, Mapping):
            raise ParseError(f"must be a mapping, not {quote(value)}")
        found: dict[T, Any] = {}
        for name, member in value.items():
            try:
                made = key(text(name))
            except (ValueError, OverflowError):
                raise ParseError(f"{quote(name)} cannot stand there") from None
            try:
                found[made] = reader(member)
            except SolverError as error:
                raise ParseError(f"{name}: {error}") from None
        return found

    return entries


def _fits(value: float) -> bool:
    """Whether it is a number that a float can hold."""
    try:
        return isfinite(value)
    except OverflowError:
        return False
