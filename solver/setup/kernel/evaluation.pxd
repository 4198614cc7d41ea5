# What a play is worth by what it leaves behind.
from libc.stdint cimport uint8_t

from .board cimport Geometry, Record
from .policy cimport Policy
from .race cimport Course, Race
from .work cimport Best, Search

cdef void look_at(const Geometry* g, const Course* c, const Policy* p, const Race* known, const uint8_t* unseen,
                  int unseen_count, const Record* record, Search* s, bint everything, double* terms) noexcept nogil
cdef int weigh(const Geometry* g, const Course* c, const Policy* p, const Race* known, const uint8_t* unseen,
               int unseen_count, Search* s, Best* best, double* values, int* order) noexcept nogil
