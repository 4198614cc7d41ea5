# Where plays go that are found.
from libc.stdint cimport int64_t, uint64_t

from .board cimport ALL, Record
from .work cimport BEST, MOST, Search, step

cdef bint comes_before(const Record* a, const Record* b) noexcept nogil
cdef void keep_best(Search* s, const Record* record) noexcept nogil
cdef void make_room(Search* s) noexcept nogil


cdef inline void emit(Search* s, uint64_t tiles, uint64_t squares, int count, uint64_t counts) noexcept nogil:
    # tiles and squares with zeros behind the last; `count` of them are used.
    cdef Record record
    cdef uint64_t unused
    step(s)
    if s.mode == MOST:
        if <int> (counts & 255) > s.most:
            s.most = <int> (counts & 255)
        return
    if s.bounded and s.weights[0] * <int64_t> (counts & 255) < s.floor:
        s.total += 1
        return
    if s.skip:
        s.skip -= 1
        return
    unused = ALL << (8 * count) if count < 8 else 0
    record.tiles = tiles | unused
    record.squares = squares | unused
    record.counts = counts
    if s.mode == BEST:
        keep_best(s, &record)
        return
    if s.total == s.capacity:
        make_room(s)
        if s.stop:
            return
    s.records[s.total] = record
    s.total += 1
