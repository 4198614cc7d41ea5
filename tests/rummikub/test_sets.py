"""Reading of single sets: against the definitions played out literally, and the cases that are easy to get wrong."""

from itertools import combinations_with_replacement, permutations, product

import pytest

from solver.errors import ParseError
from solver.rummikub.rules import Rules
from solver.rummikub.sets import JOKER, all_tiles, canonical_set, in_material, readings, set_rules, why_illegal

STANDARD = Rules()
HIGH = Rules(high_one=True)


def literal_runs(rules: Rules) -> set[tuple[str, ...]]:
    """Every run, written out."""
    found = set()
    for letter in "RBKO"[: rules.colors]:
        line = list(range(1, rules.numbers + 1))
        lines = [line, [*line[1:], 1]] if rules.high_one else [line]
        for numbers in lines:
            for start in range(len(numbers)):
                for end in range(start + 3, len(numbers) + 1):
                    found.add(tuple(f"{letter}{number}" for number in numbers[start:end]))
    return found


def literal_groups(rules: Rules) -> set[frozenset[str]]:
    """Every group, written out."""
    found = set()
    for number in range(1, rules.numbers + 1):
        for chosen in product((False, True), repeat=rules.colors):
            tiles = frozenset(f"{letter}{number}" for letter, take in zip("RBKO", chosen, strict=False) if take)
            if len(tiles) >= 3:
                found.add(tiles)
    return found


def fillings(tiles: tuple[str, ...], rules: Rules) -> list[tuple[str, ...]]:
    """The tiles with every choice of what the jokers stand for."""
    return list(product(*(all_tiles(rules) if tile == JOKER else (tile,) for tile in tiles)))


@pytest.mark.parametrize(
    "rules",
    [
        Rules(colors=4, numbers=4),
        Rules(colors=3, numbers=5, high_one=True),
        Rules(colors=2, numbers=6, high_one=True, jokers_per_set="one"),
        Rules(colors=4, numbers=3, jokers_per_set="minority"),
    ],
    ids=str,
)
def test_readings_are_those_of_the_definitions(rules: Rules) -> None:
    runs, groups = literal_runs(rules), literal_groups(rules)
    for size in range(1, 5):
        for tiles in combinations_with_replacement([*all_tiles(rules), JOKER], size):
            jokers = tiles.count(JOKER)
            if jokers > 2:
                continue
            some_order_is_legal = jokers == 0 and len(set(tiles)) == size and frozenset(tiles) in groups
            for order in {tiles} | set(permutations(tiles)):
                if order != canonical_set(order, rules):
                    continue
                filled = fillings(order, rules)
                allowed = {"any": True, "one": jokers <= 1, "minority": 2 * jokers < size}[rules.jokers_per_set]
                as_run = {fill for fill in filled if fill in runs and allowed}
                as_group = {fill for fill in filled if len(set(fill)) == size and frozenset(fill) in groups and allowed}
                found = readings(order, rules)
                assert {tuple(face[0] for face in read.face) for read in found if read.kind == "run"} == as_run
                grouped = [read for read in found if read.kind == "group"]
                assert {fill for read in grouped for fill in product(*read.face) if len(set(fill)) == size} == as_group
                for read in grouped:
                    for place, face in enumerate(read.face):
                        assert set(face) == {fill[place] for fill in as_group if fill[place][1:] == face[0][1:]}
                assert (why_illegal(order, set_rules(rules)) is None) == bool(found)
                some_order_is_legal = some_order_is_legal or bool(found)
            # A set that is legal in some order is legal in the canonical order of every order.
            assert all(bool(readings(order, rules)) == some_order_is_legal for order in permutations(tiles))


@pytest.mark.parametrize(
    ("given", "canonical", "rules"),
    [
        ("R7 R5 R6", "R5 R6 R7", STANDARD),
        ("O3 K3 B3 R3", "R3 B3 K3 O3", STANDARD),
        ("J R6 R7", "J R6 R7", STANDARD),
        ("R6 R7 J", "R6 R7 J", STANDARD),
        ("R6 J R8", "R6 J R8", STANDARD),
        ("J R6 R8", "R6 J R8", STANDARD),
        ("R8 J R6", "R6 J R8", STANDARD),
        ("R6 J R7", "R6 R7 J", STANDARD),
        ("R12 R13 J", "J R12 R13", STANDARD),
        ("J R1 R2", "R1 R2 J", STANDARD),
        ("R12 J R13 J", "J J R12 R13", STANDARD),
        ("R11 J R12 J", "J R11 R12 J", STANDARD),
        ("J K5 R5", "R5 K5 J", STANDARD),
        ("J R5 J", "J R5 J", STANDARD),
        ("R13 J J", "R13 J J", STANDARD),
        ("J J R1", "R1 J J", STANDARD),
        ("J J J", "J J J", STANDARD),
        ("R13 J J", "J J R13", Rules(colors=2)),
        ("R13 R1 R12", "R12 R13 R1", HIGH),
        ("R12 R13 R1", "R1 R12 R13", STANDARD),
        ("R12 R13 J", "R12 R13 J", HIGH),
        ("J R1 R13", "J R13 R1", HIGH),
        ("R13 R1 R2", "R1 R2 R13", HIGH),
        ("R2 J R1", "R1 R2 J", HIGH),
        ("J J R1", "J J R1", HIGH),
        ("J R9 B2 R5", "R5 R9 B2 J", STANDARD),
        ("R5 R5 R6", "R5 R5 R6", STANDARD),
    ],
)
def test_the_canonical_order(given: str, canonical: str, rules: Rules) -> None:
    assert " ".join(canonical_set(given.split(), rules)) == canonical
    assert " ".join(canonical_set(canonical.split(), rules)) == canonical


@pytest.mark.parametrize(
    ("tiles", "kinds", "meanings", "rules"),
    [
        ("J R5 R6", ["run"], [[["R4"]]], STANDARD),
        ("R5 R6 J", ["run"], [[["R7"]]], STANDARD),
        ("R5 B5 J", ["group"], [[["K5", "O5"]]], STANDARD),
        ("R5 B5 O5 J", ["group"], [[["K5"]]], STANDARD),
        (
            "R5 J J",
            ["run", "group"],
            [[["R6"], ["R7"]], [["B5", "K5", "O5"], ["B5", "K5", "O5"]]],
            STANDARD,
        ),
        ("R13 J J", ["group"], [[["B13", "K13", "O13"], ["B13", "K13", "O13"]]], STANDARD),
        ("R12 R13 J", ["run"], [[["R1"]]], HIGH),
        ("R12 J R1", ["run"], [[["R13"]]], HIGH),
        ("R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 J", ["run"], [[["R1"]]], HIGH),
        ("R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 J", ["run"], [[["R13"]]], HIGH),
    ],
)
def test_what_jokers_stand_for(tiles: str, kinds: list[str], meanings: list[list[list[str]]], rules: Rules) -> None:
    found = readings(tiles.split(), rules)
    assert [read.kind for read in found] == kinds
    assert [[list(meaning) for meaning in read.meanings] for read in found] == meanings


def test_a_set_of_jokers_is_every_set_of_its_length() -> None:
    found = readings([JOKER] * 3, STANDARD)
    assert sum(read.kind == "run" for read in found) == 4 * 11
    assert sum(read.kind == "group" for read in found) == 13
    assert sum(read.kind == "run" for read in readings([JOKER] * 3, HIGH)) == 4 * 12
    assert {read.kind for read in readings([JOKER] * 5, Rules(jokers=8))} == {"run"}
    assert readings([JOKER] * 4, Rules(colors=1, numbers=3, jokers=8)) == ()


def test_the_value_of_a_reading_counts_jokers_as_what_they_stand_for() -> None:
    assert readings(["R12", "R13", "J"], HIGH)[0].value == 26
    assert readings(["R5", "J", "J"], STANDARD)[0].value == 18
    assert readings(["R5", "J", "J"], STANDARD)[1].value == 15


@pytest.mark.parametrize(
    ("tiles", "reason", "rules"),
    [
        ("R5", "has 1 tile, a set has at least 3", STANDARD),
        ("R5 R6", "has 2 tiles, a set has at least 3", STANDARD),
        ("R5 B5 R5", "is neither a run nor a group", STANDARD),
        ("R5 R6 B7", "is neither a run nor a group", STANDARD),
        ("R12 R13 R1", "is neither a run nor a group", STANDARD),
        ("R13 R1 R2", "is neither a run nor a group", HIGH),
        ("R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R1", "is neither a run nor a group", HIGH),
        ("R5 B5 K5 O5 J", "is neither a run nor a group", STANDARD),
        ("R5 B5 K5", "is neither a run nor a group", Rules(colors=2)),
        ("R5 R6 R7", "is neither a run nor a group", Rules(numbers=6)),
        ("O1 O2 O3", "is neither a run nor a group", Rules(colors=3)),
        ("R5 J J", "has 2 jokers, jokers_per_set=one allows one", Rules(jokers_per_set="one")),
        (
            "R5 J J R8",
            "has 2 jokers and 2 real tiles, jokers_per_set=minority wants more real tiles",
            Rules(jokers_per_set="minority"),
        ),
    ],
)
def test_why_a_set_is_illegal(tiles: str, reason: str, rules: Rules) -> None:
    assert why_illegal(tiles.split(), set_rules(rules)) == reason
    assert readings(tiles.split(), rules) == ()


def test_the_material() -> None:
    small = Rules(colors=2, numbers=3, jokers=0)
    assert all_tiles(small) == ("R1", "R2", "R3", "B1", "B2", "B3")
    assert [tile for tile in ("R3", "R4", "K1", "J") if in_material(tile, small)] == ["R3"]
    assert in_material("J", STANDARD)


def test_what_is_no_tile_is_refused() -> None:
    with pytest.raises(ParseError, match="set: 'R0' has no number"):
        canonical_set(["R5", "R0"], STANDARD)
    with pytest.raises(ParseError, match="set: 5 is not a tile"):
        readings(["R5", 5], STANDARD)  # type: ignore[list-item]
