/* This file writes the ids and masses of a trajectory's particles. A file has them once if they are the same in all frames, otherwise
 * for each frame. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "elements.h"
#include "header.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { MOST = 512, INVERSE_MASS = 6, ID = 16 }; /* particles at a time; numbers of the arrays */

static const char *const names[KDR_CONSTANTS] = {"id", "mass"};
static hid_t file_type(int c) { return c == KDR_CONSTANT_ID ? H5T_STD_U64LE : H5T_IEEE_F64LE; }
static hid_t memory_type(int c) { return c == KDR_CONSTANT_ID ? H5T_NATIVE_UINT64 : H5T_NATIVE_DOUBLE; }

static uint64_t word_of(double value) {
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static double number_of(uint64_t word) {
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* Returns whether an append gives the ids of its particles, or their masses. */
static bool says(const kdr_trajectory *t, kdr_particles *view, int c) {
    return c == KDR_CONSTANT_MASS && t->mass ? true : kdr_array_of(view, c == KDR_CONSTANT_ID ? ID : INVERSE_MASS).used;
}

/* Reads inverse masses as doubles. */
static void take_inverses(kdr_particles *view, size_t begin, size_t count, double *inverses) {
    const kdr_array array = kdr_array_of(view, INVERSE_MASS);
    unsigned char bytes[MOST * sizeof(double)], wide[sizeof(double)];
    kdr_array_get(&array, begin, count, bytes);
    for (size_t i = 0; i < count; ++i) {
        const unsigned char *const from = bytes + i * array.size;
        if (array.size == sizeof(double)) {
            memcpy(wide, from, sizeof wide);
        } else {
            kdr_number_convert(from, array.size, wide);
        }
        inverses[i] = number_of(kdr_word_decode(wide));
    }
}

/* Reads the ids of the particles, or their masses as the bits of a double. */
static void take(const kdr_trajectory *t, kdr_particles *view, int c, size_t begin, size_t count, uint64_t words[MOST]) {
    if (c == KDR_CONSTANT_ID) {
        const kdr_array id = kdr_array_of(view, ID);
        unsigned char bytes[MOST * sizeof(uint64_t)];
        kdr_array_get(&id, begin, count, bytes);
        for (size_t i = 0; i < count; ++i) {
            words[i] = kdr_word_decode(bytes + i * sizeof(uint64_t));
        }
        return;
    }
    double inverses[MOST];
    if (t->mass) {
        memcpy(words, t->mass + begin, count * sizeof *words);
        return;
    }
    take_inverses(view, begin, count, inverses);
    for (size_t i = 0; i < count; ++i) {
        words[i] = word_of(1 / inverses[i]);
    }
}

/* Reads or writes the numbers of particles [begin, begin + count): those for all frames, or those of one frame. */
static bool move(const kdr_element *e, int c, uint64_t frame, size_t begin, size_t count, uint64_t *words, bool writes) {
    const hsize_t at[2] = {e->per_frame ? frame : begin, begin}, extent[2] = {e->per_frame ? 1 : count, count}, length = count;
    const hid_t space = H5Dget_space(e->value), memory = H5Screate_simple(1, &length, NULL);
    bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, extent, NULL) >= 0;
    if (good) {
        good = (writes ? H5Dwrite(e->value, memory_type(c), memory, space, H5P_DEFAULT, words)
                       : H5Dread(e->value, memory_type(c), memory, space, H5P_DEFAULT, words)) >= 0;
    }
    H5Sclose(memory);
    H5Sclose(space);
    return good;
}

/* Reads the numbers that the file has for all frames. Without a data set the id of a particle is its index, and its mass is 1. */
static bool read_held(const kdr_element *e, int c, size_t begin, size_t count, uint64_t *words) {
    for (size_t i = 0; e->value < 0 && i < count; ++i) {
        words[i] = c == KDR_CONSTANT_ID ? begin + i : word_of(1);
    }
    return e->value < 0 || move(e, c, 0, begin, count, words, false);
}

bool kdr_constants_make(kdr_trajectory *t, hid_t all, const kdr_trajectory_desc *desc) {
    kdr_particles view = *desc->particles;
    const hsize_t count = t->count;
    bool good = true;
    t->mass = desc->mass;
    for (int c = 0; good && c < KDR_CONSTANTS; ++c) {
        if (says(t, &view, c)) {
            const hid_t space = H5Screate_simple(1, &count, NULL), made = kdr_h5_untimed(H5P_DATASET_CREATE);
            t->constant[c].value = H5Dcreate2(all, names[c], file_type(c), space, H5P_DEFAULT, made, H5P_DEFAULT);
            H5Pclose(made);
            H5Sclose(space);
            good = t->constant[c].value >= 0;
        }
        for (size_t begin = 0; good && t->constant[c].value >= 0 && begin < view.count; begin += MOST) {
            uint64_t words[MOST];
            const size_t taken = view.count - begin < MOST ? view.count - begin : MOST;
            take(t, &view, c, begin, taken, words);
            good = move(&t->constant[c], c, 0, begin, taken, words, true);
        }
    }
    t->described = view.count;
    return good;
}

bool kdr_constants_open(kdr_trajectory *t, hid_t all) {
    for (int c = 0; c < KDR_CONSTANTS; ++c) {
        char path[16];
        (void)snprintf(path, sizeof path, "%s/value", names[c]);
        H5O_info_t about;
        if (H5Lexists(all, names[c], H5P_DEFAULT) > 0) {
            if (H5Oget_info_by_name2(all, names[c], &about, H5O_INFO_BASIC, H5P_DEFAULT) < 0) {
                return false;
            }
            t->constant[c].per_frame = about.type == H5O_TYPE_GROUP;
            t->constant[c].value = kdr_h5_open_set(all, t->constant[c].per_frame ? path : names[c]);
            hsize_t extent[3];
            const int rank = t->constant[c].value < 0 ? 0 : kdr_h5_extents(t->constant[c].value, extent);
            if (rank != (t->constant[c].per_frame ? 2 : 1) || extent[rank - 1] != t->count) {
                return false;
            }
        }
    }
    return true;
}

/* Replaces numbers that hold for all frames by numbers per frame: each frame, with the one that is being added, gets a copy of the old
 * ones. */
static bool vary(kdr_trajectory *t, int c) {
    const kdr_element old = t->constant[c];
    kdr_element *const now = &t->constant[c];
    const hsize_t extent[3] = {0, t->count, 0}, chunks[3] = {1, t->chunk, 0}, whole[2] = {t->frames + 1, t->count};
    const hid_t all = H5Gopen2(t->file, "/particles/all", H5P_DEFAULT);
    uint64_t *const words = malloc(t->chunk * sizeof *words);
    bool good = words && all >= 0 && (old.value < 0 || H5Ldelete(all, names[c], H5P_DEFAULT) >= 0);
    const hid_t element = good ? kdr_h5_group(all, names[c]) : -1;
    *now = (kdr_element){.value = -1, .per_frame = true};
    if (good) {
        now->value = kdr_h5_growing(element, "value", file_type(c), 2, extent, chunks, t->deflate);
        good = now->value >= 0 && kdr_h5_link_times(t, element) && H5Dset_extent(now->value, whole) >= 0;
    }
    for (size_t begin = 0; good && begin < t->count; begin += t->chunk) {
        const size_t taken = t->count - begin < t->chunk ? t->count - begin : t->chunk;
        good = read_held(&old, c, begin, taken, words);
        for (uint64_t frame = 0; good && frame <= t->frames; ++frame) {
            good = move(now, c, frame, begin, taken, words, true);
        }
    }
    H5Gclose(element);
    H5Gclose(all);
    H5Dclose(old.value);
    free(words);
    return good;
}

/* Returns whether the view's inverse masses are the inverses of the masses in the file. Then the masses count as equal, even if the
 * inverse of the inverse rounds to another number. */
static bool are_inverses(const kdr_trajectory *t, kdr_particles *view, size_t begin, size_t count, const uint64_t *held) {
    double inverses[MOST];
    if (t->mass) {
        return false;
    }
    take_inverses(view, begin, count, inverses);
    for (size_t i = 0; i < count; ++i) {
        const double inverse = 1 / number_of(held[i]);
        if (number_of(held[i]) != 1 / inverses[i] && (view->real == KDR_F32 ? (double)(float)inverse : inverse) != inverses[i]) {
            return false;
        }
    }
    return true;
}

/* Writes the ids or masses of particles [begin, begin + count) of the view, if the file has other ones. */
static bool put_some(kdr_trajectory *t, kdr_particles *view, int c, size_t begin, size_t count) {
    const size_t at = t->placed + begin;
    uint64_t words[MOST], held[MOST];
    take(t, view, c, begin, count, words);
    if (!t->constant[c].per_frame && (t->frames > 0 || at < t->described || t->constant[c].value < 0)) {
        if (!read_held(&t->constant[c], c, at, count, held)) {
            return false;
        }
        if (memcmp(words, held, count * sizeof *words) == 0 || (c == KDR_CONSTANT_MASS && are_inverses(t, view, begin, count, held))) {
            return true;
        }
        if (!vary(t, c)) {
            return false;
        }
    }
    return move(&t->constant[c], c, t->frames, at, count, words, true);
}

kdr_status kdr_constants_check(const kdr_trajectory *t, kdr_particles *view, kdr_error *error) {
    const bool looks = t->has_species && says(t, view, KDR_CONSTANT_ID);
    for (size_t begin = 0, taken; looks && begin < view->count; begin += taken) {
        const size_t at = t->placed + begin;
        uint64_t words[MOST], held[MOST];
        taken = view->count - begin < MOST ? view->count - begin : MOST;
        if (t->frames == 0 && at + taken > t->described) { /* in the first frame the ids of further particles are not written yet */
            taken = at < t->described ? t->described - at : 0;
        }
        if (taken == 0) {
            break;
        }
        take(t, view, KDR_CONSTANT_ID, begin, taken, words);
        if (!read_held(&t->constant[KDR_CONSTANT_ID], KDR_CONSTANT_ID, at, taken, held)) {
            return kdr_h5_failed(t->path, "read the ids of it", error);
        }
        for (size_t i = 0; i < taken; ++i) {
            KDR_CHECK(words[i] == held[i], error, KDR_ERROR_MISMATCH,
                      "trajectory: particle %zu: expected id %llu, as in the frames before, for the file holds species once, got %llu",
                      at + i, (unsigned long long)held[i], (unsigned long long)words[i]);
        }
    }
    return KDR_OK;
}

bool kdr_constants_lack(const kdr_trajectory *t, kdr_particles *view) {
    for (int c = 0; c < KDR_CONSTANTS; ++c) {
        const bool first = t->constant[c].value >= 0 && t->frames == 0 && t->placed + view->count > t->described;
        if ((t->constant[c].per_frame || first) && view->count > 0 && !says(t, view, c)) {
            return true;
        }
    }
    return false;
}

bool kdr_constants_put(kdr_trajectory *t, kdr_particles *view) {
    bool good = true;
    for (int c = 0; c < KDR_CONSTANTS; ++c) {
        for (size_t begin = 0, taken; good && says(t, view, c) && begin < view->count; begin += taken) {
            taken = view->count - begin < MOST ? view->count - begin : MOST;
            const size_t described = t->described > t->placed + begin ? t->described - t->placed - begin : taken;
            taken = described < taken ? described : taken;
            good = put_some(t, view, c, begin, taken);
        }
    }
    return good;
}

bool kdr_constants_extend(kdr_trajectory *t, uint64_t frames) {
    const hsize_t extent[2] = {frames, t->count};
    bool good = true;
    for (int c = 0; c < KDR_CONSTANTS; ++c) {
        good = good && (!t->constant[c].per_frame || H5Dset_extent(t->constant[c].value, extent) >= 0);
    }
    return good;
}

/* ---- marks of chunks, which may be compressed elsewhere than the file is written */

/* The digests that a mark is made from. */
typedef struct mark_state {
    XXH64_state_t ids, inverses, masses;
} mark_state;

static void begin_mark(mark_state *of) {
    XXH64_reset(&of->ids, 0);
    XXH64_reset(&of->inverses, 0);
    XXH64_reset(&of->masses, 0);
}

static void end_mark(const mark_state *of, unsigned char mark[KDR_CONSTANTS_MARK]) {
    kdr_word_encode(XXH64_digest(&of->ids), mark);
    kdr_word_encode(XXH64_digest(&of->inverses), mark + 8);
    kdr_word_encode(XXH64_digest(&of->masses), mark + 16);
}

enum { HAS_IDS = 24, INVERSE_SIZE = 25 }; /* places of these bytes in a mark */

void kdr_constants_mark(kdr_particles *view, unsigned char mark[KDR_CONSTANTS_MARK]) {
    static const kdr_trajectory none;
    const kdr_array id = kdr_array_of(view, ID), inverse = kdr_array_of(view, INVERSE_MASS);
    mark_state state;
    begin_mark(&state);
    for (size_t begin = 0; begin < view->count; begin += MOST) {
        const size_t taken = view->count - begin < MOST ? view->count - begin : MOST;
        uint64_t words[MOST];
        double inverses[MOST];
        if (id.used) {
            take(&none, view, KDR_CONSTANT_ID, begin, taken, words);
            XXH64_update(&state.ids, words, taken * sizeof *words);
        }
        if (inverse.used) {
            take_inverses(view, begin, taken, inverses);
            XXH64_update(&state.inverses, inverses, taken * sizeof *inverses);
            take(&none, view, KDR_CONSTANT_MASS, begin, taken, words);
            XXH64_update(&state.masses, words, taken * sizeof *words);
        }
    }
    end_mark(&state, mark);
    mark[HAS_IDS] = id.used;
    mark[INVERSE_SIZE] = inverse.used ? (unsigned char)inverse.size : 0;
}

bool kdr_constants_are(kdr_trajectory *t, size_t begin, size_t count, const unsigned char mark[KDR_CONSTANTS_MARK]) {
    mark_state state;
    unsigned char held[KDR_CONSTANTS_MARK];
    bool good = !t->constant[KDR_CONSTANT_ID].per_frame && !t->constant[KDR_CONSTANT_MASS].per_frame;
    begin_mark(&state);
    for (size_t done = 0; good && done < count; done += MOST) {
        const size_t taken = count - done < MOST ? count - done : MOST;
        uint64_t words[MOST];
        double inverses[MOST];
        if (!read_held(&t->constant[KDR_CONSTANT_ID], KDR_CONSTANT_ID, begin + done, taken, words)) {
            return false;
        }
        XXH64_update(&state.ids, words, taken * sizeof *words);
        if (!read_held(&t->constant[KDR_CONSTANT_MASS], KDR_CONSTANT_MASS, begin + done, taken, words)) {
            return false;
        }
        XXH64_update(&state.masses, words, taken * sizeof *words);
        for (size_t i = 0; i < taken; ++i) {
            const double inverse = 1 / number_of(words[i]);
            inverses[i] = mark[INVERSE_SIZE] == sizeof(float) ? (double)(float)inverse : inverse;
        }
        XXH64_update(&state.inverses, inverses, taken * sizeof *inverses);
    }
    end_mark(&state, held);
    return good && (!mark[HAS_IDS] || memcmp(held, mark, 8) == 0) &&
           (mark[INVERSE_SIZE] == 0 || memcmp(held + 8, mark + 8, 8) == 0 || memcmp(held + 16, mark + 16, 8) == 0);
}
