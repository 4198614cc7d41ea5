"""Which laid set is which original: the matching in which the most tiles stay where they were."""

from libc.string cimport memset

from .change cimport Search, common
from .tilesets cimport MAX_PICKED, MAX_TABLE, Set


cdef int best_matching(const Search *s, const int *rows, int row_count, const int *columns,
                       int column_count) noexcept nogil:
    """Most tiles that a one-to-one matching of laid sets (ranks) to originals shares (Hungarian method)."""
    cdef int i, j, j0, j1, i0, delta, here, total = 0, k = column_count
    cdef int u[MAX_PICKED + 1]
    cdef int v[MAX_PICKED + MAX_TABLE + 1]
    cdef int row_of[MAX_PICKED + MAX_TABLE + 1]
    cdef int way[MAX_PICKED + MAX_TABLE + 1]
    cdef int least[MAX_PICKED + MAX_TABLE + 1]
    cdef char seen[MAX_PICKED + MAX_TABLE + 1]
    cdef const Set *laid
    # One empty column for each row, so that a set may stay unmatched and rows never outnumber columns.
    memset(u, 0, sizeof(u))
    memset(v, 0, sizeof(v))
    memset(row_of, 0, sizeof(row_of))
    for i in range(1, row_count + 1):
        row_of[0] = i
        j0 = 0
        for j in range(k + row_count + 1):
            least[j] = 1 << 20
            seen[j] = 0
        while True:
            seen[j0] = 1
            i0 = row_of[j0]
            laid = s.w.sets + rows[i0 - 1]
            delta = 1 << 20
            j1 = 0
            for j in range(1, k + row_count + 1):
                if seen[j]:
                    continue
                here = -u[i0] - v[j]
                if j <= k:
                    here -= common(laid.mask, laid.jokers, s.originals + columns[j - 1])
                if here < least[j]:
                    least[j] = here
                    way[j] = j0
                if least[j] < delta:
                    delta = least[j]
                    j1 = j
            for j in range(k + row_count + 1):
                if seen[j]:
                    u[row_of[j]] += delta
                    v[j] -= delta
                else:
                    least[j] -= delta
            j0 = j1
            if row_of[j0] == 0:
                break
        while j0:
            j1 = way[j0]
            row_of[j0] = row_of[j1]
            j0 = j1
    for j in range(1, k + 1):
        if row_of[j]:
            laid = s.w.sets + rows[row_of[j] - 1]
            total += common(laid.mask, laid.jokers, s.originals + columns[j - 1])
    return total
