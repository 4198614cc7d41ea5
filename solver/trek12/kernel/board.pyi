import numpy as np
from numpy.typing import NDArray

class Graph:
    circles: int
    plain: bool
    def __init__(
        self,
        circles: int,
        edges: bytes,
        dangerous: bytes,
        penalty: int = 3,
        bonus: bool = True,
        river: bytes = b"",
        seen: bytes = b"",
    ) -> None: ...

def count_moves(graph: Graph, cells: bytes, left: bytes, above: bytes, face: int, links: int, bad_rule: int) -> int: ...
def moves(graph: Graph, cells: bytes, left: bytes, above: bytes, face: int, links: int, bad_rule: int) -> bytes: ...
def total(graph: Graph, cells: bytes, left: bytes, above: bytes) -> int: ...
def total_many(graph: Graph, cells: NDArray[np.uint8], above: NDArray[np.uint8], out: NDArray[np.int32]) -> None: ...
def replay(
    graph: Graph, cells: bytes, left: bytes, above: bytes, circle: int, number: int, down: int, up: int
) -> int: ...
