# A game as somebody sees it who knows everything, for other kernels of this game.
from libc.stdint cimport int64_t, uint8_t, uint64_t

from .plays cimport HALF_HAND, MAX_SQUARES, MAX_TILES, SEAT_COUNT, Plays

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

cdef int read_race(Race* r, Plays plays, tops, rack, common, const unsigned char[::1] covered, int mover, scores,
                   uint8_t* unseen) except -1
cdef bint take(uint8_t* tiles, int* count, int tile) noexcept nogil
