"""The sets of a bag that can be in an arrangement which changes little."""

from .change cimport Search
from .tilesets cimport Bag

cdef void list_cheap(Search *s, Bag bag, long long listed) noexcept nogil
