/* The acceleration of a chunk of particles in the folded field, in the order that force/field.h sets.
 *
 * A chunk is `U` vectors of particles on `D` axes: element [i * U + u] of its arrays is vector u on axis i. D and U are constants where
 * these functions are inlined. The mask of terms is the same for all steps: where it is not a constant too, its branches are well
 * predicted. */

/* The field's constants, rounded to the unit's precision. */
typedef struct constants {
    int springs, drags;
    struct {
        int quadratic, centre;
    } begin[2], end[2]; /* of the arrays below: of all evaluations, and of those with KDR_TERM_LATE */
    real f[3], kx[3], kv[3], magnetic[3];
    struct {
        real k[3], at[3];
    } spring[KDR_MAX_EACH];
    real wind[KDR_MAX_EACH][3];
    struct {
        real minus_c, wind[3];
    } quadratic[KDR_MAX_QUADRATIC];
    struct {
        real minus_mu, at[3], softening2;
    } centre[KDR_MAX_CENTRES];
    struct {
        real low[3], high[3], minus_size[3], size[3], inverse[3];
    } border;
    struct {
        real low[3], high[3];
    } clear; /* between these on all axes nothing is done to a particle after a step; empty where no such box is known */
#ifdef KDR_FIELD_FILE
    int first, dims, fused_entries, fused_arrays;
    real fused[KDR_MAX_FUSED][KDR_MAX_PARAMETERS];
    const kdr_fused_entry *fused_entry;
#endif
} constants;

/* Where a tile's particles lie: every pointer is at the tile's first particle. */
typedef struct lanes {
    char *x[3], *v[3], *memory[3], *cx[3], *cv[3];
    const char *inverse_mass;
    const char *k_each[KDR_MAX_EACH], *at_each[KDR_MAX_EACH][3], *b_each[KDR_MAX_EACH];
#ifdef KDR_FIELD_FILE
    const char *fused_each[KDR_MAX_FUSED_EACH];
#endif
    const char *id; /* or NULL: first_id and on */
    uint64_t first_id;
    char *hits;          /* or NULL */
    char *dissipated[2]; /* likewise */
    size_t left;         /* particles from here on */
} lanes;

/* An axis on which min and max are equal has no border: nothing is below or above NaN. */
static void border_make(const kdr_boundary *boundary, int first, int axes, constants *c) {
    for (int i = 0; i < axes; ++i) {
        const double low = boundary->min[first + i], high = boundary->max[first + i];
        const bool is_bound = low < high;
        c->border.low[i] = is_bound ? (real)low : (real)NAN;
        c->border.high[i] = is_bound ? (real)high : (real)NAN;
        c->border.size[i] = is_bound ? (real)(high - low) : 0;
        c->border.minus_size[i] = is_bound ? (real) - (high - low) : 0;
        c->border.inverse[i] = is_bound ? (real)(1.0 / (high - low)) : 0;
    }
}

/* Nothing below `low` on axis i is clear, and nothing above `high`. */
static void clear_within(constants *c, int i, double low, double high) {
    c->clear.low[i] = (real)low > c->clear.low[i] ? (real)low : c->clear.low[i];
    c->clear.high[i] = (real)high < c->clear.high[i] ? (real)high : c->clear.high[i];
}

/* Where a wall certainly does nothing: the inside of a box, the open side of a plane across an axis, a cube in a sphere with room for rounding.
 * Of obstacles, tilted planes and constraints nowhere. */
static void clear_of_wall(const wall *w, int axes, constants *c) {
    for (int i = 0; i < axes; ++i) {
        if (w->kind == KDR_COLLIDER_BOX && w->inside) {
            clear_within(c, i, w->low[i], w->high[i]);
        } else if (w->kind == KDR_COLLIDER_SPHERE && w->inside) {
            const double half = 0.57 * w->radius - 0x1p-20 * fabs((double)w->at[i]); /* 1 / sqrt(3) = 0.577 */
            clear_within(c, i, w->at[i] - half, w->at[i] + half);
        } else if (w->kind == KDR_COLLIDER_PLANE && fabs((double)w->normal[i]) == 1.0) {
            clear_within(c, i, w->normal[i] > 0 ? w->offset : -INFINITY, w->normal[i] > 0 ? INFINITY : -w->offset);
        } else if (w->kind == KDR_COLLIDER_PLANE ? w->normal[i] != 0 : w->kind != KDR_WALL_NONE) {
            clear_within(c, i, INFINITY, -INFINITY);
        }
    }
}

static void clear_make(const kdr_job *job, int first, int axes, constants *c) {
    const wall *const walls = job->walls;
    for (int i = 0; i < axes; ++i) {
        c->clear.low[i] = (real)-INFINITY;
        c->clear.high[i] = (real)INFINITY;
        if (job->terms & (KDR_TERM_PERIODIC | KDR_TERM_ABSORBING) && job->boundary->min[first + i] < job->boundary->max[first + i]) {
            clear_within(c, i, job->boundary->min[first + i], job->boundary->max[first + i]);
        }
    }
    for (size_t n = 0; n < job->wall_count; ++n) {
        clear_of_wall(&walls[n], axes, c);
    }
}

/* Constants of axes [first, first + D), moved to [0, D). */
static void constants_make(const kdr_job *job, int first, int axes, constants *c) {
    const kdr_field *const field = job->field;
    c->springs = field->springs;
    c->drags = field->drags;
    memset(c->begin, 0, sizeof c->begin);
    for (int late = 0; late < 2; ++late) {
        c->end[late].quadratic = field->quadratics;
        c->end[late].centre = field->centres;
    }
    if (job->parts) {
        c->begin[1].quadratic = c->end[0].quadratic = job->parts->averaged_quadratics;
        c->begin[1].centre = c->end[0].centre = job->parts->averaged_centres;
    }
    for (int i = 0; i < axes; ++i) {
        c->f[i] = (job->terms & KDR_TERM_APART) ? 0 : (real)field->f[first + i];
        c->kx[i] = (real)field->kx[first + i];
        c->kv[i] = (real)field->kv[first + i];
        for (int s = 0; s < c->springs; ++s) {
            c->spring[s].k[i] = (real)field->spring[s].k[first + i];
            c->spring[s].at[i] = (real)field->spring[s].at[first + i];
        }
        for (int d = 0; d < c->drags; ++d) {
            c->wind[d][i] = (real)field->drag[d].wind[first + i];
        }
        for (int q = 0; q < field->quadratics; ++q) {
            c->quadratic[q].minus_c = (real)field->quadratic[q].minus_c;
            c->quadratic[q].wind[i] = (real)field->quadratic[q].wind[first + i];
        }
        for (int s = 0; s < field->centres; ++s) {
            c->centre[s].minus_mu = (real)field->centre[s].minus_mu;
            c->centre[s].softening2 = (real)field->centre[s].softening2;
            c->centre[s].at[i] = (real)field->centre[s].at[first + i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        c->magnetic[i] = (real)field->magnetic[i];
    }
#ifdef KDR_FIELD_FILE
    c->first = first;
    c->dims = job->dims;
    c->fused_entries = field->fused_entries;
    c->fused_arrays = field->fused_arrays;
    c->fused_entry = field->fused_entry;
    for (int e = 0; e < c->fused_entries; ++e) {
        for (int k = 0; k < KDR_MAX_PARAMETERS; ++k) {
            c->fused[e][k] = (real)field->fused_entry[e].parameter[k];
        }
    }
#endif
    if (job->terms & (KDR_TERM_PERIODIC | KDR_TERM_ABSORBING)) {
        border_make(job->boundary, first, axes, c);
    }
    if (job->terms & KDR_TERMS_AFTER) {
        clear_make(job, first, axes, c);
    }
}

INLINE vr part(const char *array, int u) { return v_load(array + (size_t)u * sizeof(vr)); }

INLINE void magnetic_force(const constants *c, int D, int U, const vr *v, vr *force) {
    const vr mx = v_set1(c->magnetic[0]), my = v_set1(c->magnetic[1]), mz = v_set1(c->magnetic[2]);
    const vr minus_mx = v_set1(-c->magnetic[0]), minus_my = v_set1(-c->magnetic[1]), minus_mz = v_set1(-c->magnetic[2]);
    EACH(u, U) {
        if (D >= 2) {
            force[u] = mul_add(mz, v[U + u], force[u]);
        }
        if (D == 3) {
            force[u] = mul_add(minus_my, v[2 * U + u], force[u]);
            force[U + u] = mul_add(mx, v[2 * U + u], force[U + u]);
        }
        if (D >= 2) {
            force[U + u] = mul_add(minus_mz, v[u], force[U + u]);
        }
        if (D == 3) {
            force[2 * U + u] = mul_add(my, v[u], force[2 * U + u]);
            force[2 * U + u] = mul_add(minus_mx, v[U + u], force[2 * U + u]);
        }
    }
}

/* Springs and drags with arrays, and quadratic drags, work on memory and are not inlined: they are bound by loads or by the square root, and
 * dozens of copies of them would be most of a unit. */
static NOINLINE void array_forces(const constants *c, const lanes *p, int at, int D, int U, const vr *x, const vr *v, vr *force) {
    for (int s = 0; s < c->springs; ++s) {
        for (int i = 0; i < D; ++i) {
            for (int u = 0; u < U; ++u) {
                const vr k = p->k_each[s] ? part(p->k_each[s], at + u) : v_set1(c->spring[s].k[i]);
                const vr anchor = p->at_each[s][i] ? part(p->at_each[s][i], at + u) : v_set1(c->spring[s].at[i]);
                force[i * U + u] = mul_add(k, v_sub(anchor, x[i * U + u]), force[i * U + u]);
            }
        }
    }
    for (int d = 0; d < c->drags; ++d) {
        for (int i = 0; i < D; ++i) {
            const vr wind = v_set1(c->wind[d][i]);
            for (int u = 0; u < U; ++u) {
                force[i * U + u] = mul_add(part(p->b_each[d], at + u), v_sub(wind, v[i * U + u]), force[i * U + u]);
            }
        }
    }
}

/* The slopes of a field, S of method/rows_implicit.h, for the functions that are given an array for them and not NULL: of a chunk, symmetric,
 * element (i, i) in [i * U + u] and those beside the diagonal in [BESIDE(i, j, D) * U + u]. */
#define BESIDE(i, j, D) ((D) + (i) + (j)-1)
#define SLOPES(D) ((D) * ((D) + 1) / 2)

/* Of springs and linear drags, da/dv + th da/dx. */
INLINE void slope_begin(const constants *c, unsigned terms, const lanes *p, int at, int D, int U, real th, vr *slope) {
    EACH(n, SLOPES(D) * U) { slope[n] = v_set1(0); }
    EACH(i, D) {
        const vr start = mul_add(v_set1(th), v_set1(c->kx[i]), v_set1(c->kv[i]));
        EACH(u, U) { slope[i * U + u] = start; }
    }
    if (terms & (KDR_TERM_SPRINGS | KDR_TERM_DRAGS)) {
        EACH(i, D) {
            EACH(u, U) {
                for (int s = 0; s < c->springs; ++s) {
                    const vr k = p->k_each[s] ? part(p->k_each[s], at + u) : v_set1(c->spring[s].k[i]);
                    slope[i * U + u] = mul_add(v_set1(-th), k, slope[i * U + u]);
                }
                for (int d = 0; d < c->drags; ++d) {
                    slope[i * U + u] = v_sub(slope[i * U + u], part(p->b_each[d], at + u));
                }
            }
        }
    }
}

/* Adds e y y^T to the slopes of vector u. */
INLINE void slope_add_dyad(vr e, const vr y[3], int u, int D, int U, vr *slope) {
    EACH(i, D) {
        const vr ey = v_mul(e, y[i]);
        EACH(j, D) {
            if (i <= j) {
                const int n = (i == j ? i : BESIDE(i, j, D)) * U + u;
                slope[n] = mul_add(ey, y[j], slope[n]);
            }
        }
    }
}

INLINE void slope_masses(const lanes *p, int at, int D, int U, vr *slope) {
    EACH(u, U) {
        const vr w = part(p->inverse_mass, at + u);
        EACH(n, SLOPES(D)) { slope[n * U + u] = v_mul(slope[n * U + u], w); }
    }
}

static NOINLINE void quadratic_drags(const constants *c, bool late, int D, int U, const vr *v, vr *force, vr *slope) {
    for (int q = c->begin[late].quadratic; q < c->end[late].quadratic; ++q) {
        const vr minus_c = v_set1(c->quadratic[q].minus_c);
        for (int u = 0; u < U; ++u) {
            vr slip[3], square = v_set1(0);
            for (int i = 0; i < D; ++i) {
                slip[i] = v_sub(v[i * U + u], v_set1(c->quadratic[q].wind[i]));
                square = i == 0 ? v_mul(slip[i], slip[i]) : mul_add(slip[i], slip[i], square);
            }
            const vr size = v_sqrt(square), factor = v_mul(minus_c, size);
            for (int i = 0; i < D; ++i) {
                force[i * U + u] = mul_add(factor, slip[i], force[i * U + u]);
                if (slope) {
                    slope[i * U + u] = v_add(slope[i * U + u], factor);
                }
            }
            if (slope) {
                slope_add_dyad(v_select_zero(size, v_set1(0), v_div(minus_c, size)), slip, u, D, U, slope);
            }
        }
    }
}

/* Through copies, so that the caller's own arrays can stay in registers. */
INLINE void forces_in_memory(const constants *c, unsigned terms, const lanes *p, int at, int D, int U, const vr *x, const vr *v, vr *force,
                             vr *slope) {
    vr xs[CHUNK_MAX], vs[CHUNK_MAX], sum[CHUNK_MAX];
    EACH(n, D * U) {
        xs[n] = x[n];
        vs[n] = v[n];
        sum[n] = force[n];
    }
    if (terms & (KDR_TERM_SPRINGS | KDR_TERM_DRAGS)) {
        array_forces(c, p, at, D, U, xs, vs, sum);
    }
    if (terms & KDR_TERM_QUADRATIC) {
        quadratic_drags(c, (terms & KDR_TERM_LATE) != 0, D, U, vs, sum, slope);
    }
    EACH(n, D * U) { force[n] = sum[n]; }
}

INLINE void centre_accelerations(const constants *c, bool late, int D, int U, const vr *x, vr *a, real th, vr *slope) {
    for (int s = c->begin[late].centre; s < c->end[late].centre; ++s) {
        const vr minus_mu = v_set1(c->centre[s].minus_mu);
        EACH(u, U) {
            vr r[3], square = v_set1(c->centre[s].softening2);
            EACH(i, D) {
                r[i] = v_sub(x[i * U + u], v_set1(c->centre[s].at[i]));
                square = mul_add(r[i], r[i], square);
            }
            const vr factor = v_div(minus_mu, v_mul(square, v_sqrt(square)));
            EACH(i, D) { a[i * U + u] = mul_add(factor, r[i], a[i * U + u]); }
            if (slope) {
                EACH(i, D) { slope[i * U + u] = mul_add(v_set1(th), factor, slope[i * U + u]); }
                slope_add_dyad(v_div(v_mul(v_set1((real)-3 * th), factor), square), r, u, D, U, slope);
            }
        }
    }
}

/* On one axis, where no central orbit lies. */
static NOINLINE void centre_accelerations_in_memory(const constants *c, bool late, int U, const vr *x, vr *a, real th, vr *slope) {
    for (int u = 0; u < U; ++u) {
        centre_accelerations(c, late, 1, 1, x + u, a + u, th, slope ? slope + u : NULL);
    }
}

#ifdef KDR_FIELD_FILE
/* What an entry of the caller's field is told of the vector `at` of a tile. */
INLINE kdr_at fused_at(const constants *c, unsigned terms, const lanes *p, int e, int at, int D, real t) {
    return (kdr_at){
        .dims = KDR_FIELD_TOGETHER ? D : c->dims,
        .axis = c->first,
        .time = ((KDR_FIELD_FLAGS)&KDR_FIELD_TIME) ? t : 0,
        .parameter = c->fused[e],
        .each = (terms & KDR_TERM_FUSED_SEVERAL) ? c->fused_entry[e].each : NULL,
        .array = p->fused_each,
        .inverse_mass = (terms & KDR_TERM_MASS) ? p->inverse_mass : NULL,
        .offset = (size_t)at * sizeof(vr),
    };
}

/* Adds the caller's field to a chunk's forces or accelerations, of the terms of which it is one. */
INLINE void fused_entry(const constants *c, unsigned terms, const lanes *p, int e, int at, int D, int U, real t, const vr *x, const vr *v,
                        vr *a) {
    const unsigned flags = KDR_FIELD_FLAGS;
    EACH(u, U) {
        vr xs[3], vs[3], sum[3];
        EACH(i, D) {
            xs[i] = x[i * U + u];
            vs[i] = (flags & KDR_FIELD_VELOCITY) ? v[i * U + u] : v_set1(0);
            sum[i] = a[i * U + u];
        }
        const kdr_at now = fused_at(c, terms, p, e, at + u, D, t);
        kdr_field_add(&now, xs, vs, sum, D);
        EACH(i, D) { a[i * U + u] = sum[i]; }
    }
}

INLINE void fused_fields(const constants *c, unsigned terms, const lanes *p, int at, int D, int U, real t, const vr *x, const vr *v,
                         vr *a) {
    const bool wanted = (terms & KDR_TERM_FUSED) && !(terms & KDR_TERM_LATE); /* it contributes by average */
    if (wanted && !(terms & KDR_TERM_FUSED_SEVERAL)) {
        fused_entry(c, terms, p, 0, at, D, U, t, x, v, a);
    } else if (wanted) {
        for (int e = 0; e < c->fused_entries; ++e) {
            fused_entry(c, terms, p, e, at, D, U, t, x, v, a);
        }
    }
}
#else
#define KDR_FIELD_FLAGS 0
#define KDR_FIELD_ACCELERATION 0
#define fused_fields(c, terms, p, at, D, U, t, x, v, a) (void)0
#endif

/* Of the chunk that begins with vector `at` of the tile; and its slopes, unless `slope` is NULL. */
INLINE void acceleration_and_slope(const constants *c, unsigned terms, const lanes *p, int at, int D, int U, const real *base, const vr *x,
                                   const vr *v, vr *a, real th, vr *slope) {
    const bool masses = (terms & KDR_TERM_MASS) != 0, late = (terms & KDR_TERM_LATE) != 0;
    EACH(i, D) {
        const vr start = v_set1(masses ? c->f[i] : base[i]);
        EACH(u, U) { a[i * U + u] = start; }
    }
    if (terms & KDR_TERM_STIFFNESS) {
        EACH(i, D) {
            const vr kx = v_set1(c->kx[i]);
            EACH(u, U) { a[i * U + u] = mul_add(kx, x[i * U + u], a[i * U + u]); }
        }
    }
    if (terms & KDR_TERM_DAMPING) {
        EACH(i, D) {
            const vr kv = v_set1(c->kv[i]);
            EACH(u, U) { a[i * U + u] = mul_add(kv, v[i * U + u], a[i * U + u]); }
        }
    }
    if (D > 1 && (terms & KDR_TERM_MAGNETIC)) {
        magnetic_force(c, D, U, v, a);
    }
    if (slope) {
        slope_begin(c, terms, p, at, D, U, th, slope);
    }
    if (terms & (KDR_TERM_SPRINGS | KDR_TERM_DRAGS | KDR_TERM_QUADRATIC)) {
        forces_in_memory(c, terms, p, at, D, U, x, v, a, slope);
    }
    if (!((KDR_FIELD_FLAGS)&KDR_FIELD_ACCELERATION)) {
        fused_fields(c, terms, p, at, D, U, base[3], x, v, a);
    }
    if (masses) {
        EACH(u, U) {
            const vr w = part(p->inverse_mass, at + u);
            EACH(i, D) { a[i * U + u] = mul_add(w, a[i * U + u], v_set1(base[i])); }
        }
        if (slope) {
            slope_masses(p, at, D, U, slope);
        }
    }
    if (D == 1 && (terms & KDR_TERM_CENTRES)) {
        vr xs[CHUNK_MAX], sum[CHUNK_MAX];
        EACH(u, U) {
            xs[u] = x[u];
            sum[u] = a[u];
        }
        centre_accelerations_in_memory(c, late, U, xs, sum, th, slope);
        EACH(u, U) { a[u] = sum[u]; }
    } else if (terms & KDR_TERM_CENTRES) {
        centre_accelerations(c, late, D, U, x, a, th, slope);
    }
    if ((KDR_FIELD_FLAGS)&KDR_FIELD_ACCELERATION) {
        fused_fields(c, terms, p, at, D, U, base[3], x, v, a);
    }
}

#ifdef KDR_FIELD_FILE
/* Of one vector, for any mask of terms: not inlined, or dozens of copies of the caller's field, and of every other, would take most of a
 * minute to compile. */
#define ACCELERATION_OF(D)                                                                                                                 \
    static NOINLINE void acceleration_of_##D(const constants *c, unsigned terms, const lanes *p, int at, const real *base, const vr *x,    \
                                             const vr *v, vr *a) {                                                                         \
        acceleration_and_slope(c, terms, p, at, D, 1, base, x, v, a, 0, NULL);                                                             \
    }
ACCELERATION_OF(1)
ACCELERATION_OF(2)
ACCELERATION_OF(3)

INLINE void acceleration_one_by_one(const constants *c, unsigned terms, const lanes *p, int at, int D, int U, const real *base, const vr *x,
                                    const vr *v, vr *a) {
    EACH(u, U) {
        vr xs[3], vs[3], as[3];
        EACH(i, D) {
            xs[i] = x[i * U + u];
            vs[i] = v[i * U + u];
        }
        (D == 1 ? acceleration_of_1 : D == 2 ? acceleration_of_2 : acceleration_of_3)(c, terms, p, at + u, base, xs, vs, as);
        EACH(i, D) { a[i * U + u] = as[i]; }
    }
}
#endif

INLINE void acceleration(const constants *c, unsigned terms, const lanes *p, int at, int D, int U, const real *base, const vr *x,
                         const vr *v, vr *a) {
#ifdef KDR_FIELD_FILE
    if (!__builtin_constant_p(terms)) {
        acceleration_one_by_one(c, terms, p, at, D, U, base, x, v, a);
        return;
    }
#endif
    acceleration_and_slope(c, terms, p, at, D, U, base, x, v, a, 0, NULL);
}
