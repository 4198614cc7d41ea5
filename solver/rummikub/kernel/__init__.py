"""The only door to the compiled code of the game."""

from .arrangements import Arrangements
from .hands import count_hands
from .least_change import Change, LeastChange
from .moves import Playable, Plays
from .playouts import Playouts
from .searching import Searching
from .sweep import Answer, Sweep
from .turns import Turns, why_not

__all__ = [
    "Answer",
    "Arrangements",
    "Change",
    "LeastChange",
    "Playable",
    "Playouts",
    "Plays",
    "Searching",
    "Sweep",
    "Turns",
    "count_hands",
    "why_not",
]
