/* Writes files of frames. */
#include "frames.h"
#include "states_csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <io/files.h>

struct frames_format {
    const char *ends[2];
    bool has_marks; /* the file can be resumed: bytes that were written never change */
    frames_room room;
    bool (*begin)(frames *f, const frames_head *head, fault *why);
    bool (*write)(frames *f, const population *of, uint64_t step, double t, const double *observables, fault *why);
    bool (*finish)(frames *f, fault *why);
};

/* ---- CSV */

static bool begin_csv(frames *f, const frames_head *head, fault *why) {
    (void)why;
    return states_write_header(f->file.stream, true, population_has_images(head->of));
}

static bool write_csv(frames *f, const population *of, uint64_t step, double t, const double *observables, fault *why) {
    (void)observables, (void)why;
    return states_write_step(f->file.stream, of, step, t);
}

/* ---- H5MD: HDF5 writes the file itself, and the stream holds only the name */

static bool h5_failed(fault *why, const kdr_error *error) { return fault_set(why, "%s", error->message); }

kdr_trajectory_desc frames_desc(const population *of, kdr_particles *view) {
    kdr_trajectory_desc desc = kdr_trajectory_desc_default();
    *view = of->particles;
    view->id = of->id;
    desc.particles = view;
    desc.mass = of->mass;
    desc.real = view->real;
    desc.count = of->total;
    return desc;
}

static bool begin_h5(frames *f, const frames_head *head, fault *why) {
    kdr_particles view;
    kdr_trajectory_desc desc = frames_desc(head->of, &view);
    kdr_error error;
    desc.boundary = head->boundary;
    desc.observables = head->observables;
    desc.observable_count = head->observable_count;
    if (!f->file.temporary) {
        return fault_set(why, "%s: not a regular file, expected one: HDF5 writes no others", f->file.target);
    }
    kdr_file_unlock(fileno(f->file.stream)); /* the trajectory locks the file itself */
    return kdr_trajectory_create(f->file.temporary, &desc, &f->trajectory, &error) == KDR_OK || h5_failed(why, &error);
}

static bool write_h5(frames *f, const population *of, uint64_t step, double t, const double *observables, fault *why) {
    kdr_error error;
    const kdr_clock clock = {t, 0, step}; /* with dt = 0 the clock reads t at any step */
    kdr_particles view = of->particles;
    view.id = of->id;
    const bool whole = of->particles.count == of->total;
    if (kdr_trajectory_set_mass(f->trajectory, of->mass, &error) != KDR_OK ||
        (f->has_box && kdr_trajectory_set_box(f->trajectory, f->box, &error) != KDR_OK)) {
        return h5_failed(why, &error);
    }
    return (whole ? kdr_trajectory_append : kdr_trajectory_append_slice)(f->trajectory, &view, &clock, observables, &error) == KDR_OK ||
           h5_failed(why, &error);
}

static bool finish_h5(frames *f, fault *why) {
    kdr_error error;
    kdr_trajectory *const trajectory = f->trajectory;
    f->trajectory = NULL;
    return kdr_trajectory_close(trajectory, &error) == KDR_OK || h5_failed(why, &error);
}

/* ---- extended XYZ: OVITO and GPUMD read velo and mass; ASE reads momenta and masses */

static bool begin_xyz(frames *f, const frames_head *head, fault *why) {
    (void)f, (void)head, (void)why;
    return true;
}

/* Writes the second line of a frame, which has key=value pairs. */
static void put_about(const frames *f, size_t total, uint64_t step, double t) {
    FILE *const to = f->file.stream;
    const double *const box = f->box;
    fprintf(to, "%zu\n", total);
    if (box[0] > 0 || box[1] > 0 || box[2] > 0) {
        fprintf(to, "Lattice=\"%.17g 0 0 0 %.17g 0 0 0 %.17g\" pbc=\"%c %c %c\" ", box[0], box[1], box[2], box[0] > 0 ? 'T' : 'F',
                box[1] > 0 ? 'T' : 'F', box[2] > 0 ? 'T' : 'F');
    }
    fprintf(to, "Properties=species:S:1:pos:R:3:velo:R:3:mass:R:1:id:I:1:momenta:R:3:masses:R:1 Step=%" PRIu64 " Time=%.17g\n", step, t);
}

static bool write_xyz(frames *f, const population *of, uint64_t step, double t, const double *observables, fault *why) {
    (void)observables, (void)why;
    FILE *const to = f->file.stream;
    if (f->placed == 0) {
        put_about(f, of->total, step, t);
    }
    for (size_t i = 0; i < of->particles.count && !ferror(to); ++i) {
        const double mass = population_mass(of, i);
        fputc('X', to);
        for (int array = 0; array < 6; ++array) {
            fprintf(to, " %.17g", population_get(of, array < 3 ? of->particles.x[array] : of->particles.v[array - 3], i));
        }
        fprintf(to, " %.17g %" PRIu64, mass, population_id(of, i));
        for (int axis = 0; axis < 3; ++axis) { /* a frozen particle has an infinite mass, and so no finite momentum */
            fprintf(to, " %.17g", isinf(mass) ? 0 : mass * population_get(of, of->particles.v[axis], i));
        }
        fprintf(to, " %.17g\n", mass);
    }
    return fflush(to) == 0 && !ferror(to);
}

/* ---- .npy: a one-dimensional structured array; a row is one particle of one frame, with the columns of the CSV file */

enum { NPY_HEAD = 256 };

static bool put_npy_head(frames *f) {
    static const char begin[] = "{'descr': [('step', '<u8'), ('t', '<f8'), ('id', '<u8'), ('x', '<f8'), ('y', '<f8'), ('z', '<f8'), "
                                "('vx', '<f8'), ('vy', '<f8'), ('vz', '<f8'), ('mass', '<f8')], 'fortran_order': False, 'shape': (";
    char head[NPY_HEAD + 1] = "\x93NUMPY\x01";
    const int length = snprintf(head + 10, sizeof head - 10, "%s%" PRIu64 ",), }", begin, f->rows);
    head[7] = 0;
    head[8] = (char)((NPY_HEAD - 10) & 255);
    head[9] = (char)((NPY_HEAD - 10) >> 8);
    memset(head + 10 + length, ' ', (size_t)(NPY_HEAD - 11 - length));
    head[NPY_HEAD - 1] = '\n';
    return fwrite(head, 1, NPY_HEAD, f->file.stream) == NPY_HEAD;
}

static bool begin_npy(frames *f, const frames_head *head, fault *why) {
    (void)head;
    return f->file.temporary ? put_npy_head(f)
                             : fault_set(why, "%s: not a regular file, expected one: its beginning is written last", f->file.target);
}

static void put_word(FILE *to, uint64_t word) {
    for (int i = 0; i < 8; ++i) {
        fputc((int)(word >> 8 * i & 255), to);
    }
}

static void put_double(FILE *to, double value) {
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    put_word(to, word);
}

static bool write_npy(frames *f, const population *of, uint64_t step, double t, const double *observables, fault *why) {
    (void)observables, (void)why;
    FILE *const to = f->file.stream;
    for (size_t i = 0; i < of->particles.count && !ferror(to); ++i) {
        put_word(to, step);
        put_double(to, t);
        put_word(to, population_id(of, i));
        for (int array = 0; array < 6; ++array) {
            put_double(to, population_get(of, array < 3 ? of->particles.x[array] : of->particles.v[array - 3], i));
        }
        put_double(to, population_mass(of, i));
    }
    return !ferror(to);
}

static bool finish_npy(frames *f, fault *why) {
    (void)why;
    return fseek(f->file.stream, 0, SEEK_SET) == 0 && put_npy_head(f);
}

/* ---- all kinds */

static const frames_format formats[] = {
    {{".csv", NULL}, true, {.images = true}, begin_csv, write_csv, NULL},
    {{".h5", ".h5md"}, true, {true, true, true}, begin_h5, write_h5, finish_h5},
    {{".xyz", ".extxyz"}, true, {.box = true}, begin_xyz, write_xyz, NULL},
    {{".npy", NULL}, false, {false, false, false}, begin_npy, write_npy, finish_npy},
};

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), tail = end ? strlen(end) : SIZE_MAX;
    return tail <= length && strcmp(text + length - tail, end) == 0;
}

static const frames_format *format_of(const char *path) {
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; ++i) {
        if (ends_with(path, formats[i].ends[0]) || ends_with(path, formats[i].ends[1])) {
            return &formats[i];
        }
    }
    return &formats[0];
}

frames_room frames_room_of(const frames *f) { return f->format->room; }

void frames_set_box(frames *f, const double box[3]) {
    memcpy(f->box, box, sizeof f->box);
    f->has_box = true;
}

bool frames_is_csv(const char *path) { return format_of(path) == &formats[0]; }

bool frames_check_ending(const char *path, bool resumable, fault *why) {
    kdr_file_info about;
    const char *const name = path + kdr_file_folder(path), *const dot = strrchr(name, '.');
    if (!dot || dot == name || !frames_is_csv(path) || ends_with(path, formats[0].ends[0]) ||
        (kdr_file_look(path, &about) && !about.is_regular)) {
        return true;
    }
    return fault_set(why, "%s: no kind of file ends with %s, expected .csv, .h5, .h5md, .xyz%s, or no ending, which is CSV", path, dot,
                     resumable ? " or .extxyz" : ", .extxyz or .npy");
}

/* Copies the edges of a run's box, which do not change during the run. */
static void take_box(frames *f, const kdr_boundary *boundary) {
    for (int axis = 0; axis < 3 && boundary->kind == KDR_BOUNDARY_PERIODIC; ++axis) {
        f->box[axis] = boundary->max[axis] - boundary->min[axis];
    }
}

bool frames_open(frames *f, const char *path, const frames_head *head, fault *why) {
    const frames_format *const format = format_of(path);
    *f = (frames){.particles = head->of->total};
    take_box(f, &head->boundary);
    if (!frames_check_ending(path, head->resumable, why)) {
        return false;
    }
    if (head->resumable && !format->has_marks) {
        return fault_set(
            why, "%s: a run writes no .npy, whose beginning is written last, expected .csv, .h5 or .xyz (kickdrift convert makes it)",
            path);
    }
    if (!outfile_open(&f->file, path, why)) {
        return false;
    }
    why->text[0] = '\0';
    if (format->begin(f, head, why)) {
        f->format = format;
        return true;
    }
    if (!why->text[0]) { /* the format may have said already what is wrong with the file */
        return outfile_commit(&f->file, why);
    }
    outfile_discard(&f->file);
    return false;
}

bool frames_resume(frames *f, const char *path, const frames_head *head, const outfile_mark *mark, fault *why) {
    kdr_error error;
    *f = (frames){.count = mark->frames};
    take_box(f, &head->boundary);
    if (!outfile_resume(&f->file, path, mark, why)) {
        return false;
    }
    f->format = format_of(path);
    if (!mark->is_whole) {
        return true;
    }
    kdr_file_unlock(fileno(f->file.stream));
    return kdr_trajectory_open(f->file.temporary, mark->frames, &f->trajectory, &error) == KDR_OK || h5_failed(why, &error);
}

/* Counts the particles that were written. When all are there, the frame is complete. */
static void note_placed(frames *f, const population *of, size_t count) {
    f->placed += count;
    f->rows += count;
    f->count += f->placed == of->total;
    f->placed = f->placed == of->total ? 0 : f->placed;
}

bool frames_write(frames *f, const population *of, uint64_t step, double t, const double *observables, fault *why) {
    why->text[0] = '\0';
    if (f->format->write(f, of, step, t, observables, why)) {
        note_placed(f, of, of->particles.count);
        return true;
    }
    return why->text[0] ? false : outfile_commit(&f->file, why); /* the format has failed, and has said why */
}

bool frames_packs(const frames *f, const population *of) {
    return f->trajectory && !population_has_images(of) && (f->count > 0 || (!of->id && !of->particles.inverse_mass));
}

bool frames_write_chunk(frames *f, const population *of, const frames_chunk *chunk, uint64_t step, double t, const double *observables,
                        fault *why) {
    kdr_error error;
    const kdr_clock clock = {t, 0, step};
    if (kdr_trajectory_append_chunk(f->trajectory, chunk->begin, chunk->bytes, chunk->sizes, &clock, observables, &error) != KDR_OK) {
        return h5_failed(why, &error);
    }
    note_placed(f, of, chunk->count);
    return true;
}

bool frames_note(frames *f, const char *name, const char *text, fault *why) {
    kdr_error error;
    return !f->trajectory || kdr_trajectory_note(f->trajectory, name, text, &error) == KDR_OK || h5_failed(why, &error);
}

bool frames_mark_now(frames *f, outfile_mark *mark, fault *why) {
    kdr_error error;
    if (f->trajectory && kdr_trajectory_commit(f->trajectory, &error) != KDR_OK) {
        return h5_failed(why, &error);
    }
    const bool good = outfile_mark_now(&f->file, mark, why);
    mark->frames = f->count;
    mark->is_whole = f->trajectory != NULL;
    return good;
}

bool frames_commit(frames *f, fault *why) {
    why->text[0] = '\0';
    if (f->format->finish && !f->format->finish(f, why) && why->text[0]) {
        return false;
    }
    f->format = NULL;
    return outfile_commit(&f->file, why);
}

void frames_discard(frames *f) {
    kdr_trajectory_close(f->trajectory, NULL);
    f->trajectory = NULL;
    outfile_discard(&f->file);
    f->format = NULL;
}
