"""Rummikub: positions, rules, the best moves, and whole games.

Positions: Position, Move, Rules, PRESETS, verify.
Searches: best_move, best_moves, legal_moves, count_moves, analyse, solve_batch, and Solver, which has them all with
warm tables; OBJECTIVES names what can be best.
Whole games: start gives the State before the deal; a Player chooses an Action for its View, an Outcome is what
chance brings; player makes a bundled one of PLAYERS or LEVELS.
Only here: draws, steps_for, replay, arrangements, count_arrangements, repair, count_winning_hands.
"""

from ..games import Player
from .arranging import Repair, arrangements, count_arrangements, repair
from .draws import Draw, Draws, draws
from .game import Action, Idle, Outcome, View, start
from .game import RummikubState as State
from .hands import WinningHands, count_winning_hands
from .objectives import OBJECTIVES
from .players import LEVELS, PLAYERS, player
from .position import Move, Position
from .rules import PRESETS, Rules
from .search import Solver, analyse, best_move, best_moves, count_moves, legal_moves, solve_batch
from .searcher import WinLine
from .steps import Step, Steps, replay, steps_for
from .verify import verify

__all__ = [
    "LEVELS",
    "OBJECTIVES",
    "PLAYERS",
    "PRESETS",
    "Action",
    "Draw",
    "Draws",
    "Idle",
    "Move",
    "Outcome",
    "Player",
    "Position",
    "Repair",
    "Rules",
    "Solver",
    "State",
    "Step",
    "Steps",
    "View",
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
    "player",
    "repair",
    "replay",
    "solve_batch",
    "start",
    "steps_for",
    "verify",
]
