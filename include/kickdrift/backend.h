/* Backends: the kernels built for one instruction set each, and what this processor runs.
 *
 * All functions are thread-safe. Nothing is cached: the processor is asked at each call, so ask once. */
#ifndef KICKDRIFT_BACKEND_H
#define KICKDRIFT_BACKEND_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kdr_backend {
    KDR_BACKEND_AUTO = 0,   /* the environment's KDR_BACKEND when it is set and not empty, else the best that runs here */
    KDR_BACKEND_SCALAR = 1, /* plain C, one particle at a time */
    KDR_BACKEND_SSE2 = 2,   /* x86-64, 128 bits; `fused` is made of doubles for f32, and is scalar's for f64 */
    KDR_BACKEND_AVX2 = 3,   /* AVX2 and FMA, 256 bits */
    KDR_BACKEND_AVX512 = 4, /* AVX-512 F and DQ, 512 bits */
    KDR_BACKEND_NEON = 5    /* AArch64 Advanced SIMD, 128 bits */
} kdr_backend;
enum { KDR_BACKEND_FIRST = 1, KDR_BACKEND_LAST = 5 };

typedef struct kdr_backend_info {
    const char *name;  /* "avx2" */
    bool compiled;     /* this library has it */
    bool runnable;     /* compiled, and the processor and the operating system run it */
    bool fused_native; /* the processor's own fused multiply-add; false: `fused` is right but slow, `unfused` is the fast choice */
    int lanes_f32;     /* particles a vector */
    int lanes_f64;
    const char *reason; /* why it is not runnable, else "" */
} kdr_backend_info;

/* What the processor and the operating system offer. Fields that the architecture does not have are false. */
typedef struct kdr_cpu {
    char name[64]; /* the processor's own brand string, or "unknown" */
    bool sse2, avx, avx2, fma, avx512f, avx512dq;
    bool os_ymm, os_zmm; /* XCR0: the system saves 256- and 512-bit registers */
    bool neon;
} kdr_cpu;

/* KDR_ERROR_NULL for a pointer that is NULL, KDR_ERROR_ARGUMENT for an unknown enumerator. */
KDR_API kdr_status kdr_backend_query(kdr_backend backend, kdr_backend_info *info);

/* "auto", "scalar", "sse2", ... KDR_ERROR_UNKNOWN_NAME for another name, KDR_ERROR_NULL for a pointer that is NULL. */
KDR_API kdr_status kdr_backend_from_name(const char *name, kdr_backend *backend);

/* Resolves KDR_BACKEND_AUTO, and checks any other that it runs here. KDR_ERROR_UNAVAILABLE or KDR_ERROR_UNKNOWN_NAME otherwise:
 * never a silent fallback. KDR_ERROR_ARGUMENT for an unknown enumerator, KDR_ERROR_NULL without `chosen`; `error` may be NULL. */
KDR_API kdr_status kdr_backend_choose(kdr_backend wanted, kdr_backend *chosen, kdr_error *error);

KDR_API void kdr_cpu_query(kdr_cpu *cpu);

#ifdef __cplusplus
}
#endif
#endif
