"""The graph of all moves of one position: rows of which the rack has tiles, and the choices in each of them."""

from libc.stdint cimport int64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from .automaton cimport COPY_BITS
from .lanes cimport LANES, MAX_JOKERS


cdef void graph_free(Graph *g) noexcept nogil:
    if g != NULL:
        free(g.must)
        free(g.choice)
        free(g.weight)
        free(g.row)
        free(g.edge)
        free(g.reach)
        free(g)


cdef Graph *graph_new(const uint8_t *packed, int numbers, const int64_t *weights, int64_t limit) noexcept nogil:
    """The rows and choices of packed counts (as `Sweep.solve` reads them), no nodes yet; NULL if memory is out.

    weights: of the tiles, or NULL: all the same.
    """
    cdef Graph *g = <Graph *>calloc(1, sizeof(Graph))
    cdef int cells = numbers * LANES, v, c, i, total, ways
    cdef int left[LANES]
    cdef Choice *choice
    cdef Row *row
    if g == NULL:
        return NULL
    g.numbers = numbers
    g.limit = limit
    g.must = <uint8_t *>malloc(2 * cells)
    g.row = <Row *>calloc(numbers + 1, sizeof(Row))
    # a row has a choice for each vector of tiles of the rack, and one joker more or less is one
    total = MAX_JOKERS + 1
    for v in range(numbers):
        ways = 1
        for c in range(LANES):
            ways *= packed[cells + v * LANES + c] + 1
        total += ways
    g.choice = <Choice *>malloc(total * sizeof(Choice))
    g.weight = <int64_t *>malloc(cells * sizeof(int64_t))
    if g.must == NULL or g.row == NULL or g.choice == NULL or g.weight == NULL:
        graph_free(g)
        return NULL
    for i in range(cells):
        g.weight[i] = GRAIN * (weights[i] if weights != NULL else 1)
        g.mean += packed[cells + i] * g.weight[i]
    memcpy(g.must, packed, 2 * cells)
    g.may = g.must + cells
    g.jokers_must = packed[2 * cells]
    g.jokers_may = packed[2 * cells + 1]
    g.tiles = g.jokers_may
    choice = g.choice
    for v in range(numbers):
        total = 0
        for c in range(LANES):
            left[c] = g.may[v * LANES + c]
            total += left[c]
        if total == 0:
            continue
        g.tiles += total
        row = &g.row[g.rows]
        g.rows += 1
        row.number = v
        row.first_choice = choice - g.choice
        while True:
            choice.tiles = 0
            choice.counts = 0
            choice.lost = 0
            for c in range(LANES):
                choice.lost += (g.may[v * LANES + c] - left[c]) * g.weight[v * LANES + c]
                choice.laid[c] = left[c]
                choice.tiles += left[c]
                choice.counts |= (g.must[v * LANES + c] + left[c]) << (COPY_BITS * c)
            choice += 1
            row.choices += 1
            c = LANES - 1
            while c >= 0 and left[c] == 0:
                left[c] = g.may[v * LANES + c]
                c -= 1
            if c < 0:
                break
            left[c] -= 1
    row = &g.row[g.rows]
    g.rows += 1
    row.number = numbers
    row.first_choice = choice - g.choice
    row.choices = g.jokers_may + 1
    for i in range(row.choices):
        memset(choice, 0, sizeof(Choice))
        choice.tiles = g.jokers_may - i
        choice.laid[0] = choice.tiles
        choice += 1
    if g.tiles > g.jokers_may:
        g.mean //= g.tiles - g.jokers_may
    g.width = g.tiles // 64 + 1
    g.memory = sizeof(Graph) + (choice - g.choice) * sizeof(Choice) + (numbers + 1) * sizeof(Row)
    return g
