"""Exact play with few empty circles: expectimax over canonical states.

What the rest of a game is worth depends on little: the empty circles, the boxes left, and for the filled circles that
touch an empty one their number, their free links and their area. A state's key is a sum of hashes, one for each such
circle and area, so states that differ in what no longer matters, or in the order of equal neighbours, are one. Lengths
and sizes that cannot beat the record any more are left out of it, and so are numbers that no box left can join. The
last circle has a closed form: the gain of each of its 14 result classes (but for a river circle, whose gain depends
on the operation too).

Keys have 128 bits: with 10 million states the chance that any two different ones share a key is below 10 ** -24.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from .layout cimport Layouts

from .board cimport (BAD, BAD_FORCED, CIRCLES, COPIES, FACES, LINKS_FREE, NO_LINK, NUMBERS, OPS, RESULTS, ROLLS, Board,
                     Graph, Links, Sheet, Tables, above_of, area_gain, below_of, bit, copy_board, flood, is_over,
                     limit_of, link_gain, next_links, place, score_of, seen_gain, start_links, take, toll, trek_ctz,
                     trek_popcount)

from time import monotonic

cdef enum:
    NEAR_MASK = 4096           # states between two looks at the clock and at Ctrl-C, less one bit pattern
    FIRST_SLOTS = 4096         # slots of a new table
    SLOT_BYTES = 24
    RUNNING = 0
    OUT_OF_TIME = 1
    OUT_OF_NODES = 2
    CANCELLED = 3
    TOO_LARGE = 4              # best chains that could not be found in the memory for it
    NO_TARGET = -1000000
    LEAST = -10000             # below every gain
    END_STEPS = 1 << 16        # steps of a layout at the end of a free sheet

cdef struct Best:
    double good[5][14]
    double bad[5][14]

cdef double LOWEST = -1e9


cdef inline uint64_t mix(uint64_t x) noexcept nogil:
    """The finalizer of splitmix64."""
    x = (x ^ (x >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t>0x94D049BB133111EB
    return x ^ (x >> 31)


cdef inline void add_unit(uint64_t where, uint64_t what, uint64_t *key, uint64_t *check) noexcept nogil:
    """Add one circle, area or chain (`what`) that touches the empty circles `where` to a key."""
    cdef uint64_t x = mix(where * <uint64_t>0x9E3779B97F4A7C15 ^ what * <uint64_t>0xD6E8FEB86659FD93)
    key[0] += x
    x = (x ^ (x >> 29)) * <uint64_t>0xFF51AFD7ED558CCD
    check[0] += x ^ (x >> 32)


cdef class Endgame:
    """Values of endgames of one sheet and one rule set, with a table that stays warm.

    links, bad_rule: as in board.pxd. memory: bytes that the table may take; when it is full, states are worked
    out again. Not for use by two threads at once.
    """

    def __cinit__(self, Graph graph not None, int links, int bad_rule, Py_ssize_t memory):
        if links == LINKS_FREE and not graph.plain:
            raise ValueError("links: free links are for the scores of the base game")
        self.graph = graph
        self.layouts = Layouts(END_STEPS)
        self.links = links
        self.bad_rule = bad_rule
        self.most = FIRST_SLOTS
        while self.most * 2 * SLOT_BYTES <= <uint64_t>max(memory, 0):
            self.most *= 2
        self.capacity = FIRST_SLOTS
        self.slots = <Slot *>calloc(self.capacity, sizeof(Slot))
        if self.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.slots)

    def clear(self):
        """Forget all states."""
        memset(self.slots, 0, self.capacity * sizeof(Slot))
        self.used = 0

    @property
    def states(self):
        """States in the table."""
        return self.used

    def value(self, const uint8_t[::1] cells, const uint8_t[::1] left, const uint8_t[::1] above, target=None,
              double seconds=0, uint64_t nodes=0, cancel=None):
        """(Value before the roll, how it ended): expected final score, or with `target` the chance to reach it.

        seconds, nodes: limits, 0 for none; cancel: a function that says True to stop, or None. The second is 0 when the
        value is exact; else it is 1 (time), 2 (nodes) 3 (cancelled) or 4 (chains
        of a free sheet that do not fit the memory), and the value means nothing.
        """
        cdef Board board
        cdef double result
        cdef int need = 0
        self.graph.load(&board, cells, left, above)
        need = self._begin(&board, target, seconds, nodes, cancel)
        with nogil:
            result = self.before(&board, need)
        self._end()
        return (result if self.reach else result + self.score(&board)), self.stopped

    def moves(self, const uint8_t[::1] cells, const uint8_t[::1] left, const uint8_t[::1] above,
              const uint8_t[::1] moves, target=None, double seconds=0, uint64_t nodes=0, cancel=None):
        """(Values of moves, how it ended); `moves` as `board.moves` gives them. A value is exact unless stopped."""
        cdef Board board, child
        cdef int need = 0
        cdef Py_ssize_t i
        cdef int d, u, gain
        self.graph.load(&board, cells, left, above)
        need = self._begin(&board, target, seconds, nodes, cancel)
        if moves.shape[0] % 5:
            raise ValueError("moves: must be five bytes a move")
        values = []
        for i in range(0, moves.shape[0], 5):
            d = moves[i + 3]
            u = moves[i + 4]
            if (moves[i] >= OPS or not board.left[moves[i]] or moves[i + 1] >= self.graph.circles
                    or not board.open & bit(moves[i + 1]) or moves[i + 2] > BAD):
                raise ValueError(f"moves: number {i // 5} cannot be played")
            if d != 255 and not below_of(&self.graph.sheet, &board, moves[i + 1], moves[i + 2]) & bit(d & 63):
                raise ValueError(f"moves: number {i // 5} cannot be linked to {d}")
            if u != 255 and not above_of(&self.graph.sheet, &board, moves[i + 1], moves[i + 2]) & bit(u & 63):
                raise ValueError(f"moves: number {i // 5} cannot be linked to {u}")
            copy_board(&self.graph.sheet, &child, &board)
            take(&self.graph.sheet, &child, moves[i], moves[i + 1], moves[i + 2], -1 if d == 255 else d,
                 -1 if u == 255 else u)
            gain = self.gained(&child, self.score(&board))
            with nogil:
                value = self.before(&child, need - gain)
            values.append(value if self.reach else value + self.score(&child))
            self._end()
            if self.stopped:
                break
        return values, self.stopped

    def open_ended(self):
        """Set to the expected score without limits; for the kernels that ask for single states."""
        self.node_limit = 0
        self.nodes = 0
        self.deadline = 0
        self.stopped = RUNNING
        self.reach = False
        self.cancel = None
        self.interrupted = False
        self.error = None

    cdef int _begin(self, const Board *board, object target, double seconds, uint64_t nodes, object cancel) except? -1:
        self.nodes = 0
        self.stopped = RUNNING
        self.node_limit = nodes
        self.deadline = monotonic() + seconds if seconds > 0 else 0
        self.interrupted = False
        self.error = None
        self.cancel = cancel
        self.reach = target is not None
        return <int>max(-30000, min(30000, target)) - self.score(board) if self.reach else 0

    cdef int _end(self) except -1:
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        return 0

    cdef void look(self) noexcept nogil:
        """The one poll point: Ctrl-C, the deadline, a caller's wish."""
        if self.node_limit and self.nodes >= self.node_limit:
            self.stopped = OUT_OF_NODES
        with gil:
            try:
                PyErr_CheckSignals()
                if self.deadline and monotonic() > self.deadline:
                    self.stopped = OUT_OF_TIME
                if self.cancel is not None and self.cancel():
                    self.stopped = CANCELLED
            except BaseException as error:  # handed on by _end, outside of the recursion
                self.error = error
                self.interrupted = True
                self.stopped = CANCELLED

    cdef int score(self, const Board *b) noexcept nogil:
        """What values are counted from: the score, but 0 under free links, whose chains are chosen at the end."""
        return 0 if self.links == LINKS_FREE else score_of(&self.graph.tables, b)

    cdef int gained(self, const Board *b, int score) noexcept nogil:
        return 0 if self.links == LINKS_FREE else score_of(&self.graph.tables, b) - score

    cdef double over_value(self, const Board *b, int need) noexcept nogil:
        """The value of a sheet that is over."""
        cdef int total = 0
        cdef uint64_t count = 0
        cdef uint8_t above[64]
        if self.links == LINKS_FREE:
            if self.layouts.solve(&self.graph.sheet, &self.graph.tables, b, &total, &count, above) != 0:
                self.stopped = TOO_LARGE
                return 0
            return (total >= need) if self.reach else total
        return (need <= 0) if self.reach else 0

    cdef double before(self, const Board *b, int need) noexcept nogil:
        """Gain to come before a roll, or the chance to gain `need`."""
        cdef const Sheet *s = &self.graph.sheet
        cdef const Tables *t = &self.graph.tables
        cdef uint64_t key = 0
        cdef uint64_t check = 0
        cdef Slot *slot
        cdef double value
        cdef int gains[14]
        cdef int e
        if self.links != LINKS_FREE and is_over(b):
            return self.over_value(b, need)
        if self.stopped:
            return 0
        if b.empties == 1 and self.links != LINKS_FREE and not s.river & b.empty:
            e = trek_ctz(b.empty)
            last_gains(s, t, b, e, self.links, gains)
            return self.last(s, t, gains, limit_of(s, e), b.left, NO_LINK, need)
        if self.links == LINKS_FREE:
            plain_key(b, need if self.reach else NO_TARGET, &key, &check)
        else:
            key_of(s, t, b, need if self.reach else NO_TARGET, &key, &check)
        slot = self.find(key, check)
        if slot != NULL:
            return slot.value
        self.nodes += 1
        if self.nodes % NEAR_MASK == 0 or self.nodes == self.node_limit:
            self.look()
        value = self.over_value(b, need) if is_over(b) else self.expand(b, need)
        if not self.stopped:
            self.keep(key, check, value)
        return value

    cdef double expand(self, const Board *b, int need) noexcept nogil:
        cdef const Sheet *s = &self.graph.sheet
        cdef const Tables *t = &self.graph.tables
        cdef Best best
        cdef Board child
        cdef Links ways
        cdef int gains[14]
        cdef int op, e, x, makers, limit, roll, gain, price, score
        cdef int usable = 0
        cdef int rest = 0
        cdef uint64_t todo
        cdef double value, top, total
        cdef bint last = b.empties == 2 and self.links != LINKS_FREE and not s.river & b.empty
        for op in range(OPS):
            for x in range(RESULTS):
                best.good[op][x] = LOWEST
                best.bad[op][x] = LOWEST
            if b.left[op]:
                usable |= 1 << op
        score = self.score(b)
        todo = b.open
        while todo:
            e = trek_ctz(todo)
            todo &= todo - 1
            limit = limit_of(s, e)
            for x in range(limit + 2):
                makers = 0
                if x <= limit:
                    makers = t.makers[x] & usable
                else:
                    x = BAD
                    for op in range(OPS):
                        if usable & (1 << op) and t.gives[op] >> (limit + 1):
                            makers |= 1 << op
                if not makers:
                    continue
                start_links(s, b, e, x, self.links, &ways)
                while next_links(&ways):
                    copy_board(s, &child, b)
                    place(s, &child, e, x, ways.d, ways.u)
                    gain = self.gained(&child, score)
                    if last:
                        rest = trek_ctz(child.empty)
                        last_gains(s, t, &child, rest, self.links, gains)
                    for op in range(OPS):
                        if not makers & (1 << op):
                            continue
                        price = toll(s, op, e)
                        if last:
                            value = self.last(s, t, gains, limit_of(s, rest), b.left, op, need - gain)
                        else:
                            child.left[op] -= 1
                            value = self.before(&child, need - gain + price)
                            child.left[op] += 1
                        if not self.reach:
                            value += gain - price
                        if x != BAD:
                            best.good[op][x] = max(best.good[op][x], value)
                        else:
                            best.bad[op][BAD] = max(best.bad[op][BAD], value)
                            if limit < NUMBERS - 1:
                                for roll in range(limit + 1, NUMBERS):
                                    best.bad[op][roll] = max(best.bad[op][roll], value)
                if self.stopped:
                    return 0
        total = 0
        for roll in range(ROLLS):
            top = LOWEST
            for op in range(OPS):
                top = max(top, best.good[op][t.result[roll][op]])
            if top == LOWEST or self.bad_rule != BAD_FORCED:
                for op in range(OPS):
                    top = max(top, best.bad[op][t.result[roll][op]])
            total += t.weight[roll] * top
        return total / FACES

    cdef double last(self, const Sheet *s, const Tables *t, const int *gains, int limit, const uint8_t *left,
                     int used, int need) noexcept nogil:
        """Mean over the rolls of the best gain in the last circle, or the chance of `need`.

        used: an operation with one box less than `left` says, or -1.
        """
        cdef int ops[5]
        cdef int count = 0
        cdef int i, roll, x, top
        cdef int total = 0
        cdef bint good
        for i in range(OPS):
            if left[i] - (1 if i == used else 0) > 0:
                ops[count] = i
                count += 1
        if count == 0:
            return (need <= 0) if self.reach else 0
        for roll in range(ROLLS):
            top = -s.penalty
            if self.bad_rule == BAD_FORCED:
                good = False
                for i in range(count):
                    x = t.result[roll][ops[i]]
                    if x <= limit:
                        top = gains[x] if not good else max(top, gains[x])
                        good = True
            else:
                top = gains[t.result[roll][ops[0]]]
                for i in range(1, count):
                    x = gains[t.result[roll][ops[i]]]
                    if x > top:
                        top = x
            if self.reach:
                total += t.weight[roll] if top >= need else 0
            else:
                total += t.weight[roll] * top
        return <double>total / FACES

    cdef Slot *find(self, uint64_t key, uint64_t check) noexcept nogil:
        cdef uint64_t i = key & (self.capacity - 1)
        check |= 1
        while self.slots[i].check:
            if self.slots[i].key == key and self.slots[i].check == check:
                return &self.slots[i]
            i = (i + 1) & (self.capacity - 1)
        return NULL

    cdef void keep(self, uint64_t key, uint64_t check, double value) noexcept nogil:
        cdef Slot *old
        cdef uint64_t i, n
        if self.used * 4 >= self.capacity * 3:
            if self.capacity * 2 > self.most:
                return
            old = self.slots
            n = self.capacity
            self.slots = <Slot *>calloc(n * 2, sizeof(Slot))
            if self.slots == NULL:
                self.slots = old
                return
            self.capacity = n * 2
            for i in range(n):
                if old[i].check:
                    self.put(old[i].key, old[i].check, old[i].value)
            free(old)
        self.put(key, check | 1, value)
        self.used += 1

    cdef void put(self, uint64_t key, uint64_t check, double value) noexcept nogil:
        cdef uint64_t i = key & (self.capacity - 1)
        while self.slots[i].check:
            i = (i + 1) & (self.capacity - 1)
        self.slots[i].key = key
        self.slots[i].check = check
        self.slots[i].value = value


cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1


cdef void plain_key(const Board *b, int need, uint64_t *key, uint64_t *check) noexcept nogil:
    """The key of a state under free links: all numbers, and the boxes while they matter."""
    cdef int i
    cdef uint64_t boxes = 1
    for i in range(RESULTS):
        if b.num[i]:
            add_unit(b.num[i], i, key, check)
    if b.empties:
        for i in range(OPS):
            boxes = boxes * 128 + min(b.left[i], b.empties)
    add_unit(boxes, 1 << 21, key, check)
    if need != NO_TARGET:
        add_unit(<uint64_t>(need + 100000), 1 << 22, key, check)


cdef void key_of(const Sheet *s, const Tables *t, const Board *b, int need, uint64_t *key,
                 uint64_t *check) noexcept nogil:
    """The key of a state: equal for states that are worth the same from here on."""
    cdef int k = b.empties
    cdef uint64_t touching = 0
    cdef uint64_t todo, area, where
    cdef uint64_t boxes = 0
    cdef uint64_t area_where[64]
    cdef uint64_t area_what[64]
    cdef uint8_t area_size[64]
    cdef int lengths[15]
    cdef int areas = 0
    cdef int makeable = 0
    cdef int op, c, v, i, code, size, sum_of, best_size, length, more, other
    cdef bint up, down, chains, sizes, single
    cdef uint64_t able = 0
    for op in range(OPS):
        boxes = boxes * 128 + min(<int>b.left[op], k)
        if b.left[op]:
            makeable |= t.gives[op]
    todo = b.empty
    while todo:
        touching |= s.near[trek_ctz(todo)]
        todo &= todo - 1
    touching &= ~(b.empty | b.num[BAD])
    memset(lengths, 0, sizeof(lengths))
    # which chain ends can grow, and how long a chain could get
    todo = touching
    while todo:
        c = trek_ctz(todo)
        todo &= todo - 1
        v = b.at[c].value
        up = v < NUMBERS - 1 and not b.up & bit(c) and makeable >> (v + 1) & 1
        down = v > 0 and not b.down & bit(c) and makeable >> (v - 1) & 1
        if up or down:
            able |= bit(c)
            other = b.at[c].other
            if other >= c or not able & bit(other):
                lengths[min(<int>b.at[c].length, 14)] += 1
    length = k
    more = k + 1
    for i in range(14, 0, -1):
        length += i * min(more, lengths[i])
        more -= min(more, lengths[i])
    length = min(length, <int>NUMBERS)
    chains = t.bonus[length] > t.bonus[b.longest]
    # areas that can grow, and how large one could get
    best_size = 0
    for v in range(NUMBERS):
        if not makeable >> v & 1:
            continue
        todo = touching & b.num[v]
        sum_of = 0
        while todo:
            c = trek_ctz(todo)
            size = b.at[c].size
            if size == 1:
                todo &= todo - 1
            else:
                area = flood(s, bit(c), b.num[v])
                where = 0
                code = 0
                while area:
                    i = trek_ctz(area)
                    area &= area - 1
                    todo &= ~bit(i)
                    where |= s.near[i]
                area_where[areas] = where & b.empty
                area_what[areas] = 1 << 20 | v
                area_size[areas] = size
                areas += 1
            sum_of += size
        best_size = max(best_size, k + sum_of)
    sizes = t.bonus[min(best_size, CIRCLES)] > t.bonus[b.largest]
    boxes = boxes << 14 | (<uint64_t>b.longest << 7 if chains else <uint64_t>127 << 7) | (b.largest if sizes else 127)
    add_unit(b.empty, boxes, key, check)
    for v in range(NUMBERS):
        if s.watched & makeable >> v & 1:
            size = min(trek_popcount(b.num[v]), <int>COPIES)
            add_unit(b.empty, <uint64_t>1 << 41 | <uint64_t>(v << 3 | size), key, check)
    if need != NO_TARGET:
        add_unit(b.empty, <uint64_t>1 << 40 | <uint64_t>(need + 100000), key, check)
    for i in range(areas):
        add_unit(area_where[i], area_what[i] | (<uint64_t>area_size[i] << 8 if sizes else 0), key, check)
    todo = touching
    while todo:
        c = trek_ctz(todo)
        todo &= todo - 1
        v = b.at[c].value
        up = v < NUMBERS - 1 and not b.up & bit(c) and makeable >> (v + 1) & 1
        down = v > 0 and not b.down & bit(c) and makeable >> (v - 1) & 1
        single = b.at[c].size == 1 and makeable >> v & 1
        if not (up or down or single):
            continue
        code = 1 << 21 | v | up << 4 | down << 5 | single << 6
        if b.orphan & bit(c):
            code |= 1 << 7
        if up and b.down & bit(c):
            code |= 1 << 8
        if down and b.up & bit(c):
            code |= 1 << 9
        where = s.near[c] & b.empty
        if chains and (up or down):
            code |= b.at[c].length << 10
            other = b.at[c].other
            # a chain that can grow at both ends is told apart from two chains: by a unit of its own, at its lower end
            if b.at[other].value > v and able & bit(other):
                add_unit(where ^ (s.near[other] & b.empty) * <uint64_t>0x9FB21C651E98DF25,
                         1 << 22 | v << 8 | b.at[other].value, key, check)
        add_unit(where, code, key, check)


cdef void last_gains(const Sheet *s, const Tables *t, const Board *b, int e, int rule, int *gains) noexcept nogil:
    """Best gain of each result class in the last empty circle."""
    cdef int limit = limit_of(s, e)
    cdef Links ways
    cdef int x, best, base
    for x in range(limit + 1, RESULTS):
        gains[x] = -s.penalty
    for x in range(limit + 1):
        # an orphan when it joins no area and no way links it
        base = area_gain(s, t, b, e, x) if s.near[e] & b.num[x] else 0
        best = -s.penalty if not s.near[e] & b.num[x] else 0
        start_links(s, b, e, x, rule, &ways)
        if ways.below | ways.above:
            if not (ways.no_below and ways.no_above):
                best = LEAST
            while next_links(&ways):
                if ways.d != NO_LINK or ways.u != NO_LINK:
                    best = max(best, link_gain(s, t, b, x, ways.d, ways.u))
        gains[x] = base + best + seen_gain(s, b, x)
