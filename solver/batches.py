"""Many positions at once: what `solve_batch` of every game shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, TypeVar

from .errors import SolverError, quote

T = TypeVar("T")
R = TypeVar("R")


def listed(positions: object) -> list[Any]:
    """The positions as a list; SolverError for what holds none."""
    if isinstance(positions, (str, bytes)) or not isinstance(positions, Iterable):
        raise SolverError(f"positions: must be positions, not {quote(positions)}")
    return list(positions)


def check_workers(executor: object, workers: object) -> None:
    """SolverError unless these are an executor or None, and a number of threads or None."""
    if executor is not None and not isinstance(executor, Executor):
        raise SolverError(f"executor: must be a concurrent.futures.Executor, not {quote(executor)}")
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise SolverError(f"workers: must be a positive whole number, not {quote(workers)}")


def mapped(
    task: Callable[[T], R],
    items: Sequence[T],
    executor: Executor | None,
    workers: int | None,
    ended: Callable[[], None] | None = None,
) -> Iterator[R]:
    """`task` of every item, in order, by the executor, or by so many threads (None: as many as Python thinks right).

    ended: called when the work of threads is over or given up, before they are waited for.
    """
    if executor is not None:
        yield from executor.map(task, items)
    elif workers == 1 or len(items) < 2:
        yield from map(task, items)
    else:
        with ThreadPoolExecutor(workers) as threads:
            try:
                yield from threads.map(task, items)
            finally:
                if ended is not None:
                    ended()
