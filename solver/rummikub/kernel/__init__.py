"""The only door to the compiled code of the game."""

from .sweep import Answer, Sweep

__all__ = ["Answer", "Sweep"]
