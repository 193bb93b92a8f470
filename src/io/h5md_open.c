/* H5MD files, of this library and others, opened. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "journal.h"
#include "trajectory.h"

/* The first group of /particles. */
static hid_t open_group(hid_t file) {
    char name[256];
    const hid_t particles = H5Gopen2(file, "/particles", H5P_DEFAULT);
    const bool found =
        particles >= 0 && H5Lget_name_by_idx(particles, ".", H5_INDEX_NAME, H5_ITER_INC, 0, name, sizeof name, H5P_DEFAULT) > 0;
    const hid_t opened = found ? H5Gopen2(particles, name, H5P_DEFAULT) : -1;
    H5Gclose(particles);
    return opened;
}

static hid_t open_set(hid_t at, const char *name) { return H5Lexists(at, name, H5P_DEFAULT) > 0 ? H5Dopen2(at, name, H5P_DEFAULT) : -1; }

/* The extents of a data set, of at most 3; its rank. */
static int extents(hid_t set, hsize_t extent[3]) {
    const hid_t space = H5Dget_space(set);
    const int rank = H5Sget_simple_extent_ndims(space);
    const bool good = rank >= 1 && rank <= 3 && H5Sget_simple_extent_dims(space, extent, NULL) == rank;
    H5Sclose(space);
    return good ? rank : 0;
}

/* An array of a number a particle, as doubles or 64-bit numbers; NULL: there is none, or of another count. */
static void *take_array(kdr_trajectory *t, hid_t all, const char *name, hid_t type) {
    hsize_t extent[3];
    const hid_t set = open_set(all, name);
    void *made = set >= 0 && extents(set, extent) == 1 && extent[0] == t->count ? malloc(t->count * 8 + 1) : NULL;
    if (made && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, made) < 0) {
        free(made);
        made = NULL;
    }
    H5Dclose(set);
    return made;
}

static void take_masses(kdr_trajectory *t, hid_t all) {
    double *const masses = take_array(t, all, "mass", H5T_NATIVE_DOUBLE);
    for (size_t i = 0; masses && i < t->count; ++i) {
        const float narrow = (float)(1 / masses[i]);
        const double wide = 1 / masses[i];
        memcpy((char *)masses + i * kdr_real_size(t->real), t->real == KDR_F32 ? (const void *)&narrow : &wide, kdr_real_size(t->real));
    }
    t->inverse_mass = masses; /* the shorter ones lie at its beginning */
}

static void take_box(kdr_trajectory *t, hid_t all) {
    hsize_t extent[3];
    const hid_t edges = H5Lexists(all, "box", H5P_DEFAULT) > 0 ? open_set(all, "box/edges") : -1;
    if (edges >= 0 && extents(edges, extent) == 1 && extent[0] == (hsize_t)t->dims) {
        H5Dread(edges, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, t->box);
    }
    H5Dclose(edges);
}

/* Groups of this library keep the order in which their links were made; those of others, and of its versions before, have that of names. */
static H5_index_t order_of(hid_t group) {
    const hid_t list = H5Gget_create_plist(group);
    unsigned flags = 0;
    const bool kept = H5Pget_link_creation_order(list, &flags) >= 0 && flags & H5P_CRT_ORDER_TRACKED;
    H5Pclose(list);
    return kept ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
}

/* Numbers that each frame has: those of /observables that are one number a frame. */
static void take_observables(kdr_trajectory *t) {
    const hid_t at = H5Lexists(t->file, "observables", H5P_DEFAULT) > 0 ? H5Gopen2(t->file, "observables", H5P_DEFAULT) : -1;
    const H5_index_t order = at >= 0 ? order_of(at) : H5_INDEX_NAME;
    char name[256], path[300];
    for (hsize_t i = 0; at >= 0 && t->observables < KDR_MAX_OBSERVABLES &&
                        H5Lget_name_by_idx(at, ".", order, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) > 0;
         ++i) {
        hsize_t extent[3];
        (void)snprintf(path, sizeof path, "%s/value", name);
        const hid_t set = open_set(at, path);
        if (set >= 0 && extents(set, extent) == 1 && extent[0] >= t->frames) {
            t->name[t->observables] = strdup(name);
            t->observable[t->observables++] = set;
        } else {
            H5Dclose(set);
        }
    }
    H5Gclose(at);
}

/* Images, where each frame has them of each particle and axis. */
static void take_images(kdr_trajectory *t, hid_t all) {
    hsize_t extent[3];
    t->image = H5Lexists(all, "image", H5P_DEFAULT) > 0 ? open_set(all, "image/value") : -1;
    if (t->image >= 0 &&
        !(extents(t->image, extent) == 3 && extent[0] >= t->frames && extent[1] == t->count && extent[2] == (hsize_t)t->dims)) {
        H5Dclose(t->image);
        t->image = -1;
    }
}

static bool take_shape(kdr_trajectory *t, hid_t all) {
    hsize_t extent[3], other[3];
    t->position = open_set(all, "position/value");
    t->step = open_set(all, "position/step");
    t->time = open_set(all, "position/time");
    t->velocity = H5Lexists(all, "velocity", H5P_DEFAULT) > 0 ? open_set(all, "velocity/value") : -1;
    if (t->position < 0 || extents(t->position, extent) != 3 || extent[2] < 1 || extent[2] > 3) {
        return false;
    }
    const hid_t type = H5Dget_type(t->position);
    t->real = H5Tget_size(type) == sizeof(float) ? KDR_F32 : KDR_F64;
    H5Tclose(type);
    t->frames = extent[0];
    t->count = extent[1];
    t->dims = (int)extent[2];
    const hid_t growing_sets[3] = {t->velocity, t->step, t->time};
    for (int i = 0; i < 3; ++i) { /* of a file whose writer was stopped, what all have */
        if (growing_sets[i] >= 0 && extents(growing_sets[i], other) > 0) {
            t->frames = other[0] < t->frames ? other[0] : t->frames;
        }
    }
    take_images(t, all);
    const hid_t made = H5Dget_create_plist(t->position);
    hsize_t chunk[3] = {0, t->count, 0};
    unsigned level[1] = {0};
    size_t values = 1;
    unsigned flags;
    if (H5Pget_chunk(made, 3, chunk) == 3 && H5Pget_filter_by_id2(made, H5Z_FILTER_DEFLATE, &flags, &values, level, 0, NULL, NULL) >= 0) {
        t->deflate = (int)level[0];
    }
    t->chunk = chunk[1];
    H5Pclose(made);
    return true;
}

/* A frame of x, one of v and one of images, and room for chunks where it writes. */
static bool take_rooms(kdr_trajectory *t) {
    const size_t frame = t->count * (size_t)t->dims * kdr_real_size(t->real);
    if (t->writes) {
        return kdr_trajectory_rooms(t);
    }
    t->room[0] = malloc(frame + 1);
    t->room[1] = calloc(1, frame + 1);
    t->room[2] = calloc(1, (t->image < 0 ? 0 : t->count * (size_t)t->dims * sizeof(int32_t)) + 1);
    return t->room[0] && t->room[1] && t->room[2];
}

static bool cut(kdr_trajectory *t, uint64_t frames) {
    const hsize_t extent[3] = {frames, t->count, (hsize_t)t->dims};
    bool good = H5Dset_extent(t->position, extent) >= 0 && H5Dset_extent(t->velocity, extent) >= 0 && H5Dset_extent(t->step, extent) >= 0 &&
                H5Dset_extent(t->time, extent) >= 0;
    good = good && (t->image < 0 || H5Dset_extent(t->image, extent) >= 0);
    for (int i = 0; i < t->observables; ++i) {
        good = good && H5Dset_extent(t->observable[i], extent) >= 0;
    }
    t->frames = frames;
    return good && kdr_journal_commit(t->file);
}

static kdr_status take_all(kdr_trajectory *t, uint64_t frames, kdr_error *error) {
    const hid_t all = open_group(t->file);
    const bool good = all >= 0 && take_shape(t, all);
    if (good) {
        t->id = t->writes ? NULL : take_array(t, all, "id", H5T_NATIVE_UINT64);
        if (!t->writes) {
            take_masses(t, all);
        }
        take_box(t, all);
        take_observables(t);
    }
    H5Gclose(all);
    KDR_CHECK(good, error, KDR_ERROR_FORMAT, "%.100s: no positions of H5MD in it, expected /particles/.../position/value of 3 extents",
              t->path);
    KDR_CHECK(take_rooms(t), error, KDR_ERROR_NO_MEMORY, "%.100s: no memory for a frame", t->path);
    if (!t->writes) {
        return KDR_OK;
    }
    KDR_CHECK(frames <= t->frames && t->velocity >= 0 && t->step >= 0 && t->time >= 0 && t->chunk > 0, error, KDR_ERROR_FORMAT,
              "%.100s: it has %llu frames, expected %llu, and velocities, of this library", t->path, (unsigned long long)t->frames,
              (unsigned long long)frames);
    return cut(t, frames) ? KDR_OK : kdr_h5_failed(t->path, "cut it", error);
}

kdr_status kdr_trajectory_open(const char *path, uint64_t frames, kdr_trajectory **trajectory, kdr_error *error) {
    KDR_CHECK(path && trajectory, error, KDR_ERROR_NULL, "trajectory: expected a path and a pointer, got NULL");
    KDR_CHECK(kdr_file_can_read(path), error, KDR_ERROR_FILE, "%.100s: cannot be read, expected a file that can", path);
    kdr_status status = kdr_journal_recover(path, error);
    if (status != KDR_OK) {
        return status;
    }
    kdr_trajectory *const t = kdr_trajectory_allocate(path);
    KDR_CHECK(t && t->path, error, KDR_ERROR_NO_MEMORY, "%.100s: no memory for a trajectory", path);
    t->writes = frames != UINT64_MAX;
    const kdr_h5_quiet before = kdr_h5_hush();
    t->access = kdr_journal_access();
    t->file = H5Fopen(path, t->writes ? H5F_ACC_RDWR : H5F_ACC_RDONLY, t->access);
    if (t->file < 0 || (t->writes && !kdr_journal_settle(t->file))) {
        status = kdr_fail(error, KDR_ERROR_FORMAT, "%.100s: not a file of HDF5, or another process writes it; expected a trajectory", path);
    } else {
        status = take_all(t, frames, error);
    }
    if (status == KDR_OK) {
        *trajectory = t;
    } else {
        kdr_trajectory_release(t);
    }
    kdr_h5_speak(before);
    return status;
}
