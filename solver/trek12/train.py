"""Training of a value net by self-play: `python -m solver.trek12.train dunai --seed 1 --games 400000 --out FILE.npz`.

One thread; the same arguments give the same weights on every machine. Adam, its rate constant over the first half of
the games, then falling in a line to 2 percent. See docs/trek12.md for what was shipped.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..errors import SolverError, UnsupportedRules, quote
from ..streams import check_seed, stream_key
from .graphs import graph_of
from .kernel import Trainer, input_count, weight_count
from .rules import AMAZONIA, LINKS
from .sheets import Sheet

H1, H2 = 64, 32
BATCH = 8
RATE = 0.0015
LAST_RATE = 0.02
BOXES = bytes([4] * 5)
MOST_GAMES: Final = 10**9
REPORT: Final = 20_000
"""Games between two lines on stderr."""
SUFFIX: Final = ".npz"
TRAINED_LINKS: Final = LINKS[:2]
"""Link rules that a net can be trained under."""


def fresh_weights(circles: int, seed: int) -> NDArray[np.float32]:
    """Random weights of a net for a sheet of so many circles: first layer, second and bias, output and bias."""
    rng = np.random.default_rng(seed)
    first = input_count(circles) * H1
    weights = np.zeros(weight_count(circles), np.float32)
    weights[:first] = 0.15 * rng.standard_normal(first)
    weights[first : first + H1 * H2] = np.sqrt(2 / H1) * rng.standard_normal(H1 * H2)
    weights[first + H1 * H2 + H2 : -1] = 0.1 * rng.standard_normal(H2)
    return weights


def train(
    sheet: Sheet, *, seed: int, games: int, links: int = 0, trace: float = 0.0, report: int = 0
) -> NDArray[np.float32]:
    """Train a net on `games` games.

    links: 0 mandatory, 1 optional. trace: 0 to 1. report: games between lines on stderr, 0 none. Raises SolverError
    that names what is wrong, for Amazonia UnsupportedRules.
    """
    check(sheet, seed, games, links, trace, report)
    weights = fresh_weights(sheet.circles, seed)
    trainer = Trainer(graph_of(sheet), weights)
    key = stream_key(seed, "trek12", purpose="train")
    started = time.process_time()
    total = 0.0
    for first in range(0, games, BATCH):
        rate = RATE * min(1.0, LAST_RATE + (1 - LAST_RATE) * 2 * (1 - first / games))
        total += trainer.batch(key, first, BATCH, rate, BOXES, links, 0, trace)
        if report and (first + BATCH) % report == 0:
            spent = time.process_time() - started
            print(f"{first + BATCH} games, mean {total / report:.2f}, {spent:.0f} s", file=sys.stderr, flush=True)
            total = 0.0
    return weights


def check(sheet: Sheet, seed: int, games: int, links: int, trace: float, report: int) -> None:
    """Raises SolverError that names the first argument that cannot be used."""
    if not isinstance(sheet, Sheet):
        raise SolverError(f"sheet: must be a Sheet, not {quote(sheet)}")
    if sheet.river:
        raise UnsupportedRules(f"sheet: nets do not know the rules of {AMAZONIA}")
    check_seed(seed)
    for name, number, low, high in (
        ("games", games, 1, MOST_GAMES),
        ("links", links, 0, len(TRAINED_LINKS) - 1),
        ("report", report, 0, MOST_GAMES),
    ):
        if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
            raise SolverError(f"{name}: must be {low} to {high}, not {quote(number)}")
    if isinstance(trace, bool) or not isinstance(trace, int | float) or not 0 <= trace <= 1:
        raise SolverError(f"trace: must be 0 to 1, not {quote(trace)}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and save: `weights` as half-precision floats, `made` the command that makes them again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sheet", help="id of a sheet, or graph:CIRCLES:EDGES")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", type=int, default=600_000, help=f"rounded up to batches of {BATCH}")
    parser.add_argument("--links", choices=TRAINED_LINKS, default=TRAINED_LINKS[0])
    parser.add_argument("--trace", type=float, default=0.0, help="share of the next board's error in a target")
    parser.add_argument("--out", type=Path, required=True, help="file to write, .npz")
    args = parser.parse_args(arguments)
    links = TRAINED_LINKS.index(args.links)
    try:
        out: Path = args.out if args.out.suffix == SUFFIX else args.out.with_name(args.out.name + SUFFIX)
        sheet = Sheet.parse(args.sheet)
        check(sheet, args.seed, args.games, links, args.trace, REPORT)
        with out.open("ab"):  # training takes long: it is told at once when its result cannot be kept
            pass
    except (ValueError, OSError) as error:
        parser.error(str(error))
    weights = train(sheet, seed=args.seed, games=args.games, links=links, trace=args.trace, report=REPORT)
    made = f"python -m solver.trek12.train {args.sheet} --seed {args.seed} --games {args.games} --trace {args.trace:g}"
    if args.links != TRAINED_LINKS[0]:
        made += f" --links {args.links}"
    np.savez_compressed(out, weights=weights.astype(np.float16), made=made)


if __name__ == "__main__":
    main()
