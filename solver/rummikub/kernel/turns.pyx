"""One turn of a whole game, without Python objects: the same best moves as `search`, for tables that keep their sets.

A table is a list of sets, because the rules of jokers ask in which set a joker lies and whether a set lay there before.
A turn is one count problem for the sweep where that is all there is to it. Else:

1. The relaxation: every joker of the table may stand for anything. If the table that the sweep finds is legal, it is
   the best. A freed joker that only rounds off a set of before (`joker_destination=new`) is put to another set first.
2. The cases: each table joker stays as one of the tiles that it stands for, and is then one more copy of that tile, or
   is freed, which may ask for a tile to be laid. Two jokers may stay in a group because of the same tile; one of them
   then is *wild*. A case that equals the relaxation is the best.
3. What is left: the set in which a freed joker ends is decided in every way, best first.

Openings: the best move that lays certain melds, best first over the melds, until the threshold is reached.

Taken are rules with at most 16 numbers and two jokers, without `joker_set_locked`, `jokers_per_set`, `high_one`,
`take_back`, `opening_single_set`, and with `joker_destination` new or any: the rest is for `search`.
"""

from libc.stdint cimport int16_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memcpy, memset

from .sweep cimport (
    FACE,
    FOUND,
    JOKER_ANY,
    JOKER_AS,
    LANES,
    NOTHING,
    OUT_OF_MEMORY,
    OUT_OF_NODES,
    TILES,
    VALUE,
    WEIGHTS,
    Question,
    Result,
    Sweep,
    answer,
    raise_status,
    result_of,
    work_free,
    work_new,
)

from ...errors import SolverError, UnsupportedRules, quote

cdef enum:
    MIN_SET = 3
    LONGEST_UNCUT = 2 * MIN_SET - 1  # a longer run can be cut, so longer melds need not be listed
    MOST_MELDS = 8192
    FIRST_CASES = 64
    MOST_CASES = 1 << 16  # that wait: some ten megabytes
    MOST_READINGS = 4  # of two sets with jokers, each as a run and as a group

cdef struct Spots:
    # One way to read the sets with jokers: for each joker its set and the tiles that it stands for.
    int count
    int home[MOST_JOKERS]
    uint64_t means[MOST_JOKERS]
    bint three[MOST_JOKERS]  # in a group of three


# ---------------------------------------------------------------------------------------------------
# Sets and tables
# ---------------------------------------------------------------------------------------------------

cdef int low(uint64_t mask) noexcept nogil:
    """The lowest bit's place."""
    cdef int at = 0
    while not mask & 0xFF:
        mask >>= 8
        at += 8
    while not mask & 1:
        mask >>= 1
        at += 1
    return at


cdef inline int bits(uint64_t mask) noexcept nogil:
    cdef int n = 0
    while mask:
        mask &= mask - 1
        n += 1
    return n


cdef inline uint64_t bit(int cell) noexcept nogil:
    return <uint64_t>1 << cell


cdef int value_of(const uint8_t *counts, int cells) noexcept nogil:
    cdef int i, value = 0
    for i in range(cells):
        value += counts[i] * (i // LANES + 1)
    return value


cdef int count_of(const uint8_t *counts, int cells) noexcept nogil:
    cdef int i, n = 0
    for i in range(cells):
        n += counts[i]
    return n


cdef void add_set(Board *b, const Set *s) noexcept nogil:
    cdef uint64_t mask = s.mask
    b.set[b.sets] = s[0]
    b.sets += 1
    b.jokers += s.jokers
    while mask:
        b.counts[low(mask)] += 1
        mask &= mask - 1


cdef void clear_board(Board *b) noexcept nogil:
    b.sets = 0
    b.jokers = 0
    memset(b.counts, 0, CELLS)


cdef void read_set(const int16_t *tiles, int length, Set *s) noexcept nogil:
    """A set of the sweep."""
    cdef int i, real = 0, here, first_number = 0
    s.mask = 0
    s.jokers = 0
    s.length = length
    s.run = False
    for i in range(length):
        if tiles[i] & JOKER_AS:
            s.run = True
        if tiles[i] & (JOKER_AS | JOKER_ANY):
            s.jokers += 1
            continue
        here = tiles[i] // LANES
        if real and here != first_number:
            s.run = True
        if not real:
            first_number = here
        s.mask |= bit(tiles[i])
        real += 1
    # The first real tile of a run tells where it begins.
    s.first = first_number
    if s.run:
        for i in range(length):
            if not tiles[i] & (JOKER_AS | JOKER_ANY):
                s.first = first_number - i
                break


cdef void append_result(Turner *t, Board *b) noexcept nogil:
    """The sets of the last answer, on top of those of the table."""
    cdef Result r
    cdef int at = 0
    cdef Set s
    result_of(t.work, &r)
    while at < r.sets_length:
        read_set(&r.sets[at + 1], r.sets[at], &s)
        add_set(b, &s)
        at += 1 + r.sets[at]


cdef int tile_key(const Set *s, int place) noexcept nogil:
    """Of the tile at a place of a set: sorts as canonical order does."""
    cdef int cell, left = place
    cdef uint64_t mask = s.mask
    if s.run:
        cell = (s.first + place) * LANES + low(mask) % LANES
        if not mask & bit(cell):
            return LANES * CELLS
        return cell % LANES * CELLS + cell // LANES
    while mask:
        cell = low(mask)
        if left == 0:
            return cell % LANES * CELLS + cell // LANES
        left -= 1
        mask &= mask - 1
    return LANES * CELLS


cdef bint comes_first(const Set *a, const Set *b) noexcept nogil:
    """Whether a set comes before another in the canonical order of tables."""
    cdef int place, x = low(a.mask), y = low(b.mask)
    x = x % LANES * CELLS + x // LANES
    y = y % LANES * CELLS + y // LANES
    if x != y:
        return x < y
    for place in range(min(a.length, b.length)):
        x = tile_key(a, place)
        y = tile_key(b, place)
        if x != y:
            return x < y
    return a.length < b.length


cdef void canonical(Turner *t, Board *b) noexcept nogil:
    """Sets with jokers as they are read from a canonical table: what comes after does not depend on who asks."""
    cdef int i, other = -1
    cdef Set *s
    cdef Set first
    if not b.jokers:
        return
    for i in range(b.sets):
        s = &b.set[i]
        if not s.jokers:
            continue
        if not s.run and s.length - s.jokers == 1 and s.first + s.length <= t.ways.numbers:
            s.run = True  # `R5 J J` is as well the run that it is written as
        if other >= 0 and comes_first(s, &b.set[other]):
            first = s[0]
            b.set[i] = b.set[other]
            b.set[other] = first
        other = i


cdef uint64_t run_mask(int first, int length, int colour) noexcept nogil:
    cdef uint64_t mask = 0
    cdef int i
    for i in range(first, first + length):
        mask |= bit(i * LANES + colour)
    return mask


cdef uint64_t group_mask(Turner *t, int number) noexcept nogil:
    return ((<uint64_t>1 << t.ways.colors) - 1) << (number * LANES)


cdef int faces(Turner *t, const Set *s) noexcept nogil:
    """Value of a set whose jokers count what they stand for, read as favours the owner."""
    cdef int run = 0, group = 0, number
    if s.run:
        run = s.length * s.first + s.length * (s.length + 1) // 2
    if not s.run or s.length - s.jokers == 1:
        number = low(s.mask) // LANES
        if s.length <= t.ways.colors:
            group = s.length * (number + 1)
        if not s.run and s.length - s.jokers == 1 and number + s.length <= t.ways.numbers:
            run = s.length * number + s.length * (s.length + 1) // 2
    return max(run, group)


# ---------------------------------------------------------------------------------------------------
# Count problems
# ---------------------------------------------------------------------------------------------------

cdef int ask(Turner *t, const uint8_t *must, const uint8_t *may, int jokers_must, int jokers_may, int objective,
             bint everything, bint empty) noexcept nogil:
    cdef Question q
    q.table = must
    q.rack = may
    q.table_jokers = jokers_must
    q.rack_jokers = jokers_may
    q.objective = objective
    q.weights = t.penalties if objective == WEIGHTS else NULL
    q.all = everything
    q.empty = empty
    q.explicit = objective == FACE
    return answer(t.work, t.cache, &q)


cdef void weigh(Turner *t, int objective, Turn *out) noexcept nogil:
    """The worth of what is laid."""
    cdef int jokers = out.laid[JOKER_AT]
    out.tiles = count_of(out.laid, t.cells) + jokers
    out.value = value_of(out.laid, t.cells)
    if objective == TILES:
        out.first = out.tiles
        out.second = out.value
    else:
        out.first = out.value + (jokers * t.ways.joker_penalty if objective == WEIGHTS else 0)
        out.second = out.tiles


cdef inline bint better(int64_t first, int64_t second, int64_t than_first, int64_t than_second) noexcept nogil:
    return first > than_first or (first == than_first and second > than_second)


cdef void laid_of(Turner *t, const uint8_t *decided, uint8_t *laid) noexcept nogil:
    """What the last answer lays beside what was decided."""
    cdef Result r
    cdef int i
    result_of(t.work, &r)
    memcpy(laid, decided, WIDE)
    for i in range(t.cells):
        laid[i] += r.laid[i]
    laid[JOKER_AT] += r.laid[t.cells]


# ---------------------------------------------------------------------------------------------------
# The rules of jokers
# ---------------------------------------------------------------------------------------------------

cdef int ways_to_read(Turner *t, const Board *b, Spots *out) noexcept nogil:
    """Every way to read the sets with jokers; their number (one with no spots if there are no jokers)."""
    cdef int i, k, n = 1, before, way, ways, number
    cdef uint64_t means[2]
    cdef bint as_group[2]
    cdef uint64_t gaps
    cdef const Set *s
    out[0].count = 0
    for i in range(b.sets):
        s = &b.set[i]
        if not s.jokers:
            continue
        ways = 0
        number = low(s.mask) // LANES
        if s.run or (s.length - s.jokers == 1 and number + s.length <= t.ways.numbers):
            means[ways] = run_mask(s.first if s.run else number, s.length, low(s.mask) % LANES) & ~s.mask
            as_group[ways] = False
            ways += 1
        if not s.run or (s.length - s.jokers == 1 and s.length <= t.ways.colors):
            means[ways] = group_mask(t, number) & ~s.mask
            as_group[ways] = True
            ways += 1
        before = n
        n = before * ways
        # From the last way on, so that no way that is still to be read is written over.
        for k in range(n - 1, -1, -1):
            way = k // before
            out[k] = out[k % before]
            gaps = means[way]
            for _j in range(s.jokers):
                out[k].home[out[k].count] = i
                if as_group[way]:
                    out[k].means[out[k].count] = means[way]
                else:
                    out[k].means[out[k].count] = gaps & (~gaps + 1)
                    gaps &= gaps - 1
                out[k].three[out[k].count] = as_group[way] and s.length == MIN_SET
                out[k].count += 1
    return n


cdef uint64_t mask_of(Turner *t, const uint8_t *counts) noexcept nogil:
    cdef uint64_t mask = 0
    cdef int i
    for i in range(t.cells):
        if counts[i]:
            mask |= bit(i)
    return mask


cdef bint lay_before(const Board *b, uint64_t mask, int jokers) noexcept nogil:
    """Whether a whole set of the table is of these tiles."""
    cdef int i
    for i in range(b.sets):
        if b.set[i].mask == mask and b.set[i].jokers == jokers:
            return True
    return False


cdef bint may_go(Turner *t, const Spots *s, int joker, uint64_t prices) noexcept nogil:
    """Whether a joker of the table may be freed, by these tiles."""
    if not t.ways.replace:
        return True
    if t.ways.both and s.three[joker]:
        return not s.means[joker] & ~prices
    return s.means[joker] & prices != 0


cdef bint homes_new(Turner *t, const Board *b, const Board *after, const Spots *spots,
                    const bint *moved) noexcept nogil:
    cdef int i, k, n
    if not t.ways.new:
        return True
    for i in range(spots.count):
        if moved[i]:
            n = 0
            for k in range(spots.count):
                n += moved[k] and spots.home[k] == spots.home[i]
            if lay_before(b, after.set[spots.home[i]].mask, after.set[spots.home[i]].jokers - n):
                return False
    return True


cdef bint matches(Turner *t, const Board *b, const Board *after, const Spots *old, const Spots *new,
                  uint64_t prices) noexcept nogil:
    """Whether some matching of the table's jokers before and after allows the move."""
    cdef bint moved[MOST_JOKERS]
    cdef int to[MOST_JOKERS]
    cdef int i, j, way
    cdef bint fine
    # One or two jokers before, so few ways that they are written out: who goes where.
    for way in range(new.count * new.count):
        to[0] = way % new.count
        to[1] = way // new.count
        if old.count == 1 and to[1]:
            break
        if old.count == 2 and to[0] == to[1]:
            continue
        for j in range(new.count):
            moved[j] = False
        fine = True
        for i in range(old.count):
            if not old.means[i] & new.means[to[i]]:
                if not may_go(t, old, i, prices):
                    fine = False
                    break
                moved[to[i]] = True
        if fine and homes_new(t, b, after, new, moved):
            return True
    return False


cdef bint legal(Turner *t, const Board *b, const Turn *turn) noexcept nogil:
    cdef Spots old[MOST_READINGS]
    cdef Spots new[MOST_READINGS]
    cdef int i, j, olds = ways_to_read(t, b, old), news = ways_to_read(t, &turn.after, new)
    cdef uint64_t prices = mask_of(t, turn.laid)
    if not t.ways.from_rack:
        prices |= mask_of(t, b.counts)
    for i in range(olds):
        for j in range(news):
            if matches(t, b, &turn.after, &old[i], &new[j], prices):
                return True
    return False


cdef bint drop_joker(Turner *t, Set *s, int way) noexcept nogil:
    """Take a joker out of a set that is one without it: from the end (0) or the front (1) of a run, from a group."""
    cdef int colour = low(s.mask) % LANES
    if s.length == MIN_SET or not s.jokers:
        return False
    if not s.run:
        if way:
            return False
    elif way == 0:
        if s.mask & bit((s.first + s.length - 1) * LANES + colour):
            return False
    else:
        if s.mask & bit(s.first * LANES + colour):
            return False
        s.first += 1
    s.length -= 1
    s.jokers -= 1
    return True


cdef bint take_joker(Turner *t, Set *s, int way) noexcept nogil:
    """Put a joker to the end (0) or the front (1) of a run, or to a group."""
    if not s.run:
        if way or s.length >= t.ways.colors:
            return False
    elif way == 0:
        if s.first + s.length >= t.ways.numbers:
            return False
    else:
        if s.first == 0:
            return False
        s.first -= 1
    s.length += 1
    s.jokers += 1
    return True


cdef bint move_jokers(Turner *t, const Board *b, Turn *turn, int depth) noexcept nogil:
    """Move jokers that are needed nowhere from set to set until the table is legal."""
    cdef int i, k, out, into
    cdef Set from_, to
    for i in range(turn.after.sets):
        from_ = turn.after.set[i]
        for out in range(2):
            if not drop_joker(t, &turn.after.set[i], out):
                continue
            for k in range(turn.after.sets):
                if k == i:
                    continue
                to = turn.after.set[k]
                for into in range(2):
                    if take_joker(t, &turn.after.set[k], into):
                        if legal(t, b, turn) or (depth > 1 and move_jokers(t, b, turn, depth - 1)):
                            return True
                        turn.after.set[k] = to
            turn.after.set[i] = from_
    return False


cdef bint fits(Turner *t, const Board *b, Turn *turn) noexcept nogil:
    """Whether the table after the move is legal, or can be made so by moving jokers that are needed nowhere."""
    if legal(t, b, turn):
        return True
    return t.ways.new and move_jokers(t, b, turn, b.jokers)


# ---------------------------------------------------------------------------------------------------
# Cases
# ---------------------------------------------------------------------------------------------------

cdef int solve_case(Turner *t, const Board *b, Case *c, int objective, bint everything, Turn *out) noexcept nogil:
    """The best answer of a case as a move, and its worth as the bound of the case."""
    cdef int i, k, holder, status
    cdef bint empty = False
    for i in range(WIDE):
        empty = empty or c.laid[i] > 0
    status = ask(t, c.must, c.may, c.loose + c.handed, c.spare, objective, everything, empty)
    if status != FOUND:
        return status
    laid_of(t, c.laid, out.laid)
    weigh(t, objective, out)
    c.first = out.first
    c.second = out.second
    clear_board(&out.after)
    append_result(t, &out.after)
    # A joker that stays takes the place of the tile that it was counted as.
    for k in range(c.stay_count):
        holder = -1
        for i in range(out.after.sets):
            if out.after.set[i].mask & bit(c.stays[k]):
                holder = i
                break
        out.after.set[holder].mask &= ~bit(c.stays[k])
        out.after.set[holder].jokers += 1
        out.after.counts[c.stays[k]] -= 1
        out.after.jokers += 1
    for i in range(c.sets):
        add_set(&out.after, &c.set[i])
    return FOUND


cdef bint push_case(Turner *t, const Case *c) noexcept nogil:
    cdef Case *grown
    if t.case_count == t.case_room:
        grown = <Case *>realloc(t.cases, 2 * t.case_room * sizeof(Case))
        if grown == NULL:
            return False
        t.cases = grown
        t.case_room *= 2
    t.cases[t.case_count] = c[0]
    t.case_count += 1
    return True


cdef int try_case(Turner *t, const Board *b, Case *c, int objective, bint everything, Turn *best) noexcept nogil:
    """Solve a case: a legal answer may be the best so far, one that is not is kept to be decided further."""
    cdef int status = solve_case(t, b, c, objective, everything, t.trial)
    if status == NOTHING:
        return FOUND
    if status != FOUND:
        return status
    if not better(c.first, c.second, best.first, best.second):
        return FOUND
    if fits(t, b, t.trial):
        best[0] = t.trial[0]
        return FOUND
    if c.loose:
        if t.case_count >= MOST_CASES:
            return OUT_OF_NODES
        if not push_case(t, c):
            return OUT_OF_MEMORY
    return FOUND


cdef int cases_from(Turner *t, const Board *b, const Spots *s, int joker, const Case *base, int objective,
                    bint everything, int64_t first, int64_t second, Turn *best) noexcept nogil:
    """Every case of the jokers from this one on; ends early when a case equals the bound."""
    cdef Case c
    cdef uint64_t left, on_table, prices
    cdef int cell, status
    cdef bint whole
    if best.first == first and best.second == second:
        return FOUND
    if joker >= min(s.count, <int>MOST_JOKERS):
        c = base[0]
        return try_case(t, b, &c, objective, everything, best)
    left = s.means[joker]
    while left:
        cell = low(left)
        left &= left - 1
        c = base[0]
        c.must[cell] += 1
        c.stays[c.stay_count] = cell
        c.stay_count += 1
        c.loose -= 1
        status = cases_from(t, b, s, joker + 1, &c, objective, everything, first, second, best)
        if status != FOUND:
            return status
    # Two jokers that stay in one group because of the same tile: one is counted as it, the other is wild.
    if joker and base.stay_count and s.means[joker] & bit(base.stays[0]):
        c = base[0]
        c.wild = True
        status = cases_from(t, b, s, joker + 1, &c, objective, everything, first, second, best)
        if status != FOUND:
            return status
    on_table = 0 if t.ways.from_rack else mask_of(t, b.counts)
    if may_go(t, s, joker, on_table | mask_of(t, base.laid)):
        c = base[0]
        c.meant |= s.means[joker]
        return cases_from(t, b, s, joker + 1, &c, objective, everything, first, second, best)
    whole = t.ways.both and s.three[joker]
    prices = s.means[joker] & ~(on_table | mask_of(t, base.laid))
    left = prices
    while left:
        cell = low(left)
        left &= left - 1
        c = base[0]
        c.meant |= s.means[joker]
        if whole:
            # All of them are laid.
            while prices:
                cell = low(prices)
                prices &= prices - 1
                if not c.may[cell]:
                    return FOUND
                lay(&c, cell)
            left = 0
        elif c.may[cell]:
            lay(&c, cell)
        else:
            continue
        status = cases_from(t, b, s, joker + 1, &c, objective, everything, first, second, best)
        if status != FOUND:
            return status
    return FOUND


cdef void lay(Case *c, int cell) noexcept nogil:
    """Decide that a rack tile is laid."""
    c.may[cell] -= 1
    c.must[cell] += 1
    c.laid[cell] += 1


cdef int by_cases(Turner *t, const Board *b, const uint8_t *forced, const uint8_t *rack, int objective,
                  bint everything, Turn *out) noexcept nogil:
    """The best move by cases; `out` is the relaxation and becomes the answer."""
    cdef Spots old[MOST_READINGS]
    cdef Case root, c
    cdef int i, at, status, ways = ways_to_read(t, b, old)
    cdef int64_t first = out.first, second = out.second
    cdef Turn *best = t.spare
    best.first = -1
    best.second = -1
    t.case_count = 0
    memset(&root, 0, sizeof(Case))
    memcpy(root.laid, forced, WIDE)
    for i in range(t.cells):
        root.must[i] = b.counts[i] + forced[i]
        root.may[i] = rack[i]
    root.loose = b.jokers
    root.handed = forced[JOKER_AT]
    root.spare = rack[JOKER_AT]
    for i in range(ways):
        status = cases_from(t, b, &old[i], 0, &root, objective, everything, first, second, best)
        if status != FOUND:
            return status
    while t.case_count and not (best.first == first and best.second == second):
        at = 0
        for i in range(1, t.case_count):
            if better(t.cases[i].first, t.cases[i].second, t.cases[at].first, t.cases[at].second):
                at = i
        c = t.cases[at]
        if not better(c.first, c.second, best.first, best.second):
            break
        t.case_count -= 1
        t.cases[at] = t.cases[t.case_count]
        status = decide_set(t, b, &c, objective, everything, best)
        if status != FOUND:
            return status
    if best.first < 0:
        return NOTHING
    out[0] = best[0]
    return FOUND


cdef int decide_set(Turner *t, const Board *b, const Case *c, int objective, bint everything,
                    Turn *best) noexcept nogil:
    """The set in which a loose joker ends, decided in every way."""
    cdef int number, colour, length, status
    cdef uint64_t all_, some
    cdef Set s
    for number in range(t.ways.numbers):
        all_ = group_mask(t, number)
        some = all_
        while some:
            if bits(some) >= MIN_SET:
                s.run = False
                s.first = number
                s.length = bits(some)
                status = fill_shape(t, b, c, &s, some, objective, everything, best)
                if status != FOUND:
                    return status
            some = (some - 1) & all_
    for colour in range(t.ways.colors):
        for number in range(t.ways.numbers - MIN_SET + 1):
            for length in range(MIN_SET, t.ways.numbers - number + 1):
                s.run = True
                s.first = number
                s.length = length
                status = fill_shape(t, b, c, &s, run_mask(number, length, colour), objective, everything, best)
                if status != FOUND:
                    return status
    return FOUND


cdef int fill_shape(Turner *t, const Board *b, const Case *c, const Set *shape, uint64_t tiles, int objective,
                    bint everything, Turn *best) noexcept nogil:
    """The shape with jokers at every one or two places, and each way to say which of them are loose or stay."""
    cdef uint64_t left = tiles, one, two, second, real, lacking = 0
    cdef int cell, stay, k, status
    cdef Set s = shape[0]
    while left:
        cell = low(left)
        left &= left - 1
        k = c.must[cell] + c.may[cell]
        for stay in range(c.stay_count):
            k -= c.stays[stay] == cell
        if k == 0:
            lacking |= bit(cell)
    if bits(lacking) > MOST_JOKERS:
        return FOUND
    one = tiles
    while one:
        real = one & (~one + 1)
        one &= one - 1
        second = one  # places above the first
        two = 0
        while True:
            # stay: -1 or the joker that stays and is in this set as well
            for stay in range(-1, c.stay_count):
                if stay >= 0 and not bit(c.stays[stay]) & tiles & ~(real | two):
                    continue
                s.mask = tiles & ~(real | two)
                if stay >= 0:
                    s.mask &= ~bit(c.stays[stay])
                if not s.mask or s.mask & lacking:
                    continue
                s.jokers = s.length - bits(s.mask)
                status = label_jokers(t, b, c, &s, stay, objective, everything, best)
                if status != FOUND:
                    return status
            if not second:
                break
            two = second & (~second + 1)
            second &= second - 1
    return FOUND


cdef int label_jokers(Turner *t, const Board *b, const Case *c, const Set *s, int stay, int objective,
                      bint everything, Turn *best) noexcept nogil:
    cdef Case child
    cdef int jokers = s.jokers - (stay >= 0), rack = c.handed + c.spare, used, status, cell, k
    cdef uint64_t left
    if c.wild:
        if s.run or stay < 0:
            return FOUND
    elif c.loose == 1 and not stands_elsewhere(t, s, c.meant):
        return FOUND
    for used in range(max(1, jokers - rack), min(c.loose, jokers) + 1):
        if t.ways.new and not c.wild and lay_before(b, s.mask, s.jokers - used):
            continue
        if stay < 0 and used == jokers and can_be_cut(t, b, s, used):
            continue
        child = c[0]
        if stay >= 0:
            cell = c.stays[stay]
            child.must[cell] -= 1
            child.stay_count -= 1
            child.stays[stay] = c.stays[child.stay_count]
        left = s.mask
        while left:
            cell = low(left)
            left &= left - 1
            k = child.must[cell]
            if child.stay_count and child.stays[0] == cell:
                k -= 1
            if k:
                child.must[cell] -= 1
            else:
                child.may[cell] -= 1
                child.laid[cell] += 1
        child.loose -= used
        child.wild = False
        k = min(jokers - used, child.handed)
        child.handed -= k
        child.spare -= jokers - used - k
        child.laid[JOKER_AT] += jokers - used - k
        child.set[child.sets] = s[0]
        child.sets += 1
        status = try_case(t, b, &child, objective, everything, best)
        if status != FOUND:
            return status
    return FOUND


cdef bint stands_elsewhere(Turner *t, const Set *s, uint64_t meant) noexcept nogil:
    """Whether some joker of the set stands for nothing that it stood for."""
    if s.run:
        return run_mask(s.first, s.length, low(s.mask) % LANES) & ~s.mask & ~meant != 0
    return not group_mask(t, s.first) & ~s.mask & meant


cdef bint can_be_cut(Turner *t, const Board *b, const Set *s, int freed) noexcept nogil:
    """Whether real tiles at an end of a run are a set of their own, so that the shorter run does as well."""
    cdef int cut
    cdef uint64_t off, core
    cdef int colour = low(s.mask) % LANES
    if not s.run:
        return False
    for cut in range(MIN_SET, s.length - MIN_SET + 1):
        off = run_mask(s.first, cut, colour)
        core = run_mask(s.first + cut, s.length - cut, colour)
        if not off & ~s.mask and not (t.ways.new and lay_before(b, core & s.mask, s.jokers - freed)):
            return True
        if not core & ~s.mask and not (t.ways.new and lay_before(b, off & s.mask, s.jokers - freed)):
            return True
    return False


# ---------------------------------------------------------------------------------------------------
# Turns
# ---------------------------------------------------------------------------------------------------

cdef int opened_turn(Turner *t, const Board *b, const uint8_t *forced, const uint8_t *rack, int objective,
                     bint everything, Turn *out) noexcept nogil:
    """The best move that lays `forced` and any of `rack` (which are other tiles)."""
    cdef uint8_t must[CELLS]
    cdef int i, status
    cdef bint empty = forced[JOKER_AT] > 0
    for i in range(t.cells):
        must[i] = b.counts[i] + forced[i]
        empty = empty or forced[i] > 0
    status = ask(t, must, rack, b.jokers + forced[JOKER_AT], rack[JOKER_AT], objective, everything, empty)
    if status != FOUND:
        return status
    laid_of(t, forced, out.laid)
    weigh(t, objective, out)
    clear_board(&out.after)
    append_result(t, &out.after)
    if not b.jokers or not (t.ways.replace or t.ways.new) or fits(t, b, out):
        return FOUND
    return by_cases(t, b, forced, rack, objective, everything, out)


cdef int beside_turn(Turner *t, const Board *b, const uint8_t *forced, const uint8_t *rack, int objective,
                     bint everything, Turn *out) noexcept nogil:
    """The best sets of the rack beside the table as it is."""
    cdef int i, status
    cdef bint empty = forced[JOKER_AT] > 0
    for i in range(t.cells):
        empty = empty or forced[i] > 0
    status = ask(t, forced, rack, forced[JOKER_AT], rack[JOKER_AT], objective, everything, empty)
    if status != FOUND:
        return status
    laid_of(t, forced, out.laid)
    weigh(t, objective, out)
    out.after = b[0]
    append_result(t, &out.after)
    return FOUND


cdef int most_value(Turner *t, const uint8_t *tiles, bint every) noexcept nogil:
    """Greatest opening value of sets of these tiles alone, -1 if there is none; with `every` tile in a set.

    Negative below that: a status of the search.
    """
    cdef uint8_t none[CELLS]
    cdef int jokers = tiles[JOKER_AT], status, i, worth = 0
    cdef int objective = FACE if t.ways.opening_joker == FACES and jokers else VALUE
    cdef Board *b = &t.trial.after
    if t.ways.opening_joker == FORBIDDEN:
        jokers = 0
    memset(none, 0, CELLS)
    if every:
        status = ask(t, tiles, none, jokers, 0, objective, False, True)
    else:
        status = ask(t, none, tiles, 0, jokers, objective, False, True)
    if status == NOTHING:
        return -1
    if status != FOUND:
        return -1 - status
    clear_board(b)
    append_result(t, b)
    if objective == VALUE:
        return value_of(b.counts, t.cells)
    for i in range(b.sets):
        worth += faces(t, &b.set[i])
    return worth


cdef int in_order(const void *a, const void *b) noexcept nogil:
    """Melds: dearest first, then a fixed order."""
    cdef const Meld *x = <const Meld *>a
    cdef const Meld *y = <const Meld *>b
    if x.value != y.value:
        return -1 if x.value > y.value else 1
    if x.set.mask != y.set.mask:
        return -1 if x.set.mask < y.set.mask else 1
    if x.set.run != y.set.run:
        return -1 if x.set.run else 1
    return <int>x.set.first - <int>y.set.first


cdef void add_meld(Turner *t, Set *s, uint64_t tiles, uint64_t jokers) noexcept nogil:
    cdef Meld *m
    s.mask = tiles & ~jokers
    s.jokers = bits(jokers)
    if not s.mask or t.meld_count == MOST_MELDS:
        return
    m = &t.melds[t.meld_count]
    m.set = s[0]
    m.value = 0
    if t.ways.opening_joker == FACES:
        m.value = faces(t, s)
    else:
        tiles = s.mask
        while tiles:
            m.value += low(tiles) // LANES + 1
            tiles &= tiles - 1
    t.meld_count += 1


cdef void shape_melds(Turner *t, Set *s, uint64_t tiles, uint64_t held, int jokers) noexcept nogil:
    """The set of these tiles, with jokers for what is not held, and for one or two more."""
    cdef uint64_t lacking = tiles & ~held, rest = tiles & held, one, two, left
    cdef int n = jokers - bits(lacking)
    if n < 0:
        return
    add_meld(t, s, tiles, lacking)
    if n == 0:
        return
    left = rest
    while left:
        one = left & (~left + 1)
        left &= left - 1
        add_meld(t, s, tiles, lacking | one)
        two = left
        while n > 1 and two:
            add_meld(t, s, tiles, lacking | one | (two & (~two + 1)))
            two &= two - 1


cdef void list_melds(Turner *t, const uint8_t *supply) noexcept nogil:
    """Every set that the tiles can make, but for runs that can be cut; dearest first."""
    cdef uint64_t held = mask_of(t, supply), all_, some
    cdef int number, colour, length, jokers = supply[JOKER_AT]
    cdef Set s
    t.meld_count = 0
    for number in range(t.ways.numbers):
        all_ = group_mask(t, number)
        s.run = False
        s.first = number
        some = all_
        while some:
            if bits(some) >= MIN_SET:
                s.length = bits(some)
                shape_melds(t, &s, some, held, jokers)
            some = (some - 1) & all_
    s.run = True
    for colour in range(t.ways.colors):
        for number in range(t.ways.numbers - MIN_SET + 1):
            for length in range(MIN_SET, min(LONGEST_UNCUT, t.ways.numbers - number) + 1):
                s.first = number
                s.length = length
                shape_melds(t, &s, run_mask(number, length, colour), held, jokers)
    qsort(t.melds, t.meld_count, sizeof(Meld), in_order)


cdef bint move_meld(const Set *s, uint8_t *from_, uint8_t *to) noexcept nogil:
    """Take a meld's tiles from one count to another; False, and nothing done, if they are not all there."""
    cdef uint64_t left = s.mask
    if from_[JOKER_AT] < s.jokers:
        return False
    while left:
        if not from_[low(left)]:
            return False
        left &= left - 1
    left = s.mask
    while left:
        from_[low(left)] -= 1
        to[low(left)] += 1
        left &= left - 1
    from_[JOKER_AT] -= s.jokers
    to[JOKER_AT] += s.jokers
    return True


cdef void meld_turn(Turner *t, const Board *b, const Set *s, Turn *out) noexcept nogil:
    """The move that lays a set of the rack beside the table, and no jokers."""
    cdef uint64_t left = s.mask
    memset(out.laid, 0, WIDE)
    while left:
        out.laid[low(left)] = 1
        left &= left - 1
    out.after = b[0]
    add_set(&out.after, s)
    weigh(t, TILES, out)


cdef int opens(Turner *t, const Turn *turn) noexcept nogil:
    """1 if what is laid reaches the threshold as the rules ask, 0 if not, negative a status of the search."""
    cdef int worth
    if not t.ways.uses_table:
        if t.ways.opening_joker != FACES or turn.value >= t.ways.threshold:
            return turn.value >= t.ways.threshold
        worth = most_value(t, turn.laid, True)
    else:
        worth = most_value(t, turn.laid, False)
    return worth if worth < -1 else worth >= t.ways.threshold


cdef int opening_from(Turner *t, const Board *b, const uint8_t *forced, const uint8_t *rack, int last, int worth,
                      int objective, bint everything, int64_t first, int64_t second, Turn *here,
                      Turn *best) noexcept nogil:
    """Branch and bound over the melds from `last` on, besides those in `forced`; `here` is room for a move."""
    cdef uint8_t more[WIDE]
    cdef uint8_t left[WIDE]
    cdef int i, status, reached, value
    for i in range(last, t.meld_count):
        if best.first == first and best.second == second:
            return FOUND
        memcpy(more, forced, WIDE)
        memcpy(left, rack, WIDE)
        if not move_meld(&t.melds[i].set, left, more):
            continue
        value = worth + t.melds[i].value
        if t.ways.uses_table:
            status = opened_turn(t, b, more, left, objective, everything, here)
        else:
            status = beside_turn(t, b, more, left, objective, everything, here)
        if status == NOTHING:
            continue
        if status != FOUND:
            return status
        if not better(here.first, here.second, best.first, best.second):
            continue
        reached = 1 if value >= t.ways.threshold else opens(t, here)
        if reached < 0:
            return -reached - 1
        if reached:
            best[0] = here[0]
            continue
        status = opening_from(t, b, more, left, i, value, objective, everything, first, second, here, best)
        if status != FOUND:
            return status
    return FOUND


cdef int opening_turn(Turner *t, const Board *b, const uint8_t *rack, int objective, bint everything,
                      Turn *out) noexcept nogil:
    """The best move that opens."""
    cdef uint8_t none[WIDE]
    cdef uint8_t supply[WIDE]
    cdef int worth, status, reached
    cdef Turn *here
    memcpy(supply, rack, WIDE)
    if t.ways.opening_joker == FORBIDDEN and not t.ways.uses_table:
        supply[JOKER_AT] = 0
        if everything and rack[JOKER_AT]:
            return NOTHING
    worth = most_value(t, supply, False)
    if worth < -1:
        return -worth - 1
    if worth < t.ways.threshold:
        return NOTHING
    memset(none, 0, WIDE)
    if t.ways.uses_table:
        status = opened_turn(t, b, none, supply, objective, everything, out)
    else:
        status = beside_turn(t, b, none, supply, objective, everything, out)
    if status != FOUND:
        return status
    reached = opens(t, out)
    if reached < 0:
        return -reached - 1
    if reached:
        return FOUND
    here = <Turn *>malloc(sizeof(Turn))
    if here == NULL:
        return OUT_OF_MEMORY
    memcpy(none, supply, WIDE)
    if t.ways.opening_joker == FORBIDDEN:
        none[JOKER_AT] = 0
    list_melds(t, none)
    memset(none, 0, WIDE)
    worth = 0
    here.first = out.first
    here.second = out.second
    out.first = -1
    out.second = -1
    status = opening_from(t, b, none, supply, 0, 0, objective, everything, here.first, here.second, here, out)
    free(here)
    if status == FOUND and out.first < 0:
        return NOTHING
    return status


cdef int best_turn(Turner *t, const Board *b, const uint8_t *rack, bint opened, int objective, bint everything,
                   Turn *out) noexcept nogil:
    """The best move of a rack (TILES, VALUE or WEIGHTS: penalty points); `everything`: only one that empties it."""
    cdef uint8_t none[WIDE]
    cdef int status
    if not opened:
        status = opening_turn(t, b, rack, objective, everything, out)
        if status == FOUND:
            canonical(t, &out.after)
        return status
    memset(none, 0, WIDE)
    status = opened_turn(t, b, none, rack, objective, everything, out)
    if status == FOUND:
        canonical(t, &out.after)
    return status


cdef struct Small:
    # The smallest opening so far: which melds.
    int tiles
    int jokers
    int value
    int count
    int chosen[CELLS]


cdef void smallest_from(Turner *t, const uint8_t *supply, int last, int tiles, int jokers, int value, int count,
                        int *chosen, Small *best) noexcept nogil:
    cdef uint8_t left[WIDE]
    cdef uint8_t none[WIDE]
    cdef int i, lacking = t.ways.threshold - value, size, used, worth
    memset(none, 0, WIDE)
    # No tile is worth more than the highest number.
    if tiles + max(<int>MIN_SET, (lacking + t.ways.numbers - 1) // t.ways.numbers) > best.tiles:
        return
    for i in range(last, t.meld_count):
        worth = t.melds[i].value
        # The melds to come are not dearer than this one.
        if worth == 0 or tiles + MIN_SET * ((lacking + worth - 1) // worth) > best.tiles:
            return
        size = tiles + t.melds[i].set.length
        used = jokers + t.melds[i].set.jokers
        if size > best.tiles:
            continue
        memcpy(left, supply, WIDE)
        if not move_meld(&t.melds[i].set, left, none):
            continue
        chosen[count] = i
        if worth < lacking:
            smallest_from(t, left, i, size, used, value + worth, count + 1, chosen, best)
        elif size < best.tiles or used < best.jokers or (used == best.jokers and value + worth > best.value):
            best.tiles = size
            best.jokers = used
            best.value = value + worth
            best.count = count + 1
            memcpy(best.chosen, chosen, (count + 1) * sizeof(int))


cdef int smallest_opening(Turner *t, const Board *b, const uint8_t *rack, Turn *out) noexcept nogil:
    """The opening of the fewest tiles; of those the fewest jokers, then the most value, then the dearest melds."""
    cdef uint8_t supply[WIDE]
    cdef int chosen[CELLS]
    cdef int i, worth
    cdef Small best
    memcpy(supply, rack, WIDE)
    if t.ways.opening_joker == FORBIDDEN:
        supply[JOKER_AT] = 0
    worth = most_value(t, supply, False)
    if worth < -1:
        return -worth - 1
    if worth < t.ways.threshold:
        return NOTHING
    list_melds(t, supply)
    best.tiles = CELLS
    best.jokers = 0
    best.value = 0
    best.count = 0
    smallest_from(t, supply, 0, 0, 0, 0, 0, chosen, &best)
    if not best.count:
        return NOTHING
    memset(out.laid, 0, WIDE)
    out.after = b[0]
    for i in range(best.count):
        move_meld(&t.melds[best.chosen[i]].set, supply, out.laid)
        add_set(&out.after, &t.melds[best.chosen[i]].set)
    weigh(t, TILES, out)
    canonical(t, &out.after)
    return FOUND


# ---------------------------------------------------------------------------------------------------
# The door
# ---------------------------------------------------------------------------------------------------

OPENING_JOKERS = {"forbidden": FORBIDDEN, "face": FACES, "zero": ZERO}
POOL_ENDS = {"one_more_turn": ONE_MORE_TURN, "until_stuck": UNTIL_STUCK, "forced": FORCED}
MOST_NUMBERS = CELLS // LANES


def why_not(rules):
    """Why the rules are not taken here: the fields and values, "" if they are."""
    asked = {
        "numbers": rules.numbers <= MOST_NUMBERS,
        "jokers": rules.jokers <= MOST_JOKERS,
        "joker_set_locked": not rules.joker_set_locked,
        "jokers_per_set": rules.jokers_per_set == "any",
        "high_one": not rules.high_one,
        "take_back": rules.take_back == "none",
        "joker_destination": rules.joker_destination in ("new", "any"),
        "opening_single_set": not rules.opening_single_set,
    }
    return ", ".join(f"{name}={getattr(rules, name)}" for name, fine in asked.items() if not fine)


cdef class Turning:
    """Owner of the room of one search."""

    def __dealloc__(self):
        work_free(self.t.work)
        free(self.t.melds)
        free(self.t.cases)
        free(self.t.spare)
        free(self.t.trial)


cdef class Turns:
    """Turns under one rule set. Safe to share between threads.

    rules: Rules. names: of the tiles by place in the counts, the joker last. memory: of one search, in bytes.
    Raises UnsupportedRules that names the field (see the head of the module).
    """

    def __init__(self, rules, tuple names not None, int64_t memory):
        cdef str reason = why_not(rules)
        if reason:
            raise UnsupportedRules(f"rules: whole turns in the kernel do not take {reason}")
        self.sweep = Sweep(rules.colors, rules.numbers, names, memory)
        self.tile_names = names
        joker = names[len(names) - 1]
        self.places = {name: at for at, name in enumerate(names) if name != joker}
        self.places[joker] = JOKER_AT
        self.pool = []
        cdef Ways *w = &self.ways
        w.numbers = rules.numbers
        w.colors = rules.colors
        w.copies = rules.copies
        w.jokers = rules.jokers
        w.threshold = rules.opening_threshold
        w.opening_joker = OPENING_JOKERS[rules.opening_joker]
        w.uses_table = rules.opening_uses_table
        w.replace = rules.joker_freeing == "replace"
        w.from_rack = rules.joker_source == "rack"
        w.both = rules.joker_group == "both"
        w.new = rules.joker_destination == "new"
        w.must_play = rules.must_play
        w.draw = rules.draw
        w.joker_penalty = rules.joker_penalty
        w.never_opened = -1 if rules.never_opened_penalty is None else rules.never_opened_penalty
        w.pool_empty = POOL_ENDS[rules.pool_empty]

    cdef Turning borrow(self):
        cdef Turning turning
        cdef int i
        if self.pool:
            return self.pool.pop()
        turning = Turning.__new__(Turning)
        cdef Turner *t = &turning.t
        t.ways = self.ways
        t.cells = self.ways.numbers * LANES
        t.cache = self.sweep.cache
        t.work = work_new(self.sweep.numbers, self.sweep.colors, False, self.sweep.memory)
        t.melds = <Meld *>malloc(MOST_MELDS * sizeof(Meld))
        t.cases = <Case *>malloc(FIRST_CASES * sizeof(Case))
        t.case_room = FIRST_CASES
        t.spare = <Turn *>calloc(1, sizeof(Turn))
        t.trial = <Turn *>calloc(1, sizeof(Turn))
        if t.work == NULL or t.melds == NULL or t.cases == NULL or t.spare == NULL or t.trial == NULL:
            raise MemoryError
        for i in range(t.cells):
            t.penalties[i] = i // LANES + 1
        t.penalties[t.cells] = self.ways.joker_penalty
        return turning

    cdef void give_back(self, Turning turning):
        self.pool.append(turning)

    cdef int read_board(self, table, Board *b) except -1:
        """A table of legal sets in canonical order, within the material."""
        cdef Set s
        cdef int cell, place, first, colour, numbers
        clear_board(b)
        for tiles in table:
            if b.sets >= MOST_SETS - MOST_JOKERS or not MIN_SET <= len(tiles) <= self.ways.numbers:
                raise SolverError(f"table: {quote(tiles)} is no set of a table")
            s.mask = 0
            s.jokers = 0
            s.length = len(tiles)
            s.first = 0
            first = -1
            colour = 0
            numbers = 0
            for place, tile in enumerate(tiles):
                cell = self.places.get(tile, -1)
                if cell < 0:
                    raise SolverError(f"table: {quote(tile)} is no tile of the rules")
                if cell == JOKER_AT:
                    s.jokers += 1
                    continue
                if first < 0:
                    first = place
                    numbers = cell // LANES
                    colour = cell % LANES
                s.mask |= bit(cell)
            if first < 0 or bits(s.mask) + s.jokers != s.length:
                raise SolverError(f"table: {quote(tiles)} is no set of a table")
            # A run as it is written, if its real tiles stand where they would.
            s.run = numbers >= first and numbers - first + s.length <= self.ways.numbers
            if s.run:
                s.first = numbers - first
                s.run = not s.mask & ~run_mask(s.first, s.length, colour)
            if not s.run:
                s.first = numbers
                if s.mask & ~(<uint64_t>0xF << (numbers * LANES)) or s.length > self.ways.colors:
                    raise SolverError(f"table: {quote(tiles)} is no set of a table")
            if b.jokers + s.jokers > self.ways.jokers:
                raise SolverError(f"jokers: more than {self.ways.jokers} on the table")
            add_set(b, &s)
        for cell in range(CELLS):
            if b.counts[cell] > self.ways.copies:
                raise SolverError(f"copies: more than {self.ways.copies} of {self.tile_names[cell]} on the table")
        return 0

    cdef int read_rack(self, tiles, uint8_t *rack) except -1:
        cdef int cell
        memset(rack, 0, WIDE)
        for tile in tiles:
            cell = self.places.get(tile, -1)
            if cell < 0:
                raise SolverError(f"rack: {quote(tile)} is no tile of the rules")
            if rack[cell] == (self.ways.jokers if cell == JOKER_AT else self.ways.copies):
                raise SolverError(f"rack: more than {rack[cell]} of {quote(tile)}")
            rack[cell] += 1
        return 0

    cdef int check_material(self, const Board *b, const uint8_t *rack) except -1:
        """SolverError unless table and rack together are within the material."""
        cdef int cell
        for cell in range(self.ways.numbers * LANES):
            if b.counts[cell] + rack[cell] > self.ways.copies:
                raise SolverError(f"copies: more than {self.ways.copies} of {self.tile_names[cell]}")
        if b.jokers + rack[JOKER_AT] > self.ways.jokers:
            raise SolverError(f"jokers: more than {self.ways.jokers} on table and in rack")
        return 0

    cdef tuple tiles_of(self, const uint8_t *counts):
        """Tile names in canonical order."""
        cdef list out = []
        cdef int colour, number
        for colour in range(self.ways.colors):
            for number in range(self.ways.numbers):
                for _k in range(counts[number * LANES + colour]):
                    out.append(self.tile_names[number * LANES + colour])
        for _k in range(counts[JOKER_AT]):
            out.append(self.tile_names[self.ways.numbers * LANES])
        return tuple(out)

    cdef tuple table_of(self, const Board *b):
        cdef list out = [], tiles
        cdef const Set *s
        cdef int i, cell, place
        joker = self.tile_names[self.ways.numbers * LANES]
        for i in range(b.sets):
            s = &b.set[i]
            tiles = []
            if s.run:
                for place in range(s.first, s.first + s.length):
                    cell = place * LANES + low(s.mask) % LANES
                    tiles.append(self.tile_names[cell] if s.mask & bit(cell) else joker)
            else:
                for cell in range(s.first * LANES, s.first * LANES + LANES):
                    if s.mask & bit(cell):
                        tiles.append(self.tile_names[cell])
                for _k in range(s.jokers):
                    tiles.append(joker)
            out.append(tuple(tiles))
        return tuple(out)

    cdef tuple move_of(self, const Turn *turn):
        return self.tiles_of(turn.laid), self.table_of(&turn.after)

    cdef tuple answered(self, Turning turning, int status, const Turn *turn):
        """What a search found: the move, None for nothing, or its error. The search's room is given back."""
        self.give_back(turning)
        if status == FOUND:
            return self.move_of(turn)
        if status != NOTHING:
            raise_status(turning.t.work, status)
        return None

    def best(self, table, rack, bint opened=True, str objective not None="tiles", *, bint go_out=False):
        """The best move as (tiles laid, sets after it), or None.

        table: legal sets in canonical order; rack: tiles. objective: tiles, value or penalty. go_out: only a move that
        empties the rack. Raises SolverError for bad input, LimitReached where the sets of jokers are too much.
        """
        cdef int code, status
        cdef Turning turning
        cdef Turn turn
        cdef Board b
        cdef uint8_t held[WIDE]
        if objective not in ("tiles", "value", "penalty"):
            raise SolverError(f"objective: {quote(objective)} is none of tiles, value, penalty")
        code = TILES if objective == "tiles" else VALUE if objective == "value" else WEIGHTS
        self.read_board(table, &b)
        self.read_rack(rack, held)
        self.check_material(&b, held)
        turning = self.borrow()
        with nogil:
            status = best_turn(&turning.t, &b, held, opened or self.ways.threshold == 0, code, go_out, &turn)
        return self.answered(turning, status, &turn)

    def smallest_opening(self, table, rack):
        """The opening of the fewest tiles, of those the one worth most, without jokers if there is one; or None."""
        cdef int status
        cdef Turning turning
        cdef Turn turn
        cdef Board b
        cdef uint8_t held[WIDE]
        self.read_board(table, &b)
        self.read_rack(rack, held)
        self.check_material(&b, held)
        turning = self.borrow()
        with nogil:
            status = smallest_opening(&turning.t, &b, held, &turn)
        return self.answered(turning, status, &turn)
