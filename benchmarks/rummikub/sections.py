"""The measurements, each a function that returns plain data for the table and for JSON.

Times are nanoseconds. The solver is warmed on positions of another seed and meets each measured position once.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from time import perf_counter_ns
from typing import Any

from benchmarks.rummikub import ilp
from benchmarks.rummikub.generate import STRATA, Deck
from benchmarks.rummikub.ilp import Answer, Bag
from benchmarks.rummikub.instances import Known, known, mixed, parsed
from benchmarks.rummikub.peers import PEERS, PUBLIC, Claim, Peer, judge
from benchmarks.rummikub.timing import Summary, time_calls, undisturbed
from solver.rummikub import reference
from solver.rummikub.kernel import Sweep
from solver.rummikub.position import Move, Position
from solver.rummikub.problem import names
from solver.rummikub.rules import Rules
from solver.rummikub.search import Solver
from solver.rummikub.verify import verify

OBJECTIVES = ("tiles", "value")
RULES = Rules.preset("free")
KERNEL, API, NAIVE = "kernel", "python", "reference"
MEMORY = 64 * 2**20
# A peer's first calls build its model; they are not measured.
PEER_WARM_UP = 3
BATCH_REPEATS = 7
# Rule sets so small that the naive search ends: tiles in all, and what lies where.
NAIVE_DECKS = {
    "3x6, 1 copy, 1 joker": Deck(colors=3, numbers=6, copies=1, jokers=1),
    "4x5, 1 copy, 1 joker": Deck(colors=4, numbers=5, copies=1, jokers=1),
    "2x7, 2 copies, 1 joker": Deck(colors=2, numbers=7, copies=2, jokers=1),
}
NAIVE_STRATUM = "tiny"


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    seed: str = "1"
    strata: tuple[str, ...] = tuple(STRATA)
    peers: tuple[str, ...] = ("rummikub-solver/glpk", "rummikub-solver/highs", "ilp/glpk", "ilp/highs")
    measured: int = 1000  # positions of each stratum
    warm: int = 1000  # positions that warm a solver, the strata in turn
    peer_positions: int = 60  # positions of each stratum that the peers meet
    ceiling: int = 3000  # positions of each stratum for the slowest call
    passes: int = 3  # a call counts as slow if it is slow with each of so many equally warmed solvers
    naive: int = 40  # positions of each small rule set
    batch: int = 3000  # positions of one solve_batch
    clock: str = "wall"  # or "cpu": time of the calling thread alone, for a machine that does other things as well


@dataclass(slots=True)
class Wrong:
    """Answers that are not right, and how many were looked at."""

    checked: dict[str, int] = field(default_factory=dict)
    found: list[dict[str, str]] = field(default_factory=list)

    def note(self, who: str, objective: str, position: Position, problems: Sequence[str]) -> None:
        """Count one checked answer; keep it if there are problems."""
        self.checked[who] = self.checked.get(who, 0) + 1
        if problems:
            self.found.append(
                {"who": who, "objective": objective, "position": str(position), "problem": "; ".join(problems)}
            )


def answer_of(move: Move | None) -> Answer:
    """Tiles and value of a move of the solver."""
    return Answer(0, 0) if move is None else Answer(len(move.tiles), move.value)


def warm_solver(plan: Plan) -> Solver:
    """A solver that has met positions of another seed, all strata and both objectives."""
    solver = Solver(RULES)
    for position in mixed(plan.warm, f"{plan.seed}/warm"):
        for objective in OBJECTIVES:
            solver.best_move(position, objective)
    return solver


def bare_kernel(rules: Rules) -> Sweep:
    """The kernel of a rule set without the API around it."""
    return Sweep(rules.colors, rules.numbers, names(rules.numbers), MEMORY)


def warm_kernel(plan: Plan) -> Sweep:
    """A bare kernel that has met the same positions."""
    sweep = bare_kernel(RULES)
    packed = [position.packed for position in mixed(plan.warm, f"{plan.seed}/warm")]
    for objective in OBJECTIVES:
        sweep.time_ns(packed, objective)
    return sweep


def strata(plan: Plan, wrong: Wrong, say: Callable[[str], None]) -> list[dict[str, Any]]:
    """Kernel, Python API and peers on the strata: one row for each stratum, objective and contestant."""
    rows = []
    say("the solver ...")
    own = _own_times(plan, wrong)
    oracle = ilp.Oracle()
    peers = [PEERS[name]() for name in plan.peers]
    for stratum in plan.strata:
        subset = parsed(stratum, plan.measured, plan.seed)[: plan.peer_positions]
        for objective in OBJECTIVES:
            say(f"{stratum}, {objective} ...")
            times, moves = own[stratum, objective]
            best = [oracle.solve(Bag.of(position), objective) for position in subset]
            for position, move, answer in zip(subset, moves, best, strict=False):
                wrong.note(API, objective, position, [] if answer_of(move) == answer else [f"not {answer}"])
            for peer in peers:
                times[peer.name] = _peer_times(peer, subset, best, objective, wrong, plan.clock)
            rows += _rows(stratum, objective, times, len(subset))
    return rows


def _own_times(plan: Plan, wrong: Wrong) -> dict[tuple[str, str], tuple[dict[str, list[int]], list[Move | None]]]:
    """Times of kernel and API for each stratum and objective, and the moves; every move is verified.

    Each objective has its own solver and parses the positions anew, so that nothing is met twice.
    """
    result: dict[tuple[str, str], tuple[dict[str, list[int]], list[Move | None]]] = {}
    for objective in OBJECTIVES:
        sweep, solver = warm_kernel(plan), warm_solver(plan)
        for stratum in plan.strata:
            members = parsed(stratum, plan.measured, plan.seed)
            with undisturbed():
                kernel = [int(one) for one in sweep.time_ns([position.packed for position in members], objective)]
            python, moves = time_calls(partial(solver.best_move, objective=objective), members, plan.clock)
            for position, move in zip(members, moves, strict=True):
                wrong.note(f"{API}, verified", objective, position, [] if move is None else verify(position, move))
            result[stratum, objective] = ({KERNEL: kernel, API: python}, moves)
    return result


def _peer_times(
    peer: Peer, subset: Sequence[Position], best: Sequence[Answer], objective: str, wrong: Wrong, clock: str
) -> list[int]:
    loaded = [peer.load(position) for position in subset]
    for one in loaded[:PEER_WARM_UP]:
        peer.run(one, objective)
    times, raws = time_calls(partial(peer.run, objective=objective), loaded, clock)
    for position, one, raw, answer in zip(subset, loaded, raws, best, strict=True):
        claim: Claim | Answer = peer.read(raw, one)
        wrong.note(peer.name, objective, position, judge(position, claim, answer, objective, peer.breaks_ties))
    return times


def _rows(stratum: str, objective: str, times: Mapping[str, Sequence[int]], shared: int) -> list[dict[str, Any]]:
    """Summaries, with ratios of medians over the positions that all contestants met."""
    medians = {name: statistics.median(ones[:shared]) for name, ones in times.items()}
    return [
        {
            "stratum": stratum,
            "objective": objective,
            "who": name,
            "public": name.startswith(PUBLIC),
            **asdict(Summary.of(ones)),
            "over_python": medians[name] / medians[API],
            "over_kernel": medians[name] / medians[KERNEL],
        }
        for name, ones in times.items()
    ]


def files(plan: Plan, wrong: Wrong) -> list[dict[str, Any]]:
    """The positions with known answers: right or not, and how long the API takes.

    The maximum is over the positions, of each the best of all passes, each pass with another warmed solver.
    """
    rows = []
    solvers = [warm_solver(plan) for _ in range(plan.passes)]
    for file in ("positions", "instances", "no_move"):
        entries = known(file)
        for entry, tiles, value in _answers(entries):
            for objective, answer in (("tiles", tiles), ("value", value)):
                problems = entry.problems(answer_of(tiles), answer_of(value)) if objective == "tiles" else []
                if answer is not None:
                    problems += verify(entry.position, answer)
                wrong.note(f"{API}, {file}.json", objective, entry.position, problems)
        _peers_on_file(plan, file, entries, wrong)
        for objective in OBJECTIVES:
            # The text is parsed anew, so that nothing is left of earlier calls.
            passes = [
                time_calls(
                    partial(solver.best_move, objective=objective),
                    [entry.position for entry in known(file)],
                    plan.clock,
                )[0]
                for solver in solvers
            ]
            rows.append({"file": file, "objective": objective, **_quiet(passes)})
    return rows


def _peers_on_file(plan: Plan, file: str, entries: Sequence[Known], wrong: Wrong) -> None:
    """The other solvers' answers on a file, not timed: the files hold the cases that are easily got wrong."""
    oracle = ilp.Oracle()
    peers = [PEERS[name]() for name in plan.peers]
    for position in [entry.position for entry in entries] if peers else ():
        for objective in OBJECTIVES:
            best = oracle.solve(Bag.of(position), objective)
            for peer in peers:
                loaded = peer.load(position)
                claim = peer.read(peer.run(loaded, objective), loaded)
                problems = judge(position, claim, best, objective, peer.breaks_ties)
                wrong.note(f"{peer.name}, {file}.json", objective, position, problems)


def _answers(entries: Sequence[Known]) -> list[tuple[Known, Move | None, Move | None]]:
    solver = Solver(RULES)
    return [
        (entry, solver.best_move(entry.position, "tiles"), solver.best_move(entry.position, "value"))
        for entry in entries
    ]


def _quiet(passes: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Summary of the first pass, and the maximum over positions of the best pass of each."""
    best = [min(times) for times in zip(*passes, strict=True)]
    return {**asdict(Summary.of(passes[0])), "maximum_of_best": max(best)}


def ceiling(plan: Plan) -> list[dict[str, Any]]:
    """The slowest of many generated positions of each stratum, by the API."""
    rows = []
    solvers = [warm_solver(plan) for _ in range(plan.passes)]
    for stratum in plan.strata:
        for objective in OBJECTIVES:
            passes = [
                time_calls(
                    partial(solver.best_move, objective=objective),
                    parsed(stratum, plan.ceiling, f"{plan.seed}/ceiling"),
                    plan.clock,
                )[0]
                for solver in solvers
            ]
            worst = max(range(plan.ceiling), key=lambda index: min(times[index] for times in passes))
            position = parsed(stratum, worst + 1, f"{plan.seed}/ceiling")[-1]
            rows.append({"stratum": stratum, "objective": objective, **_quiet(passes), "slowest": str(position)})
    return rows


def batch(plan: Plan, stratum: str = "large") -> dict[str, Any]:
    """`solve_batch` with one and two workers: best of several runs, in turns, on the same warm solver."""
    solver = warm_solver(plan)
    positions = parsed(stratum, plan.batch, f"{plan.seed}/batch")
    for position in positions:
        position.problems()  # looked at once, so that the first run has no more to do than the others
    best: dict[int, int] = {}
    answers: dict[int, list[Answer]] = {}
    for _ in range(BATCH_REPEATS):
        for workers in (1, 2):
            with undisturbed():
                start = perf_counter_ns()
                moves = solver.solve_batch(positions, workers=workers)
                took = perf_counter_ns() - start
            best[workers] = min(took, best.get(workers, took))
            answers[workers] = [answer_of(move) for move in moves]
    return {
        "stratum": stratum,
        "positions": len(positions),
        "one_worker": best[1],
        "two_workers": best[2],
        "speedup": best[1] / best[2],
        "same_answers": answers[1] == answers[2],
    }


def naive(plan: Plan, wrong: Wrong) -> list[dict[str, Any]]:
    """The naive search against kernel and API on rule sets so small that it ends."""
    rows = []
    for name, deck in NAIVE_DECKS.items():
        positions = parsed(NAIVE_STRATUM, plan.naive, plan.seed, deck)
        rules = positions[0].rules
        sweep, solver = bare_kernel(rules), Solver(rules)
        for position in parsed(NAIVE_STRATUM, plan.naive, f"{plan.seed}/warm", deck):
            sweep.time_ns([position.packed], "tiles")
            solver.best_move(position)
        with undisturbed():
            kernel = [int(one) for one in sweep.time_ns([position.packed for position in positions], "tiles")]
        python, moves = time_calls(solver.best_move, positions, plan.clock)
        slow, naive_moves = time_calls(reference.best_move, positions, plan.clock)
        for position, move, other in zip(positions, moves, naive_moves, strict=True):
            want = answer_of(other)
            wrong.note(API, "tiles", position, [] if answer_of(move) == want else [f"the naive search says {want}"])
        rows += _rows(name, "tiles", {KERNEL: kernel, API: python, NAIVE: slow}, len(positions))
    return rows
