"""The readable twin of the kernels: plays the rules out literally, slowly, sharing nothing with kernel or verify.

Oracle of the tests and baseline of the benchmarks. Everything is exponential: meant for few empty circles.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from .position import Cell, Move, Position
from .rules import OPS, TRACKS
from .sheets import Sheet

Chain = tuple[int, ...]


def outcome(op: str, yellow: int, red: int) -> int:
    """The number that an operation gives."""
    if op == "low":
        return yellow if yellow < red else red
    if op == "high":
        return yellow if yellow > red else red
    if op == "diff":
        return yellow - red if yellow > red else red - yellow
    return yellow + red if op == "sum" else yellow * red


def legal_moves(position: Position) -> Iterator[Move]:
    """Every legal move of a position with a roll."""
    for move, _ in successors(position):
        yield move


def successors(position: Position) -> Iterator[tuple[Move, Position]]:
    """Every legal move with the position after it, which has no roll."""
    if position.roll is None or position.over:
        return
    options = []
    for op_index, op in enumerate(OPS):
        if position.left[op_index] > 0:
            result = outcome(op, *position.roll)
            for circle in range(position.sheet.circles):
                if position.cells[circle] is None and _reachable(position, circle):
                    limit = 6 if circle in position.sheet.dangerous else 12
                    options.append((op_index, circle, result if result <= limit else None))
    forced = not any(number is not None for _, _, number in options)
    for op_index, circle, number in options:
        if number is None and not forced and position.rules.bad_circle == "forced_only":
            continue
        left = tuple(boxes - (index == op_index) for index, boxes in enumerate(position.left))
        cells: list[Cell] = list(position.cells)
        cells[circle] = "X" if number is None else number
        bitten = position.piranhas
        if circle in position.sheet.river and OPS[op_index] != "high":
            bitten += (circle,)
        for named, drawn in _ways_to_link(position, circle, number):
            after = Position(position.sheet, tuple(cells), left, position.links + drawn, None, position.rules, bitten)
            yield Move(OPS[op_index], circle, named), after


def _reachable(position: Position, circle: int) -> bool:
    if all(cell is None for cell in position.cells):
        return True
    return any(position.cells[near] is not None for near in position.sheet.near[circle])


def _ways_to_link(
    position: Position, circle: int, number: int | None
) -> Iterator[tuple[tuple[int, ...], tuple[tuple[int, int], ...]]]:
    """(The links that a move must name, all links drawn) for every way to link the number."""
    if number is None or position.rules.links == "free":
        yield (), ()
        return
    down: list[int | None] = []
    up: list[int | None] = []
    for near in sorted(position.sheet.near[circle]):
        if position.cells[near] == number - 1 and all(low != near for low, _ in position.links):
            down.append(near)
        if position.cells[near] == number + 1 and all(high != near for _, high in position.links):
            up.append(near)
    for able in (down, up):
        if not able or position.rules.links == "optional":
            able.append(None)
    for below, above in product(down, up):
        named = [near for near, able in ((below, down), (above, up)) if near is not None and len(able) > 1]
        drawn = []
        if below is not None:
            drawn.append((below, circle))
        if above is not None:
            drawn.append((circle, above))
        yield tuple(named), tuple(drawn)


def score(position: Position) -> int:
    """The score of the sheet as it stands; under free links of its best layout."""
    if position.rules.links == "free":
        return best_layout(position.sheet, position.cells)[0]
    chains = _chains(position.links)
    if position.rules.variant == "amazonia":
        return amazonia_score(position, chains)
    return layout_score(position.sheet, position.cells, chains)


def amazonia_score(position: Position, chains: list[Chain]) -> int:
    """The score under the rules of Amazonia."""
    cells = position.cells
    zones = areas(position.sheet, cells)
    total = sum(max(_held(cells, circle) for circle in chain) + len(chain) - 1 for chain in chains)
    total += sum(_held(cells, min(zone)) + len(zone) - 1 for zone in zones)
    for track, number in position.rules.observations:
        points = 0
        for copy in range(cells.count(number)):
            points = TRACKS[track][copy] if copy < len(TRACKS[track]) else points
        total += points
    for circle, cell in enumerate(cells):
        if cell == "X" or (cell is not None and not any(circle in group for group in (*chains, *zones))):
            total -= 5
        if circle in position.piranhas:
            total -= 5
    return total


def _chains(links: tuple[tuple[int, int], ...]) -> list[Chain]:
    chains: list[Chain] = list(links)
    joined = True
    while joined:
        joined = False
        for first in chains:
            for second in chains:
                if first[-1] == second[0]:
                    chains.remove(first)
                    chains.remove(second)
                    chains.append(first + second[1:])
                    joined = True
                    break
            if joined:
                break
    return chains


def areas(sheet: Sheet, cells: tuple[Cell, ...]) -> list[frozenset[int]]:
    """All areas of at least two circles."""
    found: list[frozenset[int]] = []
    for circle, cell in enumerate(cells):
        if not isinstance(cell, int) or any(circle in area for area in found):
            continue
        area = {circle}
        while True:
            more = {near for member in area for near in sheet.near[member] if cells[near] == cell}
            if more <= area:
                break
            area |= more
        if len(area) > 1:
            found.append(frozenset(area))
    return found


def layout_score(sheet: Sheet, cells: tuple[Cell, ...], chains: list[Chain]) -> int:
    """The score with these chains."""
    total = 0
    for chain in chains:
        total += max(_held(cells, circle) for circle in chain) + len(chain) - 1
    zones = areas(sheet, cells)
    for zone in zones:
        total += _held(cells, min(zone)) + len(zone) - 1
    total += bonus(max(map(len, chains), default=0)) + bonus(max(map(len, zones), default=0))
    for circle, cell in enumerate(cells):
        if cell is None:
            continue
        if cell == "X" or not any(circle in group for group in (*chains, *zones)):
            total -= 3
    return total


def _held(cells: tuple[Cell, ...], circle: int) -> int:
    cell = cells[circle]
    assert isinstance(cell, int)
    return cell


def bonus(size: int) -> int:
    """Points for the longest chain or the largest area by its size."""
    points = [0, 0, 0, 1, 3, 6, 10, 15, 20, 25]
    return points[size] if size < len(points) else points[-1] + 5 * (size + 1 - len(points))


def best_layout(sheet: Sheet, cells: tuple[Cell, ...]) -> tuple[int, int]:
    """(Highest score over all sets of disjoint chains, number of sets that reach it), by trying them all."""
    steps = [
        (low, high)
        for low in range(sheet.circles)
        for high in sorted(sheet.near[low])
        if isinstance(cells[low], int) and isinstance(cells[high], int) and _held(cells, high) == _held(cells, low) + 1
    ]
    best = -(10**9)
    count = 0

    def choose(index: int, links: tuple[tuple[int, int], ...]) -> None:
        nonlocal best, count
        if index == len(steps):
            value = layout_score(sheet, cells, _chains(links))
            if value > best:
                best, count = value, 0
            count += value == best
            return
        low, high = steps[index]
        choose(index + 1, links)
        if all(low != a and high != b for a, b in links):
            choose(index + 1, (*links, (low, high)))

    choose(0, ())
    return best, count


def value(position: Position, target: int | None = None) -> Fraction:
    """Expected final score under best play, or P(score >= target); before the roll if the position has none."""
    if position.over:
        final = score(position)
        return Fraction(final if target is None else int(final >= target))
    if position.roll is not None:
        return max(value(after, target) for _, after in successors(position))
    rolls = [(yellow, red) for yellow in range(6) for red in range(1, 7)]
    return sum((value(position.with_roll(roll), target) for roll in rolls), Fraction(0)) / len(rolls)


def best_move(position: Position, target: int | None = None) -> Move | None:
    """The first move with the highest value; None when there is none."""
    moves = [(value(after, target), move) for move, after in successors(position)]
    return max(moves, key=lambda pair: pair[0])[1] if moves else None
