"""Players: their texts, what each does in positions made for it, small moves against naive lists, whole games."""

from __future__ import annotations

import pytest

from solver import games
from solver.errors import SolverError
from solver.games import Player
from solver.rummikub import Move, Position, Solver, legal_moves, verify
from solver.rummikub.draws import unseen_tiles
from solver.rummikub.game import DRAW, PASS, Action, RummikubState, start, warm_solver
from solver.rummikub.lays import singles, smallest_move, smallest_opening
from solver.rummikub.players import LEVELS, PLAYERS, player

from .random_positions import ALL_PRESETS, positions
from .test_game import RUNS, TINY, state


def chosen(text: str, now: RummikubState, key: int = 1) -> Action:
    action = player(text).choose(now.view(now.to_move), key)
    now.apply(action)  # legal
    return action


def tiles(action: Action) -> str:
    assert isinstance(action, Move)
    return " ".join(action.tiles)


def test_names_round_trip() -> None:
    for name in PLAYERS:
        assert player(name).name == name
    assert player("wait:at=1").name == "wait"
    assert player("wait:opening=full,at=3").name == "wait:at=3,opening=full"
    assert player(" wait:sample=4,tempo=no ").name == "wait:tempo=no,sample=4"
    assert player("wait:tempo=no") == player("wait:tempo=no")
    for level, text in LEVELS.items():
        assert player(level) == player(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nobody", "player: 'nobody' is none of random, greedy"),
        ("greedy:at=1", "greedy has no option 'at=1'; it has none"),
        ("wait:", "wait has no option ''; its options are at, tempo"),
        ("wait:at=x", "at of wait must be a whole number from 0 to 10000, not 'x'"),
        ("wait:at=99999", "at of wait"),
        ("wait:tempo=maybe", "tempo of wait must be no or yes"),
        ("wait:opening=big", "opening of wait must be smallest or full"),
        ("wait:at=1,at=2", "at is given twice"),
        (7, "player: must be text"),
    ],
)
def test_bad_texts(text: str, message: str) -> None:
    with pytest.raises(SolverError, match=message):
        player(text)


def in_game(position: Position) -> RummikubState | None:
    """A game with this position at seat 0, the other seat with one unseen tile; None if there is no such tile."""
    unseen = unseen_tiles(position)
    if not unseen:
        return None
    data = start(position.rules).to_dict() | {
        "racks": [list(position.rack), [next(iter(unseen))]],
        "table": [list(tiles) for tiles in position.table],
        "opened": [position.opened, True],
        "first": 0,
        "to_deal": 0,
        "left": 2 if unseen.total() == 1 else -1,
    }
    return RummikubState.from_dict(data)


def test_simple_players_against_all_moves() -> None:
    differ = seen = 0
    for position in positions(150, 5, options={"players": ("2-4",), "rack_size": ("1",)}, rack_tiles=8):
        now = in_game(position)
        if now is None:
            continue
        moves = list(legal_moves(position))
        if not moves:
            assert {chosen(name, now) for name in PLAYERS} == {DRAW if now.pool_size else PASS}
            continue
        seen += 1
        out = [move for move in moves if move.tiles == position.rack and not move.taken]
        greedy, value, hold = (chosen(name, now) for name in ("greedy", "value", "hold"))
        assert isinstance(greedy, Move)
        assert isinstance(value, Move)
        assert len(greedy.tiles) == max(len(move.tiles) for move in moves)
        assert value.value == max(move.value for move in moves)
        differ += greedy.tiles != value.tiles
        bare = [len(move.tiles) for move in moves if "J" not in move.tiles]
        laid = len(hold.tiles) if isinstance(hold, Move) else 0
        assert laid == (len(position.rack) if out else max(bare, default=0))
        if out:
            for name in ("least", "hold", "keep", "wait"):
                assert tiles(chosen(name, now)) == " ".join(position.rack)
        wait = chosen("wait:at=0,tempo=no", now)
        if position.opened and not out and now.pool_size:
            assert wait is DRAW
    assert seen > 50
    assert differ > 0


def test_nobody_lays_what_cannot_be_laid() -> None:
    none = state("free", ["R1 K5", "K5"], "B9 B10 B11", "yy")
    for name in PLAYERS:
        assert chosen(name, none) is DRAW


def test_least_lays_one_tile_but_goes_out() -> None:
    now = state("free", ["R8 B1 B2 B3 K5", "K5"], "R5 R6 R7", "yy")
    assert tiles(chosen("least", now)) == "R8"
    assert tiles(chosen("greedy", now)) == "R8 B1 B2 B3"
    now = state("free", ["R8 B1 B2 B3", "K5"], "R5 R6 R7", "yy")
    assert tiles(chosen("least", now)) == "R8 B1 B2 B3"
    # Two tiles that only go down together: with the 4 of the run they are a group.
    now = state("free", ["B4 K4 O9 O11 R13", "K5"], "R4 R5 R6 R7", "yy")
    assert tiles(chosen("least", now)) == "B4 K4"
    now = state("free", ["R10 R11 R12 B1 B2 B3 K7", "K5"])
    assert tiles(chosen("least", now)) == "R10 R11 R12"


def test_hold_keeps_jokers() -> None:
    now = state("free", ["R8 K13 J", "K5"], "R5 R6 R7", "yy")
    assert tiles(chosen("greedy", now)) == "R8 J"
    assert tiles(chosen("hold", now)) == "R8"
    assert tiles(chosen("hold", state("free", ["R8 J", "K5"], "R5 R6 R7", "yy"))) == "R8 J"
    only = ["K13 J", "K5"]
    assert chosen("hold", state("free", only, "R5 R6 R7", "yy")) is DRAW
    assert tiles(chosen("hold", state("free+must_play=yes", only, "R5 R6 R7", "yy"))) == "J"


def test_keep_keeps_own_sets() -> None:
    now = state("free", ["B1 B2 B3 R8 K13", "K5"], "R5 R6 R7", "yy")
    assert tiles(chosen("keep", now)) == "R8"
    assert tiles(chosen("keep", state("free", ["B1 B2 B3 R8", "K5"], "R5 R6 R7", "yy"))) == "R8 B1 B2 B3"
    own = ["B1 B2 B3 K13", "K5"]
    assert chosen("keep", state("free", own, "R5 R6 R7", "yy")) is DRAW
    assert tiles(chosen("keep", state("free+must_play=yes", own, "R5 R6 R7", "yy"))) == "B1 B2 B3"


def test_wait() -> None:
    loose = ["R8 B1 B2 B3 K5", "K5 K6"]
    assert chosen("wait", state("free", loose, "R5 R6 R7", "yy")) is DRAW
    out = ["R8 B1 B2 B3", "K5 K6"]
    assert tiles(chosen("wait", state("free", out, "R5 R6 R7", "yy"))) == "R8 B1 B2 B3"
    # The other is nearly out: lay all that can be laid.
    near = ["R8 B1 B2 B3 K5", "K5"]
    assert tiles(chosen("wait", state("free", near, "R5 R6 R7", "yy"))) == "R8 B1 B2 B3"
    assert chosen("wait:at=0", state("free", near, "R5 R6 R7", "yy")) is DRAW
    assert tiles(chosen("wait:at=2", state("free", loose, "R5 R6 R7", "yy"))) == "R8 B1 B2 B3"
    opening = ["R10 R11 R12 B1 B2 B3 K7", "K5 K6"]
    assert tiles(chosen("wait", state("free", opening))) == "R10 R11 R12"
    assert tiles(chosen("wait:opening=full", state("free", opening))) == "R10 R11 R12 B1 B2 B3"
    assert tiles(chosen("wait", state("free+must_play=yes", loose, "R5 R6 R7", "yy"))) == "R8"


def test_wait_takes_the_tempo() -> None:
    # Eight tiles are not on the table. With two in the pool whoever draws now will face an empty pool.
    two = state(f"{TINY}+pool_empty=until_stuck", ["K1 O2", "K4 O4 K3 O3"], RUNS)
    assert two.pool_size == 2
    assert tiles(chosen("wait", two)) == "K1"
    assert chosen("wait:tempo=no", two) is DRAW
    three = state(f"{TINY}+pool_empty=until_stuck", ["K1 O2", "K4 O4 K3"], RUNS)
    assert chosen("wait", three) is DRAW
    # With draws of two tiles that is so at three or four.
    assert tiles(chosen("wait", state(f"{TINY}+draw=2", ["K1 O2", "K4 O4 K3"], RUNS))) == "K1"
    # Three players: at three.
    assert tiles(chosen("wait", state(TINY, ["K1 O2", "K4 O4", "K3"], RUNS))) == "K1"


def test_wait_without_a_pool() -> None:
    now = state(f"{TINY}+pool_empty=until_stuck", ["K1 K2 K3 O1 O4", "K4 O2 O3"], RUNS, left=2)
    move = chosen("wait", now)
    best = Solver(now.rules).best_move(now.position, "penalty")
    assert isinstance(move, Move)
    assert best is not None
    assert move.value == best.value
    assert chosen("wait", state(TINY, ["K2", "K1 K3 K4 O1 O2 O3 O4"], RUNS, left=2)) is PASS


def test_sampled_choice_is_a_function_of_the_key() -> None:
    now = state(f"{TINY}+pool_empty=until_stuck", ["K1 O4 O2", "K4 O3 K3"], RUNS)
    assert now.pool_size == 2
    assert {tiles(move) for move in singles(now.position, warm_solver(now.rules))} == {"K1", "O4"}
    assert tiles(chosen("wait", now)) == "O4"
    for key in range(5):
        assert chosen("wait:sample=6", now, key) == chosen("wait:sample=6", now, key)
        assert tiles(chosen("wait:sample=6", now, key)) in ("K1", "O4")


def naive_smallest(position: Position) -> int:
    """The fewest tiles of any move, 0 if there is none: from the list of all moves."""
    return min((len(move.tiles) for move in legal_moves(position)), default=0)


def test_smallest_moves_against_all_moves() -> None:
    options = {
        "opening_threshold": ("6", "12", "18"),
        "opening_joker": ("forbidden", "face", "zero"),
        "opening_single_set": ("no", "yes"),
        "opening_uses_table": ("no", "yes"),
        "high_one": ("no",),  # the search wants more numbers for it than small rule sets have
        "take_back": ("none",),  # the list of all moves would be too long
    }
    openings = small = 0
    for position in positions(400, 7, ALL_PRESETS, options, rack_tiles=11):
        solver = warm_solver(position.rules)
        smallest = smallest_move(position, solver)
        wanted = naive_smallest(position)
        assert (smallest is None) == (wanted == 0), position
        if smallest is None:
            continue
        assert verify(position, smallest) == []
        if not position.opened:
            openings += 1
            assert len(smallest.tiles) == wanted, position
            assert smallest == smallest_opening(position, solver)
        elif wanted <= 2:
            small += 1
            assert len(smallest.tiles) == wanted, position
    assert openings > 10
    assert small > 100


@pytest.mark.parametrize(
    ("rules", "players"),
    [
        ("standard", 2),
        ("free", 3),
        ("retail", 2),
        ("family", 2),
        ("american", 2),
        ("xp160", 5),
        ("tournament", 4),
        ("standard+must_play=yes", 2),
        ("free+pool_empty=forced+draw=9", 3),
    ],
)
def test_every_player_plays_legally(rules: str, players: int) -> None:
    texts = [*PLAYERS, "wait:sample=2", "wait:at=5,opening=full,tempo=no"]
    seats: list[Player] = [player(texts[(number * 3) % len(texts)]) for number in range(players)]
    for index in range(3):
        around = [player(text) for text in (texts * 2)[index * players : (index + 1) * players]] if index else seats
        record = games.play(start(rules, players), around, 1, index, check=True)
        assert sum(record.returns) == pytest.approx(0)
        assert games.play(start(rules, players), around, 1, index) == record
