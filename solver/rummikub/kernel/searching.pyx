"""A player that guesses what it cannot see and plays on: candidates, guesses, playouts, all without Python objects.

1. The base is the move of the plan's base policy. If it goes out, that is it. Where no more than a plan's `near` draws
   are left, or the rules force lays, the search looks further; else the base is played, because far from the end
   nothing that was tried beats the waiting player.
2. Candidates: to draw or pass, each single tile, small sets of the own rack, all that can be laid by several
   objectives, without jokers, without the sets of the own rack; before the opening the smallest and the largest one.
3. Guesses: the unseen tiles are shuffled into racks and pool. A seat that drew in its last turn, with the table as it
   is now, could not or would not lay: a guess is drawn again if that seat, one tile fewer, could have gone out, have
   opened or (where who can lay must) have laid anything.
4. Every candidate is played on in the same guesses by the plan's policy, or that of others who laid often while those
   who wait draw (told from their turns since they opened, but for the last ones of the pool). Candidates that are worse
   than the best one by twice the standard error of the difference are dropped. The base is kept unless another one is
   better by the plan's margin, in standard errors.
5. With an empty pool the move is made smaller tile by tile as long as that is better: what is held back may decide.
"""

from libc.math cimport sqrt
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy, memset

from cpython.object cimport PyObject

from .playouts cimport (
    KEY_COUNTED,
    MOST_PLAYERS,
    SMALL_SET,
    Game,
    Playouts,
    Policy,
    act,
    bound,
    decision_key,
    finish_game,
    guess_racks,
    make_idle,
    make_move,
    openings_of,
    pool_size,
    read_policy,
    score,
    single_of,
)
from .sweep cimport (
    FOUND,
    INTERRUPTED,
    NOTHING,
    OUT_OF_MEMORY,
    TILES,
    VALUE,
    WEIGHTS,
    look_for_signals,
    raise_status,
)
from .turns cimport (
    JOKER_AT,
    WIDE,
    Board,
    Turn,
    Turner,
    Turning,
    beside_turn,
    best_turn,
    clear_board,
    list_melds,
    meld_turn,
    smallest_opening,
)

from ...errors import SolverError

cdef enum:
    MOST_CHOICES = 80
    MOST_SAMPLES = 100000
    FIRST_LOOK = 4  # guesses before the first candidate is dropped
    SAFE_SETS = 8  # candidates of this kind
    ROUNDS = 6  # of looking for a smaller move that is better, when the pool is empty
    SELDOM = 12  # who waits lays in at most one of so many turns
    GUESSES = 6  # draws of one guess till it agrees with what was seen; then the last one is taken

cdef double DROPPED = 2  # standard errors
cdef double LEAST_VARIANCE = 0.01  # of a difference, in squared units of its scale: few guesses may agree by chance

cdef struct Plan:
    # What a search may do.
    int samples
    int near  # draws left at which it begins to look
    double margin
    double win_weight  # worth of a win in points
    Policy base
    Policy playing
    Policy laying  # of others who laid often

cdef struct Choice:
    bint idle
    bint dropped
    int games
    double total
    double wins
    double square
    double points
    double points_square
    double *worth  # of every guess
    Turn turn


# ---------------------------------------------------------------------------------------------------
# Candidates
# ---------------------------------------------------------------------------------------------------

cdef void add_choice(Choice *choices, int *count, const Turn *turn) noexcept nogil:
    """A candidate, unless one lays the same tiles. NULL: a draw or a pass."""
    cdef int i
    if count[0] == MOST_CHOICES:
        return
    for i in range(count[0]):
        if turn == NULL:
            if choices[i].idle:
                return
        elif not choices[i].idle and memcmp(choices[i].turn.laid, turn.laid, WIDE) == 0:
            return
    choices[count[0]].idle = turn == NULL
    if turn != NULL:
        choices[count[0]].turn = turn[0]
    count[0] += 1


cdef void safest_sets(Turner *t, const Game *g, Choice *choices, int *count) noexcept nogil:
    """Small sets of the own rack as candidates, without jokers, those first to which the others can put least."""
    cdef uint8_t bare[WIDE]
    cdef int i, loss, found = 0
    cdef Turn turn
    memcpy(bare, g.racks[g.active], WIDE)
    bare[JOKER_AT] = 0
    list_melds(t, bare)
    for loss in range(2 * t.ways.copies + 1):
        for i in range(t.meld_count):
            if t.melds[i].set.length <= SMALL_SET and openings_of(t, g, &t.melds[i].set) == loss:
                meld_turn(t, &g.board, &t.melds[i].set, &turn)
                add_choice(choices, count, &turn)
                found += 1
                if found == SAFE_SETS:
                    return


cdef int list_parts(Turner *t, const Game *g, const Turn *whole, Choice *choices, int *count) noexcept nogil:
    """A move, and the dearest moves that lay one of its tiles fewer."""
    cdef uint8_t rest[WIDE]
    cdef Turn turn
    cdef int i, status
    count[0] = 0
    add_choice(choices, count, whole)
    for i in range(WIDE):
        if whole.laid[i]:
            memcpy(rest, whole.laid, WIDE)
            rest[i] -= 1
            status = best_turn(t, &g.board, rest, g.opened[g.active], WEIGHTS, False, &turn)
            if status == FOUND:
                add_choice(choices, count, &turn)
            elif status != NOTHING:
                return status
    return FOUND


cdef int list_choices(Turner *t, Game *g, const Turn *base, Choice *choices, int *count) noexcept nogil:
    """All candidates, the base (NULL: a draw or a pass) first."""
    cdef const uint8_t *rack = g.racks[g.active]
    cdef bint opened = g.opened[g.active]
    cdef uint8_t less[WIDE]
    cdef uint8_t none[WIDE]
    cdef Board empty
    cdef Turn turn
    cdef int status, tile, i
    cdef bint any = False
    count[0] = 0
    add_choice(choices, count, base)
    for i in range(3):
        status = best_turn(t, &g.board, rack, opened, TILES if i == 0 else VALUE if i == 1 else WEIGHTS, False, &turn)
        if status == FOUND:
            add_choice(choices, count, &turn)
            any = True
        elif status != NOTHING:
            return status
    if not any or not bound(t, g):
        add_choice(choices, count, NULL)
    if not any:
        return FOUND
    if not opened:
        status = smallest_opening(t, &g.board, rack, &turn)
        if status == FOUND:
            add_choice(choices, count, &turn)
        elif status != NOTHING:
            return status
    if rack[JOKER_AT]:
        memcpy(less, rack, WIDE)
        less[JOKER_AT] = 0
        status = best_turn(t, &g.board, less, opened, TILES, False, &turn)
        if status == FOUND:
            add_choice(choices, count, &turn)
        elif status != NOTHING:
            return status
    if not opened:
        return FOUND
    clear_board(&empty)
    memset(none, 0, WIDE)
    status = beside_turn(t, &empty, none, rack, TILES, False, &turn)
    if status == FOUND:
        for i in range(WIDE):
            less[i] = rack[i] - turn.laid[i]
        # The own sets alone, then all but them.
        memcpy(none, turn.laid, WIDE)
        status = best_turn(t, &g.board, none, opened, TILES, True, &turn)
        if status == FOUND:
            add_choice(choices, count, &turn)
        elif status != NOTHING:
            return status
        status = best_turn(t, &g.board, less, opened, TILES, False, &turn)
        if status == FOUND:
            add_choice(choices, count, &turn)
        elif status != NOTHING:
            return status
    elif status != NOTHING:
        return status
    safest_sets(t, g, choices, count)
    for i in range(t.cells):
        tile = t.cells - 1 - i
        if rack[tile]:
            status = single_of(t, g, tile, &turn)
            if status == FOUND:
                add_choice(choices, count, &turn)
            elif status != NOTHING:
                return status
    return FOUND


# ---------------------------------------------------------------------------------------------------
# Guesses
# ---------------------------------------------------------------------------------------------------

cdef int could_not(Turner *t, Game *guess, int seat) noexcept nogil:
    """1 if it agrees with the guess that a seat drew in its last turn, 0 if not, negative how a search failed."""
    cdef uint8_t before[WIDE]
    cdef Turn turn
    cdef int i, tile = -1, status
    cdef int skip = <int>(guess.key % <uint64_t>guess.sizes[seat])
    memcpy(before, guess.racks[seat], WIDE)
    # Which tile it drew is not known: any of them.
    for i in range(WIDE):
        if before[i] > skip:
            tile = i
            break
        skip -= before[i]
    before[tile] -= 1
    if guess.sizes[seat] == 1:
        return 1
    status = best_turn(t, &guess.board, before, guess.opened[seat], TILES,
                       guess.opened[seat] and not t.ways.must_play, &turn)
    if status != FOUND and status != NOTHING:
        return -status
    return status == NOTHING


cdef int guess(Turner *t, const Game *g, int seat, uint64_t key, int number, Game *out) noexcept nogil:
    """Guess number `number`, drawn again while it does not agree with what was seen. FOUND, or a failure."""
    cdef int turn, other, agrees
    for turn in range(GUESSES):
        guess_racks(t, g, seat, key, number * GUESSES + turn, out)
        out.keyed = KEY_COUNTED
        out.key = key + number
        agrees = 1
        for other in range(g.players):
            if other != seat and g.drew[other] and g.sizes[other]:
                agrees = could_not(t, out, other)
                if agrees < 0:
                    return -agrees
                if not agrees:
                    break
        if agrees:
            return FOUND
    return FOUND


# ---------------------------------------------------------------------------------------------------
# Comparing
# ---------------------------------------------------------------------------------------------------

cdef bint lays_often(const Game *g, int seat) noexcept nogil:
    """Whether a player does not wait, as far as was seen."""
    return g.lays[seat] * SELDOM > g.lays[seat] + g.idles[seat]


cdef int play_choice(Turner *t, const Game *world, Choice *c, const Plan *plan, int seat, double *win,
                     double *points) noexcept nogil:
    cdef Game g = world[0]
    cdef Policy policies[MOST_PLAYERS]
    cdef double all_points[MOST_PLAYERS]
    cdef uint64_t winners
    cdef int i, status, shared = 0
    for i in range(g.players):
        policies[i] = plan.laying if i != seat and lays_often(&g, i) else plan.playing
    if c.idle:
        make_idle(t, &g)
    else:
        make_move(t, &g, &c.turn)
    status = finish_game(t, &g, policies)
    if status != FOUND:
        return status
    winners = score(t, &g, all_points)
    for i in range(g.players):
        shared += winners >> i & 1
    win[0] = <double>(winners >> seat & 1) / shared
    points[0] = all_points[seat]
    return FOUND


cdef double difference(const Choice *a, const Choice *b, int games, double scale, double *error) noexcept nogil:
    """Mean of what the first is worth more than the second in the same guesses, and its standard error."""
    cdef double total = 0, square = 0, d, mean, variance
    cdef int i
    for i in range(games):
        d = a.worth[i] - b.worth[i]
        total += d
        square += d * d
    mean = total / games
    variance = max(square / games - mean * mean, 0)
    error[0] = sqrt((variance + LEAST_VARIANCE * scale * scale) / games)
    return mean


cdef int compare(Turner *t, const Game *g, Choice *choices, int count, const Plan *plan, uint64_t key, int first,
                 bint drop, int *best) noexcept nogil:
    """Play all candidates in the plan's guesses, from number `first` on; `best` becomes the one to play.

    That is the first one unless another is better. drop: those that are worse are not played to the end.
    """
    cdef Game world
    cdef int number, i, status, seat = g.active, leader = 0, left = count
    cdef double win, points, mean, error, scale = plan.win_weight + 1 if pool_size(g) else 0
    # Two players and no pool: nothing is unseen but one rack.
    for number in range(1 if g.players == 2 and pool_size(g) == 0 else plan.samples):
        if drop and left == 1:
            break
        status = guess(t, g, seat, key, first + number, &world)
        if status != FOUND:
            return status
        for i in range(count):
            if choices[i].dropped:
                continue
            status = play_choice(t, &world, &choices[i], plan, seat, &win, &points)
            if status != FOUND:
                return status
            choices[i].worth[number] = plan.win_weight * win + points
            choices[i].total += choices[i].worth[number]
            choices[i].wins += win
            choices[i].square += win * win
            choices[i].points += points
            choices[i].points_square += points * points
            choices[i].games += 1
        if look_for_signals(t.work):
            return INTERRUPTED
        leader = 0
        for i in range(count):
            if not choices[i].dropped and (choices[leader].dropped or choices[i].total > choices[leader].total):
                leader = i
        if drop and number + 1 >= FIRST_LOOK:
            for i in range(count):
                if i != leader and not choices[i].dropped:
                    mean = difference(&choices[leader], &choices[i], number + 1, scale, &error)
                    if mean > DROPPED * error:
                        choices[i].dropped = True
                        left -= 1
    best[0] = leader
    if leader and not choices[0].dropped:
        mean = difference(&choices[leader], &choices[0], choices[0].games, scale, &error)
        if mean < plan.margin * error:
            best[0] = 0
    return FOUND


cdef Choice *new_choices(int samples) noexcept nogil:
    cdef Choice *choices = <Choice *>calloc(MOST_CHOICES, sizeof(Choice))
    cdef double *worth
    cdef int i
    if choices == NULL:
        return NULL
    worth = <double *>calloc(MOST_CHOICES * samples, sizeof(double))
    if worth == NULL:
        free(choices)
        return NULL
    for i in range(MOST_CHOICES):
        choices[i].worth = &worth[i * samples]
    return choices


cdef void reset_choices(Choice *choices) noexcept nogil:
    cdef int i
    cdef double *worth
    for i in range(MOST_CHOICES):
        worth = choices[i].worth
        memset(&choices[i], 0, sizeof(Choice))
        choices[i].worth = worth


cdef void free_choices(Choice *choices) noexcept nogil:
    if choices != NULL:
        free(choices[0].worth)
        free(choices)


cdef bint worth_a_look(Turner *t, const Game *g, const Plan *plan) noexcept nogil:
    return t.ways.must_play or pool_size(g) <= plan.near * t.ways.draw


cdef int search_act(Turner *t, Game *g, const Plan *plan, Turn *out) noexcept nogil:
    """What the searching player does: FOUND with a move, NOTHING for a draw or a pass, or how a search failed."""
    cdef Choice *choices
    cdef uint64_t key = 0
    cdef int status = act(t, g, &plan.base, out), count = 0, best = 0, failed
    if status == FOUND and out.tiles == g.sizes[g.active]:
        return FOUND
    if (status != FOUND and status != NOTHING) or not worth_a_look(t, g, plan):
        return status
    failed = decision_key(t, g, &key)
    if failed != FOUND:
        return failed
    choices = new_choices(plan.samples)
    if choices == NULL:
        return OUT_OF_MEMORY
    failed = list_choices(t, g, out if status == FOUND else NULL, choices, &count)
    if failed == FOUND and count > 1:
        failed = compare(t, g, choices, count, plan, key, 0, True, &best)
    if failed == FOUND:
        status = NOTHING if choices[best].idle else FOUND
        out[0] = choices[best].turn
    # With an empty pool what the others hold is all but known, and what is held back may decide.
    for _turn in range(ROUNDS if pool_size(g) == 0 and g.opened[g.active] else 0):
        if failed != FOUND or status != FOUND:
            break
        reset_choices(choices)
        failed = list_parts(t, g, out, choices, &count)
        if failed == FOUND:
            failed = compare(t, g, choices, count, plan, key, 0, True, &best)
        if best == 0:
            break
        out[0] = choices[best].turn
    free_choices(choices)
    return status if failed == FOUND else failed


# ---------------------------------------------------------------------------------------------------
# The door
# ---------------------------------------------------------------------------------------------------

cdef int read_plan(tuple values, Plan *p) except -1:
    samples, near, margin, win_weight, base, playing, laying = values
    if not 1 <= samples <= MOST_SAMPLES:
        raise SolverError(f"samples: must be 1 to {MOST_SAMPLES}, not {samples}")
    p.samples = samples
    p.near = near
    p.margin = margin
    p.win_weight = win_weight
    read_policy(base, &p.base)
    read_policy(playing, &p.playing)
    read_policy(laying, &p.laying)
    return 0


cdef class Searching(Playouts):
    """Playouts with players that search. Arguments and threads as there.

    A plan is (samples, near, margin, win_weight, base policy, policy of the playouts, policy there of others
    who laid often); see the head of the module.
    """

    def search(self, tuple plan not None, moment, key):
        """What the searching player does: (tiles laid, sets after it), or None for a draw or a pass."""
        cdef Plan p
        cdef Game g
        cdef Turn turn
        cdef int status
        cdef Turning turning
        read_plan(plan, &p)
        self.read_moment(moment, key, &g)
        turning = self.borrow()
        with nogil:
            status = search_act(&turning.t, &g, &p, &turn)
        return self.answered(turning, status, &turn)

    def weigh(self, tuple plan not None, moment, key, int first=0, list chosen=None, watch=None):
        """All candidates in the plan's guesses, from number `first` on, none dropped: the base first.

        chosen: (tiles, table) or None for a draw or a pass: these instead. watch: a function that is called where
        Ctrl-C is looked for; what it raises ends the search. A list of (tiles and table or None, guesses, sum of wins,
        of their squares, sum of points, of their squares).
        """
        cdef Plan p
        cdef Game g
        cdef Turn turn
        cdef int status, count = 0, best = 0, i, k, held, there
        cdef Turning turning
        cdef Turner *t
        cdef Choice *choices
        cdef list out = []
        read_plan(plan, &p)
        self.read_moment(moment, key, &g)
        turning = self.borrow()
        t = &turning.t
        t.work.watch = NULL if watch is None else <PyObject *>watch
        choices = new_choices(p.samples)
        try:
            if choices == NULL:
                raise MemoryError
            if chosen is None:
                with nogil:
                    status = act(t, &g, &p.base, &turn)
                    if status == FOUND or status == NOTHING:
                        status = list_choices(t, &g, &turn if status == FOUND else NULL, choices, &count)
            else:
                status = FOUND
                for found in chosen[:MOST_CHOICES]:
                    if found is None:
                        add_choice(choices, &count, NULL)
                        continue
                    self.read_rack(found[0], turn.laid)
                    self.read_board(found[1], &turn.after)
                    turn.tiles = len(found[0])
                    for k in range(WIDE):
                        if turn.laid[k] > g.racks[g.active][k]:
                            raise SolverError("chosen: lays a tile that is not in the rack")
                        held = turn.after.jokers if k == JOKER_AT else turn.after.counts[k]
                        there = g.board.jokers if k == JOKER_AT else g.board.counts[k]
                        if held != there + turn.laid[k]:
                            raise SolverError("chosen: a table has other tiles than before and laid ones")
                    add_choice(choices, &count, &turn)
            if status == FOUND:
                with nogil:
                    status = compare(t, &g, choices, count, &p, g.key, first, False, &best)
            if status != FOUND:
                raise_status(t.work, status)
            for i in range(count):
                out.append((
                    None if choices[i].idle else self.move_of(&choices[i].turn),
                    choices[i].games,
                    choices[i].wins,
                    choices[i].square,
                    choices[i].points,
                    choices[i].points_square,
                ))
        finally:
            free_choices(choices)
        t.work.watch = NULL
        self.give_back(turning)
        return out

    def match(self, list players not None, seed, first, count):
        """(Points of every seat, winners) of the games first to first + count - 1, as `games.play` has them.

        A player is a policy or a plan.
        """
        cdef Plan plans[MOST_PLAYERS]
        cdef bint searches[MOST_PLAYERS]
        cdef Game g
        cdef Turn turn
        cdef double points[MOST_PLAYERS]
        cdef uint64_t winners
        cdef int n = len(players), i, status = FOUND
        cdef int64_t index
        cdef Turning turning
        cdef Turner *t
        cdef list out = []
        if not 2 <= n <= MOST_PLAYERS:
            raise SolverError(f"players: must be 2 to {MOST_PLAYERS}, not {n}")
        for i in range(n):
            searches[i] = not isinstance(players[i][0], str)
            if searches[i]:
                read_plan(players[i], &plans[i])
            else:
                read_policy(players[i], &plans[i].base)
        turning = self.borrow()
        t = &turning.t
        for index in range(first, first + count):
            self.begin(t, &g, n, seed, index)
            with nogil:
                while not g.over:
                    if searches[g.active]:
                        status = search_act(t, &g, &plans[g.active], &turn)
                    else:
                        status = act(t, &g, &plans[g.active].base, &turn)
                    if status == FOUND:
                        make_move(t, &g, &turn)
                    elif status == NOTHING:
                        make_idle(t, &g)
                    else:
                        break
                if (status == FOUND or status == NOTHING) and look_for_signals(t.work):
                    status = INTERRUPTED
                winners = score(t, &g, points)
            if status != FOUND and status != NOTHING:
                raise_status(t.work, status)
            out.append((tuple([points[i] for i in range(n)]), tuple([i for i in range(n) if winners >> i & 1])))
        self.give_back(turning)
        return out
