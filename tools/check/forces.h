/* The force lists of the cases. */
#ifndef KDR_CHECK_FORCES_H
#define KDR_CHECK_FORCES_H

#include "random.h"

#include <kickdrift/kickdrift.h>

enum {
    KDR_CHECK_MAX_FORCES = 64,
    /* Arrays a particle: k and three anchors of each spring, b of each drag. */
    KDR_CHECK_MAX_FORCE_ARRAYS = KDR_MAX_EACH * 4 + KDR_MAX_EACH + KDR_MAX_CUSTOM_EACH,
    KDR_CHECK_GRID_NODES = 5, /* on an axis of a grid, at most */
    KDR_CHECK_GRID_ELEMENTS = KDR_CHECK_GRID_NODES * KDR_CHECK_GRID_NODES * KDR_CHECK_GRID_NODES * KDR_GRID_COMPONENTS
};

/* What a method accepts: the columns velocity_forces and affine of its row. */
typedef struct kdr_check_accepted {
    kdr_velocity_forces velocity;
    bool affine;
    bool contributions; /* may be chosen: of the method kinematic, which takes no custom field that depends on t */
    bool jacobian;      /* it needs the derivatives of a custom field: implicit methods */
    int dims;           /* of the particles: a custom field may be for others */
} kdr_check_accepted;

/* A force list whose arrays are still numbers: kdr_check_forces_bind makes them pointers. */
typedef struct kdr_check_forces {
    kdr_force force[KDR_CHECK_MAX_FORCES];
    struct {
        int k, at, b; /* the first of its arrays, -1: none */
        int fused[KDR_MAX_PARAMETERS];
        kdr_grid grid[KDR_REAL_COUNT]; /* of the numbers below */
    } arrays[KDR_CHECK_MAX_FORCES];
    float single[KDR_CHECK_GRID_ELEMENTS];
    double precise[KDR_CHECK_GRID_ELEMENTS];
    int count;
    int array_count, field_arrays; /* field_arrays: those of them that are parameters of fields */
    struct {
        double low, high; /* of the elements */
    } range[KDR_CHECK_MAX_FORCE_ARRAYS];
    int of_kind[KDR_FORCE_KIND_ALL]; /* entries so far that count towards a limit of force.h */
    kdr_check_accepted accepted;     /* items beyond it are left out */
} kdr_check_forces;

int kdr_check_forces_lists(void); /* lists 0 .. lists-1, and after them all pairs of items */
int kdr_check_forces_pairs(void);
const char *kdr_check_forces_name(int list);

/* Fills the list from `random`. Items beyond a limit of force.h are left out, and so, but for one case in eight, are those that a method
 * does not accept: what is refused is not stepped. */
void kdr_check_forces_build(kdr_check_forces *forces, int list, kdr_check_accepted accepted, kdr_check_random *random);

/* Appends entries of a custom field, with parameters between 1/2 and 2, some of them arrays; none where the list's items may not be beyond
 * what the method accepts, and the field is. */
void kdr_check_forces_fuse(kdr_check_forces *forces, const kdr_custom_field *field, kdr_check_random *random);

/* By the words of <kickdrift/force.h> and <kickdrift/method.h>: the list holds forces that a method which accepts those refuses, or a custom field
 * for other particles. */
bool kdr_check_forces_refused(const kdr_check_forces *forces, kdr_check_accepted accepted);

/* Draws a contribution for each force, now and then one that its kind does not accept; returns whether the list is to be refused. */
bool kdr_check_forces_contribute(kdr_check_forces *forces, kdr_check_random *random);

/* The list for particles [begin, begin + count) of arrays with elements of `size` bytes. Its grids are the list's. */
void kdr_check_forces_bind(const kdr_check_forces *forces, unsigned char *const arrays[], size_t size, size_t begin, size_t count,
                           kdr_force bound[KDR_CHECK_MAX_FORCES]);

#endif
