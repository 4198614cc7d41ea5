"""All moves of a position: every multiset of rack tiles that can be laid, without solving one problem for each.

"Can these tiles all lie in sets?" is a question that an automaton answers row by row (numbers 1, 2, ...). What can be
known after a row is a *set*: all ways to have arranged the tiles so far (open runs of each colour by length 1, 2, "3 or
more", and jokers used), without those that another one makes needless. Sets and the steps between them depend on the
rules alone, so they are made once and kept in an `Automaton`. The moves of a position are then paths through a graph:
its nodes are the sets that can be reached, its edges the ways to lay some rack tiles of a row.
docs/rummikub-search.md tells why this is exact; comments here say what a function takes for granted.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM

from types import MemberDescriptorType

from ...errors import LimitReached, SolverError, UnsupportedRules

cdef extern from *:
    """
    #define low_bit(x) __builtin_ctzll(x)
    #define NO_WORTH (-(1LL << 62))
    #define NO_END (1LL << 60)    /* dearer than anything; four of them still fit */
    #define NO_LIMIT (1LL << 61)
    #define MAX_WEIGHT (1LL << 50)    /* of all tiles together */
    """
    int low_bit(uint64_t) noexcept nogil
    const int64_t NO_WORTH
    const int64_t NO_END
    const int64_t NO_LIMIT
    const int64_t MAX_WEIGHT
    void PyObject_GC_UnTrack(PyObject *)
    object PyType_GenericNew(type, PyObject *, PyObject *)

cdef extern from "lanes.h" nogil:
    int64_t solver_now_ns()

cdef enum:
    LANES = 4
    MAX_JOKERS = 8
    JOKER_BITS = 4  # hold any number of jokers
    MAX_NUMBERS = 100
    MIN_SET = 3
    LEAST_NUMBERS = 5  # with jokers: then a run has room for every joker that no set needs
    MAX_SLOTS = 3  # open runs of a colour, and copies of a tile
    LEAST_SLOTS = 2  # more than a position needs is no harm: so most positions share an automaton
    MAX_STATES = 20  # multisets of three lengths with at most MAX_SLOTS runs: C(6, 3)
    COPIES = MAX_SLOTS + 1
    COPY_BITS = 2
    COUNTS = COPIES * COPIES * COPIES * COPIES  # copies of the four tiles of a row, COPY_BITS each
    ALL_VECTORS = 10 * 10 * 10 * 10  # 1 + 2 + 3 + 4 choices in each colour
    MAX_STEPS = 1 << 10  # there are 734 with the most jokers
    MOST_LENGTHS = LANES * MAX_SLOTS * MIN_SET
    FEW = 24  # so many ways are sorted by insertion, more by buckets
    BUCKETS = (MAX_JOKERS + 1) * (MOST_LENGTHS + 1)

    # kinds of rows
    MIDDLE = 0
    LAST_START = 1  # the last number at which a run can start
    LAST_BUT_ONE = 2  # no run of length 1 may be left
    LAST = 3  # nor one of length 2
    KINDS = 4

    JOKER_SHIFT = 20  # a way: the states of the four colours, then its jokers
    WAY_MASK = (1 << JOKER_SHIFT) - 1
    NARROW_BITS = 4  # of a state in a way, for the ten states of two slots
    WIDE_BITS = 5  # and for the twenty of three

    UNIT = 12  # jokers are counted in such parts where several colours share one
    NEVER = 255
    GRAIN = 64  # weights are multiplied by this, so that prices can be fractions
    PRICE_TENTHS = 17  # of the mean weight of a rack tile: the price of a joker

    NO_SET = -1  # nothing that follows can be arranged
    STOP = -2  # the search ends before it is done

    FIRST_HASH = 1 << 8
    FIRST_NODES = 1 << 8
    POLL_EVERY = 1 << 12  # ways that are followed between looks at the clock and at Ctrl-C
    COMPARED = 64  # so many comparisons of ways are as much work
    MAX_SECONDS = 1000000000
    RETAINED_SHARE = 8  # a work space larger than this part of the limit is not kept for later
    RETAINED_SPACES = 4  # at most so many are kept: together half the limit

    # how a search ended
    FOUND = 0
    OUT_OF_NODES = 1
    OUT_OF_MEMORY = 2
    OUT_OF_TIME = 3
    INTERRUPTED = 4
    TOO_MUCH = 5

cdef struct Step:
    # One colour through one row.
    uint8_t to
    uint8_t jokers


cdef struct Vector:
    # Tiles of a row in groups, and the fewest jokers that complete them.
    uint8_t tiles[LANES]
    uint8_t jokers
    uint16_t wants  # COPIES bits for each colour, that of its tiles set


cdef struct Machine:
    # Depends on (colors, slots, jokers) alone.
    int colors
    int slots
    int jokers
    int states
    int bits  # of a state in a way
    uint32_t mask
    int8_t runs[MAX_STATES][3]
    uint32_t better[MAX_STATES]  # bit t: state t is at least as good
    uint8_t lengths[MAX_STATES]  # of all runs in sum: a state that is better has more
    int32_t first_step[KINDS * MAX_STATES * COPIES * (COPIES + 1)]  # by kind, state, copies, copies in groups
    uint8_t can[KINDS * MAX_STATES * COPIES]  # by kind, state, copies: bit g: there is a step with g tiles in groups
    Step steps[MAX_STEPS]
    int step_count
    int32_t first_vector[COUNTS + 1]
    uint16_t pure[COUNTS]  # bit j: j jokers and all these tiles make groups
    Vector *vectors


cdef struct Sets:
    # Sets one after the other: each a word of `pure` bits, then its ways in order.
    uint32_t *words
    int64_t room
    int64_t *end  # of each set; set i begins where set i - 1 ends
    int64_t *lost  # of each set: the least loss with which it was reached
    int64_t count_room
    int32_t count


cdef struct Scratch:
    # What one search needs beside its graph.
    uint8_t *least  # by way: fewest jokers, 255 is none
    uint32_t *touched
    uint32_t *sorted
    int32_t touched_count
    int32_t bucket[BUCKETS + 1]
    Sets now  # the sets of the row that is left
    Sets next  # and of the row that is made
    Sets between[2]  # one set each: rows that leave no choice
    int32_t *hash  # of the next row: indices of sets
    int64_t hash_size
    uint8_t *need  # [numbers + 1][LANES][MAX_STATES]: see `fill_need`
    int64_t *rest  # [numbers + 1][LANES][MAX_STATES]: see `set_prices`
    int64_t *past  # the same, of what comes before
    int64_t *share  # [numbers][LANES][COPIES]
    int64_t joker_price
    int64_t work  # ways noted so far
    int64_t tick  # work since the last look at the clock
    int64_t memory
    int64_t limit


cdef struct Choice:
    # Rack tiles of a row that are laid, and what then lies of the row in all.
    uint8_t laid[LANES]  # after all numbers: the jokers alone
    uint8_t tiles
    uint8_t counts
    int64_t lost  # what is not laid weighs so much


cdef struct Row:
    int number  # from 0
    int first_choice
    int choices
    int32_t first_node
    int32_t nodes
    int64_t first_edge  # of node i: from first_edge + (i - first_node) * choices on


cdef struct Graph:
    # Only rows of which the rack has tiles: what else lies there leaves no choice.
    int numbers
    int jokers_must
    int jokers_may
    uint8_t *must  # [numbers][LANES]
    uint8_t *may
    int tiles  # of the rack, jokers as well
    int width  # words of 64 bits that hold a bit for each number of tiles
    Choice *choice
    Row *row
    int rows  # the last one is after all numbers: its nodes are ends, its choices the jokers of the rack, most first
    int32_t nodes
    int32_t *edge  # to a node, or NO_SET
    int64_t edges
    int64_t edge_room
    uint64_t *reach  # [nodes][width]: bit t: t more tiles can be laid below this node
    int64_t memory
    int64_t limit
    int64_t *weight  # [numbers][LANES], times GRAIN
    int64_t mean  # of the tiles of the rack
    int64_t allowed  # moves that lose more than this are not looked for; times GRAIN
    int64_t node_limit
    int64_t work_limit
    int64_t deadline
    int status  # how the search ended, where it did not end well
    int64_t work
    PyObject *raised


# ---------------------------------------------------------------------------------------------------
# The automaton
# ---------------------------------------------------------------------------------------------------

cdef void machine_free(Machine *m) noexcept nogil:
    if m != NULL:
        free(m.vectors)
        free(m)


cdef bint beats(int8_t *a, int8_t *b) noexcept nogil:
    """Whether whatever follows runs `b` can follow runs `a`.

    Each run of b is in a as long or longer, and those of a that are left over are ripe. Runs of a in order of length
    stand against those of b: a ripe run stands for any, one of length 2 for one of length 1 as well.
    """
    cdef int need1 = b[0], need2 = b[1], ripe = a[2], over
    # a run of length 1 can only stand for one of length 1
    need1 -= a[0]
    if need1 < 0:
        return False
    # those of length 2 for lengths 2 and 1
    over = a[1] - need2
    if over > 0:
        need1 -= over
        if need1 < 0:
            return False
        need2 = 0
    else:
        need2 -= a[1]
    return need1 + need2 + b[2] <= ripe


cdef int state_of(Machine *m, int x1, int x2, int x3) noexcept nogil:
    cdef int s
    for s in range(m.states):
        if m.runs[s][0] == x1 and m.runs[s][1] == x2 and m.runs[s][2] == x3:
            return s
    return -1


cdef void fill_steps(Machine *m, int kind, int s, int n, int g) noexcept nogil:
    """Every step of a colour: n real tiles, g of them in groups.

    Runs of length 1 and 2 must go on, by real tiles first. What is left lengthens ripe runs, then starts new ones. A
    joker on a ripe run is only needed if the run goes on, so that run counts as one of length 2; a joker starts a run
    only where the numbers end; where jokers are in runs no tile of their kind is in a group.
    """
    cdef int x1 = m.runs[s][0], x2 = m.runs[s][1], x3 = m.runs[s][2]
    cdef int r = n - g, forced = x1 + x2, jr, filled, ripe, start, bridged, left, begun, to
    for jr in range(m.jokers + 1):
        if jr > 0 and g > 0:
            break
        filled = max(0, forced - r)
        if filled > jr:
            continue
        ripe = min(max(0, r - forced), x3)
        start = max(0, r - forced) - ripe
        left = jr - filled
        for bridged in range(min(left, x3 - ripe) + 1):
            begun = left - bridged
            if begun > 0 and kind != LAST_START:
                continue
            if start + begun + x1 + bridged + x2 + ripe > m.slots:
                continue
            if kind >= LAST_BUT_ONE and start + begun > 0:
                continue
            if kind == LAST and x1 + bridged > 0:
                continue
            to = state_of(m, start + begun, x1 + bridged, x2 + ripe)
            m.steps[m.step_count].to = to
            m.steps[m.step_count].jokers = jr
            m.step_count += 1


cdef int fewest_jokers(int colors, int total, int most, int more) noexcept nogil:
    """The fewest jokers, at least `more`, that complete tiles of one number to groups; -1 if there are none."""
    cdef int j, k
    if total == 0:
        return 0 if more == 0 else -1
    if colors < MIN_SET:
        return -1
    for j in range(more, MAX_JOKERS + 1):
        for k in range(most, (total + j) // MIN_SET + 1):
            if total + j <= colors * k:
                return j
    return -1


cdef bint fill_vectors(Machine *m) noexcept nogil:
    cdef int code, c, j, total, most, at = 0
    cdef int copies[LANES]
    cdef int tiles[LANES]
    cdef bint ends
    m.vectors = <Vector *>malloc(ALL_VECTORS * sizeof(Vector))
    if m.vectors == NULL:
        return False
    for code in range(COUNTS):
        m.first_vector[code] = at
        for c in range(LANES):
            copies[c] = (code >> (COPY_BITS * c)) & (COPIES - 1)
            tiles[c] = 0
        ends = False
        while not ends:
            total = tiles[0] + tiles[1] + tiles[2] + tiles[3]
            most = max(max(tiles[0], tiles[1]), max(tiles[2], tiles[3]))
            j = fewest_jokers(m.colors, total, most, 0)
            if 0 <= j <= m.jokers:
                for c in range(LANES):
                    m.vectors[at].tiles[c] = tiles[c]
                m.vectors[at].jokers = j
                m.vectors[at].wants = 0
                for c in range(LANES):
                    m.vectors[at].wants |= <uint16_t>(1 << (COPIES * c + tiles[c]))
                at += 1
            ends = True
            for c in range(LANES):
                if tiles[c] < copies[c]:
                    tiles[c] += 1
                    ends = False
                    break
                tiles[c] = 0
        total = copies[0] + copies[1] + copies[2] + copies[3]
        most = max(max(copies[0], copies[1]), max(copies[2], copies[3]))
        j = 0
        while True:
            j = fewest_jokers(m.colors, total, most, j)
            if j < 0 or j > m.jokers:
                break
            m.pure[code] |= <uint16_t>(1 << j)
            j += 1
    m.first_vector[COUNTS] = at
    return True


cdef Machine *machine_new(int colors, int slots, int jokers) noexcept nogil:
    cdef Machine *m = <Machine *>calloc(1, sizeof(Machine))
    cdef int x1, x2, x3, kind, s, t, n, g
    if m == NULL:
        return NULL
    m.colors = colors
    m.slots = slots
    m.jokers = jokers
    m.bits = NARROW_BITS if slots < MAX_SLOTS else WIDE_BITS
    m.mask = (<uint32_t>1 << m.bits) - 1
    for x1 in range(slots + 1):
        for x2 in range(slots + 1 - x1):
            for x3 in range(slots + 1 - x1 - x2):
                m.runs[m.states][0] = x1
                m.runs[m.states][1] = x2
                m.runs[m.states][2] = x3
                m.lengths[m.states] = x1 + 2 * x2 + 3 * x3
                m.states += 1
    for s in range(m.states):
        for t in range(m.states):
            if beats(m.runs[t], m.runs[s]):
                m.better[s] |= <uint32_t>1 << t
    for kind in range(KINDS):
        for s in range(m.states):
            for n in range(COPIES):
                for g in range(COPIES + 1):
                    m.first_step[((kind * MAX_STATES + s) * COPIES + n) * (COPIES + 1) + g] = m.step_count
                    if g <= n:
                        fill_steps(m, kind, s, n, g)
                        if m.step_count > steps_of(m, kind, s, n)[g]:
                            m.can[(kind * MAX_STATES + s) * COPIES + n] |= <uint8_t>(1 << g)
    if not fill_vectors(m):
        machine_free(m)
        return NULL
    return m


# ---------------------------------------------------------------------------------------------------
# Sets of ways
# ---------------------------------------------------------------------------------------------------

cdef void scratch_free(Scratch *w) noexcept nogil:
    cdef int i
    if w != NULL:
        free(w.least)
        free(w.touched)
        free(w.sorted)
        free(w.hash)
        free(w.need)
        free(w.rest)
        free(w.past)
        free(w.share)
        free(w.now.words)
        free(w.now.end)
        free(w.now.lost)
        free(w.next.words)
        free(w.next.end)
        free(w.next.lost)
        for i in range(2):
            free(w.between[i].words)
            free(w.between[i].end)
            free(w.between[i].lost)
        free(w)


cdef Scratch *scratch_new(int bits, int numbers, int64_t limit) noexcept nogil:
    """bits: of a state in a way."""
    cdef Scratch *w = <Scratch *>calloc(1, sizeof(Scratch))
    cdef int64_t ways = <int64_t>1 << (LANES * bits)
    if w == NULL:
        return NULL
    w.limit = limit
    w.hash_size = FIRST_HASH
    w.least = <uint8_t *>malloc(ways)
    w.touched = <uint32_t *>malloc(ways * sizeof(uint32_t))
    w.sorted = <uint32_t *>malloc(ways * sizeof(uint32_t))
    w.hash = <int32_t *>malloc(w.hash_size * sizeof(int32_t))
    w.need = <uint8_t *>malloc((numbers + 1) * LANES * MAX_STATES)
    w.rest = <int64_t *>malloc((numbers + 1) * LANES * MAX_STATES * sizeof(int64_t))
    w.past = <int64_t *>malloc((numbers + 1) * LANES * MAX_STATES * sizeof(int64_t))
    w.share = <int64_t *>malloc(numbers * LANES * COPIES * sizeof(int64_t))
    w.memory = sizeof(Scratch) + ways * (1 + 2 * sizeof(uint32_t)) + w.hash_size * sizeof(int32_t) + (
        (numbers + 1) * LANES * (MAX_STATES * (1 + 2 * sizeof(int64_t)) + COPIES * sizeof(int64_t)))
    if (w.least == NULL or w.touched == NULL or w.sorted == NULL or w.hash == NULL or w.need == NULL
            or w.rest == NULL or w.past == NULL or w.share == NULL):
        scratch_free(w)
        return NULL
    memset(w.least, 255, ways)
    return w


cdef bint grow(int64_t *memory, int64_t limit, void **what, int64_t old, int64_t new) noexcept nogil:
    """Make an array larger (sizes in bytes) within the limit."""
    cdef void *p
    if memory[0] + new - old > limit:
        return False
    p = realloc(what[0], new)
    if p == NULL:
        return False
    what[0] = p
    memory[0] += new - old
    return True


cdef uint64_t mixed(uint64_t x) noexcept nogil:
    x ^= x >> 32
    x *= <uint64_t>0x9E3779B97F4A7C15
    return x ^ (x >> 29)


cdef uint64_t words_hash(const uint32_t *w, int64_t n) noexcept nogil:
    cdef uint64_t h = <uint64_t>n
    cdef int64_t i
    for i in range(n):
        h = (h ^ w[i]) * <uint64_t>0x9E3779B97F4A7C15
        h ^= h >> 32
    return mixed(h)


cdef inline int64_t begin_of(const Sets *x, int32_t i) noexcept nogil:
    return x.end[i - 1] if i else 0


cdef int32_t intern(Scratch *w, int64_t n, int64_t lost) noexcept nogil:
    """The set whose n words stand after the last set of the next row: its index, new or not; STOP if memory is out."""
    cdef Sets *x = &w.next
    cdef int64_t begin = begin_of(x, x.count), mask = w.hash_size - 1, at, i
    cdef uint32_t *words = x.words + begin
    cdef int32_t s
    at = words_hash(words, n) & mask
    while w.hash[at] >= 0:
        s = w.hash[at]
        if x.end[s] - begin_of(x, s) == n and memcmp(x.words + begin_of(x, s), words, n * sizeof(uint32_t)) == 0:
            x.lost[s] = min(x.lost[s], lost)
            return s
        at = (at + 1) & mask
    if x.count == x.count_room:
        if not grow(&w.memory, w.limit, <void **>&x.lost, x.count_room * sizeof(int64_t),
                    (2 * x.count_room + FIRST_NODES) * sizeof(int64_t)):
            return STOP
        if not grow(&w.memory, w.limit, <void **>&x.end, x.count_room * sizeof(int64_t),
                    (2 * x.count_room + FIRST_NODES) * sizeof(int64_t)):
            return STOP
        x.count_room = 2 * x.count_room + FIRST_NODES
    s = x.count
    x.end[s] = begin + n
    x.lost[s] = lost
    x.count += 1
    w.hash[at] = s
    if 2 * x.count > w.hash_size:
        if not grow(&w.memory, w.limit, <void **>&w.hash, w.hash_size * sizeof(int32_t),
                    2 * w.hash_size * sizeof(int32_t)):
            return STOP
        w.hash_size *= 2
        mask = w.hash_size - 1
        memset(w.hash, 255, w.hash_size * sizeof(int32_t))
        for i in range(x.count):
            at = words_hash(x.words + begin_of(x, i), x.end[i] - begin_of(x, i)) & mask
            while w.hash[at] >= 0:
                at = (at + 1) & mask
            w.hash[at] = i
    return s


cdef inline void note(Scratch *w, uint32_t way, int jokers) noexcept nogil:
    if w.least[way] == 255:
        w.touched[w.touched_count] = way
        w.touched_count += 1
        w.least[way] = jokers
    elif jokers < w.least[way]:
        w.least[way] = jokers


cdef inline const int32_t *steps_of(const Machine *m, int kind, int s, int n) noexcept nogil:
    """Where the steps of a state begin, by tiles in groups; those with g tiles end where those with g + 1 begin."""
    return m.first_step + ((kind * MAX_STATES + s) * COPIES + n) * (COPIES + 1)


cdef void spread(const Machine *m, Scratch *w, uint32_t way, int jokers, int kind, int counts, bint begun,
                 const uint8_t *need, const int64_t *rest, int64_t allowed) noexcept nogil:
    """Note every way that follows one way through a row and can still be ended.

    begun: some run was made before. need, rest: of the states after the row, see `fill_need` and `set_prices`.
    allowed: what may still be lost after this row.
    """
    cdef int bits = m.bits
    cdef int j, j0, j1, j2, j3, n0, n1, n2, n3
    cdef int64_t l0, l1, l2, price = w.joker_price
    cdef int32_t i, i0, i1, i2, i3
    cdef uint32_t w0, w1, w2, w3
    cdef const int32_t *f0 = steps_of(m, kind, way & m.mask, counts & 3)
    cdef const int32_t *f1 = steps_of(m, kind, (way >> bits) & m.mask, (counts >> 2) & 3)
    cdef const int32_t *f2 = steps_of(m, kind, (way >> (2 * bits)) & m.mask, (counts >> 4) & 3)
    cdef const int32_t *f3 = steps_of(m, kind, way >> (3 * bits), counts >> 6)
    cdef const Vector *v
    cdef const uint8_t *can = m.can + kind * MAX_STATES * COPIES
    cdef uint16_t cannot = <uint16_t>(~(
        can[(way & m.mask) * COPIES + (counts & 3)]
        | can[((way >> bits) & m.mask) * COPIES + ((counts >> 2) & 3)] << COPIES
        | can[((way >> (2 * bits)) & m.mask) * COPIES + ((counts >> 4) & 3)] << (2 * COPIES)
        | can[(way >> (3 * bits)) * COPIES + (counts >> 6)] << (3 * COPIES)))
    for i in range(m.first_vector[counts], m.first_vector[counts + 1]):
        v = &m.vectors[i]
        j = m.jokers - jokers - v.jokers
        if j < 0 or v.wants & cannot:
            continue
        for i0 in range(f0[v.tiles[0]], f0[v.tiles[0] + 1]):
            w0 = m.steps[i0].to
            j0 = j - m.steps[i0].jokers
            n0 = UNIT * j0 - need[w0]
            l0 = allowed - rest[w0]
            if n0 < 0:
                continue
            for i1 in range(f1[v.tiles[1]], f1[v.tiles[1] + 1]):
                w1 = m.steps[i1].to
                j1 = j0 - m.steps[i1].jokers
                n1 = n0 - UNIT * m.steps[i1].jokers - need[MAX_STATES + w1]
                l1 = l0 - rest[MAX_STATES + w1]
                if n1 < 0:
                    continue
                w1 = w0 | w1 << bits
                for i2 in range(f2[v.tiles[2]], f2[v.tiles[2] + 1]):
                    w2 = m.steps[i2].to
                    j2 = j1 - m.steps[i2].jokers
                    n2 = n1 - UNIT * m.steps[i2].jokers - need[2 * MAX_STATES + w2]
                    l2 = l1 - rest[2 * MAX_STATES + w2]
                    if n2 < 0:
                        continue
                    w2 = w1 | w2 << (2 * bits)
                    for i3 in range(f3[v.tiles[3]], f3[v.tiles[3] + 1]):
                        w3 = m.steps[i3].to
                        j3 = j2 - m.steps[i3].jokers
                        n3 = n2 - UNIT * m.steps[i3].jokers - need[3 * MAX_STATES + w3]
                        if n3 < 0 or l2 + price * j3 < rest[3 * MAX_STATES + w3]:
                            continue
                        w3 = w2 | w3 << (3 * bits)
                        if begun or w3 != 0:
                            note(w, w3, m.jokers - j3)


cdef void sort_touched(const Machine *m, Scratch *w) noexcept nogil:
    """Put the ways noted in order: fewest jokers first, then longest runs. So none is better than an earlier one."""
    cdef int k, total = 0, here
    cdef int32_t i, at
    cdef uint32_t way
    if w.touched_count <= FEW:
        for i in range(w.touched_count):
            way = w.touched[i]
            k = bucket_of(m, w, way)
            at = i
            while at > 0 and w.bucket[at - 1] > k:
                w.bucket[at] = w.bucket[at - 1]
                w.sorted[at] = w.sorted[at - 1]
                at -= 1
            w.bucket[at] = k
            w.sorted[at] = way
        return
    memset(w.bucket, 0, sizeof(w.bucket))
    for i in range(w.touched_count):
        w.bucket[bucket_of(m, w, w.touched[i])] += 1
    for k in range(BUCKETS):
        here = w.bucket[k]
        w.bucket[k] = total
        total += here
    for i in range(w.touched_count):
        way = w.touched[i]
        k = bucket_of(m, w, way)
        w.sorted[w.bucket[k]] = way
        w.bucket[k] += 1


cdef inline int bucket_of(const Machine *m, const Scratch *w, uint32_t way) noexcept nogil:
    cdef int bits = m.bits
    cdef int lengths = m.lengths[way & m.mask] + m.lengths[(way >> bits) & m.mask] + (
        m.lengths[(way >> (2 * bits)) & m.mask] + m.lengths[way >> (3 * bits)])
    return w.least[way] * (MOST_LENGTHS + 1) + MOST_LENGTHS - lengths


cdef bint needless(const Machine *m, const Scratch *w, uint32_t way, const uint32_t *kept,
                   int64_t count) noexcept nogil:
    """Whether one of the ways that are kept (their jokers on top) does as well with no more jokers."""
    cdef int bits = m.bits
    cdef int64_t i
    cdef uint32_t other
    cdef uint32_t b0 = m.better[way & m.mask], b1 = m.better[(way >> bits) & m.mask]
    cdef uint32_t b2 = m.better[(way >> (2 * bits)) & m.mask], b3 = m.better[way >> (3 * bits)]
    for i in range(count):
        other = kept[i]
        if ((b0 >> (other & m.mask)) & (b1 >> ((other >> bits) & m.mask))
                & (b2 >> ((other >> (2 * bits)) & m.mask)) & (b3 >> ((other >> (3 * bits)) & m.mask)) & 1):
            return True
    return False


cdef void sort_words(uint32_t *w, int64_t n) noexcept nogil:
    """Shell's sort: sets are short."""
    cdef int64_t gap = 1, i, j
    cdef uint32_t x
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            x = w[i]
            j = i
            while j >= gap and w[j - gap] > x:
                w[j] = w[j - gap]
                j -= gap
            w[j] = x
        gap //= 3


cdef bint look_for_signals(Graph *g) noexcept nogil:
    """Run Python's signal handlers; True if one raised: the caller of the search raises it again."""
    with gil:
        try:
            PyErr_CheckSignals()
        except BaseException as error:
            Py_INCREF(error)
            g.raised = <PyObject *>error
    return g.raised != NULL


cdef bint poll(Scratch *w, Graph *g, int64_t work) noexcept nogil:
    """Count work; now and then look at the clock and at Ctrl-C. True if the search must end: see `g.status`."""
    w.tick += work
    if w.tick < POLL_EVERY:
        return False
    w.tick = 0
    if look_for_signals(g):
        g.status = INTERRUPTED
    elif g.deadline and solver_now_ns() > g.deadline:
        g.status = OUT_OF_TIME
    return g.status != FOUND


cdef int64_t follow(const Machine *m, Scratch *w, Graph *g, const uint32_t *words, int64_t length, int v,
                    int counts, int64_t allowed, Sets *out) noexcept nogil:
    """Write the set that follows a set through row v with these tiles after the last set of `out`.

    allowed: what may still be lost. Its number of words; 0 if nothing that follows can be arranged, STOP if the search
    ends here (see `g.status`).
    """
    cdef int64_t at = begin_of(out, out.count), room, i, n = 0
    cdef uint32_t pure = words[0], next_pure = 0, way
    cdef uint32_t *to
    cdef const uint8_t *need = w.need + (v + 1) * LANES * MAX_STATES
    cdef const int64_t *rest = w.rest + (v + 1) * LANES * MAX_STATES
    cdef int j, least = MAX_JOKERS + 1, kind = kind_of(m, g.numbers, v)
    cdef bint stop = False
    w.touched_count = 0
    if pure:
        for j in range(m.jokers + 1):
            if (m.pure[counts] >> j) & 1:
                next_pure |= pure << j
        next_pure &= (<uint32_t>2 << m.jokers) - 1
        spread(m, w, 0, low_bit(pure), kind, counts, False, need, rest, allowed)
    for i in range(1, length):
        spread(m, w, words[i] & WAY_MASK, words[i] >> JOKER_SHIFT, kind, counts, True, need, rest, allowed)
        if poll(w, g, 1):
            stop = True
            break
    if not stop and at + w.touched_count + 1 > out.room:
        room = 2 * out.room + FIRST_NODES + w.touched_count
        if not grow(&w.memory, w.limit, <void **>&out.words, out.room * sizeof(uint32_t), room * sizeof(uint32_t)):
            stop = True
            g.status = OUT_OF_MEMORY
        else:
            out.room = room
    if not stop:
        to = out.words + at
        sort_touched(m, w)
        for i in range(w.touched_count):
            way = w.sorted[i]
            if poll(w, g, n // COMPARED):
                stop = True
                break
            if not needless(m, w, way, to + 1, n):
                n += 1
                to[n] = way | <uint32_t>w.least[way] << JOKER_SHIFT
                # whoever has begun a run and can end all at once can do what groups alone can do
                if w.least[way] < least and finished(m, way):
                    least = w.least[way]
        if next_pure and (rest[0] + rest[MAX_STATES] + rest[2 * MAX_STATES] + rest[3 * MAX_STATES]
                          > allowed + w.joker_price * (m.jokers - low_bit(next_pure))):
            next_pure = 0
        to[0] = next_pure & ((<uint32_t>1 << least) - 1)
        sort_words(to + 1, n)
        n = 0 if n == 0 and to[0] == 0 else n + 1
    for i in range(w.touched_count):
        w.least[w.touched[i]] = 255
    w.work += w.touched_count + length
    return STOP if stop else n


cdef bint finished(const Machine *m, uint32_t way) noexcept nogil:
    """Whether every run is ripe."""
    cdef int c, s
    for c in range(LANES):
        s = (way >> (m.bits * c)) & m.mask
        if m.runs[s][0] + m.runs[s][1]:
            return False
    return True


cdef uint32_t accepted(const Machine *m, const uint32_t *words, int64_t length) noexcept nogil:
    """After the last row: bit j is set if j jokers, all in sets, make an arrangement."""
    cdef uint32_t out = words[0], all_bits = (<uint32_t>2 << m.jokers) - 1
    cdef int64_t i
    cdef int least = MAX_JOKERS + 1, j
    for j in range(MIN_SET, m.jokers + 1):
        out |= words[0] << j  # sets of jokers alone
    for i in range(1, length):
        least = min(least, <int>(words[i] >> JOKER_SHIFT))
    if least <= m.jokers:
        out |= all_bits ^ ((<uint32_t>1 << least) - 1)  # a run has room for all that are left
    return out & all_bits


# ---------------------------------------------------------------------------------------------------
# The graph of one position
# ---------------------------------------------------------------------------------------------------

cdef void graph_free(Graph *g) noexcept nogil:
    if g != NULL:
        free(g.must)
        free(g.choice)
        free(g.weight)
        free(g.row)
        free(g.edge)
        free(g.reach)
        free(g)


cdef Graph *graph_new(const uint8_t *packed, int numbers, const int64_t *weights, int64_t limit) noexcept nogil:
    """The rows and choices of packed counts (as `Sweep.solve` reads them), no nodes yet; NULL if memory is out.

    weights: of the tiles, or NULL: all the same.
    """
    cdef Graph *g = <Graph *>calloc(1, sizeof(Graph))
    cdef int cells = numbers * LANES, v, c, i, total, ways
    cdef int left[LANES]
    cdef Choice *choice
    cdef Row *row
    if g == NULL:
        return NULL
    g.numbers = numbers
    g.limit = limit
    g.must = <uint8_t *>malloc(2 * cells)
    g.row = <Row *>calloc(numbers + 1, sizeof(Row))
    # a row has a choice for each vector of tiles of the rack, and one joker more or less is one
    total = MAX_JOKERS + 1
    for v in range(numbers):
        ways = 1
        for c in range(LANES):
            ways *= packed[cells + v * LANES + c] + 1
        total += ways
    g.choice = <Choice *>malloc(total * sizeof(Choice))
    g.weight = <int64_t *>malloc(cells * sizeof(int64_t))
    if g.must == NULL or g.row == NULL or g.choice == NULL or g.weight == NULL:
        graph_free(g)
        return NULL
    for i in range(cells):
        g.weight[i] = GRAIN * (weights[i] if weights != NULL else 1)
        g.mean += packed[cells + i] * g.weight[i]
    memcpy(g.must, packed, 2 * cells)
    g.may = g.must + cells
    g.jokers_must = packed[2 * cells]
    g.jokers_may = packed[2 * cells + 1]
    g.tiles = g.jokers_may
    choice = g.choice
    for v in range(numbers):
        total = 0
        for c in range(LANES):
            left[c] = g.may[v * LANES + c]
            total += left[c]
        if total == 0:
            continue
        g.tiles += total
        row = &g.row[g.rows]
        g.rows += 1
        row.number = v
        row.first_choice = choice - g.choice
        while True:
            choice.tiles = 0
            choice.counts = 0
            choice.lost = 0
            for c in range(LANES):
                choice.lost += (g.may[v * LANES + c] - left[c]) * g.weight[v * LANES + c]
                choice.laid[c] = left[c]
                choice.tiles += left[c]
                choice.counts |= (g.must[v * LANES + c] + left[c]) << (COPY_BITS * c)
            choice += 1
            row.choices += 1
            c = LANES - 1
            while c >= 0 and left[c] == 0:
                left[c] = g.may[v * LANES + c]
                c -= 1
            if c < 0:
                break
            left[c] -= 1
    row = &g.row[g.rows]
    g.rows += 1
    row.number = numbers
    row.first_choice = choice - g.choice
    row.choices = g.jokers_may + 1
    for i in range(row.choices):
        memset(choice, 0, sizeof(Choice))
        choice.tiles = g.jokers_may - i
        choice.laid[0] = choice.tiles
        choice += 1
    if g.tiles > g.jokers_may:
        g.mean //= g.tiles - g.jokers_may
    g.width = g.tiles // 64 + 1
    g.memory = sizeof(Graph) + (choice - g.choice) * sizeof(Choice) + (numbers + 1) * sizeof(Row)
    return g


cdef int kind_of(const Machine *m, int numbers, int v) noexcept nogil:
    if v == numbers - 1:
        return LAST
    if v == numbers - 2:
        return LAST_BUT_ONE
    return LAST_START if v == numbers - 3 and m.jokers > 0 else MIDDLE


cdef void fill_need(const Machine *m, Scratch *w, const Graph *g) noexcept nogil:
    """The fewest jokers that one colour needs from each state on, whatever the rack lays of it, in parts of UNIT.

    need[v][c][s]: before row v. A bound: of the jokers of a group each colour in it is asked for an even share, and
    the tiles of other colours that the group wants need not be there for it alone. NEVER: it cannot end.
    """
    cdef int v, c, s, n, k, kind, most, gs, t, code, in_groups
    cdef int32_t i, j
    cdef uint8_t *own
    cdef const uint8_t *after
    cdef const int32_t *first
    cdef int share[LANES][COPIES]
    cdef const Vector *x
    memset(w.need + g.numbers * LANES * MAX_STATES, 0, LANES * MAX_STATES)
    for v in range(g.numbers - 1, -1, -1):
        kind = kind_of(m, g.numbers, v)
        code = 0
        for c in range(LANES):
            code |= (g.must[v * LANES + c] + g.may[v * LANES + c]) << (COPY_BITS * c)
            for n in range(COPIES):
                share[c][n] = NEVER if n else 0
        for i in range(m.first_vector[code], m.first_vector[code + 1]):
            x = &m.vectors[i]
            in_groups = 0
            for c in range(LANES):
                in_groups += x.tiles[c] > 0
            for c in range(LANES):
                if x.tiles[c]:
                    share[c][x.tiles[c]] = min(share[c][x.tiles[c]], UNIT * x.jokers // in_groups)
        for c in range(LANES):
            own = w.need + (v * LANES + c) * MAX_STATES
            after = w.need + ((v + 1) * LANES + c) * MAX_STATES
            most = g.must[v * LANES + c] + g.may[v * LANES + c]
            for s in range(m.states):
                k = NEVER
                for n in range(g.must[v * LANES + c], most + 1):
                    first = steps_of(m, kind, s, n)
                    for gs in range(n + 1):
                        for j in range(first[gs], first[gs + 1]):
                            t = UNIT * m.steps[j].jokers + share[c][gs] + after[m.steps[j].to]
                            k = min(k, t)
                own[s] = k


cdef int64_t least_cost(const Machine *m, Scratch *w, const Graph *g, int v, int c, int s, int in_groups,
                        int64_t *past) noexcept nogil:
    """The least that colour c costs from state s on through row v with so many tiles in groups, their share left out.

    past: if given, what each state after the row costs by then is lowered, the share not left out.
    """
    cdef int64_t best = NO_END, cost, loss, here, share = w.share[(v * LANES + c) * COPIES + in_groups]
    cdef int n, total = g.must[v * LANES + c] + g.may[v * LANES + c], kind = kind_of(m, g.numbers, v)
    cdef int32_t i
    cdef const int32_t *first
    cdef const int64_t *after = w.rest + ((v + 1) * LANES + c) * MAX_STATES
    here = w.past[(v * LANES + c) * MAX_STATES + s]
    for n in range(max(<int>g.must[v * LANES + c], in_groups), total + 1):
        first = steps_of(m, kind, s, n) + in_groups
        loss = (total - n) * g.weight[v * LANES + c]
        for i in range(first[0], first[1]):
            cost = loss + w.joker_price * m.steps[i].jokers
            if past != NULL:
                past[m.steps[i].to] = min(past[m.steps[i].to], here + cost + share)
            else:
                best = min(best, cost + after[m.steps[i].to])
    return best


cdef void fill_rest(const Machine *m, Scratch *w, const Graph *g, int v) noexcept nogil:
    """What each colour costs at least from each state before row v on."""
    cdef int c, s, k
    cdef int64_t best, cost
    for c in range(LANES):
        for s in range(m.states):
            best = NO_END
            for k in range(g.must[v * LANES + c] + g.may[v * LANES + c] + 1):
                if w.share[(v * LANES + c) * COPIES + k] < NO_END:
                    cost = least_cost(m, w, g, v, c, s, k, NULL)
                    if cost < NO_END:
                        best = min(best, cost + w.share[(v * LANES + c) * COPIES + k])
            w.rest[(v * LANES + c) * MAX_STATES + s] = best


cdef void fill_past(const Machine *m, Scratch *w, const Graph *g, int v) noexcept nogil:
    """What each state after row v costs at least by then."""
    cdef int c, s, k
    cdef int64_t *past
    for c in range(LANES):
        past = w.past + ((v + 1) * LANES + c) * MAX_STATES
        for s in range(m.states):
            past[s] = NO_END
        for s in range(m.states):
            if w.past[(v * LANES + c) * MAX_STATES + s] < NO_END:
                for k in range(g.must[v * LANES + c] + g.may[v * LANES + c] + 1):
                    if w.share[(v * LANES + c) * COPIES + k] < NO_END:
                        least_cost(m, w, g, v, c, s, k, past)


cdef void improve(const Machine *m, Scratch *w, const Graph *g, int v) noexcept nogil:
    """Give each group vector of a row what it costs with the best of all colours, evenly shared."""
    cdef int c, k, s, code = 0
    cdef int32_t i
    cdef int64_t through_it[LANES][COPIES]
    cdef int64_t best[LANES][COPIES]
    cdef int64_t cost
    cdef const Vector *x
    for c in range(LANES):
        code |= (g.must[v * LANES + c] + g.may[v * LANES + c]) << (COPY_BITS * c)
    if m.first_vector[code + 1] - m.first_vector[code] == 1:
        return  # no groups here
    for c in range(LANES):
        for k in range(COPIES):
            best[c][k] = NO_END
            through_it[c][k] = NO_END
            if k <= g.must[v * LANES + c] + g.may[v * LANES + c]:
                for s in range(m.states):
                    if w.past[(v * LANES + c) * MAX_STATES + s] < NO_END:
                        cost = least_cost(m, w, g, v, c, s, k, NULL)
                        if cost < NO_END:
                            through_it[c][k] = min(through_it[c][k], cost + w.past[(v * LANES + c) * MAX_STATES + s])
    for i in range(m.first_vector[code], m.first_vector[code + 1]):
        x = &m.vectors[i]
        cost = w.joker_price * x.jokers
        for c in range(LANES):
            if through_it[c][x.tiles[c]] == NO_END:
                break
            cost += through_it[c][x.tiles[c]]
        else:
            for c in range(LANES):
                best[c][x.tiles[c]] = min(best[c][x.tiles[c]], cost)
    for c in range(LANES):
        for k in range(COPIES):
            cost = best[c][k]
            if cost < NO_END:
                # rounded down, also where it is negative
                cost = (cost - ((cost % LANES) + LANES) % LANES) // LANES - through_it[c][k]
            w.share[(v * LANES + c) * COPIES + k] = cost


cdef void set_prices(const Machine *m, Scratch *w, const Graph *g) noexcept nogil:
    """Prices, and `rest`: what a colour costs at least from a state on, with the prices of what it has of groups.

    The shares of a group vector sum to no more than the price of its jokers, so with all jokers paid for, `rest` of
    the four colours less the price of all jokers is a bound of what is lost. Without a limit of the loss it is not
    needed, and is nothing.
    """
    cdef int v, c, k, s, code, in_groups
    cdef int32_t i
    cdef const Vector *x
    cdef int64_t *share
    memset(w.rest, 0, (g.numbers + 1) * LANES * MAX_STATES * sizeof(int64_t))
    w.joker_price = 0
    if g.allowed >= NO_LIMIT:
        return
    if m.jokers:
        w.joker_price = PRICE_TENTHS * g.mean // 10
    for c in range(LANES):
        for s in range(m.states):
            w.past[c * MAX_STATES + s] = NO_END if s else 0
    for v in range(g.numbers):
        code = 0
        for c in range(LANES):
            code |= (g.must[v * LANES + c] + g.may[v * LANES + c]) << (COPY_BITS * c)
            for k in range(COPIES):
                w.share[(v * LANES + c) * COPIES + k] = NO_END if k else 0
        for i in range(m.first_vector[code], m.first_vector[code + 1]):
            x = &m.vectors[i]
            in_groups = (x.tiles[0] > 0) + (x.tiles[1] > 0) + (x.tiles[2] > 0) + (x.tiles[3] > 0)
            for c in range(LANES):
                share = &w.share[(v * LANES + c) * COPIES + x.tiles[c]]
                if x.tiles[c]:
                    share[0] = min(share[0], w.joker_price * x.jokers // in_groups)
    for v in range(g.numbers - 1, -1, -1):
        fill_rest(m, w, g, v)
    for v in range(g.numbers):
        improve(m, w, g, v)
        fill_past(m, w, g, v)
    for v in range(g.numbers - 1, -1, -1):
        improve(m, w, g, v)
        fill_rest(m, w, g, v)


cdef int64_t through(const Machine *m, Scratch *w, Graph *g, const uint32_t *words, int64_t length, int v,
                     int counts, int end, int64_t allowed, Sets *out) noexcept nogil:
    """As `follow`, and on through the rows before `end`, none of which leaves a choice."""
    cdef int c
    cdef int64_t n
    cdef Sets *x = out if v + 1 == end else &w.between[0]
    n = follow(m, w, g, words, length, v, counts, allowed, x)
    while n > 0 and v + 1 < end:
        words = x.words + begin_of(x, x.count)
        v += 1
        counts = 0
        for c in range(LANES):
            counts |= g.must[v * LANES + c] << (COPY_BITS * c)
        x = out if v + 1 == end else &w.between[1] if x == &w.between[0] else &w.between[0]
        n = follow(m, w, g, words, n, v, counts, allowed, x)
    return n


cdef int explore(const Machine *m, Scratch *w, Graph *g) noexcept nogil:
    """Make all nodes and edges, and what can be reached from each node."""
    cdef int r, i, c, counts
    cdef int32_t k, s
    cdef int64_t e, n, lost
    cdef Row *row
    cdef Row *after
    cdef Choice *choice
    cdef Sets swap
    cdef uint32_t root = 1  # nothing laid, no joker used
    fill_need(m, w, g)
    set_prices(m, w, g)
    w.work = 0
    w.tick = 0
    g.status = FOUND
    g.nodes = 0
    g.edges = 0
    memset(w.hash, 255, w.hash_size * sizeof(int32_t))
    w.next.count = 0
    row = g.row
    counts = 0
    for c in range(LANES):
        counts |= g.must[c] << (COPY_BITS * c)
    if row.number > 0:
        n = through(m, w, g, &root, 1, 0, counts, row.number, g.allowed, &w.next)
    else:
        n = 1
        if w.next.room == 0:
            if not grow(&w.memory, w.limit, <void **>&w.next.words, 0, FIRST_NODES * sizeof(uint32_t)):
                return OUT_OF_MEMORY
            w.next.room = FIRST_NODES
        w.next.words[0] = root
    if n == STOP:
        return g.status
    if n > 0 and intern(w, n, 0) == STOP:
        return OUT_OF_MEMORY
    g.nodes = w.next.count
    row.nodes = g.nodes
    for r in range(g.rows - 1):
        row = &g.row[r]
        after = &g.row[r + 1]
        swap = w.now
        w.now = w.next
        w.next = swap
        w.next.count = 0
        memset(w.hash, 255, w.hash_size * sizeof(int32_t))
        after.first_node = g.nodes
        row.first_edge = g.edges
        e = g.edges + <int64_t>row.nodes * row.choices
        if e > g.edge_room:
            if not grow(&g.memory, g.limit, <void **>&g.edge, g.edge_room * sizeof(int32_t), 2 * e * sizeof(int32_t)):
                return OUT_OF_MEMORY
            g.edge_room = 2 * e
        for k in range(row.nodes):
            for i in range(row.choices):
                choice = &g.choice[row.first_choice + i]
                s = NO_SET
                n = 0
                lost = w.now.lost[k] + choice.lost
                if lost <= g.allowed:
                    n = begin_of(&w.now, k)
                    n = through(m, w, g, w.now.words + n, w.now.end[k] - n, row.number, choice.counts, after.number,
                                g.allowed - lost, &w.next)
                if n == STOP:
                    return g.status
                if n > 0:
                    s = intern(w, n, lost)
                    if s == STOP:
                        return OUT_OF_MEMORY
                    s += after.first_node
                g.edge[g.edges] = s
                g.edges += 1
            if g.node_limit and g.nodes + w.next.count > g.node_limit:
                return OUT_OF_NODES
            if g.work_limit and w.work > g.work_limit:
                return TOO_MUCH
        after.nodes = w.next.count
        g.nodes += after.nodes
    g.work = w.work
    return reach(m, w, g)


cdef int reach(const Machine *m, Scratch *w, Graph *g) noexcept nogil:
    """For every node the numbers of tiles that can still be laid below it; edges that lead nowhere are taken away."""
    cdef int r, i
    cdef int32_t at, to
    cdef uint32_t ends
    cdef Row *row
    cdef int64_t size = <int64_t>g.nodes * g.width * sizeof(uint64_t), e, begin
    cdef uint64_t *own
    if g.memory + size > g.limit:
        return OUT_OF_MEMORY
    free(g.reach)
    g.reach = <uint64_t *>calloc(<int64_t>g.nodes * g.width + 1, sizeof(uint64_t))
    if g.reach == NULL:
        return OUT_OF_MEMORY
    g.memory += size
    row = &g.row[g.rows - 1]
    for i in range(row.nodes):
        begin = begin_of(&w.next, i)
        ends = accepted(m, w.next.words + begin, w.next.end[i] - begin) >> g.jokers_must
        g.reach[<int64_t>(row.first_node + i) * g.width] = ends & ((<uint32_t>2 << g.jokers_may) - 1)
    for r in range(g.rows - 2, -1, -1):
        row = &g.row[r]
        e = row.first_edge
        for at in range(row.first_node, row.first_node + row.nodes):
            own = g.reach + <int64_t>at * g.width
            for i in range(row.choices):
                to = g.edge[e]
                if to >= 0:
                    if g.width == 1:
                        if g.reach[to] == 0:
                            g.edge[e] = NO_SET
                        own[0] |= g.reach[to] << g.choice[row.first_choice + i].tiles
                    elif not join(own, g.reach + <int64_t>to * g.width, g.width, g.choice[row.first_choice + i].tiles):
                        g.edge[e] = NO_SET
                e += 1
    return FOUND


cdef bint join(uint64_t *own, const uint64_t *other, int width, int by) noexcept nogil:
    """own |= other << by, 0 <= by < 64; whether other has a bit."""
    cdef int k
    cdef uint64_t carry = 0, x, any_bit = 0
    for k in range(width):
        x = other[k]
        any_bit |= x
        own[k] |= (x << by) | carry
        carry = x >> (64 - by) if by else 0
    return any_bit != 0


cdef bint has(const uint64_t *bits, int t) noexcept nogil:
    return (bits[t >> 6] >> (t & 63)) & 1


# ---------------------------------------------------------------------------------------------------
# The door
# ---------------------------------------------------------------------------------------------------

cdef enum:
    MACHINES = (MAX_SLOTS + 1) * (MAX_JOKERS + 1)


cdef class Space:
    """Owner of one work space."""

    cdef Scratch *scratch

    def __dealloc__(self):
        scratch_free(self.scratch)


cdef class Plays:
    """Finds all moves under one size of rules. One object serves many threads; searches release the interpreter's lock.

    colors: 1..4, numbers: 3..100, names: of the tiles, 4 for each number, then the joker's. memory: bytes that a
    search may take, and as many for the graph of one position. What is kept depends on the rules alone.
    """

    cdef Machine *machines[MACHINES]
    cdef readonly int colors
    cdef readonly int numbers
    cdef readonly int64_t memory
    cdef tuple names
    cdef tuple pool  # work spaces for ways with narrow and with wide states

    def __cinit__(self, int colors, int numbers, tuple names not None, int64_t memory):
        if not 1 <= colors <= LANES:
            raise UnsupportedRules(f"colors: moves are listed for 1 to {LANES}, not {colors}")
        if not MIN_SET <= numbers <= MAX_NUMBERS:
            raise UnsupportedRules(f"numbers: moves are listed for {MIN_SET} to {MAX_NUMBERS}, not {numbers}")
        if len(names) != numbers * LANES + 1:
            raise SolverError(f"names: must be {numbers * LANES + 1}, not {len(names)}")
        self.colors = colors
        self.numbers = numbers
        self.names = names
        self.memory = memory
        self.pool = ([], [])

    def __dealloc__(self):
        cdef int i
        for i in range(MACHINES):
            machine_free(self.machines[i])

    @property
    def memory_used(self):
        """Bytes held between searches."""
        cdef Space space
        cdef int64_t total = 0
        cdef int i
        for pool in self.pool:
            for space in list(pool):
                total += space.scratch.memory
        for i in range(MACHINES):
            if self.machines[i] != NULL:
                total += sizeof(Machine) + ALL_VECTORS * sizeof(Vector)
        return total

    cdef Machine *machine(self, int slots, int jokers) except NULL:
        cdef Machine **m = &self.machines[slots * (MAX_JOKERS + 1) + jokers]
        if m[0] == NULL:
            m[0] = machine_new(self.colors, slots, jokers)
            if m[0] == NULL:
                raise MemoryError
        return m[0]

    def fits(self, bytes packed not None):
        """Whether these counts, as `Sweep.solve` reads them, are within what can be listed.

        Raises SolverError for malformed counts.
        """
        cdef const uint8_t *p = <const uint8_t *>PyBytes_AS_STRING(packed)
        cdef int cells = self.numbers * LANES, i, most = 0, jokers
        if PyBytes_GET_SIZE(packed) != 2 * cells + 2:
            raise SolverError(f"packed: must hold {2 * cells + 2} bytes, not {PyBytes_GET_SIZE(packed)}")
        for i in range(cells):
            most = max(most, <int>p[i] + p[cells + i])
            if i % LANES >= self.colors and p[i] + p[cells + i]:
                raise SolverError(f"packed: a tile of colour {i % LANES + 1} of {self.colors}")
        jokers = p[2 * cells] + p[2 * cells + 1]
        return most <= MAX_SLOTS and jokers <= MAX_JOKERS and (jokers == 0 or self.numbers >= LEAST_NUMBERS)

    def of(self, bytes packed not None, *, weights=None, int64_t lose=-1, int64_t work=0, int64_t nodes=0,
           double seconds=0):
        """Everything that can be laid, as a Playable; None if it is more than `work` or the memory allow.

        packed: as `Sweep.solve` reads it. lose: moves that leave more than this in the rack may be missing; -1: none
        is missing. weights: of what is left there, an int64 array of 4 * numbers values >= 0, jokers weigh nothing; by
        default every tile weighs 1. work: of ways to arrange tiles that are looked at, 0 is no limit. nodes, seconds:
        limits, 0 is none; a node is a set that is reached after some row of which the rack has tiles.
        Raises SolverError for counts that do not fit, LimitReached when nodes or seconds are spent.
        """
        cdef const uint8_t *p = <const uint8_t *>PyBytes_AS_STRING(packed)
        cdef int cells = self.numbers * LANES, i, most = LEAST_SLOTS, status
        cdef int64_t total = 0
        cdef const int64_t[::1] view
        cdef const int64_t *given = NULL
        cdef Machine *m
        cdef Playable found
        if not self.fits(packed):
            raise SolverError("packed: more copies of a tile or more jokers than can be listed")
        for i in range(cells):
            most = max(most, <int>p[i] + p[cells + i])
        if weights is not None:
            view = weights
            if view.shape[0] != cells:
                raise SolverError(f"weights: must hold {cells} values, not {view.shape[0]}")
            for i in range(cells):
                if not 0 <= view[i] <= MAX_WEIGHT:
                    raise SolverError(f"weights: must be 0 to {MAX_WEIGHT}, not {view[i]}")
                total += view[i]
            if total > MAX_WEIGHT:
                raise SolverError(f"weights: must be at most {MAX_WEIGHT} in sum, not {total}")
            given = &view[0]
        m = self.machine(most, p[2 * cells] + p[2 * cells + 1])
        found = Playable.__new__(Playable)
        found.graph = graph_new(p, self.numbers, given, self.memory)
        if found.graph == NULL:
            raise MemoryError
        found.names = self.names
        found.graph.node_limit = nodes
        found.graph.work_limit = work
        found.graph.allowed = NO_LIMIT if lose < 0 else min(lose, MAX_WEIGHT) * GRAIN
        found.graph.deadline = solver_now_ns() + <int64_t>(min(seconds, MAX_SECONDS) * 1e9) if seconds > 0 else 0
        status = self.search(m, found.graph)
        if status == FOUND:
            found.prepare(self.colors)
            return found
        if status == TOO_MUCH or status == OUT_OF_MEMORY:
            return None
        if status == INTERRUPTED:
            raised = <object>found.graph.raised
            Py_DECREF(raised)
            raise raised
        if status == OUT_OF_NODES:
            raise LimitReached(f"nodes: no proof within {nodes}")
        raise LimitReached("seconds: no proof within the limit")

    cdef int search(self, const Machine *m, Graph *g) except -1:
        """`explore` with a work space of the pool, or a new one."""
        cdef list pool = self.pool[m.bits == WIDE_BITS]
        cdef Space space
        cdef bint used = False
        cdef int status
        while True:
            if pool and not used:
                space = pool.pop()
                used = True
            else:
                space = Space.__new__(Space)
                space.scratch = scratch_new(m.bits, self.numbers, self.memory)
                if space.scratch == NULL:
                    raise MemoryError
                used = False
            with nogil:
                status = explore(m, space.scratch, g)
            if space.scratch.memory <= self.memory // RETAINED_SHARE and len(pool) < RETAINED_SPACES:
                pool.append(space)
            # What a used work space kept of other positions must not decide whether this one fits.
            if not (used and status == OUT_OF_MEMORY):
                return status


cdef class Playable:
    """Every multiset of rack tiles that can be laid in one position, the empty one as well, none of them listed yet.

    nodes: of the graph that holds them.
    """

    cdef Graph *graph
    cdef tuple names
    # The kinds of tiles of the rack in the order of a move, jokers last: names, numbers, and where they are found.
    cdef int kinds
    cdef PyObject **called  # borrowed from `names`
    cdef int *number
    cdef int32_t *place  # [rows][LANES]: the kind

    def __dealloc__(self):
        graph_free(self.graph)
        free(self.called)
        free(self.number)
        free(self.place)

    cdef Graph *known(self) except NULL:
        if self.graph == NULL or self.place == NULL:
            raise SolverError("a Playable is made by Plays.of alone")
        return self.graph

    cdef int prepare(self, int colors) except -1:
        cdef Graph *g = self.graph
        cdef int c, r, v
        self.called = <PyObject **>malloc((g.numbers * LANES + 1) * sizeof(PyObject *))
        self.number = <int *>malloc((g.numbers * LANES + 1) * sizeof(int))
        self.place = <int32_t *>malloc(g.rows * LANES * sizeof(int32_t))
        if self.called == NULL or self.number == NULL or self.place == NULL:
            raise MemoryError
        for r in range(g.rows * LANES):
            self.place[r] = -1
        for c in range(colors):
            for r in range(g.rows - 1):
                v = g.row[r].number
                if g.may[v * LANES + c]:
                    self.place[r * LANES + c] = self.kinds
                    self.number[self.kinds] = v + 1
                    self.called[self.kinds] = <PyObject *>self.names[v * LANES + c]
                    self.kinds += 1
        self.place[(g.rows - 1) * LANES] = self.kinds
        self.number[self.kinds] = 0
        self.called[self.kinds] = <PyObject *>self.names[len(self.names) - 1]
        self.kinds += 1
        return 0

    cdef inline void lay(self, uint8_t *laid, int r, const Choice *choice) noexcept:
        """Put a choice of row r into the numbers of tiles laid, by kind."""
        cdef int c
        cdef int32_t place
        for c in range(LANES):
            place = self.place[r * LANES + c]
            if place >= 0:
                laid[place] = choice.laid[c]

    cdef tuple tiles(self, const uint8_t *laid, int64_t *value):
        """The tiles laid, in order, by their numbers; value: the sum of what is on them."""
        cdef uint8_t[MAX_NUMBERS * LANES + 1] numbers
        cdef int i, k, total = 0
        cdef Py_ssize_t at = 0
        cdef tuple out
        # A new tuple may start the garbage collector, and what that calls may ask for the next move.
        memcpy(numbers, laid, self.kinds)
        for i in range(self.kinds):
            total += numbers[i]
        out = PyTuple_New(total)
        value[0] = 0
        for i in range(self.kinds):
            k = numbers[i]
            value[0] += k * self.number[i]
            while k:
                Py_INCREF(<object>self.called[i])
                PyTuple_SET_ITEM(out, at, <object>self.called[i])
                at += 1
                k -= 1
        PyObject_GC_UnTrack(<PyObject *>out)  # holds texts alone, so it is in no cycle; lists may be long
        return out

    @property
    def nodes(self):
        return self.known().nodes

    @property
    def work(self):
        """Ways to arrange tiles that were looked at."""
        return self.known().work

    @property
    def memory_used(self):
        """Bytes that the graph takes."""
        return self.known().memory

    def count(self):
        """How many moves there are; laying nothing is none."""
        cdef Graph *g = self.known()
        cdef int width, r, i, _i, k
        cdef int32_t at, to
        cdef int64_t e
        cdef uint64_t *ways
        cdef uint64_t *own
        cdef Row *row
        # There are at most COPIES choices for a kind of tile, and one for each joker and none.
        width = (JOKER_BITS + COPY_BITS * self.kinds) // 64 + 1
        if g.nodes == 0:
            return 0
        ways = <uint64_t *>calloc(<int64_t>g.nodes * width, sizeof(uint64_t))
        if ways == NULL:
            raise MemoryError
        with nogil:
            row = &g.row[g.rows - 1]
            for at in range(row.first_node, row.first_node + row.nodes):
                for i in range(g.jokers_may + 1):
                    ways[<int64_t>at * width] += has(g.reach + <int64_t>at * g.width, i)
            for r in range(g.rows - 2, -1, -1):
                row = &g.row[r]
                e = row.first_edge
                for at in range(row.first_node, row.first_node + row.nodes):
                    own = ways + <int64_t>at * width
                    for _i in range(row.choices):
                        to = g.edge[e]
                        e += 1
                        if to >= 0:
                            add(own, ways + <int64_t>to * width, width)
        total = 0
        for k in range(width - 1, -1, -1):
            total = (total << 64) + int(ways[k])
        free(ways)
        return total - (1 if has(g.reach, 0) else 0)

    def listed(self, int most=-1, int least=1):
        """An iterator over the moves of `most` (-1: all) down to `least` tiles as tuples of tiles: most tiles first.

        With `least` 0 laying nothing is a move as well.

        Equal numbers of tiles in a fixed order: at the first number and colour (number by number) of which two lay
        differently many, who lays more comes first.
        """
        return Listing(self, most, least)

    def made(self, type cls not None, dict shared not None, int most=-1, int least=1):
        """The same as objects, made without a call: their slots `tiles`, `value` and those of `shared` are filled.

        The garbage collector does not look at them, so nothing of `shared` may refer to them.
        """
        return Listing(self, most, least, cls, shared)

    def ranked(self, weights not None, int64_t joker, least=None, *, bint empty=False):
        """An iterator over the moves worth at least `least` (None: all) as tuples of tiles, the most worth first.

        Those of equal worth come in the order of `listed`. weights: an int64 array of 4 * numbers values.
        joker: worth of a joker. empty: laying nothing is a move as well.
        """
        return Ranking(self, weights, joker, NO_WORTH if least is None else max(least, NO_WORTH), empty)


cdef void add(uint64_t *own, const uint64_t *other, int width) noexcept nogil:
    cdef int k
    cdef uint64_t carry = 0, x
    for k in range(width):
        x = own[k] + carry
        carry = x < carry
        x += other[k]
        carry += x < other[k]
        own[k] = x


cdef object slot_of(type cls, str name):
    """The descriptor of a name of `__slots__`."""
    slot = getattr(cls, name, None)
    if not isinstance(slot, MemberDescriptorType):
        raise SolverError(f"{name}: must be one of the slots of {cls.__name__}")
    return slot


cdef inline int put(object slot, object made, object value) except -1:
    """Set an attribute by its slot: no look-up of its name, and no `__setattr__` that may forbid it."""
    return (<PyObject *>slot).ob_type.tp_descr_set(slot, made, value)


cdef class Listing:
    """An iterator over all moves, most tiles first: a walk down the graph for each number of tiles."""

    cdef Playable source
    cdef type cls
    cdef object tiles_slot
    cdef object value_slot
    cdef list shared  # (slot, value)
    cdef int target  # tiles of the moves that are listed now
    cdef int least
    cdef int depth  # row; -1: begin with the next target
    cdef int32_t *node
    cdef int32_t *choice
    cdef int32_t *left
    cdef uint8_t *laid  # of each kind of tile
    cdef uint32_t listed

    def __cinit__(self, Playable source not None, int most, int least, type cls=None, dict shared=None):
        cdef int rows = source.known().rows
        self.source = source
        self.cls = cls
        if cls is not None:
            self.tiles_slot = slot_of(cls, "tiles")
            self.value_slot = slot_of(cls, "value")
            self.shared = [(slot_of(cls, name), value) for name, value in shared.items()]
        self.target = 1 + (source.graph.tiles if most < 0 else min(most, source.graph.tiles))
        self.least = max(0, least)
        self.depth = -1
        self.node = <int32_t *>malloc(3 * rows * sizeof(int32_t))
        self.laid = <uint8_t *>calloc(source.kinds, 1)
        if self.node == NULL or self.laid == NULL:
            raise MemoryError
        self.choice = self.node + rows
        self.left = self.choice + rows

    def __dealloc__(self):
        free(self.node)
        free(self.laid)

    def __iter__(self):
        return self

    def __next__(self):
        cdef int64_t value = 0
        cdef tuple tiles
        cdef object made
        # What is written in C, such as `list`, asks for all of them without a look at Ctrl-C.
        self.listed += 1
        if self.listed % POLL_EVERY == 0:
            PyErr_CheckSignals()
        if not self.advance():
            raise StopIteration
        tiles = self.source.tiles(self.laid, &value)
        if self.cls is None:
            return tiles
        made = PyType_GenericNew(self.cls, NULL, NULL)
        put(self.tiles_slot, made, tiles)
        put(self.value_slot, made, value)
        for slot, shared in self.shared:
            put(slot, made, shared)
        PyObject_GC_UnTrack(<PyObject *>made)
        return made

    cdef bint advance(self) noexcept:
        """Go on to the next move; False if there is none."""
        cdef Graph *g = self.source.graph
        cdef Row *row
        cdef const int32_t *edge
        cdef const Choice *choices
        cdef int d = self.depth, last = g.rows - 1, c, left
        cdef int32_t to
        if g.nodes == 0:
            return False
        while True:
            if d < 0:
                self.target -= 1
                while self.target >= self.least and not has(g.reach, self.target):
                    self.target -= 1
                if self.target < self.least:
                    self.target = self.least
                    self.depth = -1
                    return False
                d = 0
                self.node[0] = 0
                self.choice[0] = -1
                self.left[0] = self.target
            row = &g.row[d]
            left = self.left[d]
            if d == last:
                if self.choice[d] < 0:
                    # what is left are jokers, and they can be laid: else this node was not entered
                    self.choice[d] = g.jokers_may - left
                    self.laid[self.source.kinds - 1] = left
                    self.depth = d
                    return True
                d -= 1
                continue
            edge = g.edge + row.first_edge + <int64_t>(self.node[d] - row.first_node) * row.choices
            choices = g.choice + row.first_choice
            c = self.choice[d] + 1
            while c < row.choices:
                to = edge[c]
                if to >= 0 and choices[c].tiles <= left and has(g.reach + <int64_t>to * g.width,
                                                                left - choices[c].tiles):
                    break
                c += 1
            else:
                d -= 1
                continue
            self.choice[d] = c
            self.source.lay(self.laid, d, &choices[c])
            self.left[d + 1] = left - choices[c].tiles
            self.node[d + 1] = to
            self.choice[d + 1] = -1
            d += 1


cdef struct Branch:
    # A move that is not yet looked at: as another one up to some row, there another choice, then the best.
    int64_t worth
    int32_t parent
    int32_t depth
    int32_t choice


cdef class Ranking:
    """An iterator over all moves, best first.

    Below every node the most that can be had is known, so each move found tells what all others beside it are worth.
    """

    cdef Playable source
    cdef int64_t *best  # of each node: the most that can be had below it
    cdef int64_t *worth  # of each choice
    cdef int64_t least
    cdef bint empty
    cdef Branch *heap
    cdef int64_t heap_count
    cdef int64_t heap_room
    cdef int32_t *found  # of each move that was handed out: a choice for each row
    cdef int64_t found_count
    cdef int64_t found_room
    cdef uint8_t *laid  # of each kind of tile

    def __cinit__(self, Playable source not None, weights not None, int64_t joker, int64_t least, bint empty):
        cdef Graph *g = source.known()
        cdef const int64_t[::1] view = weights
        cdef Row *row = &g.row[g.rows - 1]
        cdef int i, c, r
        cdef int32_t at, to
        cdef int64_t e
        if view.shape[0] != g.numbers * LANES:
            raise SolverError(f"weights: must hold {g.numbers * LANES} values, not {view.shape[0]}")
        self.source = source
        self.least = least
        self.empty = empty
        self.best = <int64_t *>malloc((g.nodes + 1) * sizeof(int64_t))
        self.worth = <int64_t *>malloc((row.first_choice + row.choices) * sizeof(int64_t))
        self.laid = <uint8_t *>calloc(source.kinds, 1)
        if self.best == NULL or self.worth == NULL or self.laid == NULL:
            raise MemoryError
        for i in range(row.choices):
            self.worth[row.first_choice + i] = (g.jokers_may - i) * joker
        for r in range(g.rows - 1):
            for i in range(g.row[r].first_choice, g.row[r].first_choice + g.row[r].choices):
                self.worth[i] = 0
                for c in range(LANES):
                    self.worth[i] += g.choice[i].laid[c] * view[g.row[r].number * LANES + c]
        for at in range(row.first_node, row.first_node + row.nodes):
            self.best[at] = NO_WORTH
            for i in range(row.choices):
                if has(g.reach + <int64_t>at * g.width, g.jokers_may - i):
                    self.best[at] = max(self.best[at], self.worth[row.first_choice + i])
        for r in range(g.rows - 2, -1, -1):
            row = &g.row[r]
            e = row.first_edge
            for at in range(row.first_node, row.first_node + row.nodes):
                self.best[at] = NO_WORTH
                for i in range(row.choices):
                    to = g.edge[e]
                    e += 1
                    if to >= 0:
                        self.best[at] = max(self.best[at], self.worth[row.first_choice + i] + self.best[to])
        if g.nodes and has_any(g.reach, g.width):
            self.push(self.best[0], -1, -1, 0)

    def __dealloc__(self):
        free(self.best)
        free(self.worth)
        free(self.heap)
        free(self.found)
        free(self.laid)

    def __iter__(self):
        return self

    def __next__(self):
        cdef Graph *g = self.source.graph
        cdef int64_t value
        cdef int32_t *path
        cdef int r, total
        if (self.found_count + 1) % POLL_EVERY == 0:
            PyErr_CheckSignals()
        while self.heap_count and self.heap[0].worth >= self.least:
            self.take()
            path = self.found + (self.found_count - 1) * g.rows
            total = 0
            for r in range(g.rows):
                self.source.lay(self.laid, r, &g.choice[g.row[r].first_choice + path[r]])
                total += g.choice[g.row[r].first_choice + path[r]].tiles
            if total or self.empty:
                return self.source.tiles(self.laid, &value)
        raise StopIteration

    cdef int push(self, int64_t worth, int32_t parent, int32_t depth, int32_t choice) except -1:
        cdef int64_t at = self.heap_count, up
        cdef Branch b
        cdef void *p
        b.worth = worth
        b.parent = parent
        b.depth = depth
        b.choice = choice
        if at == self.heap_room:
            p = realloc(self.heap, (2 * at + FIRST_NODES) * sizeof(Branch))
            if p == NULL:
                raise MemoryError
            self.heap = <Branch *>p
            self.heap_room = 2 * at + FIRST_NODES
        self.heap_count += 1
        while at:
            up = (at - 1) // 2
            if not self.before(&b, &self.heap[up]):
                break
            self.heap[at] = self.heap[up]
            at = up
        self.heap[at] = b
        return 0

    cdef Branch pop(self) noexcept:
        cdef Branch top = self.heap[0]
        cdef Branch b
        cdef int64_t at = 0, below, n
        self.heap_count -= 1
        n = self.heap_count
        b = self.heap[n]
        while True:
            below = 2 * at + 1
            if below >= n:
                break
            if below + 1 < n and self.before(&self.heap[below + 1], &self.heap[below]):
                below += 1
            if not self.before(&self.heap[below], &b):
                break
            self.heap[at] = self.heap[below]
            at = below
        self.heap[at] = b
        return top

    cdef bint before(self, const Branch *a, const Branch *b) noexcept:
        """Which branch comes first. No move is in two of them, so their choices tell them apart."""
        cdef const int32_t *x
        cdef const int32_t *y
        cdef int r, depth, rows = self.source.graph.rows
        if a.worth != b.worth:
            return a.worth > b.worth
        x = self.found + <int64_t>a.parent * rows
        y = self.found + <int64_t>b.parent * rows
        depth = min(a.depth, b.depth)
        for r in range(depth):
            if x[r] != y[r]:
                return x[r] < y[r]
        return (a.choice if a.depth == depth else x[depth]) < (b.choice if b.depth == depth else y[depth])

    cdef int take(self) except -1:
        """Hand out the best branch as a move, and make the branches beside it."""
        cdef Graph *g = self.source.graph
        cdef Branch b = self.pop()
        cdef Row *row
        cdef int32_t *path
        cdef int32_t at = 0
        cdef int r, i, chosen, rows = g.rows
        cdef int64_t so_far = 0, worth
        cdef const int32_t *edge = NULL
        cdef void *p
        if self.found_count == self.found_room:
            p = realloc(self.found, (2 * self.found_room + FIRST_NODES) * rows * sizeof(int32_t))
            if p == NULL:
                raise MemoryError
            self.found = <int32_t *>p
            self.found_room = 2 * self.found_room + FIRST_NODES
        path = self.found + self.found_count * rows
        if b.parent >= 0:
            memcpy(path, self.found + <int64_t>b.parent * rows, rows * sizeof(int32_t))
        for r in range(rows):
            row = &g.row[r]
            if r < rows - 1:
                edge = g.edge + row.first_edge + <int64_t>(at - row.first_node) * row.choices
            chosen = path[r]
            if r == b.depth:
                chosen = b.choice
            if r > b.depth:
                chosen = -1
                for i in range(row.choices):
                    if r == rows - 1:
                        if not has(g.reach + <int64_t>at * g.width, g.jokers_may - i):
                            continue
                        worth = self.worth[row.first_choice + i]
                    else:
                        if edge[i] < 0:
                            continue
                        worth = self.worth[row.first_choice + i] + self.best[edge[i]]
                    if chosen < 0 and worth == self.best[at]:
                        chosen = i
                    else:
                        self.push(so_far + worth, self.found_count, r, i)
            path[r] = chosen
            so_far += self.worth[row.first_choice + chosen]
            if r < rows - 1:
                at = edge[chosen]
        self.found_count += 1
        return 0


cdef bint has_any(const uint64_t *bits, int width) noexcept nogil:
    cdef int k
    for k in range(width):
        if bits[k]:
            return True
    return False
