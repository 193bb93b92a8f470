/* This file makes the matrices of springs between moving particles for the kinematic method. */
#include "pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../method/contributions.h"
#include "../particles/element.h"
#include "../particles/error.h"
#include "../particles/rounding.h"

/* Inputs for the rows of a net's springs. The last row is kept, because most springs of a net are alike and a row is slow to compute. */
typedef struct making {
    const kdr_pair_spring *springs;
    size_t count;
    const kdr_particles *particles;
    double dt;
    bool known;
    double k, damping, sum;
    kdr_contribution kind;
    kdr_pair_row row;
    bool finite;
} making;

static double mass_of(const kdr_particles *particles, uint32_t i) {
    return particles->inverse_mass ? kdr_element(particles->inverse_mass, particles->real, i) : 1.0;
}

static void map_parameters(void *context, size_t n, int end, double parameter[KDR_MAP_PARAMETERS]) {
    making *const m = context;
    const kdr_pair_spring *const spring = &m->springs[n];
    const kdr_contribution kind = kdr_spring_kind(spring, m->count);
    const double w[2] = {mass_of(m->particles, spring->a), mass_of(m->particles, spring->b)};
    const double sum = w[0] + w[1];
    if (!m->known || m->k != spring->k || m->damping != spring->damping || m->sum != sum || m->kind != kind) {
        kdr_pair_row_make(spring, kind, w[0], w[1], m->dt, &m->row);
        m->known = true;
        m->k = spring->k;
        m->damping = spring->damping;
        m->sum = sum;
        m->kind = kind;
    }
    const double share = sum == 0.0 ? 0.0 : -(w[end] / sum);
    parameter[KDR_MAP_XX] = share * m->row.xx;
    parameter[KDR_MAP_XV] = share * m->row.xv;
    parameter[KDR_MAP_VX] = share * m->row.vx;
    parameter[KDR_MAP_VV] = share * m->row.vv;
    parameter[KDR_MAP_LENGTH] = kdr_pair_is_everywhere(spring) ? -1.0 : spring->length;
    for (int p = 0; p < KDR_MAP_LENGTH; ++p) {
        m->finite = m->finite && isfinite(m->particles->real == KDR_F32 ? (double)(float)parameter[p] : parameter[p]);
    }
}

static kdr_status take(kdr_pair_map *made, const kdr_pairs *pairs, const kdr_particles *particles, double dt, kdr_error *error) {
    for (size_t i = 0; i < pairs->count; ++i) {
        const kdr_pair_term *const term = &pairs->term[i];
        if (term->force.kind != KDR_SPRING_NETWORK) {
            continue;
        }
        making m = {
            .springs = term->springs, .count = term->force.as.spring_network.count, .particles = particles, .dt = dt, .finite = true};
        const kdr_status status =
            kdr_net_make(term->springs, m.count, pairs->real, KDR_MAP_PARAMETERS, map_parameters, &m, &made->net[made->count++], error);
        if (status != KDR_OK) {
            return status;
        }
        KDR_CHECK(m.finite, error, KDR_ERROR_NOT_FINITE, "interactions[%zu].springs: expected matrices that are finite for dt = %g", i, dt);
    }
    return KDR_OK;
}

kdr_status kdr_pair_map_create(const kdr_pairs *pairs, const kdr_particles *particles, double dt, kdr_pair_map **map, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(map, error, KDR_ERROR_NULL, "map: expected a pointer, got NULL");
    KDR_CHECK(pairs, error, KDR_ERROR_NULL, "pairs: expected a pointer, got NULL");
    kdr_status status = kdr_pairs_check_view(pairs->real, pairs->reach, particles, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(isfinite(dt), error, KDR_ERROR_NOT_FINITE, "dt: expected a finite number, got %g", dt);
    KDR_CHECK(dt != 0.0, error, KDR_ERROR_ARGUMENT, "dt: expected a number other than 0");
    kdr_pair_map *made = malloc(sizeof *made + pairs->count * sizeof(kdr_net));
    KDR_CHECK(made, error, KDR_ERROR_NO_MEMORY, "map: no memory for %zu spring networks", pairs->count);
    memset(made, 0, sizeof *made + pairs->count * sizeof(kdr_net));
    made->real = pairs->real;
    made->executor = pairs->executor;
    made->kernels = pairs->kernels;
    made->reach = pairs->reach;
    memcpy(made->box, pairs->box, sizeof made->box);
    status = take(made, pairs, particles, dt, error);
    if (status != KDR_OK) {
        kdr_pair_map_destroy(made);
        return status;
    }
    *map = made;
    return KDR_OK;
}

void kdr_pair_map_destroy(kdr_pair_map *map) {
    for (size_t i = 0; map && i < map->count; ++i) {
        kdr_net_free(&map->net[i]);
    }
    free(map);
}
