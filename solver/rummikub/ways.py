"""How many arrangements a bag of tiles has: numbers are swept in order, and only what lies open is remembered.

A state after a number: for each colour the runs that are still open, and the jokers that are left. Of an open run
only what decides about its end is remembered (its length up to 3, and how jokers sit in it), and how many runs are
the same so far: of these it is chosen how many go on with a tile, how many with a joker, and how many end, so every
multiset of runs is counted once. What the runs leave of a number must be groups; multisets of groups with given tiles
and jokers are counted in a table.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Final, NamedTuple

from ..errors import LimitReached, UnsupportedRules
from .rules import Rules
from .sets import COLORS, JOKER, MIN_SET, Tile

MAX_STATES: Final = 1_000_000  # kept at once: less than 1 GiB


class Open(NamedTuple):
    """An open run. size: up to MIN_SET, beyond that only as long as `front`. front: a tile and jokers behind it."""

    size: int
    real: int
    jokers: int
    front: bool


NEW: Final = Open(0, 0, 0, True)

Runs = tuple[tuple[Open, int], ...]  # different open runs with how many are the same, sorted
State = tuple[tuple[Runs, ...], int]


def count_ways(bag: Mapping[Tile, int], rules: Rules) -> int:
    """The number of arrangements of a bag that the rules can hold.

    Raises UnsupportedRules for `high_one`, LimitReached if more than MAX_STATES states would have to be kept.
    """
    if rules.high_one:
        raise UnsupportedRules("high_one: yes; arrangements are counted with runs that end at the highest number only")
    sweep = _Sweep(rules)
    colors = COLORS[: rules.colors]
    states: dict[State, int] = {(((),) * rules.colors, bag.get(JOKER, 0)): 1}
    for number in range(1, rules.numbers + 1):
        tiles = [bag.get(f"{color}{number}", 0) for color in colors]
        coming = [bag.get(f"{color}{number + 1}", 0) for color in colors]
        states = sweep.step(states, tiles, coming)
    return sum(
        ways * sweep.bare_jokers(jokers, MIN_SET)
        for (runs, jokers), ways in states.items()
        if all(sweep.legal(run) for color in runs for run, _ in color)
    )


class _Sweep:
    """The steps of one rule set."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.goes_on = cache(self._goes_on)
        self.groups = cache(self._groups)
        self.kinds = self._group_kinds()

    def step(self, states: dict[State, int], tiles: list[int], coming: list[int]) -> dict[State, int]:
        """The states after one number. tiles: how many of it in each colour; coming: of the next number."""
        # Colour by colour: runs of the colours that are done, the others as they were, tiles left for groups, jokers.
        part: dict[tuple[tuple[Runs, ...], tuple[int, ...], int], int] = {
            (runs, (), jokers): ways for (runs, jokers), ways in states.items()
        }
        for color, here in enumerate(tiles):
            after: defaultdict[tuple[tuple[Runs, ...], tuple[int, ...], int], int] = defaultdict(int)
            for (runs, left, jokers), ways in part.items():
                for following, used, spent in self.goes_on(runs[color], here, jokers, coming[color]):
                    key = (*runs[:color], following, *runs[color + 1 :]), (*left, here - used), jokers - spent
                    after[key] += ways
                if len(after) > MAX_STATES:
                    raise LimitReached(f"states: more than {MAX_STATES} are needed")
            part = after
        out: defaultdict[State, int] = defaultdict(int)
        for (runs, left, jokers), ways in part.items():
            for spent, choices in self.groups(left, jokers):
                out[runs, jokers - spent] += ways * choices
        return out

    def _goes_on(self, runs: Runs, here: int, jokers: int, coming: int) -> tuple[tuple[Runs, int, int], ...]:
        """What can become of the runs of a colour at a number: runs, tiles and jokers used.

        Runs shorter than a set must go on, so they are no more than tiles and jokers of the next number.
        """
        found: list[tuple[Runs, int, int]] = []
        kinds = (*runs, (NEW, here + jokers))
        for plan in self._plans(kinds, here, jokers):
            # Different runs stay apart even if they look the same from here on.
            after: list[tuple[Open, int]] = []
            used = spent = 0
            for (before, _), (real, wild) in zip(kinds, plan, strict=True):
                used += real
                spent += wild
                if real:
                    after.append((self._longer(before, False), real))
                if wild:
                    after.append((self._longer(before, True), wild))
            if sum(number for run, number in after if run.size < MIN_SET) <= coming + jokers - spent:
                found.append((tuple(sorted(after)), used, spent))
        return tuple(found)

    def _plans(self, runs: Runs, here: int, jokers: int) -> Iterator[tuple[tuple[int, int], ...]]:
        """For each kind of open run, and for new ones, how many go on with a tile and how many with a joker."""
        if not runs:
            yield ()
            return
        (run, number), rest = runs[0], runs[1:]
        may_end = run == NEW or self.legal(run)
        for real in range(min(number, here) + 1):
            for wild in range(min(number - real, jokers) + 1):
                if may_end or real + wild == number:
                    for plan in self._plans(rest, here - real, jokers - wild):
                        yield ((real, wild), *plan)

    def _longer(self, run: Open, joker: bool) -> Open:
        """A run with one more tile; what makes no difference any more is forgotten."""
        real, jokers = run.real + (not joker), run.jokers + joker
        front = run.front and (joker if run.size else not joker)
        size = run.size + 1
        if not front or size > self.rules.colors:
            front = False
            size = min(size, MIN_SET)
        if self.rules.jokers_per_set == "minority":
            # Only the difference counts, up to what jokers can still spoil.
            both = min(real, jokers)
            real, jokers = min(real - both, self.rules.jokers + 1), jokers - both
        else:
            real = min(real, 1)
            jokers = jokers if self.rules.jokers_per_set == "one" else 0
        return Open(size, real, jokers, front)

    def legal(self, run: Open) -> bool:
        """Whether a run can end. One tile and jokers behind it is written like a group and counted as one."""
        if run.size < MIN_SET or run.front:
            return False
        if self.rules.jokers_per_set == "minority":
            return run.real > run.jokers
        return run.real > 0 and (self.rules.jokers_per_set == "any" or run.jokers <= 1)

    def _group_kinds(self) -> list[tuple[tuple[int, ...], int]]:
        """Every group: which colours are there (0 or 1 each), and the jokers; in a fixed order."""
        limit = {"any": self.rules.colors, "one": 1, "minority": self.rules.colors}[self.rules.jokers_per_set]
        return [
            (there, jokers)
            for there in product((0, 1), repeat=self.rules.colors)
            for jokers in range(min(limit, self.rules.jokers) + 1)
            if sum(there)
            and MIN_SET <= sum(there) + jokers <= self.rules.colors
            and (self.rules.jokers_per_set != "minority" or sum(there) > jokers)
        ]

    def _groups(self, tiles: tuple[int, ...], jokers: int) -> tuple[tuple[int, int], ...]:
        """For each number of jokers used, how many multisets of groups hold exactly these tiles."""
        ways: Counter[tuple[tuple[int, ...], int]] = Counter({((0,) * len(tiles), 0): 1})
        for there, used in self.kinds:
            # Each kind as often as it fits: sums in ascending order see their own result.
            for key in sorted(product(*(range(n + 1) for n in tiles), range(jokers + 1))):
                held, spent = key[:-1], key[-1]
                before = tuple(a - b for a, b in zip(held, there, strict=True)), spent - used
                if before in ways:
                    ways[held, spent] += ways[before]
        return tuple((spent, ways[tiles, spent]) for spent in range(jokers + 1) if ways[tiles, spent])

    def bare_jokers(self, jokers: int, least: int) -> int:
        """How many multisets of sets of jokers alone, none smaller than `least`, hold so many jokers."""
        if jokers == 0:
            return 1
        if self.rules.jokers_per_set != "any":
            return 0
        longest = min(jokers, max(self.rules.numbers, self.rules.colors))
        return sum(self.bare_jokers(jokers - size, size) for size in range(least, longest + 1))
