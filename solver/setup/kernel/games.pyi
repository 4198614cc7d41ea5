from collections.abc import Callable, Sequence

from .plays import Plays
from .policy import Policy

# Scores and winners of each game; turns, points, bonus, swaps, most plays of a position, that position.
Counted = tuple[list[tuple[tuple[int, int, int, int], int]], int, int, int, int, int, tuple[bytes, bytes, bytes, int]]

def play_many(
    plays: Plays,
    finish: int,
    teams: bool,
    seated: int,
    first: int,
    starts: Sequence[int],
    policies: Sequence[Policy | None],
    keys: Sequence[int],
    idle_end: int,
    key_of: Callable[[int, int, int], int] | None = None,
    census: bool = False,
) -> Counted: ...
