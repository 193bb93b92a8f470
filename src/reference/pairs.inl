/* The reference of interactions, in the precision `real` of the file that includes this one. It computes the formulas of
 * <kickdrift/pairs.h> and <kickdrift/distance_constraints.h> literally, one pair after the other. */
#include "pairs.h"

#include <string.h>

#include "../particles/layout.h"

static real mul_add(bool fused, real a, real b, real c) {
    if (fused) {
        return fused_multiply_add(a, b, c);
    }
    const real product = a * b;
    return product + c;
}

/* Returns element i of a plain array at any address. */
static real get(const void *array, size_t i) {
    real value;
    memcpy(&value, (const char *)array + i * sizeof value, sizeof value);
    return value;
}

/* Returns element i of an array in any layout. */
static real get_at(const void *array, const kdr_layout *layout, size_t i) {
    return get((const char *)array + kdr_offset(layout, sizeof(real), i), 0);
}

static void set(void *array, size_t i, real value) { memcpy((char *)array + i * sizeof value, &value, sizeof value); }

static void set_at(void *array, const kdr_layout *layout, size_t i, real value) {
    set((char *)array + kdr_offset(layout, sizeof(real), i), 0, value);
}

static real inverse_mass(const kdr_particles *p, size_t i) { return p->inverse_mass ? get(p->inverse_mass, i) : 1; }

static void difference(const void *const *array, int dims, size_t from, size_t to, real d[3]) {
    for (int i = 0; i < dims; ++i) {
        d[i] = get(array[i], to) - get(array[i], from);
    }
}

/* Replaces a difference by that of the nearest images. */
static void nearest(const double box[3], int dims, real d[3]) {
    for (int i = 0; i < dims; ++i) {
        const real size = (real)box[i], half = (real)0.5 * size;
        d[i] = d[i] > half ? d[i] - size : d[i] < -half ? d[i] + size : d[i];
    }
}

/* Computes x of `to` minus x of `from`. */
static void distance(const kdr_particles *p, const double box[3], size_t from, size_t to, real d[3]) {
    difference((const void *const *)p->x, p->dims, from, to, d);
    nearest(box, p->dims, d);
}

static real dot(bool fused, int dims, const real a[3], const real b[3]) {
    real sum = a[0] * b[0];
    for (int i = 1; i < dims; ++i) {
        sum = mul_add(fused, a[i], b[i], sum);
    }
    return sum;
}

/* Returns the element of an array, 0 if there is no array. */
static real softening_of(const void *array, const kdr_layout *layout, size_t i) { return array ? get_at(array, layout, i) : 0; }

/* Adds Newton's law with Plummer's softening, for a block of sources from `first` on. */
static void attract(const kdr_gravity *g, bool fused, size_t target, size_t first, real sum[3], real *depth) {
    const real softening2 = (real)(g->softening * g->softening);
    const real e = softening_of(g->target_softening, &g->target_softening_layout, target);
    for (size_t j = first; j < g->sources && j - first < KDR_GRAVITY_BLOCK; ++j) {
        const bool itself = g->targets_are_sources && (ptrdiff_t)j == g->first_source + (ptrdiff_t)target;
        const real other = softening_of(g->source_softening, &g->source_softening_layout, j);
        real d[3] = {0}, q = mul_add(fused, other, other, mul_add(fused, e, e, softening2));
        for (int i = 0; i < g->dims; ++i) {
            d[i] = get_at(g->source_x[i], &g->source_x_layout, j) - get_at(g->target_x[i], &g->target_x_layout, target);
            q = mul_add(fused, d[i], d[i], q);
        }
        const real f = q == 0 ? 0 : get_at(g->mu, &g->mu_layout, j) / (q * square_root(q));
        for (int i = 0; i < g->dims; ++i) {
            sum[i] = mul_add(fused, f, d[i], sum[i]);
        }
        *depth = mul_add(fused, itself ? 0 : f, q, *depth);
    }
}

static void gravity(const kdr_gravity *g, bool fused) {
    for (size_t n = 0; n < g->targets; ++n) {
        for (size_t first = 0; first < g->sources; first += KDR_GRAVITY_BLOCK) {
            real sum[3] = {0, 0, 0}, depth = 0;
            attract(g, fused, n, first, sum, &depth);
            for (int i = 0; i < g->dims && g->a[i]; ++i) {
                set_at(g->a[i], &g->a_layout, n, get_at(g->a[i], &g->a_layout, n) + sum[i]);
            }
            if (g->potential) {
                set_at(g->potential, &g->potential_layout, n, get_at(g->potential, &g->potential_layout, n) - depth);
            }
        }
    }
}

/* Adds the force on particle i of its spring to particle j: Hooke's law and a dashpot, along the spring. */
static void pull(const kdr_pair_spring *s, bool damped, bool fused, const double box[3], const kdr_particles *p, size_t i, size_t j,
                 real *f) {
    real d[3] = {0}, u[3] = {0};
    distance(p, box, i, j, d);
    const real q = dot(fused, p->dims, d, d), r = square_root(q), n = 1 / r;
    if (q == 0) {
        return;
    }
    real t = (real)s->k * (r - (real)s->length);
    if (damped) {
        difference((const void *const *)p->v, p->dims, i, j, u);
        t = mul_add(fused, (real)s->damping, dot(fused, p->dims, u, d) * n, t);
    }
    for (int axis = 0; axis < p->dims; ++axis) {
        f[axis] = mul_add(fused, t * n, d[axis], f[axis]);
    }
}

static void net(const kdr_interaction *force, bool fused, const double box[3], const kdr_particles *p, void *const a[3], void *work) {
    real *const f = work;
    bool *const held = (bool *)(f + 3 * p->count);
    bool damped = false;
    memset(f, 0, 3 * p->count * sizeof *f);
    memset(held, 0, p->count * sizeof *held);
    for (size_t n = 0; n < force->as.spring_network.count; ++n) {
        damped = damped || force->as.spring_network.springs[n].damping != 0;
    }
    for (size_t n = 0; n < force->as.spring_network.count; ++n) {
        const kdr_pair_spring *const s = &force->as.spring_network.springs[n];
        pull(s, damped, fused, box, p, s->a, s->b, &f[3 * s->a]);
        pull(s, damped, fused, box, p, s->b, s->a, &f[3 * s->b]);
        held[s->a] = held[s->b] = true;
    }
    for (size_t n = 0; n < p->count; ++n) {
        const real *const own = &f[3 * n];
        for (int i = 0; held[n] && i < p->dims; ++i) {
            const real old = get(a[i], n);
            set(a[i], n, p->inverse_mass ? mul_add(fused, inverse_mass(p, n), own[i], old) : old + own[i]);
        }
    }
}

/* Adds the slopes of one spring at particle i, which are subtracted from the particle's own: th T + damping n n^T, where the stiffness T
 * is k along the spring, and across it the tension over the length, 0 if the spring is compressed. */
static void stiffen(const kdr_pair_spring *s, bool fused, const double box[3], const kdr_particles *p, real th, size_t i, size_t j,
                    real own[3][3]) {
    const real k = s->k < 0 ? 0 : (real)s->k;
    real d[3] = {0};
    distance(p, box, i, j, d);
    const real q = dot(fused, p->dims, d, d), r = square_root(q), n = 1 / r, tension = k * (r - (real)s->length) * n;
    const real across = q == 0 ? k : tension < 0 ? 0 : tension;
    const real along = q == 0 ? 0 : mul_add(fused, th, k - across, (real)s->damping) * n * n;
    for (int a = 0; a < p->dims; ++a) {
        own[a][a] = own[a][a] + th * across;
        for (int b = a; b < p->dims; ++b) {
            own[a][b] = mul_add(fused, along * d[a], d[b], own[a][b]);
        }
    }
}

static void slopes(const kdr_interaction *force, bool fused, const double box[3], const kdr_particles *p, double step, void *const g[6],
                   void *work) {
    real(*const own)[3][3] = work;
    bool *const held = (bool *)(own + p->count);
    const real th = (real)step;
    memset(own, 0, p->count * sizeof *own);
    memset(held, 0, p->count * sizeof *held);
    for (size_t n = 0; n < force->as.spring_network.count; ++n) {
        const kdr_pair_spring *const s = &force->as.spring_network.springs[n];
        stiffen(s, fused, box, p, th, s->a, s->b, own[s->a]);
        stiffen(s, fused, box, p, th, s->b, s->a, own[s->b]);
        held[s->a] = held[s->b] = true;
    }
    for (size_t n = 0; n < p->count; ++n) {
        for (int a = 0; held[n] && a < p->dims; ++a) {
            for (int b = a; b < p->dims; ++b) {
                void *const to = g[a == b ? a : p->dims + a + b - 1];
                const real old = get(to, n);
                set(to, n, p->inverse_mass ? mul_add(fused, -inverse_mass(p, n), own[n][a][b], old) : old - own[n][a][b]);
            }
        }
    }
}

/* Adds the effect of spring s on particle i to dx and dv: its matrix times the share of particle i. */
static void contribute(const kdr_pair_spring *s, const kdr_pair_row *row, double share, bool fused, const double box[3],
                       const kdr_particles *p, size_t i, size_t j, real *dx, real *dv) {
    const real xx = (real)(share * row->xx), xv = (real)(share * row->xv), vx = (real)(share * row->vx), vv = (real)(share * row->vv);
    real d[3] = {0}, u[3] = {0};
    distance(p, box, i, j, d);
    difference((const void *const *)p->v, p->dims, i, j, u);
    if (kdr_pair_is_everywhere(s)) {
        for (int axis = 0; axis < p->dims; ++axis) {
            dx[axis] = mul_add(fused, xv, u[axis], mul_add(fused, xx, d[axis], dx[axis]));
            dv[axis] = mul_add(fused, vv, u[axis], mul_add(fused, vx, d[axis], dv[axis]));
        }
        return;
    }
    const real q = dot(fused, p->dims, d, d), r = square_root(q), n = 1 / r;
    if (q == 0) {
        return;
    }
    const real stretch = r - (real)s->length, along = dot(fused, p->dims, u, d) * n;
    const real gx = mul_add(fused, xv, along, xx * stretch) * n, gv = mul_add(fused, vv, along, vx * stretch) * n;
    for (int axis = 0; axis < p->dims; ++axis) {
        dx[axis] = mul_add(fused, gx, d[axis], dx[axis]);
        dv[axis] = mul_add(fused, gv, d[axis], dv[axis]);
    }
}

static void map(const kdr_interaction *force, bool fused, const double box[3], const kdr_particles *p, double h, void *const dx[3],
                void *const dv[3], void *work) {
    real *const x = work, *const v = x + 3 * p->count;
    bool *const held = (bool *)(v + 3 * p->count);
    memset(x, 0, 6 * p->count * sizeof *x);
    memset(held, 0, p->count * sizeof *held);
    for (size_t n = 0; n < force->as.spring_network.count; ++n) {
        const kdr_pair_spring *const s = &force->as.spring_network.springs[n];
        const double w_a = (double)inverse_mass(p, s->a), w_b = (double)inverse_mass(p, s->b), sum = w_a + w_b;
        kdr_pair_row row;
        kdr_pair_row_make(s, kdr_spring_kind(s, force->as.spring_network.count), w_a, w_b, h, &row);
        contribute(s, &row, sum == 0 ? 0 : -(w_a / sum), fused, box, p, s->a, s->b, &x[3 * s->a], &v[3 * s->a]);
        contribute(s, &row, sum == 0 ? 0 : -(w_b / sum), fused, box, p, s->b, s->a, &x[3 * s->b], &v[3 * s->b]);
        held[s->a] = held[s->b] = true;
    }
    for (size_t n = 0; n < p->count; ++n) {
        const real *const sum_x = &x[3 * n], *const sum_v = &v[3 * n];
        for (int i = 0; held[n] && i < p->dims; ++i) {
            set(dx[i], n, get(dx[i], n) + sum_x[i]);
            set(dv[i], n, get(dv[i], n) + sum_v[i]);
        }
    }
}

/* Adds g s to y of particle n, unless its mass is infinite. */
static void move(void *const y[3], bool fused, const kdr_particles *p, size_t n, real g, const real s[3]) {
    for (int i = 0; inverse_mass(p, n) > 0 && i < p->dims; ++i) {
        set(y[i], n, mul_add(fused, g, s[i], get(y[i], n)));
    }
}

/* Returns the bound for |d . (y_b - y_a)| h: the tolerance, or the rounding error of the ends if that is larger. */
static real attainable(real tolerance, const kdr_distance_constraints_desc *desc, const kdr_particles *p, void *const y[3], size_t a,
                       size_t b, const real d[3], real h) {
    real size[3] = {0}, sum[3] = {0};
    for (int i = 0; i < p->dims; ++i) {
        const real ya = get(y[i], a), yb = get(y[i], b);
        size[i] = d[i] < 0 ? -d[i] : d[i];
        sum[i] = (ya < 0 ? -ya : ya) + (yb < 0 ? -yb : yb);
    }
    const real rounding = (real)(4 / (2 - desc->relaxation)) * EPSILON * h * dot(desc->arithmetic == KDR_FUSED, p->dims, size, sum);
    return tolerance < rounding ? rounding : tolerance;
}

/* Corrects the positions by SHAKE. Returns whether the rod was beyond the tolerance. */
static bool position(const kdr_distance *rod, const kdr_distance_constraints_desc *desc, kdr_particles *p, const void *const start[3],
                     double h) {
    const bool fused = desc->arithmetic == KDR_FUSED;
    const double tolerance = kdr_distance_constraints_tolerance(desc);
    const size_t a = rod->a, b = rod->b;
    const real square = (real)(rod->length * rod->length);
    const real w_a = inverse_mass(p, a), w_b = inverse_mass(p, b), sum = w_a + w_b, inverse_h = (real)(1 / h);
    real d[3] = {0}, s[3] = {0};
    distance(p, desc->box, a, b, d);
    difference(start, p->dims, a, b, s);
    nearest(desc->box, p->dims, s);
    const real q = dot(fused, p->dims, d, d), e = q - square;
    const real beyond = attainable((real)(2 * tolerance * (rod->length * rod->length)), desc, p, p->x, a, b, d, 1);
    real along = dot(fused, p->dims, d, s);
    if (along < (real)0.25 * square) {
        memcpy(s, d, sizeof s);
        along = q;
    }
    if (!(e > beyond || e < -beyond) || !(along > 0) || !(sum > 0)) {
        return false;
    }
    const real g = ((real)desc->relaxation * e) / ((2 * sum) * along), g_a = g * w_a, g_b = -g * w_b;
    move(p->x, fused, p, a, g_a, s);
    move(p->x, fused, p, b, g_b, s);
    move(p->v, fused, p, a, g_a * inverse_h, s);
    move(p->v, fused, p, b, g_b * inverse_h, s);
    return true;
}

static real half_angle(const kdr_particles *p, size_t n, const kdr_half_angles *angles, int i) {
    const real by = (real)angles->by[i];
    return angles->field[i] ? get(angles->field[i], n) * by : angles->masses ? inverse_mass(p, n) * by : by;
}

/* Computes the mean effect of an impulse along d on particle n, half of it before the rotation and half after it: (1 - A)^-1 d, where A
 * d = d x t, and t are the half angles. */
static void turned_way(const kdr_particles *p, size_t n, const kdr_half_angles *angles, bool fused, const real d[3], real way[3]) {
    const real t = half_angle(p, n, angles, 0);
    if (p->dims == 1) {
        way[0] = d[0];
        return;
    }
    if (p->dims == 2) {
        const real inverse = 1 / mul_add(fused, t, t, 1);
        way[0] = mul_add(fused, d[1], t, d[0]) * inverse;
        way[1] = mul_add(fused, 0 - d[0], t, d[1]) * inverse;
        return;
    }
    const real about[3] = {t, half_angle(p, n, angles, 1), half_angle(p, n, angles, 2)};
    const real along = dot(fused, 3, d, about), inverse = 1 / (1 + dot(fused, 3, about, about));
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const real cross = mul_add(fused, d[j], about[k], 0 - d[k] * about[j]);
        way[i] = mul_add(fused, along, about[i], d[i] + cross) * inverse;
    }
}

/* Corrects velocities by the second half of RATTLE; with `angles`, velocities that have been rotated. Returns whether the rod was beyond
 * the tolerance. */
static bool velocity(const kdr_distance *rod, const kdr_distance_constraints_desc *desc, kdr_particles *p, double h,
                     const kdr_half_angles *angles) {
    const bool fused = desc->arithmetic == KDR_FUSED;
    const double tolerance = kdr_distance_constraints_tolerance(desc);
    const size_t a = rod->a, b = rod->b;
    const real w_a = inverse_mass(p, a), w_b = inverse_mass(p, b), sum = w_a + w_b;
    real d[3] = {0}, u[3] = {0};
    distance(p, desc->box, a, b, d);
    difference((const void *const *)p->v, p->dims, a, b, u);
    const real size = (real)(h < 0 ? -h : h), q = dot(fused, p->dims, d, d), along = dot(fused, p->dims, d, u), moved = along * size;
    const real beyond = attainable((real)(tolerance * (rod->length * rod->length)), desc, p, p->v, a, b, d, size);
    if (!(moved > beyond || moved < -beyond) || !(q > 0) || !(sum > 0)) {
        return false;
    }
    if (angles) {
        real of_a[3] = {0}, of_b[3] = {0};
        turned_way(p, a, angles, fused, d, of_a);
        turned_way(p, b, angles, fused, d, of_b);
        const real steep = w_a * dot(fused, p->dims, d, of_a) + w_b * dot(fused, p->dims, d, of_b);
        const real g = ((real)desc->relaxation * along) / steep;
        if (steep > 0) {
            move(p->v, fused, p, a, g * w_a, of_a);
            move(p->v, fused, p, b, -g * w_b, of_b);
        }
        return steep > 0;
    }
    const real g = ((real)desc->relaxation * along) / (sum * q);
    move(p->v, fused, p, a, g * w_a, d);
    move(p->v, fused, p, b, -g * w_b, d);
    return true;
}
