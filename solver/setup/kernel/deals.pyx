"""What comes after a play of Setup: hidden tiles dealt at random, answers, short continuations, whole games.

A deal is a random order of the unseen tiles, drawn from the words of one stream (solver/streams.py): sample number n
uses its own words, so candidates are compared on the same deals, and any part of the samples can be had at any time.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.math cimport exp, sqrt
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from solver.streams cimport stream_below, stream_word

from .plays cimport (
    BEST,
    GOING,
    HALF_HAND,
    KEY_SHIFT,
    MAX_HAND,
    MAX_SQUARES,
    MAX_TILES,
    MOST,
    NO_TILE,
    PLACED_SHIFT,
    SEAT_COUNT,
    STYLE_COUNT,
    STYLE_UNIT,
    Best,
    Geometry,
    Plays,
    Record,
    Search,
    enumerate_plays,
    load,
    monotonic_now,
    poll,
    raise_stop,
)

cdef enum:
    # Words of the stream that one sample may use.
    SAMPLE_WORDS = 4096
    MAX_CANDIDATES = 64
    POLL_PLAYS = 64
    LONGEST_GAME = 4000
    MAX_WEIGHT = 100_000

# Spread of the final lead for each root of the steps that are left, and what being to move is worth in steps; both
# were fitted to games of two players.
cdef double SPREAD = 0.5
cdef double TO_MOVE = 2.0
# Deals that the evaluation without any deal is worth.
cdef double PRIOR_DEALS = 32.0

# A game as somebody sees it who knows everything. The bag is drawn from its end.
cdef struct Race:
    uint8_t tops[MAX_SQUARES]
    uint8_t covered[MAX_TILES]
    int covered_count
    uint8_t bag[MAX_TILES]
    int bag_count
    uint8_t rack[SEAT_COUNT][HALF_HAND]
    int rack_count[SEAT_COUNT]
    uint8_t common[HALF_HAND]
    int common_count
    int score[SEAT_COUNT]
    int mover
    int last_mover
    uint64_t key
    uint64_t counter

# What the end of a game depends on.
cdef struct Course:
    int finish
    bint teams
    int seated
    int players

# How somebody plays: weights as in keep_best, the number of deals of a lookahead (0: none).
cdef struct Player:
    int64_t point
    int64_t opponent           # a bonus point of an opponent, of a partner
    int64_t partner
    int64_t style[STYLE_COUNT]
    int deals
    int wanted
    int plies
    bint with_prior
    double deadline            # when a search must end, 0 for never


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


cdef int draw(Race* r) noexcept nogil:
    # The next tile of the bag, or -1. Whenever the bag is empty, all covered tiles go into it.
    cdef int tile
    if not r.bag_count:
        return -1
    r.bag_count -= 1
    tile = r.bag[r.bag_count]
    return tile


cdef void recycle(Race* r) noexcept nogil:
    if r.bag_count or not r.covered_count:
        return
    memcpy(r.bag, r.covered, r.covered_count)
    r.bag_count = r.covered_count
    r.covered_count = 0
    shuffle(r, r.bag, r.bag_count)


cdef void refill(Race* r, int seat) noexcept nogil:
    recycle(r)
    while r.common_count < HALF_HAND and r.bag_count:
        r.common[r.common_count] = <uint8_t> draw(r)
        r.common_count += 1
        recycle(r)
    while r.rack_count[seat] < HALF_HAND and r.bag_count:
        r.rack[seat][r.rack_count[seat]] = <uint8_t> draw(r)
        r.rack_count[seat] += 1
        recycle(r)


cdef bint take(uint8_t* tiles, int* count, int tile) noexcept nogil:
    cdef int i
    for i in range(count[0]):
        if tiles[i] == tile:
            count[0] -= 1
            tiles[i] = tiles[count[0]]
            return True
    return False


cdef inline bint is_home(const Course* c, const Race* r, int seat) noexcept nogil:
    return r.score[seat] >= c.finish


cdef void pass_on(const Course* c, Race* r) noexcept nogil:
    # The next seat clockwise; with teams, pawns that are home are left out.
    cdef int _
    r.last_mover = r.mover
    for _ in range(SEAT_COUNT):
        r.mover = (r.mover + 1) % SEAT_COUNT
        if c.seated >> r.mover & 1 and not (c.teams and is_home(c, r, r.mover)):
            return


cdef void apply_play(const Course* c, Race* r, const Record* record) noexcept nogil:
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
    refill(r, r.mover)
    pass_on(c, r)


cdef void swap_all(const Course* c, Race* r) noexcept nogil:
    # The whole rack: set aside, as many drawn, then back into the bag.
    cdef uint8_t aside[HALF_HAND]
    cdef int count = r.rack_count[r.mover]
    cdef int drawn = 0
    cdef int i
    recycle(r)
    memcpy(aside, r.rack[r.mover], HALF_HAND)
    r.rack_count[r.mover] = 0
    while drawn < count and r.bag_count:
        r.rack[r.mover][drawn] = <uint8_t> draw(r)
        drawn += 1
        recycle(r)
    r.rack_count[r.mover] = drawn
    for i in range(count):
        if r.rack_count[r.mover] < count:
            # Nothing was left to draw: the tile comes straight back.
            r.rack[r.mover][r.rack_count[r.mover]] = aside[i]
            r.rack_count[r.mover] += 1
        else:
            r.bag[r.bag_count] = aside[i]
            r.bag_count += 1
    shuffle(r, r.bag, r.bag_count)
    pass_on(c, r)


cdef int winner(const Course* c, const Race* r) noexcept nogil:
    # The seat that has won, with teams one of the winning team, or -1 while the game goes on.
    cdef int best = -1
    cdef int home = 0
    cdef int i, seat
    for i in range(SEAT_COUNT):
        # From the last mover backwards: among tied pawns who played last is first.
        seat = (r.last_mover + SEAT_COUNT - i) % SEAT_COUNT
        if not c.seated >> seat & 1:
            continue
        home += is_home(c, r, seat)
        if best < 0 or r.score[seat] > r.score[best]:
            best = seat
    if not c.teams:
        return best if home else -1
    if home < 3:
        return -1
    for seat in range(SEAT_COUNT):
        if not is_home(c, r, seat):
            return (seat + 1) % SEAT_COUNT
    return best


cdef double win_chance(const Course* c, const Race* r, int seat) noexcept nogil:
    # A model of who wins from here: the lead, and half a turn for who is to move, against the way that is left.
    cdef int lead, highest, i
    cdef int other = -1
    cdef int mine = r.score[seat]
    cdef double to_move
    if c.teams:
        # The team of the last pawn loses: the slower pawn of each team counts.
        mine = min(r.score[seat], r.score[(seat + 2) % SEAT_COUNT])
        other = min(r.score[(seat + 1) % SEAT_COUNT], r.score[(seat + 3) % SEAT_COUNT])
        to_move = 1 if (r.mover - seat) % 2 == 0 else -1
    else:
        for i in range(SEAT_COUNT):
            if i != seat and c.seated >> i & 1 and r.score[i] > other:
                other = r.score[i]
        to_move = 1 if r.mover == seat else (-1 if c.players == 2 else 0)
    lead = mine - other
    highest = max(min(max(mine, other), c.finish), 0)
    return 1 / (1 + exp(-(lead + TO_MOVE * to_move) / (SPREAD * sqrt(c.finish - highest + 2.0))))


cdef int find_best(const Geometry* g, const Course* c, const Player* p, const Race* r, Search* s, Best* best,
                   int wanted) noexcept nogil:
    # The best plays of who is to move by the player's weights; their number. The kernel leaves his own bonus out.
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
    load(s, g, r.tops, hand, own, held, r.mover)
    s.mode = BEST
    s.deadline = p.deadline
    s.best = best
    s.best_wanted = wanted
    s.weights[0] = p.point
    for i in range(SEAT_COUNT):
        s.weights[i + 1] = p.partner if c.teams and (i - r.mover) % 2 == 0 else p.opponent
    s.style = &p.style[0]
    enumerate_plays(s)
    return s.best_count


cdef void run_on(const Geometry* g, const Course* c, const Player* p, Race* r, Search* s, int plies) noexcept nogil:
    cdef Best best
    while plies > 0 and winner(c, r) < 0:
        plies -= 1
        if find_best(g, c, p, r, s, &best, 1) and not s.stop:
            apply_play(c, r, &best.record)
        elif s.stop:
            return
        else:
            swap_all(c, r)


cdef void deal(Race* r, const Course* c, uint8_t* unseen, int count) noexcept nogil:
    # The unseen tiles to the other racks, clockwise from the mover, and the rest into the bag.
    cdef int i, seat
    shuffle(r, unseen, count)
    for i in range(1, SEAT_COUNT):
        seat = (r.mover + i) % SEAT_COUNT
        if c.seated >> seat & 1:
            r.rack_count[seat] = min(HALF_HAND, count)
            count -= r.rack_count[seat]
            memcpy(r.rack[seat], unseen + count, r.rack_count[seat])
    memcpy(r.bag, unseen, count)
    r.bag_count = count


cdef int judge(const Geometry* g, const Course* c, const Player* p, const Race* known, const uint8_t* unseen,
               int unseen_count, const Best* best, int count, uint64_t key, uint64_t first, int deals,
               Search* s, double* sums, double* squares) noexcept nogil:
    # Sums of the win chance of each candidate over the deals first .. first + deals - 1; 0, or why it stopped.
    cdef Race start, r
    cdef uint8_t order[MAX_TILES]
    cdef int i, won
    cdef uint64_t n
    cdef double chance
    for i in range(count):
        sums[i] = 0
        squares[i] = 0
    for n in range(first, first + deals):
        start = known[0]
        start.key = key
        start.counter = n * SAMPLE_WORDS
        memcpy(order, unseen, unseen_count)
        deal(&start, c, order, unseen_count)
        for i in range(count):
            r = start
            apply_play(c, &r, &best[i].record)
            run_on(g, c, p, &r, s, p.plies)
            if s.stop:
                return s.stop
            won = winner(c, &r)
            if won < 0:
                chance = win_chance(c, &r, known.mover)
            elif c.teams:
                chance = 1 if (won - known.mover) % 2 == 0 else 0
            else:
                chance = 1 if won == known.mover else 0
            sums[i] += chance
            squares[i] += chance * chance
        if n % POLL_PLAYS == POLL_PLAYS - 1:
            poll(s)
            if s.stop:
                return s.stop
    return GOING


cdef double prior_of(const Course* c, const Race* r, int64_t value, int64_t best_value) noexcept nogil:
    # The static value as a chance to win, relative to the best one: the slope of the win model at its middle.
    cdef int highest = 0
    cdef int i
    for i in range(SEAT_COUNT):
        highest = max(highest, r.score[i])
    highest = min(highest, c.finish)
    return (value - best_value) / (4.0 * SPREAD * sqrt(c.finish - highest + 2.0) * STYLE_UNIT)


cdef int read_player(Player* p, description) except -1:
    # ((weights of a point, an opponent's and a partner's bonus point), style, deals, candidates, plies, with prior)
    cdef int i
    weights, style, deals, wanted, plies, with_prior = description
    if len(weights) != 3 or len(style) != STYLE_COUNT:
        raise ValueError("player: weights or style have the wrong length")
    for value in (*weights, *style):
        if not -MAX_WEIGHT <= value <= MAX_WEIGHT:
            raise ValueError(f"player: weight {value} is not from {-MAX_WEIGHT} to {MAX_WEIGHT}")
    p.point, p.opponent, p.partner = weights
    for i in range(STYLE_COUNT):
        p.style[i] = style[i]
    if not (0 <= deals <= 1 << 20 and 1 <= wanted <= MAX_CANDIDATES and 0 <= plies <= 64):
        raise ValueError(f"player: deals {deals}, candidates {wanted} or plies {plies} are out of range")
    p.deals = deals
    p.wanted = wanted
    p.plies = plies
    p.with_prior = with_prior
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
    r.last_mover = mover
    r.bag_count = 0
    r.key = 0
    r.counter = 0
    return count


cdef void lay_down(const Race* start, Race* r, const Record* record) noexcept nogil:
    # Only tiles and stacks: no points, no refill.
    cdef const uint8_t* tiles = <const uint8_t*> &record.tiles
    cdef const uint8_t* squares = <const uint8_t*> &record.squares
    cdef int count = <int> ((record.counts >> PLACED_SHIFT) & 255)
    cdef int i
    r[0] = start[0]
    for i in range(count):
        if r.tops[squares[i]] != NO_TILE:
            r.covered[r.covered_count] = r.tops[squares[i]]
            r.covered_count += 1
        r.tops[squares[i]] = tiles[i]
        take(r.common, &r.common_count, tiles[i])


def answers(Plays plays, const unsigned char[::1] tops, const unsigned char[::1] rack,
            const unsigned char[::1] common, const unsigned char[::1] covered, int mover, int answerer,
            int others, const unsigned char[::1] records, unsigned long long key, unsigned long long first, int deals,
            double seconds=0):
    """Points of the best answer to each candidate in each deal, as bytes: one row of `deals` bytes a candidate.

    records: 24 bytes a candidate as of `Plays.records`, with no tiles placed for a swap. answerer: the seat that
    answers; he holds 4 unseen tiles, as does everybody of the `others` players, then after a play the common hand is
    refilled from the rest, and from the covered tiles when the bag is empty. deals 0: the answers with the common
    tiles that are left and no others, one byte a candidate. seconds: time limit, 0 for none (LimitReached).
    ValueError for a bad position or records of the wrong size.
    """
    cdef Race start
    cdef Search s
    cdef uint8_t unseen[MAX_TILES]
    cdef uint8_t order[MAX_TILES]
    cdef uint8_t recycled[MAX_TILES]
    cdef uint8_t hand[MAX_HAND]
    cdef uint8_t own[MAX_HAND]
    cdef uint64_t priority[MAX_TILES]
    cdef int unseen_count, i, j, k, m, held, bag, drawn, count, width, tile, missing
    cdef uint64_t base, n
    cdef Record record
    cdef Race* race
    cdef uint8_t* out
    cdef double deadline = 0
    cdef int stop = GOING
    if records.shape[0] % sizeof(Record) or not 0 <= deals <= 1 << 24 or not 1 <= others < SEAT_COUNT:
        raise ValueError("records, deals or others are out of range")
    if not 0 <= answerer < SEAT_COUNT:
        raise ValueError(f"answerer: {answerer} is no seat")
    unseen_count = read_race(&start, plays, tops, rack, common, covered, mover, (0, 0, 0, 0), unseen)
    count = <int> (records.shape[0] // <Py_ssize_t> sizeof(Record))
    for i in range(count):
        memcpy(&record, &records[i * <int> sizeof(Record)], sizeof(Record))
        m = <int> ((record.counts >> PLACED_SHIFT) & 255)
        if m > MAX_HAND:
            raise ValueError("records: too many tiles in a play")
        for j in range(m):
            if (<uint8_t*> &record.squares)[j] >= plays.g.squares or (<uint8_t*> &record.tiles)[j] >= plays.g.tiles:
                raise ValueError("records: a tile or square does not exist")
    width = deals if deals else 1
    result = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> count * width)
    if not count:
        return result
    out = <uint8_t*> <char*> result
    # The boards after each candidate are built once.
    race = <Race*> malloc(count * sizeof(Race))
    if race == NULL:
        raise MemoryError("no memory for the boards of the candidates")
    try:
        s.signal_at = 0
        with nogil:
            if seconds > 0:
                deadline = monotonic_now() + seconds
            for i in range(count):
                memcpy(&record, &records[i * <int> sizeof(Record)], sizeof(Record))
                lay_down(&start, &race[i], &record)
            memset(own, 0, sizeof(own))
            for n in range(first, first + width):
                base = n * SAMPLE_WORDS
                held = 0
                bag = 0
                if deals:
                    memcpy(order, unseen, unseen_count)
                    held = min(HALF_HAND, unseen_count)
                    bag = min(max(0, unseen_count - HALF_HAND * others), HALF_HAND)
                    for j in range(held + bag):
                        k = j + <int> stream_below(stream_word(key, base + j), unseen_count - j)
                        tile = order[k]
                        order[k] = order[j]
                        order[j] = <uint8_t> tile
                    if bag < HALF_HAND:
                        for j in range(plays.g.tiles):
                            priority[j] = stream_word(key, base + MAX_TILES + j)
                for i in range(count):
                    memcpy(hand, order, held)
                    memcpy(hand + held, race[i].common, race[i].common_count)
                    m = held + race[i].common_count
                    memcpy(&record, &records[i * <int> sizeof(Record)], sizeof(Record))
                    # A swap refills nothing.
                    if deals and (record.counts >> PLACED_SHIFT) & 255:
                        drawn = 0
                        missing = HALF_HAND - race[i].common_count
                        while drawn < bag and drawn < missing:
                            hand[m] = order[held + drawn]
                            m += 1
                            drawn += 1
                        # The bag is empty: covered tiles, in the order of this deal.
                        k = race[i].covered_count
                        if drawn < missing and k:
                            memcpy(recycled, race[i].covered, k)
                            while drawn < missing and k:
                                tile = 0
                                for j in range(1, k):
                                    if priority[recycled[j]] < priority[recycled[tile]]:
                                        tile = j
                                hand[m] = recycled[tile]
                                m += 1
                                drawn += 1
                                k -= 1
                                recycled[tile] = recycled[k]
                    load(&s, &plays.g, race[i].tops, hand, own, m, answerer)
                    s.mode = MOST
                    s.deadline = deadline
                    enumerate_plays(&s)
                    if s.stop:
                        stop = s.stop
                        break
                    out[<Py_ssize_t> i * width + <Py_ssize_t> (n - first)] = <uint8_t> s.most
                if stop:
                    break
                if n % POLL_PLAYS == POLL_PLAYS - 1 or count > POLL_PLAYS:
                    s.deadline = deadline
                    poll(&s)
                    if s.stop:
                        stop = s.stop
                        break
    finally:
        free(race)
    raise_stop(stop)
    return result


def chances(Plays plays, const unsigned char[::1] tops, const unsigned char[::1] rack, const unsigned char[::1] common,
            const unsigned char[::1] covered, int mover, scores, int finish, bint teams, int seated, player,
            unsigned long long key, double seconds=0):
    """The best candidates of a player with their chance to win: (records, static values, means, deviations).

    player: ((weights of a point, of an opponent's and of a partner's bonus point), style, deals, candidates, plies,
    with_prior), weights in thousandths of a point. means: the mean chance over the deals, drawn towards the static
    value if with_prior; deviations: standard deviation over the deals. seconds: time limit, 0 for none (LimitReached).
    ValueError for bad arguments.
    """
    cdef Player p
    cdef Course c
    cdef Race known
    cdef Search s
    cdef Best best[MAX_CANDIDATES]
    cdef double sums[MAX_CANDIDATES]
    cdef double squares[MAX_CANDIDATES]
    cdef uint8_t unseen[MAX_TILES]
    cdef int unseen_count, i
    cdef int count = 0
    cdef int stop = GOING
    cdef double mean
    cdef char* out
    read_course(&c, finish, teams, seated)
    read_player(&p, player)
    unseen_count = read_race(&known, plays, tops, rack, common, covered, mover, scores, unseen)
    if not seated >> mover & 1:
        raise ValueError(f"mover: nobody sits at {mover}")
    if seconds > 0:
        p.deadline = monotonic_now() + seconds
    s.signal_at = 0
    with nogil:
        count = find_best(&plays.g, &c, &p, &known, &s, best, p.wanted)
        stop = s.stop
        if not stop and p.deals:
            stop = judge(&plays.g, &c, &p, &known, unseen, unseen_count, best, count, key, 0, p.deals, &s, sums,
                         squares)
    raise_stop(stop)
    found = PyBytes_FromStringAndSize(NULL, count * sizeof(Record))
    out = found
    values, means, deviations = [], [], []
    for i in range(count):
        memcpy(out + i * sizeof(Record), &best[i].record, sizeof(Record))
        values.append(static_value(&best[i]))
        if p.deals:
            mean = sums[i] / p.deals
            deviations.append(sqrt(max(0.0, squares[i] / p.deals - mean * mean)))
            means.append(drawn_in(&c, &p, &known, mean, static_value(&best[i]), static_value(&best[0])))
    return found, values, means, deviations


cdef int64_t static_value(const Best* best) noexcept nogil:
    return (best.key + (1 << KEY_SHIFT) - 1) >> KEY_SHIFT


cdef double drawn_in(const Course* c, const Player* p, const Race* r, double mean, int64_t value,
                     int64_t best_value) noexcept nogil:
    if not p.with_prior:
        return mean
    return (p.deals * mean + PRIOR_DEALS * (0.5 + prior_of(c, r, value, best_value))) / (p.deals + PRIOR_DEALS)


def race(Plays plays, int finish, bint teams, int seated, players, common_squares, unsigned long long key,
         int games, long long turns=0):
    """Whole games: (wins by seat, turns, points, bonus given, swaps, most plays of a position, that position).

    players: one description for each seat of N E S W (None for absent ones), as for `chances`. common_squares: squares
    that get a tile at the start. games: how many; turns: stop after so many, 0 for no limit. The seat that starts is
    drawn at random. The largest position: (tops, rack, common, mover). ValueError for bad arguments.
    """
    cdef Player p[SEAT_COUNT]
    cdef Course c
    cdef Race r, known
    cdef Search s
    cdef Best best[MAX_CANDIDATES]
    cdef Race largest
    cdef double sums[MAX_CANDIDATES]
    cdef double squares[MAX_CANDIDATES]
    cdef uint8_t unseen[MAX_TILES]
    cdef uint8_t starts[MAX_SQUARES]
    cdef long long wins[SEAT_COUNT]
    cdef long long played = 0
    cdef long long points = 0
    cdef long long bonus = 0
    cdef long long swaps = 0
    cdef int game, i, j, seat, count, unseen_count, start_count, won, _, top
    cdef int stop = GOING
    cdef uint64_t most_plays = 0
    cdef double value, top_value
    read_course(&c, finish, teams, seated)
    for i in range(SEAT_COUNT):
        wins[i] = 0
        if seated >> i & 1:
            read_player(&p[i], players[i])
    start_count = len(common_squares)
    if start_count > plays.g.squares:
        raise ValueError("common_squares: too many")
    for i in range(start_count):
        if not 0 <= common_squares[i] < plays.g.squares:
            raise ValueError(f"common_squares: {common_squares[i]} does not exist")
        starts[i] = common_squares[i]
    if plays.g.tiles < start_count + HALF_HAND * (1 + c.players):
        raise ValueError("tiles: too few for the start of a game")
    memset(&largest, 0, sizeof(Race))
    s.signal_at = 0
    with nogil:
        for game in range(games):
            memset(&r, 0, sizeof(Race))
            memset(r.tops, NO_TILE, MAX_SQUARES)
            r.key = key
            r.counter = (<uint64_t> game + 1) << 40
            r.bag_count = plays.g.tiles
            for i in range(plays.g.tiles):
                r.bag[i] = <uint8_t> i
            shuffle(&r, r.bag, r.bag_count)
            for i in range(start_count):
                r.tops[starts[i]] = <uint8_t> draw(&r)
            for seat in range(SEAT_COUNT):
                if seated >> seat & 1:
                    refill(&r, seat)
            # The common hand was filled along with the first rack.
            r.mover = <int> stream_below(next_word(&r), SEAT_COUNT)
            pass_on(&c, &r)
            for _ in range(LONGEST_GAME):
                count = find_best(
                    &plays.g, &c, &p[r.mover], &r, &s, best, p[r.mover].wanted if p[r.mover].deals else 1
                )
                if s.stop:
                    stop = s.stop
                    break
                played += 1
                if s.total > most_plays:
                    most_plays = s.total
                    largest = r
                if not count:
                    swaps += 1
                    swap_all(&c, &r)
                else:
                    top = 0
                    if p[r.mover].deals and count > 1:
                        known = r
                        unseen_count = r.bag_count
                        memcpy(unseen, r.bag, r.bag_count)
                        for seat in range(SEAT_COUNT):
                            if seat != r.mover and seated >> seat & 1:
                                memcpy(unseen + unseen_count, r.rack[seat], r.rack_count[seat])
                                unseen_count += r.rack_count[seat]
                                known.rack_count[seat] = 0
                        known.last_mover = r.mover
                        stop = judge(&plays.g, &c, &p[r.mover], &known, unseen, unseen_count, best, count,
                                     next_word(&r), 0, p[r.mover].deals, &s, sums, squares)
                        if stop:
                            break
                        top_value = -1e300
                        for j in range(count):
                            value = drawn_in(&c, &p[r.mover], &r, sums[j] / p[r.mover].deals, static_value(&best[j]),
                                             static_value(&best[0]))
                            if value > top_value:
                                top_value = value
                                top = j
                    points += <int> (best[top].record.counts & 255)
                    for i in range(SEAT_COUNT):
                        bonus += <int> ((best[top].record.counts >> (8 * (i + 1))) & 255)
                    apply_play(&c, &r, &best[top].record)
                won = winner(&c, &r)
                if won >= 0:
                    wins[won] += 1
                    if teams:
                        wins[(won + 2) % SEAT_COUNT] += 1
                    break
                if turns and played >= turns:
                    break
            if stop or (turns and played >= turns):
                break
            s.stop = GOING
            poll(&s)
            if s.stop:
                stop = s.stop
                break
    raise_stop(stop)
    rack = bytes([largest.rack[largest.mover][i] for i in range(largest.rack_count[largest.mover])])
    common = bytes([largest.common[i] for i in range(largest.common_count)])
    tops = bytes([largest.tops[i] for i in range(plays.g.squares)])
    return (
        [wins[i] for i in range(SEAT_COUNT)], played, points, bonus, swaps, most_plays,
        (tops, rack, common, largest.mover),
    )
