# What a player knows of a game.
from libc.stdint cimport uint8_t

from .board cimport Geometry
from .plays cimport Plays
from .race cimport Course, Race

cdef void conceal(const Course* c, const Geometry* g, const Race* r, Race* known, uint8_t* unseen,
                  int* unseen_count) noexcept nogil
cdef void deal(Race* r, const Course* c, uint8_t* unseen, int count) noexcept nogil
cdef int read_course(Course* c, int finish, bint teams, int seated) except -1
cdef int read_race(Race* r, Plays plays, tops, rack, common, const unsigned char[::1] covered, int mover, scores,
                   uint8_t* unseen) except -1
