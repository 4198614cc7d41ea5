"""How many Rummikub hands of each size can be laid completely, with one and with two copies of every tile.

python examples/winning_hands.py           # up to 26 tiles: at once
python examples/winning_hands.py --all     # every size: about 15 seconds, 450 MB
"""

from __future__ import annotations

import argparse

from solver.rummikub import Rules
from solver.rummikub.hands import count_winning_hands

QUICK_TILES = 26


def main() -> None:
    parser = argparse.ArgumentParser(description="Hands that can be laid completely, by number of tiles.")
    parser.add_argument("--all", action="store_true", help="every size, also with two copies")
    most = None if parser.parse_args().all else QUICK_TILES
    one = count_winning_hands(Rules(copies=1), max_tiles=most)
    two = count_winning_hands(Rules(copies=2), max_tiles=most)
    width = len(str(sum(two.physical.values()))) + 3
    print(f"{'tiles':>5}{'one copy':>{width}}{'two copies':>{width}}{'copies told apart':>{width}}")
    for size, count in two.distinct.items():
        print(f"{size:>5}{one.distinct.get(size, 0):>{width}}{count:>{width}}{two.physical[size]:>{width}}")
    totals = (sum(counts.values()) for counts in (one.distinct, two.distinct, two.physical))
    print(f"{'sum':>5}" + "".join(f"{total:>{width}}" for total in totals))


if __name__ == "__main__":
    main()
