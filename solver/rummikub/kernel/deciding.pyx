"""The set in which a freed joker ends, decided in every way: each becomes a case of its own."""

from libc.stdint cimport uint64_t

from .board cimport JOKER_AT, MIN_SET, MOST_JOKERS, Set, bit, bits, group_mask, lay_before, low, run_mask
from .cases cimport try_case
from .lanes cimport LANES
from .work cimport FOUND


cdef int decide_set(Turner *t, const Board *b, const Case *c, int objective, bint everything,
                    Turn *best) noexcept nogil:
    """The set in which a loose joker ends, decided in every way."""
    cdef int number, colour, length, status
    cdef uint64_t all_, some
    cdef Set s
    for number in range(t.ways.numbers):
        all_ = group_mask(number, t.ways.colors)
        some = all_
        while some:
            if bits(some) >= MIN_SET:
                s.run = False
                s.first = number
                s.length = bits(some)
                status = fill_shape(t, b, c, &s, some, objective, everything, best)
                if status != FOUND:
                    return status
            some = (some - 1) & all_
    for colour in range(t.ways.colors):
        for number in range(t.ways.numbers - MIN_SET + 1):
            for length in range(MIN_SET, t.ways.numbers - number + 1):
                s.run = True
                s.first = number
                s.length = length
                status = fill_shape(t, b, c, &s, run_mask(number, length, colour), objective, everything, best)
                if status != FOUND:
                    return status
    return FOUND


cdef int fill_shape(Turner *t, const Board *b, const Case *c, const Set *shape, uint64_t tiles, int objective,
                    bint everything, Turn *best) noexcept nogil:
    """The shape with jokers at every one or two places, and each way to say which of them are loose or stay."""
    cdef uint64_t left = tiles, one, two, second, real, lacking = 0
    cdef int cell, stay, k, status
    cdef Set s = shape[0]
    while left:
        cell = low(left)
        left &= left - 1
        k = c.must[cell] + c.may[cell]
        for stay in range(c.stay_count):
            k -= c.stays[stay] == cell
        if k == 0:
            lacking |= bit(cell)
    if bits(lacking) > MOST_JOKERS:
        return FOUND
    one = tiles
    while one:
        real = one & (~one + 1)
        one &= one - 1
        second = one  # places above the first
        two = 0
        while True:
            # stay: -1 or the joker that stays and is in this set as well
            for stay in range(-1, c.stay_count):
                if stay >= 0 and not bit(c.stays[stay]) & tiles & ~(real | two):
                    continue
                s.mask = tiles & ~(real | two)
                if stay >= 0:
                    s.mask &= ~bit(c.stays[stay])
                if not s.mask or s.mask & lacking:
                    continue
                s.jokers = s.length - bits(s.mask)
                status = label_jokers(t, b, c, &s, stay, objective, everything, best)
                if status != FOUND:
                    return status
            if not second:
                break
            two = second & (~second + 1)
            second &= second - 1
    return FOUND


cdef int label_jokers(Turner *t, const Board *b, const Case *c, const Set *s, int stay, int objective,
                      bint everything, Turn *best) noexcept nogil:
    cdef Case child
    cdef int jokers = s.jokers - (stay >= 0), rack = c.handed + c.spare, used, status, cell, k
    cdef uint64_t left
    if c.wild:
        if s.run or stay < 0:
            return FOUND
    elif c.loose == 1 and not stands_elsewhere(t, s, c.meant):
        return FOUND
    for used in range(max(1, jokers - rack), min(c.loose, jokers) + 1):
        if t.ways.new and not c.wild and lay_before(b, s.mask, s.jokers - used):
            continue
        if stay < 0 and used == jokers and can_be_cut(t, b, s, used):
            continue
        child = c[0]
        if stay >= 0:
            cell = c.stays[stay]
            child.must[cell] -= 1
            child.stay_count -= 1
            child.stays[stay] = c.stays[child.stay_count]
        left = s.mask
        while left:
            cell = low(left)
            left &= left - 1
            k = child.must[cell]
            if child.stay_count and child.stays[0] == cell:
                k -= 1
            if k:
                child.must[cell] -= 1
            else:
                child.may[cell] -= 1
                child.laid[cell] += 1
        child.loose -= used
        child.wild = False
        k = min(jokers - used, child.handed)
        child.handed -= k
        child.spare -= jokers - used - k
        child.laid[JOKER_AT] += jokers - used - k
        child.set[child.sets] = s[0]
        child.sets += 1
        status = try_case(t, b, &child, objective, everything, best)
        if status != FOUND:
            return status
    return FOUND


cdef bint stands_elsewhere(Turner *t, const Set *s, uint64_t meant) noexcept nogil:
    """Whether some joker of the set stands for nothing that it stood for."""
    if s.run:
        return run_mask(s.first, s.length, low(s.mask) % LANES) & ~s.mask & ~meant != 0
    return not group_mask(s.first, t.ways.colors) & ~s.mask & meant


cdef bint can_be_cut(Turner *t, const Board *b, const Set *s, int freed) noexcept nogil:
    """Whether real tiles at an end of a run are a set of their own, so that the shorter run does as well."""
    cdef int cut
    cdef uint64_t off, core
    cdef int colour = low(s.mask) % LANES
    if not s.run:
        return False
    for cut in range(MIN_SET, s.length - MIN_SET + 1):
        off = run_mask(s.first, cut, colour)
        core = run_mask(s.first + cut, s.length - cut, colour)
        if not off & ~s.mask and not (t.ways.new and lay_before(b, core & s.mask, s.jokers - freed)):
            return True
        if not core & ~s.mask and not (t.ways.new and lay_before(b, off & s.mask, s.jokers - freed)):
            return True
    return False
