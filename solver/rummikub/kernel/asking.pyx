"""A turn as count problems for the sweep: the question, what its answer lays, its sets, its worth."""

from libc.stdint cimport int16_t, uint8_t
from libc.string cimport memcpy

from .board cimport JOKER_AT, WIDE, Set, add_set, bit, count_of, value_of
from .building cimport JOKER_ANY, JOKER_AS
from .lanes cimport LANES
from .questions cimport FACE, TILES, WEIGHTS, Question, Result, answer, result_of


cdef int ask(Turner *t, const uint8_t *must, const uint8_t *may, int jokers_must, int jokers_may, int objective,
             bint everything, bint empty) noexcept nogil:
    cdef Question q
    q.table = must
    q.rack = may
    q.table_jokers = jokers_must
    q.rack_jokers = jokers_may
    q.objective = objective
    q.weights = t.penalties if objective == WEIGHTS else NULL
    q.all = everything
    q.empty = empty
    q.explicit = objective == FACE
    return answer(t.work, t.cache, &q)


cdef void laid_of(Turner *t, const uint8_t *decided, uint8_t *laid) noexcept nogil:
    """What the last answer lays beside what was decided."""
    cdef Result r
    cdef int i
    result_of(t.work, &r)
    memcpy(laid, decided, WIDE)
    for i in range(t.cells):
        laid[i] += r.laid[i]
    laid[JOKER_AT] += r.laid[t.cells]


cdef void read_set(const int16_t *tiles, int length, Set *s) noexcept nogil:
    """A set of the sweep."""
    cdef int i, real = 0, here, first_number = 0
    s.mask = 0
    s.jokers = 0
    s.length = length
    s.run = False
    for i in range(length):
        if tiles[i] & JOKER_AS:
            s.run = True
        if tiles[i] & (JOKER_AS | JOKER_ANY):
            s.jokers += 1
            continue
        here = tiles[i] // LANES
        if real and here != first_number:
            s.run = True
        if not real:
            first_number = here
        s.mask |= bit(tiles[i])
        real += 1
    # The first real tile of a run tells where it begins.
    s.first = first_number
    if s.run:
        for i in range(length):
            if not tiles[i] & (JOKER_AS | JOKER_ANY):
                s.first = first_number - i
                break


cdef void append_result(Turner *t, Board *b) noexcept nogil:
    """The sets of the last answer, on top of those of the table."""
    cdef Result r
    cdef int at = 0
    cdef Set s
    result_of(t.work, &r)
    while at < r.sets_length:
        read_set(&r.sets[at + 1], r.sets[at], &s)
        add_set(b, &s)
        at += 1 + r.sets[at]


cdef void weigh(Turner *t, int objective, Turn *out) noexcept nogil:
    """The worth of what is laid."""
    cdef int jokers = out.laid[JOKER_AT]
    out.tiles = count_of(out.laid, t.cells) + jokers
    out.value = value_of(out.laid, t.cells)
    if objective == TILES:
        out.first = out.tiles
        out.second = out.value
    else:
        out.first = out.value + (jokers * t.ways.joker_penalty if objective == WEIGHTS else 0)
        out.second = out.tiles
