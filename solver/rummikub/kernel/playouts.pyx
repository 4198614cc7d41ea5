"""Whole games without Python objects: the policies of `players`, and games between them from the deal or any moment.

A policy decides from what its seat may see alone; the play loop knows all racks and the order of the pool. Rules taken
are those of `turns`. How a game goes is told in `game.py`; both play the same games.
"""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcpy, memset

from ...streams cimport stream_word
from .sweep cimport FOUND, INTERRUPTED, LANES, NOTHING, TILES, VALUE, WEIGHTS, Work, hold_error
from .turns cimport (
    CELLS,
    FORCED,
    JOKER_AT,
    ONE_MORE_TURN,
    WIDE,
    Board,
    Set,
    Turn,
    Turner,
    Turning,
    Turns,
    beside_turn,
    best_turn,
    clear_board,
    list_melds,
    low,
    meld_turn,
    smallest_opening,
)

from ...errors import SolverError
from ...streams import stream_key

cdef enum:
    FIRST_TRIPLE = 3  # of one number in different colours: `first_player=highest_triple`

cdef struct Word:
    uint64_t word
    int index


# ---------------------------------------------------------------------------------------------------
# Chance
# ---------------------------------------------------------------------------------------------------

cdef int by_word(const void *a, const void *b) noexcept nogil:
    cdef const Word *x = <const Word *>a
    cdef const Word *y = <const Word *>b
    if x.word != y.word:
        return -1 if x.word < y.word else 1
    return x.index - y.index


cdef void shuffle(uint8_t *tiles, int count, uint64_t key, uint64_t first) noexcept nogil:
    """By the words of a stream from number `first` on, lowest first."""
    cdef Word words[MOST_TILES]
    cdef uint8_t before[MOST_TILES]
    cdef int i
    memcpy(before, tiles, count)
    for i in range(count):
        words[i].word = stream_word(key, first + i)
        words[i].index = i
    qsort(words, count, sizeof(Word), by_word)
    for i in range(count):
        tiles[i] = before[words[i].index]


cdef void deal(Turner *t, Game *g, int players, int rack_size, uint64_t pool_key) noexcept nogil:
    """A game after the deal; who begins is not decided."""
    cdef int i, _k, n = 0, seat
    memset(g, 0, sizeof(Game))
    clear_board(&g.board)
    g.players = players
    for i in range(t.cells):
        if i % LANES < t.ways.colors:
            for _k in range(t.ways.copies):
                g.order[n] = i
                n += 1
    for _k in range(t.ways.jokers):
        g.order[n] = JOKER_AT
        n += 1
    g.tiles = n
    shuffle(g.order, n, pool_key, 0)
    for i in range(players * rack_size):
        seat = i % players
        g.racks[seat][g.order[i]] += 1
        g.sizes[seat] += 1
    g.next = players * rack_size
    for seat in range(players):
        g.opened[seat] = t.ways.threshold == 0
    g.left = UNKNOWN if g.next < n else players


cdef int highest_triple(Turner *t, const uint8_t *rack) noexcept nogil:
    cdef int v, c, n, best = 0
    for v in range(t.ways.numbers):
        n = 0
        for c in range(LANES):
            n += rack[v * LANES + c] > 0
        if n >= FIRST_TRIPLE:
            best = v + 1
    return best


cdef void guess_racks(Turner *t, const Game *g, int seat, uint64_t key, int number, Game *out) noexcept nogil:
    """The game with all that the seat cannot see shuffled, as `View.sample` does."""
    cdef uint8_t unseen[MOST_TILES]
    cdef int i, _k, n = 0, colour, v, other, at = 0
    out[0] = g[0]
    for colour in range(t.ways.colors):
        for v in range(t.ways.numbers):
            i = v * LANES + colour
            for _k in range(t.ways.copies - g.board.counts[i] - g.racks[seat][i]):
                unseen[n] = i
                n += 1
    for _k in range(t.ways.jokers - g.board.jokers - g.racks[seat][JOKER_AT]):
        unseen[n] = JOKER_AT
        n += 1
    shuffle(unseen, n, key, <uint64_t>number * n)
    for i in range(1, g.players):
        other = (seat + i) % g.players
        memset(out.racks[other], 0, WIDE)
        for _k in range(g.sizes[other]):
            out.racks[other][unseen[at]] += 1
            at += 1
    out.next = out.tiles - (n - at)
    memcpy(&out.order[out.next], &unseen[at], n - at)


cdef int decision_key(Turner *t, Game *g, uint64_t *key) noexcept nogil:
    """The key of the stream of this decision. FOUND, or INTERRUPTED."""
    if g.keyed == KEY_GIVEN:
        key[0] = g.key
    elif g.keyed == KEY_COUNTED:
        key[0] = stream_word(g.key, g.turn)
    else:
        return named_key(t.work, g, key)
    return FOUND


cdef int named_key(Work *work, const Game *g, uint64_t *key) noexcept with gil:
    # Python code: this is where a signal that came during the search before it is heard.
    try:
        key[0] = stream_key(g.seed, f"rummikub:{g.index}", g.turn, f"player {g.active}")
    except BaseException as error:
        hold_error(work, error)
        return INTERRUPTED
    return FOUND


# ---------------------------------------------------------------------------------------------------
# Policies: FOUND with a move, NOTHING for a draw or a pass, or how a search failed
# ---------------------------------------------------------------------------------------------------

cdef int pool_size(const Game *g) noexcept nogil:
    return g.tiles - g.next


cdef bint bound(Turner *t, const Game *g) noexcept nogil:
    """Whether who can lay must."""
    return t.ways.must_play or (t.ways.pool_empty == FORCED and pool_size(g) == 0)


cdef int lay_of(Turner *t, const Game *g, const uint8_t *rack, int objective, bint everything,
                Turn *out) noexcept nogil:
    return best_turn(t, &g.board, rack, g.opened[g.active], objective, everything, out)


cdef int go_out(Turner *t, const Game *g, Turn *out) noexcept nogil:
    return lay_of(t, g, g.racks[g.active], TILES, True, out)


cdef int tile_order(Turner *t, int rank) noexcept nogil:
    """The tile with this rank in canonical order; the joker is behind them all."""
    if rank >= t.ways.colors * t.ways.numbers:
        return JOKER_AT
    return rank % t.ways.numbers * LANES + rank // t.ways.numbers


cdef int single_of(Turner *t, const Game *g, int tile, Turn *out) noexcept nogil:
    cdef uint8_t rack[WIDE]
    memset(rack, 0, WIDE)
    rack[tile] = 1
    return lay_of(t, g, rack, TILES, True, out)


cdef int without_parts(Turner *t, const Game *g, Turn *out) noexcept nogil:
    """A part of a move of which no smaller part can be laid; `out` is the move and becomes the part."""
    cdef uint8_t rest[WIDE]
    cdef Turn smaller
    cdef int rank, tile, status
    cdef bint cut = True
    while cut:
        cut = False
        for rank in range(t.ways.colors * t.ways.numbers + 1):
            tile = tile_order(t, rank)
            if not out.laid[tile]:
                continue
            memcpy(rest, out.laid, WIDE)
            rest[tile] -= 1
            status = lay_of(t, g, rest, TILES, False, &smaller)
            if status == FOUND:
                out[0] = smaller
                cut = True
                break
            if status != NOTHING:
                return status
    return FOUND


cdef int smallest(Turner *t, const Game *g, Turn *out) noexcept nogil:
    """A move that lays few tiles: see `lays.smallest_move`."""
    cdef const uint8_t *rack = g.racks[g.active]
    cdef uint8_t pair[WIDE]
    cdef int ranks = t.ways.colors * t.ways.numbers + 1, i, k, one, two, status
    cdef Turn some
    if not g.opened[g.active]:
        return smallest_opening(t, &g.board, rack, out)
    status = lay_of(t, g, rack, TILES, False, out)
    if status != FOUND or out.tiles == 1:
        return status
    for i in range(ranks):
        one = tile_order(t, i)
        if rack[one]:
            status = single_of(t, g, one, &some)
            if status == FOUND:
                out[0] = some
            if status != NOTHING:
                return status
    if out.tiles == 2:
        return FOUND
    for i in range(ranks):
        one = tile_order(t, i)
        if not rack[one]:
            continue
        for k in range(i, ranks):
            two = tile_order(t, k)
            if not rack[two] or (i == k and rack[one] < 2):
                continue
            memset(pair, 0, WIDE)
            pair[one] += 1
            pair[two] += 1
            status = lay_of(t, g, pair, TILES, True, &some)
            if status == FOUND:
                out[0] = some
            if status != NOTHING:
                return status
    return without_parts(t, g, out)


cdef int least_policy(Turner *t, const Game *g, Turn *out) noexcept nogil:
    cdef int status = go_out(t, g, out)
    return smallest(t, g, out) if status == NOTHING else status


cdef int hold_policy(Turner *t, const Game *g, Turn *out) noexcept nogil:
    cdef const uint8_t *rack = g.racks[g.active]
    cdef uint8_t bare[WIDE]
    cdef int status
    if not rack[JOKER_AT]:
        return lay_of(t, g, rack, TILES, False, out)
    status = go_out(t, g, out)
    if status != NOTHING:
        return status
    memcpy(bare, rack, WIDE)
    bare[JOKER_AT] = 0
    status = lay_of(t, g, bare, TILES, False, out)
    if status == NOTHING and bound(t, g):
        return lay_of(t, g, rack, TILES, False, out)
    return status


cdef int keep_policy(Turner *t, const Game *g, Turn *out) noexcept nogil:
    cdef const uint8_t *rack = g.racks[g.active]
    cdef uint8_t loose[WIDE]
    cdef uint8_t none[WIDE]
    cdef Board empty
    cdef int i, status
    if g.opened[g.active]:
        clear_board(&empty)
        memset(none, 0, WIDE)
        status = beside_turn(t, &empty, none, rack, TILES, False, out)
        if status == FOUND:
            memcpy(loose, rack, WIDE)
            for i in range(WIDE):
                loose[i] -= out.laid[i]
            status = go_out(t, g, out)
            if status == NOTHING:
                status = lay_of(t, g, loose, TILES, False, out)
            if status == NOTHING and bound(t, g):
                status = lay_of(t, g, rack, TILES, False, out)
            return status
        if status != NOTHING:
            return status
    return lay_of(t, g, rack, TILES, False, out)


cdef int part_with(Turner *t, Game *g, const Policy *p, Turn *out) noexcept nogil:
    """The single tile to part with, never a joker: one held once, the highest number; or that which leaves most."""
    cdef const uint8_t *rack = g.racks[g.active]
    cdef int tiles[CELLS]
    cdef int held, v, c, tile, status, count = 0, k
    cdef bint once = True
    for held in range(1, t.ways.copies + 1):
        if held > 1 and count and once:
            break
        for v in range(t.ways.numbers - 1, -1, -1):
            for c in range(t.ways.colors):
                tile = v * LANES + c
                if rack[tile] != held:
                    continue
                status = single_of(t, g, tile, out)
                if status == NOTHING:
                    continue
                if status != FOUND:
                    return status
                if not p.sample:
                    return FOUND
                tiles[count] = tile
                count += 1
        if count and held > 1:
            once = False
    if count == 0:
        return NOTHING
    k = 0
    if count > 1:
        status = leaves_most(t, g, p.sample, tiles, count, &k)
        if status != FOUND:
            return status
    return single_of(t, g, tiles[k], out)


cdef int leaves_most(Turner *t, Game *g, int samples, const int *tiles, int count, int *best) noexcept nogil:
    """After which single tile most tiles are left, summed over guesses, of the other who can lay his rack best."""
    cdef int left[CELLS]
    cdef int number, k, other, i, status, rest, least
    cdef uint64_t key = 0
    cdef Turn single, reply
    cdef Game guess
    status = decision_key(t, g, &key)
    if status != FOUND:
        return status
    memset(left, 0, sizeof(left))
    for number in range(samples):
        guess_racks(t, g, g.active, key, number, &guess)
        for k in range(count):
            status = single_of(t, g, tiles[k], &single)
            if status != FOUND:
                return status
            least = MOST_TILES
            for i in range(1, g.players):
                other = (g.active + i) % g.players
                status = best_turn(t, &single.after, guess.racks[other], g.opened[other], TILES, False, &reply)
                if status != FOUND and status != NOTHING:
                    return status
                rest = g.sizes[other] - (reply.tiles if status == FOUND else 0)
                least = min(least, rest)
            left[k] += least
    best[0] = 0
    for k in range(1, count):
        if left[k] > left[best[0]]:
            best[0] = k
    return FOUND


cdef int openings_of(Turner *t, const Game *g, const Set *s) noexcept nogil:
    """How many unseen tiles could be put to a set alone, jokers apart."""
    cdef const uint8_t *rack = g.racks[g.active]
    cdef int i, cell, total = 0
    if s.run:
        cell = s.first * LANES + low(s.mask) % LANES
        if s.first > 0:
            total += t.ways.copies - g.board.counts[cell - LANES] - rack[cell - LANES]
        cell += (s.length - 1) * LANES
        if s.first + s.length < t.ways.numbers:
            total += t.ways.copies - g.board.counts[cell + LANES] - rack[cell + LANES]
        return total
    for i in range(t.ways.colors):
        cell = s.first * LANES + i
        if not s.mask >> cell & 1:
            total += t.ways.copies - g.board.counts[cell] - rack[cell]
    return total


cdef int part_with_set(Turner *t, const Game *g, Turn *out) noexcept nogil:
    """The small set of the own rack, without jokers, to which the others can put least; of equal ones the dearest."""
    cdef uint8_t bare[WIDE]
    cdef int i, loss, least = MOST_TILES, best = -1
    memcpy(bare, g.racks[g.active], WIDE)
    bare[JOKER_AT] = 0
    list_melds(t, bare)
    for i in range(t.meld_count):
        if t.melds[i].set.length > SMALL_SET:
            continue
        loss = openings_of(t, g, &t.melds[i].set)
        if loss < least:
            least = loss
            best = i
    if best < 0:
        return NOTHING
    meld_turn(t, &g.board, &t.melds[best].set, out)
    return FOUND


cdef int wait_policy(Turner *t, Game *g, const Policy *p, Turn *out) noexcept nogil:
    cdef const uint8_t *rack = g.racks[g.active]
    cdef int status = go_out(t, g, out), other, few = MOST_TILES, pool = pool_size(g)
    if status != NOTHING:
        return status
    if not g.opened[g.active]:
        if p.full:
            return lay_of(t, g, rack, TILES, False, out)
        return smallest_opening(t, &g.board, rack, out)
    if pool == 0:
        return lay_of(t, g, rack, WEIGHTS, False, out)
    for other in range(g.players):
        if other != g.active:
            few = min(few, g.sizes[other])
    if few <= p.at:
        return lay_of(t, g, rack, TILES, False, out)
    if p.tempo and (pool + t.ways.draw - 1) // t.ways.draw == g.players:
        status = part_with(t, g, p, out)
        if status == NOTHING and p.sets:
            status = part_with_set(t, g, out)
    elif t.ways.must_play:
        status = part_with(t, g, p, out)
    if status == NOTHING and bound(t, g):
        return smallest(t, g, out)
    return status


cdef int act(Turner *t, Game *g, const Policy *p, Turn *out) noexcept nogil:
    if p.kind == GREEDY:
        return lay_of(t, g, g.racks[g.active], TILES, False, out)
    if p.kind == MOST_VALUE:
        return lay_of(t, g, g.racks[g.active], VALUE, False, out)
    if p.kind == LEAST:
        return least_policy(t, g, out)
    if p.kind == HOLD:
        return hold_policy(t, g, out)
    if p.kind == KEEP:
        return keep_policy(t, g, out)
    return wait_policy(t, g, p, out)


# ---------------------------------------------------------------------------------------------------
# Games
# ---------------------------------------------------------------------------------------------------

cdef bint tells(int draw, int players, int pool) noexcept nogil:
    """Whether a turn tells of the kind of its player: near the end of the pool those who wait lay, too."""
    return pool > players * draw


cdef void make_move(Turner *t, Game *g, const Turn *turn) noexcept nogil:
    """The move of the seat whose turn it is, and the end of its turn."""
    cdef int i
    for i in range(WIDE):
        g.racks[g.active][i] -= turn.laid[i]
    for i in range(g.players):
        g.drew[i] = False
    g.sizes[g.active] -= turn.tiles
    g.board = turn.after
    g.lays[g.active] += g.opened[g.active] and tells(t.ways.draw, g.players, pool_size(g))
    g.opened[g.active] = True
    g.turn += 1
    if g.sizes[g.active] == 0:
        g.over = True
    else:
        end_turn(t, g, True)


cdef void make_idle(Turner *t, Game *g) noexcept nogil:
    """A draw, or a pass when the pool is empty."""
    cdef int n = min(t.ways.draw, pool_size(g))
    cdef int _i
    g.idles[g.active] += g.opened[g.active] and tells(t.ways.draw, g.players, pool_size(g))
    for _i in range(n):
        g.racks[g.active][g.order[g.next]] += 1
        g.next += 1
    g.sizes[g.active] += n
    g.drew[g.active] = n > 0
    g.turn += 1
    end_turn(t, g, False)


cdef void end_turn(Turner *t, Game *g, bint laid) noexcept nogil:
    if g.left >= 0:
        g.left = g.players if laid and t.ways.pool_empty != ONE_MORE_TURN else g.left - 1
    elif pool_size(g) == 0:
        g.left = g.players
    g.active = (g.active + 1) % g.players
    g.over = g.left == 0


cdef int finish_game(Turner *t, Game *g, const Policy *policies) noexcept nogil:
    """Play on to the end; FOUND, or how a search failed."""
    cdef Turn turn
    cdef int status
    while not g.over:
        status = act(t, g, &policies[g.active], &turn)
        if status == FOUND:
            make_move(t, g, &turn)
        elif status == NOTHING:
            make_idle(t, g)
        else:
            return status
    return FOUND


cdef int rack_sum(Turner *t, const Game *g, int seat) noexcept nogil:
    cdef int i, total = g.racks[seat][JOKER_AT] * t.ways.joker_penalty
    if not g.opened[seat] and t.ways.never_opened >= 0:
        return t.ways.never_opened
    for i in range(t.cells):
        total += g.racks[seat][i] * (i // LANES + 1)
    return total


cdef uint64_t score(Turner *t, const Game *g, double *points) noexcept nogil:
    """The points of every seat; the winners as bits."""
    cdef int sums[MOST_PLAYERS]
    cdef int seat, lowest = 0, count = 0
    cdef uint64_t winners = 0
    cdef double lost = 0
    for seat in range(g.players):
        sums[seat] = rack_sum(t, g, seat)
        if g.sizes[seat] == 0:
            winners = <uint64_t>1 << seat
            count = 1
    if not count:
        lowest = sums[0]
        for seat in range(g.players):
            lowest = min(lowest, sums[seat])
        for seat in range(g.players):
            if sums[seat] == lowest:
                winners |= <uint64_t>1 << seat
                count += 1
    for seat in range(g.players):
        points[seat] = 0
        if not winners >> seat & 1:
            points[seat] = lowest - sums[seat]
            lost += points[seat]
    for seat in range(g.players):
        if winners >> seat & 1:
            points[seat] = -lost / count
    return winners


# ---------------------------------------------------------------------------------------------------
# The door
# ---------------------------------------------------------------------------------------------------

KINDS = {"greedy": GREEDY, "value": MOST_VALUE, "least": LEAST, "hold": HOLD, "keep": KEEP, "wait": WAIT}


cdef int read_policy(tuple values, Policy *p) except -1:
    kind, at, tempo, full, sample, sets = values
    if kind not in KINDS:
        raise SolverError(f"policy: {kind!r} is none of {', '.join(KINDS)}")
    p.kind = KINDS[kind]
    p.at = at
    p.tempo = tempo
    p.full = full
    p.sample = sample
    p.sets = sets
    return 0


cdef class Playouts(Turns):
    """Games of compiled policies under one rule set. Safe to share between threads.

    A policy is (kind, at, tempo, full, sample, sets), kind a key of KINDS, the others the options of `players.Wait`.
    Arguments are those of `Turns`.
    """

    def __init__(self, rules, tuple names not None, int64_t memory):
        super().__init__(rules, names, memory)
        self.rack_size = rules.rack_size
        self.first_player = rules.first_player

    cdef int read_moment(self, moment, key, Game *g) except -1:
        """A `Moment` as a game in which the racks of others hold nothing; `key` is that of its decision."""
        cdef int seat, tiles = self.ways.numbers * self.ways.colors * self.ways.copies + self.ways.jokers
        memset(g, 0, sizeof(Game))
        g.players = len(moment.sizes)
        if not 2 <= g.players <= MOST_PLAYERS or len(moment.opened) != g.players:
            raise SolverError(f"players: must be 2 to {MOST_PLAYERS}, not {g.players}")
        if not 0 <= moment.seat < g.players or not 0 <= moment.pool <= tiles:
            raise SolverError("seat, pool: out of range")
        self.read_board(moment.table, &g.board)
        g.active = moment.seat
        self.read_rack(moment.rack, g.racks[g.active])
        for seat in range(g.players):
            if not 0 <= moment.sizes[seat] <= tiles:
                raise SolverError(f"sizes: must be 0 to {tiles}, not {moment.sizes[seat]}")
            g.sizes[seat] = moment.sizes[seat]
            g.opened[seat] = moment.opened[seat] or self.ways.threshold == 0
        g.tiles = tiles
        g.next = tiles - moment.pool
        g.left = moment.left
        self.read_history(moment, g)
        g.turn = moment.turn
        g.keyed = KEY_GIVEN
        g.key = key
        if len(moment.rack) != g.sizes[g.active]:
            raise SolverError(f"sizes: the rack has {len(moment.rack)} tiles, not {g.sizes[g.active]}")
        cdef int seen = g.board.jokers + sum(g.sizes[i] for i in range(g.players)) + moment.pool
        self.check_material(&g.board, g.racks[g.active])
        for seat in range(CELLS):
            seen += g.board.counts[seat]
        if seen != tiles:
            raise SolverError(f"pool: table, racks and pool have {seen} tiles, the rules {tiles}")
        return 0

    cdef int read_history(self, moment, Game *g) except -1:
        """What the turns of before tell: see `Game`."""
        cdef int seat, pool = moment.pool
        cdef bint laid
        cdef list opened = [self.ways.threshold == 0] * g.players
        for event in moment.history:
            if not 0 <= event.seat < g.players:
                raise SolverError(f"history: seat {event.seat} is none of {g.players}")
            pool += event.drawn
        for event in moment.history:
            seat = event.seat
            laid = event.action == "lay"
            if opened[seat] and tells(self.ways.draw, g.players, pool):
                g.lays[seat] += laid
                g.idles[seat] += not laid
            opened[seat] = opened[seat] or laid
            pool -= event.drawn
        for event in reversed(moment.history):
            if event.action == "lay" or event.seat == g.active:
                break
            g.drew[event.seat] = event.drawn > 0
        return 0

    cdef int begin(self, Turner *t, Game *g, int players, seed, int64_t index) except -1:
        """Game number `index` of a seed after the deal."""
        cdef int tiles = self.ways.numbers * self.ways.colors * self.ways.copies + self.ways.jokers
        cdef int seat, best = -1, triple
        cdef uint64_t first = stream_key(seed, f"rummikub:{index}", 0, "first")
        cdef list starters = list(range(players))
        if not 2 <= players <= MOST_PLAYERS or players * self.rack_size > tiles:
            raise SolverError(f"players: must be 2 to {MOST_PLAYERS} with racks for all, not {players}")
        deal(t, g, players, self.rack_size, stream_key(seed, f"rummikub:{index}", 0, "pool"))
        if self.first_player == "highest_triple":
            for seat in range(players):
                triple = highest_triple(t, g.racks[seat])
                if triple > best:
                    best = triple
                    starters = []
                if triple == best:
                    starters.append(seat)
        g.active = starters[<int>(stream_word(first, 0) % <uint64_t>len(starters))]
        g.keyed = KEY_NAMED
        g.seed = seed
        g.index = index
        return 0

    def choose(self, tuple policy not None, moment, key):
        """What a policy does: (tiles laid, sets after it), or None for a draw or a pass."""
        cdef Policy p
        cdef Game g
        cdef Turn turn
        cdef int status
        cdef Turning turning
        read_policy(policy, &p)
        self.read_moment(moment, key, &g)
        turning = self.borrow()
        with nogil:
            status = act(&turning.t, &g, &p, &turn)
        return self.answered(turning, status, &turn)
