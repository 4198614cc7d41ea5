"""How much a search may spend."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from .errors import LimitReached, SolverError, quote

MAX_LIMIT: Final = 2**62  # what kernels can hold


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
        for name, kind in (("seconds", (int, float)), ("nodes", (int,))):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, kind) or not value > 0):
                raise SolverError(f"{name}: must be a positive number, not {quote(value)}")
        if self.nodes is not None and self.nodes > MAX_LIMIT:
            raise SolverError(f"nodes: must be at most {MAX_LIMIT}, not {quote(self.nodes)}")
        if isinstance(self.seconds, int) and self.seconds > MAX_LIMIT:
            raise SolverError(f"seconds: must be at most {MAX_LIMIT}, not {quote(self.seconds)}")


def ended(error: LimitReached) -> Status:
    """How an analysis ended that this error cut off, told by the limit that it names first.

    Raises the error itself where that is memory: no analysis can be had then, whatever the time.
    """
    status = {"seconds": Status.TIME, "nodes": Status.NODES}.get(str(error).partition(":")[0])
    if status is None:
        raise error
    return status
