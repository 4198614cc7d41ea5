"""Setup: what to play, what each play gives away, and what it leaves for the next player.

python examples/setup_analysis.py ["POSITION"]
"""

from __future__ import annotations

import sys

from solver.errors import SolverError
from solver.setup import PlayLine, Position, analyse, best_move, count_moves
from solver.setup.render import render_text

POSITION = (
    "c1:3C b2:3* c2:9S d2:7C a3:1C b3:6C c3:10C | 10* 3H 2H 8* | 4H 1S 1H 9H | to=E seats=NES scores=21,18,25 finish=60"
)


def main() -> None:
    """Analyse the position of the command line, or the one above."""
    position = Position.parse(sys.argv[1] if len(sys.argv) > 1 else POSITION)
    print(render_text(position))
    print(f"\n{count_moves(position)} legal moves")
    for objective in ("points", "margin", "strength"):
        print(f"best by {objective}: {best_move(position, objective)}")
    analysis = analyse(position, lines=4)
    print("\npoints - bonus - expected best answer of the next player:")
    for line in analysis.lines:
        assert isinstance(line, PlayLine)
        assert line.answer is not None
        low, high = line.answer.ci95
        print(
            f"{line.value:7.2f}  {line.move}: {line.move.points} points, bonus {line.move.bonus or 'none'}, "
            f"answer {line.answer.mean:.2f} ({low:.2f} to {high:.2f}), "
            f"with what lies open {line.open_answer} ({line.opens})"
        )
    if analysis.swap is not None:
        print(
            f"{analysis.swap.value:7.2f}  any swap; better than every play: {'yes' if analysis.swap_better else 'no'}"
        )


if __name__ == "__main__":
    try:
        main()
    except SolverError as error:
        sys.exit(f"error: {error}")
