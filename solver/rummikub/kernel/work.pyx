"""The work space of the search: its memory within a limit, its limits, and how a search that they ended is told."""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF

from ...errors import LimitReached, SolverError
from .lanes cimport LANES, MAX_JOKERS, lanes_t, solver_now_ns
from .tables cimport KINDS, MAX_SLOTS, Tables

cdef enum:
    FIRST_NODES = 256


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
            or w.runs == NULL or w.groups == NULL or w.sets == NULL or w.nodes == NULL or w.heap == NULL
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


cdef int poll(Work *w) noexcept nogil:
    """The one place that serves node limit, deadline, Ctrl-C and a caller's watch."""
    if w.node_limit and w.expanded > w.node_limit:
        return OUT_OF_NODES
    if w.expanded % POLL_EVERY == 0:
        if w.deadline and solver_now_ns() > w.deadline:
            return OUT_OF_TIME
        if look_for_signals(w):
            return INTERRUPTED
    return FOUND


cdef bint look_for_signals(Work *w) noexcept nogil:
    """Run Python's signal handlers and the watch; True if one raised: the caller of the search raises it again."""
    with gil:
        try:
            PyErr_CheckSignals()
            if w.watch != NULL:
                (<object>w.watch)()
        except BaseException as error:
            hold_error(w, error)
    return w.raised != NULL


cdef void hold_error(Work *w, object error) noexcept:
    """Keep an error till `raise_status` raises it outside of the search; the status for it is INTERRUPTED."""
    Py_INCREF(error)
    w.raised = <PyObject *>error


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
        raise LimitReached("nodes: no proof within the limit")
    if status == OUT_OF_TIME:
        raise LimitReached("seconds: no proof within the limit")
    raise LimitReached(f"memory: no proof within {w.memory_limit} bytes")


cdef class Scratch:
    """Owner of one work space."""

    def __dealloc__(self):
        work_free(self.work)
