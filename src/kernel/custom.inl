/* The operations of a user-defined field, in the file KDR_FIELD_FILE, and its specialised kernels. */
#include "../program/operation.h"

#include <math.h>
#include <string.h>

#include "unit.h"

#include "ops/tile.inl"

#include "custom_vectors.inl"

#include KDR_FIELD_FILE

#if KDR_FIELD_DIMS
/* Particles with another number of axes are refused. */
#undef ON_AXES
#define ON_AXES(tile, body, ...) body(KDR_FIELD_DIMS, __VA_ARGS__)
#endif

#include "custom_operations.inl"

/* Specialised kernels do not support fields that depend on t, rotate velocities or read a grid. */
#if defined(KDR_UNIT_HOT) && !((KDR_FIELD_FLAGS) & (KDR_FIELD_TIME | KDR_FIELD_MAGNETIC)) && KDR_FIELD_GRID == 0
#include "hot/steps.inl"

/* Specialised kernels of such a field have no ground, and step no structures or remainders. */
#define meet_ground(...) (void)0
#define HAS_REMAINDER(...) false
#define remainder_run(...) (void)0
#define HAS_MEMBERS(...) false
#define members_run(...) (void)0
#include "hot/run.inl"

#include "ops/periods.inl"

#include "hot/within.inl"

enum {
    CUSTOM = KDR_TERM_CUSTOM | (((KDR_FIELD_FLAGS)&KDR_FIELD_VELOCITY) ? KDR_TERM_CUSTOM_VELOCITY : 0) |
             (KDR_FIELD_COUPLES_AXES ? KDR_TERM_CUSTOM_COUPLES_AXES : 0)
};
#define HOT_LIST "custom.h"
#define HOT_TABLE static const kdr_hot instances[]
#include "hot/table.inl"
#define INSTANCES instances
#else
#define INSTANCES NULL
#endif

#define KDR_UNIT_OF_FIELD PASTE(KDR_UNIT, PASTE(_of_, KDR_FIELD))
const kdr_custom_operations KDR_UNIT_OF_FIELD = {.add = OF_FIELD(op_custom), .jacobian = JACOBIAN_CUSTOM, .hot = INSTANCES};
