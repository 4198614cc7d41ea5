# distutils: extra_compile_args = -ffp-contract=off
"""Whole games by a policy: random, heuristic, best next state by the value net, and one roll further with exact ends.

Under free links a position is first given its best layout's links, then judged as if either link could be declined.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t

from ...streams cimport stream_below, stream_word
from .board cimport (BAD, BAD_FORCED, CIRCLES, FACES, HIGH, LIMIT_PLAIN, LINKS_FREE, LINKS_OPTIONAL, NO_LINK, OPS,
                     Board, Graph, Links, Sheet, Tables, above_of, area_gain, below_of, bit, copy_board, draw_links,
                     good_exists, is_over, limit_of, link_gain, next_links, score_of, seen_gain, start_board,
                     start_links, take, trek_ctz, trek_popcount)
from .endgame cimport Endgame
from .layout cimport Layouts
from .net cimport (WIDEST, Candidate, Choices, Net, Top, all_choices, best_reply, expectation, use_weights,
                   weights_of)

cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1

cdef enum:
    RANDOM = 0
    HEURISTIC = 1
    NEXT_STATE = 2         # best next state by the net
    NEXT_ROLL = 3          # full expectation of the next roll for the best few, exact ends
    HEURISTIC_WEIGHTS = 30
    DICE_PER_GAME = 128    # words of a stream a game: a face and a choice each turn
    NO_CIRCLE = 255
    POLL_GAMES = 16        # rollouts between two looks for Ctrl-C
    PLAY_STEPS = 1 << 10   # steps of a layout while playing; wider sheets are judged without their chains

cdef float LOWEST = -1e9


cdef class Player:
    """A policy on one sheet under one rule set. One thread at a time.

    weights: of the net, or of the heuristic for policies RANDOM (none) and HEURISTIC. endgame: for NEXT_ROLL, may be
    None. width, margin: how many of the best moves are looked at for NEXT_ROLL, and how far they may be behind the
    best. exact: empty circles after a move from which every move is exact; with one more the best `some` are.
    """

    cdef readonly Graph graph
    cdef const float[::1] weights
    cdef Net net
    cdef int policy
    cdef int links
    cdef int bad_rule
    cdef Endgame endgame
    cdef Layouts layouts
    cdef bint hasty        # of a game that is played on: once its layout was too wide, none is looked for any more
    cdef bint wide
    cdef int width
    cdef float margin
    cdef int exact
    cdef int some

    def __cinit__(self, Graph graph not None, int policy, const float[::1] weights, int links, int bad_rule,
                  Endgame endgame=None, int width=12, float margin=8, int exact=3, int some=3):
        cdef Py_ssize_t need = 0
        if not RANDOM <= policy <= NEXT_ROLL:
            raise ValueError(f"policy: must be 0 to 3, not {policy}")
        if policy != RANDOM:
            need = HEURISTIC_WEIGHTS if policy == HEURISTIC else weights_of(graph.circles)
            if weights is None or weights.shape[0] != need:
                raise ValueError(f"weights: must be {need} numbers")
        if not graph.plain and (policy >= NEXT_STATE or links == LINKS_FREE):
            raise ValueError("graph: nets and free links are for the scores of the base game")
        if not 1 <= width <= WIDEST:
            raise ValueError(f"width: must be 1 to {WIDEST}, not {width}")
        if endgame is not None and (endgame.graph is not graph or endgame.links != links
                                    or endgame.bad_rule != bad_rule):
            raise ValueError("endgame: is for another sheet or other rules")
        self.graph = graph
        self.policy = policy
        self.weights = weights
        self.links = links
        self.bad_rule = bad_rule
        self.endgame = endgame
        self.layouts = Layouts(PLAY_STEPS)
        self.width = width
        self.margin = margin
        self.exact = exact
        self.some = some
        if policy >= NEXT_STATE:
            use_weights(&self.net, &weights[0], graph.circles)

    cdef void linked(self, const Board *b, Board *out) noexcept nogil:
        """The board as it is judged: under free links with those of its best layout."""
        cdef uint8_t above[64]
        cdef int total = 0
        cdef uint64_t count = 0
        cdef int i
        copy_board(&self.graph.sheet, out, b)
        if self.links != LINKS_FREE or (self.hasty and self.wide):
            return
        if self.layouts.solve(&self.graph.sheet, &self.graph.tables, b, &total, &count, above) != 0:
            self.wide = True
            return
        for i in range(self.graph.sheet.n):
            if above[i] != NO_CIRCLE:
                out.up |= bit(i)
                out.down |= bit(above[i])
        draw_links(&self.graph.sheet, out, above)

    cdef int final(self, const Board *b) noexcept nogil:
        """Score of a board, under free links that of its best layout."""
        cdef uint8_t above[64]
        cdef int total = 0
        cdef uint64_t count = 0
        if self.links == LINKS_FREE and not (self.hasty and self.wide):
            if self.layouts.solve(&self.graph.sheet, &self.graph.tables, b, &total, &count, above) == 0:
                return total
        return score_of(&self.graph.tables, b)

    cdef void choose(self, const Board *b, int roll, uint64_t chance, Candidate *out) noexcept nogil:
        cdef Board seen
        cdef Choices scratch
        cdef Top top
        cdef int links = LINKS_OPTIONAL if self.links == LINKS_FREE else self.links
        if self.policy == RANDOM:
            self.at_random(b, roll, chance, out)
            return
        self.linked(b, &seen)
        if self.policy == HEURISTIC:
            self.by_heuristic(&seen, roll, links, out)
        elif self.policy == NEXT_STATE:
            best_reply(&self.graph.sheet, &self.graph.tables, &self.net, &seen, links, self.bad_rule, roll, &scratch,
                       out)
        else:
            self.ranked(b, &seen, roll, &top)
            out[0] = top.of[0]
        if self.links == LINKS_FREE:
            out.down = NO_LINK
            out.up = NO_LINK

    cdef void at_random(self, const Board *b, int roll, uint64_t chance, Candidate *out) noexcept nogil:
        """Each legal move with the same chance."""
        cdef const Sheet *s = &self.graph.sheet
        cdef const Tables *t = &self.graph.tables
        cdef bint skip_bad = self.bad_rule == BAD_FORCED and good_exists(s, t, b, roll)
        cdef int count = 0
        cdef int op, e, x, down, up, turn
        cdef uint64_t todo, below, above
        cdef int pick = -1
        for turn in range(2):
            for op in range(OPS):
                if b.left[op] == 0:
                    continue
                todo = b.open
                while todo:
                    e = trek_ctz(todo)
                    todo &= todo - 1
                    x = t.result[roll][op]
                    if x > limit_of(s, e):
                        if skip_bad:
                            continue
                        x = BAD
                    below = 0
                    above = 0
                    if x != BAD and self.links != LINKS_FREE:
                        if x > 0:
                            below = s.near[e] & b.num[x - 1] & ~b.up
                        if x < LIMIT_PLAIN:
                            above = s.near[e] & b.num[x + 1] & ~b.down
                    if below | above:
                        down = trek_popcount(below)
                        up = trek_popcount(above)
                        if self.links == LINKS_OPTIONAL:
                            down += 1
                            up += 1
                        else:
                            down += not down
                            up += not up
                    else:
                        down = 1
                        up = 1
                    if turn == 0:
                        count += down * up
                        continue
                    if pick >= down * up:
                        pick -= down * up
                        continue
                    out.value = 0
                    out.op = op
                    out.circle = e
                    out.number = x
                    out.down = nth(below, pick // up)
                    out.up = nth(above, pick % up)
                    return
            pick = <int>stream_below(chance, count)

    cdef void by_heuristic(self, const Board *b, int roll, int links, Candidate *out) noexcept nogil:
        """The best sum of the points at once and weights of what is left behind."""
        cdef const Sheet *s = &self.graph.sheet
        cdef const Tables *t = &self.graph.tables
        cdef const float *w = &self.weights[0]
        cdef bint skip_bad = self.bad_rule == BAD_FORCED and good_exists(s, t, b, roll)
        cdef Links ways
        cdef int op, e, x, free_near, length, wet
        cdef int seen = 0
        cdef uint64_t todo, near, dying, c
        cdef float value, place_value, cost
        cdef float op_cost[2][14]
        cdef int op_of[2][14]
        cdef bint same, linked
        out.value = LOWEST
        # the cheapest operation of each result class, on dry circles and in the river
        for op in range(OPS):
            if b.left[op] == 0:
                continue
            x = t.result[roll][op]
            for wet in range(2):
                cost = w[14 + op] + w[19] * (b.left[op] == 1)
                if wet and op != HIGH:
                    cost -= s.penalty
                if not seen >> x & 1 or cost > op_cost[wet][x]:
                    op_cost[wet][x] = cost
                    op_of[wet][x] = op
            seen |= 1 << x
        todo = b.open
        while todo:
            e = trek_ctz(todo)
            todo &= todo - 1
            near = s.near[e]
            wet = (s.river & bit(e)) != 0
            free_near = trek_popcount(near & b.empty)
            # orphans that lose their last empty neighbour
            dying = near & b.orphan
            for roll in range(14):
                if not seen >> roll & 1:
                    continue
                x = roll if roll <= limit_of(s, e) else BAD
                if x == BAD and skip_bad:
                    continue
                place_value = op_cost[wet][roll] + w[x]
                if x == BAD:
                    value = place_value - s.penalty + w[20] * free_near
                    if dying:
                        value += w[21] * trek_popcount(dying)
                    if value > out.value:
                        out.value = value
                        out.op = op_of[wet][roll]
                        out.circle = e
                        out.number = BAD
                        out.down = NO_LINK
                        out.up = NO_LINK
                    continue
                place_value += seen_gain(s, b, x)
                same = (near & b.num[x]) != 0
                if same:
                    place_value += area_gain(s, t, b, e, x)
                    place_value += w[22] + w[23] * free_near
                start_links(s, b, e, x, links, &ways)
                while next_links(&ways):
                    value = place_value
                    linked = ways.d != NO_LINK or ways.u != NO_LINK
                    c = dying & ~b.num[x]
                    if linked:
                        value += link_gain(s, t, b, x, ways.d, ways.u)
                        length = 1
                        if ways.d != NO_LINK:
                            length += b.at[ways.d].length
                            c &= ~bit(ways.d)
                        else:
                            value += w[24] * (free_near > 0)
                        if ways.u != NO_LINK:
                            length += b.at[ways.u].length
                            c &= ~bit(ways.u)
                        else:
                            value += w[25] * (free_near > 0)
                        value += w[26] * length
                    elif not same:
                        value += w[27] * (free_near > 1) + w[28] * free_near - s.penalty
                        if free_near == 0:
                            value += w[29]
                    if c:
                        value += w[21] * trek_popcount(c)
                    if value > out.value:
                        out.value = value
                        out.op = op_of[wet][roll]
                        out.circle = e
                        out.number = x
                        out.down = ways.d
                        out.up = ways.u

    cdef int ranked(self, const Board *b, const Board *seen, int roll, Top *top) noexcept nogil:
        """The best moves with values, best first; returns how many of them are exact (all, some or none).

        b: the board as it is; seen: as it is judged.
        """
        cdef const Sheet *s = &self.graph.sheet
        cdef const Tables *t = &self.graph.tables
        cdef int links = LINKS_OPTIONAL if self.links == LINKS_FREE else self.links
        cdef uint16_t want[5]
        cdef Choices scratch
        cdef Board child
        cdef Candidate held
        cdef int i, j, op, looked
        cdef int after = b.empties - 1
        cdef bint ends = False
        cdef bint exact
        for op in range(OPS):
            want[op] = 1 << t.result[roll][op]
        top.width = WIDEST
        top.count = 0
        all_choices(s, t, &self.net, seen, links, want, &scratch, top)
        if self.bad_rule == BAD_FORCED and good_exists(s, t, b, roll):
            j = 0
            for i in range(top.count):
                if top.of[i].number != BAD:
                    top.of[j] = top.of[i]
                    j += 1
            top.count = j
        if top.count == 0:
            return 0
        looked = 0
        exact = self.endgame is not None and after <= self.exact
        for i in range(top.count):
            if exact:
                looked += 1
            elif self.endgame is not None and after == self.exact + 1:
                if looked < self.some:
                    looked += 1
            elif looked < self.width and top.of[i].value >= top.of[0].value - self.margin:
                looked += 1
        ends = exact or (self.endgame is not None and after == self.exact + 1)
        for i in range(looked):
            if ends:
                copy_board(s, &child, b)
                if self.links == LINKS_FREE:
                    take(s, &child, top.of[i].op, top.of[i].circle, top.of[i].number, NO_LINK, NO_LINK)
                else:
                    take(s, &child, top.of[i].op, top.of[i].circle, top.of[i].number, top.of[i].down, top.of[i].up)
                top.of[i].value = self.endgame.before(&child, 0) + self.endgame.score(&child)
            else:
                copy_board(s, &child, seen)
                take(s, &child, top.of[i].op, top.of[i].circle, top.of[i].number, top.of[i].down, top.of[i].up)
                top.of[i].value = expectation(s, t, &self.net, &child, links, self.bad_rule, &scratch)
        # the looked-at moves in order, the others behind them
        for i in range(1, looked):
            held = top.of[i]
            j = i
            while j > 0 and top.of[j - 1].value < held.value:
                top.of[j] = top.of[j - 1]
                j -= 1
            top.of[j] = held
        top.count = looked
        return looked if ends else 0

    cdef void play_on(self, Board *b, uint64_t key, uint64_t game, int turn, const uint64_t *chances) noexcept nogil:
        """The policy plays the rest; the dice are words 2 * turn of the game, chances those in between if NULL.

        It ends at once where the endgame was stopped; `_check` says why.
        """
        cdef Candidate move
        cdef uint64_t word, chance
        while not is_over(b):
            word = game * DICE_PER_GAME + 2 * turn
            chance = stream_word(key, word + 1) if chances == NULL else chances[turn]
            move.circle = 0
            self.choose(b, self.graph.tables.index[stream_below(stream_word(key, word), FACES)], chance, &move)
            if self._stopped():
                return
            take(&self.graph.sheet, b, move.op, move.circle, move.number, move.down, move.up)
            turn += 1

    def games(self, uint64_t key, uint64_t first, const uint8_t[::1] left, int[::1] out not None,
              const uint64_t[:, ::1] chances=None):
        """Play games `first`, `first` + 1 ... of a stream of dice from the empty sheet; final scores to `out`.

        chances: for policy RANDOM a row of words a game, a word a turn; None: from the stream of the dice. Returns
        whether all scores are exact: under free links a layout may be too large to be found.
        """
        cdef Board board
        cdef Py_ssize_t i
        cdef const uint64_t *row = NULL
        cdef Layouts scorer = Layouts()
        cdef uint8_t above[64]
        cdef uint64_t count = 0
        cdef int turns = 0
        cdef bint exact = True
        if left.shape[0] != OPS:
            raise ValueError(f"left: must be {OPS} numbers, not {left.shape[0]}")
        if chances is not None:
            for i in range(OPS):
                turns += left[i]
            turns = min(turns, self.graph.circles)
            if chances.shape[0] != out.shape[0] or chances.shape[1] < turns:
                raise ValueError(f"chances: must be {out.shape[0]} rows of {turns} words")
        self._ready()
        with nogil:
            for i in range(out.shape[0]):
                if i % POLL_GAMES == POLL_GAMES - 1:
                    with gil:
                        PyErr_CheckSignals()
                start_board(&self.graph.sheet, &board, &left[0])
                if chances is not None:
                    row = &chances[i, 0]
                self.play_on(&board, key, first + i, 0, row)
                if self._stopped():
                    with gil:
                        self._check()
                if self.links != LINKS_FREE:
                    out[i] = score_of(&self.graph.tables, &board)
                elif scorer.solve(&self.graph.sheet, &self.graph.tables, &board, &out[i], &count, above) != 0:
                    exact = False
        return exact

    def move(self, const uint8_t[::1] cells, const uint8_t[::1] left, const uint8_t[::1] above, int face,
             uint64_t chance=0):
        """(operation, circle, class, down, up) of the policy's move for a face, as `board.moves` gives a move."""
        cdef Board board
        cdef Candidate out
        if not 0 <= face < FACES:
            raise ValueError(f"face: must be 0 to {FACES - 1}, not {face}")
        self.graph.load(&board, cells, left, above)
        if is_over(&board):
            raise ValueError("cells: the sheet has ended")
        self._ready()
        with nogil:
            self.choose(&board, self.graph.tables.index[face], chance, &out)
        self._check()
        return out.op, out.circle, out.number, out.down & 255, out.up & 255

    def rollouts(self, const uint8_t[::1] cells, const uint8_t[::1] left, const uint8_t[::1] above,
                 const uint8_t[::1] moves, uint64_t key, uint64_t first, int[:, ::1] out not None):
        """Final scores after each move (a row of `out`) over samples `first`, `first` + 1 ..., the same dice for all.

        moves: as `board.moves` gives them; none: the board is played on as it stands.
        """
        cdef Board board, child
        cdef Py_ssize_t i, j
        cdef Py_ssize_t count = moves.shape[0] // 5
        cdef const uint8_t *m
        if out.shape[0] != max(count, 1):
            raise ValueError("out: must have a row for each move")
        self.graph.load(&board, cells, left, above)
        self._check_moves(&board, moves)
        self._ready()
        with nogil:
            for i in range(max(count, 1)):
                for j in range(out.shape[1]):
                    copy_board(&self.graph.sheet, &child, &board)
                    if count:
                        m = &moves[5 * i]
                        take(&self.graph.sheet, &child, m[0], m[1], m[2], linked_to(m[3]), linked_to(m[4]))
                    if (i * out.shape[1] + j) % POLL_GAMES == POLL_GAMES - 1:
                        with gil:
                            PyErr_CheckSignals()
                    self.hasty = True
                    self.wide = False
                    self.play_on(&child, key, first + j, 0, NULL)
                    out[i, j] = self.final(&child)
                    self.hasty = False
                    if self._stopped():
                        with gil:
                            self._check()

    cdef int _check_moves(self, const Board *board, const uint8_t[::1] moves) except -1:
        cdef Py_ssize_t i
        cdef const uint8_t *m
        if moves.shape[0] % 5:
            raise ValueError("moves: must be five bytes a move")
        for i in range(moves.shape[0] // 5):
            m = &moves[5 * i]
            if (m[0] >= OPS or not board.left[m[0]] or m[1] >= self.graph.circles or not board.open & bit(m[1])
                    or m[2] > BAD):
                raise ValueError(f"moves: number {i} cannot be played")
            if m[3] != NO_CIRCLE and not (m[3] < CIRCLES and below_of(&self.graph.sheet, board, m[1], m[2])
                                          & bit(m[3])):
                raise ValueError(f"moves: number {i} cannot be linked to {m[3]}")
            if m[4] != NO_CIRCLE and not (m[4] < CIRCLES and above_of(&self.graph.sheet, board, m[1], m[2])
                                          & bit(m[4])):
                raise ValueError(f"moves: number {i} cannot be linked to {m[4]}")
        return 0

    def rank(self, const uint8_t[::1] cells, const uint8_t[::1] left, const uint8_t[::1] above, int face):
        """[(value, exact, op, circle, class, down, up)] of the best moves of a face, best first; needs a net."""
        cdef Board board, seen
        cdef Top top
        cdef int i, exact
        if self.policy < NEXT_STATE:
            raise ValueError("policy: has no net")
        if not 0 <= face < FACES:
            raise ValueError(f"face: must be 0 to {FACES - 1}, not {face}")
        self.graph.load(&board, cells, left, above)
        if is_over(&board):
            return []
        self._ready()
        with nogil:
            self.linked(&board, &seen)
            exact = self.ranked(&board, &seen, self.graph.tables.index[face], &top)
        self._check()
        free = self.links == LINKS_FREE
        return [(top.of[i].value, i < exact, top.of[i].op, top.of[i].circle, top.of[i].number,
                 NO_CIRCLE if free else top.of[i].down & 255, NO_CIRCLE if free else top.of[i].up & 255)
                for i in range(top.count)]

    def judge(self, const uint8_t[::1] cells, const uint8_t[::1] left, const uint8_t[::1] above,
              const uint8_t[::1] moves):
        """The expected final score after each move, one roll looked ahead; moves as `board.moves` gives them."""
        cdef Board board, seen, child
        cdef Choices scratch
        cdef Links ways
        cdef Py_ssize_t i
        cdef double value, best
        cdef const uint8_t *m
        cdef const Sheet *s = &self.graph.sheet
        cdef const Tables *t = &self.graph.tables
        if self.policy < NEXT_STATE:
            raise ValueError("policy: has no net")
        self.graph.load(&board, cells, left, above)
        self._check_moves(&board, moves)
        values = []
        self.linked(&board, &seen)
        for i in range(0, moves.shape[0], 5):
            m = &moves[i]
            with nogil:
                if self.links == LINKS_FREE:
                    best = LOWEST
                    start_links(s, &seen, m[1], m[2], LINKS_OPTIONAL, &ways)
                    while next_links(&ways):
                        copy_board(s, &child, &seen)
                        take(s, &child, m[0], m[1], m[2], ways.d, ways.u)
                        value = expectation(s, t, &self.net, &child, LINKS_OPTIONAL, self.bad_rule, &scratch)
                        best = max(best, value)
                else:
                    copy_board(s, &child, &seen)
                    take(s, &child, m[0], m[1], m[2], linked_to(m[3]), linked_to(m[4]))
                    best = expectation(s, t, &self.net, &child, self.links, self.bad_rule, &scratch)
            values.append(best)
        return values

    def _ready(self):
        if self.endgame is not None:
            self.endgame.open_ended()

    cdef inline bint _stopped(self) noexcept nogil:
        """Whether a signal ended the endgame: its values mean nothing from then on."""
        return self.endgame is not None and self.endgame.interrupted

    cdef int _check(self) except -1:
        """Raise what the signal's handler raised."""
        if self.endgame is not None:
            self.endgame._end()
        return 0


cdef inline int linked_to(uint8_t circle) noexcept nogil:
    """The circle of a byte of a move, where 255 is none."""
    if circle == NO_CIRCLE:
        return NO_LINK
    return circle


cdef int nth(uint64_t circles, int index) noexcept nogil:
    """The circle of that index, NO_LINK behind the last."""
    while index > 0 and circles:
        circles &= circles - 1
        index -= 1
    return trek_ctz(circles) if circles else NO_LINK
