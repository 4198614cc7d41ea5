"""The set-cover kernel against an exhaustive search that shares no code with it."""

from __future__ import annotations

import itertools
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import pytest

from solver.errors import IllegalPosition, LimitReached, ParseError, SolverError, UnsupportedRules
from solver.rummikub import Position, Rules
from solver.rummikub.kernel import Cover

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


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_arrangements_are_all_arrangements(rules: Rules) -> None:
    cover = Cover(rules)
    for table in random_tables(rules, 1, 40, 12):
        tiles = tiles_of(table)
        listed = list(cover.arrangements(tiles))
        expected = [Counter(found) for found in every_arrangement(tiles, rules)]
        assert len(listed) == len(expected) == cover.count_arrangements(tiles)
        assert {frozenset(Counter(found).items()) for found in listed} == {
            frozenset(found.items()) for found in expected
        }
        keys = [sorted((sorted(map(rank, tiles)), list(map(rank, tiles))) for tiles in found) for found in listed]
        assert keys == sorted(keys)
        assert order(cover.arrange(tiles) or ()) == min(map(order, listed))


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_arrangements_of_tiles_without_order(rules: Rules) -> None:
    rng = random.Random(2)
    cover = Cover(rules)
    every = sorted({tile for tiles in all_sets(rules) for tile in tiles} - {"J"}) * rules.copies + ["J"] * rules.jokers
    for _ in range(100):
        tiles = rng.sample(every, min(len(every), rng.randrange(12)))
        count = sum(1 for _ in every_arrangement(tiles, rules))
        assert cover.count_arrangements(tiles) == count
        assert (cover.arrange(tiles) is None) == (count == 0)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_least_change_is_the_least(rules: Rules) -> None:
    """From a table to its own tiles, to those of another table (tiles are new or gone), and back from a mixture."""
    rng = random.Random(3)
    cover = Cover(rules)
    largest = 9 if rules.jokers > 2 else 12
    for before, other in zip(random_tables(rules, 4, 60, largest), random_tables(rules, 5, 60, largest), strict=True):
        mixed = rng.choice(list(every_arrangement(tiles_of(before), rules)))
        for start, tiles in ((before, tiles_of(before)), (before, tiles_of(other)), (mixed, tiles_of(before))):
            expected = expected_change(start, tiles, rules)
            change = cover.least_change(start, tiles)
            assert change is not None
            assert (change.kept, change.moved, order(change.table)) == expected


@pytest.mark.parametrize("rules", RULES[:3], ids=str)
def test_least_change_after_laying_tiles(rules: Rules) -> None:
    """The table plus a few tiles, where an arrangement exists."""
    rng = random.Random(6)
    cover = Cover(rules)
    every = sorted({tile for tiles in all_sets(rules) for tile in tiles} - {"J"}) * rules.copies + ["J"] * rules.jokers
    met = 0
    for before in random_tables(rules, 7, 300 if rules.jokers == 0 else 150, 12):
        left = list((Counter(every) - Counter(tiles_of(before))).elements())
        tiles = tiles_of(before) + rng.sample(left, min(len(left), rng.randrange(1, 4)))
        change = cover.least_change(before, tiles)
        expected = expected_change(before, tiles, rules)
        assert (None if change is None else (change.kept, change.moved, order(change.table))) == expected
        met += change is not None
    assert met > 10


@pytest.mark.parametrize("rules", [RULES[0], RULES[5]], ids=str)
def test_conditions_of_the_caller(rules: Rules) -> None:
    """`accept` sees canonical tables and may refuse any of them; refusing all of them is no answer."""
    rng = random.Random(8)
    cover = Cover(rules)
    for before in random_tables(rules, 9, 60, 12):
        tiles = tiles_of(before)
        refused = {found for found in every_arrangement(tiles, rules) if rng.random() < 0.6}
        keys = {frozenset(Counter(found).items()) for found in refused}

        def accept(table: Table, keys: set[frozenset[tuple[tuple[str, ...], int]]] = keys) -> bool:
            return frozenset(Counter(table).items()) not in keys

        change = cover.least_change(before, tiles, accept=accept)
        expected = expected_change(before, tiles, rules, accept)
        assert (None if change is None else (change.kept, change.moved, order(change.table))) == expected
        assert cover.least_change(before, tiles, accept=lambda _: False) is None


@cache
def readings(tiles: tuple[str, ...], rules: Rules) -> list[list[set[str]]]:
    """Every way to read a written set: for each joker the tiles that it can stand for."""
    places = [at for at, tile in enumerate(tiles) if tile == "J"]
    real = [tile for tile in tiles if tile != "J"]
    found = []
    for full in all_sets(rules):
        run = "J" not in full and len({tile[0] for tile in full}) == 1
        if run and len(full) == len(tiles) and all(a in ("J", b) for a, b in zip(tiles, full, strict=True)):
            found.append([{full[at]} for at in places])
    if (
        len(tiles) <= rules.colors
        and len({tile[1:] for tile in real}) == 1
        and list(tiles[: len(real)]) == sorted(real, key=rank)
    ):
        found.append([{f"{color}{real[0][1:]}" for color in COLORS[: rules.colors]} - set(real)] * len(places))
    return found


def test_jokers_that_stay() -> None:
    rules = Rules(colors=4, numbers=6, copies=2, jokers=2)
    cover = Cover(rules)
    met = 0
    for before in random_tables(rules, 10, 100, 12):
        stays = [face for tiles in before for face in readings(tiles, rules)[0]]
        for after in random_tables(rules, 11, 3, 12):
            tiles = tiles_of(after)
            if tiles.count("J") < len(stays):
                continue

            def accept(table: Table, stays: list[set[str]] = stays) -> bool:
                return any(
                    all(need & face for need, face in zip(stays, chosen, strict=True))
                    for read in itertools.product(*(readings(tiles, rules) for tiles in table))
                    for chosen in itertools.permutations(itertools.chain(*read), len(stays))
                )

            expected = expected_change(before, tiles, rules, accept)
            change = cover.least_change(before, tiles, stays=[sorted(face) for face in stays])
            assert (None if change is None else (change.kept, change.moved, order(change.table))) == expected
            met += bool(stays) and expected is not None
    assert met > 5


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_repair_takes_the_fewest_and_first_tiles(rules: Rules) -> None:
    rng = random.Random(12)
    cover = Cover(rules)
    every = sorted({tile for tiles in all_sets(rules) for tile in tiles} - {"J"}) * rules.copies + ["J"] * rules.jokers
    for _ in range(40):
        tiles = sorted(rng.sample(every, min(len(every), rng.randrange(9))), key=rank)
        removed = next(
            out
            for count in range(len(tiles) + 1)
            for out in sorted(set(itertools.combinations(tiles, count)), key=lambda out: list(map(rank, out)))
            if next(every_arrangement(list((Counter(tiles) - Counter(out)).elements()), rules), None) is not None
        )
        repair = cover.repair(tiles)
        assert repair.removed == removed
        assert Counter(tiles_of(repair.table)) + Counter(removed) == Counter(tiles)
        assert repair.table == cover.arrange(tiles_of(repair.table))


def test_tables_are_canonical() -> None:
    rules = RULES[2]
    cover = Cover(rules)
    for table in random_tables(rules, 13, 50, 14):
        for found in itertools.islice(cover.arrangements(tiles_of(table)), 20):
            assert Position(found, (), rules=rules).table == found


def test_known_cases() -> None:
    cover = Cover(Rules.preset("free"))
    change = cover.least_change((("R4", "R5", "R6", "R7", "R8"),), ["R4", "R5", "R6", "R6", "R7", "R8"])
    assert change == ((("R4", "R5", "R6"), ("R6", "R7", "R8")), 0, 2)
    assert cover.least_change((), ()) == ((), 0, 0)
    assert list(cover.arrangements(())) == [()]
    assert cover.count_arrangements(["R5", "J", "J"]) == 3
    groups = ("R7", "B7", "K7", "O7")
    assert cover.count_arrangements([*groups, *groups, "J"]) > 0
    assert cover.count_arrangements([*groups, "J"]) == 0
    assert cover.repair([*groups, "J"]).removed == ("R7",)


def test_a_whole_deck_is_arranged_at_once() -> None:
    rules = Rules.preset("retail")
    cover = Cover(rules)
    tiles = [f"{color}{number}" for color in COLORS for number in range(1, 14)] * 2 + ["J", "J"]
    first = cover.arrange(tiles)
    assert first is not None
    assert Counter(tiles_of(first)) == Counter(tiles)
    assert cover.least_change(first, tiles) == (first, len(first), 0)


def test_what_does_not_fit_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedRules, match=r"numbers: 17 in 4 colors"):
        Cover(Rules(numbers=17))
    Cover(Rules(numbers=16))
    Cover(Rules(colors=1, numbers=64))
    with pytest.raises(UnsupportedRules, match=r"copies: 3"):
        Cover(Rules(numbers=16, copies=3, jokers=8))


def test_bad_input_is_named() -> None:
    cover = Cover(Rules.preset("free"))
    with pytest.raises(ParseError, match="tiles: 'X7' is not a tile"):
        cover.count_arrangements(["X7"])
    with pytest.raises(ParseError, match="tiles: 'R14' is not a tile"):
        cover.arrangements(["R14"])
    with pytest.raises(ParseError, match=r"tiles: \['R1'\] is not a tile"):
        cover.repair([["R1"]])  # type: ignore[list-item]
    with pytest.raises(IllegalPosition, match="tiles: more than 2 of R7"):
        cover.arrange(["R7"] * 3)
    with pytest.raises(IllegalPosition, match="tiles: more than 2 of J"):
        cover.arrange(["J"] * 3)
    with pytest.raises(ParseError, match="table: 'R0' is not a tile"):
        cover.least_change((("R0", "R1", "R2"),), ())
    with pytest.raises(SolverError, match="memory"):
        Cover(Rules(), memory=1)
    with pytest.raises(SolverError, match="nodes"):
        Cover(Rules(), nodes=0)
    with pytest.raises(LimitReached, match="nodes: more than 10"):
        Cover(Rules.preset("free"), nodes=10).count_arrangements(["R7", "B7", "K7"])


def test_errors_of_the_condition_come_through() -> None:
    cover = Cover(Rules.preset("free"))

    def accept(_: Table) -> bool:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        cover.least_change((), ["R1", "R2", "R3"], accept=accept)


def test_threads_share_one_cover() -> None:
    rules = RULES[0]
    cover = Cover(rules)
    tables = list(random_tables(rules, 14, 60, 14))
    alone = [cover.least_change((), tiles_of(table)) for table in tables]
    together: list[list[object]] = [[], [], []]

    def work(answers: list[object]) -> None:
        answers.extend(cover.least_change((), tiles_of(table)) for table in tables)

    threads = [threading.Thread(target=work, args=(answers,)) for answers in together]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(answers == alone for answers in together)
