"""Exact best moves and analysis for three tabletop games.

One subpackage a game, with the same rooms in each: `solver.rummikub`, `solver.setup`, `solver.trek12`.
"""

__version__ = "0.1.0"
