"""All arrangements of a bag of tiles in sets: listed lazily, and counted."""

from libc.stdint cimport int64_t

from ...errors import SolverError

from .lanes cimport solver_now_ns
from .tilesets cimport (
    JOKER_TYPE, MAX_PICKED, MEMORY, Bag, Entry, Reader, Set, Work, Workspace, can_finish, claim, copies_in, covers,
    keep_going, list_all, list_options, list_sets, look_up, low_bit, taken, u64,
)

cdef enum:
    MAX_SECONDS = 1000000000  # a longer limit is this one


# --- counting ---------------------------------------------------------------------------------------------------------

# A number of 128 bits.
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
    e = look_up(w, bag, 0)
    if e != NULL:
        add(w, total, e.low, e.high)
        return
    ways.low = ways.high = 0
    t = list_options(w, bag, 0, low, high)
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
    for at in range(begin, high):
        s = w.sets + w.arena[at]
        # Bare jokers come last and are covered by bare jokers only.
        if not covers(s, t) or s.mask & ~bag.one or s.jokers > bag.jokers:
            continue
        rest = taken(bag, s.mask, s.jokers)
        if copies_in(rest, t):
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


# --- Python -----------------------------------------------------------------------------------------------------------

cdef class Walk:
    """Iterator over the arrangements of a bag, each once, as sorted lists of ranks in their order."""

    cdef Workspace space
    cdef Bag[MAX_PICKED + 1] bags
    cdef int[MAX_PICKED + 1] ranks
    cdef int depth      # sets that are laid; -1: no arrangement is left
    cdef bint begun
    cdef bint busy      # some thread steps on

    def __iter__(self):
        return self

    def __next__(self):
        cdef bint found
        if self.space is None:
            raise SolverError("a list of arrangements is made by Arrangements.arrangements alone")
        if self.busy:
            raise SolverError("a list of arrangements is read by one thread at a time")
        self.busy = True
        with nogil:
            found = self.advance()
        self.busy = False
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
            if w.stop or not can_finish(w, self.bags[0], 0, w.count):
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
                    if self.depth + 1 < MAX_PICKED and can_finish(w, rest, 0, w.count):
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


cdef class Arrangements(Reader):
    """Arrangements under one rule set. Limits and errors: see Reader."""

    cdef Workspace prepare(self, Bag bag):
        """A workspace with all sets of the bag listed."""
        cdef Workspace space = self.workspace()
        with nogil:
            list_sets(&space.w, bag)
            if not space.w.stop:
                list_all(&space.w)
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

    def count_arrangements(self, tiles, *, double seconds=0):
        """How many arrangements `arrangements` would list, without listing them. Raises as `arrangements`.

        seconds: limit, 0 is none (LimitReached).
        """
        cdef Bag bag = self.read(tiles, "tiles")
        cdef Workspace space = self.prepare(bag)
        cdef Wide total
        total.low = total.high = 0
        if seconds > 0:
            space.w.deadline = solver_now_ns() + <int64_t>(min(seconds, MAX_SECONDS) * 1e9)
        with nogil:
            count_ways(&space.w, bag, 0, space.w.count, &total)
        space.check()
        return int(total.high) << 64 | int(total.low)
