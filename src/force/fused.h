/* What kickdrift_add_field makes of a field: the table that &kdr_fused_NAME is. */
#ifndef KDR_FORCE_FUSED_H
#define KDR_FORCE_FUSED_H

#include <kickdrift/backend.h>
#include <kickdrift/force.h>
#include <kickdrift/integrator.h>

struct kdr_custom_operations;

/* One particle: `parameter`, x, v and a are arrays of the precision of the function. Adds the field to a. */
typedef void kdr_fused_fn(int dims, const void *parameter, double time, double inverse_mass, const void *x, const void *v, void *a);
typedef double kdr_fused_energy_fn(int dims, const double *parameter, double time, double inverse_mass, const double x[3]);

/* Adds the slopes of an entry to s[3][3]. */
typedef void kdr_fused_slopes_fn(int dims, const void *parameter, double time, double inverse_mass, double th, const void *x, const void *v,
                                 void *s);

/* The layouts that kernels and library must agree on: where one of them has another size, the field was compiled for another library. */
typedef struct kdr_fused_abi {
    char version[16];
    uint32_t job, field, row, tile, line, operations, hot, table;
} kdr_fused_abi;

extern const kdr_fused_abi kdr_fused_abi_of_library; /* known to the floors that know those layouts: fuse/abi.c */

struct kdr_fused {
    kdr_fused_abi abi; /* first, and for good */
    const char *name;
    unsigned flags;
    int dims; /* the axes that it is for; 0: any */
    int parameter_count;
    const char *const *parameter_name;
    const struct kdr_custom_operations *operations[KDR_BACKEND_LAST + 1][KDR_REAL_COUNT][KDR_ARITHMETIC_COUNT]; /* NULL: not compiled */
    kdr_fused_fn *reference[KDR_REAL_COUNT][KDR_ARITHMETIC_COUNT];
    kdr_fused_slopes_fn *slopes[KDR_REAL_COUNT][KDR_ARITHMETIC_COUNT]; /* NULL: it does not say them */
    kdr_fused_energy_fn *energy;                                       /* or NULL */
};

/* Fails unless the field was compiled for this library. `index`: its place in the list of forces. */
kdr_status kdr_fused_check(const kdr_fused *field, size_t index, kdr_error *error);

#endif
