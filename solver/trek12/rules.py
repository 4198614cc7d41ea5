"""Rules of Trek 12 as data.

Text: the value of `links`, or `amazonia`, with `+field=value` for others, e.g. `optional+bad_circle=forced_only`;
operation limits as `op_limits=4,4,4,4,4` in the order low high diff sum product; the observation tracks of Amazonia
with their numbers as `amazonia+observations=boa:1,jaguar:6,marmoset:4`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from ..errors import RulesError, quote
from ..rules_text import check_fields, check_word, fields_named, find_preset, read_changes, whole

OPS: Final = ("low", "high", "diff", "sum", "product")
LINKS: Final = ("mandatory", "optional", "free")
BAD_CIRCLE: Final = ("chosen_or_forced", "forced_only")
VARIANTS: Final = ("himalaya", "amazonia")
HIMALAYA, AMAZONIA = VARIANTS
TRACKS: Final[Mapping[str, tuple[int, ...]]] = MappingProxyType(
    {
        "jaguar": (0, 1, 2, 4, 7, 15),
        "ara": (0, 0, 4, 8, 12, 16),
        "toucan": (2, 4, 6, 8, 10, 12),
        "boa": (3, 6, 7, 8, 9, 10),
        "butterfly": (4, 5, 6, 7, 8, 9),
        "frog": (0, 0, 0, 10, 15, 20),
        "tamarind": (2, 4, 6, 8, 9, 10),
        "marmoset": (7, 9, 11, 13, 15, 17),
    }
)
"""Points of an observation track of Amazonia when its number stands on 1, 2 ... 6 or more circles (sources give 6 or 7
for the marmoset's first; the printed example has 7)."""
MOST_TRACKS: Final = 3
MOST_WATCHED: Final = 6
MOST_BOXES: Final = 64
MAX_RULES_TEXT: Final = 200  # characters
PENALTY: Final = 3
AMAZONIA_PENALTY: Final = 5
_DEFAULT_LIMITS: Final = (4, 4, 4, 4, 4)
_FIELDS: Final = ("links", "bad_circle", "op_limits", "variant", "observations")


@fields_named()
@dataclass(frozen=True, slots=True)
class Rules:
    """One rule set; the defaults are the printed rules of the base game.

    links: `mandatory`: links are drawn when a number is written, and must be where they can; `optional`: either may be
    declined; `free`: chains are chosen when the sheet is scored. bad_circle: `chosen_or_forced`, or `forced_only`: a
    bad circle is allowed only when no operation and circle avoid it. op_limits: boxes of each operation, 0 to 64; one
    number stands for all. variant: `himalaya`, the base game, or `amazonia`: no bonuses, a penalty of 5 instead of 3,
    piranhas in the river, observations. observations: (track, number 0 to 6) for up to three tracks of Amazonia with
    different numbers, sorted. Raises RulesError that names field and value.
    """

    links: str = "mandatory"
    bad_circle: str = "chosen_or_forced"
    op_limits: tuple[int, int, int, int, int] = _DEFAULT_LIMITS
    variant: str = HIMALAYA
    observations: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        for name, words in (("links", LINKS), ("bad_circle", BAD_CIRCLE), ("variant", VARIANTS)):
            object.__setattr__(self, name, check_word(name, getattr(self, name), words))
        limits: Any = self.op_limits
        if whole(limits) is not None:
            limits = (limits,) * len(OPS)
        if not isinstance(limits, tuple | list) or len(limits) != len(OPS):
            raise RulesError(f"op_limits: must be {len(OPS)} numbers, not {quote(limits)}")
        object.__setattr__(self, "op_limits", tuple(_boxes(limit) for limit in limits))
        if not any(self.op_limits):
            raise RulesError("op_limits: some operation must have a box, not 0,0,0,0,0")
        object.__setattr__(self, "observations", _watched(self.observations))
        if self.variant == AMAZONIA and self.links != LINKS[0]:
            raise RulesError(f"links: are {LINKS[0]} in {AMAZONIA}, not {quote(self.links)}")
        if self.variant != AMAZONIA and self.observations:
            raise RulesError(f"observations: are for {AMAZONIA}, not for {self.variant}")

    @property
    def penalty(self) -> int:
        """Points that an orphan, a bad circle or a piranha costs."""
        return AMAZONIA_PENALTY if self.variant == AMAZONIA else PENALTY

    @classmethod
    def preset(cls, name: str) -> Rules:
        """The rules named by their links, `mandatory`, `optional` or `free`, or `amazonia`. Raises RulesError."""
        return find_preset(name, PRESETS)

    @classmethod
    def parse(cls, text: str) -> Rules:
        """Read `LINKS+field=value+...`. Raises RulesError that names the part that cannot be read."""
        name, changes = read_changes(text, _FIELDS, MAX_RULES_TEXT, ("links", "variant"))
        values = cls.preset(name).to_dict()
        values.update((field, _READERS.get(field, str)(value)) for field, value in changes.items())
        return cls.from_dict(values)

    def __str__(self) -> str:
        text = AMAZONIA if self.variant == AMAZONIA else self.links
        if self.bad_circle != BAD_CIRCLE[0]:
            text += f"+bad_circle={self.bad_circle}"
        if self.op_limits != _DEFAULT_LIMITS:
            text += f"+op_limits={','.join(map(str, self.op_limits))}"
        if self.observations:
            text += "+observations=" + ",".join(f"{track}:{number}" for track, number in self.observations)
        return text

    def to_dict(self) -> dict[str, Any]:
        """Every field as plain data for JSON."""
        return {
            "links": self.links,
            "bad_circle": self.bad_circle,
            "op_limits": list(self.op_limits),
            "variant": self.variant,
            "observations": [list(watched) for watched in self.observations],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Rules:
        """The inverse of `to_dict`; absent fields have their default. Raises RulesError."""
        check_fields(values, _FIELDS)
        return cls(**values)


def _boxes(limit: object) -> int:
    number = whole(limit)
    if number is None or not 0 <= number <= MOST_BOXES:
        raise RulesError(f"op_limits: must be whole numbers from 0 to {MOST_BOXES}, not {quote(limit)}")
    return number


def _limits(text: str) -> tuple[int, ...] | int:
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and len(part) <= 3 for part in parts):
        raise RulesError(f"op_limits: must be numbers divided by commas, not {quote(text)}")
    numbers = tuple(map(int, parts))
    return numbers[0] if len(numbers) == 1 else numbers


def _watched(observations: object) -> tuple[tuple[str, int], ...]:
    """The observations sorted and checked."""
    if isinstance(observations, str | bytes) or not isinstance(observations, Iterable):
        raise RulesError(f"observations: must be pairs of a track and a number, not {quote(observations)}")
    found: dict[str, int] = {}
    for watched in observations:
        if not isinstance(watched, tuple | list) or len(watched) != 2:
            raise RulesError(f"observations: {quote(watched)} is no pair of a track and a number")
        track, given = watched
        if not isinstance(track, str) or track not in TRACKS:
            raise RulesError(f"observations: no track {quote(track)}; there are {', '.join(TRACKS)}")
        number = whole(given)
        if number is None or not 0 <= number <= MOST_WATCHED:
            raise RulesError(f"observations: the number of {track} must be 0 to {MOST_WATCHED}, not {quote(given)}")
        if track in found or number in found.values():
            raise RulesError(f"observations: tracks and numbers must differ, {track}:{number} does not")
        found[track] = number
    if len(found) > MOST_TRACKS:
        raise RulesError(f"observations: at most {MOST_TRACKS}, not {len(found)}")
    return tuple(sorted(found.items()))


def _observations(text: str) -> tuple[tuple[str, int], ...]:
    pairs = []
    for part in text.split(","):
        track, _, number = part.partition(":")
        if not number.isascii() or not number.isdigit() or len(number) > 3:
            raise RulesError(f"observations: {quote(part)} is not TRACK:NUMBER")
        pairs.append((track, int(number)))
    return tuple(pairs)


_READERS: Final[Mapping[str, Callable[[str], Any]]] = MappingProxyType(
    {"op_limits": _limits, "observations": _observations}
)
PRESETS: Final[Mapping[str, Rules]] = MappingProxyType(
    {name: Rules(links=name) for name in LINKS} | {AMAZONIA: Rules(variant=AMAZONIA)}
)
