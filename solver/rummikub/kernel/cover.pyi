from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ..rules import Rules

class Change(NamedTuple):
    table: tuple[tuple[str, ...], ...]
    kept: int
    moved: int

class Repair(NamedTuple):
    table: tuple[tuple[str, ...], ...]
    removed: tuple[str, ...]

class Cover:
    rules: Rules
    memory: int
    nodes: int
    def __init__(self, rules: Rules, *, memory: int = ..., nodes: int = ...) -> None: ...
    def arrangements(self, tiles: Iterable[str]) -> Iterator[tuple[tuple[str, ...], ...]]: ...
    def arrange(self, tiles: Iterable[str]) -> tuple[tuple[str, ...], ...] | None: ...
    def count_arrangements(self, tiles: Iterable[str]) -> int: ...
    def repair(self, tiles: Iterable[str]) -> Repair: ...
    def least_change(
        self,
        table: Sequence[Sequence[str]],
        tiles: Iterable[str],
        *,
        stays: Sequence[Iterable[str]] = (),
        accept: Callable[[tuple[tuple[str, ...], ...]], bool] | None = None,
    ) -> Change | None: ...
