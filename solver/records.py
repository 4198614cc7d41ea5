r"""Records of whole games: read from text or JSON, and replayed with every event checked.

The text of a record, `str(record)`:

    game rummikub
    rules standard
    options {"name": value}             JSON; left out when there are none
    player greedy                       a line for each seat
    player wait
    seed 1                              seed and index are left out when the outcomes came from a real bag or dice
    index 0
    deal R5 K9 ...                      the outcomes before the first turn
    1 0 ACTION > OUTCOME ...            a line for each turn: number from 1, seat, action, the outcomes that followed
    2 1 ACTION
    returns 24 -24                      the final points by seat
    winners 0                           the seats that win

Between records of one file stand blank lines; lines that begin with # are comments. A line that begins with { is the
JSON form, `record.to_dict()`, with a turn as [seat, action, outcome...]; keys besides those of a record are skipped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from .errors import IllegalAction, ParseError, SolverError, quote
from .games import CHANCE, OVER, Game, Record, State, Turn, begin, load
from .streams import check_seed

__all__ = ["Record", "Turn", "from_dict", "parse", "read_records", "replay"]

TOLERANCE: Final = 1e-9
"""How far returns may be from those of a replay, in points: they may have been written with fewer digits."""


LARGEST: Final = 1e15
"""No points of a game come near; not a number and infinity are not below it."""


def parse(text: str) -> Record:
    """The record of one text. Raises ParseError that names the line."""
    return _parsed(enumerate(text.splitlines(), 1))


def _parsed(lines: Iterable[tuple[int, str]]) -> Record:
    """The record of (number, text) of its lines."""
    rest = [(number, line.strip()) for number, line in lines]
    rest = [(number, line) for number, line in rest if line and not line.startswith("#")]
    if not rest:
        raise ParseError("record: the text is empty")
    last = rest[-1][0]

    def take(key: str) -> str | None:
        """What follows the key, if the next line begins with it."""
        if rest:
            word, _, value = rest[0][1].partition(" ")
            if word == key:
                del rest[0]
                return value.strip()
        return None

    def needed(key: str) -> str:
        value = take(key)
        if value is None:
            where, line = rest[0] if rest else (last, "the end")
            raise ParseError(f"record: line {where}: {key} is missing before {quote(line)}")
        return value

    game, rules = needed("game"), needed("rules")
    options = take("options")
    players = [needed("player")]
    while (name := take("player")) is not None:
        players.append(name)
    seed = take("seed")
    index = None if seed is None else needed("index")
    deal = needed("deal").split()
    turns: list[list[Any]] = []
    while rest and rest[0][1][0] in "0123456789":
        number, line = rest.pop(0)
        turns.append(_turn(number, line, len(turns) + 1))
    returns, winners = needed("returns").split(), needed("winners").split()
    if rest:
        raise ParseError(f"record: line {rest[0][0]}: nothing may follow the winners, {quote(rest[0][1])} does")
    try:
        values = {} if options is None else json.loads(options, object_pairs_hook=_distinct)
    except ParseError:
        raise
    except (ValueError, RecursionError):
        raise ParseError(f"record: options: no JSON, {quote(options)}") from None
    return from_dict(
        {
            "game": game,
            "rules": rules,
            "options": values,
            "players": players,
            "seed": None if seed is None else _whole("seed", seed),
            "index": None if index is None else _whole("index", index),
            "deal": deal,
            "turns": turns,
            "returns": [_points(value) for value in returns],
            "winners": [_whole("winners", value) for value in winners],
        }
    )


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; of a name that is there twice nobody could say which value was checked."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for at, (name, _) in enumerate(pairs) if any(name == other for other, _ in pairs[:at]))
        raise ParseError(f"record: {quote(twice)} is there twice")
    return found


def _turn(line_number: int, line: str, number: int) -> list[Any]:
    words = line.split(" ", 2)
    if len(words) < 3 or words[0] != str(number):
        raise ParseError(f"record: line {line_number}: must be `{number} SEAT ACTION > OUTCOME ...`, not {quote(line)}")
    action, _, outcomes = words[2].partition(" > ")
    return [_whole(f"line {line_number}: seat", words[1]), action.strip(), *outcomes.split()]


def _whole(what: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(2**63))):
        raise ParseError(f"record: {what}: must be a whole number, not {quote(text)}")
    return int(text)


def _points(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParseError(f"record: returns: must be numbers, not {quote(text)}") from None


def _texts(what: str, values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) and value.isprintable() for value in values):
        raise ParseError(f"record: {what}: must be a list of texts of one line, not {quote(values)}")
    return tuple(values)


def from_dict(data: Mapping[str, Any]) -> Record:
    """The record of plain data, the inverse of `Record.to_dict`; other keys are skipped. Raises ParseError."""
    for key in ("game", "rules", "players", "deal", "turns", "returns", "winners"):
        if not isinstance(data, Mapping) or key not in data:
            raise ParseError(f"record: {key} is missing")
    game, rules = _texts("game and rules", [data["game"], data["rules"]])
    options, seed, index = data.get("options", {}), data.get("seed"), data.get("index")
    if not isinstance(options, dict) or not all(isinstance(name, str) for name in options):
        raise ParseError(f"record: options: must be a mapping, not {quote(options)}")
    if (seed is None) != (index is None):
        raise ParseError("record: seed and index belong together")
    if seed is not None:
        try:
            check_seed(seed)
            check_seed(index, "index")  # type: ignore[arg-type]
        except SolverError as error:
            raise ParseError(f"record: {error}") from None
    if not isinstance(data["turns"], list):
        raise ParseError(f"record: turns: must be a list, not {quote(data['turns'])}")
    turns = []
    for turn in data["turns"]:
        if not isinstance(turn, list) or len(turn) < 2 or isinstance(turn[0], bool) or not isinstance(turn[0], int):
            raise ParseError(f"record: turns: a turn is [seat, action, outcome...], not {quote(turn)}")
        action, *outcomes = _texts("turns", turn[1:])
        turns.append(Turn(turn[0], action, tuple(outcomes)))
    returns = data["returns"]
    if not isinstance(returns, list) or not all(
        isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < LARGEST for value in returns
    ):
        raise ParseError(f"record: returns: must be a list of numbers, not {quote(returns)}")
    winners = data["winners"]
    if not isinstance(winners, list) or not all(type(seat) is int for seat in winners):
        raise ParseError(f"record: winners: must be a list of seats, not {quote(winners)}")
    return Record(
        game=game,
        rules=rules,
        players=_texts("players", data["players"]),
        seed=seed,
        index=index,
        options=options,
        deal=_texts("deal", data["deal"]),
        turns=tuple(turns),
        returns=tuple(map(float, returns)),
        winners=tuple(winners),
    )


def read_records(lines: Iterable[str]) -> Iterator[tuple[int, Record]]:
    """(Number of its first line, record) of each record in a file's lines, text and JSON. Raises ParseError that names
    the line."""
    block: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if block and (not text or text.startswith("{")):
            yield block[0][0], _parsed(block)
            block = []
        if text.startswith("{"):
            try:
                data = json.loads(text, object_pairs_hook=_distinct)
            except ParseError as error:
                raise ParseError(f"line {number}: {error}") from None
            except (ValueError, RecursionError):
                raise ParseError(f"record: line {number}: no JSON, {quote(text)}") from None
            try:
                yield number, from_dict(data)
            except ParseError as error:
                raise ParseError(f"line {number}: {error}") from None
        elif text and (block or not text.startswith("#")):
            block.append((number, text))
    if block:
        yield block[0][0], _parsed(block)


def replay(record: Record, game: Game | None = None) -> list[State]:
    """Every state of a recorded game, from before the deal to the end, with everything checked.

    Each action must be legal by the game's `verify` and each outcome possible; where the record has a seed, the outcome
    must be the one of this seed. Texts must be canonical, the game must be over at the end, and returns and winners
    must be those of the rules. game: by default the one that the record names. Raises SolverError that names the turn
    and what is wrong there.
    """
    game = load(record.game) if game is None else game
    state = begin(game, record.rules, len(record.players), record.options)
    if str(state.rules) != record.rules:
        raise ParseError(f"record: rules: {quote(record.rules)} is written {quote(str(state.rules))}")
    states = [state]
    events: list[tuple[str, int, str]] = [("deal", CHANCE, text) for text in record.deal]
    for number, turn in enumerate(record.turns, 1):
        events.append((f"turn {number}", turn.seat, turn.action))
        events += [(f"turn {number}", CHANCE, text) for text in turn.outcomes]
    for where, seat, text in events:
        try:
            state = _next(state, seat, text, record)
        except SolverError as error:
            kind = IllegalAction if isinstance(error, IllegalAction) else SolverError
            raise kind(f"record: {where}: {error}") from None
        states.append(state)
    if state.to_move != OVER:
        raise SolverError(f"record: the game is not over, {_who(state.to_move)} follows")
    returns = state.returns()
    if len(returns) != len(record.returns) or any(
        abs(a - b) > TOLERANCE for a, b in zip(returns, record.returns, strict=True)
    ):
        raise SolverError(f"record: returns: {list(record.returns)}, but the rules give {list(map(float, returns))}")
    if tuple(state.winners()) != record.winners:
        raise SolverError(f"record: winners: {list(record.winners)}, but the rules give {list(state.winners())}")
    return states


def _next(state: State, seat: int, text: str, record: Record) -> State:
    if state.to_move != seat:
        raise SolverError(f"{_who(seat)} at {quote(text)}, but {_who(state.to_move)} is next")
    event = state.read(text)
    if str(event) != text:
        raise ParseError(f"{quote(text)} is written {quote(str(event))}")
    if seat == CHANCE:
        if all(event != outcome for outcome, _ in state.chance_outcomes()):
            raise SolverError(f"{quote(text)} is no possible outcome here")
        if record.seed is not None and record.index is not None:
            drawn = state.sample(record.seed, record.index)
            if drawn != event:
                raise SolverError(
                    f"{quote(text)}, but seed {record.seed} index {record.index} draws {quote(str(drawn))}"
                )
    return state.apply(event, check=True)


def _who(seat: int) -> str:
    return {CHANCE: "an outcome", OVER: "the end"}.get(seat, f"seat {seat}")
