"""Rules and boards of Setup: text forms, canonical values, and what is refused."""

from __future__ import annotations

import pickle

import pytest

from solver.errors import RulesError
from solver.setup import Board, Rules
from solver.setup.board import CORNER_BOARD, DEFAULT_BOARD

SMALL = Board(("a", "b", "c"), ("N", "", "S"), (("b", "a"), ("b", "c"), ("a", "b")))


def test_default_board() -> None:
    assert len(DEFAULT_BOARD.squares) == 12
    assert len(DEFAULT_BOARD.links) == 16
    assert len(CORNER_BOARD.links) == 20
    assert DEFAULT_BOARD.owners.count("") == 4
    assert {owner: DEFAULT_BOARD.owners.count(owner) for owner in "NESW"} == dict.fromkeys("NESW", 2)


def test_links_are_canonical() -> None:
    assert SMALL.links == (("a", "b"), ("b", "c"))
    assert str(SMALL) == "a@N,b,c@S/a-b,b-c"


@pytest.mark.parametrize(
    "rules",
    [
        Rules(finish=60),
        Rules(finish=1, board=SMALL, numbers=16, suits="AB♥"),
        Rules(finish=60, links="with_corners", run_order="block", scoring="per_set"),
        Rules(finish=60, teams=True, partners_see_racks=True, finish_rule="pass"),
        Rules(finish=60, board=Board.grid(8, 8, {"a1": "N"}), numbers=128, suits="x"),
        Rules(finish=60, board=Board(("only",), ("",), ()), on_opponents="allowed", bonus="none"),
    ],
)
def test_text_and_dict_round_trip(rules: Rules) -> None:
    assert Rules.parse(str(rules)) == rules
    assert Rules.parse(rules.text_without_finish(), finish=rules.finish) == rules
    assert Rules.from_dict(rules.to_dict()) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert hash(Rules.parse(str(rules))) == hash(rules)


def test_fields_without_effect_are_set_back() -> None:
    assert Rules(finish=60, partners_see_racks=True) == Rules(finish=60)
    assert Rules(finish=60, teams=True, absent_squares="filled") == Rules(finish=60, teams=True)
    assert Rules(finish=60, bonus="none", bonus_claim="if_claimed") == Rules(finish=60, bonus="none")
    assert Rules(finish=60, board=CORNER_BOARD) == Rules(finish=60, links="with_corners")
    assert str(Rules(finish=60, board=CORNER_BOARD)) == "default+finish=60+links=with_corners"


def test_tiles_and_preset() -> None:
    rules = Rules.preset("default", finish=60)
    assert rules == Rules(finish=60)
    assert len(rules.tiles) == 50
    assert rules.tiles[:6] == ("1*", "1H", "1D", "1C", "1S", "2*")
    assert Rules(finish=60, board="default_with_corners").links == "with_corners"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("default", "finish"),
        ("retail+finish=60", "retail"),
        ("default+finish=0", "finish"),
        ("default+finish=60+finish=61", "finish"),
        ("default+finish=sixty", "finish"),
        ("default+finish=60+colour=red", "colour"),
        ("default+finish=60+scoring", "scoring"),
        ("default+finish=60+scoring=most", "scoring"),
        ("default+finish=60+run_order=any", "run_order"),
        ("default+finish=60+links=diagonal", "links"),
        ("default+finish=60+on_opponents=yes", "on_opponents"),
        ("default+finish=60+bonus=double", "bonus"),
        ("default+finish=60+bonus_claim=no", "bonus_claim"),
        ("default+finish=60+finish_rule=touch", "finish_rule"),
        ("default+finish=60+absent_squares=full", "absent_squares"),
        ("default+finish=60+first_player=X", "first_player"),
        ("default+finish=60+teams=maybe", "teams"),
        ("default+finish=60+numbers=0", "numbers"),
        ("default+finish=60+numbers=26", "numbers"),
        ("default+finish=60+numbers=129+suits=x", "numbers"),
        ("default+finish=60+suits=HH", "suits"),
        ("default+finish=60+suits=H1", "suits"),
        ("default+finish=60+suits=", "suits"),
        ("default+finish=60+suits=-H", "suits"),
        ("default+finish=60+board=a,b", "board"),
        ("default+finish=60+board=a,a/", "board"),
        ("default+finish=60+board=a@X/", "board"),
        ("default+finish=60+board=a@/", "board"),
        ("default+finish=60+board=a,b/a-c", "board"),
        ("default+finish=60+board=a,b/a-a", "board"),
        ("default+finish=60+board=a,b/a-b-a", "board"),
        ("default+finish=60+board=1,2/", "board"),
        ("default+finish=60+board=/", "board"),
        ("default+finish=60+links=with_corners+board=a,b/a-b", "links"),
        ("default+finish=60+board=" + ",".join(f"a{i}" for i in range(65)) + "/", "board"),
        ("x" * 100_000, "rules"),
    ],
)
def test_bad_text_is_named(text: str, named: str) -> None:
    with pytest.raises(RulesError, match=named):
        Rules.parse(text)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("finish", None),
        ("finish", 60.0),
        ("finish", True),
        ("numbers", "ten"),
        ("suits", 5),
        ("teams", 1),
        ("board", 7),
        ("scoring", None),
        ("links", ["orthogonal"]),
    ],
)
def test_bad_values_are_named(field: str, value: object) -> None:
    with pytest.raises(RulesError, match=field):
        Rules(**{"finish": 60, field: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("arguments", [(0, 4), (27, 1), (8, 9), (4, 4, {"z9": "N"})])
def test_bad_grids(arguments: tuple[int, int]) -> None:
    with pytest.raises(RulesError, match="board"):
        Board.grid(*arguments)
