# One case: its best move, kept or put aside.
from .board cimport Board
from .room cimport Case, Turn, Turner

cdef int try_case(Turner *t, const Board *b, Case *c, int objective, bint everything, Turn *best) noexcept nogil
