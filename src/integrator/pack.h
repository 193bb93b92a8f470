/* The pack: where particles are stepped that the kernels cannot step where they lie.
 *
 * Kernels know plain arrays alone, and all particles of a job. A few hundred particles whose elements lie apart, or that are some of many,
 * are copied into plain arrays on the stack, taken through all the steps there, and copied back. Nothing else of a caller's memory is
 * written: not what lies between the elements, nor a bit of the particles in between. */
#ifndef KDR_INTEGRATOR_PACK_H
#define KDR_INTEGRATOR_PACK_H

#include <kickdrift/backend.h>
#include <kickdrift/particles.h>

#include "../particles/copies.h"
#include "../program/operation.h"

/* x, v, memory, two of compensations, the inverse mass, the radius, names, hits, unsolved, two of dissipation, errors, images; what
 * springs, drags and custom fields have. */
enum { KDR_MAX_COLUMNS = 14 + 5 * KDR_MAX_EACH + KDR_MAX_CUSTOM_EACH };

typedef struct kdr_pack {
    const kdr_job *job;
    const kdr_copies *copies;
    const kdr_kernels *kernels; /* which copy structures */
    kdr_real real;
    const uint8_t *active, *level; /* or NULL */
    kdr_layout active_layout, level_layout;
    uint8_t chosen;      /* of the particles with a level, those of this one */
    bool strided;        /* a column is: a row of particles is packed too */
    bool field_is_apart; /* one of the field's is */
    bool neighbours;     /* x and v lie side by side in one structure, and go together */
    size_t length;       /* particles in the pack when all columns are */
    size_t all_length;   /* when those are that are apart */
    int count;
    kdr_column column[KDR_MAX_COLUMNS];
} kdr_pack;

/* Steps particles [begin, end) of a job; `argument` as it was given. */
typedef void kdr_pack_fn(const void *argument, const kdr_job *job, size_t begin, size_t end);

/* `job` is that of the particles, and must live as long as the pack. */
void kdr_pack_make(kdr_pack *pack, kdr_backend backend, const kdr_job *job, const kdr_particles *particles, int level);

/* The job changes nothing: no array is copied back. */
void kdr_pack_reads(kdr_pack *pack);

/* Plain arrays and all of them: the job needs no pack. */
static inline bool kdr_pack_is_needed(const kdr_pack *pack) { return pack->strided || pack->active || pack->level; }

/* The column is of memory or of compensations. */
bool kdr_pack_is_memory(const kdr_column *column);

/* The column of x, where all that the job has of its particles is x and v on three axes, side by side in structures, and all of them are
 * stepped; else NULL. */
const kdr_column *kdr_pack_members(const kdr_pack *pack);

/* Calls `step` for all chosen particles of [begin, end), where they lie or in the pack. */
void kdr_pack_run(const kdr_pack *pack, size_t begin, size_t end, kdr_pack_fn *step, const void *argument);

#endif
