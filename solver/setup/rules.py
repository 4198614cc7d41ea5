"""Rule sets of Setup (Числа) as data: every point on which sources differ or are silent is a field of `Rules`.

No official rulebook could be read; the rules are what independent reviews and online help agree on. No source gives the
number of steps to the finish, so `finish` has no default. Text form: `default` or `default+field=value+...`, `yes`/`no`
for booleans; `str(rules)` is the canonical text and lists the fields that differ in the order of the class.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from ..errors import RulesError, quote
from ..rules_text import check_fields, check_word, fields_named, find_preset, needed, read_changes, whole
from .board import CORNER_BOARD, DEFAULT_BOARD, MAX_BOARD_TEXT, SEATS, Board

MAX_TILES: Final = 128
MAX_FINISH: Final = 1_000_000
HAND: Final = 4
"""Tiles of a full rack and of a full common hand."""
MAX_RULES_TEXT: Final = MAX_BOARD_TEXT + 1_000
DEFAULT_SUITS: Final = "*HDCS"
"""Star, heart, diamond, club, spade."""
_NOT_SUITS: Final = frozenset("0123456789=,:;/|+-@\\\"'` ")

_WORDS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "links": ("orthogonal", "with_corners"),
        "absent_squares": ("empty", "filled"),
        "first_player": ("random", *SEATS),
        "run_order": ("monotone", "block"),
        "on_opponents": ("forbidden", "allowed"),
        "scoring": ("union", "per_set", "placed_plus_sets"),
        "bonus": ("per_tile", "none"),
        "bonus_claim": ("automatic", "if_claimed"),
        "finish_rule": ("reach", "pass"),
    }
)
_BOOLEANS: Final = frozenset({"teams", "partners_see_racks"})
_INT_RANGES: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {"finish": (1, MAX_FINISH), "numbers": (1, MAX_TILES)}
)
_NO_FINISH: Final = "no source of the rules gives the number of steps (finish=60, for example)"
_SHORT_NUMBER: Final = re.compile(r"[0-9]{1,7}", re.ASCII)


@fields_named(finish=_NO_FINISH)
@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """One rule set. `finish`, the number of steps to the finish, is required; the rest defaults to the published game.

    Construction checks every field (RulesError names field and value) and sets fields that have no effect under the
    others back to their default. board: squares, owners and links; `links="with_corners"` adds the corner links of the
    default board and is refused for others, whose links are all in their edge list. numbers, suits: the tiles are the
    numbers 1..numbers in each suit, one letter a suit, at most 128 together.

    absent_squares, first_player, bonus_claim, partners_see_racks matter in whole games only, not in a search.
    """

    finish: int
    board: Board = DEFAULT_BOARD
    links: str = "orthogonal"
    numbers: int = 10
    suits: str = DEFAULT_SUITS
    absent_squares: str = "empty"
    first_player: str = "random"
    run_order: str = "monotone"
    on_opponents: str = "forbidden"
    scoring: str = "union"
    bonus: str = "per_tile"
    bonus_claim: str = "automatic"
    finish_rule: str = "reach"
    teams: bool = False
    partners_see_racks: bool = False

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name in _NAMES:
            put(self, name, _checked(name, getattr(self, name)))
        if self.numbers * len(self.suits) > MAX_TILES:
            raise RulesError(
                f"numbers: {self.numbers} in {len(self.suits)} suits are more than {MAX_TILES} tiles altogether"
            )
        if self.board == CORNER_BOARD:
            put(self, "board", DEFAULT_BOARD)
            put(self, "links", "with_corners")
        if self.links == "with_corners" and self.board != DEFAULT_BOARD:
            raise RulesError("links: with_corners is for the default board; another board lists all its links")
        if self.bonus == "none":
            put(self, "bonus_claim", "automatic")
        if self.teams:
            put(self, "absent_squares", "empty")
        else:
            put(self, "partners_see_racks", False)

    @property
    def graph(self) -> Board:
        """The board that is played on, with the links that `links` adds."""
        return CORNER_BOARD if self.links == "with_corners" else self.board

    @property
    def tiles(self) -> tuple[str, ...]:
        """All tiles in canonical order: by number, then by suit."""
        return _tables(self.numbers, self.suits)[0]

    @property
    def tile_index(self) -> Mapping[str, int]:
        """The place of each tile in `tiles`."""
        return _tables(self.numbers, self.suits)[1]

    @classmethod
    def preset(cls, name: str, *, finish: int | None = None) -> Rules:
        """The rule set `default` with this finish; RulesError if there is no such preset, or no finish."""
        changes = find_preset(name, PRESETS)
        if finish is None:
            raise RulesError(needed("finish", _NO_FINISH))
        return cls(finish=finish, **changes)

    @classmethod
    def parse(cls, text: str, *, finish: int | None = None) -> Rules:
        """Read `default` or `default+field=value+...`. finish: for a text that does not name it.

        RulesError names the part that cannot be read, also where `finish` is missing or is given twice.
        """
        given = {} if finish is None else {"finish": finish}
        name, changes = read_changes(text, _NAMES, MAX_RULES_TEXT, given)
        values: dict[str, Any] = {**find_preset(name, PRESETS), **given}
        values.update((field, _from_text(field, value)) for field, value in changes.items())
        return cls.from_dict(values)

    def __str__(self) -> str:
        return "+".join(["default", f"finish={self.finish}", *_changes(self)])

    def text_without_finish(self) -> str:
        """The canonical text without `finish`, as it stands in a position, which names its finish itself."""
        return "+".join(["default", *_changes(self)])

    def to_dict(self) -> dict[str, Any]:
        """Every field as plain data for JSON; the board as text."""
        plain = {name: getattr(self, name) for name in _NAMES}
        plain["board"] = str(self.board)
        return plain

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Rules:
        """The inverse of `to_dict`; absent fields have their default. RulesError for unknown fields and bad values."""
        check_fields(values, _NAMES)
        return cls(**values)


_NAMES: Final = tuple(field.name for field in fields(Rules))
_DEFAULTS: Final[Mapping[str, Any]] = MappingProxyType(
    {field.name: field.default for field in fields(Rules) if field.default is not MISSING}
)
PRESETS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType({"default": MappingProxyType({})})
"""Presets by name: the fields in which each differs from the defaults."""


def _checked(name: str, value: Any) -> Any:
    """The field's value in its canonical type; RulesError naming field and value if it cannot have it."""
    if name in _BOOLEANS:
        if not isinstance(value, bool):
            raise RulesError(f"{name}: must be True or False, not {quote(value)}")
        return value
    if name in _WORDS:
        return check_word(name, value, _WORDS[name])
    if name == "board":
        if isinstance(value, str):
            return Board.parse(value)
        if not isinstance(value, Board):
            raise RulesError(f"board: must be a Board or its text, not {quote(value)}")
        return value
    if name == "suits":
        return _checked_suits(value)
    low, high = _INT_RANGES[name]
    number = whole(value)
    if number is None or not low <= number <= high:
        raise RulesError(f"{name}: must be a whole number from {low} to {high}, not {quote(value)}")
    return number


def _checked_suits(value: Any) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_TILES:
        raise RulesError(f"suits: must be 1 to {MAX_TILES} letters, not {quote(value)}")
    for letter in value:
        if letter in _NOT_SUITS or letter.isspace() or not letter.isprintable() or letter.isdigit():
            raise RulesError(f"suits: {quote(letter)} cannot be a suit")
    if len(set(value)) != len(value):
        raise RulesError(f"suits: a letter is there twice in {quote(value)}")
    return str(value)


def _from_text(name: str, text: str) -> Any:
    """A field's value from its text; what cannot be read comes back as the text, for `_checked` to refuse."""
    if name in _BOOLEANS:
        if text not in ("yes", "no"):
            raise RulesError(f"{name}: must be yes or no, not {quote(text)}")
        return text == "yes"
    if name in _INT_RANGES and _SHORT_NUMBER.fullmatch(text):
        return int(text)
    return text


@lru_cache(maxsize=256)
def _changes(rules: Rules) -> tuple[str, ...]:
    changes = []
    for name, default in _DEFAULTS.items():
        value = getattr(rules, name)
        if value != default:
            text = ("yes" if value else "no") if isinstance(value, bool) else str(value)
            changes.append(f"{name}={text}")
    return tuple(changes)


@lru_cache(maxsize=256)
def _tables(numbers: int, suits: str) -> tuple[tuple[str, ...], Mapping[str, int]]:
    tiles = tuple(f"{number}{suit}" for number in range(1, numbers + 1) for suit in suits)
    return tiles, MappingProxyType({tile: index for index, tile in enumerate(tiles)})
