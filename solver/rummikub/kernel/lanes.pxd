# What is shared by all that reads rows of four colours. Cimport only; nothing here is compiled alone.
from libc.stdint cimport int8_t, int32_t, int64_t

cdef enum:
    LANES = 4
    MAX_JOKERS = 8
    MIN_SET = 3

cdef extern from "lanes.h" nogil:
    ctypedef struct lanes_t:
        pass
    lanes_t lanes_splat(int32_t x)
    lanes_t lanes_add(lanes_t a, lanes_t b)
    lanes_t lanes_sub(lanes_t a, lanes_t b)
    lanes_t lanes_min(lanes_t a, lanes_t b)
    lanes_t lanes_clamp(lanes_t a, int32_t high, int32_t inf)
    int32_t lanes_sum(lanes_t a)
    int64_t solver_now_ns()


cdef inline bint beats(const int8_t *a, const int8_t *b) noexcept nogil:
    """Whether open runs a, by length 1, 2 and "3 or more", are at least as good as b: what follows b can follow a.

    Each run of b is in a as long or longer, others are ripe. A longer run can do what a shorter one does, and a ripe
    one may end at once.
    """
    return a[0] <= b[0] and a[0] + a[1] <= b[0] + b[1] and a[0] + a[1] + a[2] >= b[0] + b[1] + b[2]
