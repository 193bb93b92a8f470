/* Forces between particles: checks descriptions and the arrays that forces are added to. */
#include "pairs.h"
#include "gravity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../method/contributions.h"
#include "../particles/arrays.h"
#include "../particles/description.h"
#include "../particles/error.h"
#include "../particles/layout.h"

static const char *const names[KDR_INTERACTION_KIND_COUNT] = {[KDR_GRAVITY] = "gravity", [KDR_SPRING_NETWORK] = "spring-network"};

const char *kdr_interaction_kind_name(kdr_interaction_kind kind) { return (unsigned)kind < KDR_INTERACTION_KIND_COUNT ? names[kind] : "?"; }

kdr_interaction kdr_interaction_gravity(const void *mu, size_t sources, double softening) {
    kdr_interaction force;
    memset(&force, 0, sizeof force);
    force.kind = KDR_GRAVITY;
    force.as.gravity.mu = mu;
    force.as.gravity.sources = sources;
    force.as.gravity.softening = softening;
    return force;
}

kdr_interaction kdr_interaction_spring_network(const kdr_pair_spring *springs, size_t count) {
    kdr_interaction force;
    memset(&force, 0, sizeof force);
    force.kind = KDR_SPRING_NETWORK;
    force.as.spring_network.springs = springs;
    force.as.spring_network.count = count;
    return force;
}

static const kdr_pairs_desc defaults = {.size = sizeof defaults, .real = KDR_F64, .arithmetic = KDR_FUSED, .backend = KDR_BACKEND_AUTO};
const kdr_description kdr_pairs_description = {
    "kdr_pairs_desc", &defaults, {sizeof defaults, offsetof(kdr_pairs_desc, box), offsetof(kdr_pairs_desc, communicator)}};

void kdr_pairs_desc_init(kdr_pairs_desc *desc, size_t size) { kdr_description_init(&kdr_pairs_description, desc, size); }

static bool fits(double value, kdr_real real) { return isfinite(real == KDR_F32 ? (double)(float)value : value); }

static kdr_status check_gravity(const kdr_interaction *force, size_t index, kdr_real real, kdr_error *error) {
    char name[48], each[56];
    const size_t sources = force->as.gravity.sources, lengths = force->as.gravity.softening_count;
    KDR_CHECK(force->as.gravity.mu || sources == 0, error, KDR_ERROR_NULL,
              "interactions[%zu].mu: expected an array of %zu elements, got NULL", index, sources);
    snprintf(name, sizeof name, "interactions[%zu].mu_layout", index);
    kdr_status status = kdr_layout_check(&force->as.gravity.mu_layout, kdr_real_size(real), sources, name, error);
    snprintf(name, sizeof name, "interactions[%zu].softening", index);
    status = status == KDR_OK ? kdr_softening_check(force->as.gravity.softening, real, name, error) : status;
    snprintf(name, sizeof name, "interactions[%zu].softening_each", index);
    snprintf(each, sizeof each, "%s_layout", name);
    const kdr_layout *const layout = &force->as.gravity.softening_each_layout;
    status = status == KDR_OK ? kdr_layout_check(layout, kdr_real_size(real), lengths, each, error) : status;
    return status == KDR_OK ? kdr_softenings_check(force->as.gravity.softening_each, layout, lengths, real, name, error) : status;
}

static kdr_status check_spring(const kdr_pair_spring *spring, size_t index, size_t n, kdr_real real, kdr_error *error) {
    KDR_CHECK(spring->a <= KDR_MAX_INDEX && spring->b <= KDR_MAX_INDEX, error, KDR_ERROR_OVERFLOW,
              "interactions[%zu].springs[%zu]: expected particles up to %d, got %u and %u", index, n, (int)KDR_MAX_INDEX,
              (unsigned)spring->a, (unsigned)spring->b);
    KDR_CHECK(spring->a != spring->b, error, KDR_ERROR_ARGUMENT, "interactions[%zu].springs[%zu]: expected two particles, got %u twice",
              index, n, (unsigned)spring->a);
    KDR_CHECK(fits(spring->k, real) && fits(spring->length, real) && fits(spring->damping, real), error, KDR_ERROR_NOT_FINITE,
              "interactions[%zu].springs[%zu]: expected parameters that are finite in %s, got k = %g, length = %g, damping = %g", index, n,
              kdr_real_name(real), spring->k, spring->length, spring->damping);
    KDR_CHECK(spring->length >= 0.0, error, KDR_ERROR_ARGUMENT, "interactions[%zu].springs[%zu].length: expected 0 or more, got %g", index,
              n, spring->length);
    KDR_CHECK((unsigned)spring->contribution < KDR_CONTRIBUTION_COUNT, error, KDR_ERROR_ARGUMENT,
              "interactions[%zu].springs[%zu].contribution: expected an enumerator from 0 to %d, got %d", index, n,
              KDR_CONTRIBUTION_COUNT - 1, (int)spring->contribution);
    KDR_CHECK(
        spring->contribution != KDR_CONTRIBUTION_FIRST_ORDER, error, KDR_ERROR_UNSUPPORTED,
        "interactions[%zu].springs[%zu].contribution: a spring contributes by exact, average, pulse, pulse-symplectic or euler, and not by "
        "first-order",
        index, n);
    KDR_CHECK(
        spring->contribution != KDR_CONTRIBUTION_PULSE_SYMPLECTIC || spring->damping == 0.0, error, KDR_ERROR_UNSUPPORTED,
        "interactions[%zu].springs[%zu].contribution: pulse-symplectic leaves out what depends on the velocity, and so a spring's damping; "
        "take pulse",
        index, n);
    return KDR_OK;
}

static kdr_status check_net(const kdr_interaction *force, size_t index, kdr_real real, kdr_error *error) {
    KDR_CHECK(force->as.spring_network.springs || force->as.spring_network.count == 0, error, KDR_ERROR_NULL,
              "interactions[%zu].springs: expected %zu entries, got NULL", index, force->as.spring_network.count);
    /* Both ends of all springs are counted in 32 bits. */
    KDR_CHECK(force->as.spring_network.count <= UINT32_MAX / 2, error, KDR_ERROR_OVERFLOW,
              "interactions[%zu].springs: expected at most %u, got %zu", index, (unsigned)(UINT32_MAX / 2), force->as.spring_network.count);
    for (size_t n = 0; n < force->as.spring_network.count; ++n) {
        const kdr_status status = check_spring(&force->as.spring_network.springs[n], index, n, real, error);
        if (status != KDR_OK) {
            return status;
        }
    }
    return KDR_OK;
}

typedef kdr_status check_fn(const kdr_interaction *force, size_t index, kdr_real real, kdr_error *error);
static check_fn *const checks[KDR_INTERACTION_KIND_COUNT] = {[KDR_GRAVITY] = check_gravity, [KDR_SPRING_NETWORK] = check_net};

kdr_status kdr_box_check(const double box[3], kdr_real real, kdr_error *error) {
    for (int i = 0; i < 3; ++i) {
        const double half = real == KDR_F32 ? (double)((float)box[i] / 2) : box[i] / 2;
        KDR_CHECK(box[i] == 0.0 || (half > 0.0 && fits(box[i], real)), error, KDR_ERROR_ARGUMENT,
                  "box[%d]: expected 0, or a length above 0 within %s, got %g", i, kdr_real_name(real), box[i]);
    }
    return KDR_OK;
}

/* Returns half of the shortest box, or 0 if there is none. */
double kdr_half_of_box(const double box[3]) {
    double half = 0.0;
    for (int i = 0; i < 3; ++i) {
        half = box[i] > 0.0 && (half == 0.0 || box[i] / 2 < half) ? box[i] / 2 : half;
    }
    return half;
}

/* Checks the lengths of springs in a box. At half the box or more, another image would be as near. */
static kdr_status check_lengths(const kdr_interaction *force, size_t index, double half, kdr_error *error) {
    for (size_t n = 0; half > 0.0 && force->kind == KDR_SPRING_NETWORK && n < force->as.spring_network.count; ++n) {
        KDR_CHECK(
            force->as.spring_network.springs[n].length < half, error, KDR_ERROR_ARGUMENT,
            "interactions[%zu].springs[%zu].length: expected less than half of the box, %g, got %g: a spring is between nearest images",
            index, n, half, force->as.spring_network.springs[n].length);
    }
    return KDR_OK;
}

/* Checks the box. Gravity does not support one. */
static kdr_status check_box(const kdr_pairs_desc *desc, kdr_error *error) {
    const double half = kdr_half_of_box(desc->box);
    kdr_status status = kdr_box_check(desc->box, desc->real, error);
    for (size_t i = 0; i < desc->force_count && status == KDR_OK; ++i) {
        KDR_CHECK(
            half == 0.0 || desc->forces[i].kind == KDR_SPRING_NETWORK, error, KDR_ERROR_UNSUPPORTED,
            "interactions[%zu]: gravity acts between particles as they lie, not between all their images in a box; leave out the box, or "
            "take a function that does",
            i);
        status = check_lengths(&desc->forces[i], i, half, error);
    }
    return status;
}

kdr_status kdr_pairs_check(const kdr_pairs_desc *desc, kdr_error *error) {
    const kdr_interaction *const forces = desc->forces;
    KDR_CHECK(forces || desc->force_count == 0, error, KDR_ERROR_NULL, "interactions: expected %zu entries, got NULL", desc->force_count);
    for (size_t i = 0; i < desc->force_count; ++i) {
        KDR_CHECK((unsigned)forces[i].kind < KDR_INTERACTION_KIND_COUNT, error, KDR_ERROR_ARGUMENT,
                  "interactions[%zu].kind: expected an enumerator from 0 to %d, got %d", i, KDR_INTERACTION_KIND_COUNT - 1,
                  (int)forces[i].kind);
        const kdr_status status = checks[forces[i].kind](&forces[i], i, desc->real, error);
        if (status != KDR_OK) {
            return status;
        }
    }
    return check_box(desc, error);
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

size_t kdr_springs_reach(const kdr_pair_spring *springs, size_t count) {
    size_t reach = 0;
    for (size_t n = 0; n < count; ++n) {
        reach = larger(reach, larger((size_t)springs[n].a + 1, (size_t)springs[n].b + 1));
    }
    return reach;
}

size_t kdr_pairs_reach(const kdr_interaction *forces, size_t count) {
    size_t reach = 0;
    for (size_t i = 0; i < count; ++i) {
        const bool is_net = forces[i].kind == KDR_SPRING_NETWORK;
        reach = larger(reach, is_net ? kdr_springs_reach(forces[i].as.spring_network.springs, forces[i].as.spring_network.count)
                                     : forces[i].as.gravity.sources);
    }
    return reach;
}

kdr_status kdr_pairs_check_reach(size_t reach, const kdr_particles *particles, kdr_error *error) {
    KDR_CHECK(particles->count >= reach, error, KDR_ERROR_MISMATCH, "particles.count: expected at least %zu, which forces name, got %zu",
              reach, particles->count);
    return KDR_OK;
}

size_t kdr_pairs_most(const kdr_interaction *forces, size_t count) {
    size_t most = SIZE_MAX;
    for (size_t i = 0; i < count; ++i) {
        const bool has = forces[i].kind == KDR_GRAVITY && forces[i].as.gravity.softening_each;
        most = has && forces[i].as.gravity.softening_count < most ? forces[i].as.gravity.softening_count : most;
    }
    return most;
}

kdr_status kdr_pairs_check_most(size_t most, const kdr_particles *particles, kdr_error *error) {
    KDR_CHECK(particles->count <= most, error, KDR_ERROR_MISMATCH,
              "particles.count: expected at most %zu, which have softening lengths, got %zu", most, particles->count);
    return KDR_OK;
}

static kdr_status check_plain(const kdr_layout *layout, const char *name, size_t size, kdr_error *error) {
    KDR_CHECK(kdr_layout_is_plain(layout, size), error, KDR_ERROR_UNSUPPORTED,
              "particles.%s_layout: forces between particles read plain arrays; copy them, or take kdr_system_run, which does", name);
    return KDR_OK;
}

kdr_status kdr_pairs_check_real(kdr_real real, const kdr_particles *particles, kdr_error *error) {
    KDR_CHECK(particles->real == real, error, KDR_ERROR_MISMATCH, "particles.real: expected %s, got %s", kdr_real_name(real),
              kdr_real_name(particles->real));
    return KDR_OK;
}

kdr_status kdr_pairs_check_view(kdr_real real, size_t reach, const kdr_particles *particles, kdr_error *error) {
    kdr_status status = kdr_particles_check(particles, error);
    if (status != KDR_OK) {
        return status;
    }
    const size_t size = kdr_real_size(real);
    status = kdr_pairs_check_real(real, particles, error);
    if (status == KDR_OK) {
        status = check_plain(&particles->x_layout, "x", size, error);
    }
    if (status == KDR_OK) {
        status = check_plain(&particles->v_layout, "v", size, error);
    }
    if (status == KDR_OK && particles->inverse_mass) {
        status = check_plain(&particles->inverse_mass_layout, "inverse_mass", size, error);
    }
    return status == KDR_OK ? kdr_pairs_check_reach(reach, particles, error) : status;
}

static bool are_apart(const kdr_particles *p, const void *a, const void *b) {
    static const kdr_layout plain = {0, 0, 0, 0};
    return kdr_arrays_are_apart(a, &plain, p->count, b, &plain, p->count, kdr_real_size(p->real));
}

kdr_status kdr_pairs_check_output(const kdr_particles *particles, void *const out[3], const char *what, kdr_error *error) {
    KDR_CHECK(out, error, KDR_ERROR_NULL, "%s: expected %d arrays, got NULL", what, particles->dims);
    for (int i = 0; i < particles->dims && particles->count > 0; ++i) {
        KDR_CHECK(out[i], error, KDR_ERROR_NULL, "%s[%d]: expected an array of %zu elements, got NULL", what, i, particles->count);
        bool clear = are_apart(particles, out[i], particles->inverse_mass);
        for (int j = 0; j < particles->dims; ++j) {
            clear = clear && are_apart(particles, out[i], particles->x[j]) && are_apart(particles, out[i], particles->v[j]) &&
                    (i == j || are_apart(particles, out[i], out[j]));
        }
        KDR_CHECK(clear, error, KDR_ERROR_OVERLAP, "%s[%d]: expected an array separate from the view's arrays and the others", what, i);
    }
    return KDR_OK;
}

kdr_status kdr_pairs_check_input(const kdr_particles *particles, const void *const in[3], const char *what, kdr_error *error) {
    void *read[3] = {NULL, NULL, NULL};
    for (int i = 0; in && i < particles->dims; ++i) {
        read[i] = (void *)(uintptr_t)in[i];
    }
    return kdr_pairs_check_output(particles, in ? read : NULL, what, error);
}

void kdr_pair_row_make(const kdr_pair_spring *spring, kdr_contribution kind, double w_a, double w_b, double h, kdr_pair_row *row) {
    /* The spring is that of one particle with inverse mass W = w_a + w_b, tied to a fixed point. */
    static const kdr_field no_field = {0};
    const kdr_affine_each each = {.w = w_a + w_b};
    kdr_contributions terms;
    kdr_affine_map map;
    memset(&terms, 0, sizeof terms);
    terms.count = 1;
    terms.term[0].kind = kind;
    terms.term[0].kx[0] = -spring->k;
    terms.term[0].kv[0] = -spring->damping;
    terms.term[0].spring = terms.term[0].drag = -1;
    kdr_contributions_axis(&terms, &no_field, KDR_TERM_STIFFNESS | KDR_TERM_DAMPING | KDR_TERM_MASS, &each, 0, h, &map);
    row->xx = map.x[0].x[0];
    row->xv = map.x[0].v[0] - h; /* without free flight */
    row->vx = map.v[0].x[0];
    row->vv = map.v[0].v[0];
}
