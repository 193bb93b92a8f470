/* Kinds of cases beside field runs: a kind is a row here and a function in a file of its own (kind_<subject>.c), which
 * docs/internals/adding.md explains. Its cases are numbered; the function draws a case at random, makes its results by the reference or by a backend, and the
 * engine compares (trial.h). */
#ifndef KDR_CHECK_KINDS_H
#define KDR_CHECK_KINDS_H

/*   enumerator             function               name           cases of the whole plan, of the quick one: each in both precisions and arithmetics;
 *   whether fields act in them, one of the caller's own too */
#define KDR_CHECK_KINDS(KIND)                                                                                                              \
    KIND(KDR_CHECK_GRAVITY, kdr_check_gravity, "gravity", 2048, 64, false)                                                                 \
    KIND(KDR_CHECK_NETS, kdr_check_nets, "nets", 4096, 24, false)                                                                          \
    KIND(KDR_CHECK_DISTANCES, kdr_check_distances, "distances", 4096, 24, false)                                                           \
    KIND(KDR_CHECK_COUPLED, kdr_check_coupled, "coupled", 16384, 256, true)                                                                \
    KIND(KDR_CHECK_LEVELS, kdr_check_levels, "levels", 4096, 64, true)                                                                     \
    KIND(KDR_CHECK_BLOCKS, kdr_check_blocks, "blocks", 4096, 48, true)                                                                     \
    KIND(KDR_CHECK_OBSERVABLES, kdr_check_observables, "observables", 4096, 32, true)

#endif
