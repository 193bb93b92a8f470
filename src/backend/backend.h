/* The table of backends, as the integrator sees it. */
#ifndef KDR_BACKEND_BACKEND_H
#define KDR_BACKEND_BACKEND_H

#include <kickdrift/integrator.h>

#include "../kernel/pairs/pairs.h"
#include "../program/operation.h"

/* Returns the kernels of a backend that kdr_backend_choose has returned; NULL if it is not compiled. */
const kdr_kernels *kdr_backend_kernels(kdr_backend backend, kdr_real real, kdr_arithmetic arithmetic);

/* Returns whether these options fit together, as kdr_pass_options_init sets them for this precision. The user may have changed a
 * member since. */
bool kdr_backend_has(const kdr_kernels *kernels, kdr_backend backend, kdr_real real, kdr_arithmetic arithmetic);

/* Fails if a custom field was not compiled for the backend. */
kdr_status kdr_backend_check_field(const kdr_field *field, kdr_backend backend, kdr_real real, kdr_arithmetic arithmetic, kdr_error *error);

/* Returns the kernels of interactions of a chosen backend; NULL if it is not compiled. */
const kdr_pair_kernels *kdr_backend_pairs(kdr_backend backend, kdr_real real, kdr_arithmetic arithmetic);

/* Returns the backend's functions that make maps of affine motion where these differ from particle to particle. They are the same for
 * every precision and arithmetic. */
kdr_maps *kdr_backend_maps(kdr_backend backend);

/* Returns whether multiply-adds compute square roots and quotients by their cubes faster than the divider does. Both give the same bits. */
bool kdr_backend_fused_roots(kdr_backend backend);

/* Returns how many bytes ahead a step that reads each particle once should prefetch. 0: the processor's own prefetch is better. The
 * prefetch speeds up Granite Rapids and slows down Zen 4. */
size_t kdr_backend_fetch_ahead(void);

/* The features that kdr_cpu_query reports, and the maker. They are queried once, because under a hypervisor CPUID takes microseconds. */
enum {
    KDR_CPU_SSE2 = 1,
    KDR_CPU_AVX = 2,
    KDR_CPU_AVX2 = 4,
    KDR_CPU_FMA = 8,
    KDR_CPU_AVX512F = 16,
    KDR_CPU_AVX512DQ = 32,
    KDR_CPU_OS_YMM = 64,
    KDR_CPU_OS_ZMM = 128,
    KDR_CPU_NEON = 256,
    KDR_CPU_INTEL = 512,
    KDR_CPU_LOOKED = 1024,
    KDR_CPU_SIMD128 = 2048,
    KDR_CPU_RELAXED_FUSED = 4096
};
unsigned kdr_cpu_features(void); /* returns a set of the features above */

/* Returns whether the multiply-add of relaxed SIMD is fused here. Only for WebAssembly. */
bool kdr_relaxed_is_fused(void);

#endif
