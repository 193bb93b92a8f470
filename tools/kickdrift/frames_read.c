/* Reading files of frames. */
#include "frames_read.h"
#include "population_builder.h"
#include "table.h"

#include <kickdrift/io.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <io/files.h>

enum { STATES = 6, MASS = STATES, COLUMNS };
static const char *const names[COLUMNS] = {"x", "y", "z", "vx", "vy", "vz", "mass"};

typedef struct reader_format {
    const char *ends[2];
    bool (*open)(frames_reader *r);
    frame_result (*next)(frames_reader *r);
    void (*close)(frames_reader *r);
} reader_format;

struct frames_reader {
    const reader_format *format;
    const char *path;
    fault *why;
    frame frame;
    size_t room; /* particles that the arrays have room for */
    size_t most; /* that a frame takes, of those that it has */
    bool has_id, has_mass, has_image;
    double image[3]; /* of the particle that is added */
    double box[3];
    uint64_t size, done; /* bytes, or frames */
    table *rows;         /* CSV */
    size_t source[COLUMNS], image_source[3], id_source, step_source, t_source;
    bool waits;   /* a row of the next frame has been read */
    FILE *stream; /* XYZ, .npy */
    size_t line;
    char *text;
    size_t text_size;
    kdr_trajectory *trajectory; /* H5MD */
};

static bool complain(frames_reader *r, const char *message) {
    return r->line > 0 ? fault_set(r->why, "%s:%zu: %s", r->path, r->line, message) : fault_set(r->why, "%s: %s", r->path, message);
}

/* The array of column k of a frame. */
static void **column(frames_reader *r, int k) {
    kdr_particles *const p = &r->frame.of.particles;
    return k < 3 ? &p->x[k] : k < STATES ? &p->v[k - 3] : &p->inverse_mass;
}

static bool reserve(frames_reader *r, size_t count) {
    if (count <= r->room) {
        return true;
    }
    const size_t room = count + count / 2 + 64;
    bool good = room <= SIZE_MAX / sizeof(double);
    for (int k = 0; good && k < COLUMNS; ++k) {
        if (k < STATES || r->has_mass) {
            void *const more = realloc(*column(r, k), room * sizeof(double));
            *column(r, k) = more ? more : *column(r, k);
            good = more;
        }
    }
    if (good && r->has_id) {
        uint64_t *const more = realloc(r->frame.of.id, room * sizeof *more);
        r->frame.of.id = more ? more : r->frame.of.id;
        good = more;
    }
    for (int axis = 0; good && r->has_image && axis < 3; ++axis) {
        int32_t *const more = realloc(r->frame.of.particles.images[axis], room * sizeof *more);
        r->frame.of.particles.images[axis] = more ? more : r->frame.of.particles.images[axis];
        good = more;
    }
    r->room = good ? room : r->room;
    return good || complain(r, "no memory for a frame, expected fewer particles");
}

/* Adds a particle to the frame. */
static bool add(frames_reader *r, const double values[COLUMNS], uint64_t id) {
    kdr_particles *const p = &r->frame.of.particles;
    if (!reserve(r, p->count + 1)) {
        return false;
    }
    for (int k = 0; k < STATES; ++k) {
        population_store(p->real, *column(r, k), p->count, values[k]);
    }
    if (r->has_mass) {
        population_store(p->real, p->inverse_mass, p->count, 1 / values[MASS]);
    }
    if (r->has_id) {
        r->frame.of.id[p->count] = id;
    }
    for (int axis = 0; r->has_image && axis < 3; ++axis) {
        p->images[axis][p->count] = (int32_t)r->image[axis];
    }
    ++p->count;
    return true;
}

/* ---- CSV: a frame is rows of one step, or the whole file where there is no such column */

static bool parse_any(const value_type *type, const char *text, void *destination) {
    (void)type;
    return number_parse(text, destination) != NUMBER_NONE;
}
static const value_type ANY_NUMBER = {parse_any, "a number", false, 0, 0, false, NULL};

static bool open_csv(frames_reader *r) {
    r->rows = table_open(r->path, r->why);
    if (!r->rows) {
        return false;
    }
    r->id_source = table_find(r->rows, "id");
    r->step_source = table_find(r->rows, "step");
    r->t_source = table_find(r->rows, "t");
    for (int k = 0; k < COLUMNS; ++k) {
        r->source[k] = table_find(r->rows, names[k]);
        if (r->source[k] == SIZE_MAX && k < STATES) {
            return table_complain(r->rows, "no column %s, expected a header with x, y, z, vx, vy, vz", names[k]);
        }
    }
    r->has_id = r->id_source != SIZE_MAX;
    r->has_mass = r->source[MASS] != SIZE_MAX;
    r->has_image = true;
    for (int axis = 0; axis < 3; ++axis) {
        r->image_source[axis] = table_find(r->rows, (const char *const[]){"ix", "iy", "iz"}[axis]);
        r->has_image = r->has_image && r->image_source[axis] != SIZE_MAX;
    }
    return true;
}

static bool take_row(frames_reader *r) {
    double values[COLUMNS] = {0};
    uint64_t id = 0;
    for (int k = 0; k < COLUMNS; ++k) {
        if (r->source[k] != SIZE_MAX && !table_value(r->rows, r->source[k], &ANY_NUMBER, &values[k])) {
            return false;
        }
    }
    for (int axis = 0; r->has_image && axis < 3; ++axis) {
        if (!table_value(r->rows, r->image_source[axis], &VALUE_IMAGE, &r->image[axis])) {
            return false;
        }
    }
    return (!r->has_id || table_value(r->rows, r->id_source, &VALUE_UINT64, &id)) && add(r, values, id);
}

static frame_result next_csv(frames_reader *r) {
    bool begun = false;
    for (;;) {
        uint64_t step = 0;
        if (!r->waits) {
            const table_result found = table_next(r->rows);
            if (found != TABLE_ROW) {
                return found == TABLE_WRONG ? FRAME_WRONG : begun ? FRAME_READ : FRAME_END;
            }
        }
        if (r->step_source != SIZE_MAX && !table_value(r->rows, r->step_source, &VALUE_UINT64, &step)) {
            return FRAME_WRONG;
        }
        r->waits = begun && step != r->frame.step;
        if (r->waits) {
            return FRAME_READ;
        }
        if (!begun) {
            r->frame.step = step;
            r->frame.t = (double)step;
            if (r->t_source != SIZE_MAX && !table_value(r->rows, r->t_source, &ANY_NUMBER, &r->frame.t)) {
                return FRAME_WRONG;
            }
        }
        begun = true;
        if (!take_row(r)) {
            return FRAME_WRONG;
        }
    }
}

static void close_csv(frames_reader *r) { table_close(r->rows); }

/* ---- streams */

static bool open_stream(frames_reader *r) {
    kdr_file_info about;
    r->stream = kdr_file_stream(r->path, false);
    if (!r->stream) {
        return fault_set(r->why, "%s: cannot open: %s, expected frames", r->path, strerror(errno));
    }
    r->size = kdr_file_look_at(fileno(r->stream), &about) ? about.size : 0;
    return true;
}

static void close_stream(frames_reader *r) {
    if (r->stream) {
        fclose(r->stream);
    }
    free(r->text);
}

/* ---- extended XYZ: the count, a line of key=value, a line a particle */

static bool read_line(frames_reader *r) {
    enum { FIRST = 256 };
    size_t length = 0;
    for (;;) {
        if (length + FIRST > r->text_size) {
            char *const more = realloc(r->text, 2 * r->text_size + FIRST);
            if (!more) {
                return false;
            }
            r->text = more;
            r->text_size = 2 * r->text_size + FIRST;
        }
        if (!fgets(r->text + length, (int)(r->text_size - length < INT_MAX ? r->text_size - length : INT_MAX), r->stream)) {
            break;
        }
        const size_t got = strlen(r->text + length);
        length += got;
        if (got == 0 || r->text[length - 1] == '\n') {
            break;
        }
    }
    ++r->line;
    r->done += length;
    return length > 0;
}

static const char *value_after(const char *text, const char *key) {
    const char *const found = strstr(text, key);
    return found ? found + strlen(key) : NULL;
}

/* The columns that Properties=name:type:count:... says, each by its first word. */
static bool take_properties(frames_reader *r) {
    static const struct {
        const char *name;
        int first, count;
    } known[] = {{"pos", 0, 3}, {"velo", 3, 3}, {"vel", 3, 3}, {"velocities", 3, 3}, {"mass", MASS, 1}, {"masses", MASS, 1}};
    const char *next = value_after(r->text, "Properties=");
    size_t word = 0;
    for (int k = 0; k < COLUMNS; ++k) {
        r->source[k] = SIZE_MAX;
    }
    r->id_source = SIZE_MAX;
    next = next ? next : "species:S:1:pos:R:3"; /* as plain XYZ */
    char name[32], type;
    int count, used;
    while (sscanf(next, "%31[^:]:%c:%d%n", name, &type, &count, &used) == 3 && count > 0 && count < 100) {
        for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
            for (int k = 0; strcmp(known[i].name, name) == 0 && k < known[i].count && k < count; ++k) {
                r->source[known[i].first + k] = word + (size_t)k;
            }
        }
        r->id_source = strcmp(name, "id") == 0 ? word : r->id_source;
        word += (size_t)count;
        next += used;
        next += *next == ':';
        if (*next == ' ' || *next == '\n' || *next == '\0') {
            break;
        }
    }
    return r->source[0] != SIZE_MAX || complain(r, "no positions, expected Properties=...:pos:R:3:...");
}

static bool take_atom(frames_reader *r) {
    double values[COLUMNS] = {0, 0, 0, 0, 0, 0, 1};
    uint64_t id = 0;
    int needed = 0;
    size_t word = 0;
    for (int k = 0; k < COLUMNS; ++k) {
        needed += r->source[k] != SIZE_MAX;
    }
    for (char *rest = r->text, *text; (text = strtok_r(rest, " \t\r\n", &rest)) != NULL; ++word) {
        for (int k = 0; k < COLUMNS; ++k) {
            if (r->source[k] == word) {
                if (number_parse(text, &values[k]) == NUMBER_NONE) {
                    return complain(r, "expected a number a column");
                }
                --needed;
            }
        }
        if (r->id_source == word && !VALUE_UINT64.parse(&VALUE_UINT64, text, &id)) {
            return complain(r, "expected a whole number as id");
        }
    }
    return needed == 0 ? add(r, values, id) : complain(r, "fewer columns than Properties says");
}

static frame_result next_xyz(frames_reader *r) {
    uint64_t count;
    char trimmed[32];
    if (!read_line(r) || strspn(r->text, " \t\r\n") == strlen(r->text)) {
        return FRAME_END;
    }
    if (sscanf(r->text, "%31s", trimmed) != 1 || !VALUE_UINT64.parse(&VALUE_UINT64, trimmed, &count) || !read_line(r)) {
        complain(r, "expected the number of particles, and a line about them");
        return FRAME_WRONG;
    }
    if (!take_properties(r)) {
        return FRAME_WRONG;
    }
    const char *const step = value_after(r->text, "Step="), *const time = value_after(r->text, "Time=");
    r->frame.step = step ? strtoull(step, NULL, 10) : r->frame.step + (r->room > 0);
    r->frame.t = time ? strtod(time, NULL) : (double)r->frame.step;
    if (r->room == 0) { /* what the first frame has, all have */
        r->has_id = r->id_source != SIZE_MAX;
        r->has_mass = r->source[MASS] != SIZE_MAX;
    }
    for (uint64_t i = 0; i < count; ++i) {
        if (!read_line(r)) {
            complain(r, "the file ends within a frame");
            return FRAME_WRONG;
        }
        if (!take_atom(r)) {
            return FRAME_WRONG;
        }
    }
    return FRAME_READ;
}

/* ---- .npy, as frames.c writes it */

enum { NPY_HEAD = 256, NPY_ROW = 80 };

static uint64_t word_at(const unsigned char *bytes) {
    uint64_t word = 0;
    for (int i = 8; i-- > 0;) {
        word = word << 8 | bytes[i];
    }
    return word;
}

static double double_at(const unsigned char *bytes) {
    const uint64_t word = word_at(bytes);
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static bool open_npy(frames_reader *r) {
    char head[NPY_HEAD + 1] = "";
    if (!open_stream(r)) {
        return false;
    }
    r->has_id = r->has_mass = true;
    r->text = malloc(NPY_ROW);
    const bool good = r->text && fread(head, 1, NPY_HEAD, r->stream) == NPY_HEAD && memcmp(head, "\x93NUMPY", 6) == 0 &&
                      strstr(head + 10, "{'descr': [('step', '<u8'), ('t', '<f8'), ('id', '<u8'), ('x', '<f8'), ") != NULL;
    return good || complain(r, "not of this program, expected a .npy that kickdrift convert wrote");
}

static frame_result next_npy(frames_reader *r) {
    unsigned char *const row = (unsigned char *)r->text;
    bool begun = false;
    for (;;) {
        const size_t got = r->waits ? NPY_ROW : fread(row, 1, NPY_ROW, r->stream);
        if (got != NPY_ROW) {
            return got > 0 ? (complain(r, "the file ends within a row"), FRAME_WRONG) : begun ? FRAME_READ : FRAME_END;
        }
        r->done += r->waits ? 0 : NPY_ROW;
        r->waits = begun && word_at(row) != r->frame.step;
        if (r->waits) {
            return FRAME_READ;
        }
        begun = true;
        r->frame.step = word_at(row);
        r->frame.t = double_at(row + 8);
        double values[COLUMNS];
        for (int k = 0; k < COLUMNS; ++k) {
            values[k] = double_at(row + 24 + 8 * k);
        }
        if (!add(r, values, word_at(row + 16))) {
            return FRAME_WRONG;
        }
        if (r->frame.of.particles.count == r->most) {
            return FRAME_READ;
        }
    }
}

uint64_t frames_read_row_count(const frames_reader *r) { return (r->size - NPY_HEAD) / NPY_ROW; }

bool frames_read_rows(frames_reader *r, uint64_t first, size_t count) {
    r->waits = false;
    r->most = count;
    r->frame.of.particles.count = 0;
    if (fseeko(r->stream, (off_t)(NPY_HEAD + first * NPY_ROW), SEEK_SET) != 0) {
        return complain(r, "cannot be read from a row on, expected a regular file");
    }
    const frame_result found = next_npy(r);
    return found == FRAME_READ || (found == FRAME_END && complain(r, "the file ends before its last row"));
}

/* ---- H5MD */

static bool open_h5(frames_reader *r) {
    kdr_error error;
    kdr_trajectory_info info;
    if (kdr_trajectory_open(r->path, UINT64_MAX, &r->trajectory, &error) != KDR_OK ||
        kdr_trajectory_query(r->trajectory, &info, &error) != KDR_OK) {
        return fault_set(r->why, "%s", error.message);
    }
    r->frame.of.particles.real = info.real;
    r->size = info.frames;
    memcpy(r->box, info.box, sizeof r->box);
    return true;
}

static frame_result next_h5(frames_reader *r) {
    kdr_frame read;
    kdr_error error;
    if (r->done == r->size) {
        return FRAME_END;
    }
    if (kdr_trajectory_read(r->trajectory, r->done, &read, &error) != KDR_OK) {
        fault_set(r->why, "%s", error.message);
        return FRAME_WRONG;
    }
    ++r->done;
    r->has_id = read.particles.id;
    r->has_mass = read.particles.inverse_mass;
    r->has_image = read.particles.images[0];
    r->frame.step = read.step;
    r->frame.t = read.time;
    const population view = {.particles = {.real = read.particles.real}};
    const uint64_t *const id = read.particles.id;
    const void *const inverse = read.particles.inverse_mass;
    for (size_t i = 0; i < read.particles.count; ++i) {
        double values[COLUMNS] = {0, 0, 0, 0, 0, 0, 1};
        for (int axis = 0; axis < read.particles.dims; ++axis) {
            values[axis] = population_get(&view, read.particles.x[axis], i * (size_t)read.particles.dims);
            values[3 + axis] = population_get(&view, read.particles.v[axis], i * (size_t)read.particles.dims);
            const int32_t *const image = read.particles.images[axis];
            r->image[axis] = image ? image[i * (size_t)read.particles.dims] : 0;
        }
        values[MASS] = inverse ? 1 / population_get(&view, inverse, i) : 1;
        if (!add(r, values, id ? id[i] : 0)) {
            return FRAME_WRONG;
        }
        if (inverse) { /* the inverse of the inverse may be another number */
            population_store(read.particles.real, r->frame.of.particles.inverse_mass, i, population_get(&view, inverse, i));
        }
    }
    return FRAME_READ;
}

static void close_h5(frames_reader *r) { kdr_trajectory_close(r->trajectory, NULL); }

/* ---- all */

static const reader_format formats[] = {
    {{".csv", NULL}, open_csv, next_csv, close_csv},
    {{".h5", ".h5md"}, open_h5, next_h5, close_h5},
    {{".xyz", ".extxyz"}, open_stream, next_xyz, close_stream},
    {{".npy", NULL}, open_npy, next_npy, close_stream},
};

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), tail = end ? strlen(end) : SIZE_MAX;
    return tail <= length && strcmp(text + length - tail, end) == 0;
}

frames_reader *frames_read_open(const char *path, fault *why) {
    frames_reader *const r = calloc(1, sizeof *r);
    if (!r) {
        fault_set(why, "%s: no memory to read it", path);
        return NULL;
    }
    r->path = path;
    r->why = why;
    r->most = SIZE_MAX;
    r->format = &formats[0];
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; ++i) {
        if (ends_with(path, formats[i].ends[0]) || ends_with(path, formats[i].ends[1])) {
            r->format = &formats[i];
        }
    }
    r->frame.of.particles = kdr_particles_default();
    if (r->format->open(r)) {
        return r;
    }
    frames_read_close(r);
    return NULL;
}

void frames_read_close(frames_reader *r) {
    if (r) {
        r->format->close(r);
        for (int k = 0; k < COLUMNS; ++k) {
            free(*column(r, k));
        }
        for (int axis = 0; axis < 3; ++axis) {
            free(r->frame.of.particles.images[axis]);
        }
        free(r->frame.of.id);
        free(r);
    }
}

frame_result frames_read_next(frames_reader *r) {
    r->frame.of.particles.count = 0;
    const frame_result found = r->format->next(r);
    r->frame.of.total = r->frame.of.particles.count;
    return found;
}

const frame *frames_read_frame(const frames_reader *r) { return &r->frame; }

uint64_t frames_read_done(const frames_reader *r) { return r->size > 0 && r->done < r->size ? r->done * 1000 / r->size : 0; }

const double *frames_read_box(const frames_reader *r) { return r->box; }
