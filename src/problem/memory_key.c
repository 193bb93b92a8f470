/* The digest of a problem, which identifies the run that a memory array belongs to. */
#include "problem.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../force/custom.h"

/* Returns 1 in place of an address. It is computed in integers: for a conditional of two addresses gcc 12 on aarch64 makes -1 when it
 * vectorises several. */
static const void *mark(const void *array) {
    const uintptr_t is_there = array != NULL;
    return (const void *)is_there;
}

/* Returns a digest of the kinds of contributions, in order; the field has the parameters. */
static uint64_t contributions_digest(const kdr_contributions *contributions) {
    uint64_t digest =
        ((uint64_t)contributions->count * (KDR_MAX_QUADRATIC + 1) + (uint64_t)contributions->averaged_quadratics) * (KDR_MAX_CENTRES + 1) +
        (uint64_t)contributions->averaged_centres;
    for (int i = 0; i < contributions->count; ++i) {
        digest = digest * KDR_CONTRIBUTION_COUNT + (uint64_t)contributions->term[i].kind;
    }
    return XXH3_64bits(&digest, sizeof digest);
}

/* Returns a digest of the names of custom fields, and removes their addresses. */
static uint64_t take_names(kdr_field *field) {
    uint64_t digest = 0;
    for (int e = 0; e < field->custom_entries; ++e) {
        const char *const name = field->custom_entry[e].field->name;
        digest = digest * UINT64_C(0x9E3779B97F4A7C15) + XXH3_64bits(name, strlen(name));
        field->custom_entry[e].field = NULL;
    }
    return digest;
}

/* Returns the field without addresses, counts and layouts of the caller's arrays; whether an array is given stays known. */
static kdr_field without_places(const kdr_field *from) {
    kdr_field field = *from;
    for (int s = 0; s < field.springs; ++s) {
        kdr_spring *const spring = &field.spring[s];
        spring->count = 0;
        memset(&spring->layout, 0, sizeof spring->layout);
        spring->k_each = mark(spring->k_each);
        for (int i = 0; i < 3; ++i) {
            spring->at_each[i] = mark(spring->at_each[i]);
        }
    }
    for (int d = 0; d < field.drags; ++d) {
        kdr_drag *const drag = &field.drag[d];
        drag->count = 0;
        memset(&drag->layout, 0, sizeof drag->layout);
        drag->b_each = mark(drag->b_each);
    }
    for (int e = 0; e < field.custom_entries; ++e) {
        field.custom_entry[e].grid.values = mark(field.custom_entry[e].grid.values);
    }
    for (int n = 0; n < field.custom_arrays; ++n) {
        field.custom_array[n] = (kdr_custom_field_array){.each = mark(field.custom_array[n].each)};
    }
    return field;
}

/* The digest is made from names and values, not from enumerators, addresses and counts. Memory that was written to disk therefore still
 * fits its problem, and a slice's memory fits the slice. */
uint64_t kdr_problem_digest(const kdr_problem *p) {
    kdr_field field = without_places(&p->field);
    const uint64_t custom = take_names(&field);
    const uint64_t name = XXH3_64bits(p->row->info.name, strlen(p->row->info.name));
    const uint64_t row = p->row == &p->caller.row ? XXH3_64bits(&p->caller.runge_kutta, sizeof p->caller.runge_kutta) ^
                                                        XXH3_64bits(&p->caller.splitting, sizeof p->caller.splitting)
                                                  : 0;
    const uint64_t substeps = p->substepping.count > 1 ? XXH3_64bits(p->substepping.fraction, sizeof p->substepping.fraction) : 0;
    uint64_t walls = 0;
    for (size_t i = 0; i < p->collider_count; ++i) {
        kdr_wall_f64 wall;
        kdr_wall_fold_f64(&p->colliders[i], 3, &wall);
        walls = XXH3_64bits_withSeed(&wall, sizeof wall, walls + 1);
    }
    for (size_t i = 0; i < p->constraint_count; ++i) {
        kdr_wall_f64 wall;
        kdr_wall_of_constraint_f64(&p->constraints[i], 3, &wall);
        walls = XXH3_64bits_withSeed(&wall, sizeof wall, walls + 1);
    }
    if (p->boundary.kind != KDR_BOUNDARY_NONE) {
        walls = XXH3_64bits_withSeed(p->boundary.min, sizeof p->boundary.min, walls + (uint64_t)p->boundary.kind);
        walls = XXH3_64bits_withSeed(p->boundary.max, sizeof p->boundary.max, walls);
    }
    const uint64_t contributions =
        kdr_problem_sums(p) ? XXH3_64bits(p->contributions.drive, sizeof p->contributions.drive) ^ contributions_digest(&p->contributions)
                            : 0;
    const uint64_t bath = p->row->family->info.heat_bath ? XXH3_64bits(&p->langevin, sizeof p->langevin) : 0;
    const uint64_t light = p->speed_of_light != 0.0 ? XXH3_64bits(&p->speed_of_light, sizeof p->speed_of_light) : 0;
    return XXH3_64bits_withSeed(&field, sizeof field,
                                name ^ row ^ substeps ^ bath ^ light ^ contributions ^ walls ^ custom ^ (uint64_t)p->flushes_small << 3 ^
                                    (uint64_t)p->compensated << 2 ^ (uint64_t)p->real << 1 ^ (uint64_t)p->arithmetic);
}

void kdr_problem_succeed(kdr_problem *problem, const kdr_problem *before, enum kdr_change change) {
    problem->digest =
        change == KDR_CHANGES_COLLIDERS ? before->digest : XXH3_64bits_withSeed(&problem->digest, sizeof problem->digest, before->digest);
}
