/* `kickdrift bench`: chooses rows, passes them to Google Benchmark, and prints the machine and compilers. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kickdrift/kickdrift.h>

#include "against.h"
#include "blocks.h"
#include "build_flags.h"
#include "commands.h"
#include "gravity.h"
#include "grid.h"
#include "idle.h"
#include "lj.h"
#include "passes.h"
#include "request.h"
#include "rows.h"
#include "shim.h"
#include "step.h"

/* The number of measurements of the peak before the first row. Each row adds some. */
enum { PEAK_REPEATS = 20 };

/* Chooses the backends: *only is the one that KDR_BACKEND restricts the rows to, or KDR_BACKEND_AUTO; *best is the best of those left. */
static bool choose_backends(kdr_backend *only, kdr_backend *best, fault *why) {
    kdr_error error;
    kdr_backend named;
    const char *name = getenv("KDR_BACKEND");
    if (kdr_backend_choose(KDR_BACKEND_AUTO, best, &error) != KDR_OK) {
        return fault_set(why, "bench: %s", error.message);
    }
    bool restricted = name && *name && !(kdr_backend_from_name(name, &named) == KDR_OK && named == KDR_BACKEND_AUTO);
    *only = restricted ? *best : KDR_BACKEND_AUTO;
    return true;
}

/* The rows of all kinds. */
typedef struct all_rows {
    kdr_bench_rows steps;
    kdr_bench_pass_row passes[KDR_BENCH_PASS_ROWS];
    kdr_bench_block_row blocks[KDR_BENCH_BLOCK_ROWS];
    kdr_bench_gravity_row gravity[KDR_BENCH_GRAVITY_ROWS];
    kdr_bench_grid_row grids[KDR_BENCH_GRID_ROWS];
    kdr_bench_idle_row idles[KDR_BENCH_IDLE_ROWS];
    kdr_bench_lj_row lj;
    size_t pass_count, block_count, gravity_count, grid_count, idle_count, lj_count;
} all_rows;

static void fill_in(all_rows *all, kdr_bench_session *session, kdr_backend only, kdr_backend best) {
    all->steps = kdr_bench_rows_create(session, only, best);
    all->pass_count = kdr_bench_pass_rows(session, best, all->passes);
    all->block_count = kdr_bench_block_rows(session, best, all->blocks);
    all->gravity_count = kdr_bench_gravity_rows(session, only, best, all->gravity);
    all->grid_count = kdr_bench_grid_rows(session, only, best, all->grids);
    all->idle_count = kdr_bench_idle_rows(session, only, best, all->idles);
    all->lj_count = kdr_bench_lj_rows(session, best, &all->lj);
}

/* Registers a row if it is wanted, and returns the number of rows registered. */
static size_t offer(const kdr_bench_request *request, const char *name, bool principal, void (*run)(kdr_bench_state *, void *), void *row) {
    if (!kdr_bench_is_wanted(request, name, principal)) {
        return 0;
    }
    kdr_bench_register(name, run, row);
    return 1;
}

static bool register_rows(const kdr_bench_request *request, all_rows *all) {
    size_t registered = 0;
    for (size_t i = 0; i < all->steps.count; ++i) {
        kdr_bench_row *const row = &all->steps.rows[i];
        registered += offer(request, row->name, row->principal, kdr_bench_step, row);
    }
    for (size_t i = 0; i < all->pass_count; ++i) {
        registered += offer(request, all->passes[i].name, all->passes[i].principal, kdr_bench_pass, &all->passes[i]);
    }
    for (size_t i = 0; i < all->block_count; ++i) {
        registered += offer(request, all->blocks[i].name, all->blocks[i].principal, kdr_bench_blocks, &all->blocks[i]);
    }
    for (size_t i = 0; i < all->gravity_count; ++i) {
        registered += offer(request, all->gravity[i].name, all->gravity[i].principal, kdr_bench_gravity, &all->gravity[i]);
    }
    for (size_t i = 0; i < all->grid_count; ++i) {
        registered += offer(request, all->grids[i].name, all->grids[i].principal, kdr_bench_grid, &all->grids[i]);
    }
    for (size_t i = 0; i < all->idle_count; ++i) {
        registered += offer(request, all->idles[i].name, all->idles[i].principal, kdr_bench_idle, &all->idles[i]);
    }
    registered += all->lj_count > 0 ? offer(request, all->lj.name, true, kdr_bench_lj, &all->lj) : 0;
    return registered > 0;
}

static void say_peak(const kdr_bench_peak *peak, const kdr_bench_peak_unit *unit) {
    kdr_backend backend;
    kdr_real real;
    if (kdr_backend_from_name(unit->isa, &backend) != KDR_OK || kdr_real_from_name(unit->real, &real) != KDR_OK ||
        peak->width[backend][real] <= 0) {
        return;
    }
    char key[64], value[64];
    snprintf(key, sizeof key, "peak_%s_%s", unit->isa, unit->real);
    snprintf(value, sizeof value, "%.4g G %s/s, one core, before the first row", peak->width[backend][real] * 1e-9, unit->operation);
    kdr_bench_context(key, value);
}

/* Prints the flags of an opponent's unit of f32; those of f64 are the same. */
static void say_flags(const kdr_bench_autovec_unit *unit) {
    char key[64], value[512];
    if (strcmp(unit->real, kdr_real_name(KDR_F32)) != 0) {
        return;
    }
    snprintf(key, sizeof key, "flags_autovec-%s%s_%s", unit->maker, unit->isa, unit->arithmetic);
    snprintf(value, sizeof value, "%s: %s", unit->compiler, unit->flags);
    kdr_bench_context(key, value);
}

/* The flags of each backend's kernels for f32 and fused. The other kernels differ only in definitions. */
static const struct {
    const char *key, *flags;
} kernel_flags[] = {KDR_BENCH_KERNEL_FLAGS};

static void say_context(const kdr_bench_session *session) {
    kdr_cpu cpu;
    kdr_cpu_query(&cpu);
    kdr_bench_context("kickdrift", kdr_version());
    kdr_bench_context("processor", cpu.name);
#if defined(__clang__)
    kdr_bench_context("compiler", "clang " __clang_version__);
#else
    kdr_bench_context("compiler", "gcc " __VERSION__);
#endif
    kdr_bench_context("flags", KDR_BENCH_FLAGS);
    for (size_t i = 0; i < sizeof kernel_flags / sizeof *kernel_flags; ++i) {
        kdr_bench_context(kernel_flags[i].key, kernel_flags[i].flags);
    }
    for (const kdr_bench_autovec_unit *const *unit = kdr_bench_autovec_units; *unit; ++unit) {
        say_flags(*unit);
    }
    kdr_bench_context("steps", kdr_bench_rows_steps());
    for (const kdr_bench_peak_unit *const *unit = kdr_bench_peak_units; *unit; ++unit) {
        say_peak(&session->peak, *unit);
    }
}

static bool keep_out(const kdr_bench_request *request, fault *why) {
    return !request->out || rename(request->partial, request->out) == 0 ||
           fault_set(why, "bench: --benchmark_out: cannot write \"%.400s\": %s, expected a file that can be written", request->out,
                     strerror(errno));
}

static int against(const kdr_bench_request *request, const kdr_bench_rows *rows, const kdr_bench_session *session) {
    kdr_bench_verdict verdict = kdr_bench_against(request, rows);
    if (!verdict.rows) {
        return kdr_bench_report_no_row(request);
    }
    return verdict.below || session->failed ? KDR_EXIT_FAILED : KDR_EXIT_OK;
}

static int run(kdr_bench_request *request, kdr_bench_session *session) {
    kdr_backend only = KDR_BACKEND_AUTO, best = KDR_BACKEND_AUTO;
    fault why;
    if (!choose_backends(&only, &best, &why)) {
        return fault_report(&why);
    }
    static all_rows all;
    fill_in(&all, session, only, best);
    int status;
    if (all.steps.out_of_memory) {
        fault_set(&why, "bench: out of memory");
        status = fault_report(&why);
    } else if (request->against) {
        status = against(request, &all.steps, session);
    } else if (!register_rows(request, &all)) {
        status = kdr_bench_report_no_row(request);
    } else {
        for (int real = 0; real < KDR_REAL_COUNT; ++real) {
            kdr_bench_peak_measure(&session->peak, KDR_BACKEND_AUTO, (kdr_real)real, PEAK_REPEATS);
        }
        say_context(session);
        kdr_bench_initialize(&request->argc, request->argv);
        kdr_bench_run();
        status = !keep_out(request, &why) ? fault_report(&why) : session->failed ? KDR_EXIT_FAILED : KDR_EXIT_OK;
    }
    kdr_bench_rows_destroy(&all.steps);
    return status;
}

int kdr_bench_main(int argc, char **argv) {
    static kdr_bench_request request;
    kdr_bench_session session = {.failed = false};
    fault why;
    const options_result parsed = kdr_bench_request_parse(&request, argc, argv, &why);
    const int status = parsed == OPTIONS_GO ? run(&request, &session) : parsed == OPTIONS_HELP ? KDR_EXIT_OK : fault_report(&why);
    if (request.partial) {
        remove(request.partial); /* exists only if something went wrong */
    }
    kdr_particles_destroy(&session.particles);
    kdr_bench_request_free(&request);
    return status;
}
