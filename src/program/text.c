/* Writes programs as text. */
#include <stdio.h>

#include "writer.h"

/* Descriptions of conditions. */
static const struct {
    unsigned when;
    const char *words;
} conditions[] = {{KDR_WHEN_FRESH, "unless the run goes on from memory"},
                  {KDR_WHEN_RESUMED, "when the run goes on from memory"},
                  {KDR_WHEN_FRESH | KDR_WHEN_RESUMED, "but not in a later piece of the run"},
                  {KDR_WHEN_LAST, "in the last piece of the run"},
                  {KDR_WHEN_ESTIMATING, "where the particles have errors"},
                  {KDR_WHEN_HIT, "when a particle was hit or is held"},
                  {KDR_WHEN_OPENING, "in the first substep of a step"},
                  {KDR_WHEN_CLOSING, "in the last substep of a step"}};

static void write_line(kdr_writer *w) {
    kdr_write_put(w, "  ");
    kdr_write_line(w);
    kdr_write_say(w, ";");
    for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; ++i) {
        if (w->line->when == conditions[i].when) {
            kdr_write_put(w, "  (%s)", conditions[i].words);
        }
    }
    kdr_write_put(w, "\n");
}

static const char *plural(int count) { return count == 1 ? "" : "s"; }

/* Writes the specialised kernel, and in which runs the program is used instead (hot_of in run.c). */
static void write_hot(kdr_writer *w) {
    const kdr_hot *const stepper = w->program->stepper, *const hot = w->program->hot ? w->program->hot : stepper;
    if (!hot) {
        kdr_write_put(w, "specialised kernel: none: %s\n", w->program->why_not);
        return;
    }
    kdr_write_put(w, "specialised kernel: %s%s, %s at a time, %d vector%s in ",
                  hot != stepper          ? ""
                  : w->program->walls < 0 ? "for all steps, "
                                          : "for each step before its walls, ",
                  hot->name, hot->all_axes ? "all axes" : "an axis", hot->tile, plural(hot->tile));
    if (hot->tile == hot->chunk) {
        kdr_write_put(w, "registers");
    } else {
        kdr_write_put(w, "the cache, %d at once", hot->chunk);
    }
    kdr_write_put(w, "%s%s%s\n", hot->one_step && hot != stepper ? ", in runs of one step" : "",
                  (hot->terms & KDR_TERM_COLLIDERS) ? ", unless contacts are counted or written down" : "",
                  w->problem->row->info.order_estimate > 0 ? ", unless errors are asked for" : "");
}

/* Writes the specialised kernel for steps in which nothing happens. */
static void write_within(kdr_writer *w) {
    const kdr_hot *const within = w->program->within;
    if (within) {
        kdr_write_put(w, "while no wall is met and no watched sign changes: %s, all axes at a time, %d vector%s in registers\n",
                      within->name, KDR_WITHIN_VECTORS, plural(KDR_WITHIN_VECTORS));
    }
}

void kdr_write_tile(kdr_writer *w) {
    const kdr_program *const p = w->program;
    const int lanes = p->kernels->vector / (int)p->size;
    kdr_write_put(w, "tile: %d vector%s of %d particle%s, %d columns, %d bytes\n", p->vectors, plural(p->vectors), lanes, plural(lanes),
                  p->columns, p->vectors * p->kernels->vector * p->columns);
}

void kdr_write_rows(kdr_writer *w) {
    static const char *const arrays[] = {[KDR_ARRAY_X] = "positions",
                                         [KDR_ARRAY_V] = "velocities",
                                         [KDR_ARRAY_MEMORY] = "the method's memory",
                                         [KDR_ARRAY_COMPENSATION] = "compensations",
                                         [KDR_ARRAY_ERROR] = "errors",
                                         [KDR_ARRAY_INVERSE_MASS] = "inverse masses",
                                         [KDR_ARRAY_K] = "k of a spring",
                                         [KDR_ARRAY_AT] = "where a spring is fixed",
                                         [KDR_ARRAY_B] = "b of a drag",
                                         [KDR_ARRAY_CUSTOM] = "a parameter of the custom field",
                                         [KDR_ARRAY_BLOCKS] = "slopes of what acts between particles"};
    const kdr_program *const p = w->program;
    kdr_write_put(w, "rows of the tile\n");
    for (const kdr_row_name *name = p->name; name < p->name + p->name_count; ++name) {
        char text[24];
        const kdr_load *load = NULL;
        for (int i = 0; i < p->load_count && !load; ++i) {
            load = p->load[i].column == name->column ? &p->load[i] : NULL;
        }
        snprintf(text, sizeof text, name->number > 0 ? "%s%d" : "%s", name->name, name->number);
        kdr_write_put(w, "  %-10s %2d column%s", text, name->columns, plural(name->columns));
        if (load) {
            kdr_write_put(w, ": %s, loaded%s", arrays[load->array], load->array < KDR_ARRAY_INVERSE_MASS ? " and stored" : "");
        }
        kdr_write_put(w, "\n");
    }
}

void kdr_write_drive(kdr_writer *w) {
    const kdr_field *const field = &w->problem->field;
    double base[3];
    if (!(w->program->terms & KDR_TERM_DRIVEN)) {
        return;
    }
    kdr_field_base(field, w->program->terms | KDR_TERM_UNDRIVEN, 0, base);
    kdr_write_put(w, "base(t) = ");
    kdr_write_vector(w, base, w->program->dims);
    for (int d = 0; d < field->drives; ++d) {
        kdr_write_plus(w);
        kdr_write_vector(w, field->drive[d].a, w->program->dims);
        kdr_write_say(w, " cos(");
        kdr_write_steps(w, field->drive[d].omega, "t");
        if (field->drive[d].phase != 0) {
            kdr_write_plus(w);
            kdr_write_value(w, field->drive[d].phase);
        }
        kdr_write_say(w, ")");
    }
    kdr_write_say(w, "\n");
}

/* Writes how a step is divided into substeps. */
static void write_substeps(kdr_writer *w) {
    const kdr_substepping *const s = &w->problem->substepping;
    if (s->count > 1 && w->program->length) {
        kdr_write_put(w, "substeps: %d a step, of h = w dt, w = ", s->count);
        kdr_write_list(w, s->fraction, s->count);
        kdr_write_put(w, "\n");
    }
}

static const char *composition_of(const kdr_problem *problem) {
    const kdr_composition_info *const info = kdr_composition_get(problem->composition);
    return info ? info->name : "substeps of the caller's own";
}

void kdr_write_title(kdr_writer *w, const char *backend) {
    const kdr_problem *const problem = w->problem;
    const bool is_composed = problem->composition != KDR_COMPOSE_NONE;
    kdr_write_put(w, "%s%s%s on %s, %s, %s%s; %d ax%s, %s masses\n", problem->row->info.name, is_composed ? " by " : "",
                  is_composed ? composition_of(problem) : "", backend, kdr_real_name(problem->real),
                  kdr_arithmetic_name(problem->arithmetic), problem->compensated ? ", compensated" : "", w->program->dims,
                  w->program->dims == 1 ? "is" : "es", (w->program->terms & KDR_TERM_MASS) ? "with" : "without");
}

void kdr_write_lines(kdr_writer *w, int section) {
    const kdr_program *const program = w->program;
    for (int line = section > 0 ? program->end[section - 1] : 0; line < program->end[section]; ++line) {
        w->line = &program->line[line];
        write_line(w);
    }
}

void kdr_write_sections(kdr_writer *w, int sections) {
    static const char *const titles[][KDR_SECTIONS] = {{"before the first step", "each step", "after the last step"},
                                                       {"for each length of substeps", "each substep", "after the last step"}};
    const kdr_program *const program = w->program;
    write_substeps(w);
    for (int section = 0; section < sections; ++section) {
        const bool is_empty = program->end[section] == (section > 0 ? program->end[section - 1] : 0);
        kdr_write_put(w, "%s\n%s", titles[program->length && w->problem->substepping.count > 1][section], is_empty ? "  nothing\n" : "");
        kdr_write_lines(w, section);
    }
}

size_t kdr_program_text(const kdr_program *program, const kdr_problem *problem, const char *backend, char *text, size_t size) {
    kdr_writer w = {.text = text, .size = size, .program = program, .problem = problem};
    kdr_write_title(&w, backend);
    write_hot(&w);
    write_within(&w);
    kdr_write_tile(&w);
    kdr_write_rows(&w);
    kdr_write_drive(&w);
    kdr_write_sections(&w, KDR_SECTIONS);
    return w.length;
}
