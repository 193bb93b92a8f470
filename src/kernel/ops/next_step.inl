/* Steps across the end of a step.
 *
 * The kick that ends a step and the kick and drift that begin the next are one pass over x, v and a. It overwrites the state at the end
 * of the step, which must be restored if an evaluation after it fails. A copy would write two more arrays and cost much of the speed.
 * But nearly all of the state can be computed back: y' = y + d rounded, and y' - d rounded is y unless y' has a larger exponent than y,
 * or far too small a one. So the pass computes it back at once, in registers, and keeps only the vectors whose bits differ. */

INLINE void keep_vector(kdr_kept *kept, int n, vr x, vr v) {
    v_store(kept->x, x);
    v_store(kept->v, v);
    kept->x += sizeof(vr);
    kept->v += sizeof(vr);
    kept->bits[n / 8] = (uint8_t)(kept->bits[n / 8] | 1U << n % 8);
}

/* Makes the pass; `does` and `keeps` are constants after inlining, except in the general body. */
INLINE void next_step_by(const kdr_tile *tile, const kdr_instruction *line, unsigned does, bool keeps) {
    const real *const c = numbers(tile, line->number);
    const vr kick = v_set1(c[0]), drift = v_set1(c[1]), then_kick = v_set1(c[2]), then_drift = v_set1(c[3]);
    const vr unkick = v_set1(-c[2]), undrift = v_set1(-c[3]), zero = v_set1(0);
    const int vectors = tile->dims * tile->vectors;
    const char *const x = column(tile, line->x), *const v = column(tile, line->v), *const a = column(tile, line->other);
    char *const to_x = column(tile, line->out), *const to_v = column(tile, line->list);
    kdr_kept kept = keeps ? *tile->kept : (kdr_kept){NULL, NULL, NULL};
    for (int n = 0; n < vectors; ++n) {
        const vr an = does & (KDR_NEXT_STEP_KICK | KDR_NEXT_STEP_THEN_KICK) ? get(a, n) : zero;
        const vr v0 = does & KDR_NEXT_STEP_KICK ? mul_add(kick, an, get(v, n)) : get(v, n);
        const vr x0 = does & KDR_NEXT_STEP_DRIFT ? mul_add(drift, v0, get(x, n)) : get(x, n);
        const vr v1 = does & KDR_NEXT_STEP_THEN_KICK ? mul_add(then_kick, an, v0) : v0;
        const vr x1 = does & KDR_NEXT_STEP_THEN_DRIFT ? mul_add(then_drift, v1, x0) : x0;
        if (keeps) {
            const vi lost_x = does & KDR_NEXT_STEP_THEN_DRIFT ? i_xor(v_bits(mul_add(undrift, v1, x1)), v_bits(x0)) : v_bits(zero);
            const vi lost_v = does & KDR_NEXT_STEP_THEN_KICK ? i_xor(v_bits(mul_add(unkick, an, v1)), v_bits(v0)) : v_bits(zero);
            if (i_any(i_or(lost_x, lost_v))) {
                keep_vector(&kept, n, x0, v0);
            }
        }
        put(to_x, n, x1);
        put(to_v, n, v1);
    }
    if (keeps) {
        *tile->kept = kept;
    }
}

/* A whole step of velocity Verlet, and the beginning of the next. */
enum { VERLET = KDR_NEXT_STEP_KICK | KDR_NEXT_STEP_THEN_KICK | KDR_NEXT_STEP_THEN_DRIFT };

static void op_next_step(kdr_tile *tile, const kdr_instruction *line) {
    if (line->count == VERLET && tile->kept) {
        next_step_by(tile, line, VERLET, true);
    } else if (line->count == VERLET) {
        next_step_by(tile, line, VERLET, false);
    } else if (tile->kept) {
        next_step_by(tile, line, line->count, true);
    } else {
        next_step_by(tile, line, line->count, false);
    }
}

/* Undoes the second part of a NEXT_STEP. */
static void op_step_back(kdr_tile *tile, const kdr_instruction *line) {
    const real *const c = numbers(tile, line->number);
    const vr unkick = v_set1(-c[2]), undrift = v_set1(-c[3]);
    char *const x = column(tile, line->x), *const v = column(tile, line->v);
    const char *const a = column(tile, line->other);
    kdr_kept *const kept = tile->kept;
    for (int n = 0; n < tile->dims * tile->vectors; ++n) {
        const vr x1 = get(x, n), v1 = get(v, n);
        vr x0 = line->count & KDR_NEXT_STEP_THEN_DRIFT ? mul_add(undrift, v1, x1) : x1;
        vr v0 = line->count & KDR_NEXT_STEP_THEN_KICK ? mul_add(unkick, get(a, n), v1) : v1;
        if (kept->bits[n / 8] >> n % 8 & 1) {
            x0 = v_load(kept->x);
            v0 = v_load(kept->v);
            kept->x += sizeof(vr);
            kept->v += sizeof(vr);
        }
        put(x, n, x0);
        put(v, n, v0);
    }
}
