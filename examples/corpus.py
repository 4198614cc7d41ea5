"""Corpora of whole games between the bundled players: for each pairing a file of JSON lines and its configuration.

`python examples/corpus.py [GAME ...] --deals N --seed S --workers W --out FOLDER`; docs/data/README.md describes the
files, and docs/data/ holds a small sample. The same call writes the same bytes everywhere (with another version of
the package the players may play otherwise); `solver replay FILE` checks
every event of every game.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from solver.match import match


@dataclass(frozen=True)
class Pairing:
    """One file of a corpus. name: of the file behind the game's name. options: of the game's `start`."""

    game: str
    name: str
    players: tuple[str, ...]
    rules: str | None = None
    options: dict[str, Any] = field(default_factory=dict)


PAIRINGS = (
    Pairing("rummikub", "standard", ("greedy", "wait")),
    Pairing("rummikub", "free", ("wait", "hold"), "free"),
    Pairing("rummikub", "must-play", ("greedy", "hold"), "standard+must_play=yes"),
    Pairing("rummikub", "four", ("greedy", "hold", "wait", "value"), "retail"),
    Pairing("setup", "two", ("evaluation", "greedy"), "default+finish=60"),
    Pairing("setup", "three", ("evaluation", "static", "margin"), "default+finish=60"),
    Pairing("setup", "four", ("evaluation", "static", "margin", "greedy"), "default+finish=60"),
    Pairing("trek12", "dunai", ("adviser", "heuristic")),
    Pairing("trek12", "kagkot", ("net",), options={"sheet": "kagkot"}),
    Pairing("trek12", "dhaulagiri", ("net",), options={"sheet": "dhaulagiri"}),
    Pairing("trek12", "expedition", ("net", "heuristic"), options={"sheet": "expedition"}),
)


def make(pairing: Pairing, deals: int, seed: int, workers: int, folder: Path) -> Path:
    """Play the deals of a pairing, every player on every seat of each; gives the file that was written."""
    path = folder / f"{pairing.game}-{pairing.name}.jsonl"
    result = match(
        pairing.game,
        pairing.players,
        games=deals * len(pairing.players),
        seed=seed,
        rules=pairing.rules,
        options=pairing.options,
        workers=workers,
        records=path,
    )
    print(f"{path.name}: {result.table()}\n", flush=True)
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    """The script."""
    parser = argparse.ArgumentParser(description=__doc__)
    games = sorted({pairing.game for pairing in PAIRINGS})
    parser.add_argument("game", nargs="*", metavar="GAME", help=f"{', '.join(games)}; default: all")
    parser.add_argument("--deals", type=int, default=100, help="of each pairing; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("corpus"), help="folder; default: %(default)s")
    options = parser.parse_args(arguments)
    if unknown := set(options.game) - set(games):
        parser.error(f"no game {', '.join(sorted(unknown))}")
    options.out.mkdir(parents=True, exist_ok=True)
    for pairing in PAIRINGS:
        if not options.game or pairing.game in options.game:
            make(pairing, options.deals, options.seed, options.workers, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
