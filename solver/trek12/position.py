"""Position and Move: immutable values, text <-> value.

A position is `SHEET | CELLS | LEFT | LINKS | ROLL [| rules=TEXT]`, e.g. on a sheet of one's own
`graph:3:0-1,1-2 | 4 5 . | 3 3 4 4 4 | 0-1 | 2,5`; a cell `5!` or `X!` is a river circle of Amazonia with a piranha.
A move is `product@7`, with `+13` for each circle that it links to where there is a choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Final, Literal

from ..errors import IllegalPosition, ParseError, quote
from .rules import AMAZONIA, OPS, Rules
from .sheets import Sheet

Cell = int | Literal["X"] | None
"""What a circle holds: a number, "X" when it is bad, None while it is empty."""

BAD: Final = "X"
PIRANHA: Final = "!"
CROSSING: Final = "high"
"""The operation that writes a river circle without a piranha."""
MOST_DIGITS: Final = 3
_MOVE = re.compile(r"(low|high|diff|sum|product)@(\d{1,2})((?:\+\d{1,2})*)", re.ASCII)
_NUMBER = re.compile(r"\d{1,3}", re.ASCII)
_PAIR = re.compile(r"(\d{1,3})-(\d{1,3})", re.ASCII)
_ROLL = re.compile(r"(\d{1,3}),(\d{1,3})", re.ASCII)
_KERNEL_BAD: Final = 13
_KERNEL_EMPTY: Final = 14
_KERNEL_NONE: Final = 255
_KERNEL_PIRANHA: Final = 16


@dataclass(frozen=True, slots=True, order=True)
class Move:
    """Write the result of an operation into a circle.

    op: low, high, diff, sum or product. circle: where. links: the circles to link to where there is a choice, sorted.
    Raises ParseError for values that no move can have.
    """

    op: str
    circle: int
    links: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.op, str) or self.op not in OPS:
            raise ParseError(f"op: must be one of {', '.join(OPS)}, not {quote(self.op)}")
        if not isinstance(self.links, Iterable) or isinstance(self.links, str | bytes):
            raise ParseError(f"links: must be circles, not {quote(self.links)}")
        for name, circle in (("circle", self.circle), *(("links", circle) for circle in self.links)):
            if isinstance(circle, bool) or not isinstance(circle, int) or not 0 <= circle <= 63:
                raise ParseError(f"{name}: must be a circle from 0 to 63, not {quote(circle)}")
        object.__setattr__(self, "links", tuple(sorted(set(self.links))))

    @classmethod
    def parse(cls, text: str, rules: Rules | None = None) -> Move:
        """Read `product@7+13`; the rules do not matter. Raises ParseError that quotes the text."""
        match = _MOVE.fullmatch(text.strip()) if isinstance(text, str) else None
        if match is None:
            raise ParseError(f"move: {quote(text)} is not of the form OP@CIRCLE+LINK with OP one of {', '.join(OPS)}")
        op, circle, links = match.groups()
        return cls(op, int(circle), tuple(int(link) for link in links.split("+") if link))

    def __str__(self) -> str:
        return f"{self.op}@{self.circle}" + "".join(f"+{circle}" for circle in self.links)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"text": str(self), "op": self.op, "circle": self.circle, "links": list(self.links)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Move:
        """The inverse of `to_dict`. Raises ParseError."""
        if not isinstance(data, Mapping) or not {"op", "circle"} <= set(data):
            raise ParseError(f"move: must have op and circle, not {quote(data)}")
        return cls(data["op"], data["circle"], _tuple("links", data.get("links", ())))


@dataclass(frozen=True)
class Position:
    """One player's sheet, with the roll to be used or none.

    sheet: a Sheet, or the id of a published one. cells: what each circle holds. left: boxes left of low, high, diff,
    sum, product. links: pairs of linked circles, the lower number first. roll: (yellow, red) or None. piranhas: the
    river circles of Amazonia that were not written with `high`, sorted.
    Raises ParseError when it cannot be a position at all; what breaks rules is listed by `problems`.
    """

    sheet: Sheet
    cells: tuple[Cell, ...]
    left: tuple[int, ...]
    links: tuple[tuple[int, int], ...] = ()
    roll: tuple[int, int] | None = None
    rules: Rules = field(default_factory=Rules)
    piranhas: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        sheet = Sheet.parse(self.sheet) if isinstance(self.sheet, str) else self.sheet
        if not isinstance(sheet, Sheet):
            raise ParseError(f"sheet: must be a Sheet or the id of one, not {quote(sheet)}")
        if not isinstance(self.rules, Rules):
            raise ParseError(f"rules: must be Rules, not {quote(self.rules)}")
        cells = _tuple("cells", self.cells)
        if len(cells) != sheet.circles:
            raise ParseError(f"cells: the sheet has {counted(sheet.circles, 'circle', 'circles')}, not {len(cells)}")
        for circle, cell in enumerate(cells):
            if not (cell is None or (isinstance(cell, str) and cell == BAD) or _is_number(cell)):
                raise ParseError(f"cells: circle {circle} must hold a number, X or nothing, not {quote(cell)}")
        left = _tuple("left", self.left)
        if len(left) != len(OPS) or not all(map(_is_number, left)):
            raise ParseError(f"left: must be the boxes left of {len(OPS)} operations, not {quote(left)}")
        links = set()
        for link in _tuple("links", self.links):
            pair = _tuple("links", link)
            if len(pair) != 2 or not all(map(_is_number, pair)):
                raise ParseError(f"links: {quote(link)} is no pair of circles")
            low, high = pair
            held = [cells[circle] if circle < len(cells) else None for circle in pair]
            if isinstance(held[0], int) and isinstance(held[1], int) and held[0] > held[1]:
                low, high = high, low
            links.add((low, high))
        roll = self.roll
        if roll is not None:
            roll = _tuple("roll", roll)
            if len(roll) != 2 or not all(map(_is_number, roll)):
                raise ParseError(f"roll: must be the yellow and the red die, not {quote(roll)}")
        piranhas = _tuple("piranhas", self.piranhas)
        for circle in piranhas:
            if not _is_number(circle) or circle >= len(cells) or cells[circle] is None:
                raise ParseError(f"piranhas: must be filled circles, not {quote(circle)}")
        object.__setattr__(self, "sheet", sheet)
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "left", left)
        object.__setattr__(self, "links", tuple(sorted(links)))
        object.__setattr__(self, "roll", roll)
        object.__setattr__(self, "piranhas", tuple(sorted(set(piranhas))))

    @classmethod
    def start(cls, sheet: Sheet | str, rules: Rules | None = None, roll: tuple[int, int] | None = None) -> Position:
        """The empty sheet."""
        rules = Rules() if rules is None else rules
        sheet = Sheet.parse(sheet) if isinstance(sheet, str) else sheet
        if not isinstance(sheet, Sheet):
            raise ParseError(f"sheet: must be a Sheet or the id of one, not {quote(sheet)}")
        if not isinstance(rules, Rules):
            raise ParseError(f"rules: must be Rules, not {quote(rules)}")
        return cls(sheet, (None,) * sheet.circles, rules.op_limits, (), roll, rules)

    @classmethod
    def parse(cls, text: str) -> Position:
        """Read the text form. Raises ParseError that names the field and quotes it."""
        if not isinstance(text, str):
            raise ParseError(f"position: must be text, not {quote(text)}")
        fields = [part.strip() for part in text.split("|")]
        rules = Rules()
        if len(fields) == 6:
            options = fields.pop().split()
            if len(options) > 1 or (options and not options[0].startswith("rules=")):
                raise ParseError(f"options: {quote(' '.join(options))} is not rules=TEXT")
            if options:
                rules = Rules.parse(options[0].removeprefix("rules="))
        if len(fields) != 5:
            raise ParseError(f"position: must be SHEET | CELLS | LEFT | LINKS | ROLL, not {quote(text)}")
        sheet, cells, left, links, roll = fields
        tokens = cells.split()
        return cls(
            Sheet.parse(sheet),
            tuple(_cell(token.removesuffix(PIRANHA)) for token in tokens),
            tuple(_number("left", token) for token in left.split()),
            () if links == "-" else tuple(_pair("links", _PAIR, token) for token in links.split()),
            None if roll == "-" else _pair("roll", _ROLL, roll.replace(" ", "")),
            rules,
            tuple(circle for circle, token in enumerate(tokens) if token.endswith(PIRANHA)),
        )

    def __str__(self) -> str:
        parts = [
            str(self.sheet),
            " ".join(self.token(circle) for circle in range(len(self.cells))),
            " ".join(map(str, self.left)),
            " ".join(f"{low}-{high}" for low, high in self.links) or "-",
            "-" if self.roll is None else f"{self.roll[0]},{self.roll[1]}",
        ]
        if self.rules != Rules():
            parts.append(f"rules={self.rules}")
        return " | ".join(parts)

    def token(self, circle: int) -> str:
        """A circle in the text form: its number or X, with `!` where there is a piranha, or a dot."""
        cell = self.cells[circle]
        if cell is None:
            return "."
        return f"{cell}{PIRANHA if circle in self.piranhas else ''}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "text": str(self),
            "sheet": str(self.sheet),
            "cells": list(self.cells),
            "left": list(self.left),
            "links": [list(link) for link in self.links],
            "roll": None if self.roll is None else list(self.roll),
            "rules": str(self.rules),
            "piranhas": list(self.piranhas),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Position:
        """The inverse of `to_dict`. Raises ParseError."""
        if not isinstance(data, Mapping) or not {"sheet", "cells", "left"} <= set(data):
            raise ParseError(f"position: must have sheet, cells and left, not {quote(data)}")
        return cls(
            data["sheet"],
            data["cells"],
            data["left"],
            data.get("links", ()),
            data.get("roll"),
            Rules.parse(data.get("rules", str(Rules()))),
            data.get("piranhas", ()),
        )

    @property
    def empties(self) -> int:
        """Number of empty circles."""
        return self.cells.count(None)

    @property
    def turns(self) -> int:
        """Numbers that are still to be written: as many as there are empty circles and boxes."""
        return min(self.empties, sum(self.left))

    @property
    def over(self) -> bool:
        """Whether the sheet has ended: every circle is filled, or no box is left."""
        return self.empties == 0 or not any(self.left)

    def with_roll(self, roll: tuple[int, int] | None) -> Position:
        """The same sheet with another roll, or with none."""
        other = replace(self, roll=roll)
        return other._legal() if self.__dict__.get("_problems") == () and _is_roll(other.roll) else other

    def _legal(self) -> Position:
        """This position, which follows from a legal one by the rules: it need not be looked through again."""
        self.__dict__["_problems"] = ()
        return self

    def play(self, move: Move) -> Position:
        """The position after a move, without a roll. Raises IllegalPosition with what is wrong with the move."""
        if not isinstance(move, Move):
            raise IllegalPosition([f"move: must be a Move, not {quote(move)}"])
        self.check()
        if self.roll is None:
            raise IllegalPosition(["roll: the position has none"])
        cell, pairs = self._written(move)
        cells = list(self.cells)
        cells[move.circle] = cell
        left = list(self.left)
        left[OPS.index(move.op)] -= 1
        piranhas = self.piranhas
        if move.circle in self.sheet.river and move.op != CROSSING:
            piranhas += (move.circle,)
        return replace(
            self, cells=tuple(cells), left=tuple(left), links=self.links + pairs, roll=None, piranhas=piranhas
        )._legal()

    def named(self, op: int, circle: int, number: int, down: int, up: int) -> Move:
        """A move of the kernels as a Move: it names the circles that it links down and up to where there is a choice.

        op: index of the operation. down, up: a circle, anything else for no link.
        """
        chosen = []
        for step, link in ((-1, down), (1, up)):
            if not 0 <= link < len(self.cells):
                continue
            linked = {pair[0] if step < 0 else pair[1] for pair in self.links}
            able = {near for near in self.sheet.near[circle] if self.cells[near] == number + step} - linked
            if len(able) > 1 or self.rules.links == "optional":
                chosen.append(link)
        return Move(OPS[op], circle, tuple(chosen))

    def _written(self, move: Move) -> tuple[Cell, tuple[tuple[int, int], ...]]:
        """What the move writes, and the links that it draws."""
        assert self.roll is not None
        low, high = sorted(self.roll)
        result = {"low": low, "high": high, "diff": high - low, "sum": low + high, "product": low * high}
        number = result[move.op]
        circle = move.circle
        if circle >= len(self.cells) or self.cells[circle] is not None:
            raise IllegalPosition([f"circle: {circle} is not an empty circle"])
        if self.empties < len(self.cells) and all(self.cells[near] is None for near in self.sheet.near[circle]):
            raise IllegalPosition([f"circle: {circle} touches no filled circle"])
        if not self.left[OPS.index(move.op)]:
            raise IllegalPosition([f"op: no box is left of {move.op}"])
        if number > self.sheet.limit(circle):
            if move.links:
                raise IllegalPosition([f"links: a bad circle cannot be linked to {move.links[0]}"])
            if self.rules.bad_circle == "forced_only" and self._avoidable(result):
                raise IllegalPosition([f"circle: a bad circle at {circle} can be avoided"])
            return BAD, ()
        pairs = []
        named = set(move.links)
        for step in (-1, 1):
            linked = {link[0] if step < 0 else link[1] for link in self.links}
            able = {
                near
                for near in self.sheet.near[circle]
                if self.cells[near] == number + step and near not in linked and self.rules.links != "free"
            }
            chosen = able & named
            if len(chosen) > 1:
                raise IllegalPosition([f"links: only one circle with {number + step} can be linked"])
            if not chosen and self.rules.links == "mandatory" and able:
                if len(able) > 1:
                    raise IllegalPosition([f"links: one of {sorted(able)} with {number + step} must be named"])
                chosen = able
            pairs += [(near, circle) if step < 0 else (circle, near) for near in chosen]
            named -= able
        if named:
            raise IllegalPosition([f"links: {number} at {circle} cannot be linked to {min(named)}"])
        return number, tuple(pairs)

    def _avoidable(self, result: Mapping[str, int]) -> bool:
        started = self.empties < len(self.cells)
        return any(
            left and result[op] <= self.sheet.limit(circle)
            for op, left in zip(OPS, self.left, strict=True)
            for circle, cell in enumerate(self.cells)
            if cell is None and (not started or any(self.cells[near] is not None for near in self.sheet.near[circle]))
        )

    def problems(self) -> list[str]:
        """Everything that is wrong with the position under its rules; empty when it is legal."""
        return list(self._problems)

    def check(self) -> None:
        """Raises IllegalPosition with everything that is wrong."""
        if self._problems:
            raise IllegalPosition(self._problems)

    @cached_property
    def _problems(self) -> tuple[str, ...]:
        found = []
        if self.sheet.river and self.rules.variant != AMAZONIA:
            found.append(f"rules: the sheet has a river, it is for rules={AMAZONIA}")
        found += [
            f"cells: circle {circle} is not in the river, it has no piranha"
            for circle in self.piranhas
            if circle not in self.sheet.river
        ]
        for circle, cell in enumerate(self.cells):
            if isinstance(cell, int) and cell > self.sheet.limit(circle):
                found.append(f"cells: {cell} at circle {circle} is above {self.sheet.limit(circle)}")
        filled = {circle for circle, cell in enumerate(self.cells) if cell is not None}
        if filled:
            reached = {min(filled)}
            todo = [min(filled)]
            while todo:
                new = self.sheet.near[todo.pop()] & filled - reached
                reached |= new
                todo += new
            if filled - reached:
                found.append(f"cells: circle {min(filled - reached)} is filled apart from circle {min(filled)}")
        for op, left, limit in zip(OPS, self.left, self.rules.op_limits, strict=True):
            if left > limit:
                found.append(f"left: {counted(left, 'box', 'boxes')} of {op}, more than {limit}")
        used = [limit - left for limit, left in zip(self.rules.op_limits, self.left, strict=True)]
        if min(used) >= 0 and sum(used) != len(filled):
            boxes, circles = counted(sum(used), "box", "boxes"), counted(len(filled), "circle", "circles")
            found.append(f"left: {boxes} used for {circles} filled")
        elif min(used) >= 0:
            found += self._impossible_numbers(used)
        found += self._link_problems()
        if self.roll is not None:
            yellow, red = self.roll
            if yellow > 5:
                found.append(f"roll: the yellow die has 0 to 5, not {yellow}")
            if not 1 <= red <= 6:
                found.append(f"roll: the red die has 1 to 6, not {red}")
        return tuple(found)

    def _impossible_numbers(self, used: list[int]) -> list[str]:
        """Hall's condition: the circles that only some operations can have made are no more than the boxes of these."""
        makers = [
            frozenset(
                op
                for op in range(len(OPS))
                if _GIVES[op] & _possible(cell, self.sheet.limit(circle))
                and (circle not in self.sheet.river or (OPS[op] == CROSSING) != (circle in self.piranhas))
            )
            for circle, cell in enumerate(self.cells)
            if cell is not None
        ]
        for size in range(len(OPS)):
            for some in combinations(range(len(OPS)), size):
                need = sum(ops <= set(some) for ops in makers)
                have = sum(used[op] for op in some)
                if need > have:
                    names = ", ".join(OPS[op] for op in some) or "no operation"
                    circles, boxes = counted(need, "circle", "circles"), counted(have, "box", "boxes")
                    return [f"cells: {circles} that only {names} can have written, but {boxes} of it used"]
        return []

    def _link_problems(self) -> list[str]:
        found = []
        below: dict[int, int] = {}
        above: dict[int, int] = {}
        if self.links and self.rules.links == "free":
            found.append("links: none are drawn under free links")
        for low, high in self.links:
            if max(low, high) >= len(self.cells):
                found.append(f"links: there is no circle {max(low, high)}")
                continue
            a, b = self.cells[low], self.cells[high]
            if high not in self.sheet.near[low]:
                found.append(f"links: circles {low} and {high} do not touch")
            if not isinstance(a, int) or not isinstance(b, int) or b != a + 1:
                found.append(f"links: {low}-{high} joins {_token(a)} and {_token(b)}, which is no step of 1")
            if low in above:
                found.append(f"links: circle {low} is linked up twice")
            if high in below:
                found.append(f"links: circle {high} is linked down twice")
            above[low] = high
            below[high] = low
        if self.rules.links == "mandatory":
            for low, cell in enumerate(self.cells):
                if not isinstance(cell, int) or low in above:
                    continue
                found += [
                    f"links: {low}-{high} should have been drawn"
                    for high in sorted(self.sheet.near[low])
                    if self.cells[high] == cell + 1 and high not in below
                ]
        return found

    @cached_property
    def packed(self) -> tuple[bytes, bytes, bytes]:
        """(cells, boxes left, link up of each circle) for the kernels. Raises IllegalPosition."""
        self.check()
        above = bytearray([_KERNEL_NONE]) * len(self.cells)
        for low, high in self.links:
            above[low] = high
        cells = bytearray(
            _KERNEL_EMPTY if cell is None else _KERNEL_BAD if isinstance(cell, str) else cell for cell in self.cells
        )
        for circle in self.piranhas:
            cells[circle] += _KERNEL_PIRANHA
        return bytes(cells), bytes(self.left), bytes(above)


def _results(op: str) -> frozenset[int]:
    pairs = [(yellow, red) for yellow in range(6) for red in range(1, 7)]
    made = {
        "low": [min(pair) for pair in pairs],
        "high": [max(pair) for pair in pairs],
        "diff": [abs(yellow - red) for yellow, red in pairs],
        "sum": [yellow + red for yellow, red in pairs],
        "product": [yellow * red for yellow, red in pairs],
    }
    return frozenset(made[op])


_GIVES: Final = tuple(_results(op) for op in OPS)
_EVERY: Final = frozenset().union(*_GIVES)


def _possible(cell: Cell, limit: int) -> frozenset[int]:
    """The results that a filled circle can stand for."""
    return frozenset({cell}) if isinstance(cell, int) else frozenset(result for result in _EVERY if result > limit)


def counted(number: int, one: str, many: str) -> str:
    """The number with its noun."""
    return f"{number} {one if number == 1 else many}"


def _is_roll(roll: tuple[int, int] | None) -> bool:
    return roll is None or (roll[0] <= 5 and 1 <= roll[1] <= 6)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**MOST_DIGITS


def _tuple(name: str, value: object) -> tuple[Any, ...]:
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise ParseError(f"{name}: must be a list, not {quote(value)}")
    return tuple(value)


def _token(cell: Cell) -> str:
    return "nothing" if cell is None else str(cell)


def _cell(token: str) -> Cell:
    if token == ".":
        return None
    return BAD if token in ("X", "x") else _number("cells", token)


def _number(name: str, token: str) -> int:
    if not _NUMBER.fullmatch(token):
        raise ParseError(f"{name}: {quote(token)} is no number")
    return int(token)


def _pair(name: str, form: re.Pattern[str], token: str) -> tuple[int, int]:
    match = form.fullmatch(token)
    if match is None:
        raise ParseError(f"{name}: {quote(token)} is no pair of numbers")
    return int(match[1]), int(match[2])
