/* Particles written as CSV, with 17 significant digits: reading them back gives the same bits. */
#ifndef KICKDRIFT_TOOLS_STATES_CSV_H
#define KICKDRIFT_TOOLS_STATES_CSV_H

#include "population.h"

#include <stdio.h>

/* A comma and the number. */
void states_write_number(FILE *stream, double value);

/* id,x,y,z,vx,vy,vz,mass: what `particles: {file: ...}` reads. */
bool states_write(FILE *stream, const population *of);

/* step,t,id,x,y,z,vx,vy,vz,mass: the header once, then all particles at a step. */
bool states_write_header(FILE *stream);
bool states_write_step(FILE *stream, const population *of, uint64_t step, double t);

#endif
