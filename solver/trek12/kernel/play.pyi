import numpy as np
from numpy.typing import NDArray

from .board import Graph
from .endgame import Endgame

class Player:
    graph: Graph
    def __init__(
        self,
        graph: Graph,
        policy: int,
        weights: NDArray[np.float32] | None,
        links: int,
        bad_rule: int,
        endgame: Endgame | None = None,
        width: int = 12,
        margin: float = 8,
        exact: int = 3,
        some: int = 3,
    ) -> None: ...
    def games(
        self,
        key: int,
        first: int,
        left: bytes,
        out: NDArray[np.int32],
        chances: NDArray[np.uint64] | None = None,
    ) -> bool: ...
    def move(
        self, cells: bytes, left: bytes, above: bytes, face: int, chance: int = 0
    ) -> tuple[int, int, int, int, int]: ...
    def rollouts(
        self, cells: bytes, left: bytes, above: bytes, moves: bytes, key: int, first: int, out: NDArray[np.int32]
    ) -> None: ...
    def rank(
        self, cells: bytes, left: bytes, above: bytes, face: int
    ) -> list[tuple[float, bool, int, int, int, int, int]]: ...
    def judge(self, cells: bytes, left: bytes, above: bytes, moves: bytes) -> list[float]: ...
