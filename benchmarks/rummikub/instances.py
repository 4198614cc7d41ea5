"""The positions with known answers of `tests/data/rummikub`, and generated ones, parsed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.rummikub.generate import RETAIL, STRATA, Deck, positions
from benchmarks.rummikub.ilp import Answer
from solver.rummikub.position import Position

DATA = Path(__file__).resolve().parents[2] / "tests" / "data" / "rummikub"


@dataclass(frozen=True, slots=True)
class Known:
    """A position with what is known of its optimum. None: the file does not say it."""

    name: str
    position: Position
    max_tiles: int
    value_at_max_tiles: int | None
    max_value: int | None

    def problems(self, tiles: Answer, value: Answer) -> list[str]:
        """What contradicts the file in the answers for the objectives tiles and value."""
        wanted = (
            ("tiles", tiles.tiles, self.max_tiles),
            ("value among most tiles", tiles.value, self.value_at_max_tiles),
            ("value", value.value, self.max_value),
        )
        return [f"{what}: {got}, not {want}" for what, got, want in wanted if want is not None and got != want]


def known(file: str) -> list[Known]:
    """The positions of `instances`, `positions` or `no_move`."""
    entries = json.loads((DATA / f"{file}.json").read_text(encoding="utf-8"))["positions"]
    result = []
    for entry in entries:
        most = entry["max_tiles"]
        nothing = 0 if most == 0 else None
        result.append(
            Known(
                entry["id"],
                Position.parse(entry["position"]),
                most,
                entry.get("value_at_max_tiles", nothing),
                entry.get("max_value", nothing),
            )
        )
    return result


def parsed(stratum: str, count: int, seed: object, deck: Deck = RETAIL) -> list[Position]:
    """Generated positions of a stratum."""
    return [Position.parse(text) for text in positions(stratum, count, seed, deck)]


def mixed(count: int, seed: object, strata: tuple[str, ...] = tuple(STRATA), deck: Deck = RETAIL) -> Iterator[Position]:
    """`count` generated positions, the strata in turn."""
    each = [positions(stratum, -(-count // len(strata)), seed, deck) for stratum in strata]
    for index in range(count):
        yield Position.parse(next(each[index % len(each)]))
