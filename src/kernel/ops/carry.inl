/* Copies members of structures to plain arrays and back, transposed in registers (members.inl). In caches this is faster than the loops
 * of particles/copies.inl, except for interleaved components without a gap. */
#include "members.inl"

/* Copies D members of n structures; `back` is a constant after inlining. */
INLINE void carry_of(char *far, size_t stride, void *const near[6], size_t n, bool back, int D) {
    char *at[6];
    EACH(i, D) { at[i] = near[i]; }
    size_t k = 0;
    for (; k + LANES <= n; k += LANES) {
        vr e[6];
        if (back) {
            EACH(i, D) { e[i] = v_load(at[i] + k * sizeof(real)); }
            give_run(far + k * stride, stride, D, e);
            continue;
        }
        take_run(far + k * stride, stride, D, e);
        EACH(i, D) { v_store(at[i] + k * sizeof(real), e[i]); }
    }
    for (; k < n; ++k) {
        for (int i = 0; i < D; ++i) {
            char *const there = far + k * stride + (size_t)i * sizeof(real), *const here = at[i] + k * sizeof(real);
            memcpy(back ? there : here, back ? here : there, sizeof(real));
        }
    }
}

#define CARRY(NAME, D, STRIDE)                                                                                                             \
    static void NAME(void *far, size_t stride, void *const near[6], size_t n, bool back) {                                                 \
        (void)stride;                                                                                                                      \
        back ? carry_of(far, STRIDE, near, n, true, D) : carry_of(far, STRIDE, near, n, false, D);                                         \
    }
CARRY(carry_1, 1, stride)
CARRY(carry_2, 2, stride)
CARRY(carry_3, 3, stride)
CARRY(carry_4, 4, stride)
CARRY(carry_6, 6, stride)
/* Handles the commonest structures, x and v in eight elements, without computing addresses. */
enum { EIGHT = 8 * sizeof(real) };
CARRY(carry_6_of_8, 6, EIGHT)

static void carry(void *far, size_t stride, int members, void *const near[6], size_t n, bool back) {
    static void (*const of[])(void *, size_t, void *const[6], size_t, bool) = {NULL, carry_1, carry_2, carry_3, carry_4, NULL, carry_6};
    (members == 6 && stride == EIGHT ? carry_6_of_8 : of[members])(far, stride, near, n, back);
}
