"""How much a search may spend."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .errors import SolverError


class Status(StrEnum):
    """How a search ended."""

    COMPLETE = "complete"
    TIME = "time"
    NODES = "nodes"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Limit:
    """What one search may spend; None is no limit.

    seconds: wall time. nodes: search nodes (what a node is, each search documents).
    Raises SolverError if a limit is not positive.
    """

    seconds: float | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        for name in ("seconds", "nodes"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise SolverError(f"{name}: must be positive, not {value!r}")
