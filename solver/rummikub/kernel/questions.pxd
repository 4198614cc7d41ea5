# One count problem at a time, without Python objects.
from libc.stdint cimport int16_t, int32_t, uint8_t

from .tables cimport Tables
from .work cimport Work

cdef enum:
    # objectives
    TILES = 0
    VALUE = 1
    WEIGHTS = 2
    FACE = 3  # value, jokers worth what they stand for: for openings
    EXACT = 4  # weights without a second criterion

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

cdef struct Result:
    # What the last answer holds, till the next question.
    const uint8_t *laid  # [numbers * LANES] tiles laid, then jokers laid
    const int16_t *sets  # [length, tiles ...] ...
    int sets_length

cdef int answer(Work *w, Tables **cache, Question *q) noexcept nogil
cdef void result_of(Work *w, Result *result) noexcept nogil
