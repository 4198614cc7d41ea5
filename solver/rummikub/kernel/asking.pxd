# What the sweep is asked, and what its answer is worth.
from libc.stdint cimport int64_t, uint8_t

from .board cimport Board
from .room cimport Turn, Turner

cdef inline bint better(int64_t first, int64_t second, int64_t than_first, int64_t than_second) noexcept nogil:
    return first > than_first or (first == than_first and second > than_second)


cdef int ask(Turner *t, const uint8_t *must, const uint8_t *may, int jokers_must, int jokers_may, int objective,
             bint everything, bint empty) noexcept nogil
cdef void weigh(Turner *t, int objective, Turn *out) noexcept nogil
cdef void laid_of(Turner *t, const uint8_t *decided, uint8_t *laid) noexcept nogil
cdef void append_result(Turner *t, Board *b) noexcept nogil
