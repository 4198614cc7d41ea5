"""verify: accepts legal moves under every rule option, names what is wrong with all others, never raises for a move."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from solver.errors import IllegalPosition
from solver.rummikub.position import Move, Position
from solver.rummikub.rules import Rules
from solver.rummikub.verify import verify
from solver.rummikub.verify_opening import best_single_set, reaches
from solver.rummikub.verify_sets import tile_numbers

DATA = Path(__file__).parent.parent / "data" / "rummikub"
POSITIONS = json.loads((DATA / "positions.json").read_text())["positions"]
WITNESSES = [case for case in POSITIONS if case["witness"] and case["max_tiles"]]


def problems(position: str, move: str) -> list[str]:
    read = Position.parse(position)
    return verify(read, Move.parse(move, read.rules))


def witness_move(case: dict[str, Any]) -> tuple[Position, Move]:
    position = Position.parse(case["position"])
    table = [tuple(tiles.split()) for tiles in case["witness"]]
    before = Counter(tile for tiles in position.table for tile in tiles)
    after = Counter(tile for tiles in table for tile in tiles)
    return position, Move((after - before).elements(), table, rules=position.rules)


@pytest.mark.parametrize("case", WITNESSES, ids=lambda case: str(case["id"]))
def test_witness_is_accepted(case: dict[str, Any]) -> None:
    position, move = witness_move(case)
    assert verify(position, move) == []
    assert len(move.tiles) == case["max_tiles"]


# Known-answer positions that come without a witness, laid out by hand, and a few more.
LEGAL = [
    (
        "R1 R2 R3, R1 R2 R3, R4 R5 R6 R7 R8 R9 R10, R4 R5 R6 R7 R8 R9 R10, R11 R12 R13, R11 R12 R13 | J | rules=free",
        "J | R1 R2 R3, R1 R2 R3, R4 R5 R6 R7 R8 R9 R10, R4 R5 R6 R7 R8 R9 R10, R11 R12 R13, J R11 R12 R13",
    ),
    ("R7 B7 K7 O7, R7 B7 K7 O7 | J | rules=free", "J | R7 B7 K7, R7 B7 O7, K7 O7 J"),
    ("R7 B7 K7 O7 | J J | rules=free", "J J | R7 B7 K7, O7 J J"),
    ("R1 B1 K1 J | R5 R6 R7 K11 | rules=free", "R5 R6 R7 | R1 B1 K1 J, R5 R6 R7"),
    ("R13 J J | B13 O13 K13 B13 O13 | rules=free", "B13 B13 K13 O13 O13 | R13 B13 K13 O13, B13 O13 J J"),
    ("R4 R5 R6 R7 | R5 R6 R7 R8", "R8 | R4 R5 R6 R7 R8"),
    ("R3 R4 R5 R6 R7 R8 R9 | B6 K6", "B6 K6 | R3 R4 R5, R6 B6 K6, R7 R8 R9"),
]


def case_id(value: object) -> str:
    return str(value).replace(" ", "")[:60]


# Each rule option: (position, move, part of the sentence that must come; "" for a legal move).
OPTIONS = [
    # opening_threshold; opening_uses_table=no
    ("- | R9 B9 K9 R1 R2 R3 | unopened", "R1 R2 R3 R9 B9 K9 | R1 R2 R3, R9 B9 K9", ""),
    ("- | R9 B9 K9 R1 R2 R3 | unopened", "R9 B9 K9 | R9 B9 K9", "opening: the sets laid are worth 27, it takes 30"),
    ("- | R10 B10 K10 | unopened", "R10 B10 K10 | R10 B10 K10", ""),
    ("- | R9 B9 K9 | unopened rules=standard+opening_threshold=27", "R9 B9 K9 | R9 B9 K9", ""),
    ("- | R1 R2 R3 | unopened rules=family", "R1 R2 R3 | R1 R2 R3", ""),
    ("R1 R2 R3 | R4 R10 B10 K10 | unopened", "R10 B10 K10 | R1 R2 R3, R10 B10 K10", ""),
    ("R1 R2 R3 | R4 R10 B10 K10 | unopened", "R4 R10 B10 K10 | R1 R2 R3 R4, R10 B10 K10", "table must stay"),
    ("R10 R11 R12 R13 | B10 K10 | unopened", "B10 K10 | R11 R12 R13, R10 B10 K10", "table must stay"),
    ("R10 B10 K10 | R10 B10 K10 | unopened", "R10 B10 K10 | R10 B10 K10, R10 B10 K10", ""),
    # the table's joker keeps its place
    (
        "R4 R5 J | R10 B10 K10 | unopened rules=standard",
        "R10 B10 K10 | J R4 R5, R10 B10 K10",
        "table must stay",
    ),
    # opening_uses_table=yes
    ("R1 R2 R3 | R4 R10 B10 K10 | unopened rules=retail", "R4 R10 B10 K10 | R1 R2 R3 R4, R10 B10 K10", ""),
    ("R1 R2 R3 | R4 R9 B9 K9 | unopened rules=retail", "R4 R9 B9 K9 | R1 R2 R3 R4, R9 B9 K9", "opening: no sets"),
    # the sets that make the value need not lie on the table in the end
    (
        "R7 R8 R9, B7 B8 B9, K7 K8 K9 | R10 B10 K10 | unopened rules=retail",
        "R10 B10 K10 | R7 R8 R9 R10, B7 B8 B9 B10, K7 K8 K9 K10",
        "",
    ),
    (
        "R7 R8 R9, B7 B8 B9 | R10 B10 | unopened rules=retail",
        "R10 B10 | R7 R8 R9 R10, B7 B8 B9 B10",
        "opening: no sets",
    ),
    # opening_single_set
    (
        "- | R9 B9 K9 R1 R2 R3 | unopened rules=standard+opening_single_set=yes",
        "R1 R2 R3 R9 B9 K9 | R1 R2 R3, R9 B9 K9",
        "best single set laid is worth 27",
    ),
    (
        "- | R10 B10 K10 R1 R2 R3 | unopened rules=standard+opening_single_set=yes",
        "R1 R2 R3 R10 B10 K10 | R1 R2 R3, R10 B10 K10",
        "",
    ),
    (
        "- | R9 B9 K9 R1 R2 R3 | unopened rules=retail+opening_single_set=yes",
        "R1 R2 R3 R9 B9 K9 | R1 R2 R3, R9 B9 K9",
        "best single set of the tiles laid is worth 27",
    ),
    (
        "- | R9 B9 K9 O9 R1 R2 R3 | unopened rules=retail+opening_single_set=yes",
        "R1 R2 R3 R9 B9 K9 O9 | R1 R2 R3, R9 B9 K9 O9",
        "",
    ),
    # opening_joker
    ("- | R10 B10 J | unopened", "R10 B10 J | R10 B10 J", "a joker is laid (opening_joker=forbidden)"),
    ("- | R10 B10 J | unopened rules=standard+opening_joker=face", "R10 B10 J | R10 B10 J", ""),
    ("- | R10 B10 J | unopened rules=standard+opening_joker=zero", "R10 B10 J | R10 B10 J", "worth 20"),
    ("- | R10 B10 K10 J | unopened rules=standard+opening_joker=zero", "R10 B10 K10 J | R10 B10 K10 J", ""),
    ("- | R9 R10 J | unopened rules=standard+opening_joker=face", "R9 R10 J | R9 R10 J", ""),
    ("- | R9 R10 J | unopened rules=standard+opening_joker=face", "R9 R10 J | J R9 R10", "worth 27"),
    ("- | R9 J J | unopened rules=standard+opening_joker=face", "R9 J J | R9 J J", ""),
    ("- | R9 J J | unopened rules=standard+opening_joker=face", "R9 J J | J J R9", "worth 27"),
    ("- | J J J | unopened rules=standard+opening_joker=face+jokers=3", "J J J | J J J", ""),
    ("- | R9 R10 J | unopened rules=retail", "R9 R10 J | J R9 R10", ""),
    ("- | R10 B10 J | unopened rules=retail+opening_joker=zero", "R10 B10 J | R10 B10 J", "opening: no sets"),
    ("- | R10 B10 J | unopened rules=retail+opening_joker=forbidden", "R10 B10 J | R10 B10 J", "opening: no sets"),
    ("- | R10 B10 K10 J | unopened rules=retail+opening_joker=forbidden", "R10 B10 K10 J | R10 B10 K10 J", ""),
    # jokers of the table are freed in an opening as later
    (
        "R4 R5 J | R10 B10 K10 R6 | unopened rules=retail+joker_freeing=replace",
        "R6 R10 B10 K10 | R4 R5 R6, R10 B10 K10 J",
        "",
    ),
    (
        "R4 R5 R6 J | R10 B10 K10 | unopened rules=retail+joker_freeing=replace",
        "R10 B10 K10 | R4 R5 R6, R10 B10 K10 J",
        "without the tile that replaces it",
    ),
    # jokers_per_set
    ("- | R5 J J | rules=standard", "R5 J J | R5 J J", ""),
    ("- | R5 J J | rules=standard+jokers_per_set=one", "R5 J J | R5 J J", "no legal set"),
    ("- | R5 R6 J J R9 | rules=standard+jokers_per_set=one", "R5 R6 R9 J J | R5 R6 J J R9", "no legal set"),
    ("- | R5 R6 J | rules=standard+jokers_per_set=one", "R5 R6 J | R5 R6 J", ""),
    ("- | R5 R6 J J R9 | rules=standard+jokers_per_set=minority", "R5 R6 R9 J J | R5 R6 J J R9", ""),
    ("- | R5 R6 J J | rules=standard+jokers_per_set=minority", "R5 R6 J J | R5 R6 J J", "no legal set"),
    ("- | J J J | rules=free+jokers=3", "J J J | J J J", ""),
    # high_one
    ("- | R12 R13 R1", "R1 R12 R13 | R12 R13 R1", "no legal set"),
    ("- | R12 R13 R1 | rules=standard+high_one=yes", "R1 R12 R13 | R12 R13 R1", ""),
    ("- | R12 R13 J | rules=standard+high_one=yes", "R12 R13 J | R12 R13 J", ""),
    ("- | R13 R1 R2 | rules=standard+high_one=yes", "R1 R2 R13 | R13 R1 R2", "no legal set"),
    (
        "R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 | R1 | rules=standard+high_one=yes",
        "R1 | R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R1",
        "no legal set",
    ),
    (
        "R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 | R1 | rules=standard+high_one=yes",
        "R1 | R1 R2 R3, R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R1",
        "",
    ),
    # a high 1 counts 1
    (
        "- | R12 R13 R1 | unopened rules=standard+high_one=yes+opening_threshold=27",
        "R1 R12 R13 | R12 R13 R1",
        "worth 26",
    ),
    # joker_freeing, joker_source
    ("R4 R5 J | R6 B9 K9 | rules=free", "B9 K9 | R4 R5 J, B9 K9", "no legal set"),
    ("R3 R4 R5 J | B9 K9 | rules=free", "B9 K9 | R3 R4 R5, B9 K9 J", ""),
    ("R3 R4 R5 J | B9 K9", "B9 K9 | R3 R4 R5, B9 K9 J", "without the tile that replaces it"),
    ("R3 R4 R5 J | R6 B9 K9", "R6 B9 K9 | R3 R4 R5 R6, B9 K9 J", ""),
    ("R3 R4 R5 J, R6 B6 K6 O6 | B9 K9", "B9 K9 | R3 R4 R5 R6, B6 K6 O6, B9 K9 J", ""),
    (
        "R3 R4 R5 J, R6 B6 K6 O6 | B9 K9 | rules=standard+joker_source=rack",
        "B9 K9 | R3 R4 R5 R6, B6 K6 O6, B9 K9 J",
        "joker_source=rack",
    ),
    ("R3 R4 R5 J | R6 B9 K9 | rules=standard+joker_source=rack", "R6 B9 K9 | R3 R4 R5 R6, B9 K9 J", ""),
    (
        "B1 B2 B3 B4, J B5 B6 B7 | R5 R6",
        "R5 R6 | B1 B2 B3 B4 B5 B6 B7, R5 R6 J",
        "",
    ),
    (
        "B1 B2 B3 B4, J B5 B6 B7 | R5 R6 | rules=standard+joker_source=rack",
        "R5 R6 | B1 B2 B3 B4 B5 B6 B7, R5 R6 J",
        "joker_source=rack",
    ),
    ("K1 K2 J, R1 B1 O1, R2 B2 O2 | R9 B9 | rules=free", "R9 B9 | R1 B1 K1 O1, R2 B2 K2 O2, R9 B9 J", ""),
    ("K1 K2 J, R1 B1 O1, R2 B2 O2 | R9 B9", "R9 B9 | R1 B1 K1 O1, R2 B2 K2 O2, R9 B9 J", "replaces"),
    # one tile may serve several jokers
    (
        "R4 R5 J, J R7 R8 | R6 B9 K9 O2 K2",
        "R6 B9 K2 K9 O2 | R4 R5 R6 R7 R8, B9 K9 J, K2 O2 J",
        "",
    ),
    # a joker stays when its final meanings share a tile with the original ones, in whatever set it ends
    ("R4 R5 J R7 | R4 B6 K6", "B6 K6 | R4 R5 R7, B6 K6 J", "no legal set"),
    ("R4 R5 R6 J | B7 K7", "B7 K7 | R4 R5 R6, B7 K7 J", ""),
    ("R4 R5 R6 J | B8 K8", "B8 K8 | R4 R5 R6, B8 K8 J", "replaces"),
    # read as run and as group: what favours the move
    ("R5 J J | B5 B9 K9 | rules=standard+joker_source=rack", "B5 B9 K9 | R5 B5 J, B9 K9 J", ""),
    ("R5 J J | R6 B9 K9 | rules=standard+joker_source=rack", "R6 B9 K9 | R5 R6 J, B9 K9 J", ""),
    ("R5 J J | R4 R6 B5 B9 K9 K2 O2", "R4 R6 B9 K9 K2 O2 | R4 R5 R6, B9 K9 J, K2 O2 J", "replaces"),
    ("R5 J J | R4 R6 R7 B9 K9 K2 O2", "R4 R6 R7 B9 K9 K2 O2 | R4 R5 R6 R7, B9 K9 J, K2 O2 J", ""),
    ("R5 J J, O5 O6 O7 | R4 R6 B9 K9 K2 O2", "R4 R6 B9 K9 K2 O2 | R4 R5 R6, O5 O6 O7, B9 K9 J, K2 O2 J", ""),
    # joker_group
    ("R5 B5 J | K5 R8 R9", "R8 R9 K5 | R5 B5 K5, R8 R9 J", ""),
    ("R5 B5 J | K5 R8 R9 | rules=standard+joker_group=both", "R8 R9 K5 | R5 B5 K5, R8 R9 J", "joker_group=both"),
    ("R5 B5 J | K5 O5 R8 R9 | rules=standard+joker_group=both", "R8 R9 K5 O5 | R5 B5 K5 O5, R8 R9 J", ""),
    ("R5 B5 K5 J | R8 R9", "R8 R9 | R5 B5 K5, R8 R9 J", "replaces"),
    ("R5 B5 K5 J | O5 R8 R9 | rules=standard+joker_group=both", "R8 R9 O5 | R5 B5 K5 O5, R8 R9 J", ""),
    # joker_set_locked
    (
        "R3 R4 R5 J, R7 R8 R9 | B3 K3 | rules=free+joker_set_locked=yes",
        "B3 K3 | R3 B3 K3, R4 R5 J R7 R8 R9",
        "joker_set_locked=yes",
    ),
    ("R3 R4 R5 J, R7 R8 R9 | B3 K3 | rules=free", "B3 K3 | R3 B3 K3, R4 R5 J R7 R8 R9", ""),
    (
        "R3 R4 R5 J, R7 R8 R9 | R10 | rules=free+joker_set_locked=yes",
        "R10 | R3 R4 R5 J R7 R8 R9 R10",
        "",
    ),
    ("R5 B5 J | K5 | rules=free+joker_set_locked=yes", "K5 | R5 B5 K5 J", ""),
    ("R5 B5 J | K5 O5 O6 O7 | rules=free+joker_set_locked=yes", "K5 | R5 B5 K5 J", ""),
    (
        "R3 R4 R5 J | R6 B3 K3 | rules=free+joker_set_locked=yes",
        "R6 B3 K3 | R4 R5 R6, R3 B3 K3 J",
        "",
    ),
    # of two jokers one is replaced, the other keeps the real tiles
    (
        "R5 J J R8 | R6 B9 K9 | rules=free+joker_set_locked=yes",
        "R6 B9 K9 | R5 R6 J R8, B9 K9 J",
        "",
    ),
    # one tile cannot stay with two jokers of different sets
    (
        "R3 J R5, R5 J R7 | B5 K5 | rules=standard+joker_set_locked=yes",
        "B5 K5 | R3 J R5 J R7, R5 B5 K5",
        "jokers:",
    ),
    ("R3 J R5, R5 J R7 | B5 K5 | rules=standard", "B5 K5 | R3 J R5 J R7, R5 B5 K5", ""),
    # a tile that has to stay with a joker is no tile of the rack
    (
        "R5 R6 J, B1 B2 J | B3 R4 R5 R6 | rules=american",
        "R4 R5 R6 B3 | R5 R6 J J, B1 B2 B3, R4 R5 R6",
        "jokers:",
    ),
    (
        "R5 R6 J, B1 B2 J | B3 R8 R9 | rules=american",
        "R8 R9 B3 | R5 R6 J R8 R9 J, B1 B2 B3",
        "",
    ),
    # joker_destination=new
    ("R3 R4 R5 J, B1 B2 B3 | R6 | rules=standard", "R6 | R3 R4 R5 R6, B1 B2 B3 J", "joker_destination=new"),
    ("R3 R4 R5 J, B1 B2 B3 | R6 B4 | rules=standard", "R6 B4 | R3 R4 R5 R6, B1 B2 B3 B4 J", ""),
    ("R3 R4 R5 J, B1 B2 B3 | R6 | rules=free", "R6 | R3 R4 R5 R6, B1 B2 B3 J", ""),
    ("R3 R4 R5 J, B1 B2 B3 B4 | R6 | rules=standard", "R6 | R3 R4 R5 R6, B1 B2 B3 B4 J", "joker_destination=new"),
    # the joker of the rack may go anywhere, whichever of the two it is
    ("R3 R4 R5 J, B1 B2 B3 | J | rules=standard", "J | R3 R4 R5 J, B1 B2 B3 J", ""),
    # joker_destination=two_from_rack
    (
        "R3 R4 R5 J | R6 B9 K9 | rules=standard+joker_destination=two_from_rack",
        "R6 B9 K9 | R3 R4 R5 R6, B9 K9 J",
        "",
    ),
    (
        "R3 R4 R5 J, B9 K9 O9 R9 | R6 B8 | rules=standard+joker_destination=two_from_rack",
        "R6 B8 | R3 R4 R5 R6, K9 O9 R9, B8 B9 J",
        "joker_destination=two_from_rack",
    ),
    (
        "R3 R4 R5 J, B9 K9 O9 R9 | R6 B8 | rules=standard+joker_destination=any",
        "R6 B8 | R3 R4 R5 R6, K9 O9 R9, B8 B9 J",
        "",
    ),
    # equal tiles in the player's favour, but each laid tile once
    (
        "R3 R4 R5 J, B9 K9 O9 R9 | R6 K8 B9 | rules=standard+joker_destination=two_from_rack",
        "R6 B9 K8 | R3 R4 R5 R6, B9 K9 O9 R9, K8 B9 J",
        "no legal set",
    ),
    (
        "R3 R4 R5 J, B9 K9 O9 R9 | R6 B8 B9 | rules=standard+joker_destination=two_from_rack",
        "R6 B8 B9 | R3 R4 R5 R6, R9 B9 K9 O9, B8 B9 J",
        "",
    ),
    (
        "R3 R4 R5 J, B3 B4 B5 J, R9 B9 K9 O9 | R6 B6 B8 B9 | rules=standard+joker_destination=two_from_rack",
        "R6 B6 B8 B9 | R3 R4 R5 R6, B3 B4 B5 B6, R9 B9 K9 O9, B8 B9 J J",
        "",
    ),
    # joker_destination=keep
    ("R3 R4 R5 J | R6 | rules=standard+joker_destination=keep", "R6 | R3 R4 R5 R6 | taken=J", ""),
    ("R3 R4 R5 J | R6 | rules=standard+joker_destination=any", "R6 | R3 R4 R5 R6 | taken=J", "goes to the rack"),
    ("R3 R4 R5 J | R2 | rules=standard+joker_destination=keep", "R2 | R2 R3 R4 R5 | taken=J", "replaces"),
    ("R3 R4 R5 J | R2 | rules=family", "R2 | R2 R3 R4 R5 | taken=J", ""),
    (
        "R3 R4 R5 J | R6 J | rules=standard+joker_destination=keep",
        "R6 J | R3 R4 R5 R6 J | taken=J",
        "both laid and taken",
    ),
    # take_back
    ("R3 R4 R5 R6 | R7 | rules=family", "R7 | R4 R5 R6 R7 | taken=R3", ""),
    ("R3 R4 R5 R6 | R7", "R7 | R4 R5 R6 R7 | taken=R3", "take_back=none"),
    ("R3 R4 R5 R6 | R2 | rules=family", "R2 | R2 R3 R4 R5 | taken=R6", "worth 6 taken back for 2 laid"),
    ("R3 B3 K3 O3 | R3 R4 R5 | rules=family", "R4 R5 | R3 R4 R5, B3 K3 O3", ""),
    ("R3 B3 K3 O3 | R3 R4 R5 | rules=family", "R3 R4 R5 | R3 R4 R5, B3 K3 O3 | taken=R3", "both laid and taken"),
    ("R3 B3 K3 O3 | J | rules=family", "J | R3 B3 K3 J | taken=O3", "worth 3 taken back for 0 laid"),
]


@pytest.mark.parametrize(("position", "move"), LEGAL, ids=case_id)
def test_legal_by_hand(position: str, move: str) -> None:
    assert problems(position, move) == []


@pytest.mark.parametrize(("position", "move", "expected"), OPTIONS, ids=case_id)
def test_rule_option(position: str, move: str, expected: str) -> None:
    found = problems(position, move)
    if expected:
        assert any(expected in problem for problem in found), found
    else:
        assert found == []


# All legal pairs of this file are the stock of the mutations.
STOCK = [(case["position"], str(witness_move(case)[1])) for case in WITNESSES]
STOCK += LEGAL
STOCK += [(position, move) for position, move, expected in OPTIONS if not expected]


def loose(move: Move, **changes: Any) -> Any:
    """A copy of the move that nothing puts into canonical order, with some fields changed."""
    fields = {"tiles": move.tiles, "table": move.table, "value": move.value, "taken": move.taken}
    return SimpleNamespace(**{**fields, **changes})


def pairs() -> list[tuple[Position, Move]]:
    read = [(Position.parse(position), move) for position, move in STOCK]
    return [(position, Move.parse(move, position.rules)) for position, move in read]


def rejected(position: Position, move: Any, expected: str) -> None:
    found = verify(position, move)
    assert any(expected in problem for problem in found), (str(position), move, expected, found)


def without(tiles: tuple[str, ...], place: int) -> tuple[str, ...]:
    return tiles[:place] + tiles[place + 1 :]


def every_tile(move: Move) -> list[tuple[int, int]]:
    return [(index, place) for index, tiles in enumerate(move.table) for place in range(len(tiles))]


def test_a_lost_tile_is_found() -> None:
    for position, move in pairs():
        for index, place in every_tile(move):
            shorter = without(move.table[index], place)
            table = [*move.table[:index], *([shorter] if shorter else []), *move.table[index + 1 :]]
            rejected(position, loose(move, table=table), "lost from the table")
        for index in range(len(move.table)):
            rejected(position, loose(move, table=move.table[:index] + move.table[index + 1 :]), "lost from the table")


def test_a_tile_from_nowhere_is_found() -> None:
    for position, move in pairs():
        for index in range(len(move.table)):
            table = [*move.table, move.table[index]]
            rejected(position, loose(move, table=table), "came from nowhere")
        for index, place in every_tile(move):
            tiles = move.table[index]
            other = "R1" if tiles[place] != "R1" else "R2"
            changed = (*tiles[:place], other, *tiles[place + 1 :])
            found = verify(position, loose(move, table=[*move.table[:index], changed, *move.table[index + 1 :]]))
            assert any("came from nowhere" in problem for problem in found)
            assert any("lost from the table" in problem for problem in found)


def test_an_illegal_set_is_found() -> None:
    for position, move in pairs():
        for index, tiles in enumerate(move.table):
            table = [*move.table[:index], tiles[:2], tiles[2:], *move.table[index + 1 :]]
            rejected(position, loose(move, table=table), "is no legal set")
        everything = tuple(tile for tiles in move.table for tile in tiles)
        if len(move.table) > 1 and len(set(everything)) < len(everything):
            rejected(position, loose(move, table=[everything]), "is no legal set")


def test_a_wrong_value_is_found() -> None:
    for position, move in pairs():
        for value in (move.value + 1, move.value - 1, -move.value - 1, None, str(move.value), float(move.value), True):
            rejected(position, loose(move, value=value), "value: is")


def test_tiles_must_come_from_the_rack() -> None:
    for position, move in pairs():
        poorer = list(position.rack)
        poorer.remove(move.tiles[0])
        rejected(Position(position.table, poorer, position.opened, position.rules), move, "in the rack")


def test_the_tiles_laid_must_be_the_new_ones() -> None:
    for position, move in pairs():
        fewer = move.tiles[1:]
        value = sum(int(tile[1:]) for tile in fewer if tile != "J")
        rejected(position, loose(move, tiles=fewer, value=value), "came from nowhere")
        rejected(position, loose(move, tiles=(), value=0, table=position.table, taken=()), "nothing is laid")


def test_fields_must_be_sorted() -> None:
    for position, move in pairs():
        backwards = move.tiles[::-1]
        if backwards != move.tiles:
            rejected(position, loose(move, tiles=backwards), "tiles: not sorted")
    position = Position.parse("R3 R4 R5 R6, B3 B4 B5 B6 | R13 K13 O13 | rules=family")
    move = Move.parse("R13 K13 O13 | R4 R5 R6, B4 B5 B6, R13 K13 O13 | taken=R3 B3")
    assert verify(position, move) == []
    rejected(position, loose(move, taken=("B3", "R3")), "taken: not sorted")


def test_what_is_taken_must_have_been_on_the_table() -> None:
    for position, move in pairs():
        richer = (*move.taken, "K13", "K13", "K13") if "J" not in move.taken else ("K13", "K13", "K13", *move.taken)
        rejected(position, loose(move, taken=richer), "on the table")


def test_several_problems_are_told_at_once() -> None:
    position = Position.parse("R1 R2 R3, B1 K1 O1 | R4 | rules=free")
    move = loose(Move.parse("R5 | R1 R2 R5, B1 K1"), value=7)
    found = verify(position, move)
    for expected in ("value: is 7", "R5 is 1 time laid", "R3 is 1 time lost", "O1 is 1 time lost", "set 1", "set 2"):
        assert any(expected in problem for problem in found), found


def endless() -> Any:
    while True:
        yield ("R1", "R2", "R3")


def fails() -> Any:
    raise RuntimeError("no table")


MALFORMED = [
    None,
    object(),
    7,
    "R4 | R1 R2 R3 R4",
    SimpleNamespace(),
    *(
        SimpleNamespace(**{"tiles": ("R4",), "table": [("R1", "R2", "R3", "R4")], "value": 4, "taken": (), **changes})
        for changes in (
            {"tiles": None},
            {"tiles": 4},
            {"tiles": "R4"},
            {"tiles": ["r4"]},
            {"tiles": [["R4"]]},
            {"tiles": [4]},
            {"tiles": ["R4", None]},
            {"tiles": ["R14"]},
            {"tiles": ["G4"]},
            {"tiles": ["R04"]},
            {"tiles": ["R\u0664"]},
            {"table": None},
            {"table": 5},
            {"table": "R1 R2 R3 R4"},
            {"table": ["R1 R2 R3 R4"]},
            {"table": [None]},
            {"table": [("R1", "R2", "R3", "R4"), ()]},
            {"table": [("R1", "R2", 3, "R4")]},
            {"table": endless()},
            {"table": [endless()]},
            {"table": lambda: [("R1", "R2", "R3", "R4")]},
            {"taken": None},
            {"taken": 1},
            {"taken": ["X"]},
            {"value": object()},
            {"value": "4"},
            {"value": float("nan")},
            {"value": 10**5000},
        )
    ),
    Move(("R4",), fails),
    Move(("R4",), lambda: None),  # type: ignore[arg-type, return-value]
    Move(("R4",), lambda: [["R1", "Q"]]),
]


@pytest.mark.parametrize("move", MALFORMED, ids=[f"malformed-{index}" for index in range(len(MALFORMED))])
def test_malformed_moves_give_problems(move: Any) -> None:
    found = verify(Position.parse("R1 R2 R3 | R4"), move)
    assert found
    assert all(isinstance(problem, str) and len(problem) < 300 for problem in found)


def test_illegal_positions_are_refused() -> None:
    with pytest.raises(IllegalPosition, match="R1 R3"):
        verify(Position.parse("R1 R3 | R2"), Move.parse("R2 | R1 R2 R3"))


# Cases that a careless search would not finish: (position, move, expected).
HUGE = "colors=4+numbers=100+copies=3+jokers=8"
HARD = [
    # eight jokers in one long run before, spread over groups afterwards
    (
        f"R1 J R3 J R5 J R7 J R9 J R11 J R13 J R15 J | {' '.join(f'R{n}' for n in range(2, 17, 2))}"
        f" {' '.join(f'B{n} K{n}' for n in range(20, 28))} | rules=standard+{HUGE}",
        f"{' '.join(f'R{n}' for n in range(2, 17, 2))} {' '.join(f'B{n} K{n}' for n in range(20, 28))} | R1-16, "
        + ", ".join(f"B{n} K{n} J" for n in range(20, 28)),
        "",
    ),
    (
        f"R1 J R3 J R5 J R7 J R9 J R11 J R13 J R15 J | {' '.join(f'R{n}' for n in range(2, 17, 2))}"
        f" {' '.join(f'B{n} K{n}' for n in range(20, 28))} | rules=standard+{HUGE}+joker_source=rack",
        f"{' '.join(f'R{n}' for n in range(2, 15, 2))} {' '.join(f'B{n} K{n}' for n in range(20, 28))} | R1-15, "
        + ", ".join(f"B{n} K{n} J" for n in range(20, 28)),
        "replaces",
    ),
    # jokers alone before and after
    (f"J J J, J J J | R1 B1 | rules=american+{HUGE}", "R1 B1 | J J J, R1 B1 J, J J", "no legal set"),
    (f"J J J J J J | R1 R3 R90 | rules=standard+{HUGE}", "R1 R3 R90 | J J J, R1 J R3, R90 J J", ""),
    (
        f"J J J, J J J | R1 R3 R90 B90 | rules=standard+{HUGE}+joker_source=rack+joker_group=both",
        "R1 R3 R90 B90 | J J J, R1 J R3, R90 B90 J J",
        "",
    ),
    (
        f"J J J, J J J J J | R1 R5 B90 | rules=standard+{HUGE}+joker_source=rack+joker_group=both",
        "R1 R5 B90 | R1 J J J R5, B90 J J J, J J",
        "no legal set",
    ),
]


@pytest.mark.parametrize(("position", "move", "expected"), HARD, ids=case_id)
def test_hard_joker_cases(position: str, move: str, expected: str) -> None:
    test_rule_option(position, move, expected)


def opening_by_brute_force(laid: tuple[str, ...], rules: Rules) -> int:
    """The highest value of disjoint sets of the laid tiles, found by trying every multiset of tiles as a set."""
    best: dict[tuple[str, ...], int] = {}

    def value(tiles: tuple[str, ...]) -> int | None:
        jokers = tiles.count("J")
        if jokers and rules.opening_joker == "forbidden":
            return None
        real = [(tile[0], int(tile[1:])) for tile in tiles if tile != "J"]
        size = len(tiles)
        if rules.jokers_per_set == "one" and jokers > 1:
            return None
        if rules.jokers_per_set == "minority" and jokers >= len(real):
            return None
        values = []
        for color in "RBKO"[: rules.colors]:
            for first in range(1, rules.numbers - size + 2 + rules.high_one):
                run = [(color, (number - 1) % rules.numbers + 1) for number in range(first, first + size)]
                if len(set(run)) == size and not Counter(real) - Counter(run):
                    values.append(sum(number for _, number in run))
        for number in range(1, rules.numbers + 1):
            group = [(color, number) for color in "RBKO"[: rules.colors]]
            if size <= rules.colors and not Counter(real) - Counter(group):
                values.append(number * size)
        if not values:
            return None
        return max(values) if rules.opening_joker == "face" else sum(number for _, number in real)

    def search(tiles: tuple[str, ...]) -> int:
        if len(tiles) < 3:
            return 0
        if tiles not in best:
            found = search(tiles[1:])
            for size in range(2, len(tiles)):
                for places in combinations(range(1, len(tiles)), size):
                    gain = value((tiles[0], *(tiles[place] for place in places)))
                    if gain is not None:
                        rest = tuple(tile for at, tile in enumerate(tiles) if at and at not in places)
                        found = max(found, gain + search(rest))
            best[tiles] = found
        return best[tiles]

    return search(laid)


def opening_rules(rng: random.Random, threshold: int) -> Rules:
    return Rules(
        colors=rng.randint(1, 4),
        numbers=rng.randint(3, 6),
        copies=rng.randint(1, 3),
        jokers=rng.randint(0, 4),
        opening_threshold=threshold,
        opening_uses_table=True,
        opening_joker=rng.choice(["forbidden", "face", "zero"]),
        jokers_per_set=rng.choice(["any", "one", "minority"]),
        high_one=rng.random() < 0.5,
    )


def test_the_best_opening_is_that_of_brute_force() -> None:
    """The threshold is reached exactly up to the highest value, and not above."""
    rng = random.Random(2)
    for _ in range(300):
        rules = opening_rules(rng, 30)
        known = tile_numbers(rules.colors, rules.numbers, rules.jokers)
        tiles = [tile for tile in known if tile != "J" for _ in range(rules.copies)]
        laid = rng.sample(tiles, min(len(tiles), rng.randint(1, 8)))
        laid += ["J"] * rng.randint(0, min(rules.jokers, 3))
        best = opening_by_brute_force(tuple(laid), rules)
        numbers = [known[tile] for tile in laid]
        for threshold, expected in ((best, True), (best + 1, False)):
            if threshold:
                asked = Rules(**{**rules.to_dict(), "opening_threshold": threshold})
                assert reaches(numbers, asked) == expected, (str(asked), laid)
        if len(laid) < 6:  # then there is room for one set only
            assert best_single_set(numbers, rules) == best, (str(rules), laid)
