"""Bags of tiles, and all sets that fit one: what the questions about arrangements share.

A bag is three bit planes and a number of jokers, so a set fits a bag if its mask lies in the first plane, and taking a
set away is three instructions. The sets that a question looks at are listed first, sorted in the fixed order of the
rules (sorted tiles, jokers last); the index of a set in that list is its rank. docs/rummikub-cover.md tells how the
searches work; comments here say what a function takes for granted.
"""

from libc.stdlib cimport free, malloc, realloc, qsort
from libc.string cimport memset

from .lanes cimport solver_now_ns

from ...errors import IllegalPosition, LimitReached, ParseError, SolverError, UnsupportedRules, quote

cdef extern from *:
    int PyErr_CheckSignals()

cdef enum:
    COUNTED = 6           # options of a tile are told apart up to this number
    PROBES = 8            # slots of a table that one key may use
    POLL = 0x3FFF         # nodes between two looks at Ctrl-C

PER_SET = {"any": ANY, "one": ONE, "minority": MINORITY}


# --- limits -----------------------------------------------------------------------------------------------------------

cdef int keep_going(Work *w) noexcept nogil:
    """Count a node; 0 when the search has to stop."""
    w.nodes += 1
    if w.nodes > w.node_limit and not w.stop:
        w.stop = NODES
    if w.nodes & POLL == 0:
        if w.deadline and not w.stop and solver_now_ns() > w.deadline:
            w.stop = TIME
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

cdef inline u64 hashed(Bag bag, u64 marks) noexcept nogil:
    cdef u64 h = bag.one * 0x9E3779B97F4A7C15ULL
    h = (h ^ (h >> 29) ^ bag.two) * 0xBF58476D1CE4E5B9ULL
    h = (h ^ (h >> 32) ^ bag.three) * 0x94D049BB133111EBULL
    h = (h ^ (h >> 31) ^ marks) * 0x9E3779B97F4A7C15ULL
    h = (h ^ (h >> 30) ^ <u64>bag.jokers) * 0xBF58476D1CE4E5B9ULL
    return h ^ (h >> 31)


cdef inline Entry *slot_of(Entry *table, u64 slots, Bag bag, u64 marks) noexcept nogil:
    """The slot that holds the key, else a free one, else the first one of its place (to be overwritten)."""
    cdef u64 home = hashed(bag, marks)
    cdef Entry *e
    cdef int i
    for i in range(PROBES):
        e = table + ((home + <u64>i) & (slots - 1))
        if e.jokers < 0 or is_at(e, bag, marks):
            return e
    return table + (home & (slots - 1))


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
            slot_of(table, slots, bag, e.marks)[0] = e[0]
    free(w.table)
    w.held += <size_t>(slots - w.slots) * sizeof(Entry)
    w.table = table
    w.slots = slots


cdef Entry *look_up(Work *w, Bag bag, u64 marks) noexcept nogil:
    """The entry of a bag, NULL if nothing is known of it."""
    cdef Entry *e = slot_of(w.table, w.slots, bag, marks)
    return e if is_at(e, bag, marks) else NULL


cdef Entry *claim(Work *w, Bag bag, u64 marks) noexcept nogil:
    """The entry of a bag, made fresh (low and high 0) if there was none."""
    cdef Entry *e
    if w.used * 2 > w.slots:
        grow(w)
    e = slot_of(w.table, w.slots, bag, marks)
    if not is_at(e, bag, marks):
        if e.jokers < 0:
            w.used += 1
        e.one = bag.one
        e.two = bag.two
        e.three = bag.three
        e.jokers = bag.jokers
        e.marks = marks
        e.low = 0
        e.high = 0
    return e


cdef void forget(Work *w) noexcept nogil:
    """Make all entries free."""
    cdef u64 i
    for i in range(w.slots):
        w.table[i].jokers = -1
    w.used = 0


# --- sets -------------------------------------------------------------------------------------------------------------

cdef void offer(Work *w, u64 mask, u64 places, int jokers, int size, int kind, int color, int first,
                long long price) noexcept nogil:
    """Append a set to the list; the list has to be sorted afterwards."""
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
    s.places = places
    s.jokers = <short>jokers
    s.size = <short>size
    s.kind = <short>kind
    s.color = <short>color
    s.first = <short>first
    s.order = 0
    s.price = price
    s.again = price
    s.original = -1
    w.count += 1


cdef int jokers_fit(const Work *w, int real, int jokers) noexcept nogil:
    """Whether the rules allow so many jokers beside so many real tiles."""
    if w.per_set == ONE:
        return jokers <= 1
    if w.per_set == MINORITY:
        return real > jokers
    return 1


cdef void grow_run(Work *w, Bag bag, int color, int first, int size, u64 mask, u64 places,
                   int jokers) noexcept nogil:
    """Offer the run if it is one, and every longer one with the same beginning."""
    cdef int t, real = size - jokers
    cdef u64 bit
    if w.stop or not keep_going(w):
        return
    # One real tile at the front and jokers behind it is written like a group, and is listed as one.
    if size >= MIN_SET and mask and jokers_fit(w, real, jokers) and not (
            real == 1 and not places & 1 and size <= w.colors):
        offer(w, mask, places, jokers, size, RUN, color, first, 0)
    if first + size >= run_end(w, first):
        return
    t = place_type(w, color, first + size)
    bit = <u64>1 << t
    if bag.one & bit:
        grow_run(w, bag, color, first, size + 1, mask | bit, places, jokers)
    if jokers < bag.jokers and not (w.per_set == ONE and jokers == 1):
        grow_run(w, bag, color, first, size + 1, mask, places | (<u64>1 << size), jokers + 1)


cdef void list_groups(Work *w, Bag bag, int number) noexcept nogil:
    cdef int chosen, c, jokers, real
    cdef u64 mask
    for chosen in range(1, 1 << w.colors):
        mask = 0
        for c in range(w.colors):
            if chosen >> c & 1:
                mask |= <u64>1 << (c * w.numbers + number)
        if mask & ~bag.one:
            continue
        real = bits(mask)
        for jokers in range(max(0, MIN_SET - real), min(bag.jokers, w.colors - real) + 1):
            if jokers_fit(w, real, jokers):
                offer(w, mask, 0, jokers, real + jokers, GROUP, low_bit(<u64>chosen), number, 0)


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


cdef void sort_sets(Work *w) noexcept nogil:
    """Bring the listed sets in order, each once with its least price, and fill w.first."""
    cdef int i, kept = 0, t = 0
    qsort(w.sets, <size_t>w.count, sizeof(Set), in_order)
    for i in range(w.count):
        if kept and in_order(w.sets + kept - 1, w.sets + i) == 0:
            w.sets[kept - 1].price = min(w.sets[kept - 1].price, w.sets[i].price)
            continue
        w.sets[kept] = w.sets[i]
        if kept:
            w.sets[kept].order = w.sets[kept - 1].order + (
                w.sets[kept].mask != w.sets[kept - 1].mask or w.sets[kept].jokers != w.sets[kept - 1].jokers)
        while t <= (low_bit(w.sets[kept].mask) if w.sets[kept].mask else JOKER_TYPE):
            w.first[t] = kept
            t += 1
        kept += 1
    w.count = kept
    while t <= JOKER_TYPE + 1:
        w.first[t] = w.count
        t += 1


cdef void list_sets(Work *w, Bag bag) noexcept nogil:
    """Fill w.sets with all sets that fit the bag, sorted."""
    cdef int color, number, size
    for number in range(w.numbers):
        list_groups(w, bag, number)
    for color in range(w.colors):
        for number in range(w.numbers):
            grow_run(w, bag, color, number, 0, 0, 0, 0)
    if w.per_set == ANY:
        for size in range(MIN_SET, min(bag.jokers, max(w.numbers, w.colors)) + 1):
            offer(w, 0, 0, size, size, GROUP, 0, 0, 0)
    sort_sets(w)


cdef int list_all(Work *w) noexcept nogil:
    """Put all sets into the arena as the list of the root; 0 if there is no room."""
    cdef int i
    w.top = 0
    if not room_in_arena(w, w.count):
        return 0
    for i in range(w.count):
        w.arena[i] = i
    w.top = w.count
    return 1


# --- exact cover ------------------------------------------------------------------------------------------------------

cdef int list_options(Work *w, Bag bag, long long slack, long low, long high) noexcept nogil:
    """Append the sets of the parent's list that still fit and cost no more than `slack` to the arena.

    Returns the type to branch on, which the fewest sets hold (JOKER_TYPE if only jokers are left), -1 at a dead end.
    """
    cdef u64 counted[COUNTED + 1]
    cdef u64 m
    cdef int i, k
    cdef long at
    cdef const Set *s
    if not room_in_arena(w, high - low):
        return -1
    for k in range(COUNTED + 1):
        counted[k] = 0
    for at in range(low, high):
        i = w.arena[at]
        s = w.sets + i
        if s.mask & ~bag.one or s.jokers > bag.jokers or s.price > slack:
            continue
        w.arena[w.top] = i
        w.top += 1
        m = s.mask
        for k in range(COUNTED, 0, -1):
            counted[k] |= counted[k - 1] & m
        counted[0] |= m
    if bag.one & ~counted[0]:
        return -1
    if bag.one == 0:
        return JOKER_TYPE
    for k in range(COUNTED):
        m = counted[k] & ~counted[k + 1]
        if m:
            return low_bit(m)
    return low_bit(bag.one)


cdef int can_finish(Work *w, Bag bag, long low, long high) noexcept nogil:
    """Whether the bag can be arranged, the sets taken from the parent's list. `low` of an entry: 1 yes, 2 no."""
    cdef Entry *e
    cdef int t, i, found = 0
    cdef long base = w.top, at, end
    if bag.one == 0 and bag.jokers == 0:
        return 1
    if not keep_going(w):
        return 0
    e = look_up(w, bag, 0)
    if e != NULL:
        return e.low == 1
    t = list_options(w, bag, 0, low, high)
    if t >= 0:
        end = w.top
        for at in range(base, end):
            i = w.arena[at]
            if covers(w.sets + i, t) and can_finish(w, taken(bag, w.sets[i].mask, w.sets[i].jokers), base, end):
                found = 1
                break
            if w.stop:
                break
    w.top = base
    if not w.stop:
        claim(w, bag, 0).low = 1 if found else 2
    return found


# --- Python -----------------------------------------------------------------------------------------------------------

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
    """The memory of one call; freed with it. failure: an error that the caller's own function raised."""

    def __cinit__(self):
        memset(&self.w, 0, sizeof(Work))

    def __dealloc__(self):
        free(self.w.sets)
        free(self.w.arena)
        free(self.w.table)

    cdef int check(self) except -1:
        if self.w.stop == NODES:
            raise LimitReached(f"nodes: more than {self.w.node_limit} are needed")
        if self.w.stop == TIME:
            raise LimitReached("seconds: no answer within the limit")
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


cdef class Reader:
    """Reads tiles for the questions about one rule set, and refuses what does not fit the bit planes.

    memory: bytes that one call may use for its tables; nodes: search nodes that one call may use (a node is one bag
    of tiles). A call that would need more raises LimitReached; nothing is approximated. UnsupportedRules for more
    than 64 different real tiles, and for a table of more than 64 sets that could lie under the rules. Many threads
    can use one reader at once: each call works in memory of its own, without the GIL.
    """

    def __init__(self, rules, *, memory=DEFAULT_MEMORY, nodes=DEFAULT_NODES):
        if rules.colors * rules.numbers > MAX_TYPES:
            raise UnsupportedRules(f"numbers: {rules.numbers} in {rules.colors} colors are more than {MAX_TYPES} "
                                   f"different tiles")
        if rules.copies > 3 or (rules.colors * rules.numbers * rules.copies + rules.jokers) // MIN_SET > MAX_TABLE:
            raise UnsupportedRules(f"copies: {rules.copies} of every tile can make more than {MAX_TABLE} sets")
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

    cdef Workspace workspace(self):
        """An empty workspace with the rules and limits of the reader."""
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
        w.room = FIRST_SETS
        w.arena_room = FIRST_ARENA
        w.slots = FIRST_SLOTS
        w.sets = <Set *>malloc(FIRST_SETS * sizeof(Set))
        w.arena = <int *>malloc(FIRST_ARENA * sizeof(int))
        w.table = new_table(FIRST_SLOTS)
        w.held = FIRST_SETS * sizeof(Set) + FIRST_ARENA * sizeof(int) + FIRST_SLOTS * sizeof(Entry)
        if w.sets == NULL or w.arena == NULL or w.table == NULL:
            raise MemoryError
        return space

    cdef bint shape(self, tiles, Set *s) except -1:
        """The set as the lists of sets hold it; False if it is no set of the rules as it is written."""
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
            return self.per_set == ANY and n <= max(self.numbers, self.colors)
        if (self.per_set == ONE and s.jokers > 1) or (self.per_set == MINORITY and s.jokers >= real):
            return False
        if n <= self.colors and group and bits(s.mask) == real and (real > 1 or not s.places & 1):
            s.first = s.color
            s.places = 0
            s.kind = GROUP
            return True
        s.kind = RUN
        s.color = <short>color
        s.first = <short>first
        return run and first >= 0 and first + n <= self.numbers + (1 if self.high_one and first > 0 else 0)
