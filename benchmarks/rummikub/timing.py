"""Timing of single calls, and what is told of many of them."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

CLOCKS: Mapping[str, Callable[[], int]] = MappingProxyType({"wall": time.perf_counter_ns, "cpu": time.thread_time_ns})
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Summary:
    """Times of `count` calls in nanoseconds. p90: nine of ten calls took no longer."""

    count: int
    median: float
    p90: float
    maximum: float

    @classmethod
    def of(cls, times: Sequence[int]) -> Summary:
        """Raises ValueError for no times at all."""
        if not times:
            raise ValueError("times: there must be at least one")
        ordered = sorted(times)
        return cls(len(ordered), statistics.median(ordered), ordered[(len(ordered) * 9 - 1) // 10], ordered[-1])


@contextmanager
def undisturbed() -> Iterator[None]:
    """No garbage collection inside, as in the standard library's timeit."""
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def time_calls(call: Callable[[T], R], items: Iterable[T], clock_name: str = "wall") -> tuple[list[int], list[R]]:
    """Call once for each item; the nanoseconds that each call took, and what came back."""
    clock = CLOCKS[clock_name]
    times, results = [], []
    with undisturbed():
        for item in items:
            start = clock()
            result = call(item)
            times.append(clock() - start)
            results.append(result)
    return times, results
