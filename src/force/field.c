/* Folds a list of forces into a field. */
#include "field.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../particles/error.h"
#include "../particles/functions.h"
#include "../particles/layout.h"
#include "custom.h"
#include "grid.h"

/* Takes the next free entry of one of the field's arrays and counts it; returns -1 if it is full. */
static int take(int *used, int capacity) { return *used < capacity ? (*used)++ : -1; }

static kdr_status full(size_t index, const char *what, int capacity, kdr_error *error) {
    return kdr_fail(error, KDR_ERROR_ARGUMENT,
                    "forces[%zu]: expected at most %d %s in one list; more are one field of your own (kickdrift_add_field)", index,
                    capacity, what);
}

static kdr_status fold_uniform_acceleration(const kdr_force *force, size_t index, kdr_field *field, kdr_error *error) {
    (void)index, (void)error;
    for (int i = 0; i < 3; ++i) {
        field->g[i] += force->as.uniform_acceleration.a[i];
    }
    return KDR_OK;
}

static kdr_status fold_uniform_force(const kdr_force *force, size_t index, kdr_field *field, kdr_error *error) {
    (void)index, (void)error;
    for (int i = 0; i < 3; ++i) {
        field->f[i] += force->as.uniform_force.f[i];
    }
    return KDR_OK;
}

static kdr_status fold_spring(const kdr_force *force, size_t index, kdr_field *field, kdr_error *error) {
    const void *const *at_each = force->as.spring.at_each;
    if (!force->as.spring.k_each && !at_each[0] && !at_each[1] && !at_each[2]) {
        for (int i = 0; i < 3; ++i) {
            field->kx[i] -= force->as.spring.k[i];
            field->f[i] += force->as.spring.k[i] * force->as.spring.at[i];
        }
        return KDR_OK;
    }
    const int n = take(&field->springs, KDR_MAX_EACH);
    if (n < 0) {
        return full(index, "springs with an array a particle", KDR_MAX_EACH, error);
    }
    kdr_spring *spring = &field->spring[n];
    memcpy(spring->k, force->as.spring.k, sizeof spring->k);
    memcpy(spring->at, force->as.spring.at, sizeof spring->at);
    spring->k_each = force->as.spring.k_each;
    memcpy(spring->at_each, at_each, sizeof spring->at_each);
    spring->count = force->as.spring.count;
    spring->layout = force->each_layout;
    field->terms |= KDR_TERM_SPRINGS;
    return KDR_OK;
}

static kdr_status fold_drag(const kdr_force *force, size_t index, kdr_field *field, kdr_error *error) {
    if (!force->as.drag.b_each) {
        for (int i = 0; i < 3; ++i) {
            field->kv[i] -= force->as.drag.b[i];
            field->f[i] += force->as.drag.b[i] * force->as.drag.wind[i];
        }
        return KDR_OK;
    }
    const int n = take(&field->drags, KDR_MAX_EACH);
    if (n < 0) {
        return full(index, "drags with an array a particle", KDR_MAX_EACH, error);
    }
    kdr_drag *drag = &field->drag[n];
    memcpy(drag->wind, force->as.drag.wind, sizeof drag->wind);
    drag->b_each = force->as.drag.b_each;
    drag->count = force->as.drag.count;
    drag->layout = force->each_layout;
    field->terms |= KDR_TERM_DRAGS;
    return KDR_OK;
}

static kdr_status fold_quadratic_drag(const kdr_force *force, size_t index, kdr_field *field, kdr_error *error) {
    const int n = take(&field->quadratics, KDR_MAX_QUADRATIC);
    if (n < 0) {
        return full(index, "quadratic drags", KDR_MAX_QUADRATIC, error);
    }
    field->quadratic[n].minus_c = -force->as.quadratic_drag.c;
    memcpy(field->quadratic[n].wind, force->as.quadratic_drag.wind, sizeof field->quadratic[n].wind);
    field->terms |= KDR_TERM_QUADRATIC;
    return KDR_OK;
}

static kdr_status fold_electromagnetic(const kdr_force *force, size_t index, kdr_field *field, kdr_error *error) {
    (void)index, (void)error;
    for (int i = 0; i < 3; ++i) {
        field->f[i] += force->as.electromagnetic.charge * force->as.electromagnetic.e[i];
        field->magnetic[i] += force->as.electromagnetic.charge * force->as.electromagnetic.b[i];
    }
    return KDR_OK;
}

static kdr_status fold_centre(const kdr_force *force, size_t index, kdr_field *field, kdr_error *error) {
    const double softening = force->as.centre.softening;
    KDR_CHECK(softening >= 0.0, error, KDR_ERROR_ARGUMENT, "forces[%zu].centre.softening: expected at least 0, got %g", index, softening);
    const int n = take(&field->centres, KDR_MAX_CENTRES);
    if (n < 0) {
        return full(index, "centres", KDR_MAX_CENTRES, error);
    }
    field->centre[n].minus_mu = -force->as.centre.mu;
    memcpy(field->centre[n].at, force->as.centre.at, sizeof field->centre[n].at);
    field->centre[n].softening2 = softening * softening;
    field->terms |= KDR_TERM_CENTRES;
    return KDR_OK;
}

static kdr_status fold_driven(const kdr_force *force, size_t index, kdr_field *field, kdr_error *error) {
    const int n = take(&field->drives, KDR_MAX_DRIVEN);
    if (n < 0) {
        return full(index, "driven fields", KDR_MAX_DRIVEN, error);
    }
    memcpy(field->drive[n].a, force->as.driven.a, sizeof field->drive[n].a);
    field->drive[n].omega = force->as.driven.omega;
    field->drive[n].phase = force->as.driven.phase;
    field->terms |= KDR_TERM_DRIVEN;
    return KDR_OK;
}

/* Folds the parameters, which must still be finite after rounding to the particles' precision; arrays are not checked. */
static kdr_status fold_custom_parameters(const kdr_force *force, size_t index, kdr_field *field, kdr_error *error) {
    const kdr_custom_field *const custom = force->as.custom.field;
    kdr_custom_field_entry *const entry = &field->custom_entry[field->custom_entries - 1];
    for (int k = 0; k < custom->parameter_count; ++k) {
        entry->each[k] = -1;
        if (force->as.custom.each[k]) {
            const int n = take(&field->custom_arrays, KDR_MAX_CUSTOM_EACH);
            if (n < 0) {
                return full(index, "parameters with an array a particle", KDR_MAX_CUSTOM_EACH, error);
            }
            entry->each[k] = (signed char)n;
            field->custom_array[n] = (kdr_custom_field_array){force->as.custom.each[k], force->as.custom.count, force->each_layout};
            continue;
        }
        entry->parameter[k] = force->as.custom.parameter[k];
        KDR_CHECK(isfinite(entry->parameter[k]), error, KDR_ERROR_NOT_FINITE, "forces[%zu].%s.%s: expected a finite number, got %g", index,
                  custom->name, custom->parameter_name[k], entry->parameter[k]);
    }
    for (int k = custom->parameter_count; k < KDR_MAX_PARAMETERS; ++k) {
        KDR_CHECK(!force->as.custom.each[k], error, KDR_ERROR_ARGUMENT,
                  "forces[%zu].%s.each[%d]: expected NULL, for the field has %d parameters, got an array", index, custom->name, k,
                  custom->parameter_count);
    }
    return KDR_OK;
}

/* Checks the fields' requirements on parameters, in the particles' precision. */
static kdr_status check_custom(const kdr_force *forces, size_t count, kdr_real real, const kdr_field *field, kdr_error *error) {
    kdr_status status = KDR_OK;
    int entry = 0;
    for (size_t i = 0; i < count && status == KDR_OK; ++i) {
        if (forces[i].kind == KDR_CUSTOM_FIELD) {
            const kdr_custom_field_entry *const each = &field->custom_entry[entry++];
            status = kdr_custom_field_check_parameters(each->field, each->parameter, each->each, real, i, error);
        }
    }
    return status;
}

/* Folds the grids of fields that read one, in the particles' precision. */
static kdr_status fold_grids(const kdr_force *forces, size_t count, kdr_real real, kdr_field *field, kdr_error *error) {
    kdr_status status = KDR_OK;
    int entry = 0;
    for (size_t i = 0; i < count && status == KDR_OK; ++i) {
        if (forces[i].kind == KDR_CUSTOM_FIELD) {
            status = kdr_grid_fold(forces[i].as.custom.grid, forces[i].as.custom.field, i, real, &field->custom_entry[entry++].grid, error);
        }
    }
    return status;
}

static kdr_status fold_custom(const kdr_force *force, size_t index, kdr_field *field, kdr_error *error) {
    const kdr_custom_field *const custom = force->as.custom.field;
    kdr_status status = kdr_custom_field_check(custom, index, error);
    if (status != KDR_OK) {
        return status;
    }
    const int n = take(&field->custom_entries, KDR_MAX_CUSTOM);
    if (n < 0) {
        return full(index, "entries of custom and named fields", KDR_MAX_CUSTOM, error);
    }
    field->custom_entry[n].field = custom;
    status = fold_custom_parameters(force, index, field, error);
    const bool several = field->custom_entries > 1 || field->custom_arrays > 0;
    field->terms |= (unsigned)KDR_TERM_CUSTOM | (several ? (unsigned)KDR_TERM_CUSTOM_SEVERAL : 0U) |
                    ((custom->flags & KDR_CUSTOM_FIELD_COUPLES_AXES) ? (unsigned)KDR_TERM_CUSTOM_COUPLES_AXES : 0U) |
                    ((custom->flags & KDR_CUSTOM_FIELD_VELOCITY) ? (unsigned)KDR_TERM_CUSTOM_VELOCITY : 0U) |
                    ((custom->flags & KDR_CUSTOM_FIELD_MAGNETIC) ? (unsigned)KDR_TERM_CUSTOM_MAGNETIC : 0U) |
                    ((custom->flags & KDR_CUSTOM_FIELD_TIME) ? (unsigned)KDR_TERM_DRIVEN : 0U);
    return status;
}

#define PARAMETER(member) {#member, offsetof(kdr_force, as.member), sizeof(((kdr_force *)0)->as.member) / sizeof(double)}

static const struct {
    kdr_status (*fold)(const kdr_force *force, size_t index, kdr_field *field, kdr_error *error);
    struct {
        const char *name;
        size_t offset, count; /* `count` doubles, all of which must be finite */
    } parameters[3];
} kinds[KDR_FORCE_KIND_ALL] = {
    [KDR_UNIFORM_ACCELERATION] = {fold_uniform_acceleration, {PARAMETER(uniform_acceleration.a)}},
    [KDR_UNIFORM_FORCE] = {fold_uniform_force, {PARAMETER(uniform_force.f)}},
    [KDR_SPRING] = {fold_spring, {PARAMETER(spring.k), PARAMETER(spring.at)}},
    [KDR_DRAG] = {fold_drag, {PARAMETER(drag.b), PARAMETER(drag.wind)}},
    [KDR_QUADRATIC_DRAG] = {fold_quadratic_drag, {PARAMETER(quadratic_drag.c), PARAMETER(quadratic_drag.wind)}},
    [KDR_ELECTROMAGNETIC] = {fold_electromagnetic,
                             {PARAMETER(electromagnetic.charge), PARAMETER(electromagnetic.e), PARAMETER(electromagnetic.b)}},
    [KDR_CENTRE] = {fold_centre, {PARAMETER(centre.mu), PARAMETER(centre.at), PARAMETER(centre.softening)}},
    [KDR_DRIVEN] = {fold_driven, {PARAMETER(driven.a), PARAMETER(driven.omega), PARAMETER(driven.phase)}},
    [KDR_CUSTOM_FIELD] = {fold_custom, {{NULL, 0, 0}}},
};

size_t kdr_force_parameter(const kdr_force *force, int p, const double **values) {
    const int most = (int)(sizeof kinds[0].parameters / sizeof kinds[0].parameters[0]);
    const size_t count = p < most ? kinds[force->kind].parameters[p].count : 0;
    *values = count > 0 ? (const double *)(const void *)((const char *)force + kinds[force->kind].parameters[p].offset) : NULL;
    return count;
}

static kdr_status check_parameters(const kdr_force *force, size_t index, kdr_error *error) {
    const double *values;
    size_t count;
    for (int p = 0; (count = kdr_force_parameter(force, p, &values)) > 0; ++p) {
        for (size_t i = 0; i < count; ++i) {
            KDR_CHECK(isfinite(values[i]), error, KDR_ERROR_NOT_FINITE, "forces[%zu].%s: expected a finite number, got %g", index,
                      kinds[force->kind].parameters[p].name, values[i]);
        }
    }
    return KDR_OK;
}

/* Checks that every constant is still finite when rounded to the particles' precision. */
static kdr_status check_range(const kdr_field *field, kdr_real real, kdr_error *error) {
    const double largest = real == KDR_F32 ? (double)FLT_MAX : DBL_MAX;
    const struct {
        const char *name;
        const double *values;
        size_t count, entries, size; /* `entries` groups of `count` values, `size` bytes from one to the next */
    } parts[] = {
        {"constant force", field->f, 3, 1, 0},
        {"constant acceleration", field->g, 3, 1, 0},
        {"stiffness", field->kx, 3, 1, 0},
        {"damping", field->kv, 3, 1, 0},
        {"magnetic field times charge", field->magnetic, 3, 1, 0},
        {"springs a particle", field->spring->k, 6, KDR_MAX_EACH, sizeof *field->spring}, /* k and at */
        {"wind of drags a particle", field->drag->wind, 3, KDR_MAX_EACH, sizeof *field->drag},
        {"quadratic drag", &field->quadratic->minus_c, sizeof *field->quadratic / sizeof(double), KDR_MAX_QUADRATIC,
         sizeof *field->quadratic},
        {"centres", &field->centre->minus_mu, sizeof *field->centre / sizeof(double), KDR_MAX_CENTRES, sizeof *field->centre},
        {"parameters of a custom field", field->custom_entry->parameter, KDR_MAX_PARAMETERS, KDR_MAX_CUSTOM, sizeof *field->custom_entry},
    };
    for (size_t p = 0; p < sizeof parts / sizeof *parts; ++p) {
        for (size_t n = 0; n < parts[p].entries * parts[p].count; ++n) {
            const char *const entry = (const char *)parts[p].values + n / parts[p].count * parts[p].size;
            const double value = ((const double *)(const void *)entry)[n % parts[p].count];
            KDR_CHECK(fabs(value) <= largest, error, KDR_ERROR_NOT_FINITE, "forces: the %s must stay within %s, got %g after folding",
                      parts[p].name, kdr_real_name(real), value);
        }
    }
    return KDR_OK;
}

/* Checks that every value of base(t) is finite, whatever t. */
static kdr_status check_base(const kdr_field *field, kdr_real real, kdr_error *error) {
    const double largest = real == KDR_F32 ? (double)FLT_MAX : DBL_MAX;
    for (int i = 0; i < 3; ++i) {
        double bound = fabs(field->g[i]) + fabs(field->f[i]);
        for (int d = 0; d < field->drives; ++d) {
            bound += fabs(field->drive[d].a[i]);
        }
        KDR_CHECK(bound <= largest, error, KDR_ERROR_NOT_FINITE,
                  "forces: the uniform and driven fields together must stay within %s, got %g", kdr_real_name(real), bound);
    }
    return KDR_OK;
}

static bool any(const double values[3]) { return values[0] != 0.0 || values[1] != 0.0 || values[2] != 0.0; }

kdr_status kdr_field_fold(const kdr_force *forces, size_t count, kdr_real real, kdr_field *field, kdr_error *error) {
    KDR_CHECK(forces || count == 0, error, KDR_ERROR_NULL, "forces: expected %zu entries, got NULL", count);
    kdr_field folded;
    memset(&folded, 0, sizeof folded);
    for (size_t i = 0; i < count; ++i) {
        KDR_CHECK((unsigned)forces[i].kind < KDR_FORCE_KIND_ALL, error, KDR_ERROR_ARGUMENT,
                  "forces[%zu].kind: expected an enumerator below %d, got %d", i, KDR_FORCE_KIND_ALL, (int)forces[i].kind);
        KDR_CHECK((unsigned)forces[i].contribution < KDR_CONTRIBUTION_COUNT, error, KDR_ERROR_ARGUMENT,
                  "forces[%zu].contribution: expected an enumerator below %d, got %d", i, KDR_CONTRIBUTION_COUNT,
                  (int)forces[i].contribution);
        char name[48];
        snprintf(name, sizeof name, "forces[%zu].each_layout", i);
        kdr_status status = kdr_layout_check(&forces[i].each_layout, kdr_real_size(real), 0, name, error);
        status = status == KDR_OK ? check_parameters(&forces[i], i, error) : status;
        if (status == KDR_OK) {
            status = kinds[forces[i].kind].fold(&forces[i], i, &folded, error);
        }
        if (status != KDR_OK) {
            return status;
        }
    }
    folded.terms |= any(folded.kx) ? (unsigned)KDR_TERM_STIFFNESS : 0U;
    folded.terms |= any(folded.kv) ? (unsigned)KDR_TERM_DAMPING : 0U;
    folded.terms |= any(folded.magnetic) ? (unsigned)KDR_TERM_MAGNETIC : 0U;
    kdr_status status = fold_grids(forces, count, real, &folded, error);
    if (status == KDR_OK) {
        status = check_range(&folded, real, error);
    }
    if (status == KDR_OK) {
        status = check_base(&folded, real, error);
    }
    if (status == KDR_OK) {
        status = check_custom(forces, count, real, &folded, error);
    }
    if (status == KDR_OK) {
        *field = folded;
    }
    return status;
}

kdr_status kdr_field_check_particles(const kdr_field *field, size_t count, int dims, kdr_error *error) {
    for (int e = 0; e < field->custom_entries; ++e) {
        const kdr_custom_field *const custom = field->custom_entry[e].field;
        KDR_CHECK(custom->dims == 0 || custom->dims == dims, error, KDR_ERROR_UNSUPPORTED,
                  "%s: expected particles on %d axes, which the field is for (KDR_FIELD_DIMS), got %d", custom->name, custom->dims, dims);
    }
    for (int s = 0; s < field->springs; ++s) {
        KDR_CHECK(field->spring[s].count == count, error, KDR_ERROR_MISMATCH,
                  "spring: expected arrays of %zu elements, as many as particles, got %zu", count, field->spring[s].count);
    }
    for (int d = 0; d < field->drags; ++d) {
        KDR_CHECK(field->drag[d].count == count, error, KDR_ERROR_MISMATCH,
                  "drag: expected an array of %zu elements, as many as particles, got %zu", count, field->drag[d].count);
    }
    for (int e = 0; e < field->custom_entries; ++e) {
        const kdr_custom_field_entry *const entry = &field->custom_entry[e];
        for (int k = 0; k < entry->field->parameter_count; ++k) {
            const size_t length = entry->each[k] < 0 ? count : field->custom_array[entry->each[k]].count;
            KDR_CHECK(length == count, error, KDR_ERROR_MISMATCH, "%s.%s: expected an array of %zu elements, as many as particles, got %zu",
                      entry->field->name, entry->field->parameter_name[k], count, length);
        }
    }
    return KDR_OK;
}

bool kdr_field_array(const kdr_field *field, int n, const void **array, size_t *count, kdr_layout *layout) {
    if (n < 4 * field->springs) {
        const kdr_spring *const spring = &field->spring[n / 4];
        *array = n % 4 == 0 ? spring->k_each : spring->at_each[n % 4 - 1];
        *count = spring->count;
        *layout = spring->layout;
        return true;
    }
    n -= 4 * field->springs;
    if (n < field->drags) {
        *array = field->drag[n].b_each;
        *count = field->drag[n].count;
        *layout = field->drag[n].layout;
        return true;
    }
    n -= field->drags;
    if (n < field->custom_arrays) {
        *array = field->custom_array[n].each;
        *count = field->custom_array[n].count;
        *layout = field->custom_array[n].layout;
        return true;
    }
    return false;
}

const char *kdr_field_not_affine(unsigned terms) {
    static const struct {
        unsigned term;
        const char *name;
    } names[] = {{KDR_TERM_QUADRATIC, "quadratic drag"}, {KDR_TERM_CENTRES, "a centre"}, {KDR_TERM_CUSTOM, "a custom field"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (terms & names[i].term) {
            return names[i].name;
        }
    }
    return "a driven field";
}

void kdr_field_base(const kdr_field *field, unsigned terms, double t, double base[3]) {
    for (int i = 0; i < 3; ++i) {
        const double uniform = (terms & KDR_TERM_MASS) ? field->g[i] : field->g[i] + field->f[i];
        base[i] = (terms & KDR_TERM_NO_AFFINE) ? 0.0 : uniform;
    }
    for (int d = 0; d < field->drives && !(terms & KDR_TERM_UNDRIVEN); ++d) {
        const double c = kdr_cos(field->drive[d].omega * t + field->drive[d].phase);
        for (int i = 0; i < 3; ++i) {
            base[i] += field->drive[d].a[i] * c;
        }
    }
}
