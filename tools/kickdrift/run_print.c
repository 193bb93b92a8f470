/* Prints the reports and results of a run. */
#include "commands.h"
#include "run.h"

#include <inttypes.h>
#include <math.h>

static double rate_of(const run *r) { return r->record.seconds > 0 ? (double)r->record.evaluations / r->record.seconds : 0; }

static const char *backend_of(const run *r) {
    kdr_backend_info info;
    return kdr_backend_query(motion_backend(&r->motion), &info) == KDR_OK ? info.name : "?";
}

const char *run_composition(const run *r) {
    return r->scene.substeps                      ? "own"
           : r->scene.compose == KDR_COMPOSE_NONE ? NULL
                                                  : kdr_composition_get((kdr_composition)r->scene.compose)->name;
}

static json_t *nonconverged_json(const run *r) {
    const run_nonconverged *const u = &r->nonconverged;
    return u->count == 0 ? NULL
                         : json_pack("{s:o, s:o, s:o, s:o}", "particles", json_count(u->count), "index", json_count(u->first), "id",
                                     json_count(u->id), "steps", json_count(u->steps));
}

static json_t *events_json(const run *r) {
    json_t *const list = r->scene.watch_count ? json_array() : NULL;
    for (size_t i = 0; i < r->scene.watch_count; ++i) {
        json_array_append_new(list, json_pack("{s:s, s:o}", "watch", r->scene.watches[i].name, "count", json_count(r->record.events[i])));
    }
    return list;
}

json_t *run_energy_json(const run *r) {
    return json_pack("{s:o, s:o, s:o}", "first", json_number(r->record.first.energy), "last", json_number(r->last.energy),
                     "max_relative_error", json_number(r->record.largest_error));
}

static json_t *held_json(const run *r) {
    const population_held *const h = &r->population.held;
    return h->count == 0 ? NULL
                         : json_pack("{s:o, s:o, s:o, s:o}", "particles", json_count(h->count), "moved", json_number(h->farthest),
                                     "kinetic_before", json_number(h->kinetic_before), "kinetic_after", json_number(h->kinetic_after));
}

json_t *run_dissipated_energy_json(const run *r) {
    return r->scene.collider_count == 0 ? NULL
                                        : json_pack("{s:o, s:o}", "restitution", json_number(r->last.dissipated_energy[KDR_RESTITUTION]),
                                                    "friction", json_number(r->last.dissipated_energy[KDR_FRICTION]));
}

static json_t *distances_json(const run *r) {
    return r->scene.distances.count == 0 ? NULL
                                         : json_pack("{s:o, s:o}", "position", json_number(r->stretch), "velocity", json_number(r->along));
}

static bool print_json(const run *r) {
    const bool lost = r->record.lost < r->population.total;
    return json_print(json_pack(
        "{s:o, s:o, s:o, s:f, s:f, s:o, s:o, s:o, s:o, s:s, s:s, s:b, s:s, s:s, s:s*, s:o, s:o*, s:o, s:o*, s:o, s:o, "
        "s:o, s:o*, s:o*, s:o*, s:o*, s:o*, s:s, s:o*, s:o*, s:o*}",
        "scene", json_text(r->file), "particles", json_count(r->population.total), "steps", json_count(r->scene.steps), "dt", r->scene.dt,
        "t0", r->scene.t0, "t", json_number(kdr_clock_time(&r->clock, r->clock.step, 0)), "evaluations", json_count(r->record.evaluations),
        "seconds", json_number(r->record.seconds), "evaluations_per_second", json_number(rate_of(r)), "backend", backend_of(r),
        "arithmetic", kdr_arithmetic_name((kdr_arithmetic)r->scene.arithmetic), "compensated", r->scene.compensated, "real",
        kdr_real_name(r->population.particles.real), "method", motion_method(&r->motion)->name, "compose", run_composition(r), "threads",
        json_count(r->options.threads), "held", held_json(r), "energy", run_energy_json(r), "dissipated_energy",
        run_dissipated_energy_json(r), "momentum", json_vector(r->last.momentum), "angular_momentum", json_vector(r->last.angular_momentum),
        "fingerprint", json_bits(r->fingerprint), "absorbed",
        r->scene.boundary.kind == KDR_BOUNDARY_ABSORBING ? json_count(r->absorbed) : NULL, "distances", distances_json(r), "error",
        r->options.error ? run_error_json(&r->error) : NULL, "nonconverged", nonconverged_json(r), "events", events_json(r), "ended",
        r->asked ? "by a watch" : "by its steps", "steps_asked", r->asked ? json_count(r->asked) : NULL, "contacts",
        r->scene.record_file[RECORDS_CONTACTS] ? json_count(r->record.contacts) : NULL, "first_non_finite",
        lost ? json_pack("{s:o, s:o, s:o}", "index", json_count(r->record.lost), "id", json_count(r->lost_id), "step",
                         json_count(r->record.lost_step))
             : NULL));
}

void run_print_head(const run *r) {
    printf("scene        %s\n", r->file);
    printf("particles    %zu, %s, %s%s\n", r->population.total, kdr_real_name(r->population.particles.real),
           kdr_arithmetic_name((kdr_arithmetic)r->scene.arithmetic), r->scene.compensated ? ", compensated" : "");
    const char *composition = run_composition(r);
    printf("method       %s%s%s, %" PRIu64 " step%s of %.9g\n", motion_method(&r->motion)->name, composition ? " by " : "",
           composition ? composition : "", r->scene.steps, r->scene.steps == 1 ? "" : "s", r->scene.dt);
    printf("backend      %s, %" PRIu64 " thread%s\n", backend_of(r), r->options.threads, r->options.threads == 1 ? "" : "s");
}

void run_print_held(const run *r) {
    const population_held *const h = &r->population.held;
    if (h->count > 0) {
        printf("held         %zu of %zu particles began off what holds them, by %.3g at most: they are put on to it, and their velocities "
               "along"
               " it. Their kinetic energy is %.9g, and was %.9g\n",
               h->count, r->population.total, h->farthest, h->kinetic_after, h->kinetic_before);
    }
}

static bool walls_move(const scene *of) {
    for (size_t i = 0; i < of->collider_count; ++i) {
        const double *const v = of->colliders[i].velocity;
        if (v[0] != 0.0 || v[1] != 0.0 || v[2] != 0.0) {
            return true;
        }
    }
    return false;
}

void run_print_energy(const run *r) {
    const kdr_observables *const last = &r->last;
    printf("energy       %.16e at first, %.16e at last, largest relative error %.3e\n", r->record.first.energy, last->energy,
           r->record.largest_error);
    if (r->scene.collider_count > 0) {
        printf("dissipated   %.16e by restitution, %.16e by friction: with it the error is taken%s\n",
               last->dissipated_energy[KDR_RESTITUTION], last->dissipated_energy[KDR_FRICTION],
               walls_move(&r->scene) ? ", which has the work of surfaces that move in it" : "");
    }
}

void run_print_momentum(const run *r) {
    printf("momentum     %.16e %.16e %.16e\n", r->last.momentum[0], r->last.momentum[1], r->last.momentum[2]);
}

static void print_text(const run *r) {
    run_print_head(r);
    run_print_held(r);
    run_print_energy(r);
    if (r->options.error) {
        run_error_print(&r->error);
    }
    for (size_t i = 0; i < r->scene.watch_count; ++i) {
        printf("%-13s%" PRIu64 " of %s\n", i ? "" : "events", r->record.events[i], r->scene.watches[i].name);
    }
    if (r->asked > 0) {
        printf("ended        by a watch, at step %" PRIu64 ", after %" PRIu64 " of %" PRIu64 " steps\n", r->clock.step, r->scene.steps,
               r->asked);
    }
    if (r->scene.record_file[RECORDS_CONTACTS]) {
        printf("contacts     %" PRIu64 "\n", r->record.contacts);
    }
    run_print_momentum(r);
    if (r->scene.boundary.kind == KDR_BOUNDARY_ABSORBING) {
        printf("absorbed     %" PRIu64 "\n", r->absorbed);
    }
    if (r->scene.distances.count > 0) {
        printf("distances    off by %.3e of their lengths at most, by %.3e a step along them\n", r->stretch, r->along);
    }
    printf("fingerprint  %016" PRIx64 "\n", r->fingerprint);
    printf("evaluations  %" PRIu64 " in %.6f s: %.4g a second\n", r->record.evaluations, r->record.seconds, rate_of(r));
}

static int complain_of_nonconverged(run *r) {
    const run_nonconverged *const u = &r->nonconverged;
    if (u->count == 0) {
        return KDR_EXIT_OK;
    }
    fault_set(&r->why,
              "%s: %s has not solved the equations of %zu particle%s, the first particle %zu (id %" PRIu64 ") in %" PRIu32
              " step%s, expected all solved: a smaller dt or a softening may do",
              r->file, motion_method(&r->motion)->name, u->count, u->count == 1 ? "" : "s", u->first, u->id, u->steps,
              u->steps == 1 ? "" : "s");
    fault_report(&r->why);
    return KDR_EXIT_FAILED;
}

int run_summarise(run *r) {
    if (!r->options.json) {
        print_text(r);
    } else if (!print_json(r)) {
        fault_set(&r->why, "%s: no memory for the JSON object, expected some", r->file);
        return fault_report(&r->why);
    }
    const int solved = complain_of_nonconverged(r);
    if (r->record.lost == r->population.total) {
        return solved;
    }
    fault_set(&r->why,
              "%s: particle %" PRIu64 " (id %" PRIu64 ") is not finite, noticed at step %" PRIu64
              ", expected finite states: a smaller dt may do",
              r->file, r->record.lost, r->lost_id, r->record.lost_step);
    fault_report(&r->why);
    return KDR_EXIT_FAILED;
}
