/* How many steps the program makes between two looks at the clock. */
#include "../tools/kickdrift/progress.h"

#include <criterion/criterion.h>

#include <math.h>

/* Returns the chunk after some calls, each of which takes `call` seconds and `step` more for each step. */
static uint64_t chunk_of(double call, double step) {
    progress bar = progress_begin(UINT64_MAX);
    bar.shown = false;
    uint64_t done = 0;
    for (int calls = 0; calls < 30; ++calls) {
        const uint64_t steps = progress_chunk(&bar, UINT64_MAX);
        done += steps;
        progress_update(&bar, done, steps, call + step * (double)steps, 1);
    }
    return progress_chunk(&bar, UINT64_MAX);
}

/* Short steps take a tenth of a second together. Long steps are taken one by one. */
Test(progress, a_tenth_of_a_second) {
    cr_expect(fabs((double)chunk_of(0, 1e-6) - 1e5) < 1e3);
    cr_expect(fabs((double)chunk_of(0, 1e-4) - 1e3) < 10);
    cr_expect(chunk_of(0, 5) == 1);
    cr_expect(chunk_of(10, 0.5) == 1);
    progress bar = progress_begin(10);
    bar.chunk = 100;
    cr_expect(progress_chunk(&bar, 7) == 7);
}

/* If a single step takes longer than a tenth of a second, and most of that is the call's own time, a call makes many steps. Then most of
 * its time goes into steps. */
Test(progress, calls_that_are_long_make_many_steps) {
    const uint64_t of_many_particles = chunk_of(0.25, 0.0125), of_more = chunk_of(0.7, 0.04);
    cr_expect(of_many_particles >= 100 && of_many_particles <= 128, "%d", (int)of_many_particles);
    cr_expect(of_more >= 30 && 0.7 + 0.04 * (double)of_more < 2.5, "%d", (int)of_more);
}
