"""Players of whole games of Setup: their texts, what they choose, and games in the kernel against single ones."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Sequence

import pytest

from solver.errors import SolverError
from solver.games import CHANCE, OVER, Player, State, play, steps
from solver.match import match
from solver.setup import Position, Rules, best_move, verify
from solver.setup.game import SetupState, start
from solver.setup.kernel import choose, terms
from solver.setup.kernel import play_many as play_games
from solver.setup.players import LEVELS, PLAYERS, SetupPlayer, counted, play_many, player
from solver.setup.policies import greedy_policy, random_policy
from solver.setup.search import compiled, seated

SIXTY = Rules(finish=60)
TEXTS = (
    "random",
    "greedy",
    "greedy:ties=order",
    "margin",
    "margin:bonus=full",
    "static",
    "evaluation",
    "lookahead:samples=2",
)
GAMES = [
    ("default+finish=60", 2, 12),
    ("default+finish=60", 3, 8),
    ("default+finish=60", 4, 8),
    ("default+finish=40+teams=yes", 4, 8),
    ("default+finish=30+absent_squares=filled+first_player=N+links=with_corners", 2, 4),
    ("default+finish=40+on_opponents=allowed+scoring=per_set", 3, 4),
    ("default+finish=40+run_order=block+finish_rule=pass+scoring=placed_plus_sets", 2, 4),
    ("default+finish=30+teams=yes+on_opponents=allowed", 4, 4),
    ("default+finish=12+board=a,b@N,c,d@S,e,f/a-b,b-c,c-d,d-e,e-f+numbers=9+suits=*HD", 2, 4),
]


def states(players: Sequence[SetupPlayer], rules: Rules = SIXTY, seed: int = 1, game: int = 0) -> list[SetupState]:
    found: list[SetupState] = []
    for state, _ in steps(start(rules, len(players)), players, seed, game):
        assert isinstance(state, SetupState)
        found.append(state)
    return found


@pytest.mark.parametrize(("text", "name"), [*((text, text) for text in TEXTS), *((kind, kind) for kind in PLAYERS)])
def test_a_name_makes_the_player_again(text: str, name: str) -> None:
    if name == "lookahead":
        name = "lookahead:samples=64"
    assert player(text).name == name
    assert player(name) == player(text) == pickle.loads(pickle.dumps(player(text)))
    assert player(f" {text} ").name == name


def test_defaults_are_left_out_of_the_name() -> None:
    assert player("greedy:ties=bonus").name == "greedy"
    assert player("lookahead:samples=007").name == "lookahead:samples=7"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("clever", "no 'clever'"),
        ("greedy:ties=any", "ties: must be one of bonus, order"),
        ("greedy:samples=3", "no option 'samples=3'"),
        ("static:", "no option ''"),
        ("lookahead:samples=0", "samples: must be a whole number"),
        ("lookahead:samples=x", "samples: must be a whole number"),
        ("lookahead:samples=1,samples=2", "given twice"),
        (7, "must be text"),
        ("random" * 100, "up to 200"),
    ],
)
def test_texts_that_make_no_player_are_refused_by_name(text: str, reason: str) -> None:
    with pytest.raises(SolverError, match=reason):
        player(text)


def test_levels_are_players() -> None:
    assert all(player(text).name == text for text in LEVELS.values())


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_greedy_and_margin_are_the_best_moves_of_the_search(seats: int) -> None:
    for state in states([player("static")] * seats)[::3]:
        if state.to_move >= 0:
            view = state.view(state.to_move)
            assert player("greedy").choose(view, 0) == best_move(state.position)
            assert player("margin").choose(view, 0) == best_move(state.position, "margin")


@pytest.mark.parametrize("text", TEXTS)
def test_choices_are_legal_and_the_same_for_what_is_hidden(text: str) -> None:
    chooser = player(text)
    for state in states([player("greedy")] * 3, seed=2)[::9]:
        if state.to_move >= 0:
            move = chooser.choose(state.view(state.to_move), 5)
            assert verify(state.position, move) == []
            other = state.reshuffled(state.to_move, 8)
            assert chooser.choose(other.view(state.to_move), 5) == move


def test_random_moves_are_all_moves() -> None:
    position = Position.parse("b2:4H | 4C 7S | 9D | to=N seats=NS scores=0,0 finish=60")
    state = start(SIXTY, 2)
    while state.to_move == CHANCE:
        state = state.apply(state.sample(1, 0))
    view = state.view(state.to_move)
    moves = {player("random").choose(view, key) for key in range(3000)}
    assert moves <= set(state.legal_actions())
    assert any(move.swap for move in moves)
    assert len(moves) > 50
    assert best_move(position) is not None


@pytest.mark.parametrize("text", ["static", "evaluation", "lookahead:samples=4"])
def test_a_win_at_once_is_taken(text: str) -> None:
    won = 0
    for game in range(12):
        players = [player(text), player("greedy")]
        for state in states(players, game=game):
            if state.to_move != 0:
                continue
            wins = (
                [
                    move
                    for move in state.legal_actions()
                    if (after := state.apply(move)).to_move == OVER and after.winners() == (0,)
                ]
                if state.scores[0] > 45
                else []
            )
            if wins:
                assert state.apply(players[0].choose(state.view(0), 1)).to_move == OVER
                won += 1
    assert won


def test_who_played_last_is_known_to_no_player() -> None:
    """Two of the last pawns are level, and only who played last tells which team wins: no player sees that."""
    rules = Rules.parse(
        "default+finish=1+board=a,b,c@N,d@E,e@S,f@W/a-b,a-c,a-d,b-e,b-f,c-d+numbers=7+suits=abcdef"
        "+on_opponents=allowed+bonus=none+teams=yes"
    )
    players = [player(text) for text in ("evaluation", "random", "random", "margin:bonus=full")]
    for seed, game in ((781, 3), (0, 7), (3, 6), (8, 17)):
        fast = play_many(rules, players, seed, game, 1)
        assert fast is not None
        assert fast[0][0] == play(start(rules, 4), players, seed, game).returns


@pytest.mark.parametrize("text", TEXTS)
def test_neither_play_nor_rack_is_no_move(text: str) -> None:
    """Whole games cannot come to that, a caller's position can."""
    board = "q0@S,q1@S/q0-q1+numbers=4+suits=Z"
    position = Position.parse(f"q0:4Z | - | 3Z | to=N seats=NS scores=0,0 finish=60 rules=default+board={board}")
    packed = position.packed()
    policy = player(text).policy(2, False)
    kernel = compiled(position.rules, "NS")
    assert choose(kernel, *packed[:4], packed.mover, packed.scores, 60, False, seated("NS"), policy, 3) == (b"", 0)
    assert best_move(position) is None


def test_choosing_out_of_turn_is_refused() -> None:
    state = start(SIXTY, 2)
    with pytest.raises(SolverError, match="not to move"):
        player("greedy").choose(state.view(0), 0)


@pytest.mark.parametrize(("text", "seats", "games"), GAMES)
def test_games_in_the_kernel_are_the_single_games(text: str, seats: int, games: int) -> None:
    rules = Rules.parse(text)
    for turn in range(len(TEXTS)):
        players = [player(TEXTS[(turn + seat) % len(TEXTS)]) for seat in range(seats)]
        found = play_many(rules, players, 6, 3, games)
        assert found is not None
        for game, (returns, winners) in enumerate(found, 3):
            end = states(players, rules, 6, game)[-1]
            assert (end.returns(), end.winners()) == (returns, winners)


@pytest.mark.parametrize(("text", "seats", "games"), GAMES)
def test_leaving_out_what_cannot_be_best_changes_no_game(text: str, seats: int, games: int) -> None:
    rules = Rules.parse(text)
    for chooser in ("greedy", "greedy:ties=order", "margin", "margin:bonus=full", "static", "evaluation"):
        players = [player(chooser)] * seats
        fast, slow = (counted(rules, players, 2, 0, games, census) for census in (False, True))
        assert fast[:5] == slow[:5]
        assert fast[5] == 0
        assert slow[5] > 0


def test_games_in_the_kernel_are_only_for_these_players() -> None:
    class Other:
        name = "other"

        def choose(self, view: object, key: int) -> object:
            raise AssertionError

    others: list[Player] = [player("greedy"), Other()]
    assert play_many(SIXTY, others, 1, 0, 1) is None
    assert play_many(SIXTY, [player("greedy")] * 2, 1, 0, 0) == []
    for bad in ((-1, 0, 1), (1, -1, 1), (1, 0, 1.5)):
        with pytest.raises(SolverError, match=r"seed|first|count"):
            play_many(SIXTY, [player("greedy")] * 2, *bad)  # type: ignore[arg-type]
    state: State = start(SIXTY, 2)
    assert state.game == "setup"


def test_the_kernel_refuses_bad_arguments() -> None:
    plays = compiled(SIXTY, "NS")
    tops, policy = bytes([255]) * 12, greedy_policy()
    known = (plays, tops, b"\0\6", b"", b"", 0, (0, 0, 0, 0), 60, False, 5)
    assert choose(*known, policy) == (b"", 3)
    for place, value in ((7, 0), (8, True), (9, 1), (5, 1), (4, b"\0")):
        changed: list[object] = [*known]
        changed[place] = value
        with pytest.raises(ValueError, match=r"finish|seated|mover|covered"):
            choose(*changed, policy)  # type: ignore[arg-type]
    for place, value in (
        (0, 4),
        (1, (1, 2)),
        (2, (10**6, 0, 0, 0, 0, 0)),
        (5, 0),
        (7, 65),
        (8, -1),
        (9, 65),
        (11, 0.0),
    ):
        bad: list[object] = [*policy]
        bad[place] = value
        with pytest.raises(ValueError, match="policy"):
            choose(*known, tuple(bad))  # type: ignore[arg-type]
    games = (plays, 60, False, 5, -1, (5, 6, 9, 10), [policy, None, policy, None], [1, 2], 100)
    assert len(play_games(*games)[0]) == 2
    for place, value in ((4, 1), (5, (12,)), (8, 0), (6, [random_policy(), None, policy, None])):
        other: list[object] = [*games]
        other[place] = value
        with pytest.raises(ValueError, match=r"first|starts|idle_end|key_of"):
            play_games(*other)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="records"):
        terms(*known, policy, b"\0" * 7)
    with pytest.raises(ZeroDivisionError):
        play_games(*games[:6], [random_policy(), None, policy, None], [1], 100, lambda game, turn, seat: 1 // 0)


def test_ctrl_c_ends_many_games() -> None:
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        play_many(SIXTY, [player("static")] * 2, 1, 0, 1 << 17)
    timer.join()


def test_matches_take_the_fast_loop_and_the_levels() -> None:
    result = match("setup", ["master", "easy"], games=4, seed=3, rules="default+finish=20")
    assert result.players == (LEVELS["master"], LEVELS["easy"])
    assert sum(share.mean for share in result.wins) == 1
