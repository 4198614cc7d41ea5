"""Bags of tiles, and all sets that fit one: what the questions about arrangements share."""

from libc.stdint cimport int64_t, uint64_t as u64

cdef extern from *:
    """
    #define low_bit(x) __builtin_ctzll(x)
    #define bits(x) __builtin_popcountll(x)
    """
    int low_bit(u64) noexcept nogil
    int bits(u64) noexcept nogil

cdef enum:
    MAX_TYPES = 64        # types of real tiles in one machine word
    JOKER_TYPE = 64       # sorts after every real tile
    MAX_PICKED = 70       # sets of one arrangement: (3 * 64 + 8) / 3 and some room
    MAX_TABLE = 64        # sets of a table in one machine word
    MAX_JOKERS = 8
    MIN_SET = 3

cdef enum Stop:
    RUNNING = 0
    NODES = 1
    MEMORY = 2
    SIGNAL = 3
    CALLBACK = 4
    DOUBT = 5             # not an end: another question comes first
    TIME = 6

cdef enum Kind:
    GROUP = 0
    RUN = 1

# How jokers may sit in one set.
cdef enum PerSet:
    ANY = 0
    ONE = 1
    MINORITY = 2

# A bag of tiles: bit t of the k-th word says that type t (colour * numbers + number - 1) lies in it at least k times.
ctypedef struct Bag:
    u64 one
    u64 two
    u64 three
    int jokers

# mask: its real tiles; places: bit i = a joker at place i of a run; order: equal for sets with the same sorted tiles,
# increasing with the place in the list; price: what it costs to lay it at least (see prices.pyx), 0 if nobody asks;
# original: the first set of the table that it is, -1 if it is none; again: what it costs when all of these are laid.
ctypedef struct Set:
    u64 mask
    u64 places
    long long price
    long long again
    int order
    int original
    short jokers
    short size
    short kind
    short first     # index of the first place of a run (0 = number 1); number index of a group
    short color

# What is known of a bag; the meaning of marks, low and high is the caller's.
ctypedef struct Entry:
    u64 one
    u64 two
    u64 three
    u64 marks
    u64 low
    u64 high
    int jokers      # -1: free slot

ctypedef struct Work:
    # rules
    int colors
    int numbers
    int high_one
    int per_set
    # sets, sorted; first[t] is the first one whose first real tile is t, sets of jokers alone are of JOKER_TYPE
    Set *sets
    int count
    int room
    int first[MAX_TYPES + 2]
    # lists of sets of the nodes on the path
    int *arena
    long top
    long arena_room
    # transpositions
    Entry *table
    u64 slots
    u64 used
    # limits
    size_t memory
    size_t held
    u64 nodes
    u64 node_limit
    int64_t deadline    # 0: none
    int stop


cdef inline Bag taken(Bag bag, u64 mask, int jokers) noexcept nogil:
    """The bag without a set; the set must be in it."""
    cdef Bag rest
    rest.three = bag.three & ~mask
    rest.two = bag.two & (~mask | bag.three)
    rest.one = bag.one & (~mask | bag.two)
    rest.jokers = bag.jokers - jokers
    return rest


cdef inline Bag added(Bag bag, u64 mask, int jokers) noexcept nogil:
    cdef Bag more
    more.three = bag.three | (bag.two & mask)
    more.two = bag.two | (bag.one & mask)
    more.one = bag.one | mask
    more.jokers = bag.jokers + jokers
    return more


cdef inline int copies_in(Bag bag, int t) noexcept nogil:
    """How many tiles of a type, or jokers, lie in the bag."""
    if t == JOKER_TYPE:
        return bag.jokers
    return <int>((bag.one >> t & 1) + (bag.two >> t & 1) + (bag.three >> t & 1))


cdef inline int covers(const Set *s, int t) noexcept nogil:
    return s.jokers > 0 if t == JOKER_TYPE else <int>(s.mask >> t & 1)


cdef inline int place_type(const Work *w, int color, int place) noexcept nogil:
    """Type of a place of a run; the place behind the highest number is the high 1."""
    return color * w.numbers + (0 if place == w.numbers else place)


cdef inline int run_end(const Work *w, int first) noexcept nogil:
    """One more than the last place of the longest run that begins at a place."""
    return w.numbers + (1 if w.high_one and first > 0 else 0)


cdef inline int is_at(const Entry *e, Bag bag, u64 marks) noexcept nogil:
    return (e.jokers == bag.jokers and e.one == bag.one and e.two == bag.two and e.three == bag.three
            and e.marks == marks)


cdef int keep_going(Work *w) noexcept nogil
cdef int room_in_arena(Work *w, long more) noexcept nogil
cdef Entry *look_up(Work *w, Bag bag, u64 marks) noexcept nogil
cdef Entry *claim(Work *w, Bag bag, u64 marks) noexcept nogil
cdef void forget(Work *w) noexcept nogil
cdef int jokers_fit(const Work *w, int real, int jokers) noexcept nogil
cdef void offer(Work *w, u64 mask, u64 places, int jokers, int size, int kind, int color, int first,
                long long price) noexcept nogil
cdef void sort_sets(Work *w) noexcept nogil
cdef void list_sets(Work *w, Bag bag) noexcept nogil
cdef int list_all(Work *w) noexcept nogil
cdef int list_options(Work *w, Bag bag, long long slack, long low, long high) noexcept nogil
cdef int can_finish(Work *w, Bag bag, long low, long high) noexcept nogil
cdef int in_order(const void *left, const void *right) noexcept nogil


cdef class Workspace:
    cdef Work w
    cdef tuple names
    cdef dict index
    cdef object failure
    cdef int check(self) except -1
    cdef tuple written(self, int rank)
    cdef tuple table(self, int *ranks, int count)


cdef class Reader:
    cdef readonly object rules
    cdef readonly size_t memory
    cdef readonly u64 nodes
    cdef tuple names
    cdef dict index
    cdef int colors, numbers, copies, jokers, per_set
    cdef bint high_one
    cdef int type_of(self, object tile, object field) except -1
    cdef Bag read(self, object tiles, object field) except *
    cdef Workspace workspace(self)
    cdef bint shape(self, object tiles, Set *s) except -1
