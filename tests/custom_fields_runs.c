/* Custom fields in system runs and in blocks, where the library makes its own passes, have the bits of field runs. Implicit methods use
 * their slopes. */
#include "force/custom.h"
#include "methods.h"
#include "system_support.h"

#include <criterion/criterion.h>

#include <math.h>

KDR_DECLARE_CUSTOM_FIELD(morse);
KDR_DECLARE_CUSTOM_FIELD(spring_damper);
KDR_DECLARE_CUSTOM_FIELD(swell);

enum { COUNT = 1301, STEPS = 4 };

/* A list of forces with a custom field, one parameter of which is an array of one value per particle, in each precision. */
typedef struct listed {
    kdr_force force[3];
    float narrow[COUNT];
    double wide[COUNT];
} listed;

static void list(listed *l, const kdr_custom_field *field, kdr_real real) {
    uint64_t seed = 11;
    l->force[0] = kdr_force_uniform_acceleration(0.5, -0.25, 1);
    l->force[1] = kdr_force_spring(0.75, 0.125, 0, 0);
    l->force[2] = kdr_force_custom(field, (const double[]){-0.5, 1.25, 0.75, 0.5});
    for (size_t n = 0; n < COUNT; ++n) {
        l->wide[n] = random_in(&seed, 0.5, 2);
        l->narrow[n] = (float)l->wide[n];
    }
    l->force[2].as.custom.each[0] = real == KDR_F32 ? (const void *)l->narrow : (const void *)l->wide;
    l->force[2].as.custom.count = COUNT;
    l->force[1].as.spring.k_each = l->force[2].as.custom.each[0];
    l->force[1].as.spring.count = COUNT;
}

static kdr_particles some(int dims, kdr_real real, bool masses) {
    uint64_t seed = 3;
    kdr_particles p = make_particles(COUNT, dims, real, masses, false);
    fill_random(&p, &seed);
    for (size_t n = 0; masses && n < COUNT; n += 5) {
        set(p.inverse_mass, real, n, 0);
    }
    return p;
}

/* Sets all accelerations to 0, to which the field is added. */
static kdr_status zeros(void *context, const kdr_particles *p, double t, void *const a[3]) {
    (void)context, (void)t;
    for (int i = 0; i < p->dims; ++i) {
        memset(a[i], 0, p->count * kdr_real_size(p->real));
    }
    return KDR_OK;
}

static void expect_bits(const kdr_integrator_desc *desc, kdr_backend backend, int dims, bool masses, bool in_blocks) {
    kdr_system_desc system_desc = describe_system(desc->method, desc->real, desc->arithmetic, backend);
    system_desc.forces = desc->forces;
    system_desc.force_count = desc->force_count;
    system_desc.accelerations = in_blocks ? zeros : NULL;
    kdr_particles a = some(dims, desc->real, masses), b = some(dims, desc->real, masses);
    kdr_clock clock = {2, 1.0 / 32, 5}, other = clock;
    kdr_system *system = NULL;
    kdr_workspace workspace = {0};
    kdr_error error;
    advance(BY_REFERENCE, desc, &a, &clock, STEPS);
    cr_assert(kdr_system_create(&system_desc, &system, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_workspace_create(system, COUNT, dims, (kdr_allocator){0}, &workspace, &error) == KDR_OK, "%s", error.message);
    const kdr_status status = in_blocks ? kdr_system_run_blocks(system, &b, &other, STEPS, &error)
                                        : kdr_system_run(system, &b, &other, STEPS, &workspace, &error);
    cr_assert(status == KDR_OK, "%s", error.message);
    cr_expect(same_bits(&a, &b) && other.step == clock.step, "%s %s %s of %s, backend %d, %d axes, masses %d, blocks %d",
              kdr_method_get(desc->method)->name, kdr_real_name(desc->real), kdr_arithmetic_name(desc->arithmetic),
              kdr_custom_field_name(desc->forces[2].as.custom.field), (int)backend, dims, masses, in_blocks);
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(system);
    kdr_particles_destroy(&a);
    kdr_particles_destroy(&b);
}

Test(custom_fields_runs, bits_of_field_runs) {
    static const kdr_custom_field *const fields[] = {&kdr_custom_field_morse, &kdr_custom_field_spring_damper, &kdr_custom_field_swell};
    static listed l;
    int compared = 0, backends = 0;
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        backends += info.runnable;
        for (int m = 0; m < KDR_METHOD_COUNT && info.runnable; ++m) {
            const bool compiled = fields[(m + b) % 3]->operations[b][KDR_F32][KDR_FUSED] != NULL;
            const kdr_custom_field *const field = compiled ? fields[(m + b) % 3] : &kdr_custom_field_swell;
            const kdr_method_info *const row = kdr_method_get((kdr_method)m);
            if (!has_field_bits((kdr_method)m) ||
                ((kdr_custom_field_flags(field) & KDR_CUSTOM_FIELD_VELOCITY) && row->velocity_forces != KDR_VELOCITY_ANY)) {
                continue;
            }
            for (int i = 0; i < 8; ++i) {
                const kdr_real real = (kdr_real)(i % 2);
                list(&l, field, real);
                const kdr_integrator_desc desc = describe((kdr_method)m, real, (kdr_arithmetic)(i / 2 % 2), l.force, 3);
                expect_bits(&desc, (kdr_backend)b, 1 + (i + m) % 3, (m + i / 4) % 2 == 1, (i + m / 2) % 2 == 1);
                ++compared;
            }
        }
    }
    cr_expect(backends > 0 && compared >= 8 * 20 * backends, "%d on %d backends", compared, backends);
}

Test(custom_fields_runs, refused_in_system_runs) {
    kdr_custom_field other = kdr_custom_field_morse;
    kdr_system_desc desc = kdr_system_desc_default();
    kdr_system *system = NULL;
    kdr_error error;
    kdr_force trap = kdr_force_custom(&other, (const double[]){1, 1, 1});
    desc.forces = &trap;
    desc.force_count = 1;
    desc.backend = KDR_BACKEND_SCALAR;
    other.abi.job += 8;
    cr_expect(kdr_system_create(&desc, &system, &error) == KDR_ERROR_MISMATCH && strstr(error.message, "compile it anew"));
    other = kdr_custom_field_morse;
    memset(other.operations[KDR_BACKEND_SCALAR], 0, sizeof other.operations[KDR_BACKEND_SCALAR]);
    cr_expect(kdr_system_create(&desc, &system, &error) == KDR_ERROR_UNAVAILABLE && !system, "%s", error.message);
}

/* Checks the solution of Newton's iteration: V = v + th a(x + th V, V); the step is x + h V and v + (h / th) (V - v). */
static void expect_solved(kdr_method method, const kdr_force *force, kdr_real real, double h, bool masses, double tolerance) {
    const double c = method == KDR_IMPLICIT_EULER ? 1 : 0.5, epsilon = real == KDR_F32 ? 0x1p-24 : 0x1p-53;
    const double *const q = force->as.custom.parameter;
    const bool is_morse = force->as.custom.field == &kdr_custom_field_morse;
    const kdr_integrator_desc desc = describe(method, real, KDR_FUSED, force, 1);
    uint64_t seed = 17;
    kdr_particles p = make_particles(200, 3, real, masses, false), q0;
    for (size_t n = 0; n < p.count; ++n) {
        for (int i = 0; i < 3; ++i) {
            set(p.x[i], real, n, random_in(&seed, 0.5, 1.5));
            set(p.v[i], real, n, random_in(&seed, -1, 1));
        }
        if (masses) {
            set(p.inverse_mass, real, n, random_in(&seed, 0.25, 1));
        }
    }
    q0 = make_particles(200, 3, real, masses, false);
    for (int i = 0; i < 3; ++i) {
        memcpy(q0.x[i], p.x[i], p.count * kdr_real_size(real));
        memcpy(q0.v[i], p.v[i], p.count * kdr_real_size(real));
    }
    kdr_clock clock = {0, h, 0};
    advance(BY_INTEGRATOR, &desc, &p, &clock, 1);
    double worst = 0;
    for (size_t n = 0; n < p.count; ++n) {
        double x[3], v[3], y[3], square = 0;
        for (int i = 0; i < 3; ++i) {
            x[i] = get(q0.x[i], real, n);
            v[i] = (get(p.x[i], real, n) - x[i]) / h; /* this is V */
            y[i] = x[i] + c * h * v[i];
            square += y[i] * y[i];
        }
        const double r = sqrt(square), e = exp(q[1] * (q[2] - r)), w = masses ? get(p.inverse_mass, real, n) : 1;
        for (int i = 0; i < 3; ++i) {
            const double a = w * (is_morse ? -2 * q[0] * q[1] * (1 - e) * e / r * y[i] : q[0] * y[i] + q[1] * v[i]);
            const double left = v[i] - get(q0.v[i], real, n) - c * h * a;
            worst = fmax(worst, fabs(left) / (1 + fabs(v[i]) + c * h * fabs(a) + fabs(x[i]) / h));
        }
    }
    cr_expect(worst < tolerance * epsilon && worst > 0, "%s %s, masses %d: %g units", kdr_method_get(method)->name, kdr_real_name(real),
              masses, worst / epsilon);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&q0);
}

Test(custom_fields_runs, implicit_steps_solve_their_equation) {
    const kdr_force trap = kdr_force_custom(&kdr_custom_field_morse, (const double[]){8, 2, 1});
    const kdr_force spring = kdr_force_custom(&kdr_custom_field_spring_damper, (const double[]){-1e4, -10});
    for (int i = 0; i < 8; ++i) {
        const kdr_method method = i % 2 ? KDR_IMPLICIT_EULER : KDR_IMPLICIT_MIDPOINT;
        const kdr_real real = (kdr_real)(i / 2 % 2);
        expect_solved(method, &trap, real, 1.0 / 16, i / 4 == 1, 40);
        expect_solved(method, &spring, real, 1.0 / 4, i / 4 == 1, 4000);
    }
}

/* With a stiff spring, omega h = 25, the midpoint rule keeps the energy, and implicit Euler takes nearly all of it in a step. */
Test(custom_fields_runs, implicit_steps_of_a_stiff_spring) {
    const kdr_force spring = kdr_force_custom(&kdr_custom_field_spring_damper, (const double[]){-1e4, 0});
    for (int i = 0; i < 4; ++i) {
        const bool euler = i % 2 == 1;
        const kdr_integrator_desc desc =
            describe(euler ? KDR_IMPLICIT_EULER : KDR_IMPLICIT_MIDPOINT, KDR_F64, (kdr_arithmetic)(i / 2), &spring, 1);
        kdr_particles p = make_particles(9, 1, KDR_F64, false, false);
        kdr_clock clock = {0, 0.25, 0};
        set(p.x[0], KDR_F64, 8, 1);
        advance(BY_INTEGRATOR, &desc, &p, &clock, euler ? 1 : 1000);
        const double x = get(p.x[0], KDR_F64, 8), v = get(p.v[0], KDR_F64, 8), energy = (1e4 * x * x + v * v) / 1e4;
        cr_expect(euler ? close_to(energy, 1 / (1 + 625.0), 1e-12) : close_to(energy, 1, 1e-9), "%d: %.17g", i, energy);
        kdr_particles_destroy(&p);
    }
}
