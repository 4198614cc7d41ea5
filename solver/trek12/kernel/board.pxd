"""The board of one sheet in bitboards: what every Trek 12 kernel shares, inlined into each of them.

Circles are bits of a 64-bit word. A number 0..12 has one word with the circles that hold it; BAD (13) is a circle over
its limit; EMPTY (14) is a circle not written yet. The score is kept up to date by `place` in constant time, but for
the size of the areas that it touches.

What differs between the base game and Amazonia is data of the Sheet: the penalty, the river, the observed numbers; and
of the Tables: the bonuses, which are all 0 in Amazonia.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

cdef extern from "bits.h" nogil:
    int trek_ctz(uint64_t) noexcept
    int trek_popcount(uint64_t) noexcept

cdef enum:
    CIRCLES = 64       # most circles of a sheet: the bits of a word
    NUMBERS = 13       # 0..12
    BAD = 13           # a result above the limit, and the class of such a result
    EMPTY = 14
    RESULTS = 14       # classes of a result: 0..12 and BAD
    OPS = 5            # low high diff sum product
    HIGH = 1           # the one operation that crosses a river without a piranha
    ROLLS = 26         # different rolls
    FACES = 36         # equally likely rolls
    LIMIT_PLAIN = 12
    LIMIT_DANGEROUS = 6
    PENALTY = 3        # of the base game, for an orphan and for a bad circle
    COPIES = 6         # copies of a number that an observation track counts
    NO_LINK = -1
    LINKS_MANDATORY = 0
    LINKS_OPTIONAL = 1
    LINKS_FREE = 2
    BAD_ANY = 0        # a bad circle may be chosen
    BAD_FORCED = 1     # only when nothing else can be written

cdef struct Sheet:
    int n
    int penalty            # for an orphan, for a bad circle and for a piranha
    uint16_t watched       # bits of the numbers that an observation track counts
    uint8_t seen[13][7]    # points that the first, second ... copy of a number adds, 0 from the seventh on
    uint64_t all
    uint64_t danger
    uint64_t river         # circles where every operation but HIGH leaves a piranha
    uint64_t near[64]

cdef struct Circle:
    uint8_t value      # 0..12, BAD or EMPTY
    uint8_t length     # of the chain, valid at both of its ends (1: no link)
    uint8_t other      # the other end of the chain, valid at both ends
    uint8_t size       # of the area (1: alone)

cdef struct Board:
    uint64_t num[14]
    uint64_t empty
    uint64_t up        # circles linked to the number one higher
    uint64_t down      # circles linked to the number one lower
    uint64_t orphan    # numbers in neither chain nor area
    uint64_t open      # empty circles that may be written
    int32_t base       # score without the two bonuses
    uint8_t left[5]    # boxes left
    uint8_t empties
    uint8_t longest    # longest chain, 0 if none
    uint8_t largest    # largest area, 0 if none
    Circle at[64]      # last: copies stop after the sheet's circles

cdef struct Tables:
    # what a roll gives, filled by `fill_tables`
    uint8_t result[26][5]    # result class of roll and operation
    uint8_t weight[26]       # of 36
    uint8_t index[36]        # roll index of yellow * 6 + red - 1
    uint8_t makers[14]       # bits of the operations that can give a result class
    uint16_t gives[5]        # bits of the result classes of an operation
    int16_t bonus[65]        # by length or size

cdef void draw_links(const Sheet *s, Board *board, const uint8_t *above) noexcept nogil

cdef class Graph:
    cdef Sheet sheet
    cdef Tables tables
    cdef readonly int circles
    cdef readonly bint plain   # it scores as the base game does
    cdef int load(self, Board *board, const uint8_t[::1] cells, const uint8_t[::1] left,
                  const uint8_t[::1] above) except -1

cdef inline uint64_t bit(int circle) noexcept nogil:
    return (<uint64_t>1) << circle

cdef inline void copy_board(const Sheet *s, Board *to, const Board *board) noexcept nogil:
    memcpy(to, board, sizeof(Board) - (CIRCLES - s.n) * sizeof(Circle))

cdef inline int limit_of(const Sheet *s, int circle) noexcept nogil:
    return LIMIT_DANGEROUS if s.danger & bit(circle) else LIMIT_PLAIN

cdef inline int toll(const Sheet *s, int op, int circle) noexcept nogil:
    """The price of an operation used in a circle: a piranha, or nothing."""
    return s.penalty if op != HIGH and s.river & bit(circle) else 0

cdef inline int seen_gain(const Sheet *s, const Board *b, int x) noexcept nogil:
    """Points of its observation track that one more copy of number `x` brings."""
    if not s.watched >> x & 1:
        return 0
    return s.seen[x][min(trek_popcount(b.num[x]), <int>COPIES)]

cdef inline int boxes_left(const Board *b) noexcept nogil:
    return b.left[0] + b.left[1] + b.left[2] + b.left[3] + b.left[4]

cdef inline int score_of(const Tables *t, const Board *b) noexcept nogil:
    return b.base + t.bonus[b.longest] + t.bonus[b.largest]

cdef inline bint is_over(const Board *b) noexcept nogil:
    return b.empties == 0 or boxes_left(b) == 0

cdef inline uint64_t below_of(const Sheet *s, const Board *b, int circle, int number) noexcept nogil:
    """Circles that a number written here can be linked down to."""
    if number == 0 or number == BAD:
        return 0
    return s.near[circle] & b.num[number - 1] & ~b.up

cdef inline uint64_t above_of(const Sheet *s, const Board *b, int circle, int number) noexcept nogil:
    """Circles that a number written here can be linked up to."""
    if number >= LIMIT_PLAIN:
        return 0
    return s.near[circle] & b.num[number + 1] & ~b.down

cdef inline uint64_t flood(const Sheet *s, uint64_t start, uint64_t within) noexcept nogil:
    """All circles of `within` that are joined to `start`, with it."""
    cdef uint64_t seen = start
    cdef uint64_t todo = start
    cdef uint64_t new
    cdef int c
    while todo:
        c = trek_ctz(todo)
        todo &= todo - 1
        new = s.near[c] & within & ~seen
        seen |= new
        todo |= new
    return seen

cdef inline void start_board(const Sheet *s, Board *b, const uint8_t *left) noexcept nogil:
    cdef int i
    memset(b, 0, sizeof(Board))
    b.empty = s.all
    b.open = s.all
    b.empties = s.n
    for i in range(OPS):
        b.left[i] = left[i]
    for i in range(s.n):
        b.at[i].value = EMPTY

cdef inline void place(const Sheet *s, Board *b, int e, int x, int d, int u) noexcept nogil:
    """Write class `x` into empty circle `e`, linked down to `d` and up to `u` (NO_LINK: none).

    The operation is the caller's (`take`): boards that differ in the boxes and a piranha alone are shared.
    """
    cdef uint64_t here = bit(e)
    cdef uint64_t same, area, members
    cdef int low = 0
    cdef int high = 0
    cdef int bottom = e
    cdef int top = e
    cdef int length, size, c
    if b.empty == s.all:
        b.open = s.near[e]
    else:
        b.open = (b.open | (s.near[e] & b.empty)) & ~here
    b.empty &= ~here
    b.empties -= 1
    b.at[e].value = x
    if x == BAD:
        b.num[BAD] |= here
        b.base -= s.penalty
        return
    b.base += seen_gain(s, b, x)
    b.num[x] |= here
    if d != NO_LINK:
        low = b.at[d].length
        bottom = b.at[d].other
        b.up |= bit(d)
        b.down |= here
        if b.orphan & bit(d):
            b.orphan &= ~bit(d)
            b.base += s.penalty
        if low >= 2:
            b.base -= x - low + 2 * (low - 1)
    if u != NO_LINK:
        high = b.at[u].length
        top = b.at[u].other
        b.down |= bit(u)
        b.up |= here
        if b.orphan & bit(u):
            b.orphan &= ~bit(u)
            b.base += s.penalty
        if high >= 2:
            b.base -= x + 1 + 2 * (high - 1)
    length = low + 1 + high
    if length >= 2:
        b.base += x - low + 2 * (length - 1)
        if length > b.longest:
            b.longest = length
    b.at[bottom].length = length
    b.at[top].length = length
    b.at[bottom].other = top
    b.at[top].other = bottom
    same = s.near[e] & b.num[x]
    if same:
        size = trek_popcount(same & b.orphan)
        b.base += s.penalty * size
        b.orphan &= ~same
        members = here
        while same:
            c = trek_ctz(same)
            area = flood(s, bit(c), b.num[x] & ~here)
            same &= ~area
            members |= area
            size = trek_popcount(area)
            if size >= 2:
                b.base -= x + size - 1
        size = trek_popcount(members)
        b.base += x + size - 1
        if size > b.largest:
            b.largest = size
        while members:
            c = trek_ctz(members)
            members &= members - 1
            b.at[c].size = size
    else:
        b.at[e].size = 1
        if length == 1:
            b.orphan |= here
            b.base -= s.penalty

cdef inline void take(const Sheet *s, Board *b, int op, int e, int x, int d, int u) noexcept nogil:
    """A whole turn: `place`, and the box and the price of the operation."""
    place(s, b, e, x, d, u)
    b.left[op] -= 1
    b.base -= toll(s, op, e)

cdef struct Links:
    # walks over the ways to link one number
    uint64_t below
    uint64_t above
    uint64_t below_left
    uint64_t above_left
    bint no_below      # it may stay without a link down
    bint no_above
    bint more
    int d              # the present way
    int u

cdef inline void start_links(const Sheet *s, const Board *b, int circle, int x, int rule, Links *w) noexcept nogil:
    w.below = 0
    w.above = 0
    if rule != LINKS_FREE:
        w.below = below_of(s, b, circle, x)
        w.above = above_of(s, b, circle, x)
    w.below_left = w.below
    w.above_left = w.above
    w.no_below = w.below == 0 or rule == LINKS_OPTIONAL
    w.no_above = w.above == 0 or rule == LINKS_OPTIONAL
    w.more = True

cdef inline bint next_links(Links *w) noexcept nogil:
    """Set the next way in `d` and `u`; False when there is none. Lower circles first, no link last."""
    if not w.more:
        return False
    w.d = trek_ctz(w.below_left) if w.below_left else NO_LINK
    w.u = trek_ctz(w.above_left) if w.above_left else NO_LINK
    if w.above_left:
        w.above_left &= w.above_left - 1
        if w.above_left or w.no_above:
            return True
    w.above_left = w.above
    if w.below_left:
        w.below_left &= w.below_left - 1
        if w.below_left or w.no_below:
            return True
    w.more = False
    return True

cdef inline bint good_exists(const Sheet *s, const Tables *t, const Board *b, int roll) noexcept nogil:
    """Whether some operation and circle write a number and not a bad circle."""
    cdef int op, x
    for op in range(OPS):
        if b.left[op]:
            x = t.result[roll][op]
            if x <= LIMIT_DANGEROUS or (x <= LIMIT_PLAIN and b.open & ~s.danger):
                return True
    return False

cdef inline int area_gain(const Sheet *s, const Tables *t, const Board *b, int circle, int x) noexcept nogil:
    """Points that number `x` here brings by areas, with the bonus and the orphans it ends; 0 when it joins none."""
    cdef uint64_t same = s.near[circle] & b.num[x]
    cdef int size = 1
    cdef int gain, c, group
    if not same:
        return 0
    gain = s.penalty * trek_popcount(same & b.orphan)
    while same:
        c = trek_ctz(same)
        group = b.at[c].size
        if group == 1:
            same &= same - 1
        else:
            same &= ~flood(s, bit(c), b.num[x])
            gain -= x + group - 1
        size += group
    gain += x + size - 1
    if size > b.largest:
        gain += t.bonus[size] - t.bonus[b.largest]
    return gain

cdef inline int link_gain(const Sheet *s, const Tables *t, const Board *b, int x, int d, int u) noexcept nogil:
    """Points that the links of a number `x` bring, with the bonus and the orphans that they end; 0 without links."""
    cdef int gain = 0
    cdef int low = 0
    cdef int high = 0
    cdef int length
    if d != NO_LINK:
        low = b.at[d].length
        if b.orphan & bit(d):
            gain += s.penalty
        if low >= 2:
            gain -= x - low + 2 * (low - 1)
    if u != NO_LINK:
        high = b.at[u].length
        if b.orphan & bit(u):
            gain += s.penalty
        if high >= 2:
            gain -= x + 1 + 2 * (high - 1)
    length = low + 1 + high
    if length == 1:
        return 0
    gain += x - low + 2 * (length - 1)
    if length > b.longest:
        gain += t.bonus[length] - t.bonus[b.longest]
    return gain
