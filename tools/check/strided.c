#include "strided.h"

#include <stdlib.h>
#include <string.h>

static size_t offset(const kdr_layout *layout, size_t i) {
    return layout->block ? i / layout->block * layout->block_stride + i % layout->block * layout->stride : i * layout->stride;
}

void kdr_check_strided_list(kdr_check_strided *s, void *array, kdr_layout *layout, size_t size, size_t count, bool is_written) {
    void *plain;
    memcpy(&plain, array, sizeof plain);
    if (plain && s->count < KDR_CHECK_MOST_STRIDED) {
        s->row[s->count++] = (kdr_check_strided_row){array, layout, plain, NULL, size, count, is_written};
    }
}

static size_t size_of(const kdr_particles *p) { return p->real == KDR_F32 ? sizeof(float) : sizeof(double); }

void kdr_check_strided_particles(kdr_check_strided *s, kdr_particles *p) {
    const size_t real = size_of(p), n = p->count;
    s->particles = p;
    for (int i = 0; i < p->dims; ++i) {
        kdr_check_strided_list(s, &p->memory[i], &p->memory_layout, real, n, true);
        kdr_check_strided_list(s, &p->compensation[i], &p->compensation_layout, real, n, true);
        kdr_check_strided_list(s, &p->compensation[3 + i], &p->compensation_layout, real, n, true);
        kdr_check_strided_list(s, &p->images[i], &p->images_layout, sizeof *p->images[i], n, true);
    }
    for (int i = 0; i < 2; ++i) {
        kdr_check_strided_list(s, &p->dissipated_energy[i], &p->dissipated_energy_layout, sizeof *p->dissipated_energy[i], n, true);
    }
    kdr_check_strided_list(s, &p->radius, &p->radius_layout, real, n, false);
    kdr_check_strided_list(s, &p->bounces, &p->bounces_layout, sizeof *p->bounces, n, true);
    kdr_check_strided_list(s, &p->id, &p->id_layout, sizeof *p->id, n, false);
    kdr_check_strided_list(s, &p->level, &p->level_layout, sizeof *p->level, n, false);
    kdr_check_strided_list(s, &p->active, &p->active_layout, sizeof *p->active, n, p->events && p->events->active);
}

void kdr_check_strided_forces(kdr_check_strided *s, kdr_force *forces, size_t count, const kdr_particles *p) {
    const size_t real = size_of(p), n = p->count;
    for (kdr_force *f = forces; f < forces + count; ++f) {
        if (f->kind == KDR_SPRING) {
            kdr_check_strided_list(s, &f->as.spring.k_each, &f->each_layout, real, n, false);
            for (int i = 0; i < 3; ++i) {
                kdr_check_strided_list(s, &f->as.spring.at_each[i], &f->each_layout, real, n, false);
            }
        } else if (f->kind == KDR_DRAG) {
            kdr_check_strided_list(s, &f->as.drag.b_each, &f->each_layout, real, n, false);
        } else if (f->kind == KDR_CUSTOM_FIELD) {
            for (int i = 0; i < KDR_MAX_PARAMETERS; ++i) {
                kdr_check_strided_list(s, &f->as.custom.each[i], &f->each_layout, real, n, false);
            }
        }
    }
}

void kdr_check_strided_interactions(kdr_check_strided *s, kdr_interaction *forces, size_t count, const kdr_particles *p) {
    for (kdr_interaction *f = forces; f < forces + count; ++f) {
        if (f->kind == KDR_GRAVITY) {
            kdr_check_strided_list(s, &f->as.gravity.mu, &f->as.gravity.mu_layout, size_of(p), f->as.gravity.sources, false);
            kdr_check_strided_list(s, &f->as.gravity.softening_each, &f->as.gravity.softening_each_layout, size_of(p),
                                   f->as.gravity.softening_count, false);
        }
    }
}

static void draw_layout(kdr_layout *layout, size_t size, kdr_check_random *random) {
    layout->stride = (1 + kdr_check_random_below(random, 3)) * size + kdr_check_random_below(random, 2);
    layout->block = kdr_check_random_below(random, 2) * 4;
    layout->block_stride = layout->block ? 4 * layout->stride + kdr_check_random_below(random, 9) : 0;
}

static void copy(const kdr_check_strided_row *row, bool back) {
    for (size_t i = 0; i < row->elements; ++i) {
        unsigned char *const far = row->apart + offset(row->layout, i), *const near = row->plain + i * row->size;
        memcpy(back ? near : far, back ? far : near, row->size);
    }
}

static void point(const kdr_check_strided_row *row, void *to) { memcpy(row->array, &to, sizeof to); }

/* Updates events->active: a run with a watch that stops particles writes the marks through that pointer. */
static void point_marks(kdr_particles *p) {
    if (p && p->events && p->events->active) {
        memcpy(&p->events->active, &p->active, sizeof p->active);
    }
}

bool kdr_check_strided_out(kdr_check_strided *s, kdr_check_random *random) {
    bool good = true;
    for (int n = 0; n < s->count; ++n) {
        kdr_check_strided_row *const row = &s->row[n];
        if (!row->layout->stride) {
            draw_layout(row->layout, row->size, random);
        }
        row->apart = calloc(offset(row->layout, row->elements) + 8 * row->layout->stride, 1);
        good = good && row->apart;
        if (row->apart) {
            copy(row, false);
            point(row, row->apart);
        }
    }
    point_marks(s->particles);
    return good;
}

void kdr_check_strided_back(kdr_check_strided *s) {
    for (int n = 0; n < s->count; ++n) {
        if (s->row[n].apart && s->row[n].is_written) {
            copy(&s->row[n], true);
        }
    }
    for (int n = 0; n < s->count; ++n) { /* several arrays share a layout */
        point(&s->row[n], s->row[n].plain);
        *s->row[n].layout = (kdr_layout){0, 0, 0, 0};
        free(s->row[n].apart);
    }
    point_marks(s->particles);
    s->count = 0;
}
