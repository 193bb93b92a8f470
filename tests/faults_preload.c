/* Loaded before a program: makes its allocation number KDR_FAIL_AT, counted from 1, fail. The allocator itself is reached by glibc's
 * internal names. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_long calls;
static long fails_at;

__attribute__((constructor)) static void begin(void) {
    const char *const number = getenv("KDR_FAIL_AT");
    atomic_store(&calls, 0);
    fails_at = number ? atol(number) : 0;
}

static int refuse(void) { return fails_at > 0 && atomic_fetch_add(&calls, 1) + 1 == fails_at; }

void *malloc(size_t size) { return refuse() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return refuse() ? NULL : __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return refuse() ? NULL : __libc_realloc(block, size); }
void *aligned_alloc(size_t alignment, size_t size) { return refuse() ? NULL : __libc_memalign(alignment, size); }
