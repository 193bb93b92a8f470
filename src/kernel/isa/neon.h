/* Vector operations of AArch64's Advanced SIMD. */
#include <simde/x86/fma.h>
#if !defined(SIMDE_ARM_NEON_A64V8_NATIVE)
#error "the neon unit needs AArch64 Advanced SIMD"
#endif

#include "w128.h"

#define FUSED_NATIVE
#define HOT_TILE(avx512, avx2, sse2, neon) neon

static inline vr v_fused(vr a, vr b, vr c) { return V(fmadd)(a, b, c); }

static inline vr v_min(vr a, vr b) { return v_select(v_less(a, b), a, b); }

static inline vr v_max(vr a, vr b) { return v_select(v_less(b, a), a, b); }
