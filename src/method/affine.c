/* The map of a step in an affine field, in pairs of doubles. */
#include "affine.h"

#include <math.h>
#include <string.h>

/* A number and what rounding it to a double lost. */
typedef struct pair {
    double hi, lo;
} pair;

static pair of(double a) { return (pair){a, 0.0}; }

/* a + b where |a| >= |b| (Dekker, Numer. Math. 18 (1971) 224) */
static pair ordered_sum(double a, double b) {
    const double sum = a + b;
    return (pair){sum, b - (sum - a)};
}

/* a + b (Knuth, TAOCP 4.2.2) */
static pair exact_sum(double a, double b) {
    const double sum = a + b;
    const double taken = sum - a;
    return (pair){sum, (a - (sum - taken)) + (b - taken)};
}

static pair exact_product(double a, double b) {
    const double product = a * b;
    return (pair){product, fma(a, b, -product)};
}

static pair add(pair a, pair b) {
    const pair high = exact_sum(a.hi, b.hi), low = exact_sum(a.lo, b.lo);
    const pair sum = ordered_sum(high.hi, high.lo + low.hi);
    return ordered_sum(sum.hi, sum.lo + low.lo);
}

static pair times(pair a, pair b) {
    const pair product = exact_product(a.hi, b.hi);
    return ordered_sum(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

static pair minus(pair a) { return (pair){-a.hi, -a.lo}; }

/* By a power of two. */
static pair scaled(pair a, double power) { return (pair){a.hi * power, a.lo * power}; }

static pair divided(pair a, double n) {
    const double quotient = a.hi / n;
    return ordered_sum(quotient, (fma(-quotient, n, a.hi) + a.lo) / n);
}

/* One particle's acceleration on an axis: kx x + kv v + f, and the magnetic part m. */
typedef struct rates {
    pair kx, kv, f, m;
} rates;

static rates rates_of(const kdr_field *field, unsigned terms, const kdr_affine_own *own, int axis) {
    rates r = {of(field->kx[axis]), of(field->kv[axis]), of(field->f[axis]), of(field->magnetic[axis])};
    for (int s = 0; s < field->springs; ++s) {
        const kdr_spring *const spring = &field->spring[s];
        const double k = spring->k_each ? own->k[s] : spring->k[axis], at = spring->at_each[axis] ? own->at[s][axis] : spring->at[axis];
        r.kx = add(r.kx, of(-k));
        r.f = add(r.f, exact_product(k, at));
    }
    for (int d = 0; d < field->drags; ++d) {
        r.kv = add(r.kv, of(-own->b[d]));
        r.f = add(r.f, exact_product(own->b[d], field->drag[d].wind[axis]));
    }
    if (terms & KDR_TERM_MASS) {
        const pair w = of(own->w);
        r = (rates){times(r.kx, w), times(r.kv, w), times(r.f, w), times(r.m, w)};
    }
    r.f = add(r.f, of(field->g[axis]));
    return r;
}

kdr_affine_rates kdr_affine_rates_of(const kdr_field *field, unsigned terms, const kdr_affine_own *own, int axis) {
    const rates r = rates_of(field, terms, own, axis);
    kdr_affine_rates row = {.kx = r.kx.hi, .f = r.f.hi};
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    if (terms & KDR_TERM_MAGNETIC) {
        row.kv[j] = rates_of(field, terms, own, k).m.hi;
        row.kv[k] = -rates_of(field, terms, own, j).m.hi;
    }
    row.kv[axis] = r.kv.hi;
    return row;
}

/* The response of one axis after a step of 1 (x = x_0, h v in place of v), of x'' = -2 damping x' - stiffness x: to a velocity of 1 that of x,
 * `velocity`; to an acceleration of 1 that of x, `force`, whose v is `velocity` too. The determinant of the map is exp(-2 damping). */
typedef struct response {
    pair damping, stiffness;
    pair velocity, force;
    pair determinant, trace;
} response;

/* Where the series is taken. With |damping| <= 2^-6 and |stiffness| <= 2^-12 its terms fall faster than (0.038)^n / n!. */
enum { AXIS_TERMS = 16 };
static const double least_damping = 0x1p-6, least_stiffness = 0x1p-12;

/* The solution from x = 0 with v = 1 is the sum of b_n / n!, b_{n+2} = -2 damping b_{n+1} - stiffness b_n; its integral that of
 * b_n / (n + 1)!. */
static void response_series(response *r) {
    pair before = of(0.0), now = of(1.0), inverse = of(1.0); /* b_{n-1}, b_n, 1 / n! */
    const pair twice = scaled(r->damping, -2.0), minus_stiffness = minus(r->stiffness);
    r->velocity = r->force = of(0.0);
    for (int n = 1; n <= AXIS_TERMS; ++n) {
        r->velocity = add(r->velocity, times(now, inverse));
        inverse = divided(inverse, n + 1);
        r->force = add(r->force, times(now, inverse));
        const pair next = add(times(twice, now), times(minus_stiffness, before));
        before = now;
        now = next;
    }
}

/* The increments of x to x and of v to v: x'' integrated. */
static pair increment_xx(const response *r) { return minus(times(r->stiffness, r->force)); }
static pair increment_vv(const response *r) { return add(scaled(times(r->damping, r->velocity), -2.0), increment_xx(r)); }

/* From a step to one twice as long: x after it is x moved by the step's end, `velocity` (P_xx + P_vv), and so on. The trace P_xx + P_vv loses
 * its digits where both are near 0, strong damping: there it follows from the one before, as cosh 2a = 2 cosh^2 a - 1 does. */
static void response_double(response *r) {
    const pair xx = increment_xx(r), squared = times(r->velocity, r->velocity);
    r->force = scaled(add(add(scaled(r->force, 2.0), times(xx, r->force)), squared), 0.25);
    r->velocity = scaled(times(r->velocity, r->trace), 0.5);
    r->damping = scaled(r->damping, 2.0);
    r->stiffness = scaled(r->stiffness, 4.0);
    const pair determinant = times(r->determinant, r->determinant);
    r->trace = determinant.hi < 0x1p-16 ? add(times(r->trace, r->trace), scaled(r->determinant, -2.0))
                                        : add(of(2.0), add(increment_xx(r), increment_vv(r)));
    r->determinant = determinant;
}

static void response_start(response *r) {
    response_series(r);
    const pair xx = increment_xx(r), vv = increment_vv(r);
    r->trace = add(of(2.0), add(xx, vv));
    const pair mixed = times(r->stiffness, times(r->velocity, r->velocity)); /* -P_xv P_vx */
    r->determinant = add(of(1.0), add(add(xx, vv), add(times(xx, vv), mixed)));
}

static void not_finite(kdr_affine_map *map, int axis) {
    memset(&map->x[axis], 0, sizeof map->x[axis]);
    memset(&map->v[axis], 0, sizeof map->v[axis]);
    map->x[axis].x[axis] = map->x[axis].v[axis] = map->x[axis].q = (double)NAN;
    map->v[axis].x[axis] = map->v[axis].v[axis] = map->v[axis].q = (double)NAN;
}

void kdr_affine_axis(const kdr_field *field, unsigned terms, const kdr_affine_own *own, int axis, double h, kdr_affine_map *map) {
    const rates a = rates_of(field, terms, own, axis);
    response r = {.damping = scaled(times(a.kv, of(h)), -0.5), .stiffness = minus(times(times(a.kx, of(h)), of(h)))};
    if (!isfinite(r.damping.hi) || !isfinite(r.stiffness.hi) || !isfinite(a.f.hi)) {
        not_finite(map, axis);
        return;
    }
    int doublings = 0;
    while (fabs(r.damping.hi) > least_damping || fabs(r.stiffness.hi) > least_stiffness) {
        r.damping = scaled(r.damping, 0.5);
        r.stiffness = scaled(r.stiffness, 0.25);
        ++doublings;
    }
    response_start(&r);
    for (int i = 0; i < doublings; ++i) {
        response_double(&r);
    }
    const pair velocity = times(r.velocity, of(h)), force = times(times(r.force, of(h)), of(h));
    kdr_affine_row *const x = &map->x[axis], *const v = &map->v[axis];
    memset(x, 0, sizeof *x);
    memset(v, 0, sizeof *v);
    x->x[axis] = increment_xx(&r).hi;
    x->v[axis] = velocity.hi;
    x->q = times(a.f, force).hi;
    v->x[axis] = times(a.kx, velocity).hi;
    v->v[axis] = increment_vv(&r).hi;
    v->q = times(a.f, velocity).hi;
}

/* Coupled axes. A step's increments of (x, h v, 1): rows of x and of h v, columns of x, of h v, and the constant. */
enum { STATE = 6, COLUMNS = STATE + 1, AXES_TERMS = 20 };

typedef struct matrix {
    pair e[STATE][COLUMNS];
} matrix;

/* The system times a step: x' = v, v' = kx x + c v + f, with a full c. */
typedef struct flow {
    int dims;
    pair kx[3], c[3][3], f[3];
} flow;

/* out = the system times m, of whose (virtual) last row `one` is the last element. */
static void flow_times(const flow *s, const matrix *m, double one, matrix *out) {
    const int D = s->dims;
    for (int j = 0; j <= 2 * D; ++j) {
        for (int i = 0; i < D; ++i) {
            pair sum = times(s->kx[i], m->e[i][j]);
            for (int k = 0; k < D; ++k) {
                sum = add(sum, times(s->c[i][k], m->e[D + k][j]));
            }
            out->e[i][j] = m->e[D + i][j];
            out->e[D + i][j] = j == 2 * D ? add(sum, scaled(s->f[i], one)) : sum;
        }
    }
}

static void identity(int D, matrix *m) {
    memset(m, 0, sizeof *m);
    for (int i = 0; i < 2 * D; ++i) {
        m->e[i][i] = of(1.0);
    }
}

/* exp - 1 as the sum of powers; the term n + 1 is the system times the term n, over n + 1. */
static void flow_series(const flow *s, matrix *sum) {
    matrix term, next;
    identity(s->dims, &term);
    memset(&next, 0, sizeof next);
    memset(sum, 0, sizeof *sum);
    for (int n = 1; n <= AXES_TERMS; ++n) {
        flow_times(s, &term, n == 1 ? 1.0 : 0.0, &next);
        for (int i = 0; i < 2 * s->dims; ++i) {
            for (int j = 0; j <= 2 * s->dims; ++j) {
                term.e[i][j] = divided(next.e[i][j], n);
                sum->e[i][j] = add(sum->e[i][j], term.e[i][j]);
            }
        }
    }
}

/* The increments of a step twice as long, 2 N + N N, still in units of the shorter step's velocity. */
static void matrix_double(int D, matrix *m) {
    const matrix old = *m;
    for (int i = 0; i < 2 * D; ++i) {
        for (int j = 0; j <= 2 * D; ++j) {
            pair sum = scaled(old.e[i][j], 2.0);
            for (int k = 0; k < 2 * D; ++k) {
                sum = add(sum, times(old.e[i][k], old.e[k][j]));
            }
            m->e[i][j] = sum;
        }
    }
}

static double size_of(const flow *s) {
    double largest = 0.0;
    for (int i = 0; i < s->dims; ++i) {
        double row = sqrt(fabs(s->kx[i].hi));
        for (int k = 0; k < s->dims; ++k) {
            row += fabs(s->c[i][k].hi);
        }
        largest = !(row <= largest) ? row : largest; /* NaN stays */
    }
    return largest;
}

static void flow_make(const kdr_field *field, unsigned terms, const kdr_affine_own *own, int dims, double h, flow *s) {
    rates a[3] = {{{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}}};
    pair m[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = rates_of(field, terms, own, i);
        m[i] = times(a[i].m, of(h));
    }
    memset(s, 0, sizeof *s);
    s->dims = dims;
    for (int i = 0; i < dims; ++i) {
        s->kx[i] = times(times(a[i].kx, of(h)), of(h));
        s->f[i] = times(times(a[i].f, of(h)), of(h));
        s->c[i][i] = times(a[i].kv, of(h));
        const int j = (i + 1) % 3, k = (i + 2) % 3; /* v cross m */
        s->c[i][j] = m[k];
        s->c[i][k] = minus(m[j]);
    }
}

void kdr_affine_axes(const kdr_field *field, unsigned terms, const kdr_affine_own *own, int dims, double h, kdr_affine_map *map) {
    flow s;
    matrix m;
    flow_make(field, terms, own, dims, h, &s);
    memset(map, 0, sizeof *map);
    const double size = size_of(&s);
    if (!isfinite(size) || !isfinite(s.f[0].hi) || !isfinite(s.f[1].hi)) {
        for (int i = 0; i < dims; ++i) {
            not_finite(map, i);
        }
        return;
    }
    int doublings = 0;
    double part = 1.0;
    while (size * part > 0x1p-4) {
        part *= 0.5;
        ++doublings;
    }
    for (int i = 0; i < dims; ++i) {
        s.kx[i] = scaled(scaled(s.kx[i], part), part);
        s.f[i] = scaled(scaled(s.f[i], part), part);
        for (int k = 0; k < dims; ++k) {
            s.c[i][k] = scaled(s.c[i][k], part);
        }
    }
    flow_series(&s, &m);
    for (int n = 0; n < doublings; ++n) {
        matrix_double(dims, &m);
    }
    /* Back from h v to v: v is (h part) v there. */
    const pair unit = times(of(h), of(part));
    for (int i = 0; i < dims; ++i) {
        for (int j = 0; j < dims; ++j) {
            map->x[i].x[j] = m.e[i][j].hi;
            map->x[i].v[j] = times(m.e[i][dims + j], unit).hi;
            map->v[i].x[j] = m.e[dims + i][j].hi / unit.hi;
            map->v[i].v[j] = m.e[dims + i][dims + j].hi;
        }
        map->x[i].q = m.e[i][2 * dims].hi;
        map->v[i].q = m.e[dims + i][2 * dims].hi / unit.hi;
    }
}
