"""Pictures of a position: text for a terminal and SVG for a page.

Squares whose names are a column letter and a row number stand where their names say; other boards are laid out in rows
in the order of their squares, and the SVG draws all links as lines. A square shows its name and owner, the top tile and
the covered tiles. With a move the position after it is shown, without the refill of the hands; new tiles are marked.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from .position import Move, Position

NEW_MARK: Final = "+"
ROW: Final = 8
"""Squares in a row of a board without coordinates."""
_COORDINATE: Final = re.compile(r"([a-z])([1-9][0-9]?)", re.ASCII)
_MOST_ROWS: Final = 64

_ANSI: Final = {"H": "31", "D": "35", "C": "32", "S": "1", "*": "33"}
_ANSI_NEW: Final = "7"


@dataclass(frozen=True, slots=True)
class _Square:
    """A square of the picture: where it stands (column, row), its owner's seat or "", its stack, and what is new."""

    name: str
    at: tuple[int, int]
    owner: str
    stack: tuple[str, ...]
    new: bool


@dataclass(frozen=True, slots=True)
class _Scene:
    squares: tuple[_Square, ...]
    links: tuple[tuple[str, str], ...]
    title: str
    rack: tuple[str, ...]
    common: tuple[str, ...]
    pawns: str


def render_text(position: Position, move: Move | None = None, color: bool = False) -> str:
    """The position, or with a move the position after it, as lines of text without a line end at the last.

    color: with ANSI escape sequences, tiles in the colours of their suits and new ones inverted.
    """
    scene = _scene(position, move)
    covered = {square.name: _covered_text(square.stack[1:]) for square in scene.squares}
    width = max(4, *(len(text) for text in covered.values()), *(len(_head(square)) for square in scene.squares))
    by_place = {square.at: square for square in scene.squares}
    columns = 1 + max(x for x, _ in by_place)
    lines = [scene.title]
    for y in sorted({y for _, y in by_place}):
        row = [by_place.get((x, y)) for x in range(columns)]
        frame = "─" * width
        blank = " " * (width + 2)
        lines.append(" ".join(f"┌{frame}┐" if square else blank for square in row).rstrip())
        lines.append(" ".join(f"│{_head(square):<{width}}│" if square else blank for square in row).rstrip())
        lines.append(" ".join(f"│{_top(square, width, color)}│" if square else blank for square in row).rstrip())
        lines.append(" ".join(f"│{covered[square.name]:<{width}}│" if square else blank for square in row).rstrip())
        lines.append(" ".join(f"└{frame}┘" if square else blank for square in row).rstrip())
    lines.append(f"common {_hand(scene.common, color)}")
    lines.append(f"rack   {_hand(scene.rack, color)}")
    lines.append(scene.pawns)
    if move is not None:
        lines.append(f"{NEW_MARK} new, /covered" if move.placements else str(move))
    return "\n".join(lines)


def render_svg(position: Position, move: Move | None = None) -> str:
    """The position, or with a move the position after it, as an SVG document."""
    return _svg(_scene(position, move))


def _scene(position: Position, move: Move | None) -> _Scene:
    graph = position.rules.graph
    stacks: dict[str, tuple[str, ...]] = {}
    for square, stack in position.board:
        stacks[square] = stacks.get(square, ()) + stack
    placed = {square: tile for tile, square in move.placements} if move else {}
    for square, tile in placed.items():
        stacks[square] = (tile, *stacks.get(square, ()))
    owners = dict(zip(graph.squares, graph.owners, strict=True))
    # A square that the board does not have is drawn too: the picture is also for positions with problems.
    names = list(dict.fromkeys([*graph.squares, *stacks]))
    places = _places(names)
    squares = tuple(
        _Square(name, places[name], owners.get(name, ""), stacks.get(name, ()), name in placed) for name in names
    )
    gone = set(move.tiles) if move else set()
    scores = ", ".join(f"{seat} {score}" for seat, score in zip(position.seats, position.scores, strict=False))
    return _Scene(
        squares,
        graph.links,
        f"{position.to} {'has moved' if move else 'to move'}",
        tuple(tile for tile in position.rack if tile not in gone),
        tuple(tile for tile in position.common if tile not in gone or (move is not None and bool(move.swap))),
        f"pawns  {scores} (finish {position.rules.finish})",
    )


def _places(names: Iterable[str]) -> Mapping[str, tuple[int, int]]:
    """Column and row of each square, from 0."""
    listed = list(names)
    matches = [_COORDINATE.fullmatch(name) for name in listed]
    found = {
        name: (ord(match[1]) - ord("a"), int(match[2]) - 1)
        for name, match in zip(listed, matches, strict=True)
        if match and int(match[2]) <= _MOST_ROWS
    }
    if len(found) == len(listed):
        return found
    return {name: (index % ROW, index // ROW) for index, name in enumerate(listed)}


def _head(square: _Square) -> str:
    return f"{square.name} {square.owner}".rstrip()


def _top(square: _Square, width: int, color: bool) -> str:
    tile = square.stack[0] if square.stack else ""
    label = tile + NEW_MARK * (square.new and bool(tile))
    return _painted(label, tile, square.new, color) + " " * (width - len(label))


def _hand(tiles: Iterable[str], color: bool) -> str:
    return " ".join(_painted(tile, tile, False, color) for tile in tiles) or "-"


def _painted(label: str, tile: str, new: bool, color: bool) -> str:
    if not color or not tile:
        return label
    codes = [code for code in (_ANSI.get(tile[-1]), _ANSI_NEW if new else None) if code]
    return f"\x1b[{';'.join(codes)}m{label}\x1b[0m" if codes else label


def _covered_text(tiles: tuple[str, ...]) -> str:
    """The covered tiles from the top down; of more than three only how many."""
    most_named = 3
    return "".join(f"/{tile}" for tile in tiles) if len(tiles) <= most_named else f"/{len(tiles)} tiles"


_CELL: Final = 96  # from square to square
_BOX: Final = 76
_MARGIN: Final = 24
_LINE: Final = 26
_FONT: Final = "Helvetica, Arial, sans-serif"
_GROUND: Final = "#f4f1ea"
_OWNER_FILL: Final = {"": "#fffdf6", "N": "#dbe7f6", "E": "#f9e2cf", "S": "#dcefdc", "W": "#efdcf0"}
_EDGE: Final = "#b9b2a3"
_NEW_EDGE: Final = "#2e7d32"
_LINK: Final = "#d3ccbd"
_SUIT_FILL: Final = {"H": "#c62828", "D": "#c2410c", "C": "#2e7d32", "S": "#222222", "*": "#1e5fbf"}
_SUIT_SIGN: Final = {"H": "♥", "D": "♦", "C": "♣", "S": "♠", "*": "★"}
_PLAIN: Final = "#444444"


def _svg(scene: _Scene) -> str:
    columns = 1 + max(square.at[0] for square in scene.squares)
    rows = 1 + max(square.at[1] for square in scene.squares)
    board_bottom = _MARGIN + _LINE + rows * _CELL
    width = max(2 * _MARGIN + columns * _CELL, 420)
    height = board_bottom + 3 * _LINE + _MARGIN
    root = ET.Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        width=str(width),
        height=str(height),
        viewBox=f"0 0 {width} {height}",
    )
    ET.SubElement(root, "title").text = "Setup position"
    ET.SubElement(root, "rect", width=str(width), height=str(height), fill=_GROUND)
    _label(root, (_MARGIN, _MARGIN + 10), scene.title, 16, _PLAIN)
    centre = {
        square.name: (_MARGIN + square.at[0] * _CELL + _CELL // 2, _MARGIN + _LINE + square.at[1] * _CELL + _CELL // 2)
        for square in scene.squares
    }
    for first, second in scene.links:
        (x1, y1), (x2, y2) = centre[first], centre[second]
        line = ET.SubElement(root, "line", x1=str(x1), y1=str(y1), x2=str(x2), y2=str(y2), stroke=_LINK)
        line.set("stroke-width", "6")
    for square in scene.squares:
        _draw_square(root, square, centre[square.name])
    for index, (name, tiles) in enumerate((("Common", scene.common), ("Rack", scene.rack))):
        y = board_bottom + (index + 1) * _LINE
        _label(root, (_MARGIN, y), name, 14, _PLAIN)
        for place, tile in enumerate(tiles):
            _label(root, (_MARGIN + 80 + place * 56, y), _face(tile), 18, _fill(tile))
    _label(root, (_MARGIN, board_bottom + 3 * _LINE), scene.pawns, 14, _PLAIN)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode")


def _draw_square(root: ET.Element, square: _Square, centre: tuple[int, int]) -> None:
    x, y = centre
    left, top = x - _BOX // 2, y - _BOX // 2
    group = ET.SubElement(root, "g")
    ET.SubElement(group, "title").text = f"{_head(square)}: {'/'.join(square.stack) or 'empty'}"
    box = ET.SubElement(group, "rect", x=str(left), y=str(top), width=str(_BOX), height=str(_BOX), rx="6")
    box.set("fill", _OWNER_FILL.get(square.owner, _OWNER_FILL[""]))
    box.set("stroke", _NEW_EDGE if square.new else _EDGE)
    box.set("stroke-width", "3" if square.new else "1")
    _label(group, (left + 5, top + 13), _head(square), 10, _PLAIN)
    if square.stack:
        _label(group, (x, y + 10), _face(square.stack[0]), 24, _fill(square.stack[0]), "middle")
    if len(square.stack) > 1:
        _label(group, (x, top + _BOX - 6), _covered_text(square.stack[1:]), 10, _PLAIN, "middle")


def _face(tile: str) -> str:
    return tile[:-1] + _SUIT_SIGN.get(tile[-1], tile[-1])


def _fill(tile: str) -> str:
    return _SUIT_FILL.get(tile[-1], _PLAIN)


def _label(parent: ET.Element, at: tuple[int, int], text: str, size: int, fill: str, anchor: str = "start") -> None:
    label = ET.SubElement(parent, "text", x=str(at[0]), y=str(at[1]), fill=fill)
    label.set("font-family", _FONT)
    label.set("font-size", str(size))
    label.set("text-anchor", anchor)
    label.text = text
