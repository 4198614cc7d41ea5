"""How seats play, as descriptions for the kernel (kernel/games.pyx): kinds, weights, what a lookahead spends.

The weights were fitted to games of the default rules to 60 steps: docs/setup-play.md tells how and what they win.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .kernel.games import Policy

RANDOM, DIRECT, EVALUATION, LOOKAHEAD = range(4)
POINT: Final = 1000
"""Weights of plays are in thousandths of a point."""
PLAIN_STYLE: Final = (0, 0, 0, 0, 0, 0)
NO_TERMS: Final = (0.0,) * 14
SPREAD: Final = 0.5
TO_MOVE: Final = 2.0

# Weights in thousandths of a point of: a tile of the rack, one of the common hand, one on an own square, a newly filled
# own square, a newly filled square, a tile on a common square. By number of players.
STYLES: Final[Mapping[int, tuple[int, ...]]] = {
    2: (-63, -50, 63, 206, -14, 0),
    3: (-30, -25, 55, 380, -7, -35),
    4: (0, 0, 47, 550, 0, -70),
}

# Weights in points of what an evaluation looks at: bonus of the next seat, of the other opponents, of a partner; tiles
# of the rack, of the common hand; tiles on own squares, newly filled own squares, newly filled squares, tiles on common
# squares; expected best answer of the next seat, its square, the same of the opponents behind; own best play with what
# is left, the expected one with what will be drawn. By number of players.
TERMS: Final[Mapping[int, tuple[float, ...]]] = {
    2: (-1.0, 0.0, 0.0, 0.099, 0.0, 0.06, 0.2, 0.031, 0.0, 0.0, -0.096, 0.0, 0.322, 0.0),
    3: (-0.5, -0.5, 0.0, 0.099, 0.0, 0.06, 0.38, 0.031, -0.035, 0.0, -0.048, 0.0, 0.322, 0.0),
    4: (-0.33, -0.33, 1.0, 0.099, 0.0, 0.05, 0.55, 0.031, -0.07, 0.0, -0.032, 0.0, 0.322, 0.0),
}
CANDIDATES: Final = 24
"""Plays that an evaluation looks at: the best by margin and style."""
LINES: Final = 12
"""Plays that a lookahead looks at: the best by the evaluation."""
PLIES: Final = 2
PRIORS: Final[Mapping[int, float]] = {2: 32.0, 3: 16.0, 4: 8.0}
"""Deals that the evaluation is worth in a lookahead."""


def random_policy() -> Policy:
    """Any play or swap, each with the same chance."""
    return (RANDOM, (POINT, 0, 0), PLAIN_STYLE, True, False, 1, NO_TERMS, 1, 0, 0, 0.0, SPREAD, TO_MOVE)


def greedy_policy(plain: bool = False) -> Policy:
    """Most points. plain: ties in the fixed order of plays alone, else with less bonus and fewer own tiles first."""
    return (DIRECT, (POINT, 0, 0), PLAIN_STYLE, plain, False, 1, NO_TERMS, 1, 0, 0, 0.0, SPREAD, TO_MOVE)


def margin_weights(players: int, teams: bool, full: bool = False) -> tuple[int, int, int]:
    """Points minus the bonus given away, divided by the number of opponents or not (full); a partner's bonus counts."""
    opponents = 1 if full else players - 1 - teams
    return POINT, -POINT // opponents, POINT if teams else 0


def margin_policy(players: int, teams: bool, full: bool = False) -> Policy:
    """Best margin."""
    weights = margin_weights(players, teams, full)
    return (DIRECT, weights, PLAIN_STYLE, False, False, 1, NO_TERMS, 1, 0, 0, 0.0, SPREAD, TO_MOVE)


def static_policy(players: int, teams: bool) -> Policy:
    """Best margin with small weights for what the play leaves; a win at once first."""
    weights, style = margin_weights(players, teams), STYLES[players]
    return (DIRECT, weights, style, False, True, 1, NO_TERMS, 1, 0, 0, 0.0, SPREAD, TO_MOVE)


def evaluation_policy(players: int, teams: bool) -> Policy:
    """Best evaluation of one play; a win at once first."""
    weights, style = margin_weights(players, teams), STYLES[players]
    terms = TERMS[players]
    return (EVALUATION, weights, style, False, True, CANDIDATES, terms, 1, 0, 0, 0.0, SPREAD, TO_MOVE)


def lookahead_policy(players: int, teams: bool, deals: int) -> Policy:
    """The plays with the best evaluation, played on in random deals of the unseen tiles; a win at once first."""
    weights, style, terms = margin_weights(players, teams), STYLES[players], TERMS[players]
    prior = PRIORS[players]
    return (LOOKAHEAD, weights, style, False, True, CANDIDATES, terms, LINES, deals, PLIES, prior, SPREAD, TO_MOVE)
