"""All moves of a position: every multiset of rack tiles that can be laid, without solving one problem for each.

"Can these tiles all lie in sets?" is a question that an automaton answers row by row (numbers 1, 2, ...). What can be
known after a row is a *set*: all ways to have arranged the tiles so far (open runs of each colour by length 1, 2, "3 or
more", and jokers used), without those that another one makes needless. The moves of a position are then paths through a
graph: its nodes are the sets that can be reached, its edges the ways to lay some rack tiles of a row.
docs/rummikub-search.md tells why this is exact; comments here say what a function takes for granted.
From the ground up:

automaton   states of a colour, steps between them, tiles of a row in groups
waysets     sets of ways, and the set that follows one through a row
graph       rows and choices of one position
losses      what ways need and lose at least
exploring   all nodes and edges, and what can be reached from each node
paths       how many moves there are, and the tiles of one
listing     moves by their number of tiles
ranking     moves by their worth
moves       the door: counts as bytes in, a Playable out
"""

from libc.stdint cimport int64_t, uint8_t

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF

from ...errors import LimitReached, SolverError, UnsupportedRules
from .automaton cimport ALL_VECTORS, LEAST_SLOTS, MAX_SLOTS, WIDE_BITS, Machine, Vector, machine_free, machine_new
from .exploring cimport explore
from .graph cimport GRAIN, NO_LIMIT, Graph, graph_new
from .lanes cimport LANES, MAX_JOKERS, MIN_SET, solver_now_ns
from .listing import Listing
from .paths cimport Paths
from .ranking import Ranking
from .waysets cimport (
    FOUND, INTERRUPTED, OUT_OF_MEMORY, OUT_OF_NODES, TOO_MUCH, Scratch, scratch_free, scratch_new,
)

cdef extern from *:
    """
    #define MAX_WEIGHT (1LL << 50)    /* of all tiles together */
    """
    const int64_t MAX_WEIGHT

cdef enum:
    MAX_NUMBERS = 100
    LEAST_NUMBERS = 5  # with jokers: then a run has room for every joker that no set needs
    MACHINES = (MAX_SLOTS + 1) * (MAX_JOKERS + 1)
    MAX_SECONDS = 1000000000
    RETAINED_SHARE = 8  # a work space larger than this part of the limit is not kept for later
    RETAINED_SPACES = 4  # at most so many are kept: together half the limit


cdef class Space:
    """Owner of one work space."""

    cdef Scratch *scratch

    def __dealloc__(self):
        scratch_free(self.scratch)


cdef class Playable(Paths):
    """Every multiset of rack tiles that can be laid in one position, the empty one as well, none of them listed yet.

    nodes: of the graph that holds them.
    """

    def listed(self, int most=-1, int least=1):
        """An iterator over the moves of `most` (-1: all) down to `least` tiles as tuples of tiles: most tiles first.

        With `least` 0 laying nothing is a move as well.

        Equal numbers of tiles in a fixed order: at the first number and colour (number by number) of which two lay
        differently many, who lays more comes first.
        """
        return Listing(self, most, least)

    def made(self, type cls not None, dict shared not None, int most=-1, int least=1):
        """The same as objects, made without a call: their slots `tiles`, `value` and those of `shared` are filled.

        The garbage collector does not look at them, so nothing of `shared` may refer to them.
        """
        return Listing(self, most, least, cls, shared)

    def ranked(self, weights not None, int64_t joker, least=None, *, bint empty=False):
        """An iterator over the moves worth at least `least` (None: all) as tuples of tiles, the most worth first.

        Those of equal worth come in the order of `listed`. weights: an int64 array of 4 * numbers values.
        joker: worth of a joker. empty: laying nothing is a move as well.
        """
        return Ranking(self, weights, joker, least, empty)


cdef class Plays:
    """Finds all moves under one size of rules. One object serves many threads; searches release the interpreter's lock.

    colors: 1..4, numbers: 3..100, names: of the tiles, 4 for each number, then the joker's. memory: bytes that a
    search may take, and as many for the graph of one position. What is kept depends on the rules alone.
    """

    cdef Machine *machines[MACHINES]
    cdef readonly int colors
    cdef readonly int numbers
    cdef readonly int64_t memory
    cdef tuple names
    cdef tuple pool  # work spaces for ways with narrow and with wide states

    def __cinit__(self, int colors, int numbers, tuple names not None, int64_t memory):
        if not 1 <= colors <= LANES:
            raise UnsupportedRules(f"colors: moves are listed for 1 to {LANES}, not {colors}")
        if not MIN_SET <= numbers <= MAX_NUMBERS:
            raise UnsupportedRules(f"numbers: moves are listed for {MIN_SET} to {MAX_NUMBERS}, not {numbers}")
        if len(names) != numbers * LANES + 1:
            raise SolverError(f"names: must be {numbers * LANES + 1}, not {len(names)}")
        self.colors = colors
        self.numbers = numbers
        self.names = names
        self.memory = memory
        self.pool = ([], [])

    def __dealloc__(self):
        cdef int i
        for i in range(MACHINES):
            machine_free(self.machines[i])

    @property
    def memory_used(self):
        """Bytes held between searches."""
        cdef Space space
        cdef int64_t total = 0
        cdef int i
        for pool in self.pool:
            for space in list(pool):
                total += space.scratch.memory
        for i in range(MACHINES):
            if self.machines[i] != NULL:
                total += sizeof(Machine) + ALL_VECTORS * sizeof(Vector)
        return total

    cdef Machine *machine(self, int slots, int jokers) except NULL:
        cdef Machine **m = &self.machines[slots * (MAX_JOKERS + 1) + jokers]
        if m[0] == NULL:
            m[0] = machine_new(self.colors, slots, jokers)
            if m[0] == NULL:
                raise MemoryError
        return m[0]

    def fits(self, bytes packed not None):
        """Whether these counts, as `Sweep.solve` reads them, are within what can be listed.

        Raises SolverError for malformed counts.
        """
        cdef const uint8_t *p = <const uint8_t *>PyBytes_AS_STRING(packed)
        cdef int cells = self.numbers * LANES, i, most = 0, jokers
        if PyBytes_GET_SIZE(packed) != 2 * cells + 2:
            raise SolverError(f"packed: must hold {2 * cells + 2} bytes, not {PyBytes_GET_SIZE(packed)}")
        for i in range(cells):
            most = max(most, <int>p[i] + p[cells + i])
            if i % LANES >= self.colors and p[i] + p[cells + i]:
                raise SolverError(f"packed: a tile of colour {i % LANES + 1} of {self.colors}")
        jokers = p[2 * cells] + p[2 * cells + 1]
        return most <= MAX_SLOTS and jokers <= MAX_JOKERS and (jokers == 0 or self.numbers >= LEAST_NUMBERS)

    def of(self, bytes packed not None, *, weights=None, int64_t lose=-1, int64_t work=0, int64_t nodes=0,
           double seconds=0, watch=None):
        """Everything that can be laid, as a Playable; None if it is more than `work` or the memory allow.

        packed: as `Sweep.solve` reads it. lose: moves that leave more than this in the rack may be missing; -1: none
        is missing. weights: of what is left there, an int64 array of 4 * numbers values >= 0, jokers weigh nothing; by
        default every tile weighs 1. work: of ways to arrange tiles that are looked at, 0 is no limit. nodes, seconds:
        limits, 0 is none; a node is a set that is reached after some row of which the rack has tiles. watch: a function
        that is called where Ctrl-C is looked for; what it raises ends the search.
        Raises SolverError for counts that do not fit, LimitReached when nodes or seconds are spent.
        """
        cdef const uint8_t *p = <const uint8_t *>PyBytes_AS_STRING(packed)
        cdef int cells = self.numbers * LANES, i, most = LEAST_SLOTS, status
        cdef int64_t total = 0
        cdef const int64_t[::1] view
        cdef const int64_t *given = NULL
        cdef Machine *m
        cdef Playable found
        if not self.fits(packed):
            raise SolverError("packed: more copies of a tile or more jokers than can be listed")
        for i in range(cells):
            most = max(most, <int>p[i] + p[cells + i])
        if weights is not None:
            view = weights
            if view.shape[0] != cells:
                raise SolverError(f"weights: must hold {cells} values, not {view.shape[0]}")
            for i in range(cells):
                if not 0 <= view[i] <= MAX_WEIGHT:
                    raise SolverError(f"weights: must be 0 to {MAX_WEIGHT}, not {view[i]}")
                total += view[i]
            if total > MAX_WEIGHT:
                raise SolverError(f"weights: must be at most {MAX_WEIGHT} in sum, not {total}")
            given = &view[0]
        m = self.machine(most, p[2 * cells] + p[2 * cells + 1])
        found = Playable.__new__(Playable)
        found.graph = graph_new(p, self.numbers, given, self.memory)
        if found.graph == NULL:
            raise MemoryError
        found.names = self.names
        found.graph.node_limit = nodes
        found.graph.work_limit = work
        found.graph.allowed = NO_LIMIT if lose < 0 else min(lose, MAX_WEIGHT) * GRAIN
        found.graph.watch.deadline = solver_now_ns() + <int64_t>(min(seconds, MAX_SECONDS) * 1e9) if seconds > 0 else 0
        found.graph.watch.called = NULL if watch is None else <PyObject *>watch
        status = self.search(m, found.graph)
        found.graph.watch.called = NULL
        if status == FOUND:
            found.prepare(self.colors)
            return found
        if status == TOO_MUCH or status == OUT_OF_MEMORY:
            return None
        if status == INTERRUPTED:
            raised = <object>found.graph.watch.raised
            Py_DECREF(raised)
            raise raised
        if status == OUT_OF_NODES:
            raise LimitReached("nodes: no proof within the limit")
        raise LimitReached("seconds: no proof within the limit")

    cdef int search(self, const Machine *m, Graph *g) except -1:
        """`explore` with a work space of the pool, or a new one."""
        cdef list pool = self.pool[m.bits == WIDE_BITS]
        cdef Space space
        cdef bint used = False
        cdef int status
        while True:
            if pool and not used:
                space = pool.pop()
                used = True
            else:
                space = Space.__new__(Space)
                space.scratch = scratch_new(m.bits, self.numbers, self.memory)
                if space.scratch == NULL:
                    raise MemoryError
                used = False
            with nogil:
                status = explore(m, space.scratch, g)
            if space.scratch.memory <= self.memory // RETAINED_SHARE and len(pool) < RETAINED_SPACES:
                pool.append(space)
            # What a used work space kept of other positions must not decide whether this one fits.
            if not (used and status == OUT_OF_MEMORY):
                return status
