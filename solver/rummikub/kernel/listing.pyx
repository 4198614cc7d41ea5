"""Moves in order of their number of tiles: a walk down the graph that never turns back in vain."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free, malloc

from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject

from types import MemberDescriptorType

from ...errors import SolverError
from .graph cimport Choice, Graph, Row, has
from .paths cimport POLL_EVERY, Paths, lay

cdef extern from *:
    void PyObject_GC_UnTrack(PyObject *)
    object PyType_GenericNew(type, PyObject *, PyObject *)


cdef object slot_of(type cls, str name):
    """The descriptor of a name of `__slots__`."""
    slot = getattr(cls, name, None)
    if not isinstance(slot, MemberDescriptorType):
        raise SolverError(f"{name}: must be one of the slots of {cls.__name__}")
    return slot


cdef inline int put(object slot, object made, object value) except -1:
    """Set an attribute by its slot: no look-up of its name, and no `__setattr__` that may forbid it."""
    return (<PyObject *>slot).ob_type.tp_descr_set(slot, made, value)


cdef class Listing:
    """An iterator over all moves, most tiles first: a walk down the graph for each number of tiles."""

    cdef Paths source
    cdef type cls
    cdef object tiles_slot
    cdef object value_slot
    cdef list shared  # (slot, value)
    cdef int target  # tiles of the moves that are listed now
    cdef int least
    cdef int depth  # row; -1: begin with the next target
    cdef int32_t *node
    cdef int32_t *choice
    cdef int32_t *left
    cdef uint8_t *laid  # of each kind of tile
    cdef uint32_t listed

    def __cinit__(self, Paths source not None, int most, int least, type cls=None, dict shared=None):
        cdef int rows = source.known().rows
        self.source = source
        self.cls = cls
        if cls is not None:
            self.tiles_slot = slot_of(cls, "tiles")
            self.value_slot = slot_of(cls, "value")
            self.shared = [(slot_of(cls, name), value) for name, value in shared.items()]
        self.target = 1 + (source.graph.tiles if most < 0 else min(most, source.graph.tiles))
        self.least = max(0, least)
        self.depth = -1
        self.node = <int32_t *>malloc(3 * rows * sizeof(int32_t))
        self.laid = <uint8_t *>calloc(source.kinds, 1)
        if self.node == NULL or self.laid == NULL:
            raise MemoryError
        self.choice = self.node + rows
        self.left = self.choice + rows

    def __dealloc__(self):
        free(self.node)
        free(self.laid)

    def __iter__(self):
        return self

    def __next__(self):
        cdef int64_t value = 0
        cdef tuple tiles
        cdef object made
        # What is written in C, such as `list`, asks for all of them without a look at Ctrl-C.
        self.listed += 1
        if self.listed % POLL_EVERY == 0:
            PyErr_CheckSignals()
        if not self.advance():
            raise StopIteration
        tiles = self.source.tiles(self.laid, &value)
        if self.cls is None:
            return tiles
        made = PyType_GenericNew(self.cls, NULL, NULL)
        put(self.tiles_slot, made, tiles)
        put(self.value_slot, made, value)
        for slot, shared in self.shared:
            put(slot, made, shared)
        PyObject_GC_UnTrack(<PyObject *>made)
        return made

    cdef bint advance(self) noexcept:
        """Go on to the next move; False if there is none."""
        cdef Graph *g = self.source.graph
        cdef Row *row
        cdef const int32_t *edge
        cdef const Choice *choices
        cdef int d = self.depth, last = g.rows - 1, c, left
        cdef int32_t to
        if g.nodes == 0:
            return False
        while True:
            if d < 0:
                self.target -= 1
                while self.target >= self.least and not has(g.reach, self.target):
                    self.target -= 1
                if self.target < self.least:
                    self.target = self.least
                    self.depth = -1
                    return False
                d = 0
                self.node[0] = 0
                self.choice[0] = -1
                self.left[0] = self.target
            row = &g.row[d]
            left = self.left[d]
            if d == last:
                if self.choice[d] < 0:
                    # what is left are jokers, and they can be laid: else this node was not entered
                    self.choice[d] = g.jokers_may - left
                    self.laid[self.source.kinds - 1] = left
                    self.depth = d
                    return True
                d -= 1
                continue
            edge = g.edge + row.first_edge + <int64_t>(self.node[d] - row.first_node) * row.choices
            choices = g.choice + row.first_choice
            c = self.choice[d] + 1
            while c < row.choices:
                to = edge[c]
                if to >= 0 and choices[c].tiles <= left and has(g.reach + <int64_t>to * g.width,
                                                                left - choices[c].tiles):
                    break
                c += 1
            else:
                d -= 1
                continue
            self.choice[d] = c
            lay(self.source.place, self.laid, d, &choices[c])
            self.left[d + 1] = left - choices[c].tiles
            self.node[d + 1] = to
            self.choice[d + 1] = -1
            d += 1
