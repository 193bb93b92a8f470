/* User-defined methods, drawn for a case: tableaus of all sizes and lists of fractions of all lengths, with zeros and equal weights; and
 * user-defined substeps. */
#ifndef KDR_CHECK_USER_METHOD_H
#define KDR_CHECK_USER_METHOD_H

#include "check.h"

typedef struct kdr_check_user_method {
    kdr_tableau tableau;
    kdr_fractions fractions;
    bool keeps; /* the fractions begin and end with a kick */
    kdr_substeps substeps;
} kdr_check_user_method;

/* Fills in what the case's method needs; nothing for a method of the table. */
void kdr_check_user_method_build(kdr_check_user_method *own, const kdr_check_case *test);

/* Sets the method in a description, which then points to `own`. */
void kdr_check_user_method_describe(const kdr_check_user_method *own, const kdr_check_case *test, kdr_integrator_desc *desc);

/* Returns true if the method accepts the composition of the case. */
bool kdr_check_user_method_composes(const kdr_check_case *test);

/* Returns true if the method keeps something from step to step. */
bool kdr_check_user_method_memory(const kdr_check_user_method *own, const kdr_check_case *test);

#endif
