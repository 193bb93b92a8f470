/* Reads frames from CSV. A frame is the rows of one step; of one t if there is no column for the step; or the whole file if there is
 * neither. The rows of a frame follow one another, or the whole file is sorted by particle. */
#include "frames_reader.h"
#include "key_set.h"
#include "table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[READER_COLUMNS] = {"x", "y", "z", "vx", "vy", "vz", "mass"};
static const char *const image_names[3] = {"ix", "iy", "iz"};

typedef struct csv_row {
    reader_row particle;
    uint64_t key; /* the step, or the bits of t; rows with the same key are one frame */
    uint64_t step;
    double t;
    size_t line;
} csv_row;

typedef struct csv_reader {
    table *rows;
    size_t source[READER_COLUMNS], image_source[3], id_source, step_source, t_source;
    csv_row row; /* the first row of the next frame, if it has been read already */
    bool waits;
    key_set seen;
    csv_row *all; /* all rows of a file that is sorted by particle, in the order of frames; NULL for other files */
    size_t all_count, all_room, all_done;
} csv_reader;

/* ---- opening */

/* Names the columns that no frame can hold. */
static void name_others(frames_reader *r, const csv_reader *c) {
    for (size_t i = 0; i < table_columns(c->rows); ++i) {
        bool known = i == c->id_source || i == c->step_source || i == c->t_source;
        for (int k = 0; k < READER_COLUMNS; ++k) {
            known = known || c->source[k] == i;
        }
        for (int axis = 0; axis < 3; ++axis) {
            known = known || (r->shape.images && c->image_source[axis] == i);
        }
        if (!known) {
            const char *const name = table_name(c->rows, i);
            reader_leave_out(r, *name ? "column %.60s" : "a column without a name%s", name);
        }
    }
}

static bool open_csv(frames_reader *r) {
    csv_reader *const c = r->own = calloc(1, sizeof *c);
    if (!c || !(c->rows = table_open(r->path, r->why))) {
        return c ? false : reader_complain(r, "no memory to read it");
    }
    c->id_source = table_find(c->rows, "id");
    c->step_source = table_find(c->rows, "step");
    c->t_source = table_find(c->rows, "t");
    for (int k = 0; k < READER_COLUMNS; ++k) {
        c->source[k] = table_find(c->rows, names[k]);
        if (c->source[k] == SIZE_MAX && k < READER_STATES) {
            return table_lacks(c->rows, names[k], "");
        }
    }
    bool images = true;
    for (int axis = 0; axis < 3; ++axis) {
        c->image_source[axis] = table_find(c->rows, image_names[axis]);
        images = images && c->image_source[axis] != SIZE_MAX;
    }
    r->shape = (reader_shape){true, c->id_source != SIZE_MAX, c->source[READER_MASS] != SIZE_MAX, images};
    name_others(r, c);
    return true;
}

/* ---- rows */

static bool take_row(const frames_reader *r, csv_reader *c) {
    csv_row *const row = &c->row;
    *row = (csv_row){.line = table_line(c->rows)};
    const bool has_step = c->step_source != SIZE_MAX, has_t = c->t_source != SIZE_MAX;
    for (int k = 0; k < READER_COLUMNS; ++k) {
        if (c->source[k] != SIZE_MAX && !table_value(c->rows, c->source[k], &READER_NUMBER, &row->particle.values[k])) {
            return false;
        }
    }
    for (int axis = 0; r->shape.images && axis < 3; ++axis) {
        if (!table_value(c->rows, c->image_source[axis], &VALUE_IMAGE, &row->particle.image[axis])) {
            return false;
        }
    }
    if ((r->shape.ids && !table_value(c->rows, c->id_source, &READER_WHOLE, &row->particle.id)) ||
        (has_step && !table_value(c->rows, c->step_source, &READER_WHOLE, &row->step)) ||
        (has_t && !table_value(c->rows, c->t_source, &READER_NUMBER, &row->t))) {
        return false;
    }
    row->t = has_t ? row->t : (double)row->step;
    row->key = row->step;
    if (!has_step && has_t) {
        const double plain = row->t + 0.0; /* turns -0 into 0 */
        memcpy(&row->key, &plain, sizeof row->key);
    }
    return true;
}

/* Reads the next row of the file, unless one has been read already. */
static table_result next_row(const frames_reader *r, csv_reader *c) {
    if (c->waits) {
        return TABLE_ROW;
    }
    const table_result found = table_next(c->rows);
    return found != TABLE_ROW ? found : take_row(r, c) ? TABLE_ROW : TABLE_WRONG;
}

/* Checks that the rows of one step have one time. */
static bool check_time(const frames_reader *r, const csv_reader *c, const csv_row *row) {
    const double first = r->frame.t;
    return row->t == first || (row->t != row->t && first != first) ||
           fault_set(r->why, "%s:%zu: step %" PRIu64 " has t %.17g, and t %.17g in a row before, expected one time per step", r->path,
                     row->line, c->row.step, row->t, first);
}

static bool add_row(frames_reader *r, const csv_row *row) {
    r->line = row->line;
    const bool good = reader_add(r, &row->particle);
    r->line = 0;
    return good;
}

static bool begin_frame(frames_reader *r, const csv_reader *c, const csv_row *row, size_t number) {
    const bool has_step = c->step_source != SIZE_MAX;
    r->frame.step = has_step || c->t_source == SIZE_MAX ? row->step : number;
    r->frame.t = row->t;
    return reader_begin_frame(r, r->shape);
}

/* ---- files that are sorted by particle: their first frame seems to have only one row */

static bool keep_row(frames_reader *r, csv_reader *c, const csv_row *row) {
    if (c->all_count == c->all_room) {
        const size_t room = 2 * c->all_room + 256;
        csv_row *const more = realloc(c->all, room * sizeof *more);
        if (!more) {
            return reader_complain(r, "no memory for its rows, which are sorted by particle, expected rows sorted by step");
        }
        c->all = more;
        c->all_room = room;
    }
    c->all[c->all_count++] = *row;
    return true;
}

/* Sorts the rows by frame. The rows of one frame keep the order of the file. */
static bool sort_rows(frames_reader *r, csv_reader *c) {
    const size_t frames = c->seen.count;
    size_t *const next = calloc(frames + 2, sizeof *next);
    csv_row *const sorted = calloc(c->all_count + 1, sizeof *sorted);
    bool is_new, good = next && sorted;
    for (size_t i = 0; good && i < c->all_count; ++i) {
        ++next[key_set_add(&c->seen, c->all[i].key, &is_new)];
    }
    for (size_t n = 1; good && n <= frames; ++n) {
        next[n] += next[n - 1];
    }
    for (size_t i = 0; good && i < c->all_count; ++i) {
        sorted[next[key_set_add(&c->seen, c->all[i].key, &is_new) - 1]++] = c->all[i];
    }
    free(next);
    free(good ? c->all : sorted);
    c->all = good ? sorted : c->all;
    return good || reader_complain(r, "no memory for its rows, which are sorted by particle, expected rows sorted by step");
}

/* Reads the rest of the file into memory. */
static bool gather(frames_reader *r, csv_reader *c, const csv_row *first) {
    bool is_new, good = keep_row(r, c, first);
    table_result found = TABLE_ROW;
    while (good && (found = next_row(r, c)) == TABLE_ROW) {
        c->waits = false;
        good =
            (key_set_add(&c->seen, c->row.key, &is_new) > 0 || reader_complain(r, "no memory for its frames")) && keep_row(r, c, &c->row);
    }
    return good && found == TABLE_END && sort_rows(r, c);
}

static frame_result next_gathered(frames_reader *r, csv_reader *c) {
    if (c->all_done == c->all_count) {
        return FRAME_END;
    }
    const csv_row *const first = &c->all[c->all_done];
    if (!begin_frame(r, c, first, (size_t)r->frames)) {
        return FRAME_WRONG;
    }
    for (; c->all_done < c->all_count && c->all[c->all_done].key == first->key; ++c->all_done) {
        c->row = c->all[c->all_done];
        if (!check_time(r, c, &c->row) || !add_row(r, &c->row)) {
            return FRAME_WRONG;
        }
    }
    return FRAME_READ;
}

/* ---- frames */

static bool begin_streamed(frames_reader *r, csv_reader *c) {
    bool is_new = false;
    if (key_set_add(&c->seen, c->row.key, &is_new) == 0) {
        return reader_complain(r, "no memory for its frames");
    }
    return is_new ? begin_frame(r, c, &c->row, (size_t)r->frames)
                  : fault_set(r->why, "%s:%zu: step %" PRIu64 ", t %.17g again after rows of others, expected the rows of a frame together",
                              r->path, c->row.line, c->row.step, c->row.t);
}

static frame_result next_csv(frames_reader *r) {
    csv_reader *const c = r->own;
    csv_row first = {.key = 0};
    size_t count = 0;
    table_result found = TABLE_END;
    if (c->all) {
        return next_gathered(r, c);
    }
    while ((found = next_row(r, c)) == TABLE_ROW) {
        c->waits = count > 0 && c->row.key != first.key;
        if (c->waits && count == 1 && r->frames == 0) {
            return gather(r, c, &first) ? next_gathered(r, c) : FRAME_WRONG;
        }
        if (c->waits) {
            break;
        }
        if (count++ == 0) {
            first = c->row;
            if (!begin_streamed(r, c)) {
                return FRAME_WRONG;
            }
        }
        if (!check_time(r, c, &c->row) || !add_row(r, &c->row)) {
            return FRAME_WRONG;
        }
    }
    return found == TABLE_WRONG ? FRAME_WRONG : count > 0 ? FRAME_READ : FRAME_END;
}

static void close_csv(frames_reader *r) {
    csv_reader *const c = r->own;
    if (c) {
        table_close(c->rows);
        key_set_free(&c->seen);
        free(c->all);
        free(c);
    }
}

const reader_kind reader_csv = {{".csv", NULL}, open_csv, next_csv, close_csv};
