"""The least changed table: is it the least, and how long does it take?

    python -m benchmarks.rummikub.changes --against exhaustive --count 3000 --seed 1
    python -m benchmarks.rummikub.changes --against ilp --count 300 --seed 1
    python -m benchmarks.rummikub.changes --time --count 200 --seed 1

`exhaustive`: the naive search tries all arrangements of small random positions, each with its own rules and options;
compared are sets kept, tiles moved and the sorted sets of the table. `ilp`: an integer programme with a term for kept
sets and for the matching of final to original sets looks for a table that changes less, over retail positions under the
rules `free`. Disagreements are printed with their positions; the exit code is 1 if there is one. `--time`: for each
stratum the time of one least change (ten moves with most tiles of every position), of `best_moves(10)` with all tables,
and the share that is proven.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import combinations, islice
from statistics import median

from benchmarks.rummikub.generate import STRATA
from benchmarks.rummikub.instances import mixed, parsed
from benchmarks.rummikub.timing import CLOCKS, Summary, time_calls
from solver.errors import UnsupportedRules
from solver.rummikub import reference
from solver.rummikub.change import kept_sets, moved_tiles
from solver.rummikub.position import Move, Position, Table
from solver.rummikub.rules import Rules
from solver.rummikub.search import Solver
from solver.rummikub.sets import TileSet, sort_tiles, tile_key
from tests.rummikub import random_positions

COLORS = "RBKO"
LINES = 10
KEPT = 1000  # worth of a kept set beside its tiles
SOLVERS_KEPT = 32
WARM = 100
SECONDS = 120.0  # for one integer programme
Kind = tuple[frozenset[str], int]  # real tiles and jokers of a set


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare or measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rummikub.changes", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--against", choices=("exhaustive", "ilp"))
    what.add_argument("--time", action="store_true")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--strata", nargs="+", choices=list(STRATA), default=list(STRATA))
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall", help="cpu: for a busy machine")
    options = parser.parse_args(arguments)
    if options.time:
        for stratum in options.strata:
            measure(stratum, options.count, options.seed, options.clock)
        return 0
    if options.against == "exhaustive":
        return against_exhaustive(options.count, options.seed)
    return against_ilp(options.count, options.seed, tuple(options.strata))


def against_exhaustive(count: int, seed: int) -> int:
    """`count` moves of small positions; 1 if one is not the least change."""
    seen: Counter[str] = Counter()
    solvers: dict[Rules, Solver] = {}
    source = random_positions.positions(
        100 * count, seed, random_positions.ALL_PRESETS, random_positions.MOVE_OPTIONS, table_tiles=12, rack_tiles=5
    )
    for position in source:
        if seen["moves"] >= count:
            break
        try:
            if len(solvers) >= SOLVERS_KEPT:
                solvers.clear()
            solver = solvers.setdefault(position.rules, Solver(position.rules))
            move = solver.best_move(position)
        except UnsupportedRules:
            continue
        if move is None:
            continue
        seen["moves"] += 1
        change = reference.least_change(position, move.tiles, move.taken)
        seen["not proven"] += not move.least_changed
        seen["with jokers"] += "J" in move.tiles or any("J" in tiles for tiles in position.table)
        found = (move.kept_sets, move.moved_tiles, in_order(move.table))
        if change is None or (change.kept_sets, change.moved_tiles, in_order(change.table)) != found:
            seen["disagreements"] += 1
            print(f"{position}\n  answer {move}\n  should be {change}", flush=True)
    print(", ".join(f"{number} {name}" for name, number in sorted(seen.items())))
    return int(seen["disagreements"] > 0)


def in_order(table: Table) -> list[TileSet]:
    """The sorted list of sorted sets, which decides between equal changes."""
    return sorted((sort_tiles(tiles) for tiles in table), key=lambda tiles: [tile_key(tile) for tile in tiles])


def against_ilp(count: int, seed: int, strata: tuple[str, ...]) -> int:
    """`count` best moves of retail positions; 1 if one is not the least change."""
    seen: Counter[str] = Counter()
    solver: Solver | None = None
    for position in mixed(10 * count, f"{seed}/changes", strata):
        if seen["moves"] >= count:
            break
        solver = solver or Solver(position.rules)
        move = solver.best_move(position)
        if move is None or not position.table:
            continue
        seen["moves"] += 1
        if not move.least_changed:
            seen["not proven"] += 1
            continue
        better = improved(position, move)
        seen["unjudged"] += better is None
        if better:
            seen["disagreements"] += 1
            print(f"{position}\n  answer {move}, not the least change", flush=True)
    print(", ".join(f"{number} {name}" for name, number in sorted(seen.items())))
    return int(seen["disagreements"] > 0)


def kinds_of(bag: Counter[str], colors: int, numbers: int) -> list[Kind]:
    """Every kind of set that the bag holds, runs of all lengths."""
    full = [
        [f"{color}{number}" for number in range(first, last + 1)]
        for color in COLORS[:colors]
        for first in range(1, numbers - 1)
        for last in range(first + 2, numbers + 1)
    ] + [
        [f"{color}{number}" for color in members]
        for number in range(1, numbers + 1)
        for size in range(3, colors + 1)
        for members in combinations(COLORS[:colors], size)
    ]
    kinds: set[Kind] = set()
    for tiles in full:
        for jokers in range(min(bag["J"], len(tiles)) + 1):
            for real in combinations(tiles, len(tiles) - jokers):
                if all(bag[tile] for tile in real):
                    kinds.add((frozenset(real), jokers))
    return sorted(kinds, key=lambda kind: (sorted(kind[0]), kind[1]))


def improved(position: Position, move: Move) -> bool | None:
    """Whether some table keeps more sets than that of the move, or as many and moves fewer tiles; None: out of time.

    Worth of a table: KEPT for each set kept, and the tiles that stay; the programme asks for more than the move's.
    Variables: how often each kind of set is laid new; each original kept or not; each laid kind matched with an
    original or not. By CP-SAT on one thread.
    """
    cp_model = importlib.import_module("ortools.sat.python.cp_model")
    rules = position.rules
    bag = Counter(tile for tiles in position.table for tile in tiles)
    bag.update(move.tiles)
    kinds = kinds_of(bag, rules.colors, rules.numbers)
    model = cp_model.CpModel()
    laid = [model.new_int_var(0, max(rules.copies, rules.jokers), "") for _ in kinds]
    keep = [model.new_bool_var("") for _ in position.table]
    for tile, number in bag.items():
        new = [
            (laid[at], kind[1] if tile == "J" else 1)
            for at, kind in enumerate(kinds)
            if (kind[1] if tile == "J" else tile in kind[0])
        ]
        old = [(keep[at], tiles.count(tile)) for at, tiles in enumerate(position.table) if tile in tiles]
        model.add(sum(times * variable for variable, times in (*new, *old)) == number)
    goal = [(KEPT + len(tiles)) * keep[at] for at, tiles in enumerate(position.table)]
    originals = [(frozenset(tiles) - {"J"}, tiles.count("J")) for tiles in position.table]
    matched: list[list[object]] = [[variable] for variable in keep]
    for at, (real, jokers) in enumerate(kinds):
        own = []
        for original, (old_real, old_jokers) in enumerate(originals):
            shared = len(real & old_real) + min(jokers, old_jokers)
            if shared:
                variable = model.new_bool_var("")
                own.append(variable)
                matched[original].append(variable)
                goal.append(shared * variable)
        if own:
            model.add(sum(own) <= laid[at])
    for variables in matched:
        model.add(sum(variables) <= 1)
    stay = sum(map(len, position.table)) - move.moved_tiles
    model.add(sum(goal) > KEPT * move.kept_sets + stay)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = SECONDS
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return False
    return True if status in (cp_model.OPTIMAL, cp_model.FEASIBLE) else None


def measure(stratum: str, count: int, seed: int, clock: str) -> None:
    """Print times in milliseconds of a stratum."""
    positions = parsed(stratum, count, f"{seed}/changes")
    solver = Solver(positions[0].rules)
    for position in parsed(stratum, WARM, f"{seed}/warm"):
        solver.best_move(position)
    # Tables are built when they are asked for.
    moves = [move for position in positions for move in islice(solver.legal_moves(position), LINES)]
    times, _ = time_calls(lambda move: move.table, moves, clock)
    one = Summary.of(times)
    proven = sum(move.least_changed for move in moves) / len(moves)
    times, lists = time_calls(partial(listed, solver), positions, clock)
    ten = Summary.of(times)
    broken = median(len(move.before.table) - kept_sets(move.before.table, move.table) for move in moves)
    moved = median(moved_tiles(move.before.table, move.table) for move in moves)
    print(
        f"{stratum:7} one change: median {one.median / 1e6:.3f} p90 {one.p90 / 1e6:.3f} "
        f"max {one.maximum / 1e6:.1f} ms, {len(moves)} moves, {proven:.1%} proven, "
        f"medians: {broken:g} sets broken, {moved:g} tiles moved",
    )
    print(
        f"        best_moves({LINES}): median {ten.median / 1e6:.3f} p90 {ten.p90 / 1e6:.3f} "
        f"max {ten.maximum / 1e6:.1f} ms, {sum(map(len, lists))} lines",
        flush=True,
    )


def listed(solver: Solver, position: Position) -> list[Move]:
    """The best moves with their tables."""
    moves = [line.move for line in solver.best_moves(position, LINES)]
    for move in moves:
        _ = move.table
    return moves


if __name__ == "__main__":
    sys.exit(main())
