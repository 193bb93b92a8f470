/* The table that kickdrift_add_field makes of a field; &kdr_custom_field_NAME is its address. */
#ifndef KDR_FORCE_CUSTOM_H
#define KDR_FORCE_CUSTOM_H

#include <kickdrift/backend.h>
#include <kickdrift/force.h>
#include <kickdrift/integrator.h>

struct kdr_custom_operations;

/* The arguments for the evaluation of one particle. `parameter` is in the function's precision, `precise` as given; `grid` may be NULL. */
typedef struct kdr_custom_field_given {
    int dims;
    const void *parameter;
    const double *precise;
    double time, inverse_mass;
    const kdr_grid *grid;
} kdr_custom_field_given;

/* Adds the field to a, and its magnetic field to m, which has three elements. x, v, a and m are arrays of the function's precision. */
typedef void kdr_custom_field_fn(const kdr_custom_field_given *given, const void *x, const void *v, void *a, void *m);

/* Returns the energy. All numbers are double, except those of the grid, which are `real`. */
typedef double kdr_custom_field_energy_fn(const kdr_custom_field_given *given, kdr_real real, const double x[3]);

/* Adds the derivatives of an entry to s[3][3]. */
typedef void kdr_custom_field_jacobian_fn(const kdr_custom_field_given *given, double th, const void *x, const void *v, void *s);

/* The sizes of layouts on which kernels and library must agree. If one differs, the field was compiled for another library. */
typedef struct kdr_custom_field_abi {
    char version[16];
    uint32_t job, field, row, tile, line, operations, hot, table;
} kdr_custom_field_abi;

extern const kdr_custom_field_abi kdr_custom_field_abi_of_library; /* is defined where these layouts are known: custom/abi.c */

/* The range of a parameter; with both 0 it is unlimited. `most` may be infinite. */
typedef struct kdr_custom_field_range {
    double least, most;
} kdr_custom_field_range;

struct kdr_custom_field {
    kdr_custom_field_abi abi; /* must stay the first member */
    const char *name;
    unsigned flags;
    int dims;      /* number of axes that it is for; 0 for any */
    int grid;      /* components of the grid that it reads; 0 for none */
    int grid_dims; /* axes of that grid; 0 for any */
    int parameter_count;
    const char *const *parameter_name;
    int required;                        /* the first so many parameters must be given */
    unsigned positive;                   /* one bit for each parameter that must be above 0 */
    const kdr_custom_field_range *range; /* KDR_MAX_PARAMETERS elements */
    unsigned direction;                  /* one bit for the first of each three parameters that are a vector whose direction matters */
    const struct kdr_custom_operations *operations[KDR_BACKEND_LAST + 1][KDR_REAL_COUNT][KDR_ARITHMETIC_COUNT]; /* NULL if not compiled */
    kdr_custom_field_fn *reference[KDR_REAL_COUNT][KDR_ARITHMETIC_COUNT];
    kdr_custom_field_jacobian_fn *jacobian[KDR_REAL_COUNT][KDR_ARITHMETIC_COUNT]; /* NULL if the field does not have them */
    kdr_custom_field_energy_fn *energy;                                           /* may be NULL */
};

/* Fails unless the field was compiled for this library. `index` is its place in the list of forces. */
kdr_status kdr_custom_field_check(const kdr_custom_field *field, size_t index, kdr_error *error);

/* Fails if parameters are not what the field expects. `each` marks those that are arrays by a number of at least 0; they are not
 * checked. */
kdr_status kdr_custom_field_check_parameters(const kdr_custom_field *field, const double *parameter, const signed char *each, kdr_real real,
                                             size_t index, kdr_error *error);

#endif
