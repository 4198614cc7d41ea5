"""Plays that are found: counted, collected, or kept in the list of the best ones."""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport realloc

from .board cimport BONUS_BYTES, OWN_SHIFT, PLACED_SHIFT, SEAT_COUNT, Record
from .bounds cimport style_of, swap_bytes
from .work cimport BONUS_SHIFT, FULL, KEY_SHIFT, NO_MEMORY, Search


cdef bint comes_before(const Record* a, const Record* b) noexcept nogil:
    # The fixed order: tiles, then squares, as sequences.
    cdef const uint8_t* x = <const uint8_t*> &a.tiles
    cdef const uint8_t* y = <const uint8_t*> &b.tiles
    cdef int n = <int> ((a.counts >> PLACED_SHIFT) & 255)
    cdef int m = <int> ((b.counts >> PLACED_SHIFT) & 255)
    cdef int i
    for i in range(min(n, m)):
        if x[i] != y[i]:
            return x[i] < y[i]
    if n != m:
        return n < m
    x = <const uint8_t*> &a.squares
    y = <const uint8_t*> &b.squares
    for i in range(n):
        if x[i] != y[i]:
            return x[i] < y[i]
    return False


cdef void keep_best(Search* s, const Record* record) noexcept nogil:
    cdef uint64_t counts = record.counts
    cdef int64_t value = s.weights[0] * <int64_t> (counts & 255)
    cdef int64_t bonus = 0
    cdef int64_t key
    cdef int i
    if counts & BONUS_BYTES:
        for i in range(SEAT_COUNT):
            value += s.weights[i + 1] * <int64_t> ((counts >> (8 * (i + 1))) & 255)
            if s.given >> i & 1:
                bonus += <int64_t> ((counts >> (8 * (i + 1))) & 255)
    if s.style != NULL:
        value += style_of(s, record)
    if s.total == 0 or value > s.top_value:
        s.top_value = value
        s.ties = 0
    if value == s.top_value:
        s.ties += 1
    s.total += 1
    key = value * (1 << KEY_SHIFT)
    if not s.plain:
        key -= bonus * (1 << BONUS_SHIFT) + <int64_t> ((counts >> OWN_SHIFT) & 255)
    i = s.best_count
    if key < s.floor_key:
        return
    if i == s.best_wanted:
        if key < s.best[i - 1].key:
            return
        if key == s.best[i - 1].key and not comes_before(record, &s.best[i - 1].record):
            return
        i -= 1
    else:
        s.best_count += 1
    while i > 0 and (s.best[i - 1].key < key
                     or (s.best[i - 1].key == key and comes_before(record, &s.best[i - 1].record))):
        s.best[i] = s.best[i - 1]
        i -= 1
    s.best[i].key = key
    s.best[i].record = record[0]
    if s.best_count == s.best_wanted:
        s.floor_key = s.best[s.best_count - 1].key
        s.floor_tiles = swap_bytes(s.best[s.best_count - 1].record.tiles)
        s.floor = (s.best[s.best_count - 1].key + (1 << KEY_SHIFT) - 1) >> KEY_SHIFT


cdef void make_room(Search* s) noexcept nogil:
    cdef uint64_t capacity = s.capacity * 2
    cdef Record* records
    if s.total >= s.limit:
        s.stop = FULL
        return
    if capacity > s.limit:
        capacity = s.limit
    records = <Record*> realloc(s.records, capacity * sizeof(Record))
    if records == NULL:
        s.stop = NO_MEMORY
        return
    s.records = records
    s.capacity = capacity
