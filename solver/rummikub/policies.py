"""Players of `players` that the kernel plays: what they do in one turn, and whole games of them without Python objects.

Both take their moves from the same code, so the games are the same. Rule sets that the kernel does not take are played
by the searches of `search`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from .kernel import Playouts, why_not
from .position import Move
from .problem import names
from .search import DEFAULT_MEMORY

if TYPE_CHECKING:
    from .game import View
    from .rules import Rules

Policy = tuple[str, int, bool, bool, int]  # see kernel.Playouts
Points = tuple[tuple[float, ...], tuple[int, ...]]

_WARM: Final = 4  # rule sets whose tables are kept


@lru_cache(maxsize=_WARM)
def playouts_for(rules: Rules) -> Playouts | None:
    """The kernel for these rules, kept so that its tables stay warm; None if it does not take them."""
    return None if why_not(rules) else Playouts(rules, names(rules.numbers), DEFAULT_MEMORY)


def move_in(view: View, found: tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]) -> Move:
    """What the kernel found as a move of the seat that looks."""
    return Move(*found, rules=view.rules, before=view.position)


def play_many(
    rules: Rules, policies: Sequence[Policy | None], seed: int, first: int, count: int
) -> list[Points] | None:
    """(Points by seat, winners) of the games first to first + count - 1, or None if the kernel cannot play them."""
    known = [policy for policy in policies if policy is not None]
    playouts = playouts_for(rules)
    if playouts is None or len(known) < len(policies):
        return None
    return playouts.play(known, seed, first, count)
