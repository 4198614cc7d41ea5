"""Best moves of the example positions, each with its proof, what changes on the table, and the time it took.

`python examples/demo.py [FILE]`: positions as in rummikub.txt beside this file, which is the default.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from solver.errors import SolverError
from solver.rummikub import Move, Position, Solver, verify
from solver.rummikub.render import changes, render_text

WARM_CALLS = 51
RULER = "=" * 80


def read(path: Path) -> Iterator[tuple[str, Position]]:
    """(Title of one or more lines, position) of each position of a file."""
    title: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("##"):
            title.append(line.strip("# "))
        elif line.strip() and not line.startswith("#"):
            yield "\n".join(title), Position.parse(line)
            title = []


def searched(position: Position) -> tuple[Move | None, float, float]:
    """(Best move, milliseconds of a new Solver's first call, median of its later calls), table included."""
    solver = Solver(position.rules)
    times = []
    for _ in range(1 + WARM_CALLS):
        start = time.perf_counter()
        move = solver.best_move(position)
        if move is not None:
            _ = move.table
        times.append(1e3 * (time.perf_counter() - start))
    return move, times[0], statistics.median(times[1:])


def tell(position: Position, move: Move, color: bool) -> None:
    """The table after the move, and how it differs from the one before."""
    print(render_text(position, move, color))
    compared = changes(position, move)
    print(f"  kept      {len(compared.kept)} of {len(position.table)} sets")
    for before, after in compared.extended:
        print(f"  extended  {' '.join(before)}  ->  {' '.join(after)}")
    for tiles in compared.new:
        print(f"  new       {' '.join(tiles)}")
    for tiles in compared.gone:
        print(f"  gone      {' '.join(tiles)}")


def main() -> int:
    """Show every position; 1 if a move is not legal."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("rummikub.txt")
    color = sys.stdout.isatty()
    bad = 0
    for number, (title, position) in enumerate(read(path), 1):
        print(f"{RULER}\n{number}. {title}\n")
        print(f"rules {position.rules}{'' if position.opened else ', not opened yet'}")
        print(render_text(position, color=color))
        move, cold, warm = searched(position)
        if move is None:
            print("\nbest move: none. Proven: nothing can be laid.")
        else:
            tiles = f"{len(move.tiles)} of {len(position.rack)} tiles"
            print(f"\nbest move: lay {' '.join(move.tiles)}")
            print(f"worth {tiles}, value {move.value}. Proven: no legal move lays more, or as many of a higher value.")
            tell(position, move, color)
            problems = verify(position, move)
            bad += bool(problems)
            print(f"verify: {'; '.join(problems) or 'legal'}")
        print(f"time of the search: {cold:.3f} ms cold (first call of a new Solver), {warm:.3f} ms warm (median)\n")
    return 1 if bad else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (SolverError, OSError) as error:
        sys.exit(f"error: {error}")
