/* What the description of a coupled run becomes, and what its workspace holds. */
#ifndef KDR_COUPLED_COUPLED_H
#define KDR_COUPLED_COUPLED_H

#include <kickdrift/coupled.h>

#include "../force/event.h"
#include "../integrator/flights.h"
#include "../kernel/molecules.h"
#include "../problem/coupled.h"
#include "../problem/walls.h"
#include "../program/program.h"
#include "sweep.h"
#include "term.h"

struct kdr_coupled {
    kdr_coupled_desc desc; /* as it was given; what it points to is copied, or not needed any more */
    kdr_problem problem;
    kdr_coupled_lists lists; /* what the problem knows of its coupled forces and distances */
    kdr_backend backend;
    bool fused_roots;          /* its processor is faster so */
    kdr_program *steps[3][2];  /* the method, for each number of axes, without masses and with them */
    kdr_program *field[3][2];  /* the evaluation of the forces, for the same, if there is something of them to be evaluated */
    kdr_affine_map map[3];     /* of a kinematic method, for steps desc.dt: for each number of axes, where all particles have the same */
    kdr_program *maps[3][2];   /* of a kinematic method: the maps of particles that have their own */
    kdr_program *slopes[3][2]; /* of an implicit method: the derivatives of the forces, and of what acts between particles */
    kdr_coupled_term *terms;   /* owned */
    size_t term_count;
    const kdr_distances *distances; /* of the term that keeps them, NULL: none does */
    bool blocks;                    /* an implicit method has slopes of what acts between particles */
    bool fails;                     /* an evaluation may */
    bool corrects;                  /* a term does something after each step */
    bool holds;                     /* a term does something after each drift of a splitting method */
    bool meets;                     /* colliders or constraints look at the whole step */
    bool reflects;                  /* colliders look at each drift */
    kdr_walls walls;
    kdr_integrator *flights;            /* who takes particles from surface to surface; or NULL, where that is a parabola */
    kdr_molecules molecules;            /* those that meet colliders as a whole */
    kdr_leveled leveled;                /* with levels */
    kdr_force *forces;                  /* a copy that `desc` points to, for who observes */
    kdr_watch watches[KDR_MAX_WATCHES]; /* to which the problem points */
    kdr_tableau tableau;                /* of the description, likewise */
    kdr_fractions fractions;
    kdr_substeps substeps;
};

/* Adds a term to a description that is being made, which owns it from here on, whatever is returned. */
kdr_status kdr_coupled_take(kdr_coupled *coupled, const kdr_coupled_term *term, kdr_error *error);

/* Takes the terms of what it lists. */
kdr_status kdr_coupled_take_built_in(kdr_coupled *coupled, kdr_error *error);

/* What a watched run keeps of its particles: x, v, the acceleration that is kept, and what rounding takes from x and v. */
enum { KDR_KEPT_ARRAYS = 5 };
typedef void *kdr_kept_state[KDR_KEPT_ARRAYS][3];

/* The arrays of a workspace, by axis. Those that the method has no use for are NULL. */
typedef struct kdr_work {
    /* Those rows of the program, by their first columns, that an evaluation reads or sets, but for x and v; the first is an
     * acceleration's. From `maps` on those of the maps of particles. */
    int rows, maps;
    uint16_t column[KDR_MAX_ROWS];
    void *row[KDR_MAX_ROWS][3];
    void *a[2][3];                   /* of a method that keeps its acceleration: the first row's, and another in its place by turns */
    kdr_kept_arrays kept;            /* of runs that may fail, the way back to the end of a step; */
    void *before_x[3], *before_v[3]; /* the state that a step begins with, in the same place unless a term corrects its end */
    void *plain_x[3], *plain_v[3];   /* of methods with stages, and with terms: plain copies of arrays that are not */
    void *before_drift[3];           /* x, where a term holds to it, or colliders look at it from another pass; */
    void *v_before_drift[3];         /* and v, for these */
    void *held_v[3], *gained[3];     /* with molecules: v after the latest hold, and what v has gained in the step by all but holds; */
    void *molecules;                 /* and scratch memory of each chunk of them */
    void *scratch;                   /* of the terms, in turn */
    void *numbers, *field_numbers;   /* of the method's program and the field's, in the particles' precision; */
    void *slope_numbers;             /* of that of the field's derivatives, or NULL */
    void *blocks[6];                 /* those of what acts between particles, as many beside the diagonal as on it */
    size_t *order;                   /* with levels (levels.h) */
    uint8_t *marks;
    uint8_t *inside; /* with an absorbing boundary: marks of who takes part in a step */
    bool lost;       /* a compensated run has arrays for what rounding takes from x and v, and for what that was; */
    void *c[2][3], *before_c[2][3];
    /* A watched run has the states at both ends of a step, by turns, and one on its way; the signs of each block, a row for each watch, one
     * after the other; whose have changed; and the workspace of the step that is taken again. */
    kdr_kept_state ends[2], again;
    kdr_signs *signs;
    bool *changed;
    kdr_workspace workspace;
    void *left[3]; /* the memory of who is outside of an absorbing boundary */
    void *counts;  /* counts of all particles before a step, for the way back where the step fails; */
    void *counted; /* counts of all particles in a step that a watch has cut short, for those that it stops */
} kdr_work;

/* The potential energy of the terms and of the caller's function. */
kdr_status kdr_coupled_potential(const kdr_coupled *coupled, const kdr_particles *particles, double t, double *energy, kdr_error *error);

/* Sets in the job what lines of a run's program need beside their rows. The job must be zeros, and points to `flights` then. */
void kdr_coupled_job(const kdr_coupled *coupled, const kdr_particles *particles, const kdr_clock *clock, kdr_flights *flights,
                     kdr_job *job);

/* What a run is given. */
kdr_status kdr_coupled_check_run(const kdr_coupled *coupled, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                                 const kdr_workspace *workspace, kdr_error *error);

/* The workspace shares no memory with the particles' arrays. */
kdr_status kdr_coupled_check_workspace(const kdr_particles *particles, const kdr_workspace *workspace, kdr_error *error);

/* What a run in blocks is given. */
kdr_status kdr_coupled_check_blocks(const kdr_coupled *coupled, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                                    kdr_error *error);

/* An array of `count` elements of `size` bytes, as it lies, and a block of memory overlap; NULL has none. */
bool kdr_shares_memory(size_t count, const void *array, const kdr_layout *layout, size_t size, const void *block, size_t bytes);

/* The level by whose steps a run goes: the highest of the particles that move. */
int kdr_coupled_level(const kdr_coupled *coupled, const kdr_particles *particles);

/* Lays a workspace out from an address on, for these particles; or without them from address 0, to learn its size. Returns the size, or 0
 * when it does not fit the address space. */
size_t kdr_work_lay_out(const kdr_coupled *coupled, const kdr_particles *particles, size_t count, int dims, uintptr_t address,
                        kdr_work *work);

#endif
