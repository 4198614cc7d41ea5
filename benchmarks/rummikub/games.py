"""How many whole games a second one core plays, by player.

    python -m benchmarks.rummikub.games --games 400 --seed 1
    python -m benchmarks.rummikub.games --rules free --players greedy search --slow

Every player plays itself. Seconds are processor time, the least of three passes, so that other work on the machine
counts little. slow: also through the states of `solver.rummikub.game`, a tenth of the games, and both must give the
same results.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from time import process_time
from typing import Final, TypeVar

from solver.errors import SolverError
from solver.games import play
from solver.rummikub import Rules
from solver.rummikub.game import start
from solver.rummikub.players import play_many, player

PASSES: Final = 3
SLOWER: Final = 10  # a tenth of the games where they take that much longer
SEARCHES: Final = "search"
RULES: Final = ("standard", "free", "standard+must_play=yes")
PLAYERS: Final = ("greedy", "value", "least", "hold", "keep", "wait", "wait:sample=8", "search")

T = TypeVar("T")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; exit code 1 if the fast loop and the states give different results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rummikub.games", description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rules", nargs="+", default=RULES, metavar="TEXT")
    parser.add_argument("--players", nargs="+", default=PLAYERS, metavar="TEXT")
    parser.add_argument("--slow", action="store_true", help="also by the states, and compare")
    options = parser.parse_args(arguments)
    same = True
    print(f"{'rules':28} {'player':16} {'games/s':>9} {'ms a game':>10}" + " by states" * options.slow)
    try:
        for rules in options.rules:
            for text in options.players:
                same &= _measure(Rules.parse(rules), text, options)
    except SolverError as error:
        print(error, file=sys.stderr)
        return 2
    return int(not same)


def _measure(rules: Rules, text: str, options: argparse.Namespace) -> bool:
    players = [player(text)] * options.seats
    count = max(1, options.games // SLOWER if text.startswith(SEARCHES) else options.games)
    play_many(rules, players, options.seed, 0, 1)  # tables are built with the first game
    fast, seconds = _least(lambda: play_many(rules, players, options.seed, 0, count))
    if fast is None:
        print(f"{rules!s:28} {text:16} {'-':>9} (not played by the kernel)")
        return True
    line = f"{rules!s:28} {text:16} {count / seconds:9.0f} {1000 * seconds / count:10.2f}"
    same = True
    if options.slow:
        few = max(1, count // SLOWER)
        begun = process_time()
        records = [play(start(rules, options.seats), players, options.seed, index) for index in range(few)]
        line += f" {few / (process_time() - begun):9.0f}"
        same = [(record.returns, record.winners) for record in records] == list(fast[:few])
        line += "" if same else " DIFFERENT"
    print(line, flush=True)
    return same


def _least(task: Callable[[], T]) -> tuple[T, float]:
    """What a task gives, and the fewest seconds that it took."""
    best = float("inf")
    for _ in range(PASSES):
        begun = process_time()
        found = task()
        best = min(best, process_time() - begun)
    return found, best


if __name__ == "__main__":
    sys.exit(main())
