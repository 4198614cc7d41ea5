# distutils: extra_compile_args = -ffp-contract=off
# Every machine plays the same games: no multiply-add that skips the rounding of the product.
"""Whole games of Setup without Python objects: drawing, playing, choosing, and what a player sees.

A policy is how a seat plays; its description is a tuple (see `read_policy` and solver/setup/policies.py). Everything
that a policy looks at comes from `conceal`, which keeps what the mover can see in one canonical order, so that the
same position gives the same choice whether it comes from a running game or from a Position.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from libc.math cimport ldexp, sqrt
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from solver.streams cimport stream_below, stream_word

from .plays cimport (
    BEST,
    COLLECT,
    COUNT,
    FULL,
    GOING,
    KEY_SHIFT,
    MAX_HAND,
    NO_TILE,
    OWN_SHIFT,
    PLACED_SHIFT,
    STYLE_COUNT,
    STYLE_UNIT,
    Best,
    Geometry,
    Record,
    Search,
    best_of_ones,
    enumerate_plays,
    load,
    load_board,
    load_hand,
    monotonic_now,
    poll,
    raise_stop,
    set_style,
)

cdef enum:
    # Words of the stream that one deal of a lookahead may use.
    SAMPLE_WORDS = 4096
    MAX_CANDIDATES = 64
    POLL_DEALS = 16
    POLL_TURNS = 64
    MAX_WEIGHT = 100_000
    # Points of one play that an evaluation tells apart.
    MAX_VALUE = 64
    MOST_PLAYS = 1 << 31
    TERMS = 14
    # Words of the draws of a game: who starts, then a block of words each time that the bag is mixed.
    FIRST_WORD = 0
    MIX_WORD = 1

# Of the exponential: e to more is no double; the terms that its series needs below log 2.
cdef double LARGEST_POWER = 700
cdef double LOG_2 = 0.6931471805599453
cdef enum:
    EXPONENTIAL_TERMS = 18

cdef enum:
    RANDOM = 0
    DIRECT = 1
    EVALUATION = 2
    LOOKAHEAD = 3

# What an evaluation looks at, each with a weight in points.
cdef enum:
    BONUS_NEXT = 0             # bonus of the next seat, of the other opponents, of a partner
    BONUS_LATER = 1
    BONUS_PARTNER = 2
    RACK_USED = 3
    COMMON_USED = 4
    ON_OWN = 5                 # tiles on own squares, newly filled own squares
    FILLED_OWN = 6
    FILLED = 7
    ON_COMMON = 8
    EXPOSED = 9                # expected best answer of the next seat, minus what it gives back; and its square
    EXPOSED_SQUARED = 10
    EXPOSED_LATER = 11         # the same for the opponents behind
    OWN_NEXT = 12              # the best play with what is left, and the expected one with what will be drawn
    OWN_EXPECTED = 13

# What the end of a game depends on.
cdef struct Course:
    int finish
    bint teams
    int seated
    int players

# How somebody plays.
cdef struct Policy:
    int kind
    int64_t point              # weights in thousandths: a point; a bonus point of an opponent, of a partner
    int64_t opponent
    int64_t partner
    int64_t style[STYLE_COUNT]
    bint styled
    bint plain                 # ties in the fixed order alone
    bint wins                  # a play that wins at once comes first
    int wanted                 # plays that an evaluation looks at: the best by the weights above
    double terms[TERMS]
    int lines                  # plays that a lookahead looks at: the best by the evaluation
    int deals
    int plies
    double prior               # deals that the evaluation is worth
    double spread              # of the win model: see win_chance
    double to_move
    double deadline            # when a search must end, 0 for never

cdef struct Choice:
    int swap                   # tiles of the rack in ascending order, as bits; 0 for a play
    Record record


cdef inline uint64_t next_word(Race* r) noexcept nogil:
    r.counter += 1
    return stream_word(r.key, r.counter)


cdef void shuffle(Race* r, uint8_t* tiles, int count) noexcept nogil:
    cdef int i, j
    cdef uint8_t held
    for i in range(count - 1, 0, -1):
        j = <int> stream_below(next_word(r), i + 1)
        held = tiles[i]
        tiles[i] = tiles[j]
        tiles[j] = held


cdef void mix(Race* r) noexcept nogil:
    # The bag in the order in which it is drawn from its end.
    cdef uint64_t words[MAX_TILES]
    cdef uint64_t word
    cdef int i, j
    cdef uint8_t tile
    if not r.drawn_by_word:
        shuffle(r, r.bag, r.bag_count)
        return
    for i in range(r.bag_count):
        tile = r.bag[i]
        word = stream_word(r.key, MIX_WORD + r.mixed * MAX_TILES + tile)
        j = i
        while j > 0 and (words[j - 1] < word or (words[j - 1] == word and r.bag[j - 1] < tile)):
            words[j] = words[j - 1]
            r.bag[j] = r.bag[j - 1]
            j -= 1
        words[j] = word
        r.bag[j] = tile


cdef void recycle(Race* r) noexcept nogil:
    # Whenever the bag is empty, all covered tiles go into it.
    if r.bag_count or not r.covered_count:
        return
    memcpy(r.bag, r.covered, r.covered_count)
    r.bag_count = r.covered_count
    r.covered_count = 0
    r.mixed += 1
    mix(r)


cdef inline uint8_t draw(Race* r) noexcept nogil:
    cdef uint8_t tile
    r.bag_count -= 1
    tile = r.bag[r.bag_count]
    recycle(r)
    return tile


cdef void refill(Race* r, int seat) noexcept nogil:
    recycle(r)
    while r.common_count < HALF_HAND and r.bag_count:
        r.common[r.common_count] = draw(r)
        r.common_count += 1
    while r.rack_count[seat] < HALF_HAND and r.bag_count:
        r.rack[seat][r.rack_count[seat]] = draw(r)
        r.rack_count[seat] += 1


cdef bint take(uint8_t* tiles, int* count, int tile) noexcept nogil:
    cdef int i
    for i in range(count[0]):
        if tiles[i] == tile:
            count[0] -= 1
            tiles[i] = tiles[count[0]]
            return True
    return False


cdef void sort_tiles(uint8_t* tiles, int count) noexcept nogil:
    cdef int i, j
    cdef uint8_t tile
    for i in range(1, count):
        tile = tiles[i]
        j = i
        while j > 0 and tiles[j - 1] > tile:
            tiles[j] = tiles[j - 1]
            j -= 1
        tiles[j] = tile


cdef inline bint is_home(const Course* c, const Race* r, int seat) noexcept nogil:
    return r.score[seat] >= c.finish


cdef void pass_on(const Course* c, Race* r) noexcept nogil:
    # The next seat clockwise; with teams, pawns that are home are left out.
    cdef int _
    for _ in range(SEAT_COUNT):
        r.mover = (r.mover + 1) % SEAT_COUNT
        if c.seated >> r.mover & 1 and not (c.teams and is_home(c, r, r.mover)):
            return


cdef void played_last(Race* r, int seat) noexcept nogil:
    cdef int i = 0
    while r.recent[i] != seat:
        i += 1
    while i > 0:
        r.recent[i] = r.recent[i - 1]
        i -= 1
    r.recent[0] = seat


cdef void lay_down(Race* r, const Record* record) noexcept nogil:
    # Tiles, stacks and points.
    cdef const uint8_t* tiles = <const uint8_t*> &record.tiles
    cdef const uint8_t* squares = <const uint8_t*> &record.squares
    cdef int count = <int> ((record.counts >> PLACED_SHIFT) & 255)
    cdef int i
    for i in range(count):
        if r.tops[squares[i]] != NO_TILE:
            r.covered[r.covered_count] = r.tops[squares[i]]
            r.covered_count += 1
        r.tops[squares[i]] = tiles[i]
        if not take(r.rack[r.mover], &r.rack_count[r.mover], tiles[i]):
            take(r.common, &r.common_count, tiles[i])
    for i in range(SEAT_COUNT):
        r.score[i] += <int> ((record.counts >> (8 * (i + 1))) & 255)
    r.score[r.mover] += <int> (record.counts & 255)
    r.idle = 0
    played_last(r, r.mover)


cdef void apply_play(const Course* c, Race* r, const Record* record) noexcept nogil:
    lay_down(r, record)
    refill(r, r.mover)
    pass_on(c, r)


cdef void swap_tiles(const Course* c, Race* r, int chosen) noexcept nogil:
    # Tiles of the sorted rack, as bits: set aside, as many drawn, then back into the bag. Where bag and covered tiles
    # are too few, the lowest ones stay.
    cdef uint8_t aside[HALF_HAND]
    cdef uint8_t stay[HALF_HAND]
    cdef int seat = r.mover
    cdef int there = r.bag_count + r.covered_count
    cdef int count = 0
    cdef int kept = 0
    cdef int i, skip
    sort_tiles(r.rack[seat], r.rack_count[seat])
    for i in range(r.rack_count[seat]):
        count += chosen >> i & 1
    skip = max(0, count - there)
    count = 0
    for i in range(r.rack_count[seat]):
        if chosen >> i & 1 and skip <= 0:
            aside[count] = r.rack[seat][i]
            count += 1
        else:
            skip -= chosen >> i & 1
            stay[kept] = r.rack[seat][i]
            kept += 1
    memcpy(r.rack[seat], stay, kept)
    recycle(r)
    for i in range(count):
        r.rack[seat][kept + i] = draw(r)
    r.rack_count[seat] = kept + count
    if count:
        for i in range(count):
            r.bag[r.bag_count] = aside[i]
            r.bag_count += 1
        r.mixed += 1
        mix(r)
    r.idle += 1
    pass_on(c, r)


cdef int winner(const Course* c, const Race* r, bint ended) noexcept nogil:
    # The seat that has won, with teams one of the winning team, or -1 while the game goes on. ended: it does not.
    cdef int best = -1
    cdef int last = -1
    cdef int home = 0
    cdef int i, seat
    for seat in range(SEAT_COUNT):
        if c.seated >> seat & 1:
            home += is_home(c, r, seat)
    if not ended and home < (c.players - 1 if c.teams else 1):
        return -1
    # Ranked by steps, tied ones by who played tiles last.
    for i in range(SEAT_COUNT):
        seat = r.recent[i]
        if c.seated >> seat & 1:
            if best < 0 or r.score[seat] > r.score[best]:
                best = seat
            if last < 0 or r.score[seat] <= r.score[last]:
                last = seat
    return (last + 1) % SEAT_COUNT if c.teams else best


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


cdef int find_best(const Geometry* g, const Course* c, const Policy* p, const Race* r, Search* s, Best* best,
                   int wanted, int64_t least = 0) noexcept nogil:
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
        lay_down(&after, &best[i].record)
        won = winner(c, &after, False)
        if won >= 0 and (won == r.mover or (c.teams and (won - r.mover) % 2 == 0)):
            record[0] = best[i].record
            return True
    return False


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


cdef void run_on(const Geometry* g, const Course* c, const Policy* p, Race* r, Search* s, int plies) noexcept nogil:
    cdef Best best
    while plies > 0 and winner(c, r, False) < 0:
        plies -= 1
        if find_best(g, c, p, r, s, &best, 1) and not s.stop:
            apply_play(c, r, &best.record)
        elif s.stop:
            return
        else:
            swap_tiles(c, r, (1 << r.rack_count[r.mover]) - 1)


cdef void deal(Race* r, const Course* c, uint8_t* unseen, int count) noexcept nogil:
    # The unseen tiles to the other racks, clockwise from the mover, and the rest into the bag.
    cdef int i, seat
    for i in range(1, SEAT_COUNT):
        seat = (r.mover + i) % SEAT_COUNT
        if c.seated >> seat & 1:
            r.rack_count[seat] = min(HALF_HAND, count)
            count -= r.rack_count[seat]
            memcpy(r.rack[seat], unseen + count, r.rack_count[seat])
    memcpy(r.bag, unseen, count)
    r.bag_count = count


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


cdef int weigh(const Geometry* g, const Course* c, const Policy* p, const Race* known, const uint8_t* unseen,
               int unseen_count, Search* s, Best* best, double* values, int* order) noexcept nogil:
    # The plays that the policy looks at, by its weights; their number. values: what the evaluation says of each, or the
    # weights where it has none; order: from the best to the worst of these.
    cdef int i, j
    cdef int count = find_best(g, c, p, known, s, best, p.wanted)
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


cdef void pick_any(const Geometry* g, const Course* c, const Race* r, uint64_t key, Search* s,
                   Choice* choice) noexcept nogil:
    # Any play or swap, each with the same chance (where there are more than MOST_PLAYS plays, any of the first ones).
    cdef uint8_t hand[MAX_HAND]
    cdef uint8_t own[MAX_HAND]
    cdef int rack = r.rack_count[r.mover]
    cdef int i
    cdef uint64_t plays, at
    for i in range(rack):
        hand[i] = r.rack[r.mover][i]
        own[i] = 1
    for i in range(r.common_count):
        hand[rack + i] = r.common[i]
        own[rack + i] = 0
    load(s, g, r.tops, hand, own, rack + r.common_count, r.mover)
    s.mode = COUNT
    enumerate_plays(s)
    if s.stop:
        return
    plays = min(s.total, <uint64_t> MOST_PLAYS)
    at = stream_below(stream_word(key, 0), plays + (1 << rack) - 1)
    if at < plays:
        load(s, g, r.tops, hand, own, rack + r.common_count, r.mover)
        s.mode = COLLECT
        s.records = &choice.record
        s.capacity = 1
        s.limit = 1
        s.skip = at
        choice.swap = 0
        enumerate_plays(s)
        # One record is all that is wanted: full is fine.
        s.stop = GOING if s.stop == FULL else s.stop
        return
    choice.swap = <int> (at - plays) + 1


cdef void conceal(const Course* c, const Geometry* g, const Race* r, Race* known, uint8_t* unseen,
                  int* unseen_count) noexcept nogil:
    # What the mover knows, in canonical order: the others' racks and the bag are unseen tiles.
    cdef bint seen[MAX_TILES]
    cdef int i, seat
    known[0] = r[0]
    memset(seen, 0, sizeof(seen))
    for i in range(g.squares):
        if r.tops[i] != NO_TILE:
            seen[r.tops[i]] = True
    for i in range(r.covered_count):
        seen[r.covered[i]] = True
    for i in range(r.common_count):
        seen[r.common[i]] = True
    for i in range(r.rack_count[r.mover]):
        seen[r.rack[r.mover][i]] = True
    unseen_count[0] = 0
    for i in range(g.tiles):
        if not seen[i]:
            unseen[unseen_count[0]] = <uint8_t> i
            unseen_count[0] += 1
    sort_tiles(known.covered, known.covered_count)
    sort_tiles(known.common, known.common_count)
    sort_tiles(known.rack[r.mover], known.rack_count[r.mover])
    known.bag_count = 0
    for i in range(SEAT_COUNT):
        seat = (r.mover + SEAT_COUNT - 1 - i) % SEAT_COUNT
        # Who played last is no part of a position.
        known.recent[i] = seat
        if seat != r.mover:
            known.rack_count[seat] = 0
    known.idle = 0
    known.key = 0
    known.counter = 0
    known.drawn_by_word = False
    known.mixed = 0


cdef void decide(const Geometry* g, const Course* c, const Policy* p, const Race* r, uint64_t key, Search* s,
                 Choice* choice) noexcept nogil:
    # What the policy does; s.stop tells if it was stopped. Where nothing can be played, the whole rack is swapped.
    cdef Race known
    cdef uint8_t unseen[MAX_TILES]
    cdef Best best[MAX_CANDIDATES]
    cdef const Record* records[MAX_CANDIDATES]
    cdef double values[MAX_CANDIDATES]
    cdef double behind[MAX_CANDIDATES]
    cdef int order[MAX_CANDIDATES]
    cdef int i, count, unseen_count
    choice.swap = 0
    if p.kind == RANDOM:
        pick_any(g, c, r, key, s, choice)
        return
    if p.wins and wins_at_once(g, c, p, r, s, &choice.record):
        return
    if s.stop:
        return
    if p.kind == DIRECT:
        count = find_best(g, c, p, r, s, best, 1)
    else:
        conceal(c, g, r, &known, unseen, &unseen_count)
        count = weigh(g, c, p, &known, unseen, unseen_count, s, best, values, order)
    if s.stop:
        return
    if not count:
        choice.swap = (1 << r.rack_count[r.mover]) - 1
        return
    if p.kind == DIRECT:
        choice.record = best[0].record
        return
    count = min(count, p.lines)
    if p.kind == EVALUATION or count <= 1 or not p.deals:
        choice.record = best[order[0]].record
        return
    for i in range(count):
        records[i] = &best[order[i]].record
        behind[i] = values[order[0]] - values[order[i]]
    choice.record = records[
        contest(g, c, p, &known, unseen, unseen_count, records, behind, count, key, s)
    ][0]


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


cdef int read_course(Course* c, int finish, bint teams, int seated) except -1:
    if not 0 < finish <= 1 << 30 or not 0 < seated < 1 << SEAT_COUNT:
        raise ValueError(f"finish {finish} or seated {seated} is out of range")
    cdef int i
    c.finish = finish
    c.teams = teams
    c.seated = seated
    c.players = 0
    for i in range(SEAT_COUNT):
        c.players += seated >> i & 1
    if c.players < 2 or (teams and c.players != SEAT_COUNT):
        raise ValueError(f"seated: {seated} are too few players")
    return 0


cdef int read_race(Race* r, Plays plays, tops, rack, common, const unsigned char[::1] covered, int mover, scores,
                   uint8_t* unseen) except -1:
    # What is known into a race; the number of unseen tiles.
    cdef uint8_t hand[MAX_HAND]
    cdef uint8_t own[MAX_HAND]
    cdef uint8_t seen[MAX_TILES]
    cdef int i
    cdef int count = 0
    cdef int held = plays.read(tops, rack, common, mover, r.tops, hand, own)
    memset(seen, 0, sizeof(seen))
    for i in range(plays.g.squares):
        if r.tops[i] != NO_TILE:
            seen[r.tops[i]] = 1
    memset(r.rack_count, 0, sizeof(r.rack_count))
    r.common_count = 0
    for i in range(held):
        seen[hand[i]] = 1
        if own[i]:
            r.rack[mover][r.rack_count[mover]] = hand[i]
            r.rack_count[mover] += 1
        else:
            r.common[r.common_count] = hand[i]
            r.common_count += 1
    r.covered_count = 0
    for i in range(covered.shape[0]):
        if covered[i] >= plays.g.tiles or seen[covered[i]]:
            raise ValueError(f"covered: tile {covered[i]} does not exist or is there twice")
        seen[covered[i]] = 1
        r.covered[r.covered_count] = covered[i]
        r.covered_count += 1
    for i in range(plays.g.tiles):
        if not seen[i]:
            unseen[count] = <uint8_t> i
            count += 1
    for i in range(SEAT_COUNT):
        r.score[i] = min(max(<int> scores[i], 0), 1 << 30)
    r.mover = mover
    for i in range(SEAT_COUNT):
        r.recent[i] = (mover + SEAT_COUNT - 1 - i) % SEAT_COUNT
    r.idle = 0
    r.drawn_by_word = False
    r.mixed = 0
    r.bag_count = 0
    r.key = 0
    r.counter = 0
    return count


cdef int read_known(Course* c, Policy* p, Race* r, Plays plays, tops, rack, common, covered, int mover, scores,
                    int finish, bint teams, int seated, policy) except -1:
    cdef uint8_t unseen[MAX_TILES]
    read_course(c, finish, teams, seated)
    read_policy(p, policy)
    read_race(r, plays, tops, rack, common, covered, mover, scores, unseen)
    if not seated >> mover & 1:
        raise ValueError(f"mover: nobody sits at {mover}")
    return 0


def choose(Plays plays, const unsigned char[::1] tops, const unsigned char[::1] rack, const unsigned char[::1] common,
           const unsigned char[::1] covered, int mover, scores, int finish, bint teams, int seated, policy,
           unsigned long long key=0):
    """What a policy does: (the record of its play, 0), or (b"", tiles of the sorted rack that it swaps, as bits).

    policy: see `read_policy`. key: of the stream that all its randomness comes from. ValueError for bad arguments.
    """
    cdef Course c
    cdef Policy p
    cdef Race r
    cdef Search s
    cdef Choice choice
    read_known(&c, &p, &r, plays, tops, rack, common, covered, mover, scores, finish, teams, seated, policy)
    s.signal_at = 0
    s.watch = NULL
    s.census = False
    s.stop = GOING
    with nogil:
        decide(&plays.g, &c, &p, &r, key, &s, &choice)
    raise_stop(s.stop)
    if choice.swap or not rack.shape[0] + common.shape[0]:
        return b"", choice.swap
    return PyBytes_FromStringAndSize(<char*> &choice.record, sizeof(Record)), 0


def chances(Plays plays, const unsigned char[::1] tops, const unsigned char[::1] rack, const unsigned char[::1] common,
            const unsigned char[::1] covered, int mover, scores, int finish, bint teams, int seated, policy,
            unsigned long long key, double seconds=0, bint leads=False, watch=None):
    """The best candidates of a lookahead: (records, evaluations, means, deviations), best evaluation first.

    means: the chance to win, the mean over the deals drawn towards the evaluation; deviations: standard deviations over
    the deals. leads: the lead after the policy's plies instead, not drawn in. seconds: time limit, 0 for none
    (LimitReached). watch: a function that is called where Ctrl-C is looked for; what it raises ends the search.
    ValueError for bad arguments.
    """
    cdef Course c
    cdef Policy p
    cdef Race r, known
    cdef Search s
    cdef Best best[MAX_CANDIDATES]
    cdef const Record* records[MAX_CANDIDATES]
    cdef double values[MAX_CANDIDATES]
    cdef double sums[MAX_CANDIDATES]
    cdef double squares[MAX_CANDIDATES]
    cdef int order[MAX_CANDIDATES]
    cdef int lines[MAX_CANDIDATES]
    cdef uint8_t unseen[MAX_TILES]
    cdef int unseen_count, i
    cdef int count = 0
    cdef double mean
    cdef char* out
    read_known(&c, &p, &r, plays, tops, rack, common, covered, mover, scores, finish, teams, seated, policy)
    if seconds > 0:
        p.deadline = monotonic_now() + seconds
    s.signal_at = 0
    s.watch = NULL if watch is None else <PyObject*> watch
    s.census = False
    s.stop = GOING
    with nogil:
        conceal(&c, &plays.g, &r, &known, unseen, &unseen_count)
        count = weigh(&plays.g, &c, &p, &known, unseen, unseen_count, &s, best, values, order)
        if not s.stop:
            count = min(count, p.lines)
            for i in range(count):
                records[i] = &best[order[i]].record
                lines[i] = i
                sums[i] = 0
                squares[i] = 0
            judge(
                &plays.g, &c, &p, &known, unseen, unseen_count, records, lines, count, 0, p.deals, key, leads, &s,
                sums, squares,
            )
    raise_stop(s.stop)
    found = PyBytes_FromStringAndSize(NULL, count * sizeof(Record))
    out = found
    evaluations, means, deviations = [], [], []
    for i in range(count):
        memcpy(out + i * sizeof(Record), records[i], sizeof(Record))
        evaluations.append(values[order[i]])
        if p.deals:
            mean = sums[i] / p.deals
            deviations.append(sqrt(max(0.0, squares[i] / p.deals - mean * mean)))
            if not leads:
                mean = drawn_in(&c, &p, &known, mean, p.deals, values[order[0]] - values[order[i]])
            means.append(mean)
    return found, evaluations, means, deviations


def terms(Plays plays, const unsigned char[::1] tops, const unsigned char[::1] rack, const unsigned char[::1] common,
          const unsigned char[::1] covered, int mover, scores, int finish, bint teams, int seated, policy,
          const unsigned char[::1] records):
    """What an evaluation looks at in each of the plays (24 bytes each): a list of TERMS numbers a play.

    ValueError for bad arguments.
    """
    cdef Course c
    cdef Policy p
    cdef Race r, known
    cdef Search s
    cdef Record record
    cdef uint8_t unseen[MAX_TILES]
    cdef double found[TERMS]
    cdef int unseen_count, i, j, count
    read_known(&c, &p, &r, plays, tops, rack, common, covered, mover, scores, finish, teams, seated, policy)
    if records.shape[0] % sizeof(Record):
        raise ValueError("records: 24 bytes each")
    count = <int> (records.shape[0] // <Py_ssize_t> sizeof(Record))
    conceal(&c, &plays.g, &r, &known, unseen, &unseen_count)
    s.signal_at = 0
    s.watch = NULL
    s.census = False
    rows = []
    for i in range(count):
        memcpy(&record, &records[i * <int> sizeof(Record)], sizeof(Record))
        j = <int> ((record.counts >> PLACED_SHIFT) & 255)
        if j > MAX_HAND:
            raise ValueError("records: too many tiles in a play")
        for j in range(j):
            if (<uint8_t*> &record.squares)[j] >= plays.g.squares or (<uint8_t*> &record.tiles)[j] >= plays.g.tiles:
                raise ValueError("records: a tile or square does not exist")
        with nogil:
            look_at(&plays.g, &c, &p, &known, unseen, unseen_count, &record, &s, True, found)
        rows.append([found[j] for j in range(TERMS)])
    return rows


def play_many(Plays plays, int finish, bint teams, int seated, int first, starts, policies, keys, int idle_end,
              key_of=None, bint census=False):
    """Whole games: (results, turns, points, bonus given, swaps, most plays of a position, that position).

    first: the seat (0 to 3 of N E S W) that begins, -1 for random. starts: squares that get a tile at the start.
    policies: for each seat of N E S W, None for absent ones, as for `choose`. keys: of the draws, one a game.
    idle_end: swaps in a row that end a game. key_of(game, turn, seat): the key of a policy that needs one.
    census: count all plays of each position, which takes longer; else the last two are 0 and empty.
    results: for each game the scores by seat and the winners as bits. The largest position, known only where all
    policies compare all plays: (tops, rack, common, mover). ValueError for bad arguments.
    """
    cdef Policy p[SEAT_COUNT]
    cdef Course c
    cdef Race r, largest
    cdef Search s
    cdef Choice choice
    cdef uint8_t starts_at[MAX_SQUARES]
    cdef int seats[SEAT_COUNT]
    cdef long long played = 0
    cdef long long points = 0
    cdef long long bonus = 0
    cdef long long swaps = 0
    cdef uint64_t most_plays = 0
    cdef uint64_t draws, key
    cdef int game, i, seat, won, turn
    cdef int start_count = len(starts)
    cdef int since_poll = 0
    cdef bint keyed
    read_course(&c, finish, teams, seated)
    if not -1 <= first < SEAT_COUNT or (first >= 0 and not seated >> first & 1):
        raise ValueError(f"first: nobody sits at {first}")
    if start_count > plays.g.squares or not 0 < idle_end <= 1 << 20:
        raise ValueError("starts or idle_end: out of range")
    for i in range(start_count):
        if not 0 <= starts[i] < plays.g.squares:
            raise ValueError(f"starts: square {starts[i]} does not exist")
        starts_at[i] = starts[i]
    if plays.g.tiles < plays.g.squares + HALF_HAND * (1 + c.players):
        raise ValueError("tiles: too few for a game")
    seat = 0
    for i in range(SEAT_COUNT):
        if seated >> i & 1:
            read_policy(&p[i], policies[i])
            if (p[i].kind == RANDOM or p[i].kind == LOOKAHEAD) and key_of is None:
                raise ValueError("key_of: is needed by a policy")
            seats[seat] = i
            seat += 1
    results = []
    memset(&largest, 0, sizeof(Race))
    s.signal_at = 0
    s.watch = NULL
    s.census = census
    s.stop = GOING
    for game in range(len(keys)):
        draws = keys[game]
        with nogil:
            memset(&r, 0, sizeof(Race))
            memset(r.tops, NO_TILE, MAX_SQUARES)
            r.key = draws
            r.drawn_by_word = True
            r.bag_count = plays.g.tiles
            for i in range(plays.g.tiles):
                r.bag[i] = <uint8_t> i
            mix(&r)
            for i in range(start_count):
                r.tops[starts_at[i]] = draw(&r)
            # Racks first, then the common hand.
            r.common_count = HALF_HAND
            for i in range(c.players):
                refill(&r, seats[i])
            r.common_count = 0
            refill(&r, seats[0])
            r.mover = first
            if first < 0:
                r.mover = seats[stream_below(stream_word(r.key, FIRST_WORD), c.players)]
            for i in range(SEAT_COUNT):
                r.recent[i] = (r.mover + SEAT_COUNT - 1 - i) % SEAT_COUNT
            turn = 0
            won = -1
            while True:
                key = 0
                keyed = p[r.mover].kind == RANDOM or p[r.mover].kind == LOOKAHEAD
                if keyed:
                    with gil:
                        key = key_of(game, turn, r.mover)
                decide(&plays.g, &c, &p[r.mover], &r, key, &s, &choice)
                if s.stop:
                    break
                turn += 1
                if census and not keyed and s.total > most_plays:
                    most_plays = s.total
                    largest = r
                if choice.swap:
                    swaps += 1
                    swap_tiles(&c, &r, choice.swap)
                else:
                    points += <int> (choice.record.counts & 255)
                    for i in range(SEAT_COUNT):
                        bonus += <int> ((choice.record.counts >> (8 * (i + 1))) & 255)
                    apply_play(&c, &r, &choice.record)
                won = winner(&c, &r, r.idle >= idle_end)
                if won >= 0:
                    break
                since_poll += 1
                if since_poll >= POLL_TURNS:
                    since_poll = 0
                    s.deadline = 0
                    poll(&s)
                    if s.stop:
                        break
            played += turn
        raise_stop(s.stop)
        won = 1 << won
        if teams:
            won |= (won << 2 | won >> 2) & 15
        results.append(((r.score[0], r.score[1], r.score[2], r.score[3]), won))
    rack = bytes([largest.rack[largest.mover][i] for i in range(largest.rack_count[largest.mover])])
    common = bytes([largest.common[i] for i in range(largest.common_count)])
    tops = bytes([largest.tops[i] for i in range(plays.g.squares)])
    return results, played, points, bonus, swaps, most_plays, (tops, rack, common, largest.mover)
