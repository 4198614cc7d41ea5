"""The compiled kernels of Trek 12; the only door to them."""

from .board import Graph, count_moves, moves, replay, total, total_many
from .endgame import Endgame
from .foresight import Beam
from .layout import Layouts
from .net import Trainer, input_count, weight_count
from .play import Player

__all__ = [
    "Beam",
    "Endgame",
    "Graph",
    "Layouts",
    "Player",
    "Trainer",
    "count_moves",
    "input_count",
    "moves",
    "replay",
    "total",
    "total_many",
    "weight_count",
]
