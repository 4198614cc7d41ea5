"""Answers to a play of Setup in random deals of the hidden tiles.

A deal is a random order of the unseen tiles, drawn from the words of one stream (solver/streams.py): sample number n
uses its own words, so candidates are compared on the same deals, and any part of the samples can be had at any time.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from solver.streams cimport stream_below, stream_word

from .board cimport HALF_HAND, MAX_HAND, MAX_TILES, NO_TILE, PLACED_SHIFT, SEAT_COUNT, Record
from .known cimport read_race
from .plays cimport Plays, enumerate_plays
from .race cimport Race, take
from .work cimport GOING, MOST, Search, load, monotonic_now, poll, raise_stop

cdef enum:
    # Words of the stream that one sample may use.
    SAMPLE_WORDS = 4096
    POLL_PLAYS = 64


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
            double seconds=0, watch=None):
    """Points of the best answer to each candidate in each deal, as bytes: one row of `deals` bytes a candidate.

    records: 24 bytes a candidate as of `Plays.records`, with no tiles placed for a swap. answerer: the seat that
    answers; he holds 4 unseen tiles, as does everybody of the `others` players, then after a play the common hand is
    refilled from the rest, and from the covered tiles when the bag is empty. deals 0: the answers with the common
    tiles that are left and no others, one byte a candidate. seconds: time limit, 0 for none (LimitReached).
    watch: a function that is called where Ctrl-C is looked for; what it raises ends the search.
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
        s.watch = NULL if watch is None else <PyObject*> watch
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
