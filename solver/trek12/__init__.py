"""Trek 12: positions, sheets, rules, scores, the best moves, and whole games.

Positions: Position, Move, Rules, PRESETS, Sheet, sheets, verify.
Searches: best_move, best_moves, legal_moves, count_moves, analyse, solve_batch, and Solver, which has them all with
warm tables; OBJECTIVES names what can be best.
Whole games: start gives the State before the first roll; a Player chooses an Action for its View, an Outcome is what
chance brings; player makes a bundled one of PLAYERS or LEVELS.
Only here: score, best_layout, verify_score, best_sheet, value, judge, luck, loss.
"""

from ..games import Player
from .foresight import BestSheet, best_sheet
from .game import Action, Outcome, start
from .game import TrekState as State
from .game import TrekView as View
from .players import LEVELS, PLAYERS, player
from .position import Move, Position
from .rules import PRESETS, Rules
from .score import Layout, Score, best_layout, score
from .search import (
    OBJECTIVES,
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
    value,
)
from .sheets import Sheet, sheets
from .verify import verify, verify_score

__all__ = [
    "LEVELS",
    "OBJECTIVES",
    "PLAYERS",
    "PRESETS",
    "Action",
    "BestSheet",
    "Distribution",
    "Judgement",
    "Layout",
    "Move",
    "Outcome",
    "Player",
    "Position",
    "RollLine",
    "Rules",
    "Score",
    "Sheet",
    "Solver",
    "State",
    "TrekAnalysis",
    "View",
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
    "player",
    "score",
    "sheets",
    "solve_batch",
    "start",
    "value",
    "verify",
    "verify_score",
]
