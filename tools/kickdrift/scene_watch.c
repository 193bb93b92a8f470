/* Reads the keys `watch` and `output.times` of a scene. */
#include "scene.h"

#include <stdlib.h>

#define PLACE(member) offsetof(scene_watch, watch.member)
#define POINT(name, member, required) {name, tree_read_vector, PLACE(member), &VALUE_NUMBER, "three numbers [x, y, z]", required}
/* The keys that every watch has. */
#define CROSSING                                                                                                                           \
    {"crossing", tree_read_scalar, PLACE(crossing), &VALUE_CROSSING, NULL, false},                                                         \
        {"stop", tree_read_scalar, PLACE(action), &VALUE_ACTION, NULL, false}, {                                                           \
        "name", tree_read_scalar, offsetof(scene_watch, name), &VALUE_WORD, NULL, false                                                    \
    }

static const char *crossing_name(int i) {
    static const char *const names[KDR_CROSSING_COUNT] = {
        [KDR_CROSSING_ANY] = "any", [KDR_CROSSING_RISING] = "rising", [KDR_CROSSING_FALLING] = "falling"};
    return i < KDR_CROSSING_COUNT ? names[i] : NULL;
}

static const value_type VALUE_CROSSING = {value_parse_name, NULL, true, 0, 0, false, crossing_name};

static const char *action_name(int i) {
    static const char *const names[KDR_ACTION_COUNT] = {
        [KDR_ACTION_NONE] = "nothing", [KDR_ACTION_STOP_PARTICLE] = "particle", [KDR_ACTION_STOP_RUN] = "run"};
    return i < KDR_ACTION_COUNT ? names[i] : NULL;
}

static const value_type VALUE_ACTION = {value_parse_name, NULL, true, 0, 0, false, action_name};

/* Reads a name that a column of CSV can hold without quotes. */
static bool parse_word(const value_type *type, const char *text, void *destination) {
    for (const char *c = text; *c; ++c) {
        if (*c == ',' || *c == '"' || (unsigned char)*c < ' ') {
            return false;
        }
    }
    return value_parse_text(type, text, destination);
}

static const value_type VALUE_WORD = {parse_word, "a name without commas and quotes", true, 0, 0, false, NULL};

static const tree_key apsis_keys[] = {POINT("at", at, false), CROSSING};
static const tree_key plane_keys[] = {POINT("point", at, false), POINT("normal", normal, true), CROSSING};
static const tree_key distance_keys[] = {
    POINT("at", at, false), {"radius", tree_read_scalar, PLACE(distance), &VALUE_POSITIVE, NULL, true}, CROSSING};

/* The kinds of watches in a scene. A user-defined function is for programs only. */
static const struct watch_row {
    const char *name;
    kdr_watch_kind kind;
    const tree_key *keys;
    size_t count;
} watch_rows[] = {
    {"apsis", KDR_WATCH_APSIS, apsis_keys, sizeof apsis_keys / sizeof apsis_keys[0]},
    {"plane", KDR_WATCH_PLANE, plane_keys, sizeof plane_keys / sizeof plane_keys[0]},
    {"distance", KDR_WATCH_DISTANCE, distance_keys, sizeof distance_keys / sizeof distance_keys[0]},
};
enum { WATCH_ROWS = sizeof watch_rows / sizeof watch_rows[0] };

/* Reads a watch. `key->offset` is its row. */
static bool read_watch(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    const struct watch_row *const row = &watch_rows[key->offset];
    scene_watch *const watch = record;
    *watch = (scene_watch){.watch = {.kind = row->kind}, .name = row->name};
    return tree_mapping(tree, place, node, row->keys, row->count, record);
}

bool scene_read_watch(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    scene *const loaded = record;
    tree_key kinds[WATCH_ROWS];
    size_t length;
    for (size_t i = 0; i < WATCH_ROWS; ++i) {
        kinds[i] = (tree_key){watch_rows[i].name, read_watch, i, NULL, NULL, false};
    }
    if (!tree_list(tree, place, node, key->expected, &length)) {
        return false;
    }
    if (length > KDR_MAX_WATCHES) {
        return tree_complain(tree, place, node, "expected at most %d, found %zu", KDR_MAX_WATCHES, length);
    }
    loaded->watch_count = length;
    for (size_t i = 0; i < length; ++i) {
        const tree_place here = {place, NULL, i};
        if (!tree_choice(tree, &here, tree_element(tree, node, i), kinds, WATCH_ROWS, &loaded->watches[i], NULL)) {
            return false;
        }
    }
    return true;
}

bool scene_read_times(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    scene *const loaded = record;
    size_t length;
    if (!tree_list(tree, place, node, key->expected, &length)) {
        return false;
    }
    loaded->output_times = malloc((length + 1) * sizeof *loaded->output_times);
    if (!loaded->output_times) {
        return tree_complain(tree, place, node, "no memory for %zu times, expected fewer", length);
    }
    loaded->output_time_count = length;
    for (size_t i = 0; i < length; ++i) {
        const tree_place here = {place, NULL, i};
        if (!tree_scalar(tree, &here, tree_element(tree, node, i), &VALUE_NUMBER, &loaded->output_times[i])) {
            return false;
        }
    }
    return true;
}
