/* Reads files of frames: the parts that all formats share. */
#include "frames.h"
#include "frames_reader.h"
#include "population_builder.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <io/files.h>

static bool parse_whole(const value_type *type, const char *text, void *destination) {
    double number;
    if (VALUE_UINT64.parse(&VALUE_UINT64, text, destination)) {
        return true;
    }
    const bool whole =
        number_parse(text, &number) == NUMBER_FINITE && number >= type->low && number <= type->high && number == floor(number);
    if (whole) {
        *(uint64_t *)destination = (uint64_t)number;
    }
    return whole;
}
const value_type READER_WHOLE = {parse_whole, "a whole number from 0", false, 0, 0x1p53, false, NULL};

static bool parse_any(const value_type *type, const char *text, void *destination) {
    (void)type;
    return number_parse(text, destination) != NUMBER_NONE;
}
const value_type READER_NUMBER = {parse_any, "a number", false, 0, 0, false, NULL};

bool reader_complain(frames_reader *r, const char *format, ...) {
    char text[sizeof r->why->text];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return r->line > 0 ? fault_set(r->why, "%s:%zu: %s", r->path, r->line, text) : fault_set(r->why, "%s: %s", r->path, text);
}

void reader_leave_out(frames_reader *r, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(text, sizeof text, format, arguments) <= 0) {
        (void)snprintf(text, sizeof text, "what has no name");
    }
    va_end(arguments);
    const size_t used = strlen(r->left_out), length = strlen(text);
    for (const char *at = r->left_out; (at = strstr(at, text)) != NULL; at += length) {
        if ((at == r->left_out || at[-1] == ' ') && (at[length] == ';' || at[length] == '\0')) {
            return;
        }
    }
    static const char others[] = "; and others";
    const bool fits = used + length + 2 + sizeof others <= sizeof r->left_out;
    if (fits || used < sizeof others || strcmp(r->left_out + used - (sizeof others - 1), others) != 0) {
        (void)snprintf(r->left_out + used, sizeof r->left_out - used, "%s%s", used > 0 ? "; " : "", fits ? text : others + 2);
    }
}

bool reader_open_stream(frames_reader *r) {
    kdr_file_info about;
    r->stream = kdr_file_stream(r->path, false);
    if (!r->stream) {
        return fault_set(r->why, "%s: cannot open: %s, expected frames", r->path, strerror(errno));
    }
    r->size = kdr_file_look_at(fileno(r->stream), &about) ? about.size : 0;
    return true;
}

/* Returns the array of column k of a frame. */
static void **column(frames_reader *r, int k) {
    kdr_particles *const p = &r->frame.of.particles;
    return k < 3 ? &p->x[k] : &p->v[k - 3];
}

static bool grow(void **array, size_t room, size_t size) {
    void *const more = room <= SIZE_MAX / size ? realloc(*array, room * size) : NULL;
    *array = more ? more : *array;
    return more;
}

static bool reserve(frames_reader *r, size_t count) {
    population *const of = &r->frame.of;
    if (count <= r->room) {
        return true;
    }
    const size_t room = count + count / 2 + 64;
    bool good = true;
    for (int k = 0; good && k < READER_STATES; ++k) {
        good = grow(column(r, k), room, sizeof(double));
    }
    good = good && (!r->shape.masses || grow((void **)&of->mass, room, sizeof *of->mass));
    good = good && (!r->shape.ids || grow((void **)&of->id, room, sizeof *of->id));
    for (int axis = 0; good && r->shape.images && axis < 3; ++axis) {
        good = grow((void **)&of->particles.images[axis], room, sizeof(int32_t));
    }
    r->room = good ? room : r->room;
    return good || reader_complain(r, "no memory for a frame, expected fewer particles");
}

bool reader_begin_frame(frames_reader *r, reader_shape shape) {
    const struct {
        bool first, now;
        const char *name;
    } parts[] = {{r->shape.velocities, shape.velocities, "velocities"},
                 {r->shape.ids, shape.ids, "ids"},
                 {r->shape.masses, shape.masses, "masses"},
                 {r->shape.images, shape.images, "image counts"}};
    for (size_t i = 0; r->frames > 0 && i < COUNT_OF(parts); ++i) {
        if (parts[i].first != parts[i].now) {
            return reader_complain(r, "frame %" PRIu64 " has %s%s, expected %s, as in the first frame", r->frames,
                                   parts[i].now ? "" : "no ", parts[i].name, parts[i].now ? "none" : "them");
        }
    }
    r->shape = shape;
    r->frame.of.particles.count = 0;
    if (!shape.velocities) {
        reader_leave_out(r, "velocities, of which it has none: 0 stands for them");
    }
    return true;
}

bool reader_add(frames_reader *r, const reader_row *row) {
    population *const of = &r->frame.of;
    kdr_particles *const p = &of->particles;
    double inverse;
    if (!reserve(r, p->count + 1)) {
        return false;
    }
    if (r->shape.masses && !(row->values[READER_MASS] > 0 && population_inverse((int)p->real, row->values[READER_MASS], &inverse))) {
        return reader_complain(r, "particle %zu: expected a positive mass whose inverse is one that fits %s, found %.17g", p->count,
                               kdr_real_name(p->real), row->values[READER_MASS]);
    }
    for (int k = 0; k < READER_STATES; ++k) {
        population_store(p->real, *column(r, k), p->count, row->values[k]);
    }
    if (r->shape.masses) {
        of->mass[p->count] = row->values[READER_MASS];
    }
    if (r->shape.ids) {
        of->id[p->count] = row->id;
    }
    for (int axis = 0; r->shape.images && axis < 3; ++axis) {
        p->images[axis][p->count] = (int32_t)row->image[axis];
    }
    ++p->count;
    return true;
}

static const reader_kind *const kinds[] = {&reader_csv, &reader_h5, &reader_xyz, &reader_npy};

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), tail = end ? strlen(end) : SIZE_MAX;
    return tail <= length && strcmp(text + length - tail, end) == 0;
}

frames_reader *frames_read_open(const char *path, const char *group, fault *why) {
    frames_reader *const r = calloc(1, sizeof *r);
    if (!r) {
        fault_set(why, "%s: no memory to read it", path);
        return NULL;
    }
    r->path = path;
    r->group = group;
    r->why = why;
    r->kind = kinds[0];
    for (size_t i = 0; i < COUNT_OF(kinds); ++i) {
        if (ends_with(path, kinds[i]->ends[0]) || ends_with(path, kinds[i]->ends[1])) {
            r->kind = kinds[i];
        }
    }
    r->frame.of.particles = kdr_particles_default();
    if (group && r->kind != &reader_h5) {
        fault_set(why, "%s: a group of %s was asked for, expected a file of H5MD, which has groups", path, group);
    } else if (r->kind->open(r)) {
        return r;
    } else if (r->kind == &reader_csv) { /* if the ending names another format, that is the more likely reason */
        (void)frames_check_ending(path, false, why);
    }
    frames_read_close(r);
    return NULL;
}

void frames_read_close(frames_reader *r) {
    if (r) {
        r->kind->close(r);
        if (r->stream) {
            fclose(r->stream);
        }
        for (int k = 0; k < READER_STATES; ++k) {
            free(*column(r, k));
        }
        for (int axis = 0; axis < 3; ++axis) {
            free(r->frame.of.particles.images[axis]);
        }
        free(r->frame.of.id);
        free(r->frame.of.mass);
        free(r);
    }
}

frame_result frames_read_next(frames_reader *r) {
    size_t twice[2];
    r->frame.of.particles.count = 0;
    const frame_result found = r->kind->next(r);
    r->frame.of.total = r->frame.of.particles.count;
    if (found != FRAME_READ) {
        return found;
    }
    if (!population_ids_differ(r->frame.of.id, r->frame.of.particles.count, twice)) {
        r->line = 0;
        reader_complain(r, "frame %" PRIu64 ": particles %zu and %zu both have id %" PRIu64 ", expected ids that differ", r->frames,
                        twice[0], twice[1], r->frame.of.id[twice[0]]);
        return FRAME_WRONG;
    }
    ++r->frames;
    return FRAME_READ;
}

const frame *frames_read_frame(const frames_reader *r) { return &r->frame; }

uint64_t frames_read_done(const frames_reader *r) { return r->size > 0 && r->done < r->size ? r->done * 1000 / r->size : 0; }

const char *frames_read_left_out(const frames_reader *r) { return r->left_out; }
