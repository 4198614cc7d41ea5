"""Which laid set is which original."""

from .change cimport Search

cdef int best_matching(const Search *s, const int *rows, int row_count, const int *columns,
                       int column_count) noexcept nogil
