"""Sets, and tables that keep their sets: their tiles, their worth, their canonical order."""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from .lanes cimport LANES


cdef int value_of(const uint8_t *counts, int cells) noexcept nogil:
    cdef int i, value = 0
    for i in range(cells):
        value += counts[i] * (i // LANES + 1)
    return value


cdef int count_of(const uint8_t *counts, int cells) noexcept nogil:
    cdef int i, n = 0
    for i in range(cells):
        n += counts[i]
    return n


cdef void clear_board(Board *b) noexcept nogil:
    b.sets = 0
    b.jokers = 0
    memset(b.counts, 0, CELLS)


cdef int tile_key(const Set *s, int place) noexcept nogil:
    """Of the tile at a place of a set: sorts as canonical order does."""
    cdef int cell, left = place
    cdef uint64_t mask = s.mask
    if s.run:
        cell = (s.first + place) * LANES + low(mask) % LANES
        if not mask & bit(cell):
            return LANES * CELLS
        return cell % LANES * CELLS + cell // LANES
    while mask:
        cell = low(mask)
        if left == 0:
            return cell % LANES * CELLS + cell // LANES
        left -= 1
        mask &= mask - 1
    return LANES * CELLS


cdef bint comes_first(const Set *a, const Set *b) noexcept nogil:
    """Whether a set comes before another in the canonical order of tables."""
    cdef int place, x = low(a.mask), y = low(b.mask)
    x = x % LANES * CELLS + x // LANES
    y = y % LANES * CELLS + y // LANES
    if x != y:
        return x < y
    for place in range(min(a.length, b.length)):
        x = tile_key(a, place)
        y = tile_key(b, place)
        if x != y:
            return x < y
    return a.length < b.length


cdef void canonical(Board *b, int numbers) noexcept nogil:
    """Sets with jokers as they are read from a canonical table: what comes after does not depend on who asks."""
    cdef int i, other = -1
    cdef Set *s
    cdef Set first
    if not b.jokers:
        return
    for i in range(b.sets):
        s = &b.set[i]
        if not s.jokers:
            continue
        if not s.run and s.length - s.jokers == 1 and s.first + s.length <= numbers:
            s.run = True  # `R5 J J` is as well the run that it is written as
        if other >= 0 and comes_first(s, &b.set[other]):
            first = s[0]
            b.set[i] = b.set[other]
            b.set[other] = first
        other = i


cdef int faces(const Set *s, int numbers, int colors) noexcept nogil:
    """Value of a set whose jokers count what they stand for, read as favours the owner."""
    cdef int run = 0, group = 0, number
    if s.run:
        run = s.length * s.first + s.length * (s.length + 1) // 2
    if not s.run or s.length - s.jokers == 1:
        number = low(s.mask) // LANES
        if s.length <= colors:
            group = s.length * (number + 1)
        if not s.run and s.length - s.jokers == 1 and number + s.length <= numbers:
            run = s.length * number + s.length * (s.length + 1) // 2
    return max(run, group)
