/* Springs by particle: counted, given their rows, filled in. */
#include "slices.h"

#include "../problem/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../particles/error.h"

/* How many springs each particle has; then, while they are filled in, how many it has got. */
static void count_springs(const kdr_pair_spring *springs, size_t count, uint32_t *degree) {
    for (size_t n = 0; n < count; ++n) {
        ++degree[springs[n].a];
        ++degree[springs[n].b];
    }
}

static void first_rows(const uint32_t *degree, size_t slices, size_t *first) {
    first[0] = 0;
    for (size_t s = 0; s < slices; ++s) {
        uint32_t most = 0;
        for (size_t i = s * KDR_SLICE; i < (s + 1) * KDR_SLICE; ++i) {
            most = degree[i] > most ? degree[i] : most;
        }
        first[s + 1] = first[s] + most;
    }
}

static void put(void *array, kdr_real real, size_t i, double value) {
    if (real == KDR_F32) {
        ((float *)array)[i] = (float)value;
    } else {
        ((double *)array)[i] = value;
    }
}

typedef struct filling {
    kdr_real real;
    int parameters;
    uint32_t *other, *got;
    void *parameter[KDR_MAP_PARAMETERS];
    const size_t *first;
} filling;

static void fill_end(const filling *f, uint32_t i, uint32_t other, const double *parameter) {
    const size_t at = (f->first[i / KDR_SLICE] + f->got[i]++) * KDR_SLICE + i % KDR_SLICE;
    f->other[at] = other;
    for (int p = 0; p < f->parameters; ++p) {
        put(f->parameter[p], f->real, at, parameter[p]);
    }
}

static void fill(const filling *f, size_t slots, const kdr_pair_spring *springs, size_t count, kdr_spring_fn *parameters_of,
                 void *context) {
    for (size_t at = 0; at < slots; ++at) {
        f->other[at] = 0;
        for (int p = 0; p < f->parameters; ++p) {
            put(f->parameter[p], f->real, at, p == 0 ? NAN : 0.0);
        }
    }
    for (size_t n = 0; n < count; ++n) {
        double parameter[KDR_MAP_PARAMETERS] = {0};
        parameters_of(context, n, 0, parameter);
        fill_end(f, springs[n].a, springs[n].b, parameter);
        parameters_of(context, n, 1, parameter);
        fill_end(f, springs[n].b, springs[n].a, parameter);
    }
}

kdr_status kdr_net_make(const kdr_pair_spring *springs, size_t count, kdr_real real, int parameters, kdr_spring_fn *parameters_of,
                        void *context, kdr_net *net, kdr_error *error) {
    const size_t reach = kdr_springs_reach(springs, count), slices = (reach + KDR_SLICE - 1) / KDR_SLICE;
    uint32_t *degree = calloc(slices * KDR_SLICE + 1, sizeof *degree);
    size_t *first = calloc(slices + 1, sizeof *first);
    if (degree && first) {
        count_springs(springs, count, degree);
        first_rows(degree, slices, first);
        memset(degree, 0, slices * KDR_SLICE * sizeof *degree);
    }
    /* At most count + slices rows, so that no product here is larger than a few times the list's own bytes. */
    const size_t slots = first ? first[slices] * KDR_SLICE : 0, size = kdr_real_size(real);
    char *const block = malloc(slots * (sizeof(uint32_t) + (size_t)parameters * size) + 1);
    if (!degree || !first || !block) {
        free(degree);
        free(first);
        free(block);
        return kdr_fail(error, KDR_ERROR_NO_MEMORY, "net: no memory for %zu springs", count);
    }
    /* The parameters first: the block is aligned for them. */
    filling f = {.real = real,
                 .parameters = parameters,
                 .other = (uint32_t *)(void *)(block + slots * (size_t)parameters * size),
                 .got = degree,
                 .first = first};
    memset(net, 0, sizeof *net);
    for (int p = 0; p < parameters; ++p) {
        net->slices.parameter[p] = f.parameter[p] = block + (size_t)p * slots * size;
    }
    fill(&f, slots, springs, count, parameters_of, context);
    free(degree);
    net->slices.count = slices;
    net->slices.particles = reach;
    net->slices.first = first;
    net->slices.other = f.other;
    net->block = block;
    return KDR_OK;
}

void kdr_net_free(kdr_net *net) {
    free((void *)(uintptr_t)net->slices.first);
    free(net->block);
    memset(net, 0, sizeof *net);
}
