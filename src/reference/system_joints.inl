/* Joints of a molecule: the rods, and the surfaces that its particles touch. Impulses act along all of them at once, in the order that
 * force/collider.h sets. */

enum { SOLVED_AGAIN = 4, MORE_STEPS = 8, MOST_STEPS = 512, MOST_HOLDS = 32, FIRST_HOLDS = 8 };
enum { MOST_LOOKS = 16, CONE_ROUNDS = 8, MOST_STANDS = 3, MOST_TRIES = 16, MOST_SOONER = 4 };

/* The shortest flight, as a fraction of a step: in shorter ones, rounded positions no longer determine velocities. */
#define LEAST_FLIGHT (16 * EPSILON)

/* The fraction of the worst joint's error that a round may leave. */
#define HELD_PART ((real)0x1p-10)

/* A direction in which the speed of b, minus that of a, shall become `aim`: that of a rod, or of a surface, which has only b. */
typedef struct ref_joint {
    bool is_rod;
    size_t a, b;
    real n[3], aim;
    real mass;            /* the speed that a unit of impulse gives, if there were no other joint */
    real impulse, undo;   /* impulse, and its value before the latest try */
    real left, way, gain; /* conjugate gradients: the residual, the direction, and the effect of that */
} ref_joint;

/* A surface that a particle rests on in a flight. */
typedef struct ref_stand {
    size_t particle;
    ref_meeting met;
    wall w;
    real at; /* speed of the approach, or 0 */
    bool pushed, presses, rubs, sticks;
    real n[3], impulse, more;            /* `more`: impulse along n while friction acts */
    real along[3], speed, force, rubbed; /* friction is a force against `along`, and takes the energy `rubbed` */
} ref_stand;

typedef struct ref_molecule {
    const ref_system *c;
    kdr_distance_constraints_desc rods; /* the rods of this molecule, in the order of sweeps */
    const size_t *member;               /* `members` particles */
    size_t members;
    ref_joint *joints;
    size_t joined;
    ref_stand *stands;
    size_t standing;
    real (*taken)[2], left;
    double end;   /* time of the end of the flight, and at first of the step */
    size_t flown; /* number of flights of all particles in this step */
} ref_molecule;

#define EACH_MEMBER(m, n)                                                                                                                  \
    for (size_t n##_at = 0; n##_at < (m)->members; ++n##_at)                                                                               \
        for (size_t n = (m)->member[n##_at], n##_once = 1; n##_once; n##_once = 0)

static void vector_of(const ref_system *c, const numbers *from, size_t n, real to[3]) {
    for (int i = 0; i < 3; ++i) {
        to[i] = i < c->rules.dims ? from->axis[i][n] : 0;
    }
}

static void set_vector(const ref_system *c, const numbers *to, size_t n, const real from[3]) {
    for (int i = 0; i < c->rules.dims; ++i) {
        to->axis[i][n] = from[i];
    }
}

/* Computes y += g n for one particle. */
static void add_to(const ref_system *c, const numbers *y, size_t which, real g, const real n[3]) {
    for (int i = 0; i < c->rules.dims; ++i) {
        y->axis[i][which] = mul_add(&c->rules, g, n[i], y->axis[i][which]);
    }
}

static void copy_members(const ref_molecule *m, const numbers *from, const numbers *to) {
    EACH_MEMBER(m, n) {
        for (int i = 0; i < m->c->rules.dims; ++i) {
            to->axis[i][n] = from->axis[i][n];
        }
    }
}

static real size_of(int dims, const real a[3]) {
    real size = 0;
    for (int i = 0; i < dims; ++i) {
        size = size + (a[i] < 0 ? -a[i] : a[i]);
    }
    return size;
}

static real speed_along(const ref_molecule *m, const ref_joint *j, const numbers *v) {
    real u[3] = {0};
    for (int i = 0; i < m->c->rules.dims; ++i) {
        u[i] = j->is_rod ? v->axis[i][j->b] - v->axis[i][j->a] : v->axis[i][j->b];
    }
    return dot(&m->c->rules, j->n, u);
}

/* Makes the joints of the rods at the particles' present places, and no others. */
static void join_rods(ref_molecule *m) {
    m->joined = 0;
    for (size_t k = 0; k < m->rods.count; ++k) {
        const kdr_distance *const rod = &m->rods.distances[k];
        const real inverse = (real)(1.0 / rod->length);
        ref_joint j = {.is_rod = true, .a = rod->a, .b = rod->b, .mass = inverse_mass_of(m->c, rod->a) + inverse_mass_of(m->c, rod->b)};
        for (int i = 0; i < m->c->rules.dims; ++i) {
            const real box = (real)m->rods.box[i], d = m->c->x.axis[i][rod->b] - m->c->x.axis[i][rod->a];
            const real near = d > (real)0.5 * box ? d - box : d < (real)-0.5 * box ? d + box : d;
            j.n[i] = near * inverse;
        }
        if (0 < j.mass) {
            m->joints[m->joined++] = j;
        }
    }
}

static void join_surface(ref_molecule *m, size_t which, const real n[3], real aim) {
    ref_joint j = {.a = which, .b = which, .mass = inverse_mass_of(m->c, which), .aim = aim};
    memcpy(j.n, n, sizeof j.n);
    m->joints[m->joined++] = j;
}

/* Returns the speed of a surface along n. */
static real speed_of_surface(const particle *p, const wall *w, const real n[3]) {
    const real u[3] = {(real)w->velocity[0], (real)w->velocity[1], (real)w->velocity[2]};
    return w->moves ? dot(p, u, n) : 0;
}

/* Computes the velocity of a particle relative to a surface. */
static void velocity_from(const ref_system *c, const numbers *of, size_t which, const wall *w, real v[3]) {
    vector_of(c, of, which, v);
    for (int i = 0; i < c->rules.dims; ++i) {
        v[i] = v[i] - (real)w->velocity[i];
    }
}

static real larger(real a, real b) { return b < a ? a : b; }

/* Computes each joint's residual and first direction. Returns the sum of left left / mass. */
static real begin_descent(const ref_molecule *m, real *size, real *worst) {
    real square = 0;
    *size = *worst = 0;
    EACH_MEMBER(m, n) {
        real v[3];
        vector_of(m->c, &m->c->v, n, v);
        *size = larger(*size, size_of(m->c->rules.dims, v));
    }
    for (ref_joint *j = m->joints; j < m->joints + m->joined; ++j) {
        j->left = j->aim - speed_along(m, j, &m->c->v);
        j->way = j->left / j->mass;
        square = mul_add(&m->c->rules, j->left, j->way, square);
        *worst = larger(*worst, larger(j->left, -j->left));
        *size = larger(*size, larger(j->aim, -j->aim));
    }
    return square;
}

/* Computes the effect of impulses `way` along all joints on each one's speed. Returns false if they do not yield together. */
static bool push_joints(const ref_molecule *m, real *steep) {
    const ref_system *const c = m->c;
    real flat = 0;
    const real none[3] = {0};
    *steep = 0;
    EACH_MEMBER(m, n) { set_vector(c, &c->xs, n, none); }
    for (const ref_joint *j = m->joints; j < m->joints + m->joined; ++j) {
        add_to(c, &c->xs, j->b, j->way * inverse_mass_of(c, j->b), j->n);
        if (j->is_rod) {
            add_to(c, &c->xs, j->a, -(j->way * inverse_mass_of(c, j->a)), j->n);
        }
    }
    for (ref_joint *j = m->joints; j < m->joints + m->joined; ++j) {
        j->gain = speed_along(m, j, &c->xs);
        *steep = mul_add(&c->rules, j->way, j->gain, *steep);
        flat = mul_add(&c->rules, j->way * j->mass, j->way, flat);
    }
    return FLAT * flat < *steep;
}

static size_t most_steps(const ref_molecule *m) {
    const size_t wanted = 2 * m->joined + MORE_STEPS;
    return wanted < MOST_STEPS ? wanted : MOST_STEPS;
}

/* Makes steps of conjugate gradients (Hestenes, Stiefel, J. Res. Nat. Bur. Stand. 49 (1952) 409), divided by the masses, until no
 * residual exceeds `enough` or the joints do not yield; at most *steps, which it counts down. */
static void descend(const ref_molecule *m, real square, real worst, real enough, size_t *steps) {
    const ref_system *const c = m->c;
    real steep;
    for (; *steps > 0 && enough < worst; --*steps) {
        if (!push_joints(m, &steep)) {
            --*steps;
            return;
        }
        const real length = square / steep;
        real next = 0;
        EACH_MEMBER(m, n) {
            real change[3];
            vector_of(c, &c->xs, n, change);
            add_to(c, &c->v, n, length, change);
        }
        worst = 0;
        for (ref_joint *j = m->joints; j < m->joints + m->joined; ++j) {
            j->impulse = mul_add(&c->rules, length, j->way, j->impulse);
            j->left = mul_add(&c->rules, -length, j->gain, j->left);
            next = mul_add(&c->rules, j->left, j->left / j->mass, next);
            worst = larger(worst, larger(j->left, -j->left));
        }
        const real turn = next / square;
        for (ref_joint *j = m->joints; j < m->joints + m->joined; ++j) {
            j->way = mul_add(&c->rules, turn, j->way, j->left / j->mass);
        }
        square = next;
    }
}

/* Applies impulses along the joints, so that each gets its speed. Impulses that do not bring them nearer are undone. */
static void solve_joints(const ref_molecule *m) {
    real before = 0;
    size_t steps = most_steps(m);
    for (ref_joint *j = m->joints; j < m->joints + m->joined; ++j) {
        j->impulse = 0;
    }
    for (int again = 0; again <= SOLVED_AGAIN; ++again) {
        real size, worst;
        const real square = begin_descent(m, &size, &worst);
        if (again > 0 && !(worst < before)) {
            copy_members(m, &m->c->kv[0], &m->c->v);
            for (ref_joint *j = m->joints; j < m->joints + m->joined; ++j) {
                j->impulse = j->undo;
            }
            return;
        }
        if (again == SOLVED_AGAIN || steps == 0 || !(8 * EPSILON * size < worst)) {
            return;
        }
        copy_members(m, &m->c->v, &m->c->kv[0]);
        for (ref_joint *j = m->joints; j < m->joints + m->joined; ++j) {
            j->undo = j->impulse;
        }
        before = worst;
        descend(m, square, worst, 4 * EPSILON * size, &steps);
    }
}
