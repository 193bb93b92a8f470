/* Molecules, which are particles joined by distances, between surfaces. The order is that of force/collider.h.
 *
 * A molecule flies from c->before, c->vs (place and velocity) to c->x, c->v. c->mean has its accelerations, c->sum velocities that are
 * kept meanwhile, c->kv[0] velocities before equations are solved, c->xs changes of velocities by impulses. */

#include "system_joints.inl"

/* Begins friction on the particles that surfaces push, against their velocities along the surfaces. Returns whether some rub. */
static bool begin_rubbing(const ref_molecule *m, ref_stand *stands, size_t count) {
    const particle *const p = &m->c->rules;
    bool any = false;
    for (ref_stand *s = stands; s < stands + count; ++s) {
        real v[3];
        velocity_from(m->c, &m->c->v, s->particle, &s->w, v);
        const real across = dot(p, v, s->n);
        for (int i = 0; i < 3; ++i) {
            s->along[i] = i < p->dims ? mul_add(p, -across, s->n[i], v[i]) : 0;
        }
        s->speed = normalise(p, s->along);
        s->force = s->rubbed = s->more = 0;
        s->rubs = s->sticks = s->presses && s->w.rubs && 0 < s->impulse && 0 < s->speed;
        any = any || s->rubs;
    }
    return any;
}

/* Stops particles that stick, while the forces on those that slide act. The first `others` joints stay. */
static void stop_sticking(ref_molecule *m, ref_stand *stands, size_t count, size_t others) {
    const ref_system *const c = m->c;
    m->joined = others;
    for (ref_stand *s = stands; s < stands + count; ++s) {
        if (s->rubs && s->sticks) {
            join_surface(m, s->particle, s->along, speed_of_surface(&c->rules, &s->w, s->along));
        } else if (s->rubs) {
            add_to(c, &c->v, s->particle, -(s->force * inverse_mass_of(c, s->particle)), s->along);
        }
    }
    solve_joints(m);
    size_t joined = others, presses = 0;
    while (presses < others && m->joints[presses].is_rod) {
        ++presses;
    }
    for (ref_stand *s = stands; s < stands + count; ++s) {
        s->more = s->presses && presses < others ? m->joints[presses++].impulse : 0;
        if (s->rubs && s->sticks) {
            s->force = -m->joints[joined++].impulse;
        }
    }
    m->joined = others;
}

/* Has a particle slide from now on if it sticks by more than the surface can hold. Returns whether any does. */
static bool let_slide(const ref_molecule *m, ref_stand *stands, size_t count) {
    bool any = false;
    for (ref_stand *s = stands; s < stands + count; ++s) {
        if (!s->rubs || !s->sticks) {
            continue;
        }
        const real stop = s->force, slides = mul_add(&m->c->rules, s->w.friction, stop, s->w.sliding * s->impulse);
        const bool holds = s->w.keep * stop <= s->w.sticking * s->impulse || stop <= slides;
        if (!(0 < stop) || !holds) {
            s->force = 0 < stop ? slides : 0;
            s->sticks = false;
            any = true;
        }
    }
    return any;
}

/* Applies friction to all particles that surfaces push, with the joints that are there. c->sum keeps the velocities before it. Returns
 * whether something rubs. */
static bool rub_all(ref_molecule *m, ref_stand *stands, size_t count) {
    const ref_system *const c = m->c;
    const size_t others = m->joined;
    if (!begin_rubbing(m, stands, count)) {
        return false;
    }
    copy_members(m, &c->v, &c->sum);
    stop_sticking(m, stands, count, others);
    for (int round = 0; round < CONE_ROUNDS && let_slide(m, stands, count); ++round) {
        copy_members(m, &c->sum, &c->v);
        stop_sticking(m, stands, count, others);
    }
    return true;
}

/* Computes the energy that friction takes: its impulse times the mean of the speeds before it, those of `from`, and after it. */
static void count_rubbing(const ref_molecule *m, const numbers *from, ref_stand *stands, size_t count) {
    const ref_system *const c = m->c;
    for (ref_stand *s = stands; s < stands + count; ++s) {
        real v0[3], v[3];
        velocity_from(c, from, s->particle, &s->w, v0);
        velocity_from(c, &c->v, s->particle, &s->w, v);
        s->rubbed = s->rubs ? (real)0.5 * s->force * (dot(&c->rules, v0, s->along) + dot(&c->rules, v, s->along)) : 0;
    }
}

static real speed_into(const ref_molecule *m, const ref_stand *s, real *size) {
    real v[3];
    vector_of(m->c, &m->c->v, s->particle, v);
    *size = size_of(m->c->rules.dims, v);
    return dot(&m->c->rules, v, s->n) - speed_of_surface(&m->c->rules, &s->w, s->n);
}

/* Makes one round of impulses by the surfaces that press. Returns whether other surfaces press after it. */
static bool press_once(ref_molecule *m, size_t rods) {
    bool changed = false;
    copy_members(m, &m->c->sum, &m->c->v);
    m->joined = rods;
    for (const ref_stand *s = m->stands; s < m->stands + m->standing; ++s) {
        if (s->presses) {
            join_surface(m, s->particle, s->n, speed_of_surface(&m->c->rules, &s->w, s->n));
        }
    }
    solve_joints(m);
    const ref_joint *j = m->joints + rods;
    for (ref_stand *s = m->stands; s < m->stands + m->standing; ++s) {
        real size;
        const real into = speed_into(m, s, &size);
        s->impulse = s->presses ? (j++)->impulse : 0;
        const bool presses = s->presses ? !(s->impulse < 0) : s->pushed && into < -16 * EPSILON * size;
        changed = changed || presses != s->presses;
        s->presses = presses;
    }
    return changed;
}

/* Lets no velocity go into the surfaces that were pushed; they do not pull. */
static void press_stands(ref_molecule *m) {
    const size_t rods = m->joined;
    bool changed = false;
    real size;
    for (ref_stand *s = m->stands; s < m->stands + m->standing; ++s) {
        s->presses = s->pushed && speed_into(m, s, &size) < 0;
        changed = changed || s->presses;
    }
    copy_members(m, &m->c->v, &m->c->sum);
    for (int round = 0; round < CONE_ROUNDS && changed; ++round) {
        changed = press_once(m, rods);
    }
}

/* Joins a rod that shall keep the length with which the flight begins; correcting that length in a short flight could need any speed.
 * Returns whether it is off. */
static bool join_length(ref_molecule *m, const kdr_distance *rod) {
    const ref_system *const c = m->c;
    const particle *const p = &c->rules;
    ref_joint j = {.is_rod = true, .a = rod->a, .b = rod->b, .mass = inverse_mass_of(c, rod->a) + inverse_mass_of(c, rod->b)};
    real d[3] = {0}, s[3] = {0}, wide[3] = {0}, far[3] = {0};
    for (int i = 0; i < p->dims; ++i) {
        const real box = (real)m->rods.box[i], half = (real)0.5 * box, x_a = c->x.axis[i][rod->a], x_b = c->x.axis[i][rod->b];
        const real now = x_b - x_a, before = c->before.axis[i][rod->b] - c->before.axis[i][rod->a];
        d[i] = now > half ? now - box : now < -half ? now + box : now;
        s[i] = before > half ? before - box : before < -half ? before + box : before;
        wide[i] = d[i] < 0 ? -d[i] : d[i];
        far[i] = (x_a < 0 ? -x_a : x_a) + (x_b < 0 ? -x_b : x_b);
    }
    const real q = dot(p, d, d), square = dot(p, s, s), e = q - square, product = dot(p, d, s);
    const real tolerance = (real)(2.0 * m->rods.tolerance * (rod->length * rod->length)), inverse = (real)(1.0 / rod->length);
    const real beyond = larger(tolerance, 4 * EPSILON * dot(p, wide, far));
    const bool turned = product < (real)0.25 * square;
    const real *const way = turned ? d : s, along = turned ? q : product;
    if (!(0 < along) || !(0 < j.mass)) {
        return false;
    }
    for (int i = 0; i < p->dims; ++i) {
        j.n[i] = inverse * way[i];
    }
    j.aim = -(inverse * e * dot(p, way, way)) / (2 * along);
    m->joints[m->joined++] = j;
    return e > beyond || e < -beyond;
}

/* Joins a particle to the surface that it rests on, if it is beyond it or was in this flight. Returns whether it is beyond by more than
 * rounding. */
static bool join_place(ref_molecule *m, ref_stand *s) {
    const particle *const p = &m->c->rules;
    real x[3];
    vector_of(m->c, &m->c->x, s->particle, x);
    const real gap = gap_of(p, &s->w, s->met.face, 0, m->end, x, s->n), room = room_at(p, &s->w, x);
    s->pushed = s->pushed || gap < 0;
    if (s->pushed) {
        join_surface(m, s->particle, s->n, -gap);
    }
    return gap < -room;
}

/* Moves all particles along the joints at once, as far as each joint needs. Velocities change with the places that rods change. Returns
 * the largest displacement. */
static real move_along_joints(ref_molecule *m, real inverse_time) {
    const ref_system *const c = m->c;
    const real none[3] = {0};
    real size, worst;
    copy_members(m, &c->v, &c->sum);
    EACH_MEMBER(m, n) { set_vector(c, &c->v, n, none); } /* holds displacements in place of velocities */
    for (ref_joint *j = m->joints; j < m->joints + m->joined; ++j) {
        j->impulse = 0;
    }
    size_t steps = most_steps(m);
    const real square = begin_descent(m, &size, &worst);
    descend(m, square, worst, HELD_PART * worst, &steps);
    EACH_MEMBER(m, n) {
        for (int i = 0; i < c->rules.dims; ++i) {
            c->x.axis[i][n] = c->x.axis[i][n] + c->v.axis[i][n];
        }
    }
    copy_members(m, &c->sum, &c->v);
    for (const ref_joint *j = m->joints; j < m->joints + m->joined; ++j) {
        const real impulse = j->is_rod ? inverse_time * j->impulse : 0;
        add_to(c, &c->v, j->a, -(impulse * inverse_mass_of(c, j->a)), j->n);
        add_to(c, &c->v, j->b, impulse * inverse_mass_of(c, j->b), j->n);
    }
    return worst;
}

/* Brings all rods to their lengths, and each particle that is beyond its surface back on it. With an inverse_time of 0, velocities stay. */
static void hold_together(ref_molecule *m, real inverse_time) {
    real before = (real)INFINITY;
    for (int round = 0; round < MOST_HOLDS; ++round) {
        bool off = false;
        m->joined = 0;
        for (size_t k = 0; k < m->rods.count; ++k) {
            off = join_length(m, &m->rods.distances[k]) || off;
        }
        for (ref_stand *s = m->stands; s < m->stands + m->standing; ++s) {
            off = join_place(m, s) || off;
        }
        if (!off) {
            break;
        }
        const real worst = move_along_joints(m, inverse_time);
        if (round >= FIRST_HOLDS && !(worst < before)) {
            break; /* not all rods can have their lengths at once */
        }
        before = worst;
    }
    for (ref_stand *s = m->stands; s < m->stands + m->standing; ++s) {
        real x[3];
        vector_of(m->c, &m->c->x, s->particle, x);
        if (s->pushed) {
            put_on_it(&m->c->rules, &s->w, s->met.face, 0, m->end, x, s->n);
            set_vector(m->c, &m->c->x, s->particle, x);
        }
    }
}

/* Returns the time at which the step ends. */
static double end_of_step(const ref_system *c) { return kdr_clock_time(c->clock, c->step - c->rules.later, 1.0); }

/* Makes a flight of this time: velocity Verlet between SHAKE and RATTLE, in front of the surfaces that particles rest on. */
static void fly_molecule(ref_molecule *m, real time) {
    const ref_system *const c = m->c;
    const real half = (real)0.5 * time;
    ++m->flown;
    m->end = end_of_step(c) - ((double)((real)c->clock->dt * m->left) - (double)time);
    copy_members(m, &c->before, &c->x);
    copy_members(m, &c->vs, &c->v);
    EACH_MEMBER(m, n) {
        real a[3], v[3];
        vector_of(c, &c->mean, n, a);
        if (inverse_mass_of(c, n) != 0) {
            add_to(c, &c->v, n, half, a);
            vector_of(c, &c->v, n, v);
            add_to(c, &c->x, n, time, v);
        }
    }
    for (ref_stand *s = m->stands; s < m->stands + m->standing; ++s) {
        s->pushed = false;
    }
    hold_together(m, (real)(1.0 / (double)time));
    EACH_MEMBER(m, n) {
        real a[3];
        vector_of(c, &c->mean, n, a);
        add_to(c, &c->v, n, inverse_mass_of(c, n) != 0 ? half : 0, a);
    }
    join_rods(m);
    solve_joints(m);
    press_stands(m);
    if (rub_all(m, m->stands, m->standing)) {
        count_rubbing(m, &c->vs, m->stands, m->standing);
        EACH_MEMBER(m, n) {
            for (int i = 0; i < c->rules.dims; ++i) {
                c->x.axis[i][n] = mul_add(&c->rules, half, c->v.axis[i][n] - c->sum.axis[i][n], c->x.axis[i][n]);
            }
        }
        hold_together(m, 0);
    }
}

#include "system_contacts.inl"

/* Finds the molecules and the order of a sweep, if there are distances and colliders. */
static kdr_status system_find_molecules(ref_system *c) {
    const size_t count = c->desc->distance_count;
    if (count == 0 || c->problem->collider_count == 0) {
        return KDR_OK;
    }
    size_t *const first = calloc(c->particles->count + 1, sizeof *first), *const order = malloc(count * sizeof *order);
    c->molecule = first;
    c->order = order;
    KDR_CHECK(first && order && kdr_reference_sweep_order(c->desc->distances, count, order) == KDR_OK, c->error, KDR_ERROR_NO_MEMORY,
              "reference: no memory for %zu distances", count);
    for (size_t k = 0; k < count; ++k) {
        first[c->desc->distances[k].a] = c->desc->distances[k].a + 1;
        first[c->desc->distances[k].b] = c->desc->distances[k].b + 1;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t k = 0; k < count; ++k) {
            size_t *const a = &first[c->desc->distances[k].a], *const b = &first[c->desc->distances[k].b];
            const size_t least = *a < *b ? *a : *b;
            changed = changed || *a != *b;
            *a = *b = least;
        }
    }
    return KDR_OK;
}
