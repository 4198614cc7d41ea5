"""Strategies that play whole games of Trek 12, and the fast loop for those that a kernel plays.

A player is made from a text: its name, with options behind a colon, `adviser:exact=4,width=24`. What one writes never
touches the sheets of others: all but `reach` play for the highest mean score of their own. Sheets
without a net are played by the heuristic where one is needed. No player looks at a clock: the same view and key give
the same move.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import SolverError, quote
from ..games import check_many
from ..limits import Limit
from ..streams import stream_key
from . import kernel, nets
from .game import NAME, TrekView, dice_key, stars_of, start
from .graphs import graph_of
from .position import Move, Position
from .rules import AMAZONIA, BAD_CIRCLE, LINKS, Rules
from .search import EXACT_EMPTIES, EXACT_EMPTIES_FREE, MEMORY, REACH, WARM_SHEETS, Solver
from .sheets import Sheet

PLAYERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "random": "each legal move with the same chance",
        "greedy": "the most points at once; of equal ones the highest number, then the lowest circle",
        "heuristic": "points at once and 30 tuned weights of what is left behind",
        "net": "the best next state by the sheet's net",
        "adviser": "the next roll for the `width` best moves by the net (12); exact with at most `exact` empty circles "
        "after the move (3, at most 6; under free links 2 at most), for the best 3 moves with one more",
        "deep": "the next roll for every move; exact where that takes at most `nodes` (100000) states; rollouts on "
        "sheets without a net",
        "reach": "as adviser, but for the chance of the summit where that is exact: with at most 4 empty circles after "
        "the move, 2 under free links",
    }
)
LEVELS: Final[Mapping[str, str]] = MappingProxyType(
    {"easy": "greedy", "medium": "heuristic", "hard": "net", "expert": "adviser"}
)
_RANDOM, _HEURISTIC, _NEXT_STATE, _NEXT_ROLL = range(4)
_SEED_BITS: Final = 63
MOST_GAMES: Final = 10**7
"""Of one call of `play_many`, whose results are kept in memory."""
NUMBERS: Final = 13
"""Numbers that a circle can hold, 0 to 12: the first weights of the heuristic."""
EQUAL_CHANCES: Final = 1e-12
_OPTIONS: Final[Mapping[str, Mapping[str, tuple[int, int, int]]]] = MappingProxyType(
    # name -> option -> (default, least, most)
    {
        "adviser": {"exact": (3, 0, 6), "width": (12, 1, 64)},
        "deep": {"nodes": (100_000, 1, 10**9)},
    }
)


class TrekPlayer(Protocol):
    """A strategy; see `solver.games.Player`."""

    @property
    def name(self) -> str:
        """The text that makes this player again."""

    def choose(self, view: TrekView, key: int) -> Move:
        """The move of the seat to move."""


class KernelPlayer:
    """A policy that a kernel plays. Several threads may use it; they wait for each other."""

    def __init__(
        self, name: str, policy: int, exact: int = 3, width: int = 12, weights: nets.Weights | None = None
    ) -> None:
        """weights: of the heuristic, None for the tuned ones."""
        self.name = name
        self._policy = policy
        self._weights = weights
        self._exact = exact
        self._width = width
        self._lock = threading.Lock()
        self._warm: dict[tuple[Sheet, Rules], kernel.Player] = {}

    def __reduce__(self) -> tuple[Callable[[str], TrekPlayer], tuple[str]]:
        return player, (self.name,)

    def choose(self, view: TrekView, key: int) -> Move:
        """The policy's move; `random` draws it with the key."""
        position = view.position
        assert position.roll is not None
        face = position.roll[0] * 6 + position.roll[1] - 1
        with self._lock:
            packed = self._kernel(position.sheet, position.rules).move(*position.packed, face, key)
        return position.named(*packed)

    def scores(
        self, sheet: Sheet, rules: Rules, key: int, first: int, count: int, chances: NDArray[np.uint64] | None
    ) -> NDArray[np.int32] | None:
        """Final scores of games `first`, `first` + 1 ... of the dice of a key; None where one could not be scored."""
        out: NDArray[np.int32] = np.zeros(count, np.int32)
        with self._lock:
            exact = self._kernel(sheet, rules).games(key, first, bytes(rules.op_limits), out, chances)
        return out if exact else None

    @property
    def draws(self) -> bool:
        """Whether the moves depend on the key."""
        return self._policy == _RANDOM

    def _kernel(self, sheet: Sheet, rules: Rules) -> kernel.Player:
        made = self._warm.pop((sheet, rules), None) or self._made(sheet, rules)
        self._warm[sheet, rules] = made  # the last one used stands last
        if len(self._warm) > WARM_SHEETS:
            del self._warm[next(iter(self._warm))]
        return made

    def _made(self, sheet: Sheet, rules: Rules) -> kernel.Player:
        graph = graph_of(sheet, rules)
        links, bad = LINKS.index(rules.links), BAD_CIRCLE.index(rules.bad_circle)
        policy, weights, endgame = self._policy, None, None
        if policy >= _NEXT_STATE:
            weights = None if rules.variant == AMAZONIA else nets.net_for(sheet)
            policy = policy if weights is not None else _HEURISTIC
        if policy == _NEXT_ROLL:
            endgame = kernel.Endgame(graph, links, bad, MEMORY // WARM_SHEETS)
        elif policy == _HEURISTIC:
            weights = nets.heuristic(rules.variant) if self._weights is None else self._weights
        exact = min(self._exact, EXACT_EMPTIES_FREE) if rules.links == "free" else self._exact
        return kernel.Player(graph, policy, weights, links, bad, endgame, width=self._width, exact=exact)


class DeepPlayer:
    """The adviser of the API with a limit of nodes. Its tables begin empty at every move, so that none depends on the
    moves before."""

    def __init__(self, name: str, nodes: int) -> None:
        self.name = name
        self._limit = Limit(nodes=nodes)

    def choose(self, view: TrekView, key: int) -> Move:
        """The adviser's move; the key is the seed of its rollouts."""
        move = Solver(view.rules).best_move(view.position, limit=self._limit, seed=key >> (64 - _SEED_BITS))
        assert move is not None
        return move


class ReachPlayer:
    """For the mean, and where it is exact for the chance of the sheet's summit; the mean decides between equals."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._mean = KernelPlayer("adviser", _NEXT_ROLL)
        self._solver = Solver()

    def __reduce__(self) -> tuple[Callable[[str], TrekPlayer], tuple[str]]:
        return player, (self.name,)

    def choose(self, view: TrekView, key: int) -> Move:
        """The move; the key is not used."""
        position = view.position
        exact = EXACT_EMPTIES_FREE if view.rules.links == "free" else EXACT_EMPTIES
        if position.sheet.summit is None or position.empties - 1 > exact:
            return self._mean.choose(view, key)
        solver = self._solver
        if solver.rules != view.rules:
            solver = self._solver = Solver(view.rules)
        count = solver.count_moves(position)
        chances = solver.best_moves(position, count, REACH)
        best = {line.move for line in chances if line.value >= chances[0].value - EQUAL_CHANCES}
        return next(line.move for line in solver.best_moves(position, count) if line.move in best)


def player(text: str) -> TrekPlayer:
    """The player of a text, NAME or NAME:OPTION=VALUE,..., or of a level's name.

    Raises SolverError that names what is unknown or wrong.
    """
    if not isinstance(text, str):
        raise SolverError(f"player: must be text, not {quote(text)}")
    name, colon, rest = LEVELS.get(text.strip(), text.strip()).partition(":")
    if name not in PLAYERS:
        raise SolverError(f"player: no {quote(name)}; there are {', '.join((*PLAYERS, *LEVELS))}")
    known = _OPTIONS.get(name, {})
    values: dict[str, int] = {}
    for part in rest.split(",") if colon else ():
        option, equals, value = part.partition("=")
        if not equals or option not in known:
            raise SolverError(f"player: {name} has no option {quote(part)}; there are {', '.join(known) or 'none'}")
        _, least, most = known[option]
        if not (value.isascii() and value.isdigit() and len(value) <= len(str(most)) and least <= int(value) <= most):
            raise SolverError(f"{option}: must be {least} to {most}, not {quote(value)}")
        if option in values:
            raise SolverError(f"{option}: given twice in {quote(text)}")
        values[option] = int(value)
    changed = {option: values[option] for option in sorted(values) if values[option] != known[option][0]}
    canonical = name + (":" + ",".join(f"{option}={value}" for option, value in changed.items()) if changed else "")
    full = {option: values.get(option, default) for option, (default, _, _) in known.items()}
    return _MAKERS[name](canonical, **full)


_MAKERS: Final[Mapping[str, Callable[..., TrekPlayer]]] = MappingProxyType(
    {
        "random": lambda name: KernelPlayer(name, _RANDOM),
        "greedy": lambda name: KernelPlayer(name, _HEURISTIC, weights=_greedy_weights()),
        "heuristic": lambda name: KernelPlayer(name, _HEURISTIC),
        "net": lambda name: KernelPlayer(name, _NEXT_STATE),
        "adviser": lambda name, exact, width: KernelPlayer(name, _NEXT_ROLL, exact, width),
        "deep": DeepPlayer,
        "reach": ReachPlayer,
    }
)


def _greedy_weights() -> nets.Weights:
    """Nothing but a little for the number that is written: less than a point, and exact in binary."""
    weights = np.zeros_like(nets.heuristic())
    weights[:NUMBERS] = np.arange(NUMBERS) / 64
    return weights


def play_many(
    rules: Rules,
    players: Sequence[TrekPlayer],
    seed: int,
    first: int,
    count: int,
    *,
    sheet: Sheet | str | Sequence[Sheet | str] | None = None,
) -> list[tuple[tuple[float, ...], tuple[int, ...]]] | None:
    """(Returns, winners) of games `first`, `first` + 1 ... as `solver.games.play` gives them, without Python objects.

    None when a kernel does not play one of the players, or when a free layout is too large to be scored. Equal players
    without chance write the same sheets, so each of them is played once. Raises SolverError for bad numbers.
    """
    check_many(players, seed, first, count, MOST_GAMES)
    begun = start(rules, len(players), sheet=sheet)
    rules, seats, course = begun.rules, begun.players, begun.course
    if not all(isinstance(one, KernelPlayer) for one in players):
        return None
    stages = []
    before = 0
    for stage, one_sheet in enumerate(course):
        turns = Position.start(one_sheet, rules).turns
        known: dict[str, NDArray[np.int32]] = {}
        rows = []
        for seat, one in enumerate(players):
            assert isinstance(one, KernelPlayer)
            scores = None if one.draws else known.get(one.name)
            if scores is None:
                chances = _chances(seed, first, count, before, turns, seats, seat) if one.draws else None
                scores = one.scores(one_sheet, rules, dice_key(seed, stage), first, count, chances)
                if scores is None:
                    return None
                known[one.name] = scores
            rows.append(scores)
        stages.append(np.stack(rows, axis=1).tolist())
        before += turns
    results = []
    for scores_of in zip(*stages, strict=True):
        points = scores_of[0] if len(course) == 1 else stars_of(course, scores_of)
        best = max(points)
        winners = tuple(seat for seat, own in enumerate(points) if own == best)
        results.append((tuple(map(float, points)), winners))
    return results


def _chances(seed: int, first: int, count: int, before: int, turns: int, seats: int, seat: int) -> NDArray[np.uint64]:
    """The keys of a seat's decisions, a row a game, as `solver.games.play` makes them."""
    return np.array(
        [
            [
                stream_key(seed, f"{NAME}:{game}", (before + turn) * seats + seat, f"player {seat}")
                for turn in range(turns)
            ]
            for game in range(first, first + count)
        ],
        np.uint64,
    ).reshape(count, turns)
