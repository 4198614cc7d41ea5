"""States and transitions of the row sweep: what may happen to a colour in a row, whatever its tiles cost.

After a row, one colour is a multiset of open runs of length 1, 2 and "3 or more": a *state* (x1, x2, x3) with at most
`slots` runs. A *transition* puts `real` tiles and `jokers` of a row into runs; a *choice* says what becomes of the
other tiles of the row as well: in groups or lost to the rack. A *pattern* lists the ways to put tiles of the four
colours of a row into groups. All of them are made when first asked for, and read-only once made.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from .lanes cimport LANES, MAX_JOKERS, MIN_SET, beats


cdef void choices_free(Choices *c) noexcept nogil:
    if c != NULL:
        free(c.first)
        free(c.all)
        free(c)


cdef Choices *choices_for(Tables *t, int kind, int must, int may) noexcept nogil:
    """The choices of a tile with so many copies, made when first asked for; NULL when memory is out."""
    cdef Choices *c = t.choices[kind][must][may]
    cdef Transition *e
    cdef int s, g, i, n = 0, left, width = t.slots + 1
    if c != NULL:
        return c
    c = <Choices *>calloc(1, sizeof(Choices))
    if c == NULL:
        return NULL
    c.first = <int32_t *>malloc(t.states * (width + 1) * sizeof(int32_t))
    # of each transition at most one for each number of tiles in groups
    c.all = <Choice *>malloc((t.first[kind][may][t.states] * (may + 1) + 1) * sizeof(Choice))
    if c.first == NULL or c.all == NULL:
        choices_free(c)
        return NULL
    for s in range(t.states):
        for g in range(width):
            c.first[s * (width + 1) + g] = n
            for i in range(t.first[kind][may][s], t.first[kind][may][s + 1]):
                e = &t.moves[kind][may][i]
                left = may - e.real - g
                if left < 0 or left > may - must:
                    continue
                if g > 0 and e.kind >= JOKER:
                    continue
                if left > 0 and (e.kind == KEEP or e.kind == JOKER):
                    continue
                c.all[n].to = e.to
                c.all[n].real = e.real
                c.all[n].jokers = e.jokers
                c.all[n].grouped = g
                c.all[n].lost = left
                n += 1
        c.first[s * (width + 1) + width] = n
    # The interpreter's lock makes the store safe; a second maker of the same choices throws his away.
    with gil:
        if t.choices[kind][must][may] == NULL:
            t.choices[kind][must][may] = c
        else:
            choices_free(c)
            c = t.choices[kind][must][may]
    return c


cdef void fill_feasible(Tables *t, int colors) noexcept nogil:
    """Which numbers of jokers complete tiles of one number, at most `most` of one colour, to whole groups."""
    cdef int total, most, k, j
    for total in range(LANES * t.slots + 1):
        for most in range(t.slots + 1):
            for k in range(most, (total + MAX_JOKERS) // MIN_SET + 1):
                if k > 0 and (colors < MIN_SET or (total == 0 and not t.explicit)):
                    break
                for j in range(MAX_JOKERS + 1):
                    if MIN_SET * k <= total + j <= colors * k:
                        t.feasible[total][most] |= <uint16_t>(1 << j)


cdef Tables *tables_new(int colors, int slots, int jokers, bint explicit) noexcept nogil:
    """All transitions for a number of slots and jokers; NULL when memory is out."""
    cdef Tables *t = <Tables *>calloc(1, sizeof(Tables))
    cdef int16_t index[MAX_SLOTS + 1][MAX_SLOTS + 1][MAX_SLOTS + 1]
    cdef int x1, x2, x3, s, kind, wide, real, jr, r, forced, ext, new, jf, js, je, n
    cdef Transition *e
    if t == NULL:
        return NULL
    t.slots = slots
    t.jokers = jokers
    t.explicit = explicit
    t.patterns = <Pattern **>calloc(pattern_count(slots), sizeof(Pattern *))
    if t.patterns == NULL:
        tables_free(t)
        return NULL
    fill_feasible(t, colors)
    n = 0
    for x1 in range(slots + 1):
        for x2 in range(slots + 1 - x1):
            for x3 in range(slots + 1 - x1 - x2):
                t.runs[n][0] = x1
                t.runs[n][1] = x2
                t.runs[n][2] = x3
                index[x1][x2][x3] = n
                n += 1
    t.states = n
    t.beats = <uint8_t *>malloc(n * n)
    if t.beats == NULL:
        tables_free(t)
        return NULL
    for s in range(n):
        for r in range(n):
            t.beats[s * n + r] = beats(t.runs[s], t.runs[r])
    for kind in range(ROW_KINDS):
        for wide in range(slots + 1):
            t.first[kind][wide] = <int32_t *>malloc((t.states + 1) * sizeof(int32_t))
            # at most one transition for each pair of real tiles and jokers
            t.moves[kind][wide] = <Transition *>malloc(
                t.states * (wide + 1) * (jokers + 1) * sizeof(Transition))
            if t.first[kind][wide] == NULL or t.moves[kind][wide] == NULL:
                tables_free(t)
                return NULL
            n = 0
            for s in range(t.states):
                t.first[kind][wide][s] = n
                x1 = t.runs[s][0]
                x2 = t.runs[s][1]
                x3 = t.runs[s][2]
                forced = x1 + x2
                for jr in range(jokers + 1):
                    for real in range(wide + 1):
                        r = real + jr
                        if r < forced or r > slots:
                            continue
                        # A run that could go on is never ended while another one starts: they are one run.
                        ext = min(x3, r - forced)
                        new = r - forced - ext
                        if new > 0 and kind == ENDING:
                            continue
                        je = 0
                        if not explicit:
                            # Jokers fill forced places first, then start runs, then lengthen ripe ones.
                            jf = min(jr, forced)
                            js = min(jr - jf, new)
                            je = jr - jf - js
                            # A joker at the front of a run can be moved to its end, unless that is the last number.
                            if js > 0 and kind != LAST_START:
                                continue
                            # A ripe run lengthened by a joker must go on (else the joker would be parked): it
                            # counts as a run of two.
                        e = &t.moves[kind][wide][n]
                        n += 1
                        e.to = index[new][x1 + je][x2 + ext - je]
                        e.real = real
                        e.jokers = jr
                        if jr == 0:
                            # A tile is lost only when no open run could take it.
                            e.kind = LOSE if ext == x3 else KEEP
                        else:
                            # A joker beside a tile of its own kind in a group, or (parked) in the rack, would
                            # change places with it.
                            e.kind = JOKER_LOSE if explicit and ext == x3 else JOKER
                        e.use = e.kind * (slots + 1) + real
            t.first[kind][wide][t.states] = n
    return t


cdef void tables_free(Tables *t) noexcept nogil:
    cdef int kind, wide, must
    if t != NULL:
        for kind in range(ROW_KINDS):
            for wide in range(MAX_SLOTS + 1):
                free(t.first[kind][wide])
                free(t.moves[kind][wide])
                for must in range(wide + 1):
                    choices_free(t.choices[kind][must][wide])
        if t.patterns != NULL:
            for kind in range(pattern_count(t.slots)):
                if t.patterns[kind] != NULL:
                    free(t.patterns[kind].lives)
                    free(t.patterns[kind])
            free(t.patterns)
        free(t.beats)
        free(t)


cdef int pattern_count(int slots) noexcept nogil:
    return 2 * (slots + 1) * (slots + 1) * (slots + 1) * (slots + 1)


cdef Pattern *pattern_of(Tables *t, uint8_t *may, int jokers, bint joker_groups, int colors) noexcept nogil:
    """The vectors of a row with `may` copies of its tiles, made when first asked for; NULL when memory is out."""
    cdef int width = t.slots + 1
    cdef int at = (((may[0] * width + may[1]) * width + may[2]) * width + may[3]) * 2 + joker_groups
    cdef Pattern *p = t.patterns[at]
    cdef int a[LANES]
    cdef int c, g0, g1, g2, g3, total, j, present = 0
    cdef uint16_t mask
    cdef Vector *x
    if p != NULL:
        return p
    for c in range(LANES):
        a[c] = may[c]
        present += may[c] > 0
    if present + jokers < MIN_SET or colors < MIN_SET:
        a[0] = a[1] = a[2] = a[3] = 0
    p = <Pattern *>calloc(1, sizeof(Pattern))
    if p == NULL:
        return NULL
    p.lives = <Live *>calloc((a[0] + 1) * (a[1] + 1) * (a[2] + 1) * (a[3] + 1) * (jokers + 1), sizeof(Live))
    if p.lives == NULL:
        free(p)
        return NULL
    memset(p.fewest, NO_VECTOR, sizeof(p.fewest))
    for g0 in range(a[0] + 1):
        for g1 in range(a[1] + 1):
            for g2 in range(a[2] + 1):
                for g3 in range(a[3] + 1):
                    total = g0 + g1 + g2 + g3
                    mask = t.feasible[total][max(max(g0, g1), max(g2, g3))]
                    if total == 0 and not joker_groups:
                        mask = 1
                    for j in range(jokers + 1):
                        if not (mask >> j) & 1:
                            continue
                        x = &p.lives[p.count].x
                        p.count += 1
                        x.tiles[0] = g0
                        x.tiles[1] = g1
                        x.tiles[2] = g2
                        x.tiles[3] = g3
                        x.jokers = j
                        for c in range(LANES):
                            p.fewest[x.tiles[c]][c] = min(p.fewest[x.tiles[c]][c], x.jokers)
                            p.most[x.tiles[c]][c] = max(p.most[x.tiles[c]][c], x.jokers)
                            p.tiles[c] |= 1 << x.tiles[c]
                        if not t.explicit:
                            break  # fewest jokers: the others park
    # The interpreter's lock makes the store safe; a second maker of the same pattern throws his away.
    with gil:
        if t.patterns[at] == NULL:
            t.patterns[at] = p
        else:
            free(p.lives)
            free(p)
            p = t.patterns[at]
    return p


cdef int64_t tables_size(Tables *t) noexcept nogil:
    """Bytes of the tables and of all patterns made so far."""
    cdef int64_t total = sizeof(Tables) + t.states * t.states + pattern_count(t.slots) * sizeof(Pattern *)
    cdef int i, wide, must
    for i in range(ROW_KINDS):
        for wide in range(t.slots + 1):
            total += t.states * ((wide + 1) * (t.jokers + 1) * sizeof(Transition) + sizeof(int32_t))
            for must in range(wide + 1):
                if t.choices[i][must][wide] != NULL:
                    total += t.states * (t.slots + 2) * sizeof(int32_t)
                    total += t.first[i][wide][t.states] * (wide + 1) * sizeof(Choice)
    for i in range(pattern_count(t.slots)):
        if t.patterns[i] != NULL:
            total += sizeof(Pattern) + t.patterns[i].count * sizeof(Live)
    return total


cdef Tables *tables_for(Tables **cache, int colors, int slots, int jokers, bint explicit) noexcept nogil:
    """The tables, made when first asked for; NULL when memory is out."""
    cdef int at = (slots * (MAX_JOKERS + 1) + jokers) * 2 + explicit
    cdef Tables *t = cache[at]
    if t == NULL:
        t = tables_new(colors, slots, jokers, explicit)
        if t == NULL:
            return NULL
        # The interpreter's lock makes the store safe; a second maker of the same tables throws his away.
        with gil:
            if cache[at] == NULL:
                cache[at] = t
            else:
                tables_free(t)
                t = cache[at]
    return t
