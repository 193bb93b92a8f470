/* Writes particles as CSV with 17 significant digits, so that reading them back gives the same bits. */
#ifndef KICKDRIFT_TOOLS_STATES_CSV_H
#define KICKDRIFT_TOOLS_STATES_CSV_H

#include "population.h"

#include <stdio.h>

/* Writes a comma and the number. */
void states_write_number(FILE *stream, double value);

/* Writes the header, then particles slice by slice. The columns are id,x,y,z,vx,vy,vz,mass, which `particles: {file: ...}` reads. Image
 * counts ix,iy,iz follow if particles have them. A trajectory has step,t before the others. */
bool states_write_header(FILE *stream, bool steps, bool images);
bool states_write(FILE *stream, const population *of);
bool states_write_step(FILE *stream, const population *of, uint64_t step, double t);

#endif
