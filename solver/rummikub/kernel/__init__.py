"""The only door to the compiled code of the game."""

from .cover import Change, Cover, Repair
from .hands import count_hands
from .moves import Playable, Plays
from .playouts import Playouts
from .sweep import Answer, Sweep
from .turns import Turns, why_not

__all__ = [
    "Answer",
    "Change",
    "Cover",
    "Playable",
    "Playouts",
    "Plays",
    "Repair",
    "Sweep",
    "Turns",
    "count_hands",
    "why_not",
]
