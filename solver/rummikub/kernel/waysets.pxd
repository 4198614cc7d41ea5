# Sets of ways to have arranged the tiles of the rows so far.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from cpython.object cimport PyObject

from .automaton cimport MAX_SLOTS, Machine
from .lanes cimport LANES, MAX_JOKERS, MIN_SET

cdef enum:
    UNIT = 12  # jokers are counted in such parts where several colours share one
    MOST_LENGTHS = LANES * MAX_SLOTS * MIN_SET  # of all open runs in sum
    BUCKETS = (MAX_JOKERS + 1) * (MOST_LENGTHS + 1)
    NO_SET = -1  # nothing that follows can be arranged
    STOP = -2  # the search ends before it is done
    FIRST_NODES = 1 << 8

    # how a search ended
    FOUND = 0
    OUT_OF_NODES = 1
    OUT_OF_MEMORY = 2
    OUT_OF_TIME = 3
    INTERRUPTED = 4
    TOO_MUCH = 5

cdef struct Watch:
    # What ends a search from outside.
    int64_t deadline
    int64_t tick  # work since the last look at the clock
    int status  # how the search ended, where it did not end well
    PyObject *called  # where Ctrl-C is looked for: what it raises ends the search; NULL, or held by the caller
    PyObject *raised  # by a signal handler or what is called during the search


cdef struct Sets:
    # Sets one after the other: each a word of `pure` bits, then its ways in order.
    uint32_t *words
    int64_t room
    int64_t *end  # of each set; set i begins where set i - 1 ends
    int64_t *lost  # of each set: the least loss with which it was reached
    int64_t count_room
    int32_t count


cdef struct Scratch:
    # What one search needs beside its graph.
    uint8_t *least  # by way: fewest jokers, 255 is none
    uint32_t *touched
    uint32_t *sorted
    int32_t touched_count
    int32_t bucket[BUCKETS + 1]
    Sets now  # the sets of the row that is left
    Sets next  # and of the row that is made
    Sets between[2]  # one set each: rows that leave no choice
    int32_t *hash  # of the next row: indices of sets
    int64_t hash_size
    uint8_t *need  # [numbers + 1][LANES][MAX_STATES]: see `fill_need`
    int64_t *rest  # [numbers + 1][LANES][MAX_STATES]: see `set_prices`
    int64_t *past  # the same, of what comes before
    int64_t *share  # [numbers][LANES][COPIES]
    int64_t joker_price
    int64_t work  # ways noted so far
    int64_t memory
    int64_t limit


cdef inline int64_t begin_of(const Sets *x, int32_t i) noexcept nogil:
    return x.end[i - 1] if i else 0


cdef Scratch *scratch_new(int bits, int numbers, int64_t limit) noexcept nogil
cdef void scratch_free(Scratch *w) noexcept nogil
cdef bint grow(int64_t *memory, int64_t limit, void **what, int64_t old, int64_t new) noexcept nogil
cdef int32_t intern(Scratch *w, int64_t n, int64_t lost) noexcept nogil
cdef int64_t follow(const Machine *m, Scratch *w, Watch *watch, const uint32_t *words, int64_t length, int v,
                    int kind, int counts, int64_t allowed, Sets *out) noexcept nogil
cdef uint32_t accepted(const Machine *m, const uint32_t *words, int64_t length) noexcept nogil
