"""Fit the weights of the evaluation of Setup to what plays lead to when they are played on.

    python -m benchmarks.setup.tune --players 2 --positions 2000 --seed 1

In positions of self-play the best plays by the static weights are played on in random deals, the same for all of them;
the weights are those with which the evaluation tells best, by least squares, how the leads of the plays of one position
differ. The result is printed in the order of `solver/setup/policies.py`.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import numpy.typing as npt

from solver.games import OVER
from solver.setup import Rules
from solver.setup.game import SetupState, start
from solver.setup.kernel import chances, terms
from solver.setup.players import player
from solver.setup.policies import LOOKAHEAD, static_policy
from solver.setup.search import RECORD, compiled, finish_line, seated
from solver.streams import generator, stream_key

FINISH = 60
NEAR_THE_END = 8
"""Steps before the finish from where on leads are no fair measure."""
LOOKED_AT = 0.3
"""Share of the positions of a game that are played on."""
STRAY = 0.1
"""Share of the moves of a game that are random plays, so that other positions come up, too."""
NAMES = (
    "bonus next",
    "bonus later",
    "bonus partner",
    "rack used",
    "common used",
    "on own",
    "filled own",
    "filled",
    "on common",
    "exposed",
    "exposed squared",
    "exposed later",
    "own next",
    "own expected",
)
Table = npt.NDArray[np.float64]


def sample(state: SetupState, deals: int, plies: int, wanted: int, key: int) -> tuple[Table, Table]:
    """Points and terms of the best plays of a position, and the mean lead that each leads to."""
    position = state.position
    packed, rules = position.packed(), state.rules
    _, weights, style, plain, wins, _, zeros, _, _, _, prior, spread, to_move = static_policy(
        state.players, rules.teams
    )
    # A lookahead without terms: the plays come in the order of points.
    policy = (LOOKAHEAD, weights, style, plain, wins, wanted, zeros, wanted, deals, plies, prior, spread, to_move)
    kernel = compiled(rules, state.seats)
    head = (kernel, *packed[:4], packed.mover, packed.scores, finish_line(rules), rules.teams, seated(state.seats))
    found, _, means, _ = chances(*head, policy, key, 0, True)
    points = np.frombuffer(found, RECORD)["points"].astype(float)
    rows = np.array(terms(*head, policy, found)).reshape(len(points), len(NAMES))
    return np.column_stack([points, rows]), np.array(means)


def collect(rules: Rules, players: int, positions: int, seed: int, deals: int, plies: int, wanted: int) -> list[Table]:
    """Tables of so many positions: a row a play, the columns points, terms, lead."""
    found: list[Table] = []
    usual = player("static")
    game = 0
    began = time.monotonic()
    while len(found) < positions:
        rng = generator(seed, "setup", game, "tune")
        state = start(rules, players)
        game += 1
        while state.to_move != OVER:
            if state.to_move < 0:
                state = state.apply(state.sample(seed, game), check=False)
                continue
            if max(state.scores) < rules.finish - NEAR_THE_END and rng.random() < LOOKED_AT:
                table, leads = sample(state, deals, plies, wanted, stream_key(seed, "setup", len(found), "tune"))
                if len(leads) > 1:
                    found.append(np.column_stack([table, leads]))
                    if len(found) % 1000 == 0:
                        print(f"{len(found)} positions, {time.monotonic() - began:.0f} s", flush=True)
            move = player("random").choose(state.view(state.to_move), int(rng.integers(1 << 60)))
            if move.swap or rng.random() >= STRAY:
                move = usual.choose(state.view(state.to_move), 0)
            state = state.apply(move, check=False)
    return found[:positions]


def fit(tables: list[Table], used: list[int]) -> tuple[Table, Table, float]:
    """Weights of points and of the used terms, their standard errors, and the explained share of the variance."""
    rows, leads = [], []
    for table in tables:
        centred = table - table.mean(axis=0)
        rows.append(centred[:, [0, *(1 + term for term in used)]])
        leads.append(centred[:, -1])
    x, y = np.concatenate(rows), np.concatenate(leads)
    inverse = np.linalg.inv(x.T @ x + 1e-3 * np.eye(x.shape[1]))
    weights = inverse @ (x.T @ y)
    rest = y - x @ weights
    return weights, np.sqrt(np.diag(inverse) * rest.var()), 1 - float(rest.var() / y.var())


def main() -> None:
    """Collect and fit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.setup.tune", description=__doc__)
    parser.add_argument("--players", type=int, default=2, choices=(2, 3, 4))
    parser.add_argument("--teams", action="store_true")
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--deals", type=int, default=32)
    parser.add_argument("--plies", type=int, help="two rounds where not given")
    parser.add_argument("--wanted", type=int, default=24, help="plays of a position")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", help="a file for the tables (.npz)")
    options = parser.parse_args()
    rules = Rules(finish=FINISH, teams=options.teams)
    plies = options.plies or 2 * options.players
    tables = collect(rules, options.players, options.positions, options.seed, options.deals, plies, options.wanted)
    if options.save:
        np.savez_compressed(options.save, lengths=[len(table) for table in tables], rows=np.concatenate(tables))
    # Tiles on common squares are those of both hands without those on own squares: no term of their own.
    everything = [
        term
        for term, name in enumerate(NAMES)
        if name != "on common" and any(table[:, 1 + term].any() for table in tables)
    ]
    for used in (everything, [term for term in everything if NAMES[term] != "own expected"]):
        weights, errors, share = fit(tables, used)
        print(f"{len(tables)} positions, {share:.4f} of the variance explained; divided by the weight of a point:")
        print(f"  point           {weights[0]:+.3f} +- {errors[0]:.3f}")
        for place, term in enumerate(used, 1):
            print(f"  {NAMES[term]:15} {weights[place] / weights[0]:+.3f} +- {errors[place] / weights[0]:.3f}")


if __name__ == "__main__":
    main()
