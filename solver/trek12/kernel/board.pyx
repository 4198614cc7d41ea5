"""Graph: a sheet as bit masks, and the questions about one board. See board.pxd for the board itself."""

from libc.stdint cimport uint8_t, uint64_t

cdef enum:
    BONUS_FROM = 3         # shortest chain and smallest area with a bonus
    NONE = 255             # no link, in byte arrays
    MOVE_BYTES = 5         # op, circle, class, down, up
    PIRANHA = 16           # added to the class of a river circle that was written with another operation than HIGH


cdef void fill_tables(Tables *t, bint bonus) noexcept nogil:
    """Results of every roll, and the bonuses if there are any, from the rules alone."""
    cdef int yellow, red, low, high, i, op, k
    cdef int rolls = 0
    cdef int values[5]
    cdef int seen[36]
    memset(t, 0, sizeof(Tables))
    for i in range(FACES):
        seen[i] = -1
    for yellow in range(6):
        for red in range(1, 7):
            low = min(yellow, red)
            high = max(yellow, red)
            # unordered pair, high is 1..6 and low 0..6: low * 6 + high - 1 is below 42; (6, 6) cannot be rolled
            i = low * 6 + high - 1
            if seen[i] < 0:
                seen[i] = rolls
                values[0] = low
                values[1] = high
                values[2] = high - low
                values[3] = high + low
                values[4] = high * low
                for op in range(OPS):
                    k = values[op] if values[op] <= LIMIT_PLAIN else BAD
                    t.result[rolls][op] = k
                    t.makers[k] |= 1 << op
                    t.gives[op] |= 1 << k
                rolls += 1
            t.weight[seen[i]] += 1
            t.index[yellow * 6 + red - 1] = seen[i]
    # 3:1 4:3 5:6 6:10 7:15, then 5 for each further circle
    for i in range(BONUS_FROM, CIRCLES + 1):
        t.bonus[i] = t.bonus[i - 1] + min(i - BONUS_FROM + 1, 5) if bonus else 0


cdef void draw_links(const Sheet *s, Board *board, const uint8_t *above) noexcept nogil:
    """Work out chains, areas and the score of a board whose `num`, `up`, `down` and values are set.

    Piranhas are not on the board; their price is the caller's.

    above: for each circle the one that it is linked up to, or NONE.
    """
    cdef int i, c, length
    cdef uint64_t todo, area
    board.base = -s.penalty * trek_popcount(board.num[BAD])
    board.orphan = 0
    board.longest = 0
    board.largest = 0
    for i in range(s.n):
        if board.at[i].value >= BAD:
            continue
        # a chain starts where there is a link up and none down
        if board.up & bit(i) and not board.down & bit(i):
            length = 1
            c = i
            while above[c] != NONE:
                c = above[c]
                length += 1
            board.at[i].length = length
            board.at[c].length = length
            board.at[i].other = c
            board.at[c].other = i
            board.base += board.at[i].value + 2 * (length - 1)
            board.longest = max(board.longest, length)
        board.at[i].size = 1
        if not s.near[i] & board.num[board.at[i].value] and not (board.up | board.down) & bit(i):
            board.orphan |= bit(i)
            board.base -= s.penalty
    for i in range(NUMBERS):
        todo = board.num[i]
        if s.watched >> i & 1:
            for c in range(min(trek_popcount(todo), <int>COPIES)):
                board.base += s.seen[i][c]
        while todo:
            area = flood(s, todo & -todo, board.num[i])
            todo &= ~area
            length = trek_popcount(area)
            if length >= 2:
                board.base += i + length - 1
                board.largest = max(board.largest, length)
                while area:
                    board.at[trek_ctz(area)].size = length
                    area &= area - 1


cdef class Graph:
    """A sheet's circles and their touching pairs.

    circles: 1..64. edges: bytes, two circles a pair. dangerous, river: bytes, a circle each. penalty: points of an
    orphan, a bad circle or a piranha. bonus: whether the longest chain and the largest area have one. seen: COPIES
    bytes for each number 0..12, the points that its first, second ... copy adds, or empty. ValueError if a circle is
    not on the sheet or touches itself.
    """

    def __cinit__(self, int circles, const uint8_t[::1] edges, const uint8_t[::1] dangerous, int penalty=PENALTY,
                  bint bonus=True, const uint8_t[::1] river=b"", const uint8_t[::1] seen=b""):
        cdef int i
        if not 1 <= circles <= CIRCLES:
            raise ValueError(f"circles: must be 1 to {CIRCLES}, not {circles}")
        if edges.shape[0] % 2:
            raise ValueError("edges: must be pairs of circles")
        memset(&self.sheet, 0, sizeof(Sheet))
        self.circles = circles
        self.sheet.n = circles
        for i in range(circles):
            self.sheet.all |= bit(i)
        for i in range(0, edges.shape[0], 2):
            if edges[i] >= circles or edges[i + 1] >= circles or edges[i] == edges[i + 1]:
                raise ValueError(f"edges: {edges[i]}-{edges[i + 1]} is no pair of circles")
            self.sheet.near[edges[i]] |= bit(edges[i + 1])
            self.sheet.near[edges[i + 1]] |= bit(edges[i])
        for i in range(dangerous.shape[0]):
            if dangerous[i] >= circles:
                raise ValueError(f"dangerous: there is no circle {dangerous[i]}")
            self.sheet.danger |= bit(dangerous[i])
        for i in range(river.shape[0]):
            if river[i] >= circles:
                raise ValueError(f"river: there is no circle {river[i]}")
            self.sheet.river |= bit(river[i])
        if not 0 <= penalty <= 255:
            raise ValueError(f"penalty: must be 0 to 255, not {penalty}")
        self.sheet.penalty = penalty
        if seen.shape[0] not in (0, NUMBERS * COPIES):
            raise ValueError(f"seen: must be {NUMBERS * COPIES} bytes, not {seen.shape[0]}")
        for i in range(<int>seen.shape[0]):
            self.sheet.seen[i // COPIES][i % COPIES] = seen[i]
            if seen[i]:
                self.sheet.watched |= 1 << i // COPIES
        self.plain = penalty == PENALTY and bonus and not self.sheet.river and not self.sheet.watched
        fill_tables(&self.tables, bonus)

    cdef int load(self, Board *board, const uint8_t[::1] cells, const uint8_t[::1] left,
                  const uint8_t[::1] above) except -1:
        """Fill `board` from byte arrays, checked enough that no kernel can leave its arrays.

        cells: a class a circle, with PIRANHA added where there is one. left: boxes an operation. above: for each circle
        the one with the number one higher that it is linked to, or 255.
        """
        cdef const Sheet *s = &self.sheet
        cdef int i, u, c
        cdef int piranhas = 0
        cdef uint64_t todo
        cdef uint8_t boxes[5]
        cdef uint8_t above_copy[64]
        if cells.shape[0] != s.n:
            raise ValueError(f"cells: must be {s.n}, not {cells.shape[0]}")
        if left.shape[0] != OPS:
            raise ValueError(f"left: must be {OPS} numbers, not {left.shape[0]}")
        if above.shape[0] != s.n:
            raise ValueError(f"links: must be {s.n}, not {above.shape[0]}")
        for i in range(OPS):
            if left[i] > CIRCLES:
                raise ValueError(f"left: must be 0 to {CIRCLES}, not {left[i]}")
            boxes[i] = left[i]
        start_board(s, board, boxes)
        for i in range(s.n):
            c = cells[i]
            if c & PIRANHA and s.river & bit(i) and c != PIRANHA + EMPTY:
                c -= PIRANHA
                piranhas += 1
            if c > EMPTY:
                raise ValueError(f"cells: circle {i} must be 0 to {EMPTY}, not {c}")
            board.at[i].value = c
            board.at[i].length = 1
            board.at[i].other = i
            if c != EMPTY:
                board.empty &= ~bit(i)
                board.empties -= 1
                board.num[c] |= bit(i)
        for i in range(s.n):
            u = above[i]
            above_copy[i] = u
            if u == NONE:
                continue
            if u >= s.n or board.at[i].value >= LIMIT_PLAIN or board.at[u].value != board.at[i].value + 1:
                raise ValueError(f"links: {i}-{u} does not go up by one")
            if not s.near[i] & bit(u) or board.down & bit(u):
                raise ValueError(f"links: {i}-{u} do not touch, or {u} is linked down twice")
            board.up |= bit(i)
            board.down |= bit(u)
        draw_links(s, board, above_copy)
        board.base -= s.penalty * piranhas
        if board.empty != s.all:
            board.open = 0
            todo = s.all & ~board.empty
            while todo:
                c = trek_ctz(todo)
                todo &= todo - 1
                board.open |= s.near[c] & board.empty
        return 0


cdef Py_ssize_t list_moves(const Sheet *s, const Tables *t, const Board *b, int roll, int links, int bad_rule,
                           uint8_t *out, Py_ssize_t room) noexcept nogil:
    """Number of legal moves of a roll; the first `room` are written to `out`, MOVE_BYTES each."""
    cdef int op, e, x
    cdef Py_ssize_t count = 0
    cdef uint64_t todo
    cdef Links ways
    cdef bint skip_bad = bad_rule == BAD_FORCED and good_exists(s, t, b, roll)
    if is_over(b):
        return 0
    for op in range(OPS):
        if b.left[op] == 0:
            continue
        todo = b.open
        while todo:
            e = trek_ctz(todo)
            todo &= todo - 1
            x = t.result[roll][op]
            if x > limit_of(s, e):
                x = BAD
                if skip_bad:
                    continue
            start_links(s, b, e, x, links, &ways)
            while next_links(&ways):
                if count < room:
                    out[0] = op
                    out[1] = e
                    out[2] = x
                    out[3] = ways.d & NONE
                    out[4] = ways.u & NONE
                    out += MOVE_BYTES
                count += 1
    return count


cdef int checked_roll(const Tables *t, int face) except -1:
    """Roll index of a face, yellow * 6 + red - 1."""
    if not 0 <= face < FACES:
        raise ValueError(f"face: must be 0 to {FACES - 1}, not {face}")
    return t.index[face]


def count_moves(Graph graph not None, const uint8_t[::1] cells, const uint8_t[::1] left, const uint8_t[::1] above,
                int face, int links, int bad_rule):
    """Number of legal moves of a face (yellow * 6 + red - 1)."""
    cdef Board board
    cdef int roll = checked_roll(&graph.tables, face)
    graph.load(&board, cells, left, above)
    return list_moves(&graph.sheet, &graph.tables, &board, roll, links, bad_rule, NULL, 0)


def moves(Graph graph not None, const uint8_t[::1] cells, const uint8_t[::1] left, const uint8_t[::1] above,
          int face, int links, int bad_rule):
    """All legal moves of a face as bytes, five a move: operation, circle, class, linked down to, linked up to."""
    cdef Board board
    cdef Py_ssize_t count
    cdef uint8_t[::1] view
    cdef int roll = checked_roll(&graph.tables, face)
    graph.load(&board, cells, left, above)
    count = list_moves(&graph.sheet, &graph.tables, &board, roll, links, bad_rule, NULL, 0)
    out = bytearray(count * MOVE_BYTES)
    if count:
        view = out
        list_moves(&graph.sheet, &graph.tables, &board, roll, links, bad_rule, &view[0], count)
    return bytes(out)


def total(Graph graph not None, const uint8_t[::1] cells, const uint8_t[::1] left, const uint8_t[::1] above):
    """Score of a board with its drawn links."""
    cdef Board board
    graph.load(&board, cells, left, above)
    return score_of(&graph.tables, &board)


def total_many(Graph graph not None, const uint8_t[:, ::1] cells, const uint8_t[:, ::1] above, int[::1] out not None):
    """Scores of many boards (one a row), with all boxes left; the GIL is free meanwhile."""
    cdef Board board
    cdef Py_ssize_t i
    cdef uint8_t boxes[5]
    memset(boxes, 0, OPS)
    cdef const uint8_t[::1] left = <uint8_t[:OPS]>boxes
    if above.shape[0] != cells.shape[0] or out.shape[0] != cells.shape[0]:
        raise ValueError("above and out: must have a row for each row of cells")
    for i in range(cells.shape[0]):
        graph.load(&board, cells[i], left, above[i])
        out[i] = score_of(&graph.tables, &board)


def replay(Graph graph not None, const uint8_t[::1] cells, const uint8_t[::1] left, const uint8_t[::1] above,
           int circle, int number, int down, int up):
    """Score after one number is written with `place`, the step that every search takes; for the tests."""
    cdef Board board
    graph.load(&board, cells, left, above)
    if not 0 <= circle < graph.circles or not board.open & bit(circle) or not 0 <= number <= BAD:
        raise ValueError(f"circle: {circle} cannot take {number}")
    if down != NO_LINK and (not 0 <= down < graph.circles or
                            not below_of(&graph.sheet, &board, circle, number) & bit(down)):
        raise ValueError(f"down: {circle} cannot be linked to {down}")
    if up != NO_LINK and (not 0 <= up < graph.circles or
                          not above_of(&graph.sheet, &board, circle, number) & bit(up)):
        raise ValueError(f"up: {circle} cannot be linked to {up}")
    place(&graph.sheet, &board, circle, number, down, up)
    return score_of(&graph.tables, &board)
