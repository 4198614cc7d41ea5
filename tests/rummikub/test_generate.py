"""The generator of benchmark positions: the same everywhere, legal, and within its strata."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import islice

import pytest

from benchmarks.rummikub.generate import EXTRA, STRATA, Deck, Draws, positions
from solver.rummikub.position import Position

COUNT = 60
DECKS = [Deck(), Deck(colors=3, numbers=6, copies=1, jokers=1), Deck(copies=3, jokers=4), Deck(colors=2, numbers=7)]
# Of 25 positions of each stratum with seed "golden". If it changes, so does every figure measured before.
GOLDEN = "0a818de66d718a19642119a907c5086bf9e0f87671aa748371e4632d74a4958a"


def test_golden() -> None:
    lines = [line for stratum in (*STRATA, *EXTRA) for line in positions(stratum, 25, "golden")]
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest() == GOLDEN


def test_a_position_depends_on_its_own_index_only() -> None:
    assert list(islice(positions("large", 1000, 7), 5)) == list(positions("large", 5, 7))
    assert list(positions("small", 5, 7)) != list(positions("small", 5, 8))


@pytest.mark.parametrize("stratum", [*STRATA, *EXTRA])
def test_strata(stratum: str) -> None:
    limits = {**STRATA, **EXTRA}[stratum]
    jokers: Counter[int] = Counter()
    for text in positions(stratum, COUNT, "strata"):
        position = Position.parse(text)
        assert position.problems() == []
        assert position.opened
        assert str(position.rules) == "free"
        assert limits.table[0] <= sum(map(len, position.table)) <= limits.table[1]
        assert limits.rack[0] <= len(position.rack) <= limits.rack[1]
        jokers[sum(tiles.count("J") for tiles in position.table) + position.rack.count("J")] += 1
    assert set(jokers) == {0, 1, 2}


@pytest.mark.parametrize("deck", DECKS, ids=str)
def test_decks(deck: Deck) -> None:
    for text in positions("tiny", COUNT, "decks", deck):
        position = Position.parse(text)
        assert position.problems() == []
        rules = position.rules
        assert (rules.colors, rules.numbers) == (deck.colors, deck.numbers)
        assert (rules.copies, rules.jokers) == (deck.copies, deck.jokers)


def test_draws_reach_everything() -> None:
    draws = Draws("reach")
    assert {draws.between(2, 5) for _ in range(200)} == {2, 3, 4, 5}
    assert {draws.weighted({3: 1, 4: 2}) for _ in range(200)} == {3, 4}
    assert sorted(draws.shuffled(range(9))) == list(range(9))


def test_unknown_stratum() -> None:
    with pytest.raises(KeyError, match="huge"):
        next(positions("huge", 1, 1))
