# The moves of one position as paths of its graph.
from libc.stdint cimport int32_t, int64_t, uint8_t

from cpython.object cimport PyObject

from .graph cimport Choice, Graph
from .lanes cimport LANES

cdef enum:
    POLL_EVERY = 1 << 12  # moves between looks at Ctrl-C


cdef class Paths:
    cdef Graph *graph
    cdef tuple names
    # The kinds of tiles of the rack in the order of a move, jokers last: names, numbers, and where they are found.
    cdef int kinds
    cdef PyObject **called  # borrowed from `names`
    cdef int *number
    cdef int32_t *place  # [rows][LANES]: the kind
    cdef Graph *known(self) except NULL
    cdef int prepare(self, int colors) except -1
    cdef tuple tiles(self, const uint8_t *laid, int64_t *value)


cdef inline void lay(const int32_t *place, uint8_t *laid, int r, const Choice *choice) noexcept:
    """Put a choice of row r into the numbers of tiles laid, by kind; place: as in `Paths`."""
    cdef int c
    cdef int32_t kind
    for c in range(LANES):
        kind = place[r * LANES + c]
        if kind >= 0:
            laid[kind] = choice.laid[c]
