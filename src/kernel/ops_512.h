/* Operations at 512 bits: AVX-512 F and DQ. */
#include <simde/x86/avx512.h>
#if !defined(SIMDE_X86_AVX512F_NATIVE) || !defined(SIMDE_X86_FMA_NATIVE)
#error "this unit needs native AVX-512 F: anything else would not be fused"
#endif

#define LANES ((int)(64 / sizeof(real)))
#define TILE_RK_1 5
#define TILE_RK_2 2
#define TILE_RK_3 2
#define TILE_SPLIT_1 8
#define TILE_SPLIT_2 4
#define TILE_SPLIT_3 3
#define V(op) PASTE(simde_mm512_##op, SUFFIX)
typedef VECTOR(simde__m512) vr;

#include "ops_simde.h"

static inline vr v_fused(vr a, vr b, vr c) {
    return V(fmadd)(a, b, c);
}

/* a where w is 0, else b. */
static inline vr v_select_zero(vr w, vr a, vr b) {
    return PASTE(simde_mm512_mask_mov, SUFFIX)(b, MASK(simde_mm512_cmp)(w, V(setzero)(), SIMDE_CMP_EQ_OQ), a);
}
