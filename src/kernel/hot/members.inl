/* One step of particles in structures, in place, for uniform fields, as in games. It is faster than a packed copy. */
#define HAS_MEMBERS(method, field)                                                                                                         \
    (((field) & ~(unsigned)GROUND) == 0 && ((method) == KDR_SEMI_IMPLICIT_EULER || (method) == KDR_VELOCITY_VERLET))

/* Makes one step in a uniform field for whole vectors of structures, with a stride of `stride` bytes. */
INLINE void step_members(char *at, size_t stride, size_t vectors, step_fn *step, const void *row, const constants *c, unsigned field) {
    for (; vectors > 0; --vectors, at += LANES * stride) {
        vr e[6], a[3];
        take_run(at, stride, 6, e);
        acceleration(c, field, 3, 1, NULL, e, e + 3, a);
        take_steps(1, step, row, 0, c, field, 3, 1, NULL, e, e + 3, a);
        give_run(at, stride, 6, e);
    }
}

/* Steps particles [begin, end): whole vectors in place, and the rest in a copy filled up with the last particle. `far` is x of particle
 * 0, followed by the other axes and v. */
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
    /* one loop for both parts, so that the body is inlined once */
    for (int turn = 0; turn < 2; ++turn, at = few[0], next = SIX, vectors = left > 0) {
        step_members(at, next, vectors, step, row, &c, field);
        for (size_t i = 0; i < LANES && turn == 0 && left > 0; ++i) {
            memcpy(few[i], last + (i < left ? i : left - 1) * stride, SIX);
        }
    }
    for (size_t i = 0; i < left; ++i) {
        memcpy(last + i * stride, few[i], SIX);
    }
}
