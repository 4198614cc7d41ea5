"""What a change of a player's numbers is worth: win share, lead and time a move against another player of Setup.

    python -m benchmarks.setup.trials lookahead:samples=2 greedy --deals 2000 --set plies=3 deals=3 "exposed=-0.2"

Two players, 60 steps; every deal is played from both seats. `--set` names numbers of the policy (see policies.py):
candidates, lines, deals, plies, prior, spread, to_move, or a term of the evaluation as `benchmarks.setup.tune` prints
it. The lead at the end of the games tells smaller differences apart than the win share does.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

import numpy as np

from solver.setup import Rules
from solver.setup.board import SEATS
from solver.setup.game import IDLE_END, draw_key, start_squares
from solver.setup.kernel import play_many
from solver.setup.players import player
from solver.setup.search import compiled, finish_line, seated
from solver.streams import stream_key

from .tune import NAMES

if TYPE_CHECKING:
    import numpy.typing as npt

    from solver.setup.kernel.policy import Policy

RULES = Rules(finish=60)
PLACES = "NS"
PLACE_OF = {"candidates": 5, "lines": 7, "deals": 8, "plies": 9, "prior": 10, "spread": 11, "to_move": 12}
"""Where each number stands in a policy."""
TERMS_AT = 6
Z95 = 1.959963984540054


def changed(policy: Policy, settings: list[str]) -> Policy:
    """The policy with these `name=value`. SystemExit names what does not exist."""
    fields: list[object] = list(policy)
    terms = list(policy[TERMS_AT])
    for setting in settings:
        name, _, value = setting.partition("=")
        if name in NAMES:
            terms[NAMES.index(name)] = float(value)
        elif name in PLACE_OF:
            at = PLACE_OF[name]
            fields[at] = type(policy[at])(float(value))
        else:
            raise SystemExit(f"no number {name!r}; there are {', '.join([*PLACE_OF, *NAMES])}")
    fields[TERMS_AT] = tuple(terms)
    return tuple(fields)  # type: ignore[return-value]


def play(north: Policy, south: Policy, seed: int, deals: int) -> tuple[npt.NDArray[np.float64], int]:
    """A row for each deal: whether N wins, and its lead at the end; and the number of turns."""

    def key_of(game: int, turn: int, place: int) -> int:
        return stream_key(seed, f"setup:{game}", turn, f"player {place}")

    policies = [{"N": north, "S": south}.get(seat) for seat in SEATS]
    keys = [draw_key(seed, game) for game in range(deals)]
    found, turns, *_ = play_many(
        compiled(RULES, PLACES), finish_line(RULES), False, seated(PLACES), -1, start_squares(RULES, PLACES), policies,
        keys, IDLE_END, key_of,
    )  # fmt: skip
    return np.array([(won & 1, scores[0] - scores[2]) for scores, won in found], float), turns


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.setup.trials", description=__doc__)
    parser.add_argument("player")
    parser.add_argument("against")
    parser.add_argument("--set", nargs="+", default=[], metavar="NAME=VALUE")
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    one = changed(player(options.player).policy(2, False), options.set)
    other = player(options.against).policy(2, False)
    start = time.process_time()
    first, turns = play(one, other, options.seed, options.deals)
    second, more = play(other, one, options.seed, options.deals)
    spent = time.process_time() - start
    both = (first + np.array([1, 0]) - second) / 2
    mean, half = both.mean(axis=0), Z95 * both.std(axis=0, ddof=1) / len(both) ** 0.5
    print(f"{options.player} {' '.join(options.set)} against {options.against}, {2 * options.deals} games:")
    print(f"  win share {mean[0]:.4f} ± {half[0]:.4f}, lead {mean[1]:.3f} ± {half[1]:.3f} steps", end=", ")
    print(f"{2 * spent / (turns + more) * 1e6:.1f} us a move of one and the other together")


if __name__ == "__main__":
    main()
