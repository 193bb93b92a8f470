/* Writes particles as CSV. Each function stops at the first failure, so that a full disk ends a run early. */
#include "states_csv.h"

#include <inttypes.h>
#include <math.h>

/* Writes NaN as "nan": printf writes "-nan" for some. */
void states_write_number(FILE *stream, double value) {
    if (isnan(value)) {
        fputs(",nan", stream);
    } else {
        fprintf(stream, ",%.17g", value);
    }
}

static void write_particle(FILE *stream, const population *of, size_t i) {
    fprintf(stream, "%" PRIu64, population_id(of, i));
    for (int axis = 0; axis < 3; ++axis) {
        states_write_number(stream, population_get(of, of->particles.x[axis], i));
    }
    for (int axis = 0; axis < 3; ++axis) {
        states_write_number(stream, population_get(of, of->particles.v[axis], i));
    }
    states_write_number(stream, population_mass(of, i));
    for (int axis = 0; population_has_images(of) && axis < 3; ++axis) {
        fprintf(stream, ",%" PRId32, of->particles.images[axis][i]);
    }
    fputc('\n', stream);
}

bool states_write(FILE *stream, const population *of) {
    for (size_t i = 0; i < of->particles.count && !ferror(stream); ++i) {
        write_particle(stream, of, i);
    }
    return !ferror(stream);
}

bool states_write_header(FILE *stream, bool steps, bool images) {
    fprintf(stream, "%sid,x,y,z,vx,vy,vz,mass%s\n", steps ? "step,t," : "", images ? ",ix,iy,iz" : "");
    return !ferror(stream);
}

bool states_write_step(FILE *stream, const population *of, uint64_t step, double t) {
    for (size_t i = 0; i < of->particles.count && !ferror(stream); ++i) {
        fprintf(stream, "%" PRIu64 ",%.17g,", step, t);
        write_particle(stream, of, i);
    }
    return fflush(stream) == 0 && !ferror(stream);
}
