/* The derivatives of a field that an implicit method needs, and the solution of its equations: method/rows_implicit.h has the formulas
 * and the order of operations.
 *
 * The symmetric part has D (D + 1) / 2 columns: element (i, i) in column i, and those off the diagonal in OFF_DIAGONAL(i, j, D). */
#define OFF_DIAGONAL(i, j, D) ((D) + (i) + (j) - 1)

/* Returns the address of element (i, j) of vector n. */
INLINE char *element(const kdr_tile *tile, unsigned row, int D, int i, int j, int n) {
    return column(tile, row + (unsigned)(i * D + j)) + (size_t)n * sizeof(vr);
}

/* Adds the affine terms. `x` is the number th, `number` those of the terms; `v` and `list` belong to springs, `evaluation` and `other`
 * to drags. */
static void op_jacobian(kdr_tile *tile, const kdr_instruction *line) {
    const int D = tile->dims;
    const real th = *numbers(tile, line->x);
    const real *const kx = numbers(tile, line->number) + D, *const kv = kx + D;
    memset(column(tile, line->out), 0, (size_t)(D * (D + 1) / 2) * tile->column);
    for (int i = 0; i < D; ++i) {
        char *const out = column(tile, line->out + (unsigned)i);
        const vr start = mul_add(v_set1(th), v_set1(kx[i]), v_set1(kv[i]));
        for (int n = 0; n < tile->vectors; ++n) {
            vr sum = start;
            for (int s = 0; s < line->count; ++s) {
                const vr k =
                    each_or(each_of(tile, tile->list[line->list + 4 * s]), n, v_set1(numbers(tile, line->v + 6U * (unsigned)s)[i]));
                sum = mul_add(v_set1(-th), k, sum);
            }
            for (int d = 0; d < line->evaluation; ++d) {
                sum = v_sub(sum, get(column(tile, tile->list[line->other + d]), n));
            }
            put(out, n, sum);
        }
    }
}

/* Adds e y y^T to vector n. */
INLINE void add_dyad(int D, const kdr_tile *tile, unsigned row, int n, vr e, const vr y[3]) {
    EACH(i, D) {
        const vr ey = v_mul(e, y[i]);
        EACH(j, D) {
            if (i <= j) {
                char *const out = column(tile, row + (unsigned)(i == j ? i : OFF_DIAGONAL(i, j, D)));
                put(out, n, mul_add(ey, y[j], get(out, n)));
            }
        }
    }
}

INLINE void jacobian_quadratic_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    const char *const v = column(tile, line->v);
    char *const out = column(tile, line->out);
    const int T = tile->vectors;
    const bool fused = fused_roots(tile->job->fused_roots);
    for (int q = 0; q < line->count; ++q) {
        const real *const c = numbers(tile, line->number + 4U * (unsigned)q);
        const vr minus_c = v_set1(c[0]);
        for (int n = 0; n < T; ++n) {
            vr slip[3], square = v_set1(0);
            EACH(i, D) {
                slip[i] = v_sub(get(v, i * T + n), v_set1(c[1 + i]));
                square = i == 0 ? v_mul(slip[i], slip[i]) : mul_add(slip[i], slip[i], square);
            }
            const vr size = root(fused, square), factor = v_mul(minus_c, size);
            EACH(i, D) { put(out, i * T + n, v_add(get(out, i * T + n), factor)); }
            add_dyad(D, tile, line->out, n, v_select_zero(size, v_set1(0), v_div(minus_c, size)), slip);
        }
    }
}

static void op_jacobian_quadratic(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, jacobian_quadratic_on, tile, line); }

static void op_jacobian_mass(kdr_tile *tile, const kdr_instruction *line) {
    const char *const w = column(tile, line->other);
    for (int i = 0; i < tile->dims * (tile->dims + 1) / 2; ++i) {
        char *const out = column(tile, line->out + (unsigned)i);
        for (int n = 0; n < tile->vectors; ++n) {
            put(out, n, v_mul(get(out, n), get(w, n)));
        }
    }
}

/* Adds the centres; `v` is the number th. */
INLINE void jacobian_centres_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    const real th = *numbers(tile, line->v);
    const char *const x = column(tile, line->x);
    char *const out = column(tile, line->out);
    const int T = tile->vectors;
    const bool fused = fused_roots(tile->job->fused_roots);
    for (int s = 0; s < line->count; ++s) {
        const real *const c = numbers(tile, line->number + 5U * (unsigned)s);
        for (int n = 0; n < T; ++n) {
            vr r[3], square = v_set1(c[1]);
            EACH(i, D) {
                r[i] = v_sub(get(x, i * T + n), v_set1(c[2 + i]));
                square = mul_add(r[i], r[i], square);
            }
            vr factor;
            over_cubes(fused && suits_roots(c[0]), 1, v_set1(c[0]), &square, &factor);
            EACH(i, D) { put(out, i * T + n, mul_add(v_set1(th), factor, get(out, i * T + n))); }
            add_dyad(D, tile, line->out, n, v_div(v_mul(v_set1((real)-3 * th), factor), square), r);
        }
    }
}

static void op_jacobian_centres(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, jacobian_centres_on, tile, line); }

/* Makes the whole matrix of the symmetric part and the magnetic term. `count`: 1 with a magnetic term, plus 2 with masses. */
INLINE void jacobian_whole_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    const bool masses = (line->count & 2) != 0;
    const real *const m = numbers(tile, line->number);
    for (int n = 0; n < tile->vectors; ++n) {
        vr g[3][3];
        EACH(i, D) {
            EACH(j, D) { g[i][j] = get(column(tile, line->x + (unsigned)(i == j ? i : OFF_DIAGONAL(i, j, D))), n); }
        }
        if (D > 1 && (line->count & 1)) {
            const vr w = masses ? get(column(tile, line->other), n) : v_set1(1);
            EACH(i, D) {
                EACH(j, D) {
                    if (i < j) {
                        const vr across = v_set1(m[3 - i - j]), skew = masses ? v_mul(across, w) : across;
                        const vr sum = v_add(g[i][j], skew), difference = v_sub(g[i][j], skew);
                        g[i][j] = j == i + 1 ? sum : difference;
                        g[j][i] = j == i + 1 ? difference : sum;
                    }
                }
            }
        }
        EACH(i, D) {
            EACH(j, D) { v_store(element(tile, line->out, D, i, j, n), g[i][j]); }
        }
    }
}

static void op_jacobian_whole(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, jacobian_whole_on, tile, line); }

INLINE void jacobian_blocks_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    for (int n = 0; n < tile->vectors; ++n) {
        EACH(i, D) {
            EACH(j, D) {
                char *const out = element(tile, line->out, D, i, j, n);
                v_store(out, v_add(v_load(out), get(column(tile, line->x + (unsigned)(i == j ? i : OFF_DIAGONAL(i, j, D))), n)));
            }
        }
    }
}

static void op_jacobian_blocks(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, jacobian_blocks_on, tile, line); }

typedef struct matrix {
    vr e[3][3];
} matrix;

/* J = 1 - th G: its diagonal, and th G. */
typedef struct stage_matrix {
    vr d[3];
    matrix b;
} stage_matrix;

INLINE stage_matrix stage_matrix_of(int D, real th, const matrix *g) {
    stage_matrix m;
    EACH(i, D) {
        m.d[i] = mul_add(v_set1(-th), g->e[i][i], v_set1(1));
        EACH(j, D) { m.b.e[i][j] = v_mul(v_set1(th), g->e[i][j]); }
    }
    return m;
}

INLINE vr minus(vr a) { return v_mul(v_set1(-1), a); }

/* Returns its cofactors, and its determinant. */
INLINE matrix cofactors_of(int D, const stage_matrix *m, vr *det) {
    const vr *const d = m->d;
    const vr(*const b)[3] = m->b.e;
    matrix cofactor;
    if (D == 1) {
        cofactor.e[0][0] = v_set1(1);
        *det = d[0];
    } else if (D == 2) {
        cofactor.e[0][0] = d[1];
        cofactor.e[0][1] = b[0][1];
        cofactor.e[1][0] = b[1][0];
        cofactor.e[1][1] = d[0];
        *det = mul_add(d[0], d[1], v_mul(minus(b[0][1]), b[1][0]));
    } else {
        EACH(i, 3) {
            const int j = (i + 1) % 3, k = (i + 2) % 3, low = j < k ? j : k, high = j < k ? k : j;
            cofactor.e[i][i] = mul_add(d[j], d[k], v_mul(minus(b[low][high]), b[high][low]));
            cofactor.e[i][j] = mul_add(b[i][j], d[k], v_mul(b[i][k], b[k][j]));
            cofactor.e[i][k] = mul_add(b[i][k], d[j], v_mul(b[i][j], b[j][k]));
        }
        *det = mul_add(d[0], cofactor.e[0][0], mul_add(minus(b[0][1]), cofactor.e[1][0], v_mul(minus(b[0][2]), cofactor.e[2][0])));
    }
    return cofactor;
}

INLINE matrix load_matrix(const kdr_tile *tile, unsigned row, int D, int n) {
    matrix g;
    EACH(i, D) {
        EACH(j, D) { g.e[i][j] = v_load(element(tile, row, D, i, j, n)); }
    }
    return g;
}

/* Replaces G by J^-1; only the diagonal if axes are independent. */
INLINE void inverse_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    const real step = *numbers(tile, line->number);
    for (int n = 0; n < tile->vectors; ++n) {
        const matrix g = load_matrix(tile, line->out, D, n);
        const stage_matrix m = stage_matrix_of(D, step, &g);
        if (line->count & KDR_SOLVE_SEPARATE) {
            EACH(i, D) { v_store(element(tile, line->out, D, i, i, n), v_div(v_set1(1), m.d[i])); }
        } else {
            vr det;
            const matrix cofactor = cofactors_of(D, &m, &det);
            EACH(i, D) {
                EACH(j, D) { v_store(element(tile, line->out, D, i, j, n), v_div(cofactor.e[i][j], det)); }
            }
        }
    }
}

static void op_inverse(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, inverse_on, tile, line); }

/* Multiplies by J^-1. If all particles share J, its first vector serves all. */
INLINE void solve_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    const char *const r = column(tile, line->x);
    char *const out = column(tile, line->out);
    const int T = tile->vectors;
    for (int n = 0; n < T; ++n) {
        const int w = (line->count & KDR_SOLVE_EACH) ? n : 0;
        vr from[3];
        EACH(j, D) { from[j] = get(r, j * T + n); }
        EACH(i, D) {
            vr sum = v_mul(v_load(element(tile, line->other, D, i, 0, w)), from[0]);
            EACH(j, D - 1) { sum = mul_add(v_load(element(tile, line->other, D, i, j + 1, w)), from[j + 1], sum); }
            put(out, i * T + n, sum);
        }
    }
}

INLINE void solve_chunk(int n, int U, char *out, const char *r, const char *inverse, bool each) {
    EACH(u, U) { put(out, n + u, v_mul(get(inverse, each ? n + u : 0), get(r, n + u))); }
}

static void solve_separate(const kdr_tile *tile, const kdr_instruction *line) {
    const bool each = (line->count & KDR_SOLVE_EACH) != 0;
    for (int i = 0; i < tile->dims; ++i) {
        const char *const inverse = element(tile, line->other, tile->dims, i, i, 0), *const r = column(tile, line->x + (unsigned)i);
        char *const out = column(tile, line->out + (unsigned)i);
        IN_CHUNKS(tile->vectors, solve_chunk, out, r, inverse, each);
    }
}

static void op_solve(kdr_tile *tile, const kdr_instruction *line) {
    if (line->count & KDR_SOLVE_SEPARATE) {
        solve_separate(tile, line);
        return;
    }
    ON_AXES(tile, solve_on, tile, line);
}
