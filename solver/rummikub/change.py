"""What a move does to the table: sets kept, tiles moved, and for every final set where its tiles come from.

Definitions are those of the rules file ("Objectives", ties): kept sets are the multiset intersection of the original
and the final sets, jokers with their meaning; moved tiles are the table tiles minus the best one-to-one matching of
final to original sets by the size of their multiset intersection.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from .. import plain
from .sets import Tile, TileSet, plain_tiles

Table = Sequence[TileSet]
Kind = Literal["unchanged", "extended", "rearranged", "new"]


@dataclass(frozen=True, slots=True)
class SetChange:
    """One set of the final table.

    kind: unchanged; extended (a whole original set and tiles of the rack); new (tiles of the rack alone); else
    rearranged. origins: for each tile the index of the original set that it comes from, None from the rack; of equal
    tiles, which are interchangeable, those that lie nearest.
    """

    kind: Kind
    tiles: TileSet
    origins: tuple[int | None, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"kind": self.kind, "tiles": list(self.tiles), "origins": list(self.origins)}

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`. Raises ParseError."""
        kind = plain.one_of(get_args(Kind))
        return cls(
            **plain.read(data, "set", kind=kind, tiles=plain_tiles, origins=plain.each(plain.maybe(plain.whole)))
        )


def kept_sets(before: Table, after: Table) -> int:
    """How many original sets (in canonical order) are on the final table as they were."""
    return (Counter(before) & Counter(after)).total()


def moved_tiles(before: Table, after: Table) -> int:
    """How many tiles of the original table are not where the best matching of sets leaves them."""
    matched = match_sets(before, after)
    stay = sum(_common(Counter(before[old]), Counter(after[new])) for new, old in matched.items())
    return sum(map(len, before)) - stay


def match_sets(before: Table, after: Table) -> dict[int, int]:
    """The best one-to-one matching: index of final set -> index of original set, pairs that share tiles only."""
    matched: dict[int, int] = {}
    left: dict[TileSet, list[int]] = {}
    for old, tiles in enumerate(before):
        left.setdefault(tiles, []).append(old)
    # An unchanged set is matched with itself in some best matching.
    for new, tiles in enumerate(after):
        if left.get(tiles):
            matched[new] = left[tiles].pop(0)
    olds = sorted(old for rest in left.values() for old in rest)
    news = [new for new in range(len(after)) if new not in matched]
    if olds and news:
        stocks = [Counter(before[old]) for old in olds]
        worth = [[_common(laid, stock) for stock in stocks] for laid in (Counter(after[new]) for new in news)]
        for row, column in enumerate(_assign(worth)):
            if column is not None and worth[row][column]:
                matched[news[row]] = olds[column]
    return matched


def _common(laid: Counter[Tile], stock: Counter[Tile]) -> int:
    """How many tiles both hold."""
    return sum(min(number, stock[tile]) for tile, number in laid.items() if tile in stock)


def set_changes(before: Table, after: Table) -> tuple[SetChange, ...]:
    """Every final set with the origin of its tiles."""
    matched = match_sets(before, after)
    left = [Counter(tiles) for tiles in before]
    origins: list[list[int | None]] = [[None] * len(tiles) for tiles in after]
    for new, old in matched.items():
        _draw(after[new], origins[new], left[old], old)
    # What the matched set does not give comes from other original sets, and only then from the rack.
    for new, tiles in enumerate(after):
        for old, stock in enumerate(left):
            if None in origins[new] and stock:
                _draw(tiles, origins[new], stock, old)
    return tuple(
        SetChange(_kind(before, tiles, origin), tiles, tuple(origin))
        for tiles, origin in zip(after, origins, strict=True)
    )


def _draw(tiles: TileSet, origin: list[int | None], stock: Counter[Tile], old: int) -> None:
    for place, tile in enumerate(tiles):
        if origin[place] is None and stock[tile] > 0:
            stock[tile] -= 1
            origin[place] = old


def _kind(before: Table, tiles: TileSet, origin: Sequence[int | None]) -> Kind:
    sources = {old for old in origin if old is not None}
    if not sources:
        return "new"
    if len(sources) == 1:
        (old,) = sources
        if tiles == before[old]:
            return "unchanged"
        if sum(source == old for source in origin) == len(before[old]):
            return "extended" if None in origin else "rearranged"
    return "rearranged"


def _assign(worth: list[list[int]]) -> list[int | None]:
    """A column for each row, each column once, of greatest total worth (the Hungarian method, by shortest paths)."""
    rows, columns = len(worth), len(worth[0])
    size = max(rows, columns)
    top = max(max(row) for row in worth)
    cost = [[top - worth[i][j] if i < rows and j < columns else top for j in range(size)] for i in range(size)]
    row_price, column_price = [0] * (size + 1), [0] * (size + 1)
    owner = [0] * (size + 1)  # 1-based row of each column; column 0 holds the row to be placed
    for row in range(1, size + 1):
        owner[0] = row
        column = 0
        slack: list[float] = [float("inf")] * (size + 1)
        came = [0] * (size + 1)
        used = [False] * (size + 1)
        while owner[column]:
            used[column] = True
            here = owner[column]
            step, following = float("inf"), 0
            for j in range(1, size + 1):
                if not used[j]:
                    reduced = cost[here - 1][j - 1] - row_price[here] - column_price[j]
                    if reduced < slack[j]:
                        slack[j], came[j] = reduced, column
                    if slack[j] < step:
                        step, following = slack[j], j
            for j in range(size + 1):
                if used[j]:
                    row_price[owner[j]] += int(step)
                    column_price[j] -= int(step)
                else:
                    slack[j] -= step
            column = following
        while column:
            owner[column] = owner[came[column]]
            column = came[column]
    out: list[int | None] = [None] * rows
    for column in range(1, columns + 1):
        if owner[column] <= rows:
            out[owner[column] - 1] = column - 1
    return out
