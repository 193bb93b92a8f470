/* This file asks whether the multiply-add of WebAssembly's relaxed SIMD is fused here. The standard allows both. */
#include "backend.h"

#include <wasm_simd128.h>

/* Squares 1 + 2^-n and subtracts 1 + 2^(1-n), where the square does not fit the precision. The difference is 2^-2n if it is rounded once,
 * and 0 if the product is rounded too. `volatile` keeps the compiler from computing it. */
bool kdr_relaxed_is_fused(void) {
    volatile float a = 0x1.001p0F, b = -0x1.002p0F;
    volatile double c = 0x1.0000001p0, d = -0x1.0000002p0;
    const v128_t square = wasm_f32x4_splat(a), wide = wasm_f64x2_splat(c);
    const v128_t single = wasm_f32x4_relaxed_madd(square, square, wasm_f32x4_splat(b));
    const v128_t twice = wasm_f64x2_relaxed_madd(wide, wide, wasm_f64x2_splat(d));
    return wasm_i32x4_all_true(wasm_f32x4_eq(single, wasm_f32x4_splat(0x1p-24F))) &&
           wasm_i64x2_all_true(wasm_f64x2_eq(twice, wasm_f64x2_splat(0x1p-56)));
}
