/* Backends: the library's loops over particles, compiled for one instruction set each. All functions are thread-safe. */
#ifndef KICKDRIFT_BACKEND_H
#define KICKDRIFT_BACKEND_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kdr_backend {
    KDR_BACKEND_AUTO = 0,    /* the one that the environment variable KDR_BACKEND names, else the best that runs here */
    KDR_BACKEND_SCALAR = 1,  /* plain C, one particle at a time */
    KDR_BACKEND_SSE2 = 2,    /* x86-64, 128 bits; KDR_FUSED uses doubles for f32, and scalar code for f64 */
    KDR_BACKEND_AVX2 = 3,    /* AVX2 and FMA, 256 bits */
    KDR_BACKEND_AVX512 = 4,  /* AVX-512 F and DQ */
    KDR_BACKEND_NEON = 5,    /* AArch64 Advanced SIMD, 128 bits */
    KDR_BACKEND_SIMD128 = 6, /* WebAssembly, 128 bits; KDR_FUSED as for SSE2 */
    KDR_BACKEND_RELAXED = 7  /* WebAssembly with relaxed SIMD whose multiply-add is fused */
} kdr_backend;
enum { KDR_BACKEND_FIRST = 1, KDR_BACKEND_LAST = 7 };

typedef struct kdr_backend_info {
    const char *name;
    bool compiled;
    bool runnable;     /* compiled, and supported by processor and operating system */
    bool fused_native; /* has a fused multiply-add; otherwise KDR_FUSED is slow and KDR_UNFUSED fast */
    int lanes_f32;     /* particles per vector */
    int lanes_f64;
    const char *reason; /* why it is not runnable, or "" */
} kdr_backend_info;

/* Features of processor and operating system; false on other architectures. */
typedef struct kdr_cpu {
    char name[64]; /* or "unknown" */
    bool sse2, avx, avx2, fma, avx512f, avx512dq;
    bool os_ymm, os_zmm; /* the system saves 256- and 512-bit registers */
    bool neon;
    bool simd128;
    bool relaxed_fused;
} kdr_cpu;

/* Describes a backend. Errors: KDR_ERROR_ARGUMENT (enumerator). */
KDR_API kdr_status kdr_backend_query(kdr_backend backend, kdr_backend_info *info);

/* Finds the backend of a name, such as "auto" or "sse2". Errors: KDR_ERROR_UNKNOWN_NAME. */
KDR_API kdr_status kdr_backend_from_name(const char *name, kdr_backend *backend);

/* Sets *chosen to `wanted` if that runs here, and never to another. KDR_BACKEND_AUTO is replaced by the backend that it selects. Errors:
 * KDR_ERROR_UNAVAILABLE, KDR_ERROR_UNKNOWN_NAME (environment variable), KDR_ERROR_ARGUMENT (enumerator). */
KDR_API kdr_status kdr_backend_choose(kdr_backend wanted, kdr_backend *chosen, kdr_error *error);

KDR_API void kdr_cpu_query(kdr_cpu *cpu);

#ifdef __cplusplus
}
#endif
#endif
