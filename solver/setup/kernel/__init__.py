"""The only door to the compiled code of Setup."""

from .deals import answers, chances, race
from .plays import Plays

__all__ = ["Plays", "answers", "chances", "race"]
