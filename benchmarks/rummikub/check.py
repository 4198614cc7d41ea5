"""Are the answers right? Many random positions against an independent method.

    python -m benchmarks.rummikub.check --against reference --count 20000 --seed 1
    python -m benchmarks.rummikub.check --against ilp --count 2000 --seed 1

`reference`: the naive search over random small rule sets with their options. `ilp`: two integer programmes that must
agree, over positions of the retail box (or of another one, --copies and --jokers) under the rules `free`. Both compare
what the best moves for `tiles` and for `value` lay; every move is verified. Disagreements are printed with their
positions; the exit code is 1 if there is one.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter

from benchmarks.rummikub import ilp
from benchmarks.rummikub.generate import EXTRA, STRATA, Deck
from benchmarks.rummikub.ilp import Answer, Bag
from benchmarks.rummikub.instances import mixed
from solver.errors import UnsupportedRules
from solver.rummikub import reference
from solver.rummikub.position import Move, Position
from solver.rummikub.rules import Rules
from solver.rummikub.search import Solver
from solver.rummikub.verify import verify
from tests.rummikub import random_positions

OBJECTIVES = ("tiles", "value")
STRATA_CHECKED = tuple(name for name in (*STRATA, *EXTRA) if name != "tiny")
SOLVERS_KEPT = 32  # warm solvers of as many rule sets
PROGRESS = 1000  # positions between two lines on standard error
Judge = Callable[[Position, str], Answer]


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rummikub.check", description=__doc__)
    parser.add_argument("--against", choices=("reference", "ilp"), required=True)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--copies", type=int, default=2, help="for ilp")
    parser.add_argument("--jokers", type=int, default=2, help="for ilp")
    parser.add_argument("--strata", nargs="+", choices=STRATA_CHECKED, default=STRATA_CHECKED, help="for ilp")
    parser.add_argument("--backends", nargs=2, choices=list(ilp.BACKENDS), default=("glpk", "highs"), help="for ilp")
    options = parser.parse_args(arguments)
    judge: Judge
    if options.against == "ilp":
        deck = Deck(copies=options.copies, jokers=options.jokers)
        positions = mixed(options.count, f"{options.seed}/check", tuple(options.strata), deck)
        judge = ilp_judge(tuple(options.backends))
    else:
        positions = random_positions.positions(options.count, options.seed)
        judge = reference_judge
    return compare(positions, judge)


def reference_judge(position: Position, objective: str) -> Answer:
    """What the naive search lays."""
    best = reference.best_value(position, objective)
    if best is None:
        return Answer(0, 0)
    return Answer(best[1], best[0]) if objective == "value" else Answer(best[0], best[1])


def ilp_judge(backends: tuple[str, str]) -> Judge:
    """What two integer programmes lay."""
    oracle = ilp.Oracle(backends)

    def judge(position: Position, objective: str) -> Answer:
        rules = position.rules
        return oracle.solve(Bag.of(position, rules.colors, rules.numbers, rules.jokers), objective)

    return judge


def laid(move: Move | None) -> Answer:
    """Tiles and value of a move, without what it takes back."""
    if move is None:
        return Answer(0, 0)
    return Answer(
        len(move.tiles) - len(move.taken), move.value - sum(int(tile[1:]) for tile in move.taken if tile != "J")
    )


def compare(positions: Iterator[Position], judge: Judge) -> int:
    """Print every disagreement and a summary; 1 if there was a disagreement."""
    begun = perf_counter()
    solvers: dict[Rules, Solver] = {}
    seen: Counter[str] = Counter()
    for position in positions:
        seen["positions"] += 1
        if position.rules not in solvers:
            if len(solvers) == SOLVERS_KEPT:
                solvers.pop(next(iter(solvers)))
            solvers[position.rules] = Solver(position.rules)
        for objective in OBJECTIVES:
            try:
                move = solvers[position.rules].best_move(position, objective)
            except UnsupportedRules as refusal:
                seen[f"refused: {refusal}"] += 1
                continue
            try:
                want = judge(position, objective)
                problems = [] if laid(move) == want else [f"lays {laid(move)}, should lay {want}"]
            except (ilp.Disagreement, ilp.BackendError) as error:
                seen["unjudged"] += 1
                print(f"{objective}: no judgement, {error}\n  {position}", flush=True)
                continue
            if move is not None:
                problems += verify(position, move)
            seen["answers"] += 1
            seen["nothing to lay"] += move is None
            if problems:
                seen["disagreements"] += 1
                print(f"{objective}: {'; '.join(problems)}\n  {position}\n  answer: {move}", flush=True)
        if seen["positions"] % PROGRESS == 0:
            print(f"{seen['positions']} positions, {perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
    print(", ".join(f"{number} {what}" for what, number in sorted(seen.items())))
    print(f"{seen['disagreements']} disagreements, {perf_counter() - begun:.0f} s")
    return int(seen["disagreements"] > 0)


if __name__ == "__main__":
    sys.exit(main())
