/* kickdrift run: steps the particles of a scene.
 *
 * The run is cut where a report, an output or the progress bar asks for it. The particles carry the method's memory, so the cuts change no
 * bit of the result. */
#include "commands.h"
#include "converge.h"
#include "explain.h"
#include "json.h"
#include "options.h"
#include "outfile.h"
#include "population.h"
#include "progress.h"
#include "states_csv.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct run_options {
    int method, compose, real, arithmetic, backend; /* -1: as the scene says; backend: KDR_BACKEND_AUTO */
    uint64_t threads, steps;                        /* steps UINT64_MAX: as the scene says */
    double dt;                                      /* 0: as the scene says */
    uint64_t halvings;                              /* 0: not asked for */
    const char *out;
    bool json, explain, error;
} run_options;

static const value_type HALVINGS = {value_parse_count, "a whole number from 1 to 10", false, 1, CONVERGE_MOST, false, NULL};

static const option_row rows[] = {
    {"method", "METHOD", &VALUE_METHOD, offsetof(run_options, method), "instead of the scene's"},
    {"compose", "NAME", &VALUE_COMPOSITION, offsetof(run_options, compose), "composition of the method, instead of the scene's"},
    {"real", "REAL", &VALUE_REAL, offsetof(run_options, real), "precision, instead of the scene's"},
    {"arith", "ARITH", &VALUE_ARITHMETIC, offsetof(run_options, arithmetic), "arithmetic, instead of the scene's"},
    {"backend", "BACKEND", &VALUE_BACKEND, offsetof(run_options, backend), "instead of KDR_BACKEND's or the best"},
    {"threads", "N", &VALUE_THREADS, offsetof(run_options, threads), "OpenMP threads, instead of one"},
    {"steps", "N", &VALUE_COUNT, offsetof(run_options, steps), "instead of the scene's"},
    {"dt", "H", &VALUE_STEP, offsetof(run_options, dt), "step, instead of the scene's; without --steps as many as take its time"},
    {"error", NULL, NULL, offsetof(run_options, error),
     "print what the error of x is, by the method's own estimate or a run of half the step"},
    {"converge", "N", &HALVINGS, offsetof(run_options, halvings),
     "run with the step, its half, ... N times, and print order and error; nothing else is written"},
    {"out", "FILE.csv", &VALUE_TEXT, offsetof(run_options, out), "write id and state at the end, with 17 significant digits"},
    {"json", NULL, NULL, offsetof(run_options, json), "print one JSON object instead of text"},
    {"explain", NULL, NULL, offsetof(run_options, explain),
     "print the operations of a step and its hot instance, and neither step nor write"},
};

static const options_spec spec = {
    "run",
    "SCENE.yaml",
    1,
    "Steps the particles of a scene and prints energies, momentum, a fingerprint of the state and the rate.",
    "The scene names particles (a CSV file, states written inline, or random ones from a seed), forces, method, dt and\n"
    "steps; with `report` also energies on the way, with `output` states on the way. Exit status 1: a particle became\n"
    "infinite or NaN; the results are printed and written all the same.\n"
    "--error: of a method with an embedded one (dopri-5, rkn-4-3, dprkn-5, dprkn-6) the largest estimate of what one step adds to\n"
    "the error, of any particle and any step; of the others the error at the end, by a second run with half the step and the\n"
    "method's order. --converge: the error at the end, by the order that the runs themselves show. Neither knows what rounding\n"
    "does. `report` and `every` count steps, whatever their length.\n",
    rows,
    sizeof rows / sizeof rows[0]};

/* Everything a run holds; released by run_close. */
typedef struct run {
    run_options options;
    const char *file;
    fault why;
    scene scene;
    population population;
    kdr_integrator *integrator;
    kdr_clock clock;
    outfile out, trajectory;
    char *trajectory_path;
    void *errors; /* with --error, of a method that estimates its own: one a particle */
    run_error error;
    convergence convergence;
    progress bar;
    double seconds;
    uint64_t evaluations;
    kdr_observables first, last;
    size_t absorbed;
    double largest_error;
    size_t lost;        /* the first non-finite particle; the count when there is none */
    uint64_t lost_step; /* when it was noticed */
} run;

/* As many steps of another length as take the scene's time. */
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

static bool apply_options(run *r) {
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

static bool library_failed(run *r, const kdr_error *error) { return fault_set(&r->why, "%s: %s", r->file, error->message); }

/* What the library refuses, with the line of the key that it speaks of. A method that an option named has none. */
static bool refused(run *r, const kdr_error *error) {
    static const struct {
        const char *begins, *key;
    } keys[] = {{"method:", "method"},          {"tableau", "method"},  {"fractions", "method"},    {"langevin", "langevin"},
                {"compensated", "compensated"}, {"clock.dt", "dt"},     {"colliders", "colliders"}, {"constraints", "constraints"},
                {"boundary", "boundary"},       {"compose", "compose"}, {"substeps", "compose"},    {"rest_to_zero", "rest-to-zero"}};
    const char *key = "forces";
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        if (strncmp(error->message, keys[i].begins, strlen(keys[i].begins)) == 0) {
            key = keys[i].key;
        }
    }
    if (r->options.method >= 0 && strcmp(key, "method") == 0) {
        return fault_set(&r->why, "run: --method: %s", error->message);
    }
    if (r->options.compose >= 0 && strcmp(key, "compose") == 0) {
        static const char named[] = "compose: "; /* not twice */
        const bool is_named = strncmp(error->message, named, sizeof named - 1) == 0;
        return fault_set(&r->why, "run: --compose: %s", error->message + (is_named ? sizeof named - 1 : 0));
    }
    if (r->options.dt != 0 && strcmp(key, "dt") == 0) {
        return fault_set(&r->why, "run: --dt: %s", error->message);
    }
    return fault_set(&r->why, "%s:%zu: %s", r->file, scene_line(&r->scene, key), error->message);
}

/* No steps: what would be refused later is refused before anything is printed or written. */
static bool try_run(run *r) {
    kdr_error error;
    return kdr_integrator_run(r->integrator, &r->population.particles, &r->clock, 0, &error) == KDR_OK || refused(r, &error);
}

/* A backend or thread count that cannot be had is no fault of the scene, and is looked at before it. */
static bool choose_machine(run *r, kdr_integrator_desc *desc) {
    kdr_error error;
    desc->backend = (kdr_backend)r->options.backend;
    if (kdr_backend_choose(desc->backend, &desc->backend, &error) != KDR_OK) {
        return fault_set(&r->why, "%s", error.message);
    }
    if (r->options.threads > 1 && kdr_executor_openmp((int)r->options.threads, &desc->executor) != KDR_OK) {
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

static bool estimates(const run *r) { return kdr_integrator_method(r->integrator)->order_estimate > 0; }

/* What an error is told from: estimates of each step, or runs with other steps, which must be such as tell it. */
static bool ask_for_errors(run *r) {
    const char *const asked = r->options.halvings > 0 ? "--converge" : r->options.error && !estimates(r) ? "--error" : NULL;
    const char *const refusal = asked ? converge_refusal(&r->scene) : NULL;
    if (refusal) {
        return fault_set(&r->why, "run: %s: %s", asked, refusal);
    }
    const kdr_method_info *const info = kdr_integrator_method(r->integrator);
    if (asked && converge_order(&r->scene, info) == 0 && r->options.halvings < 2) {
        return fault_set(&r->why, "run: %s: the order of %s is not known, expected --converge 2 or more, which measures it", asked,
                         info->name);
    }
    if (r->options.error && !asked) {
        r->errors = calloc(r->population.particles.count + 1, kdr_real_size(r->population.particles.real));
        r->population.particles.error = r->errors;
        return r->errors || fault_set(&r->why, "run: --error: no memory for a number a particle, expected fewer particles");
    }
    return true;
}

static bool prepare(run *r) {
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    kdr_error error;
    if (!choose_machine(r, &desc) || !scene_load(&r->scene, r->file, &r->why)) {
        return false;
    }
    if (!check_options(r) || !apply_options(r)) {
        return false;
    }
    r->clock = (kdr_clock){r->scene.t0, r->scene.dt, 0};
    if (!isfinite(kdr_clock_time(&r->clock, r->scene.steps, 0))) {
        return fault_set(&r->why, "%s: t0 + steps dt is not finite, expected a smaller dt or fewer steps", r->file);
    }
    if (!population_build(&r->scene, &r->population)) {
        return false;
    }
    desc.method = (kdr_method)r->scene.method.named;
    desc.tableau = r->scene.method.tableau;
    desc.fractions = r->scene.method.fractions;
    desc.compose = (kdr_composition)r->scene.compose;
    desc.substeps = r->scene.substeps;
    desc.compensated = r->scene.compensated != 0;
    desc.rest_to_zero = r->scene.rest_to_zero != 0;
    desc.langevin = r->scene.langevin;
    desc.colliders = r->scene.colliders;
    desc.collider_count = r->scene.collider_count;
    desc.constraints = r->scene.constraints;
    desc.constraint_count = r->scene.constraint_count;
    desc.boundary = r->scene.boundary;
    desc.real = (kdr_real)r->scene.real;
    desc.arithmetic = (kdr_arithmetic)r->scene.arithmetic;
    desc.forces = r->population.forces;
    desc.force_count = r->scene.force_count;
    return kdr_integrator_create(&desc, &r->integrator, &error) == KDR_OK ? ask_for_errors(r) && try_run(r) : refused(r, &error);
}

/* The program in place of a run. */
static bool explain(run *r) {
    if (r->options.json) {
        return fault_set(&r->why, "run: --json: a program is text, expected --explain without it");
    }
    return explain_print(r->integrator, r->population.particles.dims, r->population.particles.inverse_mass != NULL, &r->why);
}

static bool open_outputs(run *r) {
    r->trajectory_path = r->scene.output_file ? scene_beside(r->file, r->scene.output_file) : NULL;
    if (r->scene.output_file && !r->trajectory_path) {
        return fault_set(&r->why, "%s: no memory, expected some", r->file);
    }
    const char *out = r->options.out, *trajectory = r->trajectory_path;
    if (out && trajectory && strcmp(out, trajectory) == 0) {
        return fault_set(&r->why, "run: --out: the scene's output is %s already, expected another file", out);
    }
    if (out && !outfile_open(&r->out, out, &r->why)) {
        return false;
    }
    return !trajectory || (outfile_open(&r->trajectory, trajectory, &r->why) && states_write_header(r->trajectory.stream));
}

/* Of the energy, what colliders took being added. */
static double relative_error(const run *r, const kdr_observables *now) {
    const double difference = now->energy + (now->dissipated[KDR_RESTITUTION] + now->dissipated[KDR_FRICTION]) - r->first.energy;
    return difference == 0 ? 0 : fabs(difference / r->first.energy);
}

static bool observe(run *r) {
    kdr_error error;
    size_t lost;
    if (kdr_observe(r->integrator, &r->population.particles, &r->clock, &r->last, &error) != KDR_OK ||
        kdr_first_non_finite(&r->population.particles, &lost, &error) != KDR_OK) {
        return library_failed(r, &error);
    }
    if (r->clock.step == 0) {
        r->first = r->last;
    }
    const double relative = relative_error(r, &r->last);
    if (!(relative <= r->largest_error)) {
        r->largest_error = relative;
    }
    if (r->lost == r->population.particles.count && lost < r->lost) {
        r->lost = lost;
        r->lost_step = r->clock.step;
    }
    return true;
}

static void print_report(run *r) {
    if (r->options.json) {
        return;
    }
    progress_hide(&r->bar);
    if (r->clock.step == 0) {
        printf("%12s  %16s  %24s  %14s\n", "step", "t", "energy", "relative error");
    }
    printf("%12" PRIu64 "  %16.9g  %24.16e  %14.3e\n", r->clock.step, kdr_clock_time(&r->clock, r->clock.step, 0), r->last.energy,
           relative_error(r, &r->last));
}

static bool due(uint64_t step, uint64_t every, uint64_t steps) { return step == 0 || step == steps || (every > 0 && step % every == 0); }

static bool look(run *r) {
    const uint64_t step = r->clock.step, steps = r->scene.steps;
    if (due(step, r->scene.report, steps)) {
        if (!observe(r)) {
            return false;
        }
        if (r->scene.report) {
            print_report(r);
        }
    }
    if (!r->trajectory.stream || !due(step, r->scene.output_every, steps)) {
        return true;
    }
    if (states_write_step(r->trajectory.stream, &r->population, step, kdr_clock_time(&r->clock, step, 0))) {
        return true;
    }
    return outfile_commit(&r->trajectory, &r->why); /* which fails, and says why */
}

/* The steps until `every` asks for a look. */
static uint64_t until(uint64_t step, uint64_t every, uint64_t most) {
    const uint64_t left = every ? every - step % every : most;
    return left < most ? left : most;
}

static bool advance(run *r) {
    const uint64_t left = r->scene.steps - r->clock.step;
    uint64_t steps = until(r->clock.step, r->scene.report, left);
    if (r->trajectory.stream) {
        steps = until(r->clock.step, r->scene.output_every, steps);
    }
    steps = progress_chunk(&r->bar, steps);
    kdr_particles *particles = &r->population.particles;
    kdr_error error;
    r->evaluations += kdr_integrator_evaluations(r->integrator, particles, &r->clock, steps);
    const double begun = progress_now();
    if (kdr_integrator_run(r->integrator, particles, &r->clock, steps, &error) != KDR_OK) {
        return library_failed(r, &error);
    }
    const double seconds = progress_now() - begun;
    r->seconds += seconds;
    progress_update(&r->bar, r->clock.step, steps, seconds, (double)r->evaluations / r->seconds);
    return true;
}

static bool run_all(run *r) {
    r->lost = r->population.particles.count;
    r->bar = progress_begin(r->scene.steps);
    bool good = look(r);
    while (good && r->clock.step < r->scene.steps) {
        good = advance(r) && look(r);
    }
    progress_hide(&r->bar);
    return good;
}

static bool write_outputs(run *r) {
    if (r->out.stream) {
        states_write(r->out.stream, &r->population);
        if (!outfile_commit(&r->out, &r->why)) {
            return false;
        }
    }
    return !r->trajectory.stream || outfile_commit(&r->trajectory, &r->why);
}

static double rate_of(const run *r) { return r->seconds > 0 ? (double)r->evaluations / r->seconds : 0; }

static const char *backend_of(const run *r) {
    kdr_backend_info info;
    return kdr_backend_query(kdr_integrator_backend(r->integrator), &info) == KDR_OK ? info.name : "?";
}

/* NULL: the method alone. */
static const char *composition_of(const run *r) {
    return r->scene.substeps                      ? "own"
           : r->scene.compose == KDR_COMPOSE_NONE ? NULL
                                                  : kdr_composition_get((kdr_composition)r->scene.compose)->name;
}

/* The particles of whose steps an implicit method has not solved the equation of some: how many, and the first. */
static size_t count_unsolved(const kdr_particles *particles, size_t *first) {
    size_t count = 0;
    for (size_t i = particles->count; particles->unsolved && i-- > 0;) {
        if (particles->unsolved[i] > 0) {
            *first = i;
            ++count;
        }
    }
    return count;
}

static json_t *unsolved_json(const run *r) {
    size_t first = 0;
    const size_t count = count_unsolved(&r->population.particles, &first);
    return count == 0
               ? NULL
               : json_pack("{s:o, s:o, s:o, s:o}", "particles", json_count(count), "index", json_count(first), "id",
                           json_count(population_id(&r->population, first)), "steps", json_count(r->population.particles.unsolved[first]));
}

static bool print_json(const run *r, uint64_t fingerprint) {
    const kdr_particles *particles = &r->population.particles;
    const bool lost = r->lost < particles->count;
    return json_print(
        json_pack("{s:o, s:o, s:o, s:f, s:f, s:o, s:o, s:o, s:o, s:s, s:s, s:b, s:s, s:s, s:s*, s:o, s:{s:o, s:o, s:o}, s:o*, s:o, s:o, "
                  "s:o, s:o*, s:o*, s:o*, s:o*}",
                  "scene", json_text(r->file), "particles", json_count(particles->count), "steps", json_count(r->scene.steps), "dt",
                  r->scene.dt, "t0", r->scene.t0, "t", json_number(kdr_clock_time(&r->clock, r->clock.step, 0)), "evaluations",
                  json_count(r->evaluations), "seconds", json_number(r->seconds), "evaluations_per_second", json_number(rate_of(r)),
                  "backend", backend_of(r), "arithmetic", kdr_arithmetic_name((kdr_arithmetic)r->scene.arithmetic), "compensated",
                  r->scene.compensated, "real", kdr_real_name(particles->real), "method", kdr_integrator_method(r->integrator)->name,
                  "compose", composition_of(r), "threads", json_count(r->options.threads), "energy", "first", json_number(r->first.energy),
                  "last", json_number(r->last.energy), "max_relative_error", json_number(r->largest_error), "dissipated",
                  r->scene.collider_count > 0 ? json_pack("{s:o, s:o}", "restitution", json_number(r->last.dissipated[KDR_RESTITUTION]),
                                                          "friction", json_number(r->last.dissipated[KDR_FRICTION]))
                                              : NULL,
                  "momentum", json_vector(r->last.momentum), "angular_momentum", json_vector(r->last.angular_momentum), "fingerprint",
                  json_bits(fingerprint), "absorbed", r->scene.boundary.kind == KDR_BOUNDARY_ABSORBING ? json_count(r->absorbed) : NULL,
                  "error", r->options.error ? run_error_json(&r->error) : NULL, "unsolved", unsolved_json(r), "first_non_finite",
                  lost ? json_pack("{s:o, s:o, s:o}", "index", json_count(r->lost), "id",
                                   json_count(population_id(&r->population, r->lost)), "step", json_count(r->lost_step))
                       : NULL));
}

static void print_head(const run *r) {
    printf("scene        %s\n", r->file);
    printf("particles    %zu, %s, %s%s\n", r->population.particles.count, kdr_real_name(r->population.particles.real),
           kdr_arithmetic_name((kdr_arithmetic)r->scene.arithmetic), r->scene.compensated ? ", compensated" : "");
    const char *composition = composition_of(r);
    printf("method       %s%s%s, %" PRIu64 " step%s of %.9g\n", kdr_integrator_method(r->integrator)->name, composition ? " by " : "",
           composition ? composition : "", r->scene.steps, r->scene.steps == 1 ? "" : "s", r->scene.dt);
    printf("backend      %s, %" PRIu64 " thread%s\n", backend_of(r), r->options.threads, r->options.threads == 1 ? "" : "s");
}

static void print_text(const run *r, uint64_t fingerprint) {
    const kdr_observables *last = &r->last;
    print_head(r);
    printf("energy       %.16e at first, %.16e at last, largest relative error %.3e\n", r->first.energy, last->energy, r->largest_error);
    if (r->scene.collider_count > 0) {
        printf("dissipated   %.16e by restitution, %.16e by friction: with it the error is taken\n", last->dissipated[KDR_RESTITUTION],
               last->dissipated[KDR_FRICTION]);
    }
    if (r->options.error) {
        run_error_print(&r->error);
    }
    printf("momentum     %.16e %.16e %.16e\n", last->momentum[0], last->momentum[1], last->momentum[2]);
    if (r->scene.boundary.kind == KDR_BOUNDARY_ABSORBING) {
        printf("absorbed     %zu\n", r->absorbed);
    }
    printf("fingerprint  %016" PRIx64 "\n", fingerprint);
    printf("evaluations  %" PRIu64 " in %.6f s: %.4g a second\n", r->evaluations, r->seconds, rate_of(r));
}

static int complain_of_unsolved(run *r) {
    size_t first = 0;
    const size_t count = count_unsolved(&r->population.particles, &first);
    if (count == 0) {
        return KDR_EXIT_OK;
    }
    const uint32_t steps = r->population.particles.unsolved[first];
    fault_set(&r->why,
              "%s: %s has not solved the equations of %zu particle%s, the first particle %zu (id %" PRIu64 ") in %" PRIu32
              " step%s, expected all solved: a smaller dt or a softening may do",
              r->file, kdr_integrator_method(r->integrator)->name, count, count == 1 ? "" : "s", first,
              population_id(&r->population, first), steps, steps == 1 ? "" : "s");
    fault_report(&r->why);
    return KDR_EXIT_FAILED;
}

static int summarise(run *r) {
    kdr_error error;
    uint64_t fingerprint;
    if (kdr_fingerprint(&r->population.particles, &fingerprint, &error) != KDR_OK ||
        kdr_count_absorbed(r->integrator, &r->population.particles, &r->absorbed, &error) != KDR_OK) {
        library_failed(r, &error);
        return fault_report(&r->why);
    }
    if (!r->options.json) {
        print_text(r, fingerprint);
    } else if (!print_json(r, fingerprint)) {
        fault_set(&r->why, "%s: no memory for the JSON object, expected some", r->file);
        return fault_report(&r->why);
    }
    const int solved = complain_of_unsolved(r);
    if (r->lost == r->population.particles.count) {
        return solved;
    }
    fault_set(&r->why,
              "%s: particle %zu (id %" PRIu64 ") is not finite, noticed at step %" PRIu64 ", expected finite states: a smaller dt may do",
              r->file, r->lost, population_id(&r->population, r->lost), r->lost_step);
    fault_report(&r->why);
    return KDR_EXIT_FAILED;
}

static void run_close(run *r) {
    outfile_discard(&r->out);
    outfile_discard(&r->trajectory);
    free(r->trajectory_path);
    free(r->errors);
    converge_release(&r->convergence);
    kdr_integrator_destroy(r->integrator);
    population_release(&r->population);
    scene_release(&r->scene);
}

/* What --error prints. */
static bool tell_error(run *r) {
    const kdr_method_info *const info = kdr_integrator_method(r->integrator);
    if (r->errors) {
        r->error = run_error_of_steps(&r->population, info->order_estimate);
    } else if (r->options.error) {
        if (!converge_keep(&r->convergence, &r->population, r->scene.dt, r->scene.steps)) {
            return fault_set(&r->why, "run: --error: no memory for a copy of the positions, expected fewer particles");
        }
        if (!converge_halve(&r->convergence, &r->scene, r->integrator, 1, &r->why)) {
            return false;
        }
        converge_extrapolate(&r->convergence, converge_order(&r->scene, info));
        r->error = run_error_of_end(&r->convergence, &r->population);
    }
    return true;
}

/* The runs of --converge in place of one. */
static int converge(run *r) {
    if (!converge_halve(&r->convergence, &r->scene, r->integrator, (int)r->options.halvings, &r->why)) {
        return fault_report(&r->why);
    }
    converge_extrapolate(&r->convergence, converge_order(&r->scene, kdr_integrator_method(r->integrator)));
    r->error = run_error_of_end(&r->convergence, &r->population);
    if (!r->options.json) {
        print_head(r);
        converge_print(&r->convergence);
        run_error_print(&r->error);
    } else if (!json_print(json_pack("{s:o, s:o, s:s, s:s*, s:o, s:o}", "scene", json_text(r->file), "particles",
                                     json_count(r->population.particles.count), "method", kdr_integrator_method(r->integrator)->name,
                                     "compose", composition_of(r), "runs", converge_json(&r->convergence), "error",
                                     run_error_json(&r->error)))) {
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

static int carry_out(run *r) {
    if (r->options.halvings > 0) {
        return converge(r);
    }
    if (r->options.explain) {
        return explain(r) ? KDR_EXIT_OK : fault_report(&r->why);
    }
    return open_outputs(r) && run_all(r) && tell_error(r) && write_outputs(r) ? summarise(r) : fault_report(&r->why);
}

int kdr_run_main(int argc, char **argv) {
    run r = {.options = {.method = -1, .compose = -1, .real = -1, .arithmetic = -1, .threads = 1, .steps = UINT64_MAX},
             .population = {.particles = kdr_particles_default()}};
    const int ended = options_begin(&spec, argc, argv, &r.options, &r.file, &r.why);
    if (ended >= 0) {
        return ended;
    }
    const int status = prepare(&r) ? carry_out(&r) : fault_report(&r.why);
    run_close(&r);
    return status;
}
