# Plays of one tile.
from libc.stdint cimport uint8_t

from .work cimport Search

cdef void plays_of_one_tile(Search* s) noexcept nogil
cdef void best_of_ones(const Search* s, const uint8_t* tiles, int count, int seats, const int* bonus,
                       int* most) noexcept nogil
