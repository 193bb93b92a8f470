/* This file finds the molecules: the connected components of the graph of distances. */
#include "molecules.h"

#include <stdlib.h>

#include "../particles/error.h"

/* Returns the first particle of a component while components are joined. to[particle] is an earlier particle of the same component, or
 * the particle itself if it is the first; the function shortens the way there. */
static uint32_t first_of(uint32_t *to, uint32_t particle) {
    while (to[particle] != particle) {
        to[particle] = to[to[particle]];
        particle = to[particle];
    }
    return particle;
}

static void join(uint32_t *to, uint32_t a, uint32_t b) {
    const uint32_t first_a = first_of(to, a), first_b = first_of(to, b);
    to[first_a < first_b ? first_b : first_a] = first_a < first_b ? first_a : first_b;
}

/* Loops over all rods in the order of the sweeps. */
#define EACH_ROD(d, n)                                                                                                                     \
    for (size_t colour = 0; colour < (d)->colours; ++colour)                                                                               \
        for (size_t n = (d)->first[colour]; n < (d)->last[colour]; ++n)

/* Counts the particles and rods of each molecule, and sets to[particle] to the number of its molecule. */
static void number(const kdr_distance_constraints *d, kdr_molecules *made, uint32_t *to) {
    EACH_ROD(d, n) {
        made->marks[d->a[n]] = made->marks[d->b[n]] = 1;
        join(to, d->a[n], d->b[n]);
    }
    for (size_t i = 0; i < d->reach; ++i) {
        to[i] = first_of(to, (uint32_t)i);
    }
    for (size_t i = 0; i < d->reach; ++i) { /* the first particle of a molecule is numbered before the others, which point to it */
        if (made->marks[i]) {
            to[i] = to[i] == i ? (uint32_t)made->count++ : to[to[i]];
            ++made->first[to[i] + 1];
        }
    }
}

/* Sets where each molecule begins, and lists its particles and rods. place[particle] becomes the particle's place in its molecule. */
static void fill(const kdr_distance_constraints *d, kdr_molecules *made, const uint32_t *to, uint32_t *place) {
    EACH_ROD(d, n) { ++made->first_rod[to[d->a[n]] + 1]; }
    for (size_t m = 0; m < made->count; ++m) {
        const size_t room = kdr_molecule_room(made->first[m + 1], made->first_rod[m + 1]);
        made->room = made->room < room ? room : made->room;
        made->first[m + 1] += made->first[m];
        made->first_rod[m + 1] += made->first_rod[m];
    }
    for (size_t i = 0; i < d->reach; ++i) {
        if (made->marks[i]) {
            place[i] = (uint32_t)made->first[to[i]]++;
            made->particle[place[i]] = (uint32_t)i;
        }
    }
    for (size_t m = made->count; m > 0; --m) {
        made->first[m] = made->first[m - 1];
    }
    made->first[0] = 0;
    EACH_ROD(d, n) {
        const size_t molecule = to[d->a[n]], at = made->first_rod[molecule]++;
        made->a[at] = place[d->a[n]] - (uint32_t)made->first[molecule];
        made->b[at] = place[d->b[n]] - (uint32_t)made->first[molecule];
        made->length[at] = d->length[n];
    }
    for (size_t m = made->count; m > 0; --m) {
        made->first_rod[m] = made->first_rod[m - 1];
    }
    made->first_rod[0] = 0;
}

kdr_status kdr_molecules_make(const kdr_distance_constraints *d, kdr_molecules *made, kdr_error *error) {
    uint32_t *const to = malloc(d->reach * sizeof *to + 1), *const place = malloc(d->reach * sizeof *place + 1);
    made->reach = d->reach;
    made->first = calloc(d->reach + 1, sizeof *made->first);
    made->first_rod = calloc(d->reach + 1, sizeof *made->first_rod);
    made->particle = malloc(d->reach * sizeof *made->particle + 1);
    made->a = malloc(d->count * sizeof *made->a + 1);
    made->b = malloc(d->count * sizeof *made->b + 1);
    made->length = malloc(d->count * sizeof *made->length + 1);
    made->marks = calloc(d->reach + 1, sizeof *made->marks);
    const bool has = to && place && made->first && made->first_rod && made->particle && made->a && made->b && made->length && made->marks;
    for (size_t i = 0; has && i < d->reach; ++i) {
        to[i] = (uint32_t)i;
    }
    if (has) {
        number(d, made, to);
        fill(d, made, to, place);
    }
    free(to);
    free(place);
    KDR_CHECK(has, error, KDR_ERROR_NO_MEMORY, "distances: no memory for the molecules of %zu particles", d->reach);
    return KDR_OK;
}

void kdr_molecules_free(kdr_molecules *molecules) {
    free(molecules->first);
    free(molecules->first_rod);
    free(molecules->particle);
    free(molecules->a);
    free(molecules->b);
    free(molecules->length);
    free(molecules->marks);
}
