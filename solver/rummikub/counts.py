"""Count problems, solved: the kernel, and what it does not know of them.

`high_one`: a 1 is low or stands after the highest number. How many of each colour are high is tried; each way is one
problem of the kernel, with a row more for them. `take_back`: see `taking`. Jokers that cost something to lay: tried by
their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Final

from ..errors import UnsupportedRules
from . import taking
from .kernel import Sweep
from .objectives import Objective
from .problem import LANES, Budget, Counted, Laid, Problem, Question, cell, laid_of, names, tile_at
from .rules import Rules
from .sets import JOKER, MIN_SET, Tile, TileSet, readings, sort_tiles, tile_value

LEAST_HIGH_NUMBERS: Final = 2 * MIN_SET - 1  # then a run of all numbers and a high 1 can be cut in two


class Counts:
    """Solves count problems of one rule set exactly. Safe to share between threads."""

    def __init__(self, rules: Rules, memory: int) -> None:
        if rules.high_one and rules.numbers < LEAST_HIGH_NUMBERS:
            raise UnsupportedRules(f"high_one: the search wants at least {LEAST_HIGH_NUMBERS} numbers")
        self.rules = rules
        self._any_jokers = replace(rules, jokers_per_set="any")
        rows = rules.numbers + rules.high_one
        self.cells = rows * LANES + 1  # weights that the kernel reads
        called = names(rules.numbers)
        if rules.high_one:
            called = (*called[:-1], *called[:LANES], JOKER)
        self.sweep = Sweep(rules.colors, rows, called, memory, rules.high_one)

    def best(self, goal: Objective, budget: Budget | None, problem: Problem) -> Laid | None:
        """The best move of a count problem; something is laid. Jokers are not kept here (see `jokers`)."""
        if goal.go_out:
            if problem.taken:
                return None
            if any(problem.back):
                problem = problem.copy()
                problem.back = bytearray(len(problem.back))
        if goal.joker < 0 and problem.jokers_may:
            return self._by_jokers(goal, budget, problem)
        if any(problem.back) or any(tile != JOKER for tile in problem.taken):
            return taking.best(problem, goal, self, budget)
        return self.straight(goal, budget, problem)

    def straight(self, goal: Objective, budget: Budget | None, problem: Problem) -> Laid | None:
        """The same where the sums of what is laid and taken are not compared."""
        question = Question(
            goal.code,
            lambda counted: goal.net(counted.laid, counted.taken),
            goal.weights,
            goal.go_out,
            bool(problem.laid),
            budget,
        )
        found = self.ask(problem, question)
        return None if found is None else laid_of(goal, problem, found)

    def _by_jokers(self, goal: Objective, budget: Budget | None, problem: Problem) -> Laid | None:
        """Jokers that cost something to lay: the best over how many of them are laid."""
        best = None
        for used in range(problem.jokers_may + 1):
            part = problem.copy()
            for _ in range(used):
                part.lay(JOKER)
            part.jokers_may = 0
            found = self.best(goal, budget, part)
            if found is not None and (best is None or found.key > best.key):
                best = found
        return best

    def most_value(self, face: bool, problem: Problem) -> Laid | None:
        """Sets of the greatest opening value; the key is that value, of decided sets as well."""
        rules = self._any_jokers  # a set that breaks `jokers_per_set` bounds what keeps it

        def value(sets: list[TileSet]) -> int:
            if not face:
                return sum(map(tile_value, sets))
            return sum(max(reading.value for reading in readings(tiles, rules)) for tiles in sets)

        def key(counted: Counted) -> tuple[int, int]:
            return value(counted.sets()), 0

        found = self.ask(problem, Question("face" if face else "value", key, empty=True))
        if found is None:
            return None
        worth = value([*problem.sets, *found.sets()])
        return Laid((worth, 0), sort_tiles((*problem.laid, *found.laid)), found.sets, (), tuple(problem.sets))

    def ask(self, problem: Problem, question: Question) -> Counted | None:
        """The best answer to a question; None if there is none."""
        if self.rules.high_one:
            return self._by_high_ones(problem, question)
        return self._ask(problem, problem.packed(), question, question.empty)

    def _ask(self, problem: Problem, packed: bytes, question: Question, empty: bool) -> Counted | None:
        budget = question.budget
        nodes, seconds = budget.left() if budget else (0, 0.0)
        answer = self.sweep.solve(
            packed,
            question.code,
            question.weights,
            go_out=question.go_out,
            empty=empty,
            nodes=nodes,
            seconds=seconds,
            watch=budget.watch if budget else None,
        )
        if budget:
            budget.spend(answer.expanded if answer is not None else 1)
        if answer is None:
            return None
        if not self.rules.high_one and not any(problem.back):
            return Counted(answer.tiles, (), answer)
        laid, taken = _net(problem, packed, answer.tiles)
        return Counted(laid, taken, lambda: self._cut(answer()))

    def _cut(self, sets: list[TileSet]) -> list[TileSet]:
        """A run from the low 1 to the high 1 holds a tile twice: two runs."""
        out = []
        for tiles in sets:
            if len(tiles) > self.rules.numbers:
                out += [tiles[:MIN_SET], tiles[MIN_SET:]]
            else:
                out.append(tiles)
        return out

    def _by_high_ones(self, problem: Problem, question: Question) -> Counted | None:
        """The best over how many 1s of each colour stand after the highest number."""
        best = None
        everything = sum(problem.may) + problem.jokers_may
        for high in self._high_ones(problem):
            packed = _with_high_ones(problem, high)
            laid = sum(max(0, high[lane] - problem.must[lane]) for lane in range(LANES))
            found = self._ask(problem, packed, question, question.empty or laid > 0)
            if found is None:
                continue
            key = question.key(found)
            if best is None or key > best[0]:
                best = key, found
            if question.code != "face" and len(found.laid) == everything and not found.taken:
                break  # nothing is better than all
        return None if best is None else best[1]

    def _high_ones(self, problem: Problem) -> Iterator[tuple[int, ...]]:
        """How many 1s of each colour may be high, fewest first."""
        numbers = self.rules.numbers
        jokers = problem.jokers_must + problem.jokers_may
        most = []
        for lane in range(LANES):
            ones, last, other = (
                problem.must[at] + problem.may[at]
                for at in (lane, (numbers - 1) * LANES + lane, (numbers - 2) * LANES + lane)
            )
            # Each stands after a highest tile and a second highest one, or jokers in their place.
            most.append(min(ones, last + jokers, other + jokers, (last + other + jokers) // 2))
        return product(*(range(number + 1) for number in most))


def _with_high_ones(problem: Problem, high: tuple[int, ...]) -> bytes:
    """What the kernel reads where exactly so many 1s of each colour are high."""
    half = len(problem.must)
    packed = problem.packed()
    must, may = bytearray(packed[:half]), bytearray(packed[half : 2 * half])
    for lane, number in enumerate(high):
        total = must[lane] + may[lane] - number
        must[lane] = max(0, must[lane] - number)
        may[lane] = total - must[lane]
    return bytes(must + bytes(high) + may + bytes(LANES) + packed[-2:])


def _net(problem: Problem, packed: bytes, used: TileSet) -> tuple[TileSet, TileSet]:
    """What is laid and what is taken, from the tiles that the kernel uses beyond those that it must."""
    counts = bytearray(packed[: len(problem.must)])
    for lane in range(LANES):  # the high ones
        if len(packed) > 2 * len(counts) + 2:
            counts[lane] += packed[len(counts) + lane]
    jokers = 0
    for tile in used:
        if tile == JOKER:
            jokers += 1
        else:
            counts[cell(tile)] += 1
    laid: list[Tile] = []
    taken: list[Tile] = []
    for at, (number, before) in enumerate(zip(counts, problem.must, strict=True)):
        if number > before:
            laid += [tile_at(at)] * (number - before)
        elif number < before:
            taken += [tile_at(at)] * (before - number)
    laid += [JOKER] * jokers
    return sort_tiles(laid), sort_tiles(taken)
