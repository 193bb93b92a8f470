/* H5MD files, made and closed. Every trajectory's steps and times are those of /particles/all/position: the other elements link to them. */
#include "trajectory.h"

#include <kickdrift/kickdrift.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "files.h"
#include "header.h"
#include "journal.h"

static const kdr_trajectory_desc defaults = {.size = sizeof defaults, .real = KDR_F64, .deflate = 1};

void kdr_trajectory_desc_init(kdr_trajectory_desc *desc, size_t size) {
    if (!desc || size < sizeof size) {
        return;
    }
    memset(desc, 0, size);
    memcpy(desc, &defaults, size < sizeof defaults ? size : sizeof defaults);
    memcpy(desc, &size, sizeof size);
}

kdr_h5_quiet kdr_h5_hush(void) {
    kdr_h5_quiet before = {NULL, NULL};
    H5open();
    H5Eget_auto2(H5E_DEFAULT, &before.function, &before.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return before;
}

void kdr_h5_speak(kdr_h5_quiet before) { H5Eset_auto2(H5E_DEFAULT, before.function, before.data); }

static herr_t take_message(unsigned n, const H5E_error2_t *from, void *into) {
    if (n == 0 && from->desc) {
        (void)snprintf(into, 80, "%s", from->desc);
    }
    return 0;
}

kdr_status kdr_h5_failed(const char *path, const char *what, kdr_error *error) {
    char message[80] = "";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_message, message);
    return kdr_fail(error, KDR_ERROR_FILE, "%.100s: cannot %s%s%s", path, what, *message ? ": " : "", message);
}

/* ---- making one */

/* A list for objects of a class in which nothing tells when they were made. */
static hid_t untimed(hid_t class) {
    const hid_t made = H5Pcreate(class);
    H5Pset_obj_track_times(made, false);
    return made;
}

static bool put_text(hid_t at, const char *name, const char *text) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    const size_t length = strlen(text);
    bool good =
        H5Tset_size(type, length ? length : 1) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    good = good && (H5Aexists(at, name) <= 0 || H5Adelete(at, name) >= 0);
    const hid_t attribute = good ? H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    good = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

/* A header of HDF5's has room for 64 KiB: a longer text is a data set. */
enum { LONGEST_ATTRIBUTE = 60000 };
static bool put_long_text(hid_t at, const char *name, const char *text) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    bool good = H5Tset_size(type, strlen(text)) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    good = good && (H5Lexists(at, name, H5P_DEFAULT) <= 0 || H5Ldelete(at, name, H5P_DEFAULT) >= 0);
    const hid_t made = untimed(H5P_DATASET_CREATE);
    const hid_t set = good ? H5Dcreate2(at, name, type, space, H5P_DEFAULT, made, H5P_DEFAULT) : -1;
    good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    H5Dclose(set);
    H5Pclose(made);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

static bool put_numbers(hid_t at, const char *name, hid_t type, const void *numbers, hsize_t count) {
    const hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = attribute >= 0 && H5Awrite(attribute, type, numbers) >= 0;
    H5Aclose(attribute);
    H5Sclose(space);
    return good;
}

/* A data set of a number a particle, which is written once. */
static bool make_set(hid_t at, const char *name, hid_t type, hsize_t count) {
    const hid_t space = H5Screate_simple(1, &count, NULL), made = untimed(H5P_DATASET_CREATE);
    const hid_t set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, made, H5P_DEFAULT);
    H5Dclose(set);
    H5Pclose(made);
    H5Sclose(space);
    return set >= 0;
}

/* Numbers [begin, begin + count) of it. */
static bool fill_set(hid_t at, const char *name, hid_t type, const void *numbers, hsize_t begin, hsize_t count) {
    const hid_t set = H5Dopen2(at, name, H5P_DEFAULT), space = H5Dget_space(set), memory = H5Screate_simple(1, &count, NULL);
    const bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, &begin, NULL, &count, NULL) >= 0 &&
                      H5Dwrite(set, type, memory, space, H5P_DEFAULT, numbers) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
    return good;
}

static bool put_array(hid_t at, const char *name, hid_t file_type, hid_t type, const void *numbers, hsize_t count) {
    return make_set(at, name, file_type, count) && fill_set(at, name, type, numbers, 0, count);
}

/* A data set that grows by a frame: `rest` numbers in `rank` - 1 extents each, in chunks of `chunk` of the first of them. */
static hid_t growing(hid_t at, const char *name, hid_t type, int rank, const hsize_t rest[2], hsize_t chunk, int deflate) {
    const hsize_t extent[3] = {0, rest[0], rest[1]}, most[3] = {H5S_UNLIMITED, rest[0], rest[1]};
    const hsize_t chunks[3] = {rank > 1 ? 1 : chunk, chunk, rest[1]};
    const hid_t space = H5Screate_simple(rank, extent, most), made = untimed(H5P_DATASET_CREATE);
    bool good = H5Pset_chunk(made, rank, chunks) >= 0;
    if (deflate > 0) {
        good = good && H5Pset_shuffle(made) >= 0 && H5Pset_deflate(made, (unsigned)deflate) >= 0;
    }
    const hid_t set = good ? H5Dcreate2(at, name, type, space, H5P_DEFAULT, made, H5P_DEFAULT) : -1;
    H5Pclose(made);
    H5Sclose(space);
    return set;
}

/* Its links keep the order in which they are made. */
static hid_t group(hid_t at, const char *name) {
    const hid_t list = untimed(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    const hid_t made = H5Gcreate2(at, name, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Pclose(list);
    return made;
}

/* step and time of an element are those of position. */
static bool link_times(hid_t file, hid_t element) {
    return H5Lcreate_hard(file, "/particles/all/position/step", element, "step", H5P_DEFAULT, H5P_DEFAULT) >= 0 &&
           H5Lcreate_hard(file, "/particles/all/position/time", element, "time", H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

static bool make_metadata(hid_t file) {
    static const int version[2] = {1, 1};
    const hid_t h5md = group(file, "h5md"), author = group(h5md, "author"), creator = group(h5md, "creator");
    const hid_t parameters = group(file, "parameters"), own = group(parameters, "kickdrift");
    const bool good = own >= 0 && creator >= 0 && put_numbers(h5md, "version", H5T_NATIVE_INT, version, 2) &&
                      put_text(author, "name", "kickdrift") && put_text(creator, "name", "kickdrift") &&
                      put_text(creator, "version", kdr_version()) && put_text(own, "library", kdr_version());
    H5Gclose(own);
    H5Gclose(parameters);
    H5Gclose(creator);
    H5Gclose(author);
    H5Gclose(h5md);
    return good;
}

static bool make_box(kdr_trajectory *t, hid_t all, const kdr_boundary *boundary) {
    const hid_t box = group(all, "box"), type = H5Tcopy(H5T_C_S1);
    const hsize_t dims = (hsize_t)t->dims;
    char kinds[3][8];
    bool any = false;
    for (int k = 0; k < t->dims; ++k) {
        t->box[k] = boundary->kind == KDR_BOUNDARY_PERIODIC ? boundary->max[k] - boundary->min[k] : 0;
        any = any || t->box[k] > 0;
        memcpy(kinds[k], t->box[k] > 0 ? "periodic" : "none\0\0\0\0", sizeof kinds[k]);
    }
    const bool good = box >= 0 && H5Tset_size(type, sizeof kinds[0]) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
                      put_numbers(box, "dimension", H5T_NATIVE_INT, &t->dims, 0) && put_numbers(box, "boundary", type, kinds, dims) &&
                      (!any || put_array(box, "edges", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, t->box, dims));
    H5Tclose(type);
    H5Gclose(box);
    return good;
}

bool kdr_trajectory_put_constants(kdr_trajectory *t, kdr_particles *view, size_t at) {
    enum { MOST = 512, INVERSE_MASS = 6, ID = 16 }; /* numbers of arrays */
    const kdr_array id = kdr_array_of(view, ID), inverse = kdr_array_of(view, INVERSE_MASS);
    const hid_t all = H5Gopen2(t->file, "/particles/all", H5P_DEFAULT);
    const bool ids = id.used && H5Lexists(all, "id", H5P_DEFAULT) > 0, masses = inverse.used && H5Lexists(all, "mass", H5P_DEFAULT) > 0;
    bool good = all >= 0;
    for (size_t begin = 0; good && (ids || masses) && begin < view->count; begin += MOST) {
        const size_t taken = view->count - begin < MOST ? view->count - begin : MOST;
        unsigned char bytes[MOST * 8];
        double mass[MOST];
        if (ids) {
            kdr_array_get(&id, begin, taken, bytes);
            good = fill_set(all, "id", H5T_STD_U64LE, bytes, at + begin, taken);
        }
        if (masses) {
            kdr_array_get(&inverse, begin, taken, bytes);
        }
        for (size_t i = 0; masses && i < taken; ++i) {
            unsigned char wide[8];
            double kept;
            if (inverse.size == sizeof kept) {
                memcpy(wide, bytes + i * inverse.size, sizeof wide);
            } else {
                kdr_number_convert(bytes + i * inverse.size, inverse.size, wide);
            }
            const uint64_t word = kdr_word_decode(wide);
            memcpy(&kept, &word, sizeof kept);
            mass[i] = 1 / kept;
        }
        good = good && (!masses || fill_set(all, "mass", H5T_NATIVE_DOUBLE, mass, at + begin, taken));
    }
    H5Gclose(all);
    return good;
}

/* What is the same in every frame. */
static bool make_constants(kdr_trajectory *t, hid_t all, const kdr_trajectory_desc *desc) {
    kdr_particles view = *desc->particles;
    t->described = view.count;
    return (!desc->species || put_array(all, "species", H5T_STD_I32LE, H5T_NATIVE_INT32, desc->species, t->count)) &&
           (!view.id || make_set(all, "id", H5T_STD_U64LE, t->count)) &&
           (!view.inverse_mass || make_set(all, "mass", H5T_IEEE_F64LE, t->count)) && kdr_trajectory_put_constants(t, &view, 0);
}

/* Where the particles have images, those of each frame. */
static bool make_images(kdr_trajectory *t, hid_t all, const kdr_trajectory_desc *desc, const hsize_t rest[2]) {
    if (!desc->particles->images[0]) {
        return true;
    }
    const hid_t image = group(all, "image");
    t->image = growing(image, "value", H5T_STD_I32LE, 3, rest, t->chunk, t->deflate);
    const bool good = t->image >= 0 && link_times(t->file, image);
    H5Gclose(image);
    return good;
}

static bool make_particles(kdr_trajectory *t, const kdr_trajectory_desc *desc) {
    const hsize_t rest[2] = {t->count, (hsize_t)t->dims}, none[2] = {0, 0};
    const hid_t type = t->real == KDR_F32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    const hid_t particles = group(t->file, "particles"), all = group(particles, "all");
    const hid_t position = group(all, "position"), velocity = group(all, "velocity");
    t->position = growing(position, "value", type, 3, rest, t->chunk, t->deflate);
    t->velocity = growing(velocity, "value", type, 3, rest, t->chunk, t->deflate);
    t->step = growing(position, "step", H5T_STD_U64LE, 1, none, 512, 0);
    t->time = growing(position, "time", H5T_IEEE_F64LE, 1, none, 512, 0);
    const bool good = t->position >= 0 && t->velocity >= 0 && t->step >= 0 && t->time >= 0 && link_times(t->file, velocity) &&
                      make_images(t, all, desc, rest) && make_box(t, all, &desc->boundary) && make_constants(t, all, desc);
    H5Gclose(velocity);
    H5Gclose(position);
    H5Gclose(all);
    H5Gclose(particles);
    return good;
}

static bool make_observables(kdr_trajectory *t, const kdr_trajectory_desc *desc) {
    const hsize_t none[2] = {0, 0};
    const hid_t observables = group(t->file, "observables");
    bool good = observables >= 0;
    for (int i = 0; good && i < desc->observable_count; ++i) {
        const hid_t element = group(observables, desc->observables[i]);
        t->observable[i] = growing(element, "value", H5T_IEEE_F64LE, 1, none, 512, 0);
        t->name[i] = strdup(desc->observables[i]);
        t->observables = i + 1;
        good = t->observable[i] >= 0 && t->name[i] && link_times(t->file, element);
        H5Gclose(element);
    }
    H5Gclose(observables);
    return good;
}

/* ---- opening and closing */

kdr_trajectory *kdr_trajectory_allocate(const char *path) {
    kdr_trajectory *const t = calloc(1, sizeof *t);
    if (t) {
        t->access = t->file = t->position = t->velocity = t->image = t->step = t->time = -1;
        for (int i = 0; i < KDR_MAX_OBSERVABLES; ++i) {
            t->observable[i] = -1;
        }
        t->path = strdup(path);
    }
    return t;
}

bool kdr_trajectory_release(kdr_trajectory *t) {
    for (int i = 0; i < t->observables; ++i) {
        H5Dclose(t->observable[i]);
        free(t->name[i]);
    }
    H5Dclose(t->position);
    H5Dclose(t->velocity);
    H5Dclose(t->image);
    H5Dclose(t->step);
    H5Dclose(t->time);
    const bool good = t->file < 0 || H5Fclose(t->file) >= 0;
    H5Pclose(t->access);
    for (int i = 0; i < 5; ++i) {
        free(t->room[i]);
    }
    free(t->inverse_mass);
    free(t->id);
    free(t->path);
    free(t);
    return good;
}

bool kdr_trajectory_rooms(kdr_trajectory *t) {
    const size_t size = kdr_real_size(t->real), chunk = t->chunk * (size_t)t->dims * size;
    t->packed_size = kdr_planes_room(chunk);
    bool good = true;
    for (int i = 0; i < 5; ++i) { /* an image has four bytes, as the smaller of the reals */
        t->room[i] = malloc(i < 4 ? chunk : t->packed_size);
        good = good && t->room[i];
    }
    return good;
}

/* Before the file is opened: what is refused here leaves one that is there. */
static kdr_status check_observables(const kdr_trajectory_desc *desc, kdr_error *error) {
    const int count = desc->observable_count;
    KDR_CHECK(count >= 0 && count <= KDR_MAX_OBSERVABLES, error, KDR_ERROR_ARGUMENT, "trajectory: expected 0 to %d observables, got %d",
              KDR_MAX_OBSERVABLES, count);
    KDR_CHECK(desc->observables || count == 0, error, KDR_ERROR_NULL, "trajectory: observables: expected %d names, got NULL", count);
    for (int i = 0; i < count; ++i) {
        const char *const name = desc->observables[i];
        KDR_CHECK(name, error, KDR_ERROR_NULL, "trajectory: observables[%d]: expected a name, got NULL", i);
        KDR_CHECK(*name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0, error, KDR_ERROR_ARGUMENT,
                  "trajectory: observables[%d]: expected a name without a slash that is not \".\" or \"..\", got \"%.40s\"", i, name);
        for (int j = 0; j < i; ++j) {
            KDR_CHECK(strcmp(name, desc->observables[j]) != 0, error, KDR_ERROR_ARGUMENT,
                      "trajectory: observables[%d]: expected another name than that of observables[%d], got \"%.40s\"", i, j, name);
        }
    }
    return KDR_OK;
}

static kdr_status check(const kdr_trajectory_desc *desc, kdr_error *error) {
    KDR_CHECK(desc->size == sizeof *desc, error, KDR_ERROR_ARGUMENT,
              "trajectory: the description was not made by kdr_trajectory_desc_default(): its size is %zu, expected %zu", desc->size,
              sizeof *desc);
    KDR_CHECK(desc->particles, error, KDR_ERROR_NULL, "trajectory: expected particles, got NULL");
    const kdr_status status = kdr_particles_check(desc->particles, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(desc->particles->count > 0, error, KDR_ERROR_ARGUMENT, "trajectory: expected at least one particle");
    KDR_CHECK(desc->count == 0 || desc->count >= desc->particles->count, error, KDR_ERROR_ARGUMENT,
              "trajectory: count: expected 0, or at least the %zu particles, got %zu", desc->particles->count, desc->count);
    KDR_CHECK((unsigned)desc->real < KDR_REAL_COUNT, error, KDR_ERROR_ARGUMENT, "trajectory: real: expected KDR_F32 or KDR_F64, got %d",
              (int)desc->real);
    KDR_CHECK(desc->deflate >= 0 && desc->deflate <= 9, error, KDR_ERROR_ARGUMENT, "trajectory: deflate: expected 0 to 9, got %d",
              desc->deflate);
    return check_observables(desc, error);
}

size_t kdr_trajectory_chunk(const kdr_trajectory_desc *desc, size_t *room) {
    enum { CHUNK_BYTES = 1 << 19 };
    const size_t particle = desc && desc->particles ? kdr_real_size(desc->real) * (size_t)desc->particles->dims : 0;
    const size_t count = particle == 0 ? 0 : desc->count ? desc->count : desc->particles->count;
    if (count == 0) {
        return 0;
    }
    const size_t most = CHUNK_BYTES / particle, chunks = (count + most - 1) / most, chunk = (count + chunks - 1) / chunks;
    if (room) {
        *room = 2 * kdr_planes_room(chunk * particle);
    }
    return chunk;
}

kdr_status kdr_trajectory_create(const char *path, const kdr_trajectory_desc *desc, kdr_trajectory **trajectory, kdr_error *error) {
    KDR_CHECK(path && desc && trajectory, error, KDR_ERROR_NULL, "trajectory: expected a path, a description and a pointer, got NULL");
    const kdr_status status = check(desc, error);
    if (status != KDR_OK) {
        return status;
    }
    kdr_trajectory *const t = kdr_trajectory_allocate(path);
    KDR_CHECK(t && t->path, error, KDR_ERROR_NO_MEMORY, "%.100s: no memory for a trajectory", path);
    t->writes = true;
    t->real = desc->real;
    t->count = desc->count ? desc->count : desc->particles->count;
    t->dims = desc->particles->dims;
    t->deflate = desc->deflate;
    t->chunk = kdr_trajectory_chunk(desc, NULL);
    const kdr_h5_quiet before = kdr_h5_hush();
    t->access = kdr_journal_access();
    const hid_t list = untimed(H5P_FILE_CREATE);
    t->file = t->access >= 0 ? H5Fcreate(path, H5F_ACC_TRUNC, list, t->access) : -1;
    H5Pclose(list);
    kdr_status made = KDR_OK;
    if (t->file < 0 || !make_metadata(t->file) || !make_particles(t, desc) || !make_observables(t, desc) || !kdr_journal_commit(t->file)) {
        made = kdr_h5_failed(path, "make a trajectory of it", error);
    } else if (!kdr_trajectory_rooms(t)) {
        made = kdr_fail(error, KDR_ERROR_NO_MEMORY, "%.100s: no memory for a chunk", path);
    }
    kdr_file_flush_folder(path);
    if (made == KDR_OK) {
        *trajectory = t;
    } else {
        kdr_trajectory_release(t);
    }
    kdr_h5_speak(before);
    return made;
}

kdr_status kdr_trajectory_note(kdr_trajectory *trajectory, const char *name, const char *text, kdr_error *error) {
    KDR_CHECK(trajectory && name && text, error, KDR_ERROR_NULL, "trajectory: expected a trajectory, a name and a text, got NULL");
    const kdr_h5_quiet before = kdr_h5_hush();
    const hid_t own = H5Gopen2(trajectory->file, "/parameters/kickdrift", H5P_DEFAULT);
    const bool good =
        trajectory->writes && own >= 0 && (strlen(text) <= LONGEST_ATTRIBUTE ? put_text(own, name, text) : put_long_text(own, name, text));
    const kdr_status status = good ? KDR_OK : kdr_h5_failed(trajectory->path, "keep a text", error);
    H5Gclose(own);
    kdr_h5_speak(before);
    return status;
}

kdr_status kdr_trajectory_query(const kdr_trajectory *trajectory, kdr_trajectory_info *info, kdr_error *error) {
    KDR_CHECK(trajectory && info, error, KDR_ERROR_NULL, "trajectory: expected a trajectory and a pointer, got NULL");
    *info = (kdr_trajectory_info){.frames = trajectory->frames,
                                  .count = trajectory->count,
                                  .dims = trajectory->dims,
                                  .real = trajectory->real,
                                  .velocities = trajectory->velocity >= 0,
                                  .observable_count = trajectory->observables};
    memcpy(info->box, trajectory->box, sizeof info->box);
    for (int i = 0; i < trajectory->observables; ++i) {
        info->observables[i] = trajectory->name[i];
    }
    return KDR_OK;
}

kdr_status kdr_trajectory_close(kdr_trajectory *trajectory, kdr_error *error) {
    if (!trajectory) {
        return KDR_OK;
    }
    const kdr_h5_quiet before = kdr_h5_hush();
    kdr_status status = trajectory->writes ? kdr_trajectory_commit(trajectory, error) : KDR_OK;
    if (!kdr_trajectory_release(trajectory) && status == KDR_OK) {
        status = kdr_fail(error, KDR_ERROR_FILE, "trajectory: cannot be closed");
    }
    kdr_h5_speak(before);
    return status;
}
