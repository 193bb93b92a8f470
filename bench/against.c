/* Compares rows with their opponents (see against.h).
 *
 * All contenders of a row step the same arrays in turns of a few milliseconds, so that they run under the same conditions. The fastest call
 * of each counts, because a disturbance only ever slows a call down. The row ends when the two fastest calls that make the ratio have not
 * become faster for some rounds. */
#include "against.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "integrator/integrator.h"
#include "step.h"

/* After WARM_ROUNDS, a contender that is slower than the best opponent by the factor `hopeless` gets no further turn. An improvement by
 * less than the fraction `steady` does not count. */
static const double turn_seconds = 0.002, hopeless = 1.2, steady = 0.003, noise = 0.97;
enum { PLACES = 4, WARM_ROUNDS = PLACES, STEADY_ROUNDS = 16, MOST_CONTENDERS = 32, STEPS_A_RESET = 6400 };
static const double most_seconds = 1.5;

typedef struct contender {
    kdr_bench_job job;
    double fastest; /* seconds of the fastest call */
    bool out;
} contender;

typedef struct match {
    contender contenders[MOST_CONTENDERS]; /* the first is the library, the others are opponents */
    size_t count;
    uint64_t steps; /* steps since the last reset */
} match;

static bool is_opponent_of(const kdr_bench_row *loop, const kdr_bench_row *row) {
    return loop->loop && loop->method == row->method && loop->field == row->field && loop->real == row->real &&
           loop->backend == row->backend && loop->count == row->count;
}

/* Returns true if the row's arithmetic is native to its instruction set. Without a fused multiply-add, a fused row does other work than any
 * plain loop. */
static bool is_native(const kdr_bench_row *row) {
    kdr_backend_info info;
    return kdr_backend_query(row->backend, &info) == KDR_OK && (row->arithmetic == KDR_UNFUSED || info.fused_native);
}

static kdr_program *program_of(const kdr_bench_job *job) {
    return job->integrator->setup->program[job->particles->dims - 1][job->particles->inverse_mass != NULL];
}

static bool has_instance(const kdr_bench_row *row) {
    kdr_bench_job job;
    const bool has = kdr_bench_prepare(&job, row, NULL) == KDR_OK && kdr_program_has_instance(program_of(&job));
    kdr_integrator_destroy(job.integrator);
    return has;
}

static bool has_opponent(const kdr_bench_rows *rows, const kdr_bench_row *row) {
    for (size_t i = 0; i < rows->count; ++i) {
        if (is_opponent_of(&rows->rows[i], row)) {
            return true;
        }
    }
    return false;
}

/* Returns true for rows that are run without --all and without a filter: the arithmetic that the backend is for, on fields that are not
 * general. */
static bool is_principal(const kdr_bench_row *row) {
    kdr_backend_info info;
    return row->principal_count && !row->field->general && kdr_backend_query(row->backend, &info) == KDR_OK &&
           info.fused_native == (row->arithmetic == KDR_FUSED);
}

static bool is_against_program(const kdr_bench_request *request) { return strcmp(request->against, "program") == 0; }

static bool is_chosen(const kdr_bench_request *request, const kdr_bench_rows *rows, const kdr_bench_row *row) {
    return row->engine == &kdr_bench_library && row->threads == 1 && kdr_bench_is_wanted(request, row->name, is_principal(row)) &&
           is_native(row) && (is_against_program(request) ? has_instance(row) : has_opponent(rows, row));
}

static kdr_status enter(match *m, const kdr_bench_row *row, kdr_error *error) {
    if (m->count == MOST_CONTENDERS) {
        return KDR_OK;
    }
    contender *c = &m->contenders[m->count++];
    c->fastest = INFINITY;
    c->out = false;
    return kdr_bench_prepare(&c->job, row, error);
}

static void reset(match *m) {
    kdr_bench_reset(&m->contenders[0].job);
    for (size_t i = 0; i < m->count; ++i) {
        m->contenders[i].job.clock = m->contenders[0].job.clock;
    }
    m->steps = 0;
}

/* Prepares a row against itself without its specialised kernel, or against all loops. */
static kdr_status prepare(match *m, const kdr_bench_request *request, const kdr_bench_rows *rows, const kdr_bench_row *row,
                          kdr_error *error) {
    const bool program = is_against_program(request);
    *m = (match){.count = 0};
    kdr_status status = enter(m, row, error);
    if (program && status == KDR_OK && (status = enter(m, row, error)) == KDR_OK) {
        kdr_program *const alone = program_of(&m->contenders[1].job);
        alone->hot = alone->stepper = NULL;
    }
    for (size_t i = 0; i < rows->count && !program && status == KDR_OK; ++i) {
        if (is_opponent_of(&rows->rows[i], row)) {
            status = enter(m, &rows->rows[i], error);
        }
    }
    reset(m);
    return status;
}

static kdr_status take_turn(match *m, contender *c, kdr_error *error) {
    kdr_status status = KDR_OK;
    for (double spent = 0; spent < turn_seconds && status == KDR_OK;) {
        if ((m->steps += c->job.row->steps) > STEPS_A_RESET) {
            reset(m);
        }
        double start = kdr_bench_seconds();
        status = c->job.row->engine->steps(&c->job, error);
        kdr_bench_keep(c->job.particles->x[0]);
        double seconds = kdr_bench_seconds() - start;
        c->fastest = fmin(c->fastest, seconds);
        spent += seconds;
    }
    return status;
}

/* Takes a turn of four rounds, with the stack at each of the four places in a cache line that it may have. It is luck whether a loop's
 * spilled registers straddle lines, and a loop of clang's is a sixth faster if they do not. */
static kdr_status take_turn_in_place(match *m, contender *c, int round, kdr_error *error) {
    char deeper[16 + round % PLACES * 16];
    kdr_bench_keep(deeper);
    return take_turn(m, c, error);
}

static contender *best_opponent(match *m) {
    contender *best = &m->contenders[1];
    for (size_t i = 2; i < m->count; ++i) {
        if (m->contenders[i].fastest < best->fastest) {
            best = &m->contenders[i];
        }
    }
    return best;
}

/* Returns the fastest call of the opponents that compute what is written: their compiler may contract, but not reorder. */
static double fastest_as_written(const match *m) {
    double fastest = INFINITY;
    for (size_t i = 1; i < m->count; ++i) {
        fastest = strstr(m->contenders[i].job.row->name, "/fast-math/") ? fastest : fmin(fastest, m->contenders[i].fastest);
    }
    return fastest;
}

static kdr_status measure(match *m, kdr_error *error) {
    double ours = INFINITY, theirs = INFINITY, start = kdr_bench_seconds();
    int same = 0;
    for (int round = 0; round < WARM_ROUNDS || (same < STEADY_ROUNDS && kdr_bench_seconds() - start < most_seconds); ++round) {
        for (size_t i = 0; i < m->count; ++i) {
            contender *c = &m->contenders[i];
            kdr_status status = c->out ? KDR_OK : take_turn_in_place(m, c, round, error);
            if (status != KDR_OK) {
                return status;
            }
        }
        const double our = m->contenders[0].fastest, their = best_opponent(m)->fastest;
        same = our < ours * (1 - steady) || their < theirs * (1 - steady) ? 0 : same + 1;
        if (same == 0) {
            ours = our, theirs = their;
        }
        for (size_t i = 1; i < m->count && round + 1 >= WARM_ROUNDS; ++i) {
            m->contenders[i].out = m->contenders[i].fastest > hopeless * their;
        }
    }
    return KDR_OK;
}

/* Writes "fast-math/autovec-avx512" for "step/rk4/centre/f32/fast-math/autovec-avx512/16384". */
static void name_opponent(const kdr_bench_row *row, char *name, size_t size) {
    const char *begin = row->name;
    for (int level = 0; level < 4; ++level) {
        begin = strchr(begin, '/') + 1;
    }
    snprintf(name, size, "%.*s", (int)(strrchr(begin, '/') - begin), begin);
}

typedef struct result {
    const char *name;
    double ours, theirs, ratio; /* evaluations per second of the library and of the opponent; opponent's time divided by the library's */
    double as_written;          /* the ratio without opponents that use -ffast-math */
    char opponent[64];
} result;

/* Prints the compilers of the opponents, such as "gcc 12.2.0, clang 14.0.6". */
static void print_compilers(void) {
    const char *separator = "";
    for (const kdr_bench_autovec_unit *const *unit = kdr_bench_autovec_units; *unit; ++unit) {
        bool said = false;
        for (const kdr_bench_autovec_unit *const *before = kdr_bench_autovec_units; before != unit; ++before) {
            said |= strcmp((*before)->maker, (*unit)->maker) == 0;
        }
        if (said) {
            continue;
        }
        printf("%s%s", separator, (*unit)->compiler);
        separator = ", ";
    }
}

static void begin_table(void) {
    printf("opponents by ");
    print_compilers();
    printf("\n%-74s %9s %9s %6s %10s  %s\n", "row", "evals/s", "opponent", "ratio", "as_written", "the fastest opponent");
}

static void print_line(const result *r, size_t index) {
    (void)index;
    printf("%-74s %9.3g %9.3g %6.3f %10.3f  %s%s\n", r->name, r->ours, r->theirs, r->ratio, r->as_written, r->opponent,
           r->ratio < noise ? "  <- below"
           : r->ratio < 1.0 ? "  <- within the noise"
                            : "");
}

static void end_table(const kdr_bench_verdict *v) {
    printf("%zu rows: %zu at 1 or above, %zu within the noise (%.2f or more), %zu below; compared with the loops as they are written %zu "
           "below\n",
           v->rows, v->rows - v->within - v->below, v->within, noise, v->below, v->below_as_written);
}

static void begin_json(void) {
    printf("{\"compilers\": \"");
    print_compilers();
    printf("\", \"rows\": [");
}

static void print_object(const result *r, size_t index) {
    printf("%s\n  {\"name\": \"%s\", \"evals/s\": %.6g, \"opponent_evals/s\": %.6g, \"ratio\": %.4f, \"as_written\": %.4f, "
           "\"opponent\": \"%s\"}",
           index ? "," : "", r->name, r->ours, r->theirs, r->ratio, r->as_written, r->opponent);
}

static void end_json(const kdr_bench_verdict *v) {
    printf("\n], \"count\": %zu, \"within_noise\": %zu, \"below\": %zu, \"below_as_written\": %zu, \"noise\": %.2f}\n", v->rows, v->within,
           v->below, v->below_as_written, noise);
}

typedef struct format {
    void (*begin)(void);
    void (*row)(const result *r, size_t index);
    void (*end)(const kdr_bench_verdict *v);
} format;

static const format formats[] = {{begin_table, print_line, end_table}, {begin_json, print_object, end_json}};

static kdr_status run(match *m, const kdr_bench_request *request, const kdr_bench_rows *rows, const kdr_bench_row *row, result *r,
                      kdr_error *error) {
    kdr_status status = prepare(m, request, rows, row, error);
    if (status == KDR_OK) {
        status = measure(m, error);
    }
    if (status == KDR_OK) {
        const contender *best = best_opponent(m);
        const double evaluations = kdr_bench_evaluations(&m->contenders[0].job);
        *r = (result){row->name, evaluations / m->contenders[0].fastest, evaluations / best->fastest, 0, 0, ""};
        r->as_written = fastest_as_written(m) / m->contenders[0].fastest;
        r->ratio = r->ours / r->theirs;
        name_opponent(best->job.row, r->opponent, sizeof r->opponent);
        if (is_against_program(request)) {
            snprintf(r->opponent, sizeof r->opponent, "program");
        }
    }
    for (size_t i = 0; i < m->count; ++i) {
        kdr_integrator_destroy(m->contenders[i].job.integrator);
    }
    return status;
}

kdr_bench_verdict kdr_bench_against(const kdr_bench_request *request, const kdr_bench_rows *rows) {
    kdr_bench_verdict verdict = {0, 0, 0, 0};
    const format *const form = &formats[request->json];
    static match m;
    size_t printed = 0;
    for (size_t i = 0; i < rows->count; ++i) {
        const kdr_bench_row *row = &rows->rows[i];
        if (!is_chosen(request, rows, row)) {
            continue;
        }
        if (verdict.rows++ == 0) {
            form->begin();
        }
        result r;
        kdr_error error = {KDR_OK, ""};
        kdr_status status = run(&m, request, rows, row, &r, &error);
        if (status != KDR_OK) {
            row->session->failed = true;
            fault why;
            fault_set(&why, "bench: %s: %s", row->name, error.status == status ? error.message : kdr_status_string(status));
            fault_report(&why);
            continue;
        }
        verdict.below += r.ratio < noise;
        verdict.below_as_written += r.as_written < noise;
        verdict.within += r.ratio >= noise && r.ratio < 1;
        form->row(&r, printed++);
        fflush(stdout);
    }
    if (verdict.rows > 0) {
        form->end(&verdict);
    }
    return verdict;
}
