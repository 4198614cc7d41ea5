"""Random positions over random small boards and all options: the kernels against the naive search and the referee.

    python -m benchmarks.setup.check --count 20000 [--seed 0]

Compared are all moves with points and bonus, their number, the lazy iteration, the best moves for `points` and `margin`
with values and order, and what the referee says of legal moves and of moves that are not. Exit 1 on any difference.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import islice

import numpy as np

from solver.setup import Board, Move, Position, Rules, search, verify
from solver.setup.board import DEFAULT_BOARD, SEATS
from solver.setup.reference import legal_moves as reference_moves
from solver.setup.reference import move_value
from solver.streams import generator

LETTERS = "*HDCSabXYZ"
LARGE_BOARDS = 0.1
DEFAULT_BOARDS = 0.1
VERIFIED = 40
FALSE_MOVES = 10


def random_position(rng: np.random.Generator) -> Position:
    """A position that is legal, with everything drawn at random: board, tiles, seats, options, stacks, hands."""

    def pick(*values: str) -> str:
        return values[int(rng.integers(len(values)))]

    large = rng.random() < LARGE_BOARDS
    most_squares = 12 if large else 6
    if rng.random() < DEFAULT_BOARDS:
        large = True
        board = DEFAULT_BOARD
    else:
        count = int(rng.integers(1 if rng.random() < 0.1 else 3, most_squares + 1))
        squares = [f"q{i}" for i in range(count)]
        density = rng.choice([0.4, 0.7, 1.0])
        links = [(a, b) for i, a in enumerate(squares) for b in squares[:i] if rng.random() < density]
        owners = [pick("", "", *SEATS) for _ in squares]
        board = Board(tuple(squares), tuple(owners), tuple(links))
    players = int(rng.integers(2, 5))
    teams = players == 4 and rng.random() < 0.3
    seats = "".join(sorted(rng.choice(list(SEATS), players, replace=False), key=SEATS.index))
    suits = int(rng.integers(1, 6))
    numbers = int(rng.integers(1, 11 if suits < 4 else 9))
    rules = Rules(
        finish=60,
        board=board,
        links=pick("orthogonal", "with_corners") if board == DEFAULT_BOARD else "orthogonal",
        numbers=numbers,
        suits="".join(rng.choice(list(LETTERS), suits, replace=False)),
        absent_squares=pick("empty", "filled"),
        first_player=pick("random", *SEATS),
        run_order=pick("monotone", "block"),
        on_opponents=pick("forbidden", "allowed"),
        scoring=pick("union", "per_set", "placed_plus_sets"),
        bonus=pick("per_tile", "none"),
        bonus_claim=pick("automatic", "if_claimed"),
        finish_rule=pick("reach", "pass"),
        teams=teams,
        partners_see_racks=rng.random() < 0.5,
    )
    tiles = [str(tile) for tile in rng.permutation(rules.tiles)]
    # Small hands where the naive search would take long: on many squares, and with few suits or numbers.
    narrow = suits == 1 or numbers < 3
    most_rack = int(rng.integers(0, 2 if narrow and large else 3 if large or narrow else 5))
    most_common = int(rng.integers(1, 3 if large or narrow else 5))
    rack, common, rest = (
        tiles[:most_rack],
        tiles[most_rack : most_rack + most_common],
        tiles[most_rack + most_common :],
    )
    stacks: dict[str, list[str]] = {}
    filled = rng.random() ** 0.5
    for square in board.squares:
        if rest and rng.random() < filled:
            stacks[square] = [rest.pop() for _ in range(min(len(rest), int(rng.integers(1, 4))))]
    scores = [int(score) for score in rng.integers(0, 60, players)]
    return Position(stacks, rack, common, pick(*seats), seats, scores, rules)


def differences(position: Position, rng: np.random.Generator) -> list[str]:
    """Everything in which kernels, naive search and referee differ on a position."""
    found: list[str] = []
    expected = list(reference_moves(position))
    by_move = {move: (move.points or 0, move.bonus or {}) for move in expected}
    got = list(search.legal_moves(position))
    if len(got) != len(set(got)) or {move: (move.points, move.bonus) for move in got} != by_move:
        found.append(f"legal_moves: {len(got)} moves, the naive search has {len(expected)}, or they differ")
    if search.count_moves(position) != len(expected):
        found.append(f"count_moves: {search.count_moves(position)}, the naive search has {len(expected)}")
    if Position.parse(str(position)) != position:
        found.append("text: parse(str(position)) differs")
    for objective in ("points", "margin"):
        ranked = sorted(expected, key=lambda move: _rank(position, move, objective))
        lines = search.best_moves(position, 5, objective)
        want = [(move, move_value(position, move, objective)) for move in ranked[:5]]
        have = [(line.move, line.value) for line in lines]
        if [move for move, _ in want] != [move for move, _ in have] or any(
            abs(a - b) > 1e-9 for (_, a), (_, b) in zip(want, have, strict=True)
        ):
            found.append(f"best_moves {objective}: {have}, the naive search has {want}")
        values = [move_value(position, move, objective) for move in expected]
        for line in lines:
            same = sum(abs(value - line.value) < 1e-9 for value in values)
            if line.tied != (same > 1):
                found.append(f"tied {objective}: {line}")
    for move in islice((expected[int(i)] for i in rng.permutation(len(expected))), VERIFIED):
        if problems := verify(position, move):
            found.append(f"verify {move}: {problems}")
    hand = position.rack + position.common
    squares = position.rules.graph.squares
    for _ in range(FALSE_MOVES if hand else 0):
        count = int(rng.integers(1, min(len(hand), len(squares)) + 1))
        tiles = rng.choice(hand, count, replace=False)
        move = Move(zip(map(str, tiles), map(str, rng.choice(squares, count, replace=False)), strict=True))
        if (move in by_move) != (not verify(position, move)):
            found.append(f"verify {move}: {verify(position, move)}, the naive search has it: {move in by_move}")
    return found


def _rank(position: Position, move: Move, objective: str) -> tuple[object, ...]:
    rules = position.rules
    places = sorted((rules.tile_index[tile], rules.graph.squares.index(square)) for tile, square in move.placements)
    own = len(move.swap) or sum(tile in position.rack for tile in move.tiles)
    swapped = sorted(rules.tile_index[tile] for tile in move.swap)
    value = round(move_value(position, move, objective) * 12)
    partner = SEATS[(SEATS.index(position.to) + 2) % len(SEATS)] if position.rules.teams else ""
    bonus = sum(count for seat, count in (move.bonus or {}).items() if seat != partner)
    return -value, bonus, own, bool(swapped), [t for t, _ in places] or swapped, [s for _, s in places]


def check(count: int, seed: int) -> list[str]:
    """The differences of `count` random positions, each with its position."""
    found = []
    for number in range(count):
        rng = generator(seed, "setup", number, "check")
        position = random_position(rng)
        found += [f"{number}: {position}\n    {difference}" for difference in differences(position, rng)]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.setup.check", description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    found = check(options.count, options.seed)
    for difference in found[:20]:
        print(difference)
    print(f"{options.count} positions compared, {len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
