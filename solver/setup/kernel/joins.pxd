# What a tile joins: its group, its run.
from libc.stdint cimport uint64_t

from .board cimport ONE, Geometry, component
from .work cimport Search

cdef uint64_t block_run(const Search* s, int low, int high, uint64_t inside, uint64_t covered) noexcept nogil


cdef inline uint64_t monotone_run(const Search* s, int slot, int square, uint64_t covered) noexcept nogil:
    # The run of the tile of `slot` on `square`, with the tops of `covered` gone.
    cdef const Geometry* g = s.g
    cdef uint64_t mask = ONE << square
    cdef uint64_t bit
    cdef int at = square
    cdef int k = slot + 1
    while s.where[k] >= 0:
        bit = ONE << s.where[k]
        if not (g.adjacent[at] & bit & ~covered):
            break
        mask |= bit
        at = s.where[k]
        k += 1
    at = square
    k = slot - 1
    while s.where[k] >= 0:
        bit = ONE << s.where[k]
        if not (g.adjacent[at] & bit & ~covered):
            break
        mask |= bit
        at = s.where[k]
        k -= 1
    return mask


cdef inline uint64_t run_at(const Search* s, int slot, int square, uint64_t covered) noexcept nogil:
    # The run of the tile of `slot` on `square`; that square alone where there is none.
    if s.g.block:
        return block_run(s, slot, slot, ONE << square, covered)
    return monotone_run(s, slot, square, covered)


cdef inline uint64_t run_of(const Search* s, int i, int square, uint64_t covered) noexcept nogil:
    # The same of the hand's tile i.
    return run_at(s, s.g.slot[s.hand[i]], square, covered)


cdef inline uint64_t group_of(const Search* s, int i, int square, uint64_t covered) noexcept nogil:
    # The squares of the number of the hand's tile i around it, when it lies on `square`.
    cdef uint64_t bit = ONE << square
    return component(s.g, bit, (s.shown[s.g.number[s.hand[i]]] & ~covered) | bit)


cdef inline uint64_t near_run(const Search* s, int slot) noexcept nogil:
    # Squares on which the tile of `slot` may join a run with tiles that show.
    cdef uint64_t near = 0
    cdef int k = slot + 1
    while s.where[k] >= 0:
        near |= s.g.adjacent[s.where[k]]
        if not s.g.block:
            break
        k += 1
    k = slot - 1
    while s.where[k] >= 0:
        near |= s.g.adjacent[s.where[k]]
        if not s.g.block:
            break
        k -= 1
    return near
