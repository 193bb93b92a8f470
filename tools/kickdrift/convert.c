/* kickdrift convert: frames from one kind of file to another, one frame at a time. */
#include "commands.h"
#include "frames.h"
#include "frames_read.h"
#include "options.h"
#include "progress.h"

#include <inttypes.h>
#include <string.h>

static const options_spec spec = {
    "convert",
    "FROM TO",
    2,
    "Writes the frames of one file to another, in the kind that its name says.",
    "Kinds: .csv, as kickdrift run writes it (of other columns those are taken that have its names); .h5, H5MD; .xyz, extended XYZ;\n"
    ".npy, a structured array for numpy.load with the columns of the CSV file. Numbers keep their bits.\n",
    NULL,
    0};

typedef struct conversion {
    const char *names[2];
    fault why;
    frames_reader *from;
    frames to;
    progress bar;
    uint64_t particles;
} conversion;

/* The box begins at 0, where H5MD has it. */
static kdr_boundary boundary_of(const double box[3]) {
    kdr_boundary made = {.kind = box[0] > 0 || box[1] > 0 || box[2] > 0 ? KDR_BOUNDARY_PERIODIC : KDR_BOUNDARY_NONE};
    memcpy(made.max, box, sizeof made.max);
    return made;
}

static bool put_frame(conversion *c) {
    const frame *const now = frames_read_frame(c->from);
    const frames_head head = {.of = &now->of, .boundary = boundary_of(frames_read_box(c->from))};
    if (!c->to.format && !frames_open(&c->to, c->names[1], &head, &c->why)) {
        return false;
    }
    const double begun = progress_now();
    c->particles += now->of.particles.count;
    const bool good = frames_write(&c->to, &now->of, now->step, now->t, NULL, &c->why);
    progress_update(&c->bar, frames_read_done(c->from), 1, progress_now() - begun, (double)c->particles / (progress_now() - c->bar.begun));
    return good;
}

static bool convert(conversion *c) {
    frame_result found;
    if (outfile_is_same(c->names[0], c->names[1])) {
        return fault_set(&c->why, "convert: %s: expected another file to write than to read", c->names[1]);
    }
    c->from = frames_read_open(c->names[0], &c->why);
    if (!c->from) {
        return false;
    }
    c->bar = progress_begin(1000);
    c->bar.unit = "particles/s";
    while ((found = frames_read_next(c->from)) == FRAME_READ) {
        if (!put_frame(c)) {
            return false;
        }
    }
    progress_hide(&c->bar);
    if (found == FRAME_WRONG) {
        return false;
    }
    return c->to.format ? frames_commit(&c->to, &c->why) : fault_set(&c->why, "%s: no frames, expected one at least", c->names[0]);
}

int kdr_convert_main(int argc, char **argv) {
    conversion c = {.particles = 0};
    const int ended = options_begin(&spec, argc, argv, NULL, c.names, &c.why);
    if (ended >= 0) {
        return ended;
    }
    const int status = convert(&c) ? KDR_EXIT_OK : fault_report(&c.why);
    frames_discard(&c.to);
    frames_read_close(c.from);
    return status;
}
