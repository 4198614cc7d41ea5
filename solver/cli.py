"""The shell: `solver GAME COMMAND`, text in and text out; for whole games see cli_match.py.

Nothing here knows how a game is played: a game is an entry of GAMES (cli_games.py, with the commands that only it has),
and the common commands use the protocol that every game keeps (Position, Move, Rules, Solver, verify, render_text,
render_svg).

Output is plain and the same at every run, except where standard output is a terminal: there rich makes it pretty.
Plain forms, one line for each answer; with --file each begins with the number of its line and a tab:
    best          the move's text, or `none`
    moves         value, tab, the move's text; or `none`
    analyse       value, tab, the move's text, tab, what there is to say of it; or `none`
    legal_moves   the move's text; or `none`
    count_moves   the number
    verify        `legal`, or one problem a line
    render        the picture, over as many lines as it needs
--json: one object a line. Exit status: 0 answered, 1 no move or not legal, 2 bad input (the greatest of all lines),
130 after Ctrl-C, 141 when the reader of the output has gone.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, Final, NoReturn, TextIO

from . import __version__, cli_match
from .cli_answers import (
    ANSWERED,
    BAD_INPUT,
    INTERRUPTED,
    MOVE,
    NONE_OR_ILLEGAL,
    POSITION,
    READER_GONE,
    Answer,
    Command,
    Game,
    Row,
    Session,
    number,
    tabbed,
    timed,
    whole,
)
from .cli_games import COUNT, GAMES, SECONDS, SEED
from .errors import LimitReached, SolverError, meant
from .limits import Status

MAX_LINE: Final = 1 << 20  # characters of one line of a file
DEFAULT_MOVES: Final = 5
EMPTY_TABLE: Final = re.compile(r"-\s*\|")
CHOICE: Final = re.compile(r"invalid choice: '?(.*?)'? \(choose from (.*)\)")
SEARCHES: Final = ("best", "moves", "analyse")


def best(session: Session, text: str) -> Answer:
    """The best move, proven where the objective can be, or the proof that there is none."""
    objective = session.options.objective
    position = session.position(text)
    solver = session.solver(position)
    measure = session.game.worth
    exact = True
    if measure is not None:
        move, milliseconds = timed(lambda: solver.best_move(position, **session.asked, limit=session.limit))
        worth = None if move is None else measure(position, move, objective)
    else:
        lines, milliseconds = timed(lambda: solver.best_moves(position, n=1, **session.asked, limit=session.limit))
        move, worth, exact = (lines[0].move, lines[0].value, lines[0].exact) if lines else (None, None, True)
    data = {
        "position": str(position),
        **session.aim,
        "move": None if move is None else move.to_dict(),
        "value": worth,
        "exact": exact,
        "ms": milliseconds,
    }
    line = "none" if move is None else str(move)
    rows: list[Row] = [("", ""), ("move", line)]
    if worth is not None:
        rows.append(("worth", f"{number(worth)} ({objective})"))
    rows += [("proven", "yes" if exact else "no"), ("search", f"{milliseconds:g} ms")]
    picture = session.picture(position, move)
    return Answer(data, [line], NONE_OR_ILLEGAL if move is None else ANSWERED, picture=picture, rows=rows)


def moves(session: Session, text: str) -> Answer:
    """The best moves, best first."""
    options = session.options
    objective = options.objective
    position = session.position(text)
    solver = session.solver(position)
    found, milliseconds = timed(lambda: solver.best_moves(position, n=options.n, **session.asked, limit=session.limit))
    data = {
        "position": str(position),
        **session.aim,
        "moves": [line.to_dict() for line in found],
        "ms": milliseconds,
    }
    rows: list[Row] = [(objective, "move", "proven", "tied")]
    rows += [
        (f"{number(line.value)}", str(line.move), "yes" if line.exact else "no", "yes" if line.tied else "no")
        for line in found
    ]
    picture = session.picture(position)
    lines = [f"{number(line.value)}\t{line.move}" for line in found] or ["none"]
    return Answer(data, lines, ANSWERED if found else NONE_OR_ILLEGAL, picture=picture, rows=rows)


def analyse(session: Session, text: str) -> Answer:
    """The best moves with what is to be said of each."""
    options = session.options
    details = session.game.details
    position = session.position(text)
    solver = session.solver(position)
    found, milliseconds = timed(
        lambda: solver.analyse(position, session.limit, lines=options.n, seed=options.seed, **session.asked)
    )
    if not found.lines and found.status in (Status.TIME, Status.NODES) and session.game.summary is None:
        raise LimitReached(f"{found.status}: the limit came before there was anything to say")
    data = {"position": str(position), **session.aim, **found.to_dict(), "ms": milliseconds}
    rows: list[Row] = [(options.objective, "move", "details")]
    rows += [(f"{number(line.value)}", _what(line.move), details(line)) for line in found.lines]
    if session.game.summary is not None:
        rows += session.game.summary(found)
    lines = tabbed(rows[1:]) or ["none"]
    picture = session.picture(position)
    return Answer(
        data, lines, ANSWERED if found.lines or len(rows) > 1 else NONE_OR_ILLEGAL, picture=picture, rows=rows
    )


def _what(move: Any) -> str:
    return "draw" if move is None else str(move)


def verify(session: Session, text: str) -> Answer:
    """Whether a move is legal, and everything that is wrong with it."""
    position, move = session.position_and_move(text)
    problems = session.game.api.verify(position, move)
    data = {"position": str(position), "move": move.to_dict(), "legal": not problems, "problems": problems}
    return Answer(data, problems or ["legal"], NONE_OR_ILLEGAL if problems else ANSWERED)


def render(session: Session, text: str) -> Answer:
    """The position as a picture, or the position after a move; what is not legal in it is listed below."""
    api, pictures = session.game.api, session.game.pictures
    position = session.position(text)
    move = None
    problems = position.problems()
    if session.options.move is not None:
        move = api.Move.parse(session.options.move, position.rules)
        problems = problems or api.verify(position, move)
    draw = partial(pictures.render_svg if session.options.svg else pictures.render_text, position, move)
    data = {
        "position": str(position),
        "move": move and move.to_dict(),
        "svg" if session.options.svg else "text": draw(),
        "problems": problems,
    }
    status = NONE_OR_ILLEGAL if problems else ANSWERED
    if session.options.svg:
        return Answer(data, [draw()], status, block=True)
    rows: list[Row] = [("",), *((f"not legal: {problem}",) for problem in problems)]
    lines = [draw(), *(text for (text,) in rows[1:])]
    return Answer(data, lines, status, block=True, picture=partial(draw, color=True), rows=rows)


def legal_moves(session: Session, text: str) -> Iterator[Answer]:
    """Every legal move."""
    position = session.position(text)
    found = None
    for found in session.solver(position).legal_moves(position):
        yield Answer({"position": str(position), "move": found.to_dict()}, [str(found)])
    if found is None:
        yield Answer({"position": str(position), "move": None}, ["none"], NONE_OR_ILLEGAL)


def count_moves(session: Session, text: str) -> Answer:
    """How many legal moves there are."""
    position = session.position(text)
    found, milliseconds = timed(lambda: session.solver(position).count_moves(position))
    data = {"position": str(position), "count": found, "ms": milliseconds}
    return Answer(data, [str(found)], ANSWERED if found else NONE_OR_ILLEGAL)


COMMANDS: Final = (
    Command("best", best, options=(SECONDS,)),
    Command("moves", moves, options=(SECONDS,)),
    Command("analyse", analyse, options=(SEED, SECONDS)),
    Command("legal_moves", legal_moves),
    Command("count_moves", count_moves),
    Command("verify", verify, (POSITION, MOVE)),
    Command("render", render),
)


class Output:
    """Where answers go: JSON, plain lines, or a terminal."""

    def __init__(self, as_json: bool, numbered: bool, stream: TextIO) -> None:
        self._json = as_json
        self._numbered = numbered
        self._stream = stream
        self._console = None if as_json or not stream.isatty() else _console(stream)

    def answer(self, number: int, answer: Answer) -> None:
        """Write the answer to the position of line `number`."""
        if self._json:
            self._write(json.dumps({"line": number, **answer.data}))
        elif self._console is not None and answer.picture is not None:
            _show(self._console, f"line {number}" if self._numbered else "", answer)
        else:
            prefix = f"{number}\t" if self._numbered and not answer.block else ""
            if self._numbered and answer.block:
                self._write(f"line {number}")
            for line in answer.lines:
                self._write(prefix + line)

    def lines(self, data: dict[str, Any], lines: list[str]) -> None:
        """Write what is no answer to a position: the data or the lines."""
        for line in [json.dumps(data)] if self._json else lines:
            self._write(line)

    def error(self, number: int | None, message: str) -> None:
        """Write what is wrong with line `number`, or with the call as a whole."""
        if self._json:
            self._write(json.dumps({"line": number, "error": message}))
        else:
            where = f"line {number}" if self._numbered and number is not None else "error"
            print(f"{where}: {message}", file=sys.stderr)

    def _write(self, line: str) -> None:
        # Flushed, so that a program that feeds positions line by line reads each answer at once.
        print(line, file=self._stream, flush=self._numbered)


def _console(stream: TextIO) -> Any:
    """A rich console, or None where rich is not installed."""
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(file=stream, highlight=False)


def _show(console: Any, heading: str, answer: Answer) -> None:
    from rich.table import Table
    from rich.text import Text

    if heading:
        console.rule(heading)
    if answer.picture is not None:
        console.print(Text.from_ansi(answer.picture()), no_wrap=True, overflow="ignore", crop=False)
    if len(answer.rows) > 1:
        head, *rows = answer.rows
        table = Table(*head, show_header=any(head), box=None, padding=(0, 2, 0, 0))
        for row in rows:
            table.add_row(*map(Text, row))
        console.print(table)


def read_lines(stream: TextIO) -> Iterator[tuple[int, str]]:
    """(Number from 1, text) of each line that holds something; a line of more than MAX_LINE characters is cut there.

    Blank lines and lines that start with `#` are left out but counted.
    """
    number = 0
    while line := stream.readline(MAX_LINE):
        number += 1
        rest = line
        while not rest.endswith("\n") and (rest := stream.readline(MAX_LINE)):
            pass
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line.strip("\r\n")


class Parser(argparse.ArgumentParser):
    """Says what may have been meant where a word is none of those that there are."""

    as_json = False

    def error(self, message: str) -> NoReturn:
        """Leave with the usage and the message, or with what --json says."""
        wrong = CHOICE.search(message)
        words = re.findall(r"[^\s',]+", wrong[2]) if wrong else ()
        message += meant(wrong[1], words) if wrong else ""
        if self.as_json:
            self.exit(BAD_INPUT, json.dumps({"line": None, "error": message}) + "\n")
        super().error(message)


class JsonParser(Parser):
    """A parser of calls with --json."""

    as_json = True


def _parser(kind: type[Parser]) -> argparse.ArgumentParser:
    parser = kind(prog="solver", description="Best moves and analysis for tabletop games, and whole games of them.")
    parser.add_argument("--version", action="version", version=f"solver {__version__}")
    games = parser.add_subparsers(dest="game", metavar="GAME", required=True)
    for game in GAMES:
        about = f"{game.title}: best moves, analysis, and what else there is to ask of a position."
        commands = games.add_parser(game.name, help=about, description=about).add_subparsers(
            dest="command", metavar="COMMAND", required=True
        )
        for command in (*COMMANDS, *game.commands):
            _add_command(commands, game, command)
    cli_match.add_commands(games, [game.name for game in GAMES], whole)
    return parser


def _add_command(commands: Any, game: Game, command: Command) -> None:
    name = command.name
    parser = commands.add_parser(name, help=command.about, description=command.about)
    parser.set_defaults(error=parser.error, usage=parser.format_usage, run=None, asked=command, file=None)
    for what in command.takes:
        parser.add_argument(what.lower(), nargs="?", metavar=what, help=game.form(what))
    if command.takes:
        many = "one line for each" if len(command.takes) == 1 else "one line for each, divided by tabs"
        about = (
            f"{' and '.join(command.takes)} from a file, {many}; - for standard input; lines like '# ...' are comments"
        )
        parser.add_argument("--file", metavar="FILE", help=about)
    if command.ruled:
        about = "PRESET[+FIELD=VALUE...]"
        about += ": rules of positions that name none" if POSITION in command.takes else ": the rules"
        parser.add_argument("--rules", metavar="TEXT", help=about)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    if name in SEARCHES:
        usual = game.analysed if name == "analyse" else game.objectives[0]
        choices = (*game.objectives, *game.estimated) if name == "analyse" else game.objectives
        parser.add_argument("--objective", choices=choices, default=usual, help="default: %(default)s")
    if name in ("moves", "analyse"):
        parser.add_argument("-n", dest=COUNT, type=whole, default=DEFAULT_MOVES, help="how many; default: %(default)s")
    for option in (*command.options, *game.options_of(name)):
        option.add(parser)
    if name == "render":
        parser.add_argument("--move", metavar="MOVE", help=f"show the position after it: {game.move_form}")
        parser.add_argument("--svg", action="store_true", help="SVG instead of text")


def read(arguments: Sequence[str]) -> argparse.Namespace:
    """The arguments of a call, checked; leaves with the usage where they make no sense."""
    options, unknown = _parser(JsonParser if "--json" in arguments else Parser).parse_known_args(arguments)
    if unknown:
        words = re.findall(r"--[a-z-]+", options.usage())
        options.error(f"unrecognized arguments: {' '.join(unknown)}{meant(unknown[0].partition('=')[0], words)}")
    _check(options)
    return options


def _check(options: argparse.Namespace) -> None:
    """Leave with the usage unless there is either a file or what the command needs in its place."""
    if options.run is not None:
        return
    command: Command = options.asked
    given = [what for what in command.takes if getattr(options, what.lower()) is not None]
    if options.file is not None and given:
        options.error(f"give either --file or {' and '.join(command.takes)}")
    if options.file is None and len(given) < len(command.needed):
        options.error(f"{' and '.join(command.needed)} or --file is needed")


def _run(options: argparse.Namespace) -> int:
    game = next(game for game in GAMES if game.name == options.game)
    command: Command = options.asked
    output = Output(options.json, options.file is not None, sys.stdout)
    try:
        session = Session(game, command, options)
        source = nullcontext(None) if options.file is None else cli_match.opened(options.file)
    except (SolverError, OSError) as error:
        output.error(None, str(error))
        return BAD_INPUT
    status = ANSWERED
    with source as stream:
        texts = _texts(command, options) if stream is None else read_lines(stream)
        line = None
        for line, text in texts:
            try:
                answers = command.run(session, text)
                for answer in [answers] if isinstance(answers, Answer) else answers:
                    output.answer(line, answer)
                    status = max(status, answer.status)
            except SolverError as error:
                output.error(line, str(error))
                status = max(status, BAD_INPUT)
    if line is None:
        output.error(None, f"file: {cli_match.named(options.file)} holds no {command.takes[0].lower()}")
        return BAD_INPUT
    return status


def _texts(command: Command, options: argparse.Namespace) -> Iterator[tuple[int, str]]:
    """The line of a command without a file; a position's own tabs are no more than blanks."""
    given = [getattr(options, what.lower()) for what in command.takes]
    yield 1, "\t".join(text.replace("\t", " ") for text in given if text is not None)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the shell with the arguments (those of the process by default); gives the exit status."""
    given = sys.argv[1:] if arguments is None else arguments
    # A position with an empty table begins with a dash, which argparse takes for an option unless a blank is in it.
    options = read([f" {text}" if EMPTY_TABLE.match(text) else text for text in given])
    if sys.stdout is None:
        return _no_output("standard output is closed")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without box characters still gets its picture
    try:
        if options.run is None:
            status = _run(options)
        else:
            status = cli_match.run(options, Output(options.json, False, sys.stdout))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # What is still buffered has no reader; without this the interpreter complains at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
    except OSError as error:
        # Files are read and written under their own handlers: what fails here is the output, as on a full disk.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _no_output(str(error))
    return status


def _no_output(reason: str) -> int:
    """Say that answers cannot be written."""
    print(f"error: output: {reason}", file=sys.stderr)
    return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
