# One turn in C: the best move, openings and the rules of jokers, on tables that keep their sets.
from libc.stdint cimport uint8_t

from .board cimport CELLS, JOKER_AT, WIDE, Board, Set, clear_board, low
from .laying cimport beside_turn
from .melds cimport list_melds, meld_turn
from .openings cimport smallest_opening
from .room cimport FORCED, ONE_MORE_TURN, Turn, Turner, Ways
from .sweep cimport Sweep

cdef class Turns:
    cdef readonly Sweep sweep
    cdef Ways ways
    cdef tuple tile_names
    cdef dict places
    cdef list pool
    cdef Turning borrow(self)
    cdef void give_back(self, Turning turning)
    cdef int read_board(self, table, Board *b) except -1
    cdef int read_rack(self, tiles, uint8_t *rack) except -1
    cdef int check_material(self, const Board *b, const uint8_t *rack) except -1
    cdef tuple tiles_of(self, const uint8_t *counts)
    cdef tuple table_of(self, const Board *b)
    cdef tuple move_of(self, const Turn *turn)
    cdef tuple answered(self, Turning turning, int status, const Turn *turn)

cdef class Turning:
    cdef Turner t

cdef int best_turn(Turner *t, const Board *b, const uint8_t *rack, bint opened, int objective, bint everything,
                   Turn *out) noexcept nogil
