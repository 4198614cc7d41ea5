"""The moves of one position as paths of its graph: how many there are, and the tiles that one of them lays."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM

from ...errors import SolverError
from .automaton cimport COPY_BITS
from .graph cimport Graph, Row, graph_free, has
from .lanes cimport LANES

cdef extern from *:
    void PyObject_GC_UnTrack(PyObject *)

cdef enum:
    JOKER_BITS = 4  # hold any number of jokers
    MAX_NUMBERS = 100


cdef void add(uint64_t *own, const uint64_t *other, int width) noexcept nogil:
    cdef int k
    cdef uint64_t carry = 0, x
    for k in range(width):
        x = own[k] + carry
        carry = x < carry
        x += other[k]
        carry += x < other[k]
        own[k] = x


cdef class Paths:
    """The graph of one position with the tiles of its rack.

    nodes: of the graph.
    """

    def __dealloc__(self):
        graph_free(self.graph)
        free(self.called)
        free(self.number)
        free(self.place)

    cdef Graph *known(self) except NULL:
        if self.graph == NULL or self.place == NULL:
            raise SolverError("a Playable is made by Plays.of alone")
        return self.graph

    cdef int prepare(self, int colors) except -1:
        cdef Graph *g = self.graph
        cdef int c, r, v
        self.called = <PyObject **>malloc((g.numbers * LANES + 1) * sizeof(PyObject *))
        self.number = <int *>malloc((g.numbers * LANES + 1) * sizeof(int))
        self.place = <int32_t *>malloc(g.rows * LANES * sizeof(int32_t))
        if self.called == NULL or self.number == NULL or self.place == NULL:
            raise MemoryError
        for r in range(g.rows * LANES):
            self.place[r] = -1
        for c in range(colors):
            for r in range(g.rows - 1):
                v = g.row[r].number
                if g.may[v * LANES + c]:
                    self.place[r * LANES + c] = self.kinds
                    self.number[self.kinds] = v + 1
                    self.called[self.kinds] = <PyObject *>self.names[v * LANES + c]
                    self.kinds += 1
        self.place[(g.rows - 1) * LANES] = self.kinds
        self.number[self.kinds] = 0
        self.called[self.kinds] = <PyObject *>self.names[len(self.names) - 1]
        self.kinds += 1
        return 0

    cdef tuple tiles(self, const uint8_t *laid, int64_t *value):
        """The tiles laid, in order, by their numbers; value: the sum of what is on them."""
        cdef uint8_t[MAX_NUMBERS * LANES + 1] numbers
        cdef int i, k, total = 0
        cdef Py_ssize_t at = 0
        cdef tuple out
        # A new tuple may start the garbage collector, and what that calls may ask for the next move.
        memcpy(numbers, laid, self.kinds)
        for i in range(self.kinds):
            total += numbers[i]
        out = PyTuple_New(total)
        value[0] = 0
        for i in range(self.kinds):
            k = numbers[i]
            value[0] += k * self.number[i]
            while k:
                Py_INCREF(<object>self.called[i])
                PyTuple_SET_ITEM(out, at, <object>self.called[i])
                at += 1
                k -= 1
        PyObject_GC_UnTrack(<PyObject *>out)  # holds texts alone, so it is in no cycle; lists may be long
        return out

    @property
    def nodes(self):
        return self.known().nodes

    @property
    def work(self):
        """Ways to arrange tiles that were looked at."""
        return self.known().work

    @property
    def memory_used(self):
        """Bytes that the graph takes."""
        return self.known().memory

    def count(self):
        """How many moves there are; laying nothing is none."""
        cdef Graph *g = self.known()
        cdef int width, r, i, _i, k
        cdef int32_t at, to
        cdef int64_t e
        cdef uint64_t *ways
        cdef uint64_t *own
        cdef Row *row
        # There are at most COPIES choices for a kind of tile, and one for each joker and none.
        width = (JOKER_BITS + COPY_BITS * self.kinds) // 64 + 1
        if g.nodes == 0:
            return 0
        ways = <uint64_t *>calloc(<int64_t>g.nodes * width, sizeof(uint64_t))
        if ways == NULL:
            raise MemoryError
        with nogil:
            row = &g.row[g.rows - 1]
            for at in range(row.first_node, row.first_node + row.nodes):
                for i in range(g.jokers_may + 1):
                    ways[<int64_t>at * width] += has(g.reach + <int64_t>at * g.width, i)
            for r in range(g.rows - 2, -1, -1):
                row = &g.row[r]
                e = row.first_edge
                for at in range(row.first_node, row.first_node + row.nodes):
                    own = ways + <int64_t>at * width
                    for _i in range(row.choices):
                        to = g.edge[e]
                        e += 1
                        if to >= 0:
                            add(own, ways + <int64_t>to * width, width)
        total = 0
        for k in range(width - 1, -1, -1):
            total = (total << 64) + int(ways[k])
        free(ways)
        return total - (1 if has(g.reach, 0) else 0)
