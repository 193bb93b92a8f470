/* This file reads the steps and times of elements, and matches elements with the positions. */
#include "moments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elements.h"

static bool is_scalar(hid_t set) {
    const hid_t space = H5Dget_space(set);
    const bool scalar = H5Sget_simple_extent_npoints(space) == 1 && H5Sget_simple_extent_ndims(space) == 0;
    H5Sclose(space);
    return scalar;
}

/* Reads the attribute `offset` of steps or times that are an increment; 0 if there is none. */
static double offset_of(hid_t set) {
    double offset = 0;
    const hid_t attribute = H5Aexists(set, "offset") > 0 ? H5Aopen(set, "offset", H5P_DEFAULT) : -1;
    if (attribute >= 0) {
        H5Aread(attribute, H5T_NATIVE_DOUBLE, &offset);
    }
    H5Aclose(attribute);
    return offset;
}

static kdr_status take_steps(kdr_trajectory *t, hid_t set, const char *what, kdr_moments *to, kdr_error *error) {
    const kdr_element steps = {.value = set};
    uint64_t *const numbers = malloc((to->count + 1) * sizeof *numbers);
    KDR_CHECK(numbers, error, KDR_ERROR_NO_MEMORY, "%.100s: no memory for its steps", t->path);
    const bool scalar = is_scalar(set);
    kdr_status status = kdr_element_read_whole(t, &steps, 0, scalar ? 1 : to->count, what, numbers, error);
    const double offset = scalar ? offset_of(set) : 0;
    if (status == KDR_OK && !(offset >= 0 && offset == floor(offset))) {
        status = kdr_fail(error, KDR_ERROR_FORMAT, "%.100s: %s: offset: expected a whole number from 0, found %g", t->path, what, offset);
    }
    for (uint64_t i = 0; status == KDR_OK && i < to->count; ++i) {
        to->at[i].step = scalar ? (uint64_t)offset + i * numbers[0] : numbers[i];
    }
    free(numbers);
    return status;
}

static kdr_status take_times(kdr_trajectory *t, hid_t set, const char *what, kdr_moments *to, kdr_error *error) {
    const kdr_element times = {.value = set};
    double *const numbers = malloc((to->count + 1) * sizeof *numbers);
    KDR_CHECK(numbers, error, KDR_ERROR_NO_MEMORY, "%.100s: no memory for its times", t->path);
    const bool scalar = is_scalar(set);
    const double offset = scalar ? offset_of(set) : 0;
    kdr_status status = KDR_OK;
    if (!kdr_element_read(&times, 0, H5T_NATIVE_DOUBLE, numbers)) {
        status = kdr_h5_read_failed(t, set, what, error);
    }
    for (uint64_t i = 0; status == KDR_OK && i < to->count; ++i) {
        to->at[i].time = scalar ? offset + (double)i * numbers[0] : numbers[i];
    }
    free(numbers);
    return status;
}

/* Returns the number of rows that a data set of steps or times has, at most `asked`. An increment has as many as are asked for. */
static uint64_t rows_of(hid_t set, uint64_t asked) {
    hsize_t extent[3];
    const int rank = set < 0 || is_scalar(set) ? 0 : kdr_h5_extents(set, extent);
    return rank == 1 && extent[0] < asked ? extent[0] : rank > 1 ? 0 : asked;
}

kdr_status kdr_moments_take(kdr_trajectory *t, hid_t at, const char *name, uint64_t rows, kdr_moments *to, kdr_error *error) {
    char what[2][320];
    (void)snprintf(what[0], sizeof what[0], "%.256s/step", name);
    (void)snprintf(what[1], sizeof what[1], "%.256s/time", name);
    const hid_t step = kdr_h5_open_set(at, what[0]), time = kdr_h5_open_set(at, what[1]);
    *to = (kdr_moments){.count = rows_of(time, rows_of(step, rows)), .timed = time >= 0};
    to->at = calloc(to->count + 1, sizeof *to->at);
    kdr_status status = to->at ? KDR_OK : kdr_fail(error, KDR_ERROR_NO_MEMORY, "%.100s: no memory for its steps", t->path);
    for (uint64_t i = 0; to->at && status == KDR_OK && i < to->count; ++i) {
        to->at[i].step = to->at[i].row = i;
    }
    if (to->at && status == KDR_OK && step >= 0) {
        status = take_steps(t, step, what[0], to, error);
    }
    for (uint64_t i = 0; to->at && status == KDR_OK && i < to->count; ++i) {
        to->at[i].time = (double)to->at[i].step;
    }
    if (to->at && status == KDR_OK && time >= 0) {
        status = take_times(t, time, what[1], to, error);
    }
    H5Dclose(step);
    H5Dclose(time);
    return status;
}

static int by_moment(const void *left, const void *right) {
    const kdr_moment *const a = left, *const b = right;
    return a->step != b->step ? (a->step < b->step ? -1 : 1) : a->row < b->row ? -1 : a->row > b->row;
}

/* Finds the first of the sorted moments with this step and, if both elements have times, this time. Returns UINT64_MAX if there is none. */
static uint64_t row_at(const kdr_moments *sorted, const kdr_moment *wanted, bool timed) {
    uint64_t low = 0, high = sorted->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (sorted->at[middle].step < wanted->step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < sorted->count && sorted->at[low].step == wanted->step; ++low) {
        if (!timed || sorted->at[low].time == wanted->time) {
            return sorted->at[low].row;
        }
    }
    return UINT64_MAX;
}

uint64_t *kdr_moments_match(const kdr_moments *positions, kdr_moments *own) {
    const bool timed = positions->timed && own->timed;
    uint64_t *const rows = malloc((positions->count + 1) * sizeof *rows), same = 0;
    while (same < positions->count && same < own->count && own->at[same].step == positions->at[same].step &&
           (!timed || own->at[same].time == positions->at[same].time)) {
        ++same;
    }
    if (same < positions->count) {
        qsort(own->at, own->count, sizeof *own->at, by_moment);
    }
    for (uint64_t i = 0; rows && i < positions->count; ++i) {
        rows[i] = i < same ? i : row_at(own, &positions->at[i], timed);
    }
    return rows;
}
