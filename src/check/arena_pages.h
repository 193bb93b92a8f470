/* Pages of memory, as the operating system has them (arena_guarded.c), or without protection (arena_plain.c). */
#ifndef KDR_CHECK_ARENA_PAGES_H
#define KDR_CHECK_ARENA_PAGES_H

#include <stdbool.h>
#include <stddef.h>

size_t kdr_check_page_size(void);

/* The memory is first reserved without access; the pages of the slots are made accessible later. */
void *kdr_check_reserve_pages(size_t size); /* NULL: no memory */
bool kdr_check_open_pages(void *from, size_t size);
void kdr_check_release_pages(void *base, size_t size);

#endif
