"""Exact endgames: see endgame.pyx."""

from libc.stdint cimport uint8_t, uint64_t

from .board cimport Board, Graph, Sheet, Tables
from .layout cimport Layouts

cdef struct Slot:
    uint64_t key
    uint64_t check             # 0: free
    double value

cdef class Endgame:
    cdef readonly Graph graph
    cdef readonly int links
    cdef readonly int bad_rule
    cdef Layouts layouts
    cdef Slot *slots
    cdef uint64_t capacity
    cdef uint64_t used
    cdef uint64_t most
    cdef readonly uint64_t nodes
    cdef uint64_t node_limit
    cdef double deadline
    cdef int stopped
    cdef bint reach            # the value is a chance, not a mean
    cdef bint interrupted      # error holds what a signal's handler raised
    cdef object error
    cdef object cancel
    cdef int _begin(self, const Board *board, object target, double seconds, uint64_t nodes, object cancel) except? -1
    cdef int _end(self) except -1
    cdef void look(self) noexcept nogil
    cdef int score(self, const Board *b) noexcept nogil
    cdef int gained(self, const Board *b, int score) noexcept nogil
    cdef double over_value(self, const Board *b, int need) noexcept nogil
    cdef double before(self, const Board *b, int need) noexcept nogil
    cdef double expand(self, const Board *b, int need) noexcept nogil
    cdef double last(self, const Sheet *s, const Tables *t, const int *gains, int limit, const uint8_t *left,
                     int used, int need) noexcept nogil
    cdef Slot *find(self, uint64_t key, uint64_t check) noexcept nogil
    cdef void keep(self, uint64_t key, uint64_t check, double value) noexcept nogil
    cdef void put(self, uint64_t key, uint64_t check, double value) noexcept nogil
