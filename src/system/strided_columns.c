/* Copies strided arrays of particles that instructions use in addition to their rows. */
#include "strided_columns.h"

#include <string.h>

#include "../particles/layout.h"

/* Lists the array whose address is at `slot` bytes into the job, if it is strided. */
static void add(kdr_strided_columns *aside, const kdr_job *job, size_t slot, size_t size, const kdr_layout *layout, bool written) {
    void *array;
    memcpy(&array, (const char *)job + slot, sizeof array);
    if (array && !kdr_layout_is_plain(layout, size)) {
        kdr_column *const c = &aside->column[aside->count++];
        *c = kdr_column_of(&array, 1, size, layout);
        c->slot = slot;
        c->written = written;
    }
}

void kdr_strided_columns_make(kdr_strided_columns *aside, const kdr_job *job, const kdr_particles *p) {
    aside->count = 0;
    add(aside, job, offsetof(kdr_job, id), sizeof *job->id, &p->id_layout, false);
    add(aside, job, offsetof(kdr_job, radius), kdr_real_size(p->real), &p->radius_layout, false);
    add(aside, job, offsetof(kdr_job, bounces), sizeof *job->bounces, &p->bounces_layout, true);
    for (size_t i = 0; i < 2; ++i) {
        add(aside, job, offsetof(kdr_job, dissipated_energy) + i * sizeof(void *), sizeof *job->dissipated_energy[i],
            &p->dissipated_energy_layout, true);
    }
    for (size_t i = 0; i < (size_t)p->dims; ++i) {
        add(aside, job, offsetof(kdr_job, images) + i * sizeof(void *), sizeof *job->images[i], &p->images_layout, true);
    }
}

/* Copies the listed arrays. Those of 8 bytes per element come first, so that every array is aligned. */
static void carry(const kdr_strided_columns *aside, size_t first, size_t count, unsigned char *memory, kdr_job *job) {
    for (int wide = 1; wide >= 0; --wide) {
        for (const kdr_column *c = aside->column; c < aside->column + aside->count; ++c) {
            if ((c->size == sizeof(uint64_t)) != wide) {
                continue;
            }
            if (job || c->written) {
                kdr_copies_any.range(c, (unsigned char *[3]){memory}, first, count, !job);
            }
            if (job) {
                const uintptr_t at = (uintptr_t)memory - first * c->size;
                memcpy((char *)job + c->slot, &at, sizeof at);
            }
            memory += count * c->size;
        }
    }
}

void kdr_strided_columns_take(const kdr_strided_columns *aside, size_t first, size_t count, unsigned char *memory, kdr_job *job) {
    carry(aside, first, count, memory, job);
}

void kdr_strided_columns_give(const kdr_strided_columns *aside, size_t first, size_t count, unsigned char *memory) {
    carry(aside, first, count, memory, NULL);
}

kdr_particles kdr_strided_columns_counts(const kdr_job *job, int dims, size_t first, size_t count) {
    kdr_particles counts = {.count = count, .dims = dims, .bounces = job->bounces ? job->bounces + first : NULL};
    for (int i = 0; i < 2; ++i) {
        counts.dissipated_energy[i] = job->dissipated_energy[i] ? job->dissipated_energy[i] + first : NULL;
    }
    for (int i = 0; i < dims; ++i) {
        counts.images[i] = job->images[i] ? job->images[i] + first : NULL;
    }
    return counts;
}
