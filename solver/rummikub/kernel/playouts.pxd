# Whole games in C for other kernels of this game: moments of games, policies, chance.
from libc.stdint cimport int64_t, uint8_t, uint64_t

from .turns cimport WIDE, Board, Set, Turn, Turner, Turns

cdef enum:
    MOST_PLAYERS = 12
    MOST_TILES = 200  # of the largest material: 3 copies of 64 tiles and the jokers
    SMALL_SET = 4  # tiles of a set that a waiting player parts with
    UNKNOWN = -1  # turns left while the pool has tiles

    # policies
    GREEDY = 0
    MOST_VALUE = 1
    LEAST = 2
    HOLD = 3
    KEEP = 4
    WAIT = 5

    # where a decision's randomness comes from
    KEY_GIVEN = 0  # `key` is that of this decision
    KEY_NAMED = 1  # by the name of the game, the turn and the seat, as `games.play` makes it
    KEY_COUNTED = 2  # a word of `key` for every turn

cdef struct Policy:
    # The options of `players.Wait` beside what it is.
    int kind
    int at
    bint tempo
    bint full
    int sample
    bint sets

cdef struct Game:
    int players
    int sizes[MOST_PLAYERS]
    bint opened[MOST_PLAYERS]
    bint drew[MOST_PLAYERS]  # laid nothing in its last turn, and nobody has laid since
    uint8_t racks[MOST_PLAYERS][WIDE]
    int lays[MOST_PLAYERS]  # turns after the opening, while they told of its kind, in which it laid
    int idles[MOST_PLAYERS]  # and in which it did not
    int active
    int left  # turns till the end, UNKNOWN while the pool has tiles
    int turn
    bint over
    int next  # the pool: order[next] is drawn first
    int tiles
    uint8_t order[MOST_TILES]
    int keyed
    uint64_t key
    uint64_t seed
    int64_t index
    Board board

cdef void guess_racks(Turner *t, const Game *g, int seat, uint64_t key, int number, Game *out) noexcept nogil
cdef int decision_key(Turner *t, Game *g, uint64_t *key) noexcept nogil
cdef bint bound(Turner *t, const Game *g) noexcept nogil
cdef int pool_size(const Game *g) noexcept nogil
cdef int single_of(Turner *t, const Game *g, int tile, Turn *out) noexcept nogil
cdef int openings_of(Turner *t, const Game *g, const Set *s) noexcept nogil
cdef int act(Turner *t, Game *g, const Policy *p, Turn *out) noexcept nogil
cdef void make_move(Turner *t, Game *g, const Turn *turn) noexcept nogil
cdef void make_idle(Turner *t, Game *g) noexcept nogil
cdef int finish_game(Turner *t, Game *g, const Policy *policies) noexcept nogil
cdef uint64_t score(Turner *t, const Game *g, double *points) noexcept nogil
cdef int read_policy(tuple values, Policy *p) except -1

cdef class Playouts(Turns):
    cdef int rack_size
    cdef str first_player
    cdef int read_moment(self, moment, key, Game *g) except -1
    cdef int read_history(self, moment, Game *g) except -1
    cdef int begin(self, Turner *t, Game *g, int players, seed, int64_t index) except -1
