/* The force lists of the cases. */
#ifndef KDR_CHECK_FORCES_H
#define KDR_CHECK_FORCES_H

#include "random.h"

#include <kickdrift/kickdrift.h>

enum {
    KDR_CHECK_MAX_FORCES = 64,
    /* Arrays a particle: k and three anchors of each spring, b of each drag. */
    KDR_CHECK_MAX_FORCE_ARRAYS = KDR_MAX_EACH * 4 + KDR_MAX_EACH
};

/* A force list whose arrays are still numbers: kdr_check_forces_bind makes them pointers. */
typedef struct kdr_check_forces {
    kdr_force force[KDR_CHECK_MAX_FORCES];
    struct {
        int k, at, b; /* the first of its arrays, -1: none */
    } arrays[KDR_CHECK_MAX_FORCES];
    int count;
    int array_count;
    struct {
        double low, high; /* of the elements */
    } range[KDR_CHECK_MAX_FORCE_ARRAYS];
    int of_kind[KDR_FORCE_KIND_COUNT]; /* entries so far that count towards a limit of force.h */
} kdr_check_forces;

int kdr_check_forces_lists(void); /* lists 0 .. lists-1, and after them all pairs of items */
int kdr_check_forces_pairs(void);
const char *kdr_check_forces_name(int list);

/* Fills the list from `random`. Items beyond a limit of force.h are left out. */
void kdr_check_forces_build(kdr_check_forces *forces, int list, kdr_check_random *random);

/* The list for particles [begin, begin + count) of arrays with elements of `size` bytes. */
void kdr_check_forces_bind(const kdr_check_forces *forces, unsigned char *const arrays[], size_t size, size_t begin, size_t count,
                           kdr_force bound[KDR_CHECK_MAX_FORCES]);

#endif
