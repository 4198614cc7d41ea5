"""The board of Setup as data: named squares with owners, and the links between them.

Text form: `SQUARE,SQUARE@SEAT,.../SQUARE-SQUARE,...`, for example `a1@W,b1,c1@E/a1-b1,b1-c1`; a square without
`@SEAT` is common. `default` and `default_with_corners` name the two boards of the published game.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ..errors import RulesError, quote

SEATS: Final = "NESW"
"""All seats, clockwise from the north."""
MAX_SQUARES: Final = 64
MAX_BOARD_TEXT: Final = 40_000  # characters; 64 squares with every link among them need fewer
_SQUARE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,7}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Board:
    """Squares in their canonical order, the owner of each (a seat, or "" for a common square), and the links.

    Construction checks everything (RulesError names what is wrong) and brings the links into order: each one from the
    earlier square to the later, sorted. 1 to 64 squares; no square is linked to itself.
    """

    squares: tuple[str, ...]
    owners: tuple[str, ...]
    links: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        squares = _as_tuple(self.squares, "squares")
        owners = _as_tuple(self.owners, "owners")
        if not 1 <= len(squares) <= MAX_SQUARES:
            raise RulesError(f"board: must have 1 to {MAX_SQUARES} squares, not {len(squares)}")
        place: dict[str, int] = {}
        for square in squares:
            if not isinstance(square, str) or not _SQUARE.fullmatch(square):
                raise RulesError(f"board: {quote(square)} is no name of a square (a letter, then letters and digits)")
            if square in place:
                raise RulesError(f"board: square {quote(square)} is there twice")
            place[square] = len(place)
        if len(owners) != len(squares):
            raise RulesError(f"board: {len(squares)} squares have {len(owners)} owners")
        for owner in owners:
            if not isinstance(owner, str) or (owner and owner not in tuple(SEATS)):
                raise RulesError(f"board: owner {quote(owner)} is no seat of {SEATS}")
        pairs = set()
        for link in _as_tuple(self.links, "links"):
            ends = []
            for end in _as_tuple(link, "link"):
                if not isinstance(end, str) or end not in place:
                    raise RulesError(f"board: link to {quote(end)}, a square that does not exist")
                ends.append(place[end])
            if len(ends) != 2:
                raise RulesError(f"board: link {quote(link)} has not two ends")
            first, second = sorted(ends)
            if first == second:
                raise RulesError(f"board: square {quote(squares[first])} is linked to itself")
            pairs.add((first, second))
        names = tuple(place)
        object.__setattr__(self, "squares", names)
        object.__setattr__(self, "owners", tuple(map(str, owners)))
        object.__setattr__(self, "links", tuple((names[a], names[b]) for a, b in sorted(pairs)))

    @classmethod
    def parse(cls, text: str) -> Board:
        """Read the text form; RulesError names the part that cannot be read."""
        if not isinstance(text, str):
            raise RulesError(f"board: must be text, not {quote(text)}")
        if len(text) > MAX_BOARD_TEXT:
            raise RulesError(f"board: {len(text)} characters are more than {MAX_BOARD_TEXT}: {quote(text)}")
        if text in NAMED_BOARDS:
            return NAMED_BOARDS[text]
        squares_text, slash, links_text = text.partition("/")
        if not slash:
            raise RulesError(f"board: {quote(text)} is not of the form SQUARES/LINKS")
        squares, owners = [], []
        for part in squares_text.split(","):
            square, at, owner = part.partition("@")
            if at and not owner:
                raise RulesError(f"board: {quote(part)} has no seat after @")
            squares.append(square)
            owners.append(owner)
        links = [tuple(part.split("-")) for part in links_text.split(",")] if links_text else []
        return cls(tuple(squares), tuple(owners), tuple(links))  # type: ignore[arg-type]  # checked by the constructor

    def __str__(self) -> str:
        return _text(self)

    @classmethod
    def grid(
        cls, columns: int, rows: int, owners: Mapping[str, str] | None = None, without: Iterable[str] = ()
    ) -> Board:
        """A grid with orthogonal links: columns a, b, ... from west to east, rows 1, 2, ... from north to south.

        owners: seat of each square that is not common. without: squares left out. RulesError for more than 64 squares
        or more than 26 columns, or a square in `owners` that does not exist.
        """
        if not (1 <= columns <= 26 and 1 <= rows <= MAX_SQUARES):
            raise RulesError(f"board: a grid has 1 to 26 columns and 1 to {MAX_SQUARES} rows, not {columns} and {rows}")
        left_out = set(without)
        names = [f"{chr(ord('a') + x)}{y + 1}" for y in range(rows) for x in range(columns)]
        squares = [name for name in names if name not in left_out]
        there = set(squares)
        owned = dict(owners or {})
        for square in owned:
            if square not in there:
                raise RulesError(f"board: owner of {quote(square)}, a square that does not exist")
        links = []
        for at, name in enumerate(names):
            if (at + 1) % columns:
                links.append((name, names[at + 1]))
            if at + columns < len(names):
                links.append((name, names[at + columns]))
        kept = tuple(link for link in links if link[0] in there and link[1] in there)
        return cls(tuple(squares), tuple(owned.get(square, "") for square in squares), kept)


def _as_tuple(value: object, what: str) -> tuple[object, ...]:
    if not isinstance(value, (tuple, list)):
        raise RulesError(f"board: {what} must be a sequence, not {quote(value)}")
    return tuple(value)


@lru_cache(maxsize=256)
def _text(board: Board) -> str:
    for name, known in NAMED_BOARDS.items():
        if board == known:
            return name
    squares = ",".join(f"{s}@{o}" if o else s for s, o in zip(board.squares, board.owners, strict=True))
    return f"{squares}/{','.join(f'{a}-{b}' for a, b in board.links)}"


_CORNERS: Final = ("a1", "d1", "a4", "d4")
_CORNER_LINKS: Final = (("b1", "a2"), ("c1", "d2"), ("a3", "b4"), ("d3", "c4"))
DEFAULT_BOARD: Final = Board.grid(
    4, 4, {"b1": "N", "c1": "N", "d2": "E", "d3": "E", "b4": "S", "c4": "S", "a2": "W", "a3": "W"}, _CORNERS
)
"""The board of the game: 12 squares, 16 orthogonal links."""
CORNER_BOARD: Final = Board(DEFAULT_BOARD.squares, DEFAULT_BOARD.owners, DEFAULT_BOARD.links + _CORNER_LINKS)
"""The same with links across the four missing corners."""
NAMED_BOARDS: Final[Mapping[str, Board]] = {"default": DEFAULT_BOARD, "default_with_corners": CORNER_BOARD}
