/* The particles after the last whole chunk, for one step in a uniform field, as in games: one vector at a time. Starting the program
 * would take longer than the step. */
#define HAS_REMAINDER(method, field)                                                                                                       \
    (((field) & ~(unsigned)DRAG) == 0 && ((method) == KDR_SEMI_IMPLICIT_EULER || (method) == KDR_VELOCITY_VERLET))

#ifndef HAS_STORE_FIRST
static inline void v_store_first(void *p, int n, vr y) {
    char few[sizeof(vr)];
    v_store(few, y);
    kdr_copy_few(p, few, (size_t)n * sizeof(real));
}
#endif

/* Loads the first n elements of a vector; n may be all. */
INLINE vr take_first(const char *from, int n) { return n < LANES ? v_load_first(from, n, v_set1(0)) : v_load(from); }

INLINE void put_first(char *to, int n, vr y) {
    if (n < LANES) {
        v_store_first(to, n, y);
    } else {
        v_store(to, y);
    }
}

/* Steps bytes [at, end) of one axis: x, v and the kept acceleration, which may be NULL. In a uniform field the kept acceleration never
 * changes. */
INLINE void axis_remainder(char *const theirs[3], size_t at, size_t end, bool fresh, step_fn *step, const void *row, bool keeps,
                           const constants *c, unsigned field) {
    const bool remembers = keeps && theirs[2], uniform = (field & ~(unsigned)GROUND) == 0;
    for (int n = LANES; at < end; at += sizeof(vr)) {
        n = end - at < sizeof(vr) ? (int)((end - at) / sizeof(real)) : n;
        const vr w = v_set1(1);
        vr x = take_first(theirs[0] + at, n), v = take_first(theirs[1] + at, n), a = v_set1(0);
        if (keeps && (fresh || uniform)) {
            acceleration(c, field, 1, 1, &w, &x, &v, &a);
        } else if (keeps) {
            a = take_first(theirs[2] + at, n);
        }
        take_steps(1, step, row, 0, c, field, 1, 1, &w, &x, &v, &a);
        put_first(theirs[0] + at, n, x);
        put_first(theirs[1] + at, n, v);
        if (remembers && (fresh || !uniform)) {
            put_first(theirs[2] + at, n, a);
        }
    }
}

INLINE void remainder_run(const kdr_job *job, size_t begin, size_t end, step_fn *step, const void *row, bool keeps, unsigned field) {
    constants c;
    constants_of(job, &c);
    for (int axis = 0; axis < job->dims; ++axis) {
        char *const theirs[3] = {job->x[axis], job->v[axis], job->memory[axis]};
        field_constants(job, field, axis, 1, &c);
        axis_remainder(theirs, begin * sizeof(real), end * sizeof(real), !job->resume, step, row, keeps, &c, field);
    }
}
