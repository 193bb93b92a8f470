/* Hot instances: whole steps of constant method and field, for what is run most; hot/list.h has the list. What they leave of a range, less
 * than a chunk, the driver hands to them again, or the program steps it. */
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

#define HOT_LIST "list.h"
#define HOT_TABLE const kdr_hot KDR_UNIT[]
#include "hot/table.inl"
#endif
