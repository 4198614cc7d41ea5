"""All ways of laying tiles on a set of squares, but for sets on which no play can be good enough."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

from .board cimport ALL, BONUS_BYTES, ONE, OWN_SHIFT, PLACED_SHIFT, SEAT_COUNT, Record, lowest_bit
from .bounds cimport more_run_of, most_of, too_little
from .found cimport comes_before, emit
from .joins cimport block_run, group_of, run_of
from .work cimport BEST, BONUS_SHIFT, COUNT, KEY_SHIFT, MOST, Search, counts_of, step

cdef enum:
    # From so many tiles on, the ways of laying them are more than what a bound looks at.
    WORTH_A_BOUND = 3
    WAYS_FOR_A_BOUND = 6


cdef bint too_poor(Search* s, const Growth* w, uint64_t counts, uint64_t placed, int count,
                   uint64_t ways) noexcept nogil:
    # BEST: whether none of the equally good ways of laying tiles on a set of squares can enter the list, by the best
    # that any of them could be. If so, all are counted here.
    cdef Record bound
    cdef int64_t value = s.weights[0] * <int64_t> (counts & 255)
    cdef int64_t bonus = 0
    cdef int64_t key
    cdef int common = 0
    cdef int fewest
    cdef int i
    if s.best_count < s.best_wanted:
        return False
    if counts & BONUS_BYTES:
        for i in range(SEAT_COUNT):
            value += s.weights[i + 1] * <int64_t> ((counts >> (8 * (i + 1))) & 255)
            if s.given >> i & 1:
                bonus += <int64_t> ((counts >> (8 * (i + 1))) & 255)
    bound.tiles = ALL
    bound.squares = ALL
    bound.counts = counts
    for i in range(count):
        (<uint8_t*> &bound.tiles)[i] = s.hand[w.first + i]
        (<uint8_t*> &bound.squares)[i] = <uint8_t> lowest_bit(placed)
        if s.style != NULL:
            value += s.square_style[lowest_bit(placed)]
        placed &= placed - 1
    for i in range(w.first, w.last + 1):
        common += not s.own[i]
    fewest = max(0, count - common)
    if s.style != NULL:
        # As many tiles of the rack as suits the weights; ties are not counted.
        i = min(count, w.last - w.first + 1 - common) if s.style[0] > s.style[1] else fewest
        value += s.style[0] * i + s.style[1] * (count - i)
    key = value * (1 << KEY_SHIFT)
    if not s.plain:
        key -= bonus * (1 << BONUS_SHIFT) + fewest
    if key > s.best[s.best_count - 1].key:
        return False
    if key == s.best[s.best_count - 1].key and comes_before(&bound, &s.best[s.best_count - 1].record):
        return False
    if value == s.top_value:
        s.ties += ways
    s.total += ways
    step(s)
    return True


cdef uint64_t most_scored(const Search* s, const Growth* w, uint64_t scored, uint64_t placed) noexcept nogil:
    # All runs or groups that any of the tiles may have on any of the squares, taken together.
    cdef uint64_t left
    cdef int i, q
    for i in range(w.first, w.last + 1):
        if w.run and s.g.suit[s.hand[i]] != s.g.suit[s.hand[w.first]]:
            continue
        left = placed & (s.hot_group[i] if w.run else s.hot_run[i])
        while left:
            q = lowest_bit(left)
            left &= left - 1
            scored |= group_of(s, i, q, placed) if w.run else run_of(s, i, q, placed)
    return scored


cdef bint too_few_points(const Search* s, const Growth* w, uint64_t scored, uint64_t placed,
                         int count) noexcept nogil:
    # MOST: whether even all sets together score no more than what is known.
    scored = most_scored(s, w, scored, placed)
    return <int> (counts_of(s, scored, 1 + count, 0, count, 0) & 255) <= s.most


cdef bint too_low(Search* s, const Growth* w, uint64_t scored, uint64_t placed, int count,
                  uint64_t ways) noexcept nogil:
    # BEST: whether even all sets together, with no bonus given away and the tiles that suit the weights best, are worth
    # less than the last of the list. If so, all ways of laying are counted here.
    cdef int64_t value
    cdef int i
    if s.best_count < s.best_wanted:
        return False
    if not s.bounded:
        for i in range(SEAT_COUNT):
            if s.weights[i + 1] > 0:
                return False
    scored = most_scored(s, w, scored, placed)
    value = s.weights[0] * <int64_t> (counts_of(s, scored, 1 + count, 0, count, 0) & 255)
    if s.style != NULL:
        value += count * max(s.style[0], s.style[1])
        while placed:
            value += s.square_style[lowest_bit(placed)]
            placed &= placed - 1
    if value * (1 << KEY_SHIFT) >= s.best[s.best_count - 1].key or value == s.top_value:
        return False
    s.total += ways
    step(s)
    return True


cdef void lay_number(Search* s, const Growth* w, int depth, int first, uint64_t rest, uint64_t tiles,
                     uint64_t squares, uint64_t scored, int sets, int own, int64_t most) noexcept nogil:
    # Every way of laying `w.count` tiles of one number, in ascending order, on the squares of the set.
    cdef int i, q
    cdef uint64_t left, bit, run
    cdef int64_t more = 0
    if depth == w.count:
        emit(s, tiles, squares, depth, counts_of(s, scored, sets, w.placed, depth, own))
        return
    for i in range(first, w.last + 1 - (w.count - depth - 1)):
        left = rest
        while left and not s.stop:
            q = lowest_bit(left)
            bit = ONE << q
            left ^= bit
            if s.pruned:
                more = most + s.held[i] + more_run_of(s, i, q)
                if too_little(
                    s, more + (w.count - depth - 1) * w.held + w.rest[i + 1],
                    tiles | (<uint64_t> s.hand[i] << (8 * depth)), depth + 1,
                ):
                    continue
            run = run_of(s, i, q, w.placed) if s.hot_run[i] & bit else bit
            lay_number(
                s, w, depth + 1, i + 1, rest ^ bit,
                tiles | (<uint64_t> s.hand[i] << (8 * depth)), squares | (<uint64_t> q << (8 * depth)),
                scored | run, sets + (run != bit), own + s.own[i], more,
            )


cdef void lay_same(Search* s, const Growth* w, int depth, int first, uint64_t rest, uint64_t tiles,
                   uint64_t squares, uint64_t counts) noexcept nogil:
    # As lay_number, where no tile touches its suit: every way scores the same.
    cdef int i, q
    cdef uint64_t left, bit
    if depth == w.count:
        emit(s, tiles, squares, depth, counts)
        return
    for i in range(first, w.last + 1 - (w.count - depth - 1)):
        left = rest
        while left and not s.stop:
            q = lowest_bit(left)
            bit = ONE << q
            left ^= bit
            lay_same(
                s, w, depth + 1, i + 1, rest ^ bit,
                tiles | (<uint64_t> s.hand[i] << (8 * depth)), squares | (<uint64_t> q << (8 * depth)),
                counts + (<uint64_t> s.own[i] << OWN_SHIFT),
            )


cdef void lay_run(Search* s, const Growth* w, int depth, int i, uint64_t rest, uint64_t tiles, uint64_t squares,
                  uint64_t scored, int sets, int own) noexcept nogil:
    # Every way of laying the tiles i.. of a block on the squares of the set.
    cdef int q
    cdef uint64_t left = rest
    cdef uint64_t bit, group
    if depth == w.count:
        emit(s, tiles, squares, depth, counts_of(s, scored, sets, w.placed, depth, own))
        return
    while left and not s.stop:
        q = lowest_bit(left)
        bit = ONE << q
        left ^= bit
        group = group_of(s, i, q, w.placed) if s.hot_group[i] & bit else bit
        lay_run(
            s, w, depth + 1, s.after[i], rest ^ bit,
            tiles | (<uint64_t> s.hand[i] << (8 * depth)), squares | (<uint64_t> q << (8 * depth)),
            scored | group, sets + (group != bit), own + s.own[i],
        )


cdef inline int64_t most_of_set(const Search* s, uint64_t placed, uint64_t closed) noexcept nogil:
    # What a group is worth at most, with new tiles on `placed`, but for the tiles themselves and their runs.
    cdef int64_t value = most_of(s, closed ^ placed)
    while placed:
        value += s.laid[lowest_bit(placed)]
        placed &= placed - 1
    return value


cdef void lay_one_way(Search* s, int i, int j, int p, int q, uint64_t closed) noexcept nogil:
    # Two tiles of one number, i on p and j on q.
    cdef uint64_t placed = ONE << p | ONE << q
    cdef uint64_t scored = closed
    cdef uint64_t run
    cdef int sets = 1
    if s.hot_run[i] >> p & 1:
        run = run_of(s, i, p, placed)
        scored |= run
        sets += run != ONE << p
    if s.hot_run[j] >> q & 1:
        run = run_of(s, j, q, placed)
        scored |= run
        sets += run != ONE << q
    emit(
        s, <uint64_t> s.hand[i] | <uint64_t> s.hand[j] << 8, <uint64_t> p | <uint64_t> q << 8, 2,
        counts_of(s, scored, sets, placed, 2, s.own[i] + s.own[j]),
    )


cdef void lay_two(Search* s, const Growth* w, uint64_t placed, uint64_t closed, int64_t most) noexcept nogil:
    # Any two of the tiles on two squares, where the bounds allow it.
    cdef int p = lowest_bit(placed)
    cdef int q = lowest_bit(placed & (placed - 1))
    cdef int64_t both
    cdef uint64_t tiles
    cdef int i, j
    for i in range(w.first, w.last):
        for j in range(i + 1, w.last + 1):
            both = most + s.held[i] + s.held[j]
            tiles = <uint64_t> s.hand[i] | <uint64_t> s.hand[j] << 8
            if not too_little(s, both + more_run_of(s, i, p) + more_run_of(s, j, q), tiles, 2):
                lay_one_way(s, i, j, p, q, closed)
            if not too_little(s, both + more_run_of(s, i, q) + more_run_of(s, j, p), tiles, 2):
                lay_one_way(s, i, j, q, p, closed)


cdef bint cannot_enter(const Search* s, const Growth* w, int64_t most, uint64_t placed, int count) noexcept nogil:
    # Whether no play on a set of squares can enter the list, when `most` is the key of any of them at most.
    cdef Record first
    cdef int i
    if most != s.floor_key:
        return most < s.floor_key
    first.tiles = 0
    first.squares = 0
    first.counts = <uint64_t> count << PLACED_SHIFT
    for i in range(count):
        first.tiles |= <uint64_t> s.hand[w.first + i] << (8 * i)
        first.squares |= <uint64_t> lowest_bit(placed) << (8 * i)
        placed &= placed - 1
    return not comes_before(&first, &s.best[s.best_count - 1].record)


cdef void lay(Search* s, Growth* w, uint64_t placed, int count, uint64_t closed) noexcept nogil:
    # A set of squares is found: all plays on it.
    cdef uint64_t hot = 0
    cdef uint64_t scored = closed
    cdef uint64_t ways, counts, left
    cdef int64_t most = 0
    cdef int64_t more
    cdef int i
    if w.run:
        scored = block_run(
            s, s.g.slot[s.hand[w.first]], s.g.slot[s.hand[w.last]], placed | w.fixed, placed
        )
        if not scored:
            return
    ways = 1
    for i in range(count):
        ways *= (count if w.run else w.last - w.first + 1) - i
    if s.mode == COUNT:
        s.total += ways
        return
    if s.pruned and not w.run:
        most = most_of_set(s, placed, scored)
        w.rest[w.last + 1] = 0
        for i in range(w.last, w.first - 1, -1):
            more = 0
            left = s.hot_run[i] & placed
            while left:
                more = max(more, s.more_run[i][lowest_bit(left)])
                left &= left - 1
            w.rest[i] = w.rest[i + 1] + more
        if cannot_enter(s, w, most + count * w.held + w.rest[w.first], placed, count):
            return
        if count == 2:
            lay_two(s, w, placed, scored, most)
            return
    if s.mode == MOST and count >= WORTH_A_BOUND and too_few_points(s, w, scored, placed, count):
        return
    if s.mode == BEST and not s.pruned and ways >= WAYS_FOR_A_BOUND and too_low(s, w, scored, placed, count, ways):
        return
    w.placed = placed
    w.count = count
    if w.run:
        lay_run(s, w, 0, w.first, placed, 0, 0, scored, 1, 0)
        return
    for i in range(w.first, w.last + 1):
        hot |= s.hot_run[i]
    if placed & hot:
        lay_number(s, w, 0, w.first, placed, 0, 0, scored, 1, 0, most)
        return
    counts = counts_of(s, scored, 1, placed, count, 0)
    if s.mode == MOST:
        emit(s, 0, 0, count, counts)
    elif s.bounded and s.weights[0] * <int64_t> (counts & 255) < s.floor:
        s.total += ways
        step(s)
    elif s.mode != BEST or not too_poor(s, w, counts, placed, count, ways):
        lay_same(s, w, 0, w.first, placed, 0, 0, counts)
