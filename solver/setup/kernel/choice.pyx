# distutils: extra_compile_args = -ffp-contract=off
# Every machine plays the same games: no multiply-add that skips the rounding of the product.
"""What a policy does in a position of a game, and what it knows of its candidates, for Python."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from libc.math cimport sqrt
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy

from solver.streams cimport stream_below, stream_word

from .board cimport MAX_HAND, MAX_TILES, PLACED_SHIFT, Geometry, Record
from .evaluation cimport look_at, weigh
from .known cimport conceal, read_course, read_race
from .lookahead cimport contest, judge
from .plays cimport Plays, enumerate_plays
from .policy cimport DIRECT, EVALUATION, MAX_CANDIDATES, RANDOM, TERMS, Policy, find_best, read_policy, wins_at_once
from .race cimport Course, Race
from .winning cimport drawn_in
from .work cimport COLLECT, COUNT, FULL, GOING, Best, Search, load, monotonic_now, raise_stop

cdef enum:
    MOST_PLAYS = 1 << 31


cdef void pick_any(const Geometry* g, const Course* c, const Race* r, uint64_t key, Search* s,
                   Choice* choice) noexcept nogil:
    # Any play or swap, each with the same chance (where there are more than MOST_PLAYS plays, any of the first ones).
    cdef uint8_t hand[MAX_HAND]
    cdef uint8_t own[MAX_HAND]
    cdef int rack = r.rack_count[r.mover]
    cdef int i
    cdef uint64_t plays, at
    for i in range(rack):
        hand[i] = r.rack[r.mover][i]
        own[i] = 1
    for i in range(r.common_count):
        hand[rack + i] = r.common[i]
        own[rack + i] = 0
    load(s, g, r.tops, hand, own, rack + r.common_count, r.mover)
    s.mode = COUNT
    enumerate_plays(s)
    if s.stop:
        return
    plays = min(s.total, <uint64_t> MOST_PLAYS)
    if plays == 0 and rack == 0:
        return
    at = stream_below(stream_word(key, 0), plays + (1 << rack) - 1)
    if at < plays:
        load(s, g, r.tops, hand, own, rack + r.common_count, r.mover)
        s.mode = COLLECT
        s.records = &choice.record
        s.capacity = 1
        s.limit = 1
        s.skip = at
        choice.swap = 0
        enumerate_plays(s)
        # One record is all that is wanted: full is fine.
        s.stop = GOING if s.stop == FULL else s.stop
        return
    choice.swap = <int> (at - plays) + 1


cdef void decide(const Geometry* g, const Course* c, const Policy* p, const Race* r, uint64_t key, Search* s,
                 Choice* choice) noexcept nogil:
    # What the policy does; s.stop tells if it was stopped. Where nothing can be played, the whole rack is swapped;
    # where that is empty, too, there is neither a swap nor a tile in the record.
    cdef Race known
    cdef uint8_t unseen[MAX_TILES]
    cdef Best best[MAX_CANDIDATES]
    cdef const Record* records[MAX_CANDIDATES]
    cdef double values[MAX_CANDIDATES]
    cdef double behind[MAX_CANDIDATES]
    cdef int order[MAX_CANDIDATES]
    cdef int i, count, unseen_count
    choice.swap = 0
    choice.record.counts = 0
    if p.kind == RANDOM:
        pick_any(g, c, r, key, s, choice)
        return
    if p.wins and wins_at_once(g, c, p, r, s, &choice.record):
        return
    if s.stop:
        return
    if p.kind == DIRECT:
        count = find_best(g, c, p, r, s, best, 1, 0)
    else:
        conceal(c, g, r, &known, unseen, &unseen_count)
        count = weigh(g, c, p, &known, unseen, unseen_count, s, best, values, order)
    if s.stop:
        return
    if not count:
        choice.swap = (1 << r.rack_count[r.mover]) - 1
        return
    if p.kind == DIRECT:
        choice.record = best[0].record
        return
    count = min(count, p.lines)
    if p.kind == EVALUATION or count <= 1 or not p.deals:
        choice.record = best[order[0]].record
        return
    for i in range(count):
        records[i] = &best[order[i]].record
        behind[i] = values[order[0]] - values[order[i]]
    choice.record = records[
        contest(g, c, p, &known, unseen, unseen_count, records, behind, count, key, s)
    ][0]


cdef int read_known(Course* c, Policy* p, Race* r, Plays plays, tops, rack, common, covered, int mover, scores,
                    int finish, bint teams, int seated, policy) except -1:
    cdef uint8_t unseen[MAX_TILES]
    read_course(c, finish, teams, seated)
    read_policy(p, policy)
    read_race(r, plays, tops, rack, common, covered, mover, scores, unseen)
    if not seated >> mover & 1:
        raise ValueError(f"mover: nobody sits at {mover}")
    return 0


def choose(Plays plays, const unsigned char[::1] tops, const unsigned char[::1] rack, const unsigned char[::1] common,
           const unsigned char[::1] covered, int mover, scores, int finish, bint teams, int seated, policy,
           unsigned long long key=0):
    """What a policy does: (the record of its play, 0), or (b"", tiles of the sorted rack that it swaps, as bits).

    Without a play and without a rack there is no move: (b"", 0).

    policy: see `read_policy`. key: of the stream that all its randomness comes from. ValueError for bad arguments.
    """
    cdef Course c
    cdef Policy p
    cdef Race r
    cdef Search s
    cdef Choice choice
    read_known(&c, &p, &r, plays, tops, rack, common, covered, mover, scores, finish, teams, seated, policy)
    s.signal_at = 0
    s.watch = NULL
    s.census = False
    s.stop = GOING
    with nogil:
        decide(&plays.g, &c, &p, &r, key, &s, &choice)
    raise_stop(s.stop)
    if choice.swap or not choice.record.counts >> PLACED_SHIFT & 255:
        return b"", choice.swap
    return PyBytes_FromStringAndSize(<char*> &choice.record, sizeof(Record)), 0


def chances(Plays plays, const unsigned char[::1] tops, const unsigned char[::1] rack, const unsigned char[::1] common,
            const unsigned char[::1] covered, int mover, scores, int finish, bint teams, int seated, policy,
            unsigned long long key, double seconds=0, bint leads=False, watch=None):
    """The best candidates of a lookahead: (records, evaluations, means, deviations), best evaluation first.

    means: the chance to win, the mean over the deals drawn towards the evaluation; deviations: standard deviations over
    the deals. leads: the lead after the policy's plies instead, not drawn in. seconds: time limit, 0 for none
    (LimitReached). watch: a function that is called where Ctrl-C is looked for; what it raises ends the search.
    ValueError for bad arguments.
    """
    cdef Course c
    cdef Policy p
    cdef Race r, known
    cdef Search s
    cdef Best best[MAX_CANDIDATES]
    cdef const Record* records[MAX_CANDIDATES]
    cdef double values[MAX_CANDIDATES]
    cdef double sums[MAX_CANDIDATES]
    cdef double squares[MAX_CANDIDATES]
    cdef int order[MAX_CANDIDATES]
    cdef int lines[MAX_CANDIDATES]
    cdef uint8_t unseen[MAX_TILES]
    cdef int unseen_count, i
    cdef int count = 0
    cdef double mean
    cdef char* out
    read_known(&c, &p, &r, plays, tops, rack, common, covered, mover, scores, finish, teams, seated, policy)
    if seconds > 0:
        p.deadline = monotonic_now() + seconds
    s.signal_at = 0
    s.watch = NULL if watch is None else <PyObject*> watch
    s.census = False
    s.stop = GOING
    with nogil:
        conceal(&c, &plays.g, &r, &known, unseen, &unseen_count)
        count = weigh(&plays.g, &c, &p, &known, unseen, unseen_count, &s, best, values, order)
        if not s.stop:
            count = min(count, p.lines)
            for i in range(count):
                records[i] = &best[order[i]].record
                lines[i] = i
                sums[i] = 0
                squares[i] = 0
            judge(
                &plays.g, &c, &p, &known, unseen, unseen_count, records, lines, count, 0, p.deals, key, leads, &s,
                sums, squares,
            )
    raise_stop(s.stop)
    found = PyBytes_FromStringAndSize(NULL, count * sizeof(Record))
    out = found
    evaluations, means, deviations = [], [], []
    for i in range(count):
        memcpy(out + i * sizeof(Record), records[i], sizeof(Record))
        evaluations.append(values[order[i]])
        if p.deals:
            mean = sums[i] / p.deals
            deviations.append(sqrt(max(0.0, squares[i] / p.deals - mean * mean)))
            if not leads:
                mean = drawn_in(&c, &p, &known, mean, p.deals, values[order[0]] - values[order[i]])
            means.append(mean)
    return found, evaluations, means, deviations


def terms(Plays plays, const unsigned char[::1] tops, const unsigned char[::1] rack, const unsigned char[::1] common,
          const unsigned char[::1] covered, int mover, scores, int finish, bint teams, int seated, policy,
          const unsigned char[::1] records):
    """What an evaluation looks at in each of the plays (24 bytes each): a list of TERMS numbers a play.

    ValueError for bad arguments.
    """
    cdef Course c
    cdef Policy p
    cdef Race r, known
    cdef Search s
    cdef Record record
    cdef uint8_t unseen[MAX_TILES]
    cdef double found[TERMS]
    cdef int unseen_count, i, j, count
    read_known(&c, &p, &r, plays, tops, rack, common, covered, mover, scores, finish, teams, seated, policy)
    if records.shape[0] % sizeof(Record):
        raise ValueError("records: 24 bytes each")
    count = <int> (records.shape[0] // <Py_ssize_t> sizeof(Record))
    conceal(&c, &plays.g, &r, &known, unseen, &unseen_count)
    s.signal_at = 0
    s.watch = NULL
    s.census = False
    rows = []
    for i in range(count):
        memcpy(&record, &records[i * <int> sizeof(Record)], sizeof(Record))
        j = <int> ((record.counts >> PLACED_SHIFT) & 255)
        if j > MAX_HAND:
            raise ValueError("records: too many tiles in a play")
        for j in range(j):
            if (<uint8_t*> &record.squares)[j] >= plays.g.squares or (<uint8_t*> &record.tiles)[j] >= plays.g.tiles:
                raise ValueError("records: a tile or square does not exist")
        with nogil:
            look_at(&plays.g, &c, &p, &known, unseen, unseen_count, &record, &s, True, found)
        rows.append([found[j] for j in range(TERMS)])
    return rows
