/* Prints the fingerprints of the page's stars on this machine, one JSON object a line: fingerprints COUNT LAST-STEP [BACKEND]. The page
 * shows them next to those of the browser. */
#include "galaxies.h"

#include <kickdrift/kickdrift.h>

#include <stdio.h>
#include <stdlib.h>

static const int steps[] = {100, 1000, 10000};

static int print_run(uint32_t count, int last, int real, int arithmetic, kdr_backend wanted) {
    if (create(count, 0, count, 1, real, arithmetic, (int)wanted)) {
        fprintf(stderr, "fingerprints: %s\n", message());
        return 2;
    }
    for (int i = 0, done = 0; i < (int)(sizeof steps / sizeof steps[0]) && steps[i] <= last; done = steps[i++]) {
        int failed = step(steps[i] - done) || fingerprint_begin();
        for (int array = 0; array < ARRAYS; ++array) {
            failed = failed || fingerprint_add();
        }
        if (failed) {
            fprintf(stderr, "fingerprints: %s\n", message());
            return 2;
        }
        printf("{\"backend\": \"%s\", \"real\": \"%s\", \"arithmetic\": \"%s\", \"count\": %u, \"step\": %d, \"fingerprint\": \"%s\"}\n",
               backend(), real == KDR_F32 ? "f32" : "f64", arithmetic == KDR_FUSED ? "fused" : "unfused", (unsigned)count, steps[i],
               fingerprint_end());
    }
    return 0;
}

int main(int argc, char **argv) {
    kdr_backend wanted = KDR_BACKEND_AUTO;
    const long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0, last = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    if (argc < 3 || count < 1 || count > 100000000 || last < 1 || last > 10000 ||
        (argc > 3 && kdr_backend_from_name(argv[3], &wanted) != KDR_OK)) {
        fprintf(stderr, "fingerprints: expected COUNT LAST-STEP [BACKEND]\n");
        return 2;
    }
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        for (int arithmetic = 0; arithmetic < KDR_ARITHMETIC_COUNT; ++arithmetic) {
            const int status = print_run((uint32_t)count, (int)last, real, arithmetic, wanted);
            if (status) {
                return status;
            }
        }
    }
    return 0;
}
