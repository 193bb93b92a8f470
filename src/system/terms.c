/* Makes terms from the built-in interactions and distances of a description. */
#include <string.h>

#include "../pairs/distances.h"
#include "../pairs/pairs.h"
#include "system.h"

#include "../particles/element.h"
#include "../particles/error.h"

/* Returns whether the arrays that pairs and distances use are plain. Other views are copied to plain arrays, and changes are copied
 * back. */
static bool is_plain(const kdr_particles *p) {
    const size_t size = kdr_real_size(p->real);
    return kdr_layout_is_plain(&p->x_layout, size) && kdr_layout_is_plain(&p->v_layout, size) &&
           (!p->inverse_mass || kdr_layout_is_plain(&p->inverse_mass_layout, size)) && !p->active;
}

/* Returns the bytes for copies of x, v and the inverse masses. */
static size_t scratch_of_copies(const void *data, size_t count, int dims) {
    (void)data;
    return count * (2 * (size_t)dims + 1) * sizeof(double);
}

static void copy_elements(const kdr_particles *p, void *from, const kdr_layout *layout, void *plain, bool back) {
    const size_t size = kdr_real_size(p->real);
    for (size_t i = 0; i < p->count; ++i) {
        char *const there = (char *)from + kdr_offset(layout, size, i), *const here = (char *)plain + i * size;
        if (back && kdr_is_active(p, i)) {
            memcpy(there, here, size);
        } else if (!back) {
            memcpy(here, there, size);
        }
    }
}

static void fill_masses(const kdr_particles *p, void *to) {
    for (size_t i = 0; i < p->count; ++i) {
        const double w = kdr_is_active(p, i) ? kdr_inverse_mass(p, i) : 0.0;
        const float narrow = (float)w;
        memcpy((char *)to + i * kdr_real_size(p->real), p->real == KDR_F32 ? (const void *)&narrow : &w, kdr_real_size(p->real));
    }
}

/* Returns a view with plain copies. With `moves`, inactive particles get inverse mass 0, because they must not be moved; accelerations
 * do not need that. */
static kdr_particles plain_copy(const kdr_particles *p, void *scratch, bool moves) {
    kdr_particles plain = *p;
    char *next = scratch;
    const kdr_layout none = {0, 0, 0, 0};
    for (int i = 0; i < 2 * p->dims; ++i, next += p->count * kdr_real_size(p->real)) {
        void **const array = i < p->dims ? &plain.x[i] : &plain.v[i - p->dims];
        copy_elements(p, *array, i < p->dims ? &p->x_layout : &p->v_layout, next, false);
        *array = next;
    }
    if (p->inverse_mass || (moves && p->active)) {
        fill_masses(p, next);
        plain.inverse_mass = next;
    }
    plain.x_layout = plain.v_layout = plain.inverse_mass_layout = none;
    plain.active = NULL;
    plain.active_count = 0;
    return plain;
}

static void copy_back(const kdr_particles *plain, const kdr_particles *p) {
    for (int i = 0; i < p->dims; ++i) {
        copy_elements(p, p->x[i], &p->x_layout, plain->x[i], true);
        copy_elements(p, p->v[i], &p->v_layout, plain->v[i], true);
    }
}

static kdr_status check_pairs(const void *data, const kdr_particles *particles, kdr_error *error) {
    const kdr_pairs *const pairs = data;
    const kdr_status status = kdr_pairs_check_reach(pairs->reach, particles, error);
    return status == KDR_OK ? kdr_pairs_check_most(pairs->most, particles, error) : status;
}

static kdr_status add_pairs(const void *data, const kdr_evaluation *e, kdr_error *error) {
    kdr_particles plain = *e->particles;
    plain.active = NULL;
    plain = is_plain(&plain) ? plain : plain_copy(&plain, e->scratch, false);
    return kdr_pairs_add_checked(data, &plain, e->chosen, e->chosen_count, e->a, error);
}

static void add_slopes_of_pairs(const void *data, const kdr_evaluation *e, double th, void *const g[6]) {
    kdr_particles plain = *e->particles;
    plain.active = NULL;
    plain = is_plain(&plain) ? plain : plain_copy(&plain, e->scratch, false);
    kdr_pairs_add_slopes(data, &plain, th, g);
}

static kdr_status potential_of_pairs(const void *data, const kdr_particles *particles, void *scratch, double *energy, kdr_error *error) {
    kdr_particles plain = *particles; /* counts all particles, active or not */
    double potential = 0.0;
    plain.active = NULL;
    plain = is_plain(&plain) ? plain : plain_copy(&plain, scratch, false);
    const kdr_status status = kdr_pairs_potential(data, &plain, &potential, error);
    *energy += potential;
    return status;
}

static void tell_gravity(const kdr_pair_term *term, kdr_real real, kdr_digest *digest) {
    const size_t size = kdr_real_size(real);
    kdr_digest_doubles(digest, &term->force.as.gravity.softening, 1);
    kdr_digest_numbers(digest, term->force.as.gravity.mu, &term->force.as.gravity.mu_layout, size, term->force.as.gravity.sources);
    if (term->force.as.gravity.softening_each) {
        kdr_digest_numbers(digest, term->force.as.gravity.softening_each, &term->force.as.gravity.softening_each_layout, size,
                           term->force.as.gravity.softening_count);
    }
}

static void tell_net(const kdr_pair_term *term, kdr_real real, kdr_digest *digest) {
    (void)real;
    kdr_digest_word(digest, term->force.as.spring_network.count, 8);
    for (size_t n = 0; n < term->force.as.spring_network.count; ++n) {
        const kdr_pair_spring *const spring = &term->springs[n];
        const double numbers[] = {spring->k, spring->length, spring->damping};
        kdr_digest_word(digest, spring->a, 4);
        kdr_digest_word(digest, spring->b, 4);
        kdr_digest_doubles(digest, numbers, 3);
    }
}

static void tell_pairs(const void *data, kdr_digest *digest) {
    static void (*const tell[KDR_INTERACTION_KIND_COUNT])(const kdr_pair_term *, kdr_real,
                                                          kdr_digest *) = {[KDR_GRAVITY] = tell_gravity, [KDR_SPRING_NETWORK] = tell_net};
    const kdr_pairs *const pairs = data;
    for (const kdr_pair_term *term = pairs->term; term < pairs->term + pairs->count; ++term) {
        kdr_digest_name(digest, kdr_interaction_kind_name(term->force.kind));
        tell[term->force.kind](term, pairs->real, digest);
    }
}

static void say_pairs(const void *data, kdr_writer *writer) {
    const kdr_pairs *const pairs = data;
    for (const kdr_pair_term *term = pairs->term; term < pairs->term + pairs->count; ++term) {
        if (term->force.kind == KDR_SPRING_NETWORK) {
            kdr_write_put(writer, "  a += a spring network of %zu%s springs\n", term->force.as.spring_network.count,
                          term->net.slices.damped ? " damped" : "");
        } else {
            kdr_write_put(writer, "  a += gravity of %zu particles, softening %.9g\n", term->force.as.gravity.sources,
                          term->force.as.gravity.softening);
        }
    }
}

static void destroy_pairs(void *data) { kdr_pairs_destroy(data); }

static kdr_status take_pairs(kdr_system *system, kdr_error *error) {
    kdr_pairs *pairs;
    kdr_pairs_desc desc = kdr_pairs_desc_default();
    desc.forces = system->desc.interactions;
    desc.force_count = system->desc.interaction_count;
    desc.real = system->desc.real;
    desc.arithmetic = system->desc.arithmetic;
    desc.backend = system->backend;
    desc.executor = system->desc.executor;
    desc.communicator = system->desc.communicator;
    kdr_system_box(&system->desc, desc.box);
    const kdr_status status = kdr_pairs_create(&desc, &pairs, error);
    if (status != KDR_OK || pairs->count == 0) {
        kdr_pairs_destroy(status == KDR_OK ? pairs : NULL);
        return status;
    }
    const kdr_system_term term = {.data = pairs,
                                  .check = check_pairs,
                                  .scratch = scratch_of_copies,
                                  .add = add_pairs,
                                  .add_slopes = add_slopes_of_pairs,
                                  .potential = potential_of_pairs,
                                  .tell = tell_pairs,
                                  .say = say_pairs,
                                  .destroy = destroy_pairs};
    return kdr_system_take(system, &term, error);
}

static kdr_status check_distances(const void *data, const kdr_particles *particles, kdr_error *error) {
    const kdr_distance_constraints *const distances = data;
    return kdr_pairs_check_reach(distances->reach, particles, error);
}

/* Corrects positions after a drift of length h if `start` is given, and velocities if `still` is not 0, to the tolerance for steps of
 * length `still`. Sets *moved if a position was changed. */
static kdr_status keep_distances(const void *data, const void *const *start, double h, double still, const kdr_particles *now,
                                 void *scratch, bool *moved, kdr_error *error) {
    const bool plain = is_plain(now);
    const kdr_particles held = plain ? *now : plain_copy(now, scratch, true);
    const uint32_t made = start ? kdr_distance_constraints_hold(data, &held, start, h) : 0;
    const kdr_status status = made > 0 ? kdr_distance_constraints_are_kept(data, &held, made, error) : KDR_OK;
    *moved = made > 0;
    if (still != 0.0) {
        (void)kdr_distance_constraints_still(data, &held, still);
    }
    if (!plain) {
        copy_back(&held, now);
    }
    return status;
}

static kdr_status drifted_distances(const void *data, const void *const start[3], const kdr_particles *now, double h, void *scratch,
                                    kdr_error *error) {
    bool moved;
    return keep_distances(data, start, h, 0.0, now, scratch, &moved, error);
}

/* Corrects velocities at the end of a splitting method's step. Positions were corrected after each drift, before accelerations were
 * evaluated. */
static kdr_status after_drifts(const void *data, const kdr_particles *before, const kdr_particles *now, double dt, double whole,
                               void *scratch, bool *moved, kdr_error *error) {
    (void)before;
    return keep_distances(data, NULL, dt, whole, now, scratch, moved, error);
}

static kdr_status after_stages(const void *data, const kdr_particles *before, const kdr_particles *now, double dt, double whole,
                               void *scratch, bool *moved, kdr_error *error) {
    const void *const start[3] = {before->x[0], before->x[1], before->x[2]};
    return keep_distances(data, start, dt, whole, now, scratch, moved, error);
}

static void turned_distances(const void *data, const kdr_half_angles *angles, const kdr_particles *now, double whole, void *scratch) {
    const bool plain = is_plain(now);
    const kdr_particles held = plain ? *now : plain_copy(now, scratch, true);
    if (angles) {
        (void)kdr_distance_constraints_still_turned(data, &held, whole, angles);
    } else {
        (void)kdr_distance_constraints_still(data, &held, whole);
    }
    if (!plain) {
        copy_back(&held, now);
    }
}

static void forget_distances(const void *data, void *const lost[3], int dims, kdr_real real) {
    const kdr_distance_constraints *const distances = data;
    for (size_t colour = 0; colour < distances->colours; ++colour) {
        for (size_t n = distances->first[colour]; n < distances->last[colour]; ++n) {
            for (int i = 0; i < dims; ++i) {
                kdr_set_element(lost[i], real, distances->a[n], 0.0);
                kdr_set_element(lost[i], real, distances->b[n], 0.0);
            }
        }
    }
}

/* Adds the distances to a digest colour by colour, the order of the solver's sweeps; the order of the list does not matter. */
static void tell_distances(const void *data, kdr_digest *digest) {
    const kdr_distance_constraints *const distances = data;
    kdr_digest_name(digest, "distances");
    for (size_t colour = 0; colour < distances->colours; ++colour) {
        for (size_t n = distances->first[colour]; n < distances->last[colour]; ++n) {
            kdr_digest_word(digest, distances->a[n], 4);
            kdr_digest_word(digest, distances->b[n], 4);
            kdr_digest_doubles(digest, &distances->length[n], 1);
        }
    }
}

static void say_distances(const void *data, kdr_writer *writer) {
    const kdr_distance_constraints *const distances = data;
    kdr_write_put(writer, "  %zu distances are kept, in %zu colours, by %u sweeps at most\n", distances->count, distances->colours,
                  (unsigned)distances->sweeps);
}

static void destroy_distances(void *data) { kdr_distance_constraints_destroy(data); }

static kdr_status take_distances(kdr_system *system, kdr_error *error) {
    kdr_distance_constraints *distances;
    kdr_distance_constraints_desc desc = kdr_system_distance_constraints_desc(&system->desc);
    desc.backend = system->backend;
    const kdr_status status = kdr_distance_constraints_create(&desc, &distances, error);
    if (status != KDR_OK || distances->count == 0) {
        kdr_distance_constraints_destroy(status == KDR_OK ? distances : NULL);
        return status;
    }
    system->distances = distances;
    const bool splits = system->problem.row->data.splitting || system->problem.row->family->info.heat_bath;
    const bool magnetic = system->problem.row->data.magnetic != NULL; /* with levels, only the end of the whole step is corrected */
    const kdr_system_term term = {.data = distances,
                                  .check = check_distances,
                                  .scratch = scratch_of_copies,
                                  .after = splits ? after_drifts : after_stages,
                                  .drifted = splits || magnetic ? drifted_distances : NULL,
                                  .turned = magnetic ? turned_distances : NULL,
                                  .forget = forget_distances,
                                  .tell = tell_distances,
                                  .say = say_distances,
                                  .destroy = destroy_distances};
    return kdr_system_take(system, &term, error);
}

kdr_status kdr_system_take_built_in(kdr_system *system, kdr_error *error) {
    const kdr_status status = take_pairs(system, error);
    return status == KDR_OK ? take_distances(system, error) : status;
}
