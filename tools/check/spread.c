#include "spread.h"

#include <stdlib.h>
#include <string.h>

static size_t offset(const kdr_layout *layout, size_t i) {
    return layout->block ? i / layout->block * layout->block_stride + i % layout->block * layout->stride : i * layout->stride;
}

/* `array`: the pointer's own address. */
static void list(kdr_check_spread *s, void *array, kdr_layout *layout, size_t size, bool is_written) {
    void *plain;
    memcpy(&plain, array, sizeof plain);
    if (plain && s->count < KDR_CHECK_MOST_SPREAD) {
        s->row[s->count++] = (kdr_check_spread_row){array, layout, plain, NULL, size, is_written};
    }
}

static void list_particles(kdr_check_spread *s, kdr_particles *p) {
    const size_t real = p->real == KDR_F32 ? sizeof(float) : sizeof(double);
    for (int i = 0; i < p->dims; ++i) {
        list(s, &p->memory[i], &p->memory_layout, real, true);
        list(s, &p->compensation[i], &p->compensation_layout, real, true);
        list(s, &p->compensation[3 + i], &p->compensation_layout, real, true);
        list(s, &p->images[i], &p->images_layout, sizeof *p->images[i], true);
    }
    for (int i = 0; i < 2; ++i) {
        list(s, &p->dissipated[i], &p->dissipated_layout, sizeof *p->dissipated[i], true);
    }
    list(s, &p->hits, &p->hits_layout, sizeof *p->hits, true);
    list(s, &p->id, &p->id_layout, sizeof *p->id, false);
    list(s, &p->level, &p->level_layout, sizeof *p->level, false);
    list(s, &p->active, &p->active_layout, sizeof *p->active, p->events && p->events->active);
}

static void list_force(kdr_check_spread *s, kdr_force *f, size_t real) {
    if (f->kind == KDR_SPRING) {
        list(s, &f->as.spring.k_each, &f->each_layout, real, false);
        for (int i = 0; i < 3; ++i) {
            list(s, &f->as.spring.at_each[i], &f->each_layout, real, false);
        }
    } else if (f->kind == KDR_DRAG) {
        list(s, &f->as.drag.b_each, &f->each_layout, real, false);
    } else if (f->kind == KDR_CUSTOM_FIELD) {
        for (int i = 0; i < KDR_MAX_PARAMETERS; ++i) {
            list(s, &f->as.custom.each[i], &f->each_layout, real, false);
        }
    }
}

static void draw_layout(kdr_layout *layout, size_t size, kdr_check_random *random) {
    layout->stride = (1 + kdr_check_random_below(random, 3)) * size + kdr_check_random_below(random, 2);
    layout->block = kdr_check_random_below(random, 2) * 4;
    layout->block_stride = layout->block ? 4 * layout->stride + kdr_check_random_below(random, 9) : 0;
}

static void copy(const kdr_check_spread_row *row, size_t count, bool back) {
    for (size_t i = 0; i < count; ++i) {
        unsigned char *const far = row->apart + offset(row->layout, i), *const near = row->plain + i * row->size;
        memcpy(back ? near : far, back ? far : near, row->size);
    }
}

static void point(const kdr_check_spread_row *row, void *to) { memcpy(row->array, &to, sizeof to); }

/* A run with a watch that stops particles writes to the marks by another name. */
static void point_marks(kdr_particles *p) {
    if (p->events && p->events->active) {
        memcpy(&p->events->active, &p->active, sizeof p->active);
    }
}

bool kdr_check_spread_out(kdr_check_spread *s, kdr_check_random *random, kdr_particles *p, kdr_force *forces, size_t count) {
    bool good = true;
    memset(s, 0, sizeof *s);
    s->particles = p->count;
    list_particles(s, p);
    for (size_t i = 0; i < count; ++i) {
        list_force(s, &forces[i], p->real == KDR_F32 ? sizeof(float) : sizeof(double));
    }
    for (int n = 0; n < s->count; ++n) {
        kdr_check_spread_row *const row = &s->row[n];
        if (!row->layout->stride) {
            draw_layout(row->layout, row->size, random);
        }
        row->apart = calloc(offset(row->layout, p->count) + 8 * row->layout->stride, 1);
        good = good && row->apart;
        if (row->apart) {
            copy(row, p->count, false);
            point(row, row->apart);
        }
    }
    point_marks(p);
    return good;
}

void kdr_check_spread_back(kdr_check_spread *s, kdr_particles *p) {
    for (int n = 0; n < s->count; ++n) {
        if (s->row[n].apart && s->row[n].is_written) {
            copy(&s->row[n], s->particles, true);
        }
    }
    for (int n = 0; n < s->count; ++n) { /* layouts are shared */
        point(&s->row[n], s->row[n].plain);
        *s->row[n].layout = (kdr_layout){0, 0, 0, 0};
        free(s->row[n].apart);
    }
    point_marks(p);
    s->count = 0;
}
