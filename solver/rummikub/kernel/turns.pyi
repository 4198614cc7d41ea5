from collections.abc import Iterable

from ..rules import Rules
from .sweep import Sweep

Found = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]

def why_not(rules: Rules) -> str: ...

class Turns:
    sweep: Sweep
    def __init__(self, rules: Rules, names: tuple[str, ...], memory: int) -> None: ...
    def best(
        self,
        table: Iterable[tuple[str, ...]],
        rack: Iterable[str],
        opened: bool = True,
        objective: str = "tiles",
        *,
        go_out: bool = False,
    ) -> Found | None: ...
    def smallest_opening(self, table: Iterable[tuple[str, ...]], rack: Iterable[str]) -> Found | None: ...
