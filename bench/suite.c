/* The list of the suite (see suite.h), and what is computed from its rows. */
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host.h"
#include "suite_reference.h"

/* The counter of the mean rate, and the unit. */
#define EVALS "evals/s", "evaluations/s"
#define PAIRS "pairs/s", "pairs/s"

/* Rows that use the same particles are adjacent. */
const kdr_bench_workload kdr_bench_workloads[] = {
    /* fields whose acceleration is linear in x and v */
    {"affine/euler/f32", "step/semi-implicit-euler/spring-damper/f32/%a/%b/16384", EVALS, KDR_F32, false, false, "springs of a game"},
    {"affine/verlet/f32", "step/velocity-verlet/spring-damper/f32/%a/%b/16384", EVALS, KDR_F32, true, false, "trapped particles"},
    {"affine/verlet/f32/512", "step/velocity-verlet/spring-damper/f32/%a/%b/512", EVALS, KDR_F32, false, false, "a small group, in L1"},
    {"affine/verlet/f32/262144", "step/velocity-verlet/spring-damper/f32/%a/%b/262144", EVALS, KDR_F32, false, false, "a large group"},
    {"threads/verlet/f32", "step/velocity-verlet/spring-damper/f32/%a/%b/262144/threads:%t", EVALS, KDR_F32, false, true, "all cores"},
    {"affine/verlet/f64", "step/velocity-verlet/spring-damper/f64/%a/%b/16384", EVALS, KDR_F64, true, false, "trapped ions"},
    {"affine/rk4/f64", "step/rk4/spring-damper/f64/%a/%b/16384", EVALS, KDR_F64, false, false, "paths at high precision"},
    {"affine/exact/f32", "step/exact-affine/spring-damper/f32/%a/%b/16384", EVALS, KDR_F32, false, false, "long steps, exact springs"},
    {"uniform/verlet/f32", "step/velocity-verlet/uniform/f32/%a/%b/16384", EVALS, KDR_F32, false, false, "sparks and debris"},
    {"drag/rk4/f32", "step/rk4/drag/f32/%a/%b/16384", EVALS, KDR_F32, false, false, "dust that settles"},
    /* a central field, which needs roots and divisions */
    {"centre/verlet/f64", "step/velocity-verlet/centre/f64/%a/%b/16384", EVALS, KDR_F64, true, false, "test particles in an orbit"},
    {"centre/rk4/f32", "step/rk4/centre/f32/%a/%b/16384", EVALS, KDR_F32, false, false, "comets, a picture of them"},
    {"centre/pefrl/f64", "step/pefrl/centre/f64/%a/%b/16384", EVALS, KDR_F64, false, false, "orbits over many revolutions"},
    /* general fields */
    {"general/masses/f32", "step/velocity-verlet/spring-damper-masses/f32/%a/%b/16384", EVALS, KDR_F32, false, false, "unlike masses"},
    {"general/driven/f32", "step/velocity-verlet/spring-damper-driven/f32/%a/%b/16384", EVALS, KDR_F32, false, false, "a shaken trap"},
    {"general/air/f32", "step/rk4/quadratic-drag/f32/%a/%b/16384", EVALS, KDR_F32, false, false, "projectiles in air"},
    {"general/magnetic/f64", "step/rk4/magnetic/f64/%a/%b/16384", EVALS, KDR_F64, false, false, "charges in a magnet"},
    {"general/blocks/f64", "blocks/velocity-verlet/f64/%b/16384", EVALS, KDR_F64, false, false, "a force function of a user"},
    /* walls */
    {"contacts/box/f32", "step/velocity-verlet/box/f32/%a/%b/16384", EVALS, KDR_F32, false, false, "grains that bounce in a box"},
    {"contacts/box/f64", "step/semi-implicit-euler/box/f64/%a/%b/16384", EVALS, KDR_F64, false, false, "the same in double"},
    {"idle/box/f32", "idle/box/f32/%a/%b/16384", EVALS, KDR_F32, false, false, "a wall that is not reached"},
    {"idle/watch/f64", "idle/watch/f64/%a/%b/16384", EVALS, KDR_F64, false, false, "a plane that is watched"},
    /* fields on grids */
    {"grid/boris/f32", "grid/boris/f32/%a/%b/262144", EVALS, KDR_F32, false, false, "a plasma on a grid"},
    {"grid/boris/f64", "grid/boris/f64/%a/%b/262144", EVALS, KDR_F64, false, false, "the same in double"},
    /* one step per call */
    {"call/verlet/f32", "step/velocity-verlet/spring-damper/f32/%a/%b/4096", EVALS, KDR_F32, false, false, "a frame of a game"},
    {"memory/verlet/f32", "step/velocity-verlet/spring-damper/f32/%a/%b/4194304", EVALS, KDR_F32, false, false, "one step from memory"},
    {"threads/memory/f32", "step/velocity-verlet/spring-damper/f32/%a/%b/4194304/threads:%t", EVALS, KDR_F32, false, true, "all memory"},
    {"memory/pass/f64", "pass/verlet/arrays/f64/%b/4194304", "bytes/s", "bytes/s", KDR_F64, false, false, "system runs, large"},
    /* particles that interact */
    {"gravity/f32", "gravity/f32/%a/%b/16384", PAIRS, KDR_F32, false, false, "a star cluster"},
    {"gravity/f32/1024", "gravity/f32/%a/%b/1024", PAIRS, KDR_F32, true, false, "a small cluster"},
    {"gravity/f64", "gravity/f64/%a/%b/16384", PAIRS, KDR_F64, false, false, "a star cluster in double"},
    {"liquid/baoab/f64", "lj/baoab/f64/%b/10000", "steps/s", "steps/s", KDR_F64, false, false, "a liquid in a heat bath"},
};
const size_t kdr_bench_workload_count = sizeof kdr_bench_workloads / sizeof *kdr_bench_workloads;

const kdr_bench_headline kdr_bench_headlines[KDR_BENCH_HEADLINES] = {
    {"Field", "affine/verlet/f32", "G evaluations/s", 1e-9, false},
    {"Orbit", "centre/verlet/f64", "G evaluations/s", 1e-9, false},
    {"Pairs", "gravity/f32", "G pairs/s", 1e-9, false},
    {"Memory", "memory/verlet/f32", "GB/s", 1e-9, true},
    {"Cores", "threads/verlet/f32", "G evaluations/s", 1e-9, false},
};

/* Writes the name of the entry with the backend's name and its fast arithmetic. */
static void entry_name(const kdr_bench_workload *workload, const kdr_backend_info *info, char name[128]) {
    size_t used = 0;
    for (const char *c = workload->entry; *c && used < 100; ++c) {
        if (*c != '%') {
            name[used++] = *c;
            continue;
        }
        const char *const arithmetic = kdr_arithmetic_name(info->fused_native ? KDR_FUSED : KDR_UNFUSED);
        ++c;
        used += (size_t)(*c == 't' ? snprintf(name + used, 28, "%d", host_processors())
                                   : snprintf(name + used, 28, "%s", *c == 'a' ? arithmetic : info->name));
    }
    name[used] = '\0';
}

/* Adds the row of a workload with a backend if it exists here and is wanted. */
static void add(kdr_bench_suite *suite, const kdr_bench_catalogue *all, const kdr_bench_workload *workload, kdr_backend backend,
                bool (*is_wanted)(const void *context, const char *name), const void *context) {
    char entry[128];
    kdr_backend_info info;
    kdr_bench_suite_row *const row = &suite->rows[suite->count];
    if (suite->count == KDR_BENCH_SUITE_ROWS || kdr_backend_query(backend, &info) != KDR_OK || !info.runnable) {
        return;
    }
    entry_name(workload, &info, entry);
    *row = (kdr_bench_suite_row){.workload = workload,
                                 .entry = kdr_bench_catalogue_find(all, entry),
                                 .backend = backend,
                                 .threads = workload->threads ? host_processors() : 1};
    const bool is_best = backend == suite->best;
    snprintf(row->name, sizeof row->name, "%s%s%s", workload->name, is_best ? "" : "@", is_best ? "" : info.name);
    suite->count += row->entry && is_wanted(context, row->name);
}

bool kdr_bench_suite_list(kdr_bench_suite *suite, const kdr_bench_catalogue *all, kdr_backend only,
                          bool (*is_wanted)(const void *context, const char *name), const void *context) {
    for (size_t i = 0; i < kdr_bench_workload_count; ++i) {
        const kdr_bench_workload *const workload = &kdr_bench_workloads[i];
        add(suite, all, workload, suite->best, is_wanted, context);
        for (int b = KDR_BACKEND_FIRST; workload->every_backend && only == KDR_BACKEND_AUTO && b <= KDR_BACKEND_LAST; ++b) {
            if ((kdr_backend)b != suite->best) {
                add(suite, all, workload, (kdr_backend)b, is_wanted, context);
            }
        }
    }
    return suite->count > 0;
}

double kdr_bench_reference_rate(const char *workload) {
    static const struct {
        const char *name;
        double rate;
    } reference[] = {KDR_BENCH_SUITE_REFERENCE{NULL, 0}};
    for (size_t i = 0; reference[i].name; ++i) {
        if (strcmp(reference[i].name, workload) == 0) {
            return reference[i].rate;
        }
    }
    return 0;
}

bool kdr_bench_is_best(const kdr_bench_suite_row *row, int ignored) {
    (void)ignored;
    return !strchr(row->name, '@');
}

bool kdr_bench_is_real(const kdr_bench_suite_row *row, int real) { return kdr_bench_is_best(row, 0) && (int)row->workload->real == real; }

bool kdr_bench_is_threads(const kdr_bench_suite_row *row, int threads) {
    return kdr_bench_is_best(row, 0) && row->workload->threads == (threads != 0);
}

bool kdr_bench_is_backend(const kdr_bench_suite_row *row, int backend) {
    return row->workload->every_backend && (int)row->backend == backend;
}

double kdr_bench_suite_score(const kdr_bench_suite *suite, bool (*belongs)(const kdr_bench_suite_row *row, int which), int which) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < suite->count; ++i) {
        const kdr_bench_suite_row *const row = &suite->rows[i];
        const double reference = kdr_bench_reference_rate(row->workload->name);
        if (belongs(row, which) && reference > 0 && row->summary.median > 0) {
            sum += log(row->summary.median / reference);
            ++count;
        }
    }
    return count ? 1000 * exp(sum / (double)count) : NAN;
}

double kdr_bench_headline_value(const kdr_bench_suite *suite, const kdr_bench_headline *headline) {
    for (size_t i = 0; i < suite->count; ++i) {
        const kdr_bench_suite_row *const row = &suite->rows[i];
        if (strcmp(row->name, headline->workload) == 0) {
            return row->summary.median * headline->per_unit * (headline->bytes ? row->bytes : 1);
        }
    }
    return NAN;
}

static void print_score(const char *name, double score) {
    if (!isnan(score)) {
        printf("  %-12s %7.0f\n", name, score);
    }
}

static void print_scores(const kdr_bench_suite *suite) {
    printf("\nscore (%s = 1000)\n", KDR_BENCH_SUITE_REFERENCE_NAME);
    print_score("all rows", kdr_bench_suite_score(suite, kdr_bench_is_best, 0));
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        print_score(kdr_real_name((kdr_real)real), kdr_bench_suite_score(suite, kdr_bench_is_real, real));
    }
    print_score("one thread", kdr_bench_suite_score(suite, kdr_bench_is_threads, 0));
    print_score("all threads", kdr_bench_suite_score(suite, kdr_bench_is_threads, 1));
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        if (kdr_backend_query((kdr_backend)b, &info) == KDR_OK) {
            print_score(info.name, kdr_bench_suite_score(suite, kdr_bench_is_backend, b));
        }
    }
}

void kdr_bench_suite_print(const kdr_bench_suite *suite) {
    printf("%-26s %-14s %9s %7s %9s %5s  %s\n", "row", "unit", "median", "+-", "best", "runs", "stands for");
    for (size_t i = 0; i < suite->count; ++i) {
        const kdr_bench_suite_row *const row = &suite->rows[i];
        const double spread = kdr_bench_spread(&row->summary);
        char text[16] = "?";
        if (isfinite(spread)) {
            snprintf(text, sizeof text, "%.1f %%", 100 * spread);
        }
        printf("%-26s %-14s %9.4g %7s %9.4g %5zu  %s\n", row->name, row->workload->unit, row->summary.median, text, row->best,
               row->summary.count, row->workload->stands_for);
    }
    printf("\n");
    for (int i = 0; i < KDR_BENCH_HEADLINES; ++i) {
        const double value = kdr_bench_headline_value(suite, &kdr_bench_headlines[i]);
        if (!isnan(value)) {
            printf("  %-12s %7.3g %s\n", kdr_bench_headlines[i].name, value, kdr_bench_headlines[i].unit);
        }
    }
    print_scores(suite);
    printf("\nquiet: %s, %.0f s\n", suite->quiet.reason_count ? "false" : "true", suite->seconds);
    for (size_t i = 0; i < suite->quiet.reason_count; ++i) {
        printf("  %s\n", suite->quiet.reasons[i]);
    }
}
