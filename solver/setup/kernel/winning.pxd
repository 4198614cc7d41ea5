# A model of who wins.
from .policy cimport Policy
from .race cimport Course, Race

cdef double outcome_for(const Course* c, const Policy* p, const Race* r, int seat) noexcept nogil
cdef double lead_of(const Course* c, const Race* r, int seat) noexcept nogil
cdef double drawn_in(const Course* c, const Policy* p, const Race* r, double mean, int deals,
                     double behind) noexcept nogil
