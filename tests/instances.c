/* The list in tests/instances.txt names the methods that have a specialised kernel, with their fields and backends. Losing one halves the
 * speed, and no bit shows it. */
#include "files.h"
#include "support.h"

#include "integrator/integrator.h"
#include "program/program.h"

static const kdr_force uniform[] = {{.kind = KDR_UNIFORM_ACCELERATION, .as.uniform_acceleration = {{0.5, -0.25, -9.81}}}};
static const kdr_force spring[] = {{.kind = KDR_SPRING, .as.spring = {.k = {15, 15, 15}, .at = {0.25, -0.5, 1}}}};
static const kdr_force spring_at_0[] = {{.kind = KDR_SPRING, .as.spring = {.k = {15, 15, 15}}}};
static const kdr_force drag[] = {{.kind = KDR_DRAG, .as.drag = {.b = {0.1, 0.1, 0.1}, .wind = {1, 0.5, -0.25}}}};
static const kdr_force spring_drag[] = {{.kind = KDR_SPRING, .as.spring = {.k = {15, 15, 15}, .at = {0.25, -0.5, 1}}},
                                        {.kind = KDR_DRAG, .as.drag = {.b = {0.1, 0.1, 0.1}, .wind = {1, 0.5, -0.25}}}};
static const kdr_force centre[] = {{.kind = KDR_CENTRE, .as.centre = {.mu = 1, .at = {0.125, 0.25, -0.125}, .softening = 0.25}}};
static const kdr_force driven[] = {{.kind = KDR_DRIVEN, .as.driven = {.a = {2, 1, -0.5}, .omega = 5, .phase = 0.5}}};
static const kdr_force magnetic[] = {
    {.kind = KDR_ELECTROMAGNETIC, .as.electromagnetic = {.charge = 2, .e = {0.5, 0, 0}, .b = {0.5, 0.25, -1}}}};
static const kdr_force quadratic[] = {{.kind = KDR_QUADRATIC_DRAG, .as.quadratic_drag = {.c = 0.25}}};
static kdr_force yukawa[1];

#define LIST(forces) forces, sizeof forces / sizeof *forces

/* `ground` has a plane, `box` a box of colliders. */
static const struct place {
    const char *name;
    const kdr_force *forces;
    size_t count;
    bool masses, ground, box;
} places[] = {{"free", NULL, 0, false, false, false},
              {"uniform", LIST(uniform), false, false, false},
              {"spring", LIST(spring), false, false, false},
              {"spring-at-0", LIST(spring_at_0), false, false, false},
              {"drag", LIST(drag), false, false, false},
              {"spring-drag", LIST(spring_drag), false, false, false},
              {"centre", LIST(centre), false, false, false},
              {"yukawa", LIST(yukawa), false, false, false},
              {"driven", LIST(driven), false, false, false},
              {"magnetic", LIST(magnetic), false, false, false},
              {"quadratic", LIST(quadratic), false, false, false},
              {"uniform-masses", LIST(uniform), true, false, false},
              {"spring-drag-masses", LIST(spring_drag), true, false, false},
              {"uniform-ground", LIST(uniform), false, true, false},
              {"spring-ground", LIST(spring), false, true, false},
              {"spring-drag-box", LIST(spring_drag), false, false, true}};
enum { PLACES = sizeof places / sizeof *places };

/* These are the columns of the list. It has no kernels of other processors. */
static const kdr_backend columns[] = {KDR_BACKEND_SSE2, KDR_BACKEND_AVX2, KDR_BACKEND_AVX512};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* The specialised kernels that some line of the list stands for, and the tables that they are in. */
enum { MOST_KERNELS = 4096, MOST_TABLES = 32 };
static const kdr_hot *used[MOST_KERNELS], *tables[MOST_TABLES];
static size_t used_count, table_count;

static bool is_in(const kdr_hot *const *list, size_t count, const kdr_hot *hot) {
    size_t n = 0;
    while (n < count && list[n] != hot) {
        ++n;
    }
    return n < count;
}

static void note_used(const kdr_program *program) {
    const kdr_hot *const hot = program->hot ? program->hot : program->stepper, *const table = program->kernels->hot;
    if (hot && !is_in(used, used_count, hot)) {
        cr_assert(used_count < MOST_KERNELS);
        used[used_count++] = hot;
    }
    if (hot && !is_in(tables, table_count, table)) {
        cr_assert(table_count < MOST_TABLES);
        tables[table_count++] = table;
    }
}

static bool has_instance(kdr_method method, const struct place *place, kdr_backend backend, kdr_real real, kdr_arithmetic arithmetic) {
    const kdr_collider plane = kdr_collider_plane((double[]){0, 0, 0}, (double[]){0, 0, 1}),
                       box = kdr_collider_box((double[]){-1, -1, -1}, (double[]){1, 1, 1}, true);
    kdr_integrator_desc desc = describe(method, real, arithmetic, place->forces, place->count);
    kdr_integrator *integrator;
    desc.backend = backend;
    desc.colliders = place->ground ? &plane : &box, desc.collider_count = place->ground || place->box;
    if (kdr_integrator_create(&desc, &integrator, NULL) != KDR_OK) {
        return false;
    }
    const kdr_program *const program = integrator->setup->program[2][place->masses];
    note_used(program);
    const bool has = kdr_program_has_instance(program);
    kdr_integrator_destroy(integrator);
    return has;
}

/* Writes an x for each specialised kernel that exists, in f32 fused, f32 unfused, f64 fused, f64 unfused. */
static void column_of(kdr_method method, const struct place *place, kdr_backend backend, char column[5]) {
    for (int n = 0; n < 4; ++n) {
        column[n] = has_instance(method, place, backend, n < 2 ? KDR_F32 : KDR_F64, n % 2 ? KDR_UNFUSED : KDR_FUSED) ? 'x' : '.';
    }
    column[4] = '\0';
}

/* Writes the list's columns of a method in a field, or dots where it has no such line. */
static void listed(const char *text, const char *method, const char *place, char list[COLUMNS][5]) {
    char begin[128];
    snprintf(begin, sizeof begin, "\n%s %s ", method, place);
    const char *const line = strstr(text, begin);
    for (int b = 0; b < COLUMNS; ++b) {
        memcpy(list[b], "....", 5);
    }
    cr_assert(!line || sscanf(line + strlen(begin), "%4s %4s %4s", list[0], list[1], list[2]) == COLUMNS, "%s", begin);
}

static bool runs(kdr_backend backend) {
    kdr_backend_info info;
    return kdr_backend_query(backend, &info) == KDR_OK && info.runnable;
}

/* Each line of the list, and each line that it should have, is checked on the backends that run here. */
Test(instances, are_those_of_the_list) {
    size_t size, lines = 0, known = 0;
    char *const text = (char *)read_whole(KDR_SOURCE_DIR "/tests/instances.txt", &size);
    const kdr_custom_field *field;
    text[size] = '\0';
    cr_assert(kdr_field_from_name("yukawa", &field) == KDR_OK);
    yukawa[0] = kdr_force_custom(field, (double[KDR_MAX_PARAMETERS]){1, 1});
    for (const char *at = text; *at; ++at) {
        lines += *at == '\n' && at[1] != '#' && at[1] != '\0';
    }
    for (int method = 0; method < KDR_METHOD_COUNT; ++method) {
        for (size_t p = 0; p < PLACES; ++p) {
            const char *const name = kdr_method_get((kdr_method)method)->name;
            char list[COLUMNS][5], found[COLUMNS][5];
            listed(text, name, places[p].name, list);
            bool same = true, some = false;
            for (int b = 0; b < COLUMNS; ++b) {
                memcpy(found[b], list[b], 5);
                if (runs(columns[b])) {
                    column_of((kdr_method)method, &places[p], columns[b], found[b]);
                }
                same = same && strcmp(found[b], list[b]) == 0;
                some = some || strcmp(list[b], "....") != 0;
            }
            known += some;
            cr_expect(same, "tests/instances.txt should say, where a specialised kernel was meant to come or go:\n%s %s %s %s %s", name,
                      places[p].name, found[0], found[1], found[2]);
            column_of((kdr_method)method, &places[p], KDR_BACKEND_SCALAR, found[0]);
            cr_expect(strcmp(found[0], "....") == 0, "%s in %s has a specialised scalar kernel, and the list has no column of them", name,
                      places[p].name);
        }
    }
    for (size_t t = 0; t < table_count; ++t) {
        for (const kdr_hot *hot = tables[t]; hot->run; ++hot) {
            cr_expect(hot->tile == 0 || is_in(used, used_count, hot), "no method in a field of this test uses %s", hot->name);
        }
    }
    cr_expect(known == lines, "%zu lines of %zu in tests/instances.txt name a method and a field here, and some kernel", known, lines);
    free(text);
}
