/* System runs: folds and checks descriptions, and checks particles. */
#include "system.h"

#include <string.h>

#include "../particles/description.h"
#include "../particles/error.h"
#include "../particles/layout.h"
#include "distances.h"
#include "pairs.h"

static const kdr_system_desc defaults = {.size = sizeof defaults,
                                         .method = KDR_VELOCITY_VERLET,
                                         .real = KDR_F64,
                                         .arithmetic = KDR_FUSED,
                                         .backend = KDR_BACKEND_AUTO,
                                         .distance_sweeps = 1000,
                                         .distance_relaxation = 1.0};
const kdr_description kdr_system_description = {
    "kdr_system_desc",
    &defaults,
    {sizeof defaults, offsetof(kdr_system_desc, dt), offsetof(kdr_system_desc, flush_small_to_zero), offsetof(kdr_system_desc, slopes),
     offsetof(kdr_system_desc, watches), offsetof(kdr_system_desc, communicator), offsetof(kdr_system_desc, speed_of_light),
     offsetof(kdr_system_desc, compose), offsetof(kdr_system_desc, boundary)}};

void kdr_system_desc_init(kdr_system_desc *desc, size_t size) { kdr_description_init(&kdr_system_description, desc, size); }

static uint64_t mix(uint64_t digest, uint64_t value) {
    digest = (digest ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return digest ^ digest >> 29;
}

static uint64_t mix_double(uint64_t digest, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return mix(digest, bits);
}

/* Mixes a force into a digest, without lent arrays: forces that differ only in mu have equal digests. */
static uint64_t digest_of_force(uint64_t digest, const kdr_interaction *force) {
    digest = mix(digest, (uint64_t)force->kind + 1);
    if (force->kind == KDR_GRAVITY) {
        digest = mix_double(mix(digest, force->as.gravity.sources), force->as.gravity.softening);
        return force->as.gravity.softening_each ? mix(digest, force->as.gravity.softening_count) : digest;
    }
    for (size_t n = 0; n < force->as.spring_network.count; ++n) {
        const kdr_pair_spring *const s = &force->as.spring_network.springs[n];
        digest = mix_double(mix_double(mix_double(mix(mix(digest, s->a), s->b), s->k), s->length), s->damping);
    }
    return digest;
}

static uint64_t digest_of_distances(uint64_t digest, const kdr_distance_constraints_desc *desc) {
    digest = mix_double(mix_double(mix(digest, desc->sweeps), desc->relaxation), desc->tolerance);
    for (size_t n = 0; n < desc->count; ++n) {
        digest = mix_double(mix(mix(digest, desc->distances[n].a), desc->distances[n].b), desc->distances[n].length);
    }
    return digest;
}

void kdr_system_box(const kdr_system_desc *desc, double box[3]) {
    const kdr_boundary *const b = &desc->boundary;
    for (int i = 0; i < 3; ++i) {
        box[i] = b->kind == KDR_BOUNDARY_PERIODIC && b->min[i] < b->max[i] ? b->max[i] - b->min[i] : 0.0;
    }
}

kdr_distance_constraints_desc kdr_system_distance_constraints_desc(const kdr_system_desc *from) {
    kdr_distance_constraints_desc desc = kdr_distance_constraints_desc_default();
    desc.distances = from->distances;
    desc.count = from->distance_count;
    desc.tolerance = from->distance_tolerance;
    desc.sweeps = from->distance_sweeps;
    desc.relaxation = from->distance_relaxation;
    desc.real = from->real;
    desc.arithmetic = from->arithmetic;
    desc.backend = from->backend;
    desc.executor = from->executor;
    kdr_system_box(from, desc.box);
    return desc;
}

/* Checks that no spring is damped if the method does not permit forces that depend on the velocity, and that springs have the default
 * contribution. */
static kdr_status check_springs(const kdr_system_desc *desc, const kdr_problem *problem, kdr_error *error) {
    for (size_t i = 0; i < desc->interaction_count; ++i) {
        const kdr_interaction *const force = &desc->interactions[i];
        for (size_t n = 0; force->kind == KDR_SPRING_NETWORK && n < force->as.spring_network.count; ++n) {
            const kdr_pair_spring *const spring = &force->as.spring_network.springs[n];
            KDR_CHECK(spring->damping == 0.0 || problem->row->info.velocity_forces == KDR_VELOCITY_ANY, error, KDR_ERROR_UNSUPPORTED,
                      "interactions[%zu].springs[%zu].damping: %s is for forces that do not depend on the velocity; %s", i, n,
                      problem->row->info.name, kdr_velocity_advice(problem, false));
            KDR_CHECK(spring->contribution == KDR_CONTRIBUTION_DEFAULT, error, KDR_ERROR_UNSUPPORTED,
                      "interactions[%zu].springs[%zu].contribution: a system run expected the default, got %s; take kdr_pair_map", i, n,
                      kdr_contribution_name(spring->contribution));
        }
    }
    return KDR_OK;
}

static kdr_status check_built_in(const kdr_system_desc *desc, const kdr_problem *problem, kdr_error *error) {
    const kdr_distance_constraints_desc distances = kdr_system_distance_constraints_desc(desc);
    kdr_pairs_desc pairs = kdr_pairs_desc_default();
    pairs.forces = desc->interactions, pairs.force_count = desc->interaction_count, pairs.real = desc->real;
    kdr_system_box(desc, pairs.box);
    kdr_status status = kdr_pairs_check(&pairs, error);
    if (status == KDR_OK) {
        status = check_springs(desc, problem, error);
    }
    if (status == KDR_OK) {
        status = kdr_distance_constraints_check(&distances, error);
    }
    const kdr_splitting_row *const splitting = problem->row->data.splitting;
    if (status == KDR_OK && splitting && splitting->predicts && distances.count > 0) {
        status =
            kdr_fail(error, KDR_ERROR_UNSUPPORTED,
                     "distances: %s would predict velocities that distances then change; take velocity-verlet", problem->row->info.name);
    }
    return status;
}

void kdr_system_name_lists(kdr_problem *problem, kdr_system_lists lists) {
    problem->digest = lists.digest ? mix(problem->digest, lists.digest) : problem->digest;
    problem->is_of_all = lists.digest != 0;
    problem->holds = lists.holds;
    problem->of_velocity = problem->of_velocity || lists.damped;
}

static bool is_damped(const kdr_interaction *force) {
    bool damped = false;
    for (size_t n = 0; force->kind == KDR_SPRING_NETWORK && n < force->as.spring_network.count; ++n) {
        damped = damped || force->as.spring_network.springs[n].damping != 0.0;
    }
    return damped;
}

kdr_system_lists kdr_system_lists_of(const kdr_system_desc *desc) {
    const kdr_distance_constraints_desc distances = kdr_system_distance_constraints_desc(desc);
    kdr_system_lists lists = {0, false, false};
    for (size_t i = 0; i < desc->interaction_count; ++i) {
        lists.digest = digest_of_force(lists.digest, &desc->interactions[i]);
        lists.damped = lists.damped || is_damped(&desc->interactions[i]);
    }
    lists.holds = distances.count > 0;
    lists.digest = distances.count > 0 ? digest_of_distances(lists.digest, &distances) : lists.digest;
    return lists;
}

/* Finds the kicks of a splitting row for block time steps. The row must have one drift, or two halves of one, with kicks only before,
 * between and after them. Returns false for other rows. */
static bool level_splitting(const kdr_splitting_row *s, kdr_leveled *to) {
    for (int k = 0; k < s->stages; ++k) {
        if (s->kick[k] != 0.0 && to->kick[to->drifts] != 0.0) {
            return false;
        }
        to->kick[to->drifts] += s->kick[k];
        if (s->drift[k] != 0.0) {
            if (to->drifts == 2 || (to->drifts == 1 && (to->drift != 0.5 || s->drift[k] != 0.5))) {
                return false;
            }
            to->drift = s->drift[k];
            ++to->drifts;
        }
    }
    if (to->drifts == 1) {
        to->kick[KDR_ENDING] = to->kick[KDR_MIDDLE];
        to->kick[KDR_MIDDLE] = 0.0;
    }
    return !s->predicts;
}

/* Finds the kicks of a method for block time steps. Among methods with a heat bath only baoab exists. A composed method's row has all
 * substeps, so the row of the plain method is used. */
static bool level_method(const kdr_system_desc *desc, const kdr_problem *problem, kdr_leveled *to) {
    const kdr_row *const row = problem->composition == KDR_COMPOSE_NONE ? problem->row : kdr_row_get(desc->method);
    if (row->family->info.heat_bath) {
        *to = (kdr_leveled){.kick = {[KDR_BEGINNING] = 0.5, [KDR_ENDING] = 0.5}, .drift = 0.5, .drifts = 2, .bathes = true};
        return true;
    }
    if (row->data.magnetic) {
        *to = (kdr_leveled){.kick = {[KDR_MIDDLE] = 1.0}, .drift = 0.5, .drifts = 2, .turns = true};
        return true;
    }
    return row->data.splitting && level_splitting(row->data.splitting, to);
}

kdr_leveled kdr_system_leveled(const kdr_system_desc *desc, const kdr_problem *problem) {
    kdr_leveled leveled = {.drifts = 0};
    const bool has = desc->levels && level_method(desc, problem, &leveled);
    leveled.substepping = kdr_substepping_none();
    if (!has) {
        return leveled;
    }
    const kdr_composition_info *const info = kdr_composition_get(problem->composition);
    kdr_substeps named = {.count = info ? info->count : 0};
    if (desc->substeps) {
        leveled.substepping = kdr_substepping_of(desc->substeps);
    } else if (info && problem->composition != KDR_COMPOSE_NONE) {
        memcpy(named.fraction, info->fraction, (size_t)info->count * sizeof *named.fraction);
        leveled.substepping = kdr_substepping_of(&named);
    }
    return leveled;
}

/* Checks the combinations of a magnetic function and of a speed of light. */
static kdr_status check_ends(const kdr_system_desc *desc, const kdr_problem *problem, kdr_error *error) {
    const char *const name = problem->row->info.name;
    KDR_CHECK(!desc->magnetic || problem->row->info.velocity_forces == KDR_VELOCITY_MAGNETIC, error, KDR_ERROR_UNSUPPORTED,
              "magnetic: expected a method that turns velocities, got %s; %s", name, kdr_velocity_advice(problem, true));
    KDR_CHECK(desc->speed_of_light == 0.0 || desc->distance_count == 0, error, KDR_ERROR_UNSUPPORTED,
              "speed_of_light: distances change velocities, and v is momentum over mass; take springs");
    return KDR_OK;
}

bool kdr_system_has_slopes(const kdr_system_desc *desc, const kdr_problem *problem) {
    bool has = desc->slopes != NULL;
    for (size_t i = 0; i < desc->interaction_count; ++i) {
        has = has || (desc->interactions[i].kind == KDR_SPRING_NETWORK && desc->interactions[i].as.spring_network.count > 0);
    }
    return has && problem->row->data.implicit;
}

/* Distinguishes the memory of system runs from that of field runs with the same forces. */
static const uint64_t system_digest = UINT64_C(0x9D2C5680A4F3B17E);

/* Returns a field run's description with everything that the two kinds of run share. */
static kdr_integrator_desc single_of(const kdr_system_desc *desc) {
    kdr_integrator_desc single = kdr_integrator_desc_default();
    single.method = desc->method;
    single.real = desc->real;
    single.arithmetic = desc->arithmetic;
    single.forces = desc->forces;
    single.force_count = desc->force_count;
    single.tableau = desc->tableau;
    single.fractions = desc->fractions;
    single.compose = desc->compose;
    single.substeps = desc->substeps;
    single.boundary = desc->boundary;
    single.dt = desc->dt;
    single.compensated = desc->compensated;
    single.flush_small_to_zero = desc->flush_small_to_zero;
    single.langevin = desc->langevin;
    single.speed_of_light = desc->speed_of_light;
    single.colliders = desc->colliders;
    single.collider_count = desc->collider_count;
    single.constraints = desc->constraints;
    single.constraint_count = desc->constraint_count;
    single.watches = desc->watches;
    single.watch_count = desc->watch_count;
    return single;
}

/* Reasons why a method makes no system runs, with the method to take instead. */
static const char *const not_system[KDR_METHOD_COUNT + 1] = {
    [KDR_STORMER_VERLET] = "has positions alone, and system runs step velocities; take velocity-verlet, whose positions are the same",
    [KDR_EXACT_AFFINE] = ("moves each particle as its own forces alone would, and has no step for what acts between particles; take "
                          "strang-affine, which has kicks between two of its maps")};

/* Checks and makes the contributions of kinematic methods. Interactions depend on x through more than springs, so maps leave all forces
 * that are not affine to kicks. */
static kdr_status make_maps(const kdr_system_desc *desc, kdr_problem *problem, kdr_error *error) {
    const kdr_contributions *const kinds = &problem->contributions;
    const char *const name = problem->row->info.name;
    if (!problem->row->data.kinematic) {
        return KDR_OK;
    }
    KDR_CHECK(problem->substepping.count == 1, error, KDR_ERROR_UNSUPPORTED,
              "compose: in system runs %s has the maps of one length of step, expected no composition; take boris in magnetic fields, "
              "implicit-midpoint with stiff springs and drags, else velocity-verlet",
              name);
    KDR_CHECK(!kdr_problem_sums(problem) ||
                  (kinds->averaged_centres == problem->field.centres && kinds->averaged_quadratics == problem->field.quadratics),
              error, KDR_ERROR_UNSUPPORTED,
              "forces: in system runs of %s centres and quadratic drags contribute by average, as what acts between particles does, "
              "and not by pulse or euler; leave their contribution at the default",
              name);
    return kdr_problem_sums(problem)
               ? kdr_contributions_make(desc->forces, desc->force_count, true, &problem->field, &problem->contributions, error)
               : KDR_OK;
}

kdr_status kdr_system_problem_without_lists(const kdr_system_desc *desc, kdr_problem *problem, kdr_error *error) {
    KDR_CHECK(desc->forces || desc->force_count == 0, error, KDR_ERROR_NULL, "forces: expected %zu entries, got NULL", desc->force_count);
    const kdr_integrator_desc single = single_of(desc);
    const kdr_status status = kdr_problem_make(&single, problem, error);
    if (status != KDR_OK) {
        return status;
    }
    const kdr_splitting_row *const splitting = problem->row->data.splitting;
    const char *const why_not = not_system[problem->method];
    KDR_CHECK(problem->row->family->info.system_runs && !why_not, error, KDR_ERROR_UNSUPPORTED, "method: %s %s", problem->row->info.name,
              why_not ? why_not : "makes no system runs; take velocity-verlet");
    const bool alone = desc->accelerations && desc->force_count == 0 && desc->interaction_count == 0 && desc->distance_count == 0;
    KDR_CHECK(!desc->velocity_dependent || problem->row->info.velocity_forces == KDR_VELOCITY_ANY, error, KDR_ERROR_UNSUPPORTED,
              "velocity_dependent: %s is for forces that do not depend on the velocity; %s", problem->row->info.name,
              kdr_velocity_advice(problem, false));
    KDR_CHECK(!desc->slopes || problem->row->data.implicit, error, KDR_ERROR_UNSUPPORTED,
              "slopes: expected an implicit method, which alone asks for them, got %s; take implicit-midpoint, or leave them out",
              problem->row->info.name);
    KDR_CHECK(desc->accelerations || !(desc->slopes || desc->potential), error, KDR_ERROR_NULL,
              "accelerations: expected the function that `%s` belongs to, got NULL", desc->slopes ? "slopes" : "potential");
    KDR_CHECK(!desc->rows || alone, error, KDR_ERROR_UNSUPPORTED,
              "rows: expected a function that sets all accelerations, without forces, interactions and distances in addition; add "
              "them in the function, or leave out rows");
    KDR_CHECK(
        !desc->rows || (splitting && !splitting->predicts), error, KDR_ERROR_UNSUPPORTED,
        "rows: expected a splitting method that predicts no velocity, got %s; leave it false (x and v may be rows all the same, and a "
        "is an array an axis), or take velocity-verlet",
        problem->row->info.name);
    KDR_CHECK(!desc->rows || desc->watch_count == 0, error, KDR_ERROR_UNSUPPORTED,
              "rows: a watched step is taken again on arrays an axis; leave out rows, or watches");
    KDR_CHECK(desc->distance_count == 0 || !kdr_watches_do(desc->watches, desc->watch_count, KDR_ACTION_STOP_PARTICLE), error,
              KDR_ERROR_UNSUPPORTED,
              "watches: distances hold between particles at one time, and a stopped particle has an earlier one; have it stop the run, or "
              "take springs");
    KDR_CHECK(!desc->levels || level_method(desc, problem, &(kdr_leveled){0}), error, KDR_ERROR_UNSUPPORTED,
              "levels: expected kicks at the beginning, in the middle or at the end of a step alone, got %s; take velocity-verlet or "
              "position-verlet, and compose for its order, or leave out levels",
              problem->row->info.name);
    problem->digest ^= system_digest;
    problem->is_system = true;
    problem->of_velocity = desc->velocity_dependent;
    problem->is_magnetic = desc->magnetic != NULL;
    const kdr_status maps = make_maps(desc, problem, error);
    return maps == KDR_OK ? check_ends(desc, problem, error) : maps;
}

bool kdr_system_flies(const kdr_system_desc *desc, const kdr_problem *problem) {
    return kdr_problem_flies(problem) && !problem->row->data.kinematic && !desc->levels && desc->distance_count == 0;
}

kdr_status kdr_system_check_walls(const kdr_system_desc *desc, const kdr_problem *problem, kdr_error *error) {
    const bool distances = desc->distance_count > 0, meets = problem->collider_count > 0;
    KDR_CHECK(
        !meets || !desc->magnetic, error, KDR_ERROR_UNSUPPORTED,
        "magnetic: with colliders expected the magnetic field among `forces`, where it is known between two surfaces of a step, got a "
        "function; take kdr_force_electromagnetic or a custom field");
    KDR_CHECK(!meets || !(desc->levels || distances) || !(problem->field.terms & KDR_TERMS_MAGNETIC), error, KDR_ERROR_UNSUPPORTED,
              "%s: with colliders expected forces without a magnetic field; leave out %s or the colliders",
              distances ? "distances" : "levels", distances ? "the distances" : "levels");
    KDR_CHECK(
        !meets || !distances || problem->constraint_count == 0, error, KDR_ERROR_UNSUPPORTED,
        "constraints: with colliders and distances expected none (a molecule meets a surface as a whole, and does not know them); freeze "
        "particles in place of constraints, or leave out one of the three");
    return KDR_OK;
}

kdr_status kdr_system_problem(const kdr_system_desc *desc, kdr_problem *problem, kdr_error *error) {
    kdr_status status = kdr_system_problem_without_lists(desc, problem, error);
    if (status == KDR_OK) {
        status = kdr_system_check_walls(desc, problem, error);
    }
    if (status == KDR_OK) {
        status = check_built_in(desc, problem, error);
    }
    if (status == KDR_OK) {
        kdr_system_name_lists(problem, kdr_system_lists_of(desc));
    }
    return status;
}

kdr_status kdr_system_check_rows(const kdr_system_desc *desc, const kdr_problem *problem, const kdr_particles *particles,
                                 kdr_error *error) {
    if (!desc->rows || particles->count == 0) {
        return KDR_OK;
    }
    KDR_CHECK(particles->dims == 1 || kdr_lie_in_rows(particles), error, KDR_ERROR_MISMATCH,
              "rows: expected x and v as rows, the axes of a particle side by side and nothing between particles");
    KDR_CHECK(!problem->row->info.memory || !particles->memory[0], error, KDR_ERROR_UNSUPPORTED,
              "particles.memory: an array an axis cannot hold rows; leave it NULL");
    return KDR_OK;
}

kdr_status kdr_system_check_particles(const kdr_system_desc *desc, const kdr_problem *problem, const kdr_particles *particles,
                                      kdr_error *error) {
    const kdr_status stops = kdr_problem_check_stops(problem, particles, true, error);
    if (stops != KDR_OK) {
        return stops;
    }
    KDR_CHECK(!particles->level || desc->levels, error, KDR_ERROR_UNSUPPORTED,
              "particles.level: this run has one step for all, got levels; set kdr_system_desc.levels");
    return KDR_OK;
}
