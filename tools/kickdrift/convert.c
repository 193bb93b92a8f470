/* `kickdrift convert`: copies frames from one kind of file to another, one frame at a time. */
#include "commands.h"
#include "frames.h"
#include "frames_read.h"
#include "options.h"
#include "progress.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct convert_options {
    const char *group;
} convert_options;

static const option_row rows[] = {{"group", "NAME", &VALUE_TEXT, offsetof(convert_options, group),
                                   "of H5MD's groups of particles that one; the first by name if not given"}};

const options_spec kdr_convert_spec = {
    "convert",
    "FROM TO",
    2,
    "Writes the frames of one file to another, in the kind that its name says.",
    "Kinds: .csv, as kickdrift run writes it (of other columns those are taken that have its names); .h5, H5MD; .xyz, extended XYZ; "
    ".npy, a structured array for numpy.load with the columns of the CSV file. Numbers keep their bits. What of FROM has no place in TO "
    "is named in a line on standard error.\n",
    rows,
    sizeof rows / sizeof rows[0]};

typedef struct conversion {
    const char *names[2];
    convert_options options;
    fault why;
    frames_reader *from;
    frames to;
    frames_room room;
    bool has_images, has_box;
    progress bar;
    uint64_t particles;
} conversion;

/* Returns the boundary with the edges of the box. It begins at 0, as in H5MD. */
static kdr_boundary boundary_of(const double box[3]) {
    kdr_boundary made = {.kind = box[0] > 0 || box[1] > 0 || box[2] > 0 ? KDR_BOUNDARY_PERIODIC : KDR_BOUNDARY_NONE};
    memcpy(made.max, box, sizeof made.max);
    return made;
}

static bool put_frame(conversion *c) {
    const frame *const now = frames_read_frame(c->from);
    const frames_head head = {
        .of = &now->of, .boundary = boundary_of(now->box), .observables = now->observable_names, .observable_count = now->observable_count};
    if (!c->to.format) {
        if (!frames_open(&c->to, c->names[1], &head, &c->why)) {
            return false;
        }
        c->room = frames_room_of(&c->to);
    }
    const double begun = progress_now();
    c->particles += now->of.particles.count;
    c->has_images = c->has_images || population_has_images(&now->of);
    c->has_box = c->has_box || head.boundary.kind == KDR_BOUNDARY_PERIODIC;
    frames_set_box(&c->to, now->box);
    const bool good = frames_write(&c->to, &now->of, now->step, now->t, now->observables, &c->why);
    progress_update(&c->bar, frames_read_done(c->from), 1, progress_now() - begun, (double)c->particles / (progress_now() - c->bar.begun));
    return good;
}

/* Prints one line that names what was in the file that was read and is not in the one that was written. */
static void name_left_out(const conversion *c) {
    const frame *const last = frames_read_frame(c->from);
    const char *const own = frames_read_left_out(c->from);
    const struct {
        bool is_left;
        const char *name;
    } lacks[] = {{c->has_box && !c->room.box, "the box"},
                 {c->has_images && !c->room.images, "image counts"},
                 {last->observable_count > 0 && !c->room.observables, "observables"}};
    fault line;
    char names[1200];
    (void)snprintf(names, sizeof names, "%s", own);
    for (size_t i = 0; i < sizeof lacks / sizeof lacks[0]; ++i) {
        const size_t used = strlen(names);
        if (lacks[i].is_left) {
            (void)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? "; " : "", lacks[i].name);
        }
    }
    if (*names) {
        fault_set(&line, "of %s these were left out: %s", c->names[0], names);
        fault_report(&line);
    }
}

static bool convert(conversion *c) {
    frame_result found;
    for (int i = 0; i < 2; ++i) {
        if (strcmp(c->names[i], "-") == 0) {
            return fault_set(&c->why, "convert: -: expected a file's name, or %s", i == 0 ? "/dev/stdin" : "/dev/stdout");
        }
    }
    if (outfile_is_same(c->names[0], c->names[1])) {
        return fault_set(&c->why, "convert: %s: expected another file to write than to read", c->names[1]);
    }
    c->from = frames_read_open(c->names[0], c->options.group, &c->why);
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
    if (!c->to.format) {
        return fault_set(&c->why, "%s: no frames, expected one at least", c->names[0]);
    }
    if (!frames_commit(&c->to, &c->why)) {
        return false;
    }
    name_left_out(c);
    return true;
}

int kdr_convert_main(int argc, char **argv) {
    conversion c = {.particles = 0};
    const int ended = options_begin(&kdr_convert_spec, argc, argv, &c.options, c.names, &c.why);
    if (ended >= 0) {
        return ended;
    }
    const int status = convert(&c) ? KDR_EXIT_OK : fault_report(&c.why);
    frames_discard(&c.to);
    frames_read_close(c.from);
    return status;
}
