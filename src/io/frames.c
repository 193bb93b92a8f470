/* Frames, added and read. */
#include "trajectory.h"

#include <string.h>
#include <time.h>

#include "arrays.h"
#include "journal.h"

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Particles [begin, begin + count) of x (first 0) or v (first 3), a particle's axes side by side, in the file's precision,
 * little-endian. */
static void gather(const kdr_trajectory *t, kdr_particles *view, int first, size_t begin, size_t count, unsigned char *numbers) {
    enum { MOST = 256 };
    unsigned char taken[MOST * sizeof(double)];
    const size_t to = kdr_real_size(t->real);
    for (int axis = 0; axis < t->dims; ++axis) {
        const kdr_array array = kdr_array_of(view, first + axis);
        for (size_t done = 0; done < count; done += MOST) {
            const size_t some = count - done < MOST ? count - done : MOST;
            unsigned char *at = numbers + (done * (size_t)t->dims + (size_t)axis) * to;
            kdr_array_get(&array, begin + done, some, taken);
            for (size_t i = 0; i < some; ++i, at += (size_t)t->dims * to) {
                if (array.size == to) {
                    memcpy(at, taken + i * to, to);
                } else {
                    kdr_number_convert(taken + i * array.size, array.size, at);
                }
            }
        }
    }
}

static bool put_chunk(kdr_trajectory *t, hid_t set, size_t begin, size_t size) {
    const hsize_t offset[3] = {t->frames, begin, 0};
    const size_t count = t->chunk * (size_t)t->dims;
    if (t->deflate == 0) {
        return H5Dwrite_chunk(set, H5P_DEFAULT, 0, offset, count * size, t->room[0]) >= 0;
    }
    const size_t packed = kdr_planes_pack(t->room[0], size, count, t->deflate, t->room[1], t->room[2], t->packed_size);
    return packed > 0 && H5Dwrite_chunk(set, H5P_DEFAULT, 0, offset, packed, t->room[2]) >= 0;
}

static bool put_state(kdr_trajectory *t, hid_t set, kdr_particles *view, int first) {
    const hsize_t extent[3] = {t->frames + 1, t->count, (hsize_t)t->dims};
    const size_t size = kdr_real_size(t->real), particle = size * (size_t)t->dims;
    bool good = H5Dset_extent(set, extent) >= 0;
    for (size_t begin = 0; good && begin < t->count; begin += t->chunk) {
        const size_t taken = t->count - begin < t->chunk ? t->count - begin : t->chunk;
        gather(t, view, first, begin, taken, t->room[0]);
        memset(t->room[0] + taken * particle, 0, (t->chunk - taken) * particle);
        good = put_chunk(t, set, begin, size);
    }
    return good;
}

/* One number of a data set of one number a frame: written, or read. */
static bool move_number(hid_t set, uint64_t frame, hid_t type, void *number, bool writes) {
    const hsize_t extent = frame + 1, at = frame, one = 1;
    bool good = !writes || H5Dset_extent(set, &extent) >= 0;
    const hid_t space = H5Dget_space(set), memory = H5Screate_simple(1, &one, NULL);
    good = good && H5Sselect_hyperslab(space, H5S_SELECT_SET, &at, NULL, &one, NULL) >= 0;
    if (good) {
        good = (writes ? H5Dwrite(set, type, memory, space, H5P_DEFAULT, number)
                       : H5Dread(set, type, memory, space, H5P_DEFAULT, number)) >= 0;
    }
    H5Sclose(memory);
    H5Sclose(space);
    return good;
}

static bool put_frame(kdr_trajectory *t, kdr_particles *view, const kdr_clock *clock, const double *observables) {
    uint64_t step = clock->step;
    double time = kdr_clock_time(clock, clock->step, 0);
    bool good = put_state(t, t->position, view, 0) && put_state(t, t->velocity, view, 3);
    for (int i = 0; good && i < t->observables; ++i) {
        double value = observables[i];
        good = move_number(t->observable[i], t->frames, H5T_NATIVE_DOUBLE, &value, true);
    }
    return good && move_number(t->step, t->frames, H5T_NATIVE_UINT64, &step, true) &&
           move_number(t->time, t->frames, H5T_NATIVE_DOUBLE, &time, true);
}

kdr_status kdr_trajectory_commit(kdr_trajectory *trajectory, kdr_error *error) {
    KDR_CHECK(trajectory && trajectory->writes, error, KDR_ERROR_NULL, "trajectory: expected one that is written");
    const kdr_h5_quiet before = kdr_h5_hush();
    const double begun = now();
    const kdr_status status = kdr_journal_commit(trajectory->file) ? KDR_OK : kdr_h5_failed(trajectory->path, "write it", error);
    trajectory->commit_time = now();
    trajectory->commit_taken = trajectory->commit_time - begun;
    kdr_h5_speak(before);
    return status;
}

kdr_status kdr_trajectory_append(kdr_trajectory *trajectory, const kdr_particles *particles, const kdr_clock *clock,
                                 const double *observables, kdr_error *error) {
    kdr_trajectory *const t = trajectory;
    KDR_CHECK(t && t->writes && particles && clock && (observables || t->observables == 0), error, KDR_ERROR_NULL,
              "trajectory: expected one that is written, particles, a clock and observables, got NULL");
    kdr_status status = kdr_particles_check(particles, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(particles->count == t->count && particles->dims == t->dims, error, KDR_ERROR_MISMATCH,
              "trajectory: expected %zu particles on %d axes, got %zu on %d", t->count, t->dims, particles->count, particles->dims);
    kdr_particles view = *particles;
    const kdr_h5_quiet before = kdr_h5_hush();
    status = put_frame(t, &view, clock, observables) ? KDR_OK : kdr_h5_failed(t->path, "write it", error);
    kdr_h5_speak(before);
    if (status != KDR_OK) {
        return status;
    }
    ++t->frames;
    return now() - t->commit_time >= 20 * t->commit_taken ? kdr_trajectory_commit(t, error) : KDR_OK;
}

static bool take_state(kdr_trajectory *t, hid_t set, uint64_t index, void *numbers) {
    const hsize_t at[3] = {index, 0, 0}, extent[3] = {1, t->count, (hsize_t)t->dims};
    const hid_t space = H5Dget_space(set), memory = H5Screate_simple(3, extent, NULL);
    const hid_t type = t->real == KDR_F32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    const bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, extent, NULL) >= 0 &&
                      H5Dread(set, type, memory, space, H5P_DEFAULT, numbers) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return good;
}

kdr_status kdr_trajectory_read(kdr_trajectory *trajectory, uint64_t index, kdr_frame *frame, kdr_error *error) {
    kdr_trajectory *const t = trajectory;
    KDR_CHECK(t && !t->writes && frame, error, KDR_ERROR_NULL, "trajectory: expected one that is read, and a frame, got NULL");
    KDR_CHECK(index < t->frames, error, KDR_ERROR_ARGUMENT, "%.100s: expected a frame below %llu, got %llu", t->path,
              (unsigned long long)t->frames, (unsigned long long)index);
    const size_t size = kdr_real_size(t->real);
    kdr_frame made = {.particles = kdr_particles_default(), .step = index, .time = (double)index};
    made.particles.count = t->count;
    made.particles.dims = t->dims;
    made.particles.real = t->real;
    made.particles.inverse_mass = t->inverse_mass;
    made.particles.id = t->id;
    made.particles.x_layout.stride = made.particles.v_layout.stride = (size_t)t->dims * size;
    for (int axis = 0; axis < t->dims; ++axis) {
        made.particles.x[axis] = t->room[0] + (size_t)axis * size;
        made.particles.v[axis] = t->room[1] + (size_t)axis * size;
    }
    const kdr_h5_quiet before = kdr_h5_hush();
    bool good = take_state(t, t->position, index, t->room[0]) && (t->velocity < 0 || take_state(t, t->velocity, index, t->room[1])) &&
                (t->step < 0 || move_number(t->step, index, H5T_NATIVE_UINT64, &made.step, false)) &&
                (t->time < 0 || move_number(t->time, index, H5T_NATIVE_DOUBLE, &made.time, false));
    for (int i = 0; good && i < t->observables; ++i) {
        good = move_number(t->observable[i], index, H5T_NATIVE_DOUBLE, &made.observables[i], false);
    }
    const kdr_status status = good ? KDR_OK : kdr_h5_failed(t->path, "read a frame of it", error);
    kdr_h5_speak(before);
    if (good) {
        *frame = made;
    }
    return status;
}
