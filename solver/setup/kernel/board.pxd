# A board as tables, the record of a play, and what squares are worth.
from libc.stdint cimport int16_t, uint64_t

# Masks are macros, so that every module knows their values when it is compiled.
cdef extern from * nogil:
    """
    #include <stdint.h>
    #define lowest_bit(mask) __builtin_ctzll(mask)
    #define SETUP_ONE ((uint64_t) 1)
    #define SETUP_ALL (~(uint64_t) 0)
    #define SETUP_BONUS_BYTES ((uint64_t) 0xFFFFFFFF00)
    """
    int lowest_bit(uint64_t mask)
    const uint64_t ONE "SETUP_ONE"
    const uint64_t ALL "SETUP_ALL"
    # The bonus of all seats in the counts of a play.
    const uint64_t BONUS_BYTES "SETUP_BONUS_BYTES"

cdef enum:
    MAX_SQUARES = 64
    MAX_TILES = 128
    MAX_HAND = 8
    HALF_HAND = 4
    SEAT_COUNT = 4
    ALL_SEATS = (1 << SEAT_COUNT) - 1
    NO_TILE = 255
    MAX_NUMBERS = 128
    # A row of numbers a suit, with an empty slot below 1 and one above the highest number.
    MAX_SLOTS = 3 * MAX_TILES
    PLACED_SHIFT = 40
    OWN_SHIFT = 48

# How points are counted.
cdef enum:
    UNION = 0
    PER_SET = 1
    PLACED_PLUS_SETS = 2

cdef struct Record:
    # Byte i: tile i and its square, tiles ascending, NO_TILE behind the last. counts: byte 0 points, 1 to 4 bonus of
    # N E S W, 5 tiles placed, 6 of them from the rack.
    uint64_t tiles
    uint64_t squares
    uint64_t counts

cdef struct Geometry:
    int squares
    int numbers
    int suits
    int tiles
    int slots
    bint block
    int scoring
    bint on_opponents
    uint64_t adjacent[MAX_SQUARES]
    uint64_t open[SEAT_COUNT]
    uint64_t owned[SEAT_COUNT]
    # Tables by byte of a mask of squares, to be joined over the bytes.
    uint64_t spread[8][256]
    uint64_t worth[8][256]
    uint64_t gifts[8][256]
    int16_t number[MAX_TILES]
    int16_t suit[MAX_TILES]
    int16_t slot[MAX_TILES]

cdef int fill_geometry(Geometry* g, int squares, const unsigned char[::1] links, const unsigned char[::1] owners,
                       int seated, int numbers, int suits, bint block, int scoring, bint per_tile,
                       bint on_opponents) except -1


cdef inline uint64_t spread(const Geometry* g, uint64_t mask) noexcept nogil:
    cdef uint64_t out = 0
    cdef int i = 0
    while mask:
        out |= g.spread[i][mask & 255]
        mask >>= 8
        i += 1
    return out


cdef inline uint64_t component(const Geometry* g, uint64_t start, uint64_t within) noexcept nogil:
    cdef uint64_t reached = start
    cdef uint64_t new = start
    while True:
        new = spread(g, new) & within & ~reached
        if not new:
            return reached
        reached |= new


cdef inline uint64_t all_counts(const Geometry* g, uint64_t scored, int sets, uint64_t placed,
                                int count) noexcept nogil:
    # Points and bonus of all seats, the mover's own too.
    cdef uint64_t counts = 0
    cdef int i = 0
    while scored:
        counts += g.worth[i][scored & 255]
        scored >>= 8
        i += 1
    if g.scoring == PER_SET:
        counts += sets - 1
    elif g.scoring == PLACED_PLUS_SETS:
        counts += count
    if g.on_opponents:
        i = 0
        while placed:
            counts += g.gifts[i][placed & 255]
            placed >>= 8
            i += 1
    return counts
