#include "watch.h"

#include <math.h>
#include <string.h>

#include "../particles/error.h"
#include "../particles/rounding.h"

kdr_watch kdr_watch_function(kdr_watch_fn *value, void *context) {
    return (kdr_watch){.kind = KDR_WATCH_FUNCTION, .value = value, .context = context};
}

static void set(double to[3], const double from[3]) {
    if (from) {
        memcpy(to, from, 3 * sizeof *to);
    }
}

static kdr_watch watch_at(kdr_watch_kind kind, const double at[3]) {
    kdr_watch watch = {.kind = kind};
    set(watch.at, at);
    return watch;
}

kdr_watch kdr_watch_apsis(const double at[3]) { return watch_at(KDR_WATCH_APSIS, at); }

kdr_watch kdr_watch_plane(const double at[3], const double normal[3]) {
    kdr_watch watch = watch_at(KDR_WATCH_PLANE, at);
    set(watch.normal, normal);
    return watch;
}

kdr_watch kdr_watch_distance(const double at[3], double distance) {
    kdr_watch watch = watch_at(KDR_WATCH_DISTANCE, at);
    watch.distance = distance;
    return watch;
}

static kdr_status check_one(const kdr_watch *w, size_t i, kdr_error *error) {
    KDR_CHECK((unsigned)w->kind < KDR_WATCH_KIND_COUNT, error, KDR_ERROR_ARGUMENT,
              "watches[%zu].kind: expected an enumerator below %d, got %d", i, KDR_WATCH_KIND_COUNT, (int)w->kind);
    KDR_CHECK((unsigned)w->crossing < KDR_CROSSING_COUNT, error, KDR_ERROR_ARGUMENT,
              "watches[%zu].crossing: expected an enumerator below %d, got %d", i, KDR_CROSSING_COUNT, (int)w->crossing);
    KDR_CHECK((unsigned)w->action < KDR_ACTION_COUNT, error, KDR_ERROR_ARGUMENT,
              "watches[%zu].action: expected an enumerator below %d, got %d", i, KDR_ACTION_COUNT, (int)w->action);
    KDR_CHECK(w->kind != KDR_WATCH_FUNCTION || w->value, error, KDR_ERROR_NULL, "watches[%zu].value: expected a function, got NULL", i);
    bool directed = false;
    for (int axis = 0; axis < 3 && w->kind != KDR_WATCH_FUNCTION; ++axis) {
        KDR_CHECK(isfinite(w->at[axis]), error, KDR_ERROR_NOT_FINITE, "watches[%zu].at[%d]: expected a finite number, got %g", i, axis,
                  w->at[axis]);
        KDR_CHECK(isfinite(w->normal[axis]) || w->kind != KDR_WATCH_PLANE, error, KDR_ERROR_NOT_FINITE,
                  "watches[%zu].normal[%d]: expected a finite number, got %g", i, axis, w->normal[axis]);
        directed = directed || w->normal[axis] != 0.0;
    }
    KDR_CHECK(directed || w->kind != KDR_WATCH_PLANE, error, KDR_ERROR_ARGUMENT, "watches[%zu].normal: expected a direction, got 0 0 0", i);
    KDR_CHECK((w->distance > 0.0 && isfinite(w->distance)) || w->kind != KDR_WATCH_DISTANCE, error, KDR_ERROR_ARGUMENT,
              "watches[%zu].distance: expected a finite number above 0, got %g", i, w->distance);
    return KDR_OK;
}

kdr_status kdr_watches_check(const kdr_watch *watches, size_t count, kdr_error *error) {
    KDR_CHECK(watches || count == 0, error, KDR_ERROR_NULL, "watches: expected %zu entries, got NULL", count);
    KDR_CHECK(count <= KDR_MAX_WATCHES, error, KDR_ERROR_OVERFLOW, "watches: expected at most %d, got %zu", KDR_MAX_WATCHES, count);
    kdr_status status = KDR_OK;
    for (size_t i = 0; i < count && status == KDR_OK; ++i) {
        status = check_one(&watches[i], i, error);
    }
    return status;
}

bool kdr_watches_do(const kdr_watch *watches, size_t count, kdr_action action) {
    bool any = false;
    for (size_t i = 0; i < count; ++i) {
        any = any || watches[i].action == action;
    }
    return any;
}

/* Adds an axis to the sums: r = x - at, times v or the normal, as the kind says. */
static void add_axis(const kdr_watch *watch, int axis, size_t count, const double *x, const double *v, double *sums) {
    const double at = watch->at[axis], normal = watch->normal[axis];
    for (size_t k = 0; k < count && watch->kind == KDR_WATCH_APSIS; ++k) {
        sums[k] += (x[k] - at) * v[k];
    }
    for (size_t k = 0; k < count && watch->kind == KDR_WATCH_PLANE; ++k) {
        sums[k] += (x[k] - at) * normal;
    }
    for (size_t k = 0; k < count && watch->kind == KDR_WATCH_DISTANCE; ++k) {
        sums[k] += (x[k] - at) * (x[k] - at);
    }
}

void kdr_watch_values(const kdr_watch *watch, int dims, size_t count, const double *const x[3], const double *const v[3], double t,
                      double *values) {
    for (size_t k = 0; k < count && watch->kind == KDR_WATCH_FUNCTION; ++k) {
        values[k] = watch->value(watch->context, (double[]){x[0][k], x[1][k], x[2][k]}, (double[]){v[0][k], v[1][k], v[2][k]}, t);
        (void)kdr_round_to_nearest();
    }
    if (watch->kind == KDR_WATCH_FUNCTION) {
        return;
    }
    memset(values, 0, count * sizeof *values);
    for (int axis = 0; axis < dims; ++axis) {
        add_axis(watch, axis, count, x[axis], v[axis], values);
    }
    const double square = watch->distance * watch->distance;
    for (size_t k = 0; k < count && watch->kind == KDR_WATCH_DISTANCE; ++k) {
        values[k] -= square;
    }
}
