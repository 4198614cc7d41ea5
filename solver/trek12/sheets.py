"""Sheets: which circles touch, which are dangerous, how high the summit is. Data, not code.

The published sheets are in data/sheets.json with their sources. A sheet of a caller's own is `Sheet(...)`; in text it
stands as `graph:CIRCLES:EDGES[:DANGEROUS[:SUMMIT[:RIVER]]]`, e.g. `graph:4:0-1,1-2,2-3:3:20`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any

from ..errors import ParseError, RulesError, meant, quote

MOST_CIRCLES = 64
_EDGES = r"\d{1,3}-\d{1,3}"
_CIRCLES = r"(?:\d{1,3}(?:,\d{1,3})*)?"
_TEXT = re.compile(
    rf"graph:(\d{{1,3}}):((?:{_EDGES}(?:,{_EDGES})*)?)(?::({_CIRCLES})(?::(\d{{1,4}})?(?::({_CIRCLES}))?)?)?", re.ASCII
)


def _whole(field_name: str, value: object, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise RulesError(f"{field_name}: must be a whole number {low} to {high}, not {quote(value)}")
    return value


@dataclass(frozen=True)
class Sheet:
    """A sheet as a connected graph of 1 to 64 circles.

    circles: how many. edges: pairs of circles that touch. dangerous: circles with the limit 6. summit: the score that
    earns stars, None if there is none. id: the name in positions, empty for a sheet of one's own. name: for people.
    places: x and y of each circle, y downwards; empty if unknown. river: circles of Amazonia's river; a sheet that has
    some is played under the rules of Amazonia. Raises RulesError that names the field.
    """

    circles: int
    edges: tuple[tuple[int, int], ...]
    dangerous: tuple[int, ...] = ()
    summit: int | None = None
    id: str = field(default="", compare=False)
    name: str = field(default="", compare=False)
    places: tuple[tuple[float, float], ...] = field(default=(), compare=False)
    river: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        count = _whole("circles", self.circles, 1, MOST_CIRCLES)
        pairs = set()
        for edge in _listed("edges", self.edges):
            pair = tuple(_listed("edges", edge))
            if len(pair) != 2:
                raise RulesError(f"edges: {quote(edge)} is no pair of circles")
            a, b = (_whole("edges", circle, 0, count - 1) for circle in pair)
            if a == b:
                raise RulesError(f"edges: circle {a} cannot touch itself")
            pairs.add((min(a, b), max(a, b)))
        object.__setattr__(self, "edges", tuple(sorted(pairs)))
        for name, circles in (("dangerous", self.dangerous), ("river", self.river)):
            marked = {_whole(name, circle, 0, count - 1) for circle in _listed(name, circles)}
            object.__setattr__(self, name, tuple(sorted(marked)))
        if self.summit is not None:
            _whole("summit", self.summit, 0, 9999)
        for name, value in (("id", self.id), ("name", self.name)):
            if not isinstance(value, str):
                raise RulesError(f"{name}: must be text, not {quote(value)}")
        places = tuple(_place(place) for place in _listed("places", self.places))
        if places and len(places) != count:
            raise RulesError(f"places: must be {count} points, not {len(places)}")
        object.__setattr__(self, "places", places)
        apart = set(range(count)) - _reached(self.near, 0)
        if apart:
            raise RulesError(f"edges: circle {min(apart)} is not connected to circle 0")

    @cached_property
    def near(self) -> tuple[frozenset[int], ...]:
        """For each circle those that it touches."""
        touching: list[set[int]] = [set() for _ in range(self.circles)]
        for a, b in self.edges:
            touching[a].add(b)
            touching[b].add(a)
        return tuple(frozenset(circles) for circles in touching)

    def limit(self, circle: int) -> int:
        """The highest number that the circle can hold: 6 in a dangerous one, else 12."""
        return 6 if circle in self.dangerous else 12

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        """The id of the published sheet that this one equals, else the graph: an id of a caller's own is not read."""
        for key, known in sheets().items():
            if known == self:
                return key
        parts = [f"graph:{self.circles}", ",".join(f"{a}-{b}" for a, b in self.edges)]
        if self.dangerous or self.summit is not None or self.river:
            parts.append(",".join(map(str, self.dangerous)))
        if self.summit is not None or self.river:
            parts.append("" if self.summit is None else str(self.summit))
        if self.river:
            parts.append(",".join(map(str, self.river)))
        return ":".join(parts)

    @classmethod
    def parse(cls, text: str, *, others: tuple[str, ...] = ()) -> Sheet:
        """The published sheet of an id, or a graph. Raises ParseError that quotes the text.

        others: what else could have been said where the text stands, for the message.
        """
        if not isinstance(text, str):
            raise ParseError(f"sheet: must be text, not {quote(text)}")
        text = text.strip()
        known = sheets()
        if text in known:
            return known[text]
        match = _TEXT.fullmatch(text)
        if match is None:
            words = (*known, *others)
            raise ParseError(
                f"sheet: {quote(text)} is neither one of {', '.join(words)} nor graph:CIRCLES:EDGES[:DANGEROUS"
                f"[:SUMMIT[:RIVER]]]{meant(text, words)}"
            )
        count, edges, dangerous, summit, river = match.groups()
        try:
            pairs = [tuple(map(int, edge.split("-"))) for edge in edges.split(",") if edge]
            marked, wet = (
                tuple(int(circle) for circle in (circles or "").split(",") if circle) for circles in (dangerous, river)
            )
            return cls(int(count), tuple(pairs), marked, int(summit) if summit else None, river=wet)  # type: ignore[arg-type]
        except ValueError as error:
            raise ParseError(f"sheet: {quote(text)}: {error}") from None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "id": self.id,
            "name": self.name,
            "circles": self.circles,
            "edges": [list(edge) for edge in self.edges],
            "dangerous": list(self.dangerous),
            "summit": self.summit,
            "river": list(self.river),
            "places": [list(place) for place in self.places],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Sheet:
        """The inverse of `to_dict`. Raises RulesError for a field that is missing or unknown."""
        fields = {"id", "name", "circles", "edges", "dangerous", "summit", "river", "places"}
        if not isinstance(data, dict) or set(data) - fields or not {"circles", "edges"} <= set(data):
            raise RulesError(
                f"sheet: must have circles and edges and none but {', '.join(sorted(fields))}: {quote(data)}"
            )
        return cls(**data)


def _listed(field_name: str, value: object) -> tuple[Any, ...]:
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise RulesError(f"{field_name}: must be a list, not {quote(value)}")
    return tuple(value)


def _place(value: object) -> tuple[float, float]:
    try:
        x, y = (float(part) for part in _listed("places", value))
    except (TypeError, ValueError, OverflowError):
        x = y = math.inf
    if not math.isfinite(x) or not math.isfinite(y):
        raise RulesError(f"places: {quote(value)} is no point of x and y")
    return x, y


def _reached(near: tuple[frozenset[int], ...], start: int) -> set[int]:
    seen = {start}
    todo = [start]
    while todo:
        for circle in near[todo.pop()] - seen:
            seen.add(circle)
            todo.append(circle)
    return seen


@lru_cache(maxsize=1)
def sheets() -> dict[str, Sheet]:
    """The published sheets by id: the three of the base game, and the exploration sheet of Amazonia."""
    text = resources.files(__package__).joinpath("data", "sheets.json").read_text(encoding="utf-8")
    return {
        key: Sheet(
            circles=len(entry["places"]),
            edges=tuple(tuple(edge) for edge in entry["edges"]),
            dangerous=tuple(entry["dangerous"]),
            summit=entry["summit"],
            river=tuple(entry.get("river", ())),
            id=key,
            name=entry["name"],
            places=tuple(tuple(place) for place in entry["places"]),
        )
        for key, entry in json.loads(text).items()
    }
