/* System steps in magnetic fields: those of methods/boris.inl, for all particles. */

/* Returns whether velocities are rotated: in a plane only by the field across it, on a line never. */
static bool system_is_turned(const ref_system *c) { return is_turned(&c->rules) || (c->rules.dims > 1 && c->desc->magnetic); }

/* Kicks and rotates particle n between the drifts of a step of length h. It rotates by its own field, or by the folded one, which all
 * particles share. */
static void system_kick_and_turn(const ref_system *c, size_t n, double h) {
    particle p = system_one(c, n);
    const bool own = c->desc->magnetic || (p.terms & KDR_TERM_CUSTOM_MAGNETIC);
    real a[3] = {0}, m[3] = {c->m.axis[0][n], c->m.axis[1][n], c->m.axis[2][n]};
    for (int i = 0; i < p.dims; ++i) {
        a[i] = c->a.axis[i][n];
    }
    if (p.w != (real)0.0) {
        p.h = h;
        kick_and_turn(&p, system_is_turned(c), own, a, m);
        system_put(c, &p);
    }
}

static void system_ordinary_drift(const ref_system *c, double h) {
    for (size_t n = 0; n < c->particles->count; ++n) {
        particle p = system_one(c, n);
        if (p.w != (real)0.0) {
            ordinary_drift(&p, h);
            system_put(c, &p);
        }
    }
}

/* Makes a drift at whose end the distances hold. */
static kdr_status system_held_ordinary_drift(ref_system *c, double h) {
    system_copy(c, &c->x, &c->before);
    system_ordinary_drift(c, h);
    return c->desc->distance_count > 0 ? system_hold(c, &c->before, false, h) : KDR_OK;
}

/* Returns half the angles of a step. Particles rotate by their own fields, or by the folded one. */
static kdr_half_angles system_angles(const ref_system *c) {
    kdr_half_angles angles = {.masses = (c->rules.terms & KDR_TERM_MASS) != 0};
    const bool own = c->desc->magnetic || (c->rules.terms & KDR_TERM_CUSTOM_MAGNETIC);
    for (int i = 0; i < (c->rules.dims == 3 ? 3 : 1); ++i) {
        const int axis = c->rules.dims == 3 ? i : 2;
        angles.by[i] = own ? c->h * 0.5 : c->h * 0.5 * c->problem->field.magnetic[axis];
        angles.field[i] = own ? c->m.axis[axis] : NULL;
    }
    return angles;
}

/* Kicks and rotates particles with distances. Velocities lie along the distances before the rotation, and half of the impulse that makes
 * them do so after it acts before it. */
static kdr_status system_turn_rods(ref_system *c) {
    const bool own = c->desc->magnetic || (c->rules.terms & KDR_TERM_CUSTOM_MAGNETIC);
    const kdr_half_angles angles = system_angles(c);
    system_kick_by(c, c->h * 0.5, &c->a);
    kdr_status status = system_hold(c, NULL, true, c->clock->dt);
    for (size_t n = 0; n < c->particles->count && status == KDR_OK; ++n) {
        particle p = system_one(c, n);
        const real m[3] = {c->m.axis[0][n], c->m.axis[1][n], c->m.axis[2][n]};
        real t[3];
        if (p.w != (real)0.0) {
            if (own) {
                half_angles(&p, m, t);
                rotation(&p, t);
            }
            turn(&p);
            system_put(c, &p);
        }
    }
    if (status == KDR_OK) {
        kdr_particles seen = system_to_hold(c);
        status = kdr_reference_system_turned(c->desc, &seen, &angles, c->whole, c->error);
        system_copy(c, &c->v, &c->held_v);
    }
    if (status == KDR_OK) {
        system_kick_by(c, c->h * 0.5, &c->a);
    }
    return status;
}

/* Makes a step of Boris, as for one particle in methods/boris.inl. */
static kdr_status system_boris(ref_system *c, uint64_t step) {
    kdr_status status = system_held_ordinary_drift(c, c->h * 0.5);
    if (status == KDR_OK) {
        status = system_accelerations(c, &c->x, &c->v, step, 0.5, &c->a);
    }
    if (status == KDR_OK && c->desc->distance_count > 0 && system_is_turned(c)) {
        status = system_turn_rods(c);
    } else {
        for (size_t n = 0; n < c->particles->count && status == KDR_OK; ++n) {
            system_kick_and_turn(c, n, c->h);
        }
    }
    return status == KDR_OK ? system_held_ordinary_drift(c, c->h * 0.5) : status;
}
