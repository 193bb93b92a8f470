/* Reads particles from a .npy file, as kickdrift convert writes it. Rows have a fixed size, so slices can be read without the others in
 * memory. */
#include "frames_read.h"
#include "population_builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <io/files.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Returns a number that identifies the file. Another file in its place is another source. */
static uint64_t identity_of(const char *path) {
    kdr_file_info about;
    if (!kdr_file_look(path, &about)) {
        return 0;
    }
    const int64_t words[] = {(int64_t)about.device, (int64_t)about.number, (int64_t)about.size, about.seconds, about.nanoseconds};
    return XXH3_64bits(words, sizeof words);
}

/* Stores row `row` of the file as particle i. In a stream the id of a particle is its number. */
static bool take(population_builder *b, const tree_place *place, const yaml_node_t *node, const population *rows, size_t n, size_t i) {
    kdr_particles *const p = &b->built->particles;
    double state[STATE_COLUMNS];
    for (int k = 0; k < STATE_COLUMNS; ++k) {
        state[k] = population_get(rows, k < 3 ? rows->particles.x[k] : rows->particles.v[k - 3], n);
    }
    const uint64_t id = population_id(rows, n);
    if (b->built->id) {
        b->built->id[i] = id;
    } else if (id != p->first_id + i) {
        return tree_complain(&b->from->tree, place, node,
                             "expected ids 0, 1, ... in their order for particles in a stream, found %" PRIu64 " for particle %" PRIu64, id,
                             p->first_id + i);
    }
    const double mass = population_mass(rows, n);
    return population_place(b, place, node, i, state) &&
           (mass > 0 ? population_weigh(b, place, node, i, mass)
                     : tree_complain(&b->from->tree, place, node, "expected positive masses, found %g for particle %zu", mass,
                                     (size_t)p->first_id + i));
}

static bool take_all(population_builder *b, const tree_place *place, const yaml_node_t *node, frames_reader *reader) {
    enum { AT_ONCE = 1 << 16 };
    const kdr_particles *const p = &b->built->particles;
    uint64_t step = 0;
    for (size_t i = 0; i < p->count;) {
        const size_t most = p->count - i < AT_ONCE ? p->count - i : AT_ONCE;
        if (!frames_read_rows(reader, p->first_id + i, most)) {
            return false;
        }
        const frame *const now = frames_read_frame(reader);
        if ((i > 0 && now->step != step) || now->of.particles.count < most) {
            return tree_complain(&b->from->tree, place, node, "expected one frame, found another from row %" PRIu64 " on",
                                 p->first_id + i + (i > 0 && now->step != step ? 0 : now->of.particles.count));
        }
        step = now->step;
        for (size_t n = 0; n < most; ++n, ++i) {
            if (!take(b, place, node, &now->of, n, i)) {
                return false;
            }
        }
    }
    return true;
}

bool population_from_npy(population_builder *b, const tree_place *place, const yaml_node_t *node, const char *path) {
    frames_reader *const reader = frames_read_open(path, NULL, b->from->tree.why);
    bool good = reader;
    if (good && !b->is_slice) {
        const size_t count = (size_t)frames_read_row_count(reader);
        b->built->source = identity_of(path);
        good = (count > 0 || tree_complain(&b->from->tree, place, node, "%s has no rows, expected one per particle", path)) &&
               population_allocate(b, count, true, place, node);
        if (good && !b->described) {
            b->built->id = calloc(b->built->particles.count + 1, sizeof *b->built->id);
            good = b->built->id || tree_complain(&b->from->tree, place, node, "no memory for the ids, expected fewer particles");
        }
    }
    good = good && take_all(b, place, node, reader);
    frames_read_close(reader);
    return good;
}
