"""The smallest game that has everything: a deal, hidden cards, actions, dice, points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from solver import streams
from solver.errors import IllegalAction, ParseError, SolverError, quote
from solver.games import CHANCE, OVER, Game

CARDS = (1, 2, 3)
FACES = (0, 1)
MOST = 3


@dataclass(frozen=True)
class ToyRules:
    """heap: stones at the start."""

    heap: int = 7

    def __str__(self) -> str:
        return f"heap={self.heap}"

    @classmethod
    def parse(cls, text: str) -> ToyRules:
        key, _, value = text.partition("=")
        if key != "heap" or not value.isdecimal():
            raise SolverError(f"rules: must be heap=NUMBER, not {quote(text)}")
        return cls(int(value))


@dataclass(frozen=True, order=True)
class Take:
    """Take some stones."""

    stones: int

    def __str__(self) -> str:
        return f"take {self.stones}"


@dataclass(frozen=True)
class View:
    """The own card, what others hold is not seen."""

    seat: int
    card: int | None
    heap: int
    to_move: int


@dataclass(frozen=True)
class ToyState:
    """Nim with dice: everybody is dealt a hidden card; after a turn a die adds 0 or 1 stones to what is left.

    Who takes the last stone wins the value of his card and the others lose one point each.
    """

    rules: ToyRules
    players: int
    cards: tuple[int, ...] = ()
    heap: int = 0
    turn: int = 0
    rolling: bool = False
    game: ClassVar[str] = "toy"

    @property
    def to_move(self) -> int:
        if len(self.cards) < self.players or self.rolling:
            return CHANCE
        return self.turn % self.players if self.heap else OVER

    def legal_actions(self) -> Iterator[Take]:
        return (Take(stones) for stones in range(1, min(MOST, self.heap) + 1))

    def action_key(self, action: Take) -> int:
        return action.stones

    def chance_outcomes(self) -> list[tuple[int, float]]:
        values = FACES if self.rolling else CARDS
        return [(value, 1 / len(values)) for value in values]

    def apply(self, event: Any, check: bool = True) -> ToyState:
        if check and event not in (dict(self.chance_outcomes()) if self.to_move == CHANCE else self.legal_actions()):
            raise IllegalAction(f"{event} is not possible with {self.heap} stones")
        if isinstance(event, Take):
            left = self.heap - event.stones
            return replace(self, heap=left, turn=self.turn + 1, rolling=left > 0)
        if self.rolling:
            return replace(self, heap=self.heap + event, rolling=False)
        return replace(self, cards=(*self.cards, event))

    def sample(self, seed: int, game: int) -> int:
        key = streams.stream_key(seed, f"toy:{game}", self.turn, f"card {len(self.cards)}")
        values = FACES if self.rolling else CARDS
        return values[streams.word(key, 0) % len(values)]

    def view(self, seat: int) -> View:
        return View(seat, self.cards[seat] if seat < len(self.cards) else None, self.heap, self.to_move)

    def reshuffled(self, seat: int, key: int) -> ToyState:
        cards = [CARDS[streams.word(key, i) % len(CARDS)] for i in range(len(self.cards))]
        return replace(self, cards=tuple(old if i == seat else cards[i] for i, old in enumerate(self.cards)))

    def returns(self) -> tuple[float, ...]:
        (winner,) = self.winners()
        return tuple(float(self.cards[seat]) if seat == winner else -1.0 for seat in range(self.players))

    def winners(self) -> tuple[int, ...]:
        return ((self.turn - 1) % self.players,)

    def to_dict(self) -> dict[str, Any]:
        return {
            "heap": [self.rules.heap, self.heap],
            "cards": list(self.cards),
            "players": self.players,
            "turn": self.turn,
            "rolling": self.rolling,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ToyState:
        start, heap = data["heap"]
        return cls(ToyRules(start), data["players"], tuple(data["cards"]), heap, data["turn"], data["rolling"])

    def read(self, text: str) -> Any:
        word, _, value = text.rpartition(" ")
        if word != ("" if self.to_move == CHANCE else "take") or not value.isdecimal():
            raise ParseError(f"action: cannot read {quote(text)}")
        return int(value) if self.to_move == CHANCE else Take(int(value))


@dataclass(frozen=True)
class Fixed:
    """Takes always as many as its name says, or what is left."""

    stones: int

    @property
    def name(self) -> str:
        return f"take:{self.stones}"

    def choose(self, view: View, key: int) -> Take:
        return Take(min(self.stones, view.heap))


@dataclass(frozen=True)
class Random:
    """Takes any number."""

    name: str = "random"

    def choose(self, view: View, key: int) -> Take:
        return Take(1 + streams.word(key, 0) % min(MOST, view.heap))


def start(rules: ToyRules | None = None, players: int = 2, double: bool = False) -> ToyState:
    """double: twice as many stones."""
    if players not in (2, 3):
        raise SolverError(f"players: must be 2 or 3, not {players}")
    rules = rules or ToyRules()
    return ToyState(rules, players, heap=rules.heap * (2 if double else 1))


def player(text: str) -> Fixed | Random:
    name, _, value = text.partition(":")
    if name == "random" and not value:
        return Random()
    if name == "take" and value in ("1", "2", "3"):
        return Fixed(int(value))
    raise SolverError(f"player: no player {quote(text)}; there are random, take:STONES")


GAME = Game(
    name="toy",
    start=start,
    player=player,
    read_rules=ToyRules.parse,
    descriptions={"random": "takes any number", "take": "takes always as many"},
    levels={"easy": "random"},
)
