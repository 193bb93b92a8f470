/* Contributions (Brown, "Improved Numerical Integration with Analytical Techniques", Game Programming Gems 8, 2.5). */
#include "contributions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../particles/error.h"
#include "../particles/functions.h"

#define BIT(kind) (1U << (KDR_CONTRIBUTION_##kind))

/* For each kind of force: the contributions that it accepts, and its defaults when alone and with another force that depends on x. A
 * kind without a row, such as a custom field, depends on x and contributes by average, like those that are evaluated. */
static const struct {
    unsigned accepts;
    kdr_contribution alone, beside;
    bool position; /* depends on x */
} kinds[KDR_FORCE_KIND_ALL] = {
#define ALL (BIT(EXACT) | BIT(AVERAGE) | BIT(PULSE) | BIT(EULER))
    [KDR_UNIFORM_ACCELERATION] = {ALL, KDR_CONTRIBUTION_EXACT, KDR_CONTRIBUTION_EXACT, false},
    [KDR_UNIFORM_FORCE] = {ALL, KDR_CONTRIBUTION_EXACT, KDR_CONTRIBUTION_EXACT, false},
    [KDR_SPRING] = {ALL | BIT(PULSE_SYMPLECTIC), KDR_CONTRIBUTION_EXACT, KDR_CONTRIBUTION_AVERAGE, true},
    [KDR_DRAG] = {ALL | BIT(FIRST_ORDER), KDR_CONTRIBUTION_EXACT, KDR_CONTRIBUTION_EXACT, false},
    [KDR_QUADRATIC_DRAG] = {ALL & ~BIT(EXACT), KDR_CONTRIBUTION_AVERAGE, KDR_CONTRIBUTION_AVERAGE, false},
    [KDR_ELECTROMAGNETIC] = {ALL, KDR_CONTRIBUTION_EXACT, KDR_CONTRIBUTION_EXACT, false},
    [KDR_CENTRE] = {ALL & ~BIT(EXACT), KDR_CONTRIBUTION_AVERAGE, KDR_CONTRIBUTION_AVERAGE, true},
    [KDR_DRIVEN] = {ALL, KDR_CONTRIBUTION_EXACT, KDR_CONTRIBUTION_EXACT, false},
#undef ALL
};

/* Adds one entry of the list, folded alone, to its term. `springs` and `drags` count entries with arrays, in the order of the field's. */
static kdr_status fill_term(const kdr_force *force, int *springs, int *drags, kdr_contribution_term *term, kdr_error *error) {
    kdr_field alone;
    kdr_force one = *force;
    one.each_layout = (kdr_layout){0, 0, 0, 0}; /* was checked in the list, for elements of the particles' precision */
    const kdr_status status = kdr_field_fold(&one, 1, KDR_F64, &alone, error);
    if (status != KDR_OK) {
        return status;
    }
    for (int i = 0; i < 3; ++i) {
        term->kx[i] += alone.kx[i];
        term->kv[i] += alone.kv[i];
        term->f[i] += alone.f[i];
        term->g[i] += alone.g[i];
        term->magnetic[i] += alone.magnetic[i];
    }
    term->spring = alone.springs > 0 ? (*springs)++ : term->spring;
    term->drag = alone.drags > 0 ? (*drags)++ : term->drag;
    return KDR_OK;
}

static bool is_uniform(kdr_force_kind kind) { return kind == KDR_UNIFORM_ACCELERATION || kind == KDR_UNIFORM_FORCE; }

/* Returns the term that a uniform force joins: one of its kind without other forces, or a new one; -1 if there is no room. */
static int term_for(kdr_contributions *contributions, kdr_force_kind kind, kdr_contribution contribution) {
    static const double nothing[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < contributions->count && is_uniform(kind); ++i) {
        const kdr_contribution_term *const p = &contributions->term[i];
        if (p->kind == contribution && p->spring < 0 && p->drag < 0 && memcmp(p->kx, nothing, sizeof nothing) == 0 &&
            memcmp(p->kv, nothing, sizeof nothing) == 0 && memcmp(p->magnetic, nothing, sizeof nothing) == 0) {
            return i;
        }
    }
    if (contributions->count == KDR_MAX_CONTRIBUTIONS) {
        return -1;
    }
    kdr_contribution_term *const fresh = &contributions->term[contributions->count];
    memset(fresh, 0, sizeof *fresh);
    fresh->kind = contribution;
    fresh->spring = fresh->drag = -1;
    return contributions->count++;
}

static kdr_status check_kind(const kdr_force *force, size_t index, kdr_error *error) {
    const unsigned accepts = kinds[force->kind].accepts ? kinds[force->kind].accepts : BIT(AVERAGE);
    if (force->contribution == KDR_CONTRIBUTION_DEFAULT || (accepts & 1U << force->contribution)) {
        return KDR_OK;
    }
    char names[96] = "";
    size_t used = 0;
    for (int k = 1; k < KDR_CONTRIBUTION_COUNT; ++k) {
        if (accepts & 1U << k) {
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", kdr_contribution_name((kdr_contribution)k));
        }
    }
    return kdr_fail(error, KDR_ERROR_UNSUPPORTED, "forces[%zu].contribution: %s contributes by one of %s, and not by %s", index,
                    kdr_force_kind_name(force->kind), names, kdr_contribution_name(force->contribution));
}

/* Quadratic drags and centres by kind, and the number of each so far. */
typedef struct sorted {
    kdr_quadratic quadratic[2][KDR_MAX_QUADRATIC];
    kdr_centre centre[2][KDR_MAX_CENTRES];
    int quadratics[2], centres[2];
} sorted;

/* Takes the field's next entry; the field has them in the order of the list. */
static void sort_in(sorted *s, const kdr_field *field, kdr_force_kind kind, kdr_contribution contribution) {
    const int group = contribution == KDR_CONTRIBUTION_AVERAGE ? 0 : 1;
    if (kind == KDR_CENTRE) {
        s->centre[group][s->centres[group]] = field->centre[s->centres[0] + s->centres[1]];
        ++s->centres[group];
    } else {
        s->quadratic[group][s->quadratics[group]] = field->quadratic[s->quadratics[0] + s->quadratics[1]];
        ++s->quadratics[group];
    }
}

static void put_sorted(const sorted *s, kdr_field *field, kdr_contributions *contributions) {
    contributions->averaged_quadratics = s->quadratics[0];
    contributions->averaged_centres = s->centres[0];
    for (int group = 0, q = 0, c = 0; group < 2; ++group) {
        for (int i = 0; i < s->quadratics[group]; ++i) {
            field->quadratic[q++] = s->quadratic[group][i];
        }
        for (int i = 0; i < s->centres[group]; ++i) {
            field->centre[c++] = s->centre[group][i];
        }
    }
}

kdr_status kdr_contributions_make(const kdr_force *forces, size_t count, bool beside, kdr_field *field, kdr_contributions *contributions,
                                  kdr_error *error) {
    sorted evaluated = {.quadratics = {0, 0}, .centres = {0, 0}};
    int springs = 0, drags = 0, drives = 0, positions = beside;
    for (size_t i = 0; i < count; ++i) {
        positions += (kinds[forces[i].kind].position || !kinds[forces[i].kind].accepts) && positions < 2;
    }
    memset(contributions, 0, sizeof *contributions);
    for (size_t i = 0; i < count; ++i) {
        const kdr_force *const force = &forces[i];
        kdr_status status = check_kind(force, i, error);
        kdr_contribution kind = positions > 1 ? kinds[force->kind].beside : kinds[force->kind].alone;
        kind = force->contribution == KDR_CONTRIBUTION_DEFAULT ? kind : force->contribution;
        if (status == KDR_OK && !kinds[force->kind].accepts) {
            continue;
        }
        if (status == KDR_OK && (force->kind == KDR_CENTRE || force->kind == KDR_QUADRATIC_DRAG)) {
            sort_in(&evaluated, field, force->kind, kind); /* as many as the field has */
        } else if (status == KDR_OK && force->kind == KDR_DRIVEN) {
            contributions->drive[drives++] = kind;
        } else if (status == KDR_OK) {
            const int n = term_for(contributions, force->kind, kind);
            KDR_CHECK(n >= 0, error, KDR_ERROR_ARGUMENT, "forces[%zu]: expected at most %d springs, drags and fields that contribute", i,
                      KDR_MAX_CONTRIBUTIONS);
            status = fill_term(force, &springs, &drags, &contributions->term[n], error);
        }
        if (status != KDR_OK) {
            return status;
        }
    }
    put_sorted(&evaluated, field, contributions);
    return KDR_OK;
}

/* Makes a field of a single term, for method/affine.h. */
static void field_of(const kdr_contribution_term *term, const kdr_field *whole, kdr_field *field) {
    memset(field, 0, sizeof *field);
    memcpy(field->kx, term->kx, sizeof field->kx);
    memcpy(field->kv, term->kv, sizeof field->kv);
    memcpy(field->f, term->f, sizeof field->f);
    memcpy(field->g, term->g, sizeof field->g);
    memcpy(field->magnetic, term->magnetic, sizeof field->magnetic);
    if (term->spring >= 0) {
        field->springs = 1;
        field->spring[0] = whole->spring[term->spring];
    }
    if (term->drag >= 0) {
        field->drags = 1;
        field->drag[0] = whole->drag[term->drag];
    }
}

/* Makes the particle's parameters of that field. */
static void each_of(const kdr_contribution_term *term, const kdr_affine_each *whole, kdr_affine_each *each) {
    memset(each, 0, sizeof *each);
    if (!whole) {
        return;
    }
    each->w = whole->w;
    if (term->spring >= 0) {
        each->k[0] = whole->k[term->spring];
        memcpy(each->at[0], whole->at[term->spring], sizeof each->at[0]);
    }
    if (term->drag >= 0) {
        each->b[0] = whole->b[term->drag];
    }
}

/* The number of a row's columns, which are consecutive. */
enum { COLUMNS = sizeof(kdr_affine_row) / sizeof(double) };
_Static_assert(COLUMNS == 7, "v, x and q, and nothing else");

static void row_add(kdr_affine_row *to, double factor, const kdr_affine_row *from) {
    for (int j = 0; j < 3; ++j) {
        to->v[j] += factor * from->v[j];
        to->x[j] += factor * from->x[j];
    }
    to->q += factor * from->q;
}

/* Makes the row of dv = a_n h for a term; the effect on x follows from it. */
static void acceleration_row(const kdr_affine_rates *rates, int axis, double h, kdr_affine_row *v) {
    memset(v, 0, sizeof *v);
    v->x[axis] = h * rates->kx;
    for (int j = 0; j < 3; ++j) {
        v->v[j] = h * rates->kv[j];
    }
    v->q = h * rates->f;
}

/* Adds the effect of a term to axis `i` of the sum. `map` is the term's own map, for the kinds that need it. */
static void contribute(const kdr_contribution_term *term, const kdr_affine_rates *rates, const kdr_affine_map *map, int i, double h,
                       kdr_affine_map *sum) {
    kdr_affine_row v = map->v[i];
    if (term->kind == KDR_CONTRIBUTION_EULER || term->kind == KDR_CONTRIBUTION_FIRST_ORDER) {
        acceleration_row(rates, i, h, &v);
    }
    if (term->kind == KDR_CONTRIBUTION_PULSE_SYMPLECTIC) {
        v.v[i] = 0.0;
    }
    row_add(&sum->v[i], 1.0, &v);
    switch (term->kind) {
    case KDR_CONTRIBUTION_EXACT:
        row_add(&sum->x[i], 1.0, &map->x[i]);
        sum->x[i].v[i] -= h;
        break;
    case KDR_CONTRIBUTION_AVERAGE:
    case KDR_CONTRIBUTION_FIRST_ORDER:
        row_add(&sum->x[i], 0.5 * h, &v);
        break;
    case KDR_CONTRIBUTION_DEFAULT:
    case KDR_CONTRIBUTION_PULSE:
    case KDR_CONTRIBUTION_PULSE_SYMPLECTIC:
    case KDR_CONTRIBUTION_EULER:
        row_add(&sum->x[i], h, &v);
        break;
    }
}

/* Begins a sum with free flight. */
static void begin(int i, double h, kdr_affine_map *sum) {
    memset(&sum->x[i], 0, sizeof sum->x[i]);
    memset(&sum->v[i], 0, sizeof sum->v[i]);
    sum->x[i].v[i] = h;
}

/* A single term: its field, and a particle's parameters for it. */
typedef struct single {
    kdr_field field;
    kdr_affine_each each;
} single;

static void single_of(const kdr_contribution_term *term, const kdr_field *field, const kdr_affine_each *each, single *one) {
    field_of(term, field, &one->field);
    each_of(term, each, &one->each);
}

void kdr_contributions_axis(const kdr_contributions *contributions, const kdr_field *field, unsigned terms, const kdr_affine_each *each,
                            int axis, double h, kdr_affine_map *map) {
    begin(axis, h, map);
    for (int p = 0; p < contributions->count; ++p) {
        kdr_affine_map map_of_one;
        single one;
        single_of(&contributions->term[p], field, each, &one);
        const kdr_affine_rates rates = kdr_affine_rates_of(&one.field, terms & ~(unsigned)KDR_TERM_MAGNETIC, &one.each, axis);
        kdr_affine_axis(&one.field, terms, &one.each, axis, h, &map_of_one);
        contribute(&contributions->term[p], &rates, &map_of_one, axis, h, map);
    }
}

/* Makes the map of a term, axis by axis if it has no magnetic field. */
static void map_of(const kdr_field *alone, unsigned terms, const kdr_affine_each *each, int dims, double h, kdr_affine_map *map) {
    if (alone->magnetic[0] != 0.0 || alone->magnetic[1] != 0.0 || alone->magnetic[2] != 0.0) {
        kdr_affine_axes(alone, terms, each, dims, h, map);
        return;
    }
    for (int i = 0; i < dims; ++i) {
        kdr_affine_axis(alone, terms, each, i, h, map);
    }
}

void kdr_contributions_axes(const kdr_contributions *contributions, const kdr_field *field, unsigned terms, const kdr_affine_each *each,
                            int dims, double h, kdr_affine_map *map) {
    for (int i = 0; i < dims; ++i) {
        begin(i, h, map);
    }
    for (int p = 0; p < contributions->count; ++p) {
        kdr_affine_map map_of_one;
        single one;
        single_of(&contributions->term[p], field, each, &one);
        map_of(&one.field, terms, &one.each, dims, h, &map_of_one);
        for (int i = 0; i < dims; ++i) {
            const kdr_affine_rates rates = kdr_affine_rates_of(&one.field, terms, &one.each, i);
            contribute(&contributions->term[p], &rates, &map_of_one, i, h, map);
        }
    }
}

/* Computes sin z / z and (sin z - z cos z) / z^2, the spherical Bessel functions j_0 and j_1 (Abramowitz, Stegun 10.1), by their series
 * where the second would cancel. */
static void bessel(double z, double *j0, double *j1) {
    const double square = z * z;
    if (fabs(z) > 1.0) {
        double s, c;
        kdr_sin_cos(z, &s, &c);
        *j0 = s / z;
        *j1 = (s - z * c) / square;
        return;
    }
    double a = 1.0, b = 1.0;
    for (int n = 10; n > 0; --n) {
        a = 1.0 - a * square / (2.0 * n * (2.0 * n + 1.0));
        b = 1.0 - b * square / (2.0 * n * (2.0 * n + 3.0));
    }
    *j0 = a;
    *j1 = b * z / 3.0;
}

/* Integrates a cos(omega t + phase) from t to t + h: dv = a h j0(z) cos(psi), dx = a h^2/2 (j0(z) cos(psi) + j1(z) sin(psi)), z = omega
 * h / 2, psi the phase at the middle. */
void kdr_contributions_drive(const kdr_contributions *contributions, const kdr_field *field, double t, double middle, double h,
                             double moved[6]) {
    memset(moved, 0, 6 * sizeof *moved);
    for (int d = 0; d < field->drives; ++d) {
        const kdr_drive *const drive = &field->drive[d];
        const double psi = drive->omega * middle + drive->phase, half = 0.5 * h;
        double j0, j1, sine, cosine;
        kdr_sin_cos(psi, &sine, &cosine);
        bessel(drive->omega * half, &j0, &j1);
        const double mean = contributions->drive[d] == KDR_CONTRIBUTION_EULER ? kdr_cos(drive->omega * t + drive->phase) : j0 * cosine;
        const double lift = contributions->drive[d] == KDR_CONTRIBUTION_EXACT     ? half * (mean + j1 * sine)
                            : contributions->drive[d] == KDR_CONTRIBUTION_AVERAGE ? half * mean
                                                                                  : h * mean;
        for (int i = 0; i < 3; ++i) {
            moved[i] += drive->a[i] * (h * lift);
            moved[3 + i] += drive->a[i] * (h * mean);
        }
    }
}
