"""Every player of Setup against every other: two players, and one against three.

    python -m benchmarks.setup.players --games 4000 --seed 1 [--seats 2] [--rows evaluation lookahead:samples=2]

Win shares with their 95% intervals from paired matches (`solver match`); dear players play fewer games, see SHARES.
"""

from __future__ import annotations

import argparse

from solver.match import match

FINISH = 60
SHARES = {
    "random": 1.0,
    "greedy:ties=order": 1.0,
    "greedy": 1.0,
    "margin": 1.0,
    "static": 1.0,
    "evaluation": 1.0,
    "lookahead:samples=2": 0.5,
    "lookahead:samples=8": 0.125,
    "lookahead:samples=64": 0.0625,
}
"""The players, with the share of the games that they play."""
SELDOM_THREE = ("lookahead:samples=8", "lookahead:samples=64")
"""Players that are not met three at a time: their games take too long."""


def cell(one: str, other: str, seats: int, games: int, seed: int) -> str:
    """The win share of one against seats - 1 others."""
    count = max(1, int(games * min(SHARES[one], SHARES[other])) // seats) * seats
    result = match(
        "setup", [one, *[other] * (seats - 1)], games=count, seed=seed, rules=f"default+finish={FINISH}", workers=1
    )
    share = result.wins[0]
    low, high = share.ci95
    text = f"{share.mean:.3f} ± {(high - low) / 2:.3f}"
    print(f"# {seats} players, {one} against {other}: {text} ({count} games)", flush=True)
    return text


def table(seats: int, games: int, seed: int, rows: list[str]) -> None:
    """These against all; for two players each pair once."""
    names = list(SHARES)
    others = names if seats == 2 else [name for name in names if name not in SELDOM_THREE]
    found: dict[tuple[str, str], str] = {}
    for column, other in enumerate(others):
        for row, one in enumerate(names):
            if one in rows and one != other and (seats > 2 or row > column):
                found[one, other] = cell(one, other, seats, games, seed)
    print(f"| {'one against ' + ('another' if seats == 2 else 'three')} | " + " | ".join(others) + " |")
    print("|---" * (len(others) + 1) + "|")
    for one in rows:
        print(f"| {one} | " + " | ".join(found.get((one, other), "") for other in others) + " |")


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.setup.players", description=__doc__)
    parser.add_argument("--games", type=int, default=4000, help="games of a pair of cheap players")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seats", type=int, nargs="+", default=[2, 4], choices=(2, 3, 4))
    parser.add_argument("--rows", nargs="+", default=list(SHARES), choices=list(SHARES), help="only these players")
    options = parser.parse_args()
    for seats in options.seats:
        table(seats, options.games, options.seed, options.rows)


if __name__ == "__main__":
    main()
