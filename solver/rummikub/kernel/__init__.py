"""The only door to the compiled code of the game."""

from .cover import Change, Cover, Repair
from .hands import count_hands
from .sweep import Answer, Sweep

__all__ = ["Answer", "Change", "Cover", "Repair", "Sweep", "count_hands"]
