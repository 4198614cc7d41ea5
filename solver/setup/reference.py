"""The naive search: every arrangement of every choice of tiles is tried against the words of the rules.

Short and slow on purpose. It is the oracle of the tests and the baseline of the benchmarks; it shares nothing with
verify.py or the kernels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, permutations

from ..errors import IllegalPosition
from .position import Move, Position
from .rules import HAND, Rules

Tops = Mapping[str, str]


def legal_moves(position: Position) -> Iterator[Move]:
    """All plays with their points and bonus, then all swaps, each once. IllegalPosition if the position is."""
    if problems := position.problems():
        raise IllegalPosition(problems)
    hand = position.rack + position.common
    squares = open_squares(position)
    for count in range(1, min(len(hand), len(squares)) + 1):
        for tiles in combinations(hand, count):
            # A set is of one number or of one suit, so other choices cannot lie in one set.
            if len({_number(tile) for tile in tiles}) > 1 and len({_suit(tile) for tile in tiles}) > 1:
                continue
            for chosen in permutations(squares, count):
                counted = count_play(position, dict(zip(chosen, tiles, strict=True)))
                if counted is not None:
                    yield Move(zip(tiles, chosen, strict=True), (), *counted)
    for count in range(1, min(HAND, len(position.rack)) + 1):
        for tiles in combinations(position.rack, count):
            yield Move((), tiles)


def best_value(position: Position, objective: str = "points") -> float | None:
    """The best value of any move for `points` or `margin`; None if there is no move."""
    return max((move_value(position, move, objective) for move in legal_moves(position)), default=None)


def move_value(position: Position, move: Move, objective: str) -> float:
    """Points, or points minus the bonus given away divided by the number of opponents. A swap is worth 0.

    With `teams` the partner's bonus counts for the mover's team.
    """
    points, bonus = move.points or 0, move.bonus or {}
    if objective == "points":
        return points
    seats = position.seats
    partner = seats[(seats.index(position.to) + 2) % 4] if position.rules.teams else ""
    opponents = len(seats) - 1 - len(partner)
    against = sum(count for seat, count in bonus.items() if seat != partner)
    return points + bonus.get(partner, 0) - against / opponents


def open_squares(position: Position) -> list[str]:
    """Squares that the mover may place on."""
    graph, rules = position.rules.graph, position.rules
    return [
        square
        for square, owner in zip(graph.squares, graph.owners, strict=True)
        if owner == position.to or owner not in tuple(position.seats) or rules.on_opponents == "allowed"
    ]


def count_play(position: Position, placed: Mapping[str, str]) -> tuple[int, dict[str, int]] | None:
    """Points and bonus of tiles placed by square, or None where they do not all belong to one set."""
    rules = position.rules
    sets = all_sets(rules, {**position.tops, **placed})
    new = frozenset(placed)
    if not any(new <= one for one in sets):
        return None
    counting = [one for one in sets if one & new]
    union = frozenset().union(*counting)
    if rules.scoring == "per_set":
        points = sum(map(len, counting))
    elif rules.scoring == "placed_plus_sets":
        points = len(placed) + len(union)
    else:
        points = len(union)
    owner = dict(zip(rules.graph.squares, rules.graph.owners, strict=True))
    bonus: dict[str, int] = {}
    gifts = list(union) if rules.bonus == "per_tile" else []
    if rules.on_opponents == "allowed":
        gifts += placed
    for square in gifts:
        if owner[square] in tuple(position.seats) and owner[square] != position.to:
            bonus[owner[square]] = bonus.get(owner[square], 0) + 1
    return points, bonus


def all_sets(rules: Rules, tops: Tops) -> list[frozenset[str]]:
    """All maximal sets of two tiles or more that show on a board, as sets of squares."""
    found: set[frozenset[str]] = set()
    for number in {_number(tile) for tile in tops.values()}:
        same = {square for square, tile in tops.items() if _number(tile) == number}
        found.update(_reach(rules, square, same) for square in same)
    for suit in {_suit(tile) for tile in tops.values()}:
        at = {_number(tile): square for square, tile in tops.items() if _suit(tile) == suit}
        runs = _blocks(rules, at) if rules.run_order == "block" else _paths(rules, at)
        found.update(run for run in runs if not any(run < other for other in runs))
    return [one for one in found if len(one) >= 2]


def _paths(rules: Rules, at: Mapping[int, str]) -> list[frozenset[str]]:
    """All paths of one suit on which the numbers go up by one; `at` maps the numbers that show to their squares."""
    paths = []
    for low in at:
        path = [at[low]]
        paths.append(frozenset(path))
        while (after := at.get(low + len(path))) is not None and _linked(rules, path[-1], after):
            path.append(after)
            paths.append(frozenset(path))
    return paths


def _blocks(rules: Rules, at: Mapping[int, str]) -> list[frozenset[str]]:
    """All connected blocks of one suit with consecutive numbers."""
    blocks = []
    for low in at:
        high = low
        while high in at:
            block = {at[number] for number in range(low, high + 1)}
            if _reach(rules, at[low], block) == block:
                blocks.append(frozenset(block))
            high += 1
    return blocks


def _reach(rules: Rules, start: str, within: set[str]) -> frozenset[str]:
    """The squares of `within` that are connected with `start`."""
    reached, todo = {start}, [start]
    while todo:
        square = todo.pop()
        new = {other for other in within - reached if _linked(rules, square, other)}
        reached |= new
        todo += new
    return frozenset(reached)


def _linked(rules: Rules, first: str, second: str) -> bool:
    return (first, second) in rules.graph.links or (second, first) in rules.graph.links


def _number(tile: str) -> int:
    return int(tile[:-1])


def _suit(tile: str) -> str:
    return tile[-1]
