/* Runs a scene with `stream`: its particles are in a file, and only slices of them in memory.
 *
 * If the file exists, the run continues from its step; otherwise the particles are made from the scene. Running the scene again after the
 * end does nothing. After a kill it continues after the last complete slice. */
#include "commands.h"
#include "json.h"
#include "ranks.h"
#include "stop.h"

#include <inttypes.h>
#include <stdlib.h>

#include <io/files.h>
#include <xxhash.h>

/* The state and results of the run. */
typedef struct streamed {
    char *path;
    bool is_new; /* the file does not exist yet */
    kdr_stream *stream;
    kdr_stream_info info;
    size_t slices;
    double seconds;                /* time of all slices together */
    kdr_sums first, last, *blocks; /* sums before and after the steps, and room for those of a slice; NULL: not wanted */
    uint64_t nonconverged;
} streamed;

bool run_check_stream(run *r) {
    const struct {
        const char *key, *text;
        bool has;
    } lacks[] = {
        {"interactions", "interactions", r->scene.interaction_count > 0},
        {"distances", "distances", r->scene.distances.count > 0},
        {"report", "report", r->scene.report > 0},
        {"output", "output", r->scene.output_file != NULL},
        {"checkpoint", "checkpoint", r->scene.checkpoint_file != NULL},
        {"watch", "watch", r->scene.watch_count > 0},
        {"contacts", "contacts", r->scene.record_file[RECORDS_CONTACTS] != NULL},
        {NULL, "run: --out", r->options.out != NULL},
        {NULL, "run: --checkpoint", r->options.checkpoint != NULL},
        {NULL, "run: --error", r->options.error},
        {NULL, "run: --converge", r->options.halvings > 0},
    };
    for (size_t i = 0; r->scene.stream_file && i < sizeof lacks / sizeof *lacks; ++i) {
        if (lacks[i].has && lacks[i].key) {
            return fault_set(&r->why, "%s:%zu: %s: expected none: the particles are in a stream, and never all at one step", r->file,
                             scene_line(&r->scene, lacks[i].key), lacks[i].text);
        }
        if (lacks[i].has) {
            return fault_set(&r->why, "%s: the particles are in a stream, and never all at one step, expected a scene without",
                             lacks[i].text);
        }
    }
    return true;
}

static bool open_stream(run *r, streamed *s) {
    kdr_stream_desc desc = kdr_stream_desc_default();
    kdr_error error;
    kdr_file_info about;
    s->is_new = !kdr_file_look(s->path, &about);
    r->described.memory = motion_method(&r->motion)->memory;
    desc.from = s->is_new ? NULL : s->path;
    desc.create = s->is_new ? &r->described : NULL;
    desc.to = s->path, desc.clock = r->clock;
    desc.integrator = r->motion.integrator, desc.last_step = r->last_step;
    desc.memory = r->scene.stream_memory ? (size_t)r->scene.stream_memory : desc.memory;
    const void *const text = r->scene.tree.text;
    /* Another scene or source has another key, and then the stream begins anew. */
    desc.key = s->is_new && text ? XXH64(text, r->scene.tree.length, r->population.source) : 0;
    if (kdr_stream_open(&desc, &s->stream, &error) != KDR_OK) {
        return run_library_failed(r, &error);
    }
    kdr_stream_query(s->stream, &s->info, NULL);
    if (r->scene.stream_observe && s->info.most % KDR_OBSERVE_BLOCK != 0 && s->info.most < s->info.count) {
        return fault_set(&r->why,
                         "%s:%zu: stream: observe: slices have %zu particles, expected a memory for %d: sums are made of blocks of them",
                         r->file, scene_line(&r->scene, "stream"), s->info.most, (int)KDR_OBSERVE_BLOCK);
    }
    s->blocks = r->scene.stream_observe ? malloc((s->info.most / KDR_OBSERVE_BLOCK + 1) * sizeof *s->blocks) : NULL;
    if (r->scene.stream_observe && !s->blocks) {
        return fault_set(&r->why, "%s: no memory for sums, expected a smaller stream.memory", r->file);
    }
    const kdr_clock *const at = &s->info.first;
    if (at->t0 != r->clock.t0 || at->dt != r->clock.dt) {
        return fault_set(&r->why, "%s: %s has t0 %.17g and dt %.17g, expected the scene's %.17g and %.17g, or no such file", r->file,
                         s->path, at->t0, at->dt, r->clock.t0, r->clock.dt);
    }
    return true;
}

/* Looks at a slice after its steps: notes the first non-finite particle, and counts those with an equation that was not solved. */
static bool look(run *r, streamed *s, const kdr_particles *slice) {
    kdr_error error;
    size_t lost;
    if (kdr_first_non_finite(slice, &lost, &error) != KDR_OK) {
        return run_library_failed(r, &error);
    }
    if (lost < slice->count && r->record.lost == SIZE_MAX) {
        r->record.lost = s->info.begin + lost;
    }
    for (size_t i = 0; slice->nonconverged && i < slice->count; ++i) {
        s->nonconverged += slice->nonconverged[i] > 0;
    }
    return true;
}

static bool add_sums(run *r, const streamed *s, const kdr_particles *slice, const kdr_clock *clock, kdr_sums *total) {
    const size_t count = slice->count / KDR_OBSERVE_BLOCK + (slice->count % KDR_OBSERVE_BLOCK != 0);
    kdr_error error;
    return !s->blocks ||
           (kdr_observe_blocks(r->motion.integrator, slice, clock, s->blocks, count, &error) == KDR_OK &&
            kdr_sums_add(total, s->blocks, count, &error) == KDR_OK) ||
           run_library_failed(r, &error);
}

static bool step_slice(run *r, streamed *s, kdr_particles *slice, kdr_clock *clock) {
    kdr_error error;
    if ((s->is_new && !population_fill(&r->scene, slice)) || !add_sums(r, s, slice, clock, &s->first)) {
        return false;
    }
    const uint64_t steps = r->last_step - clock->step;
    r->record.evaluations += motion_evaluations(&r->motion, slice, clock, steps);
    const double begun = progress_now();
    if (!(ranks_are_many() ? ranks_step_slice(r, slice, clock, steps)
                           : motion_run(&r->motion, slice, clock, steps, &error) == KDR_OK || run_library_failed(r, &error))) {
        return false;
    }
    r->record.seconds += progress_now() - begun;
    ++s->slices;
    progress_update(&r->bar, s->info.begin + slice->count, 1, r->record.seconds, (double)r->record.evaluations / r->record.seconds);
    return add_sums(r, s, slice, clock, &s->last) && look(r, s, slice);
}

static bool step_all(run *r, streamed *s) {
    kdr_particles slice;
    kdr_clock clock;
    kdr_error error;
    if (s->info.first.step == r->last_step && !s->is_new) {
        return true;
    }
    for (;;) {
        if (kdr_stream_next(s->stream, &slice, &clock, &error) != KDR_OK) {
            return run_library_failed(r, &error);
        }
        kdr_stream_query(s->stream, &s->info, NULL);
        r->stopped = slice.count > 0 ? stop_asked() : 0;
        if (slice.count == 0 || r->stopped) {
            return true;
        }
        if (!step_slice(r, s, &slice, &clock)) {
            return false;
        }
    }
}

/* Computes the observables from the sums of all slices. Returns false if this process has not seen all of them. */
static bool observe(run *r, const streamed *s) {
    if (!s->blocks || s->info.done > 0 || (s->slices == 0 && s->info.count > 0)) {
        return false;
    }
    kdr_sums_observe(&s->first, &r->record.first, NULL);
    kdr_sums_observe(&s->last, &r->last, NULL);
    r->record.largest_error = run_relative_error(r, &r->last);
    return true;
}

static int summarise(run *r, const streamed *s) {
    const bool observed = observe(r, s);
    const double rate = r->record.seconds > 0 ? (double)r->record.evaluations / r->record.seconds : 0;
    const bool is_lost = r->record.lost != SIZE_MAX;
    if (!r->options.json) {
        printf("particles    %zu, %s, in %s\n", s->info.count, kdr_real_name(s->info.real), s->path);
        printf("method       %s, from step %" PRIu64 " to %" PRIu64 " of %.9g\n", motion_method(&r->motion)->name, s->info.first.step,
               s->info.last.step, r->scene.dt);
        printf("stream       %zu slices of at most %zu particles, %zu were done before\n", s->slices, s->info.most, s->info.done);
        if (observed) {
            run_print_energy(r);
            run_print_momentum(r);
        } else if (s->blocks) {
            printf("energy       not told: slices were stepped by a process before this one\n");
        }
        printf("evaluations  %" PRIu64 " in %.6f s: %.4g a second; with files %.6f s\n", r->record.evaluations, r->record.seconds, rate,
               s->seconds);
    } else if (!json_print(json_pack(
                   "{s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o*, s:o*, s:o*, s:o*, s:o*}", "scene",
                   json_text(r->file), "particles", json_count(s->info.count), "real", kdr_real_name(s->info.real), "method",
                   motion_method(&r->motion)->name, "file", json_text(s->path), "first_step", json_count(s->info.first.step), "last_step",
                   json_count(s->info.last.step), "slices", json_count(s->slices), "done_before", json_count(s->info.done), "evaluations",
                   json_count(r->record.evaluations), "seconds", json_number(r->record.seconds), "seconds_with_files",
                   json_number(s->seconds), "nonconverged", s->nonconverged ? json_count(s->nonconverged) : NULL, "energy",
                   observed ? run_energy_json(r) : NULL, "dissipated_energy", observed ? run_dissipated_energy_json(r) : NULL, "momentum",
                   observed ? json_vector(r->last.momentum) : NULL, "angular_momentum",
                   observed ? json_vector(r->last.angular_momentum) : NULL))) {
        fault_set(&r->why, "%s: no memory for the JSON object, expected some", r->file);
        return fault_report(&r->why);
    }
    if (s->nonconverged > 0) {
        fault_set(&r->why, "%s: %s has not solved the equations of %" PRIu64 " particles, expected all solved: a smaller dt may do",
                  r->file, motion_method(&r->motion)->name, s->nonconverged);
        fault_report(&r->why);
    }
    if (is_lost) {
        fault_set(&r->why, "%s: particle %" PRIu64 " is not finite, expected finite states: a smaller dt may do", r->file, r->record.lost);
        fault_report(&r->why);
    }
    return is_lost || s->nonconverged > 0 ? KDR_EXIT_FAILED : KDR_EXIT_OK;
}

int run_stream(run *r) {
    streamed s = {.path = scene_beside(r->file, r->scene.stream_file)};
    const double begun = progress_now();
    r->record.lost = SIZE_MAX;
    if (!s.path) {
        fault_set(&r->why, "%s: no memory, expected some", r->file);
    }
    bool good = s.path && open_stream(r, &s);
    if (good) {
        stop_begin();
        r->bar = progress_begin(s.info.count);
        r->bar.from = s.info.done;
        good = step_all(r, &s);
        progress_hide(&r->bar);
        stop_end();
    }
    kdr_stream_close(s.stream);
    s.seconds = progress_now() - begun;
    int status = KDR_EXIT_FAILED;
    if (!good) {
        status = fault_report(&r->why);
    } else if (!r->stopped) {
        status = summarise(r, &s);
    } else {
        fault_set(&r->why, "stopped by %s before particle %zu of %zu; to go on: kickdrift run %s", stop_name(r->stopped), s.info.begin,
                  s.info.count, r->file);
        fault_report(&r->why);
    }
    free(s.path);
    free(s.blocks);
    return status;
}
