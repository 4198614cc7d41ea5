# The work space of a search for plays: position, options, what comes out; its poll point.
from cpython.object cimport PyObject
from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t

from .board cimport (
    MAX_HAND, MAX_NUMBERS, MAX_SLOTS, MAX_SQUARES, OWN_SHIFT, PLACED_SHIFT, SEAT_COUNT, Geometry, Record,
    all_counts,
)

cdef enum:
    MAX_BEST = 4097
    STYLE_COUNT = 6
    # Where weights are of style, a point counts so much.
    STYLE_UNIT = 1000
    KEY_SHIFT = 16
    BONUS_SHIFT = 4

cdef enum Mode:
    COUNT = 0
    COLLECT = 1
    BEST = 2
    MOST = 3

cdef enum Stop:
    GOING = 0
    FULL = 1
    NO_MEMORY = 2
    TIME = 3
    INTERRUPTED = 4

cdef struct Best:
    int64_t key
    Record record

cdef struct Search:
    const Geometry* g
    int mode
    int stop
    int mover
    uint64_t keep              # mask of counts: all but the mover's own bonus
    uint64_t open
    int hand_count
    uint8_t hand[MAX_HAND]     # tiles ascending
    uint8_t own[MAX_HAND]      # 1 for a tile of the rack
    int after[MAX_HAND]        # the next tile of the hand in a run, when all numbers between are shown; or -1
    uint64_t hot_group[MAX_HAND]
    uint64_t hot_run[MAX_HAND]
    int8_t where[MAX_SLOTS]
    uint64_t shown[MAX_NUMBERS + 2]
    # What comes out, by mode.
    uint64_t total
    int most
    uint64_t skip
    Record* records
    uint64_t capacity
    uint64_t limit
    Best* best
    int best_wanted
    int best_count
    int64_t weights[1 + SEAT_COUNT]
    int given                  # seats whose bonus decides ties, as bits
    bint plain                 # ties in the fixed order alone
    const int64_t* style       # weights of what a play does beside its points, or NULL
    int64_t square_style[MAX_SQUARES]
    uint64_t shows             # squares with a tile
    int64_t top_value
    bint bounded               # BEST: no bonus and no style can make a play better than its points
    int64_t floor              # value of the last of a full list, below which nothing enters it
    uint64_t ties
    int64_t least              # BEST: if positive, plays of lower value do not enter the list
    bint census                # BEST: total counts all plays; kept by load
    # BEST without census: what parts of a play can be worth at most, so that those below the floor are left out.
    bint pruned
    int64_t floor_key          # of the last of a full list, and its tiles from the highest byte on
    uint64_t floor_tiles
    int64_t lean[1 + SEAT_COUNT]            # weights of the bounds: a scored square is never worth less than nothing
    int64_t scored[MAX_SQUARES]             # a square that scores
    int64_t laid[MAX_SQUARES]               # a square that scores under a new tile
    int64_t best_square                     # the best of these
    int64_t best_laid
    int64_t held[MAX_HAND]                  # the tile itself, by the style
    int64_t more_group[MAX_HAND][MAX_SQUARES]   # what the group or the run of a tile on a (hot) square adds to that
    int64_t more_run[MAX_HAND][MAX_SQUARES]
    int64_t most_group[MAX_HAND]            # the best of these
    int64_t most_run[MAX_HAND]
    int64_t below[MAX_HAND]                 # the shown numbers below and above a tile
    int64_t above[MAX_HAND]
    int64_t ahead[MAX_HAND]                 # everything above a tile in a run, with tiles of the hand
    # Poll point.
    int64_t until_poll
    double deadline
    double signal_at           # when to look for Ctrl-C next; 0 before the first poll, kept by load
    PyObject* watch            # called then: what it raises ends the search; NULL, or held by the caller; kept by load

cdef void load_board(Search* s, const Geometry* g, const uint8_t* tops) noexcept nogil
cdef void load_hand(Search* s, const uint8_t* hand, const uint8_t* own, int hand_count, int mover) noexcept nogil
cdef void load(Search* s, const Geometry* g, const uint8_t* tops, const uint8_t* hand, const uint8_t* own,
               int hand_count, int mover) noexcept nogil
cdef void poll(Search* s) noexcept nogil
cdef int raise_stop(int stop) except -1
cdef double monotonic_now() noexcept nogil


cdef inline uint64_t counts_of(const Search* s, uint64_t scored, int sets, uint64_t placed, int count,
                               int own) noexcept nogil:
    cdef uint64_t counts = all_counts(s.g, scored, sets, placed, count) & s.keep
    return counts | (<uint64_t> count << PLACED_SHIFT) | (<uint64_t> own << OWN_SHIFT)


cdef inline void step(Search* s) noexcept nogil:
    s.until_poll -= 1
    if s.until_poll < 0:
        poll(s)
