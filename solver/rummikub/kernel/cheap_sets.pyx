"""The sets of a bag that can be in an arrangement which changes little, by prices (prices.pyx).

Many thousand sets fit a bag with jokers; what costs more than an arrangement may fall short of the bound is not listed,
nor is anything that is built on it.
"""

from .change cimport Search, common
from .prices cimport KEPT, UNIT
from .tilesets cimport (
    ANY, GROUP, JOKER_TYPE, MIN_SET, RUN, Bag, Set, Work, bits, in_order, jokers_fit, keep_going, list_all, low_bit,
    offer, place_type, run_end, sort_sets, u64,
)

cdef enum:
    VISITS = 16           # joker placings that count as one node


cdef long long worth_new(const Search *s, u64 mask, int jokers) noexcept nogil:
    """What a set is worth if it is laid new."""
    cdef long long gain = 0
    cdef int o
    for o in range(s.count):
        if s.sure >> o & 1:
            continue
        if mask & s.originals[o].mask or (jokers and s.originals[o].jokers):
            gain = max(gain, <long long>common(mask, jokers, s.originals + o) * UNIT - s.prices.original[o])
    return gain


cdef void price_and_offer(Search *s, u64 mask, u64 places, int jokers, int size, int kind, int color, int first,
                          long long cost) noexcept nogil:
    """Offer a set at what it costs more than it is worth if it is laid new, unless that is too much."""
    if cost - size * UNIT > s.listed:
        return
    cost -= worth_new(s, mask, jokers)
    if cost <= s.listed:
        offer(s.w, mask, places, jokers, size, kind, color, first, cost)


cdef void place_jokers(Search *s, Bag bag, int color, int first, int size, int place, u64 mask, u64 places, int jokers,
                       long long cost) noexcept nogil:
    """Offer a run with these jokers, and with more of them from a place on; `cost` without the worth of the run."""
    cdef int i, t
    cdef long long more
    s.visits += 1
    if s.w.stop or (s.visits % VISITS == 0 and not keep_going(s.w)):
        return
    # One real tile at the front and jokers behind it is written like a group, and is listed as one.
    if mask and jokers_fit(s.w, size - jokers, jokers) and not (
            size - jokers == 1 and not places & 1 and size <= s.w.colors):
        price_and_offer(s, mask, places, jokers, size, RUN, color, first, cost)
    if jokers == bag.jokers or not jokers_fit(s.w, size - jokers - 1, jokers + 1):
        return
    for i in range(place, size):
        t = place_type(s.w, color, first + i)
        if mask >> t & 1:
            # Never negative: nothing costs more than a joker.
            more = cost + s.prices.tile[JOKER_TYPE] - s.prices.tile[t]
            if more - size * UNIT <= s.listed:
                place_jokers(s, bag, color, first, size, i + 1, mask & ~(<u64>1 << t), places | (<u64>1 << i),
                             jokers + 1, more)


cdef void list_cheap_runs(Search *s, Bag bag) noexcept nogil:
    cdef Work *w = s.w
    cdef int color, first, size, t, jokers
    cdef u64 mask, places
    cdef long long cost
    for color in range(w.colors):
        for first in range(w.numbers):
            mask = places = 0
            jokers = 0
            cost = 0
            for size in range(1, run_end(w, first) - first + 1):
                t = place_type(w, color, first + size - 1)
                if bag.one >> t & 1:
                    mask |= <u64>1 << t
                    cost += s.prices.tile[t]
                else:
                    jokers += 1
                    places |= <u64>1 << (size - 1)
                    cost += s.prices.tile[JOKER_TYPE]
                    if jokers > bag.jokers:
                        break
                if size >= MIN_SET and cost - size * UNIT <= s.listed:
                    place_jokers(s, bag, color, first, size, 0, mask, places, jokers, cost)


cdef void list_cheap_groups(Search *s, Bag bag) noexcept nogil:
    cdef Work *w = s.w
    cdef int number, chosen, c, jokers, real
    cdef u64 mask
    cdef long long cost
    for number in range(w.numbers):
        for chosen in range(1, 1 << w.colors):
            mask = 0
            cost = 0
            for c in range(w.colors):
                if chosen >> c & 1:
                    mask |= <u64>1 << (c * w.numbers + number)
                    cost += s.prices.tile[c * w.numbers + number]
            if mask & ~bag.one:
                continue
            real = bits(mask)
            for jokers in range(max(0, MIN_SET - real), min(bag.jokers, w.colors - real) + 1):
                if jokers_fit(w, real, jokers):
                    price_and_offer(s, mask, 0, jokers, real + jokers, GROUP, low_bit(<u64>chosen), number,
                                    cost + <long long>jokers * s.prices.tile[JOKER_TYPE])


cdef void list_cheap(Search *s, Bag bag, long long listed) noexcept nogil:
    """List all sets that cost no more than `listed` beyond their worth, and the originals that are sure.

    bag: without those, which have been paid for.
    """
    cdef Work *w = s.w
    cdef const Set *shape
    cdef u64 rest
    cdef int o, size, low, high, middle
    s.listed = listed
    w.count = 0
    for o in range(s.count):
        if not (s.open | s.sure) >> o & 1:
            continue
        shape = s.shapes + o
        s.costs[o] = <long long>shape.jokers * s.prices.tile[JOKER_TYPE]
        rest = shape.mask
        while rest:
            s.costs[o] += s.prices.tile[low_bit(rest)]
            rest &= rest - 1
        s.keeping[o] = 0
        if s.open >> o & 1:
            s.keeping[o] = s.costs[o] + s.prices.original[o] + s.prices.kept - <long long>(KEPT + shape.size) * UNIT
        if s.keeping[o] <= listed:
            offer(w, shape.mask, shape.places, shape.jokers, shape.size, shape.kind, shape.color, shape.first,
                  s.keeping[o])
    list_cheap_runs(s, bag)
    list_cheap_groups(s, bag)
    if w.per_set == ANY:
        for size in range(MIN_SET, min(bag.jokers, max(w.numbers, w.colors)) + 1):
            price_and_offer(s, 0, 0, size, size, GROUP, 0, 0, <long long>size * s.prices.tile[JOKER_TYPE])
    sort_sets(w)
    for o in range(s.count):
        s.ranks[o] = -1
        if (s.open | s.sure) >> o & 1:
            low = 0
            high = w.count
            while low < high:
                middle = (low + high) // 2
                if in_order(w.sets + middle, s.shapes + o) < 0:
                    low = middle + 1
                else:
                    high = middle
            if low < w.count and in_order(w.sets + low, s.shapes + o) == 0:
                s.ranks[o] = low
                if w.sets[low].original < 0:
                    w.sets[low].original = o
                    w.sets[low].again = s.costs[o] - worth_new(s, w.sets[low].mask, w.sets[low].jokers)
    if not w.stop:
        list_all(w)
