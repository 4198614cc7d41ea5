"""Whole games: every ending, score and option by hand, what a seat sees, chance, and the conformance kit."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from solver import games
from solver.errors import IllegalAction, ParseError, RulesError, SolverError
from solver.games import CHANCE, OVER
from solver.match import match
from solver.rummikub import Move, Rules
from solver.rummikub.game import DRAW, FAIL, PASS, Event, Idle, RummikubState, View, start
from solver.rummikub.players import player
from tests.conformance import check_games

# 16 tiles, so that the pool can be made as small as a case wants; nobody has to open.
TINY = "standard+colors=4+numbers=4+copies=1+jokers=0+rack_size=1+opening_threshold=0"
RUNS = "R1 R2 R3 R4, B1 B2 B3 B4"


def state(
    rules: str, racks: list[str], table: str = "-", opened: str = "", active: int = 0, **fields: Any
) -> RummikubState:
    """A state in the middle of a game; the pool is what is left of the material. opened: `y` or `n` for each seat."""
    known = Rules.parse(rules)
    players = len(racks)
    sets = [] if table == "-" else [part.split() for part in table.split(",")]
    data = {
        "rules": rules,
        "racks": [rack.split() for rack in racks],
        "table": sets,
        "opened": [known.opening_threshold == 0 or opened[seat : seat + 1] == "y" for seat in range(players)],
        "turn": 5,
        "first": 0,
        "active": active,
        "to_deal": 0,
        "pending": 0,
        "left": -1,
        "over": False,
        "shown": [[] for _ in racks],
        "history": [],
    }
    return RummikubState.from_dict(data | fields)


def lay(before: RummikubState, text: str) -> RummikubState:
    return before.apply(Move.parse(text, before.rules))


def test_start_deals_one_tile_after_the_other() -> None:
    now = start()
    assert (now.to_move, now.players, now.game) == (CHANCE, 2, "rummikub")
    assert now.chance_outcomes() == [("first=0", 0.5), ("first=1", 0.5)]
    now = now.apply("first=1")
    outcomes = dict(now.chance_outcomes())
    assert len(outcomes) == 53
    assert outcomes["R1"] == outcomes["J"] == 2 / 106
    assert list(outcomes)[:2] == ["R1", "R2"]
    assert list(outcomes)[-2:] == ["O13", "J"]
    now = now.apply("R1")
    assert now.racks == (("R1",), ())
    assert dict(now.chance_outcomes())["R1"] == 1 / 105
    now = now.apply("R1")
    assert now.racks == (("R1",), ("R1",))
    assert "R1" not in dict(now.chance_outcomes())
    with pytest.raises(IllegalAction, match="R1: is not in the pool"):
        now.apply("R1")
    for _ in range(26):
        now = now.apply(now.sample(1, 0))
    assert (now.to_move, now.turn, now.pool_size) == (1, 0, 106 - 28)
    assert [len(rack) for rack in now.racks] == [14, 14]


@pytest.mark.parametrize(
    ("deal", "first"),
    [
        ("R5 R7 B5 B7 K5 K8", [0]),  # three 5s against two 7s
        ("R5 R7 B5 B7 K5 O7", [1]),  # 7s are higher
        ("R7 R7 B7 B7 K7 O7", [0, 1]),  # the same number: by lot
        ("R5 R7 R5 B7 K5 K8", [0, 1]),  # two of three 5s have one colour: nobody has a triple
        ("R5 R7 B5 B7 K5 J", [0]),  # a joker does not help
    ],
)
def test_highest_triple(deal: str, first: list[int]) -> None:
    now = start("family+rack_size=3")
    for tile in deal.split():
        assert now.to_move == CHANCE
        now = now.apply(tile)
    if len(first) == 1:
        assert (now.to_move, now.first) == (first[0], first[0])
        return
    assert now.chance_outcomes() == [(f"first={seat}", 1 / len(first)) for seat in first]
    assert now.sample(3, 4) in ("first=0", "first=1")
    assert now.apply("first=1").to_move == 1


def test_start_refuses() -> None:
    for players in (1, 5, True, "2"):
        with pytest.raises(RulesError, match="players: must be from 2 to 4"):
            start(players=players)  # type: ignore[arg-type]
    with pytest.raises(RulesError, match="rack_size: 4 racks of 27 are more than all 106 tiles"):
        start("standard+rack_size=27", 4)
    with pytest.raises(RulesError, match="no preset"):
        start("nothing")
    with pytest.raises(RulesError, match="must be Rules or their text"):
        start(7)  # type: ignore[arg-type]


def test_deal_can_empty_the_pool() -> None:
    # Nobody draws the last tile, so the last turns are counted from the first player's.
    now = start("standard+colors=4+numbers=4+copies=1+jokers=0+rack_size=8", 2).apply("first=1")
    while now.to_move == CHANCE:
        now = now.apply(now.sample(1, 1))
    assert (now.to_move, now.left, now.pool_size) == (1, 2, 0)
    now = now.apply(PASS).apply(PASS)
    assert now.to_move == OVER


def test_who_goes_out_wins_what_the_others_hold() -> None:
    now = state("standard", ["R10 R11 R12", "B1 J", "K13 O2"])
    done = lay(now, "R10 R11 R12 | R10 R11 R12")
    assert done.to_move == OVER
    assert done.winners() == (0,)
    assert done.returns() == (31 + 15, -31, -15)
    assert list(done.legal_actions()) == []
    assert done.chance_outcomes() == []
    with pytest.raises(IllegalAction, match="the game is over"):
        done.apply(DRAW)


def test_penalties_of_the_tournament() -> None:
    # Seat 1 never opened: 100 instead of 3; seat 2 has opened and holds a joker: 113.
    now = state("tournament", ["R10 R11 R12", "B1 B2", "K13 J"], "O1 O2 O3", "nny")
    assert lay(now, "R10 R11 R12 | R10 R11 R12, O1 O2 O3").returns() == (213, -100, -113)
    # The same player opened: 3.
    now = state("tournament", ["R10 R11 R12", "B1 B2", "K13 J"], "O1 O2 O3", "nyy")
    assert lay(now, "R10 R11 R12 | R10 R11 R12, O1 O2 O3").returns() == (116, -3, -113)


def test_each_player_opens_for_himself() -> None:
    now = state("standard", ["R1 R2 R3 K9", "O10 O11 O12 K8", "B4"], "B1 B2 B3", "nny")
    with pytest.raises(IllegalAction, match="worth 6, it takes 30"):
        lay(now, "R1 R2 R3 | R1 R2 R3, B1 B2 B3")
    assert list(now.legal_actions()) == [DRAW]
    now = now.apply(DRAW).apply("K1")
    now = lay(now, "O10 O11 O12 | B1 B2 B3, O10 O11 O12")
    assert now.opened == (False, True, True)
    assert now.history[-1] == Event(1, "lay", ("O10", "O11", "O12"))
    assert now.history[0] == Event(0, "draw", drawn=1)
    assert (now.to_move, now.turn) == (2, 7)
    assert [str(action) for action in now.legal_actions()] == ["draw", "B4 | B1 B2 B3 B4, O10 O11 O12"]


def test_draw_of_several_tiles_and_of_what_is_left() -> None:
    # Nine tiles outside of the table, of which the racks hold five.
    now = state(f"{TINY}+draw=3+pool_empty=until_stuck", ["K1 O2", "K3 O4 O1"], RUNS)
    assert now.pool_size == 3
    now = now.apply(DRAW)
    assert (now.pending, now.to_move) == (3, CHANCE)
    now = now.apply("K2").apply("O3")
    assert (now.to_move, now.left) == (CHANCE, -1)
    now = now.apply("K4")
    assert now.racks[0] == ("K1", "K2", "K4", "O2", "O3")
    assert (now.to_move, now.left, now.turn) == (1, 2, 6)
    few = state(f"{TINY}+draw=3", ["K1 O2", "K3 O4 O1 K2 O3"], RUNS)
    assert few.apply(DRAW).pending == 1
    assert few.apply(DRAW).history == (Event(0, "draw", drawn=1),)


def last_draw(rules: str) -> RummikubState:
    """Seat 2 of three draws the last tile, K2; racks then K1 (1), K3 O1 O2 O3 (9), K4 O4 K2 (10)."""
    now = state(f"{TINY}+{rules}", ["K1", "K3 O1 O2 O3", "K4 O4"], RUNS, active=2)
    assert now.chance_outcomes() == []
    now = now.apply(DRAW)
    assert now.chance_outcomes() == [("K2", 1.0)]
    return now.apply("K2")


def test_one_more_turn_each() -> None:
    now = last_draw("pool_empty=one_more_turn")
    assert (now.to_move, now.left, now.pool_size) == (0, 3, 0)
    assert next(iter(now.legal_actions())) is PASS
    with pytest.raises(IllegalAction, match="draw: the pool is empty"):
        now.apply(DRAW)
    now = now.apply(PASS)
    now = lay(now, "O1 O2 O3 | R1 R2 R3 R4, B1 B2 B3 B4, O1 O2 O3")
    assert (now.to_move, now.left) == (2, 1)  # who drew the last tile has the last turn
    now = now.apply(PASS)
    assert now.to_move == OVER
    # Sums 1, 3 and 10: the lowest wins 2 + 9.
    assert now.winners() == (0,)
    assert now.returns() == (11, -2, -9)


def test_until_all_pass_in_a_row() -> None:
    now = last_draw("pool_empty=until_stuck").apply(PASS)
    now = lay(now, "O1 O2 O3 | R1 R2 R3 R4, B1 B2 B3 B4, O1 O2 O3")
    assert (now.to_move, now.left) == (2, 3)
    now = now.apply(PASS).apply(PASS)
    assert (now.to_move, now.left) == (1, 1)  # who laid passes as well before the end
    assert now.apply(PASS).returns() == (11, -2, -9)
    # Seat 0 could have gone out with K1 all the time.
    back = last_draw("pool_empty=until_stuck")
    assert lay(back, "K1 | R1 B1 K1, R2 R3 R4, B2 B3 B4").returns() == (19, -9, -10)


def test_forced_to_lay() -> None:
    now = last_draw("pool_empty=forced")
    with pytest.raises(IllegalAction, match=r"pass: K1 can be laid.*pool_empty=forced"):
        now.apply(PASS)
    assert [action for action in now.legal_actions() if isinstance(action, Idle)] == []
    now = state(f"{TINY}+pool_empty=forced", ["K2", "K1 K3 K4 O1 O2 O3 O4"], RUNS, left=2)
    assert list(now.legal_actions()) == [PASS]
    assert now.apply(PASS).to_move == 1
    # Before the pool is empty nobody is forced.
    early = state(f"{TINY}+pool_empty=forced", ["K1 K3", "K2 O1 O2 O3"], RUNS)
    assert early.apply(DRAW).to_move == CHANCE


def test_equal_lowest_sums_share() -> None:
    rules = "standard+numbers=3+copies=1+jokers=0+rack_size=1+opening_threshold=0+pool_empty=until_stuck"
    now = state(rules, ["K2 O1", "K1 O2", "K3 O3"], "R1 R2 R3, B1 B2 B3", left=3)
    done = now.apply(PASS).apply(PASS).apply(PASS)
    assert done.winners() == (0, 1)
    assert done.returns() == (1.5, 1.5, -3)
    now = state(rules, ["K2 O1", "K1 O2"], "R1 R2 R3, B1 B2 B3")
    assert now.pool_size == 2
    done = now.apply(DRAW).apply("K3").apply(DRAW).apply("O3").apply(PASS).apply(PASS)
    assert (done.winners(), done.returns()) == ((0, 1), (0, 0))


def test_never_opened_counts_when_the_lowest_sum_wins() -> None:
    rules = "standard+numbers=3+copies=1+jokers=0+rack_size=1+never_opened_penalty=50+opening_threshold=6"
    # Seat 0 holds 3 and never opened: 50; seat 1 holds 9.
    now = state(rules, ["K2 O1", "K1 O2 O3 K3"], "R1 R2 R3, B1 B2 B3", "ny", left=2)
    done = now.apply(PASS).apply(PASS)
    assert (done.winners(), done.returns()) == ((1,), (-41, 41))


def test_must_play() -> None:
    now = state("standard+must_play=yes", ["R8 B1", "K1"], "R5 R6 R7", "yy")
    assert [str(action) for action in now.legal_actions()] == ["R8 | R5 R6 R7 R8"]
    assert now.can_lay()
    with pytest.raises(IllegalAction, match=r"draw: R8 can be laid.*must_play=yes"):
        now.apply(DRAW)
    assert now.apply(DRAW, check=False).pending == 1
    assert now.apply(FAIL).pending == 3  # a failure happens, whatever could have been laid
    now = state("standard+must_play=yes", ["B8 B1", "K1"], "R5 R6 R7", "yy")
    assert list(now.legal_actions()) == [DRAW]
    assert not now.can_lay()
    assert now.apply(DRAW).to_move == CHANCE


class Failing:
    """Chooses to fail."""

    name = "failing"

    def choose(self, view: View, key: int) -> Idle:
        return FAIL


def test_who_can_lay_and_must_does_not_choose_to_fail() -> None:
    now = state("standard+must_play=yes", ["R8 B1", "K1"], "R5 R6 R7", "yy")
    with pytest.raises(IllegalAction, match=r"fail: R8 can be laid.*must_play=yes"):
        games.play(now, [Failing(), player("greedy")], 1, 0, check=True)
    with pytest.raises(IllegalAction, match=r"draw: R8 can be laid"):
        now.apply(DRAW)
    now.check_choice(DRAW)  # what `apply` refuses is left to it
    # Who cannot lay, or need not, may.
    state("standard+must_play=yes", ["B8 B1", "K1"], "R5 R6 R7", "yy").check_choice(FAIL)
    state("standard", ["R8 B1", "K1"], "R5 R6 R7", "yy").check_choice(FAIL)
    with pytest.raises(IllegalAction, match=r"can be laid, and who can lay must \(must_play=yes\)"):
        match("rummikub", ["greedy", Failing()], games=8, seed=1, rules="standard+must_play=yes")


def test_take_back_and_kept_jokers_are_seen_by_all() -> None:
    now = state("family", ["R9 K1", "B1", "O1 K7"], "R5 R6 R7 R8, K5 J K7")
    with pytest.raises(IllegalAction, match="taken"):
        lay(now, "R9 | R6 R7 R9, K5 J K7 | taken=R5 R8")
    now = lay(now, "R9 | R6 R7 R8 R9, K5 J K7 | taken=R5")
    assert now.racks[0] == ("R5", "K1")
    assert now.shown == (("R5",), (), ())
    assert now.history[-1] == Event(0, "lay", ("R9",), ("R5",))
    for key in range(20):
        guess = now.view(1).sample(key)
        assert "R5" in guess.racks[0]
        assert [len(rack) for rack in guess.racks] == [2, 1, 2]
    now = now.apply(DRAW).apply("B2").apply(DRAW).apply("B3")
    now = lay(now, "R5 | R5 R6 R7 R8 R9, K5 J K7")
    assert now.shown == ((), (), ())
    # A joker whose tile is laid may be kept.
    keeper = state("family", ["K6 K1", "B1"], "K5 J K7")
    kept = lay(keeper, "K6 | K5 K6 K7 | taken=J")
    assert (kept.racks[0], kept.shown[0]) == (("K1", "J"), ("J",))
    with pytest.raises(IllegalAction, match="joker"):
        lay(state("standard", ["K6 K1", "B1"], "K5 J K7", "yy"), "K6 | K5 K6 K7 | taken=J")


def test_taking_back_is_not_going_out() -> None:
    now = state("family", ["R9", "B1"], "R5 R6 R7 R8")
    now = lay(now, "R9 | R6 R7 R8 R9 | taken=R5")
    assert (now.to_move, now.racks[0]) == (1, ("R5",))


def test_failure_draws() -> None:
    now = state("standard", ["R10 K1", "B1"], "R5 R6 R7", "yy").apply(FAIL)
    assert (now.pending, now.table, now.racks[0]) == (3, (("R5", "R6", "R7"),), ("R10", "K1"))
    assert now.history == (Event(0, "fail", drawn=3),)
    now = now.apply("K3").apply("K4").apply("J")
    assert (now.racks[0], now.to_move) == (("R10", "K1", "K3", "K4", "J"), 1)
    few = state(TINY, ["K1 O2", "K3 O4 O1 K2"], RUNS)
    assert few.pool_size == 2
    few = few.apply(FAIL).apply("O3").apply("K4")
    assert (few.to_move, few.left) == (1, 2)
    few = few.apply(FAIL)  # nothing to draw: a pass
    assert (few.to_move, few.left, few.history[-1]) == (0, 1, Event(1, "fail"))
    assert few.apply(FAIL).to_move == OVER
    none = state("standard+failure_draw=0", ["R10", "B1"], opened="yy").apply(FAIL)
    assert (none.to_move, none.pool_size) == (1, 104)


def test_illegal_actions_say_why() -> None:
    now = state("standard", ["R8 B1", "K1"], "R5 R6 R7", "yy")
    with pytest.raises(IllegalAction, match="pass: the pool has 100 tiles"):
        now.apply(PASS)
    with pytest.raises(IllegalAction, match="R9 is 1 time laid, but 0 in the rack"):
        lay(now, "R8 R9 | R5 R6 R7 R8 R9")
    with pytest.raises(IllegalAction, match="R9 is not in the rack as often"):
        now.apply(Move.parse("R9 | R5 R6 R7 R9"), check=False)
    with pytest.raises(IllegalAction, match="neither a Move nor draw"):
        now.apply("R8")
    with pytest.raises(IllegalAction, match="neither a Move nor draw"):
        now.apply(7)  # type: ignore[arg-type]
    drawing = now.apply("draw")
    with pytest.raises(IllegalAction, match="a tile is drawn next"):
        drawing.apply(DRAW)
    with pytest.raises(IllegalAction, match="who begins is next"):
        start().apply("R5")
    with pytest.raises(SolverError, match="seat: must be from 0 to 1"):
        now.view(2)
    with pytest.raises(SolverError, match="not over"):
        now.returns()
    with pytest.raises(SolverError, match="no event of chance"):
        now.sample(1, 1)
    for before in (start(), drawing):
        with pytest.raises(SolverError, match="game: must be an integer"):
            before.sample(1, [])  # type: ignore[arg-type]
        with pytest.raises(SolverError, match="seed: must be"):
            before.sample(-1, 0)


def test_texts_of_actions() -> None:
    now = state("standard", ["R8 B1", "K1"], "R5 R6 R7", "yy")
    for action in (*now.legal_actions(), FAIL):
        assert now.read(str(action)) == action
    assert [str(idle) for idle in Idle] == ["draw", "pass", "fail"]
    assert now.apply(DRAW).read("j") == "J"
    for text in ("nothing", "R8", ""):
        with pytest.raises(ParseError):
            now.read(text)
    with pytest.raises(ParseError):
        now.apply(DRAW).read("R99999")
    assert start().read("first=1") == "first=1"
    for text in ("first=2", "first=", "first=01", "first=x"):
        with pytest.raises(ParseError, match="names none of the 2 seats"):
            start().read(text)


def test_the_pool_comes_in_one_order_whatever_is_done() -> None:
    def drawn(seed: int, game: int, players: int) -> list[str]:
        now, tiles = start("free", players), []
        while now.to_move != OVER:
            if now.to_move == CHANCE:
                tiles.append(now.sample(seed, game))
                now = now.apply(tiles[-1])
            else:
                now = now.apply(DRAW if now.pool_size else PASS)
        return tiles[1:]

    whole = drawn(1, 0, 2)
    assert Counter(whole) == Counter(dict.fromkeys(set(whole), 2))
    assert len(whole) == 106
    assert drawn(1, 0, 4) == drawn(1, 0, 2) == whole
    assert drawn(1, 1, 2) != whole != drawn(2, 0, 2)
    # Every tile is as likely to be the first: 400 games, 53 kinds, jokers as often as others.
    firsts = Counter(start().apply("first=0").sample(5, game) for game in range(400))
    assert len(firsts) > 48
    assert max(firsts.values()) < 24
    seats = Counter(start(players=4).sample(9, game) for game in range(400))
    assert sorted(seats) == ["first=0", "first=1", "first=2", "first=3"]
    assert min(seats.values()) > 70


def test_views() -> None:
    now = state("standard", ["R8 B1", "K1 K2", "O4"], "R5 R6 R7", "yny", active=1)
    mine = now.view(1)
    assert (mine.rack, mine.sizes, mine.pool, mine.opened) == (("K1", "K2"), (2, 2, 1), 98, (True, False, True))
    assert str(mine.position) == "R5 R6 R7 | K1 K2 | unopened"
    assert mine.others == (2, 0)
    assert mine.unseen().total() == 106 - 3 - 2
    assert mine.unseen()["K1"] == 1
    other = state("standard", ["R9 B9", "K1 K2", "J"], "R5 R6 R7", "yny", active=1)
    assert other != now
    assert other.view(1) == mine
    assert hash(other.view(1)) == hash(mine)
    assert other.view(0) != now.view(0)
    assert now.reshuffled(1, 7).view(1) == mine
    assert now.reshuffled(1, 7) == now.reshuffled(1, 7) != now.reshuffled(1, 8)
    with pytest.raises(AttributeError):
        mine.seat = 2  # type: ignore[misc]


def test_guesses_of_the_unseen_are_fair() -> None:
    # Six unseen tiles, of which seat 1 has two: each is there in a third of the guesses.
    mine = state(TINY, ["K1 O2", "K3 O4"], RUNS).view(0)
    unseen = mine.unseen()
    assert sorted(unseen) == ["K2", "K3", "K4", "O1", "O3", "O4"]
    guesses = [mine.sample(11, number) for number in range(600)]
    held = Counter(tile for guess in guesses for tile in guess.racks[1])
    assert all(abs(Fraction(held[tile], 600) - Fraction(1, 3)) < Fraction(1, 12) for tile in unseen)
    assert all(sum(guess.pool) == 4 for guess in guesses)


def test_data_round_trip_and_refusals() -> None:
    now = lay(state("family", ["R9 K1", "B1"], "R5 R6 R7 R8"), "R9 | R6 R7 R8 R9 | taken=R5").apply(DRAW)
    data = now.to_dict()
    assert RummikubState.from_dict(data) == now
    for change, message in [
        ({"racks": [["R1"]]}, "players: must be from 2 to 4"),
        ({"racks": [["R1", "R1", "R1"], ["B1"]]}, "R1 is there more often"),
        ({"racks": [[], ["B1"]]}, "one is empty"),
        ({"racks": 7}, "racks: must be a list"),
        ({"table": [["R5", "R6"]]}, "table: set 1"),
        ({"opened": [False, True]}, "everybody counts as opened"),
        ({"opened": [True]}, "opened: must be a list of 2"),
        ({"active": 2}, "active: must be a whole number from 0 to 1"),
        ({"left": 0, "pending": 0}, "left: is 0 with"),
        ({"over": 1}, "over: must be True or False"),
        ({"over": True}, "no rack is empty"),
        ({"to_deal": 5}, "racks: with to_deal=5"),
        ({"shown": [["R1"], []]}, "shown: seat 0"),
        ({"history": [[0, "lose", [], [], 0]]}, "history: 'lose'"),
        ({"history": [[0, "lay"]]}, "is no list of"),
        ({"rules": "nothing"}, "no preset"),
        ({"extra": 1}, "no field 'extra'"),
    ]:
        with pytest.raises(ParseError, match=message):
            RummikubState.from_dict(data | change)
    del data["left"]
    with pytest.raises(ParseError, match="left is missing"):
        RummikubState.from_dict(data)


@pytest.mark.parametrize(
    ("rules", "players", "number"),
    [
        ("standard", 2, 3),
        ("standard", 4, 1),
        ("free", 3, 3),
        ("retail", 2, 3),
        ("family", 2, 1),
        ("american", 2, 1),
        ("xp160", 5, 1),
        ("tournament", 4, 2),
        ("standard+must_play=yes", 3, 2),
        ("free+pool_empty=forced+draw=7", 2, 3),
        ("standard+rack_size=26+joker_freeing=any", 4, 2),
        (TINY.replace("rack_size=1", "rack_size=4") + "+pool_empty=until_stuck", 3, 20),
        (TINY.replace("rack_size=1", "rack_size=4") + "+take_back=less_than_laid", 2, 20),
    ],
)
def test_conformance(rules: str, players: int, number: int) -> None:
    assert check_games(games.load("rummikub"), number, 1, rules, players, look=8) > number * players
