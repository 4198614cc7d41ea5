# A game as somebody sees it who knows everything.
from libc.stdint cimport uint8_t, uint64_t

from .board cimport HALF_HAND, MAX_SQUARES, MAX_TILES, SEAT_COUNT, Record

cdef enum:
    # Words of the draws of a game: who starts, then a block of words each time that the bag is mixed.
    FIRST_WORD = 0
    MIX_WORD = 1

# The bag is drawn from its end.
cdef struct Race:
    uint8_t tops[MAX_SQUARES]
    uint8_t covered[MAX_TILES]
    int covered_count
    uint8_t bag[MAX_TILES]
    int bag_count
    uint8_t rack[SEAT_COUNT][HALF_HAND]
    int rack_count[SEAT_COUNT]
    uint8_t common[HALF_HAND]
    int common_count
    int score[SEAT_COUNT]
    int mover
    int recent[SEAT_COUNT]     # seats, who played tiles last first
    int idle                   # swaps since the last play
    uint64_t key
    uint64_t counter
    bint drawn_by_word         # a real game: each mixing gives every tile a word, the lowest is drawn first
    uint64_t mixed

# What the end of a game depends on.
cdef struct Course:
    int finish
    bint teams
    int seated
    int players

cdef void shuffle(Race* r, uint8_t* tiles, int count) noexcept nogil
cdef void mix(Race* r) noexcept nogil
cdef uint8_t draw(Race* r) noexcept nogil
cdef void refill(Race* r, int seat) noexcept nogil
cdef bint take(uint8_t* tiles, int* count, int tile) noexcept nogil
cdef void sort_tiles(uint8_t* tiles, int count) noexcept nogil
cdef void pass_on(const Course* c, Race* r) noexcept nogil
cdef void forget_who_played(Race* r) noexcept nogil
cdef void lay_down(Race* r, const Record* record) noexcept nogil
cdef void apply_play(const Course* c, Race* r, const Record* record) noexcept nogil
cdef void swap_tiles(const Course* c, Race* r, int chosen) noexcept nogil
cdef int winner(const Course* c, const Race* r, bint ended) noexcept nogil


cdef inline bint is_home(const Course* c, const Race* r, int seat) noexcept nogil:
    return r.score[seat] >= c.finish
