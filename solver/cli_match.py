"""The shell's part for whole games: `solver match`, `solver players`, `solver replay`.

Plain forms on standard output:
    match     one line on what was played and a table; with --series the sheet of a series
    players   name, tab, what the player does; `level NAME`, tab, the player
    replay    for each record the number of its line, a tab and `ok` or what is wrong; with --states each state as JSON
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, Final, Protocol

from .errors import SolverError, quote

# The games, numpy and processes are imported by the commands that need them, so that the others start fast.

DEFAULT_GAMES: Final = 100  # or a few more, so that everybody sits everywhere on each deal


class Writer(Protocol):
    """Where answers go; see cli.Output."""

    def lines(self, data: dict[str, Any], lines: list[str]) -> None:
        """One answer, as data and as plain lines."""

    def error(self, number: int | None, message: str) -> None:
        """What is wrong with the call as a whole (None) or with a line."""


def add_commands(commands: Any, names: Sequence[str], whole: Callable[[str], int]) -> None:
    """Add the commands to the shell's. names: of the games. whole: reads a positive whole number."""
    parser = _command(commands, "match", _match, "Whole games between players, fair and reproducible.")
    parser.add_argument("game", metavar="GAME", choices=names, help=", ".join(names))
    parser.add_argument("players", metavar="PLAYER", nargs="+", help="one for each seat; see `solver players GAME`")
    parser.add_argument("--games", type=whole, help=f"a multiple of the seats; default: {DEFAULT_GAMES} or a few more")
    parser.add_argument("--seed", type=int, default=0, help="of the deals and of all that is random; default: 0")
    parser.add_argument("--rules", metavar="TEXT", help="PRESET[+FIELD=VALUE...]; for Setup needed: default+finish=60")
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="of the game, may be given again: sheet=SHEET or sheet=expedition (Trek 12), seats=NE (Setup)",
    )
    parser.add_argument("--workers", type=whole, default=1, help="processes; they change no result; default: 1")
    parser.add_argument(
        "--records", metavar="FILE", help="write the games as JSON lines, the configuration beside them"
    )
    parser.add_argument(
        "--stop",
        metavar="LOW,HIGH[,ALPHA,BETA]",
        help="end when the first player's win share is shown to be above LOW or below HIGH; error rates: 0.05",
    )
    parser.add_argument("--series", action="store_true", help="one series of games whose points add up")
    parser = _command(commands, "players", _players, "The players and levels of a game.")
    parser.add_argument("game", metavar="GAME", choices=names, help=", ".join(names))
    parser = _command(commands, "replay", _replay, "Check every event of recorded games.")
    parser.add_argument("file", metavar="FILE", help="records as text or JSON lines; - for standard input")
    parser.add_argument("--states", action="store_true", help="print every state as JSON")


def _command(commands: Any, name: str, run: Callable[..., int], about: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=about, description=about)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.set_defaults(error=parser.error, usage=parser.format_usage, run=run)
    return parser


def _match(options: argparse.Namespace, output: Writer) -> int:
    from .match import Stop, match, series

    seats = len(options.players)
    games = options.games or -(-DEFAULT_GAMES // seats) * seats
    if options.series:
        for name, default in (("records", None), ("stop", None), ("workers", 1)):
            if getattr(options, name) != default:
                raise SolverError(f"{name}: a series has none")
        sheet = series(
            options.game,
            options.players,
            games=games,
            seed=options.seed,
            rules=options.rules,
            options=_options(options.option),
        )
        output.lines(sheet.to_dict(), sheet.table().splitlines())
        return 0
    with _progress(games) as progress:
        found = match(
            options.game,
            options.players,
            games=games,
            seed=options.seed,
            rules=options.rules,
            options=_options(options.option),
            workers=options.workers,
            records=options.records,
            stop=None if options.stop is None else Stop.parse(options.stop),
            progress=progress,
        )
    output.lines(found.to_dict(), found.table().splitlines())
    if found.ended == "interrupted":
        raise KeyboardInterrupt
    return 0


def _options(texts: list[str]) -> dict[str, Any]:
    """NAME=VALUE as a mapping; a value that is no JSON is a text."""
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or name in found:
            raise SolverError(f"option: must be NAME=VALUE, each name once, not {text!a}")
        try:
            found[name] = json.loads(value)
        except (ValueError, RecursionError):
            found[name] = value
    return found


@contextmanager
def _progress(games: int) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on standard error, where that is a terminal and rich is there."""
    if not sys.stderr.isatty():
        yield None
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
    except ImportError:
        yield None
        return
    with Progress(
        BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task("games", total=games)
        yield lambda done, _: bar.update(task, completed=done)


def _players(options: argparse.Namespace, output: Writer) -> int:
    from .games import load

    game = load(options.game)
    data = {"game": game.name, "players": dict(game.descriptions), "levels": dict(game.levels)}
    lines = [f"{name}\t{about}" for name, about in game.descriptions.items()]
    output.lines(data, lines + [f"level {name}\t{player}" for name, player in game.levels.items()])
    return 0


def named(name: str) -> str:
    """How a message names a file."""
    return "standard input" if name == "-" else name


def opened(name: str) -> Any:
    """A context with the file's text; bytes that are no UTF-8 become replacement characters.

    Raises SolverError for what cannot be read.
    """
    if name == "-":
        if sys.stdin is None:
            raise SolverError("file: standard input is closed")
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(encoding="utf-8-sig", errors="replace")
        return nullcontext(sys.stdin)
    try:
        return open(name, encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise SolverError(f"file: {quote(name)}: {error.strerror}") from None


def _replay(options: argparse.Namespace, output: Writer) -> int:
    from .records import read_records, replay

    status = 0
    number = None
    with opened(options.file) as file:
        for number, record in read_records(file):
            try:
                states = replay(record)
            except SolverError as error:
                status = 1
                output.lines({"line": number, "ok": False, "problem": str(error)}, [f"{number}\t{error}"])
                continue
            data: dict[str, Any] = {"line": number, "ok": True}
            lines = [f"{number}\tok"]
            if options.states:
                data["states"] = [state.to_dict() for state in states]
                lines += [json.dumps(state) for state in data["states"]]
            output.lines(data, lines)
    if number is None:
        raise SolverError(f"record: {named(options.file)} holds none")
    return status


def run(options: argparse.Namespace, output: Writer) -> int:
    """Run one of the commands; gives the exit status."""
    try:
        status: int = options.run(options, output)
    except BrokenPipeError:
        raise  # no input was bad; cli.main ends quietly
    except (SolverError, OSError) as error:
        output.error(None, str(error))
        return 2
    return status
