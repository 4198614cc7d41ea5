# distutils: extra_compile_args = -ffp-contract=off
# Every machine plays the same games: no multiply-add that skips the rounding of the product.
"""Who wins from here: a model of it, and what the mean of some deals says beside an evaluation."""

from libc.math cimport ldexp, sqrt

from .board cimport SEAT_COUNT
from .policy cimport Policy
from .race cimport Course, Race, winner

# Of the exponential: e to more is no double; the terms that its series needs below log 2.
cdef double LARGEST_POWER = 700
cdef double LOG_2 = 0.6931471805599453
cdef enum:
    EXPONENTIAL_TERMS = 18


cdef double exponential(double x) noexcept nogil:
    # e to the x by plain arithmetic: libraries differ in the last bit, and equal games are promised on every machine.
    cdef double sum = 1
    cdef double rest
    cdef int halvings, i
    x = min(max(x, -LARGEST_POWER), LARGEST_POWER)
    halvings = <int> (x / LOG_2)
    rest = x - halvings * LOG_2
    for i in range(EXPONENTIAL_TERMS, 0, -1):
        sum = 1 + sum * rest / i
    return ldexp(sum, halvings)


cdef double win_chance(const Course* c, const Policy* p, const Race* r, int seat) noexcept nogil:
    # A model of who wins from here. Each pawn has a strength, its steps and what being soon to move is worth, against
    # the way that is left; the chance is its share of all. The last pawn of the teams loses: the slower one counts.
    cdef int highest = 0
    cdef int behind = 0
    cdef int i, at
    cdef double scale, steps
    cdef double mine = 0
    cdef double all_strength = 0
    cdef double strength[SEAT_COUNT]
    for i in range(SEAT_COUNT):
        if c.seated >> i & 1:
            highest = max(highest, r.score[i])
    if c.teams:
        highest = max(min(r.score[0], r.score[2]), min(r.score[1], r.score[3]))
    highest = min(highest, c.finish)
    scale = p.spread * sqrt(c.finish - highest + 2.0)
    for i in range(SEAT_COUNT):
        at = (r.mover + i) % SEAT_COUNT
        if not c.seated >> at & 1:
            continue
        if c.teams:
            if i > 1:
                break
            steps = min(r.score[at], r.score[(at + 2) % SEAT_COUNT]) + (p.to_move if i == 0 else 0)
        else:
            steps = r.score[at] + p.to_move * (1 - <double> behind / (c.players - 1))
        strength[behind] = exponential((steps - highest) / scale)
        all_strength += strength[behind]
        if at == seat or (c.teams and (at - seat) % 2 == 0):
            mine = strength[behind]
        behind += 1
    return mine / all_strength


cdef double outcome_for(const Course* c, const Policy* p, const Race* r, int seat) noexcept nogil:
    # 1 or 0 where the game is over, else the model's chance.
    cdef int won = winner(c, r, False)
    if won < 0:
        return win_chance(c, p, r, seat)
    return won == seat or (c.teams and (won - seat) % 2 == 0)


cdef double lead_of(const Course* c, const Race* r, int seat) noexcept nogil:
    # Steps before the mean of the opponents, with teams the team's mean.
    cdef double ours = 0
    cdef double theirs = 0
    cdef int i
    for i in range(SEAT_COUNT):
        if c.seated >> i & 1:
            if i == seat or (c.teams and (i - seat) % 2 == 0):
                ours += r.score[i]
            else:
                theirs += r.score[i]
    return ours / (2 if c.teams else 1) - theirs / (2 if c.teams else c.players - 1)


cdef double drawn_in(const Course* c, const Policy* p, const Race* r, double mean, int deals,
                     double behind) noexcept nogil:
    # The mean of the deals, drawn towards the evaluation: `behind`, in points behind the best, as a chance by the slope
    # of the win model at its middle.
    cdef int highest = 0
    cdef int i
    if p.prior <= 0:
        return mean
    for i in range(SEAT_COUNT):
        highest = max(highest, r.score[i])
    highest = min(highest, c.finish)
    return (deals * mean + p.prior * (0.5 - behind / (4.0 * p.spread * sqrt(c.finish - highest + 2.0)))) / (
        deals + p.prior
    )
