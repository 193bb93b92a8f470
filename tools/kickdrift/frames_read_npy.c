/* Reads frames from a .npy file: a one-dimensional structured array whose fields are found by name. A row is one particle of one frame. */
#include "frames_reader.h"
#include "key_set.h"
#include "npy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STEP, T, ID, FIRST_COLUMN, FIELDS = FIRST_COLUMN + READER_COLUMNS };
static const char *const names[FIELDS] = {"step", "t", "id", "x", "y", "z", "vx", "vy", "vz", "mass"};

typedef struct npy_reader {
    npy_header header;
    const npy_field *field[FIELDS]; /* NULL: the array has no such field */
    unsigned char *row;
    bool waits; /* `row` has been read already, and belongs to the next frame */
    uint64_t rows, at;
    key_set seen; /* keys of the earlier frames */
    size_t most;  /* the largest number of particles that the caller takes of a frame */
} npy_reader;

static bool find_fields(frames_reader *r, npy_reader *n) {
    const npy_header *const header = &n->header;
    for (size_t i = 0; i < header->field_count; ++i) {
        const npy_field *const field = &header->fields[i];
        double number;
        static const unsigned char zeros[8];
        int k = 0;
        while (k < FIELDS && strcmp(field->name, names[k]) != 0) {
            ++k;
        }
        if (k < FIELDS && (field->count != 1 || !npy_number(&field->type, zeros, &number))) {
            return reader_complain(r, "field %s: expected one number, of the types f2, f4, f8, i1 to i8 or u1 to u8, found %s", names[k],
                                   field->type.text);
        }
        if (k < FIELDS) {
            n->field[k] = field;
        } else if (field->name[0]) { /* a field without a name is padding */
            reader_leave_out(r, "field %s", field->name);
        }
    }
    for (int k = FIRST_COLUMN; k < FIRST_COLUMN + READER_STATES; ++k) {
        if (!n->field[k]) {
            return reader_complain(r, "no field %s, expected x, y, z, vx, vy, vz", names[k]);
        }
    }
    return true;
}

static bool open_npy(frames_reader *r) {
    npy_reader *const n = r->own = calloc(1, sizeof *n);
    fault found;
    if (!n) {
        return reader_complain(r, "no memory to read it");
    }
    n->most = SIZE_MAX;
    if (!reader_open_stream(r)) {
        return false;
    }
    if (!npy_read(r->stream, &n->header, &found)) {
        return reader_complain(r, "%s", found.text);
    }
    if (!n->header.is_structured) {
        return reader_complain(r, "expected a structured array with the fields x, y, z, vx, vy, vz, found one of numbers, %s",
                               n->header.type.text);
    }
    if (n->header.extents != 1) {
        return reader_complain(r, "expected an array of one extent, a row per particle and frame, found one of %d", n->header.extents);
    }
    n->rows = n->header.extent[0];
    n->row = malloc(n->header.size + 1);
    return n->row ? find_fields(r, n) : reader_complain(r, "no memory for a row");
}

/* Begins a frame with a row. A step (or a t, if there are no steps) that an earlier frame had is refused, because the rows of a frame must
 * follow one another. */
static bool begin_frame(frames_reader *r, npy_reader *n, uint64_t step, double t) {
    const bool by_step = n->field[STEP] != NULL, by_key = by_step || n->field[T];
    const reader_shape shape = {true, n->field[ID], n->field[FIRST_COLUMN + READER_MASS], false};
    uint64_t key = step;
    bool is_new = true;
    if (!by_step) {
        memcpy(&key, &t, sizeof key);
    }
    if (by_key && n->most == SIZE_MAX && key_set_add(&n->seen, key, &is_new) == 0) {
        return reader_complain(r, "no memory for its frames");
    }
    r->frame.step = by_step || !n->field[T] ? step : r->frames;
    r->frame.t = t;
    return is_new ? reader_begin_frame(r, shape)
                  : reader_complain(
                        r, "row %" PRIu64 ": step %" PRIu64 ", t %.17g again after rows of others, expected the rows of a frame together",
                        n->at - 1, step, t);
}

/* Reads the step and the time of a row. */
static bool read_key(frames_reader *r, const npy_reader *n, uint64_t *step, double *t) {
    const npy_field *const of_step = n->field[STEP], *const of_t = n->field[T];
    *step = 0;
    if (of_step && !npy_whole(&of_step->type, n->row + of_step->offset, step)) {
        return reader_complain(r, "row %" PRIu64 ": step: expected a whole number from 0", n->at - 1);
    }
    *t = (double)*step;
    if (of_t) {
        npy_number(&of_t->type, n->row + of_t->offset, t);
    }
    return true;
}

static bool take_row(frames_reader *r, npy_reader *n) {
    const npy_field *const id = n->field[ID];
    reader_row row = {.values = {0, 0, 0, 0, 0, 0, 1}};
    for (int k = 0; k < READER_COLUMNS; ++k) {
        const npy_field *const field = n->field[FIRST_COLUMN + k];
        if (field) {
            npy_number(&field->type, n->row + field->offset, &row.values[k]);
        }
    }
    if (id && !npy_whole(&id->type, n->row + id->offset, &row.id)) {
        return reader_complain(r, "row %" PRIu64 ": id: expected a whole number from 0", n->at - 1);
    }
    return reader_add(r, &row);
}

/* Reads the next row, unless one has been read already. Returns false if there is none, or if it is incomplete; the latter is reported. */
static bool next_row(frames_reader *r, npy_reader *n, bool *is_wrong) {
    *is_wrong = false;
    if (n->waits) {
        return true;
    }
    if (n->at == n->rows) {
        return false;
    }
    *is_wrong = fread(n->row, 1, n->header.size, r->stream) != n->header.size;
    if (*is_wrong) {
        reader_complain(r, "the file ends within row %" PRIu64 ", expected %" PRIu64 " rows, as its shape says", n->at, n->rows);
        return false;
    }
    ++n->at;
    r->done = n->header.begin + n->at * n->header.size;
    return true;
}

static frame_result next_npy(frames_reader *r) {
    npy_reader *const n = r->own;
    const bool by_step = n->field[STEP] != NULL;
    bool begun = false, is_wrong;
    uint64_t first_step = 0;
    double first_t = 0;
    while (next_row(r, n, &is_wrong)) {
        uint64_t step = 0;
        double t = 0;
        if (!read_key(r, n, &step, &t)) {
            return FRAME_WRONG;
        }
        const bool same_t = t == first_t || (t != t && first_t != first_t);
        n->waits = begun && (by_step ? step != first_step : !same_t);
        if (n->waits) {
            return FRAME_READ;
        }
        if (begun && !same_t) {
            reader_complain(r, "row %" PRIu64 ": step %" PRIu64 " has t %.17g, and t %.17g in a row before, expected one time per step",
                            n->at - 1, step, t, first_t);
            return FRAME_WRONG;
        }
        if (!begun) {
            first_step = step, first_t = t;
            if (!begin_frame(r, n, step, t)) {
                return FRAME_WRONG;
            }
        }
        begun = true;
        if (!take_row(r, n)) {
            return FRAME_WRONG;
        }
        if (r->frame.of.particles.count == n->most) {
            return FRAME_READ;
        }
    }
    return is_wrong ? FRAME_WRONG : begun ? FRAME_READ : FRAME_END;
}

uint64_t frames_read_row_count(const frames_reader *r) { return ((const npy_reader *)r->own)->rows; }

bool frames_read_rows(frames_reader *r, uint64_t first, size_t count) {
    npy_reader *const n = r->own;
    n->waits = false;
    n->most = count;
    n->at = first;
    r->frame.of.particles.count = 0;
    if (fseeko(r->stream, (off_t)(n->header.begin + first * n->header.size), SEEK_SET) != 0) {
        return reader_complain(r, "cannot be read from a row on, expected a regular file");
    }
    const frame_result found = next_npy(r);
    return found == FRAME_READ || (found == FRAME_END && reader_complain(r, "the file ends before its last row"));
}

static void close_npy(frames_reader *r) {
    npy_reader *const n = r->own;
    if (n) {
        free(n->header.fields);
        key_set_free(&n->seen);
        free(n->row);
        free(n);
    }
}

const reader_kind reader_npy = {{".npy", NULL}, open_npy, next_npy, close_npy};
