/* Splitting methods: any list of kick and drift fractions, all steps with the tile in registers.
 *
 * A list that begins and ends with a kick keeps its last acceleration for the next step, in registers within a call and in the particles'
 * memory from call to call. */

INLINE void ROW(splitting)(const kdr_job *job, const kdr_fractions *row, const constants *c, unsigned terms, const lanes *p, int first, int D, int T) {
    const int N = D * T;
    const bool keep = kdr_fractions_keep(row);
    fraction_steps h;
    fraction_steps_make(row, job->dt, &h);
    vr x[TILE_MAX], v[TILE_MAX], a[TILE_MAX];
    tile_load(p->x, D, T, x);
    tile_load(p->v, D, T, v);
    EACH(n, N) {
        a[n] = v_set1(0);
    }
    real b[3];
    if (keep) {
        if (job->resume) {
            tile_load(p->memory, D, T, a);
        } else {
            base_load(job->start_base, first, D, b);
            acceleration(c, terms, p, D, T, b, x, v, a);
        }
    }
    const double *base = job->base;
    base_load(base, first, D, b);
    for (uint64_t n = 0; n < job->steps; ++n) {
        STAGES(i, row->stages) {
            if (row->kick[i] != 0.0) {
                if (!(keep && i == 0)) {
                    if (terms & KDR_TERM_DRIVEN) {
                        base_load(base, first, D, b);
                        base += job->base_stride;
                    }
                    acceleration(c, terms, p, D, T, b, x, v, a);
                }
                advance(v_set1(h.kick[i]), N, a, v);
            }
            if (row->drift[i] != 0.0) {
                advance(v_set1(h.drift[i]), N, v, x);
            }
        }
    }
    tile_store(p, p->x, D, T, x);
    tile_store(p, p->v, D, T, v);
    if (keep && p->memory[0]) {
        tile_store(p, p->memory, D, T, a);
    }
}
