/* The table of backends, as the integrator sees it. */
#ifndef KDR_BACKEND_BACKEND_H
#define KDR_BACKEND_BACKEND_H

#include <kickdrift/integrator.h>

#include "../kernel/pairs/pairs.h"
#include "../program/operation.h"

/* The kernels of a backend that was chosen by kdr_backend_choose; NULL when it is not compiled. */
const kdr_kernels *kdr_backend_kernels(kdr_backend backend, kdr_real real, kdr_arithmetic arithmetic);

/* Says whether options are those of kdr_pass_options_choose for this precision: a caller may have changed a member since. */
bool kdr_backend_has(const kdr_kernels *kernels, kdr_backend backend, kdr_real real, kdr_arithmetic arithmetic);

/* Fails where a custom field was not compiled for the backend. */
kdr_status kdr_backend_check_field(const kdr_field *field, kdr_backend backend, kdr_real real, kdr_arithmetic arithmetic, kdr_error *error);

/* The kernels of forces between particles of a chosen backend; NULL when it is not compiled. */
const kdr_pair_kernels *kdr_backend_pairs(kdr_backend backend, kdr_real real, kdr_arithmetic arithmetic);

/* Who makes the maps of affine motion where they differ from particle to particle: for every precision and arithmetic the same. */
kdr_maps *kdr_backend_maps(kdr_backend backend);

/* Whether square roots and quotients by their cubes are faster by multiply-adds than by the divider, as the operations of the backend
 * make them: the bits are the same. */
bool kdr_backend_fused_roots(kdr_backend backend);

/* How many bytes ahead particles in memory are asked for, by a step that goes through them once; 0: the processor does it better itself.
 * One step a call over 4,194,304 particles is up to 1.46 times as fast so on Granite Rapids, and takes up to twice as long on Zen 4. */
size_t kdr_backend_fetch_ahead(void);

/* What kdr_cpu_query tells but for the name, and the maker: looked at once, for under a hypervisor CPUID takes microseconds. */
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
    KDR_CPU_LOOKED = 1024
};
unsigned kdr_cpu_features(void); /* a set */

#endif
