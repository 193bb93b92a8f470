/* Reads the grids of fields in scenes: numbers in the scene, as nested lists with one level per axis, or a .npy file, as NumPy writes
 * it. */
#include "npy.h"
#include "scene.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <io/files.h>

enum { MOST_EXTENTS = 4 };

static const char file_expected[] = "an array of 1 to 3 axes of 2 to 1024 nodes each, then an axis of 1 to 6 numbers per node";
static const char shape_expected[] = "a list for each of 1 to 3 axes, of 2 to 1024 nodes, and in it a list of each node's numbers";

typedef struct reading {
    scene_grid *grid;
    const char *file;
    const yaml_node_t *values, *edges;
    const tree_place *place;
    uint64_t extent[MOST_EXTENTS]; /* the length of each axis, then the number of components */
    int extents;
} reading;

static bool refuse_shape(yaml_tree *tree, const reading *r, const yaml_node_t *node, const uint64_t *extent, int extents) {
    char shape[NPY_EXTENTS * 24] = "";
    for (int i = 0; i < extents; ++i) {
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%" PRIu64, i > 0 ? ", " : "", extent[i]);
    }
    return tree_complain(tree, r->place, node, "%s: expected %s, found the shape (%s)", r->file, file_expected, shape);
}

/* Takes the shape: sets the strides of an array whose last extent is contiguous, and allocates its numbers in both precisions. */
static bool take_shape(yaml_tree *tree, const reading *r, const yaml_node_t *node) {
    kdr_grid *const grid = &r->grid->grid[KDR_F64];
    const int dims = r->extents - 1;
    size_t count = 1;
    bool good = dims >= 1 && dims <= 3;
    for (int i = r->extents - 1; i >= 0 && good; --i) {
        good = i == dims ? r->extent[i] >= 1 && r->extent[i] <= KDR_GRID_COMPONENTS : r->extent[i] >= 2 && r->extent[i] <= KDR_GRID_NODES;
        *(i == dims ? &grid->component_stride : &grid->stride[i]) = count;
        if (i < dims) {
            grid->nodes[i] = (int)r->extent[i];
        }
        count *= (size_t)r->extent[i];
    }
    if (!good && r->file) {
        return refuse_shape(tree, r, node, r->extent, r->extents);
    }
    if (!good) {
        return tree_expected(tree, r->place, node, shape_expected);
    }
    grid->dims = dims;
    grid->components = (int)r->extent[dims];
    r->grid->values = malloc(count * sizeof *r->grid->values);
    r->grid->single = malloc(count * sizeof *r->grid->single);
    return (r->grid->values && r->grid->single) || tree_complain(tree, r->place, node, "no memory for %zu numbers, expected fewer", count);
}

/* Reads nested lists. The first list of each level gives the shape, which the others must have. */
static bool take_lists(yaml_tree *tree, const reading *r, const yaml_node_t *node, int depth, size_t *at) {
    size_t length;
    if (depth == r->extents) {
        return tree_scalar(tree, r->place, node, &VALUE_NUMBER, &r->grid->values[(*at)++]);
    }
    if (!tree_list(tree, r->place, node, shape_expected, &length)) {
        return false;
    }
    if (length != r->extent[depth]) {
        return tree_complain(tree, r->place, node, "expected %zu elements, as the first list has that lies as deep, found %zu",
                             (size_t)r->extent[depth], length);
    }
    for (size_t i = 0; i < length; ++i) {
        if (!take_lists(tree, r, tree_element(tree, node, i), depth + 1, at)) {
            return false;
        }
    }
    return true;
}

static bool take_values(yaml_tree *tree, reading *r) {
    const yaml_node_t *node = r->values;
    size_t at = 0;
    while (node->type == YAML_SEQUENCE_NODE && r->extents < MOST_EXTENTS) {
        size_t length;
        if (!tree_list(tree, r->place, node, shape_expected, &length)) {
            return false;
        }
        r->extent[r->extents++] = length;
        node = r->extent[r->extents - 1] > 0 ? tree_element(tree, node, 0) : r->values;
    }
    return take_shape(tree, r, r->values) && take_lists(tree, r, r->values, 0, &at);
}

/* Returns the index of number n of the file in an array whose last extent is contiguous; `at` gets its indices along the axes. */
static size_t place_of(const reading *r, bool is_fortran, size_t n, size_t at[MOST_EXTENTS]) {
    size_t place = 0;
    for (int i = 0; i < r->extents; ++i) {
        const int k = is_fortran ? i : r->extents - 1 - i;
        at[k] = n % (size_t)r->extent[k];
        n /= (size_t)r->extent[k];
    }
    for (int i = 0; i < r->extents; ++i) {
        place = place * (size_t)r->extent[i] + at[i];
    }
    return place;
}

/* Refuses a number that is not finite. */
static bool refuse_number(yaml_tree *tree, const reading *r, const yaml_node_t *node, const size_t at[MOST_EXTENTS], double number) {
    char text[MOST_EXTENTS * 24] = "";
    for (int i = 0; i < r->extents - 1; ++i) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%zu", i > 0 ? ", " : "", at[i]);
    }
    return tree_complain(tree, r->place, node, "%s: node (%s), component %zu: expected a finite number, found %g", r->file, text,
                         at[r->extents - 1], number);
}

static bool take_numbers(yaml_tree *tree, const reading *r, const yaml_node_t *node, FILE *stream, const npy_header *header) {
    size_t count = 1, at[MOST_EXTENTS];
    for (int i = 0; i < r->extents; ++i) {
        count *= (size_t)r->extent[i];
    }
    for (size_t i = 0; i < count; ++i) {
        unsigned char bytes[sizeof(double)];
        if (fread(bytes, 1, header->size, stream) != header->size) {
            return tree_complain(tree, r->place, node, "%s: expected %zu numbers, as its shape says, found %zu", r->file, count, i);
        }
        const size_t place = place_of(r, header->is_fortran, i, at);
        npy_number(&header->type, bytes, &r->grid->values[place]);
        if (!isfinite(r->grid->values[place])) {
            return refuse_number(tree, r, node, at, r->grid->values[place]);
        }
    }
    return fgetc(stream) == EOF ||
           tree_complain(tree, r->place, node, "%s: expected %zu numbers, as its shape says, found more", r->file, count);
}

static bool take_array(yaml_tree *tree, reading *r, const yaml_node_t *node, FILE *stream, const npy_header *header) {
    static const unsigned char zeros[sizeof(double)];
    double number;
    if (header->is_structured || !npy_number(&header->type, zeros, &number)) {
        return tree_complain(tree, r->place, node, "%s: expected numbers of the types f2, f4, f8, i1 to i8 or u1 to u8, found %s", r->file,
                             header->is_structured ? "a structured array" : header->type.text);
    }
    if (header->extents > MOST_EXTENTS) {
        return refuse_shape(tree, r, node, header->extent, header->extents);
    }
    for (r->extents = 0; r->extents < header->extents; ++r->extents) {
        r->extent[r->extents] = header->extent[r->extents];
    }
    return take_shape(tree, r, node) && take_numbers(tree, r, node, stream, header);
}

static bool take_stream(yaml_tree *tree, reading *r, const yaml_node_t *node, FILE *stream) {
    npy_header header;
    fault found;
    const bool good = npy_read(stream, &header, &found) ? take_array(tree, r, node, stream, &header)
                                                        : tree_complain(tree, r->place, node, "%s: %s", r->file, found.text);
    free(header.fields);
    return good;
}

static bool take_file(yaml_tree *tree, reading *r, const yaml_node_t *node) {
    const char *const path = scene_input(tree, r->file);
    FILE *const stream = path ? kdr_file_stream(path, false) : NULL;
    const bool good = stream ? take_stream(tree, r, node, stream)
                             : tree_complain(tree, r->place, node, "cannot open %s: %s", path ? path : r->file, strerror(errno));
    if (stream) {
        fclose(stream);
    }
    return good;
}

/* Reads what happens at the edges: one name for all axes, or one per axis. */
static bool take_edges(yaml_tree *tree, const reading *r) {
    const bool is_list = r->edges && r->edges->type == YAML_SEQUENCE_NODE;
    size_t length = 0;
    if (is_list && !tree_list(tree, r->place, r->edges, "clamped, periodic, or a list of these, one per axis", &length)) {
        return false;
    }
    for (int axis = 0; axis < r->grid->grid[KDR_F64].dims && r->edges; ++axis) {
        const tree_place place = {r->place, "edges", 0};
        int edge = 0;
        if (is_list && length != (size_t)r->grid->grid[KDR_F64].dims) {
            return tree_complain(tree, &place, r->edges, "expected one name, or one for each of %d axes, found %zu",
                                 r->grid->grid[KDR_F64].dims, length);
        }
        if (!tree_scalar(tree, &place, is_list ? tree_element(tree, r->edges, (size_t)axis) : r->edges, &VALUE_EDGE, &edge)) {
            return false;
        }
        r->grid->grid[KDR_F64].edge[axis] = (kdr_edge)edge;
    }
    return true;
}

static bool keep_values(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    (void)tree, (void)place;
    *(const yaml_node_t **)(void *)((char *)record + key->offset) = node;
    return true;
}

typedef struct grid_keys {
    const char *file;
    const yaml_node_t *values, *edges;
    double origin[3], spacing[3];
} grid_keys;

bool scene_read_grid(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const tree_key keys[] = {
        {"file", tree_read_scalar, offsetof(grid_keys, file), &VALUE_TEXT, NULL, false},
        {"values", keep_values, offsetof(grid_keys, values), NULL, shape_expected, false},
        {"origin", tree_read_axes, offsetof(grid_keys, origin), &VALUE_NUMBER, "a number, or one per axis [x, y, z]", false},
        {"spacing", tree_read_axes, offsetof(grid_keys, spacing), &VALUE_POSITIVE, "a positive number, or one per axis [x, y, z]", true},
        {"edges", keep_values, offsetof(grid_keys, edges), NULL, "clamped, periodic, or a list of these", false},
    };
    scene_grid *const grid = &((scene_force *)record)->grid;
    grid_keys given = {.file = NULL};
    (void)key;
    if (!tree_mapping(tree, place, node, keys, sizeof keys / sizeof *keys, &given)) {
        return false;
    }
    if (!given.file == !given.values) {
        return tree_complain(tree, place, node, "expected one of the keys \"file\" and \"values\", found %s",
                             given.file ? "both" : "neither");
    }
    const tree_place from = {place, given.file ? "file" : "values", 0};
    reading r = {.grid = grid, .file = given.file, .values = given.values, .edges = given.edges, .place = &from};
    memcpy(grid->grid[KDR_F64].origin, given.origin, sizeof given.origin);
    memcpy(grid->grid[KDR_F64].spacing, given.spacing, sizeof given.spacing);
    if (!(given.file ? take_file(tree, &r, node) : take_values(tree, &r))) {
        return false;
    }
    r.place = place;
    if (!take_edges(tree, &r)) {
        return false;
    }
    size_t count = 1;
    for (int i = 0; i < r.extents; ++i) {
        count *= (size_t)r.extent[i];
    }
    for (size_t i = 0; i < count; ++i) {
        grid->single[i] = (float)grid->values[i];
    }
    grid->grid[KDR_F32] = grid->grid[KDR_F64];
    grid->grid[KDR_F32].values = grid->single;
    grid->grid[KDR_F64].values = grid->values;
    return true;
}
