/* A set of keys that numbers them in the order in which they come. */
#ifndef KICKDRIFT_TOOLS_KEY_SET_H
#define KICKDRIFT_TOOLS_KEY_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros: an empty set. */
typedef struct key_set {
    uint64_t *keys;
    size_t *number; /* from 1; 0: the place is empty */
    size_t size;    /* places, a power of 2 */
    size_t count;
} key_set;

/* The number of a key, from 1; *is_new where it was not in the set before. 0: no memory. */
size_t key_set_add(key_set *set, uint64_t key, bool *is_new);
void key_set_free(key_set *set);

#endif
