# The search for other kernels of this game: one count problem at a time, without Python objects.
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t

cdef enum:
    LANES = 4
    MAX_COPIES = 3
    MAX_JOKERS = 8
    MAX_SLOTS = MAX_COPIES + MAX_JOKERS  # a joker that stays in its meaning counts as one more copy
    TABLES = (MAX_SLOTS + 1) * (MAX_JOKERS + 1) * 2

    # objectives
    TILES = 0
    VALUE = 1
    WEIGHTS = 2
    FACE = 3  # value, jokers worth what they stand for: for openings
    EXACT = 4  # weights without a second criterion

    # how a search ended
    FOUND = 0
    NOTHING = 1
    OUT_OF_NODES = 2
    OUT_OF_MEMORY = 3
    OUT_OF_TIME = 4
    INTERRUPTED = 5
    OUT_OF_RANGE = 6

    # tiles in the output: (number - 1) * LANES + colour, and for jokers
    JOKER_AS = 1 << 12  # + the tile that it stands for (in a run)
    JOKER_ANY = 1 << 13  # in a group, or in a set of jokers

cdef struct Question:
    const uint8_t *table  # [numbers][LANES] copies that must be laid
    const uint8_t *rack
    int table_jokers
    int rack_jokers
    int objective
    const int32_t *weights  # [numbers * LANES] + the joker's; NULL unless WEIGHTS or EXACT
    bint all  # only an answer that lays the whole rack counts
    bint empty  # laying nothing counts as an answer
    bint explicit  # no parking from the start (for tests)

cdef struct Tables
cdef struct Work

cdef struct Result:
    # What the last answer holds, till the next question.
    const uint8_t *laid  # [numbers * LANES] tiles laid, then jokers laid
    const int16_t *sets  # [length, tiles ...] ...
    int sets_length

cdef Work *work_new(int numbers, int colors, bint high_one, int64_t memory_limit) noexcept nogil
cdef void work_free(Work *w) noexcept nogil
cdef int answer(Work *w, Tables **cache, Question *q) noexcept nogil
cdef void result_of(Work *w, Result *result) noexcept nogil
cdef bint look_for_signals(Work *w) noexcept nogil
cdef void hold_error(Work *w, object error) noexcept
cdef int raise_status(Work *w, int status) except -1

cdef class Scratch:
    cdef Work *work

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
