/* Vector operations of WebAssembly's relaxed SIMD. Its multiply-add may be fused or not, as the processor has it. The backend runs only
 * where it is fused (backend/relaxed.c). */
#include "wasm.h"

#define FUSED_NATIVE
#define HOT_TILE(avx512, avx2, sse2, neon) sse2

static inline vr v_fused(vr a, vr b, vr c) { return (vr)X(relaxed_madd)((v128_t)a, (v128_t)b, (v128_t)c); }
