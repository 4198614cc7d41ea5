"""The only door to the compiled code of the game.

What stands here comes from the modules at the top: `sweep` (the best move), `moves` (lists of moves) and `turns` (the
best move on a table that keeps its sets) name the stages below them at their head; `arrangements` and `least_change`
stand on `tilesets`; `turns` asks `sweep`; `playouts` and `searching` (whole games) stand on `turns`.
"""

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
