"""The best move by cases, where that of the relaxation is not legal.

Each table joker stays as one of the tiles that it stands for, and is then one more copy of that tile, or is freed,
which may ask for a tile to be laid. Two jokers may stay in a group because of the same tile; one of them then is
*wild*. A case that equals the relaxation is the best. Of those whose move is not legal the best one is decided first.
"""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from .asking cimport better
from .board cimport JOKER_AT, MOST_JOKERS, WIDE, bit, low, mask_of
from .cases cimport try_case
from .deciding cimport decide_set
from .freeing cimport MOST_READINGS, Spots, may_go, ways_to_read
from .room cimport Case
from .work cimport FOUND, NOTHING


cdef void lay(Case *c, int cell) noexcept nogil:
    """Decide that a rack tile is laid."""
    c.may[cell] -= 1
    c.must[cell] += 1
    c.laid[cell] += 1


cdef int cases_from(Turner *t, const Board *b, const Spots *s, int joker, const Case *base, int objective,
                    bint everything, int64_t first, int64_t second, Turn *best) noexcept nogil:
    """Every case of the jokers from this one on; ends early when a case equals the bound."""
    cdef Case c
    cdef uint64_t left, on_table, prices
    cdef int cell, status
    cdef bint whole
    if best.first == first and best.second == second:
        return FOUND
    if joker >= min(s.count, <int>MOST_JOKERS):
        c = base[0]
        return try_case(t, b, &c, objective, everything, best)
    left = s.means[joker]
    while left:
        cell = low(left)
        left &= left - 1
        c = base[0]
        c.must[cell] += 1
        c.stays[c.stay_count] = cell
        c.stay_count += 1
        c.loose -= 1
        status = cases_from(t, b, s, joker + 1, &c, objective, everything, first, second, best)
        if status != FOUND:
            return status
    # Two jokers that stay in one group because of the same tile: one is counted as it, the other is wild.
    if joker and base.stay_count and s.means[joker] & bit(base.stays[0]):
        c = base[0]
        c.wild = True
        status = cases_from(t, b, s, joker + 1, &c, objective, everything, first, second, best)
        if status != FOUND:
            return status
    on_table = 0 if t.ways.from_rack else mask_of(b.counts, t.cells)
    if may_go(t, s, joker, on_table | mask_of(base.laid, t.cells)):
        c = base[0]
        c.meant |= s.means[joker]
        return cases_from(t, b, s, joker + 1, &c, objective, everything, first, second, best)
    whole = t.ways.both and s.three[joker]
    prices = s.means[joker] & ~(on_table | mask_of(base.laid, t.cells))
    left = prices
    while left:
        cell = low(left)
        left &= left - 1
        c = base[0]
        c.meant |= s.means[joker]
        if whole:
            # All of them are laid.
            while prices:
                cell = low(prices)
                prices &= prices - 1
                if not c.may[cell]:
                    return FOUND
                lay(&c, cell)
            left = 0
        elif c.may[cell]:
            lay(&c, cell)
        else:
            continue
        status = cases_from(t, b, s, joker + 1, &c, objective, everything, first, second, best)
        if status != FOUND:
            return status
    return FOUND


cdef int by_cases(Turner *t, const Board *b, const uint8_t *forced, const uint8_t *rack, int objective,
                  bint everything, Turn *out) noexcept nogil:
    """The best move by cases; `out` is the relaxation and becomes the answer."""
    cdef Spots old[MOST_READINGS]
    cdef Case root, c
    cdef int i, at, status, ways = ways_to_read(t, b, old)
    cdef int64_t first = out.first, second = out.second
    cdef Turn *best = t.spare
    best.first = -1
    best.second = -1
    t.case_count = 0
    memset(&root, 0, sizeof(Case))
    memcpy(root.laid, forced, WIDE)
    for i in range(t.cells):
        root.must[i] = b.counts[i] + forced[i]
        root.may[i] = rack[i]
    root.loose = b.jokers
    root.handed = forced[JOKER_AT]
    root.spare = rack[JOKER_AT]
    for i in range(ways):
        status = cases_from(t, b, &old[i], 0, &root, objective, everything, first, second, best)
        if status != FOUND:
            return status
    while t.case_count and not (best.first == first and best.second == second):
        at = 0
        for i in range(1, t.case_count):
            if better(t.cases[i].first, t.cases[i].second, t.cases[at].first, t.cases[at].second):
                at = i
        c = t.cases[at]
        if not better(c.first, c.second, best.first, best.second):
            break
        t.case_count -= 1
        t.cases[at] = t.cases[t.case_count]
        status = decide_set(t, b, &c, objective, everything, best)
        if status != FOUND:
            return status
    if best.first < 0:
        return NOTHING
    out[0] = best[0]
    return FOUND
