# States and transitions: what depends on the most copies of a tile and the number of jokers alone.
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t

from .lanes cimport LANES, MAX_JOKERS, MIN_SET

cdef enum:
    MAX_COPIES = 3
    MAX_SLOTS = MAX_COPIES + MAX_JOKERS  # a joker that stays in its meaning counts as one more copy
    MAX_STATES = 364  # multisets of three lengths with at most MAX_SLOTS runs: C(14, 3)
    TABLES = (MAX_SLOTS + 1) * (MAX_JOKERS + 1) * 2

    # kinds of transitions: what may happen to the tiles of a row that are not in runs
    LOSE = 0  # no joker, every open run extended: tiles go to groups or are lost
    KEEP = 1  # no joker, some run of 3 or more ends: tiles go to groups, none is lost
    JOKER = 2  # jokers in runs: all real tiles of the row are in runs
    JOKER_LOSE = 3  # explicit jokers, every open run extended: tiles are in runs or lost
    KINDS = 4

    NO_VECTOR = 255

    # kinds of rows
    MIDDLE = 0
    LAST_START = 1  # the last number at which a run can start
    ENDING = 2
    ROW_KINDS = 3

cdef struct Transition:
    int16_t to
    int16_t use  # index into the costs of a row: kind * (slots + 1) + real
    uint8_t real
    uint8_t jokers
    uint8_t kind


cdef struct Vector:
    # One way to put tiles of a row into groups: how many of each colour, and jokers.
    uint8_t tiles[LANES]
    uint8_t jokers


cdef struct Live:
    int32_t residual  # what the vector costs beyond its shares: not yet known to `rest`, >= 0
    Vector x


cdef struct Pattern:
    # All vectors of a row by how many copies of its tiles there are; read-only once built.
    int count
    uint8_t fewest[MAX_SLOTS + 1][LANES]  # jokers of the vectors with so many tiles of a colour, or NO_VECTOR
    uint8_t most[MAX_SLOTS + 1][LANES]
    uint16_t tiles[LANES]  # bit g: some vector puts g tiles of the colour into groups
    Live *lives  # the vectors, with residuals of nothing


cdef struct Choice:
    # A transition of one colour together with what the other tiles of its row do.
    int16_t to
    uint8_t real
    uint8_t jokers
    uint8_t grouped
    uint8_t lost


cdef struct Choices:
    # All choices for a tile by its copies, ordered by state and `grouped`; read-only once built.
    int32_t *first  # [states][slots + 2]
    Choice *all


cdef struct Tables:
    # Depend on (slots, jokers, explicit) alone; read-only once built.
    int slots
    int states
    int jokers
    bint explicit
    int8_t runs[MAX_STATES][3]  # x1, x2, x3
    uint8_t *beats  # [states][states]: whatever follows the second state can follow the first as cheaply
    # By kind of row and by most copies of a tile of the row: all moves of state s are from first[s] to first[s + 1].
    int32_t *first[ROW_KINDS][MAX_SLOTS + 1]
    Transition *moves[ROW_KINDS][MAX_SLOTS + 1]
    Choices *choices[ROW_KINDS][MAX_SLOTS + 1][MAX_SLOTS + 1]  # by copies that must and may be laid
    # bit j of [tiles][most of one colour]: j jokers complete the tiles to whole groups
    uint16_t feasible[LANES * MAX_SLOTS + 1][MAX_SLOTS + 1]
    # by copies of the four tiles of a row, and (explicit) whether groups of jokers alone are made there
    Pattern **patterns


cdef inline int row_kind(int row, int numbers) noexcept nogil:
    if row < numbers - MIN_SET:
        return MIDDLE
    return LAST_START if row == numbers - MIN_SET else ENDING


cdef Choices *choices_for(Tables *t, int kind, int must, int may) noexcept nogil
cdef Pattern *pattern_of(Tables *t, uint8_t *may, int jokers, bint joker_groups, int colors) noexcept nogil
cdef void tables_free(Tables *t) noexcept nogil
cdef int64_t tables_size(Tables *t) noexcept nogil
cdef Tables *tables_for(Tables **cache, int colors, int slots, int jokers, bint explicit) noexcept nogil
