"""Pictures of a position: text for a terminal and SVG for a page.

Both show the table as sets of tiles and the rack below. With a move they show the table after it: sets that changed
have a double frame (text) or a coloured ground (SVG), and the tiles laid from the rack are marked. What changed is
found by comparing the tables before and after as multisets of sets, so it holds for any move, however it was found.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from .position import Move, Position
from .sets import JOKER, TileSet, sort_tiles

TEXT_WIDTH: Final = 80  # columns; a single longer set is not broken
LAID_MARK: Final = "*"

_ANSI: Final = {"R": "31", "B": "34", "K": "1", "O": "33", "J": "35"}
_ANSI_LAID: Final = "7"
_ANSI_RESET: Final = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Changes:
    """What a move does to the table, by comparing it before and after.

    kept: sets as they were. extended: (set before, set after) where the whole set is part of a larger one. new: other
    sets that were not there. gone: sets before that are no part of any of these.
    """

    kept: tuple[TileSet, ...]
    extended: tuple[tuple[TileSet, TileSet], ...]
    new: tuple[TileSet, ...]
    gone: tuple[TileSet, ...]


def changes(position: Position, move: Move) -> Changes:
    """Compare the tables before and after a move. Each set before answers for at most one set after."""
    before, after = Counter(position.table), Counter(move.table)
    kept = before & after
    gone = _listed(position.table, before - after)
    extended, new = [], []
    for tiles in _listed(move.table, after - before):
        # The longest one: most of the set has stayed together.
        inside = [old for old in gone if not Counter(old) - Counter(tiles)]
        if inside:
            old = max(inside, key=len)
            gone.remove(old)
            extended.append((old, tiles))
        else:
            new.append(tiles)
    return Changes(tuple(_listed(position.table, kept)), tuple(extended), tuple(new), tuple(gone))


def render_text(position: Position, move: Move | None = None, color: bool = False) -> str:
    """The position, or with a move the position after it, as lines of text without a line end at the last.

    color: with ANSI escape sequences, tiles in their colours and laid ones inverted.
    """
    scene = _scene(position, move)
    lines = [f"table, {_count(sum(len(tiles) for tiles, _ in scene.sets), 'tile')} in {_count(len(scene.sets), 'set')}"]
    boxes = [_box(drawn, changed, color) for drawn, changed in scene.sets]
    lines += _flow(boxes) if boxes else ["(empty)"]
    lines.append(f"rack, {_count(len(scene.rack), 'tile')}")
    rack = [_box(drawn, False, color) for drawn in _by_color(scene.rack)]
    lines += _flow(rack) if rack else ["(empty)"]
    if move is not None:
        lines.append(f"{LAID_MARK} laid from the rack, double frame: set that changed")
    return "\n".join(lines)


def render_svg(position: Position, move: Move | None = None) -> str:
    """The position, or with a move the position after it, as an SVG document."""
    return _Svg(_scene(position, move)).text()


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A tile in the picture; laid: it came from the rack with the move."""

    tile: str
    laid: bool = False


_DrawnSet = tuple[_Drawn, ...]


@dataclass(frozen=True, slots=True)
class _Scene:
    """What is drawn: (set, whether the move changed it), and the rack."""

    sets: tuple[tuple[_DrawnSet, bool], ...]
    rack: _DrawnSet


def _scene(position: Position, move: Move | None) -> _Scene:
    if move is None:
        sets = tuple((tuple(map(_Drawn, tiles)), False) for tiles in position.table)
        return _Scene(sets, tuple(map(_Drawn, position.rack)))
    compared = changes(position, move)
    kept = Counter(compared.kept)
    extended: dict[TileSet, list[TileSet]] = {}
    for old, tiles in compared.extended:
        extended.setdefault(tiles, []).append(old)
    # Equal tiles are interchangeable: the laid ones are first looked for where a set grew, then in the other new sets.
    laid = Counter(move.tiles)
    drawn: list[tuple[_DrawnSet, bool] | None] = [None] * len(move.table)
    later = []
    for index, tiles in enumerate(move.table):
        if kept[tiles]:
            kept[tiles] -= 1
            drawn[index] = tuple(map(_Drawn, tiles)), False
        elif extended.get(tiles):
            drawn[index] = _marked(tiles, laid, Counter(extended[tiles].pop())), True
        else:
            later.append(index)
    for index in later:
        drawn[index] = _marked(move.table[index], laid, Counter()), True
    rack = Counter(position.rack) - Counter(move.tiles) + Counter(move.taken)
    return _Scene(
        tuple(entry for entry in drawn if entry is not None),
        tuple(map(_Drawn, sort_tiles(rack.elements()))),
    )


def _marked(tiles: TileSet, laid: Counter[str], old: Counter[str]) -> _DrawnSet:
    """The set with its laid tiles marked, which are taken out of `laid`; `old`: the tiles that were there before."""
    drawn = []
    for tile in tiles:
        if old[tile]:
            old[tile] -= 1
            drawn.append(_Drawn(tile))
        elif laid[tile]:
            laid[tile] -= 1
            drawn.append(_Drawn(tile, True))
        else:
            drawn.append(_Drawn(tile))
    return tuple(drawn)


def _listed(table: Iterable[TileSet], counts: Counter[TileSet]) -> list[TileSet]:
    """The sets of the counts, in the order of the table."""
    left = counts.copy()
    listed = []
    for tiles in table:
        if left[tiles]:
            left[tiles] -= 1
            listed.append(tiles)
    return listed


def _by_color(rack: _DrawnSet) -> list[_DrawnSet]:
    """The sorted rack in one piece for each colour, jokers last."""
    pieces: dict[str, list[_Drawn]] = {}
    for drawn in rack:
        pieces.setdefault(drawn.tile[0], []).append(drawn)
    return [tuple(piece) for piece in pieces.values()]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


# Text

_SINGLE: Final = "┌┬┐│└┴┘─"
_DOUBLE: Final = "╔╦╗║╚╩╝═"


@dataclass(frozen=True, slots=True)
class _Box:
    """Three lines of equal width in columns (escape sequences not counted)."""

    lines: tuple[str, str, str]
    width: int


def _box(tiles: _DrawnSet, changed: bool, color: bool) -> _Box:
    left_up, up, right_up, side, left_down, down, right_down, flat = _DOUBLE if changed else _SINGLE
    labels = [(drawn.tile + LAID_MARK * drawn.laid).ljust(2) for drawn in tiles]
    bars = [flat * len(label) for label in labels]
    cells = [_painted(label, drawn) if color else label for label, drawn in zip(labels, tiles, strict=True)]
    return _Box(
        (
            left_up + up.join(bars) + right_up,
            side + side.join(cells) + side,
            left_down + down.join(bars) + right_down,
        ),
        sum(map(len, labels)) + len(labels) + 1,
    )


def _painted(label: str, drawn: _Drawn) -> str:
    codes = _ANSI[drawn.tile[0]] + (";" + _ANSI_LAID if drawn.laid else "")
    return f"\x1b[{codes}m{label}{_ANSI_RESET}"


def _flow(boxes: Sequence[_Box]) -> list[str]:
    """The boxes side by side in as many rows as TEXT_WIDTH needs."""
    rows: list[list[_Box]] = []
    room = 0
    for box in boxes:
        if not rows or box.width + 1 > room:
            rows.append([])
            room = TEXT_WIDTH + 1
        rows[-1].append(box)
        room -= box.width + 1
    return [" ".join(box.lines[part] for box in row) for row in rows for part in range(3)]


# SVG

_TILE_WIDTH: Final = 34
_TILE_HEIGHT: Final = 46
_GAP: Final = 3  # between tiles of a set
_SET_GAP: Final = 18
_MARGIN: Final = 16
_TITLE_HEIGHT: Final = 26
_SVG_WIDTH: Final = 840
_FILL: Final = {"R": "#c62828", "B": "#1e5fbf", "K": "#222222", "O": "#d9730d", "J": "#7b1fa2"}
_GROUND: Final = "#f4f1ea"
_TILE_FILL: Final = "#fffdf6"
_TILE_EDGE: Final = "#b9b2a3"
_CHANGED_FILL: Final = "#cfe8d5"
_LAID_EDGE: Final = "#2e7d32"
_FONT: Final = "Helvetica, Arial, sans-serif"
_JOKER_FACE: Final = "\N{WHITE SMILING FACE}"


class _Svg:
    """Draws a scene from the top down; `_y` is where the next row begins, `_right` the widest extent so far."""

    def __init__(self, scene: _Scene) -> None:
        self._scene = scene
        self._y = _MARGIN
        self._right = 0
        self._body: list[ET.Element] = []

    def text(self) -> str:
        table_tiles = sum(len(tiles) for tiles, _ in self._scene.sets)
        sets = self._scene.sets
        self._row_of_sets(f"Table: {_count(table_tiles, 'tile')} in {_count(len(sets), 'set')}", sets)
        rack = tuple((tiles, False) for tiles in _by_color(self._scene.rack))
        self._row_of_sets(f"Rack: {_count(len(self._scene.rack), 'tile')}", rack)
        width, height = max(_SVG_WIDTH, self._right + _MARGIN), self._y
        root = ET.Element(
            "svg",
            xmlns="http://www.w3.org/2000/svg",
            width=str(width),
            height=str(height),
            viewBox=f"0 0 {width} {height}",
        )
        ET.SubElement(root, "title").text = "Rummikub position"
        _rectangle(root, (0, 0, width, height), _GROUND)
        root.extend(self._body)
        ET.indent(root)
        return ET.tostring(root, encoding="unicode")

    def _row_of_sets(self, title: str, sets: Sequence[tuple[_DrawnSet, bool]]) -> None:
        heading = ET.Element("text", x=str(_MARGIN), y=str(self._y + 14), fill="#555555")
        heading.set("font-family", _FONT)
        heading.set("font-size", "14")
        heading.text = title
        self._body.append(heading)
        self._y += _TITLE_HEIGHT
        x = _MARGIN
        for tiles, changed in sets:
            width = len(tiles) * (_TILE_WIDTH + _GAP) - _GAP
            if x > _MARGIN and x + width > _SVG_WIDTH - _MARGIN:
                x = _MARGIN
                self._y += _TILE_HEIGHT + _SET_GAP
            self._body.append(self._set(tiles, changed, x, width))
            x += width + _SET_GAP
            self._right = max(self._right, x - _SET_GAP)
        self._y += _TILE_HEIGHT + _SET_GAP + _MARGIN if sets else _MARGIN

    def _set(self, tiles: _DrawnSet, changed: bool, x: int, width: int) -> ET.Element:
        group = ET.Element("g")
        ET.SubElement(group, "title").text = " ".join(drawn.tile + LAID_MARK * drawn.laid for drawn in tiles)
        if changed:
            pad = 2 * _GAP
            _rectangle(group, (x - pad, self._y - pad, width + 2 * pad, _TILE_HEIGHT + 2 * pad), _CHANGED_FILL, 8)
        for index, drawn in enumerate(tiles):
            left = x + index * (_TILE_WIDTH + _GAP)
            face = _rectangle(group, (left, self._y, _TILE_WIDTH, _TILE_HEIGHT), _TILE_FILL, 5)
            face.set("stroke", _LAID_EDGE if drawn.laid else _TILE_EDGE)
            face.set("stroke-width", "3" if drawn.laid else "1")
            label = ET.SubElement(group, "text", x=str(left + _TILE_WIDTH // 2), y=str(self._y + 30))
            label.set("fill", _FILL[drawn.tile[0]])
            label.set("font-family", _FONT)
            label.set("font-size", "19")
            label.set("font-weight", "bold")
            label.set("text-anchor", "middle")
            label.text = _JOKER_FACE if drawn.tile == JOKER else drawn.tile[1:]
        return group


def _rectangle(parent: ET.Element, area: tuple[int, int, int, int], fill: str, radius: int = 0) -> ET.Element:
    """A rectangle (left, top, width, height) inside the parent."""
    names = zip(("x", "y", "width", "height"), area, strict=True)
    rectangle = ET.SubElement(parent, "rect", {name: str(value) for name, value in names}, fill=fill)
    if radius:
        rectangle.set("rx", str(radius))
    return rectangle
