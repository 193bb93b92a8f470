/* The pack: plain copies of particles that kernels cannot step in place.
 *
 * Kernels take plain arrays only, and all particles of a job. A few hundred particles that are strided, or are some of many, are copied
 * into plain arrays on the stack, taken through all steps there, and copied back. No other bit of the caller's memory is written:
 * neither between the elements, nor of the particles in between. */
#ifndef KDR_INTEGRATOR_PACK_H
#define KDR_INTEGRATOR_PACK_H

#include <kickdrift/backend.h>
#include <kickdrift/particles.h>

#include "../particles/copies.h"
#include "../program/operation.h"

/* The most columns: x, v, memory, two of compensations, the inverse mass, the radius, ids, bounces, nonconverged, two of dissipation,
 * errors, images; and the per-particle arrays of springs, drags and custom fields. */
enum { KDR_MAX_COLUMNS = 14 + 5 * KDR_MAX_EACH + KDR_MAX_CUSTOM_EACH };

typedef struct kdr_pack {
    const kdr_job *job;
    const kdr_copies *copies;
    const kdr_kernels *kernels; /* have the operation that copies structures */
    kdr_real real;
    const uint8_t *active, *level; /* may be NULL */
    kdr_layout active_layout, level_layout;
    uint8_t chosen;      /* with levels, the level that is stepped */
    bool strided;        /* some column is strided, so that even unbroken rows of particles are packed */
    bool field_is_apart; /* some array of the field is strided */
    bool neighbours;     /* x and v are consecutive members of one structure, and are copied together */
    size_t length;       /* particles per pack if all columns are packed */
    size_t all_length;   /* particles per pack if only the strided columns are packed */
    int count;
    kdr_column column[KDR_MAX_COLUMNS];
} kdr_pack;

/* Steps particles [begin, end) of a job; `argument` is the caller's. */
typedef void kdr_pack_fn(const void *argument, const kdr_job *job, size_t begin, size_t end);

/* Prepares a pack. `job` is that of the particles, and must outlive the pack. */
void kdr_pack_make(kdr_pack *pack, kdr_backend backend, const kdr_job *job, const kdr_particles *particles, int level);

/* Declares that the job changes nothing, so that no array is copied back. */
void kdr_pack_reads(kdr_pack *pack);

/* Returns whether the job needs a pack: some array is strided, or only some particles are stepped. */
static inline bool kdr_pack_is_needed(const kdr_pack *pack) { return pack->strided || pack->active || pack->level; }

/* Returns whether a column has memory or compensations. */
bool kdr_pack_is_memory(const kdr_column *column);

/* Returns the column of x if the job has nothing but x and v on three axes, in one structure per particle, and all particles are
 * stepped. Otherwise returns NULL. */
const kdr_column *kdr_pack_members(const kdr_pack *pack);

/* Calls `step` for all chosen particles of [begin, end), in place or in the pack. */
void kdr_pack_run(const kdr_pack *pack, size_t begin, size_t end, kdr_pack_fn *step, const void *argument);

#endif
