"""Independent check of moves and scores, written from the rules; shares no code with search, kernel or reference."""

from __future__ import annotations

from ..errors import IllegalPosition, SolverError, UnsupportedRules, quote
from .position import Move, Position
from .rules import OPS

BONUS = {3: 1, 4: 3, 5: 6, 6: 10, 7: 15, 8: 20, 9: 25}
LAST_BONUS = 9
OBSERVED = {
    "jaguar": [0, 1, 2, 4, 7, 15],
    "ara": [0, 0, 4, 8, 12, 16],
    "toucan": [2, 4, 6, 8, 10, 12],
    "boa": [3, 6, 7, 8, 9, 10],
    "butterfly": [4, 5, 6, 7, 8, 9],
    "frog": [0, 0, 0, 10, 15, 20],
    "tamarind": [2, 4, 6, 8, 9, 10],
    "marmoset": [7, 9, 11, 13, 15, 17],
}


def verify(position: Position, move: Move) -> list[str]:
    """Everything that is wrong with the move, one sentence each; empty when it is legal.

    A position without a roll, or that has ended, has no legal moves. Raises IllegalPosition if the position itself
    breaks the rules, SolverError if it is none.
    """
    _check_type("position", position, Position)
    problems = position.problems()
    if problems:
        raise IllegalPosition(problems)
    if not isinstance(move, Move):
        return [f"move: must be a Move, not {quote(move)}"]
    if position.roll is None:
        return ["roll: the position has none"]
    if position.over:
        return ["position: the sheet has ended"]
    numbers = _numbers(*position.roll)
    number = numbers[move.op]
    if position.left[OPS.index(move.op)] == 0:
        problems.append(f"op: no box is left of {move.op}")
    if not 0 <= move.circle < position.sheet.circles:
        return [*problems, f"circle: there is no circle {move.circle}"]
    if position.cells[move.circle] is not None:
        return [*problems, f"circle: {move.circle} is filled already"]
    if move.circle not in _writable(position):
        problems.append(f"circle: {move.circle} touches no filled circle")
    if number > _limit(position, move.circle):
        problems += [f"links: a bad circle cannot be linked to {circle}" for circle in move.links]
        if position.rules.bad_circle == "forced_only":
            for op, left in zip(OPS, position.left, strict=True):
                for circle in _writable(position):
                    if left and numbers[op] <= _limit(position, circle):
                        return [*problems, f"circle: a bad circle is not forced, {op}@{circle} avoids it"]
        return problems
    return problems + _link_problems(position, move, number)


def _link_problems(position: Position, move: Move, number: int) -> list[str]:
    problems = []
    touching = [b if a == move.circle else a for a, b in position.sheet.edges if move.circle in (a, b)]
    can_below = [c for c in touching if position.cells[c] == number - 1 and c not in {a for a, _ in position.links}]
    can_above = [c for c in touching if position.cells[c] == number + 1 and c not in {b for _, b in position.links}]
    if position.rules.links == "free":
        can_below = can_above = []
    for circle in move.links:
        if circle not in can_below and circle not in can_above:
            problems.append(f"links: {number} at {move.circle} cannot be linked to {circle}")
    for what, able in ((number - 1, can_below), (number + 1, can_above)):
        drawn = [circle for circle in move.links if circle in able]
        if len(drawn) > 1:
            problems.append(f"links: at most one link to a {what}, not to {drawn}")
        if position.rules.links == "mandatory" and len(able) > 1 and not drawn:
            problems.append(f"links: one of {able} with {what} must be named")
    return problems


def verify_score(position: Position, total: int) -> list[str]:
    """What is wrong with a claimed score of a position with drawn links; empty when it is right.

    Under free links a score is right when no disjoint chains give more, which takes a search: UnsupportedRules. The
    chains of a layout are checked with `rules=optional` and the chains as links.
    """
    _check_type("position", position, Position)
    _check_type("total", total, int)
    if position.rules.links == "free":
        raise UnsupportedRules("links: a score is verified with its chains drawn, not under 'free'")
    problems = position.problems()
    if problems:
        return problems
    right = _score(position)
    return [] if right == total else [f"score: {quote(total)} is claimed, it is {right}"]


def _check_type(name: str, value: object, kind: type) -> None:
    if not isinstance(value, kind):
        raise SolverError(f"{name}: must be a {kind.__name__}, not {quote(value)}")


def _score(position: Position) -> int:
    up = dict(position.links)
    down = {high: low for low, high in position.links}
    score = 0
    scored = set()
    longest = 0
    for start in up:
        if start in down:
            continue
        chain = [start]
        while chain[-1] in up:
            chain.append(up[chain[-1]])
        scored.update(chain)
        top = position.cells[chain[-1]]
        assert isinstance(top, int)
        score += top + len(chain) - 1
        longest = max(longest, len(chain))
    parent = list(range(position.sheet.circles))

    def root(circle: int) -> int:
        while parent[circle] != circle:
            circle = parent[circle]
        return circle

    for a, b in position.sheet.edges:
        if isinstance(position.cells[a], int) and position.cells[a] == position.cells[b]:
            parent[root(a)] = root(b)
            scored.update((a, b))
    sizes: dict[int, int] = {}
    for circle, cell in enumerate(position.cells):
        if isinstance(cell, int):
            sizes[root(circle)] = sizes.get(root(circle), 0) + 1
    for circle, size in sizes.items():
        if size >= 2:
            cell = position.cells[circle]
            assert isinstance(cell, int)
            score += cell + size - 1
    spoiled = sum(cell is not None and circle not in scored for circle, cell in enumerate(position.cells))
    if position.rules.variant == "amazonia":
        for track, number in position.rules.observations:
            seen = sum(cell == number for cell in position.cells)
            score += ([0] + OBSERVED[track])[min(seen, 6)]
        return score - 5 * (spoiled + len(position.piranhas))
    return score + _bonus(longest) + _bonus(max(sizes.values(), default=0)) - 3 * spoiled


def _bonus(size: int) -> int:
    return BONUS.get(size, 0) if size <= LAST_BONUS else BONUS[LAST_BONUS] + 5 * (size - LAST_BONUS)


def _numbers(yellow: int, red: int) -> dict[str, int]:
    return {
        "low": min(yellow, red),
        "high": max(yellow, red),
        "diff": abs(yellow - red),
        "sum": yellow + red,
        "product": yellow * red,
    }


def _limit(position: Position, circle: int) -> int:
    return 6 if circle in position.sheet.dangerous else 12


def _writable(position: Position) -> list[int]:
    empty = [circle for circle, cell in enumerate(position.cells) if cell is None]
    if len(empty) == len(position.cells):
        return empty
    beside = {b for a, b in position.sheet.edges if position.cells[a] is not None}
    beside |= {a for a, b in position.sheet.edges if position.cells[b] is not None}
    return [circle for circle in empty if circle in beside]
