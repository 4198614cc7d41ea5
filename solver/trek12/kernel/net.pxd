"""The value net of one sheet: V(board after a move) = score + SCALE * head(features)."""

from libc.stdint cimport int8_t, uint8_t, uint16_t, uint64_t

from .board cimport (BAD, BAD_FORCED, BAD_ANY, CIRCLES, EMPTY, FACES, LIMIT_PLAIN, OPS, RESULTS, ROLLS, Board, Graph,
                     Links, Sheet, Tables, bit, boxes_left, copy_board, flood, is_over, limit_of, next_links, place,
                     score_of, start_board, start_links, take, trek_ctz)

cdef enum:
    H1 = 64
    H2 = 32
    PER_CIRCLE = 66        # inputs of a circle
    IN_SLOTS = 2           # after empty and dead: number x link up free x link down free
    IN_LENGTH = 54         # chain length, at its ends
    IN_SIZE = 60           # area size
    CAP_CIRCLE = 6         # lengths and sizes of a circle above it look the same
    CAP_RECORD = 12        # longest and largest above it look the same
    CAP_BOXES = 4          # boxes left of an operation above it look the same
    MOST_INPUTS = 3 * 64 + 3

cdef struct Net:
    const float *w1
    const float *w2
    const float *b2
    const float *w3
    float b3
    int globals            # first input that belongs to no circle

cdef struct Pick:
    float value
    uint8_t circle
    uint8_t number
    int8_t down
    int8_t up

cdef struct Choices:
    # the best way to write each result class with each operation, apart for numbers and for bad circles
    Pick good[5][14]
    Pick bad[5][14]

cdef struct Candidate:
    float value
    uint8_t op
    uint8_t circle
    uint8_t number
    int8_t down
    int8_t up

cdef enum:
    WIDEST = 64            # most candidates that are kept

cdef struct Top:
    # the best `width` moves so far, best first
    int width
    int count
    Candidate of[64]

cdef int inputs_of(int circles) noexcept nogil
cdef Py_ssize_t weights_of(int circles) noexcept nogil
cdef void use_weights(Net *net, const float *weights, int circles) noexcept nogil
cdef float value_after(const Sheet *s, const Tables *t, const Net *net, const Board *b) noexcept nogil
cdef void all_choices(const Sheet *s, const Tables *t, const Net *net, const Board *b, int links,
                      const uint16_t *want, Choices *out, Top *top) noexcept nogil
cdef Pick best_of(const Tables *t, const Choices *all, const Board *b, int roll, int bad_rule, int *op) noexcept nogil
cdef float expectation(const Sheet *s, const Tables *t, const Net *net, const Board *b, int links, int bad_rule,
                       Choices *scratch) noexcept nogil
cdef void best_reply(const Sheet *s, const Tables *t, const Net *net, const Board *b, int links, int bad_rule,
                     int roll, Choices *scratch, Candidate *out) noexcept nogil
cdef int dice(uint64_t key, uint64_t game, int turn) noexcept nogil
