/* The operations of a unit, for its instruction set, precision and arithmetic, and the table of them. */
#include "../program/operation.h"

#include <math.h>
#include <string.h>

#include "unit.h"

#include "ops/tile.inl"

#include "ops/rows.inl"

#include "ops/next_step.inl"

#include "ops/field.inl"

#include "ops/jacobian.inl"

#include "ops/newton.inl"

#include "ops/magnetic.inl"

#include "ops/bath.inl"

#include "ops/map.inl"

#include "ops/bounce.inl"

#include "ops/contact.inl"

#include "ops/moving.inl"

#include "ops/surfaces.inl"

#include "ops/constraints.inl"

#include "ops/join.inl"

#include "ops/fly.inl"

#include "ops/collide.inl"

#include "ops/periods.inl"

#include "ops/walls.inl"

#include "ops/carry.inl"

#ifdef SCALAR_UNIT
#include "ops/molecules.inl"

#include "ops/encounters.inl"
#define MOLECULE meet_as_molecule
#else
#define MOLECULE NULL
#endif

/* A custom field has its own operations. */
static void op_custom(kdr_tile *tile, const kdr_instruction *line) { tile->custom[line->count]->add(tile, line); }

static void op_jacobian_custom(kdr_tile *tile, const kdr_instruction *line) { tile->custom[line->count]->jacobian(tile, line); }

#ifdef KDR_UNIT_HOT
extern const kdr_hot PASTE(kdr_hot_, KDR_UNIT_NAME)[];
#define HOT PASTE(kdr_hot_, KDR_UNIT_NAME)
#else
#define HOT NULL
#endif

const kdr_kernels KDR_UNIT = {
#define KDR_TABLE_ROW(code, name, what) [KDR_OP_##code] = op_##name,
    .operation = {KDR_OPERATIONS(KDR_TABLE_ROW)},
    .take = take,
    .hold = hold,
    .carry = carry,
    .flush_small = flush_small,
    .roots_apart = ROOTS_APART,
    .hot = HOT,
    .vector = (int)sizeof(vr),
    .molecule = MOLECULE,
};
