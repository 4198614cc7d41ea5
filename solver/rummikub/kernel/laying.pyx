"""The best moves where no opening is asked for: with the whole table, or beside it."""

from .asking cimport append_result, ask, laid_of, weigh
from .board cimport CELLS, JOKER_AT, clear_board
from .branching cimport by_cases
from .freeing cimport fits
from .work cimport FOUND


cdef int opened_turn(Turner *t, const Board *b, const uint8_t *forced, const uint8_t *rack, int objective,
                     bint everything, Turn *out) noexcept nogil:
    """The best move that lays `forced` and any of `rack` (which are other tiles)."""
    cdef uint8_t must[CELLS]
    cdef int i, status
    cdef bint empty = forced[JOKER_AT] > 0
    for i in range(t.cells):
        must[i] = b.counts[i] + forced[i]
        empty = empty or forced[i] > 0
    status = ask(t, must, rack, b.jokers + forced[JOKER_AT], rack[JOKER_AT], objective, everything, empty)
    if status != FOUND:
        return status
    laid_of(t, forced, out.laid)
    weigh(t, objective, out)
    clear_board(&out.after)
    append_result(t, &out.after)
    if not b.jokers or not (t.ways.replace or t.ways.new) or fits(t, b, out):
        return FOUND
    return by_cases(t, b, forced, rack, objective, everything, out)


cdef int beside_turn(Turner *t, const Board *b, const uint8_t *forced, const uint8_t *rack, int objective,
                     bint everything, Turn *out) noexcept nogil:
    """The best sets of the rack beside the table as it is."""
    cdef int i, status
    cdef bint empty = forced[JOKER_AT] > 0
    for i in range(t.cells):
        empty = empty or forced[i] > 0
    status = ask(t, forced, rack, forced[JOKER_AT], rack[JOKER_AT], objective, everything, empty)
    if status != FOUND:
        return status
    laid_of(t, forced, out.laid)
    weigh(t, objective, out)
    out.after = b[0]
    append_result(t, &out.after)
    return FOUND
