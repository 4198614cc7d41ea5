"""Does a warm solver stay within its memory, and do its answers stay the same?

    python -m benchmarks.rummikub.memory [--count 100000] [--seed 1]

Meets many different positions with one Solver and prints how far the process has grown, what the solver says that it
holds, and whether a sample of its answers is that of solvers made for one position each. Exit code 1 if not.
"""

from __future__ import annotations

import argparse
import sys
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from benchmarks.rummikub.instances import mixed
from solver.rummikub.rules import Rules
from solver.rummikub.search import Solver

LIMIT = 64 * 2**20  # bytes, the solver's default
SETTLED = 1000  # positions after which growth counts
SAMPLES = 200  # positions that a fresh solver answers as well
TRACED = 2000  # positions at the end during which lasting Python objects are counted
MEGABYTE = 2**20
STRATA = ("small", "medium", "large", "stress", "bare", "few")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rummikub.memory", description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args(arguments)
    rules = Rules.preset("free")
    solver = Solver(rules, memory=LIMIT)
    every = max(1, options.count // SAMPLES)
    begun, settled, most, differing, checked = perf_counter(), 0, 0, 0, 0
    for index, position in enumerate(mixed(options.count, f"{options.seed}/memory", STRATA)):
        move = solver.best_move(position, ("tiles", "value")[index % 2])
        most = max(most, solver.memory_used)
        if index == min(SETTLED, options.count - 1):
            settled = resident()
        if index % every == 0:
            checked += 1
            differing += move != Solver(rules).best_move(position, ("tiles", "value")[index % 2])
    grown = resident() - settled
    print(f"{options.count} positions in {perf_counter() - begun:.0f} s, one solver")
    held = solver.memory_used
    print(f"the solver holds {held / MEGABYTE:.2f} MiB, at most {most / MEGABYTE:.2f} of {LIMIT / MEGABYTE:.0f}")
    print(f"the process grew by {grown / MEGABYTE:.2f} MiB after {SETTLED} positions, peak {peak() / MEGABYTE:.1f} MiB")
    print(f"Python objects kept by {TRACED} more positions: {lasting(solver, options.seed) / 1024:.1f} KiB")
    print(f"answers unlike those of a fresh solver: {differing} of {checked}")
    return int(most > LIMIT or grown > LIMIT or differing > 0)


def lasting(solver: Solver, seed: str) -> int:
    """Bytes of Python objects that remain after more positions, all of them new."""
    positions = list(mixed(TRACED, f"{seed}/traced", STRATA))
    for position in positions:
        position.problems()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for position in positions:
        solver.best_move(position)
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return after - before


def resident() -> int:
    """Bytes of memory that the process holds now (0 where the system does not tell)."""
    return _status("VmRSS:")


def peak() -> int:
    """The most bytes that the process ever held (0 where the system does not tell)."""
    return _status("VmHWM:")


def _status(name: str) -> int:
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(name)), 0)


if __name__ == "__main__":
    sys.exit(main())
