/* `kickdrift --version`: prints the version and the details of this build. */
#include "version.h"

#include <kickdrift/kickdrift.h>

#include <inttypes.h>
#include <stdio.h>

#include <golden.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

static void print_backend(void) {
    kdr_backend chosen;
    kdr_backend_info info;
    kdr_error error;
    if (kdr_backend_choose(KDR_BACKEND_AUTO, &chosen, &error) != KDR_OK || kdr_backend_query(chosen, &info) != KDR_OK) {
        printf("backend      none: %s\n", error.message);
        return;
    }
    printf("backend      %s, fused arithmetic %s\n", info.name, info.fused_native ? "by the processor" : "slow, without the instruction");
}

static void print_kernels(void) {
    printf("kernels     ");
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        if (kdr_backend_query((kdr_backend)b, &info) == KDR_OK && info.compiled) {
            printf(" %s", info.name);
        }
    }
    putchar('\n');
}

void version_print(void) {
    printf("kickdrift %s\n", kdr_version());
    print_backend();
    print_kernels();
    printf("compiler     " COMPILER "\n");
    printf("options      " KICKDRIFT_BUILD_OPTIONS "\n");
    printf("fingerprint  %016" PRIx64 ", shipped, of kickdrift verify --quick\n", KDR_GOLDEN_VERIFY_QUICK);
}
