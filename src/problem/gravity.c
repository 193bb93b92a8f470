/* Gravity of sources at targets: the view, checked. */
#include "gravity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../particles/element.h"
#include "../particles/error.h"

static double least_softening(kdr_real real) { return real == KDR_F32 ? 0x1p-33 : 0x1p-300; }

kdr_status kdr_softening_check(double softening, kdr_real real, const char *name, kdr_error *error) {
    const double square = softening * softening;
    KDR_CHECK(isfinite(real == KDR_F32 ? (double)(float)square : square), error, KDR_ERROR_NOT_FINITE,
              "%s: expected a number whose square is finite in %s, got %g", name, kdr_real_name(real), softening);
    KDR_CHECK(softening == 0.0 || softening >= least_softening(real), error, KDR_ERROR_ARGUMENT,
              "%s: expected 0, or at least %g in %s, got %g", name, least_softening(real), kdr_real_name(real), softening);
    return KDR_OK;
}

kdr_status kdr_softenings_check(const void *array, size_t count, kdr_real real, const char *name, kdr_error *error) {
    const double least = least_softening(real), most = real == KDR_F32 ? 0x1p63 : 0x1p511; /* most are between; the others one by one */
    for (size_t i = 0; array && i < count; ++i) {
        const double e = kdr_element(array, real, i);
        if (!(e == 0.0 || (e >= least && e <= most))) {
            char element[80];
            snprintf(element, sizeof element, "%s[%zu]", name, i);
            const kdr_status status = kdr_softening_check(e, real, element, error);
            if (status != KDR_OK) {
                return status;
            }
        }
    }
    return KDR_OK;
}

bool kdr_arrays_are_apart(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
    const uintptr_t i = (uintptr_t)a, j = (uintptr_t)b;
    return !a || !b || (i < j ? j - i >= a_bytes : i - j >= b_bytes);
}

/* The arrays of a view, by name: what is read, and behind it what is added to. */
enum { SOURCE_X, MU = SOURCE_X + 3, SOURCE_SOFTENING, TARGET_X, TARGET_SOFTENING = TARGET_X + 3, A, POTENTIAL = A + 3, ARRAYS };
enum { NO_AXIS = -1 };
static const struct row {
    const char *name;
    int axis;
} rows[ARRAYS] = {{"source_x[0]", 0},
                  {"source_x[1]", 1},
                  {"source_x[2]", 2},
                  {"mu", NO_AXIS},
                  {"source_softening", NO_AXIS},
                  {"target_x[0]", 0},
                  {"target_x[1]", 1},
                  {"target_x[2]", 2},
                  {"target_softening", NO_AXIS},
                  {"a[0]", 0},
                  {"a[1]", 1},
                  {"a[2]", 2},
                  {"potential", NO_AXIS}};

typedef struct arrays {
    const void *at[ARRAYS];
    size_t count[ARRAYS];
} arrays;

static arrays arrays_of(const kdr_gravity *g) {
    arrays all;
    for (int n = 0; n < ARRAYS; ++n) {
        all.at[n] = NULL;
        all.count[n] = n < TARGET_X ? g->sources : g->targets;
    }
    for (int i = 0; i < g->dims; ++i) {
        all.at[SOURCE_X + i] = g->source_x[i];
        all.at[TARGET_X + i] = g->target_x[i];
        all.at[A + i] = g->a[i];
    }
    all.at[MU] = g->mu;
    all.at[SOURCE_SOFTENING] = g->source_softening;
    all.at[TARGET_SOFTENING] = g->target_softening;
    all.at[POTENTIAL] = g->potential;
    return all;
}

static kdr_status check_arrays(const kdr_gravity *g, kdr_error *error) {
    const arrays all = arrays_of(g);
    const size_t size = kdr_real_size(g->real);
    const bool accelerates = all.at[A] || all.at[A + 1] || all.at[A + 2];
    KDR_CHECK(accelerates || g->potential || g->targets == 0, error, KDR_ERROR_ARGUMENT,
              "gravity: expected accelerations, a potential or both to add to, got neither");
    for (int n = 0; n < ARRAYS; ++n) {
        const bool has_axis = rows[n].axis != NO_AXIS && rows[n].axis < g->dims;
        const bool wanted = n == MU || (has_axis && (n < A || accelerates));
        KDR_CHECK(!wanted || all.at[n] || all.count[n] == 0, error, KDR_ERROR_NULL,
                  "gravity.%s: expected an array of %zu elements, got NULL", rows[n].name, all.count[n]);
        for (int m = 0; n >= A && m < n; ++m) {
            KDR_CHECK(kdr_arrays_are_apart(all.at[n], all.count[n] * size, all.at[m], all.count[m] * size), error, KDR_ERROR_OVERLAP,
                      "gravity.%s: expected an array apart from the others, got one that overlaps %s", rows[n].name, rows[m].name);
        }
    }
    return KDR_OK;
}

kdr_status kdr_gravity_check(const kdr_gravity *g, kdr_error *error) {
    KDR_CHECK(g, error, KDR_ERROR_NULL, "gravity: expected a pointer, got NULL");
    KDR_CHECK(g->dims >= 1 && g->dims <= 3, error, KDR_ERROR_ARGUMENT, "gravity.dims: expected 1, 2 or 3, got %d", g->dims);
    const size_t size = kdr_real_size(g->real);
    KDR_CHECK(size, error, KDR_ERROR_ARGUMENT, "gravity.real: expected KDR_F32 or KDR_F64, got %d", (int)g->real);
    KDR_CHECK(g->sources <= SIZE_MAX / 2 / size && g->targets <= SIZE_MAX / 2 / size, error, KDR_ERROR_OVERFLOW,
              "gravity: expected at most %zu sources and targets, got %zu and %zu", SIZE_MAX / 2 / size, g->sources, g->targets);
    KDR_CHECK(!g->targets_are_sources || g->first_source <= g->sources, error, KDR_ERROR_ARGUMENT,
              "gravity.first_source: expected at most %zu, the number of sources, got %zu", g->sources, g->first_source);
    kdr_status status = kdr_softening_check(g->softening, g->real, "gravity.softening", error);
    status = status == KDR_OK ? check_arrays(g, error) : status;
    status = status == KDR_OK ? kdr_softenings_check(g->source_softening, g->sources, g->real, "gravity.source_softening", error) : status;
    return status == KDR_OK ? kdr_softenings_check(g->target_softening, g->targets, g->real, "gravity.target_softening", error) : status;
}

kdr_gravity kdr_gravity_of(const kdr_coupled_force *force, const kdr_particles *p) {
    kdr_gravity g;
    memset(&g, 0, sizeof g);
    g.dims = p->dims;
    g.real = p->real;
    g.softening = force->as.gravity.softening;
    g.sources = force->as.gravity.sources;
    g.mu = force->as.gravity.mu;
    g.targets = p->count;
    g.source_softening = g.target_softening = force->as.gravity.softening_each;
    g.targets_are_sources = true;
    for (int i = 0; i < p->dims; ++i) {
        g.source_x[i] = g.target_x[i] = p->x[i];
    }
    return g;
}
