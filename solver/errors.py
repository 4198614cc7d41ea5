"""Every error that the package raises on purpose. All are ValueErrors and come before any work is done."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Final


class SolverError(ValueError):
    """Base of the package's errors."""


class ParseError(SolverError):
    """Text that cannot be read. The message names the field and quotes the value."""


class RulesError(SolverError):
    """A rule field that does not exist, or a value that it cannot have."""


class UnsupportedRules(SolverError):
    """A valid rule set that this search or kernel cannot honour; names the field and its value."""


class IllegalPosition(SolverError):
    """A readable position that breaks the rules; `problems` holds everything that is wrong."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))

    def __reduce__(self) -> tuple[type[IllegalPosition], tuple[tuple[str, ...]]]:
        return type(self), (self.problems,)


class IllegalAction(SolverError):
    """An action or outcome that the rules of a whole game forbid where it was to be applied; names it and says why."""


class LimitReached(SolverError):
    """A search that promises a proof ran into its limit of time, nodes or memory before it had one."""


QUOTE_LENGTH: Final = 60


def quote(value: object) -> str:
    """The value as it is shown in a message: ASCII only, escaped, and shortened to about QUOTE_LENGTH characters."""
    if isinstance(value, str):
        return ascii(value) if len(value) <= QUOTE_LENGTH else f"{value[:QUOTE_LENGTH]!a}... ({len(value)} characters)"
    try:
        text = ascii(value) if value is None or isinstance(value, (bool, int, float)) else reprlib.repr(value)
    except Exception:  # a repr of others may fail, an int may be too long to print; the message must still come
        text = f"<{type(value).__name__}>"
    text = ascii(text)[1:-1] if not text.isascii() else text
    return text if len(text) <= QUOTE_LENGTH else f"{text[:QUOTE_LENGTH]}..."


def meant(word: object, words: Iterable[str]) -> str:
    """`; did you mean X?` for what is close to one of the words, else nothing: the end of a message."""
    close = get_close_matches(word, words, n=1) if isinstance(word, str) and len(word) <= QUOTE_LENGTH else ()
    return f"; did you mean {close[0]}?" if close else ""


def check_keys(values: object, what: str, needed: tuple[str, ...], optional: tuple[str, ...]) -> None:
    """ParseError unless `values` is a mapping with all needed keys and no others than these and the optional ones."""
    if not isinstance(values, Mapping):
        raise ParseError(f"{what}: must be a mapping, not {quote(values)}")
    for key in needed:
        if key not in values:
            raise ParseError(f"{what}: {key} is missing")
    for key in values:
        if key not in needed and key not in optional:
            raise ParseError(f"{what}: no field {quote(key)}{meant(key, (*needed, *optional))}")


@contextmanager
def placed(place: str) -> Iterator[None]:
    """Errors of what is done inside say where the bad value stands, for example in `positions[3]`."""
    try:
        yield
    except IllegalPosition as error:
        raise IllegalPosition([f"{place}: {problem}" for problem in error.problems]) from None
    except SolverError as error:
        raise type(error)(f"{place}: {error}") from None
