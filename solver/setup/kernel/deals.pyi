from collections.abc import Sequence

from .plays import Plays

# Weights (a point, an opponent's and a partner's bonus point), style, deals, candidates, plies, with the prior.
Player = tuple[tuple[int, int, int], tuple[int, int, int, int, int, int], int, int, int, bool]

def answers(
    plays: Plays,
    tops: bytes,
    rack: bytes,
    common: bytes,
    covered: bytes,
    mover: int,
    answerer: int,
    others: int,
    records: bytes,
    key: int,
    first: int,
    deals: int,
    seconds: float = 0,
) -> bytes: ...
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
    player: Player,
    key: int,
    seconds: float = 0,
) -> tuple[bytes, list[int], list[float], list[float]]: ...
def race(
    plays: Plays,
    finish: int,
    teams: bool,
    seated: int,
    players: Sequence[Player | None],
    common_squares: Sequence[int],
    key: int,
    games: int,
    turns: int = 0,
) -> tuple[list[int], int, int, int, int, int, tuple[bytes, bytes, bytes, int]]: ...
