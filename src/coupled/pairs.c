/* Forces between particles: the list checked, and its accelerations added. */
#include "pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../backend/backend.h"
#include "../particles/error.h"
#include "../particles/executor.h"
#include "../particles/layout.h"

/* What a thread takes at a time: 128 targets of gravity, which the tiles of every backend divide, or, of chosen ones, 32, the widest tile;
 * 32 slices, 512 particles of a net. */
enum { TARGETS = 128, CHOSEN = 32, SLICES = 32 };

static const char *const names[KDR_COUPLED_KIND_COUNT] = {[KDR_GRAVITY] = "gravity", [KDR_NET] = "net"};

const char *kdr_coupled_kind_name(kdr_coupled_kind kind) { return (unsigned)kind < KDR_COUPLED_KIND_COUNT ? names[kind] : "?"; }

kdr_coupled_force kdr_coupled_gravity(const void *mu, size_t sources, double softening) {
    kdr_coupled_force force;
    memset(&force, 0, sizeof force);
    force.kind = KDR_GRAVITY;
    force.as.gravity.mu = mu;
    force.as.gravity.sources = sources;
    force.as.gravity.softening = softening;
    return force;
}

kdr_coupled_force kdr_coupled_net(const kdr_pair_spring *springs, size_t count) {
    kdr_coupled_force force;
    memset(&force, 0, sizeof force);
    force.kind = KDR_NET;
    force.as.net.springs = springs;
    force.as.net.count = count;
    return force;
}

kdr_pairs_desc kdr_pairs_desc_default(void) {
    kdr_pairs_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.real = KDR_F64;
    desc.arithmetic = KDR_FUSED;
    desc.backend = KDR_BACKEND_AUTO;
    return desc;
}

static bool fits(double value, kdr_real real) { return isfinite(real == KDR_F32 ? (double)(float)value : value); }

static kdr_status check_gravity(const kdr_coupled_force *force, size_t index, kdr_real real, kdr_error *error) {
    const double softening = force->as.gravity.softening;
    const double least = real == KDR_F32 ? 0x1p-33 : 0x1p-300;
    KDR_CHECK(force->as.gravity.mu || force->as.gravity.sources == 0, error, KDR_ERROR_NULL,
              "coupled[%zu].mu: expected an array of %zu elements, got NULL", index, force->as.gravity.sources);
    KDR_CHECK(isfinite(softening) && fits(softening * softening, real), error, KDR_ERROR_NOT_FINITE,
              "coupled[%zu].softening: expected a number whose square is finite in %s, got %g", index, kdr_real_name(real), softening);
    KDR_CHECK(softening == 0.0 || softening >= least, error, KDR_ERROR_ARGUMENT,
              "coupled[%zu].softening: expected 0, or at least %g in %s, got %g", index, least, kdr_real_name(real), softening);
    return KDR_OK;
}

static kdr_status check_spring(const kdr_pair_spring *spring, size_t index, size_t n, kdr_real real, kdr_error *error) {
    KDR_CHECK(spring->a <= KDR_MAX_INDEX && spring->b <= KDR_MAX_INDEX, error, KDR_ERROR_OVERFLOW,
              "coupled[%zu].springs[%zu]: expected particles up to %d, got %u and %u", index, n, (int)KDR_MAX_INDEX, (unsigned)spring->a,
              (unsigned)spring->b);
    KDR_CHECK(spring->a != spring->b, error, KDR_ERROR_ARGUMENT, "coupled[%zu].springs[%zu]: expected two particles, got %u twice", index,
              n, (unsigned)spring->a);
    KDR_CHECK(fits(spring->k, real) && fits(spring->length, real) && fits(spring->damping, real), error, KDR_ERROR_NOT_FINITE,
              "coupled[%zu].springs[%zu]: expected parameters that are finite in %s, got k = %g, length = %g, damping = %g", index, n,
              kdr_real_name(real), spring->k, spring->length, spring->damping);
    KDR_CHECK(spring->length >= 0.0, error, KDR_ERROR_ARGUMENT, "coupled[%zu].springs[%zu].length: expected 0 or more, got %g", index, n,
              spring->length);
    KDR_CHECK((unsigned)spring->contribution < KDR_CONTRIBUTION_COUNT, error, KDR_ERROR_ARGUMENT,
              "coupled[%zu].springs[%zu].contribution: expected an enumerator from 0 to %d, got %d", index, n, KDR_CONTRIBUTION_COUNT - 1,
              (int)spring->contribution);
    KDR_CHECK(
        spring->contribution != KDR_CONTRIBUTION_FIRST_ORDER, error, KDR_ERROR_UNSUPPORTED,
        "coupled[%zu].springs[%zu].contribution: a spring contributes by exact, average, pulse, pulse-symplectic or euler, and not by "
        "first-order",
        index, n);
    KDR_CHECK(
        spring->contribution != KDR_CONTRIBUTION_PULSE_SYMPLECTIC || spring->damping == 0.0, error, KDR_ERROR_UNSUPPORTED,
        "coupled[%zu].springs[%zu].contribution: pulse-symplectic leaves out what depends on the velocity, and so a spring's damping; "
        "take pulse",
        index, n);
    return KDR_OK;
}

static kdr_status check_net(const kdr_coupled_force *force, size_t index, kdr_real real, kdr_error *error) {
    KDR_CHECK(force->as.net.springs || force->as.net.count == 0, error, KDR_ERROR_NULL,
              "coupled[%zu].springs: expected %zu entries, got NULL", index, force->as.net.count);
    /* Both ends of all springs are counted in 32 bits. */
    KDR_CHECK(force->as.net.count <= UINT32_MAX / 2, error, KDR_ERROR_OVERFLOW, "coupled[%zu].springs: expected at most %u, got %zu", index,
              (unsigned)(UINT32_MAX / 2), force->as.net.count);
    for (size_t n = 0; n < force->as.net.count; ++n) {
        const kdr_status status = check_spring(&force->as.net.springs[n], index, n, real, error);
        if (status != KDR_OK) {
            return status;
        }
    }
    return KDR_OK;
}

typedef kdr_status check_fn(const kdr_coupled_force *force, size_t index, kdr_real real, kdr_error *error);
static check_fn *const checks[KDR_COUPLED_KIND_COUNT] = {[KDR_GRAVITY] = check_gravity, [KDR_NET] = check_net};

kdr_status kdr_pairs_check(const kdr_coupled_force *forces, size_t count, kdr_real real, kdr_error *error) {
    KDR_CHECK(forces || count == 0, error, KDR_ERROR_NULL, "coupled: expected %zu entries, got NULL", count);
    for (size_t i = 0; i < count; ++i) {
        KDR_CHECK((unsigned)forces[i].kind < KDR_COUPLED_KIND_COUNT, error, KDR_ERROR_ARGUMENT,
                  "coupled[%zu].kind: expected an enumerator from 0 to %d, got %d", i, KDR_COUPLED_KIND_COUNT - 1, (int)forces[i].kind);
        const kdr_status status = checks[forces[i].kind](&forces[i], i, real, error);
        if (status != KDR_OK) {
            return status;
        }
    }
    return KDR_OK;
}

static void spring_parameters(void *context, size_t n, int end, double parameter[KDR_MAP_PARAMETERS]) {
    const kdr_pair_spring *const spring = &((const kdr_pair_spring *)context)[n];
    (void)end;
    parameter[0] = spring->k;
    parameter[1] = spring->length;
    parameter[2] = spring->damping;
}

static kdr_status take_net(kdr_pair_term *term, kdr_real real, kdr_error *error) {
    const size_t count = term->force.as.net.count;
    term->springs = malloc(count * sizeof *term->springs + 1);
    KDR_CHECK(term->springs, error, KDR_ERROR_NO_MEMORY, "net: no memory for %zu springs", count);
    bool damped = false;
    for (size_t n = 0; n < count; ++n) {
        term->springs[n] = term->force.as.net.springs[n];
        damped = damped || term->springs[n].damping != 0.0;
    }
    term->force.as.net.springs = term->springs;
    const kdr_status status =
        kdr_net_make(term->springs, count, real, KDR_NET_PARAMETERS, spring_parameters, term->springs, &term->net, error);
    term->net.slices.damped = damped;
    return status;
}

static kdr_status take(kdr_pairs *made, const kdr_pairs_desc *desc, kdr_error *error) {
    for (size_t i = 0; i < desc->force_count; ++i) {
        kdr_pair_term *const term = &made->term[made->count++];
        memset(term, 0, sizeof *term);
        term->force = desc->forces[i];
        size_t reach = term->force.as.gravity.sources;
        if (term->force.kind == KDR_NET) {
            const kdr_status status = take_net(term, desc->real, error);
            if (status != KDR_OK) {
                return status;
            }
            reach = term->net.slices.particles;
        }
        made->reach = reach > made->reach ? reach : made->reach;
    }
    return KDR_OK;
}

kdr_status kdr_pairs_create(const kdr_pairs_desc *desc, kdr_pairs **pairs, kdr_error *error) {
    KDR_CHECK(pairs, error, KDR_ERROR_NULL, "pairs: expected a pointer, got NULL");
    KDR_CHECK(desc, error, KDR_ERROR_NULL, "description: expected a pointer, got NULL");
    KDR_CHECK(kdr_real_size(desc->real), error, KDR_ERROR_ARGUMENT, "real: expected KDR_F32 or KDR_F64, got %d", (int)desc->real);
    KDR_CHECK((unsigned)desc->arithmetic < KDR_ARITHMETIC_COUNT, error, KDR_ERROR_ARGUMENT,
              "arithmetic: expected KDR_FUSED or KDR_UNFUSED, got %d", (int)desc->arithmetic);
    const size_t most = (SIZE_MAX - sizeof(kdr_pairs)) / sizeof(kdr_pair_term);
    KDR_CHECK(desc->force_count <= most, error, KDR_ERROR_OVERFLOW, "coupled: expected at most %zu, got %zu", most, desc->force_count);
    kdr_status status = kdr_pairs_check(desc->forces, desc->force_count, desc->real, error);
    kdr_backend backend = KDR_BACKEND_AUTO;
    if (status == KDR_OK) {
        status = kdr_backend_choose(desc->backend, &backend, error);
    }
    if (status != KDR_OK) {
        return status;
    }
    kdr_pairs *made = malloc(sizeof *made + desc->force_count * sizeof(kdr_pair_term));
    KDR_CHECK(made, error, KDR_ERROR_NO_MEMORY, "pairs: no memory for %zu forces", desc->force_count);
    *made = (kdr_pairs){.real = desc->real,
                        .arithmetic = desc->arithmetic,
                        .executor = desc->executor,
                        .backend = backend,
                        .kernels = kdr_backend_pairs(backend, desc->real, desc->arithmetic)};
    status = take(made, desc, error);
    if (status != KDR_OK) {
        kdr_pairs_destroy(made);
        return status;
    }
    *pairs = made;
    return KDR_OK;
}

void kdr_pairs_destroy(kdr_pairs *pairs) {
    for (size_t i = 0; pairs && i < pairs->count; ++i) {
        free(pairs->term[i].springs);
        kdr_net_free(&pairs->term[i].net);
    }
    free(pairs);
}

kdr_status kdr_pairs_check_reach(size_t reach, const kdr_particles *particles, kdr_error *error) {
    KDR_CHECK(particles->count >= reach, error, KDR_ERROR_MISMATCH, "particles.count: expected at least %zu, which forces name, got %zu",
              reach, particles->count);
    return KDR_OK;
}

static kdr_status check_plain(const kdr_layout *layout, const char *name, size_t size, kdr_error *error) {
    KDR_CHECK(kdr_layout_is_plain(layout, size), error, KDR_ERROR_UNSUPPORTED,
              "particles.%s_layout: forces between particles read plain arrays; copy them, or take kdr_coupled_run, which does", name);
    return KDR_OK;
}

kdr_status kdr_pairs_check_view(kdr_real real, size_t reach, const kdr_particles *particles, kdr_error *error) {
    kdr_status status = kdr_particles_check(particles, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(particles->real == real, error, KDR_ERROR_MISMATCH, "particles.real: expected %s, got %s", kdr_real_name(real),
              kdr_real_name(particles->real));
    const size_t size = kdr_real_size(real);
    status = check_plain(&particles->x_layout, "x", size, error);
    if (status == KDR_OK) {
        status = check_plain(&particles->v_layout, "v", size, error);
    }
    if (status == KDR_OK && particles->inverse_mass) {
        status = check_plain(&particles->inverse_mass_layout, "inverse_mass", size, error);
    }
    return status == KDR_OK ? kdr_pairs_check_reach(reach, particles, error) : status;
}

static bool apart(const void *a, const void *b, size_t bytes) {
    const uintptr_t i = (uintptr_t)a, j = (uintptr_t)b;
    return !a || !b || (i < j ? j - i >= bytes : i - j >= bytes);
}

kdr_status kdr_pairs_check_output(const kdr_particles *particles, void *const out[3], const char *what, kdr_error *error) {
    const size_t bytes = particles->count * kdr_real_size(particles->real);
    KDR_CHECK(out, error, KDR_ERROR_NULL, "%s: expected %d arrays, got NULL", what, particles->dims);
    for (int i = 0; i < particles->dims && particles->count > 0; ++i) {
        KDR_CHECK(out[i], error, KDR_ERROR_NULL, "%s[%d]: expected an array of %zu elements, got NULL", what, i, particles->count);
        bool clear = apart(out[i], particles->inverse_mass, bytes);
        for (int j = 0; j < particles->dims; ++j) {
            clear = clear && apart(out[i], particles->x[j], bytes) && apart(out[i], particles->v[j], bytes) &&
                    (i == j || apart(out[i], out[j], bytes));
        }
        KDR_CHECK(clear, error, KDR_ERROR_OVERLAP, "%s[%d]: expected an array apart from the view's and from each other", what, i);
    }
    return KDR_OK;
}

typedef struct loop {
    kdr_pair_job job;
    kdr_pair_kernel *kernel;
    size_t count, grain;
} loop;

static void do_range(void *argument, size_t begin, size_t end) {
    const loop *const l = argument;
    l->kernel(&l->job, begin * l->grain, end * l->grain < l->count ? end * l->grain : l->count);
}

static void run(const kdr_executor *executor, loop *l) { kdr_parallel_for(executor, (l->count + l->grain - 1) / l->grain, do_range, l); }

static kdr_pair_job job_of(const kdr_particles *particles) {
    kdr_pair_job job;
    memset(&job, 0, sizeof job);
    job.dims = particles->dims;
    job.count = particles->count;
    job.inverse_mass = particles->inverse_mass;
    for (int i = 0; i < particles->dims; ++i) {
        job.x[i] = job.target[i] = particles->x[i];
        job.v[i] = particles->v[i];
    }
    return job;
}

/* Gravity on some particles. */
typedef struct chosen {
    const loop *of;
    const size_t *index;
    size_t count, size;
} chosen;

static void copy_chosen(const size_t *index, size_t n, size_t size, void *all, unsigned char *those, bool back) {
    for (size_t k = 0; k < n; ++k) {
        unsigned char *const one = (unsigned char *)all + index[k] * size;
        memcpy(back ? one : those + k * size, back ? those + k * size : one, size);
    }
}

/* They are brought together: x, and a there and back. */
static void do_chosen(void *argument, size_t begin, size_t end) {
    const chosen *const c = argument;
    _Alignas(64) unsigned char x[3][CHOSEN * sizeof(double)], a[3][CHOSEN * sizeof(double)];
    for (size_t at = begin * CHOSEN; at < end * CHOSEN && at < c->count; at += CHOSEN) {
        const size_t n = c->count - at < CHOSEN ? c->count - at : CHOSEN, *const index = c->index + at;
        kdr_pair_job job = c->of->job;
        for (int i = 0; i < job.dims; ++i) {
            copy_chosen(index, n, c->size, (void *)(uintptr_t)job.x[i], x[i], false);
            copy_chosen(index, n, c->size, job.a[i], a[i], false);
            job.target[i] = x[i];
            job.a[i] = a[i];
        }
        c->of->kernel(&job, 0, n);
        for (int i = 0; i < job.dims; ++i) {
            copy_chosen(index, n, c->size, c->of->job.a[i], a[i], true);
        }
    }
}

void kdr_pairs_add_checked(const kdr_pairs *pairs, const kdr_particles *particles, const size_t *index, size_t count, void *const a[3]) {
    for (size_t n = 0; n < pairs->count; ++n) {
        const kdr_pair_term *const term = &pairs->term[n];
        const bool is_net = term->force.kind == KDR_NET;
        loop l = {.job = job_of(particles),
                  .kernel = is_net ? pairs->kernels->net : pairs->kernels->gravity,
                  .count = is_net ? term->net.slices.count : particles->count,
                  .grain = is_net ? SLICES : TARGETS};
        for (int i = 0; i < particles->dims; ++i) {
            l.job.a[i] = a[i];
        }
        if (is_net) {
            l.job.slices = &term->net.slices;
        } else {
            l.job.mu = term->force.as.gravity.mu;
            l.job.sources = term->force.as.gravity.sources;
            l.job.softening = term->force.as.gravity.softening;
        }
        if (index && !is_net) {
            chosen c = {.of = &l, .index = index, .count = count, .size = kdr_real_size(particles->real)};
            kdr_parallel_for(&pairs->executor, (count + CHOSEN - 1) / CHOSEN, do_chosen, &c);
        } else {
            run(&pairs->executor, &l);
        }
    }
}

kdr_status kdr_pairs_add(const kdr_pairs *pairs, const kdr_particles *particles, void *const a[3], kdr_error *error) {
    KDR_CHECK(pairs, error, KDR_ERROR_NULL, "pairs: expected a pointer, got NULL");
    kdr_status status = kdr_pairs_check_view(pairs->real, pairs->reach, particles, error);
    if (status == KDR_OK) {
        status = kdr_pairs_check_output(particles, a, "a", error);
    }
    if (status == KDR_OK) {
        kdr_pairs_add_checked(pairs, particles, NULL, 0, a);
    }
    return status;
}

kdr_status kdr_pair_map_add(const kdr_pair_map *map, const kdr_particles *particles, void *const dx[3], void *const dv[3],
                            kdr_error *error) {
    KDR_CHECK(map, error, KDR_ERROR_NULL, "map: expected a pointer, got NULL");
    kdr_status status = kdr_pairs_check_view(map->real, map->reach, particles, error);
    if (status == KDR_OK) {
        status = kdr_pairs_check_output(particles, dx, "dx", error);
    }
    if (status == KDR_OK) {
        status = kdr_pairs_check_output(particles, dv, "dv", error);
    }
    for (size_t n = 0; status == KDR_OK && n < map->count; ++n) {
        loop l = {.job = job_of(particles), .kernel = map->kernels->map, .count = map->net[n].slices.count, .grain = SLICES};
        for (int i = 0; i < particles->dims; ++i) {
            l.job.a[i] = dx[i];
            l.job.b[i] = dv[i];
        }
        l.job.slices = &map->net[n].slices;
        run(&map->executor, &l);
    }
    return status;
}
