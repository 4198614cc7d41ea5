"""Lists of moves: how long they take, and whether they are right.

    python -m benchmarks.rummikub.moves --count 200 --seed 1 --clock cpu
    python -m benchmarks.rummikub.moves --rules standard
    python -m benchmarks.rummikub.moves --check 30

Times are of the Python API on a warmed solver that meets each position once, in microseconds: median, nine of ten, the
slowest. `all`: `list(legal_moves(position))`, each move an object with its tiles and its value; `first`: the first move
of that iterator; `count`: `count_moves`; `best`: `best_moves(position, 10)` with all that ties need; `tables`: the same
with the table of every line. `--check`: so many positions of the strata `small` and `medium` (those with up to
MOST_CHECKED moves) are also listed by dividing positions, which is slow; the exit code is 1 if a list differs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from statistics import median

from benchmarks.rummikub.generate import STRATA
from benchmarks.rummikub.instances import mixed, parsed
from benchmarks.rummikub.timing import CLOCKS, Summary, time_calls
from solver.rummikub.objectives import objective_for
from solver.rummikub.position import Position
from solver.rummikub.rules import Rules
from solver.rummikub.search import Solver

LISTED = ("small", "medium")  # racks of 14 tiles
LINES = 10
WARM = 40
MOST_CHECKED = 3000


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rummikub.moves", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="positions of each stratum")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rules", default="free")
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall")
    parser.add_argument("--check", type=int, default=0, metavar="COUNT")
    options = parser.parse_args(arguments)
    rules = Rules.parse(options.rules)
    solver = Solver(rules)
    for position in mixed(WARM, f"{options.seed}/warm"):
        solver.best_moves(under(position, rules), LINES)

    def tables(position: Position) -> int:
        return sum(len(line.move.table) for line in solver.best_moves(position, LINES))

    calls: dict[str, tuple[Callable[[Position], object], tuple[str, ...]]] = {
        "first": (lambda position: next(solver.legal_moves(position), None), tuple(STRATA)),
        "all": (lambda position: list(solver.legal_moves(position)), LISTED),
        "count": (solver.count_moves, LISTED),
        "best": (lambda position: solver.best_moves(position, LINES), tuple(STRATA)),
        "tables": (tables, tuple(STRATA)),
    }
    print(f"{'us':8} {'stratum':8} {'median':>9} {'p90':>9} {'max':>9}")
    for name, (call, strata) in calls.items():
        for stratum in strata:
            positions = [under(position, rules) for position in parsed(stratum, options.count, options.seed)]
            times, results = time_calls(call, positions, options.clock)
            told = Summary.of(times)
            more = ""
            if name == "all":
                more = f"  {median(len(moves) for moves in results):.0f} moves"  # type: ignore[arg-type]
            print(
                f"{name:8} {stratum:8} {told.median / 1e3:9.1f} {told.p90 / 1e3:9.1f} {told.maximum / 1e3:9.1f}{more}"
            )
    return int(wrong(solver, options.check, options.seed) > 0) if options.check else 0


def under(position: Position, rules: Rules) -> Position:
    """The position under other rules of the same material."""
    return Position(position.table, position.rack, position.opened, rules)


def wrong(solver: Solver, count: int, seed: int) -> int:
    """How many lists are not what dividing positions finds; each is printed."""
    failed = checked = moves = 0
    goal = objective_for("tiles", None, solver.rules)
    for stratum in LISTED:
        for position in parsed(stratum, count, f"{seed}/check"):
            asked = under(position, solver.rules)
            listed = [(move.tiles, move.taken) for move in solver.legal_moves(asked)]
            if len(listed) > MOST_CHECKED:
                continue
            checked += 1
            moves += len(listed)
            divided = [(laid.tiles, laid.taken) for laid in solver._divided(asked, goal, None)]
            if sorted(listed) != sorted(divided) or solver.count_moves(asked) != len(listed):
                failed += 1
                print(f"{len(listed)} moves, by dividing {len(divided)}: {asked}")
    print(f"{checked} lists with {moves} moves compared with dividing, {failed} differ")
    return failed


if __name__ == "__main__":
    sys.exit(main())
