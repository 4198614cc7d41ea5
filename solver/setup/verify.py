"""An independent referee: is this move legal, and what does it score? Shares no code with search, kernels or reference.

It looks only at the board after the play: components by union of links, runs from each tile outwards.
"""

from __future__ import annotations

from ..errors import IllegalPosition, SolverError, quote
from .position import Move, Position

MOST_SWAPPED = 4
MOST_PLACED = 8


def verify(position: Position, move: Move) -> list[str]:
    """Everything that is wrong with the move, one sentence each; empty when it is legal.

    Points and bonus are checked too where the move states them. Raises IllegalPosition if the position breaks the
    rules, SolverError if it is none.
    """
    if not isinstance(position, Position):
        raise SolverError(f"position: must be a Position, not {quote(position)}")
    if problems := position.problems():
        raise IllegalPosition(problems)
    if not isinstance(move, Move):
        return [f"move: must be a Move, not {quote(move)}"]
    if move.swap:
        return _swap_problems(position, move)
    found = _placement_problems(position, move)
    if found:
        return found
    new, sets = _new_and_sets(position, move)
    if not any(new <= members for members in sets):
        return [f"{move}: the tiles do not all belong to one set of two tiles or more"]
    points, bonus = _count(position, new, sets)
    if move.points is not None and move.points != points:
        found.append(f"points: {move.points} are stated, the play scores {points}")
    if move.bonus is not None and move.bonus != bonus:
        found.append(f"bonus: {quote(move.bonus)} is stated, the play gives {bonus}")
    return found


def score(position: Position, move: Move) -> tuple[int, dict[str, int]]:
    """Points of the mover and bonus by seat. Raises IllegalPosition for a position or a move that is not legal."""
    if not isinstance(move, Move):
        raise SolverError(f"move: must be a Move, not {quote(move)}")
    plain = Move(move.placements, move.swap)
    if problems := verify(position, plain):
        raise IllegalPosition(problems)
    return (0, {}) if move.swap else _count(position, *_new_and_sets(position, move))


def _swap_problems(position: Position, move: Move) -> list[str]:
    found = [f"swap: {quote(tile)} is not in the rack" for tile in move.swap if tile not in position.rack]
    found += [f"swap: {quote(tile)} is there twice" for tile in set(move.swap) if move.swap.count(tile) > 1]
    if len(move.swap) > MOST_SWAPPED:
        found.append(f"swap: {len(move.swap)} tiles are more than {MOST_SWAPPED}")
    if move.points:
        found.append(f"points: {move.points} are stated, a swap scores 0")
    if move.bonus:
        found.append(f"bonus: {quote(move.bonus)} is stated, a swap gives none")
    return found


def _placement_problems(position: Position, move: Move) -> list[str]:
    board = position.rules.graph
    seen_tiles: set[str] = set()
    seen_squares: set[str] = set()
    found = []
    if len(move.placements) > MOST_PLACED:
        found.append(f"{len(move.placements)} tiles are more than {MOST_PLACED}")
    for tile, square in move.placements:
        if tile not in position.rack and tile not in position.common:
            found.append(f"{tile}: is neither in the rack nor in the common hand")
        if tile in seen_tiles:
            found.append(f"{tile}: is placed twice")
        if square in seen_squares:
            found.append(f"{square}: two tiles are placed there")
        seen_tiles.add(tile)
        seen_squares.add(square)
        if square not in board.squares:
            found.append(f"{square}: does not exist")
        elif _owner(position, square) and position.rules.on_opponents == "forbidden":
            found.append(f"{square}: belongs to {_owner(position, square)}")
    return found


def _owner(position: Position, square: str) -> str:
    """The other player whose square it is; "" for common squares, own ones and those of absent sides."""
    board = position.rules.graph
    owner = board.owners[board.squares.index(square)]
    return owner if owner and owner in position.seats and owner != position.to else ""


def _new_and_sets(position: Position, move: Move) -> tuple[set[str], list[set[str]]]:
    """Squares of the new tiles, and the sets after the play, as sets of squares."""
    shown = position.tops
    for tile, square in move.placements:
        shown[square] = tile
    board = position.rules.graph
    links = [link for link in board.links if link[0] in shown and link[1] in shown]
    sets = _merge(shown, [link for link in links if shown[link[0]][:-1] == shown[link[1]][:-1]])
    same_suit = [link for link in links if shown[link[0]][-1] == shown[link[1]][-1]]
    value = {square: int(tile[:-1]) for square, tile in shown.items()}
    if position.rules.run_order == "monotone":
        # Tiles are unique, so steps of one join at most one lower and one higher neighbour: components are paths.
        sets += _merge(shown, [link for link in same_suit if abs(value[link[0]] - value[link[1]]) == 1])
    else:
        sets += _blocks(shown, same_suit, value)
    return {square for _, square in move.placements}, [members for members in sets if len(members) > 1]


def _merge(squares: dict[str, str], links: list[tuple[str, str]]) -> list[set[str]]:
    """Components of the squares under the links."""
    group = {square: {square} for square in squares}
    for first, second in links:
        if group[first] is not group[second]:
            joined = group[first] | group[second]
            for square in joined:
                group[square] = joined
    unique = {id(members): members for members in group.values()}
    return list(unique.values())


def _blocks(shown: dict[str, str], links: list[tuple[str, str]], value: dict[str, int]) -> list[set[str]]:
    """Maximal connected blocks with consecutive numbers.

    From the components of the suits downwards: what is no block is cut where numbers are missing and then into its
    connected parts, until all parts are blocks. No cut can go through a block.
    """
    done, todo = [], _merge(shown, links)
    while todo:
        part = todo.pop()
        ordered = sorted(part, key=value.__getitem__)
        pieces: list[list[str]] = []
        for square in ordered:
            if pieces and value[square] == value[pieces[-1][-1]] + 1:
                pieces[-1].append(square)
            else:
                pieces.append([square])
        if len(pieces) == 1:
            done.append(part)
            continue
        for piece in pieces:
            inside = {square: shown[square] for square in piece}
            todo += _merge(inside, [link for link in links if link[0] in inside and link[1] in inside])
    return done


def _count(position: Position, new: set[str], sets: list[set[str]]) -> tuple[int, dict[str, int]]:
    rules = position.rules
    scoring = [members for members in sets if members & new]
    scored = set().union(*scoring)
    points = {
        "union": len(scored),
        "per_set": sum(len(members) for members in scoring),
        "placed_plus_sets": len(new) + len(scored),
    }[rules.scoring]
    bonus: dict[str, int] = {}
    for square in rules.graph.squares:
        owner = _owner(position, square)
        gift = (rules.bonus == "per_tile" and square in scored) + (rules.on_opponents == "allowed" and square in new)
        if owner and gift:
            bonus[owner] = bonus.get(owner, 0) + gift
    return points, bonus
