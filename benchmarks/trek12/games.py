"""`python -m benchmarks.trek12.games [PART ...]`: the tables of docs/trek12-play.md, as Markdown.

Seeds are fixed, so all but the speed is the same at every run. A cell is a mean with half of its 95% interval.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from itertools import combinations
from time import process_time

import numpy as np
from numpy.typing import NDArray

from solver.games import play
from solver.match import match
from solver.results import Estimate
from solver.trek12 import Rules, sheets
from solver.trek12.game import EXPEDITION, start
from solver.trek12.players import play_many, player

SHEETS = ("dunai", "kagkot", "dhaulagiri")
SEED = 1
NORMAL_95 = 1.959963984540054
GAMES = {"random": 5000, "greedy": 5000, "heuristic": 5000, "net": 5000, "adviser": 2000, "reach": 150, "deep": 30}
"""Games a sheet and player."""
SLOW = ("reach", "deep")
PAIRED = ("random", "greedy", "heuristic", "net", "adviser")
PAIRS = 1000
"""Games of a pair, half of them with seats changed."""
SPEED_GAMES = {"random": 20_000, "greedy": 100_000, "heuristic": 100_000, "net": 10_000, "adviser": 100}


def half(estimate: Estimate, digits: int) -> str:
    """A mean with half of its interval."""
    return f"{estimate.mean:.{digits}f} ± {NORMAL_95 * estimate.se:.{digits}f}"


def half_of(values: NDArray[np.float64], digits: int, factor: float = 1) -> str:
    """The same of samples."""
    return f"{factor * values.mean():.{digits}f} ± {factor * NORMAL_95 * values.std() / len(values) ** 0.5:.{digits}f}"


def scores_of(name: str, sheet: str, rules: Rules, games: int) -> NDArray[np.float64]:
    """Final scores of a player alone, games 0, 1 ... of the seed."""
    one = player(name)
    found = play_many(rules, [one], SEED, 0, games, sheet=sheet)
    if found is not None:
        return np.array([returns[0] for returns, _ in found])
    return np.array([play(start(rules, 1, sheet=sheet), [one], SEED, game).returns[0] for game in range(games)])


def scores(names: Sequence[str]) -> None:
    """Mean scores of single sheets, and the share of games that reach the summit."""
    print("| player | games | " + " | ".join(SHEETS) + " | summits " + " | ".join(SHEETS) + " |")
    print("|---" * (2 + 2 * len(SHEETS)) + "|")
    compared = max((GAMES[name] for name in names if name in SLOW), default=0)
    against = {sheet: scores_of("adviser", sheet, Rules(), compared) for sheet in SHEETS}
    for name in names:
        games = GAMES[name]
        means, summits, gains = [], [], []
        for sheet in SHEETS:
            summit = sheets()[sheet].summit
            assert summit is not None
            if name in SLOW:
                found = scores_of(name, sheet, Rules(), games)
                means.append(half_of(found, 1))
                gains.append(f"{sheet} {half_of(found - against[sheet][:games], 2)}")
                reached = (found >= summit).astype(float) - (against[sheet][:games] >= summit)
                gains.append(f"summits {half_of(reached, 1, 100)}")
            else:
                points = match("trek12", [name], games=games, seed=SEED, options={"sheet": sheet}).points[0]
                means.append(half(points, 1))
                found = scores_of(name, sheet, Rules(), games)
                assert abs(found.mean() - points.mean) < 1e-9, "the match plays the same games"
            summits.append(half_of((found >= summit).astype(float), 1, 100))
        print(f"| {name} | {games} | {' | '.join(means)} | {' | '.join(summits)} |", flush=True)
        if gains:
            print(f"{name} less adviser on the same dice: {', '.join(gains)}", flush=True)


def pairs(sheet: str, names: Sequence[str]) -> None:
    """Every player against every other; the first one's share of wins, and the points or stars of both."""
    print(f"| {sheet}, first | second | wins of the first, % | points of the first | of the second |")
    print("|---" * 5 + "|")
    for second, first in combinations([name for name in PAIRED if name in names], 2):
        found = match("trek12", [first, second], games=PAIRS, seed=SEED, options={"sheet": sheet})
        share = found.wins[0]
        print(
            f"| {first} | {second} | {100 * share.mean:.1f} ± {100 * NORMAL_95 * share.se:.1f} | "
            f"{half(found.points[0], 2)} | {half(found.points[1], 2)} |",
            flush=True,
        )


def links(names: Sequence[str]) -> None:
    """Mean scores under the other link rules."""
    print("| player | links | " + " | ".join(SHEETS) + " |")
    print("|---" * (2 + len(SHEETS)) + "|")
    for name in [name for name in PAIRED if name in names]:
        for rule in ("optional", "free"):
            games = {"free": 500 if name != "adviser" else 200, "optional": 1000}[rule]
            cells = [
                half(match("trek12", [name], games=games, seed=SEED, rules=rule, options={"sheet": s}).points[0], 1)
                for s in SHEETS
            ]
            print(f"| {name} | {rule} ({games}) | {' | '.join(cells)} |", flush=True)


def speed(names: Sequence[str]) -> None:
    """Games a second and core, by `play_many`, one player on Dunai; the best of three runs."""
    for name, games in SPEED_GAMES.items():
        if name not in names:
            continue
        times = []
        for _ in range(3):
            one = player(name)  # with empty tables
            started = process_time()
            play_many(Rules(), [one], SEED, 0, games)
            times.append(process_time() - started)
        started = process_time()
        slow = max(5, games // 1000)
        for game in range(slow):
            play(start(Rules(), 1), [one], SEED, game)
        print(
            f"{name}: {games / min(times):.0f} games/s without records, "
            f"{slow / (process_time() - started):.0f} games/s with records",
            flush=True,
        )


PARTS: dict[str, Callable[[Sequence[str]], None]] = {
    "scores": scores,
    "pairs": lambda names: pairs("dunai", names),
    "expeditions": lambda names: pairs(EXPEDITION, names),
    "links": links,
    "speed": speed,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all parts, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--players", nargs="+", choices=GAMES, default=list(GAMES), metavar="PLAYER")
    options = parser.parse_args(arguments)
    for name in options.parts:
        if name not in PARTS:
            parser.error(f"no part {name!r}")
    for name in options.parts or PARTS:
        PARTS[name](options.players)
    return 0


if __name__ == "__main__":
    sys.exit(main())
