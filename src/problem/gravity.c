/* This file checks views of the sources and targets of gravity. */
#include "gravity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../particles/arrays.h"
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

kdr_status kdr_softenings_check(const void *array, const kdr_layout *layout, size_t count, kdr_real real, const char *name,
                                kdr_error *error) {
    /* most lengths are within these limits; the others are checked one by one */
    const double least = least_softening(real), most = real == KDR_F32 ? 0x1p63 : 0x1p511;
    for (size_t i = 0; array && i < count; ++i) {
        const double e = kdr_element(kdr_at(array, layout, real, i), real, 0);
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

/* The arrays of a view: those that are read, then those to which results are added. */
enum { MU = 3, TARGETS = 5, ADDED = 9, ARRAYS = 13, NO_AXIS = -1 };
#define AXIS(member, i) {#member "[" #i "]", i, offsetof(kdr_gravity, member) + i * sizeof(void *), offsetof(kdr_gravity, member##_layout)}
#define AXES(member) AXIS(member, 0), AXIS(member, 1), AXIS(member, 2)
#define ONE(member) {#member, NO_AXIS, offsetof(kdr_gravity, member), offsetof(kdr_gravity, member##_layout)}
static const struct row {
    const char *name;
    int axis;
    size_t data, layout;
} rows[ARRAYS] = {AXES(source_x), ONE(mu), ONE(source_softening), AXES(target_x), ONE(target_softening), AXES(a), ONE(potential)};

/* Returns array n of the table, NULL if the view does not have its axis. */
static const void *array_of(const kdr_gravity *g, int n) {
    const void *array = NULL;
    if (rows[n].axis < g->dims) {
        memcpy(&array, (const char *)g + rows[n].data, sizeof array);
    }
    return array;
}

static const kdr_layout *layout_of(const kdr_gravity *g, int n) { return (const void *)((const char *)g + rows[n].layout); }

static size_t count_of(const kdr_gravity *g, int n) { return n < TARGETS ? g->sources : g->targets; }

static bool are_apart(const kdr_gravity *g, int n, int m) {
    return kdr_arrays_are_apart(array_of(g, n), layout_of(g, n), count_of(g, n), array_of(g, m), layout_of(g, m), count_of(g, m),
                                kdr_real_size(g->real));
}

static kdr_status check_arrays(const kdr_gravity *g, kdr_error *error) {
    const bool accelerates = array_of(g, ADDED) || array_of(g, ADDED + 1) || array_of(g, ADDED + 2);
    KDR_CHECK(accelerates || g->potential || g->targets == 0, error, KDR_ERROR_ARGUMENT,
              "gravity: expected accelerations, a potential or both to add to, got neither");
    for (int n = 0; n < ARRAYS; ++n) {
        const bool has_axis = rows[n].axis != NO_AXIS && rows[n].axis < g->dims, is_there = array_of(g, n);
        const bool wanted = n == MU || (has_axis && (n < ADDED || accelerates));
        KDR_CHECK(!wanted || is_there || count_of(g, n) == 0, error, KDR_ERROR_NULL,
                  "gravity.%s: expected an array of %zu elements, got NULL", rows[n].name, count_of(g, n));
        char name[48];
        snprintf(name, sizeof name, "layout of gravity.%s", rows[n].name);
        const kdr_status status =
            is_there ? kdr_layout_check(layout_of(g, n), kdr_real_size(g->real), count_of(g, n), name, error) : KDR_OK;
        if (status != KDR_OK) {
            return status;
        }
        for (int m = 0; n >= ADDED && m < n; ++m) {
            KDR_CHECK(are_apart(g, n, m), error, KDR_ERROR_OVERLAP,
                      "gravity.%s: expected an array separate from the others, got one that overlaps %s", rows[n].name, rows[m].name);
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
    KDR_CHECK(!g->targets_are_sources || (g->first_source >= -(ptrdiff_t)g->targets && g->first_source <= (ptrdiff_t)g->sources), error,
              KDR_ERROR_ARGUMENT, "gravity.first_source: expected -%zu to %zu, by the number of targets and of sources, got %td",
              g->targets, g->sources, g->first_source);
    kdr_status status = kdr_softening_check(g->softening, g->real, "gravity.softening", error);
    status = status == KDR_OK ? check_arrays(g, error) : status;
    status = status == KDR_OK ? kdr_softenings_check(g->source_softening, &g->source_softening_layout, g->sources, g->real,
                                                     "gravity.source_softening", error)
                              : status;
    return status == KDR_OK ? kdr_softenings_check(g->target_softening, &g->target_softening_layout, g->targets, g->real,
                                                   "gravity.target_softening", error)
                            : status;
}

kdr_gravity kdr_gravity_of(const kdr_interaction *force, const kdr_particles *p) {
    kdr_gravity g;
    memset(&g, 0, sizeof g);
    g.dims = p->dims;
    g.real = p->real;
    g.softening = force->as.gravity.softening;
    g.sources = force->as.gravity.sources;
    g.mu = force->as.gravity.mu;
    g.mu_layout = force->as.gravity.mu_layout;
    g.targets = p->count;
    g.source_softening = g.target_softening = force->as.gravity.softening_each;
    g.source_softening_layout = g.target_softening_layout = force->as.gravity.softening_each_layout;
    g.targets_are_sources = true;
    for (int i = 0; i < p->dims; ++i) {
        g.source_x[i] = g.target_x[i] = p->x[i];
    }
    return g;
}
