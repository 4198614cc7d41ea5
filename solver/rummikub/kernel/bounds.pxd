# Prices, and the bounds that they give.
from .work cimport Work

cdef void fill_costs(Work *w) noexcept nogil
cdef int fill_shares(Work *w) noexcept nogil
cdef void first_bounds(Work *w) noexcept nogil
cdef void improve_bounds(Work *w) noexcept nogil
cdef void bound_root(Work *w) noexcept nogil
cdef bint out_of_reach(Work *w) noexcept nogil
