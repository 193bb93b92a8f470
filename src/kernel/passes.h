/* The passes of coupled runs, and the table that each unit exports: what is done to arrays between evaluations of the accelerations.
 *
 * A pass knows no axes: its arrays are those of one axis, or of all axes of particles whose components lie side by side. Begin and end
 * count elements. Every "p + k y" is one fma in the fused arithmetic, a product and a sum in the unfused one. No pass reads or writes an
 * element outside [begin, end); ranges of one pass may run side by side, when they begin at multiples of KDR_PASS_BLOCK. */
#ifndef KDR_KERNEL_PASSES_H
#define KDR_KERNEL_PASSES_H

#include "../program/operation.h"

enum { KDR_PASS_BLOCK = 256, KDR_PASS_GROUP = 128 }; /* elements; eight of the widest vectors */
enum { KDR_PASS_WHOLE = 512 };                       /* bytes: likewise, of an array or of an axis of it */

/* What becomes of the state as it is at the end of a step, which lies between the two parts of a pass. */
typedef enum kdr_keep {
    KDR_KEEP_NOTHING,    /* there is no end of a step in the pass, or nothing after it */
    KDR_KEEP_EXCEPTIONS, /* kept: the vectors that cannot be computed back, bit for bit, from what the second part makes of them */
    KDR_KEEP_ALL
} kdr_keep;

/* Where it is kept. What calls keep that follow each other lies together: a long sweep that keeps little stays in a cache with it. */
typedef struct kdr_kept {
    void *x, *v;         /* with KDR_PASS_GROUP elements more than the pass has */
    uint64_t *from;      /* of each block of KDR_PASS_BLOCK elements: where in x and v its first vector is */
    unsigned char *bits; /* a bit a vector: it was kept */
} kdr_kept;

/* Two parts, each a kick of v by a, or none, and then drifts of x by v. The second part has at most one drift where exceptions are kept. */
typedef struct kdr_pass {
    void *x, *v;   /* x: NULL when nothing drifts and nothing is kept */
    const void *a; /* NULL when nothing kicks */
    const void *w; /* inverse masses, or NULL. Where one is 0 nothing is changed */
    bool kicks[2];
    int drifts[2];
    double kick[2]; /* h times the fractions */
    double drift[2][KDR_MAX_FRACTIONS];
    void *predicted; /* or NULL: v + ahead a, as it is after the pass */
    double ahead;
    kdr_keep keep;
    kdr_kept kept;
} kdr_pass;

/* A pass of all axes where the elements of x and v lie apart, as members of structures do. An axis each: x and v are the first particle's;
 * accelerations, what is predicted and what is kept are plain arrays; what is done is the same, and so are the masses, `w_stride` apart. */
typedef struct kdr_apart_pass {
    kdr_pass axis[3];
    int dims;
    size_t x_stride, v_stride, w_stride; /* bytes from particle to particle */
} kdr_apart_pass;

/* out = y + sum of factor_j slope_j, one fma a term: a stage of a Runge-Kutta method. */
typedef struct kdr_stage_pass {
    const void *y;
    void *out;
    const void *w; /* as above: there out = y */
    int terms;
    const void *slope[KDR_MAX_STAGES];
    double factor[KDR_MAX_STAGES];
} kdr_stage_pass;

/* y += factor sum, its last: sum = ratio_1 slope_1 + ratio_2 slope_2 + ... in the order of kdr_runge_kutta_row. */
typedef struct kdr_sum_pass {
    void *y;
    const void *w;
    int stages;
    const void *slope[KDR_MAX_STAGES];
    double ratio[KDR_MAX_STAGES];
    double factor;
} kdr_sum_pass;

/* Of runs in blocks: kick 0, drift 0, kick 1, drift 1, those that there are, from one state to another; or in place. */
typedef struct kdr_cross_pass {
    const void *x, *v, *a, *w; /* w: as above, or NULL */
    void *to_x, *to_v;
    bool kicks[2], drifts[2];
    double kick[2], drift[2]; /* h times the fractions */
} kdr_cross_pass;

typedef void kdr_cross_fn(const kdr_cross_pass *pass, size_t count); /* elements: whole multiples of KDR_PASS_WHOLE bytes */

/* Likewise, a step of a Runge-Kutta method each of whose stages has one term, the slope of the stage before. */
typedef struct kdr_chain_pass {
    void *x, *v, *stage_x, *stage_v;
    const void *w, *a[KDR_MAX_STAGES];
    double factor[KDR_MAX_STAGES];       /* of stage s, h a_s,s-1 */
    double ratio[KDR_MAX_STAGES], scale; /* as kdr_runge_kutta_row has them, scale times h */
} kdr_chain_pass;

typedef void kdr_close_fn(const kdr_chain_pass *pass, size_t count);

/* Of one (backend, precision, arithmetic). */
typedef struct kdr_passes {
    size_t vector; /* elements */
    /* Keeps what it keeps from element `at` of `kept` on, at most at `begin`; returns where the next call may go on. */
    size_t (*move)(const kdr_pass *pass, size_t begin, size_t end, size_t at);
    void (*undo)(const kdr_pass *pass, size_t begin, size_t end); /* the second part of a `move` that kept something */
    /* The same of particles that lie apart; `at`: by axis, and moved on. */
    void (*move_apart)(const kdr_apart_pass *pass, size_t begin, size_t end, size_t at[3]);
    void (*undo_apart)(const kdr_apart_pass *pass, size_t begin, size_t end);
    /* Copies n particles' elements, `axes` of them side by side, `stride` bytes from particle to particle, to plain arrays or back. */
    void (*carry)(void *far, size_t stride, int axes, void *const near[3], size_t n, bool back);
    void (*stage)(const kdr_stage_pass *pass, size_t begin, size_t end);
    void (*sum)(const kdr_sum_pass *pass, size_t begin, size_t end);
    kdr_cross_fn *(*cross_of)(const kdr_cross_pass *pass, bool masses);      /* the sweep for such kicks and drifts */
    void (*link)(const kdr_chain_pass *pass, int stage, size_t count);       /* a stage but the first, its x and v */
    kdr_close_fn *(*close_of)(int stages, const double *ratio, bool masses); /* the end of such a step; NULL: has no instance */
} kdr_passes;

#endif
