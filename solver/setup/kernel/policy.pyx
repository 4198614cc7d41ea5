# distutils: extra_compile_args = -ffp-contract=off
# Every machine plays the same games: no multiply-add that skips the rounding of the product.
"""How somebody plays: read from its description; the best plays by its weights, and plays that win at once."""

from libc.stdint cimport int64_t, uint8_t

from .board cimport MAX_HAND, SEAT_COUNT, Geometry, Record
from .bounds cimport set_style
from .plays cimport enumerate_plays
from .race cimport Course, Race, forget_who_played, lay_down, winner
from .work cimport BEST, STYLE_COUNT, Best, Search, load_board, load_hand

cdef enum:
    MAX_WEIGHT = 100_000


cdef int find_best(const Geometry* g, const Course* c, const Policy* p, const Race* r, Search* s, Best* best,
                   int wanted, int64_t least) noexcept nogil:
    # The best plays of who is to move by the policy's weights, if positive of at least this value; their number. The
    # kernel leaves his own bonus out.
    load_board(s, g, r.tops)
    return find_loaded(c, p, r, s, best, wanted, least)


cdef int find_loaded(const Course* c, const Policy* p, const Race* r, Search* s, Best* best, int wanted,
                     int64_t least) noexcept nogil:
    # The same where the board is loaded.
    cdef uint8_t hand[MAX_HAND]
    cdef uint8_t own[MAX_HAND]
    cdef int i
    cdef int held = 0
    for i in range(r.rack_count[r.mover]):
        hand[held] = r.rack[r.mover][i]
        own[held] = 1
        held += 1
    for i in range(r.common_count):
        hand[held] = r.common[i]
        own[held] = 0
        held += 1
    load_hand(s, hand, own, held, r.mover)
    s.mode = BEST
    s.deadline = p.deadline
    s.best = best
    s.best_wanted = wanted
    s.least = least
    s.plain = p.plain
    s.weights[0] = p.point
    for i in range(SEAT_COUNT):
        s.weights[i + 1] = p.opponent
    if c.teams:
        i = (r.mover + 2) % SEAT_COUNT
        s.weights[i + 1] = p.partner
        s.given ^= 1 << i
    if p.styled:
        set_style(s, p.style)
    enumerate_plays(s)
    return s.best_count


cdef bint wins_at_once(const Geometry* g, const Course* c, const Policy* p, const Race* r, Search* s,
                       Record* record) noexcept nogil:
    # Whether one of the plays with the most points ends the game with a win; the first such play. Without his own pawn
    # at home nobody wins.
    cdef Best best[MAX_CANDIDATES]
    cdef Policy points
    cdef Race after
    cdef int i, won, count
    cdef int missing = c.finish - r.score[r.mover]
    # No play brings more: each square counts once, and each new tile once more where more sets count more.
    if missing > g.squares + MAX_HAND:
        return False
    points = p[0]
    points.point = 1
    points.opponent = 0
    points.partner = 0
    points.styled = False
    count = find_best(g, c, &points, r, s, best, MAX_CANDIDATES, missing)
    if s.stop:
        return False
    for i in range(count):
        after = r[0]
        forget_who_played(&after)
        lay_down(&after, &best[i].record)
        won = winner(c, &after, False)
        if won >= 0 and (won == r.mover or (c.teams and (won - r.mover) % 2 == 0)):
            record[0] = best[i].record
            return True
    return False


cdef int read_policy(Policy* p, description) except -1:
    # (kind, (a point, an opponent's and a partner's bonus point), style, ties in plain order, wins first, candidates,
    # terms, lines, deals, plies, prior, spread, what being to move is worth)
    cdef int i
    (kind, weights, style, plain, wins, wanted, terms, lines, deals, plies, prior, spread, to_move) = description
    if len(weights) != 3 or len(style) != STYLE_COUNT or len(terms) != TERMS:
        raise ValueError("policy: weights, style or terms have the wrong length")
    for value in (*weights, *style, *terms):
        if not -MAX_WEIGHT <= value <= MAX_WEIGHT:
            raise ValueError(f"policy: weight {value} is not from -{MAX_WEIGHT} to {MAX_WEIGHT}")
    if not RANDOM <= kind <= LOOKAHEAD:
        raise ValueError(f"policy: kind {kind} does not exist")
    p.kind = kind
    p.point, p.opponent, p.partner = weights
    p.styled = False
    for i in range(STYLE_COUNT):
        p.style[i] = style[i]
        p.styled |= style[i] != 0
    for i in range(TERMS):
        p.terms[i] = terms[i]
    if not (1 <= wanted <= MAX_CANDIDATES and 1 <= lines <= MAX_CANDIDATES):
        raise ValueError(f"policy: candidates {wanted} or lines {lines} are not from 1 to {MAX_CANDIDATES}")
    if not (0 <= deals <= 1 << 20 and 0 <= plies <= 64):
        raise ValueError(f"policy: deals {deals} or plies {plies} are out of range")
    if not (0 <= prior <= 1e6 and 0.01 <= spread <= 1e3 and 0 <= to_move <= 1e3):
        raise ValueError(f"policy: prior {prior}, spread {spread} or to_move {to_move} are out of range")
    p.plain = plain
    p.wins = wins
    p.wanted = wanted
    p.lines = lines
    p.deals = deals
    p.plies = plies
    p.prior = prior
    p.spread = spread
    p.to_move = to_move
    p.deadline = 0
    return 0
