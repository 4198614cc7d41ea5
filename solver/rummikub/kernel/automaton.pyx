"""The automaton that reads rows of tiles: states of a colour, steps between them, tiles of a row in groups.

A state of a colour is a multiset of open runs of length 1, 2, "3 or more". All of this depends on the rules and the
number of jokers alone, so it is made once.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.stdlib cimport calloc, free, malloc

from .lanes cimport LANES, MAX_JOKERS, MIN_SET, beats

cdef enum:
    NARROW_BITS = 4  # of a state in a way, for the ten states of two slots


cdef void machine_free(Machine *m) noexcept nogil:
    if m != NULL:
        free(m.vectors)
        free(m)


cdef int state_of(Machine *m, int x1, int x2, int x3) noexcept nogil:
    cdef int s
    for s in range(m.states):
        if m.runs[s][0] == x1 and m.runs[s][1] == x2 and m.runs[s][2] == x3:
            return s
    return -1


cdef void fill_steps(Machine *m, int kind, int s, int n, int g) noexcept nogil:
    """Every step of a colour: n real tiles, g of them in groups.

    Runs of length 1 and 2 must go on, by real tiles first. What is left lengthens ripe runs, then starts new ones. A
    joker on a ripe run is only needed if the run goes on, so that run counts as one of length 2; a joker starts a run
    only where the numbers end; where jokers are in runs no tile of their kind is in a group.
    """
    cdef int x1 = m.runs[s][0], x2 = m.runs[s][1], x3 = m.runs[s][2]
    cdef int r = n - g, forced = x1 + x2, jr, filled, ripe, start, bridged, left, begun, to
    for jr in range(m.jokers + 1):
        if jr > 0 and g > 0:
            break
        filled = max(0, forced - r)
        if filled > jr:
            continue
        ripe = min(max(0, r - forced), x3)
        start = max(0, r - forced) - ripe
        left = jr - filled
        for bridged in range(min(left, x3 - ripe) + 1):
            begun = left - bridged
            if begun > 0 and kind != LAST_START:
                continue
            if start + begun + x1 + bridged + x2 + ripe > m.slots:
                continue
            if kind >= LAST_BUT_ONE and start + begun > 0:
                continue
            if kind == LAST and x1 + bridged > 0:
                continue
            to = state_of(m, start + begun, x1 + bridged, x2 + ripe)
            m.steps[m.step_count].to = to
            m.steps[m.step_count].jokers = jr
            m.step_count += 1


cdef int fewest_jokers(int colors, int total, int most, int more) noexcept nogil:
    """The fewest jokers, at least `more`, that complete tiles of one number to groups; -1 if there are none."""
    cdef int j, k
    if total == 0:
        return 0 if more == 0 else -1
    if colors < MIN_SET:
        return -1
    for j in range(more, MAX_JOKERS + 1):
        for k in range(most, (total + j) // MIN_SET + 1):
            if total + j <= colors * k:
                return j
    return -1


cdef bint fill_vectors(Machine *m) noexcept nogil:
    cdef int code, c, j, total, most, at = 0
    cdef int copies[LANES]
    cdef int tiles[LANES]
    cdef bint ends
    m.vectors = <Vector *>malloc(ALL_VECTORS * sizeof(Vector))
    if m.vectors == NULL:
        return False
    for code in range(COUNTS):
        m.first_vector[code] = at
        for c in range(LANES):
            copies[c] = (code >> (COPY_BITS * c)) & (COPIES - 1)
            tiles[c] = 0
        ends = False
        while not ends:
            total = tiles[0] + tiles[1] + tiles[2] + tiles[3]
            most = max(max(tiles[0], tiles[1]), max(tiles[2], tiles[3]))
            j = fewest_jokers(m.colors, total, most, 0)
            if 0 <= j <= m.jokers:
                for c in range(LANES):
                    m.vectors[at].tiles[c] = tiles[c]
                m.vectors[at].jokers = j
                m.vectors[at].wants = 0
                for c in range(LANES):
                    m.vectors[at].wants |= <uint16_t>(1 << (COPIES * c + tiles[c]))
                at += 1
            ends = True
            for c in range(LANES):
                if tiles[c] < copies[c]:
                    tiles[c] += 1
                    ends = False
                    break
                tiles[c] = 0
        total = copies[0] + copies[1] + copies[2] + copies[3]
        most = max(max(copies[0], copies[1]), max(copies[2], copies[3]))
        j = 0
        while True:
            j = fewest_jokers(m.colors, total, most, j)
            if j < 0 or j > m.jokers:
                break
            m.pure[code] |= <uint16_t>(1 << j)
            j += 1
    m.first_vector[COUNTS] = at
    return True


cdef Machine *machine_new(int colors, int slots, int jokers) noexcept nogil:
    cdef Machine *m = <Machine *>calloc(1, sizeof(Machine))
    cdef int x1, x2, x3, kind, s, t, n, g
    if m == NULL:
        return NULL
    m.colors = colors
    m.slots = slots
    m.jokers = jokers
    m.bits = NARROW_BITS if slots < MAX_SLOTS else WIDE_BITS
    m.mask = (<uint32_t>1 << m.bits) - 1
    for x1 in range(slots + 1):
        for x2 in range(slots + 1 - x1):
            for x3 in range(slots + 1 - x1 - x2):
                m.runs[m.states][0] = x1
                m.runs[m.states][1] = x2
                m.runs[m.states][2] = x3
                m.lengths[m.states] = x1 + 2 * x2 + 3 * x3
                m.states += 1
    for s in range(m.states):
        for t in range(m.states):
            if beats(m.runs[t], m.runs[s]):
                m.better[s] |= <uint32_t>1 << t
    for kind in range(KINDS):
        for s in range(m.states):
            for n in range(COPIES):
                for g in range(COPIES + 1):
                    m.first_step[((kind * MAX_STATES + s) * COPIES + n) * (COPIES + 1) + g] = m.step_count
                    if g <= n:
                        fill_steps(m, kind, s, n, g)
                        if m.step_count > steps_of(m, kind, s, n)[g]:
                            m.can[(kind * MAX_STATES + s) * COPIES + n] |= <uint8_t>(1 << g)
    if not fill_vectors(m):
        machine_free(m)
        return NULL
    return m
