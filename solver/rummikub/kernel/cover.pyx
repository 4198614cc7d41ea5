"""Exact cover of one bag of tiles by sets: listing, counting, least change of a table, and repair.

A bag of tiles is three bit planes and a number of jokers: bit t of plane k says that type t (colour * numbers +
number - 1, at most 64 types) lies in the bag at least k times, so a set fits a bag if its mask lies in plane 1, and
taking a set away is three instructions. Every question first lists all sets that fit the whole bag, sorted in the
fixed order of the rules (sorted tiles, jokers last); the index of a set in that list is its rank.
docs/rummikub-cover.md explains the searches; comments here say what a function takes for granted.
"""

from libc.stdlib cimport calloc, free, malloc, realloc, qsort
from libc.string cimport memcpy, memset

from typing import NamedTuple

from ...errors import IllegalPosition, LimitReached, ParseError, SolverError, UnsupportedRules, quote

ctypedef unsigned long long u64

cdef extern from *:
    """
    #define low_bit(x) __builtin_ctzll(x)
    #define bits(x) __builtin_popcountll(x)
    """
    int low_bit(u64) noexcept nogil
    int bits(u64) noexcept nogil
    int PyErr_CheckSignals()

cdef enum:
    MAX_TYPES = 64        # types of real tiles in one machine word
    JOKER_TYPE = 64       # sorts after every real tile
    MAX_ORIGINALS = 64    # sets of a table in one machine word
    MAX_PICKED = 70       # sets of one arrangement: (3 * 64 + 8) / 3 and some room
    MAX_JOKERS = 8
    MIN_SET = 3
    COUNTED = 6           # options of a tile are told apart up to this number
    PROBES = 8            # slots of a table that one key may use
    POLL = 0x3FFF         # nodes between two looks at Ctrl-C
    CHEAP_NODES = 300     # a search that ends earlier needs no prices
    UNIT = 65536          # price of one original
    IMPOSSIBLE = 100      # more than any number of sets that can be broken

cdef enum Stop:
    RUNNING = 0
    NODES = 1
    MEMORY = 2
    SIGNAL = 3
    CALLBACK = 4
    PRICES = 5            # not an end: the search starts again with prices

cdef enum Kind:
    GROUP = 0
    RUN = 1

# How jokers may sit in one set.
cdef enum PerSet:
    ANY = 0
    ONE = 1
    MINORITY = 2

PER_SET = {"any": ANY, "one": ONE, "minority": MINORITY}

# mask: its real tiles; face: what its jokers can stand for; places: bit i = a joker at place i of a run;
# order: equal for sets with the same sorted tiles, increasing with the rank; reach: most tiles shared with an original.
ctypedef struct Set:
    u64 mask
    u64 face
    u64 places
    int order
    short jokers
    short size
    short kind
    short first     # index of the first place of a run (0 = number 1); number index of a group
    short color
    short reach
    int price

# A bag: planes and jokers.
ctypedef struct Bag:
    u64 one
    u64 two
    u64 three
    int jokers

ctypedef struct Entry:
    u64 one
    u64 two
    u64 three
    u64 alive
    u64 low
    u64 high
    int jokers      # -1: free slot

ctypedef struct Original:
    u64 mask
    u64 twins       # identical originals with a lower index
    int jokers
    int size
    int rank        # of the set among the candidates; -1: no legal set, or it does not fit the bag

ctypedef struct Work:
    # rules
    int colors
    int numbers
    int high_one
    int per_set
    # candidates
    Set *sets
    int count
    int room
    int first[MAX_TYPES + 2]
    # lists of candidates of the nodes on the path
    int *arena
    long top
    long arena_room
    # transpositions
    Entry *table
    u64 slots
    u64 used
    size_t memory
    size_t held
    u64 nodes
    u64 node_limit
    int stop
    # least change
    Original originals[MAX_ORIGINALS]
    int originals_count
    int type_price[MAX_TYPES + 1]
    void *owner             # the Workspace, if the caller has a condition
    u64 owners[MAX_TYPES + 1]
    u64 only_new
    int surplus             # tiles of the bag minus tiles of the table
    int budget
    int stays_count
    u64 stays[MAX_JOKERS]
    int picked[MAX_PICKED]
    int picked_count
    int best[2 * MAX_PICKED]
    int best_count
    int best_moved          # -1: none yet
    int best_kept
    # prices (all 0 until they are asked for)
    u64 soft_limit          # nodes after which prices are worth their cost; 0: no limit
    int spare[MAX_ORIGINALS]
    int bonus[MAX_ORIGINALS]


# --- bags -------------------------------------------------------------------------------------------------------------

cdef inline Bag taken(Bag bag, u64 mask, int jokers) noexcept nogil:
    cdef Bag rest
    rest.three = bag.three & ~mask
    rest.two = bag.two & (~mask | bag.three)
    rest.one = bag.one & (~mask | bag.two)
    rest.jokers = bag.jokers - jokers
    return rest


cdef inline Bag added(Bag bag, u64 mask, int jokers) noexcept nogil:
    cdef Bag more
    more.three = bag.three | (bag.two & mask)
    more.two = bag.two | (bag.one & mask)
    more.one = bag.one | mask
    more.jokers = bag.jokers + jokers
    return more


cdef inline int real_tiles(Bag bag) noexcept nogil:
    return bits(bag.one) + bits(bag.two) + bits(bag.three)


# --- limits -----------------------------------------------------------------------------------------------------------

cdef int keep_going(Work *w) noexcept nogil:
    """Count a node; 0 when the search has to stop."""
    w.nodes += 1
    if w.nodes > w.node_limit and not w.stop:
        w.stop = NODES
    if w.soft_limit and w.nodes > w.soft_limit and not w.stop:
        w.stop = PRICES
    if w.nodes & POLL == 0:
        with gil:
            if not w.stop and PyErr_CheckSignals():
                w.stop = SIGNAL
    return w.stop == RUNNING


cdef int room_in_arena(Work *w, long more) noexcept nogil:
    cdef long room = w.arena_room
    cdef int *grown
    if w.top + more <= room:
        return 1
    while room < w.top + more:
        room *= 2
    if w.held + <size_t>(room - w.arena_room) * sizeof(int) > w.memory:
        w.stop = MEMORY
        return 0
    grown = <int *>realloc(w.arena, <size_t>room * sizeof(int))
    if grown == NULL:
        w.stop = MEMORY
        return 0
    w.held += <size_t>(room - w.arena_room) * sizeof(int)
    w.arena = grown
    w.arena_room = room
    return 1


# --- transpositions ---------------------------------------------------------------------------------------------------

cdef inline u64 hashed(Bag bag, u64 alive) noexcept nogil:
    cdef u64 h = bag.one * 0x9E3779B97F4A7C15ULL
    h = (h ^ (h >> 29) ^ bag.two) * 0xBF58476D1CE4E5B9ULL
    h = (h ^ (h >> 32) ^ bag.three) * 0x94D049BB133111EBULL
    h = (h ^ (h >> 31) ^ alive) * 0x9E3779B97F4A7C15ULL
    h = (h ^ (h >> 30) ^ <u64>bag.jokers) * 0xBF58476D1CE4E5B9ULL
    return h ^ (h >> 31)


cdef inline Entry *slot_of(Entry *table, u64 slots, Bag bag, u64 alive) noexcept nogil:
    """The slot that holds the key, else a free one, else the first one of its place (to be overwritten)."""
    cdef u64 home = hashed(bag, alive)
    cdef Entry *e
    cdef int i
    for i in range(PROBES):
        e = table + ((home + <u64>i) & (slots - 1))
        if e.jokers < 0:
            return e
        if (e.one == bag.one and e.two == bag.two and e.three == bag.three and e.alive == alive
                and e.jokers == bag.jokers):
            return e
    return table + (home & (slots - 1))


cdef inline int is_at(Entry *e, Bag bag, u64 alive) noexcept nogil:
    return (e.jokers == bag.jokers and e.one == bag.one and e.two == bag.two and e.three == bag.three
            and e.alive == alive)


cdef Entry *new_table(u64 slots) noexcept nogil:
    cdef Entry *table = <Entry *>malloc(<size_t>slots * sizeof(Entry))
    cdef u64 i
    if table != NULL:
        for i in range(slots):
            table[i].jokers = -1
    return table


cdef void grow(Work *w) noexcept nogil:
    """Four times as many slots if the memory allows; else old entries will be overwritten, which costs only time."""
    cdef u64 slots = w.slots * 4
    cdef Entry *table
    cdef Entry *e
    cdef Bag bag
    cdef u64 i
    if w.held + <size_t>slots * sizeof(Entry) > w.memory:
        return
    table = new_table(slots)
    if table == NULL:
        return
    for i in range(w.slots):
        e = w.table + i
        if e.jokers >= 0:
            bag.one = e.one
            bag.two = e.two
            bag.three = e.three
            bag.jokers = e.jokers
            slot_of(table, slots, bag, e.alive)[0] = e[0]
    free(w.table)
    w.held += <size_t>(slots - w.slots) * sizeof(Entry)
    w.table = table
    w.slots = slots


cdef inline Entry *claim(Work *w, Bag bag, u64 alive) noexcept nogil:
    """The entry of a key, made fresh (low and high 0) if it was not there."""
    cdef Entry *e
    if w.used * 2 > w.slots:
        grow(w)
    e = slot_of(w.table, w.slots, bag, alive)
    if not is_at(e, bag, alive):
        if e.jokers < 0:
            w.used += 1
        e.one = bag.one
        e.two = bag.two
        e.three = bag.three
        e.jokers = bag.jokers
        e.alive = alive
        e.low = 0
        e.high = 0
    return e


# --- candidates: all sets that fit the bag ----------------------------------------------------------------------------

cdef void offer(Work *w, u64 mask, u64 face, u64 places, int jokers, int size, int kind, int color,
                int first) noexcept nogil:
    cdef Set *grown
    cdef Set *s
    if w.stop:
        return
    if w.count == w.room:
        if w.held + <size_t>w.room * sizeof(Set) > w.memory:
            w.stop = MEMORY
            return
        grown = <Set *>realloc(w.sets, <size_t>w.room * 2 * sizeof(Set))
        if grown == NULL:
            w.stop = MEMORY
            return
        w.held += <size_t>w.room * sizeof(Set)
        w.sets = grown
        w.room *= 2
    s = w.sets + w.count
    s.mask = mask
    s.face = face
    s.places = places
    s.jokers = <short>jokers
    s.size = <short>size
    s.kind = <short>kind
    s.color = <short>color
    s.first = <short>first
    s.order = 0
    s.reach = 0
    s.price = 0
    w.count += 1


cdef inline int jokers_fit(Work *w, int real, int jokers) noexcept nogil:
    if w.per_set == ONE:
        return jokers <= 1
    if w.per_set == MINORITY:
        return real > jokers
    return 1


cdef inline int place_type(Work *w, int color, int place) noexcept nogil:
    """Type of a place of a run; the place behind the highest number is the high 1."""
    return color * w.numbers + (0 if place == w.numbers else place)


cdef void grow_run(Work *w, Bag bag, int color, int first, int size, u64 mask, u64 face, u64 places,
                   int jokers) noexcept nogil:
    """Offer the run if it is one, and every longer one with the same beginning."""
    cdef int end = w.numbers + (1 if w.high_one and first > 0 else 0)
    cdef int t, real = size - jokers
    cdef u64 bit
    if w.stop or not keep_going(w):
        return
    # One real tile at the front and jokers behind it is written like a group, and is listed as one.
    if size >= MIN_SET and mask and jokers_fit(w, real, jokers) and not (
            real == 1 and not places & 1 and size <= w.colors):
        offer(w, mask, face, places, jokers, size, RUN, color, first)
    if first + size >= end:
        return
    t = place_type(w, color, first + size)
    bit = <u64>1 << t
    if bag.one & bit:
        grow_run(w, bag, color, first, size + 1, mask | bit, face, places, jokers)
    if jokers < bag.jokers and not (w.per_set == ONE and jokers == 1):
        grow_run(w, bag, color, first, size + 1, mask, face | bit, places | (<u64>1 << size), jokers + 1)


cdef void list_groups(Work *w, Bag bag, int number) noexcept nogil:
    cdef int chosen, c, jokers, real
    cdef u64 mask, face
    for chosen in range(1, 1 << w.colors):
        mask = face = 0
        for c in range(w.colors):
            if chosen >> c & 1:
                mask |= <u64>1 << (c * w.numbers + number)
            else:
                face |= <u64>1 << (c * w.numbers + number)
        if mask & ~bag.one:
            continue
        real = bits(mask)
        for jokers in range(max(0, MIN_SET - real), min(bag.jokers, w.colors - real) + 1):
            if jokers_fit(w, real, jokers):
                offer(w, mask, face, 0, jokers, real + jokers, GROUP, low_bit(<u64>chosen), number)


cdef int reads_as_run(Work *w, Set *s) noexcept nogil:
    """Whether a set that is listed as a group is written like a run too: one real tile and jokers behind it."""
    cdef int end = w.numbers + (1 if w.high_one and s.first > 0 else 0)
    return s.kind == GROUP and s.size - s.jokers == 1 and s.first + s.size <= end


cdef int in_order(const void *left, const void *right) noexcept nogil:
    """The fixed order: sorted tiles with jokers last, a set before its extension, then the sets as they are written."""
    cdef Set *a = <Set *>left
    cdef Set *b = <Set *>right
    cdef u64 differ = a.mask ^ b.mask
    cdef u64 bit
    if differ:
        bit = differ & (~differ + 1)
        # The other set has a higher tile or a joker there, or has ended.
        if a.mask & bit:
            return -1 if b.mask >= bit or b.jokers else 1
        return 1 if a.mask >= bit or a.jokers else -1
    if a.jokers != b.jokers:
        return a.jokers - b.jokers
    return written_first(a, b)


cdef int written_first(Set *a, Set *b) noexcept nogil:
    """Order of two sets with the same tiles: at the first place where only one has a joker, the other comes first.

    Two runs that begin with different real tiles are one from 1 and one to the high 1: the one from 1 comes first.
    """
    cdef u64 x = joker_places(a)
    cdef u64 y = joker_places(b)
    cdef u64 differ = x ^ y
    if a.kind == RUN and b.kind == RUN and a.first != b.first and (x | y) & 1 == 0:
        return a.first - b.first
    if differ == 0:
        return 0
    return 1 if x >> low_bit(differ) & 1 else -1


cdef u64 joker_places(Set *s) noexcept nogil:
    if s.kind == RUN:
        return s.places
    return ((<u64>1 << s.jokers) - 1) << (s.size - s.jokers)


cdef void list_sets(Work *w, Bag bag) noexcept nogil:
    """Fill w.sets, sorted; w.first[t] is the first set whose first real tile is t; bare jokers are of JOKER_TYPE."""
    cdef int color, number, size, i, t
    cdef u64 everything = ~<u64>0 >> (MAX_TYPES - w.colors * w.numbers)
    for number in range(w.numbers):
        list_groups(w, bag, number)
    for color in range(w.colors):
        for number in range(w.numbers):
            grow_run(w, bag, color, number, 0, 0, 0, 0, 0)
    if w.per_set == ANY:
        for size in range(MIN_SET, min(bag.jokers, max(w.numbers, w.colors)) + 1):
            offer(w, 0, everything, 0, size, size, GROUP, 0, 0)
    qsort(w.sets, <size_t>w.count, sizeof(Set), in_order)
    t = 0
    for i in range(w.count):
        if i:
            w.sets[i].order = w.sets[i - 1].order + (
                w.sets[i].mask != w.sets[i - 1].mask or w.sets[i].jokers != w.sets[i - 1].jokers)
        while t <= (low_bit(w.sets[i].mask) if w.sets[i].mask else JOKER_TYPE):
            w.first[t] = i
            t += 1
    while t <= JOKER_TYPE + 1:
        w.first[t] = w.count
        t += 1


cdef int everything_listed(Work *w) noexcept nogil:
    """Put all sets into the arena as the list of the root."""
    cdef int i
    w.top = 0
    if not room_in_arena(w, w.count):
        return 0
    for i in range(w.count):
        w.arena[i] = i
    w.top = w.count
    return 1


# --- can the loose tiles be laid, breaking few sets? ------------------------------------------------------------------
#
# State: loose tiles (the bag) and the alive original sets, which may still be broken. A set is laid from loose tiles;
# where one is missing, an alive original that holds it is broken, and all its tiles become loose. When no tile is
# loose, the alive originals are kept. Without originals this is plain exact cover.

cdef int breaks_needed(Work *w, Set *s, Bag loose, u64 alive, int budget) noexcept nogil:
    """A lower bound of the originals that must be broken to lay the set: owners of missing tiles without a common one.

    IMPOSSIBLE if a tile is nowhere.
    """
    cdef u64 missing = s.mask & ~loose.one
    cdef u64 seen = 0, own
    cdef int n = 0
    while missing:
        own = w.owners[low_bit(missing)] & alive
        missing &= missing - 1
        if own == 0:
            return IMPOSSIBLE
        if own & seen == 0:
            seen |= own
            n += 1
            if n > budget:
                return n
    if s.jokers > loose.jokers:
        own = w.owners[JOKER_TYPE] & alive
        if own == 0:
            return IMPOSSIBLE
        if own & seen == 0:
            n += 1
    return n


cdef int list_options(Work *w, Bag loose, u64 alive, int budget, int slack, long low, long high) noexcept nogil:
    """Append the sets of the parent's list that still fit to the arena; the type to branch on, or -1 at a dead end.

    The type has the fewest options of all loose types, JOKER_TYPE if only jokers are loose.
    """
    cdef u64 within = loose.one, rest = alive if budget > 0 else 0
    cdef u64 counted[COUNTED + 1]
    cdef u64 m
    cdef int jokers = loose.jokers, o, i, k
    cdef long at
    cdef Set *s
    if not room_in_arena(w, high - low):
        return -1
    while rest:
        o = low_bit(rest)
        rest &= rest - 1
        within |= w.originals[o].mask
        jokers += w.originals[o].jokers
    for k in range(COUNTED + 1):
        counted[k] = 0
    for at in range(low, high):
        i = w.arena[at]
        s = w.sets + i
        if s.mask & ~within or s.jokers > jokers or s.price > slack:
            continue
        w.arena[w.top] = i
        w.top += 1
        m = s.mask & loose.one
        if m == 0:
            continue
        if budget > 0 and (s.mask != m or s.jokers > loose.jokers):
            if breaks_needed(w, s, loose, alive, budget) > budget:
                continue
        for k in range(COUNTED, 0, -1):
            counted[k] |= counted[k - 1] & m
        counted[0] |= m
    if loose.one & ~counted[0]:
        return -1
    if loose.one == 0:
        return JOKER_TYPE
    for k in range(COUNTED):
        m = counted[k] & ~counted[k + 1]
        if m:
            return low_bit(m)
    return low_bit(loose.one)


cdef inline int covers(Set *s, int t) noexcept nogil:
    return s.jokers > 0 if t == JOKER_TYPE else s.mask >> t & 1


cdef int can_finish(Work *w, Bag loose, u64 alive, int budget, int slack, long low, long high) noexcept nogil:
    """Whether all loose tiles can be laid by breaking at most `budget` alive originals.

    slack: what the prices of laid sets may still add up to (see `set_prices`).
    """
    cdef Entry *e
    cdef int t, i, wanted, need, found = 0
    cdef long base = w.top, at, end
    if loose.one == 0 and loose.jokers == 0:
        return 1
    if not keep_going(w):
        return 0
    if budget <= 0:
        alive = 0
    # low: no way with fewer breaks than this; high: 1 + the breaks of a way that is known.
    e = slot_of(w.table, w.slots, loose, alive)
    if is_at(e, loose, alive):
        if <u64>budget < e.low:
            return 0
        if e.high and <u64>budget + 1 >= e.high:
            return 1
    t = list_options(w, loose, alive, budget, slack, low, high)
    if t >= 0:
        end = w.top
        for wanted in range(budget + 1):
            for at in range(base, end):
                i = w.arena[at]
                if not covers(w.sets + i, t):
                    continue
                need = breaks_needed(w, w.sets + i, loose, alive, budget)
                if need == wanted and supply(w, i, loose, alive, budget, slack, base, end):
                    found = 1
                    break
            if found or w.stop:
                break
    w.top = base
    if not w.stop:
        e = claim(w, loose, alive)
        if found:
            e.high = <u64>budget + 1
        else:
            e.low = <u64>budget + 1
    return found


cdef int supply(Work *w, int i, Bag loose, u64 alive, int budget, int slack, long low, long high) noexcept nogil:
    """Lay set i, breaking originals for the tiles that it lacks in every possible way, and go on."""
    cdef Set *s = w.sets + i
    cdef u64 missing = s.mask & ~loose.one, own
    cdef int o
    if missing == 0 and s.jokers <= loose.jokers:
        if s.price > slack:
            return 0
        return can_finish(w, taken(loose, s.mask, s.jokers), alive, budget, slack - s.price, low, high)
    if budget <= 0 or slack < 0:
        return 0
    own = alive & w.owners[low_bit(missing) if missing else JOKER_TYPE]
    while own:
        o = low_bit(own)
        own &= own - 1
        if w.originals[o].twins & alive:
            continue
        if supply(w, i, added(loose, w.originals[o].mask, w.originals[o].jokers), alive & ~(<u64>1 << o),
                  budget - 1, slack - w.bonus[o], low, high):
            return 1
    return 0


# --- prices -----------------------------------------------------------------------------------------------------------
#
# Linear programme of the table: how much of each set is laid new and of each original is kept (at most once), so that
# all tiles lie and most originals are kept. Its dual gives every type a price and every original a bonus so that no set
# is priced below 0, and no original, with its bonus, below 1 (UNIT). Then loose tiles at their prices and alive
# originals at price plus bonus bound the kept originals from above. Laying a set lowers the bound by its price,
# breaking an original by its bonus, keeping one by what it is worth above UNIT. Slack is the bound minus what is asked
# for. The programme is solved in floating point, but only integer prices that satisfy the conditions are used, so a bad
# solution costs time and never gives a wrong answer.

cdef enum:
    MAX_ROWS = MAX_TYPES + 1 + MAX_ORIGINALS
    MAX_PIVOTS = 3000
    BLOCK = 512           # sets that are priced before the best of them enters the basis

cdef double ARTIFICIAL = -30.0      # objective of a tile that is not laid
cdef double TINY = 1e-9
cdef double LEAST_GAIN = 1e-6


# The simplex method with the inverse of the basis. Rows: the types of the bag, then one for each original.
ctypedef struct Simplex:
    int rows
    int row_of[MAX_ROWS]
    double inverse[MAX_ROWS][MAX_ROWS]
    double value[MAX_ROWS]
    double dual[MAX_ROWS]
    double column[MAX_ROWS]
    char settled[MAX_ROWS]      # the basic variable of the row is not artificial


cdef double gain_of(Simplex *x, u64 mask, int jokers, int own_row, double worth) noexcept nogil:
    """By how much the objective grows with one more of a set; own_row: of an original, else -1."""
    cdef double gain = worth
    if own_row >= 0:
        gain -= x.dual[own_row]
    if jokers:
        gain -= x.dual[x.row_of[JOKER_TYPE]] * jokers
    while mask:
        gain -= x.dual[x.row_of[low_bit(mask)]]
        mask &= mask - 1
    return gain


cdef int pivot(Simplex *x, u64 mask, int jokers, int own_row, double gain) noexcept nogil:
    """Bring a set into the basis; 0 if no row bounds it."""
    cdef u64 rest
    cdef int row, k, leaving = -1
    cdef double entry, ratio, least = 0, scale
    for row in range(x.rows):
        entry = x.inverse[row][own_row] if own_row >= 0 else 0
        if jokers:
            entry += x.inverse[row][x.row_of[JOKER_TYPE]] * jokers
        rest = mask
        while rest:
            entry += x.inverse[row][x.row_of[low_bit(rest)]]
            rest &= rest - 1
        x.column[row] = entry
        if entry > TINY:
            ratio = x.value[row] / entry
            # Of equal rows an artificial one leaves first, then the one with the largest entry.
            if (leaving < 0 or ratio < least - TINY or (ratio <= least + TINY and (
                    x.settled[row] < x.settled[leaving]
                    or (x.settled[row] == x.settled[leaving] and entry > x.column[leaving])))):
                leaving = row
                least = ratio
    if leaving < 0:
        return 0
    scale = 1.0 / x.column[leaving]
    for k in range(x.rows):
        x.inverse[leaving][k] *= scale
        x.dual[k] += gain * x.inverse[leaving][k]
    x.value[leaving] *= scale
    for row in range(x.rows):
        entry = x.column[row]
        if row != leaving and (entry > TINY or entry < -TINY):
            for k in range(x.rows):
                x.inverse[row][k] -= entry * x.inverse[leaving][k]
            x.value[row] -= entry * x.value[leaving]
    x.settled[leaving] = 1
    return 1


cdef void solve(Work *w, Simplex *x, u64 alive) noexcept nogil:
    cdef int _, i, o, best, best_original, at = 0, looked
    cdef double gain, most
    cdef Original *original
    cdef u64 rest
    for _ in range(MAX_PIVOTS):
        best = best_original = -1
        most = LEAST_GAIN
        rest = alive
        while rest:
            o = low_bit(rest)
            rest &= rest - 1
            original = w.originals + o
            gain = gain_of(x, original.mask, original.jokers, x.row_of[JOKER_TYPE + 1 + o], 1.0)
            if gain > most:
                most = gain
                best_original = o
        # Originals that should lie come first: most of them stay.
        if best_original < 0:
            looked = 0
            while looked < w.count:
                gain = gain_of(x, w.sets[at].mask, w.sets[at].jokers, -1, 0.0)
                if gain > most:
                    most = gain
                    best = at
                looked += 1
                at += 1
                if at == w.count:
                    at = 0
                if looked % BLOCK == 0 and best >= 0:
                    break
            # A row of an original whose limit is not used up has no price: its slack enters when the price is negative.
            if best < 0:
                for o in range(w.originals_count):
                    i = x.row_of[JOKER_TYPE + 1 + o]
                    if i >= 0 and -x.dual[i] > most:
                        most = -x.dual[i]
                        best = i
                if best < 0 or not pivot(x, 0, 0, best, most):
                    return
            elif not pivot(x, w.sets[best].mask, w.sets[best].jokers, -1, most):
                return
        else:
            original = w.originals + best_original
            if not pivot(x, original.mask, original.jokers, x.row_of[JOKER_TYPE + 1 + best_original], most):
                return


cdef int add_row(Simplex *x, int name, int limit, double worth) noexcept nogil:
    cdef int row = x.rows
    x.row_of[name] = row
    x.inverse[row][row] = 1.0
    x.value[row] = limit
    x.dual[row] = worth
    x.rows += 1
    return row


cdef void set_prices(Work *w, int *counts, u64 alive) noexcept nogil:
    """Fill w.type_price, the price of every set, and bonus and spare of every alive original."""
    cdef Simplex *x = <Simplex *>calloc(1, sizeof(Simplex))
    cdef int total[MAX_TYPES + 1]
    cdef int t, o, i, raise_by = 0, price
    cdef Set *s
    if x == NULL:
        return
    memcpy(total, counts, sizeof(total))
    for o in range(w.originals_count):
        if alive >> o & 1:
            for t in range(MAX_TYPES):
                total[t] += w.originals[o].mask >> t & 1
            total[JOKER_TYPE] += w.originals[o].jokers
    for t in range(MAX_ROWS):
        x.row_of[t] = -1
    for t in range(MAX_TYPES + 1):
        if total[t] > 0:
            add_row(x, t, total[t], ARTIFICIAL)
    for o in range(w.originals_count):
        if alive >> o & 1:
            x.settled[add_row(x, JOKER_TYPE + 1 + o, 1, 0)] = 1
    solve(w, x, alive)
    for t in range(MAX_TYPES + 1):
        if total[t] > 0:
            w.type_price[t] = <int>(x.dual[x.row_of[t]] * UNIT)
    free(x)
    # Raise all tiles alike until no set is below 0; then the bonus is what originals lack.
    for i in range(w.count):
        s = w.sets + i
        price = price_of(w, s.mask, s.jokers)
        if price < 0:
            raise_by = max(raise_by, (-price + s.size - 1) // s.size)
    for t in range(MAX_TYPES + 1):
        w.type_price[t] += raise_by
    for i in range(w.count):
        w.sets[i].price = price_of(w, w.sets[i].mask, w.sets[i].jokers)
    for o in range(w.originals_count):
        price = price_of(w, w.originals[o].mask, w.originals[o].jokers)
        w.bonus[o] = max(0, UNIT - price)
        w.spare[o] = price + w.bonus[o] - UNIT


cdef int price_of(Work *w, u64 mask, int jokers) noexcept nogil:
    cdef int price = w.type_price[JOKER_TYPE] * jokers
    while mask:
        price += w.type_price[low_bit(mask)]
        mask &= mask - 1
    return price


cdef int slack_of(Work *w, int *counts, u64 alive, int budget) noexcept nogil:
    """The bound of kept originals minus the number that must be kept."""
    cdef int slack = budget * UNIT, t
    for t in range(MAX_TYPES + 1):
        slack += w.type_price[t] * counts[t]
    while alive:
        slack += w.spare[low_bit(alive)]
        alive &= alive - 1
    return slack


# --- all ways with the fewest breaks ----------------------------------------------------------------------------------

cdef void every_way(Work *w, Bag loose, u64 alive, u64 broken, int budget, int slack, int cost, int last_type,
                    int last, long low, long high) noexcept nogil:
    """Visit every arrangement that breaks `budget` more originals and may move as few tiles as the best one.

    cost: of the laid sets, tiles that no original shares with them, so a lower bound of moved tiles. Sets that cover
    one type after another are laid in their order. Originals that an earlier branch broke and this one does not are
    neither alive nor broken: they are kept.
    """
    cdef int t, i
    cdef u64 rest
    cdef long base = w.top, at, end
    if not keep_going(w):
        return
    if loose.one == 0 and loose.jokers == 0:
        if budget <= 0:
            arrived(w, broken)
            return
        # All that breaks fewer was refused by the caller: break one more, and keep those that were tried before it.
        rest = alive
        while rest and slack >= 0:
            i = low_bit(rest)
            rest &= rest - 1
            alive &= ~(<u64>1 << i)
            every_way(w, added(loose, w.originals[i].mask, w.originals[i].jokers), alive, broken | (<u64>1 << i),
                      budget - 1, slack - w.bonus[i], cost, -1, 0, low, high)
            slack -= w.spare[i]
        return
    if w.best_moved >= 0 and cost + bits(loose.one & w.only_new) - w.surplus > w.best_moved:
        return
    t = list_options(w, loose, alive, budget, slack, low, high)
    if t >= 0:
        end = w.top
        if last_type != JOKER_TYPE and last_type >= 0 and loose.one >> last_type & 1:
            t = last_type
        elif t != JOKER_TYPE or last_type != JOKER_TYPE:
            last = 0
        for at in range(base, end):
            i = w.arena[at]
            if i >= last and covers(w.sets + i, t):
                if breaks_needed(w, w.sets + i, loose, alive, budget) <= budget:
                    every_supply(w, i, t, loose, alive, broken, budget, slack, cost, base, end)
            if w.stop:
                break
    w.top = base


cdef void every_supply(Work *w, int i, int t, Bag loose, u64 alive, u64 broken, int budget, int slack, int cost,
                       long low, long high) noexcept nogil:
    cdef Set *s = w.sets + i
    cdef u64 missing = s.mask & ~loose.one, own, bit, rest_twins
    cdef int o
    cdef Bag rest
    if w.stop:
        return
    if missing == 0 and s.jokers <= loose.jokers:
        rest = taken(loose, s.mask, s.jokers)
        slack -= s.price
        if slack < 0:
            return
        if w.picked_count < MAX_PICKED and can_finish(w, rest, alive, budget, slack, low, high):
            w.picked[w.picked_count] = i
            w.picked_count += 1
            every_way(w, rest, alive, broken, budget, slack, cost + s.size - s.reach, t, i, low, high)
            w.picked_count -= 1
        return
    if budget <= 0 or slack < 0:
        return
    own = alive & w.owners[low_bit(missing) if missing else JOKER_TYPE]
    while own:
        o = low_bit(own)
        own &= own - 1
        bit = <u64>1 << o
        every_supply(w, i, t, added(loose, w.originals[o].mask, w.originals[o].jokers), alive & ~bit, broken | bit,
                     budget - 1, slack - w.bonus[o], cost, low, high)
        # From here on it is kept, and so are its twins: of equal sets the lowest are broken.
        rest_twins = own
        while rest_twins:
            o = low_bit(rest_twins)
            rest_twins &= rest_twins - 1
            if w.originals[o].twins & bit:
                own &= ~(<u64>1 << o)
                alive &= ~(<u64>1 << o)
                slack -= w.spare[o]
        alive &= ~bit
        slack -= w.spare[low_bit(bit)]
        if slack < 0:
            return


cdef int shared_tiles(Set *s, Original *o) noexcept nogil:
    return bits(s.mask & o.mask) + (s.jokers if s.jokers < o.jokers else o.jokers)


cdef int best_matching(Work *w, u64 broken) noexcept nogil:
    """Most tiles that a one-to-one matching of the laid sets to the broken originals shares (Hungarian method)."""
    cdef int rows = w.picked_count, columns = 0, i, j, j0, j1, i0, delta, here, total = 0
    cdef int column[MAX_PICKED + 1]
    cdef int u[MAX_PICKED + 1]
    cdef int v[2 * MAX_PICKED + 1]
    cdef int row_of[2 * MAX_PICKED + 1]
    cdef int way[2 * MAX_PICKED + 1]
    cdef int least[2 * MAX_PICKED + 1]
    cdef char seen[2 * MAX_PICKED + 1]
    while broken:
        columns += 1
        column[columns] = low_bit(broken)
        broken &= broken - 1
    # One empty column for each row, so that a set may stay unmatched and rows never outnumber columns.
    memset(u, 0, sizeof(u))
    memset(v, 0, sizeof(v))
    memset(row_of, 0, sizeof(row_of))
    for i in range(1, rows + 1):
        row_of[0] = i
        j0 = 0
        for j in range(columns + rows + 1):
            least[j] = 1 << 20
            seen[j] = 0
        while True:
            seen[j0] = 1
            i0 = row_of[j0]
            delta = 1 << 20
            j1 = 0
            for j in range(1, columns + rows + 1):
                if seen[j]:
                    continue
                here = -u[i0] - v[j]
                if j <= columns:
                    here -= shared_tiles(w.sets + w.picked[i0 - 1], w.originals + column[j])
                if here < least[j]:
                    least[j] = here
                    way[j] = j0
                if least[j] < delta:
                    delta = least[j]
                    j1 = j
            for j in range(columns + rows + 1):
                if seen[j]:
                    u[row_of[j]] += delta
                    v[j] -= delta
                else:
                    least[j] -= delta
            j0 = j1
            if row_of[j0] == 0:
                break
        while j0:
            j1 = way[j0]
            row_of[j0] = row_of[j1]
            j0 = j1
    for j in range(1, columns + 1):
        if row_of[j]:
            total += shared_tiles(w.sets + w.picked[row_of[j] - 1], w.originals + column[j])
    return total


cdef int place_joker(int joker, int slots, u64 *stays, u64 *face, int *holder, int *seen) noexcept nogil:
    """One augmenting path of the matching of jokers that stay to joker places of the arrangement."""
    cdef int j
    for j in range(slots):
        if stays[joker] & face[j] and not seen[j]:
            seen[j] = 1
            if holder[j] < 0 or place_joker(holder[j], slots, stays, face, holder, seen):
                holder[j] = joker
                return 1
    return 0


cdef int jokers_stay(Work *w, int *ranks, int count) noexcept nogil:
    """Whether different jokers of the arrangement can serve all jokers that must stay in their meaning.

    A set that is a run and a group is read as one of them at a time; jokers alone stand for any tiles.
    """
    cdef int k, reading, unclear = 0
    if w.stays_count == 0:
        return 1
    for k in range(count):
        unclear += reads_as_run(w, w.sets + ranks[k])
    for reading in range(1 << unclear):
        if stay_in_reading(w, ranks, count, reading):
            return 1
    return 0


cdef int stay_in_reading(Work *w, int *ranks, int count, int reading) noexcept nogil:
    """The same where bit i of `reading` makes the i-th set that is both a run."""
    cdef u64 face[MAX_JOKERS]
    cdef int holder[MAX_JOKERS]
    cdef int seen[MAX_JOKERS]
    cdef int slots = 0, i, k, joker, as_run
    cdef u64 rest
    cdef Set *s
    for k in range(count):
        s = w.sets + ranks[k]
        as_run = 0
        if reads_as_run(w, s):
            as_run = reading & 1
            reading >>= 1
        rest = s.places
        for i in range(s.jokers):
            if s.kind == RUN:
                # The i-th joker of a run stands for one tile only.
                face[slots] = <u64>1 << place_type(w, s.color, s.first + low_bit(rest))
                rest &= rest - 1
            elif as_run:
                face[slots] = <u64>1 << place_type(w, s.color, s.first + 1 + i)
            else:
                face[slots] = s.face
            holder[slots] = -1
            slots += 1
    for joker in range(w.stays_count):
        for i in range(slots):
            seen[i] = 0
        if not place_joker(joker, slots, w.stays, face, holder, seen):
            return 0
    return 1


cdef int compare_ranks(const void *a, const void *b) noexcept nogil:
    return (<int *>a)[0] - (<int *>b)[0]


cdef void arrived(Work *w, u64 broken) noexcept nogil:
    """An arrangement is complete: keep it if it is better than the best one and passes the caller's conditions."""
    cdef int ranks[2 * MAX_PICKED]
    cdef int count = 0, moved = 0, o, i, differ = 0
    cdef u64 rest
    # With fewer broken sets, or a broken set laid again, it belongs to a smaller budget and was looked at there.
    if bits(broken) != w.budget:
        return
    rest = broken
    while rest:
        o = low_bit(rest)
        rest &= rest - 1
        moved += w.originals[o].size
        for i in range(w.picked_count):
            if w.picked[i] == w.originals[o].rank:
                return
    moved -= best_matching(w, broken)
    if w.best_moved >= 0 and moved > w.best_moved:
        return
    for i in range(w.picked_count):
        ranks[count] = w.picked[i]
        count += 1
    for o in range(w.originals_count):
        if not broken >> o & 1:
            ranks[count] = w.originals[o].rank
            count += 1
    qsort(ranks, <size_t>count, sizeof(int), compare_ranks)
    if w.best_moved == moved:
        # Neither list is the beginning of the other: both cover the same tiles.
        for i in range(min(count, w.best_count)):
            differ = w.sets[ranks[i]].order - w.sets[w.best[i]].order
            if differ:
                break
        if differ == 0:
            for i in range(min(count, w.best_count)):
                differ = ranks[i] - w.best[i]
                if differ:
                    break
        if differ >= 0:
            return
    if not jokers_stay(w, ranks, count) or (w.owner != NULL and not accepted(w, ranks, count)):
        return
    memcpy(w.best, ranks, <size_t>count * sizeof(int))
    w.best_count = count
    w.best_moved = moved
    w.best_kept = w.originals_count - w.budget


# --- counting ---------------------------------------------------------------------------------------------------------

cdef struct Wide:
    u64 low
    u64 high


cdef void count_ways(Work *w, Bag bag, long low, long high, Wide *total) noexcept nogil:
    """Add the number of arrangements of the bag to `total` (128 bits; an overflow stops the search)."""
    cdef Entry *e
    cdef Wide ways
    cdef int t
    cdef long base = w.top
    if bag.one == 0 and bag.jokers == 0:
        add(w, total, 1, 0)
        return
    if not keep_going(w):
        return
    e = slot_of(w.table, w.slots, bag, 0)
    if is_at(e, bag, 0):
        add(w, total, e.low, e.high)
        return
    ways.low = ways.high = 0
    t = list_options(w, bag, 0, 0, 0, low, high)
    if t >= 0:
        count_covers(w, bag, t, base, base, w.top, &ways)
    w.top = base
    if not w.stop:
        e = claim(w, bag, 0)
        e.low = ways.low
        e.high = ways.high
        add(w, total, ways.low, ways.high)


cdef void count_covers(Work *w, Bag bag, int t, long begin, long low, long high, Wide *total) noexcept nogil:
    """Cover all tiles of one type, with sets in their order so that every choice is counted once; then go on."""
    cdef long at
    cdef Set *s
    cdef Bag rest
    cdef int left
    for at in range(begin, high):
        s = w.sets + w.arena[at]
        # Bare jokers come last and are covered by bare jokers only.
        if not covers(s, t) or s.mask & ~bag.one or s.jokers > bag.jokers:
            continue
        rest = taken(bag, s.mask, s.jokers)
        left = rest.jokers if t == JOKER_TYPE else <int>(rest.one >> t & 1)
        if left:
            count_covers(w, rest, t, at, low, high, total)
        else:
            count_ways(w, rest, low, high, total)


cdef inline void add(Work *w, Wide *total, u64 low, u64 high) noexcept nogil:
    cdef u64 carry
    total.low += low
    carry = total.low < low
    if high + carry < high or total.high + high + carry < total.high:
        w.stop = MEMORY
    total.high += high + carry


# --- fewest tiles to take away ----------------------------------------------------------------------------------------

cdef int idle_jokers(Work *w, int jokers) noexcept nogil:
    """How many of some jokers must be taken away until the others make sets of their own."""
    cdef int longest = max(w.numbers, w.colors), left, sets
    if w.per_set == ANY:
        for left in range(jokers, MIN_SET - 1, -1):
            for sets in range(1, left // MIN_SET + 1):
                if left <= sets * longest:
                    return jokers - left
    return jokers


cdef int can_lose(Work *w, Bag bag, int losses, long low, long high) noexcept nogil:
    """Whether the bag can be arranged after at most `losses` tiles are taken away."""
    cdef Entry *e
    cdef Bag key = bag
    cdef u64 hopeless = 0
    cdef int t, i, found = 0
    cdef long base = w.top, at, end
    if losses < 0:
        return 0
    if bag.one == 0:
        return idle_jokers(w, bag.jokers) <= losses
    if not keep_going(w):
        return 0
    e = slot_of(w.table, w.slots, key, 0)
    if is_at(e, key, 0):
        if <u64>losses < e.low:
            return 0
        if e.high and <u64>losses + 1 >= e.high:
            return 1
    if not room_in_arena(w, high - low):
        return 0
    # Tiles that no set covers are lost; what they leave is judged in the same node.
    t = list_options(w, bag, 0, 0, 0, low, high)
    end = w.top
    if t < 0:
        hopeless = bag.one
        for at in range(base, end):
            hopeless &= ~w.sets[w.arena[at]].mask
        while hopeless and losses >= 0:
            t = low_bit(hopeless)
            bag = taken(bag, <u64>1 << t, 0)
            losses -= 1
            if not bag.one >> t & 1:
                hopeless &= hopeless - 1
        found = can_lose(w, bag, losses, base, end)
    else:
        for at in range(base, end):
            i = w.arena[at]
            if covers(w.sets + i, t) and can_lose(w, taken(bag, w.sets[i].mask, w.sets[i].jokers), losses, base, end):
                found = 1
                break
        if not found and losses > 0:
            found = can_lose(w, taken(bag, <u64>1 << t, 0), losses - 1, base, end)
    w.top = base
    if not w.stop:
        losses += real_tiles(key) - real_tiles(bag)
        e = claim(w, key, 0)
        if found:
            e.high = <u64>losses + 1
        else:
            e.low = <u64>losses + 1
    return found


# --- Python -----------------------------------------------------------------------------------------------------------

class Change(NamedTuple):
    """The least changed table.

    table: its sets in canonical order. kept: original sets that lie in it unchanged (multiset). moved: table tiles
    minus the best one-to-one matching of final to original sets.
    """

    table: tuple
    kept: int
    moved: int


class Repair(NamedTuple):
    """table: the first arrangement, in the fixed order, of what can stay. removed: the fewest tiles in the way."""

    table: tuple
    removed: tuple


DEFAULT_MEMORY = 64 << 20
LEAST_MEMORY = 1 << 20
DEFAULT_NODES = 50_000_000
FIRST_SLOTS = 1 << 9
FIRST_SETS = 512
FIRST_ARENA = 1 << 13


cdef int reraise() except -1:
    """Let an error that is already set in this thread go on its way."""
    return -1


cdef class Workspace:
    """What one call needs; freed with it."""

    cdef Work w
    cdef tuple names
    cdef dict index
    cdef object accept
    cdef object failure

    def __cinit__(self):
        memset(&self.w, 0, sizeof(Work))

    def __dealloc__(self):
        free(self.w.sets)
        free(self.w.arena)
        free(self.w.table)

    cdef int check(self) except -1:
        if self.w.stop == NODES:
            raise LimitReached(f"nodes: more than {self.w.node_limit} are needed")
        if self.w.stop == MEMORY:
            raise LimitReached(f"memory: {self.w.memory} bytes are not enough")
        if self.w.stop == CALLBACK:
            raise self.failure
        if self.w.stop:
            reraise()
        return 0

    cdef tuple written(self, int rank):
        """A set as tiles, in canonical order."""
        cdef Set *s = self.w.sets + rank
        cdef u64 rest
        cdef int i
        cdef list tiles = []
        if s.kind == RUN:
            for i in range(s.size):
                if s.places >> i & 1:
                    tiles.append("J")
                else:
                    tiles.append(self.names[place_type(&self.w, s.color, s.first + i)])
        else:
            rest = s.mask
            while rest:
                tiles.append(self.names[low_bit(rest)])
                rest &= rest - 1
            tiles += ["J"] * s.jokers
        return tuple(tiles)

    cdef tuple table(self, int *ranks, int count):
        """Sets in canonical order of a table: by their first real tile, then as they are written."""
        cdef int i
        cdef dict index = self.index
        keyed = []
        for i in range(count):
            tiles = self.written(ranks[i])
            key = [index[tile] for tile in tiles]
            first = JOKER_TYPE
            for k in key:
                if k != JOKER_TYPE:
                    first = k
                    break
            keyed.append((first, key, tiles))
        keyed.sort()
        return tuple([tiles for _, _, tiles in keyed])


cdef int accepted(Work *w, int *ranks, int count) noexcept with gil:
    """Ask the caller's condition; an error in it stops the search."""
    cdef Workspace owner = <Workspace>w.owner
    try:
        return 1 if owner.accept(owner.table(ranks, count)) else 0
    except BaseException as error:
        owner.failure = error
        w.stop = CALLBACK
        return 0


cdef class Walk:
    """Iterator over the arrangements of a bag, each once, as sorted lists of ranks in their order."""

    cdef Workspace space
    cdef Bag[MAX_PICKED + 1] bags
    cdef int[MAX_PICKED + 1] ranks
    cdef int depth      # sets that are laid; -1: no arrangement is left
    cdef bint begun

    def __iter__(self):
        return self

    def __next__(self):
        cdef bint found
        with nogil:
            found = self.advance()
        self.space.check()
        if not found:
            raise StopIteration
        return self.space.table(self.ranks, self.depth)

    cdef bint advance(self) noexcept nogil:
        """Step to the next arrangement: self.ranks[:self.depth], sorted."""
        cdef Work *w = &self.space.w
        cdef int rank, t
        cdef Bag bag, rest
        if not self.begun:
            self.begun = True
            if w.stop or not can_finish(w, self.bags[0], 0, 0, 0, 0, w.count):
                self.depth = -1
                return False
            self.depth = 0
            rank = 0
        elif self.depth <= 0:
            self.depth = -1
            return False
        else:
            self.depth -= 1
            rank = self.ranks[self.depth] + 1
        while True:
            bag = self.bags[self.depth]
            if bag.one == 0 and bag.jokers == 0:
                return True
            # The first tile that is left is the first tile of the next set; equal first tiles: sets in their order.
            t = low_bit(bag.one) if bag.one else JOKER_TYPE
            rank = max(rank, w.first[t])
            while rank < w.first[t + 1]:
                if w.sets[rank].mask & ~bag.one == 0 and w.sets[rank].jokers <= bag.jokers:
                    rest = taken(bag, w.sets[rank].mask, w.sets[rank].jokers)
                    if self.depth + 1 < MAX_PICKED and can_finish(w, rest, 0, 0, 0, 0, w.count):
                        self.ranks[self.depth] = rank
                        self.depth += 1
                        self.bags[self.depth] = rest
                        break
                rank += 1
            else:
                if w.stop or self.depth == 0:
                    self.depth = -1
                    return False
                self.depth -= 1
                rank = self.ranks[self.depth] + 1


cdef class Cover:
    """Exact questions about the sets of one bag of tiles, for one rule set.

    memory: bytes that one call may use for its tables; nodes: search nodes that one call may use (a node is one bag
    of loose tiles). A call that would need more raises LimitReached; nothing is approximated. UnsupportedRules for
    more than 64 different real tiles, and for a table of more than 64 sets that could lie under the rules. One Cover
    can serve many threads at once: each call works in memory of its own, without the GIL.
    """

    cdef readonly object rules
    cdef readonly size_t memory
    cdef readonly u64 nodes
    cdef tuple names
    cdef dict index
    cdef int colors, numbers, copies, jokers, per_set
    cdef bint high_one

    def __init__(self, rules, *, memory=DEFAULT_MEMORY, nodes=DEFAULT_NODES):
        if rules.colors * rules.numbers > MAX_TYPES:
            raise UnsupportedRules(f"numbers: {rules.numbers} in {rules.colors} colors are more than {MAX_TYPES} "
                                   f"different tiles")
        if rules.copies > 3 or (rules.colors * rules.numbers * rules.copies + rules.jokers) // MIN_SET > MAX_ORIGINALS:
            raise UnsupportedRules(f"copies: {rules.copies} of every tile can make more than {MAX_ORIGINALS} sets")
        if rules.jokers > MAX_JOKERS:
            raise UnsupportedRules(f"jokers: {rules.jokers} are more than {MAX_JOKERS}")
        if not isinstance(memory, int) or isinstance(memory, bool) or not LEAST_MEMORY <= memory < 1 << 62:
            raise SolverError(f"memory: must be a number of bytes from {LEAST_MEMORY}, not {quote(memory)}")
        if not isinstance(nodes, int) or isinstance(nodes, bool) or not 0 < nodes < 1 << 62:
            raise SolverError(f"nodes: must be a positive integer, not {quote(nodes)}")
        self.rules = rules
        self.memory = memory
        self.nodes = nodes
        self.colors = rules.colors
        self.numbers = rules.numbers
        self.copies = rules.copies
        self.jokers = rules.jokers
        self.per_set = PER_SET[rules.jokers_per_set]
        self.high_one = rules.high_one
        self.names = tuple([f"{color}{n}" for color in "RBKO"[:rules.colors] for n in range(1, rules.numbers + 1)])
        self.index = {name: at for at, name in enumerate(self.names)}
        self.index["J"] = JOKER_TYPE

    cdef int type_of(self, tile, field) except -1:
        try:
            return self.index[tile]
        except (KeyError, TypeError):
            raise ParseError(f"{field}: {quote(tile)} is not a tile of these rules") from None

    cdef Bag read(self, tiles, field) except *:
        """The bag of some tiles; IllegalPosition if there are more of one than the rules have."""
        cdef int counts[MAX_TYPES + 1]
        cdef Bag bag
        cdef int t, most
        memset(&bag, 0, sizeof(bag))
        memset(counts, 0, sizeof(counts))
        for tile in tiles:
            t = self.type_of(tile, field)
            counts[t] += 1
            most = self.jokers if t == JOKER_TYPE else self.copies
            if counts[t] > most:
                raise IllegalPosition([f"{field}: more than {most} of {tile}"])
            if t == JOKER_TYPE:
                bag.jokers += 1
            else:
                bag = added(bag, <u64>1 << t, 0)
        return bag

    cdef Workspace prepare(self, Bag bag):
        """A workspace with all sets of the bag listed."""
        cdef Workspace space = Workspace()
        cdef Work *w = &space.w
        space.names = self.names
        space.index = self.index
        w.colors = self.colors
        w.numbers = self.numbers
        w.high_one = self.high_one
        w.per_set = self.per_set
        w.memory = self.memory
        w.node_limit = self.nodes
        w.best_moved = -1
        w.room = FIRST_SETS
        w.arena_room = FIRST_ARENA
        w.slots = FIRST_SLOTS
        w.sets = <Set *>malloc(FIRST_SETS * sizeof(Set))
        w.arena = <int *>malloc(FIRST_ARENA * sizeof(int))
        w.table = new_table(FIRST_SLOTS)
        w.held = FIRST_SETS * sizeof(Set) + FIRST_ARENA * sizeof(int) + FIRST_SLOTS * sizeof(Entry)
        if w.sets == NULL or w.arena == NULL or w.table == NULL:
            raise MemoryError
        with nogil:
            list_sets(w, bag)
            if not w.stop:
                everything_listed(w)
        space.check()
        return space

    def arrangements(self, tiles):
        """Every arrangement of the tiles in sets, lazily, each once, sorted set by set (sorted tiles, then as written).

        An arrangement is a table: a tuple of sets in canonical order. A joker in a run has its place; jokers in a
        group are the same whatever missing colours they stand for; `R5 J J` is one set, run or group. No tiles have
        one arrangement, the empty table. Raises ParseError, IllegalPosition, LimitReached.
        """
        cdef Walk walk = Walk()
        cdef Bag bag = self.read(tiles, "tiles")
        walk.space = self.prepare(bag)
        walk.bags[0] = bag
        return walk

    def arrange(self, tiles):
        """The first arrangement in the fixed order, or None if there is none. Raises as `arrangements`."""
        return next(self.arrangements(tiles), None)

    def count_arrangements(self, tiles):
        """How many arrangements `arrangements` would list, without listing them. Raises as `arrangements`."""
        cdef Bag bag = self.read(tiles, "tiles")
        cdef Workspace space = self.prepare(bag)
        cdef Wide total
        total.low = total.high = 0
        with nogil:
            count_ways(&space.w, bag, 0, space.w.count, &total)
        space.check()
        return int(total.high) << 64 | int(total.low)

    def repair(self, tiles):
        """An arrangement of as many of the tiles as possible, and the smallest set of tiles that is in the way.

        Smallest: fewest tiles (jokers count like others), then first as a sorted list. Raises as `arrangements`.
        """
        cdef Bag bag = self.read(tiles, "tiles")
        cdef Workspace space = self.prepare(bag)
        cdef Work *w = &space.w
        cdef Bag less
        cdef int losses = 0, t = 0
        removed = []
        with nogil:
            while not w.stop and not can_lose(w, bag, losses, 0, w.count):
                losses += 1
        space.check()
        while losses > 0:
            less = bag
            if t == JOKER_TYPE:
                less.jokers -= 1
            elif bag.one >> t & 1:
                less = taken(bag, <u64>1 << t, 0)
            else:
                t += 1
                continue
            with nogil:
                found = can_lose(w, less, losses - 1, 0, w.count)
            space.check()
            if found:
                removed.append("J" if t == JOKER_TYPE else self.names[t])
                bag = less
                losses -= 1
            else:
                t += 1
        left = [self.names[t] for t in range(len(self.names)) for _ in range(
            (bag.one >> t & 1) + (bag.two >> t & 1) + (bag.three >> t & 1))] + ["J"] * bag.jokers
        return Repair(self.arrange(left), tuple(removed))

    def least_change(self, table, tiles, *, stays=(), accept=None):
        """The least changed of all arrangements of `tiles`, seen from `table`; None if there is none.

        table: the original sets, in canonical order (a set that is not legal counts as broken). tiles: the bag after
        the move: all tiles of the table, tiles laid, less tiles taken. Least: most original sets kept (as written,
        jokers at their places), then fewest moved tiles (jokers are equal tiles there), then first in the fixed order.
        stays: for each joker that must keep a meaning, the tiles that it stood for: different jokers of the final
        table must each share a tile with one entry. accept: called with a final table (canonical) that would be the
        answer; False passes it over. Returns a Change. Raises as `arrangements`; errors of `accept` come through.
        """
        cdef Bag bag = self.read(tiles, "tiles")
        cdef Workspace space = self.prepare(bag)
        cdef Work *w = &space.w
        cdef Set wanted
        cdef Original *o
        cdef u64 broken = 0, old = 0, bit
        cdef int i, k, t
        cdef int counts[MAX_TYPES + 1]
        if len(table) > MAX_ORIGINALS:
            raise IllegalPosition([f"table: {len(table)} sets are more than {MAX_ORIGINALS}"])
        if len(stays) > MAX_JOKERS:
            raise IllegalPosition([f"stays: {len(stays)} jokers are more than {MAX_JOKERS}"])
        for k in range(MAX_TYPES + 1):
            counts[k] = 0
        for k in range(MAX_TYPES):
            counts[k] = (bag.one >> k & 1) + (bag.two >> k & 1) + (bag.three >> k & 1)
        counts[JOKER_TYPE] = bag.jokers
        w.surplus = real_tiles(bag) + bag.jokers
        for tiles_of_set in table:
            o = w.originals + w.originals_count
            o.mask = 0
            o.jokers = o.size = 0
            o.rank = -1
            legal = self.shape(tiles_of_set, &wanted)
            for tile in tiles_of_set:
                t = self.type_of(tile, "table")
                counts[t] -= 1
                o.size += 1
                if t == JOKER_TYPE:
                    o.jokers += 1
                elif o.mask >> t & 1:
                    raise IllegalPosition([f"table: {tile} twice in one set"])
                else:
                    o.mask |= <u64>1 << t
            if legal:
                o.rank = rank_of(w, &wanted)
            w.surplus -= o.size
            o.twins = 0
            if o.rank >= 0:
                for i in range(w.originals_count):
                    if w.originals[i].rank == o.rank:
                        o.twins |= <u64>1 << i
                bit = <u64>1 << w.originals_count
                for k in range(MAX_TYPES):
                    if o.mask >> k & 1:
                        w.owners[k] |= bit
                if o.jokers:
                    w.owners[JOKER_TYPE] |= bit
            else:
                broken |= <u64>1 << w.originals_count
            old |= o.mask
            w.originals_count += 1
        w.only_new = bag.one & ~old
        for meanings in stays:
            for tile in meanings:
                t = self.type_of(tile, "stays")
                if t != JOKER_TYPE:
                    w.stays[w.stays_count] |= <u64>1 << t
            w.stays_count += 1
        for i in range(w.count):
            k = 0
            for t in range(w.originals_count):
                k = max(k, shared_tiles(w.sets + i, w.originals + t))
            w.sets[i].reach = <short>k
        # Tiles of sets that are broken from the start are loose.
        for t in range(w.originals_count):
            if broken >> t & 1:
                o = w.originals + t
                for k in range(MAX_TYPES):
                    if o.mask >> k & 1:
                        counts[k] += 1
                counts[JOKER_TYPE] += o.jokers
        if accept is not None:
            space.accept = accept
            w.owner = <void *>space
        with nogil:
            least_broken(w, counts, broken)
        space.check()
        if w.best_moved < 0:
            return None
        return Change(space.table(w.best, w.best_count), w.best_kept, w.best_moved)

    cdef bint shape(self, tiles, Set *s) except -1:
        """The set as the list of candidates would hold it; False if it is no set as written."""
        cdef int n = len(tiles), i, t, color = -1, first = -1, place, real = 0
        cdef bint run = True, group = True
        memset(s, 0, sizeof(Set))
        s.size = <short>n
        if n < MIN_SET or n > MAX_TYPES:
            return False
        for i in range(n):
            t = self.type_of(tiles[i], "table")
            if t == JOKER_TYPE:
                s.jokers += 1
                s.places |= <u64>1 << i
                continue
            real += 1
            place = t % self.numbers
            # A 1 behind other tiles can only be the high one.
            if run and place == 0 and i > 0 and self.high_one:
                place = self.numbers
            if first < 0:
                color = t // self.numbers
                first = place - i
                s.color = <short>(t % self.numbers)
            else:
                run = run and t // self.numbers == color and place - i == first
                group = group and t % self.numbers == s.color
            s.mask |= <u64>1 << t
        if real == 0:
            s.places = 0
            s.first = 0
            return True
        if n <= self.colors and group and bits(s.mask) == real and (real > 1 or not s.places & 1):
            s.first = s.color
            s.places = 0
            s.kind = GROUP
            return True
        s.kind = RUN
        s.color = <short>color
        s.first = <short>first
        return run and first >= 0 and first + n <= self.numbers + (1 if self.high_one and first > 0 else 0)


cdef int rank_of(Work *w, Set *wanted) noexcept nogil:
    """Rank of a set among the candidates, -1 if it is none of them."""
    cdef int low = 0, high = w.count, middle
    while low < high:
        middle = (low + high) // 2
        if in_order(w.sets + middle, wanted) < 0:
            low = middle + 1
        else:
            high = middle
    if low < w.count and in_order(w.sets + low, wanted) == 0:
        return low
    return -1


cdef void least_broken(Work *w, int *counts, u64 broken) noexcept nogil:
    """Fill w.best, raising the number of broken originals until an arrangement passes."""
    cdef u64 alive = (~<u64>0 >> (MAX_ORIGINALS - w.originals_count) if w.originals_count else 0) & ~broken
    cdef int budget = bits(broken)
    w.soft_limit = w.nodes + CHEAP_NODES
    while budget <= w.originals_count:
        w.budget = budget
        from_counts(w, counts, alive, broken, budget - bits(broken))
        if w.stop == PRICES:
            # Once more with prices: what the table of transpositions knows stays true.
            w.stop = RUNNING
            w.soft_limit = 0
            w.picked_count = 0
            everything_listed(w)
            set_prices(w, counts, alive)
            continue
        if w.stop or w.best_moved >= 0:
            return
        budget += 1


cdef void from_counts(Work *w, int *counts, u64 alive, u64 broken, int budget) noexcept nogil:
    """Start the search with the loose tiles; where originals hold more of a type than the bag, break one first."""
    cdef Bag loose
    cdef u64 own, bit
    cdef int _, t, k, o
    cdef int more[MAX_TYPES + 1]
    cdef int slack
    loose.one = loose.two = loose.three = 0
    loose.jokers = counts[JOKER_TYPE]
    for t in range(MAX_TYPES + 1):
        if counts[t] >= 0:
            continue
        own = alive & w.owners[t] if budget > 0 else 0
        while own and not w.stop:
            o = low_bit(own)
            own &= own - 1
            bit = <u64>1 << o
            memcpy(more, counts, sizeof(more))
            for k in range(MAX_TYPES):
                if w.originals[o].mask >> k & 1:
                    more[k] += 1
            more[JOKER_TYPE] += w.originals[o].jokers
            from_counts(w, more, alive & ~bit, broken | bit, budget - 1)
            alive &= ~bit
        return
    for t in range(MAX_TYPES):
        for _ in range(counts[t]):
            loose = added(loose, <u64>1 << t, 0)
    slack = slack_of(w, counts, alive, budget)
    if slack >= 0 and can_finish(w, loose, alive, budget, slack, 0, w.count):
        every_way(w, loose, alive, broken, budget, slack, 0, -1, 0, 0, w.count)
