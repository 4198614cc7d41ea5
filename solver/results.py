"""What searches hand out, the same in all games."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from math import inf, isfinite
from typing import Any, Generic, Self, TypeVar

from . import plain
from .limits import Status

M = TypeVar("M")


class How(StrEnum):
    """How a number was got."""

    EXACT = "exact"
    ROLLOUT = "rollout"
    HEURISTIC = "heuristic"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its uncertainty.

    mean: the value, in the objective's unit. n: independent samples (0 when exact or heuristic).
    se: standard error of the mean, infinite for a single sample. how: exact, rollout or heuristic.
    """

    mean: float
    n: int
    se: float
    how: How

    @property
    def ci95(self) -> tuple[float, float]:
        """The normal 95% confidence interval of the mean."""
        half = 1.959963984540054 * self.se
        return self.mean - half, self.mean + half

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; se and ci95 are None where one sample alone tells nothing of them."""
        known = isfinite(self.se)
        return {
            "mean": self.mean,
            "n": self.n,
            "se": self.se if known else None,
            "ci95": list(self.ci95) if known else None,
            "how": str(self.how),
        }

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`; `ci95` is not read. Raises ParseError."""
        found = plain.read(
            data,
            "estimate",
            ("ci95",),
            mean=plain.number,
            n=plain.whole,
            se=plain.maybe(plain.number),
            how=plain.one_of(How),
        )
        return cls(**found | {"se": inf if found["se"] is None else found["se"]})


@dataclass(frozen=True, slots=True)
class Line(Generic[M]):
    """One candidate move.

    value: in the objective's unit. exact: the value is proven. tied: another move has the same value. only: it is
    known that there is no other legal move.
    """

    move: M
    value: float
    exact: bool
    tied: bool
    only: bool = field(default=False, kw_only=True)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        move: Any = self.move
        return {
            "move": move.to_dict(),
            "value": self.value,
            "exact": self.exact,
            "tied": self.tied,
            "only": self.only,
        }

    @classmethod
    def from_dict(cls, data: object, move: plain.Reader[M]) -> Self:
        """The inverse of `to_dict`. move: reads a move, as `Move.from_dict` of the game does. Raises ParseError."""
        return cls(**plain.read(data, "line", **line_readers(move)))


@dataclass(frozen=True, slots=True)
class Analysis(Generic[M]):
    """Lines of a position, best first, with how the search ended, what it spent (nodes) and its seed."""

    lines: list[Line[M]]
    status: Status
    effort: int
    seed: int | None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "lines": [line.to_dict() for line in self.lines],
            "status": str(self.status),
            "effort": self.effort,
            "seed": self.seed,
        }

    @classmethod
    def from_dict(cls, data: object, move: plain.Reader[M], kind: type[Line[M]] = Line) -> Self:
        """The inverse of `to_dict`. move: reads a move; kind: what the lines are. Raises ParseError."""
        return cls(**plain.read(data, "analysis", **analysis_readers(move, kind)))


def line_readers(move: plain.Reader[M]) -> dict[str, plain.Reader[Any]]:
    """What reads the fields that all lines have."""
    return {"move": move, "value": plain.number, "exact": plain.flag, "tied": plain.flag, "only": plain.flag}


def analysis_readers(move: plain.Reader[M], kind: type[Line[M]]) -> dict[str, plain.Reader[Any]]:
    """What reads the fields that all analyses have."""
    lines = plain.each(lambda line: kind.from_dict(line, move))
    return {
        "lines": lambda data: list(lines(data)),
        "status": plain.one_of(Status),
        "effort": plain.whole,
        "seed": plain.maybe(plain.whole),
    }
