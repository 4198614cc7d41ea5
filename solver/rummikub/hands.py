"""How many hands can be laid completely as sets, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Self

from .. import plain
from ..errors import SolverError, UnsupportedRules, quote
from .kernel import count_hands
from .rules import Rules

DEFAULT_MEMORY: Final = 1 << 30
LEAST_MEMORY: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class WinningHands:
    """Numbers of hands by their number of real tiles (0 included).

    distinct: multisets of tiles. physical: the same with the copies of a tile told apart.
    """

    distinct: Mapping[int, int]
    physical: Mapping[int, int]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; the numbers of tiles are texts."""
        return {
            "distinct": {str(size): count for size, count in self.distinct.items()},
            "physical": {str(size): count for size, count in self.physical.items()},
        }

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`. Raises ParseError."""
        counts = plain.table(int, plain.whole)
        found = plain.read(data, "hands", distinct=counts, physical=counts)
        return cls(MappingProxyType(found["distinct"]), MappingProxyType(found["physical"]))


def count_winning_hands(
    rules: Rules,
    jokers: int = 0,
    groups: bool = True,
    runs: bool = True,
    max_tiles: int | None = None,
    *,
    memory: int = DEFAULT_MEMORY,
) -> WinningHands:
    """Count the hands of 0 to `max_tiles` real tiles (None: all sizes) that can be laid completely.

    Each hand has exactly `jokers` jokers, and all of them must be laid. groups, runs: the sets that may be used.
    memory: bytes for the tables; LimitReached if they are not enough. UnsupportedRules for `high_one`, and for
    `jokers_per_set` where it makes a difference; SolverError for bad arguments. The physical jokers are not told apart.
    """
    if not isinstance(rules, Rules):
        raise SolverError(f"rules: must be Rules, not {quote(rules)}")
    most = rules.colors * rules.numbers * rules.copies
    for name, value, low, high in (
        ("jokers", jokers, 0, rules.jokers),
        ("max_tiles", most if max_tiles is None else max_tiles, 0, None),
        ("memory", memory, LEAST_MEMORY, None),
    ):
        if isinstance(value, bool) or not isinstance(value, int) or value < low or (high is not None and value > high):
            bounds = f"from {low}" if high is None else f"from {low} to {high}"
            raise SolverError(f"{name}: must be an integer {bounds}, not {quote(value)}")
    for name, flag in (("groups", groups), ("runs", runs)):
        if not isinstance(flag, bool):
            raise SolverError(f"{name}: must be True or False, not {quote(flag)}")
    if rules.high_one and runs:
        raise UnsupportedRules("high_one: yes; hands are counted with runs that end at the highest number only")
    if jokers > 1 and rules.jokers_per_set != "any":
        raise UnsupportedRules(f"jokers_per_set: {rules.jokers_per_set}; hands are counted under any only")
    if max_tiles is not None:
        most = min(most, max_tiles)
    distinct, physical, _ = count_hands(
        rules.colors, rules.numbers, rules.copies, jokers, groups, runs, most, min(memory, (1 << 62))
    )
    return WinningHands(MappingProxyType(dict(enumerate(distinct))), MappingProxyType(dict(enumerate(physical))))
