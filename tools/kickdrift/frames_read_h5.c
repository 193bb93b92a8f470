/* Reads frames from H5MD files, by kickdrift-io. */
#include "frames_reader.h"
#include "population_builder.h"

#include <string.h>

static bool open_h5(frames_reader *r) {
    kdr_error error;
    kdr_trajectory_info info;
    kdr_trajectory *opened = NULL;
    if (kdr_trajectory_open_group(r->path, r->group, &opened, &error) != KDR_OK) {
        return fault_set(r->why, "%s", error.message);
    }
    r->own = opened;
    if (kdr_trajectory_query(opened, &info, &error) != KDR_OK) {
        return fault_set(r->why, "%s", error.message);
    }
    r->frame.of.particles.real = info.real;
    r->frame.observable_count = info.observable_count;
    memcpy(r->frame.observable_names, info.observables, sizeof r->frame.observable_names);
    r->size = info.frames;
    r->shape.velocities = info.velocities;
    if (*info.left_out) {
        (void)snprintf(r->left_out, sizeof r->left_out, "%s", info.left_out);
    }
    return true;
}

static frame_result next_h5(frames_reader *r) {
    kdr_frame read;
    kdr_error error;
    if (r->done == r->size) {
        return FRAME_END;
    }
    if (kdr_trajectory_read(r->own, r->done, &read, &error) != KDR_OK) {
        fault_set(r->why, "%s", error.message);
        return FRAME_WRONG;
    }
    ++r->done;
    const reader_shape shape = {r->shape.velocities, read.particles.id, read.mass, read.particles.images[0]};
    if (!reader_begin_frame(r, shape)) {
        return FRAME_WRONG;
    }
    r->frame.step = read.step;
    r->frame.t = read.time;
    memcpy(r->frame.box, read.box, sizeof r->frame.box);
    memcpy(r->frame.observables, read.observables, sizeof r->frame.observables);
    const population view = {.particles = {.real = read.particles.real}};
    const size_t dims = (size_t)read.particles.dims;
    for (size_t i = 0; i < read.particles.count; ++i) {
        reader_row row = {.values = {0, 0, 0, 0, 0, 0, 1}};
        for (size_t axis = 0; axis < dims; ++axis) {
            row.values[axis] = population_get(&view, read.particles.x[axis], i * dims);
            row.values[3 + axis] = population_get(&view, read.particles.v[axis], i * dims);
            row.image[axis] = shape.images ? read.particles.images[axis][i * dims] : 0;
        }
        row.values[READER_MASS] = read.mass ? read.mass[i] : 1;
        row.id = shape.ids ? read.particles.id[i] : 0;
        if (!reader_add(r, &row)) {
            return FRAME_WRONG;
        }
    }
    return FRAME_READ;
}

static void close_h5(frames_reader *r) { kdr_trajectory_close(r->own, NULL); }

const reader_kind reader_h5 = {{".h5", ".h5md"}, open_h5, next_h5, close_h5};
