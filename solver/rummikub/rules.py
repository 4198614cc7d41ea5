"""Rule sets of Rummikub as data: every point on which published sheets differ is a field of `Rules`.

Text form: `ID` or `ID+field=value+field=value` with the preset's name as ID, `yes`/`no` for booleans and `none` for
no value. The canonical text (`str(rules)`) starts from the preset with the fewest differing fields that have an effect
(ties: the first in the order of `PRESETS`) and lists those in the order of the class.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from ..errors import RulesError, quote
from ..rules_text import check_fields, check_word, fields_named, find_preset, read_changes, whole

MAX_COLORS: Final = 4
MIN_NUMBERS: Final = 3
MAX_NUMBERS: Final = 100
MIN_GROUP: Final = 3
MAX_COPIES: Final = 3
MAX_JOKERS: Final = 8
MAX_PLAYERS: Final = 12
MAX_AMOUNT: Final = 1_000_000  # of points, tiles or seconds; keeps every sum inside 64 bits
MAX_RULES_TEXT: Final = 2_000  # characters; the longest canonical text has fewer than 900

_INT_RANGES: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "colors": (1, MAX_COLORS),
        "numbers": (MIN_NUMBERS, MAX_NUMBERS),
        "copies": (1, MAX_COPIES),
        "jokers": (0, MAX_JOKERS),
        "rack_size": (1, MAX_AMOUNT),
        "opening_threshold": (0, MAX_AMOUNT),
        "draw": (1, MAX_AMOUNT),
        "failure_draw": (0, MAX_AMOUNT),
        "turn_seconds": (1, MAX_AMOUNT),
        "joker_penalty": (0, MAX_AMOUNT),
        "never_opened_penalty": (0, MAX_AMOUNT),
    }
)
_OPTIONAL: Final = frozenset({"turn_seconds", "never_opened_penalty"})
_WORDS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "opening_joker": ("forbidden", "face", "zero"),
        "joker_freeing": ("replace", "any"),
        "joker_source": ("rack_or_table", "rack"),
        "joker_group": ("either", "both"),
        "joker_destination": ("new", "any", "two_from_rack", "keep"),
        "jokers_per_set": ("any", "one", "minority"),
        "take_back": ("none", "less_than_laid"),
        "pool_empty": ("one_more_turn", "until_stuck", "forced"),
        "first_player": ("highest_tile", "highest_triple", "random"),
    }
)
_SHORT_NUMBER: Final = re.compile(r"[0-9]{1,7}", re.ASCII)
_PLAYERS: Final = re.compile(r"([0-9]{1,2})-([0-9]{1,2})", re.ASCII)


@fields_named()
@dataclass(frozen=True, slots=True)
class Rules:
    """One rule set; the defaults are the preset `standard`.

    Construction checks every field (RulesError names field and value) and sets fields that have no effect under the
    others back to their default, so that rule sets that play the same compare equal.
    """

    colors: int = 4
    numbers: int = 13
    copies: int = 2
    jokers: int = 2
    rack_size: int = 14
    players: tuple[int, int] = (2, 4)
    opening_threshold: int = 30
    opening_single_set: bool = False
    opening_joker: str = "forbidden"
    opening_uses_table: bool = False
    joker_freeing: str = "replace"
    joker_source: str = "rack_or_table"
    joker_group: str = "either"
    joker_set_locked: bool = False
    joker_destination: str = "new"
    jokers_per_set: str = "any"
    high_one: bool = False
    take_back: str = "none"
    must_play: bool = False
    draw: int = 1
    failure_draw: int = 3
    turn_seconds: int | None = 60
    joker_penalty: int = 30
    never_opened_penalty: int | None = None
    pool_empty: str = "one_more_turn"
    first_player: str = "highest_tile"

    def __post_init__(self) -> None:
        for name in _DEFAULTS:
            object.__setattr__(self, name, _checked(name, getattr(self, name)))
        for condition, names in _INEFFECTIVE:
            if condition(self):
                for name in names:
                    object.__setattr__(self, name, _DEFAULTS[name])

    @classmethod
    def preset(cls, name: str) -> Rules:
        """The rule set published under `name`, one of `PRESETS`; RulesError if there is none."""
        return find_preset(name, PRESETS)

    @classmethod
    def parse(cls, text: str) -> Rules:
        """Read `ID` or `ID+field=value+...`; RulesError names the part that cannot be read."""
        name, changes = read_changes(text, _DEFAULTS, MAX_RULES_TEXT)
        values = cls.preset(name).to_dict()
        values.update((field, _from_text(field, value)) for field, value in changes.items())
        return cls.from_dict(values)

    def __str__(self) -> str:
        return _text(self)

    def to_dict(self) -> dict[str, Any]:
        """Every field as plain data for JSON (`players` as a list)."""
        plain = {name: getattr(self, name) for name in _DEFAULTS}
        plain["players"] = list(self.players)
        return plain

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Rules:
        """The inverse of `to_dict`; absent fields have their default. RulesError for unknown fields and bad values."""
        check_fields(values, _DEFAULTS)
        return cls(**values)


_DEFAULTS: Final[Mapping[str, Any]] = MappingProxyType({field.name: field.default for field in fields(Rules)})

# Fields that cannot make a difference when the condition holds; they are set back to their default in this order.
_INEFFECTIVE: Final[tuple[tuple[Callable[[Rules], bool], tuple[str, ...]], ...]] = (
    (
        lambda rules: rules.jokers == 0,
        (
            "opening_joker",
            "joker_freeing",
            "joker_source",
            "joker_group",
            "joker_set_locked",
            "joker_destination",
            "jokers_per_set",
            "joker_penalty",
        ),
    ),
    # A set has three tiles or more, so a single joker is always in the minority.
    (lambda rules: rules.jokers == 1, ("jokers_per_set",)),
    (lambda rules: rules.joker_freeing == "any", ("joker_source", "joker_group")),
    # A group has three colours or more.
    (lambda rules: rules.colors < MIN_GROUP, ("joker_group",)),
    (
        lambda rules: rules.opening_threshold == 0,
        ("opening_single_set", "opening_joker", "opening_uses_table", "never_opened_penalty"),
    ),
    # 2-3-1 holds the same tiles as 1-2-3.
    (lambda rules: rules.numbers == MIN_NUMBERS, ("high_one",)),
)


def _checked(name: str, value: Any) -> Any:
    """The field's value in its canonical type; RulesError naming field and value if it cannot have it."""
    default = _DEFAULTS[name]
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise RulesError(f"{name}: must be True or False, not {quote(value)}")
        return value
    if name in _WORDS:
        return check_word(name, value, _WORDS[name])
    if name == "players":
        return _checked_players(value)
    if value is None and name in _OPTIONAL:
        return None
    low, high = _INT_RANGES[name]
    number = whole(value)
    if number is None or not low <= number <= high:
        also = " or none" if name in _OPTIONAL else ""
        raise RulesError(f"{name}: must be a whole number from {low} to {high}{also}, not {quote(value)}")
    return number


def _checked_players(value: Any) -> tuple[int, int]:
    if isinstance(value, (tuple, list)) and len(value) == 2:
        low, high = whole(value[0]), whole(value[1])
        if low is not None and high is not None and 2 <= low <= high <= MAX_PLAYERS:
            return low, high
    raise RulesError(
        f"players: must be the least and the greatest number of players from 2 to {MAX_PLAYERS}, not {quote(value)}"
    )


PRESETS: Final[Mapping[str, Rules]] = MappingProxyType(
    {
        "standard": Rules(),
        "retail": Rules(opening_joker="face", opening_uses_table=True, joker_freeing="any", pool_empty="until_stuck"),
        "free": Rules(
            opening_joker="face",
            opening_uses_table=True,
            joker_freeing="any",
            joker_destination="any",
            pool_empty="until_stuck",
        ),
        "family": Rules(
            opening_threshold=0,
            joker_freeing="any",
            joker_destination="keep",
            take_back="less_than_laid",
            turn_seconds=None,
            first_player="highest_triple",
        ),
        "tournament": Rules(
            opening_joker="face",
            joker_freeing="any",
            turn_seconds=40,
            joker_penalty=100,
            never_opened_penalty=100,
        ),
        "american": Rules(
            opening_threshold=50,
            opening_joker="face",
            joker_source="rack",
            joker_set_locked=True,
            joker_destination="two_from_rack",
            high_one=True,
            turn_seconds=120,
        ),
        "xp160": Rules(
            copies=3,
            jokers=4,
            players=(5, 6),
            opening_joker="face",
            opening_uses_table=True,
            joker_freeing="any",
            pool_empty="forced",
        ),
    }
)


def _from_text(name: str, text: str) -> Any:
    """A field's value from its text; what cannot be read comes back as the text, for `_checked` to refuse."""
    default = _DEFAULTS[name]
    if isinstance(default, bool):
        if text not in ("yes", "no"):
            raise RulesError(f"{name}: must be yes or no, not {quote(text)}")
        return text == "yes"
    if name in _WORDS:
        return text
    if name == "players":
        match = _PLAYERS.fullmatch(text)
        return [int(match[1]), int(match[2])] if match else text
    if text == "none" and name in _OPTIONAL:
        return None
    return int(text) if _SHORT_NUMBER.fullmatch(text) else text


def _to_text(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return "-".join(map(str, value))
    return str(value)


@lru_cache(maxsize=1024)
def _text(rules: Rules) -> str:
    without_effect = {name for condition, names in _INEFFECTIVE if condition(rules) for name in names}
    effective = [name for name in _DEFAULTS if name not in without_effect]
    differing = {
        preset: [name for name in effective if getattr(rules, name) != getattr(base, name)]
        for preset, base in PRESETS.items()
    }
    nearest = min(differing, key=lambda preset: len(differing[preset]))
    return "+".join([nearest, *(f"{name}={_to_text(getattr(rules, name))}" for name in differing[nearest])])
