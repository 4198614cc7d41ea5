# What plays are worth at most.
from libc.stdint cimport int64_t, uint64_t

from .board cimport BONUS_BYTES, SEAT_COUNT, Record
from .work cimport Search

cdef extern from * nogil:
    """
    #define swap_bytes(word) __builtin_bswap64(word)
    #define SETUP_NOTHING (-((int64_t) 1 << 62))
    """
    uint64_t swap_bytes(uint64_t word)
    const int64_t NOTHING "SETUP_NOTHING"

cdef void set_style(Search* s, const int64_t* style) noexcept nogil
cdef int64_t style_of(const Search* s, const Record* record) noexcept nogil
cdef void set_bounds(Search* s) noexcept nogil
cdef void set_run_bounds(Search* s) noexcept nogil


cdef inline int64_t most_of(const Search* s, uint64_t mask) noexcept nogil:
    # What scored squares are worth at most.
    cdef uint64_t counts = 0
    cdef int64_t value
    cdef int i = 0
    while mask:
        counts += s.g.worth[i][mask & 255]
        mask >>= 8
        i += 1
    counts &= s.keep
    value = s.lean[0] * <int64_t> (counts & 255)
    if counts & BONUS_BYTES:
        for i in range(1, 1 + SEAT_COUNT):
            value += s.lean[i] * <int64_t> ((counts >> (8 * i)) & 255)
    return value


cdef inline int64_t more_run_of(const Search* s, int i, int square) noexcept nogil:
    return s.more_run[i][square] if s.hot_run[i] >> square & 1 else 0


cdef inline bint too_little(const Search* s, int64_t most, uint64_t tiles, int count) noexcept nogil:
    # Whether a play with these as its lowest tiles cannot enter the list, when its key is `most` at most.
    if most != s.floor_key:
        return most < s.floor_key
    # The bytes as sequences: the lowest tile counts most.
    return swap_bytes(tiles) >> (64 - 8 * count) > s.floor_tiles >> (64 - 8 * count)
