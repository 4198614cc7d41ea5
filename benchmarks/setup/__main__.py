"""The figures of Setup in one run.

    python -m benchmarks.setup [--turns 100000] [--games 400] [--quick]

Times are medians over positions of the best of some repetitions; they are only reported, nothing depends on them.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from solver.match import match
from solver.setup import Board, Position, Rules, best_moves, legal_moves, play_arrays
from solver.setup.board import SEATS
from solver.setup.players import counted, player
from solver.setup.reference import legal_moves as reference_moves
from solver.setup.search import compiled
from solver.streams import generator

DATA = Path(__file__).parents[2] / "tests" / "data" / "setup" / "positions.json"
USUAL = (60, 300)
KERNEL_REPEATS = 500
BEST_OF = 7
FINISH = 60
RULES = f"default+finish={FINISH}"
TURNS = {2: 25, 3: 35, 4: 40}
"""Turns of a game by number of players, about."""
ANSWERS = 1024
HALF_WIDTH = 1.959963984540054
LARGE_BOARDS = {
    "8x8 grid, 10 numbers x 12 suits": Rules(
        finish=FINISH,
        board=Board.grid(
            8, 8, {"d1": "N", "e1": "N", "h4": "E", "h5": "E", "d8": "S", "e8": "S", "a4": "W", "a5": "W"}
        ),
        numbers=10,
        suits="*HDCSabcdefg",
    ),
    "5x5 grid, 10 numbers x 5 suits": Rules(finish=FINISH, board=Board.grid(5, 5, {"c1": "N", "c5": "S"})),
    "ring of 40 squares, 20 numbers x 6 suits": Rules(
        finish=FINISH,
        board=Board(
            tuple(f"r{i}" for i in range(40)), ("",) * 40, tuple((f"r{i}", f"r{(i + 1) % 40}") for i in range(40))
        ),
        numbers=20,
        suits="*HDCSa",
    ),
}


def kernel_time(position: Position, repeats: int = KERNEL_REPEATS) -> float:
    """Microseconds of one enumeration with all records written, without Python."""
    packed = position.packed()
    kernel = compiled(position.rules, position.seats)
    times = []
    for _ in range(BEST_OF):
        start = time.perf_counter()
        kernel.records(*packed[:3], packed.mover, 0, 1 << 25, repeats)
        times.append((time.perf_counter() - start) / repeats)
    return min(times) * 1e6


def python_time(call: Callable[[], object], repeats: int = 100) -> float:
    """Microseconds of a call from Python, the best of some repetitions."""
    times = []
    for _ in range(BEST_OF):
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        times.append((time.perf_counter() - start) / repeats)
    return min(times) * 1e6


def given_positions() -> list[Position]:
    """The positions of the data file that have a usual number of plays."""
    positions = [Position.parse(entry["position"]) for entry in json.loads(DATA.read_text(encoding="utf-8"))]
    return [position for position in positions if USUAL[0] <= len(play_arrays(position)) <= USUAL[1]]


def random_positions(rules: Rules, count: int, tries: int = 4000, usual: tuple[int, int] = USUAL) -> list[Position]:
    """Positions with a usual number of plays on another board: each square filled with the same chance."""
    found: list[Position] = []
    squares = rules.graph.squares
    for number in range(tries):
        rng = generator(0, "setup", number, "benchmark")
        tiles = [str(tile) for tile in rng.permutation(rules.tiles)]
        filled = [square for square in squares if rng.random() < rng.choice([0.5, 0.75, 1.0])][: len(tiles) - 8]
        stacks = {square: [tiles[8 + index]] for index, square in enumerate(filled)}
        position = Position(stacks, tiles[:4], tiles[4:8], "N", "NS", [0, 0], rules)
        if usual[0] <= len(play_arrays(position)) <= usual[1]:
            found.append(position)
        if len(found) == count:
            break
    return found


def report_enumeration(quick: bool) -> None:
    """Kernel and array times on the default board and on others, and the ratio to the naive search."""
    positions = given_positions()
    plays = [len(play_arrays(position)) for position in positions]
    kernel = [kernel_time(position) for position in positions]
    arrays = [python_time(lambda p=position: play_arrays(p)) for position in positions]  # type: ignore[misc]
    print(f"default board, {len(positions)} positions with {min(plays)} to {max(plays)} plays:")
    usual = statistics.median(kernel)
    print(f"  kernel           median {usual:.2f} us, worst {max(kernel):.2f} us")
    print(f"  per play         median {statistics.median(np.divide(kernel, plays)) * 1e3:.1f} ns")
    print(f"  arrays in Python median {statistics.median(arrays):.2f} us, worst {max(arrays):.2f} us")
    objects = [python_time(lambda p=position: list(legal_moves(p)), 1) for position in positions]  # type: ignore[misc]
    print(f"  Move objects     median {statistics.median(objects):.0f} us")
    ratios = []
    for position, own in list(zip(positions, arrays, strict=True))[:: 6 if quick else 2]:
        start = time.perf_counter()
        count = sum(1 for move in reference_moves(position) if not move.swap)
        ratios.append((time.perf_counter() - start) * 1e6 / own)
        assert count == len(play_arrays(position))
    print(f"  naive search takes {statistics.median(ratios):.0f} times as long as the arrays (median of {len(ratios)})")
    for name, rules in LARGE_BOARDS.items():
        others = random_positions(rules, 10 if quick else 40)
        crowded = random_positions(rules, 10 if quick else 40, usual=(1, 10**9))
        times = [kernel_time(position, 100) for position in others]
        if times:
            median = statistics.median(times)
            print(f"{name}: {len(times)} positions with a usual number of plays,")
            print(f"  kernel           median {median:.2f} us, {median / usual:.1f} times the default board")
        counts = [len(play_arrays(position)) for position in crowded]
        all_times = [kernel_time(position, 20) for position in crowded]
        median, most = statistics.median(all_times), max(counts)
        print(f"  any number of plays: median {statistics.median(counts):.0f} plays in {median:.2f} us", end="; ")
        print(f"largest {most} plays in {all_times[counts.index(most)]:.0f} us")


def report_largest(turns: int) -> None:
    """The largest position that whole games come by, with its time."""
    rules = Rules(finish=FINISH)
    largest: tuple[int, tuple[bytes, bytes, bytes, int], str] = (0, (b"", b"", b"", 0), "")
    played = 0
    start = time.perf_counter()
    for seats in ("NS", "NES", "NESW"):
        found = counted(rules, [player("margin")] * len(seats), 0, 0, turns // 3 // TURNS[len(seats)] + 1, True)
        played += found[1]
        largest = max(largest, (found[5], found[6], seats))
    seconds = time.perf_counter() - start
    plays, (tops, rack, common, mover), seats = largest
    kernel = compiled(rules, seats)
    start = time.perf_counter()
    kernel.records(tops, rack, common, mover, 0, 1 << 25, 100)
    spent = (time.perf_counter() - start) / 100
    print(f"{played} turns of self-play with 2, 3 and 4 players in {seconds:.1f} s:")
    print(f"  largest position {plays} plays ({len(seats)} players), {spent * 1e6:.0f} us")
    tiles, squares = rules.tiles, rules.graph.squares
    board = {squares[at]: [tiles[tile]] for at, tile in enumerate(tops) if tile < len(tiles)}
    hands = [[tiles[tile] for tile in hand] for hand in (rack, common)]
    print(f"  {Position(board, hands[0], hands[1], SEATS[mover], seats, [0] * len(seats), rules)}")


def report_lookahead(quick: bool) -> None:
    """Half-width of the difference between the two best moves, and time."""
    widths, times = [], []
    for position in given_positions()[:: 4 if quick else 1]:
        start = time.perf_counter()
        lines = best_moves(position, 2, "lookahead", samples=ANSWERS)
        times.append(time.perf_counter() - start)
        assert lines[1].behind is not None
        widths.append(HALF_WIDTH * lines[1].behind.se)
    print(f"lookahead with {ANSWERS} deals on {len(times)} positions:")
    print(f"  half-width of the difference of the two best: median {statistics.median(widths):.3f}, worst", end=" ")
    print(f"{max(widths):.3f} points; time: median {statistics.median(times):.3f}, worst {max(times):.3f} s")


def report_games(games: int) -> None:
    """Whole games a second of one core, and microseconds a move."""
    rules = Rules(finish=FINISH)
    print("whole games on one core (the best of some repetitions):")
    for text, share in (
        ("greedy", 10),
        ("margin", 10),
        ("static", 10),
        ("evaluation", 1),
        ("lookahead:samples=2", 0.2),
    ):
        for seats in (2, 3, 4):
            times = []
            count = max(1, int(games * share))
            for _ in range(BEST_OF):
                start = time.process_time()
                turns = counted(rules, [player(text)] * seats, 1, 0, count)[1]
                times.append(time.process_time() - start)
            rate, move = count / min(times), min(times) / turns * 1e6
            print(f"  {text}, {seats} players: {rate:.0f} games a second, {move:.2f} us a move")


STRENGTH = (
    ("margin", 40),
    ("margin:bonus=full", 40),
    ("static", 40),
    ("evaluation", 10),
    ("lookahead:samples=2", 4),
    ("lookahead:samples=8", 2),
    ("lookahead:samples=64", 1),
)


def report_strength(games: int) -> None:
    """Share of games won by one against greedy points, every deal from every seat, with time a move."""
    for other in ("greedy", "greedy:ties=order"):
        print(f"share of games won by one against {other}, {FINISH} steps, seed 1:")
        for seats in (2, 3, 4):
            for text, factor in STRENGTH:
                start = time.process_time()
                count = max(1, games * factor // seats) * seats
                result = match("setup", [text, *[other] * (seats - 1)], games=count, seed=1, rules=RULES)
                seconds = time.process_time() - start
                share = result.wins[0]
                print(f"  {seats} players, {text}: {share.mean:.3f} +- {HALF_WIDTH * share.se:.3f}", end="")
                print(f" ({count} games, {seconds:.0f} s)", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.setup", description=__doc__)
    parser.add_argument("--turns", type=int, default=100_000, help="turns of self-play for the largest position")
    parser.add_argument("--games", type=int, default=400, help="games of the dearest players; 0 leaves games out")
    parser.add_argument("--quick", action="store_true", help="fewer positions")
    options = parser.parse_args()
    print(f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}")
    report_enumeration(options.quick)
    report_largest(options.turns)
    report_lookahead(options.quick)
    if options.games:
        report_games(options.games)
        report_strength(options.games)


if __name__ == "__main__":
    main()
