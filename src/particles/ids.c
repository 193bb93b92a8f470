/* This file checks that ids differ where noise is keyed by them; every such run calls it. Ascending ids are compared with their
 * neighbours. For other lists a thread remembers digests of those that it has found valid, so that the next check costs no more than
 * reading the list. */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "error.h"
#include "ids.h"
#include "layout.h"

enum { RIGHT_BITS = 3 };
static _Thread_local uint64_t right[1 << RIGHT_BITS]; /* digests; 0: none */

static uint64_t hash(uint64_t id) { return (id ^ id >> 32) * UINT64_C(0x9E3779B97F4A7C15); }

static uint64_t id_at(const kdr_particles *p, size_t i) {
    uint64_t id;
    memcpy(&id, (const char *)p->id + kdr_offset(&p->id_layout, sizeof id, i), sizeof id);
    return id;
}

/* Puts all particles into a table by their ids, and fails if two ids are equal. */
static kdr_status look_up(const kdr_particles *p, kdr_error *error) {
    int bits = 1;
    while (bits < 63 && (size_t)1 << bits < 2 * p->count) {
        ++bits;
    }
    const size_t size = (size_t)1 << bits;
    size_t *const table = calloc(size, sizeof *table); /* numbers of particles, from 1; 0: free */
    KDR_CHECK(table, error, KDR_ERROR_NO_MEMORY, "particles.id: no memory to compare %zu ids", p->count);
    size_t twice = 0, i = 0;
    for (; i < p->count && twice == 0; ++i) {
        const uint64_t id = id_at(p, i);
        size_t at = (size_t)(hash(id) >> (64 - bits));
        while (table[at] && id_at(p, table[at] - 1) != id) {
            at = (at + 1) & (size - 1);
        }
        twice = table[at];
        table[at] = i + 1;
    }
    free(table);
    KDR_CHECK(twice == 0, error, KDR_ERROR_ARGUMENT,
              "particles.id: expected ids that differ, which a heat bath's noise is keyed by, got %llu for particles %zu and %zu",
              (unsigned long long)id_at(p, twice - 1), twice - 1, i - 1);
    return KDR_OK;
}

/* Returns a digest of the ids and their number, for any layout. It is never 0. */
static uint64_t digest_of(const kdr_particles *p) {
    enum { PIECE = 128 };
    uint64_t digest = p->count;
    if (kdr_layout_is_plain(&p->id_layout, sizeof *p->id)) {
        return XXH3_64bits_withSeed(p->id, p->count * sizeof *p->id, digest) | 1;
    }
    for (size_t i = 0; i < p->count; i += PIECE) {
        uint64_t piece[PIECE];
        const size_t count = p->count - i < PIECE ? p->count - i : PIECE;
        for (size_t k = 0; k < count; ++k) {
            piece[k] = id_at(p, i + k);
        }
        digest = XXH3_64bits_withSeed(piece, count * sizeof *piece, digest);
    }
    return digest | 1;
}

kdr_status kdr_particles_check_ids(const kdr_particles *p, kdr_error *error) {
    size_t i = 1;
    while (p->id && i < p->count && id_at(p, i - 1) < id_at(p, i)) {
        ++i;
    }
    if (!p->id || i >= p->count) {
        return KDR_OK;
    }
    const uint64_t digest = digest_of(p);
    uint64_t *const like = &right[digest >> (64 - RIGHT_BITS)];
    const kdr_status status = *like == digest ? KDR_OK : look_up(p, error);
    *like = status == KDR_OK ? digest : *like;
    return status;
}
