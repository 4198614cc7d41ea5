"""Moves in order of their worth: the best paths of the graph, one after the other."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy

from cpython.exc cimport PyErr_CheckSignals

from ...errors import SolverError
from .graph cimport Graph, Row, has
from .lanes cimport LANES
from .paths cimport POLL_EVERY, Paths, lay

cdef extern from *:
    """
    #define NO_WORTH (-(1LL << 62))
    """
    const int64_t NO_WORTH

cdef enum:
    FIRST_BRANCHES = 1 << 8

cdef struct Branch:
    # A move that is not yet looked at: as another one up to some row, there another choice, then the best.
    int64_t worth
    int32_t parent
    int32_t depth
    int32_t choice


cdef bint has_any(const uint64_t *bits, int width) noexcept nogil:
    cdef int k
    for k in range(width):
        if bits[k]:
            return True
    return False


cdef class Ranking:
    """An iterator over all moves, best first.

    Below every node the most that can be had is known, so each move found tells what all others beside it are worth.
    """

    cdef Paths source
    cdef int64_t *best  # of each node: the most that can be had below it
    cdef int64_t *worth  # of each choice
    cdef int64_t least
    cdef bint empty
    cdef Branch *heap
    cdef int64_t heap_count
    cdef int64_t heap_room
    cdef int32_t *found  # of each move that was handed out: a choice for each row
    cdef int64_t found_count
    cdef int64_t found_room
    cdef uint8_t *laid  # of each kind of tile

    def __cinit__(self, Paths source not None, weights not None, int64_t joker, least, bint empty):
        cdef Graph *g = source.known()
        cdef const int64_t[::1] view = weights
        cdef Row *row = &g.row[g.rows - 1]
        cdef int i, c, r
        cdef int32_t at, to
        cdef int64_t e
        if view.shape[0] != g.numbers * LANES:
            raise SolverError(f"weights: must hold {g.numbers * LANES} values, not {view.shape[0]}")
        self.source = source
        self.least = NO_WORTH if least is None else max(least, NO_WORTH)
        self.empty = empty
        self.best = <int64_t *>malloc((g.nodes + 1) * sizeof(int64_t))
        self.worth = <int64_t *>malloc((row.first_choice + row.choices) * sizeof(int64_t))
        self.laid = <uint8_t *>calloc(source.kinds, 1)
        if self.best == NULL or self.worth == NULL or self.laid == NULL:
            raise MemoryError
        for i in range(row.choices):
            self.worth[row.first_choice + i] = (g.jokers_may - i) * joker
        for r in range(g.rows - 1):
            for i in range(g.row[r].first_choice, g.row[r].first_choice + g.row[r].choices):
                self.worth[i] = 0
                for c in range(LANES):
                    self.worth[i] += g.choice[i].laid[c] * view[g.row[r].number * LANES + c]
        for at in range(row.first_node, row.first_node + row.nodes):
            self.best[at] = NO_WORTH
            for i in range(row.choices):
                if has(g.reach + <int64_t>at * g.width, g.jokers_may - i):
                    self.best[at] = max(self.best[at], self.worth[row.first_choice + i])
        for r in range(g.rows - 2, -1, -1):
            row = &g.row[r]
            e = row.first_edge
            for at in range(row.first_node, row.first_node + row.nodes):
                self.best[at] = NO_WORTH
                for i in range(row.choices):
                    to = g.edge[e]
                    e += 1
                    if to >= 0:
                        self.best[at] = max(self.best[at], self.worth[row.first_choice + i] + self.best[to])
        if g.nodes and has_any(g.reach, g.width):
            self.push(self.best[0], -1, -1, 0)

    def __dealloc__(self):
        free(self.best)
        free(self.worth)
        free(self.heap)
        free(self.found)
        free(self.laid)

    def __iter__(self):
        return self

    def __next__(self):
        cdef Graph *g = self.source.graph
        cdef int64_t value
        cdef int32_t *path
        cdef int r, total
        if (self.found_count + 1) % POLL_EVERY == 0:
            PyErr_CheckSignals()
        while self.heap_count and self.heap[0].worth >= self.least:
            self.take()
            path = self.found + (self.found_count - 1) * g.rows
            total = 0
            for r in range(g.rows):
                lay(self.source.place, self.laid, r, &g.choice[g.row[r].first_choice + path[r]])
                total += g.choice[g.row[r].first_choice + path[r]].tiles
            if total or self.empty:
                return self.source.tiles(self.laid, &value)
        raise StopIteration

    cdef int push(self, int64_t worth, int32_t parent, int32_t depth, int32_t choice) except -1:
        cdef int64_t at = self.heap_count, up
        cdef Branch b
        cdef void *p
        b.worth = worth
        b.parent = parent
        b.depth = depth
        b.choice = choice
        if at == self.heap_room:
            p = realloc(self.heap, (2 * at + FIRST_BRANCHES) * sizeof(Branch))
            if p == NULL:
                raise MemoryError
            self.heap = <Branch *>p
            self.heap_room = 2 * at + FIRST_BRANCHES
        self.heap_count += 1
        while at:
            up = (at - 1) // 2
            if not self.before(&b, &self.heap[up]):
                break
            self.heap[at] = self.heap[up]
            at = up
        self.heap[at] = b
        return 0

    cdef Branch pop(self) noexcept:
        cdef Branch top = self.heap[0]
        cdef Branch b
        cdef int64_t at = 0, below, n
        self.heap_count -= 1
        n = self.heap_count
        b = self.heap[n]
        while True:
            below = 2 * at + 1
            if below >= n:
                break
            if below + 1 < n and self.before(&self.heap[below + 1], &self.heap[below]):
                below += 1
            if not self.before(&self.heap[below], &b):
                break
            self.heap[at] = self.heap[below]
            at = below
        self.heap[at] = b
        return top

    cdef bint before(self, const Branch *a, const Branch *b) noexcept:
        """Which branch comes first. No move is in two of them, so their choices tell them apart."""
        cdef const int32_t *x
        cdef const int32_t *y
        cdef int r, depth, rows = self.source.graph.rows
        if a.worth != b.worth:
            return a.worth > b.worth
        x = self.found + <int64_t>a.parent * rows
        y = self.found + <int64_t>b.parent * rows
        depth = min(a.depth, b.depth)
        for r in range(depth):
            if x[r] != y[r]:
                return x[r] < y[r]
        return (a.choice if a.depth == depth else x[depth]) < (b.choice if b.depth == depth else y[depth])

    cdef int take(self) except -1:
        """Hand out the best branch as a move, and make the branches beside it."""
        cdef Graph *g = self.source.graph
        cdef Branch b = self.pop()
        cdef Row *row
        cdef int32_t *path
        cdef int32_t at = 0
        cdef int r, i, chosen, rows = g.rows
        cdef int64_t so_far = 0, worth
        cdef const int32_t *edge = NULL
        cdef void *p
        if self.found_count == self.found_room:
            p = realloc(self.found, (2 * self.found_room + FIRST_BRANCHES) * rows * sizeof(int32_t))
            if p == NULL:
                raise MemoryError
            self.found = <int32_t *>p
            self.found_room = 2 * self.found_room + FIRST_BRANCHES
        path = self.found + self.found_count * rows
        if b.parent >= 0:
            memcpy(path, self.found + <int64_t>b.parent * rows, rows * sizeof(int32_t))
        for r in range(rows):
            row = &g.row[r]
            if r < rows - 1:
                edge = g.edge + row.first_edge + <int64_t>(at - row.first_node) * row.choices
            chosen = path[r]
            if r == b.depth:
                chosen = b.choice
            if r > b.depth:
                chosen = -1
                for i in range(row.choices):
                    if r == rows - 1:
                        if not has(g.reach + <int64_t>at * g.width, g.jokers_may - i):
                            continue
                        worth = self.worth[row.first_choice + i]
                    else:
                        if edge[i] < 0:
                            continue
                        worth = self.worth[row.first_choice + i] + self.best[edge[i]]
                    if chosen < 0 and worth == self.best[at]:
                        chosen = i
                    else:
                        self.push(so_far + worth, self.found_count, r, i)
            path[r] = chosen
            so_far += self.worth[row.first_choice + chosen]
            if r < rows - 1:
                at = edge[chosen]
        self.found_count += 1
        return 0
