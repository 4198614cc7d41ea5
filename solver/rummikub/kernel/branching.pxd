# The best move by cases.
from libc.stdint cimport uint8_t

from .board cimport Board
from .room cimport Turn, Turner

cdef int by_cases(Turner *t, const Board *b, const uint8_t *forced, const uint8_t *rack, int objective,
                  bint everything, Turn *out) noexcept nogil
