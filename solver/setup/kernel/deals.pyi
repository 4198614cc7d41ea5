from collections.abc import Callable

from .plays import Plays

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
    watch: Callable[[], None] | None = None,
) -> bytes: ...
