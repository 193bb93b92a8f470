/* Molecules between surfaces, in the order that force/collider.h sets. The code is scalar, so only units with one lane have it. */

#include "../../particles/layout.h"
#include "../molecules.h"

/* The steps of a solution by conjugate gradients: 2 per joint plus MORE_STEPS, at most MOST_STEPS; it is restarted at most SOLVED_AGAIN
 * times. */
enum { SOLVED_AGAIN = 4, MORE_STEPS = 8, MOST_STEPS = 512 };
/* Rounds that hold rods; from FIRST_HOLDS on the worst error must decrease in each. */
enum { MOST_HOLDS = 32, FIRST_HOLDS = 8 };
enum { MOST_LOOKS = 16, CONE_ROUNDS = 8, MOST_TRIES = 16, MOST_SOONER = 4 };

/* The shortest flight, as a fraction of a step: in shorter ones, rounded positions no longer determine velocities. */
#define LEAST_FLIGHT (16 * EPSILON)

/* A particle of a molecule. A flight takes it from x0, v0 to x, v; `a` is its mean acceleration by everything except distances. */
typedef struct atom {
    uint32_t index; /* index in the view */
    real w, radius, x0[3], v0[3], x[3], v[3], a[3], kept[3], undo[3], change[3], taken[2];
} atom;

/* A direction n along which the speed of b, minus that of a, shall become `aim`. A surface has only b. */
typedef struct joint {
    uint32_t a, b;
    bool is_rod;
    /* mass: the speed that a unit of impulse gives, if there were no other joint */
    real n[3], mass, aim, impulse, undo, left, way, gain;
} joint;

/* A particle of the molecule that rests on a surface in a flight. Friction acts on it against `along` with the impulse `force`, and
 * takes the energy `rubbed`. */
typedef struct stand {
    uint32_t atom;
    bool pushed, presses, rubs, sticks;
    real surface, face, at, n[3], impulse, more; /* `more`: impulse along n while friction acts */
    real along[3], speed, force, rubbed;
} stand;

/* The fraction of the worst joint's error that a round may leave. */
#define HELD_PART ((real)0x1p-10)

typedef struct molecule {
    const kdr_molecule_job *job;
    const wall *walls;
    const uint32_t *a, *b;
    const double *length;
    atom *atoms;
    joint *joints;
    stand *stands;
    uint32_t count, rods, joined, standing, most;
    uint32_t flown; /* number of flights of all particles in this step */
    int D;
    real h, left;
    double end; /* time of the end of the flight, and at first of the step */
} molecule;

INLINE bool is_free(const atom *p) { return p->w != 0; }

/* Computes the difference between two places, or to the nearest image. */
static void between(const molecule *m, const real *from, const real *to, real *d) {
    for (int i = 0; i < m->D; ++i) {
        const real size = (real)m->job->box[i], half = (real)0.5 * size, far = to[i] - from[i];
        d[i] = size != 0 && half < far ? far - size : size != 0 && far < -half ? far + size : far;
    }
}

static real size_of(int D, const real *a) {
    real size = 0;
    for (int i = 0; i < D; ++i) {
        size = size + (a[i] < 0 ? -a[i] : a[i]);
    }
    return size;
}

INLINE void add_times(int D, real g, const real *n, real *y) {
    for (int i = 0; i < D; ++i) {
        y[i] = mul_add(g, n[i], y[i]);
    }
}

INLINE const wall *wall_of(const molecule *m, const stand *s) { return &m->walls[(size_t)s->surface]; }

/* Returns the speed of a surface along n. */
static real speed_of_surface(int D, const wall *w, const real *n) {
    const real u[3] = {(real)w->velocity[0], (real)w->velocity[1], (real)w->velocity[2]};
    return w->moves ? dot_of(D, u, n) : 0;
}

/* Computes a velocity relative to a surface. */
static void velocity_from(int D, const wall *w, const real *v, real *seen) {
    for (int i = 0; i < D; ++i) {
        seen[i] = v[i] - (real)w->velocity[i];
    }
}

/* Returns the speed along a joint, if its ends move with velocities a and b. */
INLINE real speed_of(int D, const joint *j, const real *a, const real *b) {
    real u[3] = {0};
    for (int i = 0; i < D; ++i) {
        u[i] = j->is_rod ? b[i] - a[i] : b[i];
    }
    return dot_of(D, j->n, u);
}

/* Makes one step of conjugate gradients; *square is the sum of left left / mass. Returns whether an error above `enough` is left. */
static bool descend(molecule *m, real *square, real enough) {
    const int D = m->D;
    real steep = 0, flat = 0, next = 0, worst = 0;
    for (atom *p = m->atoms; p < m->atoms + m->count; ++p) {
        p->change[0] = p->change[1] = p->change[2] = 0;
    }
    for (const joint *j = m->joints; j < m->joints + m->joined; ++j) {
        add_times(D, j->way * m->atoms[j->b].w, j->n, m->atoms[j->b].change);
        add_times(j->is_rod ? D : 0, -(j->way * m->atoms[j->a].w), j->n, m->atoms[j->a].change);
    }
    for (joint *j = m->joints; j < m->joints + m->joined; ++j) {
        j->gain = speed_of(D, j, m->atoms[j->a].change, m->atoms[j->b].change);
        steep = mul_add(j->way, j->gain, steep);
        flat = mul_add(j->way * j->mass, j->way, flat);
    }
    if (!(FLAT * flat < steep)) {
        return false;
    }
    const real step = *square / steep;
    for (atom *p = m->atoms; p < m->atoms + m->count; ++p) {
        add_times(D, step, p->change, p->v);
    }
    for (joint *j = m->joints; j < m->joints + m->joined; ++j) {
        j->impulse = mul_add(step, j->way, j->impulse);
        j->left = mul_add(-step, j->gain, j->left);
        next = mul_add(j->left, j->left / j->mass, next);
        worst = v_max(worst, v_max(j->left, -j->left));
    }
    const real turn = next / *square;
    for (joint *j = m->joints; j < m->joints + m->joined; ++j) {
        j->way = mul_add(turn, j->way, j->left / j->mass);
    }
    *square = next;
    return enough < worst;
}

/* Saves the solution, or restores it. */
static void keep_solved(const molecule *m, bool back) {
    for (atom *p = m->atoms; p < m->atoms + m->count; ++p) {
        memcpy(back ? p->v : p->undo, back ? p->undo : p->v, sizeof p->v);
    }
    for (joint *j = m->joints; j < m->joints + m->joined; ++j) {
        *(back ? &j->impulse : &j->undo) = back ? j->undo : j->impulse;
    }
}

/* Computes each joint's error `left` and the first direction `way` of the conjugate gradients. Returns the largest error. *size becomes
 * the largest speed, *square the sum of left left / mass. */
static real begin_descent(molecule *m, real *size, real *square) {
    real worst = 0;
    *size = *square = 0;
    for (const atom *p = m->atoms; p < m->atoms + m->count; ++p) {
        *size = v_max(*size, size_of(m->D, p->v));
    }
    for (joint *j = m->joints; j < m->joints + m->joined; ++j) {
        j->left = j->aim - speed_of(m->D, j, m->atoms[j->a].v, m->atoms[j->b].v);
        j->way = j->left / j->mass;
        *square = mul_add(j->left, j->way, *square);
        worst = v_max(worst, v_max(j->left, -j->left));
        *size = v_max(*size, v_max(j->aim, -j->aim));
    }
    return worst;
}

INLINE uint32_t most_steps(const molecule *m) {
    const uint32_t wanted = 2 * m->joined + MORE_STEPS;
    return wanted < MOST_STEPS ? wanted : MOST_STEPS;
}

/* Makes steps until no joint's error exceeds `enough`, at most *steps, which it counts down. */
static void descend_to(molecule *m, real square, real enough, uint32_t *steps) {
    for (bool more = true; more && *steps > 0; --*steps) {
        more = descend(m, &square, enough);
    }
}

static void forget_impulses(const molecule *m) {
    for (joint *j = m->joints; j < m->joints + m->joined; ++j) {
        j->impulse = 0;
    }
}

/* Applies impulses along the joints, so that each gets its speed. Impulses that do not bring them nearer are undone. */
static void solve(molecule *m) {
    real before = 0;
    uint32_t steps = most_steps(m);
    forget_impulses(m);
    for (int again = 0; again <= SOLVED_AGAIN; ++again) {
        real size, square;
        const real worst = begin_descent(m, &size, &square);
        if (again > 0 && !(worst < before)) {
            keep_solved(m, true);
            return;
        }
        if (again == SOLVED_AGAIN || steps == 0 || !(8 * EPSILON * size < worst)) {
            return;
        }
        keep_solved(m, false);
        before = worst;
        descend_to(m, square, 4 * EPSILON * size, &steps);
    }
}

/* Makes the joints of the rods at the particles' present places, and no others. */
static void join_rods(molecule *m) {
    m->joined = 0;
    for (uint32_t rod = 0; rod < m->rods; ++rod) {
        joint *const j = &m->joints[m->joined];
        const atom *const a = &m->atoms[m->a[rod]], *const b = &m->atoms[m->b[rod]];
        const real inverse = (real)(1.0 / m->length[rod]);
        *j = (joint){.a = m->a[rod], .b = m->b[rod], .is_rod = true, .mass = a->w + b->w};
        between(m, a->x, b->x, j->n);
        for (int i = 0; i < m->D; ++i) {
            j->n[i] = j->n[i] * inverse;
        }
        m->joined += 0 < j->mass;
    }
}

static joint *join_surface(molecule *m, uint32_t which, const real *n, real aim) {
    joint *const j = &m->joints[m->joined++];
    *j = (joint){.a = which, .b = which, .mass = m->atoms[which].w, .aim = aim};
    memcpy(j->n, n, (size_t)m->D * sizeof *n);
    return j;
}

static void keep_velocities(const molecule *m, bool back) {
    for (atom *p = m->atoms; p < m->atoms + m->count; ++p) {
        memcpy(back ? p->v : p->kept, back ? p->kept : p->v, sizeof p->v);
    }
}

/* Finds the direction and speed of friction for particles that surfaces push. Returns whether some rub. */
static bool begin_rubbing(molecule *m, stand *stands, uint32_t count) {
    bool any = false;
    for (stand *s = stands; s < stands + count; ++s) {
        real v[3] = {0};
        velocity_from(m->D, wall_of(m, s), m->atoms[s->atom].v, v);
        const real across = dot_of(m->D, v, s->n);
        for (int i = 0; i < m->D; ++i) {
            s->along[i] = mul_add(-across, s->n[i], v[i]);
        }
        s->speed = normalise(m->D, s->along);
        s->force = s->rubbed = s->more = 0;
        s->rubs = s->sticks = s->presses && wall_of(m, s)->rubs && 0 < s->impulse && 0 < s->speed;
        any = any || s->rubs;
    }
    return any;
}

/* Stops particles that stick, together with the friction on the others. The joints are those of rods and of surfaces that do not yield,
 * followed by those that stick. */
static void stop_sticking(molecule *m, stand *stands, uint32_t count) {
    const uint32_t others = m->joined;
    for (stand *s = stands; s < stands + count; ++s) {
        if (s->rubs && s->sticks) {
            (void)join_surface(m, s->atom, s->along, speed_of_surface(m->D, wall_of(m, s), s->along));
        } else if (s->rubs) {
            add_times(m->D, -(s->force * m->atoms[s->atom].w), s->along, m->atoms[s->atom].v);
        }
    }
    solve(m);
    const joint *press = m->joints, *const pressed = m->joints + others, *j = pressed;
    while (press < pressed && press->is_rod) {
        ++press;
    }
    for (stand *s = stands; s < stands + count; ++s) {
        s->more = s->presses && press < pressed ? (press++)->impulse : 0;
        s->force = s->rubs && s->sticks ? -(j++)->impulse : s->force;
    }
    m->joined = others;
}

/* Has a sticking particle slide from now on if its friction would exceed the limit. Returns whether any does. */
static bool let_slide(const molecule *m, stand *stands, uint32_t count) {
    bool any = false;
    for (stand *s = stands; s < stands + count; ++s) {
        const wall *const w = wall_of(m, s);
        const real stop = s->force, slides = mul_add(w->friction, stop, w->sliding * s->impulse);
        if (s->rubs && s->sticks && (!(0 < stop) || (slides < stop && w->sticking * s->impulse < w->keep * stop))) {
            s->force = 0 < stop ? slides : 0;
            s->sticks = false;
            any = true;
        }
    }
    return any;
}

/* Applies friction to all particles that surfaces push, at once. The joints are those that do not yield. Velocities before it are kept.
 * Returns whether something rubs. */
static bool rub_all(molecule *m, stand *stands, uint32_t count) {
    if (!begin_rubbing(m, stands, count)) {
        return false;
    }
    keep_velocities(m, false);
    stop_sticking(m, stands, count);
    for (int round = 0; round < CONE_ROUNDS && let_slide(m, stands, count); ++round) {
        keep_velocities(m, true);
        stop_sticking(m, stands, count);
    }
    return true;
}

/* Computes the energy that friction takes: its impulse times the mean of the speeds before and after it. In a flight the speed before is
 * that at its beginning. */
static void count_rubbing(const molecule *m, stand *stands, uint32_t count, bool flew) {
    for (stand *s = stands; s < stands + count; ++s) {
        const atom *const p = &m->atoms[s->atom];
        const wall *const w = wall_of(m, s);
        real v0[3] = {0}, v[3] = {0};
        velocity_from(m->D, w, flew ? p->v0 : p->kept, v0);
        velocity_from(m->D, w, p->v, v);
        const real before = dot_of(m->D, v0, s->along), after = dot_of(m->D, v, s->along);
        s->rubbed = s->rubs ? (real)0.5 * s->force * (before + after) : 0;
    }
}

/* Returns how fast a particle moves away from the surface that it rests on. */
static real speed_away(const molecule *m, const stand *s) {
    return dot_of(m->D, m->atoms[s->atom].v, s->n) - speed_of_surface(m->D, wall_of(m, s), s->n);
}

/* Lets no velocity go into the surfaces that were pushed; those whose impulses would pull give none. */
static void press(molecule *m) {
    const uint32_t rods = m->joined;
    bool any = false, changed = true;
    for (stand *s = m->stands; s < m->stands + m->standing; ++s) {
        s->presses = s->pushed && speed_away(m, s) < 0;
        any = any || s->presses;
    }
    keep_velocities(m, false);
    for (int round = 0; round < CONE_ROUNDS && any && changed; ++round) {
        changed = false;
        keep_velocities(m, true);
        m->joined = rods;
        for (const stand *s = m->stands; s < m->stands + m->standing; ++s) {
            if (s->presses) {
                (void)join_surface(m, s->atom, s->n, speed_of_surface(m->D, wall_of(m, s), s->n));
            }
        }
        solve(m);
        const joint *j = m->joints + rods;
        for (stand *s = m->stands; s < m->stands + m->standing; ++s) {
            s->impulse = s->presses ? (j++)->impulse : 0;
            const bool goes_in = s->pushed && speed_away(m, s) < -16 * EPSILON * size_of(m->D, m->atoms[s->atom].v);
            const bool presses = s->presses ? !(s->impulse < 0) : goes_in;
            changed = changed || presses != s->presses;
            s->presses = presses;
        }
    }
}

/* Joins a rod that shall have the length with which the flight begins; correcting that length in a short flight could need any speed.
 * Returns whether it is off. */
static bool join_length(molecule *m, uint32_t rod) {
    const int D = m->D;
    const atom *const a = &m->atoms[m->a[rod]], *const b = &m->atoms[m->b[rod]];
    const double length = m->length[rod];
    const real tolerance = (real)(2.0 * m->job->tolerance * (length * length)), inverse = (real)(1.0 / length);
    real d[3] = {0}, s[3] = {0}, wide[3] = {0}, far[3] = {0};
    between(m, a->x, b->x, d);
    between(m, a->x0, b->x0, s);
    const real q = dot_of(D, d, d), square = dot_of(D, s, s), e = q - square;
    for (int i = 0; i < D; ++i) {
        wide[i] = d[i] < 0 ? -d[i] : d[i];
        far[i] = (a->x[i] < 0 ? -a->x[i] : a->x[i]) + (b->x[i] < 0 ? -b->x[i] : b->x[i]);
    }
    const real rounding = 4 * EPSILON * dot_of(D, wide, far), beyond = tolerance < rounding ? rounding : tolerance, along = dot_of(D, d, s);
    const bool turned = along < (real)0.25 * square;
    const real p = turned ? q : along, *const way = turned ? d : s;
    joint j = {.a = m->a[rod], .b = m->b[rod], .is_rod = true, .mass = a->w + b->w};
    if (!(0 < p) || !(0 < j.mass)) {
        return false;
    }
    for (int i = 0; i < D; ++i) {
        j.n[i] = inverse * way[i];
    }
    j.aim = -(inverse * e * dot_of(D, way, way)) / (2 * p);
    m->joints[m->joined++] = j;
    return beyond < e || e < -beyond;
}

/* Joins a particle to the surface that it rests on, if it is beyond it or was in this flight. Returns whether it is beyond by more than
 * rounding. */
static bool join_place(molecule *m, stand *s) {
    const atom *const p = &m->atoms[s->atom];
    const wall *const w = wall_of(m, s);
    const real room = room_at(w, m->D, p->x), gap = gap_of(w, m->D, p->radius, s->face, 0, m->end, p->x, s->n);
    s->pushed = s->pushed || gap < 0;
    if (s->pushed) {
        (void)join_surface(m, s->atom, s->n, -gap);
    }
    return gap < -room;
}

/* Moves all particles along the joints at once. Velocities change with the places that rods change. Returns the largest error. */
static real move_along_joints(molecule *m, real inverse_time) {
    real size, square;
    keep_velocities(m, false);
    for (atom *p = m->atoms; p < m->atoms + m->count; ++p) {
        p->v[0] = p->v[1] = p->v[2] = 0; /* holds displacements in place of velocities */
    }
    forget_impulses(m);
    uint32_t steps = most_steps(m);
    const real worst = begin_descent(m, &size, &square);
    descend_to(m, square, HELD_PART * worst, &steps);
    for (atom *p = m->atoms; p < m->atoms + m->count; ++p) {
        for (int i = 0; i < m->D; ++i) {
            p->x[i] = p->x[i] + p->v[i];
        }
    }
    keep_velocities(m, true);
    for (const joint *j = m->joints; j < m->joints + m->joined; ++j) {
        const real impulse = j->is_rod ? inverse_time * j->impulse : 0;
        add_times(m->D, -(impulse * m->atoms[j->a].w), j->n, m->atoms[j->a].v);
        add_times(m->D, impulse * m->atoms[j->b].w, j->n, m->atoms[j->b].v);
    }
    return worst;
}

/* Brings all rods to their lengths, and each particle that is beyond its surface back on it. With an inverse_time of 0, velocities stay. */
static void hold_together(molecule *m, real inverse_time) {
    real before = (real)INFINITY;
    for (uint32_t n = 0; n < MOST_HOLDS; ++n) {
        bool off = false;
        m->joined = 0;
        for (uint32_t rod = 0; rod < m->rods; ++rod) {
            off = join_length(m, rod) || off;
        }
        for (stand *s = m->stands; s < m->stands + m->standing; ++s) {
            off = join_place(m, s) || off;
        }
        if (!off) {
            break;
        }
        const real worst = move_along_joints(m, inverse_time);
        if (n >= FIRST_HOLDS && !(worst < before)) {
            break; /* not all rods can have their lengths at once */
        }
        before = worst;
    }
    for (stand *s = m->stands; s < m->stands + m->standing; ++s) {
        if (s->pushed) {
            atom *const p = &m->atoms[s->atom];
            put_on_it(wall_of(m, s), m->D, true, p->radius, s->face, 0, m->end, p->x, s->n);
        }
    }
}

/* Moves all particles from x0, v0 for this time: velocity Verlet between SHAKE and RATTLE, in front of the surfaces that they rest on. */
static void fly_together(molecule *m, real time) {
    const real half = (real)0.5 * time;
    ++m->flown;
    m->end = m->job->end - ((double)(m->h * m->left) - (double)time);
    for (atom *p = m->atoms; p < m->atoms + m->count; ++p) {
        memcpy(p->x, p->x0, sizeof p->x);
        memcpy(p->v, p->v0, sizeof p->v);
        add_times(is_free(p) ? m->D : 0, half, p->a, p->v);
        add_times(is_free(p) ? m->D : 0, time, p->v, p->x);
    }
    for (stand *s = m->stands; s < m->stands + m->standing; ++s) {
        s->pushed = false;
    }
    hold_together(m, (real)(1.0 / (double)time));
    for (atom *p = m->atoms; p < m->atoms + m->count; ++p) {
        add_times(is_free(p) ? m->D : 0, half, p->a, p->v);
    }
    join_rods(m);
    solve(m);
    press(m);
    if (rub_all(m, m->stands, m->standing)) {
        count_rubbing(m, m->stands, m->standing, true);
        for (atom *p = m->atoms; p < m->atoms + m->count; ++p) {
            for (int i = 0; i < m->D; ++i) {
                p->x[i] = mul_add(half, p->v[i] - p->kept[i], p->x[i]);
            }
        }
        hold_together(m, 0);
    }
}
