/* Four 32-bit integers side by side, one for each colour: what Cython has no word for. */
#ifndef SOLVER_RUMMIKUB_LANES_H
#define SOLVER_RUMMIKUB_LANES_H

#include <stdint.h>

#if defined(__GNUC__)
typedef int32_t lanes_t __attribute__((vector_size(16), __may_alias__));

static inline lanes_t lanes_splat(int32_t x) { return (lanes_t){x, x, x, x}; }
static inline lanes_t lanes_add(lanes_t a, lanes_t b) { return a + b; }
static inline lanes_t lanes_sub(lanes_t a, lanes_t b) { return a - b; }
static inline lanes_t lanes_min(lanes_t a, lanes_t b) {
    lanes_t less = a < b;
    return (a & less) | (b & ~less);
}
/* `inf` wherever a lane is at least `high`. */
static inline lanes_t lanes_clamp(lanes_t a, int32_t high, int32_t inf) {
    lanes_t low = a < lanes_splat(high);
    return (a & low) | (lanes_splat(inf) & ~low);
}
static inline int32_t lanes_sum(lanes_t a) { return a[0] + a[1] + a[2] + a[3]; }
#else
typedef struct { int32_t x[4]; } lanes_t;

#define SOLVER_LANES(expr) \
    lanes_t out; \
    for (int i = 0; i < 4; i++) out.x[i] = (expr); \
    return out;
static inline lanes_t lanes_splat(int32_t x) { SOLVER_LANES(x) }
static inline lanes_t lanes_add(lanes_t a, lanes_t b) { SOLVER_LANES(a.x[i] + b.x[i]) }
static inline lanes_t lanes_sub(lanes_t a, lanes_t b) { SOLVER_LANES(a.x[i] - b.x[i]) }
static inline lanes_t lanes_min(lanes_t a, lanes_t b) { SOLVER_LANES(a.x[i] < b.x[i] ? a.x[i] : b.x[i]) }
static inline lanes_t lanes_clamp(lanes_t a, int32_t high, int32_t inf) { SOLVER_LANES(a.x[i] < high ? a.x[i] : inf) }
static inline int32_t lanes_sum(lanes_t a) { return a.x[0] + a.x[1] + a.x[2] + a.x[3]; }
#endif

/* CPU-independent wall clock for the benchmarks of the kernel alone. */
#include <time.h>
static inline int64_t solver_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
