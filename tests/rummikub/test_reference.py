"""reference: known answers, hand-derived cases for every rule option, a second enumerator that shares no code."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from solver.errors import IllegalPosition, LimitReached, SolverError
from solver.rummikub import reference
from solver.rummikub.position import Position
from solver.rummikub.reference import (
    arrangements,
    best_move,
    best_value,
    kept_sets,
    least_change,
    legal_moves,
    moved_tiles,
)
from solver.rummikub.rules import Rules
from solver.rummikub.verify import verify
from tests.rummikub.random_positions import ALL_PRESETS, MOVE_OPTIONS, SEARCH_PRESETS, positions

DATA = Path(__file__).parent.parent / "data" / "rummikub"
POSITIONS = json.loads((DATA / "positions.json").read_text())["positions"]
BY_RULES = [(case, rules) for case in POSITIONS for rules in case.get("rules", {})]
FREE = Rules.preset("free")
MATERIAL = {"colors": 4, "numbers": 13, "copies": 2}


def plays(text: str) -> set[str]:
    """All legal plays of a position: the tiles laid, and after a slash the tiles taken."""
    position = Position.parse(text)
    found = set()
    for move in legal_moves(position):
        assert verify(position, move) == []
        found.add(" ".join(move.tiles) + (f" / {' '.join(move.taken)}" if move.taken else ""))
    return found


@pytest.mark.parametrize("case", POSITIONS, ids=lambda case: str(case["id"]))
def test_known_answers(case: dict[str, Any]) -> None:
    position = Position.parse(case["position"])
    assert (best_value(position) or (0, 0))[0] == case["max_tiles"]
    if "max_value" in case:
        assert (best_value(position, "value") or (0, 0))[0] == case["max_value"]


@pytest.mark.parametrize(
    ("case", "rules"), BY_RULES, ids=lambda value: value if isinstance(value, str) else value["id"]
)
def test_known_answers_that_differ_by_rule(case: dict[str, Any], rules: str) -> None:
    position = Position.parse(case["position"])
    other = Position(position.table, position.rack, True, Rules.parse(rules))
    assert (best_value(other) or (0, 0))[0] == case["rules"][rules]


# (position, a play, whether it is legal); each option forbids something and allows something.
CASES = {
    "opening_threshold": [
        ("- | R9 R10 R11 | unopened", "R9 R10 R11", True),  # 30
        ("- | R8 R9 R10 | unopened", "R8 R9 R10", False),  # 27
        ("- | R8 R9 R10 | rules=standard", "R8 R9 R10", True),  # has opened before
        ("- | R8 R9 R10 B1 B2 B3 | unopened", "R8 R9 R10 B1 B2 B3", True),  # 33 in two sets
        ("- | R8 R9 R10 B1 B2 B3 | unopened", "R8 R9 R10", False),
        ("- | R5 R5 B5 B5 K5 K5 | unopened", "R5 R5 B5 B5 K5 K5", True),  # equal sets count twice
        ("- | R5 R5 B5 B5 K5 K5 | unopened", "R5 B5 K5", False),
        ("- | R1 R2 R3 | unopened rules=family", "R1 R2 R3", True),  # threshold 0
        ("- | R9 R10 R11 R12 | unopened rules=american", "R9 R10 R11 R12", False),  # 42
        ("- | R11 R12 R13 B4 B5 B6 | unopened rules=american", "R11 R12 R13 B4 B5 B6", True),  # 51
    ],
    "opening_single_set": [
        ("- | R8 R9 R10 B1 B2 B3 | unopened rules=standard+opening_single_set=yes", "R8 R9 R10 B1 B2 B3", False),
        ("- | R9 R10 R11 B1 B2 B3 | unopened rules=standard+opening_single_set=yes", "R9 R10 R11 B1 B2 B3", True),
        ("- | R8 R9 R10 B1 B2 B3 | unopened rules=retail+opening_single_set=yes", "R8 R9 R10 B1 B2 B3", False),
        ("- | R9 R10 R11 B1 B2 B3 | unopened rules=retail+opening_single_set=yes", "R9 R10 R11 B1 B2 B3", True),
        # The run may be split on the table, but one set of the meld has to do.
        ("- | R7 R8 R9 R10 | unopened rules=standard+opening_single_set=yes", "R7 R8 R9 R10", True),
    ],
    "opening_joker": [
        ("- | R10 R11 J | unopened", "R10 R11 J", False),  # forbidden
        ("- | R10 R11 R12 J | unopened", "R10 R11 R12 J", False),
        ("- | R10 R11 R12 J | unopened", "R10 R11 R12", True),
        ("- | R10 R11 R12 J | unopened rules=standard+opening_uses_table=yes", "R10 R11 R12 J", True),  # beside M
        ("- | R10 R11 J | unopened rules=standard+opening_uses_table=yes", "R10 R11 J", False),
        ("- | R10 R11 J | unopened rules=standard+opening_joker=face", "R10 R11 J", True),  # 33
        ("- | R8 R9 J | unopened rules=standard+opening_joker=face", "R8 R9 J", False),  # 27
        ("- | R9 J J | unopened rules=standard+opening_joker=face", "R9 J J", True),  # 9 10 11
        ("- | R8 J J | unopened rules=standard+opening_joker=face", "R8 J J", False),  # 8 9 10
        ("- | R13 J J | unopened rules=standard+opening_joker=face", "R13 J J", True),  # a group
        ("- | J J J | unopened rules=free+jokers=3+opening_threshold=39", "J J J", True),  # a group of 13s
        ("- | J J J | unopened rules=free+jokers=3+opening_threshold=40", "J J J", False),
        ("- | R12 R13 J | unopened rules=standard+opening_joker=zero", "R12 R13 J", False),  # 25
        ("- | R10 R11 R12 J | unopened rules=standard+opening_joker=zero", "R10 R11 R12 J", True),
    ],
    "opening_uses_table": [
        ("R7 B7 K7 | R9 R10 R11 O7 | unopened", "R9 R10 R11", True),
        ("R7 B7 K7 | R9 R10 R11 O7 | unopened", "R9 R10 R11 O7", False),
        ("R7 B7 K7 | R9 R10 R11 O7 | unopened rules=retail", "R9 R10 R11 O7", True),
        ("R7 B7 K7 | R9 R10 R11 O7 | unopened rules=retail", "O7", False),
        ("R9 R10 R11 | R12 R13 | unopened rules=retail", "R12 R13", False),  # M comes from the rack alone
        ("R6 R7 R8 | R9 R10 R11 | unopened rules=retail", "R9 R10 R11", True),
        ("R5 R6 R7 J | B1 B10 B11 B12 O1 | unopened rules=retail", "B1 B10 B11 B12 O1", True),  # J from the table
        ("R5 R6 R7 J | B1 B10 B11 B12 O1 | unopened rules=retail+opening_uses_table=no", "B1 B10 B11 B12 O1", False),
    ],
    "jokers_per_set": [
        ("- | R5 J J | rules=free", "R5 J J", True),
        ("- | R5 J J | rules=free+jokers_per_set=one", "R5 J J", False),
        ("- | R5 J J | rules=free+jokers_per_set=minority", "R5 J J", False),
        ("- | R5 R6 J | rules=free+jokers_per_set=one", "R5 R6 J", True),
        ("- | R5 R6 J J | rules=free+jokers_per_set=minority", "R5 R6 J J", False),
        ("- | R5 R6 R7 J J | rules=free+jokers_per_set=minority", "R5 R6 R7 J J", True),
        ("- | R5 R6 R7 J J | rules=free+jokers_per_set=one", "R5 R6 R7 J J", False),
        ("- | J J J | rules=free+jokers=3", "J J J", True),
        ("- | J J J | rules=free+jokers=3+jokers_per_set=minority", "J J J", False),
    ],
    "high_one": [
        ("- | R1 R12 R13 | rules=free", "R1 R12 R13", False),
        ("- | R1 R12 R13 | rules=free+high_one=yes", "R1 R12 R13", True),
        ("- | R1 R2 R13 | rules=free+high_one=yes", "R1 R2 R13", False),
        ("- | R12 R13 J | rules=free+high_one=yes", "R12 R13 J", True),
        ("- | R1 J J | rules=free+numbers=4+high_one=yes", "R1 J J", True),
        ("- | R1 R1 R2 R3 R4 | rules=free+numbers=4+high_one=yes", "R1 R1 R2 R3 R4", False),  # no tile twice
        ("- | R1 R3 R4 R5 | rules=free+numbers=5+high_one=yes", "R1 R3 R4 R5", True),
        ("- | R1 R12 R13 | unopened rules=american+opening_threshold=26", "R1 R12 R13", True),  # that 1 counts 1
        ("- | R1 R12 R13 | unopened rules=american+opening_threshold=27", "R1 R12 R13", False),
    ],
    "joker_freeing": [
        ("R5 R6 R7 J | B9 B10 | rules=retail", "B9 B10", True),
        ("R5 R6 R7 J | B9 B10 | rules=standard", "B9 B10", False),  # no R8
        ("R5 R6 R7 J | B9 B10 R8 | rules=standard", "B9 B10", False),  # R8 stays in the rack
        ("R5 R6 R7 J | B9 B10 R8 | rules=standard", "R8 B9 B10", True),
        ("R5 R6 R7 J, R8 B8 K8 | B9 B10 | rules=standard", "B9 B10", True),
        # One R8 serves both jokers, one after the other.
        ("R5 R6 R7 J, R5 R6 R7 J | R8 B9 B10 K9 K10 | rules=standard", "R8 B9 B10 K9 K10", True),
        # Whatever set it ends in, a joker that still stands for R8 has stayed.
        ("R5 R6 R7 J | B8 K8 | rules=standard", "B8 K8", True),
        # Joker for joker: the one that stays is matched with the old one.
        ("R5 R6 R7 J | B9 B10 J | rules=standard", "B9 B10 J", True),
        # As a group the order says nothing: J stands for B5, K5 or O5 and can be replaced.
        ("J R5 J | B5 K5 R9 R10 | rules=standard", "R9 R10 B5 K5", True),
        ("J R5 J | B6 K6 R9 R10 | rules=standard", "R9 R10 B6 K6", False),
    ],
    "joker_source": [
        ("R5 R6 R7 J, R8 B8 K8 | B9 B10 | rules=standard+joker_source=rack", "B9 B10", False),
        ("R5 R6 R7 J | R8 B9 B10 | rules=standard+joker_source=rack", "R8 B9 B10", True),
        ("R5 R6 R7 J | R9 | rules=standard+joker_source=rack", "R9", True),  # stays
    ],
    "joker_group": [
        ("R7 B7 J | B9 B10 K7 | rules=standard", "B9 B10 K7", True),
        ("R7 B7 J | B9 B10 K7 | rules=standard+joker_group=both", "B9 B10 K7", False),
        ("R7 B7 J | B9 B10 K7 O7 | rules=standard+joker_group=both", "B9 B10 K7 O7", True),
        ("R7 B7 J, O7 O8 O9 | B9 B10 K7 | rules=standard+joker_group=both", "B9 B10 K7", True),
        ("R7 B7 J, O7 O8 O9 | B9 B10 K7 | rules=standard+joker_group=both+joker_source=rack", "B9 B10 K7", False),
        ("R7 B7 K7 J | B9 B10 O7 | rules=standard+joker_group=both", "B9 B10 O7", True),
        ("R7 B7 J J | B9 B10 K7 | rules=standard+joker_group=both", "B9 B10 K7", True),  # from a group of four
        ("R7 B7 J | B9 B10 K7 | rules=standard+colors=3+joker_group=both", "B9 B10 K7", True),  # K7 is all that lacks
    ],
    "joker_set_locked": [
        ("R3 R4 R5 J R7 R8 | R5 | rules=standard", "R5", True),
        ("R3 R4 R5 J R7 R8 | R5 | rules=standard+joker_set_locked=yes", "R5", False),  # split around its joker
        ("R3 R4 R5 J R7 R8 | R9 | rules=standard+joker_set_locked=yes", "R9", True),  # added
        ("R3 R4 J, R6 R7 R8 | R9 | rules=standard+joker_set_locked=yes", "R9", True),
        ("R6 R7 R8 J | B6 K6 | rules=standard", "B6 K6", True),
        ("R6 R7 R8 J | B6 K6 | rules=standard+joker_set_locked=yes", "B6 K6", False),
        ("R7 B7 J | K7 | rules=standard+joker_set_locked=yes", "K7", True),  # narrows the meaning
        # Two sets with a tile in common do not fit into one.
        ("B4 B5 J, J B4 B5 | R4 R5 K4 K5 | rules=standard", "R4 R5 K4 K5", True),
        ("B4 B5 J, J B4 B5 | R4 R5 K4 K5 | rules=standard+joker_set_locked=yes", "R4 R5 K4 K5", False),
        ("B4 B5 J, B7 B8 J | B6 | rules=standard+joker_set_locked=yes", "B6", True),
        # A joker that is freed has left the locked set.
        ("R5 R6 J J | B9 B10 R7 | rules=standard+joker_set_locked=yes", "R7 B9 B10", True),
        ("R5 R6 J J | B9 B10 | rules=standard+joker_set_locked=yes", "B9 B10", False),
    ],
    "joker_destination new and any": [
        ("R7 B7 K7 J, R1 R2 R3 | O7 | rules=standard", "O7", False),  # may not join the whole set
        ("R7 B7 K7 J, R1 R2 R3 | O7 | rules=standard+joker_destination=any", "O7", True),
        ("R7 B7 K7 J, R1 R2 R3 R4 R5 R6 | O7 | rules=standard", "O7", True),  # joins a part of one
        ("R7 B7 K7 J, R1 R2 R3 | O7 R4 | rules=standard", "R4 O7", True),  # with R4 it is another set
        ("R7 B7 K7 J, R1 R2 R3 | R1 R2 R3 O7 | rules=standard", "R1 R2 R3 O7", False),  # equal to a whole set
        ("R7 B7 K7 J, R1 R2 R3 | R1 R2 R3 O7 | rules=standard+joker_destination=any", "R1 R2 R3 O7", True),
        (
            "R7 B7 J, R11 B11 J, R1 R2 R3 | K7 K11 | rules=standard+colors=3",
            "K7 K11",
            False,
        ),  # without ALL freed jokers
    ],
    "joker_destination two_from_rack": [
        ("R7 B7 K7 J | R1 R2 O7 | rules=standard+joker_destination=two_from_rack", "R1 R2 O7", True),
        ("R7 B7 K7 J, R2 R3 R4 R5 | R1 O7 | rules=standard", "R1 O7", True),
        ("R7 B7 K7 J, R2 R3 R4 R5 | R1 O7 | rules=standard+joker_destination=two_from_rack", "R1 O7", False),
        ("R7 B7 K7 J, R1 R2 R3 | R1 R2 O7 | rules=standard+joker_destination=two_from_rack", "R1 R2 O7", True),
        ("R5 R6 R7 J | R9 | rules=standard+joker_destination=two_from_rack", "R9", True),  # stays
        ("R7 B7 K7 J, R8 B8 K8 J | R1 R2 O7 O8 | rules=standard+joker_destination=two_from_rack", "R1 R2 O7 O8", True),
    ],
    "joker_destination keep": [
        ("R7 B7 K7 J | R1 R2 R3 | rules=standard+joker_destination=keep+joker_freeing=any", "R1 R2 R3 / J", True),
        ("R7 B7 K7 J | R1 R2 R3 | rules=standard+joker_destination=keep", "R1 R2 R3 / J", False),
        ("R7 B7 K7 J | O7 | rules=standard+joker_destination=keep", "O7 / J", True),
        ("R7 B7 K7 J | O7 | rules=standard", "O7 / J", False),
        ("R7 B7 K7 J, R1 R2 R3 | O7 | rules=standard+joker_destination=keep", "O7", True),  # as any
        ("R7 B7 K7 J | J | rules=standard+joker_destination=keep+joker_freeing=any", "J / J", False),
        ("R7 B7 J | R1 R2 R3 | rules=standard+joker_destination=keep+joker_freeing=any", "R1 R2 R3 / J", False),
        ("R7 B7 K7 J | R9 R10 R11 | unopened rules=retail+joker_destination=keep", "R9 R10 R11 / J", True),
        ("R7 B7 K7 J | R9 R10 R11 | unopened rules=tournament+joker_destination=keep", "R9 R10 R11 / J", False),
    ],
    "take_back": [
        ("R1 R2 R3 R4 | R5 | rules=standard", "R5 / R1", False),
        ("R1 R2 R3 R4 | R5 | rules=standard+take_back=less_than_laid", "R5 / R1", True),
        ("R1 R2 R3 R4 | R5 | rules=standard+take_back=less_than_laid", "R5 / R1 R2", True),
        ("R2 R3 R4 R5 | R1 | rules=standard+take_back=less_than_laid", "R1 / R5", False),  # 5 for 1
        ("R1 R2 R3 R4, K2 K3 K4 | K1 | rules=standard+take_back=less_than_laid", "K1 / R1", False),  # 1 for 1
        ("R1 R2 R3 R4 | R1 R5 | rules=standard+take_back=less_than_laid", "R1 R5 / R1", False),  # common
        ("R1 R2 R3 R4 | J | rules=standard+take_back=less_than_laid", "J / R1", False),  # jokers count 0
        ("R5 R6 R7 J | R9 | rules=retail+take_back=less_than_laid", "R9 / J", False),  # jokers only by keep
        ("R5 R6 R7 J | R4 | rules=family", "R4 / J", True),
    ],
}


@pytest.mark.parametrize(
    ("text", "play", "legal"),
    [case for cases in CASES.values() for case in cases],
    ids=[f"{option}-{index}" for option, cases in CASES.items() for index in range(len(cases))],
)
def test_rule_options(text: str, play: str, legal: bool) -> None:
    assert (play in plays(text)) is legal


def test_every_option_has_cases_of_both_kinds() -> None:
    for option, cases in CASES.items():
        assert {legal for _, _, legal in cases} == {True, False}, option


def test_moves_come_once_in_fixed_order() -> None:
    position = Position.parse("R4 R5 R6 R7 R8 | R3 R6 R9 J | rules=free")
    moves = [move.tiles for move in legal_moves(position)]
    assert len(set(moves)) == len(moves) == 15
    assert moves[:4] == [("R3",), ("R3", "R6"), ("R3", "R6", "R9"), ("R3", "R6", "R9", "J")]
    assert [str(move) for move in legal_moves(position)] == [str(move) for move in legal_moves(position)]


# ---- a second enumerator: partitions of the tiles, each block judged by what a set is ----


def is_set(tiles: tuple[str, ...], rules: Rules) -> bool:
    real = [(tile[0], int(tile[1:])) for tile in tiles if tile != "J"]
    jokers = len(tiles) - len(real)
    if (rules.jokers_per_set == "one" and jokers > 1) or (rules.jokers_per_set == "minority" and jokers >= len(real)):
        return False
    colors, numbers = [color for color, _ in real], [number for _, number in real]
    if len(set(numbers)) <= 1 and len(set(colors)) == len(colors) and len(tiles) <= rules.colors:
        return len(tiles) >= 3
    if len(tiles) < 3 or len(tiles) > rules.numbers or len(set(colors)) > 1 or len(set(numbers)) < len(numbers):
        return False
    high = [number + rules.numbers * (number == 1) for number in numbers]
    spans = [numbers, high] if rules.high_one else [numbers]
    return any(not span or max(span) - min(span) < len(tiles) for span in spans)


def brute_arrangements(tiles: tuple[str, ...], rules: Rules) -> set[frozenset[tuple[tuple[str, ...], int]]]:
    """Every partition of the tiles into sets as a multiset of bags; where jokers stand is not told apart."""

    @cache
    def split(rest: tuple[str, ...]) -> frozenset[frozenset[tuple[tuple[str, ...], int]]]:
        if not rest:
            return frozenset([frozenset()])
        found = set()
        for size in range(2, len(rest)):
            for chosen in set(combinations(rest[1:], size)):
                block = (rest[0], *chosen)
                if is_set(block, rules):
                    left = tuple(sorted((Counter(rest) - Counter(block)).elements()))
                    found.update(
                        frozenset((Counter(dict(other)) + Counter([tuple(sorted(block))])).items())
                        for other in split(left)
                    )
        return frozenset(found)

    return set(split(tuple(sorted(tiles))))


def parts(tiles: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for size in range(len(tiles) + 1):
        yield from sorted(set(combinations(tiles, size)))


@pytest.mark.parametrize("options", [{}, {"jokers_per_set": ("one", "minority")}, {"high_one": ("yes",)}])
def test_equal_to_a_partition_of_the_tiles(options: dict[str, tuple[str, ...]]) -> None:
    """Opened, `free`: a play is legal if and only if all tiles can be split into sets, and all ways are listed."""
    for position in positions(120, 5, ("free",), options, table_tiles=6, rack_tiles=3):
        if position.opened:
            on_table = tuple(tile for tiles in position.table for tile in tiles)
            expected = []
            for laid in parts(position.rack):
                ways = brute_arrangements(on_table + laid, position.rules)
                listed = list(arrangements(on_table + laid, position.rules))
                assert len({frozenset(Counter(table).items()) for table in listed}) == len(listed)
                bags = {frozenset(Counter(tuple(sorted(tiles)) for tiles in table).items()) for table in listed}
                assert bags == ways, position
                if laid and ways:
                    expected.append(laid)
            assert sorted(move.tiles for move in legal_moves(position)) == sorted(expected), position


@pytest.mark.parametrize(
    ("presets", "options"),
    [(SEARCH_PRESETS, {}), (ALL_PRESETS, {}), (("standard",), MOVE_OPTIONS)],
    ids=["search presets", "all presets", "all options"],
)
def test_agrees_with_verify(presets: tuple[str, ...], options: dict[str, tuple[str, ...]]) -> None:
    """verify accepts each move of the list, and no table at all for a play that is not in the list."""
    for position in positions(150, 8, presets, options, table_tiles=8, rack_tiles=4):
        legal = {(move.tiles, move.taken): move for move in legal_moves(position)}
        for move in legal.values():
            assert verify(position, move) == [], (position, move)
        on_table = Counter(tile for tiles in position.table for tile in tiles)
        if not position.opened and not position.rules.opening_uses_table:
            continue  # what is legal does not depend on the table there
        for laid in parts(position.rack):
            if laid and (laid, ()) not in legal:
                bag = (on_table + Counter(laid)).elements()
                for table in arrangements(bag, position.rules):
                    move = reference.Move(laid, table, rules=position.rules)
                    assert verify(position, move), (position, move)


# ---- objectives ----


@pytest.mark.parametrize(
    ("text", "objective", "expected"),
    [
        ("R5 R6 R7 | R8 B1 | rules=free", "tiles", (1, 8)),
        ("- | R1 R2 R3 R13 B13 K13 O3 B3 | rules=free", "value", (48, 6)),
        ("- | R1 R2 R3 R4 R13 B4 K4 | rules=free", "tiles", (6, 18)),
        ("R5 R6 R7 | J | rules=free", "value", (0, 1)),
        ("R5 R6 R7 | R8 J | rules=free", "penalty", (38, 2)),
        ("R5 R6 R7 | J | rules=free+joker_penalty=100", "penalty", (100, 1)),
        ("- | R1 R2 R3 | rules=free", "go_out", (3, 6)),
        ("- | R1 R2 R3 B9 | rules=free", "go_out", None),
        ("R5 R6 R7 J | R8 | rules=family", "go_out", (1, 8)),
        ("R5 R6 R7 | B9 | rules=free", "tiles", None),
        ("- | - | rules=free", "go_out", None),
        ("R1 R2 R3 R4 | R5 | rules=family", "tiles", (1, 5)),  # taking R1 back would make it (0, 4)
        ("R5 R6 R7 J | R4 | rules=family", "penalty", (4, 1)),
    ],
)
def test_objectives(text: str, objective: str, expected: tuple[int, int] | None) -> None:
    position = Position.parse(text)
    assert best_value(position, objective) == expected
    move = best_move(position, objective)
    assert (move is None) == (expected is None)
    assert move is None or verify(position, move) == []


def test_weights() -> None:
    position = Position.parse("R5 R6 R7 | R8 J | rules=free")
    assert best_value(position, weights={"R8": -5, "J": 1}) == (1, 0)
    move = best_move(position, weights={"R8": -5, "J": 1})
    assert move is not None
    assert move.tiles == ("J",)
    assert best_value(position, weights={"R8": 2, "J": 1}) == (3, 0)


def test_a_best_move_cannot_be_beaten_by_any_legal_move() -> None:
    for position in positions(100, 21, ALL_PRESETS, table_tiles=9, rack_tiles=4):
        moves = list(legal_moves(position))
        tiles = [(len(m.tiles) - len(m.taken), m.value - sum(int(t[1:]) for t in m.taken if t != "J")) for m in moves]
        assert best_value(position) == max(tiles, default=None)
        assert best_value(position, "value") == max(((value, count) for count, value in tiles), default=None)


# ---- least change, ties, arrangements ----


@pytest.mark.parametrize(
    ("text", "laid", "kept", "moved"),
    [
        ("R4 R5 R6 R7 R8 | R6 | rules=free", "R6", 0, 2),
        ("R1 R2 R3, B1 B2 B3 | B4 | rules=free", "B4", 1, 0),
        ("R1 R2 R3 R4, B4 K4 O4 | R4 | rules=free", "R4", 1, 0),
        ("R5 R6 R7, B5 B6 B7, K5 K6 K7 | O5 O6 O7 | rules=free", "O5 O6 O7", 3, 0),
        ("R5 R6 R7, B5 B6 B7, K5 K6 K7 | O6 | rules=free", "O6", 0, 6),  # three groups: each keeps one tile of a run
        ("R5 R6 J | J | rules=free", "J", 0, 0),
        ("- | R1 R2 R3 | unopened rules=free+opening_threshold=6", "R1 R2 R3", 0, 0),
    ],
)
def test_least_change(text: str, laid: str, kept: int, moved: int) -> None:
    position = Position.parse(text)
    change = least_change(position, laid.split())
    assert change is not None
    assert (change.kept_sets, change.moved_tiles) == (kept, moved)
    assert (kept_sets(position, change.table), moved_tiles(position, change.table)) == (kept, moved)


def test_least_change_of_an_illegal_play() -> None:
    assert least_change(Position.parse("R4 R5 R6 | R8 | rules=free"), ["R8"]) is None
    assert least_change(Position.parse("R4 R5 R6 | R8 | rules=free"), ["B8"]) is None


def test_kept_sets_look_at_what_jokers_stand_for() -> None:
    position = Position.parse("R5 R6 J, R5 R6 J, B1 K1 J | R1 | rules=free+jokers=3")
    assert kept_sets(position, [("R5", "R6", "J"), ("R5", "R6", "J"), ("K1", "J", "B1")]) == 3
    assert kept_sets(position, [("J", "R5", "R6"), ("R5", "R6", "J")]) == 1
    assert moved_tiles(position, [("J", "R5", "R6"), ("R5", "R6", "J"), ("K1", "J", "B1")]) == 0


def test_moved_tiles_take_the_best_matching() -> None:
    position = Position.parse("R1 R2 R3 R4, R5 R6 R7 | B1 | rules=free")
    # 1-2-3 matches the first run with 3, 4-5-6-7 the second with 3: one tile has moved.
    assert moved_tiles(position, [("R4", "R5", "R6", "R7"), ("R1", "R2", "R3")]) == 1
    assert moved_tiles(position, [("R1", "R2", "R3", "R4", "R5", "R6", "R7")]) == 3
    assert moved_tiles(position, []) == 7


def test_ties() -> None:
    position = Position.parse("- | R3 R4 R5 B5 K5 | rules=free")
    one_each = dict.fromkeys(position.rack, 1)
    move = best_move(position, weights=one_each, ties=True)
    assert move is not None
    assert move.tiles == ("R3", "R4", "R5")  # before R5 B5 K5 in the fixed order
    # Keeping the group comes before the order of tiles.
    keeps = Position.parse("R5 B5 K5 O5, B6 B7 B8 | R3 R4 B9 | rules=free")
    move = best_move(keeps, weights={"R3": 1, "R4": 1, "B9": 2}, ties=True)
    assert move is not None
    assert move.tiles == ("R3", "R4", "B9")
    move = best_move(keeps, weights={"R3": 1, "R4": 1, "B9": -2}, ties=True)
    assert move is not None
    assert move.tiles == ("R3", "R4")
    move = best_move(Position.parse("R5 B5 K5 O5, B6 B7 B8 | R3 R4 B9"), weights={"B9": 0}, ties=True)
    assert move is not None
    assert (move.tiles, move.table) == (("B9",), (("R5", "B5", "K5", "O5"), ("B6", "B7", "B8", "B9")))


def test_ties_equal_a_search_over_all_moves() -> None:
    for position in positions(60, 34, ALL_PRESETS, table_tiles=9, rack_tiles=4):
        best = best_move(position, ties=True)
        changes = [
            (least_change(position, move.tiles, move.taken), move)
            for move in legal_moves(position)
            if (len(move.tiles) - len(move.taken), move.value - sum(int(t[1:]) for t in move.taken if t != "J"))
            == best_value(position)
        ]
        assert (best is None) == (not changes)
        if best is not None:
            ranks = [(-change.kept_sets, change.moved_tiles) for change, _ in changes if change is not None]
            assert (-kept_sets(position, best.table), moved_tiles(position, best.table)) == min(ranks)
            assert verify(position, best) == []


@pytest.mark.parametrize(
    ("tiles", "rules", "count"),
    [
        ("", FREE, 1),
        ("R1 R2", FREE, 0),
        ("R1 R2 R3 R4 R5 R6", FREE, 2),
        ("R1 R1 R2 R2 R3 R3", FREE, 1),
        ("R1 R2 R3 B1 B2 B3 K1 K2 K3", FREE, 2),
        ("R5 B5 J", FREE, 1),
        ("R5 R6 J", FREE, 2),  # before or behind
        ("R1 R2 J", FREE, 1),
        ("R5 J J", FREE, 3),  # two runs and what reads as run and as group
        ("J J J", Rules.parse("free+jokers=3"), 1),
        ("R1 R12 R13", FREE, 0),
        ("R1 R12 R13", Rules.parse("free+high_one=yes"), 1),
        ("R1 R2 R3 R4", Rules.parse("free+numbers=4+high_one=yes"), 1),  # one set, however it is written
    ],
)
def test_arrangements(tiles: str, rules: Rules, count: int) -> None:
    listed = list(arrangements(tiles.split(), rules))
    assert len(listed) == count
    for table in listed:
        assert sorted(tile for tiles in table for tile in tiles) == sorted(tiles.split())


# ---- errors ----


def test_errors() -> None:
    broken = Position.parse("R1 R2 B5 | R3 R3 R3 | rules=free")
    for call in (best_move, best_value, legal_moves):
        with pytest.raises(IllegalPosition) as caught:
            call(broken)
        assert list(caught.value.problems) == broken.problems()
    with pytest.raises(SolverError, match="objective: must be one of tiles, value, penalty, go_out, not 'fun'"):
        best_value(Position.parse("- | R1"), "fun")
    with pytest.raises(IllegalPosition):
        next(arrangements(["R1"] * 3, FREE))


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    position = Position.parse("R5 R6 R7 | R8 R9 | rules=free")
    monkeypatch.setattr(reference, "MOST_SETS", 3)
    with pytest.raises(LimitReached, match="more than 3 sets"):
        best_value(position)
    monkeypatch.setattr(reference, "MOST_SETS", 100)
    monkeypatch.setattr(reference, "MOST_BAGS", 3)
    with pytest.raises(LimitReached, match="more than 3"):
        best_value(position)
