/* The text of a report. */
#include <kickdrift/check.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Text that grows, up to its size. */
typedef struct line {
    char *text;
    size_t size, used;
} line;

__attribute__((format(printf, 2, 3))) static void add(line *l, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int more = vsnprintf(l->text + l->used, l->size - l->used, format, arguments);
    va_end(arguments);
    const size_t left = l->size - l->used - 1;
    l->used += more < 0 ? 0 : (size_t)more < left ? (size_t)more : left;
}

static const char *const faults[KDR_CHECK_FAULT_COUNT] = {"results differ from the reference's",
                                                          "an array that must only be read has changed",
                                                          "memory outside of the elements was written",
                                                          "a page outside of the arrays was accessed",
                                                          "the clock differs from the reference's",
                                                          "the kernel returned an error",
                                                          "the control word of floating-point arithmetic has changed",
                                                          "a register that a function must restore has changed"};

/* Writes the name of an array: "x[0]", "inverse_mass", "outputs[1]". Whether it is one of particles is told by the case's calls. */
static void add_array(line *l, const kdr_check_report *r) {
    if (r->calls == 0) {
        add(l, r->array < KDR_CHECK_MAX_ARRAYS ? "outputs[%d]" : "inputs[%d]", r->array % KDR_CHECK_MAX_ARRAYS);
    } else if (r->array == 6) {
        add(l, "inverse_mass");
    } else {
        add(l, "%c[%d]", r->array < 3 ? 'x' : 'v', r->array % 3);
    }
}

static double number_of(uint64_t bits, kdr_real real) {
    const uint32_t low = (uint32_t)bits;
    float single;
    double whole;
    memcpy(&single, &low, sizeof single);
    memcpy(&whole, &bits, sizeof whole);
    return real == KDR_F32 ? (double)single : whole;
}

static void add_bits(line *l, const char *name, uint64_t bits, kdr_real real) {
    add(l, "  %s %0*" PRIx64 "  %.*g\n", name, real == KDR_F32 ? 8 : 16, bits, real == KDR_F32 ? 9 : 17, number_of(bits, real));
}

static void add_first(line *l, const kdr_check_report *r) {
    add(l, "first fault: %s\n  case %" PRIu64 ", count %zu", faults[r->fault], r->case_number, r->count);
    if (r->calls) {
        add(l, ", %" PRIu64 " steps in %" PRIu64 " call%s", r->steps, r->calls, r->calls == 1 ? "" : "s");
    }
    if (r->array >= 0) {
        add(l, ": ");
        add_array(l, r);
        add(l, " at %td, lane %d", r->index, r->lane);
    }
    add(l, "\n");
    if (r->fault == KDR_CHECK_VALUE || r->fault == KDR_CHECK_CHANGED_INPUT) {
        add_bits(l, "expected", r->expected, r->real);
        add_bits(l, "actual  ", r->actual, r->real);
    }
    if (r->fault == KDR_CHECK_VALUE) {
        add(l, r->distance == UINT64_MAX ? "  only one is NaN\n" : "  distance %" PRIu64 " ulp\n", r->distance);
    }
    if (r->fault == KDR_CHECK_CLOCK) {
        add(l, "  clock.step: expected %" PRIu64 ", got %" PRIu64 "\n", r->expected, r->actual);
    }
    if (r->fault == KDR_CHECK_STATUS) {
        add(l, "  status %" PRIu64 ": %s\n", r->actual, r->message);
    }
    add(l, "to repeat it: seed %" PRIu64 ", first %" PRIu64 ", cases 1\n", r->seed, r->case_number);
}

static void add_distances(line *l, const kdr_check_report *r) {
    add(l, "distances in ulp:");
    for (int i = 0; i < KDR_CHECK_ULP_BINS; ++i) {
        if (r->ulp[i] == 0) {
            continue;
        }
        if (i < 2) {
            add(l, "  %d: %" PRIu64, i, r->ulp[i]);
        } else if (i == KDR_CHECK_ULP_BINS - 1) {
            add(l, "  only one is NaN: %" PRIu64, r->ulp[i]);
        } else {
            add(l, "  from 2^%d: %" PRIu64, i - 1, r->ulp[i]);
        }
    }
    add(l, "\n");
}

const char *kdr_check_report_describe(const kdr_check_report *report, char *text, size_t size) {
    if (!text || size == 0) {
        return "";
    }
    line l = {text, size, 0};
    text[0] = 0;
    if (!report) {
        return text;
    }
    add(&l, "%" PRIu64 " cases, %" PRIu64 " values: ", report->cases, report->values);
    if (report->failed == 0) {
        add(&l, report->max_ulp ? "all within %" PRIu64 " ulp\n" : "all bits equal\n", report->max_ulp);
    } else {
        add(&l, "%" PRIu64 " cases failed\n", report->failed);
    }
    for (int i = 0; i < KDR_CHECK_FAULT_COUNT; ++i) {
        if (report->faults[i]) {
            add(&l, "  %" PRIu64 " cases: %s\n", report->faults[i], faults[i]);
        }
    }
    if (report->failed) {
        add_first(&l, report);
    }
    if (report->max_ulp) {
        add_distances(&l, report);
    }
    return text;
}
