/* A set of keys. It numbers the keys in the order in which they are added. */
#ifndef KICKDRIFT_TOOLS_KEY_SET_H
#define KICKDRIFT_TOOLS_KEY_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros: an empty set. */
typedef struct key_set {
    uint64_t *keys;
    size_t *number; /* number of the key, from 1; 0: the place is empty */
    size_t size;    /* places of the table, a power of 2 */
    size_t count;
} key_set;

/* Adds a key and returns its number, from 1; 0 if there is no memory. *is_new becomes true if the key was not in the set before. */
size_t key_set_add(key_set *set, uint64_t key, bool *is_new);
void key_set_free(key_set *set);

#endif
