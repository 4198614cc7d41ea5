# distutils: extra_compile_args = -ffp-contract=off
"""Sheets with known or free dice: a beam over turns, exact when no state had to be dropped."""

from libc.stdint cimport int8_t, int32_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc, qsort

from .board cimport (BAD, BAD_FORCED, CIRCLES, FACES, OPS, RESULTS, Board, Graph, Links, Sheet, Tables, boxes_left,
                     copy_board, good_exists, limit_of, next_links, score_of, start_board, start_links, take, trek_ctz)
from .net cimport Net, use_weights, value_after, weights_of

from time import monotonic

cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1

cdef enum:
    SPARE = 8              # candidates a kept state before the worst are dropped
    NEAR_MASK = 64         # states between two looks at the clock and at Ctrl-C
    MOST_WIDTH = 200000
    GIVEN = 0              # rolls in their order
    ANY_ORDER = 1
    ANY_DICE = 2

cdef struct Option:
    float value
    int32_t parent
    uint64_t key
    uint64_t used          # rolls used, bits
    uint8_t op
    uint8_t circle
    uint8_t number
    int8_t down
    int8_t up

cdef struct State:
    Board board
    uint64_t used


cdef int by_value(const void *a, const void *b) noexcept nogil:
    """Higher values first, then by key and the order in which they were found."""
    cdef const Option *x = <const Option *>a
    cdef const Option *y = <const Option *>b
    if x.value != y.value:
        return -1 if x.value > y.value else 1
    if x.key != y.key:
        return -1 if x.key < y.key else 1
    if x.parent != y.parent:
        return -1 if x.parent < y.parent else 1
    return 0


cdef inline uint64_t stir(uint64_t h, uint64_t x) noexcept nogil:
    h = (h ^ x) * <uint64_t>0xBF58476D1CE4E5B9
    return h ^ (h >> 29)


cdef uint64_t key_of(const Board *b, uint64_t used) noexcept nogil:
    cdef uint64_t h = used + <uint64_t>0x9E3779B97F4A7C15
    cdef int i
    for i in range(RESULTS):
        h = stir(h, b.num[i])
    h = stir(h, b.up)
    h = stir(h, b.down)
    for i in range(CIRCLES):
        # which of several circles is linked shows in the chains' ends
        if (b.up ^ b.down) >> i & 1:
            h = stir(h, (<uint64_t>b.at[i].other << 16) | (<uint64_t>b.at[i].length << 8) | i)
    for i in range(OPS):
        h = stir(h, b.left[i])
    return h


cdef class Beam:
    """One search. links, bad_rule: as in board.pxd, not free links. weights: of the net, None: the score alone."""

    cdef Graph graph
    cdef const float[::1] weights
    cdef Net net
    cdef bint judged
    cdef int links
    cdef int bad_rule
    cdef Option *options
    cdef Py_ssize_t count
    cdef Py_ssize_t room
    cdef int width
    cdef readonly bint dropped

    def __cinit__(self, Graph graph not None, const float[::1] weights, int links, int bad_rule, int width):
        if not 1 <= width <= MOST_WIDTH:
            raise ValueError(f"width: must be 1 to {MOST_WIDTH}, not {width}")
        if not graph.plain:
            raise ValueError("graph: a beam is for the scores of the base game")
        self.graph = graph
        self.links = links
        self.bad_rule = bad_rule
        self.width = width
        self.judged = weights is not None
        if self.judged:
            if weights.shape[0] != weights_of(graph.circles):
                raise ValueError(f"weights: must be {weights_of(graph.circles)} numbers")
            self.weights = weights
            use_weights(&self.net, &weights[0], graph.circles)
        self.room = <Py_ssize_t>width * SPARE + 1024
        self.options = <Option *>malloc(self.room * sizeof(Option))
        if self.options == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.options)

    cdef void trim(self) noexcept nogil:
        """Sort, drop equal states, keep the best."""
        cdef Py_ssize_t i
        cdef Py_ssize_t kept = 0
        qsort(self.options, self.count, sizeof(Option), by_value)
        for i in range(self.count):
            if kept and self.options[i].key == self.options[kept - 1].key:
                continue
            if kept == self.width:
                self.dropped = True
                break
            self.options[kept] = self.options[i]
            kept += 1
        self.count = kept

    cdef void expand(self, const State *state, int32_t index, int roll, bint any_dice,
                     uint64_t used) noexcept nogil:
        """Add all moves of a state for a roll, or for all results of all operations."""
        cdef const Sheet *s = &self.graph.sheet
        cdef const Tables *t = &self.graph.tables
        cdef const Board *b = &state.board
        cdef Board child
        cdef Links ways
        cdef Option *o
        cdef int op, e, x, r
        cdef uint64_t todo
        cdef bint skip_bad = (not any_dice and self.bad_rule == BAD_FORCED and good_exists(s, t, b, roll))
        for op in range(OPS):
            if b.left[op] == 0:
                continue
            todo = b.open
            while todo:
                e = trek_ctz(todo)
                todo &= todo - 1
                for r in range(RESULTS):
                    if any_dice:
                        # a bad circle is never better than a number, and some roll always gives one where allowed
                        if not t.gives[op] >> r & 1 or r > limit_of(s, e):
                            continue
                        x = r
                    else:
                        if t.result[roll][op] != r:
                            continue
                        x = r if r <= limit_of(s, e) else BAD
                        if x == BAD and skip_bad:
                            continue
                    start_links(s, b, e, x, self.links, &ways)
                    while next_links(&ways):
                        copy_board(s, &child, b)
                        take(s, &child, op, e, x, ways.d, ways.u)
                        if self.count == self.room:
                            self.trim()
                        o = &self.options[self.count]
                        o.value = (value_after(s, t, &self.net, &child) if self.judged
                                   else <float>score_of(t, &child))
                        o.parent = index
                        o.key = key_of(&child, used)
                        o.used = used
                        o.op = op
                        o.circle = e
                        o.number = x
                        o.down = ways.d
                        o.up = ways.u
                        self.count += 1

    def best(self, const uint8_t[::1] left, const uint8_t[::1] faces, int form, double seconds=0, cancel=None):
        """(Score, path, how it was stopped: 0 not, 1 time, 3 cancelled) from the empty sheet.

        A step of the path is (op, circle, class, down, up, bits of the rolls used).

        faces: of the rolls, yellow * 6 + red - 1; form: GIVEN, ANY_ORDER, or ANY_DICE where faces only count the turns.
        """
        cdef Py_ssize_t turns = faces.shape[0]
        cdef int turn, form_ = form
        cdef Py_ssize_t i, j, states
        cdef State *now = NULL
        cdef State *after = NULL
        cdef uint64_t seen
        cdef int stopped = 0
        cdef double deadline = monotonic() + seconds if seconds > 0 else 0
        if left.shape[0] != OPS or turns > CIRCLES:
            raise ValueError("left or faces: of a wrong size")
        for i in range(turns):
            if faces[i] >= FACES:
                raise ValueError(f"faces: must be below {FACES}, not {faces[i]}")
        turns = min(turns, self.graph.circles)
        layers = []
        now = <State *>malloc(self.width * sizeof(State))
        after = <State *>malloc(self.width * sizeof(State))
        try:
            if now == NULL or after == NULL:
                raise MemoryError
            self.dropped = False
            start_board(&self.graph.sheet, &now[0].board, &left[0])
            now[0].used = 0
            states = 1
            for turn in range(<int>turns):
                if boxes_left(&now[0].board) == 0:
                    break
                self.count = 0
                for i in range(states):
                    with nogil:
                        if form_ == GIVEN:
                            self.expand(&now[i], <int32_t>i, self.graph.tables.index[faces[turn]], 0, 0)
                        elif form_ == ANY_DICE:
                            self.expand(&now[i], <int32_t>i, 0, 1, 0)
                        else:
                            seen = 0
                            for j in range(faces.shape[0]):
                                if now[i].used >> j & 1 or seen >> self.graph.tables.index[faces[j]] & 1:
                                    continue
                                seen |= <uint64_t>1 << self.graph.tables.index[faces[j]]
                                self.expand(&now[i], <int32_t>i, self.graph.tables.index[faces[j]], 0,
                                            now[i].used | <uint64_t>1 << j)
                    if i % NEAR_MASK == 0:
                        PyErr_CheckSignals()
                        if cancel is not None and cancel():
                            stopped = 3
                        # a layer in hand is finished with what it has, so that there is a sheet to show
                        if deadline and monotonic() > deadline and self.count:
                            stopped = 1
                        if stopped and self.count:
                            self.dropped = self.dropped or i + 1 < states
                            break
                self.trim()
                layer = []
                for i in range(self.count):
                    copy_board(&self.graph.sheet, &after[i].board, &now[self.options[i].parent].board)
                    take(&self.graph.sheet, &after[i].board, self.options[i].op, self.options[i].circle,
                         self.options[i].number, self.options[i].down, self.options[i].up)
                    after[i].used = self.options[i].used
                    layer.append((self.options[i].parent, self.options[i].op, self.options[i].circle,
                                  self.options[i].number, self.options[i].down, self.options[i].up,
                                  self.options[i].used))
                layers.append(layer)
                states = self.count
                now, after = after, now
            best = 0
            for i in range(states):
                if score_of(&self.graph.tables, &now[i].board) > score_of(&self.graph.tables, &now[best].board):
                    best = i
            score = score_of(&self.graph.tables, &now[best].board)
        finally:
            free(now)
            free(after)
        path = []
        index = best
        for layer in reversed(layers):
            path.append(layer[index][1:])
            index = layer[index][0]
        return score, path[::-1], stopped
