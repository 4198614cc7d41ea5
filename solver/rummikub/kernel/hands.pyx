"""Hands that can be laid completely, counted by a deterministic automaton over the numbers.

After number v all that matters of a colour is how many open runs have length 1, 2 and 3 or more; what a row (how many
tiles of each colour at the next number) can lead to is a set of such vectors, each with the number of jokers laid so
far. Those sets are the states of the automaton; hands are its words, and counting words is adding polynomials in the
number of tiles. docs/rummikub-hands.md has the
arguments.
"""

from libc.stdlib cimport calloc, free, malloc, realloc, qsort
from libc.string cimport memcmp, memcpy, memset

from ...errors import LimitReached

ctypedef unsigned long long u64
ctypedef unsigned int u32

cdef extern from *:
    """
    typedef unsigned __int128 wide_hands;
    """
    ctypedef u64 wide "wide_hands"
    int PyErr_CheckSignals()

cdef enum:
    COLORS = 4
    MIN_SET = 3
    MIN_GROUP = 3
    COLOR_BITS = 12       # of a colour's state in a vector; the jokers laid stand above the four colours
    COLOR_MASK = 0xFFF
    JOKER_SHIFT = 48
    MAX_ROWS = 256        # 0 to 3 copies of each of 4 colours
    MAX_COUNT = 12        # 1 + tiles of a colour in one row with jokers: 3 + 8
    POLL = 0xFFFF         # steps between two looks at Ctrl-C
    FIRST = 1 << 12
    NONE = 0xFFFFFFFF

cdef enum Stop:
    RUNNING = 0
    MEMORY = 1
    SIGNAL = 2

# Words of length one from a state: `many` rows with `tiles` tiles lead to the state `target`, in `physical` ways when
# copies are told apart.
ctypedef struct Edge:
    u32 target
    int tiles
    u32 many
    u32 physical

ctypedef struct State:
    u64 start           # of its vectors in the pool
    int size
    int known           # edges of rows with fewer tiles than this are there
    int edges
    int room
    Edge *edge
    int needs           # rows until a hand may end

ctypedef struct Row:
    int count[COLORS]
    int tiles
    u32 physical

ctypedef struct Work:
    int colors
    int copies
    int jokers
    int groups
    int runs
    # states of one colour: open runs of length 1, 2, 3+
    int shapes
    int *one
    int *two
    int *three
    int *after          # [shape * MAX_COUNT + tiles laid to runs]: the next shape, -1 if it cannot be
    char *covers        # [a * shapes + b]: a is at least as good as b
    Row rows[MAX_ROWS]
    int row_count
    # states of the automaton
    State *states
    u32 count
    u32 room
    u64 *pool
    u64 pool_used
    u64 pool_room
    u32 *slots
    u64 slot_count
    # vectors of the state under construction
    u64 *vectors
    int built
    int built_room
    u64 *scratch
    u64 *best
    size_t held
    size_t memory
    u64 work
    int stop


cdef int claim(Work *w, size_t more) noexcept nogil:
    if w.held + more > w.memory:
        w.stop = MEMORY
        return 0
    w.held += more
    return 1


cdef int keep_going(Work *w) noexcept nogil:
    w.work += 1
    if w.work & POLL == 0:
        with gil:
            if not w.stop and PyErr_CheckSignals():
                w.stop = SIGNAL
    return w.stop == RUNNING


cdef int by_value(const void *a, const void *b) noexcept nogil:
    cdef u64 x = (<u64 *>a)[0], y = (<u64 *>b)[0]
    return (x > y) - (x < y)


# --- vectors ----------------------------------------------------------------------------------------------------------

cdef inline int as_good(Work *w, u64 a, u64 b) noexcept nogil:
    """Whether every end of a hand that suits vector b suits a: the same jokers, and each colour at least as good."""
    cdef int c, mine, other
    if a >> JOKER_SHIFT != b >> JOKER_SHIFT:
        return 0
    for c in range(w.colors):
        mine = <int>(a >> (c * COLOR_BITS) & COLOR_MASK)
        other = <int>(b >> (c * COLOR_BITS) & COLOR_MASK)
        if not w.covers[mine * w.shapes + other]:
            return 0
    return 1


cdef void put(Work *w, u64 vector) noexcept nogil:
    """Add a vector to the state under construction unless one there is as good; drop those that it makes useless."""
    cdef int i, kept = 0
    cdef u64 *grown
    for i in range(w.built):
        if as_good(w, w.vectors[i], vector):
            return
    for i in range(w.built):
        if not as_good(w, vector, w.vectors[i]):
            w.vectors[kept] = w.vectors[i]
            kept += 1
    w.built = kept
    if w.built == w.built_room:
        if not claim(w, 3 * <size_t>w.built_room * sizeof(u64)):
            return
        w.built_room *= 2
        grown = <u64 *>realloc(w.vectors, <size_t>w.built_room * sizeof(u64))
        if grown != NULL:
            w.vectors = grown
            grown = <u64 *>realloc(w.scratch, <size_t>w.built_room * sizeof(u64))
        if grown != NULL:
            w.scratch = grown
            grown = <u64 *>realloc(w.best, <size_t>w.built_room * sizeof(u64))
        if grown == NULL:
            w.stop = MEMORY
            return
        w.best = grown
    w.vectors[w.built] = vector
    w.built += 1


cdef int group_jokers(Work *w, int tallest, int tiles, int jokers) noexcept nogil:
    """Whether group tiles (`tallest` of one colour at most) and jokers of a row split into groups.

    k groups can be dealt colour by colour in turn, so all that is needed is 3k to colors * k tiles and no colour in
    more than k.
    """
    cdef int k, total = tiles + jokers
    for k in range(tallest, total // MIN_GROUP + 1):
        if total <= k * w.colors:
            return 1
    return total == 0


cdef void follow(Work *w, Row *row, u64 vector, int c, int tallest, int group_tiles, int jokers,
                 u64 next) noexcept nogil:
    """Every vector that can follow: choose, from colour c on, what of the row goes to runs; then the groups."""
    cdef int shape, to_runs, used, after, in_group, limit
    if w.stop or not keep_going(w):
        return
    if c >= min(w.colors, COLORS):
        for used in range(w.jokers - jokers + 1):
            if (w.groups or group_tiles + used == 0) and group_jokers(w, tallest, group_tiles, used):
                put(w, next | <u64>(jokers + used) << JOKER_SHIFT)
        return
    shape = <int>(vector >> (c * COLOR_BITS) & COLOR_MASK)
    for used in range(w.jokers - jokers + 1 if w.runs else 1):
        limit = row.count[c] if w.runs else 0
        for to_runs in range(limit + 1):
            after = w.after[shape * MAX_COUNT + to_runs + used]
            if after < 0:
                continue
            in_group = row.count[c] - to_runs
            if in_group and not w.groups:
                continue
            follow(w, row, vector, c + 1, max(tallest, in_group), group_tiles + in_group, jokers + used,
                   next | <u64>after << (c * COLOR_BITS))


# --- states: sets of vectors, equal up to a permutation of the colours ------------------------------------------------

cdef u64 mixed(u64 x) noexcept nogil:
    x = (x ^ (x >> 31)) * 0xBF58476D1CE4E5B9ULL
    x = (x ^ (x >> 29)) * 0x94D049BB133111EBULL
    return x ^ (x >> 32)


cdef void permuted(Work *w, int *order) noexcept nogil:
    """Write the vectors with colour order[c] at place c to scratch, sorted; keep the smallest list in best."""
    cdef int i, c
    cdef u64 vector
    for i in range(w.built):
        vector = w.vectors[i] >> JOKER_SHIFT << JOKER_SHIFT
        for c in range(w.colors):
            vector |= (w.vectors[i] >> (order[c] * COLOR_BITS) & COLOR_MASK) << (c * COLOR_BITS)
        w.scratch[i] = vector
    qsort(w.scratch, <size_t>w.built, sizeof(u64), by_value)
    for i in range(w.built):
        if w.scratch[i] != w.best[i]:
            if w.scratch[i] < w.best[i]:
                memcpy(w.best, w.scratch, <size_t>w.built * sizeof(u64))
            return


cdef void try_orders(Work *w, u64 *mark, int *order, int c) noexcept nogil:
    """All orders of the colours that keep their marks sorted."""
    cdef int k, other
    if c == w.colors:
        permuted(w, order)
        return
    for k in range(c, w.colors):
        if mark[order[k]] == mark[order[c]] or k == c:
            other = order[c]
            order[c] = order[k]
            order[k] = other
            try_orders(w, mark, order, c + 1)
            other = order[c]
            order[c] = order[k]
            order[k] = other


cdef void canonical(Work *w) noexcept nogil:
    """Fill w.best with the vectors under the order of colours that makes the smallest sorted list.

    Only orders with sorted marks are tried; the mark of a colour does not depend on the names of the others.
    """
    cdef u64 mark[COLORS]
    cdef int order[COLORS]
    cdef int i, c, k
    cdef u64 others, own
    for c in range(w.colors):
        mark[c] = 0
        order[c] = c
        for i in range(w.built):
            others = w.vectors[i] >> JOKER_SHIFT
            for k in range(w.colors):
                if k != c:
                    others += mixed(w.vectors[i] >> (k * COLOR_BITS) & COLOR_MASK)
            own = w.vectors[i] >> (c * COLOR_BITS) & COLOR_MASK
            mark[c] += mixed(others + mixed(own + 77) * 3)
    for c in range(1, w.colors):
        k = c
        while k > 0 and mark[order[k - 1]] > mark[order[k]]:
            i = order[k]
            order[k] = order[k - 1]
            order[k - 1] = i
            k -= 1
    memset(w.best, 0xFF, <size_t>w.built * sizeof(u64))
    try_orders(w, mark, order, 0)


cdef u64 hashed(u64 *vectors, int size) noexcept nogil:
    cdef u64 h = <u64>size
    cdef int i
    for i in range(size):
        h = mixed(h ^ vectors[i])
    return h


cdef int grow_slots(Work *w) noexcept nogil:
    cdef u64 count = w.slot_count * 2, at
    cdef u32 *slots
    cdef u32 s
    if not claim(w, <size_t>(count - w.slot_count) * sizeof(u32)):
        return 0
    slots = <u32 *>malloc(<size_t>count * sizeof(u32))
    if slots == NULL:
        w.stop = MEMORY
        return 0
    memset(slots, 0xFF, <size_t>count * sizeof(u32))
    for s in range(w.count):
        at = hashed(w.pool + w.states[s].start, w.states[s].size)
        while slots[at & (count - 1)] != NONE:
            at += 1
        slots[at & (count - 1)] = s
    free(w.slots)
    w.slots = slots
    w.slot_count = count
    return 1


cdef u32 interned(Work *w) noexcept nogil:
    """The number of the state that is under construction; NONE if memory ran out."""
    cdef u64 at
    cdef u32 s
    cdef State *states
    cdef u64 *pool
    cdef size_t bytes = <size_t>w.built * sizeof(u64)
    canonical(w)
    at = hashed(w.best, w.built)
    while True:
        s = w.slots[at & (w.slot_count - 1)]
        if s == NONE:
            break
        if w.states[s].size == w.built and memcmp(w.pool + w.states[s].start, w.best, bytes) == 0:
            return s
        at += 1
    if w.count == w.room:
        if not claim(w, <size_t>w.room * sizeof(State)):
            return NONE
        states = <State *>realloc(w.states, 2 * <size_t>w.room * sizeof(State))
        if states == NULL:
            w.stop = MEMORY
            return NONE
        w.states = states
        w.room *= 2
    while w.pool_used + <u64>w.built > w.pool_room:
        if not claim(w, <size_t>w.pool_room * sizeof(u64)):
            return NONE
        pool = <u64 *>realloc(w.pool, 2 * <size_t>w.pool_room * sizeof(u64))
        if pool == NULL:
            w.stop = MEMORY
            return NONE
        w.pool = pool
        w.pool_room *= 2
    s = w.count
    memset(w.states + s, 0, sizeof(State))
    w.states[s].start = w.pool_used
    w.states[s].size = w.built
    w.states[s].needs = rows_needed(w)
    memcpy(w.pool + w.pool_used, w.best, bytes)
    w.pool_used += <u64>w.built
    w.slots[at & (w.slot_count - 1)] = s
    w.count += 1
    if <u64>w.count * 2 > w.slot_count and not grow_slots(w):
        return NONE
    return s


cdef int rows_needed(Work *w) noexcept nogil:
    """How many rows must follow before a hand may end: 0 if in some vector no run is short and all jokers are laid."""
    cdef int i, c, shape, needs, least = MIN_SET
    for i in range(w.built):
        needs = w.vectors[i] >> JOKER_SHIFT != <u64>w.jokers
        for c in range(w.colors):
            shape = <int>(w.vectors[i] >> (c * COLOR_BITS) & COLOR_MASK)
            if w.one[shape]:
                needs = 2
            elif w.two[shape]:
                needs = max(needs, 1)
        least = min(least, needs)
    return least


cdef void learn(Work *w, u32 s, int most) noexcept nogil:
    """Add to a state the edges of rows with at most `most` tiles; rows are sorted by tiles."""
    cdef int r, i, k, first
    cdef u32 target
    cdef u64 start
    cdef Edge *edge
    for r in range(w.row_count):
        if w.rows[r].tiles < w.states[s].known:
            continue
        if w.rows[r].tiles > most or not keep_going(w):
            break
        w.built = 0
        start = w.states[s].start
        for i in range(w.states[s].size):
            follow(w, w.rows + r, w.pool[start + <u64>i], 0, 0, 0, <int>(w.pool[start + <u64>i] >> JOKER_SHIFT), 0)
        if w.built == 0 or w.stop:
            continue
        target = interned(w)
        if target == NONE:
            return
        for k in range(w.states[s].edges):
            edge = w.states[s].edge + k
            if edge.target == target and edge.tiles == w.rows[r].tiles:
                edge.many += 1
                edge.physical += w.rows[r].physical
                break
        else:
            if w.states[s].edges == w.states[s].room:
                first = max(4, w.states[s].room)
                if not claim(w, <size_t>first * sizeof(Edge)):
                    return
                edge = <Edge *>realloc(w.states[s].edge, <size_t>(w.states[s].room + first) * sizeof(Edge))
                if edge == NULL:
                    w.stop = MEMORY
                    return
                w.states[s].edge = edge
                w.states[s].room += first
            edge = w.states[s].edge + w.states[s].edges
            edge.target = target
            edge.tiles = w.rows[r].tiles
            edge.many = 1
            edge.physical = w.rows[r].physical
            w.states[s].edges += 1
    w.states[s].known = max(w.states[s].known, most + 1)


# --- polynomials ------------------------------------------------------------------------------------------------------

cdef void add_times(u64 *to, u64 *what, u32 factor, int limbs) noexcept nogil:
    cdef wide carry = 0
    cdef int i
    for i in range(limbs):
        carry += <wide>what[i] * factor
        carry += to[i]
        to[i] = <u64>carry
        carry >>= 64


cdef void add_edge(u64 *to, u64 *what, Edge *edge, int size, int limbs) noexcept nogil:
    """Add `size` coefficients of a polynomial, times the words of an edge."""
    cdef int t
    cdef wide *pair_to = <wide *>to
    cdef wide *pair = <wide *>what
    if limbs == 2:
        for t in range(size):
            pair_to[2 * t] += pair[2 * t] * edge.many
            pair_to[2 * t + 1] += pair[2 * t + 1] * edge.physical
        return
    for t in range(size):
        add_times(to + 2 * t * limbs, what + 2 * t * limbs, edge.many, limbs)
        add_times(to + (2 * t + 1) * limbs, what + (2 * t + 1) * limbs, edge.physical, limbs)


cdef int walk(Work *w, int numbers, int most, int limbs, u64 *answer) noexcept nogil:
    """Fill answer[tiles][0 or 1][limbs]: hands, and hands with copies told apart."""
    cdef size_t stride = <size_t>(most + 1) * 2 * <size_t>limbs
    cdef size_t bytes
    cdef u64 *now = NULL
    cdef u64 *then = NULL
    cdef int *least = NULL
    cdef int *least_then = NULL
    cdef u32 s, known = 1, width, target
    cdef int number, t, k, size, per_row = w.colors * w.copies, room
    cdef Edge *edge
    now = <u64 *>calloc(stride, sizeof(u64))
    least = <int *>calloc(1, sizeof(int))
    if now != NULL and least != NULL:
        now[0] = now[limbs] = 1
    else:
        w.stop = MEMORY
    for number in range(numbers):
        if w.stop:
            break
        for s in range(known):
            if least[s] >= 0 and w.states[s].known <= min(most - least[s], per_row):
                learn(w, s, min(most - least[s], per_row))
                if w.stop:
                    break
        if w.stop:
            break
        width = w.count
        bytes = <size_t>width * (stride * sizeof(u64) + sizeof(int))
        if w.held + bytes + <size_t>known * stride * sizeof(u64) > w.memory:
            w.stop = MEMORY
            break
        then = <u64 *>calloc(<size_t>width * stride, sizeof(u64))
        least_then = <int *>malloc(<size_t>width * sizeof(int))
        if then == NULL or least_then == NULL:
            w.stop = MEMORY
            break
        memset(least_then, 0xFF, <size_t>width * sizeof(int))
        for s in range(known):
            if least[s] < 0:
                continue
            if not keep_going(w):
                break
            for k in range(w.states[s].edges):
                edge = w.states[s].edge + k
                target = edge.target
                room = most - edge.tiles
                if least[s] > room or w.states[target].needs > numbers - 1 - number:
                    continue
                if least_then[target] < 0 or least_then[target] > least[s] + edge.tiles:
                    least_then[target] = least[s] + edge.tiles
                size = min(room, number * per_row) + 1 - least[s]
                if size > 0:
                    add_edge(then + target * stride + (least[s] + edge.tiles) * 2 * limbs,
                             now + s * stride + least[s] * 2 * limbs, edge, size, limbs)
        free(now)
        free(least)
        now = then
        least = least_then
        then = NULL
        least_then = NULL
        known = width
    if not w.stop:
        for s in range(known):
            if least[s] >= 0 and w.states[s].needs == 0:
                for t in range(most + 1):
                    for k in range(2):
                        add_times(answer + t * 2 * limbs + k * limbs, now + s * stride + t * 2 * limbs + k * limbs,
                                  1, limbs)
    free(now)
    free(then)
    free(least)
    free(least_then)
    return w.stop


# --- tables of one colour ---------------------------------------------------------------------------------------------

cdef int shape_of(Work *w, int one, int two, int three) noexcept nogil:
    cdef int i
    for i in range(w.shapes):
        if w.one[i] == one and w.two[i] == two and w.three[i] == three:
            return i
    return -1


cdef int better(int one, int two, int three, int one_b, int two_b, int three_b) noexcept nogil:
    """Whether open runs are at least as good as others (b).

    They are if the runs of b can be matched to runs at least as long, and all left over have length 3, so may end.
    """
    # Fewer runs of 3+ in b than here: the spare ones serve its shorter runs or end. A run of 2 serves one of 1.
    cdef int spare = three - three_b
    if spare < 0 or one > one_b or one + two > one_b + two_b:
        return 0
    return one_b + two_b - one - two <= spare


cdef void tables(Work *w) noexcept nogil:
    cdef int slots = w.copies + w.jokers, one, two, three, i, k, r, extended
    for one in range(slots + 1):
        for two in range(slots + 1 - one):
            for three in range(slots + 1 - one - two):
                w.one[w.shapes] = one
                w.two[w.shapes] = two
                w.three[w.shapes] = three
                w.shapes += 1
    for i in range(w.shapes):
        for r in range(MAX_COUNT):
            # Short runs must grow; then runs of 3+ grow before others start: two runs in a row are one run as well.
            extended = min(w.three[i], r - w.one[i] - w.two[i])
            w.after[i * MAX_COUNT + r] = -1
            if extended >= 0:
                w.after[i * MAX_COUNT + r] = shape_of(w, r - w.one[i] - w.two[i] - extended, w.one[i],
                                                      w.two[i] + extended)
        for k in range(w.shapes):
            w.covers[i * w.shapes + k] = <char>better(w.one[i], w.two[i], w.three[i], w.one[k], w.two[k], w.three[k])


cdef int by_tiles(const void *a, const void *b) noexcept nogil:
    return (<Row *>a).tiles - (<Row *>b).tiles


cdef void list_rows(Work *w) noexcept nogil:
    cdef int total = 1, code, rest, c, n
    cdef Row *row
    cdef int[4] ways
    for n in range(w.copies + 1):
        ways[n] = 1
        for c in range(n):
            ways[n] = ways[n] * (w.copies - c) // (c + 1)
    for _ in range(w.colors):
        total *= w.copies + 1
    for code in range(total):
        row = w.rows + code
        memset(row, 0, sizeof(Row))
        row.physical = 1
        rest = code
        for c in range(w.colors):
            n = rest % (w.copies + 1)
            row.count[c] = n
            row.tiles += n
            row.physical *= <u32>ways[n]
            rest //= w.copies + 1
    w.row_count = total
    qsort(w.rows, <size_t>total, sizeof(Row), by_tiles)


cdef int reraise() except -1:
    """Let an error that is already set in this thread go on its way."""
    return -1


def count_hands(int colors, int numbers, int copies, int jokers, bint groups, bint runs, int most, size_t memory):
    """Numbers of hands of 0 to `most` tiles that can be laid with exactly `jokers` jokers: all, and copies told apart.

    The caller has checked the ranges: colors 1-4, numbers 3-100, copies 1-3, jokers 0-8. Two lists of most + 1 exact
    integers, and the number of states. LimitReached if `memory` bytes are not enough.
    """
    cdef Work w
    cdef int limbs = (colors * numbers * copies + 63) // 64, slots = copies + jokers, shapes, t, k, i
    cdef u64 *answer
    cdef u32 s
    memset(&w, 0, sizeof(Work))
    w.colors = colors
    w.copies = copies
    w.jokers = jokers
    w.groups = groups and colors >= MIN_GROUP
    w.runs = runs
    w.memory = memory
    shapes = (slots + 3) * (slots + 2) * (slots + 1) // 6
    w.room = FIRST
    w.pool_room = FIRST
    w.slot_count = FIRST
    w.built_room = FIRST
    w.one = <int *>calloc(<size_t>shapes, sizeof(int))
    w.two = <int *>calloc(<size_t>shapes, sizeof(int))
    w.three = <int *>calloc(<size_t>shapes, sizeof(int))
    w.after = <int *>calloc(<size_t>shapes * MAX_COUNT, sizeof(int))
    w.covers = <char *>calloc(<size_t>shapes * <size_t>shapes, 1)
    w.states = <State *>calloc(FIRST, sizeof(State))
    w.pool = <u64 *>calloc(FIRST, sizeof(u64))
    w.slots = <u32 *>malloc(FIRST * sizeof(u32))
    w.vectors = <u64 *>calloc(FIRST, sizeof(u64))
    w.scratch = <u64 *>calloc(FIRST, sizeof(u64))
    w.best = <u64 *>calloc(FIRST, sizeof(u64))
    answer = <u64 *>calloc(<size_t>(most + 1) * 2 * <size_t>limbs, sizeof(u64))
    try:
        if (w.one == NULL or w.two == NULL or w.three == NULL or w.after == NULL or w.covers == NULL
                or w.states == NULL or w.pool == NULL or w.slots == NULL or w.vectors == NULL or w.scratch == NULL
                or w.best == NULL or answer == NULL):
            raise MemoryError
        with nogil:
            memset(w.slots, 0xFF, FIRST * sizeof(u32))
            tables(&w)
            list_rows(&w)
            w.vectors[0] = 0
            w.built = 1
            interned(&w)
            walk(&w, numbers, most, limbs, answer)
        if w.stop == MEMORY:
            raise LimitReached(f"memory: {memory} bytes are not enough")
        if w.stop == SIGNAL:
            reraise()
        totals = [[], []]
        for t in range(most + 1):
            for k in range(2):
                totals[k].append(sum([int(answer[(t * 2 + k) * limbs + i]) << (64 * i) for i in range(limbs)]))
        return totals[0], totals[1], w.count
    finally:
        for s in range(w.count):
            free(w.states[s].edge)
        free(w.one)
        free(w.two)
        free(w.three)
        free(w.after)
        free(w.covers)
        free(w.states)
        free(w.pool)
        free(w.slots)
        free(w.vectors)
        free(w.scratch)
        free(w.best)
        free(answer)
