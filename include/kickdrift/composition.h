/* Compositions: a symmetric method of order 2 taken through substeps w_1 h, w_2 h, ..., some of them back, is a symmetric method of order
 * 4, 6 or 8, and keeps what the method keeps: the symplectic form, the volume of phase space, distances (HLW II.4 and V.3.2). Where
 * strang-affine kicks by a force that depends on v (quadratic drag, custom fields with KDR_CUSTOM_FIELD_VELOCITY or _MAGNETIC) it is not
 * symmetric, and the order of every composition is 3. */
#ifndef KICKDRIFT_COMPOSITION_H
#define KICKDRIFT_COMPOSITION_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kdr_composition {
    KDR_COMPOSE_NONE,           /* "none": the step is not divided */
    KDR_COMPOSE_SUZUKI_4,       /* "suzuki-4": 5 substeps, order 4 */
    KDR_COMPOSE_YOSHIDA_6,      /* "yoshida-6": 7 substeps, order 6, solution A */
    KDR_COMPOSE_KAHAN_LI_6,     /* "kahan-li-6": 9 substeps, order 6 */
    KDR_COMPOSE_MCLACHLAN_6,    /* "mclachlan-6": 9 substeps, order 6 */
    KDR_COMPOSE_SUZUKI_UMENO_8, /* "suzuki-umeno-8": 15 substeps, order 8; McLachlan's too */
    KDR_COMPOSE_KAHAN_LI_8,     /* "kahan-li-8": 17 substeps, order 8 */
    KDR_COMPOSITION_COUNT
} kdr_composition;

enum { KDR_MAX_SUBSTEPS = 39 };

/* Substeps of the caller's own, as fractions of the step: finite, none of them 0, the same from the end as from the beginning, to the
 * bit, and with a sum of 1 within 1e-12. */
typedef struct kdr_substeps {
    int count; /* 1 to KDR_MAX_SUBSTEPS */
    double fraction[KDR_MAX_SUBSTEPS];
} kdr_substeps;

typedef struct kdr_composition_info {
    const char *name; /* "kahan-li-8" */
    int order;        /* of a symmetric method of order 2, composed */
    int count;        /* substeps */
    const double *fraction;
    const char *source;
} kdr_composition_info;

/* Constant for the life of the program; NULL for an unknown enumerator. */
KDR_API const kdr_composition_info *kdr_composition_get(kdr_composition composition);

/* The composition of a name; KDR_ERROR_UNKNOWN_NAME for another name, KDR_ERROR_NULL for a pointer that is NULL. */
KDR_API kdr_status kdr_composition_from_name(const char *name, kdr_composition *composition);

#ifdef __cplusplus
}
#endif
#endif
