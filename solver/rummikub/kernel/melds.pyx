"""Melds: the sets that a rack can make by itself, dearest first."""

from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memset

from .asking cimport weigh
from .board cimport JOKER_AT, MIN_SET, WIDE, add_set, bits, faces, group_mask, low, mask_of, run_mask
from .lanes cimport LANES
from .questions cimport TILES
from .room cimport FACES, MOST_MELDS, Meld

cdef enum:
    LONGEST_UNCUT = 2 * MIN_SET - 1  # a longer run can be cut, so longer melds need not be listed


cdef int in_order(const void *a, const void *b) noexcept nogil:
    """Melds: dearest first, then a fixed order."""
    cdef const Meld *x = <const Meld *>a
    cdef const Meld *y = <const Meld *>b
    if x.value != y.value:
        return -1 if x.value > y.value else 1
    if x.set.mask != y.set.mask:
        return -1 if x.set.mask < y.set.mask else 1
    if x.set.run != y.set.run:
        return -1 if x.set.run else 1
    return <int>x.set.first - <int>y.set.first


cdef void add_meld(Turner *t, Set *s, uint64_t tiles, uint64_t jokers) noexcept nogil:
    cdef Meld *m
    s.mask = tiles & ~jokers
    s.jokers = bits(jokers)
    if not s.mask or t.meld_count == MOST_MELDS:
        return
    m = &t.melds[t.meld_count]
    m.set = s[0]
    m.value = 0
    if t.ways.opening_joker == FACES:
        m.value = faces(s, t.ways.numbers, t.ways.colors)
    else:
        tiles = s.mask
        while tiles:
            m.value += low(tiles) // LANES + 1
            tiles &= tiles - 1
    t.meld_count += 1


cdef void shape_melds(Turner *t, Set *s, uint64_t tiles, uint64_t held, int jokers) noexcept nogil:
    """The set of these tiles, with jokers for what is not held, and for one or two more."""
    cdef uint64_t lacking = tiles & ~held, rest = tiles & held, one, two, left
    cdef int n = jokers - bits(lacking)
    if n < 0:
        return
    add_meld(t, s, tiles, lacking)
    if n == 0:
        return
    left = rest
    while left:
        one = left & (~left + 1)
        left &= left - 1
        add_meld(t, s, tiles, lacking | one)
        two = left
        while n > 1 and two:
            add_meld(t, s, tiles, lacking | one | (two & (~two + 1)))
            two &= two - 1


cdef void list_melds(Turner *t, const uint8_t *supply) noexcept nogil:
    """Every set that the tiles can make, but for runs that can be cut; dearest first."""
    cdef uint64_t held = mask_of(supply, t.cells), all_, some
    cdef int number, colour, length, jokers = supply[JOKER_AT]
    cdef Set s
    t.meld_count = 0
    for number in range(t.ways.numbers):
        all_ = group_mask(number, t.ways.colors)
        s.run = False
        s.first = number
        some = all_
        while some:
            if bits(some) >= MIN_SET:
                s.length = bits(some)
                shape_melds(t, &s, some, held, jokers)
            some = (some - 1) & all_
    s.run = True
    for colour in range(t.ways.colors):
        for number in range(t.ways.numbers - MIN_SET + 1):
            for length in range(MIN_SET, min(LONGEST_UNCUT, t.ways.numbers - number) + 1):
                s.first = number
                s.length = length
                shape_melds(t, &s, run_mask(number, length, colour), held, jokers)
    qsort(t.melds, t.meld_count, sizeof(Meld), in_order)


cdef bint move_meld(const Set *s, uint8_t *from_, uint8_t *to) noexcept nogil:
    """Take a meld's tiles from one count to another; False, and nothing done, if they are not all there."""
    cdef uint64_t left = s.mask
    if from_[JOKER_AT] < s.jokers:
        return False
    while left:
        if not from_[low(left)]:
            return False
        left &= left - 1
    left = s.mask
    while left:
        from_[low(left)] -= 1
        to[low(left)] += 1
        left &= left - 1
    from_[JOKER_AT] -= s.jokers
    to[JOKER_AT] += s.jokers
    return True


cdef void meld_turn(Turner *t, const Board *b, const Set *s, Turn *out) noexcept nogil:
    """The move that lays a set of the rack beside the table, and no jokers."""
    cdef uint64_t left = s.mask
    memset(out.laid, 0, WIDE)
    while left:
        out.laid[low(left)] = 1
        left &= left - 1
    out.after = b[0]
    add_set(&out.after, s)
    weigh(t, TILES, out)
