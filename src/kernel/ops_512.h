/* Operations at 512 bits: AVX-512 F and DQ. */
#include <stdbool.h>

#include <simde/x86/avx512.h>
#if !defined(SIMDE_X86_AVX512F_NATIVE) || !defined(SIMDE_X86_FMA_NATIVE)
#error "this unit needs native AVX-512 F: anything else would not be fused"
#endif

#define LANES ((int)(64 / sizeof(real)))
/* Vectors in a tile and in a chunk of it, by family, by whether its row is known at compile time or any, and by number of axes: see
 * tile.inl. */
#define TILE_RK_1 16
#define CHUNK_RK_1 2
#define TILE_RK_2 8
#define CHUNK_RK_2 1
#define TILE_RK_3 8
#define CHUNK_RK_3 1
#define PLACE_SPLIT_1 in_registers
#define TILE_SPLIT_1 8
#define CHUNK_SPLIT_1 8
#define PLACE_FOUR_1 in_registers
#define TILE_FOUR_1 6
#define CHUNK_FOUR_1 6
#define TILE_SPLIT_2 8
#define CHUNK_SPLIT_2 1
#define TILE_SPLIT_3 8
#define CHUNK_SPLIT_3 1
#define TILE_RK_ANY_1 16
#define CHUNK_RK_ANY_1 4
#define TILE_RK_ANY_2 8
#define CHUNK_RK_ANY_2 2
#define TILE_RK_ANY_3 8
#define CHUNK_RK_ANY_3 2
#define PLACE_SPLIT_ANY_1 in_registers
#define TILE_SPLIT_ANY_1 8
#define CHUNK_SPLIT_ANY_1 8
#define TILE_SPLIT_ANY_2 8
#define CHUNK_SPLIT_ANY_2 2
#define TILE_SPLIT_ANY_3 8
#define CHUNK_SPLIT_ANY_3 2
#define NOISE_VECTORS 2 /* vectors of particles whose noise is made side by side: noise.inl */
#define V(op) PASTE(simde_mm512_##op, SUFFIX)
typedef VECTOR(simde__m512) vr;
#define BITS _si512
#define INTEGER(op) simde_mm512_##op
#define W(op) simde_mm512_##op##_si512
#define FROM_BITS PASTE(simde_mm512_castsi512, SUFFIX)
#define Q_SET1 simde_mm512_set1_epi64
typedef simde__m512i vi, vq;

#include "ops_simde.h"

static inline vr v_fused(vr a, vr b, vr c) { return V(fmadd)(a, b, c); }

/* a where w is 0, else b. */
static inline vr v_select_zero(vr w, vr a, vr b) {
    return PASTE(simde_mm512_mask_mov, SUFFIX)(b, MASK(simde_mm512_cmp)(w, V(setzero)(), SIMDE_CMP_EQ_OQ), a);
}

/* Masks, a bit a lane: comparisons are false where a lane is NaN. */
#ifdef KDR_UNIT_F32
typedef simde__mmask16 vm;
#else
typedef simde__mmask8 vm;
#endif

static inline vm v_less(vr a, vr b) { return MASK(simde_mm512_cmp)(a, b, SIMDE_CMP_LT_OQ); }

static inline vm v_at_most(vr a, vr b) { return MASK(simde_mm512_cmp)(a, b, SIMDE_CMP_LE_OQ); }

static inline vm m_none(void) { return 0; }

static inline vm m_and(vm a, vm b) { return (vm)(a & b); }

static inline vm m_or(vm a, vm b) { return (vm)(a | b); }

/* a and not b */
static inline vm m_but(vm a, vm b) { return (vm)(a & (vm)~b); }

static inline bool m_any(vm a) { return a != 0; }

static inline bool m_all(vm a) { return a == (vm)-1; }

/* a where m, else b. */
static inline vr v_select(vm m, vr a, vr b) { return PASTE(simde_mm512_mask_mov, SUFFIX)(b, m, a); }
