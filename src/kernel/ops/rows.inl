/* Operations that treat every component of a row alike.
 *
 * A loop goes through a row of D axes as one array, with 2 loads, an fma and a store per vector, and is limited by the stores. It
 * handles AT_ONCE independent vectors per iteration. */

enum { AT_ONCE = 4 };

/* Calls body(n, U, ...) for the vectors [n, n + U) of `count`. The arguments must be local variables, because a pointer in the tile
 * would be loaded again after every store. */
#define IN_CHUNKS(count, body, ...)                                                                                                        \
    do {                                                                                                                                   \
        const int count_ = (count);                                                                                                        \
        int n_ = 0;                                                                                                                        \
        for (; n_ + AT_ONCE <= count_; n_ += AT_ONCE) {                                                                                    \
            body(n_, AT_ONCE, __VA_ARGS__);                                                                                                \
        }                                                                                                                                  \
        for (; n_ < count_; ++n_) {                                                                                                        \
            body(n_, 1, __VA_ARGS__);                                                                                                      \
        }                                                                                                                                  \
    } while (0)

/* Computes y += increment. In a compensated run c becomes the rounding error of the sum, at 6 additions more (Knuth, TAOCP 4.2.2). The
 * increment already includes the previous c. */
INLINE void add_increment(bool compensated, vr increment, vr *y, vr *c) {
    const vr sum = v_add(*y, increment);
    if (compensated) {
        const vr taken = v_sub(sum, *y);
        *c = v_add(v_sub(*y, v_sub(sum, taken)), v_sub(increment, taken));
    }
    *y = sum;
}

static void op_copy(kdr_tile *tile, const kdr_instruction *line) {
    for (int row = 0; row < line->count; ++row) {
        const unsigned first = (unsigned)(row * tile->dims);
        memcpy(column(tile, line->out + first), column(tile, line->x + first), (size_t)tile->dims * tile->column);
    }
}

static void op_zero(kdr_tile *tile, const kdr_instruction *line) { memset(column(tile, line->out), 0, (size_t)tile->dims * tile->column); }

INLINE void advance_chunk(int n, int U, char *y, const char *x, vr c) {
    EACH(u, U) { put(y, n + u, mul_add(c, get(x, n + u), get(y, n + u))); }
}

static void op_advance(kdr_tile *tile, const kdr_instruction *line) {
    char *const y = column(tile, line->out), *const x = column(tile, line->x);
    const vr c = v_set1(*numbers(tile, line->number));
    IN_CHUNKS(tile->dims * tile->vectors, advance_chunk, y, x, c);
}

/* Advances a compensated sum. A float's number is c + finer. The increment itself is rounded to a grid, and where c is a power of two it
 * lies on that grid, so finer parts would be lost at every step. The rounding error of the increment is therefore carried too, at 4
 * operations more. */
INLINE void advance_compensated(vr c, vr finer, vr rate, vr *sum, vr *rest) {
    const bool narrow = sizeof(real) == sizeof(float);
    const vr carried = narrow ? mul_add(finer, rate, *rest) : *rest, increment = mul_add(c, rate, carried);
    *rest = carried;
    add_increment(true, increment, sum, rest);
    *rest = narrow ? v_add(*rest, v_add(mul_add(c, rate, v_sub(v_set1(0), increment)), carried)) : *rest;
}

INLINE void compensated_chunk(int n, int U, char *y, const char *x, char *lost, vr c, vr finer) {
    EACH(u, U) {
        vr sum = get(y, n + u), rest = get(lost, n + u);
        advance_compensated(c, finer, get(x, n + u), &sum, &rest);
        put(y, n + u, sum);
        put(lost, n + u, rest);
    }
}

static void op_advance_compensated(kdr_tile *tile, const kdr_instruction *line) {
    char *const y = column(tile, line->out), *const x = column(tile, line->x), *const lost = column(tile, line->other);
    const vr c = v_set1(*numbers(tile, line->number)), finer = v_set1(*numbers(tile, line->list));
    IN_CHUNKS(tile->dims * tile->vectors, compensated_chunk, y, x, lost, c, finer);
}

INLINE void kick_drift_chunk(int n, int U, char *x, char *v, const char *a, vr kick, vr drift) {
    EACH(u, U) {
        const vr faster = mul_add(kick, get(a, n + u), get(v, n + u));
        put(v, n + u, faster);
        put(x, n + u, mul_add(drift, faster, get(x, n + u)));
    }
}

static void op_kick_drift(kdr_tile *tile, const kdr_instruction *line) {
    const real *const c = numbers(tile, line->number);
    char *const x = column(tile, line->out), *const v = column(tile, line->v), *const a = column(tile, line->other);
    const vr kick = v_set1(c[0]), drift = v_set1(c[1]);
    IN_CHUNKS(tile->dims * tile->vectors, kick_drift_chunk, x, v, a, kick, drift);
}

/* Collects the addresses of the rows of a list. */
enum { MOST_TERMS = KDR_MAX_STAGES };

INLINE int rows_of(const kdr_tile *tile, const kdr_instruction *line, const char *row[MOST_TERMS]) {
    for (int j = 0; j < line->count; ++j) {
        row[j] = column(tile, tile->list[line->list + j] & KDR_NO_COLUMN);
    }
    return line->count;
}

INLINE void sum_chunk(int n, int U, char *out, const char *y, const char *const *row, int count, const real *c) {
    vr sum[AT_ONCE];
    EACH(u, U) { sum[u] = get(y, n + u); }
    for (int j = 0; j < count; ++j) {
        const vr factor = v_set1(c[j]);
        EACH(u, U) { sum[u] = mul_add(factor, get(row[j], n + u), sum[u]); }
    }
    EACH(u, U) { put(out, n + u, sum[u]); }
}

static void op_sum(kdr_tile *tile, const kdr_instruction *line) {
    const char *row[MOST_TERMS];
    const int count = rows_of(tile, line, row), vectors = tile->dims * tile->vectors;
    const real *const c = numbers(tile, line->number);
    char *const out = column(tile, line->out), *const y = column(tile, line->x);
    switch (count) {
    case 1:
        IN_CHUNKS(vectors, sum_chunk, out, y, row, 1, c);
        break;
    case 2:
        IN_CHUNKS(vectors, sum_chunk, out, y, row, 2, c);
        break;
    default:
        IN_CHUNKS(vectors, sum_chunk, out, y, row, count, c);
    }
}

/* Adds one weighed term. Neighbours of equal weight are first added up in `run`: a bit of `joins` says that a row has the weight of the
 * one before. */
INLINE void weigh_term(int n, int U, const char *const *row, unsigned joins, int j, const real *ratio, vr *run, vr *sum) {
    EACH(u, U) { run[u] = joins >> j & 1 ? v_add(run[u], get(row[j], n + u)) : get(row[j], n + u); }
    if (joins >> (j + 1) & 1) {
        return;
    }
    const vr r = v_set1(ratio[j]);
    const bool begins = (joins & ((2U << j) - 1)) == (2U << j) - 2; /* all terms before this one join it */
    EACH(u, U) { sum[u] = begins ? v_mul(r, run[u]) : mul_add(r, run[u], sum[u]); }
}

/* Weighs all terms. With `is_shape`, joins and count are constants after inlining. */
INLINE void weigh_chunk(int n, int U, const char *const *row, bool is_shape, unsigned joins, int count, const real *ratio, vr *sum) {
    vr run[AT_ONCE];
    EACH(u, U) { run[u] = sum[u] = v_set1(0); }
    if (is_shape) {
        EACH(j, count) { weigh_term(n, U, row, joins, j, ratio, run, sum); }
        return;
    }
    for (int j = 0; j < count; ++j) {
        weigh_term(n, U, row, joins, j, ratio, run, sum);
    }
}

INLINE unsigned joins_of(const kdr_tile *tile, const kdr_instruction *line) {
    unsigned joins = 0;
    for (int j = 0; j < line->count; ++j) {
        joins |= tile->list[line->list + j] & KDR_JOINS ? 1U << j : 0;
    }
    return joins;
}

INLINE void weigh_into(int n, int U, char *out, const char *const *row, unsigned joins, int count, const real *ratio) {
    vr sum[AT_ONCE];
    weigh_chunk(n, U, row, false, joins, count, ratio, sum);
    EACH(u, U) { put(out, n + u, sum[u]); }
}

static void op_weigh(kdr_tile *tile, const kdr_instruction *line) {
    const char *row[MOST_TERMS];
    const int count = rows_of(tile, line, row);
    const unsigned joins = joins_of(tile, line);
    const real *const ratio = numbers(tile, line->number);
    char *const out = column(tile, line->out);
    IN_CHUNKS(tile->dims * tile->vectors, weigh_into, out, row, joins, count, ratio);
}

INLINE void weigh_onto(int n, int U, char *out, const char *const *row, bool is_shape, unsigned joins, int count, const real *c) {
    vr sum[AT_ONCE];
    weigh_chunk(n, U, row, is_shape, joins, count, c + 1, sum);
    const vr scale = v_set1(c[0]);
    EACH(u, U) { put(out, n + u, mul_add(scale, sum[u], get(out, n + u))); }
}

/* Common shapes are constants: weights 1 2 2 1 and 1 3 3 1, 1 1, and two, three or four unequal neighbours. */
static void op_weigh_advance(kdr_tile *tile, const kdr_instruction *line) {
    const char *row[MOST_TERMS];
    const int count = rows_of(tile, line, row), vectors = tile->dims * tile->vectors;
    const unsigned joins = joins_of(tile, line);
    real c[MOST_TERMS + 1];
    memcpy(c, numbers(tile, line->number), (size_t)(count + 1) * sizeof(real));
    char *const out = column(tile, line->out);
    if (count == 4 && joins == 4) {
        IN_CHUNKS(vectors, weigh_onto, out, row, true, 4, 4, c);
    } else if (count == 2 && joins == 2) {
        IN_CHUNKS(vectors, weigh_onto, out, row, true, 2, 2, c);
    } else if (count == 2 && joins == 0) {
        IN_CHUNKS(vectors, weigh_onto, out, row, true, 0, 2, c);
    } else if (count == 3 && joins == 0) {
        IN_CHUNKS(vectors, weigh_onto, out, row, true, 0, 3, c);
    } else if (count == 4 && joins == 0) {
        IN_CHUNKS(vectors, weigh_onto, out, row, true, 0, 4, c);
    } else {
        IN_CHUNKS(vectors, weigh_onto, out, row, false, joins, count, c);
    }
}

/* Updates the error estimate: the largest size on any axis, and of the previous estimate; NaN once a size is not finite. Held particles
 * have made no step. */
static void op_estimate(kdr_tile *tile, const kdr_instruction *line) {
    char *const error = column(tile, line->out);
    const char *const sum = column(tile, line->v), *const held = line->other != KDR_NO_COLUMN ? column(tile, line->other) : NULL;
    const vr scale = v_set1(*numbers(tile, line->number)), zero = v_set1(0);
    for (int n = 0; n < tile->vectors; ++n) {
        const vr before = get(error, n);
        vr largest = before, nothing = v_sub(before, before);
        for (int i = 0; i < tile->dims; ++i) {
            const vr value = v_mul(scale, get(sum, i * tile->vectors + n)), size = v_select(v_less(value, zero), v_sub(zero, value), value);
            largest = v_select(v_at_most(size, largest), largest, size);
            nothing = v_add(nothing, v_sub(size, size));
        }
        largest = v_add(largest, nothing);
        put(error, n, held ? v_select(v_less(zero, get(held, n)), before, largest) : largest);
    }
}

static void op_push(kdr_tile *tile, const kdr_instruction *line) {
    const real *const base = base_of(tile, line);
    const bool compensated = line->other != KDR_NO_COLUMN;
    for (int i = 0; i < tile->dims; ++i) {
        char *const y = column(tile, line->out + (unsigned)i), *const lost = compensated ? column(tile, line->other + (unsigned)i) : NULL;
        const vr step = v_set1(base[i]);
        for (int n = 0; n < tile->vectors; ++n) {
            vr sum = get(y, n), rest = compensated ? get(lost, n) : v_set1(0);
            add_increment(compensated, compensated ? v_add(rest, step) : step, &sum, &rest);
            put(y, n, sum);
            if (compensated) {
                put(lost, n, rest);
            }
        }
    }
}

/* Makes a step of Stormer-Verlet, x_{n+1} = 2 x_n - x_{n-1} + h^2 a_n; during a run v holds x_{n-1}. The sum is x_n + ((x_n - x_{n-1}) +
 * h^2 a_n). The difference is exact if x changes by at most half its size, and the increment, before it is rounded into a position,
 * gives the velocity. */
INLINE void multistep_chunk(int n, int U, char *x, char *v, const char *a, vr square) {
    EACH(u, U) {
        const vr here = get(x, n + u);
        put(x, n + u, v_add(here, mul_add(square, get(a, n + u), v_sub(here, get(v, n + u)))));
        put(v, n + u, here);
    }
}

static void op_multistep(kdr_tile *tile, const kdr_instruction *line) {
    char *const x = column(tile, line->x), *const v = column(tile, line->v), *const a = column(tile, line->other);
    const vr square = v_set1(*numbers(tile, line->number));
    IN_CHUNKS(tile->dims * tile->vectors, multistep_chunk, x, v, a, square);
}

/* Replaces v_0 by x_{-1} = x_0 + (h^2/2 a_0 - h v_0). */
static void op_multistep_start(kdr_tile *tile, const kdr_instruction *line) {
    char *const x = column(tile, line->x), *const v = column(tile, line->v), *const a = column(tile, line->other);
    const real *const c = numbers(tile, line->number);
    for (int n = 0; n < tile->dims * tile->vectors; ++n) {
        put(v, n, v_add(get(x, n), mul_add(v_set1(c[1]), get(a, n), v_mul(v_set1(c[0]), get(v, n)))));
    }
}

/* Computes v_n = (x_{n+1} - x_{n-1}) / 2h with x_{n+1} = x_n + increment, not rounded to a position; x_{n-1} goes to a. */
static void op_multistep_end(kdr_tile *tile, const kdr_instruction *line) {
    char *const x = column(tile, line->x), *const v = column(tile, line->v), *const a = column(tile, line->other);
    const real *const c = numbers(tile, line->number);
    for (int n = 0; n < tile->dims * tile->vectors; ++n) {
        const vr before = get(v, n), last = v_sub(get(x, n), before);
        put(v, n, v_div(v_add(last, mul_add(v_set1(c[0]), get(a, n), last)), v_set1(c[1])));
        put(a, n, before);
    }
}

/* Returns the tiny elements. They are rare, so vectors without any are not stored. */
INLINE vm is_nothing(vr value) { return v_less(magnitude(value), v_set1(NOTHING)); }

INLINE void flush_chunk(int n, int U, char *y, char *lost) {
    vm any = m_none();
    EACH(u, U) { any = m_or(any, is_nothing(get(y, n + u))); }
    if (!m_any(any)) {
        return;
    }
    EACH(u, U) {
        const vm found = is_nothing(get(y, n + u));
        put(y, n + u, v_select(found, v_set1(0), get(y, n + u)));
        if (lost) {
            put(lost, n + u, v_select(found, v_set1(0), get(lost, n + u)));
        }
    }
}

static void flush_small(char *y, char *lost, int vectors) { IN_CHUNKS(vectors, flush_chunk, y, lost); }

static void op_flush_small(kdr_tile *tile, const kdr_instruction *line) {
    const int vectors = tile->dims * tile->vectors;
    const bool compensated = line->other != KDR_NO_COLUMN;
    if ((tile->step + 1) % KDR_FLUSH_STEPS != 0) {
        return;
    }
    flush_small(column(tile, line->x), compensated ? column(tile, line->other) : NULL, vectors);
    flush_small(column(tile, line->v), compensated ? column(tile, line->other + (unsigned)tile->dims) : NULL, vectors);
    if (line->out != KDR_NO_COLUMN) {
        flush_small(column(tile, line->out), NULL, vectors);
    }
}

static void take(char *to, const char *from, size_t bytes, size_t column) {
    size_t at = 0;
    for (; at + sizeof(vr) <= bytes; at += sizeof(vr)) {
        v_store(to + at, v_load(from + at));
    }
    if (at < column) {
        real last;
        memcpy(&last, from + bytes - sizeof last, sizeof last);
        for (; at < column; at += sizeof(vr)) {
            const int left = at < bytes ? (int)((bytes - at) / sizeof(real)) : 0;
            v_store(to + at, left > 0 ? v_load_first(from + at, left, v_set1(last)) : v_set1(last));
        }
    }
}

/* Copies vectors; where the inverse mass is 0, stores the old value. */
static void hold(char *to, const char *from, const char *old, const char *inverse_mass, size_t vectors) {
    for (size_t n = 0; n < vectors; ++n) {
        const size_t at = n * sizeof(vr);
        v_store(to + at, v_select_zero(v_load(inverse_mass + at), v_load(old + at), v_load(from + at)));
    }
}
