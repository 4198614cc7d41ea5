"""Steps: replayed on random positions, compared with an exhaustive search for the fewest, hand-made cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import pytest

from benchmarks.rummikub.instances import mixed
from solver.errors import IllegalPosition, SolverError
from solver.limits import Limit
from solver.rummikub.position import Move, Position
from solver.rummikub.rules import Rules
from solver.rummikub.search import Solver
from solver.rummikub.steps import Step, replay, steps_for
from tests.rummikub import random_positions

Pile = tuple[str, ...]
State = tuple[tuple[Pile, ...], Pile, Pile]  # sets, hand, laid tiles that are still in the rack


def moves(positions: Iterator[Position]) -> Iterator[tuple[Position, Move]]:
    solvers: dict[Rules, Solver] = {}
    for position in positions:
        move = solvers.setdefault(position.rules, Solver(position.rules)).best_move(position)
        if move is not None:
            yield position, move


def parts(pile: Pile) -> Iterator[tuple[Pile, Pile]]:
    """Every way to divide a pile in two, each part possibly empty."""
    kinds = sorted(Counter(pile).items())
    for chosen in product(*(range(count + 1) for _, count in kinds)):
        some = tuple(tile for (tile, _), used in zip(kinds, chosen, strict=True) for _ in range(used))
        rest = tuple(tile for (tile, count), used in zip(kinds, chosen, strict=True) for _ in range(count - used))
        yield some, rest


def state(piles: list[Pile], hand: Pile, rack: Pile) -> State:
    return tuple(sorted(tuple(sorted(pile)) for pile in piles if pile)), tuple(sorted(hand)), tuple(sorted(rack))


def neighbours(now: State, laid: Pile, forwards: bool) -> Iterator[State]:
    """All states one step later, or earlier: a split is a join read backwards, a take a place from the hand."""
    piles, hand, rack = now
    for at, pile in enumerate(piles):
        others = [other for index, other in enumerate(piles) if index != at]
        for some, rest in parts(pile):
            if some:
                yield state([*others, rest], (*hand, *some), rack)
                if rest:
                    yield state([*others, some, rest], hand, rack)
                if not forwards and not Counter((*rack, *some)) - Counter(laid):
                    yield state([*others, rest], hand, (*rack, *some))
        for other in others:
            left = list(others)
            left.remove(other)
            yield state([*left, (*pile, *other)], hand, rack)
    for store, is_hand in ((hand, True), (rack, False)):
        if not is_hand and not forwards:
            continue
        for some, rest in parts(store):
            if some:
                for at in range(-1, len(piles)):
                    grown = [(*pile, *some) if index == at else pile for index, pile in enumerate(piles)]
                    grown += [some] if at < 0 else []
                    yield state(grown, rest if is_hand else hand, rack if is_hand else rest)


def fewest(position: Position, move: Move, most: int) -> int | None:
    """The fewest steps from one table to the other, up to `most`, by search from both ends; jokers are just tiles."""
    ends = (
        {state(list(position.table), (), move.tiles)},
        {state(list(move.table), move.taken, ())},
    )
    reached = [set(ends[0]), set(ends[1])]
    edge = [set(ends[0]), set(ends[1])]
    for steps in range(most + 1):
        if reached[0] & reached[1]:
            return steps
        if steps < most:
            side = int(steps % 2 == 0)  # first from the end
            found = {new for old in edge[side] for new in neighbours(old, move.tiles, forwards=side == 0)}
            edge[side] = found - reached[side]
            reached[side] |= found
    return None


@pytest.mark.parametrize("seed", range(4))
def test_replay_gives_the_final_table(seed: int) -> None:
    for position, move in moves(random_positions.positions(100, seed)):
        steps = steps_for(position, move)
        assert replay(position, steps) == move.table
        assert len(steps) >= steps.bound
        assert steps.proven == (len(steps) == steps.bound)


def test_replay_under_every_rule_option() -> None:
    taken = 0
    positions = random_positions.positions(150, 21, random_positions.ALL_PRESETS, random_positions.MOVE_OPTIONS)
    # what the search refuses: a high 1 behind fewer numbers
    for position, move in moves(each for each in positions if each.rules.numbers > 4 or not each.rules.high_one):
        steps = steps_for(position, move)
        assert replay(position, steps) == replay(position, steps_for(position, move, tidy=True)) == move.table
        taken += bool(move.taken)
    assert taken


def test_tidy_steps_bring_no_strangers_together() -> None:
    for position, move in moves(mixed(16, "tidy", ("small", "medium"))):
        steps = steps_for(position, move, tidy=True)
        assert replay(position, steps) == move.table
        assert len(steps) >= len(steps_for(position, move))
        finals = [Counter(tiles) for tiles in move.table]
        starts = [*map(Counter, position.table), Counter[str]()]
        for step in steps:
            for result in map(Counter, step.result):
                assert any(not result - final - start for final in finals for start in starts)


def test_replay_of_full_tables() -> None:
    for position, move in moves(mixed(24, "steps", ("small", "medium", "few"))):
        assert replay(position, steps_for(position, move)) == move.table


@pytest.mark.parametrize("seed", range(3))
def test_fewest_steps_are_those_of_an_exhaustive_search(seed: int) -> None:
    compared = 0
    for position, move in moves(random_positions.positions(150, seed + 50, table_tiles=9, rack_tiles=3)):
        steps = steps_for(position, move)
        same_tiles = Counter(tuple(sorted(tiles)) for tiles in position.table) & Counter(
            tuple(sorted(tiles)) for tiles in move.table
        )
        turned = sum(same_tiles.values()) > sum((Counter(position.table) & Counter(move.table)).values())
        if turned or steps.bound > 4 or sum(map(len, move.table)) > 11:
            continue  # the search knows nothing of the places of jokers, and is slow
        compared += 1
        least = fewest(position, move, min(len(steps), 4))
        assert least is None or steps.bound <= least <= len(steps)
        assert not steps.proven or least == len(steps)
    assert compared > 30


CASES = [
    # position, move, fewest steps
    ("R1 R2 R3 | R4", "R4 | R1 R2 R3 R4", 1),
    ("R1 R2 R3 | R4 B5 K5 O5", "R4 B5 K5 O5 | R1 R2 R3 R4, B5 K5 O5", 2),
    ("R1 R2 R3, B5 K5 O5 | R4", "R4 | R1 R2 R3 R4, B5 K5 O5", 1),
    ("R1 R2 R3 R4 R5 R6 | R3 R4", "R3 R4 | R1 R2 R3 R4, R3 R4 R5 R6", 2),
    ("R1 R2 R3, R4 R5 R6 | B1 B2 B3", "B1 B2 B3 | R1 R2 R3 R4 R5 R6, B1 B2 B3", 2),
    # one tile each from two sets, and one from the rack
    ("B1 B2 B3 B4 B5 B6, O6 O7 O8 O9 | K6", "K6 | B1 B2 B3 B4 B5, O7 O8 O9, B6 K6 O6", 4),
    # one set gives to two others: once into the hand, twice out of it
    ("R4 B4 K4 O4, R1 R2 R3, B5 B6 B7 | R4 B4 J | rules=free", "J | R1 R2 R3 R4, B4 B5 B6 B7, K4 O4 J", 4),
    # the joker is replaced, and freed for a new set: all tiles laid in one place, then two sets made of them
    ("R5 J R7 | R6 B9 B10", "R6 B9 B10 | R5 R6 R7, B9 B10 J", 2),
]


@pytest.mark.parametrize(("position", "move", "fewest_steps"), CASES)
def test_known_numbers_of_steps(position: str, move: str, fewest_steps: int) -> None:
    start, played = Position.parse(position), Move.parse(move)
    steps = steps_for(start, played)
    assert replay(start, steps) == played.table
    assert (len(steps), steps.bound, steps.proven) == (fewest_steps, fewest_steps, True)


def test_nothing_to_do_but_a_new_set() -> None:
    steps = steps_for(Position.parse("R1 R2 R3 | R1 R2 R3"), Move.parse("R1 R2 R3 | R1 R2 R3, R1 R2 R3"))
    assert [str(step) for step in steps] == ["Place R1 R2 R3 from the rack as a new set."]
    assert steps.to_dict() == {
        "steps": [
            {
                "kind": "place",
                "tiles": ["R1", "R2", "R3"],
                "source": "rack",
                "target": [],
                "result": [["R1", "R2", "R3"]],
                "text": "Place R1 R2 R3 from the rack as a new set.",
            }
        ],
        "bound": 1,
        "proven": True,
    }


def test_moves_of_the_search_know_their_steps() -> None:
    for position, move in moves(random_positions.positions(20, 7)):
        assert move.steps == steps_for(position, move)
    with pytest.raises(SolverError, match="position"):
        _ = Move.parse("R4 | R1 R2 R3 R4").steps


def test_a_joker_that_moves_within_its_set_is_moved() -> None:
    start = Position.parse("R5 R6 J | B1 B2 B3 | rules=free")
    move = Move.parse("B1 B2 B3 | J R5 R6, B1 B2 B3")
    steps = steps_for(start, move)
    assert replay(start, steps) == move.table
    assert len(steps) == 3


def test_the_tile_that_replaces_a_joker_comes_before_it_is_freed() -> None:
    start = Position.parse("R5 J R7, K9 K10 K11 | R6 K12 K13 O12 B12")
    move = Move.parse("R6 K12 O12 B12 | R5 R6 R7, K9 K10 K11 K12, B12 O12 J")
    steps = list(steps_for(start, move))
    assert replay(start, steps) == move.table
    placed = next(at for at, step in enumerate(steps) if step.source == "rack" and "R6" in step.tiles)
    freed = next(at for at, step in enumerate(steps) if step.kind in ("split", "take") and "J" in step.source)
    assert placed < freed


def test_taken_tiles_stay_in_the_hand() -> None:
    start = Position.parse("R1 R2 R3 R4 | B7 K7 O7 | rules=family")
    move = Move.parse("B7 K7 O7 | R2 R3 R4, B7 K7 O7 | taken=R1")
    steps = steps_for(start, move)
    assert replay(start, steps) == move.table
    assert [step.kind for step in steps] == ["place", "take"] or [step.kind for step in steps] == ["take", "place"]


def test_a_small_limit_gives_steps_that_are_not_proven() -> None:
    proven = 0
    for position, move in moves(mixed(6, "limit", ("medium",))):
        steps = steps_for(position, move, Limit(nodes=1))
        assert replay(position, steps) == move.table
        assert len(steps) >= steps.bound
        proven += steps.proven
    assert proven < 6


def test_the_same_steps_every_time() -> None:
    for position, move in moves(mixed(6, "same", ("medium",))):
        assert steps_for(position, move) == steps_for(position, move)


@pytest.mark.parametrize(
    ("move", "message"),
    [
        ("R5 | R1 R2 R3 R5", "is not in the rack"),
        ("R4 | R1 R2 R4", "is lost from the table"),
        ("R4 | R1 R2 R3 R4 R5", "came from nowhere"),
        ("R4 | R1 R2 R3 | taken=R4", "both laid and taken"),
        ("R4 | R1 R2 R3 R4 | taken=B1", "is not on the table to be taken"),
    ],
)
def test_a_move_whose_tiles_do_not_add_up_is_refused(move: str, message: str) -> None:
    with pytest.raises(SolverError, match=message):
        steps_for(Position.parse("R1 R2 R3 | R4"), Move.parse(move))


def test_other_bad_arguments() -> None:
    with pytest.raises(SolverError, match="position"):
        steps_for("R1 R2 R3 | R4", Move.parse("R4 | R1 R2 R3 R4"))  # type: ignore[arg-type]
    with pytest.raises(SolverError, match="move"):
        steps_for(Position.parse("R1 R2 R3 | R4"), "R4 | R1 R2 R3 R4")  # type: ignore[arg-type]
    with pytest.raises(IllegalPosition):
        steps_for(Position.parse("R1 R2 | R3"), Move.parse("R3 | R1 R2 R3"))


RUN, LONG = ("R1", "R2", "R3"), ("R1", "R2", "R3", "R4")


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (Step("place", ("R5",), "rack", RUN, (("R1", "R2", "R3", "R5"),)), "is not in the rack"),
        (Step("place", ("R4",), "hand", RUN, (LONG,)), "is not in the hand"),
        (Step("place", ("R4",), "rack", ("B1", "B2", "B3"), (("B1", "B2", "B3", "R4"),)), "is not on the table"),
        (Step("place", ("R4",), "rack", RUN, (RUN,)), "do not add up"),
        (Step("place", (), "rack", RUN, (RUN,)), "is no step"),
        (Step("take", ("R4",), RUN, "hand", (RUN,)), "do not add up"),
        (Step("take", ("R3",), RUN, "rack", (("R1", "R2"),)), "is no step"),
        (Step("take", ("R3",), RUN, "hand", (("R1", "R2"),)), "is left in the hand"),
        (Step("split", ("R3",), RUN, (), (("R1", "R2"), ("R3",))), "is no legal set"),
        (Step("split", ("R3",), RUN, (), (("R1", "R2"), ("R4",))), "do not add up"),
        (Step("join", RUN, RUN, RUN, ((*RUN, *RUN),)), "is not on the table"),
    ],
)
def test_replay_refuses_what_cannot_be_done(step: Step, message: str) -> None:
    with pytest.raises(SolverError, match=message):
        replay(Position.parse("R1 R2 R3 | R4"), [step])


def test_replay_refuses_a_joker_freed_too_early() -> None:
    start = Position.parse("R5 J R7 | R6 B9 B10")
    steps = [
        Step("take", ("J",), ("R5", "J", "R7"), "hand", (("R5", "R7"),)),
        Step("place", ("R6",), "rack", ("R5", "R7"), (("R5", "R6", "R7"),)),
    ]
    with pytest.raises(SolverError, match="step 2: 'R6' comes after a joker"):
        replay(start, steps)
