"""The rules of jokers in search.

Each table joker either stays in a meaning, and then it is one more copy of that tile, or it is freed, which may ask
for a tile to be laid, and then it is a joker like those of the rack, or is kept. So a position is divided into *cases*,
each a count problem, and the best case is the best move. (Two jokers may both stay in a group because of one tile that
it lacks. Then one of them is *wild*: it counts as any joker till that group is decided.) What the rules say of the sets
in which jokers end cannot be counted; where the answer of a case breaks it, those sets are decided one by one, best
first (see `deciding`).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from itertools import combinations, count, product
from typing import Final

from ..errors import LimitReached
from .deciding import Group, Node, children, finished
from .joker_rules import TableJoker, asks, decides, joker_sets, legal, real_tiles, same_tiles
from .position import Position
from .problem import Budget, Laid, Problem, cell
from .rules import Rules
from .sets import JOKER, MIN_SET, Tile

MOST_NODES: Final = 1 << 17  # some hundred megabytes; only sets of jokers alone come near

Solve = Callable[[Problem], "Laid | None"]
_Freed = frozenset[Tile]  # what a freed joker stood for, where that matters


@dataclass(frozen=True, slots=True)
class _Case:
    groups: tuple[Group, ...]
    freed: tuple[_Freed, ...]
    lay: frozenset[Tile]
    wild: tuple[_Freed, ...] = ()


def bind(rules: Rules) -> bool:
    """Whether a position with jokers on the table may be more than one count problem."""
    return asks(rules) or rules.joker_destination != "any"


def best(position: Position, problem: Problem, solve: Solve, budget: Budget | None = None) -> Laid | None:
    """The best legal move of a problem of the position (whose `laid` and `taken` may hold decided tiles already).

    budget: looked at while cases are made, beside what `solve` does.
    """
    rules = position.rules
    bound = relaxed(problem, solve)
    asked = jokers_on_table(position) and asks(rules)
    if bound is None or not (asked or rules.jokers_per_set != "any"):
        return bound
    if _legal(position, bound):
        return bound
    order = count()
    heap: list[tuple[tuple[int, int], int, Node, Laid]] = []
    seen: set[Hashable] = set()
    originals = frozenset(map(same_tiles, position.table))

    def push(node: Node) -> Laid | None:
        if (mark := node.mark()) in seen:
            return None
        if len(seen) == MOST_NODES:
            raise LimitReached(f"memory: no proof with {MOST_NODES} ways to decide sets with jokers")
        seen.add(mark)
        found = solve(node.problem)
        if found is not None:
            found = Laid(found.key, found.tiles, node.with_jokers(found.sets), found.taken, found.decided)
            heapq.heappush(heap, ((-found.key[0], -found.key[1]), next(order), node, found))
        return found

    def done(node: Node, found: Laid) -> bool:
        return finished(node, rules) or _legal(position, found)

    for node in _nodes(position, problem, budget) if asked else [Node(part) for part in _kept(problem)]:
        found = push(node)
        # No case beats the bound, so one that equals it is the best.
        if found is not None and found.key == bound.key and done(node, found):
            return found
    while heap:
        _, _, node, found = heapq.heappop(heap)
        if done(node, found):
            return found
        for child in children(node, originals, rules):
            better = push(child)
            if better is not None and better.key == found.key and done(child, better):
                return better
    return None


def parts(position: Position, problem: Problem, budget: Budget | None = None) -> Iterator[tuple[Problem, bool]]:
    """Count problems that together have every move as an answer, and whether every answer of theirs is a move.

    Not for a problem of which jokers may be kept.
    """
    if not (jokers_on_table(position) and asks(position.rules)):
        yield problem, position.rules.jokers_per_set == "any" or not problem.jokers_must + problem.jokers_may
        return
    for node in _nodes(position, problem, budget):
        yield node.problem, finished(node, position.rules)


def relaxed(problem: Problem, solve: Solve) -> Laid | None:
    """The best answer of the counts, whatever becomes of the jokers of the table."""
    return max(filter(None, map(solve, _kept(problem))), key=lambda found: found.key, default=None)


def _legal(position: Position, found: Laid) -> bool:
    return legal(position, found.table(), found.tiles, found.taken)


def jokers_on_table(position: Position) -> bool:
    """Whether there is a joker on the table."""
    return position.packed[-2] > 0


def _kept(problem: Problem) -> Iterator[Problem]:
    """The problem with every number of jokers that go to the rack; who lays a joker keeps none."""
    if not problem.keep:
        yield problem
        return
    for number in range(problem.keep + 1):
        part = problem.copy()
        if part.at_most(JOKER, -number) if number else True:
            part.keep = 0
            yield part


# ---------------------------------------------------------------------------------------------------------------------
# Cases
# ---------------------------------------------------------------------------------------------------------------------


def _nodes(position: Position, problem: Problem, budget: Budget | None) -> Iterator[Node]:
    """Every case as the root of a search."""
    kept = problem.taken.count(JOKER)
    for case in _cases(position, problem, budget):
        if len(case.freed) < kept:
            continue
        for number in range(min(len(case.freed) - kept, problem.keep) + 1):
            part = _apply(problem, case, number)
            if part is None:
                continue
            # Which of the freed jokers are not kept matters where what they stood for does.
            for freed in sorted(set(combinations(case.freed, len(case.freed) - kept - number)), key=_by_name):
                yield Node(part, case.groups, freed if decides(position.rules) else (), wild=case.wild)


def _by_name(freed: tuple[_Freed, ...]) -> list[list[Tile]]:
    return [sorted(tiles) for tiles in freed]


def _cases(position: Position, problem: Problem, budget: Budget | None) -> Iterator[_Case]:
    """Every way to decide for each table joker whether it stays, and as what, or is freed, and by what."""
    rules = position.rules
    on_table = real_tiles(position.table) if rules.joker_source == "rack_or_table" else frozenset()
    at_hand = frozenset(problem.rack()) | frozenset(problem.laid)
    # A locked joker keeps its meaning, then each of two in a group has a tile of its own.
    wild = not rules.joker_set_locked and rules.colors >= MIN_SET and problem.jokers_must + problem.jokers_may > 1
    per_set = []
    for alternatives in joker_sets(position):
        options: dict[_Case, None] = {}
        for jokers in alternatives:
            for choice in product(*(_choices(joker, on_table, at_hand, wild) for joker in jokers)):
                if budget is not None:
                    budget.look()
                options[_case_of(jokers, choice, rules)] = None
        per_set.append(sorted(options, key=_order))
    seen = set()
    for parts in product(*per_set):
        if budget is not None:
            budget.look()
        case = _Case(
            tuple(sorted(group for part in parts for group in part.groups)),
            tuple(sorted((freed for part in parts for freed in part.freed), key=sorted)),
            frozenset[Tile]().union(*(part.lay for part in parts)),
            tuple(sorted((wild for part in parts for wild in part.wild), key=sorted)),
        )
        if case not in seen:
            seen.add(case)
            yield case


def _case_of(jokers: tuple[TableJoker, ...], choice: tuple[tuple[Tile, frozenset[Tile]], ...], rules: Rules) -> _Case:
    """The case of one set: each of its jokers stays or is freed."""
    decided = list(zip(jokers, choice, strict=True))
    freed = [joker.meanings if decides(rules) else frozenset[Tile]() for joker, (stay, _) in decided if not stay]
    stays = sorted((stay, tuple(sorted(joker.meanings))) for joker, (stay, _) in decided if stay not in ("", JOKER))
    wild = tuple(sorted((joker.meanings for joker, (stay, _) in decided if stay == JOKER), key=sorted))
    groups: tuple[Group, ...]
    if not rules.joker_set_locked:
        groups = tuple(Group((stay,), (), ()) for stay, _ in stays)
    elif stays:
        groups = (Group(tuple(s for s, _ in stays), tuple(m for _, m in stays), jokers[0].reals),)
    else:
        groups = ()
    lay = frozenset[Tile]().union(*(price for _, price in choice))
    return _Case(groups, tuple(sorted(freed, key=sorted)), lay, wild)


def _order(case: _Case) -> tuple[int, int, tuple[Group, ...], list[list[Tile]], list[list[Tile]], list[Tile]]:
    wild = _by_name(case.wild)
    return len(wild), len(case.freed), case.groups, _by_name(case.freed), wild, sorted(case.lay)


def _choices(
    joker: TableJoker, on_table: frozenset[Tile], at_hand: frozenset[Tile], wild: bool
) -> list[tuple[Tile, frozenset[Tile]]]:
    """(tile that it stays as, JOKER when wild, "" when freed; rack tiles that must be laid for it)."""
    stays = [(tile, frozenset[Tile]()) for tile in (*sorted(joker.meanings), *[JOKER] * wild)]
    prices = [price - on_table for price in joker.prices]
    if any(not price for price in prices):
        return [*stays, ("", frozenset())]
    return [*stays, *(("", price) for price in prices if price <= at_hand)]


def _apply(problem: Problem, case: _Case, kept: int) -> Problem | None:
    """The count problem of a case of which so many more jokers are kept."""
    part = problem.copy()
    for group in case.groups:
        for tile in group.stays:
            part.must[cell(tile)] += 1
            part.stays.append(tile)
            part.jokers_must -= 1
    if not part.at_most(JOKER, -kept) if kept else False:
        return None
    part.keep = 0
    for tile in sorted(case.lay - set(part.laid)):
        if not part.lay(tile):
            return None
    return part
