/* kdr_check_kernel: correct kernels pass, every planted fault is found and described, and its case repeats it. */
#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <signal.h>
#include <string.h>

#include <kickdrift/check.h>
#include <kickdrift/kickdrift.h>

/* Faults that the kernel below has on demand. */
typedef enum mistake {
    NONE,
    ROUNDED_PRODUCT, /* one multiply-add is rounded twice */
    STORE_BEYOND,
    LOAD_BEYOND,
    TAIL_SHORT, /* the last particle is left out if the count is no multiple of the width */
    LANES_SWAPPED,
    FLUSHES,
    WRONG_AT_2W3,  /* wrong for one count alone */
    WRONG_AT_ZERO, /* -0 becomes 0 */
    CLOCK_STANDS,
    REFUSES,
    ROUNDS_UP, /* leaves the rounding mode changed */
    WRITES_MASS,
    IGNORES_STRIDES,
    MISTAKES
} mistake;

enum { W = 4 };

/* Semi-implicit Euler with a spring of k = 1.5, as the description below has it: v += h k (0 - x), x += h v, with fused operations. */
static kdr_status euler(void *context, kdr_particles *p, kdr_clock *clock, uint64_t steps, kdr_error *error) {
    const mistake m = *(const mistake *)context;
    const double h = clock->dt;
    if (m == REFUSES && p->count == 9) {
        error->status = KDR_ERROR_UNSUPPORTED;
        strcpy(error->message, "nine");
        return KDR_ERROR_UNSUPPORTED;
    }
    for (int axis = 0; axis < p->dims; ++axis) {
        const size_t xs = p->x_layout.stride && m != IGNORES_STRIDES ? p->x_layout.stride / sizeof(double) : 1;
        const size_t vs = p->v_layout.stride && m != IGNORES_STRIDES ? p->v_layout.stride / sizeof(double) : 1;
        const size_t ms = p->inverse_mass_layout.stride ? p->inverse_mass_layout.stride / sizeof(double) : 1;
        double *const x = p->x[axis], *const v = p->v[axis], *const mass = p->inverse_mass;
        for (size_t i = 0; i < p->count; ++i) {
            const double w = mass ? mass[i * ms] : 1;
            if (w == 0 || (m == TAIL_SHORT && i == p->count - 1 && p->count % W)) {
                continue;
            }
            for (uint64_t n = 0; n < steps; ++n) {
                const double a = 1.5 * (0 - x[i * xs]);
                const double force = mass ? a * w : a;
                v[i * vs] = m == ROUNDED_PRODUCT && i % W == 2 ? v[i * vs] + h * force : fma(h, force, v[i * vs]);
                x[i * xs] = fma(h, v[i * vs], x[i * xs]);
            }
            if (m == WRONG_AT_2W3 && p->count == 2 * W + 3) {
                x[i * xs] = nextafter(x[i * xs], 9);
            }
            if (m == WRONG_AT_ZERO && x[i * xs] == 0) {
                x[i * xs] = 0;
            }
        }
        if (m == LANES_SWAPPED && p->count >= 2 * W && steps) {
            const double kept = x[W * xs];
            x[W * xs] = x[(W + 1) * xs];
            x[(W + 1) * xs] = kept;
        }
        if (m == STORE_BEYOND && p->count % W == 1) {
            x[p->count * xs] = 1;
        }
        if (m == LOAD_BEYOND && p->count % W) {
            volatile const double *const at = x + (p->count + W - p->count % W - 1) * xs;
            (void)*at;
        }
        if (m == WRITES_MASS && mass && p->count) {
            mass[0] = 3;
        }
    }
    clock->step += m == CLOCK_STANDS ? 0 : steps;
    if (m == ROUNDS_UP) {
        (void)fesetround(FE_UPWARD);
    }
#if defined(__x86_64__)
    if (m == FLUSHES) {
        __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
    }
#endif
    return KDR_OK;
}

static mistake chosen; /* of the test that runs */

static kdr_check_desc spring_check(mistake m) {
    static kdr_force spring;
    static kdr_integrator_desc integrator;
    chosen = m;
    spring = kdr_force_spring(1.5, 0, 0, 0);
    integrator = kdr_integrator_desc_default();
    integrator.method = KDR_SEMI_IMPLICIT_EULER;
    integrator.forces = &spring;
    integrator.force_count = 1;
    kdr_check_desc desc = kdr_check_desc_default();
    desc.integrator = &integrator;
    desc.step = euler;
    desc.context = &chosen;
    desc.dims = 2;
    desc.inverse_mass = m == WRITES_MASS;
    desc.lanes = W;
    return desc;
}

static kdr_check_report report_of(const kdr_check_desc *desc) {
    kdr_check_report report;
    kdr_error error = {KDR_OK, ""};
    const kdr_status status = kdr_check_kernel(desc, &report, &error);
    cr_assert(status == KDR_OK, "%s", error.message);
    return report;
}

Test(kernels, a_correct_kernel_passes_everywhere) {
    kdr_check_desc desc = spring_check(NONE);
    desc.places = KDR_CHECK_ALIGNED | KDR_CHECK_UNALIGNED | KDR_CHECK_STRIDED | KDR_CHECK_STRUCTURES;
    desc.values = 63;
    for (desc.dims = 1; desc.dims <= 3; ++desc.dims) {
        for (int mass = 0; mass < 2; ++mass) {
            desc.inverse_mass = mass;
            const kdr_check_report r = report_of(&desc);
            char text[2048];
            cr_expect(r.failed == 0 && r.cases == 1000 && r.max_ulp == 0, "%s", kdr_check_report_describe(&r, text, sizeof text));
            cr_expect(r.values > 100000 && r.ulp[0] == r.values);
        }
    }
}

/* The fault that each mistake is found as. */
static const kdr_check_fault faults[MISTAKES] = {
    [ROUNDED_PRODUCT] = KDR_CHECK_VALUE, [STORE_BEYOND] = KDR_CHECK_WROTE_OUTSIDE, [LOAD_BEYOND] = KDR_CHECK_ACCESS,
    [TAIL_SHORT] = KDR_CHECK_VALUE,      [LANES_SWAPPED] = KDR_CHECK_VALUE,        [FLUSHES] = KDR_CHECK_CONTROL,
    [WRONG_AT_2W3] = KDR_CHECK_VALUE,    [WRONG_AT_ZERO] = KDR_CHECK_VALUE,        [CLOCK_STANDS] = KDR_CHECK_CLOCK,
    [REFUSES] = KDR_CHECK_STATUS,        [ROUNDS_UP] = KDR_CHECK_CONTROL,          [WRITES_MASS] = KDR_CHECK_CHANGED_INPUT,
    [IGNORES_STRIDES] = KDR_CHECK_VALUE};

Test(kernels, every_mistake_is_found_and_its_case_repeats_it) {
    for (int m = NONE + 1; m < MISTAKES; ++m) {
#if !defined(__x86_64__)
        if (m == FLUSHES) {
            continue;
        }
#endif
        kdr_check_desc desc = spring_check((mistake)m);
        desc.dt = 0.01;
        desc.places = m == IGNORES_STRIDES ? KDR_CHECK_STRIDED : desc.places;
        const kdr_check_report all = report_of(&desc);
        cr_expect(all.failed > 0 && all.faults[faults[m]] > 0, "mistake %d: %llu failed", m, (unsigned long long)all.failed);
        desc.first = all.case_number;
        desc.cases = 1;
        const kdr_check_report one = report_of(&desc);
        cr_expect(one.failed == 1 && one.fault == all.fault && one.index == all.index && one.count == all.count &&
                      one.expected == all.expected && one.actual == all.actual && one.array == all.array,
                  "mistake %d: case %llu does not repeat it", m, (unsigned long long)all.case_number);
    }
}

/* Without the guard the process ends as the fault ends any. */
Test(kernels, unguarded_faults_are_the_caller_s, .signal = SIGSEGV) {
    kdr_check_desc desc = spring_check(LOAD_BEYOND);
    desc.unguarded = true;
    (void)report_of(&desc);
}

Test(kernels, a_report_says_where) {
    kdr_check_desc desc = spring_check(WRONG_AT_2W3);
    desc.max_steps = 1;
    desc.one_call = true;
    kdr_check_report r = report_of(&desc);
    cr_expect(r.fault == KDR_CHECK_VALUE && r.count == 2 * W + 3 && r.array == 0 && r.index == 0 && r.distance == 1 && r.lane == 0);
    char text[2048];
    kdr_check_report_describe(&r, text, sizeof text);
    cr_expect(strstr(text, "count 11") && strstr(text, "x[0] at 0, lane 0") && strstr(text, "distance 1 ulp") &&
                  strstr(text, "seed 1, first 11"),
              "%s", text);
    desc = spring_check(REFUSES);
    r = report_of(&desc);
    cr_expect(r.fault == KDR_CHECK_STATUS && r.count == 9 && strcmp(r.message, "nine") == 0);
    desc = spring_check(STORE_BEYOND);
    r = report_of(&desc);
    cr_expect((r.fault == KDR_CHECK_WROTE_OUTSIDE || r.fault == KDR_CHECK_ACCESS) && r.index == (ptrdiff_t)r.count && r.array >= 0,
              "fault %d at %td of %zu", r.fault, r.index, r.count);
    kdr_check_report_describe(&r, text, 8); /* is cut to its size */
    cr_expect(strlen(text) == 7);
}

Test(kernels, threads_find_the_same) {
    kdr_check_desc desc = spring_check(ROUNDED_PRODUCT);
    const kdr_check_report one = report_of(&desc);
    desc.threads = 3;
    const kdr_check_report three = report_of(&desc);
    cr_expect(memcmp(&one, &three, sizeof one) == 0);
}

Test(kernels, a_tolerance_accepts_small_distances_alone) {
    kdr_check_desc desc = spring_check(ROUNDED_PRODUCT);
    desc.values = 0;
    desc.low = 1; /* so that no sum cancels */
    desc.dt = 0.01;
    desc.max_ulp = 64;
    kdr_check_report r = report_of(&desc);
    cr_expect(r.failed == 0 && r.max_ulp > 0);
    desc.max_ulp = r.max_ulp - 1;
    r = report_of(&desc);
    cr_expect(r.failed > 0 && r.distance == r.max_ulp);
    uint64_t sum = 0;
    for (int i = 0; i < KDR_CHECK_ULP_BINS; ++i) {
        sum += r.ulp[i];
    }
    cr_expect(sum == r.values);
}

/* Functions on arrays: hypotenuse of two inputs, as fma(a, a, b b). */
static void squares(void *context, size_t count, const void *const *inputs, void *const *outputs) {
    const int beyond = context ? *(const int *)context : 0;
    const float *const a = inputs[0], *const b = inputs[1];
    float *const to = outputs[0];
    for (size_t i = 0; i < count; ++i) {
        to[i] = fmaf(a[i], a[i], b[i] * b[i]);
    }
    if (beyond && count) {
        ((float *)inputs[1])[count - 1] += 1;
    }
}

static void add_in_place(void *context, size_t count, const void *const *inputs, void *const *outputs) {
    (void)context;
    for (size_t i = 0; i < count; ++i) {
        ((float *)outputs[0])[i] += ((const float *)inputs[1])[i];
    }
}

static void add_apart(void *context, size_t count, const void *const *inputs, void *const *outputs) {
    (void)context;
    for (size_t i = 0; i < count; ++i) {
        ((float *)outputs[0])[i] = ((const float *)inputs[0])[i] + ((const float *)inputs[1])[i];
    }
}

Test(kernels, functions_on_arrays_are_checked_too) {
    const int beyond = 1;
    kdr_check_desc desc = kdr_check_desc_default();
    desc.real = KDR_F32;
    desc.inputs = 2;
    desc.values = 63;
    desc.array_reference = squares;
    desc.array = squares;
    kdr_check_report r = report_of(&desc);
    cr_expect(r.failed == 0 && r.values > 100000);
    desc.context = (void *)(uintptr_t)&beyond;
    r = report_of(&desc);
    cr_expect(r.fault == KDR_CHECK_CHANGED_INPUT && r.array == KDR_CHECK_MAX_ARRAYS + 1 && r.index == (ptrdiff_t)r.count - 1);
    desc.context = NULL;
    desc.in_place = true;
    desc.array_reference = add_apart;
    desc.array = add_in_place;
    r = report_of(&desc);
    cr_expect(r.failed == 0);
    desc.in_place = false; /* so its output begins with garbage */
    r = report_of(&desc);
    cr_expect(r.faults[KDR_CHECK_VALUE] > 900);
}

static kdr_status reference_of_mine(void *context, kdr_particles *p, kdr_clock *clock, uint64_t steps, kdr_error *error) {
    mistake none = NONE;
    (void)context;
    return euler(&none, p, clock, steps, error);
}

static kdr_status run_system(void *context, kdr_particles *p, kdr_clock *clock, uint64_t steps, kdr_error *error) {
    return kdr_reference_system_run(context, p, clock, steps, error);
}

Test(kernels, references_are_of_any_kind) {
    kdr_check_desc desc = spring_check(NONE);
    desc.integrator = NULL;
    desc.step_reference = reference_of_mine;
    kdr_check_report r = report_of(&desc);
    cr_expect(r.failed == 0 && r.cases == 1000);
    const kdr_force drag = kdr_force_drag(0.5, 0, 0, 0);
    kdr_system_desc system = kdr_system_desc_default();
    system.method = KDR_RK4;
    system.forces = &drag;
    system.force_count = 1;
    desc.step_reference = NULL;
    desc.system = &system;
    desc.step = run_system;
    desc.context = &system;
    desc.cases = 100;
    desc.one_call = true;
    r = report_of(&desc);
    char text[2048];
    cr_expect(r.failed == 0 && r.cases == 100 && r.values > 0, "%s", kdr_check_report_describe(&r, text, sizeof text));
}

static void refused(const kdr_check_desc *desc, const char *words) {
    kdr_check_report report = {.cases = 77};
    kdr_error error = {KDR_OK, ""};
    const kdr_status status = kdr_check_kernel(desc, &report, &error);
    cr_expect(status != KDR_OK && strstr(error.message, words) && report.cases == 77, "%s: got %s", words, error.message);
}

Test(kernels, wrong_descriptions_are_refused) {
    kdr_check_desc d = spring_check(NONE);
    d.step_reference = reference_of_mine, refused(&d, "got 2 of them");
    d = spring_check(NONE), d.step = NULL, refused(&d, "got neither");
    d = spring_check(NONE), d.array = squares, refused(&d, "got both");
    d = spring_check(NONE), d.step = NULL, d.array = squares, refused(&d, "its reference is not");
    d = spring_check(NONE), d.dims = 4, refused(&d, "dims: expected 1, 2 or 3, got 4");
    d = spring_check(NONE), d.count_count = 2, refused(&d, "counts: expected an array");
    d = spring_check(NONE), d.dt = NAN, refused(&d, "dt: expected a finite number");
    d = spring_check(NONE), d.low = 3, refused(&d, "low and high");
    d = spring_check(NONE), d.values = 64, refused(&d, "values: expected");
    d = spring_check(NONE), d.places = 0, refused(&d, "places: expected");
    d = spring_check(NONE), d.cases = 0, refused(&d, "cases: expected 1 or more");
    d = spring_check(NONE), d.threads = 0, refused(&d, "threads: expected 1 to 1024, got 0");
    d = spring_check(NONE), d.lanes = -1, refused(&d, "lanes: expected");
    d = spring_check(NONE), d.size = 7, refused(&d, "description was not made by kdr_check_desc_default()");
    d = spring_check(NONE), d.array_reference = squares, d.array = squares, d.integrator = NULL, d.step = NULL, d.inputs = 17;
    refused(&d, "inputs: expected 1 to 16, got 17");
    d = spring_check(NONE);
    kdr_integrator_desc wrong = *d.integrator;
    wrong.force_count = 1, wrong.forces = NULL, d.integrator = &wrong;
    refused(&d, "reference, case 0, count 0: ");
}

#if defined(__ELF__) && (defined(__x86_64__) || defined(__aarch64__))
/* Changes a register that it should restore. The compiler does not know it. */
static void careless(void *context, size_t count, const void *const *inputs, void *const *outputs) {
    squares(context, count, inputs, outputs);
#if defined(__x86_64__)
    __asm__ volatile("mov $7, %%r15" : : : "memory");
#else
    __asm__ volatile("mov x27, #7\n    fmov d9, x27" : : : "memory");
#endif
}

Test(kernels, registers_that_a_function_must_restore_are_watched) {
    kdr_check_desc desc = kdr_check_desc_default();
    desc.real = KDR_F32;
    desc.inputs = 2;
    desc.array_reference = squares;
    desc.array = careless;
    const kdr_check_report r = report_of(&desc);
    cr_expect(r.fault == KDR_CHECK_REGISTERS && r.failed == r.cases && r.faults[KDR_CHECK_VALUE] == 0);
}
#endif
