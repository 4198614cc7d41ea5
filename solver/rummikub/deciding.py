"""Which tiles and jokers lie together: the sets with jokers, decided one by one.

A node is a count problem with some sets decided already. Its answer bounds what can follow; while the answer breaks a
rule of jokers, one more set with a joker is decided in every way that the rules allow. First come sets that are locked
by a joker that stays, then those of freed jokers, then, where a set may not hold many jokers, those of all others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations
from typing import Literal, NamedTuple

from .joker_rules import REAL_FROM_RACK, pairs, same_tiles
from .problem import Problem
from .rules import Rules
from .sets import COLORS, JOKER, MIN_SET, Tile, TileSet, most_jokers


class Group(NamedTuple):
    """Jokers that stay, by the tile that each is counted as; where sets are locked, those of one set.

    meanings: what each of them stood for. reals: the real tiles of their set; they end in the same set.
    """

    stays: TileSet
    meanings: tuple[TileSet, ...]
    reals: TileSet


class _Shape(NamedTuple):
    """A run or group, by the tiles that its places stand for."""

    group: bool
    tiles: TileSet


@dataclass(frozen=True, slots=True)
class Node:
    """A count problem and the jokers of the table whose sets are not decided.

    groups: those that stay. freed: what each freed one stood for (where that matters; else nothing). handed: rack
    tiles of decided sets that count for `two_from_rack`. wild: what those stood for that stay in a group beside other
    jokers.
    """

    problem: Problem
    groups: tuple[Group, ...] = ()
    freed: tuple[frozenset[Tile], ...] = ()
    handed: TileSet = ()
    wild: tuple[frozenset[Tile], ...] = ()

    def mark(self) -> Hashable:
        """The same for two nodes below which the same is found."""
        part = self.problem
        return (
            part.packed(),
            bytes(part.back),
            tuple(sorted(part.laid)),
            tuple(sorted(part.taken)),
            tuple(sorted(part.sets)),
            self.groups,
            self.freed,
            self.handed,
            self.wild,
        )

    def with_jokers(self, sets: Callable[[], list[TileSet]]) -> Callable[[], list[TileSet]]:
        """The sets with a joker in the place of each tile that a joker stays as."""
        return sets if not self.groups else lambda: _stand_in(sets(), self.groups)


def _stand_in(sets: Iterable[TileSet], groups: Iterable[Group]) -> list[TileSet]:
    out = [list(tiles) for tiles in sets]
    for group in groups:
        own = {*group.reals, *group.stays}
        for tile in group.stays:
            holders = [tiles for tiles in out if tile in tiles]
            holder = max(holders, key=lambda tiles: (len(own.intersection(tiles)), -tiles.count(JOKER)))
            holder[holder.index(tile)] = JOKER
    return [tuple(tiles) for tiles in out]


def finished(node: Node, rules: Rules) -> bool:
    """Whether the sets that are not decided can break no rule."""
    if rules.jokers_per_set != "any":
        return False
    return not node.freed and not node.wild and not (rules.joker_set_locked and node.groups)


def children(node: Node, originals: frozenset[TileSet], rules: Rules) -> Iterator[Node]:
    """The node with one more set decided, in every way that the rules allow."""
    part = node.problem
    if node.groups and rules.joker_set_locked:
        yield from _decide(node, "stays", originals, rules)
    elif node.wild:
        yield from _decide(node, "wild", originals, rules)
    elif node.freed:
        yield from _decide(node, "freed", originals, rules)
    elif node.groups:
        yield from _decide(node, "stays", originals, rules)
    elif part.jokers_must:
        yield from _decide(node, "joker", originals, rules)
    elif part.jokers_may:
        none = part.copy()
        none.jokers_may = 0
        yield Node(none, handed=node.handed)
        yield from _decide(node, "joker", originals, rules)


@lru_cache(maxsize=64)
def _shapes(colors: int, numbers: int, high_one: bool) -> tuple[_Shape, ...]:
    """Every group and run, short ones first."""
    letters = COLORS[:colors]
    shapes = [
        _Shape(True, tuple(f"{color}{number}" for color in some))
        for size in range(MIN_SET, colors + 1)
        for number in range(1, numbers + 1)
        for some in combinations(letters, size)
    ]
    for length in range(MIN_SET, numbers + 1):
        # A run of all numbers is written from 1 on: no high 1 then.
        last = numbers + (high_one and length < numbers)
        for color in letters:
            for first in range(1, last - length + 2):
                run = tuple(f"{color}{(number - 1) % numbers + 1}" for number in range(first, first + length))
                shapes.append(_Shape(False, run))
    return tuple(shapes)


def _decide(
    node: Node, seed: Literal["stays", "wild", "freed", "joker"], originals: frozenset[TileSet], rules: Rules
) -> Iterator[Node]:
    """One set that holds the first group, the first wild or freed joker or some other joker."""
    part = node.problem
    spare = part.jokers_must + part.jokers_may
    wanted = _at_hand(node) if seed == "freed" and rules.joker_destination == "two_from_rack" else None
    left = {}
    for shape in _shapes(rules.colors, rules.numbers, rules.high_one):
        lacking = 0
        for tile in shape.tiles:
            if tile not in left:
                left[tile] = part.real_left(tile)
            lacking += left[tile] == 0
        if lacking > spare + len(part.stays):
            continue
        if seed == "wild" and not (shape.group and any(tile[1:] == shape.tiles[0][1:] for tile in node.wild[0])):
            continue
        if wanted is not None and sum(tile in wanted for tile in shape.tiles) < REAL_FROM_RACK:
            continue
        for chosen, stays, fixed in _groups_in(node, shape, seed):
            open_ = [place for place in range(len(shape.tiles)) if place not in stays and place not in fixed]
            if any(not left[shape.tiles[place]] for place in fixed):
                continue
            forced = [place for place in open_ if not left[shape.tiles[place]]]
            others = [place for place in open_ if left[shape.tiles[place]]]
            # A wild joker is not alone in its group: else it would count as the tile that it stays as.
            wanting = max(1, 2 - len(stays)) if seed == "wild" else int(seed != "stays")
            least = max(0, wanting - len(forced))
            most = min(
                len(others), spare - len(forced), most_jokers(len(shape.tiles), rules) - len(stays) - len(forced)
            )
            for number in range(least, most + 1):
                for more in combinations(others, number):
                    jokers = sorted((*forced, *more))
                    yield from _label(node, seed, shape, chosen, stays, jokers, originals, rules)


def _groups_in(
    node: Node, shape: _Shape, seed: str
) -> Iterator[tuple[tuple[int, ...], dict[int, tuple[int, int]], set[int]]]:
    """Groups that can be in a set together: their indices, the places of their jokers (group, joker), their reals."""
    places = {tile: place for place, tile in enumerate(shape.tiles)}
    fitting = [
        index for index, group in enumerate(node.groups) if all(tile in places for tile in (*group.stays, *group.reals))
    ]
    if seed == "stays" and 0 not in fitting:
        return
    for number in range(len(fitting) + 1):
        for chosen in combinations(fitting, number):
            if seed == "stays" and 0 not in chosen:
                continue
            stays = {
                places[tile]: (index, which) for index in chosen for which, tile in enumerate(node.groups[index].stays)
            }
            fixed = {places[tile] for index in chosen for tile in node.groups[index].reals}
            sizes = sum(len(node.groups[index].stays) + len(node.groups[index].reals) for index in chosen)
            if len(stays.keys() | fixed) == sizes:  # no set holds a tile twice
                yield chosen, stays, fixed


def _label(
    node: Node,
    seed: str,
    shape: _Shape,
    chosen: tuple[int, ...],
    stays: dict[int, tuple[int, int]],
    jokers: Sequence[int],
    originals: frozenset[TileSet],
    rules: Rules,
) -> Iterator[Node]:
    """The set with jokers at these places besides those that stay; each way to say which of them are freed ones."""
    part = node.problem
    taken = {*stays, *jokers}
    shown = tuple(JOKER if place in taken else tile for place, tile in enumerate(shape.tiles))
    present = {tile[0] for tile in shown if tile != JOKER}
    lacking = frozenset(f"{color}{shape.tiles[0][1:]}" for color in COLORS[: rules.colors] if color not in present)

    def stands_for(place: int) -> frozenset[Tile]:
        return lacking if shape.group else frozenset((shape.tiles[place],))

    if rules.joker_set_locked and not all(
        stands_for(place) <= set(node.groups[index].meanings[which]) for place, (index, which) in stays.items()
    ):
        return
    groups = tuple(group for index, group in enumerate(node.groups) if index not in chosen)
    for staying in _wild_ones(node, lacking, len(jokers)) if seed == "wild" else [()]:
        wild = tuple(meanings for index, meanings in enumerate(node.wild) if index not in staying)
        for which in _freed_ones(node, seed, len(jokers) - len(staying), jokers, stands_for):
            used = len(which)
            if used and rules.joker_destination == "new" and _without(shown, used) in originals:
                continue
            alike = not stays and not staying and used in (0, len(jokers))
            handing = used > 0 and rules.joker_destination == "two_from_rack"
            if alike and not handing and _cut(shape, shown, used, originals, rules):
                continue
            child = part.copy()
            freed = tuple(meanings for index, meanings in enumerate(node.freed) if index not in which)
            if not _use(child, shape, stays, jokers, used + len(staying), len(node.freed) + len(node.wild)):
                continue
            child.sets.append(shown if not shape.group else tuple(sorted(shown, key=lambda tile: tile == JOKER)))
            if handing:
                # What a locked set keeps is of the table.
                kept = {tile for index in chosen for tile in node.groups[index].reals}
                others = tuple(tile for tile in shown if tile not in kept)
                for pair, given in _handed(child, groups, freed, node.handed, others, wild):
                    if not (alike and _cut(shape, shown, used, originals, rules, pair)):
                        yield given
            else:
                yield Node(child, groups, freed, node.handed, wild)


def _without(shown: Sequence[Tile], freed: int) -> TileSet:
    """The tiles of a set without so many of its jokers."""
    rest = list(shown)
    for _ in range(freed):
        rest.remove(JOKER)
    return same_tiles(rest)


def _cut(
    shape: _Shape, shown: TileSet, freed: int, originals: frozenset[TileSet], rules: Rules, pair: TileSet = ()
) -> bool:
    """Whether real tiles at an end of the run make a set of their own, so that the shorter run does as well.

    All its jokers are freed ones or (none freed) jokers of which only the number in a set matters. pair: tiles that
    have to stay with them.
    """
    if shape.group:
        return False
    for place in range(MIN_SET, len(shown) - MIN_SET + 1):
        for core, off in ((shown[:place], shown[place:]), (shown[place:], shown[:place])):
            if JOKER in off or not set(pair) <= set(core) or core.count(JOKER) > most_jokers(len(core), rules):
                continue
            if not (freed and rules.joker_destination == "new" and _without(core, freed) in originals):
                return True
    return False


def _wild_ones(node: Node, lacking: frozenset[Tile], jokers: int) -> Iterator[tuple[int, ...]]:
    """Which wild jokers a group holds that lacks these tiles, the first among them."""
    fitting = [index for index, meanings in enumerate(node.wild) if meanings & lacking]
    if 0 in fitting:
        for number in range(min(len(fitting), jokers)):
            yield from ((0, *more) for more in combinations(fitting[1:], number))


def _freed_ones(
    node: Node,
    seed: str,
    others: int,
    jokers: Sequence[int],
    stands_for: Callable[[int], frozenset[Tile]],
) -> Iterator[frozenset[int]]:
    """Which freed jokers are among the `others` of a set: one that stood for what it would stand for now stays."""
    rack = node.problem.jokers_must + node.problem.jokers_may - len(node.freed) - len(node.wild)
    seen = set()
    few, many = max(seed == "freed", others - rack), min(len(node.freed), others)
    for which in (some for used in range(few, many + 1) for some in combinations(range(len(node.freed)), used)):
        same = tuple(node.freed[index] for index in which)
        if same in seen or (seed == "freed" and 0 not in which):
            continue
        seen.add(same)
        if any(
            all(not node.freed[index] & stands_for(place) for index, place in zip(which, places, strict=True))
            for places in permutations(jokers, len(which))
        ):
            yield frozenset(which)


def _use(
    child: Problem, shape: _Shape, stays: Iterable[int], jokers: Sequence[int], freed: int, all_freed: int
) -> bool:
    """Take the tiles and jokers of a set from a problem. freed, all_freed: wild ones as well."""
    for place, tile in enumerate(shape.tiles):
        if place in stays:
            child.take_stay(tile)
        elif place not in jokers and not child.take(tile):
            return False
    # Freed jokers first, then rack jokers that are decided to be laid, then others.
    laid = child.jokers_must - all_freed
    child.jokers_must -= freed
    for _ in range(len(jokers) - freed):
        if laid:
            laid -= 1
            child.jokers_must -= 1
        elif child.jokers_may:
            child.jokers_may -= 1
            child.laid.append(JOKER)
        else:
            return False
    return True


def _at_hand(node: Node) -> Counter[Tile]:
    """Rack tiles, laid or not, that do not count for another set yet."""
    return Counter(node.problem.laid) + node.problem.rack() - Counter(node.handed)


def _handed(
    child: Problem,
    groups: tuple[Group, ...],
    freed: tuple[frozenset[Tile], ...],
    handed: TileSet,
    shown: TileSet,
    wild: tuple[frozenset[Tile], ...],
) -> Iterator[tuple[TileSet, Node]]:
    """Every way to say which two of the set's tiles shown come from the rack, beside those that other sets need."""
    at_hand = _at_hand(Node(child, handed=handed))
    for pair in pairs(shown, at_hand):
        part = child.copy()
        needed = Counter((*handed, *pair))
        if all(part.lay(tile) for tile in pair for _ in range(needed[tile] - part.laid.count(tile))):
            yield pair, Node(part, groups, freed, tuple(sorted((*handed, *pair))), wild)
