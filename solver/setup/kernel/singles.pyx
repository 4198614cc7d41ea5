"""Plays of one tile: next to its number, or to a neighbour in its suit."""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from .board cimport (
    BONUS_BYTES, MAX_SQUARES, ONE, PER_SET, SEAT_COUNT, Geometry, all_counts, component, lowest_bit, spread,
)
from .bounds cimport most_of, too_little
from .found cimport emit
from .joins cimport group_of, near_run, run_at, run_of
from .work cimport COUNT, KEY_SHIFT, Search, counts_of


cdef bint worth_laying(Search* s, int i, int q, uint64_t group, uint64_t run) noexcept nogil:
    # What a tile's group and run add on a square, for the bounds; whether the tile alone could reach the floor there.
    cdef uint64_t bit = ONE << q
    cdef int64_t both = s.weights[0] * (1 << KEY_SHIFT) if s.g.scoring == PER_SET else 0
    cdef int64_t value = s.laid[q] + s.held[i]
    if group:
        s.more_group[i][q] = most_of(s, group ^ bit) + both
        s.most_group[i] = max(s.most_group[i], s.more_group[i][q])
        value += s.more_group[i][q]
    if run:
        s.more_run[i][q] = most_of(s, run ^ bit) + both
        s.most_run[i] = max(s.most_run[i], s.more_run[i][q])
        value += s.more_run[i][q]
    return not too_little(s, value, s.hand[i], 1)


cdef void plays_of_one_tile(Search* s) noexcept nogil:
    cdef int i, q, sets
    cdef uint64_t left, bit, scored, run, group
    for i in range(s.hand_count):
        left = s.open & (s.hot_group[i] | s.hot_run[i])
        while left and not s.stop:
            q = lowest_bit(left)
            bit = ONE << q
            left ^= bit
            group = group_of(s, i, q, bit) if s.hot_group[i] & bit else 0
            run = run_of(s, i, q, bit) if s.hot_run[i] & bit else 0
            if run == bit:
                run = 0
            sets = (group != 0) + (run != 0)
            if s.pruned and not worth_laying(s, i, q, group, run):
                continue
            if not sets:
                continue
            scored = group | run
            if s.mode == COUNT:
                s.total += 1
            else:
                emit(s, s.hand[i], q, 1, counts_of(s, scored, sets, bit, 1, s.own[i]))


cdef inline void raise_to(const Geometry* g, uint64_t counts, int square, int seats, const int* bonus,
                          int* most) noexcept nogil:
    # Each of the seats may lay one tile on the square, for these points and this bonus.
    cdef int seat, i, value
    for seat in range(SEAT_COUNT):
        if seats >> seat & 1 and g.open[seat] >> square & 1:
            value = <int> (counts & 255)
            if counts & BONUS_BYTES:
                for i in range(SEAT_COUNT):
                    value += bonus[SEAT_COUNT * seat + i] * <int> ((counts >> (8 * (i + 1))) & 255)
            most[seat] = max(most[seat], value)


cdef void best_of_ones(const Search* s, const uint8_t* tiles, int count, int seats, const int* bonus,
                       int* most) noexcept nogil:
    # The most that each of the tiles, in whoever's hand, can bring alone to each of the seats on the loaded board, 0 if
    # nothing: SEAT_COUNT numbers a tile. bonus: for each seat what a bonus point of each seat counts, -1, 0 or 1. So no
    # scored square is worth less than nothing, and where a run joins a group the group alone need not be looked at.
    cdef const Geometry* g = s.g
    cdef uint64_t group[MAX_SQUARES]
    cdef int of_group[SEAT_COUNT]
    cdef uint64_t open = 0
    cdef uint64_t hot = 0
    cdef uint64_t left, bit, run
    cdef int number = -1
    cdef int n, q, i
    for i in range(SEAT_COUNT):
        if seats >> i & 1:
            open |= g.open[i]
    for n in range(count):
        # Tiles of one number come one after the other where they are sorted.
        if g.number[tiles[n]] != number:
            number = g.number[tiles[n]]
            memset(of_group, 0, sizeof(of_group))
            hot = spread(g, s.shown[number]) & open
            left = hot
            while left:
                q = lowest_bit(left)
                left &= left - 1
                bit = ONE << q
                group[q] = component(g, bit, (s.shown[number] & ~bit) | bit)
                raise_to(g, all_counts(g, group[q], 1, bit, 1), q, seats, bonus, of_group)
        memcpy(most, of_group, sizeof(of_group))
        left = near_run(s, g.slot[tiles[n]]) & open
        while left:
            q = lowest_bit(left)
            left &= left - 1
            bit = ONE << q
            run = run_at(s, g.slot[tiles[n]], q, bit)
            if run == bit:
                continue
            if hot & bit:
                raise_to(g, all_counts(g, run | group[q], 2, bit, 1), q, seats, bonus, most)
            else:
                raise_to(g, all_counts(g, run, 1, bit, 1), q, seats, bonus, most)
        most += SEAT_COUNT
