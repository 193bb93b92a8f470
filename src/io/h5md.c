/* This file makes and closes H5MD files. /particles/all/position has the steps and times of a trajectory; other elements link to them. */
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

/* Makes a property list for objects that do not store the time of their creation, so that equal files have equal bytes. */
hid_t kdr_h5_untimed(hid_t class) {
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

/* An object header of HDF5 has room for 64 KiB. A longer text becomes a data set. */
enum { LONGEST_ATTRIBUTE = 60000 };
static bool put_long_text(hid_t at, const char *name, const char *text) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    bool good = H5Tset_size(type, strlen(text)) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    good = good && (H5Lexists(at, name, H5P_DEFAULT) <= 0 || H5Ldelete(at, name, H5P_DEFAULT) >= 0);
    const hid_t made = kdr_h5_untimed(H5P_DATASET_CREATE);
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

/* Makes a data set that is written once. */
static bool put_array(hid_t at, const char *name, hid_t file_type, hid_t type, const void *numbers, hsize_t count) {
    const hid_t space = H5Screate_simple(1, &count, NULL), made = kdr_h5_untimed(H5P_DATASET_CREATE);
    const hid_t set = H5Dcreate2(at, name, file_type, space, H5P_DEFAULT, made, H5P_DEFAULT);
    const bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0;
    H5Dclose(set);
    H5Pclose(made);
    H5Sclose(space);
    return good;
}

/* Makes a data set with a first extent that grows by one per frame, in chunks of this shape. */
hid_t kdr_h5_growing(hid_t at, const char *name, hid_t type, int rank, const hsize_t extent[3], const hsize_t chunks[3], int deflate) {
    const hsize_t most[3] = {H5S_UNLIMITED, extent[1], extent[2]};
    const hid_t space = H5Screate_simple(rank, extent, most), made = kdr_h5_untimed(H5P_DATASET_CREATE);
    bool good = H5Pset_chunk(made, rank, chunks) >= 0;
    if (deflate > 0) {
        good = good && H5Pset_shuffle(made) >= 0 && H5Pset_deflate(made, (unsigned)deflate) >= 0;
    }
    const hid_t set = good ? H5Dcreate2(at, name, type, space, H5P_DEFAULT, made, H5P_DEFAULT) : -1;
    H5Pclose(made);
    H5Sclose(space);
    return set;
}

/* Makes a data set with one number per frame. */
static hid_t growing_numbers(hid_t at, const char *name, hid_t type) {
    const hsize_t extent[3] = {0, 0, 0}, chunks[3] = {512, 0, 0};
    return kdr_h5_growing(at, name, type, 1, extent, chunks, 0);
}

/* Makes a data set with one number per particle and axis in each frame. */
static hid_t growing_state(kdr_trajectory *t, hid_t at, hid_t type) {
    const hsize_t dims = (hsize_t)t->dims, extent[3] = {0, t->count, dims}, chunks[3] = {1, t->chunk, dims};
    return kdr_h5_growing(at, "value", type, 3, extent, chunks, t->deflate);
}

/* Makes a group that keeps the order in which its links are made. */
hid_t kdr_h5_group(hid_t at, const char *name) {
    const hid_t list = kdr_h5_untimed(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    const hid_t made = H5Gcreate2(at, name, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Pclose(list);
    return made;
}

bool kdr_h5_link_times(kdr_trajectory *t, hid_t element) {
    return H5Lcreate_hard(t->file, "/particles/all/position/step", element, "step", H5P_DEFAULT, H5P_DEFAULT) >= 0 &&
           H5Lcreate_hard(t->file, "/particles/all/position/time", element, "time", H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

static bool make_metadata(hid_t file) {
    static const int version[2] = {1, 1};
    const hid_t h5md = kdr_h5_group(file, "h5md"), author = kdr_h5_group(h5md, "author"), creator = kdr_h5_group(h5md, "creator");
    const hid_t parameters = kdr_h5_group(file, "parameters"), own = kdr_h5_group(parameters, "kickdrift");
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

/* Makes the edges of a periodic box: a matrix per frame, the form that most readers of H5MD know. */
static bool make_edges(kdr_trajectory *t, hid_t box) {
    enum { FRAMES = 64 };
    const hsize_t dims = (hsize_t)t->dims, extent[3] = {0, dims, dims}, chunks[3] = {FRAMES, dims, dims};
    const hid_t edges = kdr_h5_group(box, "edges");
    t->edges.value = kdr_h5_growing(edges, "value", H5T_IEEE_F64LE, 3, extent, chunks, 0);
    const bool good = t->edges.value >= 0 && kdr_h5_link_times(t, edges);
    H5Gclose(edges);
    return good;
}

static bool make_box(kdr_trajectory *t, hid_t all, const kdr_boundary *boundary) {
    const hid_t box = kdr_h5_group(all, "box"), type = H5Tcopy(H5T_C_S1);
    const hsize_t dims = (hsize_t)t->dims;
    char kinds[3][8];
    bool any = false;
    for (int k = 0; k < t->dims; ++k) {
        t->box[k] = boundary->kind == KDR_BOUNDARY_PERIODIC ? boundary->max[k] - boundary->min[k] : 0;
        t->periodic[k] = t->box[k] > 0;
        any = any || t->periodic[k];
        memcpy(kinds[k], t->periodic[k] ? "periodic" : "none\0\0\0\0", sizeof kinds[k]);
    }
    const bool good = box >= 0 && H5Tset_size(type, sizeof kinds[0]) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
                      put_numbers(box, "dimension", H5T_NATIVE_INT, &t->dims, 0) && put_numbers(box, "boundary", type, kinds, dims) &&
                      (!any || make_edges(t, box));
    H5Tclose(type);
    H5Gclose(box);
    return good;
}

/* Makes the data set of images if the particles have images. */
static bool make_images(kdr_trajectory *t, hid_t all, const kdr_trajectory_desc *desc) {
    if (!desc->particles->images[0]) {
        return true;
    }
    const hid_t image = kdr_h5_group(all, "image");
    t->image.value = growing_state(t, image, H5T_STD_I32LE);
    const bool good = t->image.value >= 0 && kdr_h5_link_times(t, image);
    H5Gclose(image);
    return good;
}

static bool make_particles(kdr_trajectory *t, const kdr_trajectory_desc *desc) {
    const hid_t type = t->real == KDR_F32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    const hid_t particles = kdr_h5_group(t->file, "particles"), all = kdr_h5_group(particles, "all");
    const hid_t position = kdr_h5_group(all, "position"), velocity = kdr_h5_group(all, "velocity");
    t->position.value = growing_state(t, position, type);
    t->velocity.value = growing_state(t, velocity, type);
    t->has_species = desc->species != NULL;
    t->step = growing_numbers(position, "step", H5T_STD_U64LE);
    t->time = growing_numbers(position, "time", H5T_IEEE_F64LE);
    const bool good = t->position.value >= 0 && t->velocity.value >= 0 && t->step >= 0 && t->time >= 0 && kdr_h5_link_times(t, velocity) &&
                      make_images(t, all, desc) && make_box(t, all, &desc->boundary) &&
                      (!desc->species || put_array(all, "species", H5T_STD_I32LE, H5T_NATIVE_INT32, desc->species, t->count)) &&
                      kdr_constants_make(t, all, desc);
    H5Gclose(velocity);
    H5Gclose(position);
    H5Gclose(all);
    H5Gclose(particles);
    return good;
}

static bool make_observables(kdr_trajectory *t, const kdr_trajectory_desc *desc) {
    const hid_t observables = kdr_h5_group(t->file, "observables");
    bool good = observables >= 0;
    for (int i = 0; good && i < desc->observable_count; ++i) {
        const hid_t element = kdr_h5_group(observables, desc->observables[i]);
        t->observable[i].value = growing_numbers(element, "value", H5T_IEEE_F64LE);
        t->name[i] = strdup(desc->observables[i]);
        t->observables = i + 1;
        good = t->observable[i].value >= 0 && t->name[i] && kdr_h5_link_times(t, element);
        H5Gclose(element);
    }
    H5Gclose(observables);
    return good;
}

/* ---- opening and closing */

/* Lists all elements of a trajectory. */
enum { ELEMENTS = 4 + KDR_CONSTANTS + KDR_MAX_OBSERVABLES };
static void list_elements(kdr_trajectory *t, kdr_element *list[ELEMENTS]) {
    int n = 0;
    list[n++] = &t->position, list[n++] = &t->velocity, list[n++] = &t->image, list[n++] = &t->edges;
    for (int c = 0; c < KDR_CONSTANTS; ++c) {
        list[n++] = &t->constant[c];
    }
    for (int i = 0; i < KDR_MAX_OBSERVABLES; ++i) {
        list[n++] = &t->observable[i];
    }
}

kdr_trajectory *kdr_trajectory_allocate(const char *path) {
    kdr_trajectory *const t = calloc(1, sizeof *t);
    if (t) {
        kdr_element *list[ELEMENTS];
        list_elements(t, list);
        for (int i = 0; i < ELEMENTS; ++i) {
            list[i]->value = -1;
        }
        t->access = t->file = t->step = t->time = -1;
        t->path = strdup(path);
    }
    return t;
}

bool kdr_trajectory_release(kdr_trajectory *t) {
    kdr_element *list[ELEMENTS];
    list_elements(t, list);
    for (int i = 0; i < ELEMENTS; ++i) {
        H5Dclose(list[i]->value);
        free(list[i]->row);
    }
    for (int i = 0; i < t->observables; ++i) {
        free(t->name[i]);
    }
    H5Dclose(t->step);
    H5Dclose(t->time);
    const bool good = t->file < 0 || H5Fclose(t->file) >= 0;
    H5Pclose(t->access);
    for (int i = 0; i < 5; ++i) {
        free(t->room[i]);
    }
    free(t->steps);
    free(t->times);
    free(t->masses);
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

/* Checks the observables before the file is opened, so that an error leaves an existing file unchanged. */
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
    const int dims = desc && desc->particles ? desc->particles->dims : 0;
    const size_t particle = dims >= 1 && dims <= 3 ? kdr_real_size(desc->real) * (size_t)dims : 0;
    const size_t count = particle == 0 ? 0 : desc->count ? desc->count : desc->particles->count;
    if (count == 0) {
        return 0;
    }
    const size_t most = CHUNK_BYTES / particle, chunks = count / most + (count % most != 0);
    const size_t chunk = count / chunks + (count % chunks != 0);
    if (room) {
        *room = 2 * kdr_planes_room(chunk * particle) + KDR_CONSTANTS_MARK;
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
    const hid_t list = kdr_h5_untimed(H5P_FILE_CREATE);
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
                                  .velocities = trajectory->velocity.value >= 0,
                                  .group = trajectory->group,
                                  .left_out = trajectory->left_out,
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
