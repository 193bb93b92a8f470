/* Reads YAML documents by tables of keys. Only what the tables name is looked at, so an alias that contains itself, or that multiplies,
 * costs nothing. */
#include "tree.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <io/files.h>

/* The largest scene, in bytes. A node of libyaml takes up to 60 times the memory of its text, so a scene of numbers of this size takes
 * about 1 GB. Larger data belong in a CSV file. */
enum { LARGEST_SCENE = 16 << 20 };

static bool read_whole(FILE *stream, const char *file, unsigned char **text, size_t *length, fault *why) {
    size_t room = 64 << 10, used = 0;
    unsigned char *buffer = malloc(room);
    while (buffer) {
        const size_t got = fread(buffer + used, 1, room - used, stream);
        if (got < room - used && ferror(stream)) {
            fault_set(why, "%s: cannot read: %s, expected a scene", file, strerror(errno));
            break;
        }
        used += got;
        if (used > LARGEST_SCENE) {
            fault_set(why, "%s: longer than 16 MiB, expected a scene (particles in bulk belong in a CSV file)", file);
            break;
        }
        if (used < room) {
            *text = buffer;
            *length = used;
            return true;
        }
        room *= 2;
        unsigned char *more = realloc(buffer, room);
        if (!more) {
            free(buffer);
        }
        buffer = more;
    }
    if (!buffer) {
        return fault_set(why, "%s: no memory to read it, expected a scene that fits", file);
    }
    free(buffer);
    return false;
}

static bool read_file(const char *file, unsigned char **text, size_t *length, fault *why) {
    kdr_file_info about;
    FILE *const stream = kdr_file_stream(file, false);
    if (!stream) {
        return fault_set(why, "%s: cannot open: %s, expected a scene", file, strerror(errno));
    }
    bool done = false;
    if (kdr_file_look_at(fileno(stream), &about) && about.is_regular && about.size > LARGEST_SCENE) {
        fault_set(why, "%s: longer than 16 MiB, expected a scene (particles in bulk belong in a CSV file)", file);
    } else {
        done = read_whole(stream, file, text, length, why);
    }
    fclose(stream);
    return done;
}

typedef struct source {
    const char *file;
    unsigned char *text;
    size_t length;
} source;

static bool yaml_complaint(const yaml_parser_t *parser, const source *from, fault *why) {
    if (parser->error == YAML_MEMORY_ERROR) {
        return fault_set(why, "%s: no memory to read it, expected a scene that fits", from->file);
    }
    size_t line = parser->problem_mark.line + 1;
    if (parser->error == YAML_READER_ERROR) {
        line = 1;
        for (size_t i = 0; i < from->length && i < parser->problem_offset; ++i) {
            line += from->text[i] == '\n';
        }
    }
    return fault_set(why, "%s:%zu: %s, expected YAML", from->file, line, parser->problem ? parser->problem : "cannot be read");
}

static bool begin_parser(yaml_parser_t *parser, const source *from, fault *why) {
    if (!yaml_parser_initialize(parser)) {
        return fault_set(why, "%s: no memory to read it, expected a scene that fits", from->file);
    }
    yaml_parser_set_input_string(parser, from->text, from->length);
    return true;
}

enum { DEEPEST = 32, MOST_ANCHORS = 100, MOST_DIRECTIVES = 100 };

/* Refuses documents with many %TAG directives, because libyaml compares each directive with all before it. Tokens are only counted if there
 * are many percent signs. Other mistakes in them are found later. */
static bool check_directives(const source *from, fault *why) {
    size_t signs = 0;
    for (size_t i = 0; i < from->length; ++i) {
        signs += from->text[i] == '%';
    }
    yaml_parser_t parser;
    if (signs <= MOST_DIRECTIVES) {
        return true;
    }
    if (!begin_parser(&parser, from, why)) {
        return false;
    }
    int directives = 0, depth = 0;
    size_t line = 0;
    for (bool ended = false; !ended && directives <= MOST_DIRECTIVES && depth <= DEEPEST;) {
        yaml_token_t token;
        if (!yaml_parser_scan(&parser, &token)) {
            break;
        }
        line = token.start_mark.line + 1;
        directives += token.type == YAML_TAG_DIRECTIVE_TOKEN;
        depth += token.type == YAML_FLOW_SEQUENCE_START_TOKEN || token.type == YAML_FLOW_MAPPING_START_TOKEN;
        depth -= token.type == YAML_FLOW_SEQUENCE_END_TOKEN || token.type == YAML_FLOW_MAPPING_END_TOKEN;
        ended = token.type == YAML_STREAM_END_TOKEN;
        yaml_token_delete(&token);
    }
    yaml_parser_delete(&parser);
    return directives <= MOST_DIRECTIVES ||
           fault_set(why, "%s:%zu: more than %d directives, expected a scene", from->file, line, MOST_DIRECTIVES);
}

static bool is_anchored(const yaml_event_t *event) {
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor != NULL;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor != NULL;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor != NULL;
    default:
        return false;
    }
}

/* Checks the events before the document is built. The time of libyaml is quadratic in the depth of nesting and in the number of anchors,
 * and it would leave a second document unread. */
static bool check_events(yaml_parser_t *parser, const source *from, fault *why) {
    int depth = 0, documents = 0, anchors = 0;
    for (bool ended = false; !ended;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            return yaml_complaint(parser, from, why);
        }
        const size_t line = event.start_mark.line + 1;
        depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
        depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        documents += event.type == YAML_DOCUMENT_START_EVENT;
        anchors += is_anchored(&event);
        ended = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (depth > DEEPEST) {
            return fault_set(why, "%s:%zu: lists and mappings nested deeper than %d, expected a scene", from->file, line, DEEPEST);
        }
        if (anchors > MOST_ANCHORS) {
            return fault_set(why, "%s:%zu: more than %d anchors, expected a scene", from->file, line, MOST_ANCHORS);
        }
        if (documents > 1) {
            return fault_set(why, "%s:%zu: a second document, expected one", from->file, line);
        }
    }
    return documents == 1 ||
           fault_set(why, "%s:1: empty, expected a scene: a mapping with particles, forces, method, dt and steps", from->file);
}

static bool load_document(yaml_tree *tree, const source *from, fault *why) {
    yaml_parser_t parser;
    if (!check_directives(from, why) || !begin_parser(&parser, from, why)) {
        return false;
    }
    bool good = check_events(&parser, from, why);
    yaml_parser_delete(&parser);
    if (!good || !begin_parser(&parser, from, why)) {
        return false;
    }
    good = yaml_parser_load(&parser, &tree->document) || yaml_complaint(&parser, from, why);
    yaml_parser_delete(&parser);
    return good;
}

static bool begin(yaml_tree *tree, const char *file, source *from, fault *why) {
    tree->file = file;
    tree->why = why;
    if (!load_document(tree, from, why)) {
        free(from->text);
        return false;
    }
    tree->text = from->text;
    tree->length = from->length;
    return true;
}

bool tree_load(yaml_tree *tree, const char *file, fault *why) {
    source from = {.file = file};
    return read_file(file, &from.text, &from.length, why) && begin(tree, file, &from, why);
}

bool tree_parse(yaml_tree *tree, const char *file, const void *text, size_t length, fault *why) {
    source from = {.file = file, .text = malloc(length + 1), .length = length};
    if (!from.text) {
        return fault_set(why, "%s: no memory to read it, expected a scene that fits", file);
    }
    memcpy(from.text, text, length);
    return begin(tree, file, &from, why);
}

void tree_release(yaml_tree *tree) {
    yaml_document_delete(&tree->document);
    free(tree->text);
    for (size_t i = 0; i < tree->input_count; ++i) {
        free(tree->inputs[i]);
    }
    free(tree->inputs);
}

yaml_node_t *tree_root(yaml_tree *tree) { return yaml_document_get_root_node(&tree->document); }

yaml_node_t *tree_node(yaml_tree *tree, int index) { return yaml_document_get_node(&tree->document, index); }

size_t tree_line(const yaml_node_t *node) { return node->start_mark.line + 1; }

static size_t write_place(const tree_place *place, char *buffer, size_t size) {
    size_t used = place->up ? write_place(place->up, buffer, size) : 0;
    if (used >= size) {
        return used;
    }
    const int n = place->key ? snprintf(buffer + used, size - used, "%s%.60s", used ? "." : "", place->key)
                             : snprintf(buffer + used, size - used, "[%zu]", place->index);
    return used + (size_t)n;
}

const char *tree_place_text(const tree_place *place, char *buffer, size_t size) {
    buffer[0] = '\0';
    if (place) {
        write_place(place, buffer, size);
    }
    return buffer;
}

bool tree_complain(yaml_tree *tree, const tree_place *place, const yaml_node_t *node, const char *format, ...) {
    char where[512], template[768];
    va_list arguments;
    tree_place_text(place, where, sizeof where);
    /* The place becomes part of the format, so its percent signs are doubled. */
    size_t used = 0;
    for (const char *c = where; *c && used + 3 < sizeof where; ++c) {
        template[used++] = *c;
        if (*c == '%') {
            template[used++] = '%';
        }
    }
    snprintf(template + used, sizeof template - used, "%s%s", *where ? ": " : "", format);
    va_start(arguments, format);
    fault_set_at(tree->why, tree->file, tree_line(node), template, arguments);
    va_end(arguments);
    return false;
}

static const char *describe(const yaml_node_t *node, char *buffer, size_t size) {
    if (node->type == YAML_SEQUENCE_NODE) {
        snprintf(buffer, size, "a list of %td", node->data.sequence.items.top - node->data.sequence.items.start);
    } else if (node->type == YAML_MAPPING_NODE) {
        snprintf(buffer, size, "a mapping");
    } else if (node->data.scalar.length == 0) {
        snprintf(buffer, size, "nothing");
    } else {
        fault_quote((const char *)node->data.scalar.value, buffer, size);
    }
    return buffer;
}

bool tree_expected(yaml_tree *tree, const tree_place *place, const yaml_node_t *node, const char *expected) {
    char found[64];
    return tree_complain(tree, place, node, "expected %s, found %s", expected, describe(node, found, sizeof found));
}

static const char *expected_of(const tree_key *key, char *buffer, size_t size) {
    return key->expected ? key->expected : value_expected(key->type, buffer, size);
}

typedef struct key_table {
    const tree_key *keys;
    size_t count;
} key_table;

static const char *key_name_at(const void *context, size_t i) {
    const key_table *table = context;
    return i < table->count ? table->keys[i].name : NULL;
}

static const char *list_names(const key_table *table, char *buffer, size_t size) {
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < table->count && used < size; ++i) {
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? ", " : "", table->keys[i].name);
    }
    return buffer;
}

/* Finds the index of a key of the document in the table. Returns false if the table does not have it. */
static bool find_key(yaml_tree *tree, const tree_place *place, const yaml_node_t *node, const key_table *table, size_t *index) {
    char names[512], hint[96], text[64];
    const char *name = node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
    for (*index = 0; name && *index < table->count; ++*index) {
        if (strcmp(name, table->keys[*index].name) == 0) {
            return true;
        }
    }
    return tree_complain(tree, place, node, "unknown key %s%s, expected %s%s", describe(node, text, sizeof text),
                         name ? value_nearest(key_name_at, table, name, hint, sizeof hint) : "", table->count > 1 ? "one of " : "",
                         list_names(table, names, sizeof names));
}

static bool is_mapping(yaml_tree *tree, const tree_place *place, const yaml_node_t *node, const key_table *table) {
    char names[512], expected[600];
    if (node->type == YAML_MAPPING_NODE) {
        return true;
    }
    snprintf(expected, sizeof expected, "a mapping of %s", list_names(table, names, sizeof names));
    return tree_expected(tree, place, node, expected);
}

bool tree_mapping(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *keys, size_t count, void *record) {
    const key_table table = {keys, count};
    const yaml_node_t *given[32] = {NULL};
    yaml_node_t *values[32] = {NULL};
    if (!is_mapping(tree, place, node, &table)) {
        return false;
    }
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; ++pair) {
        size_t i;
        const yaml_node_t *key = tree_node(tree, pair->key);
        if (!find_key(tree, place, key, &table, &i)) {
            return false;
        }
        if (given[i]) {
            return tree_complain(tree, place, key, "key \"%s\" given twice, expected once (line %zu has it)", keys[i].name,
                                 tree_line(given[i]));
        }
        given[i] = key;
        values[i] = tree_node(tree, pair->value);
    }
    for (size_t i = 0; i < count; ++i) {
        char expected[256];
        tree_place here = {place, keys[i].name, 0};
        if (!values[i] && keys[i].required) {
            return tree_complain(tree, place, node, "key \"%s\" is missing, expected %s", keys[i].name,
                                 expected_of(&keys[i], expected, sizeof expected));
        }
        if (values[i] && !keys[i].read(tree, &here, values[i], &keys[i], record)) {
            return false;
        }
    }
    return true;
}

bool tree_choice(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *keys, size_t count, void *record,
                 size_t *chosen) {
    const key_table table = {keys, count};
    char names[512];
    size_t i;
    if (!is_mapping(tree, place, node, &table)) {
        return false;
    }
    const yaml_node_pair_t *first = node->data.mapping.pairs.start;
    const ptrdiff_t length = node->data.mapping.pairs.top - first;
    for (ptrdiff_t pair = 0; pair < length; ++pair) {
        if (!find_key(tree, place, tree_node(tree, first[pair].key), &table, &i)) {
            return false;
        }
    }
    if (length != 1) {
        return tree_complain(tree, place, node, "expected exactly one of %s, found %td", list_names(&table, names, sizeof names), length);
    }
    if (chosen) {
        *chosen = i;
    }
    tree_place here = {place, keys[i].name, 0};
    return keys[i].read(tree, &here, tree_node(tree, first->value), &keys[i], record);
}

bool tree_list(yaml_tree *tree, const tree_place *place, const yaml_node_t *node, const char *expected, size_t *length) {
    *length = 0;
    if (node->type != YAML_SEQUENCE_NODE) {
        return tree_expected(tree, place, node, expected);
    }
    *length = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    return true;
}

yaml_node_t *tree_element(yaml_tree *tree, const yaml_node_t *list, size_t i) {
    return tree_node(tree, list->data.sequence.items.start[i]);
}

/* Returns true for numbers such as 010, which are refused because YAML 1.1 reads eight and YAML 1.2 ten. */
static bool has_leading_zero(const char *text) {
    text += *text == '-' || *text == '+';
    return text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

bool tree_scalar(yaml_tree *tree, const tree_place *place, const yaml_node_t *node, const value_type *type, void *destination) {
    char expected[256], found[64], hint[96];
    value_expected(type, expected, sizeof expected);
    if (node->type != YAML_SCALAR_NODE) {
        return tree_expected(tree, place, node, expected);
    }
    const char *text = (const char *)node->data.scalar.value;
    const bool plain = node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (!plain && !type->quoted) {
        return tree_complain(tree, place, node, "expected %s, found text in quotes", expected);
    }
    const bool null = plain && (strcmp(text, "~") == 0 || strcmp(text, "null") == 0);
    if (!null && strlen(text) == node->data.scalar.length && (type->quoted || !has_leading_zero(text)) &&
        type->parse(type, text, destination)) {
        return true;
    }
    return tree_complain(tree, place, node, "expected %s, found %s%s", expected, describe(node, found, sizeof found),
                         value_suggestion(type, text, hint, sizeof hint));
}

bool tree_read_scalar(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    return tree_scalar(tree, place, node, key->type, (char *)record + key->offset);
}

bool tree_read_vector(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    double *vector = (double *)(void *)((char *)record + key->offset);
    const char *expected = key->expected ? key->expected : "a list of three numbers [x, y, z]";
    size_t length;
    if (!tree_list(tree, place, node, expected, &length)) {
        return false;
    }
    if (length != 3) {
        return tree_expected(tree, place, node, expected);
    }
    for (size_t i = 0; i < 3; ++i) {
        tree_place here = {place, NULL, i};
        if (!tree_scalar(tree, &here, tree_element(tree, node, i), key->type, &vector[i])) {
            return false;
        }
    }
    return true;
}

bool tree_read_axes(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    double *vector = (double *)(void *)((char *)record + key->offset), value;
    if (node->type == YAML_SEQUENCE_NODE) {
        return tree_read_vector(tree, place, node, key, record);
    }
    if (node->type == YAML_MAPPING_NODE || !key->type->parse(key->type, (const char *)node->data.scalar.value, &value)) {
        return tree_expected(tree, place, node, key->expected);
    }
    if (!tree_scalar(tree, place, node, key->type, &value)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        vector[i] = value;
    }
    return true;
}
