import numpy as np
from numpy.typing import NDArray

from .board import Graph

class Trainer:
    def __init__(self, graph: Graph, weights: NDArray[np.float32]) -> None: ...
    def batch(
        self,
        key: int,
        first: int,
        games: int,
        rate: float,
        left: bytes,
        links: int,
        bad_rule: int,
        trace: float = 0,
    ) -> float: ...

def weight_count(circles: int) -> int: ...
def input_count(circles: int) -> int: ...
