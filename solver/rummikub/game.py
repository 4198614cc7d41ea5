"""Whole games from the deal to the scores: immutable states, what each seat sees of them, and what is laid or drawn.

How the rules are read where their text leaves room:

- The deal gives one tile after the other, to seat 0, 1, 2, ... in turn, each an event of chance.
- `first_player`: with `highest_tile` every player draws a tile, the highest begins, ties draw again, and all tiles go
  back. That is as likely to be any seat, so it is one event of chance before the deal, as is `random`. With
  `highest_triple` it is decided after the deal: who holds three tiles of one number in different colours, the number
  as high as can be (jokers do not help); among several, or if nobody does, it is drawn by lot.
- `must_play`: who can lay something may neither draw nor pass. `forced`: the same, once the pool is empty.
- A player who fails (`Idle.FAIL`: his manipulation came to nothing, or his time ran out; the clock is not kept here)
  leaves the table as it was and draws `failure_draw` tiles or what is left. Whoever runs the game says so: it can be
  applied at every decision, but it is not listed among the legal actions. A player who chooses it (`check_choice`) lays
  nothing: where who can lay must, that is refused as a draw is.
- The pool is empty: the turns that are left are counted from the turn after the one that emptied it (or from the
  first, if the deal emptied it). `until_stuck` and `forced`: a lay starts the count again, drawing nothing does not.
- `never_opened_penalty` stands for the sum of the rack of a player who never opened wherever that sum is asked for:
  when another goes out, and when the lowest sum wins.
- Equal lowest sums share the win: each other player loses his sum minus theirs, and what they lose is shared equally.

The k-th tile drawn in a game depends on the seed and the number of the game alone, whoever draws it and whatever was
laid before (see `pool_order`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple

from ..errors import IllegalAction, ParseError, RulesError, SolverError, check_keys, quote
from ..games import CHANCE, OVER
from ..streams import check_seed, stream_key, word
from .position import Move, Position, Table
from .problem import LANES, cell, names
from .rules import PRESETS, Rules
from .search import Solver
from .sets import JOKER, MIN_SET, TILE_KEYS, Tile, TileSet, as_tiles, read_tile, sort_tiles
from .verify import verify

GAME: Final = "rummikub"
MAX_TURNS: Final = 1_000_000  # that a state read from data may have behind it
_FIRST: Final = "first="  # with the seat: the text of who begins
_WARM_SOLVERS: Final = 4  # rule sets whose tables are kept
_KNOWN_ORDERS: Final = 64
_UNKNOWN: Final = -1  # who begins, and how many turns are left


class Idle(StrEnum):
    """A turn in which nothing is laid."""

    DRAW = "draw"
    PASS = "pass"
    FAIL = "fail"


DRAW: Final = Idle.DRAW
PASS: Final = Idle.PASS
FAIL: Final = Idle.FAIL
Action = Move | Idle
Outcome = str  # a tile, or `first=SEAT`


class Event(NamedTuple):
    """What everybody saw of one turn.

    action: lay, draw, pass or fail. tiles, taken: of a lay. drawn: how many tiles.
    """

    seat: int
    action: str
    tiles: TileSet = ()
    taken: TileSet = ()
    drawn: int = 0


LAY: Final = "lay"
_ACTIONS: Final = (LAY, *map(str, Idle))


@lru_cache(maxsize=_WARM_SOLVERS)
def warm_solver(rules: Rules) -> Solver:
    """A solver of these rules that is kept, so that its tables stay warm; safe to share between threads."""
    return Solver(rules)


def pool_order(rules: Rules, seed: int, game: int) -> tuple[tuple[int, int], ...]:
    """The order in which tiles are drawn in game number `game`: for each tile its place in `pool`, and how many of its
    kind are left before it is drawn.

    Every tile (kind by kind as in `RummikubState.pool`, copy by copy) has one word of a stream; the lowest comes first.
    Copies are alike, so the first one drawn of a kind is always that with the lowest word.
    """
    check_seed(seed)
    check_seed(game, "game")
    return _pool_order(rules.colors, rules.numbers, rules.copies, rules.jokers, seed, game)


@lru_cache(maxsize=_KNOWN_ORDERS)
def _pool_order(
    colors: int, numbers: int, copies: int, jokers: int, seed: int, game: int
) -> tuple[tuple[int, int], ...]:
    key = stream_key(seed, f"{GAME}:{game}", 0, "pool")
    places = [at for at, left in enumerate(_material(colors, numbers, copies, jokers)) for _ in range(left)]
    left = Counter(places)
    order = []
    for index in sorted(range(len(places)), key=lambda index: (word(key, index), index)):
        at = places[index]
        order.append((at, left[at]))
        left[at] -= 1
    return tuple(order)


def _material(colors: int, numbers: int, copies: int, jokers: int) -> bytes:
    """All tiles, counted as in `RummikubState.pool`."""
    lanes = bytes(copies if lane < colors else 0 for lane in range(LANES))
    return lanes * numbers + bytes((jokers,))


def material(rules: Rules) -> bytes:
    """All tiles of the rules, counted as in `RummikubState.pool`."""
    return _material(rules.colors, rules.numbers, rules.copies, rules.jokers)


_names = lru_cache(maxsize=_KNOWN_ORDERS)(names)


@lru_cache(maxsize=_KNOWN_ORDERS)
def _sorted_places(numbers: int) -> tuple[int, ...]:
    """Places of the pool in the canonical order of their tiles."""
    tiles = _names(numbers)
    return tuple(sorted(range(len(tiles)), key=lambda at: TILE_KEYS[tiles[at]]))


def _place(tile: Tile, rules: Rules) -> int:
    """The place of a tile in `pool`; past its end for what the rules do not know."""
    if tile == JOKER:
        return rules.numbers * LANES
    color, number = TILE_KEYS[tile]
    return cell(tile) if color < rules.colors and number <= rules.numbers else rules.numbers * LANES + 1


@dataclass(frozen=True, slots=True)
class View:
    """All that one seat sees of a state, its own rack included. Equal for states that differ in the rest only.

    sizes: tiles in every rack. pool: how many tiles are left to draw. shown: for every seat tiles that are known to be
    in its rack, because everybody saw them go there. The other fields are those of `RummikubState`.
    """

    rules: Rules
    players: int
    seat: int
    to_move: int
    turn: int
    rack: TileSet
    sizes: tuple[int, ...]
    table: Table
    opened: tuple[bool, ...]
    pool: int
    shown: tuple[TileSet, ...]
    first: int
    active: int
    to_deal: int
    pending: int
    left: int
    over: bool
    history: tuple[Event, ...]

    @property
    def position(self) -> Position:
        """The table and the seat's own rack, to be searched."""
        return Position(self.table, self.rack, self.opened[self.seat], self.rules)

    @property
    def others(self) -> tuple[int, ...]:
        """The other seats, in the order in which their turns come."""
        return tuple((self.seat + step) % self.players for step in range(1, self.players))

    @property
    def idle(self) -> Idle:
        """What a turn is in which nothing is laid: a draw, or a pass when the pool is empty."""
        return DRAW if self.pool else PASS

    @property
    def bound(self) -> bool:
        """Whether who can lay must."""
        return _bound(self.rules, self.pool)

    def unseen(self) -> Counter[Tile]:
        """The tiles in the pool and in the racks of the others, in canonical order."""
        left = bytearray(material(self.rules))
        for tile in chain(self.rack, *self.table):
            left[_place(tile, self.rules)] -= 1
        tiles = _names(self.rules.numbers)
        return Counter({tiles[at]: left[at] for at in _sorted_places(self.rules.numbers) if left[at]})

    def sample(self, key: int, number: int = 0) -> RummikubState:
        """A state that looks like this to the seat: unseen tiles shuffled by the stream with this key.

        number: which one of the stream's shuffles. The others' racks hold what they are known to hold; apart from that
        all shuffles are equally likely: what a draw may tell of a rack is not looked at.
        """
        loose = self.unseen()
        for seat in self.others:
            loose.subtract(self.shown[seat])
        tiles = list(loose.elements())
        first = number * len(tiles)
        keys = {index: word(key, first + index) for index in range(len(tiles))}
        shuffled = [tiles[index] for index in sorted(keys, key=lambda index: (keys[index], index))]
        racks = [self.rack] * self.players
        for seat in self.others:
            wanted = self.sizes[seat] - len(self.shown[seat])
            racks[seat] = sort_tiles((*self.shown[seat], *shuffled[:wanted]))
            del shuffled[:wanted]
        pool = bytearray(len(material(self.rules)))
        for tile in shuffled:
            pool[_place(tile, self.rules)] += 1
        return RummikubState(
            self.rules,
            self.players,
            tuple(racks),
            self.table,
            self.opened,
            bytes(pool),
            self.turn,
            self.first,
            self.active,
            self.to_deal,
            self.pending,
            self.left,
            self.over,
            self.shown,
            self.history,
        )


@dataclass(frozen=True, slots=True)
class RummikubState:
    """A game at one moment. Made by `start`, `apply` and `from_dict`; nothing is checked here.

    racks: of every seat, sorted. table: the sets, canonical. opened: by seat. pool: tiles left to draw, one byte a
    kind: number v of colour c (0..3 for R B K O) at (v - 1) * 4 + c, the jokers last. turn: decisions taken. first: the
    seat that begins, -1 before that is known. active: the seat whose turn it is. to_deal: tiles that the deal still
    gives. pending: tiles that the active seat still draws. left: turns till the end as far as is known, -1 while the
    pool has tiles. over: whether the game has ended. shown: see `View`. history: what everybody saw, turn by turn.
    """

    rules: Rules
    players: int
    racks: tuple[TileSet, ...]
    table: Table
    opened: tuple[bool, ...]
    pool: bytes
    turn: int
    first: int
    active: int
    to_deal: int
    pending: int
    left: int
    over: bool
    shown: tuple[TileSet, ...]
    history: tuple[Event, ...]

    @property
    def game(self) -> str:
        """The game's name."""
        return GAME

    @property
    def to_move(self) -> int:
        """The seat that decides, CHANCE or OVER."""
        if self.over:
            return OVER
        return CHANCE if self.pending or self.to_deal or self.first < 0 else self.active

    @property
    def pool_size(self) -> int:
        """How many tiles are left to draw; during the deal also those that are still to be dealt."""
        return sum(self.pool)

    @property
    def position(self) -> Position:
        """What the active seat has to search: the table and its rack."""
        return Position(self.table, self.racks[self.active], self.opened[self.active], self.rules)

    def view(self, seat: int) -> View:
        """All that a seat can see. Raises SolverError for a seat that does not exist."""
        self._check_seat(seat)
        return View(
            self.rules,
            self.players,
            seat,
            self.to_move,
            self.turn,
            self.racks[seat],
            tuple(map(len, self.racks)),
            self.table,
            self.opened,
            self.pool_size,
            self.shown,
            self.first,
            self.active,
            self.to_deal,
            self.pending,
            self.left,
            self.over,
            self.history,
        )

    def reshuffled(self, seat: int, key: int) -> RummikubState:
        """Another state that looks the same to a seat: what it cannot see is shuffled by the stream with this key."""
        return self.view(seat).sample(key)

    # ----------------------------------------------------------------------------------------------------- decisions

    def legal_actions(self) -> Iterator[Action]:
        """What the seat to move may do, each once, lazily: drawing (passing when the pool is empty) first, then every
        multiset of tiles that can be laid in the order of `Solver.legal_moves`, most tiles first, each with one table.

        Where who can lay must (`must_play`, `forced`), drawing is left out if anything can be laid.
        """
        if self.to_move < 0:
            return
        moves = warm_solver(self.rules).legal_moves(self.position)
        idle = DRAW if self.pool_size else PASS
        if not _bound(self.rules, self.pool_size):
            yield idle
        else:
            first = next(moves, None)
            if first is None:
                yield idle
                return
            yield first
        yield from moves

    def can_lay(self) -> bool:
        """Whether the seat to move can lay anything; proven by the search."""
        return self.to_move >= 0 and warm_solver(self.rules).best_move(self.position) is not None

    def apply(self, event: Action | Outcome, check: bool = True) -> RummikubState:
        """The state after an action of the seat to move, or after an outcome of chance.

        check: also verify that a move is legal under all rules (by `verify`) and, where who can lay must, that nothing
        can be laid by who draws or passes (by a search). Without it a caller vouches for that.
        Raises IllegalAction, which says why.
        """
        if self.over:
            raise IllegalAction(f"{quote(event)}: the game is over")
        if self.to_move == CHANCE:
            return self._after_chance(event)
        if isinstance(event, Move):
            return self._after_move(event, check)
        if isinstance(event, str) and event in tuple(Idle):
            return self._after_idle(Idle(event), check)
        raise IllegalAction(f"{quote(event)}: is neither a Move nor draw, pass or fail")

    def _after_idle(self, idle: Idle, check: bool) -> RummikubState:
        there = self.pool_size
        if idle is DRAW and not there:
            raise IllegalAction("draw: the pool is empty, who lays nothing passes")
        if idle is PASS and there:
            raise IllegalAction(f"pass: the pool has {there} tiles, who lays nothing draws")
        if check and idle is not FAIL:
            self._check_idle(idle)
        number = min(there, {DRAW: self.rules.draw, PASS: 0, FAIL: self.rules.failure_draw}[idle])
        history = (*self.history, Event(self.active, str(idle), drawn=number))
        after = replace(self, turn=self.turn + 1, pending=number, history=history)
        return after if number else after._end_turn(laid=False)

    def check_choice(self, action: Action) -> None:
        """IllegalAction for a `fail` of who can lay and must: it may happen to him, but he may not choose it."""
        if action == FAIL:
            self._check_idle(FAIL)

    def _check_idle(self, idle: Idle) -> None:
        """IllegalAction where something must be laid, and can be (by a search)."""
        if not _bound(self.rules, self.pool_size):
            return
        move = warm_solver(self.rules).best_move(self.position)
        if move is not None:
            rule = "must_play=yes" if self.rules.must_play else "pool_empty=forced"
            raise IllegalAction(f"{idle}: {' '.join(move.tiles)} can be laid, and who can lay must ({rule})")

    def _after_move(self, move: Move, check: bool) -> RummikubState:
        seat = self.active
        if check:
            problems = verify(self.position, move)
            if problems:
                raise IllegalAction(f"move {quote(' '.join(map(str, move.tiles)))}: {'; '.join(problems)}")
        rack = list(self.racks[seat])
        shown = list(self.shown[seat])
        for tile in move.tiles:
            if tile not in rack:
                raise IllegalAction(f"move {quote(' '.join(move.tiles))}: {tile} is not in the rack as often")
            rack.remove(tile)
            if tile in shown:
                shown.remove(tile)
        # Under the rules of the game, whatever rules the caller's move was read with.
        table = Position(move.table, (), True, self.rules).table if check else move.table
        after = replace(
            self,
            racks=_with(self.racks, seat, sort_tiles((*rack, *move.taken))),
            table=table,
            opened=_with(self.opened, seat, True),
            turn=self.turn + 1,
            shown=_with(self.shown, seat, sort_tiles((*shown, *move.taken))),
            history=(*self.history, Event(seat, LAY, move.tiles, move.taken)),
        )
        return after._end_turn(laid=True) if after.racks[seat] else replace(after, over=True)

    def _end_turn(self, laid: bool) -> RummikubState:
        """The next seat's turn, or the end of a game in which nobody goes out."""
        left = self.left
        if left >= 0:
            left = self.players if laid and self.rules.pool_empty != "one_more_turn" else left - 1
        elif not self.pool_size:
            left = self.players
        return replace(self, active=(self.active + 1) % self.players, left=left, over=left == 0)

    # -------------------------------------------------------------------------------------------------------- chance

    def _choosing(self) -> bool:
        """Whether chance says next who begins."""
        return self.first < 0 and not (self.to_deal and self.rules.first_player == "highest_triple")

    def _starters(self) -> list[int]:
        """The seats of which one begins."""
        if self.rules.first_player != "highest_triple":
            return list(range(self.players))
        triples = [_highest_triple(rack) for rack in self.racks]
        return [seat for seat, number in enumerate(triples) if number == max(triples)]

    def chance_outcomes(self) -> list[tuple[Outcome, float]]:
        """What may happen at an event of chance, with its probability: who begins by seat, or the next tile in
        canonical order. Empty at other states."""
        if self.to_move != CHANCE:
            return []
        if self._choosing():
            seats = self._starters()
            return [(f"{_FIRST}{seat}", 1 / len(seats)) for seat in seats]
        tiles, total = _names(self.rules.numbers), self.pool_size
        return [(tiles[at], self.pool[at] / total) for at in _sorted_places(self.rules.numbers) if self.pool[at]]

    def sample(self, seed: int, game: int) -> Outcome:
        """The outcome of an event of chance in game number `game` of a seed: of the tiles left, the first in
        `pool_order`. Raises SolverError where chance has no say, and for a bad seed
        or number."""
        if self.to_move != CHANCE:
            raise SolverError("sample: no event of chance is next")
        if self._choosing():
            seats = self._starters()
            key = stream_key(seed, f"{GAME}:{check_seed(game, 'game')}", 0, "first")
            return f"{_FIRST}{seats[word(key, 0) % len(seats)]}"
        pool = self.pool
        order = pool_order(self.rules, seed, game)
        return _names(self.rules.numbers)[next(at for at, left in order if pool[at] >= left)]

    def _after_chance(self, outcome: object) -> RummikubState:
        if self._choosing():
            for seat in self._starters():
                if outcome == f"{_FIRST}{seat}":
                    return self._begun(seat)
            raise IllegalAction(f"{quote(outcome)}: who begins is next, {_FIRST} and one of {self._starters()}")
        if not isinstance(outcome, str) or outcome not in TILE_KEYS:
            raise IllegalAction(f"{quote(outcome)}: a tile is drawn next")
        at = _place(outcome, self.rules)
        if at >= len(self.pool) or not self.pool[at]:
            raise IllegalAction(f"{outcome}: is not in the pool")
        pool = bytearray(self.pool)
        pool[at] -= 1
        seat = self.active
        if self.to_deal:
            seat = (self.players * self.rules.rack_size - self.to_deal) % self.players
        racks = _with(self.racks, seat, sort_tiles((*self.racks[seat], outcome)))
        if not self.to_deal:
            after = replace(self, racks=racks, pool=bytes(pool), pending=self.pending - 1)
            return after if after.pending else after._end_turn(laid=False)
        after = replace(self, racks=racks, pool=bytes(pool), to_deal=self.to_deal - 1)
        if after.to_deal:
            return after
        after = replace(after, left=_UNKNOWN if any(pool) else self.players)
        if after.first < 0:
            seats = after._starters()
            return after._begun(seats[0]) if len(seats) == 1 else after
        return after

    def _begun(self, seat: int) -> RummikubState:
        return replace(self, first=seat, active=seat)

    # -------------------------------------------------------------------------------------------------------- the end

    def rack_sum(self, seat: int) -> int:
        """What a seat's rack counts against it: its numbers, `joker_penalty` for a joker; `never_opened_penalty`
        instead, where the rules have it, for who has not opened."""
        self._check_seat(seat)
        return _rack_sum(self.rules, self.racks[seat], self.opened[seat])

    def winners(self) -> tuple[int, ...]:
        """Who went out, else all who have the lowest sum. Raises SolverError before the end."""
        self._check_over()
        for seat, rack in enumerate(self.racks):
            if not rack:
                return (seat,)
        sums = [self.rack_sum(seat) for seat in range(self.players)]
        return tuple(seat for seat, points in enumerate(sums) if points == min(sums))

    def returns(self) -> tuple[float, ...]:
        """The points of every seat; their sum is 0. Raises SolverError before the end."""
        winners = self.winners()
        lowest = self.rack_sum(winners[0]) if self.racks[winners[0]] else 0
        points = [0.0 if seat in winners else float(lowest - self.rack_sum(seat)) for seat in range(self.players)]
        share = -sum(points) / len(winners)
        return tuple(share if seat in winners else lost for seat, lost in enumerate(points))

    def _check_over(self) -> None:
        if not self.over:
            raise SolverError("returns: the game is not over")

    def _check_seat(self, seat: object) -> None:
        if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < self.players:
            raise SolverError(f"seat: must be from 0 to {self.players - 1}, not {quote(seat)}")

    # ----------------------------------------------------------------------------------------------------------- text

    def read(self, text: str) -> Action | Outcome:
        """The action or outcome of a text, as `str` writes it. ParseError for what cannot be read."""
        if not isinstance(text, str):
            raise ParseError(f"action: must be text, not {quote(text)}")
        line = text.strip()
        if self.to_move == CHANCE:
            if not line.startswith(_FIRST):
                return read_tile(line, "outcome")
            if line not in [f"{_FIRST}{seat}" for seat in range(self.players)]:
                raise ParseError(f"outcome: {quote(line)} names none of the {self.players} seats")
            return line
        if line in tuple(Idle):
            return Idle(line)
        return Move.parse(line, self.rules)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "rules": str(self.rules),
            "racks": [list(rack) for rack in self.racks],
            "table": [list(tiles) for tiles in self.table],
            "opened": list(self.opened),
            "turn": self.turn,
            "first": self.first,
            "active": self.active,
            "to_deal": self.to_deal,
            "pending": self.pending,
            "left": self.left,
            "over": self.over,
            "shown": [list(tiles) for tiles in self.shown],
            "history": [
                [seat, action, list(tiles), list(taken), drawn] for seat, action, tiles, taken, drawn in self.history
            ],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> RummikubState:
        """The inverse of `to_dict`. ParseError names what is missing, unknown or impossible."""
        return _state_of(values)


def start(rules: Rules | str | None = None, players: int = 2) -> RummikubState:
    """A game before its deal. rules: Rules, their text, or None for `standard`.

    Raises RulesError for a number of players that the rules do not have, or for whom there are too few tiles.
    """
    known = PRESETS["standard"] if rules is None else Rules.parse(rules) if isinstance(rules, str) else rules
    if not isinstance(known, Rules):
        raise RulesError(f"rules: must be Rules or their text, not {quote(rules)}")
    low, high = known.players
    if isinstance(players, bool) or not isinstance(players, int) or not low <= players <= high:
        raise RulesError(f"players: must be from {low} to {high} (rules {known}), not {quote(players)}")
    tiles = material(known)
    wanted = players * known.rack_size
    if wanted > sum(tiles):
        raise RulesError(f"rack_size: {players} racks of {known.rack_size} are more than all {sum(tiles)} tiles")
    empty: tuple[TileSet, ...] = ((),) * players
    opened = (known.opening_threshold == 0,) * players
    return RummikubState(
        # The preset itself where it is meant: comparing rules is then comparing addresses.
        next((preset for preset in PRESETS.values() if preset == known), known),
        players,
        racks=empty,
        table=(),
        opened=opened,
        pool=tiles,
        turn=0,
        first=_UNKNOWN,
        active=0,
        to_deal=wanted,
        pending=0,
        left=_UNKNOWN,
        over=False,
        shown=empty,
        history=(),
    )


def _bound(rules: Rules, pool: int) -> bool:
    return rules.must_play or (not pool and rules.pool_empty == "forced")


def _with(values: tuple[Any, ...], seat: int, value: object) -> tuple[Any, ...]:
    return (*values[:seat], value, *values[seat + 1 :])


def _rack_sum(rules: Rules, rack: TileSet, opened: bool) -> int:
    if not opened and rules.never_opened_penalty is not None:
        return rules.never_opened_penalty
    return sum(rules.joker_penalty if tile == JOKER else TILE_KEYS[tile][1] for tile in rack)


def _highest_triple(rack: TileSet) -> int:
    """The highest number of which the rack has three colours, 0 if there is none."""
    colors = Counter(TILE_KEYS[tile][1] for tile in set(rack) if tile != JOKER)
    return max((number for number, count in colors.items() if count >= MIN_SET), default=0)


# ------------------------------------------------------------------------------------------------- states from data


_FIELDS: Final = (
    "rules",
    "racks",
    "table",
    "opened",
    "turn",
    "first",
    "active",
    "to_deal",
    "pending",
    "left",
    "over",
    "shown",
    "history",
)


def _state_of(values: Mapping[str, Any]) -> RummikubState:
    check_keys(values, "state", _FIELDS, ())
    try:
        rules = Rules.parse(values["rules"])
    except RulesError as error:
        raise ParseError(str(error)) from error
    racks = tuple(sort_tiles(as_tiles(rack, "racks")) for rack in _listed(values, "racks"))
    players = len(racks)
    try:
        empty = start(rules, players)
    except RulesError as error:
        raise ParseError(f"racks: {error}") from error
    opened = tuple(_flag(value, "opened") for value in _listed(values, "opened", players))
    shown = tuple(sort_tiles(as_tiles(tiles, "shown")) for tiles in _listed(values, "shown", players))
    table = Position(values["table"], (), True, rules).table
    pool = bytearray(material(rules))
    for tile in chain(*racks, *table):
        at = _place(tile, rules)
        if at >= len(pool) or not pool[at]:
            raise ParseError(f"racks, table: {tile} is there more often than the rules have it")
        pool[at] -= 1
    state = RummikubState(
        empty.rules,
        players,
        racks,
        table,
        opened,
        bytes(pool),
        turn=_whole(values, "turn", 0, MAX_TURNS),
        first=_whole(values, "first", _UNKNOWN, players - 1),
        active=_whole(values, "active", 0, players - 1),
        to_deal=_whole(values, "to_deal", 0, empty.to_deal),
        pending=_whole(values, "pending", 0, sum(pool)),
        left=_whole(values, "left", _UNKNOWN, players),
        over=_flag(values["over"], "over"),
        shown=shown,
        history=tuple(_event(entry, players) for entry in _listed(values, "history")),
    )
    _check_state(state, empty)
    return state


def _check_state(state: RummikubState, empty: RummikubState) -> None:
    """ParseError for what cannot be in a game."""
    problems = Position(state.table, (), True, state.rules).problems()
    if problems:
        raise ParseError(f"table: {'; '.join(problems)}")
    if state.rules.opening_threshold == 0 and not all(state.opened):
        raise ParseError("opened: with opening_threshold=0 everybody counts as opened")
    if state.to_deal:
        dealt = empty.to_deal - state.to_deal
        sizes = [len(range(seat, dealt, state.players)) for seat in range(state.players)]
        if [len(rack) for rack in state.racks] != sizes:
            raise ParseError(f"racks: with to_deal={state.to_deal} they have {sizes} tiles")
        if state.turn or state.history or state.pending or state.table or state.over or any(state.shown):
            raise ParseError("to_deal: nothing happens before the end of the deal")
    elif not state.over and not all(state.racks):
        raise ParseError("racks: one is empty, but the game is not over")
    if (state.left >= 0) != (not any(state.pool)) and not state.pending:
        raise ParseError(f"left: is {state.left} with {sum(state.pool)} tiles in the pool")
    if state.left == 0 and not state.over:
        raise ParseError("left: no turns, but the game is not over")
    if state.over and state.left != 0 and all(state.racks):
        raise ParseError("over: no rack is empty, and turns are left")
    for seat, tiles in enumerate(state.shown):
        if Counter(tiles) - Counter(state.racks[seat]):
            raise ParseError(f"shown: seat {seat} does not have these tiles")


def _listed(values: Mapping[str, Any], name: str, size: int | None = None) -> Sequence[Any]:
    value = values[name]
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence) or (size is not None and len(value) != size):
        raise ParseError(f"{name}: must be a list{'' if size is None else f' of {size}'}, not {quote(value)}")
    return value


def _flag(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise ParseError(f"{name}: must be True or False, not {quote(value)}")
    return value


def _whole(values: Mapping[str, Any], name: str, low: int, high: int) -> int:
    return _number(values[name], name, low, high)


def _number(value: object, name: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ParseError(f"{name}: must be a whole number from {low} to {high}, not {quote(value)}")
    return value


def _event(entry: object, players: int) -> Event:
    if isinstance(entry, (str, bytes)) or not isinstance(entry, Sequence) or len(entry) != len(Event._fields):
        raise ParseError(f"history: {quote(entry)} is no list of {', '.join(Event._fields)}")
    seat, action, tiles, taken, drawn = entry
    if action not in _ACTIONS:
        raise ParseError(f"history: {quote(action)} is none of {', '.join(_ACTIONS)}")
    return Event(
        _number(seat, "history", 0, players - 1),
        str(action),
        sort_tiles(as_tiles(tiles, "history")),
        sort_tiles(as_tiles(taken, "history")),
        _number(drawn, "history", 0, MAX_TURNS),
    )
