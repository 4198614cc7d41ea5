"""Whole games of Trek 12: any number of players with the same dice, on one sheet or on an expedition of three.

A turn is one chance node, the roll of both dice (36 outcomes, as the dice show them, so that any game that was played
can be written down), then one decision of every seat in order. Players write at the same time: nobody sees what the
others choose before all have chosen, so a view has the sheets of the others as they were before the roll.

An expedition (`sheet="expedition"`, or three sheets of one's own) gives stars for each sheet: 1, 3 and 5 to everyone at
or above its summit, and 1, 2 and 3 for its best score, to all who tie for it; with one player there is nobody to beat,
and only summits count. Most stars win. How ties for the best score or for the stars are settled is not published.

Text: an action is a Move, `product@7+13`; a roll is `yellow,red`, `2,5`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ..errors import IllegalAction, ParseError, RulesError, SolverError, check_keys, quote
from ..games import CHANCE, OVER
from ..streams import check_seed, stream_key, word
from .position import Move, Position
from .rules import AMAZONIA, HIMALAYA, OPS, Rules
from .score import score
from .search import legal_moves
from .sheets import Sheet
from .verify import verify

NAME: Final = "trek12"
DEFAULT_SHEETS: Final[Mapping[str, str]] = MappingProxyType({HIMALAYA: "dunai", AMAZONIA: "amazonia_1"})
EXPEDITION: Final = "expedition"
EXPEDITION_SHEETS: Final = ("dunai", "kagkot", "dhaulagiri")
SUMMIT_STARS: Final = (1, 3, 5)
BEST_STARS: Final = (1, 2, 3)
MOST_PLAYERS: Final = 100
WORDS_PER_GAME: Final = 128
"""Words of a stream of dice that a game takes at most; the roll of turn t is made of word 2 * t, as in the kernels."""
FINAL_SCORES: Final = 256
"""Ended sheets whose scores are kept: the states of an expedition share them."""
_FACES: Final = 36


class Roll(NamedTuple):
    """What both dice show."""

    yellow: int
    red: int

    def __str__(self) -> str:
        return f"{self.yellow},{self.red}"


Action = Move
Outcome = Roll
_ROLLS: Final = tuple(Roll(yellow, red) for yellow in range(6) for red in range(1, 7))
_OUTCOMES: Final = tuple((roll, 1 / _FACES) for roll in _ROLLS)


@dataclass(frozen=True, slots=True)
class TrekView:
    """All that a seat can see.

    position: its own sheet, with the roll while it has still to choose. boards: for each sheet that was begun the
    sheets of all seats, the present ones as they were before the roll. scores: of the sheets that have ended, by seat.
    """

    seat: int
    rules: Rules
    course: tuple[Sheet, ...]
    to_move: int
    turn: int
    roll: Roll | None
    position: Position
    boards: tuple[tuple[Position, ...], ...]
    scores: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class TrekState:
    """A game; make the first state with `start`.

    course: one sheet, or the three of an expedition. boards: for each sheet that was begun the position of every seat
    without a roll, the present ones as they were before the roll. roll: None before it. chosen: what the first seats
    have chosen for the present roll.
    """

    rules: Rules
    course: tuple[Sheet, ...]
    boards: tuple[tuple[Position, ...], ...]
    roll: Roll | None = None
    chosen: tuple[Move, ...] = ()

    @property
    def game(self) -> str:
        """The game's name."""
        return NAME

    @property
    def players(self) -> int:
        """Number of seats."""
        return len(self.boards[0])

    @property
    def to_move(self) -> int:
        """The seat that chooses, CHANCE before a roll, OVER at the end."""
        if self.boards[-1][0].over:
            return OVER
        return CHANCE if self.roll is None else len(self.chosen)

    @cached_property
    def turn(self) -> int:
        """Decisions that were taken so far."""
        return sum(_filled(row[0]) for row in self.boards) * self.players + len(self.chosen)

    @staticmethod
    def action_key(action: Move) -> tuple[int, int, tuple[int, ...]]:
        """Legal actions are in this order: operation (low high diff sum product), circle, links that are named."""
        return OPS.index(action.op), action.circle, action.links

    def legal_actions(self) -> Iterator[Move]:
        """Moves of the seat to move, sorted by `action_key`, each once; none at chance nodes and at the end."""
        if self.to_move >= 0:
            yield from self._moves(self.to_move)

    @property
    def position(self) -> Position:
        """The sheet of the seat to move, with the roll. Raises SolverError at chance nodes and at the end."""
        if self.to_move < 0:
            raise SolverError(f"position: no seat is to move ({self._node()})")
        return self.boards[-1][self.to_move].with_roll(self.roll)

    def chance_outcomes(self) -> list[tuple[Roll, float]]:
        """The 36 rolls with their chances; none where no dice are rolled."""
        return list(_OUTCOMES) if self.to_move == CHANCE else []

    def apply(self, event: Action | Outcome, check: bool = True) -> TrekState:
        """The state after a move of the seat to move, or after a roll.

        check: False trusts the caller that it is legal. Raises IllegalAction that names it and says why not.
        """
        to_move = self.to_move
        if check:
            self._check(event)
        if to_move == CHANCE:
            assert isinstance(event, tuple)
            return replace(self, roll=Roll(int(event[0]), int(event[1])))
        assert isinstance(event, Move)
        chosen = (*self.chosen, event)
        if len(chosen) < self.players:
            return replace(self, chosen=chosen)
        row = tuple(
            position.with_roll(self.roll).play(move) for position, move in zip(self.boards[-1], chosen, strict=True)
        )
        boards = (*self.boards[:-1], row)
        if row[0].over and len(boards) < len(self.course):
            boards = (*boards, _empty(self.course[len(boards)], self.rules, self.players))
        return TrekState(self.rules, self.course, boards)

    def _check(self, action: object) -> None:
        if self.to_move == OVER:
            raise IllegalAction(f"{_shown(action)}: the game is over")
        if self.to_move == CHANCE:
            if not isinstance(action, tuple) or action not in _ROLLS:
                raise IllegalAction(f"{_shown(action)}: the roll comes first, yellow 0 to 5 and red 1 to 6")
            return
        if not isinstance(action, Move):
            raise IllegalAction(f"{_shown(action)}: seat {self.to_move} has to choose a move")
        problems = verify(self.position, action)
        if problems:
            raise IllegalAction(f"{_shown(action)}: {'; '.join(problems)}")

    def sample(self, seed: int, game: int) -> Roll:
        """The roll of this turn in game number `game` of a seed: a function of seed, game, sheet and turn alone."""
        if self.to_move != CHANCE:
            raise SolverError(f"sample: no dice are rolled here ({self._node()})")
        check_seed(game, "game")
        drawn = word(dice_key(seed, len(self.boards) - 1), game * WORDS_PER_GAME + 2 * _filled(self.boards[-1][0]))
        return _ROLLS[((drawn >> 32) * _FACES) >> 32]

    def view(self, seat: int) -> TrekView:
        """All that the seat can see. Raises SolverError for a seat that does not exist."""
        self._check_seat(seat)
        position = self.boards[-1][seat]
        if seat < len(self.chosen):
            position = position.with_roll(self.roll).play(self.chosen[seat])
        else:
            position = position.with_roll(self.roll)
        return TrekView(
            seat, self.rules, self.course, self.to_move, self.turn, self.roll, position, self.boards, self.scores
        )

    def reshuffled(self, seat: int, key: int) -> TrekState:
        """A state that the seat cannot tell from this one: what others chose this turn is replaced by any legal move.

        key: of the stream that picks the moves, each with the same chance.
        """
        self._check_seat(seat)
        chosen = []
        for other, move in enumerate(self.chosen):
            if other != seat:
                moves = self._moves(other)
                move = moves[word(key, other) % len(moves)]
            chosen.append(move)
        return replace(self, chosen=tuple(chosen))

    @cached_property
    def scores(self) -> tuple[tuple[int, ...], ...]:
        """Final scores of the sheets that have ended, by seat; LimitReached where a free layout is too large."""
        return tuple(tuple(map(_final, row)) for row in self.boards if row[0].over)

    @property
    def totals(self) -> tuple[int, ...]:
        """The sum of the scores of the sheets that have ended, by seat."""
        return tuple(sum(row[seat] for row in self.scores) for seat in range(self.players))

    @property
    def stars(self) -> tuple[int, ...]:
        """Stars of the sheets that have ended, by seat; all 0 outside of an expedition."""
        return stars_of(self.course, self.scores) if len(self.course) > 1 and self.scores else (0,) * self.players

    def returns(self) -> tuple[float, ...]:
        """The final score of each seat, in an expedition its stars. Raises SolverError before the end."""
        if self.to_move != OVER:
            raise SolverError(f"returns: the game is not over ({self._node()})")
        return tuple(map(float, self.totals if len(self.course) == 1 else self.stars))

    def winners(self) -> tuple[int, ...]:
        """The seats with the highest return; several when they tie."""
        returns = self.returns()
        return tuple(seat for seat, points in enumerate(returns) if points == max(returns))

    def read(self, text: str) -> Move | Roll:
        """The roll or move that a text says. Raises ParseError."""
        if self.to_move == OVER:
            raise ParseError(f"{quote(text)}: the game is over")
        if self.to_move >= 0:
            return Move.parse(text)
        for roll in _ROLLS:
            if isinstance(text, str) and text.strip() == str(roll):
                return roll
        raise ParseError(f"roll: {quote(text)} is not YELLOW,RED with yellow 0 to 5 and red 1 to 6")

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "rules": str(self.rules),
            "course": [str(sheet) for sheet in self.course],
            "boards": [[str(position) for position in row] for row in self.boards],
            "roll": None if self.roll is None else str(self.roll),
            "chosen": [str(move) for move in self.chosen],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TrekState:
        """The inverse of `to_dict`. Raises ParseError, IllegalPosition or IllegalAction for what no game can be."""
        check_keys(data, "state", ("rules", "course", "boards"), ("roll", "chosen"))
        rules = Rules.parse(data["rules"])
        course = course_of(data["course"], rules)
        rows = data["boards"]
        if not isinstance(rows, list) or not all(isinstance(row, list) and row for row in rows):
            raise ParseError(f"boards: must be lists of positions, not {quote(rows)}")
        if not 1 <= len(rows) <= len(course) or len({len(row) for row in rows}) > 1:
            raise ParseError(f"boards: must be 1 to {len(course)} rows with one position a seat")
        players_of(len(rows[0]))
        boards = tuple(tuple(Position.parse(text) for text in row) for row in rows)
        for stage, (sheet, row) in enumerate(zip(course, boards, strict=False)):
            for position in row:
                position.check()
                if position.sheet != sheet or position.rules != rules or position.roll is not None:
                    raise ParseError(f"boards: a position of {sheet} under {rules} without a roll is needed here")
            # the next sheet begins when one has ended
            ended = stage + 1 < len(boards)
            if len({_filled(position) for position in row}) > 1 or (row[0].over != ended and stage + 1 < len(course)):
                raise ParseError(f"boards: the sheets of {sheet} are not filled as in a game")
        state = cls(rules, course, boards)
        texts = data.get("chosen", [])
        if data.get("roll") is not None:
            state = state.apply(state.read(data["roll"]) if state.to_move == CHANCE else data["roll"])
        elif texts:
            raise ParseError("chosen: there is no roll to choose for")
        if not isinstance(texts, list) or len(texts) >= state.players:
            raise ParseError(f"chosen: must be moves of the first seats, not of all, not {quote(texts)}")
        for text in texts:
            state = state.apply(Move.parse(text))
        return state

    def _moves(self, seat: int) -> list[Move]:
        return sorted(legal_moves(self.boards[-1][seat].with_roll(self.roll)), key=self.action_key)

    def _node(self) -> str:
        return {OVER: "the game is over", CHANCE: "the dice are to be rolled"}.get(self.to_move, "a seat is to choose")

    def _check_seat(self, seat: int) -> None:
        if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < self.players:
            raise SolverError(f"seat: must be 0 to {self.players - 1}, not {quote(seat)}")


def start(
    rules: Rules | str | None = None,
    players: int = 2,
    *,
    sheet: Sheet | str | Sequence[Sheet | str] | None = None,
) -> TrekState:
    """The first state of a game, before the first roll.

    sheet: a Sheet or its text, `expedition`, or three sheets for an expedition of one's own; None: Dunai, and with the
    rules of Amazonia its sheet. players: 1 to 100. Raises SolverError that names field and value.
    """
    rules = Rules.parse(rules) if isinstance(rules, str) else Rules() if rules is None else rules
    if not isinstance(rules, Rules):
        raise RulesError(f"rules: must be Rules, not {quote(rules)}")
    course = course_of(sheet, rules)
    for one in course:
        Position.start(one, rules).check()
    return TrekState(rules, course, (_empty(course[0], rules, players_of(players)),))


def players_of(players: int) -> int:
    """The number of players itself. Raises RulesError unless it is 1 to 100."""
    if isinstance(players, bool) or not isinstance(players, int) or not 1 <= players <= MOST_PLAYERS:
        raise RulesError(f"players: must be 1 to {MOST_PLAYERS}, not {quote(players)}")
    return players


def course_of(sheet: Sheet | str | Sequence[Sheet | str] | None, rules: Rules) -> tuple[Sheet, ...]:
    """One sheet, or the three of an expedition; None: the rules' own. Raises RulesError or ParseError."""
    if sheet is None:
        sheet = DEFAULT_SHEETS[rules.variant]
    if isinstance(sheet, Sheet | str):
        listed: Sequence[Sheet | str] = EXPEDITION_SHEETS if sheet == EXPEDITION else (sheet,)
    else:
        listed = sheet
    if not isinstance(listed, tuple | list) or len(listed) not in (1, len(SUMMIT_STARS)):
        raise RulesError(f"sheet: must be a sheet, {EXPEDITION!r} or three sheets, not {quote(sheet)}")
    others = (EXPEDITION,) if isinstance(sheet, str) else ()
    return tuple(one if isinstance(one, Sheet) else Sheet.parse(one, others=others) for one in listed)


def stars_of(course: Sequence[Sheet], scores: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Stars by seat for the scores of the first sheets of an expedition, by sheet and seat."""
    stars = [0] * len(scores[0])
    for stage, row in enumerate(scores):
        summit, best = course[stage].summit, max(row)
        for seat, points in enumerate(row):
            stars[seat] += SUMMIT_STARS[stage] * (summit is not None and points >= summit)
            stars[seat] += BEST_STARS[stage] * (len(row) > 1 and points == best)
    return tuple(stars)


def dice_key(seed: int, stage: int) -> int:
    """The key of the stream of dice for the sheet with that number of an expedition, 0 for a single sheet."""
    return stream_key(check_seed(seed), NAME, stage, "dice")


@lru_cache(maxsize=FINAL_SCORES)
def _final(position: Position) -> int:
    return score(position).total


def _filled(position: Position) -> int:
    return len(position.cells) - position.empties


def _empty(sheet: Sheet, rules: Rules, players: int) -> tuple[Position, ...]:
    return (Position.start(sheet, rules),) * players


def _shown(action: object) -> str:
    return quote(str(action)) if isinstance(action, Move | Roll) else quote(action)
