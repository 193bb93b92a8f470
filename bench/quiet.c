/* Reads /proc where it exists, and judges whether the machine was quiet (see quiet.h). */
#include "quiet.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "statistics.h"

/* Limits. A result beyond one of them is still whole, but it is marked. */
static const double most_load = 0.5;          /* processes that wait or run before the first row */
static const double most_stolen = 0.01;       /* of the processors' time */
static const double most_others = 0.03;       /* of the processors' time */
static const double least_calibration = 0.97; /* of the fastest calibration */

static FILE *open_in(const char *folder, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "r");
}

static double own_seconds(void) {
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) != 0) {
        return NAN;
    }
    return (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec + 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static kdr_bench_times read_times(const char *folder) {
    enum { USER, NICE, SYSTEM, IDLE, WAIT, IRQ, SOFT_IRQ, STEAL, FIELDS };
    kdr_bench_times times = {NAN, NAN, NAN, own_seconds()};
    double t[FIELDS] = {0};
    FILE *const file = open_in(folder, "stat");
    if (!file) {
        return times;
    }
    if (fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &t[USER], &t[NICE], &t[SYSTEM], &t[IDLE], &t[WAIT], &t[IRQ], &t[SOFT_IRQ],
               &t[STEAL]) >= IDLE + 1) {
        const double tick = 1 / (double)sysconf(_SC_CLK_TCK);
        times.busy = tick * (t[USER] + t[NICE] + t[SYSTEM] + t[IRQ] + t[SOFT_IRQ]);
        times.stolen = tick * t[STEAL];
        times.all = times.busy + times.stolen + tick * (t[IDLE] + t[WAIT]);
    }
    fclose(file);
    return times;
}

void kdr_bench_quiet_begin(kdr_bench_quiet *quiet, const char *folder) {
    *quiet = (kdr_bench_quiet){.folder = folder, .load = NAN, .stolen = NAN, .others = NAN, .calibration = NAN};
    FILE *const file = open_in(folder, "loadavg");
    if (file) {
        if (fscanf(file, "%lf", &quiet->load) != 1) {
            quiet->load = NAN;
        }
        fclose(file);
    }
    quiet->before = read_times(folder);
}

__attribute__((__format__(__printf__, 3, 4))) static void judge(kdr_bench_quiet *quiet, int is_wrong, const char *format, ...) {
    if (!is_wrong || quiet->reason_count == KDR_BENCH_REASONS) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(quiet->reasons[quiet->reason_count++], KDR_BENCH_REASON, format, arguments); // NOLINT(clang-analyzer-valist.Uninitialized)
    va_end(arguments);
}

void kdr_bench_quiet_end(kdr_bench_quiet *quiet, const double *calibrations, size_t count) {
    const kdr_bench_times after = read_times(quiet->folder);
    const double all = after.all - quiet->before.all;
    if (all > 0) {
        quiet->stolen = (after.stolen - quiet->before.stolen) / all;
        quiet->others = fmax(0, (after.busy - quiet->before.busy - (after.own - quiet->before.own)) / all);
    }
    double best = 0;
    for (size_t i = 0; i < count; ++i) {
        best = fmax(best, calibrations[i]);
    }
    if (best > 0) {
        quiet->calibration = kdr_bench_summarise(calibrations, count).median / best;
    }
    judge(quiet, quiet->load > most_load, "the load average was %.2f before the first row, expected at most %.1f", quiet->load, most_load);
    judge(quiet, quiet->stolen > most_stolen, "the host took %.1f %% of the processors' time, expected at most %.0f %%",
          100 * quiet->stolen, 100 * most_stolen);
    judge(quiet, quiet->others > most_others, "other processes took %.1f %% of the processors' time, expected at most %.0f %%",
          100 * quiet->others, 100 * most_others);
    judge(quiet, quiet->calibration < least_calibration, "the calibration's median was %.1f %% of its best, expected at least %.0f %%",
          100 * quiet->calibration, 100 * least_calibration);
}
