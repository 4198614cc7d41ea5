"""The steps of best moves: are they right, how many are they, how often are they proven to be fewest?

    python -m benchmarks.rummikub.steps --count 5000 --seed 1

Half of the positions are small random ones, each with its own rules, the others fill a retail table. Every list of
steps is replayed and compared with the table of the move; the exit code is 1 if one differs. `tidy` is the number of
steps if strangers are never brought together. Times are of planning the former, in milliseconds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from statistics import mean
from time import perf_counter
from typing import NamedTuple

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


class Found(NamedTuple):
    """The steps of one move, how many they are in the tidy way, and the time of the former."""

    steps: Steps
    tidy: int
    seconds: float


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
    print(f"{'':8} moves  wrong  steps   tidy  proven  above bound   median     p90      max ms")
    wrong = 0
    every: list[Found] = []
    for name, positions in sources.items():
        found: list[Found] = []
        failed = 0
        for position, right, steps in measured(positions):
            if right:
                found.append(steps)
            else:
                failed += 1
                print(f"wrong: {position}", file=sys.stderr)
        print(line(name, found, failed), flush=True)
        every += found
        wrong += failed
    print(line("all", every, wrong))
    return int(wrong > 0)


def measured(positions: Iterator[Position]) -> Iterator[tuple[Position, bool, Found]]:
    """Each position that has a move, whether the steps of its best move are right, and what was found."""
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
        tidy = steps_for(position, move, tidy=True)
        try:
            right = replay(position, steps) == replay(position, tidy) == table
        except SolverError:
            right = False
        yield position, right, Found(steps, len(tidy), seconds)


def line(name: str, found: Sequence[Found], failed: int) -> str:
    """One row of the report."""
    if not found:
        return f"{name:8} {failed:5}  {failed:5}"
    times = sorted(1000 * each.seconds for each in found)
    number, tidy = mean(len(each.steps) for each in found), mean(each.tidy for each in found)
    proven = mean(each.steps.proven for each in found)
    above = mean(len(each.steps) - each.steps.bound for each in found)
    median, late = times[len(times) // 2], times[len(times) * 9 // 10]
    return (
        f"{name:8} {len(found) + failed:5}  {failed:5}  {number:5.2f}  {tidy:5.2f}  {proven:6.1%}  {above:11.2f}"
        f"  {median:7.2f} {late:7.2f} {times[-1]:11.2f}"
    )


if __name__ == "__main__":
    sys.exit(main())
