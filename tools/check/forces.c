/* The lists of forces of the cases. An item adds one force with random parameters; a list is made of items. */
#include "forces.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef kdr_check_forces forces_builder;

static double pick(kdr_check_random *random, double low, double high) { return kdr_check_random_between(random, low, high); }

/* Draws a coefficient. Now and then it is 0 or has the other sign, which the folding of forces must not lose. */
static double pick_coefficient(kdr_check_random *random, double low, double high) {
    uint32_t die = kdr_check_random_below(random, 16);
    double value = pick(random, low, high);
    return die == 0 ? 0 : die == 1 ? -value : value;
}

static void pick_vector(kdr_check_random *random, double low, double high, double vector[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        vector[axis] = pick_coefficient(random, low, high);
    }
}

static void append(forces_builder *b, kdr_force force) {
    b->arrays[b->count].k = b->arrays[b->count].at = b->arrays[b->count].b = -1;
    for (int k = 0; k < KDR_MAX_PARAMETERS; ++k) {
        b->arrays[b->count].fused[k] = -1;
    }
    ++b->of_kind[force.kind];
    b->force[b->count++] = force;
}

static int append_array(forces_builder *b, double low, double high) {
    b->range[b->array_count].low = low;
    b->range[b->array_count].high = high;
    return b->array_count++;
}

/* Each number is drawn in its own statement, because C leaves the order of evaluation of arguments open, and compilers differ. */

static void add_uniform_acceleration(forces_builder *b, kdr_check_random *r) {
    double a[3];
    pick_vector(r, -2, 2, a);
    append(b, kdr_force_uniform_acceleration(a[0], a[1], a[2]));
}

static void add_uniform_force(forces_builder *b, kdr_check_random *r) {
    double f[3];
    pick_vector(r, -1, 1, f);
    append(b, kdr_force_uniform_force(f[0], f[1], f[2]));
}

static void add_spring(forces_builder *b, kdr_check_random *r) {
    double at[3], k = pick_coefficient(r, 0.5, 4);
    pick_vector(r, -1, 1, at);
    append(b, kdr_force_spring(k, at[0], at[1], at[2]));
}

static void add_spring_axes(forces_builder *b, kdr_check_random *r) {
    add_spring(b, r);
    pick_vector(r, 0.5, 4, b->force[b->count - 1].as.spring.k);
}

static void add_spring_k_each(forces_builder *b, kdr_check_random *r) {
    add_spring(b, r);
    b->arrays[b->count - 1].k = append_array(b, 0.5, 4);
}

static void append_anchors(forces_builder *b) {
    b->arrays[b->count - 1].at = append_array(b, -1, 1);
    append_array(b, -1, 1);
    append_array(b, -1, 1);
}

static void add_spring_at_each(forces_builder *b, kdr_check_random *r) {
    add_spring_axes(b, r);
    append_anchors(b);
}

static void add_spring_all_each(forces_builder *b, kdr_check_random *r) {
    add_spring_k_each(b, r);
    append_anchors(b);
}

static void add_drag(forces_builder *b, kdr_check_random *r) {
    double wind[3], coefficient = pick_coefficient(r, 0.05, 0.5);
    pick_vector(r, -1, 1, wind);
    append(b, kdr_force_drag(coefficient, wind[0], wind[1], wind[2]));
}

static void add_drag_axes(forces_builder *b, kdr_check_random *r) {
    add_drag(b, r);
    pick_vector(r, 0.05, 0.5, b->force[b->count - 1].as.drag.b);
}

static void add_drag_each(forces_builder *b, kdr_check_random *r) {
    add_drag(b, r);
    b->arrays[b->count - 1].b = append_array(b, 0.05, 0.5);
}

static void add_quadratic_drag(forces_builder *b, kdr_check_random *r) {
    double wind[3], c = pick_coefficient(r, 0.01, 0.1);
    pick_vector(r, -1, 1, wind);
    append(b, kdr_force_quadratic_drag(c, wind[0], wind[1], wind[2]));
}

/* Adds a drag with c h |v| up to 10^5 for steps of a tenth, which implicit methods must solve. */
static void add_strong_drag(forces_builder *b, kdr_check_random *r) {
    double wind[3], exponent = pick(r, 0, 16);
    pick_vector(r, -1, 1, wind);
    append(b, kdr_force_quadratic_drag(ldexp(1, (int)exponent), wind[0], wind[1], wind[2]));
}

static void add_electromagnetic(forces_builder *b, kdr_check_random *r) {
    double electric[3], magnetic[3], charge = pick_coefficient(r, 0.5, 1.5);
    pick_vector(r, -1, 1, electric);
    pick_vector(r, -2, 2, magnetic);
    append(b, kdr_force_electromagnetic(charge, electric, magnetic));
}

static void add_electric(forces_builder *b, kdr_check_random *r) {
    double electric[3], charge = pick_coefficient(r, 0.5, 1.5);
    const double magnetic[3] = {0, 0, 0};
    pick_vector(r, -1, 1, electric);
    append(b, kdr_force_electromagnetic(charge, electric, magnetic));
}

/* Draws a grid of few nodes, narrower than the particles' positions. Axes, edges and the order of its elements are random. */
static kdr_grid pick_grid(const kdr_custom_field *field, kdr_check_random *r) {
    const int components = kdr_custom_field_grid_component_count(field), fewest = kdr_custom_field_grid_axis_count(field);
    kdr_grid grid = {.dims = 1 + (int)kdr_check_random_below(r, 3), .components = components};
    grid.dims = grid.dims < fewest ? fewest : grid.dims;
    const uint32_t order = kdr_check_random_below(r, 3);
    size_t elements = 1;
    for (int axis = 0; axis < grid.dims; ++axis) {
        grid.nodes[axis] = 2 + (int)kdr_check_random_below(r, KDR_CHECK_GRID_NODES - 1);
        grid.edge[axis] = (kdr_edge)kdr_check_random_below(r, KDR_EDGE_COUNT);
        grid.origin[axis] = pick(r, -1.5, 0);
        grid.spacing[axis] = pick(r, 0.2, 1);
        elements *= (size_t)grid.nodes[axis];
    }
    if (order == 1) { /* one array per component */
        grid.component_stride = elements;
        for (int axis = 0; axis < grid.dims; ++axis) {
            grid.stride[axis] = axis == 0 ? 1 : grid.stride[axis - 1] * (size_t)grid.nodes[axis - 1];
        }
    } else if (order == 2) { /* the last axis first */
        grid.component_stride = 1;
        for (int axis = grid.dims - 1; axis >= 0; --axis) {
            const bool last = axis == grid.dims - 1;
            grid.stride[axis] = last ? (size_t)components : grid.stride[axis + 1] * (size_t)grid.nodes[axis + 1];
        }
    }
    grid.dims = fewest ? fewest : grid.dims; /* a field of few axes uses the first ones */
    return grid;
}

/* Fills the grids with numbers that both precisions represent exactly. */
static void fill_grids(forces_builder *b, kdr_check_random *r) {
    uint32_t state = kdr_check_random_u32(r);
    for (int i = 0; i < KDR_CHECK_GRID_ELEMENTS; ++i) {
        state = state * UINT32_C(1664525) + UINT32_C(1013904223);
        b->single[i] = (float)((int)(state >> 16) - 32768) / 32768.0F;
        b->precise[i] = (double)b->single[i];
    }
}

/* Draws a number between low and high; if the field's parameter has another range, a number from that. */
static double pick_parameter(const kdr_custom_field *field, int k, double low, double high, kdr_check_random *r) {
    const double drawn = pick(r, low, high);
    double least = drawn, most = drawn;
    kdr_custom_field_parameter_range(field, k, &least, &most);
    return drawn < least ? fmin(least + drawn, most) : drawn > most ? fmax(most - drawn, least) : drawn;
}

/* Appends a custom field. With `some`, every second parameter has one value per particle, up to the limit of such arrays. */
static void append_field(forces_builder *b, const kdr_custom_field *field, double low, double high, bool some, kdr_check_random *r) {
    append(b, kdr_force_custom(field, NULL));
    if (kdr_custom_field_grid_component_count(field) > 0) {
        const kdr_grid grid = pick_grid(field, r);
        for (int real = 0; real < KDR_REAL_COUNT; ++real) {
            b->arrays[b->count - 1].grid[real] = grid;
            b->arrays[b->count - 1].grid[real].values = real == KDR_F32 ? (const void *)b->single : b->precise;
        }
        fill_grids(b, r);
    }
    for (int k = 0; k < kdr_custom_field_parameter_count(field); ++k) {
        b->force[b->count - 1].as.custom.parameter[k] = pick_parameter(field, k, low, high, r);
        if (kdr_check_random_below(r, 2) == 0 && some && b->field_arrays < KDR_MAX_CUSTOM_EACH) {
            b->arrays[b->count - 1].fused[k] = append_array(b, low, high);
            ++b->field_arrays;
        }
    }
}

static bool takes_field(const kdr_custom_field *field, kdr_check_accepted accepted) {
    const unsigned flags = kdr_custom_field_flags(field);
    return !accepted.affine && (!accepted.jacobian || (flags & KDR_CUSTOM_FIELD_JACOBIAN)) &&
           !(accepted.contributions && (flags & KDR_CUSTOM_FIELD_TIME)) &&
           !((flags & KDR_CUSTOM_FIELD_MAGNETIC) && accepted.velocity == KDR_VELOCITY_NONE) &&
           (accepted.velocity == KDR_VELOCITY_ANY || !(flags & KDR_CUSTOM_FIELD_VELOCITY));
}

/* Adds one of the fields that the library has by name. */
static void add_named_field(forces_builder *b, kdr_check_random *r) {
    uint32_t count = 0;
    while (kdr_field_get((int)count)) {
        ++count;
    }
    const kdr_custom_field *const field = kdr_field_get((int)kdr_check_random_below(r, count));
    const bool some = kdr_check_random_below(r, 4) == 0;
    if (takes_field(field, b->accepted)) {
        append_field(b, field, 0.1, 0.9, some, r);
    }
}

static void add_grid_electromagnetic(forces_builder *b, kdr_check_random *r) {
    const kdr_custom_field *field = NULL;
    if (kdr_field_from_name("grid-electromagnetic", &field) == KDR_OK) {
        append_field(b, field, 0.5, 2, kdr_check_random_below(r, 4) == 0, r);
    }
}

static void add_centre(forces_builder *b, kdr_check_random *r) {
    double at[3], mu = pick_coefficient(r, 0.2, 1), softening = pick(r, 0.05, 0.3);
    pick_vector(r, -3, 3, at);
    append(b, kdr_force_centre(mu, at[0], at[1], at[2], softening));
}

static void add_hard_centre(forces_builder *b, kdr_check_random *r) {
    double at[3], mu = pick(r, 0.2, 1);
    pick_vector(r, 3, 5, at);
    append(b, kdr_force_centre(mu, at[0], at[1], at[2], 0));
}

/* Adds a stiff centre among the particles: omega h is up to some hundreds, which implicit methods must solve. */
static void add_stiff_centre(forces_builder *b, kdr_check_random *r) {
    double at[3], mu = pick(r, 100, 10000), softening = pick(r, 0.05, 0.3);
    pick_vector(r, -1, 1, at);
    append(b, kdr_force_centre(mu, at[0], at[1], at[2], softening));
}

static void add_driven(forces_builder *b, kdr_check_random *r) {
    double a[3], omega = pick_coefficient(r, 0.5, 5), phase = pick(r, -3, 3);
    pick_vector(r, -1, 1, a);
    append(b, kdr_force_driven(a[0], a[1], a[2], omega, phase));
}

enum item_id {
    END,
    UNIFORM_ACCELERATION,
    UNIFORM_FORCE,
    SPRING,
    SPRING_AXES,
    SPRING_K_EACH,
    SPRING_AT_EACH,
    SPRING_ALL_EACH,
    DRAG,
    DRAG_AXES,
    DRAG_EACH,
    QUADRATIC_DRAG,
    STRONG_DRAG,
    ELECTROMAGNETIC,
    ELECTRIC,
    CENTRE,
    HARD_CENTRE,
    STIFF_CENTRE,
    NAMED_FIELD,
    DRIVEN,
    GRID_ELECTROMAGNETIC,
    ANY
};
enum { ITEMS = ANY - 1 };

/* `limit` is the number of entries of this kind that a list may have (force.h). It applies only to entries that cannot be folded together;
 * 0: no limit. */
static const struct {
    const char *name;
    void (*add)(forces_builder *, kdr_check_random *);
    kdr_force_kind kind;
    int limit;
} items[ITEMS] = {[UNIFORM_ACCELERATION - 1] = {"uniform-acceleration", add_uniform_acceleration, KDR_UNIFORM_ACCELERATION, 0},
                  [UNIFORM_FORCE - 1] = {"uniform-force", add_uniform_force, KDR_UNIFORM_FORCE, 0},
                  [SPRING - 1] = {"spring", add_spring, KDR_SPRING, 0},
                  [SPRING_AXES - 1] = {"spring-axes", add_spring_axes, KDR_SPRING, 0},
                  [SPRING_K_EACH - 1] = {"spring-k-each", add_spring_k_each, KDR_SPRING, KDR_MAX_EACH},
                  [SPRING_AT_EACH - 1] = {"spring-at-each", add_spring_at_each, KDR_SPRING, KDR_MAX_EACH},
                  [SPRING_ALL_EACH - 1] = {"spring-all-each", add_spring_all_each, KDR_SPRING, KDR_MAX_EACH},
                  [DRAG - 1] = {"drag", add_drag, KDR_DRAG, 0},
                  [DRAG_AXES - 1] = {"drag-axes", add_drag_axes, KDR_DRAG, 0},
                  [DRAG_EACH - 1] = {"drag-each", add_drag_each, KDR_DRAG, KDR_MAX_EACH},
                  [QUADRATIC_DRAG - 1] = {"quadratic-drag", add_quadratic_drag, KDR_QUADRATIC_DRAG, KDR_MAX_QUADRATIC},
                  [STRONG_DRAG - 1] = {"strong-drag", add_strong_drag, KDR_QUADRATIC_DRAG, KDR_MAX_QUADRATIC},
                  [ELECTROMAGNETIC - 1] = {"electromagnetic", add_electromagnetic, KDR_ELECTROMAGNETIC, 0},
                  [ELECTRIC - 1] = {"electric", add_electric, KDR_ELECTROMAGNETIC, 0},
                  [NAMED_FIELD - 1] = {"named-field", add_named_field, KDR_CUSTOM_FIELD, KDR_MAX_CUSTOM},
                  [CENTRE - 1] = {"centre", add_centre, KDR_CENTRE, KDR_MAX_CENTRES},
                  [STIFF_CENTRE - 1] = {"stiff-centre", add_stiff_centre, KDR_CENTRE, KDR_MAX_CENTRES},
                  [HARD_CENTRE - 1] = {"hard-centre", add_hard_centre, KDR_CENTRE, KDR_MAX_CENTRES},
                  [DRIVEN - 1] = {"driven", add_driven, KDR_DRIVEN, KDR_MAX_DRIVEN},
                  [GRID_ELECTROMAGNETIC - 1] = {"grid-electromagnetic", add_grid_electromagnetic, KDR_CUSTOM_FIELD, KDR_MAX_CUSTOM}};

enum { MAX_ITEMS_IN_LIST = 16 };

/* These lists follow the lists of a single item, which need no row. */
static const struct {
    const char *name;
    int times; /* how often the whole list is repeated */
    unsigned char item[MAX_ITEMS_IN_LIST];
} lists[] = {{"none", 1, {END}},
             {"spring-damper", 1, {SPRING, DRAG}},
             {"spring-damper-gravity", 1, {SPRING_AXES, DRAG_AXES, UNIFORM_ACCELERATION}},
             {"spring-force", 1, {SPRING, UNIFORM_FORCE}},
             {"fountain", 1, {UNIFORM_ACCELERATION, QUADRATIC_DRAG}},
             {"charged-oscillator", 1, {SPRING_AXES, ELECTROMAGNETIC, DRAG}},
             {"driven-oscillator", 1, {SPRING, DRAG, DRIVEN}},
             {"centre-drag", 1, {CENTRE, DRAG}},
             {"two-centres", 2, {CENTRE}},
             {"stiff", 1, {STIFF_CENTRE, STRONG_DRAG, SPRING, ELECTROMAGNETIC}},
             {"three-springs", 3, {SPRING_AXES}},
             {"four-springs-each", 4, {SPRING_ALL_EACH}},
             {"four-drags-each", 4, {DRAG_EACH}},
             {"sixteen-centres", 16, {CENTRE}},
             {"eight-driven", 8, {DRIVEN}},
             {"eight-named-fields", 8, {NAMED_FIELD}},
             {"everything",
              1,
              {UNIFORM_ACCELERATION, UNIFORM_FORCE, SPRING, SPRING_AXES, SPRING_ALL_EACH, DRAG, DRAG_AXES, DRAG_EACH, QUADRATIC_DRAG,
               ELECTROMAGNETIC, CENTRE, HARD_CENTRE, DRIVEN, NAMED_FIELD, NAMED_FIELD}},
             {"every-limit", 4, {SPRING_ALL_EACH, DRAG_EACH, QUADRATIC_DRAG, CENTRE, CENTRE, CENTRE, CENTRE, DRIVEN, DRIVEN}},
             {"random-2", 2, {ANY}},
             {"random-4", 4, {ANY}},
             {"random-9", 9, {ANY}}};
enum { LISTS = sizeof lists / sizeof lists[0] };

int kdr_check_forces_lists(void) { return ITEMS + LISTS; }

/* Counts ordered pairs, and each item with itself: the result of a sum depends on the order of its terms. */
int kdr_check_forces_pairs(void) { return ITEMS * ITEMS; }

const char *kdr_check_forces_name(int list) {
    static char pair[64]; /* may be static: an engine belongs to one thread */
    if (list < ITEMS) {
        return items[list].name;
    }
    if (list < ITEMS + LISTS) {
        return lists[list - ITEMS].name;
    }
    int both = list - ITEMS - LISTS;
    snprintf(pair, sizeof pair, "%s+%s", items[both / ITEMS].name, items[both % ITEMS].name);
    return pair;
}

static int limited_so_far(const forces_builder *b, kdr_force_kind kind) {
    if (kind != KDR_SPRING && kind != KDR_DRAG) {
        return b->of_kind[kind];
    }
    int with_arrays = 0;
    for (int i = 0; i < b->count; ++i) {
        if (b->force[i].kind == kind && (b->arrays[i].k >= 0 || b->arrays[i].at >= 0 || b->arrays[i].b >= 0)) {
            ++with_arrays;
        }
    }
    return with_arrays;
}

/* Returns true if the force is affine in x and v, and does not depend on time. */
static bool is_affine(kdr_force_kind kind) { return kind < KDR_DRIVEN && kind != KDR_QUADRATIC_DRAG && kind != KDR_CENTRE; }

static bool is_accepted(int item, kdr_check_accepted accepted) {
    kdr_force_kind kind = items[item - 1].kind;
    bool drag = kind == KDR_DRAG || kind == KDR_QUADRATIC_DRAG;
    if (accepted.affine && !is_affine(kind)) {
        return false;
    }
    if ((item == STIFF_CENTRE || item == STRONG_DRAG) && !accepted.jacobian) {
        return false; /* with such a force explicit methods overflow, and comparing NaN with NaN proves little */
    }
    if (item == GRID_ELECTROMAGNETIC && (accepted.jacobian || accepted.velocity == KDR_VELOCITY_NONE)) {
        return false;
    }
    return accepted.velocity == KDR_VELOCITY_ANY || !(drag || (item == ELECTROMAGNETIC && accepted.velocity == KDR_VELOCITY_NONE));
}

static void add_item(forces_builder *b, int item, kdr_check_random *random) {
    if (item == ANY) {
        item = 1 + (int)kdr_check_random_below(random, ITEMS);
    }
    int limit = items[item - 1].limit;
    if (is_accepted(item, b->accepted) && (limit == 0 || limited_so_far(b, items[item - 1].kind) < limit)) {
        items[item - 1].add(b, random);
    }
}

void kdr_check_forces_build(kdr_check_forces *forces, int list, kdr_check_accepted accepted, kdr_check_random *random) {
    memset(forces, 0, sizeof *forces);
    bool choosy = accepted.velocity != KDR_VELOCITY_ANY || accepted.affine;
    bool tempt = choosy && kdr_check_random_below(random, 8) == 0;
    forces->accepted = tempt ? (kdr_check_accepted){.velocity = KDR_VELOCITY_ANY} : accepted;
    if (list < ITEMS) {
        add_item(forces, list + 1, random);
    } else if (list < ITEMS + LISTS) {
        for (int time = 0; time < lists[list - ITEMS].times; ++time) {
            for (const unsigned char *item = lists[list - ITEMS].item; *item != END; ++item) {
                add_item(forces, *item, random);
            }
        }
    } else {
        int both = list - ITEMS - LISTS;
        add_item(forces, both / ITEMS + 1, random);
        add_item(forces, both % ITEMS + 1, random);
    }
}

void kdr_check_forces_fuse(kdr_check_forces *forces, const kdr_custom_field *field, kdr_check_random *random) {
    const bool careless = kdr_check_random_below(random, 8) == 0;
    const uint32_t entries = kdr_check_random_below(random, 2) == 0 ? 1 : 1 + kdr_check_random_below(random, KDR_MAX_CUSTOM);
    if (!careless && !takes_field(field, forces->accepted)) {
        return;
    }
    for (uint32_t e = 0; e < entries && forces->count < KDR_CHECK_MAX_FORCES && forces->of_kind[KDR_CUSTOM_FIELD] < KDR_MAX_CUSTOM; ++e) {
        append_field(forces, field, 0.5, 2, kdr_check_random_below(random, 3) == 0, random);
    }
}

/* Returns true if a force of this kind can have the contribution, by the rules in <kickdrift/force.h>. */
static bool contributes_by(kdr_force_kind kind, kdr_contribution contribution) {
    bool evaluated = kind == KDR_QUADRATIC_DRAG || kind == KDR_CENTRE;
    if (kind == KDR_CUSTOM_FIELD) {
        return contribution == KDR_CONTRIBUTION_DEFAULT || contribution == KDR_CONTRIBUTION_AVERAGE;
    }
    switch (contribution) {
    case KDR_CONTRIBUTION_EXACT:
        return !evaluated;
    case KDR_CONTRIBUTION_PULSE_SYMPLECTIC:
        return kind == KDR_SPRING;
    case KDR_CONTRIBUTION_FIRST_ORDER:
        return kind == KDR_DRAG;
    case KDR_CONTRIBUTION_DEFAULT:
    case KDR_CONTRIBUTION_AVERAGE:
    case KDR_CONTRIBUTION_PULSE:
    case KDR_CONTRIBUTION_EULER:
        return true;
    }
    return false;
}

bool kdr_check_forces_contribute(kdr_check_forces *forces, kdr_check_random *random) {
    bool careless = kdr_check_random_below(random, 16) == 0, refused = false;
    for (int i = 0; i < forces->count; ++i) {
        kdr_force *force = &forces->force[i];
        do {
            force->contribution = (kdr_contribution)kdr_check_random_below(random, KDR_CONTRIBUTION_COUNT);
        } while (!careless && !contributes_by(force->kind, force->contribution));
        refused |= !contributes_by(force->kind, force->contribution);
    }
    return refused;
}

/* Coefficients are added up first, because they may cancel, and what is folded away is not refused. */
bool kdr_check_forces_refused(const kdr_check_forces *forces, kdr_check_accepted accepted) {
    double drag[3] = {0}, magnetic[3] = {0};
    bool drags = false, affine = true, fields = false;
    for (int i = 0; i < forces->count; ++i) {
        const kdr_force *force = &forces->force[i];
        affine &= is_affine(force->kind);
        if (force->kind == KDR_CUSTOM_FIELD) {
            const int dims = kdr_custom_field_axis_count(force->as.custom.field);
            fields |= !takes_field(force->as.custom.field, accepted) || (dims && dims != accepted.dims);
        }
        drags |= force->kind == KDR_QUADRATIC_DRAG || (force->kind == KDR_DRAG && forces->arrays[i].b >= 0);
        for (int axis = 0; axis < 3; ++axis) {
            if (force->kind == KDR_DRAG && forces->arrays[i].b < 0) {
                drag[axis] += force->as.drag.b[axis];
            }
            if (force->kind == KDR_ELECTROMAGNETIC) {
                magnetic[axis] += force->as.electromagnetic.charge * force->as.electromagnetic.b[axis];
            }
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        drags |= drag[axis] != 0;
    }
    bool magnets = magnetic[0] != 0 || magnetic[1] != 0 || magnetic[2] != 0;
    return (drags && accepted.velocity != KDR_VELOCITY_ANY) || (magnets && accepted.velocity == KDR_VELOCITY_NONE) ||
           (accepted.affine && !affine) || fields;
}

static const void *element(unsigned char *const arrays[], int array, size_t size, size_t begin) {
    return array < 0 ? NULL : arrays[array] + begin * size;
}

void kdr_check_forces_bind(const kdr_check_forces *forces, unsigned char *const arrays[], size_t size, size_t begin, size_t count,
                           kdr_force bound[KDR_CHECK_MAX_FORCES]) {
    memcpy(bound, forces->force, sizeof forces->force);
    for (int i = 0; i < forces->count; ++i) {
        int k = forces->arrays[i].k, at = forces->arrays[i].at, b = forces->arrays[i].b;
        if (k >= 0 || at >= 0) {
            bound[i].as.spring.k_each = element(arrays, k, size, begin);
            for (int axis = 0; axis < 3; ++axis) {
                bound[i].as.spring.at_each[axis] = element(arrays, at < 0 ? -1 : at + axis, size, begin);
            }
            bound[i].as.spring.count = count;
        }
        if (b >= 0) {
            bound[i].as.drag.b_each = element(arrays, b, size, begin);
            bound[i].as.drag.count = count;
        }
        for (int p = 0; bound[i].kind == KDR_CUSTOM_FIELD && p < KDR_MAX_PARAMETERS; ++p) {
            bound[i].as.custom.each[p] = element(arrays, forces->arrays[i].fused[p], size, begin);
        }
        if (bound[i].kind == KDR_CUSTOM_FIELD) {
            const kdr_grid *const grid = &forces->arrays[i].grid[size == sizeof(float) ? KDR_F32 : KDR_F64];
            bound[i].as.custom.count = count;
            bound[i].as.custom.grid = grid->dims > 0 ? grid : NULL;
        }
    }
}
