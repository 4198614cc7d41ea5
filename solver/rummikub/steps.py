"""The steps that carry out a move: split a set in two, join two sets, take tiles into the hand, place tiles.

    Steps                 what it does                                        source      target      result
    split                 the tiles leave a set and are a set of their own    set         -           rest, tiles
    join                  all tiles of a set go to another one                set         set         joined set
    take                  tiles of a set go into the hand                     set         "hand"      rest, or nothing
    place                 tiles from the hand or from the rack                from where  set or -    set after it

A set between two steps is any pile of tiles; only at the end all of them are legal. Whatever a step touches is laid in
the order that it shows, which matters for jokers only. A step of placing takes from the hand or from the rack, not
from both. What is in the hand at the end goes to the rack: the taken tiles of the move. The cost is the number of
steps; step_plan.py tells how few are enough and why.

Jokers: which of them are freed, and that a tile pays for each, is what the rules say of the tables before and after
the move, so it is asked there (`verify`). The order is asked here: under `joker_freeing=replace` a rack tile that a
joker of the table stood for is placed before any set with a joker is taken apart. So at the moment at which a joker
leaves its set the real tile lies on the table already. This never costs a step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, Self, get_args, runtime_checkable

from .. import plain
from ..errors import IllegalPosition, SolverError, quote
from ..limits import Limit
from .rules import Rules
from .sets import JOKER, Tile, TileSet, canonical_set, ordered_set, plain_tiles, readings, set_rules
from .step_plan import Bags, Budget, Part, changed, plan, tidy_parts

Table = tuple[TileSet, ...]
Kind = Literal["split", "join", "take", "place"]
Place = Literal["hand", "rack"]

HAND: Final = "hand"
RACK: Final = "rack"
DEFAULT_NODES: Final = 20_000  # of planning, when no limit says otherwise
_FROM_RACK: Final = -1  # where tiles come from that are no pile yet
_FROM_HAND: Final = -2
_MAY_BE_KEPT: Final = ("less_than_laid", "keep")  # values of take_back and joker_destination


@runtime_checkable
class Before(Protocol):
    """What is needed of a Position, whose module stands above this one."""

    @property
    def table(self) -> Table: ...
    @property
    def rack(self) -> TileSet: ...
    @property
    def rules(self) -> Rules: ...
    def problems(self) -> list[str]: ...


@runtime_checkable
class Played(Protocol):
    """What is needed of a Move."""

    @property
    def tiles(self) -> TileSet: ...
    @property
    def table(self) -> Table: ...
    @property
    def taken(self) -> TileSet: ...


@dataclass(frozen=True, slots=True)
class Step:
    """One step. tiles: what moves. source, target: sets before the step, or "hand" / "rack". result: sets after it.

    source, target and result of each kind are told at the head of the module; a target `()` is a new set.
    """

    kind: Kind
    tiles: TileSet
    source: TileSet | Place
    target: TileSet | Place
    result: tuple[TileSet, ...]

    def __str__(self) -> str:
        tiles = " ".join(self.tiles)
        source, target = (_text(some) for some in (self.source, self.target))
        if self.kind == "split":
            return f"Split {source} into {_text(self.result[0])} and {_text(self.result[1])}."
        if self.kind == "join":
            return f"Join {source} to {target}: {_text(self.result[0])}."
        if self.kind == "take":
            if not self.result:
                return f"Take all of {source} into the hand."
            return f"Take {tiles} from {source} into the hand: {_text(self.result[0])} stays."
        if not self.target:
            return f"Place {_text(self.result[0])} from the {source} as a new set."
        return f"Place {tiles} from the {source} into {target}: {_text(self.result[0])}."

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "kind": self.kind,
            "tiles": list(self.tiles),
            "source": self.source if isinstance(self.source, str) else list(self.source),
            "target": self.target if isinstance(self.target, str) else list(self.target),
            "result": [list(tiles) for tiles in self.result],
            "text": str(self),
        }

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`; `text` is not read. Whether it is a step that can be done tells `replay`. Raises
        ParseError."""
        kind = plain.one_of(get_args(Kind))
        sets = plain.each(plain_tiles)
        return cls(
            **plain.read(
                data, "step", ("text",), kind=kind, tiles=plain_tiles, source=_place, target=_place, result=sets
            )
        )


def _place(value: object) -> TileSet | Place:
    return plain.one_of(get_args(Place))(value) if isinstance(value, str) else plain_tiles(value)


def _text(some: TileSet | Place) -> str:
    return some if isinstance(some, str) else " ".join(some)


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of a move in their order.

    bound: no way to carry out the move has fewer steps than this. proven: these are as few.
    """

    steps: tuple[Step, ...]
    bound: int

    @property
    def proven(self) -> bool:
        """Whether it is proven that there is no way with fewer steps."""
        return len(self.steps) == self.bound

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __str__(self) -> str:
        return "\n".join(f"{number}. {step}" for number, step in enumerate(self.steps, 1))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"steps": [step.to_dict() for step in self.steps], "bound": self.bound, "proven": self.proven}

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`; `proven` is not read. Raises ParseError."""
        return cls(**plain.read(data, "steps", ("proven",), steps=plain.each(Step.from_dict), bound=plain.whole))


def steps_for(position: Before, move: Played, limit: Limit | None = None, *, tidy: bool = False) -> Steps:
    """The steps of a legal move, as few as can be proven or marked as not proven.

    With `tidy` tiles of different final sets never come together, but where a set before is being divided or a step
    lays a rack tile for a joker: easier to follow, but often a step or more longer. Without it such steps are given
    if they are as few as any that were found.

    limit: nodes are sets of sets and choices among them that each of the three parts of planning (bound, plan, tidy
    plan) looks at, 20,000 by default, and seconds of each of them; when they are spent, the steps are those of a
    simpler plan. Only the tiles of the move are checked, `verify` tells
    whether it is legal. Raises IllegalPosition, and SolverError for a move whose tiles do not add up.
    """
    if not isinstance(position, Before):
        raise SolverError(f"position: must be a Position, not {quote(position)}")
    if not isinstance(move, Played):
        raise SolverError(f"move: must be a Move, not {quote(move)}")
    if limit is not None and not isinstance(limit, Limit):
        raise SolverError(f"limit: must be a Limit, not {quote(limit)}")
    problems = position.problems()
    if problems:
        raise IllegalPosition(problems)
    _check_material(position, move)
    before, after = changed(position.table, move.table)
    bags = Bags(tile for tiles in (*before, *after, move.tiles) for tile in tiles)
    old, new = [bags.pack(tiles) for tiles in before], [bags.pack(tiles) for tiles in after]
    laid = bags.pack(move.tiles)
    paying = bags.pack([tile for tile in bags.kinds if tile in _payments(position)])
    nodes = DEFAULT_NODES if limit is None or limit.nodes is None else limit.nodes
    seconds = limit.seconds if limit else None
    planned = plan(bags, old, new, laid, Budget(nodes, seconds), Budget(nodes, seconds))

    def carried_out(parts: Sequence[Part]) -> tuple[Step, ...]:
        work = [_Work(bags, position.rules, part, before, after) for part in parts]
        for each in work:
            if bags.minus(each.rack, bags.minus(each.rack, paying)):
                each.place_rack()
        for each in work:
            each.fill_hand()
        for each in work:
            each.finish()
        phases = zip(*(each.phases for each in work), strict=True)
        return tuple(step for phase in phases for steps in phase for step in steps)

    neat = carried_out(tidy_parts(bags, old, new, laid, Budget(nodes, seconds)))
    if tidy or len(neat) == planned.bound:
        return Steps(neat, planned.bound)
    fewest = carried_out(planned.parts)
    return Steps(neat if len(neat) <= len(fewest) else fewest, planned.bound)


def _check_material(position: Before, move: Played) -> None:
    on_table = Counter(tile for tiles in position.table for tile in tiles)
    after = Counter(tile for tiles in move.table for tile in tiles)
    laid, taken = Counter(move.tiles), Counter(move.taken)
    if laid & taken:
        raise SolverError(f"move: {quote(' '.join(sorted((laid & taken).elements())))} both laid and taken")
    for what, missing in (
        ("is not in the rack", laid - Counter(position.rack)),
        ("is not on the table to be taken", taken - on_table),
        ("is lost from the table", (on_table + laid) - taken - after),
        ("came from nowhere", after - (on_table + laid - taken)),
    ):
        if missing:
            raise SolverError(f"move: {quote(' '.join(sorted(missing.elements())))} {what}")


def _payments(position: Before) -> frozenset[Tile]:
    """Tiles that a joker of the table stands for, where the rules want it replaced."""
    if position.rules.joker_freeing == "any":
        return frozenset()
    return frozenset(
        tile
        for tiles in position.table
        if JOKER in tiles
        for reading in readings(tiles, position.rules)
        for face in reading.meanings
        for tile in face
    )


class _Work:
    """Carries out one part: first what has to be early, then what fills the hand, then the rest.

    Every join and place leaves one pile less, every split and take one aim less, so the number of steps is that of the
    plan whatever is joined; piles are chosen so that few tiles of different final sets come together.
    """

    def __init__(
        self, bags: Bags, rules: Rules, part: Part, before: Sequence[TileSet], after: Sequence[TileSet]
    ) -> None:
        self.bags = bags
        self.rules = rules
        self.piles = [(bags.pack(before[at]), before[at]) for at in part.before]
        self.aims = [(bags.pack(after[at]), after[at]) for at in part.after]
        self.rack, self.hand, self.out = part.rack, part.hand, part.out
        self.phases: tuple[list[Step], list[Step], list[Step]] = ([], [], [])
        self.steps = self.phases[0]

    def place_rack(self) -> None:
        """Place what comes from the rack before anything else is done."""
        self._place(self.rack, RACK, self._partner(self.rack))
        self.rack = 0

    def fill_hand(self) -> None:
        """Take what goes into the hand."""
        self.steps = self.phases[1]
        while self.out:
            holders = [at for at, (bag, _) in enumerate(self.piles) if self.bags.fits(self.out, bag)]
            if holders:
                self._take(self.out, min(holders, key=lambda at: (self._size(at), at)))
                self.out = 0
            else:
                shares = [(-self._overlap(self.out, bag), self._size(at), at) for at, (bag, _) in enumerate(self.piles)]
                first, second = sorted(shares)[:2]
                self._join(second[2], first[2])

    def finish(self) -> None:
        """Make the final sets."""
        self.steps = self.phases[2]
        while self.aims:
            if not (self._settle() or self._split_off() or self._turn()):
                self._bring_together()

    # What to do next -------------------------------------------------------------------------------------------------

    def _size(self, at: int) -> int:
        return self.bags.size(self.piles[at][0])

    def _overlap(self, one: int, other: int) -> int:
        """How many tiles two bags have in common."""
        return self.bags.size(self.bags.minus(one, self.bags.minus(one, other)))

    def _settle(self) -> bool:
        """Set a pile aside that is a final set."""
        for at, pile in enumerate(self.piles):
            if pile in self.aims:
                self.aims.remove(pile)
                del self.piles[at]
                return True
        return False

    def _split_off(self) -> bool:
        """Split a final set off a pile that holds more; the smallest such pile."""
        best = None
        for aim, (wanted, _) in enumerate(self.aims):
            for at, (bag, _) in enumerate(self.piles):
                if bag != wanted and self.bags.fits(wanted, bag):
                    # A rest that is a final set too saves looking for one.
                    rest_unfinished = all(bag - wanted != other for other, _ in self.aims)
                    choice = (rest_unfinished, self.bags.size(bag - wanted), at, aim)
                    best = choice if best is None or choice < best else best
        if best is None:
            return False
        _, _, at, aim = best
        self._split(at, *self.aims.pop(aim))
        return True

    def _turn(self) -> bool:
        """Move the jokers of an untouched set that lies there as a final set but for their places."""
        for at, (bag, _) in enumerate(self.piles):
            for wanted, _ in self.aims:
                if bag == wanted:
                    jokers = self.bags.pack(tile for tile in self.bags.tiles(bag) if tile == JOKER)
                    self._take(jokers, at)
                    self._place(jokers, HAND, len(self.piles) - 1)
                    return True
        return False

    def _bring_together(self) -> None:
        """Join two piles, or place tiles from rack or hand: where a final set comes nearest."""
        if self.rack and not self.piles:
            self._place(self.rack, RACK, None)
            self.rack = 0
            return
        if self.hand and not self.piles:
            self._place(self.hand, HAND, None)
            self.hand = 0
            return
        sources = [(bag, at) for at, (bag, _) in enumerate(self.piles)]
        sources += [(bag, code) for bag, code in ((self.rack, _FROM_RACK), (self.hand, _FROM_HAND)) if bag]
        best = min(
            (*self._nearness(self.piles[at][0], bag), at, source)
            for at in range(len(self.piles))
            for bag, source in sources
            if source < 0 or source > at
        )
        at, source = best[-2:]
        if source == _FROM_RACK:
            self._place(self.rack, RACK, at)
            self.rack = 0
        elif source == _FROM_HAND:
            self._place(self.hand, HAND, at)
            self.hand = 0
        else:
            small, large = sorted((at, source), key=lambda at: (self._size(at), at))
            self._join(small, large)

    def _nearness(self, one: int, other: int) -> tuple[int, int]:
        """Sorts pairs of piles: those that hold a final set first, then by the tiles that do not belong together."""
        both = one + other
        best = None
        for wanted, _ in self.aims:
            if self._overlap(one, wanted) and self._overlap(other, wanted):
                missing = int(not self.bags.fits(wanted, both))
                choice = (missing, self.bags.size(both) - self._overlap(both, wanted))
                best = choice if best is None or choice < best else best
        return best or (2, self.bags.size(both))

    def _partner(self, tiles: int) -> int | None:
        """The pile on which some tiles belong best; None if there is none."""
        if not self.piles:
            return None
        return min(range(len(self.piles)), key=lambda at: (*self._nearness(self.piles[at][0], tiles), at))

    # Steps -----------------------------------------------------------------------------------------------------------

    def _shown(self, bag: int) -> tuple[int, TileSet]:
        """A pile as it is laid: as a final set with these tiles, else in canonical order."""
        for wanted, final in self.aims:
            if wanted == bag:
                return bag, final
        return bag, canonical_set(self.bags.tiles(bag), self.rules)

    def _split(self, at: int, bag: int, final: TileSet) -> None:
        held, shown = self.piles.pop(at)
        rest = self._shown(held - bag)
        self.piles.append(rest)
        self.steps.append(Step("split", final, shown, (), (rest[1], final)))

    def _take(self, bag: int, at: int) -> None:
        held, shown = self.piles.pop(at)
        result: tuple[TileSet, ...] = ()
        if held != bag:
            self.piles.append(self._shown(held - bag))
            result = (self.piles[-1][1],)
        self.steps.append(Step("take", self.bags.tiles(bag), shown, HAND, result))

    def _join(self, moved: int, to: int) -> None:
        (less, source), (more, target) = self.piles[moved], self.piles[to]
        self.piles = [pile for at, pile in enumerate(self.piles) if at not in (moved, to)]
        self.piles.append(self._shown(less + more))
        self.steps.append(Step("join", source, source, target, (self.piles[-1][1],)))

    def _place(self, bag: int, source: Place, at: int | None) -> None:
        held, target = (0, ()) if at is None else self.piles.pop(at)
        self.piles.append(self._shown(held + bag))
        self.steps.append(Step("place", self.bags.tiles(bag), source, target, (self.piles[-1][1],)))


def replay(position: Before, steps: Iterable[Step]) -> Table:
    """The table after the steps, canonical; every step is checked.

    Raises SolverError naming the first step that cannot be carried out, a rack tile that under `joker_freeing=replace`
    comes after the joker that it pays for may have left its set, tiles left in the hand that may not go to the rack,
    or a set that is not legal at the end.
    """
    if not isinstance(position, Before):
        raise SolverError(f"position: must be a Position, not {quote(position)}")
    if isinstance(steps, (str, bytes)) or not isinstance(steps, Iterable):
        raise SolverError(f"steps: must be steps, not {quote(steps)}")
    table, rack, hand = Counter(position.table), Counter(position.rack), Counter[Tile]()
    payments = _payments(position)
    apart = False  # whether a set with a joker was taken apart
    for number, step in enumerate(steps, 1):
        where = f"step {number}"
        if not isinstance(step, Step):
            raise SolverError(f"{where}: must be a Step, not {quote(step)}")
        sources: list[TileSet] = [some for some in (step.source, step.target) if isinstance(some, tuple) and some]
        before = Counter(tile for tiles in sources for tile in tiles)
        after = Counter(tile for tiles in step.result for tile in tiles)
        moved = Counter(step.tiles)
        if Counter(sources) - table:
            raise SolverError(f"{where}: {quote(_text(sources[0]))} is not on the table")
        if not moved or not _is_step(step):
            raise SolverError(f"{where}: {quote(str(step))} is no step")
        if step.kind == "take":
            fine = before - moved == after and not moved - before
            hand += moved
        elif step.kind == "place":
            store = hand if step.source == HAND else rack
            if moved - store:
                raise SolverError(f"{where}: {quote(' '.join(step.tiles))} is not in the {step.source}")
            store.subtract(moved)
            fine = before + moved == after
        else:
            fine = before == after
        if not fine:
            raise SolverError(f"{where}: the tiles of {quote(str(step))} do not add up")
        if step.source == RACK and apart and payments & set(step.tiles):
            raise SolverError(f"{where}: {quote(' '.join(step.tiles))} comes after a joker that it replaces")
        apart = apart or (step.kind in ("split", "take") and JOKER in step.source)
        table.subtract(sources)
        table.update(step.result)
    return _checked_end(table, +hand, position.rules)


def _is_step(step: Step) -> bool:
    """Whether the fields belong to a step of its kind."""
    sets = isinstance(step.source, tuple), isinstance(step.target, tuple)
    if step.kind == "split":
        return sets == (True, True) and not step.target and len(step.result) == 2 and all(step.result)
    if step.kind == "join":
        return sets == (True, True) and bool(step.source and step.target) and len(step.result) == 1
    if step.kind == "take":
        return sets[0] and step.target == HAND and len(step.result) <= 1
    return step.kind == "place" and step.source in (HAND, RACK) and sets[1] and len(step.result) == 1


def _checked_end(table: Counter[TileSet], hand: Counter[Tile], rules: Rules) -> Table:
    """The table in canonical order, if it and what is left in the hand are legal."""
    kept = {tile for tile in hand if (rules.take_back if tile != JOKER else rules.joker_destination) in _MAY_BE_KEPT}
    if set(hand) - kept:
        raise SolverError(f"hand: {quote(' '.join(sorted(set(hand) - kept)))} is left in the hand")
    shape = set_rules(rules)
    ordered = sorted((ordered_set(tiles, shape) for tiles in table.elements()), key=lambda each: each.key)
    for each in ordered:
        if not each.legal:
            raise SolverError(f"table: {quote(_text(each.tiles))} is no legal set")
    return tuple(each.tiles for each in ordered)
