"""Independent check of a move: is it legal under every option of the rules?

Written from the rules alone, without any code of the searches or of the sets that they use; the final table is taken
as the move gives it, so no search over moves is needed. Where the rules leave room, this is how they are read:

- A set is what its tiles are: `new` compares sets as multisets of tiles, jokers without meaning. The table stays as it
  is (`opening_uses_table` no) if every set of the start is there again with the same ways to read it.
- Without `opening_uses_table` the value counted is that of the new sets as they lie on the final table; a set that can
  be read in several ways counts with the best. With it, any sets that tiles of P could make count, wherever these tiles
  lie in the end.
- A joker that goes to the rack is a freed joker, allowed by `joker_destination=keep` alone. As jokers are all alike
  none goes to the rack while another is laid: that would be an exchange of nothing. `take_back` compares sums only if
  real tiles are taken.
- `joker_freeing=replace` looks at the real tiles that lay on the table at the start, those that are taken back too, and
  at the real tiles of P.
- `joker_set_locked`: the original tiles are the real ones and the jokers that stay; a freed joker of the set may leave
  it, since its tile takes its place. The meaning is kept if nothing is added to it: a joker of a group may lose colours
  to added tiles.
- `two_from_rack`: a laid tile counts in one set only, and a tile that a locked set needs is the one from the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final

from ..errors import IllegalPosition, SolverError, quote
from .position import Move, Position
from .rules import Rules
from .verify_jokers import JokerMove, why_forbidden
from .verify_opening import best_single_set, reaches
from .verify_sets import JOKER, number_of, read_set, tile_numbers

_LETTERS: Final = "RBKO"
_MAX_TILES: Final = 5_000  # of one field of a move; the largest material has 1208
_MAX_NAMED: Final = 100  # problems of one kind that are told one by one

_Set = tuple[int, ...]


def verify(position: Position, move: Move) -> list[str]:
    """Every reason why the move is not legal in the position, one sentence each; empty when it is legal.

    A malformed move (also an object of another class, or with a table that cannot be built) gives problems, never an
    exception. Raises IllegalPosition if the position itself breaks the rules, SolverError if it is none.
    """
    if not isinstance(position, Position):
        raise SolverError(f"position: must be a Position, not {quote(position)}")
    wrong = position.problems()
    if wrong:
        raise IllegalPosition(wrong)
    rules = position.rules
    known = tile_numbers(rules.colors, rules.numbers, rules.jokers)
    if isinstance(move, str):
        return [f"move: must be a Move, not {quote(move)}"]
    problems: list[str] = []
    laid = _row(move, "tiles", known, problems)
    taken = _row(move, "taken", known, problems)
    final = _table(move, known, problems)
    if laid is None or taken is None or final is None:
        return problems
    start = tuple(tuple(known[tile] for tile in tiles) for tiles in position.table)
    rack = Counter(known[tile] for tile in position.rack)

    problems += _value_problems(move, laid, rules)
    if not laid:
        problems.append("tiles: nothing is laid, a move lays at least one tile")
    problems += _taken_problems(laid, taken, rules)
    broken = _material_problems(start, rack, laid, taken, final, rules) + _set_problems(final, rules)
    problems += broken
    if broken or not laid:
        return problems
    # Every tile and every set is in order; openings and jokers can be looked at.
    unchanged = _table_stays(start, final, rules)
    if not position.opened:
        problems += _opening_problems(start, laid, taken, final, rules, unchanged)
    if not unchanged:
        real = Counter(tile for tile in laid if tile != JOKER)
        reason = why_forbidden(JokerMove(start, final, real, taken.count(JOKER), rules))
        if reason is not None:
            problems.append(reason)
    return problems


def _field(move: object, name: str, problems: list[str]) -> object:
    """A field of whatever was given as move; None with a problem if it has none or cannot build it."""
    try:
        return getattr(move, name)
    except Exception as error:  # a table is built by a function of the caller, which may fail in any way
        problems.append(f"{name}: cannot be had from the move ({type(error).__name__}: {quote(str(error))})")
        return None


def _items(value: object, name: str, problems: list[str]) -> list[object] | None:
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        problems.append(f"{name}: must be a sequence, not {quote(value)}")
        return None
    try:
        items = list(islice(value, _MAX_TILES + 1))
    except Exception as error:
        problems.append(f"{name}: cannot be read ({type(error).__name__}: {quote(str(error))})")
        return None
    if len(items) > _MAX_TILES:
        problems.append(f"{name}: has more than {_MAX_TILES} entries")
        return None
    return items


def _tiles(value: object, name: str, known: Mapping[str, int], problems: list[str]) -> list[int] | None:
    items = _items(value, name, problems)
    if items is None:
        return None
    tiles = [known.get(item) if isinstance(item, str) else None for item in items]
    unknown = [item for item, tile in zip(items, tiles, strict=True) if tile is None]
    problems += [f"{name}: {quote(item)} is no tile of the rules" for item in unknown[:_MAX_NAMED]]
    return None if unknown else [tile for tile in tiles if tile is not None]


def _row(move: object, name: str, known: Mapping[str, int], problems: list[str]) -> list[int] | None:
    """The field `tiles` or `taken` as integers; they have to be sorted."""
    before = len(problems)
    value = _field(move, name, problems)
    tiles = _tiles(value, name, known, problems) if len(problems) == before else None
    if tiles is not None and sorted(tiles, key=_sort_key) != tiles:
        problems.append(f"{name}: not sorted (R < B < K < O, then number, jokers last)")
    return tiles


def _table(move: object, known: Mapping[str, int], problems: list[str]) -> tuple[_Set, ...] | None:
    before = len(problems)
    value = _field(move, "table", problems)
    items = _items(value, "table", problems) if len(problems) == before else None
    if items is None:
        return None
    sets = [_tiles(item, f"set {index} of the table", known, problems) for index, item in enumerate(items, 1)]
    if sum(len(tiles) for tiles in sets if tiles is not None) > _MAX_TILES:
        problems.append(f"table: has more than {_MAX_TILES} tiles")
        return None
    found = tuple(tuple(tiles) for tiles in sets if tiles is not None)
    return found if len(found) == len(sets) else None


def _value_problems(move: object, laid: list[int], rules: Rules) -> list[str]:
    problems: list[str] = []
    value = _field(move, "value", problems)
    expected = sum(number_of(tile, rules) for tile in laid)
    if not problems and (not isinstance(value, int) or isinstance(value, bool) or value != expected):
        problems.append(f"value: is {quote(value)}, the numbers laid are {expected} together")
    return problems


def _material_problems(
    start: tuple[_Set, ...],
    rack: Counter[int],
    laid: list[int],
    taken: list[int],
    final: tuple[_Set, ...],
    rules: Rules,
) -> list[str]:
    """P from the rack, T from the table, and the final table made of table + P - T."""
    before = Counter(tile for tiles in start for tile in tiles)
    after = Counter(tile for tiles in final for tile in tiles)
    expected = before + Counter(laid)
    expected.subtract(taken)
    problems = [
        f"tiles: {_times(count, tile, rules)} laid, but {rack[tile]} in the rack"
        for tile, count in _sorted_counts(Counter(laid))
        if count > rack[tile]
    ]
    problems += [
        f"taken: {_times(count, tile, rules)} taken, but {before[tile]} on the table"
        for tile, count in _sorted_counts(Counter(taken))
        if count > before[tile]
    ]
    problems += [
        f"table: {_times(count - after[tile], tile, rules)} lost from the table"
        for tile, count in _sorted_counts(expected)
        if count > after[tile]
    ]
    problems += [
        f"table: {_times(count - expected[tile], tile, rules)} on the table came from nowhere"
        for tile, count in _sorted_counts(after)
        if count > expected[tile]
    ]
    return problems


def _set_problems(final: tuple[_Set, ...], rules: Rules) -> list[str]:
    unread = [(index, tiles) for index, tiles in enumerate(final, 1) if not read_set(tiles, rules)]
    return [f"table: set {index} ({_names(tiles, rules)}) is no legal set" for index, tiles in unread[:_MAX_NAMED]]


def _taken_problems(laid: list[int], taken: list[int], rules: Rules) -> list[str]:
    problems = []
    common = sorted(set(taken) & set(laid), key=_sort_key)
    if common:
        problems.append(f"taken: {_names(common, rules)} both laid and taken")
    real = [tile for tile in taken if tile != JOKER]
    if JOKER in taken and rules.joker_destination != "keep":
        problems.append(f"taken: a joker goes to the rack (joker_destination={rules.joker_destination})")
    if not real:
        return problems
    if rules.take_back == "none":
        problems.append(f"taken: {_names(real, rules)} taken from the table (take_back=none)")
        return problems
    back, down = (sum(number_of(tile, rules) for tile in tiles) for tiles in (real, laid))
    if back >= down:
        problems.append(f"taken: tiles worth {back} taken back for {down} laid (take_back=less_than_laid)")
    return problems


def _table_stays(start: tuple[_Set, ...], final: tuple[_Set, ...], rules: Rules) -> bool:
    """Whether all sets of the start are there again, jokers with the same meanings."""
    return not (Counter(_shape(tiles, rules) for tiles in start) - Counter(_shape(tiles, rules) for tiles in final))


def _shape(tiles: _Set, rules: Rules) -> tuple[object, ...]:
    """The same for two legal sets if they hold the same tiles and are read in the same ways."""
    if JOKER not in tiles:
        return tuple(sorted(tiles))
    if tiles.count(JOKER) == len(tiles):
        return tiles
    readings = (tuple(sorted(reading.meanings)) for reading in read_set(tiles, rules))
    return (*sorted(tiles), *sorted(readings))


def _opening_problems(
    start: tuple[_Set, ...], laid: list[int], taken: list[int], final: tuple[_Set, ...], rules: Rules, unchanged: bool
) -> list[str]:
    threshold = rules.opening_threshold
    if rules.opening_uses_table:
        if reaches(laid, rules):
            return []
        if rules.opening_single_set:
            best = best_single_set(laid, rules)
            return [f"opening: the best single set of the tiles laid is worth {best}, it takes {threshold}"]
        return [f"opening: no sets of the tiles laid are worth {threshold} together"]
    problems = []
    if not unchanged or taken:
        problems.append("opening: the table must stay as it is (opening_uses_table=no)")
    if rules.opening_joker == "forbidden" and JOKER in laid:
        problems.append("opening: a joker is laid (opening_joker=forbidden)")
    if not problems:
        kept = Counter(_shape(tiles, rules) for tiles in start)
        values = []
        for tiles in final:
            shape = _shape(tiles, rules)
            if kept[shape]:
                kept[shape] -= 1
            else:
                values.append(_opening_value(tiles, rules))
        value = max(values, default=0) if rules.opening_single_set else sum(values)
        if value < threshold:
            what = "best single set laid is" if rules.opening_single_set else "sets laid are"
            problems.append(f"opening: the {what} worth {value}, it takes {threshold}")
    return problems


def _opening_value(tiles: _Set, rules: Rules) -> int:
    if rules.opening_joker == "face":
        return max(reading.value for reading in read_set(tiles, rules))
    return sum(number_of(tile, rules) for tile in tiles)


def _sort_key(tile: int) -> tuple[bool, int]:
    return tile == JOKER, tile


def _sorted_counts(counts: Counter[int]) -> list[tuple[int, int]]:
    return sorted(counts.items(), key=lambda entry: _sort_key(entry[0]))


def _name(tile: int, rules: Rules) -> str:
    return "J" if tile == JOKER else f"{_LETTERS[tile // rules.numbers]}{tile % rules.numbers + 1}"


def _names(tiles: Iterable[int], rules: Rules) -> str:
    return " ".join(_name(tile, rules) for tile in tiles)


def _times(count: int, tile: int, rules: Rules) -> str:
    return f"{_name(tile, rules)} is {count} time{'s' * (count > 1)}"
