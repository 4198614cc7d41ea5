# The rules of jokers: what they stand for, which may be freed, whether a move is legal.
from libc.stdint cimport uint64_t

from .board cimport MOST_JOKERS, Board
from .room cimport Turn, Turner

cdef enum:
    MOST_READINGS = 4  # of two sets with jokers, each as a run and as a group

cdef struct Spots:
    # One way to read the sets with jokers: for each joker its set and the tiles that it stands for.
    int count
    int home[MOST_JOKERS]
    uint64_t means[MOST_JOKERS]
    bint three[MOST_JOKERS]  # in a group of three

cdef int ways_to_read(Turner *t, const Board *b, Spots *out) noexcept nogil
cdef bint may_go(Turner *t, const Spots *s, int joker, uint64_t prices) noexcept nogil
cdef bint fits(Turner *t, const Board *b, Turn *turn) noexcept nogil
