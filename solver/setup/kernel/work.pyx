"""The work space of a search for plays: a position is loaded into it; the one poll point ends it."""

from cpython.object cimport PyObject
from libc.stdint cimport int8_t, uint8_t, uint64_t
from libc.string cimport memset

from ...errors import LimitReached
from .board cimport ALL, ALL_SEATS, NO_TILE, ONE, Geometry, spread
from .joins cimport near_run

cdef extern from * nogil:
    """
    #include <time.h>
    static inline double monotonic_seconds(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
    }
    """
    double monotonic_seconds()

cdef extern from "Python.h":
    # Without `except`, so that the error stays set until raise_stop lets it out.
    int PyErr_CheckSignals() noexcept
    PyObject* PyObject_CallNoArgs(PyObject*) noexcept
    void Py_XDECREF(PyObject*) noexcept

cdef enum:
    POLL_EVERY = 1 << 12

cdef double SIGNAL_SECONDS = 0.05


cdef double monotonic_now() noexcept nogil:
    return monotonic_seconds()


cdef void poll(Search* s) noexcept nogil:
    # The one poll point: the deadline, and now and then Ctrl-C and a caller's watch, for which threads must wait for
    # each other.
    cdef double now = monotonic_seconds()
    cdef PyObject* answer
    s.until_poll = POLL_EVERY
    if s.deadline > 0 and now > s.deadline:
        s.stop = TIME
        return
    if s.signal_at == 0:
        s.signal_at = now + SIGNAL_SECONDS
    if now < s.signal_at:
        return
    s.signal_at = now + SIGNAL_SECONDS
    with gil:
        if PyErr_CheckSignals() != 0:
            s.stop = INTERRUPTED
        elif s.watch != NULL:
            answer = PyObject_CallNoArgs(s.watch)
            Py_XDECREF(answer)
            if answer == NULL:
                s.stop = INTERRUPTED


cdef int restore_error() except -1:
    # The error indicator was set by PyErr_CheckSignals or the watch.
    return -1


cdef int raise_stop(int stop) except -1:
    if stop == INTERRUPTED:
        restore_error()
    if stop == NO_MEMORY:
        raise MemoryError("no memory for the plays of this position")
    if stop == TIME:
        raise LimitReached("seconds: the time limit was reached before all plays were found")
    return 0


cdef void load_board(Search* s, const Geometry* g, const uint8_t* tops) noexcept nogil:
    # tops: a byte a square.
    cdef int i, tile
    s.g = g
    s.shows = 0
    memset(s.where, 0xFF, g.slots)
    memset(s.shown, 0, (g.numbers + 2) * sizeof(uint64_t))
    for i in range(g.squares):
        tile = tops[i]
        if tile != NO_TILE:
            s.where[g.slot[tile]] = <int8_t> i
            s.shows |= ONE << i
            s.shown[g.number[tile]] |= ONE << i


cdef void load_hand(Search* s, const uint8_t* hand, const uint8_t* own, int hand_count, int mover) noexcept nogil:
    # To a loaded board: who moves, and tiles in any order.
    cdef const Geometry* g = s.g
    cdef int i, j, k, tile
    s.mover = mover
    s.open = g.open[mover]
    s.keep = ALL ^ (<uint64_t> 255 << (8 * (mover + 1)))
    s.style = NULL
    s.given = ALL_SEATS
    s.plain = False
    s.bounded = False
    s.pruned = False
    s.least = 0
    s.hand_count = hand_count
    for i in range(hand_count):
        tile = hand[i]
        j = i
        while j > 0 and s.hand[j - 1] > tile:
            s.hand[j] = s.hand[j - 1]
            s.own[j] = s.own[j - 1]
            j -= 1
        s.hand[j] = <uint8_t> tile
        s.own[j] = own[i]
    for i in range(hand_count):
        tile = s.hand[i]
        s.hot_group[i] = spread(g, s.shown[g.number[tile]])
        s.hot_run[i] = near_run(s, g.slot[tile])
        s.after[i] = -1
        for j in range(i + 1, hand_count):
            if g.suit[s.hand[j]] == g.suit[tile]:
                k = g.slot[tile] + 1
                while k < g.slot[s.hand[j]] and s.where[k] >= 0:
                    k += 1
                if k == g.slot[s.hand[j]]:
                    s.after[i] = j
                break
    s.stop = GOING
    s.total = 0
    s.most = 0
    s.skip = 0
    s.best_count = 0
    s.ties = 0
    s.top_value = 0
    s.until_poll = POLL_EVERY
    s.deadline = 0


cdef void load(Search* s, const Geometry* g, const uint8_t* tops, const uint8_t* hand, const uint8_t* own,
               int hand_count, int mover) noexcept nogil:
    # Everything but mode and outputs.
    load_board(s, g, tops)
    load_hand(s, hand, own, hand_count, mover)
