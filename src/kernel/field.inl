/* The acceleration of a tile in the folded field, in the order that force/field.h sets.
 *
 * A tile holds `T` vectors of particles on `D` axes: element [i * T + t] of a tile's array is vector t on axis i. D and T are constants
 * where these functions are inlined; the mask of terms is a run-time value that is the same for all steps, so its branches cost nothing
 * that could be measured. */

/* The field's constants, rounded to the unit's precision. */
typedef struct constants {
    int springs, drags, quadratics, centres;
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
} constants;

/* Where a tile's particles lie: every pointer is at the tile's first particle. */
typedef struct lanes {
    char *x[3], *v[3], *memory[3];
    const char *inverse_mass;
    const char *k_each[KDR_MAX_EACH], *at_each[KDR_MAX_EACH][3], *b_each[KDR_MAX_EACH];
} lanes;

/* Constants of axes [first, first + D), moved to [0, D). */
static void constants_make(const kdr_job *job, int first, int axes, constants *c) {
    const kdr_field *const field = job->field;
    c->springs = field->springs;
    c->drags = field->drags;
    c->quadratics = field->quadratics;
    c->centres = field->centres;
    for (int i = 0; i < axes; ++i) {
        c->f[i] = (real)field->f[first + i];
        c->kx[i] = (real)field->kx[first + i];
        c->kv[i] = (real)field->kv[first + i];
        for (int s = 0; s < c->springs; ++s) {
            c->spring[s].k[i] = (real)field->spring[s].k[first + i];
            c->spring[s].at[i] = (real)field->spring[s].at[first + i];
        }
        for (int d = 0; d < c->drags; ++d) {
            c->wind[d][i] = (real)field->drag[d].wind[first + i];
        }
        for (int q = 0; q < c->quadratics; ++q) {
            c->quadratic[q].minus_c = (real)field->quadratic[q].minus_c;
            c->quadratic[q].wind[i] = (real)field->quadratic[q].wind[first + i];
        }
        for (int s = 0; s < c->centres; ++s) {
            c->centre[s].minus_mu = (real)field->centre[s].minus_mu;
            c->centre[s].softening2 = (real)field->centre[s].softening2;
            c->centre[s].at[i] = (real)field->centre[s].at[first + i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        c->magnetic[i] = (real)field->magnetic[i];
    }
}

INLINE vr part(const char *array, int t) {
    return v_load(array + (size_t)t * sizeof(vr));
}

INLINE void magnetic_force(const constants *c, int D, int T, const vr *v, vr *force) {
    const vr mx = v_set1(c->magnetic[0]), my = v_set1(c->magnetic[1]), mz = v_set1(c->magnetic[2]);
    const vr minus_mx = v_set1(-c->magnetic[0]), minus_my = v_set1(-c->magnetic[1]), minus_mz = v_set1(-c->magnetic[2]);
    EACH(t, T) {
        if (D >= 2) {
            force[t] = mul_add(mz, v[T + t], force[t]);
        }
        if (D == 3) {
            force[t] = mul_add(minus_my, v[2 * T + t], force[t]);
            force[T + t] = mul_add(mx, v[2 * T + t], force[T + t]);
        }
        if (D >= 2) {
            force[T + t] = mul_add(minus_mz, v[t], force[T + t]);
        }
        if (D == 3) {
            force[2 * T + t] = mul_add(my, v[t], force[2 * T + t]);
            force[2 * T + t] = mul_add(minus_mx, v[T + t], force[2 * T + t]);
        }
    }
}

INLINE void array_forces(const constants *c, const lanes *p, int D, int T, const vr *x, const vr *v, vr *force) {
    for (int s = 0; s < c->springs; ++s) {
        EACH(i, D) {
            EACH(t, T) {
                const vr k = p->k_each[s] ? part(p->k_each[s], t) : v_set1(c->spring[s].k[i]);
                const vr at = p->at_each[s][i] ? part(p->at_each[s][i], t) : v_set1(c->spring[s].at[i]);
                force[i * T + t] = mul_add(k, v_sub(at, x[i * T + t]), force[i * T + t]);
            }
        }
    }
    for (int d = 0; d < c->drags; ++d) {
        EACH(i, D) {
            const vr wind = v_set1(c->wind[d][i]);
            EACH(t, T) {
                force[i * T + t] = mul_add(part(p->b_each[d], t), v_sub(wind, v[i * T + t]), force[i * T + t]);
            }
        }
    }
}

INLINE void quadratic_drags(const constants *c, int D, int T, const vr *v, vr *force) {
    for (int q = 0; q < c->quadratics; ++q) {
        const vr minus_c = v_set1(c->quadratic[q].minus_c);
        EACH(t, T) {
            vr u[3];
            u[0] = v_sub(v[t], v_set1(c->quadratic[q].wind[0]));
            vr square = v_mul(u[0], u[0]);
            for (int i = 1; i < D; ++i) {
                u[i] = v_sub(v[i * T + t], v_set1(c->quadratic[q].wind[i]));
                square = mul_add(u[i], u[i], square);
            }
            const vr factor = v_mul(minus_c, v_sqrt(square));
            EACH(i, D) {
                force[i * T + t] = mul_add(factor, u[i], force[i * T + t]);
            }
        }
    }
}

INLINE void centre_accelerations(const constants *c, int D, int T, const vr *x, vr *a) {
    for (int s = 0; s < c->centres; ++s) {
        const vr minus_mu = v_set1(c->centre[s].minus_mu);
        EACH(t, T) {
            vr r[3], square = v_set1(c->centre[s].softening2);
            EACH(i, D) {
                r[i] = v_sub(x[i * T + t], v_set1(c->centre[s].at[i]));
                square = mul_add(r[i], r[i], square);
            }
            const vr factor = v_div(minus_mu, v_mul(square, v_sqrt(square)));
            EACH(i, D) {
                a[i * T + t] = mul_add(factor, r[i], a[i * T + t]);
            }
        }
    }
}

INLINE void acceleration(const constants *c, unsigned terms, const lanes *p, int D, int T, const real *base, const vr *x, const vr *v, vr *a) {
    const bool masses = (terms & KDR_TERM_MASS) != 0;
    EACH(i, D) {
        const vr start = v_set1(masses ? c->f[i] : base[i]);
        EACH(t, T) {
            a[i * T + t] = start;
        }
    }
    if (terms & KDR_TERM_STIFFNESS) {
        EACH(i, D) {
            const vr kx = v_set1(c->kx[i]);
            EACH(t, T) {
                a[i * T + t] = mul_add(kx, x[i * T + t], a[i * T + t]);
            }
        }
    }
    if (terms & KDR_TERM_DAMPING) {
        EACH(i, D) {
            const vr kv = v_set1(c->kv[i]);
            EACH(t, T) {
                a[i * T + t] = mul_add(kv, v[i * T + t], a[i * T + t]);
            }
        }
    }
    if (D > 1 && (terms & KDR_TERM_MAGNETIC)) {
        magnetic_force(c, D, T, v, a);
    }
    if (terms & (KDR_TERM_SPRINGS | KDR_TERM_DRAGS)) {
        array_forces(c, p, D, T, x, v, a);
    }
    if (terms & KDR_TERM_QUADRATIC) {
        quadratic_drags(c, D, T, v, a);
    }
    if (masses) {
        EACH(t, T) {
            const vr w = part(p->inverse_mass, t);
            EACH(i, D) {
                a[i * T + t] = mul_add(w, a[i * T + t], v_set1(base[i]));
            }
        }
    }
    if (terms & KDR_TERM_CENTRES) {
        centre_accelerations(c, D, T, x, a);
    }
}
