"""All legal plays of a position of Setup, each exactly once, with points and the bonus of each seat.

Squares are bits of 64-bit masks, tiles are number * suits + suit. What a play scores is one mask of squares: its sets
share no square except the new tile that joins two of them. There are three kinds, which share no play:

- one tile, next to its number or to a neighbour in its suit;
- several tiles of one number: sets of squares that lie in one component of (squares of that number + the new ones),
  grown square by square so that each set comes once, then every way of laying the tiles on them;
- several tiles of one suit. `monotone`: depth-first from the lowest new tile upward, because the tiles are unique and
  a run is one path. `block`: sets of squares grown as for numbers, then checked for the block that they lie in.

docs/setup.md tells more. From the ground up:

board       the tables of a board, the record of a play
work        the work space of a search, and its poll point
joins       groups and runs around a square
bounds      what plays are worth at most
found       plays counted, collected, or kept in the list of the best
singles     plays of one tile
laying      all ways of laying tiles on a set of squares
numbers     plays of several tiles of one number
runs        plays of several tiles of one suit
plays       the door: a position as bytes in, plays out
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from libc.stdint cimport uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from .board cimport (
    ALL, ALL_SEATS, HALF_HAND, MAX_HAND, MAX_SQUARES, MAX_TILES, NO_TILE, SEAT_COUNT, Record, fill_geometry,
)
from .bounds cimport NOTHING, set_bounds, set_run_bounds
from .numbers cimport plays_of_one_number
from .runs cimport plays_of_one_suit
from .singles cimport plays_of_one_tile
from .work cimport BEST, COLLECT, COUNT, FULL, KEY_SHIFT, MAX_BEST, MOST, Best, Search, load, monotonic_now, raise_stop

cdef enum:
    FIRST_CAPACITY = 4096


cdef void enumerate_plays(Search* s) noexcept nogil:
    cdef int i
    if s.mode == BEST:
        s.floor = NOTHING
        s.floor_key = (s.least - 1) * (1 << KEY_SHIFT) + 1 if s.least > 0 else NOTHING
        s.floor_tiles = ALL
        s.bounded = s.style == NULL
        for i in range(SEAT_COUNT):
            s.bounded = s.bounded and s.weights[i + 1] <= 0
        s.pruned = not s.census and s.weights[0] >= 0
        if s.pruned:
            set_bounds(s)
            plays_of_one_tile(s)
            set_run_bounds(s)
            plays_of_one_suit(s)
            plays_of_one_number(s)
            return
        # Long plays first: what is best of them bounds the rest. The list does not depend on the order.
        plays_of_one_suit(s)
        plays_of_one_number(s)
        plays_of_one_tile(s)
        return
    plays_of_one_tile(s)
    plays_of_one_number(s)
    plays_of_one_suit(s)


cdef class Plays:
    """Board, tiles, seats and options in the form that the search uses; immutable, so threads may share one.

    squares: 1 to 64. links: pairs of bytes (square, square). owners: a byte a square, 0 to 3 for the seats N E S W and
    4 for common. seated: bit i for seat i. numbers * suits: at most 128 tiles. block: run_order. scoring: 0 union,
    1 per_set, 2 placed_plus_sets. per_tile: bonus. on_opponents: allowed. Raises ValueError for anything else.
    """

    def __init__(self, int squares, const unsigned char[::1] links, const unsigned char[::1] owners, int seated,
                 int numbers, int suits, bint block, int scoring, bint per_tile, bint on_opponents):
        fill_geometry(
            &self.g, squares, links, owners, seated, numbers, suits, block, scoring, per_tile, on_opponents
        )

    cdef int read(self, const unsigned char[::1] tops, const unsigned char[::1] rack, const unsigned char[::1] common,
                  int mover, uint8_t* board, uint8_t* hand, uint8_t* own) except -1:
        # Checks a position and copies it; the number of tiles of both hands.
        cdef uint8_t seen[MAX_TILES]
        cdef int i, tile
        cdef int count = 0
        memset(seen, 0, sizeof(seen))
        if tops.shape[0] != self.g.squares:
            raise ValueError(f"tops: {tops.shape[0]} bytes for {self.g.squares} squares")
        if rack.shape[0] > HALF_HAND or common.shape[0] > HALF_HAND:
            raise ValueError(f"rack, common: more than {HALF_HAND} tiles")
        if not 0 <= mover < SEAT_COUNT:
            raise ValueError(f"mover: {mover} is no seat")
        for i in range(tops.shape[0]):
            tile = tops[i]
            board[i] = <uint8_t> tile
            if tile != NO_TILE:
                if tile >= self.g.tiles or seen[tile]:
                    raise ValueError(f"tops: tile {tile} does not exist or is there twice")
                seen[tile] = 1
        for i in range(rack.shape[0] + common.shape[0]):
            tile = rack[i] if i < rack.shape[0] else common[i - rack.shape[0]]
            if tile >= self.g.tiles or seen[tile]:
                raise ValueError(f"rack, common: tile {tile} does not exist or is there twice")
            seen[tile] = 1
            hand[count] = <uint8_t> tile
            own[count] = i < rack.shape[0]
            count += 1
        return count

    def count(self, const unsigned char[::1] tops, const unsigned char[::1] rack, const unsigned char[::1] common,
              int mover, double seconds=0):
        """Number of plays. seconds: time limit, 0 for none (LimitReached). ValueError for a bad position."""
        cdef uint8_t board[MAX_SQUARES]
        cdef uint8_t hand[MAX_HAND]
        cdef uint8_t own[MAX_HAND]
        cdef Search s
        cdef int held = self.read(tops, rack, common, mover, board, hand, own)
        s.signal_at = 0
        s.watch = NULL
        with nogil:
            load(&s, &self.g, board, hand, own, held, mover)
            s.mode = COUNT
            if seconds > 0:
                s.deadline = monotonic_now() + seconds
            enumerate_plays(&s)
        raise_stop(s.stop)
        return s.total

    def most(self, const unsigned char[::1] tops, const unsigned char[::1] rack, const unsigned char[::1] common,
             int mover):
        """Most points of any play; 0 if there is none. ValueError for a bad position."""
        cdef uint8_t board[MAX_SQUARES]
        cdef uint8_t hand[MAX_HAND]
        cdef uint8_t own[MAX_HAND]
        cdef Search s
        cdef int held = self.read(tops, rack, common, mover, board, hand, own)
        s.signal_at = 0
        s.watch = NULL
        with nogil:
            load(&s, &self.g, board, hand, own, held, mover)
            s.mode = MOST
            enumerate_plays(&s)
        raise_stop(s.stop)
        return s.most

    def records(self, const unsigned char[::1] tops, const unsigned char[::1] rack, const unsigned char[::1] common,
                int mover, unsigned long long skip=0, unsigned long long limit=1 << 25, int repeat=1,
                double seconds=0):
        """The plays number skip .. skip + limit - 1 as 24 bytes each, and whether these are all that are left.

        A record: 8 tiles ascending, their 8 squares (255 behind the last), points, bonus of N E S W, tiles placed, of
        these from the rack, 0. repeat: do it so many times, for measurements. seconds: time limit, 0 for none
        (LimitReached). ValueError for a bad position, MemoryError where the records do not fit.
        """
        cdef uint8_t board[MAX_SQUARES]
        cdef uint8_t hand[MAX_HAND]
        cdef uint8_t own[MAX_HAND]
        cdef Search s
        cdef int held = self.read(tops, rack, common, mover, board, hand, own)
        cdef int _
        if limit < 1:
            raise ValueError("limit: must be positive")
        s.capacity = min(<unsigned long long> FIRST_CAPACITY, limit)
        s.limit = limit
        s.records = <Record*> malloc(s.capacity * sizeof(Record))
        if s.records == NULL:
            raise MemoryError("no memory for the plays of this position")
        try:
            s.signal_at = 0
            s.watch = NULL
            with nogil:
                for _ in range(repeat):
                    load(&s, &self.g, board, hand, own, held, mover)
                    s.mode = COLLECT
                    s.skip = skip
                    if seconds > 0:
                        s.deadline = monotonic_now() + seconds
                    enumerate_plays(&s)
                    if s.stop:
                        break
            if s.stop != FULL:
                raise_stop(s.stop)
            return PyBytes_FromStringAndSize(<char*> s.records, s.total * sizeof(Record)), s.stop != FULL
        finally:
            free(s.records)

    def best(self, const unsigned char[::1] tops, const unsigned char[::1] rack, const unsigned char[::1] common,
             int mover, weights, int wanted, double seconds=0, int given=ALL_SEATS, watch=None):
        """The best plays: (records, values, plays in all, plays that share the best value).

        weights: five ints, of a point and of a bonus point of N E S W; the value is their sum, and comes for each of
        the records, best first. Ties: less bonus of the seats `given` (bit i for seat i), fewer tiles of the rack, then
        tiles and squares in order. wanted: 1 to 4097 records. seconds: time limit, 0 for none (LimitReached). watch: a
        function that is called where Ctrl-C is looked for; what it raises ends the search. ValueError for bad
        arguments.
        """
        cdef uint8_t board[MAX_SQUARES]
        cdef uint8_t hand[MAX_HAND]
        cdef uint8_t own[MAX_HAND]
        cdef Search s
        cdef int held = self.read(tops, rack, common, mover, board, hand, own)
        cdef int i
        cdef char* out
        if not 1 <= wanted <= MAX_BEST:
            raise ValueError(f"wanted: must be 1 to {MAX_BEST}, not {wanted}")
        if len(weights) != 1 + SEAT_COUNT:
            raise ValueError(f"weights: {len(weights)} are not {1 + SEAT_COUNT}")
        for i in range(1 + SEAT_COUNT):
            if not -1000 <= weights[i] <= 1000:
                raise ValueError(f"weights: {weights[i]} is not from -1000 to 1000")
            s.weights[i] = weights[i]
        s.best_wanted = wanted
        s.census = True
        s.best = <Best*> malloc(wanted * sizeof(Best))
        if s.best == NULL:
            raise MemoryError("no memory for the best plays")
        try:
            s.signal_at = 0
            s.watch = NULL if watch is None else <PyObject*> watch
            with nogil:
                load(&s, &self.g, board, hand, own, held, mover)
                s.mode = BEST
                s.given = given
                if seconds > 0:
                    s.deadline = monotonic_now() + seconds
                enumerate_plays(&s)
            raise_stop(s.stop)
            found = PyBytes_FromStringAndSize(NULL, s.best_count * sizeof(Record))
            out = found
            values = []
            for i in range(s.best_count):
                memcpy(out + i * sizeof(Record), &s.best[i].record, sizeof(Record))
                # The key is value * 2**16 minus less than 2**16.
                values.append((s.best[i].key + (1 << KEY_SHIFT) - 1) >> KEY_SHIFT)
            return found, values, s.total, s.ties
        finally:
            free(s.best)
