/* Checks of kernels. The separate library kickdrift-check runs a kernel of yours and a reference on the same random cases, and compares all
 * bits of their results. Each array of a case is in pages of its own, next to pages that must not be touched. */
#ifndef KICKDRIFT_CHECK_H
#define KICKDRIFT_CHECK_H

#include <kickdrift/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Steps particles as kdr_integrator_run does: makes `steps` steps of clock->dt and adds them to clock->step. */
typedef kdr_status kdr_check_step_fn(void *context, kdr_particles *particles, kdr_clock *clock, uint64_t steps, kdr_error *error);

/* Reads `count` elements of each input and writes as many to each output. */
typedef void kdr_check_array_fn(void *context, size_t count, const void *const *inputs, void *const *outputs);

enum { KDR_CHECK_MAX_ARRAYS = 16 }; /* inputs, and outputs, of functions on arrays */

/* Special values. Half of the cases have some among their elements; the others have none. */
enum {
    KDR_CHECK_ZEROS = 1,      /* 0 and -0 */
    KDR_CHECK_SUBNORMALS = 2, /* subnormal numbers, and the smallest normal ones */
    KDR_CHECK_HUGE = 4,       /* the largest numbers, and those whose squares overflow */
    KDR_CHECK_TIES = 8,       /* numbers of few digits, whose sums and products lie halfway between two others */
    KDR_CHECK_INFINITIES = 16,
    KDR_CHECK_NANS = 32
};

/* Places of arrays in memory. Each is drawn equally often. */
enum {
    KDR_CHECK_ALIGNED = 1,   /* the first element is at a multiple of 64 bytes */
    KDR_CHECK_UNALIGNED = 2, /* any multiple of the element's size */
    KDR_CHECK_STRIDED = 4,   /* particles only: elements with gaps between them, other ones for each array */
    KDR_CHECK_STRUCTURES = 8 /* particles only: x and v of a particle are neighbours, as in an array of structs */
};

/* The kernel, its reference, and the cases. `size` is set by kdr_check_desc_init. Everything that is pointed to is borrowed for the
 * call. Set one reference and the kernel of its kind. */
typedef struct kdr_check_desc {
    size_t size;
    /* References for `step`. The first two are run as kdr_reference_run and kdr_reference_system_run do. */
    const kdr_integrator_desc *integrator;
    const kdr_system_desc *system;
    kdr_check_step_fn *step_reference;
    kdr_check_array_fn *array_reference; /* a reference for `array` */
    void *reference_context;
    /* The kernel under test: set one of the two. */
    kdr_check_step_fn *step;
    kdr_check_array_fn *array;
    void *context;
    kdr_real real;        /* default KDR_F64; ignored with `integrator` or `system`, which have their own */
    int dims;             /* axes of particles; default 3 */
    bool inverse_mass;    /* particles have inverse masses; one in eight is 0 */
    int inputs, outputs;  /* arrays of array kernels, 1 to KDR_CHECK_MAX_ARRAYS; default 1 and 1 */
    bool in_place;        /* before the call output i holds input i, as far as there is one */
    const size_t *counts; /* counts of particles or elements to draw from; default 0 to 67 in turn, then others up to 1,000 */
    size_t count_count;
    uint64_t max_steps; /* a case makes 0 to max_steps steps; default 8 */
    bool one_call;      /* false: in half of the cases the kernel makes the steps in several calls; the reference makes them in one */
    double dt;          /* default 1/64 */
    double low, high;   /* range of x, v and inputs; default -2 to 2 */
    unsigned values;    /* special values; default KDR_CHECK_ZEROS | KDR_CHECK_SUBNORMALS | KDR_CHECK_TIES */
    unsigned places;    /* default KDR_CHECK_ALIGNED | KDR_CHECK_UNALIGNED */
    uint64_t max_ulp;   /* accepted distance in units in the last place; default 0: all bits, -0 differs from 0 */
    uint64_t seed;      /* default 1 */
    uint64_t first;     /* number of the first case; default 0 */
    uint64_t cases;     /* default 1,000 */
    int threads;        /* default 1; with more, kernel and reference are called by several threads at a time */
    /* A fault ends the process, as without the library: for kernels that no jump may leave, such as those of an interpreter. */
    bool unguarded;
    int lanes; /* elements of the kernel's vectors, for reports; default 64 bytes of them */
} kdr_check_desc;

/* Sets the defaults; `size` is sizeof *desc. */
KDR_API void kdr_check_desc_init(kdr_check_desc *desc, size_t size);
static inline kdr_check_desc kdr_check_desc_default(void) {
    kdr_check_desc desc;
    kdr_check_desc_init(&desc, sizeof desc);
    return desc;
}

/* Faults of kernels. */
typedef enum kdr_check_fault {
    KDR_CHECK_VALUE = 0,         /* a result differs from the reference's by more than max_ulp */
    KDR_CHECK_CHANGED_INPUT = 1, /* an array that must only be read has changed */
    KDR_CHECK_WROTE_OUTSIDE = 2, /* memory before, after or between the elements has changed */
    KDR_CHECK_ACCESS = 3,        /* it read or wrote a page outside the arrays, or an unaligned address by an aligned access */
    KDR_CHECK_CLOCK = 4,         /* the clock differs from the reference's */
    KDR_CHECK_STATUS = 5,        /* it returned an error */
    KDR_CHECK_CONTROL = 6,       /* it changed the rounding mode, flush-to-zero, or which exceptions trap */
    KDR_CHECK_REGISTERS = 7      /* it changed a register that a called function must restore (x86-64 but Windows, AArch64) */
} kdr_check_fault;
enum { KDR_CHECK_FAULT_COUNT = 8, KDR_CHECK_ULP_BINS = 66 };

typedef struct kdr_check_report {
    uint64_t cases;
    uint64_t values;                        /* elements compared */
    uint64_t failed;                        /* cases with a fault */
    uint64_t faults[KDR_CHECK_FAULT_COUNT]; /* cases with each fault */
    uint64_t max_ulp;                       /* largest distance of an element; UINT64_MAX if only one is NaN */
    /* Elements by distance: [0] equal bits or two NaNs, [n] 2^(n - 1) to 2^n - 1, [65] only one is NaN. Equal numbers with other signs
     * of zero have distance 1. */
    uint64_t ulp[KDR_CHECK_ULP_BINS];
    /* The first case with a fault, and its first fault; all 0 if there is none. */
    kdr_check_fault fault;
    uint64_t case_number;
    size_t count;
    uint64_t steps;
    uint64_t calls;    /* into which the steps were divided; 0 for functions on arrays */
    int array;         /* 0 to 2 x, 3 to 5 v, 6 inverse masses; an output, or KDR_CHECK_MAX_ARRAYS + an input; -1: none */
    ptrdiff_t index;   /* element; negative before the array, at least `count` after it */
    int lane;          /* index modulo kdr_check_desc::lanes */
    uint64_t expected; /* bits, for KDR_CHECK_VALUE and KDR_CHECK_CHANGED_INPUT */
    uint64_t actual;
    uint64_t distance; /* in units in the last place */
    kdr_real real;     /* type of the elements */
    uint64_t seed;
    char message[252]; /* the kernel's, for KDR_CHECK_STATUS */
} kdr_check_report;

/* Runs the cases. Small counts come first. A case depends on the seed and its number alone, on any machine and number of threads. Faults
 * are no error: look at report->failed. During the call the process's handlers of SIGSEGV and SIGBUS are the library's; a fault outside
 * the arrays goes to those before. The kernel is left by a jump if it touches a page that it must not. Errors: KDR_ERROR_NULL,
 * KDR_ERROR_ARGUMENT, KDR_ERROR_NO_MEMORY, and those of the reference. */
KDR_API kdr_status kdr_check_kernel(const kdr_check_desc *desc, kdr_check_report *report, kdr_error *error);

/* Writes the report in a few lines into `text` and returns it: the number of cases, the first fault, the distances, and how to repeat the
 * case. 2,048 bytes suffice. */
KDR_API const char *kdr_check_report_describe(const kdr_check_report *report, char *text, size_t size);

/* A shared library with this function can be given to `kickdrift verify --kernel`. It returns a description that stays valid. */
#if defined(__GNUC__)
#define KDR_CHECK_EXPORT __attribute__((visibility("default")))
#elif defined(_WIN32)
#define KDR_CHECK_EXPORT __declspec(dllexport)
#else
#define KDR_CHECK_EXPORT
#endif
KDR_CHECK_EXPORT const kdr_check_desc *kdr_check_plugin(void);

#ifdef __cplusplus
}
#endif
#endif
