"""Openings that may use the table: does some part of the laid tiles split into sets of enough value?

An exact search over the laid tiles alone, number by number. Its state after a number: the open runs of every colour
(length up to 3, what `jokers_per_set` must know of them, whether they began at 1) and the jokers that are left. A run
that is begun is always finished (a tile that would not be is left out instead), so the choices at a number are how many
groups get which colours and, for each colour, which runs go on. Bounds: a state is given up when even all tiles to come
do not reach the threshold, when an open run cannot get its next tiles any more, or when it was met before with as much
value; so there are never more steps than different states times different values below the threshold, and since the
largest choices are tried first a threshold that is far from the most that can be laid ends after one pass. Jokers that
form sets of their own are taken apart at the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

from .rules import Rules
from .verify_sets import JOKER, MIN_SET, number_of

_LONG: Final = 3  # lengths from here on are the same: the run may end


class _Run(NamedTuple):
    """An open run. length: up to _LONG. state: see _grown. low: it began at 1 and a 1 may not be its end."""

    length: int
    state: int
    low: bool


class _Option(NamedTuple):
    """What one colour does at one number: its runs afterwards, ones put aside for the high end, jokers, value."""

    runs: tuple[_Run, ...]
    aside: int
    jokers: int
    gain: int


def best_single_set(laid: Sequence[int], rules: Rules) -> int:
    """The highest value of one set of laid tiles, jokers as `opening_joker` says; 0 if there is no set."""
    jokers = 0 if rules.opening_joker == "forbidden" else sum(tile == JOKER for tile in laid)
    face = rules.opening_joker == "face"
    have = {tile for tile in laid if tile != JOKER}
    best = 0
    for color in range(rules.colors):
        for first in range(1, rules.numbers + 1):
            value = real = 0
            for size in range(1, min(rules.numbers, rules.numbers + rules.high_one - first + 1) + 1):
                number = (first + size - 2) % rules.numbers + 1
                there = color * rules.numbers + number - 1 in have
                real += there
                value += number if face or there else 0
                missing = size - real
                if missing > jokers:
                    break
                if size >= MIN_SET and _most_jokers(real, rules) >= missing:
                    best = max(best, value)
    for number in range(1, rules.numbers + 1):
        real = sum(color * rules.numbers + number - 1 in have for color in range(rules.colors))
        # More tiles are worth more, but a group may be too small for its jokers only if it has fewer real tiles.
        added = min(jokers, rules.colors - real, _most_jokers(real, rules))
        if real + added >= MIN_SET:
            best = max(best, number * (real + added if face else real))
    return best


def _most_jokers(real: int, rules: Rules) -> int:
    """How many jokers a set with so many real tiles may have."""
    if rules.jokers_per_set == "one":
        return 1
    return real - 1 if rules.jokers_per_set == "minority" else rules.jokers


def reaches(laid: Sequence[int], rules: Rules) -> bool:
    """Whether disjoint sets of laid tiles are together worth the threshold (or one alone: `opening_single_set`)."""
    if best_single_set(laid, rules) >= rules.opening_threshold:
        return True
    if rules.opening_single_set:
        return False
    return _Splitter(laid, rules).run()


class _Splitter:
    """The search of the module's head for one multiset of laid tiles."""

    def __init__(self, laid: Sequence[int], rules: Rules) -> None:
        self.rules = rules
        self.face = rules.opening_joker == "face"
        self.jokers = 0 if rules.opening_joker == "forbidden" else sum(tile == JOKER for tile in laid)
        self.last = rules.numbers + rules.high_one  # the row after the highest number is that of the high 1
        self.count = [[0] * rules.colors for _ in range(rules.numbers + 1)]
        for tile in laid:
            if tile != JOKER:
                self.count[number_of(tile, rules)][tile // rules.numbers] += 1
        self._drop_useless()
        self.rest = [0] * (self.last + 1)  # the value of the tiles above a number
        for number in range(rules.numbers - 1, -1, -1):
            self.rest[number] = self.rest[number + 1] + (number + 1) * sum(self.count[number + 1])
        self.seen: dict[tuple[int, tuple[tuple[_Run, ...], ...], tuple[int, ...], int], int] = {}
        self.known_options: dict[tuple[int, int, tuple[_Run, ...], int, int], list[list[_Option]]] = {}

    def _drop_useless(self) -> None:
        """Leave out tiles that can be in no set; that makes the bound closer."""
        colors = range(self.rules.colors)
        useful = [
            [bool(tiles[color]) and (self._in_group(tiles) or self._in_run(number, color)) for color in colors]
            for number, tiles in enumerate(self.count)
        ]
        self.count = [
            [count if keep else 0 for count, keep in zip(tiles, keeps, strict=True)]
            for tiles, keeps in zip(self.count, useful, strict=True)
        ]

    def _in_group(self, tiles: Sequence[int]) -> bool:
        return self.rules.colors >= MIN_SET and sum(map(bool, tiles)) + self.jokers >= MIN_SET

    def _in_run(self, number: int, color: int) -> bool:
        rows = {number, self.last} if number == 1 and self.rules.high_one else {number}
        return any(
            sum(self._there(place, color) for place in range(first, first + MIN_SET)) + self.jokers >= MIN_SET
            for row in rows
            for first in range(max(1, row - MIN_SET + 1), min(row, self.last - MIN_SET + 1) + 1)
        )

    def _there(self, row: int, color: int) -> int:
        """How many tiles a colour has for a row; the row after the highest number has the ones."""
        return self.count[1 if row > self.rules.numbers else row][color]

    def run(self) -> bool:
        """Whether the threshold can be reached."""
        none: tuple[tuple[_Run, ...], ...] = ((),) * self.rules.colors
        return any(
            self._search(1, none, (0,) * self.rules.colors, self.jokers - own, value)
            for own, value in _joker_sets(self.jokers, self.rules)
        )

    def _search(
        self, row: int, runs: tuple[tuple[_Run, ...], ...], aside: tuple[int, ...], jokers: int, value: int
    ) -> bool:
        """Whether the rows from `row` on lead from this state to the threshold. Depth: one call for each number."""
        threshold = self.rules.opening_threshold
        if value >= threshold and all(self._may_end(run) for open_runs in runs for run in open_runs):
            return True
        if row > self.last:
            return False
        above = self.rest[row - 1] if row <= self.rules.numbers else 0
        if value + above + sum(aside) + (jokers * self.rules.numbers if self.face else 0) < threshold:
            return False
        key = (row, runs, aside, jokers)
        if self.seen.get(key, -1) >= value:
            return False
        options = [self._options(row, color, runs[color], aside[color], jokers) for color in range(self.rules.colors)]
        for grouped, in_groups in self._groups(row, jokers):
            for choice in _choices([options[color][amount] for color, amount in enumerate(grouped)], jokers):
                used = sum(option.jokers for option in choice)
                gain = sum(option.gain for option in choice) + sum(grouped) * row
                for more in in_groups:
                    if used + more <= jokers and self._search(
                        row + 1,
                        tuple(option.runs for option in choice),
                        tuple(option.aside for option in choice),
                        jokers - used - more,
                        value + gain + (more * row if self.face else 0),
                    ):
                        return True
        self.seen[key] = value
        return False

    def _may_end(self, run: _Run) -> bool:
        return run.length >= _LONG and (self.rules.jokers_per_set == "one" or run.state > 0)

    def _grown(self, run: _Run, joker: bool) -> _Run | None:
        """The run with one more tile; None if the rules forbid it.

        Its state is, by `jokers_per_set`: any: 1 with a real tile in it, else 0; one: the jokers in it; minority:
        real tiles minus jokers, no higher than what all jokers together could use up.
        """
        kind = self.rules.jokers_per_set
        if kind == "one":
            state = run.state + joker
            if state > 1:
                return None
        elif kind == "minority":
            state = min(run.state + (-1 if joker else 1), self.jokers + 1)
        else:
            state = run.state if joker else 1
        return _Run(min(run.length + 1, _LONG), state, run.low)

    def _groups(self, row: int, jokers: int) -> list[tuple[tuple[int, ...], list[int]]]:
        """(Tiles of each colour in groups, possible numbers of jokers in these groups), largest first."""
        colors = self.rules.colors
        none = [((0,) * colors, [0])]
        if row > self.rules.numbers or not self._in_group(self.count[row]):
            return none
        found = []
        for grouped in product(*(range(count, -1, -1) for count in self.count[row])):
            if any(grouped):
                fitting = _group_jokers(sum(grouped), max(grouped), colors, self.rules.jokers_per_set, jokers)
                if fitting:
                    found.append((grouped, list(fitting)))
        return sorted(found, key=lambda entry: -sum(entry[0])) + none

    def _options(self, row: int, color: int, runs: tuple[_Run, ...], aside: int, jokers: int) -> list[list[_Option]]:
        """For every number of tiles in groups what the colour's runs can do, most value first."""
        key = (row, color, runs, aside, jokers)
        known = self.known_options.get(key)
        if known is None:
            have = aside if row > self.rules.numbers else self.count[row][color]
            known = [self._options_of(row, color, runs, aside, have - grouped, jokers) for grouped in range(have + 1)]
            self.known_options[key] = known
        return known

    def _options_of(
        self, row: int, color: int, runs: tuple[_Run, ...], aside: int, tiles: int, jokers: int
    ) -> list[_Option]:
        high = row > self.rules.numbers
        number = 1 if high else row
        reserve = tiles if self.rules.high_one and row == 1 else 0
        best: dict[tuple[tuple[_Run, ...], int, int], int] = {}
        for grown, real, wild, ended in self._extended(runs, tiles, jokers, high):
            starts = tiles - real if row + MIN_SET - 1 <= self.last else 0
            wild_starts = jokers - wild if self._joker_may_start(row, color, jokers - wild) else 0
            for new, new_wild in product(range(starts, -1, -1), range(wild_starts + 1)):
                for kept in range(min(reserve, tiles - real - new) + 1):
                    left = tiles - real - new - kept
                    # A tile that is left out could take a joker's place, or make an ending run longer.
                    if left and (wild + new_wild or ended) and not high:
                        continue
                    started = self._started(row, new, new_wild)
                    if started is None:
                        continue
                    after = tuple(sorted((*grown, *started)))
                    if not self._can_go_on(row, color, after, jokers - wild - new_wild):
                        continue
                    gain = number * (real + new + (wild + new_wild if self.face else 0))
                    at = (after, 0 if high else aside + kept, wild + new_wild)
                    best[at] = max(best.get(at, 0), gain)
        found = [_Option(after, later, wild, gain) for (after, later, wild), gain in best.items()]
        return sorted(found, key=lambda option: (-option.gain, option.jokers, option.runs, option.aside))

    def _joker_may_start(self, row: int, color: int, jokers: int) -> bool:
        """Whether a joker may begin a run here: a real tile must come before the jokers are used up."""
        if row + MIN_SET - 1 > self.last:
            return False
        return any(self._there(later, color) for later in range(row + 1, min(row + jokers, self.last) + 1))

    def _started(self, row: int, new: int, new_wild: int) -> list[_Run] | None:
        low = self.rules.high_one and row == 1
        empty = _Run(0, 0, low)
        real, wild = self._grown(empty, False), self._grown(empty, True)
        if (new and real is None) or (new_wild and wild is None):
            return None
        return [run for run, times in ((real, new), (wild, new_wild)) for _ in range(times) if run is not None]

    def _can_go_on(self, row: int, color: int, runs: Sequence[_Run], jokers: int) -> bool:
        """Whether the runs that are too short can still get their next tiles."""
        short = sum(run.length < _LONG for run in runs)
        if not short:
            return True
        if row + 1 > self.last or short > self._there(row + 1, color) + jokers:
            return False
        youngest = sum(run.length == 1 for run in runs)
        return not youngest or (row + 2 <= self.last and youngest <= self._there(row + 2, color) + jokers)

    def _extended(
        self, runs: tuple[_Run, ...], tiles: int, jokers: int, high: bool
    ) -> Iterator[tuple[tuple[_Run, ...], int, int, bool]]:
        """(Runs that go on, real tiles used, jokers used, whether one ended that a tile would fit)."""
        if not runs:
            yield (), 0, 0, False
            return
        run, rest = runs[0], runs[1:]
        fits = not (high and run.low)
        for later, real, wild, ended in self._extended(rest, tiles, jokers, high):
            if fits and real < tiles and (grown := self._grown(run, False)) is not None:
                yield (grown, *later), real + 1, wild, ended
            if self._may_end(run):
                yield later, real, wild, ended or fits
            if fits and wild < jokers and (grown := self._grown(run, True)) is not None:
                yield (grown, *later), real, wild + 1, ended


def _choices(options: Sequence[Sequence[_Option]], jokers: int) -> Iterator[tuple[_Option, ...]]:
    """One option of every colour with no more jokers than there are."""
    if not options:
        yield ()
        return
    for option in options[0]:
        if option.jokers <= jokers:
            for others in _choices(options[1:], jokers - option.jokers):
                yield (option, *others)


@lru_cache(maxsize=4096)
def _group_jokers(real: int, most: int, colors: int, jokers_per_set: str, jokers: int) -> tuple[int, ...]:
    """The numbers of jokers with which so many real tiles of one number make groups.

    most: the tiles of the most frequent colour, so the least number of groups. Real tiles are dealt to the groups as
    evenly as possible: that needs the fewest jokers and has room for the most.
    """
    possible: set[int] = set()
    for groups in range(most, real + 1):
        sizes = [real // groups + (index < real % groups) for index in range(groups)]
        caps = [min(colors - size, {"any": jokers, "one": 1, "minority": size - 1}[jokers_per_set]) for size in sizes]
        needs = [max(0, MIN_SET - size) for size in sizes]
        if all(need <= cap for need, cap in zip(needs, caps, strict=True)):
            possible |= set(range(sum(needs), min(sum(caps), jokers) + 1))
    return tuple(sorted(possible))


@lru_cache(maxsize=1024)
def _joker_sets(jokers: int, rules: Rules) -> tuple[tuple[int, int], ...]:
    """(Jokers, value) of the best sets of jokers only, for every number of jokers in them."""
    best = {0: 0}
    if rules.jokers_per_set == "any" and rules.opening_joker == "face":
        for total in range(MIN_SET, jokers + 1):
            values = []
            for size in range(MIN_SET, total + 1):
                if total - size in best:
                    run = sum(range(rules.numbers - size + 1, rules.numbers + 1)) if size <= rules.numbers else 0
                    value = max(run, rules.numbers * size if size <= rules.colors else 0)
                    if value:
                        values.append(best[total - size] + value)
            if values:
                best[total] = max(values)
    return tuple(best.items())
