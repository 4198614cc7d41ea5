"""Sets of ways: all that can be known of an arrangement after a row, without what another way makes needless.

A *way* is the open runs of each colour and the jokers used. A set is a word of `pure` bits (numbers of jokers that
groups alone can have used up) and then its ways in order, so that equal sets are equal words.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memset

from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF

from .automaton cimport COPIES, MAX_STATES, Machine, Vector, steps_of
from .lanes cimport LANES, MAX_JOKERS, MIN_SET, solver_now_ns

cdef extern from *:
    """
    #define low_bit(x) __builtin_ctzll(x)
    """
    int low_bit(uint64_t) noexcept nogil

cdef enum:
    FEW = 24  # so many ways are sorted by insertion, more by buckets
    JOKER_SHIFT = 20  # a way: the states of the four colours, then its jokers
    WAY_MASK = (1 << JOKER_SHIFT) - 1
    FIRST_HASH = 1 << 8
    POLL_EVERY = 1 << 12  # ways that are followed between looks at the clock and at Ctrl-C
    COMPARED = 64  # so many comparisons of ways are as much work


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


cdef inline int bucket_of(const Machine *m, const Scratch *w, uint32_t way) noexcept nogil:
    cdef int bits = m.bits
    cdef int lengths = m.lengths[way & m.mask] + m.lengths[(way >> bits) & m.mask] + (
        m.lengths[(way >> (2 * bits)) & m.mask] + m.lengths[way >> (3 * bits)])
    return w.least[way] * (MOST_LENGTHS + 1) + MOST_LENGTHS - lengths


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


cdef bint look_for_signals(Watch *watch) noexcept nogil:
    """Run Python's signal handlers and what is called; True if one raised: the caller of the search raises it again."""
    with gil:
        try:
            PyErr_CheckSignals()
            if watch.called != NULL:
                (<object>watch.called)()
        except BaseException as error:
            Py_INCREF(error)
            watch.raised = <PyObject *>error
    return watch.raised != NULL


cdef bint poll(Watch *watch, int64_t work) noexcept nogil:
    """Count work; now and then look at the clock and at Ctrl-C. True if the search must end: see `status`."""
    watch.tick += work
    if watch.tick < POLL_EVERY:
        return False
    watch.tick = 0
    if look_for_signals(watch):
        watch.status = INTERRUPTED
    elif watch.deadline and solver_now_ns() > watch.deadline:
        watch.status = OUT_OF_TIME
    return watch.status != FOUND


cdef bint finished(const Machine *m, uint32_t way) noexcept nogil:
    """Whether every run is ripe."""
    cdef int c, s
    for c in range(LANES):
        s = (way >> (m.bits * c)) & m.mask
        if m.runs[s][0] + m.runs[s][1]:
            return False
    return True


cdef int64_t follow(const Machine *m, Scratch *w, Watch *watch, const uint32_t *words, int64_t length, int v,
                    int kind, int counts, int64_t allowed, Sets *out) noexcept nogil:
    """Write the set that follows a set through row v with these tiles after the last set of `out`.

    allowed: what may still be lost. Its number of words; 0 if nothing that follows can be arranged, STOP if the search
    ends here (see `status`).
    """
    cdef int64_t at = begin_of(out, out.count), room, i, n = 0
    cdef uint32_t pure = words[0], next_pure = 0, way
    cdef uint32_t *to
    cdef const uint8_t *need = w.need + (v + 1) * LANES * MAX_STATES
    cdef const int64_t *rest = w.rest + (v + 1) * LANES * MAX_STATES
    cdef int j, least = MAX_JOKERS + 1
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
        if poll(watch, 1):
            stop = True
            break
    if not stop and at + w.touched_count + 1 > out.room:
        room = 2 * out.room + FIRST_NODES + w.touched_count
        if not grow(&w.memory, w.limit, <void **>&out.words, out.room * sizeof(uint32_t), room * sizeof(uint32_t)):
            stop = True
            watch.status = OUT_OF_MEMORY
        else:
            out.room = room
    if not stop:
        to = out.words + at
        sort_touched(m, w)
        for i in range(w.touched_count):
            way = w.sorted[i]
            if poll(watch, n // COMPARED):
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
