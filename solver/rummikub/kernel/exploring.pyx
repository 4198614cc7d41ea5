"""All nodes and edges of the graph of one position, row by row, and what can be laid below each node."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from .automaton cimport COPY_BITS, Machine, kind_of
from .graph cimport Choice, Graph, Row
from .lanes cimport LANES
from .losses cimport fill_need, set_prices
from .waysets cimport (
    FIRST_NODES, FOUND, NO_SET, OUT_OF_MEMORY, OUT_OF_NODES, STOP, TOO_MUCH, Scratch, Sets, accepted, begin_of,
    follow, grow, intern,
)


cdef int64_t through(const Machine *m, Scratch *w, Graph *g, const uint32_t *words, int64_t length, int v,
                     int counts, int end, int64_t allowed, Sets *out) noexcept nogil:
    """As `follow`, and on through the rows before `end`, none of which leaves a choice."""
    cdef int c
    cdef int64_t n
    cdef Sets *x = out if v + 1 == end else &w.between[0]
    n = follow(m, w, &g.watch, words, length, v, kind_of(m, g.numbers, v), counts, allowed, x)
    while n > 0 and v + 1 < end:
        words = x.words + begin_of(x, x.count)
        v += 1
        counts = 0
        for c in range(LANES):
            counts |= g.must[v * LANES + c] << (COPY_BITS * c)
        x = out if v + 1 == end else &w.between[1] if x == &w.between[0] else &w.between[0]
        n = follow(m, w, &g.watch, words, n, v, kind_of(m, g.numbers, v), counts, allowed, x)
    return n


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
    g.watch.tick = 0
    g.watch.status = FOUND
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
        return g.watch.status
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
                    return g.watch.status
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
