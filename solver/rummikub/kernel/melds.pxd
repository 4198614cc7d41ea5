# Sets of the rack alone.
from libc.stdint cimport uint8_t

from .board cimport Board, Set
from .room cimport Turn, Turner

cdef void list_melds(Turner *t, const uint8_t *supply) noexcept nogil
cdef bint move_meld(const Set *s, uint8_t *from_, uint8_t *to) noexcept nogil
cdef void meld_turn(Turner *t, const Board *b, const Set *s, Turn *out) noexcept nogil
