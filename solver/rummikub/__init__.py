"""Rummikub: positions, rules, and the best moves."""

from .arranging import Repair, arrangements, count_arrangements, repair
from .draws import Draw, Draws, draws
from .hands import WinningHands, count_winning_hands
from .position import Move, Position
from .rules import PRESETS, Rules
from .search import Solver, analyse, best_move, best_moves, count_moves, legal_moves, solve_batch
from .searcher import WinLine
from .steps import Step, Steps, replay, steps_for
from .verify import verify

__all__ = [
    "PRESETS",
    "Draw",
    "Draws",
    "Move",
    "Position",
    "Repair",
    "Rules",
    "Solver",
    "Step",
    "Steps",
    "WinLine",
    "WinningHands",
    "analyse",
    "arrangements",
    "best_move",
    "best_moves",
    "count_arrangements",
    "count_moves",
    "count_winning_hands",
    "draws",
    "legal_moves",
    "repair",
    "replay",
    "solve_batch",
    "steps_for",
    "verify",
]
