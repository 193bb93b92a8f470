/* Follows the path of the method instead of a parabola, one lane at a time. */

/* Returns whether the path is taken as a parabola: under constant forces it is one. */
INLINE bool is_parabola(const kdr_job *job) { return !job->fly; }

/* Moves x and v of one lane by the method, from the fraction `begin` of the step on for the fraction `length`, with the lane's pull or
 * without it. */
static NOINLINE void fly(int D, const travel *t, int lane, bool pulls, double begin, double length, real *x, real *v) {
    const kdr_tile *const tile = t->tile;
    real pull[3] = {0}, all[LANES];
    FOR_AXES(i, D) {
        if (pulls) {
            v_store(all, t->pull[i]);
            pull[i] = all[lane];
        }
    }
    tile->job->fly(tile->job, tile->first + (size_t)t->vector * LANES + (size_t)lane, tile->step, begin, length, pulls ? pull : NULL, x, v);
}

INLINE bool is_particle(const travel *t, int lane) { return (size_t)t->vector * LANES + (size_t)lane < t->tile->count; }

/* Finds the mean acceleration by others of each lane in the step: its velocity at the end, minus the one that the method alone would
 * give it, divided by the length. Lanes that have it already keep it. */
static NOINLINE void find_pulls(int D, travel *t, vm lanes) {
    real of[LANES], begin_x[3][LANES], begin_v[3][LANES], end_v[3][LANES], pull[3][LANES];
    if (!t->tile->job->pulled || !m_any(m_but(lanes, t->pulls))) {
        return;
    }
    lanes = m_but(lanes, t->pulls);
    v_store(of, v_select(lanes, v_set1(1), v_set1(0)));
    FOR_AXES(i, D) {
        v_store(begin_x[i], t->x0[i]);
        v_store(begin_v[i], t->v0[i]);
        v_store(end_v[i], t->v[i]);
        v_store(pull[i], t->pull[i]);
    }
    for (int lane = 0; lane < LANES; ++lane) {
        if (of[lane] != 0 && is_particle(t, lane)) {
            real x[3] = {0}, v[3] = {0};
            for (int i = 0; i < D; ++i) {
                x[i] = begin_x[i][lane];
                v[i] = begin_v[i][lane];
            }
            fly(D, t, lane, false, 0, 1, x, v);
            for (int i = 0; i < D; ++i) {
                pull[i][lane] = (end_v[i][lane] - v[i]) / t->h;
            }
        }
    }
    FOR_AXES(i, D) { t->pull[i] = v_load(pull[i]); }
    t->pulls = m_or(t->pulls, lanes);
}

/* Finds where the method's path from s->x0 and s->v0 meets the surface, for one lane. Sets x and v there, and returns the fraction of
 * the flight. */
static NOINLINE real fly_to(const wall *w, int D, const travel *t, const flight *s, const meeting *m, int lane, real *x, real *v) {
    real of_f[LANES], of_left[LANES], of_radius[LANES], of_time[LANES], of_face[LANES], begin_x[3][LANES], begin_v[3][LANES], gaps[LANES],
        speeds[LANES];
    v_store(of_f, m->f);
    v_store(of_left, s->left);
    v_store(of_time, s->time);
    v_store(of_face, m->face);
    v_store(of_radius, s->radius);
    FOR_AXES(i, D) {
        v_store(begin_x[i], s->x0[i]);
        v_store(begin_v[i], s->v0[i]);
    }
    real f = of_f[lane];
    for (int round = 0; round < 6; ++round) {
        vr at[3], along[3], n[3];
        for (int i = 0; i < D; ++i) {
            x[i] = begin_x[i][lane];
            v[i] = begin_v[i][lane];
        }
        fly(D, t, lane, t->tile->job->pulled, 1 - (double)of_left[lane], (double)(f * of_left[lane]), x, v);
        FOR_AXES(i, D) {
            at[i] = v_set1(x[i]);
            along[i] = v_set1(v[i]);
        }
        v_store(gaps, gap_of(w, D, v_set1(of_radius[lane]), v_set1(of_face[lane]), v_set1((1 - f) * of_time[lane]), s->end, at, n));
        FOR_AXES(i, D) { along[i] = v_sub(along[i], v_set1((real)w->velocity[i])); }
        v_store(speeds, v_mul(v_set1(of_time[lane]), dot_of(D, along, n)));
        const real tried = f - gaps[lane] / speeds[lane], least = 0 < tried ? tried : 0, next = least < 1 ? least : 1;
        const real change = f < next ? next - f : f - next;
        if (!(speeds[lane] < 0) || !(ROOT_ROOM < change)) {
            break;
        }
        f = next;
    }
    return f;
}

/* Ends the flights of the lanes where the method's paths meet surfaces: sets x, v and the fraction f. */
static NOINLINE void fly_all_to(const wall *walls, int D, const travel *t, vm lanes, const flight *s, const meeting *m, vr *f, vr *x,
                                vr *v) {
    real of[LANES], surface[LANES], part[LANES], to_x[3][LANES], to_v[3][LANES];
    v_store(of, v_select(lanes, v_set1(1), v_set1(0)));
    v_store(surface, m->surface);
    v_store(part, *f);
    FOR_AXES(i, D) {
        v_store(to_x[i], x[i]);
        v_store(to_v[i], v[i]);
    }
    for (int lane = 0; lane < LANES; ++lane) {
        if (of[lane] != 0 && is_particle(t, lane)) {
            real one_x[3] = {0}, one_v[3] = {0};
            part[lane] = fly_to(&walls[(size_t)surface[lane]], D, t, s, m, lane, one_x, one_v);
            for (int i = 0; i < D; ++i) {
                to_x[i][lane] = one_x[i];
                to_v[i][lane] = one_v[i];
            }
        }
    }
    *f = v_load(part);
    FOR_AXES(i, D) {
        x[i] = v_load(to_x[i]);
        v[i] = v_load(to_v[i]);
    }
}

/* Takes the lanes through the rest of their flights by the method. */
static NOINLINE void fly_on(int D, const travel *t, vm lanes, flight *s) {
    real of[LANES], left[LANES], x[3][LANES], v[3][LANES];
    v_store(of, v_select(m_and(lanes, v_less(v_set1(0), s->left)), v_set1(1), v_set1(0)));
    v_store(left, s->left);
    FOR_AXES(i, D) {
        v_store(x[i], s->x0[i]);
        v_store(v[i], s->v0[i]);
    }
    const vm flown = v_less(v_set1(0), v_load(of));
    for (int lane = 0; lane < LANES; ++lane) {
        if (of[lane] != 0 && is_particle(t, lane)) {
            real one_x[3] = {0}, one_v[3] = {0};
            for (int i = 0; i < D; ++i) {
                one_x[i] = x[i][lane];
                one_v[i] = v[i][lane];
            }
            fly(D, t, lane, t->tile->job->pulled, 1 - (double)left[lane], (double)left[lane], one_x, one_v);
            for (int i = 0; i < D; ++i) {
                x[i][lane] = one_x[i];
                v[i][lane] = one_v[i];
            }
        }
    }
    FOR_AXES(i, D) {
        s->x[i] = v_select(flown, v_load(x[i]), s->x[i]);
        s->v[i] = v_select(flown, v_load(v[i]), s->v[i]);
        const vr bend = mul_add(opposite(s->time), s->v0[i], v_sub(s->x[i], s->x0[i]));
        s->bend[i] = v_select(flown, bend, s->bend[i]);
        s->turn[i] = v_select(flown, v_sub(s->v[i], s->v0[i]), s->turn[i]);
    }
}
