/* Kinds of cases beside field runs: a kind is a row here and a function in a file of its own (kind_<subject>.c), which docs/engine.md
 * explains. Its cases are numbered; the function draws a case at random, makes its results by the reference or by a backend, and the
 * engine compares (trial.h). */
#ifndef KDR_CHECK_KINDS_H
#define KDR_CHECK_KINDS_H

/*        enumerator  function                name         cases of the whole plan, and of the quick one: each in both precisions and arithmetics */
#define KDR_CHECK_KINDS(KIND) KIND(KDR_CHECK_NETS, kdr_check_nets, "nets", 4096, 24)

#endif
