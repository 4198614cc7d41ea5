"""Setup (Числа): the public names of the game."""

from .board import Board
from .position import Move, Position
from .rules import Rules
from .search import (
    PlayAnalysis,
    PlayLine,
    Solver,
    analyse,
    best_move,
    best_moves,
    count_moves,
    legal_moves,
    play_arrays,
    solve_batch,
)
from .verify import score, verify

__all__ = [
    "Board",
    "Move",
    "PlayAnalysis",
    "PlayLine",
    "Position",
    "Rules",
    "Solver",
    "analyse",
    "best_move",
    "best_moves",
    "count_moves",
    "legal_moves",
    "play_arrays",
    "score",
    "solve_batch",
    "verify",
]
