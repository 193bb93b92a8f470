/* The state of a kdr_system, which kdr_system_create makes from a description, and the layout of a run's workspace. */
#ifndef KDR_SYSTEM_SYSTEM_H
#define KDR_SYSTEM_SYSTEM_H

#include <kickdrift/system.h>

#include "../force/event.h"
#include "../integrator/flights.h"
#include "../kernel/molecules.h"
#include "../problem/system.h"
#include "../problem/walls.h"
#include "../program/program.h"
#include "sweep.h"
#include "term.h"

struct kdr_system {
    kdr_system_desc desc; /* the description as it was given; its arrays are copied, or no longer needed */
    kdr_problem problem;
    kdr_system_lists lists; /* facts about the interactions and distances that the problem uses */
    kdr_backend backend;
    bool fused_roots;          /* this processor computes roots faster with fused instructions */
    kdr_program *steps[3][2];  /* programs of the method, by number of axes, without and with masses */
    kdr_program *field[3][2];  /* programs that evaluate the forces, with the same indices; NULL if there is nothing to evaluate */
    kdr_affine_map map[3];     /* a kinematic method's maps for steps desc.dt, by number of axes, if all particles share one map */
    kdr_program *maps[3][2];   /* a kinematic method's programs that make one map per particle */
    kdr_program *slopes[3][2]; /* an implicit method's programs for the derivatives of the forces and of the interactions */
    kdr_system_term *terms;    /* owned array */
    size_t term_count;
    const kdr_distance_constraints *distances; /* owned by the term that keeps them; NULL if there are none */
    bool blocks;                               /* an implicit method uses derivatives (slopes) of the interactions */
    bool fails;                                /* an evaluation may fail */
    bool corrects;                             /* some term acts after each step */
    bool holds;                                /* some term acts after each drift of a splitting method */
    bool meets;                                /* colliders or constraints check the whole step */
    bool reflects;                             /* colliders check each drift */
    kdr_walls walls;
    kdr_integrator *flights;            /* integrator that moves a particle from surface to surface; NULL if its path is a parabola */
    kdr_molecules molecules;            /* molecules, which meet colliders as a whole */
    kdr_leveled leveled;                /* constants of block time steps, if the run has levels */
    kdr_force *forces;                  /* copy of the forces, for functions that observe; `desc` points to it */
    kdr_watch watches[KDR_MAX_WATCHES]; /* copy of the watches; the problem points to it */
    kdr_tableau tableau;                /* copies of what the description points to */
    kdr_fractions fractions;
    kdr_substeps substeps;
};

/* Adds a term to a description that is being made. The description owns the term from now on, even if this fails. */
kdr_status kdr_system_take(kdr_system *system, const kdr_system_term *term, kdr_error *error);

/* Adds the built-in terms: the interactions and distances that the description lists. */
kdr_status kdr_system_take_built_in(kdr_system *system, kdr_error *error);

/* A watched run saves five arrays of its particles: x, v, the kept acceleration, and the compensations of x and of v. */
enum { KDR_KEPT_ARRAYS = 5 };
typedef void *kdr_kept_state[KDR_KEPT_ARRAYS][3];

/* The arrays of a workspace, one per axis. Arrays that the method does not use are NULL. */
typedef struct kdr_work {
    /* The program's rows, other than x and v, that an evaluation reads or sets, named by their first columns. The first row is an
     * acceleration. Rows from `maps` on belong to the maps of particles. */
    int rows, maps;
    uint16_t column[KDR_MAX_ROWS];
    void *row[KDR_MAX_ROWS][3];
    void *a[2][3];        /* two buffers for the kept acceleration, used alternately; one is the first row's */
    kdr_kept_arrays kept; /* lets STEP_BACK restore the end of a step, in runs that may fail */
    /* x and v at the beginning of the step, at a fixed place unless a term corrects the end of the step */
    void *before_x[3], *before_v[3];
    void *plain_x[3], *plain_v[3]; /* plain copies of strided x and v, for methods with stages and for terms */
    void *before_drift[3];         /* x before a drift, for terms that hold particles and for colliders that check it in another pass */
    void *v_before_drift[3];       /* v before a drift, for the same */
    /* with molecules: v after the latest hold, and the part of v's change in the step that is not due to holds */
    void *held_v[3], *gained[3];
    void *molecules;               /* scratch memory of each chunk of molecules */
    void *scratch;                 /* scratch memory that the terms use one after the other */
    void *numbers, *field_numbers; /* numbers of the method's program and of the field's, in the particles' precision */
    void *slope_numbers;           /* numbers of the program for the field's derivatives; may be NULL */
    void *blocks[6];               /* derivatives of the interactions: 3 x 3 blocks, symmetric, as many arrays off the diagonal as on it */
    size_t *order;                 /* particle indices by level, with levels (levels.h) */
    uint8_t *marks;
    uint8_t *inside; /* with an absorbing boundary: marks of the particles that take part in a step */
    bool lost;       /* a compensated run has the compensations of x and v in `c`, and their values before the step in `before_c` */
    void *c[2][3], *before_c[2][3];
    /* A watched run has the states at both ends of a step, which change places, and one for a step that is repeated. `signs` has one row
     * per watch for each block of particles, and `changed` marks particles with a change of sign. The workspace serves the repeated
     * step. */
    kdr_kept_state ends[2], again;
    kdr_signs *signs;
    bool *changed;
    kdr_workspace workspace;
    void *left[3]; /* memory of the particles outside an absorbing boundary */
    void *counts;  /* counts of all particles before a step, restored if the step fails */
    void *counted; /* counts of all particles in a step that a watch has shortened, for the particles that it stops */
} kdr_work;

/* Computes the potential energy of the terms and of the user's function. */
kdr_status kdr_system_potential(const kdr_system *system, const kdr_particles *particles, double t, double *energy, kdr_error *error);

/* Sets what the instructions of a run's program need in addition to their rows. The job must be all zeros; it then points to `flights`. */
void kdr_system_job(const kdr_system *system, const kdr_particles *particles, const kdr_clock *clock, kdr_flights *flights, kdr_job *job);

/* Checks the arguments of a run. */
kdr_status kdr_system_check_run(const kdr_system *system, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                                const kdr_workspace *workspace, kdr_error *error);

/* Checks that the workspace shares no memory with the particles' arrays. */
kdr_status kdr_system_check_workspace(const kdr_particles *particles, const kdr_workspace *workspace, kdr_error *error);

/* Checks the arguments of a run in blocks. */
kdr_status kdr_system_check_blocks(const kdr_system *system, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                                   kdr_error *error);

/* Returns whether an array of `count` elements of `size` bytes in this layout overlaps a block of memory. A NULL array overlaps nothing. */
bool kdr_shares_memory(size_t count, const void *array, const kdr_layout *layout, size_t size, const void *block, size_t bytes);

/* Returns the highest level of the moving particles, which sets the length of the run's substeps. */
int kdr_system_level(const kdr_system *system, const kdr_particles *particles);

/* Lays out a workspace for these particles from an address on. From address 0 and without particles it only computes the size. Returns
 * the size, or 0 if it exceeds the address space. */
size_t kdr_work_lay_out(const kdr_system *system, const kdr_particles *particles, size_t count, int dims, uintptr_t address,
                        kdr_work *work);

#endif
