/* What the processor and the operating system offer: CPUID and, for the wide registers, XCR0. */
#include "backend.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* XCR0 tells which registers the system saves. Only to be read when CPUID says OSXSAVE. */
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

static void features(kdr_cpu *cpu) {
    enum { XMM_YMM = 0x6, OPMASK_ZMM = 0xe0 };
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) {
        return;
    }
    cpu->sse2 = (d & bit_SSE2) != 0;
    cpu->avx = (c & bit_AVX) != 0;
    cpu->fma = (c & bit_FMA) != 0;
    const uint64_t saved = (c & bit_OSXSAVE) ? xcr0() : 0;
    cpu->os_ymm = (saved & XMM_YMM) == XMM_YMM;
    cpu->os_zmm = cpu->os_ymm && (saved & OPMASK_ZMM) == OPMASK_ZMM;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        cpu->avx2 = (b & bit_AVX2) != 0;
        cpu->avx512f = (b & bit_AVX512F) != 0;
        cpu->avx512dq = (b & bit_AVX512DQ) != 0;
    }
}

bool kdr_cpu_is_intel(void) {
    unsigned a, b = 0, c, d;
    return __get_cpuid(0, &a, &b, &c, &d) && b == signature_INTEL_ebx;
}
#else
bool kdr_cpu_is_intel(void) { return false; }

static void brand(char name[64]) { (void)name; }

static void features(kdr_cpu *cpu) {
#if defined(__aarch64__)
    cpu->neon = true; /* every AArch64 processor that runs an application has it */
#else
    (void)cpu;
#endif
}
#endif

void kdr_cpu_features(kdr_cpu *cpu) {
    memset(cpu, 0, sizeof *cpu);
    features(cpu);
}

void kdr_cpu_query(kdr_cpu *cpu) {
    if (cpu) {
        kdr_cpu_features(cpu);
        memcpy(cpu->name, "unknown", sizeof "unknown");
        brand(cpu->name);
    }
}
