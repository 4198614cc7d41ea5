"""The rules of jokers: a move is legal if some reading of both tables and some matching of their jokers allow it.

A joker that stands for the same tile before and after has stayed. One that has not was freed: the rules may ask for
the tile that it stood for, and for another set than one of before with it. A joker that only rounds off a set may be
put to another one.
"""

from libc.stdint cimport uint64_t

from .board cimport MIN_SET, Set, bit, group_mask, lay_before, low, mask_of, run_mask
from .lanes cimport LANES


cdef int ways_to_read(Turner *t, const Board *b, Spots *out) noexcept nogil:
    """Every way to read the sets with jokers; their number (one with no spots if there are no jokers)."""
    cdef int i, k, n = 1, before, way, ways, number
    cdef uint64_t means[2]
    cdef bint as_group[2]
    cdef uint64_t gaps
    cdef const Set *s
    out[0].count = 0
    for i in range(b.sets):
        s = &b.set[i]
        if not s.jokers:
            continue
        ways = 0
        number = low(s.mask) // LANES
        if s.run or (s.length - s.jokers == 1 and number + s.length <= t.ways.numbers):
            means[ways] = run_mask(s.first if s.run else number, s.length, low(s.mask) % LANES) & ~s.mask
            as_group[ways] = False
            ways += 1
        if not s.run or (s.length - s.jokers == 1 and s.length <= t.ways.colors):
            means[ways] = group_mask(number, t.ways.colors) & ~s.mask
            as_group[ways] = True
            ways += 1
        before = n
        n = before * ways
        # From the last way on, so that no way that is still to be read is written over.
        for k in range(n - 1, -1, -1):
            way = k // before
            out[k] = out[k % before]
            gaps = means[way]
            for _j in range(s.jokers):
                out[k].home[out[k].count] = i
                if as_group[way]:
                    out[k].means[out[k].count] = means[way]
                else:
                    out[k].means[out[k].count] = gaps & (~gaps + 1)
                    gaps &= gaps - 1
                out[k].three[out[k].count] = as_group[way] and s.length == MIN_SET
                out[k].count += 1
    return n


cdef bint may_go(Turner *t, const Spots *s, int joker, uint64_t prices) noexcept nogil:
    """Whether a joker of the table may be freed, by these tiles."""
    if not t.ways.replace:
        return True
    if t.ways.both and s.three[joker]:
        return not s.means[joker] & ~prices
    return s.means[joker] & prices != 0


cdef bint homes_new(Turner *t, const Board *b, const Board *after, const Spots *spots,
                    const bint *moved) noexcept nogil:
    cdef int i, k, n
    if not t.ways.new:
        return True
    for i in range(spots.count):
        if moved[i]:
            n = 0
            for k in range(spots.count):
                n += moved[k] and spots.home[k] == spots.home[i]
            if lay_before(b, after.set[spots.home[i]].mask, after.set[spots.home[i]].jokers - n):
                return False
    return True


cdef bint matches(Turner *t, const Board *b, const Board *after, const Spots *old, const Spots *new,
                  uint64_t prices) noexcept nogil:
    """Whether some matching of the table's jokers before and after allows the move."""
    cdef bint moved[MOST_JOKERS]
    cdef int to[MOST_JOKERS]
    cdef int i, j, way
    cdef bint fine
    # One or two jokers before, so few ways that they are written out: who goes where.
    for way in range(new.count * new.count):
        to[0] = way % new.count
        to[1] = way // new.count
        if old.count == 1 and to[1]:
            break
        if old.count == 2 and to[0] == to[1]:
            continue
        for j in range(new.count):
            moved[j] = False
        fine = True
        for i in range(old.count):
            if not old.means[i] & new.means[to[i]]:
                if not may_go(t, old, i, prices):
                    fine = False
                    break
                moved[to[i]] = True
        if fine and homes_new(t, b, after, new, moved):
            return True
    return False


cdef bint legal(Turner *t, const Board *b, const Turn *turn) noexcept nogil:
    cdef Spots old[MOST_READINGS]
    cdef Spots new[MOST_READINGS]
    cdef int i, j, olds = ways_to_read(t, b, old), news = ways_to_read(t, &turn.after, new)
    cdef uint64_t prices = mask_of(turn.laid, t.cells)
    if not t.ways.from_rack:
        prices |= mask_of(b.counts, t.cells)
    for i in range(olds):
        for j in range(news):
            if matches(t, b, &turn.after, &old[i], &new[j], prices):
                return True
    return False


cdef bint drop_joker(Set *s, int way) noexcept nogil:
    """Take a joker out of a set that is one without it: from the end (0) or the front (1) of a run, from a group."""
    cdef int colour = low(s.mask) % LANES
    if s.length == MIN_SET or not s.jokers:
        return False
    if not s.run:
        if way:
            return False
    elif way == 0:
        if s.mask & bit((s.first + s.length - 1) * LANES + colour):
            return False
    else:
        if s.mask & bit(s.first * LANES + colour):
            return False
        s.first += 1
    s.length -= 1
    s.jokers -= 1
    return True


cdef bint take_joker(Turner *t, Set *s, int way) noexcept nogil:
    """Put a joker to the end (0) or the front (1) of a run, or to a group."""
    if not s.run:
        if way or s.length >= t.ways.colors:
            return False
    elif way == 0:
        if s.first + s.length >= t.ways.numbers:
            return False
    else:
        if s.first == 0:
            return False
        s.first -= 1
    s.length += 1
    s.jokers += 1
    return True


cdef bint move_jokers(Turner *t, const Board *b, Turn *turn, int depth) noexcept nogil:
    """Move jokers that are needed nowhere from set to set until the table is legal."""
    cdef int i, k, out, into
    cdef Set from_, to
    for i in range(turn.after.sets):
        from_ = turn.after.set[i]
        for out in range(2):
            if not drop_joker(&turn.after.set[i], out):
                continue
            for k in range(turn.after.sets):
                if k == i:
                    continue
                to = turn.after.set[k]
                for into in range(2):
                    if take_joker(t, &turn.after.set[k], into):
                        if legal(t, b, turn) or (depth > 1 and move_jokers(t, b, turn, depth - 1)):
                            return True
                        turn.after.set[k] = to
            turn.after.set[i] = from_
    return False


cdef bint fits(Turner *t, const Board *b, Turn *turn) noexcept nogil:
    """Whether the table after the move is legal, or can be made so by moving jokers that are needed nowhere."""
    if legal(t, b, turn):
        return True
    return t.ways.new and move_jokers(t, b, turn, b.jokers)
