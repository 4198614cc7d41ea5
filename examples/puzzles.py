"""Rummikub puzzles of three public families, solved with the same few calls.

1. A hand of a larger box: one copy of each tile, numbers up to 100, no jokers; the highest sum that can be laid. (The
   form of a programming contest of 2006; "The Complexity of Rummikub Problems", van Rijn, Takes and Vis, 2015, treats
   the general problem.)
2. The best single set of a hand of 14 tiles (the form of problem 10186 of acmicpc.net, whose three hands these are).
3. A table that was knocked over: put it back in order, or prove which tiles are too many.

python examples/puzzles.py
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from solver.rummikub import Position, Rules, arrangements, best_move, legal_moves, repair

LARGE_BOX = Rules.parse("free+numbers=100+copies=1+jokers=0")
LARGE_HANDS = (
    "R1 R2 R3 B1 B2 B3 K1 K2 K3",
    "R98-100 B98 K98 O98 B99 B100 K100 O1-3 O50",
    "R10-14 B12 K12 O12 B13 K13 B14 K14 R40 B40 O40 K40 R41 R42",
)
HANDS = (
    "R5 B5 K5 R6 R7 B13 R12 K1 K9 O1 O2 O3 O7 O12",
    "R1 R2 B1 B2 K5 K7 K9 K11 B6 B8 B10 B12 O3 O4",
    "O13 K9 K13 R1 R3 R4 R5 R9 R13 B1 B2 B11 B12 B13",
)
TABLES = (
    "R1 R2 R3 R4 B4 K4 O4 B4 B5 B6 B7 K7 O7 R7 J K9 K11 O11 B11",
    "R1 R2 R3 R4 B4 K4 O4 B4 B5 B6 B7 K7 O7 R7 J K9 O11 B11 R13",
)


def text(tiles: Iterable[str]) -> str:
    """Tiles, or `none`."""
    return " ".join(tiles) or "none"


def single_sets(hand: str) -> Iterator[tuple[str, ...]]:
    """Every tuple of tiles of the hand that can lie as one set."""
    for move in legal_moves(Position.parse(f"- | {hand}")):
        for table in arrangements(move.tiles):
            if len(table) == 1:
                yield table[0]


def main() -> None:
    """Print the answers."""
    print("1. The highest sum of a hand with numbers up to 100")
    for hand in LARGE_HANDS:
        position = Position.parse(f"- | {hand} | rules={LARGE_BOX}")
        move = best_move(position, "value")
        print(f"   {text(position.rack)}")
        print("   nothing" if move is None else f"   {move.value}: {', '.join(map(text, move.table))}")
    print("2. The best single set of a hand")
    for hand in HANDS:
        print(f"   {hand}")
        sets = [(sum(int(tile[1:]) for tile in tiles), tiles) for tiles in single_sets(hand)]
        print("   no group and no run" if not sets else "   {}: {}".format(*_told(max(sets))))
    print("3. A table that was knocked over")
    for table in TABLES:
        repaired = repair(table)
        print(f"   {table}")
        print(f"   {', '.join(map(text, repaired.table))}; too many: {text(repaired.removed)}")


def _told(best: tuple[int, tuple[str, ...]]) -> tuple[int, str]:
    return best[0], text(best[1])


if __name__ == "__main__":
    main()
