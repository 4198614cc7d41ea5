"""Best moves and analysis for three tabletop games.

One subpackage a game, with the same names in each: `solver.rummikub`, `solver.setup`, `solver.trek12`; `help` of each
tells what is in it. Shared by all:

    solver.results   Line, Analysis, Estimate: what answers are made of
    solver.limits    Limit: how much a search may spend; Status: how it ended
    solver.errors    SolverError and its kinds
    solver.games     State, Player, Record: what whole games promise; `play` plays one
    solver.match     match, series: many games between players, fair and reproducible
    solver.records   recorded games: reading, writing, replaying with every event checked
    solver.streams   seeded random words, for players of one's own

The shell is `solver`, or `python -m solver`.
"""

__version__ = "0.1.0"
