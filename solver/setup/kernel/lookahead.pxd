# Candidates played on in random deals.
from libc.stdint cimport uint8_t, uint64_t

from .board cimport Geometry, Record
from .policy cimport Policy
from .race cimport Course, Race
from .work cimport Search

cdef int judge(const Geometry* g, const Course* c, const Policy* p, const Race* known, const uint8_t* unseen,
               int unseen_count, const Record* const* records, const int* lines, int count, int first, int deals,
               uint64_t key, bint leads, Search* s, double* sums, double* squares) noexcept nogil
cdef int contest(const Geometry* g, const Course* c, const Policy* p, const Race* known, const uint8_t* unseen,
                 int unseen_count, const Record* const* records, const double* behind, int count, uint64_t key,
                 Search* s) noexcept nogil
