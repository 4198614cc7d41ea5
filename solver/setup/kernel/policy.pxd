# How somebody plays, and the plays that he likes best.
from libc.stdint cimport int64_t

from .board cimport Geometry, Record
from .race cimport Course, Race
from .work cimport STYLE_COUNT, Best, Search

cdef enum:
    MAX_CANDIDATES = 64
    TERMS = 14

cdef enum:
    RANDOM = 0
    DIRECT = 1
    EVALUATION = 2
    LOOKAHEAD = 3

# What an evaluation looks at, each with a weight in points.
cdef enum:
    BONUS_NEXT = 0             # bonus of the next seat, of the other opponents, of a partner
    BONUS_LATER = 1
    BONUS_PARTNER = 2
    RACK_USED = 3
    COMMON_USED = 4
    ON_OWN = 5                 # tiles on own squares, newly filled own squares
    FILLED_OWN = 6
    FILLED = 7
    ON_COMMON = 8
    EXPOSED = 9                # expected best answer of the next seat, minus what it gives back; and its square
    EXPOSED_SQUARED = 10
    EXPOSED_LATER = 11         # the same for the opponents behind
    OWN_NEXT = 12              # the best play with what is left, and the expected one with what will be drawn
    OWN_EXPECTED = 13

# How somebody plays.
cdef struct Policy:
    int kind
    int64_t point              # weights in thousandths: a point; a bonus point of an opponent, of a partner
    int64_t opponent
    int64_t partner
    int64_t style[STYLE_COUNT]
    bint styled
    bint plain                 # ties in the fixed order alone
    bint wins                  # a play that wins at once comes first
    int wanted                 # plays that an evaluation looks at: the best by the weights above
    double terms[TERMS]
    int lines                  # plays that a lookahead looks at: the best by the evaluation
    int deals
    int plies
    double prior               # deals that the evaluation is worth
    double spread              # of the win model: see win_chance
    double to_move
    double deadline            # when a search must end, 0 for never

cdef int find_best(const Geometry* g, const Course* c, const Policy* p, const Race* r, Search* s, Best* best,
                   int wanted, int64_t least) noexcept nogil
cdef int find_loaded(const Course* c, const Policy* p, const Race* r, Search* s, Best* best, int wanted,
                     int64_t least) noexcept nogil
cdef bint wins_at_once(const Geometry* g, const Course* c, const Policy* p, const Race* r, Search* s,
                       Record* record) noexcept nogil
cdef int read_policy(Policy* p, description) except -1
