"""Blocks: the squares that tiles of one suit join where runs may branch."""

from libc.stdint cimport uint64_t

from .board cimport ONE, component
from .work cimport Search


cdef uint64_t block_run(const Search* s, int low, int high, uint64_t inside, uint64_t covered) noexcept nogil:
    # The maximal block with the numbers of the slots low..high, which lie on `inside`; 0 where those are in none.
    # The widest range of numbers is shrunk to what is connected until nothing changes; no block is ever cut.
    cdef uint64_t mask = inside
    cdef uint64_t reached, shrunk
    cdef int a = low
    cdef int b = high
    cdef int k
    while s.where[a - 1] >= 0 and not ((ONE << s.where[a - 1]) & covered):
        a -= 1
        mask |= ONE << s.where[a]
    while s.where[b + 1] >= 0 and not ((ONE << s.where[b + 1]) & covered):
        b += 1
        mask |= ONE << s.where[b]
    while True:
        reached = component(s.g, inside & (~inside + 1), mask)
        if inside & ~reached:
            return 0
        if reached == mask:
            return mask
        shrunk = inside
        k = low
        while k > a and (ONE << s.where[k - 1]) & reached:
            k -= 1
            shrunk |= ONE << s.where[k]
        a = k
        k = high
        while k < b and (ONE << s.where[k + 1]) & reached:
            k += 1
            shrunk |= ONE << s.where[k]
        b = k
        mask = shrunk
