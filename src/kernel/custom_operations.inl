/* The operations of one custom field, KDR_FIELD, whose function has been included: adding to a row, and to its Jacobian. */
#define OF_FIELD(name) PASTE(PASTE(name, _of_), KDR_FIELD)

#ifndef KDR_FIELD_FLAGS
#define KDR_FIELD_FLAGS 0
#endif

/* Returns the data of the instruction's field entry, except for the vector. All of it is read from the tile once, because the compiler
 * must assume that every store changes the tile. */
INLINE kdr_at OF_FIELD(at)(int D, const kdr_tile *tile, const kdr_instruction *line) {
    const kdr_field *const field = tile->job->field;
    return (kdr_at){
        .dims = D,
        .axis = 0,
        .time = ((KDR_FIELD_FLAGS)&KDR_FIELD_TIME) ? base_of(tile, line)[3] : 0,
        .precise_time = ((KDR_FIELD_FLAGS)&KDR_FIELD_TIME) ? precise_time(base_of(tile, line)) : 0,
        .parameter = numbers(tile, line->number),
        .precise = field->custom_entry[line->count].parameter,
        .each = field->custom_arrays > 0 ? field->custom_entry[line->count].each : NULL,
        .tile = tile,
        .list = tile->list + line->list,
        .inverse_mass = line->other == KDR_NO_COLUMN ? NULL : column(tile, line->other),
        .grid = &field->custom_entry[line->count].grid,
    };
}

/* Loads x, and v if the field depends on it (`feels`). The tile has the first `have` of D axes; on the others a particle is at 0. */
INLINE void OF_FIELD(state)(int D, int have, const char *from, const char *speeds, bool feels, int T, int n, vr *x, vr *v) {
    EACH(i, D) {
        x[i] = i < have ? get(from, i * T + n) : v_set1(0);
        v[i] = feels && i < have ? get(speeds, i * T + n) : v_set1(0);
    }
}

#if (KDR_FIELD_FLAGS) & KDR_FIELD_MAGNETIC
/* Adds the field to a row. Row v of the instruction is the magnetic field; in a plane its first column is the component across. */
INLINE void OF_FIELD(add_on)(int D, int have, const kdr_tile *tile, const kdr_instruction *line) {
    char *const out = column(tile, line->out);
    const char *const from = column(tile, line->x);
    const int T = tile->vectors;
    kdr_at at = OF_FIELD(at)(D, tile, line);
    for (int n = 0; n < T; ++n) {
        vr x[3], v[3], sum[3], m[3];
        at.vector = n;
        OF_FIELD(state)(3, have, from, from, false, T, n, x, v);
        EACH(i, 3) {
            sum[i] = i < have ? get(out, i * T + n) : v_set1(0);
            m[i] = v_set1(0);
            if (have == 3 || (have == 2 && i == 2)) {
                m[i] = get(column(tile, line->v + (unsigned)(have == 3 ? i : 0)), n);
            }
        }
        kdr_field_add_both(&at, x, sum, m);
        EACH(i, 3) {
            if (i < have) {
                put(out, i * T + n, sum[i]);
            }
            if (have == 3 || (have == 2 && i == 2)) {
                put(column(tile, line->v + (unsigned)(have == 3 ? i : 0)), n, m[i]);
            }
        }
    }
}
#else
INLINE void OF_FIELD(add_on)(int D, int have, const kdr_tile *tile, const kdr_instruction *line) {
    char *const out = column(tile, line->out);
    const char *const from = column(tile, line->x), *const speeds = column(tile, line->v);
    const int T = tile->vectors;
    kdr_at at = OF_FIELD(at)(D, tile, line);
    for (int n = 0; n < T; ++n) {
        vr x[3], v[3], sum[3];
        at.vector = n;
        OF_FIELD(state)(D, have, from, speeds, ((KDR_FIELD_FLAGS)&KDR_FIELD_VELOCITY) != 0, T, n, x, v);
        EACH(i, D) { sum[i] = i < have ? get(out, i * T + n) : v_set1(0); }
        kdr_field_add(&at, x, v, sum, D);
        EACH(i, D) {
            if (i < have) {
                put(out, i * T + n, sum[i]);
            }
        }
    }
}
#endif

#if (KDR_FIELD_FLAGS) & KDR_FIELD_JACOBIAN
/* Adds the field's derivatives, with th = c h and the c of the method's row. */
INLINE void OF_FIELD(jacobian_on)(int D, int have, const kdr_tile *tile, const kdr_instruction *line) {
    const bool feels = ((KDR_FIELD_FLAGS) & (KDR_FIELD_VELOCITY | KDR_FIELD_MAGNETIC)) != 0;
    const bool masses = line->other != KDR_NO_COLUMN && !((KDR_FIELD_FLAGS)&KDR_FIELD_ACCELERATION);
    const vr th = v_set1((real)(tile->h * tile->job->row->data.implicit->c));
    const char *const from = column(tile, line->x), *const speeds = column(tile, line->v);
    const int T = tile->vectors;
    kdr_at at = OF_FIELD(at)(D, tile, line);
    for (int n = 0; n < T; ++n) {
        vr x[3], v[3], s[3][3];
        at.vector = n;
        OF_FIELD(state)(D, have, from, speeds, feels, T, n, x, v);
        EACH(i, D) {
            EACH(j, D) { s[i][j] = v_set1(0); }
        }
        kdr_field_add_jacobian(&at, th, x, v, s, D);
        for (int i = 0; i < have; ++i) {
            for (int j = 0; j < have; ++j) {
                char *const out = column(tile, line->out + (unsigned)(i * have + j));
                put(out, n, masses ? mul_add(get(column(tile, line->other), n), s[i][j], get(out, n)) : v_add(get(out, n), s[i][j]));
            }
        }
    }
}
#endif

#ifdef KDR_FIELD_NAMED
/* The library's own fields are many, so each has only one body, for three axes. All have derivatives. */
static void OF_FIELD(op_custom)(kdr_tile *tile, const kdr_instruction *line) { OF_FIELD(add_on)(3, tile->dims, tile, line); }

static void OF_FIELD(op_jacobian_custom)(kdr_tile *tile, const kdr_instruction *line) { OF_FIELD(jacobian_on)(3, tile->dims, tile, line); }
#else
INLINE void OF_FIELD(custom_on)(int D, const kdr_tile *tile, const kdr_instruction *line) { OF_FIELD(add_on)(D, D, tile, line); }

static void OF_FIELD(op_custom)(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, OF_FIELD(custom_on), tile, line); }

#if (KDR_FIELD_FLAGS) & KDR_FIELD_JACOBIAN
INLINE void OF_FIELD(custom_jacobian_on)(int D, const kdr_tile *tile, const kdr_instruction *line) {
    OF_FIELD(jacobian_on)(D, D, tile, line);
}

static void OF_FIELD(op_jacobian_custom)(kdr_tile *tile, const kdr_instruction *line) {
    ON_AXES(tile, OF_FIELD(custom_jacobian_on), tile, line);
}
#define JACOBIAN_CUSTOM OF_FIELD(op_jacobian_custom)
#else
#define JACOBIAN_CUSTOM NULL
#endif
#endif
