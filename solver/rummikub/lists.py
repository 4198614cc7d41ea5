"""All moves of a count problem in order: what the kernel finds, a part of it at a time where all of it is much.

The kernel makes a graph of all moves at once where that is little work. Else it makes one of the moves that lose little
beside the best, then of those that lose more, so that the first moves come at once; see docs/rummikub-search.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from itertools import chain, count
from typing import Any, Final, TypeVar

from ..errors import LimitReached
from .kernel import Plays
from .objectives import LANES, Objective
from .problem import Budget, names, tile_at
from .rules import Rules
from .sets import JOKER, TileSet

M = TypeVar("M")

MOST_WORK: Final = 1 << 13  # of a graph of all moves at once: half a millisecond
_JOKERS: Final = -1  # where packed counts hold the jokers of the rack


class Lists:
    """Lists of moves under one rule set. Safe to share between threads."""

    def __init__(self, rules: Rules, memory: int) -> None:
        self.rules = rules
        self._plays = Plays(rules.colors, rules.numbers, names(rules.numbers), memory)
        # What a list holds must be told by the counts of tiles and jokers alone.
        self._fit = not rules.high_one and rules.jokers_per_set == "any" and rules.take_back == "none"

    @property
    def memory_used(self) -> int:
        """Bytes held between searches."""
        return self._plays.memory_used

    def fits(self, packed: bytes) -> bool:
        """Whether the moves of these counts can be listed here."""
        return self._fit and self._plays.fits(packed)

    def count(self, packed: bytes) -> int:
        """How many moves there are. LimitReached if they do not fit in the memory."""
        playable = self._plays.of(packed)
        if playable is None:
            raise LimitReached(f"memory: the moves do not fit in {self._plays.memory} bytes")
        return playable.count()

    def made(
        self,
        packed: bytes,
        most: Callable[[], int],
        cls: type[M],
        shared: dict[str, Any],
        others: Callable[[int], Iterator[M]],
    ) -> Iterator[M]:
        """All moves as objects with the attributes `tiles`, `value` and all those of `shared`, in the order of lists.

        most: the greatest number of tiles that can be laid. others: another way to list all moves of at most so many
        tiles, for those that do not fit in the memory.
        """
        playable = self._plays.of(packed, work=MOST_WORK)
        if playable is not None:
            return playable.made(cls, shared)
        return chain.from_iterable(self._parts(packed, most(), cls, shared, others))

    def _parts(
        self, packed: bytes, most: int, cls: type[M], shared: dict[str, Any], others: Callable[[int], Iterator[M]]
    ) -> Iterator[Iterator[M]]:
        """Moves of `most` tiles, then of one less, of the next two less, and so on."""
        half = LANES * self.rules.numbers
        every = sum(packed[half : 2 * half]) + packed[_JOKERS]
        least = most
        for step in count(1):
            playable = self._plays.of(packed, lose=every - least if least > 1 else -1)
            if playable is None:
                yield others(most)
                return
            yield playable.made(cls, shared, most, least)
            if least <= 1:
                return
            most = least - 1
            least = max(1, least - step)

    def ranked(
        self,
        packed: bytes,
        goal: Objective,
        best: TileSet,
        budget: Budget | None,
        others: Callable[[], Iterator[TileSet]],
    ) -> Iterator[TileSet]:
        """All moves, most worth first, equal ones in the order of lists.

        best: the tiles of one of the best moves. others: another way to list all moves, for those that do not fit in
        the memory.
        """
        worth, joker = self._worth(packed, goal)
        by_name = dict(zip(names(self.rules.numbers), (*worth, joker), strict=True))
        half = LANES * self.rules.numbers
        held = [(number, each) for number, each in zip(packed[half : 2 * half], worth, strict=True) if number]
        every = sum(number * each for number, each in held)
        # Jokers are not counted as lost: what they can be worth stands beside.
        most = every + max(0, joker) * packed[_JOKERS]
        gap = max((each for _, each in held), default=0)
        lose = most - sum(by_name[tile] for tile in best) + gap
        done = 0
        while True:
            nodes, seconds = budget.left() if budget else (0, 0.0)
            whole = lose >= every
            playable = self._plays.of(packed, weights=worth, lose=-1 if whole else lose, nodes=nodes, seconds=seconds)
            if playable is None:
                listed: Iterator[TileSet] = (tiles for tiles in others())
            else:
                listed = playable.ranked(worth, joker, None if whole else most - lose)
                if budget:
                    budget.spend(playable.nodes)
            at = 0
            for tiles in listed:
                at += 1
                if at > done:
                    yield tiles
            if whole or playable is None:
                return
            done = at
            lose += max(1, gap)
            gap *= 2

    def _worth(self, packed: bytes, goal: Objective) -> tuple[array[int], int]:
        """Both criteria of the objective as one number, for every tile by its place in the counts, and the joker."""
        half = LANES * self.rules.numbers
        keys = [goal.key([tile_at(at)]) for at in range(half)]
        key = goal.key([JOKER])
        held = packed[half : 2 * half]
        second = sum(number * each for number, (_, each) in zip(held, keys, strict=True)) + packed[_JOKERS] * key[1]
        scale = 2 * second + 1
        return array("q", [first * scale + then for first, then in keys]), key[0] * scale + key[1]
