/* The map of affine motion, in the order that method/rows_kinematic.h sets. For D coupled axes, or for an independent one with D = 1, it
 * has MAP_SIZE(D) numbers: for each row the factors of v, those of x, and the constant; rows of x come before those of v. */
#define MAP_SIZE(D) (2 * (D) * (2 * (D) + 1))

/* Collects the parameters of one particle from the columns of per-particle arrays. */
static void parameters_of(const kdr_tile *tile, const kdr_instruction *line, size_t lane, kdr_affine_each *each) {
    const kdr_field *const field = tile->job->field;
    real value;
    memset(each, 0, sizeof *each);
#define TAKE(to, index) (memcpy(&value, column(tile, index) + lane * sizeof value, sizeof value), (to) = (double)value)
    if (line->other != KDR_NO_COLUMN) {
        TAKE(each->w, line->other);
    }
    for (int s = 0; s < field->springs; ++s) {
        const uint16_t *const list = tile->list + line->list + 4 * s;
        if (list[0] != KDR_NO_COLUMN) {
            TAKE(each->k[s], list[0]);
        }
        for (int i = 0; i < tile->dims; ++i) {
            if (list[1 + i] != KDR_NO_COLUMN) {
                TAKE(each->at[s][i], list[1 + i]);
            }
        }
    }
    for (int d = 0; d < field->drags; ++d) {
        TAKE(each->b[d], tile->list[line->x + d]);
    }
#undef TAKE
}

/* Rounds a map's rows on D axes from `first` on. */
static void round_rows(const kdr_affine_map *map, int first, int D, real *out) {
    for (int row = 0; row < 2 * D; ++row) {
        const kdr_affine_row *const from = row < D ? &map->x[first + row] : &map->v[first + row - D];
        for (int j = 0; j < D; ++j) {
            *out++ = (real)from->v[first + j];
        }
        for (int j = 0; j < D; ++j) {
            *out++ = (real)from->x[first + j];
        }
        *out++ = (real)from->q;
    }
}

/* Makes the maps of vector n's particles on independent axes, all lanes at once. */
static void maps_of_axes(kdr_tile *tile, const kdr_instruction *line, double span, int n) {
    const kdr_job *const job = tile->job;
    kdr_affine_each each[LANES];
    for (size_t lane = 0; lane < LANES; ++lane) {
        parameters_of(tile, line, (size_t)n * LANES + lane, &each[lane]);
    }
    for (int i = 0; i < tile->dims; ++i) {
        kdr_axis_rates rates;
        double made[MAP_SIZE(1)][KDR_AXIS_LANES];
        for (int lane = 0; lane < LANES; ++lane) {
            job->axis_rates(job->field, job->terms, &each[lane], i, lane, &rates);
        }
        job->maps(&rates, LANES, span, made);
        for (int e = 0; e < MAP_SIZE(1); ++e) {
            real element[LANES];
            for (int lane = 0; lane < LANES; ++lane) {
                element[lane] = (real)made[e][lane];
            }
            put(column(tile, line->out + (unsigned)(i * MAP_SIZE(1) + e)), n, v_load(element));
        }
    }
}

/* Makes the maps of vector n's particles one by one, if axes are coupled or contributions are added up. Equal neighbours share a map. */
static void maps_one_by_one(kdr_tile *tile, const kdr_instruction *line, double span, int n) {
    const kdr_job *const job = tile->job;
    const bool coupled = (line->count & KDR_MAP_COUPLED) != 0;
    const int size = coupled ? MAP_SIZE(tile->dims) : tile->dims * MAP_SIZE(1);
    real elements[MAP_SIZE(3)][LANES], rows[MAP_SIZE(3)];
    kdr_affine_each each, last;
    for (int lane = 0; lane < LANES; ++lane) {
        parameters_of(tile, line, (size_t)n * LANES + (size_t)lane, &each);
        if (lane == 0 || memcmp(&each, &last, sizeof each) != 0) {
            kdr_affine_map map;
            if (coupled) {
                job->map_axes(job->contributions, job->field, job->terms, &each, tile->dims, span, &map);
                round_rows(&map, 0, tile->dims, rows);
            }
            for (int i = 0; i < tile->dims && !coupled; ++i) {
                job->map_axis(job->contributions, job->field, job->terms, &each, i, span, &map);
                round_rows(&map, i, 1, rows + i * MAP_SIZE(1));
            }
            last = each;
        }
        for (int e = 0; e < size; ++e) {
            elements[e][lane] = rows[e];
        }
    }
    for (int e = 0; e < size; ++e) {
        put(column(tile, line->out + (unsigned)e), n, v_load(elements[e]));
    }
}

static void op_maps(kdr_tile *tile, const kdr_instruction *line) {
    const double span = tile->h * tile->job->row->data.kinematic->span;
    const bool alone = (line->count & KDR_MAP_COUPLED) || tile->job->contributions;
    for (int n = 0; n < tile->vectors; ++n) {
        (alone ? maps_one_by_one : maps_of_axes)(tile, line, span, n);
    }
}

/* Adds a row's increment to *y. m has the factors of D values each of v and of x. */
INLINE void map_apply(int D, unsigned marks, const vr *m, const vr *v, const vr *x, vr *y, vr *c) {
    const bool springs = (marks & KDR_MAP_SPRINGS) != 0, compensated = (marks & KDR_MAP_COMPENSATED) != 0;
    const bool offset = (marks & KDR_MAP_OFFSET) != 0;
    if (!(marks & KDR_MAP_COUPLED) && !compensated && !offset) {
        *y = mul_add(m[0], v[0], *y);
        *y = springs ? mul_add(m[1], x[0], *y) : *y;
        return;
    }
    vr sum = offset ? m[2 * D] : v_set1(0);
    if (compensated) {
        sum = offset ? v_add(*c, sum) : *c;
    }
    const bool begun = offset || compensated;
    EACH(j, D) { sum = j == 0 && !begun ? v_mul(m[0], v[0]) : mul_add(m[j], v[j], sum); }
    if (springs) {
        EACH(j, D) { sum = mul_add(m[D + j], x[j], sum); }
    }
    add_increment(compensated, sum, y, c);
}

/* Applies the map to D axes from `first` on, whose numbers begin with number `from` of the map. */
INLINE void map_axes(int D, const kdr_tile *tile, const kdr_instruction *line, unsigned marks, int first, int from) {
    const bool compensated = (marks & KDR_MAP_COMPENSATED) != 0;
    const real *const c = numbers(tile, line->number) + from;
    const int T = tile->vectors, dims = tile->dims;
    char *const x = column(tile, line->x + (unsigned)first), *const v = column(tile, line->v + (unsigned)first);
    char *const cx = compensated ? column(tile, line->other + (unsigned)first) : NULL;
    char *const cv = compensated ? cx + (size_t)dims * tile->column : NULL;
    vr m[MAP_SIZE(3)];
    EACH(e, MAP_SIZE(D)) { m[e] = (marks & KDR_MAP_EACH) ? v_set1(0) : v_set1(c[e]); }
    for (int n = 0; n < T; ++n) {
        vr old_x[3], old_v[3];
        if (marks & KDR_MAP_EACH) {
            EACH(e, MAP_SIZE(D)) { m[e] = get(column(tile, line->out + (unsigned)(from + e)), n); }
        }
        EACH(j, D) {
            old_x[j] = get(x, j * T + n);
            old_v[j] = get(v, j * T + n);
        }
        EACH(j, D) {
            vr new_x = old_x[j], new_v = old_v[j], rest_x = v_set1(0), rest_v = v_set1(0);
            if (compensated) {
                rest_x = get(cx, j * T + n);
                rest_v = get(cv, j * T + n);
            }
            map_apply(D, marks, m + j * (2 * D + 1), old_v, old_x, &new_x, &rest_x);
            map_apply(D, marks, m + (D + j) * (2 * D + 1), old_v, old_x, &new_v, &rest_v);
            put(x, j * T + n, new_x);
            put(v, j * T + n, new_v);
            if (compensated) {
                put(cx, j * T + n, rest_x);
                put(cv, j * T + n, rest_v);
            }
        }
    }
}

INLINE void map_alone(const kdr_tile *tile, const kdr_instruction *line, unsigned marks) {
    for (int i = 0; i < tile->dims; ++i) {
        map_axes(1, tile, line, marks, i, i * MAP_SIZE(1));
    }
}

/* The commonest maps have their flags as constants. */
static void op_map(kdr_tile *tile, const kdr_instruction *line) {
    const unsigned marks = line->count;
    if (marks & KDR_MAP_COUPLED) {
        if (tile->dims == 3) {
            map_axes(3, tile, line, marks, 0, 0);
        } else {
            map_axes(2, tile, line, marks, 0, 0);
        }
    } else if (marks == KDR_MAP_SPRINGS) {
        map_alone(tile, line, KDR_MAP_SPRINGS);
    } else if (marks == (KDR_MAP_SPRINGS | KDR_MAP_OFFSET)) {
        map_alone(tile, line, KDR_MAP_SPRINGS | KDR_MAP_OFFSET);
    } else if (marks == KDR_MAP_OFFSET) {
        map_alone(tile, line, KDR_MAP_OFFSET);
    } else if (marks == 0) {
        map_alone(tile, line, 0);
    } else {
        map_alone(tile, line, marks);
    }
}
