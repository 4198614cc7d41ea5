# All ways of laying tiles on a set of squares.
from libc.stdint cimport int64_t, uint64_t

from .board cimport MAX_HAND
from .work cimport Search

# How a set of squares is grown: for one number, or for the tiles first..last of one suit.
cdef struct Growth:
    bint run
    int first
    int last
    int fewest
    int most
    uint64_t joint          # squares on the board that connect
    uint64_t fixed          # of these, those of the numbers between the new ones: part of the block, not to be covered
    uint64_t open
    uint64_t hot            # where a tile joins what shows; without them a set is worth `plain` at most
    int64_t plain
    int64_t held            # the best of the tiles, by the style
    int64_t rest[MAX_HAND + 1]  # what runs may add to tile i and the following ones on the set in work
    # Of the set of squares in work:
    uint64_t placed
    int count

cdef void lay(Search* s, Growth* w, uint64_t placed, int count, uint64_t closed) noexcept nogil
