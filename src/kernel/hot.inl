/* The specialised kernels of a unit: whole steps of constant method and field, for common combinations (hot/list.h). Less than a chunk
 * of a range is left over; the driver runs the kernel again on a padded copy, or the program. */
#include "../program/operation.h"

#include <math.h>
#include <string.h>

#include "unit.h"

#ifdef KDR_UNIT_HOT
#include "ops/bounce.inl"

#include "ops/members.inl"

#include "hot/steps.inl"

#include "hot/ground.inl"

#include "hot/run.inl"

#include "hot/remainder.inl"

#include "hot/members.inl"

#include "ops/periods.inl"

#include "hot/within.inl"

#define HOT_LIST "list.h"
#define HOT_TABLE const kdr_hot KDR_UNIT[]
#include "hot/table.inl"
#endif
