from collections.abc import Callable, Sequence

from .plays import Plays
from .policy import Policy

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
