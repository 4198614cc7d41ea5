"""All arrangements of a bag and the least changed of them, straight from the definitions; slow."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from solver.rummikub import Rules

Table = tuple[tuple[str, ...], ...]
COLORS = "RBKO"


def rank(tile: str) -> tuple[int, int]:
    """R < B < K < O, then number, joker last."""
    return (len(COLORS), 0) if tile == "J" else (COLORS.index(tile[0]), int(tile[1:]))


@cache
def all_sets(rules: Rules) -> tuple[tuple[str, ...], ...]:
    """Every set of a rule set as it is written, straight from the definition."""
    found: set[tuple[str, ...]] = set()

    def offer(tiles: Sequence[str]) -> None:
        for jokers in range(min(rules.jokers, len(tiles)) + 1):
            real = len(tiles) - jokers
            if jokers > {"any": jokers, "one": 1, "minority": real - 1}[rules.jokers_per_set]:
                continue
            for places in itertools.combinations(range(len(tiles)), jokers):
                found.add(tuple("J" if at in places else tile for at, tile in enumerate(tiles)))

    for color in COLORS[: rules.colors]:
        line = [f"{color}{number}" for number in range(1, rules.numbers + 1)] + (
            [f"{color}1"] if rules.high_one else []
        )
        for first, last in itertools.combinations(range(len(line)), 2):
            part = line[first : last + 1]
            if len(part) >= 3 and len(set(part)) == len(part):
                offer(part)
    groups: set[tuple[str, ...]] = set()
    runs, found = found, groups
    for number in range(1, rules.numbers + 1):
        for size in range(3, rules.colors + 1):
            for colors in itertools.combinations(COLORS[: rules.colors], size):
                offer([f"{color}{number}" for color in colors])
    return tuple(sorted(runs | {tuple(sorted(tiles, key=rank)) for tiles in groups}))


def every_arrangement(tiles: Sequence[str], rules: Rules) -> Iterator[Table]:
    """All multisets of sets that hold exactly the tiles: the first tile left is covered by every set that holds it.

    Sets that cover the same tile one after another come in their order, so that no multiset comes twice.
    """
    bag = Counter(tiles)
    fitting = [
        (tiles_of_set, Counter(tiles_of_set))
        for tiles_of_set in sorted(all_sets(rules))
        if not Counter(tiles_of_set) - bag
    ]

    def lay(left: Counter[str], last: str, begin: int, laid: list[tuple[str, ...]]) -> Iterator[Table]:
        if not left:
            yield tuple(laid)
            return
        first = min(left, key=rank)
        for at in range(begin if first == last else 0, len(fitting)):
            tiles_of_set, need = fitting[at]
            if first in need and not need - left:
                yield from lay(left - need, first, at, [*laid, tiles_of_set])

    return lay(bag, "", 0, [])


def order(table: Table) -> tuple[list[list[tuple[int, int]]], list[list[tuple[int, int]]]]:
    """The fixed order: sorted list of sorted sets, then the same with the sets as they are written."""
    return (
        sorted(sorted(map(rank, tiles)) for tiles in table),
        [written for _, written in sorted((sorted(map(rank, tiles)), list(map(rank, tiles))) for tiles in table)],
    )


def overlap(left: Sequence[str], right: Sequence[str]) -> int:
    return (Counter(left) & Counter(right)).total()


def kept_and_moved(before: Table, after: Table) -> tuple[int, int]:
    """The two counts from their definitions; the matching by dynamic programming over all subsets."""
    kept = (Counter(before) & Counter(after)).total()
    best = {0: 0}
    for tiles in after:
        grown = dict(best)
        for used, shared in best.items():
            for at, original in enumerate(before):
                if not used >> at & 1:
                    key = used | 1 << at
                    grown[key] = max(grown.get(key, 0), shared + overlap(tiles, original))
        best = grown
    return kept, sum(map(len, before)) - max(best.values())


def expected_change(
    before: Table, tiles: Sequence[str], rules: Rules, accept: Callable[[Table], bool] = lambda _: True
) -> tuple[int, int, object] | None:
    best = None
    for after in every_arrangement(tiles, rules):
        if accept(after):
            kept, moved = kept_and_moved(before, after)
            key = (-kept, moved, order(after))
            best = key if best is None else min(best, key)
    return None if best is None else (-best[0], best[1], best[2])


RULES = [
    Rules(colors=4, numbers=6, copies=2, jokers=2),
    Rules(colors=3, numbers=7, copies=2, jokers=0),
    Rules(colors=4, numbers=5, copies=1, jokers=3, high_one=True),
    Rules(colors=4, numbers=5, copies=3, jokers=2, jokers_per_set="one"),
    Rules(colors=2, numbers=8, copies=2, jokers=4, jokers_per_set="minority", high_one=True),
    Rules(colors=4, numbers=4, copies=2, jokers=4, high_one=True),
    Rules(colors=1, numbers=9, copies=3, jokers=3),
]


def random_tables(rules: Rules, seed: int, count: int, largest: int) -> Iterator[Table]:
    """Legal tables of at most `largest` tiles, short sets preferred."""
    rng = random.Random(seed)
    sets = all_sets(rules)
    limits = {tile: rules.copies for tiles in sets for tile in tiles} | {"J": rules.jokers}
    for _ in range(count):
        table: list[tuple[str, ...]] = []
        used: Counter[str] = Counter()
        for _ in range(rng.randrange(9)):
            tiles = min((rng.choice(sets) for _ in range(2)), key=len)
            after = used + Counter(tiles)
            if after.total() <= largest and all(after[tile] <= limits[tile] for tile in after):
                table.append(tiles)
                used = after
        yield tuple(table)


def tiles_of(table: Table) -> list[str]:
    return [tile for tiles in table for tile in tiles]
