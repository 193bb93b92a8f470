/* Makes the rows of the benchmark (see rows.h) by nested loops over tables, so that a new method, backend, field or opponent is measured
 * without a new line here. */

#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "step.h"

/* The counts and steps are the same on every machine, so that rows can be compared. Bytes are those of f32; f64 has twice as many. */
static const struct {
    size_t count;
    uint64_t steps;
    bool principal;
} counts[] = {
    {512, 100, false},    /* 12 KiB: in the first-level cache */
    {4096, 1, false},     /* 96 KiB: one step per call from a cache, so that the cost of a call is a part of it */
    {16384, 100, true},   /* 384 KiB: in the second-level cache */
    {262144, 100, false}, /* 6 MiB: in the third-level cache */
    {4194304, 1, false},  /* 96 MiB: in memory, with one step per call, so that memory is the bound and not arithmetic */
};
/* With fewer than SHARED_FROM particles, sharing costs more than it saves. */
enum { COUNTS = sizeof counts / sizeof *counts, SHARED_FROM = 16384 };

const char *kdr_bench_rows_steps(void) { return "100 a call; 1 a call at 4096 and 4194304 particles"; }

static void add(kdr_bench_rows *all, const kdr_bench_row *row, const char *arithmetic, const char *backend) {
    if (all->out_of_memory) {
        return;
    }
    if (all->count == all->capacity) {
        size_t capacity = all->capacity ? 2 * all->capacity : 1024;
        kdr_bench_row *rows = realloc(all->rows, capacity * sizeof *rows);
        if (!rows) {
            all->out_of_memory = true;
            return;
        }
        all->rows = rows;
        all->capacity = capacity;
    }
    kdr_bench_row *added = &all->rows[all->count++];
    *added = *row;
    char threads[32] = "";
    if (row->threads > 1) {
        snprintf(threads, sizeof threads, "/threads:%d", row->threads);
    }
    snprintf(added->name, sizeof added->name, "step/%s/%s/%s/%s/%s/%zu%s", kdr_method_get(row->method)->name, row->field->name,
             kdr_real_name(row->real), arithmetic, backend, row->count, threads);
}

/* Returns the next number of threads: 2, 4, 8, ..., and the number of processors. */
static int more_threads(int threads, int online) { return threads < online && 2 * threads > online ? online : 2 * threads; }

static void add_threads(kdr_bench_rows *all, kdr_bench_row row, const char *arithmetic, const char *backend) {
    int online = host_processors();
    kdr_executor executor;
    for (int threads = 2; threads <= online; threads = more_threads(threads, online)) {
        row.threads = threads;
        if (kdr_executor_openmp(threads, &executor) == KDR_OK) {
            add(all, &row, arithmetic, backend);
        }
    }
}

typedef struct choice {
    kdr_backend only, best;
} choice;

static bool has_opponent(kdr_method method, const kdr_bench_field *field) {
    for (const kdr_bench_autovec_unit *const *unit = kdr_bench_autovec_units; *unit; ++unit) {
        for (size_t i = 0; i < (*unit)->loop_count; ++i) {
            if (strcmp((*unit)->loops[i].method, kdr_method_get(method)->name) == 0 && strcmp((*unit)->loops[i].field, field->name) == 0) {
                return true;
            }
        }
    }
    return false;
}

static bool refused(kdr_method method, const kdr_bench_field *field) {
    const kdr_method_info *info = kdr_method_get(method);
    return (field->general && !has_opponent(method, field)) || (field->velocity && info->velocity_forces != KDR_VELOCITY_ANY) ||
           (!field->affine && info->affine) || (field->collider_count > 0 && !kdr_family_get(info->family)->velocities);
}

/* Returns true for methods that the default run shows on every field that is not general. */
static bool is_shown(kdr_method method) {
    static const kdr_method shown[] = {KDR_EXPLICIT_EULER, KDR_SEMI_IMPLICIT_EULER, KDR_VELOCITY_VERLET, KDR_RK4};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; ++i) {
        if (shown[i] == method) {
            return true;
        }
    }
    return false;
}

/* Returns true if this is the principal field of the method. There are two, with and without drag; a method is measured on the first that
 * it accepts. */
static bool is_principal_field(const kdr_bench_row *row) {
    return row->field->principal && (row->field->velocity || refused(row->method, &kdr_bench_fields[1]));
}

/* Returns true if the row is in the default run. At the principal count it has every backend, in the arithmetic that is fast there, and in
 * both on the principal field. At other counts it has the best backend and its opponent on the principal field. A method that is not shown
 * on every field has one row, on its principal field. */
static bool is_principal(const kdr_bench_row *row, bool fast, const choice *which) {
    const bool principal_field = is_principal_field(row);
    if (row->field->general || (row->field->principal && !principal_field)) {
        return false;
    }
    if (!is_shown(row->method)) {
        return principal_field && row->principal_count && fast && row->real == KDR_F32 && row->backend == which->best;
    }
    if (!row->principal_count) {
        return principal_field && fast && row->arithmetic == KDR_FUSED && row->backend == which->best;
    }
    return fast || (principal_field && row->arithmetic == KDR_UNFUSED);
}

static void add_library(kdr_bench_rows *all, kdr_bench_row row, const choice *which) {
    row.engine = &kdr_bench_library;
    const char *arithmetic = kdr_arithmetic_name(row.arithmetic);
    for (int backend = KDR_BACKEND_FIRST; backend <= KDR_BACKEND_LAST; ++backend) {
        kdr_backend_info info;
        if (kdr_backend_query((kdr_backend)backend, &info) != KDR_OK || !info.runnable) {
            continue;
        }
        if (which->only != KDR_BACKEND_AUTO && which->only != (kdr_backend)backend) {
            continue;
        }
        row.backend = (kdr_backend)backend;
        row.principal = is_principal(&row, info.fused_native == (row.arithmetic == KDR_FUSED), which);
        add(all, &row, arithmetic, info.name);
        if (row.backend == which->best && row.count >= SHARED_FROM) {
            add_threads(all, row, arithmetic, info.name);
        }
    }
}

static void add_reference(kdr_bench_rows *all, kdr_bench_row row) {
    row.engine = &kdr_bench_reference;
    row.backend = KDR_BACKEND_SCALAR;
    row.principal = row.principal_count && is_principal_field(&row) && is_shown(row.method);
    add(all, &row, kdr_arithmetic_name(row.arithmetic), "reference");
}

/* Adds the loops of a unit that fit the row: none, one, or two for one step per call. */
static void add_opponent(kdr_bench_rows *all, kdr_bench_row row, const choice *which, const kdr_bench_autovec_unit *unit) {
    kdr_backend_info info;
    if (strcmp(unit->real, kdr_real_name(row.real)) != 0 || kdr_backend_from_name(unit->isa, &row.backend) != KDR_OK ||
        kdr_backend_query(row.backend, &info) != KDR_OK || !info.runnable) {
        return;
    }
    if (which->only != KDR_BACKEND_AUTO && which->only != row.backend) {
        return;
    }
    char backend[48];
    row.engine = &kdr_bench_opponent;
    bool exact = kdr_arithmetic_from_name(unit->arithmetic, &row.arithmetic) == KDR_OK;
    if (!exact) {
        row.arithmetic = info.fused_native ? KDR_FUSED : KDR_UNFUSED;
    }
    bool fast = exact && info.fused_native == (row.arithmetic == KDR_FUSED);
    row.principal = !*unit->maker && is_principal(&row, fast || (row.field->principal && row.principal_count), which);
    for (size_t i = 0; i < unit->loop_count; ++i) {
        const kdr_bench_autovec_loop *loop = &unit->loops[i];
        if (strcmp(loop->method, kdr_method_get(row.method)->name) != 0 || strcmp(loop->field, row.field->name) != 0) {
            continue;
        }
        row.loop = loop->run;
        snprintf(backend, sizeof backend, "autovec-%s%s", unit->maker, unit->isa);
        add(all, &row, unit->arithmetic, backend);
        if (row.steps == 1 && loop->sweep) {
            row.loop = loop->sweep;
            snprintf(backend, sizeof backend, "sweep-%s%s", unit->maker, unit->isa);
            add(all, &row, unit->arithmetic, backend);
        }
    }
}

/* Adds rows in an order in which those that are compared with each other are adjacent. */
static void add_all_of(kdr_bench_rows *all, kdr_bench_row row, const choice *which) {
    for (size_t i = 0; i < COUNTS; ++i) {
        row.count = counts[i].count;
        row.steps = counts[i].steps;
        row.principal_count = counts[i].principal;
        for (int arithmetic = 0; arithmetic < KDR_ARITHMETIC_COUNT; ++arithmetic) {
            row.arithmetic = (kdr_arithmetic)arithmetic;
            add_reference(all, row);
            add_library(all, row, which);
        }
        for (const kdr_bench_autovec_unit *const *unit = kdr_bench_autovec_units; *unit; ++unit) {
            add_opponent(all, row, which, *unit);
        }
    }
}

kdr_bench_rows kdr_bench_rows_create(struct kdr_bench_session *session, kdr_backend only, kdr_backend best) {
    kdr_bench_rows all = {.rows = NULL};
    const choice which = {only, best};
    for (int method = 0; method < KDR_METHOD_COUNT; ++method) {
        for (size_t field = 0; field < kdr_bench_field_count; ++field) {
            for (int real = 0; real < KDR_REAL_COUNT; ++real) {
                if (!refused((kdr_method)method, &kdr_bench_fields[field])) {
                    add_all_of(&all,
                               (kdr_bench_row){.session = session,
                                               .method = (kdr_method)method,
                                               .field = &kdr_bench_fields[field],
                                               .real = (kdr_real)real,
                                               .threads = 1},
                               &which);
                }
            }
        }
    }
    return all;
}

void kdr_bench_rows_destroy(kdr_bench_rows *rows) {
    free(rows->rows);
    *rows = (kdr_bench_rows){.rows = NULL};
}
