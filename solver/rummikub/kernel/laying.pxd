# The best moves where no opening is asked for.
from libc.stdint cimport uint8_t

from .board cimport Board
from .room cimport Turn, Turner

cdef int opened_turn(Turner *t, const Board *b, const uint8_t *forced, const uint8_t *rack, int objective,
                     bint everything, Turn *out) noexcept nogil
cdef int beside_turn(Turner *t, const Board *b, const uint8_t *forced, const uint8_t *rack, int objective,
                     bint everything, Turn *out) noexcept nogil
