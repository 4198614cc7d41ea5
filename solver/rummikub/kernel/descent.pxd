# The search from the root down.
from libc.stdint cimport int32_t

from .work cimport Work

cdef int dive(Work *w, int32_t limit) noexcept nogil
cdef int best_first(Work *w, int32_t limit) noexcept nogil
