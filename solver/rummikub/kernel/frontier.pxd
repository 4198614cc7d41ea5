# The open nodes of the search.
from libc.stdint cimport int32_t, uint64_t

from .lanes cimport LANES
from .work cimport Node, Work


cdef inline uint64_t state_key(Node *node) noexcept nogil:
    cdef uint64_t k = node.row
    cdef int c
    for c in range(LANES):
        k = (k << 9) | <uint64_t>node.state[c]
    return (k << 4) | node.jokers | (<uint64_t>1 << 63)


cdef int32_t hash_slot(Work *w, uint64_t key) noexcept nogil
cdef bint hash_reset(Work *w) noexcept nogil
cdef bint push_node(Work *w, Node *node) noexcept nogil
cdef bint offer(Work *w, Node *node) noexcept nogil
cdef void heap_push(Work *w, int32_t key, int row, int32_t index) noexcept nogil
cdef int32_t heap_pop(Work *w) noexcept nogil
