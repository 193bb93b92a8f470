/* The accelerations of a field, for runs that make their own passes. What does not fill a tile goes through padded copies. Included by
 * kernels.inl, so that fused fields have them too. */
#define TILE_FIELD 8
#define CHUNK_FIELD (CHUNK_MAX < 6 ? 1 : 2)

/* Of a tile's vectors, axis n to `to`[n]. */
INLINE void accelerations_of_tile(const constants *c, unsigned terms, const lanes *p, const real *base, int D, int vectors, bool adds,
                                  char *const to[3]) {
    enum { U = CHUNK_FIELD };
    for (int at = 0; at < vectors; at += U) {
        vr x[CHUNK_MAX], v[CHUNK_MAX], a[CHUNK_MAX];
        EACH(n, D) {
            EACH(u, U) {
                x[n * U + u] = part(p->x[n], at + u);
                v[n * U + u] = part(p->v[n], at + u);
            }
        }
        acceleration(c, terms, p, at, D, U, base, x, v, a);
        EACH(n, D) {
            EACH(u, U) {
                const vr mine = a[n * U + u];
                v_store(to[n] + (size_t)(at + u) * sizeof(vr), adds ? v_add(part(to[n], at + u), mine) : mine);
            }
        }
    }
}

#define ACCELERATIONS_ON(D)                                                                                                                \
    static NOINLINE void accelerations_on_##D(const kdr_job *job, void *const out[3], bool adds, size_t begin, size_t end) {               \
        const size_t size = TILE_FIELD * LANES, step = CHUNK_FIELD * LANES;                                                                \
        constants c;                                                                                                                       \
        padded store;                                                                                                                      \
        real base[KDR_BASE], sums[D][TILE_FIELD * LANES] = {{0}};                                                                          \
        constants_make(job, 0, D, &c);                                                                                                     \
        base_load(job->base, 0, D, base);                                                                                                  \
        lanes p = lanes_at(job, 0, D, begin, end - begin);                                                                                 \
        for (size_t i = begin, count = size; i < end; i += count) {                                                                        \
            count = end - i < size ? end - i : size;                                                                                       \
            const size_t whole = (count + step - 1) / step * step, bytes = count * sizeof(real);                                           \
            const lanes q = count == size ? p : lanes_pad(&store, &p, count, whole);                                                       \
            char *to[3] = {NULL, NULL, NULL};                                                                                              \
            EACH(n, D) {                                                                                                                   \
                char *const own = (char *)out[n] + i * sizeof(real);                                                                       \
                to[n] = count == size ? own : memcpy(sums[n], own, bytes);                                                                 \
            }                                                                                                                              \
            accelerations_of_tile(&c, job->terms, &q, base, D, (int)(whole / LANES), adds, to);                                            \
            for (int n = 0; n < (D) && count < size; ++n) {                                                                                \
                memcpy((char *)out[n] + i * sizeof(real), sums[n], bytes);                                                                 \
            }                                                                                                                              \
            lanes_advance(&p, &c, D, count);                                                                                               \
        }                                                                                                                                  \
    }
ACCELERATIONS_ON(1)
ACCELERATIONS_ON(2)
ACCELERATIONS_ON(3)

static void accelerations(const kdr_job *job, void *const out[3], bool adds, size_t begin, size_t end) {
    static kdr_accelerations *const on_axes[] = {accelerations_on_1, accelerations_on_2, accelerations_on_3};
    on_axes[job->dims - 1](job, out, adds, begin, end);
}
