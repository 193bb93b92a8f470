/* Guard pages, watched margins, and the signal handler that turns a fault on a guard page into an answer. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, SI_KERNEL */
#include "arena.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Wider than any vector, and than the misalignment that a placement adds. */
enum { MARGIN = 256, PAINT = 0xA5 };

static size_t stride(const kdr_check_arena *arena) { return arena->slot + arena->page; }

bool kdr_check_arena_create(kdr_check_arena *arena, int slots, size_t bytes) {
    long page = sysconf(_SC_PAGESIZE);
    arena->page = page > 0 ? (size_t)page : 4096;
    arena->slot = (bytes + 4 * MARGIN + arena->page - 1) / arena->page * arena->page;
    arena->slots = slots;
    arena->mapped = stride(arena) * (size_t)slots + arena->page;
    void *base = mmap(NULL, arena->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) {
        return false;
    }
    arena->base = base;
    for (int slot = 0; slot < slots; ++slot) {
        if (mprotect(kdr_check_arena_slot(arena, slot), arena->slot, PROT_READ | PROT_WRITE) != 0) {
            kdr_check_arena_destroy(arena);
            return false;
        }
    }
    return true;
}

void kdr_check_arena_destroy(kdr_check_arena *arena) {
    munmap(arena->base, arena->mapped);
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
    /* A guard page lies between two slots: its first half counts as after the one, its second as before the next. */
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

/* What a thread is about to touch: faults of threads that watch nothing, or elsewhere, are not ours. */
static _Thread_local struct {
    const kdr_check_arena *arena; /* NULL: nothing */
    sigjmp_buf back;
    void *volatile address;
} watch;

static const int watched_signals[2] = {SIGSEGV, SIGBUS};

/* The handlers are the process's: there while any thread watches. */
static struct {
    pthread_mutex_t lock;
    int threads;
    struct sigaction before[2];
} handlers = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Linux gives a general protection fault (an aligned vector access to an unaligned address) this code and no address. */
static bool unaligned(const siginfo_t *info) {
#ifdef SI_KERNEL
    if (info->si_code == SI_KERNEL) {
        return true;
    }
#endif
    return info->si_signo == SIGBUS && info->si_code == BUS_ADRALN;
}

static void on_fault(int number, siginfo_t *info, void *context) {
    (void)context;
    bool ours = watch.arena && kdr_check_arena_find(watch.arena, info->si_addr) >= 0;
    if (watch.arena && (ours || unaligned(info))) {
        watch.address = ours ? info->si_addr : NULL;
        siglongjmp(watch.back, 1);
    }
    /* Not ours: returning repeats the fault under the handler that was there before. */
    sigaction(number, &handlers.before[number == SIGBUS], NULL);
}

static void install_handlers(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    pthread_mutex_lock(&handlers.lock);
    for (int i = 0; i < 2 && handlers.threads == 0; ++i) {
        sigaction(watched_signals[i], &action, &handlers.before[i]);
    }
    ++handlers.threads;
    pthread_mutex_unlock(&handlers.lock);
}

static void remove_handlers(void) {
    pthread_mutex_lock(&handlers.lock);
    --handlers.threads;
    for (int i = 0; i < 2 && handlers.threads == 0; ++i) {
        sigaction(watched_signals[i], &handlers.before[i], NULL);
    }
    pthread_mutex_unlock(&handlers.lock);
}

bool kdr_check_arena_guard(const kdr_check_arena *arena, void (*body)(void *), void *argument, void **address) {
    install_handlers();
    watch.arena = arena;
    watch.address = NULL;
    bool fault = sigsetjmp(watch.back, 1) != 0;
    if (!fault) {
        body(argument);
    }
    watch.arena = NULL;
    remove_handlers();
    *address = watch.address;
    return fault;
}
