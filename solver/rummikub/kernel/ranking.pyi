from array import array
from collections.abc import Iterator

from .paths import Paths

class Ranking(Iterator[tuple[str, ...]]):
    def __init__(self, source: Paths, weights: array[int], joker: int, least: int | None, empty: bool) -> None: ...
    def __next__(self) -> tuple[str, ...]: ...
