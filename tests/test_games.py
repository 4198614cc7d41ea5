"""One whole game: the play loop and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solver import games
from solver.errors import IllegalAction, SolverError
from tests import toy


def record(seed: int = 1, index: int = 0, names: tuple[str, ...] = ("random", "take:2")) -> games.Record:
    players = [toy.player(name) for name in names]
    return games.play(toy.start(players=len(names)), players, seed, index, check=True)


def test_the_same_seed_gives_the_same_game() -> None:
    assert record() == record()
    assert len({str(record(index=index)) for index in range(30)}) > 20
    assert record(seed=2) != record()


def test_a_record_holds_every_event() -> None:
    one = record()
    assert one.game == "toy"
    assert one.players == ("random", "take:2")
    assert len(one.deal) == 2
    assert [turn.seat for turn in one.turns[:3]] == [0, 1, 0]
    assert all(len(turn.outcomes) == 1 for turn in one.turns[:-1])
    assert sorted(one.returns)[0] == -1


def test_steps_end_with_the_final_state() -> None:
    players = [toy.player("take:1"), toy.player("take:1")]
    *_, (state, event) = games.steps(toy.start(), players, 1, 0)
    assert event is None
    assert state.to_move == games.OVER


def without_default(rules: toy.ToyRules, players: int = 2) -> toy.ToyState:
    return toy.start(rules, players)


class Cheat:
    """Takes more than there is."""

    name = "cheat"

    def choose(self, view: toy.View, key: int) -> toy.Take:
        return toy.Take(99)


def test_an_illegal_action_is_refused() -> None:
    with pytest.raises(IllegalAction, match="take 99"):
        games.play(toy.start(), [Cheat(), Cheat()], 1, 0, check=True)


def test_a_game_without_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "MAX_EVENTS", 4)
    with pytest.raises(SolverError, match="no end after 4 events"):
        record()


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda: record(names=("random", "random"), seed=-1), "seed: must be"),
        (lambda: games.play(toy.start(), [toy.Random()] * 2, 1, "0"), "game: must be"),  # type: ignore[arg-type]
        (lambda: games.play(toy.start(), [toy.Random()] * 2, 1, 2**63), "game: must be"),
        (lambda: games.play(toy.start(), [toy.Random()], 1, 0), "players: 1 for 2 seats"),
        (lambda: games.load("chess"), "game: must be one of rummikub, setup, trek12, not 'chess'"),
        (lambda: games.begin(toy.GAME, None, 2, {"tripel": 1}), "no option 'tripel'; there are: double"),
        (lambda: games.begin(toy.GAME, None, 2, {"players": 1}), "no option 'players'"),
        (lambda: games.begin(toy.GAME, None, 7, {}), "players: must be 2 or 3"),
        (lambda: games.begin(replace(toy.GAME, start=without_default), None, 2, {}), "rules: toy has no default rules"),
        (lambda: games.begin(toy.GAME, "mountain", 2, {}), "rules: must be heap="),
    ],
)
def test_bad_input_names_what_is_wrong(action: object, message: str) -> None:
    with pytest.raises(SolverError, match=message):
        action()  # type: ignore[operator]
