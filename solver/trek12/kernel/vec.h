/* The vector loops of the value net. Every function gives the same bits on every instruction set: sums over inputs are
 * done in a fixed order, lane by lane, and fused multiply-add is off (see the compiler flag in net.pyx). */
#ifndef SOLVER_TREK12_VEC_H
#define SOLVER_TREK12_VEC_H

#include <math.h>
#include <string.h>

#define TREK_H1 64
#define TREK_H2 32

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#define TREK_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TREK_CLONES
#endif
#if defined(__GNUC__)
#define TREK_INLINE static inline __attribute__((always_inline))
#else
#define TREK_INLINE static inline
#endif

/* Sixteen floats. */
#if defined(__GNUC__)
typedef float trek_lane __attribute__((vector_size(64), aligned(4), may_alias));
#define trek_load(p) (*(const trek_lane *)(p))
#define trek_store(p, lane) (*(trek_lane *)(p) = (lane))
#define trek_lane_add(lane, p) ((lane) + trek_load(p))
#define trek_lane_sub(lane, p) ((lane) - trek_load(p))
#else
typedef struct { float x[16]; } trek_lane;
TREK_INLINE trek_lane trek_load(const float *p) { trek_lane r; memcpy(r.x, p, sizeof r.x); return r; }
TREK_INLINE void trek_store(float *p, trek_lane lane) { memcpy(p, lane.x, sizeof lane.x); }
TREK_INLINE trek_lane trek_lane_add(trek_lane lane, const float *p) {
    int j;
    for (j = 0; j < 16; j++) lane.x[j] += p[j];
    return lane;
}
TREK_INLINE trek_lane trek_lane_sub(trek_lane lane, const float *p) {
    int j;
    for (j = 0; j < 16; j++) lane.x[j] -= p[j];
    return lane;
}
#endif

/* Sum of TREK_H2 floats by halves, which compilers turn into vector adds. */
TREK_INLINE float trek_sum(const float *x) {
    float a[16], b[8], c[4];
    int j;
    for (j = 0; j < 16; j++) a[j] = x[j] + x[j + 16];
    for (j = 0; j < 8; j++) b[j] = a[j] + a[j + 8];
    for (j = 0; j < 4; j++) c[j] = b[j] + b[j + 4];
    return (c[0] + c[2]) + (c[1] + c[3]);
}

/* out = in + sum of w[plus] - sum of w[minus], rows of TREK_H1. */
TREK_CLONES
static void trek_columns(float *restrict out, const float *in, const float *restrict w,
                         const int *plus, int pluses, const int *minus, int minuses) {
    /* four lanes of sixteen by name: compilers keep these in registers, an array of 64 they do not */
    trek_lane a = trek_load(in), b = trek_load(in + 16), c = trek_load(in + 32), d = trek_load(in + 48);
    int i;
    for (i = 0; i < minuses; i++) {
        const float *row = w + (long)minus[i] * TREK_H1;
        a = trek_lane_sub(a, row);
        b = trek_lane_sub(b, row + 16);
        c = trek_lane_sub(c, row + 32);
        d = trek_lane_sub(d, row + 48);
    }
    for (i = 0; i < pluses; i++) {
        const float *row = w + (long)plus[i] * TREK_H1;
        a = trek_lane_add(a, row);
        b = trek_lane_add(b, row + 16);
        c = trek_lane_add(c, row + 32);
        d = trek_lane_add(d, row + 48);
    }
    trek_store(out, a);
    trek_store(out + 16, b);
    trek_store(out + 32, c);
    trek_store(out + 48, d);
}

/* Second hidden layer of relu(a + b) into h2 (after relu), and the output. */
TREK_CLONES
static float trek_head(const float *restrict a, const float *restrict b, const float *restrict w2,
                       const float *restrict b2, const float *restrict w3, float b3,
                       float *restrict h1, float *restrict h2) {
    float even[TREK_H2], odd[TREK_H2];
    int i, j;
    for (i = 0; i < TREK_H1; i++) {
        float x = a[i] + b[i];
        h1[i] = x > 0 ? x : 0;
    }
    for (j = 0; j < TREK_H2; j++) { even[j] = b2[j]; odd[j] = 0; }
    for (i = 0; i < TREK_H1; i += 2) {
        const float *r0 = w2 + i * TREK_H2, *r1 = r0 + TREK_H2;
        float x0 = h1[i], x1 = h1[i + 1];
        for (j = 0; j < TREK_H2; j++) even[j] += x0 * r0[j];
        for (j = 0; j < TREK_H2; j++) odd[j] += x1 * r1[j];
    }
    for (j = 0; j < TREK_H2; j++) {
        float x = even[j] + odd[j];
        h2[j] = x > 0 ? x : 0;
    }
    for (j = 0; j < TREK_H2; j++) even[j] = h2[j] * w3[j];
    return trek_sum(even) + b3;
}

/* Add the gradient of g * output to gw2, gb2, gw3 and write that of the first layer's sum to d1. */
TREK_CLONES
static void trek_backward(float g, const float *restrict h1, const float *restrict h2, const float *restrict w2,
                          const float *restrict w3, float *restrict gw2, float *restrict gb2, float *restrict gw3,
                          float *restrict d1) {
    float d2[TREK_H2], part[TREK_H2];
    int i, j;
    for (j = 0; j < TREK_H2; j++) {
        gw3[j] += g * h2[j];
        d2[j] = h2[j] > 0 ? g * w3[j] : 0;
        gb2[j] += d2[j];
    }
    for (i = 0; i < TREK_H1; i++) {
        float x = h1[i];
        const float *row = w2 + i * TREK_H2;
        if (x <= 0) { d1[i] = 0; continue; }
        for (j = 0; j < TREK_H2; j++) gw2[i * TREK_H2 + j] += x * d2[j];
        for (j = 0; j < TREK_H2; j++) part[j] = row[j] * d2[j];
        d1[i] = trek_sum(part);
    }
}

TREK_CLONES
static void trek_add_row(float *restrict to, const float *restrict d) {
    int j;
    for (j = 0; j < TREK_H1; j++) to[j] += d[j];
}

/* One Adam step; the gradients are set back to zero. rate already holds the correction of the running means. */
TREK_CLONES
static void trek_adam(float *restrict w, float *restrict g, float *restrict m, float *restrict v, long count,
                      float rate, float scale, float beta1, float beta2, float epsilon) {
    long i;
    for (i = 0; i < count; i++) {
        float x = g[i] * scale;
        float a = beta1 * m[i] + (1 - beta1) * x;
        float b = beta2 * v[i] + (1 - beta2) * x * x;
        m[i] = a;
        v[i] = b;
        w[i] -= rate * a / (sqrtf(b) + epsilon);
        g[i] = 0;
    }
}
#endif
