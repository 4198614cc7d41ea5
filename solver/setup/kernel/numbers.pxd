# Plays of several tiles of one number; sets of squares grown square by square.
from libc.stdint cimport uint64_t

from .laying cimport Growth
from .work cimport Search

cdef void grow(Search* s, Growth* w, uint64_t placed, int count, uint64_t closed, uint64_t border,
               uint64_t barred) noexcept nogil
cdef void plays_of_one_number(Search* s) noexcept nogil
