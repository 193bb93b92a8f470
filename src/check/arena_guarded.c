/* Guard pages, and the handler that turns a fault on one of them into a result. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, SI_KERNEL */
#include "arena.h"
#include "arena_pages.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

#if defined(_WIN32)
size_t kdr_check_page_size(void) {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwPageSize;
}
void *kdr_check_reserve_pages(size_t size) { return VirtualAlloc(NULL, size, MEM_RESERVE, PAGE_NOACCESS); }
bool kdr_check_open_pages(void *from, size_t size) { return VirtualAlloc(from, size, MEM_COMMIT, PAGE_READWRITE); }
void kdr_check_release_pages(void *base, size_t size) {
    (void)size;
    VirtualFree(base, 0, MEM_RELEASE);
}
#else
size_t kdr_check_page_size(void) {
    const long page = sysconf(_SC_PAGESIZE);
    return page > 0 ? (size_t)page : 4096;
}
void *kdr_check_reserve_pages(size_t size) {
    void *const base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return base == MAP_FAILED ? NULL : base;
}
bool kdr_check_open_pages(void *from, size_t size) { return mprotect(from, size, PROT_READ | PROT_WRITE) == 0; }
void kdr_check_release_pages(void *base, size_t size) { munmap(base, size); }
#endif

/* On Windows a handler cannot jump out. It makes the thread continue in jump_back instead. */
#if defined(_WIN32)
#define SET_JUMP(buffer) _setjmp(buffer, NULL) /* NULL: no frames are unwound */
typedef jmp_buf jump_buffer;
#else
#define SET_JUMP(buffer) sigsetjmp(buffer, 1)
typedef sigjmp_buf jump_buffer;
#endif

/* The arena that a thread is accessing. Faults of threads without one, or outside it, are not handled here. */
static _Thread_local struct {
    const kdr_check_arena *arena; /* NULL: none */
    jump_buffer back;
    void *volatile address;
} watch;

/* Notes a fault. `unaligned`: it was an aligned access to an unaligned address. Returns false if the fault is not in the arena. */
static bool note_fault(void *address, bool unaligned) {
    const bool ours = watch.arena && kdr_check_arena_find(watch.arena, address) >= 0;
    if (watch.arena && (ours || unaligned)) {
        watch.address = ours ? address : NULL;
        return true;
    }
    return false;
}

#if defined(_WIN32)

static void *handler;

static _Noreturn void jump_back(void) { longjmp(watch.back, 1); }

static LONG CALLBACK on_fault(EXCEPTION_POINTERS *fault) {
    const EXCEPTION_RECORD *const record = fault->ExceptionRecord;
    const bool is_access = record->ExceptionCode == EXCEPTION_ACCESS_VIOLATION && record->NumberParameters >= 2;
    const ULONG_PTR address = is_access ? record->ExceptionInformation[1] : 0;
    /* The address of a general protection fault is unknown. */
    if (!is_access || !note_fault((void *)address, address == UINTPTR_MAX)) {
        return EXCEPTION_CONTINUE_SEARCH;
    }
    CONTEXT *const at = fault->ContextRecord;
    at->Rip = (DWORD64)(uintptr_t)jump_back;
    at->Rsp = (at->Rsp - 256) / 16 * 16 - 8; /* the stack pointer is as after a call, below the area that a compiler may use under it */
    return EXCEPTION_CONTINUE_EXECUTION;
}

static void set_handlers(void) { handler = AddVectoredExceptionHandler(1, on_fault); }
static void restore_handlers(void) { RemoveVectoredExceptionHandler(handler); }

#else

static const int watched_signals[2] = {SIGSEGV, SIGBUS};
static struct sigaction before[2];

/* Returns true for an aligned access to an unaligned address. On Linux it is a general protection fault, which has this code and no
 * address. */
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
    if (note_fault(info->si_addr, unaligned(info))) {
        siglongjmp(watch.back, 1);
    }
    /* The fault is not in the arena: returning repeats it under the previous handler. */
    sigaction(number, &before[number == SIGBUS], NULL);
}

static void set_handlers(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < 2; ++i) {
        sigaction(watched_signals[i], &action, &before[i]);
    }
}

static void restore_handlers(void) {
    for (int i = 0; i < 2; ++i) {
        sigaction(watched_signals[i], &before[i], NULL);
    }
}

#endif

/* The handlers belong to the whole process. They are installed while any thread uses guard pages. */
static struct {
    pthread_mutex_t lock;
    int threads;
} handlers = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void install_handlers(void) {
    pthread_mutex_lock(&handlers.lock);
    if (handlers.threads++ == 0) {
        set_handlers();
    }
    pthread_mutex_unlock(&handlers.lock);
}

static void remove_handlers(void) {
    pthread_mutex_lock(&handlers.lock);
    if (--handlers.threads == 0) {
        restore_handlers();
    }
    pthread_mutex_unlock(&handlers.lock);
}

bool kdr_check_arena_guard(const kdr_check_arena *arena, void (*body)(void *), void *argument, void **address) {
    install_handlers();
    watch.arena = arena;
    watch.address = NULL;
    bool fault = SET_JUMP(watch.back) != 0;
    if (!fault) {
        body(argument);
    }
    watch.arena = NULL;
    remove_handlers();
    *address = watch.address;
    return fault;
}
