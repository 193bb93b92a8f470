/* This file finds the features that the processor and the operating system offer: CPUID and, for the wide registers, XCR0. */
#include "backend.h"

#include <stdatomic.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* Returns XCR0: the set of registers that the system saves. It may be read only if CPUID reports OSXSAVE. */
static uint64_t xcr0(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static void brand(char name[64]) {
    unsigned words[12];
    unsigned most;
    unsigned b, c, d;
    __cpuid(0x80000000U, most, b, c, d);
    if (most < 0x80000004U) {
        return;
    }
    for (unsigned i = 0; i < 3; ++i) {
        __cpuid(0x80000002U + i, words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
    }
    char text[sizeof words + 1] = {0};
    memcpy(text, words, sizeof words);
    const char *start = text + strspn(text, " ");
    if (*start) {
        memcpy(name, start, strlen(start) + 1);
    }
    for (size_t n = strlen(name); n > 0 && name[n - 1] == ' '; --n) {
        name[n - 1] = '\0';
    }
}

static unsigned look(void) {
    enum { XMM_YMM = 0x6, OPMASK_ZMM = 0xe0 };
    unsigned a, b = 0, c, d, set = 0;
    if (!__get_cpuid(0, &a, &b, &c, &d)) {
        return 0;
    }
    set |= b == signature_INTEL_ebx ? KDR_CPU_INTEL : 0U;
    if (!__get_cpuid(1, &a, &b, &c, &d)) {
        return set;
    }
    set |= (d & bit_SSE2) ? KDR_CPU_SSE2 : 0U;
    set |= (c & bit_AVX) ? KDR_CPU_AVX : 0U;
    set |= (c & bit_FMA) ? KDR_CPU_FMA : 0U;
    const uint64_t saved = (c & bit_OSXSAVE) ? xcr0() : 0;
    set |= (saved & XMM_YMM) == XMM_YMM ? KDR_CPU_OS_YMM : 0U;
    set |= (saved & (XMM_YMM | OPMASK_ZMM)) == (XMM_YMM | OPMASK_ZMM) ? KDR_CPU_OS_ZMM : 0U;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        set |= (b & bit_AVX2) ? KDR_CPU_AVX2 : 0U;
        set |= (b & bit_AVX512F) ? KDR_CPU_AVX512F : 0U;
        set |= (b & bit_AVX512DQ) ? KDR_CPU_AVX512DQ : 0U;
    }
    return set;
}
#else
static void brand(char name[64]) { (void)name; }

static unsigned look(void) {
#if defined(__aarch64__)
    return KDR_CPU_NEON; /* every AArch64 processor that runs an application has it */
#elif defined(KDR_HAVE_RELAXED)
    return KDR_CPU_SIMD128 | (kdr_relaxed_is_fused() ? KDR_CPU_RELAXED_FUSED : 0);
#elif defined(__wasm__)
    return KDR_CPU_SIMD128; /* a module with SIMD is not loaded where there is none */
#else
    return 0;
#endif
}
#endif

unsigned kdr_cpu_features(void) {
    static atomic_uint known; /* several threads may query at once, and get the same set */
    unsigned set = atomic_load_explicit(&known, memory_order_relaxed);
    if (!set) {
        set = look() | KDR_CPU_LOOKED;
        atomic_store_explicit(&known, set, memory_order_relaxed);
    }
    return set;
}

void kdr_cpu_query(kdr_cpu *cpu) {
    if (!cpu) {
        return;
    }
    const unsigned set = kdr_cpu_features();
    *cpu = (kdr_cpu){.name = "unknown",
                     .sse2 = set & KDR_CPU_SSE2,
                     .avx = set & KDR_CPU_AVX,
                     .avx2 = set & KDR_CPU_AVX2,
                     .fma = set & KDR_CPU_FMA,
                     .avx512f = set & KDR_CPU_AVX512F,
                     .avx512dq = set & KDR_CPU_AVX512DQ,
                     .os_ymm = set & KDR_CPU_OS_YMM,
                     .os_zmm = set & KDR_CPU_OS_ZMM,
                     .neon = set & KDR_CPU_NEON,
                     .simd128 = set & KDR_CPU_SIMD128,
                     .relaxed_fused = set & KDR_CPU_RELAXED_FUSED};
    brand(cpu->name);
}
