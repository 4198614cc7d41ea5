"""Which player wins whole games, and how often games between greedy players get stuck.

    python -m benchmarks.rummikub.players --parts against --games 4000 --seed 1
    python -m benchmarks.rummikub.players --parts against --against wait --players wait:tempo=no wait:sample=6
    python -m benchmarks.rummikub.players --parts pairs one-of-3 one-of-4 --games 600
    python -m benchmarks.rummikub.players --parts one-of-3 one-of-4 --games 600 --rows search
    python -m benchmarks.rummikub.players --parts stuck --games 300

against: every player against the greedy one (or `--against`), two at the table, under several rules. pairs: every
player against every other. one-of-3, one-of-4: one player (row) at a table where all others are of one kind (column);
an equal one would win a third, a quarter. With `--rows` these alone, against every column. The random player plays a
tenth of the games. Every deal is played from each seat; half-widths are those of 95% intervals over deals. stuck:
games of 2, 3 and 4 equal players (greedy unless named) that end without one going out; of each end it is proven by
the search whether any player could still lay something.
"""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from statistics import mean
from typing import Final

from solver.errors import SolverError
from solver.games import steps
from solver.match import MatchResult, match
from solver.results import Estimate
from solver.rummikub.game import DRAW, RummikubState, start, warm_solver
from solver.rummikub.players import player
from solver.rummikub.position import Position

GREEDY: Final = "greedy"
SLOW: Final = "random"  # not played by the kernel: a tenth of the games
# The players of the tables of every one against every other. The random one takes as long as all of them.
FIELD: Final = ("least", "greedy", "value", "keep", "hold", "wait:tempo=no", "wait", "wait:sample=6")
# Against the greedy one also those that wait for the other to come near.
AGAINST: Final = (
    "random",
    "least",
    "value",
    "keep",
    "hold",
    "wait:at=12,tempo=no",
    "wait:at=8,tempo=no",
    "wait:at=5,tempo=no",
    "wait:at=3,tempo=no",
    "wait:tempo=no",
    "wait:opening=full",
    "wait",
    "wait:sample=6",
)
RULES: Final = ("standard", "free", "standard+must_play=yes", "free+must_play=yes")
STUCK_RULES: Final = ("standard", "free", "standard+rack_size=24", "free+rack_size=24")


def main(arguments: Sequence[str] | None = None) -> int:
    """Play and print."""
    parts = {"against": _against, "pairs": _pairs, "one-of-3": _one_of, "one-of-4": _one_of, "stuck": _stuck}
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rummikub.players", description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=parts, default=["against"])
    parser.add_argument("--games", type=int, default=400, help="of each match")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--against", default=GREEDY, metavar="PLAYER")
    parser.add_argument("--rules", nargs="+", help="instead of those of the part")
    parser.add_argument("--players", nargs="+", help="instead of those of the part")
    parser.add_argument("--rows", nargs="+", help="of pairs and one-of: instead of the players of the columns")
    options = parser.parse_args(arguments)
    try:
        for part in options.parts:
            for line in parts[part](part, options):
                print(line, flush=True)
    except SolverError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def played(players: Sequence[str], options: argparse.Namespace, rules: str) -> MatchResult:
    """One match; the number of games is rounded up to whole rotations."""
    rotations = -(-options.games // len(players))
    games = (max(1, rotations // 10) if SLOW in players else rotations) * len(players)
    return match("rummikub", players, games=games, seed=options.seed, rules=rules)


def share(estimate: Estimate) -> str:
    """A share as percent with its half-width."""
    return f"{100 * estimate.mean:.1f} ({100 * (estimate.ci95[1] - estimate.mean):.1f})"


def points(estimate: Estimate) -> str:
    """Points with their half-width."""
    return f"{estimate.mean:+.1f} ({estimate.ci95[1] - estimate.mean:.1f})"


def _cell(players: Sequence[str], options: argparse.Namespace, rules: str) -> str:
    """What the first one wins; nothing of a player among his own kind."""
    return "" if len(set(players)) == 1 else share(played(players, options, rules).wins[0])


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _head(*cells: str) -> Iterator[str]:
    yield _row(*cells)
    yield f"|{'---|' * len(cells)}"


def _against(part: str, options: argparse.Namespace) -> Iterator[str]:
    for rules in options.rules or RULES:
        yield f"\n{rules}, {options.games} games, seed {options.seed}, against {options.against}\n"
        yield from _head("player", "wins %", "points a game")
        for text in options.players or AGAINST:
            found = played([text, options.against], options, rules)
            yield _row(f"`{text}`", share(found.wins[0]), points(found.points[0]))


def _pairs(part: str, options: argparse.Namespace) -> Iterator[str]:
    field = options.players or FIELD
    for rules in options.rules or RULES[:2]:
        yield f"\n{rules}, {options.games} games, seed {options.seed}: wins % of the row against the column\n"
        yield from _head("", *map("`{}`".format, field))
        for at, text in enumerate(options.rows or field):
            first = 0 if options.rows else at + 1
            cells = [_cell([text, other], options, rules) for other in field[first:]]
            yield _row(f"`{text}`", *[""] * first, *cells)


def _one_of(part: str, options: argparse.Namespace) -> Iterator[str]:
    field = options.players or FIELD
    seats = int(part[-1])
    for rules in options.rules or RULES[:1]:
        yield f"\n{rules}, {options.games} games, seed {options.seed}: wins % of one (row) among {seats - 1} (column)\n"
        yield from _head("", *map("`{}`".format, field))
        for text in options.rows or field:
            cells = [_cell([text, *[other] * (seats - 1)], options, rules) for other in field]
            yield _row(f"`{text}`", *cells)


def _stuck(part: str, options: argparse.Namespace) -> Iterator[str]:
    text = options.players[0] if options.players else GREEDY
    yield f"\n{options.games} games of {text} players, seed {options.seed}\n"
    columns = ("turns", "draws %", "first seat wins %", "tiles left in the pool, mean and least")
    yield from _head("rules", "players", *columns, "nobody out", "of these nobody could lay any more")
    for rules in options.rules or STUCK_RULES:
        for seats in (2, 3, 4):
            ends = [_end(rules, [text] * seats, options.seed, deal) for deal in range(options.games)]
            turns = sum(end.turn for end in ends)
            draws = sum(event.action == DRAW for end in ends for event in end.history)
            first = mean((end.first in end.winners()) / len(end.winners()) for end in ends)
            left = [end.pool_size for end in ends]
            stuck = [end for end in ends if all(end.racks)]
            yield _row(
                rules,
                str(seats),
                f"{turns / len(ends):.1f}",
                f"{100 * draws / turns:.1f}",
                f"{100 * first:.1f}",
                f"{mean(left):.1f}, {min(left)}",
                str(len(stuck)),
                str(sum(map(truly_stuck, stuck))),
            )


def _end(rules: str, texts: Sequence[str], seed: int, deal: int) -> RummikubState:
    players = [player(text) for text in texts]
    ((last, _),) = deque(steps(start(rules, len(players)), players, seed, deal), maxlen=1)
    assert isinstance(last, RummikubState)
    return last


def truly_stuck(end: RummikubState) -> bool:
    """Whether it is proven for every player that no rearrangement of the table lets him lay anything."""
    solver = warm_solver(end.rules)
    seats = range(end.players)
    positions = [Position(end.table, end.racks[seat], end.opened[seat], end.rules) for seat in seats]
    return all(solver.best_move(position) is None for position in positions)


if __name__ == "__main__":
    sys.exit(main())
