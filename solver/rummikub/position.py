"""What a player sees (`Position`) and what he does (`Move`): immutable values with a text form of one line.

Position: `TABLE | RACK [| [unopened] [rules=TEXT]]`, for example
`R6 R7 R8 R9, R3 B3 K3 O3 | R1 B9 B10 O2 J | unopened rules=retail`.
Move: `TILES | TABLE [| taken=TILES]`, for example `R7 J | R5 R6 R7, B3 B4 J`.

Tiles are divided by blanks, sets by commas, `-` is an empty table or rack; `R6-11` is read as the tiles R6 to R11.
Values are canonical from the start: sets as described in sets.py, tables sorted by the first real tile of each set,
racks sorted with jokers last. So equal positions compare equal and have the same text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import chain, islice
from operator import add, index, itemgetter
from typing import Any, Final, NamedTuple

from ..errors import ParseError, RulesError, SolverError, check_keys, quote
from . import change
from .rules import MAX_COLORS, MAX_NUMBERS, PRESETS, Rules
from .sets import (
    COLORS,
    JOKER,
    MAX_TILES,
    TILE_KEYS,
    OrderedSet,
    Tile,
    TileKey,
    TileSet,
    all_tiles,
    as_tiles,
    ordered_set,
    read_tiles,
    set_rules,
    sort_tiles,
    tile_value,
    why_illegal,
)
from .steps import Steps, steps_for

Table = tuple[TileSet, ...]
Arrange = Callable[["Position", "Move", Iterable[Iterable[Tile]] | None], "Arranged"]

MAX_TEXT: Final = 100_000  # characters of one position or move
# Texts of sets and rules that were read before; longer ones are read each time, which bounds the memory.
_CACHED_TEXTS: Final = 1 << 13
_CACHED_LENGTH: Final = 80
_DEFAULT_RULES: Final = PRESETS["standard"]
_LANES: Final = MAX_COLORS


class Arranged(NamedTuple):
    """A table that was chosen among the arrangements of its tiles; least: proven to be the least changed of them.

    counted: sets kept and tiles moved, where the search for the table tells; then the table is canonical too.
    """

    table: Iterable[Iterable[Tile]]
    least: bool
    counted: tuple[int, int] | None = None


class Position:
    """The table, one player's rack, whether he has opened, and the rules. Immutable, hashable, canonical.

    table: any iterable of sets, a set any iterable of tiles; rack: any iterable of tiles. Tiles that the rules do not
    know, too many copies and illegal sets are accepted and listed by `problems`. Raises ParseError for what is no tile.

    Where `opening_threshold` is 0 every player counts as opened, so `opened` is then True whatever is given.

    packed: counts for the kernels, empty if the tiles are not within the material of the rules. Number v (from 1) of
    colour c (0..3 for R B K O) on the table at (v - 1) * 4 + c, the same for the rack from 4 * numbers on, then the
    jokers on the table and the jokers in the rack, one byte each.
    """

    __slots__ = ("_hash", "_problems", "opened", "packed", "rack", "rules", "table")

    table: Table
    rack: TileSet
    opened: bool
    rules: Rules
    packed: bytes
    _hash: int
    _problems: tuple[str, ...] | None

    def __init__(
        self,
        table: Iterable[Iterable[Tile]],
        rack: Iterable[Tile],
        opened: bool = True,
        rules: Rules = _DEFAULT_RULES,
    ) -> None:
        if not isinstance(rules, Rules):
            raise ParseError(f"rules: must be Rules, not {quote(rules)}")
        if not isinstance(opened, bool):
            raise ParseError(f"opened: must be True or False, not {quote(opened)}")
        put = object.__setattr__
        ordered = _ordered_table(table, rules)
        put(self, "table", tuple([each.tiles for each in ordered]))
        put(self, "rack", sort_tiles(as_tiles(rack, "rack")))
        put(self, "opened", opened or rules.opening_threshold == 0)
        put(self, "rules", rules)
        put(self, "packed", _packed(self.table, self.rack, rules))
        put(self, "_hash", hash((self.table, self.rack, self.opened)))
        put(self, "_problems", () if self.packed and all(each.legal for each in ordered) else None)

    @classmethod
    def parse(cls, text: str) -> Position:
        """Read the text form. ParseError names the field and what is wrong with it."""
        fields = _fields(text, "position", "TABLE | RACK [| [unopened] [rules=TEXT]]", most=3)
        opened, rules = True, _DEFAULT_RULES
        if len(fields) == 3:
            opened, rules = _read_options(fields[2])
        return cls(_read_table(fields[0]), _read_row(fields[1], "rack"), opened, rules)

    def __str__(self) -> str:
        text = f"{_table_text(self.table)} | {_row_text(self.rack)}"
        options = []
        if not self.opened:
            options.append("unopened")
        if self.rules != _DEFAULT_RULES:
            options.append(f"rules={self.rules}")
        return f"{text} | {' '.join(options)}" if options else text

    def __repr__(self) -> str:
        return f"Position.parse({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return (
            self._hash == other._hash
            and self.table == other.table
            and self.rack == other.rack
            and self.opened == other.opened
            and self.rules == other.rules
        )

    def __hash__(self) -> int:
        return self._hash

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Position is immutable, {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Position is immutable, {name} cannot be deleted")

    def __reduce__(self) -> tuple[type[Position], tuple[Table, TileSet, bool, Rules]]:
        return type(self), (self.table, self.rack, self.opened, self.rules)

    def problems(self) -> list[str]:
        """Everything that breaks the rules, one sentence each, in a fixed order; empty for a legal position.

        An empty rack is none: the game is over, and nothing can be laid.
        """
        if self._problems is None:
            object.__setattr__(self, "_problems", tuple(_problems(self)))
        return list(self._problems or ())

    @property
    def legal(self) -> bool:
        """Whether `problems` is empty."""
        if self._problems is None:
            self.problems()
        return not self._problems

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: table, rack, opened, and the rules as text."""
        return {
            "table": [list(tiles) for tiles in self.table],
            "rack": list(self.rack),
            "opened": self.opened,
            "rules": str(self.rules),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Position:
        """The inverse of `to_dict`; `opened` and `rules` may be absent, `rules` may also be a mapping of fields."""
        check_keys(values, "position", ("table", "rack"), ("opened", "rules"))
        return cls(values["table"], values["rack"], values.get("opened", True), _as_rules(values.get("rules", {})))


class Move:
    """What is laid and how the table looks afterwards. Immutable, hashable, canonical; says nothing of legality.

    tiles: laid from the rack. table: all sets afterwards, or a function without arguments that builds them; it is
    called when the table is first asked for. value: sum of the numbers laid, jokers 0. taken: table tiles that went to
    the rack (`take_back`, kept jokers). rules: only for the canonical order of sets whose jokers are not at the place
    that they stand for.
    """

    __slots__ = ("_arrange", "_before", "_counted", "_least", "_rules", "_table", "taken", "tiles", "value")

    tiles: TileSet
    value: int
    taken: TileSet
    _table: Table | Callable[[], Iterable[Iterable[Tile]]] | None
    _rules: Rules | None
    _before: Position | None
    _arrange: Arrange | None
    _least: bool
    _counted: tuple[int, int] | None

    def __init__(
        self,
        tiles: Iterable[Tile],
        table: Iterable[Iterable[Tile]] | Callable[[], Iterable[Iterable[Tile]]],
        value: int | None = None,
        taken: Iterable[Tile] = (),
        rules: Rules | None = None,
        before: Position | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "tiles", sort_tiles(as_tiles(tiles, "tiles")))
        put(self, "taken", sort_tiles(as_tiles(taken, "taken")))
        put(self, "value", tile_value(self.tiles) if value is None else _as_value(value))
        put(self, "_rules", rules)
        put(self, "_before", before)
        put(self, "_arrange", None)
        put(self, "_table", table if callable(table) else _as_table(table, rules))

    @classmethod
    def trusted(
        cls,
        tiles: TileSet,
        table: Callable[[], Iterable[Iterable[Tile]]] | None,
        value: int,
        before: Position,
        arrange: Arrange,
        taken: TileSet = (),
    ) -> Move:
        """A move whose parts are known to be canonical: what a search makes many of. Nothing is checked.

        arrange: when the table is asked for, makes of the position, the move, and the sets that `table` gives (None if
        there is no `table`), the table that is shown. `Playable.made` of the kernel makes the same.
        """
        move = object.__new__(cls)
        put = object.__setattr__
        put(move, "tiles", tiles)
        put(move, "taken", taken)
        put(move, "value", value)
        put(move, "_before", before)
        put(move, "_arrange", arrange)
        put(move, "_table", table)
        return move

    @property
    def table(self) -> Table:
        """All sets after the move, in canonical order."""
        table = self._table
        if table is None or callable(table):
            # Two threads may both build it; they build the same, and the last one stays.
            sets = None if table is None else table()
            if self._arrange is not None and self._before is not None:
                found = self._arrange(self._before, self, sets)
            else:
                found = Arranged(sets or (), False)
            if found.counted:
                table = tuple(tuple(tiles) for tiles in found.table)
            else:
                table = _as_table(found.table, self._order_rules())
            object.__setattr__(self, "_least", found.least)
            object.__setattr__(self, "_counted", found.counted)
            object.__setattr__(self, "_table", table)
        return table

    @classmethod
    def parse(cls, text: str, rules: Rules = _DEFAULT_RULES) -> Move:
        """Read the text form under the rules. ParseError names the field and what is wrong with it."""
        fields = _fields(text, "move", "TILES | TABLE [| taken=TILES]", most=3)
        taken: list[Tile] = []
        if len(fields) == 3:
            name, equals, row = fields[2].strip().partition("=")
            if name != "taken" or not equals:
                raise ParseError(f"taken: {quote(fields[2].strip())} is not of the form taken=TILES")
            taken = _read_row(row, "taken")
        return cls(_read_row(fields[0], "tiles"), _read_table(fields[1]), None, taken, rules)

    def __str__(self) -> str:
        text = f"{_row_text(self.tiles)} | {_table_text(self.table)}"
        return f"{text} | taken={_row_text(self.taken)}" if self.taken else text

    def __repr__(self) -> str:
        return f"Move.parse({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Move):
            return NotImplemented
        return (
            self.tiles == other.tiles
            and self.taken == other.taken
            and self.value == other.value
            and self.table == other.table
        )

    def __hash__(self) -> int:
        return hash((self.tiles, self.taken))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Move is immutable, {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Move is immutable, {name} cannot be deleted")

    def __reduce__(self) -> tuple[Callable[..., Move], tuple[Any, ...]]:
        parts = self.tiles, self.table, self.value, self.taken, self._order_rules(), self._before
        return _move_again, (type(self), self.least_changed, parts)

    def _order_rules(self) -> Rules | None:
        return self._rules if self._before is None else self._before.rules

    @property
    def before(self) -> Position:
        """The position that the move is made in. SolverError if the move was read or built without one."""
        if self._before is None:
            raise SolverError("before: the move was made without a position to compare with")
        return self._before

    @property
    def least_changed(self) -> bool:
        """Whether the table is proven to be the least changed of all arrangements of its tiles (see change.py)."""
        _ = self.table  # built now if it was not yet
        return getattr(self, "_least", False)

    @property
    def kept_sets(self) -> int:
        """How many sets of the table stay as they are (see change.py)."""
        before, table = self.before.table, self.table
        counted = getattr(self, "_counted", None)
        return counted[0] if counted else change.kept_sets(before, table)

    @property
    def moved_tiles(self) -> int:
        """How many tiles of the table go to another set (see change.py)."""
        before, table = self.before.table, self.table
        counted = getattr(self, "_counted", None)
        return counted[1] if counted else change.moved_tiles(before, table)

    @property
    def changes(self) -> tuple[change.SetChange, ...]:
        """Every set of the final table, and where its tiles come from."""
        return change.set_changes(self.before.table, self.table)

    @property
    def steps(self) -> Steps:
        """How a person carries the move out (see steps.py); computed each time it is asked for."""
        return steps_for(self.before, self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "tiles": list(self.tiles),
            "table": [list(tiles) for tiles in self.table],
            "value": self.value,
            "taken": list(self.taken),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], rules: Rules = _DEFAULT_RULES) -> Move:
        """The inverse of `to_dict`; `value` and `taken` may be absent."""
        check_keys(values, "move", ("tiles", "table"), ("value", "taken"))
        return cls(values["tiles"], values["table"], values.get("value"), values.get("taken", ()), rules)


def _move_again(cls: type[Move], least: bool, parts: tuple[Any, ...]) -> Move:
    """A pickled move."""
    move = cls(*parts)
    object.__setattr__(move, "_least", least)
    return move


def unseen_tiles(position: Position) -> Counter[Tile]:
    """The tiles of the material that are neither on the table nor in the rack, in canonical order."""
    rules = position.rules
    seen = Counter(tile for tiles in (*position.table, position.rack) for tile in tiles)
    material = dict.fromkeys(all_tiles(rules), rules.copies) | {JOKER: rules.jokers}
    return Counter({tile: count - seen[tile] for tile, count in material.items() if count > seen[tile]})


def _as_value(value: object) -> int:
    try:
        return int(index(value))  # type: ignore[arg-type]  # refused below
    except TypeError:
        raise ParseError(f"value: must be a whole number, not {quote(value)}") from None


def _ordered_table(table: object, rules: Rules | None) -> list[OrderedSet]:
    """The sets in canonical order; ParseError if it is no bounded iterable of non-empty sets."""
    if isinstance(table, (str, bytes)) or not isinstance(table, Iterable):
        raise ParseError(f"table: must be a sequence of sets, not {quote(table)}")
    shape = set_rules(rules)
    ordered: list[OrderedSet] = []
    total = 0
    for tiles in islice(table, MAX_TILES + 1):
        known = as_tiles(tiles, "table")
        if not known:
            raise ParseError(f"table: set {len(ordered) + 1} has no tiles")
        total += len(known)
        if total > MAX_TILES:
            raise ParseError(f"table: more than {MAX_TILES} tiles")
        ordered.append(ordered_set(known, shape))
    ordered.sort(key=itemgetter(0))
    return ordered


def _as_table(table: object, rules: Rules | None) -> Table:
    return tuple([each.tiles for each in _ordered_table(table, rules)])


def _packed(table: Table, rack: TileSet, rules: Rules) -> bytes:
    """See Position."""
    at = _places(rules.colors, rules.numbers)
    joker_at = at[JOKER]
    on_table, in_rack = [0] * (joker_at + 1), [0] * (joker_at + 1)
    try:
        for tiles in table:
            for tile in tiles:
                on_table[at[tile]] += 1
        for tile in rack:
            in_rack[at[tile]] += 1
    except KeyError:  # a tile that the rules do not know
        return b""
    jokers = on_table.pop(), in_rack.pop()
    if sum(jokers) > rules.jokers or max(map(add, on_table, in_rack)) > rules.copies:
        return b""
    return bytes((*on_table, *in_rack, *jokers))


@lru_cache(maxsize=64)
def _places(colors: int, numbers: int) -> Mapping[Tile, int]:
    """Where in `Position.packed` each tile of the material is counted, from the start of its half; the joker last."""
    real = {
        tile: (number - 1) * _LANES + color
        for tile, (color, number) in TILE_KEYS.items()
        if color < colors and number <= numbers
    }
    return real | {JOKER: _LANES * numbers}


def _problems(position: Position) -> list[str]:
    rules = position.rules
    found = []
    counts = Counter(chain(position.rack, *position.table))
    for tile in sort_tiles(counts):
        color, number = TILE_KEYS[tile]
        count = counts[tile]
        if tile == JOKER:
            if count > rules.jokers:
                found.append(f"jokers: {count} on table and in rack, the rules have {rules.jokers}")
        elif color >= rules.colors:
            found.append(
                f"colors: {tile} is on table or in rack, the rules have only {' '.join(COLORS[: rules.colors])}"
            )
        elif number > rules.numbers:
            found.append(f"numbers: {tile} is on table or in rack, the highest number of the rules is {rules.numbers}")
        elif count > rules.copies:
            found.append(f"copies: {count} of {tile} on table and in rack, the rules have {rules.copies}")
    shape = set_rules(rules)
    widened = shape._replace(colors=MAX_COLORS, numbers=MAX_NUMBERS)
    for place, tiles in enumerate(position.table, 1):
        # A tile that the rules do not know was named above; its set is named if it were none with it either.
        foreign = any(color >= rules.colors or number > rules.numbers for color, number in _real_keys(tiles))
        reason = why_illegal(tiles, widened if foreign else shape)
        if reason is not None:
            found.append(f"set {place}: {quote(_row_text(tiles))} {reason}")
    return found


def _real_keys(tiles: TileSet) -> list[TileKey]:
    return [TILE_KEYS[tile] for tile in tiles if tile != JOKER]


def _fields(text: object, what: str, form: str, most: int) -> list[str]:
    """The fields between the bars of a text, after the checks of the whole text."""
    if not isinstance(text, str):
        raise ParseError(f"{what}: must be text, not {quote(text)}")
    if len(text) > MAX_TEXT:
        raise ParseError(f"{what}: {len(text)} characters are more than {MAX_TEXT}: {quote(text)}")
    line = text.strip(" \t\r\n").replace("\t", " ")
    if not (line.isascii() and line.isprintable()):
        odd = next(letter for letter in line if not (letter.isascii() and letter.isprintable()))
        raise ParseError(f"{what}: character {quote(odd)} cannot be read in {quote(line)}")
    fields = line.split("|")
    if not 2 <= len(fields) <= most:
        raise ParseError(f"{what}: {quote(line)} has {len(fields) - 1} bars, the form is {form}")
    return fields


def _read_row(text: str, field: str) -> list[Tile]:
    if not text or text.isspace():
        raise ParseError(f"{field}: empty, no tiles are written as -")
    return read_tiles(text, field)


def _read_table(text: str) -> list[TileSet]:
    if not text or text.isspace():
        raise ParseError("table: empty, no sets are written as -")
    if text.strip() == "-":
        return []
    sets = []
    total = 0
    for count, part in enumerate(text.split(","), 1):
        short = len(part) <= _CACHED_LENGTH and "-" not in part
        tiles = _read_set(part) if short else tuple(read_tiles(part, "table"))
        if not tiles:
            raise ParseError(f"table: set {count} has no tiles")
        total += len(tiles)
        if total > MAX_TILES:
            raise ParseError(f"table: more than {MAX_TILES} tiles")
        sets.append(tiles)
    return sets


@lru_cache(maxsize=_CACHED_TEXTS)
def _read_set(text: str) -> TileSet:
    return tuple(read_tiles(text, "table"))


def _read_options(text: str) -> tuple[bool, Rules]:
    opened, rules_text = True, None
    for word in text.split():
        name, equals, value = word.partition("=")
        if word == "unopened" and opened:
            opened = False
        elif name == "rules" and equals and rules_text is None:
            rules_text = value
        elif word == "unopened" or (name == "rules" and equals):
            raise ParseError(f"position: {quote(word)} is the second {name} in {quote(text.strip())}")
        else:
            raise ParseError(f"position: {quote(word)} is neither unopened nor rules=TEXT")
    return opened, _DEFAULT_RULES if rules_text is None else _as_rules(rules_text)


@lru_cache(maxsize=1024)
def _parsed_rules(text: str) -> Rules:
    rules = Rules.parse(text)
    # The presets themselves where they are meant: comparing rules is then comparing addresses.
    return next((preset for preset in PRESETS.values() if preset == rules), rules)


def _as_rules(value: object) -> Rules:
    """Rules of a text or mapping; ParseError with the message of the RulesError."""
    try:
        if isinstance(value, str):
            return _parsed_rules(value) if len(value) <= _CACHED_LENGTH else Rules.parse(value)
        return Rules.from_dict(value)  # type: ignore[arg-type]  # checked there
    except RulesError as error:
        raise ParseError(str(error)) from error


def _row_text(tiles: TileSet) -> str:
    return " ".join(tiles) or "-"


def _table_text(table: Table) -> str:
    return ", ".join(map(" ".join, table)) or "-"
