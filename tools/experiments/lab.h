/* The laboratory: a few particles in a field, stepped through the public interface. */
#ifndef KICKDRIFT_TOOLS_EXPERIMENTS_LAB_H
#define KICKDRIFT_TOOLS_EXPERIMENTS_LAB_H

#include <kickdrift/kickdrift.h>

typedef struct lab_setting {
    kdr_method method;
    kdr_composition compose; /* KDR_COMPOSE_NONE but for composed methods */
    kdr_real real;
    kdr_arithmetic arithmetic;
    const kdr_force *forces;
    size_t force_count;
    size_t count; /* particles */
    int dims;
    double mass, dt;
    const kdr_collider *colliders;
    size_t collider_count;
    bool compensated;
    bool reference; /* the scalar reference in place of the kernels */
    bool afresh;    /* a method with memory starts afresh at each call of lab_steps */
} lab_setting;

/* One particle of mass 1 on a line, f64, fused. */
lab_setting lab_on_a_line(const kdr_force *forces, size_t force_count, double dt);

typedef struct lab {
    char name[48]; /* "rk4", "boris by kahan-li-6" */
    lab_setting setting;
    kdr_integrator_desc desc;
    kdr_integrator *integrator;
    kdr_particles particles;
    kdr_clock clock;
    kdr_error error; /* of the last call that failed */
} lab;

/* On failure nothing is held, and `error` says why: KDR_ERROR_UNSUPPORTED where the method does not accept the forces. */
bool lab_open(lab *l, const lab_setting *setting);
void lab_close(lab *l);

/* Puts a particle where it begins; axes that the setting does not have are ignored. */
void lab_put(lab *l, size_t particle, const double x[3], const double v[3]);

/* All particles on a line at x, at rest, the clock at 0. */
void lab_start(lab *l, double x);

bool lab_steps(lab *l, uint64_t steps);

double lab_x(const lab *l, size_t particle, int axis);
double lab_v(const lab *l, size_t particle, int axis);
double lab_time(const lab *l);

/* What is known of its method, composed where it is. */
const kdr_method_info *lab_method(const lab *l);

/* "METHOD" or "METHOD by COMPOSITION". */
const char *lab_name(kdr_method method, kdr_composition compose, char name[48]);

/* Acceleration evaluations a particle that the next `steps` steps make. */
uint64_t lab_evaluations(const lab *l, uint64_t steps);

/* The arithmetic that is fast here: fused where the processor has the instruction. For experiments that ask for statistics, not for bits. */
kdr_arithmetic lab_fast_arithmetic(void);

#endif
