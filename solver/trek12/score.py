"""The score of a sheet with every part named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from .. import plain
from ..errors import LimitReached, SolverError, UnsupportedRules, quote
from .graphs import graph_of
from .kernel import Layouts
from .position import Position
from .rules import AMAZONIA, TRACKS
from .sheets import Sheet

BONUS = (0, 0, 0, 1, 3, 6, 10, 15, 20, 25)
BONUS_STEP = 5
COPIES = 6
"""Copies of a number that an observation track counts."""


@dataclass(frozen=True, slots=True)
class Part:
    """A chain (circles from low to high) or an area (circles in order), and the points that it scores."""

    circles: tuple[int, ...]
    points: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"circles": list(self.circles), "points": self.points}

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`. Raises ParseError."""
        return cls(**plain.read(data, "part", circles=plain.each(plain.whole), points=plain.whole))


@dataclass(frozen=True, slots=True)
class Observation:
    """An observation track of Amazonia: how many circles hold its number, and the points for it."""

    track: str
    number: int
    count: int
    points: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"track": self.track, "number": self.number, "count": self.count, "points": self.points}

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`. Raises ParseError."""
        return cls(
            **plain.read(
                data, "observation", track=plain.text, number=plain.whole, count=plain.whole, points=plain.whole
            )
        )


@dataclass(frozen=True, slots=True)
class Score:
    """total = chains + areas + bonuses + observations - the rules' penalty for each of orphans, bad and piranhas.

    The bonuses are 0 in Amazonia, observations and piranhas are Amazonia's alone.
    """

    total: int
    chains: tuple[Part, ...]
    areas: tuple[Part, ...]
    longest_bonus: int
    largest_bonus: int
    orphans: tuple[int, ...]
    bad: tuple[int, ...]
    observations: tuple[Observation, ...] = ()
    piranhas: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "total": self.total,
            "chains": [part.to_dict() for part in self.chains],
            "areas": [part.to_dict() for part in self.areas],
            "longest_bonus": self.longest_bonus,
            "largest_bonus": self.largest_bonus,
            "orphans": list(self.orphans),
            "bad": list(self.bad),
            "observations": [seen.to_dict() for seen in self.observations],
            "piranhas": list(self.piranhas),
        }

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`. Raises ParseError."""
        circles, parts = plain.each(plain.whole), plain.each(Part.from_dict)
        return cls(
            **plain.read(
                data,
                "score",
                total=plain.whole,
                chains=parts,
                areas=parts,
                longest_bonus=plain.whole,
                largest_bonus=plain.whole,
                orphans=circles,
                bad=circles,
                observations=plain.each(Observation.from_dict),
                piranhas=circles,
            )
        )


@dataclass(frozen=True, slots=True)
class Layout:
    """The best chains of a sheet under free links.

    links: pairs of circles, the lower number first. count: how many sets of links reach the score (2**64 - 1 stands
    for that many or more).
    """

    score: Score
    links: tuple[tuple[int, int], ...]
    count: int

    @property
    def total(self) -> int:
        """The highest score."""
        return self.score.total

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"score": self.score.to_dict(), "links": [list(link) for link in self.links], "count": self.count}

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`. Raises ParseError."""
        return cls(
            **plain.read(
                data, "layout", score=Score.from_dict, links=plain.each(plain.each(plain.whole, 2)), count=plain.whole
            )
        )


def bonus(size: int) -> int:
    """Points for the longest chain or the largest area by its size."""
    return BONUS[size] if size < len(BONUS) else BONUS[-1] + BONUS_STEP * (size + 1 - len(BONUS))


def score(position: Position) -> Score:
    """The score of the sheet as it stands, finished or not; under free links that of its best layout.

    Raises IllegalPosition, and LimitReached where a layout is too large to be found.
    """
    _checked(position)
    if position.rules.links == "free":
        return _best(position.sheet, position).score
    return parts_of(position, position.links)


def best_layout(position: Position) -> Layout:
    """The chains with the highest score for the position's numbers, exact, with how many sets of chains reach it.

    The position must have free links: UnsupportedRules otherwise. Raises IllegalPosition, and LimitReached for sheets
    on which more than a million partial layouts differ.
    """
    if isinstance(position, Position) and position.rules.links != "free":
        raise UnsupportedRules(f"links: best_layout is for free links (rules=free), not {position.rules.links!r}")
    _checked(position)
    return _best(position.sheet, position)


def _checked(position: Position) -> None:
    if not isinstance(position, Position):
        raise SolverError(f"position: must be a Position, not {quote(position)}")
    position.check()


def _best(sheet: Sheet, position: Position) -> Layout:
    found = Layouts().best(graph_of(sheet), position.packed[0])
    if found is None:
        raise LimitReached("layout: more than a million partial layouts differ on this sheet")
    _, count, above = found
    links = tuple((low, high) for low, high in enumerate(above) if high < sheet.circles)
    return Layout(parts_of(position, links), links, count)


def parts_of(position: Position, links: tuple[tuple[int, int], ...]) -> Score:
    """The score with these links, whether or not the boxes fit; of numbers copied from a printed sheet."""
    cells, sheet = position.cells, position.sheet
    up = dict(links)
    chains = []
    for start in sorted(set(up) - set(up.values())):
        chain = [start]
        while chain[-1] in up:
            chain.append(up[chain[-1]])
        low = cells[start]
        assert isinstance(low, int)
        chains.append(Part(tuple(chain), low + 2 * (len(chain) - 1)))
    areas = []
    seen: set[int] = set()
    for circle, cell in enumerate(cells):
        if circle in seen or not isinstance(cell, int):
            continue
        area, todo = {circle}, [circle]
        while todo:
            new = {near for near in sheet.near[todo.pop()] if cells[near] == cell} - area
            area |= new
            todo += new
        seen |= area
        if len(area) > 1:
            areas.append(Part(tuple(sorted(area)), cell + len(area) - 1))
    held = {circle for part in (*chains, *areas) for circle in part.circles}
    orphans = tuple(c for c, cell in enumerate(cells) if isinstance(cell, int) and c not in held)
    bad = tuple(c for c, cell in enumerate(cells) if isinstance(cell, str))
    rules = position.rules
    observations = []
    for track, number in rules.observations:
        count = cells.count(number)
        observations.append(Observation(track, number, count, TRACKS[track][min(count, COPIES) - 1] if count else 0))
    longest = largest = 0
    if rules.variant != AMAZONIA:
        longest = bonus(max((len(part.circles) for part in chains), default=0))
        largest = bonus(max((len(part.circles) for part in areas), default=0))
    total = sum(part.points for part in (*chains, *areas)) + sum(seen.points for seen in observations)
    total += longest + largest - rules.penalty * (len(orphans) + len(bad) + len(position.piranhas))
    return Score(
        total, tuple(chains), tuple(areas), longest, largest, orphans, bad, tuple(observations), position.piranhas
    )
