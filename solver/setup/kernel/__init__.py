"""The only door to the compiled code of Setup."""

from .deals import answers
from .games import chances, choose, play_many, terms
from .plays import Plays

__all__ = ["Plays", "answers", "chances", "choose", "play_many", "terms"]
