"""Bounds for the ways of one position: jokers that a colour needs at least, and what it loses at least.

What would lose more than allowed is not looked at. As in the row sweep, tiles in groups and jokers get prices with
which the colours fall apart, and the prices are improved by one sweep forward and one backward.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

from .automaton cimport COPIES, COPY_BITS, MAX_STATES, Machine, Vector, kind_of, steps_of
from .graph cimport NO_LIMIT, Graph
from .lanes cimport LANES
from .waysets cimport UNIT, Scratch

cdef extern from *:
    """
    #define NO_END (1LL << 60)    /* dearer than anything; four of them still fit */
    """
    const int64_t NO_END

cdef enum:
    NEVER = 255
    PRICE_TENTHS = 17  # of the mean weight of a rack tile: the price of a joker


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
