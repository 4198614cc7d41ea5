"""The search under every rule option: random positions against the naive reference, and cases made by hand."""

from __future__ import annotations

import random

import pytest

from solver.errors import LimitReached, UnsupportedRules
from solver.limits import Limit
from solver.rummikub import Position, Rules, Solver, best_move, best_moves, count_moves, legal_moves, reference, verify
from solver.rummikub.objectives import objective_for

from .random_positions import ALL_PRESETS, MOVE_OPTIONS, positions

NUMBERS = ("5", "6", "7")  # `high_one` wants five at least
OPTIONS = (
    "joker_set_locked=yes",
    "joker_destination=new",
    "joker_destination=two_from_rack",
    "joker_destination=keep",
    "jokers_per_set=one",
    "jokers_per_set=minority",
    "high_one=yes",
    "take_back=less_than_laid",
)
COMPARED = 50  # positions for each option, with all objectives; thousands more: benchmarks.rummikub.check
LISTED = 5  # every such position all moves as well
JOKERS = (1, 3)


def compare(count: int, seed: str, presets: tuple[str, ...], options: dict[str, tuple[str, ...]]) -> None:
    rng = random.Random(seed)
    for index, position in enumerate(positions(count, seed, presets, {"numbers": NUMBERS, **options}, JOKERS)):
        solver = Solver(position.rules)
        weights = {tile: rng.choice((0, 1, 2, 5)) for tile in {*position.rack, *sum(position.table, ())}}
        weights["J"] = rng.choice((-2, 0, 3))
        for objective, given in (("tiles", None), ("value", None), ("penalty", None), ("go_out", None), ("", weights)):
            move = solver.best_move(position, objective, weights=given)
            expected = reference.best_value(position, objective, given)
            if move is None:
                assert expected is None, (position, objective)
                continue
            assert verify(position, move) == [], (position, objective)
            worth = objective_for(objective, given, position.rules).net(move.tiles, move.taken)
            assert expected == (worth if objective else (worth[0], 0)), (position, objective)
        if index % LISTED == 0:
            moves = list(solver.legal_moves(position))
            assert sorted((move.tiles, move.taken) for move in moves) == sorted(
                (move.tiles, move.taken) for move in reference.legal_moves(position)
            ), position
            assert [problem for move in moves for problem in verify(position, move)] == []


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_equals_the_reference(option: str) -> None:
    field, value = option.split("=")
    compare(COMPARED, option, ("standard", "retail", "free"), {field: (value,)})


@pytest.mark.parametrize("preset", ALL_PRESETS)
def test_a_preset_equals_the_reference(preset: str) -> None:
    compare(COMPARED // 2, preset, (preset,), {})


def test_mixed_options_equal_the_reference() -> None:
    compare(2 * COMPARED, "mixed", ALL_PRESETS, dict(MOVE_OPTIONS))


def plays(text: str) -> set[str]:
    """All plays of a position by the search: the tiles laid, and after a slash the tiles taken."""
    position = Position.parse(text)
    found = []
    for move in legal_moves(position):
        assert verify(position, move) == []
        found.append(" ".join(move.tiles) + (f" / {' '.join(move.taken)}" if move.taken else ""))
    assert count_moves(position) == len(found) == len(set(found))
    return set(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The joker stays as R6, so its tiles stay with it: R7 cannot go to the group.
        ("R4 R5 J R7 R8 R9 R10 | B7 K7 | rules=standard", {"B7 K7"}),
        ("R4 R5 J R7 R8 R9 R10 | B7 K7 | rules=standard+joker_set_locked=yes", set()),
        # Tiles may be added to a locked set.
        ("R5 J R7 | R8 B1 | rules=standard+joker_set_locked=yes", {"R8"}),
        # Replaced by R6, the joker goes on in a new set: with two tiles of the rack, or with any.
        (
            "R5 J R7, B1 B2 B3 B4 | R6 B5 B6 | rules=standard+joker_destination=two_from_rack",
            {"B5", "B5 B6", "R6 B5 B6"},
        ),
        ("R5 J R7, K1 K2 K3 K4 | R6 K6 | rules=standard+joker_destination=two_from_rack", set()),
        ("R5 J R7, K1 K2 K3 K4 | R6 K6 | rules=standard+joker_destination=any", {"R6", "R6 K6"}),
        # Or to the rack.
        ("R5 J R7 | R6 | rules=standard+joker_destination=any", {"R6"}),
        ("R5 J R7 | R6 | rules=standard+joker_destination=keep", {"R6", "R6 / J"}),
        # A set has one joker, or fewer jokers than real tiles.
        ("- | R5 J J | rules=standard", {"R5 J J"}),
        ("- | R5 J J | rules=standard+jokers_per_set=one", set()),
        ("- | R5 R6 R8 J J | rules=standard+jokers_per_set=one", {"R5 R6 J", "R6 R8 J", "R5 R6 R8 J"}),
        (
            "- | R5 R6 R8 J J | rules=standard+jokers_per_set=minority",
            {"R5 R6 J", "R6 R8 J", "R5 R6 R8 J", "R5 R6 R8 J J"},
        ),
        # A 1 after the highest number, but no 2 after it.
        ("- | R1 R12 R13 | rules=standard", set()),
        ("- | R1 R12 R13 | rules=standard+high_one=yes", {"R1 R12 R13"}),
        ("- | R1 R2 R13 | rules=standard+high_one=yes", set()),
        # Tiles go back for others that count more.
        ("R3 R4 R5 R6 | R7 | rules=standard+take_back=less_than_laid", {"R7", "R7 / R3"}),
        ("R3 R4 R5 | R2 | rules=standard+take_back=less_than_laid", {"R2"}),
    ],
)
def test_plays_of_cases_made_by_hand(text: str, expected: set[str]) -> None:
    assert plays(text) == expected


def test_a_line_is_worth_what_is_laid_minus_what_is_taken() -> None:
    lines = best_moves(Position.parse("R3 R4 R5 R6 | R7 | rules=standard+take_back=less_than_laid"), objective="value")
    assert [(line.value, line.move.value, line.move.taken) for line in lines] == [(7, 7, ()), (4, 7, ("R3",))]


def test_a_run_of_all_numbers_and_a_high_one_is_cut_in_two() -> None:
    text = "- | R1 R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 | rules=standard+high_one=yes"
    position = Position.parse(text)
    move = best_move(position)
    assert move is not None
    assert len(move.tiles) == 14
    assert len(move.table) > 1
    assert verify(position, move) == []


def test_few_numbers_with_a_high_one_are_refused_by_name() -> None:
    with pytest.raises(UnsupportedRules, match="high_one"):
        Solver(Rules(numbers=4, high_one=True))


def test_one_limit_is_for_all_problems_that_a_search_asks() -> None:
    position = Position.parse(
        "J J B5 K5, R7 R8 R9 J, K1 B1 J, O4 O5 O6 O7 O8, J J J | R5 O5 R10 R6 O1 R1 K2 B2 B6 | "
        "rules=american+copies=3+jokers=8"
    )
    with pytest.raises(LimitReached, match="nodes"):
        best_move(position, limit=Limit(nodes=50))
    with pytest.raises(LimitReached, match="seconds"):
        best_move(position, limit=Limit(seconds=0.2))


def test_two_jokers_may_stay_because_of_one_tile_that_their_group_lacks() -> None:
    position = Position.parse(
        "R3 B3 K3, J J R3, R4 R5 R6 R7 | R4 B2 B3 K6 | "
        "rules=standard+colors=3+numbers=7+copies=3+joker_destination=two_from_rack"
    )
    # Both jokers of J J R3 are B3 or K3, and R3 or K3 in J J B3: they stay, so the set need not have two new tiles.
    assert ("B3",) in {move.tiles for move in legal_moves(position)}
