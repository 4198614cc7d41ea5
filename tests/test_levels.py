"""Levels for human opponents: names that can stand wherever a player's text can, the same in all games."""

from __future__ import annotations

import pytest

from solver import games
from solver.errors import SolverError


@pytest.mark.parametrize("name", games.NAMES)
def test_a_level_is_a_player(name: str) -> None:
    game = games.load(name)
    assert game.levels
    for level, text in game.levels.items():
        assert game.player(level).name == game.player(text).name == text
        assert level not in game.descriptions


@pytest.mark.parametrize("name", games.NAMES)
def test_an_unknown_player_names_all_that_there_are(name: str) -> None:
    game = games.load(name)
    with pytest.raises(SolverError, match=r"^player: .*'nobody'") as caught:
        game.player("nobody")
    for known in (*game.descriptions, *game.levels):
        assert known in str(caught.value)


def test_the_options_of_rummikubs_players_are_told() -> None:
    described = games.load("rummikub").descriptions
    assert described["wait"].endswith("; options: at=1, tempo=yes|no, opening=smallest|full, sample=0, sets=no|yes")
    assert "aim=win|points" in described["search"]
    assert "options" not in described["greedy"]
