/* This file holds the table of backends, and chooses one. */
#include "backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../force/custom.h"
#include "../particles/error.h"

/* The tables that the units of one precision and arithmetic export, one per body. */
typedef struct kdr_units {
    const kdr_kernels *kernels;
    const kdr_pair_kernels *pairs;
} kdr_units;

#define DECLARE(unit)                                                                                                                      \
    extern const kdr_kernels kdr_kernels_##unit;                                                                                           \
    extern const kdr_pair_kernels kdr_pairs_##unit;
#define TABLES(unit) {&kdr_kernels_##unit, &kdr_pairs_##unit}
#define UNITS(isa, doubles)                                                                                                                \
    DECLARE(isa##_f32_fused)                                                                                                               \
    DECLARE(isa##_f32_unfused)                                                                                                             \
    DECLARE(doubles##_f64_fused)                                                                                                           \
    DECLARE(isa##_f64_unfused)                                                                                                             \
    extern kdr_maps kdr_maps_##doubles##_f64_fused;                                                                                        \
    static const kdr_units isa##_units[KDR_REAL_COUNT][KDR_ARITHMETIC_COUNT] = {                                                           \
        [KDR_F32] = {[KDR_FUSED] = TABLES(isa##_f32_fused), [KDR_UNFUSED] = TABLES(isa##_f32_unfused)},                                    \
        [KDR_F64] = {[KDR_FUSED] = TABLES(doubles##_f64_fused), [KDR_UNFUSED] = TABLES(isa##_f64_unfused)}};

/* CMake defines KDR_BACKENDS as a row of BACKEND(AVX2, avx2, avx2) and the like, one for each compiled backend. The last argument names
 * the backend whose units serve for fused doubles. */
#define BACKEND(NAME, isa, doubles) UNITS(isa, doubles)
KDR_BACKENDS
#undef BACKEND

/* A backend that is not compiled has NULL for both members. */
static const struct compiled {
    const kdr_units (*units)[KDR_ARITHMETIC_COUNT]; /* by precision and arithmetic */
    kdr_maps *maps;
} compiled[KDR_BACKEND_LAST + 1] = {
#define BACKEND(NAME, isa, doubles) [KDR_BACKEND_##NAME] = {isa##_units, kdr_maps_##doubles##_f64_fused},
    KDR_BACKENDS
#undef BACKEND
};

/* True if the compiler's own target has the fused instruction, so that it replaces fma in the scalar kernels. */
#ifdef __FP_FAST_FMA
#define SCALAR_FUSED true
#else
#define SCALAR_FUSED false
#endif

/* Sets of features of the processor and the system that backends need. */
enum {
    AVX2 = KDR_CPU_AVX2 | KDR_CPU_FMA | KDR_CPU_OS_YMM,
    AVX512 = AVX2 | KDR_CPU_AVX512F | KDR_CPU_AVX512DQ | KDR_CPU_OS_ZMM,
};

typedef struct kdr_backend_row {
    const char *name;
    const char *needs;
    unsigned features;
    bool fused_native;
    int bytes; /* bytes of a vector; 0: one particle at a time */
} kdr_backend_row;

static const kdr_backend_row rows[KDR_BACKEND_LAST + 1] = {
    [KDR_BACKEND_SCALAR] = {"scalar", "any processor", 0, SCALAR_FUSED, 0},
    [KDR_BACKEND_SSE2] = {"sse2", "the processor has no SSE2", KDR_CPU_SSE2, false, 16},
    [KDR_BACKEND_AVX2] = {"avx2", "needs AVX2 and FMA, and a system that saves 256-bit registers", AVX2, true, 32},
    [KDR_BACKEND_AVX512] = {"avx512", "needs AVX-512 F and DQ, and a system that saves 512-bit registers", AVX512, true, 64},
    [KDR_BACKEND_NEON] = {"neon", "the processor has no Advanced SIMD", KDR_CPU_NEON, true, 16},
    [KDR_BACKEND_SIMD128] = {"simd128", "the machine is not WebAssembly's", KDR_CPU_SIMD128, false, 16},
    [KDR_BACKEND_RELAXED] = {"relaxed", "the multiply-add of relaxed SIMD is not fused here", KDR_CPU_RELAXED_FUSED, true, 16},
};

/* Best first. */
static const kdr_backend preference[] = {KDR_BACKEND_AVX512,  KDR_BACKEND_AVX2,    KDR_BACKEND_NEON,  KDR_BACKEND_SSE2,
                                         KDR_BACKEND_RELAXED, KDR_BACKEND_SIMD128, KDR_BACKEND_SCALAR};

static bool runs(const kdr_backend_row *row) { return (kdr_cpu_features() & row->features) == row->features; }

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
    const bool is_compiled = compiled[backend].units != NULL;
    info->name = row->name;
    info->compiled = is_compiled;
    info->runnable = is_compiled && runs(row);
    info->fused_native = row->fused_native;
    info->lanes_f32 = row->bytes ? row->bytes / 4 : 1;
    info->lanes_f64 = row->bytes ? row->bytes / 8 : 1;
    info->reason = !is_compiled ? "not compiled into this library" : runs(row) ? "" : row->needs;
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
    for (size_t i = 0; i < sizeof preference / sizeof *preference; ++i) {
        if (compiled[preference[i]].units && runs(&rows[preference[i]])) {
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
    char names[64] = "";
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        const size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, ", %s", rows[b].name);
    }
    KDR_CHECK(kdr_backend_from_name(name, &wanted) == KDR_OK, error, KDR_ERROR_UNKNOWN_NAME, "KDR_BACKEND: expected auto%s, got \"%.32s\"",
              names, name);
    return wanted == KDR_BACKEND_AUTO ? choose_best(chosen) : choose_named(wanted, chosen, "KDR_BACKEND", error);
}

const kdr_kernels *kdr_backend_kernels(kdr_backend backend, kdr_real real, kdr_arithmetic arithmetic) {
    return compiled[backend].units ? compiled[backend].units[real][arithmetic].kernels : NULL;
}

bool kdr_backend_has(const kdr_kernels *kernels, kdr_backend backend, kdr_real real, kdr_arithmetic arithmetic) {
    return kernels && (unsigned)backend <= KDR_BACKEND_LAST && (unsigned)arithmetic < KDR_ARITHMETIC_COUNT &&
           kernels == kdr_backend_kernels(backend, real, arithmetic);
}

kdr_status kdr_backend_check_field(const kdr_field *field, kdr_backend backend, kdr_real real, kdr_arithmetic arithmetic,
                                   kdr_error *error) {
    for (int e = 0; e < field->custom_entries; ++e) {
        const kdr_custom_field *const custom = field->custom_entry[e].field;
        KDR_CHECK(custom->operations[backend][real][arithmetic], error, KDR_ERROR_UNAVAILABLE, "backend: %s was not compiled for %s",
                  custom->name, rows[backend].name);
    }
    return KDR_OK;
}

const kdr_pair_kernels *kdr_backend_pairs(kdr_backend backend, kdr_real real, kdr_arithmetic arithmetic) {
    return compiled[backend].units ? compiled[backend].units[real][arithmetic].pairs : NULL;
}

kdr_maps *kdr_backend_maps(kdr_backend backend) { return compiled[backend].maps; }

/* Intel's dividers are half as wide as a vector of 512 bits; AMD's have the full width. */
bool kdr_backend_fused_roots(kdr_backend backend) { return backend == KDR_BACKEND_AVX512 && (kdr_cpu_features() & KDR_CPU_INTEL); }

size_t kdr_backend_fetch_ahead(void) { return (kdr_cpu_features() & KDR_CPU_INTEL) ? 2048 : 0; }
