"""The adviser: best moves, values before the roll, distributions, luck and loss, over the kernels.

How a value is got, best first:
- exact: few empty circles are left (EXACT_EMPTIES, EXACT_EMPTIES_FREE after the move; more with a limit of time);
- heuristic: the value net of the sheet, the mean over the next roll of the best value behind it;
- rollout: sheets without a net, Amazonia, and the objectives `reach` and `beat`: games played on with the same dice for
  every move, by the net's best next state or by the heuristic.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from math import inf, perm
from time import monotonic
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from .. import plain
from ..batches import check_workers, listed, mapped
from ..errors import IllegalPosition, SolverError, UnsupportedRules, placed, quote
from ..limits import MAX_LIMIT, Cancel, Limit, Status, Watch
from ..results import Analysis, Estimate, How, Line, analysis_readers
from ..streams import check_seed, stream_key
from . import kernel, nets
from .graphs import graph_of
from .position import Move, Position
from .rules import AMAZONIA, BAD_CIRCLE, LINKS, OPS, Rules
from .score import Layout, Score, best_layout, score
from .sheets import Sheet
from .verify import verify

MEAN: Final = "mean"
REACH: Final = "reach"
BEAT: Final = "beat"
OBJECTIVES: Final = (MEAN, REACH, BEAT)
MEMORY: Final = 256 << 20
"""Bytes that a Solver's tables take at most, by default."""
EXACT_EMPTIES: Final = 4
"""Empty circles after a move from which the values are exact, without a limit."""
EXACT_EMPTIES_FREE: Final = 2
EXACT_EMPTIES_LIMIT: Final = 7
"""The same when a limit is given; the search falls back on the net when it runs out."""
EXACT_ORDERS: Final = 150
"""The same where boxes are fewer than empty circles: most orders of the circles that are still to be written."""
EXACT_ORDERS_LIMIT: Final = 2000
WARM_SHEETS: Final = 4
SAMPLES: Final = 400
"""Rollouts for each move."""
REPORT_SAMPLES: Final = 1000
"""Fresh rollouts of the best move, for the distribution of the final score."""
FIRST_SAMPLES: Final = 20
"""Rollouts of every move, to find those that are compared."""
FIRST_MOVES: Final = 16
"""Moves between two looks at the clock while a limit or a cancel can end that."""
REPORT_SHARE: Final = 0.2
"""Of the seconds of a limit, what is kept for the distribution."""
EXACT_SHARE: Final = 0.5
"""Of the seconds of a limit, what exact endgames take at most where games must be played on if they do not end."""
LEAST_SECONDS: Final = 1e-6
"""A limit for what is still to be done when time is up."""
CHUNK: Final = 50
"""Rollouts between two looks at the clock; STEP while a limit or a cancel can end them, on sheets that are slow."""
STEP: Final = 2
ROLLED_MOVES: Final = 8
"""Best moves by mean that are compared by rollouts; only they are shown."""
MOST_TARGET: Final = 9999
_POLICY_HEURISTIC: Final = 1
_POLICY_NEXT_STATE: Final = 2
_POLICY_NEXT_ROLL: Final = 3
_MOVE_BYTES: Final = 5
_NONE: Final = 255
_ENDED: Final = (Status.COMPLETE, Status.TIME, Status.NODES, Status.CANCELLED, Status.NODES)
QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)

FACES: Final = tuple((yellow, red) for yellow in range(6) for red in range(1, 7))


def _distinct_rolls() -> tuple[tuple[tuple[int, int], int], ...]:
    counted: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for yellow, red in FACES:
        counted.setdefault((min(yellow, red), max(yellow, red)), []).append((yellow, red))
    return tuple((faces[0], len(faces)) for faces in counted.values())


ROLLS: Final = _distinct_rolls()
"""The 26 different rolls, each as its first pair of faces, with their weights of 36."""


@dataclass(frozen=True, slots=True)
class RollLine:
    """The best move for one of the 26 different rolls. weight: of 36. value: of the move, in the objective's unit."""

    roll: tuple[int, int]
    weight: int
    move: Move
    value: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"roll": list(self.roll), "weight": self.weight, "move": self.move.to_dict(), "value": self.value}

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`. Raises ParseError."""
        return cls(
            **plain.read(
                data,
                "line",
                roll=plain.each(plain.whole, 2),
                weight=plain.whole,
                move=Move.from_dict,
                value=plain.number,
            )
        )


@dataclass(frozen=True, slots=True)
class Distribution:
    """Final scores of sampled games.

    mean: of the score. quantiles: share -> score. reach: the chance of `target` or more; both None where there is
    neither a target nor a summit.
    """

    mean: Estimate
    quantiles: Mapping[float, int]
    target: int | None
    reach: Estimate | None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "mean": self.mean.to_dict(),
            "quantiles": {str(share): value for share, value in self.quantiles.items()},
            "target": self.target,
            "reach": self.reach and self.reach.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`. Raises ParseError."""
        return cls(
            **plain.read(
                data,
                "distribution",
                mean=Estimate.from_dict,
                quantiles=plain.table(float, plain.whole),
                target=plain.maybe(plain.whole),
                reach=plain.maybe(Estimate.from_dict),
            )
        )


@dataclass(frozen=True, slots=True)
class TrekAnalysis(Analysis[Move]):
    """Lines of a roll, or the table of all rolls.

    value: what the position is worth, before the roll if it has none. table: without a roll the best move for each of
    the 26 different rolls. distribution: of the final score after the best move (or from the position on).
    """

    value: Estimate = field(default_factory=lambda: Estimate(0.0, 0, 0.0, How.EXACT))
    table: tuple[RollLine, ...] = ()
    distribution: Distribution | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "value": self.value.to_dict(),
            "lines": [line.to_dict() for line in self.lines],
            "table": [line.to_dict() for line in self.table],
            "distribution": self.distribution and self.distribution.to_dict(),
            "status": str(self.status),
            "effort": self.effort,
            "seed": self.seed,
        }

    @classmethod
    def from_dict(cls, data: object, move: plain.Reader[Move] = Move.from_dict, kind: type[Line[Move]] = Line) -> Self:
        """The inverse of `to_dict`. Raises ParseError."""
        return cls(
            **plain.read(
                data,
                "analysis",
                **analysis_readers(move, kind),
                value=Estimate.from_dict,
                table=plain.each(RollLine.from_dict),
                distribution=plain.maybe(Distribution.from_dict),
            )
        )


@dataclass(frozen=True, slots=True)
class Judgement:
    """A played move beside the best.

    luck: what the roll was worth against the mean of all rolls. loss: what the move gave away, 0 for a best move.
    before: the value before the roll. best: the best move and its value. exact: all of it is proven.
    """

    luck: float
    loss: float
    before: float
    played: float
    best: Line[Move]
    exact: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "luck": self.luck,
            "loss": self.loss,
            "before": self.before,
            "played": self.played,
            "best": self.best.to_dict(),
            "exact": self.exact,
        }

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`. Raises ParseError."""
        return cls(
            **plain.read(
                data,
                "judgement",
                luck=plain.number,
                loss=plain.number,
                before=plain.number,
                played=plain.number,
                best=lambda line: Line.from_dict(line, Move.from_dict),
                exact=plain.flag,
            )
        )


@dataclass(slots=True)
class _Values:
    """Values of all moves of one roll."""

    moves: list[Move]
    values: list[float]
    how: How
    status: Status
    effort: int
    se: list[float] | None = None
    samples: int = 0


class _Tables:
    """Warm kernels of one sheet."""

    def __init__(self, sheet: Sheet, rules: Rules, memory: int, net: nets.Weights | None) -> None:
        self.graph = graph_of(sheet, rules)
        self.net = net
        links, bad = LINKS.index(rules.links), BAD_CIRCLE.index(rules.bad_circle)
        self.endgame = kernel.Endgame(self.graph, links, bad, memory)
        if net is None:
            weights = nets.heuristic(rules.variant)
            self.player = self.roller = kernel.Player(self.graph, _POLICY_HEURISTIC, weights, links, bad)
        else:
            self.player = kernel.Player(self.graph, _POLICY_NEXT_ROLL, net, links, bad, self.endgame)
            self.roller = kernel.Player(self.graph, _POLICY_NEXT_STATE, net, links, bad)


class Solver:
    """The adviser with warm tables for one rule set; calls of several threads wait for each other.

    rules: None is the default rules. memory: bytes of all tables. weights: value nets of a caller's own, by sheet id or
    text (see `train`); published sheets have theirs. Raises SolverError for positions under other rules.
    """

    def __init__(
        self, rules: Rules | None = None, memory: int = MEMORY, weights: Mapping[str, nets.Weights] | None = None
    ) -> None:
        if rules is not None and not isinstance(rules, Rules):
            raise SolverError(f"rules: must be Rules, not {quote(rules)}")
        if isinstance(memory, bool) or not isinstance(memory, int) or not 0 <= memory <= MAX_LIMIT:
            raise SolverError(f"memory: must be 0 to {MAX_LIMIT} bytes, not {quote(memory)}")
        self.rules = Rules() if rules is None else rules
        self.memory = memory
        if weights is not None and not isinstance(weights, Mapping):
            raise SolverError(f"weights: must be nets by sheet, not {quote(weights)}")
        self._weights = dict(weights or {})
        self._tables: dict[Sheet, _Tables] = {}
        self._lock = threading.RLock()
        self._asking = False  # a caller's cancel is being asked

    def __reduce__(self) -> tuple[type[Solver], tuple[Rules, int, Mapping[str, nets.Weights]]]:
        return type(self), (self.rules, self.memory, self._weights)

    def _warm(self, sheet: Sheet) -> _Tables:
        if self._asking:
            raise SolverError("cancel: must not search with the Solver that asks it")
        tables = self._tables.pop(sheet, None)
        if tables is None:
            tables = _Tables(sheet, self.rules, self.memory // WARM_SHEETS, self._net(sheet))
        self._tables[sheet] = tables
        if len(self._tables) > WARM_SHEETS:
            del self._tables[next(iter(self._tables))]
        return tables

    def _net(self, sheet: Sheet) -> nets.Weights | None:
        own = self._weights.get(str(sheet))
        if self.rules.variant == AMAZONIA:
            if own is not None:
                raise UnsupportedRules(f"weights: nets do not know the rules of {AMAZONIA}")
            return None
        return nets.net_for(sheet) if own is None else nets.checked_net(own, sheet)

    def _checked(self, position: Position, roll: bool | None = None) -> Position:
        if not isinstance(position, Position):
            raise SolverError(f"position: must be a Position, not {quote(position)}")
        if position.rules != self.rules:
            raise SolverError(f"rules: the solver is for {self.rules}, not {position.rules}")
        position.check()
        if roll is True and position.roll is None:
            raise IllegalPosition(["roll: the position has none"])
        if roll is False and position.roll is not None:
            raise IllegalPosition(["roll: the position has one already"])
        return position

    def legal_moves(self, position: Position) -> Iterator[Move]:
        """All legal moves of the position's roll, by operation, circle and links."""
        self._checked(position, roll=True)
        packed = self._packed_moves(position)
        return (move for move, _ in _unpacked(position, packed))

    def count_moves(self, position: Position) -> int:
        """How many legal moves the roll has."""
        self._checked(position, roll=True)
        graph = graph_of(position.sheet, self.rules)
        return kernel.count_moves(graph, *position.packed, _face(position), *self._rule_numbers())

    def best_move(
        self,
        position: Position,
        objective: str = MEAN,
        *,
        limit: Limit | None = None,
        seed: int = 0,
        target: int | None = None,
    ) -> Move | None:
        """The best move; None when the sheet has ended. See `best_moves`."""
        lines = self.best_moves(position, 1, objective, limit=limit, seed=seed, target=target)
        return lines[0].move if lines else None

    def best_moves(
        self,
        position: Position,
        n: int = 5,
        objective: str = MEAN,
        *,
        limit: Limit | None = None,
        seed: int = 0,
        target: int | None = None,
    ) -> list[Line[Move]]:
        """The `n` best moves of the roll, best first.

        objective: `mean` (expected final score), `reach` (chance of `target` or more, by default the sheet's summit) or
        `beat` (chance of more than `target`, an opponent's score). Raises IllegalPosition, SolverError.
        """
        with self._lock:
            found = self._values(position, objective, target, limit, seed, None)
        return _lines(found, _count("n", n))

    def analyse(
        self,
        position: Position,
        limit: Limit | None = None,
        lines: int = 3,
        objective: str = MEAN,
        *,
        seed: int = 0,
        target: int | None = None,
        samples: int = REPORT_SAMPLES,
        cancel: Cancel | None = None,
    ) -> TrekAnalysis:
        """Lines of a roll, or value and table before it, with the distribution of the final score.

        samples: games for the distribution, 0 for none; their dice are not those of the search. limit: seconds for the
        whole, of which a fifth is kept for the distribution, which has fewer games when they run out; nodes for the
        exact endgame. With a limit the exact endgame is tried with more empty circles. cancel: a function without
        arguments that says True when the search shall end. It is asked again and again in the thread of the search;
        what it raises comes through; it must not search with this Solver. When a limit or a cancel comes first the
        values are the net's, and `status` says so.
        """
        started = monotonic()
        samples = _count("samples", samples, least=0)
        count = _count("lines", lines)
        watch = Watch.of(cancel)
        asked = None if watch is None else partial(self._asks, watch)
        self._checked(position)
        with self._lock:
            if position.roll is None:
                return self._before(position, limit, objective, target, seed, samples, asked)
            found = self._values(position, objective, target, _share(limit, samples), seed, asked)
            shown = _lines(found, count)
            status = found.status
            spread = None
            if not shown:
                value = self._ended_value(position, objective, target)
            else:
                index = found.moves.index(shown[0].move)
                value = Estimate(shown[0].value, found.samples, _error(found, index), found.how)
                stop = _Stop(started, limit, 1, asked)
                spread = self._distribution(position, found.moves[index], objective, target, seed, samples, stop)
                if status is Status.COMPLETE or stop.status is Status.CANCELLED:
                    status = stop.status
        return TrekAnalysis(shown, status, found.effort, seed, value, (), spread)

    def _asks(self, watch: Watch) -> bool:
        """Ask a cancel, which must not use the tables that are at work now."""
        self._asking = True
        try:
            return watch.asked()
        finally:
            self._asking = False

    def value(
        self,
        position: Position,
        objective: str = MEAN,
        *,
        limit: Limit | None = None,
        seed: int = 0,
        target: int | None = None,
    ) -> Estimate:
        """What the position is worth: with a roll that of its best move, else the mean over all rolls."""
        return self.analyse(position, limit, 1, objective, seed=seed, target=target, samples=0).value

    def judge(self, position: Position, move: Move, *, limit: Limit | None = None, seed: int = 0) -> Judgement:
        """A roll's luck and a move's loss in expected points. Raises IllegalPosition when the move is not legal.

        limit: seconds for the whole.
        """
        self._checked(position, roll=True)
        problems = verify(position, move)
        if problems:
            raise IllegalPosition(problems)
        # a move may name links that are drawn anyway; its plain form is the one that leads to the same sheet
        after = position.play(move)
        move = next(
            other
            for other in self.legal_moves(position)
            if other.circle == move.circle and other.op == move.op and position.play(other) == after
        )
        found, before = self._compared(position, limit, seed, move)
        best = _lines(found, 1)[0]
        played = found.values[found.moves.index(move)]
        exact = best.exact and before.how is How.EXACT
        return Judgement(best.value - before.mean, best.value - played, before.mean, played, best, exact)

    def luck(self, position: Position, *, limit: Limit | None = None, seed: int = 0) -> float:
        """What the roll is worth against the mean of all rolls, in expected points."""
        if self._checked(position, roll=True).over:
            return 0.0
        found, before = self._compared(position, limit, seed, None)
        return _lines(found, 1)[0].value - before.mean

    def _compared(
        self, position: Position, limit: Limit | None, seed: int, keep: Move | None
    ) -> tuple[_Values, Estimate]:
        """The values of the roll's moves, and the value before the roll."""
        started = monotonic()
        with self._lock:
            # 26 rolls first: an exact endgame leaves the values of the moves in its table
            first = _part(limit, 1 - REPORT_SHARE)
            before = self._before(position.with_roll(None), first, MEAN, None, seed, 0, None)
            return self._values(position, MEAN, None, _left(limit, started), seed, None, keep), before.value

    def loss(self, position: Position, move: Move, *, limit: Limit | None = None, seed: int = 0) -> float:
        """What the move gives away against the best, in expected points."""
        return self.judge(position, move, limit=limit, seed=seed).loss

    def score(self, position: Position) -> Score:
        """The score with every part named."""
        return score(self._checked(position))

    def best_layout(self, position: Position) -> Layout:
        """The best chains under free links."""
        return best_layout(self._checked(position))

    def verify(self, position: Position, move: Move) -> list[str]:
        """What is wrong with a move; empty when it is legal."""
        return verify(position, move)

    def solve_batch(
        self,
        positions: Iterable[Position],
        executor: Executor | None = None,
        objective: str = MEAN,
        *,
        limit: Limit | None = None,
        seed: int = 0,
        target: int | None = None,
        workers: int | None = None,
    ) -> list[Move | None]:
        """`best_move` of every position, in order.

        executor: any concurrent.futures.Executor; by default `workers` threads (None: as many as Python thinks right),
        one warm Solver a slice of positions. limit: of each position. All positions are checked before any work. An
        error of one says which, as `positions[3]`.
        """
        todo = listed(positions)
        for index, position in enumerate(todo):
            with placed(f"positions[{index}]"):
                self._checked(position, roll=True)
        return _solve_batch(todo, executor, workers, (self.memory, self._weights, objective, limit, seed, target))

    def _rule_numbers(self) -> tuple[int, int]:
        return LINKS.index(self.rules.links), BAD_CIRCLE.index(self.rules.bad_circle)

    def _packed_moves(self, position: Position) -> bytes:
        graph = graph_of(position.sheet, self.rules)
        return kernel.moves(graph, *position.packed, _face(position), *self._rule_numbers())

    def _values(
        self,
        position: Position,
        objective: str,
        target: int | None,
        limit: Limit | None,
        seed: int,
        cancel: Cancel | None,
        keep: Move | None = None,
        exact: bool = True,
    ) -> _Values:
        """Values of all legal moves; for rollouts of the best few, and of the move to keep.

        exact: whether the exact endgame may be tried.
        """
        self._checked(position, roll=True)
        _check_limit(limit)
        goal = _goal(objective, target, position.sheet)
        check_seed(seed)
        started = monotonic()
        packed = self._packed_moves(position)
        pairs = _unpacked(position, packed)
        moves = [move for move, _ in pairs]
        if not moves:
            return _Values([], [], How.EXACT, Status.COMPLETE, 0)
        tables = self._warm(position.sheet)
        status, effort = Status.COMPLETE, 0
        if exact and self._ends(position, limit):
            # the net answers in no time, games that are played on need some of it
            spend = limit if tables.net is not None and goal is None else _part(limit, EXACT_SHARE)
            values, ended = tables.endgame.moves(*position.packed, packed, goal, *_limits(spend), cancel)
            effort = tables.endgame.nodes
            if ended == 0:
                return _Values(moves, values, How.EXACT, status, effort)
            status = _ENDED[ended]
        if tables.net is not None:
            values = tables.player.judge(*position.packed, packed)
            if goal is None:
                return _Values(moves, values, How.HEURISTIC, status, effort + len(moves))
            order = np.argsort(-np.array(values), kind="stable")[:ROLLED_MOVES].tolist()
            moves = [moves[i] for i in order]
            packed = b"".join(packed[_MOVE_BYTES * i : _MOVE_BYTES * (i + 1)] for i in order)
        return self._rolled(position, moves, packed, goal, seed, started, limit, cancel, status, effort, keep)

    def _rolled(
        self,
        position: Position,
        moves: list[Move],
        packed: bytes,
        goal: int | None,
        seed: int,
        started: float,
        limit: Limit | None,
        cancel: Cancel | None,
        status: Status,
        effort: int,
        keep: Move | None,
    ) -> _Values:
        """Mean scores (or chances of `goal`) of games played on after each move, with the same dice for all."""
        key = stream_key(seed, "trek12", purpose="search")
        roller = self._warm(position.sheet).roller
        stop = _Stop(started, limit, 1, cancel)
        parts = [packed[i : i + _MOVE_BYTES] for i in range(0, len(packed), _MOVE_BYTES)]

        def played(rows: Sequence[int], key: int, first: int, samples: int) -> NDArray[np.int32]:
            """Scores of these moves, a column a sample. The dice depend on the column."""
            nonlocal effort
            out = np.zeros((len(rows), samples), np.int32)
            roller.rollouts(*position.packed, b"".join(parts[row] for row in rows), key, first, out)
            effort += out.size
            return out

        chosen: Sequence[int] = range(len(moves))
        if len(moves) > ROLLED_MOVES:
            # a first look at all of them, with dice of its own; first the roller's choice, for the case that time is up
            first_key = stream_key(seed, "trek12", purpose="first look")
            own = bytes(roller.move(*position.packed, _face(position)))
            order = sorted(chosen, key=lambda row: (moves[row] != keep, parts[row] != own))
            totals = dict.fromkeys(order, 0)
            looked: list[int] = []
            chunk, width = (STEP, FIRST_MOVES) if stop.limited else (FIRST_SAMPLES, len(moves))
            for at in range(0, len(order), width):
                rows = order[at : at + width]
                totals.update(zip(rows, played(rows, first_key, 0, chunk).sum(axis=1).tolist(), strict=True))
                looked += rows
                if stop():
                    break
            for first in range(chunk, FIRST_SAMPLES, chunk):
                if stop():
                    break
                for row, total in zip(order, played(order, first_key, first, chunk).sum(axis=1).tolist(), strict=True):
                    totals[row] += total
            best = sorted(looked, key=lambda row: (-totals[row], row))[:ROLLED_MOVES]
            chosen = sorted({*best, *(row for row in looked if moves[row] == keep)})
        chunk = STEP if stop.limited else CHUNK
        columns: list[NDArray[np.int32]] = []
        for first in range(0, SAMPLES, chunk):
            if columns and stop():
                break
            columns.append(played(chosen, key, first, min(chunk, SAMPLES - first)))
        moves = [moves[row] for row in chosen]
        status = status if stop.status is Status.COMPLETE else stop.status
        scores = np.concatenate(columns, axis=1).astype(float)
        judged = scores if goal is None else (scores >= goal).astype(float)
        values = judged.mean(axis=1)
        se = judged.std(axis=1) / np.sqrt(judged.shape[1])
        if goal is not None:
            # equal chances are common far from the target: the mean decides between them
            order = np.lexsort((-scores.mean(axis=1), -values)).tolist()
            moves, values, se = [moves[i] for i in order], values[order], se[order]
        return _Values(moves, values.tolist(), How.ROLLOUT, status, effort, se.tolist(), scores.shape[1])

    def _ends(self, position: Position, limit: Limit | None) -> bool:
        """Whether exact values after a move of the position are within reach."""
        if limit is not None and (limit.seconds is not None or limit.nodes is not None):
            empties, orders = EXACT_EMPTIES_LIMIT, EXACT_ORDERS_LIMIT
        else:
            empties = EXACT_EMPTIES_FREE if self.rules.links == "free" else EXACT_EMPTIES
            orders = EXACT_ORDERS
        after = position.empties - 1
        if after <= empties or self.rules.links == "free":
            return after <= empties
        return position.turns < position.empties and perm(after, position.turns - 1) <= orders

    def _before(
        self,
        position: Position,
        limit: Limit | None,
        objective: str,
        target: int | None,
        seed: int,
        samples: int,
        cancel: Cancel | None,
    ) -> TrekAnalysis:
        self._checked(position, roll=False)
        _check_limit(limit)
        goal = _goal(objective, target, position.sheet)
        check_seed(seed)
        if position.over:
            value = self._ended_value(position, objective, target)
            return TrekAnalysis([], Status.COMPLETE, 0, seed, value)
        tables = self._warm(position.sheet)
        started = monotonic()
        stop, late = _Stop(started, limit, REPORT_SHARE, cancel), _Stop(started, limit, 1, None)
        spread = self._distribution(position, None, objective, target, seed, samples, stop)
        table = []
        effort, status = 0, stop.status
        exact = self._ends(position, limit)
        mean = 0.0
        if exact:
            # it fills the table of the endgame, from which the moves of each roll have their values
            spend = _part(_left(limit, started), EXACT_SHARE)
            mean, ended = tables.endgame.value(*position.packed, goal, *_limits(spend), cancel)
            effort, exact = tables.endgame.nodes, ended == 0
            status = status if exact else _ENDED[ended]
        hows = set()
        samples_of = []
        total = error = 0.0
        for index, (roll, weight) in enumerate(ROLLS):
            if tables.net is None and late():
                return self._unfinished(position, objective, target, seed, effort, spread)
            remaining = _left(limit, started) if exact else _part(_left(limit, started), 1 / (len(ROLLS) - index))
            found = self._values(position.with_roll(roll), objective, target, remaining, seed, cancel, exact=exact)
            line = _lines(found, 1)[0]
            table.append(RollLine(roll, weight, line.move, line.value))
            effort += found.effort
            hows.add(found.how)
            status = found.status if found.status is not Status.COMPLETE else status
            total += weight * line.value / len(FACES)
            if found.se:
                samples_of.append(found.samples)
                # the rolls share their dice, so the errors are added as if they were one
                error += weight / len(FACES) * found.se[found.moves.index(line.move)]
        if exact:
            value = Estimate(mean, 0, 0.0, How.EXACT)
        else:
            how = How.ROLLOUT if How.ROLLOUT in hows else How.HEURISTIC
            value = Estimate(total, min(samples_of, default=0), error if how is How.ROLLOUT else inf, how)
        return TrekAnalysis([], status, effort, seed, value, tuple(table), spread)

    def _unfinished(
        self,
        position: Position,
        objective: str,
        target: int | None,
        seed: int,
        effort: int,
        spread: Distribution | None,
    ) -> TrekAnalysis:
        """What can be said in no time without a net: the value of games played on, and no table."""
        games = spread or self._distribution(position, None, objective, target, seed, STEP, _Stop(0.0, None, 1, None))
        assert games is not None
        value = games.mean if objective == MEAN else games.reach
        assert value is not None
        return TrekAnalysis([], Status.TIME, effort + games.mean.n, seed, value, (), spread)

    def _ended_value(self, position: Position, objective: str, target: int | None) -> Estimate:
        goal = _goal(objective, target, position.sheet)
        final = score(position).total
        return Estimate(float(final if goal is None else final >= goal), 0, 0.0, How.EXACT)

    def _distribution(
        self,
        position: Position,
        move: Move | None,
        objective: str,
        target: int | None,
        seed: int,
        samples: int,
        stop: _Stop,
    ) -> Distribution | None:
        """Scores of games played on after the move, fewer than `samples` when the stop says so."""
        if not samples:
            return None
        goal = _goal(objective, target, position.sheet)
        if goal is None:
            goal = position.sheet.summit
        if move is None:
            packed = b""
        else:
            every = self._packed_moves(position)
            packed = next(part for other, part in _unpacked(position, every) if other == move)
        out: NDArray[np.int32] = np.zeros((1, samples), np.int32)
        key = stream_key(seed, "trek12", purpose="report")
        chunk = STEP if stop.limited else CHUNK
        played = 0
        while played < samples and not (played and stop()):
            part = out[:, played : played + chunk]
            self._warm(position.sheet).roller.rollouts(*position.packed, packed, key, played, part)
            played += part.shape[1]
        scores = out[0, :played]
        root = float(np.sqrt(played))
        chance = None
        if goal is not None:
            reached = float((scores >= goal).mean())
            chance = Estimate(reached, played, float(np.sqrt(reached * (1 - reached))) / root, How.ROLLOUT)
        return Distribution(
            Estimate(float(scores.mean()), played, float(scores.std()) / root, How.ROLLOUT),
            {share: int(np.quantile(scores, share, method="inverted_cdf")) for share in QUANTILES},
            goal,
            chance,
        )


class _Stop:
    """Whether games that are played on must end: their share of the limit's seconds is over, or they are cancelled."""

    def __init__(self, started: float, limit: Limit | None, share: float, cancel: Cancel | None) -> None:
        self.status = Status.COMPLETE
        self._cancel = cancel
        seconds = None if limit is None else limit.seconds
        self._end = None if seconds is None else started + share * seconds

    @property
    def limited(self) -> bool:
        """Whether anything can end the games early."""
        return self._end is not None or self._cancel is not None

    def __call__(self) -> bool:
        if self._cancel is not None and self._cancel():
            self.status = Status.CANCELLED
        elif self._end is not None and monotonic() > self._end:
            self.status = Status.TIME
        return self.status is not Status.COMPLETE


def _share(limit: Limit | None, samples: int) -> Limit | None:
    """What the search may spend of a limit when games for a distribution follow."""
    return _part(limit, 1 - REPORT_SHARE) if samples else limit


def _part(limit: Limit | None, share: float) -> Limit | None:
    """A share of a limit's seconds."""
    if not isinstance(limit, Limit) or limit.seconds is None:
        return limit
    return Limit(max(LEAST_SECONDS, share * limit.seconds), limit.nodes)


def _left(limit: Limit | None, started: float) -> Limit | None:
    """What is left of a limit's seconds."""
    if not isinstance(limit, Limit) or limit.seconds is None:
        return limit
    return Limit(max(LEAST_SECONDS, limit.seconds - (monotonic() - started)), limit.nodes)


def _error(found: _Values, index: int) -> float:
    """The standard error of a value: not known where the net tells it."""
    if found.se is not None:
        return found.se[index]
    return 0.0 if found.how is How.EXACT else inf


def _face(position: Position) -> int:
    assert position.roll is not None
    yellow, red = position.roll
    return yellow * 6 + red - 1


def _unpacked(position: Position, packed: bytes) -> list[tuple[Move, bytes]]:
    """(Move, its bytes): the links that a move names are those where there is a choice."""
    parts = [packed[i : i + _MOVE_BYTES] for i in range(0, len(packed), _MOVE_BYTES)]
    downs: dict[bytes, set[int]] = {}
    ups: dict[bytes, set[int]] = {}
    for part in parts:
        downs.setdefault(part[:2], set()).add(part[3])
        ups.setdefault(part[:2], set()).add(part[4])
    found = []
    for part in parts:
        chosen = [
            circle
            for circle, ways in ((part[3], downs[part[:2]]), (part[4], ups[part[:2]]))
            if circle != _NONE and len(ways) > 1
        ]
        found.append((Move(OPS[part[0]], part[1], tuple(chosen)), part))
    return found


def _check_objective(objective: object) -> None:
    if not isinstance(objective, str) or objective not in OBJECTIVES:
        raise SolverError(f"objective: must be one of {', '.join(OBJECTIVES)}, not {quote(objective)}")


def _goal(objective: str, target: int | None, sheet: Sheet) -> int | None:
    """The score to reach, None for the mean."""
    _check_objective(objective)
    if objective == MEAN:
        if target is not None:
            raise SolverError(f"target: is for reach and beat, not for mean: {quote(target)}")
        return None
    if target is None and objective == REACH:
        target = sheet.summit
    if isinstance(target, bool) or not isinstance(target, int) or abs(target) > MOST_TARGET:
        raise SolverError(f"target: must be a score for {objective}, not {quote(target)}")
    return target if objective == REACH else target + 1


def _check_limit(limit: object) -> None:
    if limit is not None and not isinstance(limit, Limit):
        raise SolverError(f"limit: must be a Limit, not {quote(limit)}")


def _limits(limit: Limit | None) -> tuple[float, int]:
    return (0.0, 0) if limit is None else (limit.seconds or 0.0, limit.nodes or 0)


def _count(name: str, value: int, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= 10**6:
        raise SolverError(f"{name}: must be {least} to {10**6}, not {quote(value)}")
    return value


def _lines(found: _Values, n: int) -> list[Line[Move]]:
    order = sorted(range(len(found.moves)), key=lambda i: -found.values[i])
    exact = found.how is How.EXACT
    values = found.values
    only = len(values) == 1
    return [
        Line(found.moves[i], values[i], exact, sum(value == values[i] for value in values) > 1, only=only)
        for i in order[:n]
    ]


def legal_moves(position: Position) -> Iterator[Move]:
    """All legal moves of the position's roll. Raises IllegalPosition."""
    return _fresh(position).legal_moves(position)


def count_moves(position: Position) -> int:
    """How many legal moves the roll has, without building them. Raises IllegalPosition."""
    return _fresh(position).count_moves(position)


def best_move(
    position: Position,
    objective: str = MEAN,
    *,
    limit: Limit | None = None,
    seed: int = 0,
    target: int | None = None,
) -> Move | None:
    """The best move of the position's roll; None when the sheet has ended. See `Solver.best_moves`."""
    return _fresh(position).best_move(position, objective, limit=limit, seed=seed, target=target)


def best_moves(
    position: Position,
    n: int = 5,
    objective: str = MEAN,
    *,
    limit: Limit | None = None,
    seed: int = 0,
    target: int | None = None,
) -> list[Line[Move]]:
    """The `n` best moves, best first. See `Solver.best_moves`."""
    return _fresh(position).best_moves(position, n, objective, limit=limit, seed=seed, target=target)


def analyse(
    position: Position,
    limit: Limit | None = None,
    lines: int = 3,
    objective: str = MEAN,
    *,
    seed: int = 0,
    target: int | None = None,
    samples: int = REPORT_SAMPLES,
    cancel: Cancel | None = None,
) -> TrekAnalysis:
    """Lines of a roll, or value and table before it. See `Solver.analyse`."""
    return _fresh(position).analyse(
        position, limit, lines, objective, seed=seed, target=target, samples=samples, cancel=cancel
    )


def value(
    position: Position,
    objective: str = MEAN,
    *,
    limit: Limit | None = None,
    seed: int = 0,
    target: int | None = None,
) -> Estimate:
    """What the position is worth: with a roll that of its best move, else the mean over all rolls."""
    return _fresh(position).value(position, objective, limit=limit, seed=seed, target=target)


def judge(position: Position, move: Move, *, limit: Limit | None = None, seed: int = 0) -> Judgement:
    """A roll's luck and a move's loss in expected points. See `Solver.judge`."""
    return _fresh(position).judge(position, move, limit=limit, seed=seed)


def luck(position: Position, *, limit: Limit | None = None, seed: int = 0) -> float:
    """What the roll is worth against the mean of all rolls, in expected points."""
    return _fresh(position).luck(position, limit=limit, seed=seed)


def loss(position: Position, move: Move, *, limit: Limit | None = None, seed: int = 0) -> float:
    """What the move gives away against the best, in expected points."""
    return _fresh(position).loss(position, move, limit=limit, seed=seed)


def _fresh(position: Position) -> Solver:
    if not isinstance(position, Position):
        raise SolverError(f"position: must be a Position, not {quote(position)}")
    return Solver(position.rules)


def solve_batch(
    positions: Iterable[Position],
    executor: Executor | None = None,
    objective: str = MEAN,
    *,
    limit: Limit | None = None,
    seed: int = 0,
    target: int | None = None,
    workers: int | None = None,
) -> list[Move | None]:
    """`best_move` of every position, in order, of rules that may differ; see `Solver.solve_batch`."""
    return _solve_batch(listed(positions), executor, workers, (MEMORY, {}, objective, limit, seed, target))


BATCH_SLICE: Final = 16
_Asked = tuple[int, Mapping[str, nets.Weights], str, Limit | None, int, int | None]
"""Memory and weights of the solvers, and what `best_move` is asked."""


def _solve_batch(
    positions: list[Position], executor: Executor | None, workers: int | None, asked: _Asked
) -> list[Move | None]:
    check_workers(executor, workers)
    _check_objective(asked[2])
    for index, position in enumerate(positions):
        with placed(f"positions[{index}]"):
            _fresh(position)._checked(position, roll=True)
            _goal(asked[2], asked[5], position.sheet)
    _check_limit(asked[3])
    check_seed(asked[4])
    slices = [positions[i : i + BATCH_SLICE] for i in range(0, len(positions), BATCH_SLICE)]
    stop = threading.Event()  # after Ctrl-C the threads shall end, too
    task = partial(_solve_slice, asked) if executor is not None else partial(_solve_slice, asked, cancel=stop.is_set)
    return [move for part in mapped(task, slices, executor, workers, stop.set) for move in part]


def _solve_slice(asked: _Asked, positions: Sequence[Position], cancel: Cancel | None = None) -> list[Move | None]:
    memory, weights, objective, limit, seed, target = asked
    solvers: dict[Rules, Solver] = {}
    moves: list[Move | None] = []
    for position in positions:
        if position.rules not in solvers:
            solvers[position.rules] = Solver(position.rules, memory, weights)
        lines = _lines(solvers[position.rules]._values(position, objective, target, limit, seed, cancel), 1)
        moves.append(lines[0].move if lines else None)
        if cancel is not None and cancel():
            break
    return moves
