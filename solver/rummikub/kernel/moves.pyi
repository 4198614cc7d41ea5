from array import array
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from .paths import Paths

M = TypeVar("M")

class Playable(Paths):
    def listed(self, most: int = -1, least: int = 1) -> Iterator[tuple[str, ...]]: ...
    def made(self, cls: type[M], shared: dict[str, Any], most: int = -1, least: int = 1) -> Iterator[M]: ...
    def ranked(
        self, weights: array[int], joker: int, least: int | None = None, *, empty: bool = False
    ) -> Iterator[tuple[str, ...]]: ...

class Plays:
    colors: int
    numbers: int
    memory: int
    def __init__(self, colors: int, numbers: int, names: tuple[str, ...], memory: int) -> None: ...
    @property
    def memory_used(self) -> int: ...
    def fits(self, packed: bytes) -> bool: ...
    def of(
        self,
        packed: bytes,
        *,
        weights: array[int] | None = None,
        lose: int = -1,
        work: int = 0,
        nodes: int = 0,
        seconds: float = 0,
        watch: Callable[[], None] | None = None,
    ) -> Playable | None: ...
