/* Chooses the specialised kernel that runs a program or makes its steps, or gives the reason why there is none. */
#include "../problem/walls.h"
#include "build.h"

#include <math.h>
#include <string.h>

/* Returns whether the problem's row, which predicts v, equals the kernel's row otherwise, in a field that does not depend on v. */
static bool is_twin(const kdr_hot *hot, const kdr_problem *problem) {
    const kdr_splitting_row *const mine = problem->row->data.splitting, *const its = kdr_row_get((kdr_method)hot->method)->data.splitting;
    return mine && mine->predicts && its && !(hot->terms & (KDR_TERM_DAMPING | KDR_TERM_CUSTOM)) && mine->stages == its->stages &&
           memcmp(mine->kick, its->kick, sizeof mine->kick) == 0 && memcmp(mine->drift, its->drift, sizeof mine->drift) == 0;
}

/* Returns whether the kernel is one of the problem's method. */
static bool has_method(const kdr_hot *hot, const kdr_problem *problem) {
    const kdr_row *const row = problem->row;
    if (hot->method != KDR_METHOD_COUNT) {
        return hot->method == (int)problem->method || is_twin(hot, problem);
    }
    if (hot->family != (int)row->info.family) {
        return false;
    }
    const int stages = row->data.runge_kutta ? row->data.runge_kutta->stages : 0;
    const kdr_splitting_row *const splitting = row->data.splitting;
    return (hot->stages == 0 || hot->stages == stages) && !(splitting && (splitting->predicts || !kdr_splitting_is_full(splitting))) &&
           !(row->data.kinematic && row->data.kinematic->kicks);
}

/* Returns why the method's specialised kernels do not have the problem's terms. */
static const char *why_not_terms(unsigned terms, const kdr_problem *problem) {
    static const struct {
        unsigned term;
        const char *why_not;
    } cold[] = {{KDR_TERM_MASS, "the particles have masses"},
                {KDR_TERM_COMPENSATED, "sums are compensated"},
                {KDR_TERM_HELD, "constraints hold each drift"},
                {KDR_TERM_REFLECTING, "colliders reflect each drift"},
                {KDR_TERM_DRIVEN, "the field is driven"},
                {KDR_TERMS_MAGNETIC, "no specialised kernel has a magnetic field"},
                {KDR_TERM_QUADRATIC, "no specialised kernel has quadratic drag"},
                {KDR_TERM_SPRINGS | KDR_TERM_DRAGS, "no specialised kernel has springs or drags with arrays per particle"},
                {KDR_TERM_CUSTOM_SEVERAL, "there are several custom fields, or arrays per particle in one"},
                {KDR_TERM_CUSTOM, "no specialised kernel of the method has these terms in addition to a custom field"}};
    for (size_t i = 0; i < sizeof cold / sizeof cold[0]; ++i) {
        if (terms & cold[i].term) {
            return cold[i].why_not;
        }
    }
    return problem->field.centres > 1 ? "the field has more than one centre"
                                      : "no specialised kernel of the method has these terms together";
}

static bool is_known(const kdr_hot *list, const kdr_problem *problem) {
    while (list->run && !has_method(list, problem)) {
        ++list;
    }
    return list->run != NULL;
}

/* Returns whether the walls are what specialised kernels support: one plane at rest, without friction. */
static bool is_ground(const kdr_program_desc *desc) {
    const kdr_wall_f32 *const narrow = desc->colliders;
    const kdr_wall_f64 *const wide = desc->colliders;
    const bool f32 = desc->problem->real == KDR_F32;
    return desc->problem->collider_count == 1 && !kdr_problem_walls_move(desc->problem) &&
           (f32 ? narrow->kind : wide->kind) == KDR_COLLIDER_PLANE && !(f32 ? narrow->rubs : wide->rubs);
}

/* Returns whether a kept acceleration must be 0 because it is tiny. In a uniform field specialised kernels compute it anew, and would
 * not see that. */
static bool rests_everywhere(const kdr_program *p, const kdr_problem *problem) {
    double base[3];
    bool slight = false;
    if (!p->flushes_small || (p->terms & ~(unsigned)KDR_TERMS_AFTER) != 0 || !p->row->info.memory) {
        return false; /* drives are not considered: only steps have them */
    }
    kdr_field_base(&problem->field, 0, 0, base);
    for (int i = 0; i < 3; ++i) {
        slight = slight || (base[i] != 0.0 && fabs(base[i]) < kdr_nothing(problem->real));
    }
    return slight;
}

/* Returns the kernel with these terms. If there is none it returns NULL, and sets *why_not if this reason is better. A custom field
 * brings its own kernels. */
static const kdr_hot *hot_of_terms(const kdr_program *p, const kdr_problem *problem, unsigned terms, const char **why_not) {
    /* Damping changes the numbers of a map, but not the operations. */
    const unsigned same = problem->row->data.kinematic ? (unsigned)KDR_TERM_DAMPING : 0;
    for (const kdr_hot *hot = p->custom[0] ? p->custom[0]->hot : p->kernels->hot; hot && hot->run; ++hot) {
        if (!has_method(hot, problem) || hot->terms != (terms & ~same) || ((terms & KDR_TERM_CENTRES) && problem->field.centres != 1)) {
            continue;
        }
        if (hot->tile > 0 && (!hot->all_axes || p->dims == 3)) {
            *why_not = NULL;
            return hot;
        }
        *why_not = hot->tile > 0 ? "the instance is for three axes" : "the program is faster on this backend";
    }
    return NULL;
}

/* Returns whether a kernel made for runs of one step has too many stages: it also copies the step's beginning, so with many stages the
 * program is faster. The limits were measured per instruction set and arithmetic. */
static bool is_long(const kdr_hot *hot, const kdr_program *p, kdr_arithmetic arithmetic) {
    const kdr_splitting_row *const row = p->row->data.splitting;
    return hot->one_step && row && (p->kernels->vector < 32 || row->stages > (arithmetic == KDR_FUSED ? 8 : 4));
}

/* Finds the first instruction of walls or rests after a step, and the column of the step's beginning. */
static void find_walls(kdr_program *p) {
    p->saved = p->walls = p->border = -1;
    for (int n = p->end[KDR_STEP] - 1; n >= p->end[KDR_BEFORE]; --n) {
        if (p->line[n].code == KDR_OP_WALLS) {
            p->walls = n;
            p->saved = p->line[n].other;
            p->border = p->line[n].number;
        } else if (p->line[n].code == KDR_OP_HOLD) {
            p->walls = n;
            p->saved = p->line[n].other;
        } else if (p->line[n].code == KDR_OP_FLUSH_SMALL && p->walls >= 0) {
            p->walls = n;
        }
    }
}

/* Returns the kernel that makes each step before its walls, or all steps of a program with an end. There is none if an absorbing
 * boundary restores a kept acceleration, which instructions before the step save. */
static const kdr_hot *stepper_of(kdr_program *p, const kdr_problem *problem, const char **why_not) {
    const kdr_hot *const hot = kdr_program_has_end(p) && !p->flushes_small ? hot_of_terms(p, problem, p->terms, why_not)
                               : p->walls >= 0 ? hot_of_terms(p, problem, p->terms & ~(unsigned)KDR_TERMS_AFTER, why_not)
                                               : NULL;
    p->chunk = !hot || (hot->all_axes_when_one_step && p->dims == 3 && p->walls >= 0) ? 1 : hot->chunk;
    if (hot && p->memory >= 0 && (p->terms & KDR_TERM_ABSORBING)) {
        *why_not = "an absorbing boundary gives back the acceleration that the method keeps";
        return NULL;
    }
    if (hot && p->memory >= 0 && kdr_wraps_see(p->terms, p->flushes_small)) {
        *why_not = "who is put back by a period has the kept acceleration of the velocity that the step's lines have seen";
        return NULL;
    }
    if (hot && (is_long(hot, p, problem->arithmetic) || p->chunk > p->vectors)) {
        *why_not = "the program is faster on this backend";
        return NULL;
    }
    return hot;
}

/* Returns the kernel that steps particles as long as they meet no wall and change no watched sign. The whole program makes the steps in
 * which some do. */
static const kdr_hot *within_of(const kdr_program *p, const kdr_problem *problem) {
    const char *why_not = NULL;
    const bool held = (p->terms & (KDR_TERM_HELD_AFTER | KDR_TERM_HELD | KDR_TERM_REFLECTING)) != 0;
    const kdr_hot *const hot = (p->border >= 0 || problem->watch_count > 0) && !held && !kdr_program_has_end(p)
                                   ? hot_of_terms(p, problem, p->terms & ~(unsigned)KDR_TERMS_AFTER, &why_not)
                                   : NULL;
    return hot && hot->within && (p->dims == 3 || !(p->terms & KDR_TERM_CUSTOM)) ? hot : NULL;
}

/* Chooses the kernel that may run the whole program, or make its steps, or sets the reason why there is none. */
void kdr_choose_hot(kdr_program *p, const kdr_program_desc *desc) {
    const kdr_problem *const problem = desc->problem;
    if (problem->substepping.count > 1) {
        p->why_not = "the step is composed of substeps";
        return;
    }
    if (rests_everywhere(p, problem)) {
        p->why_not = "the acceleration, everywhere the same, is next to nothing and comes to rest";
        return;
    }
    find_walls(p);
    p->stepper = stepper_of(p, problem, &p->why_not);
    p->within = within_of(p, problem);
    p->vectors -= p->stepper ? p->vectors % p->chunk : 0;
    if (p->flushes_small && (p->terms & KDR_TERM_MASS)) {
        p->why_not = "what rests may be frozen";
        return;
    }
    if (!kdr_program_has_end(p) && !(p->terms & KDR_TERM_HELD_AFTER) &&
        (!(p->terms & KDR_TERM_COLLIDERS) || (!p->flushes_small && is_ground(desc)))) {
        p->hot = hot_of_terms(p, problem, p->terms, &p->why_not);
    }
    if (p->hot) {
        return;
    }
    if (!p->kernels->hot) {
        p->why_not = "the backend has no instances in this precision and arithmetic";
    } else if (!is_known(p->kernels->hot, problem)) {
        p->why_not = "no specialised kernel has this method";
    } else if (!p->why_not) {
        p->why_not = why_not_terms(p->terms, problem);
    }
}
