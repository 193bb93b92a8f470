/* A call of the kernel under test: guarded against faults, with a look at the state that it must restore. */
#ifndef KDR_CHECK_CALL_H
#define KDR_CHECK_CALL_H

#include "arena.h"

#include <stdint.h>

enum { CALL_ARGUMENTS = 5 };

/* A call of a function with up to five arguments, each an integer or a pointer. Assembly has the offsets of the members. */
typedef struct kdr_check_call {
    void (*function)(void);
    uintptr_t argument[CALL_ARGUMENTS];
    uintptr_t result;
    uint32_t changed_registers; /* how many registers, flags and tags the function did not restore, where this can be seen */
    uint32_t has_changed_control;
    uint32_t has_faulted; /* the function was left because of an access outside the arrays */
    void *fault;          /* the address; NULL: unknown, an aligned access to an unaligned address */
    uint64_t steps;       /* the fourth argument of kernels on particles */
    /* Makes the call in C and sets `result`, where there is no assembly for it. */
    void (*in_c)(struct kdr_check_call *call);
} kdr_check_call;

/* Calls the function. Accesses outside the arrays are caught unless `arena` is NULL. The control word of floating-point
 * arithmetic is restored afterwards. */
void kdr_check_call_guarded(const kdr_check_arena *arena, kdr_check_call *call);

#endif
