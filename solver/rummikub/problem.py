"""Count problems: what a search hands to the kernel.

Of every tile some copies must end in sets and some may. A position is one; so is every part into which the rules of
jokers, openings and lists of moves divide it, because everything they decide beforehand is a count:
a joker that stays in its meaning is one more copy of that tile, a rack tile that must be laid is as good as on the
table, and the tiles of a set that is decided are gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from .position import Position
from .sets import COLORS, JOKER, TILE_KEYS, Tile, TileSet

LANES = len(COLORS)


@dataclass(slots=True)
class Problem:
    """Counts that must and may be laid, and what is decided already.

    must, may: copies by (number - 1) * 4 + colour. jokers_must, jokers_may: likewise. laid: rack tiles that are decided
    to be laid. sets: sets that are decided. stays: tiles that are jokers which stay in that meaning (counted in must).
    """

    must: bytearray
    may: bytearray
    jokers_must: int
    jokers_may: int
    laid: list[Tile] = field(default_factory=list)
    sets: list[TileSet] = field(default_factory=list)
    stays: list[Tile] = field(default_factory=list)

    @classmethod
    def of(cls, position: Position) -> Problem:
        """The whole position, its table jokers free to stand for anything."""
        packed = position.packed
        half = LANES * position.rules.numbers
        return cls(bytearray(packed[:half]), bytearray(packed[half : 2 * half]), packed[-2], packed[-1])

    def copy(self) -> Problem:
        """An independent copy."""
        return Problem(
            bytearray(self.must),
            bytearray(self.may),
            self.jokers_must,
            self.jokers_may,
            list(self.laid),
            list(self.sets),
            list(self.stays),
        )

    def packed(self) -> bytes:
        """What the kernel reads."""
        return bytes(self.must + self.may + bytes((self.jokers_must, self.jokers_may)))

    def rack(self) -> Counter[Tile]:
        """Rack tiles that are still free to be laid or not."""
        free = Counter({_name(at): count for at, count in enumerate(self.may) if count})
        if self.jokers_may:
            free[JOKER] = self.jokers_may
        return free

    def lay(self, tile: Tile) -> bool:
        """Decide that one more rack tile is laid, somewhere; False if the rack has none."""
        if tile == JOKER:
            if not self.jokers_may:
                return False
            self.jokers_may -= 1
            self.jokers_must += 1
        else:
            at = cell(tile)
            if not self.may[at]:
                return False
            self.may[at] -= 1
            self.must[at] += 1
        self.laid.append(tile)
        return True

    def drop(self, tile: Tile, keep: int) -> None:
        """Leave at most `keep` free copies of a rack tile."""
        if tile == JOKER:
            self.jokers_may = min(self.jokers_may, keep)
        else:
            self.may[cell(tile)] = min(self.may[cell(tile)], keep)

    def take(self, tile: Tile) -> bool:
        """Use one copy of a real tile for a decided set: one that must be laid if there is, else one of the rack."""
        at = cell(tile)
        if self.must[at]:
            self.must[at] -= 1
        elif self.may[at]:
            self.may[at] -= 1
            self.laid.append(tile)
        else:
            return False
        return True


def cell(tile: Tile) -> int:
    """Place of a real tile in the counts."""
    color, number = TILE_KEYS[tile]
    return (number - 1) * LANES + color


def names(numbers: int) -> tuple[Tile, ...]:
    """Tile names by place in the counts, the joker last."""
    return (*(_name(at) for at in range(numbers * LANES)), JOKER)


def _name(at: int) -> Tile:
    return f"{COLORS[at % LANES]}{at // LANES + 1}"


def stand_in(sets: Iterable[TileSet], stays: Iterable[Tile]) -> list[TileSet]:
    """The sets with a joker in the place of each tile of `stays`."""
    out = [list(tiles) for tiles in sets]
    for tile in stays:
        holder = next(tiles for tiles in out if tile in tiles)
        holder[holder.index(tile)] = JOKER
    return [tuple(tiles) for tiles in out]
