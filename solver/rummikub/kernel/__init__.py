"""The only door to the compiled code of the game."""

from .cover import Change, Cover, Repair
from .sweep import Answer, Sweep

__all__ = ["Answer", "Change", "Cover", "Repair", "Sweep"]
