/* The actions of system runs on a step as a whole, particle by particle: boundaries, colliders and constraints, a heat bath, rotations.
 * They are compared with the reference and with field runs of the same field, cut into calls, and stopped by a function that fails. */
#include "system_support.h"

#include "particles/layout.h"

enum { PERIODIC = 1, ABSORBING = 2, WALLS = 4, BATH = 8, MAGNETIC = 16, COMPENSATED = 32, FEATURES = 6 };

/* Active neighbours in a chain pull at each other. */
typedef struct chain {
    int calls, fails_at;
} chain;

static kdr_status chain_accelerations(void *context, const kdr_particles *p, double t, void *const a[3]) {
    chain *const c = context;
    if (++c->calls == c->fails_at) {
        return KDR_ERROR_UNAVAILABLE;
    }
    for (int i = 0; i < p->dims; ++i) {
        for (size_t n = 0; n < p->count; ++n) {
            const size_t next = (n + 1) % p->count;
            const double x = get(p->x[i], p->real, n), pull = p->active && !p->active[next] ? 0 : get(p->x[i], p->real, next) - x;
            set(a[i], p->real, n, pull - 0.5 * x + 0.25 * t);
        }
    }
    return KDR_OK;
}

static kdr_status swirl(void *context, const kdr_particles *p, double t, void *const m[3]) {
    chain *const c = context;
    if (++c->calls == c->fails_at) {
        return KDR_ERROR_UNAVAILABLE;
    }
    for (int i = p->dims == 3 ? 0 : 2; i < 3; ++i) {
        for (size_t n = 0; n < p->count; ++n) {
            set(m[i], p->real, n, 1.5 * get(p->x[i % p->dims], p->real, n) - 0.5 * i + t);
        }
    }
    return KDR_OK;
}

/* All quantities that a run counts. */
typedef struct counts {
    uint32_t *bounces;
    double *dissipated_energy[2];
    int32_t *images[3];
} counts;

static counts give_counts(kdr_particles *p) {
    counts c = {.bounces = calloc(p->count + 1, sizeof *c.bounces)};
    p->bounces = c.bounces;
    for (int i = 0; i < 3; ++i) {
        p->images[i] = c.images[i] = calloc(p->count + 1, sizeof *c.images[i]);
        p->images[i] = i < p->dims ? c.images[i] : NULL;
    }
    for (int k = 0; k < 2; ++k) {
        p->dissipated_energy[k] = c.dissipated_energy[k] = calloc(p->count + 1, sizeof *c.dissipated_energy[k]);
    }
    return c;
}

static void free_counts(counts *c) {
    free(c->bounces);
    for (int i = 0; i < 3; ++i) {
        free(c->images[i]);
    }
    free(c->dissipated_energy[0]);
    free(c->dissipated_energy[1]);
}

static bool same_counts(const counts *a, const counts *b, size_t count) {
    bool same = memcmp(a->bounces, b->bounces, count * sizeof *a->bounces) == 0;
    for (int i = 0; i < 3; ++i) {
        same = same && memcmp(a->images[i], b->images[i], count * sizeof *a->images[i]) == 0;
    }
    for (int k = 0; k < 2; ++k) {
        same = same && memcmp(a->dissipated_energy[k], b->dissipated_energy[k], count * sizeof *a->dissipated_energy[k]) == 0;
    }
    return same;
}

static uint64_t sum_of_counts(const counts *c, size_t count) {
    uint64_t sum = 0;
    for (size_t n = 0; n < count; ++n) {
        sum += c->bounces[n] + (uint64_t)(c->images[0][n] != 0) + (c->dissipated_energy[0][n] > 0) + (c->dissipated_energy[1][n] > 0);
    }
    return sum;
}

/* A slope, a ball inside, and a rope from the middle. */
typedef struct surroundings {
    kdr_collider colliders[2];
    kdr_constraint constraints[1];
    kdr_boundary boundary;
} surroundings;

static surroundings surround(int features) {
    surroundings s = {.colliders = {kdr_collider_plane((double[]){-0.75, -1, 0}, (double[]){0.6, 0.8, 0}),
                                    kdr_collider_sphere((double[]){0, 0, 0}, 2.5, true)},
                      .constraints = {kdr_constraint_rope((double[]){0.25, 0, 0}, 2.25)},
                      .boundary = {.kind = (features & PERIODIC)    ? KDR_BOUNDARY_PERIODIC
                                           : (features & ABSORBING) ? KDR_BOUNDARY_ABSORBING
                                                                    : KDR_BOUNDARY_NONE,
                                   .min = {-1.5, -1.75, -2},
                                   .max = {1.5, 1.25, 2}}};
    s.colliders[0].restitution = 0.75, s.colliders[1].restitution = 0.5;
    s.colliders[0].friction = 0.125;
    return s;
}

static void describe_features(kdr_system_desc *desc, const surroundings *s, int features) {
    desc->boundary = s->boundary;
    if (features & WALLS) {
        desc->colliders = s->colliders, desc->collider_count = 2;
        desc->constraints = s->constraints, desc->constraint_count = 1;
    }
    if (features & BATH) {
        desc->langevin = (kdr_langevin){.friction = 0.75, .temperature = 0.5, .seed = 77};
    }
    if (features & MAGNETIC) {
        desc->magnetic = swirl;
    }
    desc->compensated = (features & COMPENSATED) != 0;
}

/* Returns true if the method has these features. */
static bool fits(int features, kdr_method method) {
    const kdr_method_info *const info = kdr_method_get(method);
    return is_system(method) && !((features & PERIODIC) && (features & ABSORBING)) && !((features & MAGNETIC) && (features & WALLS)) &&
           (!(features & BATH) || kdr_family_get(info->family)->heat_bath) &&
           (!(features & MAGNETIC) || info->velocity_forces == KDR_VELOCITY_MAGNETIC) && (!(features & COMPENSATED) || info->compensated);
}

/* Makes particles with memory and compensations. */
static kdr_particles make_whole(size_t count, int dims, kdr_real real, bool masses) {
    kdr_particles_desc desc = kdr_particles_desc_default();
    kdr_particles p;
    desc.count = count, desc.dims = dims, desc.real = real;
    desc.inverse_mass = masses, desc.memory = desc.compensation = true;
    cr_assert(kdr_particles_create(&desc, &p, NULL) == KDR_OK);
    for (int i = 0; i < 6; ++i) {
        if (p.compensation[i]) {
            /* a run must neither read nor leave these bytes where it moves particles */
            memset(p.compensation[i], 0x3C, count * kdr_real_size(real));
        }
    }
    return p;
}

static bool same_compensations(const kdr_particles *a, const kdr_particles *b) {
    bool same = true;
    for (int i = 0; i < 6; ++i) {
        same = same && (!a->compensation[i] || memcmp(a->compensation[i], b->compensation[i], a->count * kdr_real_size(a->real)) == 0);
    }
    return same;
}

static uint64_t expect_textbook(const kdr_system_desc *desc, size_t count, int dims, int kind, uint64_t *seed) {
    kdr_particles p = make_whole(count, dims, desc->real, kind % 2), q = make_whole(count, dims, desc->real, kind % 2);
    uint64_t id[400];
    uint8_t active[400];
    for (size_t i = 0; i < count; ++i) {
        id[i] = random_bits(seed);
        active[i] = i % 7 != 3;
    }
    fill_random(&p, seed);
    for (size_t i = 0; p.inverse_mass && i < count; i += 5) {
        set(p.inverse_mass, p.real, i, 0);
    }
    copy_state(&q, &p);
    p.id = q.id = kind % 3 == 0 ? id : NULL;
    p.first_id = q.first_id = 1000;
    p.active = q.active = kind % 4 == 2 ? active : NULL;
    p.active_count = q.active_count = count;
    counts of_p = give_counts(&p), of_q = give_counts(&q);
    kdr_clock clock = {0.25, 0.125, 3}, other = clock;
    reference(desc, &p, &clock, 9);
    /* The run is cut into two calls, except where a call begins with an evaluation that sees the particles absorbed since the last one. */
    const bool cut = desc->method != KDR_BAOAB || desc->boundary.kind != KDR_BOUNDARY_ABSORBING;
    run(desc, &q, &other, cut ? 4 : 9);
    run(desc, &q, &other, cut ? 5 : 0);
    cr_expect(same_bits(&p, &q) && same_counts(&of_p, &of_q, count) && same_compensations(&p, &q) && clock.step == other.step,
              "%s, boundary %d, %zu walls, magnetic %d: %zu particles on %d axes, %s, %s, backend %d, kind %d",
              kdr_method_get(desc->method)->name, (int)desc->boundary.kind, desc->collider_count, desc->magnetic != NULL, count, dims,
              kdr_real_name(desc->real), kdr_arithmetic_name(desc->arithmetic), (int)desc->backend, kind);
    const uint64_t sum = sum_of_counts(&of_q, count);
    free_counts(&of_p);
    free_counts(&of_q);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&q);
    return sum;
}

Test(system_step_end, every_method_with_all_that_goes_with_it_is_the_textbooks) {
    uint64_t seed = test_seed(), counted[1 << FEATURES] = {0};
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    kdr_executor executors[MAX_EXECUTORS];
    const size_t m = list_executors(executors);
    for (int features = 1; features < 1 << FEATURES; ++features) {
        for (int method = 0; method < KDR_METHOD_COUNT; ++method) {
            for (int kind = 0; fits(features, (kdr_method)method) && kind < 12; ++kind) {
                const surroundings s = surround(features);
                chain c = {0};
                kdr_system_desc desc = describe_system((kdr_method)method, (kdr_real)(kind % 2), (kdr_arithmetic)(kind / 2 % 2),
                                                       backends[(size_t)(method + kind) % n]);
                describe_features(&desc, &s, features);
                desc.accelerations = chain_accelerations;
                desc.context = &c;
                desc.executor = executors[(size_t)(method + kind / 2) % m];
                counted[features] += expect_textbook(&desc, 1 + (size_t)(random_bits(&seed) % 399), 1 + kind % 3, kind, &seed);
            }
        }
        const bool does = (features & (PERIODIC | WALLS)) && !((features & PERIODIC) && (features & ABSORBING)) &&
                          !((features & (BATH | WALLS)) && (features & MAGNETIC));
        cr_expect(!does || counted[features] > 300, "features %d: %d counted", features, (int)counted[features]);
    }
}

/* Compares with a field run, which has the description's forces and constraints. Colliders are left out, except with a heat bath: between
 * two surfaces, a field run of other methods repeats a part of the step. After a periodic boundary alone, a method that keeps its
 * acceleration is not evaluated afresh in a system run. */
static void expect_field_run(kdr_method method, int features, kdr_real real, kdr_backend backend, int dims, uint64_t *seed) {
    const kdr_force forces[] = {kdr_force_spring(0.75, 0.25, 0, 0), kdr_force_driven(0.5, 0.25, 0, 2, 0),
                                kdr_force_electromagnetic(2, (double[]){0.25, 0, 0}, (double[]){0.5, -0.25, 0.75})};
    const bool turns = kdr_method_get(method)->velocity_forces == KDR_VELOCITY_MAGNETIC;
    const surroundings s = surround(features);
    kdr_system_desc desc = describe_system(method, real, KDR_FUSED, backend);
    describe_features(&desc, &s, features);
    kdr_integrator_desc single = describe(method, real, KDR_FUSED, forces, turns ? 3 : 2);
    desc.forces = forces, desc.force_count = single.force_count;
    single.boundary = desc.boundary, single.langevin = desc.langevin, single.compensated = desc.compensated;
    desc.collider_count = method == KDR_BAOAB ? desc.collider_count : 0;
    single.colliders = desc.colliders, single.collider_count = desc.collider_count;
    single.constraints = desc.constraints, single.constraint_count = desc.constraint_count;
    kdr_particles p = make_particles(101, dims, real, dims % 2, false), q = make_particles(101, dims, real, dims % 2, false);
    fill_random(&p, seed);
    copy_state(&q, &p);
    counts of_p = give_counts(&p), of_q = give_counts(&q);
    kdr_clock clock = {0.25, 0.125, 3}, other = clock;
    advance(BY_REFERENCE, &single, &p, &clock, 9);
    run(&desc, &q, &other, 9);
    cr_expect(same_bits(&p, &q) && same_counts(&of_p, &of_q, p.count), "%s, features %d, %s, backend %d, %d axes",
              kdr_method_get(method)->name, features, kdr_real_name(real), (int)backend, dims);
    free_counts(&of_p);
    free_counts(&of_q);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&q);
}

Test(system_step_end, a_field_gives_the_field_runs_bits_and_counts) {
    uint64_t seed = test_seed();
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    for (int both = 0; both < 2 * MAGNETIC; ++both) {
        const int features = both % MAGNETIC | (both < MAGNETIC ? 0 : COMPENSATED);
        for (int method = 0; method < KDR_METHOD_COUNT; ++method) {
            const bool kept = kdr_method_get((kdr_method)method)->start_evaluations > 0;
            const bool taken = has_field_bits((kdr_method)method) && fits(features, (kdr_method)method);
            for (int kind = 0; taken && !(kept && (features & PERIODIC)) && kind < 6; ++kind) {
                expect_field_run((kdr_method)method, features, (kdr_real)(kind % 2), backends[(size_t)(method + kind) % n], 1 + kind % 3,
                                 &seed);
            }
        }
    }
}

/* Whichever evaluation fails, everything is as a shorter run leaves it, counts included, and the run continues from there. */
Test(system_step_end, a_run_that_fails_has_counted_whole_steps_alone) {
    uint64_t seed = test_seed();
    const struct {
        kdr_method method;
        int features;
    } runs[] = {{KDR_VELOCITY_VERLET, PERIODIC},
                {KDR_VELOCITY_VERLET, WALLS},
                {KDR_VELOCITY_VERLET, WALLS | PERIODIC},
                {KDR_VEFRL, PERIODIC},
                {KDR_POSITION_VERLET, PERIODIC},
                {KDR_RK4, WALLS | PERIODIC},
                {KDR_BORIS, MAGNETIC},
                {KDR_BORIS, WALLS},
                {KDR_BORIS, MAGNETIC | PERIODIC},
                {KDR_BAOAB, BATH | PERIODIC},
                {KDR_BAOAB, BATH | WALLS},
                {KDR_VELOCITY_VERLET, WALLS | ABSORBING},
                {KDR_VELOCITY_VERLET, COMPENSATED},
                {KDR_PEFRL, COMPENSATED | PERIODIC},
                {KDR_BAOAB, BATH | COMPENSATED},
                {KDR_RK4, COMPENSATED | WALLS}};
    for (size_t r = 0; r < sizeof runs / sizeof *runs; ++r) {
        for (int at = 2; at < 20; at += 3) {
            const surroundings s = surround(runs[r].features);
            chain c = {.fails_at = at};
            kdr_system_desc desc = describe_system(runs[r].method, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
            describe_features(&desc, &s, runs[r].features);
            desc.accelerations = chain_accelerations;
            desc.context = &c;
            kdr_particles p = make_whole(150, 2, KDR_F64, at % 2), q = make_whole(150, 2, KDR_F64, at % 2);
            fill_random(&p, &seed);
            copy_state(&q, &p);
            counts of_p = give_counts(&p), of_q = give_counts(&q);
            kdr_clock clock = {0, 0.125, 0}, other = clock;
            kdr_error error;
            cr_expect(run_with(&desc, &q, &other, 60, &error) == KDR_ERROR_UNAVAILABLE, "%s", error.message);
            c = (chain){0};
            reference(&desc, &p, &clock, other.step);
            cr_expect(same_bits(&p, &q) && same_counts(&of_p, &of_q, p.count), "%s, features %d, evaluation %d, step %d",
                      kdr_method_get(desc.method)->name, runs[r].features, at, (int)other.step);
            c = (chain){0};
            reference(&desc, &p, &clock, 7);
            run(&desc, &q, &other, 7);
            cr_expect(same_bits(&p, &q) && same_counts(&of_p, &of_q, p.count), "%s goes on", kdr_method_get(desc.method)->name);
            free_counts(&of_p);
            free_counts(&of_q);
            kdr_particles_destroy(&p);
            kdr_particles_destroy(&q);
        }
    }
}

/* Rows, structures and blocks of arrays have the bits of contiguous arrays. */
Test(system_step_end, layouts_are_plain_arrays) {
    uint64_t seed = test_seed();
    enum { COUNT = 333 };
    static double row[COUNT][3], speed[COUNT][3];
    static struct {
        double x[3], v[3], more[2];
    } body[COUNT];
    const struct {
        kdr_method method;
        int features;
    } runs[] = {
        {KDR_VELOCITY_VERLET, PERIODIC}, {KDR_PEFRL, WALLS}, {KDR_BAOAB, BATH | PERIODIC}, {KDR_BORIS, MAGNETIC}, {KDR_RK4, ABSORBING}};
    for (size_t r = 0; r < 2 * sizeof runs / sizeof *runs; ++r) {
        const surroundings s = surround(runs[r / 2].features);
        chain c = {0};
        kdr_system_desc desc = describe_system(runs[r / 2].method, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        describe_features(&desc, &s, runs[r / 2].features);
        desc.accelerations = NULL; /* it would look for contiguous arrays */
        const kdr_force spring = kdr_force_spring(0.75, 0.25, 0, 0);
        desc.forces = &spring, desc.force_count = 1;
        desc.magnetic = NULL;
        desc.context = &c;
        kdr_particles p = make_particles(COUNT, 3, KDR_F64, false, false), q = p, back = make_particles(COUNT, 3, KDR_F64, false, false);
        fill_random(&p, &seed);
        for (int i = 0; i < 3; ++i) {
            q.x[i] = r % 2 ? &row[0][i] : &body[0].x[i];
            q.v[i] = r % 2 ? &speed[0][i] : &body[0].v[i];
        }
        q.x_layout.stride = q.v_layout.stride = r % 2 ? sizeof row[0] : sizeof body[0];
        q.storage = NULL;
        carry(&q, &p, false);
        kdr_clock clock = {0, 0.125, 0}, other = clock;
        run(&desc, &p, &clock, 9);
        run(&desc, &q, &other, 9);
        carry(&q, &back, true);
        cr_expect(same_bits(&p, &back), "%s, layout %d", kdr_method_get(desc.method)->name, (int)(r % 2));
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&back);
    }
}

/* A gas drifts through a periodic box. Unwrapped by its images, it is where the same gas is without a boundary. */
Test(system_step_end, images_unwrap) {
    enum { COUNT = 200 };
    for (int method = 0; method < KDR_METHOD_COUNT; ++method) {
        if (!is_system((kdr_method)method)) {
            continue;
        }
        uint64_t seed = 5;
        kdr_system_desc desc = describe_system((kdr_method)method, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO), free_desc = desc;
        desc.boundary = (kdr_boundary){KDR_BOUNDARY_PERIODIC, {-1, -1, 0}, {1, 3, 0}}; /* no period on the last axis */
        kdr_particles p = make_particles(COUNT, 3, KDR_F64, false, false), q = make_particles(COUNT, 3, KDR_F64, false, false);
        fill_random(&p, &seed);
        for (int i = 0; i < 3; ++i) {
            for (size_t n = 0; n < COUNT; ++n) {
                set(p.x[i], p.real, n, ldexp(rint(ldexp(get(p.x[i], p.real, n), 8)), -8)); /* all sums are exact */
                set(p.v[i], p.real, n, ldexp(rint(ldexp(get(p.v[i], p.real, n), 8)), -8));
            }
        }
        copy_state(&q, &p);
        counts c = give_counts(&p);
        kdr_clock clock = {0, 0.25, 0}, other = clock;
        run(&desc, &p, &clock, 60);
        run(&free_desc, &q, &other, 60);
        int32_t most = 0;
        for (size_t n = 0; n < COUNT; ++n) {
            for (int i = 0; i < 3; ++i) {
                const double width = desc.boundary.max[i] - desc.boundary.min[i], x = get(p.x[i], p.real, n);
                cr_expect(width == 0 || (desc.boundary.min[i] <= x && x < desc.boundary.max[i]), "%s", kdr_method_get(desc.method)->name);
                cr_expect(close_to(x + c.images[i][n] * width, get(q.x[i], q.real, n), 1e-12), "%s: particle %zu, axis %d",
                          kdr_method_get(desc.method)->name, n, i);
                most = c.images[i][n] > most ? c.images[i][n] : most;
            }
        }
        cr_expect(most > 10);
        free_counts(&c);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}

static double potential_of(const kdr_system_desc *desc, const kdr_particles *p, const kdr_clock *clock) {
    kdr_system *system;
    kdr_observables seen;
    kdr_error error;
    cr_assert(kdr_system_create(desc, &system, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_system_observe(system, p, clock, &seen, &error) == KDR_OK, "%s", error.message);
    kdr_system_destroy(system);
    return seen.potential;
}

/* A chain drifts through a periodic box, where its springs act between nearest images. It is where it would be without the box. */
Test(system_step_end, chains_reach_through_the_border) {
    enum { COUNT = 40 };
    kdr_pair_spring springs[COUNT - 1];
    for (uint32_t n = 0; n + 1 < COUNT; ++n) {
        springs[n] = (kdr_pair_spring){.a = n + 1, .b = n, .k = 3, .length = 0.25, .damping = n % 3 ? 0 : 0.125};
    }
    const kdr_interaction network = kdr_interaction_spring_network(springs, COUNT - 1);
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_RK4, KDR_IMPLICIT_MIDPOINT};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        kdr_system_desc desc = describe_system(methods[m], KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO), free_desc;
        desc.interactions = &network, desc.interaction_count = 1, desc.velocity_dependent = methods[m] == KDR_RK4;
        free_desc = desc;
        desc.boundary = (kdr_boundary){KDR_BOUNDARY_PERIODIC, {-1, -1, 0}, {1, 3, 0}};
        kdr_particles p = make_particles(COUNT, 3, KDR_F64, false, true), q = make_particles(COUNT, 3, KDR_F64, false, true);
        int32_t images[3][COUNT] = {{0}};
        for (size_t n = 0; n < COUNT; ++n) { /* the chain winds about the box */
            const double x[3] = {0.25 * (double)n, 0.0625 * (double)n, 0.125 * sin((double)n)}, v[3] = {0.5, -0.75, 0.1 * cos((double)n)};
            for (int i = 0; i < 3; ++i) {
                set(p.v[i], KDR_F64, n, v[i]), set(q.v[i], KDR_F64, n, v[i]);
                set(q.x[i], KDR_F64, n, x[i]);
                const double width = desc.boundary.max[i] - desc.boundary.min[i];
                images[i][n] = width > 0 ? (int32_t)floor((x[i] - desc.boundary.min[i]) / width) : 0;
                set(p.x[i], KDR_F64, n, x[i] - images[i][n] * width);
            }
        }
        for (int i = 0; i < 3; ++i) {
            p.images[i] = images[i];
        }
        kdr_clock clock = {0, 0.03125, 0}, other = clock;
        const double within = potential_of(&desc, &p, &clock), without = potential_of(&free_desc, &q, &other);
        cr_expect(within > 0 && close_to(within, without, 1e-12), "%g, %g", within, without);
        run(&desc, &p, &clock, 200);
        run(&free_desc, &q, &other, 200);
        for (size_t n = 0; n < COUNT; ++n) {
            for (int i = 0; i < 3; ++i) {
                const double width = desc.boundary.max[i] - desc.boundary.min[i], x = get(p.x[i], KDR_F64, n) + images[i][n] * width;
                cr_expect(close_to(x, get(q.x[i], KDR_F64, n), 1e-10), "%s: particle %zu, axis %d: %.17g, %.17g",
                          kdr_method_get(methods[m])->name, n, i, x, get(q.x[i], KDR_F64, n));
            }
        }
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}

/* A sample counts in its own images, by reference and integrator alike, and does not change the particles'. */
Test(system_step_end, samples_count_images) {
    enum { COUNT = 200 };
    for (int round = 0; round < 4; ++round) {
        const double fraction = round % 2 ? 1 : 0.625;
        uint64_t seed = 5;
        kdr_system_desc desc = describe_system(KDR_VELOCITY_VERLET, (kdr_real)(round / 2), KDR_FUSED, KDR_BACKEND_AUTO);
        desc.boundary = (kdr_boundary){KDR_BOUNDARY_PERIODIC, {-0.25, -0.25, 0}, {0.125, 0.25, 0}};
        kdr_particles p = make_particles(COUNT, 3, desc.real, false, false), to[2];
        const kdr_clock clock = {0, 0.5, 7};
        counts c[3];
        kdr_system *system;
        kdr_workspace workspace;
        kdr_error error;
        fill_random(&p, &seed);
        c[2] = give_counts(&p);
        for (int i = 0; i < 2; ++i) {
            to[i] = make_particles(COUNT, 3, desc.real, false, false);
            c[i] = give_counts(&to[i]);
        }
        c[2].images[0][5] = 50;
        cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_workspace_create(system, COUNT, 3, (kdr_allocator){0}, &workspace, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_reference_system_sample(&desc, &p, &clock, fraction, &to[0], &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_system_sample(system, &p, &clock, fraction, &workspace, &to[1], &error) == KDR_OK, "%s", error.message);
        int changed = 0;
        for (int i = 0; i < 3; ++i) {
            cr_expect(memcmp(c[0].images[i], c[1].images[i], COUNT * sizeof(int32_t)) == 0, "round %d, axis %d", round, i);
            for (size_t n = 0; n < COUNT; ++n) {
                cr_expect(c[2].images[i][n] == (i == 0 && n == 5 ? 50 : 0));
                changed += c[0].images[i][n] != 0;
            }
        }
        cr_expect(same_bits(&to[0], &to[1]) && changed > COUNT / 4 && c[0].images[0][5] > 40, "round %d: %d", round, changed);
        for (int i = 0; i < 3; ++i) {
            free_counts(&c[i]);
            kdr_particles_destroy(i < 2 ? &to[i] : &p);
        }
        kdr_workspace_destroy(&workspace);
        kdr_system_destroy(system);
    }
}

/* Computes springs between neighbours and to the origin. */
static kdr_status springs(void *context, const kdr_particles *p, double t, void *const a[3]) {
    (void)context, (void)t;
    for (int i = 0; i < p->dims; ++i) {
        const double *const x = p->x[i], *const w = p->inverse_mass;
        double *const out = a[i];
        for (size_t n = 0; n < p->count; ++n) {
            out[n] = w[n] * (x[(n + 1) % p->count] + x[(n + p->count - 1) % p->count] - 2.5 * x[n]);
        }
    }
    return KDR_OK;
}

/* A chain of springs in a heat bath has half k_B T for each degree of freedom; in equilibrium v is wrong by at most (omega h)^2 / 4. */
Test(system_step_end, a_bath_heats_what_is_system) {
    enum { COUNT = 4096, STEPS = 400 };
    kdr_system_desc desc = describe_system(KDR_BAOAB, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    desc.accelerations = springs;
    desc.langevin = (kdr_langevin){.friction = 1, .temperature = 0.75, .seed = 3};
    kdr_particles p = make_particles(COUNT, 3, KDR_F64, true, false);
    for (size_t n = 0; n < COUNT; ++n) {
        set(p.inverse_mass, p.real, n, n % 2 ? 4 : 0.5);
    }
    kdr_clock clock = {.dt = 0.1};
    run(&desc, &p, &clock, STEPS);
    double heat = 0;
    for (size_t n = 0; n < COUNT; ++n) {
        for (int i = 0; i < 3; ++i) {
            heat += get(p.v[i], p.real, n) * get(p.v[i], p.real, n) / get(p.inverse_mass, p.real, n) / (3 * COUNT);
        }
    }
    cr_expect(close_to(heat, 0.75, 0.03), "%g", heat); /* four standard deviations of the mean of 12,288 squares are 0.04 */
    kdr_particles_destroy(&p);
}

/* With short steps most of the error is rounding: with compensation, a chain of springs in `float` stays close to the one in `double`. */
Test(system_step_end, compensated_floats_keep_to_doubles) {
    enum { COUNT = 64, STEPS = 20000 };
    double off[2] = {0, 0};
    for (int compensated = 0; compensated < 2; ++compensated) {
        kdr_particles p[2];
        for (int real = 0; real < 2; ++real) {
            chain c = {0};
            kdr_system_desc desc = describe_system(KDR_VELOCITY_VERLET, (kdr_real)real, KDR_FUSED, KDR_BACKEND_AUTO);
            desc.accelerations = chain_accelerations, desc.context = &c;
            desc.compensated = compensated && real == KDR_F32;
            p[real] = make_whole(COUNT, 1, (kdr_real)real, false);
            for (size_t n = 0; n < COUNT; ++n) {
                set(p[real].x[0], p[real].real, n, (double)(n * 7 % 13) / 8);
                set(p[real].v[0], p[real].real, n, 0);
            }
            kdr_clock clock = {.dt = 0x1p-12};
            run(&desc, &p[real], &clock, STEPS);
        }
        for (size_t n = 0; n < COUNT; ++n) {
            const double lost = compensated ? get(p[0].compensation[0], KDR_F32, n) : 0;
            off[compensated] += fabs(get(p[0].x[0], KDR_F32, n) + lost - get(p[1].x[0], KDR_F64, n)) / COUNT;
        }
        kdr_particles_destroy(&p[0]);
        kdr_particles_destroy(&p[1]);
    }
    cr_expect(off[1] < off[0] / 20 && off[0] > 1e-6, "%g, compensated %g", off[0], off[1]);
}

/* Charges in a magnetic bottle whose field the user's function computes keep their speeds without other forces. */
Test(system_step_end, a_magnetic_field_of_the_callers_does_no_work) {
    chain c = {0};
    uint64_t seed = 11;
    for (int dims = 2; dims <= 3; ++dims) {
        kdr_system_desc desc = describe_system(KDR_HIGUERA_CARY, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.magnetic = swirl;
        desc.context = &c;
        kdr_particles p = make_particles(100, dims, KDR_F64, false, false), q = make_particles(100, dims, KDR_F64, false, false);
        fill_random(&p, &seed);
        copy_state(&q, &p);
        kdr_clock clock = {.dt = 0.05};
        run(&desc, &q, &clock, 500);
        double turned = 0;
        for (size_t n = 0; n < p.count; ++n) {
            double before = 0, after = 0;
            for (int i = 0; i < dims; ++i) {
                const double u = get(p.v[i], p.real, n), v = get(q.v[i], q.real, n);
                before += u * u, after += v * v, turned += fabs(u - v);
            }
            cr_expect(close_to(after, before, 1e-11 * before), "%d axes, particle %zu: %.17g, %.17g", dims, n, before, after);
        }
        cr_expect(turned > 10);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}

/* Distances at the end of a step are kept together with everything else that acts there. */
Test(system_step_end, distances_beside_walls) {
    enum { COUNT = 24, RODS = 8 };
    kdr_distance rod[RODS];
    uint64_t seed = test_seed();
    const kdr_method methods[] = {KDR_BORIS, KDR_RK4, KDR_VELOCITY_VERLET, KDR_PEFRL};
    for (int round = 0; round < 48; ++round) {
        const int features = (round / 4 % 2 ? WALLS : 0) | (round / 8 % 2 ? ABSORBING : 0);
        const surroundings s = surround(features);
        chain c = {0};
        kdr_system_desc desc = describe_system(methods[round % 4], (kdr_real)(round / 2 % 2), KDR_FUSED, KDR_BACKEND_AUTO);
        describe_features(&desc, &s, features);
        desc.accelerations = chain_accelerations, desc.context = &c;
        desc.distances = rod, desc.distance_count = RODS;
        *(round / 16 % 2 ? &desc.collider_count : &desc.constraint_count) = 0; /* these two exclude each other */
        kdr_particles p = make_particles(COUNT, 3, desc.real, round % 3 == 0, true),
                      q = make_particles(COUNT, 3, desc.real, round % 3 == 0, true);
        fill_random(&p, &seed);
        for (uint32_t n = 0; n < RODS; ++n) {
            double square = 0;
            for (int i = 0; i < 3; ++i) {
                const double d = get(p.x[i], p.real, 2 * n) - get(p.x[i], p.real, 2 * n + 1);
                square += d * d;
            }
            rod[n] = (kdr_distance){.a = 2 * n, .b = 2 * n + 1, .length = sqrt(square)};
        }
        copy_state(&q, &p);
        kdr_clock clock = {.dt = 0x1p-5}, other = clock;
        reference(&desc, &p, &clock, 12);
        run(&desc, &q, &other, 5);
        run(&desc, &q, &other, 7);
        cr_expect(same_bits(&p, &q), "%s, features %d", kdr_method_get(desc.method)->name, features);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}

/* Descriptions that are refused: the message names the member, and what to do instead. */
Test(system_step_end, what_does_not_go_together_says_so) {
    const surroundings s = surround(PERIODIC | WALLS);
    const double mu[] = {1, 1};
    const kdr_interaction gravity = kdr_interaction_gravity(mu, 2, 0.1);
    kdr_system_desc desc[7];
    for (size_t i = 0; i < 7; ++i) {
        desc[i] = kdr_system_desc_default();
    }
    desc[0].boundary = s.boundary, desc[0].interactions = &gravity, desc[0].interaction_count = 1;
    desc[1].levels = true, desc[1].method = KDR_RK4;
    desc[2].magnetic = swirl;
    desc[3].method = KDR_EXACT_AFFINE;
    desc[4].langevin.temperature = 1;
    desc[5].boundary = (kdr_boundary){KDR_BOUNDARY_PERIODIC, {1, 0, 0}, {0, 0, 0}};
    desc[6].method = KDR_STORMER_VERLET;
    const char *const says[] = {"leave out the box, or take a function",
                                "leave out levels",
                                "take boris",
                                "take strang-affine, which has kicks between two of its maps",
                                "take baoab",
                                "boundary",
                                "has positions alone"};
    for (size_t i = 0; i < 7; ++i) {
        kdr_system *made = NULL;
        kdr_error error;
        cr_expect(kdr_system_create(&desc[i], &made, &error) != KDR_OK && !made, "%zu", i);
        cr_expect(strstr(error.message, says[i]) && one_line(&error, error.status), "%zu: %s", i, error.message);
    }
}

/* Computes a cubic well, which no field of the library is. */
static kdr_status cubic(void *context, const kdr_particles *p, double t, void *const a[3]) {
    (void)context, (void)t;
    for (int i = 0; i < p->dims; ++i) {
        for (size_t n = 0; n < p->count; ++n) {
            const double x = get(p->x[i], p->real, n), w = p->inverse_mass ? get(p->inverse_mass, p->real, n) : 1;
            set(a[i], p->real, n, -2 * w * x * x * x);
        }
    }
    return KDR_OK;
}

static double element(const kdr_particles *p, int axis, size_t n) {
    double wide = 0;
    memcpy(&wide, (const char *)p->x[axis] + kdr_offset(&p->x_layout, sizeof wide, n), sizeof wide);
    return wide;
}

static kdr_status cubic_potential(void *context, const kdr_particles *p, double t, double *energy) {
    (void)t;
    *energy = 0;
    for (size_t n = 0; n < p->count; ++n) {
        for (int i = 0; i < p->dims; ++i) {
            *energy += 0.5 * pow(element(p, i, n), 4);
        }
    }
    return context ? *(const kdr_status *)context : KDR_OK;
}

/* With a field, springs between particles, gravity and a user-defined function, the observed energy is their sum, and a run keeps it. */
Test(system_step_end, energy_of_all_that_acts) {
    enum { COUNT = 12 };
    static struct {
        double x[3], v[3];
    } body[COUNT];
    uint64_t seed = 3;
    double mu[COUNT];
    kdr_pair_spring spring[COUNT];
    memset(spring, 0, sizeof spring);
    for (uint32_t n = 0; n < COUNT; ++n) {
        spring[n].a = n, spring[n].b = (n + 1) % COUNT, spring[n].k = 1.5, spring[n].length = 0.75;
    }
    kdr_status fails = KDR_OK;
    const kdr_force field[] = {kdr_force_spring(0.25, 0, 0, 0), kdr_force_uniform_acceleration(0, 0, -0.5)};
    const kdr_interaction between[] = {kdr_interaction_gravity(mu, COUNT, 0.25), kdr_interaction_spring_network(spring, COUNT)};
    kdr_system_desc desc = describe_system(KDR_PEFRL, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    desc.accelerations = cubic, desc.potential = cubic_potential, desc.context = &fails;
    desc.forces = field, desc.force_count = 2, desc.interactions = between, desc.interaction_count = 2;
    kdr_particles p = make_particles(COUNT, 3, KDR_F64, true, false), far = p;
    fill_random(&p, &seed);
    for (size_t n = 0; n < COUNT; ++n) {
        mu[n] = 0.125 / get(p.inverse_mass, p.real, n);
    }
    for (int i = 0; i < 3; ++i) {
        far.x[i] = &body[0].x[i], far.v[i] = &body[0].v[i];
    }
    far.x_layout.stride = far.v_layout.stride = sizeof body[0];
    far.storage = NULL;
    kdr_integrator_desc single = describe(KDR_PEFRL, KDR_F64, KDR_FUSED, field, 2);
    kdr_pairs_desc of_pairs = kdr_pairs_desc_default();
    of_pairs.forces = between, of_pairs.force_count = 2;
    kdr_integrator *integrator = NULL;
    kdr_pairs *pairs = NULL;
    kdr_system *system = NULL;
    kdr_workspace workspace = {0};
    kdr_error error;
    cr_assert(kdr_integrator_create(&single, &integrator, &error) == KDR_OK && kdr_pairs_create(&of_pairs, &pairs, &error) == KDR_OK);
    cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_workspace_create(system, COUNT, 3, (kdr_allocator){0}, &workspace, &error) == KDR_OK);
    kdr_clock clock = {.dt = 0x1p-9};
    kdr_observables first, now, field_alone;
    double pair_energy, own;
    cr_assert(kdr_system_observe(system, &p, &clock, &first, &error) == KDR_OK, "%s", error.message);
    for (int round = 0; round < 5; ++round) {
        cr_assert(kdr_system_run(system, &p, &clock, 200, &workspace, &error) == KDR_OK);
        cr_assert(kdr_system_observe(system, &p, &clock, &now, &error) == KDR_OK);
        cr_assert(kdr_observe(integrator, &p, &clock, &field_alone, &error) == KDR_OK);
        cr_assert(kdr_pairs_potential(pairs, &p, &pair_energy, &error) == KDR_OK && cubic_potential(NULL, &p, 0, &own) == KDR_OK);
        cr_expect(close_to(now.potential, field_alone.potential + pair_energy + own, 1e-12 * fabs(now.kinetic)));
        cr_expect(now.kinetic == field_alone.kinetic && now.energy == now.kinetic + now.potential && fabs(own) > 0.1 && pair_energy != 0);
        cr_expect(close_to(now.energy, first.energy, 1e-8 * fabs(first.kinetic)), "%.17g, %.17g", first.energy, now.energy);
    }
    carry(&far, &p, false); /* in structures the result is the same */
    kdr_observables there;
    cr_assert(kdr_system_observe(system, &far, &clock, &there, &error) == KDR_OK, "%s", error.message);
    cr_expect(memcmp(&there, &now, sizeof now) == 0);
    fails = KDR_ERROR_UNAVAILABLE;
    cr_expect(kdr_system_observe(system, &p, &clock, &there, &error) == fails && memcmp(&there, &now, sizeof now) == 0);
    cr_expect(strstr(error.message, "potential: the function"), "%s", error.message);
    p.count = COUNT - 1;
    cr_expect(kdr_system_observe(system, &p, &clock, &there, &error) == KDR_ERROR_MISMATCH, "%s", error.message);
    cr_expect(kdr_system_observe(NULL, &p, &clock, &there, NULL) == KDR_ERROR_NULL);
    cr_expect(kdr_system_observe(system, &p, &clock, NULL, NULL) == KDR_ERROR_NULL);
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(system);
    kdr_pairs_destroy(pairs);
    kdr_integrator_destroy(integrator);
    kdr_particles_destroy(&p);
}

/* With a function of each particle's own position, a run in blocks has the bits of the whole run, with noise and rotations too. */
Test(system_step_end, blocks_are_the_run) {
    uint64_t seed = test_seed();
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    const struct {
        kdr_method method;
        int features;
    } runs[] = {{KDR_BAOAB, BATH}, {KDR_BORIS, MAGNETIC}, {KDR_HIGUERA_CARY, 0}};
    for (int round = 0; round < 96; ++round) {
        const surroundings s = surround(0);
        const kdr_force b = kdr_force_electromagnetic(1, (double[]){0, 0.5, 0}, (double[]){0.5, -1, 2});
        const size_t count = 1 + (size_t)(random_bits(&seed) % 3000);
        const int dims = 1 + round / 3 % 3;
        chain c = {.fails_at = round % 5 == 4 ? 7 : 0};
        kdr_system_desc desc = describe_system(runs[round % 3].method, (kdr_real)(round / 2 % 2), (kdr_arithmetic)(round / 4 % 2),
                                               backends[(size_t)round % n]);
        describe_features(&desc, &s, runs[round % 3].features);
        desc.accelerations = cubic, desc.context = &c;
        desc.forces = round % 3 == 2 ? &b : NULL, desc.force_count = round % 3 == 2;
        kdr_particles p = make_particles(count, dims, desc.real, round / 7 % 2, false),
                      q = make_particles(count, dims, desc.real, round / 7 % 2, false);
        uint64_t *const id = malloc(count * sizeof *id);
        fill_random(&p, &seed);
        for (size_t i = 0; i < count; ++i) {
            id[i] = random_bits(&seed);
            if (p.inverse_mass && i % 11 == 0) {
                set(p.inverse_mass, p.real, i, 0);
            }
        }
        copy_state(&q, &p);
        p.id = q.id = round % 2 ? id : NULL;
        kdr_clock clock = {0.5, 0.03125, 7}, other = clock;
        kdr_system *system = NULL;
        kdr_error error;
        cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
        const bool fails = c.fails_at && desc.magnetic && dims > 1;
        const kdr_status status = kdr_system_run_blocks(system, &q, &other, 9, &error);
        cr_expect(status == (fails ? KDR_ERROR_UNAVAILABLE : KDR_OK), "%s", error.message);
        c = (chain){0};
        run(&desc, &p, &clock, 9);
        cr_expect(fails || same_bits(&p, &q), "%s, round %d, %zu particles on %d axes", kdr_method_get(desc.method)->name, round, count,
                  dims);
        kdr_system_destroy(system);
        free(id);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}

/* The number of evaluations is known in advance. baoab begins every call with one, because it carries no acceleration, with or without
 * compensations. */
Test(system_step_end, evaluations_are_foretold) {
    const kdr_method methods[] = {KDR_BAOAB, KDR_BORIS, KDR_VELOCITY_VERLET, KDR_RK4};
    for (int round = 0; round < 8; ++round) {
        chain c = {0};
        kdr_system_desc desc = describe_system(methods[round % 4], KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.accelerations = chain_accelerations, desc.context = &c;
        desc.compensated = round / 4 == 1;
        kdr_particles p = make_whole(10, 2, KDR_F64, false);
        kdr_system *system = NULL;
        cr_assert(kdr_system_create(&desc, &system, NULL) == KDR_OK);
        kdr_clock clock = {.dt = 0.125};
        for (int call = 0; call < 3; ++call) {
            const uint64_t foretold = kdr_system_evaluations(system, &p, &clock, 5);
            c.calls = 0;
            run(&desc, &p, &clock, 5);
            cr_expect((uint64_t)c.calls == foretold, "%s, call %d: %d, foretold %d", kdr_method_get(desc.method)->name, call, c.calls,
                      (int)foretold);
        }
        kdr_system_destroy(system);
        kdr_particles_destroy(&p);
    }
}

/* The count of absorbed particles is the number that an absorbing boundary holds. */
Test(system_step_end, who_is_absorbed_is_counted) {
    chain c = {0};
    uint64_t seed = 9;
    kdr_system_desc desc = describe_system(KDR_VELOCITY_VERLET, KDR_F32, KDR_FUSED, KDR_BACKEND_AUTO);
    desc.accelerations = chain_accelerations, desc.context = &c;
    desc.boundary = (kdr_boundary){KDR_BOUNDARY_ABSORBING, {-2, -2, -2}, {2, 2, 2}};
    kdr_particles p = make_particles(300, 3, KDR_F32, false, true), q = make_particles(300, 3, KDR_F32, false, true);
    fill_random(&p, &seed);
    kdr_system *system = NULL;
    cr_assert(kdr_system_create(&desc, &system, NULL) == KDR_OK);
    kdr_clock clock = {.dt = 0.125};
    size_t before = 9, after = 9, stands = 0;
    cr_expect(kdr_system_count_absorbed(system, &p, &before, NULL) == KDR_OK && before == 0);
    run(&desc, &p, &clock, 12);
    cr_expect(kdr_system_count_absorbed(system, &p, &after, NULL) == KDR_OK && after > 50 && after < 300);
    copy_state(&q, &p);
    run(&desc, &q, &clock, 1);
    for (size_t n = 0; n < p.count; ++n) {
        const state s = get_state(&p, n), t = get_state(&q, n);
        stands += memcmp(&s, &t, sizeof s) == 0;
    }
    cr_expect(stands == after, "%zu, %zu", stands, after);
    cr_expect(kdr_system_count_absorbed(NULL, &p, &after, NULL) == KDR_ERROR_NULL);
    kdr_system_destroy(system);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&q);
}

/* All that runs may write of a particle. */
typedef struct whole {
    unsigned char element[15][sizeof(double)];
    double dissipated_energy[2];
    int32_t images[3];
    uint32_t bounces;
} whole;

static whole get_whole(const kdr_particles *p, size_t n) {
    whole w;
    const size_t size = kdr_real_size(p->real);
    memset(&w, 0, sizeof w);
    for (int i = 0; i < 15; ++i) {
        const void *const *const arrays = (const void *const *)(i < 3 ? p->x : i < 6 ? p->v : i < 9 ? p->memory : p->compensation);
        const void *const array = arrays[i < 9 ? i % 3 : i - 9];
        if (array) {
            memcpy(w.element[i], (const char *)array + n * size, size);
        }
    }
    for (int i = 0; i < p->dims; ++i) {
        w.images[i] = p->images[i][n];
    }
    w.dissipated_energy[0] = p->dissipated_energy[0][n], w.dissipated_energy[1] = p->dissipated_energy[1][n];
    w.bounces = p->bounces[n];
    return w;
}

static bool same_whole(whole a, whole b) { return memcmp(&a, &b, sizeof a) == 0; }

static size_t expect_idle_untouched(const kdr_system_desc *desc, bool by_reference, uint64_t *seed) {
    enum { COUNT = 150 };
    static uint8_t active[COUNT];
    static whole before[COUNT];
    kdr_particles p = make_whole(COUNT, 2, desc->real, true);
    counts c = give_counts(&p);
    fill_random(&p, seed);
    size_t idle = 0;
    for (size_t n = 0; n < COUNT; ++n) {
        active[n] = n % 7 != 3;
        set(p.inverse_mass, p.real, n, n % 5 == 1 ? 0 : 0.5);
        for (int i = 0; i < 2; ++i) {
            set(p.memory[i], p.real, n, random_in(seed, -1, 1));
        }
        c.bounces[n] = (uint32_t)n, c.dissipated_energy[0][n] = c.dissipated_energy[1][n] = (double)n,
        c.images[0][n] = c.images[1][n] = (int32_t)n;
        before[n] = get_whole(&p, n);
    }
    p.active = active, p.active_count = COUNT;
    kdr_clock clock = {0.25, 0.125, 3};
    for (int call = 0; call < 3; ++call) {
        (by_reference ? reference : run)(desc, &p, &clock, 3);
    }
    for (size_t n = 0; n < COUNT; ++n) {
        const bool still = same_whole(before[n], get_whole(&p, n));
        cr_expect(still || (active[n] && n % 5 != 1), "%s, particle %zu", kdr_method_get(desc->method)->name, n);
        idle += still;
    }
    free_counts(&c);
    kdr_particles_destroy(&p);
    return idle;
}

/* No bit of a frozen or inactive particle changes, in any array of the view. */
Test(system_step_end, who_does_not_move_keeps_every_bit) {
    uint64_t seed = test_seed();
    const int features[] = {0, WALLS, PERIODIC, WALLS | PERIODIC, ABSORBING, COMPENSATED};
    for (int method = 0; method < KDR_METHOD_COUNT; ++method) {
        for (int f = 0; f < 6; ++f) {
            if (fits(features[f], (kdr_method)method)) {
                const surroundings s = surround(features[f]);
                chain c = {0};
                kdr_system_desc desc = describe_system((kdr_method)method, (kdr_real)(method % 2), KDR_FUSED, KDR_BACKEND_AUTO);
                describe_features(&desc, &s, features[f]);
                desc.accelerations = chain_accelerations, desc.context = &c;
                const size_t idle = expect_idle_untouched(&desc, f % 2, &seed);
                cr_expect(idle >= 47 && (idle < 60 || (features[f] & ABSORBING)), "%zu", idle);
            }
        }
    }
}

static kdr_status own_place(void *context, const kdr_particles *p, double t, void *const a[3]) {
    (void)context;
    for (int i = 0; i < p->dims; ++i) {
        for (size_t n = 0; n < p->count; ++n) {
            set(a[i], p->real, n, p->active && !p->active[n] ? 99 : t - 0.5 * get(p->x[i], p->real, n));
        }
    }
    return KDR_OK;
}

/* The memory of an absorbed particle is the acceleration at the end of its last step; that of a particle that was outside before does not
 * change. */
Test(system_step_end, who_is_absorbed_remembers_its_last_step) {
    uint64_t seed = test_seed();
    for (int kind = 0; kind < 8; ++kind) {
        kdr_system_desc desc =
            describe_system(kind % 4 < 2 ? KDR_VELOCITY_VERLET : KDR_VEFRL, (kdr_real)(kind / 4), KDR_FUSED, KDR_BACKEND_AUTO);
        desc.accelerations = own_place;
        desc.boundary = (kdr_boundary){KDR_BOUNDARY_ABSORBING, {-1.5, -1.5, 0}, {1.5, 1.5, 0}};
        kdr_particles p = make_whole(200, 2, desc.real, false);
        kdr_clock clock = {0, 0.125, 0};
        size_t left = 0;
        fill_random(&p, &seed);
        for (size_t n = 0; n < p.count; ++n) {
            set(p.memory[0], p.real, n, 7), set(p.memory[1], p.real, n, 7);
        }
        (kind % 2 ? reference : run)(&desc, &p, &clock, 12);
        for (size_t n = 0; n < p.count; ++n) {
            const double x[2] = {get(p.x[0], p.real, n), get(p.x[1], p.real, n)};
            if (fabs(x[0]) <= 1.5 && fabs(x[1]) <= 1.5) {
                continue;
            }
            const double a[2] = {get(p.memory[0], p.real, n) + 0.5 * x[0], get(p.memory[1], p.real, n) + 0.5 * x[1]};
            const double steps = a[0] / 0.125; /* the time of that acceleration */
            const bool never = get(p.memory[0], p.real, n) == 7 && get(p.memory[1], p.real, n) == 7;
            cr_expect(never || (close_to(a[0], a[1], 1e-6) && close_to(steps, round(steps), 1e-4) && steps > 0.5 && steps < 12.5),
                      "kind %d, particle %zu: %g, %g", kind, n, a[0], a[1]);
            left += !never;
        }
        cr_expect(left > 20, "%zu", left);
        kdr_particles_destroy(&p);
    }
}
