"""Prices of tiles that tell how little of a table can be changed."""

from .tilesets cimport Bag, MAX_TABLE, MAX_TYPES, Work, u64

cdef enum:
    KEPT = 1024           # worth of a kept set beside its tiles: far more than all tiles together
    UNIT = 16384          # price of one moved tile
    MAX_ROWS = MAX_TYPES + MAX_TABLE + 2

# A set of the table as it was. keepable: it is a legal set, and the bag holds its tiles.
ctypedef struct Original:
    u64 mask
    int jokers
    int size
    int keepable

# kept: what it costs to keep any original; bound: no arrangement is worth more, negative if there is none.
ctypedef struct Prices:
    long long tile[MAX_TYPES + 1]
    long long original[MAX_TABLE]
    long long kept
    long long bound

# A set of real tiles; tiles that the bag lacks are jokers. A run lies in the row of all places of its colour.
ctypedef struct Shape:
    u64 mask
    int begin       # of a run: its first and one more than its last place in `places`; of a group: -1
    int end
    int size
    int rows[4]     # of a group
    int pairs       # the first of its pairs

ctypedef struct Pair:
    int shape
    int original
    int worth

ctypedef struct Simplex:
    int rows
    int joker_row               # -1: no jokers
    int row_of[MAX_ROWS]        # of a type; of an original behind JOKER_TYPE at its index; -1: none
    int places[MAX_TYPES * 2]   # rows of the places of all colours, one colour after the other
    double *inverse             # of the basis, rows x rows, column by column
    double value[MAX_ROWS]
    double dual[MAX_ROWS]
    double rho[MAX_ROWS]
    double column[MAX_ROWS]
    char lacking[MAX_ROWS]      # the row has no column yet, or one that is ruled out: its value must become 0
    int keeps[MAX_ROWS]         # the original whose kept column is in the row, -1: another column
    Shape *shapes
    double *cost                # of each shape: what it costs
    double *alpha               # of each shape: its entry in the row that leaves
    int count
    Pair *pairs
    int pair_count
    int pair_room
    # what is asked
    const Work *w
    const Original *originals
    int original_count
    Bag bag                     # without the originals that are sure to be kept
    u64 sure                    # originals that are kept
    u64 open                    # originals that may be kept
    int worth                    # of the sure ones
    int cut_row                 # all open originals that are kept, against the number that can be kept
    int limit
    int pivots                  # so far
    long long bound             # for the caller: of the last prices

cdef Simplex *open_prices(const Work *w, Bag bag, const Original *originals, int count) noexcept nogil
cdef Simplex *copied(const Simplex *x) noexcept nogil
cdef void close_copy(Simplex *x) noexcept nogil
cdef void close_prices(Simplex *x) noexcept nogil
cdef void find_prices(Simplex *x, int enough, Prices *out) noexcept nogil
cdef void allow(Simplex *x, int most) noexcept nogil
cdef void make_sure(Simplex *x, int o) noexcept nogil
cdef void rule_out(Simplex *x, int o) noexcept nogil
cdef u64 whole(const Simplex *x, int *half) noexcept nogil
