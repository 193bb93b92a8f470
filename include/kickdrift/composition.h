/* Compositions: each step h consists of substeps w_1 h, w_2 h and so on, some of them negative. They raise the order of a symmetric method
 * from 2 to 4, 6 or 8 (Hairer, Lubich, Wanner, "Geometric Numerical Integration", II.4, V.3.2). */
#ifndef KICKDRIFT_COMPOSITION_H
#define KICKDRIFT_COMPOSITION_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number in a name is the order that a symmetric method of order 2 gets. */
typedef enum kdr_composition {
    KDR_COMPOSE_NONE,
    KDR_COMPOSE_SUZUKI_4,
    KDR_COMPOSE_YOSHIDA_6, /* solution A */
    KDR_COMPOSE_KAHAN_LI_6,
    KDR_COMPOSE_MCLACHLAN_6,
    KDR_COMPOSE_SUZUKI_UMENO_8,
    KDR_COMPOSE_KAHAN_LI_8,
    KDR_COMPOSITION_COUNT
} kdr_composition;

enum { KDR_MAX_SUBSTEPS = 39 };

/* User-defined substeps, as fractions of the step: finite, not 0, bitwise the same in reverse order, and adding up to 1 within 1e-12. */
typedef struct kdr_substeps {
    int count; /* 1 to KDR_MAX_SUBSTEPS */
    double fraction[KDR_MAX_SUBSTEPS];
} kdr_substeps;

typedef struct kdr_composition_info {
    const char *name;
    int order; /* that a symmetric method of order 2 gets */
    int count;
    const double *fraction;
    const char *source;
} kdr_composition_info;

/* Return constant properties; find names such as "kahan-li-8". Errors: KDR_ERROR_UNKNOWN_NAME. */
KDR_API const kdr_composition_info *kdr_composition_get(kdr_composition composition);
KDR_API kdr_status kdr_composition_from_name(const char *name, kdr_composition *composition);

#ifdef __cplusplus
}
#endif
#endif
