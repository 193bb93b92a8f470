/* Molecules: particles joined by distances, and the kernel that has them meet colliders. */
#ifndef KDR_KERNEL_MOLECULES_H
#define KDR_KERNEL_MOLECULES_H

#include <kickdrift/contact.h>
#include <kickdrift/particles.h>

/* The connected components of the graph of distances, in the order of their first particles. */
typedef struct kdr_molecules {
    size_t count;
    size_t *first, *first_rod; /* `count` + 1 elements: where each molecule begins among the particles, and among the rods */
    uint32_t *particle;        /* indices in the view, ascending within a molecule */
    uint32_t *a, *b;           /* the ends of the rods as places within their molecule; in the order of colours, as in sweeps */
    double *length;
    uint8_t *marks; /* 1 for each particle below `reach` that belongs to a molecule */
    size_t reach;
    size_t room; /* bytes of scratch memory for the largest molecule */
} kdr_molecules;

struct kdr_recorder;

/* A whole step of all particles, at whose end the distances hold. */
typedef struct kdr_molecule_job {
    const kdr_molecules *molecules;
    const kdr_particles *particles; /* at the end of the step: x and v are plain arrays, and change */
    /* x and v at the beginning of the step, and the change of v that is not due to distances */
    const void *x0[3], *v0[3], *gained[3];
    const void *walls; /* `wall_count` kdr_wall_f32 or kdr_wall_f64 */
    size_t wall_count;
    double dt, end; /* length of the step, and the time at its end, for surfaces that move */
    uint64_t step;  /* number of the step, for contacts */
    double box[3], tolerance;
    struct kdr_recorder *recorder; /* may be NULL */
    void (*note)(struct kdr_recorder *recorder, kdr_contact *contact, double fraction);
} kdr_molecule_job;

/* Repeats the step of a molecule, from surface to surface, if it meets one. Returns whether it does. `scratch` has `room` bytes, aligned
 * to 16. */
typedef bool kdr_molecule_kernel(const kdr_molecule_job *job, size_t molecule, void *scratch);

/* Sizes of the scratch memory. It holds the particles, a joint for each rod, two joints for each surface that a particle rests on, and
 * one more joint. A particle rests on at most KDR_ATOM_STANDS surfaces. Sizes are in bytes, the larger of both precisions. */
enum { KDR_ATOM_BYTES = 240, KDR_JOINT_BYTES = 104, KDR_STAND_BYTES = 120, KDR_ATOM_STANDS = 3 };

static inline size_t kdr_molecule_room(size_t particles, size_t rods) {
    const size_t stands = KDR_ATOM_STANDS * particles;
    return particles * KDR_ATOM_BYTES + (rods + 2 * stands + 1) * KDR_JOINT_BYTES + stands * KDR_STAND_BYTES;
}

/* The number of molecules that a thread takes at a time. They use the same scratch memory one after the other. */
enum { KDR_MOLECULE_CHUNK = 32 };

static inline size_t kdr_molecule_chunks(const kdr_molecules *molecules) {
    return (molecules->count + KDR_MOLECULE_CHUNK - 1) / KDR_MOLECULE_CHUNK;
}

/* Returns the bytes of scratch memory per chunk, in whole cache lines. */
static inline size_t kdr_molecule_chunk_room(const kdr_molecules *molecules) { return (molecules->room + 63) / 64 * 64; }

#endif
