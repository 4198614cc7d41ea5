"""Plays of several tiles of one number: sets of squares that lie in one component, each grown once."""

from libc.stdint cimport int64_t, uint64_t

from .board cimport component, spread
from .bounds cimport most_of, too_little
from .laying cimport Growth, lay
from .work cimport Search, step


cdef void grow(Search* s, Growth* w, uint64_t placed, int count, uint64_t closed, uint64_t border,
               uint64_t barred) noexcept nogil:
    # All sets of squares that extend `placed` without `barred` and lie in one component; `closed` is what is connected
    # so far, `border` the squares that may come next. Barring each of them after its turn makes every set come once.
    cdef uint64_t bit, wider
    while border and not s.stop:
        bit = border & (~border + 1)
        if s.pruned and not placed and not w.run:
            # Where new tiles join anything comes first; sets of other squares alone may be worth too little.
            if border & w.hot:
                bit = border & w.hot
                bit &= ~bit + 1
            elif too_little(s, w.plain, s.hand[w.first], 1):
                return
        border ^= bit
        barred |= bit
        step(s)
        wider = closed | component(s.g, bit, w.joint | bit)
        if count + 1 >= w.fewest:
            lay(s, w, placed | bit, count + 1, wider)
        if count + 1 < w.most:
            grow(s, w, placed | bit, count + 1, wider, w.open & (wider | spread(s.g, wider)) & ~barred, barred)


cdef bint worth_growing(const Search* s, Growth* w) noexcept nogil:
    # Whether any play of several of these tiles could reach the floor; fills the bounds of `w`.
    cdef int64_t best, all_runs
    cdef int i
    w.held = s.held[w.first]
    w.hot = s.hot_group[w.first]
    all_runs = 0
    for i in range(w.first, w.last + 1):
        w.held = max(w.held, s.held[i])
        w.hot |= s.hot_run[i]
        all_runs += s.most_run[i]
    best = s.best_laid + w.held
    w.plain = max(2 * best, w.most * best)
    return not too_little(s, w.plain + all_runs + most_of(s, w.joint), s.hand[w.first], 1)


cdef void plays_of_one_number(Search* s) noexcept nogil:
    cdef Growth w
    cdef int first = 0
    cdef int last
    w.run = False
    w.fixed = 0
    w.fewest = 2
    while first < s.hand_count and not s.stop:
        last = first
        while last + 1 < s.hand_count and s.g.number[s.hand[last + 1]] == s.g.number[s.hand[first]]:
            last += 1
        if last > first:
            w.first = first
            w.last = last
            w.most = last - first + 1
            w.joint = s.shown[s.g.number[s.hand[first]]]
            w.open = s.open
            if not s.pruned or worth_growing(s, &w):
                grow(s, &w, 0, 0, 0, s.open, 0)
        first = last + 1
