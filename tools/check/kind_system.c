/* Cases of system runs with all features: ordinary runs, runs with levels, and runs in blocks. */
#include "colliders.h"
#include "data.h"
#include "forces.h"
#include "strided.h"
#include "trial.h"
#include "user_method.h"
#include "watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_EVENTS = 64,
    MOST_CONTACTS = 96,
    MOST_WATCHED = 24,
    MOST_SYSTEM = 200,
    MOST_SPRINGS = 120,
    MOST_RODS = 60,
    BLOCK_LANES = 8,
    STRUCTURE = 9,
    MOST_STEPS = 6
};
typedef enum run_kind { WHOLE_RUN, LEVELS, IN_BLOCKS } run_kind;
enum { PLAIN, ROWS, STRUCTURES, BLOCKS, FORMS };

/* A case: the description and all it points to, the particles, and the number of steps. */
typedef struct system_case {
    kdr_system_desc desc;
    kdr_check_user_method own;
    kdr_check_forces forces;
    kdr_force bound[KDR_CHECK_MAX_FORCES];
    kdr_check_colliders colliders;
    kdr_check_constraints constraints;
    kdr_pair_spring springs[MOST_SPRINGS];
    kdr_interaction interactions[2];
    kdr_distance rods[MOST_RODS];
    kdr_watch watches[WATCH_COUNT];
    kdr_event list[MOST_EVENTS];
    kdr_events events;
    kdr_contact contact[MOST_CONTACTS];
    kdr_contacts contacts;
    kdr_particles p;
    kdr_clock clock;
    uint64_t steps;
    int form;
    bool brakes, rows;  /* the user's function depends on v; it writes accelerations as rows */
    bool flushes_small; /* all particles are near 0 on one axis, and the function does not move them away */
    double fraction;    /* sampled fraction of the step after the run; negative: no sample */
    kdr_particles between;
    double stiff; /* factor on the springs for implicit methods, and on the function if it gives its slopes */
} system_case;

/* These are the user's functions. Each particle is pulled to its neighbour in the list; in blocks, by a field at its own position. */

static size_t offset(const kdr_layout *layout, size_t size, size_t i) {
    const size_t stride = layout->stride ? layout->stride : size;
    return layout->block ? i / layout->block * layout->block_stride + i % layout->block * stride : i * stride;
}

static double element(const kdr_particles *p, void *const array[3], const kdr_layout *layout, int axis, size_t i) {
    return kdr_check_get((const char *)array[axis] + offset(layout, kdr_real_size(p->real), i), p->real, 0);
}

static kdr_status pull(void *context, const kdr_particles *p, double t, void *const a[3]) {
    const system_case *const s = context;
    const size_t stride = s->rows ? (size_t)p->dims : 1;
    const double drive = s->flushes_small ? 0 : 0.25 * t;
    for (size_t n = 0; n < p->count; ++n) {
        const size_t next = (n + 1) % p->count;
        const bool seen = !p->active || p->active[offset(&p->active_layout, 1, next)] || s->desc.levels;
        for (int i = 0; i < p->dims; ++i) {
            const double x = element(p, p->x, &p->x_layout, i, n), v = element(p, p->v, &p->v_layout, i, n);
            const double to = seen ? element(p, p->x, &p->x_layout, i, next) - x : 0;
            kdr_check_set(a[i], p->real, n * stride, s->stiff * (0.75 * to - 0.5 * x) + drive - (s->brakes ? 0.375 * v : 0));
        }
    }
    return KDR_OK;
}

static kdr_status pull_alone(void *context, const kdr_particles *p, double t, void *const a[3]) {
    const system_case *const s = context;
    const double drive = s->flushes_small ? 0 : 0.25 * t;
    for (size_t n = 0; n < p->count; ++n) {
        for (int i = 0; i < p->dims; ++i) {
            const double x = element(p, p->x, &p->x_layout, i, n), v = element(p, p->v, &p->v_layout, i, n);
            kdr_check_set(a[i], p->real, n, 0.125 * x * x - 0.75 * x + drive - (s->brakes ? 0.375 * v : 0));
        }
    }
    return KDR_OK;
}

static kdr_status swirl(void *context, const kdr_particles *p, double t, void *const m[3]) {
    (void)context;
    for (int i = p->dims == 3 ? 0 : 2; i < 3; ++i) {
        for (size_t n = 0; n < p->count; ++n) {
            kdr_check_set(m[i], p->real, n, 1.5 * element(p, p->x, &p->x_layout, i % p->dims, n) - 0.5 * i + t);
        }
    }
    return KDR_OK;
}

/* Computes the slopes of `pull`, without the neighbour's share, which may be left out. */
static kdr_status slopes_of_pull(void *context, const kdr_particles *p, double t, double th, void *const g[6]) {
    const system_case *const s = context;
    (void)t;
    for (int k = 0; k < p->dims * (p->dims + 1) / 2; ++k) {
        for (size_t n = 0; n < p->count; ++n) {
            kdr_check_set(g[k], p->real, n, k < p->dims ? -1.25 * s->stiff * th - (s->brakes ? 0.375 : 0) : 0.0625 * th);
        }
    }
    return KDR_OK;
}

/* The method */

static bool is_system(const kdr_method_info *info, run_kind kind) {
    const bool solves = info->family == KDR_IMPLICIT || info->family == KDR_KINEMATIC; /* computes maps, for all particles together */
    return kdr_family_get(info->family)->system_runs && !info->affine && !(kind == IN_BLOCKS && solves);
}

static void choose_method(kdr_check_trial *t, system_case *s, run_kind kind) {
    static const kdr_method with_levels[] = {
        KDR_VELOCITY_VERLET, KDR_POSITION_VERLET, KDR_SEMI_IMPLICIT_EULER, KDR_DRIFT_KICK_EULER, KDR_BAOAB, KDR_BORIS, KDR_VAY,
        KDR_HIGUERA_CARY};
    kdr_check_random *const r = &t->random;
    kdr_check_case like = *t->test; /* a case of field runs, from which user_method.c draws the method */
    like.method = (int)with_levels[kdr_check_random_below(r, sizeof with_levels / sizeof *with_levels)];
    while (kind != LEVELS && (like.method = (int)kdr_check_random_below(r, KDR_CHECK_METHODS)) < KDR_METHOD_COUNT &&
           !is_system(kdr_method_get((kdr_method)like.method), kind)) {
    }
    /* drawn more often, because many features can turn the velocity */
    static const kdr_method turning[] = {KDR_BORIS, KDR_HIGUERA_CARY, KDR_VAY};
    if (kind != LEVELS && kdr_check_draw_one_in(r, 8)) {
        like.method = (int)turning[kdr_check_random_below(r, sizeof turning / sizeof *turning)];
    }
    if (kdr_check_draw_one_in(r, 4)) {
        like.value[KDR_CHECK_COMPOSE] = 1 + (int)kdr_check_random_below(r, KDR_COMPOSITION_COUNT);
        like.value[KDR_CHECK_COMPOSE] = kdr_check_user_method_composes(&like) ? like.value[KDR_CHECK_COMPOSE] : KDR_COMPOSE_NONE;
    }
    kdr_integrator_desc single = kdr_integrator_desc_default();
    kdr_check_user_method_build(&s->own, &like);
    kdr_check_user_method_describe(&s->own, &like, &single);
    s->desc.method = single.method;
    s->desc.tableau = single.tableau, s->desc.fractions = single.fractions;
    s->desc.compose = single.compose, s->desc.substeps = single.substeps;
    const kdr_method_info *const info = single.tableau || single.fractions ? NULL : kdr_method_get(single.method);
    s->stiff = info && info->family == KDR_IMPLICIT ? (double)(1U << kdr_check_random_below(r, 14)) : 1;
    s->brakes = (!info || info->velocity_forces == KDR_VELOCITY_ANY) && kdr_check_draw_one_in(r, 3);
    s->desc.velocity_dependent = s->brakes;
}

static const kdr_method_info *info_of(const system_case *s) {
    return s->desc.tableau || s->desc.fractions ? NULL : kdr_method_get(s->desc.method);
}

static bool is_splitting(const system_case *s) {
    return !s->desc.tableau && (s->desc.fractions || kdr_method_get(s->desc.method)->family == KDR_SPLITTING);
}

/* Forces and interactions */

static void draw_forces(kdr_check_trial *t, system_case *s) {
    const kdr_method_info *const info = info_of(s);
    kdr_check_accepted accepted = {.velocity = info ? info->velocity_forces : KDR_VELOCITY_ANY, .dims = s->p.dims};
    accepted.jacobian = info && kdr_family_get(info->family)->jacobian;
    accepted.contributions = info == kdr_method_get(KDR_KINEMATIC_SUM);
    kdr_check_draw_forces(t, accepted, s->p.count, &s->forces, s->bound);
    s->desc.forces = s->bound;
    s->desc.force_count = (size_t)s->forces.count;
}

static uint32_t other_than(kdr_check_random *r, uint32_t a, size_t count) {
    return (uint32_t)((a + 1 + kdr_check_random_below(r, (uint32_t)count - 1)) % count);
}

static void draw_system(kdr_check_trial *t, system_case *s) {
    kdr_check_random *const r = &t->random;
    const size_t count = s->p.count;
    void *const mu = kdr_check_inputs(t, "mu", KDR_CHECK_REALS, count);
    for (size_t i = 0; i < count; ++i) {
        kdr_check_set(mu, t->test->real, i, kdr_check_random_between(r, 0, 0.1));
    }
    const size_t springs = count > 1 ? kdr_check_random_below(r, MOST_SPRINGS) : 0;
    for (size_t n = 0; n < springs; ++n) {
        const uint32_t a = kdr_check_random_below(r, (uint32_t)count), b = other_than(r, a, count);
        s->springs[n] = (kdr_pair_spring){.a = a, .b = b, .k = s->stiff * kdr_check_random_between(r, 0, 3), .length = n % 3 ? 0.5 : 0};
        s->springs[n].damping = s->brakes && n % 2 ? 0.25 : 0;
    }
    s->interactions[0] = kdr_interaction_gravity(mu, kdr_check_random_below(r, (uint32_t)count + 1), 0.125);
    if (kdr_check_draw_one_in(r, 3)) {
        void *const lengths = kdr_check_inputs(t, "softening_each", KDR_CHECK_REALS, count);
        for (size_t i = 0; i < count; ++i) {
            kdr_check_set(lengths, t->test->real, i, kdr_check_random_below(r, 4) ? kdr_check_random_between(r, 0.01, 0.5) : 0);
        }
        s->interactions[0].as.gravity.softening_each = lengths, s->interactions[0].as.gravity.softening_count = count;
    }
    s->interactions[1] = kdr_interaction_spring_network(s->springs, springs);
    s->desc.interactions = s->interactions;
    s->desc.interaction_count = 2;
}

static void draw_rods(kdr_check_trial *t, system_case *s) {
    kdr_check_random *const r = &t->random;
    s->desc.distances = s->rods;
    /* with more rods, not all can have their lengths */
    const uint32_t twice = s->p.count < MOST_RODS / 2 ? 2 * (uint32_t)s->p.count : MOST_RODS;
    s->desc.distance_count = s->p.count > 1 ? kdr_check_random_below(r, twice) : 0;
    for (size_t n = 0; n < s->desc.distance_count; ++n) {
        const uint32_t a = kdr_check_random_below(r, (uint32_t)s->p.count);
        s->rods[n] = (kdr_distance){a, other_than(r, a, s->p.count), kdr_check_random_between(r, 0.9, 1.1)};
    }
    s->desc.distance_tolerance = kdr_check_draw_one_in(r, 4) ? 0 : 1e-3;
    s->desc.distance_sweeps = 1 + kdr_check_random_below(r, 16);
    s->desc.distance_relaxation = kdr_check_random_between(r, 0.75, 1.5);
}

static void draw_radii(kdr_check_trial *t, system_case *s) {
    const double largest = kdr_check_draw_one_in(&t->random, 2) ? 0.002 : 0.24;
    s->p.radius = kdr_check_inputs(t, "radius", KDR_CHECK_REALS, s->p.count);
    for (size_t n = 0; n < s->p.count; ++n) {
        kdr_check_set(s->p.radius, s->p.real, n, kdr_check_draw_radius(&t->random, largest));
    }
    kdr_check_colliders_widen(&s->colliders, largest);
}

static void draw_surroundings(kdr_check_trial *t, system_case *s) {
    kdr_check_random *const r = &t->random;
    const kdr_method_info *const info = info_of(s);
    kdr_check_colliders_build(&s->colliders, kdr_check_draw_one_in(r, 2) ? (int)kdr_check_random_below(r, COLLIDERS_LISTS) : 0, r);
    kdr_check_constraints_build(&s->constraints, kdr_check_draw_one_in(r, 3) ? (int)kdr_check_random_below(r, CONSTRAINTS_LISTS) : 0, r);
    if (s->colliders.count > 0 && kdr_check_draw_one_in(r, 3)) {
        draw_radii(t, s);
    }
    s->desc.colliders = s->colliders.collider, s->desc.collider_count = (size_t)s->colliders.count;
    s->desc.constraints = s->constraints.constraint, s->desc.constraint_count = (size_t)s->constraints.count;
    const uint32_t drawn = kdr_check_random_below(r, 5);
    s->desc.boundary.kind = drawn == 0 ? KDR_BOUNDARY_PERIODIC : drawn == 1 ? KDR_BOUNDARY_ABSORBING : KDR_BOUNDARY_NONE;
    for (int i = 0; i < 3; ++i) {
        s->desc.boundary.min[i] = kdr_check_random_between(r, -2, -0.5);
        s->desc.boundary.max[i] = kdr_check_random_between(r, 0.5, 2);
    }
    s->desc.compensated = kdr_check_draw_one_in(r, 4) && (!info || info->compensated);
    const bool turns = info && info->velocity_forces == KDR_VELOCITY_MAGNETIC;
    s->desc.magnetic = turns && kdr_check_draw_one_in(r, 2) ? swirl : NULL;
    s->desc.speed_of_light = turns && kdr_check_draw_one_in(r, 3) ? kdr_check_random_between(r, 1, 4) : 0;
}

static void draw_bath(kdr_check_trial *t, system_case *s) {
    const kdr_method_info *const info = info_of(s);
    if (info && kdr_family_get(info->family)->heat_bath) {
        s->desc.langevin = (kdr_langevin){kdr_check_random_between(&t->random, 0, 3), kdr_check_random_between(&t->random, 0, 2),
                                          kdr_check_random_u32(&t->random)};
    }
}

/* Sets the lengths of rods to about the distances of their particles, because a run ends if a rod cannot be kept. In a periodic box they
 * stay below half its width. */
static void measure_rods(system_case *s) {
    const kdr_boundary *const box = &s->desc.boundary;
    const bool periodic = box->kind == KDR_BOUNDARY_PERIODIC;
    size_t kept = 0;
    for (size_t n = 0; n < s->desc.distance_count; ++n) {
        double square = 0, half = INFINITY;
        for (int i = 0; i < s->p.dims; ++i) {
            const double width = box->max[i] - box->min[i];
            double d = element(&s->p, s->p.x, &s->p.x_layout, i, s->rods[n].b) - element(&s->p, s->p.x, &s->p.x_layout, i, s->rods[n].a);
            d -= periodic ? width * rint(d / width) : 0;
            square += d * d;
        }
        for (int i = 0; i < 3 && periodic; ++i) {
            half = fmin(half, (box->max[i] - box->min[i]) / 2);
        }
        kdr_distance rod = s->rods[n];
        rod.length *= sqrt(square);
        if (rod.length > 0x1p-20 && rod.length < fmin(0.9 * half, 0x1p20)) {
            s->rods[kept++] = rod;
        }
    }
    s->desc.distance_count = kept;
}

/* Removes features that do not go together, except in one case of sixteen, which must be refused. */
static void settle(kdr_check_trial *t, system_case *s) {
    kdr_system_desc *const d = &s->desc;
    const bool periodic = d->boundary.kind == KDR_BOUNDARY_PERIODIC;
    measure_rods(s);
    if (kdr_check_draw_one_in(&t->random, 16)) {
        return;
    }
    const bool predicts = !d->tableau && !d->fractions && d->method == KDR_VELOCITY_VERLET_PC;
    if (periodic && d->interaction_count > 0) { /* spring networks act between periodic images, gravity does not */
        d->interaction_count = d->interaction_count > 1;
        s->interactions[0] = s->interactions[1];
    }
    for (size_t n = 0; n < d->force_count; ++n) {
        const bool averages = s->bound[n].kind == KDR_CENTRE || s->bound[n].kind == KDR_QUADRATIC_DRAG;
        s->bound[n].contribution = averages ? KDR_CONTRIBUTION_DEFAULT : s->bound[n].contribution;
    }
    if (info_of(s) && info_of(s)->family == KDR_KINEMATIC) { /* the maps are for one step size */
        d->compose = KDR_COMPOSE_NONE, d->substeps = NULL;
    }
    d->distance_count = predicts || d->speed_of_light != 0 ? 0 : d->distance_count;
    if (d->speed_of_light != 0) { /* v is momentum over mass */
        d->collider_count = d->constraint_count = 0;
    }
    if (d->magnetic || ((d->levels || d->distance_count > 0) && d->speed_of_light == 0 && info_of(s) &&
                        info_of(s)->velocity_forces == KDR_VELOCITY_MAGNETIC)) {
        d->collider_count = 0;
    }
    if (d->collider_count > 0 && d->distance_count > 0) {
        d->constraint_count = 0;
    }
    if (d->constraint_count > 0 || d->distance_count > 0) {
        kdr_check_colliders_stop(&s->colliders);
    }
    d->force_count = s->rows ? 0 : d->force_count;
    d->interaction_count = s->rows ? 0 : d->interaction_count;
}

/* A list of records. Each begins with `words` 64-bit words, followed by seven numbers. */
typedef struct noted {
    const char *words_name, *numbers_name;
    const void *list;
    size_t count, capacity, most, size, words;
} noted;

/* Copies a list of records into arrays of results, so that it is compared too. */
static void note(kdr_check_trial *t, const noted *n) {
    enum { NUMBERS = 7 };
    const size_t count = n->count < n->capacity ? n->count : n->capacity, bytes = n->words * sizeof(uint64_t);
    char *const words = kdr_check_results(t, n->words_name, KDR_CHECK_LONGS, 1 + n->most * n->words);
    char *const numbers = kdr_check_results(t, n->numbers_name, KDR_CHECK_DOUBLES, n->most * NUMBERS);
    const uint64_t all = n->count;
    memset(words, 0, sizeof all + n->most * bytes);
    memset(numbers, 0, n->most * NUMBERS * sizeof(double));
    memcpy(words, &all, sizeof all);
    for (size_t i = 0; i < count; ++i) {
        const char *const entry = (const char *)n->list + i * n->size;
        memcpy(words + sizeof all + i * bytes, entry, bytes);
        memcpy(numbers + i * NUMBERS * sizeof(double), entry + bytes, NUMBERS * sizeof(double));
    }
}

static void note_lists(kdr_check_trial *t, const system_case *s) {
    note(t, &(noted){"events", "events, times and states", s->list, s->events.count, s->events.capacity, MOST_EVENTS, sizeof *s->list, 4});
    note(t, &(noted){"contacts", "contacts, times, places and impulses", s->contact, s->contacts.count, s->contacts.capacity, MOST_CONTACTS,
                     sizeof *s->contact, 3});
}

/* Removes what makes blocks differ from a whole run. When a wall changes one particle, a whole run evaluates all particles again, but a run
 * in blocks only that block. A force that depends on the velocity, which a kick has changed, would show the difference (tests/blocks.c
 * covers it). */
static void settle_blocks(system_case *s) {
    kdr_system_desc *const d = &s->desc;
    const kdr_method_info *const info = info_of(s);
    const bool walls = d->collider_count + d->constraint_count > 0, keeps = !info || info->start_evaluations > 0;
    s->brakes = s->brakes && !(walls && keeps);
    d->velocity_dependent = s->brakes;
    if (walls && keeps && d->force_count > 0) {
        d->force_count = 0;
        d->accelerations = pull_alone;
    }
}

/* The particles */

static void draw_layout(kdr_check_trial *t, system_case *s) {
    static const size_t spans[FORMS] = {[ROWS] = 6, [STRUCTURES] = STRUCTURE, [BLOCKS] = STRUCTURE};
    kdr_particles *const p = &s->p;
    const size_t size = kdr_real_size(p->real), dims = (size_t)p->dims;
    const size_t places = s->form == BLOCKS ? (p->count + BLOCK_LANES - 1) / BLOCK_LANES * BLOCK_LANES : p->count;
    unsigned char *const at = kdr_check_results(t, "bodies", KDR_CHECK_REALS, places * spans[s->form]);
    for (size_t i = 0; i < dims; ++i) {
        const size_t lanes = s->form == BLOCKS ? BLOCK_LANES : 1, v = s->form == ROWS ? dims * p->count + i : (dims + i + 1) * lanes;
        p->x[i] = at + i * lanes * size;
        p->v[i] = at + v * size;
    }
    p->x_layout.stride = s->form == BLOCKS ? 0 : s->form == ROWS ? dims * size : STRUCTURE * size;
    p->x_layout.block = s->form == BLOCKS ? BLOCK_LANES : 0;
    p->x_layout.block_stride = s->form == BLOCKS ? STRUCTURE * BLOCK_LANES * size : 0;
    p->v_layout = p->x_layout;
    for (size_t n = 0; n < p->count; ++n) {
        for (size_t i = 0; i < dims; ++i) {
            kdr_check_set((char *)p->x[i] + offset(&p->x_layout, size, n), p->real, 0, kdr_check_random_between(&t->random, -2, 2));
            kdr_check_set((char *)p->v[i] + offset(&p->v_layout, size, n), p->real, 0, kdr_check_random_between(&t->random, -2, 2));
        }
    }
}

/* Draws the carried arrays. If there is nothing that memory could be read from, they are noise, which the run must ignore. */
static void draw_carried(kdr_check_trial *t, system_case *s) {
    static const char *const names[] = {"memory[0]",       "memory[1]",       "memory[2]",       "compensation[0]", "compensation[1]",
                                        "compensation[2]", "compensation[3]", "compensation[4]", "compensation[5]"};
    kdr_particles *const p = &s->p;
    const bool memory = kdr_check_draw_one_in(&t->random, 2) && !s->rows, compensation = s->desc.compensated && memory;
    for (int i = 0; i < 9; ++i) {
        void **const array = i < 3 ? &p->memory[i] : &p->compensation[i - 3];
        if (i % 3 < p->dims && (i < 3 ? memory : compensation)) {
            *array = kdr_check_results(t, names[i], KDR_CHECK_REALS, p->count);
        }
    }
}

static void draw_counts(kdr_check_trial *t, system_case *s) {
    static const char *const names[] = {"images[0]", "images[1]", "images[2]", "dissipated_energy[0]", "dissipated_energy[1]"};
    kdr_particles *const p = &s->p;
    if (kdr_check_draw_one_in(&t->random, 2)) {
        p->bounces = kdr_check_results(t, "bounces", KDR_CHECK_WORDS, p->count);
        for (int i = 0; i < p->dims; ++i) {
            p->images[i] = kdr_check_results(t, names[i], KDR_CHECK_WORDS, p->count);
        }
        for (int i = 0; i < 2; ++i) {
            p->dissipated_energy[i] = kdr_check_results(t, names[3 + i], KDR_CHECK_DOUBLES, p->count);
        }
    }
    if (info_of(s) && info_of(s)->order_estimate > 0 && kdr_check_draw_one_in(&t->random, 2)) {
        p->error = kdr_check_results(t, "error", KDR_CHECK_REALS, p->count);
        memset(p->error, 0, p->count * kdr_real_size(p->real));
    }
    if (kdr_check_draw_one_in(&t->random, 3)) {
        uint64_t *const id = kdr_check_inputs(t, "id", KDR_CHECK_LONGS, p->count);
        for (size_t i = 0; i < p->count; ++i) {
            const uint64_t next = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
            memcpy((char *)id + i * sizeof next, &next, sizeof next);
        }
        p->id = id;
    }
    p->first_id = kdr_check_random_u32(&t->random);
}

static const uint8_t *draw_bytes(kdr_check_trial *t, const char *name, size_t count, uint32_t below) {
    uint8_t *const bytes = kdr_check_inputs(t, name, KDR_CHECK_BYTES, count);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t high = kdr_check_random_below(&t->random, below), low = kdr_check_random_below(&t->random, 2);
        bytes[i] = (uint8_t)(kdr_check_draw_one_in(&t->random, 3) ? high : low);
    }
    return bytes;
}

static void draw_marks(kdr_check_trial *t, system_case *s, run_kind kind) {
    kdr_particles *const p = &s->p;
    if (kdr_check_draw_one_in(&t->random, 4)) {
        p->active = draw_bytes(t, "active", p->count, 200);
        p->active_count = p->count;
    }
    if (kind == LEVELS) {
        p->level = draw_bytes(t, "level", p->count, 2 + kdr_check_random_below(&t->random, 3));
        p->level_count = p->count;
    }
}

/* Draws the action of the first watch. If it stops particles, the run gets marks that it may write. */
static void draw_action(kdr_check_trial *t, system_case *s) {
    const bool refused = s->desc.distance_count > 0 || s->p.level;
    s->watches[0].action = (kdr_action)kdr_check_random_below(&t->random, KDR_ACTION_COUNT);
    if (s->watches[0].action == KDR_ACTION_STOP_PARTICLE && refused && !kdr_check_draw_one_in(&t->random, 8)) {
        s->watches[0].action = KDR_ACTION_NONE;
    }
    if (s->watches[0].action == KDR_ACTION_STOP_PARTICLE) {
        uint8_t *const marks = kdr_check_results(t, "marks", KDR_CHECK_BYTES, s->p.count);
        for (size_t i = 0; i < s->p.count; ++i) {
            marks[i] = !s->p.active || s->p.active[i];
        }
        s->p.active = s->events.active = marks;
        s->p.active_count = s->p.count;
    }
}

/* Draws watches, with a list of events that has much room or little. Few particles are watched, because each event costs a dozen steps of
 * all particles. */
static void draw_watches(kdr_check_trial *t, system_case *s) {
    kdr_check_watches_draw(s->watches, &t->random);
    const bool few = kdr_check_draw_one_in(&t->random, 3);
    if (!s->rows || kdr_check_draw_one_in(&t->random, 4)) { /* rows refuse watches */
        s->desc.watches = s->watches;
        s->desc.watch_count = 1 + kdr_check_random_below(&t->random, 2);
        s->events = (kdr_events){s->list, few ? WATCH_FEW_ROOM : MOST_EVENTS, 0, NULL};
        s->p.events = &s->events;
        draw_action(t, s);
    }
}

/* Draws the sample between two steps, into plain arrays or rows. */
static void draw_between(kdr_check_trial *t, system_case *s) {
    const size_t size = kdr_real_size(s->p.real), dims = (size_t)s->p.dims;
    unsigned char *const at = kdr_check_results(t, "between", KDR_CHECK_REALS, 6 * s->p.count);
    s->between = kdr_particles_default();
    s->between.count = s->p.count, s->between.dims = s->p.dims, s->between.real = s->p.real;
    for (size_t i = 0; i < dims; ++i) {
        s->between.x[i] = at + (s->rows ? i : i * s->p.count) * size;
        s->between.v[i] = at + (s->rows ? dims * s->p.count + i : (dims + i) * s->p.count) * size;
    }
    s->between.x_layout.stride = s->between.v_layout.stride = s->rows ? dims * size : 0;
    memset(at, 0, 6 * s->p.count * size);
}

/* Makes all particles nearly 0 on the last axis, and sets the clock just before a multiple of 128, when flush_small_to_zero acts. Blocks
 * with walls are left out: there accelerations are evaluated again after the rest, in a whole run for all particles, in blocks only for
 * those that hit a wall. */
static void draw_flush(kdr_check_trial *t, system_case *s, run_kind kind) {
    const kdr_method_info *const info = info_of(s);
    const bool walls = s->desc.collider_count + s->desc.constraint_count > 0;
    if (!kdr_check_draw_one_in(&t->random, 4) || (kind == IN_BLOCKS && walls && (!info || info->start_evaluations > 0))) {
        return;
    }
    kdr_particles *const p = &s->p;
    const size_t size = kdr_real_size(p->real);
    const int axis = p->dims - 1;
    s->desc.flush_small_to_zero = s->flushes_small = true;
    for (size_t n = 0; n < p->count; ++n) {
        char *const at[2] = {(char *)p->x[axis] + offset(&p->x_layout, size, n), (char *)p->v[axis] + offset(&p->v_layout, size, n)};
        for (int which = 0; which < 2; ++which) {
            kdr_check_set(at[which], p->real, 0, kdr_check_get(at[which], p->real, 0) * (p->real == KDR_F32 ? 0x1p-100 : 0x1p-900));
        }
    }
    s->clock.step = (s->clock.step / 128 + 1) * 128 - 1 - kdr_check_random_below(&t->random, (uint32_t)s->steps + 1);
}

static void draw_scene(kdr_check_trial *t, system_case *s, run_kind kind) {
    kdr_check_random *const r = &t->random;
    memset(s, 0, sizeof *s);
    s->desc = kdr_system_desc_default();
    s->desc.real = t->test->real, s->desc.arithmetic = t->test->arithmetic;
    s->desc.context = s;
    const int dims = 1 + (int)kdr_check_random_below(r, 3);
    s->form = kind == IN_BLOCKS ? PLAIN : (int)kdr_check_random_below(r, FORMS);
    const bool watched = kind != IN_BLOCKS && kdr_check_draw_one_in(r, 8);
    const size_t count = 1 + kdr_check_draw_count(r, kind == IN_BLOCKS ? 1500 : watched ? MOST_WATCHED : MOST_SYSTEM - 1);
    s->p = kdr_check_draw_particles(t, s->form == PLAIN ? count : 0, dims);
    if (s->form != PLAIN) { /* the particles of other forms have no masses */
        s->p.count = count, s->p.inverse_mass = NULL;
        draw_layout(t, s);
    }
    choose_method(t, s, kind);
    s->rows = s->form == ROWS && is_splitting(s) && s->desc.method != KDR_VELOCITY_VERLET_PC && kdr_check_draw_one_in(r, 2);
    s->desc.rows = s->rows, s->desc.levels = kind == LEVELS;
    draw_bath(t, s);
    if (kdr_check_draw_one_in(r, 2)) {
        draw_forces(t, s);
    }
    const bool function = s->rows || s->desc.force_count == 0 || kdr_check_draw_one_in(r, 2);
    s->desc.accelerations = !function ? NULL : kind == IN_BLOCKS ? pull_alone : pull;
    if (kind != IN_BLOCKS && kdr_check_draw_one_in(r, 2)) {
        draw_system(t, s);
    }
    const bool says = info_of(s) && info_of(s)->family == KDR_IMPLICIT && function && kdr_check_draw_one_in(r, 2);
    s->desc.slopes = says ? slopes_of_pull : NULL;
    s->stiff = says ? s->stiff : 1;
    if (kind != LEVELS || kdr_check_draw_one_in(r, 2)) {
        draw_surroundings(t, s);
    }
    if (kind != IN_BLOCKS && kdr_check_draw_one_in(r, 3)) {
        draw_rods(t, s);
    }
    settle(t, s);
    if (kind == IN_BLOCKS) {
        settle_blocks(s);
    }
    draw_carried(t, s);
    draw_counts(t, s);
    draw_marks(t, s, kind);
    if (watched) {
        draw_watches(t, s);
    }
    const bool forward = s->desc.collider_count > 0 || s->desc.langevin.friction != 0 || !kdr_check_draw_one_in(r, 4);
    s->clock = (kdr_clock){kdr_check_random_between(r, -1, 1), kdr_check_random_between(r, 0x1p-6, 0x1p-4) * (forward ? 1 : -1),
                           kdr_check_random_below(r, 1000)};
    s->steps = kdr_check_random_below(r, MOST_STEPS + 1);
    const bool stops = watched && s->watches[0].action == KDR_ACTION_STOP_PARTICLE; /* such a watch is refused together with contacts */
    if (kind != LEVELS && !stops && kdr_check_draw_one_in(r, 2)) {
        s->contacts = (kdr_contacts){s->contact, kdr_check_draw_one_in(r, 3) ? 3 : MOST_CONTACTS, 0};
        s->p.contacts = &s->contacts;
    }
    draw_flush(t, s, kind);
    s->fraction = -1;
    if (kind != IN_BLOCKS && kdr_check_draw_one_in(r, 3)) {
        s->fraction = kdr_check_draw_one_in(r, 4) ? kdr_check_random_below(r, 2) : kdr_check_random_between(r, 0, 1);
        draw_between(t, s);
    }
}

/* Running */

/* Returns true if the run may be cut into calls: the particles carry the method's memory, and the method is not baoab with an absorbing
 * boundary, which begins each call with an evaluation that sees the particles absorbed since the last. */
static bool may_be_cut(const system_case *s) {
    const bool kept = s->p.memory[0] && (!s->desc.compensated || s->p.compensation[0]);
    return kept && !(s->desc.method == KDR_BAOAB && s->desc.boundary.kind == KDR_BOUNDARY_ABSORBING);
}

static kdr_status run_reference(kdr_check_trial *t, system_case *s) {
    const kdr_status status = kdr_reference_system_run(&s->desc, &s->p, &s->clock, s->steps, &t->error);
    return status == KDR_OK && s->fraction >= 0
               ? kdr_reference_system_sample(&s->desc, &s->p, &s->clock, s->fraction, &s->between, &t->error)
               : status;
}

static kdr_status run_kernels(kdr_check_trial *t, system_case *s, run_kind kind) {
    kdr_system *system = NULL;
    kdr_workspace workspace = {NULL, 0, {NULL, NULL, NULL}};
    kdr_check_strided spread = {.count = 0};
    if (kdr_check_draw_one_in(&t->loose, 2)) {
        kdr_check_strided_particles(&spread, &s->p);
        kdr_check_strided_forces(&spread, s->bound, s->desc.force_count, &s->p);
        kdr_check_strided_interactions(&spread, s->interactions, s->desc.interaction_count, &s->p);
    }
    kdr_status status = kdr_check_strided_out(&spread, &t->loose) ? KDR_OK : KDR_ERROR_NO_MEMORY;
    status = status ? status : kdr_system_create(&s->desc, &system, &t->error);
    status =
        status ? status : kdr_workspace_create(system, s->p.count, s->p.dims, (kdr_allocator){NULL, NULL, NULL}, &workspace, &t->error);
    uint64_t left = s->steps;
    while (status == KDR_OK) {
        const uint64_t steps = may_be_cut(s) ? kdr_check_random_below(&t->loose, (uint32_t)left + 1) : left;
        status = kind == IN_BLOCKS ? kdr_system_run_blocks(system, &s->p, &s->clock, steps, &t->error)
                                   : kdr_system_run(system, &s->p, &s->clock, steps, &workspace, &t->error);
        left -= steps;
        if (left == 0) {
            break;
        }
    }
    if (status == KDR_OK && s->fraction >= 0) {
        status = kdr_system_sample(system, &s->p, &s->clock, s->fraction, &workspace, &s->between, &t->error);
    }
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(system);
    kdr_check_strided_back(&spread);
    return status;
}

/* Returns 1 if the memory's key is that of the run, 0 if there is none, 2 if it is another. The key itself depends on the byte order, so it
 * is not compared. */
static uint64_t judge_key(const system_case *s) {
    kdr_system *system = NULL;
    uint64_t key = 0;
    if (kdr_system_create(&s->desc, &system, NULL) == KDR_OK) {
        key = kdr_system_memory_key(system, &s->p, &s->clock);
        kdr_system_destroy(system);
    }
    return s->p.memory_key == 0 ? 0 : s->p.memory_key == key ? 1 : 2;
}

/* Copies the clock and the verdict on the key into arrays of results, so that they are compared too. */
static void note_clock(kdr_check_trial *t, const system_case *s) {
    uint64_t *const ends = kdr_check_results(t, "the step of the clock, the memory's key", KDR_CHECK_LONGS, 2);
    const uint64_t key = judge_key(s);
    memcpy(ends, &s->clock.step, sizeof *ends);
    memcpy((char *)ends + sizeof *ends, &key, sizeof key);
}

static kdr_status run(kdr_check_trial *t, run_kind kind) {
    system_case *const s = malloc(sizeof *s);
    if (!s) {
        return KDR_ERROR_NO_MEMORY;
    }
    draw_scene(t, s, kind);
    snprintf(t->words, sizeof t->words,
             "count=%zu dims=%d form=%d method=%s compose=%d forces=%zu interactions=%zu rods=%zu boundary=%d walls=%zu+%zu compensated=%d "
             "rows=%d "
             "rests=%d",
             s->p.count, s->p.dims, s->form, info_of(s) ? info_of(s)->name : "own", (int)s->desc.compose, s->desc.force_count,
             s->desc.interaction_count, s->desc.distance_count, (int)s->desc.boundary.kind, s->desc.collider_count,
             s->desc.constraint_count, s->desc.compensated, s->desc.rows, s->flushes_small);
    s->desc.backend = t->backend, s->desc.executor = t->executor;
    const kdr_status status = t->by_reference ? run_reference(t, s) : run_kernels(t, s, kind);
    /* these refuse a step that is too long */
    const bool solves = (info_of(s) && info_of(s)->family == KDR_IMPLICIT) || s->desc.distance_count > 0;
    const bool is_stopped = status == KDR_STOPPED; /* the clock tells when */
    t->is_refused = status == KDR_ERROR_UNSUPPORTED || (solves && status == KDR_ERROR_ARGUMENT);
    note_clock(t, s);
    note_lists(t, s);
    free(s);
    return is_stopped ? KDR_OK : status;
}

kdr_status kdr_check_system(kdr_check_trial *t) { return run(t, WHOLE_RUN); }
kdr_status kdr_check_levels(kdr_check_trial *t) { return run(t, LEVELS); }
kdr_status kdr_check_blocks(kdr_check_trial *t) { return run(t, IN_BLOCKS); }
