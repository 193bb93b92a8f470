/* `kickdrift bench`: chooses rows, hands them to Google Benchmark, and says on what they ran. */

#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kickdrift/kickdrift.h>

#include "against.h"
#include "arguments.h"
#include "blocks.h"
#include "build_flags.h"
#include "gravity.h"
#include "passes.h"
#include "rows.h"
#include "shim.h"
#include "step.h"

enum { EXIT_ROW_FAILED = 1, EXIT_REQUEST = 2 };

/* Measurements of the peak before the first row; each row adds some of its own. */
enum { PEAK_REPEATS = 20 };

/* The backend that KDR_BACKEND restricts the rows to, or KDR_BACKEND_AUTO; and the best one that is left. */
static bool choose_backends(kdr_backend *only, kdr_backend *best) {
    kdr_error error;
    kdr_backend named;
    const char *name = getenv("KDR_BACKEND");
    if (kdr_backend_choose(KDR_BACKEND_AUTO, best, &error) != KDR_OK) {
        kdr_bench_complain("%s", error.message);
        return false;
    }
    bool restricted = name && *name && !(kdr_backend_from_name(name, &named) == KDR_OK && named == KDR_BACKEND_AUTO);
    *only = restricted ? *best : KDR_BACKEND_AUTO;
    return true;
}

static bool register_rows(const kdr_bench_arguments *arguments, kdr_bench_rows *rows, kdr_bench_pass_row *passes, size_t pass_count,
                          kdr_bench_block_row *blocks, size_t block_count, kdr_bench_gravity_row *gravity, size_t gravity_count) {
    size_t registered = 0;
    for (size_t i = 0; i < rows->count; i++) {
        kdr_bench_row *row = &rows->rows[i];
        if (kdr_bench_is_wanted(arguments, row->name, row->principal)) {
            kdr_bench_register(row->name, kdr_bench_step, row);
            registered++;
        }
    }
    for (size_t i = 0; i < pass_count; i++)
        if (kdr_bench_is_wanted(arguments, passes[i].name, passes[i].principal)) {
            kdr_bench_register(passes[i].name, kdr_bench_pass, &passes[i]);
            registered++;
        }
    for (size_t i = 0; i < block_count; i++)
        if (kdr_bench_is_wanted(arguments, blocks[i].name, blocks[i].principal)) {
            kdr_bench_register(blocks[i].name, kdr_bench_blocks, &blocks[i]);
            registered++;
        }
    for (size_t i = 0; i < gravity_count; i++)
        if (kdr_bench_is_wanted(arguments, gravity[i].name, gravity[i].principal)) {
            kdr_bench_register(gravity[i].name, kdr_bench_gravity, &gravity[i]);
            registered++;
        }
    if (!registered)
        kdr_bench_complain_of_no_row(arguments);
    return registered > 0;
}

static void say_peak(const kdr_bench_peak *peak, const kdr_bench_peak_unit *unit) {
    kdr_backend backend;
    kdr_real real;
    if (kdr_backend_from_name(unit->isa, &backend) != KDR_OK || kdr_real_from_name(unit->real, &real) != KDR_OK ||
        peak->width[backend][real] <= 0)
        return;
    char key[64], value[64];
    snprintf(key, sizeof key, "peak_%s_%s", unit->isa, unit->real);
    snprintf(value, sizeof value, "%.4g G %s/s, one core, before the first row", peak->width[backend][real] * 1e-9, unit->operation);
    kdr_bench_context(key, value);
}

/* Those of f64 are the same. */
static void say_flags(const kdr_bench_autovec_unit *unit) {
    char key[64], value[512];
    if (strcmp(unit->real, kdr_real_name(KDR_F32)) != 0)
        return;
    snprintf(key, sizeof key, "flags_autovec-%s%s_%s", unit->maker, unit->isa, unit->arithmetic);
    snprintf(value, sizeof value, "%s: %s", unit->compiler, unit->flags);
    kdr_bench_context(key, value);
}

/* What the flags of a backend's kernels are, f32 and fused; the others differ in what they define. */
static const struct { const char *key, *flags; } kernel_flags[] = {KDR_BENCH_KERNEL_FLAGS};

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
    for (size_t i = 0; i < sizeof kernel_flags / sizeof *kernel_flags; i++)
        kdr_bench_context(kernel_flags[i].key, kernel_flags[i].flags);
    for (const kdr_bench_autovec_unit *const *unit = kdr_bench_autovec_units; *unit; unit++)
        say_flags(*unit);
    kdr_bench_context("steps", kdr_bench_rows_steps());
    for (const kdr_bench_peak_unit *const *unit = kdr_bench_peak_units; *unit; unit++)
        say_peak(&session->peak, *unit);
}

static bool keep_out(const kdr_bench_arguments *arguments) {
    if (!arguments->out || rename(arguments->partial, arguments->out) == 0)
        return true;
    kdr_bench_complain("--benchmark_out: cannot write \"%.400s\": %s, expected a file that can be written", arguments->out,
                       strerror(errno));
    return false;
}

static int against(const kdr_bench_arguments *arguments, const kdr_bench_rows *rows, const kdr_bench_session *session) {
    kdr_bench_verdict verdict = kdr_bench_against(arguments, rows);
    if (!verdict.rows)
        kdr_bench_complain_of_no_row(arguments);
    return !verdict.rows ? EXIT_REQUEST : verdict.below || session->failed ? EXIT_ROW_FAILED : EXIT_SUCCESS;
}

static int run(kdr_bench_arguments *arguments, kdr_bench_session *session) {
    kdr_backend only, best;
    if (!choose_backends(&only, &best))
        return EXIT_REQUEST;
    kdr_bench_rows rows = kdr_bench_rows_create(session, only, best);
    static kdr_bench_pass_row passes[KDR_BENCH_PASS_ROWS];
    const size_t pass_count = kdr_bench_pass_rows(session, best, passes);
    static kdr_bench_block_row blocks[KDR_BENCH_BLOCK_ROWS];
    const size_t block_count = kdr_bench_block_rows(session, best, blocks);
    static kdr_bench_gravity_row gravity[KDR_BENCH_GRAVITY_ROWS];
    const size_t gravity_count = kdr_bench_gravity_rows(session, only, best, gravity);
    int status = EXIT_REQUEST;
    if (rows.out_of_memory)
        kdr_bench_complain("out of memory");
    else if (arguments->against)
        status = against(arguments, &rows, session);
    else if (register_rows(arguments, &rows, passes, pass_count, blocks, block_count, gravity, gravity_count)) {
        for (int real = 0; real < KDR_REAL_COUNT; real++)
            kdr_bench_peak_measure(&session->peak, KDR_BACKEND_AUTO, (kdr_real)real, PEAK_REPEATS);
        say_context(session);
        kdr_bench_initialize(&arguments->argc, arguments->argv);
        kdr_bench_run();
        status = !keep_out(arguments) ? EXIT_REQUEST : session->failed ? EXIT_ROW_FAILED : EXIT_SUCCESS;
    }
    kdr_bench_rows_destroy(&rows);
    return status;
}

int kdr_bench_main(int argc, char **argv) {
    kdr_bench_arguments arguments;
    kdr_bench_session session = {.failed = false};
    int status = EXIT_REQUEST;
    if (kdr_bench_arguments_parse(&arguments, argc, argv)) {
        status = EXIT_SUCCESS;
        if (arguments.help)
            kdr_bench_print_help();
        else
            status = run(&arguments, &session);
    }
    if (arguments.partial)
        remove(arguments.partial); /* gone already when all went well */
    kdr_particles_destroy(&session.particles);
    kdr_bench_arguments_free(&arguments);
    return status;
}
