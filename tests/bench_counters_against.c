/* The ratios of `kickdrift bench --against` on the clock of bench_counters.c. Every loop has a speed of its own. Loops that no requested
 * row may be compared with are a thousand times faster. The test finds the opponents of a row by their names. */
#include "bench_counters.h"

#include <unistd.h>

#include "commands.h"
#include "integrator/integrator.h"
#include "program/program.h"

#include <jansson.h>

/* The loops of the requested rows. The last one stands for every other loop. */
enum { LOOPS = 64, NAME = 128 };
static struct {
    size_t count;
    char name[LOOPS][NAME];
    double takes[LOOPS + 1];
    int calls[LOOPS + 1];
} loops;
static const char *asked; /* the beginning of the name of each requested row */

static void pass_call(size_t loop, size_t count, size_t steps) {
    tally.iteration = loops.calls[loop]++ % 3;
    bench_pass_time(1e-6 * (double)steps * (double)count * loops.takes[loop]);
}

#define LOOP(n)                                                                                                                            \
    static void loop_##n(void *const x[3], void *const v[3], const void *inverse_mass, size_t count, size_t steps, double h, double t,     \
                         const kdr_bench_folded *field) {                                                                                  \
        (void)x, (void)v, (void)inverse_mass, (void)h, (void)t, (void)field;                                                               \
        pass_call(n, count, steps);                                                                                                        \
    }
#define EIGHT(DO, n) DO(n##0) DO(n##1) DO(n##2) DO(n##3) DO(n##4) DO(n##5) DO(n##6) DO(n##7)
#define OCTAL(n) LOOP(0##n)
#define ALL(DO) EIGHT(DO, 0) EIGHT(DO, 1) EIGHT(DO, 2) EIGHT(DO, 3) EIGHT(DO, 4) EIGHT(DO, 5) EIGHT(DO, 6) EIGHT(DO, 7)
ALL(OCTAL)
LOOP(64)
#define ENTRY(n) loop_0##n,
static kdr_bench_autovec_fn *const functions[] = {ALL(ENTRY) loop_64};

kdr_bench_rows __real_kdr_bench_rows_create(struct kdr_bench_session *session, kdr_backend only, kdr_backend best);
kdr_bench_rows __wrap_kdr_bench_rows_create(struct kdr_bench_session *session, kdr_backend only, kdr_backend best);
kdr_bench_rows __wrap_kdr_bench_rows_create(struct kdr_bench_session *session, kdr_backend only, kdr_backend best) {
    kdr_bench_rows all = __real_kdr_bench_rows_create(session, only, best);
    loops.count = 0;
    for (size_t i = 0; i < all.count && asked; ++i) {
        kdr_bench_row *const row = &all.rows[i];
        if (row->loop && strncmp(row->name, asked, strlen(asked)) == 0 && strcmp(strrchr(row->name, '/'), "/512") == 0) {
            cr_assert(loops.count < LOOPS);
            snprintf(loops.name[loops.count], NAME, "%s", row->name);
            /* For every second precision or instruction set the loop of -ffast-math is the fastest. For the others its speed is within the
             * range of the other loops. */
            const bool ahead = strstr(row->name, "/fast-math/") && loops.count / 3 % 2 == 0;
            loops.takes[loops.count] = ahead ? 40 + 0.1 * (double)loops.count : 50 + (double)(loops.count * 47 % LOOPS);
            row->loop = functions[loops.count++];
        } else if (row->loop) {
            row->loop = functions[LOOPS];
        }
    }
    return all;
}

double bench_contender_takes(const kdr_integrator *integrator, const kdr_particles *p) {
    static int calls[2];
    const bool alone = !kdr_program_has_instance(integrator->setup->program[p->dims - 1][p->inverse_mass != NULL]);
    if (tally.program_takes > 0) { /* This is for one test alone. */
        tally.iteration = calls[alone]++ % 3;
    }
    const kdr_problem *const problem = &integrator->setup->problem;
    const bool is_free = problem->collider_count == 0 && problem->watch_count == 0 && problem->boundary.kind == KDR_BOUNDARY_NONE;
    return is_free && tally.free_takes > 0 ? tally.free_takes : alone && tally.program_takes > 0 ? tally.program_takes : tally.field_takes;
}

/* Returns the fastest of the loops that a row of the library is compared with, or LOOPS. Method, field, precision and count are those of
 * the row. The backend's name before its last hyphen tells how the loop was made. */
static size_t fastest_of(const char *row, bool as_written) {
    char own[6][32], its[6][32];
    size_t fastest = LOOPS;
    const char *const form = "%31[^/]/%31[^/]/%31[^/]/%31[^/]/%31[^/]/%31[^/]/512";
    cr_assert(sscanf(row, form, own[0], own[1], own[2], own[3], own[4], own[5]) == 6, "%s", row);
    for (size_t n = 0; n < loops.count; ++n) {
        cr_assert(sscanf(loops.name[n], form, its[0], its[1], its[2], its[3], its[4], its[5]) == 6, "%s", loops.name[n]);
        const bool meets = strcmp(own[1], its[1]) == 0 && strcmp(own[2], its[2]) == 0 && strcmp(own[3], its[3]) == 0 &&
                           strcmp(own[5], strrchr(its[5], '-') + 1) == 0 && !(as_written && strcmp(its[4], "fast-math") == 0);
        if (meets && (fastest == LOOPS || loops.takes[n] < loops.takes[fastest])) {
            fastest = n;
        }
    }
    return fastest;
}

typedef struct shown {
    char name[NAME], opponent[64];
    double ours, theirs, ratio, as_written;
} shown;

/* Checks that each number of a line is the right quotient of times. The unit is a million steps. */
static void expect_line(const shown *s, double ours, double theirs, double as_written, const char *opponent) {
    const double steps = 512 * 100, evaluations = strstr(s->name, "/velocity-verlet/") ? 512 * 101 : steps, second = 1e-9 * steps;
    cr_expect(fabs(s->ours * ours * second / evaluations - 1) < 6e-3, "%s: %g evaluations a second", s->name, s->ours);
    cr_expect(fabs(s->theirs * theirs * second / evaluations - 1) < 6e-3, "%s: %g of its opponent", s->name, s->theirs);
    cr_expect(fabs(s->ratio - theirs / ours) < 1e-3, "%s: ratio %g, expected %g", s->name, s->ratio, theirs / ours);
    cr_expect(fabs(s->as_written - as_written / ours) < 1e-3, "%s: as written %g, expected %g", s->name, s->as_written, as_written / ours);
    cr_expect(strncmp(s->opponent, opponent, strlen(s->opponent)) == 0 && *s->opponent, "%s: the opponent is %s, expected %s", s->name,
              s->opponent, opponent);
}

/* Reads the lines of the output in JSON. The other reader takes the table. */
static size_t read_json(FILE *file, shown *lines, json_int_t verdict[3]) {
    json_t *const all = json_loadf(file, 0, NULL), *row;
    size_t i;
    cr_assert(all);
    json_array_foreach(json_object_get(all, "rows"), i, row) {
        snprintf(lines[i].name, NAME, "%s", json_string_value(json_object_get(row, "name")));
        snprintf(lines[i].opponent, sizeof lines[i].opponent, "%s", json_string_value(json_object_get(row, "opponent")));
        lines[i].ours = json_number_value(json_object_get(row, "evals/s"));
        lines[i].theirs = json_number_value(json_object_get(row, "opponent_evals/s"));
        lines[i].ratio = json_number_value(json_object_get(row, "ratio"));
        lines[i].as_written = json_number_value(json_object_get(row, "as_written"));
    }
    const size_t count = json_array_size(json_object_get(all, "rows"));
    cr_expect(json_integer_value(json_object_get(all, "count")) == (json_int_t)count);
    verdict[0] = json_integer_value(json_object_get(all, "within_noise"));
    verdict[1] = json_integer_value(json_object_get(all, "below"));
    verdict[2] = json_integer_value(json_object_get(all, "below_as_written"));
    json_decref(all);
    return count;
}

static size_t read_table(FILE *file, shown *lines, json_int_t verdict[3]) {
    size_t count = 0, rows = 0, above = 0, within = 0, below = 0, as_written = 0;
    for (char line[512]; fgets(line, sizeof line, file);) {
        shown *const s = &lines[count];
        if (sscanf(line, "%127s %lg %lg %lg %lg %63s", s->name, &s->ours, &s->theirs, &s->ratio, &s->as_written, s->opponent) == 6) {
            const char *const mark = strstr(line, "<- ");
            const char *const expected = s->ratio < 0.97 ? "<- below\n" : s->ratio < 1 ? "<- within the noise\n" : NULL;
            cr_expect(expected ? mark && strcmp(mark, expected) == 0 : !mark, "%s", line);
            ++count;
        }
        (void)sscanf(
            line,
            "%zu rows: %zu at 1 or above, %zu within the noise (0.97 or more), %zu below; compared with the loops as they are written %zu",
            &rows, &above, &within, &below, &as_written);
    }
    cr_expect(rows == count && above + within + below == count, "%zu rows of %zu", rows, count);
    verdict[0] = (json_int_t)within, verdict[1] = (json_int_t)below, verdict[2] = (json_int_t)as_written;
    return count;
}

static int status_of(const char *opponent, const char *format, size_t *count, shown *lines, json_int_t verdict[3]) {
    char path[64], filter[96], form[64];
    snprintf(path, sizeof path, "/tmp/kickdrift-bench-ratios-%ld", (long)getpid());
    snprintf(filter, sizeof filter, "--benchmark_filter=^%s.*/512$", asked);
    snprintf(form, sizeof form, "--benchmark_format=%s", format);
    cr_assert_not_null(freopen(path, "w", stdout));
    char *argv[] = {"bench", "--against", (char *)(uintptr_t)opponent, filter, form, NULL};
    const int status = kdr_bench_main(5, argv);
    fflush(stdout);
    FILE *const file = fopen(path, "r");
    cr_assert(file);
    *count = (strcmp(format, "json") == 0 ? read_json : read_table)(file, lines, verdict);
    (void)fclose(file);
    remove(path);
    return status;
}

enum { LINES = 64 };

static void expect_loops(const char *method, const char *format, double ours) {
    char prefix[64];
    shown lines[LINES];
    size_t count;
    json_int_t verdict[3], expected[3] = {0, 0, 0};
    snprintf(prefix, sizeof prefix, "step/%s/spring-damper/", method);
    asked = prefix;
    bench_begin();
    tally.field_takes = ours;
    loops.takes[LOOPS] = 0.05;
    const int status = status_of("autovec", format, &count, lines, verdict);
    if (loops.count == 0) {
        cr_skip_test("no opponent runs here");
    }
    cr_expect(count >= 2, "%zu lines of %zu loops", count, loops.count);
    for (size_t n = 0; n < count; ++n) {
        const size_t best = fastest_of(lines[n].name, false), written = fastest_of(lines[n].name, true);
        const double ratio = loops.takes[best] / ours, as_written = loops.takes[written] / ours;
        const char *arithmetic = loops.name[best];
        for (int level = 0; level < 4; ++level) {
            arithmetic = strchr(arithmetic, '/') + 1;
        }
        cr_assert(best < LOOPS && written < LOOPS, "%s has no opponent", lines[n].name);
        expect_line(&lines[n], ours, loops.takes[best], loops.takes[written], arithmetic);
        expected[0] += ratio >= 0.97 && ratio < 1, expected[1] += ratio < 0.97, expected[2] += as_written < 0.97;
    }
    cr_expect(memcmp(verdict, expected, sizeof verdict) == 0, "%d within the noise, %d below, %d as written, expected %d, %d, %d",
              (int)verdict[0], (int)verdict[1], (int)verdict[2], (int)expected[0], (int)expected[1], (int)expected[2]);
    cr_expect(status == (expected[1] > 0), "status %d of %d rows that are slower", status, (int)expected[1]);
}

/* The row is faster than all loops, slower than the fastest by less than the noise, and slower than all. */
Test(bench_counters, of_loops_are_rates_of_the_row_and_of_its_fastest_opponent) {
    static const double takes[] = {38, 50.5, 120};
    for (size_t n = 0; n < 3; ++n) {
        expect_loops("semi-implicit-euler", "json", takes[n]);
        expect_loops("velocity-verlet", "console", takes[n]);
    }
    asked = NULL;
}

/* The row has a specialised kernel, and its opponent has none. */
Test(bench_counters, of_programs_are_rates_with_and_without_the_instance) {
    static const double takes[][2] = {{40, 60}, {60, 40}};
    for (size_t n = 0; n < 2; ++n) {
        shown lines[LINES];
        size_t count;
        json_int_t verdict[3];
        asked = "step/velocity-verlet/spring/";
        bench_begin();
        tally.field_takes = takes[n][0], tally.program_takes = takes[n][1];
        const int status = status_of("program", "json", &count, lines, verdict);
        if (loops.count == 0) {
            cr_skip_test("no vectors run here");
        }
        cr_expect(count >= 2, "%zu rows", count);
        for (size_t i = 0; i < count; ++i) {
            expect_line(&lines[i], takes[n][0], takes[n][1], takes[n][1], "program");
        }
        cr_expect(verdict[0] == 0 && verdict[1] == (n ? (json_int_t)count : 0) && status == (int)n, "status %d", status);
    }
    asked = NULL;
}
