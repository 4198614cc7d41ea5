"""What the shell's commands are made of: a game as the shell sees it, its commands, a session, and answers."""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

from .errors import IllegalPosition, ParseError
from .limits import Limit

T = TypeVar("T")

ANSWERED: Final = 0
NONE_OR_ILLEGAL: Final = 1
BAD_INPUT: Final = 2
INTERRUPTED: Final = 130
READER_GONE: Final = 141

WARM_SOLVERS: Final = 4  # rule sets whose solvers are kept while a file is answered; each has tables of its own
DECIMALS: Final = 4  # of values in plain text; JSON has all

POSITION: Final = "POSITION"
MOVE: Final = "MOVE"
TILES: Final = "TILES"
SHEET: Final = "SHEET"
ROLLS: Final = "ROLLS"

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered to one line of input: as data for --json, as plain lines, and what a terminal shows instead.

    block: the lines belong together, so a heading numbers them. picture: draws, for the terminal, what stands above
    rows, the head and rows of a table.
    """

    data: dict[str, Any]
    lines: list[str]
    status: int = ANSWERED
    block: bool = False
    picture: Callable[[], str] | None = None
    rows: list[Row] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Option:
    """An option that a game's function takes as an argument of this name.

    read: makes the value of a text. default: None is not passed on. commands: the common ones that have it.
    """

    name: str
    about: str
    read: Callable[[str], Any] = str
    metavar: str = ""
    choices: tuple[str, ...] | None = None
    default: Any = None
    commands: tuple[str, ...] = ()

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Put it among the options of a command."""
        about = self.about if self.default is None else f"{self.about}; default: {self.default}"
        kind: dict[str, Any] = {"choices": self.choices} if self.choices else {"metavar": self.metavar}
        parser.add_argument(self.flag, dest=self.name, type=self.read, default=self.default, help=about, **kind)

    @property
    def flag(self) -> str:
        """How it is written in the shell."""
        return f"-{self.name}" if len(self.name) == 1 else f"--{self.name.replace('_', '-')}"


@dataclass(frozen=True, slots=True)
class Flag(Option):
    """An option without a value."""

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Put it among the options of a command."""
        parser.add_argument(self.flag, dest=self.name, action="store_true", help=self.about)


@dataclass(frozen=True, slots=True)
class Command:
    """A command. run: answers one line of input, of (session, text); its documentation is the command's.

    takes: what a line holds, divided by tabs; without anything there is one answer and no --file. optional: how many of
    these at the end may be left out. options: beside those that every command has. ruled: whether it has --rules.
    """

    name: str
    run: Callable[[Session, str], Answer | Iterable[Answer]]
    takes: tuple[str, ...] = (POSITION,)
    optional: int = 0
    options: tuple[Option, ...] = ()
    ruled: bool = True

    @property
    def about(self) -> str:
        """What it does, in one sentence or two."""
        return " ".join((self.run.__doc__ or "").split())

    @property
    def needed(self) -> tuple[str, ...]:
        """What a line must hold."""
        return self.takes[: len(self.takes) - self.optional]


@dataclass(frozen=True, slots=True)
class Game:
    """What the shell must know of a game beyond the common protocol.

    name: the subcommand, and the package below `solver`. position_form, move_form, forms: what POSITION, MOVE and
    others look like, with an example. bars: number of `|` in a position before what stands ahead of its options field.
    worth: the objective's value of a move, of (position, move, objective); None where the search itself tells it with
    the move. read_rules: canonical text of the rules of --rules, of (API, text). details: what a line of an analysis
    says beside move and value, of (line). analysed: the objective of an analysis that names none. estimated: objectives
    of analyses alone. summary: further rows (value, text, details) of an analysis as a whole. options: of the common
    commands. commands: beside the common ones.
    """

    name: str
    title: str
    objectives: tuple[str, ...]
    position_form: str
    move_form: str
    bars: int
    worth: Callable[[Any, Any, str], float] | None
    read_rules: Callable[[Any, str], str]
    details: Callable[[Any], str]
    analysed: str
    estimated: tuple[str, ...] = ()
    summary: Callable[[Any], list[Row]] | None = None
    forms: Mapping[str, str] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    commands: tuple[Command, ...] = ()

    @property
    def api(self) -> Any:
        """The game's public names; imported when first needed, so that `solver --help` needs no kernel."""
        return importlib.import_module(f"{__package__}.{self.name}")

    @property
    def pictures(self) -> Any:
        """The game's render module."""
        return importlib.import_module(f"{__package__}.{self.name}.render")

    def form(self, what: str) -> str:
        """What POSITION, MOVE or another thing looks like."""
        return {POSITION: self.position_form, MOVE: self.move_form, **self.forms}[what]

    def options_of(self, command: str) -> tuple[Option, ...]:
        """The game's own options of a common command."""
        return tuple(option for option in self.options if command in option.commands)


class Session:
    """One call of the shell: the game, its options, and solvers that stay warm from line to line."""

    def __init__(self, game: Game, command: Command, options: argparse.Namespace) -> None:
        self.game = game
        self.command = command
        self.options = options
        ruled = command.ruled and options.rules is not None
        self.rules_text = game.read_rules(game.api, options.rules) if ruled else None
        self._solvers: dict[Any, Any] = {}

    @property
    def rules(self) -> Any:
        """The rules of --rules for what has none of its own; None are the game's default."""
        return None if self.rules_text is None else self.game.api.Rules.parse(self.rules_text)

    def position(self, text: str) -> Any:
        """The position of a text; one that names no rules has those of --rules."""
        if self.rules_text is not None:
            fields = text.split("|")
            if not any(word.startswith("rules=") for word in fields[-1].split()):
                text = f"{text.rstrip()} {'' if len(fields) > self.game.bars + 1 else '| '}rules={self.rules_text}"
        return self.game.api.Position.parse(text)

    def position_and_move(self, text: str) -> tuple[Any, Any]:
        """Both of a line that is to have both. Raises ParseError."""
        position_text, tab, move_text = text.rpartition("\t")
        if not tab:
            raise ParseError(f"{self.command.name}: a line needs a position, a tab and a move")
        position = self.position(position_text)
        return position, self.game.api.Move.parse(move_text, position.rules)

    def played(self, text: str) -> tuple[Any, Any]:
        """As `position_and_move`, of a move that is legal. Raises IllegalPosition for others."""
        position, move = self.position_and_move(text)
        problems = self.game.api.verify(position, move)
        if problems:
            raise IllegalPosition(problems)
        return position, move

    def told(self, *options: Option) -> dict[str, Any]:
        """The values of these options, None for those that were not given."""
        return {option.name: getattr(self.options, option.name) for option in options}

    def given(self, *options: Option) -> dict[str, Any]:
        """The values of these options that were given."""
        return {name: value for name, value in self.told(*options).items() if value is not None}

    @property
    def aim(self) -> dict[str, Any]:
        """Objective and the game's own options of a search, as they are told with the answer."""
        return {"objective": self.options.objective, **self.told(*self.game.options_of(self.command.name))}

    @property
    def asked(self) -> dict[str, Any]:
        """The same for the search itself."""
        return {"objective": self.options.objective, **self.given(*self.game.options_of(self.command.name))}

    @property
    def limit(self) -> Limit | None:
        """What --seconds allows; None is no limit."""
        return None if self.options.seconds is None else Limit(seconds=self.options.seconds)

    def solver(self, position: Any) -> Any:
        """The warm solver of the position's rules."""
        solver = self._solvers.pop(position.rules, None) or self.game.api.Solver(position.rules)
        self._solvers[position.rules] = solver  # the last one used stands last
        if len(self._solvers) > WARM_SOLVERS:
            del self._solvers[next(iter(self._solvers))]
        return solver

    def picture(self, position: Any, move: Any = None) -> Callable[[], str]:
        """Draws the position for a terminal, or what it is after a move."""
        return partial(self.game.pictures.render_text, position, move, color=True)


def timed(search: Callable[[], T]) -> tuple[T, float]:
    """(What the search found, its time in milliseconds)."""
    start = time.perf_counter()
    found = search()
    return found, round((time.perf_counter() - start) * 1e3, 4)


def number(value: float) -> str:
    """A value with four decimals at most, a whole number without any."""
    if isinstance(value, int):
        return str(value)
    text = f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def counted(amount: int, thing: str) -> str:
    """`1 set`, `2 sets`."""
    return f"{amount} {thing}{'s' * (amount != 1)}"


def tabbed(rows: Iterable[Row]) -> list[str]:
    """Rows as plain lines."""
    return ["\t".join(row) for row in rows]


def whole(text: str) -> int:
    """A positive whole number, for argparse."""
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"must be a positive whole number, not {text!r}")
    return int(text)
