# The words of solver.streams for kernels: the same numbers as its `word`. Cimport only; nothing here is compiled alone.
from libc.stdint cimport uint64_t


cdef inline uint64_t stream_word(uint64_t key, uint64_t counter) noexcept nogil:
    cdef uint64_t z = key + (counter + 1) * <uint64_t> 0x9E3779B97F4A7C15U
    z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9U
    z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EBU
    return z ^ (z >> 31)


cdef inline uint64_t stream_below(uint64_t word, uint64_t bound) noexcept nogil:
    # A number below `bound` (at most 2**32) from one word; its bias is under bound / 2**32.
    return ((word >> 32) * bound) >> 32
