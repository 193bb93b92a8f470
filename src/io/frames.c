/* This file adds frames to a trajectory and reads them. */
#include "trajectory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arrays.h"
#include "elements.h"
#include "journal.h"

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

enum { MOST = 256 }; /* particles at a time, few enough for the first-level cache */
typedef unsigned char taken_axis[MOST * sizeof(double)];

/* Interleaves the axes of `count` particles. The function is inlined so that the compiler knows `size` and `dims`: a call for each
 * number would be slower than writing the file. */
static inline void put_side_by_side(const taken_axis *taken, size_t size, size_t dims, size_t count, unsigned char *to) {
    for (size_t i = 0; i < count; ++i) {
        for (size_t axis = 0; axis < dims; ++axis, to += size) {
            memcpy(to, taken[axis] + i * size, size);
        }
    }
}

/* Gathers particles [begin, begin + count) of x, v or images, interleaved, as little-endian numbers in the file's precision. `first` is
 * the first of the arrays. Images keep their bits, with `real` KDR_F32. */
static void gather(kdr_real real, kdr_particles *view, int first, size_t begin, size_t count, unsigned char *numbers) {
    taken_axis taken[3], own;
    const size_t size = kdr_real_size(real), dims = (size_t)view->dims;
    for (size_t done = 0; done < count; done += MOST) {
        const size_t some = count - done < MOST ? count - done : MOST;
        unsigned char *const to = numbers + done * dims * size;
        for (int axis = 0; axis < view->dims; ++axis) {
            const kdr_array array = kdr_array_of(view, first + axis);
            kdr_array_get(&array, begin + done, some, array.size == size ? taken[axis] : own);
            for (size_t i = 0; i < some && array.size != size; ++i) {
                kdr_number_convert(own + i * array.size, array.size, taken[axis] + i * size);
            }
        }
        if (size == sizeof(float)) {
            dims == 3 ? put_side_by_side(taken, sizeof(float), 3, some, to) : put_side_by_side(taken, sizeof(float), dims, some, to);
        } else {
            dims == 3 ? put_side_by_side(taken, sizeof(double), 3, some, to) : put_side_by_side(taken, sizeof(double), dims, some, to);
        }
    }
}

static bool store(kdr_trajectory *t, hid_t set, size_t begin, const void *bytes, size_t size) {
    const hsize_t offset[3] = {t->frames, begin, 0};
    return size > 0 && H5Dwrite_chunk(set, H5P_DEFAULT, 0, offset, size, bytes) >= 0 &&
           (!kdr_journal_is_long(t->file) || kdr_journal_commit(t->file));
}

/* Writes the chunk that begins with particle `begin`. */
static bool put_chunk(kdr_trajectory *t, hid_t set, size_t begin, const unsigned char *numbers, size_t size) {
    const size_t count = t->chunk * (size_t)t->dims;
    return t->deflate == 0 ? store(t, set, begin, numbers, count * size)
                           : store(t, set, begin, t->room[4],
                                   kdr_planes_pack(numbers, size, count, t->deflate, t->room[3], t->room[4], t->packed_size));
}

static bool extend(kdr_trajectory *t, uint64_t frames) {
    const hsize_t extent[3] = {frames, t->count, (hsize_t)t->dims};
    return H5Dset_extent(t->position.value, extent) >= 0 && H5Dset_extent(t->velocity.value, extent) >= 0 &&
           (t->image.value < 0 || H5Dset_extent(t->image.value, extent) >= 0) && kdr_constants_extend(t, frames);
}

/* Writes the particles of the slice chunk by chunk, so that the file does not depend on how frames are cut into slices. */
static bool put_state(kdr_trajectory *t, kdr_particles *view) {
    const struct {
        hid_t set;
        kdr_real real;
        int first;
    } sets[3] = {{t->position.value, t->real, KDR_FIRST_OF_X},
                 {t->velocity.value, t->real, KDR_FIRST_OF_V},
                 {t->image.value, KDR_F32, KDR_FIRST_OF_IMAGES}};
    bool good = true;
    for (size_t begin = 0; good && begin < view->count;) {
        const size_t in_chunk = t->placed % t->chunk, left = t->chunk - in_chunk;
        const size_t taken = view->count - begin < left ? view->count - begin : left, end = in_chunk + taken;
        for (int i = 0; i < (t->image.value < 0 ? 2 : 3); ++i) {
            const size_t size = kdr_real_size(sets[i].real), particle = size * (size_t)t->dims;
            gather(sets[i].real, view, sets[i].first, begin, taken, t->room[i] + in_chunk * particle);
            if (end == t->chunk || t->placed + taken == t->count) {
                memset(t->room[i] + end * particle, 0, (t->chunk - end) * particle);
                good = good && put_chunk(t, sets[i].set, t->placed - in_chunk, t->room[i], size);
            }
        }
        begin += taken;
        t->placed += taken;
    }
    return good;
}

/* Writes a frame's number into a data set that has one number per frame. */
static bool put_number(hid_t set, uint64_t frame, hid_t type, const void *number) {
    const hsize_t extent = frame + 1, at = frame, one = 1;
    bool good = H5Dset_extent(set, &extent) >= 0;
    const hid_t space = H5Dget_space(set), memory = H5Screate_simple(1, &one, NULL);
    good = good && H5Sselect_hyperslab(space, H5S_SELECT_SET, &at, NULL, &one, NULL) >= 0 &&
           H5Dwrite(set, type, memory, space, H5P_DEFAULT, number) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return good;
}

/* Writes the box of the frame, as a matrix. */
static bool put_box(kdr_trajectory *t) {
    const hsize_t dims = (hsize_t)t->dims, extent[3] = {t->frames + 1, dims, dims}, at[3] = {t->frames, 0, 0}, one[3] = {1, dims, dims};
    double matrix[9] = {0};
    for (int axis = 0; axis < t->dims; ++axis) {
        matrix[axis * t->dims + axis] = t->box[axis];
    }
    bool good = H5Dset_extent(t->edges.value, extent) >= 0;
    const hid_t space = H5Dget_space(t->edges.value), memory = H5Screate_simple(3, one, NULL);
    good = good && H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, one, NULL) >= 0 &&
           H5Dwrite(t->edges.value, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, matrix) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return good;
}

/* Writes the rest of a frame: box, observables, step and time. The time comes last, and completes the frame. */
static bool put_numbers(kdr_trajectory *t, const kdr_clock *clock, const double *observables) {
    uint64_t step = clock->step;
    double time = kdr_clock_time(clock, clock->step, 0);
    bool good = t->edges.value < 0 || put_box(t);
    for (int i = 0; good && i < t->observables; ++i) {
        good = put_number(t->observable[i].value, t->frames, H5T_NATIVE_DOUBLE, &observables[i]);
    }
    return good && put_number(t->step, t->frames, H5T_NATIVE_UINT64, &step) && put_number(t->time, t->frames, H5T_NATIVE_DOUBLE, &time);
}

kdr_status kdr_trajectory_commit(kdr_trajectory *trajectory, kdr_error *error) {
    KDR_CHECK(trajectory && trajectory->writes, error, KDR_ERROR_NULL, "trajectory: expected one that is written");
    const kdr_h5_quiet before = kdr_h5_hush();
    const double begun = now();
    const bool whole = trajectory->placed == 0 || extend(trajectory, trajectory->frames); /* otherwise the incomplete frame is cut off */
    trajectory->placed = 0;
    const kdr_status status = whole && kdr_journal_commit(trajectory->file) ? KDR_OK : kdr_h5_failed(trajectory->path, "write it", error);
    trajectory->commit_time = now();
    trajectory->commit_taken = trajectory->commit_time - begun;
    kdr_h5_speak(before);
    return status;
}

/* Completes the frame if all its particles have been written. */
static kdr_status end_frame(kdr_trajectory *t, const kdr_clock *clock, const double *observables, kdr_error *error) {
    if (t->placed < t->count) {
        return KDR_OK;
    }
    const kdr_h5_quiet before = kdr_h5_hush();
    const kdr_status status = put_numbers(t, clock, observables) ? KDR_OK : kdr_h5_failed(t->path, "write it", error);
    kdr_h5_speak(before);
    if (status != KDR_OK) {
        return status;
    }
    t->placed = 0;
    ++t->frames;
    return now() - t->commit_time >= 20 * t->commit_taken ? kdr_trajectory_commit(t, error) : KDR_OK;
}

static kdr_status check_clock(const kdr_clock *clock, kdr_error *error) {
    KDR_CHECK(isfinite(kdr_clock_time(clock, clock->step, 0)), error, KDR_ERROR_NOT_FINITE,
              "clock: expected t0 + step dt to be finite, got t0 = %g, dt = %g", clock->t0, clock->dt);
    return KDR_OK;
}

kdr_status kdr_trajectory_append_slice(kdr_trajectory *trajectory, const kdr_particles *slice, const kdr_clock *clock,
                                       const double *observables, kdr_error *error) {
    kdr_trajectory *const t = trajectory;
    KDR_CHECK(t && t->writes && slice && clock && (observables || t->observables == 0), error, KDR_ERROR_NULL,
              "trajectory: expected one that is written, particles, a clock and observables, got NULL");
    kdr_status status = kdr_particles_check(slice, error);
    status = status == KDR_OK ? check_clock(clock, error) : status;
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(slice->count <= t->count - t->placed && slice->dims == t->dims, error, KDR_ERROR_MISMATCH,
              "trajectory: expected at most %zu particles on %d axes, got %zu on %d", t->count - t->placed, t->dims, slice->count,
              slice->dims);
    KDR_CHECK(t->image.value < 0 || slice->images[0] || slice->count == 0, error, KDR_ERROR_MISMATCH,
              "trajectory: expected particles with images, as those that it was made for");
    kdr_particles view = *slice;
    KDR_CHECK(!kdr_constants_lack(t, &view), error, KDR_ERROR_MISMATCH,
              "trajectory: particle %zu: expected particles with the ids and masses that the file has of each, got none", t->placed);
    const kdr_h5_quiet before = kdr_h5_hush();
    status = kdr_constants_check(t, &view, error);
    if (status != KDR_OK) {
        kdr_h5_speak(before);
        return status;
    }
    const bool room = t->placed > 0 || extend(t, t->frames + 1);
    status = room && kdr_constants_put(t, &view) && put_state(t, &view) ? KDR_OK : kdr_h5_failed(t->path, "write it", error);
    kdr_h5_speak(before);
    return status == KDR_OK ? end_frame(t, clock, observables, error) : status;
}

static kdr_status check_chunk(const kdr_trajectory_desc *desc, const kdr_particles *chunk, kdr_error *error) {
    KDR_CHECK(chunk->count > 0 && chunk->count <= kdr_trajectory_chunk(desc, NULL), error, KDR_ERROR_MISMATCH,
              "trajectory: expected particles of one chunk, at most %zu, got %zu", kdr_trajectory_chunk(desc, NULL), chunk->count);
    return kdr_particles_check(chunk, error);
}

kdr_status kdr_trajectory_pack(const kdr_trajectory_desc *desc, const kdr_particles *chunk, void *bytes, size_t sizes[2],
                               kdr_error *error) {
    KDR_CHECK(desc && desc->particles && chunk && bytes && sizes, error, KDR_ERROR_NULL,
              "trajectory: expected a description, particles and room, got NULL");
    const kdr_status status = check_chunk(desc, chunk, error);
    if (status != KDR_OK) {
        return status;
    }
    kdr_particles view = *chunk;
    const size_t numbers = kdr_trajectory_chunk(desc, NULL) * (size_t)view.dims, size = kdr_real_size(desc->real);
    unsigned char *const room = calloc(2, numbers * size), *next = bytes;
    KDR_CHECK(room, error, KDR_ERROR_NO_MEMORY, "trajectory: no memory for a chunk");
    bool good = true;
    for (int i = 0; i < 2 && good; next += sizes[i++]) {
        gather(desc->real, &view, 3 * i, 0, view.count, room);
        sizes[i] = numbers * size;
        if (desc->deflate == 0) {
            memcpy(next, room, sizes[i]);
        } else {
            sizes[i] = kdr_planes_pack(room, size, numbers, desc->deflate, room + numbers * size, next, kdr_planes_room(numbers * size));
        }
        good = sizes[i] > 0;
    }
    kdr_constants_mark(&view, next);
    sizes[1] += KDR_CONSTANTS_MARK;
    free(room);
    return good ? KDR_OK : kdr_fail(error, KDR_ERROR_NO_MEMORY, "trajectory: no memory to compress a chunk");
}

kdr_status kdr_trajectory_append_chunk(kdr_trajectory *trajectory, size_t begin, const void *bytes, const size_t sizes[2],
                                       const kdr_clock *clock, const double *observables, kdr_error *error) {
    kdr_trajectory *const t = trajectory;
    KDR_CHECK(t && t->writes && bytes && sizes && clock && (observables || t->observables == 0), error, KDR_ERROR_NULL,
              "trajectory: expected one that is written, a chunk, a clock and observables, got NULL");
    KDR_CHECK(t->image.value < 0, error, KDR_ERROR_UNSUPPORTED, "trajectory: chunks have no images, which it was made for; append slices");
    const size_t left = begin < t->count ? t->count - begin : 0, count = left < t->chunk ? left : t->chunk;
    KDR_CHECK(count > 0 && begin % t->chunk == 0 && count <= t->count - t->placed, error, KDR_ERROR_MISMATCH,
              "trajectory: expected a chunk that begins with a multiple of %zu below %zu, got %zu", t->chunk, t->count, begin);
    kdr_status status = check_clock(clock, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(sizes[1] > KDR_CONSTANTS_MARK, error, KDR_ERROR_MISMATCH, "trajectory: expected a chunk of kdr_trajectory_pack");
    const size_t of_v = sizes[1] - KDR_CONSTANTS_MARK;
    const unsigned char *const v = (const unsigned char *)bytes + sizes[0];
    const kdr_h5_quiet before = kdr_h5_hush();
    if (!kdr_constants_are(t, begin, count, v + of_v)) {
        kdr_h5_speak(before);
        return kdr_fail(error, KDR_ERROR_MISMATCH,
                        "trajectory: particles %zu to %zu: expected the ids and masses of the frames before, got others; append slices",
                        begin, begin + count - 1);
    }
    const bool good = (t->placed > 0 || extend(t, t->frames + 1)) && store(t, t->position.value, begin, bytes, sizes[0]) &&
                      store(t, t->velocity.value, begin, v, of_v);
    status = good ? KDR_OK : kdr_h5_failed(t->path, "write it", error);
    kdr_h5_speak(before);
    t->placed += good ? count : 0;
    return status == KDR_OK ? end_frame(t, clock, observables, error) : status;
}

kdr_status kdr_trajectory_append(kdr_trajectory *trajectory, const kdr_particles *particles, const kdr_clock *clock,
                                 const double *observables, kdr_error *error) {
    const kdr_trajectory *const t = trajectory;
    KDR_CHECK(!t || !particles || (particles->count == t->count && particles->dims == t->dims && t->placed == 0), error, KDR_ERROR_MISMATCH,
              "trajectory: expected %zu particles on %d axes, got %zu on %d", t->count - t->placed, t->dims, particles->count,
              particles->dims);
    return kdr_trajectory_append_slice(trajectory, particles, clock, observables, error);
}

kdr_status kdr_trajectory_set_mass(kdr_trajectory *trajectory, const double *mass, kdr_error *error) {
    KDR_CHECK(trajectory && trajectory->writes, error, KDR_ERROR_NULL, "trajectory: expected one that is written");
    trajectory->mass = mass;
    return KDR_OK;
}

kdr_status kdr_trajectory_set_box(kdr_trajectory *trajectory, const double box[3], kdr_error *error) {
    kdr_trajectory *const t = trajectory;
    KDR_CHECK(t && t->writes && box, error, KDR_ERROR_NULL, "trajectory: expected one that is written, and edges, got NULL");
    for (int axis = 0; axis < t->dims; ++axis) {
        KDR_CHECK(t->periodic[axis] ? box[axis] > 0 && isfinite(box[axis]) : box[axis] == 0, error, KDR_ERROR_MISMATCH,
                  "trajectory: axis %d: expected %s, as the description has it, got an edge of %g", axis,
                  t->periodic[axis] ? "the edge of a periodic box" : "none", box[axis]);
    }
    memcpy(t->box, box, (size_t)t->dims * sizeof *box);
    return KDR_OK;
}

/* ---- reading */

/* Reads the masses of a frame, and computes their inverses. */
static kdr_status take_masses(kdr_trajectory *t, uint64_t index, kdr_error *error) {
    const kdr_element *const e = &t->constant[KDR_CONSTANT_MASS];
    if (!kdr_element_read(e, index, H5T_NATIVE_DOUBLE, t->masses)) {
        return kdr_h5_read_failed(t, e->value, "mass", error);
    }
    for (size_t i = 0; i < t->count; ++i) {
        const double mass = t->masses[i], wide = 1 / mass;
        const float narrow = (float)wide;
        const double inverse = t->real == KDR_F32 ? (double)narrow : wide;
        KDR_CHECK(mass > 0 && isfinite(inverse) && (inverse > 0 || isinf(mass)), error, KDR_ERROR_FORMAT,
                  "%.100s: mass: number %zu: expected a positive mass whose inverse is one that fits %s, found %.17g", t->path, i,
                  kdr_real_name(t->real), mass);
        memcpy((char *)t->inverse_mass + i * kdr_real_size(t->real), t->real == KDR_F32 ? (const void *)&narrow : &wide,
               kdr_real_size(t->real));
    }
    return KDR_OK;
}

/* Reads ids and masses, unless those of the frame before still hold. */
static kdr_status take_constants(kdr_trajectory *t, uint64_t index, kdr_error *error) {
    kdr_status status = KDR_OK;
    const kdr_element *const id = &t->constant[KDR_CONSTANT_ID];
    if (t->id && (id->per_frame || !t->constants_read)) {
        status = kdr_element_read_whole(t, id, index, t->count, "id", t->id, error);
    }
    if (status == KDR_OK && t->masses && (t->constant[KDR_CONSTANT_MASS].per_frame || !t->constants_read)) {
        status = take_masses(t, index, error);
    }
    t->constants_read = status == KDR_OK;
    return status;
}

static kdr_status take_state(kdr_trajectory *t, uint64_t index, kdr_error *error) {
    const hid_t real = t->real == KDR_F32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    const struct {
        const kdr_element *e;
        const char *name;
        hid_t type;
    } all[3] = {{&t->position, "position", real}, {&t->velocity, "velocity", real}, {&t->image, "image", H5T_NATIVE_INT32}};
    for (int i = 0; i < 3; ++i) {
        if (all[i].e->value >= 0 && !kdr_element_read(all[i].e, index, all[i].type, t->room[i])) {
            return kdr_h5_read_failed(t, all[i].e->value, all[i].name, error);
        }
    }
    return KDR_OK;
}

/* Makes a view of the arrays of a frame. */
static kdr_particles view_of(kdr_trajectory *t) {
    const size_t size = kdr_real_size(t->real);
    kdr_particles view = kdr_particles_default();
    view.count = t->count;
    view.dims = t->dims;
    view.real = t->real;
    view.inverse_mass = t->inverse_mass;
    view.id = t->id;
    view.x_layout.stride = view.v_layout.stride = (size_t)t->dims * size;
    view.images_layout.stride = t->image.value < 0 ? 0 : (size_t)t->dims * sizeof(int32_t);
    for (int axis = 0; axis < t->dims; ++axis) {
        view.x[axis] = t->room[0] + (size_t)axis * size;
        view.v[axis] = t->room[1] + (size_t)axis * size;
        view.images[axis] = t->image.value < 0 ? NULL : (int32_t *)(void *)t->room[2] + axis;
    }
    return view;
}

kdr_status kdr_trajectory_read(kdr_trajectory *trajectory, uint64_t index, kdr_frame *frame, kdr_error *error) {
    kdr_trajectory *const t = trajectory;
    KDR_CHECK(t && !t->writes && frame, error, KDR_ERROR_NULL, "trajectory: expected one that is read, and a frame, got NULL");
    KDR_CHECK(index < t->frames, error, KDR_ERROR_ARGUMENT, "%.100s: expected a frame below %llu, got %llu", t->path,
              (unsigned long long)t->frames, (unsigned long long)index);
    kdr_frame made = {.particles = view_of(t), .step = t->steps[index], .time = t->times[index], .mass = t->masses};
    const kdr_h5_quiet before = kdr_h5_hush();
    kdr_status status = take_state(t, index, error);
    status = status == KDR_OK ? take_constants(t, index, error) : status;
    status = status == KDR_OK ? kdr_edges_read(t, index, made.box, error) : status;
    for (int i = 0; status == KDR_OK && i < t->observables; ++i) {
        if (!kdr_element_read(&t->observable[i], index, H5T_NATIVE_DOUBLE, &made.observables[i])) {
            status = kdr_h5_read_failed(t, t->observable[i].value, t->name[i], error);
        }
    }
    kdr_h5_speak(before);
    if (status == KDR_OK) {
        *frame = made;
    }
    return status;
}
