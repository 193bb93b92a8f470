/* The axes of a case and the values on each. */
#ifndef KDR_CHECK_AXES_H
#define KDR_CHECK_AXES_H

#include "check.h"
#include "random.h"

/* The indices of values that the engine needs to know, in the order of the tables in axes.c. */
enum { CLOCK_START, CLOCK_LATER, CLOCK_BACKWARDS, CLOCK_FAR };
enum { DATA_BENIGN, DATA_PERIOD_3, DATA_SPECIAL, DATA_GARBAGE_NEIGHBOURS };
enum { MASS_NONE, MASS_RANDOM, MASS_SOME_FROZEN };
enum { PLACEMENT_ALIGNED, PLACEMENT_ODD_ELEMENTS, PLACEMENT_ODD_BYTES, PLACEMENT_GUARD_AFTER, PLACEMENT_GUARD_BEFORE, PLACEMENT_MIXED };
enum { MEMORY_NONE, MEMORY_METHOD, MEMORY_COMPENSATION, MEMORY_BOTH };
enum { NOISE_NONE, NOISE_DECAY, NOISE_BATH, NOISE_FIRST_ID, NOISE_IDS };
enum { CUT_NONE, CUT_CALLS, CUT_SLICES, CUT_BOTH, CUT_ALONE };
enum { BOUNDARY_NONE, BOUNDARY_PERIODIC, BOUNDARY_ABSORBING, BOUNDARY_SLAB };
enum { MARKS_NONE, MARKS_SOME, MARKS_ROWS, MARKS_LEVELS, MARKS_BOTH };
enum { WATCH_NONE, WATCH_EVENTS, WATCH_FEW, WATCH_SAMPLE };
enum { EXECUTOR_SERIAL, EXECUTOR_OPENMP, EXECUTOR_ADVERSARY };

enum { KDR_CHECK_MAX_COUNT = 2048 };

/* Returns the number of steps from the start of the run to the first rest; 0: the case has none. */
int kdr_check_steps_to_flush(const kdr_check_case *test);

const char *kdr_check_axis_name(kdr_check_axis axis);
int kdr_check_axis_size(kdr_check_axis axis);
int kdr_check_axis_draw(kdr_check_axis axis, kdr_check_random *random);
const char *kdr_check_axis_value_name(kdr_check_axis axis, int value);

/* The random streams of a case. Each use of random numbers has its own stream. */
enum {
    STREAM_PLAN,
    STREAM_OWN,
    STREAM_FORCES,
    STREAM_NOISE,
    STREAM_CLOCK,
    STREAM_CUTS,
    STREAM_EXECUTOR,
    STREAM_PLACEMENT,
    STREAM_GARBAGE,
    STREAM_COLLIDERS,
    STREAM_ARRAYS,
    STREAM_FIELD = 1000, /* beyond the streams of the arrays */
    STREAM_MARKS,
    STREAM_WATCH,
    STREAM_RADII
};
kdr_check_random kdr_check_case_stream(const kdr_check_case *test, uint32_t stream);

/* Sets the case's count and steps from its values, and changes values that do not go together. */
void kdr_check_case_resolve(kdr_check_case *test, kdr_check_random *random);

#endif
