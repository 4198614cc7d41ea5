"""The opening: the best move among those that reach the threshold.

A branch and bound over melds from the rack. A node has decided some melds; its bound is the best move that lays
them, threshold or not. If that move opens, no other below the node is better. If not, the next meld is decided, in a
fixed order so that no set of melds comes twice. Best first, so the first move that opens is the best of all.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, count

from .jokers import Solve
from .position import Position
from .problem import Laid, Problem
from .rules import Rules
from .sets import COLORS, JOKER, MIN_SET, TILE_KEYS, Tile, TileSet, most_jokers, tile_value

# A longer run can be cut into runs of at most this length, so longer melds need not be listed.
_LONGEST_UNCUT = 2 * MIN_SET - 1

# Sets of the greatest opening value made of these tiles alone (all of them: `every`), with the value as key.
MostValue = Callable[[Counter[Tile], bool], Laid | None]


@dataclass(frozen=True, slots=True)
class Meld:
    """One set from the rack with its value under the opening rules."""

    tiles: TileSet
    value: int


def best(position: Position, problem: Problem, solve: Solve, most_value: MostValue) -> Laid | None:
    """The best move that opens, or None.

    solve: the best move of a problem of the position, threshold or not (with the table where the opening may use it,
    else of the rack alone).
    """
    rules = position.rules
    decided = Counter(problem.laid)
    supply = problem.rack() + decided
    if rules.opening_joker == "forbidden" and not rules.opening_uses_table:
        if decided[JOKER]:
            return None
        del supply[JOKER]
    goal = rules.opening_threshold
    melds = sorted(melds_of(supply, rules), key=lambda meld: (-meld.value, meld.tiles))
    if rules.opening_single_set:
        melds = [meld for meld in melds if meld.value >= goal]
        if not melds:
            return None
    elif not _reaches(supply, goal, melds, rules, most_value):
        return None
    order = count()
    heap: list[tuple[tuple[int, int], int, int, tuple[Meld, ...], Laid]] = []

    def push(chosen: tuple[Meld, ...], last: int) -> None:
        part = _with_melds(problem, chosen, rules)
        if part is None:
            return
        if not rules.opening_single_set:
            left = supply - Counter(tile for meld in chosen for tile in meld.tiles)
            lacking = goal - sum(meld.value for meld in chosen)
            if lacking > 0 and not _reaches(left, lacking, melds, rules, most_value):
                return
        found = solve(part)
        if found is not None:
            heapq.heappush(heap, ((-found.key[0], -found.key[1]), next(order), last, chosen, found))

    push((), 0)
    while heap:
        _, _, last, chosen, found = heapq.heappop(heap)
        opening = _opening(position, found, chosen, melds, most_value)
        if opening is not None:
            return opening
        if rules.opening_single_set and chosen:
            continue
        left = supply - Counter(tile for meld in chosen for tile in meld.tiles)
        for index in range(last, len(melds)):
            if not Counter(melds[index].tiles) - left:
                push((*chosen, melds[index]), index)
    return None


def _for_melds(tiles: Counter[Tile], rules: Rules) -> Counter[Tile]:
    """What of the tiles may be in the melds that count."""
    if rules.opening_joker == "forbidden":
        return Counter({tile: number for tile, number in tiles.items() if tile != JOKER})
    return tiles


def _opening(
    position: Position, found: Laid, chosen: tuple[Meld, ...], melds: list[Meld], most_value: MostValue
) -> Laid | None:
    """The move with sets that open, if the laid tiles reach the threshold as the rules ask; else None."""
    rules = position.rules
    goal = rules.opening_threshold
    tiles = Counter(found.tiles)
    if rules.opening_single_set:
        if chosen:
            return found
        if not rules.opening_uses_table:
            return None  # the rest must split into sets as well: decided meld by meld
        opens = any(meld.value >= goal for meld in melds_of(_for_melds(tiles, rules), rules))
        return found if opens else None
    if sum(meld.value for meld in chosen) >= goal:
        return found
    if rules.opening_uses_table:
        return found if _reaches(tiles, goal, melds, rules, most_value) else None
    if tile_value(found.tiles) >= goal:
        return found
    if rules.opening_joker != "face":
        return None
    # The sets that were found may be worth less than others of the same tiles.
    dearest = most_value(tiles, True)
    if dearest is None or dearest.key[0] < goal:
        return None
    return Laid(found.key, found.tiles, dearest.sets, found.taken, (*position.table, *dearest.decided))


def _reaches(tiles: Counter[Tile], goal: int, melds: list[Meld], rules: Rules, most_value: MostValue) -> bool:
    """Whether sets of these tiles alone reach the goal: often the dearest melds do, one after the other."""
    left = _for_melds(tiles, rules)
    worth = 0
    for meld in melds:
        if not Counter(meld.tiles) - left:
            left = left - Counter(meld.tiles)
            worth += meld.value
            if worth >= goal:
                return True
    dearest = most_value(_for_melds(tiles, rules), False)
    return dearest is not None and dearest.key[0] >= goal


def _with_melds(problem: Problem, chosen: tuple[Meld, ...], rules: Rules) -> Problem | None:
    """The problem with the melds decided: as sets where the table stays as it is, else as tiles that are laid."""
    part = problem.copy()
    decided = Counter(problem.laid)
    for meld in chosen:
        for tile in meld.tiles:
            if rules.opening_uses_table:
                if decided[tile]:
                    decided[tile] -= 1
                elif not part.lay(tile):
                    return None
            elif not (part.take_joker() if tile == JOKER else part.take(tile)):
                return None
        if not rules.opening_uses_table:
            part.sets.append(meld.tiles)
    return part


def melds_of(supply: Counter[Tile], rules: Rules) -> Iterator[Meld]:
    """Every set that the tiles can make; without `opening_single_set` runs that can be cut are left out."""
    jokers = supply[JOKER] if rules.opening_joker != "forbidden" else 0
    # Under `minority` a part may have too many jokers where the whole has not.
    uncut = rules.opening_single_set or rules.jokers_per_set == "minority"
    longest = rules.numbers if uncut else min(rules.numbers, _LONGEST_UNCUT)
    colors = COLORS[: rules.colors]
    for number in range(1, rules.numbers + 1):
        held = [color for color in colors if supply[f"{color}{number}"]]
        for size in range(MIN_SET, len(colors) + 1):
            for real in range(size - min(jokers, most_jokers(size, rules)), min(size, len(held)) + 1):
                for some in combinations(held, real):
                    tiles = (*(f"{color}{number}" for color in some), *[JOKER] * (size - real))
                    yield Meld(tiles, _worth(tiles, number * size, rules))
    for color in colors:
        for first in range(1, rules.numbers + rules.high_one - MIN_SET + 2):
            run: list[Tile] = []
            lacking: list[int] = []
            faces = 0
            for place in range(min(longest, rules.numbers + rules.high_one - first + 1)):
                number = (first + place - 1) % rules.numbers + 1
                run.append(f"{color}{number}")
                faces += number
                if not supply[run[-1]]:
                    lacking.append(place)
                    if len(lacking) > jokers:
                        break
                length = place + 1
                if length < MIN_SET:
                    continue
                for used in range(len(lacking), min(jokers, most_jokers(length, rules)) + 1):
                    others = [place for place in range(length) if place not in lacking]
                    for more in combinations(others, used - len(lacking)):
                        away = {*lacking, *more}
                        tiles = tuple(JOKER if place in away else tile for place, tile in enumerate(run))
                        yield Meld(tiles, _worth(tiles, faces, rules))


def _worth(tiles: TileSet, faces: int, rules: Rules) -> int:
    """Opening value of a set whose tiles stand for `faces` in sum."""
    return faces if rules.opening_joker == "face" else sum(TILE_KEYS[tile][1] for tile in tiles)
