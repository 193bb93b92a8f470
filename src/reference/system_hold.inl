/* Constraints in a step of a system run: distances between particles, and constraints on each. */

/* Adds the change of velocities since distances last held them. */
static void system_gain_velocities(const ref_system *c) {
    for (int i = 0; i < c->rules.dims; ++i) {
        for (size_t n = 0; n < c->particles->count; ++n) {
            c->gained.axis[i][n] = c->gained.axis[i][n] + (c->v.axis[i][n] - c->held_v.axis[i][n]);
        }
    }
}

static void system_begin_gains(const ref_system *c) {
    for (int i = 0; i < c->rules.dims; ++i) {
        memset(c->gained.axis[i], 0, c->particles->count * sizeof(real));
    }
    system_copy(c, &c->v, &c->held_v);
}

/* Makes the view on which distances act. Compensations of the particles that they hold become 0. */
static kdr_particles system_to_hold(const ref_system *c) {
    system_gain_velocities(c);
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

/* Corrects positions after a drift of length h from `start`, and with `still`, at the end of a step, velocities. */
static kdr_status system_hold(ref_system *c, const numbers *start, bool still, double h) {
    kdr_particles seen = system_to_hold(c);
    const void *const from[3] = {start ? start->axis[0] : NULL, start ? start->axis[1] : NULL, start ? start->axis[2] : NULL};
    const kdr_status status = kdr_reference_system_distances(c->desc, &seen, start ? from : NULL, h, still ? c->whole : 0.0, c->error);
    system_copy(c, &c->v, &c->held_v);
    return status;
}

/* Computes x += h v, followed by each particle's constraints. For methods that do not hold each drift, v may be another velocity. */
static void system_drift_by(const ref_system *c, double h, const numbers *v) {
    if (!(c->rules.terms & KDR_TERM_HELD)) {
        system_gain(c, h, v, &c->x, &c->cx);
        return;
    }
    for (size_t n = 0; n < c->particles->count; ++n) {
        particle p = system_one(c, n);
        if (p.w != (real)0.0) {
            drift(&p, h);
            system_put(c, &p);
        }
    }
}

/* Projects velocities onto the constraints at x, after a kick of length h. */
static void system_hold_velocities(const ref_system *c, double h, const numbers *v) {
    for (size_t n = 0; (c->rules.terms & KDR_TERM_HELD) && n < c->particles->count; ++n) {
        particle p = system_one(c, n);
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
