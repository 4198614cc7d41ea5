"""One case: its best move, which may be the best so far, or the case waits to be decided further."""

from libc.stdlib cimport realloc

from .asking cimport append_result, ask, better, laid_of, weigh
from .board cimport WIDE, add_set, bit, clear_board
from .freeing cimport fits
from .work cimport FOUND, NOTHING, OUT_OF_MEMORY, OUT_OF_NODES

cdef enum:
    MOST_CASES = 1 << 16  # that wait: some ten megabytes


cdef int solve_case(Turner *t, Case *c, int objective, bint everything, Turn *out) noexcept nogil:
    """The best answer of a case as a move, and its worth as the bound of the case."""
    cdef int i, k, holder, status
    cdef bint empty = False
    for i in range(WIDE):
        empty = empty or c.laid[i] > 0
    status = ask(t, c.must, c.may, c.loose + c.handed, c.spare, objective, everything, empty)
    if status != FOUND:
        return status
    laid_of(t, c.laid, out.laid)
    weigh(t, objective, out)
    c.first = out.first
    c.second = out.second
    clear_board(&out.after)
    append_result(t, &out.after)
    # A joker that stays takes the place of the tile that it was counted as.
    for k in range(c.stay_count):
        holder = -1
        for i in range(out.after.sets):
            if out.after.set[i].mask & bit(c.stays[k]):
                holder = i
                break
        out.after.set[holder].mask &= ~bit(c.stays[k])
        out.after.set[holder].jokers += 1
        out.after.counts[c.stays[k]] -= 1
        out.after.jokers += 1
    for i in range(c.sets):
        add_set(&out.after, &c.set[i])
    return FOUND


cdef bint push_case(Turner *t, const Case *c) noexcept nogil:
    cdef Case *grown
    if t.case_count == t.case_room:
        grown = <Case *>realloc(t.cases, 2 * t.case_room * sizeof(Case))
        if grown == NULL:
            return False
        t.cases = grown
        t.case_room *= 2
    t.cases[t.case_count] = c[0]
    t.case_count += 1
    return True


cdef int try_case(Turner *t, const Board *b, Case *c, int objective, bint everything, Turn *best) noexcept nogil:
    """Solve a case: a legal answer may be the best so far, one that is not is kept to be decided further."""
    cdef int status = solve_case(t, c, objective, everything, t.trial)
    if status == NOTHING:
        return FOUND
    if status != FOUND:
        return status
    if not better(c.first, c.second, best.first, best.second):
        return FOUND
    if fits(t, b, t.trial):
        best[0] = t.trial[0]
        return FOUND
    if c.loose:
        if t.case_count >= MOST_CASES:
            return OUT_OF_NODES
        if not push_case(t, c):
            return OUT_OF_MEMORY
    return FOUND
