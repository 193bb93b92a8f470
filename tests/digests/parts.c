/* The descriptions whose members are changed. Together they use every member of every structure, and every member of every union. */
#include "digests.h"

#define USES(position, structure, member, arm)                                                                                             \
    list[position] = (instance) { #structure, offsetof(parts, member), arm }

static void use_force(parts *p, instance list[6], kdr_force force, const char *arm) {
    p->force = force;
    p->field.forces = p->system.forces = &p->force;
    p->field.force_count = p->system.force_count = 1;
    USES(2, kdr_force, force, arm);
}

static void use_collider(parts *p, instance list[6], kdr_collider collider, const char *arm) {
    p->collider = collider;
    p->collider.restitution = 0.5, p->collider.friction = 0.25, p->collider.friction_normal = 0.125;
    p->collider.sliding = 0.25, p->collider.static_friction = 0.5;
    p->collider.velocity[0] = 0.5, p->collider.since = 1;
    p->field.colliders = p->system.colliders = &p->collider;
    p->field.collider_count = p->system.collider_count = 1;
    USES(2, kdr_collider, collider, arm);
}

static void use_constraint(parts *p, instance list[6], kdr_constraint constraint, const char *arm) {
    p->constraint = constraint;
    p->field.constraints = p->system.constraints = &p->constraint;
    p->field.constraint_count = p->system.constraint_count = 1;
    USES(2, kdr_constraint, constraint, arm);
}

static void use_custom(parts *p, instance list[6], bool grid, bool arrays) {
    const kdr_custom_field *field;
    cr_assert(kdr_field_from_name(grid ? "grid-acceleration" : "nfw", &field) == KDR_OK);
    use_force(p, list, kdr_force_custom(field, (const double[KDR_MAX_PARAMETERS]){1, 2, 1, 1, 1}), "as.custom");
    if (grid) {
        p->grid = (kdr_grid){.dims = 3, .components = 3, .nodes = {2, 3, 4}, .origin = {-1, -2, -3}, .spacing = {1, 2, 3}};
        p->grid.values = p->arrays[0], p->force.as.custom.grid = &p->grid;
        USES(3, kdr_grid, grid, NULL);
    } else if (arrays) {
        p->force.as.custom.each[0] = p->arrays[0], p->force.as.custom.each[1] = p->arrays[1], p->force.as.custom.count = EACH;
    }
}

static void use_pairs(parts *p, instance list[6], bool net) {
    if (net) {
        p->springs[0] = (kdr_pair_spring){0, 1, 2, 0.5, 0, KDR_CONTRIBUTION_DEFAULT};
        p->springs[1] = (kdr_pair_spring){2, 3, 1, 0.25, 0, KDR_CONTRIBUTION_DEFAULT};
        p->pairs = kdr_interaction_spring_network(p->springs, 2);
        USES(3, kdr_pair_spring, springs[0], NULL);
        USES(4, kdr_pair_spring, springs[1], NULL);
    } else {
        p->pairs = kdr_interaction_gravity(p->arrays[0], EACH, 0.25);
        p->pairs.as.gravity.softening_each = p->arrays[1], p->pairs.as.gravity.softening_count = EACH;
    }
    p->system.interactions = &p->pairs, p->system.interaction_count = 1;
    USES(2, kdr_interaction, pairs, net ? "as.spring_network" : "as.gravity");
}

static double zero(void *context, const double x[3], const double v[3], double t) {
    (void)context, (void)x, (void)v, (void)t;
    return 0;
}

/* One that stops particles. */
static void use_watch(parts *p, instance list[6], int kind) {
    const double one[3] = {1, 2, 3}, other[3] = {4, 5, 6};
    const kdr_watch watches[KDR_WATCH_KIND_COUNT] = {kdr_watch_function(zero, NULL), kdr_watch_apsis(one), kdr_watch_plane(one, other),
                                                     kdr_watch_distance(one, 2)};
    p->watch = watches[kind];
    p->watch.action = KDR_ACTION_STOP_PARTICLE;
    p->field.watches = p->system.watches = &p->watch;
    p->field.watch_count = p->system.watch_count = 1;
    USES(2, kdr_watch, watch, NULL);
}

static kdr_status none(void *context, const kdr_particles *particles, double t, void *const a[3]) {
    (void)context, (void)particles, (void)t, (void)a;
    return KDR_OK;
}

/* Sets the method. Compensated runs carry rounding errors, whatever the method. */
static void use_method(parts *p, instance list[6], int which) {
    p->field.compensated = p->system.compensated = which <= 2 || which == 5;
    switch (which) {
    case 0:
        p->tableau = (kdr_tableau){.stages = 2, .a = {{0}, {0.5}}, .b = {1, 0}, .c = {0, 0.5}};
        p->field.tableau = p->system.tableau = &p->tableau;
        USES(2, kdr_tableau, tableau, NULL);
        break;
    case 1:
        p->fractions = (kdr_fractions){2, {0.5, 0.5}, {0.25, 0.75}};
        p->field.fractions = p->system.fractions = &p->fractions;
        USES(2, kdr_fractions, fractions, NULL);
        break;
    case 2:
        p->substeps = (kdr_substeps){3, {0.25, 0.5, 0.25}};
        p->field.substeps = p->system.substeps = &p->substeps;
        USES(2, kdr_substeps, substeps, NULL);
        break;
    case 3:
        p->field.method = p->system.method = KDR_BAOAB;
        p->field.langevin = p->system.langevin = (kdr_langevin){1, 0.5, 7};
        USES(2, kdr_langevin, field.langevin, NULL);
        USES(3, kdr_langevin, system.langevin, NULL);
        break;
    case 4:
        p->field.boundary = p->system.boundary = (kdr_boundary){KDR_BOUNDARY_ABSORBING, {-1, -2, -3}, {1, 2, 3}};
        USES(2, kdr_boundary, field.boundary, NULL);
        USES(3, kdr_boundary, system.boundary, NULL);
        break;
    case 5:
        p->field.method = p->system.method = KDR_BORIS;
        break;
    case 6:
        p->field.method = p->system.method = KDR_STRANG_AFFINE;
        break;
    case 7:
        p->field.method = p->system.method = KDR_IMPLICIT_MIDPOINT;
        p->system.accelerations = none;
        break;
    case 8:
        use_force(p, list, kdr_force_spring(2, 1, 2, 3), "as.spring");
        p->field.method = p->system.method = KDR_KINEMATIC_SUM;
        break;
    default:
        p->distances[0] = (kdr_distance){0, 1, 0.5}, p->distances[1] = (kdr_distance){2, 3, 0.75};
        p->system.distances = p->distances, p->system.distance_count = 2;
        USES(2, kdr_distance, distances[0], NULL);
        USES(3, kdr_distance, distances[1], NULL);
    }
}

static void use_force_number(parts *p, instance list[6], int number) {
    const double one[3] = {1, 2, 3}, other[3] = {4, 5, 6};
    switch (number) {
    case 0:
        use_force(p, list, kdr_force_uniform_acceleration(1, 2, 3), "as.uniform_acceleration");
        break;
    case 1:
        use_force(p, list, kdr_force_uniform_force(1, 2, 3), "as.uniform_force");
        break;
    case 2:
        use_force(p, list, kdr_force_spring(2, 1, 2, 3), "as.spring");
        break;
    case 3:
        use_force(p, list, kdr_force_spring(2, 1, 2, 3), "as.spring");
        p->force.as.spring.k_each = p->arrays[0], p->force.as.spring.count = EACH;
        for (int i = 0; i < 3; ++i) {
            p->force.as.spring.at_each[i] = p->arrays[1 + i];
        }
        break;
    case 4:
        use_force(p, list, kdr_force_drag(0.5, 1, 2, 3), "as.drag");
        break;
    case 5:
        use_force(p, list, kdr_force_drag(0.5, 1, 2, 3), "as.drag");
        p->force.as.drag.b_each = p->arrays[0], p->force.as.drag.count = EACH;
        break;
    case 6:
        use_force(p, list, kdr_force_quadratic_drag(0.5, 1, 2, 3), "as.quadratic_drag");
        break;
    case 7:
        use_force(p, list, kdr_force_electromagnetic(2, one, other), "as.electromagnetic");
        break;
    case 8:
        use_force(p, list, kdr_force_centre(2, 1, 2, 3, 0.5), "as.centre");
        break;
    case 9:
        use_force(p, list, kdr_force_driven(1, 2, 3, 4, 5), "as.driven");
        break;
    default:
        use_custom(p, list, number == 11, number == 12);
    }
}

bool make_parts(int number, parts *p, instance list[6]) {
    enum { FORCES = 13, COLLIDERS = 3, CONSTRAINTS = 4, METHODS = 10, PAIRS = 2 };
    const double one[3] = {1, 2, 3}, other[3] = {4, 5, 6};
    memset(p, 0, sizeof *p);
    memset(list, 0, 6 * sizeof *list);
    p->field = kdr_integrator_desc_default();
    p->system = kdr_system_desc_default();
    USES(0, kdr_integrator_desc, field, NULL);
    USES(1, kdr_system_desc, system, NULL);
    for (int n = 0; n < 8 * VALUES; ++n) {
        p->arrays[n / VALUES][n % VALUES] = 1 + 0.125 * n;
    }
    if (number < FORCES) {
        use_force_number(p, list, number);
    } else if ((number -= FORCES) < COLLIDERS) {
        use_collider(p, list,
                     number == 0   ? kdr_collider_plane(one, other)
                     : number == 1 ? kdr_collider_sphere(one, 2, true)
                                   : kdr_collider_box(one, other, true),
                     number == 0   ? "as.plane"
                     : number == 1 ? "as.sphere"
                                   : "as.box");
    } else if ((number -= COLLIDERS) < CONSTRAINTS) {
        static const char *const arms[] = {"as.rod", "as.rope", "as.plane", "as.sphere"};
        use_constraint(p, list,
                       number == 0   ? kdr_constraint_rod(one, 2)
                       : number == 1 ? kdr_constraint_rope(one, 2)
                       : number == 2 ? kdr_constraint_plane(one, other)
                                     : kdr_constraint_sphere(one, 2),
                       arms[number]);
    } else if ((number -= CONSTRAINTS) < METHODS) {
        use_method(p, list, number);
    } else if ((number -= METHODS) < PAIRS) {
        use_pairs(p, list, number > 0);
    } else if ((number -= PAIRS) < KDR_WATCH_KIND_COUNT) {
        use_watch(p, list, number);
    } else {
        return false;
    }
    return true;
}
