"""The exact search for the best Rummikub move: row by row, priced colour by colour, best first.

A position is a count problem. Of every tile some copies must be in a set (those on the table) and some
may be (those in the rack); a rack copy that stays in the rack costs its weight; the least cost is wanted.
docs/rummikub-search.md tells the whole story. From the ground up:

tables      states of a colour after a row, transitions between them, tiles of a row in groups
work        the work space of a search, its memory and its limits
bounds      prices of groups and jokers, and what each colour costs at least from a state on
options     what the search looks at: all that costs little more than the bounds
frontier    open nodes: heap and transposition table
building    the sets of the best path, and a place for every parked joker
descent     the dive and A*
questions   a count problem from its counts to the best answer
sweep       the door: counts as bytes in, answers out
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM

from ...errors import SolverError, UnsupportedRules
from .building cimport JOKER_AS
from .lanes cimport LANES, MAX_JOKERS, MIN_SET, solver_now_ns
from .questions cimport EXACT, FACE, TILES, VALUE, WEIGHTS, Question, answer
from .tables cimport MAX_SLOTS, TABLES, Tables, tables_free, tables_size
from .work cimport (
    FOUND, INTERRUPTED, MAX_COST, MAX_NUMBERS, NOTHING, OUT_OF_MEMORY, POLL_EVERY, Scratch, Work, look_for_signals,
    raise_status, work_new,
)

cdef enum:
    MIN_MEMORY = 1 << 20  # bytes a search may use at least
    RETAINED_SHARE = 8  # a work space larger than this part of the limit is not kept for later
    RETAINED_SPACES = 4  # at most so many are kept: together half the limit
    MAX_SECONDS = 1000000000  # a longer limit is this one


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
              bint empty=False, bint explicit=False, int64_t nodes=0, double seconds=0, watch=None):
        """The best answer to a count problem, or None: proven that there is none.

        packed: per number and colour (four lanes) the copies that must be laid, then those that may be, then
        jokers that must and that may be laid (2 * 4 * numbers + 2 bytes).
        objective: tiles, value, face (jokers worth what they stand for), weights, with `weights` an int32 array
        of 4 * numbers + 1 values >= 0 (the joker's last), or exact: weights without a second criterion.
        go_out: only an answer that lays everything. empty: laying nothing is an answer as well.
        explicit: no parking of jokers (slower, same answer). nodes, seconds: limits, 0 is none. watch: a function that
        is called where Ctrl-C is looked for; what it raises ends the search.
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
        w.watch = NULL if watch is None else <PyObject *>watch
        with nogil:
            status = answer(w, self.cache, &q)
        w.watch = NULL
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
