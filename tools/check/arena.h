/* Memory to place arrays in: each in a slot of its own between two pages that may not be touched. */
#ifndef KDR_CHECK_ARENA_H
#define KDR_CHECK_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct kdr_check_arena {
    unsigned char *base;
    size_t mapped;
    size_t page;
    size_t slot; /* bytes of a slot that may be touched */
    int slots;
} kdr_check_arena;

/* Slots for arrays of up to `bytes`, with room for misalignment. false: the system has no memory. */
bool kdr_check_arena_create(kdr_check_arena *arena, int slots, size_t bytes);
void kdr_check_arena_destroy(kdr_check_arena *arena);

unsigned char *kdr_check_arena_slot(const kdr_check_arena *arena, int slot);

/* Which slot an address is in or beside (its guard pages count); -1: none. */
int kdr_check_arena_find(const kdr_check_arena *arena, const void *address);

/* The watched bytes on both sides of an array [begin, end) of a slot, as far as the slot goes. */
void kdr_check_arena_paint(const kdr_check_arena *arena, int slot, unsigned char *begin, unsigned char *end);
unsigned char *kdr_check_arena_smudge(const kdr_check_arena *arena, int slot, unsigned char *begin, unsigned char *end); /* NULL: none */

/* Calls body. true: a fault on one of the arena's pages ended it, or an aligned access to an unaligned address (address NULL: the
 * processor does not say where). Faults elsewhere, and in other threads than the caller's, are the program's own. */
bool kdr_check_arena_guard(const kdr_check_arena *arena, void (*body)(void *), void *argument, void **address);

#endif
