"""The only door to the compiled code of Setup.

What stands here comes from the modules at the top: `plays` (all plays of a position) and `games` (whole games) name the
stages below them at their head; `choice` is what `games` does at each turn; `deals` stands on `plays` and `known`.
"""

from .choice import chances, choose, terms
from .deals import answers
from .games import play_many
from .plays import Plays

__all__ = ["Plays", "answers", "chances", "choose", "play_many", "terms"]
