/* This file finds the elements of an H5MD file from which frames are made. Each element has its own steps: its values are matched with
 * the positions by step and time. A text names everything in the file that no frame has; the trajectory keeps it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elements.h"
#include "moments.h"

void kdr_elements_leave_out(kdr_trajectory *t, const char *format, ...) {
    static const char others[] = "; and others";
    const size_t used = strlen(t->left_out), room = sizeof t->left_out;
    char text[500];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const bool fits = used + strlen(text) + 2 + sizeof others <= room;
    if (fits || used < sizeof others || strcmp(t->left_out + used - (sizeof others - 1), others) != 0) {
        (void)snprintf(t->left_out + used, room - used, "%s%s", used > 0 ? "; " : "", fits ? text : others + 2);
    }
}

hid_t kdr_h5_open_set(hid_t at, const char *name) {
    char path[600];
    (void)snprintf(path, sizeof path, "%s", name);
    for (char *slash = path; (slash = strchr(slash, '/')) != NULL; ++slash) { /* a link can be looked up only if its group exists */
        *slash = '\0';
        const bool there = H5Lexists(at, path, H5P_DEFAULT) > 0;
        *slash = '/';
        if (!there) {
            return -1;
        }
    }
    return H5Lexists(at, path, H5P_DEFAULT) > 0 ? H5Dopen2(at, path, H5P_DEFAULT) : -1;
}

int kdr_h5_extents(hid_t set, hsize_t extent[3]) {
    const hid_t space = H5Dget_space(set);
    const int rank = H5Sget_simple_extent_ndims(space);
    const bool good = rank >= 1 && rank <= 3 && H5Sget_simple_extent_dims(space, extent, NULL) == rank;
    H5Sclose(space);
    return good ? rank : 0;
}

/* Finds whether HDF5 has failed because the type in memory cannot hold a number. */
static herr_t look_for_conversion(unsigned n, const H5E_error2_t *from, void *is_beyond) {
    (void)n;
    *(bool *)is_beyond = *(bool *)is_beyond || from->min_num == H5E_CANTCONVERT;
    return 0;
}

kdr_status kdr_h5_read_failed(const kdr_trajectory *t, hid_t set, const char *what, kdr_error *error) {
    bool is_beyond = false;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look_for_conversion, &is_beyond);
    if (is_beyond) {
        return kdr_fail(error, KDR_ERROR_FORMAT, "%.100s: %s has a number that %s not hold, expected numbers that do not change", t->path,
                        what, strcmp(what, "image") == 0 ? "whole numbers of 32 bits do" : "a double does");
    }
    const hid_t why = H5Eget_current_stack(), list = H5Dget_create_plist(set);
    char name[64] = "", message[160];
    for (int i = 0; i < H5Pget_nfilters(list); ++i) {
        unsigned flags;
        size_t values = 0;
        const H5Z_filter_t filter = H5Pget_filter2(list, (unsigned)i, &flags, &values, NULL, sizeof name, name, NULL);
        if (filter >= 0 && H5Zfilter_avail(filter) <= 0) {
            H5Pclose(list);
            H5Eclose_stack(why);
            return kdr_fail(error, KDR_ERROR_FORMAT,
                            "%.100s: %s is compressed by the filter %s (%d), which is not here, expected gzip or none", t->path, what,
                            *name ? name : "without a name", (int)filter);
        }
    }
    H5Pclose(list);
    H5Eset_current_stack(why);
    (void)snprintf(message, sizeof message, "read %s of it", what);
    return kdr_h5_failed(t->path, message, error);
}

static H5T_class_t class_of(hid_t set) {
    const hid_t type = H5Dget_type(set);
    const H5T_class_t class = H5Tget_class(type);
    H5Tclose(type);
    return class;
}

static bool is_signed(hid_t set) {
    const hid_t type = H5Dget_type(set);
    const bool signs = H5Tget_sign(type) == H5T_SGN_2;
    H5Tclose(type);
    return signs;
}

/* Lets a conversion fail if the type in memory cannot hold the number, where HDF5 would take the nearest one. Infinities and NaN may
 * become floats. */
static H5T_conv_ret_t refuse_others(H5T_conv_except_t kind, hid_t from, hid_t to, void *source, void *destination, void *data) {
    const bool is_special = kind == H5T_CONV_EXCEPT_PINF || kind == H5T_CONV_EXCEPT_NINF || kind == H5T_CONV_EXCEPT_NAN;
    (void)from, (void)source, (void)destination, (void)data;
    return is_special && H5Tget_class(to) == H5T_FLOAT ? H5T_CONV_UNHANDLED : H5T_CONV_ABORT;
}

bool kdr_element_read(const kdr_element *e, uint64_t frame, hid_t type, void *numbers) {
    hsize_t at[3] = {e->row ? e->row[frame] : frame, 0, 0}, extent[3] = {1, 1, 1};
    const int rank = kdr_h5_extents(e->value, extent);
    const hid_t list = H5Pcreate(H5P_DATASET_XFER);
    bool good = H5Pset_type_conv_cb(list, refuse_others, NULL) >= 0;
    if (!e->per_frame || rank == 0) {
        good = good && H5Dread(e->value, type, H5S_ALL, H5S_ALL, list, numbers) >= 0;
    } else {
        extent[0] = 1;
        const hid_t space = H5Dget_space(e->value), memory = H5Screate_simple(rank, extent, NULL);
        good = good && H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, extent, NULL) >= 0 &&
               H5Dread(e->value, type, memory, space, list, numbers) >= 0;
        const hid_t why = H5Eget_current_stack(); /* the next calls clear this */
        H5Sclose(memory);
        H5Sclose(space);
        H5Eset_current_stack(why);
    }
    const hid_t why = H5Eget_current_stack();
    H5Pclose(list);
    H5Eset_current_stack(why);
    return good;
}

kdr_status kdr_element_read_whole(const kdr_trajectory *t, const kdr_element *e, uint64_t frame, size_t count, const char *what,
                                  uint64_t *numbers, kdr_error *error) {
    const bool real = class_of(e->value) == H5T_FLOAT, with_sign = !real && is_signed(e->value);
    if (!kdr_element_read(e, frame, real ? H5T_NATIVE_DOUBLE : with_sign ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64, numbers)) {
        return kdr_h5_read_failed(t, e->value, what, error);
    }
    for (size_t i = 0; (real || with_sign) && i < count; ++i) {
        double number;
        memcpy(&number, numbers + i, sizeof number);
        if (with_sign) {
            number = (double)(int64_t)numbers[i];
        }
        KDR_CHECK(number >= 0 && number < 0x1p64 && number == floor(number), error, KDR_ERROR_FORMAT,
                  "%.100s: %s: number %zu: expected a whole number from 0 to 2^64 - 1, found %.17g", t->path, what, i, number);
        numbers[i] = real ? (uint64_t)number : numbers[i];
    }
    return KDR_OK;
}

/* ---- elements */

typedef struct taker {
    kdr_trajectory *t;
    hid_t at; /* the group that has the names */
    kdr_moments positions;
    kdr_error *error;
} taker;

/* Opens `name`: a group with a value per frame, or a data set that holds for all frames. *rank becomes the number of extents of one
 * frame's value. Returns false if there are no numbers. */
static bool open_value(const taker *of, const char *name, kdr_element *e, int *rank, hsize_t extent[3]) {
    char path[320];
    H5O_info_t about;
    if (H5Lexists(of->at, name, H5P_DEFAULT) <= 0 || H5Oget_info_by_name2(of->at, name, &about, H5O_INFO_BASIC, H5P_DEFAULT) < 0) {
        return false;
    }
    e->per_frame = about.type == H5O_TYPE_GROUP;
    (void)snprintf(path, sizeof path, e->per_frame ? "%.256s/value" : "%.256s", name);
    e->value = kdr_h5_open_set(of->at, path);
    const H5T_class_t class = e->value < 0 ? H5T_NO_CLASS : class_of(e->value);
    *rank = e->value < 0 ? -1 : kdr_h5_extents(e->value, extent) - e->per_frame;
    if (class == H5T_INTEGER || class == H5T_FLOAT) {
        return true;
    }
    H5Dclose(e->value);
    e->value = -1;
    kdr_elements_leave_out(of->t, "%s, which has no numbers", name);
    return false;
}

static void drop(const taker *of, kdr_element *e, const char *name, const char *why) {
    H5Dclose(e->value);
    free(e->row);
    *e = (kdr_element){.value = -1};
    kdr_elements_leave_out(of->t, "%s%s", name, why);
}

/* Matches the values of an element with the positions. */
static kdr_status take_rows(taker *of, const char *name, kdr_element *e, uint64_t rows) {
    kdr_moments own = {.at = NULL};
    kdr_status status = kdr_moments_take(of->t, of->at, name, rows, &own, of->error);
    if (status == KDR_OK) {
        uint64_t used = 0, last = UINT64_MAX;
        e->row = kdr_moments_match(&of->positions, &own);
        for (uint64_t i = 0; e->row && i < of->positions.count; ++i) {
            used += e->row[i] != UINT64_MAX && e->row[i] != last;
            last = e->row[i];
        }
        status = e->row ? KDR_OK : kdr_fail(of->error, KDR_ERROR_NO_MEMORY, "%.100s: no memory for its steps", of->t->path);
        if (e->row && used < rows) {
            kdr_elements_leave_out(of->t, "%llu of %llu values of %s, at whose steps there are no positions",
                                   (unsigned long long)(rows - used), (unsigned long long)rows, name);
        }
    }
    free(own.at);
    return status;
}

/* Takes an element if it is there and a frame's value has `rank` extents: the count of particles, then dims. */
static kdr_status take_element(taker *of, const char *name, int rank, kdr_element *e) {
    int found;
    hsize_t extent[3];
    if (!open_value(of, name, e, &found, extent)) {
        return KDR_OK;
    }
    const hsize_t *const inner = extent + e->per_frame;
    if (found != rank || (rank > 0 && inner[0] != of->t->count) || (rank > 1 && inner[1] != (hsize_t)of->t->dims)) {
        drop(of, e, name, ", whose shape is not that of the positions");
        return KDR_OK;
    }
    return e->per_frame ? take_rows(of, name, e, extent[0]) : KDR_OK;
}

/* ---- the box */

/* Reads which axes are periodic from the attribute `boundary`. */
static void take_boundary(kdr_trajectory *t, hid_t box) {
    const hid_t attribute = H5Aexists(box, "boundary") > 0 ? H5Aopen(box, "boundary", H5P_DEFAULT) : -1;
    const hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1, space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
    const bool text = type >= 0 && H5Tget_class(type) == H5T_STRING, varies = text && H5Tis_variable_str(type) > 0;
    const size_t size = text ? H5Tget_size(type) : 0;
    char *const bytes = text && count > 0 && (count == 1 || count == t->dims) ? calloc((size_t)count, size + 1) : NULL;
    const bool good = bytes && H5Aread(attribute, type, bytes) >= 0;
    for (int axis = 0; good && axis < t->dims; ++axis) {
        const size_t at = count == 1 ? 0 : (size_t)axis;
        char *pointed = NULL;
        if (varies) {
            memcpy(&pointed, bytes + at * size, sizeof pointed);
        }
        const char *const kind = varies ? pointed : bytes + at * size;
        t->periodic[axis] =
            kind && strncmp(kind, "periodic", 8) == 0 && (varies ? kind[8] == '\0' : size == 8 || kind[8] == '\0' || kind[8] == ' ');
    }
    if (good && varies) {
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, bytes);
    }
    free(bytes);
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attribute);
}

/* Reads the edges of one frame from a vector or from the diagonal of a matrix. Returns false if the matrix is not diagonal or a periodic
 * edge is not positive and finite. */
static bool edges_of(const kdr_trajectory *t, const double *numbers, bool is_matrix, double box[3]) {
    for (int i = 0; i < t->dims; ++i) {
        for (int j = 0; is_matrix && j < t->dims; ++j) {
            if (i != j && numbers[i * t->dims + j] != 0) {
                return false;
            }
        }
        const double edge = numbers[is_matrix ? i * t->dims + i : i];
        if (t->periodic[i] && !(edge > 0 && isfinite(edge))) {
            return false;
        }
        box[i] = t->periodic[i] ? edge : 0;
    }
    return true;
}

static kdr_status take_edges(taker *of, kdr_element *e, bool is_matrix) {
    kdr_trajectory *const t = of->t;
    const uint64_t frames = e->per_frame ? of->positions.count : 1;
    for (uint64_t i = 0; i < frames; ++i) {
        double numbers[9];
        if (e->row && e->row[i] == UINT64_MAX) {
            continue;
        }
        if (!kdr_element_read(e, i, H5T_NATIVE_DOUBLE, numbers)) {
            return kdr_h5_read_failed(t, e->value, "box/edges", of->error);
        }
        double box[3];
        if (!edges_of(t, numbers, is_matrix, box)) {
            memset(t->periodic, 0, sizeof t->periodic);
            drop(of, e, "box/edges", ", which is not of a rectangular box");
            return KDR_OK;
        }
    }
    t->edges_are_matrix = is_matrix;
    return KDR_OK;
}

static kdr_status take_box(taker *of) {
    kdr_trajectory *const t = of->t;
    kdr_element *const e = &t->edges;
    const hid_t box = H5Lexists(of->at, "box", H5P_DEFAULT) > 0 ? H5Gopen2(of->at, "box", H5P_DEFAULT) : -1;
    int rank;
    hsize_t extent[3];
    if (box < 0) {
        return KDR_OK;
    }
    take_boundary(t, box);
    H5Gclose(box);
    if (!open_value(of, "box/edges", e, &rank, extent)) {
        if (t->periodic[0] || t->periodic[1] || t->periodic[2]) {
            kdr_elements_leave_out(t, "box, which is periodic and has no edges");
        }
        memset(t->periodic, 0, sizeof t->periodic);
        return KDR_OK;
    }
    const hsize_t *const inner = extent + e->per_frame, dims = (hsize_t)t->dims;
    if (!t->periodic[0] && !t->periodic[1] && !t->periodic[2]) {
        drop(of, e, "box/edges", ", which is not of a periodic box");
        return KDR_OK;
    }
    if (!(rank == 1 && inner[0] == dims) && !(rank == 2 && inner[0] == dims && inner[1] == dims)) {
        memset(t->periodic, 0, sizeof t->periodic);
        drop(of, e, "box/edges", ", whose shape is no box's");
        return KDR_OK;
    }
    const kdr_status status = e->per_frame ? take_rows(of, "box/edges", e, extent[0]) : KDR_OK;
    return status == KDR_OK ? take_edges(of, e, rank == 2) : status;
}

kdr_status kdr_edges_read(kdr_trajectory *t, uint64_t frame, double box[3], kdr_error *error) {
    double numbers[9];
    memset(box, 0, 3 * sizeof *box);
    if (t->edges.value < 0) {
        return KDR_OK;
    }
    return kdr_element_read(&t->edges, frame, H5T_NATIVE_DOUBLE, numbers) && edges_of(t, numbers, t->edges_are_matrix, box)
               ? KDR_OK
               : kdr_h5_read_failed(t, t->edges.value, "box/edges", error);
}

/* ---- all of them */

/* Returns the order in which to list a group: the order of creation if the group keeps it, as those of this library do; otherwise the
 * order of names. */
static H5_index_t order_of(hid_t group) {
    const hid_t list = H5Gget_create_plist(group);
    unsigned flags = 0;
    const bool kept = H5Pget_link_creation_order(list, &flags) >= 0 && flags & H5P_CRT_ORDER_TRACKED;
    H5Pclose(list);
    return kept ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
}

/* Takes the observables of the frames: all of /observables that have one number at the step of each position. */
static kdr_status take_observables(taker *of) {
    kdr_trajectory *const t = of->t;
    char name[256], label[300];
    of->at = H5Lexists(t->file, "observables", H5P_DEFAULT) > 0 ? H5Gopen2(t->file, "observables", H5P_DEFAULT) : -1;
    const H5_index_t order = of->at >= 0 ? order_of(of->at) : H5_INDEX_NAME;
    kdr_status status = KDR_OK;
    for (hsize_t i = 0;
         status == KDR_OK && of->at >= 0 && H5Lget_name_by_idx(of->at, ".", order, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) > 0;
         ++i) {
        kdr_element e = {.value = -1};
        int rank;
        hsize_t extent[3];
        (void)snprintf(label, sizeof label, "observables/%s", name);
        if (!open_value(of, name, &e, &rank, extent)) {
            continue;
        }
        if (rank != 0 || !e.per_frame || t->observables == KDR_MAX_OBSERVABLES) {
            drop(of, &e, label, "");
            continue;
        }
        status = take_rows(of, name, &e, extent[0]);
        bool all = status == KDR_OK;
        for (uint64_t n = 0; all && n < of->positions.count; ++n) {
            all = e.row[n] != UINT64_MAX;
        }
        if (!all) {
            drop(of, &e, label, ", which has no value at the steps of some positions");
            continue;
        }
        t->name[t->observables] = strdup(name);
        t->observable[t->observables++] = e;
    }
    H5Gclose(of->at);
    return status;
}

/* Decides which positions are frames: those at whose steps everything per frame in the file has a value. */
static kdr_status settle_frames(taker *of) {
    kdr_trajectory *const t = of->t;
    const struct {
        kdr_element *e;
        const char *name;
    } all[] = {{&t->velocity, "velocity"},
               {&t->image, "image"},
               {&t->constant[KDR_CONSTANT_ID], "id"},
               {&t->edges, "box/edges"},
               {&t->constant[KDR_CONSTANT_MASS], "mass"},
               {&t->position, "position"}};
    enum { ALL = sizeof all / sizeof all[0] };
    const char *lacks = "";
    t->frames = 0;
    for (uint64_t i = 0; i < of->positions.count; ++i) {
        bool whole = true;
        for (int n = 0; n < ALL; ++n) {
            if (all[n].e->row && all[n].e->row[i] == UINT64_MAX) {
                whole = false, lacks = all[n].name;
            }
        }
        if (!whole) {
            continue;
        }
        for (int n = 0; n < ALL; ++n) {
            if (all[n].e->row) {
                all[n].e->row[t->frames] = all[n].e->row[i];
            }
        }
        for (int n = 0; n < t->observables; ++n) {
            t->observable[n].row[t->frames] = t->observable[n].row[i];
        }
        t->steps[t->frames] = of->positions.at[i].step;
        t->times[t->frames++] = of->positions.at[i].time;
    }
    KDR_CHECK(t->frames > 0 || of->positions.count == 0, of->error, KDR_ERROR_FORMAT,
              "%.100s: /particles/%.100s: expected steps at which position and %s have values, found none", t->path, t->group, lacks);
    if (t->frames < of->positions.count) {
        kdr_elements_leave_out(t, "%llu of %llu frames, at whose steps %s has no value",
                               (unsigned long long)(of->positions.count - t->frames), (unsigned long long)of->positions.count, lacks);
    }
    return KDR_OK;
}

static kdr_status take_positions(taker *of, uint64_t rows) {
    kdr_trajectory *const t = of->t;
    kdr_status status = kdr_moments_take(t, of->at, "position", rows, &of->positions, of->error);
    const uint64_t count = of->positions.count;
    uint64_t *const row = malloc((count + 1) * sizeof *row);
    t->position.row = row;
    t->steps = malloc((count + 1) * sizeof *t->steps);
    t->times = malloc((count + 1) * sizeof *t->times);
    if (status == KDR_OK && !(row && t->steps && t->times)) {
        status = kdr_fail(of->error, KDR_ERROR_NO_MEMORY, "%.100s: no memory for its steps", t->path);
    }
    for (uint64_t i = 0; row && status == KDR_OK && i < count; ++i) {
        row[i] = i;
    }
    if (status == KDR_OK && count < rows) {
        kdr_elements_leave_out(t, "%llu of %llu frames, which have no step or time", (unsigned long long)(rows - count),
                               (unsigned long long)rows);
    }
    return status;
}

kdr_status kdr_elements_take(kdr_trajectory *t, hid_t all, uint64_t rows, kdr_error *error) {
    taker of = {.t = t, .at = all, .error = error};
    kdr_status status = take_positions(&of, rows);
    status = status == KDR_OK ? take_element(&of, "velocity", 2, &t->velocity) : status;
    status = status == KDR_OK ? take_element(&of, "image", 2, &t->image) : status;
    status = status == KDR_OK ? take_element(&of, "id", 1, &t->constant[KDR_CONSTANT_ID]) : status;
    status = status == KDR_OK ? take_element(&of, "mass", 1, &t->constant[KDR_CONSTANT_MASS]) : status;
    status = status == KDR_OK ? take_box(&of) : status;
    status = status == KDR_OK ? take_observables(&of) : status;
    status = status == KDR_OK ? settle_frames(&of) : status;
    free(of.positions.at);
    return status;
}
