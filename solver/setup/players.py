"""Players of whole games of Setup, made from texts: `greedy`, `margin:bonus=full`, `lookahead:samples=32`.

All are policies of the kernel (policies.py), so `play_many` plays them without Python objects, with exactly the
results of single games. No player looks at the clock; effort is a number of samples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ..errors import SolverError, quote
from ..games import check_many
from ..streams import stream_key
from . import policies
from .board import SEATS
from .game import IDLE_END, NAME, SetupView, draw_key, start, start_squares
from .kernel import Plays, choose
from .kernel import play_many as play_games
from .position import Move
from .rules import Rules
from .search import RECORD, compiled, finish_line, play_of, seated

if TYPE_CHECKING:
    from .kernel.games import Counted
    from .kernel.policy import Policy

DEFAULT_SAMPLES: Final = 64
MAX_SAMPLES: Final = 1 << 20
MAX_GAMES: Final = 1 << 20
"""Games of one call of `play_many`."""
MAX_PLAYER_TEXT: Final = 200

PLAYERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "random": "any legal move, each with the same chance",
        "greedy": "most points; equal ones with less bonus first, with ties=order in the fixed order of plays",
        "margin": "points minus the bonus given away divided by the number of opponents; bonus=full: minus all of it",
        "static": "margin with small weights for what the play leaves and fills",
        "evaluation": "margin, the next player's expected best answer and the own next play, weighed",
        "lookahead": f"the best by evaluation, played on; samples={DEFAULT_SAMPLES}: deals for each of 8 plays",
    }
)
LEVELS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "beginner": "random",
        "easy": "greedy:ties=order",
        "medium": "margin",
        "hard": "static",
        "expert": "evaluation",
        "master": f"lookahead:samples={DEFAULT_SAMPLES}",
    }
)
_OPTIONS: Final[Mapping[str, Mapping[str, tuple[str, ...] | None]]] = {
    "random": {},
    "greedy": {"ties": ("bonus", "order")},
    "margin": {"bonus": ("shared", "full")},
    "static": {},
    "evaluation": {},
    "lookahead": {"samples": None},
}
"""Options of each player with their values, the default first; None: a number of samples."""


@dataclass(frozen=True, slots=True)
class SetupPlayer:
    """A player: `name` makes it again."""

    name: str
    kind: str
    options: tuple[tuple[str, str], ...] = ()

    def policy(self, players: int, teams: bool) -> Policy:
        """How it plays with so many at the table, for the kernel."""
        return _MAKERS[self.kind](players, teams, dict(self.options))

    def choose(self, view: SetupView, key: int) -> Move:
        """The move for what the seat sees; all randomness comes from the stream `key`."""
        if view.to_move != view.seat:
            raise SolverError(f"view: seat {view.seat} is not to move")
        position, rules = view.position, view.rules
        packed = position.packed()
        record, swapped = choose(
            _kernel(rules, view.seats),
            *packed[:4],
            packed.mover,
            packed.scores,
            finish_line(rules),
            rules.teams,
            seated(view.seats),
            self.policy(len(view.seats), rules.teams),
            key,
        )
        if record:
            return play_of(rules, np.frombuffer(record, RECORD)[0].tolist())
        if not swapped:
            raise SolverError(f"view: seat {view.seat} can neither play nor swap")
        return Move((), [tile for at, tile in enumerate(position.rack) if swapped >> at & 1], 0, {})


_MAKERS: Final[Mapping[str, Callable[[int, bool, Mapping[str, str]], Policy]]] = {
    "random": lambda players, teams, options: policies.random_policy(),
    "greedy": lambda players, teams, options: policies.greedy_policy(options["ties"] == "order"),
    "margin": lambda players, teams, options: policies.margin_policy(players, teams, options["bonus"] == "full"),
    "static": lambda players, teams, options: policies.static_policy(players, teams),
    "evaluation": lambda players, teams, options: policies.evaluation_policy(players, teams),
    "lookahead": lambda players, teams, options: policies.lookahead_policy(players, teams, int(options["samples"])),
}


def player(text: str) -> SetupPlayer:
    """The player of a text, `NAME` or `NAME:OPTION=VALUE,...`, or of a level. SolverError names what is wrong."""
    if not isinstance(text, str) or len(text) > MAX_PLAYER_TEXT:
        raise SolverError(f"player: must be text of up to {MAX_PLAYER_TEXT} characters, not {quote(text)}")
    kind, colon, rest = LEVELS.get(text.strip(), text.strip()).partition(":")
    if kind not in PLAYERS:
        raise SolverError(f"player: no {quote(kind)}; there are {', '.join((*PLAYERS, *LEVELS))}")
    known = _OPTIONS[kind]
    options = {name: values[0] if values else str(DEFAULT_SAMPLES) for name, values in known.items()}
    seen = set()
    for part in rest.split(",") if colon else ():
        name, equals, value = part.strip().partition("=")
        if not equals or name not in known:
            there = ", ".join(f"{option}=" for option in known) or "none"
            raise SolverError(f"player: {kind} has no option {quote(part)}; there are {there}")
        if name in seen:
            raise SolverError(f"player: {name} is given twice in {quote(text)}")
        seen.add(name)
        options[name] = _value(kind, name, value, known[name])
    given = [f"{name}={options[name]}" for name, values in known.items() if not values or options[name] != values[0]]
    return SetupPlayer(f"{kind}:{','.join(given)}" if given else kind, kind, tuple(options.items()))


def _value(kind: str, name: str, value: str, values: tuple[str, ...] | None) -> str:
    if values is not None:
        if value not in values:
            raise SolverError(f"{name}: must be one of {', '.join(values)} for {kind}, not {quote(value)}")
        return value
    if not (value.isascii() and value.isdigit()) or not 1 <= int(value) <= MAX_SAMPLES:
        raise SolverError(f"{name}: must be a whole number from 1 to {MAX_SAMPLES} for {kind}, not {quote(value)}")
    return str(int(value))


def play_many(
    rules: Rules, players: Sequence[Any], seed: int, first: int, count: int
) -> list[tuple[tuple[float, ...], tuple[int, ...]]] | None:
    """The games first .. first + count - 1 of the seed: final points and winners of each, as single games give them.

    players: by seat; None is the answer where one of them is none of this module's. SolverError for bad arguments.
    """
    check_many(players, seed, first, count, MAX_GAMES)
    if not all(isinstance(player, SetupPlayer) for player in players):
        return None
    seats = start(rules, len(players)).seats
    places = [SEATS.index(seat) for seat in seats]
    return [
        (tuple(float(scores[at]) for at in places), tuple(seat for seat, at in enumerate(places) if won >> at & 1))
        for scores, won in counted(rules, players, seed, first, count)[0]
    ]


def counted(
    rules: Rules, players: Sequence[SetupPlayer], seed: int, first: int, count: int, census: bool = False
) -> Counted:
    """As `play_many`, with what the kernel counts on the way (see kernel/games.pyx, `play_many`)."""
    check_many(players, seed, first, count, MAX_GAMES)
    state = start(rules, len(players))
    seats = state.seats
    by_seat = dict(zip(seats, players, strict=True))

    def key_of(game: int, turn: int, place: int) -> int:
        return stream_key(seed, f"{NAME}:{first + game}", turn, f"player {seats.index(SEATS[place])}")

    return play_games(
        _kernel(rules, seats),
        finish_line(rules),
        rules.teams,
        seated(seats),
        -1 if rules.first_player == "random" else SEATS.index(rules.first_player),
        start_squares(rules, seats),
        [by_seat[seat].policy(len(seats), rules.teams) if seat in by_seat else None for seat in SEATS],
        [draw_key(seed, game) for game in range(first, first + count)],
        IDLE_END,
        key_of,
        census,
    )


@lru_cache(maxsize=64)
def _kernel(rules: Rules, seats: str) -> Plays:
    return compiled(rules, seats)
