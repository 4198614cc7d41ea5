"""The best sheet that known dice allow: in the given order, in any order, or with dice chosen freely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from .. import plain
from ..errors import SolverError, UnsupportedRules, quote
from ..limits import Limit, Status
from . import nets
from .bounds import results, upper_bound
from .graphs import graph_of
from .kernel import Beam
from .position import Move, Position
from .rules import AMAZONIA, BAD_CIRCLE, LINKS, OPS, Rules
from .score import score
from .sheets import Sheet

WIDTH: Final = 1000
"""States kept a turn, by default."""
ORDERS: Final = ("given", "free")
_GIVEN, _ANY_ORDER, _ANY_DICE = range(3)
_STOPPED: Final = (Status.COMPLETE, Status.TIME, Status.NODES, Status.CANCELLED)


@dataclass(frozen=True, slots=True)
class BestSheet:
    """The best sheet that was found.

    position: the finished sheet. total: its score. bound: no sheet scores more (proven). exact: none scores more than
    total. moves: in order of play, with the roll that each uses (None when the dice are free).
    """

    position: Position
    total: int
    bound: int
    exact: bool
    moves: tuple[tuple[tuple[int, int] | None, Move], ...]
    status: Status

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "position": str(self.position),
            "total": self.total,
            "bound": self.bound,
            "exact": self.exact,
            "moves": [{"roll": roll and list(roll), "move": move.to_dict()} for roll, move in self.moves],
            "status": str(self.status),
        }

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`. Raises ParseError."""
        roll = plain.maybe(plain.each(plain.whole, 2))

        def turn(entry: object) -> tuple[tuple[int, ...] | None, Move]:
            found = plain.read(entry, "turn", roll=roll, move=Move.from_dict)
            return found["roll"], found["move"]

        return cls(
            **plain.read(
                data,
                "best sheet",
                position=Position.parse,
                total=plain.whole,
                bound=plain.whole,
                exact=plain.flag,
                moves=plain.each(turn),
                status=plain.one_of(Status),
            )
        )


def best_sheet(
    sheet: Sheet | str,
    rolls: Sequence[tuple[int, int]] | None = None,
    *,
    order: str = "given",
    rules: Rules | None = None,
    width: int = WIDTH,
    limit: Limit | None = None,
) -> BestSheet:
    """The highest score that is found for a list of rolls, from the empty sheet.

    rolls: (yellow, red) of each turn; None: any dice at any turn. order: `given`, or `free`: any order. width: states
    kept a turn; when none had to be dropped the result is exact. limit: seconds. Under free links play is searched as
    if links were optional and the chains are chosen at the end, which is never called exact. Raises SolverError, for
    Amazonia UnsupportedRules.
    """
    rules = Rules() if rules is None else rules
    sheet = Sheet.parse(sheet) if isinstance(sheet, str) else sheet
    if not isinstance(sheet, Sheet):
        raise SolverError(f"sheet: must be a Sheet or the id of one, not {quote(sheet)}")
    if not isinstance(rules, Rules):
        raise SolverError(f"rules: must be Rules, not {quote(rules)}")
    if rules.variant == AMAZONIA or sheet.river:
        raise UnsupportedRules(f"rules: best_sheet is for the base game, not for {AMAZONIA}")
    if limit is not None and not isinstance(limit, Limit):
        raise SolverError(f"limit: must be a Limit, not {quote(limit)}")
    if rolls is not None and (isinstance(rolls, str | bytes) or not isinstance(rolls, Sequence)):
        raise SolverError(f"rolls: must be a list, not {quote(rolls)}")
    if not isinstance(order, str) or order not in ORDERS:
        raise SolverError(f"order: must be one of {', '.join(ORDERS)}, not {quote(order)}")
    if isinstance(width, bool) or not isinstance(width, int) or not 1 <= width <= 200_000:
        raise SolverError(f"width: must be 1 to 200000, not {quote(width)}")
    turns = min(sheet.circles, sum(rules.op_limits))
    if rolls is None:
        form, faces = _ANY_DICE, bytes(turns)
    else:
        form = _GIVEN if order == "given" else _ANY_ORDER
        faces = bytes(_face(roll) for roll in rolls)
        if len(faces) > 64:
            raise SolverError(f"rolls: at most 64, not {len(faces)}")
    free = rules.links == "free"
    links = LINKS.index("optional" if free else rules.links)
    beam = Beam(graph_of(sheet), nets.net_for(sheet), links, BAD_CIRCLE.index(rules.bad_circle), width)
    seconds = limit.seconds if limit is not None and limit.seconds is not None else 0.0
    _, path, stopped = beam.best(bytes(rules.op_limits), faces, form, seconds)
    position = Position.start(sheet, replace(rules, links="optional") if free else rules)
    moves: list[tuple[tuple[int, int] | None, Move]] = []
    before = 0
    for turn, (op, circle, number, down, up, used) in enumerate(path):
        roll = None
        if rolls is not None:
            index = turn if form == _GIVEN else (used ^ before).bit_length() - 1
            roll = (rolls[index][0], rolls[index][1])
        before = used
        move = position.named(op, circle, number, down, up)
        position = position.with_roll(roll or _roll_for(op, number)).play(move)
        moves.append((roll, move))
    if free:
        position = Position(sheet, position.cells, position.left, (), None, rules)
    total = score(position).total
    exact = not beam.dropped and not free and stopped == 0
    bound = total if exact else max(total, upper_bound(sheet, rolls, rules))
    return BestSheet(position, total, bound, exact, tuple(moves), _STOPPED[stopped])


def _face(roll: object) -> int:
    if not isinstance(roll, tuple | list) or len(roll) != 2 or not all(type(die) is int for die in roll):
        raise SolverError(f"rolls: {quote(roll)} is no (yellow, red)")
    yellow, red = roll
    if not 0 <= yellow <= 5 or not 1 <= red <= 6:
        raise SolverError(f"rolls: yellow is 0 to 5 and red 1 to 6, not {quote(roll)}")
    return int(yellow * 6 + red - 1)


def _roll_for(op: int, number: int) -> tuple[int, int]:
    """A roll with which an operation gives a number."""
    for yellow in range(6):
        for red in range(1, 7):
            if results((yellow, red))[op] == number:
                return yellow, red
    raise AssertionError(f"{OPS[op]} never gives {number}")
