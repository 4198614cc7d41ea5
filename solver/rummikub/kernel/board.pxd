# Sets, and tables that keep their sets.
from libc.stdint cimport uint8_t, uint64_t

from .lanes cimport LANES

cdef enum:
    CELLS = 64  # of counts: number * LANES + colour, so numbers up to 16
    WIDE = CELLS + 1
    JOKER_AT = CELLS  # where jokers are counted
    MOST_JOKERS = 2
    MOST_SETS = 72  # 3 copies of 64 tiles and the jokers, by three, and a few while sets are being decided
    MIN_SET = 3

cdef struct Set:
    # A set that holds no tile twice. A run stands as it is written: from `first` upwards, jokers in the gaps.
    uint64_t mask  # its real tiles, a bit each
    uint8_t jokers
    bint run
    uint8_t first  # number, from 0: of the first place of a run, of a group
    uint8_t length

cdef struct Board:
    int sets
    int jokers
    uint8_t counts[CELLS]  # real tiles
    Set set[MOST_SETS]


cdef inline int low(uint64_t mask) noexcept nogil:
    """The lowest bit's place."""
    cdef int at = 0
    while not mask & 0xFF:
        mask >>= 8
        at += 8
    while not mask & 1:
        mask >>= 1
        at += 1
    return at


cdef inline int bits(uint64_t mask) noexcept nogil:
    cdef int n = 0
    while mask:
        mask &= mask - 1
        n += 1
    return n


cdef inline uint64_t bit(int cell) noexcept nogil:
    return <uint64_t>1 << cell


cdef inline uint64_t run_mask(int first, int length, int colour) noexcept nogil:
    cdef uint64_t mask = 0
    cdef int i
    for i in range(first, first + length):
        mask |= bit(i * LANES + colour)
    return mask


cdef inline uint64_t group_mask(int number, int colors) noexcept nogil:
    return ((<uint64_t>1 << colors) - 1) << (number * LANES)


cdef inline uint64_t mask_of(const uint8_t *counts, int cells) noexcept nogil:
    cdef uint64_t mask = 0
    cdef int i
    for i in range(cells):
        if counts[i]:
            mask |= bit(i)
    return mask


cdef inline void add_set(Board *b, const Set *s) noexcept nogil:
    cdef uint64_t mask = s.mask
    b.set[b.sets] = s[0]
    b.sets += 1
    b.jokers += s.jokers
    while mask:
        b.counts[low(mask)] += 1
        mask &= mask - 1


cdef inline bint lay_before(const Board *b, uint64_t mask, int jokers) noexcept nogil:
    """Whether a whole set of the table is of these tiles."""
    cdef int i
    for i in range(b.sets):
        if b.set[i].mask == mask and b.set[i].jokers == jokers:
            return True
    return False


cdef int value_of(const uint8_t *counts, int cells) noexcept nogil
cdef int count_of(const uint8_t *counts, int cells) noexcept nogil
cdef void clear_board(Board *b) noexcept nogil
cdef void canonical(Board *b, int numbers) noexcept nogil
cdef int faces(const Set *s, int numbers, int colors) noexcept nogil
