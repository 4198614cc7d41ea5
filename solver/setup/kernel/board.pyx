"""The tables of a board: links, owners and what squares are worth, by byte of a mask of squares."""

from libc.stdint cimport uint64_t
from libc.string cimport memset


cdef int fill_geometry(Geometry* g, int squares, const unsigned char[::1] links, const unsigned char[::1] owners,
                       int seated, int numbers, int suits, bint block, int scoring, bint per_tile,
                       bint on_opponents) except -1:
    # The arguments are those of `Plays`.
    cdef int i, j, seat, byte
    cdef uint64_t bit
    if not 1 <= squares <= MAX_SQUARES or owners.shape[0] != squares or links.shape[0] % 2:
        raise ValueError("squares, owners and links do not fit together")
    if not (1 <= numbers <= MAX_NUMBERS and 1 <= suits <= MAX_TILES and numbers * suits <= MAX_TILES):
        raise ValueError(f"numbers, suits: {numbers} times {suits} tiles are not 1 to {MAX_TILES}")
    if not 0 <= scoring <= PLACED_PLUS_SETS or not 0 <= seated < 1 << SEAT_COUNT:
        raise ValueError(f"scoring {scoring} or seated {seated} is out of range")
    memset(g, 0, sizeof(Geometry))
    g.squares = squares
    g.numbers = numbers
    g.suits = suits
    g.tiles = numbers * suits
    g.slots = suits * (numbers + 2)
    g.block = block
    g.scoring = scoring
    g.on_opponents = on_opponents
    for i in range(0, links.shape[0], 2):
        if links[i] >= squares or links[i + 1] >= squares or links[i] == links[i + 1]:
            raise ValueError(f"links: {links[i]}-{links[i + 1]} is no link of two squares")
        g.adjacent[links[i]] |= ONE << links[i + 1]
        g.adjacent[links[i + 1]] |= ONE << links[i]
    for i in range(squares):
        seat = owners[i]
        if seat > SEAT_COUNT:
            raise ValueError(f"owners: {seat} is no seat")
        bit = ONE << i
        if seat != SEAT_COUNT and seated >> seat & 1:
            g.owned[seat & (SEAT_COUNT - 1)] |= bit
            for j in range(SEAT_COUNT):
                if j == seat or on_opponents:
                    g.open[j] |= bit
        else:
            for j in range(SEAT_COUNT):
                g.open[j] |= bit
    for i in range(8):
        for byte in range(256):
            for j in range(8):
                if not byte >> j & 1 or 8 * i + j >= squares:
                    continue
                bit = ONE << (8 * i + j)
                g.spread[i][byte] |= g.adjacent[8 * i + j]
                g.worth[i][byte] += 1
                for seat in range(SEAT_COUNT):
                    if g.owned[seat] & bit:
                        if per_tile:
                            g.worth[i][byte] += ONE << (8 * (seat + 1))
                        if on_opponents:
                            g.gifts[i][byte] += ONE << (8 * (seat + 1))
    for i in range(g.tiles):
        g.number[i] = 1 + i // suits
        g.suit[i] = i % suits
        g.slot[i] = (i % suits) * (numbers + 2) + g.number[i]
    return 0
