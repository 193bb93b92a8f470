/* Memory for arrays. Each is placed in a slot between two pages that must not be touched. Where pages have no protection (WebAssembly),
 * only the margins next to an array are watched. */
#ifndef KDR_CHECK_ARENA_H
#define KDR_CHECK_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct kdr_check_arena {
    unsigned char *base;
    size_t mapped;
    size_t page;
    size_t slot; /* accessible bytes of a slot */
    int slots;
} kdr_check_arena;

/* Makes slots for arrays of up to `bytes`, with room for misalignment. Returns false if there is no memory. */
bool kdr_check_arena_create(kdr_check_arena *arena, int slots, size_t bytes);
void kdr_check_arena_destroy(kdr_check_arena *arena);

unsigned char *kdr_check_arena_slot(const kdr_check_arena *arena, int slot);

/* Returns the slot that an address is in, or whose guard page it is on; -1: none. */
int kdr_check_arena_find(const kdr_check_arena *arena, const void *address);

/* kdr_check_arena_paint fills the margins on both sides of the array [begin, end) of a slot with a pattern. kdr_check_arena_smudge returns
 * the first byte of them that has changed. */
void kdr_check_arena_paint(const kdr_check_arena *arena, int slot, unsigned char *begin, unsigned char *end);
/* NULL: none has changed */
unsigned char *kdr_check_arena_smudge(const kdr_check_arena *arena, int slot, unsigned char *begin, unsigned char *end);

/* Calls body. Returns true if it ended by a fault on one of the arena's pages, or by an aligned access to an unaligned address (then
 * *address is NULL, because the processor does not say where). Faults elsewhere, and in other threads, are not handled. */
bool kdr_check_arena_guard(const kdr_check_arena *arena, void (*body)(void *), void *argument, void **address);

#endif
