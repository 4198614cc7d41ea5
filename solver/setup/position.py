"""What a player sees (`Position`) and what he does (`Move`): immutable values with a text form of one line.

Position: `BOARD | RACK | COMMON | to=S seats=NESW scores=0,0,0,0 finish=60 [rules=TEXT]` with BOARD as
`b2:4H c2:7D/9S`: square, top tile, covered tiles behind `/` from the top down. Tiles are a number and a suit letter,
divided by blanks; `-` is an empty board, rack or common hand.
Move: `c2=4C b2=5H` (tile 4C to square c2, ...) or `swap 4C 5*`.

Values are canonical from the start: squares in the order of the board, tiles by number and suit, seats clockwise from
the north. So equal positions compare equal and have the same text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, Final, NamedTuple

from ..errors import IllegalPosition, ParseError, RulesError, check_keys, quote
from .board import SEATS
from .rules import DEFAULT_SUITS, HAND, MAX_RULES_TEXT, MAX_TILES, Rules

Tile = str
Stack = tuple[Tile, ...]

MAX_TEXT: Final = 20_000 + MAX_RULES_TEXT  # characters of one position or move
MAX_READ: Final = 1_000  # tiles or squares that are read at all, to list what is wrong with them
MAX_SCORE: Final = 1_000_000_000
MIN_PLAYERS: Final = 2
NO_TILE: Final = 255
"""Stands for an empty square in packed positions and for an unused place in records of plays."""
_TILE: Final = re.compile(r"([1-9][0-9]{0,3})(\S)")
_SQUARE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,15}", re.ASCII)
_SEAT: Final = re.compile(r"[A-Za-z]", re.ASCII)
_NUMBER: Final = re.compile(r"-?[0-9]{1,9}", re.ASCII)


class Packed(NamedTuple):
    """A legal position as the kernels take it; tiles are their place in `Rules.tiles`.

    tops: a byte for each square of the board, NO_TILE where it is empty. rack, common, covered: a byte for each tile.
    mover: place of the seat to move in SEATS. scores: by seat of SEATS, 0 for absent ones.
    """

    tops: bytes
    rack: bytes
    common: bytes
    covered: bytes
    mover: int
    scores: tuple[int, int, int, int]


class Position:
    """What the player to move knows: board with stacks, own rack, common hand, pawns. Immutable, hashable, canonical.

    board: a mapping or an iterable of pairs (square, stack), a stack any non-empty iterable of tiles, the top first.
    rack, common: iterables of tiles. to: the seat to move; seats: who plays, of N E S W. scores: steps of each pawn,
    in the order of `seats`. What breaks the rules is accepted and listed by `problems`; raises ParseError for what is
    no tile, square, seat or number at all.
    """

    __slots__ = ("_hash", "_packed", "_problems", "board", "common", "rack", "rules", "scores", "seats", "to")

    board: tuple[tuple[str, Stack], ...]
    rack: Stack
    common: Stack
    to: str
    seats: str
    scores: tuple[int, ...]
    rules: Rules
    _hash: int
    _problems: tuple[str, ...] | None
    _packed: Packed | None

    def __init__(
        self,
        board: Mapping[str, Iterable[Tile]] | Iterable[tuple[str, Iterable[Tile]]],
        rack: Iterable[Tile],
        common: Iterable[Tile],
        to: str,
        seats: str,
        scores: Iterable[int],
        rules: Rules,
    ) -> None:
        if not isinstance(rules, Rules):
            raise ParseError(f"rules: must be Rules, not {quote(rules)}")
        key = _tile_order(rules)
        place = {square: index for index, square in enumerate(rules.graph.squares)}
        stacks = sorted(
            _as_stacks(board), key=lambda entry: (place.get(entry[0], len(place)), entry[0], list(map(key, entry[1])))
        )
        read_seats, read_scores = _as_seats(seats), _as_scores(scores)
        if len(set(read_seats)) == len(read_seats) == len(read_scores) and set(read_seats) <= set(SEATS):
            by_seat = sorted(zip(read_seats, read_scores, strict=True), key=lambda pair: SEATS.index(pair[0]))
            read_seats = "".join(seat for seat, _ in by_seat)
            read_scores = tuple(score for _, score in by_seat)
        if not isinstance(to, str) or not _SEAT.fullmatch(to):
            raise ParseError(f"to: must be a seat of {SEATS}, not {quote(to)}")
        put = object.__setattr__
        put(self, "board", tuple(stacks))
        put(self, "rack", tuple(sorted(_as_tiles(rack, "rack"), key=key)))
        put(self, "common", tuple(sorted(_as_tiles(common, "common hand"), key=key)))
        put(self, "to", to)
        put(self, "seats", read_seats)
        put(self, "scores", read_scores)
        put(self, "rules", rules)
        put(self, "_hash", hash((self.board, self.rack, self.common, to, read_seats, read_scores)))
        put(self, "_problems", None)
        put(self, "_packed", None)

    @classmethod
    def parse(cls, text: str) -> Position:
        """Read the text form. ParseError names the field and what is wrong with it."""
        line = _line(text, "position")
        fields = [field.strip() for field in line.split("|")]
        if len(fields) != 4:
            raise ParseError(
                f"position: {quote(line)} has {len(fields) - 1} bars, the form is"
                " BOARD | RACK | COMMON | to=S seats=NESW scores=0,0,0,0 finish=60"
            )
        options = _read_options(fields[3])
        finish = _read_number(options["finish"], "finish") if "finish" in options else None
        rules = _read_rules(options.get("rules", "default"), finish)
        board = [] if fields[0] == "-" else [_read_stack(word) for word in _words(fields[0], "board")]
        scores = [_read_number(part, "scores") for part in options["scores"].split(",")]
        rack, common = _read_tiles(fields[1], "rack"), _read_tiles(fields[2], "common hand")
        return cls(board, rack, common, options["to"], options["seats"], scores, rules)

    def __str__(self) -> str:
        board = " ".join(f"{square}:{'/'.join(stack)}" for square, stack in self.board) or "-"
        tail = f"to={self.to} seats={self.seats} scores={','.join(map(str, self.scores))} finish={self.rules.finish}"
        rules = self.rules.text_without_finish()
        if rules != "default":
            tail += f" rules={rules}"
        return f"{board} | {' '.join(self.rack) or '-'} | {' '.join(self.common) or '-'} | {tail}"

    def __repr__(self) -> str:
        return f"Position.parse({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self._hash == other._hash and self._values() == other._values()

    def __hash__(self) -> int:
        return self._hash

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Position is immutable, {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Position is immutable, {name} cannot be deleted")

    def _values(self) -> tuple[Any, ...]:
        return (self.board, self.rack, self.common, self.to, self.seats, self.scores, self.rules)

    def __reduce__(self) -> tuple[type[Position], tuple[Any, ...]]:
        return type(self), self._values()

    @property
    def tops(self) -> dict[str, Tile]:
        """The tile that shows on each square that is not empty."""
        return {square: stack[0] for square, stack in self.board}

    @property
    def covered(self) -> Stack:
        """All tiles that lie under others, in canonical order."""
        return tuple(sorted((t for _, stack in self.board for t in stack[1:]), key=_tile_order(self.rules)))

    @property
    def unseen(self) -> Stack:
        """The tiles of the other racks and the bag together, in canonical order."""
        seen = {tile for _, stack in self.board for tile in stack}.union(self.rack, self.common)
        return tuple(tile for tile in self.rules.tiles if tile not in seen)

    def is_home(self, seat: str) -> bool:
        """Whether the pawn of a seated player has finished. ValueError for a seat that nobody sits at."""
        score = self.scores[self.seats.index(seat)]
        return score >= self.rules.finish if self.rules.finish_rule == "reach" else score > self.rules.finish

    @property
    def next_seat(self) -> str:
        """Who moves next: clockwise, pawns that are home left out (`teams`)."""
        at = self.seats.index(self.to)
        others = self.seats[at + 1 :] + self.seats[:at]
        return next((seat for seat in others if not self.is_home(seat)), self.to)

    def problems(self) -> list[str]:
        """Everything that breaks the rules, one sentence each, in a fixed order; empty for a legal position."""
        if self._problems is None:
            object.__setattr__(self, "_problems", tuple(_problems(self)))
        return list(self._problems or ())

    def packed(self) -> Packed:
        """The position for the kernels (built once); IllegalPosition if it breaks rules."""
        if self._packed is None:
            if problems := self.problems():
                raise IllegalPosition(problems)
            object.__setattr__(self, "_packed", _pack(self))
        assert self._packed is not None
        return self._packed

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; the rules as text with their finish."""
        return {
            "board": {square: list(stack) for square, stack in self.board},
            "rack": list(self.rack),
            "common": list(self.common),
            "to": self.to,
            "seats": self.seats,
            "scores": list(self.scores),
            "rules": str(self.rules),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Position:
        """The inverse of `to_dict`; `rules` may also be a mapping of fields. ParseError for what cannot be read."""
        check_keys(values, "position", ("board", "rack", "common", "to", "seats", "scores", "rules"), ())
        rules = values["rules"]
        try:
            read = Rules.parse(rules) if isinstance(rules, str) else Rules.from_dict(rules)
        except RulesError as error:
            raise ParseError(str(error)) from error
        board, rack, common, to, seats, scores = map(
            values.__getitem__, ("board", "rack", "common", "to", "seats", "scores")
        )
        return cls(board, rack, common, to, seats, scores, read)


class Move:
    """A play or a swap. Immutable, hashable, canonical; says nothing of legality.

    placements: pairs (tile, square) of a play. swap: the rack tiles of a swap. One of them is empty. points: of the
    mover; bonus: points of other seats, those with 0 left out; both None where nobody has counted them, and left out
    of comparisons, because placements and position determine them. ParseError for what is no move.
    """

    __slots__ = ("_bonus", "placements", "points", "swap")

    placements: tuple[tuple[Tile, str], ...]
    swap: Stack
    points: int | None
    _bonus: tuple[tuple[str, int], ...] | None

    def __init__(
        self,
        placements: Iterable[tuple[Tile, str]] = (),
        swap: Iterable[Tile] = (),
        points: int | None = None,
        bonus: Mapping[str, int] | None = None,
    ) -> None:
        placed = tuple(sorted(_as_placements(placements), key=lambda pair: (_plain_key(pair[0]), pair[1])))
        swapped = tuple(sorted(_as_tiles(swap, "swap"), key=_plain_key))
        if bool(placed) == bool(swapped):
            raise ParseError("move: must either place tiles or swap tiles")
        if points is not None:
            _check_points(points, "points")
        if bonus is not None:
            if not isinstance(bonus, Mapping):
                raise ParseError(f"bonus: must be a mapping of seats, not {quote(bonus)}")
            for seat, given in bonus.items():
                if not isinstance(seat, str) or seat not in tuple(SEATS):
                    raise ParseError(f"bonus: {quote(seat)} is no seat of {SEATS}")
                _check_points(given, f"bonus: {seat}")
        put = object.__setattr__
        put(self, "placements", placed)
        put(self, "swap", swapped)
        put(self, "points", points)
        put(self, "_bonus", None if bonus is None else tuple((s, bonus[s]) for s in SEATS if bonus.get(s)))

    @classmethod
    def counted(cls, placements: list[tuple[Tile, str]], points: int, bonus: list[tuple[str, int]]) -> Move:
        """A play that a search has found and counted; nothing is checked. bonus: by seat, clockwise from the north."""
        move = object.__new__(cls)
        if len(placements) > 1:
            placements.sort(key=lambda pair: (_plain_key(pair[0]), pair[1]))
        put = object.__setattr__
        put(move, "placements", tuple(placements))
        put(move, "swap", ())
        put(move, "points", points)
        put(move, "_bonus", tuple(bonus))
        return move

    @property
    def bonus(self) -> dict[str, int] | None:
        """Points given to other seats, clockwise from the north; None where nobody has counted them."""
        return None if self._bonus is None else dict(self._bonus)

    @property
    def tiles(self) -> Stack:
        """The tiles placed or swapped."""
        return self.swap or tuple(tile for tile, _ in self.placements)

    @classmethod
    def parse(cls, text: str, rules: Rules | None = None) -> Move:
        """Read `SQUARE=TILE ...` or `swap TILE ...`. ParseError names the word that cannot be read.

        rules: as in other games; the text of a move is the same under all rules of this one.
        """
        words = _line(text, "move").split()
        if words and words[0] == "swap":
            return cls((), [_read_tile(word, "swap") for word in words[1:]])
        placements = []
        for word in words:
            square, equals, tile = word.partition("=")
            if not equals:
                raise ParseError(f"move: {quote(word)} is not of the form SQUARE=TILE")
            placements.append((tile, square))
        return cls(placements)

    def __str__(self) -> str:
        if self.swap:
            return f"swap {' '.join(self.swap)}"
        return " ".join(f"{square}={tile}" for tile, square in self.placements)

    def __repr__(self) -> str:
        return f"Move.parse({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Move):
            return NotImplemented
        return self.placements == other.placements and self.swap == other.swap

    def __hash__(self) -> int:
        return hash((self.placements, self.swap))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Move is immutable, {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Move is immutable, {name} cannot be deleted")

    def __reduce__(self) -> tuple[type[Move], tuple[Any, ...]]:
        return type(self), (self.placements, self.swap, self.points, self.bonus)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "placements": [{"tile": tile, "square": square} for tile, square in self.placements],
            "swap": list(self.swap),
            "points": self.points,
            "bonus": self.bonus,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Move:
        """The inverse of `to_dict`; every field may be absent. ParseError for what cannot be read."""
        check_keys(values, "move", (), ("placements", "swap", "points", "bonus"))
        placements = values.get("placements", ())
        if isinstance(placements, str) or not isinstance(placements, Iterable):
            raise ParseError(f"placements: must be a sequence, not {quote(placements)}")
        pairs = []
        for entry in islice(placements, MAX_READ):
            check_keys(entry, "placement", ("tile", "square"), ())
            pairs.append((entry["tile"], entry["square"]))
        return cls(pairs, values.get("swap", ()), values.get("points"), values.get("bonus"))


def _pack(position: Position) -> Packed:
    rules = position.rules
    index = rules.tile_index
    tops = position.tops
    scores = dict(zip(position.seats, position.scores, strict=True))
    return Packed(
        bytes(index[tops[square]] if square in tops else NO_TILE for square in rules.graph.squares),
        bytes(index[tile] for tile in position.rack),
        bytes(index[tile] for tile in position.common),
        bytes(index[tile] for tile in position.covered),
        SEATS.index(position.to),
        (scores.get("N", 0), scores.get("E", 0), scores.get("S", 0), scores.get("W", 0)),
    )


def _problems(position: Position) -> list[str]:
    rules = position.rules
    return [*_seat_problems(position), *_tile_problems(position, rules)]


def _seat_problems(position: Position) -> list[str]:
    rules, seats = position.rules, position.seats
    found = [f"seats: {quote(seat)} is no seat of {SEATS}" for seat in seats if seat not in SEATS]
    found += [f"seats: {seat} is there twice" for seat in SEATS if seats.count(seat) > 1]
    if len(seats) < MIN_PLAYERS:
        found.append(f"seats: at least {MIN_PLAYERS} players are needed, not {quote(seats)}")
    if position.to not in SEATS:
        found.append(f"to: {quote(position.to)} is no seat of {SEATS}")
    elif position.to not in seats:
        found.append(f"to: nobody sits at {position.to} (seats={quote(seats)[1:-1]})")
    if len(position.scores) != len(seats):
        found.append(f"scores: {len(position.scores)} for {len(seats)} seats")
    found += [f"scores: {score} is below 0" for score in position.scores if score < 0]
    if rules.teams and seats != SEATS:
        found.append(f"teams: need all of {SEATS}, not {quote(seats)[1:-1]}")
    if found:
        return found
    home = [seat for seat in seats if position.is_home(seat)]
    if len(home) >= (3 if rules.teams else 1):
        found.append(f"scores: the game is over, home at finish {rules.finish}: {' '.join(home)}")
    elif position.to in home:
        found.append(f"to: the pawn of {position.to} is home and plays no more")
    return found


def _tile_problems(position: Position, rules: Rules) -> list[str]:
    found = []
    squares = [square for square, _ in position.board]
    known = set(rules.graph.squares)
    for square in dict.fromkeys(squares):
        if square not in known:
            found.append(f"board: square {square} does not exist")
        if squares.count(square) > 1:
            found.append(f"board: square {square} is there twice")
    places: dict[Tile, list[str]] = {}
    for square, stack in position.board:
        for depth, tile in enumerate(stack):
            places.setdefault(tile, []).append(f"under {square}" if depth else f"on {square}")
    for name, tiles in (("in the rack", position.rack), ("in the common hand", position.common)):
        for tile in tiles:
            places.setdefault(tile, []).append(name)
    for tile in sorted(places, key=_tile_order(rules)):
        if tile not in rules.tile_index:
            found.append(f"tiles: {quote(tile)} ({places[tile][0]}) is no tile of these rules")
        if len(places[tile]) > 1:
            found.append(f"tiles: {quote(tile)[1:-1]} is there {len(places[tile])} times: {', '.join(places[tile])}")
    if len(position.rack) > HAND:
        found.append(f"rack: {len(position.rack)} tiles are more than {HAND}")
    if len(position.common) > HAND:
        found.append(f"common hand: {len(position.common)} tiles are more than {HAND}")
    return found


def _plain_key(tile: Tile) -> tuple[int, int, str]:
    """Order of tiles where the rules are not known: number, then the default suits, then other letters."""
    place = DEFAULT_SUITS.find(tile[-1])
    return int(tile[:-1]), place if place >= 0 else len(DEFAULT_SUITS), tile[-1]


def _tile_order(rules: Rules) -> Callable[[Tile], tuple[int, int, int, str]]:
    """Order of tiles under the rules: as in `Rules.tiles`, then those that the rules do not have."""
    index = rules.tile_index
    return lambda tile: (index.get(tile, MAX_TILES), *_plain_key(tile))


def _as_stacks(board: object) -> list[tuple[str, Stack]]:
    if isinstance(board, Mapping):
        board = board.items()
    if isinstance(board, (str, bytes)) or not isinstance(board, Iterable):
        raise ParseError(f"board: must map squares to stacks, not {quote(board)}")
    stacks = []
    for entry in islice(board, MAX_READ + 1):
        if not isinstance(entry, (tuple, list)) or len(entry) != 2:
            raise ParseError(f"board: {quote(entry)} is no pair of square and stack")
        square = _as_square(entry[0], "board")
        stack = _as_tiles(entry[1], f"square {square}")
        if not stack:
            raise ParseError(f"square {square}: has no tiles")
        stacks.append((square, tuple(stack)))
    if len(stacks) > MAX_READ:
        raise ParseError(f"board: more than {MAX_READ} squares")
    return stacks


def _as_square(value: object, where: str) -> str:
    if not isinstance(value, str) or not _SQUARE.fullmatch(value):
        raise ParseError(f"{where}: {quote(value)} is no name of a square")
    return str(value)


def _as_tiles(tiles: object, where: str) -> list[Tile]:
    if isinstance(tiles, (str, bytes)) or not isinstance(tiles, Iterable):
        raise ParseError(f"{where}: must be a sequence of tiles, not {quote(tiles)}")
    read = [_read_tile(tile, where) for tile in islice(tiles, MAX_READ + 1)]
    if len(read) > MAX_READ:
        raise ParseError(f"{where}: more than {MAX_READ} tiles")
    return read


def _as_placements(placements: object) -> list[tuple[Tile, str]]:
    if isinstance(placements, (str, bytes)) or not isinstance(placements, Iterable):
        raise ParseError(f"move: must be a sequence of pairs (tile, square), not {quote(placements)}")
    read = []
    for pair in islice(placements, MAX_READ + 1):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ParseError(f"move: {quote(pair)} is no pair (tile, square)")
        read.append((_read_tile(pair[0], "move"), _as_square(pair[1], "move")))
    if len(read) > MAX_READ:
        raise ParseError(f"move: more than {MAX_READ} tiles")
    return read


def _check_points(value: object, what: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MAX_SCORE:
        raise ParseError(f"{what}: must be a whole number up to {MAX_SCORE}, not {quote(value)}")


def _as_seats(seats: object) -> str:
    if not isinstance(seats, str) or not 1 <= len(seats) <= MAX_READ or not all(map(_SEAT.fullmatch, seats)):
        raise ParseError(f"seats: must be letters of {SEATS}, not {quote(seats)}")
    return seats


def _as_scores(scores: object) -> tuple[int, ...]:
    if isinstance(scores, (str, bytes)) or not isinstance(scores, Iterable):
        raise ParseError(f"scores: must be a sequence of numbers, not {quote(scores)}")
    read = []
    for score in islice(scores, MAX_READ):
        if isinstance(score, bool) or not isinstance(score, int) or abs(score) > MAX_SCORE:
            raise ParseError(f"scores: {quote(score)} is no whole number up to {MAX_SCORE}")
        read.append(int(score))
    return tuple(read)


def _line(text: object, what: str) -> str:
    """The text after the checks of the whole; ParseError if it is none, too long or has control characters."""
    if not isinstance(text, str):
        raise ParseError(f"{what}: must be text, not {quote(text)}")
    if len(text) > MAX_TEXT:
        raise ParseError(f"{what}: {len(text)} characters are more than {MAX_TEXT}: {quote(text)}")
    line = text.strip().replace("\t", " ")
    if not line.isprintable():
        raise ParseError(f"{what}: has characters that cannot be read: {quote(line)}")
    return line


def _words(text: str, field: str) -> list[str]:
    words = text.split()
    if not words:
        raise ParseError(f"{field}: empty, no tiles are written as -")
    return words


def _read_tile(word: object, where: str) -> Tile:
    if not isinstance(word, str) or not _TILE.fullmatch(word):
        raise ParseError(f"{where}: {quote(word)} is no tile (a number and a suit letter, as 4H)")
    return str(word)


def _read_tiles(text: str, where: str) -> list[Tile]:
    words = _words(text, where)
    return [] if words == ["-"] else [_read_tile(word, where) for word in words]


def _read_stack(word: str) -> tuple[str, list[Tile]]:
    square, colon, stack = word.partition(":")
    if not colon:
        raise ParseError(f"board: {quote(word)} is not of the form SQUARE:TILE/TILE")
    _as_square(square, "board")
    return square, [_read_tile(tile, f"square {square}") for tile in stack.split("/")]


def _read_number(text: str, field: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise ParseError(f"{field}: {quote(text)} is no whole number")
    return int(text)


def _read_options(text: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if not equals or name not in ("to", "seats", "scores", "finish", "rules"):
            raise ParseError(f"position: {quote(word)} is none of to=, seats=, scores=, finish=, rules=")
        if name in options:
            raise ParseError(f"{name}: given twice in {quote(text)}")
        options[name] = value
    for name in ("to", "seats", "scores"):
        if name not in options:
            raise ParseError(f"{name}: is missing in {quote(text)}")
    return options


@lru_cache(maxsize=256)
def _read_rules(text: str, finish: int | None) -> Rules:
    try:
        # The rules of the tail may name the finish too, if they mean the same.
        within = "finish=" in text
        rules = Rules.parse(text, finish=None if within else finish)
        if within and finish is not None and rules.finish != finish:
            raise ParseError(f"finish: {finish}, but {rules.finish} in rules={quote(text)[1:-1]}")
        return rules
    except RulesError as error:
        raise ParseError(str(error)) from error
