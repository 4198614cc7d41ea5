"""The rules of jokers on the table, in search.

Each table joker either stays in a meaning, and then it is one more copy of that tile, or it is freed, which may ask
for a tile to be laid, and then it is a joker like those of the rack. So a position is divided into *cases*, each a
count problem, and the best case is the best move. What the rules say of the set in which a freed joker ends cannot be
counted; where the answer of a case breaks it, that set is decided set by set, best first.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, count, product

from .position import Position
from .problem import Problem, cell, stand_in
from .rules import Rules
from .sets import COLORS, JOKER, MIN_SET, Reading, Tile, TileSet, canonical_set, readings

Solve = Callable[[Problem], "Laid | None"]


@dataclass(frozen=True, slots=True)
class Laid:
    """A move: the tiles laid, how good that is, and the table after it when asked for."""

    key: tuple[int, int]
    tiles: TileSet
    table: Callable[[], list[TileSet]]


@dataclass(frozen=True, slots=True)
class TableJoker:
    """One reading of a joker on the table: what it stands for, and which tiles free it (alternatives)."""

    meanings: frozenset[Tile]
    prices: tuple[frozenset[Tile], ...]


@dataclass(frozen=True, slots=True)
class _Case:
    stays: tuple[Tile, ...]
    freed: int
    lay: frozenset[Tile]


def bind(rules: Rules) -> bool:
    """Whether the rules ask anything of a joker on the table."""
    return rules.joker_freeing != "any" or rules.joker_destination != "any"


def best(position: Position, problem: Problem, solve: Solve) -> Laid | None:
    """The best legal move of a problem of the position (whose `laid` may hold decided tiles already)."""
    relaxed = solve(problem)
    if relaxed is None or not problem_has_table_jokers(position) or not bind(position.rules):
        return relaxed
    if legal(position, relaxed.table(), relaxed.tiles):
        return relaxed
    order = count()
    heap: list[tuple[tuple[int, int], int, Problem, int, Laid]] = []

    def push(part: Problem, freed: int) -> Laid | None:
        found = solve(part)
        if found is not None:
            found = Laid(found.key, found.tiles, _with_jokers(found, tuple(part.stays)))
            heapq.heappush(heap, ((-found.key[0], -found.key[1]), next(order), part, freed, found))
        return found

    def done(found: Laid) -> bool:
        return position.rules.joker_destination == "any" or legal(position, found.table(), found.tiles)

    for case in _cases(position, problem):
        part = _apply(problem, case)
        if part is None:
            continue
        found = push(part, case.freed)
        # No case beats the relaxation, so one that equals it is the best.
        if found is not None and found.key == relaxed.key and done(found):
            return found
    originals = frozenset(map(_same_tiles, position.table))
    while heap:
        _, _, part, freed, found = heapq.heappop(heap)
        if done(found):
            return found
        if not freed:
            continue  # its sets are decided, and illegal all the same: another way to match the jokers covers it
        for child, used in _destinations(part, freed, originals, position.rules):
            better = push(child, freed - used)
            if better is not None and better.key == found.key and done(better):
                return better
    return None


def _with_jokers(found: Laid, stays: Sequence[Tile]) -> Callable[[], list[TileSet]]:
    return found.table if not stays else lambda: stand_in(found.table(), stays)


def problem_has_table_jokers(position: Position) -> bool:
    """Whether there is a joker on the table."""
    return position.packed[-2] > 0


# ---------------------------------------------------------------------------------------------------------------------
# Cases
# ---------------------------------------------------------------------------------------------------------------------


def joker_sets(position: Position) -> list[list[tuple[TableJoker, ...]]]:
    """For each set with jokers on the table: for each of its readings, its jokers."""
    rules = position.rules
    return [
        [_jokers_of(reading, rules) for reading in readings(tiles, rules)] for tiles in position.table if JOKER in tiles
    ]


def _jokers_of(reading: Reading, rules: Rules) -> tuple[TableJoker, ...]:
    jokers = []
    for meanings in reading.meanings:
        if rules.joker_freeing == "any":
            prices: tuple[frozenset[Tile], ...] = (frozenset(),)
        elif rules.joker_group == "both" and reading.kind == "group" and len(reading.tiles) == MIN_SET:
            prices = (frozenset(meanings),)
        else:
            prices = tuple(frozenset((tile,)) for tile in meanings)
        jokers.append(TableJoker(frozenset(meanings), prices))
    return tuple(jokers)


def _cases(position: Position, problem: Problem) -> Iterator[_Case]:
    """Every way to decide for each table joker whether it stays, and as what, or is freed, and by what."""
    on_table = _real_tiles(position.table) if position.rules.joker_source == "rack_or_table" else frozenset()
    at_hand = frozenset(problem.rack()) | frozenset(problem.laid)
    per_set = []
    for alternatives in joker_sets(position):
        options: dict[tuple[tuple[Tile, ...], int, frozenset[Tile]], None] = {}
        for jokers in alternatives:
            for choice in product(*(_choices(joker, on_table, at_hand) for joker in jokers)):
                stays = tuple(sorted(tile for tile, _ in choice if tile))
                lay = frozenset[Tile]().union(*(price for _, price in choice))
                options[stays, len(choice) - len(stays), lay] = None
        per_set.append(sorted(options, key=lambda option: (option[1], option[0], sorted(option[2]))))
    seen = set()
    for parts in product(*per_set):
        case = _Case(
            tuple(sorted(tile for stays, _, _ in parts for tile in stays)),
            sum(freed for _, freed, _ in parts),
            frozenset[Tile]().union(*(lay for _, _, lay in parts)),
        )
        if case not in seen:
            seen.add(case)
            yield case


def _choices(
    joker: TableJoker, on_table: frozenset[Tile], at_hand: frozenset[Tile]
) -> list[tuple[Tile, frozenset[Tile]]]:
    """(tile that it stays as, or "" when freed; rack tiles that must be laid for it)."""
    stays = [(tile, frozenset[Tile]()) for tile in sorted(joker.meanings)]
    prices = [price - on_table for price in joker.prices]
    if any(not price for price in prices):
        return [*stays, ("", frozenset())]
    return [*stays, *(("", price) for price in prices if price <= at_hand)]


def _real_tiles(table: Iterable[TileSet]) -> frozenset[Tile]:
    return frozenset(tile for tiles in table for tile in tiles) - {JOKER}


def _apply(problem: Problem, case: _Case) -> Problem | None:
    """The count problem of a case."""
    part = problem.copy()
    for tile in case.stays:
        part.must[cell(tile)] += 1
        part.stays.append(tile)
        part.jokers_must -= 1
    for tile in sorted(case.lay - set(part.laid)):
        if not part.lay(tile):
            return None
    return part


# ---------------------------------------------------------------------------------------------------------------------
# Where a freed joker may end
# ---------------------------------------------------------------------------------------------------------------------

_FREED, _RACK_JOKER = "freed", "rack joker"


def _destinations(
    part: Problem, freed: int, originals: frozenset[TileSet], rules: Rules
) -> Iterator[tuple[Problem, int]]:
    """The problem with one more set decided, for every set with freed jokers that the rules allow; and how many."""
    own = part.jokers_must - freed + part.jokers_may
    for places in _places(rules):
        available = [[tile] if part.must[at] or part.may[at] else [] for tile, at in places]
        for used in range(1, min(freed + own, len(places)) + 1):
            for at in combinations(range(len(places)), used):
                if any(not available[k] for k in range(len(places)) if k not in at):
                    continue
                yield from _decide(part, [place[0] for place in places], at, freed, own, originals, rules)


def _places(rules: Rules) -> Iterator[list[tuple[Tile, int]]]:
    """Every run and group as its tiles, with their places in the counts."""
    colors = COLORS[: rules.colors]
    for number in range(1, rules.numbers + 1):
        for size in range(MIN_SET, len(colors) + 1):
            for some in combinations(colors, size):
                yield [(f"{color}{number}", cell(f"{color}{number}")) for color in some]
    for length in range(MIN_SET, rules.numbers + 1):
        for color in colors:
            for first in range(1, rules.numbers - length + 2):
                yield [(f"{color}{n}", cell(f"{color}{n}")) for n in range(first, first + length)]


def _decide(
    part: Problem,
    tiles: Sequence[Tile],
    jokers: Sequence[int],
    freed: int,
    own: int,
    originals: frozenset[TileSet],
    rules: Rules,
) -> Iterator[tuple[Problem, int]]:
    """One set of `tiles` with jokers at some places; each way to say which of them are freed ones."""
    for used in range(max(1, len(jokers) - own), min(freed, len(jokers)) + 1):
        for moved in combinations(jokers, used):
            child = part.copy()
            shown: list[Tile] = list(tiles)
            fine = True
            for place, tile in enumerate(tiles):
                if place in jokers:
                    shown[place] = JOKER
                    if place in moved:
                        child.jokers_must -= 1
                    elif child.jokers_must > freed:
                        child.jokers_must -= 1  # a rack joker that is decided to be laid
                    else:
                        child.jokers_may -= 1
                        child.laid.append(JOKER)
                        fine = fine and child.jokers_may >= 0
                elif not child.take(tile):
                    fine = False
                elif tile in child.stays and not _real_left(part, tile):
                    child.stays.remove(tile)
                    shown[place] = JOKER
            if not fine:
                continue
            rest = tuple(tile for place, tile in enumerate(shown) if place not in moved)
            if _same_tiles(rest) in originals:
                continue
            child.sets.append(tuple(shown))
            yield child, used


def _real_left(part: Problem, tile: Tile) -> bool:
    """Whether a copy of the tile is left that is no joker staying in that meaning."""
    return part.must[cell(tile)] + part.may[cell(tile)] > part.stays.count(tile)


# ---------------------------------------------------------------------------------------------------------------------
# Whether a finished table is legal
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Spot:
    holder: int
    place: int
    meanings: frozenset[Tile]


def legal(position: Position, table: Sequence[TileSet], laid: Iterable[Tile]) -> bool:
    """Whether SOME matching of the table's jokers before and after the move satisfies the rules."""
    rules = position.rules
    final = [canonical_set(tiles, rules) for tiles in table]
    prices = frozenset(laid)
    if rules.joker_source == "rack_or_table":
        prices |= _real_tiles(position.table)
    originals = frozenset(map(_same_tiles, position.table))
    with_jokers = [index for index, tiles in enumerate(final) if JOKER in tiles]
    for before in product(*joker_sets(position)):
        jokers = [joker for some in before for joker in some]
        for after in product(*(readings(final[index], rules) for index in with_jokers)):
            spots = [
                _Spot(index, place, frozenset(face))
                for index, reading in zip(with_jokers, after, strict=True)
                for place, (tile, face) in enumerate(zip(reading.tiles, reading.face, strict=True))
                if tile == JOKER
            ]
            if _matches(jokers, spots, final, prices, originals, rules):
                return True
    return False


def _matches(
    jokers: list[TableJoker],
    spots: list[_Spot],
    final: list[TileSet],
    prices: frozenset[Tile],
    originals: frozenset[TileSet],
    rules: Rules,
) -> bool:
    free = [any(price <= prices for price in joker.prices) for joker in jokers]
    moved: list[_Spot] = []

    def place(index: int, left: tuple[_Spot, ...]) -> bool:
        if index == len(jokers):
            return _destinations_fine(moved, final, originals, rules)
        for spot in left:
            rest = tuple(other for other in left if other is not spot)
            # Whether a joker stays is not a choice: it does where its meanings before and after share a tile.
            if jokers[index].meanings & spot.meanings:
                if place(index + 1, rest):
                    return True
            elif free[index]:
                moved.append(spot)
                if place(index + 1, rest):
                    return True
                moved.pop()
        return False

    return place(0, tuple(spots))


def _same_tiles(tiles: Iterable[Tile]) -> TileSet:
    """What two sets have in common that are the same set for `joker_destination=new`: their tiles, jokers alike."""
    return tuple(sorted(tiles))


def _destinations_fine(moved: list[_Spot], final: list[TileSet], originals: frozenset[TileSet], rules: Rules) -> bool:
    if rules.joker_destination == "any":
        return True
    for holder in {spot.holder for spot in moved}:
        away = {spot.place for spot in moved if spot.holder == holder}
        rest = tuple(tile for place, tile in enumerate(final[holder]) if place not in away)
        if _same_tiles(rest) in originals:
            return False
    return True
