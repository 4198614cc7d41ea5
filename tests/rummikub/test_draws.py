"""What the next draw may bring, compared with a loop over the naive search."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations

import pytest

from solver.errors import IllegalPosition, SolverError, UnsupportedRules
from solver.rummikub import draws, reference
from solver.rummikub.draws import unseen_tiles
from solver.rummikub.position import Position
from solver.rummikub.rules import Rules
from solver.rummikub.search import Solver
from solver.rummikub.sets import all_tiles
from tests.rummikub import random_positions


def bag(position: Position) -> list[str]:
    """Every unseen tile, one by one."""
    rules = position.rules
    tiles = [tile for tile in all_tiles(rules) for _ in range(rules.copies)] + ["J"] * rules.jokers
    for tile in (*position.rack, *(tile for each in position.table for tile in each)):
        tiles.remove(tile)
    return tiles


def later(position: Position, *drawn: str) -> Position:
    return Position(position.table, [*position.rack, *drawn], position.opened, position.rules)


def naive_value(position: Position, objective: str = "tiles") -> int:
    best = reference.best_value(position, objective)
    return 0 if best is None else best[0]


@pytest.mark.parametrize("objective", ["tiles", "value", "go_out"])
def test_every_tile_and_every_chance_as_the_naive_search_has_it(objective: str) -> None:
    for position in random_positions.positions(25, 3, table_tiles=9, rack_tiles=4):
        found = draws(position, objective)
        unseen = bag(position)
        now = naive_value(position, objective)
        assert (found.unseen, found.value) == (len(unseen), now)
        assert [draw.tile for draw in found.tiles] == list(dict.fromkeys(unseen))
        for draw in found.tiles:
            value = naive_value(later(position, draw.tile), objective)
            assert (draw.unseen, draw.value, draw.gain) == (unseen.count(draw.tile), value, value - now)
            assert (draw.move is None) == (reference.best_value(later(position, draw.tile), objective) is None)
        check_chances(position, 1)


def check_chances(position: Position, drawn: int) -> None:
    found = draws(position)
    unseen = bag(position)
    hands = list(combinations(unseen, min(drawn, len(unseen))))
    plays = sum(naive_value(later(position, *hand)) > 0 for hand in hands)
    out = sum(naive_value(later(position, *hand)) == len(position.rack) + len(hand) for hand in hands)
    assert found.plays == Fraction(plays, len(hands))
    assert found.goes_out == Fraction(out, len(hands))
    assert found.opens == (None if position.opened else found.plays)


def test_a_draw_of_several_tiles() -> None:
    for position in random_positions.positions(8, 4, table_tiles=6, rack_tiles=3):
        rules = Rules.parse(f"{position.rules}+draw=2")
        check_chances(Position(position.table, position.rack, position.opened, rules), 2)


def test_a_player_who_has_not_opened() -> None:
    position = Position.parse("- | R9 B9 K9 R10 B10 | unopened rules=standard")
    found = draws(position)
    # The 9s are worth 27. O9 makes them 36, K10 and O10 a group of 30 beside them, R11 and B11 a run of 30; two of each
    # are unseen, and jokers are forbidden.
    assert (found.move, found.opens, found.plays) == (None, Fraction(10, 101), Fraction(10, 101))
    assert found.goes_out == Fraction(4, 101)


def test_a_tile_that_helps_and_one_that_does_not() -> None:
    found = draws(Position.parse("R5 R6 R7 | R8 R10 | rules=free"))
    by_tile = {draw.tile: draw for draw in found.tiles}
    assert (by_tile["R9"].value, by_tile["R9"].gain, by_tile["R9"].unseen) == (3, 2, 2)
    assert (by_tile["B1"].value, by_tile["B1"].gain) == (1, 0)
    assert str(by_tile["R9"].move) == "R8 R9 R10 | R5 R6 R7, R8 R9 R10"
    # R9 and the jokers fill the gap, R4 does not
    assert found.goes_out == Fraction(2 + 2, 101)
    assert found.plays == 1


def test_nothing_left_to_draw() -> None:
    rules = "free+colors=1+numbers=3+copies=1+jokers=0"
    found = draws(Position.parse(f"- | R1 R2 R3 | rules={rules}"))
    assert (found.tiles, found.unseen, found.drawn, found.plays, found.goes_out) == ((), 0, 0, 1, 1)
    everything = draws(Position.parse(f"- | R1 | rules={rules}+draw=5"))
    assert (everything.unseen, everything.drawn, everything.goes_out) == (2, 2, 1)


def test_own_weights_and_a_warm_solver() -> None:
    position = Position.parse("R5 R6 R7 | R8 B1 | rules=free")
    solver = Solver(position.rules)
    found = draws(position, weights={"R8": 5, "R9": 7}, solver=solver)
    assert found.value == 5
    assert {draw.tile: draw.gain for draw in found.tiles}["R9"] == 7


def test_plain_data() -> None:
    data = json.loads(json.dumps(draws(Position.parse("- | R1 R2 | unopened")).to_dict()))
    assert data["unseen"] == 104
    assert data["opens"] == {"value": 0.0, "exact": "0"}
    assert data["tiles"][0] == {"tile": "R1", "unseen": 1, "move": None, "value": 0, "gain": 0}


def test_unseen_tiles_are_the_material_without_table_and_rack() -> None:
    position = Position.parse("R5 R6 J | R5 J | rules=free")
    assert sum(unseen_tiles(position).values()) == 106 - 5
    assert unseen_tiles(position)["R5"] == 0
    assert unseen_tiles(position)["J"] == 0


def test_bad_arguments() -> None:
    with pytest.raises(SolverError, match="position"):
        draws("- | R1")  # type: ignore[arg-type]
    with pytest.raises(SolverError, match="objective"):
        draws(Position.parse("- | R1"), "most")
    with pytest.raises(IllegalPosition):
        draws(Position.parse("R1 R2 | R1"))
    with pytest.raises(UnsupportedRules, match=r"^draw: 40 tiles"):
        draws(Position.parse("- | R1 | rules=free+draw=40"))
