"""The exact search for the best Rummikub move: row by row, priced colour by colour, best first.

A position is a count problem. Of every tile some copies must be in a set (those on the table) and some
may be (those in the rack); a rack copy that stays in the rack costs its weight; the least cost is wanted.
docs/rummikub-search.md tells the whole story; the stages below have the same names.

1. Rows. Numbers are taken in order. After a row, one colour is a multiset of open runs of length 1, 2 and
   "3 or more": a *state* (x1, x2, x3) with at most `slots` runs. A *transition* puts `rr` real tiles and
   `jr` jokers of a row into runs; the remaining tiles of the row go to groups or are lost to the rack.
2. Parking. First a relaxation: a joker that no set needs is parked at no cost, so `slots` = most copies of
   a tile, and canonical rules cut the transitions. Parked jokers are housed at the end; where one finds
   no house the search is run again with every joker explicit.
3. Prices. Each (number, colour, tiles in groups) and each joker get a price; with prices the colours fall
   apart, and `rest` (the cheapest completion of a colour from a state) is one backward pass with the
   four colours as four lanes. The sum is a lower bound of the whole.
4. Dive: from the root always the child whose bound grows least. Often it ends on the bound: proven.
5. Else the prices are improved by a forward and a backward sweep, and A* ends what is left.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM

from ...errors import LimitReached, SolverError, UnsupportedRules

cdef extern from "lanes.h" nogil:
    ctypedef struct lanes_t:
        pass
    lanes_t lanes_splat(int32_t x)
    lanes_t lanes_add(lanes_t a, lanes_t b)
    lanes_t lanes_sub(lanes_t a, lanes_t b)
    lanes_t lanes_min(lanes_t a, lanes_t b)
    lanes_t lanes_clamp(lanes_t a, int32_t high, int32_t inf)
    int32_t lanes_sum(lanes_t a)
    int64_t solver_now_ns()

cdef enum:
    MAX_NUMBERS = 101  # of rows: `high_one` has one more than numbers
    MAX_STATES = 364  # multisets of three lengths with at most MAX_SLOTS runs: C(14, 3)
    MIN_SET = 3
    INF = 1 << 28  # no completion; four of them still fit in 32 bits
    HALF_INF = 1 << 27  # at least this is no completion either: an INF with negative prices on top
    MAX_COST = 5 << 24  # of all rack tiles together: enough for the tiles and values of the largest deck
    MAX_PRICE = (HALF_INF - MAX_COST) // (2 * MAX_JOKERS)  # so that all jokers and all tiles stay below HALF_INF
    GRAIN = 16  # costs are multiplied by up to this, so that prices can be fractions
    MIN_MEMORY = 1 << 20  # bytes a search may use at least
    RETAINED_SHARE = 8  # a work space larger than this part of the limit is not kept for later
    RETAINED_SPACES = 4  # at most so many are kept: together half the limit
    GRAIN_COST = 1 << 23  # as long as they stay below this
    MAX_SECONDS = 1000000000  # a longer limit is this one
    POLL_EVERY = 2048  # expansions between looks at the clock and at Ctrl-C
    FIRST_HASH = 256  # slots of the first transposition table, a power of two
    FIRST_NODES = 256
    MOST_COMPARED = 256  # expanded nodes of its row that a node is compared with
    STAMPS = 1 << 30  # then the lists are wiped and stamps begin anew
    FIRST_GAP_TENTHS = 8  # of the mean weight of a rack tile: what A* first looks at beyond the bound
    GAP_GROWTH = 2

    # kinds of transitions: what may happen to the tiles of a row that are not in runs
    LOSE = 0  # no joker, every open run extended: tiles go to groups or are lost
    KEEP = 1  # no joker, some run of 3 or more ends: tiles go to groups, none is lost
    JOKER = 2  # jokers in runs: all real tiles of the row are in runs
    JOKER_LOSE = 3  # explicit jokers, every open run extended: tiles are in runs or lost
    KINDS = 4

    NO_VECTOR = 255

    # kinds of rows
    MIDDLE = 0
    LAST_START = 1  # the last number at which a run can start
    ENDING = 2
    ROW_KINDS = 3

cdef struct Transition:
    int16_t to
    int16_t use  # index into the costs of a row: kind * (slots + 1) + real
    uint8_t real
    uint8_t jokers
    uint8_t kind


cdef struct Vector:
    # One way to put tiles of a row into groups: how many of each colour, and jokers.
    uint8_t tiles[LANES]
    uint8_t jokers


cdef struct Live:
    int32_t residual  # what the vector costs beyond its shares: not yet known to `rest`, >= 0
    Vector x


cdef struct Pattern:
    # All vectors of a row by how many copies of its tiles there are; read-only once built.
    int count
    uint8_t fewest[MAX_SLOTS + 1][LANES]  # jokers of the vectors with so many tiles of a colour, or NO_VECTOR
    uint8_t most[MAX_SLOTS + 1][LANES]
    uint16_t tiles[LANES]  # bit g: some vector puts g tiles of the colour into groups
    Live *lives  # the vectors, with residuals of nothing


cdef struct Choice:
    # A transition of one colour together with what the other tiles of its row do.
    int16_t to
    uint8_t real
    uint8_t jokers
    uint8_t grouped
    uint8_t lost


cdef struct Choices:
    # All choices for a tile by its copies, ordered by state and `grouped`; read-only once built.
    int32_t *first  # [states][slots + 2]
    Choice *all


cdef struct Tables:
    # Depend on (slots, jokers, explicit) alone; read-only once built.
    int slots
    int states
    int jokers
    bint explicit
    int8_t runs[MAX_STATES][3]  # x1, x2, x3
    uint8_t *beats  # [states][states]: whatever follows the second state can follow the first as cheaply
    # By kind of row and by most copies of a tile of the row: all moves of state s are from first[s] to first[s + 1].
    int32_t *first[ROW_KINDS][MAX_SLOTS + 1]
    Transition *moves[ROW_KINDS][MAX_SLOTS + 1]
    Choices *choices[ROW_KINDS][MAX_SLOTS + 1][MAX_SLOTS + 1]  # by copies that must and may be laid
    # bit j of [tiles][most of one colour]: j jokers complete the tiles to whole groups
    uint16_t feasible[LANES * MAX_SLOTS + 1][MAX_SLOTS + 1]
    # by copies of the four tiles of a row, and (explicit) whether groups of jokers alone are made there
    Pattern **patterns


cdef struct Option:
    # One way of one colour through one row.
    int32_t reduced  # by how much it is dearer than the colour's best completion
    int32_t cost
    int16_t to
    uint8_t real
    uint8_t jokers
    uint8_t grouped


cdef struct Node:
    int32_t key
    int32_t bound
    int32_t cost
    int32_t parent
    int16_t state[LANES]
    int32_t option[LANES]  # the step that led here: into the options
    int32_t before  # the node of the row that was expanded before this one
    int16_t live  # and into the live vectors of the row
    uint8_t row
    uint8_t jokers


cdef struct Run:
    int16_t start  # row
    int16_t length
    int8_t colour
    int8_t ripe  # 1, 2 or 3 (3: may end), as the states count it
    uint64_t jokers[2]  # bit per row


cdef struct Group:
    uint8_t tiles[LANES]
    uint8_t jokers


cdef struct Work:
    # All that one search needs; reused from search to search.
    int numbers
    int colors
    bint high_one  # the last row holds 1s that follow the highest number: no groups there
    # the problem
    int jokers
    int jokers_forced
    int32_t joker_cost  # of a rack joker not laid (explicit only)
    int32_t face_values[MAX_NUMBERS]
    int32_t *face  # gain of a joker in each row (explicit only) or NULL
    int32_t joker_price
    int most  # copies of a tile, table and rack
    uint8_t *must  # [numbers][LANES]
    uint8_t *may
    int32_t *weight
    int32_t unit  # mean weight of a rack tile
    int32_t total  # cost of laying no real tile
    int32_t dropped  # cost of rack tiles that are in no set at all
    bint explicit
    # shape
    Tables *tables
    int lane_width  # slots + 1
    size_t capacity_lanes
    size_t capacity_lists
    # prices and bounds, lanes
    lanes_t *lose  # [numbers][2 * slots + 2]: cost by number of tiles used
    lanes_t *keep
    lanes_t *share  # [numbers][slots + 1]: price of tiles in groups
    lanes_t *use  # [numbers][KINDS * (slots + 1)]
    lanes_t *rest  # [numbers + 1][states]
    lanes_t *past
    int32_t row_joker[MAX_NUMBERS]  # price of a joker in the row
    int widest[MAX_NUMBERS]  # most copies of a tile of the row
    # group vectors
    Pattern *pattern[MAX_NUMBERS]
    Live *live[MAX_NUMBERS]  # the vectors of a row; first those within the gap
    int live_count[MAX_NUMBERS]  # of those
    uint16_t live_tiles[MAX_NUMBERS][LANES]  # bit g: one of those puts g tiles of the colour into groups
    int all_count[MAX_NUMBERS]
    Live *lives
    int32_t live_room
    int32_t gap  # what a path may cost more than the bound of the root; the rest is not looked at
    # options of (row, colour, state), made when first asked for
    int32_t *list_stamp
    int32_t *lists  # [..][2 * (slots + 1) + 1]: by tiles in groups the least reduced cost; then the offsets
    int32_t stamp
    Option *options
    int32_t option_count
    int32_t option_room
    # nodes
    Node *nodes
    int32_t node_count
    int32_t node_room
    int32_t latest[MAX_NUMBERS]  # expanded node of a row
    int64_t *heap
    int32_t heap_count
    int32_t heap_room
    uint64_t *hash_key
    int32_t *hash_cost
    int32_t hash_size
    int32_t hash_count
    # effort and limits
    int64_t expanded
    int64_t node_limit
    int64_t deadline
    int64_t memory_limit
    int64_t memory
    PyObject *raised  # by a signal handler during the search
    # answer
    int32_t grain  # all costs are multiples of it
    int32_t best_cost
    int32_t best_node  # -1: none yet
    uint8_t *real  # [numbers][LANES] in runs
    uint8_t *run_jokers
    Run *runs
    int run_count
    Group *groups  # a row each
    int16_t *sets  # [length, tiles ...] ...
    int sets_length
    uint8_t *used  # [numbers][LANES] real tiles in sets; at the end tiles laid, and then jokers laid
    int jokers_used


# ---------------------------------------------------------------------------------------------------
# Tables: states and transitions
# ---------------------------------------------------------------------------------------------------

cdef void choices_free(Choices *c) noexcept nogil:
    if c != NULL:
        free(c.first)
        free(c.all)
        free(c)


cdef Choices *choices_for(Tables *t, int kind, int must, int may) noexcept nogil:
    """The choices of a tile with so many copies, made when first asked for; NULL when memory is out."""
    cdef Choices *c = t.choices[kind][must][may]
    cdef Transition *e
    cdef int s, g, i, n = 0, left, width = t.slots + 1
    if c != NULL:
        return c
    c = <Choices *>calloc(1, sizeof(Choices))
    if c == NULL:
        return NULL
    c.first = <int32_t *>malloc(t.states * (width + 1) * sizeof(int32_t))
    # of each transition at most one for each number of tiles in groups
    c.all = <Choice *>malloc((t.first[kind][may][t.states] * (may + 1) + 1) * sizeof(Choice))
    if c.first == NULL or c.all == NULL:
        choices_free(c)
        return NULL
    for s in range(t.states):
        for g in range(width):
            c.first[s * (width + 1) + g] = n
            for i in range(t.first[kind][may][s], t.first[kind][may][s + 1]):
                e = &t.moves[kind][may][i]
                left = may - e.real - g
                if left < 0 or left > may - must:
                    continue
                if g > 0 and e.kind >= JOKER:
                    continue
                if left > 0 and (e.kind == KEEP or e.kind == JOKER):
                    continue
                c.all[n].to = e.to
                c.all[n].real = e.real
                c.all[n].jokers = e.jokers
                c.all[n].grouped = g
                c.all[n].lost = left
                n += 1
        c.first[s * (width + 1) + width] = n
    # The interpreter's lock makes the store safe; a second maker of the same choices throws his away.
    with gil:
        if t.choices[kind][must][may] == NULL:
            t.choices[kind][must][may] = c
        else:
            choices_free(c)
            c = t.choices[kind][must][may]
    return c


cdef void fill_feasible(Tables *t, int colors) noexcept nogil:
    """Which numbers of jokers complete tiles of one number, at most `most` of one colour, to whole groups."""
    cdef int total, most, k, j
    for total in range(LANES * t.slots + 1):
        for most in range(t.slots + 1):
            for k in range(most, (total + MAX_JOKERS) // MIN_SET + 1):
                if k > 0 and (colors < MIN_SET or (total == 0 and not t.explicit)):
                    break
                for j in range(MAX_JOKERS + 1):
                    if MIN_SET * k <= total + j <= colors * k:
                        t.feasible[total][most] |= <uint16_t>(1 << j)


cdef bint beats(int8_t *a, int8_t *b) noexcept nogil:
    """Whether runs `a` are at least as good as runs `b`: each run of b is in a as long or longer, others are ripe.

    A longer run can do what a shorter one does, and a ripe one may end at once.
    """
    return a[0] <= b[0] and a[0] + a[1] <= b[0] + b[1] and a[0] + a[1] + a[2] >= b[0] + b[1] + b[2]


cdef Tables *tables_new(int colors, int slots, int jokers, bint explicit) noexcept nogil:
    """All transitions for a number of slots and jokers; NULL when memory is out."""
    cdef Tables *t = <Tables *>calloc(1, sizeof(Tables))
    cdef int16_t index[MAX_SLOTS + 1][MAX_SLOTS + 1][MAX_SLOTS + 1]
    cdef int x1, x2, x3, s, kind, wide, real, jr, r, forced, ext, new, jf, js, je, n
    cdef Transition *e
    if t == NULL:
        return NULL
    t.slots = slots
    t.jokers = jokers
    t.explicit = explicit
    t.patterns = <Pattern **>calloc(pattern_count(slots), sizeof(Pattern *))
    if t.patterns == NULL:
        tables_free(t)
        return NULL
    fill_feasible(t, colors)
    n = 0
    for x1 in range(slots + 1):
        for x2 in range(slots + 1 - x1):
            for x3 in range(slots + 1 - x1 - x2):
                t.runs[n][0] = x1
                t.runs[n][1] = x2
                t.runs[n][2] = x3
                index[x1][x2][x3] = n
                n += 1
    t.states = n
    t.beats = <uint8_t *>malloc(n * n)
    if t.beats == NULL:
        tables_free(t)
        return NULL
    for s in range(n):
        for r in range(n):
            t.beats[s * n + r] = beats(t.runs[s], t.runs[r])
    for kind in range(ROW_KINDS):
        for wide in range(slots + 1):
            t.first[kind][wide] = <int32_t *>malloc((t.states + 1) * sizeof(int32_t))
            # at most one transition for each pair of real tiles and jokers
            t.moves[kind][wide] = <Transition *>malloc(
                t.states * (wide + 1) * (jokers + 1) * sizeof(Transition))
            if t.first[kind][wide] == NULL or t.moves[kind][wide] == NULL:
                tables_free(t)
                return NULL
            n = 0
            for s in range(t.states):
                t.first[kind][wide][s] = n
                x1 = t.runs[s][0]
                x2 = t.runs[s][1]
                x3 = t.runs[s][2]
                forced = x1 + x2
                for jr in range(jokers + 1):
                    for real in range(wide + 1):
                        r = real + jr
                        if r < forced or r > slots:
                            continue
                        # A run that could go on is never ended while another one starts: they are one run.
                        ext = min(x3, r - forced)
                        new = r - forced - ext
                        if new > 0 and kind == ENDING:
                            continue
                        je = 0
                        if not explicit:
                            # Jokers fill forced places first, then start runs, then lengthen ripe ones.
                            jf = min(jr, forced)
                            js = min(jr - jf, new)
                            je = jr - jf - js
                            # A joker at the front of a run can be moved to its end, unless that is the last number.
                            if js > 0 and kind != LAST_START:
                                continue
                            # A ripe run lengthened by a joker must go on (else the joker would be parked): it
                            # counts as a run of two.
                        e = &t.moves[kind][wide][n]
                        n += 1
                        e.to = index[new][x1 + je][x2 + ext - je]
                        e.real = real
                        e.jokers = jr
                        if jr == 0:
                            # A tile is lost only when no open run could take it.
                            e.kind = LOSE if ext == x3 else KEEP
                        else:
                            # A joker beside a tile of its own kind in a group, or (parked) in the rack, would
                            # change places with it.
                            e.kind = JOKER_LOSE if explicit and ext == x3 else JOKER
                        e.use = e.kind * (slots + 1) + real
            t.first[kind][wide][t.states] = n
    return t


cdef void tables_free(Tables *t) noexcept nogil:
    cdef int kind, wide, must
    if t != NULL:
        for kind in range(ROW_KINDS):
            for wide in range(MAX_SLOTS + 1):
                free(t.first[kind][wide])
                free(t.moves[kind][wide])
                for must in range(wide + 1):
                    choices_free(t.choices[kind][must][wide])
        if t.patterns != NULL:
            for kind in range(pattern_count(t.slots)):
                if t.patterns[kind] != NULL:
                    free(t.patterns[kind].lives)
                    free(t.patterns[kind])
            free(t.patterns)
        free(t.beats)
        free(t)


cdef int pattern_count(int slots) noexcept nogil:
    return 2 * (slots + 1) * (slots + 1) * (slots + 1) * (slots + 1)


cdef Pattern *pattern_of(Tables *t, uint8_t *may, int jokers, bint joker_groups, int colors) noexcept nogil:
    """The vectors of a row with `may` copies of its tiles, made when first asked for; NULL when memory is out."""
    cdef int width = t.slots + 1
    cdef int at = (((may[0] * width + may[1]) * width + may[2]) * width + may[3]) * 2 + joker_groups
    cdef Pattern *p = t.patterns[at]
    cdef int a[LANES]
    cdef int c, g0, g1, g2, g3, total, j, present = 0
    cdef uint16_t mask
    cdef Vector *x
    if p != NULL:
        return p
    for c in range(LANES):
        a[c] = may[c]
        present += may[c] > 0
    if present + jokers < MIN_SET or colors < MIN_SET:
        a[0] = a[1] = a[2] = a[3] = 0
    p = <Pattern *>calloc(1, sizeof(Pattern))
    if p == NULL:
        return NULL
    p.lives = <Live *>calloc((a[0] + 1) * (a[1] + 1) * (a[2] + 1) * (a[3] + 1) * (jokers + 1), sizeof(Live))
    if p.lives == NULL:
        free(p)
        return NULL
    memset(p.fewest, NO_VECTOR, sizeof(p.fewest))
    for g0 in range(a[0] + 1):
        for g1 in range(a[1] + 1):
            for g2 in range(a[2] + 1):
                for g3 in range(a[3] + 1):
                    total = g0 + g1 + g2 + g3
                    mask = t.feasible[total][max(max(g0, g1), max(g2, g3))]
                    if total == 0 and not joker_groups:
                        mask = 1
                    for j in range(jokers + 1):
                        if not (mask >> j) & 1:
                            continue
                        x = &p.lives[p.count].x
                        p.count += 1
                        x.tiles[0] = g0
                        x.tiles[1] = g1
                        x.tiles[2] = g2
                        x.tiles[3] = g3
                        x.jokers = j
                        for c in range(LANES):
                            p.fewest[x.tiles[c]][c] = min(p.fewest[x.tiles[c]][c], x.jokers)
                            p.most[x.tiles[c]][c] = max(p.most[x.tiles[c]][c], x.jokers)
                            p.tiles[c] |= 1 << x.tiles[c]
                        if not t.explicit:
                            break  # fewest jokers: the others park
    # The interpreter's lock makes the store safe; a second maker of the same pattern throws his away.
    with gil:
        if t.patterns[at] == NULL:
            t.patterns[at] = p
        else:
            free(p.lives)
            free(p)
            p = t.patterns[at]
    return p


cdef int64_t tables_size(Tables *t) noexcept nogil:
    """Bytes of the tables and of all patterns made so far."""
    cdef int64_t total = sizeof(Tables) + t.states * t.states + pattern_count(t.slots) * sizeof(Pattern *)
    cdef int i, wide, must
    for i in range(ROW_KINDS):
        for wide in range(t.slots + 1):
            total += t.states * ((wide + 1) * (t.jokers + 1) * sizeof(Transition) + sizeof(int32_t))
            for must in range(wide + 1):
                if t.choices[i][must][wide] != NULL:
                    total += t.states * (t.slots + 2) * sizeof(int32_t)
                    total += t.first[i][wide][t.states] * (wide + 1) * sizeof(Choice)
    for i in range(pattern_count(t.slots)):
        if t.patterns[i] != NULL:
            total += sizeof(Pattern) + t.patterns[i].count * sizeof(Live)
    return total


cdef inline int row_kind(int row, int numbers) noexcept nogil:
    if row < numbers - MIN_SET:
        return MIDDLE
    return LAST_START if row == numbers - MIN_SET else ENDING


# ---------------------------------------------------------------------------------------------------
# Memory
# ---------------------------------------------------------------------------------------------------

cdef bint grow(Work *w, void **block, size_t old, size_t new) noexcept nogil:
    """Reallocate within the memory limit; False when it is reached."""
    cdef void *p
    if w.memory + <int64_t>new - <int64_t>old > w.memory_limit:
        return False
    p = realloc(block[0], new)
    if p == NULL:
        return False
    block[0] = p
    w.memory += <int64_t>new - <int64_t>old
    return True


cdef Work *work_new(int numbers, int colors, bint high_one, int64_t memory_limit) noexcept nogil:
    cdef Work *w = <Work *>calloc(1, sizeof(Work))
    cdef int cells = numbers * LANES
    if w == NULL:
        return NULL
    w.numbers = numbers
    w.colors = colors
    w.high_one = high_one
    w.memory_limit = memory_limit
    w.must = <uint8_t *>calloc(cells, 1)
    w.may = <uint8_t *>calloc(cells, 1)
    w.used = <uint8_t *>calloc(cells + 1, 1)
    w.real = <uint8_t *>calloc(cells, 1)
    w.run_jokers = <uint8_t *>calloc(cells, 1)
    w.weight = <int32_t *>calloc(cells, sizeof(int32_t))
    w.runs = <Run *>calloc(cells * MAX_SLOTS, sizeof(Run))
    w.groups = <Group *>calloc(numbers + 1, sizeof(Group))
    # Every set has a length besides its tiles, and holds at least three.
    w.sets = <int16_t *>calloc(2 * (cells * MAX_SLOTS + MAX_JOKERS), sizeof(int16_t))
    w.nodes = <Node *>malloc(FIRST_NODES * sizeof(Node))
    w.node_room = FIRST_NODES
    w.heap = <int64_t *>malloc(FIRST_NODES * sizeof(int64_t))
    w.heap_room = FIRST_NODES
    w.hash_key = <uint64_t *>malloc(FIRST_HASH * sizeof(uint64_t))
    w.hash_cost = <int32_t *>malloc(FIRST_HASH * sizeof(int32_t))
    w.hash_size = FIRST_HASH
    w.memory = sizeof(Work) + cells * (5 + sizeof(int32_t) + MAX_SLOTS * (sizeof(Run) + 2 * sizeof(int16_t)))
    w.memory += FIRST_NODES * (sizeof(Node) + 8) + FIRST_HASH * 12
    if (w.must == NULL or w.may == NULL or w.used == NULL or w.real == NULL or w.run_jokers == NULL or w.weight == NULL
            or w.runs == NULL
            or w.groups == NULL or w.sets == NULL or w.nodes == NULL or w.heap == NULL
            or w.hash_key == NULL or w.hash_cost == NULL):
        work_free(w)
        return NULL
    return w


cdef void work_free(Work *w) noexcept nogil:
    if w == NULL:
        return
    free(w.must)
    free(w.may)
    free(w.used)
    free(w.real)
    free(w.run_jokers)
    free(w.weight)
    free(w.runs)
    free(w.groups)
    free(w.sets)
    free(w.nodes)
    free(w.heap)
    free(w.hash_key)
    free(w.hash_cost)
    free(w.lose)
    free(w.list_stamp)
    free(w.lists)
    free(w.lives)
    free(w.options)
    free(w)


cdef bint work_shape(Work *w, Tables *t) noexcept nogil:
    """Lay the lanes and lists out for the tables' number of slots; False when memory is out."""
    cdef size_t n = w.numbers
    cdef size_t width = t.slots + 1
    cdef size_t lists = n * LANES * t.states
    cdef size_t lanes = n * (4 * width + width + KINDS * width) + 2 * (n + 1) * t.states
    cdef lanes_t *base
    if lanes > w.capacity_lanes:
        if not grow(w, <void **>&w.lose, w.capacity_lanes * sizeof(lanes_t), lanes * sizeof(lanes_t)):
            return False
        w.capacity_lanes = lanes
        w.tables = NULL  # the parts have moved
    if lists * (2 * width + 1) > w.capacity_lists:
        if not grow(w, <void **>&w.lists, w.capacity_lists * 4, lists * (2 * width + 1) * 4):
            return False
        if not grow(w, <void **>&w.list_stamp, w.capacity_lists * 4, lists * (2 * width + 1) * 4):
            return False
        w.capacity_lists = lists * (2 * width + 1)
        memset(w.list_stamp, 0, w.capacity_lists * 4)
    if w.tables == t:
        return True
    w.tables = t
    w.lane_width = t.slots + 1
    base = w.lose
    w.keep = base + n * 2 * width
    w.share = w.keep + n * 2 * width
    w.use = w.share + n * width
    w.rest = w.use + n * KINDS * width
    w.past = w.rest + (n + 1) * t.states
    return True


# ---------------------------------------------------------------------------------------------------
# Prices: group vectors, costs of a row, the passes over the rows
# ---------------------------------------------------------------------------------------------------

cdef void fill_costs(Work *w) noexcept nogil:
    """Cost of a row by the number of real tiles used, where tiles may be lost and where not."""
    cdef int v, u, c, must, may, wide = 2 * w.lane_width
    cdef int32_t *lose
    cdef int32_t *keep
    for v in range(w.numbers):
        lose = <int32_t *>(w.lose + v * wide)
        keep = <int32_t *>(w.keep + v * wide)
        for u in range(w.widest[v] + 1):
            for c in range(LANES):
                must = w.must[v * LANES + c]
                may = w.may[v * LANES + c]
                lose[u * LANES + c] = INF if u < must or u > may else w.weight[v * LANES + c] * (may - u)
                keep[u * LANES + c] = 0 if u == may else INF


cdef int fill_shares(Work *w) noexcept nogil:
    """Find every row's vectors, with the first shares: an even split of the jokers' price."""
    cdef int v, c, g, present, width = w.lane_width, wide
    cdef int32_t total = 0, price
    cdef int32_t *share
    cdef Pattern *p
    cdef uint8_t *may
    cdef uint8_t no_tiles[LANES]
    memset(no_tiles, 0, LANES)
    for v in range(w.numbers):
        may = w.may + v * LANES
        if w.high_one and v + 1 == w.numbers:
            may = no_tiles
        p = pattern_of(w.tables, may, w.jokers, v + 1 == w.numbers - w.high_one and w.explicit, w.colors)
        if p == NULL:
            return OUT_OF_MEMORY
        w.pattern[v] = p
        total += p.count
        share = <int32_t *>(w.share + v * width)
        wide = w.widest[v]
        if p.count == 1:
            for g in range(wide + 1):
                for c in range(LANES):
                    share[g * LANES + c] = 0 if g == 0 else INF
            continue
        present = (may[0] > 0) + (may[1] > 0) + (may[2] > 0) + (may[3] > 0)
        for g in range(wide + 1):
            for c in range(LANES):
                if p.fewest[g][c] == NO_VECTOR:
                    price = INF
                elif w.row_joker[v] < 0:
                    price = w.row_joker[v] * p.most[g][c]
                elif may[c]:
                    price = w.row_joker[v] * p.fewest[g][c] // present
                else:
                    price = 0
                share[g * LANES + c] = price
    if total > w.live_room:
        if not grow(w, <void **>&w.lives, w.live_room * sizeof(Live), 2 * total * sizeof(Live)):
            return OUT_OF_MEMORY
        w.live_room = 2 * total
    for v in range(w.numbers):
        w.all_count[v] = w.pattern[v].count
    return FOUND


cdef void fill_use(Work *w, int v) noexcept nogil:
    """Cost of a row by transition kind and real tiles in runs: the best split of the others."""
    cdef int rr, g, wide = w.widest[v], width = w.lane_width
    cdef lanes_t *use = w.use + v * KINDS * width
    cdef lanes_t *lose = w.lose + v * 2 * width
    cdef lanes_t *keep = w.keep + v * 2 * width
    cdef lanes_t *share = w.share + v * width
    cdef lanes_t inf = lanes_splat(INF)
    cdef lanes_t a, b
    for rr in range(wide + 1):
        a = inf
        b = inf
        for g in range(wide - rr + 1):
            a = lanes_min(a, lanes_add(lose[rr + g], share[g]))
            b = lanes_min(b, lanes_add(keep[rr + g], share[g]))
        use[LOSE * width + rr] = a
        use[KEEP * width + rr] = b
        use[JOKER * width + rr] = lanes_min(lanes_add(keep[rr], share[0]), inf)
        if w.explicit:
            use[JOKER_LOSE * width + rr] = lanes_min(lanes_add(lose[rr], share[0]), inf)
    for rr in range(wide + 1, width):
        use[LOSE * width + rr] = inf
        use[KEEP * width + rr] = inf
        use[JOKER * width + rr] = inf
        use[JOKER_LOSE * width + rr] = inf


cdef void back_row(Work *w, int v) noexcept nogil:
    """`rest` of row v from `rest` of the next row."""
    cdef Tables *t = w.tables
    cdef int kind = row_kind(v, w.numbers)
    cdef Transition *list = t.moves[kind][w.widest[v]]
    cdef int32_t *first = t.first[kind][w.widest[v]]
    cdef lanes_t *use = w.use + v * KINDS * w.lane_width
    cdef lanes_t *next = w.rest + (v + 1) * t.states
    cdef lanes_t *rest = w.rest + v * t.states
    cdef lanes_t joker[MAX_JOKERS + 1]
    cdef lanes_t best
    cdef int s, i
    cdef Transition *e
    for i in range(w.jokers + 1):
        joker[i] = lanes_splat(w.row_joker[v] * i)
    for s in range(t.states if v > 0 else 1):
        best = lanes_splat(INF)
        for i in range(first[s], first[s + 1]):
            e = &list[i]
            best = lanes_min(best, lanes_add(lanes_add(use[e.use], joker[e.jokers]), next[e.to]))
        rest[s] = lanes_clamp(best, HALF_INF, INF)


cdef void back_last(Work *w) noexcept nogil:
    """After the last row no run may be unripe."""
    cdef int s
    cdef Tables *t = w.tables
    for s in range(t.states):
        w.rest[w.numbers * t.states + s] = lanes_splat(0 if t.runs[s][0] == 0 and t.runs[s][1] == 0 else INF)


cdef void reprice_row(Work *w, int v) noexcept nogil:
    """Set the shares of row v so that the bound is the best group vector given all other rows' shares.

    With m_c(g) the least cost of colour c through g (past + row + rest) and b(vector) = jokers' price +
    sum of m_c: share_c(g) = (least b with that g) / 4 - m_c(g). For any vector the shares sum to at most
    its price, so the bound stays valid; the sum of the colours' bounds becomes the least b.
    """
    cdef Tables *t = w.tables
    cdef int kind = row_kind(v, w.numbers)
    cdef Transition *list = t.moves[kind][w.widest[v]]
    cdef int32_t *first = t.first[kind][w.widest[v]]
    cdef int width = w.lane_width, wide = w.widest[v]
    cdef lanes_t *lose = w.lose + v * 2 * width
    cdef lanes_t *keep = w.keep + v * 2 * width
    cdef lanes_t *next = w.rest + (v + 1) * t.states
    cdef lanes_t *past = w.past + v * t.states
    cdef lanes_t least[KINDS * (MAX_SLOTS + 1)]
    cdef lanes_t through[MAX_SLOTS + 1]
    cdef lanes_t best[MAX_SLOTS + 1]
    cdef lanes_t joker[MAX_JOKERS + 1]
    cdef lanes_t inf = lanes_splat(INF)
    cdef int32_t *m
    cdef int32_t *b
    cdef int32_t *share = <int32_t *>(w.share + v * width)
    cdef int s, i, g, rr, i0, i1, i2, i3
    cdef int32_t sum, price = w.row_joker[v]
    cdef Transition *e
    cdef Vector *x
    for i in range(KINDS * width):
        least[i] = inf
    for i in range(w.jokers + 1):
        joker[i] = lanes_splat(w.row_joker[v] * i)
    for s in range(t.states if v > 0 else 1):
        for i in range(first[s], first[s + 1]):
            e = &list[i]
            least[e.use] = lanes_min(least[e.use], lanes_add(lanes_add(past[s], joker[e.jokers]), next[e.to]))
    for g in range(wide + 1):
        through[g] = inf
        best[g] = inf
        for rr in range(wide - g + 1):
            through[g] = lanes_min(through[g], lanes_add(least[LOSE * width + rr], lose[rr + g]))
            through[g] = lanes_min(through[g], lanes_add(least[KEEP * width + rr], keep[rr + g]))
            if g == 0:
                through[g] = lanes_min(through[g], lanes_add(least[JOKER * width + rr], keep[rr]))
                if w.explicit:
                    through[g] = lanes_min(through[g], lanes_add(least[JOKER_LOSE * width + rr], lose[rr]))
        through[g] = lanes_clamp(through[g], HALF_INF, INF)
    m = <int32_t *>through
    b = <int32_t *>best
    for i in range(w.all_count[v]):
        x = &w.live[v][i].x
        i0 = x.tiles[0] * LANES
        i1 = x.tiles[1] * LANES + 1
        i2 = x.tiles[2] * LANES + 2
        i3 = x.tiles[3] * LANES + 3
        sum = price * x.jokers + m[i0] + m[i1] + m[i2] + m[i3]
        b[i0] = min(b[i0], sum)
        b[i1] = min(b[i1], sum)
        b[i2] = min(b[i2], sum)
        b[i3] = min(b[i3], sum)
    for i in range((wide + 1) * LANES):
        if b[i] >= HALF_INF or m[i] >= HALF_INF:
            share[i] = INF
        else:
            share[i] = (b[i] >> 2) - m[i]  # rounds down, also below zero


cdef void forth_row(Work *w, int v) noexcept nogil:
    """`past` of the next row from `past` of row v."""
    cdef Tables *t = w.tables
    cdef int kind = row_kind(v, w.numbers)
    cdef Transition *list = t.moves[kind][w.widest[v]]
    cdef int32_t *first = t.first[kind][w.widest[v]]
    cdef lanes_t *use = w.use + v * KINDS * w.lane_width
    cdef lanes_t *past = w.past + v * t.states
    cdef lanes_t *next = past + t.states
    cdef lanes_t joker[MAX_JOKERS + 1]
    cdef int s, i
    cdef Transition *e
    for i in range(w.jokers + 1):
        joker[i] = lanes_splat(w.row_joker[v] * i)
    for s in range(t.states):
        next[s] = lanes_splat(INF)
    for s in range(t.states if v > 0 else 1):
        for i in range(first[s], first[s + 1]):
            e = &list[i]
            next[e.to] = lanes_min(next[e.to], lanes_add(lanes_add(use[e.use], joker[e.jokers]), past[s]))
    for s in range(t.states):
        next[s] = lanes_clamp(next[s], HALF_INF, INF)


cdef void bound_root(Work *w) noexcept nogil:
    """The bound of the whole, with the shares and completions as they are."""
    w.nodes[0].bound = lanes_sum(w.rest[0]) + w.nodes[0].cost - w.joker_price * w.jokers
    w.nodes[0].key = w.nodes[0].bound if w.explicit else max(w.nodes[0].bound, w.dropped)


cdef void own_lives(Work *w) noexcept nogil:
    """Copy the vectors of every row, to give each its residual."""
    cdef int v, i
    cdef Live *out = w.lives
    for v in range(w.numbers):
        w.live[v] = out
        for i in range(w.all_count[v]):
            out.x = w.pattern[v].lives[i].x
            out += 1


cdef void settle(Work *w) noexcept nogil:
    """With the shares fixed: what each vector costs beyond its shares."""
    cdef int v, i
    cdef int32_t *share
    cdef Vector *x
    for v in range(w.numbers):
        share = <int32_t *>(w.share + v * w.lane_width)
        for i in range(w.all_count[v]):
            x = &w.live[v][i].x
            w.live[v][i].residual = (w.row_joker[v] * x.jokers
                                     - share[x.tiles[0] * LANES] - share[x.tiles[1] * LANES + 1]
                                     - share[x.tiles[2] * LANES + 2] - share[x.tiles[3] * LANES + 3])


cdef void open_all(Work *w) noexcept nogil:
    """Without jokers the first shares are nothing, so no vector costs more than its shares: look at all of them."""
    cdef int v
    cdef Pattern *p
    w.gap = 0
    for v in range(w.numbers):
        p = w.pattern[v]
        w.live[v] = p.lives
        w.live_count[v] = p.count
        memcpy(w.live_tiles[v], p.tiles, sizeof(p.tiles))
    new_lists(w)


cdef void open_gap(Work *w, int32_t gap) noexcept nogil:
    """Look at paths that cost up to `gap` more than the bound of the root: vectors first, options when asked for."""
    cdef int v, i, n
    cdef uint16_t t0, t1, t2, t3
    cdef Live *live
    cdef Live hold
    w.gap = gap
    for v in range(w.numbers):
        live = w.live[v]
        n = 0
        t0 = t1 = t2 = t3 = 0
        for i in range(w.all_count[v]):
            # A share of INF makes the residual very small, no overflow: such a vector is out of reach.
            if 0 <= live[i].residual <= gap:
                if i > n:
                    hold = live[i]
                    live[i] = live[n]
                    live[n] = hold
                t0 |= 1 << live[n].x.tiles[0]
                t1 |= 1 << live[n].x.tiles[1]
                t2 |= 1 << live[n].x.tiles[2]
                t3 |= 1 << live[n].x.tiles[3]
                n += 1
        w.live_count[v] = n
        w.live_tiles[v][0] = t0
        w.live_tiles[v][1] = t1
        w.live_tiles[v][2] = t2
        w.live_tiles[v][3] = t3
    new_lists(w)


cdef void new_lists(Work *w) noexcept nogil:
    """Forget all options: prices or gap have changed."""
    w.stamp += 1
    if w.stamp == STAMPS:
        memset(w.list_stamp, 0, w.capacity_lists * 4)
        w.stamp = 1
    w.option_count = 0


cdef void first_bounds(Work *w) noexcept nogil:
    cdef int v
    back_last(w)
    for v in range(w.numbers - 1, -1, -1):
        fill_use(w, v)
        back_row(w, v)


cdef void improve_bounds(Work *w) noexcept nogil:
    """A forward and a backward sweep of better prices."""
    cdef int v
    w.past[0] = lanes_splat(0)
    for v in range(w.numbers):
        if w.pattern[v].count > 1:
            reprice_row(w, v)
            fill_use(w, v)
        if v + 1 < w.numbers:
            forth_row(w, v)
    for v in range(w.numbers - 1, -1, -1):
        if w.pattern[v].count > 1:
            reprice_row(w, v)
            fill_use(w, v)
        back_row(w, v)


# ---------------------------------------------------------------------------------------------------
# Expansion
# ---------------------------------------------------------------------------------------------------

cdef int32_t *options_of(Work *w, int v, int c, int s) noexcept nogil:
    """The options of a colour in a row and state, by tiles in groups, each part sorted by reduced cost.

    Returns the list: for each number of tiles in groups the least reduced cost (INF: none), then where its part
    begins; NULL when memory is out.
    """
    cdef Tables *t = w.tables
    cdef int width = w.lane_width
    cdef int at = (v * LANES + c) * t.states + s
    cdef int32_t *out = w.lists + at * (2 * width + 1)
    cdef int32_t *first
    cdef int k, g, base, n, kind, may
    cdef int32_t *next
    cdef int32_t fixed, reduced, joker, weight, gain
    cdef uint16_t wanted = w.live_tiles[v][c]
    cdef Choices *choices
    cdef Choice *x
    cdef Choice *end
    cdef Option *options
    cdef Option *o
    if w.list_stamp[at] == w.stamp:
        return out
    kind = row_kind(v, w.numbers)
    may = w.may[v * LANES + c]
    choices = t.choices[kind][w.must[v * LANES + c]][may]
    if choices == NULL:
        choices = choices_for(t, kind, w.must[v * LANES + c], may)
        if choices == NULL:
            return NULL
    first = choices.first + s * (width + 1)
    n = w.option_count
    if n + first[width] - first[0] > w.option_room:
        k = 2 * (n + first[width] - first[0]) + 256
        if not grow(w, <void **>&w.options, w.option_room * sizeof(Option), k * sizeof(Option)):
            return NULL
        w.option_room = k
    options = w.options
    next = <int32_t *>(w.rest + (v + 1) * t.states) + c
    joker = w.row_joker[v]
    weight = w.weight[v * LANES + c]
    gain = joker_gain(w, v)
    for g in range(width):
        out[g] = INF
        out[width + g] = n
        if not (wanted >> g) & 1:
            continue
        base = n
        fixed = (<int32_t *>(w.share + v * width + g))[c] - (<int32_t *>(w.rest + v * t.states + s))[c]
        x = choices.all + first[g]
        end = choices.all + first[g + 1]
        while x < end:
            reduced = fixed + weight * x.lost + joker * x.jokers + next[x.to * LANES]
            if reduced <= w.gap:
                k = n
                n += 1
                while k > base and options[k - 1].reduced > reduced:
                    options[k] = options[k - 1]
                    k -= 1
                o = &options[k]
                o.reduced = reduced
                o.cost = weight * x.lost - gain * x.jokers
                o.to = x.to
                o.real = x.real
                o.jokers = x.jokers
                o.grouped = g
            x += 1
        if n > base:
            out[g] = options[base].reduced
    out[2 * width] = n
    w.option_count = n
    w.list_stamp[at] = w.stamp
    return out


cdef inline int32_t joker_gain(Work *w, int v) noexcept nogil:
    """What an explicit joker in a row takes off the cost."""
    if not w.explicit:
        return 0
    return w.joker_cost + (w.face[v] if w.face != NULL else 0)


cdef int expand(Work *w, int32_t from_, int32_t limit, bint dive) noexcept nogil:
    """All children of a node with a key up to `limit`, onto the heap; in a dive only the best, as a node.

    Returns FOUND, NOTHING (dive: no child within the limit) or OUT_OF_MEMORY.
    """
    cdef Node parent = w.nodes[from_]
    cdef Node child
    cdef Node best
    cdef int v = parent.row, status = NOTHING, width = w.lane_width
    cdef int32_t *f0
    cdef int32_t *f1
    cdef int32_t *f2
    cdef int32_t *f3
    cdef int32_t b0, b1, b2, b3, m3, m23, m123, bound, key, cost, gain
    cdef int q0, q1, q2, q3, i0, i1, i2, i3, i
    cdef uint8_t *g
    cdef Option *o0
    cdef Option *o1
    cdef Option *o2
    cdef Option *o3
    cdef Option *options
    w.expanded += 1
    f0 = options_of(w, v, 0, parent.state[0])
    f1 = options_of(w, v, 1, parent.state[1])
    f2 = options_of(w, v, 2, parent.state[2])
    f3 = options_of(w, v, 3, parent.state[3])
    if f0 == NULL or f1 == NULL or f2 == NULL or f3 == NULL:
        return OUT_OF_MEMORY
    gain = joker_gain(w, v)
    options = w.options
    child.parent = from_
    child.row = v + 1
    for i in range(w.live_count[v]):
        g = w.live[v][i].x.tiles
        b0 = parent.bound + w.live[v][i].residual
        m3 = f3[g[3]]
        m23 = f2[g[2]] + m3
        m123 = f1[g[1]] + m23
        if b0 + f0[g[0]] + m123 > limit:
            continue
        q0 = parent.jokers + w.live[v][i].x.jokers
        if q0 > w.jokers:
            continue
        child.live = i
        for i0 in range(f0[width + g[0]], f0[width + g[0] + 1]):
            o0 = &options[i0]
            b1 = b0 + o0.reduced
            if b1 + m123 > limit:
                break
            q1 = q0 + o0.jokers
            if q1 > w.jokers:
                continue
            for i1 in range(f1[width + g[1]], f1[width + g[1] + 1]):
                o1 = &options[i1]
                b2 = b1 + o1.reduced
                if b2 + m23 > limit:
                    break
                q2 = q1 + o1.jokers
                if q2 > w.jokers:
                    continue
                for i2 in range(f2[width + g[2]], f2[width + g[2] + 1]):
                    o2 = &options[i2]
                    b3 = b2 + o2.reduced
                    if b3 + m3 > limit:
                        break
                    q3 = q2 + o2.jokers
                    if q3 > w.jokers:
                        continue
                    for i3 in range(f3[width + g[3]], f3[width + g[3] + 1]):
                        o3 = &options[i3]
                        bound = b3 + o3.reduced
                        if bound > limit:
                            break
                        if q3 + o3.jokers > w.jokers:
                            continue
                        cost = (parent.cost + o0.cost + o1.cost + o2.cost + o3.cost
                                - gain * w.live[v][i].x.jokers)
                        key = bound if bound > parent.key else parent.key
                        if not w.explicit and cost > key:
                            key = cost
                        if key > limit:
                            continue
                        child.key = key
                        child.bound = bound
                        child.cost = cost
                        child.jokers = q3 + o3.jokers
                        child.state[0] = o0.to
                        child.state[1] = o1.to
                        child.state[2] = o2.to
                        child.state[3] = o3.to
                        child.option[0] = i0
                        child.option[1] = i1
                        child.option[2] = i2
                        child.option[3] = i3
                        if dive:
                            best = child
                            status = FOUND
                            limit = key - 1
                            if limit < parent.key:
                                return FOUND if push_node(w, &best) else OUT_OF_MEMORY
                        elif not offer(w, &child):
                            return OUT_OF_MEMORY
    if dive and status == FOUND:
        return FOUND if push_node(w, &best) else OUT_OF_MEMORY
    return FOUND if not dive else NOTHING


cdef bint push_node(Work *w, Node *node) noexcept nogil:
    cdef int32_t room
    if w.node_count == w.node_room:
        room = 2 * w.node_room
        if not grow(w, <void **>&w.nodes, w.node_room * sizeof(Node), room * sizeof(Node)):
            return False
        w.node_room = room
    w.nodes[w.node_count] = node[0]
    w.node_count += 1
    return True


# ---------------------------------------------------------------------------------------------------
# A*: heap, transposition table
# ---------------------------------------------------------------------------------------------------

cdef enum:
    INDEX_BITS = 25  # of a node in a heap entry
    ROW_BITS = 7


cdef inline uint64_t state_key(Node *node) noexcept nogil:
    cdef uint64_t k = node.row
    cdef int c
    for c in range(LANES):
        k = (k << 9) | <uint64_t>node.state[c]
    return (k << 4) | node.jokers | (<uint64_t>1 << 63)


cdef int32_t hash_slot(Work *w, uint64_t key) noexcept nogil:
    cdef uint64_t h = key * <uint64_t>0x9E3779B97F4A7C15  # 2^64 / golden ratio: spreads neighbouring keys
    cdef int32_t i = <int32_t>(h >> 33) & (w.hash_size - 1)
    while w.hash_key[i] != 0 and w.hash_key[i] != key:
        i = (i + 1) & (w.hash_size - 1)
    return i


cdef bint hash_reset(Work *w) noexcept nogil:
    """An empty table of the first size; False when memory is out."""
    if w.hash_size > FIRST_HASH:
        if not grow(w, <void **>&w.hash_key, w.hash_size * sizeof(uint64_t), FIRST_HASH * sizeof(uint64_t)):
            return False
        if not grow(w, <void **>&w.hash_cost, w.hash_size * sizeof(int32_t), FIRST_HASH * sizeof(int32_t)):
            return False
        w.hash_size = FIRST_HASH
    w.hash_count = 0
    memset(w.hash_key, 0, w.hash_size * sizeof(uint64_t))
    return True


cdef bint hash_double(Work *w) noexcept nogil:
    cdef int32_t old = w.hash_size, i, k
    cdef uint64_t *keys = w.hash_key
    cdef int32_t *costs = w.hash_cost
    if w.memory + <int64_t>old * 12 > w.memory_limit:
        return False
    w.hash_key = <uint64_t *>calloc(2 * old, sizeof(uint64_t))
    w.hash_cost = <int32_t *>malloc(2 * old * sizeof(int32_t))
    if w.hash_key == NULL or w.hash_cost == NULL:
        free(w.hash_key)
        free(w.hash_cost)
        w.hash_key = keys
        w.hash_cost = costs
        return False
    w.hash_size = 2 * old
    w.memory += <int64_t>old * 12
    for i in range(old):
        if keys[i]:
            k = hash_slot(w, keys[i])
            w.hash_key[k] = keys[i]
            w.hash_cost[k] = costs[i]
    free(keys)
    free(costs)
    return True


cdef bint offer(Work *w, Node *node) noexcept nogil:
    """Push a node on the heap unless the same state was reached as cheaply; False when memory is out."""
    cdef uint64_t key = state_key(node)
    cdef int32_t i
    cdef int q
    cdef int32_t room
    if not w.explicit:
        # Fewer jokers used are at least as good as more.
        for q in range(1, node.jokers + 1):
            i = hash_slot(w, key - q)
            if w.hash_key[i] != 0 and w.hash_cost[i] <= node.cost:
                return True
    i = hash_slot(w, key)
    if w.hash_key[i] != 0:
        if w.hash_cost[i] <= node.cost:
            return True
    else:
        w.hash_key[i] = key
        w.hash_count += 1
    w.hash_cost[i] = node.cost
    if 2 * w.hash_count > w.hash_size and not hash_double(w):
        return False
    if w.node_count >= (1 << INDEX_BITS) - 1 or not push_node(w, node):
        return False
    if w.heap_count == w.heap_room:
        room = 2 * w.heap_room
        if not grow(w, <void **>&w.heap, w.heap_room * 8, room * <size_t>8):
            return False
        w.heap_room = room
    heap_push(w, node.key, node.row, w.node_count - 1)
    return True


cdef void heap_push(Work *w, int32_t key, int row, int32_t index) noexcept nogil:
    """Least key first, then the deeper row, then the newer node."""
    cdef int64_t entry = <int64_t>key * (<int64_t>1 << (ROW_BITS + INDEX_BITS))
    cdef int32_t i = w.heap_count, up
    entry += (<int64_t>((1 << ROW_BITS) - 1 - row) << INDEX_BITS) + ((1 << INDEX_BITS) - 1 - index)
    w.heap_count += 1
    while i > 0:
        up = (i - 1) >> 1
        if w.heap[up] <= entry:
            break
        w.heap[i] = w.heap[up]
        i = up
    w.heap[i] = entry


cdef int32_t heap_pop(Work *w) noexcept nogil:
    cdef int64_t top = w.heap[0], last
    cdef int32_t i = 0, down, n
    w.heap_count -= 1
    n = w.heap_count
    last = w.heap[n]
    while True:
        down = 2 * i + 1
        if down >= n:
            break
        if down + 1 < n and w.heap[down + 1] < w.heap[down]:
            down += 1
        if w.heap[down] >= last:
            break
        w.heap[i] = w.heap[down]
        i = down
    w.heap[i] = last
    return (1 << INDEX_BITS) - 1 - <int32_t>(top & ((1 << INDEX_BITS) - 1))


cdef int poll(Work *w) noexcept nogil:
    """The one place that serves node limit, deadline and Ctrl-C."""
    if w.node_limit and w.expanded > w.node_limit:
        return OUT_OF_NODES
    if w.expanded % POLL_EVERY == 0:
        if w.deadline and solver_now_ns() > w.deadline:
            return OUT_OF_TIME
        if look_for_signals(w):
            return INTERRUPTED
    return FOUND


cdef bint look_for_signals(Work *w) noexcept nogil:
    """Run Python's signal handlers; True if one raised: the caller of the search raises it again."""
    with gil:
        try:
            PyErr_CheckSignals()
        except BaseException as error:
            hold_error(w, error)
    return w.raised != NULL


cdef void hold_error(Work *w, object error) noexcept:
    """Keep an error till `raise_status` raises it outside of the search; the status for it is INTERRUPTED."""
    Py_INCREF(error)
    w.raised = <PyObject *>error


cdef int dive(Work *w, int32_t limit) noexcept nogil:
    """One descent from the root; keeps a better end as the best. FOUND, NOTHING or an OUT_OF status."""
    cdef int32_t at = 0
    cdef int status
    w.node_count = 1
    while w.nodes[at].row < w.numbers:
        status = expand(w, at, limit, True)
        if status != FOUND:
            return status
        at = w.node_count - 1
    if w.nodes[at].jokers < w.jokers_forced and w.explicit:
        return NOTHING
    if w.nodes[at].cost < w.best_cost:
        w.best_cost = w.nodes[at].cost
        w.best_node = at
        build(w)
    return FOUND


cdef bint beaten(Work *w, int32_t at) noexcept nogil:
    """Whether an expanded node of the same row is at least as good in everything; else the node joins them."""
    cdef Node *node = &w.nodes[at]
    cdef Node *other
    cdef int32_t i = w.latest[node.row]
    cdef int looked = 0, n = w.tables.states
    cdef uint8_t *beats = w.tables.beats
    if w.explicit:
        return False  # there fewer jokers used are no gain
    while i >= 0 and looked < MOST_COMPARED:
        other = &w.nodes[i]
        if (other.cost <= node.cost and other.jokers <= node.jokers
                and beats[other.state[0] * n + node.state[0]] and beats[other.state[1] * n + node.state[1]]
                and beats[other.state[2] * n + node.state[2]] and beats[other.state[3] * n + node.state[3]]):
            return True
        i = other.before
        looked += 1
    node.before = w.latest[node.row]
    w.latest[node.row] = at
    return False


cdef int best_first(Work *w, int32_t limit) noexcept nogil:
    """A* from the root among keys up to `limit`; what it finds is kept, and is the best there is."""
    cdef int32_t at, i
    cdef int status
    w.node_count = 1
    w.heap_count = 0
    if not hash_reset(w):
        return OUT_OF_MEMORY
    for i in range(w.numbers):
        w.latest[i] = -1
    heap_push(w, w.nodes[0].key, 0, 0)
    while w.heap_count:
        at = heap_pop(w)
        if w.nodes[at].key > limit:
            return FOUND
        if w.nodes[at].row == w.numbers:
            if not w.explicit or w.nodes[at].jokers >= w.jokers_forced:
                if w.nodes[at].cost < w.best_cost:
                    w.best_cost = w.nodes[at].cost
                    w.best_node = at
                    limit = min(limit, w.best_cost - w.grain)
                    build(w)
            continue
        if at:
            i = hash_slot(w, state_key(&w.nodes[at]))
            if w.hash_cost[i] < w.nodes[at].cost or beaten(w, at):
                continue
        status = expand(w, at, limit, False)
        if status == FOUND:
            status = poll(w)
        if status != FOUND:
            return status
    return FOUND


# ---------------------------------------------------------------------------------------------------
# Building the sets of the best path
# ---------------------------------------------------------------------------------------------------

cdef void build(Work *w) noexcept nogil:
    """Replay the path to the best node: runs and, by row, what is in groups."""
    cdef int32_t at = w.best_node
    cdef int v, c
    cdef Vector *x
    cdef Option *o
    w.jokers_used = w.nodes[at].jokers
    while at > 0:
        v = w.nodes[at].row - 1
        x = &w.live[v][w.nodes[at].live].x
        w.groups[v].jokers = x.jokers
        memcpy(w.groups[v].tiles, x.tiles, LANES)
        for c in range(LANES):
            o = &w.options[w.nodes[at].option[c]]
            w.used[v * LANES + c] = o.real + o.grouped
            w.real[v * LANES + c] = o.real
            w.run_jokers[v * LANES + c] = o.jokers
        at = w.nodes[at].parent
    w.run_count = 0
    for c in range(LANES):  # in the lane of a colour that the rules do not have: runs of jokers alone
        build_runs(w, c)


cdef void build_runs(Work *w, int c) noexcept nogil:
    """The runs of one colour: the transitions' rule which runs are extended, and by what, once more."""
    cdef int open_[MAX_SLOTS]
    cdef int after[MAX_SLOTS + MAX_SLOTS]
    cdef int count = 0, kept, v, r, jokers, forced, ext, new, jf, js, je, i, _i, ripe
    cdef Run *run
    for v in range(w.numbers):
        jokers = w.run_jokers[v * LANES + c]
        r = w.real[v * LANES + c] + jokers
        forced = 0
        for i in range(count):
            forced += w.runs[open_[i]].ripe < MIN_SET
        ext = min(count - forced, r - forced)
        new = r - forced - ext
        jf = min(jokers, forced)
        js = min(jokers - jf, new)
        je = jokers - jf - js
        kept = 0
        for i in range(count):
            run = &w.runs[open_[i]]
            ripe = run.ripe
            if ripe < MIN_SET:
                if jf > 0:
                    jf -= 1
                    run.jokers[v >> 6] |= <uint64_t>1 << (v & 63)
                run.ripe = ripe + 1
            else:
                if ext == 0:
                    continue
                ext -= 1
                if je > 0:
                    je -= 1
                    run.jokers[v >> 6] |= <uint64_t>1 << (v & 63)
                    if not w.explicit:
                        run.ripe = 2
            run.length += 1
            after[kept] = open_[i]
            kept += 1
        for _i in range(new):
            run = &w.runs[w.run_count]
            run.start = v
            run.length = 1
            run.colour = c
            run.ripe = 1
            run.jokers[0] = 0
            run.jokers[1] = 0
            if js > 0:
                js -= 1
                run.jokers[v >> 6] |= <uint64_t>1 << (v & 63)
            after[kept] = w.run_count
            kept += 1
            w.run_count += 1
        count = kept
        for i in range(count):
            open_[i] = after[i]


cdef int house(Work *w) noexcept nogil:
    """Give every parked joker a place; how many find none."""
    cdef int left = w.jokers - w.jokers_used
    cdef int i, c, v, total, most, more
    cdef uint16_t mask
    cdef Run *run
    cdef Run *tail
    if left == 0 or w.explicit:
        return 0
    i = 0
    while i < w.run_count and left:
        run = &w.runs[i]
        while left and run.start + run.length < w.numbers:
            v = run.start + run.length
            run.jokers[v >> 6] |= <uint64_t>1 << (v & 63)
            run.length += 1
            left -= 1
        while left and run.start > 0:
            run.start -= 1
            v = run.start
            run.jokers[v >> 6] |= <uint64_t>1 << (v & 63)
            run.length += 1
            left -= 1
        if left and run.length >= 2 * MIN_SET:
            # A full run is split; both parts then have room, and come up again.
            tail = &w.runs[w.run_count]
            w.run_count += 1
            tail[0] = run[0]
            run.length = MIN_SET
            tail.start = run.start + MIN_SET
            tail.length -= MIN_SET
            continue
        i += 1
    for v in range(w.numbers):
        if left == 0:
            break
        total = 0
        most = 0
        for c in range(LANES):
            total += w.groups[v].tiles[c]
            most = max(most, <int>w.groups[v].tiles[c])
        if total == 0:
            continue
        mask = w.tables.feasible[total][most]
        for more in range(left, 0, -1):
            if w.groups[v].jokers + more <= MAX_JOKERS and (mask >> (w.groups[v].jokers + more)) & 1:
                w.groups[v].jokers += more
                left -= more
                break
    if left >= MIN_SET and left <= w.numbers:
        run = &w.runs[w.run_count]
        w.run_count += 1
        run.start = 0
        run.length = left
        run.colour = 0
        run.jokers[0] = ~<uint64_t>0
        run.jokers[1] = ~<uint64_t>0
        left = 0
    return left


cdef void write_sets(Work *w) noexcept nogil:
    """Runs and groups as lists of tiles in `sets`."""
    cdef int16_t *out = w.sets
    cdef int at = 0, i, _i, v, k, c, n, total, most, each
    cdef int16_t *group[LANES * MAX_SLOTS + MAX_JOKERS]
    cdef Run *run
    cdef Group *g
    cdef bint any_real
    for i in range(w.run_count):
        run = &w.runs[i]
        out[at] = run.length
        at += 1
        any_real = False
        for v in range(run.start, run.start + run.length):
            if not (run.jokers[v >> 6] >> (v & 63)) & 1:
                any_real = True
        for v in range(run.start, run.start + run.length):
            out[at] = v * LANES + run.colour
            if (run.jokers[v >> 6] >> (v & 63)) & 1:
                out[at] = out[at] + JOKER_AS if any_real else JOKER_ANY
            at += 1
    for v in range(w.numbers):
        g = &w.groups[v]
        total = g.jokers
        most = 0
        for c in range(LANES):
            total += g.tiles[c]
            most = max(most, <int>g.tiles[c])
        if total == 0:
            continue
        # As few groups as hold all. Dealt colour by colour in a circle, no group gets a colour twice and
        # their sizes differ by at most one; jokers go on in the same circle.
        n = max(most, (total + w.colors - 1) // w.colors)
        for k in range(n):
            each = total // n + (k < total % n)
            out[at] = each
            group[k] = &out[at + 1]
            at += 1 + each
        k = 0
        for c in range(LANES):
            for _i in range(g.tiles[c]):
                group[k][0] = v * LANES + c
                group[k] += 1
                k = k + 1 if k + 1 < n else 0
        for _i in range(g.jokers):
            group[k][0] = JOKER_ANY
            group[k] += 1
            k = k + 1 if k + 1 < n else 0
    w.sets_length = at


# ---------------------------------------------------------------------------------------------------
# The search
# ---------------------------------------------------------------------------------------------------

cdef int search(Work *w, Tables *t, int32_t upper) noexcept nogil:
    """Least cost below `upper` under the tables' reading of jokers."""
    cdef int v, c, status
    cdef int32_t gap, most, searched = -1
    cdef Node *root
    if not work_shape(w, t):
        return OUT_OF_MEMORY
    w.explicit = t.explicit
    for v in range(w.numbers):
        w.row_joker[v] = w.joker_price
        if w.explicit:
            w.row_joker[v] -= w.joker_cost + (w.face[v] if w.face != NULL else 0)
    fill_costs(w)
    status = fill_shares(w)
    if status != FOUND:
        return status
    w.best_cost = upper
    w.best_node = -1
    root = &w.nodes[0]
    root.row = 0
    root.jokers = 0
    root.parent = -1
    root.cost = w.dropped
    if w.explicit:
        root.cost += w.joker_cost * w.jokers
    for c in range(LANES):
        root.state[c] = 0
    first_bounds(w)
    if out_of_reach(w):
        return NOTHING
    bound_root(w)
    if w.nodes[0].key > upper - w.grain:
        return NOTHING
    # Often a path costs no more than the bound, above all where the bound is nothing or there are no jokers. It is
    # found by going down, and nothing else need be looked at.
    if w.jokers == 0:
        open_all(w)
    else:
        own_lives(w)
        if w.nodes[0].key == w.dropped:
            settle(w)
            open_gap(w, 0)
    if w.jokers == 0 or w.nodes[0].key == w.dropped:
        status = dive(w, w.nodes[0].key)
        if status == OUT_OF_MEMORY:
            return status
        if w.best_node >= 0 and w.best_cost < w.nodes[0].key + w.grain:
            return FOUND
    if w.jokers == 0:
        own_lives(w)
    improve_bounds(w)
    if out_of_reach(w):
        return NOTHING
    bound_root(w)
    settle(w)
    gap = max(w.unit * FIRST_GAP_TENTHS // 10, 1)  # it must grow
    while True:
        most = w.best_cost - w.grain - w.nodes[0].key
        if most <= searched:
            return FOUND if w.best_node >= 0 else NOTHING
        gap = min(gap, most)
        open_gap(w, w.nodes[0].key + gap - w.nodes[0].bound)
        status = best_first(w, w.nodes[0].key + gap)
        if status != FOUND:
            return status
        searched = gap
        gap *= GAP_GROWTH


cdef bint out_of_reach(Work *w) noexcept nogil:
    """Whether some colour has no completion at all."""
    cdef int c
    for c in range(LANES):
        if (<int32_t *>w.rest)[c] >= INF:
            return True
    return False


# ---------------------------------------------------------------------------------------------------
# The problem
# ---------------------------------------------------------------------------------------------------

cdef enum:
    # a joker's first price, in tenths of the mean weight of a rack tile
    JOKER_PRICE_TENTHS = 22


cdef bint playable(const uint8_t *may, int v, int c, int numbers, int colors, int jokers) noexcept nogil:
    """Whether some set of the tiles and jokers at hand could hold this tile at all."""
    cdef int i, k, missing = MIN_SET
    for i in range(LANES):
        missing -= may[v * LANES + i] > 0
    if colors >= MIN_SET and missing <= jokers:
        return True
    for i in range(max(v - MIN_SET + 1, 0), min(v, numbers - MIN_SET) + 1):
        missing = 0
        for k in range(MIN_SET):
            missing += may[(i + k) * LANES + c] == 0
        if missing <= jokers:
            return True
    return False


cdef int64_t tile_cost(Question *q, int cell, int64_t big) noexcept nogil:
    """The objective first, then the second criterion: numbers for TILES, tiles for the others."""
    cdef int number = cell // LANES + 1
    if q.objective == TILES:
        return big + number
    if q.objective == VALUE:
        return big * number + 1
    if q.objective == WEIGHTS:
        return big * q.weights[cell] + 1
    if q.objective == EXACT:
        return q.weights[cell]
    return number


cdef int pose(Work *w, Question *q, int *most) noexcept nogil:
    """Set the problem of a question: counts, costs, what can be in no set. FOUND: there is something to lay."""
    cdef int cells = w.numbers * LANES
    cdef int i, v, c, n, rack = 0, left
    cdef int64_t big = 1 + q.rack_jokers, total = 0, joker
    for i in range(cells):
        w.must[i] = q.table[i]
        w.may[i] = q.table[i] + q.rack[i]
        rack += q.rack[i]
        big += q.rack[i] * (i // LANES + 1 if q.objective == TILES else 1)
    if q.objective == TILES:
        joker = big
    elif q.objective == WEIGHTS:
        joker = big * q.weights[cells] + 1
    elif q.objective == EXACT:
        joker = q.weights[cells]
    else:
        joker = q.objective == VALUE
    if q.rack_jokers == 0:
        joker = 0  # those of the table are laid whatever they are worth
    for i in range(cells):
        if q.rack[i]:
            total += tile_cost(q, i, big) * q.rack[i]
    w.jokers = q.table_jokers + q.rack_jokers
    # The search counts a joker's worth for those of the table as well.
    if total + joker * w.jokers > MAX_COST:
        return OUT_OF_RANGE
    w.grain = GRAIN
    while w.grain > 1 and (total + joker * w.jokers) * w.grain > GRAIN_COST:
        w.grain >>= 1
    w.jokers_forced = q.table_jokers
    w.joker_cost = <int32_t>(joker * w.grain)
    w.unit = <int32_t>(total * w.grain // rack) if rack else 0
    w.unit = max(w.unit, w.grain)
    w.joker_price = <int32_t>min(<int64_t>w.unit * JOKER_PRICE_TENTHS // 10, MAX_PRICE) if w.jokers else 0
    w.face = NULL
    if q.objective == FACE:
        w.face = w.face_values
        for v in range(w.numbers):
            w.face_values[v] = (v + 1) * w.grain
        if w.high_one:
            w.face_values[w.numbers - 1] = w.grain
    w.total = <int32_t>(total * w.grain)
    w.dropped = 0
    left = q.rack_jokers
    most[0] = 1
    for v in range(w.numbers):
        w.widest[v] = 0
        for c in range(LANES):
            i = v * LANES + c
            w.weight[i] = 0
            n = q.rack[i]
            if n:
                w.weight[i] = <int32_t>tile_cost(q, i, big) * w.grain
                if q.table[i] == 0 and not playable(w.may, v, c, w.numbers, w.colors, w.jokers):
                    # To take it out at once changes nothing for others: who needs it would make it playable.
                    w.dropped += w.weight[i] * n
                    w.may[i] = 0
                else:
                    left += n
            if w.may[i] > w.widest[v]:
                w.widest[v] = w.may[i]
        if w.widest[v] > most[0]:
            most[0] = w.widest[v]
    if q.all and w.dropped:
        return NOTHING
    return FOUND if left or q.empty else NOTHING


cdef int answer(Work *w, Tables **cache, Question *q) noexcept nogil:
    """Pose and solve one question; FOUND: `used`, `jokers_used` and `sets` hold the answer."""
    cdef int most, status, slots
    cdef int32_t upper
    cdef Tables *t
    w.expanded = 0
    status = pose(w, q, &most)
    if status != FOUND:
        return status
    if not q.explicit:
        t = tables_for(cache, w.colors, most, w.jokers, False)
        if t == NULL:
            return OUT_OF_MEMORY
        upper = w.total
        if q.empty or q.rack_jokers:
            upper += w.grain
        if q.all:
            upper = w.grain
        status = search(w, t, upper)
        if status != FOUND:
            return status
        if house(w) == 0:
            w.jokers_used = w.jokers
            finish(w, q)
            return FOUND
    # n runs that share a tile's place also need n neighbours of it: 2 n <= 3 most + jokers.
    slots = min(most + w.jokers, (3 * most + w.jokers) // 2)
    t = tables_for(cache, w.colors, slots, w.jokers, True)
    if t == NULL:
        return OUT_OF_MEMORY
    upper = w.total + w.joker_cost * q.rack_jokers
    if q.empty:
        upper += w.grain
    if q.all:
        upper = w.grain
    status = search(w, t, upper)
    if status == FOUND:
        finish(w, q)
    return status


cdef void finish(Work *w, Question *q) noexcept nogil:
    cdef int i, cells = w.numbers * LANES
    write_sets(w)
    for i in range(cells):
        w.used[i] -= q.table[i]
    w.used[cells] = w.jokers_used - q.table_jokers


cdef void result_of(Work *w, Result *result) noexcept nogil:
    result.laid = w.used
    result.sets = w.sets
    result.sets_length = w.sets_length


cdef Tables *tables_for(Tables **cache, int colors, int slots, int jokers, bint explicit) noexcept nogil:
    """The tables, made when first asked for; NULL when memory is out."""
    cdef int at = (slots * (MAX_JOKERS + 1) + jokers) * 2 + explicit
    cdef Tables *t = cache[at]
    if t == NULL:
        t = tables_new(colors, slots, jokers, explicit)
        if t == NULL:
            return NULL
        # The interpreter's lock makes the store safe; a second maker of the same tables throws his away.
        with gil:
            if cache[at] == NULL:
                cache[at] = t
            else:
                tables_free(t)
                t = cache[at]
    return t


# ---------------------------------------------------------------------------------------------------
# The door
# ---------------------------------------------------------------------------------------------------

cdef class Answer:
    """What one search found. Calling it gives the sets, as tuples of tile names.

    tiles: the tiles laid, R < B < K < O, then number, jokers last. value: the sum of their numbers.
    expanded: nodes that the search expanded.
    """

    cdef readonly tuple tiles
    cdef readonly int64_t value
    cdef readonly int64_t expanded
    cdef tuple names
    cdef bytes sets

    def __call__(self):
        cdef const int16_t *p = <const int16_t *>PyBytes_AS_STRING(self.sets)
        cdef Py_ssize_t n = PyBytes_GET_SIZE(self.sets) // sizeof(int16_t), i = 0, k
        cdef list out = []
        cdef list tiles
        while i < n:
            tiles = []
            for k in range(i + 1, i + 1 + p[i]):
                tiles.append(self.names[len(self.names) - 1 if p[k] >= JOKER_AS else p[k]])
            i += 1 + p[i]
            out.append(tuple(tiles))
        return out


cdef Answer answer_of(tuple names, int colors, int numbers, const uint8_t *laid, const int16_t *sets, int length,
                      int64_t expanded):
    cdef Answer a = Answer.__new__(Answer)
    cdef int v, c, k, _k, cells = numbers * LANES
    cdef int64_t value = 0
    cdef Py_ssize_t count = 0, at = 0
    cdef tuple tiles
    cdef object name
    for k in range(cells + 1):
        count += laid[k]
    tiles = PyTuple_New(count)
    for c in range(colors):
        for v in range(numbers):
            for _k in range(laid[v * LANES + c]):
                name = names[v * LANES + c]
                Py_INCREF(name)
                PyTuple_SET_ITEM(tiles, at, name)
                at += 1
                value += v + 1
    for _k in range(laid[cells]):
        name = names[cells]
        Py_INCREF(name)
        PyTuple_SET_ITEM(tiles, at, name)
        at += 1
    a.tiles = tiles
    a.value = value
    a.expanded = expanded
    a.names = names
    a.sets = PyBytes_FromStringAndSize(<char *>sets, length * sizeof(int16_t))
    return a


cdef struct Found:
    # Where the answer of one of many questions is kept.
    int status
    int64_t took
    int64_t expanded
    int64_t laid  # offsets into the buffer, in bytes
    int64_t sets
    int length


cdef class Sweep:
    """Searches of one size of rules; keeps what depends on the rules alone, and scratch memory.

    colors: 1..4, numbers: 3..100. names: of the tiles, 4 for each number, then the joker's.
    memory: limit of one search's scratch memory in bytes. high_one: the last of the numbers is no number but the
    place of a 1 after the highest one: no group holds it, and an opening counts it 1. Runs may then be one longer
    than the rules allow; the caller cuts them.
    One object serves many threads; searches release the interpreter's lock.
    """

    def __cinit__(self, int colors, int numbers, tuple names not None, int64_t memory, bint high_one=False):
        if not 1 <= colors <= LANES:
            raise UnsupportedRules(f"colors: the search takes 1 to {LANES}, not {colors}")
        if not MIN_SET <= numbers - high_one <= MAX_NUMBERS - 1:
            raise UnsupportedRules(f"numbers: the search takes {MIN_SET} to {MAX_NUMBERS - 1}, "
                                   f"not {numbers - high_one}")
        if len(names) != numbers * LANES + 1:
            raise SolverError(f"names: must be {numbers * LANES + 1}, not {len(names)}")
        if memory < MIN_MEMORY:
            raise SolverError(f"memory: must be at least {MIN_MEMORY} bytes, not {memory}")
        self.colors = colors
        self.numbers = numbers
        self.high_one = high_one
        self.names = names
        self.memory = memory
        self.pool = []

    def __dealloc__(self):
        cdef int i
        for i in range(TABLES):
            tables_free(self.cache[i])

    cdef Scratch borrow(self):
        """A work space of the pool, or a new one."""
        cdef Scratch scratch
        if self.pool:
            return self.pool.pop()
        scratch = Scratch.__new__(Scratch)
        scratch.work = work_new(self.numbers, self.colors, self.high_one, self.memory)
        if scratch.work == NULL:
            raise MemoryError
        return scratch

    cdef void give_back(self, Scratch scratch):
        """Keep a work space for the next search unless that one made it large."""
        if scratch.work.memory <= self.memory // RETAINED_SHARE and len(self.pool) < RETAINED_SPACES:
            self.pool.append(scratch)

    @property
    def memory_used(self):
        """Bytes held between searches: tables and work spaces."""
        cdef int64_t total = 0
        cdef int i
        cdef Scratch scratch
        for i in range(TABLES):
            if self.cache[i] != NULL:
                total += tables_size(self.cache[i])
        for scratch in list(self.pool):
            total += scratch.work.memory
        return total

    cdef int ask(self, Question *q, bytes packed, int objective) except -1:
        """The question of packed counts, checked."""
        if packed is None:
            raise SolverError("packed: must be bytes, not None")
        cdef Py_ssize_t cells = self.numbers * LANES, i
        cdef int jokers
        cdef const uint8_t *p = <const uint8_t *>PyBytes_AS_STRING(packed)
        if PyBytes_GET_SIZE(packed) != 2 * cells + 2:
            raise SolverError(f"packed: must hold {2 * cells + 2} bytes, not {PyBytes_GET_SIZE(packed)}")
        jokers = p[2 * cells] + p[2 * cells + 1]
        if jokers > MAX_JOKERS:
            raise SolverError(f"packed: more than {MAX_JOKERS} jokers")
        for i in range(cells):
            if p[i] + p[cells + i] + jokers > MAX_SLOTS:
                raise SolverError(f"packed: more than {MAX_SLOTS} copies of a tile and jokers together")
            if i % LANES >= self.colors and p[i] + p[cells + i]:
                raise SolverError(f"packed: a tile of colour {i % LANES + 1} of {self.colors}")
        memset(q, 0, sizeof(Question))
        q.table = p
        q.rack = p + cells
        q.table_jokers = p[2 * cells]
        q.rack_jokers = p[2 * cells + 1]
        q.objective = objective
        return 0

    def solve(self, bytes packed not None, str objective not None="tiles", weights=None, *, bint go_out=False,
              bint empty=False, bint explicit=False, int64_t nodes=0, double seconds=0):
        """The best answer to a count problem, or None: proven that there is none.

        packed: per number and colour (four lanes) the copies that must be laid, then those that may be, then
        jokers that must and that may be laid (2 * 4 * numbers + 2 bytes).
        objective: tiles, value, face (jokers worth what they stand for), weights, with `weights` an int32 array
        of 4 * numbers + 1 values >= 0 (the joker's last), or exact: weights without a second criterion.
        go_out: only an answer that lays everything. empty: laying nothing is an answer as well.
        explicit: no parking of jokers (slower, same answer). nodes, seconds: limits, 0 is none.
        Raises SolverError for malformed input, LimitReached when a limit comes before the proof.
        """
        cdef Question q
        cdef Scratch scratch
        cdef Work *w
        cdef int status
        cdef const int32_t[::1] view
        cdef Py_ssize_t i
        cdef Answer found
        self.ask(&q, packed, objective_code(objective))
        if q.objective == WEIGHTS or q.objective == EXACT:
            view = weights
            if view.shape[0] != self.numbers * LANES + 1:
                raise SolverError(f"weights: must hold {self.numbers * LANES + 1} values, not {view.shape[0]}")
            for i in range(view.shape[0]):
                if not 0 <= view[i] <= MAX_COST:
                    raise SolverError(f"weights: must be 0 to {MAX_COST}, not {view[i]}")
            q.weights = &view[0]
        q.all = go_out
        q.empty = empty
        q.explicit = explicit or q.objective == FACE
        scratch = self.borrow()
        w = scratch.work
        w.node_limit = nodes
        w.deadline = solver_now_ns() + <int64_t>(min(seconds, MAX_SECONDS) * 1e9) if seconds > 0 else 0
        with nogil:
            status = answer(w, self.cache, &q)
        if status == FOUND:
            found = answer_of(self.names, self.colors, self.numbers, w.used, w.sets, w.sets_length, w.expanded)
            self.give_back(scratch)
            return found
        self.give_back(scratch)
        if status == NOTHING:
            return None
        raise_status(w, status)

    def best(self, bytes packed not None, bint value):
        """`solve` for the objective value or else tiles, without limits: what is asked most, at the least cost."""
        cdef Question q
        cdef Scratch scratch
        cdef int status
        cdef Answer found = None
        self.ask(&q, packed, VALUE if value else TILES)
        scratch = self.borrow()
        scratch.work.node_limit = 0
        scratch.work.deadline = 0
        with nogil:
            status = answer(scratch.work, self.cache, &q)
        if status == FOUND:
            found = answer_of(self.names, self.colors, self.numbers, scratch.work.used, scratch.work.sets,
                              scratch.work.sets_length, scratch.work.expanded)
        self.give_back(scratch)
        if status != FOUND and status != NOTHING:
            raise_status(scratch.work, status)
        return found

    def solve_many(self, list packed not None, str objective not None="tiles"):
        """`solve` of many count problems (objective tiles or value); the lock is released once for all of them."""
        return self.many(packed, objective, None)

    def time_ns(self, list packed not None, str objective not None="tiles"):
        """Nanoseconds of each problem in the kernel alone, sets built: a list. For benchmarks."""
        cdef list times = []
        self.many(packed, objective, times)
        return times

    cdef list many(self, list packed, str objective, list times):
        cdef list kept = list(packed)  # the bytes must live as long as the search reads them
        cdef Py_ssize_t n = len(kept), i
        cdef Scratch scratch
        cdef Question *questions = NULL
        cdef Found *found = NULL
        cdef Buffer buffer
        cdef list out = []
        cdef int code = objective_code(objective), status
        if code != TILES and code != VALUE:
            raise SolverError(f"objective: many problems at once take tiles or value, not {objective!r}")
        buffer.data = NULL
        buffer.size = 0
        buffer.room = 0
        questions = <Question *>malloc((n + 1) * sizeof(Question))
        found = <Found *>malloc((n + 1) * sizeof(Found))
        try:
            if questions == NULL or found == NULL:
                raise MemoryError
            for i in range(n):
                self.ask(&questions[i], kept[i], code)
            scratch = self.borrow()
            scratch.work.node_limit = 0
            scratch.work.deadline = 0
            with nogil:
                status = answer_many(scratch.work, self.cache, questions, found, n, &buffer)
            if status != FOUND:
                raise_status(scratch.work, status)
            self.give_back(scratch)
            for i in range(n):
                if times is not None:
                    times.append(found[i].took)
                elif found[i].status == NOTHING:
                    out.append(None)
                else:
                    out.append(answer_of(self.names, self.colors, self.numbers,
                                         <uint8_t *>(buffer.data + found[i].laid),
                                         <int16_t *>(buffer.data + found[i].sets), found[i].length, found[i].expanded))
            return out
        finally:
            free(questions)
            free(found)
            free(buffer.data)


cdef struct Buffer:
    char *data
    int64_t size
    int64_t room


cdef int64_t keep_bytes(Buffer *b, void *data, int64_t size) noexcept nogil:
    """Append, aligned for int16; the offset, or -1 when memory is out."""
    cdef int64_t at = b.size + (b.size & 1), room
    cdef char *grown
    if at + size > b.room:
        room = 2 * (at + size) + 4096
        grown = <char *>realloc(b.data, room)
        if grown == NULL:
            return -1
        b.data = grown
        b.room = room
    memcpy(b.data + at, data, size)
    b.size = at + size
    return at


cdef int answer_many(Work *w, Tables **cache, Question *questions, Found *found, Py_ssize_t n,
                     Buffer *buffer) noexcept nogil:
    """Answer all questions into the buffer; FOUND unless one of them ran into a limit or a signal."""
    cdef Py_ssize_t i
    cdef int64_t begun
    cdef Found *f
    for i in range(n):
        f = &found[i]
        begun = solver_now_ns()
        f.status = answer(w, cache, &questions[i])
        f.took = solver_now_ns() - begun
        f.expanded = w.expanded
        if f.status == FOUND:
            f.length = w.sets_length
            f.laid = keep_bytes(buffer, w.used, w.numbers * LANES + 1)
            f.sets = keep_bytes(buffer, w.sets, w.sets_length * sizeof(int16_t))
            if f.laid < 0 or f.sets < 0:
                return OUT_OF_MEMORY
        elif f.status != NOTHING:
            return f.status
        if i % POLL_EVERY == POLL_EVERY - 1 and look_for_signals(w):
            return INTERRUPTED
    return FOUND


cdef int objective_code(str objective) except -1:
    if objective == "tiles":
        return TILES
    if objective == "value":
        return VALUE
    if objective == "weights":
        return WEIGHTS
    if objective == "exact":
        return EXACT
    if objective == "face":
        return FACE
    raise SolverError(f"objective: unknown {objective!r}")


cdef class Scratch:
    """Owner of one work space."""

    def __dealloc__(self):
        work_free(self.work)


cdef int raise_status(Work *w, int status) except -1:
    cdef object raised
    if status == INTERRUPTED:
        raised = <object>w.raised
        Py_DECREF(raised)
        w.raised = NULL
        raise raised
    if status == OUT_OF_RANGE:
        raise SolverError(f"weights: too large for this rack: their sum times its size must stay below {MAX_COST}")
    if status == OUT_OF_NODES:
        raise LimitReached(f"nodes: no proof within {w.node_limit}")
    if status == OUT_OF_TIME:
        raise LimitReached("seconds: no proof within the limit")
    raise LimitReached(f"memory: no proof within {w.memory_limit} bytes")
