/* Compensated runs through the public interface: what the particles carry from call to call, and what happens if they do not. Cutting a run
 * into calls, slices or threads changes no bit. The gain in accuracy is tested by physics_compensated.c. */
#include "methods.h"

/* The counts give whole vectors of any width and a tail; blocks of 512 (integrator/run.c) and a part of one. */
enum { COUNT = 37, MANY = 1100 };

/* The methods of the table, and two user-defined ones. */
enum { OWN_TABLEAU = KDR_METHOD_COUNT, OWN_FRACTIONS, METHODS };

static const kdr_tableau kutta_3 = {.stages = 3, .a = {{0}, {0.5}, {-1, 2}}, .b = {1.0 / 6, 2.0 / 3, 1.0 / 6}, .c = {0, 0.5, 1}};
static const kdr_fractions kicks_3 = {.count = 3, .kick = {0.25, 0.5, 0.25}, .drift = {0.5, 0.5, 0}};

/* The fields are Kepler's, one that depends on the velocity if the method accepts it, and a driven one; or affine fields if the method
 * accepts no other. */
enum { FIELDS = 3 };

static problem field_of(int method, int field) {
    const kdr_method_info *info = kdr_method_get((kdr_method)method);
    const kdr_velocity_forces velocity = info ? info->velocity_forces : KDR_VELOCITY_ANY;
    if (info && info->affine) {
        return field < 2 ? damped_spring() : gyration();
    }
    if (field == 0) {
        return kepler();
    }
    if (velocity == KDR_VELOCITY_ANY) {
        return field == 1 ? damped_spring() : everything();
    }
    return field == 1 && velocity == KDR_VELOCITY_MAGNETIC ? softened_magnetic() : softened_driven();
}

typedef struct run {
    problem problem;
    kdr_integrator_desc desc;
    bool memory;    /* the method has memory */
    uint64_t steps; /* more than the table of a driven field's base values holds (integrator/run.c) */
} run;

/* Describes a compensated run. Returns false if the method refuses compensation. */
static bool describe_run(int method, kdr_real real, int field, run *r) {
    r->problem = field_of(method, field);
    r->desc = describe((kdr_method)method, real, KDR_FUSED, r->problem.forces, r->problem.count);
    r->desc.compensated = true;
    r->desc.tableau = method == OWN_TABLEAU ? &kutta_3 : NULL;
    r->desc.fractions = method == OWN_FRACTIONS ? &kicks_3 : NULL;
    const kdr_method_info *info = kdr_method_get((kdr_method)method);
    if (info && kdr_family_get(info->family)->heat_bath) {
        r->desc.langevin = (kdr_langevin){.friction = 0.5, .temperature = 0.25, .seed = 9};
    }
    r->memory = info ? info->memory : method == OWN_FRACTIONS;
    r->steps = 140 / (uint64_t)(info && info->evaluations > 0 ? info->evaluations : 2) + 10;
    return !info || info->compensated;
}

/* The number of cases, each of which includes who runs it. */
enum { CASES = METHODS * KDR_REAL_COUNT * FIELDS * RUNNERS };

static bool describe_case(int i, run *r, int *runner) {
    *runner = i % RUNNERS;
    return describe_run(i / RUNNERS / FIELDS / KDR_REAL_COUNT, (kdr_real)(i / RUNNERS / FIELDS % KDR_REAL_COUNT), i / RUNNERS % FIELDS, r);
}

/* Makes particles whose carried arrays hold NaN, because they need no initialisation. */
static kdr_particles make_carrying(size_t count, int dims, kdr_real real, bool memory, bool compensation) {
    kdr_particles_desc desc = kdr_particles_desc_default();
    desc.count = count;
    desc.dims = dims;
    desc.real = real;
    desc.inverse_mass = true;
    desc.memory = memory;
    desc.compensation = compensation;
    kdr_particles p;
    kdr_error error;
    cr_assert(kdr_particles_create(&desc, &p, &error) == KDR_OK, "%s", error.message);
    for (int i = 0; i < 3 * dims; ++i) {
        void *const array = i < dims ? p.memory[i] : p.compensation[i < 2 * dims ? i - dims : 3 + i - 2 * dims];
        if (array) {
            memset(array, 0xff, count * kdr_real_size(real));
        }
    }
    return p;
}

/* Makes particles near the start of the problem. */
static kdr_particles make_started(const run *r, size_t count, int dims, bool memory, bool compensation) {
    kdr_particles p = make_carrying(count, dims, r->desc.real, memory, compensation);
    uint64_t seed = 20;
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < dims; ++axis) {
            set(p.x[axis], p.real, i, r->problem.start.x[axis] + random_in(&seed, -0.1, 0.1));
            set(p.v[axis], p.real, i, r->problem.start.v[axis] + random_in(&seed, -0.1, 0.1));
        }
        set(p.inverse_mass, p.real, i, random_in(&seed, 0.75, 1.25));
    }
    return p;
}

static const kdr_clock start_clock = {0.5, 0.01, 7};

/* Returns true if x, v and the compensations have equal bits, and the keys are equal. */
static bool same_carried(const kdr_particles *a, const kdr_particles *b) {
    bool same = same_bits(a, b) && a->memory_key == b->memory_key;
    for (int i = 0; same && i < 6; ++i) {
        same = i % 3 >= a->dims || memcmp(a->compensation[i], b->compensation[i], a->count * kdr_real_size(a->real)) == 0;
    }
    return same;
}

/* Runs r->steps steps in calls of random lengths, some of them 0. `forget`: clears the key before each, as after changes by hand. */
static void advance_in_pieces(int runner, const run *r, kdr_particles *p, kdr_clock *clock, bool forget, uint64_t seed) {
    for (uint64_t left = r->steps; left > 0;) {
        uint64_t piece = random_bits(&seed) % 9;
        piece = piece < left ? piece : left;
        p->memory_key = forget ? 0 : p->memory_key;
        advance(runner, &r->desc, p, clock, piece);
        left -= piece;
    }
}

/* With the arrays, a run that is cut into calls gives the bits of one call, in the state and in what is carried. Without them, one call
 * gives the same, but several calls give other bits, because each starts from 0, as with a key of 0. */
Test(compensated, runs_cut_into_calls) {
    const uint64_t seed = test_seed();
    for (int i = 0; i < CASES; ++i) {
        run r;
        int runner;
        if (!describe_case(i, &r, &runner)) {
            continue;
        }
        kdr_particles whole = make_started(&r, COUNT, 3, r.memory, true), pieces = make_started(&r, COUNT, 3, r.memory, true);
        kdr_particles without = make_started(&r, COUNT, 3, false, false), forgetful = make_started(&r, COUNT, 3, r.memory, true);
        kdr_particles bare = make_started(&r, COUNT, 3, false, false);
        kdr_clock clocks[5] = {start_clock, start_clock, start_clock, start_clock, start_clock};
        advance(runner, &r.desc, &whole, &clocks[0], r.steps);
        advance_in_pieces(runner, &r, &pieces, &clocks[1], false, seed);
        advance_in_pieces(runner, &r, &without, &clocks[2], false, seed);
        advance_in_pieces(runner, &r, &forgetful, &clocks[3], true, seed);
        advance(runner, &r.desc, &bare, &clocks[4], r.steps);
        cr_expect(whole.memory_key != 0 && same_carried(&whole, &pieces), "case %d", i);
        cr_expect(bare.memory_key == 0 && same_bits(&whole, &bare), "case %d: one call without arrays", i);
        cr_expect(without.memory_key == 0 && same_bits(&without, &forgetful), "case %d: without arrays", i);
        cr_expect(!same_bits(&whole, &without), "case %d: nothing was carried", i);
        kdr_particles_destroy(&whole);
        kdr_particles_destroy(&pieces);
        kdr_particles_destroy(&without);
        kdr_particles_destroy(&forgetful);
        kdr_particles_destroy(&bare);
    }
}

/* Returns true if the arrays still hold the NaN of make_carrying. */
static bool untouched(const kdr_particles *p, void *const array[3]) {
    for (int axis = 0; axis < p->dims; ++axis) {
        for (size_t j = 0; j < p->count * kdr_real_size(p->real); ++j) {
            if (((const unsigned char *)array[axis])[j] != 0xff) {
                return false;
            }
        }
    }
    return true;
}

/* Arrays that a run does not need are not touched: all, in a plain run of a method without memory; or the only one, if the run would have
 * to carry two kinds and the other is missing. */
Test(compensated, arrays_of_no_use) {
    int halves = 0;
    for (int i = 0; i < CASES; ++i) {
        run r;
        int runner;
        if (!describe_case(i, &r, &runner)) {
            continue;
        }
        kdr_particles bare = make_started(&r, COUNT, 3, false, false);
        kdr_clock clock = start_clock;
        advance(runner, &r.desc, &bare, &clock, r.steps);
        for (int half = 0; r.memory && half < 2; ++half, ++halves) {
            kdr_particles p = make_started(&r, COUNT, 3, half == 0, half == 1);
            clock = start_clock;
            advance(runner, &r.desc, &p, &clock, r.steps);
            cr_expect(p.memory_key == 0 && same_bits(&p, &bare), "case %d, half %d", i, half);
            cr_expect(half == 0 ? untouched(&p, p.memory) : untouched(&p, p.compensation) && untouched(&p, p.compensation + 3), "case %d",
                      i);
            kdr_particles_destroy(&p);
        }
        kdr_particles plain = make_started(&r, COUNT, 3, r.memory, false), lent = make_started(&r, COUNT, 3, r.memory, true);
        r.desc.compensated = false;
        kdr_clock other = clock = start_clock;
        advance(runner, &r.desc, &plain, &clock, r.steps);
        advance(runner, &r.desc, &lent, &other, r.steps);
        cr_expect(same_bits(&plain, &lent) && plain.memory_key == lent.memory_key && (lent.memory_key != 0) == r.memory, "case %d", i);
        cr_expect(untouched(&lent, lent.compensation) && untouched(&lent, lent.compensation + 3), "case %d: a plain run", i);
        cr_expect(!same_bits(&plain, &bare), "case %d: compensated and plain", i);
        kdr_particles_destroy(&bare);
        kdr_particles_destroy(&plain);
        kdr_particles_destroy(&lent);
    }
    cr_expect(halves > 0);
}

/* Events between two runs of one problem after which the second starts from 0. */
static const char *const changes[] = {"nothing",      "a plain run",   "another dt",         "another t0",
                                      "another step", "another field", "another arithmetic", "a key of 0"};
enum { CHANGES = sizeof changes / sizeof *changes };

static void make_change(int change, int runner, run *r, kdr_particles *p, kdr_clock *clock) {
    if (change == 1) {
        kdr_integrator_desc plain = r->desc;
        plain.compensated = false;
        advance(runner, &plain, p, clock, 3);
    } else if (change == 5) {
        *(r->problem.forces[0].kind == KDR_SPRING ? r->problem.forces[0].as.spring.k : &r->problem.forces[0].as.centre.mu) *= 1.5;
    } else if (change == 6) {
        r->desc.arithmetic = KDR_UNFUSED;
    } else if (change == 7) {
        p->memory_key = 0;
    }
    clock->dt *= change == 2 ? 0.5 : 1;
    clock->t0 += change == 3;
    clock->step += change == 4;
}

Test(compensated, what_is_carried_belongs_to_a_run) {
    static const kdr_method methods[] = {KDR_RK4, KDR_VELOCITY_VERLET, KDR_IMPLICIT_MIDPOINT, KDR_BORIS};
    for (int i = 0; i < CHANGES * (int)(sizeof methods / sizeof *methods) * FIELDS * RUNNERS; ++i) {
        const int change = i % CHANGES, runner = i / CHANGES % RUNNERS;
        run r;
        cr_assert(describe_run((int)methods[i / CHANGES / RUNNERS / FIELDS], KDR_F32, i / CHANGES / RUNNERS % FIELDS, &r));
        r.desc.forces = r.problem.forces;
        kdr_particles p = make_started(&r, COUNT, 3, r.memory, true), fresh = make_started(&r, COUNT, 3, r.memory, true);
        kdr_clock clock = start_clock;
        advance(runner, &r.desc, &p, &clock, 40);
        make_change(change, runner, &r, &p, &clock);
        copy_state(&fresh, &p);
        kdr_clock other = clock;
        advance(runner, &r.desc, &p, &clock, 40);
        advance(runner, &r.desc, &fresh, &other, 40);
        cr_expect(same_carried(&p, &fresh) == (change != 0), "case %d: after %s", i, changes[change]);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&fresh);
    }
}

/* Everything that changes what is kept gives another key: arithmetic, compensation and precision in all combinations, and each of the
 * walls. */
Test(compensated, keys_tell_runs_apart) {
    enum { RUNS = 8 + 9 };
    static const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1}, far[3] = {9, 9, 9};
    const kdr_force forces[] = {kdr_force_spring(4, 0, 0, 0), kdr_force_drag(0.1, 0, 0, 0)};
    kdr_collider walls[4] = {kdr_collider_plane(origin, up), kdr_collider_plane(far, up), kdr_collider_sphere(origin, 9, true),
                             kdr_collider_plane(origin, up)};
    walls[3].restitution = 0.5;
    const kdr_constraint rods[2] = {kdr_constraint_rod(far, 1), kdr_constraint_rod(far, 2)};
    uint64_t key[RUNS];
    for (int n = 0; n < RUNS; ++n) {
        const int wall = n - 8, border = n - 14;
        kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, wall < 0 ? (kdr_real)(n / 4) : KDR_F64,
                                            wall < 0 ? (kdr_arithmetic)(n % 2) : KDR_FUSED, forces, 2);
        desc.compensated = wall < 0 && n / 2 % 2;
        desc.colliders = wall >= 0 && wall < 4 ? &walls[wall] : NULL;
        desc.collider_count = desc.colliders != NULL;
        desc.constraints = wall >= 4 && wall < 6 ? &rods[wall - 4] : NULL;
        desc.constraint_count = desc.constraints != NULL;
        if (border >= 0) {
            desc.boundary.kind = border < 2 ? KDR_BOUNDARY_PERIODIC : KDR_BOUNDARY_ABSORBING;
            for (int axis = 0; axis < 3; ++axis) {
                desc.boundary.max[axis] = border == 1 ? 8 : 9;
            }
        }
        kdr_particles_desc arrays = kdr_particles_desc_default();
        arrays.count = 1, arrays.real = desc.real, arrays.memory = arrays.compensation = true;
        kdr_particles p;
        cr_assert(kdr_particles_create(&arrays, &p, NULL) == KDR_OK);
        kdr_clock clock = {0, 0.125, 0};
        advance(BY_INTEGRATOR, &desc, &p, &clock, 1);
        key[n] = p.memory_key;
        cr_expect(key[n] != 0);
        for (int m = 0; m < n; ++m) {
            cr_expect(key[m] != key[n], "runs %d and %d have one key", m, n);
        }
        kdr_particles_destroy(&p);
    }
}

/* A run continues from copies of all arrays at other addresses with the same key, as from a file of states. */
Test(compensated, a_copy_goes_on) {
    for (int i = 0; i < CASES; ++i) {
        run r;
        int runner;
        if (!describe_case(i, &r, &runner)) {
            continue;
        }
        kdr_particles p = make_started(&r, COUNT, 3, r.memory, true), copy = make_started(&r, COUNT, 3, r.memory, true);
        kdr_clock clock = start_clock;
        advance(runner, &r.desc, &p, &clock, r.steps);
        copy_state(&copy, &p);
        for (int a = 0; a < 9; ++a) {
            if (a < 6 || r.memory) {
                memcpy(a < 6 ? copy.compensation[a] : copy.memory[a - 6], a < 6 ? p.compensation[a] : p.memory[a - 6],
                       COUNT * kdr_real_size(p.real));
            }
        }
        copy.memory_key = p.memory_key;
        kdr_clock other = clock;
        advance(runner, &r.desc, &p, &clock, 5);
        advance(RUNNERS - 1 - runner, &r.desc, &copy, &other, 5); /* whoever runs it: the reference after the integrator, and back */
        cr_expect(same_carried(&p, &copy), "case %d", i);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&copy);
    }
}

/* Slices of particles carry their part of the arrays from call to call. */
Test(compensated, batches_cut_into_slices) {
    uint64_t seed = test_seed();
    for (int i = 0; i < CASES; ++i) {
        run r;
        int runner;
        if (!describe_case(i, &r, &runner) || runner == BY_REFERENCE) {
            continue;
        }
        kdr_particles whole = make_started(&r, MANY, 2, r.memory, true), pieces = make_started(&r, MANY, 2, r.memory, true);
        kdr_clock clock = start_clock;
        advance(runner, &r.desc, &whole, &clock, r.steps);
        for (size_t begin = 0; begin < MANY;) {
            kdr_particles slice = kdr_particles_slice(&pieces, begin, 1 + random_bits(&seed) % 700);
            kdr_clock own = start_clock;
            const uint64_t first = random_bits(&seed) % r.steps;
            advance(runner, &r.desc, &slice, &own, first);
            advance(runner, &r.desc, &slice, &own, r.steps - first);
            cr_expect(slice.memory_key == whole.memory_key);
            begin += slice.count;
        }
        pieces.memory_key = whole.memory_key;
        cr_expect(same_carried(&whole, &pieces), "case %d", i);
        kdr_particles_destroy(&whole);
        kdr_particles_destroy(&pieces);
    }
}

/* All executors give equal bits, whether the arrays are the particles' or, in a driven field, those of a block. */
Test(compensated, executors) {
    kdr_executor executors[MAX_EXECUTORS];
    const size_t n = list_executors(executors);
    for (int i = 0; i < METHODS * 2 * 2; ++i) {
        run r;
        const bool lent = i % 2;
        if (!describe_run(i / 4, lent ? KDR_F32 : KDR_F64, 1 + i / 2 % 2, &r)) {
            continue;
        }
        kdr_particles serial = make_started(&r, MANY, 3, lent && r.memory, lent);
        kdr_clock clock = start_clock;
        advance(BY_INTEGRATOR, &r.desc, &serial, &clock, r.steps);
        for (size_t e = 0; e < n; ++e) {
            kdr_particles p = make_started(&r, MANY, 3, lent && r.memory, lent);
            r.desc.executor = executors[e];
            clock = start_clock;
            advance(BY_INTEGRATOR, &r.desc, &p, &clock, r.steps);
            cr_expect(lent ? same_carried(&p, &serial) : same_bits(&p, &serial), "case %d, executor %zu", i, e);
            kdr_particles_destroy(&p);
        }
        kdr_particles_destroy(&serial);
    }
}

/* Any address is accepted, and the pointers of axes beyond `dims` are not read. */
Test(compensated, lent_at_any_address) {
    enum { ROOM = COUNT * 8 + 16 };
    static unsigned char block[6][ROOM];
    for (int i = 0; i < CASES * 2; ++i) {
        run r;
        int runner;
        const int dims = 1 + i / CASES;
        if (!describe_case(i % CASES, &r, &runner)) {
            continue;
        }
        kdr_particles p = make_started(&r, COUNT, dims, r.memory, true), lent = make_started(&r, COUNT, dims, r.memory, false);
        memset(block, 0xa5, sizeof block);
        const size_t bytes = COUNT * kdr_real_size(p.real);
        for (int a = 0; a < 6; ++a) {
            lent.compensation[a] = a % 3 < dims ? &block[a][1 + a] : (void *)(uintptr_t)1;
        }
        kdr_clock clock = start_clock, other = start_clock;
        for (int call = 0; call < 2; ++call) {
            advance(runner, &r.desc, &p, &clock, 12);
            advance(runner, &r.desc, &lent, &other, 12);
        }
        cr_expect(same_carried(&p, &lent), "case %d", i);
        for (int a = 0; a < 6; ++a) {
            for (size_t j = 0; j < ROOM; ++j) {
                const bool inside = a % 3 < dims && j >= 1 + (size_t)a && j < 1 + (size_t)a + bytes;
                cr_expect(inside || block[a][j] == 0xa5, "case %d, array %d: byte %zu beside it", i, a, j);
            }
        }
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&lent);
    }
}

/* A frozen particle keeps every bit, those of its compensation too, and does not affect the others. */
Test(compensated, frozen_particles) {
    for (int i = 0; i < CASES; ++i) {
        run r;
        int runner;
        if (!describe_case(i, &r, &runner)) {
            continue;
        }
        kdr_particles free = make_started(&r, COUNT, 3, r.memory, true), some = make_started(&r, COUNT, 3, r.memory, true);
        kdr_particles before = make_started(&r, COUNT, 3, r.memory, true);
        for (size_t j = 0; j < COUNT; j += 3) {
            set(some.inverse_mass, some.real, j, 0);
        }
        kdr_clock clock = start_clock, other = start_clock;
        advance(runner, &r.desc, &free, &clock, r.steps);
        advance(runner, &r.desc, &some, &other, r.steps);
        before.memory_key = some.memory_key;
        for (size_t j = 0; j < COUNT; ++j) {
            const kdr_particles now = kdr_particles_slice(&some, j, 1), then = kdr_particles_slice(j % 3 ? &free : &before, j, 1);
            cr_expect(same_carried(&now, &then), "case %d, particle %zu", i, j);
        }
        kdr_particles_destroy(&free);
        kdr_particles_destroy(&some);
        kdr_particles_destroy(&before);
    }
}

/* The temporary arrays of a driven run have room for all particles that are stepped at once, whatever is lent, from piece to piece. */
Test(compensated, driven_runs_of_many) {
    const kdr_force forces[] = {kdr_force_driven(1, 2, 3, 1.5, 0.25), kdr_force_spring(1, 2, 3, 0)};
    static const kdr_method methods[] = {KDR_SEMI_IMPLICIT_EULER, KDR_VELOCITY_VERLET, KDR_RK4};
    for (int n = 0; n < 12; ++n) {
        kdr_integrator_desc desc = describe(methods[n / 4], n & 1 ? KDR_F32 : KDR_F64, KDR_UNFUSED, forces, 2);
        desc.compensated = (n & 2) != 0;
        kdr_particles p[2];
        for (int i = 0; i < 2; ++i) {
            uint64_t seed = 13;
            kdr_clock clock = {0, 0.0625, 0};
            p[i] = make_particles(5000, 3, desc.real, false, false);
            fill_random(&p[i], &seed);
            advance(i ? BY_REFERENCE : BY_INTEGRATOR, &desc, &p[i], &clock, 90);
        }
        cr_expect(same_bits(&p[0], &p[1]), "%s, %s, %d", kdr_method_get(desc.method)->name, kdr_real_name(desc.real), desc.compensated);
        kdr_particles_destroy(&p[0]);
        kdr_particles_destroy(&p[1]);
    }
}

/* A particle that slides on the ground far from the origin moves, although its path in a step is less than half a unit in the last
 * place. */
Test(compensated, what_slides_on_the_ground_moves) {
    static const kdr_method methods[] = {KDR_SEMI_IMPLICIT_EULER, KDR_VELOCITY_VERLET, KDR_RK4, KDR_BAOAB};
    const kdr_force weight = kdr_force_uniform_acceleration(0, 0, -10);
    kdr_collider ground = kdr_collider_plane((double[]){0, 0, 0}, (double[]){0, 0, 1});
    ground.restitution = 0.5;
    for (int n = 0; n < 8; ++n) {
        kdr_integrator_desc desc = describe(methods[n / 2], KDR_F32, KDR_FUSED, &weight, 1);
        desc.colliders = &ground, desc.collider_count = 1, desc.compensated = n % 2;
        kdr_particles p = make_particles(40, 3, KDR_F32, false, true), twin = make_particles(40, 3, KDR_F32, false, true);
        kdr_clock clock = {.dt = 1.0 / 60}, other = clock;
        for (size_t i = 0; i < p.count; ++i) {
            set(p.x[0], KDR_F32, i, 65536);
            set(p.v[0], KDR_F32, i, 0.1);
        }
        copy_state(&twin, &p);
        advance(BY_INTEGRATOR, &desc, &p, &clock, 600);
        advance(BY_REFERENCE, &desc, &twin, &other, 600);
        const double way = get(p.x[0], KDR_F32, 7) - 65536;
        cr_expect(same_bits(&p, &twin) && (n % 2 ? fabs(way - 1) < 0.01 : way == 0), "%s, compensated %d: %g",
                  kdr_method_get(methods[n / 2])->name, n % 2, way);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&twin);
    }
}
