"""Whole games of Setup as immutable states: deal, turns, refills, the end.

Chance nodes draw one tile each. The deal: the centre squares, then the absent sides' squares (`absent_squares=filled`),
the racks of all seats in order, the common hand; then who moves first (`first_player=random`). After a play the common
hand is filled to 4, then the rack. Whenever the bag is empty, all tiles under the tops go into it.

What the rules leave open is settled here:

- A board of one's own gets a tile on each common square at the start, on the first four if there are more, and on the
  first two squares of each absent side.
- A swap for which bag and covered tiles are too few moves only as many tiles as can be drawn; those that stay are the
  lowest ones.
- Pawns are ranked by steps, tied ones by who played tiles last; who has played none stands behind, the later in the
  first round before the earlier. The first of the ranking wins; with teams the team of the last one loses, also where
  one play brings the third and the fourth pawn home.
- IDLE_END swaps in a row, by whomever, end the game as it stands: nothing but swaps may be possible for ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..errors import IllegalAction, ParseError, SolverError, UnsupportedRules, check_keys, quote
from ..games import CHANCE, OVER
from ..streams import check_seed, stream_key, word
from .board import MAX_SQUARES, SEATS
from .position import MAX_SCORE, NO_TILE, Move, Position, Stack, Tile
from .rules import HAND, MAX_TILES, Rules
from .search import Records, finish_line, play_arrays, play_of, swaps_of
from .verify import score, verify

NAME: Final = "setup"
SEATINGS: Final[Mapping[int, str]] = {2: "NS", 3: "NES", 4: "NESW"}
"""Who sits where for each number of players."""
CENTRE: Final = 4
"""Common squares with a tile at the start, at most."""
SIDE: Final = 2
"""Squares of an absent side with a tile at the start, at most (`absent_squares=filled`)."""
IDLE_END: Final = 100
"""Swaps in a row that end a game."""
PHASES: Final = ("deal", "first", "play", "refill", "swap", "over")
_CHANCE_PHASES: Final = frozenset({"deal", "first", "refill", "swap"})
WORD_BITS: Final = 32

Outcome = str
"""A tile that is drawn, or the seat that moves first."""
Action = Move


@dataclass(frozen=True, slots=True)
class SetupView:
    """All that one seat can see: two states that differ only in what it cannot see have equal views.

    seat, to_move, turn, phase: as in the state. stacks: the board, tops and covered tiles. rack: the own one.
    partner: the partner's rack if partners see them, else None. aside: tiles set aside in an own swap. held: how many
    tiles each rack has. bag: how many the bag has. mixed: how often tiles went into the bag. recent, idle: as in the
    state.
    """

    rules: Rules
    seats: str
    seat: int
    to_move: int
    turn: int
    phase: str
    mover: int
    stacks: tuple[Stack, ...]
    rack: Stack
    partner: Stack | None
    common: Stack
    aside: Stack
    scores: tuple[int, ...]
    held: tuple[int, ...]
    bag: int
    owed: int
    mixed: int
    recent: tuple[int, ...]
    idle: int

    @property
    def players(self) -> int:
        """The number of seats."""
        return len(self.seats)

    @property
    def position(self) -> Position:
        """The board and the seat's own rack, to be searched, as if it were the seat's turn."""
        return _position(self.rules, self.seats, self.seat, self.stacks, self.rack, self.common, self.scores)


@dataclass(frozen=True, slots=True)
class SetupState:
    """A game of Setup at one moment. `start` makes the first one, `apply` the next.

    to_move: seat (place in `seats`), CHANCE or OVER. turn: decisions taken so far. phase: one of PHASES. mover: whose
    turn it is, also while tiles are drawn for him; -1 before the first turn. stacks: for each square of the board its
    tiles, the top first. racks: by seat. aside: tiles of a swap until they go into the bag; owed: how many are still
    drawn for them. mixed: how often tiles went into the bag. recent: seats, who played tiles last first. idle: swaps
    since the last play.
    """

    rules: Rules
    seats: str
    to_move: int
    turn: int
    phase: str
    mover: int
    stacks: tuple[Stack, ...]
    racks: tuple[Stack, ...]
    common: Stack
    bag: Stack
    aside: Stack
    owed: int
    scores: tuple[int, ...]
    mixed: int
    recent: tuple[int, ...]
    idle: int

    @property
    def game(self) -> str:
        """The game's name."""
        return NAME

    @property
    def players(self) -> int:
        """The number of seats."""
        return len(self.seats)

    @property
    def position(self) -> Position:
        """What the seat to move knows. SolverError where no seat is to move."""
        if self.to_move < 0:
            raise SolverError(f"position: no seat is to move, the game is at {quote(self.phase)}")
        return _position(
            self.rules, self.seats, self.mover, self.stacks, self.racks[self.mover], self.common, self.scores
        )

    def legal_actions(self) -> Iterator[Move]:
        """Of the seat to move, sorted by `action_key`: plays with points and bonus, then swaps. None at other nodes.

        LimitReached for a board whose plays do not fit into memory.
        """
        if self.to_move < 0:
            return
        position = self.position
        records = play_arrays(position)
        for record in records[_sorted(records)]:
            yield play_of(self.rules, record.tolist())
        yield from swaps_of(position)

    def action_key(self, action: Move) -> tuple[Any, ...]:
        """The order of actions: plays before swaps; plays by tiles, then squares; swaps by number, then tiles."""
        tiles, names = self.rules.tile_index, self.rules.graph.squares
        if action.swap:
            return (1, len(action.swap), tuple(sorted(map(tiles.__getitem__, action.swap))))
        pairs = sorted((tiles[tile], names.index(square)) for tile, square in action.placements)
        return (0, tuple(tile for tile, _ in pairs), tuple(square for _, square in pairs))

    def chance_outcomes(self) -> list[tuple[Outcome, float]]:
        """Tiles in canonical order, or seats clockwise, with their chance; empty where nothing is drawn."""
        if self.phase not in _CHANCE_PHASES:
            return []
        found = tuple(self.seats) if self.phase == "first" else self.bag
        return [(outcome, 1 / len(found)) for outcome in found]

    def sample(self, seed: int, game: int) -> Outcome:
        """The outcome of this game: every tile has a word for each time that the bag is mixed; the lowest is drawn."""
        if self.phase not in _CHANCE_PHASES:
            raise SolverError(f"sample: nothing is drawn, the game is at {quote(self.phase)}")
        key = draw_key(check_seed(seed), check_seed(game, "game"))
        if self.phase == "first":
            return self.seats[((word(key, FIRST_WORD) >> WORD_BITS) * len(self.seats)) >> WORD_BITS]
        index, base = self.rules.tile_index, FIRST_WORD + 1 + self.mixed * MAX_TILES
        return min(self.bag, key=lambda tile: (word(key, base + index[tile]), index[tile]))

    def apply(self, event: Action | Outcome, check: bool = True) -> SetupState:
        """The state after an action or an outcome. IllegalAction names it and says why; check=False trusts it."""
        if self.to_move == OVER:
            raise IllegalAction(f"{quote(str(event))}: the game is over")
        if self.to_move == CHANCE:
            if not isinstance(event, str) or event not in (self.seats if self.phase == "first" else self.bag):
                raise IllegalAction(f"{quote(str(event))}: cannot be drawn here (phase {self.phase})")
            return self._drawn(event)
        if not isinstance(event, Move):
            raise IllegalAction(f"{quote(event)}: is no move, {self.seats[self.mover]} is to move")
        if check and (problems := verify(self.position, event)):
            raise IllegalAction(f"{event}: {'; '.join(problems)}")
        return self._swapped(event.swap) if event.swap else self._played(event)

    def view(self, seat: int) -> SetupView:
        """All that this seat can see. SolverError for a seat that does not exist."""
        self._check_seat(seat)
        return SetupView(
            self.rules,
            self.seats,
            seat,
            self.to_move,
            self.turn,
            self.phase,
            self.mover,
            self.stacks,
            self.racks[seat],
            self.racks[(seat + 2) % self.players] if self.rules.partners_see_racks else None,
            self.common,
            self.aside if seat == self.mover else (),
            self.scores,
            tuple(map(len, self.racks)),
            len(self.bag),
            self.owed,
            self.mixed,
            self.recent,
            self.idle,
        )

    def reshuffled(self, seat: int, key: int) -> SetupState:
        """A state that looks the same to the seat: what it cannot see is dealt anew, each way with the same chance.

        The hidden tiles are the racks of the others (of a partner only if partners do not see them), the bag and what
        another seat has set aside. key: of the stream (solver/streams.py) that deals.
        """
        self._check_seat(seat)
        open_racks = {seat, (seat + 2) % self.players} if self.rules.partners_see_racks else {seat}
        hidden = [*self.bag, *(() if seat == self.mover else self.aside)]
        hidden += [tile for at, rack in enumerate(self.racks) if at not in open_racks for tile in rack]
        hidden.sort(key=self.rules.tile_index.__getitem__)
        for at in range(len(hidden) - 1, 0, -1):
            other = ((word(key, at) >> WORD_BITS) * (at + 1)) >> WORD_BITS
            hidden[at], hidden[other] = hidden[other], hidden[at]

        def take(count: int) -> Stack:
            taken = [hidden.pop() for _ in range(count)]
            return self._in_order(taken)

        racks = tuple(rack if at in open_racks else take(len(rack)) for at, rack in enumerate(self.racks))
        aside = self.aside if seat == self.mover else take(len(self.aside))
        return replace(self, racks=racks, aside=aside, bag=take(len(hidden)))

    def returns(self) -> tuple[float, ...]:
        """The steps of each seat's pawn at the end. SolverError while the game goes on."""
        self._must_be_over("returns")
        return tuple(map(float, self.scores))

    def winners(self) -> tuple[int, ...]:
        """The seat that has won, with teams both of the team. SolverError while the game goes on."""
        self._must_be_over("winners")
        ranking = sorted(range(self.players), key=lambda seat: (-self.scores[seat], self.recent.index(seat)))
        if not self.rules.teams:
            return (ranking[0],)
        loser = ranking[-1]
        return tuple(seat for seat in range(self.players) if (seat - loser) % 2)

    def read(self, text: str) -> Move | Outcome:
        """The action or outcome that the text names; ParseError if it cannot be read at this node."""
        if not isinstance(text, str):
            raise ParseError(f"text: must be text, not {quote(text)}")
        if self.to_move >= 0:
            return Move.parse(text)
        known = self.seats if self.phase == "first" else self.rules.tile_index
        if self.to_move == OVER or text.strip() not in known:
            raise ParseError(f"text: {quote(text)} is no outcome here (phase {self.phase})")
        return text.strip()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; the bag and to_move follow from the rest."""
        return {
            "rules": str(self.rules),
            "seats": self.seats,
            "phase": self.phase,
            "mover": self.mover,
            "turn": self.turn,
            "stacks": [list(stack) for stack in self.stacks],
            "racks": [list(rack) for rack in self.racks],
            "common": list(self.common),
            "aside": list(self.aside),
            "owed": self.owed,
            "scores": list(self.scores),
            "mixed": self.mixed,
            "recent": list(self.recent),
            "idle": self.idle,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SetupState:
        """The inverse of `to_dict`. ParseError names what cannot be read or does not fit together."""
        check_keys(data, "state", _FIELDS, ())
        try:
            rules = Rules.parse(data["rules"])
            root = start(rules, seats=data["seats"], players=len(data["seats"]))
        except (SolverError, TypeError) as error:
            raise ParseError(f"state: {error}") from error
        index = rules.tile_index
        stacks = tuple(_tiles(stack, "stacks", index) for stack in _items(data["stacks"], "stacks"))
        racks = tuple(_tiles(rack, "racks", index) for rack in _items(data["racks"], "racks"))
        common, aside = _tiles(data["common"], "common", index), _tiles(data["aside"], "aside", index)
        placed = [tile for group in (*stacks, *racks, common, aside) for tile in group]
        if len(set(placed)) != len(placed):
            raise ParseError("state: a tile is there twice")
        used = set(placed)
        scores = tuple(_whole(steps, "scores", 0, MAX_SCORE) for steps in _items(data["scores"], "scores"))
        phase, players = data["phase"], root.players
        recent = tuple(_whole(seat, "recent", 0, players - 1) for seat in _items(data["recent"], "recent"))
        if not isinstance(phase, str) or phase not in PHASES:
            raise ParseError(f"phase: must be one of {', '.join(PHASES)}, not {quote(phase)}")
        if len(stacks) != len(root.stacks) or len(racks) != players or len(scores) != players:
            raise ParseError("state: stacks, racks or scores have the wrong number")
        if sorted(recent) != list(range(players)) or max(map(len, (*racks, common, aside))) > HAND:
            raise ParseError("state: recent is no order of the seats, or a hand is too large")
        before = phase in ("deal", "first")
        mover = _whole(data["mover"], "mover", -1, -1) if before else _whole(data["mover"], "mover", 0, players - 1)
        owed = _whole(data["owed"], "owed", 0, HAND)
        state = cls(
            rules,
            root.seats,
            {"play": mover, "over": OVER}.get(phase, CHANCE),
            _whole(data["turn"], "turn", 0, MAX_SCORE),
            phase,
            mover,
            stacks,
            racks,
            common,
            tuple(tile for tile in rules.tiles if tile not in used),
            aside,
            owed,
            scores,
            _whole(data["mixed"], "mixed", 0, MAX_SCORE),
            recent,
            _whole(data["idle"], "idle", 0, IDLE_END),
        )
        if problem := state._unfit():
            raise ParseError(f"state: {problem}")
        return state

    def _unfit(self) -> str:
        """What does not fit together in a state that was read; "" if all does."""
        home = [self._is_home(seat) for seat in range(self.players)]
        ended = sum(home) >= (self.players - 1 if self.rules.teams else 1) or self.idle == IDLE_END
        if ended != (self.phase == "over"):
            return f"phase {self.phase} does not fit the scores"
        if self.phase == "play" and self.rules.teams and home[self.mover]:
            return "the mover's pawn is home"
        wanted = {"swap": bool(self.aside and 0 < self.owed <= len(self.aside))}.get(
            self.phase, not self.aside and not self.owed
        )
        if not wanted:
            return "tiles are set aside that no swap has"
        if self.phase in ("deal", "refill") and self._place() is None:
            return f"phase {self.phase}, but nothing is missing"
        if self.phase in ("first", "play") and any(len(rack) < HAND for rack in self.racks):
            return "a rack is not full"
        if self.to_move == CHANCE and self.phase != "first" and not self.bag:
            return f"phase {self.phase}, but the bag is empty"
        return ""

    # How the steps work.

    def _check_seat(self, seat: object) -> None:
        if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < self.players:
            raise SolverError(f"seat: must be 0 to {self.players - 1}, not {quote(seat)}")

    def _must_be_over(self, what: str) -> None:
        if self.to_move != OVER:
            raise SolverError(f"{what}: the game is not over")

    def _is_home(self, seat: int) -> bool:
        return self.scores[seat] >= finish_line(self.rules)

    def _in_order(self, tiles: Iterator[Tile] | list[Tile] | Stack) -> Stack:
        return tuple(sorted(tiles, key=self.rules.tile_index.__getitem__))

    def _place(self) -> tuple[str, int] | None:
        """Where the next tile goes, ("square", its number), ("rack", seat) or ("common", 0); None: nothing missing."""
        if self.phase == "deal":
            for at in start_squares(self.rules, self.seats):
                if not self.stacks[at]:
                    return "square", at
            for seat, rack in enumerate(self.racks):
                if len(rack) < HAND:
                    return "rack", seat
            return ("common", 0) if len(self.common) < HAND else None
        if self.phase == "swap":
            return ("rack", self.mover) if self.owed else None
        if len(self.common) < HAND:
            return "common", 0
        return ("rack", self.mover) if len(self.racks[self.mover]) < HAND else None

    def _drawn(self, outcome: Outcome) -> SetupState:
        if self.phase == "first":
            return self._begun(self.seats.index(outcome))
        place = self._place()
        assert place is not None
        kind, at = place
        stacks, racks, common = self.stacks, self.racks, self.common
        if kind == "square":
            stacks = (*stacks[:at], (outcome,), *stacks[at + 1 :])
        elif kind == "rack":
            racks = (*racks[:at], self._in_order([*racks[at], outcome]), *racks[at + 1 :])
        else:
            common = self._in_order([*common, outcome])
        bag = tuple(tile for tile in self.bag if tile != outcome)
        owed = max(self.owed - 1, 0)
        return replace(self, stacks=stacks, racks=racks, common=common, bag=bag, owed=owed)._settled()

    def _settled(self) -> SetupState:
        """The state itself if a tile is to be drawn, else what follows; the bag is filled where it is empty."""
        state = self
        if not state.bag and any(len(stack) > 1 for stack in state.stacks):
            covered = state._in_order([tile for stack in state.stacks for tile in stack[1:]])
            tops = tuple(stack[:1] for stack in state.stacks)
            state = replace(state, bag=covered, stacks=tops, mixed=state.mixed + 1)
        if state._place() is not None and state.bag:
            return state
        if state.phase == "deal":
            if state.rules.first_player == "random":
                return replace(state, phase="first")
            return state._begun(state.seats.index(state.rules.first_player))
        if state.aside:
            bag = state._in_order([*state.bag, *state.aside])
            state = replace(state, bag=bag, aside=(), mixed=state.mixed + 1)
        following = state.mover
        for _ in state.seats:
            following = (following + 1) % state.players
            if not state._is_home(following):
                break
        return replace(state, phase="play", mover=following, to_move=following)

    def _begun(self, first: int) -> SetupState:
        order = tuple((first - 1 - back) % self.players for back in range(self.players))
        return replace(self, phase="play", mover=first, to_move=first, recent=order)

    def _played(self, move: Move) -> SetupState:
        points, bonus = move.points, move.bonus
        if points is None or bonus is None:
            points, bonus = score(self.position, move)
        seat = self.mover
        stacks = list(self.stacks)
        names = self.rules.graph.squares
        for tile, square in move.placements:
            at = names.index(square)
            stacks[at] = (tile, *stacks[at])
        placed = set(move.tiles)
        racks = list(self.racks)
        racks[seat] = tuple(tile for tile in racks[seat] if tile not in placed)
        gained = [bonus.get(name, 0) for name in self.seats]
        gained[seat] += points
        state = replace(
            self,
            turn=self.turn + 1,
            stacks=tuple(stacks),
            racks=tuple(racks),
            common=tuple(tile for tile in self.common if tile not in placed),
            scores=tuple(steps + more for steps, more in zip(self.scores, gained, strict=True)),
            recent=(seat, *(other for other in self.recent if other != seat)),
            idle=0,
        )
        home = sum(map(state._is_home, range(self.players)))
        if home >= (self.players - 1 if self.rules.teams else 1):
            return replace(state, phase="over", to_move=OVER)
        return replace(state, phase="refill", to_move=CHANCE)._settled()

    def _swapped(self, tiles: Stack) -> SetupState:
        seat = self.mover
        there = len(self.bag) + sum(len(stack) - 1 for stack in self.stacks if stack)
        moved = self._in_order(tiles)[max(0, len(tiles) - there) :]
        racks = list(self.racks)
        racks[seat] = tuple(tile for tile in racks[seat] if tile not in moved)
        state = replace(self, turn=self.turn + 1, racks=tuple(racks), aside=moved, owed=len(moved), idle=self.idle + 1)
        if state.idle >= IDLE_END:
            return replace(state, racks=self.racks, aside=(), owed=0, phase="over", to_move=OVER)
        return replace(state, phase="swap", to_move=CHANCE)._settled()


FIRST_WORD: Final = 0
"""Word of a game's stream that names who moves first; behind it MAX_TILES words for each time the bag is mixed."""
_FIELDS: Final = (
    "rules",
    "seats",
    "phase",
    "mover",
    "turn",
    "stacks",
    "racks",
    "common",
    "aside",
    "owed",
    "scores",
    "mixed",
    "recent",
    "idle",
)


def start(rules: Rules | str, players: int = 2, *, seats: str | None = None) -> SetupState:
    """The game before the deal.

    rules: Rules or their text. players: 2 to 4, who sit at N S, at N E S, or at all seats; seats: others, as `NE`,
    then players is their number or the default. SolverError (RulesError, UnsupportedRules) names what cannot be.
    """
    if isinstance(rules, str):
        rules = Rules.parse(rules)
    if not isinstance(rules, Rules):
        raise SolverError(f"rules: must be Rules or their text, not {quote(rules)}")
    if isinstance(players, bool) or not isinstance(players, int) or players not in SEATINGS:
        raise SolverError(f"players: must be 2 to {len(SEATS)}, not {quote(players)}")
    if seats is None:
        seats = SEATINGS[players]
    elif not isinstance(seats, str) or len(seats) != players or [s for s in SEATS if s in seats] != list(seats):
        raise SolverError(f"seats: must be {players} of {SEATS} in this order, not {quote(seats)}")
    if rules.teams and seats != SEATS:
        raise SolverError(f"players: teams need {len(SEATS)}, not {players}")
    if rules.bonus_claim != "automatic":
        raise UnsupportedRules(f"bonus_claim: {rules.bonus_claim}; whole games count every bonus (automatic)")
    if rules.first_player != "random" and rules.first_player not in seats:
        raise SolverError(f"first_player: nobody sits at {rules.first_player} (seats={seats})")
    squares = len(rules.graph.squares)
    needed = squares + HAND * (players + 1)
    if len(rules.tiles) < needed:
        raise UnsupportedRules(
            f"numbers, suits: {len(rules.tiles)} tiles are too few for {squares} squares and {players} players: with"
            f" fewer than {needed} somebody may have no tile left to swap"
        )
    return SetupState(
        rules,
        seats,
        CHANCE,
        0,
        "deal",
        -1,
        ((),) * squares,
        ((),) * players,
        (),
        rules.tiles,
        (),
        0,
        (0,) * players,
        0,
        tuple(range(players)),
        0,
    )


@lru_cache(maxsize=1024)
def draw_key(seed: int, game: int) -> int:
    """The stream of all draws of one game."""
    return stream_key(seed, f"{NAME}:{game}", 0, "draws")


@lru_cache(maxsize=256)
def start_squares(rules: Rules, seats: str) -> tuple[int, ...]:
    """Places of the squares that get a tile at the start, in the order of the deal."""
    owners = rules.graph.owners
    found = [at for at, owner in enumerate(owners) if not owner][:CENTRE]
    if rules.absent_squares == "filled":
        for absent in SEATS:
            if absent not in seats:
                found += [at for at, owner in enumerate(owners) if owner == absent][:SIDE]
    return tuple(found)


def _position(
    rules: Rules,
    seats: str,
    seat: int,
    stacks: tuple[Stack, ...],
    rack: Stack,
    common: Stack,
    scores: tuple[int, ...],
) -> Position:
    board = [pair for pair in zip(rules.graph.squares, stacks, strict=True) if pair[1]]
    return Position(board, rack, common, seats[seat], seats, scores, rules)


def _sorted(records: Records) -> npt.NDArray[np.intp]:
    """The rows of the records in the order of `SetupState.action_key`."""
    columns = [*records["squares"].T[::-1], *records["tiles"].T[::-1]]
    # Nothing comes before any tile or square.
    return np.lexsort([np.where(column == NO_TILE, -1, column.astype(np.int16)) for column in columns])


def _items(values: object, what: str) -> list[Any]:
    if not isinstance(values, (list, tuple)) or len(values) > MAX_SQUARES:
        raise ParseError(f"{what}: must be a list, not {quote(values)}")
    return list(values)


def _tiles(values: object, what: str, index: Mapping[Tile, int]) -> Stack:
    if not isinstance(values, (list, tuple)) or len(values) > MAX_TILES:
        raise ParseError(f"{what}: must be a list of tiles, not {quote(values)}")
    for tile in values:
        if not isinstance(tile, str) or tile not in index:
            raise ParseError(f"{what}: {quote(tile)} is no tile of these rules")
    tiles = tuple(map(str, values))
    return tiles if what == "stacks" else tuple(sorted(tiles, key=index.__getitem__))


def _whole(value: object, what: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ParseError(f"{what}: must be a whole number from {low} to {high}, not {quote(value)}")
    return value
