/* Steps a few particles in a field, through the public interface. */
#include "lab.h"

#include <stdio.h>
#include <string.h>

lab_setting lab_on_a_line(const kdr_force *forces, size_t force_count, double dt) {
    return (lab_setting){
        .real = KDR_F64, .arithmetic = KDR_FUSED, .forces = forces, .force_count = force_count, .count = 1, .dims = 1, .mass = 1, .dt = dt};
}

static double element(const lab *l, const void *array, size_t i) {
    return l->setting.real == KDR_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void set_element(const lab *l, void *array, size_t i, double value) {
    if (l->setting.real == KDR_F32) {
        ((float *)array)[i] = (float)value;
    } else {
        ((double *)array)[i] = value;
    }
}

bool lab_open(lab *l, const lab_setting *setting) {
    *l = (lab){.setting = *setting, .clock = {.dt = setting->dt}};
    l->desc = kdr_integrator_desc_default();
    l->desc.method = setting->method;
    l->desc.compose = setting->compose;
    lab_name(setting->method, setting->compose, l->name);
    l->desc.real = setting->real;
    l->desc.arithmetic = setting->arithmetic;
    l->desc.forces = setting->forces;
    l->desc.force_count = setting->force_count;
    l->desc.colliders = setting->colliders;
    l->desc.collider_count = setting->collider_count;
    l->desc.compensated = setting->compensated;
    if (kdr_integrator_create(&l->desc, &l->integrator, &l->error) != KDR_OK) {
        return false;
    }
    kdr_particles_desc particles = kdr_particles_desc_default();
    particles.count = setting->count;
    particles.dims = setting->dims;
    particles.real = setting->real;
    particles.inverse_mass = setting->mass != 1;
    particles.memory = !setting->afresh;
    particles.compensation = setting->compensated;
    if (kdr_particles_create(&particles, &l->particles, &l->error) != KDR_OK) {
        kdr_integrator_destroy(l->integrator);
        return false;
    }
    for (size_t i = 0; particles.inverse_mass && i < setting->count; ++i) {
        set_element(l, l->particles.inverse_mass, i, 1 / setting->mass);
    }
    return true;
}

void lab_close(lab *l) {
    kdr_particles_destroy(&l->particles);
    kdr_integrator_destroy(l->integrator);
    l->integrator = NULL;
}

void lab_put(lab *l, size_t particle, const double x[3], const double v[3]) {
    for (int axis = 0; axis < 3 && axis < l->setting.dims; ++axis) {
        set_element(l, l->particles.x[axis], particle, x[axis]);
        set_element(l, l->particles.v[axis], particle, v[axis]);
    }
    l->particles.memory_key = 0;
}

void lab_start(lab *l, double x) {
    const double at[3] = {x, 0, 0}, rest[3] = {0, 0, 0};
    for (size_t i = 0; i < l->setting.count; ++i) {
        lab_put(l, i, at, rest);
    }
    l->clock.step = 0;
}

bool lab_steps(lab *l, uint64_t steps) {
    if (l->setting.reference) {
        return kdr_reference_run(&l->desc, &l->particles, &l->clock, steps, &l->error) == KDR_OK;
    }
    return kdr_integrator_run(l->integrator, &l->particles, &l->clock, steps, &l->error) == KDR_OK;
}

double lab_x(const lab *l, size_t particle, int axis) { return element(l, l->particles.x[axis], particle); }

double lab_v(const lab *l, size_t particle, int axis) { return element(l, l->particles.v[axis], particle); }

double lab_time(const lab *l) { return kdr_clock_time(&l->clock, l->clock.step, 0); }

const kdr_method_info *lab_method(const lab *l) { return kdr_integrator_method(l->integrator); }

const char *lab_name(kdr_method method, kdr_composition compose, char name[48]) {
    const char *const of = kdr_method_get(method)->name;
    snprintf(name, 48, compose == KDR_COMPOSE_NONE ? "%s" : "%s by %s", of, kdr_composition_get(compose)->name);
    return name;
}

uint64_t lab_evaluations(const lab *l, uint64_t steps) {
    return kdr_integrator_evaluations(l->integrator, &l->particles, &l->clock, steps) / l->setting.count;
}

kdr_arithmetic lab_fast_arithmetic(void) {
    kdr_backend chosen;
    kdr_backend_info info;
    const bool known = kdr_backend_choose(KDR_BACKEND_AUTO, &chosen, NULL) == KDR_OK && kdr_backend_query(chosen, &info) == KDR_OK;
    return known && !info.fused_native ? KDR_UNFUSED : KDR_FUSED;
}
