"""Prices of the row sweep: what tiles in groups and jokers cost, and the least that a colour costs from a state on.

Each (number, colour, tiles in groups) has a *share*, each joker a price, such that the shares of any vector of a row
sum to at most the price of its jokers. With prices the colours fall apart, and `rest`, the cheapest completion of a
colour from a state, is one backward pass with the four colours as four lanes. The sum is a lower bound of the whole.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memset

from .lanes cimport LANES, MAX_JOKERS, lanes_add, lanes_clamp, lanes_min, lanes_splat, lanes_sum, lanes_t
from .tables cimport (
    JOKER, JOKER_LOSE, KEEP, KINDS, LOSE, MAX_SLOTS, NO_VECTOR, Live, Pattern, Tables, Transition, Vector, pattern_of,
    row_kind,
)
from .work cimport FOUND, HALF_INF, INF, OUT_OF_MEMORY, Work, grow


cdef void fill_costs(Work *w) noexcept nogil:
    """Cost of a row by the number of real tiles used, where tiles may be lost and where not."""
    cdef int v, u, c, must, may, wide = 2 * w.lane_width
    cdef int32_t *lose
    cdef int32_t *keep
    for v in range(w.numbers):
        lose = <int32_t *>(w.lose + v * wide)
        keep = <int32_t *>(w.keep + v * wide)
        for u in range(w.widest[v] + 1):
            for c in range(LANES):
                must = w.must[v * LANES + c]
                may = w.may[v * LANES + c]
                lose[u * LANES + c] = INF if u < must or u > may else w.weight[v * LANES + c] * (may - u)
                keep[u * LANES + c] = 0 if u == may else INF


cdef int fill_shares(Work *w) noexcept nogil:
    """Find every row's vectors, with the first shares: an even split of the jokers' price."""
    cdef int v, c, g, present, width = w.lane_width, wide
    cdef int32_t total = 0, price
    cdef int32_t *share
    cdef Pattern *p
    cdef uint8_t *may
    cdef uint8_t no_tiles[LANES]
    memset(no_tiles, 0, LANES)
    for v in range(w.numbers):
        may = w.may + v * LANES
        if w.high_one and v + 1 == w.numbers:
            may = no_tiles
        p = pattern_of(w.tables, may, w.jokers, v + 1 == w.numbers - w.high_one and w.explicit, w.colors)
        if p == NULL:
            return OUT_OF_MEMORY
        w.pattern[v] = p
        total += p.count
        share = <int32_t *>(w.share + v * width)
        wide = w.widest[v]
        if p.count == 1:
            for g in range(wide + 1):
                for c in range(LANES):
                    share[g * LANES + c] = 0 if g == 0 else INF
            continue
        present = (may[0] > 0) + (may[1] > 0) + (may[2] > 0) + (may[3] > 0)
        for g in range(wide + 1):
            for c in range(LANES):
                if p.fewest[g][c] == NO_VECTOR:
                    price = INF
                elif w.row_joker[v] < 0:
                    price = w.row_joker[v] * p.most[g][c]
                elif may[c]:
                    price = w.row_joker[v] * p.fewest[g][c] // present
                else:
                    price = 0
                share[g * LANES + c] = price
    if total > w.live_room:
        if not grow(w, <void **>&w.lives, w.live_room * sizeof(Live), 2 * total * sizeof(Live)):
            return OUT_OF_MEMORY
        w.live_room = 2 * total
    for v in range(w.numbers):
        w.all_count[v] = w.pattern[v].count
    return FOUND


cdef void fill_use(Work *w, int v) noexcept nogil:
    """Cost of a row by transition kind and real tiles in runs: the best split of the others."""
    cdef int rr, g, wide = w.widest[v], width = w.lane_width
    cdef lanes_t *use = w.use + v * KINDS * width
    cdef lanes_t *lose = w.lose + v * 2 * width
    cdef lanes_t *keep = w.keep + v * 2 * width
    cdef lanes_t *share = w.share + v * width
    cdef lanes_t inf = lanes_splat(INF)
    cdef lanes_t a, b
    for rr in range(wide + 1):
        a = inf
        b = inf
        for g in range(wide - rr + 1):
            a = lanes_min(a, lanes_add(lose[rr + g], share[g]))
            b = lanes_min(b, lanes_add(keep[rr + g], share[g]))
        use[LOSE * width + rr] = a
        use[KEEP * width + rr] = b
        use[JOKER * width + rr] = lanes_min(lanes_add(keep[rr], share[0]), inf)
        if w.explicit:
            use[JOKER_LOSE * width + rr] = lanes_min(lanes_add(lose[rr], share[0]), inf)
    for rr in range(wide + 1, width):
        use[LOSE * width + rr] = inf
        use[KEEP * width + rr] = inf
        use[JOKER * width + rr] = inf
        use[JOKER_LOSE * width + rr] = inf


cdef void back_row(Work *w, int v) noexcept nogil:
    """`rest` of row v from `rest` of the next row."""
    cdef Tables *t = w.tables
    cdef int kind = row_kind(v, w.numbers)
    cdef Transition *list = t.moves[kind][w.widest[v]]
    cdef int32_t *first = t.first[kind][w.widest[v]]
    cdef lanes_t *use = w.use + v * KINDS * w.lane_width
    cdef lanes_t *next = w.rest + (v + 1) * t.states
    cdef lanes_t *rest = w.rest + v * t.states
    cdef lanes_t joker[MAX_JOKERS + 1]
    cdef lanes_t best
    cdef int s, i
    cdef Transition *e
    for i in range(w.jokers + 1):
        joker[i] = lanes_splat(w.row_joker[v] * i)
    for s in range(t.states if v > 0 else 1):
        best = lanes_splat(INF)
        for i in range(first[s], first[s + 1]):
            e = &list[i]
            best = lanes_min(best, lanes_add(lanes_add(use[e.use], joker[e.jokers]), next[e.to]))
        rest[s] = lanes_clamp(best, HALF_INF, INF)


cdef void back_last(Work *w) noexcept nogil:
    """After the last row no run may be unripe."""
    cdef int s
    cdef Tables *t = w.tables
    for s in range(t.states):
        w.rest[w.numbers * t.states + s] = lanes_splat(0 if t.runs[s][0] == 0 and t.runs[s][1] == 0 else INF)


cdef void reprice_row(Work *w, int v) noexcept nogil:
    """Set the shares of row v so that the bound is the best group vector given all other rows' shares.

    With m_c(g) the least cost of colour c through g (past + row + rest) and b(vector) = jokers' price +
    sum of m_c: share_c(g) = (least b with that g) / 4 - m_c(g). For any vector the shares sum to at most
    its price, so the bound stays valid; the sum of the colours' bounds becomes the least b.
    """
    cdef Tables *t = w.tables
    cdef int kind = row_kind(v, w.numbers)
    cdef Transition *list = t.moves[kind][w.widest[v]]
    cdef int32_t *first = t.first[kind][w.widest[v]]
    cdef int width = w.lane_width, wide = w.widest[v]
    cdef lanes_t *lose = w.lose + v * 2 * width
    cdef lanes_t *keep = w.keep + v * 2 * width
    cdef lanes_t *next = w.rest + (v + 1) * t.states
    cdef lanes_t *past = w.past + v * t.states
    cdef lanes_t least[KINDS * (MAX_SLOTS + 1)]
    cdef lanes_t through[MAX_SLOTS + 1]
    cdef lanes_t best[MAX_SLOTS + 1]
    cdef lanes_t joker[MAX_JOKERS + 1]
    cdef lanes_t inf = lanes_splat(INF)
    cdef int32_t *m
    cdef int32_t *b
    cdef int32_t *share = <int32_t *>(w.share + v * width)
    cdef int s, i, g, rr, i0, i1, i2, i3
    cdef int32_t sum, price = w.row_joker[v]
    cdef Transition *e
    cdef Vector *x
    for i in range(KINDS * width):
        least[i] = inf
    for i in range(w.jokers + 1):
        joker[i] = lanes_splat(w.row_joker[v] * i)
    for s in range(t.states if v > 0 else 1):
        for i in range(first[s], first[s + 1]):
            e = &list[i]
            least[e.use] = lanes_min(least[e.use], lanes_add(lanes_add(past[s], joker[e.jokers]), next[e.to]))
    for g in range(wide + 1):
        through[g] = inf
        best[g] = inf
        for rr in range(wide - g + 1):
            through[g] = lanes_min(through[g], lanes_add(least[LOSE * width + rr], lose[rr + g]))
            through[g] = lanes_min(through[g], lanes_add(least[KEEP * width + rr], keep[rr + g]))
            if g == 0:
                through[g] = lanes_min(through[g], lanes_add(least[JOKER * width + rr], keep[rr]))
                if w.explicit:
                    through[g] = lanes_min(through[g], lanes_add(least[JOKER_LOSE * width + rr], lose[rr]))
        through[g] = lanes_clamp(through[g], HALF_INF, INF)
    m = <int32_t *>through
    b = <int32_t *>best
    for i in range(w.all_count[v]):
        x = &w.live[v][i].x
        i0 = x.tiles[0] * LANES
        i1 = x.tiles[1] * LANES + 1
        i2 = x.tiles[2] * LANES + 2
        i3 = x.tiles[3] * LANES + 3
        sum = price * x.jokers + m[i0] + m[i1] + m[i2] + m[i3]
        b[i0] = min(b[i0], sum)
        b[i1] = min(b[i1], sum)
        b[i2] = min(b[i2], sum)
        b[i3] = min(b[i3], sum)
    for i in range((wide + 1) * LANES):
        if b[i] >= HALF_INF or m[i] >= HALF_INF:
            share[i] = INF
        else:
            share[i] = (b[i] >> 2) - m[i]  # rounds down, also below zero


cdef void forth_row(Work *w, int v) noexcept nogil:
    """`past` of the next row from `past` of row v."""
    cdef Tables *t = w.tables
    cdef int kind = row_kind(v, w.numbers)
    cdef Transition *list = t.moves[kind][w.widest[v]]
    cdef int32_t *first = t.first[kind][w.widest[v]]
    cdef lanes_t *use = w.use + v * KINDS * w.lane_width
    cdef lanes_t *past = w.past + v * t.states
    cdef lanes_t *next = past + t.states
    cdef lanes_t joker[MAX_JOKERS + 1]
    cdef int s, i
    cdef Transition *e
    for i in range(w.jokers + 1):
        joker[i] = lanes_splat(w.row_joker[v] * i)
    for s in range(t.states):
        next[s] = lanes_splat(INF)
    for s in range(t.states if v > 0 else 1):
        for i in range(first[s], first[s + 1]):
            e = &list[i]
            next[e.to] = lanes_min(next[e.to], lanes_add(lanes_add(use[e.use], joker[e.jokers]), past[s]))
    for s in range(t.states):
        next[s] = lanes_clamp(next[s], HALF_INF, INF)


cdef void first_bounds(Work *w) noexcept nogil:
    cdef int v
    back_last(w)
    for v in range(w.numbers - 1, -1, -1):
        fill_use(w, v)
        back_row(w, v)


cdef void improve_bounds(Work *w) noexcept nogil:
    """A forward and a backward sweep of better prices."""
    cdef int v
    w.past[0] = lanes_splat(0)
    for v in range(w.numbers):
        if w.pattern[v].count > 1:
            reprice_row(w, v)
            fill_use(w, v)
        if v + 1 < w.numbers:
            forth_row(w, v)
    for v in range(w.numbers - 1, -1, -1):
        if w.pattern[v].count > 1:
            reprice_row(w, v)
            fill_use(w, v)
        back_row(w, v)


cdef void bound_root(Work *w) noexcept nogil:
    """The bound of the whole, with the shares and completions as they are."""
    w.nodes[0].bound = lanes_sum(w.rest[0]) + w.nodes[0].cost - w.joker_price * w.jokers
    w.nodes[0].key = w.nodes[0].bound if w.explicit else max(w.nodes[0].bound, w.dropped)


cdef bint out_of_reach(Work *w) noexcept nogil:
    """Whether some colour has no completion at all."""
    cdef int c
    for c in range(LANES):
        if (<int32_t *>w.rest)[c] >= INF:
            return True
    return False
