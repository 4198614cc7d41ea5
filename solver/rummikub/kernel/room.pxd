# What one turn works with: the rules, moves, melds, cases, and room for them.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from .board cimport CELLS, MOST_JOKERS, WIDE, Board, Set
from .tables cimport Tables
from .work cimport Work

cdef enum:
    MOST_MELDS = 8192
    FIRST_CASES = 64

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
    # A count problem with some sets decided (see branching.pyx).
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
