"""Tunes the heuristic by the cross-entropy method: `python -m benchmarks.trek12.tune [--variant amazonia] --out FILE`.

Every generation draws weights around the mean, plays the same games with each, and moves mean and spread to the best.
The games are shared out to the three sheets of the base game, or to sets of observation tracks of Amazonia.
Seeded, one thread.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import numpy as np

from solver.streams import stream_key
from solver.trek12.graphs import graph_of
from solver.trek12.kernel import Graph, Player
from solver.trek12.rules import AMAZONIA, HIMALAYA, MOST_TRACKS, MOST_WATCHED, TRACKS, VARIANTS, Rules
from solver.trek12.sheets import sheets

WEIGHTS = 30
HEURISTIC = 1
BOXES = bytes([4] * 5)
AMAZONIA_SETS = 12


def mean_score(graphs: list[Graph], weights: np.ndarray, first: int, games: int, key: int) -> float:
    """Mean final score over the sheets."""
    out = np.zeros(games, np.int32)
    total = 0.0
    for graph in graphs:
        Player(graph, HEURISTIC, weights.astype(np.float32), 0, 0).games(key, first, BOXES, out)
        total += out.mean()
    return total / len(graphs)


def amazonia_graphs(seed: int, count: int) -> list[Graph]:
    """The sheet of Amazonia with sets of tracks and numbers that are drawn."""
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        tracks, numbers = rng.sample(list(TRACKS), MOST_TRACKS), rng.sample(range(MOST_WATCHED + 1), MOST_TRACKS)
        rules = Rules(variant=AMAZONIA, observations=tuple(zip(tracks, numbers, strict=True)))
        found.append(graph_of(sheets()["amazonia_1"], rules))
    return found


def main() -> None:
    """Tune and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--generations", type=int, default=60)
    parser.add_argument("--population", type=int, default=60)
    parser.add_argument("--games", type=int, default=400, help="of each of the sheets")
    parser.add_argument("--variant", choices=VARIANTS, default=HIMALAYA)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    if args.variant == AMAZONIA:
        graphs = amazonia_graphs(args.seed, AMAZONIA_SETS)
    else:
        graphs = [graph_of(sheets()[name]) for name in ("dunai", "kagkot", "dhaulagiri")]
    rng = np.random.default_rng(args.seed)
    key = stream_key(args.seed, "trek12", purpose="tune")
    mean, spread = np.zeros(WEIGHTS), np.full(WEIGHTS, 3.0)
    elite = args.population // 6
    for generation in range(args.generations):
        drawn = mean + spread * rng.standard_normal((args.population, WEIGHTS))
        scores = [mean_score(graphs, weights, generation * args.games, args.games, key) for weights in drawn]
        best = drawn[np.argsort(scores)[::-1][:elite]]
        mean = best.mean(axis=0)
        spread = 0.7 * best.std(axis=0) + 0.3 * spread + 0.02
        if generation % 5 == 4:
            print(generation + 1, round(mean_score(graphs, mean, 10**6, 2000, key), 2), flush=True)
    text = {
        "source": f"benchmarks/trek12/tune.py --seed {args.seed} --generations {args.generations} "
        f"--population {args.population} --games {args.games}"
        + (f" --variant {args.variant}" if args.variant != HIMALAYA else ""),
        "weights": [round(float(x), 3) for x in mean],
    }
    args.out.write_text(json.dumps(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
