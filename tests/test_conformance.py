"""All games pass the conformance kit, and the kit catches games that do not keep the protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from solver.errors import IllegalAction
from solver.games import Game, load
from tests import toy
from tests.conformance import EFFORT, VARIANTS, Violation, check_games, main


@pytest.mark.parametrize("players", [2, 3])
def test_the_toy_game_keeps_the_protocol(players: int) -> None:
    assert check_games(toy.GAME, 200, players=players, options={"double": True}, deep=2) > 200


@pytest.mark.parametrize(
    ("name", "variant"), [(name, variant) for name in VARIANTS for variant in range(len(VARIANTS[name]))]
)
def test_every_game_keeps_the_protocol(name: str, variant: int) -> None:
    rules, players, options = VARIANTS[name][variant]
    assert check_games(load(name), 4, 7, rules, players, options, *EFFORT.get(name, ())) > 100


def test_the_long_run_reports(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    variants = [(None, 2, {}), ("heap=9", 3, {"double": True})]
    monkeypatch.setattr("tests.conformance.VARIANTS", {"toy": variants})
    monkeypatch.setattr("solver.games.load", lambda name: toy.GAME)
    assert main(["toy", "--games", "7"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("toy default 2 players: 4 games, ")
    assert second.startswith("toy heap=9 3 players {'double': True}: 4 games, ")
    monkeypatch.setattr("tests.conformance.VARIANTS", {"toy": variants[:1]})
    monkeypatch.setattr("solver.games.load", lambda name: broken(winners=lambda self: (7,)))
    assert main(["toy", "--games", "1"]) == 1
    assert "VIOLATION toy: game 0 of seed 1" in capsys.readouterr().out


def broken(**methods: Any) -> Game:
    """The toy game with other methods of its state."""
    kind = type("Broken", (toy.ToyState,), methods)
    globals()["Broken"] = kind
    kind.__module__ = __name__
    kind.__qualname__ = "Broken"

    def start(rules: Any = None, players: int = 2) -> Any:
        plain = toy.start(rules, players)
        return kind(plain.rules, plain.players, heap=plain.heap)

    return replace(toy.GAME, start=start)


def view_with_all_cards(state: toy.ToyState, seat: int) -> Any:
    return state.cards


def refuse_five(state: toy.ToyState, event: Any, check: bool = True) -> Any:
    if event == toy.Take(5):
        raise IllegalAction("take 5 is too much")
    return toy.ToyState.apply(state, event, check=False)


FAULTS: dict[str, tuple[str, Callable[..., Any]]] = {
    "chances do not sum to 1": ("chance_outcomes", lambda self: [(v, 0.4) for v in (0, 1, 2, 3)]),
    "in another order": (
        "chance_outcomes",
        lambda self: toy.ToyState.chance_outcomes(self)[:: 1 - 2 * (self.turn % 2)],
    ),
    "outcome is listed twice": ("chance_outcomes", lambda self: [(1, 0.5), (1, 0.5)]),
    "an outcome without chance": ("chance_outcomes", lambda self: [(0, 0.0), (1, 1.0), (2, 0.0)]),
    "is no outcome": ("sample", lambda self, seed, game: 7),
    "legal actions are not sorted": (
        "legal_actions",
        lambda self: iter(sorted(toy.ToyState.legal_actions(self), reverse=True)),
    ),
    "action is listed twice": ("legal_actions", lambda self: iter([*toy.ToyState.legal_actions(self), toy.Take(1)])),
    "no legal action": ("legal_actions", lambda self: iter(())),
    "is refused": ("legal_actions", lambda self: iter([toy.Take(5)] if self.heap < 5 else [toy.Take(1)])),
    "view\\(0\\) shows": ("view", view_with_all_cards),
    "reads back as": ("read", lambda self, text: 1),
    "winners": ("winners", lambda self: (2,)),
    "another state": ("from_dict", classmethod(lambda cls, data: cls(toy.ToyRules(), 2))),  # type: ignore[dict-item]
    "turn goes": ("apply", lambda self, event, check=True: replace(toy.ToyState.apply(self, event, check), turn=9)),
    "has a blank": ("chance_outcomes", lambda self: [("one card", 1.0)]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_game_is_caught(fault: str) -> None:
    name, method = FAULTS[fault]
    methods = {name: method}
    if fault == "is refused":
        methods["apply"] = refuse_five
    if fault == "has a blank":
        methods["sample"] = lambda self, seed, game: "one card"
    with pytest.raises(Violation, match=fault):
        check_games(broken(**methods), 20, deep=1)


def test_a_state_that_changes_in_place_is_caught() -> None:
    def apply(self: toy.ToyState, event: Any, check: bool = True) -> Any:
        after = toy.ToyState.apply(self, event, check)
        object.__setattr__(self, "heap", self.heap + 1)
        return after

    with pytest.raises(Violation, match="apply changes the old state"):
        check_games(broken(apply=apply), 5)


def test_a_game_without_end_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.conformance.LONGEST", 5)
    with pytest.raises(Violation, match="no end"):
        check_games(toy.GAME, 5)
