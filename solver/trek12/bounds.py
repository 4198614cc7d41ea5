"""A score that no sheet exceeds, from how often each number can stand on it.

Let `count[v]` circles hold number v and `links[v]` links join a v to a v + 1. However the circles lie,
- `links[v]` is at most `count[v]` and `count[v + 1]`;
- a chain scores its lowest number and 2 a link, and at most `min(links[v], count[v] - links[v - 1])` chains begin at v,
  of these `links[v] - 1` if the longest chain goes through a v from below;
- the areas of v are at most half of `count[v]`, and an area of s circles scores v + s - 1;
- the longest chain needs a link at each of its steps, the largest area as many circles of one number;
- numbers of at least v are at most the boxes, the rolls and the circles that allow such a number.
The bound is the highest score that keeps all of this, by dynamic programming over the numbers from 12 down to 0.
Penalties and how the circles lie are left out, so the highest score that can be played is lower.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from .rules import Rules
from .score import bonus
from .sheets import Sheet

HIGHEST = 12
MOST_COUNTED = 32
"""Circles of the largest sheet whose numbers are counted; a larger one has a coarser bound."""
NO_SCORE = -(10**6)
_LONGEST = HIGHEST + 1
_ENDED = _LONGEST + 1
"""Phase of the longest chain once it is behind: 0 before it, 1 to 13 with so many circles and going on."""
_BONUSES = np.array([bonus(length + 1) for length in range(1, _LONGEST)], np.int32)[:, np.newaxis]

Table = NDArray[np.int32]


def upper_bound(sheet: Sheet, rolls: Sequence[tuple[int, int]] | None, rules: Rules) -> int:
    """A score that no sheet of the base game exceeds. rolls: of each turn in any order; None: any dice at any turn."""
    turns = min(sheet.circles, sum(rules.op_limits))
    if rolls is not None:
        turns = min(turns, len(rolls))
    single, least = [], []
    for number in range(HIGHEST + 1):
        single.append(min(turns, _room(number, number, sheet, rolls, rules)))
        least.append(min(turns, _room(number, HIGHEST, sheet, rolls, rules)))
    if turns > MOST_COUNTED:
        return _coarse(least)
    return highest(tuple(single), tuple(least))


def results(roll: tuple[int, int]) -> tuple[int, ...]:
    """What low, high, diff, sum and product make of a roll."""
    low, high = sorted(roll)
    return low, high, high - low, low + high, low * high


_MADE = tuple(frozenset(made) for made in zip(*(results((y, r)) for y in range(6) for r in range(1, 7)), strict=True))
"""The numbers that each operation can give."""


def _room(low: int, high: int, sheet: Sheet, rolls: Sequence[tuple[int, int]] | None, rules: Rules) -> int:
    """How many circles at most hold a number from `low` to `high`."""
    wanted = frozenset(range(low, high + 1))
    boxes = sum(limit for limit, made in zip(rules.op_limits, _MADE, strict=True) if made & wanted)
    circles = sum(sheet.limit(circle) >= low for circle in range(sheet.circles))
    if rolls is None:
        return min(boxes, circles)
    return min(boxes, circles, sum(not wanted.isdisjoint(results(roll)) for roll in rolls))


def _coarse(least: list[int]) -> int:
    """A bound from the highest numbers alone.

    A circle with number v has at most max((v + 2) / 2, 2) of its chain (lowest + 2 a link, over its circles) and at
    most max((v + 1) / 2, 1) of its area. The longest chain and the largest area share at most one circle.
    """
    circles = least[0]
    numbers = [max(v for v in range(HIGHEST + 1) if least[v] > rank) for rank in range(circles)]
    shares = sum(max((v + 2) / 2, 2.0) + max((v + 1) / 2, 1.0) for v in numbers)
    return int(shares + max(bonus(size) + bonus(min(circles, circles + 1 - size)) for size in range(_LONGEST + 1)))


@lru_cache(maxsize=64)
def highest(single: tuple[int, ...], least: tuple[int, ...]) -> int:
    """The highest score in any layout of so many numbers, without penalties.

    single[v]: most circles with v. least[v]: most circles with v or more, at least `single[v]`.
    """
    circles = least[0]
    # circles used, links down from the last number, phase of the longest chain, whether the largest area is behind
    shape = (circles + 1, circles // 2 + 1, _ENDED + 1, 2)
    table: Table = np.full(shape, NO_SCORE, np.int32)
    table[0, 0, 0, 0] = 0
    for number in range(HIGHEST, -1, -1):
        after: Table = np.full(shape, NO_SCORE, np.int32)
        used = least[number] + 1
        above = single[number + 1] if number < HIGHEST else 0
        below = single[number - 1] if number else 0
        for count in range(single[number] + 1):
            areas = _areas(number, count), _largest(number, count)
            for up in range(min(count, circles // 2, above) + 1):
                for down in range(min(count, circles // 2, below) + 1):
                    _step(table[: used - count, up], after[count:used, down], number, count, up, down, areas)
        table = after
    return int(table[:, :, (0, _ENDED)].max())


def _step(before: Table, after: Table, number: int, count: int, up: int, down: int, areas: tuple[int, int]) -> None:
    """`count` circles hold the number, with `up` links to the number above and `down` to the one below.

    before, after: [circles used, phase, largest area behind]; `after` is raised to what can be reached. areas: most
    points of the number's areas, and with one of them as the largest.
    """
    plain = 2 * up + number * min(up, count - down)
    _raise(after[:, 0], before[:, 0], plain, areas)
    _raise(after[:, _ENDED], before[:, _ENDED], plain, areas)
    if down and up < count:  # the top of the longest chain
        _raise(after[:, 1], before[:, 0], plain, areas)
    if up:  # its lowest circle
        _raise(after[:, _ENDED], (before[:, 1:_LONGEST] + _BONUSES).max(axis=1), plain, areas)
    if up and down:
        through = 2 * up + number * min(up - 1, count - down)
        _raise(after[:, 2:_ENDED], before[:, 1:_LONGEST], through, areas)


def _raise(after: Table, before: Table, points: int, areas: tuple[int, int]) -> None:
    """Take over what is better with the points of the number's chains, and of its areas."""
    np.maximum(after, before + (points + areas[0]), out=after)
    np.maximum(after[..., 1], before[..., 0] + (points + areas[1]), out=after[..., 1])


def _areas(number: int, count: int) -> int:
    """Most points of the areas that `count` circles with the same number can form."""
    if count < 2:
        return 0
    return count + (count // 2 if number else 1) * (number - 1)


@cache
def _largest(number: int, count: int) -> int:
    """The same with one of them as the largest area, with its bonus."""
    sizes = range(2, count + 1)
    return max((number + size - 1 + bonus(size) + _areas(number, count - size) for size in sizes), default=0)
