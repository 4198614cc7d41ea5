# distutils: extra_compile_args = -ffp-contract=off
# Every machine plays the same games: no multiply-add that skips the rounding of the product.
"""Whole games of Setup without Python objects: drawing, playing, choosing, and what a player sees.

A policy is how a seat plays; its description is a tuple (see `read_policy` and solver/setup/policies.py). Everything
that a policy looks at comes from `conceal`, which keeps what the mover can see in one canonical order, so that the
same position gives the same choice whether it comes from a running game or from a Position. From the ground up, on
the enumeration of plays:

race        the state of a game: drawing, playing, swapping, who has won
known       what a player knows of it
policy      how somebody plays, and the plays that he likes best
winning     a model of who wins
evaluation  what a play is worth by what it leaves behind
lookahead   candidates played on in random deals
choice      what a policy does
games       the loop of many games
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from solver.streams cimport stream_below, stream_word

from .board cimport HALF_HAND, MAX_SQUARES, NO_TILE, SEAT_COUNT
from .choice cimport Choice, decide
from .known cimport read_course
from .plays cimport Plays
from .policy cimport LOOKAHEAD, RANDOM, Policy, read_policy
from .race cimport FIRST_WORD, Course, Race, apply_play, draw, mix, refill, swap_tiles, winner
from .work cimport GOING, Search, poll, raise_stop

cdef enum:
    POLL_TURNS = 64


def play_many(Plays plays, int finish, bint teams, int seated, int first, starts, policies, keys, int idle_end,
              key_of=None, bint census=False):
    """Whole games: (results, turns, points, bonus given, swaps, most plays of a position, that position).

    first: the seat (0 to 3 of N E S W) that begins, -1 for random. starts: squares that get a tile at the start.
    policies: for each seat of N E S W, None for absent ones, as for `choose`. keys: of the draws, one a game.
    idle_end: swaps in a row that end a game. key_of(game, turn, seat): the key of a policy that needs one.
    census: count all plays of each position, which takes longer; else the last two are 0 and empty.
    results: for each game the scores by seat and the winners as bits. The largest position, known only where all
    policies compare all plays: (tops, rack, common, mover). ValueError for bad arguments.
    """
    cdef Policy p[SEAT_COUNT]
    cdef Course c
    cdef Race r, largest
    cdef Search s
    cdef Choice choice
    cdef uint8_t starts_at[MAX_SQUARES]
    cdef int seats[SEAT_COUNT]
    cdef long long played = 0
    cdef long long points = 0
    cdef long long bonus = 0
    cdef long long swaps = 0
    cdef uint64_t most_plays = 0
    cdef uint64_t draws, key
    cdef int game, i, seat, won, turn
    cdef int start_count = len(starts)
    cdef int since_poll = 0
    cdef bint keyed
    read_course(&c, finish, teams, seated)
    if not -1 <= first < SEAT_COUNT or (first >= 0 and not seated >> first & 1):
        raise ValueError(f"first: nobody sits at {first}")
    if start_count > plays.g.squares or not 0 < idle_end <= 1 << 20:
        raise ValueError("starts or idle_end: out of range")
    for i in range(start_count):
        if not 0 <= starts[i] < plays.g.squares:
            raise ValueError(f"starts: square {starts[i]} does not exist")
        starts_at[i] = starts[i]
    if plays.g.tiles < plays.g.squares + HALF_HAND * (1 + c.players):
        raise ValueError("tiles: too few for a game")
    seat = 0
    for i in range(SEAT_COUNT):
        if seated >> i & 1:
            read_policy(&p[i], policies[i])
            if (p[i].kind == RANDOM or p[i].kind == LOOKAHEAD) and key_of is None:
                raise ValueError("key_of: is needed by a policy")
            seats[seat] = i
            seat += 1
    results = []
    memset(&largest, 0, sizeof(Race))
    s.signal_at = 0
    s.watch = NULL
    s.census = census
    s.stop = GOING
    for game in range(len(keys)):
        draws = keys[game]
        with nogil:
            memset(&r, 0, sizeof(Race))
            memset(r.tops, NO_TILE, MAX_SQUARES)
            r.key = draws
            r.drawn_by_word = True
            r.bag_count = plays.g.tiles
            for i in range(plays.g.tiles):
                r.bag[i] = <uint8_t> i
            mix(&r)
            for i in range(start_count):
                r.tops[starts_at[i]] = draw(&r)
            # Racks first, then the common hand.
            r.common_count = HALF_HAND
            for i in range(c.players):
                refill(&r, seats[i])
            r.common_count = 0
            refill(&r, seats[0])
            r.mover = first
            if first < 0:
                r.mover = seats[stream_below(stream_word(r.key, FIRST_WORD), c.players)]
            for i in range(SEAT_COUNT):
                r.recent[i] = (r.mover + SEAT_COUNT - 1 - i) % SEAT_COUNT
            turn = 0
            won = -1
            while True:
                key = 0
                keyed = p[r.mover].kind == RANDOM or p[r.mover].kind == LOOKAHEAD
                if keyed:
                    with gil:
                        key = key_of(game, turn, r.mover)
                decide(&plays.g, &c, &p[r.mover], &r, key, &s, &choice)
                if s.stop:
                    break
                turn += 1
                if census and not keyed and s.total > most_plays:
                    most_plays = s.total
                    largest = r
                if choice.swap:
                    swaps += 1
                    swap_tiles(&c, &r, choice.swap)
                else:
                    points += <int> (choice.record.counts & 255)
                    for i in range(SEAT_COUNT):
                        bonus += <int> ((choice.record.counts >> (8 * (i + 1))) & 255)
                    apply_play(&c, &r, &choice.record)
                won = winner(&c, &r, r.idle >= idle_end)
                if won >= 0:
                    break
                since_poll += 1
                if since_poll >= POLL_TURNS:
                    since_poll = 0
                    s.deadline = 0
                    poll(&s)
                    if s.stop:
                        break
            played += turn
        raise_stop(s.stop)
        won = 1 << won
        if teams:
            won |= (won << 2 | won >> 2) & 15
        results.append(((r.score[0], r.score[1], r.score[2], r.score[3]), won))
    rack = bytes([largest.rack[largest.mover][i] for i in range(largest.rack_count[largest.mover])])
    common = bytes([largest.common[i] for i in range(largest.common_count)])
    tops = bytes([largest.tops[i] for i in range(plays.g.squares)])
    return results, played, points, bonus, swaps, most_plays, (tops, rack, common, largest.mover)
