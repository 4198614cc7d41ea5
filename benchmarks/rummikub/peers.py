"""Other solvers behind one interface: what they need of a position, how they are called, what they claim.

`load` translates a position and is not timed, `run` is the timed call, `read` turns what came back into a `Claim`.
Nothing of the solver under test is used here, and a claim is judged by its own short reading of the rules.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from benchmarks.rummikub import ilp
from benchmarks.rummikub.ilp import Answer, Bag, PositionLike

SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Claim:
    """What a solver says: the tiles to lay and, if it says so, the sets on the table afterwards."""

    laid: tuple[str, ...]
    sets: tuple[tuple[str, ...], ...] | None = None

    @property
    def answer(self) -> Answer:
        """Tiles and value of the claim."""
        return Answer(len(self.laid), sum(int(tile[1:]) for tile in self.laid if tile != "J"))


class Peer(Protocol):
    """One solver with one back end."""

    name: str
    # Whether the secondary objective is promised too (value among equal tiles, tiles among equal value).
    breaks_ties: bool

    def load(self, position: PositionLike) -> Any: ...
    def run(self, loaded: Any, objective: str) -> Any: ...
    def read(self, raw: Any, loaded: Any) -> Claim | Answer: ...


class PlainIlp:
    """The plain integer programme of this folder."""

    breaks_ties = True

    def __init__(self, backend: str) -> None:
        self.name = f"ilp/{backend}"
        self._backend = backend

    def load(self, position: PositionLike) -> Bag:
        return Bag.of(position)

    def run(self, loaded: Bag, objective: str) -> Answer:
        return ilp.solve(loaded, objective, self._backend)

    def read(self, raw: Answer, loaded: Bag) -> Answer:
        return raw


class RummikubSolver:
    """The package `rummikub-solver` (github.com/mjpieters/rummikub-solver) with one of its back ends."""

    breaks_ties = False

    def __init__(self, backend: str) -> None:
        self.name = f"rummikub-solver/{backend}"
        self._package = importlib.import_module("rummikub_solver")
        names = {"glpk": "GLPK_MI", "highs": "HIGHS", "scipy": "SCIPY"}
        self._rules = self._package.RuleSet(solver_backend=self._package.MILPSolver(names[backend]))
        colours = self._package.Colour
        letter = {colours.RED: "R", colours.BLUE: "B", colours.BLACK: "K", colours.ORANGE: "O"}
        self._text = {
            int(tile): f"{letter[tile.colour]}{tile.value}" if hasattr(tile, "colour") else "J"
            for tile in self._rules.tiles
        }
        self._tile = {self._text[int(tile)]: tile for tile in self._rules.tiles}
        self._mode = {"tiles": self._package.SolverMode.TILE_COUNT, "value": self._package.SolverMode.TOTAL_VALUE}

    def load(self, position: PositionLike) -> Any:
        state = self._rules.new_game()
        state.add_table(*(self._tile[tile] for tiles in position.table for tile in tiles))
        state.add_rack(*(self._tile[tile] for tile in position.rack))
        state.initial = False
        return state

    def run(self, loaded: Any, objective: str) -> Any:
        return self._rules.solve(loaded, self._mode[objective])

    def read(self, raw: Any, loaded: Any) -> Claim:
        if raw is None:
            return Claim(())
        return Claim(
            tuple(self._text[int(tile)] for tile in raw.tiles),
            tuple(tuple(self._text[int(tile)] for tile in tiles) for tiles in raw.sets),
        )


PEERS: dict[str, Callable[[], Peer]] = {
    **{f"rummikub-solver/{backend}": partial(RummikubSolver, backend) for backend in ("glpk", "highs", "scipy")},
    **{f"ilp/{backend}": partial(PlainIlp, backend) for backend in ilp.BACKENDS},
}
PUBLIC = "rummikub-solver/"  # the peers that anybody could use today


def judge(position: PositionLike, claim: Claim | Answer, best: Answer, objective: str, breaks_ties: bool) -> list[str]:
    """What is wrong with a claim about a position whose optimum is known, empty if nothing."""
    problems = []
    answer = claim if isinstance(claim, Answer) else claim.answer
    if breaks_ties:
        if answer != best:
            problems.append(f"lays {answer.tiles} tiles of value {answer.value}, not {best.tiles} of {best.value}")
    elif objective == "tiles":
        if answer.tiles != best.tiles:
            problems.append(f"lays {answer.tiles} tiles, not {best.tiles}")
    elif answer.value != best.value:
        problems.append(f"lays a value of {answer.value}, not {best.value}")
    if isinstance(claim, Claim):
        problems += table_problems(position, claim)
    return problems


def table_problems(position: PositionLike, claim: Claim) -> list[str]:
    """What is wrong with the tiles and sets of a claim under the rules `free`."""
    problems = []
    if Counter(claim.laid) - Counter(position.rack):
        problems.append("lays tiles that the rack does not hold")
    if claim.sets is None or not claim.laid:
        return problems
    before = Counter(tile for tiles in position.table for tile in tiles)
    after = Counter(tile for tiles in claim.sets for tile in tiles)
    if lost := before + Counter(claim.laid) - after:
        problems.append(f"loses {' '.join(sorted(lost.elements()))}")
    if made := after - before - Counter(claim.laid):
        problems.append(f"makes {' '.join(sorted(made.elements()))} from nothing")
    problems += [f"{' '.join(tiles)} is no set" for tiles in claim.sets if not is_set(tiles)]
    return problems


def is_set(tiles: Sequence[str], numbers: int = 13, colors: int = 4) -> bool:
    """Whether tiles in any order are a group or a run."""
    real = [tile for tile in tiles if tile != "J"]
    shades = {tile[0] for tile in real}
    values = {int(tile[1:]) for tile in real}
    if len(tiles) < SHORTEST:
        return False
    group = len(values) <= 1 and len(shades) == len(real) and len(tiles) <= colors
    run = len(shades) <= 1 and len(values) == len(real) and len(tiles) <= numbers
    spread = max(values) - min(values) + 1 if values else 0
    return group or (run and spread <= len(tiles))
