/* Molecules (particles joined by rods) between walls: when a particle touches a wall, the whole molecule bounces, and the energy balance
 * holds. */
#include "system_support.h"

#include <kickdrift/contact.h>

static kdr_system_desc in_walls(kdr_real real, const kdr_distance *rods, size_t rod_count, const kdr_collider *walls, size_t wall_count) {
    kdr_system_desc desc = describe_system(KDR_VELOCITY_VERLET, real, KDR_FUSED, KDR_BACKEND_AUTO);
    desc.distances = rods, desc.distance_count = rod_count;
    desc.colliders = walls, desc.collider_count = wall_count;
    return desc;
}

static double kinetic(const kdr_particles *p, size_t begin, size_t end) {
    double energy = 0;
    for (size_t n = begin; n < end; ++n) {
        const double w = p->inverse_mass ? get(p->inverse_mass, p->real, n) : 1;
        for (int i = 0; w != 0 && i < p->dims; ++i) {
            const double v = get(p->v[i], p->real, n);
            energy += 0.5 * v * v / w;
        }
    }
    return energy;
}

/* Throws dumbbells of unequal masses, with velocities that their rods allow, into a room of half-width 1. */
static void throw_dumbbells(kdr_particles *p, kdr_distance *rods, double length) {
    uint64_t seed = test_seed();
    for (size_t n = 0; n < p->count / 2; ++n) {
        double d[3] = {0}, u[3] = {0}, square = 0, along = 0;
        for (int i = 0; i < p->dims; ++i) {
            d[i] = random_in(&seed, -1, 1);
            square += d[i] * d[i];
        }
        for (int i = 0; i < p->dims; ++i) {
            d[i] *= length / sqrt(square);
            u[i] = random_in(&seed, -1, 1);
            along += d[i] * u[i] / (length * length);
        }
        for (int i = 0; i < p->dims; ++i) {
            const double x = random_in(&seed, -0.5, 0.5), v = random_in(&seed, -1, 1);
            set(p->x[i], p->real, 2 * n, x - d[i] / 2);
            set(p->x[i], p->real, 2 * n + 1, x + d[i] / 2);
            set(p->v[i], p->real, 2 * n, v - (u[i] - along * d[i]) / 2);
            set(p->v[i], p->real, 2 * n + 1, v + (u[i] - along * d[i]) / 2);
        }
        rods[n] = (kdr_distance){(uint32_t)(2 * n), (uint32_t)(2 * n + 1), length};
    }
}

static void assert_inside(const kdr_particles *p, double half) {
    for (size_t n = 0; n < p->count; ++n) {
        for (int i = 0; i < p->dims; ++i) {
            cr_assert(fabs(get(p->x[i], p->real, n)) <= half, "%zu, axis %d: %.17g", n, i, get(p->x[i], p->real, n));
        }
    }
}

/* Returns the kinetic energy and the potential energy of the weight of a molecule of two particles. */
static double energy_of(const kdr_particles *p, size_t molecule, double weight) {
    double energy = kinetic(p, 2 * molecule, 2 * molecule + 2);
    for (size_t n = 2 * molecule; n < 2 * molecule + 2; ++n) {
        energy += weight * get(p->x[1], p->real, n) / get(p->inverse_mass, p->real, n);
    }
    return energy;
}

/* In 10^5 bounces without forces, and with weight, in space and in a plane, the energy is kept to 1e-9, and no particle gets out. */
Test(distances_walls, dumbbells_keep_their_energy) {
    enum { MOLECULES = 50, COUNT = 2 * MOLECULES };
    static kdr_distance rods[MOLECULES];
    const kdr_force weight = kdr_force_uniform_acceleration(0, -1, 0);
    const kdr_collider room = kdr_collider_box((double[]){-1, -1, -1}, (double[]){1, 1, 1}, true);
    for (int n = 0; n < 4; ++n) {
        static uint32_t hits[COUNT];
        static double taken[2][COUNT];
        const size_t forces = n % 2 ? 1 : 0;
        kdr_system_desc desc = in_walls(KDR_F64, rods, MOLECULES, &room, 1);
        desc.forces = &weight, desc.force_count = forces;
        kdr_particles p = make_particles(COUNT, n / 2 ? 2 : 3, KDR_F64, true, true);
        for (size_t i = 0; i < COUNT; ++i) {
            set(p.inverse_mass, KDR_F64, i, i % 2 ? 1 : 0.5);
        }
        throw_dumbbells(&p, rods, 0.5);
        memset(hits, 0, sizeof hits);
        memset(taken, 0, sizeof taken);
        p.bounces = hits, p.dissipated_energy[0] = taken[0], p.dissipated_energy[1] = taken[1];
        double before[MOLECULES], worst = 0, bounces = 0;
        for (size_t m = 0; m < MOLECULES; ++m) {
            before[m] = energy_of(&p, m, (double)forces);
        }
        kdr_clock clock = {0, 0.05, 0};
        for (int part = 0; part < 20; ++part) {
            run(&desc, &p, &clock, n / 2 ? 4000 : 2500);
            assert_inside(&p, 1);
        }
        for (size_t m = 0; m < MOLECULES; ++m) {
            worst = fmax(worst, fabs(energy_of(&p, m, (double)forces) - before[m]));
            bounces += hits[2 * m] + hits[2 * m + 1];
            cr_expect(taken[0][2 * m] + taken[1][2 * m] + taken[0][2 * m + 1] + taken[1][2 * m + 1] == 0);
        }
        fprintf(stderr, "%d: %g bounces, energy off by %.3g\n", n, bounces, worst);
        cr_expect(bounces > 1e5 && worst < 1e-9, "%g bounces: %g", bounces, worst);
        p.bounces = NULL, p.dissipated_energy[0] = p.dissipated_energy[1] = NULL;
        kdr_particles_destroy(&p);
    }
}

/* There are four of each: chains of three, rings of four, triangles, pendulums on frozen particles, and single particles. */
enum { KINDS = 5, EACH = 4, PER_ROUND = 3 + 4 + 3 + 2 + 1, ALL = EACH * PER_ROUND, RODS = EACH * (2 + 4 + 3 + 1) };
enum { ROOM = 1 << 14 };

static size_t draw_molecules(kdr_particles *p, kdr_distance rods[RODS], uint64_t *seed) {
    static const size_t size[KINDS] = {3, 4, 3, 2, 1}, joined[KINDS] = {2, 4, 3, 1, 0};
    size_t count = 0, first = 0;
    fill_random(p, seed);
    for (size_t n = 0; n < EACH * KINDS; first += size[n++ % KINDS]) {
        const size_t kind = n % KINDS;
        for (size_t k = 0; k < size[kind]; ++k) { /* the corners of a square, shifted */
            const double at[3] = {k / 2 ? 0.3 : 0, (k + 1) / 2 % 2 ? 0.3 : 0, 0};
            for (int i = 0; i < p->dims; ++i) {
                const double x = k ? get(p->x[i], p->real, first) + at[i] + random_in(seed, -0.05, 0.05) : random_in(seed, -0.5, 0.2);
                set(p->x[i], p->real, first + k, x);
            }
        }
        for (size_t k = 0; k < joined[kind]; ++k) {
            const size_t a = first + k, b = first + (k + 1) % size[kind];
            double square = 0;
            for (int i = 0; i < p->dims; ++i) {
                const double d = get(p->x[i], p->real, a) - get(p->x[i], p->real, b);
                square += d * d;
            }
            rods[count++] = (kdr_distance){(uint32_t)(k % 2 ? b : a), (uint32_t)(k % 2 ? a : b), sqrt(square)};
        }
        if (kind == 3 && p->inverse_mass) {
            set(p->inverse_mass, p->real, first, 0);
        }
    }
    return count;
}

/* All results of a run. */
typedef struct outcome {
    kdr_particles p;
    uint32_t bounces[ALL];
    double taken[2][ALL];
    kdr_contact *list;
    kdr_contacts contacts;
} outcome;

static outcome *begin(const kdr_particles *from) {
    outcome *const o = calloc(1, sizeof *o);
    cr_assert(o);
    o->p = make_particles(ALL, from->dims, from->real, from->inverse_mass != NULL, true);
    copy_state(&o->p, from);
    if (from->inverse_mass) {
        memcpy(o->p.inverse_mass, from->inverse_mass, ALL * kdr_real_size(from->real));
    }
    o->list = calloc(ROOM, sizeof *o->list);
    o->contacts = (kdr_contacts){.list = o->list, .capacity = ROOM};
    o->p.bounces = o->bounces, o->p.dissipated_energy[0] = o->taken[0], o->p.dissipated_energy[1] = o->taken[1],
    o->p.contacts = &o->contacts;
    return o;
}

static void end(outcome *o) {
    o->p.bounces = NULL, o->p.dissipated_energy[0] = o->p.dissipated_energy[1] = NULL, o->p.contacts = NULL;
    kdr_particles_destroy(&o->p);
    free(o->list);
    free(o);
}

static void expect_same(const outcome *a, const outcome *b, const char *who, const char *method) {
    cr_assert(same_bits(&a->p, &b->p), "%s, %s", who, method);
    cr_assert(memcmp(a->bounces, b->bounces, sizeof a->bounces) == 0 && memcmp(a->taken, b->taken, sizeof a->taken) == 0, "%s, %s", who,
              method);
    cr_assert(a->contacts.count == b->contacts.count, "%s, %s: %zu and %zu", who, method, a->contacts.count, b->contacts.count);
    for (size_t n = 0; n < a->contacts.count; ++n) {
        const kdr_contact *const c = &a->list[n], *const d = &b->list[n];
        cr_assert(c->particle == d->particle && c->step == d->step && c->surface == d->surface && c->time == d->time &&
                      memcmp(c->x, d->x, sizeof c->x) == 0 && memcmp(c->impulse, d->impulse, sizeof c->impulse) == 0,
                  "%s, %s: contact %zu", who, method, n);
    }
}

/* Draws walls of all kinds, some with friction, at rest or moving. */
static void draw_walls(kdr_collider walls[4], bool moving, uint64_t *seed) {
    walls[0] = kdr_collider_box((double[]){-1, -1, -1}, (double[]){1, 1, 1}, true);
    walls[1] = kdr_collider_plane((double[]){0, -0.8, 0}, (double[]){0.3, 1, 0.2});
    walls[2] = kdr_collider_sphere((double[]){0.9, 0.9, 0.9}, 0.3, false);
    walls[3] = kdr_collider_box((double[]){0.6, -1, -1}, (double[]){1, -0.6, 1}, false);
    for (int k = 0; k < 4; ++k) {
        walls[k].restitution = k == 0 ? 1 : random_in(seed, 0, 1);
        walls[k].sliding = k % 2 ? random_in(seed, 0, 0.5) : 0;
        walls[k].friction = k == 3 ? 0.1 : 0;
        walls[k].friction_normal = k == 2 ? 0.2 : 0;
        for (int i = 0; i < 3 && moving; ++i) {
            walls[k].velocity[i] = k == 0 ? 0.25 : random_in(seed, 0, 0.5);
        }
        walls[k].since = moving ? 0.5 * k : 0;
    }
}

/* Checks that the reference and all backends agree to the bit, with any executor and any cut into calls. */
static void expect_bits(kdr_method method, kdr_real real, kdr_arithmetic arithmetic, int dims, bool masses, bool moving) {
    static const size_t cuts[2][3] = {{1, 30, 49}, {80, 0, 0}};
    uint64_t seed = test_seed();
    kdr_distance rods[RODS];
    kdr_collider walls[4];
    const kdr_force weight = kdr_force_uniform_acceleration(0.5, -4, 0);
    kdr_backend list[KDR_BACKEND_LAST];
    kdr_executor executors[MAX_EXECUTORS];
    const size_t backends = list_backends(list), others = list_executors(executors);
    kdr_particles start = make_particles(ALL, dims, real, masses, true);
    kdr_system_desc desc = in_walls(real, rods, draw_molecules(&start, rods, &seed), walls, 4);
    const kdr_method_info *const info = kdr_method_get(method);
    draw_walls(walls, moving, &seed);
    desc.method = method, desc.arithmetic = arithmetic;
    desc.forces = &weight, desc.force_count = 1;
    desc.langevin = (kdr_langevin){.friction = method == KDR_BAOAB ? 0.5 : 0, .temperature = method == KDR_BAOAB ? 1 : 0, .seed = 7};
    desc.compensated = real == KDR_F32 && masses; /* a compensation is not carried from call to call */
    outcome *const expected = begin(&start);
    kdr_clock clock = {0, 1.0 / 64, 0};
    reference(&desc, &expected->p, &clock, 80);
    cr_assert(expected->contacts.count > 20 && expected->contacts.count < ROOM, "%s: %zu contacts", info->name, expected->contacts.count);
    for (size_t n = 0; n < backends + others; ++n) {
        outcome *const got = begin(&start);
        desc.backend = n < backends ? list[n] : KDR_BACKEND_AUTO;
        desc.executor = n < backends ? (kdr_executor){0} : executors[n - backends];
        clock = (kdr_clock){0, 1.0 / 64, 0};
        for (size_t k = 0; k < 3; ++k) {
            run(&desc, &got->p, &clock, cuts[desc.compensated][k]);
        }
        kdr_backend_info who;
        cr_assert(n >= backends || kdr_backend_query(desc.backend, &who) == KDR_OK);
        expect_same(expected, got, n < backends ? who.name : "threads", info->name);
        end(got);
    }
    end(expected);
    kdr_particles_destroy(&start);
}

Test(distances_walls, the_same_bits_everywhere) {
    for (int n = 0; n < 16; ++n) {
        expect_bits(KDR_VELOCITY_VERLET, n % 2 ? KDR_F32 : KDR_F64, n / 2 % 2 ? KDR_UNFUSED : KDR_FUSED, 2 + n / 2 % 2, n / 4 % 2, n / 8);
    }
}

/* These methods restore distances in each drift, about each rotation, and at the end of the step. */
Test(distances_walls, bits_of_other_methods) {
    static const kdr_method methods[] = {KDR_POSITION_VERLET, KDR_RK4, KDR_BORIS, KDR_BAOAB, KDR_IMPLICIT_MIDPOINT, KDR_STRANG_AFFINE};
    for (int m = 0; m < 6; ++m) {
        expect_bits(methods[m], m % 2 ? KDR_F32 : KDR_F64, m / 2 % 2 ? KDR_UNFUSED : KDR_FUSED, 3 - m / 2 % 2, true, m % 2);
        expect_bits(methods[m], m % 2 ? KDR_F64 : KDR_F32, m / 2 % 2 ? KDR_FUSED : KDR_UNFUSED, 2 + m / 2 % 2, false, m % 2 == 0);
    }
}

/* In a room that moves, molecules move as in one at rest: bounces, and the energy that they take, are those relative to the walls. */
Test(distances_walls, a_moving_room_is_a_frame) {
    enum { MOLECULES = 40, COUNT = 2 * MOLECULES };
    static kdr_distance rods[MOLECULES];
    static const double velocity[3] = {0.5, -0.25, 1};
    const kdr_force weight = kdr_force_uniform_acceleration(0, -1, 0);
    for (int n = 0; n < 4; ++n) { /* 0 and 1: bounces in a plane and in space; 2 and 3: they slide and come to rest */
        static uint32_t hits[2][COUNT];
        static double taken[2][2][COUNT];
        const double time = n / 2 ? 16 : 2;
        double sum[2] = {0, 0}, apart = 0;
        kdr_particles p[2];
        for (int moves = 0; moves < 2; ++moves) {
            kdr_collider room = kdr_collider_box((double[]){-1, -1, -1}, (double[]){1, 1, 1}, true);
            room.restitution = n / 2 ? 0.25 : 0.5;
            room.sliding = n / 2 ? 0.25 : 0;
            p[moves] = make_particles(COUNT, 2 + n % 2, KDR_F64, false, true);
            throw_dumbbells(&p[moves], rods, 0.5);
            for (int i = 0; i < p->dims && moves; ++i) {
                room.velocity[i] = velocity[i];
                for (size_t k = 0; k < COUNT; ++k) {
                    set(p[1].v[i], KDR_F64, k, get(p[1].v[i], KDR_F64, k) + velocity[i]);
                }
            }
            kdr_system_desc desc = in_walls(KDR_F64, rods, MOLECULES, &room, 1);
            desc.forces = &weight, desc.force_count = 1;
            memset(hits[moves], 0, sizeof hits[moves]);
            memset(taken[moves], 0, sizeof taken[moves]);
            p[moves].bounces = hits[moves], p[moves].dissipated_energy[0] = taken[moves][0],
            p[moves].dissipated_energy[1] = taken[moves][1];
            kdr_clock clock = {0, 1.0 / 64, 0};
            run(&desc, &p[moves], &clock, (uint64_t)(64 * time));
            for (size_t k = 0; k < COUNT; ++k) {
                sum[moves] += taken[moves][0][k] + taken[moves][1][k];
            }
        }
        for (size_t k = 0; k < COUNT; ++k) {
            for (int i = 0; i < p->dims; ++i) {
                const double x = get(p[1].x[i], KDR_F64, k) - velocity[i] * time, v = get(p[1].v[i], KDR_F64, k) - velocity[i];
                apart = fmax(apart, fmax(n / 2 ? 0 : fabs(x - get(p->x[i], KDR_F64, k)), fabs(v - get(p->v[i], KDR_F64, k))));
            }
        }
        fprintf(stderr, "%d: %.3g apart, %g and %g taken\n", n, apart, sum[0], sum[1]);
        cr_expect(apart < 1e-7 && fabs(sum[1] - sum[0]) < (n / 2 ? 0.02 : 1e-6) * sum[0] && sum[0] > 1, "%d: %g apart, %g and %g taken", n,
                  apart, sum[0], sum[1]);
        for (int moves = 0; moves < 2; ++moves) {
            p[moves].bounces = NULL, p[moves].dissipated_energy[0] = p[moves].dissipated_energy[1] = NULL;
            kdr_particles_destroy(&p[moves]);
        }
    }
}

/* A bob with unit speed on an arm, the other end of which is held, meets a wall across its path at 100 angles. Its speed is multiplied by
 * e. */
Test(distances_walls, pendulums_are_turned_round) {
    for (int n = 0; n < 400; ++n) {
        const double angle = (0.3 + n % 100) * acos(-1) / 200, e = n / 200 ? 0.5 : 1;
        const double c = cos(angle), s = sin(angle), turn = 0.1, length = n / 100 % 2 ? 2 : 1;
        kdr_distance arm = {0, 1, length};
        /* The bob starts an angle `turn` before the wall, whose normal makes `angle` with the path there. */
        kdr_collider wall = kdr_collider_plane((double[]){0, -length, 0}, (double[]){-c, s, 0});
        wall.restitution = e;
        kdr_system_desc desc = in_walls(KDR_F64, &arm, 1, &wall, 1);
        kdr_particles p = make_particles(2, 2, KDR_F64, true, true);
        double taken[2] = {0};
        uint32_t hits[2] = {0};
        put_state(&p, 0, &(state){{0}, {0}});
        put_state(&p, 1, &(state){{-length * sin(turn), -length * cos(turn), 0}, {cos(turn), -sin(turn), 0}});
        set(p.inverse_mass, KDR_F64, 0, 0);
        set(p.inverse_mass, KDR_F64, 1, 0.25);
        p.bounces = hits, p.dissipated_energy[0] = taken;
        kdr_clock clock = {0, 1.0 / 128, 0};
        while (hits[1] == 0 && clock.step < 128) {
            run(&desc, &p, &clock, 1);
        }
        const double speed = hypot(get(p.v[0], KDR_F64, 1), get(p.v[1], KDR_F64, 1));
        cr_expect(hits[1] == 1 && fabs(speed - e) < 1e-12, "%g degrees: %u, %.17g", angle * 180 / acos(-1), hits[1], speed);
        cr_expect(get(p.v[0], KDR_F64, 1) < 0 && fabs(taken[1] - 2 * (1 - e * e)) < 1e-12, "%g: %g", angle, taken[1]);
        p.bounces = NULL, p.dissipated_energy[0] = NULL;
        kdr_particles_destroy(&p);
    }
}

/* For 300 dumbbells in a room, three fifths of the energy is translation and two fifths rotation, within three standard errors. */
Test(distances_walls, energy_is_shared_equally) {
    enum { MOLECULES = 300, COUNT = 2 * MOLECULES, BATCHES = 40 };
    static kdr_distance rods[MOLECULES];
    const kdr_collider room = kdr_collider_box((double[]){-1, -1, -1}, (double[]){1, 1, 1}, true);
    kdr_system_desc desc = in_walls(KDR_F64, rods, MOLECULES, &room, 1);
    kdr_particles p = make_particles(COUNT, 3, KDR_F64, false, true);
    throw_dumbbells(&p, rods, 0.6);
    kdr_clock clock = {0, 0.02, 0};
    double sum = 0, squares = 0;
    run(&desc, &p, &clock, 1000);
    for (int batch = 0; batch < BATCHES; ++batch) {
        double moving = 0;
        run(&desc, &p, &clock, 400);
        for (size_t m = 0; m < MOLECULES; ++m) {
            double square = 0;
            for (int i = 0; i < 3; ++i) {
                const double v = 0.5 * (get(p.v[i], KDR_F64, 2 * m) + get(p.v[i], KDR_F64, 2 * m + 1));
                square += v * v;
            }
            moving += square / kinetic(&p, 2 * m, 2 * m + 2) / MOLECULES; /* the energy of each is constant */
        }
        sum += moving / BATCHES;
        squares += moving * moving / BATCHES;
    }
    const double error = sqrt((squares - sum * sum) / (BATCHES - 1));
    fprintf(stderr, "translation has %.4f of the energy, +- %.4f\n", sum, error);
    cr_expect(fabs(sum - 0.6) < 3 * error && error < 0.01, "%g +- %g", sum, error);
    kdr_particles_destroy(&p);
}

/* Dumbbells fall on a floor that takes energy, with friction and without. The missing energy is what was taken, and they come to rest. */
Test(distances_walls, books_close_until_they_rest) {
    enum { MOLECULES = 50, COUNT = 2 * MOLECULES };
    static kdr_distance rods[MOLECULES];
    const kdr_force weight = kdr_force_uniform_acceleration(0, -9.81, 0);
    for (int n = 0; n < 4; ++n) {
        static double taken[2][COUNT];
        kdr_collider room = kdr_collider_box((double[]){-1, -1, -1}, (double[]){1, 1, 1}, true);
        room.restitution = n % 2 ? 0.5 : 0.9;
        room.sliding = n / 2 * 0.3;
        kdr_system_desc desc = in_walls(KDR_F64, rods, MOLECULES, &room, 1);
        desc.forces = &weight, desc.force_count = 1;
        kdr_particles p = make_particles(COUNT, 3, KDR_F64, true, true);
        for (size_t i = 0; i < COUNT; ++i) {
            set(p.inverse_mass, KDR_F64, i, i % 2 ? 1 : 0.5);
        }
        throw_dumbbells(&p, rods, 0.5);
        memset(taken, 0, sizeof taken);
        p.dissipated_energy[0] = taken[0], p.dissipated_energy[1] = taken[1];
        double before[MOLECULES], worst = 0, fastest = 0;
        for (size_t m = 0; m < MOLECULES; ++m) {
            before[m] = energy_of(&p, m, 9.81);
        }
        kdr_clock clock = {0, 1.0 / 240, 0};
        run(&desc, &p, &clock, 240 * 60);
        assert_inside(&p, 1);
        for (size_t m = 0; m < MOLECULES; ++m) {
            const double lost = taken[0][2 * m] + taken[0][2 * m + 1] + taken[1][2 * m] + taken[1][2 * m + 1];
            worst = fmax(worst, fabs(energy_of(&p, m, 9.81) + lost - before[m]));
            fastest = fmax(fastest, fmax(fabs(get(p.v[1], KDR_F64, 2 * m)), fabs(get(p.v[1], KDR_F64, 2 * m + 1))));
            cr_expect(get(p.x[1], KDR_F64, 2 * m) < -0.4 && get(p.x[1], KDR_F64, 2 * m + 1) < -0.4);
        }
        fprintf(stderr, "%d: off by %.3g, fastest down %.3g\n", n, worst, fastest);
        cr_expect(worst < 1e-2 && fastest < 1e-9, "%g %g", worst, fastest);
        p.dissipated_energy[0] = p.dissipated_energy[1] = NULL;
        kdr_particles_destroy(&p);
    }
}

/* A dumbbell or a triangle on a slope of 0.4 stays, to rounding, if friction holds it. Otherwise it slides as a point does, and the missing
 * energy is what friction took. */
Test(distances_walls, slopes_with_friction) {
    const double fall[3] = {-cos(0.4), 0, -sin(0.4)}, g = 9.81, period = 1;
    const kdr_force weight = kdr_force_uniform_acceleration(0, 0, -g);
    const kdr_distance rods[3] = {{0, 1, 1}, {1, 2, 1}, {0, 2, 1}};
    for (int n = 0; n < 8; ++n) {
        const size_t count = n % 2 ? 3 : 2;
        const bool holds = n / 2 % 2;
        double taken[2][3] = {{0}};
        kdr_collider slope = kdr_collider_plane((double[]){0, 0, 0}, (double[]){-sin(0.4), 0, cos(0.4)});
        slope.restitution = n / 4 ? 0.5 : 0;
        slope.sliding = holds ? 0.6 : 0.1;
        kdr_system_desc desc = in_walls(KDR_F64, rods, n % 2 ? 3 : 1, &slope, 1);
        desc.forces = &weight, desc.force_count = 1;
        kdr_particles p = make_particles(count, 3, KDR_F64, false, true);
        for (size_t k = 0; k < count; ++k) {
            for (int i = 0; i < 3; ++i) {
                const double along = (double[]){0, 1, 0.5}[k], aside = k == 2 && i == 1 ? sqrt(0.75) : 0;
                set(p.x[i], KDR_F64, k, along * fall[i] + aside);
                set(p.v[i], KDR_F64, k, 0);
            }
        }
        p.dissipated_energy[0] = taken[0], p.dissipated_energy[1] = taken[1];
        kdr_clock clock = {0, period / 240, 0};
        const double speed = holds ? 0 : g * (sin(0.4) - 0.1 * cos(0.4)) * period;
        double energy = 0;
        run(&desc, &p, &clock, 240);
        for (size_t k = 0; k < count; ++k) {
            const double along = (double[]){0, 1, 0.5}[k];
            energy += g * (get(p.x[2], KDR_F64, k) - along * fall[2]) + taken[0][k] + taken[1][k];
            for (int i = 0; i < 3; ++i) {
                const double aside = k == 2 && i == 1 ? sqrt(0.75) : 0, v = get(p.v[i], KDR_F64, k);
                const double moved = get(p.x[i], KDR_F64, k) - along * fall[i] - aside;
                cr_expect(fabs(moved - 0.5 * speed * period * fall[i]) < 1e-13 && fabs(v - speed * fall[i]) < 1e-13,
                          "%d, particle %zu: moved by %.17g, speed %.17g", n, k, moved, v);
                energy += 0.5 * v * v;
            }
            cr_expect(holds ? taken[0][k] + taken[1][k] < 1e-15 : taken[1][k] > 0, "%d: %g and %g", n, taken[0][k], taken[1][k]);
        }
        cr_expect(fabs(energy) < 1e-12, "%d: energy and what was taken are off by %g", n, energy);
        p.dissipated_energy[0] = p.dissipated_energy[1] = NULL;
        kdr_particles_destroy(&p);
    }
}
