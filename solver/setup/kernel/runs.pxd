# Plays of several tiles of one suit.
from .work cimport Search

cdef void plays_of_one_suit(Search* s) noexcept nogil
