# The search for other kernels of this game.
from libc.stdint cimport int64_t

from .building cimport JOKER_ANY, JOKER_AS
from .lanes cimport LANES, MAX_JOKERS
from .questions cimport EXACT, FACE, TILES, VALUE, WEIGHTS, Question, Result, answer, result_of
from .tables cimport MAX_COPIES, MAX_SLOTS, TABLES, Tables
from .work cimport (
    FOUND, INTERRUPTED, NOTHING, OUT_OF_MEMORY, OUT_OF_NODES, OUT_OF_RANGE, OUT_OF_TIME, Scratch, Work, hold_error,
    look_for_signals, raise_status, work_free, work_new,
)

cdef class Sweep:
    cdef Tables *cache[TABLES]
    cdef readonly int colors
    cdef readonly int numbers
    cdef readonly bint high_one
    cdef readonly int64_t memory
    cdef tuple names
    cdef list pool
    cdef Scratch borrow(self)
    cdef void give_back(self, Scratch scratch)
    cdef int ask(self, Question *q, bytes packed, int objective) except -1
    cdef list many(self, list packed, str objective, list times)
