/* This file opens H5MD files, made by this library or by others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elements.h"
#include "files.h"
#include "journal.h"

/* Opens the positions of a group of /particles, and sets their extents. Returns a negative number if there are none. */
static hid_t open_positions(hid_t particles, const char *name, hsize_t extent[3]) {
    char path[300];
    (void)snprintf(path, sizeof path, "%.256s/position/value", name);
    const hid_t set = kdr_h5_open_set(particles, path);
    if (set >= 0 && kdr_h5_extents(set, extent) == 3 && extent[2] >= 1 && extent[2] <= 3) {
        return set;
    }
    H5Dclose(set);
    return -1;
}

/* Adds a name to a list, with commas between. */
static void list_name(char names[400], const char *name) {
    const size_t used = strlen(names);
    (void)snprintf(names + used, 400 - used, "%s%.100s", used > 0 ? ", " : "", name);
}

/* Chooses the group that was asked for, or the first that has positions. The other groups with positions are named in the text. */
static kdr_status choose_group(kdr_trajectory *t, hid_t particles, const char *wanted, kdr_error *error) {
    char name[256], names[400] = "", others[400] = "";
    hsize_t extent[3];
    bool found = false;
    for (hsize_t i = 0; H5Lget_name_by_idx(particles, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) > 0; ++i) {
        const hid_t positions = open_positions(particles, name, extent);
        H5Dclose(positions);
        list_name(names, name);
        if (!found && positions >= 0 && (!wanted || strcmp(name, wanted) == 0)) {
            memcpy(t->group, name, sizeof t->group);
            found = true;
        } else {
            list_name(others, name);
        }
    }
    KDR_CHECK(found, error, KDR_ERROR_FORMAT,
              "%.100s: no positions of H5MD in it, expected /particles/%.100s/position/value of 3 extents; in /particles are: %s", t->path,
              wanted ? wanted : "...", *names ? names : "none");
    if (*others) {
        kdr_elements_leave_out(t, "of /particles: %s", others);
    }
    return KDR_OK;
}

/* Names the links at `at` that are not known, because no frame has them. */
static void name_others(kdr_trajectory *t, hid_t at, const char *const known[], const char *prefix) {
    char name[256];
    for (hsize_t i = 0; H5Lget_name_by_idx(at, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) > 0; ++i) {
        bool is_known = false;
        for (int n = 0; known[n]; ++n) {
            is_known = is_known || strcmp(name, known[n]) == 0;
        }
        if (!is_known) {
            kdr_elements_leave_out(t, "%s%s", prefix, name);
        }
    }
}

/* Reads the attribute `unit` of a data set; the text is empty if there is none. */
static void take_unit(hid_t set, char unit[32]) {
    const hid_t attribute = H5Aexists(set, "unit") > 0 ? H5Aopen(set, "unit", H5P_DEFAULT) : -1;
    const hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1, space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    const bool is_text = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1;
    const bool varies = is_text && H5Tis_variable_str(type) > 0;
    char *pointed = NULL, *const fixed = is_text && !varies ? calloc(H5Tget_size(type) + 1, 1) : NULL;
    const char *text = "";
    if (varies && H5Aread(attribute, type, &pointed) >= 0 && pointed) {
        text = pointed;
    } else if (fixed && H5Aread(attribute, type, fixed) >= 0) {
        text = fixed;
    }
    (void)snprintf(unit, 32, "%.31s", text);
    if (pointed) {
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, &pointed);
    }
    free(fixed);
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attribute);
}

/* Names the units of the data sets: frames have no units. */
static void name_units(kdr_trajectory *t, hid_t all) {
    static const struct {
        const char *path, *name;
    } sets[] = {{"position/value", "position"}, {"position/time", "time"},  {"velocity/value", "velocity"},  {"mass", "mass"},
                {"mass/value", "mass"},         {"box/edges", "box/edges"}, {"box/edges/value", "box/edges"}};
    char list[400] = "", unit[32];
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; ++i) {
        const hid_t set = kdr_h5_open_set(all, sets[i].path);
        const size_t used = strlen(list);
        take_unit(set, unit);
        if (*unit) {
            (void)snprintf(list + used, sizeof list - used, "%s%s in %s", used > 0 ? ", " : "", sets[i].name, unit);
        }
        H5Dclose(set);
    }
    if (*list) {
        kdr_elements_leave_out(t, "units (%s)", list);
    }
}

/* Returns whether the numbers of a data set have more bits than a double, so that reading would round them. */
static bool is_too_wide(hid_t set) {
    const hid_t type = set < 0 ? -1 : H5Dget_type(set);
    const bool wide = type >= 0 && H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) > sizeof(double);
    H5Tclose(type);
    return wide;
}

static bool is_wide(hid_t set) {
    const hid_t type = H5Dget_type(set);
    const bool wide = H5Tget_class(type) != H5T_FLOAT || H5Tget_size(type) > sizeof(float);
    H5Tclose(type);
    return wide;
}

/* Takes everything that frames need from a file that is read. */
static kdr_status take_frames(kdr_trajectory *t, hid_t all, uint64_t rows, kdr_error *error) {
    static const char *const parts[] = {"position", "velocity", "image", "id", "mass", "box", NULL};
    static const char *const groups[] = {"h5md", "particles", "observables", "parameters", NULL};
    const kdr_status status = kdr_elements_take(t, all, rows, error);
    if (status != KDR_OK) {
        return status;
    }
    t->real = is_wide(t->position.value) || (t->velocity.value >= 0 && is_wide(t->velocity.value)) ? KDR_F64 : KDR_F32;
    name_others(t, all, parts, "");
    name_others(t, t->file, groups, "/");
    name_units(t, all);
    KDR_CHECK(!is_too_wide(t->position.value) && !is_too_wide(t->velocity.value), error, KDR_ERROR_FORMAT,
              "%.100s: positions or velocities of more than 64 bits, expected numbers that a double holds", t->path);
    const size_t frame = t->count * (size_t)t->dims * kdr_real_size(t->real);
    t->room[0] = malloc(frame + 1);
    t->room[1] = calloc(1, frame + 1);
    t->room[2] = calloc(1, (t->image.value < 0 ? 0 : t->count * (size_t)t->dims * sizeof(int32_t)) + 1);
    t->id = t->constant[KDR_CONSTANT_ID].value < 0 ? NULL : malloc(t->count * sizeof *t->id + 1);
    t->masses = t->constant[KDR_CONSTANT_MASS].value < 0 ? NULL : malloc(t->count * sizeof *t->masses + 1);
    t->inverse_mass = t->masses ? malloc(t->count * sizeof(double) + 1) : NULL;
    KDR_CHECK(t->room[0] && t->room[1] && t->room[2] && (t->id || t->constant[KDR_CONSTANT_ID].value < 0) &&
                  (t->inverse_mass || t->constant[KDR_CONSTANT_MASS].value < 0),
              error, KDR_ERROR_NO_MEMORY, "%.100s: no memory for a frame", t->path);
    return KDR_OK;
}

/* ---- a file of this library to which frames are appended */

static bool is_group(hid_t at, const char *name) {
    H5O_info_t about;
    return H5Lexists(at, name, H5P_DEFAULT) > 0 && H5Oget_info_by_name2(at, name, &about, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
           about.type == H5O_TYPE_GROUP;
}

/* Opens the observables in the order in which they were made. */
static void open_observables(kdr_trajectory *t) {
    char name[256], path[300];
    const hid_t at = H5Lexists(t->file, "observables", H5P_DEFAULT) > 0 ? H5Gopen2(t->file, "observables", H5P_DEFAULT) : -1;
    for (hsize_t i = 0; at >= 0 && t->observables < KDR_MAX_OBSERVABLES &&
                        H5Lget_name_by_idx(at, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) > 0;
         ++i) {
        (void)snprintf(path, sizeof path, "%s/value", name);
        t->observable[t->observables].value = kdr_h5_open_set(at, path);
        t->name[t->observables++] = strdup(name);
    }
    H5Gclose(at);
}

static void take_chunks(kdr_trajectory *t) {
    const hid_t made = H5Dget_create_plist(t->position.value);
    hsize_t chunk[3] = {0, t->count, 0};
    unsigned level[1] = {0};
    size_t values = 1;
    unsigned flags;
    if (H5Pget_chunk(made, 3, chunk) == 3 && H5Pget_filter_by_id2(made, H5Z_FILTER_DEFLATE, &flags, &values, level, 0, NULL, NULL) >= 0) {
        t->deflate = (int)level[0];
    }
    t->chunk = chunk[1];
    H5Pclose(made);
}

static bool cut(kdr_trajectory *t, uint64_t frames) {
    const hsize_t extent[3] = {frames, t->count, (hsize_t)t->dims}, edges[3] = {frames, (hsize_t)t->dims, (hsize_t)t->dims};
    bool good = H5Dset_extent(t->position.value, extent) >= 0 && H5Dset_extent(t->velocity.value, extent) >= 0 &&
                H5Dset_extent(t->step, extent) >= 0 && H5Dset_extent(t->time, extent) >= 0;
    good = good && (t->image.value < 0 || H5Dset_extent(t->image.value, extent) >= 0);
    good = good && (t->edges.value < 0 || H5Dset_extent(t->edges.value, edges) >= 0) && kdr_constants_extend(t, frames);
    for (int i = 0; i < t->observables; ++i) {
        good = good && H5Dset_extent(t->observable[i].value, extent) >= 0;
    }
    t->frames = frames;
    return good && kdr_journal_commit(t->file);
}

/* Reads the edges of the last frame that is kept; the frames that follow have the same box. */
static bool take_last_box(kdr_trajectory *t, hid_t all, uint64_t frames) {
    double matrix[9];
    if (!is_group(all, "box/edges")) {
        return true;
    }
    t->edges = (kdr_element){.value = kdr_h5_open_set(all, "box/edges/value"), .per_frame = true};
    t->edges_are_matrix = true;
    if (t->edges.value < 0 || (frames > 0 && !kdr_element_read(&t->edges, frames - 1, H5T_NATIVE_DOUBLE, matrix))) {
        return false;
    }
    for (int axis = 0; axis < t->dims; ++axis) {
        t->box[axis] = frames > 0 ? matrix[axis * t->dims + axis] : 0;
        t->periodic[axis] = t->box[axis] > 0;
    }
    return true;
}

static kdr_status go_on(kdr_trajectory *t, hid_t all, uint64_t rows, uint64_t frames, kdr_error *error) {
    hsize_t extent[3];
    t->velocity.value = kdr_h5_open_set(all, "velocity/value");
    t->image.value = kdr_h5_open_set(all, "image/value");
    t->step = kdr_h5_open_set(all, "position/step");
    t->time = kdr_h5_open_set(all, "position/time");
    t->real = is_wide(t->position.value) ? KDR_F64 : KDR_F32;
    t->frames = rows;
    t->has_species = H5Lexists(all, "species", H5P_DEFAULT) > 0;
    take_chunks(t);
    open_observables(t);
    KDR_CHECK(frames <= rows && strcmp(t->group, "all") == 0 && t->velocity.value >= 0 && kdr_h5_extents(t->velocity.value, extent) == 3 &&
                  t->step >= 0 && t->time >= 0 && t->chunk > 0 && kdr_constants_open(t, all) && take_last_box(t, all, frames),
              error, KDR_ERROR_FORMAT, "%.100s: it has %llu frames, expected %llu, and velocities, of this library", t->path,
              (unsigned long long)rows, (unsigned long long)frames);
    KDR_CHECK(kdr_trajectory_rooms(t), error, KDR_ERROR_NO_MEMORY, "%.100s: no memory for a frame", t->path);
    return cut(t, frames) ? KDR_OK : kdr_h5_failed(t->path, "cut it", error);
}

/* ---- opening */

static kdr_status take_all(kdr_trajectory *t, const char *group, uint64_t frames, kdr_error *error) {
    const hid_t particles = H5Lexists(t->file, "particles", H5P_DEFAULT) > 0 ? H5Gopen2(t->file, "particles", H5P_DEFAULT) : -1;
    hsize_t extent[3] = {0, 0, 0};
    KDR_CHECK(particles >= 0, error, KDR_ERROR_FORMAT,
              "%.100s: no positions of H5MD in it, expected /particles/.../position/value of 3 extents; there is no /particles", t->path);
    kdr_status status = choose_group(t, particles, group, error);
    if (status == KDR_OK) {
        const hid_t all = H5Gopen2(particles, t->group, H5P_DEFAULT);
        t->position = (kdr_element){.value = open_positions(particles, t->group, extent), .per_frame = true};
        t->count = extent[1];
        t->dims = (int)extent[2];
        status = t->writes ? go_on(t, all, extent[0], frames, error) : take_frames(t, all, extent[0], error);
        H5Gclose(all);
    }
    H5Gclose(particles);
    return status == KDR_OK && !t->writes && t->frames > 0 ? kdr_edges_read(t, 0, t->box, error) : status;
}

/* Reports why HDF5 cannot open the file. */
static kdr_status explain(const char *path, kdr_error *error) {
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char found[sizeof signature] = {0};
    FILE *const file = kdr_file_stream(path, false);
    const size_t got = file ? fread(found, 1, sizeof found, file) : 0;
    if (file) {
        (void)fclose(file);
    }
    return got == sizeof found && memcmp(found, signature, sizeof found) == 0
               ? kdr_fail(error, KDR_ERROR_FORMAT,
                          "%.100s: HDF5 does not open it although it begins as its files do: it was cut, or another process writes it",
                          path)
               : kdr_fail(error, KDR_ERROR_FORMAT, "%.100s: not a file of HDF5, expected a trajectory", path);
}

static kdr_status open_as(const char *path, const char *group, uint64_t frames, kdr_trajectory **trajectory, kdr_error *error) {
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
        status = explain(path, error);
    } else {
        status = take_all(t, group, frames, error);
    }
    if (status == KDR_OK) {
        *trajectory = t;
    } else {
        kdr_trajectory_release(t);
    }
    kdr_h5_speak(before);
    return status;
}

kdr_status kdr_trajectory_open(const char *path, uint64_t frames, kdr_trajectory **trajectory, kdr_error *error) {
    return open_as(path, NULL, frames, trajectory, error);
}

kdr_status kdr_trajectory_open_group(const char *path, const char *group, kdr_trajectory **trajectory, kdr_error *error) {
    return open_as(path, group, UINT64_MAX, trajectory, error);
}
