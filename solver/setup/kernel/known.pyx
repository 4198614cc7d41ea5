"""What a player knows of a game, in one canonical order; read from what Python gives, and dealt out at random."""

from libc.stdint cimport uint8_t
from libc.string cimport memcpy, memset

from .board cimport HALF_HAND, MAX_HAND, MAX_TILES, NO_TILE, SEAT_COUNT, Geometry
from .plays cimport Plays
from .race cimport Course, Race, forget_who_played, sort_tiles


cdef void conceal(const Course* c, const Geometry* g, const Race* r, Race* known, uint8_t* unseen,
                  int* unseen_count) noexcept nogil:
    # What the mover knows, in canonical order: the others' racks and the bag are unseen tiles.
    cdef bint seen[MAX_TILES]
    cdef int i, seat
    known[0] = r[0]
    memset(seen, 0, sizeof(seen))
    for i in range(g.squares):
        if r.tops[i] != NO_TILE:
            seen[r.tops[i]] = True
    for i in range(r.covered_count):
        seen[r.covered[i]] = True
    for i in range(r.common_count):
        seen[r.common[i]] = True
    for i in range(r.rack_count[r.mover]):
        seen[r.rack[r.mover][i]] = True
    unseen_count[0] = 0
    for i in range(g.tiles):
        if not seen[i]:
            unseen[unseen_count[0]] = <uint8_t> i
            unseen_count[0] += 1
    sort_tiles(known.covered, known.covered_count)
    sort_tiles(known.common, known.common_count)
    sort_tiles(known.rack[r.mover], known.rack_count[r.mover])
    known.bag_count = 0
    forget_who_played(known)
    for seat in range(SEAT_COUNT):
        if seat != r.mover:
            known.rack_count[seat] = 0
    known.idle = 0
    known.key = 0
    known.counter = 0
    known.drawn_by_word = False
    known.mixed = 0


cdef void deal(Race* r, const Course* c, uint8_t* unseen, int count) noexcept nogil:
    # The unseen tiles to the other racks, clockwise from the mover, and the rest into the bag.
    cdef int i, seat
    for i in range(1, SEAT_COUNT):
        seat = (r.mover + i) % SEAT_COUNT
        if c.seated >> seat & 1:
            r.rack_count[seat] = min(HALF_HAND, count)
            count -= r.rack_count[seat]
            memcpy(r.rack[seat], unseen + count, r.rack_count[seat])
    memcpy(r.bag, unseen, count)
    r.bag_count = count


cdef int read_course(Course* c, int finish, bint teams, int seated) except -1:
    if not 0 < finish <= 1 << 30 or not 0 < seated < 1 << SEAT_COUNT:
        raise ValueError(f"finish {finish} or seated {seated} is out of range")
    cdef int i
    c.finish = finish
    c.teams = teams
    c.seated = seated
    c.players = 0
    for i in range(SEAT_COUNT):
        c.players += seated >> i & 1
    if c.players < 2 or (teams and c.players != SEAT_COUNT):
        raise ValueError(f"seated: {seated} are too few players")
    return 0


cdef int read_race(Race* r, Plays plays, tops, rack, common, const unsigned char[::1] covered, int mover, scores,
                   uint8_t* unseen) except -1:
    # What is known into a race; the number of unseen tiles.
    cdef uint8_t hand[MAX_HAND]
    cdef uint8_t own[MAX_HAND]
    cdef uint8_t seen[MAX_TILES]
    cdef int i
    cdef int count = 0
    cdef int held = plays.read(tops, rack, common, mover, r.tops, hand, own)
    memset(seen, 0, sizeof(seen))
    for i in range(plays.g.squares):
        if r.tops[i] != NO_TILE:
            seen[r.tops[i]] = 1
    memset(r.rack_count, 0, sizeof(r.rack_count))
    r.common_count = 0
    for i in range(held):
        seen[hand[i]] = 1
        if own[i]:
            r.rack[mover][r.rack_count[mover]] = hand[i]
            r.rack_count[mover] += 1
        else:
            r.common[r.common_count] = hand[i]
            r.common_count += 1
    r.covered_count = 0
    for i in range(covered.shape[0]):
        if covered[i] >= plays.g.tiles or seen[covered[i]]:
            raise ValueError(f"covered: tile {covered[i]} does not exist or is there twice")
        seen[covered[i]] = 1
        r.covered[r.covered_count] = covered[i]
        r.covered_count += 1
    for i in range(plays.g.tiles):
        if not seen[i]:
            unseen[count] = <uint8_t> i
            count += 1
    for i in range(SEAT_COUNT):
        r.score[i] = min(max(<int> scores[i], 0), 1 << 30)
    r.mover = mover
    for i in range(SEAT_COUNT):
        r.recent[i] = (mover + SEAT_COUNT - 1 - i) % SEAT_COUNT
    r.idle = 0
    r.drawn_by_word = False
    r.mixed = 0
    r.bag_count = 0
    r.key = 0
    r.counter = 0
    return count
