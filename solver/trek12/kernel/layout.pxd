"""Best chains of a sheet under free links."""

from libc.stdint cimport int8_t, int32_t, uint8_t, uint64_t

from .board cimport Board, Sheet, Tables

cdef enum:
    LENGTHS = 14           # a chain of 0..12 has at most 13 circles

cdef struct Step:
    # one way to have linked the circles so far, best of those that look the same from above
    uint64_t low           # a nibble for each circle that can still be linked up: its chain's length
    uint64_t high
    uint64_t count         # ways to the same score
    int32_t score
    int32_t parent
    uint8_t longest
    int8_t link            # what the last circle is linked down to, -1: nothing

cdef class Layouts:
    cdef Step *steps
    cdef Py_ssize_t room
    cdef int32_t *table
    cdef Py_ssize_t slots
    cdef Py_ssize_t limit
    cdef int solve(self, const Sheet *s, const Tables *t, const Board *b, int *total, uint64_t *count,
                   uint8_t *above) noexcept nogil
    cdef int _grow(self) noexcept nogil
    cdef void _enter(self, int index, Py_ssize_t first, Py_ssize_t end) noexcept nogil
