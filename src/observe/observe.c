/* Observables: energy, momentum and angular momentum, and the first particle that is not finite.
 *
 * The order of every sum is fixed: blocks of BLOCK particles, summed with compensation (Neumaier, Z. angew. Math. Mech.
 * 54 (1974) 39), and the blocks' sums added in their order. Groups of blocks are summed in parallel, so nothing grows
 * with the count but time.
 *
 * A force that has a potential has a row in `potentials`. */
#include <kickdrift/observe.h>

#include <math.h>

#include "../force/field.h"
#include "../integrator/executor.h"
#include "../integrator/integrator.h"
#include "../particles/element.h"
#include "../particles/error.h"

enum {
    BLOCK = 1024, /* particles whose sums one range makes */
    GROUP = 64,   /* blocks between two reductions: 8 KiB of sums on the stack, and 65,536 particles for each parallel loop */
    TILE = 128,   /* particles held as doubles at a time */
};

typedef struct sum {
    double high, low; /* the value is high + low; low is worth nothing once high is not finite */
} sum;

static void add(sum *s, double value) {
    const double t = s->high + value;
    s->low += fabs(s->high) >= fabs(value) ? (s->high - t) + value : (value - t) + s->high;
    s->high = t;
}

static double value_of(const sum *s) { return isfinite(s->high) ? s->high + s->low : s->high; }

static void add_sum(sum *total, const sum *part) {
    add(total, part->high);
    if (isfinite(part->high)) {
        add(total, part->low);
    }
}

/* What is summed; all of them doubles, so that blocks are reduced by one loop. */
enum { KINETIC, POTENTIAL, MOMENTUM, ANGULAR = MOMENTUM + 3, SUMS = ANGULAR + 3 };

/* Particles with a mass, as doubles; axes that the view does not have are 0. */
typedef struct tile {
    int n, dims;
    kdr_real real;
    double time;
    size_t index[TILE]; /* in the view */
    double mass[TILE];
    double x[3][TILE], v[3][TILE];
} tile;

static double dot(const double a[3], const tile *t, int i) {
    double s = 0;
    for (int axis = 0; axis < t->dims; ++axis) {
        s += a[axis] * t->x[axis][i];
    }
    return s;
}

static void potential_uniform_acceleration(const kdr_force *force, const tile *t, sum *potential) {
    for (int i = 0; i < t->n; ++i) {
        add(potential, -t->mass[i] * dot(force->as.uniform_acceleration.a, t, i));
    }
}

static void potential_uniform_force(const kdr_force *force, const tile *t, sum *potential) {
    for (int i = 0; i < t->n; ++i) {
        add(potential, -dot(force->as.uniform_force.f, t, i));
    }
}

static void potential_spring(const kdr_force *force, const tile *t, sum *potential) {
    const void *k_each = force->as.spring.k_each;
    const void *const *at_each = force->as.spring.at_each;
    for (int i = 0; i < t->n; ++i) {
        for (int axis = 0; axis < t->dims; ++axis) {
            const double k = k_each ? kdr_element(k_each, t->real, t->index[i]) : force->as.spring.k[axis];
            const double at = at_each[axis] ? kdr_element(at_each[axis], t->real, t->index[i]) : force->as.spring.at[axis];
            const double stretch = t->x[axis][i] - at;
            add(potential, 0.5 * k * (stretch * stretch));
        }
    }
}

static void potential_electromagnetic(const kdr_force *force, const tile *t, sum *potential) {
    for (int i = 0; i < t->n; ++i) {
        add(potential, -force->as.electromagnetic.charge * dot(force->as.electromagnetic.e, t, i));
    }
}

static void potential_centre(const kdr_force *force, const tile *t, sum *potential) {
    const double softening = force->as.centre.softening;
    for (int i = 0; i < t->n; ++i) {
        double r2 = softening * softening;
        for (int axis = 0; axis < t->dims; ++axis) {
            const double r = t->x[axis][i] - force->as.centre.at[axis];
            r2 += r * r;
        }
        add(potential, -t->mass[i] * force->as.centre.mu / sqrt(r2));
    }
}

static void potential_driven(const kdr_force *force, const tile *t, sum *potential) {
    const double swing = kdr_cos(force->as.driven.omega * t->time + force->as.driven.phase);
    for (int i = 0; i < t->n; ++i) {
        add(potential, -t->mass[i] * swing * dot(force->as.driven.a, t, i));
    }
}

typedef void potential_fn(const kdr_force *force, const tile *t, sum *potential);

/* NULL: a force that does no work, or does not give back what it takes. */
static potential_fn *const potentials[KDR_FORCE_KIND_COUNT] = {
    [KDR_UNIFORM_ACCELERATION] = potential_uniform_acceleration,
    [KDR_UNIFORM_FORCE] = potential_uniform_force,
    [KDR_SPRING] = potential_spring,
    [KDR_DRAG] = NULL,
    [KDR_QUADRATIC_DRAG] = NULL,
    [KDR_ELECTROMAGNETIC] = potential_electromagnetic,
    [KDR_CENTRE] = potential_centre,
    [KDR_DRIVEN] = potential_driven,
};

static void add_motion(const tile *t, sum sums[SUMS]) {
    for (int i = 0; i < t->n; ++i) {
        const double m = t->mass[i];
        const double x[3] = {t->x[0][i], t->x[1][i], t->x[2][i]};
        const double v[3] = {t->v[0][i], t->v[1][i], t->v[2][i]};
        add(&sums[KINETIC], 0.5 * m * ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]));
        for (int axis = 0; axis < 3; ++axis) {
            const int next = (axis + 1) % 3;
            const int last = (axis + 2) % 3;
            if (axis < t->dims) {
                add(&sums[MOMENTUM + axis], m * v[axis]);
            }
            if (next < t->dims && last < t->dims) {
                add(&sums[ANGULAR + axis], m * (x[next] * v[last] - x[last] * v[next]));
            }
        }
    }
}

static void load(const kdr_particles *p, size_t begin, size_t end, tile *t) {
    t->n = 0;
    for (size_t i = begin; i < end; ++i) {
        const double w = p->inverse_mass ? kdr_element(p->inverse_mass, p->real, i) : 1.0;
        if (w == 0.0) { /* frozen: its mass is not finite */
            continue;
        }
        t->index[t->n] = i;
        t->mass[t->n] = 1.0 / w;
        for (int axis = 0; axis < 3; ++axis) {
            t->x[axis][t->n] = axis < p->dims ? kdr_element(p->x[axis], p->real, i) : 0.0;
            t->v[axis][t->n] = axis < p->dims ? kdr_element(p->v[axis], p->real, i) : 0.0;
        }
        ++t->n;
    }
}

typedef struct group {
    const kdr_integrator_desc *desc;
    const kdr_particles *particles;
    double time;
    size_t first; /* block of the group */
    sum sums[GROUP][SUMS];
} group;

static void sum_block(const group *g, size_t block, sum sums[SUMS]) {
    const kdr_particles *p = g->particles;
    const size_t end = p->count - block * BLOCK < BLOCK ? p->count : (block + 1) * BLOCK;
    tile t = {.dims = p->dims, .real = p->real, .time = g->time};
    for (int s = 0; s < SUMS; ++s) {
        sums[s] = (sum){0, 0};
    }
    for (size_t begin = block * BLOCK; begin < end; begin += TILE) {
        load(p, begin, end - begin < TILE ? end : begin + TILE, &t);
        add_motion(&t, sums);
        for (size_t f = 0; f < g->desc->force_count; ++f) {
            const kdr_force *force = &g->desc->forces[f];
            if (potentials[force->kind]) {
                potentials[force->kind](force, &t, &sums[POTENTIAL]);
            }
        }
    }
}

static void sum_blocks(void *argument, size_t begin, size_t end) {
    group *g = argument;
    for (size_t b = begin; b < end; ++b) {
        sum_block(g, g->first + b, g->sums[b]);
    }
}

static void sum_all(const kdr_integrator_desc *desc, const kdr_particles *particles, double time, sum total[SUMS]) {
    group g = {.desc = desc, .particles = particles, .time = time};
    const size_t blocks = particles->count / BLOCK + (particles->count % BLOCK != 0);
    for (; g.first < blocks; g.first += GROUP) {
        const size_t n = blocks - g.first < GROUP ? blocks - g.first : GROUP;
        kdr_parallel_for(&desc->executor, n, sum_blocks, &g);
        for (size_t b = 0; b < n; ++b) {
            for (int s = 0; s < SUMS; ++s) {
                add_sum(&total[s], &g.sums[b][s]);
            }
        }
    }
}

kdr_status kdr_observe(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock,
                       kdr_observables *observables, kdr_error *error) {
    KDR_CHECK(integrator, error, KDR_ERROR_NULL, "integrator: expected a pointer, got NULL");
    KDR_CHECK(observables, error, KDR_ERROR_NULL, "observables: expected a pointer, got NULL");
    const kdr_status status = kdr_problem_check_run(&integrator->problem, particles, clock, 0, error);
    if (status != KDR_OK) {
        return status;
    }
    sum total[SUMS] = {{0, 0}};
    sum_all(&integrator->desc, particles, kdr_clock_time(clock, clock->step, 0.0), total);
    observables->kinetic = value_of(&total[KINETIC]);
    observables->potential = value_of(&total[POTENTIAL]);
    observables->energy = observables->kinetic + observables->potential;
    for (int axis = 0; axis < 3; ++axis) {
        observables->momentum[axis] = value_of(&total[MOMENTUM + axis]);
        observables->angular_momentum[axis] = value_of(&total[ANGULAR + axis]);
    }
    return KDR_OK;
}

static bool finite_bits(uint64_t bits, kdr_real real) {
    const uint64_t exponent = real == KDR_F32 ? UINT64_C(0x7f800000) : UINT64_C(0x7ff0000000000000);
    return (bits & exponent) != exponent;
}

/* The first non-finite element of [begin, end), or end. */
static size_t first_in_array(const void *array, kdr_real real, size_t begin, size_t end) {
    while (begin < end && finite_bits(kdr_element_bits(array, real, begin), real)) {
        ++begin;
    }
    return begin;
}

kdr_status kdr_first_non_finite(const kdr_particles *particles, size_t *index, kdr_error *error) {
    KDR_CHECK(index, error, KDR_ERROR_NULL, "index: expected a pointer, got NULL");
    const kdr_status status = kdr_particles_check(particles, error);
    if (status != KDR_OK) {
        return status;
    }
    /* Block by block, so that an early one is found before all of the first array is read. */
    size_t found = particles->count;
    for (size_t begin = 0; begin < found; begin += BLOCK) {
        size_t end = found - begin < BLOCK ? found : begin + BLOCK;
        const size_t last = end;
        for (int axis = 0; axis < particles->dims; ++axis) {
            end = first_in_array(particles->x[axis], particles->real, begin, end);
            end = first_in_array(particles->v[axis], particles->real, begin, end);
        }
        if (end < last) {
            found = end;
        }
    }
    *index = found;
    return KDR_OK;
}
