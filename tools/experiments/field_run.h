/* This file steps a few particles in a field, through the public interface. */
#ifndef KICKDRIFT_TOOLS_EXPERIMENTS_FIELD_RUN_H
#define KICKDRIFT_TOOLS_EXPERIMENTS_FIELD_RUN_H

#include <kickdrift/kickdrift.h>

typedef struct field_run_setting {
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
    bool afresh;    /* a method with memory starts afresh in each call of field_run_steps */
} field_run_setting;

/* Returns the setting of one particle of mass 1 on a line, in f64, fused. */
field_run_setting field_run_on_a_line(const kdr_force *forces, size_t force_count, double dt);

typedef struct field_run {
    char name[48]; /* such as "rk4" or "boris by kahan-li-6" */
    field_run_setting setting;
    kdr_integrator_desc desc;
    kdr_integrator *integrator;
    kdr_particles particles;
    kdr_clock clock;
    kdr_error error; /* of the last call that failed */
} field_run;

/* Opens a run. On failure nothing is allocated, and `error` says why: KDR_ERROR_UNSUPPORTED if the method does not accept the
 * forces. */
bool field_run_open(field_run *l, const field_run_setting *setting);
void field_run_close(field_run *l);

/* Sets the start of a particle. Axes that the setting does not have are ignored. */
void field_run_put(field_run *l, size_t particle, const double x[3], const double v[3]);

/* Puts all particles at rest at x on a line, and the clock to 0. */
void field_run_start(field_run *l, double x);

bool field_run_steps(field_run *l, uint64_t steps);

double field_run_x(const field_run *l, size_t particle, int axis);
double field_run_v(const field_run *l, size_t particle, int axis);
double field_run_time(const field_run *l);

/* Returns the properties of its method, or of the composition. */
const kdr_method_info *field_run_method(const field_run *l);

/* Writes "METHOD" or "METHOD by COMPOSITION" and returns it. */
const char *field_run_name(kdr_method method, kdr_composition compose, char name[48]);

/* Returns the evaluations per particle that the next `steps` steps make. */
uint64_t field_run_evaluations(const field_run *l, uint64_t steps);

/* Returns the arithmetic that is fast here: fused if the processor has the instruction. It is for experiments that need statistics, not
 * bits. */
kdr_arithmetic field_run_fast_arithmetic(void);

#endif
