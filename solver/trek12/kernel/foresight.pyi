from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .board import Graph

class Beam:
    dropped: bool
    def __init__(
        self, graph: Graph, weights: NDArray[np.float32] | None, links: int, bad_rule: int, width: int
    ) -> None: ...
    def best(
        self,
        left: bytes,
        faces: bytes,
        form: int,
        seconds: float = 0,
        cancel: Callable[[], bool] | None = None,
    ) -> tuple[int, list[tuple[int, int, int, int, int, int]], int]: ...
