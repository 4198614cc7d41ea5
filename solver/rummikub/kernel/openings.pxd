# Openings: the best and the smallest one.
from libc.stdint cimport uint8_t

from .board cimport Board
from .room cimport Turn, Turner

cdef int opening_turn(Turner *t, const Board *b, const uint8_t *rack, int objective, bint everything,
                      Turn *out) noexcept nogil
cdef int smallest_opening(Turner *t, const Board *b, const uint8_t *rack, Turn *out) noexcept nogil
