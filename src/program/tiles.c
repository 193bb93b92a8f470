/* Places tiles of particles, loads them from the caller's arrays and stores them. */
#include <string.h>

#include "../particles/element.h"
#include "driver.h"

/* Returns the caller's array of a load, from particle 0 on; NULL if there is none. */
static char *array_of(const kdr_job *job, const kdr_load *load) {
    const char *const from = load->array < KDR_ARRAY_K ? (const char *)job : (const char *)job->field;
    char *array;
    memcpy(&array, from + load->offset, sizeof array);
    return array;
}

/* Returns whether a single step is made in place: the particles of a pack fill whole vectors in consecutive columns. Not with masses,
 * because frozen particles are restored from a copy. */
static bool steps_in_place(const kdr_program *p, const kdr_tile *tile) {
    return tile->job->steps == 1 && kdr_stepper_of(tile->job) == NULL && p->masses < 0 && tile->count * p->size == tile->column;
}

/* Points the row whose first axis this load is to the caller's arrays, if they are consecutive columns. */
static bool take_row(const kdr_program *p, const kdr_tile *tile, const kdr_load *load, char *at[KDR_TILE_COLUMNS]) {
    char *const first = array_of(tile->job, load);
    bool is_row = first != NULL;
    for (int i = 1; i < p->dims && is_row; ++i) {
        is_row = array_of(tile->job, load + i) == first + (size_t)i * tile->column;
    }
    for (int i = 0; i < p->dims && is_row; ++i) {
        at[load->column + i] = first + tile->first * p->size + (size_t)i * tile->column;
    }
    return is_row;
}

static bool is_in_place(const kdr_tile *tile, unsigned column) { return tile->at[column] != tile->memory + column * tile->column; }

void kdr_load_tile(const kdr_program *p, const kdr_tile *tile, char *at[KDR_TILE_COLUMNS]) {
    const size_t bytes = tile->count * p->size;
    const bool in_place = steps_in_place(p, tile);
    for (int i = 0; i < p->load_count; ++i) {
        const kdr_load *const load = &p->load[i];
        if (in_place && load->array <= KDR_ARRAY_MEMORY && (i == 0 || load->array != load[-1].array) && take_row(p, tile, load, at)) {
            i += p->dims - 1;
            continue;
        }
        if (load->array == KDR_ARRAY_MEMORY && !tile->job->resume) {
            continue;
        }
        const char *const array = load->array == KDR_ARRAY_COMPENSATION && !tile->job->resume ? NULL : array_of(tile->job, load);
        char *const to = tile->memory + load->column * tile->column;
        if (!array) {
            memset(to, 0, tile->column);
            continue;
        }
        p->kernels->take(to, array + tile->first * p->size, bytes, tile->column);
    }
}

void kdr_store_tile(const kdr_program *p, const kdr_tile *tile, const char *inverse_mass) {
    const size_t vector = (size_t)p->kernels->vector, bytes = tile->count * p->size;
    const bool in_place = steps_in_place(p, tile);
    for (int i = 0; i < p->load_count; ++i) {
        const kdr_load *const load = &p->load[i];
        if (in_place && is_in_place(tile, load->column)) {
            i += p->dims - 1;
            continue;
        }
        char *const array = load->array < KDR_ARRAY_INVERSE_MASS ? array_of(tile->job, load) : NULL;
        if (!array) {
            continue;
        }
        char *const to = array + tile->first * p->size;
        const char *const from = tile->at[load->column];
        if (!inverse_mass) {
            kdr_copy_elements(to, from, bytes);
            continue;
        }
        p->kernels->hold(to, from, to, inverse_mass, bytes / vector);
        for (size_t at = bytes / vector * vector; at < bytes; at += p->size) {
            if (kdr_element(inverse_mass + at, p->size == sizeof(float) ? KDR_F32 : KDR_F64, 0) != 0.0) {
                memcpy(to + at, from + at, p->size);
            }
        }
    }
}

/* Clearing the whole tile would be slow for a call of one particle. */
void kdr_begin_tiles(const kdr_job *job, const char *numbers, char *memory, kdr_tile *tile) {
    const kdr_program *const p = job->program;
    tile->memory = memory;
    tile->dims = p->dims;
    tile->rounds = 0;
    tile->again = false;
    tile->h = job->dt;
    tile->numbers = numbers ? numbers : job->numbers;
    tile->list = p->list;
    tile->job = job;
    tile->step = job->first_step;
    tile->kept = NULL;
    tile->custom = p->custom;
}
void kdr_place_tile(const kdr_program *p, kdr_tile *tile, char *at[KDR_TILE_COLUMNS], size_t end, bool small) {
    const int whole = small ? KDR_WITHIN_VECTORS : p->vectors;
    const size_t most = (size_t)whole << p->lane_bits, lanes = (size_t)1 << p->lane_bits;
    tile->count = end - tile->first < most ? end - tile->first : most;
    const size_t vectors = small ? (size_t)whole : (tile->count + lanes - 1) >> p->lane_bits;
    const bool pairs = p->vectors > 1 && p->row->family->info.heat_bath; /* noise is made for two vectors at a time */
    tile->vectors = (int)(pairs ? (vectors + 1) / 2 * 2 : vectors);
    tile->column = (size_t)tile->vectors * (size_t)p->kernels->vector;
    kdr_tile_point(tile, at, p->columns);
}
