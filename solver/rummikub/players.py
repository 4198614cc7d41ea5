"""Strategies that play whole games, and their texts: `NAME` or `NAME:option=value,option=value`.

All of them work for any number of players and under all rules. Where the rules say that who can lay must, those that
would rather draw lay as little as they can.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import islice
from types import MappingProxyType
from typing import Any, ClassVar, Final

from ..errors import SolverError, quote
from ..games import Player, check_many
from ..streams import word
from .game import Action, View, start, warm_solver
from .lays import safest_set, singles, smallest_move, with_rack, without_jokers
from .policies import Plan, Points, Policy, move_in, playouts_for
from .policies import play_many as _play_many
from .position import Move, Position
from .rules import Rules
from .searcher import plan_for
from .sets import JOKER, TILE_KEYS

MAX_OPTION: Final = 10_000
MAX_GAMES: Final = 1 << 20
"""Games of one call of `play_many`."""
_DIGITS: Final = re.compile(r"[0-9]{1,5}", re.ASCII)
RANDOM_ACTIONS: Final = 16  # of which the random player takes one: a full list can have thousands of moves


def _whole(default: int, least: int = 0) -> Any:
    return field(default=default, metadata={"least": least})


def _yes_no(default: bool) -> Any:
    return field(default=default)


def _word(*words: str) -> Any:
    """A field with one of some words, the first by default."""
    return field(default=words[0], metadata={"words": words})


@dataclass(frozen=True, slots=True)
class _Named:
    """A player whose text is its kind with the options that are not as by default."""

    kind: ClassVar[str]
    about: ClassVar[str]

    @property
    def name(self) -> str:
        """The text that makes this player again."""
        changed = [(option.name, getattr(self, option.name)) for option in fields(self)]
        texts = [
            f"{name}={_option_text(value)}"
            for (name, value), option in zip(changed, fields(self), strict=True)
            if value != option.default
        ]
        return f"{self.kind}:{','.join(texts)}" if texts else self.kind


@dataclass(frozen=True, slots=True)
class _Compiled(_Named, ABC):
    """A player that the kernel plays, too; `by_search` says the same for rules that the kernel does not take."""

    @property
    def policy(self) -> Policy:
        """What the kernel is told."""
        return (self.kind, 0, False, False, 0, False)

    def choose(self, view: View, key: int) -> Action:
        """See `games.Player`."""
        playouts = playouts_for(view.rules)
        if playouts is None:
            return self.by_search(view, key)
        found = playouts.choose(self.policy, view, key)
        return view.idle if found is None else move_in(view.position, found)

    @abstractmethod
    def by_search(self, view: View, key: int) -> Action:
        """`choose` by searches of `Solver` alone."""


@dataclass(frozen=True, slots=True)
class Random(_Named):
    """One of the first legal actions, each as likely."""

    kind = "random"
    about = f"one of the first {RANDOM_ACTIONS} legal actions"

    def choose(self, view: View, key: int) -> Action:
        """See `games.Player`."""
        actions: list[Action] = []
        moves = warm_solver(view.rules).legal_moves(view.position)
        if not view.bound:
            actions.append(view.idle)
        actions += islice(moves, RANDOM_ACTIONS - len(actions))
        return actions[word(key, 0) % len(actions)] if actions else view.idle


@dataclass(frozen=True, slots=True)
class Greedy(_Compiled):
    """Most tiles, then value: what solvers call the best move."""

    kind = "greedy"
    about = "lays most tiles, then value"

    def by_search(self, view: View, key: int) -> Action:
        """See `_Compiled`."""
        return warm_solver(view.rules).best_move(view.position) or view.idle


@dataclass(frozen=True, slots=True)
class Value(_Compiled):
    """Most value, then tiles."""

    kind = "value"
    about = "lays the highest sum of numbers"

    def by_search(self, view: View, key: int) -> Action:
        """See `_Compiled`."""
        return warm_solver(view.rules).best_move(view.position, "value") or view.idle


@dataclass(frozen=True, slots=True)
class Least(_Compiled):
    """As little as possible, whenever something can be laid; all if all can."""

    kind = "least"
    about = "always lays, as few tiles as possible unless it can go out"

    def by_search(self, view: View, key: int) -> Action:
        """See `_Compiled`."""
        solver = warm_solver(view.rules)
        position = view.position
        return solver.best_move(position, "go_out") or smallest_move(position, solver) or view.idle


@dataclass(frozen=True, slots=True)
class Hold(_Compiled):
    """Greedy without its jokers, which it lays only to go out."""

    kind = "hold"
    about = "lays most tiles, jokers only to go out"

    def by_search(self, view: View, key: int) -> Action:
        """See `_Compiled`."""
        solver = warm_solver(view.rules)
        position = view.position
        bare = without_jokers(position)
        if bare is position:
            return solver.best_move(position) or view.idle
        move = solver.best_move(position, "go_out") or (solver.best_move(bare) if bare.rack else None)
        if move is None and view.bound:
            move = solver.best_move(position)
        return move or view.idle


@dataclass(frozen=True, slots=True)
class Keep(_Compiled):
    """Greedy with the tiles that are in no set of its own rack; those sets it lays only to open or to go out."""

    kind = "keep"
    about = "keeps the complete sets of its rack until it goes out"

    def by_search(self, view: View, key: int) -> Action:
        """See `_Compiled`."""
        solver = warm_solver(view.rules)
        position = view.position
        if not position.opened:
            return solver.best_move(position) or view.idle
        own = solver.best_move(Position((), position.rack, True, view.rules))
        if own is None:
            return solver.best_move(position) or view.idle
        move = solver.best_move(position, "go_out")
        loose = list((Counter(position.rack) - Counter(own.tiles)).elements())
        if move is None and loose:
            move = solver.best_move(with_rack(position, loose))
        if move is None and view.bound:
            move = solver.best_move(position)
        return move or view.idle


@dataclass(frozen=True, slots=True)
class Wait(_Compiled):
    """Opens early, then draws until its whole rack can go down at once.

    at: with another player down to so many tiles it lays all it can. tempo: when every player would draw once more and
    the pool would be empty on its turn, it lays a single tile instead, so that another is the first without a pool.
    opening: of fewest tiles, or of most. sample: how many guesses of the others' racks choose that single tile, so that
    most is left of them; 0: a tile held once, the highest number. sets: where no single tile can be laid, a set of the
    own rack is laid instead, one to which the others can put least. With an empty pool it lays what costs most.
    """

    kind = "wait"
    about = "opens, then draws until its whole rack can be laid at once"

    at: int = _whole(1)
    tempo: bool = _yes_no(True)
    opening: str = _word("smallest", "full")
    sample: int = _whole(0)
    sets: bool = _yes_no(False)

    @property
    def policy(self) -> Policy:
        """What the kernel is told."""
        return (self.kind, self.at, self.tempo, self.opening == "full", self.sample, self.sets)

    def by_search(self, view: View, key: int) -> Action:
        """See `_Compiled`."""
        solver = warm_solver(view.rules)
        position = view.position
        move = solver.best_move(position, "go_out")
        if move is not None:
            return move
        if not position.opened:
            if self.opening == "full":
                return solver.best_move(position) or view.idle
            return smallest_move(position, solver) or view.idle
        if not view.pool:
            return solver.best_move(position, "penalty") or view.idle
        if min(view.sizes[seat] for seat in view.others) <= self.at:
            return solver.best_move(position) or view.idle
        if self.tempo and draws_left(view) == view.players:
            move = self._single(view, position, key)
            if move is None and self.sets:
                move = safest_set(position, view.unseen())
        if move is None and view.bound:
            move = self._single(view, position, key) or smallest_move(position, solver)
        return move or view.idle

    def _single(self, view: View, position: Position, key: int) -> Move | None:
        """The single tile to part with, never a joker; None if none can be laid."""
        held = Counter(position.rack)
        moves = [move for move in singles(position, warm_solver(view.rules)) if move.tiles != (JOKER,)]
        moves.sort(key=lambda move: (held[move.tiles[0]], -move.value, TILE_KEYS[move.tiles[0]]))
        if self.sample and len(moves) > 1:
            once = [move for move in moves if held[move.tiles[0]] == 1] or moves
            left = _unplaced(view, once, self.sample, key)
            return max(once, key=lambda move: left[move.tiles])
        return moves[0] if moves else None


@dataclass(frozen=True, slots=True)
class Search(_Named):
    """Waits, and near the end compares what it could do in guesses of what it cannot see, played to the end.

    samples: guesses. near: draws left at which it begins to look. aim: most wins, or most points. See `searcher`.
    Under rules that the kernel does not take it waits as well as it can without.
    """

    kind = "search"
    about = "waits, and near the end plays on in guesses of what it cannot see"

    samples: int = _whole(8, 1)
    near: int = _whole(2)
    aim: str = _word("win", "points")

    def plan(self, rules: Rules) -> Plan:
        """What the kernel is told."""
        return plan_for(rules, self.samples, self.near, self.aim)

    def choose(self, view: View, key: int) -> Action:
        """See `games.Player`."""
        playouts = playouts_for(view.rules)
        if playouts is None:
            return Wait(sample=self.samples, sets=True).by_search(view, key)
        found = playouts.search(self.plan(view.rules), view, key)
        return view.idle if found is None else move_in(view.position, found)


def draws_left(view: View) -> int:
    """How many turns it takes to empty the pool if everybody draws."""
    return -(-view.pool // view.rules.draw)


def _unplaced(view: View, moves: Sequence[Move], samples: int, key: int) -> dict[tuple[str, ...], int]:
    """For each move how many tiles are left, summed over guesses, of the other player who can lay his rack best after
    it. All moves are judged on the same guesses."""
    solver = warm_solver(view.rules)
    left = dict.fromkeys((move.tiles for move in moves), 0)
    for number in range(samples):
        racks = view.sample(key, number).racks
        for move in moves:
            rests = []
            for seat in view.others:
                best = solver.best_move(Position(move.table, racks[seat], view.opened[seat], view.rules))
                rests.append(len(racks[seat]) - (0 if best is None else len(best.tiles)))
            left[move.tiles] += min(rests)
    return left


_KINDS: Final[tuple[type[_Named], ...]] = (Random, Greedy, Value, Least, Hold, Keep, Wait, Search)
_BY_NAME: Final[Mapping[str, Callable[..., Player]]] = {kind.kind: kind for kind in _KINDS}  # type: ignore[misc]


def _described(kind: type[_Named]) -> str:
    """What the player does, and its options: each with what it may be, the default first."""
    options = []
    for option in fields(kind):
        values = [option.default, not option.default] if isinstance(option.default, bool) else [option.default]
        words = option.metadata.get("words") or map(_option_text, values)
        options.append(f"{option.name}={'|'.join(words)}")
    return f"{kind.about}; options: {', '.join(options)}" if options else kind.about


def _option_text(value: object) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


PLAYERS: Final[Mapping[str, str]] = MappingProxyType({kind.kind: _described(kind) for kind in _KINDS})
"""Names of players, with what each does and the options that it has."""

LEVELS: Final[Mapping[str, str]] = MappingProxyType(
    {"easy": "least", "medium": "greedy", "hard": "wait:at=5,tempo=no", "expert": "search"}
)
"""Levels for human opponents, with the text of the player."""


def player(text: str) -> Player:
    """The player of a text (also of a level's name). Raises SolverError that names what is wrong with it."""
    if not isinstance(text, str):
        raise SolverError(f"player: must be text, not {quote(text)}")
    name, colon, rest = LEVELS.get(text.strip(), text.strip()).partition(":")
    kind = next((kind for kind in _KINDS if kind.kind == name), None)
    if kind is None:
        raise SolverError(f"player: {quote(name)} is none of {', '.join((*PLAYERS, *LEVELS))}")
    known = {option.name: option for option in fields(kind)}
    values: dict[str, Any] = {}
    for part in rest.split(",") if colon else ():
        option, equals, value = part.partition("=")
        if not equals or option not in known:
            there = f"its options are {', '.join(known)}" if known else "it has none"
            raise SolverError(f"player: {name} has no option {quote(part)}; {there}")
        if option in values:
            raise SolverError(f"player: {option} is given twice in {quote(text)}")
        values[option] = _option_value(name, option, value, known[option])
    return _BY_NAME[name](**values)


def play_many(rules: Rules, players: Sequence[Player], seed: int, first: int, count: int) -> list[Points] | None:
    """What `games.play` gives of the games first to first + count - 1, (points by seat, winners) of each, many times
    faster; None where a player or the rules are not for the kernel. SolverError for bad arguments."""
    check_many(players, seed, first, count, MAX_GAMES)
    rules = start(rules, len(players)).rules
    told = [_told(player, rules) for player in players]
    return _play_many(rules, told, seed, first, count)


def _told(player: Player, rules: Rules) -> Policy | Plan | None:
    if isinstance(player, Search):
        return player.plan(rules)
    return player.policy if isinstance(player, _Compiled) else None


def _option_value(name: str, option: str, text: str, known: Any) -> Any:
    if isinstance(known.default, bool):
        allowed: tuple[str, ...] = ("no", "yes")
        if text in allowed:
            return text == "yes"
    elif "words" in known.metadata:
        allowed = known.metadata["words"]
        if text in allowed:
            return text
    else:
        least = known.metadata["least"]
        allowed = (f"a whole number from {least} to {MAX_OPTION}",)
        if _DIGITS.fullmatch(text) and least <= int(text) <= MAX_OPTION:
            return int(text)
    raise SolverError(f"player: {option} of {name} must be {' or '.join(allowed)}, not {quote(text)}")
