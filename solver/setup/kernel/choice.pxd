# What a policy does.
from libc.stdint cimport uint64_t

from .board cimport Geometry, Record
from .policy cimport Policy
from .race cimport Course, Race
from .work cimport Search

cdef struct Choice:
    int swap                   # tiles of the rack in ascending order, as bits; 0 for a play
    Record record

cdef void decide(const Geometry* g, const Course* c, const Policy* p, const Race* r, uint64_t key, Search* s,
                 Choice* choice) noexcept nogil
