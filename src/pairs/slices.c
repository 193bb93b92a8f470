/* This file sorts springs by particle: it counts them, gives them rows, and fills the rows in. */
#include "slices.h"

#include "../problem/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../particles/error.h"

/* A set of the slices that have springs: one bit per slice, and the number of slices before each word of bits. It takes at most 24 MB,
 * whatever indices the springs have. */
typedef struct reached {
    uint64_t *bits;
    uint32_t *before;
} reached;

enum { WORD = 64 };

static void mark(const reached *r, uint32_t particle) {
    const size_t slice = particle / KDR_SLICE;
    r->bits[slice / WORD] |= UINT64_C(1) << slice % WORD;
}

/* Returns the place of the particle among the particles of the reached slices. */
static size_t rank_of(const reached *r, uint32_t particle) {
    const size_t slice = particle / KDR_SLICE;
    const uint64_t earlier = r->bits[slice / WORD] & ((UINT64_C(1) << slice % WORD) - 1);
    return (r->before[slice / WORD] + (size_t)__builtin_popcountll(earlier)) * KDR_SLICE + particle % KDR_SLICE;
}

/* Returns the number of slices that have springs. */
static size_t count_slices(const kdr_pair_spring *springs, size_t count, size_t words, const reached *r) {
    size_t slices = 0;
    for (size_t n = 0; n < count; ++n) {
        mark(r, springs[n].a);
        mark(r, springs[n].b);
    }
    for (size_t w = 0; w < words; ++w) {
        r->before[w] = (uint32_t)slices;
        slices += (size_t)__builtin_popcountll(r->bits[w]);
    }
    return slices;
}

/* Counts the springs of each particle, and sets the place of each slice. */
static void count_springs(const kdr_pair_spring *springs, size_t count, const reached *r, uint32_t *degree, uint32_t *place) {
    for (size_t n = 0; n < count; ++n) {
        for (int end = 0; end < 2; ++end) {
            const uint32_t particle = end ? springs[n].b : springs[n].a;
            const size_t rank = rank_of(r, particle);
            ++degree[rank];
            place[rank / KDR_SLICE] = particle / KDR_SLICE;
        }
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
    const reached *reached;
} filling;

static void fill_end(const filling *f, uint32_t particle, uint32_t other, const double *parameter) {
    const size_t i = rank_of(f->reached, particle);
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

/* Makes the rows of `slices` slices. Returns false if there is no memory. */
static bool make_rows(filling *f, size_t slices, const kdr_pair_spring *springs, size_t count, kdr_spring_fn *parameters_of, void *context,
                      kdr_net *net) {
    size_t *const first = calloc(slices + 1, sizeof *first);
    uint32_t *const place = calloc(slices + 1, sizeof *place);
    net->slices.first = first;
    net->slices.place = place;
    f->got = calloc(slices * KDR_SLICE + 1, sizeof *f->got);
    if (!first || !place || !f->got) {
        return false;
    }
    count_springs(springs, count, f->reached, f->got, place);
    first_rows(f->got, slices, first);
    memset(f->got, 0, slices * KDR_SLICE * sizeof *f->got);
    /* There are at most 2 count rows, so that no product here is larger than a few times the bytes of the list. */
    const size_t slots = first[slices] * KDR_SLICE, size = kdr_real_size(f->real);
    char *const block = malloc(slots * (sizeof(uint32_t) + (size_t)f->parameters * size) + 1);
    net->block = block;
    if (!block) {
        return false;
    }
    /* The parameters come first, because the block is aligned for them. */
    for (int p = 0; p < f->parameters; ++p) {
        net->slices.parameter[p] = f->parameter[p] = block + (size_t)p * slots * size;
    }
    net->slices.other = f->other = (uint32_t *)(void *)(block + slots * (size_t)f->parameters * size);
    f->first = first;
    fill(f, slots, springs, count, parameters_of, context);
    return true;
}

kdr_status kdr_net_make(const kdr_pair_spring *springs, size_t count, kdr_real real, int parameters, kdr_spring_fn *parameters_of,
                        void *context, kdr_net *net, kdr_error *error) {
    const size_t reach = kdr_springs_reach(springs, count), words = reach / KDR_SLICE / WORD + 1;
    const reached r = {calloc(words, sizeof *r.bits), calloc(words, sizeof *r.before)};
    filling f = {.real = real, .parameters = parameters, .reached = &r};
    memset(net, 0, sizeof *net);
    net->slices.particles = reach;
    if (r.bits && r.before) {
        net->slices.count = count_slices(springs, count, words, &r);
    }
    const bool made = r.bits && r.before && make_rows(&f, net->slices.count, springs, count, parameters_of, context, net);
    free(f.got);
    free(r.bits);
    free(r.before);
    if (!made) {
        kdr_net_free(net);
        return kdr_fail(error, KDR_ERROR_NO_MEMORY, "spring network: no memory for %zu springs", count);
    }
    return KDR_OK;
}

void kdr_net_free(kdr_net *net) {
    free((void *)(uintptr_t)net->slices.first);
    free((void *)(uintptr_t)net->slices.place);
    free(net->block);
    memset(net, 0, sizeof *net);
}
