/* Operations of the scalar backend: plain C, one particle a "vector". */
#include <math.h>
#include <string.h>

#define LANES 1
/* Vectors in a tile and in a chunk of it, by family, by whether its row is known at compile time or any, and by number of axes: see
 * tile.inl. */
#define TILE_RK_1 16
#define CHUNK_RK_1 2
#define TILE_RK_2 8
#define CHUNK_RK_2 1
#define TILE_RK_3 8
#define CHUNK_RK_3 1
#define TILE_SPLIT_1 16
#define CHUNK_SPLIT_1 2
#define TILE_SPLIT_2 8
#define CHUNK_SPLIT_2 1
#define TILE_SPLIT_3 8
#define CHUNK_SPLIT_3 1
#define TILE_RK_ANY_1 16
#define CHUNK_RK_ANY_1 4
#define TILE_RK_ANY_2 8
#define CHUNK_RK_ANY_2 2
#define TILE_RK_ANY_3 8
#define CHUNK_RK_ANY_3 1
#define TILE_SPLIT_ANY_1 16
#define CHUNK_SPLIT_ANY_1 4
#define TILE_SPLIT_ANY_2 8
#define CHUNK_SPLIT_ANY_2 2
#define TILE_SPLIT_ANY_3 8
#define CHUNK_SPLIT_ANY_3 1

typedef real vr;

static inline vr v_load(const void *p) {
    vr a;
    memcpy(&a, p, sizeof a);
    return a;
}

static inline void v_store(void *p, vr a) { memcpy(p, &a, sizeof a); }

static inline vr v_set1(real a) { return a; }

static inline vr v_add(vr a, vr b) { return a + b; }

static inline vr v_sub(vr a, vr b) { return a - b; }

static inline vr v_mul(vr a, vr b) { return a * b; }

static inline vr v_div(vr a, vr b) { return a / b; }

static inline vr v_sqrt(vr a) { return REAL_SQRT(a); }

static inline vr v_fused(vr a, vr b, vr c) { return REAL_FMA(a, b, c); }

/* a where w is 0, else b. */
static inline vr v_select_zero(vr w, vr a, vr b) { return w == 0 ? a : b; }
