/* A laboratory: steps a few particles in a field, through the public interface. */
#ifndef KICKDRIFT_TOOLS_EXPERIMENTS_LAB_H
#define KICKDRIFT_TOOLS_EXPERIMENTS_LAB_H

#include <kickdrift/kickdrift.h>

typedef struct lab_setting {
    kdr_method method;
    kdr_composition compose; /* KDR_COMPOSE_NONE except for composed methods */
    kdr_real real;
    kdr_arithmetic arithmetic;
    const kdr_force *forces;
    size_t force_count;
    size_t count; /* number of particles */
    int dims;
    double mass, dt;
    const kdr_collider *colliders;
    size_t collider_count;
    bool compensated;
    bool reference; /* uses the scalar reference instead of the kernels */
    bool afresh;    /* a method with memory starts afresh in each call of lab_steps */
} lab_setting;

/* Returns the setting of one particle of mass 1 on a line, in f64, fused. */
lab_setting lab_on_a_line(const kdr_force *forces, size_t force_count, double dt);

typedef struct lab {
    char name[48]; /* such as "rk4" or "boris by kahan-li-6" */
    lab_setting setting;
    kdr_integrator_desc desc;
    kdr_integrator *integrator;
    kdr_particles particles;
    kdr_clock clock;
    kdr_error error; /* of the last call that failed */
} lab;

/* Opens a laboratory. On failure nothing is allocated, and `error` says why: KDR_ERROR_UNSUPPORTED if the method does not accept the
 * forces. */
bool lab_open(lab *l, const lab_setting *setting);
void lab_close(lab *l);

/* Sets the start of a particle. Axes that the setting does not have are ignored. */
void lab_put(lab *l, size_t particle, const double x[3], const double v[3]);

/* Puts all particles at rest at x on a line, and the clock to 0. */
void lab_start(lab *l, double x);

bool lab_steps(lab *l, uint64_t steps);

double lab_x(const lab *l, size_t particle, int axis);
double lab_v(const lab *l, size_t particle, int axis);
double lab_time(const lab *l);

/* Returns the properties of its method, or of the composition. */
const kdr_method_info *lab_method(const lab *l);

/* Writes "METHOD" or "METHOD by COMPOSITION" and returns it. */
const char *lab_name(kdr_method method, kdr_composition compose, char name[48]);

/* Returns the evaluations per particle that the next `steps` steps make. */
uint64_t lab_evaluations(const lab *l, uint64_t steps);

/* Returns the arithmetic that is fast here: fused if the processor has the instruction. It is for experiments that need statistics, not
 * bits. */
kdr_arithmetic lab_fast_arithmetic(void);

#endif
