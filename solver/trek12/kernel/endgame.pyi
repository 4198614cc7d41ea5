from collections.abc import Callable

from .board import Graph

class Endgame:
    graph: Graph
    links: int
    bad_rule: int
    nodes: int
    def __init__(self, graph: Graph, links: int, bad_rule: int, memory: int) -> None: ...
    @property
    def states(self) -> int: ...
    def clear(self) -> None: ...
    def open_ended(self) -> None: ...
    def value(
        self,
        cells: bytes,
        left: bytes,
        above: bytes,
        target: int | None = None,
        seconds: float = 0,
        nodes: int = 0,
        cancel: Callable[[], bool] | None = None,
    ) -> tuple[float, int]: ...
    def moves(
        self,
        cells: bytes,
        left: bytes,
        above: bytes,
        moves: bytes,
        target: int | None = None,
        seconds: float = 0,
        nodes: int = 0,
        cancel: Callable[[], bool] | None = None,
    ) -> tuple[list[float], int]: ...
