"""Players that the kernel plays: what they do in one turn, and whole games of them without Python objects.

Both take their moves from the same code, so the games are the same. Rule sets that the kernel does not take are played
by the searches of `search`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from .kernel import Searching, why_not
from .position import Move, Position
from .problem import names
from .rules import Rules

Policy = tuple[str, int, bool, bool, int, bool]  # see kernel.Playouts
Plan = tuple[int, int, float, float, Policy, Policy, Policy]  # see kernel.Searching
Points = tuple[tuple[float, ...], tuple[int, ...]]

MEMORY: Final = 64 * 2**20  # bytes of one search
_WARM: Final = 4  # rule sets whose tables are kept


@lru_cache(maxsize=_WARM)
def playouts_for(rules: Rules) -> Searching | None:
    """The kernel for these rules, kept so that its tables stay warm; None if it does not take them."""
    return None if why_not(rules) else Searching(rules, names(rules.numbers), MEMORY)


def move_in(position: Position, found: tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]) -> Move:
    """What the kernel found as a move."""
    return Move(*found, rules=position.rules, before=position)


def play_many(
    rules: Rules, policies: Sequence[Policy | Plan | None], seed: int, first: int, count: int
) -> list[Points] | None:
    """(Points by seat, winners) of the games first to first + count - 1, or None if the kernel cannot play them."""
    known = [policy for policy in policies if policy is not None]
    playouts = playouts_for(rules)
    if playouts is None or len(known) < len(policies):
        return None
    return playouts.match(known, seed, first, count)
