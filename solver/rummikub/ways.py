"""How many arrangements a bag of tiles has: numbers are swept in order, and only what lies open is remembered.

A state after a number: for each colour the runs that are still open, and the jokers that are left. Of an open run
only what decides about its end is remembered (its length up to 3, and how jokers sit in it), and how many runs are
the same so far: of these it is chosen how many go on with a tile, how many with a joker, and how many end, so every
multiset of runs is counted once. What the runs leave of a number must be groups; multisets of groups with given tiles
and jokers are counted in a table.

States that say the same are one: colours of which the same tiles are still to come may change places. States that
cannot end are left out: each colour tells how many jokers it needs at least from its open runs on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Final, NamedTuple

from ..errors import LimitReached, UnsupportedRules
from ..limits import Limit
from .problem import Budget
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
# For each colour its runs by their place in `_Sweep.known`, then the jokers that are left. In the middle of a number a
# colour that is done is its runs times `_Sweep.width`, plus the tiles that it leaves for groups.
State = tuple[int, ...]


def count_ways(bag: Mapping[Tile, int], rules: Rules, budget: Budget | None = None) -> int:
    """The number of arrangements of a bag that the rules can hold.

    budget: nodes are states that are kept after a number; LimitReached when it is spent. Raises UnsupportedRules for
    `high_one`, LimitReached if more than MAX_STATES states would have to be kept.
    """
    if rules.high_one:
        raise UnsupportedRules("high_one: yes; arrangements are counted with runs that end at the highest number only")
    return _Sweep(bag, rules, budget or Budget(Limit())).count()


class _Sweep:
    """The steps of one bag."""

    def __init__(self, bag: Mapping[Tile, int], rules: Rules, budget: Budget) -> None:
        self.rules = rules
        self.budget = budget
        self.jokers = bag.get(JOKER, 0)
        numbers = range(1, rules.numbers + 1)
        self.tiles = [tuple(bag.get(f"{color}{number}", 0) for number in numbers) for color in COLORS[: rules.colors]]
        self.width = 1 + max(map(max, self.tiles))
        self.known: list[Runs] = []
        self.places: dict[Runs, int] = {}
        self.kinds = self._group_kinds()
        self.goes_on = cache(self._goes_on)
        self.need = cache(self._need)
        self.groups = cache(self._groups)
        self.fits = cache(self._fits)

    def count(self) -> int:
        """All arrangements."""
        nothing = self._place(())
        states: dict[State, int] = {(*[nothing] * len(self.tiles), self.jokers): 1}
        for at in range(self.rules.numbers):
            self.budget.left()
            states = self._step(states, at)
            self.budget.spend(len(states))
        return sum(ways * self.bare_jokers(jokers, MIN_SET) for (*_, jokers), ways in states.items())

    def _step(self, states: dict[State, int], at: int) -> dict[State, int]:
        """The states after the number at this index."""
        ahead = [tiles[at + 1 :] for tiles in self.tiles]
        # Colour by colour: each of them with the tiles that it leaves for groups.
        part = states
        for color, tiles in enumerate(self.tiles):
            alike = [i for i in range(color + 1) if ahead[i] == ahead[color]]
            found: dict[tuple[int, int], tuple[tuple[int, int, int], ...]] = {}
            after: defaultdict[State, int] = defaultdict(int)
            for state, ways in part.items():
                self.budget.look()
                jokers = state[-1]
                asked = state[color], jokers
                if asked not in found:
                    found[asked] = self.goes_on(*asked, tiles[at:])
                for code, spent, times in found[asked]:
                    key = (*state[:color], code, *state[color + 1 : -1], jokers - spent)
                    after[_in_order(key, alike) if len(alike) > 1 else key] += ways * times
                if len(after) > MAX_STATES:
                    raise LimitReached(f"states: more than {MAX_STATES} are needed")
            rest = tuple(other[at] for other in self.tiles[color + 1 :])
            part = {key: ways for key, ways in after.items() if self.fits(self._left(key[: color + 1]), rest, key[-1])}
        out: defaultdict[State, int] = defaultdict(int)
        for (*codes, jokers), ways in part.items():
            runs = [code // self.width for code in codes]
            needed = sum(map(self.need, runs, ahead))
            for spent, choices in self.groups(self._left(codes), jokers):
                if needed <= jokers - spent:
                    out[(*runs, jokers - spent)] += ways * choices
        return out

    def _left(self, codes: Sequence[int]) -> tuple[int, ...]:
        """What colours leave for groups, in order: which of them leaves it makes no difference."""
        return tuple(sorted(code % self.width for code in codes))

    def _place(self, runs: Runs) -> int:
        """The place of runs in `known`."""
        if runs not in self.places:
            if len(self.known) == MAX_STATES:
                raise LimitReached(f"states: more than {MAX_STATES} are needed")
            self.places[runs] = len(self.known)
            self.known.append(runs)
        return self.places[runs]

    def _goes_on(self, place: int, jokers: int, coming: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
        """What can become of the runs of a colour at a number: codes, jokers used, and in how many ways.

        coming: the tiles of the colour from this number on.
        """
        self.budget.left()
        here = coming[0]
        found: Counter[tuple[int, int]] = Counter()
        kinds = (*self.known[place], (NEW, here + jokers))
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
            following = self._place(tuple(sorted(after)))
            if self.need(following, coming[1:]) <= jokers - spent:
                found[following * self.width + here - used, spent] += 1
        return tuple((code, spent, times) for (code, spent), times in found.items())

    def _need(self, place: int, coming: tuple[int, ...]) -> int:
        """How many jokers a colour needs at least to end its open runs; more than there are if it cannot.

        coming: tiles of the colour from the next number on. A run shorter than a set takes a tile or a joker of each of
        the next numbers till it is one.
        """
        runs = self.known[place]
        if not coming:
            return 0 if all(self.legal(run) for run, _ in runs) else self.jokers + 1
        needed = 0
        for behind in range(MIN_SET - 1):
            short = sum(number for run, number in runs if run.size < MIN_SET - behind)
            if behind == len(coming):
                return needed if short == 0 else self.jokers + 1
            needed += max(0, short - coming[behind])
        return needed

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

    def _fits(self, left: tuple[int, ...], coming: tuple[int, ...], jokers: int) -> bool:
        """Whether these tiles can all be in groups, with what the other colours may leave; coming: their tiles."""
        return any(
            self.groups(tuple(sorted((*left, *more))), jokers) for more in product(*(range(n + 1) for n in coming))
        )

    def bare_jokers(self, jokers: int, least: int) -> int:
        """How many multisets of sets of jokers alone, none smaller than `least`, hold so many jokers."""
        if jokers == 0:
            return 1
        if self.rules.jokers_per_set != "any":
            return 0
        longest = min(jokers, max(self.rules.numbers, self.rules.colors))
        return sum(self.bare_jokers(jokers - size, size) for size in range(least, longest + 1))


def _in_order(state: State, alike: Sequence[int]) -> State:
    """The state with the colours that are alike in order."""
    changed = list(state)
    for color, code in zip(alike, sorted(state[color] for color in alike), strict=True):
        changed[color] = code
    return tuple(changed)
