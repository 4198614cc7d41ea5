# distutils: extra_compile_args = -ffp-contract=off
# Every machine plays the same games: no multiply-add that skips the rounding of the product.
"""Evaluations: what a play is worth in points by what it leaves to the next seats and to its own."""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memset

from .board cimport HALF_HAND, MAX_TILES, NO_TILE, OWN_SHIFT, PLACED_SHIFT, SEAT_COUNT, Geometry, Record
from .plays cimport enumerate_plays
from .policy cimport (
    BONUS_LATER, BONUS_NEXT, BONUS_PARTNER, COMMON_USED, EVALUATION, EXPOSED, EXPOSED_LATER, EXPOSED_SQUARED,
    FILLED, FILLED_OWN, LOOKAHEAD, ON_COMMON, ON_OWN, OWN_EXPECTED, OWN_NEXT, RACK_USED, TERMS, Policy, find_best,
    find_loaded,
)
from .race cimport Course, Race, is_home, lay_down, pass_on
from .singles cimport best_of_ones
from .work cimport BEST, KEY_SHIFT, STYLE_UNIT, Best, Search, load_board, load_hand

cdef enum:
    # Points of one play that an evaluation tells apart.
    MAX_VALUE = 64


cdef double expected_most(int least, const int* histogram, int count, int draws) noexcept nogil:
    # Expected maximum of `least` and of `draws` of `count` values, drawn without putting back.
    cdef double most = least
    cdef double none
    cdef int value, j
    cdef int below = 0
    draws = min(draws, count)
    for value in range(MAX_VALUE):
        below += histogram[value]
        if below == count:
            break
        if value >= least:
            none = 1
            for j in range(draws):
                none *= max(below - j, 0) / <double> (count - j)
            most += 1 - none
    return most


cdef double expected_of(int least, const int* most, int count, int seat, int draws) noexcept nogil:
    # The expected best of `least` and of one of the tiles that the seat draws, each with the most it can bring alone.
    cdef int histogram[MAX_VALUE]
    cdef int i
    memset(histogram, 0, sizeof(histogram))
    for i in range(count):
        histogram[min(most[SEAT_COUNT * i + seat], MAX_VALUE - 1)] += 1
    return expected_most(min(least, MAX_VALUE - 1), histogram, count, draws)


cdef double exposed(const Race* after, const int* bonus, const int* most, int unseen_count, int seat,
                    Search* s) noexcept nogil:
    # The expected best answer of `seat` on the loaded board: with the common tiles that are left, or with one tile that
    # he draws or holds; its points without the bonus that it gives to the mover and his partner.
    cdef uint8_t none[HALF_HAND]
    cdef Best best
    cdef int i, least
    memset(none, 0, sizeof(none))
    load_hand(s, after.common, none, after.common_count, seat)
    s.mode = BEST
    s.best = &best
    s.best_wanted = 1
    s.weights[0] = 1
    for i in range(SEAT_COUNT):
        s.weights[i + 1] = bonus[SEAT_COUNT * seat + i]
    enumerate_plays(s)
    least = <int> max(s.top_value, <int64_t> 0) if s.total else 0
    return expected_of(least, most, unseen_count, seat, 2 * HALF_HAND - after.common_count)


cdef void look_at(const Geometry* g, const Course* c, const Policy* p, const Race* known, const uint8_t* unseen,
                  int unseen_count, const Record* record, Search* s, bint everything, double* terms) noexcept nogil:
    # The terms of one play; those that cost time and have no weight are left out unless everything is asked for.
    cdef const uint8_t* squares = <const uint8_t*> &record.squares
    cdef Race after
    cdef Best best
    cdef uint64_t common = ~(g.owned[0] | g.owned[1] | g.owned[2] | g.owned[3])
    cdef uint64_t bit
    cdef int bonus[SEAT_COUNT * SEAT_COUNT]
    cdef int most[SEAT_COUNT * MAX_TILES]
    cdef double shown, sign
    cdef int mover = known.mover
    cdef int count = <int> ((record.counts >> PLACED_SHIFT) & 255)
    cdef int own = <int> ((record.counts >> OWN_SHIFT) & 255)
    cdef int seats = 0
    cdef int i, seat, given, least
    memset(terms, 0, TERMS * sizeof(double))
    after = known[0]
    lay_down(&after, record)
    terms[RACK_USED] = own
    terms[COMMON_USED] = count - own
    for i in range(count):
        bit = <uint64_t> 1 << squares[i]
        if g.owned[mover] & bit:
            terms[ON_OWN] += 1
            terms[FILLED_OWN] += known.tops[squares[i]] == NO_TILE
        terms[FILLED] += known.tops[squares[i]] == NO_TILE
        terms[ON_COMMON] += (common & bit) != 0
    pass_on(c, &after)
    memset(bonus, 0, sizeof(bonus))
    for seat in range(SEAT_COUNT):
        if not c.seated >> seat & 1:
            continue
        if seat == mover:
            if everything or p.terms[OWN_EXPECTED]:
                seats |= 1 << seat
        elif seat == after.mover:
            if everything or p.terms[EXPOSED] or p.terms[EXPOSED_SQUARED]:
                seats |= 1 << seat
        elif (everything or p.terms[EXPOSED_LATER]) and not (c.teams and is_home(c, &after, seat)):
            seats |= 1 << seat
        for i in range(SEAT_COUNT):
            # An answer's bonus counts against it for the mover's team only; in his own next play as in any.
            if seat == mover:
                bonus[SEAT_COUNT * seat + i] = 0 if i == mover else (1 if c.teams and (i - mover) % 2 == 0 else -1)
            elif i == mover or (c.teams and (i - mover) % 2 == 0):
                bonus[SEAT_COUNT * seat + i] = 0 if i == seat else -1
    load_board(s, g, after.tops)
    if seats:
        best_of_ones(s, unseen, unseen_count, seats, bonus, most)
    for i in range(1, SEAT_COUNT):
        seat = (mover + i) % SEAT_COUNT
        if not c.seated >> seat & 1:
            continue
        given = <int> ((record.counts >> (8 * (seat + 1))) & 255)
        if c.teams and i == 2:
            terms[BONUS_PARTNER] = given
        elif seat == after.mover:
            terms[BONUS_NEXT] = given
        else:
            terms[BONUS_LATER] += given
        if not seats >> seat & 1:
            continue
        sign = -1 if c.teams and i == 2 else 1
        shown = exposed(&after, bonus, most, unseen_count, seat, s)
        if seat == after.mover:
            terms[EXPOSED] = sign * shown
            terms[EXPOSED_SQUARED] = sign * shown * shown
        else:
            terms[EXPOSED_LATER] += sign * shown
    if everything or p.terms[OWN_NEXT] or p.terms[OWN_EXPECTED]:
        after.mover = mover
        find_loaded(c, p, &after, s, &best, 1, 0)
        least = <int> max(s.top_value // STYLE_UNIT, <int64_t> 0) if s.total else 0
        terms[OWN_NEXT] = max(s.top_value / <double> STYLE_UNIT, 0) if s.total else 0
        if everything or p.terms[OWN_EXPECTED]:
            terms[OWN_EXPECTED] = expected_of(least, most, unseen_count, mover, count)


cdef double evaluate(const Geometry* g, const Course* c, const Policy* p, const Race* known, const uint8_t* unseen,
                     int unseen_count, const Record* record, Search* s) noexcept nogil:
    # What a play is worth in points.
    cdef double terms[TERMS]
    cdef double value = <double> (record.counts & 255)
    cdef int i
    look_at(g, c, p, known, unseen, unseen_count, record, s, False, terms)
    for i in range(TERMS):
        value += p.terms[i] * terms[i]
    return value


cdef int weigh(const Geometry* g, const Course* c, const Policy* p, const Race* known, const uint8_t* unseen,
               int unseen_count, Search* s, Best* best, double* values, int* order) noexcept nogil:
    # The plays that the policy looks at, by its weights; their number. values: what the evaluation says of each, or the
    # weights where it has none; order: from the best to the worst of these.
    cdef int i, j
    cdef int count = find_best(g, c, p, known, s, best, p.wanted, 0)
    cdef int stop = s.stop
    for i in range(count):
        if stop:
            break
        if p.kind == EVALUATION or p.kind == LOOKAHEAD:
            values[i] = evaluate(g, c, p, known, unseen, unseen_count, &best[i].record, s)
            stop = s.stop
        else:
            values[i] = ((best[i].key + (1 << KEY_SHIFT) - 1) >> KEY_SHIFT) / <double> STYLE_UNIT
        j = i
        while j > 0 and values[order[j - 1]] < values[i]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i
    s.stop = stop
    return count
