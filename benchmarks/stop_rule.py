"""What the stop rule of matches decides, and after how many pairs: the table of docs/matches.md.

python -m benchmarks.stop_rule [--matches 1000] [--seed 1]

A pair is two independent games of the same true win share; its unit is their mean, as in a match.
"""

from __future__ import annotations

import argparse
import random
import statistics

from solver.match import Stop, Watch

CASES = (
    (0.5, 0.55, (0.5, 0.525, 0.55, 0.6)),
    (0.5, 0.6, (0.5, 0.6)),
)


def one(stop: Stop, share: float, dice: random.Random) -> tuple[str, int]:
    """(Verdict, pairs played) of one match without an end."""
    watch = Watch(stop)
    pairs = 0
    said = None
    while said is None:
        pairs += 1
        said = watch.add(((dice.random() < share) + (dice.random() < share)) / 2)
    return said, pairs


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stop_rule", description="What the stop rule decides.")
    parser.add_argument("--matches", type=int, default=1000, help="of each row; default: 1000")
    parser.add_argument("--seed", type=int, default=1, help="of the games; default: 1")
    options = parser.parse_args()
    if options.matches < 1:
        parser.error("--matches must be positive")
    print("| rule | true share | `above` | `below` | pairs, mean (median) |\n|---|---|---|---|---|")
    for low, high, shares in CASES:
        for share in shares:
            dice = random.Random(f"{options.seed} {low} {high} {share}")
            found = [one(Stop(low, high), share, dice) for _ in range(options.matches)]
            above = 100 * sum(said == "above" for said, _ in found) / options.matches
            pairs = [count for _, count in found]
            middle = f"{statistics.mean(pairs):.0f} ({statistics.median(pairs):.0f})"
            print(f"| {low},{high} | {share} | {above:.1f}% | {100 - above:.1f}% | {middle} |")


if __name__ == "__main__":
    main()
