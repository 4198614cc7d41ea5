/* Bit tricks and the few vector loops that Cython cannot say. */
#ifndef SOLVER_TREK12_BITS_H
#define SOLVER_TREK12_BITS_H

#include <stdint.h>

#if defined(__GNUC__)
static inline int trek_ctz(uint64_t x) { return __builtin_ctzll(x); }
#else
static inline int trek_ctz(uint64_t x) {
    int n = 0;
    while (!(x & 1)) { x >>= 1; n++; }
    return n;
}
#endif

/* Without a popcount instruction in the portable target the call of libgcc is slower than this for small sets. */
static inline int trek_popcount(uint64_t x) {
    int n = 0;
    while (x) { x &= x - 1; n++; }
    return n;
}
#endif
