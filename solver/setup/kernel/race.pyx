"""The state of a game: drawing, playing, swapping, and who has won."""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy

from solver.streams cimport stream_below, stream_word

from .board cimport HALF_HAND, MAX_TILES, NO_TILE, PLACED_SHIFT, SEAT_COUNT, Record


cdef inline uint64_t next_word(Race* r) noexcept nogil:
    r.counter += 1
    return stream_word(r.key, r.counter)


cdef void shuffle(Race* r, uint8_t* tiles, int count) noexcept nogil:
    cdef int i, j
    cdef uint8_t held
    for i in range(count - 1, 0, -1):
        j = <int> stream_below(next_word(r), i + 1)
        held = tiles[i]
        tiles[i] = tiles[j]
        tiles[j] = held


cdef void mix(Race* r) noexcept nogil:
    # The bag in the order in which it is drawn from its end.
    cdef uint64_t words[MAX_TILES]
    cdef uint64_t word
    cdef int i, j
    cdef uint8_t tile
    if not r.drawn_by_word:
        shuffle(r, r.bag, r.bag_count)
        return
    for i in range(r.bag_count):
        tile = r.bag[i]
        word = stream_word(r.key, MIX_WORD + r.mixed * MAX_TILES + tile)
        j = i
        while j > 0 and (words[j - 1] < word or (words[j - 1] == word and r.bag[j - 1] < tile)):
            words[j] = words[j - 1]
            r.bag[j] = r.bag[j - 1]
            j -= 1
        words[j] = word
        r.bag[j] = tile


cdef void recycle(Race* r) noexcept nogil:
    # Whenever the bag is empty, all covered tiles go into it.
    if r.bag_count or not r.covered_count:
        return
    memcpy(r.bag, r.covered, r.covered_count)
    r.bag_count = r.covered_count
    r.covered_count = 0
    r.mixed += 1
    mix(r)


cdef uint8_t draw(Race* r) noexcept nogil:
    cdef uint8_t tile
    r.bag_count -= 1
    tile = r.bag[r.bag_count]
    recycle(r)
    return tile


cdef void refill(Race* r, int seat) noexcept nogil:
    recycle(r)
    while r.common_count < HALF_HAND and r.bag_count:
        r.common[r.common_count] = draw(r)
        r.common_count += 1
    while r.rack_count[seat] < HALF_HAND and r.bag_count:
        r.rack[seat][r.rack_count[seat]] = draw(r)
        r.rack_count[seat] += 1


cdef bint take(uint8_t* tiles, int* count, int tile) noexcept nogil:
    cdef int i
    for i in range(count[0]):
        if tiles[i] == tile:
            count[0] -= 1
            tiles[i] = tiles[count[0]]
            return True
    return False


cdef void sort_tiles(uint8_t* tiles, int count) noexcept nogil:
    cdef int i, j
    cdef uint8_t tile
    for i in range(1, count):
        tile = tiles[i]
        j = i
        while j > 0 and tiles[j - 1] > tile:
            tiles[j] = tiles[j - 1]
            j -= 1
        tiles[j] = tile


cdef void pass_on(const Course* c, Race* r) noexcept nogil:
    # The next seat clockwise; with teams, pawns that are home are left out.
    cdef int _
    for _ in range(SEAT_COUNT):
        r.mover = (r.mover + 1) % SEAT_COUNT
        if c.seated >> r.mover & 1 and not (c.teams and is_home(c, r, r.mover)):
            return


cdef void played_last(Race* r, int seat) noexcept nogil:
    cdef int i = 0
    while r.recent[i] != seat:
        i += 1
    while i > 0:
        r.recent[i] = r.recent[i - 1]
        i -= 1
    r.recent[0] = seat


cdef void forget_who_played(Race* r) noexcept nogil:
    # Who played last is no part of a position: as if all had, in turn.
    cdef int i
    for i in range(SEAT_COUNT):
        r.recent[i] = (r.mover + SEAT_COUNT - 1 - i) % SEAT_COUNT


cdef void lay_down(Race* r, const Record* record) noexcept nogil:
    # Tiles, stacks and points.
    cdef const uint8_t* tiles = <const uint8_t*> &record.tiles
    cdef const uint8_t* squares = <const uint8_t*> &record.squares
    cdef int count = <int> ((record.counts >> PLACED_SHIFT) & 255)
    cdef int i
    for i in range(count):
        if r.tops[squares[i]] != NO_TILE:
            r.covered[r.covered_count] = r.tops[squares[i]]
            r.covered_count += 1
        r.tops[squares[i]] = tiles[i]
        if not take(r.rack[r.mover], &r.rack_count[r.mover], tiles[i]):
            take(r.common, &r.common_count, tiles[i])
    for i in range(SEAT_COUNT):
        r.score[i] += <int> ((record.counts >> (8 * (i + 1))) & 255)
    r.score[r.mover] += <int> (record.counts & 255)
    r.idle = 0
    played_last(r, r.mover)


cdef void apply_play(const Course* c, Race* r, const Record* record) noexcept nogil:
    lay_down(r, record)
    refill(r, r.mover)
    pass_on(c, r)


cdef void swap_tiles(const Course* c, Race* r, int chosen) noexcept nogil:
    # Tiles of the sorted rack, as bits: set aside, as many drawn, then back into the bag. Where bag and covered tiles
    # are too few, the lowest ones stay.
    cdef uint8_t aside[HALF_HAND]
    cdef uint8_t stay[HALF_HAND]
    cdef int seat = r.mover
    cdef int there = r.bag_count + r.covered_count
    cdef int count = 0
    cdef int kept = 0
    cdef int i, skip
    sort_tiles(r.rack[seat], r.rack_count[seat])
    for i in range(r.rack_count[seat]):
        count += chosen >> i & 1
    skip = max(0, count - there)
    count = 0
    for i in range(r.rack_count[seat]):
        if chosen >> i & 1 and skip <= 0:
            aside[count] = r.rack[seat][i]
            count += 1
        else:
            skip -= chosen >> i & 1
            stay[kept] = r.rack[seat][i]
            kept += 1
    memcpy(r.rack[seat], stay, kept)
    recycle(r)
    for i in range(count):
        r.rack[seat][kept + i] = draw(r)
    r.rack_count[seat] = kept + count
    if count:
        for i in range(count):
            r.bag[r.bag_count] = aside[i]
            r.bag_count += 1
        r.mixed += 1
        mix(r)
    r.idle += 1
    pass_on(c, r)


cdef int winner(const Course* c, const Race* r, bint ended) noexcept nogil:
    # The seat that has won, with teams one of the winning team, or -1 while the game goes on. ended: it does not.
    cdef int best = -1
    cdef int last = -1
    cdef int home = 0
    cdef int i, seat
    for seat in range(SEAT_COUNT):
        if c.seated >> seat & 1:
            home += is_home(c, r, seat)
    if not ended and home < (c.players - 1 if c.teams else 1):
        return -1
    # Ranked by steps, tied ones by who played tiles last.
    for i in range(SEAT_COUNT):
        seat = r.recent[i]
        if c.seated >> seat & 1:
            if best < 0 or r.score[seat] > r.score[best]:
                best = seat
            if last < 0 or r.score[seat] <= r.score[last]:
                last = seat
    return (last + 1) % SEAT_COUNT if c.teams else best
