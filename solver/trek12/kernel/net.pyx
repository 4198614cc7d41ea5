# distutils: extra_compile_args = -ffp-contract=off
"""The value net: its inputs, its use for the next move, and its training by self-play.

Inputs are one-hot, so the first layer is a sum of weight rows; a move changes the rows of a few circles only, and the
rows of the boxes are added last: the boards of all operations that write the same number are one.
"""

from libc.math cimport sqrt
from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from ...streams cimport stream_below, stream_word

cdef extern from "vec.h" nogil:
    void trek_columns(float *out, const float *start, const float *w, const int *plus, int pluses, const int *minus,
                      int minuses) noexcept
    float trek_head(const float *a, const float *b, const float *w2, const float *b2, const float *w3, float b3,
                    float *h1, float *h2) noexcept
    void trek_backward(float g, const float *h1, const float *h2, const float *w2, const float *w3, float *gw2,
                       float *gb2, float *gw3, float *d1) noexcept
    void trek_add_row(float *to, const float *d) noexcept
    void trek_adam(float *w, float *g, float *m, float *v, long count, float rate, float scale, float beta1,
                   float beta2, float epsilon) noexcept

cdef float SCALE = 4.0          # points a unit of the head
cdef float LOWEST = -1e9        # below every value
cdef float CLIP = 8.0           # points of error that still grow the gradient
cdef double BETA1 = 0.9
cdef double BETA2 = 0.999
cdef float EPSILON = 1e-8


cdef int inputs_of(int circles) noexcept nogil:
    return PER_CIRCLE * circles + (circles + 1) + 2 * (CAP_RECORD + 1) + OPS * (CAP_BOXES + 1)


cdef Py_ssize_t weights_of(int circles) noexcept nogil:
    """Floats of a net: first layer, second layer and its bias, output and its bias."""
    return inputs_of(circles) * H1 + H1 * H2 + H2 + H2 + 1


cdef void use_weights(Net *net, const float *weights, int circles) noexcept nogil:
    net.w1 = weights
    net.w2 = net.w1 + inputs_of(circles) * H1
    net.b2 = net.w2 + H1 * H2
    net.w3 = net.b2 + H2
    net.b3 = net.w3[H2]
    net.globals = PER_CIRCLE * circles


cdef inline int circle_inputs(const Sheet *s, const Board *b, int i, int *out) noexcept nogil:
    """The inputs of circle `i` that are on: 1 to 3 of them."""
    cdef int first = PER_CIRCLE * i
    cdef int v = b.at[i].value
    cdef int count, up, down
    if v == EMPTY:
        out[0] = first
        return 1
    if v == BAD or not s.near[i] & b.empty:
        out[0] = first + 1
        return 1
    up = v < LIMIT_PLAIN and not b.up & bit(i)
    down = v > 0 and not b.down & bit(i)
    out[0] = first + IN_SLOTS + 4 * v + 2 * up + down
    count = 1
    if up or down:
        out[1] = first + IN_LENGTH + min(<int>b.at[i].length, <int>CAP_CIRCLE) - 1
        count = 2
    out[count] = first + IN_SIZE + min(<int>b.at[i].size, <int>CAP_CIRCLE) - 1
    return count + 1


cdef inline int global_inputs(const Sheet *s, const Net *net, const Board *b, int *out) noexcept nogil:
    """Inputs of the empties, the longest and the largest; the boxes are apart."""
    cdef int first = net.globals
    out[0] = first + b.empties
    first += s.n + 1
    out[1] = first + min(<int>b.longest, <int>CAP_RECORD)
    first += CAP_RECORD + 1
    out[2] = first + min(<int>b.largest, <int>CAP_RECORD)
    return 3


cdef inline int first_box_input(const Sheet *s, const Net *net) noexcept nogil:
    return net.globals + s.n + 1 + 2 * (CAP_RECORD + 1)


cdef int board_inputs(const Sheet *s, const Net *net, const Board *b, int *out) noexcept nogil:
    cdef int i
    cdef int count = 0
    for i in range(s.n):
        count += circle_inputs(s, b, i, out + count)
    return count + global_inputs(s, net, b, out + count)


cdef int box_inputs(const Sheet *s, const Net *net, const Board *b, int used, int *out) noexcept nogil:
    """Inputs of the boxes left when one of operation `used` is taken (-1: none)."""
    cdef int op, left
    cdef int first = first_box_input(s, net)
    for op in range(OPS):
        left = b.left[op] - (1 if op == used else 0)
        out[op] = first + op * (CAP_BOXES + 1) + min(left, <int>CAP_BOXES)
    return OPS


cdef float value_after(const Sheet *s, const Tables *t, const Net *net, const Board *b) noexcept nogil:
    """Expected final score of a board before a roll; exact when the sheet is over."""
    cdef int on[MOST_INPUTS + OPS]
    cdef float zero[H1]
    cdef float sums[H1]
    cdef float h1[H1]
    cdef float h2[H2]
    cdef int count
    if is_over(b):
        return score_of(t, b)
    memset(zero, 0, sizeof(zero))
    count = board_inputs(s, net, b, on)
    count += box_inputs(s, net, b, -1, on + count)
    trek_columns(sums, zero, net.w1, on, count, NULL, 0)
    return score_of(t, b) + SCALE * trek_head(sums, zero, net.w2, net.b2, net.w3, net.b3, h1, h2)


cdef inline void add_top(Top *top, float value, int op, int circle, int number, int down, int up) noexcept nogil:
    """Insert a move; among equals the earlier stays ahead."""
    cdef int i
    if top.count == top.width:
        if value <= top.of[top.count - 1].value:
            return
        top.count -= 1
    i = top.count
    while i > 0 and top.of[i - 1].value < value:
        top.of[i] = top.of[i - 1]
        i -= 1
    top.of[i].value = value
    top.of[i].op = op
    top.of[i].circle = circle
    top.of[i].number = number
    top.of[i].down = down
    top.of[i].up = up
    top.count += 1


cdef inline void offer(Pick *pick, float value, int circle, int number, int down, int up) noexcept nogil:
    if value > pick.value:
        pick.value = value
        pick.circle = circle
        pick.number = number
        pick.down = down
        pick.up = up


cdef void child_sums(const Sheet *s, const Net *net, const Board *b, const Board *child, int e, int d, int u,
                     const float *sums, float *out) noexcept nogil:
    """First layer of `child`, from that of `b`: only circles that the move can have changed are looked at."""
    cdef int plus[MOST_INPUTS]
    cdef int minus[MOST_INPUTS]
    cdef int pluses = 0
    cdef int minuses = 0
    cdef int c
    cdef int x = child.at[e].value
    cdef uint64_t todo = bit(e) | (s.near[e] & ~b.empty)
    if x != BAD:
        if d >= 0:
            todo |= bit(b.at[d].other)
        if u >= 0:
            todo |= bit(b.at[u].other)
        if child.at[e].size > 1:
            todo |= flood(s, bit(e), child.num[x])
    while todo:
        c = trek_ctz(todo)
        todo &= todo - 1
        minuses += circle_inputs(s, b, c, minus + minuses)
        pluses += circle_inputs(s, child, c, plus + pluses)
    minuses += global_inputs(s, net, b, minus + minuses)
    pluses += global_inputs(s, net, child, plus + pluses)
    trek_columns(out, sums, net.w1, plus, pluses, minus, minuses)


cdef void all_choices(const Sheet *s, const Tables *t, const Net *net, const Board *b, int links,
                      const uint16_t *want, Choices *out, Top *top) noexcept nogil:
    """Values of every way to write the result classes `want[op]` (bits) with each operation that has a box.

    The best a class and operation goes to `out`, the best moves of all to `top` when it is not NULL.
    """
    cdef Board child
    cdef Links ways
    cdef float sums[H1]
    cdef float child_row[H1]
    cdef float zero[H1]
    cdef float boxes[OPS][H1]
    cdef float h1[H1]
    cdef float h2[H2]
    cdef int on[MOST_INPUTS]
    cdef int count, op, e, x, k, limit, score
    cdef int usable = 0
    cdef uint16_t above
    cdef int makers
    cdef uint64_t todo
    cdef float value
    cdef bint over = boxes_left(b) == 1 or b.empties == 1
    for op in range(OPS):
        for x in range(RESULTS):
            out.good[op][x].value = LOWEST
            out.bad[op][x].value = LOWEST
    memset(zero, 0, sizeof(zero))
    for op in range(OPS):
        if b.left[op] and want[op]:
            usable |= 1 << op
    if not over:
        count = board_inputs(s, net, b, on)
        trek_columns(sums, zero, net.w1, on, count, NULL, 0)
        for op in range(OPS):
            if usable & (1 << op):
                count = box_inputs(s, net, b, op, on)
                trek_columns(boxes[op], zero, net.w1, on, count, NULL, 0)
    todo = b.open
    while todo:
        e = trek_ctz(todo)
        todo &= todo - 1
        limit = limit_of(s, e)
        for x in range(limit + 1):
            makers = 0
            for op in range(OPS):
                if usable & (1 << op) and want[op] & (1 << x):
                    makers |= 1 << op
            makers &= t.makers[x]
            if not makers:
                continue
            start_links(s, b, e, x, links, &ways)
            while next_links(&ways):
                copy_board(s, &child, b)
                place(s, &child, e, x, ways.d, ways.u)
                score = score_of(t, &child)
                if not over:
                    child_sums(s, net, b, &child, e, ways.d, ways.u, sums, child_row)
                for op in range(OPS):
                    if not makers & (1 << op):
                        continue
                    value = score
                    if not over:
                        value += SCALE * trek_head(child_row, boxes[op], net.w2, net.b2, net.w3, net.b3, h1, h2)
                    offer(&out.good[op][x], value, e, x, ways.d, ways.u)
                    if top != NULL:
                        add_top(top, value, op, e, x, ways.d, ways.u)
        above = ((1 << RESULTS) - 1) & ~((2 << limit) - 1)
        count = 0
        for op in range(OPS):
            if not usable & (1 << op) or not want[op] & t.gives[op] & above:
                continue
            if count == 0:
                copy_board(s, &child, b)
                place(s, &child, e, BAD, -1, -1)
                score = score_of(t, &child)
                if not over:
                    child_sums(s, net, b, &child, e, -1, -1, sums, child_row)
                count = 1
            value = score
            if not over:
                value += SCALE * trek_head(child_row, boxes[op], net.w2, net.b2, net.w3, net.b3, h1, h2)
            for k in range(limit + 1, RESULTS):
                if want[op] & (1 << k):
                    offer(&out.bad[op][k], value, e, BAD, -1, -1)
            if top != NULL:
                add_top(top, value, op, e, BAD, -1, -1)


cdef Pick best_of(const Tables *t, const Choices *all, const Board *b, int roll, int bad_rule, int *op) noexcept nogil:
    """The best way to use a roll; its operation goes to `op`."""
    cdef Pick best
    cdef int i, x
    memset(&best, 0, sizeof(best))
    best.value = LOWEST
    op[0] = -1
    for i in range(OPS):
        x = t.result[roll][i]
        if all.good[i][x].value > best.value:
            best = all.good[i][x]
            op[0] = i
    if op[0] >= 0 and bad_rule == BAD_FORCED:
        return best
    for i in range(OPS):
        x = t.result[roll][i]
        if all.bad[i][x].value > best.value:
            best = all.bad[i][x]
            op[0] = i
    return best


cdef float expectation(const Sheet *s, const Tables *t, const Net *net, const Board *b, int links, int bad_rule,
                       Choices *scratch) noexcept nogil:
    """Mean over the 26 rolls of the best next value; `scratch` keeps all choices. The score when the sheet is over."""
    cdef int roll, op
    cdef double total = 0
    if is_over(b):
        return score_of(t, b)
    all_choices(s, t, net, b, links, t.gives, scratch, NULL)
    for roll in range(ROLLS):
        total += t.weight[roll] * <double>best_of(t, scratch, b, roll, bad_rule, &op).value
    return total / FACES


cdef void wants(const Tables *t, int roll, uint16_t *want) noexcept nogil:
    cdef int op
    for op in range(OPS):
        want[op] = 1 << t.result[roll][op]


cdef void best_reply(const Sheet *s, const Tables *t, const Net *net, const Board *b, int links, int bad_rule,
                     int roll, Choices *scratch, Candidate *out) noexcept nogil:
    """The move with the best next state for a roll."""
    cdef uint16_t want[OPS]
    cdef int op
    cdef Pick pick
    wants(t, roll, want)
    all_choices(s, t, net, b, links, want, scratch, NULL)
    pick = best_of(t, scratch, b, roll, bad_rule, &op)
    out.value = pick.value
    out.op = op
    out.circle = pick.circle
    out.number = pick.number
    out.down = pick.down
    out.up = pick.up


cdef int dice(uint64_t key, uint64_t game, int turn) noexcept nogil:
    """A face, 0..35, of a turn: each (stream, game, turn) has its own, whoever asks and in whatever order."""
    return <int>stream_below(stream_word(key, game * CIRCLES + turn), FACES)


cdef class Trainer:
    """Self-play of one sheet: for every board after a move of a game played by best next state, the head is drawn to
    the full expectation over the next roll. Weights are the caller's, so are the running means of Adam.
    """

    cdef Graph graph
    cdef float[::1] weights
    cdef float *gradient
    cdef float *mean
    cdef float *square
    cdef Py_ssize_t count
    cdef long steps

    def __cinit__(self, Graph graph not None, float[::1] weights not None):
        if not graph.plain:
            raise ValueError("graph: nets are for the scores of the base game")
        self.graph = graph
        self.weights = weights
        self.count = weights_of(graph.circles)
        if weights.shape[0] != self.count:
            raise ValueError(f"weights: must be {self.count}, not {weights.shape[0]}")
        self.gradient = <float *>calloc(self.count, sizeof(float))
        self.mean = <float *>calloc(self.count, sizeof(float))
        self.square = <float *>calloc(self.count, sizeof(float))
        if self.gradient == NULL or self.mean == NULL or self.square == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.gradient)
        free(self.mean)
        free(self.square)

    def batch(self, uint64_t key, uint64_t first, int games, double rate, const uint8_t[::1] left, int links,
              int bad_rule, float trace=0):
        """Play the games `first`, `first` + 1 ... of a stream of dice and take one step; returns their scores' sum.

        trace: the share of the next board's error that a board's target takes over (the lambda of temporal
        differences; the expectation over the dice leaves the errors of the net alone to be handed back).
        """
        cdef double total = 0
        cdef int g
        cdef long samples = 0
        cdef double correction
        if left.shape[0] != OPS:
            raise ValueError(f"left: must be {OPS} numbers, not {left.shape[0]}")
        if games < 1:
            raise ValueError(f"games: must be positive, not {games}")
        with nogil:
            for g in range(games):
                total += self.game(key, first + g, &left[0], links, bad_rule, trace, &samples)
            self.steps += 1
            if samples:
                correction = sqrt(1 - BETA2 ** self.steps) / (1 - BETA1 ** self.steps)
                trek_adam(&self.weights[0], self.gradient, self.mean, self.square, self.count, rate * correction,
                          1.0 / samples, BETA1, BETA2, EPSILON)
        return total

    cdef double game(self, uint64_t key, uint64_t number, const uint8_t *left, int links, int bad_rule, float trace,
                     long *samples) noexcept nogil:
        cdef const Sheet *s = &self.graph.sheet
        cdef const Tables *t = &self.graph.tables
        cdef Net net
        cdef Board board
        cdef Choices choices
        cdef Candidate move
        cdef Pick pick
        cdef Board seen[CIRCLES]
        cdef float target[CIRCLES]
        cdef int turn = 1
        cdef int op, i
        cdef float error = 0
        use_weights(&net, &self.weights[0], s.n)
        start_board(s, &board, left)
        if is_over(&board):
            return 0
        best_reply(s, t, &net, &board, links, bad_rule, t.index[dice(key, number, 0)], &choices, &move)
        take(s, &board, move.op, move.circle, move.number, move.down, move.up)
        while not is_over(&board):
            seen[turn] = board
            target[turn] = expectation(s, t, &net, &board, links, bad_rule, &choices)
            pick = best_of(t, &choices, &board, t.index[dice(key, number, turn)], bad_rule, &op)
            take(s, &board, op, pick.circle, pick.number, pick.down, pick.up)
            turn += 1
        for i in range(turn - 1, 0, -1):
            error = self.learn(&net, &seen[i], target[i], trace * error)
            samples[0] += 1
        return score_of(t, &board)

    cdef float learn(self, const Net *net, const Board *b, float target, float later) noexcept nogil:
        """Add the gradient of half the squared error, clipped; returns the error.

        later: the error of the next board of the game, as far as this one's target shares it.
        """
        cdef const Sheet *s = &self.graph.sheet
        cdef int on[MOST_INPUTS + OPS]
        cdef float zero[H1]
        cdef float sums[H1]
        cdef float d1[H1]
        cdef float h1[H1]
        cdef float h2[H2]
        cdef int i, count
        cdef float error
        cdef float *second = self.gradient + inputs_of(s.n) * H1
        memset(zero, 0, sizeof(zero))
        count = board_inputs(s, net, b, on)
        count += box_inputs(s, net, b, -1, on + count)
        trek_columns(sums, zero, net.w1, on, count, NULL, 0)
        error = score_of(&self.graph.tables, b) - target + later
        error += SCALE * trek_head(sums, zero, net.w2, net.b2, net.w3, net.b3, h1, h2)
        error = max(-CLIP, min(CLIP, error))
        trek_backward(error, h1, h2, net.w2, net.w3, second, second + H1 * H2, second + H1 * H2 + H2, d1)
        second[H1 * H2 + 2 * H2] += error
        for i in range(count):
            trek_add_row(self.gradient + on[i] * H1, d1)
        return error


def weight_count(int circles):
    """Floats of a net for a sheet of so many circles."""
    if not 1 <= circles <= CIRCLES:
        raise ValueError(f"circles: must be 1 to {CIRCLES}, not {circles}")
    return weights_of(circles)


def input_count(int circles):
    """Inputs of a net for a sheet of so many circles, H1 = 64 weights each, first in the array."""
    if not 1 <= circles <= CIRCLES:
        raise ValueError(f"circles: must be 1 to {CIRCLES}, not {circles}")
    return inputs_of(circles)
