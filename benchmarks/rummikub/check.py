"""Are the answers right? Many random positions against an independent method.

    python -m benchmarks.rummikub.check --against reference --count 20000 --seed 1
    python -m benchmarks.rummikub.check --against reference --options joker_set_locked=yes high_one=yes
    python -m benchmarks.rummikub.check --against reference --options all --presets all
    python -m benchmarks.rummikub.check --against ilp --count 2000 --seed 1

`reference`: the naive search over random small rule sets with their options. `ilp`: two integer programmes that must
agree, over positions of the retail box (or of another one, --copies and --jokers) under the rules `free`. Both compare
what the best moves for `tiles` and for `value` lay; `reference` also compares `penalty`, `go_out` and random weights,
and every LISTED-th position all legal moves. Every move is verified. Disagreements are printed with their positions;
the exit code is 1 if there is one.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from time import perf_counter

from benchmarks.rummikub import ilp
from benchmarks.rummikub.generate import EXTRA, STRATA, Deck
from benchmarks.rummikub.ilp import Answer, Bag
from benchmarks.rummikub.instances import mixed
from solver.errors import UnsupportedRules
from solver.rummikub import reference
from solver.rummikub.objectives import objective_for
from solver.rummikub.position import Move, Position
from solver.rummikub.rules import Rules
from solver.rummikub.search import Solver
from solver.rummikub.verify import verify
from tests.rummikub import random_positions

OBJECTIVES = ("tiles", "value")
STRATA_CHECKED = tuple(name for name in (*STRATA, *EXTRA) if name != "tiny")
HIGH_NUMBERS = ("5", "6", "7")  # the search wants five at least for `high_one`
WEIGHTS = (0, 0, 1, 2, 5)
JOKER_WEIGHTS = (-2, 0, 3)
LISTED = 5
SOLVERS_KEPT = 32  # warm solvers of as many rule sets
PROGRESS = 1000  # positions between two lines on standard error
Judge = Callable[[Position, str], Answer]


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rummikub.check", description=__doc__)
    parser.add_argument("--against", choices=("reference", "ilp"), required=True)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--options", nargs="+", default=[], metavar="FIELD=VALUE", help="for reference; `all`: by chance, all of them"
    )
    parser.add_argument(
        "--presets", nargs="+", default=random_positions.SEARCH_PRESETS, help="for reference; `all`: all of them"
    )
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
        presets = random_positions.ALL_PRESETS if options.presets == ["all"] else tuple(options.presets)
        positions = random_positions.positions(options.count, options.seed, presets, drawn(options.options))
        judge = reference_judge
    return compare(positions, judge, options.seed if options.against == "reference" else None)


def drawn(options: Sequence[str]) -> dict[str, Sequence[str]]:
    """What `random_positions` draws: every option by chance, or given values of fields, divided by commas."""
    fields: dict[str, Sequence[str]] = {}
    for option in options:
        if option == "all":
            fields.update(random_positions.MOVE_OPTIONS)
        else:
            field, _, values = option.partition("=")
            fields[field] = tuple(values.split(","))
    if "yes" in fields.get("high_one", ()):
        fields.setdefault("numbers", HIGH_NUMBERS)
    return fields


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


def compare(positions: Iterator[Position], judge: Judge, seed: int | None = None) -> int:
    """Print every disagreement and a summary; 1 if there was a disagreement.

    seed: of the weights, where the judge is the naive search; it then judges the other objectives as well.
    """
    begun = perf_counter()
    rng = None if seed is None else random.Random(seed)
    solvers: dict[Rules, Solver] = {}
    seen: Counter[str] = Counter()
    searched = 0.0
    for position in positions:
        seen["positions"] += 1
        try:
            if position.rules not in solvers:
                if len(solvers) == SOLVERS_KEPT:
                    solvers.pop(next(iter(solvers)))
                solvers[position.rules] = Solver(position.rules)
        except UnsupportedRules as refusal:
            seen[f"refused: {refusal}"] += 1
            continue
        solver = solvers[position.rules]
        for objective in OBJECTIVES:
            started = perf_counter()
            move = solver.best_move(position, objective)
            searched += perf_counter() - started
            try:
                want = judge(position, objective)
                problems = [] if laid(move) == want else [f"lays {laid(move)}, should lay {want}"]
            except (ilp.Disagreement, ilp.BackendError) as error:
                seen["unjudged"] += 1
                print(f"{objective}: no judgement, {error}\n  {position}", flush=True)
                continue
            seen["nothing to lay"] += move is None
            report(position, objective, move, problems, seen)
        if rng is not None:
            weights = dict.fromkeys((*position.rack, *(tile for tiles in position.table for tile in tiles)), 0)
            weights = {tile: rng.choice(WEIGHTS) for tile in weights}
            weights["J"] = rng.choice(JOKER_WEIGHTS)
            for objective, given in (("penalty", None), ("go_out", None), ("weights", weights)):
                started = perf_counter()
                move = solver.best_move(position, "tiles" if given else objective, weights=given)
                searched += perf_counter() - started
                report(position, objective, move, misjudged(position, objective, given, move), seen)
            if seen["positions"] % LISTED == 0:
                seen["lists"] += 1
                mine = sorted((move.tiles, move.taken) for move in solver.legal_moves(position))
                if mine != sorted((move.tiles, move.taken) for move in reference.legal_moves(position)):
                    report(position, "moves", None, ["other moves than the naive search"], seen)
        if seen["positions"] % PROGRESS == 0:
            print(f"{seen['positions']} positions, {perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
    print(", ".join(f"{number} {what}" for what, number in sorted(seen.items())))
    each = 1000 * searched / max(1, seen["answers"])
    print(f"{seen['disagreements']} disagreements, {perf_counter() - begun:.0f} s, {each:.2f} ms an answer")
    return int(seen["disagreements"] > 0)


def misjudged(position: Position, objective: str, weights: Mapping[str, int] | None, move: Move | None) -> list[str]:
    """What the naive search says against a best move."""
    want = reference.best_value(position, "tiles" if weights else objective, weights)
    if move is None:
        return [] if want is None else [f"lays nothing, should be worth {want}"]
    goal = objective_for("tiles" if weights else objective, weights, position.rules)
    got = goal.net(move.tiles, move.taken)
    if weights is not None:
        got = (got[0], 0)  # the naive search has no second criterion for them
    return [] if got == want else [f"is worth {got}, should be worth {want}"]


def report(position: Position, objective: str, move: Move | None, problems: list[str], seen: Counter[str]) -> None:
    """Count an answer and print what is wrong with it."""
    seen["answers"] += 1
    if move is not None:
        problems = [*problems, *verify(position, move)]
    if problems:
        seen["disagreements"] += 1
        print(f"{objective}: {'; '.join(problems)}\n  {position}\n  answer: {move}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
