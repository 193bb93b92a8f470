/* This file implements Chebyshev's semi-iteration; the header explains it. */
#include "semi_iteration.h"

#include <math.h>

double kdr_semi_iteration_bound(int dims, const double g[6], double th) {
    double most = 0.0;
    for (int i = 0; i < dims; ++i) {
        double row = 0.0;
        for (int j = 0; j < dims; ++j) {
            row += fabs(g[i == j ? i : dims + i + j - 1]);
        }
        most = row > most ? row : most;
    }
    return fabs(th) * most;
}

static double next_weight(double weight, double square) { return 1.0 / (1.0 - square * weight / 4.0); }

void kdr_semi_iteration_begin(kdr_semi_iteration *iteration, double s, double size) {
    const double rho = s / (1.0 + s), square = rho * rho;
    *iteration = (kdr_semi_iteration){.weight = next_weight(2.0, square),
                                      .square = square,
                                      .factor = rho / (1.0 + sqrt(1.0 - square)),
                                      .size = size,
                                      .left = 1.0,
                                      .least = 0.25 / (1.0 + s)};
}

bool kdr_semi_iteration_next(kdr_semi_iteration *iteration, double size, double last) {
    const double larger = size > last ? size : last;
    const bool halved = larger < 0.5 * iteration->size;
    iteration->size = halved ? larger : iteration->size;
    iteration->left = halved ? 1.0 : iteration->left * iteration->factor;
    iteration->weight = next_weight(iteration->weight, iteration->square);
    return iteration->left <= iteration->least;
}
