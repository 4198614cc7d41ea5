"""Sheets as the kernels want them."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from .kernel import Graph
from .rules import AMAZONIA, TRACKS, Rules
from .sheets import Sheet

NUMBERS = 13
COPIES = 6


def graph_of(sheet: Sheet, rules: Rules | None = None) -> Graph:
    """The sheet, with the scores of the rules (None: the base game), for the kernels.

    It is not changed by them, so all searches share it.
    """
    amazonia = rules is not None and rules.variant == AMAZONIA
    return _graph(sheet, rules if amazonia else None)


@lru_cache(maxsize=64)
def _graph(sheet: Sheet, amazonia: Rules | None) -> Graph:
    edges = bytes(circle for edge in sheet.edges for circle in edge)
    if amazonia is None:
        return Graph(sheet.circles, edges, bytes(sheet.dangerous))
    seen = bytearray(NUMBERS * COPIES)
    for track, number in amazonia.observations:
        points = TRACKS[track]
        gains = (points[0], *(after - before for before, after in pairwise(points)))
        seen[number * COPIES : (number + 1) * COPIES] = bytes(gains)
    return Graph(sheet.circles, edges, bytes(sheet.dangerous), amazonia.penalty, False, bytes(sheet.river), bytes(seen))
