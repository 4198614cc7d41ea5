"""Rummikub: positions, rules, and the best moves."""

from .position import Move, Position
from .rules import PRESETS, Rules
from .search import Solver, best_move, best_moves, count_moves, legal_moves, solve_batch
from .verify import verify

__all__ = [
    "PRESETS",
    "Move",
    "Position",
    "Rules",
    "Solver",
    "best_move",
    "best_moves",
    "count_moves",
    "legal_moves",
    "solve_batch",
    "verify",
]
