/* The rotation by a magnetic field, in the order that method/rows_special.h sets. */

/* A number and its rounding error. */
typedef struct twofold {
    vr hi, lo;
} twofold;

/* Returns a + b exactly (Knuth, TAOCP 4.2.2). */
INLINE twofold exact_sum(vr a, vr b) {
    const vr sum = v_add(a, b);
    const vr taken = v_sub(sum, a);
    return (twofold){sum, v_add(v_sub(a, v_sub(sum, taken)), v_sub(b, taken))};
}

/* Returns the upper half of the digits (Veltkamp). */
INLINE vr upper_half(vr a) {
    const vr c = v_mul(v_set1(SPLITTER), a);
    return v_sub(c, v_sub(c, a));
}

/* Returns a b exactly: by one fma, or by halves of the factors, whose products are exact (Dekker, Numer. Math. 18 (1971) 224). */
INLINE twofold exact_product(vr a, vr b) {
    const vr product = v_mul(a, b);
#ifdef KDR_UNIT_FUSED
    return (twofold){product, v_fused(a, b, v_sub(v_set1(0), product))};
#else
    const vr ah = upper_half(a), bh = upper_half(b), al = v_sub(a, ah), bl = v_sub(b, bh);
    const vr most = v_sub(v_mul(ah, bh), product);
    return (twofold){product, v_add(v_add(v_add(most, v_mul(ah, bl)), v_mul(al, bh)), v_mul(al, bl))};
#endif
}

/* Returns kappa = 2 / (1 + t.t); square[i] is t_i t_i. */
INLINE twofold rotation_kappa(const twofold square[3]) {
    const vr two = v_set1(2);
    const twofold a = exact_sum(v_set1(1), square[0].hi), b = exact_sum(a.hi, square[1].hi), c = exact_sum(b.hi, square[2].hi);
    const vr lost = v_add(v_add(v_add(a.lo, b.lo), c.lo), v_add(v_add(square[0].lo, square[1].lo), square[2].lo));
    const vr kappa = v_div(two, c.hi);
    const twofold back = exact_product(kappa, c.hi);
    const vr rest = v_sub(v_sub(v_sub(two, back.hi), back.lo), v_mul(kappa, lost));
    return (twofold){kappa, v_div(rest, c.hi)};
}

/* Stores kappa x: the upper half of its digits, then the rest. */
INLINE void rotation_element(twofold kappa, twofold x, vr out[2]) {
    const twofold product = exact_product(kappa.hi, x.hi);
    const vr lost = v_add(product.lo, v_add(v_mul(kappa.hi, x.lo), v_mul(kappa.lo, x.hi)));
    out[0] = upper_half(product.hi);
    out[1] = v_add(v_sub(product.hi, out[0]), lost);
}

/* Computes the matrix of the rotation minus 1: kappa (T + T T) with T v = v cross t. */
INLINE void rotation_make(const vr t[3], vr out[3][3][2]) {
    const vr zero = v_set1(0);
    twofold square[3];
    EACH(i, 3) { square[i] = exact_product(t[i], t[i]); }
    const twofold kappa = rotation_kappa(square);
    EACH(i, 3) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const twofold sum = exact_sum(square[j].hi, square[k].hi);
        const vr lost = v_add(sum.lo, v_add(square[j].lo, square[k].lo));
        rotation_element(kappa, (twofold){v_sub(zero, sum.hi), v_sub(zero, lost)}, out[i][i]);
        const twofold product = exact_product(t[i], t[j]);
        const twofold above = exact_sum(product.hi, t[k]), below = exact_sum(product.hi, v_sub(zero, t[k]));
        rotation_element(kappa, (twofold){above.hi, v_add(above.lo, product.lo)}, out[i][j]);
        rotation_element(kappa, (twofold){below.hi, v_add(below.lo, product.lo)}, out[j][i]);
    }
}

/* Loads element (i, j) of R - 1, which is two columns: the upper half of its digits, and the rest. */
INLINE vr half_element(const kdr_tile *tile, unsigned row, int D, int i, int j, int half, int n) {
    return get(column(tile, row + (unsigned)(2 * (i * D + j) + half)), n);
}

/* Returns half the angle about axis i, for vector n: shared by all particles, by inverse mass, or by a row of fields, which in a plane
 * is the component across. */
INLINE vr half_angle(const kdr_tile *tile, const kdr_instruction *line, int i, int n) {
    const real *const c = numbers(tile, line->number);
    if (line->count >= KDR_TURN_FIELD) {
        const int axis = tile->dims == 3 ? i : i - 2;
        return axis < 0 ? v_set1(0) : v_mul(get(column(tile, line->x + (unsigned)axis), n), v_set1(c[0]));
    }
    return line->count == KDR_TURN_MASS ? v_mul(get(column(tile, line->other), n), v_set1(c[i])) : v_set1(c[i]);
}

static void op_rotation(kdr_tile *tile, const kdr_instruction *line) {
    const int D = tile->dims;
    const vr part = v_set1(line->count == KDR_TURN_HALF ? (real)0.5 : 1);
    for (int n = 0; n < (line->count ? tile->vectors : 1); ++n) {
        vr t[3], out[3][3][2];
        EACH(i, 3) { t[i] = half_angle(tile, line, i, n); }
        rotation_make(t, out);
        for (int i = 0; i < D; ++i) {
            for (int j = 0; j < D; ++j) {
                put(column(tile, line->out + (unsigned)(2 * (i * D + j))), n, v_mul(part, out[i][j][0]));
                put(column(tile, line->out + (unsigned)(2 * (i * D + j) + 1)), n, v_mul(part, out[i][j][1]));
            }
        }
    }
}

/* Returns a row of R - 1 times v, lower halves of digits first. In a compensated run it includes the compensation. */
INLINE vr turn_along(int D, vr row[3][2], const vr *v, bool compensated, vr lost) {
    vr turn = compensated ? mul_add(row[0][1], v[0], lost) : v_mul(row[0][1], v[0]);
    EACH(j, D - 1) { turn = mul_add(row[j + 1][1], v[j + 1], turn); }
    EACH(j, D) { turn = mul_add(row[j][0], v[j], turn); }
    return turn;
}

/* Makes a step of Boris for all particles, which share the matrix. `turned` has, for each element, the upper half of its digits and the
 * rest. */
INLINE void boris_on(const kdr_tile *tile, const kdr_instruction *line, bool springs, bool turns) {
    const sum_of f = {.kind = FROM_BASE, .springs = springs};
    const real *const c = numbers(tile, line->number), *const base = base_of(tile, line);
    const vr half = v_set1(*numbers(tile, tile->list[line->list]));
    char *const at = column(tile, line->x), *const speed = column(tile, line->v);
    const int T = tile->vectors;
    affine_terms t[3];
    vr turned[3][3][2];
    EACH(i, 3) {
        t[i] = terms_of(FROM_BASE, 3, i, c, base);
        EACH(j, 3) {
            EACH(k, 2) { turned[i][j][k] = turns ? half_element(tile, line->other, 3, i, j, k, 0) : half; }
        }
    }
    for (int n = 0; n < T; ++n) {
        vr x[3], v[3], a[3];
        EACH(i, 3) {
            v[i] = get(speed, i * T + n);
            x[i] = mul_add(half, v[i], get(at, i * T + n));
        }
        rate_at(3, f, NULL, t, half, x, v, a);
        EACH(i, 3) { v[i] = mul_add(half, a[i], v[i]); }
        if (turns) {
            const vr old[3] = {v[0], v[1], v[2]};
            EACH(i, 3) { v[i] = v_add(old[i], turn_along(3, turned[i], old, false, half)); }
        }
        EACH(i, 3) {
            v[i] = mul_add(half, a[i], v[i]);
            put(speed, i * T + n, v[i]);
            put(at, i * T + n, mul_add(half, v[i], x[i]));
        }
    }
}

INLINE void boris(const kdr_tile *tile, const kdr_instruction *line, bool springs) {
    if (line->other == KDR_NO_COLUMN) {
        boris_on(tile, line, springs, false);
    } else {
        boris_on(tile, line, springs, true);
    }
}

static void op_base_boris(kdr_tile *tile, const kdr_instruction *line) { boris(tile, line, false); }

static void op_base_boris_spring(kdr_tile *tile, const kdr_instruction *line) { boris(tile, line, true); }

/* No method that rotates velocities accepts drags. The codes exist, because each form of a sum has four, in the order of their masks. */
#define op_base_boris_drag NULL
#define op_base_boris_spring_drag NULL

INLINE void turn_on(int D, const kdr_tile *tile, const kdr_instruction *line, bool compensated) {
    char *const v = column(tile, line->v), *const lost = compensated ? column(tile, line->other) : NULL;
    const int T = tile->vectors;
    for (int n = 0; n < T; ++n) {
        const int w = line->count ? n : 0;
        vr old[3];
        EACH(i, D) { old[i] = get(v, i * T + n); }
        EACH(i, D) {
            vr row[3][2], speed = old[i], rest = compensated ? get(lost, i * T + n) : v_set1(0);
            EACH(j, D) {
                EACH(k, 2) { row[j][k] = half_element(tile, line->x, D, i, j, k, w); }
            }
            add_increment(compensated, turn_along(D, row, old, compensated, rest), &speed, &rest);
            put(v, i * T + n, speed);
            if (compensated) {
                put(lost, i * T + n, rest);
            }
        }
    }
}

static void op_turn(kdr_tile *tile, const kdr_instruction *line) {
    if (line->other == KDR_NO_COLUMN) {
        ON_AXES(tile, turn_on, tile, line, false);
    } else {
        ON_AXES(tile, turn_on, tile, line, true);
    }
}

/* Returns element i of u in the unit of the instruction's numbers. */
INLINE vr unit_momentum(const kdr_tile *tile, const kdr_instruction *line, int i, int n) {
    return v_mul(get(column(tile, line->v + (unsigned)i), n), v_set1(numbers(tile, line->number)[1]));
}

/* Returns 1 + q u.u for vector n. */
INLINE vr gamma_square(const kdr_tile *tile, const kdr_instruction *line, int n) {
    vr square = v_set1(0);
    for (int i = 0; i < tile->dims; ++i) {
        const vr u = unit_momentum(tile, line, i, n);
        square = i == 0 ? v_mul(u, u) : mul_add(u, u, square);
    }
    return mul_add(v_set1(*numbers(tile, line->number)), square, v_set1(1));
}

static void op_velocity(kdr_tile *tile, const kdr_instruction *line) {
    for (int n = 0; n < tile->vectors; ++n) {
        const vr inverse = v_div(v_set1(1), v_sqrt(gamma_square(tile, line, n)));
        for (int i = 0; i < tile->dims; ++i) {
            put(column(tile, line->out + (unsigned)i), n, v_mul(get(column(tile, line->v + (unsigned)i), n), inverse));
        }
    }
}

#ifdef KDR_UNIT_F32
#define MEAN_LARGE 0x1p62F
#define MEAN_UNIT 0x1p64F
#else
#define MEAN_LARGE 0x1p510
#define MEAN_UNIT 0x1p512
#endif

/* Returns the square of gamma at the mean of u, whose own is `square`, and the rotated u, by half angles t = (h/2) m. The equation is
 * divided by a power of two if its squares would overflow. */
INLINE vr mean_square(const kdr_tile *tile, const kdr_instruction *line, vr square, int n) {
    const real *const c = numbers(tile, line->number);
    const vr zero = v_set1(0);
    vr along = zero, tangent = zero;
    for (int i = 0; i < (tile->dims == 3 ? 3 : 1); ++i) {
        const vr t = v_mul(get(column(tile, line->out + (unsigned)i), n), v_set1(c[2])), u = unit_momentum(tile, line, i, n);
        along = tile->dims == 2 ? zero : i == 0 ? v_mul(u, t) : mul_add(u, t, along);
        tangent = i == 0 ? v_mul(t, t) : mul_add(t, t, tangent);
    }
    const vm large = v_less(v_set1(MEAN_LARGE), v_add(square, tangent));
    const vr unit = v_select(large, v_set1(MEAN_UNIT), v_set1(1)), share = v_select(large, v_set1(1 / MEAN_UNIT), v_set1(1));
    const vr part = v_mul(along, share);
    const vr s = v_mul(v_sub(square, tangent), share), d = mul_add(v_mul(v_set1(c[0]), part), part, v_mul(v_mul(tangent, share), share));
    const vr r = v_sqrt(mul_add(s, s, v_mul(v_set1(4), d)));
    return v_mul(v_select(v_less(s, zero), v_div(v_add(d, d), v_sub(r, s)), v_mul(v_set1((real)0.5), v_add(s, r))), unit);
}

static void op_slow(kdr_tile *tile, const kdr_instruction *line) {
    for (int n = 0; n < tile->vectors; ++n) {
        const vr own = gamma_square(tile, line, n), square = line->count ? mean_square(tile, line, own, n) : own;
        const vr inverse = v_div(v_set1(1), v_sqrt(square));
        for (int i = 0; i < (tile->dims == 3 ? 3 : 1); ++i) {
            char *const m = column(tile, line->out + (unsigned)i);
            put(m, n, v_mul(get(m, n), inverse));
        }
    }
}
