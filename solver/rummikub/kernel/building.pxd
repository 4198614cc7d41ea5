# The sets of the best path.
from .work cimport Work

cdef enum:
    # tiles in the output: (number - 1) * LANES + colour, and for jokers
    JOKER_AS = 1 << 12  # + the tile that it stands for (in a run)
    JOKER_ANY = 1 << 13  # in a group, or in a set of jokers

cdef void build(Work *w) noexcept nogil
cdef int house(Work *w) noexcept nogil
cdef void write_sets(Work *w) noexcept nogil
