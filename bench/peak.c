/* Measures the peak units (see peak.h). */

#include "peak.h"

#include <string.h>

#include "clock.h"
#include "shim.h"

static double unit_rate(const kdr_bench_peak_unit *unit) {
    size_t rounds = 4096;
    for (;; rounds *= 2) {
        double start = kdr_bench_seconds();
        double sum = unit->run(rounds);
        kdr_bench_keep(&sum);
        double seconds = kdr_bench_seconds() - start;
        if (seconds > 5e-4) {
            return (double)rounds * unit->per_round / seconds;
        }
    }
}

double kdr_bench_peak_once(kdr_backend backend, kdr_real real) {
    for (const kdr_bench_peak_unit *const *unit = kdr_bench_peak_units; *unit; ++unit) {
        kdr_backend isa;
        if (kdr_backend_from_name((*unit)->isa, &isa) == KDR_OK && isa == backend && strcmp((*unit)->real, kdr_real_name(real)) == 0) {
            return unit_rate(*unit);
        }
    }
    return 0;
}

void kdr_bench_peak_measure(kdr_bench_peak *peak, kdr_backend backend, kdr_real real, int repeats) {
    for (const kdr_bench_peak_unit *const *unit = kdr_bench_peak_units; *unit; ++unit) {
        kdr_backend isa;
        kdr_backend_info info;
        bool known = kdr_backend_from_name((*unit)->isa, &isa) == KDR_OK && kdr_backend_query(isa, &info) == KDR_OK;
        if (!known || !info.runnable || strcmp((*unit)->real, kdr_real_name(real)) != 0) {
            continue;
        }
        if (backend != KDR_BACKEND_AUTO && backend != isa) {
            continue;
        }
        for (int i = 0; i < repeats; ++i) {
            double rate = unit_rate(*unit);
            if (rate > peak->width[isa][real]) {
                peak->width[isa][real] = rate;
            }
        }
        if (peak->width[isa][real] > peak->core[real]) {
            peak->core[real] = peak->width[isa][real];
        }
    }
}
