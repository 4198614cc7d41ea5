"""Matches: many games between players, fair and the same at every run.

Fair: each deal is played as often as there are seats, the players moving on by one seat, so that everybody has played
every seat of it. Such a rotation is the independent unit of all statistics: its games share a deal and are no samples
of their own. docs/matches.md tells more.

The same at every run: a game depends on (seed, deal, who sits where) alone, and games are counted in order, so neither
the number of workers nor how the work was divided changes a byte of the records or of the result.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from inspect import signature
from math import inf, log, sqrt
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, Self, TextIO

from . import __version__, plain
from .errors import ParseError, SolverError, quote
from .games import Game, Player, State, begin, load, play, steps
from .results import Estimate, How
from .streams import check_seed

MAX_GAMES: Final = 10**9
MAX_SERIES: Final = 10**6  # games, which are all kept
MAX_WORKERS: Final = 256
BATCH_SECONDS: Final = 0.5  # work that one worker is given at once; less makes the traffic dear, more makes Ctrl-C slow
MAX_BATCH: Final = 4096  # deals
GROWTH: Final = 4  # how much larger a batch may be than the one before it
IN_FLIGHT: Final = 2  # batches for each worker, so that none waits for the next
EXECUTOR_WORKERS: Final = 16  # of an executor whose caller does not say how many it has
BOLDEST: Final = 0.5  # share of its capital that a stop rule's test puts at risk in one unit, at most


@dataclass(frozen=True, slots=True)
class Stop:
    """A sequential stop rule on the first player's win share: as soon as it is shown to be above `low` or below `high`.

    If his true share is `low` or less, the match ends with "above" with a chance of at most alpha; if it is `high` or
    more, it ends with "below" with a chance of at most beta. This holds however often one looks and for any
    distribution of the units: each side is a test by betting, a nonnegative martingale that passes 1 / alpha with a
    chance of at most alpha (Ville 1939; Waudby-Smith and Ramdas, "Estimating means of bounded random variables by
    betting", 2024). For units of 0 or 1 it is near Wald's sequential probability ratio test of low against high.
    Raises SolverError unless 0 < low < high < 1 and alpha and beta lie between 0 and 1.
    """

    low: float
    high: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        for name in ("low", "high", "alpha", "beta"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1:
                raise SolverError(f"stop: {name} must lie between 0 and 1, not {quote(value)}")
        if not self.low < self.high:
            raise SolverError(f"stop: low must be less than high, not {quote(self.low)} and {quote(self.high)}")

    @classmethod
    def parse(cls, text: str) -> Stop:
        """Read `LOW,HIGH` or `LOW,HIGH,ALPHA,BETA`. Raises SolverError."""
        if not isinstance(text, str):
            raise SolverError(f"stop: must be text, not {quote(text)}")
        try:
            numbers = [float(part) for part in text.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) not in (2, 4):
            raise SolverError(f"stop: must be LOW,HIGH or LOW,HIGH,ALPHA,BETA, not {quote(text)}")
        return cls(*numbers)

    def to_dict(self) -> dict[str, float]:
        """Plain data for JSON."""
        return {"low": self.low, "high": self.high, "alpha": self.alpha, "beta": self.beta}

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`. Raises SolverError."""
        return cls(
            **plain.read(data, "stop", low=plain.number, high=plain.number, alpha=plain.number, beta=plain.number)
        )


class Watch:
    """The state of a stop rule: `add` takes the units in order and says when the match is decided."""

    def __init__(self, stop: Stop) -> None:
        self.stop = stop
        self.above = self.below = 0.0  # logarithms of the capital of the two tests
        self._count = 1
        self._mean = (stop.low + stop.high) / 2
        self._spread = self._mean * (1 - self._mean)  # sum of squares; one unit's worth is believed before the first

    def add(self, share: float) -> str | None:
        """Take one unit's win share, 0 to 1; gives "above" or "below" as soon as that is shown, else None."""
        low, high = self.stop.low, self.stop.high
        # The bet is fixed before the unit is seen; this one grows the capital fastest if the mean is at the other end.
        bet = (high - low) / (self._spread / self._count + (high - low) ** 2)
        self.above += log(1 + min(bet, BOLDEST / low) * (share - low))
        self.below += log(1 - min(bet, BOLDEST / (1 - high)) * (share - high))
        self._count += 1
        before = share - self._mean
        self._mean += before / self._count
        self._spread += before * (share - self._mean)
        if self.above >= -log(self.stop.alpha):
            return "above"
        return "below" if self.below >= -log(self.stop.beta) else None


@dataclass(frozen=True, slots=True)
class Played:
    """One game of a match.

    number: from 0. deal: the number of the deal. seats: for each seat the number of the player who sits there. returns
    and winners: by seat. line: its record as a JSON line, "" where no records are kept.
    """

    number: int
    deal: int
    seats: tuple[int, ...]
    returns: tuple[float, ...]
    winners: tuple[int, ...]
    line: str = ""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What a match found.

    games: how many were counted, whole rotations only. ended: "complete", "above" or "below" (by the stop rule) or
    "interrupted". wins: for each player his win share, a win shared by k players being 1 / k. points: for each player
    the mean points a game. Both are estimates with the rotations as samples. seat_wins: for each seat its win share.
    """

    game: str
    rules: str
    options: Mapping[str, Any]
    players: tuple[str, ...]
    seed: int
    games: int
    ended: str
    wins: tuple[Estimate, ...]
    points: tuple[Estimate, ...]
    seat_wins: tuple[float, ...]
    stop: Stop | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "game": self.game,
            "rules": self.rules,
            "options": dict(self.options),
            "seed": self.seed,
            "games": self.games,
            "ended": self.ended,
            "stop": self.stop and self.stop.to_dict(),
            "players": [
                {"player": name, "wins": wins.to_dict(), "points": points.to_dict()}
                for name, wins, points in zip(self.players, self.wins, self.points, strict=True)
            ],
            "seat_wins": list(self.seat_wins),
        }

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`. Raises ParseError."""
        estimate = Estimate.from_dict
        found = plain.read(
            data,
            "match",
            game=plain.text,
            rules=plain.text,
            options=_as_options,
            seed=plain.whole,
            games=plain.whole,
            ended=plain.text,
            stop=plain.maybe(Stop.from_dict),
            players=plain.each(
                lambda player: plain.read(player, "player", player=plain.text, wins=estimate, points=estimate)
            ),
            seat_wins=plain.each(plain.number),
        )
        rows = found["players"]
        for column, name in (("player", "players"), ("wins", "wins"), ("points", "points")):
            found[name] = tuple(row[column] for row in rows)
        return cls(**found)

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The table: a head and a row for each player."""
        rows: list[tuple[str, ...]] = [("player", "win share", "95%", "points", "95%")]
        for name, wins, points in zip(self.players, self.wins, self.points, strict=True):
            rows.append((name, f"{wins.mean:.4f}", _range(wins, 4, 0.0, 1.0), f"{points.mean:.2f}", _range(points, 2)))
        return rows

    @property
    def title(self) -> str:
        """One line on what was played."""
        return f"{_played(self)}, {_games(self.games)}, {self.ended}"

    def table(self) -> str:
        """Title and rows as text."""
        return "\n".join([self.title, *_aligned(self.rows)])


def _as_options(value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise ParseError(f"must be a mapping, not {quote(value)}")
    return dict(value)


def _played(found: MatchResult | Series) -> str:
    options = "".join(f", {name}={value}" for name, value in sorted(found.options.items()))
    return f"{found.game} {found.rules}{options}, seed {found.seed}"


def _games(number: int) -> str:
    return "1 game" if number == 1 else f"{number} games"


def _range(estimate: Estimate, digits: int, least: float = -inf, most: float = inf) -> str:
    """The 95% interval as text, without what lies beyond the least and the most that can be."""
    if estimate.se == inf:
        return "-"
    low, high = max(least, estimate.ci95[0]), min(most, estimate.ci95[1])
    return f"{low:.{digits}f} to {high:.{digits}f}"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]


@dataclass(frozen=True, slots=True)
class Series:
    """Games in a row whose points add up, as on a sheet of Rummikub.

    totals: after each game the running total of each player. leaders: the players with the highest total at the end.
    """

    game: str
    rules: str
    options: Mapping[str, Any]
    players: tuple[str, ...]
    seed: int
    games: tuple[Played, ...]
    totals: tuple[tuple[float, ...], ...]

    @property
    def leaders(self) -> tuple[int, ...]:
        """The players with the highest total."""
        return tuple(at for at, total in enumerate(self.totals[-1]) if total == max(self.totals[-1]))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "game": self.game,
            "rules": self.rules,
            "options": dict(self.options),
            "seed": self.seed,
            "players": list(self.players),
            "points": [list(_by_player(game)[1]) for game in self.games],
            "totals": [list(totals) for totals in self.totals],
            "leaders": list(self.leaders),
        }

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The sheet: a head and a row for each game, points and running total of each player."""
        rows: list[tuple[str, ...]] = [("game", *self.players)]
        for number, (game, totals) in enumerate(zip(self.games, self.totals, strict=True), 1):
            points = _by_player(game)[1]
            rows.append((str(number), *(f"{won:+g} = {total:g}" for won, total in zip(points, totals, strict=True))))
        return rows

    @property
    def title(self) -> str:
        """One line on what was played."""
        return f"{_played(self)}, series of {_games(len(self.games))}"

    def table(self) -> str:
        """Title and rows as text."""
        return "\n".join([self.title, *_aligned(self.rows)])


def _by_player(game: Played) -> tuple[list[float], list[float]]:
    """(Win shares, points) of the players of one game."""
    wins, points = [0.0] * len(game.seats), [0.0] * len(game.seats)
    for seat, player in enumerate(game.seats):
        wins[player] = (seat in game.winners) / len(game.winners)
        points[player] = game.returns[seat]
    return wins, points


@dataclass(frozen=True, slots=True)
class Setting:
    """What is played, in a form that goes to other processes.

    players: their texts or the players themselves. lines: records are wanted.
    """

    game: str | Game
    players: tuple[str | Player, ...]
    rules: str | None
    options: Mapping[str, Any]
    seed: int
    lines: bool

    def made(self) -> tuple[Game, list[Player]]:
        """The game and its players. Raises SolverError for what is not known."""
        game = load(self.game) if isinstance(self.game, str) else self.game
        return game, [game.player(game.levels.get(one, one)) if isinstance(one, str) else one for one in self.players]


def play_deals(setting: Setting, first: int, count: int) -> tuple[list[Played], float]:
    """(All games of deals first to first + count - 1 in order, seconds that they took)."""
    begun = time.perf_counter()
    game, players = setting.made()
    found = [one for turn in range(len(players)) for one in _turned(setting, game, players, turn, first, count)]
    return sorted(found, key=lambda one: one.number), time.perf_counter() - begun


def _turned(setting: Setting, game: Game, players: list[Player], turn: int, first: int, count: int) -> Iterator[Played]:
    """The games of these deals in which every player has moved on by `turn` seats."""
    seats = len(players)
    state = begin(game, setting.rules, seats, setting.options)
    sitting = tuple((seat + turn) % seats for seat in range(seats))
    seated = [players[player] for player in sitting]
    # A player made from a text is the game's own and keeps its rules; a caller's may not.
    check = not all(isinstance(one, str) for one in setting.players)
    fast = None if setting.lines or check else _fast(game, state, seated, setting, first, count)
    for deal in range(first, first + count):
        number = deal * seats + turn
        if fast is not None:
            returns, winners = fast[deal - first]
            yield Played(number, deal, sitting, tuple(map(float, returns)), tuple(winners))
        elif not setting.lines:
            ((last, _),) = deque(steps(state, seated, setting.seed, deal, check), maxlen=1)
            yield Played(number, deal, sitting, tuple(map(float, last.returns())), tuple(last.winners()))
        else:
            record = play(state, seated, setting.seed, deal, check, setting.options)
            line = json.dumps({"number": number, "seats": sitting, **record.to_dict()}, separators=(",", ":"))
            yield Played(number, deal, sitting, record.returns, record.winners, line)


def _fast(
    game: Game, state: State, seated: list[Player], setting: Setting, first: int, count: int
) -> Sequence[tuple[tuple[float, ...], tuple[int, ...]]] | None:
    """(Returns, winners) of the games by the game's own fast loop, None where it has none for these players."""
    if game.play_many is None:
        return None
    takes = signature(game.play_many).parameters
    if not all(name in takes for name in setting.options):
        return None
    return game.play_many(state.rules, seated, setting.seed, first, count, **setting.options)


def match(
    game: str | Game,
    players: Sequence[str | Player],
    *,
    games: int,
    seed: int = 0,
    rules: object = None,
    options: Mapping[str, Any] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    records: str | Path | None = None,
    stop: Stop | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> MatchResult:
    """Play a match; as many seats as players.

    game: a name of games.NAMES, or a Game. players: texts (also names of the game's levels) or Player objects, which
    with workers must be picklable. games: at most how many; a multiple of the seats. rules: the game's Rules or their
    text, None for its default. options: of the game's `start`. workers: processes, 1 plays here; with an executor how
    many workers it has. records: a file for the games as JSON lines; the configuration is saved beside it
    (`config_path`). stop: ends the match early. progress: called with (games played, games).

    Ctrl-C ends the match with the rotations that were finished; KeyboardInterrupt is raised only where none was.
    Raises SolverError before any game for what cannot be played, OSError for files that cannot be written.
    """
    setting, names, rules_text = _prepared(game, players, seed, rules, options, records is not None)
    seats = len(names)
    _check_count("games", games, MAX_GAMES)
    if workers is None:
        workers = 1 if executor is None else EXECUTOR_WORKERS
    _check_count("workers", workers, MAX_WORKERS)
    if games % seats:
        raise SolverError(f"games: must be a multiple of the {seats} seats, not {games}")
    if stop is not None and not isinstance(stop, Stop):
        raise SolverError(f"stop: must be a Stop, not {quote(stop)}")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise SolverError(f"executor: must be a concurrent.futures.Executor, not {quote(executor)}")
    if progress is not None and not callable(progress):
        raise SolverError(f"progress: must be callable, not {quote(progress)}")
    if records is not None and (not isinstance(records, (str, Path)) or "\0" in str(records)):
        raise SolverError(f"records: must be a path, not {quote(records)}")
    title = game if isinstance(game, str) else game.name
    config = {
        "game": title,
        "rules": rules_text,
        "options": dict(setting.options),
        "players": list(names),
        "seed": seed,
        "games": games,
        "stop": stop and stop.to_dict(),
        "version": __version__,
    }
    totals = _Totals(seats)
    watch = None if stop is None else Watch(stop)
    ended = "complete"
    with ExitStack() as stack:
        file: TextIO | None = None
        if records is not None:
            file = stack.enter_context(open(records, "w", encoding="utf-8", newline="\n"))
            config_path(records).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
        try:
            for rotation in stack.enter_context(closing(_rotations(setting, games // seats, workers, executor))):
                share = totals.add(rotation)
                if file is not None:
                    file.writelines(f"{one.line}\n" for one in rotation)
                if progress is not None:
                    progress(totals.count * seats, games)
                if watch is not None and (verdict := watch.add(share)) is not None:
                    ended = verdict
                    break
        except KeyboardInterrupt:
            if not totals.count:
                raise
            ended = "interrupted"
    return MatchResult(
        game=title,
        rules=rules_text,
        options=dict(setting.options),
        players=names,
        seed=seed,
        games=totals.count * seats,
        ended=ended,
        wins=totals.estimates(totals.wins),
        points=totals.estimates(totals.points),
        seat_wins=tuple(won / (totals.count * seats) for won in totals.seat_wins),
        stop=stop,
    )


def series(
    game: str | Game,
    players: Sequence[str | Player],
    *,
    games: int,
    seed: int = 0,
    rules: object = None,
    options: Mapping[str, Any] | None = None,
) -> Series:
    """Play games in a row whose points add up: game k has deal k, and the seats move on by one from game to game.

    Arguments and errors are those of `match`. A series is a way to play; to compare players, `match` is fairer.
    """
    setting, names, rules_text = _prepared(game, players, seed, rules, options, lines=False)
    _check_count("games", games, MAX_SERIES)
    found: list[Played] = []
    totals: list[tuple[float, ...]] = []
    sums = [0.0] * len(names)
    known, made = setting.made()
    for deal in range(games):
        (played,) = _turned(setting, known, made, deal % len(names), deal, 1)
        sums = [total + won for total, won in zip(sums, _by_player(played)[1], strict=True)]
        found.append(played)
        totals.append(tuple(sums))
    title = game if isinstance(game, str) else game.name
    return Series(title, rules_text, dict(setting.options), names, seed, tuple(found), tuple(totals))


def config_path(records: str | Path) -> Path:
    """Where the configuration of a match with this file of records is saved: `games.jsonl`, `games.config.json`."""
    return Path(records).with_suffix(".config.json")


def _check_count(what: str, value: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise SolverError(f"{what}: must be a whole number from 1 to {most}, not {quote(value)}")


def _prepared(
    game: str | Game,
    players: Sequence[str | Player],
    seed: int,
    rules: object,
    options: Mapping[str, Any] | None,
    lines: bool,
) -> tuple[Setting, tuple[str, ...], str]:
    """(Setting, canonical names of the players, canonical rules); SolverError for what cannot be played."""
    check_seed(seed)
    if not isinstance(game, (str, Game)):
        raise SolverError(f"game: must be a name or a Game, not {quote(game)}")
    if isinstance(players, (str, bytes)) or not isinstance(players, Sequence) or not players:
        raise SolverError(f"players: must be one for each seat, not {quote(players)}")
    for one in players:
        if not isinstance(one, str) and not (hasattr(one, "name") and callable(getattr(one, "choose", None))):
            raise SolverError(f"players: must be texts, or objects with name and choose, not {quote(one)}")
    if options is not None and not isinstance(options, Mapping):
        raise SolverError(f"options: must be a mapping, not {quote(options)}")
    try:
        json.dumps(options, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise SolverError(f"options: must be plain data, as JSON can hold it, not {quote(options)}") from None
    text = None if rules is None else str(rules)
    setting = Setting(game, tuple(players), text, dict(options or {}), seed, lines)
    known, made = setting.made()
    state = begin(known, text, len(made), setting.options)
    names = tuple(one.name for one in made)
    for name in names:
        if not isinstance(name, str) or not name or not name.isprintable() or name != name.strip():
            raise SolverError(f"players: a name must be a text of one line, no blanks around it, not {quote(name)}")
    return setting, names, str(state.rules)


class _Totals:
    """Sums over rotations: for each player of his win share and of his points, and of their squares."""

    def __init__(self, seats: int) -> None:
        self.count = 0
        self.wins = [_Sum() for _ in range(seats)]
        self.points = [_Sum() for _ in range(seats)]
        self.seat_wins = [0.0] * seats

    def add(self, rotation: Sequence[Played]) -> float:
        """Take one rotation; gives the first player's win share in it."""
        self.count += 1
        by_player = [_by_player(one) for one in rotation]
        for player in range(len(self.wins)):
            self.wins[player].add(sum(wins[player] for wins, _ in by_player) / len(rotation))
            self.points[player].add(sum(points[player] for _, points in by_player) / len(rotation))
        for one in rotation:
            for seat in one.winners:
                self.seat_wins[seat] += 1 / len(one.winners)
        return self.wins[0].last

    def estimates(self, sums: Sequence[_Sum]) -> tuple[Estimate, ...]:
        """The means with the rotations as samples."""
        return tuple(Estimate(one.mean, one.count, one.se, How.ROLLOUT) for one in sums)


class _Sum:
    """Mean and variance of numbers that come one by one (Welford's method)."""

    def __init__(self) -> None:
        self.count = 0
        self.mean = self.last = 0.0
        self._spread = 0.0

    def add(self, value: float) -> None:
        self.count += 1
        self.last = value
        before = value - self.mean
        self.mean += before / self.count
        self._spread += before * (value - self.mean)

    @property
    def se(self) -> float:
        """Standard error of the mean; infinite for a single number."""
        return sqrt(self._spread / (self.count - 1) / self.count) if self.count > 1 else inf


class _Here(Executor):
    """Does at once what is submitted: one worker, no process."""

    def submit(self, work: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(work(*given, **named))
        return done


def _rotations(
    setting: Setting, deals: int, workers: int, executor: Executor | None
) -> Generator[list[Played], None, None]:
    """The games of each deal, in order, played by whatever workers there are."""
    seats = len(setting.players)
    with ExitStack() as stack, ExitStack() as early:
        in_flight = workers * IN_FLIGHT
        if executor is None and workers == 1:
            executor, in_flight = _Here(), 1
        elif executor is None:
            # Spawned, not forked: the same on every system, and safe where the caller has threads.
            spawning = multiprocessing.get_context("spawn")
            lifeline, held = spawning.Pipe(duplex=False)
            stack.callback(lifeline.close)
            stack.callback(held.close)
            executor = stack.enter_context(ProcessPoolExecutor(min(workers, deals), spawning, _hold_to, (lifeline,)))
            # What still runs when the match is left early is not waited for.
            early.callback(held.close)
        pending: deque[Future[tuple[list[Played], float]]] = deque()
        size, begun = 1, 0
        try:
            while begun < deals or pending:
                while begun < deals and len(pending) < in_flight:
                    count = min(size, -(-(deals - begun) // in_flight))
                    pending.append(executor.submit(play_deals, setting, begun, count))
                    begun += count
                games, seconds = pending.popleft().result()
                done = len(games) // seats
                size = max(1, min(MAX_BATCH, GROWTH * done, int(done * BATCH_SECONDS / max(seconds, 1e-9))))
                for first in range(0, len(games), seats):
                    yield games[first : first + seats]
            early.pop_all()
        except BrokenProcessPool:
            raise SolverError(
                "workers: a worker process died; a script that uses workers must start its work below"
                ' `if __name__ == "__main__":`'
            ) from None
        finally:
            for future in pending:
                future.cancel()


def _hold_to(lifeline: Connection) -> None:
    """A worker ends at once, whatever it plays, when nobody waits for it: the match is over or its process is gone.

    Ctrl-C in the terminal goes to all processes; a worker just ends, the match tells what was finished.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()


def _end_with(lifeline: Connection) -> None:
    with suppress(EOFError, OSError):
        lifeline.recv_bytes()
    os._exit(1)
