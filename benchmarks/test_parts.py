"""The parts of one answer, by pytest-benchmark: `python -m pytest benchmarks --benchmark-sort=name`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from typing import Any

import pytest

from benchmarks.rummikub.generate import STRATA, positions
from benchmarks.rummikub.instances import known, mixed, parsed
from benchmarks.rummikub.sections import bare_kernel
from solver.rummikub.position import Position
from solver.rummikub.rules import Rules
from solver.rummikub.search import Solver
from solver.rummikub.verify import verify

Benchmark = Callable[..., Any]
COUNT = 200
RULES = Rules.preset("free")


@pytest.fixture(scope="module")
def solver() -> Solver:
    """Warm, as in the whole benchmark."""
    solver = Solver(RULES)
    for position in mixed(COUNT, "parts/warm"):
        solver.best_move(position)
    return solver


@pytest.mark.parametrize("stratum", STRATA)
def test_parse(benchmark: Benchmark, stratum: str) -> None:
    texts = cycle(positions(stratum, COUNT, "parts"))
    benchmark(lambda: Position.parse(next(texts)))


@pytest.mark.parametrize("stratum", STRATA)
def test_pack(benchmark: Benchmark, stratum: str) -> None:
    """From tuples of tiles to a canonical and packed position."""
    members = cycle(parsed(stratum, COUNT, "parts"))

    def build() -> Position:
        position = next(members)
        return Position(position.table, position.rack, position.opened, position.rules)

    benchmark(build)


@pytest.mark.parametrize("stratum", STRATA)
def test_problems(benchmark: Benchmark, stratum: str) -> None:
    def fresh() -> tuple[tuple[Position], dict[str, Any]]:
        return (Position.parse(next(texts)),), {}

    texts = cycle(positions(stratum, COUNT, "parts"))
    benchmark.pedantic(Position.problems, setup=fresh, rounds=COUNT)  # type: ignore[attr-defined]


@pytest.mark.parametrize("objective", ["tiles", "value"])
@pytest.mark.parametrize("stratum", STRATA)
def test_best_move(benchmark: Benchmark, solver: Solver, stratum: str, objective: str) -> None:
    members = cycle(parsed(stratum, COUNT, "parts"))
    benchmark(lambda: solver.best_move(next(members), objective))


def test_proof_of_none(benchmark: Benchmark, solver: Solver) -> None:
    members = cycle([entry.position for entry in known("no_move")])
    assert benchmark(lambda: solver.best_move(next(members))) is None


@pytest.mark.parametrize("stratum", STRATA)
def test_kernel(benchmark: Benchmark, stratum: str) -> None:
    """The whole list at once, so divide by its length."""
    packed = [position.packed for position in parsed(stratum, COUNT, "parts")]
    sweep = bare_kernel(RULES)
    assert len(benchmark(sweep.time_ns, packed, "tiles")) == COUNT


@pytest.mark.parametrize("stratum", STRATA)
def test_table_of_a_move(benchmark: Benchmark, solver: Solver, stratum: str) -> None:
    """A move builds its table when it is first asked for."""

    def fresh() -> tuple[tuple[Any], dict[str, Any]]:
        return (next(moves),), {}

    found = (solver.best_move(position) for position in cycle(parsed(stratum, COUNT, "parts")))
    moves = (move for move in found if move is not None)
    benchmark.pedantic(lambda move: move.table, setup=fresh, rounds=COUNT)  # type: ignore[attr-defined]


@pytest.mark.parametrize("stratum", STRATA)
def test_verify(benchmark: Benchmark, solver: Solver, stratum: str) -> None:
    pairs = [(position, solver.best_move(position)) for position in parsed(stratum, COUNT, "parts")]
    known_moves = cycle([(position, move) for position, move in pairs if move is not None])
    assert benchmark(lambda: verify(*next(known_moves))) == []
