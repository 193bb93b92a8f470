/* `kickdrift run` and `kickdrift resume`: reads and checks the request, and makes the run. */
#include "run.h"
#include "commands.h"
#include "explain.h"
#include "json.h"
#include "ranks.h"
#include "stop.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <io/files.h>

/* Applies the option --dt: the number of steps changes so that they take the scene's time. */
static bool apply_dt(run *r) {
    const double steps = r->scene.dt * (double)r->scene.steps / r->options.dt, whole = round(steps);
    if (r->options.steps == UINT64_MAX) {
        if (!(whole >= 0 && whole <= 0x1p53 && fabs(steps - whole) <= fmax(1e-6, 4 * DBL_EPSILON * whole))) {
            return fault_set(&r->why,
                             "run: --dt: the scene's %" PRIu64 " steps of %.9g are no whole number of steps of %.9g, expected a step that "
                             "divides its time, or --steps",
                             r->scene.steps, r->scene.dt, r->options.dt);
        }
        r->scene.steps = (uint64_t)whole;
    }
    r->scene.dt = r->options.dt;
    return true;
}

bool run_apply_options(run *r) {
    const run_options *o = &r->options;
    if (o->method >= 0) {
        r->scene.method = (scene_method){.named = o->method};
    }
    if (o->compose >= 0) {
        r->scene.compose = o->compose, r->scene.substeps = NULL;
    }
    if (o->real >= 0) {
        r->scene.real = o->real;
    }
    if (o->arithmetic >= 0) {
        r->scene.arithmetic = o->arithmetic;
    }
    if (o->dt != 0 && !apply_dt(r)) {
        return false;
    }
    if (o->steps != UINT64_MAX) {
        r->scene.steps = o->steps;
    }
    return true;
}

bool run_library_failed(run *r, const kdr_error *error) {
    r->refused = true;
    return fault_set(&r->why, "%s: %s", r->file, error->message);
}

/* Reports what the library has refused, at the line of the key that it is about. A method that an option named has no line. */
static bool refused(run *r, const kdr_error *error) {
    const char *message = error->message, *named = "", *const key = motion_key_of(&message, &named);
    if (r->options.method >= 0 && strcmp(key, "method") == 0) {
        return fault_set(&r->why, "run: --method: %s", error->message);
    }
    if (r->options.compose >= 0 && strcmp(key, "compose") == 0) {
        const bool is_named = strncmp(message, "compose: ", strlen("compose: ")) == 0; /* the message already begins with the key */
        return fault_set(&r->why, "run: --compose: %s%s", named, message + (is_named ? strlen("compose: ") : 0));
    }
    if (r->options.dt != 0 && strcmp(key, "dt") == 0) {
        return fault_set(&r->why, "run: --dt%s", message);
    }
    return fault_set(&r->why, "%s:%zu: %s%s", r->file, scene_line(&r->scene, key), named, message);
}

/* Runs 0 steps, so that what the library refuses is found before anything is printed or written. */
static bool try_run(run *r) {
    kdr_error error;
    return motion_run(&r->motion, &r->population.particles, &r->clock, 0, &error) == KDR_OK || refused(r, &error);
}

bool run_choose_machine(run *r, kdr_backend *backend, kdr_executor *executor) {
    kdr_error error;
    if (kdr_backend_choose((kdr_backend)r->options.backend, backend, &error) != KDR_OK) {
        return fault_set(&r->why, "%s", error.message);
    }
    if (r->options.threads > 1 && kdr_executor_openmp((int)r->options.threads, executor) != KDR_OK) {
        return fault_set(&r->why, "run: --threads: this program was built without OpenMP, expected 1");
    }
    return true;
}

static bool check_options(run *r) {
    const run_options *const o = &r->options;
    if (o->explain && (o->error || o->halvings > 0)) {
        return fault_set(&r->why, "run: --explain: it takes no steps, expected it without --error and --converge");
    }
    if (o->halvings > 0 && (o->error || o->out)) {
        return fault_set(&r->why, "run: --converge: it prints the error and writes nothing, expected it without --error and --out");
    }
    return true;
}

/* Checks that the error can be told as the options ask: from the estimates of each step, or from runs with other steps. */
static bool ask_for_errors(run *r) {
    const char *const asked = r->options.halvings > 0 ? "--converge" : r->options.error && !motion_estimates(&r->motion) ? "--error" : NULL;
    const char *const refusal = asked ? converge_refusal(&r->scene) : NULL;
    if (refusal) {
        return fault_set(&r->why, "run: %s: %s", asked, refusal);
    }
    const kdr_method_info *const info = motion_method(&r->motion);
    if (asked && converge_order(&r->scene, info) == 0 && r->options.halvings < 2) {
        return fault_set(&r->why, "run: %s: the order of %s is not known, expected --converge 2 or more, which measures it", asked,
                         info->name);
    }
    if (r->options.error && !asked) {
        r->errors = calloc(r->population.particles.count + 1, kdr_real_size(r->population.particles.real));
        r->population.particles.error = r->errors;
        return r->errors || fault_set(&r->why, "run: --error: no memory for one number per particle, expected fewer particles");
    }
    return true;
}

/* Returns the path of the checkpoint: from the option, from the scene, or in the scene's folder. To be freed. */
static char *checkpoint_path(const run *r) {
    kdr_file_info about;
    if (r->options.checkpoint) {
        return strdup(r->options.checkpoint);
    }
    if (r->scene.checkpoint_file) {
        return scene_beside(r->file, r->scene.checkpoint_file);
    }
    if (kdr_file_look(r->file, &about) && !about.is_regular) {
        return strdup("kickdrift.checkpoint"); /* a scene that comes through a pipe has no folder */
    }
    const char *const name = r->file + kdr_file_folder(r->file), *const dot = strrchr(name, '.');
    const size_t stem = dot && dot > name ? (size_t)(dot - r->file) : strlen(r->file);
    char *made;
    return asprintf(&made, "%.*s.checkpoint", (int)stem, r->file) < 0 ? NULL : made;
}

static bool begin_clock(run *r) {
    const scene *const from = &r->scene;
    r->clock = (kdr_clock){from->t0, from->dt, from->step};
    r->last_step = from->step + from->steps;
    if (r->last_step > UINT64_C(1) << 53) {
        return fault_set(&r->why, "%s:%zu: step and steps add up to %" PRIu64 ", expected at most 2^53", r->file,
                         scene_line(&r->scene, "step"), r->last_step);
    }
    return isfinite(kdr_clock_time(&r->clock, r->last_step, 0)) ||
           fault_set(&r->why, "%s: t0 + steps dt is not finite, expected a smaller dt or fewer steps", r->file);
}

/* Builds the particles, on all ranks if there are several. Only runs of the scene's steps use several ranks. */
static bool load_particles(run *r) {
    if (r->scene.stream_file) {
        return population_describe(&r->scene, &r->population, &r->described);
    }
    return ranks_are_many() && r->options.halvings == 0 && !r->options.explain ? ranks_build(r)
                                                                               : population_build(&r->scene, 0, SIZE_MAX, &r->population);
}

/* Loads the scene. `saved`: the checkpoint to continue from; NULL: a new run. */
static bool load(run *r, const run_saved *saved) {
    const tree_modules modules = r->options.no_modules ? MODULES_REFUSED : MODULES_NAMED;
    if (!(saved ? scene_parse(&r->scene, r->file, saved->text, saved->length, modules, &r->why)
                : scene_load(&r->scene, r->file, modules, &r->why))) {
        return false;
    }
    if (!check_options(r) || !run_check_stream(r) || !run_apply_options(r) || !begin_clock(r) || !run_check_times(r, saved)) {
        return false;
    }
    if (!load_particles(r)) {
        return false;
    }
    if (saved) {
        r->population.held = (population_held){0}; /* the first process has reported this */
    }
    if (!records_prepare(&r->records, &r->scene, r->file, &r->population, &r->why)) {
        return false;
    }
    r->record.lost = r->population.total;
    r->checkpoint_step = UINT64_MAX;
    r->checkpoint_path = saved ? strdup(r->options.checkpoint) : checkpoint_path(r);
    r->checkpoints = saved || r->options.checkpoint || r->scene.checkpoint_file;
    return r->checkpoint_path || fault_set(&r->why, "%s: no memory, expected some", r->file);
}

static bool prepare(run *r, const run_saved *saved) {
    kdr_backend backend;
    kdr_executor executor = kdr_executor_serial();
    kdr_error error;
    if (!run_choose_machine(r, &backend, &executor) || !load(r, saved)) {
        return false;
    }
    return motion_make(&r->scene, &r->population, backend, executor, &r->motion, &error) == KDR_OK
               ? ask_for_errors(r) && try_run(r) && ranks_share(r)
               : refused(r, &error);
}

/* Prints the program of a step instead of running it. */
static bool explain(run *r) {
    if (r->options.json) {
        return fault_set(&r->why, "run: --json: a program is text, expected --explain without it");
    }
    const kdr_particles *const p = &r->population.particles;
    if (!explain_print(&r->motion, p->dims, p->inverse_mass != NULL, &r->why)) {
        return false;
    }
    fputs(p->dissipated_energy[0] ? "this run counts contacts: what they take of the energy is printed\n" : "", stdout);
    fputs(p->level ? "this run has levels: particles of level n take 2^n such steps, of dt / 2^n, in one of the clock\n" : "", stdout);
    return true;
}

static void run_close(run *r) {
    outfile_discard(&r->out);
    frames_discard(&r->frames);
    records_discard(&r->records);
    free(r->sampled_state);
    free(r->frames_path);
    free(r->checkpoint_path);
    free(r->errors);
    converge_release(&r->convergence);
    motion_release(&r->motion);
    population_release(&r->population);
    scene_release(&r->scene);
}

/* Prints the result of --error. */
static bool tell_error(run *r) {
    const kdr_method_info *const info = motion_method(&r->motion);
    if (r->errors) {
        r->error = run_error_of_steps(&r->population, info->order_estimate);
    } else if (r->options.error) {
        if (!converge_keep(&r->convergence, &r->population, r->scene.dt, r->scene.steps)) {
            return fault_set(&r->why, "run: --error: no memory for a copy of the positions, expected fewer particles");
        }
        if (!converge_halve(&r->convergence, &r->scene, &r->motion, 1, &r->why)) {
            return false;
        }
        converge_extrapolate(&r->convergence, converge_order(&r->scene, info));
        r->error = run_error_of_end(&r->convergence, &r->population);
    }
    return true;
}

/* Does the runs of --converge instead of a single one. */
static int converge(run *r) {
    if (!converge_halve(&r->convergence, &r->scene, &r->motion, (int)r->options.halvings, &r->why)) {
        return fault_report(&r->why);
    }
    converge_extrapolate(&r->convergence, converge_order(&r->scene, motion_method(&r->motion)));
    r->error = run_error_of_end(&r->convergence, &r->population);
    if (!r->options.json) {
        run_print_head(r);
        converge_print(&r->convergence);
        run_error_print(&r->error);
    } else if (!json_print(json_pack("{s:o, s:o, s:s, s:s*, s:o, s:o}", "scene", json_text(r->file), "particles",
                                     json_count(r->population.total), "method", motion_method(&r->motion)->name, "compose",
                                     run_composition(r), "runs", converge_json(&r->convergence), "error", run_error_json(&r->error)))) {
        fault_set(&r->why, "%s: no memory for the JSON object, expected some", r->file);
        return fault_report(&r->why);
    }
    if (isfinite(r->error.x)) {
        return KDR_EXIT_OK;
    }
    fault_set(&r->why, "%s: a run became infinite or NaN, expected finite states: a smaller dt may do", r->file);
    fault_report(&r->why);
    return KDR_EXIT_FAILED;
}

/* Reports a failure. If there is a checkpoint, the line also says how to continue from it, because the disk may just be full. */
static int say_failed(run *r) {
    char *const command = r->refused || r->checkpoint_step == UINT64_MAX ? NULL : run_resume_command(r->checkpoint_path);
    const size_t used = strlen(r->why.text);
    if (command) {
        snprintf(r->why.text + used, sizeof r->why.text - used, "; to go on from step %" PRIu64 ": %s", r->checkpoint_step - r->scene.step,
                 command);
    }
    free(command);
    return fault_report(&r->why);
}

/* Reports that the run was stopped and its checkpoint written. */
static int say_stopped(run *r) {
    char *const command = run_resume_command(r->checkpoint_path);
    fault_set(&r->why, "stopped by %s at step %" PRIu64 " of %" PRIu64 "; to go on: %s", stop_name(r->stopped),
              r->clock.step - r->scene.step, r->scene.steps, command ? command : "kickdrift resume");
    free(command);
    fault_report(&r->why);
    return KDR_EXIT_FAILED;
}

static int carry_out(run *r, const run_saved *saved) {
    if (r->options.halvings > 0) {
        return converge(r);
    }
    if (r->options.explain) {
        return explain(r) ? KDR_EXIT_OK : fault_report(&r->why);
    }
    if (r->scene.stream_file) {
        return run_stream(r);
    }
    if (!run_open_outputs(r, saved ? saved->marks : NULL)) {
        return fault_report(&r->why);
    }
    if (!run_all(r)) {
        return say_failed(r);
    }
    if (r->stopped) {
        return say_stopped(r);
    }
    return tell_error(r) && run_write_outputs(r) ? run_summarise(r) : say_failed(r);
}

/* Ends the program. After a signal it ends by that signal, so that the calling process sees it. */
static int end(run *r, run_saved *saved, int status) {
    ranks_leave();
    run_close(r);
    run_saved_release(saved);
    if (r->stopped) {
        stop_raise(r->stopped);
    }
    return status;
}

run run_fresh(void) {
    return (run){.options = {.method = -1, .compose = -1, .real = -1, .arithmetic = -1, .threads = 1, .steps = UINT64_MAX},
                 .population = {.particles = kdr_particles_default()}};
}

/* Reads the command line. Returns -1 if it is in order, otherwise the exit status. In a job only the first rank reads it. */
static int begin(run *r, const options_spec *asked, int argc, char **argv, const char **file) {
    if (!ranks_join(&r->why)) {
        return fault_report(&r->why);
    }
    if (ranks_are_others()) {
        return ranks_serve();
    }
    const int ended = options_begin(asked, argc, argv, &r->options, file, &r->why);
    if (ended >= 0) {
        ranks_leave();
    }
    return ended;
}

int kdr_run_main(int argc, char **argv) {
    run r = run_fresh();
    const int ended = begin(&r, &kdr_run_spec, argc, argv, &r.file);
    if (ended >= 0) {
        return ended;
    }
    return end(&r, NULL, prepare(&r, NULL) ? carry_out(&r, NULL) : fault_report(&r.why));
}

/* Copies the particles of a checkpoint's slice, from number `begin` on. */
static bool restore(run *r, const kdr_checkpoint *from, size_t begin) {
    kdr_particles to = kdr_particles_slice(&r->population.particles, begin, from->particles.count);
    kdr_error error;
    if (r->records.active && from->particles.active) { /* a watch has cleared some of these marks */
        memcpy(r->records.active + begin, from->particles.active, from->particles.count);
    }
    const kdr_status status = r->ranks ? ranks_restore(r, from, begin, &error) : kdr_checkpoint_restore(from, &to, &r->clock, &error);
    return status == KDR_OK || fault_set(&r->why, "%s: %s; a file that the scene names has changed", r->options.checkpoint, error.message);
}

static bool restore_all(run *r, const run_saved *saved) {
    kdr_particles slice;
    kdr_error error;
    kdr_checkpoint from = {.carried = saved->info.carried};
    for (size_t begin = 0;;) {
        if (kdr_stream_next(saved->checkpoint, &slice, &from.clock, &error) != KDR_OK) {
            return run_library_failed(r, &error);
        }
        for (size_t done = 0; done < slice.count; done += from.particles.count) {
            from.particles = kdr_particles_slice(&slice, done, RANKS_AT_ONCE);
            if (!restore(r, &from, begin + done)) {
                return false;
            }
        }
        if (slice.count == 0) {
            return true;
        }
        begin += slice.count;
    }
}

/* Takes over the particles and the records of the checkpoint. */
static bool take_over(run *r, run_saved *saved) {
    const kdr_stream_info *const info = &saved->info;
    kdr_particles *const own = &r->population.particles;
    uint64_t digest = run_is_sliced(r) ? 0 : motion_digest(&r->motion);
    if (run_is_sliced(r) && !ranks_tell(r, RANKS_DIGEST, &digest)) {
        return false;
    }
    if (info->description != digest || info->count != r->population.total) {
        return fault_set(&r->why,
                         "%s: checkpoint: it is of another description, %016" PRIx64 " of %zu particles, expected %016" PRIx64
                         " of %zu; a file that the scene names has changed",
                         r->options.checkpoint, info->description, info->count, digest, r->population.total);
    }
    if (!restore_all(r, saved)) {
        return false;
    }
    r->clock = info->first;
    own->memory_key = info->carried ? motion_memory_key(&r->motion, own, &r->clock) : 0;
    kdr_stream_close(saved->checkpoint);
    saved->checkpoint = NULL;
    if (r->clock.step > r->last_step) {
        return fault_set(&r->why, "resume: --steps: the run has taken %" PRIu64 " already, expected at least as many",
                         r->clock.step - r->scene.step);
    }
    r->record = saved->record;
    r->checkpoint_step = r->clock.step;
    r->checkpoint_written = progress_now();
    return true;
}

int kdr_resume_main(int argc, char **argv) {
    run r = run_fresh();
    run_saved saved = {.checkpoint = NULL};
    const int ended = begin(&r, &kdr_resume_spec, argc, argv, &r.options.checkpoint);
    if (ended >= 0) {
        return ended;
    }
    bool good = run_read_checkpoint(&r, r.options.checkpoint, &saved);
    r.file = saved.scene;
    good = good && prepare(&r, &saved) && take_over(&r, &saved);
    return end(&r, &saved, good ? carry_out(&r, &saved) : fault_report(&r.why));
}
