"""Best chains of a sheet under free links, exact, with the number of ways.

Circles whose numbers differ by one and that touch fall into components. In each, circles are taken from low numbers to
high, and each chooses the circle below that it is linked to, or none. What matters of the past is the length of the
chains whose tops can still be linked up; ways that agree in it and in the longest chain are one. Components meet in the
longest chain alone, whose bonus is paid once.
"""

from libc.stdint cimport int8_t, int32_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

from .board cimport LIMIT_PLAIN, NUMBERS, OPS, PENALTY, Board, Graph, Sheet, Tables, bit, trek_ctz

cdef enum:
    FIRST_ROOM = 1024
    NIBBLES = 32           # chain tops that can be open at once
    NO_CIRCLE = 255
    SOLVED = 0
    TOO_WIDE = 1
    NO_MEMORY = 2

cdef int UNSET = -1000000
cdef uint64_t MOST = 0xFFFFFFFFFFFFFFFF


cdef inline uint64_t plus(uint64_t a, uint64_t b) noexcept nogil:
    return a + b if a <= MOST - b else MOST


cdef inline uint64_t times(uint64_t a, uint64_t b) noexcept nogil:
    return a * b if b == 0 or a <= MOST // b else MOST


cdef inline int nibble(const Step *step, int slot) noexcept nogil:
    return (step.low >> (4 * slot)) & 15 if slot < 16 else (step.high >> (4 * (slot - 16))) & 15


cdef inline void set_nibble(Step *step, int slot, uint64_t value) noexcept nogil:
    if slot < 16:
        step.low = (step.low & ~(<uint64_t>15 << (4 * slot))) | value << (4 * slot)
    else:
        slot -= 16
        step.high = (step.high & ~(<uint64_t>15 << (4 * slot))) | value << (4 * slot)


cdef class Layouts:
    """Memory of the search; `limit` bounds the ways kept at once (48 bytes each). One thread at a time."""

    def __cinit__(self, Py_ssize_t limit=1 << 20):
        if limit < 1:
            raise ValueError(f"limit: must be positive, not {limit}")
        self.limit = max(limit, <Py_ssize_t>FIRST_ROOM)
        self.room = FIRST_ROOM
        self.slots = 4 * FIRST_ROOM
        self.steps = <Step *>malloc(self.room * sizeof(Step))
        self.table = <int32_t *>malloc(self.slots * sizeof(int32_t))
        if self.steps == NULL or self.table == NULL:
            raise MemoryError
        memset(self.table, 0, self.slots * sizeof(int32_t))

    def __dealloc__(self):
        free(self.steps)
        free(self.table)

    cdef int _grow(self) noexcept nogil:
        """Twice the room; the table is refilled by the caller's next layer, so it is only made larger."""
        cdef Step *more
        cdef int32_t *table
        if self.room * 2 > self.limit:
            return TOO_WIDE
        more = <Step *>realloc(self.steps, 2 * self.room * sizeof(Step))
        if more == NULL:
            return NO_MEMORY
        self.steps = more
        table = <int32_t *>realloc(self.table, 2 * self.slots * sizeof(int32_t))
        if table == NULL:
            return NO_MEMORY
        self.table = table
        self.room *= 2
        self.slots *= 2
        return SOLVED

    cdef int solve(self, const Sheet *s, const Tables *t, const Board *b, int *total, uint64_t *count,
                   uint8_t *above) noexcept nogil:
        """The highest score of a board without links, how many sets of chains reach it, and one of them as links up.

        SOLVED, TOO_WIDE or NO_MEMORY.
        """
        cdef uint64_t upper[64]
        cdef uint64_t lower[64]
        cdef uint64_t left = 0
        cdef uint64_t member, todo, rest
        cdef uint8_t order[64]
        cdef uint8_t slot_of[64]
        cdef uint8_t sizes[32]
        cdef uint8_t orders[32][64]
        cdef int32_t back_step[32][LENGTHS]
        cdef int8_t back_length[32][LENGTHS]
        cdef int best[LENGTHS]
        cdef int new_best[LENGTHS]
        cdef uint64_t ways[LENGTHS]
        cdef uint64_t new_ways[LENGTHS]
        cdef int comp_best[LENGTHS]
        cdef uint64_t comp_ways[LENGTHS]
        cdef int32_t comp_step[LENGTHS]
        cdef uint64_t used_slots, processed, drop_low, drop_high
        cdef int components = 0
        cdef int c, v, n, i, j, k, y, slot, length, score, longest, state
        cdef Py_ssize_t layer, end, p, filled, place_at
        cdef uint64_t hashed
        cdef Step child
        cdef int32_t q
        for v in range(NUMBERS):
            todo = b.num[v]
            while todo:
                c = trek_ctz(todo)
                todo &= todo - 1
                upper[c] = s.near[c] & b.num[v + 1] if v < LIMIT_PLAIN else 0
                lower[c] = s.near[c] & b.num[v - 1] if v > 0 else 0
                if upper[c] | lower[c]:
                    left |= bit(c)
        for i in range(s.n):
            above[i] = NO_CIRCLE
        for i in range(LENGTHS):
            best[i] = UNSET
            ways[i] = 0
        best[0] = 0
        ways[0] = 1
        filled = 0
        while left:
            # one component, ordered by number
            member = left & -left
            todo = member
            while todo:
                c = trek_ctz(todo)
                todo &= todo - 1
                rest = (upper[c] | lower[c]) & ~member
                member |= rest
                todo |= rest
            left &= ~member
            n = 0
            for v in range(NUMBERS):
                todo = member & b.num[v]
                while todo:
                    order[n] = trek_ctz(todo)
                    todo &= todo - 1
                    n += 1
            sizes[components] = n
            used_slots = 0
            processed = 0
            if filled == self.room:
                state = self._grow()
                if state != SOLVED:
                    return state
            layer = filled
            memset(&self.steps[filled], 0, sizeof(Step))
            self.steps[filled].count = 1
            self.steps[filled].parent = -1
            self.steps[filled].link = -1
            filled += 1
            for k in range(n):
                c = order[k]
                orders[components][k] = c
                v = b.at[c].value
                processed |= bit(c)
                # circles below that no later circle can be linked to are forgotten
                drop_low = 0
                drop_high = 0
                todo = lower[c]
                rest = 0
                while todo:
                    y = trek_ctz(todo)
                    todo &= todo - 1
                    if not upper[y] & ~processed:
                        slot = slot_of[y]
                        rest |= <uint64_t>1 << slot
                        if slot < 16:
                            drop_low |= <uint64_t>15 << (4 * slot)
                        else:
                            drop_high |= <uint64_t>15 << (4 * (slot - 16))
                slot = -1
                if upper[c]:
                    if used_slots == (<uint64_t>1 << NIBBLES) - 1:
                        return TOO_WIDE
                    slot = trek_ctz(~used_slots)
                    slot_of[c] = slot
                    used_slots |= <uint64_t>1 << slot
                end = filled
                place_at = end
                for p in range(layer, end):
                    todo = lower[c]
                    y = -1
                    while True:
                        length = 1
                        if y >= 0:
                            length = nibble(&self.steps[p], slot_of[y]) + 1
                        if length != 1 or y < 0:
                            child = self.steps[p]
                            child.parent = <int32_t>p
                            child.link = y
                            if y >= 0:
                                child.score += 2
                                if length == 2:
                                    child.score += v - 1
                                    if b.at[y].size == 1:
                                        child.score += PENALTY
                                if b.at[c].size == 1:
                                    child.score += PENALTY
                                set_nibble(&child, slot_of[y], 0)
                                if length > child.longest:
                                    child.longest = length
                            child.low &= ~drop_low
                            child.high &= ~drop_high
                            if slot >= 0:
                                set_nibble(&child, slot, length)
                            hashed = (child.low * <uint64_t>0x9E3779B97F4A7C15
                                      ^ child.high * <uint64_t>0xD6E8FEB86659FD93) + child.longest
                            hashed *= <uint64_t>0xFF51AFD7ED558CCD
                            hashed ^= hashed >> 32
                            while True:
                                hashed &= self.slots - 1
                                q = self.table[hashed]
                                if (q < place_at or q >= filled
                                        or (self.steps[q].low == child.low and self.steps[q].high == child.high
                                            and self.steps[q].longest == child.longest)):
                                    break
                                hashed += 1
                            if q < place_at or q >= filled:
                                if filled == self.room:
                                    state = self._grow()
                                    if state != SOLVED:
                                        return state
                                    # a larger table has other places: look up all of this layer again
                                    memset(self.table, 0, self.slots * sizeof(int32_t))
                                    for j in range(<int>place_at, <int>filled):
                                        self._enter(j, place_at, filled)
                                    self.steps[filled] = child
                                    filled += 1
                                    self._enter(<int>filled - 1, place_at, filled)
                                else:
                                    self.table[hashed] = <int32_t>filled
                                    self.steps[filled] = child
                                    filled += 1
                            elif child.score > self.steps[q].score:
                                self.steps[q] = child
                            elif child.score == self.steps[q].score:
                                self.steps[q].count = plus(self.steps[q].count, child.count)
                        if not todo:
                            break
                        y = trek_ctz(todo)
                        todo &= todo - 1
                layer = end
                used_slots &= ~rest
            for i in range(LENGTHS):
                comp_best[i] = UNSET
            for p in range(layer, filled):
                i = self.steps[p].longest
                if self.steps[p].score > comp_best[i]:
                    comp_best[i] = self.steps[p].score
                    comp_ways[i] = self.steps[p].count
                    comp_step[i] = <int32_t>p
                elif self.steps[p].score == comp_best[i]:
                    comp_ways[i] = plus(comp_ways[i], self.steps[p].count)
            for i in range(LENGTHS):
                new_best[i] = UNSET
                new_ways[i] = 0
            for i in range(LENGTHS):
                if best[i] == UNSET:
                    continue
                for j in range(LENGTHS):
                    if comp_best[j] == UNSET:
                        continue
                    longest = max(i, j)
                    score = best[i] + comp_best[j]
                    if score > new_best[longest]:
                        new_best[longest] = score
                        new_ways[longest] = times(ways[i], comp_ways[j])
                        back_step[components][longest] = comp_step[j]
                        back_length[components][longest] = i
                    elif score == new_best[longest]:
                        new_ways[longest] = plus(new_ways[longest], times(ways[i], comp_ways[j]))
            for i in range(LENGTHS):
                best[i] = new_best[i]
                ways[i] = new_ways[i]
            components += 1
        longest = 0
        for i in range(LENGTHS):
            if best[i] != UNSET and best[i] + t.bonus[i] > best[longest] + t.bonus[longest]:
                longest = i
        total[0] = b.base + best[longest] + t.bonus[longest] + t.bonus[b.largest]
        count[0] = 0
        for i in range(LENGTHS):
            if best[i] != UNSET and best[i] + t.bonus[i] == best[longest] + t.bonus[longest]:
                count[0] = plus(count[0], ways[i])
        for i in range(components - 1, -1, -1):
            q = back_step[i][longest]
            for k in range(sizes[i] - 1, -1, -1):
                if self.steps[q].link >= 0:
                    above[self.steps[q].link] = orders[i][k]
                q = self.steps[q].parent
            longest = back_length[i][longest]
        return SOLVED

    cdef void _enter(self, int index, Py_ssize_t first, Py_ssize_t end) noexcept nogil:
        """Put a step into the table, at the first place that holds none of its layer."""
        cdef uint64_t hashed = (self.steps[index].low * <uint64_t>0x9E3779B97F4A7C15
                                ^ self.steps[index].high * <uint64_t>0xD6E8FEB86659FD93) + self.steps[index].longest
        hashed *= <uint64_t>0xFF51AFD7ED558CCD
        hashed ^= hashed >> 32
        hashed &= self.slots - 1
        while first <= self.table[hashed] < end and self.table[hashed] != index:
            hashed = (hashed + 1) & (self.slots - 1)
        self.table[hashed] = index

    def best(self, Graph graph not None, const uint8_t[::1] cells):
        """(Highest score, ways to reach it, links up as bytes with 255 for none), or None when the limit is reached.

        The number of ways stops at 2 ** 64 - 1.
        """
        cdef Board board
        cdef int total = 0
        cdef uint64_t count = 0
        cdef uint8_t above[64]
        cdef uint8_t boxes[5]
        cdef uint8_t none[64]
        cdef int state
        memset(none, NO_CIRCLE, sizeof(none))
        memset(boxes, 0, sizeof(boxes))
        graph.load(&board, cells, <uint8_t[:OPS]>boxes, <uint8_t[:graph.circles]>none)
        with nogil:
            state = self.solve(&graph.sheet, &graph.tables, &board, &total, &count, above)
        if state == NO_MEMORY:
            raise MemoryError
        if state == TOO_WIDE:
            return None
        return total, count, bytes(above[:graph.circles])
