/* The operations of a field of the caller's own, whose file the macro KDR_FIELD_FILE names: what it adds to a row, and to its Jacobian; and
 * its hot instances. */
#include "../program/operation.h"

#include <math.h>
#include <string.h>

#include "unit.h"

#include "ops/tile.inl"

#include "custom_vectors.inl"

#if KDR_FIELD_DIMS
/* Particles on other axes are refused. */
#undef ON_AXES
#define ON_AXES(tile, body, ...) body(KDR_FIELD_DIMS, __VA_ARGS__)
#endif

/* What entry e of the list is told; the vector is filled in. Nothing of it is looked up in the tile again: every store could have changed
 * that, for all the compiler knows. */
INLINE kdr_at at_of(int D, const kdr_tile *tile, const kdr_instruction *line, int e) {
    const kdr_field *const field = tile->job->field;
    return (kdr_at){
        .dims = D,
        .axis = 0,
        .time = ((KDR_FIELD_FLAGS)&KDR_FIELD_TIME) ? base_of(tile, line)[3] : 0,
        .parameter = numbers(tile, line->number + (unsigned)(KDR_MAX_PARAMETERS * e)),
        .each = field->custom_arrays > 0 ? field->custom_entry[e].each : NULL,
        .tile = tile,
        .list = tile->list + line->list,
        .inverse_mass = line->other == KDR_NO_COLUMN ? NULL : column(tile, line->other),
    };
}

/* The rows that a field sees. */
typedef struct seen {
    const char *x, *v;
    int T;
} seen;

INLINE seen seen_of(const kdr_tile *tile, const kdr_instruction *line) {
    return (seen){column(tile, line->x), column(tile, line->v), tile->vectors};
}

INLINE void state_of(int D, const seen *s, int n, vr *x, vr *v) {
    EACH(i, D) {
        x[i] = get(s->x, i * s->T + n);
        v[i] = ((KDR_FIELD_FLAGS)&KDR_FIELD_VELOCITY) ? get(s->v, i * s->T + n) : v_set1(0);
    }
}

INLINE void custom_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    char *const out = column(tile, line->out);
    const seen rows = seen_of(tile, line);
    const int T = rows.T, entries = line->count;
    for (int e = 0; e < entries; ++e) {
        kdr_at at = at_of(D, tile, line, e);
        for (int n = 0; n < T; ++n) {
            vr x[3], v[3], sum[3];
            at.vector = n;
            state_of(D, &rows, n, x, v);
            EACH(i, D) { sum[i] = get(out, i * T + n); }
            kdr_field_add(&at, x, v, sum, D);
            EACH(i, D) { put(out, i * T + n, sum[i]); }
        }
    }
}

static void op_custom(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, custom_on, tile, line); }

#if (KDR_FIELD_FLAGS) & KDR_FIELD_JACOBIAN
/* th = c h, as the row of the method has c. */
INLINE void jacobian_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    const bool masses = line->other != KDR_NO_COLUMN && !((KDR_FIELD_FLAGS)&KDR_FIELD_ACCELERATION);
    const vr th = v_set1((real)(tile->h * tile->job->row->data.implicit->c));
    const seen rows = seen_of(tile, line);
    for (int n = 0; n < rows.T; ++n) {
        vr x[3], v[3], s[3][3];
        state_of(D, &rows, n, x, v);
        EACH(i, D) {
            EACH(j, D) { s[i][j] = v_set1(0); }
        }
        for (int e = 0; e < line->count; ++e) {
            kdr_at at = at_of(D, tile, line, e);
            at.vector = n;
            kdr_field_add_jacobian(&at, th, x, v, s, D);
        }
        EACH(i, D) {
            EACH(j, D) {
                char *const out = column(tile, line->out + (unsigned)(i * D + j));
                put(out, n, masses ? mul_add(get(column(tile, line->other), n), s[i][j], get(out, n)) : v_add(get(out, n), s[i][j]));
            }
        }
    }
}

static void op_jacobian_custom(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, jacobian_on, tile, line); }
#else
#define op_jacobian_custom NULL
#endif

/* No instance could run a field that depends on t. */
#if defined(KDR_UNIT_HOT) && !((KDR_FIELD_FLAGS) & KDR_FIELD_TIME)
#include "hot/steps.inl"

#include "hot/run.inl"

enum {
    CUSTOM = KDR_TERM_CUSTOM | (((KDR_FIELD_FLAGS)&KDR_FIELD_VELOCITY) ? KDR_TERM_CUSTOM_VELOCITY : 0) |
             (KDR_FIELD_TOGETHER ? KDR_TERM_CUSTOM_TOGETHER : 0)
};
#define HOT_LIST "custom.h"
#define HOT_TABLE static const kdr_hot instances[]
#include "hot/table.inl"
#else
#define instances NULL
#endif

const kdr_custom_operations PASTE(KDR_UNIT, PASTE(_of_, KDR_FIELD)) = {.add = op_custom, .jacobian = op_jacobian_custom, .hot = instances};
