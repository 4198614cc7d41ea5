from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ..rules import Rules
from .tilesets import Reader

class Change(NamedTuple):
    table: tuple[tuple[str, ...], ...]
    kept: int
    moved: int

class LeastChange(Reader):
    def __init__(self, rules: Rules, *, patience: int = ..., memory: int = ..., nodes: int = ...) -> None: ...
    def least_change(
        self,
        table: Sequence[Sequence[str]],
        tiles: Iterable[str],
        *,
        accept: Callable[[tuple[tuple[str, ...], ...]], bool] | None = None,
    ) -> Change | None: ...
