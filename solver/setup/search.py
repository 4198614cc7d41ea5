"""Best moves, all moves and analysis of Setup positions: a thin layer over the kernels.

Objectives: `points`; `margin`, points minus the bonus given away divided by the number of opponents; `lookahead`,
points minus the bonus given away minus the expected points of the next player's best answer, estimated on random deals
of the unseen tiles; `strength`, the chance to win the race, estimated. Ties: less bonus, fewer tiles of the own rack,
plays before swaps, then tiles and squares in order. Under `teams` a partner's bonus counts for the mover and is not
given away, and a partner's answer counts for him, too.

Positions are checked before any work (IllegalPosition), arguments too (SolverError).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import combinations
from typing import Any, Final, Self, cast

import numpy as np
import numpy.typing as npt

from .. import plain
from ..batches import check_workers, listed, mapped
from ..errors import LimitReached, SolverError, placed, quote
from ..limits import Cancel, Limit, Status, Watch, ended
from ..results import Analysis, Estimate, How, Line, analysis_readers, line_readers
from ..streams import check_seed, stream_key
from .board import SEATS
from .kernel import Plays, answers, chances
from .policies import LINES, lookahead_policy
from .position import NO_TILE, Move, Packed, Position
from .rules import Rules
from .verify import verify

OBJECTIVES: Final = ("points", "margin", "lookahead", "strength")
RECORD: Final = np.dtype(
    [
        ("tiles", "u1", 8),
        ("squares", "u1", 8),
        ("points", "u1"),
        ("bonus", "u1", 4),
        ("placed", "u1"),
        ("own", "u1"),
        ("unused", "u1"),
    ]
)
"""One play: places of the tiles in `Rules.tiles` (ascending) and of their squares in `Rules.graph.squares`, 255 behind
the last one; points; bonus of N E S W; how many tiles are placed and how many of them come from the rack."""
DEFAULT_MEMORY: Final = 1 << 30
DEFAULT_SAMPLES: Final = 1024
MAX_SAMPLES: Final = 1 << 20
MAX_LINES: Final = 4096
FIRST_SAMPLES: Final = 32
MAX_CANDIDATES: Final = 2048
"""Plays that a lookahead samples at all: those with the most points minus bonus."""
KEPT_ERRORS: Final = 4.0
"""Standard errors of the difference to the best within which a candidate stays in a lookahead."""
VALUES_AT_ONCE: Final = 1 << 20
"""Answers that a lookahead compares at a time, as floats beside those that it keeps."""
SAMPLE_COPIES: Final = 2
"""How often a lookahead holds its samples while a round of deals is put behind those before."""
STRENGTH_DEALS: Final = 256
LEAST_SECONDS: Final = 1e-3
CHUNKS: Final = (256, 1 << 12, 1 << 16, 1 << 20)
"""Plays that a lazy iteration asks for at a time: the first chunk, the second, ..., then always the last size."""

Records = npt.NDArray[np.void]


@dataclass(frozen=True, slots=True)
class PlayLine(Line[Move]):
    """A candidate move of Setup.

    answer: points of the next player's best answer (lookahead; exact 0 where the move ends the game). open_answer: his
    exact best answer with the board and the common tiles that are left, without his rack or new tiles. behind: value
    of the best line minus this one, on the same deals. covers: (square, tile) for each top that the play covers.
    opens: the play of the open answer. What was not asked for is None; `covers` and `opens` are filled by `analyse`.
    The answers with open tiles are None too where a time limit left no room for them.
    """

    answer: Estimate | None = None
    open_answer: int | None = None
    behind: Estimate | None = None
    covers: tuple[tuple[str, str], ...] = ()
    opens: Move | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "move": self.move.to_dict(),
            "value": self.value,
            "exact": self.exact,
            "tied": self.tied,
            "only": self.only,
            "points": self.move.points or 0,
            "bonus": self.move.bonus or {},
            "answer": self.answer and self.answer.to_dict(),
            "open_answer": self.open_answer,
            "behind": self.behind and self.behind.to_dict(),
            "covers": [list(pair) for pair in self.covers],
            "opens": self.opens and self.opens.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: object, move: plain.Reader[Move] = Move.from_dict) -> Self:
        """The inverse of `to_dict`; points and bonus are those of the move. Raises ParseError."""
        return cls(
            **plain.read(
                data,
                "line",
                ("points", "bonus"),
                **line_readers(move),
                answer=plain.maybe(Estimate.from_dict),
                open_answer=plain.maybe(plain.whole),
                behind=plain.maybe(Estimate.from_dict),
                covers=plain.each(plain.each(plain.text, 2)),
                opens=plain.maybe(move),
            )
        )


@dataclass(frozen=True, slots=True)
class PlayAnalysis(Analysis[Move]):
    """An analysis with the best swap beside the lines (None if the rack is empty), and whether it beats every play."""

    swap: PlayLine | None = None
    swap_better: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "lines": [cast(PlayLine, line).to_dict() for line in self.lines],
            "status": str(self.status),
            "effort": self.effort,
            "seed": self.seed,
            "swap": self.swap and self.swap.to_dict(),
            "swap_better": self.swap_better,
        }

    @classmethod
    def from_dict(
        cls, data: object, move: plain.Reader[Move] = Move.from_dict, kind: type[Line[Move]] = PlayLine
    ) -> Self:
        """The inverse of `to_dict`. Raises ParseError."""
        swap = plain.maybe(PlayLine.from_dict)
        return cls(**plain.read(data, "analysis", **analysis_readers(move, kind), swap=swap, swap_better=plain.flag))


@dataclass(slots=True)
class _Outcome:
    """Lines of a search with how it ended; the best swap if it was compared too, and the value of the best play."""

    lines: list[PlayLine]
    status: Status
    effort: int
    swap: PlayLine | None = None
    best_play: float | None = None


class Solver:
    """All searches under one set of rules, with the boards' tables kept warm.

    memory: bytes that the plays of one position and the samples of one lookahead may take, each. Threads may share a
    Solver; the searches release the GIL. Raises SolverError for bad arguments.
    """

    def __init__(self, rules: Rules, memory: int = DEFAULT_MEMORY) -> None:
        if not isinstance(rules, Rules):
            raise SolverError(f"rules: must be Rules, not {quote(rules)}")
        if isinstance(memory, bool) or not isinstance(memory, int) or memory < RECORD.itemsize:
            raise SolverError(f"memory: must be a number of bytes, at least {RECORD.itemsize}, not {quote(memory)}")
        self.rules = rules
        self.memory = memory
        self._kernels: dict[str, Plays] = {}

    def __reduce__(self) -> tuple[type[Solver], tuple[Rules, int]]:
        return type(self), (self.rules, self.memory)

    def kernel(self, seats: str) -> Plays:
        """The compiled board for these seats, built at the first call."""
        if seats not in self._kernels:
            self._kernels[seats] = compiled(self.rules, seats)
        return self._kernels[seats]

    def _open(self, position: Position) -> tuple[Plays, Packed]:
        packed = _checked(position).packed()
        if position.rules != self.rules:
            raise SolverError(f"rules: this Solver has {self.rules}, the position has {position.rules}")
        return self.kernel(position.seats), packed

    def count_moves(self, position: Position, *, limit: Limit | None = None) -> int:
        """Number of legal moves, plays and swaps. limit: seconds (LimitReached)."""
        kernel, packed = self._open(position)
        return kernel.count(*packed[:3], packed.mover, _seconds(limit)) + _count_swaps(packed)

    def legal_moves(self, position: Position) -> Iterator[Move]:
        """All legal moves, each once: plays with points and bonus, then swaps. Found as they are asked for."""
        return _iterate(position, *self._open(position))

    def play_arrays(self, position: Position, *, limit: Limit | None = None) -> Records:
        """All plays as a read-only array of `RECORD`; LimitReached if they take more than the Solver's memory.

        limit: seconds (LimitReached).
        """
        kernel, packed = self._open(position)
        most = self.memory // RECORD.itemsize
        found, complete = kernel.records(*packed[:3], packed.mover, 0, most, 1, _seconds(limit))
        if not complete:
            raise LimitReached(f"memory: the plays of the position take more than {self.memory} bytes")
        return np.frombuffer(found, RECORD)

    def best_move(
        self,
        position: Position,
        objective: str = "points",
        *,
        limit: Limit | None = None,
        seed: int = 0,
        samples: int | None = None,
    ) -> Move | None:
        """The best move, or None: proven that there is none (no play, and no tile to swap). See `best_moves`."""
        lines = self.best_moves(position, 1, objective, limit=limit, seed=seed, samples=samples)
        return lines[0].move if lines else None

    def best_moves(
        self,
        position: Position,
        n: int = 5,
        objective: str = "points",
        *,
        limit: Limit | None = None,
        seed: int = 0,
        samples: int | None = None,
    ) -> list[PlayLine]:
        """The n best moves, best first; fewer if there are fewer.

        samples: deals of the unseen tiles for `lookahead` (default 1024) and `strength` (256). `strength` puts plays
        that win at once first (value 1, exact), then its 8 most promising ones; it swaps only where nothing can be
        played. limit: as in `analyse`.
        """
        return self._search(position, n, objective, samples, seed, limit).lines

    def analyse(
        self,
        position: Position,
        limit: Limit | None = None,
        lines: int = 3,
        objective: str = "lookahead",
        *,
        seed: int = 0,
        samples: int | None = None,
        cancel: Cancel | None = None,
    ) -> PlayAnalysis:
        """The best lines with what each covers and opens for the next player, and the best swap.

        limit: of a lookahead, whose nodes are answers looked at; it ends with the last round of deals that fits. The
        other objectives know only seconds. cancel: a function without arguments that says True when the search shall
        end. It is asked again and again, at the latest some 50 ms after the last time, in the thread of the search;
        what it raises comes through. Where a limit or a cancel comes before any result there are no lines, and the
        status says so. LimitReached if the lookahead takes more than the Solver's memory.
        """
        _check_number("lines", lines, MAX_LINES)
        watch = Watch.of(cancel)
        try:
            outcome = self._search(position, lines, objective, samples, seed, limit, watch)
        except LimitReached as error:
            outcome = _Outcome([], ended(error, watch), 0)
        kernel, packed = self._open(position)
        told = [self._told(position, kernel, packed, line, _seconds(limit), watch) for line in outcome.lines]
        swap = outcome.swap and self._told(position, kernel, packed, outcome.swap, _seconds(limit), watch)
        better = swap is not None and (outcome.best_play is None or swap.value > outcome.best_play)
        sampled = objective in ("lookahead", "strength")
        status = Status.CANCELLED if watch is not None and watch.stopped else outcome.status
        return PlayAnalysis(list(told), status, outcome.effort, seed if sampled else None, swap, better)

    def verify(self, position: Position, move: Move) -> list[str]:
        """`verify.verify`: everything that is wrong with a move; empty when it is legal."""
        return verify(position, move)

    def solve_batch(
        self,
        positions: Iterable[Position],
        executor: Executor | None = None,
        objective: str = "points",
        *,
        limit: Limit | None = None,
        seed: int = 0,
        samples: int | None = None,
        workers: int | None = None,
    ) -> list[Move | None]:
        """`best_move` of every position, in order.

        executor: any concurrent.futures.Executor, also one of processes; by default `workers` threads (None: as many as
        Python thinks right). limit: of each position. All positions are checked before any work. An error of one says
        which, as `positions[3]`.
        """
        todo = listed(positions)
        for at, position in enumerate(todo):
            with placed(f"positions[{at}]"):
                self._open(position)
        return _solve_batch(todo, executor, workers, (self.memory, objective, limit, seed, samples))

    def _search(
        self,
        position: Position,
        n: int,
        objective: str,
        samples: int | None,
        seed: int,
        limit: Limit | None,
        watch: Watch | None = None,
    ) -> _Outcome:
        kernel, packed = self._open(position)
        _check_number("n", n, MAX_LINES)
        _check_asked(objective, samples, seed, limit)
        if watch is not None:
            watch()
        if objective == "lookahead":
            deals = samples or DEFAULT_SAMPLES
            return self._lookahead(position, kernel, packed, n, deals, seed, limit or Limit(), watch)
        if objective == "strength":
            return _strength(position, kernel, packed, n, samples or STRENGTH_DEALS, seed, _seconds(limit), watch)
        return _exact(position, kernel, packed, n, objective, _seconds(limit), watch)

    def _told(
        self,
        position: Position,
        kernel: Plays,
        packed: Packed,
        line: PlayLine,
        seconds: float,
        watch: Watch | None,
    ) -> PlayLine:
        """The line with what its move covers and opens."""
        tops = position.tops
        covers = tuple((square, tops[square]) for _, square in line.move.placements if square in tops)
        opens, open_answer = None, line.open_answer
        over, seat = _after_move(position, line.move)
        if over:
            open_answer = 0
        else:
            try:
                opens = _open_reply(position, kernel, packed, line.move, seat, seconds, watch)
                open_answer = (opens.points or 0) if opens else 0
            except LimitReached as error:
                ended(error, watch)
        return replace(line, open_answer=open_answer, covers=covers, opens=opens)

    def _lookahead(
        self,
        position: Position,
        kernel: Plays,
        packed: Packed,
        n: int,
        samples: int,
        seed: int,
        limit: Limit,
        watch: Watch | None,
    ) -> _Outcome:
        """Rounds of deals, each as large as all before; who is clearly behind the best leaves after each round."""
        start = time.monotonic()
        key = stream_key(seed, "setup", sum(position.scores), "lookahead")
        table = _Candidates(position, kernel, packed, key, watch)
        table.find(limit)
        if not len(table.records):
            return _Outcome([], Status.COMPLETE, 0)
        kept = np.arange(len(table.records))
        seen = np.zeros((len(kept), 0), np.int16)
        effort, status, done = 0, Status.COMPLETE, 0
        while done < samples:
            deals = min(max(done, FIRST_SAMPLES), samples - done)
            if not done and limit.nodes is not None:
                deals = min(deals, limit.nodes // len(kept))
                if not deals:
                    raise LimitReached(f"nodes: one deal of {len(kept)} moves is more than {limit.nodes} answers")
            if (done + deals) * len(kept) * seen.itemsize * SAMPLE_COPIES > self.memory:
                raise LimitReached(f"memory: {samples} samples of {len(kept)} plays take more than {self.memory} bytes")
            if done and limit.nodes is not None and effort + deals * len(kept) > limit.nodes:
                status = Status.NODES
                break
            spent = time.monotonic() - start
            # The next round takes about as long for each answer as those before.
            if done and limit.seconds is not None and spent * (1 + deals * len(kept) / effort) > limit.seconds:
                status = Status.TIME
                break
            try:
                if watch is not None:
                    watch()
                left = 0.0 if limit.seconds is None else max(limit.seconds - spent, LEAST_SECONDS)
                seen = np.concatenate([seen, table.answers(kept, done, deals, left)], axis=1)
            except LimitReached as error:
                if not done:
                    raise
                status = ended(error, watch)
                break
            done += deals
            effort += deals * len(kept)
            if done < samples:
                stays = _contenders(table.totals(kept, seen), seen, n) | (table.records["placed"][kept] == 0)
                kept, seen = kept[stays], seen[stays]
        lines, swap = table.lines(kept, seen, n, limit)
        plays = table.totals(kept, seen)[table.records["placed"][kept] > 0]
        return _Outcome(lines, status, effort, swap, float(plays.max()) / done if len(plays) else None)


class _Candidates:
    """The moves that a lookahead compares, and what it knows of each.

    records: the plays with the most points minus bonus, and last one record without tiles for the swaps, which all have
    the same value. net: points minus bonus. over: the move ends the game. answerer: the seat that moves next (0 to 3).
    sign: what a point of the answer is worth to the mover.
    """

    def __init__(self, position: Position, kernel: Plays, packed: Packed, key: int, watch: Watch | None) -> None:
        self.position, self.kernel, self.packed, self.key, self.watch = position, kernel, packed, key, watch

    def find(self, limit: Limit) -> None:
        """Fill everything."""
        position, packed = self.position, self.packed
        signs = _signs(position)
        found = self.kernel.best(
            *packed[:3],
            packed.mover,
            (1, *map(int, signs)),
            MAX_CANDIDATES,
            limit.seconds or 0.0,
            sum(1 << int(at) for at in _given(position)),
            self.watch,
        )[0]
        self.records = np.concatenate([np.frombuffer(found, RECORD), _swap_record()[: len(packed.rack)]])
        self.net = self.records["points"].astype(np.int64) + self.records["bonus"].astype(np.int64) @ signs
        after = [_after(position, record) for record in self.records]
        self.over = np.array([over for over, _ in after], bool)
        self.answerer = np.array([seat for _, seat in after], np.int64)
        self.sign = signs[self.answerer]

    def answers(self, rows: npt.NDArray[np.int64], first: int, deals: int, seconds: float) -> npt.NDArray[np.int16]:
        """Signed points of the best answer to each row in the deals first .. first + deals - 1; 0 after the end.

        deals 0: one column, the answers with the common tiles that are left. LimitReached after `seconds`, 0 for none.
        """
        packed = self.packed
        found: npt.NDArray[np.int16] = np.zeros((len(rows), max(deals, 1)), np.int16)
        others = len(self.position.seats) - 1
        for seat in np.unique(self.answerer[rows]):
            chosen = (self.answerer[rows] == seat) & ~self.over[rows]
            records = self.records[rows[chosen]].tobytes()
            part = answers(
                self.kernel,
                *packed[:4],
                packed.mover,
                int(seat),
                others,
                records,
                self.key,
                first,
                deals,
                seconds,
                self.watch,
            )
            found[chosen] = np.frombuffer(part, np.uint8).reshape(int(chosen.sum()), found.shape[1])
        found *= self.sign[rows, None].astype(np.int16)
        return found

    def totals(self, rows: npt.NDArray[np.int64], seen: npt.NDArray[np.int16]) -> npt.NDArray[np.int64]:
        """The value of each row times the number of deals."""
        totals: npt.NDArray[np.int64] = self.net[rows] * seen.shape[1] + seen.sum(axis=1, dtype=np.int64)
        return totals

    def lines(
        self, rows: npt.NDArray[np.int64], seen: npt.NDArray[np.int16], n: int, limit: Limit
    ) -> tuple[list[PlayLine], PlayLine | None]:
        """The n best lines, and that of the swaps."""
        totals = self.totals(rows, seen)
        order = [int(at) for at in _order(self.records[rows], totals, _given(self.position))]
        swaps = [at for at in order[n:] if not self.records["placed"][rows[at]]]
        listed = order[:n] + swaps
        open_answers: list[int | None]
        try:
            open_answers = list(map(abs, self.answers(rows[listed], 0, 0, limit.seconds or 0.0)[:, 0].tolist()))
        except LimitReached as error:
            ended(error, self.watch)
            open_answers = [None] * len(listed)
        best = order[0]
        lines = []
        for at, open_answer in zip(listed, open_answers, strict=True):
            record, over = self.records[rows[at]], bool(self.over[rows[at]])
            same = int((totals == totals[at]).sum())
            if not record["placed"]:
                same += len(self.packed.rack) > 1
            behind = seen[best].astype(np.float64) - seen[at] + float(self.net[rows[best]] - self.net[rows[at]])
            lines.append(
                PlayLine(
                    _move(self.position, record),
                    float(totals[at]) / seen.shape[1],
                    over,
                    same > 1,
                    _estimate(np.abs(seen[at].astype(np.float64)), over),
                    open_answer,
                    _estimate(behind, at == best),
                    only=len(self.records) == 1 and len(self.packed.rack) <= 1,
                )
            )
        return lines[:n], next((line for line in lines if line.move.swap), None)


def compiled(rules: Rules, seats: str) -> Plays:
    """The kernel's tables of a board with these players."""
    graph = rules.graph
    place = {square: index for index, square in enumerate(graph.squares)}
    return Plays(
        len(graph.squares),
        bytes(place[end] for link in graph.links for end in link),
        bytes(SEATS.index(owner) if owner else len(SEATS) for owner in graph.owners),
        seated(seats),
        rules.numbers,
        len(rules.suits),
        rules.run_order == "block",
        ("union", "per_set", "placed_plus_sets").index(rules.scoring),
        rules.bonus == "per_tile",
        rules.on_opponents == "allowed",
    )


@lru_cache(maxsize=32)
def _solver(rules: Rules, memory: int = DEFAULT_MEMORY) -> Solver:
    return Solver(rules, memory)


def _checked(position: Position) -> Position:
    if not isinstance(position, Position):
        raise SolverError(f"position: must be a Position, not {quote(position)}")
    return position


def _solver_of(position: Position) -> Solver:
    return _solver(_checked(position).rules)


def count_moves(position: Position, *, limit: Limit | None = None) -> int:
    """Number of legal moves, plays and swaps; see `Solver.count_moves`."""
    return _solver_of(position).count_moves(position, limit=limit)


def legal_moves(position: Position) -> Iterator[Move]:
    """All legal moves, each once, found as they are asked for; see `Solver.legal_moves`."""
    return _solver_of(position).legal_moves(position)


def play_arrays(position: Position, *, limit: Limit | None = None) -> Records:
    """All plays as a read-only array of `RECORD`; see `Solver.play_arrays`."""
    return _solver_of(position).play_arrays(position, limit=limit)


def best_move(
    position: Position,
    objective: str = "points",
    *,
    limit: Limit | None = None,
    seed: int = 0,
    samples: int | None = None,
) -> Move | None:
    """The best move, or None: proven that there is none. Arguments and errors are those of `Solver.best_moves`."""
    return _solver_of(position).best_move(position, objective, limit=limit, seed=seed, samples=samples)


def best_moves(
    position: Position,
    n: int = 5,
    objective: str = "points",
    *,
    limit: Limit | None = None,
    seed: int = 0,
    samples: int | None = None,
) -> list[PlayLine]:
    """The n best moves, best first; arguments and errors are those of `Solver.best_moves`."""
    return _solver_of(position).best_moves(position, n, objective, limit=limit, seed=seed, samples=samples)


def analyse(
    position: Position,
    limit: Limit | None = None,
    lines: int = 3,
    objective: str = "lookahead",
    *,
    seed: int = 0,
    samples: int | None = None,
    cancel: Cancel | None = None,
) -> PlayAnalysis:
    """The best lines with what each covers and opens, and the best swap; see `Solver.analyse`."""
    return _solver_of(position).analyse(position, limit, lines, objective, seed=seed, samples=samples, cancel=cancel)


def solve_batch(
    positions: Iterable[Position],
    executor: Executor | None = None,
    objective: str = "points",
    *,
    limit: Limit | None = None,
    seed: int = 0,
    samples: int | None = None,
    workers: int | None = None,
) -> list[Move | None]:
    """`best_move` of every position, in order, of rules that may differ; see `Solver.solve_batch`."""
    asked = (DEFAULT_MEMORY, objective, limit, seed, samples)
    return _solve_batch(listed(positions), executor, workers, asked)


_Asked = tuple[int, str, Limit | None, int, int | None]  # memory, and what best_move is asked


def _solve_batch(
    positions: list[Position], executor: Executor | None, workers: int | None, asked: _Asked
) -> list[Move | None]:
    check_workers(executor, workers)
    memory, objective, limit, seed, samples = asked
    for at, position in enumerate(positions):
        with placed(f"positions[{at}]"):
            _checked(position)
            _solver(position.rules, memory)._open(position)
    _check_asked(objective, samples, seed, limit)
    return list(mapped(partial(_solve_one, asked), list(enumerate(positions)), executor, workers))


def _solve_one(asked: _Asked, placed_position: tuple[int, Position]) -> Move | None:
    memory, objective, limit, seed, samples = asked
    at, position = placed_position
    with placed(f"positions[{at}]"):
        solver = _solver(position.rules, memory)
        return solver.best_move(position, objective, limit=limit, seed=seed, samples=samples)


def _check_asked(objective: str, samples: int | None, seed: int, limit: Limit | None) -> None:
    check_seed(seed)
    if not isinstance(objective, str) or objective not in OBJECTIVES:
        raise SolverError(f"objective: must be one of {', '.join(OBJECTIVES)}, not {quote(objective)}")
    _seconds(limit)
    if samples is not None:
        _check_number("samples", samples, MAX_SAMPLES)


def _seconds(limit: object) -> float:
    """The time limit for the kernels, 0 for none."""
    if limit is not None and not isinstance(limit, Limit):
        raise SolverError(f"limit: must be a Limit, not {quote(limit)}")
    return 0.0 if limit is None or limit.seconds is None else limit.seconds


def _check_number(name: str, value: object, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise SolverError(f"{name}: must be a whole number from 1 to {most}, not {quote(value)}")


def seated(seats: str) -> int:
    """The seats as bits, for the kernels."""
    return sum(1 << SEATS.index(seat) for seat in seats)


def _is_partner(position: Position, seat: str) -> bool:
    return (SEATS.index(seat) - SEATS.index(position.to)) % 4 == 2


def _count_swaps(packed: Packed) -> int:
    return (1 << len(packed.rack)) - 1


def swaps_of(position: Position) -> Iterator[Move]:
    """All swaps: by number of tiles, then by tiles."""
    for count in range(1, len(position.rack) + 1):
        for tiles in combinations(position.rack, count):
            yield Move((), tiles, 0, {})


def _iterate(position: Position, kernel: Plays, packed: Packed) -> Iterator[Move]:
    skip = 0
    complete = False
    sizes = iter(CHUNKS)
    size = CHUNKS[0]
    while not complete:
        size = next(sizes, size)
        found, complete = kernel.records(*packed[:3], packed.mover, skip, size)
        records = np.frombuffer(found, RECORD)
        # Whole columns become lists at once, which is faster than record by record.
        for record in zip(*(records[name].tolist() for name in RECORD.names or ()), strict=True):
            yield play_of(position.rules, record)
        skip += len(records)
    yield from swaps_of(position)


def _move(position: Position, record: Any) -> Move:
    """The Move of a record; without placed tiles the swap of the lowest tile of the rack."""
    return play_of(position.rules, record.tolist()) if record["placed"] else Move((), position.rack[:1], 0, {})


def play_of(rules: Rules, record: tuple[Any, ...]) -> Move:
    """The Move of a record as a tuple of its fields."""
    places, squares, points, bonus, count, _, _ = record
    names, tiles = rules.graph.squares, rules.tiles
    placements = [(tiles[places[i]], names[squares[i]]) for i in range(count)]
    return Move.counted(placements, points, [pair for pair in zip(SEATS, map(int, bonus), strict=True) if pair[1]])


def _signs(position: Position) -> npt.NDArray[np.int64]:
    """What a bonus point of each seat of SEATS is worth to the mover: -1 for opponents, 1 for a partner."""
    partner = position.rules.teams
    return np.array([1 if partner and _is_partner(position, seat) else -1 for seat in SEATS], np.int64)


def _given(position: Position) -> npt.NDArray[np.intp]:
    """The seats of SEATS whose bonus is given away: all but a partner's. The mover's own is never in a record."""
    return np.flatnonzero(_signs(position) < 0)


def _after(position: Position, gained: Any) -> tuple[bool, int]:
    """Whether the game is over after a move, and who is next (place in SEATS); gained: a record."""
    rules = position.rules
    points = {seat: int(given) for seat, given in zip(SEATS, gained["bonus"], strict=True)}
    points[position.to] += int(gained["points"])
    home = {
        seat
        for seat, score in zip(position.seats, position.scores, strict=True)
        if score + points[seat] >= finish_line(rules)
    }
    at = position.seats.index(position.to)
    others = position.seats[at + 1 :] + position.seats[:at]
    seat = next((seat for seat in others if seat not in home or not rules.teams), others[0])
    return len(home) >= (3 if rules.teams else 1), SEATS.index(seat)


def _after_move(position: Position, move: Move) -> tuple[bool, int]:
    """As `_after`, of a Move that was counted."""
    bonus = move.bonus or {}
    return _after(position, {"points": move.points or 0, "bonus": [bonus.get(seat, 0) for seat in SEATS]})


def _order(records: Records, values: npt.NDArray[np.int64], given: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """Rows from the best to the worst: value, bonus of the seats `given`, own tiles, plays before swaps, then tiles and
    squares in order."""
    tiles = np.where(records["tiles"] == NO_TILE, 0, records["tiles"].astype(np.int64) + 1)
    squares = np.where(records["squares"] == NO_TILE, 0, records["squares"].astype(np.int64) + 1)
    keys = [*squares.T[::-1], *tiles.T[::-1], records["placed"] == 0, records["own"]]
    keys.append(records["bonus"][:, given].sum(axis=1))
    return np.lexsort([*keys, -values])


def _swap_record() -> Records:
    """Stands for every swap: all have the same value, and the smallest one comes first."""
    record = np.zeros(1, RECORD)
    record["tiles"] = record["squares"] = NO_TILE
    record["own"] = 1
    return record


def _contenders(totals: npt.NDArray[np.int64], seen: npt.NDArray[np.int16], n: int) -> npt.NDArray[np.bool_]:
    """Which candidates go on: the n + 1 best, and all within KEPT_ERRORS standard errors of the best."""
    deals = seen.shape[1]
    order = np.argsort(-totals, kind="stable")
    best = order[0]
    row = seen[best].astype(np.float32)
    rows = max(1, VALUES_AT_ONCE // deals)
    parts = (seen[at : at + rows].astype(np.float32) - row for at in range(0, len(seen), rows))
    spread = np.concatenate([part.var(axis=1) for part in parts])
    # One deal more with a difference of one point keeps the error above 0 where all deals agree so far.
    error = np.sqrt((spread + 1 / deals) / deals)
    stays: npt.NDArray[np.bool_] = (totals[best] - totals) / deals <= KEPT_ERRORS * error
    stays[order[: n + 1]] = True
    return stays


def _estimate(values: npt.NDArray[np.float64], exact: bool) -> Estimate:
    n = len(values)
    if exact:
        return Estimate(0.0, 0, 0.0, How.EXACT)
    error = float(values.std(ddof=1)) / n**0.5 if n > 1 else float("inf")
    return Estimate(float(values.mean()), n, error, How.ROLLOUT)


def _exact(
    position: Position, kernel: Plays, packed: Packed, n: int, objective: str, seconds: float, watch: Watch | None
) -> _Outcome:
    """`points` and `margin`: the kernel's best plays, with the swaps put between them."""
    scale = 1
    weights = [1, 0, 0, 0, 0]
    if objective == "margin":
        opponents = [seat for seat in position.seats if seat != position.to]
        if position.rules.teams:
            opponents = [seat for seat in opponents if not _is_partner(position, seat)]
        scale = len(opponents)
        weights = [scale] + [-1 if seat in opponents else scale * position.rules.teams for seat in SEATS]
    # One more than asked for, to see whether the last line is tied.
    given = _given(position)
    found, values, total, ties = kernel.best(
        *packed[:3], packed.mover, weights, n + 1, seconds, sum(1 << int(at) for at in given), watch
    )
    records = np.frombuffer(found, RECORD)
    swaps = list(swaps_of(position))
    ranked: list[tuple[tuple[int, int, int, int, int], Move, int]] = []
    for rank, (record, value) in enumerate(zip(records, values, strict=True)):
        move = _move(position, record)
        lost = int(record["bonus"][given].sum())
        ranked.append(((-value, lost, int(record["own"]), 0, rank), move, value))
    ranked += [((0, 0, len(move.swap), 1, rank), move, 0) for rank, move in enumerate(swaps)]
    ranked.sort(key=lambda entry: entry[0])
    lines = []
    for _, move, value in ranked[:n]:
        same = sum(other == value for _, _, other in ranked)
        # The kernel counts the plays that share the best value; for others the neighbours in the ranking tell.
        tied = same > 1 or (bool(values) and value == values[0] and ties > 1)
        lines.append(PlayLine(move, value / scale, True, tied, only=total + len(swaps) == 1))
    best_swap = PlayLine(swaps[0], 0.0, True, len(swaps) > 1) if swaps else None
    return _Outcome(lines, Status.COMPLETE, total, best_swap, values[0] / scale if values else None)


def _open_reply(
    position: Position, kernel: Plays, packed: Packed, move: Move, seat: int, seconds: float, watch: Watch | None
) -> Move | None:
    """The best play of the seat that is next, with the common tiles that are left, or None."""
    index = position.rules.tile_index
    tops = bytearray(packed.tops)
    place = {square: at for at, square in enumerate(position.rules.graph.squares)}
    for tile, square in move.placements:
        tops[place[square]] = index[tile]
    used = {index[tile] for tile, _ in move.placements}
    common = bytes(tile for tile in packed.common if tile not in used)
    found, _, total, _ = kernel.best(bytes(tops), b"", common, seat, (1, 0, 0, 0, 0), 1, seconds, watch=watch)
    return _move(position, np.frombuffer(found, RECORD)[0]) if total else None


def finish_line(rules: Rules) -> int:
    """The fewest steps with which a pawn is home."""
    return rules.finish if rules.finish_rule == "reach" else rules.finish + 1


def _strength(
    position: Position,
    kernel: Plays,
    packed: Packed,
    n: int,
    deals: int,
    seed: int,
    seconds: float,
    watch: Watch | None,
) -> _Outcome:
    rules = position.rules
    found, _, means, _ = chances(
        kernel,
        *packed[:4],
        packed.mover,
        packed.scores,
        finish_line(rules),
        rules.teams,
        seated(position.seats),
        lookahead_policy(len(position.seats), rules.teams, deals, LINES),
        stream_key(seed, "setup", sum(position.scores), "strength"),
        seconds,
        watch=watch,
    )
    records = np.frombuffer(found, RECORD)
    swaps = list(swaps_of(position))
    only = len(records) + len(swaps) == 1
    swap = PlayLine(swaps[-1], 0.0, False, len(swaps) > 1, only=only) if swaps else None
    if not len(records):
        # Nothing can be played: all tiles are swapped, and nothing is known of the chances.
        return _Outcome([swap] if swap else [], Status.COMPLETE, 0, swap)
    # A play that wins at once needs no estimate, and the candidates, chosen without regard to the finish, may miss it.
    wins = _wins_at_once(position, kernel, packed, seconds, watch)
    lines = [PlayLine(_move(position, record), 1.0, True, len(wins) > 1, only=only) for record in wins[:n]]
    known = {line.move for line in lines}
    # Equal means keep the order of the evaluation. Drawn towards that, few deals can lead beyond what a chance can be.
    for row in sorted(range(len(records)), key=lambda row: -means[row]):
        move = _move(position, records[row])
        if len(lines) < n and move not in known:
            chance = min(max(means[row], 0.0), 1.0)
            lines.append(PlayLine(move, chance, False, means.count(means[row]) > 1, only=only))
    return _Outcome(lines, Status.COMPLETE, deals * len(records), None, lines[0].value)


def _wins_at_once(position: Position, kernel: Plays, packed: Packed, seconds: float, watch: Watch | None) -> Records:
    """The plays that end the game with a win of the mover or his team, those with the most points first.

    Only the MAX_CANDIDATES plays with the most points are looked at; none can win without bringing the pawn home.
    """
    rules, at = position.rules, packed.mover
    line = finish_line(rules)
    # The first look costs little, and in most positions of a game it is the only one.
    for wanted in (1, MAX_CANDIDATES):
        found, values, _, _ = kernel.best(*packed[:3], at, (1, 0, 0, 0, 0), wanted, seconds, watch=watch)
        if not values or packed.scores[at] + values[0] < line:
            return np.frombuffer(b"", RECORD)
    records = np.frombuffer(found, RECORD)
    scores = np.array(packed.scores, np.int64) + records["bonus"]
    scores[:, at] += records["points"]
    home = scores >= line
    if rules.teams:
        ours = np.arange(len(SEATS)) % 2 == at % 2
        # Three are home and the last pawn is an opponent's.
        won = home[:, ours].all(axis=1) & (home.sum(axis=1) == len(SEATS) - 1)
    else:
        # Among tied pawns the mover's has won: he played last.
        won = home[:, at] & (scores[:, at] == scores.max(axis=1))
    wins: Records = records[won]
    return wins
