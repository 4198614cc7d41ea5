"""Setup (Числа): positions, rules, the best moves, and whole games.

Positions: Position, Move, Rules, PRESETS, Board, verify.
Searches: best_move, best_moves, legal_moves, count_moves, analyse, solve_batch, and Solver, which has them all with
warm tables; OBJECTIVES names what can be best.
Whole games: start gives the State before the deal; a Player chooses an Action for its View, an Outcome is what
chance brings; player makes a bundled one of PLAYERS or LEVELS.
Only here: play_arrays, all plays as one array, and score, the points and the bonus of a move.
"""

from ..games import Player
from .board import Board
from .game import Action, Outcome, start
from .game import SetupState as State
from .game import SetupView as View
from .players import LEVELS, PLAYERS, player
from .position import Move, Position
from .rules import PRESETS, Rules
from .search import (
    OBJECTIVES,
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
    "LEVELS",
    "OBJECTIVES",
    "PLAYERS",
    "PRESETS",
    "Action",
    "Board",
    "Move",
    "Outcome",
    "PlayAnalysis",
    "PlayLine",
    "Player",
    "Position",
    "Rules",
    "Solver",
    "State",
    "View",
    "analyse",
    "best_move",
    "best_moves",
    "count_moves",
    "legal_moves",
    "play_arrays",
    "player",
    "score",
    "solve_batch",
    "start",
    "verify",
]
