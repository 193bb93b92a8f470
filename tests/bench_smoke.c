/* The benchmark has a row for everything that exists, its counters have meaningful values, and opponents compute the same motion. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <kickdrift/kickdrift.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blocks.h"
#include "commands.h"
#include "passes.h"
#include "request.h"
#include "rows.h"
#include "step.h"

static bool has_row(const kdr_bench_rows *rows, const char *name) {
    size_t found = 0;
    for (size_t i = 0; i < rows->count; ++i) {
        found += strcmp(rows->rows[i].name, name) == 0;
    }
    cr_expect(found <= 1, "%s is there %zu times", name, found);
    return found > 0;
}

static bool runs_here(int backend, kdr_backend_info *info) {
    return kdr_backend_query((kdr_backend)backend, info) == KDR_OK && info->runnable;
}

/* Checks that the rows of one method, field, precision and arithmetic exist. */
static void expect_rows(const kdr_bench_rows *rows, const char *prefix) {
    static const char *const counts[] = {"512", "4096", "16384", "262144", "4194304"};
    char name[160];
    kdr_backend_info info;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        for (int backend = KDR_BACKEND_FIRST; backend <= KDR_BACKEND_LAST; ++backend) {
            if (!runs_here(backend, &info)) {
                continue;
            }
            snprintf(name, sizeof name, "%s/%s/%s", prefix, info.name, counts[i]);
            cr_expect(has_row(rows, name), "%s is missing", name);
        }
        snprintf(name, sizeof name, "%s/reference/%s", prefix, counts[i]);
        cr_expect(has_row(rows, name), "%s is missing", name);
    }
}

/* Checks that there are no rows with this prefix, for methods that refuse the field. */
static void expect_no_rows(const kdr_bench_rows *rows, const char *prefix) {
    for (size_t i = 0; i < rows->count; ++i) {
        cr_expect(strncmp(rows->rows[i].name, prefix, strlen(prefix)) != 0, "%s", rows->rows[i].name);
    }
}

/* Returns true if the method has an opponent, and so rows, in general fields. */
static bool has_general_opponent(kdr_method method) {
    const bool units = kdr_bench_autovec_units[0] != NULL;
    return units && (method == KDR_SEMI_IMPLICIT_EULER || method == KDR_VELOCITY_VERLET || method == KDR_RK4);
}

Test(bench, every_combination_has_its_row) {
    static const struct {
        const char *name;
        bool velocity, affine, general;
    } fields[] = {{"uniform", false, true, false},
                  {"spring-damper", true, true, false},
                  {"spring", false, true, false},
                  {"centre", false, false, false},
                  {"drag", true, true, false},
                  {"box", true, true, false},
                  {"spring-damper-masses", true, true, true},
                  {"spring-damper-driven", true, true, true},
                  {"quadratic-drag", true, false, true},
                  {"magnetic", true, true, true},
                  {"centre-drag", true, false, true}};
    kdr_bench_session session = {.failed = false};
    kdr_backend best;
    cr_assert_eq(kdr_backend_choose(KDR_BACKEND_AUTO, &best, NULL), KDR_OK);
    kdr_bench_rows rows = kdr_bench_rows_create(&session, KDR_BACKEND_AUTO, best);
    cr_assert_not(rows.out_of_memory);
    char prefix[128];
    for (int method = 0; method < KDR_METHOD_COUNT; ++method) {
        for (size_t field = 0; field < sizeof fields / sizeof *fields; ++field) {
            for (int real = 0; real < KDR_REAL_COUNT; ++real) {
                for (int arithmetic = 0; arithmetic < KDR_ARITHMETIC_COUNT; ++arithmetic) {
                    const kdr_method_info *info = kdr_method_get((kdr_method)method);
                    snprintf(prefix, sizeof prefix, "step/%s/%s/%s/%s", info->name, fields[field].name, kdr_real_name((kdr_real)real),
                             kdr_arithmetic_name((kdr_arithmetic)arithmetic));
                    if ((fields[field].general && !has_general_opponent((kdr_method)method)) ||
                        (fields[field].velocity && info->velocity_forces != KDR_VELOCITY_ANY) || (!fields[field].affine && info->affine)) {
                        expect_no_rows(&rows, prefix);
                    } else {
                        expect_rows(&rows, prefix);
                    }
                }
            }
        }
    }
    kdr_bench_rows_destroy(&rows);
}

/* Returns the file that a short run of the rows of a filter writes. */
static json_t *results_of(const char *filter) {
    char path[64], filter_argument[128], out_argument[128];
    snprintf(path, sizeof path, "/tmp/kickdrift-bench-%ld.json", (long)getpid());
    snprintf(filter_argument, sizeof filter_argument, "--benchmark_filter=%s", filter);
    snprintf(out_argument, sizeof out_argument, "--benchmark_out=%s", path);
    char *argv[] = {"bench", filter_argument, out_argument, "--benchmark_min_time=0.0001", NULL};
    cr_assert_eq(kdr_bench_main(4, argv), 0);
    json_error_t error;
    json_t *results = json_load_file(path, 0, &error);
    cr_assert_not_null(results, "%s: %s", path, error.text);
    remove(path);
    return results;
}

/* Checks that a row has these counters; the list ends with NULL. */
static void expect_row(const json_t *row, const char *const *counters) {
    const char *const name = json_string_value(json_object_get(row, "name"));
    cr_expect_null(json_object_get(row, "error_message"), "%s", name);
    for (size_t n = 0; counters[n]; ++n) {
        const double value = json_number_value(json_object_get(row, counters[n]));
        cr_expect(isfinite(value) && value > 0, "%s: %s is %g", name, counters[n], value);
    }
}

static void expect_step_row(json_t *results, const char *name) {
    static const char *const counters[] = {"evals/s", "best", "bytes/s", "fma_peak", "width_peak", "steps", NULL};
    json_t *row = NULL, *each;
    size_t i;
    json_array_foreach(json_object_get(results, "benchmarks"), i,
                       each) if (strcmp(json_string_value(json_object_get(each, "name")), name) == 0) row = each;
    cr_assert_not_null(row, "no result for %s", name);
    expect_row(row, counters);
    cr_expect_eq(json_number_value(json_object_get(row, "steps")), 100, "%s", name);
    double ratio = json_number_value(json_object_get(row, "bytes/s")) / json_number_value(json_object_get(row, "evals/s"));
    cr_expect_float_eq(ratio, 2 * 6 * 4.0 / (4 * 100), 1e-9, "%s: %g bytes an evaluation, of f32 and rk4", name, ratio);
}

Test(bench, results_have_their_counters) {
    json_t *results = results_of("step/rk4/spring-damper/f32/.*/512$");
    char name[128];
    for (int arithmetic = 0; arithmetic < KDR_ARITHMETIC_COUNT; ++arithmetic) {
        const char *arithmetic_name = kdr_arithmetic_name((kdr_arithmetic)arithmetic);
        kdr_backend_info info;
        for (int backend = KDR_BACKEND_FIRST; backend <= KDR_BACKEND_LAST; ++backend) {
            if (!runs_here(backend, &info)) {
                continue;
            }
            snprintf(name, sizeof name, "step/rk4/spring-damper/f32/%s/%s/512", arithmetic_name, info.name);
            expect_step_row(results, name);
        }
        snprintf(name, sizeof name, "step/rk4/spring-damper/f32/%s/reference/512", arithmetic_name);
        expect_step_row(results, name);
    }
    for (const kdr_bench_autovec_unit *const *unit = kdr_bench_autovec_units; *unit; ++unit) {
        kdr_backend_info info;
        kdr_backend backend;
        cr_assert_eq(kdr_backend_from_name((*unit)->isa, &backend), KDR_OK, "%s", (*unit)->isa);
        if (!runs_here((int)backend, &info) || strcmp((*unit)->real, "f32") != 0) {
            continue;
        }
        snprintf(name, sizeof name, "step/rk4/spring-damper/f32/%s/autovec-%s%s/512", (*unit)->arithmetic, (*unit)->maker, (*unit)->isa);
        expect_step_row(results, name);
    }
    static const char *const context[] = {"kickdrift", "processor", "compiler", "flags", "steps"};
    for (size_t i = 0; i < sizeof context / sizeof *context; ++i) {
        cr_expect(json_string_length(json_object_get(json_object_get(results, "context"), context[i])) > 0, "%s", context[i]);
    }
    json_decref(results);
}

static kdr_particles some_particles(kdr_real real, bool masses) {
    kdr_particles_desc desc = kdr_particles_desc_default();
    kdr_particles particles;
    desc.count = 101; /* not a multiple of any tile */
    desc.real = real;
    desc.inverse_mass = masses;
    cr_assert_eq(kdr_particles_create(&desc, &particles, NULL), KDR_OK);
    for (size_t i = 0; i < desc.count && masses; ++i) {
        if (real == KDR_F32) {
            ((float *)particles.inverse_mass)[i] = 0.5f + (float)i / 128;
        } else {
            ((double *)particles.inverse_mass)[i] = 0.5 + (double)i / 128;
        }
    }
    for (size_t i = 0; i < 6 * desc.count; ++i) {
        void *array = i % 6 < 3 ? particles.x[i % 3] : particles.v[i % 3];
        double value = sin((double)i);
        if (real == KDR_F32) {
            ((float *)array)[i / 6] = (float)value;
        } else {
            ((double *)array)[i / 6] = value;
        }
    }
    return particles;
}

static double at(const kdr_particles *particles, int array, size_t i) {
    const void *values = array < 3 ? particles->x[array] : particles->v[array - 3];
    return particles->real == KDR_F32 ? (double)((const float *)values)[i] : ((const double *)values)[i];
}

static double distance(const kdr_particles *found, const kdr_particles *expected) {
    double worst = 0;
    for (int array = 0; array < 6; ++array) {
        for (size_t i = 0; i < found->count; ++i) {
            worst = fmax(worst, fabs(at(found, array, i) - at(expected, array, i)) / (1 + fabs(at(expected, array, i))));
        }
    }
    return worst;
}

/* Checks that an opponent computes the same motion: one that leaves out work would be an unfair comparison. Rows with one step per call
 * take it in as many calls, each of which starts afresh from x and v. */
static void expect_same_motion(const kdr_bench_row *row) {
    const uint64_t steps = row->steps == 1 ? 1 : 7;
    const double dt = 0.0625, tolerance = row->real == KDR_F32 ? 2e-5 : 2e-14;
    kdr_particles expected = some_particles(row->real, row->field->masses), found = some_particles(row->real, row->field->masses);
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.method = row->method;
    desc.real = row->real;
    desc.forces = row->field->forces;
    desc.force_count = row->field->force_count;
    kdr_clock clock = {.dt = dt, .step = 3};
    kdr_bench_folded folded = kdr_bench_fold(row->field);
    for (uint64_t step = 0; step < 7; step += steps) {
        const double t = kdr_clock_time(&clock, clock.step, 0);
        row->loop(found.x, found.v, found.inverse_mass, found.count, steps, dt, t, &folded);
        cr_assert_eq(kdr_reference_run(&desc, &expected, &clock, steps, NULL), KDR_OK);
    }
    const double worst = distance(&found, &expected);
    cr_expect(worst < tolerance, "%s differs by %g from the reference", row->name, worst);
    kdr_particles_destroy(&expected);
    kdr_particles_destroy(&found);
}

Test(bench, the_opponent_computes_the_same) {
    kdr_bench_session session = {.failed = false};
    kdr_bench_rows rows = kdr_bench_rows_create(&session, KDR_BACKEND_AUTO, KDR_BACKEND_SCALAR);
    size_t compared = 0;
    for (size_t i = 0; i < rows.count; ++i) {
        if (rows.rows[i].loop && (rows.rows[i].count == 512 || rows.rows[i].steps == 1)) {
            expect_same_motion(&rows.rows[i]);
            ++compared;
        }
    }
    kdr_backend_info info;
    cr_expect(compared > 0 || !(runs_here(KDR_BACKEND_SSE2, &info) || runs_here(KDR_BACKEND_NEON, &info)));
    kdr_bench_rows_destroy(&rows);
}

/* Checks that so many rows match a pattern, each with so many steps (0: any number). */
static void expect_like(const char *pattern, size_t count, const char *const *counters, double steps) {
    json_t *results = results_of(pattern), *rows = json_object_get(results, "benchmarks"), *row;
    size_t i;
    cr_assert_eq(json_array_size(rows), count, "%s", pattern);
    json_array_foreach(rows, i, row) {
        expect_row(row, counters);
        cr_expect(steps == 0 || json_number_value(json_object_get(row, "steps")) == steps, "%s", pattern);
    }
    json_decref(results);
}

Test(bench, blocks_have_their_counters) {
    expect_like("^blocks/", KDR_BENCH_BLOCK_ROWS, (const char *const[]){"evals/s", "best", "of_field", "best_of_field", NULL}, 100);
}

/* Between two evaluations of a liquid in a heat bath the library makes one pass over the particles. */
Test(bench, a_liquid_takes_one_sweep_a_step) {
    json_t *results = results_of("^lj/"), *rows = json_object_get(results, "benchmarks"), *row = json_array_get(rows, 0);
    cr_assert_eq(json_array_size(rows), 1);
    expect_row(row, (const char *const[]){"steps/s", "ns/atom", NULL});
    cr_expect_eq(json_number_value(json_object_get(row, "sweeps")), 1);
    static const char *const shares[] = {"passes", "best_passes"};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; ++i) {
        const double share = json_number_value(json_object_get(row, shares[i]));
        cr_expect(share > 0 && share < 1, "%s is %g", shares[i], share);
    }
    json_decref(results);
}

Test(bench, passes_have_their_counters) {
    expect_like("^pass/.*/16384$", KDR_BENCH_PASS_ROWS / 3, /* one of the three counts */
                (const char *const[]){"bytes/s", "best", "of_plain", "best_of_plain", "steps/s", "bytes/step", NULL}, 0);
}

static const kdr_bench_field *spring_damper_field(void) {
    for (size_t i = 0; i < kdr_bench_field_count; ++i) {
        if (strcmp(kdr_bench_fields[i].name, "spring-damper") == 0) {
            return &kdr_bench_fields[i];
        }
    }
    cr_assert_fail("no spring-damper");
    return NULL;
}

/* Checks that the user-defined function on blocks computes the same motion as the field that it is compared with. */
static void expect_own_motion(const kdr_bench_user_loop_unit *unit) {
    const kdr_bench_field *field = spring_damper_field();
    kdr_bench_folded folded = kdr_bench_fold(field);
    kdr_real real = KDR_F32;
    cr_assert_eq(kdr_real_from_name(unit->real, &real), KDR_OK);
    const double tolerance = real == KDR_F32 ? 2e-5 : 2e-14;
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.method = KDR_RK4;
    desc.real = real;
    desc.forces = field->forces;
    desc.force_count = field->force_count;
    kdr_system_desc own = kdr_system_desc_default();
    own.method = KDR_RK4;
    own.real = real;
    own.accelerations = unit->accelerations;
    own.context = &folded;
    kdr_system *system = NULL;
    cr_assert_eq(kdr_system_create(&own, &system, NULL), KDR_OK);
    kdr_particles expected = some_particles(real, false), found = some_particles(real, false);
    kdr_clock clock = {.dt = 0.0625}, other = clock;
    cr_assert_eq(kdr_reference_run(&desc, &expected, &clock, 7, NULL), KDR_OK);
    cr_assert_eq(kdr_system_run_blocks(system, &found, &other, 7, NULL), KDR_OK);
    const double worst = distance(&found, &expected);
    cr_expect(worst < tolerance, "%s %s differs by %g from the reference", unit->isa, unit->real, worst);
    kdr_system_destroy(system);
    kdr_particles_destroy(&expected);
    kdr_particles_destroy(&found);
}

Test(bench, the_function_on_blocks_computes_the_same) {
    size_t compared = 0;
    for (const kdr_bench_user_loop_unit *const *unit = kdr_bench_user_loop_units; *unit; ++unit) {
        kdr_backend_info info;
        kdr_backend backend;
        cr_assert_eq(kdr_backend_from_name((*unit)->isa, &backend), KDR_OK, "%s", (*unit)->isa);
        if (runs_here((int)backend, &info)) {
            expect_own_motion(*unit);
            ++compared;
        }
    }
    cr_expect_geq(compared, KDR_REAL_COUNT);
}

/* Steps a spring-damper by RK4 with the loop of one unit. */
static kdr_particles stepped_by(const kdr_bench_autovec_unit *unit, const kdr_bench_field *field) {
    kdr_real real = KDR_F32;
    cr_assert_eq(kdr_real_from_name(unit->real, &real), KDR_OK);
    kdr_particles particles = some_particles(real, false);
    kdr_bench_folded folded = kdr_bench_fold(field);
    for (size_t i = 0; i < unit->loop_count; ++i) {
        if (strcmp(unit->loops[i].method, "rk4") == 0 && strcmp(unit->loops[i].field, "spring-damper") == 0) {
            unit->loops[i].run(particles.x, particles.v, NULL, particles.count, 7, 0.0625, 0, &folded);
        }
    }
    return particles;
}

/* Checks that fused and unfused loops give different bits. A later -ffp-contract on the command line would override the first, and then
 * both would be the same code. */
static void expect_different_bits(const kdr_bench_autovec_unit *fused, const kdr_bench_autovec_unit *unfused,
                                  const kdr_bench_field *field) {
    kdr_particles a = stepped_by(fused, field), b = stepped_by(unfused, field);
    kdr_difference difference;
    cr_assert_eq(kdr_compare(&a, &b, &difference, NULL), KDR_OK);
    cr_expect_gt(difference.mismatches, 0, "%s %s: fused and unfused are the same", fused->isa, fused->real);
    kdr_particles_destroy(&a);
    kdr_particles_destroy(&b);
}

Test(bench, the_opponent_fuses_where_it_says_so) {
    const kdr_bench_field *field = spring_damper_field();
    for (const kdr_bench_autovec_unit *const *fused = kdr_bench_autovec_units; *fused; ++fused) {
        for (const kdr_bench_autovec_unit *const *unfused = kdr_bench_autovec_units; *unfused; ++unfused) {
            kdr_backend_info info;
            kdr_backend backend;
            bool pair = strcmp((*fused)->arithmetic, "fused") == 0 && strcmp((*unfused)->arithmetic, "unfused") == 0 &&
                        strcmp((*fused)->isa, (*unfused)->isa) == 0 && strcmp((*fused)->maker, (*unfused)->maker) == 0 &&
                        strcmp((*fused)->real, (*unfused)->real) == 0;
            if (pair && kdr_backend_from_name((*fused)->isa, &backend) == KDR_OK && runs_here((int)backend, &info)) {
                expect_different_bits(*fused, *unfused, field);
            }
        }
    }
}

/* Checks that an argument is refused by one line on stderr that says what is wrong, status 2, and no file. */
static void expect_refused(char *argument, const char *says) {
    char path[64], out[80], partial[80], text[2048];
    snprintf(out, sizeof out, "--benchmark_out=/tmp/kickdrift-bench-refused-%ld.json", (long)getpid());
    const char *const refused = strchr(out, '/');
    snprintf(partial, sizeof partial, "%s.partial", refused);
    snprintf(path, sizeof path, "/tmp/kickdrift-bench-%ld.txt", (long)getpid());
    cr_assert_not_null(freopen(path, "w", stderr));
    char *argv[] = {"bench", out, argument, NULL};
    int status = kdr_bench_main(3, argv);
    fflush(stderr);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    remove(path);
    cr_expect_eq(status, 2, "%s: status %d", argument, status);
    char *newline = strchr(text, '\n');
    cr_expect(newline && newline[1] == '\0', "%s: not one line: %s", argument, text);
    cr_expect_eq(strncmp(text, "kickdrift: bench: ", 18), 0, "%s: %s", argument, text);
    cr_expect(strstr(text, "expected") && strstr(text, says), "%s: expected %s, said %s", argument, says, text);
    cr_expect_neq(access(refused, F_OK), 0);
    cr_expect_neq(access(partial, F_OK), 0);
}

Test(bench, wrong_requests_are_refused) {
    static const struct {
        const char *argument, *says;
    } wrong[] = {
        {"--bogus", "unknown option \"--bogus\""},
        {"--benchmark_formt=json", "did you mean --benchmark_format?"},
        {"rows", "expected compare, report or no arguments, found \"rows\""},
        {"--all=yes", "--all: expected no value"},
        {"--against", "--against: a value is missing, expected one of autovec, program"},
        {"--against=foo", "--against: expected one of autovec, program, found \"foo\""},
        {"--benchmark_filter", "--benchmark_filter: a value is missing"},
        {"--benchmark_filter=", "--benchmark_filter: expected a regular expression"},
        {"--benchmark_filter=(", "--benchmark_filter: expected a regular expression"},
        {"--benchmark_filter=no such row", "no row matches \"no such row\""},
        {"--benchmark_min_time=abc", "--benchmark_min_time: expected seconds"},
        {"--benchmark_min_time=0", "above 0 and at most 10000, found \"0\""},
        {"--benchmark_min_time=nan", "found \"nan\""},
        {"--benchmark_min_warmup_time=1e5", "found \"1e5\""},
        {"--benchmark_repetitions=-3", "expected a whole number from 1 to 1000000, found \"-3\""},
        {"--benchmark_repetitions=1.5", "found \"1.5\""},
        {"--benchmark_repetitions=1e3", "found \"1e3\""},
        {"--benchmark_repetitions=1000001", "found \"1000001\""},
        {"--benchmark_format=xml", "expected one of console, json, csv, found \"xml\""},
        {"--benchmark_time_unit=h", "expected one of ns, us, ms, s, found \"h\""},
        {"--benchmark_context=key", "expected KEY=VALUE, found \"key\""},
        {"--benchmark_list_tests=maybe", "expected true or false, found \"maybe\""},
        {"--benchmark_color=\nred", "expected auto, true or false, found \"?red\""},
        {"--benchmark_out=/nonexistent/file.json", "cannot write \"/nonexistent/file.json.partial\""},
        {"--v=10", "--v: expected a digit, found \"10\""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        expect_refused((char *)(uintptr_t)wrong[i].argument, wrong[i].says);
    }
}

/* Google Benchmark receives its flags with their values, a switch without one, defaults, and no filter but its own. */
Test(bench, flags_are_passed_on) {
    char program[] = "bench", list[] = "--benchmark_list_tests", time[] = "--benchmark_min_time", seconds[] = "0.5",
         filter[] = "--benchmark_filter=rk4";
    char *argv[] = {program, list, time, seconds, filter, NULL};
    static const char *const expected[] = {"bench", "--benchmark_list_tests=true", "--benchmark_min_time=0.5",
                                           "--benchmark_counters_tabular=true", "--benchmark_filter=."};
    enum { EXPECTED = sizeof expected / sizeof *expected };
    kdr_bench_request request;
    fault why;
    cr_assert_eq(kdr_bench_request_parse(&request, 5, argv, &why), OPTIONS_GO, "%s", why.text);
    cr_assert_eq(request.argc, EXPECTED);
    for (int i = 0; i < EXPECTED; ++i) {
        cr_expect_str_eq(request.argv[i], expected[i]);
    }
    cr_expect(!request.argv[EXPECTED] && !request.json && !request.all);
    cr_expect(kdr_bench_is_wanted(&request, "step/rk4/drag", false) && !kdr_bench_is_wanted(&request, "step/heun/drag", true));
    kdr_bench_request_free(&request);
}

Test(bench, an_unknown_backend_is_refused) {
    setenv("KDR_BACKEND", "mmx", 1);
    expect_refused("--all", "mmx");
}

/* Returns what `--against` prints for the rows of a filter. */
static json_t *ratios_of(const char *opponent, const char *filter, int *status) {
    char path[64], filter_argument[160];
    snprintf(path, sizeof path, "/tmp/kickdrift-bench-against-%ld.json", (long)getpid());
    snprintf(filter_argument, sizeof filter_argument, "--benchmark_filter=%s", filter);
    cr_assert_not_null(freopen(path, "w", stdout));
    char *argv[] = {"bench", "--against", (char *)(uintptr_t)opponent, filter_argument, "--benchmark_format=json", NULL};
    *status = kdr_bench_main(5, argv);
    fflush(stdout);
    json_error_t error;
    json_t *results = json_load_file(path, 0, &error);
    remove(path);
    cr_assert_not_null(results, "%s: %s", path, error.text);
    return results;
}

/* Checks that each of the library's rows that has an opponent gives a line, and that the status says whether one of them is slower. */
static void expect_ratios(const char *method, const char *count, const char *opponent) {
    char filter[128];
    int status;
    size_t expected = 0, below = 0, i;
    for (int backend = KDR_BACKEND_FIRST; backend <= KDR_BACKEND_LAST; ++backend) {
        kdr_backend_info info;
        if (runs_here(backend, &info) && backend != KDR_BACKEND_SCALAR) {
            expected += info.fused_native ? 2 : 1;
        }
    }
    if (!expected) {
        cr_skip_test("no opponent runs here");
    }
    snprintf(filter, sizeof filter, "step/%s/spring-damper-masses/f32/.*/%s$", method, count);
    json_t *results = ratios_of("autovec", filter, &status), *row;
    cr_expect_eq(json_array_size(json_object_get(results, "rows")), expected);
    json_array_foreach(json_object_get(results, "rows"), i, row) {
        const double ours = json_number_value(json_object_get(row, "evals/s"));
        const double theirs = json_number_value(json_object_get(row, "opponent_evals/s"));
        const double ratio = json_number_value(json_object_get(row, "ratio"));
        cr_expect(ours > 0 && theirs > 0 && fabs(ratio * theirs / ours - 1) < 1e-2, "%g / %g is not %g", ours, theirs, ratio);
        const double as_written = json_number_value(json_object_get(row, "as_written"));
        const char *const fastest = json_string_value(json_object_get(row, "opponent"));
        cr_expect(as_written >= ratio, "%g of some is less than %g of all", as_written, ratio);
        cr_expect(strstr(fastest, "fast-math/") || as_written == ratio, "%s: %g is not %g", fastest, as_written, ratio);
        cr_expect_not_null(strstr(fastest, opponent));
        below += ratio < 0.97;
    }
    cr_expect_eq(json_integer_value(json_object_get(results, "below")), (json_int_t)below);
    cr_expect_eq(status, below > 0, "status %d of %zu rows that are slower", status, below);
    json_decref(results);
}

Test(bench, rows_stand_beside_their_opponents) { expect_ratios("semi-implicit-euler", "512", "/autovec-"); }

Test(bench, rows_of_one_step_a_call_stand_beside_theirs) { expect_ratios("rk4", "4194304", "-"); }

/* A row with a specialised kernel is faster than its program. A row that uses the program anyway has no opponent. */
Test(bench, instances_stand_beside_the_program) {
    kdr_backend_info info;
    if (!runs_here(KDR_BACKEND_SSE2, &info)) {
        cr_skip_test("sse2 does not run here");
    }
    setenv("KDR_BACKEND", "sse2", 1);
    int status;
    size_t i;
    json_t *results = ratios_of("program", "step/(velocity-verlet|strang-affine|baoab)/uniform/f32/unfused/.*/512$", &status), *row;
    cr_expect_eq(json_array_size(json_object_get(results, "rows")), 1);
    json_array_foreach(json_object_get(results, "rows"), i, row) {
        cr_expect_str_eq(json_string_value(json_object_get(row, "opponent")), "program");
        cr_expect(strstr(json_string_value(json_object_get(row, "name")), "/velocity-verlet/"));
        cr_expect(json_number_value(json_object_get(row, "ratio")) > 1.1, "%g", json_number_value(json_object_get(row, "ratio")));
    }
    json_decref(results);
}

Test(bench, against_has_no_part_of_google_benchmark) {
    static const char *const wrong[][3] = {{"--against=autovec", "--benchmark_repetitions=3", "--all"},
                                           {"--against=autovec", "--benchmark_format=csv", "--all"},
                                           {"--against=autovec", "--benchmark_out=/tmp/kickdrift-bench.json", "--all"},
                                           {"--against=autovec", "--benchmark_filter=/reference/", "--all"},
                                           {"--against=autovec", "--benchmark_filter=^blocks/", "--all"},
                                           {"--all", "--against", "foo"}};
    char path[64];
    snprintf(path, sizeof path, "/tmp/kickdrift-bench-%ld.txt", (long)getpid());
    cr_assert_not_null(freopen(path, "w", stderr));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        char *argv[] = {"bench", (char *)(uintptr_t)wrong[i][0], (char *)(uintptr_t)wrong[i][1], (char *)(uintptr_t)wrong[i][2], NULL};
        cr_expect_eq(kdr_bench_main(4, argv), 2, "%s %s %s", wrong[i][0], wrong[i][1], wrong[i][2]);
    }
    remove(path);
}

Test(bench, KDR_BACKEND_restricts_the_rows) {
    setenv("KDR_BACKEND", "scalar", 1);
    json_t *results = results_of("step/semi-implicit-euler/drag/f64/unfused/.*/512$");
    json_t *rows = json_object_get(results, "benchmarks");
    cr_assert_eq(json_array_size(rows), 2);
    cr_expect_str_eq(json_string_value(json_object_get(json_array_get(rows, 0), "name")),
                     "step/semi-implicit-euler/drag/f64/unfused/reference/512");
    cr_expect_str_eq(json_string_value(json_object_get(json_array_get(rows, 1), "name")),
                     "step/semi-implicit-euler/drag/f64/unfused/scalar/512");
    json_decref(results);
}
