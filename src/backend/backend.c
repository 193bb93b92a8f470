/* The table of backends, and the choice.
 *
 * To add an instruction set: its enumerator in <kickdrift/backend.h>, its header of kernel/isa, its row here, its tier in cpu.c and its
 * object libraries in CMakeLists.txt. */
#include "backend.h"

#include <stdlib.h>
#include <string.h>

#include "../force/custom.h"
#include "../particles/error.h"

/* What the units of one (precision, arithmetic) export, one table a body. */
typedef struct kdr_units {
    const kdr_kernels *kernels;
    const kdr_pair_kernels *pairs;
} kdr_units;

#define DECLARE(unit)                                                                                                                      \
    extern const kdr_kernels kdr_kernels_##unit;                                                                                           \
    extern const kdr_pair_kernels kdr_pairs_##unit;
#define TABLES(unit)                                                                                                                       \
    { &kdr_kernels_##unit, &kdr_pairs_##unit }
#define UNITS(isa)                                                                                                                         \
    DECLARE(isa##_f32_fused)                                                                                                               \
    DECLARE(isa##_f32_unfused)                                                                                                             \
    DECLARE(isa##_f64_fused)                                                                                                               \
    DECLARE(isa##_f64_unfused)                                                                                                             \
    extern kdr_maps kdr_maps_##isa##_f64_fused;                                                                                            \
    static const kdr_units isa##_units[KDR_REAL_COUNT][KDR_ARITHMETIC_COUNT] = {                                                           \
        [KDR_F32] = {[KDR_FUSED] = TABLES(isa##_f32_fused), [KDR_UNFUSED] = TABLES(isa##_f32_unfused)},                                    \
        [KDR_F64] = {[KDR_FUSED] = TABLES(isa##_f64_fused), [KDR_UNFUSED] = TABLES(isa##_f64_unfused)}};

UNITS(scalar)
#if KDR_HAVE_SSE2
UNITS(sse2)
#define SSE2_UNITS sse2_units, kdr_maps_sse2_f64_fused
#else
#define SSE2_UNITS NULL, NULL
#endif
#if KDR_HAVE_AVX2
UNITS(avx2)
#define AVX2_UNITS avx2_units, kdr_maps_avx2_f64_fused
#else
#define AVX2_UNITS NULL, NULL
#endif
#if KDR_HAVE_AVX512
UNITS(avx512)
#define AVX512_UNITS avx512_units, kdr_maps_avx512_f64_fused
#else
#define AVX512_UNITS NULL, NULL
#endif
#if KDR_HAVE_NEON
UNITS(neon)
#define NEON_UNITS neon_units, kdr_maps_neon_f64_fused
#else
#define NEON_UNITS NULL, NULL
#endif

/* Where the compiler's own target has the fused instruction, it stands for fma in the scalar kernels. */
#ifdef __FP_FAST_FMA
#define SCALAR_FUSED true
#else
#define SCALAR_FUSED false
#endif

static bool runs_scalar(const kdr_cpu *cpu) {
    (void)cpu;
    return true;
}

static bool runs_sse2(const kdr_cpu *cpu) { return cpu->sse2; }

static bool runs_avx2(const kdr_cpu *cpu) { return cpu->avx2 && cpu->fma && cpu->os_ymm; }

static bool runs_avx512(const kdr_cpu *cpu) { return runs_avx2(cpu) && cpu->avx512f && cpu->avx512dq && cpu->os_zmm; }

static bool runs_neon(const kdr_cpu *cpu) { return cpu->neon; }

typedef struct kdr_backend_row {
    const char *name;
    const char *needs;
    const kdr_units (*units)[KDR_ARITHMETIC_COUNT]; /* by precision and arithmetic; NULL: not compiled */
    kdr_maps *maps;
    bool (*runs)(const kdr_cpu *cpu);
    bool fused_native;
    int bytes; /* a vector; 0: one particle */
} kdr_backend_row;

static const kdr_backend_row rows[KDR_BACKEND_LAST + 1] = {
    [KDR_BACKEND_SCALAR] = {"scalar", "any processor", scalar_units, kdr_maps_scalar_f64_fused, runs_scalar, SCALAR_FUSED, 0},
    [KDR_BACKEND_SSE2] = {"sse2", "the processor has no SSE2", SSE2_UNITS, runs_sse2, false, 16},
    [KDR_BACKEND_AVX2] = {"avx2", "needs AVX2 and FMA, and a system that saves 256-bit registers", AVX2_UNITS, runs_avx2, true, 32},
    [KDR_BACKEND_AVX512] = {"avx512", "needs AVX-512 F and DQ, and a system that saves 512-bit registers", AVX512_UNITS, runs_avx512, true,
                            64},
    [KDR_BACKEND_NEON] = {"neon", "the processor has no Advanced SIMD", NEON_UNITS, runs_neon, true, 16},
};

/* Best first. */
static const kdr_backend preference[] = {KDR_BACKEND_AVX512, KDR_BACKEND_AVX2, KDR_BACKEND_NEON, KDR_BACKEND_SSE2, KDR_BACKEND_SCALAR};

static const kdr_backend_row *row_of(kdr_backend backend) {
    return (int)backend >= KDR_BACKEND_FIRST && (int)backend <= KDR_BACKEND_LAST ? &rows[backend] : NULL;
}

kdr_status kdr_backend_query(kdr_backend backend, kdr_backend_info *info) {
    const kdr_backend_row *row = row_of(backend);
    if (!info) {
        return KDR_ERROR_NULL;
    }
    if (!row) {
        return KDR_ERROR_ARGUMENT;
    }
    kdr_cpu cpu;
    kdr_cpu_features(&cpu);
    const bool runs = row->runs(&cpu);
    info->name = row->name;
    info->compiled = row->units != NULL;
    info->runnable = row->units && runs;
    info->fused_native = row->fused_native;
    info->lanes_f32 = row->bytes ? row->bytes / 4 : 1;
    info->lanes_f64 = row->bytes ? row->bytes / 8 : 1;
    info->reason = !row->units ? "not compiled into this library" : runs ? "" : row->needs;
    return KDR_OK;
}

kdr_status kdr_backend_from_name(const char *name, kdr_backend *backend) {
    if (!name || !backend) {
        return KDR_ERROR_NULL;
    }
    if (strcmp(name, "auto") == 0) {
        *backend = KDR_BACKEND_AUTO;
        return KDR_OK;
    }
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        if (strcmp(name, rows[b].name) == 0) {
            *backend = (kdr_backend)b;
            return KDR_OK;
        }
    }
    return KDR_ERROR_UNKNOWN_NAME;
}

static kdr_status choose_named(kdr_backend wanted, kdr_backend *chosen, const char *from, kdr_error *error) {
    kdr_backend_info info;
    const kdr_status status = kdr_backend_query(wanted, &info);
    KDR_CHECK(status == KDR_OK, error, status, "backend: expected an enumerator from %d to %d, got %d", KDR_BACKEND_AUTO, KDR_BACKEND_LAST,
              (int)wanted);
    KDR_CHECK(info.runnable, error, KDR_ERROR_UNAVAILABLE, "%s: %s cannot run here: %s", from, info.name, info.reason);
    *chosen = wanted;
    return KDR_OK;
}

static kdr_status choose_best(kdr_backend *chosen) {
    kdr_cpu cpu;
    kdr_cpu_features(&cpu);
    for (size_t i = 0; i < sizeof preference / sizeof *preference; ++i) {
        const kdr_backend_row *row = &rows[preference[i]];
        if (row->units && row->runs(&cpu)) {
            *chosen = preference[i];
            break;
        }
    }
    return KDR_OK;
}

kdr_status kdr_backend_choose(kdr_backend wanted, kdr_backend *chosen, kdr_error *error) {
    KDR_CHECK(chosen, error, KDR_ERROR_NULL, "chosen: expected a pointer, got NULL");
    if (wanted != KDR_BACKEND_AUTO) {
        return choose_named(wanted, chosen, "backend", error);
    }
    const char *name = getenv("KDR_BACKEND");
    if (!name || !*name) {
        return choose_best(chosen);
    }
    KDR_CHECK(kdr_backend_from_name(name, &wanted) == KDR_OK, error, KDR_ERROR_UNKNOWN_NAME,
              "KDR_BACKEND: expected auto, scalar, sse2, avx2, avx512 or neon, got \"%.32s\"", name);
    return wanted == KDR_BACKEND_AUTO ? choose_best(chosen) : choose_named(wanted, chosen, "KDR_BACKEND", error);
}

const kdr_kernels *kdr_backend_kernels(kdr_backend backend, kdr_real real, kdr_arithmetic arithmetic) {
    return rows[backend].units ? rows[backend].units[real][arithmetic].kernels : NULL;
}

kdr_status kdr_backend_check_field(const kdr_field *field, kdr_backend backend, kdr_real real, kdr_arithmetic arithmetic,
                                   kdr_error *error) {
    KDR_CHECK(!field->custom || field->custom->operations[backend][real][arithmetic], error, KDR_ERROR_UNAVAILABLE,
              "backend: %s was not compiled for %s", field->custom->name, rows[backend].name);
    return KDR_OK;
}

const kdr_pair_kernels *kdr_backend_pairs(kdr_backend backend, kdr_real real, kdr_arithmetic arithmetic) {
    return rows[backend].units ? rows[backend].units[real][arithmetic].pairs : NULL;
}

kdr_maps *kdr_backend_maps(kdr_backend backend) { return rows[backend].maps; }
