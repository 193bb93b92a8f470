/* The terms of a field, each an operation that adds to a row of forces or accelerations, in the order that force/field.h sets. */

/* What the affine terms begin with, and what becomes of them: base; f; f, and last base + w F. */
enum { FROM_BASE, FROM_FORCE, WITH_MASS };

INLINE void affine_chunk(int n, int U, int kind, bool springs, bool drags, vr start, vr base, vr kx, vr kv, char *a, const char *x,
                         const char *v, const char *w) {
    EACH(u, U) {
        vr sum = start;
        sum = springs ? mul_add(kx, get(x, n + u), sum) : sum;
        sum = drags ? mul_add(kv, get(v, n + u), sum) : sum;
        put(a, n + u, kind == WITH_MASS ? mul_add(get(w, n + u), sum, base) : sum);
    }
}

INLINE void affine(kdr_tile *tile, const kdr_instruction *line, int kind, bool springs, bool drags) {
    const int D = tile->dims;
    const real *const c = numbers(tile, line->number), *const base = base_of(tile, line);
    const char *const w = kind == WITH_MASS ? column(tile, line->other) : NULL;
    for (int i = 0; i < D; ++i) {
        const vr constant = v_set1(base[i]), start = kind == FROM_BASE ? constant : v_set1(c[i]);
        const vr kx = v_set1(c[D + i]), kv = v_set1(c[2 * D + i]);
        IN_CHUNKS(tile->vectors, affine_chunk, kind, springs, drags, start, constant, kx, kv, column(tile, line->out + (unsigned)i),
                  column(tile, line->x + (unsigned)i), column(tile, line->v + (unsigned)i), w);
    }
}

#define AFFINE(name, kind, springs, drags)                                                                                                 \
    static void op_##name(kdr_tile *tile, const kdr_instruction *line) { affine(tile, line, kind, springs, drags); }
AFFINE(uniform, FROM_BASE, false, false)
AFFINE(spring, FROM_BASE, true, false)
AFFINE(drag, FROM_BASE, false, true)
AFFINE(spring_drag, FROM_BASE, true, true)
AFFINE(force_uniform, FROM_FORCE, false, false)
AFFINE(force_spring, FROM_FORCE, true, false)
AFFINE(force_drag, FROM_FORCE, false, true)
AFFINE(force_spring_drag, FROM_FORCE, true, true)
AFFINE(mass_uniform, WITH_MASS, false, false)
AFFINE(mass_spring, WITH_MASS, true, false)
AFFINE(mass_drag, WITH_MASS, false, true)
AFFINE(mass_spring_drag, WITH_MASS, true, true)

INLINE void magnetic_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    const real *const m = numbers(tile, line->number);
    const vr mx = v_set1(m[0]), my = v_set1(m[1]), mz = v_set1(m[2]);
    const vr minus_mx = v_set1(-m[0]), minus_my = v_set1(-m[1]), minus_mz = v_set1(-m[2]);
    char *const out = column(tile, line->out);
    const char *const speed = column(tile, line->v);
    const int T = tile->vectors;
    for (int n = 0; n < T; ++n) {
        vr v[3], force[3];
        EACH(i, D) {
            v[i] = get(speed, i * T + n);
            force[i] = get(out, i * T + n);
        }
        if (D >= 2) {
            force[0] = mul_add(mz, v[1], force[0]);
        }
        if (D == 3) {
            force[0] = mul_add(minus_my, v[2], force[0]);
            force[1] = mul_add(mx, v[2], force[1]);
        }
        if (D >= 2) {
            force[1] = mul_add(minus_mz, v[0], force[1]);
        }
        if (D == 3) {
            force[2] = mul_add(my, v[0], force[2]);
            force[2] = mul_add(minus_mx, v[1], force[2]);
        }
        EACH(i, D) { put(out, i * T + n, force[i]); }
    }
}

static void op_magnetic(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, magnetic_on, tile, line); }

/* An array a particle where there is a column for it, else one value for all. */
INLINE vr each_or(const kdr_tile *tile, unsigned index, int n, real value) {
    return index == KDR_NO_COLUMN ? v_set1(value) : get(column(tile, index), n);
}

static void op_springs(kdr_tile *tile, const kdr_instruction *line) {
    for (int s = 0; s < line->count; ++s) {
        const uint16_t *const list = tile->list + line->list + 4 * s;
        const real *const c = numbers(tile, line->number + 6U * (unsigned)s);
        for (int i = 0; i < tile->dims; ++i) {
            char *const out = column(tile, line->out + (unsigned)i);
            const char *const x = column(tile, line->x + (unsigned)i);
            for (int n = 0; n < tile->vectors; ++n) {
                const vr k = each_or(tile, list[0], n, c[i]), anchor = each_or(tile, list[1 + i], n, c[3 + i]);
                put(out, n, mul_add(k, v_sub(anchor, get(x, n)), get(out, n)));
            }
        }
    }
}

static void op_drags(kdr_tile *tile, const kdr_instruction *line) {
    for (int d = 0; d < line->count; ++d) {
        const char *const b = column(tile, tile->list[line->list + d]);
        const real *const wind = numbers(tile, line->number + 3U * (unsigned)d);
        for (int i = 0; i < tile->dims; ++i) {
            char *const out = column(tile, line->out + (unsigned)i);
            const char *const v = column(tile, line->v + (unsigned)i);
            const vr speed = v_set1(wind[i]);
            for (int n = 0; n < tile->vectors; ++n) {
                put(out, n, mul_add(get(b, n), v_sub(speed, get(v, n)), get(out, n)));
            }
        }
    }
}

INLINE void quadratic_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    char *const out = column(tile, line->out);
    const char *const v = column(tile, line->v);
    const int T = tile->vectors;
    for (int q = 0; q < line->count; ++q) {
        const real *const c = numbers(tile, line->number + 4U * (unsigned)q);
        const vr minus_c = v_set1(c[0]);
        vr wind[3];
        EACH(i, D) { wind[i] = v_set1(c[1 + i]); }
        for (int n = 0; n < T; ++n) {
            vr slip[3], square = v_set1(0);
            EACH(i, D) {
                slip[i] = v_sub(get(v, i * T + n), wind[i]);
                square = i == 0 ? v_mul(slip[i], slip[i]) : mul_add(slip[i], slip[i], square);
            }
            const vr factor = v_mul(minus_c, v_sqrt(square));
            EACH(i, D) { put(out, i * T + n, mul_add(factor, slip[i], get(out, i * T + n))); }
        }
    }
}

static void op_quadratic(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, quadratic_on, tile, line); }

static void op_mass(kdr_tile *tile, const kdr_instruction *line) {
    const real *const base = base_of(tile, line);
    const char *const w = column(tile, line->other);
    for (int i = 0; i < tile->dims; ++i) {
        char *const out = column(tile, line->out + (unsigned)i);
        const vr constant = v_set1(base[i]);
        for (int n = 0; n < tile->vectors; ++n) {
            put(out, n, mul_add(get(w, n), get(out, n), constant));
        }
    }
}

INLINE void centres_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    char *const out = column(tile, line->out);
    const char *const x = column(tile, line->x);
    const int T = tile->vectors;
    for (int s = 0; s < line->count; ++s) {
        const real *const c = numbers(tile, line->number + 5U * (unsigned)s);
        const vr minus_mu = v_set1(c[0]), softening2 = v_set1(c[1]);
        vr at[3];
        EACH(i, D) { at[i] = v_set1(c[2 + i]); }
        for (int n = 0; n < T; ++n) {
            vr r[3], square = softening2;
            EACH(i, D) {
                r[i] = v_sub(get(x, i * T + n), at[i]);
                square = mul_add(r[i], r[i], square);
            }
            const vr factor = v_div(minus_mu, v_mul(square, v_sqrt(square)));
            EACH(i, D) { put(out, i * T + n, mul_add(factor, r[i], get(out, i * T + n))); }
        }
    }
}

static void op_centres(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, centres_on, tile, line); }
