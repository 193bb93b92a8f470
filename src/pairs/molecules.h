/* The molecules that a list of distances makes. */
#ifndef KDR_PAIRS_MOLECULES_H
#define KDR_PAIRS_MOLECULES_H

#include "../kernel/molecules.h"
#include "distances.h"

/* Finds the molecules. `made` is all zeros before the call. The caller frees it by kdr_molecules_free, after a failure too. */
kdr_status kdr_molecules_make(const kdr_distance_constraints *distances, kdr_molecules *made, kdr_error *error);
void kdr_molecules_free(kdr_molecules *molecules);

#endif
