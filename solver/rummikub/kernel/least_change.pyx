"""The least changed table: of all arrangements of a bag the one that keeps most sets of a table and moves fewest tiles.

Prices (prices.pyx) bound the worth of an arrangement: KEPT + its tiles for every original that is kept, and the tiles
that other laid sets share with the original that they are matched to, one to one. A kept set is matched with itself in
a best matching (|A & F| + |B & F| <= |F| + |A & B|), so the most worth is the least change. An arrangement falls short
of the bound by the prices of its sets at least. So only sets that are cheap enough are listed, and the arrangements
that are worth as much as the bound are looked for. Where that takes long, the prices are asked again with an original
that is kept for sure, and without it, and so on (branch and bound over the kept originals).
"""

from libc.string cimport memset

from typing import NamedTuple

from ...errors import IllegalPosition, SolverError, quote
from .change cimport Search, State
from .cheap_sets cimport list_cheap
from .matching cimport best_matching
from .prices cimport (
    KEPT, UNIT, Original, Simplex, allow, close_copy, close_prices, copied, find_prices, make_sure, open_prices,
    rule_out, whole,
)
from .tilesets cimport (
    CALLBACK, DOUBT, JOKER_TYPE, MAX_JOKERS, MAX_PICKED, MAX_TABLE, MEMORY, RUNNING, Bag, Entry, Reader, Set, Work,
    Workspace, bits, claim, covers, forget, in_order, keep_going, list_options, look_up, low_bit, room_in_arena, taken,
    u64,
)

# Nodes of the first search, before it is divided: nine of ten easy questions are answered within.
PATIENCE = 160

cdef enum:
    SHORT = 6             # how far below the bound the worth is that is asked for first,
    STRIDE = 4            # and how many times as much further down with every pass


cdef int tiles_differ(const Search *s) noexcept nogil:
    """The order of the picked sets and the best ones by their sorted tiles; 0: the same as far as they go."""
    cdef int i
    cdef const Set *a
    cdef const Set *b
    for i in range(min(s.picked_count, s.best_count)):
        a = s.w.sets + s.picked[i]
        b = s.best + i
        if a.mask != b.mask or a.jokers != b.jokers:
            return in_order(a, b)
    return 0


cdef void arrived(Search *s) noexcept nogil:
    """An arrangement is complete: keep it if it is better than the best one and passes the caller's condition."""
    cdef int rows[MAX_PICKED]
    cdef int columns[MAX_TABLE]
    cdef int row_count = 0, column_count = 0, o, i, kept = 0, shares = 0, worth, differ
    cdef u64 used = 0
    for i in range(s.picked_count):
        for o in range(s.count):
            if s.ranks[o] == s.picked[i] and not used >> o & 1:
                used |= <u64>1 << o
                kept += 1
                shares += s.originals[o].size
                break
        else:
            rows[row_count] = s.picked[i]
            row_count += 1
    for o in range(s.count):
        if not used >> o & 1:
            columns[column_count] = o
            column_count += 1
    if row_count and column_count:
        shares += best_matching(s, rows, row_count, columns, column_count)
    worth = kept * KEPT + shares
    # Those that keep more were looked at before, and refused by the caller.
    if kept != s.level or worth < (s.wanted if s.worth < 0 else s.worth):
        return
    if worth == s.worth:
        # Neither list is the beginning of the other: both cover the same tiles.
        differ = tiles_differ(s)
        if differ == 0:
            for i in range(min(s.picked_count, s.best_count)):
                differ = in_order(s.w.sets + s.picked[i], s.best + i)
                if differ:
                    break
        if differ >= 0:
            return
    if s.owner != NULL and not accepted(s):
        return
    for i in range(s.picked_count):
        s.best[i] = s.w.sets[s.picked[i]]
    s.best_count = s.picked_count
    s.worth = worth
    s.kept = kept
    s.shares = shares


# --- search -----------------------------------------------------------------------------------------------------------

cdef int to_keep(const Search *s, int rank, u64 alive) noexcept nogil:
    """The original that a set is laid as: one that is sure if there is one; -1: none."""
    cdef int o, found = -1
    for o in range(s.w.sets[rank].original, s.count):
        if s.ranks[o] == rank and alive >> o & 1:
            if s.sure >> o & 1:
                return o
            if found < 0:
                found = o
    return found


cdef long long lay(const Search *s, const State *before, int rank, State *after) noexcept nogil:
    """Lay a set, as an original or as a new one; what that costs, -1 if not enough originals survive it."""
    cdef const Set *laid = s.w.sets + rank
    cdef u64 rest
    cdef int o
    cdef long long cost = laid.again
    after.bag = taken(before.bag, laid.mask, laid.jokers)
    after.alive = before.alive
    after.losses = before.losses
    if laid.original >= 0:
        o = to_keep(s, rank, before.alive)
        if o >= 0:
            after.alive ^= <u64>1 << o
            cost = s.keeping[o]
    rest = after.alive
    while rest:
        o = low_bit(rest)
        rest &= rest - 1
        if s.originals[o].mask & ~after.bag.one or s.originals[o].jokers > after.bag.jokers:
            if s.sure >> o & 1:
                return -1
            after.alive ^= <u64>1 << o
            after.losses -= 1
    return cost if after.losses >= 0 else -1


cdef State without_sure(const Search *s, const State *state) noexcept nogil:
    """What is left when the originals that are sure have been kept."""
    cdef State rest = state[0]
    cdef u64 sure = state.alive & s.sure
    cdef int o
    rest.alive ^= sure
    while sure:
        o = low_bit(sure)
        sure &= sure - 1
        rest.bag = taken(rest.bag, s.originals[o].mask, s.originals[o].jokers)
    return rest


cdef int can_afford(Search *s, const State *state, long long slack, long low, long high) noexcept nogil:
    """Whether the bag can be arranged for at most `slack`, the sets taken from the parent's list.

    An entry of the table holds: low, no arrangement costs less; high, 1 + the cost of one that is known.
    """
    cdef Work *w = s.w
    cdef Entry *e
    cdef Bag key = state.bag
    cdef State after
    cdef int t, i, found = 0
    cdef long base = w.top, at, end, place, last
    cdef long long price
    if slack < 0:
        return 0
    if state.bag.one == 0 and state.bag.jokers == 0:
        return 1
    if not keep_going(w):
        return 0
    if s.patience and w.nodes > s.patience:
        w.stop = DOUBT
        return 0
    key.jokers += (MAX_JOKERS + 1) * state.losses
    e = look_up(w, key, state.alive)
    if e != NULL:
        if <u64>slack < e.low:
            return 0
        if e.high and <u64>slack + 1 >= e.high:
            return 1
    t = list_options(w, state.bag, slack, low, high)
    if t >= 0:
        end = w.top
        if not room_in_arena(w, end - base):
            return 0
        for at in range(base, end):
            if covers(w.sets + w.arena[at], t):
                # Cheap sets first.
                place = w.top
                while place > end and w.sets[w.arena[place - 1]].price > w.sets[w.arena[at]].price:
                    w.arena[place] = w.arena[place - 1]
                    place -= 1
                w.arena[place] = w.arena[at]
                w.top += 1
        last = w.top
        for at in range(end, last):
            i = w.arena[at]
            price = lay(s, state, i, &after)
            if price >= 0 and can_afford(s, &after, slack - price, base, end):
                found = 1
                break
            if w.stop:
                break
    w.top = base
    if not w.stop:
        e = claim(w, key, state.alive)
        if found:
            e.high = <u64>slack + 1
        else:
            e.low = <u64>slack + 1
    return found


cdef inline long long slack_for(const Search *s, long long worth) noexcept nogil:
    """What the sets of an arrangement that is worth so much can cost in all."""
    return s.prices.bound - worth * UNIT


cdef long long allowed(const Search *s) noexcept nogil:
    """What all sets may cost so that the arrangement can still be better than the best one.

    Sets come in the fixed order, so an arrangement that is worth the same is better only if its sorted sets are not
    behind those of the best one so far. They can be equal and written in another way.
    """
    if s.worth < 0:
        return slack_for(s, s.wanted)
    return slack_for(s, s.worth + (tiles_differ(s) > 0))


cdef int goal(const Search *s) noexcept nogil:
    """What an arrangement must be worth to be good enough."""
    return s.worth if s.worth >= 0 else s.wanted


cdef void every_way(Search *s, const State *state, long long spent, int last, long low, long high) noexcept nogil:
    """Visit the arrangements that can be better than the best one, sets in their order from rank `last` on."""
    cdef Work *w = s.w
    cdef Bag bag = state.bag
    cdef State after, rest
    cdef int t, rank
    cdef long long price
    cdef long base = w.top, at, end
    if bag.one == 0 and bag.jokers == 0:
        arrived(s)
        return
    if s.picked_count == MAX_PICKED or not keep_going(w):
        return
    if s.patience and w.nodes > s.patience:
        w.stop = DOUBT
        return
    if list_options(w, bag, allowed(s) - spent, low, high) >= 0:
        end = w.top
        # The first tile that is left is the first tile of the next set; equal first tiles: sets in their order.
        t = low_bit(bag.one) if bag.one else JOKER_TYPE
        for at in range(base, end):
            rank = w.arena[at]
            if rank < last or rank < w.first[t]:
                continue
            if rank >= w.first[t + 1] or w.stop:
                break
            price = lay(s, state, rank, &after)
            if price < 0:
                continue
            s.picked[s.picked_count] = rank
            s.picked_count += 1
            rest = without_sure(s, &after)
            if can_afford(s, &rest, allowed(s) - spent - price, base, end):
                every_way(s, &after, spent + price, rank, base, end)
            s.picked_count -= 1
    w.top = base


cdef void try_all(Search *s, const Simplex *x, u64 patience) noexcept nogil:
    """Visit the arrangements of a part that are good enough, if its prices do not tell that there are none.

    patience: nodes after which the search is in doubt, 0: none.
    """
    cdef State start, rest
    cdef long long slack
    s.open = x.open
    s.sure = x.sure
    s.picked_count = 0
    s.patience = s.w.nodes + patience if patience else 0
    start.bag = s.bag
    start.alive = s.open | s.sure
    start.losses = bits(start.alive) - s.level
    if start.losses < 0:
        return
    forget(s.w)
    rest = without_sure(s, &start)
    slack = allowed(s)
    list_cheap(s, rest.bag, slack)
    if can_afford(s, &rest, slack, 0, s.w.count):
        every_way(s, &start, 0, 0, 0, s.w.count)


cdef void take_prices(Search *s, Simplex *x) noexcept nogil:
    """The prices of a part, its pivots counted as nodes."""
    cdef int before = x.pivots, _
    find_prices(x, goal(s), &s.prices)
    x.bound = s.prices.bound
    for _ in range(before, x.pivots):
        keep_going(s.w)


cdef Simplex *part_of(Search *s, const Simplex *x) noexcept nogil:
    cdef Simplex *part = copied(x)
    if part == NULL:
        s.w.stop = MEMORY
    return part


cdef void settle(Search *s, Simplex *x) noexcept nogil:
    """Visit the arrangements of a part that are as good as the best one or better.

    x: some originals are sure to be kept, others are not kept; it has its prices, and is used up. A part is divided by
    the original that the programme keeps most nearly by a half. Where there is none, the programme tells which are
    kept, and the search has only their rest to arrange; then come the parts without one of these.
    """
    cdef Simplex *part
    cdef u64 kept
    cdef int half, o
    if x.bound < <long long>goal(s) * UNIT or not keep_going(s.w):
        s.missed = max(s.missed, x.bound)
        return
    kept = whole(x, &half)
    if half < 0 and bits(x.sure | kept) != s.level:
        # The programme stopped before its end.
        try_all(s, x, 0)
        return
    part = part_of(s, x)
    if part == NULL:
        return
    if half >= 0:
        make_sure(part, half)
        take_prices(s, part)
        rule_out(x, half)
        take_prices(s, x)
        if part.bound >= x.bound:
            settle(s, part)
            settle(s, x)
        else:
            settle(s, x)
            settle(s, part)
        close_copy(part)
        return
    settle_kept(s, part, kept)
    close_copy(part)
    kept = doubtful(s, x, kept)
    while kept and not s.w.stop:
        o = low_bit(kept)
        kept &= kept - 1
        part = part_of(s, x)
        if part == NULL:
            return
        rule_out(part, o)
        take_prices(s, part)
        settle(s, part)
        close_copy(part)
        make_sure(x, o)


cdef void settle_kept(Search *s, Simplex *x, u64 kept) noexcept nogil:
    """Visit the arrangements that keep these originals beside the sure ones, and no other."""
    cdef int least = s.wanted, step = 1
    while kept:
        make_sure(x, low_bit(kept))
        kept &= kept - 1
    x.open = 0
    take_prices(s, x)
    if x.bound < <long long>goal(s) * UNIT:
        s.missed = max(s.missed, x.bound)
        return
    s.wanted = max(least, min(s.tried - 1, <int>(x.bound // UNIT)))
    while True:
        try_all(s, x, 0)
        if s.worth >= 0 or s.wanted == least or s.w.stop:
            break
        s.wanted = max(least, s.wanted - step)
        step *= 2
    s.wanted = least
    s.missed = max(s.missed, <long long>(least - 1) * UNIT)


cdef u64 doubtful(Search *s, Simplex *x, u64 kept) noexcept nogil:
    """Those of the originals without which an arrangement may be good enough; the others are sure from now on."""
    cdef Simplex *part
    cdef u64 rest = kept, left = 0
    cdef int o
    while rest and not s.w.stop:
        o = low_bit(rest)
        rest &= rest - 1
        part = part_of(s, x)
        if part == NULL:
            return 0
        rule_out(part, o)
        take_prices(s, part)
        if part.bound < <long long>goal(s) * UNIT:
            make_sure(x, o)
        else:
            left |= <u64>1 << o
        close_copy(part)
    return left


cdef void best_of_kept(Search *s, const Simplex *x) noexcept nogil:
    """Fill s.best with the best arrangement that keeps s.level originals; s.worth stays -1 if there is none."""
    cdef Simplex *part
    cdef long long bound = s.prices.bound
    cdef int least = s.level * KEPT, step = SHORT
    s.wanted = <int>(bound // UNIT)
    s.tried = s.wanted + 1
    if s.first:
        try_all(s, x, s.first)
        if s.w.stop == DOUBT:
            s.w.stop = RUNNING
        elif s.worth >= 0 or s.wanted == least:
            return
        else:
            s.tried = s.wanted
    # A part that is visited down to worthless arrangements, with better ones in another, takes all the time.
    while not s.w.stop:
        s.wanted = max(least, s.wanted - step)
        step *= STRIDE
        s.missed = -1
        part = part_of(s, x)
        if part == NULL:
            return
        part.bound = bound
        settle(s, part)
        close_copy(part)
        if s.worth >= 0 or s.wanted == least or s.missed < <long long>least * UNIT:
            return
        s.tried = s.wanted


cdef void find_best(Search *s, Bag bag) noexcept nogil:
    """Fill s.best, keeping as many originals as can be; s.worth stays -1 if the caller's condition refuses all."""
    cdef Simplex *x = open_prices(s.w, bag, s.originals, s.count)
    cdef int kept = s.count
    s.bag = bag
    s.worth = -1
    s.visits = 0
    if x == NULL:
        s.w.stop = MEMORY
        return
    while kept >= 0 and s.worth < 0 and not s.w.stop:
        allow(x, kept)
        find_prices(x, 0, &s.prices)
        if s.prices.bound < 0:
            break  # nothing is worth less than 0: there is no arrangement
        # The bound is seldom a whole number of originals: with the number that can be kept it is a better bound.
        if s.prices.bound < <long long>kept * KEPT * UNIT:
            kept = <int>(s.prices.bound // (KEPT * UNIT))
            continue
        s.level = kept
        best_of_kept(s, x)
        kept -= 1
    close_prices(x)


# --- Python -----------------------------------------------------------------------------------------------------------

class Change(NamedTuple):
    """The least changed table.

    table: its sets in canonical order. kept: original sets that lie in it unchanged (multiset). moved: table tiles
    minus the best one-to-one matching of final to original sets.
    """

    table: tuple
    kept: int
    moved: int


cdef class Condition:
    """A caller's condition on arrangements."""

    cdef Workspace space
    cdef object accept


cdef int accepted(Search *s) noexcept with gil:
    """Ask the caller's condition; an error in it stops the search."""
    cdef Condition owner = <Condition>s.owner
    try:
        return 1 if owner.accept(owner.space.table(s.picked, s.picked_count)) else 0
    except BaseException as error:
        owner.space.failure = error
        s.w.stop = CALLBACK
        return 0


cdef class LeastChange(Reader):
    """Least changed tables under one rule set. Limits and errors: see Reader.

    patience: nodes of the first search, before it is divided; it changes the effort, never the answer.
    """

    cdef u64 patience

    def __init__(self, rules, *, patience=PATIENCE, **limits):
        Reader.__init__(self, rules, **limits)
        if not isinstance(patience, int) or isinstance(patience, bool) or not 0 <= patience < 1 << 62:
            raise SolverError(f"patience: must be a number of nodes from 0, not {quote(patience)}")
        self.patience = patience

    def least_change(self, table, tiles, *, accept=None):
        """The least changed of all arrangements of `tiles`, seen from `table`; None if there is none.

        table: the original sets, in canonical order (a set that is not legal counts as broken). tiles: the bag after
        the move: all tiles of the table, tiles laid, less tiles taken. Least: most original sets kept (as written,
        jokers at their places), then fewest moved tiles (jokers are equal tiles there), then first in the fixed order.
        accept: called with a final table (canonical) that would be the answer; False passes it over. Returns a
        Change. Raises ParseError, IllegalPosition, LimitReached; errors of `accept` come through.
        """
        cdef Bag bag = self.read(tiles, "tiles")
        cdef Workspace space = self.workspace()
        cdef Condition condition = Condition()
        cdef Search s
        cdef int i, size = 0
        if len(table) > MAX_TABLE:
            raise IllegalPosition([f"table: {len(table)} sets are more than {MAX_TABLE}"])
        s.w = &space.w
        s.first = self.patience
        s.owner = NULL
        s.count = s.picked_count = s.best_count = s.kept = s.shares = 0
        for tiles_of_set in table:
            self.read_original(tiles_of_set, bag, s.originals + s.count, s.shapes + s.count)
            size += s.originals[s.count].size
            s.count += 1
        if accept is not None:
            condition.space = space
            condition.accept = accept
            s.owner = <void *>condition
        with nogil:
            find_best(&s, bag)
        space.check()
        if s.worth < 0:
            return None
        s.w.count = 0
        for i in range(s.best_count):
            s.w.sets[i] = s.best[i]
            s.picked[i] = i
        return Change(space.table(s.picked, s.best_count), s.kept, size - s.shares)

    cdef int read_original(self, tiles, Bag bag, Original *o, Set *shape) except -1:
        cdef int t, legal = self.shape(tiles, shape)
        memset(o, 0, sizeof(Original))
        for tile in tiles:
            t = self.type_of(tile, "table")
            o.size += 1
            if t == JOKER_TYPE:
                o.jokers += 1
            elif o.mask >> t & 1:
                raise IllegalPosition([f"table: {tile} twice in one set"])
            else:
                o.mask |= <u64>1 << t
        o.keepable = legal and not o.mask & ~bag.one and o.jokers <= bag.jokers
        return 0
