"""`take_back=less_than_laid`: tiles of the table that go to the rack, worth less together than what is laid.

In a count problem a table tile that may be taken is one that may lie there or not: what is laid and what is taken
follow from the counts, and are never the same tile. What cannot be counted is that the sum of what is taken is less.
So the best answer is looked for without that; where it takes too much, mixtures of the objective and the sum bound
what can still be had (the edges of the convex hull of all answers), and the answers are divided by how many copies of
a tile they lay or take, best bound first. A move that takes nothing is looked for apart: jokers alone have sum 0.
"""

from __future__ import annotations

import heapq
import operator
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final

from .objectives import Objective
from .problem import Budget, Counted, Laid, Problem, Question, cell, laid_of, tile_at
from .sets import JOKER, TILE_KEYS, Tile, tile_value

if TYPE_CHECKING:
    from .counts import Counts

MOST_WEIGHT: Final = 1 << 25  # of all tiles of a problem, in sum: what the kernel takes, with room
MOST_EDGES: Final = 12  # of the hull that are followed; more would only sharpen a bound


@dataclass(frozen=True, slots=True)
class _Point:
    """An answer: its worth as one number, the sum of numbers laid minus taken, and the tiles so."""

    worth: int
    total: int
    net: Counter[Tile]  # beyond what was decided
    counted: Counted


def best(problem: Problem, goal: Objective, counts: Counts, budget: Budget | None) -> Laid | None:
    """The best move of a problem of which table tiles may be taken or are taken."""
    search = _Search(problem, goal, counts, budget)
    if any(tile != JOKER for tile in problem.taken):
        return search.best(None)
    nothing = problem.copy()
    nothing.back = bytearray(len(nothing.back))
    return search.best(counts.straight(goal, budget, nothing))


class _Search:
    def __init__(self, problem: Problem, goal: Objective, counts: Counts, budget: Budget | None) -> None:
        self.problem = problem
        self.goal = goal
        self.counts = counts
        self.budget = budget
        # Both criteria as one number.
        copies: Iterable[int] = map(operator.add, problem.must, problem.may)
        self.tiles = {tile_at(at): number for at, number in enumerate(copies) if number}
        if problem.jokers_may:
            self.tiles[JOKER] = problem.jokers_may
        keys = {tile: goal.tile(tile) for tile in (*self.tiles, *problem.laid, *problem.taken)}
        most = sum(keys[tile][1] * number for tile, number in self.tiles.items())
        most += sum(keys[tile][1] for tile in (*problem.laid, *problem.taken))
        self.big: int = 2 * most + 1
        self.worth = {tile: self._one(keys[tile]) for tile in self.tiles}
        self.numbers = {tile: TILE_KEYS[tile][1] for tile in self.tiles}

    def _one(self, key: tuple[int, int]) -> int:
        return key[0] * self.big + key[1]

    def best(self, found: Laid | None) -> Laid | None:
        """The best answer that lays more than it takes, or `found` if that is better."""
        order = count()
        heap: list[tuple[int, int, Problem, _Point, _Point]] = []

        def push(part: Problem) -> None:
            nonlocal found
            best = self._ask(part, self.worth)
            if best is None or (found is not None and best.worth <= self._one(found.key)):
                return
            if best.total > 0:
                found = self._laid(part, best)
                return
            most = self._ask(part, self.numbers)
            if most is None or most.total <= 0:
                return
            bound, low, high = self._hull(part, best, most)
            if found is None or self._one(self._laid(part, high).key) > self._one(found.key):
                found = self._laid(part, high)
            heapq.heappush(heap, (-bound, next(order), part, low, high))

        push(self.problem)
        while heap:
            bound, _, part, low, high = heapq.heappop(heap)
            if found is not None and -bound <= self._one(found.key):
                break
            tile, at = _between(low.net, high.net)
            for most in (True, False):
                child = part.copy()
                if child.at_most(tile, at) if most else child.at_least(tile, at + 1):
                    push(child)
        return found

    def _hull(self, part: Problem, low: _Point, high: _Point) -> tuple[int, _Point, _Point]:
        """The greatest worth that an answer with a positive sum can have, and the points on both sides of sum 0.

        low: the best answer, its sum is not positive. high: the one with the greatest sum.
        """
        bound = low.worth
        for _ in range(MOST_EDGES):
            rise, fall = high.total - low.total, low.worth - high.worth
            if fall <= 0:
                return min(bound, high.worth), low, high
            slope = self._scaled(rise, fall)
            mixed = {tile: slope[0] * self.worth[tile] + slope[1] * self.numbers[tile] for tile in self.tiles}
            point = self._ask(part, mixed)
            if point is None:
                break
            height = slope[0] * point.worth + slope[1] * point.total
            if slope[0]:
                bound = min(bound, (height - slope[1]) // slope[0])
            if height <= max(slope[0] * p.worth + slope[1] * p.total for p in (low, high)):
                break
            if point.total > 0:
                high = point
            else:
                low = point
        return bound, low, high

    def _scaled(self, rise: int, fall: int) -> tuple[int, int]:
        """Weights of worth and sum that are small enough for the kernel, nearly in the ratio of the edge."""
        worth = sum(number * self.worth[tile] for tile, number in self.tiles.items())
        total = sum(number * self.numbers[tile] for tile, number in self.tiles.items())
        over = -(-(rise * worth + fall * total) // MOST_WEIGHT)
        return max(1, rise // over) if over > 1 else rise, fall // over if over > 1 else fall

    def _ask(self, part: Problem, weights: Mapping[Tile, int]) -> _Point | None:
        """The answer of the greatest weight; laying nothing counts."""
        packed = array("i", [0]) * self.counts.cells
        for tile, weight in weights.items():
            packed[-1 if tile == JOKER else cell(tile)] = max(0, weight)

        def key(counted: Counted) -> tuple[int, int]:
            return sum(weights[tile] for tile in counted.laid) - sum(weights[tile] for tile in counted.taken), 0

        counted = self.counts.ask(part, Question("exact", key, packed, empty=True, budget=self.budget))
        if counted is None:
            return None
        net = Counter(counted.laid)
        net.subtract(counted.taken)
        laid, taken = [*part.laid, *counted.laid], [*part.taken, *counted.taken]
        return _Point(self._one(self.goal.net(laid, taken)), tile_value(laid) - tile_value(taken), net, counted)

    def _laid(self, part: Problem, point: _Point) -> Laid:
        return laid_of(self.goal, part, point.counted)


def _between(low: Counter[Tile], high: Counter[Tile]) -> tuple[Tile, int]:
    """A tile of which two answers lay or take differently, the one that weighs most, and a number between."""
    tiles = sorted({*low, *high})
    tile = max(tiles, key=lambda tile: abs(low[tile] - high[tile]) * (1 + tile_value([tile])))
    return tile, (low[tile] + high[tile]) // 2
