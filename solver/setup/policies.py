"""How seats play, as descriptions for the kernel (kernel/policy.pyx): kinds, weights, what a lookahead spends.

The weights were fitted to games of the default rules to 60 steps: docs/setup-play.md tells how and what they win.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .kernel.policy import Policy

RANDOM, DIRECT, EVALUATION, LOOKAHEAD = range(4)
POINT: Final = 1000
"""Weights of plays are in thousandths of a point."""
PLAIN_STYLE: Final = (0, 0, 0, 0, 0, 0)
NO_TERMS: Final = (0.0,) * 14
SPREADS: Final[Mapping[int, float]] = {2: 0.5, 3: 0.6, 4: 0.6}
"""Of the win model: what a step is worth against the root of the steps left, by number of players."""
TO_MOVE: Final[Mapping[int, float]] = {2: 2.0, 3: 3.0, 4: 3.0}
"""What being to move is worth in steps."""
NO_MODEL: Final = (0.0, 1.0, 0.0)

# Weights in thousandths of a point of: a tile of the rack, one of the common hand, one on an own square, a newly filled
# own square, a newly filled square, a tile on a common square. By number of players.
STYLES: Final[Mapping[int, tuple[int, ...]]] = {
    2: (-100, -47, 68, 336, -76, 0),
    3: (-130, -56, 132, 385, -6, 0),
    4: (-123, -80, 140, 680, 0, 0),
}

# Weights in points of what an evaluation looks at: bonus of the next seat, of the other opponents, of a partner; tiles
# of the rack, of the common hand; tiles on own squares, newly filled own squares, newly filled squares, tiles on common
# squares; expected best answer of the next seat, its square, the same of the opponents behind; own best play with what
# is left, the expected one with what will be drawn. By number of players, 0 for teams.
TERMS: Final[Mapping[int, tuple[float, ...]]] = {
    0: (-0.92, -0.88, 1.0, 0.0, -0.077, 0.132, 0.94, 0.0, 0.0, -0.31, -0.064, -0.126, 0.229, 0.049),
    2: (-0.96, 0.0, 0.0, 0.0, -0.033, 0.087, 0.275, -0.02, 0.0, -0.31, -0.084, 0.0, 0.236, 0.156),
    3: (-0.452, -0.489, 0.0, -0.009, -0.061, 0.107, 0.312, 0.081, 0.0, -0.053, -0.043, -0.332, 0.18, 0.06),
    4: (-0.316, -0.295, 0.0, -0.008, -0.065, 0.133, 0.697, 0.0, 0.0, 0.157, -0.049, -0.124, 0.152, 0.024),
}
CANDIDATES: Final = 16
"""Plays that an evaluation looks at: the best by margin and style."""
WIDE_CANDIDATES: Final = 24
"""The same for a lookahead that can afford it."""
LINES: Final = 8
"""Plays that a lookahead looks at: the best by the evaluation. Each has as many deals as samples in the mean."""
FEWEST_LINES: Final = 4
"""With fewer samples than LINES so many plays share the deals of LINES."""
MOST_LINES: Final = 16
MANY_SAMPLES: Final = 32
"""From so many samples on MOST_LINES plays share them."""
PLIES: Final = 3
"""Moves after the play in a lookahead."""
FEWEST_PLIES: Final[Mapping[int, int]] = {2: 2, 3: 3, 4: 3}
"""The same with fewer samples than LINES, by number of players: noise counts for more than what comes later."""
PRIORS: Final[Mapping[int, float]] = {2: 16.0, 3: 12.0, 4: 8.0}
"""Deals that the evaluation is worth in a lookahead."""


def random_policy() -> Policy:
    """Any play or swap, each with the same chance."""
    return (RANDOM, (POINT, 0, 0), PLAIN_STYLE, True, False, 1, NO_TERMS, 1, 0, 0, *NO_MODEL)


def greedy_policy(plain: bool = False) -> Policy:
    """Most points. plain: ties in the fixed order of plays alone, else with less bonus and fewer own tiles first."""
    return (DIRECT, (POINT, 0, 0), PLAIN_STYLE, plain, False, 1, NO_TERMS, 1, 0, 0, *NO_MODEL)


def margin_weights(players: int, teams: bool, full: bool = False) -> tuple[int, int, int]:
    """Points minus the bonus given away, divided by the number of opponents or not (full); a partner's bonus counts."""
    opponents = 1 if full else players - 1 - teams
    return POINT, -POINT // opponents, POINT if teams else 0


def base_weights(players: int, teams: bool) -> tuple[int, int, int]:
    """Margin weights of the players that look further: with teams every bonus point of an opponent counts as one."""
    return margin_weights(players, teams, full=teams)


def margin_policy(players: int, teams: bool, full: bool = False) -> Policy:
    """Best margin."""
    weights = margin_weights(players, teams, full)
    return (DIRECT, weights, PLAIN_STYLE, False, False, 1, NO_TERMS, 1, 0, 0, *NO_MODEL)


def static_policy(players: int, teams: bool) -> Policy:
    """Best margin with small weights for what the play leaves; a win at once first."""
    weights, style = base_weights(players, teams), STYLES[players]
    return (DIRECT, weights, style, False, True, 1, NO_TERMS, 1, 0, 0, *NO_MODEL)


def evaluation_policy(players: int, teams: bool) -> Policy:
    """Best evaluation of one play; a win at once first."""
    weights, style = base_weights(players, teams), STYLES[players]
    terms = TERMS[0 if teams else players]
    return (EVALUATION, weights, style, False, True, CANDIDATES, terms, 1, 0, 0, *NO_MODEL)


def lookahead_policy(players: int, teams: bool, samples: int, lines: int | None = None) -> Policy:
    """The plays with the best evaluation, played on in random deals of the unseen tiles; a win at once first.

    samples: a play and a deal are one piece of work, and there are LINES times samples of them. lines: how many plays
    share these; where not given, FEWEST_LINES to MOST_LINES.
    """
    few = samples < LINES
    if lines is None:
        lines = FEWEST_LINES if few else LINES if samples < MANY_SAMPLES else MOST_LINES
    deals = samples * LINES // lines
    wanted = CANDIDATES if few else WIDE_CANDIDATES
    plies = FEWEST_PLIES[players] if few else PLIES
    weights, style, terms = base_weights(players, teams), STYLES[players], TERMS[0 if teams else players]
    model = (PRIORS[players], SPREADS[players], TO_MOVE[players])
    return (LOOKAHEAD, weights, style, False, True, wanted, terms, lines, deals, plies, *model)
