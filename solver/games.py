"""Whole games: what a game's state and a player promise, and one game played from the deal to the final points.

A game is a sequence of events. Each is an action of the seat to move or, at a chance node, an outcome: a tile drawn, a
roll. The deal is such events, too, so a record of all events is the whole game.

All chance of a game comes from (seed, game) through `State.sample`, and all randomness of a player from the key that
`play` makes for each of his decisions: the same seed gives the same game on every machine, in any process.

No game is imported here; `load` finds one by its name when it is asked for.
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from .errors import IllegalAction, SolverError, quote
from .streams import check_seed, stream_key

__all__ = [
    "CHANCE",
    "NAMES",
    "OVER",
    "Game",
    "IllegalAction",
    "Player",
    "Record",
    "State",
    "Turn",
    "begin",
    "check_many",
    "load",
    "play",
    "steps",
]

NAMES: Final = ("rummikub", "setup", "trek12")
CHANCE: Final = -1
OVER: Final = -2
MAX_EVENTS: Final = 100_000
"""Events after which a game counts as endless: players who may wait for ever could otherwise hang a match."""


class State(Protocol):
    """A whole game between two events: immutable, hashable, equal by value.

    Actions are values with a canonical text, str(action), of one line and without ` > `; the text of an outcome holds
    no blank.

    A state may have a method check_choice(action): it raises IllegalAction for what may happen to the seat that moves,
    so that `apply` takes it, but what a player may not choose.
    """

    @property
    def game(self) -> str:
        """The game's name, one of NAMES."""

    @property
    def rules(self) -> Any:
        """The game's Rules."""

    @property
    def players(self) -> int:
        """The number of seats."""

    @property
    def to_move(self) -> int:
        """The seat to move, 0 to players - 1, or CHANCE, or OVER."""

    @property
    def turn(self) -> int:
        """Decisions taken so far."""

    def legal_actions(self) -> Iterator[Any]:
        """The actions of the seat to move: each once, lazily, in the order that the game documents.

        A state may have a method action_key(action); its actions are sorted by it.
        """

    def chance_outcomes(self) -> list[tuple[Any, float]]:
        """At a chance node the outcomes with their probabilities: distinct, in the game's order, positive, sum 1."""

    def apply(self, event: Any, check: bool = True) -> State:
        """The state after an action or an outcome. check: raises IllegalAction, which says why, for an event that the
        rules forbid here, by the game's own `verify`; without it the event is taken on trust."""

    def sample(self, seed: int, game: int) -> Any:
        """At a chance node the outcome that game number `game` of this seed has here: a pure function."""

    def view(self, seat: int) -> Any:
        """All that the seat can see: frozen, and equal for two states that differ only in what it cannot see."""

    def reshuffled(self, seat: int, key: int) -> State:
        """A state that looks the same to the seat, what it cannot see drawn anew from the stream with this key."""

    def returns(self) -> tuple[float, ...]:
        """The final points of each seat; only when OVER."""

    def winners(self) -> tuple[int, ...]:
        """The seats that win, more than one when they share it; only when OVER."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; the class's from_dict gives an equal state."""

    def read(self, text: str) -> Any:
        """The action or outcome of a text at this node, the inverse of str; raises ParseError."""


class Player(Protocol):
    """A strategy. It keeps nothing between calls that could change an answer."""

    @property
    def name(self) -> str:
        """The text that makes this player again."""

    def choose(self, view: Any, key: int) -> Any:
        """A legal action of the seat that moves, for what it sees. Whatever is random comes from the stream `key`."""


@dataclass(frozen=True, slots=True)
class Game:
    """What is needed of a game to play it from texts.

    start(rules=..., players=2, **options) gives the state before the deal. player(text) makes a player. read_rules
    reads the text of rules. descriptions: names of players, with what each does. levels: names of levels for human
    opponents, with the text of the player. play_many(rules, players, seed, first, count): for the games first to
    first + count - 1 exactly what `play` gives, as (returns, winners) of each, or None where one of the players cannot
    be played that fast.
    """

    name: str
    start: Callable[..., State]
    player: Callable[[str], Player]
    read_rules: Callable[[str], Any]
    descriptions: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, str] = field(default_factory=dict)
    play_many: Callable[..., Sequence[tuple[tuple[float, ...], tuple[int, ...]]] | None] | None = None


def load(name: str) -> Game:
    """The game of this name. Raises SolverError for a name that is none of NAMES."""
    if name not in NAMES:
        raise SolverError(f"game: must be one of {', '.join(NAMES)}, not {quote(name)}")
    rules = importlib.import_module(f"{__package__}.{name}.rules")
    states = importlib.import_module(f"{__package__}.{name}.game")
    players = importlib.import_module(f"{__package__}.{name}.players")
    return Game(
        name=name,
        start=states.start,
        player=players.player,
        read_rules=rules.Rules.parse,
        descriptions=players.PLAYERS,
        levels=players.LEVELS,
        play_many=getattr(players, "play_many", getattr(states, "play_many", None)),
    )


def begin(game: Game, rules: str | None, players: int, options: Mapping[str, Any]) -> State:
    """The state before the deal, of the rules' text (None: the game's default) and options of `start`.

    Raises SolverError for what the game refuses.
    """
    known = inspect.signature(game.start).parameters
    if rules is None and known["rules"].default is inspect.Parameter.empty:
        raise SolverError(f"rules: {game.name} has no default rules, they must be given")
    for name in options:
        if name not in known or name in ("rules", "players"):
            others = ", ".join(option for option in known if option not in ("rules", "players")) or "none"
            raise SolverError(f"options: {game.name} has no option {quote(name)}; there are: {others}")
    given = {} if rules is None else {"rules": game.read_rules(rules)}
    return game.start(**given, players=players, **options)


def check_many(players: object, seed: int, first: int, count: int, most: int) -> None:
    """SolverError unless these are arguments of a game's `play_many`, which plays up to `most` games at once."""
    if isinstance(players, (str, bytes)) or not isinstance(players, Sequence):
        raise SolverError(f"players: must be one for each seat, not {quote(players)}")
    check_seed(seed)
    check_seed(first, "first")
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= most:
        raise SolverError(f"count: must be a whole number from 0 to {most}, not {quote(count)}")
    check_seed(first + count, "first + count")


@dataclass(frozen=True, slots=True)
class Turn:
    """A seat's action and the outcomes that followed it, as their texts."""

    seat: int
    action: str
    outcomes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """A whole game as texts: enough to replay it and to check every event. `records.parse` reads str(record).

    players: their names by seat. seed and index: where the outcomes come from; both None for a game whose outcomes came
    from a real bag or real dice. options: what `start` was given besides rules and players. deal: the outcomes before
    the first turn.
    """

    game: str
    rules: str
    players: tuple[str, ...]
    seed: int | None
    index: int | None
    options: Mapping[str, Any]
    deal: tuple[str, ...]
    turns: tuple[Turn, ...]
    returns: tuple[float, ...]
    winners: tuple[int, ...]

    def __str__(self) -> str:
        lines = [f"game {self.game}", f"rules {self.rules}"]
        if self.options:
            lines.append(f"options {json.dumps(dict(self.options), sort_keys=True)}")
        lines += [f"player {name}" for name in self.players]
        if self.seed is not None:
            lines += [f"seed {self.seed}", f"index {self.index}"]
        lines.append(" ".join(["deal", *self.deal]))
        for number, turn in enumerate(self.turns, 1):
            drawn = f" > {' '.join(turn.outcomes)}" if turn.outcomes else ""
            lines.append(f"{number} {turn.seat} {turn.action}{drawn}")
        lines.append(" ".join(["returns", *map(_number, self.returns)]))
        lines.append(" ".join(["winners", *map(str, self.winners)]))
        return "\n".join(lines) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; a turn is [seat, action, outcome...]. `records.from_dict` is the inverse."""
        return {
            "game": self.game,
            "rules": self.rules,
            "options": dict(self.options),
            "players": list(self.players),
            "seed": self.seed,
            "index": self.index,
            "deal": list(self.deal),
            "turns": [[turn.seat, turn.action, *turn.outcomes] for turn in self.turns],
            "returns": list(self.returns),
            "winners": list(self.winners),
        }


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))


def steps(
    state: State, players: Sequence[Player], seed: int, game: int, check: bool = False
) -> Iterator[tuple[State, Any]]:
    """The states of one game from `state` on, each with the event taken there; the last one is over, its event None.

    game: the number of the deal; every draw comes from (seed, game), every decision from these, the turn and the seat.
    check: the rules are checked at every event (for players that are not trusted). Raises SolverError for a number of
    players that is not the number of seats, for a bad seed or number, IllegalAction, and for a game that does not end.
    """
    check_seed(seed)
    check_seed(game, "game")
    if len(players) != state.players:
        raise SolverError(f"players: {len(players)} for {state.players} seats")
    name = f"{state.game}:{game}"
    for _ in range(MAX_EVENTS):
        seat = state.to_move
        if seat == OVER:
            yield state, None
            return
        if seat == CHANCE:
            event = state.sample(seed, game)
        else:
            event = players[seat].choose(state.view(seat), stream_key(seed, name, state.turn, f"player {seat}"))
            if check and hasattr(state, "check_choice"):
                state.check_choice(event)
        yield state, event
        state = state.apply(event, check=check)
    raise SolverError(f"{state.game}: no end after {MAX_EVENTS} events")


def play(
    state: State,
    players: Sequence[Player],
    seed: int,
    game: int,
    check: bool = False,
    options: Mapping[str, Any] | None = None,
) -> Record:
    """One whole game as a record; arguments and errors are those of `steps`. options: what `start` was given besides
    rules and players."""
    deal: list[str] = []
    turns: list[tuple[int, str, list[str]]] = []
    for now, event in steps(state, players, seed, game, check):
        if now.to_move == CHANCE:
            (turns[-1][2] if turns else deal).append(str(event))
        elif now.to_move != OVER:
            turns.append((now.to_move, str(event), []))
    return Record(
        game=state.game,
        rules=str(state.rules),
        players=tuple(player.name for player in players),
        seed=seed,
        index=game,
        options=dict(options or {}),
        deal=tuple(deal),
        turns=tuple(Turn(seat, action, tuple(outcomes)) for seat, action, outcomes in turns),
        returns=tuple(map(float, now.returns())),
        winners=tuple(now.winners()),
    )
