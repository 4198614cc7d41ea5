"""The sets of the best path: its runs and groups once more, a place for every parked joker, and all as tiles."""

from libc.stdint cimport int16_t, int32_t, uint16_t, uint64_t
from libc.string cimport memcpy

from .lanes cimport LANES, MAX_JOKERS, MIN_SET
from .tables cimport MAX_SLOTS, Vector
from .work cimport Group, Option, Run, Work


cdef void build(Work *w) noexcept nogil:
    """Replay the path to the best node: runs and, by row, what is in groups."""
    cdef int32_t at = w.best_node
    cdef int v, c
    cdef Vector *x
    cdef Option *o
    w.jokers_used = w.nodes[at].jokers
    while at > 0:
        v = w.nodes[at].row - 1
        x = &w.live[v][w.nodes[at].live].x
        w.groups[v].jokers = x.jokers
        memcpy(w.groups[v].tiles, x.tiles, LANES)
        for c in range(LANES):
            o = &w.options[w.nodes[at].option[c]]
            w.used[v * LANES + c] = o.real + o.grouped
            w.real[v * LANES + c] = o.real
            w.run_jokers[v * LANES + c] = o.jokers
        at = w.nodes[at].parent
    w.run_count = 0
    for c in range(LANES):  # in the lane of a colour that the rules do not have: runs of jokers alone
        build_runs(w, c)


cdef void build_runs(Work *w, int c) noexcept nogil:
    """The runs of one colour: the transitions' rule which runs are extended, and by what, once more."""
    cdef int open_[MAX_SLOTS]
    cdef int after[MAX_SLOTS + MAX_SLOTS]
    cdef int count = 0, kept, v, r, jokers, forced, ext, new, jf, js, je, i, _i, ripe
    cdef Run *run
    for v in range(w.numbers):
        jokers = w.run_jokers[v * LANES + c]
        r = w.real[v * LANES + c] + jokers
        forced = 0
        for i in range(count):
            forced += w.runs[open_[i]].ripe < MIN_SET
        ext = min(count - forced, r - forced)
        new = r - forced - ext
        jf = min(jokers, forced)
        js = min(jokers - jf, new)
        je = jokers - jf - js
        kept = 0
        for i in range(count):
            run = &w.runs[open_[i]]
            ripe = run.ripe
            if ripe < MIN_SET:
                if jf > 0:
                    jf -= 1
                    run.jokers[v >> 6] |= <uint64_t>1 << (v & 63)
                run.ripe = ripe + 1
            else:
                if ext == 0:
                    continue
                ext -= 1
                if je > 0:
                    je -= 1
                    run.jokers[v >> 6] |= <uint64_t>1 << (v & 63)
                    if not w.explicit:
                        run.ripe = 2
            run.length += 1
            after[kept] = open_[i]
            kept += 1
        for _i in range(new):
            run = &w.runs[w.run_count]
            run.start = v
            run.length = 1
            run.colour = c
            run.ripe = 1
            run.jokers[0] = 0
            run.jokers[1] = 0
            if js > 0:
                js -= 1
                run.jokers[v >> 6] |= <uint64_t>1 << (v & 63)
            after[kept] = w.run_count
            kept += 1
            w.run_count += 1
        count = kept
        for i in range(count):
            open_[i] = after[i]


cdef int house(Work *w) noexcept nogil:
    """Give every parked joker a place; how many find none."""
    cdef int left = w.jokers - w.jokers_used
    cdef int i, c, v, total, most, more
    cdef uint16_t mask
    cdef Run *run
    cdef Run *tail
    if left == 0 or w.explicit:
        return 0
    i = 0
    while i < w.run_count and left:
        run = &w.runs[i]
        while left and run.start + run.length < w.numbers:
            v = run.start + run.length
            run.jokers[v >> 6] |= <uint64_t>1 << (v & 63)
            run.length += 1
            left -= 1
        while left and run.start > 0:
            run.start -= 1
            v = run.start
            run.jokers[v >> 6] |= <uint64_t>1 << (v & 63)
            run.length += 1
            left -= 1
        if left and run.length >= 2 * MIN_SET:
            # A full run is split; both parts then have room, and come up again.
            tail = &w.runs[w.run_count]
            w.run_count += 1
            tail[0] = run[0]
            run.length = MIN_SET
            tail.start = run.start + MIN_SET
            tail.length -= MIN_SET
            continue
        i += 1
    for v in range(w.numbers):
        if left == 0:
            break
        total = 0
        most = 0
        for c in range(LANES):
            total += w.groups[v].tiles[c]
            most = max(most, <int>w.groups[v].tiles[c])
        if total == 0:
            continue
        mask = w.tables.feasible[total][most]
        for more in range(left, 0, -1):
            if w.groups[v].jokers + more <= MAX_JOKERS and (mask >> (w.groups[v].jokers + more)) & 1:
                w.groups[v].jokers += more
                left -= more
                break
    if left >= MIN_SET and left <= w.numbers:
        run = &w.runs[w.run_count]
        w.run_count += 1
        run.start = 0
        run.length = left
        run.colour = 0
        run.jokers[0] = ~<uint64_t>0
        run.jokers[1] = ~<uint64_t>0
        left = 0
    return left


cdef void write_sets(Work *w) noexcept nogil:
    """Runs and groups as lists of tiles in `sets`."""
    cdef int16_t *out = w.sets
    cdef int at = 0, i, _i, v, k, c, n, total, most, each
    cdef int16_t *group[LANES * MAX_SLOTS + MAX_JOKERS]
    cdef Run *run
    cdef Group *g
    cdef bint any_real
    for i in range(w.run_count):
        run = &w.runs[i]
        out[at] = run.length
        at += 1
        any_real = False
        for v in range(run.start, run.start + run.length):
            if not (run.jokers[v >> 6] >> (v & 63)) & 1:
                any_real = True
        for v in range(run.start, run.start + run.length):
            out[at] = v * LANES + run.colour
            if (run.jokers[v >> 6] >> (v & 63)) & 1:
                out[at] = out[at] + JOKER_AS if any_real else JOKER_ANY
            at += 1
    for v in range(w.numbers):
        g = &w.groups[v]
        total = g.jokers
        most = 0
        for c in range(LANES):
            total += g.tiles[c]
            most = max(most, <int>g.tiles[c])
        if total == 0:
            continue
        # As few groups as hold all. Dealt colour by colour in a circle, no group gets a colour twice and
        # their sizes differ by at most one; jokers go on in the same circle.
        n = max(most, (total + w.colors - 1) // w.colors)
        for k in range(n):
            each = total // n + (k < total % n)
            out[at] = each
            group[k] = &out[at + 1]
            at += 1 + each
        k = 0
        for c in range(LANES):
            for _i in range(g.tiles[c]):
                group[k][0] = v * LANES + c
                group[k] += 1
                k = k + 1 if k + 1 < n else 0
        for _i in range(g.jokers):
            group[k][0] = JOKER_ANY
            group[k] += 1
            k = k + 1 if k + 1 < n else 0
    w.sets_length = at
