# What is shared by all that reads rows of four colours. Cimport only; nothing here is compiled alone.
from libc.stdint cimport int32_t, int64_t

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
