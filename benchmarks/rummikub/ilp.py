"""The best Rummikub move as a plain integer programme: an oracle and a baseline.

The textbook model (den Hertog and Hulshof, Solving Rummikub Problems by Integer Linear Programming, The Computer
Journal 49(6), 2006): one integer variable for each kind of set, and for each tile one row that says that the sets use
all copies on the table and at most those of the rack besides. Kinds are the groups and the runs of three to five tiles
(longer runs are two of these), and each of them with jokers in the place of any of its tiles.

It knows the rules `free` only: the player has opened and jokers move freely. It shares nothing with the search.

Three back ends: `glpk` (through cvxopt), `highs` and `cpsat` (OR-tools). None is trusted alone, since one of them has
been seen to return a wrong optimum without a word (HiGHS 1.13.1 with presolve; presolve is off here for that reason):
`Oracle` asks two and raises `Disagreement` unless they agree.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Protocol

import numpy as np
import numpy.typing as npt

COLORS = "RBKO"
SHORTEST, LONGEST = 3, 5  # lengths of the runs that are modelled
Ints = npt.NDArray[np.int64]


class Disagreement(AssertionError):
    """Two back ends give different optima for one position."""


class BackendError(RuntimeError):
    """A back end ended without a proven optimum."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a best move lays: how many tiles, and the sum of their numbers (jokers 0). Nothing laid is 0, 0."""

    tiles: int
    value: int


class PositionLike(Protocol):
    """What is read of a position."""

    @property
    def table(self) -> Sequence[Sequence[str]]: ...
    @property
    def rack(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Bag:
    """A position as counts: tile `color * numbers + number - 1`, the joker last. Shape (colors * numbers + 1,)."""

    colors: int
    numbers: int
    jokers: int
    table: Ints
    rack: Ints

    @classmethod
    def of(cls, position: PositionLike, colors: int = 4, numbers: int = 13, jokers: int = 2) -> Bag:
        """The counts of a position under a deck with so many colours, numbers and jokers."""
        table = count_tiles([tile for tiles in position.table for tile in tiles], colors, numbers)
        return cls(colors, numbers, jokers, table, count_tiles(position.rack, colors, numbers))


def count_tiles(tiles: Sequence[str], colors: int, numbers: int) -> Ints:
    """Counts of each tile, the joker last. Raises ValueError for a tile that the deck does not hold."""
    counts = np.zeros(colors * numbers + 1, dtype=np.int64)
    for tile in tiles:
        if tile == "J":
            counts[-1] += 1
            continue
        color, number = COLORS.index(tile[0]), int(tile[1:])
        if color >= colors or not 1 <= number <= numbers:
            raise ValueError(f"tile: {tile!r} is not in a deck of {colors} colours and {numbers} numbers")
        counts[color * numbers + number - 1] += 1
    return counts


@lru_cache(maxsize=64)
def set_kinds(colors: int, numbers: int, jokers: int) -> Ints:
    """Every kind of set as a column of tile counts. Shape (colors * numbers + 1, kinds)."""
    plain = [
        [color * numbers + number for number in range(first, first + length)]
        for color in range(colors)
        for length in range(SHORTEST, min(LONGEST, numbers) + 1)
        for first in range(numbers - length + 1)
    ]
    plain += [
        [color * numbers + number for color in members]
        for number in range(numbers)
        for size in range(SHORTEST, colors + 1)
        for members in combinations(range(colors), size)
    ]
    kinds = {
        (kept, len(tiles) - len(kept))
        for tiles in plain
        for real in range(max(0, len(tiles) - jokers), len(tiles) + 1)
        for kept in combinations(tiles, real)
    }
    matrix = np.zeros((colors * numbers + 1, len(kinds)), dtype=np.int64)
    for column, (kept, held) in enumerate(sorted(kinds)):
        matrix[list(kept), column] = 1
        matrix[-1, column] = held
    matrix.setflags(write=False)
    return matrix


def tile_weights(bag: Bag, objective: str) -> Ints:
    """What laying each tile is worth: the objective first, the other of tiles and value second, in one number."""
    numbers = np.append(np.tile(np.arange(1, bag.numbers + 1), bag.colors), 0)
    if objective == "tiles":
        return numbers + int(numbers @ bag.rack) + 1
    if objective == "value":
        return numbers * (int(bag.rack.sum()) + 1) + 1
    raise ValueError(f"objective: must be 'tiles' or 'value', not {objective!r}")


def solve(bag: Bag, objective: str, backend: str) -> Answer:
    """The optimum of one position by one back end (`glpk`, `highs` or `cpsat`).

    Raises BackendError if the back end does not prove an optimum, ValueError if the table cannot stand.
    """
    kinds = set_kinds(bag.colors, bag.numbers, bag.jokers)
    least, most = bag.table, bag.table + bag.rack
    usable = kinds[:, (kinds <= most[:, None]).all(axis=0)]
    weights = tile_weights(bag, objective)
    if not usable.size:
        if least.any():
            raise ValueError("table: no set can be made of it")
        return Answer(0, 0)
    counts = BACKENDS[backend](usable, least, most, weights @ usable)
    laid = usable @ counts - least
    if (laid < 0).any() or (laid > bag.rack).any():
        raise BackendError(f"{backend}: the solution breaks its constraints")
    numbers = np.append(np.tile(np.arange(1, bag.numbers + 1), bag.colors), 0)
    return Answer(int(laid.sum()), int(laid @ numbers))


def whole(values: npt.NDArray[np.float64]) -> Ints:
    """The nearest integers."""
    return np.rint(values).astype(np.int64)


def _glpk(kinds: Ints, least: Ints, most: Ints, gain: Ints) -> Ints:
    """Counts of each kind that gain most, by GLPK's branch and cut."""
    cvxopt = importlib.import_module("cvxopt")
    glpk = importlib.import_module("cvxopt.glpk")
    rows, columns = kinds.nonzero()
    tiles, number = kinds.shape
    entries = kinds[rows, columns].astype(float)
    # most >= kinds @ x, -least >= -kinds @ x, 0 >= -x
    spread = np.arange(number)
    left = cvxopt.spmatrix(
        np.concatenate((entries, -entries, np.full(number, -1.0))).tolist(),
        np.concatenate((rows, rows + tiles, spread + 2 * tiles)).tolist(),
        np.concatenate((columns, columns, spread)).tolist(),
        (2 * tiles + number, number),
    )
    right = cvxopt.matrix(np.concatenate((most, -least, np.zeros(number))).astype(float).tolist())
    goal = cvxopt.matrix((-gain).astype(float).tolist())
    status, found = glpk.ilp(
        goal, left, right, I=set(range(number)), options={"msg_lev": "GLP_MSG_OFF", "meth": "GLP_PRIMAL"}
    )
    if status != "optimal":
        raise BackendError(f"glpk: {status}")
    return whole(np.array(found).ravel())


def _highs(kinds: Ints, least: Ints, most: Ints, gain: Ints) -> Ints:
    """Counts of each kind that gain most, by HiGHS without presolve and with no gap allowed."""
    highspy = importlib.import_module("highspy")
    tiles, number = kinds.shape
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = number, tiles
    model.col_cost_ = gain.astype(float)
    model.col_lower_, model.col_upper_ = np.zeros(number), np.full(number, highspy.kHighsInf)
    model.row_lower_, model.row_upper_ = least.astype(float), most.astype(float)
    model.sense_ = highspy.ObjSense.kMaximize
    by_column = kinds.T
    columns, rows = by_column.nonzero()
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = np.concatenate(([0], np.cumsum((by_column != 0).sum(axis=1)))).astype(np.int32)
    model.a_matrix_.index_ = rows.astype(np.int32)
    model.a_matrix_.value_ = by_column[columns, rows].astype(float)
    model.integrality_ = [highspy.HighsVarType.kInteger] * number
    highs = highspy.Highs()
    for option, setting in (
        ("output_flag", False),
        ("threads", 1),
        ("presolve", "off"),
        ("mip_rel_gap", 0.0),
        ("mip_abs_gap", 0.0),
    ):
        highs.setOptionValue(option, setting)
    highs.passModel(model)
    highs.run()
    status = highs.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        raise BackendError(f"highs: {highs.modelStatusToString(status)}")
    return whole(np.array(highs.getSolution().col_value))


def _cpsat(kinds: Ints, least: Ints, most: Ints, gain: Ints) -> Ints:
    """Counts of each kind that gain most, by CP-SAT on one thread."""
    cp_model = importlib.import_module("ortools.sat.python.cp_model")
    model = cp_model.CpModel()
    # No more sets of a kind than its scarcest tile allows.
    bounds = [int((most[kind > 0] // kind[kind > 0]).min()) for kind in kinds.T]
    counts = [model.new_int_var(0, bound, "") for bound in bounds]
    for tile in range(kinds.shape[0]):
        using = kinds[tile].nonzero()[0]
        used = cp_model.LinearExpr.weighted_sum([counts[k] for k in using], [int(kinds[tile, k]) for k in using])
        model.add_linear_constraint(used, int(least[tile]), int(most[tile]))
    model.maximize(cp_model.LinearExpr.weighted_sum(counts, [int(one) for one in gain]))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    if status != cp_model.OPTIMAL:
        raise BackendError(f"cpsat: {solver.status_name(status)}")
    return np.array([solver.value(count) for count in counts], dtype=np.int64)


BACKENDS = {"glpk": _glpk, "highs": _highs, "cpsat": _cpsat}


class Oracle:
    """Optima on which two back ends agree."""

    def __init__(self, backends: tuple[str, str] = ("glpk", "highs")) -> None:
        self.backends = backends

    def solve(self, bag: Bag, objective: str) -> Answer:
        """The optimum. Raises Disagreement if the two back ends differ."""
        first, second = (solve(bag, objective, backend) for backend in self.backends)
        if first != second:
            raise Disagreement(f"{objective}: {self.backends[0]} says {first}, {self.backends[1]} says {second}")
        return first
