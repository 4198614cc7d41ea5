# The work space of the search: all that one search needs, reused from search to search.
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint64_t

from cpython.object cimport PyObject

from .lanes cimport LANES, MAX_JOKERS, lanes_t
from .tables cimport Live, Pattern, Tables

cdef enum:
    MAX_NUMBERS = 101  # of rows: `high_one` has one more than numbers
    INF = 1 << 28  # no completion; four of them still fit in 32 bits
    HALF_INF = 1 << 27  # at least this is no completion either: an INF with negative prices on top
    MAX_COST = 5 << 24  # of all rack tiles together: enough for the tiles and values of the largest deck
    FIRST_HASH = 256  # slots of the first transposition table, a power of two
    POLL_EVERY = 2048  # expansions between looks at the clock and at Ctrl-C

    # how a search ended
    FOUND = 0
    NOTHING = 1
    OUT_OF_NODES = 2
    OUT_OF_MEMORY = 3
    OUT_OF_TIME = 4
    INTERRUPTED = 5
    OUT_OF_RANGE = 6

cdef struct Option:
    # One way of one colour through one row.
    int32_t reduced  # by how much it is dearer than the colour's best completion
    int32_t cost
    int16_t to
    uint8_t real
    uint8_t jokers
    uint8_t grouped


cdef struct Node:
    int32_t key
    int32_t bound
    int32_t cost
    int32_t parent
    int16_t state[LANES]
    int32_t option[LANES]  # the step that led here: into the options
    int32_t before  # the node of the row that was expanded before this one
    int16_t live  # and into the live vectors of the row
    uint8_t row
    uint8_t jokers


cdef struct Run:
    int16_t start  # row
    int16_t length
    int8_t colour
    int8_t ripe  # 1, 2 or 3 (3: may end), as the states count it
    uint64_t jokers[2]  # bit per row


cdef struct Group:
    uint8_t tiles[LANES]
    uint8_t jokers


cdef struct Work:
    # All that one search needs; reused from search to search.
    int numbers
    int colors
    bint high_one  # the last row holds 1s that follow the highest number: no groups there
    # the problem
    int jokers
    int jokers_forced
    int32_t joker_cost  # of a rack joker not laid (explicit only)
    int32_t face_values[MAX_NUMBERS]
    int32_t *face  # gain of a joker in each row (explicit only) or NULL
    int32_t joker_price
    int most  # copies of a tile, table and rack
    uint8_t *must  # [numbers][LANES]
    uint8_t *may
    int32_t *weight
    int32_t unit  # mean weight of a rack tile
    int32_t total  # cost of laying no real tile
    int32_t dropped  # cost of rack tiles that are in no set at all
    bint explicit
    # shape
    Tables *tables
    int lane_width  # slots + 1
    size_t capacity_lanes
    size_t capacity_lists
    # prices and bounds, lanes
    lanes_t *lose  # [numbers][2 * slots + 2]: cost by number of tiles used
    lanes_t *keep
    lanes_t *share  # [numbers][slots + 1]: price of tiles in groups
    lanes_t *use  # [numbers][KINDS * (slots + 1)]
    lanes_t *rest  # [numbers + 1][states]
    lanes_t *past
    int32_t row_joker[MAX_NUMBERS]  # price of a joker in the row
    int widest[MAX_NUMBERS]  # most copies of a tile of the row
    # group vectors
    Pattern *pattern[MAX_NUMBERS]
    Live *live[MAX_NUMBERS]  # the vectors of a row; first those within the gap
    int live_count[MAX_NUMBERS]  # of those
    uint16_t live_tiles[MAX_NUMBERS][LANES]  # bit g: one of those puts g tiles of the colour into groups
    int all_count[MAX_NUMBERS]
    Live *lives
    int32_t live_room
    int32_t gap  # what a path may cost more than the bound of the root; the rest is not looked at
    # options of (row, colour, state), made when first asked for
    int32_t *list_stamp
    int32_t *lists  # [..][2 * (slots + 1) + 1]: by tiles in groups the least reduced cost; then the offsets
    int32_t stamp
    Option *options
    int32_t option_count
    int32_t option_room
    # nodes
    Node *nodes
    int32_t node_count
    int32_t node_room
    int32_t latest[MAX_NUMBERS]  # expanded node of a row
    int64_t *heap
    int32_t heap_count
    int32_t heap_room
    uint64_t *hash_key
    int32_t *hash_cost
    int32_t hash_size
    int32_t hash_count
    # effort and limits
    int64_t expanded
    int64_t node_limit
    int64_t deadline
    int64_t memory_limit
    int64_t memory
    PyObject *watch  # called where Ctrl-C is looked for: what it raises ends the search; NULL, or held by the caller
    PyObject *raised  # by a signal handler or the watch during the search
    # answer
    int32_t grain  # all costs are multiples of it
    int32_t best_cost
    int32_t best_node  # -1: none yet
    uint8_t *real  # [numbers][LANES] in runs
    uint8_t *run_jokers
    Run *runs
    int run_count
    Group *groups  # a row each
    int16_t *sets  # [length, tiles ...] ...
    int sets_length
    uint8_t *used  # [numbers][LANES] real tiles in sets; at the end tiles laid, and then jokers laid
    int jokers_used


cdef bint grow(Work *w, void **block, size_t old, size_t new) noexcept nogil
cdef Work *work_new(int numbers, int colors, bint high_one, int64_t memory_limit) noexcept nogil
cdef void work_free(Work *w) noexcept nogil
cdef bint work_shape(Work *w, Tables *t) noexcept nogil
cdef int poll(Work *w) noexcept nogil
cdef bint look_for_signals(Work *w) noexcept nogil
cdef void hold_error(Work *w, object error) noexcept
cdef int raise_status(Work *w, int status) except -1


cdef class Scratch:
    cdef Work *work
