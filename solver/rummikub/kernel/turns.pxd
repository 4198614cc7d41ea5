# One turn in C: the best move, openings and the rules of jokers, on tables that keep their sets.
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint64_t

from .sweep cimport Sweep, Tables, Work

cdef enum:
    CELLS = 64  # of counts: number * LANES + colour, so numbers up to 16
    WIDE = CELLS + 1
    JOKER_AT = CELLS  # where jokers are counted
    MOST_JOKERS = 2
    MOST_SETS = 72  # 3 copies of 64 tiles and the jokers, by three, and a few while sets are being decided

    # words of the rules
    FORBIDDEN = 0  # opening_joker
    FACES = 1
    ZERO = 2
    ONE_MORE_TURN = 0  # pool_empty
    UNTIL_STUCK = 1
    FORCED = 2

cdef struct Ways:
    # The rules as far as a game goes.
    int numbers
    int colors
    int copies
    int jokers
    int threshold
    int opening_joker
    bint uses_table  # opening_uses_table
    bint replace  # joker_freeing=replace
    bint from_rack  # joker_source=rack
    bint both  # joker_group=both
    bint new  # joker_destination=new
    bint must_play
    int draw
    int joker_penalty
    int never_opened  # -1: none
    int pool_empty

cdef struct Set:
    # A set that holds no tile twice. A run stands as it is written: from `first` upwards, jokers in the gaps.
    uint64_t mask  # its real tiles, a bit each
    uint8_t jokers
    bint run
    uint8_t first  # number, from 0: of the first place of a run, of a group
    uint8_t length

cdef struct Board:
    int sets
    int jokers
    uint8_t counts[CELLS]  # real tiles
    Set set[MOST_SETS]

cdef struct Turn:
    # A move: what is laid, and the table after it. first, second: its worth under the objective.
    int64_t first
    int64_t second
    int tiles
    int value
    uint8_t laid[WIDE]
    Board after

cdef struct Meld:
    Set set
    int value

cdef struct Case:
    # A count problem with some sets decided (see turns.pyx).
    int64_t first
    int64_t second
    uint8_t must[CELLS]
    uint8_t may[CELLS]
    uint8_t laid[WIDE]  # rack tiles that are decided to be laid
    int loose  # table jokers that may end anywhere and are in no decided set
    int handed  # rack jokers that are laid and are in no decided set
    int spare  # rack jokers that may be laid
    int stay_count
    uint8_t stays[MOST_JOKERS]  # tiles that are jokers which keep a meaning
    bint wild  # a loose one stays in the group of the one that stays
    uint64_t meant  # what the freed ones stood for
    int sets
    Set set[MOST_JOKERS]

cdef struct Turner:
    # All that turns need: the rules, a search, room.
    Ways ways
    int cells
    Work *work
    Tables **cache
    int32_t penalties[WIDE]  # weights of the kernel for the objective of that name
    Meld *melds
    int meld_count
    Case *cases
    int case_count
    int case_room
    Turn *spare  # two moves while one is looked for
    Turn *trial

cdef class Turns:
    cdef readonly Sweep sweep
    cdef Ways ways
    cdef tuple tile_names
    cdef dict places
    cdef list pool
    cdef Turning borrow(self)
    cdef void give_back(self, Turning turning)
    cdef int read_board(self, table, Board *b) except -1
    cdef int read_rack(self, tiles, uint8_t *rack) except -1
    cdef int check_material(self, const Board *b, const uint8_t *rack) except -1
    cdef tuple tiles_of(self, const uint8_t *counts)
    cdef tuple table_of(self, const Board *b)
    cdef tuple move_of(self, const Turn *turn)
    cdef tuple answered(self, Turning turning, int status, const Turn *turn)

cdef class Turning:
    cdef Turner t

cdef int best_turn(Turner *t, const Board *b, const uint8_t *rack, bint opened, int objective, bint everything,
                   Turn *out) noexcept nogil
cdef int smallest_opening(Turner *t, const Board *b, const uint8_t *rack, Turn *out) noexcept nogil
cdef int beside_turn(Turner *t, const Board *b, const uint8_t *forced, const uint8_t *rack, int objective,
                     bint everything, Turn *out) noexcept nogil
cdef void clear_board(Board *b) noexcept nogil
cdef void list_melds(Turner *t, const uint8_t *supply) noexcept nogil
cdef void meld_turn(Turner *t, const Board *b, const Set *s, Turn *out) noexcept nogil
cdef int low(uint64_t mask) noexcept nogil
