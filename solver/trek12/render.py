"""Pictures of a position: text for a terminal and SVG for a page, both in the shape of the mountain.

Circles stand where the sheet has them; a sheet of one's own without places is drawn as a ring. A drawn link is a heavy
line, circles that touch are joined by a thin one. With a move the position after it
is shown and the new number is marked; one that is not legal leaves the position as it is.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from typing import Final

from ..errors import IllegalPosition
from .position import Cell, Move, Position, counted
from .rules import OPS
from .sheets import Sheet

TEXT_WIDTH: Final = 74
TEXT_HEIGHT: Final = 26
SVG_SIZE: Final = 640
SVG_MARGIN: Final = 44
SVG_FOOT: Final = 56
RADIUS: Final = 19
NEW_MARK: Final = "*"
_ANSI_NEW: Final = "7"
_ANSI_BAD: Final = "31"
_ANSI_DANGER: Final = "33"
_ANSI_RIVER: Final = "36"
_ANSI_RESET: Final = "\x1b[0m"


def places(sheet: Sheet) -> tuple[tuple[float, float], ...]:
    """x and y of each circle, y downwards; a ring when the sheet has none."""
    if sheet.places:
        return sheet.places
    angles = (2 * math.pi * circle / sheet.circles for circle in range(sheet.circles))
    return tuple((math.sin(angle), -math.cos(angle)) for angle in angles)


def render_text(position: Position, move: Move | None = None, color: bool = False) -> str:
    """The position, or with a move the position after it, as lines of text without a line end at the last.

    A circle is `(5)`, a dangerous one `<5>`, one of the river `{5}`, with a piranha `{5!}`; an empty one shows its
    number small as `(.7)`; `*` marks what is new.
    color: with ANSI escape sequences.
    """
    shown = _after(position, move)
    spots = _grid(shown.sheet)
    canvas: dict[tuple[int, int], str] = {}
    for a, b in shown.sheet.edges:
        _line(canvas, spots[a], spots[b], ".")
    for low, high in _drawn(shown):
        _line(canvas, spots[low], spots[high], "#")
    rows = 1 + max(y for _, y in spots)
    lines = [[canvas.get((x, y), " ") for x in range(TEXT_WIDTH + 8)] for y in range(rows)]
    for circle, (x, y) in enumerate(spots):
        label = _label(shown, circle, shown is not position and move is not None and move.circle == circle)
        start = max(0, x - len(label) // 2)
        for offset, letter in enumerate(label):
            lines[y][start + offset] = letter
        if color:
            code = _color(shown, circle, shown is not position and move is not None and move.circle == circle)
            if code:
                lines[y][start] = f"\x1b[{code}m{lines[y][start]}"
                lines[y][start + len(label) - 1] += _ANSI_RESET
    text = "\n".join("".join(line).rstrip() for line in lines)
    return f"{_title(shown)}\n{text}\n{_foot(shown)}"


def _after(position: Position, move: Move | None) -> Position:
    """The position after the move; the position itself when the move is not legal."""
    if move is None:
        return position
    try:
        return position.play(move)
    except IllegalPosition:
        return position


def _drawn(position: Position) -> list[tuple[int, int]]:
    """The links whose circles exist; a position that breaks rules is drawn too."""
    return [link for link in position.links if max(link) < position.sheet.circles]


def _title(position: Position) -> str:
    sheet = position.sheet
    summit = "" if sheet.summit is None else f", summit {sheet.summit}"
    return f"{sheet.name or 'sheet of ' + counted(sheet.circles, 'circle', 'circles')}{summit}"


def _foot(position: Position) -> str:
    boxes = "  ".join(f"{op} {left}" for op, left in zip(OPS, position.left, strict=True))
    if position.roll is not None:
        boxes += f"   roll {position.roll[0]},{position.roll[1]}"
    if position.rules.observations:
        boxes += "\nobservations " + "  ".join(f"{track} {number}" for track, number in position.rules.observations)
    if position.links:
        boxes += "\nlinks " + " ".join(f"{low}-{high}" for low, high in position.links)
    return boxes


def _label(position: Position, circle: int, new: bool) -> str:
    inside = f".{circle}" if position.cells[circle] is None else position.token(circle)
    sheet = position.sheet
    left, right = "<>" if circle in sheet.dangerous else "{}" if circle in sheet.river else "()"
    return f"{left}{inside}{right}{NEW_MARK if new else ''}"


def _color(position: Position, circle: int, new: bool) -> str:
    if new:
        return _ANSI_NEW
    if position.cells[circle] == "X":
        return _ANSI_BAD
    if circle in position.sheet.dangerous:
        return _ANSI_DANGER
    return _ANSI_RIVER if circle in position.sheet.river else ""


def _scaled(sheet: Sheet, width: float, height: float) -> list[tuple[float, float]]:
    spots = places(sheet)
    xs, ys = [x for x, _ in spots], [y for _, y in spots]
    wide, high = max(xs) - min(xs) or 1.0, max(ys) - min(ys) or 1.0
    return [((x - min(xs)) / wide * width, (y - min(ys)) / high * height) for x, y in spots]


def _grid(sheet: Sheet) -> list[tuple[int, int]]:
    return [(3 + round(x), round(y)) for x, y in _scaled(sheet, TEXT_WIDTH - 4, TEXT_HEIGHT - 1)]


def _line(canvas: dict[tuple[int, int], str], start: tuple[int, int], end: tuple[int, int], letter: str) -> None:
    steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]), 1)
    for step in range(1, steps):
        x = round(start[0] + (end[0] - start[0]) * step / steps)
        y = round(start[1] + (end[1] - start[1]) * step / steps)
        if letter == "#" or (x, y) not in canvas:
            canvas[x, y] = letter


def render_svg(position: Position, move: Move | None = None) -> str:
    """The same picture as one SVG element."""
    shown = _after(position, move)
    sheet = shown.sheet
    xs, ys = zip(*places(sheet), strict=True)
    wide, high = max(xs) - min(xs) or 1.0, max(ys) - min(ys) or 1.0
    scale = (SVG_SIZE - 2 * SVG_MARGIN) / max(wide, high)
    width, height = wide * scale + 2 * SVG_MARGIN, high * scale + 2 * SVG_MARGIN + SVG_FOOT
    spots = [(SVG_MARGIN + (x - min(xs)) * scale, SVG_MARGIN + (y - min(ys)) * scale) for x, y in places(sheet)]
    root = ET.Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        attrib={"font-family": "sans-serif", "text-anchor": "middle"},
    )
    ET.SubElement(root, "title").text = _title(shown)
    ET.SubElement(root, "rect", width="100%", height="100%", fill="#f4f1ea")
    for a, b in sheet.edges:
        _svg_line(root, spots[a], spots[b], "#b9b2a3", "2")
    for low, high_end in _drawn(shown):
        _svg_line(root, spots[low], spots[high_end], "#2f6f9f", "6")
    for circle, (x, y) in enumerate(spots):
        cell = shown.cells[circle]
        marked = circle in sheet.dangerous or circle in sheet.river
        new = shown is not position and move is not None and move.circle == circle
        ET.SubElement(
            root,
            "circle",
            cx=f"{x:.1f}",
            cy=f"{y:.1f}",
            r=str(RADIUS),
            fill=_fill(cell, new),
            stroke=_stroke(sheet, circle),
            attrib={"stroke-width": "4" if marked else "2"},
        )
        number = ET.SubElement(
            root,
            "text",
            x=f"{x:.1f}",
            y=f"{y + (6 if cell is not None else 4):.1f}",
            fill="#a79f90" if cell is None else "#222222",
            attrib={"font-size": "11" if cell is None else "18"},
        )
        number.text = str(circle) if cell is None else shown.token(circle)
    for row, line in enumerate((f"{_title(shown)}", _foot(shown).split("\n")[0])):
        foot = ET.SubElement(
            root,
            "text",
            x=f"{width / 2:.0f}",
            y=f"{height - SVG_FOOT + 20 + 20 * row:.0f}",
            fill="#222222",
            attrib={"font-size": "14"},
        )
        foot.text = line
    return ET.tostring(root, encoding="unicode")


def _fill(cell: Cell, new: bool) -> str:
    if cell == "X":
        return "#e6b0aa"
    if new:
        return "#f7dc6f"
    return "#ffffff" if cell is not None else "#faf8f3"


def _stroke(sheet: Sheet, circle: int) -> str:
    if circle in sheet.dangerous:
        return "#c0392b"
    return "#2e86ab" if circle in sheet.river else "#5b5346"


def _svg_line(root: ET.Element, start: tuple[float, float], end: tuple[float, float], stroke: str, width: str) -> None:
    ET.SubElement(
        root,
        "line",
        x1=f"{start[0]:.1f}",
        y1=f"{start[1]:.1f}",
        x2=f"{end[0]:.1f}",
        y2=f"{end[1]:.1f}",
        stroke=stroke,
        attrib={"stroke-width": width, "stroke-linecap": "round"},
    )
