"""Prices of tiles that tell how little of a table can be changed: a linear programme, solved by the dual simplex.

The worth of an arrangement: KEPT + its tiles for every original set that is kept, and for every other pair of the best
matching of laid sets to originals the tiles that both hold. The programme bounds it from above. How much of each of
these is taken:
- a set laid new, worth 0, or matched to an original with which it shares two tiles or more, worth these tiles;
- an original kept; how many can be kept in all may be known from before;
- an original that is neither, worth 1: a match by one tile is given away;
- a joker that stands for a tile. Sets are then listed with real tiles only, a few hundred. A joker of an original
  counts as shared by any tile of the laid set that the original lacks.
All tiles are laid; an original is used once. The dual gives every tile a price, and every original too, such that
nothing is worth more than it costs; then the prices of the bag and of all originals bound the worth, and an arrangement
falls short of the bound by what its sets cost more than they are worth.

The dual simplex keeps to such prices all the time, so it can stop anywhere. It starts with all originals kept:
then nothing but what was laid new violates the primal. A tile that is not laid has a free price. Prices are rounded to
integers and raised until the conditions hold exactly: floating point can make the search slow, not wrong.
"""

from libc.math cimport ceil
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy

from .prices cimport KEPT, MAX_ROWS, UNIT, Original, Pair, Prices, Shape, Simplex
from .tilesets cimport (
    JOKER_TYPE, MAX_TABLE, MAX_TYPES, MIN_SET, Bag, Work, bits, copies_in, jokers_fit, low_bit, place_type, run_end,
    taken, u64,
)

cdef enum:
    MAX_PIVOTS = 1000
    FIRST_PAIRS = 512
    STRONG = 2            # least number of common tiles that a match is worth a column of its own

cdef double TINY = 1e-7
cdef double HIGHEST = 1e6           # a price beyond this is cut: integers must hold the sum of all tiles
cdef double MARGIN = 0.05           # more than rounding adds to a bound
cdef double DEEP = 2.0 * MAX_TABLE * (KEPT + MAX_TYPES)     # beyond the worth of every arrangement


cdef int count_shapes(const Work *w) noexcept nogil:
    """An upper bound of the number of shapes."""
    cdef int places = w.numbers + 1
    return w.colors * places * places // 2 + (w.numbers << w.colors)


cdef int row_for(const Simplex *x, int t) noexcept nogil:
    return x.row_of[t] if x.row_of[t] >= 0 else x.joker_row


cdef void add_shape(Simplex *x, const Work *w, Bag bag, const Shape *shape) noexcept nogil:
    """Append a shape if enough jokers are there for the tiles that the bag lacks."""
    cdef int missing = bits(shape.mask & ~bag.one)
    if missing <= bag.jokers and (missing == 0 or jokers_fit(w, shape.size - missing, missing)):
        x.shapes[x.count] = shape[0]
        x.count += 1


cdef void list_shapes(Simplex *x, const Work *w, Bag bag) noexcept nogil:
    cdef Shape shape
    cdef int color, first, size, number, chosen, c, at = 0
    for color in range(w.colors):
        for number in range(w.numbers + w.high_one):
            x.places[at + number] = row_for(x, place_type(w, color, number))
        for first in range(w.numbers):
            shape.mask = 0
            shape.begin = at + first
            for size in range(1, run_end(w, first) - first + 1):
                shape.mask |= <u64>1 << place_type(w, color, first + size - 1)
                shape.end = shape.begin + size
                shape.size = size
                if size >= MIN_SET:
                    add_shape(x, w, bag, &shape)
        at += w.numbers + w.high_one
    shape.begin = -1
    for number in range(w.numbers):
        for chosen in range(1 << w.colors):
            if bits(<u64>chosen) < MIN_SET:
                continue
            shape.mask = 0
            shape.size = 0
            for c in range(w.colors):
                if chosen >> c & 1:
                    shape.mask |= <u64>1 << (c * w.numbers + number)
                    shape.rows[shape.size] = row_for(x, c * w.numbers + number)
                    shape.size += 1
            add_shape(x, w, bag, &shape)


cdef int list_pairs(Simplex *x, Bag bag, const Original *originals, int count) noexcept nogil:
    """All pairs, those of one shape together; 0 if there is no memory.

    The tiles that a shape, with jokers anywhere, can share with an original.
    """
    cdef int k, o, worth, jokers
    cdef u64 both
    cdef Pair *grown
    for k in range(x.count):
        x.shapes[k].pairs = x.pair_count
        for o in range(count):
            both = x.shapes[k].mask & originals[o].mask & bag.one
            jokers = originals[o].jokers if bag.jokers else 0
            if both & (both - 1) == 0 and jokers == 0:
                continue
            worth = bits(both)
            worth += min(jokers, x.shapes[k].size - worth)
            if worth < STRONG:
                continue
            if x.pair_count == x.pair_room:
                x.pair_room = 2 * x.pair_room + FIRST_PAIRS
                grown = <Pair *>realloc(x.pairs, <size_t>x.pair_room * sizeof(Pair))
                if grown == NULL:
                    return 0
                x.pairs = grown
            x.pairs[x.pair_count].shape = k
            x.pairs[x.pair_count].original = o
            x.pairs[x.pair_count].worth = worth
            x.pair_count += 1
    return 1


cdef inline int worth_kept(const Simplex *x, int o) noexcept nogil:
    return KEPT + x.originals[o].size


cdef double sum_of(const Simplex *x, const double *rows, const Original *original) noexcept nogil:
    """Sum over the tiles of a keepable original."""
    cdef u64 rest = original.mask
    cdef double total = 0
    while rest:
        total += rows[x.row_of[low_bit(rest)]]
        rest &= rest - 1
    if original.jokers:
        total += original.jokers * rows[x.joker_row]
    return total


cdef void sum_shapes(const Simplex *x, const Work *w, const double *rows, double *out) noexcept nogil:
    """The sum over the tiles of every shape."""
    cdef double upto[MAX_TYPES * 2 + 1]
    cdef int k, i, number = w.colors * (w.numbers + w.high_one)
    cdef const Shape *s
    upto[0] = 0
    for i in range(number):
        # A place that nothing can lie at is in no shape.
        upto[i + 1] = upto[i] + (rows[x.places[i]] if x.places[i] >= 0 else 0)
    for k in range(x.count):
        s = x.shapes + k
        if s.begin >= 0:
            out[k] = upto[s.end] - upto[s.begin]
        else:
            out[k] = rows[s.rows[0]] + rows[s.rows[1]] + rows[s.rows[2]]
            if s.size > MIN_SET:
                out[k] += rows[s.rows[3]]


cdef int leaving_row(const Simplex *x) noexcept nogil:
    """The row that is farthest from its condition, measured along the way that its exchange goes; -1 if none is off."""
    cdef int row, i, best = -1
    cdef double most = 0, off, norm, entry
    for row in range(x.rows):
        off = -x.value[row]
        if x.lacking[row] and off < 0:
            off = -off
        if off > TINY:
            norm = 0
            for i in range(x.rows):
                entry = x.inverse[i * x.rows + row]
                norm += entry * entry
            if off * off > most * norm:
                most = off * off / norm
                best = row
    return best


cdef inline int better(double cost, double entry, double *ratio, double *largest) noexcept nogil:
    """Whether a column limits the step more than the best one; of equal ones the larger entry."""
    if entry <= TINY or cost >= (ratio[0] + TINY) * entry:
        return 0
    cost = (cost if cost > 0 else 0) / entry
    if cost < ratio[0] - TINY or entry > largest[0]:
        ratio[0] = cost
        largest[0] = entry
        return 1
    return 0


cdef void add_column(Simplex *x, int row, double times) noexcept nogil:
    cdef int i
    cdef const double *column = x.inverse + row * x.rows
    for i in range(x.rows):
        x.column[i] += times * column[i]


cdef void keep_column(Simplex *x, int o) noexcept nogil:
    """The column of keeping an original, in terms of the basis."""
    cdef u64 rest = x.originals[o].mask
    cdef int i
    for i in range(x.rows):
        x.column[i] = 0
    add_column(x, x.row_of[JOKER_TYPE + 1 + o], 1)
    add_column(x, x.cut_row, 1)
    while rest:
        add_column(x, x.row_of[low_bit(rest)], 1)
        rest &= rest - 1
    if x.originals[o].jokers:
        add_column(x, x.joker_row, x.originals[o].jokers)


cdef void exchange(Simplex *x, int r, int kept) noexcept nogil:
    """Let the column x.column enter the basis in row r; it is that of keeping an original, or kept is -1."""
    cdef int k, i
    cdef double here, factor = 1.0 / x.column[r]
    cdef double *column
    for k in range(x.rows):
        column = x.inverse + k * x.rows
        if column[r] > TINY or column[r] < -TINY:
            here = column[r] * factor
            for i in range(x.rows):
                column[i] -= here * x.column[i]
            column[r] = here
    here = x.value[r] * factor
    for i in range(x.rows):
        x.value[i] -= here * x.column[i]
    x.value[r] = here
    x.lacking[r] = 0
    x.keeps[r] = kept
    x.pivots += 1


cdef void descend(Simplex *x, int r) noexcept nogil:
    """No column can take the place of row r: no arrangement exists, and prices along this way prove it."""
    cdef int i, k
    cdef double off = x.value[r] if x.value[r] > 0 else -x.value[r], far = DEEP / off
    for i in range(x.rows):
        x.dual[i] -= far * x.rho[i]
    for k in range(x.count):
        x.cost[k] -= far * x.alpha[k]


cdef double objective(const Simplex *x) noexcept nogil:
    cdef double total = x.worth + x.dual[x.cut_row] * x.limit
    cdef int t, o
    for t in range(MAX_TYPES + 1):
        if x.row_of[t] >= 0:
            total += x.dual[x.row_of[t]] * copies_in(x.bag, t)
    for o in range(x.original_count):
        if not x.sure >> o & 1:
            total += x.dual[x.row_of[JOKER_TYPE + 1 + o]]
    return total


cdef void optimise(Simplex *x, const Work *w, const Original *originals, int count, double enough) noexcept nogil:
    """Pivot until the prices are the best, or their bound is below `enough`."""
    cdef double bound = objective(x)
    cdef int _, r, i, k, o, kind, best, row
    cdef double ratio, largest, sign, entry
    cdef const int *own = x.row_of + JOKER_TYPE + 1
    for _ in range(MAX_PIVOTS):
        r = leaving_row(x)
        if r < 0 or bound < enough:
            return
        sign = 1 if x.value[r] > 0 else -1
        for i in range(x.rows):
            x.rho[i] = sign * x.inverse[i * x.rows + r]
        sum_shapes(x, w, x.rho, x.alpha)
        ratio = 1e30
        largest = 0
        kind = -1
        best = 0
        for o in range(count):
            row = own[o]
            if better(x.dual[row] - 1, x.rho[row], &ratio, &largest):
                kind = 0
                best = o
            if x.open >> o & 1:
                entry = sum_of(x, x.rho, originals + o) + x.rho[row] + x.rho[x.cut_row]
                # What a column costs is only asked where it can limit the step.
                if entry > TINY and better(
                        sum_of(x, x.dual, originals + o) + x.dual[row] + x.dual[x.cut_row] - worth_kept(x, o),
                        entry, &ratio, &largest):
                    kind = 1
                    best = o
        if better(x.dual[x.cut_row], x.rho[x.cut_row], &ratio, &largest):
            kind = 5
        for k in range(x.count):
            if better(x.cost[k], x.alpha[k], &ratio, &largest):
                kind = 2
                best = k
        for k in range(x.pair_count):
            row = own[x.pairs[k].original]
            entry = x.alpha[x.pairs[k].shape] + x.rho[row]
            if entry > TINY and better(x.cost[x.pairs[k].shape] + x.dual[row] - x.pairs[k].worth, entry, &ratio,
                                       &largest):
                kind = 3
                best = k
        # Rows of real tiles come before that of jokers.
        for row in range(x.joker_row):
            if better(x.dual[x.joker_row] - x.dual[row], x.rho[x.joker_row] - x.rho[row], &ratio, &largest):
                kind = 4
                best = row
        if kind < 0:
            descend(x, r)
            return
        bound -= ratio * sign * x.value[r]
        for i in range(x.rows):
            x.dual[i] -= ratio * x.rho[i]
            x.column[i] = 0
        for k in range(x.count):
            x.cost[k] -= ratio * x.alpha[k]
        # The column that enters, in terms of the basis.
        if kind == 0:
            add_column(x, x.row_of[JOKER_TYPE + 1 + best], 1)
        elif kind == 5:
            add_column(x, x.cut_row, 1)
        elif kind == 1:
            keep_column(x, best)
        elif kind == 4:
            add_column(x, x.joker_row, 1)
            add_column(x, best, -1)
        else:
            k = best
            if kind == 3:
                add_column(x, x.row_of[JOKER_TYPE + 1 + x.pairs[best].original], 1)
                k = x.pairs[best].shape
            if x.shapes[k].begin >= 0:
                for i in range(x.shapes[k].begin, x.shapes[k].end):
                    add_column(x, x.places[i], 1)
            else:
                for i in range(x.shapes[k].size):
                    add_column(x, x.shapes[k].rows[i], 1)
        exchange(x, r, best if kind == 1 else -1)


cdef void add_row(Simplex *x, int name, int number, double price) noexcept nogil:
    cdef int row = x.rows
    x.row_of[name] = row
    x.value[row] = number
    x.dual[row] = price
    x.lacking[row] = name <= JOKER_TYPE
    x.keeps[row] = -1
    x.rows += 1


cdef void first_prices(Simplex *x, Bag bag, const Original *originals, int count) noexcept nogil:
    """The rows, and the prices of a basis in which every keepable original is kept.

    A tile costs an equal share of what its original is worth. The price of the original is what is left of the worth,
    which must be no less than what it is worth when it is not kept. Nothing costs more than a joker.
    """
    cdef double price[MAX_TYPES + 1]
    cdef double own[MAX_TABLE]
    cdef double share, highest = 1
    cdef int t, o
    for t in range(MAX_TYPES + 1):
        price[t] = 0
        x.row_of[t] = -1
    for o in range(count):
        if originals[o].keepable:
            share = (worth_kept(x, o) - 1) / <double>originals[o].size
            for t in range(MAX_TYPES):
                if originals[o].mask >> t & 1 and (price[t] == 0 or price[t] > share):
                    price[t] = share
            if originals[o].jokers and (price[JOKER_TYPE] == 0 or price[JOKER_TYPE] > share):
                price[JOKER_TYPE] = share
            highest = max(highest, share)
    if price[JOKER_TYPE] == 0:
        price[JOKER_TYPE] = highest
    for t in range(MAX_TYPES):
        price[t] = min(price[JOKER_TYPE], price[t] if price[t] > 0 else 1)
    for t in range(MAX_TYPES + 1):
        if copies_in(bag, t):
            add_row(x, t, copies_in(bag, t), price[t])
    x.joker_row = x.row_of[JOKER_TYPE]
    for o in range(count):
        own[o] = 1
        if originals[o].keepable:
            own[o] = worth_kept(x, o) - originals[o].jokers * price[JOKER_TYPE]
            for t in range(MAX_TYPES):
                if originals[o].mask >> t & 1:
                    own[o] -= price[t]
    for o in range(count):
        add_row(x, JOKER_TYPE + 1 + o, 1, own[o])
    x.cut_row = x.rows
    add_row(x, MAX_ROWS - 1, count, 0)
    x.limit = count


cdef void first_basis(Simplex *x, const Original *originals, int count) noexcept nogil:
    """The inverse of the basis of `first_prices`, and its values: the kept originals have laid their tiles."""
    cdef int o, t, own, row, number
    for row in range(x.rows):
        x.inverse[row * x.rows + row] = 1
    for o in range(count):
        if not originals[o].keepable:
            continue
        own = x.row_of[JOKER_TYPE + 1 + o]
        x.open |= <u64>1 << o
        x.keeps[own] = o
        for t in range(MAX_TYPES + 1):
            number = originals[o].jokers if t == JOKER_TYPE else <int>(originals[o].mask >> t & 1)
            if number:
                row = x.row_of[t]
                x.inverse[own * x.rows + row] = -number
                x.value[row] -= number
        x.inverse[own * x.rows + x.cut_row] = -1
        x.value[x.cut_row] -= 1


cdef long long rounded(double price) noexcept nogil:
    return <long long>ceil(max(-HIGHEST, min(HIGHEST, price)) * UNIT)


cdef void round_prices(const Simplex *x, Prices *out) noexcept nogil:
    """Integer prices, raised until nothing is worth more than it costs.

    An original that is sure has no price: it is in no pair, and what keeping it is worth is in the bound.
    """
    cdef int t, o, k, i, single
    cdef const Original *originals = x.originals
    cdef Bag bag = x.bag
    cdef long long cost, gain
    cdef u64 rest
    cdef const Shape *s
    for t in range(MAX_TYPES + 1):
        out.tile[t] = rounded(x.dual[x.row_of[t]]) if x.row_of[t] >= 0 else 0
    for t in range(MAX_TYPES):
        if bag.jokers and x.row_of[t] >= 0:
            out.tile[JOKER_TYPE] = max(out.tile[JOKER_TYPE], out.tile[t])
    for o in range(x.original_count):
        out.original[o] = max(<long long>UNIT, rounded(x.dual[x.row_of[JOKER_TYPE + 1 + o]]))
    for k in range(x.count):
        s = x.shapes + k
        cost = 0
        single = JOKER_TYPE
        rest = s.mask
        while rest:
            t = low_bit(rest)
            rest &= rest - 1
            if x.row_of[t] >= 0:
                cost += out.tile[t]
                single = t
            else:
                cost += out.tile[JOKER_TYPE]
        gain = 0
        for i in range(s.pairs, x.shapes[k + 1].pairs if k + 1 < x.count else x.pair_count):
            o = x.pairs[i].original
            if not x.sure >> o & 1:
                gain = max(gain, <long long>x.pairs[i].worth * UNIT - out.original[o])
        if cost < gain:
            out.tile[single] += gain - cost
            if bag.jokers:
                out.tile[JOKER_TYPE] = max(out.tile[JOKER_TYPE], out.tile[single])
    out.kept = max(<long long>0, rounded(x.dual[x.cut_row]))
    out.bound = out.kept * x.limit + <long long>x.worth * UNIT
    for o in range(x.original_count):
        if x.sure >> o & 1:
            continue
        if x.open >> o & 1:
            cost = out.original[o] + out.kept + <long long>originals[o].jokers * out.tile[JOKER_TYPE]
            rest = originals[o].mask
            while rest:
                cost += out.tile[low_bit(rest)]
                rest &= rest - 1
            gain = <long long>worth_kept(x, o) * UNIT
            if cost < gain:
                out.original[o] += gain - cost
        out.bound += out.original[o]
    for t in range(MAX_TYPES + 1):
        out.bound += <long long>out.tile[t] * copies_in(bag, t)


cdef Simplex *open_prices(const Work *w, Bag bag, const Original *originals, int count) noexcept nogil:
    """The programme of a table and a bag, NULL if there is no memory. What the pointers show must not change."""
    cdef Simplex *x = <Simplex *>calloc(1, sizeof(Simplex))
    cdef int most = count_shapes(w)
    if x == NULL:
        return NULL
    x.w = w
    x.bag = bag
    x.originals = originals
    x.original_count = count
    first_prices(x, bag, originals, count)
    x.inverse = <double *>calloc(<size_t>(x.rows * x.rows), sizeof(double))
    x.shapes = <Shape *>malloc(<size_t>most * sizeof(Shape))
    x.cost = <double *>malloc(<size_t>most * sizeof(double))
    x.alpha = <double *>malloc(<size_t>most * sizeof(double))
    if x.inverse != NULL and x.shapes != NULL and x.cost != NULL and x.alpha != NULL:
        list_shapes(x, w, bag)
        if list_pairs(x, bag, originals, count):
            first_basis(x, originals, count)
            sum_shapes(x, w, x.dual, x.cost)
            return x
    close_prices(x)
    return NULL


cdef void close_prices(Simplex *x) noexcept nogil:
    free(x.inverse)
    free(x.shapes)
    free(x.cost)
    free(x.alpha)
    free(x.pairs)
    free(x)


cdef Simplex *copied(const Simplex *x) noexcept nogil:
    """The programme once more, NULL if there is no memory. It ends with `close_copy`, and before the first one."""
    cdef Simplex *y = <Simplex *>malloc(sizeof(Simplex))
    cdef size_t square = <size_t>(x.rows * x.rows) * sizeof(double)
    if y == NULL:
        return NULL
    y[0] = x[0]
    y.inverse = <double *>malloc(square)
    y.cost = <double *>malloc(<size_t>x.count * sizeof(double))
    if y.inverse == NULL or y.cost == NULL:
        close_copy(y)
        return NULL
    memcpy(y.inverse, x.inverse, square)
    memcpy(y.cost, x.cost, <size_t>x.count * sizeof(double))
    return y


cdef void close_copy(Simplex *x) noexcept nogil:
    free(x.inverse)
    free(x.cost)
    free(x)


cdef void allow(Simplex *x, int most) noexcept nogil:
    """At most so many originals can be kept beside those that are sure: a number that may only fall."""
    cdef int i
    for i in range(x.rows):
        x.value[i] -= x.inverse[x.cut_row * x.rows + i] * (x.limit - most)
    x.limit = most


cdef void rule_out(Simplex *x, int o) noexcept nogil:
    """Do not keep an original."""
    cdef int row
    x.open &= ~(<u64>1 << o)
    for row in range(x.rows):
        if x.keeps[row] == o:
            x.lacking[row] = 1


cdef void make_sure(Simplex *x, int o) noexcept nogil:
    """Keep an original: its tiles leave the bag."""
    cdef int i
    keep_column(x, o)
    for i in range(x.rows):
        x.value[i] -= x.column[i]
    x.bag = taken(x.bag, x.originals[o].mask, x.originals[o].jokers)
    x.limit -= 1
    x.worth += worth_kept(x, o)
    x.sure |= <u64>1 << o
    rule_out(x, o)


cdef u64 whole(const Simplex *x, int *half) noexcept nogil:
    """The open originals that the programme keeps; half: the one that it keeps most nearly by a half, -1 if none is."""
    cdef double off, least = 0.5 - TINY
    cdef int row
    cdef u64 kept = 0
    half[0] = -1
    for row in range(x.rows):
        if x.keeps[row] < 0 or not x.open >> x.keeps[row] & 1:
            continue
        off = x.value[row] - 0.5
        if off > 0:
            kept |= <u64>1 << x.keeps[row]
        else:
            off = -off
        if off < least:
            least = off
            half[0] = x.keeps[row]
    return kept


cdef void find_prices(Simplex *x, int enough, Prices *out) noexcept nogil:
    """Prices of the tiles of the bag and of the originals: the best ones, or some with a bound less than `enough`.

    No set costs less than it is worth: nothing, or the tiles that it shares with one original at the price of that
    original; and no open original that is kept, at its own price and the price of keeping.
    """
    optimise(x, x.w, x.originals, x.original_count, enough - MARGIN)
    round_prices(x, out)
    if out.bound >= <long long>enough * UNIT:
        optimise(x, x.w, x.originals, x.original_count, -DEEP)
        round_prices(x, out)
