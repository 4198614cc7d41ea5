"""Pictures: what is drawn, what is marked, and that any position and move can be drawn."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from solver.rummikub import Move, Position
from solver.rummikub.render import TEXT_WIDTH, changes, render_svg, render_text

SVG = "{http://www.w3.org/2000/svg}"
POSITION = Position.parse("R4 R5 R6 R7 R8, R10 B10 K10, B1 B2 B3, B1 B2 B3, K4 O4 J | R6 R7 B4 B13 O10 J")
MOVE = Move.parse("R6 B4 O10 | R4 R5 R6, R6 R7 R8, R10 B10 K10 O10, B1 B2 B3, B1 B2 B3 B4, K4 O4 J")

TILES = st.sampled_from([*(f"{color}{number}" for color in "RBKO" for number in range(1, 14)), "J"])
ROWS = st.lists(TILES, min_size=1, max_size=15)
TABLES = st.lists(ROWS, max_size=12)


def test_text_of_a_position() -> None:
    assert render_text(POSITION) == "\n".join(
        [
            "table, 17 tiles in 5 sets",
            "┌──┬──┬──┬──┬──┐ ┌───┬───┬───┐ ┌──┬──┬──┐ ┌──┬──┬──┐ ┌──┬──┬──┐",
            "│R4│R5│R6│R7│R8│ │R10│B10│K10│ │B1│B2│B3│ │B1│B2│B3│ │K4│O4│J │",
            "└──┴──┴──┴──┴──┘ └───┴───┴───┘ └──┴──┴──┘ └──┴──┴──┘ └──┴──┴──┘",
            "rack, 6 tiles",
            "┌──┬──┐ ┌──┬───┐ ┌───┐ ┌──┐",
            "│R6│R7│ │B4│B13│ │O10│ │J │",
            "└──┴──┘ └──┴───┘ └───┘ └──┘",
        ]
    )


def test_text_after_a_move_marks_laid_tiles_and_changed_sets() -> None:
    assert render_text(POSITION, MOVE) == "\n".join(
        [
            "table, 20 tiles in 6 sets",
            "╔══╦══╦═══╗ ╔══╦══╦══╗ ╔═══╦═══╦═══╦════╗ ┌──┬──┬──┐ ╔══╦══╦══╦═══╗ ┌──┬──┬──┐",
            "║R4║R5║R6*║ ║R6║R7║R8║ ║R10║B10║K10║O10*║ │B1│B2│B3│ ║B1║B2║B3║B4*║ │K4│O4│J │",
            "╚══╩══╩═══╝ ╚══╩══╩══╝ ╚═══╩═══╩═══╩════╝ └──┴──┴──┘ ╚══╩══╩══╩═══╝ └──┴──┴──┘",
            "rack, 3 tiles",
            "┌──┐ ┌───┐ ┌──┐",
            "│R7│ │B13│ │J │",
            "└──┘ └───┘ └──┘",
            "* laid from the rack, double frame: set that changed",
        ]
    )


def test_nothing_to_draw() -> None:
    assert render_text(Position.parse("- | -")).splitlines() == [
        "table, 0 tiles in 0 sets",
        "(empty)",
        "rack, 0 tiles",
        "(empty)",
    ]


def test_color_only_adds_escape_sequences() -> None:
    for move in (None, MOVE):
        colored = render_text(POSITION, move, color=True)
        assert "\x1b[31mR4\x1b[0m" in colored
        assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == render_text(POSITION, move)


def test_changes() -> None:
    compared = changes(POSITION, MOVE)
    assert compared.kept == (("B1", "B2", "B3"), ("K4", "O4", "J"))
    assert compared.extended == (
        (("R10", "B10", "K10"), ("R10", "B10", "K10", "O10")),
        (("B1", "B2", "B3"), ("B1", "B2", "B3", "B4")),
    )
    assert compared.new == (("R4", "R5", "R6"), ("R6", "R7", "R8"))
    assert compared.gone == (("R4", "R5", "R6", "R7", "R8"),)


def test_a_set_before_answers_for_one_set_after() -> None:
    position = Position.parse("R1 R2 R3 | R1 R2 R3 R4 R4")
    compared = changes(position, Move.parse("R1 R2 R3 R4 R4 | R1 R2 R3 R4, R1 R2 R3 R4"))
    assert len(compared.extended) == len(compared.new) == 1
    assert not compared.gone


def test_tiles_taken_back_are_in_the_rack() -> None:
    position = Position.parse("R1 R2 R3 R4, K5 O5 J | R5 B5 | rules=family")
    move = Move.parse("R5 B5 | R1 R2 R3 R4, R5 B5 K5 O5 | taken=J")
    assert render_text(position, move).splitlines()[5:8] == ["┌──┐", "│J │", "└──┘"]


def test_svg_draws_every_tile_once() -> None:
    for move in (None, MOVE):
        root = ET.fromstring(render_svg(POSITION, move))
        assert root.tag == f"{SVG}svg"
        labels = [text.text for group in root.iter(f"{SVG}g") for text in group.iter(f"{SVG}text")]
        assert len(labels) == 23
        assert labels.count("\N{WHITE SMILING FACE}") == 2


def test_svg_names_laid_tiles() -> None:
    titles = [title.text for title in ET.fromstring(render_svg(POSITION, MOVE)).iter(f"{SVG}title")]
    assert "R10 B10 K10 O10*" in titles
    assert sum(title.count("*") for title in titles if title) == 3


@given(TABLES, ROWS, TABLES, st.lists(TILES, max_size=8), st.lists(TILES, max_size=3))
def test_anything_can_be_drawn(
    table: list[list[str]], rack: list[str], after: list[list[str]], laid: list[str], taken: list[str]
) -> None:
    """Positions and moves that are not legal too: a picture says what there is, verify says what is wrong."""
    position, move = Position(table, rack), Move(laid, after, taken=taken)
    for given_move in (None, move):
        text = render_text(position, given_move)
        assert all(len(line) <= TEXT_WIDTH for line in text.splitlines())
        sets = position.table if given_move is None else move.table
        drawn = Counter(re.findall(r"(?:[RBKO][0-9]+|J)(?=\*? ?[│║])", text.split("\nrack")[0]))
        assert drawn == Counter(tile for tiles in sets for tile in tiles)
        ET.fromstring(render_svg(position, given_move))
    compared = changes(position, move)
    assert Counter(compared.kept) + Counter(new for _, new in compared.extended) + Counter(compared.new) == Counter(
        move.table
    )
    assert Counter(compared.kept) + Counter(old for old, _ in compared.extended) + Counter(compared.gone) == Counter(
        position.table
    )
