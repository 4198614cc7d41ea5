"""Weights of style, and bounds: the key of a play is a sum over its parts, and each part has a most."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

from .board cimport (
    BONUS_BYTES, ONE, OWN_SHIFT, PLACED_PLUS_SETS, PLACED_SHIFT, SEAT_COUNT, Geometry, Record, lowest_bit,
)
from .work cimport BONUS_SHIFT, KEY_SHIFT, Search


cdef void set_style(Search* s, const int64_t* style) noexcept nogil:
    # What a play does beside its points: tiles of the rack, of the common hand, on own squares, newly filled own
    # squares, newly filled squares, tiles on common squares. All but the first two depend on the square alone.
    cdef const Geometry* g = s.g
    cdef uint64_t common = ~(g.owned[0] | g.owned[1] | g.owned[2] | g.owned[3])
    cdef uint64_t bit
    cdef int i
    s.style = style
    for i in range(g.squares):
        bit = ONE << i
        s.square_style[i] = 0
        if g.owned[s.mover] & bit:
            s.square_style[i] += style[2]
            if not s.shows & bit:
                s.square_style[i] += style[3]
        if not s.shows & bit:
            s.square_style[i] += style[4]
        if common & bit:
            s.square_style[i] += style[5]


cdef int64_t style_of(const Search* s, const Record* record) noexcept nogil:
    cdef const uint8_t* squares = <const uint8_t*> &record.squares
    cdef int count = <int> ((record.counts >> PLACED_SHIFT) & 255)
    cdef int own = <int> ((record.counts >> OWN_SHIFT) & 255)
    cdef int64_t value = s.style[0] * own + s.style[1] * (count - own)
    cdef int i
    for i in range(count):
        value += s.square_style[squares[i]]
    return value


cdef void set_bounds(Search* s) noexcept nogil:
    # The key of a play is a sum over its scored squares, its tiles and their squares: bounds by parts.
    cdef const Geometry* g = s.g
    cdef uint64_t left
    cdef int64_t point = s.weights[0] * (1 << KEY_SHIFT)
    cdef int64_t each = point if g.scoring == PLACED_PLUS_SETS else 0
    cdef int i, j
    s.lean[0] = point
    for i in range(SEAT_COUNT):
        s.lean[i + 1] = s.weights[i + 1] * (1 << KEY_SHIFT)
        if not s.plain and s.given >> i & 1:
            s.lean[i + 1] -= 1 << BONUS_SHIFT
        s.lean[i + 1] = max(s.lean[i + 1], -point)
    s.best_square = point
    s.best_laid = NOTHING
    for i in range(g.squares):
        s.scored[i] = point
        s.laid[i] = point + each
        if s.style != NULL:
            s.laid[i] += s.square_style[i] * (1 << KEY_SHIFT)
    for j in range(SEAT_COUNT):
        if j == s.mover:
            continue
        left = g.owned[j]
        while left:
            i = lowest_bit(left)
            left &= left - 1
            if g.worth[i >> 3][1 << (i & 7)] & BONUS_BYTES:
                s.scored[i] += s.lean[j + 1]
            # With on_opponents the tile itself gives something, too: so the weight may count twice.
            s.laid[i] += 2 * max(s.lean[j + 1], <int64_t> 0)
            s.best_square = max(s.best_square, s.scored[i])
    left = s.open
    while left:
        i = lowest_bit(left)
        left &= left - 1
        s.best_laid = max(s.best_laid, s.laid[i])
    for i in range(s.hand_count):
        s.held[i] = 0
        if s.style != NULL:
            s.held[i] = (s.style[0] if s.own[i] else s.style[1]) * (1 << KEY_SHIFT)
        if not s.plain:
            s.held[i] -= s.own[i]
        s.most_group[i] = 0
        s.most_run[i] = 0


cdef void set_run_bounds(Search* s) noexcept nogil:
    # After plays_of_one_tile, which finds what groups add.
    cdef const Geometry* g = s.g
    cdef int64_t next_one
    cdef int i, j, k
    for i in range(s.hand_count - 1, -1, -1):
        k = g.slot[s.hand[i]] - 1
        s.below[i] = 0
        while s.where[k] >= 0:
            s.below[i] += s.best_square
            k -= 1
        k = g.slot[s.hand[i]] + 1
        s.above[i] = 0
        while s.where[k] >= 0:
            s.above[i] += s.best_square
            k += 1
        s.ahead[i] = s.above[i]
        j = s.after[i]
        if j >= 0:
            next_one = s.best_square * (g.slot[s.hand[j]] - g.slot[s.hand[i]] - 1)
            next_one += s.best_laid + s.held[j] + s.most_group[j] + s.ahead[j]
            s.ahead[i] = max(s.ahead[i], next_one)
