from collections.abc import Iterator
from typing import Any

from .paths import Paths

class Listing(Iterator[Any]):
    def __init__(
        self, source: Paths, most: int, least: int, cls: type | None = None, shared: dict[str, Any] | None = None
    ) -> None: ...
    def __next__(self) -> Any: ...
