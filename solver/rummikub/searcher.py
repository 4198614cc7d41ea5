"""What wins: the search that plays on in guesses of what is unseen, as a player's plan and as an analysis.

The work is done by `kernel.Searching`; what it looks at and how it guesses is told there and in docs/rummikub-play.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from time import monotonic
from typing import Any, Final, Self

from .. import plain
from ..errors import IllegalPosition, LimitReached, SolverError, UnsupportedRules, quote
from ..limits import Limit, Status, Watch, ended
from ..results import Analysis, Estimate, How, Line, line_readers
from ..streams import check_seed, stream_key, word
from .kernel import Searching, why_not
from .policies import Plan, Policy, playouts_for
from .position import Move, Position, Table, unseen_tiles
from .rules import Rules
from .sets import Tile, TileSet, plain_tiles

WAITING: Final[Policy] = ("wait", 1, True, False, 0, True)
GREEDY: Final[Policy] = ("greedy", 0, False, False, 0, False)
POLICIES: Final[dict[str, Policy]] = {"wait": WAITING, "greedy": GREEDY}
LAYING: Final[Policy] = ("keep", 0, False, False, 0, False)  # how who laid often is thought to play on
CAREFUL: Final[Policy] = ("wait", 1, True, False, 4, True)  # what is played unless something else is better
MARGIN: Final = 1.0  # standard errors by which a move must be better than the base
FORCED_MARGIN: Final = 2.0  # where who can lay must: see docs/rummikub-play.md
WIN_WORTH: Final = 1000.0  # points that a win counts where wins are the aim: more than any game gives
GUESSES: Final = 64  # of an analysis without a limit
BATCH: Final = 16  # guesses between looks at the clock
RACKS: Final = 32  # unseen racks for what a table offers
SMALL_SAMPLE: Final = 1  # guesses of which no variance can be told
FEW_LINES: Final = 6  # candidates beside those asked for that get all guesses


def plan_for(rules: Rules, samples: int, near: int, aim: str) -> Plan:
    """What the searching player does under these rules: see `kernel.Searching`.

    Where who can lay must, waiting gains nothing: the greedy player is the base and plays on.
    """
    worth = WIN_WORTH if aim == "win" else 0.0
    if rules.must_play:
        return samples, near, FORCED_MARGIN, worth, GREEDY, GREEDY, GREEDY
    return samples, near, MARGIN, worth, CAREFUL, WAITING, LAYING


@dataclass(frozen=True, slots=True)
class WinLine(Line["Move | None"]):
    """A candidate: a move, or None for a draw (a pass where the pool is empty). value: the mean of `win`.

    win: chance to win, shared wins counted by their share. points: of the game. Both by playouts.
    playable: tiles kept in the rack that can be laid alone after the move and could not before. outs: unseen tiles with
    which the rest of the rack could be laid at once on the table after the move. offers: how many tiles more than
    before the move a rack of unseen tiles, as large as that of the next player, can lay on the table.
    """

    win: Estimate = field(kw_only=True)
    points: Estimate = field(kw_only=True)
    playable: TileSet = field(kw_only=True)
    outs: TileSet = field(kw_only=True)
    offers: Estimate = field(kw_only=True)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; the move of a draw is None."""
        return {
            "move": None if self.move is None else self.move.to_dict(),
            "value": self.value,
            "exact": self.exact,
            "tied": self.tied,
            "only": self.only,
            "win": self.win.to_dict(),
            "points": self.points.to_dict(),
            "playable": list(self.playable),
            "outs": list(self.outs),
            "offers": self.offers.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: object, move: plain.Reader[Move | None] = Move.from_dict) -> Self:
        """The inverse of `to_dict`. Raises ParseError."""
        return cls(
            **plain.read(
                data,
                "line",
                **line_readers(plain.maybe(move)),
                win=Estimate.from_dict,
                points=Estimate.from_dict,
                playable=plain_tiles,
                outs=plain_tiles,
                offers=Estimate.from_dict,
            )
        )


@dataclass(frozen=True, slots=True)
class _Moment:
    """A position within a game, as the kernel reads it; the player to move has seat 0."""

    rack: TileSet
    sizes: tuple[int, ...]
    table: Table
    opened: tuple[bool, ...]
    pool: int
    left: int
    seat: int = 0
    turn: int = 0
    history: tuple[Any, ...] = ()


@dataclass(slots=True)
class _Candidate:
    found: tuple[TileSet, Table] | None
    games: int = 0
    wins: float = 0.0
    win_squares: float = 0.0
    points: float = 0.0
    point_squares: float = 0.0

    def key(self) -> tuple[float, float]:
        return self.wins / self.games, self.points / self.games


def analyse_win(
    position: Position,
    limit: Limit | None = None,
    *,
    lines: int = 3,
    players: int = 2,
    opponents: Sequence[int] | None = None,
    opened: Sequence[bool] | None = None,
    pool: int | None = None,
    playing: str = "wait",
    seed: int | None = None,
    watch: Watch | None = None,
) -> Analysis[Move | None]:
    """The best candidates of a position by their chance to win the game, draws and passes among them, best first.

    players: at the table. opponents: how many tiles each other player holds, in the order of their turns; by default
    as many as were dealt, or what the pool leaves. opened: whether each of them has opened; by default if there is
    anything on the table. pool: tiles left to draw; by default all that is unseen and in no rack. Who the others are is
    not known: everybody plays on as `playing` says, wait or greedy. limit: nodes are playouts; seconds are looked at
    between batches of guesses. Without a limit each of the best lines is played in 64 guesses. seed: None is 0. watch:
    ends it with the batches before.

    Raises IllegalPosition, SolverError for a bad argument, UnsupportedRules for rules that the kernel does not take.
    """
    known = _solving(position, limit, lines)
    moment = _moment(position, players, opponents, opened, pool)
    if not isinstance(playing, str) or playing not in POLICIES:
        raise SolverError(f"playing: must be one of {', '.join(POLICIES)}, not {quote(playing)}")
    policy = POLICIES[playing]
    base = GREEDY if position.rules.must_play else WAITING
    key = stream_key(check_seed(0 if seed is None else seed), "rummikub", 0, f"win {position}")
    deadline = None if limit is None or limit.seconds is None else monotonic() + limit.seconds
    nodes = None if limit is None else limit.nodes
    candidates: list[_Candidate] = []
    spent = guesses = 0
    status = Status.COMPLETE
    wanted = GUESSES if deadline is None and nodes is None else None
    if len(moment.sizes) == 2 and not moment.pool:
        wanted = 1  # nothing is unseen but one rack, so all guesses are the same
    while wanted is None or guesses < wanted:
        batch = BATCH if wanted is None else min(BATCH, wanted - guesses)
        chosen = None if not candidates else [one.found for one in candidates]
        if candidates and nodes is not None:
            batch = min(batch, (nodes - spent) // len(candidates))
            if batch < 1:
                status = Status.NODES
                break
        if candidates and deadline is not None and monotonic() > deadline:
            status = Status.TIME
            break
        first_look = not candidates
        if first_look and nodes is not None:
            batch = 1  # how many candidates there are is not known yet
        plan: Plan = (batch, 0, MARGIN, WIN_WORTH, base, policy, policy)
        try:
            if watch is not None:
                watch()
            found = known.weigh(plan, moment, key, guesses, chosen, watch)
        except LimitReached as error:
            status = ended(error, watch)
            break
        if first_look:
            candidates = [_Candidate(weighed[0]) for weighed in found]
        for one, weighed in zip(candidates, found, strict=True):
            one.games += weighed[1]
            one.wins += weighed[2]
            one.win_squares += weighed[3]
            one.points += weighed[4]
            one.point_squares += weighed[5]
        spent += sum(weighed[1] for weighed in found)
        guesses += batch
        if guesses >= BATCH and len(candidates) > lines + FEW_LINES:
            candidates = _best(candidates)[: lines + FEW_LINES]
    ranked = _best(candidates)
    top = [_line(known, position, moment, one, ranked, key) for one in ranked[:lines]]
    return Analysis(list[Line["Move | None"]](top), status, spent, seed)


def _best(candidates: list[_Candidate]) -> list[_Candidate]:
    """By wins, then points; the stable order of equal ones is that of the kernel, the base first."""
    return sorted(candidates, key=_Candidate.key, reverse=True)


def _solving(position: Position, limit: Limit | None, lines: int) -> Searching:
    if not isinstance(position, Position):
        raise SolverError(f"position: must be a Position, not {quote(position)}")
    if limit is not None and not isinstance(limit, Limit):
        raise SolverError(f"limit: must be a Limit, not {quote(limit)}")
    if isinstance(lines, bool) or not isinstance(lines, int) or lines < 1:
        raise SolverError(f"lines: must be a positive whole number, not {quote(lines)}")
    problems = position.problems()
    if problems:
        raise IllegalPosition(problems)
    if not position.rack:
        raise SolverError("rack: is empty, the game is over")
    known = playouts_for(position.rules)
    if known is None:
        raise UnsupportedRules(f"objective: win does not take {why_not(position.rules)}")
    return known


def _moment(
    position: Position,
    players: int,
    opponents: Sequence[int] | None,
    opened: Sequence[bool] | None,
    pool: int | None,
) -> _Moment:
    """The position within a game; SolverError for numbers that do not fit."""
    rules = position.rules
    low, high = rules.players
    if isinstance(players, bool) or not isinstance(players, int) or not low <= players <= high:
        raise SolverError(f"players: must be from {low} to {high}, not {quote(players)}")
    unseen = unseen_tiles(position).total()
    if pool is not None and (isinstance(pool, bool) or not isinstance(pool, int) or not 0 <= pool < unseen):
        raise SolverError(f"pool: must be from 0 to {unseen - 1}, not {quote(pool)}")
    others = players - 1
    if opponents is None:
        held = unseen - pool if pool is not None else min(others * rules.rack_size, unseen)
        sizes = [held // others + (seat < held % others) for seat in range(others)]
    else:
        sizes = _listed("opponents", opponents)
        if len(sizes) != others or any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in sizes):
            raise SolverError(f"opponents: must be {others} numbers of tiles, not {quote(opponents)}")
    if any(size < 1 for size in sizes):
        raise SolverError(f"opponents: {unseen} unseen tiles are not enough for {others}")
    left = unseen - sum(sizes)
    if left < 0 or (pool is not None and pool != left):
        raise SolverError(f"opponents: {sum(sizes)} and pool {quote(pool)} are not the {unseen} unseen tiles")
    if opened is None:
        ready = [bool(position.table)] * others
    else:
        ready = _listed("opened", opened)
        if len(ready) != others or not all(isinstance(flag, bool) for flag in ready):
            raise SolverError(f"opened: must be {others} times True or False, not {quote(opened)}")
    return _Moment(
        position.rack,
        (len(position.rack), *sizes),
        position.table,
        (position.opened, *ready),
        left,
        players if left == 0 else -1,
    )


def _listed(name: str, value: object) -> list[Any]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise SolverError(f"{name}: must be one for each other player, not {quote(value)}")
    return list(value)


# ---------------------------------------------------------------------------------------------------------------------
# Lines
# ---------------------------------------------------------------------------------------------------------------------


def _estimate(total: float, squares: float, n: int, how: How = How.ROLLOUT) -> Estimate:
    mean = total / n
    if n <= SMALL_SAMPLE:
        return Estimate(mean, n, float("inf"), how)
    variance = max(squares / n - mean * mean, 0.0) * n / (n - 1)
    return Estimate(mean, n, sqrt(variance / n), how)


def _line(
    known: Searching, position: Position, moment: _Moment, one: _Candidate, ranked: list[_Candidate], key: int
) -> WinLine:
    tiles, table = ((), position.table) if one.found is None else one.found
    move = None if one.found is None else Move(tiles, table, rules=position.rules, before=position)
    rest = tuple((Counter(position.rack) - Counter(tiles)).elements())
    opened = position.opened or move is not None
    win = _estimate(one.wins, one.win_squares, one.games)
    return WinLine(
        move,
        win.mean,
        exact=False,
        tied=sum(other.key() == one.key() for other in ranked) > 1,
        only=len(ranked) == 1,
        win=win,
        points=_estimate(one.points, one.point_squares, one.games),
        playable=_playable(known, position, table, rest, opened),
        outs=_outs(known, position, table, rest, opened),
        offers=_offers(known, position, moment, table, key),
    )


def _playable(known: Searching, position: Position, table: Sequence[TileSet], rest: TileSet, opened: bool) -> TileSet:
    return tuple(
        tile
        for tile in dict.fromkeys(rest)
        if known.best(table, (tile,), opened) is not None
        and known.best(position.table, (tile,), position.opened) is None
    )


def _outs(known: Searching, position: Position, table: Sequence[TileSet], rest: TileSet, opened: bool) -> TileSet:
    """Unseen tiles with which the rest goes down at once; the kinds of them."""
    if not rest:
        return ()
    return tuple(
        tile for tile in unseen_tiles(position) if known.best(table, (*rest, tile), opened, go_out=True) is not None
    )


def _offers(known: Searching, position: Position, moment: _Moment, table: Sequence[TileSet], key: int) -> Estimate:
    """How many tiles more racks of the next player's size can lay; the same racks before and after."""
    unseen = list(unseen_tiles(position).elements())
    size = moment.sizes[1]
    differences = []
    if table == position.table:
        return Estimate(0.0, 0, 0.0, How.EXACT)
    for number in range(RACKS):
        first = number * len(unseen)
        order = sorted(range(len(unseen)), key=lambda at: (word(key, first + at), at))
        rack = [unseen[at] for at in order[:size]]
        differences.append(
            _most(known, table, rack, moment.opened[1]) - _most(known, position.table, rack, moment.opened[1])
        )
    return _estimate(sum(differences), sum(number * number for number in differences), RACKS)


def _most(known: Searching, table: Sequence[TileSet], rack: Sequence[Tile], opened: bool) -> int:
    found = known.best(table, rack, opened)
    return 0 if found is None else len(found[0])
