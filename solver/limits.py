"""How much a search may spend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from .errors import LimitReached, SolverError, quote

MAX_LIMIT: Final = 2**62  # what kernels can hold


Cancel: TypeAlias = Callable[[], bool]


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


class Watch:
    """A caller's `cancel`: a function without arguments that says True when the search shall end.

    It is asked where searches look for Ctrl-C, in the thread of the search, and no more once it has said True (then
    `stopped`) or raised. Raises SolverError for what is no function.
    """

    __slots__ = ("_cancel", "raised", "stopped")

    def __init__(self, cancel: Cancel) -> None:
        if not callable(cancel):
            raise SolverError(f"cancel: must be a function, not {quote(cancel)}")
        self._cancel = cancel
        self.stopped = False
        self.raised: BaseException | None = None

    @classmethod
    def of(cls, cancel: Cancel | None) -> Watch | None:
        """The watch of an argument, None for none."""
        return None if cancel is None else cls(cancel)

    def asked(self) -> bool:
        """Whether the search shall end. What the function raises comes through."""
        if self.raised is not None:
            raise self.raised
        if not self.stopped:
            try:
                self.stopped = bool(self._cancel())
            except BaseException as error:
                self.raised = error
                raise
        return self.stopped

    def __call__(self) -> None:
        """For kernels and budgets, which end with the error: raises LimitReached if the search shall end."""
        if self.asked():
            raise LimitReached("cancel: the search was told to end")


def ended(error: LimitReached, watch: Watch | None = None) -> Status:
    """How an analysis ended that this error cut off, told by the limit that it names first.

    Raises the error itself where that is memory: no analysis can be had then, whatever the time. Likewise where it
    comes from the caller's function behind `watch`.
    """
    words = {"seconds": Status.TIME, "nodes": Status.NODES, "cancel": Status.CANCELLED}
    status = words.get(str(error).partition(":")[0])
    if status is None or (watch is not None and watch.raised is error):
        raise error
    return status
