"""How few steps turn one table into another: which sets belong together, with a proven bound.

A *part* is some sets of the start, some final sets, and what it gets from the rack, gets from the hand and puts into
the hand. Two sets belong to one part if a pile of tiles leads from one to the other without going through the hand.

How many steps a part needs is known exactly. Take the steps as the nodes of a graph and the piles between them as its
edges, with an end for each of the `a` sets before and the `b` sets after. A split or join has three edges; placing
tiles on a pile or taking some of it has two; placing a new set or taking a whole one has one. A connected graph has at
most one node more than edges, so a part with p steps of two edges and q steps of one takes at least
`a + b - 2 + p + 2 q` steps. As many are enough: join all, place what comes from the rack and from the hand, take what
goes into the hand, split into the final sets. So a part *saves*

    2 - (rack used) - (hand used) - (hand filled) - (no set before) - (no set after)

of the `a + b` steps that taking every set away and placing every final set would take, and the fewest steps are a
question of dividing the sets into parts that save most. Only parts that use at most one of rack and hand save anything.
All of them that matter are listed, smallest first, and the best choice of disjoint ones is a bound for every plan.
The other sets form parts that save nothing; if that cannot be had, one step is lost and the plan is not proven.

Sets that stay as they are form parts of their own: exchanging a set for an equal one never costs a step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from time import monotonic
from typing import Final

from .sets import TILE_KEYS, Tile, TileSet

_BITS: Final = 8  # of one counter; its highest bit is kept free for comparisons
_FIELD: Final = (1 << _BITS) - 1
_ANY: Final = 32  # copies of a kind: more than there are
_MOST_SAVED: Final = 2  # steps that one part can save
_LEAST_BALANCED: Final = 3  # sets of a part that saves as much
_SPREADS: Final = 64  # ways to share tiles between rack and hand that are tried for one plan
_DEEPEST: Final = 300  # sets of a component whose parts are chosen by a recursion over the sets
_COMPARED_PER_NODE: Final = 32  # parts compared in the time of one node
_WEIGHT: Final = 32  # a choice of parts looked at as a whole takes this much longer than comparing as many parts
_EPSILON: Final = 1e-6
_NEVER: Final = -1_000_000  # saved by a choice that leaves out what must be in it


class Budget:
    """Nodes, and seconds, that planning may spend: sets of sets looked at, and parts compared for them."""

    def __init__(self, nodes: int, seconds: float | None) -> None:
        self.nodes = nodes
        self._deadline = None if seconds is None else monotonic() + seconds

    def spend(self, compared: int) -> bool:
        """Use a node for which so many parts are compared; False if there are none left."""
        self.nodes -= 1 + compared // _COMPARED_PER_NODE
        return self.nodes >= 0 and (self._deadline is None or monotonic() < self._deadline)


class Bags:
    """Multisets of some kinds of tiles as integers with a counter for each kind: sum by `+`, subset by `fits`."""

    def __init__(self, tiles: Iterable[Tile]) -> None:
        self.kinds = sorted(set(tiles), key=TILE_KEYS.__getitem__)
        self._one = {tile: 1 << _BITS * at for at, tile in enumerate(self.kinds)}
        self._ones = sum(self._one.values())
        self._high = self._ones << (_BITS - 1)

    def pack(self, tiles: Iterable[Tile]) -> int:
        """The bag of these tiles."""
        return sum(map(self._one.__getitem__, tiles))

    def tiles(self, bag: int) -> TileSet:
        """The tiles of a bag, sorted."""
        return tuple(tile for at, tile in enumerate(self.kinds) for _ in range(bag >> _BITS * at & _FIELD))

    def fits(self, small: int, large: int) -> bool:
        """Whether `large` holds all of `small`."""
        return (large + self._high - small) & self._high == self._high

    def minus(self, left: int, right: int) -> int:
        """What `left` holds more of than `right`."""
        apart = left + self._high - right
        more = apart & self._high
        return apart & (more - (more >> (_BITS - 1)))

    def size(self, bag: int) -> int:
        """How many tiles a bag holds."""
        return sum(bag.to_bytes(len(self.kinds), "little")) if bag else 0

    def kind(self, bag: int) -> int:
        """Place of the first kind of a bag that is not empty."""
        return ((bag & -bag).bit_length() - 1) // _BITS

    def any_of(self, bag: int) -> int:
        """As many as wanted of every kind of the bag."""
        return sum(_ANY << _BITS * at for at in range(len(self.kinds)) if bag >> _BITS * at & _FIELD)

    @property
    def everything(self) -> int:
        """As many as wanted of every kind."""
        return self._ones * _ANY


@dataclass(frozen=True, slots=True)
class Part:
    """Sets that belong together. before, after: indices of sets. rack, hand: bags it gets. out: bag for the hand."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    rack: int
    hand: int
    out: int

    @property
    def saved(self) -> int:
        """Steps that it saves, see the head of the module."""
        if len(self.before) == len(self.after) == 1 and not (self.rack or self.hand or self.out):
            return 0  # the same tiles in another order: something has to be taken out and placed again
        flows = bool(self.rack) + bool(self.hand) + bool(self.out)
        return _MOST_SAVED - flows - (not self.before) - (not self.after)


@dataclass(frozen=True, slots=True)
class Plan:
    """Parts, and a lower bound for the number of steps of every plan."""

    parts: tuple[Part, ...]
    bound: int


def plan(
    bags: Bags, before: Sequence[int], after: Sequence[int], laid: int, budget: Budget, completing: Budget
) -> Plan:
    """A plan for sets that do not stay as they are; laid: from the rack. All are bags of `bags`.

    budget: for parts that save steps and the bound. completing: for the other sets.
    """
    question = _Question(bags, before, after, laid)
    choices = [_Choice(question, component, budget) for component in question.components()]
    most = sum(choice.saved for choice in choices)
    chosen = [choice.parts for choice in choices]
    if any(choice.torn for choice in choices):
        # A final set that takes from rack and hand alike costs a step too many, whether there is one or more.
        covers = [choice.covering(question, budget) for choice in choices]
        if all(cover.parts is not None for cover in covers):
            chosen = [cover.parts or [] for cover in covers]
        else:
            opens = [choice.open_to_both(question, budget) for choice in choices]
            first = next((at for at, some in enumerate(opens) if some.parts is not None), None)
            if first is not None:
                chosen[first] = opens[first].parts or []
            elif all(some.proven for some in (*covers, *opens)):
                most -= 1
    most = min(most, _MOST_SAVED * min(len(before), len(after)))
    masks = [mask for some in chosen for mask in some]
    return Plan(question.complete(masks, completing), len(before) + len(after) - most)


def tidy_parts(bags: Bags, before: Sequence[int], after: Sequence[int], laid: int, budget: Budget) -> tuple[Part, ...]:
    """Parts in which tiles of different final sets never come together, but for those of one set before.

    Each final set grows from the set before with which it shares most, if that is free. Further sets join such a pair
    where that saves steps: final sets that are split off its set before, sets before that go into its final set.
    """
    question = _Question(bags, before, after, laid)
    alone = (1 << len(question.sets)) - 1
    masks = []
    for old, new in question.pairs(alone):
        if alone >> old & alone >> new & 1:
            masks.append(1 << old | 1 << new)
            alone &= ~masks[-1]
    masks += [1 << at for at in _bits(alone)]
    best = question.parts(masks)
    for at in _bits(alone):
        for other in masks:
            both = other | 1 << at
            if other == 1 << at or not question.tidy(both):
                continue
            if not budget.spend(len(masks) * _WEIGHT):
                return best
            tried = [*(mask for mask in masks if mask not in (other, 1 << at)), both]
            parts = question.parts(tried)
            if _saved(parts) > _saved(best):
                masks, best = tried, parts
                break
    return best


class _Question:
    """Sets by index, those before the move first; groups of sets are bit masks over these indices."""

    def __init__(self, bags: Bags, before: Sequence[int], after: Sequence[int], laid: int) -> None:
        self.bags = bags
        self.sets = (*before, *after)
        self.first_after = len(before)
        self.laid = laid
        kinds = range(len(bags.kinds))
        old, new = range(len(before)), range(len(before), len(self.sets))
        self.before_with = [[at for at in old if self.sets[at] >> _BITS * kind & _FIELD] for kind in kinds]
        self.after_with = [[at for at in new if self.sets[at] >> _BITS * kind & _FIELD] for kind in kinds]
        self.movable = sum(before)

    def components(self) -> list[int]:
        """Masks of sets that are connected by kinds of tiles which they share."""
        found = []
        rest = (1 << len(self.sets)) - 1
        while rest:
            mask, tiles, grown = rest & -rest, self.sets[(rest & -rest).bit_length() - 1], True
            while grown:
                grown = False
                for at in _bits(rest & ~mask):
                    if self.bags.minus(tiles, self.bags.minus(tiles, self.sets[at])):
                        mask, tiles, grown = mask | 1 << at, tiles | self.sets[at], True
            found.append(mask)
            rest &= ~mask
        return found

    def sums(self, mask: int) -> tuple[int, int]:
        """The tiles of a mask's sets before and after."""
        sums = [0, 0]
        for at in _bits(mask):
            sums[at >= self.first_after] += self.sets[at]
        return sums[0], sums[1]

    def torn(self, at: int) -> bool:
        """Whether a final set by itself needs tiles that only the rack has and others that it does not have."""
        wanted = self.sets[at]
        only_rack = self.bags.minus(wanted, self.bags.any_of(self.movable))
        return bool(only_rack) and not self.bags.fits(wanted, self.laid)

    def tidy(self, mask: int) -> bool:
        """Whether connected sets are one before, or one after, and all that they lack belongs to one final set."""
        ats = list(_bits(mask))
        new = [self.sets[at] for at in ats if at >= self.first_after]
        if len(new) > 1 < len(ats) - len(new) or not any(
            self._common(one, other) for one in ats[-1:] for other in ats[:-1]
        ):
            return False
        held, wanted = self.sums(mask)
        lack = self.bags.minus(wanted, held)
        return any(self.bags.fits(lack, each) for each in new)

    def helpers(self, mask: int, over: int, under: int, wanted: int) -> list[int]:
        """Sets one of which every part with this mask has: for the kind of tile in excess that fewest can help with.

        over: tiles that need a final set. under: tiles that need a set before; without either some set before is
        needed that has tiles of `wanted`.
        """
        best: list[int] | None = None
        for bag, lists in ((over, self.after_with), (under, self.before_with)):
            while bag:
                kind = self.bags.kind(bag)
                bag = bag >> _BITS * (kind + 1) << _BITS * (kind + 1)
                some = [at for at in lists[kind] if not mask >> at & 1]
                if best is None or len(some) < len(best):
                    best = some
        if best is None:
            kinds = {self.bags.kinds.index(tile) for tile in self.bags.tiles(wanted)}
            return sorted({at for kind in kinds for at in self.before_with[kind]})
        return best

    # -----------------------------------------------------------------------------------------------------------------

    def complete(self, chosen: Sequence[int], budget: Budget) -> tuple[Part, ...]:
        """Parts for all sets: the chosen masks, and the other sets as well as they go together."""
        left = ((1 << len(self.sets)) - 1) & ~sum(chosen)
        masks = [*chosen, *(1 << at for at in _bits(left))]
        best = self.parts(masks)
        saved = _saved(best)
        # A set that lost tiles and the final set that has most of the others: easier to follow, seldom dearer.
        for old, new in self.pairs(left):
            if not budget.spend(len(masks) * _WEIGHT):
                return best
            if 1 << old in masks and 1 << new in masks:
                tried = [*(mask for mask in masks if mask not in (1 << old, 1 << new)), 1 << old | 1 << new]
                parts = self.parts(tried)
                if _saved(parts) >= saved:
                    masks, best, saved = tried, parts, _saved(parts)
        grown = True
        while grown and any(part.saved < 0 for part in best):
            grown = False
            for one in [mask for mask, part in zip(masks, best, strict=True) if part.saved < 0]:
                for other in masks:
                    if other == one:
                        continue
                    if not budget.spend(len(masks) * _WEIGHT):
                        return best
                    tried = [*(mask for mask in masks if mask not in (one, other)), one | other]
                    parts = self.parts(tried)
                    if _saved(parts) > saved:
                        masks, best, saved, grown = tried, parts, _saved(parts), True
                        break
                if grown:
                    break
        return best

    def pairs(self, mask: int) -> list[tuple[int, int]]:
        """Sets before and after that have tiles in common, those with most of them first."""
        old = [at for at in _bits(mask) if at < self.first_after]
        new = [at for at in _bits(mask) if at >= self.first_after]
        common = [(-self.bags.size(self._common(one, other)), one, other) for one in old for other in new]
        return [(one, other) for size, one, other in sorted(common) if size]

    def _common(self, one: int, other: int) -> int:
        return self.bags.minus(self.sets[one], self.bags.minus(self.sets[one], self.sets[other]))

    def parts(self, masks: Sequence[int]) -> tuple[Part, ...]:
        """The masks as parts: what they lack comes from rack or hand, so that as much is saved as can be."""
        sums = [self.sums(mask) for mask in masks]
        out = [self.bags.minus(old, new) for old, new in sums]
        lacks = [self.bags.minus(new, old) for old, new in sums]
        given = sum(out)
        fixed = list(lacks)  # what can come from one of the two only
        spreads = []
        rack = [0] * len(masks)
        for kind in range(len(self.bags.kinds)):
            place = _BITS * kind
            copies = self.laid >> place & _FIELD
            if not copies:
                continue
            needs = [lack >> place & _FIELD for lack in lacks]
            fixed = [bag - (need << place) for bag, need in zip(fixed, needs, strict=True)]
            if given >> place & _FIELD:
                needy = [at for at, need in enumerate(needs) if need]
                some = islice(_spreads([needs[at] for at in needy], copies), _SPREADS)
                spreads.append([(place, needs, dict(zip(needy, spread, strict=True))) for spread in some])
            else:
                rack = [bag + (need << place) for bag, need in zip(rack, needs, strict=True)]
        best: tuple[Part, ...] = ()
        for choice in islice(product(*spreads), _SPREADS):
            racks, hands = list(rack), list(fixed)
            for place, needs, spread in choice:
                for at, count in spread.items():
                    racks[at] += count << place
                    hands[at] += needs[at] - count << place
            parts = tuple(
                Part(
                    tuple(at for at in _bits(mask) if at < self.first_after),
                    tuple(at - self.first_after for at in _bits(mask) if at >= self.first_after),
                    racks[at],
                    hands[at],
                    out[at],
                )
                for at, mask in enumerate(masks)
            )
            if not best or _saved(parts) > _saved(best):
                best = parts
        return best


def _saved(parts: Iterable[Part]) -> int:
    return sum(part.saved for part in parts)


def _spreads(needs: Sequence[int], copies: int) -> Iterator[tuple[int, ...]]:
    """Every way to give so many copies to those who need them."""
    if not needs:
        if not copies:
            yield ()
        return
    for here in range(min(needs[0], copies), -1, -1):
        for rest in _spreads(needs[1:], copies - here):
            yield (here, *rest)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


# ---------------------------------------------------------------------------------------------------------------------
# Parts that save steps
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Way:
    """How a part may differ from its final sets: bags that it may have left over, and may lack. Steps that it saves."""

    over: int
    under: int
    saves: int


@dataclass(frozen=True, slots=True)
class _Try:
    """Parts that save as much as any and meet a condition, or None; proven: whether None means that there are none."""

    parts: list[int] | None
    proven: bool


class _Choice:
    """Disjoint parts of a component that save most.

    saved: a bound of what any choice can save. torn: final sets that need tiles which only the rack has, and others
    which it does not have, as a mask: by themselves they cost a step more than other sets.
    """

    def __init__(self, question: _Question, component: int, budget: Budget) -> None:
        bags = question.bags
        self.component = component
        self.torn = sum(1 << at for at in _bits(component) if at >= question.first_after and question.torn(at))
        self._found: dict[int, int] = {}
        ways = (
            _Way(0, 0, _MOST_SAVED),
            _Way(0, question.laid, 1),
            _Way(0, bags.any_of(question.movable), 1),
            _Way(bags.everything, 0, 1),
        )
        complete_to = _list_parts(question, component, ways, self._found, budget)
        self._shares = _shares(component, self._found, complete_to)
        self.saved = _floor(sum(self._shares.values()))
        self.parts = _greedy_packing(self._found)
        self._packing: _Packing | None = None
        if complete_to is None and component.bit_count() <= _DEEPEST:
            packing = _Packing(self._found, self._shares, budget)
            most = packing.best(component)
            if most is not None:
                self._packing, self.saved, self.parts = packing, most, packing.parts(component)

    def covering(self, question: _Question, budget: Budget) -> _Try:
        """A choice in which every torn set is in a part."""
        if not self.torn & ~sum(self.parts):
            return _Try(self.parts, True)
        if self._packing is None:
            return _Try(None, False)
        found = dict(self._found)
        ways = (_Way(0, question.laid, 1), _Way(question.bags.everything, question.laid, 0))
        if _list_parts(question, self.component, ways, found, budget, self.torn) is not None:
            return _Try(None, False)
        packing = _Packing(found, self._shares, budget, self.torn)
        most = packing.best(self.component)
        return _Try(packing.parts(self.component) if most == self.saved else None, most is not None)

    def open_to_both(self, question: _Question, budget: Budget) -> _Try:
        """A choice with a part that saves nothing but may take from rack and hand alike, as any torn set then does."""
        if self._packing is None:
            return _Try(None, False)
        found = dict(self._found)
        ways = (_Way(0, question.bags.everything, 0),)
        complete_to = _list_parts(question, self.component, ways, found, budget)
        for mask in found:
            if not found[mask]:
                saved = self._packing.best(self.component & ~mask)
                if saved is None:
                    return _Try(None, False)
                if saved == self.saved:
                    return _Try([*self._packing.parts(self.component & ~mask), mask], True)
        return _Try(None, complete_to is None)


def _list_parts(
    question: _Question,
    component: int,
    ways: Sequence[_Way],
    found: dict[int, int],
    budget: Budget,
    torn: int = 0,
) -> int | None:
    """Add masks with what they save to `found`, least masks only; the size up to which all are known, None if all are.

    torn: list the parts with some of these sets only, for every choice of them the least.

    Breadth first: a mask that is not yet a part has some tiles too many, or too few, and every part that contains it
    has one of the sets that could take them, or bring them. A mask is left out if it holds a part that saves more, or
    as much and has the same torn sets.
    """
    bags, sets, first_after = question.bags, question.sets, question.first_after
    level: list[dict[int, tuple[int, int]]] = []
    for way in ways:
        roots = _bits(torn) if torn else [at for at in _bits(component) if (at >= first_after) == bool(way.over)]
        level.append({1 << at: (0, sets[at]) if at >= first_after else (sets[at], 0) for at in roots})
    size = 1
    while any(level):
        following: list[dict[int, tuple[int, int]]] = []
        for way, masks in zip(ways, level, strict=True):
            nexts: dict[int, tuple[int, int]] = {}
            smaller = [(mask, torn if saves == way.saves else 0) for mask, saves in found.items() if saves >= way.saves]
            for mask, (held, wanted) in masks.items():
                if not budget.spend(len(smaller)):
                    return size - 1
                if any(not part & ~mask and not mask & ~part & same for part, same in smaller):
                    continue
                over = bags.minus(held, wanted + way.over)
                under = bags.minus(wanted, held + way.under)
                more: Iterable[int] = ()
                if over or under or not held:
                    more = question.helpers(mask, over, under, wanted)
                else:
                    more = _bits(torn & ~mask)
                    if not (size == 2 and held == wanted):
                        found[mask] = max(found.get(mask, 0), way.saves)
                for at in more:
                    if at < first_after:
                        nexts[mask | 1 << at] = (held + sets[at], wanted)
                    else:
                        nexts[mask | 1 << at] = (held, wanted + sets[at])
            following.append(nexts)
        level = following
        size += 1
    return None


def _shares(component: int, found: dict[int, int], complete_to: int | None) -> dict[int, float]:
    """For each set the most that a part with it can save, by set of that part: their sum bounds every choice."""
    # A pair saves one step at most, and one set by itself none.
    unknown = 0.0 if complete_to is None else _MOST_SAVED / max(complete_to + 1, _LEAST_BALANCED)
    shares = dict.fromkeys(_bits(component), unknown)
    for mask, saves in found.items():
        for at in _bits(mask):
            shares[at] = max(shares[at], saves / mask.bit_count())
    return shares


def _floor(value: float) -> int:
    return int(value + _EPSILON)


def _greedy_packing(found: dict[int, int]) -> list[int]:
    chosen: list[int] = []
    used = 0
    for mask in sorted(found, key=lambda mask: (-found[mask] / mask.bit_count(), mask)):
        if not mask & used:
            chosen.append(mask)
            used |= mask
    return chosen


class _Packing:
    """Chooses disjoint parts that save most, exactly, and remembers the answer for every rest that it met.

    needed: sets that must be in a part; `best` is negative if they cannot be.
    """

    def __init__(self, found: dict[int, int], shares: dict[int, float], budget: Budget, needed: int = 0) -> None:
        self._found = found
        self._shares = shares
        self._budget = budget
        self._needed = needed
        self._with: dict[int, list[int]] = {at: [] for at in shares}
        for mask in sorted(found, key=lambda mask: (-found[mask], mask.bit_count(), mask)):
            for at in _bits(mask):
                self._with[at].append(mask)
        # rest -> what is saved, the first part chosen (0: none), what is left to choose from
        self._known: dict[int, tuple[int, int, int]] = {}

    def best(self, rest: int) -> int | None:
        """What the best choice among these sets saves; None if the budget is spent."""
        if not rest:
            return 0
        if rest in self._known:
            return self._known[rest][0]
        if not self._budget.spend(rest.bit_count() + sum(len(self._with[at]) for at in _bits(rest))):
            return None
        options = {at: [mask for mask in self._with[at] if not mask & ~rest] for at in _bits(rest)}
        at = min(options, key=lambda at: (len(options[at]), at))
        most, first, left = _NEVER, 0, 0
        for mask in (*options[at], 0):
            gain = self._found[mask] if mask else 0
            after = rest & ~(mask or 1 << at)
            if not mask and self._needed >> at & 1:
                continue
            if gain + _floor(sum(self._shares[other] for other in _bits(after))) <= most:
                continue
            value = self.best(after)
            if value is None:
                return None
            if gain + value > most:
                most, first, left = gain + value, mask, after
        self._known[rest] = max(most, _NEVER), first, left
        return self._known[rest][0]

    def parts(self, rest: int) -> list[int]:
        """The choice behind `best`."""
        chosen = []
        while rest:
            _, first, rest = self._known[rest]
            if first:
                chosen.append(first)
        return chosen


def changed(before: Sequence[TileSet], after: Sequence[TileSet]) -> tuple[list[TileSet], list[TileSet]]:
    """The sets of both tables that are not on the other one."""
    old, new = Counter(before), Counter(after)
    return list((old - new).elements()), list((new - old).elements())
