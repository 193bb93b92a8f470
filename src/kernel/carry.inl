/* Copies of members of structures to plain arrays and back, turned in registers (members.inl), for the stage of field runs. In caches they take
 * three quarters of the time of integrator/copies.inl's loops (Zen 5, f64, a step of a million structures of x and v: 3.4 ns a particle, and
 * not 4.4), but on rows without a gap, where these are faster. Included by passes.inl. */

/* `back`: a constant where this is inlined. */
INLINE void carry_of(char *far, size_t stride, void *const near[3], size_t n, bool back, int D) {
    size_t k = 0;
    for (; k + LANES <= n; k += LANES) {
        vr e[3];
        if (back) {
            EACH(i, D) { e[i] = v_load(element(near[i], k)); }
            give_run(far + k * stride, stride, D, e);
        } else {
            take_run(far + k * stride, stride, D, e);
            EACH(i, D) { v_store(element(near[i], k), e[i]); }
        }
    }
    for (; k < n; ++k) {
        for (int i = 0; i < D; ++i) {
            char *const there = far + k * stride + (size_t)i * sizeof(real), *const here = element(near[i], k);
            memcpy(back ? there : here, back ? here : there, sizeof(real));
        }
    }
}

#define CARRY(D)                                                                                                                           \
    static void carry_##D(void *far, size_t stride, void *const near[3], size_t n, bool back) {                                            \
        back ? carry_of(far, stride, near, n, true, D) : carry_of(far, stride, near, n, false, D);                                         \
    }
CARRY(1)
CARRY(2)
CARRY(3)

static void carry(void *far, size_t stride, int axes, void *const near[3], size_t n, bool back) {
    static void (*const of_axes[])(void *, size_t, void *const[3], size_t, bool) = {carry_1, carry_2, carry_3};
    of_axes[axes - 1](far, stride, near, n, back);
}
