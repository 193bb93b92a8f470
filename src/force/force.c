/* This file makes the entries of a force list, and finds them by name. */
#include <kickdrift/force.h>

#include <string.h>

static const char *const names[KDR_FORCE_KIND_ALL] = {
    [KDR_UNIFORM_ACCELERATION] = "uniform-acceleration",
    [KDR_UNIFORM_FORCE] = "uniform-force",
    [KDR_SPRING] = "spring",
    [KDR_DRAG] = "drag",
    [KDR_QUADRATIC_DRAG] = "quadratic-drag",
    [KDR_ELECTROMAGNETIC] = "electromagnetic",
    [KDR_CENTRE] = "centre",
    [KDR_DRIVEN] = "driven",
    [KDR_CUSTOM_FIELD] = "custom-field",
};

const char *kdr_force_kind_name(kdr_force_kind kind) { return (unsigned)kind < KDR_FORCE_KIND_ALL ? names[kind] : "?"; }

kdr_status kdr_force_kind_from_name(const char *name, kdr_force_kind *kind) {
    if (!name || !kind) {
        return KDR_ERROR_NULL;
    }
    for (int i = 0; i < KDR_FORCE_KIND_COUNT; ++i) {
        if (strcmp(name, names[i]) == 0) {
            *kind = (kdr_force_kind)i;
            return KDR_OK;
        }
    }
    return KDR_ERROR_UNKNOWN_NAME;
}

kdr_force kdr_force_custom(const kdr_custom_field *field, const double *parameters) {
    kdr_force force;
    memset(&force, 0, sizeof force);
    force.kind = KDR_CUSTOM_FIELD;
    force.as.custom.field = field;
    for (int k = 0; parameters && k < kdr_custom_field_parameter_count(field); ++k) {
        force.as.custom.parameter[k] = parameters[k];
    }
    return force;
}

static const char *const contributions[KDR_CONTRIBUTION_COUNT] = {"default",          "exact", "average",    "pulse",
                                                                  "pulse-symplectic", "euler", "first-order"};

const char *kdr_contribution_name(kdr_contribution contribution) {
    return (unsigned)contribution < KDR_CONTRIBUTION_COUNT ? contributions[contribution] : "?";
}

kdr_status kdr_contribution_from_name(const char *name, kdr_contribution *contribution) {
    if (!name || !contribution) {
        return KDR_ERROR_NULL;
    }
    for (int i = 0; i < KDR_CONTRIBUTION_COUNT; ++i) {
        if (strcmp(name, contributions[i]) == 0) {
            *contribution = (kdr_contribution)i;
            return KDR_OK;
        }
    }
    return KDR_ERROR_UNKNOWN_NAME;
}

static void set(double to[3], double x, double y, double z) {
    to[0] = x;
    to[1] = y;
    to[2] = z;
}

static kdr_force blank(kdr_force_kind kind) {
    kdr_force force;
    memset(&force, 0, sizeof force);
    force.kind = kind;
    return force;
}

kdr_force kdr_force_uniform_acceleration(double ax, double ay, double az) {
    kdr_force force = blank(KDR_UNIFORM_ACCELERATION);
    set(force.as.uniform_acceleration.a, ax, ay, az);
    return force;
}

kdr_force kdr_force_uniform_force(double fx, double fy, double fz) {
    kdr_force force = blank(KDR_UNIFORM_FORCE);
    set(force.as.uniform_force.f, fx, fy, fz);
    return force;
}

kdr_force kdr_force_spring(double k, double x, double y, double z) {
    kdr_force force = blank(KDR_SPRING);
    set(force.as.spring.k, k, k, k);
    set(force.as.spring.at, x, y, z);
    return force;
}

kdr_force kdr_force_drag(double b, double wind_x, double wind_y, double wind_z) {
    kdr_force force = blank(KDR_DRAG);
    set(force.as.drag.b, b, b, b);
    set(force.as.drag.wind, wind_x, wind_y, wind_z);
    return force;
}

kdr_force kdr_force_quadratic_drag(double c, double wind_x, double wind_y, double wind_z) {
    kdr_force force = blank(KDR_QUADRATIC_DRAG);
    force.as.quadratic_drag.c = c;
    set(force.as.quadratic_drag.wind, wind_x, wind_y, wind_z);
    return force;
}

kdr_force kdr_force_electromagnetic(double charge, const double e[3], const double b[3]) {
    kdr_force force = blank(KDR_ELECTROMAGNETIC);
    force.as.electromagnetic.charge = charge;
    if (e) {
        set(force.as.electromagnetic.e, e[0], e[1], e[2]);
    }
    if (b) {
        set(force.as.electromagnetic.b, b[0], b[1], b[2]);
    }
    return force;
}

kdr_force kdr_force_centre(double mu, double x, double y, double z, double softening) {
    kdr_force force = blank(KDR_CENTRE);
    force.as.centre.mu = mu;
    set(force.as.centre.at, x, y, z);
    force.as.centre.softening = softening;
    return force;
}

kdr_force kdr_force_driven(double ax, double ay, double az, double omega, double phase) {
    kdr_force force = blank(KDR_DRIVEN);
    set(force.as.driven.a, ax, ay, az);
    force.as.driven.omega = omega;
    force.as.driven.phase = phase;
    return force;
}
