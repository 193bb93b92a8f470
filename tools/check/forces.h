/* The force lists of the cases. */
#ifndef KDR_CHECK_FORCES_H
#define KDR_CHECK_FORCES_H

#include "random.h"

#include <kickdrift/kickdrift.h>

enum {
    KDR_CHECK_MAX_FORCES = 64,
    /* The arrays with one value per particle: k and three anchors of each spring, b of each drag, parameters of custom fields. */
    KDR_CHECK_MAX_FORCE_ARRAYS = KDR_MAX_EACH * 4 + KDR_MAX_EACH + KDR_MAX_CUSTOM_EACH,
    KDR_CHECK_GRID_NODES = 5, /* largest number of nodes on an axis of a grid */
    KDR_CHECK_GRID_ELEMENTS = KDR_CHECK_GRID_NODES * KDR_CHECK_GRID_NODES * KDR_CHECK_GRID_NODES * KDR_GRID_COMPONENTS
};

/* The forces that a method accepts, from the columns velocity_forces and affine of its row. */
typedef struct kdr_check_accepted {
    kdr_velocity_forces velocity;
    bool affine;
    bool contributions; /* contributions may be chosen: the method kinematic, which accepts no custom field that depends on t */
    bool jacobian;      /* implicit methods: a custom field needs derivatives */
    int dims;           /* dimensions of the particles: a custom field may need more or fewer */
} kdr_check_accepted;

/* A list of forces in which arrays are numbers. kdr_check_forces_bind turns them into pointers. */
typedef struct kdr_check_forces {
    kdr_force force[KDR_CHECK_MAX_FORCES];
    struct {
        int k, at, b; /* number of the first of its arrays; -1: none */
        int fused[KDR_MAX_PARAMETERS];
        kdr_grid grid[KDR_REAL_COUNT]; /* refers to the numbers below */
    } arrays[KDR_CHECK_MAX_FORCES];
    float single[KDR_CHECK_GRID_ELEMENTS];
    double precise[KDR_CHECK_GRID_ELEMENTS];
    int count;
    int array_count, field_arrays; /* all arrays, and those that are parameters of fields */
    struct {
        double low, high; /* range of the elements */
    } range[KDR_CHECK_MAX_FORCE_ARRAYS];
    int of_kind[KDR_FORCE_KIND_ALL]; /* number of entries so far, per kind with a limit */
    kdr_check_accepted accepted;     /* items that are not accepted are left out */
} kdr_check_forces;

int kdr_check_forces_lists(void); /* lists 0 .. lists-1, followed by all pairs of items */
int kdr_check_forces_pairs(void);
const char *kdr_check_forces_name(int list);

/* Fills the list at random. Items beyond a limit of force.h are left out. Items that the method does not accept are left out too, except in
 * one case of eight, because a case that is refused tests no step. */
void kdr_check_forces_build(kdr_check_forces *forces, int list, kdr_check_accepted accepted, kdr_check_random *random);

/* Appends entries of a custom field with parameters between 1/2 and 2, some of them arrays. Appends none if this list is limited to what
 * the method accepts, and it does not accept the field. */
void kdr_check_forces_fuse(kdr_check_forces *forces, const kdr_custom_field *field, kdr_check_random *random);

/* Returns true if, by <kickdrift/force.h> and <kickdrift/method.h>, a method that accepts `accepted` must refuse the list, or if a custom
 * field is for particles of other dimensions. */
bool kdr_check_forces_refused(const kdr_check_forces *forces, kdr_check_accepted accepted);

/* Draws a contribution for each force, now and then one that its kind does not accept. Returns true if the list must be refused. */
bool kdr_check_forces_contribute(kdr_check_forces *forces, kdr_check_random *random);

/* Makes the list of forces for particles [begin, begin + count) of arrays with elements of `size` bytes. It borrows the grids. */
void kdr_check_forces_bind(const kdr_check_forces *forces, unsigned char *const arrays[], size_t size, size_t begin, size_t count,
                           kdr_force bound[KDR_CHECK_MAX_FORCES]);

#endif
