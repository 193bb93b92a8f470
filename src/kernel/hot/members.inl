/* One step of structures where they lie: of what falls, as a game has it. It takes half of the pack's time (Zen 3, AVX2, f32, eight
 * elements a structure); other fields were not measured. */
#define HAS_MEMBERS(method, field)                                                                                                         \
    (((field) & ~(unsigned)GROUND) == 0 && ((method) == KDR_SEMI_IMPLICIT_EULER || (method) == KDR_VELOCITY_VERLET))

/* Whole vectors of structures, `stride` bytes from one to the next, through one step in a uniform field. */
INLINE void step_members(char *at, size_t stride, size_t vectors, step_fn *step, const void *row, const constants *c, unsigned field) {
    for (; vectors > 0; --vectors, at += LANES * stride) {
        vr e[6], a[3];
        take_run(at, stride, 6, e);
        acceleration(c, field, 3, 1, NULL, e, e + 3, a);
        take_steps(1, step, row, 0, c, field, 3, 1, NULL, e, e + 3, a);
        give_run(at, stride, 6, e);
    }
}

/* Particles [begin, end), first whole vectors, then what is left in a copy, behind which the last of them is repeated. `far`: x of particle
 * 0; x and v on three axes lie there side by side. */
INLINE void members_run(const kdr_job *job, char *far, size_t stride, size_t begin, size_t end, step_fn *step, const void *row,
                        unsigned field) {
    enum { SIX = 6 * sizeof(real) };
    char few[LANES][SIX], *at = far + begin * stride;
    size_t next = stride, vectors = (end - begin) / LANES;
    const size_t left = (end - begin) % LANES;
    char *const last = at + vectors * LANES * stride;
    constants c;
    constants_of(job, &c);
    field_constants(job, field, 0, 3, &c);
    for (int turn = 0; turn < 2; ++turn, at = few[0], next = SIX, vectors = left > 0) { /* one loop for both: inlined once */
        step_members(at, next, vectors, step, row, &c, field);
        for (size_t i = 0; i < LANES && turn == 0 && left > 0; ++i) {
            memcpy(few[i], last + (i < left ? i : left - 1) * stride, SIX);
        }
    }
    for (size_t i = 0; i < left; ++i) {
        memcpy(last + i * stride, few[i], SIX);
    }
}
