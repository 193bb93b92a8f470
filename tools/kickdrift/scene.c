/* Reads the keys of a scene other than forces, particles and method. */
#include "scene.h"
#include "outfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <io/files.h>

static bool keep_node(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    (void)tree;
    (void)place;
    *(yaml_node_t **)(void *)((char *)record + key->offset) = node;
    return true;
}

static bool read_output(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const tree_key keys[] = {
        {"file", tree_read_scalar, offsetof(scene, output_file), &VALUE_TEXT, NULL, true},
        {"every", tree_read_scalar, offsetof(scene, output_every), &VALUE_EVERY, NULL, false},
        {"times", scene_read_times, 0, NULL, "a list of times", false},
    };
    const scene *const loaded = record;
    (void)key;
    return tree_mapping(tree, place, node, keys, sizeof keys / sizeof keys[0], record) &&
           (!loaded->output_times || loaded->output_every == 0 ||
            tree_complain(tree, place, node, "expected one of every and times, found both"));
}

/* Reads the file of a record. Its name goes to `key->offset`. */
static bool read_record(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    const tree_key keys[] = {{"file", tree_read_scalar, key->offset, &VALUE_TEXT, NULL, true}};
    return tree_mapping(tree, place, node, keys, 1, record);
}

static bool read_checkpoint(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const tree_key keys[] = {
        {"file", tree_read_scalar, offsetof(scene, checkpoint_file), &VALUE_TEXT, NULL, true},
        {"every", tree_read_scalar, offsetof(scene, checkpoint_every), &VALUE_PACE, NULL, false},
    };
    (void)key;
    return tree_mapping(tree, place, node, keys, sizeof keys / sizeof keys[0], record);
}

static bool read_stream(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const tree_key keys[] = {
        {"file", tree_read_scalar, offsetof(scene, stream_file), &VALUE_TEXT, NULL, true},
        {"memory", tree_read_scalar, offsetof(scene, stream_memory), &VALUE_BYTES, NULL, false},
        {"observe", tree_read_scalar, offsetof(scene, stream_observe), &VALUE_BOOLEAN, NULL, false},
    };
    (void)key;
    return tree_mapping(tree, place, node, keys, sizeof keys / sizeof keys[0], record);
}

static const tree_key scene_keys[] = {
    {"real", tree_read_scalar, offsetof(scene, real), &VALUE_REAL, NULL, false},
    {"arithmetic", tree_read_scalar, offsetof(scene, arithmetic), &VALUE_ARITHMETIC, NULL, false},
    {"compensated", tree_read_scalar, offsetof(scene, compensated), &VALUE_BOOLEAN, NULL, false},
    {"speed-of-light", tree_read_scalar, offsetof(scene, speed_of_light), &VALUE_POSITIVE, NULL, false},
    {"flush-small-to-zero", tree_read_scalar, offsetof(scene, flush_small_to_zero), &VALUE_BOOLEAN, NULL, false},
    {"particles", keep_node, offsetof(scene, particles), NULL, "a mapping with one of file, state, random, grid, plummer", true},
    {"forces", scene_read_forces, 0, NULL, "a list of forces ([] for none)", true},
    {"interactions", scene_read_interactions, 0, NULL, "a list of forces between particles ([] for none)", false},
    {"distances", scene_read_distances, 0, NULL, NULL, false},
    {"levels", scene_read_levels, 0, NULL, NULL, false},
    {"colliders", scene_read_colliders, 0, NULL, "a list of colliders ([] for none)", false},
    {"radius", scene_read_radius, offsetof(scene, radius), &VALUE_NOT_NEGATIVE, NULL, false},
    {"constraints", scene_read_constraints, 0, NULL, "a list of constraints ([] for none)", false},
    {"boundary", scene_read_boundary, 0, NULL, NULL, false},
    {"method", scene_read_method, 0, &VALUE_METHOD, NULL, true},
    {"compose", scene_read_compose, 0, &VALUE_COMPOSITION, NULL, false},
    {"langevin", scene_read_langevin, 0, NULL, NULL, false},
    {"t0", tree_read_scalar, offsetof(scene, t0), &VALUE_NUMBER, NULL, false},
    {"dt", tree_read_scalar, offsetof(scene, dt), &VALUE_STEP, NULL, true},
    {"step", tree_read_scalar, offsetof(scene, step), &VALUE_COUNT, NULL, false},
    {"steps", tree_read_scalar, offsetof(scene, steps), &VALUE_COUNT, NULL, true},
    {"report", tree_read_scalar, offsetof(scene, report), &VALUE_EVERY, NULL, false},
    {"output", read_output, 0, NULL, NULL, false},
    {"checkpoint", read_checkpoint, 0, NULL, NULL, false},
    {"watch", scene_read_watch, 0, NULL, "a list of watches ([] for none)", false},
    {"events", read_record, offsetof(scene, record_file[0]), NULL, NULL, false},
    {"contacts", read_record, offsetof(scene, record_file[1]), NULL, NULL, false},
    {"stream", read_stream, 0, NULL, NULL, false},
};

/* Checks that each file of records has something that can be written to it. */
static bool check_records(scene *loaded) {
    const struct {
        const char *key, *of;
        const void *file;
        size_t count;
    } rows[] = {{"events", "watch", loaded->record_file[0], loaded->watch_count},
                {"contacts", "colliders", loaded->record_file[1], loaded->collider_count}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (rows[i].file && rows[i].count == 0) {
            return fault_set(loaded->tree.why, "%s:%zu: %s: the scene has no %s, expected some to write of", loaded->tree.file,
                             scene_line(loaded, rows[i].key), rows[i].key, rows[i].of);
        }
    }
    return true;
}

static bool read_scene(scene *loaded, bool is_read, tree_modules modules) {
    if (!is_read) {
        loaded->tree.file = NULL;
        return false;
    }
    loaded->tree.modules = modules;
    return tree_mapping(&loaded->tree, NULL, tree_root(&loaded->tree), scene_keys, sizeof scene_keys / sizeof scene_keys[0], loaded) &&
           check_records(loaded);
}

bool scene_load(scene *loaded, const char *file, tree_modules modules, fault *why) {
    *loaded = (scene){.real = KDR_F64, .arithmetic = KDR_FUSED};
    return read_scene(loaded, tree_load(&loaded->tree, file, why), modules);
}

bool scene_parse(scene *loaded, const char *file, const void *text, size_t length, tree_modules modules, fault *why) {
    *loaded = (scene){.real = KDR_F64, .arithmetic = KDR_FUSED};
    return read_scene(loaded, tree_parse(&loaded->tree, file, text, length, why), modules);
}

char *scene_beside(const char *scene_file, const char *name) {
    const size_t folder = kdr_file_is_absolute(name) ? 0 : kdr_file_folder(scene_file);
    const size_t size = folder + strlen(name) + 1;
    char *path = malloc(size);
    if (path) {
        snprintf(path, size, "%.*s%s", (int)folder, scene_file, name);
    }
    return path;
}

const char *scene_input(yaml_tree *tree, const char *name) {
    char *const path = scene_beside(tree->file, name);
    for (size_t i = 0; path && i < tree->input_count; ++i) {
        if (strcmp(path, tree->inputs[i]) == 0) {
            free(path);
            return tree->inputs[i];
        }
    }
    char **const more = path ? realloc(tree->inputs, (tree->input_count + 1) * sizeof *more) : NULL;
    if (!more) {
        free(path);
        return NULL;
    }
    tree->inputs = more;
    return tree->inputs[tree->input_count++] = path;
}

bool scene_reads(const scene *loaded, const char *path) {
    bool reads = outfile_is_same(loaded->tree.file, path);
    for (size_t i = 0; i < loaded->tree.input_count; ++i) {
        reads = reads || outfile_is_same(loaded->tree.inputs[i], path);
    }
    return reads;
}

size_t scene_line(scene *loaded, const char *key) {
    const yaml_node_t *root = tree_root(&loaded->tree);
    for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top; ++pair) {
        if (strcmp((const char *)tree_node(&loaded->tree, pair->key)->data.scalar.value, key) == 0) {
            return tree_line(tree_node(&loaded->tree, pair->value));
        }
    }
    return 0;
}

void scene_release(scene *loaded) {
    if (loaded->tree.file) {
        tree_release(&loaded->tree);
    }
    for (size_t i = 0; i < loaded->force_count; ++i) {
        free(loaded->forces[i].grid.values);
        free(loaded->forces[i].grid.single);
    }
    free(loaded->forces);
    free(loaded->colliders);
    free(loaded->constraints);
    free(loaded->output_times);
    free(loaded->interactions);
    free(loaded->distances.rods);
}
