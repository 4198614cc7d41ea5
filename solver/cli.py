"""The shell: `solver GAME COMMAND`, text in and text out; for whole games see cli_match.py.

Nothing here knows how a game is played: a game is an entry of GAMES, and the commands use the protocol that every
game keeps (Position, Move, Rules, Solver, verify, render_text, render_svg).

Output is plain and the same at every run, except where standard output is a terminal: there rich makes it pretty.
Plain forms, one line for each answer; with --file each begins with the number of its line and a tab:
    best      the move's text, or `none`
    moves     value, tab, the move's text; or `none`
    analyse   value, tab, the move's text, tab, what there is to say of it; or `none` (games that have it)
    verify    `legal`, or one problem a line
    render    the picture, over as many lines as it needs
--json: one object a line. Exit status: 0 answered, 1 no move or not legal, 2 bad input (the greatest of all lines),
130 after Ctrl-C, 141 when the reader of the output has gone.
"""

from __future__ import annotations

import argparse
import importlib
import io
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TextIO

from . import __version__, cli_match
from .errors import ParseError, SolverError
from .limits import Limit

ANSWERED: Final = 0
NONE_OR_ILLEGAL: Final = 1
BAD_INPUT: Final = 2
INTERRUPTED: Final = 130
READER_GONE: Final = 141

MAX_LINE: Final = 1 << 20  # characters of one line of a file
WARM_SOLVERS: Final = 4  # rule sets whose solvers are kept while a file is answered; each has tables of its own
DEFAULT_MOVES: Final = 5
DECIMALS: Final = 4  # of values in plain text; JSON has all
EMPTY_TABLE: Final = re.compile(r"-\s*\|")


def _canonical_rules(api: Any, text: str) -> str:
    return str(api.Rules.parse(text))


@dataclass(frozen=True, slots=True)
class Game:
    """What the shell must know of a game beyond the common protocol.

    name: the subcommand, and the package below `solver`. bars: number of `|` in a position before what stands ahead of
    its options field. worth: the objective's value of a move, of (position, move, objective); None where the search
    itself tells it with the move. read_rules: canonical text of the rules of --rules, of (API, text). details: what a
    line of an analysis says beside move and value, of (line); None for a game without analysis. analysed: the objective
    of an analysis that names none. estimated: objectives of analyses alone. summary: further rows (value, text,
    details) of an analysis as a whole. target: what --target means; empty for a game without it.
    """

    name: str
    title: str
    objectives: tuple[str, ...]
    position_form: str
    move_form: str
    bars: int
    worth: Callable[[Any, Any, str], float] | None
    read_rules: Callable[[Any, str], str] = _canonical_rules
    details: Callable[[Any], str] | None = None
    analysed: str = ""
    estimated: tuple[str, ...] = ()
    summary: Callable[[Any], list[tuple[str, str, str]]] | None = None
    target: str = ""

    @property
    def api(self) -> Any:
        """The game's public names; imported when first needed, so that `solver --help` needs no kernel."""
        return importlib.import_module(f"{__package__}.{self.name}")

    @property
    def pictures(self) -> Any:
        """The game's render module."""
        return importlib.import_module(f"{__package__}.{self.name}.render")


def _rummikub_worth(position: Any, move: Any, objective: str) -> float:
    from .rummikub.objectives import objective_for

    worth = objective_for(objective, None, position.rules).key
    return worth(move.tiles)[0] - worth(move.taken)[0]


def _rummikub_details(line: Any) -> str:
    if hasattr(line, "win"):
        return _rummikub_chances(line)
    move = line.move
    parts = [
        f"keeps {_counted(move.kept_sets, 'set')}",
        f"moves {_counted(move.moved_tiles, 'tile')}",
        _counted(len(move.steps.steps), "step"),
    ]
    return ", ".join([*parts, *["tied"] * line.tied, *["the only move"] * line.only])


def _rummikub_chances(line: Any) -> str:
    low, high = line.win.ci95
    parts = [f"wins {line.win.mean:.0%} ({max(low, 0):.0%} to {min(high, 1):.0%})", f"{line.points.mean:+.0f} points"]
    if line.playable:
        parts.append(f"makes {' '.join(line.playable)} playable")
    if line.outs:
        parts.append(f"goes out with {' '.join(line.outs)}")
    if line.offers.mean:
        parts.append(f"others can lay {line.offers.mean:+.1f} tiles")
    return ", ".join([*parts, *["tied"] * line.tied])


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"


def _setup_rules(api: Any, text: str) -> str:
    # A position of this game names its finish itself, so --rules may leave it out.
    if "finish=" in text:
        return str(api.Rules.parse(text))
    return str(api.Rules.parse(text, finish=1).text_without_finish())


def _setup_details(line: Any) -> str:
    bonus = " ".join(f"{seat}+{given}" for seat, given in (line.move.bonus or {}).items())
    parts = [f"points {line.move.points or 0}", f"bonus {bonus or 0}"]
    if line.answer is not None:
        low, high = line.answer.ci95
        parts.append(f"answer {line.answer.mean:.2f} ({low:.2f} to {high:.2f})")
    parts.append(f"opens {line.open_answer} ({line.opens or '-'})")
    if line.covers:
        parts.append("covers " + " ".join(f"{square}:{tile}" for square, tile in line.covers))
    return ", ".join(parts)


def _trek12_details(line: Any) -> str:
    return ", ".join(["exact" if line.exact else "estimated"] + ["tied"] * line.tied + ["the only move"] * line.only)


def _trek12_summary(found: Any) -> list[tuple[str, str, str]]:
    value, spread = found.value, found.distribution
    how = {
        "exact": "exact",
        "rollout": f"{_counted(value.n, 'game')} played on, se {value.se:.4f}",
        "heuristic": "estimated by the net, its error is not known",
    }[value.how]
    rows = [(_number(value.mean), "value", how)]
    if spread is not None:
        shares = " ".join(f"{share:.0%}:{score}" for share, score in spread.quantiles.items())
        rows.append((f"{spread.mean.mean:.2f}", "final score", f"{_counted(spread.mean.n, 'game')}, {shares}"))
    if spread is not None and spread.reach is not None:
        reached = f"{round(spread.reach.mean * spread.reach.n)} of {_counted(spread.reach.n, 'game')}"
        rows.append((_number(spread.reach.mean), f"chance of {spread.target} or more", reached))
    rows += [
        (_number(row.value), f"{row.roll[0]},{row.roll[1]}", f"{row.move} ({row.weight}/36)") for row in found.table
    ]
    return rows


GAMES: Final = (
    Game(
        name="rummikub",
        title="Rummikub",
        objectives=("tiles", "value", "penalty", "go_out"),
        position_form="TABLE | RACK [| [unopened] [rules=TEXT]], for example 'R6 R7 R8, R3 B3 K3 | R1 B9 O3 J'",
        move_form="TILES | TABLE [| taken=TILES], for example 'O3 | R6 R7 R8, R3 B3 K3 O3'",
        bars=1,
        worth=_rummikub_worth,
        details=_rummikub_details,
        analysed="tiles",
        estimated=("win",),
    ),
    Game(
        name="setup",
        title="Setup",
        objectives=("points", "margin", "lookahead", "strength"),
        position_form="BOARD | RACK | COMMON | to=SEAT seats=SEATS scores=N,N finish=N [rules=TEXT], for example "
        "'b2:4H c2:7D/9S | 5H 1S 2S 3S | 7* 8* 9* 10* | to=S seats=NS scores=0,0 finish=60'",
        move_form="SQUARE=TILE ... or swap TILE ..., for example 'b3=5H'",
        bars=2,
        worth=None,
        read_rules=_setup_rules,
        details=_setup_details,
        analysed="lookahead",
    ),
    Game(
        name="trek12",
        title="Trek 12",
        objectives=("mean", "reach", "beat"),
        position_form="SHEET | CELLS | LEFT | LINKS | ROLL [| rules=TEXT], for example "
        "'graph:4:0-1,1-2,2-3 | 4 5 . . | 3 3 4 4 4 | 0-1 | 2,5'",
        move_form="OP@CIRCLE, +CIRCLE for each link where there is a choice, for example 'sum@2'",
        bars=4,
        worth=None,
        details=_trek12_details,
        analysed="mean",
        summary=_trek12_summary,
        target="the score to reach (default: the sheet's summit), or to beat",
    ),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """One position's answer: as data for --json, as plain lines, and what a terminal shows instead of these.

    block: the lines belong together, so a heading numbers them. picture: draws, for the terminal, what stands above
    rows, the head and rows of a table.
    """

    data: dict[str, Any]
    lines: list[str]
    status: int
    block: bool = False
    picture: Callable[[], str] | None = None
    rows: list[tuple[str, ...]] = field(default_factory=list)


class Session:
    """One call of the shell: the game, its options, and solvers that stay warm from line to line."""

    def __init__(self, game: Game, options: argparse.Namespace) -> None:
        self.game = game
        self.options = options
        self.rules_text = game.read_rules(game.api, options.rules) if options.rules is not None else None
        self._solvers: dict[Any, Any] = {}

    def position(self, text: str) -> Any:
        """The position of a text; one that names no rules has those of --rules."""
        if self.rules_text is not None:
            fields = text.split("|")
            if not any(word.startswith("rules=") for word in fields[-1].split()):
                text = f"{text.rstrip()} {'' if len(fields) > self.game.bars + 1 else '| '}rules={self.rules_text}"
        return self.game.api.Position.parse(text)

    @property
    def aim(self) -> dict[str, Any]:
        """Objective and target for a search."""
        target = {"target": self.options.target} if self.game.target else {}
        return {"objective": self.options.objective, **target}

    def solver(self, position: Any) -> Any:
        """The warm solver of the position's rules."""
        solver = self._solvers.pop(position.rules, None) or self.game.api.Solver(position.rules)
        self._solvers[position.rules] = solver  # the last one used stands last
        if len(self._solvers) > WARM_SOLVERS:
            del self._solvers[next(iter(self._solvers))]
        return solver


def _timed(search: Callable[[], Any]) -> tuple[Any, float]:
    """(What the search found, its time in milliseconds)."""
    start = time.perf_counter()
    found = search()
    return found, round((time.perf_counter() - start) * 1e3, 4)


def best(session: Session, text: str) -> Answer:
    """The best move, proven where the objective can be, or the proof that there is none."""
    objective = session.options.objective
    position = session.position(text)
    solver = session.solver(position)
    measure = session.game.worth
    proven = True
    if measure is not None:
        move, milliseconds = _timed(lambda: solver.best_move(position, **session.aim))
        worth = None if move is None else measure(position, move, objective)
    else:
        lines, milliseconds = _timed(lambda: solver.best_moves(position, n=1, **session.aim))
        move, worth, proven = (lines[0].move, lines[0].value, lines[0].exact) if lines else (None, None, True)
    data = {
        "position": str(position),
        **session.aim,
        "move": None if move is None else move.to_dict(),
        "value": worth,
        "proven": proven,
        "ms": milliseconds,
    }
    line = "none" if move is None else str(move)
    rows: list[tuple[str, ...]] = [("", ""), ("move", line)]
    if worth is not None:
        rows.append(("worth", f"{_number(worth)} ({objective})"))
    rows += [("proven", "yes" if proven else "no"), ("search", f"{milliseconds:g} ms")]
    picture = partial(session.game.pictures.render_text, position, move, color=True)
    return Answer(data, [line], NONE_OR_ILLEGAL if move is None else ANSWERED, picture=picture, rows=rows)


def moves(session: Session, text: str) -> Answer:
    """The best moves, best first."""
    objective = session.options.objective
    position = session.position(text)
    solver = session.solver(position)
    found, milliseconds = _timed(lambda: solver.best_moves(position, n=session.options.n, **session.aim))
    data = {
        "position": str(position),
        **session.aim,
        "moves": [
            {"move": line.move.to_dict(), "value": line.value, "proven": line.exact, "tied": line.tied}
            for line in found
        ],
        "ms": milliseconds,
    }
    rows: list[tuple[str, ...]] = [(objective, "move", "proven", "tied")]
    rows += [
        (f"{_number(line.value)}", str(line.move), "yes" if line.exact else "no", "yes" if line.tied else "no")
        for line in found
    ]
    picture = partial(session.game.pictures.render_text, position, color=True)
    lines = [f"{_number(line.value)}\t{line.move}" for line in found] or ["none"]
    return Answer(data, lines, ANSWERED if found else NONE_OR_ILLEGAL, picture=picture, rows=rows)


def analyse(session: Session, text: str) -> Answer:
    """The best moves with what is to be said of each."""
    options = session.options
    details = session.game.details
    assert details is not None  # the command exists only for games that have it
    position = session.position(text)
    solver = session.solver(position)
    limit = Limit(seconds=options.seconds)
    found, milliseconds = _timed(
        lambda: solver.analyse(position, limit, lines=options.n, seed=options.seed, **session.aim)
    )
    data = {"position": str(position), **session.aim, **found.to_dict(), "ms": milliseconds}
    rows: list[tuple[str, ...]] = [(options.objective, "move", "details")]
    rows += [(f"{_number(line.value)}", _what(line.move), details(line)) for line in found.lines]
    if session.game.summary is not None:
        rows += session.game.summary(found)
    lines = ["\t".join(row) for row in rows[1:]] or ["none"]
    picture = partial(session.game.pictures.render_text, position, color=True)
    return Answer(
        data, lines, ANSWERED if found.lines or len(rows) > 1 else NONE_OR_ILLEGAL, picture=picture, rows=rows
    )


def _what(move: Any) -> str:
    return "draw" if move is None else str(move)


def verify(session: Session, text: str) -> Answer:
    """Whether a move is legal, and everything that is wrong with it. Text: position, tab, move."""
    position_text, tab, move_text = text.rpartition("\t")
    if not tab:
        raise ParseError("verify: a line needs a position, a tab and a move")
    position = session.position(position_text)
    move = session.game.api.Move.parse(move_text, position.rules)
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
    rows: list[tuple[str, ...]] = [("",), *((f"not legal: {problem}",) for problem in problems)]
    lines = [draw(), *(text for (text,) in rows[1:])]
    return Answer(data, lines, status, block=True, picture=partial(draw, color=True), rows=rows)


def _number(value: float) -> str:
    """A value with four decimals at most, a whole number without any."""
    text = f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


Command = Callable[[Session, str], Answer]
COMMANDS: Final[dict[str, Command]] = {
    "best": best,
    "moves": moves,
    "analyse": analyse,
    "verify": verify,
    "render": render,
}


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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="solver", description="Proven best moves for tabletop games.")
    parser.add_argument("--version", action="version", version=f"solver {__version__}")
    games = parser.add_subparsers(dest="game", metavar="GAME", required=True)
    for game in GAMES:
        commands = games.add_parser(game.name, help=game.title).add_subparsers(
            dest="command", metavar="COMMAND", required=True
        )
        for name, command in COMMANDS.items():
            if name == "analyse" and game.details is None:
                continue
            _add_command(commands, game, name, command)
    cli_match.add_commands(games, [game.name for game in GAMES], _positive)
    return parser


def _add_command(commands: Any, game: Game, name: str, command: Command) -> None:
    about = (command.__doc__ or "").split(" Text:")[0]
    parser = commands.add_parser(name, help=about, description=about)
    parser.set_defaults(error=parser.error, run=None)
    parser.add_argument("position", nargs="?", metavar="POSITION", help=game.position_form)
    if name == "verify":
        parser.add_argument("move", nargs="?", metavar="MOVE", help=game.move_form)
    many = "one position, a tab and a move a line" if name == "verify" else "one position a line"
    parser.add_argument("--file", metavar="FILE", help=f"{many}; - for standard input; lines like '# ...' are comments")
    parser.add_argument("--rules", metavar="TEXT", help="PRESET[+FIELD=VALUE...]: rules of positions that name none")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    if name in ("best", "moves", "analyse"):
        usual = game.analysed if name == "analyse" else game.objectives[0]
        choices = (*game.objectives, *game.estimated) if name == "analyse" else game.objectives
        parser.add_argument("--objective", choices=choices, default=usual, help="default: %(default)s")
        if game.target:
            parser.add_argument("--target", type=int, metavar="SCORE", help=game.target)
    if name in ("moves", "analyse"):
        parser.add_argument("-n", type=_positive, default=DEFAULT_MOVES, help="how many; default: %(default)s")
    if name == "analyse":
        parser.add_argument("--seed", type=int, default=0, help="of what is drawn at random; default: %(default)s")
        parser.add_argument("--seconds", type=float, help="time limit")
    if name == "render":
        parser.add_argument("--move", metavar="MOVE", help=f"show the position after it: {game.move_form}")
        parser.add_argument("--svg", action="store_true", help="SVG instead of text")


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"must be a positive whole number, not {text!r}")
    return int(text)


def _check(options: argparse.Namespace) -> None:
    """Leave with the usage unless there is either a file or what the command needs in its place."""
    if options.run is not None:
        return
    given = [options.position] + ([options.move] if options.command == "verify" else [])
    if options.file is not None and any(text is not None for text in given):
        options.error("give either --file or a position")
    if options.file is None and any(text is None for text in given):
        options.error(f"{' and '.join(['POSITION', 'MOVE'][: len(given)])} or --file is needed")


def _run(options: argparse.Namespace) -> int:
    game = next(game for game in GAMES if game.name == options.game)
    command = COMMANDS[options.command]
    output = Output(options.json, options.file is not None, sys.stdout)
    try:
        session = Session(game, options)
        source = nullcontext(None) if options.file is None else cli_match.opened(options.file)
    except (SolverError, OSError) as error:
        output.error(None, str(error))
        return BAD_INPUT
    status = ANSWERED
    with source as stream:
        if stream is not None:
            texts = read_lines(stream)
        elif options.command == "verify":
            texts = iter([(1, "\t".join(text.replace("\t", " ") for text in (options.position, options.move)))])
        else:
            texts = iter([(1, options.position)])
        for number, text in texts:
            try:
                answer = command(session, text)
            except SolverError as error:
                output.error(number, str(error))
                status = max(status, BAD_INPUT)
            else:
                output.answer(number, answer)
                status = max(status, answer.status)
    return status


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the shell with the arguments (those of the process by default); gives the exit status."""
    given = sys.argv[1:] if arguments is None else arguments
    # A position with an empty table begins with a dash, which argparse takes for an option unless a blank is in it.
    options = _parser().parse_args([f" {text}" if EMPTY_TABLE.match(text) else text for text in given])
    _check(options)
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
    return status


if __name__ == "__main__":
    sys.exit(main())
