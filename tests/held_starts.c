/* Runs that begin off their constraints, and steps that are shortened: no speed comes from the way on to a constraint, or from rounding. */
#include "system_support.h"

static const double origin[3] = {0, 0, 0};

/* A rope that is never taut changes nothing: a particle that begins off a rod moves as with the rod alone, in steps of any length. */
Test(held_starts, a_slack_rope_changes_no_start) {
    const kdr_constraint held[2] = {kdr_constraint_rod(origin, 1), kdr_constraint_rope(origin, 5)};
    for (int real = 0; real < 2; ++real) {
        const double room = real ? 1e-12 : 1e-5;
        for (double h = 0.125; h > 1e-3; h /= 4) {
            for (double from = 0.5; from < 3; from += 0.75) {
                state end[2];
                for (int count = 1; count <= 2; ++count) {
                    kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, real ? KDR_F64 : KDR_F32, KDR_FUSED, NULL, 0);
                    desc.constraints = held, desc.constraint_count = (size_t)count;
                    end[count - 1] = advance_one(BY_INTEGRATOR, &desc, (state){{from, 0, 0}, {0, 1, 0}}, h, 8);
                }
                const double speed = hypot(end[1].v[0], end[1].v[1]);
                cr_expect(close_to(speed, 1, room), "h %g from %g: speed %.17g", h, from, speed);
                for (int i = 0; i < 2; ++i) {
                    cr_expect(close_to(end[0].x[i], end[1].x[i], room) && close_to(end[0].v[i], end[1].v[i], room),
                              "h %g from %g, axis %d: %g and %g, %g and %g", h, from, i, end[0].x[i], end[1].x[i], end[0].v[i],
                              end[1].v[i]);
                }
            }
        }
    }
}

static double off_sphere(const state *s) { return sqrt(s->x[0] * s->x[0] + s->x[1] * s->x[1] + s->x[2] * s->x[2]) - 1; }

/* One call is enough from far away, where a plane cuts a sphere in the middle or nearly grazes it, and with a rope. */
Test(held_starts, one_call_puts_particles_on_all) {
    enum { COUNT = 5000 };
    static const double heights[3] = {0, 0.3, 0.999}, aside[3] = {0.5, 0, 0}, up[3] = {0, 0, 1};
    kdr_error error;
    for (int n = 0; n < 6; ++n) {
        const kdr_real real = n % 2 ? KDR_F32 : KDR_F64;
        const double room = n % 2 ? 1e-5 : 1e-13, height = heights[n / 2];
        const kdr_constraint list[3] = {kdr_constraint_sphere(origin, 1), kdr_constraint_plane((double[]){0, 0, height}, up),
                                        kdr_constraint_rope(aside, 1.4)};
        kdr_particles p = make_particles(COUNT, 3, real, false, false);
        uint32_t random = 1;
        for (size_t i = 0; i < COUNT; ++i) {
            for (int axis = 0; axis < 3; ++axis) {
                random = random * 1664525U + 1013904223U;
                set(p.x[axis], real, i, (double)random * 0x1p-29 - 4);
                set(p.v[axis], real, i, 0);
            }
        }
        cr_assert(kdr_constraints_hold(list, 3, &p, &error) == KDR_OK, "%s", error.message);
        size_t off = 0;
        for (size_t i = 0; i < COUNT; ++i) {
            const state s = get_state(&p, i);
            const double rope = hypot(s.x[0] - 0.5, hypot(s.x[1], s.x[2])) - 1.4;
            const bool opposed = s.x[0] < 0 && fabs(s.x[1]) < 0.1; /* rope and sphere pull along one line: no round knows which way to go */
            off += !(fabs(off_sphere(&s)) < room && fabs(s.x[2] - height) < room && (rope < room || opposed));
        }
        cr_expect(off == 0, "%s, height %g: %zu are off", kdr_real_name(real), height, off);
        kdr_particles_destroy(&p);
    }
}

/* No place is on both: the particle stays finite, and the run goes on. */
Test(held_starts, constraints_that_nothing_is_on) {
    const kdr_constraint list[2] = {kdr_constraint_sphere(origin, 1), kdr_constraint_plane((double[]){0, 0, 3}, (double[]){0, 0, 1})};
    kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, NULL, 0);
    desc.constraints = list, desc.constraint_count = 2;
    const state s = advance_one(BY_INTEGRATOR, &desc, (state){{0.5, 0, 0}, {0, 1, 0}}, 0.01, 10);
    for (int i = 0; i < 3; ++i) {
        cr_expect(isfinite(s.x[i]) && isfinite(s.v[i]));
    }
}

/* The speed along rods in a state within a step is no larger than at its end, however short the part: what the tolerance leaves is by the
 * whole step. */
Test(held_starts, parts_of_steps_have_no_speed_along_rods) {
    enum { LINKS = 12 };
    const double h = 0.01, length = 0.5;
    kdr_distance rods[LINKS];
    for (uint32_t n = 0; n < LINKS; ++n) {
        rods[n] = (kdr_distance){n, n + 1, length};
    }
    for (int real = 0; real < 2; ++real) {
        const kdr_force gravity = kdr_force_uniform_acceleration(0, -1, 0);
        kdr_system_desc desc = describe_system(KDR_VELOCITY_VERLET, real ? KDR_F64 : KDR_F32, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.forces = &gravity, desc.force_count = 1;
        desc.distances = rods, desc.distance_count = LINKS;
        kdr_system *system;
        kdr_workspace workspace;
        kdr_error error;
        kdr_particles p = make_particles(LINKS + 1, 2, desc.real, false, false), to = make_particles(LINKS + 1, 2, desc.real, false, false);
        for (size_t i = 0; i <= LINKS; ++i) {
            put_state(&p, i, &(state){{length * (double)i, 0, 0}, {0, (double)(i * i % 7) / 3 - 1, 0}});
        }
        cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_workspace_create(system, LINKS + 1, 2, (kdr_allocator){0}, &workspace, &error) == KDR_OK, "%s", error.message);
        kdr_clock clock = {0, h, 0};
        cr_assert(kdr_system_run(system, &p, &clock, 20, &workspace, &error) == KDR_OK, "%s", error.message);
        for (double part = 1; part > 1e-8; part /= 100) {
            cr_assert(kdr_system_sample(system, &p, &clock, part, &workspace, &to, &error) == KDR_OK, "%s", error.message);
            double worst = 0;
            for (size_t n = 0; n < LINKS; ++n) {
                const state a = get_state(&to, n), b = get_state(&to, n + 1);
                worst = fmax(worst, fabs((b.x[0] - a.x[0]) * (b.v[0] - a.v[0]) + (b.x[1] - a.x[1]) * (b.v[1] - a.v[1])) / length);
            }
            cr_expect(worst < 2 * (real ? 0x1p-48 : 0x1p-19) * length / h, "%s, part %g: %g along a rod", kdr_real_name(desc.real), part,
                      worst);
        }
        kdr_workspace_destroy(&workspace);
        kdr_system_destroy(system);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&to);
    }
}
