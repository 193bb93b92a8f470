/* Particles written as CSV, with 17 significant digits: reading them back gives the same bits. */
#ifndef KICKDRIFT_TOOLS_STATES_CSV_H
#define KICKDRIFT_TOOLS_STATES_CSV_H

#include "population.h"

#include <stdio.h>

/* A comma and the number. */
void states_write_number(FILE *stream, double value);

/* id,x,y,z,vx,vy,vz,mass, what `particles: {file: ...}` reads, behind them ix,iy,iz where particles have images; or of a trajectory step,t, before
 * them: the header, then particles, slice by slice. */
bool states_write_header(FILE *stream, bool steps, bool images);
bool states_write(FILE *stream, const population *of);
bool states_write_step(FILE *stream, const population *of, uint64_t step, double t);

#endif
