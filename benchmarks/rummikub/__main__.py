"""`python -m benchmarks.rummikub`: everything in one run. What is measured and why: benchmarks/README.md."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from importlib import metadata, util
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.rummikub import report, sections
from benchmarks.rummikub.generate import STRATA
from benchmarks.rummikub.peers import PEERS
from benchmarks.rummikub.sections import Plan, Wrong
from benchmarks.rummikub.timing import CLOCKS

SECTIONS = ("strata", "naive", "files", "ceiling", "batch")
QUICK = Plan(measured=200, warm=200, peer_positions=10, ceiling=200, passes=2, naive=10, batch=500)
# What each kind of peer needs to be installed.
NEEDS = {
    "rummikub-solver/glpk": ("rummikub_solver", "cvxopt"),
    "rummikub-solver/highs": ("rummikub_solver", "highspy"),
    "rummikub-solver/scipy": ("rummikub_solver", "scipy"),
    "ilp/glpk": ("cvxopt",),
    "ilp/highs": ("highspy",),
    "ilp/cpsat": ("ortools",),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the tables; exit code 0 unless the solver gave a wrong answer."""
    options = _parser().parse_args(arguments)
    plan = replace(
        QUICK if options.quick else Plan(),
        seed=options.seed,
        strata=tuple(options.strata),
        peers=tuple(options.peers),
        clock=options.clock,
    )
    missing = sorted({need for peer in plan.peers for need in NEEDS[peer] if util.find_spec(need) is None})
    if missing:
        print(f"not installed: {' '.join(missing)} (the extra `baselines` has them all)", file=sys.stderr)
        return 2
    results = run(plan, options.sections)
    print(report.render(results))
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return int(any(found["who"].startswith(sections.API) for found in results["wrong"]["found"]))


def run(plan: Plan, chosen: Sequence[str] = SECTIONS) -> dict[str, Any]:
    """The results of the chosen sections as plain data."""
    begun = perf_counter()

    def say(text: str) -> None:
        print(f"[{perf_counter() - begun:5.0f} s] {text}", file=sys.stderr, flush=True)

    wrong = Wrong()
    results: dict[str, Any] = {
        "seed": plan.seed,
        "python": platform.python_version(),
        "machine": _machine(),
        "load": _load(),
        "versions": {name: _version(name) for name in ("numpy", "rummikub-solver", "cvxopt", "highspy", "ortools")},
        "plan": asdict(plan),
    }
    if "strata" in chosen:
        results["strata"] = sections.strata(plan, wrong, say)
    if "naive" in chosen:
        say("the naive search ...")
        results["naive"] = sections.naive(plan, wrong)
    if "files" in chosen:
        say("positions with known answers ...")
        results["files"] = sections.files(plan, wrong)
    if "ceiling" in chosen:
        say("the slowest of many ...")
        results["ceiling"] = sections.ceiling(plan)
    if "batch" in chosen:
        say("batches ...")
        results["batch"] = sections.batch(plan)
    results["wrong"] = asdict(wrong)
    results["load"] = max((load for load in (results["load"], _load()) if load is not None), default=None)
    say("done")
    return results


def _parser() -> argparse.ArgumentParser:
    usual = Plan()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rummikub", description=__doc__)
    parser.add_argument("--seed", default=usual.seed, help="seed of the measured positions")
    parser.add_argument("--quick", action="store_true", help="fewer positions: a look, not a measurement")
    parser.add_argument("--strata", nargs="+", choices=list(STRATA), default=usual.strata)
    parser.add_argument("--peers", nargs="*", choices=list(PEERS), default=usual.peers)
    parser.add_argument("--clock", choices=list(CLOCKS), default=usual.clock, help="cpu: for a busy machine")
    parser.add_argument("--sections", nargs="+", choices=SECTIONS, default=SECTIONS)
    parser.add_argument("--json", metavar="PATH", help="write all results to a file")
    return parser


def _machine() -> str:
    """The processor's name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor() or platform.machine()}, {len(names) or '?'} cores"


def _load() -> float | None:
    """How many programs wanted to run in the last minute, this one included; None where the system does not tell."""
    try:
        return os.getloadavg()[0]
    except OSError:
        return None


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main())
