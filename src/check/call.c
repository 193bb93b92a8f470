/* The call of a kernel. Assembly sets the registers that a function must restore, calls it, and compares them. */
#include "call.h"

#include <fenv.h>
#include <stddef.h>

#if defined(__ELF__) && defined(__x86_64__) && !defined(__ILP32__)
#define WATCHES_REGISTERS 1
/* The System V ABI for x86-64: rbx, rbp and r12 to r15 are restored, the direction flag is clear, and the x87 tag word is empty. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl kdr_check_watched_call\n"
        ".hidden kdr_check_watched_call\n"
        ".type kdr_check_watched_call, @function\n"
        "kdr_check_watched_call:\n"
        ".cfi_startproc\n"
        "    push %rbx\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %rbx, 0\n"
        "    push %rbp\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %rbp, 0\n"
        "    push %r12\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %r12, 0\n"
        "    push %r13\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %r13, 0\n"
        "    push %r14\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %r14, 0\n"
        "    push %r15\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %r15, 0\n"
        "    push %rdi\n    .cfi_adjust_cfa_offset 8\n"
        "    mov (%rdi), %rax\n"
        "    mov 16(%rdi), %rsi\n"
        "    mov 24(%rdi), %rdx\n"
        "    mov 32(%rdi), %rcx\n"
        "    mov 40(%rdi), %r8\n"
        "    mov 8(%rdi), %rdi\n"
        "    mov $0x5A5A0001, %rbx\n"
        "    mov $0x5A5A0002, %rbp\n"
        "    mov $0x5A5A0003, %r12\n"
        "    mov $0x5A5A0004, %r13\n"
        "    mov $0x5A5A0005, %r14\n"
        "    mov $0x5A5A0006, %r15\n"
        "    call *%rax\n"
        "    mov (%rsp), %rdi\n"
        "    mov %rax, 48(%rdi)\n"
        "    xor %ecx, %ecx\n"
        "    xor %edx, %edx\n"
        "    cmp $0x5A5A0001, %rbx\n    setne %dl\n    add %edx, %ecx\n"
        "    cmp $0x5A5A0002, %rbp\n    setne %dl\n    add %edx, %ecx\n"
        "    cmp $0x5A5A0003, %r12\n    setne %dl\n    add %edx, %ecx\n"
        "    cmp $0x5A5A0004, %r13\n    setne %dl\n    add %edx, %ecx\n"
        "    cmp $0x5A5A0005, %r14\n    setne %dl\n    add %edx, %ecx\n"
        "    cmp $0x5A5A0006, %r15\n    setne %dl\n    add %edx, %ecx\n"
        "    pushfq\n    .cfi_adjust_cfa_offset 8\n"
        "    pop %rax\n    .cfi_adjust_cfa_offset -8\n"
        "    shr $10, %eax\n"
        "    and $1, %eax\n"
        "    add %eax, %ecx\n"
        "    cld\n"
        "    sub $32, %rsp\n    .cfi_adjust_cfa_offset 32\n"
        "    fnstenv (%rsp)\n"
        "    cmpw $0xFFFF, 8(%rsp)\n    setne %dl\n    add %edx, %ecx\n"
        "    movw $0xFFFF, 8(%rsp)\n"
        "    fldenv (%rsp)\n"
        "    add $32, %rsp\n    .cfi_adjust_cfa_offset -32\n"
        "    mov %ecx, 56(%rdi)\n"
        "    pop %rdi\n    .cfi_adjust_cfa_offset -8\n"
        "    pop %r15\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore %r15\n"
        "    pop %r14\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore %r14\n"
        "    pop %r13\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore %r13\n"
        "    pop %r12\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore %r12\n"
        "    pop %rbp\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore %rbp\n"
        "    pop %rbx\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore %rbx\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size kdr_check_watched_call, . - kdr_check_watched_call\n");
#elif defined(__ELF__) && defined(__aarch64__) && !defined(__ILP32__)
#define WATCHES_REGISTERS 1
/* The AAPCS64: x19 to x28, and the lower halves of v8 to v15, are restored. */
#define SET(x, d, value) "    mov " x ", #" value "\n    fmov " d ", " x "\n"
#define SET_INTEGER(x, value) "    mov " x ", #" value "\n"
#define COUNT_INTEGER(x, value) "    mov x11, #" value "\n    cmp " x ", x11\n    cinc w10, w10, ne\n"
#define COUNT(x, d, value) COUNT_INTEGER(x, value) "    fmov x12, " d "\n    cmp x12, x11\n    cinc w10, w10, ne\n"
__asm__(".text\n"
        ".p2align 4\n"
        ".globl kdr_check_watched_call\n"
        ".hidden kdr_check_watched_call\n"
        ".type kdr_check_watched_call, %function\n"
        "kdr_check_watched_call:\n"
        ".cfi_startproc\n"
        "    stp x29, x30, [sp, #-176]!\n"
        "    .cfi_def_cfa_offset 176\n    .cfi_offset 29, -176\n    .cfi_offset 30, -168\n"
        "    mov x29, sp\n"
        "    stp x19, x20, [sp, #16]\n    stp x21, x22, [sp, #32]\n    stp x23, x24, [sp, #48]\n"
        "    stp x25, x26, [sp, #64]\n    stp x27, x28, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n    stp d12, d13, [sp, #128]\n    stp d14, d15, [sp, #144]\n"
        "    str x0, [sp, #160]\n"
        "    mov x9, x0\n"
        "    ldr x16, [x9]\n    ldp x0, x1, [x9, #8]\n    ldp x2, x3, [x9, #24]\n    ldr x4, [x9, #40]\n" //
        SET("x19", "d8", "0x5A01") SET("x20", "d9", "0x5A02") SET("x21", "d10", "0x5A03") SET("x22", "d11", "0x5A04")
            SET("x23", "d12", "0x5A05") SET("x24", "d13", "0x5A06") SET("x25", "d14", "0x5A07") SET("x26", "d15", "0x5A08")
                SET_INTEGER("x27", "0x5A09") SET_INTEGER("x28", "0x5A0A") "    blr x16\n"
                                                                          "    ldr x9, [sp, #160]\n"
                                                                          "    str x0, [x9, #48]\n"
                                                                          "    mov w10, #0\n" //
        COUNT("x19", "d8", "0x5A01") COUNT("x20", "d9", "0x5A02") COUNT("x21", "d10", "0x5A03") COUNT("x22", "d11", "0x5A04")
            COUNT("x23", "d12", "0x5A05") COUNT("x24", "d13", "0x5A06") COUNT("x25", "d14", "0x5A07") COUNT("x26", "d15", "0x5A08")
                COUNT_INTEGER("x27", "0x5A09")
                    COUNT_INTEGER("x28", "0x5A0A") "    str w10, [x9, #56]\n"
                                                   "    ldp x19, x20, [sp, #16]\n    ldp x21, x22, [sp, #32]\n    ldp x23, x24, [sp, #48]\n"
                                                   "    ldp x25, x26, [sp, #64]\n    ldp x27, x28, [sp, #80]\n"
                                                   "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n    ldp d12, d13, [sp, "
                                                   "#128]\n    ldp d14, d15, [sp, #144]\n"
                                                   "    ldp x29, x30, [sp], #176\n"
                                                   "    ret\n"
                                                   ".cfi_endproc\n"
                                                   ".size kdr_check_watched_call, . - kdr_check_watched_call\n");
#else
#define WATCHES_REGISTERS 0
#endif

#if WATCHES_REGISTERS
void kdr_check_watched_call(kdr_check_call *call);
_Static_assert(offsetof(kdr_check_call, argument) == 8 && offsetof(kdr_check_call, result) == 48, "as the assembly has it");
_Static_assert(offsetof(kdr_check_call, changed_registers) == 56, "as the assembly has it");
#else
static void kdr_check_watched_call(kdr_check_call *call) { call->in_c(call); }
#endif

/* The control word: rounding, flush-to-zero and traps, without the flags of exceptions that have happened. */
#if defined(__x86_64__) || defined(__SSE__)
typedef struct control {
    unsigned sse;
    unsigned short x87;
} control;

static control get_control(void) {
    control now = {.sse = __builtin_ia32_stmxcsr() & ~0x3FU};
    __asm__ volatile("fnstcw %0" : "=m"(now.x87));
    return now;
}

static void set_control(control to) {
    __builtin_ia32_ldmxcsr(to.sse);
    __asm__ volatile("fldcw %0" : : "m"(to.x87));
}

static bool same_control(control a, control b) { return a.sse == b.sse && a.x87 == b.x87; }
#elif defined(__aarch64__)
typedef uint64_t control;

static control get_control(void) {
    control now;
    __asm__ volatile("mrs %0, fpcr" : "=r"(now));
    return now;
}

static void set_control(control to) { __asm__ volatile("msr fpcr, %0" : : "r"(to)); }
static bool same_control(control a, control b) { return a == b; }
#else
typedef int control;
static control get_control(void) { return fegetround(); }
static void set_control(control to) { (void)fesetround(to); }
static bool same_control(control a, control b) { return a == b; }
#endif

static void make_call(void *argument) { kdr_check_watched_call(argument); }

void kdr_check_call_guarded(const kdr_check_arena *arena, kdr_check_call *call) {
    const control before = get_control();
    call->changed_registers = 0;
    call->has_faulted = false;
    if (arena) {
        call->has_faulted = kdr_check_arena_guard(arena, make_call, call, &call->fault);
    } else {
        make_call(call);
    }
    call->has_changed_control = !call->has_faulted && !same_control(before, get_control());
    set_control(before);
}
