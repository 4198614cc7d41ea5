"""How likely a Rummikub player can open, by the number of tiles in the rack.

python examples/opening_chances.py [--rules TEXT] [--hands 20000] [--seed 1] [--sizes 14 15 16 ...]

Without arguments it takes about half a minute.

Monte Carlo: racks are dealt from the whole material, the table is empty, and the search proves of each whether it
opens. The intervals are Wilson's 95% score intervals (E. B. Wilson, 1927), good also near 0 and 1. All sizes use the
same shuffles, each rack holding the smaller one: what a player's own draws do to his chance.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence

from solver import streams
from solver.errors import SolverError
from solver.rummikub import Position, Rules, Solver
from solver.rummikub.position import unseen_tiles

Z95 = 1.959963984540054
SIZES = (*range(10, 23), 25, 30)


def wilson(hits: int, hands: int) -> tuple[float, float]:
    """The 95% score interval of a chance that was met `hits` times in `hands`."""
    share, weight = hits / hands, Z95**2 / hands
    middle = (share + weight / 2) / (1 + weight)
    half = Z95 / (1 + weight) * math.sqrt(share * (1 - share) / hands + weight / (4 * hands))
    return max(0.0, middle - half), min(1.0, middle + half)


def rack(rules: Rules, hand: int, seed: int) -> list[str]:
    """All tiles of the material in the order in which this hand is dealt."""
    tiles = list(unseen_tiles(Position((), (), False, rules)).elements())
    order = streams.generator(seed, "opening chances", hand).permutation(len(tiles))
    return [tiles[place] for place in order]


def opened(rules: Rules, sizes: Sequence[int], hands: int, seed: int) -> dict[int, int]:
    """Size of the rack -> how many of so many dealt racks can open."""
    solver = Solver(rules)
    hits = dict.fromkeys(sizes, 0)
    for hand in range(hands):
        tiles = rack(rules, hand, seed)
        for at, size in enumerate(sizes):
            if solver.best_move(Position((), tiles[:size], False, rules)) is not None:
                # Further tiles take nothing away: who can open with some of a rack's tiles can with all of them.
                for larger in sizes[at:]:
                    hits[larger] += 1
                break
    return hits


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Chance to open, by rack size.")
    parser.add_argument("--rules", default="standard", help="rules text, for example retail or american")
    parser.add_argument("--hands", type=int, default=20_000, help="shuffles")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="tiles in the rack")
    options = parser.parse_args()
    rules = Rules.parse(options.rules)
    most = rules.colors * rules.numbers * rules.copies + rules.jokers
    sizes = sorted(set(options.sizes))
    if options.hands < 1 or not 1 <= sizes[0] <= sizes[-1] <= most:
        parser.error(f"--hands must be positive, --sizes from 1 to {most}")
    print(f"rules {rules}, {options.hands} shuffles, seed {options.seed}")
    print(f"{'tiles':>5}  {'can open':>8}  95% interval")
    for size, hits in opened(rules, sizes, options.hands, options.seed).items():
        low, high = wilson(hits, options.hands)
        print(f"{size:>5}  {hits / options.hands:>8.4f}  {low:.4f} to {high:.4f}")


if __name__ == "__main__":
    try:
        main()
    except SolverError as error:
        sys.exit(f"error: {error}")
