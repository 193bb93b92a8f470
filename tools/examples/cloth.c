/* A cloth, held at two corners, falls and swings in the wind. It is a spring network of damped springs, with a hem of rods, which do not
 * stretch. The particles are structures of the program, which the library steps in place. Prints four moments as CSV.
 *
 * Usage: cloth > cloth.csv && tools/plot cloth cloth.csv cloth.svg */
#include <kickdrift/kickdrift.h>

#include <stdio.h>

enum { SIDE = 33, COUNT = SIDE * SIDE, MAX_SPRINGS = 8 * COUNT, MOMENTS = 4, STEPS = 480 };
static const double dt = 1.0 / 1200, spacing = 1.0 / (SIDE - 1), stiffness = 60, damping = 0.02, mass = 1.0 / COUNT;

typedef struct knot {
    double x[3], v[3];
    double inverse_mass;
    int row, column; /* further data that the program keeps per particle */
} knot;

static knot cloth[COUNT];
static kdr_pair_spring springs[MAX_SPRINGS];
static kdr_distance rods[SIDE];
static size_t spring_count, rod_count;

static uint32_t at(int row, int column) { return (uint32_t)(row * SIDE + column); }

/* Adds a spring from a knot to another if that is on the cloth. */
static void tie(int row, int column, int down, int right, double k) {
    if (row + down < SIDE && column + right >= 0 && column + right < SIDE) {
        const double length = spacing * (down && right ? 1.4142135623730951 : down + right);
        springs[spring_count++] =
            (kdr_pair_spring){.a = at(row, column), .b = at(row + down, column + right), .k = k, .length = length, .damping = damping};
    }
}

static void weave(void) {
    for (int row = 0; row < SIDE; ++row) {
        for (int column = 0; column < SIDE; ++column) {
            cloth[at(row, column)] = (knot){{spacing * column, spacing * row, 0}, {0, 0, 0}, 1 / mass, row, column};
            tie(row, column, 0, 1, stiffness);
            tie(row, column, 1, 0, stiffness);
            tie(row, column, 1, 1, 0.3 * stiffness); /* resists shear */
            tie(row, column, 1, -1, 0.3 * stiffness);
            tie(row, column, 0, 2, 0.1 * stiffness); /* resists bending */
            tie(row, column, 2, 0, 0.1 * stiffness);
            if (row == SIDE - 1 && column > 0) {
                rods[rod_count++] = (kdr_distance){.a = at(row, column - 1), .b = at(row, column), .length = spacing};
            }
        }
    }
    cloth[at(0, 0)].inverse_mass = cloth[at(0, SIDE - 1)].inverse_mass = 0; /* the upper corners are held */
}

static void print(const kdr_clock *clock) {
    for (int i = 0; i < COUNT; ++i) {
        const knot *k = &cloth[i];
        printf("%llu,%.9g,%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", (unsigned long long)clock->step, kdr_clock_time(clock, clock->step, 0),
               1000 * k->row + k->column, k->x[0], k->x[1], k->x[2], k->v[0], k->v[1], k->v[2]);
    }
}

int main(void) {
    weave();
    kdr_particles knots = kdr_particles_default();
    knots.count = COUNT;
    for (int i = 0; i < 3; ++i) {
        knots.x[i] = &cloth[0].x[i];
        knots.v[i] = &cloth[0].v[i];
    }
    knots.inverse_mass = &cloth[0].inverse_mass;
    knots.x_layout.stride = knots.v_layout.stride = knots.inverse_mass_layout.stride = sizeof(knot);

    const kdr_force weather[] = {kdr_force_uniform_acceleration(0, 0, -9.81), kdr_force_drag(0.3 * mass, 0.5, 4, 0)};
    const kdr_interaction network = kdr_interaction_spring_network(springs, spring_count);
    kdr_system_desc desc = kdr_system_desc_default();
    desc.method = KDR_VELOCITY_VERLET;
    desc.forces = weather, desc.force_count = 2;
    desc.interactions = &network, desc.interaction_count = 1;
    desc.distances = rods, desc.distance_count = rod_count;

    kdr_error error = {0};
    kdr_system *motion = NULL;
    kdr_workspace workspace = {0};
    kdr_clock clock = {.dt = dt};
    kdr_status status = kdr_system_create(&desc, &motion, &error);
    status = status ? status : kdr_workspace_create(motion, COUNT, 3, (kdr_allocator){0}, &workspace, &error);
    puts("step,t,id,x,y,z,vx,vy,vz");
    for (int moment = 0; moment < MOMENTS && !status; ++moment) {
        print(&clock);
        status = moment + 1 < MOMENTS ? kdr_system_run(motion, &knots, &clock, STEPS, &workspace, &error) : KDR_OK;
    }
    if (status) {
        fprintf(stderr, "cloth: %s\n", error.message);
    }
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(motion);
    return status != KDR_OK;
}
