/* The map of a step in an affine field, in pairs of doubles. */
#include "affine.h"

#include <kickdrift/fma.h>

#include <math.h>
#include <string.h>

/* The operations of affine_axis.inl for a single number. */
typedef double vr;
typedef bool vm;
static vr v_set1(double a) { return a; }
static vr v_add(vr a, vr b) { return a + b; }
static vr v_sub(vr a, vr b) { return a - b; }
static vr v_mul(vr a, vr b) { return a * b; }
static vr v_div(vr a, vr b) { return a / b; }
static vr v_fused(vr a, vr b, vr c) { return kdr_fma(a, b, c); }
static vm v_less(vr a, vr b) { return a < b; }
static vm m_or(vm a, vm b) { return a || b; }
static vm m_and(vm a, vm b) { return a && b; }
static bool m_any(vm a) { return a; }
static vr v_select(vm m, vr a, vr b) { return m ? a : b; }

#include "affine_axis.inl"

static pair of(double a) { return number(a); }

/* One particle's acceleration on an axis: kx x + kv v + f, and the magnetic part m. */
typedef struct rates {
    pair kx, kv, f, m;
} rates;

static rates rates_of(const kdr_field *field, unsigned terms, const kdr_affine_each *each, int axis) {
    rates r = {of(field->kx[axis]), of(field->kv[axis]), of(field->f[axis]), of(field->magnetic[axis])};
    for (int s = 0; s < field->springs; ++s) {
        const kdr_spring *const spring = &field->spring[s];
        const double k = spring->k_each ? each->k[s] : spring->k[axis], at = spring->at_each[axis] ? each->at[s][axis] : spring->at[axis];
        r.kx = add(r.kx, of(-k));
        r.f = add(r.f, exact_product(k, at));
    }
    for (int d = 0; d < field->drags; ++d) {
        r.kv = add(r.kv, of(-each->b[d]));
        r.f = add(r.f, exact_product(each->b[d], field->drag[d].wind[axis]));
    }
    if (terms & KDR_TERM_MASS) {
        const pair w = of(each->w);
        r = (rates){times(r.kx, w), times(r.kv, w), times(r.f, w), times(r.m, w)};
    }
    r.f = add(r.f, of(field->g[axis]));
    return r;
}

kdr_affine_rates kdr_affine_rates_of(const kdr_field *field, unsigned terms, const kdr_affine_each *each, int axis) {
    const rates r = rates_of(field, terms, each, axis);
    kdr_affine_rates row = {.kx = r.kx.hi, .f = r.f.hi};
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    if (terms & KDR_TERM_MAGNETIC) {
        row.kv[j] = rates_of(field, terms, each, k).m.hi;
        row.kv[k] = -rates_of(field, terms, each, j).m.hi;
    }
    row.kv[axis] = r.kv.hi;
    return row;
}

void kdr_affine_axis_rates(const kdr_field *field, unsigned terms, const kdr_affine_each *each, int axis, int lane, kdr_axis_rates *to) {
    const rates a = rates_of(field, terms, each, axis);
    to->kx[0][lane] = a.kx.hi, to->kx[1][lane] = a.kx.lo;
    to->kv[0][lane] = a.kv.hi, to->kv[1][lane] = a.kv.lo;
    to->f[0][lane] = a.f.hi, to->f[1][lane] = a.f.lo;
}

void kdr_affine_axis(const kdr_field *field, unsigned terms, const kdr_affine_each *each, int axis, double h, kdr_affine_map *map) {
    const rates a = rates_of(field, terms, each, axis);
    vr made[AXIS_NUMBERS];
    axis_map(a.kx, a.kv, a.f, h, made);
    kdr_affine_row *const x = &map->x[axis], *const v = &map->v[axis];
    memset(x, 0, sizeof *x);
    memset(v, 0, sizeof *v);
    x->v[axis] = made[0], x->x[axis] = made[1], x->q = made[2];
    v->v[axis] = made[3], v->x[axis] = made[4], v->q = made[5];
}

/* The matrices of coupled axes. They hold a step's increments of (x, h v, 1): rows for x and h v, columns for x, h v and the constant. */
enum { STATE = 6, COLUMNS = STATE + 1, AXES_TERMS = 20 };

typedef struct flow_matrix {
    pair e[STATE][COLUMNS];
} flow_matrix;

/* The system times a step: x' = v, v' = kx x + c v + f, with a full matrix c. */
typedef struct flow {
    int dims;
    pair kx[3], c[3][3], f[3];
} flow;

/* Computes out = the system times m; `one` is the last element of m's (virtual) last row. */
static void flow_times(const flow *s, const flow_matrix *m, double one, flow_matrix *out) {
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

static void identity(int D, flow_matrix *m) {
    memset(m, 0, sizeof *m);
    for (int i = 0; i < 2 * D; ++i) {
        m->e[i][i] = of(1.0);
    }
}

/* Computes exp - 1 as the sum of powers; the term n + 1 is the system times the term n, over n + 1. */
static void flow_series(const flow *s, flow_matrix *sum) {
    flow_matrix term, next;
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

/* Computes the increments of a step twice as long, 2 N + N N, still in units of the shorter step's velocity. */
static void matrix_double(int D, flow_matrix *m) {
    const flow_matrix old = *m;
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
        largest = !(row <= largest) ? row : largest; /* keeps NaN */
    }
    return largest;
}

static void flow_make(const kdr_field *field, unsigned terms, const kdr_affine_each *each, int dims, double h, flow *s) {
    rates a[3] = {{{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}}};
    pair m[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = rates_of(field, terms, each, i);
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

void kdr_affine_axes(const kdr_field *field, unsigned terms, const kdr_affine_each *each, int dims, double h, kdr_affine_map *map) {
    flow s;
    flow_matrix m;
    flow_make(field, terms, each, dims, h, &s);
    memset(map, 0, sizeof *map);
    const double size = size_of(&s);
    if (!isfinite(size) || !isfinite(s.f[0].hi) || !isfinite(s.f[1].hi)) {
        for (int i = 0; i < dims; ++i) {
            map->x[i].x[i] = map->x[i].v[i] = map->x[i].q = (double)NAN;
            map->v[i].x[i] = map->v[i].v[i] = map->v[i].q = (double)NAN;
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
    /* Converts h v back to v; v is (h part) v there. */
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
