# Sets in which freed jokers end.
from .board cimport Board
from .room cimport Case, Turn, Turner

cdef int decide_set(Turner *t, const Board *b, const Case *c, int objective, bint everything,
                    Turn *best) noexcept nogil
