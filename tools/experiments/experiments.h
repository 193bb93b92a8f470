/* The experiments: one function each, listed in list.c. A new one needs a file here, a line in both lists, and a picture in
 * tools/plotting. */
#ifndef KICKDRIFT_TOOLS_EXPERIMENTS_H
#define KICKDRIFT_TOOLS_EXPERIMENTS_H

#include "report.h"

void experiment_acceleration(report *r);  /* e1 */
void experiment_damped(report *r);        /* e2 */
void experiment_oscillator(report *r);    /* e3 */
void experiment_spring(report *r);        /* e4 */
void experiment_critical(report *r);      /* e5 */
void experiment_ranking(report *r);       /* e5, ranking */
void experiment_contributions(report *r); /* e6 */
void experiment_work(report *r);          /* e7 */
void experiment_oracles(report *r);       /* e8 */
void experiment_stability(report *r);     /* the stability map */
void experiment_energy(report *r);        /* energy over 10^7 steps */
void experiment_compensation(report *r);  /* float, plain and compensated */

typedef struct experiment {
    const char *name, *title;
    void (*measure)(report *r);
} experiment;

/* The list of experiments. The last row is empty. */
extern const experiment experiments[];

#endif
