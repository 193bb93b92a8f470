/* Writes a system run as text: the program of its method, and the parts of an evaluation. */
#include "system.h"

size_t kdr_system_explain(const kdr_system *system, int dims, bool masses, char *text, size_t size) {
    if (!system || dims < 1 || dims > 3) {
        if (size > 0) {
            *text = 0;
        }
        return 0;
    }
    kdr_backend_info info = {.name = "?"};
    kdr_backend_query(system->backend, &info);
    kdr_writer w = {.text = text, .size = size, .program = system->steps[dims - 1][masses], .problem = &system->problem};
    kdr_write_title(&w, info.name);
    kdr_write_put(
        &w, "specialised kernel: none: all particles go through the instructions before an evaluation, then through those after it\n");
    kdr_write_tile(&w);
    kdr_write_rows(&w);
    kdr_write_sections(&w, KDR_STEP + 1);
    if (system->problem.flushes_small) {
        kdr_write_put(&w, "each 128th step, before its walls: what is next to nothing becomes 0\n");
    }
    if (system->leveled.substepping.count > 1) {
        kdr_write_put(&w, "with levels: these substeps one by one, each whole, its kicks those of each level by steps of its own\n");
    }
    kdr_write_put(&w, "an evaluation of all particles, and what holds them\n");
    if (system->desc.accelerations) {
        kdr_write_put(&w, "  a = what the caller's function sets\n");
    }
    if (system->desc.magnetic) {
        kdr_write_put(&w, "  m = what the caller's function of magnetic fields sets\n");
    }
    w.program = system->field[dims - 1][masses];
    if (w.program) {
        kdr_write_drive(&w);
        kdr_write_lines(&w, KDR_STEP);
    }
    if (system->blocks) {
        kdr_write_put(&w, "  its slopes, of each particle by itself: %s%s\n", system->desc.slopes ? "what the caller's function sets" : "0",
                      system->term_count > 0 ? ", and those of spring networks" : "");
    }
    for (size_t t = 0; t < system->term_count; ++t) {
        if (system->terms[t].say) {
            system->terms[t].say(system->terms[t].data, &w);
        }
    }
    return w.length;
}
