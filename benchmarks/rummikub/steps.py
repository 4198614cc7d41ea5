"""The steps of best moves: are they right, how many are they, how often are they proven to be fewest?

    python -m benchmarks.rummikub.steps --count 5000 --seed 1

Half of the positions are small random ones, each with its own rules, the others fill a retail table. Every list of
steps is replayed and compared with the table of the move; the exit code is 1 if one differs. Times are of the planning
alone, in milliseconds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from statistics import mean
from time import perf_counter

from benchmarks.rummikub.generate import STRATA
from benchmarks.rummikub.instances import mixed
from solver.errors import SolverError
from solver.rummikub.position import Position
from solver.rummikub.rules import Rules
from solver.rummikub.search import Solver
from solver.rummikub.steps import Steps, replay, steps_for
from tests.rummikub import random_positions

RANDOM = "random"
SOLVERS_KEPT = 32  # warm solvers of as many rule sets


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rummikub.steps", description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    share = options.count // (2 * len(STRATA))
    sources: dict[str, Iterator[Position]] = {
        RANDOM: random_positions.positions(options.count - share * len(STRATA), options.seed),
        **{stratum: mixed(share, f"{options.seed}/steps", (stratum,)) for stratum in STRATA},
    }
    print(f"{'':8} moves  wrong  steps   proven  above bound   median     p90      max ms")
    wrong = 0
    every: list[tuple[Steps, float]] = []
    for name, positions in sources.items():
        found: list[tuple[Steps, float]] = []
        failed = 0
        for position, steps, seconds in measured(positions):
            if steps is None:
                failed += 1
                print(f"wrong: {position}", file=sys.stderr)
            else:
                found.append((steps, seconds))
        print(line(name, found, failed), flush=True)
        every += found
        wrong += failed
    print(line("all", every, wrong))
    return int(wrong > 0)


def measured(positions: Iterator[Position]) -> Iterator[tuple[Position, Steps | None, float]]:
    """Each position that has a move with the steps of its best move, None if they are wrong, and the seconds."""
    solvers: dict[Rules, Solver] = {}
    for position in positions:
        if position.rules not in solvers and len(solvers) >= SOLVERS_KEPT:
            solvers.clear()
        move = solvers.setdefault(position.rules, Solver(position.rules)).best_move(position)
        if move is None:
            continue
        table = move.table  # built before the time is taken
        begun = perf_counter()
        steps = steps_for(position, move)
        seconds = perf_counter() - begun
        try:
            right = replay(position, steps) == table
        except SolverError:
            right = False
        yield position, steps if right else None, seconds


def line(name: str, found: Sequence[tuple[Steps, float]], failed: int) -> str:
    """One row of the report."""
    if not found:
        return f"{name:8} {failed:5}  {failed:5}"
    times = sorted(1000 * seconds for _, seconds in found)
    number = mean(len(steps) for steps, _ in found)
    proven = mean(steps.proven for steps, _ in found)
    above = mean(len(steps) - steps.bound for steps, _ in found)
    median, late = times[len(times) // 2], times[len(times) * 9 // 10]
    return (
        f"{name:8} {len(found) + failed:5}  {failed:5}  {number:5.2f}  {proven:6.1%}  {above:11.2f}"
        f"  {median:7.2f} {late:7.2f} {times[-1]:11.2f}"
    )


if __name__ == "__main__":
    sys.exit(main())
