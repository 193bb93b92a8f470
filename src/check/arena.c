/* The layout of an arena, and its watched margins. */
#include "arena.h"

#include "arena_pages.h"

#include <stdint.h>
#include <string.h>

/* The margin is wider than any vector, and than the misalignment that a placement adds. */
enum { MARGIN = 256, PAINT = 0xA5 };

static size_t stride(const kdr_check_arena *arena) { return arena->slot + arena->page; }

bool kdr_check_arena_create(kdr_check_arena *arena, int slots, size_t bytes) {
    arena->page = kdr_check_page_size();
    arena->slot = (bytes + 4 * MARGIN + arena->page - 1) / arena->page * arena->page;
    arena->slots = slots;
    arena->mapped = stride(arena) * (size_t)slots + arena->page;
    arena->base = kdr_check_reserve_pages(arena->mapped);
    if (!arena->base) {
        return false;
    }
    for (int slot = 0; slot < slots; ++slot) {
        if (!kdr_check_open_pages(kdr_check_arena_slot(arena, slot), arena->slot)) {
            kdr_check_arena_destroy(arena);
            return false;
        }
    }
    return true;
}

void kdr_check_arena_destroy(kdr_check_arena *arena) {
    kdr_check_release_pages(arena->base, arena->mapped);
    arena->base = NULL;
}

unsigned char *kdr_check_arena_slot(const kdr_check_arena *arena, int slot) {
    return arena->base + arena->page + stride(arena) * (size_t)slot;
}

int kdr_check_arena_find(const kdr_check_arena *arena, const void *address) {
    uintptr_t at = (uintptr_t)address, base = (uintptr_t)arena->base;
    if (at < base || at >= base + arena->mapped) {
        return -1;
    }
    /* The guard page between two slots belongs half to each: its first half to the slot before, its second half to the slot after. */
    uintptr_t from = at - base + arena->page / 2;
    uintptr_t slot = from < arena->page ? 0 : (from - arena->page) / stride(arena);
    return slot < (uintptr_t)arena->slots ? (int)slot : arena->slots - 1;
}

static unsigned char *margin_begin(const kdr_check_arena *arena, int slot, unsigned char *begin) {
    unsigned char *low = kdr_check_arena_slot(arena, slot);
    return begin - low < MARGIN ? low : begin - MARGIN;
}

static unsigned char *margin_end(const kdr_check_arena *arena, int slot, unsigned char *end) {
    unsigned char *high = kdr_check_arena_slot(arena, slot) + arena->slot;
    return high - end < MARGIN ? high : end + MARGIN;
}

void kdr_check_arena_paint(const kdr_check_arena *arena, int slot, unsigned char *begin, unsigned char *end) {
    unsigned char *low = margin_begin(arena, slot, begin), *high = margin_end(arena, slot, end);
    memset(low, PAINT, (size_t)(begin - low));
    memset(end, PAINT, (size_t)(high - end));
}

static unsigned char *first_smudge(unsigned char *low, unsigned char *high) {
    for (unsigned char *at = low; at < high; ++at) {
        if (*at != PAINT) {
            return at;
        }
    }
    return NULL;
}

unsigned char *kdr_check_arena_smudge(const kdr_check_arena *arena, int slot, unsigned char *begin, unsigned char *end) {
    unsigned char *after = first_smudge(end, margin_end(arena, slot, end));
    return after ? after : first_smudge(margin_begin(arena, slot, begin), begin);
}
