/* Takes the steps of a run.
 *
 * The steps are taken in several calls, which end where a report, an output, a checkpoint or the progress bar needs it. The particles carry
 * the method's memory, so this changes no bit of the result. */
#include "ranks.h"
#include "states_csv.h"
#include "stop.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The numbers that each frame has in addition to its particles. */
enum { OBSERVABLES = 3 };
static const char *const observables[OBSERVABLES] = {"energy", "kinetic", "potential"};

/* Checks that no output would replace a file that the scene was read from. */
static bool check_inputs(run *r) {
    const struct {
        const char *key, *path;
    } keys[] = {{"output", r->frames_path},
                {records_names[RECORDS_EVENTS], r->records.path[RECORDS_EVENTS]},
                {records_names[RECORDS_CONTACTS], r->records.path[RECORDS_CONTACTS]},
                {"checkpoint", r->options.checkpoint || !r->scene.checkpoint_file ? NULL : r->checkpoint_path}},
      options[] = {{"out", r->options.out}, {"checkpoint", keys[3].path ? NULL : r->checkpoint_path}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        if (keys[i].path && scene_reads(&r->scene, keys[i].path)) {
            return fault_set(&r->why, "%s:%zu: %s.file: %s is an input of the scene, expected another file", r->file,
                             scene_line(&r->scene, keys[i].key), keys[i].key, keys[i].path);
        }
    }
    for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i) {
        if (options[i].path && scene_reads(&r->scene, options[i].path)) {
            return fault_set(&r->why, "run: --%s: %s is an input of the scene, expected another file", options[i].key, options[i].path);
        }
    }
    return true;
}

/* Checks that no two outputs are the same file. */
static bool check_records(run *r) {
    const char *const others[] = {r->options.out, r->frames_path, r->checkpoint_path, r->records.path[RECORDS_EVENTS]};
    for (int i = 0; i < RECORDS_FILES; ++i) {
        for (int k = 0; k < 3 + i && r->records.path[i]; ++k) {
            if (others[k] && outfile_is_same(r->records.path[i], others[k])) {
                return fault_set(&r->why, "%s:%zu: %s.file: %s is an output already, expected another file", r->file,
                                 scene_line(&r->scene, records_names[i]), records_names[i], others[k]);
            }
        }
    }
    return true;
}

bool run_open_outputs(run *r, const outfile_mark *marks) {
    r->frames_path = r->scene.output_file ? scene_beside(r->file, r->scene.output_file) : NULL;
    if (r->scene.output_file && !r->frames_path) {
        return fault_set(&r->why, "%s: no memory, expected some", r->file);
    }
    const char *out = r->options.out, *trajectory = r->frames_path;
    if (out && trajectory && outfile_is_same(out, trajectory)) {
        return fault_set(&r->why, "run: --out: the scene's output is %s already, expected another file", out);
    }
    const bool has_ended = marks && r->clock.step == r->last_step; /* the files may be complete already */
    const char *const checkpoint = r->checkpoint_path;
    if ((out && outfile_is_same(out, checkpoint)) || (trajectory && outfile_is_same(trajectory, checkpoint))) {
        return fault_set(&r->why, "run: --checkpoint: %s is an output already, expected another file", checkpoint);
    }
    if (!check_records(r) || !check_inputs(r) || (out && !outfile_open(&r->out, out, &r->why)) ||
        !records_open(&r->records, marks ? marks + 1 : NULL, has_ended, &r->why)) {
        return false;
    }
    if (has_ended && trajectory && outfile_has_ended(trajectory, marks)) {
        return true;
    }
    const frames_head head = {&r->population, r->scene.boundary, observables, OBSERVABLES, true};
    return !trajectory ||
           (marks ? frames_resume(&r->frames, trajectory, &head, marks, &r->why) : frames_open(&r->frames, trajectory, &head, &r->why));
}

double run_relative_error(const run *r, const kdr_observables *now) {
    const double difference =
        now->energy + (now->dissipated_energy[KDR_RESTITUTION] + now->dissipated_energy[KDR_FRICTION]) - r->record.first.energy;
    return difference == 0 ? 0 : fabs(difference / r->record.first.energy);
}

/* Computes the observables of the particles, of all ranks or of this process alone. */
static bool observe_all(run *r, bool sampled, const kdr_clock *clock, kdr_observables *now, size_t *lost) {
    kdr_error error;
    if (r->ranks) {
        return ranks_observe(r, sampled, clock, now, lost);
    }
    const population of = sampled ? run_sampled(r) : r->population;
    return (motion_observe(&r->motion, &of.particles, clock, now, &error) == KDR_OK &&
            kdr_first_non_finite(&of.particles, lost, &error) == KDR_OK) ||
           run_library_failed(r, &error);
}

static bool observe(run *r) {
    size_t lost = r->population.total; /* `lost` = the number of particles means that all are finite */
    if (!observe_all(r, false, &r->clock, &r->last, &lost)) {
        return false;
    }
    if (r->clock.step == r->scene.step) {
        r->record.first = r->last;
    }
    const double relative = run_relative_error(r, &r->last);
    if (!(relative <= r->record.largest_error)) {
        r->record.largest_error = relative;
    }
    if (r->record.lost == r->population.total && lost < r->record.lost) {
        r->record.lost = lost;
        r->record.lost_step = r->clock.step;
    }
    return true;
}

static void print_report(run *r) {
    if (r->options.json) {
        return;
    }
    progress_hide(&r->bar);
    if (!r->reported) {
        r->reported = true;
        printf("%12s  %16s  %24s  %14s\n", "step", "t", "energy", "relative error");
    }
    char text[VALUE_EXACT];
    printf("%12" PRIu64 "  %16s  %24.16e  %14.3e\n", r->clock.step, value_exact(text, kdr_clock_time(&r->clock, r->clock.step, 0)),
           r->last.energy, run_relative_error(r, &r->last));
}

static bool due(const run *r, uint64_t every) {
    const uint64_t step = r->clock.step;
    return step == r->scene.step || step == r->last_step || (every > 0 && step % every == 0);
}

bool run_is_sliced(const run *r) { return r->population.total > r->population.particles.count; }

bool run_each_slice(run *r, bool sampled, uint32_t arrays, slice_taker *take, void *context) {
    if (run_is_sliced(r)) {
        return ranks_each(r, sampled, arrays, take, context);
    }
    const population all = sampled ? run_sampled(r) : r->population;
    return take(context, &all);
}

typedef struct frame_now {
    run *r;
    double t, values[OBSERVABLES];
} frame_now;

static bool write_slice(void *context, const population *slice) {
    const frame_now *const f = context;
    return frames_write(&f->r->frames, slice, f->r->clock.step, f->t, f->values, &f->r->why);
}

static bool write_chunk(void *context, const population *of, const frames_chunk *chunk) {
    const frame_now *const f = context;
    return frames_write_chunk(&f->r->frames, of, chunk, f->r->clock.step, f->t, f->values, &f->r->why);
}

static bool write_frame(run *r, bool sampled, double t, kdr_observables now) {
    frame_now f = {r, t, {now.energy, now.kinetic, now.potential}};
    if (run_is_sliced(r) && frames_packs(&r->frames, &r->population)) {
        return ranks_pack(r, sampled, write_chunk, &f);
    }
    return run_each_slice(r, sampled, SLICE_STATE | SLICE_MASS | SLICE_ID | SLICE_IMAGES, write_slice, &f);
}

/* Returns output time i in steps after t0. The result is a whole number if t equals the time of that step but for the rounding of t and
 * t0. */
static double steps_of_time(const run *r, size_t i) {
    const double t = r->scene.output_times[i], t0 = r->scene.t0, dt = r->scene.dt, steps = (t - t0) / dt, nearest = round(steps);
    return fabs(t - (t0 + nearest * dt)) <= 0x1p-50 * fmax(fabs(t), fabs(t0)) ? nearest : steps;
}

/* Returns the step of output time i, and in *fraction where it lies within that step. */
static uint64_t step_of_time(const run *r, size_t i, double *fraction) {
    const double steps = steps_of_time(r, i), whole = floor(steps);
    *fraction = steps - whole;
    return (uint64_t)whole;
}

/* Returns the index of the first output time that is not before the clock's step; the number of output times if there is none. */
static size_t next_time(const run *r) {
    size_t low = 0, high = r->scene.output_time_count;
    double fraction;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (step_of_time(r, middle, &fraction) < r->clock.step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool run_check_times(run *r, bool resumed) {
    double last = 0;
    for (size_t i = 0; i < r->scene.output_time_count; ++i) {
        const double steps = steps_of_time(r, i);
        char text[3][VALUE_EXACT];
        if (!(steps >= (double)r->scene.step && (resumed || steps <= (double)r->last_step) && (i == 0 || steps >= last))) {
            return fault_set(&r->why, "%s:%zu: output.times[%zu]: expected a time of the run, from %s to %s and in its order, found %s",
                             r->file, scene_line(&r->scene, "output"), i, value_exact(text[0], kdr_clock_time(&r->clock, r->scene.step, 0)),
                             value_exact(text[1], kdr_clock_time(&r->clock, r->last_step, 0)),
                             value_exact(text[2], r->scene.output_times[i]));
        }
        last = steps;
    }
    return true;
}

population run_sampled(const run *r) {
    const size_t size = r->population.particles.count * kdr_real_size(r->population.particles.real);
    population at = r->population;
    at.particles.events = NULL;
    at.particles.contacts = NULL;
    at.particles.memory_key = 0;
    for (size_t i = 0; i < 3; ++i) {
        at.particles.x[i] = (char *)r->sampled_state + i * size;
        at.particles.v[i] = (char *)r->sampled_state + (3 + i) * size;
        if (population_has_images(&r->population)) {
            at.particles.images[i] = (int32_t *)(void *)((char *)r->sampled_state + 6 * size) + i * r->population.particles.count;
        }
    }
    return at;
}

bool run_sample(run *r, double fraction) {
    const kdr_particles *const particles = &r->population.particles;
    kdr_error error;
    const size_t numbers = 6 * kdr_real_size(particles->real) + (population_has_images(&r->population) ? 3 * sizeof(int32_t) : 0);
    r->sampled_state = r->sampled_state ? r->sampled_state : malloc(particles->count * numbers + 1);
    if (!r->sampled_state) {
        return fault_set(&r->why, "%s: no memory for a copy of the state, expected fewer particles", r->file);
    }
    population at = run_sampled(r);
    return motion_sample(&r->motion, particles, &r->clock, fraction, &at.particles, &error) == KDR_OK || run_library_failed(r, &error);
}

/* Writes the frames whose times lie before the next step. */
static bool write_times(run *r) {
    double fraction;
    bool good = true;
    for (size_t i = next_time(r); good && i < r->scene.output_time_count && step_of_time(r, i, &fraction) == r->clock.step; ++i) {
        const double t = r->scene.output_times[i];
        const kdr_clock then = {t, r->clock.dt, 0};
        kdr_observables now;
        size_t lost;
        good = (r->ranks ? ranks_sample(r, fraction) : run_sample(r, fraction)) && observe_all(r, true, &then, &now, &lost) &&
               write_frame(r, true, t, now);
    }
    return good;
}

static bool look(run *r) {
    const uint64_t step = r->clock.step;
    if (due(r, r->scene.report)) {
        if (!observe(r)) {
            return false;
        }
        if (r->scene.report) {
            print_report(r);
        }
    }
    if (!r->frames.format) {
        return true;
    }
    if (r->scene.output_times) {
        return write_times(r);
    }
    kdr_observables now;
    size_t lost;
    return !due(r, r->scene.output_every) ||
           (observe_all(r, false, &r->clock, &now, &lost) && write_frame(r, false, kdr_clock_time(&r->clock, step, 0), now));
}

/* Returns the number of steps until the next multiple of `every`, at most `most`. */
static uint64_t until(uint64_t step, uint64_t every, uint64_t most) {
    const uint64_t left = every ? every - step % every : most;
    return left < most ? left : most;
}

/* Returns the number of steps until the one that contains the next output time. Frames of the current step have been written. */
static uint64_t until_time(const run *r, uint64_t most) {
    double fraction;
    for (size_t i = next_time(r); i < r->scene.output_time_count; ++i) {
        const uint64_t step = step_of_time(r, i, &fraction);
        if (step > r->clock.step) {
            return step - r->clock.step < most ? step - r->clock.step : most;
        }
    }
    return most;
}

/* Returns how many evaluations the steps since `from` took. `before` tells what the method remembered at `from`. In a field run, a particle
 * that a watch has stopped is inactive; its evaluations up to the event are counted. */
static uint64_t evaluations_since(const run *r, const kdr_particles *before, const kdr_clock *from) {
    uint64_t evaluations = motion_evaluations(&r->motion, before, from, r->clock.step - from->step);
    kdr_particles one = *before;
    one.count = 1;
    one.active = NULL, one.inverse_mass = NULL;
    for (size_t i = 0; i < r->records.events.count && r->motion.integrator; ++i) {
        const kdr_event *const event = &r->records.events.list[i];
        one.level = before->level ? before->level + event->particle : NULL, one.level_count = 1;
        const bool stopped = r->scene.watches[event->watch].watch.action == KDR_ACTION_STOP_PARTICLE;
        evaluations += stopped ? motion_evaluations(&r->motion, &one, from, event->step - from->step + 1) : 0;
    }
    return evaluations;
}

static bool advance(run *r) {
    const uint64_t left = r->last_step - r->clock.step;
    uint64_t steps = until(r->clock.step, r->scene.report, left);
    if (r->frames.format && r->scene.output_times) {
        steps = until_time(r, steps);
    } else if (r->frames.format) {
        steps = until(r->clock.step, r->scene.output_every, steps);
    }
    steps = steps < r->records.most_steps ? steps : r->records.most_steps;
    if (r->checkpoints) {
        steps = until(r->clock.step, r->scene.checkpoint_every.steps, steps);
    }
    steps = progress_chunk(&r->bar, steps);
    kdr_particles *particles = &r->population.particles;
    kdr_error error;
    const kdr_clock from = r->clock;
    const uint64_t key = particles->memory_key;
    const double begun = progress_now();
    kdr_status status = KDR_OK;
    if (r->ranks) {
        if (!ranks_run(r, steps)) {
            return false;
        }
    } else if ((status = motion_run(&r->motion, particles, &r->clock, steps, &error)) != KDR_OK && status != KDR_STOPPED) {
        return run_library_failed(r, &error);
    }
    const double seconds = progress_now() - begun;
    if (status == KDR_STOPPED) { /* a watch has stopped the run: this step is the last */
        r->asked = r->scene.steps;
        r->last_step = r->clock.step;
        r->scene.steps = r->last_step - r->scene.step;
    }
    kdr_particles before = *particles; /* whether the first step began with an evaluation depends on the memory before it */
    before.memory_key = key;
    before.count = r->population.total; /* counts the particles of all ranks */
    r->record.evaluations += evaluations_since(r, &before, &from);
    if (!records_write(&r->records, &r->population, r->record.events, &r->record.contacts, &r->why)) {
        return false;
    }
    r->record.seconds += seconds;
    progress_update(&r->bar, r->clock.step - r->scene.step, steps, seconds, (double)r->record.evaluations / r->record.seconds);
    return true;
}

static bool checkpoint_is_due(const run *r) {
    const pace *const every = &r->scene.checkpoint_every;
    const uint64_t step = r->clock.step;
    if (!r->checkpoints || step == r->checkpoint_step) {
        return false;
    }
    return r->checkpoint_step == UINT64_MAX || step == r->last_step || (every->steps > 0 && step % every->steps == 0) ||
           (every->seconds > 0 && progress_now() - r->checkpoint_written >= every->seconds);
}

/* Writes a checkpoint if one is due. It is written before the run looks at the particles; the process that continues from it looks
 * first. */
static bool keep(run *r) {
    r->stopped = r->clock.step < r->last_step ? stop_asked() : 0;
    const bool is_kept = (!r->stopped || r->checkpoint_step == r->clock.step) && !checkpoint_is_due(r);
    return is_kept || run_write_checkpoint(r);
}

bool run_all(run *r) {
    r->bar = progress_begin(r->last_step - r->scene.step);
    r->bar.from = r->clock.step - r->scene.step;
    stop_begin();
    bool good = keep(r);
    while (good && !r->stopped) {
        good = look(r);
        if (!good || r->clock.step == r->last_step) {
            break;
        }
        good = advance(r) && keep(r);
    }
    stop_end();
    progress_hide(&r->bar);
    return good;
}

/* Notes the scene, the backend and the fingerprint in the file of frames. */
static bool describe_frames(run *r) {
    char text[32];
    kdr_backend_info info = {.name = "?"};
    char *source;
    source = asprintf(&source, "%.*s", (int)r->scene.tree.length, (const char *)r->scene.tree.text) < 0 ? NULL : source;
    snprintf(text, sizeof text, "%016" PRIx64, r->fingerprint);
    kdr_backend_query(motion_backend(&r->motion), &info);
    const bool good = frames_note(&r->frames, "scene", source ? source : "", &r->why) &&
                      frames_note(&r->frames, "backend", info.name, &r->why) && frames_note(&r->frames, "fingerprint", text, &r->why);
    free(source);
    return good;
}

static bool write_states(void *context, const population *slice) {
    (void)states_write(((run *)context)->out.stream, slice); /* outfile_commit reports a failed write */
    return true;
}

/* Computes the fingerprint, the number of absorbed particles and the worst rods at the end of the run. */
static bool conclude(run *r) {
    const kdr_particles *const particles = &r->population.particles;
    kdr_error error;
    size_t absorbed = 0;
    if (run_is_sliced(r)) {
        return ranks_tell(r, RANKS_FINGERPRINT, &r->fingerprint) && ranks_tell(r, RANKS_ABSORBED, &r->absorbed);
    }
    const bool good = kdr_fingerprint(particles, &r->fingerprint, &error) == KDR_OK &&
                      motion_count_absorbed(&r->motion, particles, &absorbed, &error) == KDR_OK &&
                      motion_distances_worst(&r->motion, particles, r->scene.dt, &r->stretch, &r->along, &error) == KDR_OK;
    r->absorbed = absorbed;
    return good || run_library_failed(r, &error);
}

/* Counts the particles with an equation that was not solved, and finds the id of the first non-finite particle. */
static bool find_wrong(void *context, const population *slice) {
    run *const r = context;
    const kdr_particles *const p = &slice->particles;
    for (size_t i = 0; p->nonconverged && i < p->count; ++i) {
        if (p->nonconverged[i] > 0 && r->nonconverged.count++ == 0) {
            r->nonconverged.first = (size_t)p->first_id + i;
            r->nonconverged.id = population_id(slice, i);
            r->nonconverged.steps = p->nonconverged[i];
        }
    }
    if (r->record.lost >= p->first_id && r->record.lost - p->first_id < p->count) {
        r->lost_id = population_id(slice, (size_t)(r->record.lost - p->first_id));
    }
    return true;
}

bool run_write_outputs(run *r) {
    const bool looks = r->population.particles.nonconverged || r->record.lost < r->population.total;
    if (!conclude(r) || (looks && !run_each_slice(r, false, SLICE_NONCONVERGED | SLICE_ID, find_wrong, r))) {
        return false;
    }
    if (r->out.stream) {
        states_write_header(r->out.stream, false, population_has_images(&r->population));
        if (!run_each_slice(r, false, SLICE_STATE | SLICE_MASS | SLICE_ID | SLICE_IMAGES, write_states, r) ||
            !outfile_commit(&r->out, &r->why)) {
            return false;
        }
    }
    return records_commit(&r->records, &r->why) && (!r->frames.format || (describe_frames(r) && frames_commit(&r->frames, &r->why)));
}
