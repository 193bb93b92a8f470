/* Steps a few particles in a field, through the public interface. */
#include "field_run.h"

#include <stdio.h>
#include <string.h>

field_run_setting field_run_on_a_line(const kdr_force *forces, size_t force_count, double dt) {
    return (field_run_setting){
        .real = KDR_F64, .arithmetic = KDR_FUSED, .forces = forces, .force_count = force_count, .count = 1, .dims = 1, .mass = 1, .dt = dt};
}

static double element(const field_run *l, const void *array, size_t i) {
    return l->setting.real == KDR_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void set_element(const field_run *l, void *array, size_t i, double value) {
    if (l->setting.real == KDR_F32) {
        ((float *)array)[i] = (float)value;
    } else {
        ((double *)array)[i] = value;
    }
}

bool field_run_open(field_run *l, const field_run_setting *setting) {
    *l = (field_run){.setting = *setting, .clock = {.dt = setting->dt}};
    l->desc = kdr_integrator_desc_default();
    l->desc.method = setting->method;
    l->desc.compose = setting->compose;
    field_run_name(setting->method, setting->compose, l->name);
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

void field_run_close(field_run *l) {
    kdr_particles_destroy(&l->particles);
    kdr_integrator_destroy(l->integrator);
    l->integrator = NULL;
}

void field_run_put(field_run *l, size_t particle, const double x[3], const double v[3]) {
    for (int axis = 0; axis < 3 && axis < l->setting.dims; ++axis) {
        set_element(l, l->particles.x[axis], particle, x[axis]);
        set_element(l, l->particles.v[axis], particle, v[axis]);
    }
    l->particles.memory_key = 0;
}

void field_run_start(field_run *l, double x) {
    const double at[3] = {x, 0, 0}, rest[3] = {0, 0, 0};
    for (size_t i = 0; i < l->setting.count; ++i) {
        field_run_put(l, i, at, rest);
    }
    l->clock.step = 0;
}

bool field_run_steps(field_run *l, uint64_t steps) {
    if (l->setting.reference) {
        return kdr_reference_run(&l->desc, &l->particles, &l->clock, steps, &l->error) == KDR_OK;
    }
    return kdr_integrator_run(l->integrator, &l->particles, &l->clock, steps, &l->error) == KDR_OK;
}

double field_run_x(const field_run *l, size_t particle, int axis) { return element(l, l->particles.x[axis], particle); }

double field_run_v(const field_run *l, size_t particle, int axis) { return element(l, l->particles.v[axis], particle); }

double field_run_time(const field_run *l) { return kdr_clock_time(&l->clock, l->clock.step, 0); }

const kdr_method_info *field_run_method(const field_run *l) { return kdr_integrator_method(l->integrator); }

const char *field_run_name(kdr_method method, kdr_composition compose, char name[48]) {
    const char *const of = kdr_method_get(method)->name;
    snprintf(name, 48, compose == KDR_COMPOSE_NONE ? "%s" : "%s by %s", of, kdr_composition_get(compose)->name);
    return name;
}

uint64_t field_run_evaluations(const field_run *l, uint64_t steps) {
    return kdr_integrator_evaluations(l->integrator, &l->particles, &l->clock, steps) / l->setting.count;
}

kdr_arithmetic field_run_fast_arithmetic(void) {
    kdr_backend chosen;
    kdr_backend_info info;
    const bool known = kdr_backend_choose(KDR_BACKEND_AUTO, &chosen, NULL) == KDR_OK && kdr_backend_query(chosen, &info) == KDR_OK;
    return known && !info.fused_native ? KDR_UNFUSED : KDR_FUSED;
}
