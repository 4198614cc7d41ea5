"""What the next draw may bring: for every kind of unseen tile the best move with it, and exact chances.

Unseen are the tiles of the material that are neither on the table nor in the rack: those of the pool and of the other
players' racks. To the player each of them is as likely to be drawn as any other. Everything is said of the table as it
lies now; what the others do before the drawn tile can be laid is not foreseen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any, Final, Self

from .. import plain
from ..errors import IllegalPosition, ParseError, SolverError, UnsupportedRules, quote
from .objectives import Objective, objective_for
from .position import Move, Position, unseen_tiles
from .search import Solver
from .sets import Tile, TileSet, plain_tile

MOST_DIGITS: Final = 1000  # of a chance's fraction that is read
MOST_HANDS: Final = 10_000  # different hands that a draw of several tiles may bring, each a search


@dataclass(frozen=True, slots=True)
class Draw:
    """One kind of unseen tile. unseen: how many of them. move: the best move after drawing one, None if there is none.

    value: of that move, in the objective's unit, 0 for none. gain: how much more that is than the best move now.
    """

    tile: Tile
    unseen: int
    move: Move | None
    value: int
    gain: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "tile": self.tile,
            "unseen": self.unseen,
            "move": None if self.move is None else self.move.to_dict(),
            "value": self.value,
            "gain": self.gain,
        }

    @classmethod
    def from_dict(cls, data: object, move: plain.Reader[Move] = Move.from_dict) -> Self:
        """The inverse of `to_dict`. Raises ParseError."""
        return cls(
            **plain.read(
                data,
                "draw",
                tile=plain_tile,
                unseen=plain.whole,
                move=plain.maybe(move),
                value=plain.whole,
                gain=plain.whole,
            )
        )


@dataclass(frozen=True, slots=True)
class Draws:
    """What the next draw may bring.

    tiles: every kind of unseen tile, in canonical order. unseen: how many tiles these are. drawn: how many the rules
    let the player draw at once. move, value: the best move now (None, 0 if there is none). opens, plays, goes_out: the
    exact chances that he can open, play anything, empty his rack after the draw; opens is None once he has opened.
    """

    tiles: tuple[Draw, ...]
    unseen: int
    drawn: int
    move: Move | None
    value: int
    opens: Fraction | None
    plays: Fraction
    goes_out: Fraction

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; a chance is its value and the exact fraction as text."""
        return {
            "tiles": [draw.to_dict() for draw in self.tiles],
            "unseen": self.unseen,
            "drawn": self.drawn,
            "move": None if self.move is None else self.move.to_dict(),
            "value": self.value,
            "opens": None if self.opens is None else _chance(self.opens),
            "plays": _chance(self.plays),
            "goes_out": _chance(self.goes_out),
        }

    @classmethod
    def from_dict(cls, data: object, move: plain.Reader[Move] = Move.from_dict) -> Self:
        """The inverse of `to_dict`. Raises ParseError."""
        return cls(
            **plain.read(
                data,
                "draws",
                tiles=plain.each(lambda draw: Draw.from_dict(draw, move)),
                unseen=plain.whole,
                drawn=plain.whole,
                move=plain.maybe(move),
                value=plain.whole,
                opens=plain.maybe(_as_chance),
                plays=_as_chance,
                goes_out=_as_chance,
            )
        )


def _chance(chance: Fraction) -> dict[str, Any]:
    return {"value": float(chance), "exact": str(chance)}


def _as_chance(data: object) -> Fraction:
    """The inverse of `_chance`; the value is not read."""
    exact = plain.read(data, "chance", ("value",), exact=plain.text)["exact"]
    above, _, below = exact.partition("/")
    if all(part.isascii() and part.isdigit() and len(part) <= MOST_DIGITS for part in (above, below or "1")):
        with suppress(ZeroDivisionError):
            return Fraction(int(above), int(below or "1"))
    raise ParseError(f"exact: must be a fraction, not {quote(exact)}")


def draws(
    position: Position,
    objective: str = "tiles",
    *,
    weights: Mapping[Tile, int] | None = None,
    solver: Solver | None = None,
) -> Draws:
    """What the next draw may bring in a position, everything exact.

    objective, weights: what the best move is, as in `best_move`. solver: a warm solver of the position's rules.
    A draw of several tiles (`rules.draw`) is gone through hand by hand; where that is more than 10,000 hands
    UnsupportedRules is raised. Raises IllegalPosition, SolverError for a bad argument, and what the search raises.
    """
    if not isinstance(position, Position):
        raise SolverError(f"position: must be a Position, not {quote(position)}")
    if solver is not None and not isinstance(solver, Solver):
        raise SolverError(f"solver: must be a Solver, not {quote(solver)}")
    problems = position.problems()
    if problems:
        raise IllegalPosition(problems)
    goal = objective_for(objective, weights, position.rules)
    unseen = unseen_tiles(position)
    total = unseen.total()
    drawn = min(position.rules.draw, total)
    kinds = list(unseen)
    if _hands_exceed(list(unseen.values()), drawn, MOST_HANDS):
        raise UnsupportedRules(f"draw: {position.rules.draw} tiles can be more than {MOST_HANDS} different hands")
    search = Solver(position.rules) if solver is None else solver
    move = search.best_move(position, objective, weights=weights)
    value = _value(goal, move)
    tiles = []
    for tile in kinds:
        found = search.best_move(_with(position, (tile,)), objective, weights=weights)
        tiles.append(Draw(tile, unseen[tile], found, _value(goal, found), _value(goal, found) - value))
    most_tiles = {(draw.tile,): draw.move for draw in tiles} if goal.name == "tiles" else {}
    plays = goes_out = 0
    for hand, ways in _hands(kinds, unseen, drawn):
        after = _with(position, hand)
        # The move that lays most tiles tells whether there is any, and whether there is one that empties the rack.
        found = most_tiles[hand] if hand in most_tiles else search.best_move(after)
        if found is not None:
            plays += ways
            goes_out += ways * (len(found.tiles) == len(after.rack) and not found.taken)
    all_ways = comb(total, drawn)
    chance = Fraction(plays, all_ways)
    opens = None if position.opened else chance  # the first move of a player is his opening
    return Draws(tuple(tiles), total, drawn, move, value, opens, chance, Fraction(goes_out, all_ways))


def _with(position: Position, tiles: TileSet) -> Position:
    return Position(position.table, (*position.rack, *tiles), position.opened, position.rules)


def _value(goal: Objective, move: Move | None) -> int:
    return 0 if move is None else goal.key(move.tiles)[0] - goal.key(move.taken)[0]


def _hands(kinds: Sequence[Tile], unseen: Counter[Tile], drawn: int) -> Iterator[tuple[TileSet, int]]:
    """Every multiset of so many unseen tiles, and how many ways there are to draw it."""
    if not drawn:
        yield (), 1
        return
    left = sum(unseen[tile] for tile in kinds)
    for at, tile in enumerate(kinds):
        if left < drawn:
            return
        left -= unseen[tile]
        for copies in range(max(1, drawn - left), min(unseen[tile], drawn) + 1):
            for rest, ways in _hands(kinds[at + 1 :], unseen, drawn - copies):
                yield (tile,) * copies + rest, ways * comb(unseen[tile], copies)


def _hands_exceed(copies: Sequence[int], drawn: int, most: int) -> bool:
    """Whether there are more different hands of so many tiles than `most`; without going through them."""
    hands = [1] + [0] * drawn
    for count in copies:
        hands = [sum(hands[size - k] for k in range(min(count, size) + 1)) for size in range(drawn + 1)]
        if hands[drawn] > most:
            return True
    return False
