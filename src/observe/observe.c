/* Observables: energy, momentum and angular momentum, and the first particle that is not finite.
 *
 * The order of every sum is fixed: blocks of BLOCK particles, in each block LANES running sums with compensation (Ogita, Rump, Oishi,
 * SIAM J. Sci. Comput. 26 (2005) 1955, Sum2), added up in the order of the lanes, and the blocks' sums in the order of the blocks.
 * Groups of blocks are summed in parallel, so only time grows with the count. Callers with slices of the particles keep the blocks'
 * sums.
 *
 * A force that has a potential has a row in `potentials`. */
#include <kickdrift/observe.h>

#include <math.h>

#include "../force/custom.h"
#include "../force/field.h"
#include "../integrator/integrator.h"
#include "../particles/element.h"
#include "../particles/error.h"
#include "../particles/executor.h"
#include "../particles/functions.h"
#include "../particles/rounding.h"
#include "../system/system.h"

enum {
    BLOCK = KDR_OBSERVE_BLOCK, /* particles that one range sums up */
    GROUP = 64,                /* blocks between two reductions: 10 KiB of sums on the stack, and 65,536 particles for each parallel loop */
    TILE = 128,                /* particles held as doubles at a time */
    LANES = 8,                 /* running sums of a block, which the compiler puts into vectors */
};

/* Computes high + low := high + low + value, with the rounding error of the sum in low (Knuth, TAOCP 2, 4.2.2, theorem B). */
static inline void add(double *high, double *low, double value) {
    const double t = *high + value;
    const double part = t - *high;
    *low += (*high - (t - part)) + (value - part);
    *high = t;
}

/* Returns high + low; low is meaningless if high is not finite. */
static double value_of(const kdr_sums *sums, int s) { return isfinite(sums->high[s]) ? sums->high[s] + sums->low[s] : sums->high[s]; }

static void add_sum(kdr_sums *total, int s, double high, double low) {
    add(&total->high[s], &total->low[s], high);
    if (isfinite(high)) {
        add(&total->high[s], &total->low[s], low);
    }
}

/* The sums; all are doubles, so that one loop reduces the blocks. */
enum { KINETIC, POTENTIAL, MOMENTUM, ANGULAR = MOMENTUM + 3, DISSIPATED_ENERGY = ANGULAR + 3, SUMS = DISSIPATED_ENERGY + 2 };
_Static_assert(SUMS == sizeof((kdr_sums){{0}, {0}}.high) / sizeof(double), "a number of the public struct for each sum");

typedef struct lanes {
    double high[LANES], low[LANES];
} lanes;

/* Adds term i to lane i mod LANES. Terms n and beyond are overwritten. */
static void add_terms(lanes *to, double term[TILE], int n) {
    lanes s = *to;
    for (; n % LANES != 0; ++n) {
        term[n] = 0.0;
    }
    for (int i = 0; i < n; i += LANES) {
        for (int lane = 0; lane < LANES; ++lane) {
            add(&s.high[lane], &s.low[lane], term[i + lane]);
        }
    }
    *to = s;
}

/* Particles with finite mass, as doubles; axes that the view does not have are 0. */
typedef struct tile {
    int n, dims;
    kdr_real real;
    double time;
    const kdr_grid *grid; /* grid of a custom field's entry, with its strides filled in */
    size_t index[TILE];   /* indices in the view */
    double mass[TILE];
    double x[3][TILE], v[3][TILE];
} tile;

/* Computes energy[i] -= factor (a . x_i), times the mass if `mass` is given. */
static void add_linear(const double a[3], double factor, const double *mass, const tile *t, double energy[TILE]) {
    for (int axis = 0; axis < t->dims; ++axis) {
        for (int i = 0; i < t->n; ++i) {
            energy[i] -= (mass ? mass[i] : 1.0) * (factor * a[axis] * t->x[axis][i]);
        }
    }
}

static void potential_uniform_acceleration(const kdr_force *force, const tile *t, double energy[TILE]) {
    add_linear(force->as.uniform_acceleration.a, 1.0, t->mass, t, energy);
}

static void potential_uniform_force(const kdr_force *force, const tile *t, double energy[TILE]) {
    add_linear(force->as.uniform_force.f, 1.0, NULL, t, energy);
}

static void potential_electromagnetic(const kdr_force *force, const tile *t, double energy[TILE]) {
    add_linear(force->as.electromagnetic.e, force->as.electromagnetic.charge, NULL, t, energy);
}

static void potential_driven(const kdr_force *force, const tile *t, double energy[TILE]) {
    const double swing = kdr_cos(force->as.driven.omega * t->time + force->as.driven.phase);
    add_linear(force->as.driven.a, swing, t->mass, t, energy);
}

/* Returns the parameter of particle i of the tile, from an array of the entry. */
static double each_of(const kdr_force *force, const void *array, const tile *t, int i) {
    return kdr_element(kdr_at(array, &force->each_layout, t->real, t->index[i]), t->real, 0);
}

static void potential_spring(const kdr_force *force, const tile *t, double energy[TILE]) {
    const void *k_each = force->as.spring.k_each;
    for (int axis = 0; axis < t->dims; ++axis) {
        const void *at_each = force->as.spring.at_each[axis];
        for (int i = 0; i < t->n; ++i) {
            const double k = k_each ? each_of(force, k_each, t, i) : force->as.spring.k[axis];
            const double at = at_each ? each_of(force, at_each, t, i) : force->as.spring.at[axis];
            const double stretch = t->x[axis][i] - at;
            energy[i] += 0.5 * k * (stretch * stretch);
        }
    }
}

static void potential_centre(const kdr_force *force, const tile *t, double energy[TILE]) {
    const double softening = force->as.centre.softening;
    for (int i = 0; i < t->n; ++i) {
        double r2 = softening * softening;
        for (int axis = 0; axis < t->dims; ++axis) {
            const double r = t->x[axis][i] - force->as.centre.at[axis];
            r2 += r * r;
        }
        energy[i] -= t->mass[i] * force->as.centre.mu / sqrt(r2);
    }
}

static void potential_custom(const kdr_force *force, const tile *t, double energy[TILE]) {
    const kdr_custom_field *const field = force->as.custom.field;
    double parameter[KDR_MAX_PARAMETERS];
    kdr_custom_field_given given = {t->dims, parameter, parameter, t->time, 1.0, t->grid};
    for (int i = 0; i < t->n && field->energy; ++i) {
        const double x[3] = {t->x[0][i], t->x[1][i], t->x[2][i]};
        for (int k = 0; k < field->parameter_count; ++k) {
            const void *const each = force->as.custom.each[k];
            parameter[k] = each ? each_of(force, each, t, i) : force->as.custom.parameter[k];
        }
        const double factor = (field->flags & KDR_CUSTOM_FIELD_ACCELERATION) ? t->mass[i] : 1.0;
        given.inverse_mass = 1.0 / t->mass[i];
        energy[i] += factor * field->energy(&given, t->real, x);
    }
}

typedef void potential_fn(const kdr_force *force, const tile *t, double energy[TILE]);

/* NULL for a force that does no work, or does not conserve energy. */
static potential_fn *const potentials[KDR_FORCE_KIND_ALL] = {
    [KDR_UNIFORM_ACCELERATION] = potential_uniform_acceleration,
    [KDR_UNIFORM_FORCE] = potential_uniform_force,
    [KDR_SPRING] = potential_spring,
    [KDR_DRAG] = NULL,
    [KDR_QUADRATIC_DRAG] = NULL,
    [KDR_ELECTROMAGNETIC] = potential_electromagnetic,
    [KDR_CENTRE] = potential_centre,
    [KDR_DRIVEN] = potential_driven,
    [KDR_CUSTOM_FIELD] = potential_custom,
};

/* Adds kinetic energy and momenta. With a speed of light c, v is u, and (gamma - 1) c^2 = u^2 / (1 + gamma), which does not cancel. */
static void add_motion(const tile *t, double c, lanes sums[SUMS]) {
    double term[TILE];
    for (int i = 0; i < t->n; ++i) {
        const double square = (t->v[0][i] * t->v[0][i] + t->v[1][i] * t->v[1][i]) + t->v[2][i] * t->v[2][i];
        term[i] = c == 0.0 ? 0.5 * t->mass[i] * square : t->mass[i] * square / (1.0 + sqrt(1.0 + square / (c * c)));
    }
    add_terms(&sums[KINETIC], term, t->n);
    for (int axis = 0; axis < t->dims; ++axis) {
        for (int i = 0; i < t->n; ++i) {
            term[i] = t->mass[i] * t->v[axis][i];
        }
        add_terms(&sums[MOMENTUM + axis], term, t->n);
    }
    for (int axis = 0; axis < 3; ++axis) {
        const int next = (axis + 1) % 3;
        const int last = (axis + 2) % 3;
        if (next < t->dims && last < t->dims) {
            for (int i = 0; i < t->n; ++i) {
                term[i] = t->mass[i] * (t->x[next][i] * t->v[last][i] - t->x[last][i] * t->v[next][i]);
            }
            add_terms(&sums[ANGULAR + axis], term, t->n);
        }
    }
}

static void add_potential(const kdr_integrator_desc *desc, const kdr_field *field, tile *t, lanes *potential) {
    double energy[TILE] = {0};
    int entry = 0;
    for (size_t f = 0; f < desc->force_count; ++f) {
        const kdr_force *force = &desc->forces[f];
        t->grid = force->kind == KDR_CUSTOM_FIELD ? &field->custom_entry[entry++].grid : NULL;
        if (potentials[force->kind]) {
            potentials[force->kind](force, t, energy);
        }
    }
    add_terms(potential, energy, t->n);
}

static void add_dissipated_energy(const kdr_particles *p, const tile *t, lanes sums[SUMS]) {
    double term[TILE];
    for (int k = 0; k < 2; ++k) {
        if (p->dissipated_energy[k]) {
            for (int i = 0; i < t->n; ++i) {
                term[i] = kdr_element(kdr_at(p->dissipated_energy[k], &p->dissipated_energy_layout, KDR_F64, t->index[i]), KDR_F64, 0);
            }
            add_terms(&sums[DISSIPATED_ENERGY + k], term, t->n);
        }
    }
}

static void load_array(const kdr_particles *p, int array, const tile *t, double out[TILE]) {
    for (int i = 0; i < t->n; ++i) {
        out[i] = array % 3 < p->dims ? kdr_state(p, array, t->index[i]) : 0.0;
    }
}

static void load(const kdr_particles *p, size_t begin, size_t end, tile *t) {
    t->n = 0;
    for (size_t i = begin; i < end; ++i) {
        const double w = kdr_inverse_mass(p, i);
        if (w != 0.0) { /* frozen particles have no finite mass */
            t->index[t->n] = i;
            t->mass[t->n] = 1.0 / w;
            ++t->n;
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        load_array(p, axis, t, t->x[axis]);
        load_array(p, 3 + axis, t, t->v[axis]);
    }
}

typedef struct group {
    const kdr_integrator_desc *desc;
    const kdr_field *field; /* the folded forces */
    const kdr_particles *particles;
    double time;
    size_t first;   /* first block of the group */
    kdr_sums *sums; /* sums of the blocks from there on */
} group;

static void sum_block(const group *g, size_t block, kdr_sums *sums) {
    const kdr_particles *p = g->particles;
    const size_t end = p->count - block * BLOCK < BLOCK ? p->count : (block + 1) * BLOCK;
    lanes running[SUMS] = {{{0}, {0}}};
    tile t;
    t.dims = p->dims;
    t.real = p->real;
    t.time = g->time;
    for (size_t begin = block * BLOCK; begin < end; begin += TILE) {
        load(p, begin, end - begin < TILE ? end : begin + TILE, &t);
        add_motion(&t, g->desc->speed_of_light, running);
        add_potential(g->desc, g->field, &t, &running[POTENTIAL]);
        add_dissipated_energy(p, &t, running);
    }
    *sums = (kdr_sums){{0}, {0}};
    for (int s = 0; s < SUMS; ++s) {
        for (int lane = 0; lane < LANES; ++lane) {
            add_sum(sums, s, running[s].high[lane], running[s].low[lane]);
        }
    }
}

static void sum_blocks(void *argument, size_t begin, size_t end) {
    group *g = argument;
    for (size_t b = begin; b < end; ++b) {
        sum_block(g, g->first + b, &g->sums[b]);
    }
}

static size_t blocks_of(const kdr_particles *p) { return p->count / BLOCK + (p->count % BLOCK != 0); }

static void add_blocks(kdr_sums *total, const kdr_sums *blocks, size_t count) {
    for (size_t b = 0; b < count; ++b) {
        for (int s = 0; s < SUMS; ++s) {
            add_sum(total, s, blocks[b].high[s], blocks[b].low[s]);
        }
    }
}

static void tell(const kdr_sums *total, kdr_observables *to) {
    to->kinetic = value_of(total, KINETIC);
    to->potential = value_of(total, POTENTIAL);
    to->energy = to->kinetic + to->potential;
    for (int k = 0; k < 2; ++k) {
        to->dissipated_energy[k] = value_of(total, DISSIPATED_ENERGY + k);
    }
    for (int axis = 0; axis < 3; ++axis) {
        to->momentum[axis] = value_of(total, MOMENTUM + axis);
        to->angular_momentum[axis] = value_of(total, ANGULAR + axis);
    }
}

/* Computes everything except the energy of interactions. */
static void observe(const kdr_integrator_desc *desc, const kdr_field *field, const kdr_particles *particles, const kdr_clock *clock,
                    kdr_observables *to) {
    kdr_sums total = {{0}, {0}}, sums[GROUP];
    group g = {.desc = desc, .field = field, .particles = particles, .time = kdr_clock_time(clock, clock->step, 0.0), .sums = sums};
    const size_t blocks = blocks_of(particles);
    for (; g.first < blocks; g.first += GROUP) {
        const size_t n = blocks - g.first < GROUP ? blocks - g.first : GROUP;
        kdr_parallel_for(&desc->executor, n, sum_blocks, &g);
        add_blocks(&total, sums, n);
    }
    tell(&total, to);
}

kdr_status kdr_observe_blocks(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock, kdr_sums *blocks,
                              size_t count, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(integrator, error, KDR_ERROR_NULL, "integrator: expected a pointer, got NULL");
    KDR_CHECK(blocks, error, KDR_ERROR_NULL, "blocks: expected a pointer, got NULL");
    const kdr_status status = kdr_problem_check_run(&integrator->setup->problem, particles, clock, 0, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(count == blocks_of(particles), error, KDR_ERROR_MISMATCH, "blocks: expected %zu, one for %d particles, got %zu",
              blocks_of(particles), (int)BLOCK, count);
    const kdr_integrator_desc *const desc = &integrator->setup->desc;
    const kdr_field *const field = &integrator->setup->problem.field;
    group g = {.desc = desc, .field = field, .particles = particles, .time = kdr_clock_time(clock, clock->step, 0.0), .sums = blocks};
    kdr_parallel_for(&desc->executor, count, sum_blocks, &g);
    return KDR_OK;
}

kdr_status kdr_sums_add(kdr_sums *total, const kdr_sums *blocks, size_t count, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(total, error, KDR_ERROR_NULL, "total: expected a pointer, got NULL");
    KDR_CHECK(blocks || count == 0, error, KDR_ERROR_NULL, "blocks: expected a pointer, got NULL");
    add_blocks(total, blocks, count);
    return KDR_OK;
}

kdr_status kdr_sums_observe(const kdr_sums *total, kdr_observables *observables, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(total, error, KDR_ERROR_NULL, "total: expected a pointer, got NULL");
    KDR_CHECK(observables, error, KDR_ERROR_NULL, "observables: expected a pointer, got NULL");
    tell(total, observables);
    return KDR_OK;
}

kdr_status kdr_observe(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock,
                       kdr_observables *observables, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(integrator, error, KDR_ERROR_NULL, "integrator: expected a pointer, got NULL");
    KDR_CHECK(observables, error, KDR_ERROR_NULL, "observables: expected a pointer, got NULL");
    const kdr_status status = kdr_problem_check_run(&integrator->setup->problem, particles, clock, 0, error);
    if (status == KDR_OK) {
        observe(&integrator->setup->desc, &integrator->setup->problem.field, particles, clock, observables);
    }
    return status;
}

kdr_status kdr_system_observe(const kdr_system *system, const kdr_particles *particles, const kdr_clock *clock,
                              kdr_observables *observables, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(system, error, KDR_ERROR_NULL, "system: expected a pointer, got NULL");
    KDR_CHECK(observables, error, KDR_ERROR_NULL, "observables: expected a pointer, got NULL");
    double between = 0.0;
    kdr_status status = kdr_problem_check_run(&system->problem, particles, clock, 0, error);
    if (status == KDR_OK) {
        status = kdr_system_potential(system, particles, kdr_clock_time(clock, clock->step, 0.0), &between, error);
    }
    if (status == KDR_OK) {
        kdr_integrator_desc alone = kdr_integrator_desc_default();
        alone.forces = system->desc.forces;
        alone.force_count = system->desc.force_count;
        alone.executor = system->desc.executor;
        alone.speed_of_light = system->desc.speed_of_light;
        observe(&alone, &system->problem.field, particles, clock, observables);
        observables->potential += between;
        observables->energy = observables->kinetic + observables->potential;
    }
    return status;
}

static bool finite_bits(uint64_t bits, kdr_real real) {
    const uint64_t exponent = real == KDR_F32 ? UINT64_C(0x7f800000) : UINT64_C(0x7ff0000000000000);
    return (bits & exponent) != exponent;
}

/* Returns the first non-finite element of [begin, end), or end. */
static size_t first_in_array(const kdr_particles *p, int array, size_t begin, size_t end) {
    while (begin < end && finite_bits(kdr_state_bits(p, array, begin), p->real)) {
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
    /* Goes block by block, so that an early one is found before all of the first array is read. */
    size_t found = particles->count;
    for (size_t begin = 0; begin < found; begin += BLOCK) {
        size_t end = found - begin < BLOCK ? found : begin + BLOCK;
        const size_t last = end;
        for (int axis = 0; axis < particles->dims; ++axis) {
            end = first_in_array(particles, axis, begin, end);
            end = first_in_array(particles, 3 + axis, begin, end);
        }
        if (end < last) {
            found = end;
        }
    }
    *index = found;
    return KDR_OK;
}

static kdr_status count_absorbed(const kdr_boundary *boundary, const kdr_particles *particles, size_t *count, kdr_error *error) {
    KDR_CHECK(count, error, KDR_ERROR_NULL, "count: expected a pointer, got NULL");
    const kdr_status status = kdr_particles_check(particles, error);
    if (status != KDR_OK) {
        return status;
    }
    const bool single = particles->real == KDR_F32;
    size_t absorbed = 0;
    for (size_t i = 0; i < particles->count && boundary->kind == KDR_BOUNDARY_ABSORBING; ++i) {
        bool outside = false;
        for (int axis = 0; axis < particles->dims; ++axis) {
            /* The limits are rounded to the particles' precision, as in a run. */
            const double low = single ? (double)(float)boundary->min[axis] : boundary->min[axis];
            const double high = single ? (double)(float)boundary->max[axis] : boundary->max[axis];
            const double x = kdr_state(particles, axis, i);
            outside = outside || (boundary->min[axis] < boundary->max[axis] && (x < low || high < x));
        }
        absorbed += outside && kdr_inverse_mass(particles, i) != 0.0;
    }
    *count = absorbed;
    return KDR_OK;
}

kdr_status kdr_count_absorbed(const kdr_integrator *integrator, const kdr_particles *particles, size_t *count, kdr_error *error) {
    KDR_CHECK(integrator, error, KDR_ERROR_NULL, "integrator: expected a pointer, got NULL");
    return count_absorbed(&integrator->setup->problem.boundary, particles, count, error);
}

kdr_status kdr_system_count_absorbed(const kdr_system *system, const kdr_particles *particles, size_t *count, kdr_error *error) {
    KDR_CHECK(system, error, KDR_ERROR_NULL, "system: expected a pointer, got NULL");
    return count_absorbed(&system->problem.boundary, particles, count, error);
}
