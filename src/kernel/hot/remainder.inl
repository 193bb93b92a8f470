/* What chunks leave of one step, fewer particles than a chunk has, of what falls, as a game has it: a vector at a time. Where the program
 * steps them a call of one particle takes 1.25 times as long, of a hundred 1.5 (Zen 4, AVX-512, f32). */
#define HAS_REMAINDER(method, field)                                                                                                       \
    (((field) & ~(unsigned)DRAG) == 0 && ((method) == KDR_SEMI_IMPLICIT_EULER || (method) == KDR_VELOCITY_VERLET))

INLINE char *last_of(char *to, const char *from, size_t bytes) {
    real last;
    memcpy(&last, from + bytes - sizeof last, sizeof last);
    v_store(to, v_load_first(from, (int)(bytes / sizeof last), v_set1(last)));
    return to;
}

/* One axis of bytes [from, end): whole vectors where they lie, and what is behind them in a copy, in which the last element is repeated. */
INLINE void axis_remainder(char *const theirs[3], size_t from, size_t end, bool fresh, step_fn *step, const void *row, bool keeps,
                           const constants *c, unsigned field) {
    const size_t left = (end - from) % sizeof(vr), whole = end - left;
    const int columns = keeps && theirs[2] ? 3 : 2;
    char few[3][sizeof(vr)], *column[3][3] = {{theirs[0]}, {theirs[1]}, {theirs[2]}};
    for (int turn = 0; turn < 2; ++turn, from = 0) { /* one loop for both: inlined once */
        for (size_t at = from; at < (turn == 0 ? whole : left); at += sizeof(vr)) {
            through(column, NULL, at, fresh, true, 1, step, row, 0, keeps, (field & ~(unsigned)GROUND) == 0, load_anywhere, c, field, 1, 1);
        }
        for (int n = 0; n < columns && turn == 0 && left > 0; ++n) {
            column[n][0] = last_of(few[n], theirs[n] + whole, left);
        }
    }
    for (int n = 0; n < columns && left > 0; ++n) {
        memcpy(theirs[n] + whole, few[n], left);
    }
}

INLINE void remainder_run(const kdr_job *job, size_t begin, size_t end, step_fn *step, const void *row, bool keeps, unsigned field) {
    constants c;
    constants_of(job, &c);
    for (int axis = 0; axis < job->dims; ++axis) {
        char *const theirs[3] = {job->x[axis], job->v[axis], job->memory[axis]};
        field_constants(job, axis, 1, &c);
        axis_remainder(theirs, begin * sizeof(real), end * sizeof(real), !job->resume, step, row, keeps, &c, field);
    }
}
