"""Records: text and JSON forms, and replay that checks everything."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from solver import games, records
from solver.errors import IllegalAction, ParseError, SolverError
from solver.games import Record, Turn
from tests import toy

NAMES = ("random", "take:3")


def played(index: int = 0) -> Record:
    options = {"double": True}
    return games.play(toy.start(**options), [toy.player(name) for name in NAMES], 5, index, options=options)


@pytest.mark.parametrize("index", range(10))
def test_both_forms_read_back(index: int) -> None:
    record = played(index)
    assert records.parse(str(record)) == record
    assert records.from_dict(json.loads(json.dumps(record.to_dict()))) == record


@pytest.mark.parametrize("index", range(10))
def test_replay_gives_every_state(index: int) -> None:
    record = played(index)
    states = records.replay(record, toy.GAME)
    events = len(record.deal) + sum(1 + len(turn.outcomes) for turn in record.turns)
    assert len(states) == events + 1
    assert states[0] == toy.start(double=True)
    assert states[-1].returns() == record.returns


def test_a_record_from_real_dice_has_no_seed() -> None:
    record = replace(played(), seed=None, index=None)
    assert "seed" not in str(record)
    assert records.parse(str(record)) == record
    records.replay(record, toy.GAME)


def test_a_file_may_hold_both_forms() -> None:
    first, second, third = (played(index) for index in range(3))
    text = f"# games\n{first}\n\n# more\n{second}{json.dumps({'number': 7, **third.to_dict()})}\n"
    assert [record for _, record in records.read_records(text.splitlines())] == [first, second, third]
    lines = [line for line, _ in records.read_records(text.splitlines())]
    assert lines[0] == 2
    assert text.splitlines()[lines[1] - 1].startswith(("game", "#"))


def changed(record: Record, number: int, **changes: object) -> Record:
    turns = list(record.turns)
    turns[number] = replace(turns[number], **changes)
    return replace(record, turns=tuple(turns))


RECORD = played()
FIRST = RECORD.turns[0]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (changed(RECORD, 0, action="take 4"), "turn 1: .*take 4 is not possible"),
        (changed(RECORD, 0, action="take  1"), "turn 1: action: cannot read"),
        (changed(RECORD, 0, action="take 01"), "turn 1: 'take 01' is written 'take 1'"),
        (changed(RECORD, 0, seat=1), "turn 1: seat 1 at .* but seat 0 is next"),
        (changed(RECORD, 0, outcomes=()), "turn 2: seat 1 at .* but an outcome is next"),
        (changed(RECORD, 0, outcomes=("5",)), "turn 1: '5' is no possible outcome"),
        (changed(RECORD, 0, outcomes=(str(1 - int(FIRST.outcomes[0])),)), "seed 5 index 0 draws"),
        (replace(RECORD, turns=RECORD.turns[:-1]), "the game is not over, seat"),
        (replace(RECORD, turns=(*RECORD.turns, Turn(0, "take 1"))), "but the end is next"),
        (replace(RECORD, returns=(1.0, 1.0)), "returns: .* but the rules give"),
        (replace(RECORD, returns=(1.0,)), "returns: .* but the rules give"),
        (replace(RECORD, winners=(0, 1)), "winners: .* but the rules give"),
        (replace(RECORD, rules="heap=07"), "is written 'heap=7'"),
        (replace(RECORD, players=("a", "b", "c", "d")), "players: must be 2 or 3"),
        (replace(RECORD, options={"triple": 1}), "no option 'triple'"),
    ],
)
def test_replay_finds_what_is_wrong(record: Record, message: str) -> None:
    with pytest.raises(SolverError, match=message):
        records.replay(record, toy.GAME)


def test_an_illegal_action_keeps_its_kind() -> None:
    with pytest.raises(IllegalAction, match="record: turn 1"):
        records.replay(changed(RECORD, 0, action="take 4"), toy.GAME)


def test_the_game_is_found_by_its_name() -> None:
    with pytest.raises(SolverError, match="game: must be one of"):
        records.replay(RECORD)


TEXT = str(RECORD)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the text is empty"),
        ("# only a comment", "the text is empty"),
        ("game toy", "line 1: rules is missing before 'the end'"),
        (TEXT.replace("rules", "rule"), "line 2: rules is missing before 'rule heap"),
        (TEXT.replace("player ", "name "), "player is missing"),
        (TEXT.replace("seed 5", "seed five"), "seed: must be a whole number, not 'five'"),
        (TEXT.replace("seed 5", f"seed {10**30}"), "seed: must be a whole number"),
        (TEXT.replace("seed 5", f"seed {2**63}"), "seed: must be an integer from 0"),
        (TEXT.replace("index 0\n", ""), "index is missing"),
        (TEXT.replace('{"double": true}', "{"), "options: no JSON"),
        (TEXT.replace('{"double": true}', "[1]"), "options: must be a mapping"),
        (TEXT.replace('{"double": true}', "[" * 10**5), "options: no JSON"),
        (TEXT.replace("\n2 1 ", "\n3 1 "), "must be `2 SEAT ACTION > OUTCOME ...`, not '3 1"),
        (TEXT.replace("\n2 1 ", "\n2 x "), "seat: must be a whole number, not 'x'"),
        (TEXT.replace("returns", "return"), "returns is missing"),
        (TEXT.replace("winners", "winner"), "winners is missing"),
        (TEXT.replace("winners", "winners -1"), "winners: must be a whole number, not '-1'"),
        (TEXT.replace("returns", "returns nan"), "returns: must be a list of numbers"),
        (TEXT.replace("returns", "returns one"), "returns: must be numbers, not 'one'"),
        (TEXT + "more", "nothing may follow the winners"),
    ],
)
def test_bad_text_names_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        records.parse(text)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": 1}, "must be a list of texts"),
        ({"players": "ab"}, "players: must be a list of texts"),
        ({"players": ["a\nb"]}, "players: must be a list of texts"),
        ({"deal": [1]}, "deal: must be a list of texts"),
        ({"seed": None}, "seed and index belong together"),
        ({"seed": True}, "seed: must be an integer"),
        ({"seed": 1, "index": "x"}, "must be an integer"),
        ({"turns": {}}, "turns: must be a list"),
        ({"turns": [[0]]}, "a turn is"),
        ({"turns": [["0", "take 1"]]}, "a turn is"),
        ({"turns": [[0, 1]]}, "turns: must be a list of texts"),
        ({"options": []}, "options: must be a mapping"),
        ({"returns": [10**400, 0]}, "returns: must be a list of numbers"),
        ({"winners": 0}, "winners: must be a list of seats"),
        ({"winners": [True]}, "winners: must be a list of seats"),
        ({"returns": [True]}, "returns: must be a list of numbers"),
    ],
)
def test_bad_data_names_what_is_wrong(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ParseError, match=message):
        records.from_dict({**RECORD.to_dict(), **changes})


def test_missing_data_is_named() -> None:
    for key in ("game", "rules", "players", "deal", "turns", "returns", "winners"):
        data = RECORD.to_dict()
        del data[key]
        with pytest.raises(ParseError, match=f"{key} is missing"):
            records.from_dict(data)


def test_nothing_may_be_given_twice() -> None:
    """A checker and a reader of the same line could take different values."""
    line = json.dumps(played().to_dict())
    assert list(records.read_records([line]))
    double = '"double": true'
    for twice in (line.replace('"seed"', '"returns": [9, 9], "seed"'), line.replace(double, f"{double}, {double}")):
        with pytest.raises(ParseError, match=r"line 1: record: '(returns|double)' is there twice"):
            list(records.read_records([twice]))
    with pytest.raises(ParseError, match="record: 'double' is there twice"):
        records.parse(str(played()).replace(double, f"{double}, {double}"))


def test_a_bad_line_of_a_file_is_named() -> None:
    with pytest.raises(ParseError, match="line 2: no JSON"):
        list(records.read_records(["# games", "{"]))
    with pytest.raises(ParseError, match="line 2: record: game is missing"):
        list(records.read_records(["# games", "{}"]))
