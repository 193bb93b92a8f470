/* Constraints inside the steps of methods: orders with magnetic fields and springs, energies, several constraints on one particle, and the
 * bits of every backend. */
#include "system_support.h"

static const double origin[3] = {0, 0, 0};

static const char *name_of(kdr_backend backend) {
    kdr_backend_info info;
    return kdr_backend_query(backend, &info) == KDR_OK ? info.name : "?";
}

/* The acceleration of a bead on the unit sphere, per unit of mass: gravity, a magnetic field along z, and a spring. */
typedef struct bead {
    double g, b, k[3], at[3];
} bead;

static const bead charged = {9.81, 3, {0, 0, 0}, {0, 0, 0}}, sprung = {9.81, 0, {3, 1, 8}, {.3, .2, .1}};
static const state bead_start = {{1, 0, 0}, {0, 2, .5}};

/* Computes the rates: on the sphere x'' = a - (v . v + x . a) x. */
static void bead_rate(const bead *f, const state *s, state *rate) {
    double a[3], pull = 0;
    for (int i = 0; i < 3; ++i) {
        const double turned = i == 0 ? f->b * s->v[1] : i == 1 ? -f->b * s->v[0] : -f->g;
        a[i] = turned + f->k[i] * (f->at[i] - s->x[i]);
        pull += s->v[i] * s->v[i] + s->x[i] * a[i];
    }
    for (int i = 0; i < 3; ++i) {
        rate->x[i] = s->v[i];
        rate->v[i] = a[i] - pull * s->x[i];
    }
}

static state bead_at(const state *s, double h, const state *rate) {
    state out;
    for (int i = 0; i < 3; ++i) {
        out.x[i] = s->x[i] + h * rate->x[i];
        out.v[i] = s->v[i] + h * rate->v[i];
    }
    return out;
}

/* Returns the state at time t, accurate to 1e-13, by the classical Runge-Kutta method for that equation. */
static state bead_truth(const bead *f, double t) {
    enum { STEPS = 20000 };
    const double h = t / STEPS;
    state s = bead_start;
    for (int n = 0; n < STEPS; ++n) {
        state k[4], sum;
        bead_rate(f, &s, &k[0]);
        for (int stage = 1; stage < 4; ++stage) {
            const state y = bead_at(&s, stage == 3 ? h : h / 2, &k[stage - 1]);
            bead_rate(f, &y, &k[stage]);
        }
        for (int i = 0; i < 3; ++i) {
            sum.x[i] = (k[0].x[i] + 2 * k[1].x[i] + 2 * k[2].x[i] + k[3].x[i]) / 6;
            sum.v[i] = (k[0].v[i] + 2 * k[1].v[i] + 2 * k[2].v[i] + k[3].v[i]) / 6;
        }
        s = bead_at(&s, h, &sum);
    }
    return s;
}

static double bead_energy(const bead *f, const state *s) {
    double energy = f->g * s->x[2];
    for (int i = 0; i < 3; ++i) {
        energy += 0.5 * (s->v[i] * s->v[i] + f->k[i] * (s->x[i] - f->at[i]) * (s->x[i] - f->at[i]));
    }
    return energy;
}

static double pendulum(const state *s) { return 0.5 * (s->v[0] * s->v[0] + s->v[1] * s->v[1] + s->v[2] * s->v[2]) + 9.81 * s->x[2]; }

static size_t bead_forces(const bead *f, kdr_force forces[3]) {
    size_t count = 0;
    forces[count++] = kdr_force_uniform_acceleration(0, 0, -f->g);
    if (f->b != 0) {
        forces[count++] = kdr_force_electromagnetic(1, origin, (double[]){0, 0, f->b});
    } else {
        forces[count] = kdr_force_spring(0, f->at[0], f->at[1], f->at[2]);
        memcpy(forces[count++].as.spring.k, f->k, sizeof f->k);
    }
    return count;
}

/* How a bead is held: by a constraint of a field run, by one of a system run, or by a distance to a frozen particle. */
enum { BY_FIELD, BY_POINT, BY_DISTANCE, HOLDERS };

typedef struct hung {
    kdr_integrator *integrator;
    kdr_system *system;
    kdr_workspace workspace;
    kdr_particles p;
} hung;

static hung hang(int holder, kdr_method method, kdr_composition compose, const bead *f) {
    const kdr_constraint sphere = kdr_constraint_sphere(origin, 1);
    const kdr_distance rod = {0, 1, 1};
    kdr_force forces[3];
    kdr_error error;
    hung made = {.p = make_particles(2, 3, KDR_F64, true, true)};
    put_state(&made.p, 0, &(state){{0, 0, 0}, {0, 0, 0}});
    put_state(&made.p, 1, &bead_start);
    set(made.p.inverse_mass, KDR_F64, 0, 0);
    set(made.p.inverse_mass, KDR_F64, 1, 1);
    if (holder == BY_FIELD) {
        kdr_integrator_desc desc = describe(method, KDR_F64, KDR_FUSED, forces, bead_forces(f, forces));
        desc.compose = compose;
        desc.constraints = &sphere, desc.constraint_count = 1;
        cr_assert(kdr_integrator_create(&desc, &made.integrator, &error) == KDR_OK, "%s", error.message);
        return made;
    }
    kdr_system_desc desc = describe_system(method, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    desc.forces = forces, desc.force_count = bead_forces(f, forces);
    desc.compose = compose;
    desc.constraints = &sphere, desc.constraint_count = holder == BY_POINT;
    desc.distances = &rod, desc.distance_count = holder == BY_DISTANCE;
    cr_assert(kdr_system_create(&desc, &made.system, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_workspace_create(made.system, 2, 3, (kdr_allocator){0}, &made.workspace, &error) == KDR_OK, "%s", error.message);
    return made;
}

static state swing(hung *h, kdr_clock *clock, uint64_t steps) {
    kdr_error error;
    const kdr_status status = h->integrator ? kdr_integrator_run(h->integrator, &h->p, clock, steps, &error)
                                            : kdr_system_run(h->system, &h->p, clock, steps, &h->workspace, &error);
    cr_assert(status == KDR_OK, "%s", error.message);
    return get_state(&h->p, 1);
}

static void take_down(hung *h) {
    kdr_integrator_destroy(h->integrator);
    kdr_workspace_destroy(&h->workspace);
    kdr_system_destroy(h->system);
    kdr_particles_destroy(&h->p);
}

static double bead_error(int holder, kdr_method method, kdr_composition compose, const bead *f, const state *truth, uint64_t steps) {
    hung h = hang(holder, method, compose, f);
    kdr_clock clock = {0, 2.0 / (double)steps, 0};
    const state end = swing(&h, &clock, steps);
    double worst = 0;
    for (int i = 0; i < 3; ++i) {
        worst = fmax(worst, fmax(fabs(end.x[i] - truth->x[i]), fabs(end.v[i] - truth->v[i])));
    }
    take_down(&h);
    return worst;
}

/* Returns how many of these ways the method accepts: one that predicts velocities refuses distances. */
static int holders_of(kdr_method method) { return method == KDR_VELOCITY_VERLET_PC ? BY_DISTANCE : HOLDERS; }

/* For a bead on a sphere with a magnetic field or a spring, the order is that of a symmetric method of order 2 and of its composition. A
 * method of higher order has order 2. Constraints at the end of a step alone have order 1 in a magnetic field. */
Test(held, beads_have_the_order_of_the_method) {
    static const struct {
        kdr_method method;
        kdr_composition compose;
        bool spring;
        uint64_t steps;
        double order;
    } rows[] = {{KDR_BORIS, KDR_COMPOSE_NONE, false, 400, 2},
                {KDR_BORIS, KDR_COMPOSE_SUZUKI_4, false, 200, 4},
                {KDR_BORIS, KDR_COMPOSE_KAHAN_LI_6, false, 100, 6},
                {KDR_VELOCITY_VERLET_PC, KDR_COMPOSE_NONE, false, 400, 2},
                {KDR_VELOCITY_VERLET, KDR_COMPOSE_NONE, true, 200, 2},
                {KDR_POSITION_VERLET, KDR_COMPOSE_NONE, true, 200, 2},
                {KDR_PEFRL, KDR_COMPOSE_NONE, true, 200, 2},
                {KDR_VELOCITY_VERLET, KDR_COMPOSE_SUZUKI_4, true, 100, 4},
                {KDR_VELOCITY_VERLET, KDR_COMPOSE_KAHAN_LI_6, true, 50, 6},
                {KDR_POSITION_VERLET, KDR_COMPOSE_SUZUKI_4, true, 100, 4},
                {KDR_POSITION_VERLET, KDR_COMPOSE_KAHAN_LI_6, true, 50, 6},
                {KDR_RK4, KDR_COMPOSE_NONE, false, 800, 1}};
    const state truth[2] = {bead_truth(&charged, 2), bead_truth(&sprung, 2)};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; ++n) {
        const bead *const f = rows[n].spring ? &sprung : &charged;
        const int holders = holders_of(rows[n].method);
        for (int holder = 0; holder < holders; ++holder) {
            const double coarse = bead_error(holder, rows[n].method, rows[n].compose, f, &truth[rows[n].spring], rows[n].steps);
            const double fine = bead_error(holder, rows[n].method, rows[n].compose, f, &truth[rows[n].spring], 2 * rows[n].steps);
            const double order = log2(coarse / fine);
            fprintf(stderr, "%s, composition %d, holder %d: error %.2e, %.2e, order %.2f\n", kdr_method_get(rows[n].method)->name,
                    (int)rows[n].compose, holder, coarse, fine, order);
            cr_expect(order > rows[n].order - 0.3 && order < rows[n].order + 0.5, "%s, composition %d, holder %d: order %g",
                      kdr_method_get(rows[n].method)->name, (int)rows[n].compose, holder, order);
        }
    }
}

/* The energy is kept over 10^5 steps. */
Test(held, beads_keep_their_energy) {
    static const struct {
        kdr_method method;
        bool spring;
        double dt, bound;
    } rows[] = {{KDR_BORIS, false, .01, .02}, {KDR_VELOCITY_VERLET, true, .02, .02}, {KDR_POSITION_VERLET, true, .02, .02}};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; ++n) {
        const bead *const f = rows[n].spring ? &sprung : &charged;
        const int holders = holders_of(rows[n].method);
        for (int holder = 0; holder < holders; ++holder) {
            hung h = hang(holder, rows[n].method, KDR_COMPOSE_NONE, f);
            kdr_clock clock = {0, rows[n].dt, 0};
            double worst = 0, last = 0;
            for (int look = 0; look < 1000; ++look) {
                const state s = swing(&h, &clock, 100);
                last = bead_energy(f, &s) - bead_energy(f, &bead_start);
                worst = fmax(worst, fabs(last));
            }
            fprintf(stderr, "%s, holder %d: energy off by at most %.3g, at last %.3g\n", kdr_method_get(rows[n].method)->name, holder,
                    worst, last);
            cr_expect(worst < rows[n].bound, "%s, holder %d: %g", kdr_method_get(rows[n].method)->name, holder, worst);
            take_down(&h);
        }
    }
}

/* A particle on a sphere and on a plane that does not contain its centre moves in a circle. Without forces its speed is constant, whatever
 * the order of the list. */
Test(held, two_constraints_hold_together) {
    const double at[3] = {1, 2, 3}, normal[3] = {1, 1, 1}, point[3] = {1.5, 2, 3}; /* 0.29 from the centre */
    const kdr_constraint lists[2][2] = {{kdr_constraint_sphere(at, 2), kdr_constraint_plane(point, normal)},
                                        {kdr_constraint_plane(point, normal), kdr_constraint_sphere(at, 2)}};
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_POSITION_VERLET, KDR_BORIS, KDR_RK4};
    const double middle = 0.5 / 3, radius = sqrt(4 - 0.25 / 3);
    state start = {{1, 2, 3}, {1 / sqrt(6), 1 / sqrt(6), -2 / sqrt(6)}};
    for (int i = 0; i < 3; ++i) {
        start.x[i] += middle + radius * (double[]){1 / sqrt(2), -1 / sqrt(2), 0}[i];
    }
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        state end[2];
        for (int list = 0; list < 2; ++list) {
            kdr_integrator_desc desc = describe(methods[m], KDR_F64, KDR_FUSED, NULL, 0);
            desc.constraints = lists[list], desc.constraint_count = 2;
            const state s = end[list] = advance_one(BY_INTEGRATOR, &desc, start, 0.01, 5000);
            const double r[3] = {s.x[0] - 1, s.x[1] - 2, s.x[2] - 3}, speed = s.v[0] * s.v[0] + s.v[1] * s.v[1] + s.v[2] * s.v[2];
            cr_expect(close_to(r[0] + r[1] + r[2], 0.5, 1e-14) && close_to(r[0] * r[0] + r[1] * r[1] + r[2] * r[2], 4, 1e-14),
                      "%s, list %d: held", kdr_method_get(methods[m])->name, list);
            cr_expect(close_to(s.v[0] + s.v[1] + s.v[2], 0, 1e-14) && close_to(r[0] * s.v[0] + r[1] * s.v[1] + r[2] * s.v[2], 0, 1e-14));
            cr_expect(close_to(speed, 1, 1e-10), "%s, list %d: the square of the speed is off by %g", kdr_method_get(methods[m])->name,
                      list, speed - 1);
        }
        for (int i = 0; i < 3; ++i) {
            cr_expect(close_to(end[0].x[i], end[1].x[i], 1e-9), "%s: %g apart", kdr_method_get(methods[m])->name,
                      end[0].x[i] - end[1].x[i]);
        }
    }
}

/* Three planes leave no freedom, and a fourth through their point adds nothing. A rod that is listed twice counts once. */
Test(held, as_many_as_there_are_axes_and_more) {
    const double point[3] = {0.5, 0.25, 1}, normals[4][3] = {{1, 0.2, 0}, {0, 1, 0.3}, {0.1, 0, 1}, {1, 1, 1}};
    kdr_constraint planes[4];
    for (int i = 0; i < 4; ++i) {
        planes[i] = kdr_constraint_plane(point, normals[i]);
    }
    const kdr_force gravity = kdr_force_uniform_acceleration(1, 2, -9.81);
    kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, &gravity, 1);
    desc.constraints = planes, desc.constraint_count = 4;
    const state still = advance_one(BY_INTEGRATOR, &desc, (state){{0, 0, 0}, {1, 2, 3}}, 0.01, 100);
    for (int i = 0; i < 3; ++i) {
        cr_expect(close_to(still.x[i], point[i], 1e-15) && close_to(still.v[i], 0, 1e-15), "axis %d: %g, %g", i, still.x[i], still.v[i]);
    }
    const kdr_constraint twice[2] = {kdr_constraint_rod(origin, 1), kdr_constraint_sphere(origin, 1)};
    const state start = {{1, 0, 0}, {0, 1, 0.5}};
    desc.constraints = twice;
    state end[2];
    for (int n = 0; n < 2; ++n) {
        desc.constraint_count = 1 + (size_t)n;
        end[n] = advance_one(BY_INTEGRATOR, &desc, start, 0.01, 300);
    }
    for (int i = 0; i < 3; ++i) {
        cr_expect(close_to(end[0].x[i], end[1].x[i], 1e-11), "axis %d: %g apart", i, end[0].x[i] - end[1].x[i]);
    }
}

/* A weight that hangs from two ropes and swings across them keeps its energy; with slack ropes it falls. */
Test(held, two_ropes) {
    const double to[2][3] = {{-0.6, 0, 0}, {0.6, 0, 0}};
    const kdr_constraint ropes[2] = {kdr_constraint_rope(to[0], 1), kdr_constraint_rope(to[1], 1)};
    const kdr_force gravity = kdr_force_uniform_acceleration(0, 0, -9.81);
    kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, &gravity, 1);
    desc.constraints = ropes, desc.constraint_count = 2;
    const double angle = 1;
    const state start = {{0, 0.8 * sin(angle), -0.8 * cos(angle)}, {0, 0, 0}};
    const state end = advance_one(BY_INTEGRATOR, &desc, start, 0.001, 10000);
    const double energy = pendulum(&end) - pendulum(&start);
    cr_expect(close_to(energy, 0, 1e-4), "energy off by %g", energy);
    cr_expect(close_to(end.x[0], 0, 1e-12) && close_to(end.x[1] * end.x[1] + end.x[2] * end.x[2], 0.64, 1e-13));
    const state slack = advance_one(BY_INTEGRATOR, &desc, (state){{0, 0, 0.2}, {0, 0, 0}}, 0.001, 100);
    cr_expect(close_to(slack.v[2], -0.981, 1e-12));
}

/* A bead circles on a table, on a taut rope from below. The rope acts like a rod, in any order of the list, in short steps and backwards.
 * Gravity pulls inwards along the rope, and the table balances it. */
Test(held, a_taut_rope_on_a_table_is_a_rod) {
    const double below[3] = {0.1, -0.2, -0.6}, point[3] = {0, 0, 0}, normal[3] = {0, 0, 1};
    const kdr_constraint rod = kdr_constraint_rod(below, 1), rope = kdr_constraint_rope(below, 1),
                         table = kdr_constraint_plane(point, normal);
    const kdr_constraint lists[4][2] = {{rod, table}, {table, rod}, {rope, table}, {table, rope}};
    const kdr_force gravity = kdr_force_uniform_acceleration(0, 0, -9.81);
    for (int n = 0; n < 16; ++n) {
        const kdr_real real = (kdr_real)(n % 2);
        const double back = n / 2 % 2 ? -1 : 1, slow = n / 4 % 2 ? 0.1 : 1;
        kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, real, (kdr_arithmetic)(n / 8 % 2), &gravity, 1);
        desc.constraints = lists[0], desc.constraint_count = 2;
        const state taut = advance_one(BY_INTEGRATOR, &desc, (state){{0.9, -0.2, 0}, {0, slow, 0}}, back * 0.01, 7);
        for (double part = real == KDR_F32 ? 1e-4 : 1e-13; part <= 1; part *= 10) {
            state end[4];
            for (int list = 0; list < 4; ++list) {
                desc.constraints = lists[list];
                end[list] = advance_one(BY_INTEGRATOR, &desc, taut, back * 0.01 * part, 100);
            }
            for (int list = 1; list < 4; ++list) {
                const double off = fmax(fabs(end[0].v[0] - end[list].v[0]), fabs(end[0].v[1] - end[list].v[1]));
                cr_expect(off < (real == KDR_F32 ? 1e-4 : 1e-12) * slow, "%d, %.0e of a step, list %d: v off by %.1e", n, part, list, off);
            }
        }
    }
}

/* With a magnetic field, on a rod and on a circle, a step backwards undoes a step of a symmetric method. */
Test(held, steps_run_back) {
    kdr_force forces[3];
    const double normal[3] = {0.2, 1, 0.5};
    const kdr_constraint held[2] = {kdr_constraint_sphere(origin, 1), kdr_constraint_plane(origin, normal)};
    const state start = {{1 / sqrt(1.04), -0.2 / sqrt(1.04), 0}, {-0.1 / 1.04 * 0.5, -0.5 / 1.04 * 0.5, 0.5}};
    for (size_t count = 1; count <= 2; ++count) {
        kdr_integrator_desc desc = describe(KDR_BORIS, KDR_F64, KDR_FUSED, forces, bead_forces(&charged, forces));
        desc.constraints = held, desc.constraint_count = count;
        const state there = advance_one(BY_INTEGRATOR, &desc, start, 0.01, 1000);
        const state back = advance_one(BY_INTEGRATOR, &desc, there, -0.01, 1000);
        for (int i = 0; i < 3; ++i) {
            cr_expect(close_to(back.x[i], start.x[i], 1e-10) && close_to(back.v[i], start.v[i], 1e-10), "%zu, axis %d: %g, %g", count, i,
                      back.x[i] - start.x[i], back.v[i] - start.v[i]);
        }
    }
}

/* With lists of constraints all backends have the bits of the reference, in field runs and in system runs. Some particles start away from
 * their constraints, some are frozen, some take steps too long for a rod. */
Test(held, every_backend_has_the_bits) {
    const double at[3] = {0.2, -0.1, 0.3}, other[3] = {-0.5, 0.4, 0}, normal[3] = {0.3, 1, -0.4};
    const kdr_constraint all[] = {kdr_constraint_rope(at, 1.5), kdr_constraint_sphere(at, 1.2), kdr_constraint_plane(other, normal),
                                  kdr_constraint_rope(other, 1.4), kdr_constraint_rod(other, 2)};
    static const struct {
        size_t first, count;
    } lists[] = {{0, 1}, {1, 1}, {2, 1}, {0, 2}, {1, 2}, {2, 2}, {0, 4}, {3, 2}, {0, 5}};
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_VELOCITY_VERLET_PC, KDR_BORIS, KDR_PEFRL, KDR_BAOAB, KDR_RK4};
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t backend_count = list_backends(backends);
    kdr_force forces[3];
    const size_t force_count = bead_forces(&charged, forces);
    for (size_t n = 0; n < 4 * sizeof lists / sizeof *lists * (sizeof methods / sizeof *methods); ++n) {
        const kdr_method method = methods[n / 4 % (sizeof methods / sizeof *methods)];
        const size_t list = n / 4 / (sizeof methods / sizeof *methods);
        const bool turns = method == KDR_BORIS || method == KDR_VELOCITY_VERLET_PC || method == KDR_RK4;
        uint64_t seed = 11 + n;
        kdr_particles start = make_particles(37, 3, (kdr_real)(n % 2), true, false),
                      expected = make_particles(37, 3, start.real, true, false);
        fill_random(&start, &seed);
        set(start.inverse_mass, start.real, 5, 0);
        set(start.v[0], start.real, 7, 200);
        copy_state(&expected, &start);
        kdr_integrator_desc desc = describe(method, start.real, n / 2 % 2 ? KDR_FUSED : KDR_UNFUSED, forces, turns ? force_count : 1);
        desc.langevin = (kdr_langevin){method == KDR_BAOAB ? 0.5 : 0, method == KDR_BAOAB ? 0.3 : 0, 1};
        desc.constraints = all + lists[list].first, desc.constraint_count = lists[list].count;
        kdr_clock clock = {0, 0.02, 0};
        advance(BY_REFERENCE, &desc, &expected, &clock, 9);
        for (size_t b = 0; b < 2 * backend_count; ++b) {
            kdr_particles p = make_particles(37, 3, start.real, true, false);
            kdr_clock its = {0, 0.02, 0};
            copy_state(&p, &start);
            if (b < backend_count) {
                desc.backend = backends[b];
                advance(BY_INTEGRATOR, &desc, &p, &its, 9);
            } else {
                kdr_error error;
                kdr_system_desc system = describe_system(method, start.real, desc.arithmetic, backends[b - backend_count]);
                system.forces = desc.forces, system.force_count = desc.force_count;
                system.langevin = desc.langevin;
                system.constraints = desc.constraints, system.constraint_count = desc.constraint_count;
                cr_assert(run_with(&system, &p, &its, 9, &error) == KDR_OK, "%s", error.message);
            }
            cr_expect(same_bits(&p, &expected), "%s, list %zu, %s, %s", kdr_method_get(method)->name, list,
                      name_of(backends[b % backend_count]), b < backend_count ? "field" : "system");
            kdr_particles_destroy(&p);
        }
        kdr_particles_destroy(&start);
        kdr_particles_destroy(&expected);
    }
}

/* kdr_constraints_hold moves particles that are away from their constraints, and projects their velocities. Particles in the right place
 * stay, and so do frozen ones. */
Test(held, particles_are_put_on_before_a_run) {
    const double at[3] = {1, 0, 0};
    const kdr_constraint sphere = kdr_constraint_sphere(at, 2), rope = kdr_constraint_rope(at, 2);
    const state begin[4] = {{{4, 0, 0}, {5, 1, 0}}, {{1, 2, 0}, {3, 0, 1}}, {{4, 0, 0}, {5, 1, 0}}, {{1, 1, 0}, {0, 9, 0}}};
    kdr_error error;
    for (int n = 0; n < 2; ++n) {
        kdr_particles p = make_particles(4, 3, KDR_F64, true, false);
        for (size_t i = 0; i < 4; ++i) {
            put_state(&p, i, &begin[i]);
            set(p.inverse_mass, KDR_F64, i, i == 2 ? 0 : 1);
        }
        cr_assert(kdr_constraints_hold(n ? &rope : &sphere, 1, &p, &error) == KDR_OK, "%s", error.message);
        const state expected[4] = {{{3, 0, 0}, {0, 1, 0}}, begin[1], begin[2], n ? begin[3] : (state){{1, 2, 0}, {0, 0, 0}}};
        for (size_t i = 0; i < 4; ++i) {
            const state s = get_state(&p, i);
            for (int k = 0; k < 3; ++k) {
                cr_expect(close_to(s.x[k], expected[i].x[k], 1e-15) && close_to(s.v[k], expected[i].v[k], 1e-15), "%d, particle %zu: %g %g",
                          n, i, s.x[k], s.v[k]);
            }
        }
        kdr_particles_destroy(&p);
    }
    kdr_particles p = make_particles(1, 3, KDR_F64, true, false);
    cr_expect(kdr_constraints_hold(NULL, 1, &p, &error) == KDR_ERROR_NULL, "%s", error.message);
    cr_expect(kdr_constraints_hold(&sphere, 1, NULL, &error) == KDR_ERROR_NULL, "%s", error.message);
    kdr_constraint wrong = sphere;
    wrong.as.sphere.radius = -1;
    cr_expect(kdr_constraints_hold(&wrong, 1, &p, &error) == KDR_ERROR_ARGUMENT, "%s", error.message);
    kdr_particles_destroy(&p);
}

/* Two charges on a rod in a magnetic field, over 10^5 steps: the kinetic energy and the rod's length are kept, and the centre moves in a
 * circle if charges and masses are equal. */
Test(held, a_dumbbell_of_charges_keeps_its_energy) {
    const kdr_force field = kdr_force_electromagnetic(1, origin, (double[]){0.5, -1, 3});
    const kdr_distance rod = {0, 1, 1};
    static const double masses[2] = {1, 0.4};
    for (int n = 0; n < 3; ++n) { /* with one mass; with two; compensated */
        kdr_system_desc desc = describe_system(KDR_BORIS, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.forces = &field, desc.force_count = 1;
        desc.distances = &rod, desc.distance_count = 1;
        desc.compensated = n == 2;
        kdr_system *system;
        kdr_workspace workspace;
        kdr_error error;
        kdr_particles p = make_particles(2, 3, KDR_F64, true, false);
        put_state(&p, 0, &(state){{0, 0, 0}, {0.3, -1, 0.2}});
        put_state(&p, 1, &(state){{0.6, 0, 0.8}, {-0.1, 1, 0.5}}); /* both velocities have the component 0.34 along the rod */
        set(p.inverse_mass, KDR_F64, 0, masses[0]);
        set(p.inverse_mass, KDR_F64, 1, masses[n > 0]);
        cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_workspace_create(system, 2, 3, (kdr_allocator){0}, &workspace, &error) == KDR_OK, "%s", error.message);
        kdr_clock clock = {0, 0.01, 0};
        double least = INFINITY, most = 0;
        for (int look = 0; look < 1000; ++look) {
            cr_assert(kdr_system_run(system, &p, &clock, 100, &workspace, &error) == KDR_OK, "%s", error.message);
            double energy = 0, square = 0;
            for (size_t end = 0; end < 2; ++end) {
                const state s = get_state(&p, end);
                energy += (s.v[0] * s.v[0] + s.v[1] * s.v[1] + s.v[2] * s.v[2]) / get(p.inverse_mass, KDR_F64, end);
            }
            for (int i = 0; i < 3; ++i) {
                square += pow(get(p.x[i], KDR_F64, 1) - get(p.x[i], KDR_F64, 0), 2);
            }
            cr_assert(close_to(square, 1, 1e-12), "the rod: %g", square - 1);
            least = fmin(least, energy);
            most = fmax(most, energy);
        }
        fprintf(stderr, "dumbbell %d: twice the kinetic energy between %.12g and %.12g\n", n, least, most);
        cr_expect(most - least < 1e-9 * most, "%d: %g to %g", n, least, most);
        kdr_workspace_destroy(&workspace);
        kdr_system_destroy(system);
        kdr_particles_destroy(&p);
    }
}

/* Sets a magnetic field for each particle. */
static kdr_status own_field(void *context, const kdr_particles *p, double t, void *const m[3]) {
    (void)context;
    for (size_t n = 0; n < p->count; ++n) {
        for (int i = 0; i < 3; ++i) {
            if (m[i]) {
                set(m[i], p->real, n, 2 + get(p->x[0], p->real, n) * (double)(i + 1) + t);
            }
        }
    }
    return KDR_OK;
}

/* Chains of rods in uniform fields, with masses and without, and in user-defined fields per particle, in space and in a plane: every
 * backend has the bits of the reference, and the speeds are constant. */
Test(held, turned_rods_have_the_bits) {
    enum { COUNT = 24, CHAIN = 4 };
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t backend_count = list_backends(backends);
    const kdr_force field = kdr_force_electromagnetic(1, origin, (double[]){0.5, -1, 3});
    kdr_distance rods[COUNT];
    size_t rod_count = 0;
    for (uint32_t n = 0; n + 1 < COUNT; ++n) {
        if (n % CHAIN != CHAIN - 1) {
            rods[rod_count++] = (kdr_distance){n, n + 1, 0.5};
        }
    }
    for (int n = 0; n < 64; ++n) {
        const int dims = n & 1 ? 3 : 2;
        const bool masses = n & 2, own = n & 4;
        kdr_system_desc desc = describe_system(KDR_BORIS, n & 8 ? KDR_F32 : KDR_F64, n & 16 ? KDR_FUSED : KDR_UNFUSED, backends[0]);
        desc.compose = n & 32 ? KDR_COMPOSE_SUZUKI_4 : KDR_COMPOSE_NONE;
        desc.forces = &field, desc.force_count = 1;
        desc.distances = rods, desc.distance_count = rod_count;
        desc.magnetic = own ? own_field : NULL;
        desc.compensated = n % 3 == 0;
        kdr_particles start = make_particles(COUNT, dims, desc.real, masses, false),
                      expected = make_particles(COUNT, dims, desc.real, masses, false);
        uint64_t seed = 5;
        fill_random(&start, &seed);
        for (size_t i = 0; i < COUNT; ++i) {
            for (int axis = 0; axis < dims; ++axis) {
                set(start.x[axis], desc.real, i, axis == 0 ? 0.5 * (double)i : 0.125);
            }
            if (masses && i % 7 == 6) {
                set(start.inverse_mass, desc.real, i, 0);
            }
        }
        copy_state(&expected, &start);
        kdr_clock clock = {0, 0.02, 0};
        kdr_error error;
        cr_assert(kdr_reference_system_run(&desc, &expected, &clock, 9, &error) == KDR_OK, "%s", error.message);
        for (size_t b = 0; b < backend_count; ++b) {
            kdr_particles p = make_particles(COUNT, dims, desc.real, masses, false);
            kdr_clock its = {0, 0.02, 0};
            copy_state(&p, &start);
            desc.backend = backends[b];
            cr_assert(run_with(&desc, &p, &its, 9, &error) == KDR_OK, "%s", error.message);
            cr_expect(same_bits(&p, &expected), "%d on %s", n, name_of(backends[b]));
            kdr_particles_destroy(&p);
        }
        kdr_particles_destroy(&start);
        kdr_particles_destroy(&expected);
    }
}
