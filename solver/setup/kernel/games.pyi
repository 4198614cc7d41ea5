from collections.abc import Callable, Sequence

from .plays import Plays

# kind; weights of a point, of an opponent's and of a partner's bonus point; style; ties in plain order; wins first;
# candidates; terms; lines; deals; plies; prior; spread; what being to move is worth
Policy = tuple[
    int,
    tuple[int, int, int],
    tuple[int, ...],
    bool,
    bool,
    int,
    tuple[float, ...],
    int,
    int,
    int,
    float,
    float,
    float,
]
# Scores and winners of each game; turns, points, bonus, swaps, most plays of a position, that position.
Counted = tuple[list[tuple[tuple[int, int, int, int], int]], int, int, int, int, int, tuple[bytes, bytes, bytes, int]]

def choose(
    plays: Plays,
    tops: bytes,
    rack: bytes,
    common: bytes,
    covered: bytes,
    mover: int,
    scores: Sequence[int],
    finish: int,
    teams: bool,
    seated: int,
    policy: Policy,
    key: int = 0,
) -> tuple[bytes, int]: ...
def chances(
    plays: Plays,
    tops: bytes,
    rack: bytes,
    common: bytes,
    covered: bytes,
    mover: int,
    scores: Sequence[int],
    finish: int,
    teams: bool,
    seated: int,
    policy: Policy,
    key: int,
    seconds: float = 0,
    leads: bool = False,
    watch: Callable[[], None] | None = None,
) -> tuple[bytes, list[float], list[float], list[float]]: ...
def terms(
    plays: Plays,
    tops: bytes,
    rack: bytes,
    common: bytes,
    covered: bytes,
    mover: int,
    scores: Sequence[int],
    finish: int,
    teams: bool,
    seated: int,
    policy: Policy,
    records: bytes,
) -> list[list[float]]: ...
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
