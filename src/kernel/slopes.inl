/* The passes of Runge-Kutta methods: a stage from the slopes before it, and their sum. Included by passes.inl.
 *
 * They are bound by loads and stores, as long as nothing else is in the way: rows that are used much have instances whose numbers of terms
 * and ratios are constants. All others go through loops over terms, whose addresses each chunk loads anew. */

/* A chunk of elements of an array, in place or padded. */
enum { CHUNK_VECTORS = 4, CHUNK = CHUNK_VECTORS * LANES };

/* The chunk of `count` elements that begins with element i; whole chunks are not copied. */
INLINE const char *chunk_at(const void *array, size_t i, size_t count, real store[CHUNK]) {
    if (count == CHUNK) {
        return element(array, i);
    }
    memcpy(store, element(array, i), count * sizeof(real));
    for (size_t n = count; n < CHUNK; ++n) {
        store[n] = store[count - 1];
    }
    return (const char *)store;
}

INLINE void chunk_load(const void *array, size_t i, size_t count, vr out[CHUNK_VECTORS]) {
    real store[CHUNK];
    const char *const from = chunk_at(array, i, count, store);
    EACH(u, CHUNK_VECTORS) { out[u] = v_load(from + (size_t)u * sizeof(vr)); }
}

/* Stores; where an inverse mass is 0, `old`. */
INLINE void chunk_store(void *array, const void *w, size_t i, size_t count, const vr old[CHUNK_VECTORS], vr value[CHUNK_VECTORS]) {
    if (w) {
        vr masses[CHUNK_VECTORS];
        chunk_load(w, i, count, masses);
        EACH(u, CHUNK_VECTORS) { value[u] = v_select_zero(masses[u], old[u], value[u]); }
    }
    if (count == CHUNK) {
        EACH(u, CHUNK_VECTORS) { v_store(element(array, i) + (size_t)u * sizeof(vr), value[u]); }
        return;
    }
    real store[CHUNK];
    EACH(u, CHUNK_VECTORS) { v_store((char *)store + (size_t)u * sizeof(vr), value[u]); }
    memcpy(element(array, i), store, count * sizeof(real));
}

INLINE void stage_chunk(const kdr_stage_pass *p, size_t i, size_t count) {
    vr y[CHUNK_VECTORS], out[CHUNK_VECTORS], k[CHUNK_VECTORS];
    chunk_load(p->y, i, count, y);
    EACH(u, CHUNK_VECTORS) { out[u] = y[u]; }
    for (int j = 0; j < p->terms; ++j) {
        const vr factor = v_set1((real)p->factor[j]);
        chunk_load(p->slope[j], i, count, k);
        EACH(u, CHUNK_VECTORS) { out[u] = mul_add(factor, k[u], out[u]); }
    }
    chunk_store(p->out, p->w, i, count, y, out);
}

static void stage_any(const kdr_stage_pass *p, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i += CHUNK) {
        stage_chunk(p, i, end - i < CHUNK ? end - i : CHUNK);
    }
}

/* Instances work on copies of addresses and factors: for all a compiler knows a store might change the originals. */
INLINE void stage_constant(const kdr_stage_pass *p, int terms, bool masses, size_t begin, size_t end) {
    const char *const y = p->y, *const w = p->w, *slope[KDR_MAX_STAGES];
    char *const out = p->out;
    vr factor[KDR_MAX_STAGES];
    EACH(j, terms) {
        slope[j] = p->slope[j];
        factor[j] = v_set1((real)p->factor[j]);
    }
    for (size_t i = begin; i < end; i += CHUNK) {
        vr old[CHUNK_VECTORS], next[CHUNK_VECTORS];
        EACH(u, CHUNK_VECTORS) { old[u] = next[u] = v_load(element(y, i + (size_t)u * LANES)); }
        EACH(j, terms) {
            EACH(u, CHUNK_VECTORS) { next[u] = mul_add(factor[j], v_load(element(slope[j], i + (size_t)u * LANES)), next[u]); }
        }
        EACH(u, CHUNK_VECTORS) {
            const size_t at = i + (size_t)u * LANES;
            v_store(element(out, at), masses ? v_select_zero(v_load(element(w, at)), old[u], next[u]) : next[u]);
        }
    }
}

typedef void stage_fn(const kdr_stage_pass *p, size_t begin, size_t end);

#define STAGE(terms)                                                                                                                       \
    static NOINLINE void stage_##terms(const kdr_stage_pass *p, size_t begin, size_t end) { stage_constant(p, terms, false, begin, end); } \
    static NOINLINE void stage_##terms##_masses(const kdr_stage_pass *p, size_t begin, size_t end) {                                       \
        stage_constant(p, terms, true, begin, end);                                                                                        \
    }
STAGE(1)
STAGE(2)
STAGE(3)
STAGE(4)
STAGE(5)

static void stage(const kdr_stage_pass *p, size_t begin, size_t end) {
    static stage_fn *const of_terms[][2] = {{stage_any, stage_any},    {stage_1, stage_1_masses}, {stage_2, stage_2_masses},
                                            {stage_3, stage_3_masses}, {stage_4, stage_4_masses}, {stage_5, stage_5_masses}};
    enum { INSTANCES = sizeof of_terms / sizeof *of_terms };
    const size_t whole = end - (end - begin) % CHUNK;
    (p->terms < INSTANCES ? of_terms[p->terms][p->w != NULL] : stage_any)(p, begin, whole);
    stage_any(p, whole, end);
}

/* Neighbours of equal ratio are added up first; the first product of the sum is rounded. */
INLINE void sum_chunk(const kdr_sum_pass *p, size_t i, size_t count) {
    vr y[CHUNK_VECTORS], out[CHUNK_VECTORS], run[CHUNK_VECTORS], k[CHUNK_VECTORS], sum[CHUNK_VECTORS];
    EACH(u, CHUNK_VECTORS) { sum[u] = run[u] = v_set1(0); }
    bool begun = false;
    for (int j = 0; j < p->stages; ++j) {
        const double ratio = p->ratio[j];
        if (ratio == 0.0) {
            continue;
        }
        const bool joins = j > 0 && p->ratio[j - 1] == ratio, ends = j + 1 == p->stages || p->ratio[j + 1] != ratio;
        chunk_load(p->slope[j], i, count, k);
        EACH(u, CHUNK_VECTORS) { run[u] = joins ? v_add(run[u], k[u]) : k[u]; }
        if (ends) {
            const vr factor = v_set1((real)ratio);
            EACH(u, CHUNK_VECTORS) { sum[u] = begun ? mul_add(factor, run[u], sum[u]) : v_mul(factor, run[u]); }
            begun = true;
        }
    }
    chunk_load(p->y, i, count, y);
    const vr factor = v_set1((real)p->factor);
    EACH(u, CHUNK_VECTORS) { out[u] = mul_add(factor, sum[u], y[u]); }
    chunk_store(p->y, p->w, i, count, y, out);
}

static void sum_any(const kdr_sum_pass *p, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i += CHUNK) {
        sum_chunk(p, i, end - i < CHUNK ? end - i : CHUNK);
    }
}

/* What instances know of the ratios: which of them are 0, which are 1, and which are equal to the one before. The values of a shape
 * stand for that alone. */
static bool has_shape(int stages, const double *ratio, int shape_stages, const double *shape) {
    bool same = stages == shape_stages;
    for (int j = 0; same && j < stages; ++j) {
        same = (ratio[j] == 0.0) == (shape[j] == 0.0) && (ratio[j] == 1.0) == (shape[j] == 1.0) &&
               (j == 0 || (ratio[j] == ratio[j - 1]) == (shape[j] == shape[j - 1]));
    }
    return same;
}

/* The sum of one vector: where a ratio is 1 a product is left out. */
INLINE vr weighed(const double *shape, int stages, const vr *ratio, const vr *k) {
    vr sum = v_set1(0), run = sum;
    bool begun = false;
    EACH(j, stages) {
        const bool joins = j > 0 && shape[j > 0 ? j - 1 : 0] == shape[j];
        const bool ends = shape[j] != 0.0 && (j + 1 == stages || shape[j + 1] != shape[j]);
        run = joins ? v_add(run, k[j]) : k[j];
        if (ends && shape[j] == 1.0) {
            sum = begun ? v_add(sum, run) : run;
        } else if (ends) {
            sum = begun ? mul_add(ratio[j], run, sum) : v_mul(ratio[j], run);
        }
        begun = begun || ends;
    }
    return sum;
}

INLINE void sum_constant(const kdr_sum_pass *p, const double *shape, int stages, bool masses, size_t begin, size_t end) {
    const char *const w = p->w, *slope[KDR_MAX_STAGES];
    char *const y = p->y;
    vr ratio[KDR_MAX_STAGES];
    EACH(j, stages) {
        slope[j] = p->slope[j];
        ratio[j] = v_set1((real)p->ratio[j]);
    }
    const vr factor = v_set1((real)p->factor);
    for (size_t i = begin; i < end; i += CHUNK) {
        EACH(u, CHUNK_VECTORS) {
            const size_t at = i + (size_t)u * LANES;
            const vr old = v_load(element(y, at));
            vr k[KDR_MAX_STAGES];
            EACH(j, stages) { k[j] = v_load(element(slope[j], at)); }
            const vr next = mul_add(factor, weighed(shape, stages, ratio, k), old);
            v_store(element(y, at), masses ? v_select_zero(v_load(element(w, at)), old, next) : next);
        }
    }
}

typedef void sum_fn(const kdr_sum_pass *p, size_t begin, size_t end);

#define SUM(name, stages, ...)                                                                                                             \
    static const double name##_shape[stages] = {__VA_ARGS__};                                                                              \
    static NOINLINE void name(const kdr_sum_pass *p, size_t begin, size_t end) {                                                           \
        sum_constant(p, name##_shape, stages, false, begin, end);                                                                          \
    }                                                                                                                                      \
    static NOINLINE void name##_masses(const kdr_sum_pass *p, size_t begin, size_t end) {                                                  \
        sum_constant(p, name##_shape, stages, true, begin, end);                                                                           \
    }
SUM(sum_1_1, 2, 1, 1)
SUM(sum_1_2, 2, 1, 2)
SUM(sum_1_2_1, 3, 1, 2, 1)
SUM(sum_2_3_2, 3, 2, 3, 2)
SUM(sum_1_2_2_1, 4, 1, 2, 2, 1)
SUM(sum_2_3_3_2, 4, 2, 3, 3, 2)

static void sum(const kdr_sum_pass *p, size_t begin, size_t end) {
    static const struct {
        int stages;
        const double *shape;
        sum_fn *sums[2];
    } instances[] = {{2, sum_1_1_shape, {sum_1_1, sum_1_1_masses}},
                     {2, sum_1_2_shape, {sum_1_2, sum_1_2_masses}},
                     {3, sum_1_2_1_shape, {sum_1_2_1, sum_1_2_1_masses}},
                     {3, sum_2_3_2_shape, {sum_2_3_2, sum_2_3_2_masses}},
                     {4, sum_1_2_2_1_shape, {sum_1_2_2_1, sum_1_2_2_1_masses}},
                     {4, sum_2_3_3_2_shape, {sum_2_3_3_2, sum_2_3_3_2_masses}}};
    sum_fn *run = sum_any;
    for (size_t n = 0; n < sizeof instances / sizeof *instances; ++n) {
        if (has_shape(p->stages, p->ratio, instances[n].stages, instances[n].shape)) {
            run = instances[n].sums[p->w != NULL];
        }
    }
    const size_t whole = end - (end - begin) % CHUNK;
    run(p, begin, whole);
    sum_any(p, whole, end);
}
