/* kdr_check_kernel: runs the cases, on several threads, and adds up their reports. */
#include <kickdrift/check.h>

#include <kickdrift/reference.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "cases.h"
#include "particles/description.h"
#include "particles/error.h"

static const kdr_check_desc defaults = {.size = sizeof defaults,
                                        .real = KDR_F64,
                                        .dims = 3,
                                        .inputs = 1,
                                        .outputs = 1,
                                        .max_steps = 8,
                                        .dt = 0x1p-6,
                                        .low = -2,
                                        .high = 2,
                                        .values = KDR_CHECK_ZEROS | KDR_CHECK_SUBNORMALS | KDR_CHECK_TIES,
                                        .places = KDR_CHECK_ALIGNED | KDR_CHECK_UNALIGNED,
                                        .seed = 1,
                                        .cases = 1000,
                                        .threads = 1};
static const kdr_description description = {"kdr_check_desc", &defaults, {sizeof defaults}};

void kdr_check_desc_init(kdr_check_desc *desc, size_t size) { kdr_description_init(&description, desc, size); }

enum { ALL_VALUES = 63, ALL_PLACES = 15, PLACES_OF_ARRAYS = KDR_CHECK_ALIGNED | KDR_CHECK_UNALIGNED, MOST_THREADS = 1024 };

static kdr_status check_functions(const kdr_check_desc *d, kdr_error *error) {
    const int references = (d->integrator != NULL) + (d->system != NULL) + (d->step_reference != NULL) + (d->array_reference != NULL);
    KDR_CHECK(references == 1, error, KDR_ERROR_ARGUMENT,
              "expected one of integrator, system, step_reference and array_reference, got %d of them", references);
    KDR_CHECK((d->step != NULL) != (d->array != NULL), error, KDR_ERROR_ARGUMENT, "expected step or array, got %s",
              d->step ? "both" : "neither");
    KDR_CHECK((d->array != NULL) == (d->array_reference != NULL), error, KDR_ERROR_ARGUMENT,
              "the kernel is a function on %s, but its reference is not", d->array ? "arrays" : "particles");
    return KDR_OK;
}

static kdr_status check_arrays(const kdr_check_desc *d, kdr_error *error) {
    KDR_CHECK((unsigned)d->real < KDR_REAL_COUNT, error, KDR_ERROR_ARGUMENT, "real: expected KDR_F32 or KDR_F64, got %d", (int)d->real);
    KDR_CHECK(d->array || (d->dims >= 1 && d->dims <= 3), error, KDR_ERROR_ARGUMENT, "dims: expected 1, 2 or 3, got %d", d->dims);
    KDR_CHECK(d->step || (d->inputs >= 1 && d->inputs <= KDR_CHECK_MAX_ARRAYS), error, KDR_ERROR_ARGUMENT,
              "inputs: expected 1 to %d, got %d", KDR_CHECK_MAX_ARRAYS, d->inputs);
    KDR_CHECK(d->step || (d->outputs >= 1 && d->outputs <= KDR_CHECK_MAX_ARRAYS), error, KDR_ERROR_ARGUMENT,
              "outputs: expected 1 to %d, got %d", KDR_CHECK_MAX_ARRAYS, d->outputs);
    KDR_CHECK((d->counts != NULL) == (d->count_count > 0), error, KDR_ERROR_ARGUMENT,
              "counts: expected an array and its length count_count, got %s and %zu", d->counts ? "an array" : "NULL", d->count_count);
    KDR_CHECK(d->count_count <= UINT32_MAX, error, KDR_ERROR_ARGUMENT, "count_count: expected below 2^32, got %zu", d->count_count);
    return KDR_OK;
}

static kdr_status check_cases(const kdr_check_desc *d, kdr_error *error) {
    KDR_CHECK(d->dt - d->dt == 0 && d->dt != 0, error, KDR_ERROR_ARGUMENT, "dt: expected a finite number other than 0, got %g", d->dt);
    KDR_CHECK(d->low <= d->high && d->high - d->low <= 1e300, error, KDR_ERROR_ARGUMENT,
              "low and high: expected an interval of finite numbers, got %g and %g", d->low, d->high);
    KDR_CHECK(d->values <= ALL_VALUES, error, KDR_ERROR_ARGUMENT, "values: expected a sum of KDR_CHECK_ZEROS to KDR_CHECK_NANS, got %u",
              d->values);
    const unsigned places = d->step ? ALL_PLACES : PLACES_OF_ARRAYS;
    KDR_CHECK(d->places >= 1 && d->places <= places, error, KDR_ERROR_ARGUMENT, "places: expected a sum of %s, got %u",
              d->step ? "KDR_CHECK_ALIGNED to KDR_CHECK_STRUCTURES" : "KDR_CHECK_ALIGNED and KDR_CHECK_UNALIGNED", d->places);
    KDR_CHECK(d->cases >= 1, error, KDR_ERROR_ARGUMENT, "cases: expected 1 or more, got 0");
    KDR_CHECK(d->threads >= 1 && d->threads <= MOST_THREADS, error, KDR_ERROR_ARGUMENT, "threads: expected 1 to %d, got %d", MOST_THREADS,
              d->threads);
    KDR_CHECK(d->lanes >= 0, error, KDR_ERROR_ARGUMENT, "lanes: expected 0 or more, got %d", d->lanes);
    return KDR_OK;
}

/* A thread, which has every n-th case of n threads. */
typedef struct worker {
    const kdr_check_desc *desc;
    int index;
    pthread_t thread;
    kdr_check_memory memory;
    kdr_check_case_drawn drawn;
    unsigned seen; /* the faults of the current case, as bits */
    kdr_check_report report;
    kdr_status status; /* of the reference */
    kdr_error error;
} worker;

/* Returns bits as a number whose differences are distances in units in the last place. */
static int64_t ordered(uint64_t bits, kdr_real real) {
    const uint64_t sign = real == KDR_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
    return bits & sign ? -(int64_t)(bits & ~sign) - 1 : (int64_t)bits;
}

static bool is_nan(uint64_t bits, kdr_real real) {
    return real == KDR_F32 ? (bits & 0x7FFFFFFF) > 0x7F800000 : (bits & UINT64_C(0x7FFFFFFFFFFFFFFF)) > UINT64_C(0x7FF0000000000000);
}

static uint64_t distance_of(uint64_t a, uint64_t b, kdr_real real) {
    const bool nan_a = is_nan(a, real), nan_b = is_nan(b, real);
    if (nan_a || nan_b) {
        return nan_a && nan_b ? 0 : UINT64_MAX;
    }
    const int64_t x = ordered(a, real), y = ordered(b, real);
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

static int bin_of(uint64_t distance) {
    int bin = 0;
    for (uint64_t left = distance; left && distance != UINT64_MAX; left >>= 1) {
        ++bin;
    }
    return distance == UINT64_MAX ? KDR_CHECK_ULP_BINS - 1 : bin;
}

static uint64_t bits_at(const unsigned char *at, kdr_real real) {
    uint32_t single;
    uint64_t whole;
    if (real == KDR_F32) {
        memcpy(&single, at, sizeof single);
        return single;
    }
    memcpy(&whole, at, sizeof whole);
    return whole;
}

/* Counts a fault of the current case. The first of the thread is described. */
static kdr_check_report *note_fault(worker *w, kdr_check_fault fault, int array, ptrdiff_t index) {
    kdr_check_report *const r = &w->report;
    const bool is_first = r->failed == 0 && !w->seen;
    if (!(w->seen & 1U << fault)) {
        ++r->faults[fault];
    }
    w->seen |= 1U << fault;
    if (!is_first) {
        return NULL;
    }
    const kdr_check_case_drawn *const drawn = &w->drawn;
    const int lanes = w->desc->lanes ? w->desc->lanes : w->desc->real == KDR_F32 ? 16 : 8;
    r->fault = fault;
    r->case_number = drawn->number;
    r->count = drawn->count;
    r->steps = drawn->steps;
    r->calls = w->desc->step ? (uint64_t)drawn->calls : 0;
    r->array = array;
    r->index = index;
    r->lane = (int)(((index % lanes) + lanes) % lanes);
    return r;
}

static void note_value(worker *w, kdr_check_fault fault, const kdr_check_column *c, size_t index, uint64_t expected, uint64_t actual) {
    kdr_check_report *const first = note_fault(w, fault, c->name, (ptrdiff_t)index);
    if (first) {
        first->expected = expected;
        first->actual = actual;
        first->distance = distance_of(expected, actual, w->desc->real);
    }
}

static void compare_elements(worker *w, const kdr_check_column *c) {
    const kdr_real real = w->desc->real;
    const size_t bytes = kdr_real_size(real);
    kdr_check_report *const r = &w->report;
    for (size_t i = 0; i < w->drawn.count; ++i) {
        const uint64_t actual = bits_at(kdr_check_element(c, i), real);
        if (!c->is_written) {
            const uint64_t before = bits_at(c->before + i * bytes, real);
            if (actual != before) {
                note_value(w, KDR_CHECK_CHANGED_INPUT, c, i, before, actual);
            }
            continue;
        }
        const uint64_t expected = bits_at(c->expected + i * bytes, real), distance = distance_of(expected, actual, real);
        ++r->values;
        ++r->ulp[bin_of(distance)];
        r->max_ulp = distance > r->max_ulp ? distance : r->max_ulp;
        if (distance > w->desc->max_ulp) {
            note_value(w, KDR_CHECK_VALUE, c, i, expected, actual);
        }
    }
}

/* Notes an access to an address outside the arrays, at the element whose place the address would be. NULL: it is unknown. */
static void note_access(worker *w, const void *address) {
    const int slot = address ? kdr_check_arena_find(&w->memory.arena, address) : -1;
    for (int i = 0; i < w->drawn.column_count; ++i) {
        const kdr_check_column *const c = &w->drawn.column[i];
        if (c->slot == slot) {
            const ptrdiff_t offset = (const unsigned char *)address - c->at, stride = (ptrdiff_t)c->stride;
            (void)note_fault(w, KDR_CHECK_ACCESS, c->name, offset < 0 ? (offset - stride + 1) / stride : offset / stride);
            return;
        }
    }
    (void)note_fault(w, KDR_CHECK_ACCESS, -1, 0);
}

static void look_outside(worker *w) {
    for (int i = 0; i < w->drawn.column_count; ++i) {
        const kdr_check_column *const c = &w->drawn.column[i];
        ptrdiff_t offset;
        if (c->slot == i && !kdr_check_is_painted(&w->memory, w->desc, &w->drawn, i, &offset)) {
            const ptrdiff_t stride = (ptrdiff_t)c->stride;
            (void)note_fault(w, KDR_CHECK_WROTE_OUTSIDE, c->name, offset < 0 ? (offset - stride + 1) / stride : offset / stride);
        }
    }
}

/* Returns a view of the case's particles: the kernel's copy, or the contiguous one of the reference. */
static kdr_particles view_of(const worker *w, bool is_reference) {
    kdr_particles view = kdr_particles_default();
    const kdr_check_desc *const d = w->desc;
    view.count = w->drawn.count;
    view.dims = d->dims;
    view.real = d->real;
    for (int i = 0; i < w->drawn.column_count; ++i) {
        const kdr_check_column *const c = &w->drawn.column[i];
        void *const at = is_reference ? c->expected : c->at;
        if (c->name < 6) {
            *(c->name < 3 ? &view.x[c->name] : &view.v[c->name - 3]) = at;
        } else {
            view.inverse_mass = at;
        }
    }
    if (!is_reference) {
        view.x_layout.stride = w->drawn.column[0].stride;
        view.v_layout.stride = w->drawn.column[d->dims].stride;
        view.inverse_mass_layout.stride = d->inverse_mass ? w->drawn.column[2 * d->dims].stride : 0;
    }
    return view;
}

/* Lists the addresses of the case's inputs and outputs: the kernel's copies, or those of the reference. */
static void collect_arrays(const worker *w, bool is_reference, const void **inputs, void **outputs) {
    for (int i = 0; i < w->drawn.column_count; ++i) {
        const kdr_check_column *const c = &w->drawn.column[i];
        void *const at = is_reference ? c->expected : c->at;
        if (c->is_written) {
            outputs[i] = at;
        } else {
            inputs[i - w->desc->outputs] = at;
        }
    }
}

static kdr_status run_reference(worker *w, kdr_clock *clock) {
    const kdr_check_desc *const d = w->desc;
    if (d->array) {
        const void *inputs[KDR_CHECK_MAX_ARRAYS];
        void *outputs[KDR_CHECK_MAX_ARRAYS];
        collect_arrays(w, true, inputs, outputs);
        d->array_reference(d->reference_context, w->drawn.count, inputs, outputs);
        return KDR_OK;
    }
    kdr_particles view = view_of(w, true);
    const uint64_t steps = w->drawn.steps;
    return d->integrator ? kdr_reference_run(d->integrator, &view, clock, steps, &w->error)
           : d->system   ? kdr_reference_system_run(d->system, &view, clock, steps, &w->error)
                         : d->step_reference(d->reference_context, &view, clock, steps, &w->error);
}

static void call_step(kdr_check_call *call) {
    const uintptr_t *const a = call->argument;
    call->result = (uintptr_t)((kdr_check_step_fn *)call->function)((void *)a[0], (kdr_particles *)a[1], (kdr_clock *)a[2], call->steps,
                                                                    (kdr_error *)a[4]);
}

static void call_arrays(kdr_check_call *call) {
    const uintptr_t *const a = call->argument;
    ((kdr_check_array_fn *)call->function)((void *)a[0], (size_t)a[1], (const void *const *)a[2], (void *const *)a[3]);
}

/* Makes a call. Returns whether it ended without leaving the arrays. */
static bool make_call(worker *w, kdr_check_call *call) {
    kdr_check_call_guarded(w->desc->unguarded ? NULL : &w->memory.arena, call);
    if (call->has_faulted) {
        note_access(w, call->fault);
        return false;
    }
    if (call->has_changed_control) {
        (void)note_fault(w, KDR_CHECK_CONTROL, -1, 0);
    }
    if (call->changed_registers) {
        (void)note_fault(w, KDR_CHECK_REGISTERS, -1, 0);
    }
    return true;
}

static bool run_array_kernel(worker *w) {
    const kdr_check_desc *const d = w->desc;
    const void *inputs[KDR_CHECK_MAX_ARRAYS];
    void *outputs[KDR_CHECK_MAX_ARRAYS];
    collect_arrays(w, false, inputs, outputs);
    kdr_check_call call = {.function = (void (*)(void))d->array,
                           .in_c = call_arrays,
                           .argument = {(uintptr_t)d->context, w->drawn.count, (uintptr_t)inputs, (uintptr_t)outputs}};
    return make_call(w, &call);
}

static void note_clock(worker *w, const kdr_clock *clock, const kdr_clock *expected) {
    if (clock->step != expected->step || clock->t0 != expected->t0 || clock->dt != expected->dt) {
        kdr_check_report *const first = note_fault(w, KDR_CHECK_CLOCK, -1, 0);
        if (first) {
            first->expected = expected->step;
            first->actual = clock->step;
        }
    }
}

/* Makes the case's calls. Returns whether there are results to compare. */
static bool run_step_kernel(worker *w, const kdr_clock *expected) {
    const kdr_check_desc *const d = w->desc;
    kdr_particles view = view_of(w, false);
    kdr_clock clock = {.dt = d->dt};
    for (int i = 0; i < w->drawn.calls; ++i) {
        kdr_error error = {KDR_OK, ""};
        const uint64_t steps = w->drawn.steps_of_call[i];
        kdr_check_call call = {
            .function = (void (*)(void))d->step,
            .in_c = call_step,
            .steps = steps,
            .argument = {(uintptr_t)d->context, (uintptr_t)&view, (uintptr_t)&clock, (uintptr_t)steps, (uintptr_t)&error}};
        if (!make_call(w, &call)) {
            return false;
        }
        const kdr_status status = (kdr_status)(uint32_t)call.result;
        if (status != KDR_OK) {
            kdr_check_report *const first = note_fault(w, KDR_CHECK_STATUS, -1, 0);
            if (first) {
                memcpy(first->message, error.message, sizeof first->message);
                first->actual = (uint64_t)status;
            }
            return false;
        }
    }
    note_clock(w, &clock, expected);
    return true;
}

static bool run_case(worker *w, uint64_t number) {
    const kdr_check_desc *const d = w->desc;
    w->seen = 0;
    kdr_check_case_draw(&w->drawn, d, &w->memory, number);
    kdr_clock clock = {.dt = d->dt};
    w->status = run_reference(w, &clock);
    if (w->status != KDR_OK) {
        return false;
    }
    if (d->array ? run_array_kernel(w) : run_step_kernel(w, &clock)) {
        for (int i = 0; i < w->drawn.column_count; ++i) {
            compare_elements(w, &w->drawn.column[i]);
        }
    }
    look_outside(w);
    ++w->report.cases;
    w->report.failed += w->seen != 0;
    return true;
}

static void *run_cases(void *argument) {
    worker *const w = argument;
    for (uint64_t i = (uint64_t)w->index; i < w->desc->cases; i += (uint64_t)w->desc->threads) {
        if (!run_case(w, w->desc->first + i)) {
            break;
        }
    }
    return NULL;
}

/* Adds a thread's report. The first fault is that of the lowest case. */
static void add_report(kdr_check_report *sum, const kdr_check_report *part) {
    kdr_check_report first = part->failed && (!sum->failed || part->case_number < sum->case_number) ? *part : *sum;
    first.cases = sum->cases + part->cases;
    first.values = sum->values + part->values;
    first.failed = sum->failed + part->failed;
    first.max_ulp = sum->max_ulp > part->max_ulp ? sum->max_ulp : part->max_ulp;
    for (int i = 0; i < KDR_CHECK_FAULT_COUNT; ++i) {
        first.faults[i] = sum->faults[i] + part->faults[i];
    }
    for (int i = 0; i < KDR_CHECK_ULP_BINS; ++i) {
        first.ulp[i] = sum->ulp[i] + part->ulp[i];
    }
    *sum = first;
}

/* Starts threads for all workers but the first, which is the caller. Returns how many workers run. */
static int run_workers(worker *workers, int count) {
    int began = 1;
    pthread_attr_t with;
    if (count > 1 && pthread_attr_init(&with) == 0) {
        (void)pthread_attr_setstacksize(&with, 4 << 20); /* threads of some C libraries have too little for the reference */
        while (began < count && pthread_create(&workers[began].thread, &with, run_cases, &workers[began]) == 0) {
            ++began;
        }
        (void)pthread_attr_destroy(&with);
    }
    (void)run_cases(&workers[0]);
    for (int i = 1; i < began; ++i) {
        (void)pthread_join(workers[i].thread, NULL);
    }
    return began;
}

/* Adds up what the workers found. Where the reference failed, the lowest of their cases says why. */
static kdr_status collect(const worker *workers, int count, kdr_check_report *report, kdr_error *error) {
    const worker *failed = NULL;
    for (int i = 0; i < count; ++i) {
        add_report(report, &workers[i].report);
        if (workers[i].status != KDR_OK && (!failed || workers[i].drawn.number < failed->drawn.number)) {
            failed = &workers[i];
        }
    }
    KDR_CHECK(!failed, error, failed->status, "reference, case %llu, count %zu: %s", (unsigned long long)failed->drawn.number,
              failed->drawn.count, failed->error.message);
    return KDR_OK;
}

static kdr_status run_all(const kdr_check_desc *d, kdr_check_report *report, kdr_error *error) {
    const int count = d->threads > 1 ? d->threads : 1;
    worker *const workers = calloc((size_t)count, sizeof *workers);
    bool has_memory = workers != NULL;
    for (int i = 0; i < count && has_memory; ++i) {
        workers[i].desc = d;
        workers[i].index = i;
        workers[i].report = *report;
        has_memory = kdr_check_memory_make(&workers[i].memory, d);
    }
    kdr_status status = has_memory ? KDR_OK : KDR_ERROR_NO_MEMORY;
    if (has_memory && run_workers(workers, count) < count) {
        has_memory = false;
        status = KDR_ERROR_NO_MEMORY;
    }
    if (has_memory) {
        status = collect(workers, count, report, error);
    } else {
        (void)kdr_fail(error, status, "no memory or no thread for %d threads, and arrays of their counts", count);
    }
    for (int i = 0; i < count && workers; ++i) {
        kdr_check_memory_free(&workers[i].memory);
    }
    free(workers);
    return status;
}

kdr_status kdr_check_kernel(const kdr_check_desc *desc, kdr_check_report *report, kdr_error *error) {
    kdr_check_desc taken;
    const kdr_status known = kdr_description_take(&description, desc, &taken, error);
    if (known != KDR_OK) {
        return known;
    }
    KDR_CHECK(report, error, KDR_ERROR_NULL, "report: expected a pointer, got NULL");
    taken.real = taken.integrator ? taken.integrator->real : taken.system ? taken.system->real : taken.real;
    kdr_status status = check_functions(&taken, error);
    status = status == KDR_OK ? check_arrays(&taken, error) : status;
    status = status == KDR_OK ? check_cases(&taken, error) : status;
    if (status != KDR_OK) {
        return status;
    }
    /* A report without cases, which each worker's begins as too. */
    kdr_check_report found = {.real = taken.real, .seed = taken.seed};
    status = run_all(&taken, &found, error);
    if (status == KDR_OK) {
        *report = found;
    }
    return status;
}
