"""Trek 12: sheets, rules, scores, and the best moves."""

from .foresight import BestSheet, best_sheet
from .position import Move, Position
from .rules import PRESETS, Rules
from .score import Layout, Score, best_layout, score
from .search import (
    Distribution,
    Judgement,
    RollLine,
    Solver,
    TrekAnalysis,
    analyse,
    best_move,
    best_moves,
    count_moves,
    judge,
    legal_moves,
    loss,
    luck,
    solve_batch,
)
from .sheets import Sheet, sheets
from .verify import verify, verify_score

__all__ = [
    "PRESETS",
    "BestSheet",
    "Distribution",
    "Judgement",
    "Layout",
    "Move",
    "Position",
    "RollLine",
    "Rules",
    "Score",
    "Sheet",
    "Solver",
    "TrekAnalysis",
    "analyse",
    "best_layout",
    "best_move",
    "best_moves",
    "best_sheet",
    "count_moves",
    "judge",
    "legal_moves",
    "loss",
    "luck",
    "score",
    "sheets",
    "solve_batch",
    "verify",
    "verify_score",
]
