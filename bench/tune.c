/* Measures every line of src/kernel/hot/list.h with every tile that it could have, and prints the choice in the list's own form. The
 * candidates are the tiles that take at most a tenth longer than the best in single steps of particles from memory. The choice is the
 * fastest of them in runs of many steps. It is ONE_STEP if that one is slower than the program in many steps.
 *
 * tune.cmake compiles the specialised kernels once for each tile; here they are put into an integrator's program in turn. A round measures
 * all tiles of a kernel one after the other, and the fastest of many rounds counts, so that other work of the machine disturbs all of them
 * alike. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kickdrift/kickdrift.h>

#include "clock.h"
#include "fields.h"
#include "integrator/integrator.h"
#include "tune.h"

enum { MANY_STEPS, FROM_MEMORY, SHAPES, MOST_TILES = 64 };

typedef struct shape {
    size_t count;
    uint64_t steps;
    int rounds;
} shape;

static const shape shapes[SHAPES] = {[MANY_STEPS] = {16384, 100, 12}, [FROM_MEMORY] = {2097152, 1, 5}};

typedef struct rig {
    kdr_integrator *integrator;
    kdr_particles particles;
    int vectors; /* vectors in the program's tile */
} rig;

static const char *field_of(unsigned all) {
    const unsigned terms = all & ~(unsigned)(KDR_TERM_MASS | KDR_TERM_NO_AFFINE | KDR_TERM_OFFSET);
    return terms == KDR_TERM_STIFFNESS                        ? "spring"
           : terms == KDR_TERM_DAMPING                        ? "drag"
           : terms == (KDR_TERM_STIFFNESS | KDR_TERM_DAMPING) ? "spring-damper"
           : terms == KDR_TERM_CENTRES                        ? "centre"
                                                              : "uniform";
}

enum { ROWS = 2 };

/* Returns a method that the kernel steps. For a kernel of all rows of a family there are two: one of few stages and one of many, neither
 * with another kernel. */
static kdr_method method_of(const kdr_hot *hot, int row) {
    static const kdr_method rows[KDR_FAMILY_COUNT][ROWS] = {[KDR_SPLITTING] = {KDR_POSITION_VERLET, KDR_YOSHIDA_6},
                                                            [KDR_IMPLICIT] = {KDR_IMPLICIT_EULER, KDR_IMPLICIT_MIDPOINT},
                                                            [KDR_KINEMATIC] = {KDR_EXACT_AFFINE, KDR_KINEMATIC_SUM}};
    return hot->method == KDR_METHOD_COUNT ? rows[hot->family][row] : (kdr_method)hot->method;
}

static _Noreturn void die(const char *what) {
    fprintf(stderr, "tune: %s\n", what);
    exit(2);
}

static void set_state(kdr_particles *p) {
    for (int array = 0; array < 6; ++array) {
        void *const to = array < 3 ? p->x[array] : p->v[array - 3];
        for (size_t n = 0; n < p->count; ++n) {
            const double value = (double)((n * 7 + (size_t)array * 3) % 101) / 101 + (array < 3 ? 0.5 : 0.0);
            if (p->real == KDR_F32) {
                ((float *)to)[n] = (float)value;
            } else {
                ((double *)to)[n] = value;
            }
        }
    }
}

/* A plane below the particles' starts. In many steps most particles fall on it. */
static const kdr_collider ground = {.kind = KDR_COLLIDER_PLANE, .restitution = 0.5, .as.plane.normal = {0, 0, 1}};

static rig rig_of(const kdr_hot *hot, const kdr_tune_unit *unit, int row, size_t count) {
    rig r = {0};
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    kdr_particles_desc particles = kdr_particles_desc_default();
    const kdr_bench_field *field = NULL;
    for (size_t i = 0; i < kdr_bench_field_count; ++i) {
        if (strcmp(kdr_bench_fields[i].name, field_of(hot->terms)) == 0) {
            field = &kdr_bench_fields[i];
        }
    }
    desc.method = method_of(hot, row);
    desc.real = unit->real[1] == '3' ? KDR_F32 : KDR_F64;
    desc.arithmetic = strcmp(unit->isa, "sse2") == 0 ? KDR_UNFUSED : KDR_FUSED;
    desc.forces = field ? field->forces : NULL;
    desc.force_count = field ? field->force_count : 0;
    desc.colliders = &ground;
    desc.collider_count = (hot->terms & KDR_TERM_COLLIDERS) != 0;
    particles.count = count;
    particles.inverse_mass = (hot->terms & KDR_TERM_MASS) != 0;
    particles.real = desc.real;
    if (kdr_backend_from_name(unit->isa, &desc.backend) || kdr_integrator_create(&desc, &r.integrator, NULL) ||
        kdr_particles_create(&particles, &r.particles, NULL)) {
        die("no memory, or a backend that does not run here");
    }
    set_state(&r.particles);
    r.vectors = r.integrator->setup->program[2][particles.inverse_mass]->vectors;
    return r;
}

/* Replaces the program's specialised kernel by this one; NULL: by none. */
static void give(rig *r, const kdr_hot *hot) {
    kdr_program *const p = r->integrator->setup->program[2][r->particles.inverse_mass != NULL];
    p->hot = kdr_program_has_end(p) ? NULL : hot;
    p->stepper = kdr_program_has_end(p) ? hot : NULL;
    p->chunk = hot ? hot->chunk : 1;
    p->vectors = r->vectors / p->chunk * p->chunk;
}

static double time_of(rig *r, const kdr_hot *hot, uint64_t steps) {
    kdr_clock clock = {0, 1.0 / 128, 0};
    give(r, hot);
    /* decaying motion would become subnormal, and falling particles would come to rest */
    if (steps > 1 || r->integrator->setup->desc.collider_count > 0) {
        set_state(&r->particles);
    }
    const double begin = kdr_bench_seconds();
    kdr_integrator_run(r->integrator, &r->particles, &clock, steps, NULL);
    return kdr_bench_seconds() - begin;
}

static bool is_of(const kdr_tune_unit *unit, const char *isa) { return strcmp(unit->isa, isa) == 0; }

/* Measures all tiles of a line in one precision, row and shape. Multiplies `more` by the time of each tile divided by that of the fastest,
 * to the power `share`, which is the weight of this measurement. Returns the number of tiles. */
static int measure(const char *isa, size_t line, kdr_real real, int row, double share, const shape *of, const char *tile[], double more[]) {
    const kdr_hot *candidate[MOST_TILES];
    double best[MOST_TILES], least = INFINITY;
    rig r = {0};
    int count = 0;
    for (size_t u = 0; kdr_tune_units[u]; ++u) {
        const kdr_tune_unit *const unit = kdr_tune_units[u];
        if (is_of(unit, isa) && strcmp(unit->real, kdr_real_name(real)) == 0) {
            if (count == 0) {
                r = rig_of(&unit->hot[line], unit, row, of->count);
            }
            tile[count] = unit->tile;
            candidate[count++] = unit->hot[line].tile > 0 ? &unit->hot[line] : NULL;
        }
    }
    if (count == 0) {
        return 0;
    }
    candidate[count] = NULL; /* the program without a specialised kernel */
    tile[count++] = "PROGRAM";
    for (int c = 0; c < count; ++c) {
        best[c] = INFINITY;
    }
    for (int round = 0; round < of->rounds; ++round) {
        for (int c = 0; c < count; ++c) {
            if (candidate[c] || c + 1 == count) {
                best[c] = fmin(best[c], time_of(&r, candidate[c], of->steps));
                least = fmin(least, best[c]);
            }
        }
    }
    for (int c = 0; c < count; ++c) {
        more[c] *= pow(best[c] / least, share);
    }
    give(&r, NULL);
    kdr_integrator_destroy(r.integrator);
    kdr_particles_destroy(&r.particles);
    return count;
}

/* Prints the choice in the form of list.h. */
static void print_choice(const char *tile, bool one_step) {
    static const char in_turn[] = "IN_TURN(";
    const size_t turn = strncmp(tile, in_turn, strlen(in_turn)) == 0 ? strlen(in_turn) : 0;
    int axes = 0, room = 0, chunk = 0;
    if (one_step && sscanf(tile + turn, "TILE(%d, %d, %d", &axes, &room, &chunk) == 3) {
        printf("%.*sONE_STEP(%d, %d, %d)%s\n", (int)turn, tile, axes, room, chunk, turn ? ")" : "");
    } else if (one_step && sscanf(tile + turn, "REGISTERS(%d, %d", &axes, &chunk) == 2) {
        printf("%.*sONE_STEP(%d, %d, %d)%s\n", (int)turn, tile, axes, chunk, chunk, turn ? ")" : "");
    } else {
        printf("%s\n", tile);
    }
}

/* Prints the choice, and for each tile how much longer it takes than the fastest: in many steps / in one step from memory. */
static void print_line(const char *isa, const char *name, int tiles, const char *const tile[], double more[SHAPES][MOST_TILES]) {
    const double *const many = more[MANY_STEPS], *const once = more[FROM_MEMORY];
    double best = INFINITY;
    int chosen = -1;
    for (int c = 0; c < tiles; ++c) {
        best = fmin(best, once[c]);
    }
    for (int c = 0; c < tiles; ++c) {
        if (once[c] <= 1.1 * best && (chosen < 0 || many[c] < many[chosen])) {
            chosen = c;
        }
    }
    printf("%-8s %-42s ", isa, name);
    print_choice(tile[chosen], many[chosen] > many[tiles - 1]);
    for (int c = 0; c < tiles; ++c) {
        if (isfinite(many[c])) {
            printf("    %-18s %5.2f / %.2f\n", tile[c], many[c], once[c]);
        }
    }
    fflush(stdout);
}

/* Measures the units of an instruction set line by line. A result is the geometric mean over precisions and rows. */
static void tune(const char *isa, const char *only) {
    const kdr_tune_unit *const first = kdr_tune_units[0];
    for (size_t line = 0; first->hot[line].name; ++line) {
        const char *tile[MOST_TILES];
        double more[SHAPES][MOST_TILES];
        int tiles = 0;
        if (!strstr(first->hot[line].name, only)) {
            continue;
        }
        const int rows = first->hot[line].method == KDR_METHOD_COUNT ? ROWS : 1;
        for (int at = 0; at < SHAPES; ++at) {
            for (int c = 0; c < MOST_TILES; ++c) {
                more[at][c] = 1;
            }
            for (int n = 0; n < KDR_REAL_COUNT * rows; ++n) {
                tiles = measure(isa, line, (kdr_real)(n % KDR_REAL_COUNT), n / KDR_REAL_COUNT, 1.0 / (KDR_REAL_COUNT * rows), &shapes[at],
                                tile, more[at]);
            }
        }
        print_line(isa, first->hot[line].name, tiles, tile, more);
    }
}

/* Returns true if the instruction set was built and runs here. */
static bool runs(const char *isa) {
    kdr_backend backend;
    kdr_backend_info info;
    return kdr_backend_from_name(isa, &backend) == KDR_OK && kdr_backend_query(backend, &info) == KDR_OK && info.runnable;
}

/* Returns the first unit of the next instruction set that runs here. The units of an instruction set follow one another. */
static const kdr_tune_unit *const *next_isa(const kdr_tune_unit *const *unit, const char *behind) {
    while (*unit && (is_of(*unit, behind) || !runs((*unit)->isa))) {
        ++unit;
    }
    return unit;
}

static void check_isa(const char *isa) {
    char known[128] = "";
    for (const kdr_tune_unit *const *unit = next_isa(kdr_tune_units, ""); *unit; unit = next_isa(unit, (*unit)->isa)) {
        if (is_of(*unit, isa)) {
            return;
        }
        const size_t length = strlen(known);
        snprintf(known + length, sizeof known - length, " %s", (*unit)->isa);
    }
    fprintf(stderr, "tune: expected an instruction set that was built and runs here, one of%s, got %s\n", known, isa);
    exit(2);
}

static void check_name(const char *part) {
    for (const kdr_hot *hot = kdr_tune_units[0]->hot; hot->name; ++hot) {
        if (strstr(hot->name, part)) {
            return;
        }
    }
    fprintf(stderr, "tune: expected a part of a name in src/kernel/hot/list.h, got %s\n", part);
    exit(2);
}

/* Usage: tune [ISA [PART OF A NAME]] */
int main(int argc, char **argv) {
    const char *const isa = argc > 1 ? argv[1] : NULL, *const part = argc > 2 ? argv[2] : "";
    if (argc > 3) {
        die("expected tune [ISA [PART OF A NAME]]");
    }
    if (!kdr_tune_units[0]) {
        die("no instruction set has specialised kernels in this build");
    }
    if (isa) {
        check_isa(isa);
    }
    check_name(part);
    for (const kdr_tune_unit *const *unit = next_isa(kdr_tune_units, ""); *unit; unit = next_isa(unit, (*unit)->isa)) {
        if (!isa || is_of(*unit, isa)) {
            tune((*unit)->isa, part);
        }
    }
    return 0;
}
