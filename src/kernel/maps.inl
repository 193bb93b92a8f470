/* Maps of vectors of particles on one axis: method/affine_axis.inl with the unit's operations. Maps are made in doubles and fused
 * arithmetic, whatever the run's, so only those units have them. */
#include <math.h>

#include "../program/operation.h"

#include "unit.h"

#include "../method/affine_axis.inl"

static pair pair_at(const double of[2][KDR_AXIS_LANES], int lane) {
    return (pair){v_load((const char *)&of[0][lane]), v_load((const char *)&of[1][lane])};
}

kdr_maps KDR_UNIT;
void KDR_UNIT(const kdr_axis_rates *rates, int count, double h, double made[6][KDR_AXIS_LANES]) {
    _Static_assert(KDR_AXIS_LANES % LANES == 0, "whole vectors");
    for (int lane = 0; lane < count; lane += LANES) {
        vr out[AXIS_NUMBERS];
        axis_map(pair_at(rates->kx, lane), pair_at(rates->kv, lane), pair_at(rates->f, lane), h, out);
        for (int n = 0; n < AXIS_NUMBERS; ++n) {
            v_store((char *)&made[n][lane], out[n]);
        }
    }
}
