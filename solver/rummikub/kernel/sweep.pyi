from array import array
from collections.abc import Callable

class Answer:
    tiles: tuple[str, ...]
    value: int
    expanded: int
    def __call__(self) -> list[tuple[str, ...]]: ...

class Sweep:
    colors: int
    numbers: int
    high_one: bool
    memory: int
    def __init__(
        self, colors: int, numbers: int, names: tuple[str, ...], memory: int, high_one: bool = False
    ) -> None: ...
    @property
    def memory_used(self) -> int: ...
    def solve(
        self,
        packed: bytes,
        objective: str = "tiles",
        weights: array[int] | None = None,
        *,
        go_out: bool = False,
        empty: bool = False,
        explicit: bool = False,
        nodes: int = 0,
        seconds: float = 0,
        watch: Callable[[], None] | None = None,
    ) -> Answer | None: ...
    def best(self, packed: bytes, value: bool) -> Answer | None: ...
    def solve_many(self, packed: list[bytes], objective: str = "tiles") -> list[Answer | None]: ...
    def time_ns(self, packed: list[bytes], objective: str = "tiles") -> list[int]: ...
