/* flush_small_to_zero: which numbers become 0 and when, the end of damped motion, and refusals. */
#include "system_support.h"

#include <float.h>

enum { PERIOD = 128 };

static double nothing_of(kdr_real real) { return real == KDR_F32 ? 0x1p-100 : 0x1p-900; }

static double below(kdr_real real, double a) { return real == KDR_F32 ? (double)nextafterf((float)a, 0.0F) : nextafter(a, 0.0); }

static kdr_integrator_desc resting(kdr_method method, kdr_real real, const kdr_force *forces, size_t count) {
    kdr_integrator_desc desc = describe(method, real, KDR_FUSED, forces, count);
    desc.flush_small_to_zero = true;
    return desc;
}

/* Free motion at x = 1 for many vectors and a tail. */
Test(flush_small, is_at_the_128th_step_and_below_the_bound_alone) {
    enum { COUNT = 700, KINDS = 8 };
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        const double nothing = nothing_of((kdr_real)real), under = below((kdr_real)real, nothing);
        const double smallest = real == KDR_F32 ? 0x1p-149 : 0x1p-1074;
        const double before[KINDS] = {nothing, under, -nothing, -under, smallest, -0.0, 1.5, NAN};
        const double after[KINDS] = {nothing, 0, -nothing, 0, 0, 0, 1.5, NAN};
        for (int by = 0; by < 2; ++by) {
            kdr_particles p = make_particles(COUNT, 2, (kdr_real)real, false, true);
            kdr_clock clock = {0, 0x1p-10, 5 * PERIOD + 3};
            const kdr_integrator_desc desc = resting(KDR_VELOCITY_VERLET, (kdr_real)real, NULL, 0);
            for (size_t i = 0; i < COUNT; ++i) {
                set(p.x[0], p.real, i, 1);
                set(p.v[0], p.real, i, before[i % KINDS]);
                set(p.x[1], p.real, i, before[i % KINDS]);
            }
            for (int part = 0; part < 2; ++part) {
                advance(by ? BY_REFERENCE : BY_INTEGRATOR, &desc, &p, &clock, part == 0 ? PERIOD - 4 : 1);
                const double *const expected = part == 0 ? before : after;
                for (size_t i = 0; i < COUNT; ++i) {
                    const double v = get(p.v[0], p.real, i), y = get(p.x[1], p.real, i), wanted = expected[i % KINDS];
                    cr_assert((isnan(wanted) && isnan(v) && isnan(y)) || (v == wanted && y == wanted), "particle %zu: %a and %a, not %a", i,
                              v, y, wanted);
                    cr_assert(isnan(wanted) || part == 0 || wanted != 0 || !(signbit(v) || signbit(y)), "particle %zu", i);
                }
            }
            kdr_particles_destroy(&p);
        }
    }
}

static int subnormals(const kdr_particles *p) {
    const double normal = p->real == KDR_F32 ? (double)FLT_MIN : DBL_MIN;
    int found = 0;
    for (size_t i = 0; i < p->count; ++i) {
        for (int axis = 0; axis < p->dims; ++axis) {
            const double x = fabs(get(p->x[axis], p->real, i)), v = fabs(get(p->v[axis], p->real, i));
            found += (x > 0 && x < normal) + (v > 0 && v < normal);
        }
    }
    return found;
}

/* Oscillators lose a twentieth of their amplitude per step, until all would be subnormal. Without the flag many are. */
Test(flush_small, damped_motion_comes_to_rest_and_is_never_subnormal) {
    static const kdr_method methods[] = {KDR_SEMI_IMPLICIT_EULER, KDR_VELOCITY_VERLET, KDR_RK4, KDR_EXACT_AFFINE, KDR_IMPLICIT_MIDPOINT};
    const kdr_force forces[] = {kdr_force_spring(4, 0, 0, 0), kdr_force_drag(1, 0, 0, 0)};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        for (int kind = 0; kind < KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT; ++kind) {
            const int real = kind % KDR_REAL_COUNT;
            for (int rests = 0; rests < 2; ++rests) {
                uint64_t seed = 5;
                int found = 0;
                kdr_particles p = make_particles(100, 3, (kdr_real)real, false, true);
                kdr_clock clock = {0, 0.1, 0};
                kdr_integrator_desc desc = resting(methods[m], (kdr_real)real, forces, 2);
                desc.flush_small_to_zero = rests;
                desc.arithmetic = kind < KDR_REAL_COUNT ? KDR_FUSED : KDR_UNFUSED;
                fill_random(&p, &seed);
                const uint64_t end = real == KDR_F32 ? 2100 : 15200;
                while (clock.step < end) {
                    advance(BY_INTEGRATOR, &desc, &p, &clock, 13);
                    found += subnormals(&p);
                }
                cr_assert(rests ? found == 0 : found > 100, "%s: %d", kdr_method_get(methods[m])->name, found);
                for (size_t i = 0; i < p.count && rests; ++i) {
                    cr_assert(get(p.x[0], p.real, i) == 0 && get(p.v[2], p.real, i) == 0, "%s: particle %zu is at %g",
                              kdr_method_get(methods[m])->name, i, get(p.x[0], p.real, i));
                }
                kdr_particles_destroy(&p);
            }
        }
    }
}

/* A method with substeps rests only after whole steps, anywhere in a run. */
Test(flush_small, follows_the_steps_of_a_composed_method) {
    for (int by = 0; by < 2; ++by) {
        for (int extra = 0; extra < 2; ++extra) {
            kdr_particles p = make_particles(9, 3, KDR_F64, false, false);
            kdr_clock clock = {0, 0x1p-10, PERIOD - 100};
            kdr_integrator_desc desc = resting(KDR_BORIS, KDR_F64, NULL, 0);
            desc.compose = KDR_COMPOSE_SUZUKI_4;
            set(p.v[2], KDR_F64, 8, 0x1p-901);
            advance(by ? BY_REFERENCE : BY_INTEGRATOR, &desc, &p, &clock, 99 + (uint64_t)extra);
            cr_assert((get(p.v[2], KDR_F64, 8) == 0) == (extra == 1), "%s", by ? "reference" : "integrator");
            kdr_particles_destroy(&p);
        }
    }
}

/* When a position becomes 0, the acceleration that a Verlet method keeps becomes 0 too. */
Test(flush_small, what_a_method_remembers_rests_too) {
    const kdr_force spring = kdr_force_spring(2, 0, 0, 0);
    for (int by = 0; by < 2; ++by) {
        kdr_particles p = make_particles(40, 1, KDR_F64, false, true);
        kdr_clock clock = {0, 0x1p-20, PERIOD - 1};
        const kdr_integrator_desc desc = resting(KDR_VELOCITY_VERLET, KDR_F64, &spring, 1);
        for (size_t i = 0; i < p.count; ++i) {
            set(p.x[0], KDR_F64, i, i % 2 ? 1 : 0x1p-910);
            set(p.v[0], KDR_F64, i, 0);
        }
        advance(by ? BY_REFERENCE : BY_INTEGRATOR, &desc, &p, &clock, 1);
        for (size_t i = 0; i < p.count; ++i) {
            cr_assert((get(p.memory[0], KDR_F64, i) == 0) == (i % 2 == 0), "particle %zu: %g", i, get(p.memory[0], KDR_F64, i));
        }
        kdr_particles_destroy(&p);
    }
}

/* Between two rests a run continues with the acceleration that it keeps, also for particles without memory. Drag makes it differ from a new
 * evaluation. */
Test(flush_small, goes_on_between_rests) {
    const kdr_force forces[] = {kdr_force_spring(2, 0, 0, 0), kdr_force_drag(0.5, 0, 0, 0)};
    for (int n = 0; n < KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT; ++n) {
        kdr_integrator_desc desc = resting(KDR_VELOCITY_VERLET, (kdr_real)(n % 2), forces, 2);
        desc.arithmetic = (kdr_arithmetic)(n / 2);
        kdr_particles expected = make_particles(200, 3, desc.real, false, false), p = make_particles(200, 3, desc.real, false, false);
        uint64_t seed = 7;
        fill_random(&expected, &seed);
        copy_state(&p, &expected);
        kdr_clock clock = {0, 0.0625, 5}, again = clock;
        advance(BY_REFERENCE, &desc, &expected, &clock, 2 * PERIOD + 9);
        advance(BY_INTEGRATOR, &desc, &p, &again, 2 * PERIOD + 9);
        cr_expect(same_bits(&p, &expected), "%d", n);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&expected);
    }
}

/* A uniform acceleration of nearly 0 becomes 0 too, and the next step begins with the result. */
Test(flush_small, a_slight_weight_rests) {
    const kdr_collider far = kdr_collider_plane((double[]){0, 0, -100}, (double[]){0, 0, 1});
    for (int n = 0; n < KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT * 4; ++n) {
        const kdr_real real = (kdr_real)(n % KDR_REAL_COUNT);
        const kdr_force weight = kdr_force_uniform_acceleration(0.125 * nothing_of(real), 0, -10);
        kdr_integrator_desc desc = resting(KDR_VELOCITY_VERLET, real, &weight, 1);
        desc.arithmetic = (kdr_arithmetic)(n / KDR_REAL_COUNT % KDR_ARITHMETIC_COUNT);
        desc.colliders = &far, desc.collider_count = n >= 8; /* this collider does not change the memory */
        const bool memory = n / 4 % 2 == 1;
        kdr_particles expected = make_particles(300, 3, real, false, memory), p = make_particles(300, 3, real, false, memory);
        for (size_t i = 0; i < p.count; ++i) {
            set(expected.v[0], real, i, (1 + (double)i / 300) * nothing_of(real));
        }
        copy_state(&p, &expected);
        kdr_clock clock = {0, 0.125, PERIOD - 8}, again = clock;
        advance(BY_REFERENCE, &desc, &expected, &clock, 20);
        advance(BY_INTEGRATOR, &desc, &p, &again, 20);
        cr_expect(same_bits(&p, &expected), "%d", n);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&expected);
    }
}

/* A memory that has rested is not valid for a run that does not rest, which starts afresh from x and v. */
Test(flush_small, is_part_of_what_a_memory_belongs_to) {
    const kdr_force spring = kdr_force_spring(2, 0, 0, 0);
    kdr_particles p = make_particles(4, 1, KDR_F64, false, true);
    kdr_clock clock = {0, 0.01, 0};
    kdr_integrator_desc desc = resting(KDR_VELOCITY_VERLET, KDR_F64, &spring, 1);
    advance(BY_INTEGRATOR, &desc, &p, &clock, 1);
    const uint64_t key = p.memory_key;
    clock.step = 0;
    desc.flush_small_to_zero = false;
    advance(BY_INTEGRATOR, &desc, &p, &clock, 1);
    cr_assert(key != 0 && p.memory_key != 0 && p.memory_key != key);
    kdr_particles_destroy(&p);
}

Test(flush_small, is_refused_where_a_run_has_no_velocities) {
    kdr_error error;
    kdr_integrator *integrator;
    const kdr_integrator_desc desc = resting(KDR_STORMER_VERLET, KDR_F64, NULL, 0);
    cr_assert(kdr_integrator_create(&desc, &integrator, &error) == KDR_ERROR_UNSUPPORTED);
    cr_assert(strcmp(error.message, "flush_small_to_zero: stormer-verlet has no velocity during a run; take velocity-verlet") == 0, "%s",
              error.message);
}

/* Makes particles that are nearly 0 on the second axis, some above and some below the bound. */
static kdr_particles make_slight(kdr_real real, bool masses, uint64_t seed) {
    kdr_particles p = make_particles(70, 3, real, masses, true);
    fill_random(&p, &seed);
    for (size_t i = 0; i < p.count; ++i) {
        set(p.x[1], real, i, get(p.x[1], real, i) * 8 * nothing_of(real));
        set(p.v[1], real, i, get(p.v[1], real, i) * 8 * nothing_of(real));
        if (masses && i % 7 == 0) {
            set(p.inverse_mass, real, i, 0);
        }
    }
    return p;
}

enum { ALONE, MASSES, COMPENSATED, GROUND, PERIODIC, ABSORBING, SURROUNDINGS };

static kdr_integrator_desc surrounded(kdr_method method, int real, int by, const kdr_force *force, const kdr_collider *ground) {
    kdr_integrator_desc desc = resting(method, (kdr_real)real, force, 1);
    desc.compensated = by == COMPENSATED;
    desc.colliders = ground, desc.collider_count = by == GROUND;
    desc.boundary = (kdr_boundary){by == PERIODIC    ? KDR_BOUNDARY_PERIODIC
                                   : by == ABSORBING ? KDR_BOUNDARY_ABSORBING
                                                     : KDR_BOUNDARY_NONE,
                                   {-1.75, -3, -3},
                                   {1.75, 3, 3}};
    return desc;
}

/* System runs rest as field runs of the same field. The exceptions are walls, after which accelerations are evaluated again after the
 * rest: with a ground for all particles, in blocks for those that hit it; with a periodic boundary, in field runs, for those that are put
 * back. */
Test(flush_small, system_runs_rest_as_field_runs_do) {
    const kdr_force spring = kdr_force_spring(2, 0, 0, 0), weight = kdr_force_uniform_acceleration(0, 0, -2);
    kdr_collider ground = kdr_collider_plane((double[]){0, 0, -1}, (double[]){0, 0, 1});
    ground.restitution = 0.5;
    int rested = 0;
    for (int n = 0; n < KDR_METHOD_COUNT * KDR_REAL_COUNT * SURROUNDINGS; ++n) {
        const kdr_method method = (kdr_method)(n / KDR_REAL_COUNT / SURROUNDINGS);
        const int real = n / SURROUNDINGS % KDR_REAL_COUNT, by = n % SURROUNDINGS;
        const kdr_method_info *const info = kdr_method_get(method);
        if (!has_field_bits(method) || (by == COMPENSATED && !info->compensated)) {
            continue;
        }
        const kdr_integrator_desc desc = surrounded(method, real, by, by == GROUND ? &weight : &spring, &ground);
        kdr_system_desc system = describe_system(method, desc.real, desc.arithmetic, KDR_BACKEND_AUTO);
        system.forces = desc.forces, system.force_count = 1;
        system.compensated = desc.compensated, system.boundary = desc.boundary;
        system.colliders = desc.colliders, system.collider_count = desc.collider_count;
        system.flush_small_to_zero = true;
        kdr_particles expected = make_slight(desc.real, by == MASSES, 7);
        kdr_clock clock = {0, 0.0625, 5};
        advance(BY_INTEGRATOR, &desc, &expected, &clock, 2 * PERIOD - 5);
        for (int blocks = info->start_evaluations == 0 ? 0 : by == GROUND ? 1 : by == PERIODIC ? 2 : 0; blocks < 2; ++blocks) {
            kdr_particles p = make_slight(desc.real, by == MASSES, 7);
            kdr_clock again = {0, 0.0625, 5};
            (blocks ? run_in_blocks : run)(&system, &p, &again, 2 * PERIOD - 5);
            cr_expect(same_bits(&p, &expected), "%s, %d, blocks %d", info->name, n, blocks);
            cr_expect(!info->memory || by == ABSORBING || memcmp(p.memory[1], expected.memory[1], p.count * kdr_real_size(p.real)) == 0,
                      "%s, %d, blocks %d", info->name, n, blocks);
            for (size_t i = 0; i < p.count; ++i) {
                rested += get(p.v[1], p.real, i) == 0;
            }
            kdr_particles_destroy(&p);
        }
        kdr_particles_destroy(&expected);
    }
    cr_expect(rested > 100, "%d", rested);
}

static kdr_status pull_to_neighbours(void *context, const kdr_particles *p, double t, void *const a[3]) {
    (void)context, (void)t;
    for (int axis = 0; axis < p->dims; ++axis) {
        for (size_t i = 0; i < p->count; ++i) {
            set(a[axis], p->real, i, get(p->x[axis], p->real, (i + 1) % p->count) - 2 * get(p->x[axis], p->real, i));
        }
    }
    return KDR_OK;
}

/* With one level for all, a run equals that many steps without levels, rests included. */
Test(flush_small, levels_rest_by_the_clock_of_the_highest) {
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_SEMI_IMPLICIT_EULER, KDR_DRIFT_KICK_EULER};
    enum { LEVEL = 3 };
    for (int n = 0; n < 3 * KDR_REAL_COUNT * 2; ++n) {
        const kdr_real real = (kdr_real)(n / 3 % KDR_REAL_COUNT);
        kdr_system_desc desc = describe_system(methods[n % 3], real, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.accelerations = pull_to_neighbours;
        desc.flush_small_to_zero = n < 3 * KDR_REAL_COUNT;
        kdr_particles plain = make_slight(real, false, 9), leveled = make_slight(real, false, 9),
                      by_reference = make_slight(real, false, 9);
        uint8_t level[70];
        kdr_clock clock = {0, 0x1p-7, 3 << LEVEL}, again = {0, 0x1p-4, 3}, third = again;
        memset(level, LEVEL, sizeof level);
        run(&desc, &plain, &clock, 13 << LEVEL);
        desc.levels = true;
        leveled.level = by_reference.level = level, leveled.level_count = by_reference.level_count = leveled.count;
        run(&desc, &leveled, &again, 13);
        reference(&desc, &by_reference, &third, 13);
        cr_expect(same_bits(&plain, &leveled) && same_bits(&plain, &by_reference), "%d", n);
        int rested = 0;
        for (size_t i = 0; i < plain.count; ++i) {
            rested += get(plain.v[1], real, i) == 0;
        }
        cr_expect((rested > 0) == desc.flush_small_to_zero, "%d: %d", n, rested);
        kdr_particles_destroy(&plain);
        kdr_particles_destroy(&leveled);
        kdr_particles_destroy(&by_reference);
    }
}

/* A function that fails after a rest undoes the whole step. */
Test(flush_small, a_step_that_fails_has_no_rest) {
    for (int ground = 0; ground < 2; ++ground) {
        homing counts = {0, -1};
        kdr_collider plane = kdr_collider_plane((double[]){0, 0, -1}, (double[]){0, 0, 1});
        kdr_system_desc desc = describe_system(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.accelerations = pull_home, desc.context = &counts;
        desc.flush_small_to_zero = true;
        desc.colliders = &plane, desc.collider_count = (size_t)ground;
        kdr_particles before = make_slight(KDR_F64, false, 9), p = make_slight(KDR_F64, false, 9);
        kdr_clock clock = {0, 0x1p-7, PERIOD - 3}, again = clock;
        kdr_error error;
        run(&desc, &before, &clock, 2);
        run(&desc, &p, &again, 2);
        kdr_particles *const both[] = {&p, &before};
        for (int k = 0; k < 2; ++k) { /* the second particle hits the ground in the next step */
            set(both[k]->x[2], KDR_F64, 0, -0.99);
            set(both[k]->v[2], KDR_F64, 0, -8);
        }
        counts.calls = 0, counts.fails_at = ground; /* at the end of the step, and with a ground after the rest */
        cr_expect(run_with(&desc, &p, &again, 1, &error) == KDR_ERROR_OVERFLOW, "%s", error.message);
        cr_expect(same_bits(&p, &before) && again.step == PERIOD - 1, "%d", ground);
        cr_expect(memcmp(p.memory[1], before.memory[1], p.count * sizeof(double)) == 0, "%d", ground);
        counts.fails_at = -1;
        run(&desc, &p, &again, 1);
        run(&desc, &before, &clock, 1);
        cr_expect(same_bits(&p, &before), "%d", ground);
        kdr_particles_destroy(&before);
        kdr_particles_destroy(&p);
    }
}
