/* A Barnes-Hut tree (Nature 324 (1986) 446) on top of kdr_gravity_add. Cells that are far enough away become one source in their centre of
 * mass. The targets of a group, which are close to each other, share a list of sources (Barnes, J. Comput. Phys. 87 (1990) 161), so that
 * the kernel computes long sums.
 *
 * Usage: tree [BODIES [THETA]]. Prints the times of the tree and of the direct sum, and the difference of their results. */
#include <kickdrift/kickdrift.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 1000000, LEVELS = 20, LEAF = 16, GROUP = 128 };

/* A cell: particles [begin, end), which are within a cube. Cells are in depth-first order: those within a cell follow it, and `next` is the
 * first cell after them. */
typedef struct cell {
    size_t begin, end, next;
    double size, x[3], mu; /* edge of the cube; centre of mass, and sum of the mu */
} cell;

typedef struct body {
    uint64_t key; /* the octants of all levels that the body is in, the coarsest in the highest bits */
    double x[3];
} body;

static kdr_pass_options options;
static size_t bodies, cell_count;
static body all[MOST];
static cell cells[3 * MOST]; /* enough: leaves share no bodies, and inner cells have more than LEAF bodies each */
static double x[3][MOST], mu[MOST], a[3][MOST], exact[3][MOST], list[4][MOST]; /* list: x, y, z and mu of a group's sources */

/* Returns a random number from 0 to 1, by SplitMix64. */
static double random_number(void) {
    static uint64_t state;
    uint64_t n = state += UINT64_C(0x9E3779B97F4A7C15);
    n = (n ^ (n >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    n = (n ^ (n >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)((n ^ (n >> 31)) >> 11) * 0x1p-53;
}

static double distance2(double d, double e, double f) { return d * d + e * e + f * f; }

static int compare(const void *one, const void *other) {
    return (((const body *)one)->key > ((const body *)other)->key) - (((const body *)one)->key < ((const body *)other)->key);
}

/* Makes a ball of radius 1 whose density falls as 1 / r^2, as in a galaxy's halo. The bodies are sorted in the order of the tree. */
static void make_bodies(void) {
    for (size_t n = 0; n < bodies; ++n) {
        const double r = random_number(), z = 2 * random_number() - 1, s = sqrt(1 - z * z), turn = 6.283185307179586 * random_number();
        const double at[3] = {r * s * cos(turn), r * s * sin(turn), r * z};
        for (int i = 0; i < 3; ++i) {
            all[n].x[i] = at[i];
            for (int level = 0; level < LEVELS; ++level) {
                all[n].key |= ((uint64_t)((at[i] + 1) / 2 * (1 << LEVELS)) >> level & 1) << (3 * level + i);
            }
        }
    }
    qsort(all, bodies, sizeof *all, compare);
    for (size_t n = 0; n < bodies; ++n) {
        x[0][n] = all[n].x[0], x[1][n] = all[n].x[1], x[2][n] = all[n].x[2], mu[n] = 1 / (double)bodies;
    }
}

static void make_cell(size_t begin, size_t end, int level) {
    cell *const c = &cells[cell_count++];
    *c = (cell){.begin = begin, .end = end, .size = 2 / (double)(1 << (LEVELS - level))};
    for (size_t n = begin; n < end; ++n) {
        c->mu += mu[n];
        for (int i = 0; i < 3; ++i) {
            c->x[i] += mu[n] * x[i][n];
        }
    }
    c->x[0] /= c->mu, c->x[1] /= c->mu, c->x[2] /= c->mu;
    for (size_t from = begin, n = begin; end - begin > LEAF && level > 0 && n < end; from = n) {
        for (const int shift = 3 * (level - 1); n < end && all[n].key >> shift == all[from].key >> shift;) {
            ++n;
        }
        make_cell(from, n, level - 1);
    }
    c->next = cell_count;
}

/* Lists the sources of a group; a cell counts as one source if the group's box is far enough from its centre of mass. Returns the number of
 * sources. */
static size_t list_sources(const cell *group, double theta) {
    double low[3] = {1, 1, 1}, high[3] = {-1, -1, -1};
    size_t count = 0;
    for (int i = 0; i < 3; ++i) {
        for (size_t n = group->begin; n < group->end; ++n) {
            low[i] = fmin(low[i], x[i][n]);
            high[i] = fmax(high[i], x[i][n]);
        }
    }
    for (size_t k = 0; k < cell_count;) {
        const cell *const c = &cells[k];
        double square = 0;
        for (int i = 0; i < 3; ++i) {
            square += pow(fmax(fmax(low[i] - c->x[i], c->x[i] - high[i]), 0), 2);
        }
        const int far = c->size * c->size < theta * theta * square, leaf = c->next == k + 1;
        const size_t end = far ? c->begin + 1 : leaf ? c->end : c->begin;
        for (size_t n = c->begin; n < end; ++n, ++count) {
            list[0][count] = far ? c->x[0] : x[0][n], list[1][count] = far ? c->x[1] : x[1][n], list[2][count] = far ? c->x[2] : x[2][n];
            list[3][count] = far ? c->mu : mu[n];
        }
        k = far ? c->next : k + 1;
    }
    return count;
}

/* Adds the accelerations by the sources to `to` of the targets. */
static kdr_status attract(double (*from)[MOST], const double *of, size_t sources, size_t begin, size_t end, double (*to)[MOST]) {
    kdr_gravity g = {.dims = 3, .real = KDR_F64, .softening = 0.001, .sources = sources, .mu = of, .targets = end - begin};
    for (int i = 0; i < 3; ++i) {
        g.source_x[i] = from[i], g.target_x[i] = x[i] + begin, g.a[i] = to[i] + begin;
    }
    return kdr_gravity_add(&g, &options, NULL);
}

int main(int count, char **word) {
    bodies = count > 1 ? strtoul(word[1], NULL, 10) : 20000;
    const double theta = count > 2 ? strtod(word[2], NULL) : 0.6;
    if (bodies < 1 || bodies > MOST || !(theta > 0)) {
        return fputs("tree: expected 1 to 1000000 bodies and an angle above 0\n", stderr), 2;
    }
    kdr_status status = kdr_pass_options_init(KDR_FUSED, KDR_BACKEND_AUTO, kdr_executor_serial(), &options, NULL);
    make_bodies();
    double pairs = 0, error = 0, size = 0, worst = 0;
    const clock_t start = clock();
    make_cell(0, bodies, LEVELS);
    /* A group is a cell with at most GROUP bodies that is in no other such cell, or a single leaf. */
    for (size_t k = 0; k < cell_count && !status;) {
        const int is_group = cells[k].end - cells[k].begin <= GROUP || cells[k].next == k + 1;
        const size_t sources = is_group ? list_sources(&cells[k], theta) : 0;
        status = is_group ? attract(list, list[3], sources, cells[k].begin, cells[k].end, a) : status;
        pairs += (double)sources * (double)(cells[k].end - cells[k].begin);
        k = is_group ? cells[k].next : k + 1;
    }
    const clock_t between = clock();
    status = status ? status : attract(x, mu, bodies, 0, bodies, exact);
    const clock_t end = clock();
    for (size_t n = 0; n < bodies; ++n) {
        const double off = distance2(a[0][n] - exact[0][n], a[1][n] - exact[1][n], a[2][n] - exact[2][n]);
        const double square = distance2(exact[0][n], exact[1][n], exact[2][n]);
        error += off, size += square, worst = fmax(worst, square > 0 ? sqrt(off / square) : 0);
    }
    printf("%zu bodies, theta %g: tree %.3f s, %.0f sources a body; direct sum %.3f s; error %.2e of the root mean square, at worst %.2e\n",
           bodies, theta, (double)(between - start) / CLOCKS_PER_SEC, pairs / (double)bodies, (double)(end - between) / CLOCKS_PER_SEC,
           size > 0 ? sqrt(error / size) : 0, worst);
    return status != KDR_OK;
}
