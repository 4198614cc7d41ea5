"""Rules of Trek 12 as data.

Text: the value of `links`, with `+field=value` for others, e.g. `optional+bad_circle=forced_only`, and operation limits
as `op_limits=4,4,4,4,4` in the order low high diff sum product.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from ..errors import RulesError, quote
from ..rules_text import check_fields, check_word, find_preset, read_changes

OPS: Final = ("low", "high", "diff", "sum", "product")
LINKS: Final = ("mandatory", "optional", "free")
BAD_CIRCLE: Final = ("chosen_or_forced", "forced_only")
MOST_BOXES: Final = 64
MAX_RULES_TEXT: Final = 200  # characters
_DEFAULT_LIMITS: Final = (4, 4, 4, 4, 4)
_FIELDS: Final = ("links", "bad_circle", "op_limits")


@dataclass(frozen=True, slots=True)
class Rules:
    """One rule set; the defaults are the printed rules of the base game.

    links: `mandatory`: links are drawn when a number is written, and must be where they can; `optional`: either may be
    declined; `free`: chains are chosen when the sheet is scored. bad_circle: `chosen_or_forced`, or `forced_only`: a
    bad circle is allowed only when no operation and circle avoid it. op_limits: boxes of each operation, 0 to 64; one
    number stands for all. Raises RulesError that names field and value.
    """

    links: str = "mandatory"
    bad_circle: str = "chosen_or_forced"
    op_limits: tuple[int, int, int, int, int] = _DEFAULT_LIMITS

    def __post_init__(self) -> None:
        for name, words in (("links", LINKS), ("bad_circle", BAD_CIRCLE)):
            object.__setattr__(self, name, check_word(name, getattr(self, name), words))
        limits: Any = self.op_limits
        if isinstance(limits, int) and not isinstance(limits, bool):
            limits = (limits,) * len(OPS)
        if not isinstance(limits, tuple | list) or len(limits) != len(OPS):
            raise RulesError(f"op_limits: must be {len(OPS)} numbers, not {quote(limits)}")
        for limit in limits:
            if isinstance(limit, bool) or not isinstance(limit, int) or not 0 <= limit <= MOST_BOXES:
                raise RulesError(f"op_limits: must be 0 to {MOST_BOXES}, not {quote(limit)}")
        if not any(limits):
            raise RulesError("op_limits: some operation must have a box, not 0,0,0,0,0")
        object.__setattr__(self, "op_limits", tuple(limits))

    @classmethod
    def preset(cls, name: str) -> Rules:
        """The rules named by their links: `mandatory`, `optional` or `free`. Raises RulesError."""
        return find_preset(name, PRESETS)

    @classmethod
    def parse(cls, text: str) -> Rules:
        """Read `LINKS+field=value+...`. Raises RulesError that names the part that cannot be read."""
        name, changes = read_changes(text, _FIELDS, MAX_RULES_TEXT, ("links",))
        values = cls.preset(name).to_dict()
        values.update((field, _limits(value) if field == "op_limits" else value) for field, value in changes.items())
        return cls.from_dict(values)

    def __str__(self) -> str:
        text = self.links
        if self.bad_circle != BAD_CIRCLE[0]:
            text += f"+bad_circle={self.bad_circle}"
        if self.op_limits != _DEFAULT_LIMITS:
            text += f"+op_limits={','.join(map(str, self.op_limits))}"
        return text

    def to_dict(self) -> dict[str, Any]:
        """Every field as plain data for JSON."""
        return {"links": self.links, "bad_circle": self.bad_circle, "op_limits": list(self.op_limits)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Rules:
        """The inverse of `to_dict`; absent fields have their default. Raises RulesError."""
        check_fields(values, _FIELDS)
        return cls(**values)


def _limits(text: str) -> tuple[int, ...] | int:
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and len(part) <= 3 for part in parts):
        raise RulesError(f"op_limits: must be numbers divided by commas, not {quote(text)}")
    numbers = tuple(map(int, parts))
    return numbers[0] if len(numbers) == 1 else numbers


PRESETS: Final[Mapping[str, Rules]] = MappingProxyType({name: Rules(links=name) for name in LINKS})
