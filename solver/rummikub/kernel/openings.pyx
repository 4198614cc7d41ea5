"""Openings: the best move that lays certain melds, best first over the melds, until the threshold is reached."""

from libc.stdint cimport int64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from .asking cimport append_result, ask, better, weigh
from .board cimport CELLS, JOKER_AT, MIN_SET, WIDE, add_set, canonical, clear_board, faces, value_of
from .laying cimport beside_turn, opened_turn
from .melds cimport list_melds, move_meld
from .questions cimport FACE, TILES, VALUE
from .room cimport FACES, FORBIDDEN
from .work cimport FOUND, NOTHING, OUT_OF_MEMORY


cdef int most_value(Turner *t, const uint8_t *tiles, bint every) noexcept nogil:
    """Greatest opening value of sets of these tiles alone, -1 if there is none; with `every` tile in a set.

    Negative below that: a status of the search.
    """
    cdef uint8_t none[CELLS]
    cdef int jokers = tiles[JOKER_AT], status, i, worth = 0
    cdef int objective = FACE if t.ways.opening_joker == FACES and jokers else VALUE
    cdef Board *b = &t.trial.after
    if t.ways.opening_joker == FORBIDDEN:
        jokers = 0
    memset(none, 0, CELLS)
    if every:
        status = ask(t, tiles, none, jokers, 0, objective, False, True)
    else:
        status = ask(t, none, tiles, 0, jokers, objective, False, True)
    if status == NOTHING:
        return -1
    if status != FOUND:
        return -1 - status
    clear_board(b)
    append_result(t, b)
    if objective == VALUE:
        return value_of(b.counts, t.cells)
    for i in range(b.sets):
        worth += faces(&b.set[i], t.ways.numbers, t.ways.colors)
    return worth


cdef int opens(Turner *t, const Turn *turn) noexcept nogil:
    """1 if what is laid reaches the threshold as the rules ask, 0 if not, negative a status of the search."""
    cdef int worth
    if not t.ways.uses_table:
        if t.ways.opening_joker != FACES or turn.value >= t.ways.threshold:
            return turn.value >= t.ways.threshold
        worth = most_value(t, turn.laid, True)
    else:
        worth = most_value(t, turn.laid, False)
    return worth if worth < -1 else worth >= t.ways.threshold


cdef int opening_from(Turner *t, const Board *b, const uint8_t *forced, const uint8_t *rack, int last, int worth,
                      int objective, bint everything, int64_t first, int64_t second, Turn *here,
                      Turn *best) noexcept nogil:
    """Branch and bound over the melds from `last` on, besides those in `forced`; `here` is room for a move."""
    cdef uint8_t more[WIDE]
    cdef uint8_t left[WIDE]
    cdef int i, status, reached, value
    for i in range(last, t.meld_count):
        if best.first == first and best.second == second:
            return FOUND
        memcpy(more, forced, WIDE)
        memcpy(left, rack, WIDE)
        if not move_meld(&t.melds[i].set, left, more):
            continue
        value = worth + t.melds[i].value
        if t.ways.uses_table:
            status = opened_turn(t, b, more, left, objective, everything, here)
        else:
            status = beside_turn(t, b, more, left, objective, everything, here)
        if status == NOTHING:
            continue
        if status != FOUND:
            return status
        if not better(here.first, here.second, best.first, best.second):
            continue
        reached = 1 if value >= t.ways.threshold else opens(t, here)
        if reached < 0:
            return -reached - 1
        if reached:
            best[0] = here[0]
            continue
        status = opening_from(t, b, more, left, i, value, objective, everything, first, second, here, best)
        if status != FOUND:
            return status
    return FOUND


cdef int opening_turn(Turner *t, const Board *b, const uint8_t *rack, int objective, bint everything,
                      Turn *out) noexcept nogil:
    """The best move that opens."""
    cdef uint8_t none[WIDE]
    cdef uint8_t supply[WIDE]
    cdef int worth, status, reached
    cdef Turn *here
    memcpy(supply, rack, WIDE)
    if t.ways.opening_joker == FORBIDDEN and not t.ways.uses_table:
        supply[JOKER_AT] = 0
        if everything and rack[JOKER_AT]:
            return NOTHING
    worth = most_value(t, supply, False)
    if worth < -1:
        return -worth - 1
    if worth < t.ways.threshold:
        return NOTHING
    memset(none, 0, WIDE)
    if t.ways.uses_table:
        status = opened_turn(t, b, none, supply, objective, everything, out)
    else:
        status = beside_turn(t, b, none, supply, objective, everything, out)
    if status != FOUND:
        return status
    reached = opens(t, out)
    if reached < 0:
        return -reached - 1
    if reached:
        return FOUND
    here = <Turn *>malloc(sizeof(Turn))
    if here == NULL:
        return OUT_OF_MEMORY
    memcpy(none, supply, WIDE)
    if t.ways.opening_joker == FORBIDDEN:
        none[JOKER_AT] = 0
    list_melds(t, none)
    memset(none, 0, WIDE)
    worth = 0
    here.first = out.first
    here.second = out.second
    out.first = -1
    out.second = -1
    status = opening_from(t, b, none, supply, 0, 0, objective, everything, here.first, here.second, here, out)
    free(here)
    if status == FOUND and out.first < 0:
        return NOTHING
    return status


cdef struct Small:
    # The smallest opening so far: which melds.
    int tiles
    int jokers
    int value
    int count
    int chosen[CELLS]


cdef void smallest_from(Turner *t, const uint8_t *supply, int last, int tiles, int jokers, int value, int count,
                        int *chosen, Small *best) noexcept nogil:
    cdef uint8_t left[WIDE]
    cdef uint8_t none[WIDE]
    cdef int i, lacking = t.ways.threshold - value, size, used, worth
    memset(none, 0, WIDE)
    # No tile is worth more than the highest number.
    if tiles + max(<int>MIN_SET, (lacking + t.ways.numbers - 1) // t.ways.numbers) > best.tiles:
        return
    for i in range(last, t.meld_count):
        worth = t.melds[i].value
        # The melds to come are not dearer than this one.
        if worth == 0 or tiles + MIN_SET * ((lacking + worth - 1) // worth) > best.tiles:
            return
        size = tiles + t.melds[i].set.length
        used = jokers + t.melds[i].set.jokers
        if size > best.tiles:
            continue
        memcpy(left, supply, WIDE)
        if not move_meld(&t.melds[i].set, left, none):
            continue
        chosen[count] = i
        if worth < lacking:
            smallest_from(t, left, i, size, used, value + worth, count + 1, chosen, best)
        elif size < best.tiles or used < best.jokers or (used == best.jokers and value + worth > best.value):
            best.tiles = size
            best.jokers = used
            best.value = value + worth
            best.count = count + 1
            memcpy(best.chosen, chosen, (count + 1) * sizeof(int))


cdef int smallest_opening(Turner *t, const Board *b, const uint8_t *rack, Turn *out) noexcept nogil:
    """The opening of the fewest tiles; of those the fewest jokers, then the most value, then the dearest melds."""
    cdef uint8_t supply[WIDE]
    cdef int chosen[CELLS]
    cdef int i, worth
    cdef Small best
    memcpy(supply, rack, WIDE)
    if t.ways.opening_joker == FORBIDDEN:
        supply[JOKER_AT] = 0
    worth = most_value(t, supply, False)
    if worth < -1:
        return -worth - 1
    if worth < t.ways.threshold:
        return NOTHING
    list_melds(t, supply)
    best.tiles = CELLS
    best.jokers = 0
    best.value = 0
    best.count = 0
    smallest_from(t, supply, 0, 0, 0, 0, 0, chosen, &best)
    if not best.count:
        return NOTHING
    memset(out.laid, 0, WIDE)
    out.after = b[0]
    for i in range(best.count):
        move_meld(&t.melds[best.chosen[i]].set, supply, out.laid)
        add_set(&out.after, &t.melds[best.chosen[i]].set)
    weigh(t, TILES, out)
    canonical(&out.after, t.ways.numbers)
    return FOUND
