/* The kinds of cases that are not field runs. A kind is a row here and a function in its own file (kind_<subject>.c);
 * docs/internals/adding.md explains how to add one. Its cases are numbered. The function draws a case at random and computes its results by
 * the reference or by a backend; the engine compares them (trial.h). */
#ifndef KDR_CHECK_KINDS_H
#define KDR_CHECK_KINDS_H

/* Columns: enumerator, function, name, cases of the whole plan, cases of the quick plan (each in both precisions and arithmetics), and
 * whether fields act in the cases, user-defined ones included. */
#define KDR_CHECK_KINDS(KIND)                                                                                                              \
    KIND(KDR_CHECK_GRAVITY, kdr_check_gravity, "gravity", 2048, 64, false)                                                                 \
    KIND(KDR_CHECK_SPRING_NETWORKS, kdr_check_spring_networks, "spring-networks", 4096, 24, false)                                         \
    KIND(KDR_CHECK_DISTANCES, kdr_check_distances, "distances", 4096, 24, false)                                                           \
    KIND(KDR_CHECK_SYSTEM, kdr_check_system, "system", 16384, 256, true)                                                                   \
    KIND(KDR_CHECK_LEVELS, kdr_check_levels, "levels", 4096, 64, true)                                                                     \
    KIND(KDR_CHECK_BLOCKS, kdr_check_blocks, "blocks", 4096, 48, true)                                                                     \
    KIND(KDR_CHECK_OBSERVABLES, kdr_check_observables, "observables", 4096, 32, true)

#endif
