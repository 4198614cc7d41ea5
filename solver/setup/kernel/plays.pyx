"""All legal plays of a position of Setup, each exactly once, with points and the bonus of each seat.

Squares are bits of 64-bit masks, tiles are number * suits + suit. What a play scores is one mask of squares: its sets
share no square except the new tile that joins two of them. There are three kinds, which share no play:

- one tile, next to its number or to a neighbour in its suit;
- several tiles of one number: sets of squares that lie in one component of (squares of that number + the new ones),
  grown square by square so that each set comes once, then every way of laying the tiles on them;
- several tiles of one suit. `monotone`: depth-first from the lowest new tile upward, because the tiles are unique and
  a run is one path. `block`: sets of squares grown as for numbers, then checked for the block that they lie in.

docs/setup.md tells more.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from ...errors import LimitReached

cdef extern from * nogil:
    """
    #include <stdint.h>
    #include <time.h>
    #define lowest_bit(mask) __builtin_ctzll(mask)
    #define swap_bytes(word) __builtin_bswap64(word)
    static inline double monotonic_seconds(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
    }
    """
    int lowest_bit(uint64_t mask)
    uint64_t swap_bytes(uint64_t word)
    double monotonic_seconds()

cdef extern from "Python.h":
    # Without `except`, so that the error stays set until raise_stop lets it out.
    int PyErr_CheckSignals() noexcept
    PyObject* PyObject_CallNoArgs(PyObject*) noexcept
    void Py_XDECREF(PyObject*) noexcept

cdef enum:
    POLL_EVERY = 1 << 12
    FIRST_CAPACITY = 4096
    BONUS_SHIFT = 4
    UNION = 0
    PER_SET = 1
    PLACED_PLUS_SETS = 2
    ALL_SEATS = (1 << SEAT_COUNT) - 1
    # From so many tiles on, the ways of laying them are more than what a bound looks at.
    WORTH_A_BOUND = 3
    WAYS_FOR_A_BOUND = 6

cdef double SIGNAL_SECONDS = 0.05
cdef uint64_t ONE = 1
cdef uint64_t ALL = ~(<uint64_t> 0)
cdef int64_t NOTHING = -(<int64_t> 1 << 62)
# The bonus of all seats in the counts of a play.
cdef uint64_t BONUS_BYTES = <uint64_t> 0xFFFFFFFF00

# How a set of squares is grown: for one number, or for the tiles first..last of one suit.
cdef struct Growth:
    bint run
    int first
    int last
    int fewest
    int most
    uint64_t joint          # squares on the board that connect
    uint64_t fixed          # of these, those of the numbers between the new ones: part of the block, not to be covered
    uint64_t open
    uint64_t hot            # where a tile joins what shows; without them a set is worth `plain` at most
    int64_t plain
    int64_t held            # the best of the tiles, by the style
    int64_t rest[MAX_HAND + 1]  # what runs may add to tile i and the following ones on the set in work
    # Of the set of squares in work:
    uint64_t placed
    int count

# A run on its way up: its new tiles so far.
cdef struct Climb:
    uint64_t placed
    uint64_t path           # all squares of the path from the lowest new tile to the last one
    uint64_t tiles
    uint64_t squares
    int count
    int own
    int64_t most            # what all that is worth at most
    int who[MAX_HAND]
    int at[MAX_HAND]


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


cdef inline uint64_t counts_of(const Search* s, uint64_t scored, int sets, uint64_t placed, int count,
                               int own) noexcept nogil:
    cdef uint64_t counts = all_counts(s.g, scored, sets, placed, count) & s.keep
    return counts | (<uint64_t> count << PLACED_SHIFT) | (<uint64_t> own << OWN_SHIFT)


cdef double monotonic_now() noexcept nogil:
    return monotonic_seconds()


cdef void poll(Search* s) noexcept nogil:
    # The one poll point: the deadline, and now and then Ctrl-C and a caller's watch, for which threads must wait for
    # each other.
    cdef double now = monotonic_seconds()
    cdef PyObject* answer
    s.until_poll = POLL_EVERY
    if s.deadline > 0 and now > s.deadline:
        s.stop = TIME
        return
    if s.signal_at == 0:
        s.signal_at = now + SIGNAL_SECONDS
    if now < s.signal_at:
        return
    s.signal_at = now + SIGNAL_SECONDS
    with gil:
        if PyErr_CheckSignals() != 0:
            s.stop = INTERRUPTED
        elif s.watch != NULL:
            answer = PyObject_CallNoArgs(s.watch)
            Py_XDECREF(answer)
            if answer == NULL:
                s.stop = INTERRUPTED


cdef inline void step(Search* s) noexcept nogil:
    s.until_poll -= 1
    if s.until_poll < 0:
        poll(s)


cdef bint comes_before(const Record* a, const Record* b) noexcept nogil:
    # The fixed order: tiles, then squares, as sequences.
    cdef const uint8_t* x = <const uint8_t*> &a.tiles
    cdef const uint8_t* y = <const uint8_t*> &b.tiles
    cdef int n = <int> ((a.counts >> PLACED_SHIFT) & 255)
    cdef int m = <int> ((b.counts >> PLACED_SHIFT) & 255)
    cdef int i
    for i in range(min(n, m)):
        if x[i] != y[i]:
            return x[i] < y[i]
    if n != m:
        return n < m
    x = <const uint8_t*> &a.squares
    y = <const uint8_t*> &b.squares
    for i in range(n):
        if x[i] != y[i]:
            return x[i] < y[i]
    return False


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


cdef inline int64_t most_of(const Search* s, uint64_t mask) noexcept nogil:
    # What scored squares are worth at most.
    cdef uint64_t counts = 0
    cdef int64_t value
    cdef int i = 0
    while mask:
        counts += s.g.worth[i][mask & 255]
        mask >>= 8
        i += 1
    counts &= s.keep
    value = s.lean[0] * <int64_t> (counts & 255)
    if counts & BONUS_BYTES:
        for i in range(1, 1 + SEAT_COUNT):
            value += s.lean[i] * <int64_t> ((counts >> (8 * i)) & 255)
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


cdef inline int64_t more_run_of(const Search* s, int i, int square) noexcept nogil:
    return s.more_run[i][square] if s.hot_run[i] >> square & 1 else 0


cdef inline bint too_little(const Search* s, int64_t most, uint64_t tiles, int count) noexcept nogil:
    # Whether a play with these as its lowest tiles cannot enter the list, when its key is `most` at most.
    if most != s.floor_key:
        return most < s.floor_key
    # The bytes as sequences: the lowest tile counts most.
    return swap_bytes(tiles) >> (64 - 8 * count) > s.floor_tiles >> (64 - 8 * count)


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


cdef void keep_best(Search* s, const Record* record) noexcept nogil:
    cdef uint64_t counts = record.counts
    cdef int64_t value = s.weights[0] * <int64_t> (counts & 255)
    cdef int64_t bonus = 0
    cdef int64_t key
    cdef int i
    if counts & BONUS_BYTES:
        for i in range(SEAT_COUNT):
            value += s.weights[i + 1] * <int64_t> ((counts >> (8 * (i + 1))) & 255)
            if s.given >> i & 1:
                bonus += <int64_t> ((counts >> (8 * (i + 1))) & 255)
    if s.style != NULL:
        value += style_of(s, record)
    if s.total == 0 or value > s.top_value:
        s.top_value = value
        s.ties = 0
    if value == s.top_value:
        s.ties += 1
    s.total += 1
    key = value * (1 << KEY_SHIFT)
    if not s.plain:
        key -= bonus * (1 << BONUS_SHIFT) + <int64_t> ((counts >> OWN_SHIFT) & 255)
    i = s.best_count
    if key < s.floor_key:
        return
    if i == s.best_wanted:
        if key < s.best[i - 1].key:
            return
        if key == s.best[i - 1].key and not comes_before(record, &s.best[i - 1].record):
            return
        i -= 1
    else:
        s.best_count += 1
    while i > 0 and (s.best[i - 1].key < key
                     or (s.best[i - 1].key == key and comes_before(record, &s.best[i - 1].record))):
        s.best[i] = s.best[i - 1]
        i -= 1
    s.best[i].key = key
    s.best[i].record = record[0]
    if s.best_count == s.best_wanted:
        s.floor_key = s.best[s.best_count - 1].key
        s.floor_tiles = swap_bytes(s.best[s.best_count - 1].record.tiles)
        s.floor = (s.best[s.best_count - 1].key + (1 << KEY_SHIFT) - 1) >> KEY_SHIFT


cdef void make_room(Search* s) noexcept nogil:
    cdef uint64_t capacity = s.capacity * 2
    cdef Record* records
    if s.total >= s.limit:
        s.stop = FULL
        return
    if capacity > s.limit:
        capacity = s.limit
    records = <Record*> realloc(s.records, capacity * sizeof(Record))
    if records == NULL:
        s.stop = NO_MEMORY
        return
    s.records = records
    s.capacity = capacity


cdef inline void emit(Search* s, uint64_t tiles, uint64_t squares, int count, uint64_t counts) noexcept nogil:
    # tiles and squares with zeros behind the last; `count` of them are used.
    cdef Record record
    cdef uint64_t unused
    step(s)
    if s.mode == MOST:
        if <int> (counts & 255) > s.most:
            s.most = <int> (counts & 255)
        return
    if s.bounded and s.weights[0] * <int64_t> (counts & 255) < s.floor:
        s.total += 1
        return
    if s.skip:
        s.skip -= 1
        return
    unused = ALL << (8 * count) if count < 8 else 0
    record.tiles = tiles | unused
    record.squares = squares | unused
    record.counts = counts
    if s.mode == BEST:
        keep_best(s, &record)
        return
    if s.total == s.capacity:
        make_room(s)
        if s.stop:
            return
    s.records[s.total] = record
    s.total += 1


cdef uint64_t monotone_run(const Search* s, int slot, int square, uint64_t covered) noexcept nogil:
    # The run of the tile of `slot` on `square`, with the tops of `covered` gone.
    cdef const Geometry* g = s.g
    cdef uint64_t mask = ONE << square
    cdef uint64_t bit
    cdef int at = square
    cdef int k = slot + 1
    while s.where[k] >= 0:
        bit = ONE << s.where[k]
        if not (g.adjacent[at] & bit & ~covered):
            break
        mask |= bit
        at = s.where[k]
        k += 1
    at = square
    k = slot - 1
    while s.where[k] >= 0:
        bit = ONE << s.where[k]
        if not (g.adjacent[at] & bit & ~covered):
            break
        mask |= bit
        at = s.where[k]
        k -= 1
    return mask


cdef uint64_t block_run(const Search* s, int low, int high, uint64_t inside, uint64_t covered) noexcept nogil:
    # The maximal block with the numbers of the slots low..high, which lie on `inside`; 0 where those are in none.
    # The widest range of numbers is shrunk to what is connected until nothing changes; no block is ever cut.
    cdef uint64_t mask = inside
    cdef uint64_t reached, shrunk
    cdef int a = low
    cdef int b = high
    cdef int k
    while s.where[a - 1] >= 0 and not ((ONE << s.where[a - 1]) & covered):
        a -= 1
        mask |= ONE << s.where[a]
    while s.where[b + 1] >= 0 and not ((ONE << s.where[b + 1]) & covered):
        b += 1
        mask |= ONE << s.where[b]
    while True:
        reached = component(s.g, inside & (~inside + 1), mask)
        if inside & ~reached:
            return 0
        if reached == mask:
            return mask
        shrunk = inside
        k = low
        while k > a and (ONE << s.where[k - 1]) & reached:
            k -= 1
            shrunk |= ONE << s.where[k]
        a = k
        k = high
        while k < b and (ONE << s.where[k + 1]) & reached:
            k += 1
            shrunk |= ONE << s.where[k]
        b = k
        mask = shrunk


cdef inline uint64_t run_at(const Search* s, int slot, int square, uint64_t covered) noexcept nogil:
    # The run of the tile of `slot` on `square`; that square alone where there is none.
    if s.g.block:
        return block_run(s, slot, slot, ONE << square, covered)
    return monotone_run(s, slot, square, covered)


cdef inline uint64_t run_of(const Search* s, int i, int square, uint64_t covered) noexcept nogil:
    # The same of the hand's tile i.
    return run_at(s, s.g.slot[s.hand[i]], square, covered)


cdef inline uint64_t group_of(const Search* s, int i, int square, uint64_t covered) noexcept nogil:
    # The squares of the number of the hand's tile i around it, when it lies on `square`.
    cdef uint64_t bit = ONE << square
    return component(s.g, bit, (s.shown[s.g.number[s.hand[i]]] & ~covered) | bit)


cdef bint too_poor(Search* s, const Growth* w, uint64_t counts, uint64_t placed, int count,
                   uint64_t ways) noexcept nogil:
    # BEST: whether none of the equally good ways of laying tiles on a set of squares can enter the list, by the best
    # that any of them could be. If so, all are counted here.
    cdef Record bound
    cdef int64_t value = s.weights[0] * <int64_t> (counts & 255)
    cdef int64_t bonus = 0
    cdef int64_t key
    cdef int common = 0
    cdef int fewest
    cdef int i
    if s.best_count < s.best_wanted:
        return False
    if counts & BONUS_BYTES:
        for i in range(SEAT_COUNT):
            value += s.weights[i + 1] * <int64_t> ((counts >> (8 * (i + 1))) & 255)
            if s.given >> i & 1:
                bonus += <int64_t> ((counts >> (8 * (i + 1))) & 255)
    bound.tiles = ALL
    bound.squares = ALL
    bound.counts = counts
    for i in range(count):
        (<uint8_t*> &bound.tiles)[i] = s.hand[w.first + i]
        (<uint8_t*> &bound.squares)[i] = <uint8_t> lowest_bit(placed)
        if s.style != NULL:
            value += s.square_style[lowest_bit(placed)]
        placed &= placed - 1
    for i in range(w.first, w.last + 1):
        common += not s.own[i]
    fewest = max(0, count - common)
    if s.style != NULL:
        # As many tiles of the rack as suits the weights; ties are not counted.
        i = min(count, w.last - w.first + 1 - common) if s.style[0] > s.style[1] else fewest
        value += s.style[0] * i + s.style[1] * (count - i)
    key = value * (1 << KEY_SHIFT)
    if not s.plain:
        key -= bonus * (1 << BONUS_SHIFT) + fewest
    if key > s.best[s.best_count - 1].key:
        return False
    if key == s.best[s.best_count - 1].key and comes_before(&bound, &s.best[s.best_count - 1].record):
        return False
    if value == s.top_value:
        s.ties += ways
    s.total += ways
    step(s)
    return True


cdef uint64_t most_scored(const Search* s, const Growth* w, uint64_t scored, uint64_t placed) noexcept nogil:
    # All runs or groups that any of the tiles may have on any of the squares, taken together.
    cdef uint64_t left
    cdef int i, q
    for i in range(w.first, w.last + 1):
        if w.run and s.g.suit[s.hand[i]] != s.g.suit[s.hand[w.first]]:
            continue
        left = placed & (s.hot_group[i] if w.run else s.hot_run[i])
        while left:
            q = lowest_bit(left)
            left &= left - 1
            scored |= group_of(s, i, q, placed) if w.run else run_of(s, i, q, placed)
    return scored


cdef bint too_few_points(const Search* s, const Growth* w, uint64_t scored, uint64_t placed,
                         int count) noexcept nogil:
    # MOST: whether even all sets together score no more than what is known.
    scored = most_scored(s, w, scored, placed)
    return <int> (counts_of(s, scored, 1 + count, 0, count, 0) & 255) <= s.most


cdef bint too_low(Search* s, const Growth* w, uint64_t scored, uint64_t placed, int count,
                  uint64_t ways) noexcept nogil:
    # BEST: whether even all sets together, with no bonus given away and the tiles that suit the weights best, are worth
    # less than the last of the list. If so, all ways of laying are counted here.
    cdef int64_t value
    cdef int i
    if s.best_count < s.best_wanted:
        return False
    if not s.bounded:
        for i in range(SEAT_COUNT):
            if s.weights[i + 1] > 0:
                return False
    scored = most_scored(s, w, scored, placed)
    value = s.weights[0] * <int64_t> (counts_of(s, scored, 1 + count, 0, count, 0) & 255)
    if s.style != NULL:
        value += count * max(s.style[0], s.style[1])
        while placed:
            value += s.square_style[lowest_bit(placed)]
            placed &= placed - 1
    if value * (1 << KEY_SHIFT) >= s.best[s.best_count - 1].key or value == s.top_value:
        return False
    s.total += ways
    step(s)
    return True


cdef void lay_number(Search* s, const Growth* w, int depth, int first, uint64_t rest, uint64_t tiles,
                     uint64_t squares, uint64_t scored, int sets, int own, int64_t most) noexcept nogil:
    # Every way of laying `w.count` tiles of one number, in ascending order, on the squares of the set.
    cdef int i, q
    cdef uint64_t left, bit, run
    cdef int64_t more = 0
    if depth == w.count:
        emit(s, tiles, squares, depth, counts_of(s, scored, sets, w.placed, depth, own))
        return
    for i in range(first, w.last + 1 - (w.count - depth - 1)):
        left = rest
        while left and not s.stop:
            q = lowest_bit(left)
            bit = ONE << q
            left ^= bit
            if s.pruned:
                more = most + s.held[i] + more_run_of(s, i, q)
                if too_little(
                    s, more + (w.count - depth - 1) * w.held + w.rest[i + 1],
                    tiles | (<uint64_t> s.hand[i] << (8 * depth)), depth + 1,
                ):
                    continue
            run = run_of(s, i, q, w.placed) if s.hot_run[i] & bit else bit
            lay_number(
                s, w, depth + 1, i + 1, rest ^ bit,
                tiles | (<uint64_t> s.hand[i] << (8 * depth)), squares | (<uint64_t> q << (8 * depth)),
                scored | run, sets + (run != bit), own + s.own[i], more,
            )


cdef void lay_same(Search* s, const Growth* w, int depth, int first, uint64_t rest, uint64_t tiles,
                   uint64_t squares, uint64_t counts) noexcept nogil:
    # As lay_number, where no tile touches its suit: every way scores the same.
    cdef int i, q
    cdef uint64_t left, bit
    if depth == w.count:
        emit(s, tiles, squares, depth, counts)
        return
    for i in range(first, w.last + 1 - (w.count - depth - 1)):
        left = rest
        while left and not s.stop:
            q = lowest_bit(left)
            bit = ONE << q
            left ^= bit
            lay_same(
                s, w, depth + 1, i + 1, rest ^ bit,
                tiles | (<uint64_t> s.hand[i] << (8 * depth)), squares | (<uint64_t> q << (8 * depth)),
                counts + (<uint64_t> s.own[i] << OWN_SHIFT),
            )


cdef void lay_run(Search* s, const Growth* w, int depth, int i, uint64_t rest, uint64_t tiles, uint64_t squares,
                  uint64_t scored, int sets, int own) noexcept nogil:
    # Every way of laying the tiles i.. of a block on the squares of the set.
    cdef int q
    cdef uint64_t left = rest
    cdef uint64_t bit, group
    if depth == w.count:
        emit(s, tiles, squares, depth, counts_of(s, scored, sets, w.placed, depth, own))
        return
    while left and not s.stop:
        q = lowest_bit(left)
        bit = ONE << q
        left ^= bit
        group = group_of(s, i, q, w.placed) if s.hot_group[i] & bit else bit
        lay_run(
            s, w, depth + 1, s.after[i], rest ^ bit,
            tiles | (<uint64_t> s.hand[i] << (8 * depth)), squares | (<uint64_t> q << (8 * depth)),
            scored | group, sets + (group != bit), own + s.own[i],
        )


cdef inline int64_t most_of_set(const Search* s, uint64_t placed, uint64_t closed) noexcept nogil:
    # What a group is worth at most, with new tiles on `placed`, but for the tiles themselves and their runs.
    cdef int64_t value = most_of(s, closed ^ placed)
    while placed:
        value += s.laid[lowest_bit(placed)]
        placed &= placed - 1
    return value


cdef void lay_one_way(Search* s, int i, int j, int p, int q, uint64_t closed) noexcept nogil:
    # Two tiles of one number, i on p and j on q.
    cdef uint64_t placed = ONE << p | ONE << q
    cdef uint64_t scored = closed
    cdef uint64_t run
    cdef int sets = 1
    if s.hot_run[i] >> p & 1:
        run = run_of(s, i, p, placed)
        scored |= run
        sets += run != ONE << p
    if s.hot_run[j] >> q & 1:
        run = run_of(s, j, q, placed)
        scored |= run
        sets += run != ONE << q
    emit(
        s, <uint64_t> s.hand[i] | <uint64_t> s.hand[j] << 8, <uint64_t> p | <uint64_t> q << 8, 2,
        counts_of(s, scored, sets, placed, 2, s.own[i] + s.own[j]),
    )


cdef void lay_two(Search* s, const Growth* w, uint64_t placed, uint64_t closed, int64_t most) noexcept nogil:
    # Any two of the tiles on two squares, where the bounds allow it.
    cdef int p = lowest_bit(placed)
    cdef int q = lowest_bit(placed & (placed - 1))
    cdef int64_t both
    cdef uint64_t tiles
    cdef int i, j
    for i in range(w.first, w.last):
        for j in range(i + 1, w.last + 1):
            both = most + s.held[i] + s.held[j]
            tiles = <uint64_t> s.hand[i] | <uint64_t> s.hand[j] << 8
            if not too_little(s, both + more_run_of(s, i, p) + more_run_of(s, j, q), tiles, 2):
                lay_one_way(s, i, j, p, q, closed)
            if not too_little(s, both + more_run_of(s, i, q) + more_run_of(s, j, p), tiles, 2):
                lay_one_way(s, i, j, q, p, closed)


cdef bint cannot_enter(const Search* s, const Growth* w, int64_t most, uint64_t placed, int count) noexcept nogil:
    # Whether no play on a set of squares can enter the list, when `most` is the key of any of them at most.
    cdef Record first
    cdef int i
    if most != s.floor_key:
        return most < s.floor_key
    first.tiles = 0
    first.squares = 0
    first.counts = <uint64_t> count << PLACED_SHIFT
    for i in range(count):
        first.tiles |= <uint64_t> s.hand[w.first + i] << (8 * i)
        first.squares |= <uint64_t> lowest_bit(placed) << (8 * i)
        placed &= placed - 1
    return not comes_before(&first, &s.best[s.best_count - 1].record)


cdef void lay(Search* s, Growth* w, uint64_t placed, int count, uint64_t closed) noexcept nogil:
    # A set of squares is found: all plays on it.
    cdef uint64_t hot = 0
    cdef uint64_t scored = closed
    cdef uint64_t ways, counts, left
    cdef int64_t most = 0
    cdef int64_t more
    cdef int i
    if w.run:
        scored = block_run(
            s, s.g.slot[s.hand[w.first]], s.g.slot[s.hand[w.last]], placed | w.fixed, placed
        )
        if not scored:
            return
    ways = 1
    for i in range(count):
        ways *= (count if w.run else w.last - w.first + 1) - i
    if s.mode == COUNT:
        s.total += ways
        return
    if s.pruned and not w.run:
        most = most_of_set(s, placed, scored)
        w.rest[w.last + 1] = 0
        for i in range(w.last, w.first - 1, -1):
            more = 0
            left = s.hot_run[i] & placed
            while left:
                more = max(more, s.more_run[i][lowest_bit(left)])
                left &= left - 1
            w.rest[i] = w.rest[i + 1] + more
        if cannot_enter(s, w, most + count * w.held + w.rest[w.first], placed, count):
            return
        if count == 2:
            lay_two(s, w, placed, scored, most)
            return
    if s.mode == MOST and count >= WORTH_A_BOUND and too_few_points(s, w, scored, placed, count):
        return
    if s.mode == BEST and not s.pruned and ways >= WAYS_FOR_A_BOUND and too_low(s, w, scored, placed, count, ways):
        return
    w.placed = placed
    w.count = count
    if w.run:
        lay_run(s, w, 0, w.first, placed, 0, 0, scored, 1, 0)
        return
    for i in range(w.first, w.last + 1):
        hot |= s.hot_run[i]
    if placed & hot:
        lay_number(s, w, 0, w.first, placed, 0, 0, scored, 1, 0, most)
        return
    counts = counts_of(s, scored, 1, placed, count, 0)
    if s.mode == MOST:
        emit(s, 0, 0, count, counts)
    elif s.bounded and s.weights[0] * <int64_t> (counts & 255) < s.floor:
        s.total += ways
        step(s)
    elif s.mode != BEST or not too_poor(s, w, counts, placed, count, ways):
        lay_same(s, w, 0, w.first, placed, 0, 0, counts)


cdef void grow(Search* s, Growth* w, uint64_t placed, int count, uint64_t closed, uint64_t border,
               uint64_t barred) noexcept nogil:
    # All sets of squares that extend `placed` without `barred` and lie in one component; `closed` is what is connected
    # so far, `border` the squares that may come next. Barring each of them after its turn makes every set come once.
    cdef uint64_t bit, wider
    while border and not s.stop:
        bit = border & (~border + 1)
        if s.pruned and not placed and not w.run:
            # Where new tiles join anything comes first; sets of other squares alone may be worth too little.
            if border & w.hot:
                bit = border & w.hot
                bit &= ~bit + 1
            elif too_little(s, w.plain, s.hand[w.first], 1):
                return
        border ^= bit
        barred |= bit
        step(s)
        wider = closed | component(s.g, bit, w.joint | bit)
        if count + 1 >= w.fewest:
            lay(s, w, placed | bit, count + 1, wider)
        if count + 1 < w.most:
            grow(s, w, placed | bit, count + 1, wider, w.open & (wider | spread(s.g, wider)) & ~barred, barred)


cdef bint worth_laying(Search* s, int i, int q, uint64_t group, uint64_t run) noexcept nogil:
    # What a tile's group and run add on a square, for the bounds; whether the tile alone could reach the floor there.
    cdef uint64_t bit = ONE << q
    cdef int64_t both = s.weights[0] * (1 << KEY_SHIFT) if s.g.scoring == PER_SET else 0
    cdef int64_t value = s.laid[q] + s.held[i]
    if group:
        s.more_group[i][q] = most_of(s, group ^ bit) + both
        s.most_group[i] = max(s.most_group[i], s.more_group[i][q])
        value += s.more_group[i][q]
    if run:
        s.more_run[i][q] = most_of(s, run ^ bit) + both
        s.most_run[i] = max(s.most_run[i], s.more_run[i][q])
        value += s.more_run[i][q]
    return not too_little(s, value, s.hand[i], 1)


cdef void plays_of_one_tile(Search* s) noexcept nogil:
    cdef int i, q, sets
    cdef uint64_t left, bit, scored, run, group
    for i in range(s.hand_count):
        left = s.open & (s.hot_group[i] | s.hot_run[i])
        while left and not s.stop:
            q = lowest_bit(left)
            bit = ONE << q
            left ^= bit
            group = group_of(s, i, q, bit) if s.hot_group[i] & bit else 0
            run = run_of(s, i, q, bit) if s.hot_run[i] & bit else 0
            if run == bit:
                run = 0
            sets = (group != 0) + (run != 0)
            if s.pruned and not worth_laying(s, i, q, group, run):
                continue
            if not sets:
                continue
            scored = group | run
            if s.mode == COUNT:
                s.total += 1
            else:
                emit(s, s.hand[i], q, 1, counts_of(s, scored, sets, bit, 1, s.own[i]))


cdef bint worth_growing(const Search* s, Growth* w) noexcept nogil:
    # Whether any play of several of these tiles could reach the floor; fills the bounds of `w`.
    cdef int64_t best, all_runs
    cdef int i
    w.held = s.held[w.first]
    w.hot = s.hot_group[w.first]
    all_runs = 0
    for i in range(w.first, w.last + 1):
        w.held = max(w.held, s.held[i])
        w.hot |= s.hot_run[i]
        all_runs += s.most_run[i]
    best = s.best_laid + w.held
    w.plain = max(2 * best, w.most * best)
    return not too_little(s, w.plain + all_runs + most_of(s, w.joint), s.hand[w.first], 1)


cdef void plays_of_one_number(Search* s) noexcept nogil:
    cdef Growth w
    cdef int first = 0
    cdef int last
    w.run = False
    w.fixed = 0
    w.fewest = 2
    while first < s.hand_count and not s.stop:
        last = first
        while last + 1 < s.hand_count and s.g.number[s.hand[last + 1]] == s.g.number[s.hand[first]]:
            last += 1
        if last > first:
            w.first = first
            w.last = last
            w.most = last - first + 1
            w.joint = s.shown[s.g.number[s.hand[first]]]
            w.open = s.open
            if not s.pruned or worth_growing(s, &w):
                grow(s, &w, 0, 0, 0, s.open, 0)
        first = last + 1


cdef void emit_climb(Search* s, const Climb* c) noexcept nogil:
    # The path goes on over tops that show, below its lowest new tile and above its last one.
    cdef int i, low, high
    cdef int sets = 1
    cdef uint64_t scored, group, bit
    if s.mode == COUNT:
        s.total += 1
        step(s)
        return
    low = c.who[0]
    high = c.who[c.count - 1]
    scored = c.path
    scored |= monotone_run(s, s.g.slot[s.hand[low]], c.at[0], c.placed)
    scored |= monotone_run(s, s.g.slot[s.hand[high]], c.at[c.count - 1], c.placed)
    for i in range(c.count):
        bit = ONE << c.at[i]
        if s.hot_group[c.who[i]] & bit:
            group = group_of(s, c.who[i], c.at[i], c.placed)
            if group != bit:
                sets += 1
                scored |= group
    emit(s, c.tiles, c.squares, c.count, counts_of(s, scored, sets, c.placed, c.count, c.own))


cdef void climb(Search* s, Climb* c, int i, int square) noexcept nogil:
    # The hand's tile i is laid on `square` as the highest of the run so far; then the next one of the hand.
    cdef const Geometry* g = s.g
    cdef uint64_t path = c.path
    cdef uint64_t placed = c.placed
    cdef uint64_t tiles = c.tiles
    cdef uint64_t squares = c.squares
    cdef uint64_t bit, left
    cdef int own = c.own
    cdef int depth = c.count
    cdef int at = square
    cdef int k, q
    cdef int j = s.after[i]
    cdef int64_t most = c.most
    cdef int64_t held = 0
    cdef int low = 0
    if s.pruned:
        most += s.laid[square] + s.held[i]
        if s.hot_group[i] >> square & 1:
            most += s.more_group[i][square]
        low = c.who[0] if depth else i
        if too_little(
            s, most + s.below[low] + s.ahead[i], c.tiles | (<uint64_t> s.hand[i] << (8 * depth)), depth + 1
        ):
            return
    c.who[depth] = i
    c.at[depth] = square
    c.placed |= ONE << square
    c.path |= ONE << square
    c.tiles |= <uint64_t> s.hand[i] << (8 * depth)
    c.squares |= <uint64_t> square << (8 * depth)
    c.own += s.own[i]
    c.count += 1
    if c.count >= 2:
        if s.pruned and too_little(s, most + s.below[low] + s.above[i], c.tiles, c.count):
            step(s)
        else:
            emit_climb(s, c)
    if j >= 0:
        # Numbers between the two show on the board: each must be linked, and may not be covered.
        for k in range(g.slot[s.hand[i]] + 1, g.slot[s.hand[j]]):
            bit = ONE << s.where[k]
            if not (g.adjacent[at] & bit & ~c.placed):
                at = -1
                break
            c.path |= bit
            at = s.where[k]
            most += s.scored[at]
        if at >= 0:
            held = c.most
            c.most = most
            left = g.adjacent[at] & s.open & ~c.path
            while left and not s.stop:
                q = lowest_bit(left)
                left &= left - 1
                climb(s, c, j, q)
            c.most = held
    c.path = path
    c.placed = placed
    c.tiles = tiles
    c.squares = squares
    c.own = own
    c.count = depth


cdef void plays_of_one_suit(Search* s) noexcept nogil:
    cdef Climb c
    cdef Growth w
    cdef int i, j, k
    cdef uint64_t left
    memset(&c, 0, sizeof(Climb))
    for i in range(s.hand_count):
        if s.after[i] < 0:
            continue
        if not s.g.block:
            if s.pruned and too_little(
                s, s.below[i] + s.best_laid + s.held[i] + s.most_group[i] + s.ahead[i], s.hand[i], 1
            ):
                continue
            k = s.where[s.g.slot[s.hand[i]] + 1]
            left = s.open & (s.g.adjacent[k] if k >= 0 else ALL)
            while left and not s.stop:
                climb(s, &c, i, lowest_bit(left))
                left &= left - 1
            continue
        w.run = True
        w.first = i
        w.fixed = 0
        w.most = 1
        j = i
        while s.after[j] >= 0 and not s.stop:
            for k in range(s.g.slot[s.hand[j]] + 1, s.g.slot[s.hand[s.after[j]]]):
                w.fixed |= ONE << s.where[k]
            j = s.after[j]
            w.last = j
            w.most += 1
            w.fewest = w.most
            w.joint = w.fixed
            k = s.g.slot[s.hand[i]] - 1
            while s.where[k] >= 0:
                w.joint |= ONE << s.where[k]
                k -= 1
            k = s.g.slot[s.hand[j]] + 1
            while s.where[k] >= 0:
                w.joint |= ONE << s.where[k]
                k += 1
            w.open = s.open & ~w.fixed
            grow(s, &w, 0, 0, 0, w.open, 0)


cdef uint64_t near_run(const Search* s, int slot) noexcept nogil:
    # Squares on which the tile of `slot` may join a run with tiles that show.
    cdef uint64_t near = 0
    cdef int k = slot + 1
    while s.where[k] >= 0:
        near |= s.g.adjacent[s.where[k]]
        if not s.g.block:
            break
        k += 1
    k = slot - 1
    while s.where[k] >= 0:
        near |= s.g.adjacent[s.where[k]]
        if not s.g.block:
            break
        k -= 1
    return near


cdef void load_board(Search* s, const Geometry* g, const uint8_t* tops) noexcept nogil:
    # tops: a byte a square.
    cdef int i, tile
    s.g = g
    s.shows = 0
    memset(s.where, 0xFF, g.slots)
    memset(s.shown, 0, (g.numbers + 2) * sizeof(uint64_t))
    for i in range(g.squares):
        tile = tops[i]
        if tile != NO_TILE:
            s.where[g.slot[tile]] = <int8_t> i
            s.shows |= ONE << i
            s.shown[g.number[tile]] |= ONE << i


cdef void load(Search* s, const Geometry* g, const uint8_t* tops, const uint8_t* hand, const uint8_t* own,
               int hand_count, int mover) noexcept nogil:
    # Everything but mode and outputs.
    load_board(s, g, tops)
    load_hand(s, hand, own, hand_count, mover)


cdef void load_hand(Search* s, const uint8_t* hand, const uint8_t* own, int hand_count, int mover) noexcept nogil:
    # To a loaded board: who moves, and tiles in any order.
    cdef const Geometry* g = s.g
    cdef int i, j, k, tile
    s.mover = mover
    s.open = g.open[mover]
    s.keep = ALL ^ (<uint64_t> 255 << (8 * (mover + 1)))
    s.style = NULL
    s.given = ALL_SEATS
    s.plain = False
    s.bounded = False
    s.pruned = False
    s.least = 0
    s.hand_count = hand_count
    for i in range(hand_count):
        tile = hand[i]
        j = i
        while j > 0 and s.hand[j - 1] > tile:
            s.hand[j] = s.hand[j - 1]
            s.own[j] = s.own[j - 1]
            j -= 1
        s.hand[j] = <uint8_t> tile
        s.own[j] = own[i]
    for i in range(hand_count):
        tile = s.hand[i]
        s.hot_group[i] = spread(g, s.shown[g.number[tile]])
        s.hot_run[i] = near_run(s, g.slot[tile])
        s.after[i] = -1
        for j in range(i + 1, hand_count):
            if g.suit[s.hand[j]] == g.suit[tile]:
                k = g.slot[tile] + 1
                while k < g.slot[s.hand[j]] and s.where[k] >= 0:
                    k += 1
                if k == g.slot[s.hand[j]]:
                    s.after[i] = j
                break
    s.stop = GOING
    s.total = 0
    s.most = 0
    s.skip = 0
    s.best_count = 0
    s.ties = 0
    s.top_value = 0
    s.until_poll = POLL_EVERY
    s.deadline = 0


cdef inline void raise_to(const Geometry* g, uint64_t counts, int square, int seats, const int* bonus,
                          int* most) noexcept nogil:
    # Each of the seats may lay one tile on the square, for these points and this bonus.
    cdef int seat, i, value
    for seat in range(SEAT_COUNT):
        if seats >> seat & 1 and g.open[seat] >> square & 1:
            value = <int> (counts & 255)
            if counts & BONUS_BYTES:
                for i in range(SEAT_COUNT):
                    value += bonus[SEAT_COUNT * seat + i] * <int> ((counts >> (8 * (i + 1))) & 255)
            most[seat] = max(most[seat], value)


cdef void best_of_ones(const Search* s, const uint8_t* tiles, int count, int seats, const int* bonus,
                       int* most) noexcept nogil:
    # The most that each of the tiles, in whoever's hand, can bring alone to each of the seats on the loaded board, 0 if
    # nothing: SEAT_COUNT numbers a tile. bonus: for each seat what a bonus point of each seat counts, -1, 0 or 1. So no
    # scored square is worth less than nothing, and where a run joins a group the group alone need not be looked at.
    cdef const Geometry* g = s.g
    cdef uint64_t group[MAX_SQUARES]
    cdef int of_group[SEAT_COUNT]
    cdef uint64_t open = 0
    cdef uint64_t hot = 0
    cdef uint64_t left, bit, run
    cdef int number = -1
    cdef int n, q, i
    for i in range(SEAT_COUNT):
        if seats >> i & 1:
            open |= g.open[i]
    for n in range(count):
        # Tiles of one number come one after the other where they are sorted.
        if g.number[tiles[n]] != number:
            number = g.number[tiles[n]]
            memset(of_group, 0, sizeof(of_group))
            hot = spread(g, s.shown[number]) & open
            left = hot
            while left:
                q = lowest_bit(left)
                left &= left - 1
                bit = ONE << q
                group[q] = component(g, bit, (s.shown[number] & ~bit) | bit)
                raise_to(g, all_counts(g, group[q], 1, bit, 1), q, seats, bonus, of_group)
        memcpy(most, of_group, sizeof(of_group))
        left = near_run(s, g.slot[tiles[n]]) & open
        while left:
            q = lowest_bit(left)
            left &= left - 1
            bit = ONE << q
            run = run_at(s, g.slot[tiles[n]], q, bit)
            if run == bit:
                continue
            if hot & bit:
                raise_to(g, all_counts(g, run | group[q], 2, bit, 1), q, seats, bonus, most)
            else:
                raise_to(g, all_counts(g, run, 1, bit, 1), q, seats, bonus, most)
        most += SEAT_COUNT


cdef void enumerate_plays(Search* s) noexcept nogil:
    cdef int i
    if s.mode == BEST:
        s.floor = NOTHING
        s.floor_key = (s.least - 1) * (1 << KEY_SHIFT) + 1 if s.least > 0 else NOTHING
        s.floor_tiles = ALL
        s.bounded = s.style == NULL
        for i in range(SEAT_COUNT):
            s.bounded = s.bounded and s.weights[i + 1] <= 0
        s.pruned = not s.census and s.weights[0] >= 0
        if s.pruned:
            set_bounds(s)
            plays_of_one_tile(s)
            set_run_bounds(s)
            plays_of_one_suit(s)
            plays_of_one_number(s)
            return
        # Long plays first: what is best of them bounds the rest. The list does not depend on the order.
        plays_of_one_suit(s)
        plays_of_one_number(s)
        plays_of_one_tile(s)
        return
    plays_of_one_tile(s)
    plays_of_one_number(s)
    plays_of_one_suit(s)


cdef int restore_error() except -1:
    # The error indicator was set by PyErr_CheckSignals or the watch.
    return -1


cdef int raise_stop(int stop) except -1:
    if stop == INTERRUPTED:
        restore_error()
    if stop == NO_MEMORY:
        raise MemoryError("no memory for the plays of this position")
    if stop == TIME:
        raise LimitReached("seconds: the time limit was reached before all plays were found")
    return 0


cdef class Plays:
    """Board, tiles, seats and options in the form that the search uses; immutable, so threads may share one.

    squares: 1 to 64. links: pairs of bytes (square, square). owners: a byte a square, 0 to 3 for the seats N E S W and
    4 for common. seated: bit i for seat i. numbers * suits: at most 128 tiles. block: run_order. scoring: 0 union,
    1 per_set, 2 placed_plus_sets. per_tile: bonus. on_opponents: allowed. Raises ValueError for anything else.
    """

    def __init__(self, int squares, const unsigned char[::1] links, const unsigned char[::1] owners, int seated,
                 int numbers, int suits, bint block, int scoring, bint per_tile, bint on_opponents):
        cdef Geometry* g = &self.g
        cdef int i, j, seat, byte
        cdef uint64_t bit
        if not 1 <= squares <= MAX_SQUARES or owners.shape[0] != squares or links.shape[0] % 2:
            raise ValueError("squares, owners and links do not fit together")
        if not (1 <= numbers <= MAX_NUMBERS and 1 <= suits <= MAX_TILES and numbers * suits <= MAX_TILES):
            raise ValueError(f"numbers, suits: {numbers} times {suits} tiles are not 1 to {MAX_TILES}")
        if not 0 <= scoring <= PLACED_PLUS_SETS or not 0 <= seated < 1 << SEAT_COUNT:
            raise ValueError(f"scoring {scoring} or seated {seated} is out of range")
        memset(g, 0, sizeof(Geometry))
        g.squares = squares
        g.numbers = numbers
        g.suits = suits
        g.tiles = numbers * suits
        g.slots = suits * (numbers + 2)
        g.block = block
        g.scoring = scoring
        g.on_opponents = on_opponents
        for i in range(0, links.shape[0], 2):
            if links[i] >= squares or links[i + 1] >= squares or links[i] == links[i + 1]:
                raise ValueError(f"links: {links[i]}-{links[i + 1]} is no link of two squares")
            g.adjacent[links[i]] |= ONE << links[i + 1]
            g.adjacent[links[i + 1]] |= ONE << links[i]
        for i in range(squares):
            seat = owners[i]
            if seat > SEAT_COUNT:
                raise ValueError(f"owners: {seat} is no seat")
            bit = ONE << i
            if seat != SEAT_COUNT and seated >> seat & 1:
                g.owned[seat & (SEAT_COUNT - 1)] |= bit
                for j in range(SEAT_COUNT):
                    if j == seat or on_opponents:
                        g.open[j] |= bit
            else:
                for j in range(SEAT_COUNT):
                    g.open[j] |= bit
        for i in range(8):
            for byte in range(256):
                for j in range(8):
                    if not byte >> j & 1 or 8 * i + j >= squares:
                        continue
                    bit = ONE << (8 * i + j)
                    g.spread[i][byte] |= g.adjacent[8 * i + j]
                    g.worth[i][byte] += 1
                    for seat in range(SEAT_COUNT):
                        if g.owned[seat] & bit:
                            if per_tile:
                                g.worth[i][byte] += ONE << (8 * (seat + 1))
                            if on_opponents:
                                g.gifts[i][byte] += ONE << (8 * (seat + 1))
        for i in range(g.tiles):
            g.number[i] = 1 + i // suits
            g.suit[i] = i % suits
            g.slot[i] = (i % suits) * (numbers + 2) + g.number[i]

    cdef int read(self, const unsigned char[::1] tops, const unsigned char[::1] rack, const unsigned char[::1] common,
                  int mover, uint8_t* board, uint8_t* hand, uint8_t* own) except -1:
        # Checks a position and copies it; the number of tiles of both hands.
        cdef uint8_t seen[MAX_TILES]
        cdef int i, tile
        cdef int count = 0
        memset(seen, 0, sizeof(seen))
        if tops.shape[0] != self.g.squares:
            raise ValueError(f"tops: {tops.shape[0]} bytes for {self.g.squares} squares")
        if rack.shape[0] > HALF_HAND or common.shape[0] > HALF_HAND:
            raise ValueError(f"rack, common: more than {HALF_HAND} tiles")
        if not 0 <= mover < SEAT_COUNT:
            raise ValueError(f"mover: {mover} is no seat")
        for i in range(tops.shape[0]):
            tile = tops[i]
            board[i] = <uint8_t> tile
            if tile != NO_TILE:
                if tile >= self.g.tiles or seen[tile]:
                    raise ValueError(f"tops: tile {tile} does not exist or is there twice")
                seen[tile] = 1
        for i in range(rack.shape[0] + common.shape[0]):
            tile = rack[i] if i < rack.shape[0] else common[i - rack.shape[0]]
            if tile >= self.g.tiles or seen[tile]:
                raise ValueError(f"rack, common: tile {tile} does not exist or is there twice")
            seen[tile] = 1
            hand[count] = <uint8_t> tile
            own[count] = i < rack.shape[0]
            count += 1
        return count

    def count(self, const unsigned char[::1] tops, const unsigned char[::1] rack, const unsigned char[::1] common,
              int mover, double seconds=0):
        """Number of plays. seconds: time limit, 0 for none (LimitReached). ValueError for a bad position."""
        cdef uint8_t board[MAX_SQUARES]
        cdef uint8_t hand[MAX_HAND]
        cdef uint8_t own[MAX_HAND]
        cdef Search s
        cdef int held = self.read(tops, rack, common, mover, board, hand, own)
        s.signal_at = 0
        s.watch = NULL
        with nogil:
            load(&s, &self.g, board, hand, own, held, mover)
            s.mode = COUNT
            if seconds > 0:
                s.deadline = monotonic_seconds() + seconds
            enumerate_plays(&s)
        raise_stop(s.stop)
        return s.total

    def most(self, const unsigned char[::1] tops, const unsigned char[::1] rack, const unsigned char[::1] common,
             int mover):
        """Most points of any play; 0 if there is none. ValueError for a bad position."""
        cdef uint8_t board[MAX_SQUARES]
        cdef uint8_t hand[MAX_HAND]
        cdef uint8_t own[MAX_HAND]
        cdef Search s
        cdef int held = self.read(tops, rack, common, mover, board, hand, own)
        s.signal_at = 0
        s.watch = NULL
        with nogil:
            load(&s, &self.g, board, hand, own, held, mover)
            s.mode = MOST
            enumerate_plays(&s)
        raise_stop(s.stop)
        return s.most

    def records(self, const unsigned char[::1] tops, const unsigned char[::1] rack, const unsigned char[::1] common,
                int mover, unsigned long long skip=0, unsigned long long limit=1 << 25, int repeat=1,
                double seconds=0):
        """The plays number skip .. skip + limit - 1 as 24 bytes each, and whether these are all that are left.

        A record: 8 tiles ascending, their 8 squares (255 behind the last), points, bonus of N E S W, tiles placed, of
        these from the rack, 0. repeat: do it so many times, for measurements. seconds: time limit, 0 for none
        (LimitReached). ValueError for a bad position, MemoryError where the records do not fit.
        """
        cdef uint8_t board[MAX_SQUARES]
        cdef uint8_t hand[MAX_HAND]
        cdef uint8_t own[MAX_HAND]
        cdef Search s
        cdef int held = self.read(tops, rack, common, mover, board, hand, own)
        cdef int _
        if limit < 1:
            raise ValueError("limit: must be positive")
        s.capacity = min(<unsigned long long> FIRST_CAPACITY, limit)
        s.limit = limit
        s.records = <Record*> malloc(s.capacity * sizeof(Record))
        if s.records == NULL:
            raise MemoryError("no memory for the plays of this position")
        try:
            s.signal_at = 0
            s.watch = NULL
            with nogil:
                for _ in range(repeat):
                    load(&s, &self.g, board, hand, own, held, mover)
                    s.mode = COLLECT
                    s.skip = skip
                    if seconds > 0:
                        s.deadline = monotonic_seconds() + seconds
                    enumerate_plays(&s)
                    if s.stop:
                        break
            if s.stop != FULL:
                raise_stop(s.stop)
            return PyBytes_FromStringAndSize(<char*> s.records, s.total * sizeof(Record)), s.stop != FULL
        finally:
            free(s.records)

    def best(self, const unsigned char[::1] tops, const unsigned char[::1] rack, const unsigned char[::1] common,
             int mover, weights, int wanted, double seconds=0, int given=ALL_SEATS, watch=None):
        """The best plays: (records, values, plays in all, plays that share the best value).

        weights: five ints, of a point and of a bonus point of N E S W; the value is their sum, and comes for each of
        the records, best first. Ties: less bonus of the seats `given` (bit i for seat i), fewer tiles of the rack, then
        tiles and squares in order. wanted: 1 to 4097 records. seconds: time limit, 0 for none (LimitReached). watch: a
        function that is called where Ctrl-C is looked for; what it raises ends the search. ValueError for bad
        arguments.
        """
        cdef uint8_t board[MAX_SQUARES]
        cdef uint8_t hand[MAX_HAND]
        cdef uint8_t own[MAX_HAND]
        cdef Search s
        cdef int held = self.read(tops, rack, common, mover, board, hand, own)
        cdef int i
        cdef char* out
        if not 1 <= wanted <= MAX_BEST:
            raise ValueError(f"wanted: must be 1 to {MAX_BEST}, not {wanted}")
        if len(weights) != 1 + SEAT_COUNT:
            raise ValueError(f"weights: {len(weights)} are not {1 + SEAT_COUNT}")
        for i in range(1 + SEAT_COUNT):
            if not -1000 <= weights[i] <= 1000:
                raise ValueError(f"weights: {weights[i]} is not from -1000 to 1000")
            s.weights[i] = weights[i]
        s.best_wanted = wanted
        s.census = True
        s.best = <Best*> malloc(wanted * sizeof(Best))
        if s.best == NULL:
            raise MemoryError("no memory for the best plays")
        try:
            s.signal_at = 0
            s.watch = NULL if watch is None else <PyObject*> watch
            with nogil:
                load(&s, &self.g, board, hand, own, held, mover)
                s.mode = BEST
                s.given = given
                if seconds > 0:
                    s.deadline = monotonic_seconds() + seconds
                enumerate_plays(&s)
            raise_stop(s.stop)
            found = PyBytes_FromStringAndSize(NULL, s.best_count * sizeof(Record))
            out = found
            values = []
            for i in range(s.best_count):
                memcpy(out + i * sizeof(Record), &s.best[i].record, sizeof(Record))
                # The key is value * 2**16 minus less than 2**16.
                values.append((s.best[i].key + (1 << KEY_SHIFT) - 1) >> KEY_SHIFT)
            return found, values, s.total, s.ties
        finally:
            free(s.best)
