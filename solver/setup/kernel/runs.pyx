"""Plays of several tiles of one suit: paths from the lowest new tile upward, or blocks grown as for numbers."""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from .board cimport ALL, MAX_HAND, ONE, Geometry, lowest_bit
from .bounds cimport too_little
from .found cimport emit
from .joins cimport group_of, monotone_run
from .laying cimport Growth
from .numbers cimport grow
from .work cimport COUNT, Search, counts_of, step

# A run on its way up: its new tiles so far.
cdef struct Climb:
    uint64_t placed
    uint64_t path           # all squares of the path from the lowest new tile to the last one
    uint64_t tiles
    uint64_t squares
    int count
    int own
    int64_t most            # what all that is worth at most
    int who[MAX_HAND]
    int at[MAX_HAND]


cdef void emit_climb(Search* s, const Climb* c) noexcept nogil:
    # The path goes on over tops that show, below its lowest new tile and above its last one.
    cdef int i, low, high
    cdef int sets = 1
    cdef uint64_t scored, group, bit
    if s.mode == COUNT:
        s.total += 1
        step(s)
        return
    low = c.who[0]
    high = c.who[c.count - 1]
    scored = c.path
    scored |= monotone_run(s, s.g.slot[s.hand[low]], c.at[0], c.placed)
    scored |= monotone_run(s, s.g.slot[s.hand[high]], c.at[c.count - 1], c.placed)
    for i in range(c.count):
        bit = ONE << c.at[i]
        if s.hot_group[c.who[i]] & bit:
            group = group_of(s, c.who[i], c.at[i], c.placed)
            if group != bit:
                sets += 1
                scored |= group
    emit(s, c.tiles, c.squares, c.count, counts_of(s, scored, sets, c.placed, c.count, c.own))


cdef void climb(Search* s, Climb* c, int i, int square) noexcept nogil:
    # The hand's tile i is laid on `square` as the highest of the run so far; then the next one of the hand.
    cdef const Geometry* g = s.g
    cdef uint64_t path = c.path
    cdef uint64_t placed = c.placed
    cdef uint64_t tiles = c.tiles
    cdef uint64_t squares = c.squares
    cdef uint64_t bit, left
    cdef int own = c.own
    cdef int depth = c.count
    cdef int at = square
    cdef int k, q
    cdef int j = s.after[i]
    cdef int64_t most = c.most
    cdef int64_t held = 0
    cdef int low = 0
    if s.pruned:
        most += s.laid[square] + s.held[i]
        if s.hot_group[i] >> square & 1:
            most += s.more_group[i][square]
        low = c.who[0] if depth else i
        if too_little(
            s, most + s.below[low] + s.ahead[i], c.tiles | (<uint64_t> s.hand[i] << (8 * depth)), depth + 1
        ):
            return
    c.who[depth] = i
    c.at[depth] = square
    c.placed |= ONE << square
    c.path |= ONE << square
    c.tiles |= <uint64_t> s.hand[i] << (8 * depth)
    c.squares |= <uint64_t> square << (8 * depth)
    c.own += s.own[i]
    c.count += 1
    if c.count >= 2:
        if s.pruned and too_little(s, most + s.below[low] + s.above[i], c.tiles, c.count):
            step(s)
        else:
            emit_climb(s, c)
    if j >= 0:
        # Numbers between the two show on the board: each must be linked, and may not be covered.
        for k in range(g.slot[s.hand[i]] + 1, g.slot[s.hand[j]]):
            bit = ONE << s.where[k]
            if not (g.adjacent[at] & bit & ~c.placed):
                at = -1
                break
            c.path |= bit
            at = s.where[k]
            most += s.scored[at]
        if at >= 0:
            held = c.most
            c.most = most
            left = g.adjacent[at] & s.open & ~c.path
            while left and not s.stop:
                q = lowest_bit(left)
                left &= left - 1
                climb(s, c, j, q)
            c.most = held
    c.path = path
    c.placed = placed
    c.tiles = tiles
    c.squares = squares
    c.own = own
    c.count = depth


cdef void plays_of_one_suit(Search* s) noexcept nogil:
    cdef Climb c
    cdef Growth w
    cdef int i, j, k
    cdef uint64_t left
    memset(&c, 0, sizeof(Climb))
    for i in range(s.hand_count):
        if s.after[i] < 0:
            continue
        if not s.g.block:
            if s.pruned and too_little(
                s, s.below[i] + s.best_laid + s.held[i] + s.most_group[i] + s.ahead[i], s.hand[i], 1
            ):
                continue
            k = s.where[s.g.slot[s.hand[i]] + 1]
            left = s.open & (s.g.adjacent[k] if k >= 0 else ALL)
            while left and not s.stop:
                climb(s, &c, i, lowest_bit(left))
                left &= left - 1
            continue
        w.run = True
        w.first = i
        w.fixed = 0
        w.most = 1
        j = i
        while s.after[j] >= 0 and not s.stop:
            for k in range(s.g.slot[s.hand[j]] + 1, s.g.slot[s.hand[s.after[j]]]):
                w.fixed |= ONE << s.where[k]
            j = s.after[j]
            w.last = j
            w.most += 1
            w.fewest = w.most
            w.joint = w.fixed
            k = s.g.slot[s.hand[i]] - 1
            while s.where[k] >= 0:
                w.joint |= ONE << s.where[k]
                k -= 1
            k = s.g.slot[s.hand[j]] + 1
            while s.where[k] >= 0:
                w.joint |= ONE << s.where[k]
                k += 1
            w.open = s.open & ~w.fixed
            grow(s, &w, 0, 0, 0, w.open, 0)
