"""Best moves, proven: a thin layer over the count problems of the kernel.

How it works is told in docs/rummikub-search.md. In short: `problem` says what a count problem is, the kernel solves
one, `jokers` and `openings` divide a position into such problems where the rules ask for more than counts, and lists
of moves divide it further by what is laid.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from itertools import chain, count, groupby, islice
from operator import itemgetter
from typing import Any, Final

from ..batches import check_workers, listed, mapped
from ..errors import IllegalPosition, LimitReached, SolverError, UnsupportedRules, meant, placed, quote
from ..limits import Cancel, Limit, Status, Watch, ended
from ..results import Analysis, Line
from ..streams import check_seed
from . import joker_rules, jokers, openings
from .counts import Counts
from .jokers import jokers_on_table
from .kernel import Answer, LeastChange
from .lists import Lists, Part, TooMany
from .objectives import OBJECTIVES, Objective, objective_for
from .position import Arranged, Move, Position
from .problem import Budget, Laid, Problem, cell
from .rules import PRESETS, Rules
from .searcher import analyse_win
from .sets import JOKER, Tile, TileKey, TileSet, tile_key, tile_value
from .verify import verify

DEFAULT_MEMORY: Final = 64 * 2**20
MAX_MEMORY: Final = 2**62
CHANGE_NODES: Final = 20_000  # for the least changed table of one move: tens of milliseconds
_ALL_BIND: Final = 2
MOST_EQUALS: Final = 64  # equally good moves that are put in the order of the rules at a time
CHUNK: Final = 128  # positions that one worker takes at a time

_Worthy = tuple[tuple[int, int], Move]  # a move and its worth by both criteria
ANALYSED: Final = (*OBJECTIVES, "win")
WIN_OPTIONS: Final = ("players", "opponents", "opened", "pool", "playing")  # what an analysis for win may be told
_PLAIN_OBJECTIVES: Final = ("tiles", "value")  # that the kernel takes by name


class Solver:
    """Searches under one rule set, with warm tables. Safe to share between threads.

    rules: every position must have these rules. memory: limit in bytes of what the tables and one search may hold.
    Tables depend on the rules only: no answer is remembered, so answers do not depend on what was asked before.
    Raises UnsupportedRules for rules that the search cannot honour.
    """

    def __init__(self, rules: Rules | None = None, memory: int = DEFAULT_MEMORY) -> None:
        if rules is not None and not isinstance(rules, Rules):
            raise SolverError(f"rules: must be Rules, not {quote(rules)}")
        if isinstance(memory, bool) or not isinstance(memory, int) or not 0 < memory <= MAX_MEMORY:
            raise SolverError(f"memory: must be a whole number of bytes up to {MAX_MEMORY}, not {quote(memory)}")
        given = Rules() if rules is None else rules
        # The preset itself where it is meant: comparing rules is then comparing addresses.
        self.rules = next((preset for preset in PRESETS.values() if preset == given), given)
        self.memory = memory
        self._counts = Counts(self.rules, memory)
        self._sweep = self._counts.sweep
        self._lists = Lists(self.rules, memory)
        self._bare = Position((), (), True, self.rules)
        counts_alone = self.rules.jokers_per_set == "any" and not self.rules.high_one and self.rules.take_back == "none"
        # Which positions are more than one count problem: none, those with jokers on the table, all.
        self._binding = int(jokers.bind(self.rules)) if counts_alone else _ALL_BIND
        self._arrange = self._least_change
        try:
            self._changes: LeastChange | None = LeastChange(self.rules, memory=memory, nodes=CHANGE_NODES)
        except UnsupportedRules:
            self._changes = None
        self._objectives: dict[str, Objective] = {}

    def __reduce__(self) -> tuple[type[Solver], tuple[Rules, int]]:
        return type(self), (self.rules, self.memory)

    @property
    def memory_used(self) -> int:
        """Bytes that the warm tables hold now."""
        return self._sweep.memory_used + self._lists.memory_used

    def best_move(
        self,
        position: Position,
        objective: str = "tiles",
        *,
        weights: Mapping[Tile, int] | None = None,
        limit: Limit | None = None,
        ties: bool = False,
    ) -> Move | None:
        """The proven best move, or None: proven that there is none.

        objective: tiles, value, penalty or go_out (see the rules); weights: a caller's own worth of every tile instead.
        ties: among equally good moves the one that the rules prefer, as `best_moves` lists them (that takes longer);
        else always the same one, the first that the search finds.
        Raises IllegalPosition, SolverError for a bad argument, LimitReached when the limit comes before the proof.
        """
        if ties:
            lines = self.best_moves(position, 1, objective, weights=weights, limit=limit)
            return lines[0].move if lines else None
        if weights is None and limit is None and objective in _PLAIN_OBJECTIVES and self._plain(position):
            answer = self._sweep.best(position.packed, objective == "value")
            return None if answer is None else Move.trusted(answer.tiles, answer, answer.value, position, self._arrange)
        self._check(position, limit)
        laid = self._best(position, self._objective(objective, weights), Problem.of(position), _budget(limit))
        return None if laid is None else self._move(position, laid)

    def best_moves(
        self,
        position: Position,
        n: int = 5,
        objective: str = "tiles",
        *,
        weights: Mapping[Tile, int] | None = None,
        limit: Limit | None = None,
    ) -> list[Line[Move]]:
        """The n best moves, best first, each with its proven value; fewer if there are not so many.

        objective, weights, limit: as in `best_move`.
        Equal ones are in the order of the rules: most sets kept, fewest tiles moved, then a fixed order (more than
        MOST_EQUALS equal moves so many at a time). A line says if it is tied with another one, and if it is the only
        legal move.
        """
        _check_number("n", n)
        self._check(position, limit)
        lines: list[Line[Move]] = []
        self._collect(position, n, self._objective(objective, weights), _budget(limit), lines)
        return lines

    def analyse(
        self,
        position: Position,
        limit: Limit | None = None,
        lines: int = 3,
        objective: str = "tiles",
        *,
        weights: Mapping[Tile, int] | None = None,
        seed: int = 0,
        cancel: Cancel | None = None,
        **game: Any,
    ) -> Analysis[Any]:
        """The best moves as `best_moves` lists them, with how the search ended and the nodes that it expanded.

        cancel: a function without arguments that says True when the search shall end. It is asked again and again, at
        the latest some 50 ms after the last time, in the thread of the search; what it raises comes through.

        When the limit or a cancel comes first the lines hold what is proven by then: none, or the best moves without
        the check whether others equal the last of them.

        objective="win": what may win the game, draws included, by playouts; the further arguments (players, opponents,
        opened, pool, playing), the seed and the lines are those of `searcher.analyse_win`. For the others nothing is
        sampled, and the analysis has no seed.
        """
        check_seed(seed)
        watch = Watch.of(cancel)
        for name in game:
            if name not in WIN_OPTIONS:
                raise SolverError(f"analyse: no option {quote(name)}{meant(name, WIN_OPTIONS)}")
        if weights is None and (not isinstance(objective, str) or objective not in ANALYSED):
            raise SolverError(f"objective: must be one of {', '.join(ANALYSED)}, not {quote(objective)}")
        if objective == "win" and weights is None:
            if isinstance(position, Position) and position.rules != self.rules:
                self._check(position, limit)
            return analyse_win(position, limit, lines=lines, seed=seed, watch=watch, **game)
        if game:
            raise SolverError(f"objective: {quote(objective)} does not ask for {', '.join(game)}, win does")
        _check_number("lines", lines)
        self._check(position, limit)
        budget = Budget(limit or Limit(), watch)
        found: list[Line[Move]] = []
        status = Status.COMPLETE
        try:
            self._collect(position, lines, self._objective(objective, weights), budget, found)
        except LimitReached as error:
            status = ended(error, watch)
        return Analysis(found, status, budget.spent, None)

    def _collect(
        self, position: Position, n: int, goal: Objective, budget: Budget | None, out: list[Line[Move]]
    ) -> None:
        """Put the n best moves into `out`, as far as the budget goes."""
        lines: list[Line[Move]] = []
        values: Counter[int] = Counter()
        more = goal.go_out  # then it is not asked what else is legal
        for (value, _), equals in groupby(self._ranked(position, goal, budget), key=itemgetter(0)):
            if len(lines) >= n:
                values[value] += 1  # whether the last line is tied
                more = True
                break
            while chunk := [move for _, move in islice(equals, MOST_EQUALS)]:
                if len(chunk) > 1:
                    if budget and budget.watch:
                        out[:] = [*lines, *(Line(move, value, exact=True, tied=True) for move in chunk)][:n]
                    chunk = _tied_in_order(chunk, budget)
                values[value] += len(chunk)
                lines += [Line(move, value, exact=True, tied=False) for move in chunk]
                out[:] = lines[:n]
                if len(lines) >= n and values[value] > 1:
                    break
            if len(lines) >= n and values[value] > 1:
                break  # all is known; there may be very many more equal ones
        alone = len(lines) == 1 and not more
        out[:] = [replace(line, tied=values[int(line.value)] > 1, only=alone) for line in lines[:n]]

    def legal_moves(self, position: Position) -> Iterator[Move]:
        """Every playable multiset of rack tiles once, most tiles first, each with one arrangement; lazy.

        Those of equally many tiles come in a fixed order: at the first tile, number by number and R B K O, of which two
        lay differently many, who lays more comes first. (Not so where positions must be divided to list their moves,
        see docs/rummikub-search.md; then more value comes first.)
        """
        self._check(position)
        if not self._listed(position):
            return self._unlisted(position, None)
        rest = partial(self._divided, position, self._objective("tiles", None), None)
        shared = {"taken": (), "_before": position, "_arrange": self._arrange, "_table": None}
        return self._lists.made(
            position.packed,
            partial(self._most_tiles, position),
            Move,
            shared,
            lambda most: (self._move(position, laid) for laid in rest() if len(laid.tiles) <= most),
        )

    def count_moves(self, position: Position, *, limit: Limit | None = None) -> int:
        """How many different multisets of rack tiles can be laid. limit: raises LimitReached when it comes first."""
        self._check(position, limit)
        budget = _budget(limit)
        if self._listed(position):
            return self._lists.count(position.packed, budget)
        return sum(1 for _ in self._unlisted(position, budget))

    def solve_batch(
        self,
        positions: Iterable[Position],
        executor: Executor | None = None,
        objective: str = "tiles",
        *,
        weights: Mapping[Tile, int] | None = None,
        limit: Limit | None = None,
        workers: int | None = None,
    ) -> list[Move | None]:
        """`best_move` of every position, in order.

        executor: any concurrent.futures.Executor; by default `workers` threads (None: this thread alone). limit: of
        each position. All positions are checked before any work. An error of one says which, as `positions[3]`.
        """
        todo = listed(positions)
        for index, position in enumerate(todo):
            if not isinstance(position, Position) or not self._plain(position):
                with placed(f"positions[{index}]"):
                    self._check(position, limit)
        check_workers(executor, workers)
        self._objective(objective, weights)
        chunks = [todo[at : at + CHUNK] for at in range(0, len(todo), CHUNK)]
        task = partial(_solve_chunk, self, objective, weights, limit)
        return [move for chunk in mapped(task, chunks, executor, workers or 1) for move in chunk]

    def verify(self, position: Position, move: Move) -> list[str]:
        """`verify.verify`: everything that is wrong with a move; empty when it is legal."""
        return verify(position, move)

    # -----------------------------------------------------------------------------------------------------------------

    def _plain(self, position: Position) -> bool:
        """Whether a legal position is one count problem."""
        return (
            isinstance(position, Position)
            and position.legal
            and position.opened
            and (not self._binding or (self._binding != _ALL_BIND and not jokers_on_table(position)))
            and (position.rules is self.rules or position.rules == self.rules)
        )

    def _listed(self, position: Position) -> bool:
        """Whether counts of tiles alone tell the moves of a position."""
        return self._plain(position) and self._lists.fits(position.packed)

    def _unlisted(self, position: Position, budget: Budget | None) -> Iterator[Move]:
        """All legal moves of a position of which counts alone tell too little."""
        goal = self._objective("tiles", None)
        sifted = self._sifted(position, goal, budget)
        if sifted is None:
            return (self._move(position, laid) for laid in self._divided(position, goal, budget))
        return (move for _, move in sifted)

    def _most_tiles(self, position: Position) -> int:
        """How many tiles the best move lays."""
        answer = self._sweep.best(position.packed, False)
        return 0 if answer is None else len(answer.tiles)

    def _check(self, position: Position, limit: Limit | None = None) -> None:
        if limit is not None and not isinstance(limit, Limit):
            raise SolverError(f"limit: must be a Limit, not {quote(limit)}")
        if not isinstance(position, Position):
            raise SolverError(f"position: must be a Position, not {quote(position)}")
        if position.rules != self.rules:
            raise SolverError(f"rules: the position has {position.rules}, the solver {self.rules}")
        problems = position.problems()
        if problems:
            raise IllegalPosition(problems)

    def _objective(self, name: str, weights: Mapping[Tile, int] | None) -> Objective:
        if weights is not None or not isinstance(name, str):
            return objective_for(name, weights, self.rules)
        if name not in self._objectives:
            self._objectives[name] = objective_for(name, None, self.rules)
        return self._objectives[name]

    def _trusted(self, position: Position, answer: Answer) -> Move:
        return Move.trusted(answer.tiles, answer, answer.value, position, self._arrange)

    def _move(self, position: Position, laid: Laid) -> Move:
        return Move.trusted(laid.tiles, laid.table, tile_value(laid.tiles), position, self._arrange, taken=laid.taken)

    def _some_table(self, position: Position, move: Move) -> list[TileSet]:
        """A table of a legal move."""
        laid = self._best(position, self._objective("tiles", None), _fixed(position, move.tiles), None)
        return [] if laid is None else laid.table()

    def _least_change(self, position: Position, move: Move, found: Iterable[Iterable[Tile]] | None) -> Arranged:
        """The least changed table of a move, as the ties of the rules order tables.

        found: one of its tables, or None: then one is looked for if need be.

        An opening that leaves the table as it is keeps it. Rule sets too large for the kernel, and tables that are too
        much for its limit of nodes, keep the sets that the search found: `Move.least_changed` tells.
        """
        if not (position.opened or self.rules.opening_uses_table):
            return Arranged(tuple(found or self._some_table(position, move)), True)
        if self._changes is None:
            return Arranged(tuple(found or self._some_table(position, move)), False)
        after = [*chain.from_iterable(position.table), *move.tiles]
        for tile in move.taken:
            after.remove(tile)
        accept = None
        if joker_rules.asks(self.rules) and jokers_on_table(position):
            accept = partial(_legal, position, move.tiles, move.taken)
        try:
            change = self._changes.least_change(position.table, after, accept=accept)
        except LimitReached:
            change = None
        if change is None:
            return Arranged(tuple(found or self._some_table(position, move)), False)
        return Arranged(change.table, True, (change.kept, change.moved))

    def _best(self, position: Position, goal: Objective, problem: Problem, budget: Budget | None) -> Laid | None:
        """The best move of a problem of the position under all its rules."""
        found = self._best_of(position, problem, partial(self._counts.best, goal, budget), budget)
        if found is not None and goal.go_out and len(found.tiles) < len(position.rack):
            return None  # a joker that may not open stays behind
        return found

    def _best_of(self, position: Position, problem: Problem, solve: jokers.Solve, budget: Budget | None) -> Laid | None:
        if position.opened:
            return jokers.best(position, problem, solve, budget)
        if self.rules.opening_uses_table:
            whole: Callable[[Problem], Laid | None] = partial(jokers.best, position, solve=solve, budget=budget)
            return openings.best(position, problem, whole, self._most_value)
        beside = partial(_beside, position, partial(jokers.best, self._bare, solve=solve, budget=budget))
        return openings.best(position, _rack_alone(position, problem), beside, self._most_value)

    def _most_value(self, tiles: Counter[Tile], every: bool) -> Laid | None:
        """Sets of the greatest opening value of these tiles alone, None if there are none; `every`: of all of them."""
        counts = bytearray(self.rules.numbers * 4)
        for tile, number in tiles.items():
            if tile != JOKER:
                counts[cell(tile)] = number
        empty = bytearray(len(counts))
        spare = tiles[JOKER]
        problem = Problem(counts, empty, spare, 0) if every else Problem(empty, counts, 0, spare)
        face = self.rules.opening_joker == "face" and spare > 0
        return jokers.best(self._bare, problem, partial(self._counts.most_value, face))

    def _bounds(
        self, position: Position, goal: Objective, budget: Budget | None
    ) -> Callable[[Problem], Laid | None] | None:
        """What the counts of a problem alone allow, where that is less work than the best move; else None."""
        if not position.opened or not self._binding:
            return None
        if self.rules.jokers_per_set == "any" and not (jokers_on_table(position) and joker_rules.asks(self.rules)):
            return None
        return partial(jokers.relaxed, solve=partial(self._counts.best, goal, budget))

    def _ranked(self, position: Position, goal: Objective, budget: Budget | None) -> Iterator[_Worthy]:
        """All moves with what they are worth, best first, each multiset of tiles once."""
        divided = partial(self._divided, position, goal, budget)
        if goal.go_out or not self._listed(position):
            sifted = None if goal.go_out else self._sifted(position, goal, budget, ranked=True)
            yield from ((laid.key, self._move(position, laid)) for laid in divided()) if sifted is None else sifted
            return
        best = self._best(position, goal, Problem.of(position), budget)
        if best is None:
            return
        part = Part(position.packed, (), True, best.tiles)
        for tiles in self._lists.ranked(part, goal, budget, lambda: (laid.tiles for laid in divided())):
            yield goal.key(tiles), Move.trusted(tiles, None, tile_value(tiles), position, self._arrange)

    def _sifted(
        self, position: Position, goal: Objective, budget: Budget | None, ranked: bool = False
    ) -> Iterator[_Worthy] | None:
        """All moves where counts tell what may be one, each of them looked at if need be.

        In the order of lists or, if `ranked`, best first. None where counts tell too little.
        """
        problem = Problem.of(position)
        beside = not (position.opened or self.rules.opening_uses_table)
        if beside:
            problem = _rack_alone(position, problem)
        if problem.keep or not self._lists.fits(problem.packed()):
            return None
        parts = list(jokers.parts(self._bare if beside else position, problem, budget))
        if not all(self._lists.fits(part.packed()) for part, _ in parts):
            return None
        return self._sift_or_divide(position, goal, budget, ranked, parts)

    def _sift_or_divide(
        self,
        position: Position,
        goal: Objective,
        budget: Budget | None,
        ranked: bool,
        problems: Iterable[tuple[Problem, bool]],
    ) -> Iterator[_Worthy]:
        """`_sift`, and by dividing what does not fit in the memory."""
        last: tuple[int, ...] | None = None
        given: set[TileSet] = set()  # those that equal the last one

        def place(worthy: _Worthy) -> tuple[int, ...]:
            return worthy[0] if ranked else (len(worthy[1].tiles),)

        try:
            for worthy in self._sift(position, goal, budget, ranked, problems):
                if place(worthy) != last:
                    last = place(worthy)
                    given.clear()
                given.add(worthy[1].tiles)
                yield worthy
            return
        except TooMany:
            pass
        for laid in self._divided(position, goal, budget):
            worthy = laid.key, self._move(position, laid)
            if last is None or place(worthy) < last or (place(worthy) == last and laid.tiles not in given):
                yield worthy

    def _sift(
        self,
        position: Position,
        goal: Objective,
        budget: Budget | None,
        ranked: bool,
        problems: Iterable[tuple[Problem, bool]],
    ) -> Iterator[_Worthy]:
        """What is a move of the answers of count problems: their lists merged in order, each multiset of tiles once."""
        if self._best(position, goal, Problem.of(position), budget) is None:
            return
        lists = []
        for problem, exact in problems:
            found = self._counts.best(goal, budget, problem)
            if found is not None:
                rest = Counter(found.tiles) - Counter(problem.laid)
                part = Part(problem.packed(), tuple(problem.laid), exact, tuple(rest.elements()))
                every = self._lists.ranked(part, goal, budget) if ranked else self._lists.listed(part, budget)
                lists.append(self._placed(every, goal if ranked else None, exact))
        for _, same in groupby(heapq.merge(*lists), key=itemgetter(0)):
            if budget:
                budget.look()
            alike = list(same)
            move = self._move_of(position, goal, budget, alike[0][1], any(exact for _, _, exact in alike))
            if move is not None:
                yield goal.key(move.tiles), move

    def _placed(
        self, listed: Iterable[TileSet], goal: Objective | None, exact: bool
    ) -> Iterator[tuple[tuple[int, int, list[int]], TileSet, bool]]:
        """Tiles with what sorts them best first; without a goal in the order of lists."""
        for tiles in listed:
            key = goal.key(tiles) if goal else (len(tiles), 0)
            yield (-key[0], -key[1], self._lists.place(tiles)), tiles, exact

    def _move_of(
        self, position: Position, goal: Objective, budget: Budget | None, tiles: TileSet, exact: bool
    ) -> Move | None:
        """The move that lays these tiles, which form sets with the table; exact: the rules of jokers allow it."""
        rules = self.rules
        value = tile_value(tiles)
        if not position.opened:
            faces = value + tiles.count(JOKER) * rules.numbers if rules.opening_joker == "face" else value
            if faces < rules.opening_threshold:
                return None
            # All of the rack's tiles are in sets of its own, so what they are worth tells whether these open.
            alone = not rules.opening_uses_table and not rules.opening_single_set
            exact = exact and alone and value >= rules.opening_threshold
        if exact:
            return Move.trusted(tiles, None, value, position, self._arrange)
        laid = self._best(position, goal, _fixed(position, tiles), budget)
        return None if laid is None else self._move(position, laid)

    def _divided(self, position: Position, goal: Objective, budget: Budget | None) -> Iterator[Laid]:
        """All moves, best first, each multiset of tiles once, where more than counts tell them.

        After the best move the others are divided by the first tile of which they lay more or fewer than it does.
        A part whose counts are not the whole question waits with what its counts alone allow, till that is the most.
        """
        order = count()
        heap: list[tuple[tuple[int, int], int, Laid | None, Problem]] = []
        bounds = self._bounds(position, goal, budget)

        def push(problem: Problem, exact: bool = bounds is None) -> None:
            found = self._best(position, goal, problem, budget) if exact or bounds is None else bounds(problem)
            if found is not None:
                entry = (-found.key[0], -found.key[1]), next(order), found if exact else None, problem
                heapq.heappush(heap, entry)

        push(Problem.of(position))
        while heap:
            _, _, found, problem = heapq.heappop(heap)
            if found is None:
                push(problem, exact=True)
                continue
            yield found
            if goal.go_out:
                return  # all others leave tiles in the rack
            net = Counter(found.tiles)
            net.subtract(problem.laid)
            net.subtract(found.taken)
            net.update(problem.taken)
            rest = problem.copy()
            held, there = problem.rack(), problem.takeable()
            for tile in sorted({*held, *there}):
                here = net[tile]
                if here < held[tile]:
                    more = rest.copy()
                    more.at_least(tile, here + 1)
                    push(more)
                if here > -there[tile]:
                    fewer = rest.copy()
                    fewer.at_most(tile, here - 1)
                    push(fewer)
                rest.at_least(tile, here)
                rest.at_most(tile, min(here, 0))
                rest.at_least(tile, 0)


def _check_number(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise SolverError(f"{name}: must be a positive whole number, not {quote(value)}")


def _tied_in_order(moves: list[Move], budget: Budget | None) -> list[Move]:
    """Equally good moves in the order of the rules, which asks for the table of each."""
    keyed = []
    for at, move in enumerate(moves):
        if budget and budget.watch:
            budget.watch()
        keyed.append((_tie_order(move), at, move))
    return [move for _, _, move in sorted(keyed)]


def _tie_order(move: Move) -> tuple[int, int, list[TileKey], list[list[TileKey]]]:
    rules = move.before.rules
    table: list[list[TileKey]] = []
    if rules.take_back != "none" or rules.joker_destination == "keep":  # else no two moves lay the same tiles
        table = sorted(sorted(map(tile_key, tiles)) for tiles in move.table)
    return -move.kept_sets, move.moved_tiles, [tile_key(tile) for tile in move.tiles], table


def _budget(limit: Limit | None) -> Budget | None:
    return None if limit is None else Budget(limit)


def _legal(position: Position, laid: TileSet, taken: TileSet, table: Sequence[TileSet]) -> bool:
    return joker_rules.legal(position, table, laid, taken)


def _fixed(position: Position, tiles: TileSet) -> Problem:
    """The problem of laying just these tiles."""
    part = Problem.of(position)
    for tile in tiles:
        part.lay(tile)
    part.may = bytearray(len(part.may))
    part.jokers_may = 0
    return part


def _rack_alone(position: Position, problem: Problem) -> Problem:
    """The problem without the table, for an opening that leaves it as it is."""
    part = problem.copy()
    for at, number in enumerate(position.packed[: len(part.must)]):
        part.must[at] -= number
    part.jokers_must -= position.packed[-2]
    if position.rules.opening_joker == "forbidden":
        part.jokers_may = 0
    return part


def _beside(position: Position, solve: Callable[[Problem], Laid | None], problem: Problem) -> Laid | None:
    """The best sets beside the table as it is."""
    found = solve(problem)
    if found is None:
        return None
    return Laid(found.key, found.tiles, found.sets, (), (*position.table, *found.decided))


def _solve_chunk(
    solver: Solver,
    objective: str,
    weights: Mapping[Tile, int] | None,
    limit: Limit | None,
    positions: Sequence[Position],
) -> list[Move | None]:
    """The moves of one chunk; plain positions in one call of the kernel."""
    counted = weights is None and limit is None and objective in _PLAIN_OBJECTIVES
    if counted and all(map(solver._plain, positions)):
        answers = solver._sweep.solve_many([position.packed for position in positions], objective)
        return [
            None if answer is None else solver._trusted(position, answer)
            for position, answer in zip(positions, answers, strict=True)
        ]
    return [solver.best_move(position, objective, weights=weights, limit=limit) for position in positions]


def best_move(
    position: Position,
    objective: str = "tiles",
    *,
    weights: Mapping[Tile, int] | None = None,
    limit: Limit | None = None,
    ties: bool = False,
) -> Move | None:
    """The proven best move, or None: proven that there is none. Arguments and errors: `Solver.best_move`."""
    return _solver_for(position).best_move(position, objective, weights=weights, limit=limit, ties=ties)


def best_moves(
    position: Position,
    n: int = 5,
    objective: str = "tiles",
    *,
    weights: Mapping[Tile, int] | None = None,
    limit: Limit | None = None,
) -> list[Line[Move]]:
    """The n best moves, best first, each with its proven value; see `Solver.best_moves`."""
    return _solver_for(position).best_moves(position, n, objective, weights=weights, limit=limit)


def analyse(
    position: Position,
    limit: Limit | None = None,
    lines: int = 3,
    objective: str = "tiles",
    *,
    weights: Mapping[Tile, int] | None = None,
    seed: int = 0,
    cancel: Cancel | None = None,
    **game: Any,
) -> Analysis[Any]:
    """The best moves and how the search ended, or with objective="win" what may win; see `Solver.analyse`."""
    return _solver_for(position).analyse(
        position, limit, lines, objective, weights=weights, seed=seed, cancel=cancel, **game
    )


def legal_moves(position: Position) -> Iterator[Move]:
    """Every playable multiset of rack tiles once, most tiles first, lazily; see `Solver.legal_moves`."""
    return _solver_for(position).legal_moves(position)


def count_moves(position: Position, *, limit: Limit | None = None) -> int:
    """How many different multisets of rack tiles can be laid; see `Solver.count_moves`."""
    return _solver_for(position).count_moves(position, limit=limit)


def solve_batch(
    positions: Iterable[Position],
    executor: Executor | None = None,
    objective: str = "tiles",
    *,
    weights: Mapping[Tile, int] | None = None,
    limit: Limit | None = None,
    workers: int | None = None,
) -> list[Move | None]:
    """`best_move` of every position, in order, of rules that may differ; see `Solver.solve_batch`."""
    todo = listed(positions)
    check_workers(executor, workers)
    solvers: dict[Rules, Solver] = {}
    places: dict[Rules, list[int]] = {}
    for index, position in enumerate(todo):
        with placed(f"positions[{index}]"):
            rules = _checked(position).rules
            solver = solvers.get(rules) or solvers.setdefault(rules, Solver(rules))
            solver._check(position, limit)
        places.setdefault(rules, []).append(index)
    found: list[Move | None] = [None] * len(todo)
    for rules, indices in places.items():
        some = [todo[index] for index in indices]
        moves = solvers[rules].solve_batch(some, executor, objective, weights=weights, limit=limit, workers=workers)
        for index, move in zip(indices, moves, strict=True):
            found[index] = move
    return found


def _checked(position: Position) -> Position:
    if not isinstance(position, Position):
        raise SolverError(f"position: must be a Position, not {quote(position)}")
    return position


def _solver_for(position: Position) -> Solver:
    return Solver(_checked(position).rules)
