"""Whole games of Setup: hand-worked deals, refills, swaps, ends and teams, and what each seat sees."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from solver.errors import IllegalAction, ParseError, SolverError
from solver.games import CHANCE, OVER, load
from solver.setup import Move, Rules
from solver.setup.game import IDLE_END, SetupState, start, start_squares
from tests.conformance import check_games

SIXTY = Rules(finish=60)
SQUARES = SIXTY.graph.squares


def dealt(rules: Rules | str = SIXTY, players: int = 2, seed: int = 1, game: int = 0, **options: Any) -> SetupState:
    """The state after the deal."""
    state = start(rules, players, **options)
    while state.to_move == CHANCE:
        state = state.apply(state.sample(seed, game))
    return state


def placed(
    stacks: dict[str, str],
    racks: list[str],
    common: str,
    rules: Rules = SIXTY,
    scores: tuple[int, ...] = (),
    mover: int = 0,
    **others: Any,
) -> SetupState:
    """A state with `mover` to move; the bag is all the rest, or `bag` where that is given."""
    state = start(rules, len(racks))
    board = tuple(tuple(stacks.get(square, "").split("/")) if square in stacks else () for square in SQUARES)
    order = rules.tile_index.__getitem__
    hands = tuple(tuple(sorted(rack.split(), key=order)) for rack in racks)
    used = {tile for group in (*board, *hands, common.split()) for tile in group}
    bag = others.pop("bag", None)
    return replace(
        state,
        phase="play",
        mover=mover,
        to_move=mover,
        stacks=board,
        racks=hands,
        common=tuple(common.split()),
        bag=tuple(bag.split()) if bag is not None else tuple(tile for tile in rules.tiles if tile not in used),
        scores=scores or (0,) * len(racks),
        recent=tuple((mover - 1 - back) % len(racks) for back in range(len(racks))),
        **others,
    )


def test_the_deal_fills_the_centre_then_the_racks_then_the_common_hand() -> None:
    state = start(SIXTY, 2)
    assert (state.to_move, state.phase, state.seats, state.players) == (CHANCE, "deal", "NS", 2)
    tiles = []
    while state.phase == "deal":
        assert len(state.chance_outcomes()) == 50 - len(tiles)
        tiles.append(state.sample(5, 3))
        state = state.apply(tiles[-1])
    assert len(tiles) == 16
    assert [SQUARES[at] for at, stack in enumerate(state.stacks) if stack] == ["b2", "c2", "b3", "c3"]
    assert [state.stacks[SQUARES.index(square)] for square in ("b2", "c2", "b3", "c3")] == [(t,) for t in tiles[:4]]
    assert set(state.racks[0]) == set(tiles[4:8])
    assert set(state.racks[1]) == set(tiles[8:12])
    assert set(state.common) == set(tiles[12:])
    assert state.chance_outcomes() == [("N", 0.5), ("S", 0.5)]
    begun = state.apply("S")
    assert (begun.to_move, begun.phase, begun.recent) == (1, "play", (0, 1))


def test_absent_squares_and_first_player_as_the_rules_say() -> None:
    rules = Rules(finish=60, absent_squares="filled", first_player="S")
    assert [SQUARES[at] for at in start_squares(rules, "NS")] == ["b2", "c2", "b3", "c3", "d2", "d3", "a2", "a3"]
    state = dealt(rules)
    assert state.to_move == 1
    assert sum(1 for stack in state.stacks if stack) == 8
    assert sum(1 for stack in dealt(rules, 3).stacks if stack) == 6
    assert sum(1 for stack in dealt(rules, 4).stacks if stack) == 4


def test_draws_are_the_same_whatever_is_played() -> None:
    first, other = dealt(seed=4), dealt(seed=4)
    moves = list(first.legal_actions())
    drawn = []
    for state, move in ((first, moves[0]), (other, moves[0])):
        state = state.apply(move)
        drawn.append(state.sample(4, 0))
    one_tile = [move for move in moves if len(move.placements) == 1]
    two_tiles = [move for move in moves if len(move.placements) == 2]
    for move in (*one_tile[:3], *two_tiles[:3]):
        assert first.apply(move).sample(4, 0) == drawn[0] == drawn[1]
    assert dealt(seed=4) == first != dealt(seed=5)


def test_a_play_scores_and_refills_the_common_hand_first() -> None:
    state = placed({"b2": "4H", "c2": "9C"}, ["4C 7S 1H 2D", "1* 2* 3* 4*"], "4D 8H 9H 10H")
    after = state.apply(Move.parse("c3=4C b3=4D"))
    # 4H 4D 4C form one set of three on b2 b3 c3.
    assert (after.scores, after.turn, after.to_move, after.mover) == ((3, 0), 1, CHANCE, 0)
    assert after.common == ("8H", "9H", "10H")
    one = after.apply(after.sample(1, 0))
    assert len(one.common) == 4
    assert one.racks[0] == ("1H", "2D", "7S")
    two = one.apply(one.sample(1, 0))
    assert (len(two.racks[0]), two.to_move) == (4, 1)


def test_bonus_goes_to_the_owner_of_the_squares() -> None:
    # c1 belongs to N; S joins its 5C over c2.
    state = placed({"c1": "5C", "b3": "1S"}, ["1* 2* 3* 4*", "4C 7S 1H 2D"], "8D 8H 9H 10H", mover=1)
    after = state.apply(Move.parse("c2=4C"))
    assert after.scores == (1, 2)
    none = replace(state, rules=Rules(finish=60, bonus="none"))
    assert none.apply(Move.parse("c2=4C")).scores == (0, 2)


def test_covered_tiles_go_into_the_bag_whenever_it_is_empty() -> None:
    rules = SIXTY
    state = placed({"b2": "4H/9S/8S", "c2": "9C/7D"}, ["4C 7S 1H 2D", "1* 2* 3* 4*"], "6D 8H 9H 10H", rules, bag="10S")
    after = state.apply(Move.parse("c2=4C"))
    # One tile is missing in the rack, and one is in the bag: once it is drawn, the five covered tiles follow.
    assert (after.bag, after.mixed) == (("10S",), 0)
    drawn = after.apply("10S")
    assert drawn.bag == ("7D", "8S", "9C", "9S")
    assert drawn.mixed == 1
    assert [stack for stack in drawn.stacks if stack] == [("4H",), ("4C",)]
    assert (drawn.to_move, len(drawn.racks[0])) == (1, 4)
    # An empty bag takes the tile that this play covers, and it may be drawn again at once.
    empty = placed({"b2": "4H", "c2": "9C"}, ["4C 7S 1H 2D", "1* 2* 3* 4*"], "6D 8H 9H 10H", rules, bag="")
    again = empty.apply(Move.parse("c2=4C"))
    assert (again.bag, again.to_move) == (("9C",), CHANCE)
    assert again.apply("9C").racks[0] == ("1H", "2D", "7S", "9C")
    # Nothing to draw: the rack stays short, and the turn passes.
    short = replace(empty, racks=(("4C", "7S"), empty.racks[1])).apply(Move.parse("b1=4C"))
    assert (short.to_move, short.racks[0], short.bag) == (1, ("7S",), ())


def test_a_swap_sets_aside_draws_and_puts_back() -> None:
    state = placed({"b2": "4H"}, ["1H 2D 4C 7S", "1* 2* 3* 4*"], "6D 8H 9H 10H", bag="5H 6H 7H")
    after = state.apply(Move.parse("swap 4C 7S"))
    assert (after.phase, after.aside, after.owed, after.racks[0]) == ("swap", ("4C", "7S"), 2, ("1H", "2D"))
    assert [outcome for outcome, _ in after.chance_outcomes()] == ["5H", "6H", "7H"]
    end = after.apply("6H").apply("5H")
    assert (end.racks[0], end.bag, end.aside) == (("1H", "2D", "5H", "6H"), ("4C", "7H", "7S"), ())
    assert (end.to_move, end.turn, end.idle, end.mixed, end.scores) == (1, 1, 1, 1, (0, 0))
    # Bag and covered tiles are too few: the lowest stay.
    few = placed({"b2": "4H/9S"}, ["1H 2D 4C 7S", "1* 2* 3* 4*"], "6D 8H 9H 10H", bag="5H")
    after = few.apply(Move.parse("swap 1H 4C 7S"))
    assert (after.racks[0], after.aside) == (("1H", "2D"), ("4C", "7S"))
    middle = after.apply("5H")
    assert (middle.bag, middle.mixed) == (("9S",), 1)
    end = middle.apply("9S")
    assert (end.racks[0], end.bag, end.mixed) == (("1H", "2D", "5H", "9S"), ("4C", "7S"), 2)
    nothing = replace(few, stacks=tuple(stack[:1] for stack in few.stacks), bag=())
    end = nothing.apply(Move.parse("swap 1H"))
    assert (end.racks, end.to_move) == (nothing.racks, 1)


def test_swaps_for_ever_end_the_game() -> None:
    state = placed({"b2": "4H"}, ["1H 2D 4C 7S", "1* 2* 3* 4*"], "6D 8H 9H 10H", idle=IDLE_END - 1, scores=(7, 9))
    end = state.apply(Move.parse("swap 1H"))
    assert (end.to_move, end.returns(), end.winners()) == (OVER, (7.0, 9.0), (1,))
    assert state.apply(Move.parse("b1=4C")).apply("5H").idle == 0


@pytest.mark.parametrize(("rule", "scores", "over"), [("reach", 58, True), ("pass", 58, False), ("pass", 59, True)])
def test_the_finish_is_reached_or_passed(rule: str, scores: int, over: bool) -> None:
    rules = Rules(finish=60, finish_rule=rule)
    state = placed({"b2": "4H"}, ["1H 2D 4C 7S", "1* 2* 3* 4*"], "6D 8H 9H 10H", rules, (scores, 0))
    after = state.apply(Move.parse("b1=4C"))
    assert (after.to_move == OVER) == over
    if over:
        # At once: nothing is drawn any more.
        assert after.racks[0] == ("1H", "2D", "7S")
        assert (after.returns(), after.winners(), list(after.legal_actions())) == ((scores + 2, 0), (0,), [])


def test_the_farthest_pawn_wins_and_among_equals_who_played_last() -> None:
    board = {"c1": "5C", "b3": "1S"}
    racks = ["1* 2* 3* 4*", "4C 7S 1H 2D"]
    # S plays 2 points and gives N 1.
    for scores, winner in (((59, 58), 1), ((60 - 1, 59), 1), ((59, 50), 0), ((50, 58), 1)):
        end = placed(board, racks, "8D 8H 9H 10H", scores=scores, mover=1).apply(Move.parse("c2=4C"))
        assert (end.to_move, end.winners()) == (OVER, (winner,))
    # Three players: E and S stand equal by bonus, and E has played after S.
    rules = Rules(finish=60, on_opponents="allowed")
    state = placed({"b2": "4H"}, ["1* 2* 3* 4*", "1H 1D 1S 1C", "4C 7S 2H 2D"], "8D 8H 9H 10H", rules, (60, 60, 30), 2)
    state = replace(state, scores=(59, 30, 59), recent=(1, 0, 2))
    end = state.apply(Move.parse("b1=4C"))
    # b1 is N's: a point for the square and one for the tile on it.
    assert (end.scores, end.winners()) == ((61, 30, 61), (2,))
    swapped = replace(end, recent=(0, 2, 1))
    assert swapped.winners() == (0,)


def test_teams_play_until_three_are_home_and_the_last_ones_lose() -> None:
    rules = Rules(finish=60, teams=True)
    racks = ["1H 2D 4C 7S", "1* 2* 3* 4*", "5* 6* 7* 8*", "5D 6S 7D 8D"]
    state = placed({"b2": "4H"}, racks, "6D 8H 9H 10H", rules, (58, 60, 50, 10))
    after = state.apply(Move.parse("b1=4C"))
    # N comes home; the game goes on, and E, who is home, is passed over.
    assert (after.scores, after.to_move) == ((60, 60, 50, 10), CHANCE)
    assert after.apply(after.sample(1, 1)).to_move == 2
    third = replace(state, scores=(58, 60, 50, 61))
    end = third.apply(Move.parse("b1=4C"))
    assert (end.to_move, end.winners(), end.returns()) == (OVER, (1, 3), (60.0, 60.0, 50.0, 61.0))
    # Third and fourth at once: N's play gives S the last step. E, who stands equal and played before S, is last.
    both = placed({"b4": "3D"}, ["4D 1H 7S 9C", *racks[1:]], "6D 8H 9H 10H", rules, (58, 60, 59, 61))
    end = both.apply(Move.parse("b3=4D"))
    assert (end.scores, end.recent, end.winners()) == ((60, 60, 60, 61), (0, 3, 2, 1), (0, 2))
    assert replace(end, recent=(0, 3, 1, 2)).winners() == (1, 3)


def test_a_seat_sees_its_rack_the_board_and_nothing_else() -> None:
    state = dealt(players=3, seed=9)
    for _ in range(12):
        state = state.apply(next(state.legal_actions()))
        while state.to_move == CHANCE:
            state = state.apply(state.sample(9, 0))
    for seat in range(3):
        view = state.view(seat)
        assert (view.rack, view.held, view.bag) == (state.racks[seat], (4, 4, 4), len(state.bag))
        assert view.stacks == state.stacks
        assert (view.position.to, view.position.rack) == (state.seats[seat], state.racks[seat])
        hidden = set(state.bag).union(*(rack for at, rack in enumerate(state.racks) if at != seat))
        others = [state.reshuffled(seat, key) for key in range(20)]
        assert all(other.view(seat) == view for other in others)
        assert len(set(others)) == 20
        assert {tile for other in others for tile in other.racks[(seat + 1) % 3]} > set(state.racks[(seat + 1) % 3])
        assert all(set(other.bag) <= hidden for other in others)
    assert state.view(state.to_move).position == state.position


def test_partners_see_racks_where_the_rules_say_so() -> None:
    state = dealt(Rules(finish=60, teams=True, partners_see_racks=True), 4)
    assert state.view(0).partner == state.racks[2]
    assert state.reshuffled(0, 3).racks[2] == state.racks[2]
    assert dealt(Rules(finish=60, teams=True), 4).view(0).partner is None


def test_what_is_not_allowed_is_refused_by_name() -> None:
    state = placed({"b2": "4H"}, ["1H 2D 4C 7S", "1* 2* 3* 4*"], "6D 8H 9H 10H")
    for text, reason in (
        ("b1=4S", "neither in the rack"),
        ("b4=4C", "belongs to S"),
        ("b1=7S", "one set"),
        ("swap 6D", "not in the rack"),
    ):
        with pytest.raises(IllegalAction, match=reason):
            state.apply(Move.parse(text))
    with pytest.raises(IllegalAction, match="is no move"):
        state.apply("4H")
    drawing = state.apply(Move.parse("b1=4C"))
    for event in ("4C", "N", Move.parse("b1=4C"), 7):
        with pytest.raises(IllegalAction, match="cannot be drawn"):
            drawing.apply(event)  # type: ignore[arg-type]
    over = placed({"b2": "4H"}, ["1H 2D 4C 7S", "1* 2* 3* 4*"], "6D 8H 9H 10H", scores=(59, 0)).apply(
        Move.parse("b1=4C")
    )
    with pytest.raises(IllegalAction, match="over"):
        over.apply(Move.parse("b1=4C"))
    calls: list[Callable[[], object]] = [
        state.returns,
        state.winners,
        lambda: drawing.position,
        lambda: state.sample(0, 0),
        lambda: state.view(2),
    ]
    for call in calls:
        with pytest.raises(SolverError, match=r"not over|is to move|nothing is drawn|seat"):
            call()
    for text in ("b1=", "x"):
        with pytest.raises(ParseError):
            state.read(text)
    with pytest.raises(ParseError, match="no outcome"):
        drawing.read("11H")


@pytest.mark.parametrize(
    ("rules", "players", "options", "reason"),
    [
        ("default+finish=60", 5, {}, "players: must be 2 to 4, not 5"),
        ("default+finish=60", 2, {"seats": "SN"}, "seats"),
        ("default+finish=60", 3, {"seats": "NS"}, "seats"),
        ("default+finish=60+teams=yes", 2, {}, "teams need 4"),
        ("default+finish=60+bonus_claim=if_claimed", 2, {}, "bonus_claim"),
        ("default+finish=60+first_player=E", 2, {}, "first_player"),
        ("default+finish=60+numbers=4", 2, {}, "20 tiles are too few"),
        ("default", 2, {}, "finish"),
        (7, 2, {}, "rules"),
    ],
)
def test_games_that_cannot_be_are_refused(rules: Any, players: int, options: dict[str, Any], reason: str) -> None:
    with pytest.raises(SolverError, match=reason):
        start(rules, players, **options)


def test_states_are_read_back_and_bad_ones_refused() -> None:
    state = dealt(players=4, seed=2)
    data = json.loads(json.dumps(state.to_dict()))
    assert SetupState.from_dict(data) == state
    for field, value in (
        ("phase", "pause"),
        ("phase", "over"),
        ("mover", 4),
        ("turn", -1),
        ("stacks", [[]]),
        ("racks", data["racks"][:3]),
        ("racks", [data["racks"][0]] * 4),
        ("common", ["11H"]),
        ("scores", [0, 0, 0, 60]),
        ("recent", [0, 0, 1, 2]),
        ("owed", 1),
        ("seats", "NN"),
        ("rules", "default"),
        ("idle", True),
    ):
        with pytest.raises(ParseError):
            SetupState.from_dict({**data, field: value})


def test_other_seats_and_boards() -> None:
    state = dealt(seats="EW", seed=3)
    assert (state.seats, state.players) == ("EW", 2)
    large = Rules.parse("default+finish=20+board=" + "a,b@N,c,d@S/a-b,b-c,c-d")
    assert [at for at, stack in enumerate(dealt(large).stacks) if stack] == [0, 2]


VARIANTS = [
    ("default+finish=60", 2, {}),
    ("default+finish=60", 3, {}),
    ("default+finish=60", 4, {}),
    ("default+finish=60", 2, {"seats": "NE"}),
    ("default+finish=30+teams=yes", 4, {}),
    ("default+finish=30+teams=yes+partners_see_racks=yes", 4, {}),
    ("default+finish=40+absent_squares=filled+first_player=N+links=with_corners", 3, {}),
    ("default+finish=40+on_opponents=allowed+scoring=per_set", 3, {}),
    ("default+finish=40+run_order=block+scoring=placed_plus_sets+finish_rule=pass", 2, {}),
    ("default+finish=40+bonus=none", 4, {}),
    ("default+finish=40+board=a,b@N,c,d@S,e,f/a-b,b-c,c-d,d-e,e-f,f-a+numbers=9+suits=*HD", 2, {}),
]


@pytest.mark.parametrize(("rules", "players", "options"), VARIANTS)
def test_random_games_keep_the_protocol(rules: str, players: int, options: dict[str, Any]) -> None:
    assert check_games(load("setup"), 4, 3, rules, players, options) > 100
