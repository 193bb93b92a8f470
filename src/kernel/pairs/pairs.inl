/* Forces between particles: gravity with one target per lane (gravity.inl), nets with one particle per lane, rods with one rod per lane.
 *
 * No lane adds to another, so each particle's sums are made in the order that <kickdrift/pairs.h> defines, whatever the width. */
#include "pairs.h"

#include <kickdrift/pairs.h>
#include <stdint.h>
#include <string.h>

#include "../unit.h"

INLINE const char *from(const void *array, size_t i) { return (const char *)array + i * sizeof(real); }

#include "gravity.inl"

/* A vector of particles of a net: in place, or in the last slice a copy with room for a whole vector. */
typedef struct own {
    real x[3][LANES], v[3][LANES], w[LANES], a[3][LANES], b[3][LANES];
} own;

/* Copies `count` elements; a full vector is one load and store instead of a call. */
INLINE void copy(void *to, const void *is, size_t count) {
    if (count == LANES) {
        memcpy(to, is, LANES * sizeof(real));
    } else {
        memcpy(to, is, count * sizeof(real));
    }
}

INLINE void slice_read(const void *const *array, size_t begin, size_t left, int D, real to[3][LANES]) {
    EACH(i, D) { copy(to[i], from(array[i], begin), left); }
}

INLINE void slice_write(void *const *array, size_t begin, size_t left, int D, real is[3][LANES]) {
    EACH(i, D) { copy((char *)array[i] + begin * sizeof(real), is[i], left); }
}

/* Returns d.d or d.u, summed in the order of the axes. */
INLINE vr dot(int D, const vr *a, const vr *b) {
    vr sum = v_mul(a[0], b[0]);
    EACH(i, D - 1) { sum = mul_add(a[i + 1], b[i + 1], sum); }
    return sum;
}

INLINE void gather_difference(const void *const *array, const uint32_t *other, int D, real at[3][LANES], vr *d) {
    EACH(i, D) { d[i] = v_sub(v_gather(array[i], other), v_load(at[i])); }
}

/* Replaces differences by those to the nearest image in a box; an axis without one has size 0. */
INLINE void nearest(const double *size, int D, vr *d) {
    EACH(i, D) {
        const vr box = v_set1((real)size[i]), half = v_mul(v_set1((real)0.5), box);
        const vr below = v_select(v_less(d[i], v_sub(v_set1(0), half)), v_add(d[i], box), d[i]);
        d[i] = v_select(v_less(half, d[i]), v_sub(d[i], box), below);
    }
}

/* Computes the differences of x: others minus each particle. */
INLINE void gather_distance(const kdr_pair_job *job, const uint32_t *other, int D, real at[3][LANES], vr *d) {
    gather_difference(job->x, other, D, at, d);
    if (job->boxed) {
        nearest(job->box, D, d);
    }
}

/* Adds the springs of LANES particles from `begin` on, whose rows begin at `row` of the slices' arrays. */
INLINE void net_particles(const kdr_pair_job *job, size_t begin, size_t row, size_t rows, int D) {
    const kdr_slices *const s = job->slices;
    const size_t left = job->count - begin < LANES ? job->count - begin : LANES;
    own o;
    if (left < LANES) {
        memset(&o, 0, sizeof o);
    }
    slice_read(job->x, begin, left, D, o.x);
    slice_read((const void *const *)job->a, begin, left, D, o.a);
    if (s->damped) {
        slice_read(job->v, begin, left, D, o.v);
    }
    vr force[3];
    vm touched = m_none();
    EACH(i, D) { force[i] = v_set1(0); }
    for (size_t r = 0; r < rows; ++r, row += KDR_SLICE) {
        const vr k = v_load(from(s->parameter[0], row)), length = v_load(from(s->parameter[1], row));
        const vm is_spring = v_at_most(k, k);
        vr d[3];
        gather_distance(job, s->other + row, D, o.x, d);
        const vr q = dot(D, d, d), size = v_sqrt(q), n = v_div(v_set1(1), size);
        vr t = v_mul(k, v_sub(size, length));
        if (s->damped) {
            vr u[3];
            gather_difference(job->v, s->other + row, D, o.v, u);
            t = mul_add(v_load(from(s->parameter[2], row)), v_mul(dot(D, u, d), n), t);
        }
        const vr f = v_mul(t, n);
        EACH(i, D) { force[i] = v_select(is_spring, v_select_zero(q, force[i], mul_add(f, d[i], force[i])), force[i]); }
        touched = m_or(touched, is_spring);
    }
    if (job->inverse_mass) {
        copy(o.w, from(job->inverse_mass, begin), left);
    }
    EACH(i, D) {
        const vr a = v_load(o.a[i]);
        const vr sum = job->inverse_mass ? mul_add(v_load(o.w), force[i], a) : v_add(a, force[i]);
        v_store(o.a[i], v_select(touched, sum, a));
    }
    slice_write(job->a, begin, left, D, o.a);
}

/* The number of elements above the diagonal of a symmetric matrix. */
#define OFF(D) ((D) * ((D) - 1) / 2)

/* Subtracts the slopes of the springs of LANES particles: method/rows_implicit.h has the formulas. */
INLINE void slopes_particles(const kdr_pair_job *job, size_t begin, size_t row, size_t rows, int D) {
    const kdr_slices *const s = job->slices;
    const size_t left = job->count - begin < LANES ? job->count - begin : LANES;
    const vr th = v_set1((real)job->th), zero = v_set1(0);
    own o;
    if (left < LANES) {
        memset(&o, 0, sizeof o);
    }
    slice_read(job->x, begin, left, D, o.x);
    slice_read((const void *const *)job->a, begin, left, D, o.a);
    slice_read((const void *const *)job->b, begin, left, OFF(D), o.b);
    vr diagonal[3], beside[3];
    vm touched = m_none();
    EACH(i, 3) { diagonal[i] = beside[i] = zero; }
    for (size_t r = 0; r < rows; ++r, row += KDR_SLICE) {
        const vr given = v_load(from(s->parameter[0], row)), length = v_load(from(s->parameter[1], row));
        const vm is_spring = v_at_most(given, given);
        const vr k = v_max(zero, given);
        vr d[3];
        gather_distance(job, s->other + row, D, o.x, d);
        const vr q = dot(D, d, d), size = v_sqrt(q), n = v_div(v_set1(1), size);
        const vr tension = v_mul(v_mul(k, v_sub(size, length)), n);
        const vr across = v_select_zero(q, k, v_max(zero, tension));
        const vr more = v_mul(v_mul(mul_add(th, v_sub(k, across), v_load(from(s->parameter[2], row))), n), n);
        const vr along = v_select_zero(q, zero, more), everywhere = v_mul(th, across);
        EACH(i, D) {
            const vr part = v_mul(along, d[i]);
            diagonal[i] = v_select(is_spring, mul_add(part, d[i], v_add(diagonal[i], everywhere)), diagonal[i]);
            EACH(j, D) {
                if (i < j) {
                    beside[i + j - 1] = v_select(is_spring, mul_add(part, d[j], beside[i + j - 1]), beside[i + j - 1]);
                }
            }
        }
        touched = m_or(touched, is_spring);
    }
    if (job->inverse_mass) {
        copy(o.w, from(job->inverse_mass, begin), left);
    }
    EACH(i, D + OFF(D)) {
        real *const to = i < D ? o.a[i] : o.b[i - D];
        const vr a = v_load(to), sum = i < D ? diagonal[i] : beside[i - D];
        const vr less = job->inverse_mass ? mul_add(v_sub(zero, v_load(o.w)), sum, a) : v_sub(a, sum);
        v_store(to, v_select(touched, less, a));
    }
    slice_write(job->a, begin, left, D, o.a);
    slice_write(job->b, begin, left, OFF(D), o.b);
}

/* Adds what a map's springs of LANES particles add to x and v. */
INLINE void map_particles(const kdr_pair_job *job, size_t begin, size_t row, size_t rows, int D) {
    const kdr_slices *const s = job->slices;
    const size_t left = job->count - begin < LANES ? job->count - begin : LANES;
    own o;
    if (left < LANES) {
        memset(&o, 0, sizeof o);
    }
    slice_read(job->x, begin, left, D, o.x);
    slice_read(job->v, begin, left, D, o.v);
    slice_read((const void *const *)job->a, begin, left, D, o.a);
    slice_read((const void *const *)job->b, begin, left, D, o.b);
    vr dx[3], dv[3];
    vm touched = m_none();
    EACH(i, D) { dx[i] = dv[i] = v_set1(0); }
    for (size_t r = 0; r < rows; ++r, row += KDR_SLICE) {
        const vr xx = v_load(from(s->parameter[KDR_MAP_XX], row)), xv = v_load(from(s->parameter[KDR_MAP_XV], row));
        const vr vx = v_load(from(s->parameter[KDR_MAP_VX], row)), vv = v_load(from(s->parameter[KDR_MAP_VV], row));
        const vr length = v_load(from(s->parameter[KDR_MAP_LENGTH], row));
        const vm is_spring = v_at_most(xx, xx), everywhere = v_less(length, v_set1(0));
        vr d[3], u[3];
        gather_distance(job, s->other + row, D, o.x, d);
        gather_difference(job->v, s->other + row, D, o.v, u);
        const vr q = dot(D, d, d), size = v_sqrt(q), n = v_div(v_set1(1), size);
        const vr stretch = v_sub(size, length), p = v_mul(dot(D, u, d), n);
        const vr gx = v_mul(mul_add(xv, p, v_mul(xx, stretch)), n), gv = v_mul(mul_add(vv, p, v_mul(vx, stretch)), n);
        EACH(i, D) {
            const vr x_axis = v_select_zero(q, dx[i], mul_add(gx, d[i], dx[i])), v_axis = v_select_zero(q, dv[i], mul_add(gv, d[i], dv[i]));
            const vr x_all = mul_add(xv, u[i], mul_add(xx, d[i], dx[i])), v_all = mul_add(vv, u[i], mul_add(vx, d[i], dv[i]));
            dx[i] = v_select(is_spring, v_select(everywhere, x_all, x_axis), dx[i]);
            dv[i] = v_select(is_spring, v_select(everywhere, v_all, v_axis), dv[i]);
        }
        touched = m_or(touched, is_spring);
    }
    EACH(i, D) {
        const vr a = v_load(o.a[i]), b = v_load(o.b[i]);
        v_store(o.a[i], v_select(touched, v_add(a, dx[i]), a));
        v_store(o.b[i], v_select(touched, v_add(b, dv[i]), b));
    }
    slice_write(job->a, begin, left, D, o.a);
    slice_write(job->b, begin, left, D, o.b);
}

#define SLICES(name, D)                                                                                                                    \
    static NOINLINE void name##_##D(const kdr_pair_job *job, size_t begin, size_t end) {                                                   \
        const kdr_slices *const s = job->slices;                                                                                           \
        for (size_t slice = begin; slice < end; ++slice) {                                                                                 \
            const size_t rows = s->first[slice + 1] - s->first[slice], particle = (size_t)s->place[slice] * KDR_SLICE;                     \
            for (size_t at = 0; at < KDR_SLICE && particle + at < job->count; at += LANES) {                                               \
                name##_particles(job, particle + at, s->first[slice] * KDR_SLICE + at, rows, D);                                           \
            }                                                                                                                              \
        }                                                                                                                                  \
    }
#define BY_AXES(name)                                                                                                                      \
    SLICES(name, 1)                                                                                                                        \
    SLICES(name, 2)                                                                                                                        \
    SLICES(name, 3)                                                                                                                        \
    static void name(const kdr_pair_job *job, size_t begin, size_t end) {                                                                  \
        static kdr_pair_kernel *const kernels[3] = {name##_1, name##_2, name##_3};                                                         \
        kernels[job->dims - 1](job, begin, end);                                                                                           \
    }
BY_AXES(net)
BY_AXES(slopes)
BY_AXES(map)

INLINE void scatter(void *const *array, const uint32_t *index, size_t n, int D, const vr *value) {
    EACH(i, D) {
        real lane[LANES];
        v_store(lane, value[i]);
        for (size_t l = 0; l < n; ++l) {
            memcpy((char *)array[i] + index[l] * sizeof(real), &lane[l], sizeof(real));
        }
    }
}

INLINE void gather(const void *const *array, const uint32_t *index, int D, vr *value) {
    EACH(i, D) { value[i] = v_gather(array[i], index); }
}

/* Computes d = b - a for the ends of rods. */
INLINE void subtract(int D, const vr *b, const vr *a, vr *d) {
    EACH(i, D) { d[i] = v_sub(b[i], a[i]); }
}

INLINE void between(const kdr_rod_job *job, int D, const vr *b, const vr *a, vr *d) {
    subtract(D, b, a, d);
    if (job->boxed) {
        nearest(job->box, D, d);
    }
}

/* Sets y to y + g s where m. */
INLINE void pull(vm m, vr g, const vr *s, int D, vr *y) {
    EACH(i, D) { y[i] = v_select(m, mul_add(g, s[i], y[i]), y[i]); }
}

typedef struct masses {
    vr a, b, sum;
    vm a_moves, b_moves, one_moves;
} masses;

INLINE masses masses_of(const kdr_rod_job *job, const uint32_t *a, const uint32_t *b) {
    const vr zero = v_set1(0);
    masses m;
    m.a = job->inverse_mass ? v_gather(job->inverse_mass, a) : v_set1(1);
    m.b = job->inverse_mass ? v_gather(job->inverse_mass, b) : v_set1(1);
    m.sum = v_add(m.a, m.b);
    m.a_moves = v_less(zero, m.a);
    m.b_moves = v_less(zero, m.b);
    m.one_moves = v_less(zero, m.sum);
    return m;
}

/* Returns |a| > b, false for NaN. */
INLINE vm is_beyond(vr a, vr b) { return m_or(v_less(b, a), v_less(a, v_sub(v_set1(0), b))); }

INLINE vr size_of(vr a) { return v_max(a, v_sub(v_set1(0), a)); }

/* Returns the larger of the tolerance and the rounding error of d . (y_b - y_a), times h, where y_a and y_b are the ends. */
INLINE vr attainable(const kdr_rod_job *job, size_t at, int D, const vr *d, const vr *ya, const vr *yb, real h) {
    vr size[3], sum[3];
    EACH(i, D) {
        size[i] = size_of(d[i]);
        sum[i] = v_add(size_of(ya[i]), size_of(yb[i]));
    }
    const vr rounding = v_mul(v_set1((real)job->roundings * EPSILON * h), dot(D, size, sum));
    const vr tolerance = v_load(from(job->tolerance, at));
    return v_select(v_less(tolerance, rounding), rounding, tolerance);
}

INLINE bool positions_rods(const kdr_rod_job *job, size_t at, size_t n, int D) {
    const uint32_t *const a = job->a + at, *const b = job->b + at;
    const vr square = v_load(from(job->square, at));
    vr xa[3], xb[3], sa[3], sb[3], d[3], s[3];
    gather((const void *const *)job->x, a, D, xa);
    gather((const void *const *)job->x, b, D, xb);
    between(job, D, xb, xa, d);
    const vr q = dot(D, d, d), e = v_sub(q, square);
    const vm far = is_beyond(e, v_load(from(job->tolerance, at)));
    if (!m_any(far)) {
        return false;
    }
    const vm off = is_beyond(e, attainable(job, at, D, d, xa, xb, 1));
    gather(job->start, a, D, sa);
    gather(job->start, b, D, sb);
    between(job, D, sb, sa, s);
    const vr along = dot(D, d, s);
    const vm turned = v_less(along, v_mul(v_set1((real)0.25), square));
    const vr p = v_select(turned, q, along);
    EACH(i, D) { s[i] = v_select(turned, d[i], s[i]); }
    const masses m = masses_of(job, a, b);
    const vm do_it = m_and(off, m_and(m.one_moves, v_less(v_set1(0), p)));
    const vr g = v_div(v_mul(v_set1((real)job->relaxation), e), v_mul(v_mul(v_set1(2), m.sum), p));
    const vr inverse_h = v_set1((real)job->inverse_h);
    const vr ga = v_mul(g, m.a), gb = v_mul(v_mul(v_set1(-1), g), m.b);
    vr va[3], vb[3];
    gather((const void *const *)job->v, a, D, va);
    gather((const void *const *)job->v, b, D, vb);
    pull(m_and(do_it, m.a_moves), ga, s, D, xa);
    pull(m_and(do_it, m.b_moves), gb, s, D, xb);
    pull(m_and(do_it, m.a_moves), v_mul(ga, inverse_h), s, D, va);
    pull(m_and(do_it, m.b_moves), v_mul(gb, inverse_h), s, D, vb);
    scatter(job->x, a, n, D, xa);
    scatter(job->x, b, n, D, xb);
    scatter(job->v, a, n, D, va);
    scatter(job->v, b, n, D, vb);
    return m_any(do_it);
}

INLINE bool velocities_rods(const kdr_rod_job *job, size_t at, size_t n, int D) {
    const uint32_t *const a = job->a + at, *const b = job->b + at;
    vr xa[3], xb[3], va[3], vb[3], d[3], u[3];
    gather((const void *const *)job->x, a, D, xa);
    gather((const void *const *)job->x, b, D, xb);
    gather((const void *const *)job->v, a, D, va);
    gather((const void *const *)job->v, b, D, vb);
    between(job, D, xb, xa, d);
    subtract(D, vb, va, u);
    const vr q = dot(D, d, d), p = dot(D, d, u);
    const vr moved = v_mul(p, v_set1((real)job->h));
    const vm far = is_beyond(moved, v_load(from(job->tolerance, at)));
    if (!m_any(far)) {
        return false;
    }
    const vm off = is_beyond(moved, attainable(job, at, D, d, va, vb, (real)job->h));
    const masses m = masses_of(job, a, b);
    const vm do_it = m_and(off, m_and(m.one_moves, v_less(v_set1(0), q)));
    const vr g = v_div(v_mul(v_set1((real)job->relaxation), p), v_mul(m.sum, q));
    pull(m_and(do_it, m.a_moves), v_mul(g, m.a), d, D, va);
    pull(m_and(do_it, m.b_moves), v_mul(v_mul(v_set1(-1), g), m.b), d, D, vb);
    scatter(job->v, a, n, D, va);
    scatter(job->v, b, n, D, vb);
    return m_any(do_it);
}

/* Returns the half angle of the ends about axis i; w are inverse masses. */
INLINE vr half_angle(const kdr_rod_job *job, const uint32_t *end, vr w, int i) {
    const vr by = v_set1((real)job->angles.by[i]);
    return job->angles.field[i] ? v_mul(v_gather(job->angles.field[i], end), by) : job->angles.masses ? v_mul(w, by) : by;
}

/* Computes C d for the ends. */
INLINE void turned_way(const kdr_rod_job *job, const uint32_t *end, vr w, int D, const vr *d, vr *way) {
    const vr zero = v_set1(0), one = v_set1(1), t = half_angle(job, end, w, 0);
    if (D < 3) {
        const vr inverse = v_div(one, mul_add(t, t, one));
        way[0] = D < 2 ? d[0] : v_mul(mul_add(d[1], t, d[0]), inverse);
        way[D - 1] = D < 2 ? d[0] : v_mul(mul_add(v_sub(zero, d[0]), t, d[1]), inverse);
        return;
    }
    const vr about[3] = {t, half_angle(job, end, w, 1), half_angle(job, end, w, 2)};
    const vr along = dot(3, d, about), inverse = v_div(one, v_add(one, dot(3, about, about)));
    EACH(i, 3) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const vr cross = mul_add(d[j], about[k], v_sub(zero, v_mul(d[k], about[j])));
        way[i] = v_mul(mul_add(along, about[i], v_add(d[i], cross)), inverse);
    }
}

INLINE bool turned_rods(const kdr_rod_job *job, size_t at, size_t n, int D) {
    const uint32_t *const a = job->a + at, *const b = job->b + at;
    vr xa[3], xb[3], va[3], vb[3], d[3] = {v_set1(0), v_set1(0), v_set1(0)}, u[3], of_a[3], of_b[3];
    gather((const void *const *)job->x, a, D, xa);
    gather((const void *const *)job->x, b, D, xb);
    gather((const void *const *)job->v, a, D, va);
    gather((const void *const *)job->v, b, D, vb);
    between(job, D, xb, xa, d);
    subtract(D, vb, va, u);
    const vr p = dot(D, d, u), moved = v_mul(p, v_set1((real)job->h));
    if (!m_any(is_beyond(moved, v_load(from(job->tolerance, at))))) {
        return false;
    }
    const vm off = is_beyond(moved, attainable(job, at, D, d, va, vb, (real)job->h));
    const masses m = masses_of(job, a, b);
    turned_way(job, a, m.a, D, d, of_a);
    turned_way(job, b, m.b, D, d, of_b);
    const vr steep = v_add(v_mul(m.a, dot(D, d, of_a)), v_mul(m.b, dot(D, d, of_b)));
    const vm do_it = m_and(off, v_less(v_set1(0), steep));
    const vr g = v_div(v_mul(v_set1((real)job->relaxation), p), steep);
    pull(m_and(do_it, m.a_moves), v_mul(g, m.a), of_a, D, va);
    pull(m_and(do_it, m.b_moves), v_mul(v_mul(v_set1(-1), g), m.b), of_b, D, vb);
    scatter(job->v, a, n, D, va);
    scatter(job->v, b, n, D, vb);
    return m_any(do_it);
}

/* Padding after the last rod has particles 0 and 0 and an infinite tolerance, and is not stored. */
#define RODS(name, D)                                                                                                                      \
    static NOINLINE bool name##_##D(const kdr_rod_job *job, size_t begin, size_t end) {                                                    \
        bool any = false;                                                                                                                  \
        for (size_t at = begin; at < end; at += LANES) {                                                                                   \
            any = name##_rods(job, at, end - at < LANES ? end - at : LANES, D) || any;                                                     \
        }                                                                                                                                  \
        return any;                                                                                                                        \
    }
#define RODS_BY_AXES(name)                                                                                                                 \
    RODS(name, 1)                                                                                                                          \
    RODS(name, 2)                                                                                                                          \
    RODS(name, 3)                                                                                                                          \
    static bool name(const kdr_rod_job *job, size_t begin, size_t end) {                                                                   \
        static kdr_rod_kernel *const kernels[3] = {name##_1, name##_2, name##_3};                                                          \
        return kernels[job->dims - 1](job, begin, end);                                                                                    \
    }
RODS_BY_AXES(positions)
RODS_BY_AXES(velocities)
RODS_BY_AXES(turned)

const kdr_pair_kernels KDR_UNIT = {.gravity = gravity,
                                   .potential = potential,
                                   .net = net,
                                   .slopes = slopes,
                                   .map = map,
                                   .positions = positions,
                                   .velocities = velocities,
                                   .turned = turned};
