# States of a colour and the steps between them, and tiles of a row in groups: what depends on no position.
from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint32_t

from .lanes cimport LANES

cdef enum:
    LEAST_SLOTS = 2  # more than a position needs is no harm: so most positions share an automaton
    MAX_SLOTS = 3  # open runs of a colour, and copies of a tile
    MAX_STATES = 20  # multisets of three lengths with at most MAX_SLOTS runs: C(6, 3)
    COPIES = MAX_SLOTS + 1
    COPY_BITS = 2
    COUNTS = COPIES * COPIES * COPIES * COPIES  # copies of the four tiles of a row, COPY_BITS each
    ALL_VECTORS = 10 * 10 * 10 * 10  # 1 + 2 + 3 + 4 choices in each colour
    MAX_STEPS = 1 << 10  # there are 734 with the most jokers
    WIDE_BITS = 5  # of a state in a way, for the twenty states of three slots

    # kinds of rows
    MIDDLE = 0
    LAST_START = 1  # the last number at which a run can start
    LAST_BUT_ONE = 2  # no run of length 1 may be left
    LAST = 3  # nor one of length 2
    KINDS = 4

cdef struct Step:
    # One colour through one row.
    uint8_t to
    uint8_t jokers


cdef struct Vector:
    # Tiles of a row in groups, and the fewest jokers that complete them.
    uint8_t tiles[LANES]
    uint8_t jokers
    uint16_t wants  # COPIES bits for each colour, that of its tiles set


cdef struct Machine:
    # Depends on (colors, slots, jokers) alone.
    int colors
    int slots
    int jokers
    int states
    int bits  # of a state in a way
    uint32_t mask
    int8_t runs[MAX_STATES][3]
    uint32_t better[MAX_STATES]  # bit t: state t is at least as good
    uint8_t lengths[MAX_STATES]  # of all runs in sum: a state that is better has more
    int32_t first_step[KINDS * MAX_STATES * COPIES * (COPIES + 1)]  # by kind, state, copies, copies in groups
    uint8_t can[KINDS * MAX_STATES * COPIES]  # by kind, state, copies: bit g: there is a step with g tiles in groups
    Step steps[MAX_STEPS]
    int step_count
    int32_t first_vector[COUNTS + 1]
    uint16_t pure[COUNTS]  # bit j: j jokers and all these tiles make groups
    Vector *vectors


cdef inline int kind_of(const Machine *m, int numbers, int v) noexcept nogil:
    if v == numbers - 1:
        return LAST
    if v == numbers - 2:
        return LAST_BUT_ONE
    return LAST_START if v == numbers - 3 and m.jokers > 0 else MIDDLE


cdef inline const int32_t *steps_of(const Machine *m, int kind, int s, int n) noexcept nogil:
    """Where the steps of a state begin, by tiles in groups; those with g tiles end where those with g + 1 begin."""
    return m.first_step + ((kind * MAX_STATES + s) * COPIES + n) * (COPIES + 1)


cdef Machine *machine_new(int colors, int slots, int jokers) noexcept nogil
cdef void machine_free(Machine *m) noexcept nogil
