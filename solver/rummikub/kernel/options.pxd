# The options of a colour in a row.
from libc.stdint cimport int32_t

from .work cimport Work


cdef inline int32_t joker_gain(Work *w, int v) noexcept nogil:
    """What an explicit joker in a row takes off the cost."""
    if not w.explicit:
        return 0
    return w.joker_cost + (w.face[v] if w.face != NULL else 0)


cdef void own_lives(Work *w) noexcept nogil
cdef void settle(Work *w) noexcept nogil
cdef void open_all(Work *w) noexcept nogil
cdef void open_gap(Work *w, int32_t gap) noexcept nogil
cdef int32_t *options_of(Work *w, int v, int c, int s) noexcept nogil
