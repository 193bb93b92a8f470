/* A hash table with open addressing. */
#include "key_set.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Returns the index of a key, or of the empty place where it belongs. */
static size_t place_of(const key_set *set, uint64_t key) {
    size_t at = (size_t)XXH64(&key, sizeof key, 0) & (set->size - 1);
    while (set->number[at] && set->keys[at] != key) {
        at = (at + 1) & (set->size - 1);
    }
    return at;
}

static bool grow(key_set *set) {
    key_set more = {.size = set->size ? 2 * set->size : 64, .count = set->count};
    more.keys = calloc(more.size, sizeof *more.keys);
    more.number = calloc(more.size, sizeof *more.number);
    if (!more.keys || !more.number) {
        key_set_free(&more);
        return false;
    }
    for (size_t i = 0; i < set->size; ++i) {
        if (set->number[i]) {
            const size_t at = place_of(&more, set->keys[i]);
            more.keys[at] = set->keys[i];
            more.number[at] = set->number[i];
        }
    }
    key_set old = *set;
    *set = more;
    key_set_free(&old);
    return true;
}

size_t key_set_add(key_set *set, uint64_t key, bool *is_new) {
    if (2 * set->count >= set->size && !grow(set)) {
        return 0;
    }
    const size_t at = place_of(set, key);
    *is_new = set->number[at] == 0;
    if (*is_new) {
        set->keys[at] = key;
        set->number[at] = ++set->count;
    }
    return set->number[at];
}

void key_set_free(key_set *set) {
    free(set->keys);
    free(set->number);
    *set = (key_set){.keys = NULL};
}
