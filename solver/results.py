"""What searches hand out, the same in all games."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from math import isfinite
from typing import Any, Generic, TypeVar

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
