/* What kickdrift_add_field makes of a field: the table that &kdr_custom_field_NAME is. */
#ifndef KDR_FORCE_CUSTOM_H
#define KDR_FORCE_CUSTOM_H

#include <kickdrift/backend.h>
#include <kickdrift/force.h>
#include <kickdrift/integrator.h>

struct kdr_custom_operations;

/* What an entry of the list gives to the evaluation of one particle. `parameter`: of the precision of the function, `precise`: as they were
 * given; `grid`: or NULL. */
typedef struct kdr_custom_field_given {
    int dims;
    const void *parameter;
    const double *precise;
    double time, inverse_mass;
    const kdr_grid *grid;
} kdr_custom_field_given;

/* x, v and a are arrays of that precision. Adds the field to a, and its magnetic one to m, three elements. */
typedef void kdr_custom_field_fn(const kdr_custom_field_given *given, const void *x, const void *v, void *a, void *m);

/* All in double, but the numbers of the grid, which are `real`. */
typedef double kdr_custom_field_energy_fn(const kdr_custom_field_given *given, kdr_real real, const double x[3]);

/* Adds the derivatives of an entry to s[3][3]. */
typedef void kdr_custom_field_jacobian_fn(const kdr_custom_field_given *given, double th, const void *x, const void *v, void *s);

/* The layouts that kernels and library must agree on: where one of them has another size, the field was compiled for another library. */
typedef struct kdr_custom_field_abi {
    char version[16];
    uint32_t job, field, row, tile, line, operations, hot, table;
} kdr_custom_field_abi;

extern const kdr_custom_field_abi kdr_custom_field_abi_of_library; /* known to the floors that know those layouts: custom/abi.c */

/* From what to what a parameter may be; both 0: anything. `most` may be infinite. */
typedef struct kdr_custom_field_range {
    double least, most;
} kdr_custom_field_range;

struct kdr_custom_field {
    kdr_custom_field_abi abi; /* first, and for good */
    const char *name;
    unsigned flags;
    int dims;      /* the axes that it is for; 0: any */
    int grid;      /* components of the grid that it reads; 0: none */
    int grid_dims; /* the axes of that grid; 0: any */
    int parameter_count;
    const char *const *parameter_name;
    int required;                        /* of the parameters: the first ones, without which an entry makes no sense */
    unsigned positive;                   /* a bit for each parameter that must be above 0 */
    const kdr_custom_field_range *range; /* KDR_MAX_PARAMETERS of them */
    unsigned direction;                  /* a bit for the first of each three parameters that are a vector whose direction matters */
    const struct kdr_custom_operations *operations[KDR_BACKEND_LAST + 1][KDR_REAL_COUNT][KDR_ARITHMETIC_COUNT]; /* NULL: not compiled */
    kdr_custom_field_fn *reference[KDR_REAL_COUNT][KDR_ARITHMETIC_COUNT];
    kdr_custom_field_jacobian_fn *jacobian[KDR_REAL_COUNT][KDR_ARITHMETIC_COUNT]; /* NULL: it does not say them */
    kdr_custom_field_energy_fn *energy;                                           /* or NULL */
};

/* Fails unless the field was compiled for this library. `index`: its place in the list of forces. */
kdr_status kdr_custom_field_check(const kdr_custom_field *field, size_t index, kdr_error *error);

/* Fails where parameters are not what the field expects of them. `each`: which of them are arrays, at least 0, and are not looked at. */
kdr_status kdr_custom_field_check_parameters(const kdr_custom_field *field, const double *parameter, const signed char *each, kdr_real real,
                                             size_t index, kdr_error *error);

#endif
