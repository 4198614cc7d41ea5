from collections.abc import Callable, Sequence

class Plays:
    def __init__(
        self,
        squares: int,
        links: bytes,
        owners: bytes,
        seated: int,
        numbers: int,
        suits: int,
        block: bool,
        scoring: int,
        per_tile: bool,
        on_opponents: bool,
    ) -> None: ...
    def count(self, tops: bytes, rack: bytes, common: bytes, mover: int, seconds: float = 0) -> int: ...
    def most(self, tops: bytes, rack: bytes, common: bytes, mover: int) -> int: ...
    def records(
        self,
        tops: bytes,
        rack: bytes,
        common: bytes,
        mover: int,
        skip: int = 0,
        limit: int = ...,
        repeat: int = 1,
        seconds: float = 0,
    ) -> tuple[bytes, bool]: ...
    def best(
        self,
        tops: bytes,
        rack: bytes,
        common: bytes,
        mover: int,
        weights: Sequence[int],
        wanted: int,
        seconds: float = 0,
        given: int = ...,
        watch: Callable[[], None] | None = None,
    ) -> tuple[bytes, list[int], int, int]: ...
