# What ways need and lose at least.
from .automaton cimport Machine
from .graph cimport Graph
from .waysets cimport Scratch

cdef void fill_need(const Machine *m, Scratch *w, const Graph *g) noexcept nogil
cdef void set_prices(const Machine *m, Scratch *w, const Graph *g) noexcept nogil
