/* What holds particles in a step of a coupled run: distances between them, and constraints of each. */

/* What velocities have gained since distances have held them. */
static void coupled_gain_velocities(const coupled *c) {
    for (int i = 0; i < c->rules.dims; ++i) {
        for (size_t n = 0; n < c->particles->count; ++n) {
            c->gained.axis[i][n] = c->gained.axis[i][n] + (c->v.axis[i][n] - c->held_v.axis[i][n]);
        }
    }
}

static void coupled_begin_gains(const coupled *c) {
    for (int i = 0; i < c->rules.dims; ++i) {
        memset(c->gained.axis[i], 0, c->particles->count * sizeof(real));
    }
    coupled_copy(c, &c->v, &c->held_v);
}

/* What distances hold has no sum that is carried. */
static kdr_particles coupled_to_hold(const coupled *c) {
    coupled_gain_velocities(c);
    kdr_particles seen = *c->particles;
    seen.storage = NULL;
    if (c->inside) {
        seen.active = c->inside;
        seen.active_count = seen.count;
        seen.active_layout = plain;
    }
    for (int i = 0; i < c->rules.dims; ++i) {
        seen.x[i] = c->x.axis[i];
        seen.v[i] = c->v.axis[i];
        for (size_t n = 0; n < c->desc->distance_count; ++n) {
            const kdr_distance *const d = &c->desc->distances[n];
            c->cx.axis[i][d->a] = c->cv.axis[i][d->a] = 0;
            c->cx.axis[i][d->b] = c->cv.axis[i][d->b] = 0;
        }
    }
    return seen;
}

/* Brings positions to the distances after a drift of length h from `start` on, and, at the end of a step, velocities along them. */
static kdr_status coupled_hold(coupled *c, const numbers *start, bool still, double h) {
    kdr_particles seen = coupled_to_hold(c);
    const void *const from[3] = {start ? start->axis[0] : NULL, start ? start->axis[1] : NULL, start ? start->axis[2] : NULL};
    const kdr_status status = kdr_reference_coupled_distances(c->desc, &seen, start ? from : NULL, h, still ? c->whole : 0.0, c->error);
    coupled_copy(c, &c->v, &c->held_v);
    return status;
}

/* x += h v, of each particle back on what holds it; of methods that hold no drift v may be another velocity. */
static void coupled_drift_by(const coupled *c, double h, const numbers *v) {
    if (!(c->rules.terms & KDR_TERM_HELD)) {
        coupled_gain(c, h, v, &c->x, &c->cx);
        return;
    }
    for (size_t n = 0; n < c->particles->count; ++n) {
        particle p = coupled_one(c, n);
        if (p.w != (real)0.0) {
            drift(&p, h);
            coupled_put(c, &p);
        }
    }
}

/* After a kick of length h: velocities at x along what holds there. */
static void coupled_hold_velocities(const coupled *c, double h, const numbers *v) {
    for (size_t n = 0; (c->rules.terms & KDR_TERM_HELD) && n < c->particles->count; ++n) {
        particle p = coupled_one(c, n);
        for (int i = 0; i < p.dims; ++i) {
            p.v[i] = v->axis[i][n];
        }
        hold_velocity(&p, h, false);
        for (int i = 0; i < p.dims && p.w != (real)0.0; ++i) {
            v->axis[i][n] = p.v[i];
            c->cv.axis[i][n] = v == &c->v ? p.cv[i] : c->cv.axis[i][n];
        }
    }
}
