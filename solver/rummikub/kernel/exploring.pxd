# All nodes and edges of a graph.
from .automaton cimport Machine
from .graph cimport Graph
from .waysets cimport Scratch

cdef int explore(const Machine *m, Scratch *w, Graph *g) noexcept nogil
