"""Rummikub: positions, rules, and the best moves."""

from .position import Move, Position
from .rules import PRESETS, Rules

__all__ = ["PRESETS", "Move", "Position", "Rules"]
