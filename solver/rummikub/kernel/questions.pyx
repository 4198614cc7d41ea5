"""A count problem from its counts to the best answer: costs, bounds, the search, and the parked jokers.

1. Parking. First a relaxation: a joker that no set needs is parked at no cost, so `slots` = most copies of a tile, and
   canonical rules cut the transitions. Parked jokers are housed at the end; where one finds no house the search is run
   again with every joker explicit.
2. Prices give a bound.
3. Dive: from the root always the child whose bound grows least. Often it ends on the bound: proven.
4. Else the prices are improved by a forward and a backward sweep, and A* ends what is left.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t

from .bounds cimport bound_root, fill_costs, fill_shares, first_bounds, improve_bounds, out_of_reach
from .building cimport house, write_sets
from .descent cimport best_first, dive
from .lanes cimport LANES, MAX_JOKERS, MIN_SET
from .options cimport joker_gain, open_all, open_gap, own_lives, settle
from .tables cimport Tables, tables_for
from .work cimport FOUND, HALF_INF, MAX_COST, NOTHING, OUT_OF_MEMORY, OUT_OF_RANGE, Node, Work, work_shape

cdef enum:
    JOKER_PRICE_TENTHS = 22  # a joker's first price, of the mean weight of a rack tile
    MAX_PRICE = (HALF_INF - MAX_COST) // (2 * MAX_JOKERS)  # so that all jokers and all tiles stay below HALF_INF
    GRAIN = 16  # costs are multiplied by up to this, so that prices can be fractions
    GRAIN_COST = 1 << 23  # as long as they stay below this
    FIRST_GAP_TENTHS = 8  # of the mean weight of a rack tile: what A* first looks at beyond the bound
    GAP_GROWTH = 2


cdef bint playable(const uint8_t *may, int v, int c, int numbers, int colors, int jokers) noexcept nogil:
    """Whether some set of the tiles and jokers at hand could hold this tile at all."""
    cdef int i, k, missing = MIN_SET
    for i in range(LANES):
        missing -= may[v * LANES + i] > 0
    if colors >= MIN_SET and missing <= jokers:
        return True
    for i in range(max(v - MIN_SET + 1, 0), min(v, numbers - MIN_SET) + 1):
        missing = 0
        for k in range(MIN_SET):
            missing += may[(i + k) * LANES + c] == 0
        if missing <= jokers:
            return True
    return False


cdef int64_t tile_cost(Question *q, int cell, int64_t big) noexcept nogil:
    """The objective first, then the second criterion: numbers for TILES, tiles for the others."""
    cdef int number = cell // LANES + 1
    if q.objective == TILES:
        return big + number
    if q.objective == VALUE:
        return big * number + 1
    if q.objective == WEIGHTS:
        return big * q.weights[cell] + 1
    if q.objective == EXACT:
        return q.weights[cell]
    return number


cdef int pose(Work *w, Question *q, int *most) noexcept nogil:
    """Set the problem of a question: counts, costs, what can be in no set. FOUND: there is something to lay."""
    cdef int cells = w.numbers * LANES
    cdef int i, v, c, n, rack = 0, left
    cdef int64_t big = 1 + q.rack_jokers, total = 0, joker
    for i in range(cells):
        w.must[i] = q.table[i]
        w.may[i] = q.table[i] + q.rack[i]
        rack += q.rack[i]
        big += q.rack[i] * (i // LANES + 1 if q.objective == TILES else 1)
    if q.objective == TILES:
        joker = big
    elif q.objective == WEIGHTS:
        joker = big * q.weights[cells] + 1
    elif q.objective == EXACT:
        joker = q.weights[cells]
    else:
        joker = q.objective == VALUE
    if q.rack_jokers == 0:
        joker = 0  # those of the table are laid whatever they are worth
    for i in range(cells):
        if q.rack[i]:
            total += tile_cost(q, i, big) * q.rack[i]
    w.jokers = q.table_jokers + q.rack_jokers
    # The search counts a joker's worth for those of the table as well.
    if total + joker * w.jokers > MAX_COST:
        return OUT_OF_RANGE
    w.grain = GRAIN
    while w.grain > 1 and (total + joker * w.jokers) * w.grain > GRAIN_COST:
        w.grain >>= 1
    w.jokers_forced = q.table_jokers
    w.joker_cost = <int32_t>(joker * w.grain)
    w.unit = <int32_t>(total * w.grain // rack) if rack else 0
    w.unit = max(w.unit, w.grain)
    w.joker_price = <int32_t>min(<int64_t>w.unit * JOKER_PRICE_TENTHS // 10, MAX_PRICE) if w.jokers else 0
    w.face = NULL
    if q.objective == FACE:
        w.face = w.face_values
        for v in range(w.numbers):
            w.face_values[v] = (v + 1) * w.grain
        if w.high_one:
            w.face_values[w.numbers - 1] = w.grain
    w.total = <int32_t>(total * w.grain)
    w.dropped = 0
    left = q.rack_jokers
    most[0] = 1
    for v in range(w.numbers):
        w.widest[v] = 0
        for c in range(LANES):
            i = v * LANES + c
            w.weight[i] = 0
            n = q.rack[i]
            if n:
                w.weight[i] = <int32_t>tile_cost(q, i, big) * w.grain
                if q.table[i] == 0 and not playable(w.may, v, c, w.numbers, w.colors, w.jokers):
                    # To take it out at once changes nothing for others: who needs it would make it playable.
                    w.dropped += w.weight[i] * n
                    w.may[i] = 0
                else:
                    left += n
            if w.may[i] > w.widest[v]:
                w.widest[v] = w.may[i]
        if w.widest[v] > most[0]:
            most[0] = w.widest[v]
    if q.all and w.dropped:
        return NOTHING
    return FOUND if left or q.empty else NOTHING


cdef int search(Work *w, Tables *t, int32_t upper) noexcept nogil:
    """Least cost below `upper` under the tables' reading of jokers."""
    cdef int v, c, status
    cdef int32_t gap, most, searched = -1, gain = 0
    cdef Node *root
    if not work_shape(w, t):
        return OUT_OF_MEMORY
    w.explicit = t.explicit
    for v in range(w.numbers):
        gain = max(gain, joker_gain(w, v))
    # Bounds of a row know nothing of jokers spent in others. Where jokers gain so much that the bounds of all rows
    # together would leave their range, the price takes all of the gain.
    if <int64_t>(gain - w.joker_price) * w.jokers * w.numbers > HALF_INF:
        w.joker_price = gain
    for v in range(w.numbers):
        w.row_joker[v] = w.joker_price - joker_gain(w, v)
    fill_costs(w)
    status = fill_shares(w)
    if status != FOUND:
        return status
    w.best_cost = upper
    w.best_node = -1
    root = &w.nodes[0]
    root.row = 0
    root.jokers = 0
    root.parent = -1
    root.cost = w.dropped
    if w.explicit:
        root.cost += w.joker_cost * w.jokers
    for c in range(LANES):
        root.state[c] = 0
    first_bounds(w)
    if out_of_reach(w):
        return NOTHING
    bound_root(w)
    if w.nodes[0].key > upper - w.grain:
        return NOTHING
    # Often a path costs no more than the bound, above all where the bound is nothing or there are no jokers. It is
    # found by going down, and nothing else need be looked at.
    if w.jokers == 0:
        open_all(w)
    else:
        own_lives(w)
        if w.nodes[0].key == w.dropped:
            settle(w)
            open_gap(w, 0)
    if w.jokers == 0 or w.nodes[0].key == w.dropped:
        status = dive(w, w.nodes[0].key)
        if status == OUT_OF_MEMORY:
            return status
        if w.best_node >= 0 and w.best_cost < w.nodes[0].key + w.grain:
            return FOUND
    if w.jokers == 0:
        own_lives(w)
    improve_bounds(w)
    if out_of_reach(w):
        return NOTHING
    bound_root(w)
    settle(w)
    gap = max(w.unit * FIRST_GAP_TENTHS // 10, 1)  # it must grow
    while True:
        most = w.best_cost - w.grain - w.nodes[0].key
        if most <= searched:
            return FOUND if w.best_node >= 0 else NOTHING
        gap = min(gap, most)
        open_gap(w, w.nodes[0].key + gap - w.nodes[0].bound)
        status = best_first(w, w.nodes[0].key + gap)
        if status != FOUND:
            return status
        searched = gap
        gap *= GAP_GROWTH


cdef int answer(Work *w, Tables **cache, Question *q) noexcept nogil:
    """Pose and solve one question; FOUND: `used`, `jokers_used` and `sets` hold the answer."""
    cdef int most, status, slots
    cdef int32_t upper
    cdef Tables *t
    w.expanded = 0
    status = pose(w, q, &most)
    if status != FOUND:
        return status
    if not q.explicit:
        t = tables_for(cache, w.colors, most, w.jokers, False)
        if t == NULL:
            return OUT_OF_MEMORY
        upper = w.total
        if q.empty or q.rack_jokers:
            upper += w.grain
        if q.all:
            upper = w.grain
        status = search(w, t, upper)
        if status != FOUND:
            return status
        if house(w) == 0:
            w.jokers_used = w.jokers
            finish(w, q)
            return FOUND
    # n runs that share a tile's place also need n neighbours of it: 2 n <= 3 most + jokers.
    slots = min(most + w.jokers, (3 * most + w.jokers) // 2)
    t = tables_for(cache, w.colors, slots, w.jokers, True)
    if t == NULL:
        return OUT_OF_MEMORY
    upper = w.total + w.joker_cost * q.rack_jokers
    if q.empty:
        upper += w.grain
    if q.all:
        upper = w.grain
    status = search(w, t, upper)
    if status == FOUND:
        finish(w, q)
    return status


cdef void finish(Work *w, Question *q) noexcept nogil:
    cdef int i, cells = w.numbers * LANES
    write_sets(w)
    for i in range(cells):
        w.used[i] -= q.table[i]
    w.used[cells] = w.jokers_used - q.table_jokers


cdef void result_of(Work *w, Result *result) noexcept nogil:
    result.laid = w.used
    result.sets = w.sets
    result.sets_length = w.sets_length
