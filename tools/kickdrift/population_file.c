/* Reads particles from a file, particles.file, whose path is relative to the scene's folder. CSV is read here. */
#include "frames.h"
#include "frames_reader.h"
#include "population_builder.h"
#include "table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <io/files.h>

/* The columns that are read from the file. Values are doubles until the number of rows is known. */
enum { MASS = STATE_COLUMNS, IMAGE, FIRST_NAMED = IMAGE + 3, MOST_WANTED = FIRST_NAMED + MOST_FORCE_COLUMNS };
static const char *const own_names[FIRST_NAMED] = {"x", "y", "z", "vx", "vy", "vz", "mass", "ix", "iy", "iz"};

typedef struct gathered_columns {
    size_t source[MOST_WANTED]; /* index of the column in the file; SIZE_MAX: absent */
    double *values[MOST_WANTED];
    size_t id_source, moment_source[2];
    char moment[2][32]; /* step and t of the first row, if rows have them */
    uint64_t *id;
    size_t wanted, rows; /* columns to read, rows of the file */
    size_t count, room;  /* rows that are kept, and room for them */
    bool settled;        /* the particles have been made */
} gathered_columns;

/* Returns true for the columns of image counts. Runs in a periodic boundary continue from these counts. */
static bool is_image(size_t i) { return i >= IMAGE && i < FIRST_NAMED; }

static const value_type *type_of(size_t i) { return i == MASS ? &VALUE_MASS : is_image(i) ? &VALUE_IMAGE : &VALUE_NUMBER; }

static bool find_columns(population_builder *b, table *rows, gathered_columns *into) {
    into->wanted = FIRST_NAMED + b->column_count;
    into->id_source = table_find(rows, "id");
    into->moment_source[0] = table_find(rows, "step");
    into->moment_source[1] = table_find(rows, "t");
    for (size_t i = 0; i < into->wanted; ++i) {
        const char *name = i < FIRST_NAMED ? own_names[i] : b->columns[i - FIRST_NAMED].name;
        const bool is_asked = !is_image(i) || b->from->boundary.kind == KDR_BOUNDARY_PERIODIC;
        into->source[i] = is_asked ? table_find(rows, name) : SIZE_MAX;
        if (into->source[i] == SIZE_MAX && i != MASS && !is_image(i)) {
            return table_lacks(rows, name, i < MASS ? "" : " and the columns that forces name");
        }
    }
    return true;
}

static bool grow(table *rows, gathered_columns *into) {
    const size_t room = into->room ? into->room + into->room / 2 : 1024;
    bool grown = true;
    for (size_t i = 0; i < into->wanted && grown; ++i) {
        double *more = into->source[i] == SIZE_MAX ? NULL : realloc(into->values[i], room * sizeof *more);
        if (more) {
            into->values[i] = more;
        }
        grown = more || into->source[i] == SIZE_MAX;
    }
    uint64_t *more = into->id_source == SIZE_MAX || !grown ? NULL : realloc(into->id, room * sizeof *more);
    if (more) {
        into->id = more;
    }
    if (!grown || (into->id_source != SIZE_MAX && !more)) {
        return table_complain(rows, "no memory for more than %zu particles, expected fewer rows", into->count);
    }
    into->room = room;
    return true;
}

/* Refuses rows of another step, or another t: they would be the same particles a second time. */
static bool check_step(table *rows, gathered_columns *into) {
    for (int k = 0; k < 2; ++k) {
        const char *const found = into->moment_source[k] == SIZE_MAX ? "" : table_field(rows, into->moment_source[k]);
        if (into->rows == 0) {
            snprintf(into->moment[k], sizeof into->moment[k], "%s", found);
        }
        if (strncmp(found, into->moment[k], sizeof into->moment[k] - 1) != 0) {
            return table_complain(rows, "expected one frame, found another from row %zu on", into->rows);
        }
    }
    return true;
}

static bool take_row(population_builder *b, table *rows, gathered_columns *into) {
    const int real = b->from->real;
    double inverse;
    if (!check_step(rows, into) || (into->count == into->room && !grow(rows, into))) {
        return false;
    }
    for (size_t i = 0; i < into->wanted; ++i) {
        if (!into->values[i]) {
            continue; /* the file does not have this column */
        }
        double *value = &into->values[i][into->count];
        if (!table_value(rows, into->source[i], type_of(i), value)) {
            return false;
        }
        if (i == MASS ? !population_inverse(real, *value, &inverse) : !population_fits(real, *value)) {
            return table_complain(rows, "column %.40s: expected %s that fits %s, found %g", table_name(rows, into->source[i]),
                                  i == MASS ? "a mass whose inverse is one" : "a number", kdr_real_name((kdr_real)real), *value);
        }
    }
    if (into->id_source != SIZE_MAX && !table_value(rows, into->id_source, &READER_WHOLE, &into->id[into->count])) {
        return false;
    }
    into->count += into->rows >= b->first && into->rows - b->first < b->most; /* rows outside the slice are checked but not kept */
    ++into->rows;
    return true;
}

static bool gather(population_builder *b, table *rows, gathered_columns *into) {
    if (!find_columns(b, rows, into)) {
        return false;
    }
    for (;;) {
        switch (table_next(rows)) {
        case TABLE_WRONG:
            return false;
        case TABLE_END:
            return into->rows > 0 || table_complain(rows, "the file ends after its header, expected one row per particle");
        case TABLE_ROW:
            if (!take_row(b, rows, into)) {
                return false;
            }
        }
    }
}

static void settle(population_builder *b, gathered_columns *from) {
    kdr_particles *particles = &b->built->particles;
    for (size_t i = 0; i < from->count; ++i) {
        double state[STATE_COLUMNS], inverse;
        for (int k = 0; k < STATE_COLUMNS; ++k) {
            state[k] = from->values[k][i];
        }
        population_put(particles, i, state);
        for (int axis = 0; axis < 3; ++axis) {
            if (from->source[IMAGE + axis] != SIZE_MAX) {
                particles->images[axis][i] = (int32_t)from->values[IMAGE + axis][i];
            }
        }
        if (from->source[MASS] == SIZE_MAX) {
            continue;
        }
        population_inverse(b->from->real, from->values[MASS][i], &inverse);
        population_store_mass(b->built, i, from->values[MASS][i], inverse);
    }
    b->built->id = from->id;
    from->id = NULL;
    for (size_t i = 0; i < b->column_count; ++i) {
        b->columns[i].values = from->values[FIRST_NAMED + i];
        from->values[FIRST_NAMED + i] = NULL;
    }
    b->from_file = true;
}

static bool read_file(population_builder *b, const tree_place *place, const yaml_node_t *node, const char *path, gathered_columns *into) {
    yaml_tree *tree = &b->from->tree;
    const size_t length = strlen(path);
    const bool is_npy = length > 4 && strcmp(path + length - 4, ".npy") == 0;
    if (!kdr_file_can_read(path)) { /* a complaint is better placed at the scene's line than in this file */
        return tree_complain(tree, place, node, "cannot open %s: %s, expected a CSV or .npy file", path, strerror(errno));
    }
    if (is_npy) {
        into->settled = true;
        return population_from_npy(b, place, node, path);
    }
    if (b->from->stream_file) {
        return tree_complain(tree, place, node, "expected a .npy file for particles in a stream (kickdrift convert makes it), found %s",
                             path);
    }
    if (!frames_is_csv(path)) {
        return tree_complain(tree, place, node, "expected a CSV or .npy file of one frame (kickdrift convert makes it), found %s", path);
    }
    table *rows = table_open(path, tree->why);
    const bool done = rows && gather(b, rows, into);
    table_close(rows);
    if (!done && into->rows == 0) { /* if the ending names another format, that is the more likely reason */
        (void)frames_check_ending(path, false, tree->why);
    }
    return done && population_allocate(b, into->rows, into->source[MASS] != SIZE_MAX, place, node);
}

bool population_from_file(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    population_builder *b = record;
    const char *name;
    gathered_columns into = {0};
    if (!tree_scalar(tree, place, node, key->type, &name)) {
        return false;
    }
    const char *const path = scene_input(tree, name);
    if (!path) {
        return tree_complain(tree, place, node, "no memory, expected some");
    }
    const bool done = read_file(b, place, node, path, &into);
    if (done && !into.settled) {
        settle(b, &into);
    }
    for (size_t i = 0; i < MOST_WANTED; ++i) {
        free(into.values[i]);
    }
    free(into.id);
    return done;
}
