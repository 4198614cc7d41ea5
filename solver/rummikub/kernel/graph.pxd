# The graph of all moves of one position.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from .lanes cimport LANES
from .waysets cimport Watch

cdef extern from *:
    """
    #define NO_LIMIT (1LL << 61)
    """
    const int64_t NO_LIMIT

cdef enum:
    GRAIN = 64  # weights are multiplied by this, so that prices can be fractions

cdef struct Choice:
    # Rack tiles of a row that are laid, and what then lies of the row in all.
    uint8_t laid[LANES]  # after all numbers: the jokers alone
    uint8_t tiles
    uint8_t counts
    int64_t lost  # what is not laid weighs so much


cdef struct Row:
    int number  # from 0
    int first_choice
    int choices
    int32_t first_node
    int32_t nodes
    int64_t first_edge  # of node i: from first_edge + (i - first_node) * choices on


cdef struct Graph:
    # Only rows of which the rack has tiles: what else lies there leaves no choice.
    int numbers
    int jokers_must
    int jokers_may
    uint8_t *must  # [numbers][LANES]
    uint8_t *may
    int tiles  # of the rack, jokers as well
    int width  # words of 64 bits that hold a bit for each number of tiles
    Choice *choice
    Row *row
    int rows  # the last one is after all numbers: its nodes are ends, its choices the jokers of the rack, most first
    int32_t nodes
    int32_t *edge  # to a node, or NO_SET
    int64_t edges
    int64_t edge_room
    uint64_t *reach  # [nodes][width]: bit t: t more tiles can be laid below this node
    int64_t memory
    int64_t limit
    int64_t *weight  # [numbers][LANES], times GRAIN
    int64_t mean  # of the tiles of the rack
    int64_t allowed  # moves that lose more than this are not looked for; times GRAIN
    int64_t node_limit
    int64_t work_limit
    int64_t work
    Watch watch


cdef inline bint has(const uint64_t *bits, int t) noexcept nogil:
    return (bits[t >> 6] >> (t & 63)) & 1


cdef Graph *graph_new(const uint8_t *packed, int numbers, const int64_t *weights, int64_t limit) noexcept nogil
cdef void graph_free(Graph *g) noexcept nogil
