"""Position and Move: text forms, canonical order, problems."""

from solver.rummikub import Move, Position, Rules


def test_the_canonical_text_of_the_design() -> None:
    text = "R6 R7 R8 R9, R3 B3 K3 O3 | R1 B9 B10 O2 J | unopened rules=retail"
    position = Position.parse(text)
    assert position.rules == Rules.preset("retail")
    assert not position.opened
    assert str(position) == "R3 B3 K3 O3, R6 R7 R8 R9 | R1 B9 B10 O2 J | unopened rules=retail"
    assert position.problems() == []


def test_the_text_of_a_move() -> None:
    move = Move.parse("J R7 | R5-7, B3 B4 J")
    assert str(move) == "R7 J | R5 R6 R7, B3 B4 J"
    assert move.value == 7
