/* Methods of the caller's own, drawn for a case: tableaus of all sizes, lists of fractions of all lengths, zeros and equal weights in them; and
 * substeps of the caller's own. */
#ifndef KDR_CHECK_OWN_H
#define KDR_CHECK_OWN_H

#include "check.h"

typedef struct kdr_check_own {
    kdr_tableau tableau;
    kdr_fractions fractions;
    bool keeps; /* the fractions begin and end with a kick */
    kdr_substeps substeps;
} kdr_check_own;

/* Fills what the case's method asks for; nothing for a row of the table. */
void kdr_check_own_build(kdr_check_own *own, const kdr_check_case *test);

/* Puts the method into a description, which then points to `own`. */
void kdr_check_own_describe(const kdr_check_own *own, const kdr_check_case *test, kdr_integrator_desc *desc);

/* The method accepts the composition of the case. */
bool kdr_check_own_composes(const kdr_check_case *test);

/* The method keeps something from step to step. */
bool kdr_check_own_memory(const kdr_check_own *own, const kdr_check_case *test);

#endif
