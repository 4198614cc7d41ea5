"""The naive twin of the search: short, slow, and written from the rules text alone.

It is the oracle of the tests and the naive side of the benchmarks. It plays the rules out: it builds every way to split
tiles into sets, by always covering the first uncovered tile with every legal set that contains it, and for every table
with jokers it tries every matching of the jokers before and after. Positions of about 20 tiles take milliseconds;
large ones take for ever or end in LimitReached, whichever comes first.

Readings of the rules where their words leave a choice:

- A set on the table has all its readings: as a run every joker stands at its place in the text, as a group the order
  says nothing, so `J R5 J` is 4-5-6 or a group of 5s. All jokers of a set are read in the same way at a time. A set of
  jokers alone is any run of its length or any group.
- `replace`: "the other tiles of the table" are all its real tiles before the move, taken back or not.
- `joker_group=both` asks about a group that had three tiles, jokers counted; a joker from a larger group is freed by
  one of its missing colours. All the tiles asked for come from where `joker_source` says.
- `joker_set_locked`: the set's real tiles and those of its jokers that stay end together in one set, which may hold
  several such sets if it has the tiles of all. A joker that is freed has been replaced and is no longer held. The joker
  keeps its meaning if the final meanings are among the original ones: a tile added to a group narrows them.
- `joker_destination=new` compares tiles, with all jokers alike: a set with a freed joker whose other tiles are those of
  any set of the old table is refused, also if the same set lies there twice.
- `two_from_rack`: tiles of P are handed out to all sets with freed jokers at once, no tile of P serves two sets. A tile
  that a locked set keeps in its place is the one of the table.
- Jokers go to the rack only by `joker_destination=keep`, and then they count as T: a tile, jokers too, is not both laid
  and taken, so that laying a joker and keeping another is no move. For the same reason the tiles laid and taken follow
  from the final bag.
- An opening under `opening_uses_table=no` leaves the table as it is, so it takes nothing and frees nothing.
- Only `tiles` and `value` subtract what is taken in the rules' words; `penalty` does as well, as what is taken lies in
  the rack in the final count, and so do a caller's weights. The second criterion of `tiles` is the net value.
- With `high_one` a run of all numbers is one set, written from 1 on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations, product
from typing import Final, NamedTuple, TypeVar

from ..errors import IllegalPosition, LimitReached, SolverError, quote
from .position import Move, Position
from .rules import Rules

TileSet = tuple[str, ...]
Table = tuple[TileSet, ...]
Meanings = frozenset[str]
Score = tuple[int, int]
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

OBJECTIVES: Final = ("tiles", "value", "penalty", "go_out")
COLORS: Final = "RBKO"
JOKER: Final = "J"
SMALLEST_SET: Final = 3
MOST_SETS: Final = 1_000_000  # sets that can be built from the tiles of one position
MOST_BAGS: Final = 2_000_000  # bags whose answers one call may remember

# A bag (multiset of tiles) is one integer with a field of FIELD bits for each tile: number by number, jokers highest.
# The highest bit of a field is a guard that stays free, so that fields never borrow from each other.
FIELD: Final = 5
GUARD: Final = 1 << (FIELD - 1)


class Change(NamedTuple):
    """What a table has in common with the one before, and that table."""

    kept_sets: int
    moved_tiles: int
    table: Table


class Reading(NamedTuple):
    """One way to read a set: a group or a run, and for each tile what it stands for (a real tile for itself)."""

    group: bool
    meanings: tuple[Meanings, ...]


class _Play(NamedTuple):
    """What changes hands: tiles laid from the rack, tiles taken from the table, both sorted."""

    laid: TileSet
    taken: TileSet


class _Joker(NamedTuple):
    """A joker as it is read: the index of its set among the sets with jokers, and what it stands for."""

    home: int
    meanings: Meanings


# ---- tiles and sets ----


def _number(tile: str) -> int:
    """The number of a tile, 0 for a joker."""
    return 0 if tile == JOKER else int(tile[1:])


def _tile_key(tile: str) -> tuple[int, int]:
    """Order of tiles: R < B < K < O, then number, jokers last."""
    return (len(COLORS), 0) if tile == JOKER else (COLORS.index(tile[0]), _number(tile))


def _row_key(tiles: Iterable[str]) -> list[tuple[int, int]]:
    return [_tile_key(tile) for tile in tiles]


def _sorted(tiles: Iterable[str]) -> TileSet:
    return tuple(sorted(tiles, key=_tile_key))


def _table_key(table: Iterable[TileSet]) -> tuple[list[list[tuple[int, int]]], list[list[tuple[int, int]]]]:
    """The fixed order of tables: the sorted list of sorted sets; what that leaves equal by where the jokers stand."""
    sets = list(table)
    return sorted(_row_key(_sorted(tiles)) for tiles in sets), sorted(_row_key(tiles) for tiles in sets)


def _jokers_allowed(size: int, jokers: int, rules: Rules) -> bool:
    """`jokers_per_set`, which also says whether a set may consist of jokers only."""
    if rules.jokers_per_set == "one":
        return jokers <= 1
    if rules.jokers_per_set == "minority":
        return size - jokers > jokers
    return True


@lru_cache(maxsize=1 << 14)
def readings(tiles: TileSet, rules: Rules) -> tuple[Reading, ...]:
    """Every way to read the tiles, in the order given, as one legal set; empty if there is none."""
    size = len(tiles)
    jokers = tiles.count(JOKER)
    if size < SMALLEST_SET or not _jokers_allowed(size, jokers, rules):
        return ()
    colors = COLORS[: rules.colors]
    found = []
    for color in colors:
        for first in range(1, rules.numbers + 1):
            numbers = _run_numbers(first, size, rules)
            named = [f"{color}{number}" for number in numbers]
            if numbers and all(tile in (JOKER, name) for tile, name in zip(tiles, named, strict=True)):
                found.append(Reading(False, tuple(frozenset([name]) for name in named)))
    if size <= rules.colors:
        for number in range(1, rules.numbers + 1):
            members = {f"{color}{number}" for color in colors}
            real = [tile for tile in tiles if tile != JOKER]
            if members.issuperset(real) and len(set(real)) == len(real):
                lacking = frozenset(members.difference(real))
                found.append(Reading(True, tuple(lacking if t == JOKER else frozenset([t]) for t in tiles)))
    return tuple(found)


def _run_numbers(first: int, size: int, rules: Rules) -> list[int]:
    """The numbers of the run of `size` tiles from `first` on; empty if there is no such run."""
    last = first + size - 1
    if last <= rules.numbers:
        return list(range(first, last + 1))
    if rules.high_one and last == rules.numbers + 1 and first > 1:
        return [*range(first, rules.numbers + 1), 1]
    return []


def _canonical(tiles: TileSet, rules: Rules) -> TileSet:
    """A run in its order (a run of all numbers from 1 on), a group sorted."""
    runs = [reading.meanings for reading in readings(tiles, rules) if not reading.group]
    if not runs:
        return _sorted(tiles)
    if len(tiles) == rules.numbers and all(_number(tile) != 1 for run in runs for tile in run[0]):
        return tiles[-1:] + tiles[:-1]
    return tiles


def _face_value(tiles: TileSet, rules: Rules) -> int:
    """Sum of the numbers of a legal set, each joker counting what it stands for; the best reading."""
    return max(sum(_number(min(m)) for m in reading.meanings) for reading in readings(tiles, rules))


def _tile_value(tiles: Iterable[str]) -> int:
    """Sum of the numbers, jokers 0."""
    return sum(map(_number, tiles))


# ---- every way to split a bag ----


class _Bags:
    """All splits of bags into legal sets; the bags are parts of one bag that is given at the start.

    Sets are listed by their first tile, because the first uncovered tile is always covered by a set that begins there.
    Raises LimitReached if the bag holds more than MOST_SETS sets or a question needs more than MOST_BAGS bags.
    """

    def __init__(self, everything: Counter[str], rules: Rules) -> None:
        self.rules = rules
        names = [f"{color}{number}" for number in range(1, rules.numbers + 1) for color in COLORS[: rules.colors]]
        self.names = [*names, JOKER]
        self.units = {name: 1 << (FIELD * index) for index, name in enumerate(self.names)}
        self.guards = sum(self.units.values()) * GUARD
        self.texts: dict[int, list[TileSet]] = {}
        for text in dict.fromkeys(self._sets(everything)):
            self.texts.setdefault(self.pack(text), []).append(text)
        self.begin: list[list[int]] = [[] for _ in self.names]
        for packed in self.texts:
            self.begin[self.first(packed)].append(packed)
        self.begin_texts = [[(packed, text) for packed in begin for text in self.texts[packed]] for begin in self.begin]
        self._splits = {0: True}
        self._parts: dict[tuple[int, int], frozenset[int]] = {(0, 0): frozenset([0])}
        self._values = {0: 0}

    def _sets(self, everything: Counter[str]) -> Iterator[TileSet]:
        """Every legal set that the bag holds: runs with each joker at its place, groups with jokers last."""
        rules = self.rules
        jokers = everything[JOKER]
        count = 0
        for count, text in enumerate((*self._runs(everything, jokers), *self._groups(everything, jokers)), 1):
            if count > MOST_SETS:
                raise LimitReached(f"tiles: more than {MOST_SETS} sets can be built from them")
            yield text
        for size in range(SMALLEST_SET, min(jokers, rules.numbers) + 1):
            if _jokers_allowed(size, size, rules):
                yield (JOKER,) * size

    def _runs(self, everything: Counter[str], jokers: int) -> Iterator[TileSet]:
        rules = self.rules
        for color in COLORS[: rules.colors]:
            for first in range(1, rules.numbers + 1):
                for size in range(SMALLEST_SET, rules.numbers + 1):
                    numbers = _run_numbers(first, size, rules)
                    if not numbers or (first > 1 and size == rules.numbers):
                        break  # the run of all numbers is the one that begins with 1
                    names = [f"{color}{number}" for number in numbers]
                    missing = [place for place, name in enumerate(names) if not everything[name]]
                    if len(missing) > jokers:
                        break
                    there = [place for place, name in enumerate(names) if everything[name]]
                    for extra in range(min(jokers - len(missing), len(there) - 1) + 1):
                        if _jokers_allowed(size, len(missing) + extra, rules):
                            for more in combinations(there, extra):
                                replaced = {*missing, *more}
                                yield tuple(JOKER if p in replaced else name for p, name in enumerate(names))

    def _groups(self, everything: Counter[str], jokers: int) -> Iterator[TileSet]:
        rules = self.rules
        for number in range(1, rules.numbers + 1):
            names = [f"{color}{number}" for color in COLORS[: rules.colors] if everything[f"{color}{number}"]]
            for size in range(SMALLEST_SET, rules.colors + 1):
                for real in range(max(1, size - jokers), min(size, len(names)) + 1):
                    if _jokers_allowed(size, size - real, rules):
                        for members in combinations(names, real):
                            yield members + (JOKER,) * (size - real)

    def pack(self, tiles: Iterable[str]) -> int:
        return sum(self.units[tile] for tile in tiles)

    def unpack(self, bag: int) -> TileSet:
        """The tiles of a bag, sorted."""
        tiles: list[str] = []
        for name in self.names:
            tiles += [name] * (bag & (GUARD - 1))
            bag >>= FIELD
        return _sorted(tiles)

    def first(self, bag: int) -> int:
        """The index of the first tile of a bag that is not empty."""
        return ((bag & -bag).bit_length() - 1) // FIELD

    def holds(self, bag: int, part: int) -> bool:
        """Whether the bag has all tiles of the part: then no field borrows its guard."""
        return ((bag | self.guards) - part) & self.guards == self.guards

    def without(self, bag: int, part: int) -> int:
        """The tiles of the bag that are left when those of the part are taken out as far as they are there."""
        rest = (bag | self.guards) - part
        kept = rest & self.guards
        return rest & (kept - (kept >> (FIELD - 1)))

    def can_split(self, bag: int) -> bool:
        """Whether the whole bag splits into legal sets."""
        known = self._splits.get(bag)
        if known is None:
            sets = self.begin[self.first(bag)]
            known = any(self.holds(bag, packed) and self.can_split(bag - packed) for packed in sets)
            self._remember(self._splits, bag, known)
        return known

    def splits(self, bag: int) -> Iterator[list[TileSet]]:
        """Every way to split the bag into sets, each multiset of sets once."""
        return self._split(bag, -1, 0) if self.can_split(bag) else iter(())

    def _split(self, bag: int, last: int, start: int) -> Iterator[list[TileSet]]:
        if not bag:
            yield []
            return
        first = self.first(bag)
        sets = self.begin_texts[first]
        # Sets that begin with the same tile are taken in the order of the list, so that no multiset comes twice.
        for index in range(start if first == last else 0, len(sets)):
            packed, text = sets[index]
            if self.holds(bag, packed) and self.can_split(bag - packed):
                for rest in self._split(bag - packed, first, index):
                    yield [text, *rest]

    def parts(self, bag: int, needed: int) -> frozenset[int]:
        """Every part of the bag that holds all the tiles `needed` and splits into legal sets (the empty one too)."""
        known = self._parts.get((bag, needed))
        if known is None:
            first = self.first(bag)
            field = ((1 << FIELD) - 1) << (FIELD * first)
            found: set[int] = set()
            if not needed & field:
                found |= self.parts(bag & ~field, needed)  # no further tile of this kind is used
            for packed in self.begin[first]:
                if self.holds(bag, packed):
                    rest = self.parts(bag - packed, self.without(needed, packed))
                    found.update(part + packed for part in rest)
            known = frozenset(found)
            self._remember(self._parts, (bag, needed), known)
        return known

    def meld_value(self, bag: int) -> int:
        """The highest value that sets built from some tiles of the bag can have together."""
        known = self._values.get(bag)
        if known is None:
            first = self.first(bag)
            known = self.meld_value(bag - (1 << (FIELD * first)))
            for packed in self.begin[first]:
                if self.holds(bag, packed):
                    known = max(known, self.set_value(packed) + self.meld_value(bag - packed))
            self._remember(self._values, bag, known)
        return known

    def set_value(self, packed: int) -> int:
        return max(self.opening_value(text) for text in self.texts[packed])

    def opening_value(self, tiles: TileSet) -> int:
        """What one set counts for the opening."""
        return _face_value(tiles, self.rules) if self.rules.opening_joker == "face" else _tile_value(tiles)

    def _remember(self, memory: dict[_Key, _Value], key: _Key, value: _Value) -> None:
        if len(memory) >= MOST_BAGS:
            raise LimitReached(f"bags: the naive search needs more than {MOST_BAGS}")
        memory[key] = value


# ---- what may be done in a position ----


class _Turn:
    """The moves of one position. Raises IllegalPosition with the problems of the position if it has any."""

    def __init__(self, position: Position) -> None:
        if problems := position.problems():
            raise IllegalPosition(problems)
        self.rules = position.rules
        self.before: Table = position.table
        self.rack: TileSet = position.rack
        self.opened = position.opened or position.rules.opening_threshold == 0
        self.on_table = Counter(tile for tiles in self.before for tile in tiles)
        self.bags = _Bags(self.on_table + Counter(self.rack), self.rules)
        self.table_stays = not self.opened and not self.rules.opening_uses_table

    def plays(self) -> list[_Play]:
        """What can change hands so that all that lies on the table then splits into sets; jokers not yet looked at."""
        bags = self.bags
        if self.table_stays:
            found = [_Play(bags.unpack(part), ()) for part in bags.parts(bags.pack(self.rack), 0)]
        else:
            table = bags.pack(self.on_table.elements())
            finals = bags.parts(
                table + bags.pack(self.rack), bags.pack(filter(self._must_stay, self.on_table.elements()))
            )
            found = [
                _Play(bags.unpack(bags.without(final, table)), bags.unpack(bags.without(table, final)))
                for final in finals
            ]
        return sorted(filter(self._allowed, found), key=lambda play: (_row_key(play.laid), _row_key(play.taken)))

    def _must_stay(self, tile: str) -> bool:
        """Whether a table tile of this kind has to lie on the table after the move."""
        if tile == JOKER:
            return self.rules.joker_destination != "keep"
        return self.rules.take_back == "none"

    def _allowed(self, play: _Play) -> bool:
        """Something is laid, more than is taken back, and who has not opened opens."""
        if not play.laid:
            return False
        back = [tile for tile in play.taken if tile != JOKER]
        if back and _tile_value(back) >= _tile_value(play.laid):
            return False
        return self.opened or self._opens(play.laid)

    def _opens(self, laid: TileSet) -> bool:
        """Whether the tiles laid can make an opening; with a table that stays, `_reaches` has the last word."""
        rules, bags = self.rules, self.bags
        usable = [tile for tile in laid if tile != JOKER] if rules.opening_joker == "forbidden" else list(laid)
        if self.table_stays:
            return len(usable) == len(laid) and any(self._reaches(sets) for sets in bags.splits(bags.pack(laid)))
        meld = bags.pack(usable)
        if rules.opening_single_set:
            return any(
                bags.holds(meld, packed) and bags.set_value(packed) >= rules.opening_threshold for packed in bags.texts
            )
        return bags.meld_value(meld) >= rules.opening_threshold

    def _reaches(self, sets: Sequence[TileSet]) -> bool:
        """Whether the sets of an opening have the value that is asked for."""
        values = [self.bags.opening_value(tiles) for tiles in sets]
        value = max(values) if self.rules.opening_single_set else sum(values)
        return value >= self.rules.opening_threshold

    def tables(self, play: _Play) -> Iterator[Table]:
        """Every legal table that the play can end with, in a fixed order; none if the play is not legal."""
        bags = self.bags
        if self.table_stays:
            for sets in bags.splits(bags.pack(play.laid)):
                if self._reaches(sets):
                    yield (*self.before, *sets)
            return
        final = self.on_table + Counter(play.laid) - Counter(play.taken)
        verdicts: dict[Table, bool] = {}
        for sets in bags.splits(bags.pack(final.elements())):
            # No joker rule looks at sets without jokers.
            with_jokers = tuple(tiles for tiles in sets if JOKER in tiles)
            if with_jokers not in verdicts:
                verdicts[with_jokers] = self.jokers_legal(with_jokers, play)
            if verdicts[with_jokers]:
                yield tuple(sets)

    # ---- jokers ----

    def jokers_legal(self, after: Table, play: _Play) -> bool:
        """Whether some reading and some matching of the table's jokers makes the move legal.

        after: the sets with jokers on the table after the move.
        """
        before = tuple(tiles for tiles in self.before if JOKER in tiles)
        return any(
            self._some_matching(before, olds, groups_of_three, after, _jokers(after, new), play)
            for old in product(*(readings(tiles, self.rules) for tiles in before))
            for olds in [_jokers(before, old)]
            for groups_of_three in [{i for i, r in enumerate(old) if r.group and len(r.meanings) == SMALLEST_SET}]
            for new in product(*(readings(tiles, self.rules) for tiles in after))
        )

    def _some_matching(
        self,
        before: Table,
        olds: list[_Joker],
        groups_of_three: set[int],
        after: Table,
        news: list[_Joker],
        play: _Play,
    ) -> bool:
        """Whether each old joker can be matched with a new one, or with the rack, so that all conditions hold.

        New jokers that stay unmatched come from the rack.
        """
        may_leave = [self._may_be_freed(old, old.home in groups_of_three, play) for old in olds]
        kept = play.taken.count(JOKER)
        ends: list[_Joker | None] = []  # of the first jokers of olds; None is the rack
        used: set[int] = set()

        def match() -> bool:
            index = len(ends)
            if index == len(olds):
                return self._ends_legal(before, olds, ends, after, play)
            old = olds[index]
            for place, new in enumerate(news):
                if place not in used and (self._may_stay(old, new) if _stays(old, new) else may_leave[index]):
                    used.add(place)
                    ends.append(new)
                    if match():
                        return True
                    ends.pop()
                    used.remove(place)
            if may_leave[index] and ends.count(None) < kept:
                ends.append(None)
                if match():
                    return True
                ends.pop()
            return False

        return match()

    def _may_be_freed(self, old: _Joker, group_of_three: bool, play: _Play) -> bool:
        """`joker_freeing`, `joker_source`, `joker_group`."""
        rules = self.rules
        if rules.joker_freeing == "any":
            return True
        source = set(play.laid)
        if rules.joker_source == "rack_or_table":
            source.update(self.on_table)
        if rules.joker_group == "both" and group_of_three:
            return old.meanings <= source
        return not old.meanings.isdisjoint(source)

    def _may_stay(self, old: _Joker, new: _Joker) -> bool:
        """`joker_set_locked`: a joker that stays keeps its meaning."""
        return not self.rules.joker_set_locked or new.meanings <= old.meanings

    def _held_together(
        self, before: Table, stayed: Iterable[tuple[_Joker, _Joker]], after: Table
    ) -> dict[int, Counter[str]] | None:
        """`joker_set_locked`: for each final set the real tiles of the locked sets in it.

        None unless each set of a joker that stayed is together in one set, real tiles and all. One final set may hold
        several of them, if it has the tiles of all.
        """
        ends: dict[int, set[int]] = {}
        for old, new in stayed:
            ends.setdefault(old.home, set()).add(new.home)
        held: dict[int, Counter[str]] = {}
        for home, news in ends.items():
            if len(news) > 1:
                return None
            held.setdefault(min(news), Counter()).update(tile for tile in before[home] if tile != JOKER)
        return held if all(tiles <= Counter(after[home]) for home, tiles in held.items()) else None

    def _ends_legal(
        self, before: Table, olds: list[_Joker], ends: list[_Joker | None], after: Table, play: _Play
    ) -> bool:
        """The conditions on all jokers together: `keep`, the jokers of a locked set, `joker_destination`."""
        if ends.count(None) != play.taken.count(JOKER):
            return False
        matched = [(old, new) for old, new in zip(olds, ends, strict=True) if new is not None]
        held: dict[int, Counter[str]] | None = {}
        if self.rules.joker_set_locked:
            held = self._held_together(before, [(old, new) for old, new in matched if _stays(old, new)], after)
        if held is None:
            return False
        freed = Counter(new.home for old, new in matched if not _stays(old, new))
        if self.rules.joker_destination == "new":
            whole = {_sorted(tiles) for tiles in self.before}
            return all(_sorted(after[home])[:-count] not in whole for home, count in freed.items())
        if self.rules.joker_destination == "two_from_rack":
            return _hand_out(
                [set(Counter(after[home]) - held.get(home, Counter())) for home in freed], Counter(play.laid)
            )
        return True


def _jokers(sets: Table, read: Sequence[Reading]) -> list[_Joker]:
    """The jokers of the sets under one reading of each set."""
    return [
        _Joker(home, meanings)
        for home, (tiles, reading) in enumerate(zip(sets, read, strict=True))
        for tile, meanings in zip(tiles, reading.meanings, strict=True)
        if tile == JOKER
    ]


def _stays(old: _Joker, new: _Joker) -> bool:
    """A joker stays if its final meanings share a tile with its original ones, in whatever set it ends."""
    return not old.meanings.isdisjoint(new.meanings)


def _hand_out(sets: list[set[str]], laid: Counter[str]) -> bool:
    """Whether two real tiles laid can be given to each set, no tile twice."""
    if not sets:
        return True
    usable = [tile for tile in sets[0] if tile != JOKER and laid[tile]]
    return any(_hand_out(sets[1:], laid - Counter(pair)) for pair in combinations(usable, 2))


# ---- the public calls ----


def legal_moves(position: Position) -> Iterator[Move]:
    """Every legal move once (moves are the same when they lay and take the same), in the order of the tiles laid.

    Each has one of the tables that it can end with. Raises IllegalPosition at once, LimitReached where the naive search
    gives up.
    """
    turn = _Turn(position)
    return _moves(turn, turn.plays())


def _moves(turn: _Turn, plays: Iterable[_Play]) -> Iterator[Move]:
    for play in plays:
        for table in turn.tables(play):
            yield _move(play, table, turn.rules)
            break


def _move(play: _Play, table: Table, rules: Rules) -> Move:
    return Move(play.laid, table, _tile_value(play.laid), play.taken, rules)


def best_move(
    position: Position, objective: str = "tiles", weights: Mapping[str, int] | None = None, ties: bool = False
) -> Move | None:
    """A best move, None if there is none; with `ties` the one that the rules name among equals, at a much higher price.

    objective: one of OBJECTIVES; ignored if weights are given: a number for each tile that counts and for "J".
    Raises SolverError for an unknown objective, IllegalPosition, LimitReached.
    """
    best = _best(position, objective, weights)
    if best is None:
        return None
    turn, plays = best
    if not ties:
        return next(_moves(turn, plays))
    changes = [(play, change) for play in plays if (change := _least_change(turn, play)) is not None]
    play, change = min(
        changes, key=lambda c: (-c[1].kept_sets, c[1].moved_tiles, _row_key(c[0].laid), _table_key(c[1].table))
    )
    return _move(play, change.table, turn.rules)


def best_value(position: Position, objective: str = "tiles", weights: Mapping[str, int] | None = None) -> Score | None:
    """What the best move is worth: the objective and its second criterion; None if there is no move.

    tiles: tiles, value. value: value, tiles. penalty: points, tiles. go_out: tiles, value. Weights: their sum, 0.
    """
    best = _best(position, objective, weights)
    return None if best is None else _score(best[1][0], objective, weights, best[0].rules)


def _best(position: Position, objective: str, weights: Mapping[str, int] | None) -> tuple[_Turn, list[_Play]] | None:
    """The turn and the plays with the best score, in fixed order; the first is legal, the others may not be."""
    if weights is None and objective not in OBJECTIVES:
        raise SolverError(f"objective: must be one of {', '.join(OBJECTIVES)}, not {quote(objective)}")
    turn = _Turn(position)
    plays = turn.plays()
    if weights is None and objective == "go_out":
        plays = [play for play in plays if play.laid == turn.rack and not play.taken]
    scores = {play: _score(play, objective, weights, turn.rules) for play in plays}
    plays.sort(key=scores.__getitem__, reverse=True)  # stable: equals stay in fixed order
    for index, play in enumerate(plays):
        if next(turn.tables(play), None) is not None:
            return turn, [other for other in plays[index:] if scores[other] == scores[play]]
    return None


def _score(play: _Play, objective: str, weights: Mapping[str, int] | None, rules: Rules) -> Score:
    """The objective's value of a play and its second criterion; what is taken counts against what is laid."""

    def net(worth: Mapping[str, int]) -> int:
        return sum(worth.get(t, 0) for t in play.laid) - sum(worth.get(t, 0) for t in play.taken)

    if weights is not None:
        return net(weights), 0
    tiles = len(play.laid) - len(play.taken)
    value = _tile_value(play.laid) - _tile_value(play.taken)
    if objective == "value":
        return value, tiles
    if objective == "penalty":
        jokers = play.laid.count(JOKER) - play.taken.count(JOKER)
        return value + rules.joker_penalty * jokers, tiles
    return tiles, value


# ---- least change ----


def kept_sets(position: Position, table: Iterable[TileSet]) -> int:
    """Number of original sets on the table: the multiset intersection, jokers with their meaning (their place)."""
    rules = position.rules
    before = Counter(_canonical(tiles, rules) for tiles in position.table)
    after = Counter(_canonical(tuple(tiles), rules) for tiles in table)
    return (before & after).total()


def moved_tiles(position: Position, table: Iterable[TileSet]) -> int:
    """Table tiles minus the best one-to-one matching of final to original sets by their common tiles (jokers alike)."""
    before = [Counter(tiles) for tiles in position.table]
    common = [[(original & Counter(tiles)).total() for original in before] for tiles in table]

    @cache
    def best(index: int, free: frozenset[int]) -> int:
        """The best matching of the final sets from `index` on with the original sets that are free."""
        if index == len(common):
            return 0
        shared = [(old, common[index][old]) for old in sorted(free) if common[index][old]]
        return max(
            [best(index + 1, free), *(tiles + best(index + 1, free - {old}) for old, tiles in shared)],
        )

    return sum(original.total() for original in before) - best(0, frozenset(range(len(before))))


def least_change(position: Position, laid: Iterable[str], taken: Iterable[str] = ()) -> Change | None:
    """The legal table after a play that keeps most sets, then moves fewest tiles; None if the play is not legal.

    Exhaustive over all tables. Equals: the first in the fixed order of the rules.
    """
    turn = _Turn(position)
    play = _Play(_sorted(laid), _sorted(taken))
    return _least_change(turn, play) if play in turn.plays() else None


def _least_change(turn: _Turn, play: _Play) -> Change | None:
    position = Position(turn.before, turn.rack, turn.opened, turn.rules)
    changes = (Change(kept_sets(position, table), moved_tiles(position, table), table) for table in turn.tables(play))
    return min(changes, key=lambda c: (-c.kept_sets, c.moved_tiles, _table_key(c.table)), default=None)


# ---- arrangements of a bag ----


def arrangements(tiles: Iterable[str], rules: Rules) -> Iterator[Table]:
    """Every way to split all the tiles into legal sets, each once, in a fixed order; `()` once for no tiles.

    Two ways are the same if they have the same sets equally often. Two sets are the same if they have the same text: a
    run is written with each joker at its place, a group with its jokers last. So `J R5 R6` and `R5 R6 J` differ,
    `R5 B5 J` is one set whatever colour the joker stands for, and what reads as run and as group (`R5 J J`, or jokers
    alone) is one set. Raises IllegalPosition if the rules do not have these tiles, and LimitReached.
    """
    bag = Position((), tiles, True, rules)
    if problems := bag.problems():
        raise IllegalPosition(problems)
    bags = _Bags(Counter(bag.rack), rules)
    return map(tuple, bags.splits(bags.pack(bag.rack)))
