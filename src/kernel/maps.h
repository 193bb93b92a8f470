/* Maps of affine motion for particles whose parameters differ, and the function that each backend's unit of doubles exports for them. */
#ifndef KDR_KERNEL_MAPS_H
#define KDR_KERNEL_MAPS_H

#include "../method/affine.h"

/* Of `count` particles, at most KDR_AXIS_LANES: the numbers that kdr_affine_axis makes of each one's rates, to the bit: of each the increments of x
 * by v, by x and the constant, then those of v. */
typedef void kdr_maps(const kdr_axis_rates *rates, int count, double h, double made[6][KDR_AXIS_LANES]);

#endif
