/* Loads and stores of LANES particles whose elements have a stride of `stride` bytes: n consecutive elements per particle, to and from
 * one vector each. They go by fours and twos, and are transposed in registers.
 *
 * Nothing but these elements is read or written, because neighbours may belong to another thread. It also keeps loads from overlapping
 * recent stores, which stalls processors. */
typedef real vr_loose __attribute__((aligned(1), may_alias));

#ifdef SCALAR_UNIT
INLINE void take_run(const char *at, size_t stride, int n, vr out[]) {
    (void)stride;
    EACH(c, n) { out[c] = ((const vr_loose *)(const void *)at)[c]; }
}

INLINE void give_run(char *at, size_t stride, int n, const vr in[]) {
    (void)stride;
    EACH(c, n) { ((vr_loose *)(void *)at)[c] = in[c]; }
}
#else

/* A vector in quarters of 128 bits, in the order of its lanes. */
typedef VECTOR(simde__m128) vr_quarter;
enum { QUARTERS = sizeof(vr) / sizeof(vr_quarter), IN_QUARTER = LANES / QUARTERS };

INLINE vr_quarter quarter_load(const char *at) { return PASTE(simde_mm_loadu, SUFFIX)((const real *)(const void *)at); }
INLINE void quarter_store(char *at, vr_quarter a) { PASTE(simde_mm_storeu, SUFFIX)((real *)(void *)at, a); }

/* Two words of 64 bits. */
typedef double vr_word __attribute__((aligned(1), may_alias));

INLINE simde__m128d words_load(const char *at, size_t stride) {
    const simde__m128d low = simde_mm_set_sd(*(const vr_word *)(const void *)at);
    return simde_mm_loadh_pd(low, (const simde_float64 *)(const void *)(at + stride));
}

INLINE void words_store(char *at, size_t stride, simde__m128d a) {
    *(vr_word *)(void *)at = simde_mm_cvtsd_f64(a);
    *(vr_word *)(void *)(at + stride) = simde_mm_cvtsd_f64(simde_mm_unpackhi_pd(a, a));
}

/* Loads and stores quarters of one element per particle, and quarters of two vectors with two elements per particle, ready to be
 * transposed. */
#ifdef KDR_UNIT_F32
INLINE simde__m128 one_load(const char *at) { return simde_mm_set_ss(*(const vr_loose *)(const void *)at); }
INLINE void one_store(char *at, simde__m128 a) { *(vr_loose *)(void *)at = simde_mm_cvtss_f32(a); }

INLINE vr_quarter ones_load(const char *at, size_t stride) {
    const simde__m128 low = simde_mm_unpacklo_ps(one_load(at), one_load(at + stride));
    return simde_mm_movelh_ps(low, simde_mm_unpacklo_ps(one_load(at + 2 * stride), one_load(at + 3 * stride)));
}

INLINE void ones_store(char *at, size_t stride, vr_quarter a) {
    one_store(at, a);
    one_store(at + stride, simde_mm_shuffle_ps(a, a, 1));
    one_store(at + 2 * stride, simde_mm_shuffle_ps(a, a, 2));
    one_store(at + 3 * stride, simde_mm_shuffle_ps(a, a, 3));
}

INLINE void twos_load(const char *at, size_t stride, vr_quarter out[2]) {
    out[0] = simde_mm_castpd_ps(words_load(at, stride));
    out[1] = simde_mm_castpd_ps(words_load(at + 2 * stride, stride));
}

INLINE void twos_store(char *at, size_t stride, vr_quarter a, vr_quarter b) {
    words_store(at, stride, simde_mm_castps_pd(a));
    words_store(at + 2 * stride, stride, simde_mm_castps_pd(b));
}

INLINE void turn_two(vr a, vr b, vr out[2]) {
    out[0] = V(shuffle)(a, b, 0x88);
    out[1] = V(shuffle)(a, b, 0xDD);
}
#else
INLINE vr_quarter ones_load(const char *at, size_t stride) { return words_load(at, stride); }
INLINE void ones_store(char *at, size_t stride, vr_quarter a) { words_store(at, stride, a); }

INLINE void twos_load(const char *at, size_t stride, vr_quarter out[2]) {
    out[0] = quarter_load(at);
    out[1] = quarter_load(at + stride);
}

INLINE void twos_store(char *at, size_t stride, vr_quarter a, vr_quarter b) {
    quarter_store(at, a);
    quarter_store(at + stride, b);
}

INLINE void turn_two(vr a, vr b, vr out[2]) {
    out[0] = V(unpacklo)(a, b);
    out[1] = V(unpackhi)(a, b);
}
#endif

INLINE void take_one(const char *at, size_t stride, vr out[1]) {
    vr_quarter q[QUARTERS];
    EACH(n, QUARTERS) { q[n] = ones_load(at + (size_t)(n * IN_QUARTER) * stride, stride); }
    out[0] = v_join(q);
}

INLINE void give_one(char *at, size_t stride, const vr in[1]) {
    vr_quarter q[QUARTERS];
    v_split(in[0], q);
    EACH(n, QUARTERS) { ones_store(at + (size_t)(n * IN_QUARTER) * stride, stride, q[n]); }
}

INLINE void take_two(const char *at, size_t stride, vr out[2]) {
    vr_quarter a[QUARTERS], b[QUARTERS];
    EACH(n, QUARTERS) {
        vr_quarter q[2];
        twos_load(at + (size_t)(n * IN_QUARTER) * stride, stride, q);
        a[n] = q[0];
        b[n] = q[1];
    }
    turn_two(v_join(a), v_join(b), out);
}

INLINE void give_two(char *at, size_t stride, const vr in[2]) {
    vr_quarter a[QUARTERS], b[QUARTERS];
    v_split(V(unpacklo)(in[0], in[1]), a);
    v_split(V(unpackhi)(in[0], in[1]), b);
    EACH(n, QUARTERS) { twos_store(at + (size_t)(n * IN_QUARTER) * stride, stride, a[n], b[n]); }
}

/* In f32 four elements of a particle are a quarter. */
#ifdef KDR_UNIT_F32
INLINE void turn_four(const vr in[4], vr out[4]) {
    const vr a = V(unpacklo)(in[0], in[1]), b = V(unpackhi)(in[0], in[1]), c = V(unpacklo)(in[2], in[3]), d = V(unpackhi)(in[2], in[3]);
    out[0] = V(shuffle)(a, c, 0x44);
    out[1] = V(shuffle)(a, c, 0xEE);
    out[2] = V(shuffle)(b, d, 0x44);
    out[3] = V(shuffle)(b, d, 0xEE);
}

INLINE void take_four(const char *at, size_t stride, vr out[4]) {
    vr whole[4];
    EACH(k, 4) {
        vr_quarter q[QUARTERS];
        EACH(n, QUARTERS) { q[n] = quarter_load(at + (size_t)(n * IN_QUARTER + k) * stride); }
        whole[k] = v_join(q);
    }
    turn_four(whole, out);
}

INLINE void give_four(char *at, size_t stride, const vr in[4]) {
    vr whole[4];
    turn_four(in, whole);
    EACH(k, 4) {
        vr_quarter q[QUARTERS];
        v_split(whole[k], q);
        EACH(n, QUARTERS) { quarter_store(at + (size_t)(n * IN_QUARTER + k) * stride, q[n]); }
    }
}
#else
INLINE void take_four(const char *at, size_t stride, vr out[4]) {
    take_two(at, stride, out);
    take_two(at + 2 * sizeof(real), stride, out + 2);
}

INLINE void give_four(char *at, size_t stride, const vr in[4]) {
    give_two(at, stride, in);
    give_two(at + 2 * sizeof(real), stride, in + 2);
}
#endif

INLINE void take_run(const char *at, size_t stride, int n, vr out[]) {
    const int fours = n / 4 * 4, twos = n / 2 * 2;
    EACH(c, n / 4) { take_four(at + (size_t)(4 * c) * sizeof(real), stride, out + 4 * c); }
    if (twos > fours) {
        take_two(at + (size_t)fours * sizeof(real), stride, out + fours);
    }
    if (n > twos) {
        take_one(at + (size_t)twos * sizeof(real), stride, out + twos);
    }
}

INLINE void give_run(char *at, size_t stride, int n, const vr in[]) {
    const int fours = n / 4 * 4, twos = n / 2 * 2;
    EACH(c, n / 4) { give_four(at + (size_t)(4 * c) * sizeof(real), stride, in + 4 * c); }
    if (twos > fours) {
        give_two(at + (size_t)fours * sizeof(real), stride, in + fours);
    }
    if (n > twos) {
        give_one(at + (size_t)twos * sizeof(real), stride, in + twos);
    }
}
#endif
