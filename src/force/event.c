#include "event.h"

#include <math.h>
#include <string.h>

#include "../particles/element.h"

/* A sign as bits: 0 has both, and NaN has none. */
enum { BELOW = 1, ABOVE = 2, BOTH = BELOW | ABOVE };

/* Returns whether a value that was on one side only has reached 0 or the other side. */
static bool has_changed(unsigned before, unsigned after) { return before != 0 && (after & BOTH & ~before) != 0; }

/* The states of a block, in double. */
typedef struct wide {
    double x[3][KDR_WATCH_BLOCK], v[3][KDR_WATCH_BLOCK];
} wide;

kdr_watched_state kdr_watched_state_at(const kdr_states *states, size_t i) {
    kdr_watched_state s = {{0}, {0}, {0}};
    for (int c = 0; c < 6; ++c) {
        *(c < 3 ? &s.x[c] : &s.v[c - 3]) = states->column[c] ? kdr_element(states->column[c], states->real, i) : 0.0;
    }
    return s;
}

static void widen(const kdr_states *states, size_t begin, size_t count, wide *to) {
    for (int c = 0; c < 6; ++c) {
        double *const row = c < 3 ? to->x[c] : to->v[c - 3];
        const char *const from = states->column[c] ? states->column[c] + begin * kdr_real_size(states->real) : NULL;
        for (size_t k = 0; k < count && from && states->real == KDR_F32; ++k) {
            float narrow;
            memcpy(&narrow, from + k * sizeof narrow, sizeof narrow);
            row[k] = (double)narrow;
        }
        if (!from) {
            memset(row, 0, count * sizeof *row);
        } else if (states->real == KDR_F64) {
            memcpy(row, from, count * sizeof *row);
        }
    }
}

bool kdr_watch_signs(const kdr_watch *watches, size_t watch_count, const kdr_states *states, size_t begin, size_t count, double t,
                     kdr_signs *signs, bool changed[KDR_WATCH_BLOCK]) {
    wide at;
    bool any = false;
    widen(states, begin, count, &at);
    memset(changed, 0, count * sizeof *changed);
    const double *const x[] = {at.x[0], at.x[1], at.x[2]}, *const v[] = {at.v[0], at.v[1], at.v[2]};
    for (size_t w = 0; w < watch_count; ++w) {
        double value[KDR_WATCH_BLOCK];
        uint8_t sign[KDR_WATCH_BLOCK];
        kdr_watch_values(&watches[w], states->dims, count, x, v, t, value);
        for (size_t i = 0; i < count; ++i) {
            sign[i] = (uint8_t)(BELOW * (value[i] <= 0.0) + ABOVE * (value[i] >= 0.0));
        }
        const size_t different = memcmp(sign, signs[w], count) != 0 ? count : 0;
        for (size_t i = 0; i < different; ++i) {
            changed[i] |= has_changed(signs[w][i], sign[i]);
            any |= changed[i];
        }
        memcpy(signs[w], sign, count);
    }
    return any;
}

bool kdr_watches_have_limits(const kdr_watch *watches, size_t count) {
    bool have = true;
    for (size_t w = 0; w < count; ++w) {
        have = have && (watches[w].kind == KDR_WATCH_PLANE || watches[w].kind == KDR_WATCH_DISTANCE);
    }
    return have;
}

/* A share of the terms of a watched function that is far above their rounding errors, and the least room. */
#define SURE 0x1p-44
#define LEAST_ROOM 0x1p-400

static void narrow(int axis, double least, double most, double low[3], double high[3]) {
    low[axis] = low[axis] < least ? least : low[axis];
    high[axis] = most < high[axis] ? most : high[axis];
}

/* Narrows a particle's limits so that they do not reach a plane. A plane at right angles to an axis cuts them, and the particle's side is
 * kept. For another plane they become the largest cube around the particle that does not reach it. */
static void limit_by_plane(const kdr_watch *watch, int dims, const double x[3], double low[3], double high[3]) {
    double value = 0.0, terms = 0.0, slopes = 0.0;
    int axes = 0;
    for (int axis = 0; axis < dims; ++axis) {
        const double normal = watch->normal[axis];
        value += (x[axis] - watch->at[axis]) * normal;
        terms += (fabs(x[axis]) + fabs(watch->at[axis])) * fabs(normal);
        slopes += fabs(normal);
        axes += normal != 0.0;
    }
    const double room = (fabs(value) - SURE * terms) / slopes;
    for (int axis = 0; axis < dims; ++axis) {
        const double at = watch->at[axis], sure = SURE * fabs(at) + LEAST_ROOM;
        if (watch->normal[axis] == 0.0 && axes > 0) {
            continue;
        }
        if (!(LEAST_ROOM < room)) {
            narrow(axis, x[axis], x[axis], low, high);
        } else if (axes == 1) {
            narrow(axis, x[axis] < at ? -(double)INFINITY : at + sure, x[axis] < at ? at - sure : (double)INFINITY, low, high);
        } else {
            narrow(axis, x[axis] - room, x[axis] + room, low, high);
        }
    }
}

/* Narrows a particle's limits to the largest cube around the particle that does not reach the watched sphere. */
static void limit_by_distance(const kdr_watch *watch, int dims, const double x[3], double low[3], double high[3]) {
    static const double inverse_root[] = {1.0, 1.0, 0.70710678, 0.57735026}; /* a little less than 1 / sqrt(dims) */
    double square = 0.0, far = 0.0;
    for (int axis = 0; axis < dims; ++axis) {
        square += (x[axis] - watch->at[axis]) * (x[axis] - watch->at[axis]);
        far += fabs(x[axis]) + fabs(watch->at[axis]);
    }
    const double distance = sqrt(square), room = (fabs(distance - watch->distance) - SURE * (far + watch->distance)) * inverse_root[dims];
    for (int axis = 0; axis < dims; ++axis) {
        const double there = LEAST_ROOM < room ? room : 0.0;
        narrow(axis, x[axis] - there, x[axis] + there, low, high);
    }
}

void kdr_watch_limit(const kdr_watch *watches, size_t count, const kdr_states *states, size_t i, double low[3], double high[3]) {
    const kdr_watched_state at = kdr_watched_state_at(states, i);
    for (size_t w = 0; w < count; ++w) {
        if (watches[w].kind == KDR_WATCH_PLANE) {
            limit_by_plane(&watches[w], states->dims, at.x, low, high);
        } else {
            limit_by_distance(&watches[w], states->dims, at.x, low, high);
        }
    }
}

static double value_of(const kdr_watched_step *s, const kdr_watch *watch, const kdr_watched_state *at, double fraction) {
    const double *const x[] = {at->x, at->x + 1, at->x + 2}, *const v[] = {at->v, at->v + 1, at->v + 2};
    double value;
    kdr_watch_values(watch, s->dims, 1, x, v, kdr_clock_time(s->clock, s->n, fraction), &value);
    return value;
}

/* Returns the next trial by interpolation, truncation and projection (Oliveira and Takahashi, ACM TOMS 47 (2021) 5, with kappa_1 = 0.05,
 * kappa_2 = 2, n_0 = 1): the secant's root, moved towards the middle by `delta`, and near enough to it that at most one trial more than
 * bisection is needed. Here delta is at least a quarter of the precision, so that a bracket does not shrink from one side only. */
static double next_trial(double a, double b, double before, double after, double reach, double precision) {
    const double width = b - a, middle = 0.5 * (a + b), delta = 0.05 * width * width + 0.25 * precision, room = reach - 0.5 * width;
    const double secant = a + width * (before / (before - after)), way = middle < secant ? -1.0 : 1.0;
    const double moved = delta <= way * (middle - secant) ? secant + way * delta : middle;
    const double kept = way * (middle - moved) <= room ? moved : middle - way * room;
    return a < kept && kept < b ? kept : middle;
}

/* Narrows [0, *end], at whose ends g is `before` and `after`, to where its sign changes. *at is the state at *end. */
static kdr_status find_root(kdr_watched_step *s, const kdr_watch *watch, double before, double after, double *end, kdr_watched_state *at) {
    const double precision = s->real == KDR_F32 ? 0x1p-24 : 0x1p-50;
    double begin = 0.0, reach = *end;
    const bool is_up = before < 0.0;
    while (*end - begin > precision) {
        const double trial = next_trial(begin, *end, before, after, reach, precision);
        kdr_watched_state there;
        const kdr_status status = s->after(s->context, trial, &there);
        if (status != KDR_OK) {
            return status;
        }
        const double value = value_of(s, watch, &there, trial);
        if (is_up ? value >= 0.0 : value <= 0.0) {
            *end = trial;
            *at = there;
            after = value;
        } else {
            begin = trial;
            before = value;
        }
        reach *= 0.5;
    }
    return KDR_OK;
}

static int crossing(const kdr_watched_step *s, const kdr_watch *watch, double value[2]) {
    value[0] = value_of(s, watch, &s->begin, 0.0);
    value[1] = value_of(s, watch, &s->end, s->length);
    return kdr_watch_crossing(watch, value[0], value[1]);
}

/* Ends the step at the first event that stops the particle, if there is one. Returns the index of its watch. */
static size_t find_end(kdr_watched_step *s, kdr_status *status) {
    size_t found = s->watch_count;
    for (size_t w = 0; w < s->watch_count && *status == KDR_OK; ++w) {
        double value[2];
        if (s->watches[w].action == KDR_ACTION_STOP_PARTICLE && crossing(s, &s->watches[w], value) != 0) {
            *status = find_root(s, &s->watches[w], value[0], value[1], &s->length, &s->end);
            s->stopped = true;
            found = w;
        }
    }
    return found;
}

kdr_status kdr_watch_step(kdr_watched_step *s) {
    kdr_status status = KDR_OK;
    const size_t last = find_end(s, &status);
    for (size_t w = 0; w < s->watch_count && status == KDR_OK; ++w) {
        double value[2], end = s->length;
        kdr_watched_state at = s->end;
        const int direction = crossing(s, &s->watches[w], value);
        status = direction != 0 && w != last ? find_root(s, &s->watches[w], value[0], value[1], &end, &at) : KDR_OK;
        if (direction != 0 && status == KDR_OK) {
            s->event.watch = w;
            s->event.direction = direction;
            s->event.time = kdr_clock_time(s->clock, s->n, end);
            memcpy(s->event.x, at.x, sizeof at.x);
            memcpy(s->event.v, at.v, sizeof at.v);
            kdr_recorder_event(s->events, &s->event, s->watches[w].action == KDR_ACTION_STOP_RUN);
        }
    }
    return status;
}
