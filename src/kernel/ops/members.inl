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

/* A vector consists of quarters of 128 bits, in the order of its lanes. The header of the instruction set defines how they are loaded,
 * stored and interleaved (isa/quarters.h). */
enum { QUARTERS = sizeof(vr) / sizeof(vr_quarter), IN_QUARTER = LANES / QUARTERS };

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
    out[0] = v_even(v_join(a), v_join(b));
    out[1] = v_odd(v_join(a), v_join(b));
}

INLINE void give_two(char *at, size_t stride, const vr in[2]) {
    vr_quarter a[QUARTERS], b[QUARTERS];
    v_split(v_interleave_low(in[0], in[1]), a);
    v_split(v_interleave_high(in[0], in[1]), b);
    EACH(n, QUARTERS) { twos_store(at + (size_t)(n * IN_QUARTER) * stride, stride, a[n], b[n]); }
}

/* In f32 four elements of a particle are a quarter. */
#ifdef KDR_UNIT_F32
INLINE void turn_four(const vr in[4], vr out[4]) {
    const vr a = v_interleave_low(in[0], in[1]), b = v_interleave_high(in[0], in[1]);
    const vr c = v_interleave_low(in[2], in[3]), d = v_interleave_high(in[2], in[3]);
    out[0] = v_low_halves(a, c);
    out[1] = v_high_halves(a, c);
    out[2] = v_low_halves(b, d);
    out[3] = v_high_halves(b, d);
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
