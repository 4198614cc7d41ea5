"""What the search looks at: vectors and options that cost little more than the prices say, listed when asked for.

A path may cost up to a *gap* more than the bound of the root. A vector costs its *residual* beyond its shares, an
*option* (one way of one colour through one row) its *reduced* cost beyond the colour's best completion; whatever alone
costs more than the gap is not listed.
"""

from libc.stdint cimport int32_t, uint16_t
from libc.string cimport memcpy, memset

from .lanes cimport LANES
from .tables cimport Choice, Choices, Live, Pattern, Tables, Vector, choices_for, row_kind
from .work cimport INF, Option, Work, grow

cdef enum:
    STAMPS = 1 << 30  # then the lists are wiped and stamps begin anew


cdef void own_lives(Work *w) noexcept nogil:
    """Copy the vectors of every row, to give each its residual."""
    cdef int v, i
    cdef Live *out = w.lives
    for v in range(w.numbers):
        w.live[v] = out
        for i in range(w.all_count[v]):
            out.x = w.pattern[v].lives[i].x
            out += 1


cdef void settle(Work *w) noexcept nogil:
    """With the shares fixed: what each vector costs beyond its shares."""
    cdef int v, i
    cdef int32_t *share
    cdef Vector *x
    for v in range(w.numbers):
        share = <int32_t *>(w.share + v * w.lane_width)
        for i in range(w.all_count[v]):
            x = &w.live[v][i].x
            w.live[v][i].residual = (w.row_joker[v] * x.jokers
                                     - share[x.tiles[0] * LANES] - share[x.tiles[1] * LANES + 1]
                                     - share[x.tiles[2] * LANES + 2] - share[x.tiles[3] * LANES + 3])


cdef void open_all(Work *w) noexcept nogil:
    """Without jokers the first shares are nothing, so no vector costs more than its shares: look at all of them."""
    cdef int v
    cdef Pattern *p
    w.gap = 0
    for v in range(w.numbers):
        p = w.pattern[v]
        w.live[v] = p.lives
        w.live_count[v] = p.count
        memcpy(w.live_tiles[v], p.tiles, sizeof(p.tiles))
    new_lists(w)


cdef void open_gap(Work *w, int32_t gap) noexcept nogil:
    """Look at paths that cost up to `gap` more than the bound of the root: vectors first, options when asked for."""
    cdef int v, i, n
    cdef uint16_t t0, t1, t2, t3
    cdef Live *live
    cdef Live hold
    w.gap = gap
    for v in range(w.numbers):
        live = w.live[v]
        n = 0
        t0 = t1 = t2 = t3 = 0
        for i in range(w.all_count[v]):
            # A share of INF makes the residual very small, no overflow: such a vector is out of reach.
            if 0 <= live[i].residual <= gap:
                if i > n:
                    hold = live[i]
                    live[i] = live[n]
                    live[n] = hold
                t0 |= 1 << live[n].x.tiles[0]
                t1 |= 1 << live[n].x.tiles[1]
                t2 |= 1 << live[n].x.tiles[2]
                t3 |= 1 << live[n].x.tiles[3]
                n += 1
        w.live_count[v] = n
        w.live_tiles[v][0] = t0
        w.live_tiles[v][1] = t1
        w.live_tiles[v][2] = t2
        w.live_tiles[v][3] = t3
    new_lists(w)


cdef void new_lists(Work *w) noexcept nogil:
    """Forget all options: prices or gap have changed."""
    w.stamp += 1
    if w.stamp == STAMPS:
        memset(w.list_stamp, 0, w.capacity_lists * 4)
        w.stamp = 1
    w.option_count = 0


cdef int32_t *options_of(Work *w, int v, int c, int s) noexcept nogil:
    """The options of a colour in a row and state, by tiles in groups, each part sorted by reduced cost.

    Returns the list: for each number of tiles in groups the least reduced cost (INF: none), then where its part
    begins; NULL when memory is out.
    """
    cdef Tables *t = w.tables
    cdef int width = w.lane_width
    cdef int at = (v * LANES + c) * t.states + s
    cdef int32_t *out = w.lists + at * (2 * width + 1)
    cdef int32_t *first
    cdef int k, g, base, n, kind, may
    cdef int32_t *next
    cdef int32_t fixed, reduced, joker, weight, gain
    cdef uint16_t wanted = w.live_tiles[v][c]
    cdef Choices *choices
    cdef Choice *x
    cdef Choice *end
    cdef Option *options
    cdef Option *o
    if w.list_stamp[at] == w.stamp:
        return out
    kind = row_kind(v, w.numbers)
    may = w.may[v * LANES + c]
    choices = t.choices[kind][w.must[v * LANES + c]][may]
    if choices == NULL:
        choices = choices_for(t, kind, w.must[v * LANES + c], may)
        if choices == NULL:
            return NULL
    first = choices.first + s * (width + 1)
    n = w.option_count
    if n + first[width] - first[0] > w.option_room:
        k = 2 * (n + first[width] - first[0]) + 256
        if not grow(w, <void **>&w.options, w.option_room * sizeof(Option), k * sizeof(Option)):
            return NULL
        w.option_room = k
    options = w.options
    next = <int32_t *>(w.rest + (v + 1) * t.states) + c
    joker = w.row_joker[v]
    weight = w.weight[v * LANES + c]
    gain = joker_gain(w, v)
    for g in range(width):
        out[g] = INF
        out[width + g] = n
        if not (wanted >> g) & 1:
            continue
        base = n
        fixed = (<int32_t *>(w.share + v * width + g))[c] - (<int32_t *>(w.rest + v * t.states + s))[c]
        x = choices.all + first[g]
        end = choices.all + first[g + 1]
        while x < end:
            reduced = fixed + weight * x.lost + joker * x.jokers + next[x.to * LANES]
            if reduced <= w.gap:
                k = n
                n += 1
                while k > base and options[k - 1].reduced > reduced:
                    options[k] = options[k - 1]
                    k -= 1
                o = &options[k]
                o.reduced = reduced
                o.cost = weight * x.lost - gain * x.jokers
                o.to = x.to
                o.real = x.real
                o.jokers = x.jokers
                o.grouped = g
            x += 1
        if n > base:
            out[g] = options[base].reduced
    out[2 * width] = n
    w.option_count = n
    w.list_stamp[at] = w.stamp
    return out
