/* The reference of interactions: it checks as kdr_pairs and kdr_distance_constraints do, then computes in the precision of the
 * particles. */
#include "pairs.h"

#include <kickdrift/reference.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../particles/description.h"
#include "../particles/element.h"
#include "../particles/error.h"
#include "../particles/rounding.h"
#include "../problem/system.h"

static const kdr_reference_pairs *of_precision(kdr_real real) {
    return real == KDR_F32 ? &kdr_reference_pairs_f32 : &kdr_reference_pairs_f64;
}

/* Makes the view that a system run passes on: plain x and v, masses in any layout; inactive particles get inverse mass 0. */
static kdr_status plain_of(const kdr_particles *particles, kdr_particles *plain, void **block, kdr_error *error) {
    const size_t size = kdr_real_size(particles->real);
    const kdr_layout none = {0, 0, 0, 0};
    *plain = *particles;
    *block = malloc(particles->count * size + 1);
    KDR_CHECK(*block, error, KDR_ERROR_NO_MEMORY, "reference: no memory for %zu particles", particles->count);
    for (size_t i = 0; i < particles->count; ++i) {
        const double w = kdr_is_active(particles, i) ? kdr_inverse_mass(particles, i) : 0.0;
        if (particles->real == KDR_F32) {
            ((float *)*block)[i] = (float)w;
        } else {
            ((double *)*block)[i] = w;
        }
    }
    plain->inverse_mass = particles->inverse_mass || particles->active ? *block : NULL;
    plain->x_layout = plain->v_layout = plain->inverse_mass_layout = none;
    plain->active = NULL;
    plain->active_count = 0;
    return KDR_OK;
}

/* Allocates room for `arrays` elements and one mark per particle. */
static void *work_for(const kdr_particles *particles, size_t arrays) {
    return malloc(particles->count * (arrays * sizeof(double) + sizeof(bool)) + 1);
}

kdr_status kdr_reference_system_slopes(const kdr_system_desc *desc, const kdr_particles *particles, double th, void *const g[6],
                                       kdr_error *error) {
    kdr_particles all = *particles, plain;
    void *block;
    all.active = NULL;
    const kdr_status status = plain_of(&all, &plain, &block, error);
    if (status != KDR_OK) {
        return status;
    }
    double box[3];
    kdr_system_box(desc, box);
    void *const work = work_for(particles, 9);
    for (size_t i = 0; i < desc->interaction_count && work; ++i) {
        if (desc->interactions[i].kind == KDR_SPRING_NETWORK) {
            of_precision(desc->real)->slopes(&desc->interactions[i], desc->arithmetic == KDR_FUSED, box, &plain, th, g, work);
        }
    }
    free(work);
    free(block);
    KDR_CHECK(work, error, KDR_ERROR_NO_MEMORY, "reference: no memory for %zu particles", particles->count);
    return KDR_OK;
}

kdr_status kdr_reference_system_pairs(const kdr_system_desc *desc, const kdr_particles *particles, void *const a[3], kdr_error *error) {
    kdr_pairs_desc pairs = kdr_pairs_desc_default();
    pairs.forces = desc->interactions;
    pairs.force_count = desc->interaction_count;
    pairs.real = desc->real;
    pairs.arithmetic = desc->arithmetic;
    kdr_system_box(desc, pairs.box);
    if (desc->interaction_count == 0) {
        return KDR_OK;
    }
    kdr_particles all = *particles, plain;
    void *block;
    all.active = NULL; /* accelerations are wanted for all particles */
    kdr_status status = plain_of(&all, &plain, &block, error);
    if (status == KDR_OK) {
        status = kdr_reference_pairs_add(&pairs, &plain, a, error);
        free(block);
    }
    return status;
}

static kdr_status take_pairs(const kdr_pairs_desc *given, const kdr_particles *particles, kdr_pairs_desc *desc, kdr_error *error) {
    kdr_status status = kdr_description_take(&kdr_pairs_description, given, desc, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(kdr_real_size(desc->real), error, KDR_ERROR_ARGUMENT, "real: expected KDR_F32 or KDR_F64, got %d", (int)desc->real);
    KDR_CHECK((unsigned)desc->arithmetic < KDR_ARITHMETIC_COUNT, error, KDR_ERROR_ARGUMENT,
              "arithmetic: expected KDR_FUSED or KDR_UNFUSED, got %d", (int)desc->arithmetic);
    status = kdr_pairs_check(desc, error);
    if (status == KDR_OK) {
        status = kdr_pairs_check_view(desc->real, kdr_pairs_reach(desc->forces, desc->force_count), particles, error);
    }
    return status == KDR_OK ? kdr_pairs_check_most(kdr_pairs_most(desc->forces, desc->force_count), particles, error) : status;
}

kdr_status kdr_reference_gravity_add(const kdr_gravity *gravity, kdr_arithmetic arithmetic, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK((unsigned)arithmetic < KDR_ARITHMETIC_COUNT, error, KDR_ERROR_ARGUMENT,
              "arithmetic: expected KDR_FUSED or KDR_UNFUSED, got %d", (int)arithmetic);
    const kdr_status status = kdr_gravity_check(gravity, error);
    if (status == KDR_OK) {
        of_precision(gravity->real)->gravity(gravity, arithmetic == KDR_FUSED);
    }
    return status;
}

kdr_status kdr_reference_pairs_add(const kdr_pairs_desc *given, const kdr_particles *particles, void *const a[3], kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    kdr_pairs_desc desc;
    kdr_status status = take_pairs(given, particles, &desc, error);
    if (status == KDR_OK) {
        status = kdr_pairs_check_output(particles, a, "a", error);
    }
    if (status != KDR_OK) {
        return status;
    }
    void *const work = work_for(particles, 3);
    KDR_CHECK(work, error, KDR_ERROR_NO_MEMORY, "reference: no memory for %zu particles", particles->count);
    for (size_t i = 0; i < desc.force_count; ++i) {
        if (desc.forces[i].kind == KDR_SPRING_NETWORK) {
            of_precision(desc.real)->net(&desc.forces[i], desc.arithmetic == KDR_FUSED, desc.box, particles, a, work);
        } else {
            kdr_gravity gravity = kdr_gravity_of(&desc.forces[i], particles);
            memcpy(gravity.a, a, (size_t)particles->dims * sizeof *a);
            of_precision(desc.real)->gravity(&gravity, desc.arithmetic == KDR_FUSED);
        }
    }
    free(work);
    return KDR_OK;
}

/* Checks that the numbers of both ends of each spring are finite in the precision. */
static kdr_status check_maps(const kdr_pairs_desc *desc, const kdr_particles *particles, double dt, kdr_error *error) {
    for (size_t i = 0; i < desc->force_count; ++i) {
        const kdr_interaction *const force = &desc->forces[i];
        for (size_t n = 0; force->kind == KDR_SPRING_NETWORK && n < force->as.spring_network.count; ++n) {
            const kdr_pair_spring *const s = &force->as.spring_network.springs[n];
            const double w[2] = {kdr_inverse_mass(particles, s->a), kdr_inverse_mass(particles, s->b)}, sum = w[0] + w[1];
            kdr_pair_row row;
            kdr_pair_row_make(s, kdr_spring_kind(s, force->as.spring_network.count), w[0], w[1], dt, &row);
            const double all[4] = {row.xx, row.xv, row.vx, row.vv};
            for (int k = 0; k < 8; ++k) {
                const double number = (sum == 0 ? 0 : -(w[k / 4] / sum)) * all[k % 4];
                KDR_CHECK(isfinite(desc->real == KDR_F32 ? (double)(float)number : number), error, KDR_ERROR_NOT_FINITE,
                          "interactions[%zu].springs: expected matrices that are finite for dt = %g", i, dt);
            }
        }
    }
    return KDR_OK;
}

kdr_status kdr_reference_pair_map_add(const kdr_pairs_desc *given, const kdr_particles *particles, double dt, void *const dx[3],
                                      void *const dv[3], kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    kdr_pairs_desc desc;
    kdr_status status = take_pairs(given, particles, &desc, error);
    if (status == KDR_OK) {
        status = kdr_pairs_check_output(particles, dx, "dx", error);
    }
    if (status == KDR_OK) {
        status = kdr_pairs_check_output(particles, dv, "dv", error);
    }
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(isfinite(dt), error, KDR_ERROR_NOT_FINITE, "dt: expected a finite number, got %g", dt);
    KDR_CHECK(dt != 0.0, error, KDR_ERROR_ARGUMENT, "dt: expected a number other than 0");
    status = check_maps(&desc, particles, dt, error);
    if (status != KDR_OK) {
        return status;
    }
    void *const work = work_for(particles, 6);
    KDR_CHECK(work, error, KDR_ERROR_NO_MEMORY, "reference: no memory for %zu particles", particles->count);
    for (size_t i = 0; i < desc.force_count; ++i) {
        if (desc.forces[i].kind == KDR_SPRING_NETWORK) {
            of_precision(desc.real)->map(&desc.forces[i], desc.arithmetic == KDR_FUSED, desc.box, particles, dt, dx, dv, work);
        }
    }
    free(work);
    return KDR_OK;
}

/* Returns the smallest colour that no earlier rod with a particle in common has. */
static uint32_t colour_of(const kdr_distance *rods, size_t n, const uint32_t *colour) {
    for (uint32_t c = 0;; ++c) {
        bool taken = false;
        for (size_t m = 0; m < n && !taken; ++m) {
            const bool touches = rods[m].a == rods[n].a || rods[m].a == rods[n].b || rods[m].b == rods[n].a || rods[m].b == rods[n].b;
            taken = touches && colour[m] == c;
        }
        if (!taken) {
            return c;
        }
    }
}

kdr_status kdr_reference_sweep_order(const kdr_distance *rods, size_t count, size_t *order) {
    uint32_t *const colour = calloc(count + 1, sizeof *colour);
    if (!colour) {
        return KDR_ERROR_NO_MEMORY;
    }
    for (size_t n = 0; n < count; ++n) {
        colour[n] = colour_of(rods, n, colour);
    }
    for (size_t at = 0, c = 0; at < count; ++c) {
        for (size_t n = 0; n < count; ++n) {
            if (colour[n] == c) {
                order[at++] = n;
            }
        }
    }
    free(colour);
    return KDR_OK;
}

static kdr_status take_rods(const kdr_distance_constraints_desc *given, const kdr_particles *particles, double dt,
                            kdr_distance_constraints_desc *desc, kdr_error *error) {
    kdr_status status = kdr_description_take(&kdr_distance_constraints_description, given, desc, error);
    if (status == KDR_OK) {
        status = kdr_distance_constraints_check(desc, error);
    }
    const size_t reach = status == KDR_OK ? kdr_distance_constraints_reach(desc->distances, desc->count) : 0;
    return status == KDR_OK ? kdr_distance_constraints_check_step(desc->real, reach, particles, dt, error) : status;
}

/* Sweeps over the positions if `start` is not NULL; otherwise over the velocities, which may have been rotated by `angles`. *made
 * becomes the number of sweeps that moved something. */
static kdr_status sweep(const kdr_distance_constraints_desc *desc, kdr_particles *particles, const void *const *start, double dt,
                        const kdr_half_angles *angles, uint32_t *made, kdr_error *error) {
    const kdr_reference_pairs *const book = of_precision(desc->real);
    uint32_t colours = 0;
    uint32_t *const colour = calloc(desc->count + 1, sizeof *colour);
    KDR_CHECK(colour, error, KDR_ERROR_NO_MEMORY, "reference: no memory for %zu distances", desc->count);
    for (size_t n = 0; n < desc->count; ++n) {
        colour[n] = colour_of(desc->distances, n, colour);
        colours = colour[n] >= colours ? colour[n] + 1 : colours;
    }
    bool moved = true;
    for (*made = 0; *made < desc->sweeps && moved; *made += moved) {
        moved = false;
        for (uint32_t c = 0; c < colours; ++c) {
            for (size_t n = 0; n < desc->count; ++n) {
                const kdr_distance *const rod = &desc->distances[n];
                if (colour[n] == c) {
                    moved = (start ? book->position(rod, desc, particles, start, dt) : book->velocity(rod, desc, particles, dt, angles)) ||
                            moved;
                }
            }
        }
    }
    free(colour);
    return KDR_OK;
}

static kdr_status positions(const kdr_distance_constraints_desc *given, kdr_particles *particles, const void *const start[3], double dt,
                            uint32_t *made, kdr_error *error) {
    kdr_distance_constraints_desc desc;
    kdr_status status = take_rods(given, particles, dt, &desc, error);
    if (status == KDR_OK) {
        status = kdr_pairs_check_input(particles, start, "start", error);
    }
    return status != KDR_OK ? status : sweep(&desc, particles, start, dt, NULL, made, error);
}

kdr_status kdr_reference_distance_constraints_shake(const kdr_distance_constraints_desc *desc, kdr_particles *particles,
                                                    const void *const start[3], double dt, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    uint32_t made;
    return positions(desc, particles, start, dt, &made, error);
}

static kdr_status velocities(const kdr_distance_constraints_desc *given, kdr_particles *particles, double dt, const kdr_half_angles *angles,
                             kdr_error *error) {
    kdr_distance_constraints_desc desc;
    uint32_t made;
    const kdr_status status = take_rods(given, particles, dt, &desc, error);
    return status == KDR_OK ? sweep(&desc, particles, NULL, dt, angles, &made, error) : status;
}

kdr_status kdr_reference_distance_constraints_rattle(const kdr_distance_constraints_desc *desc, kdr_particles *particles, double dt,
                                                     kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    return velocities(desc, particles, dt, NULL, error);
}

/* Corrects positions, and fails if distances cannot be kept, as in system runs. */
static kdr_status hold(const kdr_distance_constraints_desc *rods, kdr_particles *particles, const void *const start[3], double h,
                       kdr_error *error) {
    uint32_t made = 0;
    const kdr_status status = positions(rods, particles, start, h, &made, error);
    const kdr_distance *worst = rods->distances;
    double off = 0.0;
    for (size_t n = 0; status == KDR_OK && made == rods->sweeps && n < rods->count; ++n) {
        const double its = kdr_distance_off(&rods->distances[n], rods->box, particles);
        worst = its > off || isnan(its) ? &rods->distances[n] : worst;
        off = kdr_worse(its, off);
    }
    return status == KDR_OK && off != 0.0 ? kdr_distance_constraints_check_kept(worst, off, made, error) : status;
}

kdr_status kdr_reference_system_distances(const kdr_system_desc *desc, kdr_particles *particles, const void *const *start, double h,
                                          double still, kdr_error *error) {
    const kdr_distance_constraints_desc rods = kdr_system_distance_constraints_desc(desc);
    kdr_particles plain;
    void *block;
    kdr_status status = plain_of(particles, &plain, &block, error);
    if (status == KDR_OK && start) {
        status = hold(&rods, &plain, start, h, error);
    }
    if (status == KDR_OK && still != 0.0) {
        status = velocities(&rods, &plain, still, NULL, error);
    }
    free(block);
    return status;
}

kdr_status kdr_reference_system_turned(const kdr_system_desc *desc, kdr_particles *particles, const kdr_half_angles *angles, double h,
                                       kdr_error *error) {
    const kdr_distance_constraints_desc rods = kdr_system_distance_constraints_desc(desc);
    kdr_particles plain;
    void *block;
    kdr_status status = plain_of(particles, &plain, &block, error);
    if (status == KDR_OK) {
        status = velocities(&rods, &plain, h, angles, error);
    }
    free(block);
    return status;
}
