# The enumeration of plays for other kernels of this game.
from libc.stdint cimport uint8_t

from .board cimport Geometry
from .work cimport Search

cdef void enumerate_plays(Search* s) noexcept nogil

cdef class Plays:
    cdef Geometry g
    cdef int read(self, const unsigned char[::1] tops, const unsigned char[::1] rack, const unsigned char[::1] common,
                  int mover, uint8_t* board, uint8_t* hand, uint8_t* own) except -1
