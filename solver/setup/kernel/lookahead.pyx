# distutils: extra_compile_args = -ffp-contract=off
# Every machine plays the same games: no multiply-add that skips the rounding of the product.
"""Lookaheads: candidates played on for some plies in random deals of the hidden tiles."""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy

from .board cimport HALF_HAND, MAX_TILES, Geometry, Record
from .known cimport deal
from .policy cimport MAX_CANDIDATES, Policy, find_best
from .race cimport Course, Race, apply_play, shuffle, swap_tiles, winner
from .winning cimport drawn_in, lead_of, outcome_for
from .work cimport GOING, Best, Search, poll

cdef enum:
    # Words of the stream that one deal of a lookahead may use.
    SAMPLE_WORDS = 4096
    POLL_DEALS = 16


cdef void run_on(const Geometry* g, const Course* c, const Policy* p, Race* r, Search* s, int plies) noexcept nogil:
    cdef Best best
    while plies > 0 and winner(c, r, False) < 0:
        plies -= 1
        if find_best(g, c, p, r, s, &best, 1, 0) and not s.stop:
            apply_play(c, r, &best.record)
        elif s.stop:
            return
        else:
            swap_tiles(c, r, (1 << r.rack_count[r.mover]) - 1)


cdef int judge(const Geometry* g, const Course* c, const Policy* p, const Race* known, const uint8_t* unseen,
               int unseen_count, const Record* const* records, const int* lines, int count, int first, int deals,
               uint64_t key, bint leads, Search* s, double* sums, double* squares) noexcept nogil:
    # Adds the deals first .. first + deals - 1 to the sums of these lines: each candidate's chance to win, or the lead,
    # some plies later; 0, or why it stopped. All candidates see the same deals.
    cdef Race start, r
    cdef uint8_t mixed[MAX_TILES]
    cdef uint8_t order[MAX_TILES]
    # One shuffle serves several deals: each time the next tiles are the rack of the next player, so that over all of
    # them every unseen tile has been there once. The mean of such deals strays less than that of independent ones.
    cdef int turns = max(1, unseen_count // HALF_HAND)
    cdef int i, j, n
    cdef double value
    for n in range(first, first + deals):
        start = known[0]
        start.key = key
        if n == first or n % turns == 0:
            start.counter = <uint64_t> (n - n % turns) * SAMPLE_WORDS
            memcpy(mixed, unseen, unseen_count)
            shuffle(&start, mixed, unseen_count)
        start.counter = <uint64_t> n * SAMPLE_WORDS + MAX_TILES
        i = n % turns * HALF_HAND
        memcpy(order, mixed + i, unseen_count - i)
        memcpy(order + unseen_count - i, mixed, i)
        deal(&start, c, order, unseen_count)
        for j in range(count):
            r = start
            apply_play(c, &r, records[lines[j]])
            run_on(g, c, p, &r, s, p.plies)
            if s.stop:
                return s.stop
            value = lead_of(c, &r, known.mover) if leads else outcome_for(c, p, &r, known.mover)
            sums[lines[j]] += value
            squares[lines[j]] += value * value
        if n % POLL_DEALS == POLL_DEALS - 1:
            s.deadline = p.deadline
            poll(s)
            if s.stop:
                return s.stop
    return GOING


cdef int contest(const Geometry* g, const Course* c, const Policy* p, const Race* known, const uint8_t* unseen,
                 int unseen_count, const Record* const* records, const double* behind, int count, uint64_t key,
                 Search* s) noexcept nogil:
    # The candidate that wins the lookahead. Rounds of about the same work; after each the better half stays, so that
    # most deals go to the close ones (sequential halving: Z. Karnin, T. Koren, O. Somekh, "Almost optimal exploration
    # in multi-armed bandits", 2013). behind: how far each is behind the best in the evaluation.
    cdef int lines[MAX_CANDIDATES]
    cdef double values[MAX_CANDIDATES]
    cdef double sums[MAX_CANDIDATES]
    cdef double squares[MAX_CANDIDATES]
    cdef int rounds = 0
    cdef int done = 0
    cdef int i, j, k, deals, work
    while 1 << rounds < count:
        rounds += 1
    work = p.deals * count // rounds
    for i in range(count):
        lines[i] = i
        sums[i] = 0
        squares[i] = 0
    while count > 1:
        deals = max(1, work // count)
        if judge(
            g, c, p, known, unseen, unseen_count, records, lines, count, done, deals, key, False, s, sums, squares
        ):
            return 0
        done += deals
        for i in range(count):
            k = lines[i]
            values[k] = drawn_in(c, p, known, sums[k] / done, done, behind[k])
            j = i
            while j > 0 and values[lines[j - 1]] < values[k]:
                lines[j] = lines[j - 1]
                j -= 1
            lines[j] = k
        count = (count + 1) // 2
    return lines[0]
