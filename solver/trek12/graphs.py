"""Sheets as the kernels want them."""

from __future__ import annotations

from functools import lru_cache

from .kernel import Graph
from .sheets import Sheet


@lru_cache(maxsize=64)
def graph_of(sheet: Sheet) -> Graph:
    """The sheet for the kernels; it is not changed by them, so all searches share it."""
    return Graph(sheet.circles, bytes(circle for edge in sheet.edges for circle in edge), bytes(sheet.dangerous))
