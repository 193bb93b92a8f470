/* Grids of fields in scenes: numbers of the scene's own, a list in a list for each axis, or those of a .npy file, which NumPy writes. */
#include "scene.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <io/files.h>

enum { MOST_EXTENTS = 4, HEAD_BYTES = 4096 };

static const char file_expected[] = "an array of 1 to 3 axes of 2 to 1024 nodes each, and 1 to 6 numbers a node behind them";
static const char shape_expected[] = "a list for each of 1 to 3 axes, of 2 to 1024 nodes, and in it a list of each node's numbers";

typedef struct reading {
    scene_grid *grid;
    const char *file;
    const yaml_node_t *values, *edges;
    const tree_place *place;
    size_t extent[MOST_EXTENTS]; /* an axis each, then the components */
    int extents;
} reading;

/* The shape is known: strides of an array whose last extent lies side by side, and room for its numbers in both precisions. */
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
        count *= r->extent[i];
    }
    if (!good && r->file) {
        char shape[MOST_EXTENTS * 24] = "";
        for (int i = 0; i < r->extents; ++i) {
            snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%zu", i > 0 ? ", " : "", r->extent[i]);
        }
        return tree_complain(tree, r->place, node, "%s: expected %s, found the shape (%s)", r->file, file_expected, shape);
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

/* Lists in lists: the first ones say the shape, which the others must have. */
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
                             r->extent[depth], length);
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
        if (!tree_list(tree, r->place, node, shape_expected, &r->extent[r->extents++])) {
            return false;
        }
        node = r->extent[r->extents - 1] > 0 ? tree_element(tree, node, 0) : r->values;
    }
    return take_shape(tree, r, r->values) && take_lists(tree, r, r->values, 0, &at);
}

/* "(64, 64, 64, 6)" behind 'shape': */
static bool take_extents(const char *head, reading *r) {
    const char *at = strstr(head, "'shape': (");
    for (at = at ? at + strlen("'shape': (") : ""; r->extents < MOST_EXTENTS && *at >= '0' && *at <= '9'; ++r->extents) {
        char *end;
        r->extent[r->extents] = strtoul(at, &end, 10);
        at = end + strspn(end, ", ");
    }
    return *at == ')';
}

/* A number of NumPy's, its lowest byte first. */
static double number_at(const unsigned char *bytes, size_t size) {
    uint64_t word = 0;
    for (size_t i = size; i-- > 0;) {
        word = word << 8 | bytes[i];
    }
    const uint32_t half = (uint32_t)word;
    float single;
    double precise;
    memcpy(&single, &half, sizeof single);
    memcpy(&precise, &word, sizeof precise);
    return size == sizeof single ? (double)single : precise;
}

static bool take_stream(yaml_tree *tree, reading *r, const yaml_node_t *node, FILE *stream) {
    static const char expected[] =
        "a .npy file of an array in C order, of the type float32 or float64, an extent an axis and one of components";
    unsigned char begin[10];
    char head[HEAD_BYTES] = "";
    const bool begins = fread(begin, 1, sizeof begin, stream) == sizeof begin && memcmp(begin, "\x93NUMPY\x01", 7) == 0;
    const size_t length = begins ? (size_t)begin[8] | (size_t)begin[9] << 8 : HEAD_BYTES;
    const bool has_head = length < HEAD_BYTES && fread(head, 1, length, stream) == length && strstr(head, "'fortran_order': False");
    const size_t size = strstr(head, "'<f8'") ? sizeof(double) : strstr(head, "'<f4'") ? sizeof(float) : 0;
    if (!has_head || size == 0) {
        return tree_complain(tree, r->place, node, "%s: expected %s", r->file, expected);
    }
    if (!take_extents(head, r)) {
        const char *const shape = strstr(head, "'shape': (");
        const char *const text = shape ? shape + strlen("'shape': (") : "";
        return tree_complain(tree, r->place, node, "%s: expected %s, found the shape (%.*s)", r->file, file_expected,
                             (int)strcspn(text, ")"), text);
    }
    if (!take_shape(tree, r, node)) {
        return false;
    }
    size_t count = 1;
    for (int i = 0; i < r->extents; ++i) {
        count *= r->extent[i];
    }
    for (size_t i = 0; i < count; ++i) {
        unsigned char bytes[sizeof(double)];
        if (fread(bytes, 1, size, stream) != size) {
            return tree_complain(tree, r->place, node, "%s: expected %zu numbers, as its shape says, found %zu", r->file, count, i);
        }
        r->grid->values[i] = number_at(bytes, size);
    }
    return fgetc(stream) == EOF ||
           tree_complain(tree, r->place, node, "%s: expected %zu numbers, as its shape says, found more", r->file, count);
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

/* One name for all axes, or one for each. */
static bool take_edges(yaml_tree *tree, const reading *r) {
    const bool is_list = r->edges && r->edges->type == YAML_SEQUENCE_NODE;
    size_t length = 0;
    if (is_list && !tree_list(tree, r->place, r->edges, "clamped, periodic, or a list of these, one an axis", &length)) {
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
        {"origin", tree_read_axes, offsetof(grid_keys, origin), &VALUE_NUMBER, "a number, or one an axis [x, y, z]", false},
        {"spacing", tree_read_axes, offsetof(grid_keys, spacing), &VALUE_POSITIVE, "a positive number, or one an axis [x, y, z]", true},
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
        count *= r.extent[i];
    }
    for (size_t i = 0; i < count; ++i) {
        grid->single[i] = (float)grid->values[i];
    }
    grid->grid[KDR_F32] = grid->grid[KDR_F64];
    grid->grid[KDR_F32].values = grid->single;
    grid->grid[KDR_F64].values = grid->values;
    return true;
}
