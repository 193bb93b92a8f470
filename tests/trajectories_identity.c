/* Trajectories: each frame is read back with the ids, masses and box that it was written with, whatever those of other frames are. */
#include <kickdrift/io.h>

#include "support.h"

#include <unistd.h>

enum { COUNT = 1500, FRAMES = 6 };

static char folder[] = "/tmp/kickdrift-test-XXXXXX", path[64];

static void begin(void) {
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/run.h5", folder);
}

static void end(void) {
    unlink(path);
    cr_expect(rmdir(folder) == 0, "nothing else is left");
}

TestSuite(trajectories_identity, .init = begin, .fini = end);

/* The ids and masses of a frame: those of the first frame before `from`, then one particle has others, and in the last frame all have. */
typedef struct plan {
    uint64_t from;
    size_t where;
    bool ids, masses;
} plan;

static uint64_t id_of(const plan *how, uint64_t frame, size_t i) {
    const bool other = how->ids && frame >= how->from && (i == how->where || frame + 1 == FRAMES);
    return other ? UINT64_MAX - frame * COUNT - i : 10 * i;
}

static double mass_of(const plan *how, uint64_t frame, size_t i) {
    const bool other = how->masses && frame >= how->from && (i == how->where || frame + 1 == FRAMES);
    return other ? 49 + (double)(frame * COUNT + i) : i % 7 ? 1 / (double)(1 + i % 7) : INFINITY;
}

static void fill(const plan *how, kdr_particles *p, uint64_t *id, double *mass, uint64_t frame) {
    for (size_t i = 0; i < COUNT; ++i) {
        id[i] = id_of(how, frame, i);
        mass[i] = mass_of(how, frame, i);
        set(p->inverse_mass, p->real, i, 1 / mass[i]);
        set(p->x[0], p->real, i, (double)id[i]);
    }
}

static void expect_frames(const plan *how, bool lent) {
    kdr_trajectory *t;
    kdr_error error;
    cr_assert(kdr_trajectory_open(path, UINT64_MAX, &t, &error) == KDR_OK, "%s", error.message);
    for (uint64_t n = FRAMES; n-- > 0;) {
        kdr_frame frame;
        size_t wrong = 0;
        cr_assert(kdr_trajectory_read(t, n, &frame, &error) == KDR_OK && frame.mass, "%s", error.message);
        for (size_t i = 0; i < COUNT; ++i) {
            const double mass = mass_of(how, n, i);
            wrong += frame.particles.id[i] != id_of(how, n, i) || frame.mass[i] != (lent ? mass : 1 / (1 / mass)) ||
                     get(frame.particles.inverse_mass, KDR_F64, i) != 1 / frame.mass[i];
        }
        cr_expect(wrong == 0, "from frame %" PRIu64 " on, particle %zu: %zu of frame %" PRIu64 " differ", how->from, how->where, wrong, n);
    }
    kdr_trajectory_info info;
    cr_expect(kdr_trajectory_query(t, &info, NULL) == KDR_OK && strcmp(info.left_out, "") == 0 && strcmp(info.group, "all") == 0, "%s",
              info.left_out);
    kdr_trajectory_close(t, NULL);
}

/* Writes frames whole or in slices, continues in the middle, with masses as they are or as inverses, and reads them back. */
static void round_trip(const plan *how, size_t cut, bool lent) {
    static uint64_t id[COUNT];
    static double mass[COUNT];
    kdr_particles p = make_particles(COUNT, 1, KDR_F64, true, false);
    kdr_trajectory_desc desc = kdr_trajectory_desc_default();
    kdr_trajectory *t;
    kdr_error error;
    p.id = id;
    fill(how, &p, id, mass, 0);
    desc.particles = &p;
    desc.mass = lent ? mass : NULL;
    cr_assert(kdr_trajectory_create(path, &desc, &t, &error) == KDR_OK, "%s", error.message);
    for (uint64_t n = 0; n < FRAMES; ++n) {
        const kdr_clock clock = {0, 1, n};
        fill(how, &p, id, mass, n);
        if (n == 2 || n == 4) {
            cr_assert(kdr_trajectory_close(t, &error) == KDR_OK && kdr_trajectory_open(path, n, &t, &error) == KDR_OK, "%s", error.message);
        }
        for (size_t begin = 0; begin < COUNT; begin += cut) {
            kdr_particles slice = kdr_particles_slice(&p, begin, COUNT - begin < cut ? COUNT - begin : cut);
            cr_assert(!lent || kdr_trajectory_set_mass(t, mass + begin, &error) == KDR_OK);
            cr_assert(kdr_trajectory_append_slice(t, &slice, &clock, NULL, &error) == KDR_OK, "%s", error.message);
        }
    }
    cr_assert(kdr_trajectory_close(t, &error) == KDR_OK, "%s", error.message);
    expect_frames(how, lent);
    kdr_particles_destroy(&p);
}

Test(trajectories_identity, frames_have_their_own) {
    const size_t places[] = {0, 511, 512, COUNT - 1}, cuts[] = {COUNT, 700};
    for (uint64_t from = 0; from <= FRAMES; ++from) {
        for (size_t n = 0; n < 16; ++n) {
            const plan how = {from, places[n % 4], n / 4 % 2 == 0, n % 3 != 0};
            round_trip(&how, cuts[n / 8], n % 2);
        }
    }
}

/* The mass 49 is not the inverse of its inverse: a file without masses gives another one, a file with masses keeps it. */
Test(trajectories_identity, masses_keep_their_bits) {
    double x = 1, v = 0, inverse = 1 / 49.0, mass = 49;
    kdr_particles p = kdr_particles_default();
    kdr_trajectory_desc desc = kdr_trajectory_desc_default();
    const kdr_clock clock = {0, 1, 0};
    kdr_trajectory *t;
    kdr_frame frame;
    kdr_error error;
    p.count = 1, p.dims = 1, p.x[0] = &x, p.v[0] = &v, p.inverse_mass = &inverse;
    desc.particles = &p, desc.mass = &mass;
    cr_assert(1 / inverse != mass);
    cr_assert(kdr_trajectory_create(path, &desc, &t, &error) == KDR_OK && kdr_trajectory_append(t, &p, &clock, NULL, &error) == KDR_OK);
    cr_assert(kdr_trajectory_set_mass(t, NULL, &error) == KDR_OK && kdr_trajectory_append(t, &p, &clock, NULL, &error) == KDR_OK);
    cr_assert(kdr_trajectory_close(t, &error) == KDR_OK && kdr_trajectory_open(path, UINT64_MAX, &t, &error) == KDR_OK);
    for (uint64_t n = 0; n < 2; ++n) { /* inverse masses that belong to the file's masses do not count as other masses */
        cr_assert(kdr_trajectory_read(t, n, &frame, &error) == KDR_OK && frame.mass[0] == mass);
    }
    kdr_trajectory_close(t, NULL);
}

/* Chunks have no ids: they have those of the frames before, or are refused. */
Test(trajectories_identity, chunks_are_held_to_the_first_frame) {
    static uint64_t id[COUNT];
    static double mass[COUNT];
    const plan how = {1, 700, true, true};
    kdr_particles p = make_particles(COUNT, 1, KDR_F64, true, false);
    kdr_trajectory_desc desc = kdr_trajectory_desc_default();
    const kdr_clock clock = {0, 1, 1};
    kdr_trajectory *t;
    kdr_error error;
    p.id = id;
    desc.particles = &p;
    fill(&how, &p, id, mass, 0);
    size_t room, sizes[2];
    cr_assert(kdr_trajectory_chunk(&desc, &room) == COUNT);
    unsigned char *const bytes = malloc(room);
    cr_assert(bytes && kdr_trajectory_create(path, &desc, &t, &error) == KDR_OK &&
              kdr_trajectory_append(t, &p, &clock, NULL, &error) == KDR_OK);
    cr_assert(kdr_trajectory_pack(&desc, &p, bytes, sizes, &error) == KDR_OK && sizes[0] + sizes[1] <= room);
    cr_expect(kdr_trajectory_append_chunk(t, 0, bytes, sizes, &clock, NULL, &error) == KDR_OK, "%s", error.message);
    for (int masses = 0; masses < 2; ++masses) {
        const plan other = {0, 700, !masses, masses};
        fill(&other, &p, id, mass, 0);
        cr_assert(kdr_trajectory_pack(&desc, &p, bytes, sizes, &error) == KDR_OK);
        cr_expect(kdr_trajectory_append_chunk(t, 0, bytes, sizes, &clock, NULL, &error) == KDR_ERROR_MISMATCH &&
                      strstr(error.message, "append slices"),
                  "%s", error.message);
    }
    fill(&how, &p, id, mass, 1);
    cr_expect(kdr_trajectory_append(t, &p, &clock, NULL, &error) == KDR_OK, "%s", error.message); /* from here on, each frame has its own */
    p.id = NULL;
    cr_expect(kdr_trajectory_append(t, &p, &clock, NULL, &error) == KDR_ERROR_MISMATCH && strstr(error.message, "got none"), "%s",
              error.message);
    cr_expect(kdr_trajectory_close(t, &error) == KDR_OK);
    free(bytes);
    kdr_particles_destroy(&p);
}

/* Species are stored once, so the ids that they belong to may not change, whole or in slices, in a continued file either. */
Test(trajectories_identity, species_keep_their_ids) {
    static uint64_t id[COUNT];
    static double mass[COUNT];
    static int32_t species[COUNT];
    const plan same = {FRAMES, 0, false, false}, other = {0, 1100, true, false};
    kdr_particles p = make_particles(COUNT, 1, KDR_F64, true, false);
    kdr_trajectory_desc desc = kdr_trajectory_desc_default();
    const kdr_clock clock = {0, 1, 1};
    kdr_trajectory *t;
    kdr_error error;
    p.id = id;
    fill(&same, &p, id, mass, 0);
    desc.particles = &p, desc.species = species;
    cr_assert(kdr_trajectory_create(path, &desc, &t, &error) == KDR_OK, "%s", error.message);
    for (int n = 0; n < 3; ++n) {
        fill(&other, &p, id, mass, 1);
        cr_expect(kdr_trajectory_append(t, &p, &clock, NULL, &error) == KDR_ERROR_MISMATCH &&
                      strstr(error.message, "particle 1100: expected id 11000"),
                  "%s", error.message);
        fill(&same, &p, id, mass, 0);
        for (size_t begin = 0; begin < COUNT; begin += COUNT / 2) {
            const kdr_particles slice = kdr_particles_slice(&p, begin, COUNT / 2);
            cr_assert(kdr_trajectory_append_slice(t, &slice, &clock, NULL, &error) == KDR_OK, "%s", error.message);
        }
        if (n == 1) {
            cr_assert(kdr_trajectory_close(t, &error) == KDR_OK && kdr_trajectory_open(path, 2, &t, &error) == KDR_OK, "%s", error.message);
        }
    }
    cr_assert(kdr_trajectory_close(t, &error) == KDR_OK && kdr_trajectory_open(path, UINT64_MAX, &t, &error) == KDR_OK);
    kdr_trajectory_info info;
    cr_expect(kdr_trajectory_query(t, &info, NULL) == KDR_OK && info.frames == 3 && strcmp(info.left_out, "species") == 0);
    kdr_trajectory_close(t, NULL);
    kdr_particles_destroy(&p);
}

/* The edges of a box may change, but not its kind. */
Test(trajectories_identity, boxes_come_back) {
    kdr_particles p = make_particles(COUNT, 3, KDR_F32, false, false);
    kdr_trajectory_desc desc = kdr_trajectory_desc_default();
    kdr_trajectory *t;
    kdr_frame frame;
    kdr_error error;
    desc.particles = &p, desc.boundary = (kdr_boundary){KDR_BOUNDARY_PERIODIC, {-1, -2, 0}, {1, 2, 0}};
    cr_assert(kdr_trajectory_create(path, &desc, &t, &error) == KDR_OK, "%s", error.message);
    for (uint64_t n = 0; n < FRAMES; ++n) {
        const kdr_clock clock = {0, 1, n};
        const double box[3] = {2 + (double)n, 4, 0}, open[3] = {2, 0, 0}, closed[3] = {2, 4, 1};
        cr_expect(kdr_trajectory_set_box(t, open, &error) == KDR_ERROR_MISMATCH &&
                  kdr_trajectory_set_box(t, closed, &error) == KDR_ERROR_MISMATCH);
        cr_expect(n == 0 || kdr_trajectory_set_box(t, box, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_trajectory_append(t, &p, &clock, NULL, &error) == KDR_OK, "%s", error.message);
    }
    cr_assert(kdr_trajectory_close(t, &error) == KDR_OK && kdr_trajectory_open(path, UINT64_MAX, &t, &error) == KDR_OK, "%s",
              error.message);
    for (uint64_t n = 0; n < FRAMES; ++n) {
        cr_assert(kdr_trajectory_read(t, n, &frame, &error) == KDR_OK);
        cr_expect(frame.box[0] == 2 + (double)n && frame.box[1] == 4 && frame.box[2] == 0);
    }
    kdr_trajectory_close(t, NULL);
    cr_expect(kdr_trajectory_open_group(path, "al", &t, &error) == KDR_ERROR_FORMAT && strstr(error.message, "are: all"), "%s",
              error.message);
    kdr_particles_destroy(&p);
}
